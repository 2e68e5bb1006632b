// SPDX-License-Identifier: Apache-2.0
// What a schema says of a type is a value with named members, so a typo is no silent default.
#include <schedpol/json/impl/schema.hpp>

struct Quota {
  int pods = 0;
};

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<Quota> = object(
    Traits{.kind = "Quota", .api_version = "v1", .unknown = Unknown::refuse, .ignored = "status"},
    field("pods", &Quota::pods, {.alias = "Pods"}));

static_assert(Object<Quota>);

}  // namespace SCHEDPOL_NAMESPACE::json::detail
