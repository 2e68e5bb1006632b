// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The request in an AdmissionReview, apart from the objects that it is about.

#include <schedpol/core/texts.hpp>
#include <schedpol/json/impl/decoder.hpp>
#include <schedpol/json/impl/schema.hpp>

#include <string>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// The parts of a request that tell what it is about.
struct ReviewRequest {
  struct Kind {
    std::string group{};
    std::string kind{};

    friend bool operator==(const Kind&, const Kind&) = default;
  };
  struct UserInfo {
    std::string username{};
    Texts groups{};

    friend bool operator==(const UserInfo&, const UserInfo&) = default;
  };
  std::string uid{};
  Kind kind{};
  std::string sub_resource{};
  std::string namespace_{};
  std::string operation{};
  UserInfo user_info{};

  friend bool operator==(const ReviewRequest&, const ReviewRequest&) = default;
};

template <>
inline constexpr auto schema<ReviewRequest::Kind> =
    object(field("group", &ReviewRequest::Kind::group), field("kind", &ReviewRequest::Kind::kind));

template <>
inline constexpr auto schema<ReviewRequest::UserInfo> =
    object(field("username", &ReviewRequest::UserInfo::username),
           field("groups", &ReviewRequest::UserInfo::groups));

template <>
inline constexpr auto schema<ReviewRequest> = object(
    field("uid", &ReviewRequest::uid), field("kind", &ReviewRequest::kind),
    field("subResource", &ReviewRequest::sub_resource),
    field("namespace", &ReviewRequest::namespace_), field("operation", &ReviewRequest::operation),
    field("userInfo", &ReviewRequest::user_info));

}  // namespace SCHEDPOL_NAMESPACE::json::detail
