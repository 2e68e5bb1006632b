// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/impl/schema.hpp>

struct Quota {
  int pods = 0;
};

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<Quota> =
    object(Traits{.kind = "Quota", .api_version = "v1", .unknwon = Unknown::refuse},  // error
           field("pods", &Quota::pods, {.alias = "Pods"}));

}  // namespace SCHEDPOL_NAMESPACE::json::detail
