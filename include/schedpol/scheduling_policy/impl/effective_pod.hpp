// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The input of the rules: the spec of a pod, what the options add to it, and which of its items are
/// exempt. Violations and defaults depend on nothing else of the pod. It is on the stack and refers to
/// the pod and the options, which must outlive it.

#include <schedpol/core/impl/default_toleration_seconds.hpp>
#include <schedpol/scheduling_policy/impl/node_context.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The exempt pairs of a node selector: each asks of nodes what `KEY In [VALUE]` does in every
/// required node term.
class ExemptPairs {
 public:
  ExemptPairs(const Labels& of_pod, const Options& options) noexcept
      : of_pod_(of_pod), added_(options.added_to_pods.node_selector), exempt_(options) {}

  template <class Predicate>
  [[nodiscard]] bool any(const Predicate& holds) const noexcept {
    return schedpol::detail::any_of(of_pod_,
                                    [&](const auto& pair) {
                                      return exempt_.contain(pair.first, pair.second) &&
                                             holds(pair.first, pair.second);
                                    }) ||
           schedpol::detail::any_of(added_, [&](const auto& pair) {
             return !of_pod_.contains(pair.first) && holds(pair.first, pair.second);
           });
  }
  [[nodiscard]] bool empty() const noexcept {
    return !any([](const std::string&, const std::string&) { return true; });
  }
  /// At most so many.
  [[nodiscard]] std::size_t size() const noexcept { return of_pod_.size() + added_.size(); }

 private:
  const Labels& of_pod_;
  const Labels& added_;
  ExemptItems exempt_;
};

class EffectivePod {
 public:
  EffectivePod(const Pod& pod, const Options& options, const Defaults& defaults) noexcept
      : pod_(pod), options_(options), defaults_(defaults), exempt_(options) {}

  [[nodiscard]] const PodSpec& spec() const noexcept { return pod_.spec; }

  /// Whether something of this field is denied because nothing permits it.
  [[nodiscard]] bool is_governed(const auto& row) const noexcept {
    return options_.governs.contain(row.component);
  }

  /// Empty where the pod names none, or has the name that the cluster gives to such pods; one that
  /// the policy gives is the pod's own in any case.
  [[nodiscard]] std::string_view name(const NameField& row) const noexcept {
    const std::string& name = pod_.spec.*row.in_pod;
    if (name.empty()) return row.traits.of_pods_without;
    const bool filled_in = row.traits.filled_in != nullptr &&
                           name == options_.*row.traits.filled_in && name != defaults_.*row.member;
    return filled_in ? std::string_view() : name;
  }
  /// Whether a default is given to it.
  [[nodiscard]] bool specifies(const NameField& row) const noexcept {
    const std::string& name = pod_.spec.*row.in_pod;
    const bool filled_in = options_.default_scheduler == DefaultScheduler::unspecified &&
                           name == row.traits.of_pods_without;
    return !name.empty() && !filled_in && !this->name(row).empty();
  }

  /// Empty where none is named, or it is not looked at.
  [[nodiscard]] std::string_view name(const NodeNameField& row) const noexcept {
    return options_.node_name == NodeNameCheck::ignore ? std::string_view() : pod_.spec.*row.in_pod;
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
  /// Whether a class or a cluster policy gives it to the pod.
  [[nodiscard]] bool is_injected_by_cluster(const Toleration& toleration) const noexcept {
    return exempt_.give(toleration);
  }
  /// What the cluster gives to the pod in whose place, or behind which, this one would stand and
  /// have no effect; null where there is none. It is one of the taints of DefaultTolerationSeconds.
  [[nodiscard]] const Toleration* first_of_cluster(const Toleration& toleration) const {
    if (!schedpol::detail::takes_default_toleration_seconds(toleration)) return nullptr;
    const auto hides = [&](Toleration other) {
      other.toleration_seconds.reset();
      return covers(other, toleration);
    };
    const auto find_in = [&](const std::vector<Toleration>& list) {
      const auto found = std::find_if(list.begin(), list.end(), hides);
      return found == list.end() ? nullptr : &*found;
    };
    for (const Toleration& each : pod_.spec.tolerations)
      if (exempt_.contain(each) && !schedpol::detail::is_default_toleration_seconds(each) &&
          hides(each))
        return &each;
    const Toleration* found = find_in(options_.added_to_pods.tolerations);
    for (const SharedCriteria& criteria : options_.exempt_criteria)
      if (found == nullptr) found = find_in(criteria->tolerations);
    return found;
  }
  /// Whether a toleration of the pod, or one that is added to the pods of a template, meets what a
  /// pattern requires.
  template <class Pattern>
  [[nodiscard]] bool meets(const Pattern& required) const noexcept {
    return schedpol::detail::any_of(
               pod_.spec.tolerations,
               [&](const Toleration& each) {
                 return required.matches(each) ||
                        (required.matches_covered_by(each) && exempt_.give(each));
               }) ||
           schedpol::detail::any_of(
               options_.added_to_pods.tolerations,
               [&](const Toleration& each) { return required.matches_covered_by(each); });
  }

  /// Whether required node affinity has to hold in every term of the pod, not in one alone.
  [[nodiscard]] bool holds_in_every_term() const noexcept {
    return options_.required_affinity != RequiredAffinity::present;
  }

  /// What meets requirements on node affinity besides its terms.
  [[nodiscard]] ExemptPairs exempt_pairs() const noexcept {
    return {pod_.spec.node_selector, options_};
  }
  /// What a default of required node terms must not contradict, of which those of the pod that are
  /// not exempt are no part.
  [[nodiscard]] NodeContext node_context() const {
    std::vector<NodeSelectorTerm> terms;
    const ExemptTerms<NodeAffinity> exempt = exempt_.of(&Affinity::node_affinity);
    for (const NodeSelectorTerm& term : schedpol::detail::required_terms(pod_.spec.affinity)) {
      terms.push_back(exempt.part_of(term));
      if (!is_empty(terms.back()) || exempt.contain(term)) continue;
      terms.clear();  // any node will do
      break;
    }
    return NodeContext(pod_.spec.node_selector, std::move(terms), options_).compiled();
  }

  /// Whether the pod has, or is to get, a required term that contradicts this one of the other kind
  /// of pod affinity. One that the default has for both kinds is no contradiction of the pod's.
  [[nodiscard]] bool contradicts(const PodAffinityTerm& term,
                                 std::optional<PodAffinity> Affinity::*other) const noexcept {
    bool found = schedpol::detail::contains(terms_of(pod_.spec.affinity, other).required, term) &&
                 !schedpol::detail::contains(terms_of(defaults_.affinity, other).required, term);
    for (const SharedCriteria& criteria : options_.exempt_criteria)
      found =
          found || schedpol::detail::contains(terms_of(criteria->affinity, other).required, term);
    return found;
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
