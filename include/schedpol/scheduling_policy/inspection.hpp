// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One check of a pod while it runs: what the pod is held against, and what was found so far.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

/// What builds the texts of a violation is `[[gnu::cold]]`: it stays out of the way of the pods
/// that are allowed.
struct Inspection {
  const Pod& pod;
  const EffectivePolicy& effective;
  const Options* options;  ///< null: the default ones, which then need not be made
  std::vector<Violation>& violations;

  /// Permitted by none of the policies.
  [[gnu::cold]] void deny(ViolationCode code, std::initializer_list<std::string_view> field,
                          std::string value) {
    add(code, field, std::move(value), effective.policies());
  }
  /// Required by the policies behind an entry.
  [[gnu::cold]] void require(ViolationCode code, std::initializer_list<std::string_view> field,
                             std::string value, std::string_view entry) {
    add(code, field, std::move(value), effective.sources_of(entry));
  }

  [[nodiscard]] bool is_exempt(std::string_view key, std::string_view value) const noexcept {
    return options != nullptr && detail::is_exempt(key, value, *options);
  }
  [[nodiscard]] bool is_exempt(const Toleration& toleration) const noexcept {
    return options != nullptr && detail::is_exempt(toleration, *options);
  }
  [[nodiscard]] bool holds_in_every_term() const noexcept {
    return options == nullptr || options->required_affinity == RequiredAffinity::every_term;
  }

 private:
  void add(ViolationCode code, std::initializer_list<std::string_view> field, std::string value,
           std::vector<std::string> policies) {
    std::string path = field_path(pod.kind, "");
    std::size_t size = path.size();
    for (const std::string_view part : field) size += part.size();
    path.reserve(size);
    for (const std::string_view part : field) path.append(part);
    violations.push_back({code, std::move(path), std::move(value), std::move(policies)});
  }
};

}  // namespace schedpol::scheduling_policy::detail
