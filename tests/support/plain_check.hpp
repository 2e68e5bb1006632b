// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `scheduling_policy::check` has to say, and what affinity `apply_defaults` gives, evaluated
// as the rules are written down: on the merged spec itself, list by list, without anything made for
// lookup. Slow, and meant to be obvious.

#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/impl/fields.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::testing {

class PlainCheck {
 public:
  PlainCheck(const Pod& pod, const scheduling_policy::EffectivePolicy& effective,
             const scheduling_policy::Options& options)
      : pod_(pod),
        effective_(effective),
        required_(effective.spec().required),
        allowed_(effective.spec().allowed),
        given_(effective.spec().defaults),
        options_(options) {}

  std::vector<Violation> run() {
    if (effective_.is_ambiguous()) {
      deny(ViolationCode::ambiguous_policy, {"spec"}, "");
    } else if (effective_.policies().empty()) {
      deny(ViolationCode::no_usable_policy, {"spec"}, "");
    } else {
      scheduling_policy::for_each_row([&](const auto& row) {
        is_governed_ = options_.governs.contain(row.component);
        look_at(row);
      });
    }
    return violations_;
  }

 private:
  // Absent lists nothing, any everything.
  template <class List, class Item>
  static bool lists(const AnyOr<List>& list, const Item& item) {
    if (list.is_any()) return true;
    return std::find(list.listed().begin(), list.listed().end(), item) != list.listed().end();
  }

  void deny(ViolationCode code, const FieldPath& field, std::string value) {
    if (!is_governed_) return;
    violations_.push_back(
        {code, template_path(pod_.kind).join(field), std::move(value), effective_.policies()});
  }
  void demand(ViolationCode code, const FieldPath& field, std::string value,
              const FieldPath& entry) {
    violations_.push_back({code, template_path(pod_.kind).join(field), std::move(value),
                           effective_.sources_of(entry)});
  }

  template <class List, class Item>
  static bool has(const List& list, const Item& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  }
  template <class Predicate>
  bool any_exempt(Predicate&& holds) const {
    const auto& all = options_.exempt_criteria;
    return holds(options_.exempt) ||
           std::any_of(all.begin(), all.end(), [&](const auto& of) { return holds(*of); });
  }

  // ---- scheduler, priority class and other names

  void look_at(const scheduling_policy::NameField& row) {
    const bool is_scheduler = row.field == "schedulerName";
    std::string name = pod_.spec.*row.in_pod;
    if (name.empty() && is_scheduler) name = "default-scheduler";
    const bool is_given = given_.*row.member == name;
    const bool is_filled_in = row.field == "priorityClassName" &&
                              name == options_.global_default_priority_class && !is_given;
    const bool is_exempt =
        is_scheduler && any_exempt([&](const auto& of) { return of.scheduler_name == name; });
    const bool none = name.empty() || is_filled_in;
    if (!(required_.*row.rules).is_absent()) {
      if (none || !lists(required_.*row.rules, name))
        demand(row.codes.missing, {"spec", row.field}, name, {"required", row.rules_field});
    } else if (!none && !lists(allowed_.*row.rules, name) && !is_given && !is_exempt) {
      deny(row.codes.not_permitted, {"spec", row.field}, name);
    }
  }

  void look_at(const scheduling_policy::NodeNameField&) {
    const PodSpec& spec = pod_.spec;
    const bool any_scheduler = allowed_.scheduler_names.is_any();
    if (!spec.node_name.empty() && !any_scheduler &&
        !any_exempt([&](const auto& of) { return of.node_name == spec.node_name; }) &&
        options_.node_name == scheduling_policy::NodeNameCheck::require_any_scheduler)
      deny(ViolationCode::node_name_not_allowed, {"spec", "nodeName"}, spec.node_name);
  }

  // ---- spread constraints, gates and claims

