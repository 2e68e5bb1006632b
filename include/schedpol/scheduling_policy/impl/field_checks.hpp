// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rules of `check` of all rows of `fields.hpp`, made for one spec.

#include <schedpol/scheduling_policy/impl/check_affinity.hpp>
#include <schedpol/scheduling_policy/impl/check_allowed.hpp>
#include <schedpol/scheduling_policy/impl/check_names.hpp>
#include <schedpol/scheduling_policy/impl/check_node_selector.hpp>
#include <schedpol/scheduling_policy/impl/check_tolerations.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The rule of one row.
template <const auto& row, class Check = typename std::remove_cvref_t<decltype(row)>::Check>
struct RowCheck {
  Check check;
};

template <class Rows>
class RowChecks;
template <const auto&... rows>
class RowChecks<RowList<rows...>> : RowCheck<rows>... {
 public:
  explicit RowChecks(const SchedulingPolicySpec& spec) : RowCheck<rows>{{rows, spec}}... {}

  /// How many rows, from the first on, have nothing in the pod that is more than what the policies
  /// list, or are not governed, and require nothing of it: there what is exempt, given or required need
  /// not be looked at. What stands in the next one may still be permitted.
  [[nodiscard]] std::size_t clear_rows(const EffectivePod& pod) const noexcept {
    std::size_t clear = 0;
    static_cast<void>((((RowCheck<rows>::check.permits_all(rows, pod) ||
                         (!pod.is_governed(rows) && !RowCheck<rows>::check.requires_any())) &&
                        ++clear != 0) &&
                       ...));
    return clear;
  }

  /// Tells what each rule finds, but for those of so many rows from the first on.
  void run(const EffectivePod& pod, CheckListener& listener, std::size_t without = 0) const {
    UngovernedEvents ungoverned(listener);
    std::size_t row = 0;
    ((row++ < without
          ? void()
          : RowCheck<rows>::check.run(
                rows, pod,
                pod.is_governed(rows) ? listener : static_cast<CheckListener&>(ungoverned))),
     ...);
  }

  /// That of a row which alone is of its kind.
  template <class Row>
  [[nodiscard]] const auto& of(const Row&) const noexcept {
    return only<typename Row::Check>(*this);
  }

 private:
  template <class Check, const auto& row>
  [[nodiscard]] static const Check& only(const RowCheck<row, Check>& rule) noexcept {
    return rule.check;
  }
};
using FieldChecks = RowChecks<AllRows>;

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
