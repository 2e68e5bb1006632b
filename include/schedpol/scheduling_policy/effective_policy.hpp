// SPDX-License-Identifier: Apache-2.0
#pragma once

/// EffectivePolicy: the merged rules of all policies that apply to a pod, compiled for lookup, with
/// the names of the policies behind each rule. `merge` makes it; `apply_defaults`, `check` and
/// `admit` take it. It is immutable: any number of threads may use one value, and copies share
/// everything.

#include <schedpol/base/names.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Policy names by entry, in the order in which the policies count. An entry is a path below `spec`,
/// printed as `required.nodeSelectors[disk]` or `allowed.tolerations[2]`; a kind or mode of affinity
/// is an entry, too.
using PolicyNames = std::map<FieldPath, Names>;

/// Where the entries of a merged spec came from.
struct Sources {
  PolicyNames entries{};  ///< the policies whose entries are in the merged entry
  PolicyNames lost{};     ///< the policies whose entry is hidden by an earlier policy's

  friend bool operator==(const Sources&, const Sources&) = default;
};

class EffectivePolicy {
 public:
  /// No policy, no rules: denies every pod.
  EffectivePolicy() = default;

  /// The rules of `spec`, merged from `policies`. Prefer `merge`, which fills in the sources. Drops what
  /// counts as absent (`merge.hpp`).
  EffectivePolicy(SchedulingPolicySpec spec, Names policies, Sources sources);

  /// Denies every pod, because two different policies have this name.
  [[nodiscard]] static EffectivePolicy ambiguous(std::string_view name);

  /// The merged rules, without what counts as absent (`merge.hpp`).
  [[nodiscard]] const SchedulingPolicySpec& spec() const& noexcept;
  [[nodiscard]] SchedulingPolicySpec spec() &&;

  /// The merged policies, in byte order. If ambiguous, the name that two policies share.
  [[nodiscard]] Names policies() const noexcept;
  [[nodiscard]] const Sources& sources() const& noexcept;  ///< of the entries of `spec`
  [[nodiscard]] Sources sources() &&;
  [[nodiscard]] bool is_ambiguous() const noexcept;  ///< whether two policies have the same name

  /// The policies behind a path below the merged spec: those of its own entry, or of the entry around
  /// it. (`simple_merge` takes `required.nodeSelectors` whole, so each key has the sources of the
  /// field.) Empty if there is no such entry.
  [[nodiscard]] Names sources_of(const FieldPath& place) const;

 private:
  friend class EffectivePolicyAccess;
  struct Impl;

  Shared<Impl> impl_;  ///< without an object, no rules
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/effective_policy.ipp>
#endif
