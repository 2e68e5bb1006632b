// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/core/impl/default_toleration_seconds.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

inline Toleration existing(std::string_view key, TaintEffect effect,
                           std::optional<std::int64_t> seconds = {}) {
  return {.key = std::string(key),
          .operator_ = TolerationOperator::exists,
          .value = {},
          .effect = effect,
          .toleration_seconds = seconds};
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Toleration> default_toleration_seconds(std::int64_t seconds) {
  return {detail::existing(schedpol::detail::not_ready_taint, TaintEffect::no_execute, seconds),
          detail::existing(schedpol::detail::unreachable_taint, TaintEffect::no_execute, seconds)};
}

SCHEDPOL_INLINE std::vector<Toleration> daemon_set_tolerations() {
  return {detail::existing(schedpol::detail::not_ready_taint, TaintEffect::no_execute),
          detail::existing(schedpol::detail::unreachable_taint, TaintEffect::no_execute),
          detail::existing("node.kubernetes.io/disk-pressure", TaintEffect::no_schedule),
          detail::existing("node.kubernetes.io/memory-pressure", TaintEffect::no_schedule),
          detail::existing("node.kubernetes.io/pid-pressure", TaintEffect::no_schedule),
          detail::existing("node.kubernetes.io/unschedulable", TaintEffect::no_schedule),
          detail::existing("node.kubernetes.io/network-unavailable", TaintEffect::no_schedule)};
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
