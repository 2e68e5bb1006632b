// SPDX-License-Identifier: Apache-2.0
#pragma once

/// LabelPolicy: which labels the pods of its namespace need.

#include <schedpol/base/texts.hpp>
#include <schedpol/core/api_version.hpp>
#include <schedpol/core/object_meta.hpp>

namespace SCHEDPOL_NAMESPACE::label_policy {

/// The `apiVersion` of its objects.
inline constexpr std::string_view api_version = own_api_version;

/// The keys.
struct LabelPolicySpec {
  Texts required_labels{};

  friend bool operator==(const LabelPolicySpec&, const LabelPolicySpec&) = default;
};

/// Of a namespace.
struct LabelPolicy {
  ObjectMeta metadata{};
  LabelPolicySpec spec{};

  friend bool operator==(const LabelPolicy&, const LabelPolicy&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::label_policy
