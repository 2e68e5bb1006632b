// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a pod itself asks for: its spec without what the cluster fills in and the options exempt.
/// What is reported and what is given to a pod depends on this and on nothing else of the pod. It
/// lives on the stack and refers to the pod and the options, which outlive it.

#include <schedpol/core/labels.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace schedpol::scheduling_policy::detail {

class Asked {
 public:
  Asked(const Pod& pod, const Options& options, const Defaults& defaults) noexcept
      : pod_(pod), options_(options), defaults_(defaults) {}

  [[nodiscard]] std::string_view scheduler_name() const noexcept {
    const std::string& name = pod_.spec.scheduler_name;
    return name.empty() ? default_scheduler_name : std::string_view(name);
  }

  /// Empty where none is named, or it is not looked at.
  [[nodiscard]] std::string_view node_name() const noexcept {
    return options_.node_name == NodeName::ignore ? std::string_view() : pod_.spec.node_name;
  }

  /// Empty where the pod has none, or has the one that the cluster gives to such pods; a class that
  /// the policy gives is the pod's own in any case.
  [[nodiscard]] std::string_view priority_class_name() const noexcept {
    const std::string& name = pod_.spec.priority_class_name;
    const std::string& filler = options_.global_default_priority_class;
    const bool filled_in = name == filler && name != defaults_.priority_class_name;
    return filled_in ? std::string_view() : name;
  }
  /// The same as it stands in the pod.
  [[nodiscard]] std::string_view written_priority_class_name() const noexcept {
    return pod_.spec.priority_class_name;
  }

  /// The value of a key of the node selector; null where the pod does not ask for the key.
  [[nodiscard]] const std::string* node_selector_value(std::string_view key) const noexcept {
    const std::string* value = find_label(pod_.spec.node_selector, key);
    return value != nullptr && !is_exempt(key, *value) ? value : nullptr;
  }
  template <class F>
  void for_each_node_selector_pair(F&& f) const {
    for (const auto& [key, value] : pod_.spec.node_selector)
      if (!is_exempt(key, value)) f(key, value);
  }
  template <class F>
  void for_each_exempt_pair(F&& f) const {
    for (const auto& [key, value] : pod_.spec.node_selector)
      if (is_exempt(key, value)) f(key, value);
  }

  /// How many there are, the exempt ones among them.
  [[nodiscard]] std::size_t tolerations() const noexcept { return pod_.spec.tolerations.size(); }
  /// Calls `f(toleration, index)` with the index that the toleration has in the pod.
  template <class F>
  void for_each_toleration(F&& f) const {
    const std::vector<Toleration>& all = pod_.spec.tolerations;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!is_exempt(all[i])) f(all[i], i);
  }
  template <class F>
  void for_each_exempt_toleration(F&& f) const {
    const std::vector<Toleration>& all = pod_.spec.tolerations;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (is_exempt(all[i])) f(all[i], i);
  }
  template <class Predicate>
  [[nodiscard]] bool any_toleration(Predicate&& predicate) const {
    const std::vector<Toleration>& all = pod_.spec.tolerations;
    return std::any_of(all.begin(), all.end(), [&](const Toleration& toleration) {
      return !is_exempt(toleration) && predicate(toleration);
    });
  }

  [[nodiscard]] const std::optional<Affinity>& affinity() const noexcept {
    return pod_.spec.affinity;
  }

  /// Whether required node affinity has to hold in every term of the pod, not in one alone.
  [[nodiscard]] bool holds_in_every_term() const noexcept {
    return options_.required_affinity == RequiredAffinity::every_term;
  }

 private:
  [[nodiscard]] bool is_exempt(std::string_view key, const std::string& value) const noexcept {
    const std::string* exempt = find_label(options_.exempt_node_selector, key);
    return exempt != nullptr && *exempt == value;
  }
  [[nodiscard]] bool is_exempt(const Toleration& toleration) const noexcept {
    for (const Toleration& exempt : options_.exempt_tolerations)
      if (exempt == toleration) return true;
    return false;
  }

  const Pod& pod_;
  const Options& options_;
  const Defaults& defaults_;
};

}  // namespace schedpol::scheduling_policy::detail
