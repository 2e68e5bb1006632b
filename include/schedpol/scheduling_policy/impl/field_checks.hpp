// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rules of `check` of all rows of `fields.hpp`, made for one spec.

#include <schedpol/scheduling_policy/impl/check_affinity.hpp>
#include <schedpol/scheduling_policy/impl/check_names.hpp>
#include <schedpol/scheduling_policy/impl/check_node_selector.hpp>
#include <schedpol/scheduling_policy/impl/check_tolerations.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The rule of one row, in its place: those of two rows may be of one type.
template <std::size_t, class Check>
struct PlacedCheck {
  Check check;
};

template <class Places, class... Rows>
class RowChecks;
template <std::size_t... i, class... Rows>
class RowChecks<std::index_sequence<i...>, Rows...> : PlacedCheck<i, typename Rows::Check>... {
 public:
  explicit RowChecks(const SchedulingPolicySpec& spec, const Rows&... row)
      : PlacedCheck<i, typename Rows::Check>{typename Rows::Check(row, spec)}... {}

  /// Whether nothing in the pod is more than what the policies list, and nothing is required of it:
  /// then what is exempt, given or required need not be looked at. Where it is false, the pod may
  /// still be permitted.
  [[nodiscard]] bool clear(const EffectivePod& pod) const noexcept {
    return with_rows(
        [&](const Rows&... row) { return (place<i, Rows>().permits_all(row, pod) && ...); });
  }

  /// Tells what each rule finds.
  void run(const EffectivePod& pod, CheckListener& listener) const {
    with_rows([&](const Rows&... row) { (place<i, Rows>().run(row, pod, listener), ...); });
  }

  /// That of a row which alone is of its kind.
  template <class Row>
  [[nodiscard]] const auto& of(const Row&) const noexcept {
    return only<typename Row::Check>(*this);
  }

 private:
  template <std::size_t at, class Row>
  [[nodiscard]] const auto& place() const noexcept {
    return static_cast<const PlacedCheck<at, typename Row::Check>&>(*this).check;
  }
  template <class Check, std::size_t at>
  [[nodiscard]] static const Check& only(const PlacedCheck<at, Check>& place) noexcept {
    return place.check;
  }
};

struct MadeForRows {
  template <class... Rows>
  constexpr auto operator()(const Rows&...) const {
    return std::type_identity<RowChecks<std::index_sequence_for<Rows...>, Rows...>>{};
  }
};
using FieldChecks = decltype(with_rows(MadeForRows{}))::type;

[[nodiscard]] inline FieldChecks field_checks(const SchedulingPolicySpec& spec) {
  return with_rows([&](const auto&... row) { return FieldChecks(spec, row...); });
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
