// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the rules look at: the spec of a pod, what the options add to it, and which of its items are
/// exempt. What is reported and what is given to a pod depends on this and on nothing else of the
/// pod. It lives on the stack and refers to the pod and the options, which outlive it.

#include <schedpol/scheduling_policy/impl/exempt_items.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class EffectivePod {
 public:
  EffectivePod(const Pod& pod, const Options& options, const Defaults& defaults) noexcept
      : pod_(pod), options_(options), defaults_(defaults), exempt_(options) {}

  [[nodiscard]] const PodSpec& spec() const noexcept { return pod_.spec; }

  [[nodiscard]] std::string_view scheduler_name() const noexcept {
    const std::string& name = pod_.spec.scheduler_name;
    return name.empty() ? default_scheduler_name : std::string_view(name);
  }

  /// Empty where none is named, or it is not looked at.
  [[nodiscard]] std::string_view node_name() const noexcept {
    return options_.node_name == NodeNameCheck::ignore ? std::string_view() : pod_.spec.node_name;
  }

  /// Empty where the pod has none, or has the one that the cluster gives to such pods; a class that
  /// the policy gives is the pod's own in any case.
  [[nodiscard]] std::string_view priority_class_name() const noexcept {
    const std::string& name = pod_.spec.priority_class_name;
    const std::string& filler = options_.global_default_priority_class;
    const bool filled_in = name == filler && name != defaults_.priority_class_name;
    return filled_in ? std::string_view() : name;
  }

  /// The value of a key of the node selector as a requirement sees it; null where there is none.
  [[nodiscard]] const std::string* required_value(std::string_view key) const noexcept {
    const std::string* value = find_label(pod_.spec.node_selector, key);
    return value != nullptr ? value : find_label(options_.added_to_pods.node_selector, key);
  }

  /// Whether any toleration is the pod's own, so that no default is given.
  [[nodiscard]] bool specifies_tolerations() const noexcept {
    return schedpol::detail::any_of(pod_.spec.tolerations,
                                    [&](const Toleration& each) { return !exempt_.contain(each); });
  }
  /// Calls `f` with the tolerations that a requirement sees.
  template <class F>
  void for_each_required_toleration(F&& f) const {
    for (const auto* list : {&pod_.spec.tolerations, &options_.added_to_pods.tolerations})
      for (const Toleration& toleration : *list) f(toleration);
  }

  /// Whether required node affinity has to hold in every term of the pod, not in one alone.
  [[nodiscard]] bool holds_in_every_term() const noexcept {
    return options_.required_affinity == RequiredAffinity::every_term;
  }

  /// What needs no permission.
  [[nodiscard]] const ExemptItems& exempt() const noexcept { return exempt_; }

 private:
  const Pod& pod_;
  const Options& options_;
  const Defaults& defaults_;
  ExemptItems exempt_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