  void look_at(const scheduling_policy::SpreadConstraintsField&) {
    const auto& allowed = allowed_.topology_spread_constraints;
    const auto permits = [&](const std::string& key, WhenUnsatisfiable word) {
      for (const auto& pattern : allowed.listed()) {
        const bool takes_key =
            pattern.topology_keys.is_any() || (!key.empty() && lists(pattern.topology_keys, key));
        if (takes_key && lists(pattern.when_unsatisfiable, word)) return true;
      }
      return allowed.is_any();
    };
    const auto& constraints = pod_.spec.topology_spread_constraints;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const auto& [skew, key, word, selector, domains, affinity, taints, labels] = constraints[i];
      bool is_permitted = word.known();
      for (const auto each :
           {WhenUnsatisfiable::do_not_schedule, WhenUnsatisfiable::schedule_anyway})
        if (word == each || word == WhenUnsatisfiable::unset)
          is_permitted = is_permitted && permits(key, each);
      if (is_permitted) continue;
      const std::string text = word == WhenUnsatisfiable::unset ? "" : ":";
      deny(ViolationCode::topology_spread_constraint_not_allowed,
           FieldPath{"spec", "topologySpreadConstraints"}.index(i),
           key + text + std::string(word.text()));
    }
  }
  void look_at(const scheduling_policy::AllowedNamesField<PodSchedulingGate>&) {
    const auto& gates = pod_.spec.scheduling_gates;
    for (std::size_t i = 0; i < gates.size(); ++i)
      name(allowed_.scheduling_gates, ViolationCode::scheduling_gate_not_allowed,
           FieldPath{"spec", "schedulingGates"}.index(i).child("name"), gates[i].name);
  }
  void look_at(const scheduling_policy::AllowedNamesField<PodResourceClaim>&) {
    const auto code = ViolationCode::resource_claim_not_allowed;
    const auto& claims = pod_.spec.resource_claims;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const FieldPath at = FieldPath{"spec", "resourceClaims"}.index(i);
      const auto& [ignored, claim, of_template] = claims[i];
      if (!claim.empty())
        name(allowed_.resource_claims, code, at.child("resourceClaimName"), claim);
      if (!of_template.empty())
        name(allowed_.resource_claims, code, at.child("resourceClaimTemplateName"), of_template);
      if (claim.empty() && of_template.empty()) name(allowed_.resource_claims, code, at, "");
    }
  }
  void name(const AnyOr<Texts>& allowed, ViolationCode code, const FieldPath& at,
            const std::string& name) {
    const bool is_listed = !name.empty() && lists(allowed, name);
    if (!allowed.is_any() && !is_listed) deny(code, at, name);
  }

  // ---- node selector

  void look_at(const scheduling_policy::NodeSelectorField&) {
    const auto& required = required_.node_selectors.listed();
    const auto is_exempt = [&](const auto& pair) {
      return has(options_.added_to_pods.node_selector, pair) ||
             any_exempt([&](const auto& of) { return has(of.node_selector, pair); });
    };
    Labels final = pod_.spec.node_selector;
    for (const auto& pair : options_.added_to_pods.node_selector) final.insert(pair);
    for (const auto& [key, values] : required) {
      std::optional<std::string> value;
      if (final.contains(key)) value = final[key];
      if (value && lists(values, *value)) continue;
      demand(ViolationCode::node_selector_required, FieldPath{"spec", "nodeSelector"}.key(key),
             value.value_or(""), FieldPath{"required", "nodeSelectors"}.key(key));
    }
    for (const auto& pair : pod_.spec.node_selector) {
      if (required.contains(pair.first) || is_exempt(pair) || permits(pair)) continue;
      deny(ViolationCode::node_selector_not_allowed,
           FieldPath{"spec", "nodeSelector"}.key(pair.first), pair.second);
    }
  }
  bool permits(const Labels::value_type& pair) const {
    if (allowed_.node_selectors.is_any()) return true;
    for (const auto& [key, values] : allowed_.node_selectors.listed()) {
      if (key == pair.first && lists(values, pair.second)) return true;
    }
    return given_.node_selector &&
           std::find(given_.node_selector->begin(), given_.node_selector->end(), pair) !=
               given_.node_selector->end();
  }

  // ---- tolerations

  using TolerationPattern = scheduling_policy::TolerationPattern;
  using TolerationPatterns = std::vector<TolerationPattern>;

  void look_at(const scheduling_policy::TolerationsField&) {
    const auto& all = pod_.spec.tolerations;
    const auto& added = options_.added_to_pods.tolerations;
    const auto is_exempt = [&](const Toleration& toleration) {
      return has(added, toleration) ||
             any_exempt([&](const auto& of) { return has(of.tolerations, toleration); });
    };
    const auto is_given = [&](const Toleration& toleration) {
      return has(added, toleration) ||
             std::any_of(options_.exempt_criteria.begin(), options_.exempt_criteria.end(),
                         [&](const auto& of) { return has(of->tolerations, toleration); });
    };
    std::vector<Toleration> final = all;
    final.insert(final.end(), added.begin(), added.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_exempt(all[i]) || permits(all[i])) continue;
      deny(ViolationCode::toleration_not_allowed, FieldPath{"spec", "tolerations"}.index(i),
           to_string(all[i]));
    }
    for (const TolerationPattern& pattern : required_.tolerations.listed()) {
      const bool met = std::any_of(final.begin(), final.end(), [&](const auto& toleration) {
        return matches(pattern, toleration) ||
               (is_given(toleration) && matches_any_covered_by(pattern, toleration));
      });
      if (!met)
        demand(ViolationCode::toleration_required, {"spec", "tolerations"}, to_string(pattern),
               {"required", "tolerations"});
    }
  }

  bool permits(const Toleration& toleration) const {
    if (!toleration.operator_.known() || !toleration.effect.known()) return false;
    if (permits_as_it_is(toleration)) return true;
    if (toleration.effect != TaintEffect::unset) return false;
    return std::all_of(taint_effects.begin(), taint_effects.end(), [&](TaintEffect effect) {
      Toleration narrowed = toleration;
      narrowed.effect = effect;
      return permits_as_it_is(narrowed);
    });
  }
  bool permits_as_it_is(const Toleration& toleration) const {
    return allowed_.tolerations.is_any() || is_default(toleration) ||
           any_matches(allowed_.tolerations.listed(), toleration) ||
           any_matches(required_.tolerations.listed(), toleration);
  }
  bool is_default(const Toleration& toleration) const {
    if (!given_.tolerations) return false;
    for (const auto& entry : *given_.tolerations) {
      if (!entry.values.is_listed() && entry.toleration == toleration) return true;
      for (const std::string& value : entry.values.listed()) {
        Toleration expanded = entry.toleration;
        expanded.value = value;
        if (expanded == toleration) return true;
      }
    }
    return false;
  }
  static bool any_matches(const TolerationPatterns& patterns, const Toleration& toleration) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const auto& pattern) { return matches(pattern, toleration); });
  }
  static bool matches(const TolerationPattern& pattern, const Toleration& toleration) {
    return matches_key(pattern.keys, toleration.key) && matches_operator(pattern, toleration) &&
           matches_value(pattern, toleration) && matches_effect(pattern, toleration);
  }
  // Of all that is worth trying.
  static bool matches_any_covered_by(const TolerationPattern& pattern, const Toleration& covering) {
    Texts keys = pattern.keys.listed();
    for (const std::string& key : {covering.key, std::string(), std::string("other")})
      keys.push_back(key);
    Texts values = pattern.values.listed();
    for (const std::string& value : {covering.value, std::string()}) values.push_back(value);
    for (const std::string& key : keys) {
      for (const std::string& value : values) {
        for (const TolerationOperator operator_ :
             {TolerationOperator::equal, TolerationOperator::exists, TolerationOperator::lt,
              TolerationOperator::gt}) {
          for (const TaintEffect effect :
               {TaintEffect::unset, TaintEffect::no_schedule, TaintEffect::prefer_no_schedule,
                TaintEffect::no_execute}) {
            const Toleration covered{key, operator_, value, effect, covering.toleration_seconds};
            if (covers(covering, covered) && matches(pattern, covered)) return true;
          }
        }
      }
    }
    return false;
  }
  static bool matches_key(const AnyOr<Texts>& keys, const std::string& key) {
    return key.empty() ? keys.is_any() : lists(keys, key);
  }
  static bool matches_operator(const TolerationPattern& pattern, const Toleration& toleration) {
    if (!toleration.operator_.known()) return false;
    if (lists(pattern.operators, toleration.operator_)) return true;
    // An empty operator is Equal, in both.
    return (toleration.operator_ == TolerationOperator::unset ||
            toleration.operator_ == TolerationOperator::equal) &&
           (lists(pattern.operators, TolerationOperator::unset) ||
            lists(pattern.operators, TolerationOperator::equal));
  }
  static bool matches_value(const TolerationPattern& pattern, const Toleration& toleration) {
    const AnyOr<Texts>& values = pattern.values;
    if (toleration.operator_ == TolerationOperator::exists) return !values.is_listed();
    return values.is_absent() ? toleration.value.empty() : lists(values, toleration.value);
  }
  static bool matches_effect(const TolerationPattern& pattern, const Toleration& toleration) {
    if (!toleration.effect.known()) return false;
    if (toleration.effect != TaintEffect::unset) return lists(pattern.effects, toleration.effect);
    return std::all_of(taint_effects.begin(), taint_effects.end(),
                       [&](TaintEffect effect) { return lists(pattern.effects, effect); });
  }

  // ---- affinity

  using NodeTerms = std::vector<NodeSelectorTerm>;
  using NodeRule = scheduling_policy::NodeAffinityRule;
  using PodRule = scheduling_policy::PodAffinityRule;
  using TermPattern = scheduling_policy::TermPattern;
  using RequirementPattern = scheduling_policy::RequirementPattern;
  using RequirementPatterns = AnyOr<std::vector<RequirementPattern>>;
  template <class Rule>
  using Modes = AnyOr<scheduling_policy::AffinityModes<Rule>>;

  // One kind in the pod, the default, `required`, `allowed` and each of the exempt affinities.
  template <class Kind, class Rule>
  struct KindCase {
    std::vector<Kind> exempt;
    FieldPath path;
    FieldPath entry;
    const std::optional<Kind>& pod;
    const std::optional<Kind>& given;
    const Modes<Rule>& required;
    const Modes<Rule>& allowed;
    std::optional<PodAffinity> Affinity::*opposite;  // of pod affinity
  };
  // One mode of it.
  template <class Term, class Rule>
  struct ModeCase {
    std::vector<Term> exempt;
    FieldPath path;
    FieldPath entry;
    std::vector<Term> pod;
    std::vector<Term> given;
    const AnyOr<Rule>& required;
    const AnyOr<Rule>& allowed;
    std::optional<PodAffinity> Affinity::*opposite;
    bool is_required = false;
    bool every_term = false;
  };

  KindCase<NodeAffinity, NodeRule> node_case(const Affinity& pod, const Affinity& given) const {
    return {exempt(&Affinity::node_affinity),
            {"spec", "affinity", "nodeAffinity"},
            {"required", "affinities", "nodeAffinities"},
            pod.node_affinity,
            given.node_affinity,
            required_.affinities.listed().node_affinities,
            allowed_.affinities.listed().node_affinities,
            nullptr};
  }
  KindCase<PodAffinity, PodRule> pods_case(const Affinity& pod, const Affinity& given,
                                           std::optional<PodAffinity> Affinity::*kind) const {
    const auto& required = required_.affinities.listed();
    const auto& allowed = allowed_.affinities.listed();
    if (kind == &Affinity::pod_affinity) {
      return {exempt(kind),
              {"spec", "affinity", "podAffinity"},
              {"required", "affinities", "podAffinities"},
              pod.pod_affinity,
              given.pod_affinity,
              required.pod_affinities,
              allowed.pod_affinities,
              &Affinity::pod_anti_affinity};
    }
    return {exempt(kind),
            {"spec", "affinity", "podAntiAffinity"},
            {"required", "affinities", "podAntiAffinities"},
            pod.pod_anti_affinity,
            given.pod_anti_affinity,
            required.pod_anti_affinities,
            allowed.pod_anti_affinities,
            &Affinity::pod_affinity};
  }

  void look_at(const scheduling_policy::AffinityField&) {
    const Affinity pod = pod_.spec.affinity.value_or(Affinity{});
    const Affinity given = given_.affinity.value_or(Affinity{});
    const auto node = node_case(pod, given);
    const auto pods = pods_case(pod, given, &Affinity::pod_affinity);
    const auto anti = pods_case(pod, given, &Affinity::pod_anti_affinity);
    permitted(node);
    permitted(pods);
    permitted(anti);
    demanded(node);
    demanded(pods);
    demanded(anti);
  }

  template <class Kind>
  std::vector<Kind> exempt(std::optional<Kind> Affinity::*kind) const {
    std::vector<Kind> all;
    any_exempt([&](const auto& of) {
      if (of.affinity && (*of.affinity).*kind) all.push_back(*((*of.affinity).*kind));
      return false;
    });
    return all;
  }
  template <class Kind, class Of>
  static auto all_terms(const std::vector<Kind>& kinds, Of&& of) {
    decltype(of(std::optional<Kind>())) all;
    for (const Kind& kind : kinds)
      for (const auto& term : of(std::optional(kind))) all.push_back(term);
    return all;
  }

  static NodeTerms terms(const std::optional<NodeSelector>& selector) {
    return selector ? selector->node_selector_terms : NodeTerms{};
  }
  template <class Term>
  static std::vector<Term> terms(const std::vector<Term>& list) {
    return list;
  }

  template <class Kind, class Rule>
  static auto required_mode(const KindCase<Kind, Rule>& kind, bool every_term) {
    const std::string_view name = schedpol::required_mode;
    const auto of = [](const std::optional<Kind>& from) {
      using Terms = decltype(terms(from->required_during_scheduling_ignored_during_execution));
      return from ? terms(from->required_during_scheduling_ignored_during_execution) : Terms{};
    };
    const auto rule = [](const Modes<Rule>& modes) -> const AnyOr<Rule>& {
      return modes.listed().required_during_scheduling_ignored_during_execution;
    };
    using Term = typename decltype(of(kind.pod))::value_type;
    return ModeCase<Term, Rule>{all_terms(kind.exempt, of),
                                kind.path.child(name),
                                kind.entry.child(name),
                                of(kind.pod),
                                of(kind.given),
                                rule(kind.required),
                                rule(kind.allowed),
                                kind.opposite,
                                true,
                                every_term};
  }
  template <class Kind, class Rule>
  static auto preferred_mode(const KindCase<Kind, Rule>& kind) {
    const std::string_view name = schedpol::preferred_mode;
    const auto of = [](const std::optional<Kind>& from) {
      using Terms = decltype(terms(from->preferred_during_scheduling_ignored_during_execution));
      return from ? from->preferred_during_scheduling_ignored_during_execution : Terms{};
    };
    const auto rule = [](const Modes<Rule>& modes) -> const AnyOr<Rule>& {
      return modes.listed().preferred_during_scheduling_ignored_during_execution;
    };
    using Term = typename decltype(of(kind.pod))::value_type;
    return ModeCase<Term, Rule>{all_terms(kind.exempt, of),
                                kind.path.child(name),
                                kind.entry.child(name),
                                of(kind.pod),
                                of(kind.given),
                                rule(kind.required),
                                rule(kind.allowed),
                                kind.opposite};
  }
  bool every_term() const {
    return options_.required_affinity == scheduling_policy::RequiredAffinity::every_term;
  }

  template <class Kind, class Rule>
  void permitted(const KindCase<Kind, Rule>& kind) {
    const bool any =
        allowed_.affinities.is_any() || kind.required.is_any() || kind.allowed.is_any();
    const bool mentioned = any || !kind.required.is_absent() || !kind.allowed.is_absent();
    bool denied = false;
    const auto mode = [&](const auto& item) {
      if (denied || all_exempt(item)) return;
      const bool any_by_rule = any || item.required.is_any() || item.allowed.is_any();
      const bool whole =
          any_by_rule || is_given(item, item.given) || is_given(item, as_given(item)) ||
          (item.is_required && (is_given(item, given_to_pod(item)) || holds_what_is_given(item)));
      if (whole && are_known(item)) return;
      if (!mentioned && !has_terms(kind.given)) {  // not all of the kind is exempt
        denied = true;
        deny(ViolationCode::affinity_not_allowed, kind.path, to_string(*kind.pod));
      } else if (!any && item.required.is_absent() && item.allowed.is_absent()) {
        deny(ViolationCode::affinity_not_allowed, item.path, text(item.pod));
      } else {
        for (std::size_t i = 0; i < item.pod.size(); ++i) term(item, i, any_by_rule);
      }
    };
    mode(required_mode(kind, every_term()));
    mode(preferred_mode(kind));
  }

  // Terms of which each part is exempt: expressions of required node terms, others as a whole.
  template <class Mode>
  static bool all_exempt(const Mode& mode) {
    return std::all_of(mode.pod.begin(), mode.pod.end(),
                       [&](const auto& term) { return is_exempt(mode, term); });
  }
  template <class Mode, class Term>
  static bool is_exempt(const Mode& mode, const Term& term) {
    return has(mode.exempt, term);
  }
  static bool is_exempt(const ModeCase<NodeSelectorTerm, NodeRule>& mode,
                        const NodeSelectorTerm& term) {
    if (term == NodeSelectorTerm{}) return has(mode.exempt, term);
    return without_exempt(mode, term) == NodeSelectorTerm{};
  }
  template <class Mode>
  static bool are_known(const Mode& mode) {
    return std::all_of(mode.pod.begin(), mode.pod.end(), [&](const auto& term) {
      return is_exempt(mode, term) || known(without_exempt(mode, term));
    });
  }
  template <class Mode, class Term>
  static Term without_exempt(const Mode&, const Term& term) {
    return term;
  }
  static NodeSelectorTerm without_exempt(const ModeCase<NodeSelectorTerm, NodeRule>& mode,
                                         NodeSelectorTerm term) {
    for (const NodeSelectorTerm& exempt : mode.exempt) {
      std::erase_if(term.match_expressions,
                    [&](const auto& item) { return has(exempt.match_expressions, item); });
      std::erase_if(term.match_fields,
                    [&](const auto& item) { return has(exempt.match_fields, item); });
    }
    return term;
  }

  // What the default gives, in its order, with exempt items anywhere; what of it is exempt may be
  // missing.
  template <class Mode, class Terms>
  static bool is_given(const Mode& mode, const Terms& given) {
    const auto are_given = [&](const auto& self, std::size_t i, std::size_t j) -> bool {
      const bool has_given = j < given.size();
      if (i == mode.pod.size() && !has_given) return true;
      return (has_given && is_exempt(mode, given[j]) && self(self, i, j + 1)) ||
             (i < mode.pod.size() &&
              ((is_exempt(mode, mode.pod[i]) && self(self, i + 1, j)) ||
               (has_given && mode.pod[i] == given[j] && self(self, i + 1, j + 1))));
    };
    return !given.empty() && are_given(are_given, 0, 0);
  }
  // Of required node terms in any order, with exempt expressions in each.
  static bool is_given(const ModeCase<NodeSelectorTerm, NodeRule>& mode, const NodeTerms& given) {
    if (given.empty()) return false;
    if (mode.pod == given) return true;
    const bool only_given = std::all_of(mode.pod.begin(), mode.pod.end(), [&](const auto& term) {
      if (is_exempt(mode, term)) return true;
      return std::any_of(given.begin(), given.end(),
                         [&](const auto& one) { return extends(mode, term, one); });
    });
    const bool all_given = std::all_of(given.begin(), given.end(), [&](const auto& one) {
      return std::any_of(mode.pod.begin(), mode.pod.end(),
                         [&](const auto& term) { return extends(mode, term, one); });
    });
    const bool some_exempt = std::any_of(mode.pod.begin(), mode.pod.end(), [&](const auto& term) {
      return is_exempt(mode, term) || without_exempt(mode, term) != term;
    });
    const bool holds_one = std::any_of(mode.pod.begin(), mode.pod.end(), [&](const auto& term) {
      return is_exempt(mode, term) && std::any_of(given.begin(), given.end(), [&](const auto& one) {
               return extends(mode, term, one);
             });
    });
    return only_given && (all_given || holds_one) && some_exempt;
  }
  static bool extends(const ModeCase<NodeSelectorTerm, NodeRule>& mode,
                      const NodeSelectorTerm& term, const NodeSelectorTerm& given) {
    const NodeSelectorTerm own = without_exempt(mode, term);
    const auto list = [&](auto member) {
      const auto in = [](const auto& all, const auto& items) {
        return std::all_of(items.begin(), items.end(),
                           [&](const auto& item) { return has(all, item); });
      };
      return in(term.*member, given.*member) && in(given.*member, own.*member);
    };
    return list(&NodeSelectorTerm::match_expressions) && list(&NodeSelectorTerm::match_fields);
  }

  template <class Term, class Rule>
  static std::vector<Term> as_given(const ModeCase<Term, Rule>& mode) {
    return mode.given;
  }
  NodeTerms as_given(const ModeCase<NodeSelectorTerm, NodeRule>& mode) const {
    return given_terms(mode.given, mode.required);
  }

  // The required node terms of the default as they are given: as they are where each holds what is
  // required, else as one, unless no node meets that.
  NodeTerms given_terms(const NodeTerms& given, const AnyOr<NodeRule>& rule) const {
    const std::vector<TermPattern>& required = rule.listed().node_selector_terms;
    if (!every_term() || required.empty() || given.size() < 2) return given;
    if (each_holds(given, required, {})) return given;
    const NodeSelectorTerm joined = join(given);
    return some_node_meets(joined) ? NodeTerms{joined} : NodeTerms{};
  }
  bool each_holds(const NodeTerms& terms, const std::vector<TermPattern>& required,
                  const Labels& pairs) const {
    return std::all_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& term) {
      return std::all_of(required.begin(), required.end(),
                         [&](const TermPattern& pattern) { return holds(pattern, term, pairs); });
    });
  }
  static NodeSelectorTerm join(const NodeTerms& terms) {
    NodeSelectorTerm joined;
    for (const NodeSelectorTerm& term : terms) joined = both(joined, term);
    return joined;
  }
  // With what the second has and the first has not.
  static NodeSelectorTerm both(NodeSelectorTerm first, const NodeSelectorTerm& second) {
    const auto add = [](auto& to, const auto& from) {
      for (const auto& item : from)
        if (!has(to, item)) to.push_back(item);
    };
    add(first.match_expressions, second.match_expressions);
    add(first.match_fields, second.match_fields);
    return first;
  }

  // ---- what a default gives beside what the pod has

  struct Asked {
    Labels pairs;
    NodeTerms terms;  // none: any node will do
  };
  // Those of the pod that are exempt, with what its class and the cluster's policies add.
  Asked asked(const ModeCase<NodeSelectorTerm, NodeRule>& mode) const {
    Asked all{pod_.spec.node_selector, {}};
    for (const NodeSelectorTerm& term : mode.pod) {
      const NodeSelectorTerm own = without_exempt(mode, term);
      NodeSelectorTerm exempt = term;
      std::erase_if(exempt.match_expressions,
                    [&](const auto& item) { return has(own.match_expressions, item); });
      std::erase_if(exempt.match_fields,
                    [&](const auto& item) { return has(own.match_fields, item); });
      all.terms.push_back(exempt);
      if (exempt != NodeSelectorTerm{} || is_exempt(mode, term)) continue;
      all.terms.clear();
      break;
    }
    add(all, options_.added_to_pods);
    for (const auto& criteria : options_.exempt_criteria) add(all, *criteria);
    return all;
  }
  static void add(Asked& all, const SchedulingCriteria& from) {
    for (const auto& pair : from.node_selector) {
      Labels with = all.pairs;
      with.insert(pair);
      const auto is_met = [&](const Labels& pairs) {
        return std::any_of(all.terms.begin(), all.terms.end(), [&](const NodeSelectorTerm& term) {
          return some_node_meets(with_pairs(without_numbers(term), pairs));
        });
      };
      if (!is_met(all.pairs) || is_met(with)) all.pairs = with;
    }
    if (!from.affinity || !from.affinity->node_affinity) return;
    all.terms = product(
        all.terms,
        terms(from.affinity->node_affinity->required_during_scheduling_ignored_during_execution),
        all.pairs);
  }
  // A value that no label has asks nothing of what stands beside it: the API server refuses the
  // pod.
  static NodeSelectorTerm with_pairs(NodeSelectorTerm term, const Labels& pairs) {
    for (const auto& [key, value] : pairs)
      if (schedpol::detail::label_value_problems(value).empty())
        term.match_expressions.push_back({key, NodeSelectorOperator::in, {value}});
    return term;
  }
  // A PodSchedulingPolicy is merged whatever numbers there are.
  static NodeSelectorTerm without_numbers(NodeSelectorTerm term) {
    for (NodeSelectorRequirement& each : term.match_expressions) {
      const bool compares =
          each.operator_ == NodeSelectorOperator::gt || each.operator_ == NodeSelectorOperator::lt;
      if (!compares || !any_number_meets(each)) continue;
      each = {each.key, NodeSelectorOperator::exists, {}};
    }
    return term;
  }
  static bool any_number_meets(const NodeSelectorRequirement& each) {
    const std::string& text = each.values.size() == 1 ? each.values.front() : "";
    const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
    return text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
  }
  // As a PodSchedulingPolicy with the terms `more` makes it.
  static NodeTerms product(const NodeTerms& terms, const NodeTerms& more, const Labels& pairs) {
    const auto is_met = [&](const NodeSelectorTerm& term) {
      return some_node_meets(with_pairs(without_numbers(term), pairs));
    };
    NodeTerms all;
    if (terms.empty()) {
      for (const NodeSelectorTerm& term : more)
        if (term != NodeSelectorTerm{} && some_node_meets(without_numbers(term)) && is_met(term))
          all.push_back(term);
      return all;
    }
    if (std::all_of(more.begin(), more.end(),
                    [](const auto& term) { return term == NodeSelectorTerm{}; }))
      return terms;
    bool left_out = false;
    bool leaves_a_node = false;
    for (const NodeSelectorTerm& own : terms) {
      if (own == NodeSelectorTerm{}) continue;
      const bool is_held = std::any_of(more.begin(), more.end(), [&](const auto& term) {
        return term != NodeSelectorTerm{} && both(own, term) == own;
      });
      if (is_held) {
        all.push_back(own);
        leaves_a_node = leaves_a_node || is_met(own);
        continue;
      }
      for (const NodeSelectorTerm& term : more) {
        if (term == NodeSelectorTerm{}) continue;
        if (is_met(own) && !is_met(both(term, own))) {
          left_out = true;
          continue;
        }
        all.push_back(both(term, own));
        leaves_a_node = leaves_a_node || is_met(own);
      }
    }
    if (left_out && !leaves_a_node) return terms;
    if (all.empty()) all.emplace_back();
    return all;
  }

  static bool no_node_meets(const Asked& all) {
    return !all.terms.empty() &&
           std::none_of(all.terms.begin(), all.terms.end(), [&](const NodeSelectorTerm& term) {
             return some_node_meets(with_pairs(term, all.pairs));
           });
  }
  // What contradicts is left out, before several terms become one.
  static NodeTerms left_of(const NodeTerms& given, const Asked& all) {
    const bool none = no_node_meets(all);
    const auto admits = [&](const NodeSelectorTerm& term) { return none || is_met(term, all); };
    NodeTerms kept;
    for (const NodeSelectorTerm& term : given) {
      NodeSelectorTerm part = term;
      if (!some_node_meets(term) && !all.terms.empty()) continue;
      if (some_node_meets(term) && !admits(term)) {
        std::erase_if(part.match_expressions,
                      [&](const auto& item) { return !admits({.match_expressions = {item}}); });
        std::erase_if(part.match_fields,
                      [&](const auto& item) { return !admits({.match_fields = {item}}); });
        if (part == NodeSelectorTerm{} || !admits(part)) continue;
      }
      kept.push_back(part);
    }
    return kept;
  }
  // By some node, together with what the pod has.
  static bool is_met(const NodeSelectorTerm& term, const Asked& all) {
    if (!some_node_meets(term)) return false;
    const auto alone = [&](const NodeSelectorTerm& each) {
      return some_node_meets(with_pairs(each, all.pairs));
    };
    if (all.terms.empty()) return alone(term);
    return std::any_of(all.terms.begin(), all.terms.end(),
                       [&](const NodeSelectorTerm& own) { return alone(both(own, term)); });
  }
  // What was given before more of the default was contradicted: what is given now, and parts of the
  // default that no node meets. Terms of which no node meets all are away where a node meets
  // another.
  bool holds_what_is_given(const ModeCase<NodeSelectorTerm, NodeRule>& mode) const {
    const NodeSelectorTerm joined = join(mode.given);
    // Of empty terms, which no node meets, one is as good as another.
    if (!mode.given.empty() && joined == NodeSelectorTerm{})
      return std::all_of(mode.pod.begin(), mode.pod.end(), [&](const auto& term) {
        return without_exempt(mode, term) == NodeSelectorTerm{};
      });
    const Asked all = asked(mode);
    const NodeTerms given = left_of(mode.given, all);
    if (given == mode.given) return false;
    const auto contains_all = [](const NodeSelectorTerm& term, const NodeSelectorTerm& of) {
      return both(term, of) == term;
    };
    for (const NodeSelectorTerm& term : mode.pod) {
      if (!contains_all(joined, without_exempt(mode, term))) return false;
      const bool holds_one = std::any_of(
          given.begin(), given.end(), [&](const auto& each) { return contains_all(term, each); });
      if (!holds_one && is_met(term, all)) return false;
    }
    const bool leaves_a_node = std::any_of(mode.pod.begin(), mode.pod.end(),
                                           [&](const auto& term) { return is_met(term, all); });
    return std::all_of(mode.given.begin(), mode.given.end(), [&](const NodeSelectorTerm& whole) {
      const NodeTerms parts = left_of({whole}, all);
      return parts.empty() || !is_met(parts[0], all) || (leaves_a_node && !is_met(whole, all)) ||
             std::any_of(mode.pod.begin(), mode.pod.end(), [&](const NodeSelectorTerm& term) {
               return contains_all(term, parts[0]);
             });
    });
  }
  bool holds_what_is_given(const ModeCase<PodAffinityTerm, PodRule>& mode) const {
    std::vector<PodAffinityTerm> all = mode.given;
    const std::vector<PodAffinityTerm> given = given_to_pod(mode);
    std::erase_if(all, [&](const auto& term) { return !has(given, term) && !has(mode.pod, term); });
    return is_given(mode, all);
  }
  template <class Mode>
  static bool holds_what_is_given(const Mode&) {
    return false;
  }
  NodeTerms given_to_pod(const ModeCase<NodeSelectorTerm, NodeRule>& mode) const {
    const Asked all = asked(mode);
    const NodeTerms kept = left_of(mode.given, all);
    const auto joined_is_met = [&](const NodeSelectorTerm& term) {
      return no_node_meets(all) || is_met(term, all);
    };
    const std::vector<TermPattern>& required = mode.required.listed().node_selector_terms;
    if (!every_term() || required.empty() || kept.size() < 2 ||
        each_holds(kept, required, exempt_pairs()))
      return kept;
    const NodeSelectorTerm joined = join(kept);
    return some_node_meets(joined) && joined_is_met(joined) ? NodeTerms{joined} : NodeTerms{};
  }
  std::vector<PodAffinityTerm> given_to_pod(const ModeCase<PodAffinityTerm, PodRule>& mode) const {
    std::vector<PodAffinityTerm> kept = mode.given;
    const auto opposite = [&](const std::optional<Affinity>& affinity) {
      return affinity && *affinity.*mode.opposite
                 ? (*affinity.*mode.opposite)->required_during_scheduling_ignored_during_execution
                 : std::vector<PodAffinityTerm>();
    };
    std::erase_if(kept, [&](const PodAffinityTerm& term) {
      return has(opposite(pod_.spec.affinity), term) && !has(opposite(given_.affinity), term);
    });
    for (const auto& criteria : options_.exempt_criteria)
      std::erase_if(kept,
                    [&](const auto& term) { return has(opposite(criteria->affinity), term); });
    return kept;
  }
  template <class Mode>
  static auto given_to_pod(const Mode& mode) {
    return mode.given;
  }
  template <class Mode, class Term>
  static void add_given(const Mode& mode, std::vector<Term>& to) {
    if (!all_exempt(mode)) return;
    const bool had = !to.empty();
    for (const Term& term : mode.given)
      if (!had || !has(to, term)) to.push_back(term);
  }

  // What the cluster asks of the nodes by pairs.
  Labels exempt_pairs() const {
    Labels exempt;
    for (const auto& pair : pod_.spec.node_selector) {
      if (has(options_.added_to_pods.node_selector, pair) ||
          any_exempt([&](const auto& of) { return has(of.node_selector, pair); }))
        exempt.insert(pair);
    }
    for (const auto& pair : options_.added_to_pods.node_selector)
      if (!pod_.spec.node_selector.contains(pair.first)) exempt.insert(pair);
    return exempt;
  }

  // Key by key, because no two of them depend on each other, and the name apart.
  static bool some_node_meets(const NodeSelectorTerm& term) {
    std::set<std::string> keys;
    for (const NodeSelectorRequirement& each : term.match_expressions) keys.insert(each.key);
    for (const std::string& key : keys) {
      NodeSelectorTerm of_key;
      for (const NodeSelectorRequirement& each : term.match_expressions)
        if (each.key == key) of_key.match_expressions.push_back(each);
      std::vector<Node> nodes(1);
      for (const std::string& value : values_to_try(of_key.match_expressions))
        nodes.push_back({.metadata = {.name = "n", .labels = {{key, value}}}});
      if (!any_matches(of_key, nodes)) return false;
    }
    if (term.match_fields.empty()) return !keys.empty();
    std::vector<Node> nodes;
    for (const std::string& name : values_to_try(term.match_fields))
      nodes.push_back({.metadata = {.name = name}});
    return any_matches({.match_fields = term.match_fields}, nodes);
  }
  static bool any_matches(const NodeSelectorTerm& term, const std::vector<Node>& nodes) {
    const NodeTermsMatcher matcher(std::vector<NodeSelectorTerm>{term});
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const Node& node) { return matcher.matches(node); });
  }
  // Those that are listed, the numbers next to them, and one that is not.
  static std::vector<std::string> values_to_try(const std::vector<NodeSelectorRequirement>& list) {
    std::vector<std::string> values = {"listed-by-nobody"};
    for (const NodeSelectorRequirement& requirement : list) {
      for (const std::string& value : requirement.values) {
        values.push_back(value);
        if (value.empty() || value.size() > 9 ||
            value.find_first_not_of("0123456789") != std::string::npos)
          continue;
        const int number = std::stoi(value);
        for (const int near : {std::max(number - 1, 0), number + 1}) {
          values.push_back(std::to_string(near));
          values.push_back("0" + std::to_string(near));
        }
      }
    }
    return values;
  }

  static bool known(const NodeSelectorRequirement& requirement) {
    return requirement.operator_.known() && requirement.operator_ != NodeSelectorOperator::unset;
  }
  static bool known(const NodeSelectorTerm& term) {
    const auto all = [](const auto& list) {
      return std::all_of(list.begin(), list.end(), [](const auto& item) { return known(item); });
    };
    return all(term.match_expressions) && all(term.match_fields);
  }
  static bool known(const PreferredSchedulingTerm& term) { return known(term.preference); }
  static bool known(const PodAffinityTerm&) { return true; }
  static bool known(const WeightedPodAffinityTerm&) { return true; }
  static std::string text(const NodeTerms& list) {
    return to_string(
        NodeAffinity{.required_during_scheduling_ignored_during_execution = NodeSelector{list}});
  }
  static std::string text(const std::vector<PreferredSchedulingTerm>& list) {
    return to_string(NodeAffinity{.preferred_during_scheduling_ignored_during_execution = list});
  }
  static std::string text(const std::vector<PodAffinityTerm>& list) {
    return to_string(PodAffinity{.required_during_scheduling_ignored_during_execution = list});
  }
  static std::string text(const std::vector<WeightedPodAffinityTerm>& list) {
    return to_string(PodAffinity{.preferred_during_scheduling_ignored_during_execution = list});
  }

  void term(const ModeCase<NodeSelectorTerm, NodeRule>& mode, std::size_t i, bool any) {
    requirements(mode, mode.path.child("nodeSelectorTerms").index(i), i, any);
  }
  void term(const ModeCase<PreferredSchedulingTerm, NodeRule>& mode, std::size_t i, bool any) {
    requirements(mode, mode.path.index(i).child("preference"), i, any);
  }
  template <class Mode>
  void requirements(const Mode& mode, const FieldPath& path, std::size_t i, bool any) {
    if (is_exempt(mode, mode.pod[i])) return;
    const NodeSelectorTerm& term = node_term(mode.pod[i]);
    const NodeSelectorTerm own = node_term(without_exempt(mode, mode.pod[i]));
    const auto list = [&](std::string_view name, auto member,
                          RequirementPatterns TermPattern::*patterns) {
      const auto& items = term.*member;
      for (std::size_t j = 0; j < items.size(); ++j) {
        if (!has(own.*member, items[j])) continue;
        const bool listed =
            permits(mode.required, patterns, items[j]) || permits(mode.allowed, patterns, items[j]);
        if (known(items[j]) && (any || listed)) continue;
        deny(ViolationCode::affinity_not_allowed, path.child(name).index(j), to_string(items[j]));
      }
    };
    list("matchExpressions", &NodeSelectorTerm::match_expressions, &TermPattern::match_expressions);
    list("matchFields", &NodeSelectorTerm::match_fields, &TermPattern::match_fields);
  }
  static bool permits(const AnyOr<NodeRule>& rule, RequirementPatterns TermPattern::*patterns,
                      const NodeSelectorRequirement& requirement) {
    for (const TermPattern& term : rule.listed().node_selector_terms) {
      if ((term.*patterns).is_any()) return true;
      for (const RequirementPattern& pattern : (term.*patterns).listed()) {
        if (matches(pattern, requirement)) return true;
      }
    }
    return false;
  }
  static bool matches(const RequirementPattern& pattern,
                      const NodeSelectorRequirement& requirement) {
    if (!known(requirement) || !matches_key(pattern.keys, requirement.key) ||
        !lists(pattern.operators, requirement.operator_))
      return false;
    if (requirement.values.empty()) return !pattern.values.is_listed();
    return std::all_of(requirement.values.begin(), requirement.values.end(),
                       [&](const std::string& value) { return lists(pattern.values, value); });
  }

  void term(const ModeCase<PodAffinityTerm, PodRule>& mode, std::size_t i, bool any) {
    if (!is_exempt(mode, mode.pod[i]))
      topology_key(mode, mode.path.index(i), mode.pod[i].topology_key, any);
  }
  void term(const ModeCase<WeightedPodAffinityTerm, PodRule>& mode, std::size_t i, bool any) {
    if (!is_exempt(mode, mode.pod[i]))
      topology_key(mode, mode.path.index(i).child("podAffinityTerm"),
                   mode.pod[i].pod_affinity_term.topology_key, any);
  }
  template <class Mode>
  void topology_key(const Mode& mode, const FieldPath& path, const std::string& key, bool any) {
    if (any || mode.required.listed().topology_keys.contains(key) ||
        mode.allowed.listed().topology_keys.contains(key))
      return;
    deny(ViolationCode::affinity_not_allowed, path.child("topologyKey"), key);
  }

  template <class Kind, class Rule>
  void demanded(const KindCase<Kind, Rule>& kind) {
    const bool has_pairs = std::is_same_v<Kind, NodeAffinity> && !exempt_pairs().empty();
    if (kind.required.is_any() && !has_terms(kind.pod) && !has_pairs)
      demand(ViolationCode::affinity_required, kind.path, "", kind.entry);
    demanded_mode(required_mode(kind, every_term()));
    demanded_mode(preferred_mode(kind));
  }
  template <class Mode>
  void demanded_mode(const Mode& mode) {
    if (mode.required.is_any() && mode.pod.empty() && pairs_of(mode).empty())
      demand(ViolationCode::affinity_required, mode.path, "", mode.entry);
    if (mode.required.is_listed()) demanded_terms(mode, mode.required.listed());
  }
  Labels pairs_of(const ModeCase<NodeSelectorTerm, NodeRule>&) const { return exempt_pairs(); }
  template <class Mode>
  static Labels pairs_of(const Mode&) {
    return {};
  }
  template <class Mode>
  void demanded_terms(const Mode& mode, const NodeRule& rule) {
    const Labels pairs = pairs_of(mode);
    auto terms = mode.pod;
    if (terms.empty() && !pairs.empty()) terms.emplace_back();
    for (const TermPattern& pattern : rule.node_selector_terms) {
      const auto held = std::count_if(terms.begin(), terms.end(), [&](const auto& term) {
        return holds(pattern, node_term(term), pairs);
      });
      const std::size_t count = static_cast<std::size_t>(held);
      const bool met = mode.every_term ? !terms.empty() && count == terms.size() : count > 0;
      if (!met) demand(ViolationCode::affinity_required, mode.path, to_string(pattern), mode.entry);
    }
  }
  static const NodeSelectorTerm& node_term(const NodeSelectorTerm& term) { return term; }
  static const NodeSelectorTerm& node_term(const PreferredSchedulingTerm& term) {
    return term.preference;
  }
  static bool holds(const TermPattern& pattern, const NodeSelectorTerm& term, const Labels& pairs) {
    const auto list_holds = [](const RequirementPatterns& patterns, auto items,
                               const Labels& also) {
      if (patterns.is_any()) return !items.empty() || !also.empty();
      return std::all_of(patterns.listed().begin(), patterns.listed().end(), [&](const auto& each) {
        // Whatever holds for the value of a pair counts as there.
        auto all = items;
        for (const auto& [key, value] : also) {
          if (key.empty()) continue;  // no node has such a label
          all.push_back({key, NodeSelectorOperator::in, {value}});
          all.push_back({key, NodeSelectorOperator::exists, {}});
          for (const std::string& other : each.values.listed())
            if (other != value) all.push_back({key, NodeSelectorOperator::not_in, {other}});
          all.push_back({key, NodeSelectorOperator::not_in, {value + "-not"}});
        }
        return std::any_of(all.begin(), all.end(),
                           [&](const auto& item) { return matches(each, item); });
      });
    };
    const auto asks = [](const RequirementPatterns& patterns) {
      return patterns.is_any() || !patterns.listed().empty();
    };
    if (!asks(pattern.match_expressions) && !asks(pattern.match_fields)) return false;
    return list_holds(pattern.match_expressions, term.match_expressions, pairs) &&
           list_holds(pattern.match_fields, term.match_fields, {});
  }
  static const std::string& topology_key(const PodAffinityTerm& term) { return term.topology_key; }
  static const std::string& topology_key(const WeightedPodAffinityTerm& term) {
    return term.pod_affinity_term.topology_key;
  }
  template <class Mode>
  void demanded_terms(const Mode& mode, const PodRule& rule) {
    const bool met = std::any_of(mode.pod.begin(), mode.pod.end(), [&](const auto& term) {
      return rule.topology_keys.contains(topology_key(term));
    });
    if (met) return;
    std::vector<std::string> keys = rule.topology_keys.vector();
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::string text = "topologyKey " + keys.front();
    for (std::size_t i = 1; i < keys.size(); ++i) text += " or " + keys[i];
    demand(ViolationCode::affinity_required, mode.path, text, mode.entry);
  }

 public:
  /// The pod's affinity with what the default gives to it, kinds and lists without terms left out.
  Affinity with_given_affinity() const {
    const Affinity given = given_.affinity.value_or(Affinity{});
    Affinity affinity = pod_.spec.affinity.value_or(Affinity{});
    const auto node = node_case(affinity, given);
    NodeAffinity& nodes =
        affinity.node_affinity ? *affinity.node_affinity : affinity.node_affinity.emplace();
    const auto required = required_mode(node, every_term());
    NodeTerms terms = required.pod;
    if (all_exempt(required)) {
      const NodeTerms more = given_to_pod(required);
      terms = terms.empty() ? more : product(terms, more, pod_.spec.node_selector);
    }
    nodes.required_during_scheduling_ignored_during_execution.reset();
    if (!terms.empty())
      nodes.required_during_scheduling_ignored_during_execution = NodeSelector{terms};
    add_given(preferred_mode(node), nodes.preferred_during_scheduling_ignored_during_execution);
    for (const auto member : {&Affinity::pod_affinity, &Affinity::pod_anti_affinity}) {
      const auto kind = pods_case(affinity, given, member);
      PodAffinity pods = (affinity.*member).value_or(PodAffinity{});
      auto of_mode = required_mode(kind, false);
      of_mode.given = given_to_pod(of_mode);
      add_given(of_mode, pods.required_during_scheduling_ignored_during_execution);
      add_given(preferred_mode(kind), pods.preferred_during_scheduling_ignored_during_execution);
      affinity.*member = pods;
    }
    return affinity;
  }

 private:
  const Pod& pod_;
  const scheduling_policy::EffectivePolicy& effective_;
  const scheduling_policy::PolicySection& required_;
  const scheduling_policy::PolicySection& allowed_;
  const scheduling_policy::Defaults& given_;
  const scheduling_policy::Options& options_;
  std::vector<Violation> violations_;
  bool is_governed_ = true;
};

/// Every violation of the pod, in the order of the rules.
inline std::vector<Violation> plain_check(const Pod& pod,
                                          const scheduling_policy::EffectivePolicy& effective,
                                          const scheduling_policy::Options& options = {}) {
  return PlainCheck(pod, effective, options).run();
}

/// The affinity of a pod with what it is given of the default.
inline Affinity plain_with_given_affinity(const Pod& pod,
                                          const scheduling_policy::EffectivePolicy& effective,
                                          const scheduling_policy::Options& options = {}) {
  return PlainCheck(pod, effective, options).with_given_affinity();
}

}  // namespace schedpol::testing
