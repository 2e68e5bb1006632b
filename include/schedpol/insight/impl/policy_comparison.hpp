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
    for_each_section_field([&](const auto& row) { compare(row); });
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
      auto injected = EffectivePolicyAccess::of(of.policy)
                          .checks.of(affinity_field)
                          .of(kind)
                          .injected(every_term);
      if (terms_of(injected).required.empty()) return;
      if (!pod.spec.affinity) pod.spec.affinity.emplace();
      auto& own = (*pod.spec.affinity).*kind.member;
      if (!own) own.emplace();
      own->required_during_scheduling_ignored_during_execution =
          injected.required_during_scheduling_ignored_during_execution;
    });
    return pod;
  }

  /// A pod that a side alone allows, by pairs of the node selector that matter to node affinity.
  [[nodiscard]] std::optional<Pod> pod_beside_pairs(std::size_t side) {
    if (!allows_[side]) return std::nullopt;
    std::map<std::string_view, ListedTexts> values;
    for (const Side& each : sides_) {
      const auto& by_default = each.spec().defaults.affinity;
      for (const NodeSelectorTerm& term : schedpol::detail::required_terms(by_default))
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
    for_each_row([&](const auto& row) { add(to.*row.in_pod, from.*row.in_pod); });
  }
  static void add(Labels& to, const Labels& from) { to.insert(from.begin(), from.end()); }
  template <class List>
  static void add(List& to, const List& from) {
    if (!from.empty()) to = from;
  }
  static void add(std::optional<Affinity>& to, const std::optional<Affinity>& from) {
    if (!from) return;
    if (!to) to.emplace();
    for_each_kind([&](const auto& kind) {
      if ((*from).*kind.member) (*to).*kind.member = (*from).*kind.member;
    });
  }

  /// The node name is looked at with the name that permits it.
  void compare(const NameField& row) {
    const Sides sides = reduced(pick(row));
    const std::vector<std::string> names = with_other(named(sides, row));
    const bool permits_node = row.codes == node_name_field.scheduler.codes;
    const std::vector<std::string> nodes = permits_node
                                               ? with_other(exempt_names(node_name_field), "node")
                                               : std::vector<std::string>{""};
    look_at(sides, [&](Component& component) {
      for (const std::string& name : names) {
        for (const std::string& node : nodes) {
          PodSpec spec;
          spec.*row.in_pod = name;
          spec.*node_name_field.in_pod = node;
          component.attempt(spec);
        }
      }
    });
  }
  /// All names of which anything is said.
  [[nodiscard]] static ListedTexts named(const Sides& sides, const NameField& row) {
    ListedTexts names;
    names.add(row.traits.of_pods_without);
    for (const Side& side : sides) {
      names.add((side.spec().required.*row.rules).listed());
      names.add((side.spec().allowed.*row.rules).listed());
      if (const auto& name = side.spec().defaults.*row.member) names.add(*name);
      if (row.traits.filled_in != nullptr) names.add(side.options->*row.traits.filled_in);
      side.exempt().for_each_name(row.traits.exempt,
                                  [&](const std::string& name) { names.add(name); });
    }
    return names;
  }
  [[nodiscard]] ListedTexts exempt_names(const NodeNameField& row) const {
    ListedTexts names;
    for (const Side& side : sides_)
      side.exempt().for_each_name(row.exempt, [&](const std::string& name) { names.add(name); });
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

  void compare(const NodeSelectorField& row) {
    ListedTexts keys;
    ExemptValues exempt;
    for (const Side& side : sides_) {
      for (const PolicySection* section : {&side.spec().required, &side.spec().allowed})
        for (const auto& [key, values] : (section->*row.rules).listed()) keys.add(key);
      if (const auto& by_default = side.spec().defaults.*row.member)
        for (const auto& [key, value] : *by_default) keys.add(key);
      side.exempt().for_each_pair([&](const std::string& key, const std::string& value) {
        keys.add(key);
        exempt[key].push_back(value);
      });
    }
    for (const std::string_view key : keys.all()) {
      if (!budget_.spend(steps_a_key)) return;
      compare_key(row, std::string(key), exempt);
    }
    compare_key(row, keys.other(), exempt);
  }
  static constexpr std::size_t steps_a_key = 100;

  using ExemptValues = std::map<std::string_view, std::vector<std::string_view>>;

  void compare_key(const NodeSelectorField& row, const std::string& key,
                   const ExemptValues& exempt) {
    ListedTexts values;
    const auto add_label = [&](const Labels& labels) {
      if (const std::string* value = find_label(labels, key)) values.add(*value);
    };
    for (const Side& side : sides_) {
      for (const PolicySection* section : {&side.spec().required, &side.spec().allowed}) {
        const auto& listed = (section->*row.rules).listed();
        if (const auto found = listed.find(key); found != listed.end())
          values.add(found->second.listed());
      }
      if (const auto& by_default = side.spec().defaults.*row.member) add_label(*by_default);
    }
    if (const auto of_key = exempt.find(key); of_key != exempt.end())
      for (const std::string_view value : of_key->second) values.add(value);
    FoundParts found;
    const auto attempt = [&](const std::string* value) {
      if (!budget_.spend(steps_a_value)) return;
      PodSpec spec;
      if (value != nullptr) spec.*row.in_pod = Labels{{key, *value}};
      const auto is_allowed_by = [&](const Side& side) {
        return allows_value(side, row, key, value, side.spec().defaults.*row.member);
      };
      found.note(spec, is_allowed_by(sides_[0]), is_allowed_by(sides_[1]));
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

  void compare(const TolerationsField& row) {
    const Sides sides = reduced(pick(row));
    look_at(sides,
            [&](Component& component) { ComparedTolerations(sides, budget_).run(component); });
  }

  void compare(const SpreadConstraintsField& row) {
    const Sides sides = reduced(pick(row));
    ListedTexts keys;
    for (const Side& side : sides)
      for (const SpreadConstraintPattern& pattern : (side.spec().allowed.*row.rules).listed())
        keys.add(pattern.topology_keys.listed());
    look_at(sides, [&](Component& component) {
      component.attempt({});
      for (const std::string& key : with_other(keys)) {
        for (const WhenUnsatisfiable word :
             {WhenUnsatisfiable::do_not_schedule, WhenUnsatisfiable::schedule_anyway}) {
          PodSpec spec;
          spec.*row.in_pod = {{.max_skew = 1, .topology_key = key, .when_unsatisfiable = word}};
          component.attempt(spec);
        }
      }
    });
  }
  template <class Item>
  void compare(const AllowedNamesField<Item>& row) {
    const Sides sides = reduced(pick(row));
    ListedTexts names;
    for (const Side& side : sides) names.add((side.spec().allowed.*row.rules).listed());
    look_at(sides, [&](Component& component) {
      component.attempt({});
      for (const std::string& name : with_other(names)) {
        PodSpec spec;
        spec.*row.in_pod = {item_named<Item>(name)};
        component.attempt(spec);
      }
    });
  }

  void compare(const AffinityField&) {
    for_each_kind([&](const auto& kind) { compare(kind); });
  }
  template <class Kind, class Rule>
  void compare(const AffinityKind<Kind, Rule>& kind) {
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
