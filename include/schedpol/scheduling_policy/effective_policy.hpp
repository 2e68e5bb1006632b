// SPDX-License-Identifier: Apache-2.0
#pragma once

/// EffectivePolicy: the merged rules of all policies that apply to a pod, in a form made for
/// lookup, with the names of the policies behind every rule. Made by `merge`, taken by
/// `apply_defaults`, `check` and `admit`, which only read it: one value serves any number of
/// threads.

#include <schedpol/scheduling_policy/lookup.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstddef>
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

  /// The policies behind a place in the merged spec: those of the entry with this path, or of the
  /// entry around it (`simple_merge` takes `required.nodeSelectors` whole, so a key in it has its
  /// sources). None where no entry is.
  [[nodiscard]] std::vector<std::string> sources_of(std::string_view path) const {
    while (!path.empty()) {
      const auto found = sources_.entries.find(path);
      if (found != sources_.entries.end()) return found->second;
      const std::size_t cut = path.find_last_of(".[");
      path = path.substr(0, cut == std::string_view::npos ? 0 : cut);
    }
    return {};
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
