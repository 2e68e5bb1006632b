// SPDX-License-Identifier: Apache-2.0
#pragma once

/// EffectivePolicy: the merged rules of all policies that apply to a pod, in a form made for
/// lookup, with the names of the policies behind every rule. Made by `merge`, taken by
/// `apply_defaults`, `check` and `admit`, which only read it: one value serves any number of
/// threads.

#include <schedpol/scheduling_policy/lookup.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy {

/// Policy names by entry path (`required.nodeSelectors[disk]`, `allowed.tolerations[2]`), in the
/// order in which the policies counted.
using PolicyNames = std::map<std::string, std::vector<std::string>, std::less<>>;

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

  /// The rules of `spec`, merged from `policies`. Use `merge`, which fills in the sources.
  EffectivePolicy(SchedulingPolicySpec spec, std::vector<std::string> policies, Sources sources)
      : spec_(std::move(spec)),
        policies_(std::move(policies)),
        sources_(std::move(sources)),
        lookup_(spec_) {}

  /// Denies every pod, because two different policies are called `name`.
  [[nodiscard]] static EffectivePolicy ambiguous(std::string name) {
    EffectivePolicy effective;
    effective.ambiguous_ = true;
    effective.policies_.push_back(std::move(name));
    return effective;
  }

  /// The merged rules. Empty fields of `required` and `default` are absent from it.
  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept { return spec_; }

  /// The policies whose rules these are, in byte order; when ambiguous, the name that was used
  /// twice.
  [[nodiscard]] const std::vector<std::string>& policies() const noexcept { return policies_; }
  [[nodiscard]] const Sources& sources() const noexcept { return sources_; }
  [[nodiscard]] bool is_ambiguous() const noexcept { return ambiguous_; }

  /// The policies behind an entry of the merged spec; none for a path that is no entry.
  [[nodiscard]] std::vector<std::string> sources_of(std::string_view entry) const {
    const auto found = sources_.entries.find(entry);
    return found == sources_.entries.end() ? std::vector<std::string>() : found->second;
  }

  /// The lookup form; what it holds is not part of the interface.
  [[nodiscard]] const detail::Lookup& lookup() const noexcept { return lookup_; }

 private:
  SchedulingPolicySpec spec_;
  std::vector<std::string> policies_;
  Sources sources_;
  bool ambiguous_ = false;
  detail::Lookup lookup_;
};

}  // namespace schedpol::scheduling_policy
