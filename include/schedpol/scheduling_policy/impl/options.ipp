// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/core/impl/default_toleration_seconds.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE std::vector<Toleration> default_toleration_seconds(std::int64_t seconds) {
  return {schedpol::detail::existing(schedpol::detail::not_ready_taint, TaintEffect::no_execute,
                                     seconds),
          schedpol::detail::existing(schedpol::detail::unreachable_taint, TaintEffect::no_execute,
                                     seconds)};
}

SCHEDPOL_INLINE std::vector<Toleration> daemon_set_tolerations() {
  return schedpol::detail::daemon_set_tolerations();
}

SCHEDPOL_INLINE Options exempt(Options options, std::span<const Toleration> tolerations) {
  schedpol::detail::append(options.exempt.tolerations, tolerations);
  return options;
}

SCHEDPOL_INLINE Options exempt(Options options, SharedCriteria criteria) {
  options.exempt_criteria.push_back(std::move(criteria));
  return options;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
