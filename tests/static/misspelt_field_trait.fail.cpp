// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/impl/schema.hpp>

struct Quota {
  int pods = 0;
};

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<Quota> =
    object(Traits{.kind = "Quota", .api_version = "v1", .unknown = Unknown::refuse},
           field("pods", &Quota::pods, {.alais = "Pods"}));  // error

}  // namespace SCHEDPOL_NAMESPACE::json::detail
