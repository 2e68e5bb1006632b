// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Two effective policies, component by component.

#include <schedpol/insight/compare.hpp>
#include <schedpol/insight/impl/compare_affinity.hpp>
#include <schedpol/insight/impl/compare_tolerations.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class PolicyComparison {
 public:
  PolicyComparison(const EffectivePolicy& before, const EffectivePolicy& after,
                   const Options& options_before, const Options& options_after, Budget& budget)
      : sides_{Side{before, &options_before}, Side{after, &options_after}}, budget_(budget) {}

  /// Nothing where it takes more than is left.
  std::optional<Comparison> run() {
    // Each component has the entries that are about it, compiled anew.
    const std::size_t entries = entries_of(sides_[0].spec()) + entries_of(sides_[1].spec());
    if (!budget_.spend(steps_of_components + steps_an_entry * entries)) return std::nullopt;
    for (std::size_t side = 0; side < 2; ++side)
      allows_[side] = EffectivePolicyAccess::of(sides_[side].policy).decides;
    names();
    node_selector();
    tolerations();
    for_each_kind([&](const auto& kind) { affinity(kind); });
    if (budget_.used_up()) return std::nullopt;
    Comparison comparison;
    comparison.relation = Relation::equivalent;
    for (const std::size_t side : {0U, 1U}) {
      std::optional<Pod>& pod = side == 0 ? comparison.allowed_before : comparison.allowed_after;
      pod = pod_of(side);
      const bool exists = pod.has_value();
      if (exists && !is_difference(pod->spec, side)) pod = with_defaults(*std::move(pod), side);
      if (!exists || !is_difference(pod->spec, side)) pod = pod_beside_pairs(side);
      if (budget_.used_up() || (exists && !pod)) return std::nullopt;
    }
    if (comparison.allowed_before) comparison.relation = Relation::stricter;
    if (comparison.allowed_after)
      comparison.relation = comparison.allowed_before ? Relation::incomparable : Relation::looser;
    return comparison;
  }

 private:
  static constexpr std::size_t steps_of_components = 1500;
  static constexpr std::size_t steps_an_entry = 16;

  template <class Pick>
  [[nodiscard]] Sides reduced(Pick pick) const {
    return {sides_[0].reduced(pick), sides_[1].reduced(pick)};
  }

  /// Lets `attempt(component)` look at one component.
  template <class Attempt>
  void look_at(const Sides& sides, Attempt&& attempt) {
    Component component(sides, budget_);
    attempt(component);
    take_over(component.found());
  }
  void take_over(const FoundParts& found) {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::optional<PodSpec>& some = found.any(side);
      if (some) {
        add(any_[side], *some);
      } else {
        allows_[side] = false;
      }
      // What the other components have to say comes before this one's and after it.
      if (alone_[side]) {
        if (some) add(*alone_[side], *some);
      } else if (found.alone(side)) {
        alone_[side] = any_before_[side];
        add(*alone_[side], *found.alone(side));
      }
      if (some) add(any_before_[side], *some);
    }
  }

  /// A pod that a side alone allows, as far as it allows any.
  [[nodiscard]] std::optional<Pod> pod_of(std::size_t side) const {
    if (!allows_[side]) return std::nullopt;
    if (!allows_[1 - side]) return Pod{.spec = any_[side]};
    if (!alone_[side]) return std::nullopt;
    return Pod{.spec = *alone_[side]};
  }

  /// Whether a side alone allows a pod. What each component says by itself is not all where a default
  /// of node affinity contradicts the node selector, or that meets what is required of it.
  [[nodiscard]] bool is_difference(const PodSpec& spec, std::size_t side) {
    if (!steps_) steps_.emplace(std::array{CheckSteps(sides_[0]), CheckSteps(sides_[1])});
    for (const CheckSteps& each : *steps_)
      if (!budget_.spend(each.of(spec))) return false;
    return sides_[side].allows(spec) && !sides_[1 - side].allows(spec);
  }

  /// A pod whose author wrote the required terms that the default would give, of which nothing is left
  /// out then.
  [[nodiscard]] Pod with_defaults(Pod pod, std::size_t side) const {
    const Side& of = sides_[side];
    const bool every_term = of.options->required_affinity == RequiredAffinity::every_term;
    for_each_kind([&](const auto& kind) {
      if (!terms_of(pod.spec.affinity, kind.member).required.empty()) return;
      auto given = EffectivePolicyAccess::of(of.policy).affinity.of(kind).given(every_term);
      if (terms_of(given).required.empty()) return;
      if (!pod.spec.affinity) pod.spec.affinity.emplace();
      auto& own = (*pod.spec.affinity).*kind.member;
      if (!own) own.emplace();
      own->required_during_scheduling_ignored_during_execution =
          given.required_during_scheduling_ignored_during_execution;
    });
    return pod;
  }

  /// A pod that a side alone allows, by pairs of the node selector that matter to node affinity.
  [[nodiscard]] std::optional<Pod> pod_beside_pairs(std::size_t side) {
    if (!allows_[side]) return std::nullopt;
    std::map<std::string_view, ListedTexts> values;
    for (const Side& each : sides_) {
      const auto& given = each.spec().defaults.affinity;
      for (const NodeSelectorTerm& term : schedpol::detail::required_terms(given))
        for (const NodeSelectorRequirement& expression : term.match_expressions)
          for (const std::string& value : expression.values) values[expression.key].add(value);
      each.exempt().for_each_pair(
          [&](const std::string& key, const std::string& value) { values[key].add(value); });
    }
    std::size_t tried = 0;
    for (const auto& [key, listed] : values) {
      for (const std::string& value : with_other(listed)) {
        if (++tried > compared_pairs) return std::nullopt;
        for (const bool has_affinity : {true, false}) {
          PodSpec spec = any_[side];
          spec.node_selector[std::string(key)] = value;
          if (!has_affinity && spec.affinity) spec.affinity->node_affinity.reset();
          if (budget_.used_up()) return std::nullopt;
          if (is_difference(spec, side)) return Pod{.spec = std::move(spec)};
        }
      }
    }
    return std::nullopt;
  }

  /// Of another component.
  static void add(PodSpec& to, const PodSpec& from) {
    if (!from.scheduler_name.empty()) to.scheduler_name = from.scheduler_name;
    if (!from.node_name.empty()) to.node_name = from.node_name;
    if (!from.priority_class_name.empty()) to.priority_class_name = from.priority_class_name;
    to.node_selector.insert(from.node_selector.begin(), from.node_selector.end());
    if (!from.tolerations.empty()) to.tolerations = from.tolerations;
    if (!from.affinity) return;
    if (!to.affinity) to.affinity.emplace();
    for_each_kind([&](const auto& kind) {
      if ((*from.affinity).*kind.member)
        (*to.affinity).*kind.member = (*from.affinity).*kind.member;
    });
  }

  void names() {
    const Sides scheduler = reduced(pick_scheduler);
    ListedTexts names = named(scheduler, scheduler_name_field);
    names.add(default_scheduler_name);
    ListedTexts nodes;
    for (const Side& side : sides_) {
      side.exempt().for_each_scheduler([&](const std::string& name) { names.add(name); });
      side.exempt().for_each_node([&](const std::string& name) { nodes.add(name); });
    }
    look_at(scheduler, [&](Component& component) {
      for (const std::string& name : with_other(names))
        for (const std::string& node : with_other(nodes, "node"))
          component.attempt({.scheduler_name = name, .node_name = node});
    });
    const Sides priority_class = reduced(pick_priority_class);
    ListedTexts classes = named(priority_class, priority_class_name_field);
    for (const Side& side : sides_) classes.add(side.options->global_default_priority_class);
    look_at(priority_class, [&](Component& component) {
      for (const std::string& name : with_other(classes))
        component.attempt({.priority_class_name = name});
    });
  }

  static ListedTexts named(const Sides& sides,
                           const PodField<std::optional<std::string>, Texts>& field) {
    ListedTexts names;
    for (const Side& side : sides) {
      names.add((side.spec().required.*field.rules).listed());
      names.add((side.spec().allowed.*field.rules).listed());
      if (const auto& name = side.spec().defaults.*field.member) names.add(*name);
    }
    return names;
  }
  /// Nothing first, then all of them, and one that nobody names.
  static std::vector<std::string> with_other(const ListedTexts& names,
                                             std::string other = "other") {
    std::vector<std::string> all = {""};
    for (const std::string_view name : names.all())
      if (!name.empty()) all.emplace_back(name);
    all.push_back(names.other(std::move(other)));
    return all;
  }

  void node_selector() {
    ListedTexts keys;
    ExemptValues exempt;
    for (const Side& side : sides_) {
      for (const PolicySection* section : {&side.spec().required, &side.spec().allowed})
        for (const auto& [key, values] : section->node_selectors.listed()) keys.add(key);
      if (side.spec().defaults.node_selector)
        for (const auto& [key, value] : *side.spec().defaults.node_selector) keys.add(key);
      side.exempt().for_each_pair([&](const std::string& key, const std::string& value) {
        keys.add(key);
        exempt[key].push_back(value);
      });
    }
    for (const std::string_view key : keys.all()) {
      if (!budget_.spend(steps_a_key)) return;
      node_selector_key(std::string(key), exempt);
    }
    node_selector_key(keys.other(), exempt);
  }
  static constexpr std::size_t steps_a_key = 100;

  using ExemptValues = std::map<std::string_view, std::vector<std::string_view>>;

  void node_selector_key(const std::string& key, const ExemptValues& exempt) {
    ListedTexts values;
    const auto add_label = [&](const Labels& labels) {
      if (const std::string* value = find_label(labels, key)) values.add(*value);
    };
    for (const Side& side : sides_) {
      for (const PolicySection* section : {&side.spec().required, &side.spec().allowed}) {
        const auto& listed = section->node_selectors.listed();
        if (const auto found = listed.find(key); found != listed.end())
          values.add(found->second.listed());
      }
      if (side.spec().defaults.node_selector) add_label(*side.spec().defaults.node_selector);
    }
    if (const auto of_key = exempt.find(key); of_key != exempt.end())
      for (const std::string_view value : of_key->second) values.add(value);
    FoundParts found;
    const auto attempt = [&](const std::string* value) {
      if (!budget_.spend(steps_a_value)) return;
      found.note({.node_selector = value == nullptr ? Labels{} : Labels{{key, *value}}},
                 allows_value(sides_[0], key, value), allows_value(sides_[1], key, value));
    };
    attempt(nullptr);
    for (const std::string_view value : values.all()) {
      const std::string text(value);
      attempt(&text);
    }
    const std::string other = values.other();
    attempt(&other);
    take_over(found);
  }
  static constexpr std::size_t steps_a_value = 40;

  void tolerations() {
    const Sides sides = reduced(pick_tolerations);
    look_at(sides,
            [&](Component& component) { ComparedTolerations(sides, budget_).run(component); });
  }

  template <class Kind, class Rule>
  void affinity(const AffinityKind<Kind, Rule>& kind) {
    const Sides sides = reduced(pick_kind(kind));
    look_at(sides,
            [&](Component& component) { compare_affinity(kind, sides, budget_, component); });
  }

  Sides sides_;
  Budget& budget_;
  std::array<bool, 2> allows_{};
  std::array<PodSpec, 2> any_{};
  std::array<PodSpec, 2> any_before_{};
  std::array<std::optional<PodSpec>, 2> alone_{};
  std::optional<std::array<CheckSteps, 2>> steps_{};  ///< once one was needed
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
