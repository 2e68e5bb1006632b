// SPDX-License-Identifier: Apache-2.0
#pragma once

/// EffectivePolicy: the merged rules of all policies that apply to a pod, in a form made for
/// lookup, with the names of the policies behind every rule. Made by `merge`, taken by
/// `apply_defaults`, `check` and `admit`, which only read it: one value serves any number of
/// threads. It never changes once it is made, so a copy shares everything with it.

#include <schedpol/base/names.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Policy names by entry, in the order in which the policies counted. An entry is a place below
/// `spec`, printed as `required.nodeSelectors[disk]` or `allowed.tolerations[2]`; a kind and a mode
/// of affinity is one too.
using PolicyNames = std::map<FieldPath, Names>;

/// Where the entries of a merged spec came from.
struct Sources {
  PolicyNames entries{};  ///< the policies that say what the merged entry says
  PolicyNames lost{};     ///< the policies whose entry an earlier policy's hid

  friend bool operator==(const Sources&, const Sources&) = default;
};

class EffectivePolicy {
 public:
  /// No rules of any policy: denies every pod.
  EffectivePolicy() = default;

  /// The rules of `spec`, merged from `policies`. Use `merge`, which fills in the sources. What counts
  /// as absent (`merge.hpp`) is dropped.
  EffectivePolicy(SchedulingPolicySpec spec, Names policies, Sources sources);

  /// Denies every pod, because two different policies are called `name`.
  [[nodiscard]] static EffectivePolicy ambiguous(std::string_view name);

  /// The merged rules, without what counts as absent (`merge.hpp`).
  [[nodiscard]] const SchedulingPolicySpec& spec() const& noexcept;
  [[nodiscard]] SchedulingPolicySpec spec() &&;

  /// Whose rules these are, in byte order; when ambiguous, the policy name that was used twice.
  [[nodiscard]] Names policies() const noexcept;
  [[nodiscard]] const Sources& sources() const& noexcept;  ///< of the entries of `spec`
  [[nodiscard]] Sources sources() &&;
  [[nodiscard]] bool is_ambiguous() const noexcept;  ///< two policies of one name

  /// The policies behind a place below the merged spec: those of the entry that it is, or of the
  /// entry around it (`simple_merge` takes `required.nodeSelectors` whole, so a key in it has its
  /// sources). None where no entry is.
  [[nodiscard]] Names sources_of(const FieldPath& place) const;

 private:
  friend class EffectivePolicyAccess;
  struct Impl;

  Shared<Impl> impl_;  ///< none where no policy says anything
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/effective_policy.ipp>
#endif
