// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether an update of a pod or template is permitted. An update never defaults, and is denied
/// only for what it adds: a metadata edit of a running pod is not refused for a policy that came
/// later, while an added toleration is always checked.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <set>
#include <string>
#include <vector>

namespace schedpol::scheduling_policy {

namespace detail {

/// The field of a violation without the indices of its lists, which an update may shift:
/// `spec.tolerations[2]` becomes `spec.tolerations[]`. What stands in the brackets of a node
/// selector is a key and stays.
inline std::string field_without_indices(const Violation& violation) {
  const bool is_key = violation.code == ViolationCode::node_selector_required ||
                      violation.code == ViolationCode::node_selector_not_allowed;
  if (is_key) return violation.field;
  std::string text;
  bool in_brackets = false;
  for (const char c : violation.field) {
    if (c == ']') in_brackets = false;
    if (!in_brackets) text += c;
    if (c == '[') in_brackets = true;
  }
  return text;
}

/// What tells the violations of a pod apart.
struct Identity {
  ViolationCode code = ViolationCode::no_usable_policy;
  std::string field{};
  std::string value{};

  friend bool operator<(const Identity& a, const Identity& b) noexcept {
    if (a.code != b.code) return a.code < b.code;
    if (a.field != b.field) return a.field < b.field;
    return a.value < b.value;
  }
};

inline Identity identity_of(const Violation& violation) {
  return {violation.code, field_without_indices(violation), violation.value};
}

}  // namespace detail

/// The violations of `updated` that `old` did not have; violations are told apart by code, field
/// without its list indices, and value. Without any usable policy, or with an ambiguous one, that
/// is the one violation of `check`, when the update asks for anything that `old` did not.
[[nodiscard]] inline std::vector<Violation> check_update(const Pod& old, const Pod& updated,
                                                         const EffectivePolicy& effective,
                                                         const Options& options = {}) {
  std::vector<Violation> violations = detail::check_items(updated, effective, &options);
  if (violations.empty()) return violations;
  std::set<detail::Identity> before;
  for (const Violation& v : detail::check_items(old, effective, &options)) {
    before.insert(detail::identity_of(v));
  }
  std::erase_if(violations,
                [&](const Violation& v) { return before.contains(detail::identity_of(v)); });
  const bool decides = !effective.policies().empty() && !effective.is_ambiguous();
  if (violations.empty() || decides) return violations;
  return check(updated, effective, options);
}

}  // namespace schedpol::scheduling_policy
