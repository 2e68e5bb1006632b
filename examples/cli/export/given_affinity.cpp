// SPDX-License-Identifier: Apache-2.0
#include "given_affinity.hpp"

#include "cel.hpp"
#include "patterns.hpp"

#include <schedpol/json/encode.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <algorithm>

namespace cli {

namespace {

namespace sp = schedpol::scheduling_policy;
using cel::Parts;
using schedpol::NodeSelectorRequirement;
using schedpol::NodeSelectorTerm;

const std::vector<NodeSelectorTerm>& required_terms(const sp::Defaults& defaults) {
  static const std::vector<NodeSelectorTerm> none;
  if (!defaults.affinity || !defaults.affinity->node_affinity) return none;
  const auto& required =
      defaults.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  return required ? required->node_selector_terms : none;
}

const std::optional<schedpol::PodAffinity>& pod_default(const sp::Defaults& defaults,
                                                        const KindVariables& kind) {
  static const std::optional<schedpol::PodAffinity> none;
  if (!defaults.affinity) return none;
  return kind.field == pod_kind.field ? defaults.affinity->pod_affinity
                                      : defaults.affinity->pod_anti_affinity;
}

const std::vector<sp::TermPattern>& required_patterns(const sp::SchedulingPolicySpec& spec) {
  return spec.required.affinities.listed()
      .node_affinities.listed()
      .required_during_scheduling_ignored_during_execution.listed()
      .node_selector_terms;
}

/// Whether several terms are given as one where one of them does not hold what is required.
bool may_join(const sp::SchedulingPolicySpec& spec, const sp::Options& options) {
  return required_terms(spec.defaults).size() > 1 && !required_patterns(spec).empty() &&
         options.required_affinity != sp::RequiredAffinity::present;
}

/// The required node terms that a pod which has nothing is given under this spec, whatever node selector it gives.
std::vector<NodeSelectorTerm> given_to_plain(sp::SchedulingPolicySpec spec,
                                             const sp::Options& options) {
  spec.defaults.node_selector.reset();
  const sp::SchedulingPolicy policy{.metadata = {.name = "p"}, .spec = spec};
  const schedpol::Pod pod = apply_defaults({}, sp::merge({&policy, 1}), options).pod;
  return required_terms({.affinity = pod.spec.affinity});
}

/// The one term that they are as one; none where no node meets it. Nothing holds what this spec requires.
std::vector<NodeSelectorTerm> joined_terms(sp::SchedulingPolicySpec spec,
                                           const sp::Options& options) {
  sp::NodeAffinityRule never_held;
  never_held.node_selector_terms.push_back(
      {.match_expressions = {sp::RequirementPattern{.keys = schedpol::Texts{"none"}}}});
  sp::NodeAffinityRules rules;
  rules.required_during_scheduling_ignored_during_execution = never_held;
  spec.required = {};
  spec.required.affinities = sp::AffinityRules{.node_affinities = rules};
  return given_to_plain(spec, options);
}

/// Whether a node can meet a term by itself.
bool can_be_met(const NodeSelectorTerm& term, const sp::Options& options) {
  if (is_empty(term)) return false;
  const NodeSelectorTerm other{
      .match_expressions = {{.key = std::string(schedpol::own_api_group) + "/any",
                             .operator_ = schedpol::NodeSelectorOperator::exists}}};
  sp::SchedulingPolicySpec spec;
  spec.defaults.affinity.emplace()
      .node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution.emplace()
      .node_selector_terms = {term, other};
  sp::Options strict = options;
  strict.required_affinity = sp::RequiredAffinity::every_term;
  return !joined_terms(spec, strict).empty();
}

/// Terms, or expressions.
template <class Item>
std::string list(const std::vector<Item>& items) {
  std::string text;
  for (const Item& each : items)
    text += (text.empty() ? "" : ", ") + cel::literal(schedpol::json::encode(each));
  return "[" + text + "]";
}

/// The terms without the expressions that this condition of `e` is not true of.
std::string kept(const std::vector<NodeSelectorTerm>& terms, const std::string& condition) {
  std::string text;
  for (const NodeSelectorTerm& term : terms) {
    const std::string expressions = list(term.match_expressions);
    text += (text.empty() ? "" : ", ") +
            ("{'matchExpressions': dyn(" +
             (expressions == "[]" ? expressions : cel::filtered(expressions, "e", condition)) +
             "), 'matchFields': dyn(" + list(term.match_fields) + ")}");
  }
  return "[" + text +
         "].filter(t, size(t.matchExpressions) + size(t.matchFields) > 0).map(t, "
         "{?'matchExpressions': size(t.matchExpressions) > 0 ? optional.of(t.matchExpressions) : "
         "optional.none(), ?'matchFields': size(t.matchFields) > 0 ? optional.of(t.matchFields) : "
         "optional.none()})";
}

/// `also`: terms that count as given where they are among these, too.
std::string given_pod_terms(const sp::Defaults& defaults, const KindVariables& kind, Of of,
                            const std::string& also) {
  const auto& by_default = pod_default(defaults, kind);
  if (!by_default || by_default->required_during_scheduling_ignored_during_execution.empty())
    return {};
  const KindVariables& other = kind.field == pod_kind.field ? pod_anti_kind : pod_kind;
  const auto& of_other = pod_default(defaults, other);
  std::string all;
  std::string of_both;
  for (const schedpol::PodAffinityTerm& term :
       by_default->required_during_scheduling_ignored_during_execution) {
    const std::string literal = cel::literal(schedpol::json::encode(term));
    all += (all.empty() ? "" : ", ") + literal;
    if (!of_other) continue;
    const auto& terms = of_other->required_during_scheduling_ignored_during_execution;
    if (std::find(terms.begin(), terms.end(), term) != terms.end())
      of_both += (of_both.empty() ? "" : ", ") + literal;
  }
  const auto contains = [](const std::string& list) {
    return list.empty() ? std::string(cel::never) : cel::some(list, "o", "o == t");
  };
  return cel::filtered(
      "[" + all + "]", "t",
      cel::any_of({"!" + contains(variable(other.required, of)), contains(also),
                   of_both.empty() ? std::string(cel::never) : "t in [" + of_both + "]"}));
}

/// Whether the required terms of a kind of pod affinity are those that the default gives.
std::string are_given_pod_terms(const sp::Defaults& defaults, const KindVariables& kind, Of of) {
  const std::string terms = variable(kind.required, of);
  const std::string given = given_pod_terms(defaults, kind, of, terms);
  return given.empty() ? std::string(cel::never) : terms + " == " + given;
}

/// Whether terms ask for nothing but what some of these ask for.
std::string is_part_of(const std::vector<NodeSelectorTerm>& all, const std::string& terms) {
  std::vector<NodeSelectorRequirement> expressions;
  std::vector<NodeSelectorRequirement> fields;
  for (const NodeSelectorTerm& term : all) {
    expressions.insert(expressions.end(), term.match_expressions.begin(),
                       term.match_expressions.end());
    fields.insert(fields.end(), term.match_fields.begin(), term.match_fields.end());
  }
  const auto are_in = [](std::string_view field,
                         const std::vector<NodeSelectorRequirement>& requirements) {
    const std::string of_term = cel::field_or("t", field, "[]");
    return requirements.empty() ? "size(" + of_term + ") == 0"
                                : cel::each(of_term, "e", "e in " + list(requirements));
  };
  return cel::each(
      terms, "t",
      cel::all_of({are_in("matchExpressions", expressions), are_in("matchFields", fields)}));
}

}  // namespace

std::string is_met_by(const std::string& e, const std::string& value) {
  const std::string number = "'^-?[0-9]{1,18}$'";
  const std::string is_number = value + ".matches(" + number + ") && size(" + e +
                                ".?values.orValue([])) == 1 && " + e + ".values[0].matches(" +
                                number + ") && int(" + value + ") ";
  return "(" + e + ".operator == 'In' ? " + value + " in " + e + ".?values.orValue([]) : " + e +
         ".operator == 'NotIn' ? !(" + value + " in " + e + ".?values.orValue([])) : " + e +
         ".operator == 'Gt' ? " + is_number + "> int(" + e + ".values[0]) : " + e +
         ".operator == 'Lt' ? " + is_number + "< int(" + e + ".values[0]) : " + e +
         ".operator == 'Exists')";
}

std::string is_met_by_text(const std::string& e, const std::string& value) {
  const std::string text = cel::quoted(value);
  const bool is_number =
      !value.empty() && value.size() <= 18 &&
      value.find_first_not_of("0123456789", value.front() == '-' ? 1 : 0) == std::string::npos &&
      value != "-";
  const auto compared = [&](std::string_view operator_) {
    if (!is_number) return std::string(cel::never);
    const auto first = value.find_first_not_of("0", value.front() == '-' ? 1 : 0);
    const std::string digits = first == std::string::npos ? "0" : value.substr(first);
    const std::string number = (value.front() == '-' && digits != "0" ? "-" : "") + digits;
    return "(size(" + e + ".?values.orValue([])) == 1 && " + e +
           ".values[0].matches('^-?[0-9]{1,18}$') && " + number + " " + std::string(operator_) +
           " int(" + e + ".values[0]))";
  };
  return "(" + e + ".operator == 'In' ? " + text + " in " + e + ".?values.orValue([]) : " + e +
         ".operator == 'NotIn' ? !(" + text + " in " + e + ".?values.orValue([])) : " + e +
         ".operator == 'Gt' ? " + compared(">") + " : " + e + ".operator == 'Lt' ? " +
         compared("<") + " : " + e + ".operator == 'Exists')";
}

bool has_required_node_terms(const sp::Defaults& defaults) noexcept {
  return !required_terms(defaults).empty();
}

std::string reason_against(const schedpol::engine::EffectivePolicy& effective,
                           const sp::Options& options) {
  const sp::SchedulingPolicySpec& spec = effective.spec();
  const auto& terms = required_terms(spec.defaults);
  for (const NodeSelectorTerm& term : terms)
    if (!can_be_met(term, options)) return "a term that no node meets by itself";
  if (may_join(spec, options) && joined_terms(spec, options).empty())
    return "several terms beside required ones, which no node meets as one";
  return {};
}

void add_given_node_terms(Rules& rules, const schedpol::engine::EffectivePolicy& effective,
                          const sp::Options& options, const Classes& classes) {
  const sp::SchedulingPolicySpec& spec = effective.spec();
  const std::vector<NodeSelectorTerm>& terms = required_terms(spec.defaults);
  if (terms.empty()) return;
  const std::string pairs = classes.node_selector_of_pods(Of::object);
  const std::string is_met = "!(e.key in " + pairs + ") || " + is_met_by("e", pairs + "[e.key]");
  const auto add = [&](std::string_view name, std::string expression, std::string comment) {
    rules.variables.push_back({std::string(name), std::move(expression), std::move(comment)});
  };
  if (may_join(spec, options)) {
    add("admittedNodeTerms", kept(terms, is_met), "without what contradicts the node selector");
    const std::vector<NodeSelectorTerm> joined = joined_terms(spec, options);
    const std::string whole = list(given_to_plain(spec, options));
    Parts held;
    for (const sp::TermPattern& pattern : required_patterns(spec))
      held.push_back(holds(pattern, "t"));
    const std::string together = variable("admittedNodeTerms");
    const std::string as_they_are =
        "size(" + together + ") <= 1 || " + cel::each(together, "t", cel::all_of(held));
    const std::string contradicts =
        cel::some(list(joined.empty() ? std::vector<NodeSelectorRequirement>()
                                      : joined.front().match_expressions),
                  "e", "!(" + is_met + ")");
    add("givenNodeTerms",
        "!" + contradicts + " ? " + whole + " : (" + as_they_are + ") ? " + together + " : " +
            kept(joined, is_met),
        "as one where one of them does not hold what is required");
  } else {
    add("givenNodeTerms", kept(terms, is_met), "without what contradicts the node selector");
  }
  const std::string old_terms = variable(node_kind.required, Of::old);
  const std::string unchanged =
      cel::all_of({old_terms + " == " + variable(node_kind.required),
                   classes.node_selector_of_pods(Of::old) + " == " + pairs});
  add("keepsNodeTerms",
      "variables.hasOld && (" + unchanged + " || !" + is_part_of(terms, old_terms) + ")",
      "what a default gave is judged anew where it changes, or the node selector does");
}

std::string given_pod_terms(const sp::Defaults& defaults, const KindVariables& kind, Of of) {
  return given_pod_terms(defaults, kind, of, {});
}

std::string given_preferred_terms(const sp::SchedulingPolicySpec& spec, const KindVariables& kind) {
  const auto of = [](const auto& by_default) -> std::string {
    if (!by_default || by_default->preferred_during_scheduling_ignored_during_execution.empty())
      return {};
    std::string terms;
    for (const auto& each : by_default->preferred_during_scheduling_ignored_during_execution)
      terms += (terms.empty() ? "[" : ", ") + cel::literal(schedpol::json::encode(each));
    return terms + "]";
  };
  if (kind.field != node_kind.field) return of(pod_default(spec.defaults, kind));
  return spec.defaults.affinity ? of(spec.defaults.affinity->node_affinity) : std::string();
}

std::string is_given(const sp::SchedulingPolicySpec& spec, const KindVariables& kind,
                     const sp::Options& options) {
  if (kind.field != node_kind.field) return are_given_pod_terms(spec.defaults, kind, Of::object);
  if (!has_required_node_terms(spec.defaults)) return std::string(cel::never);
  const std::string terms = variable(kind.required);
  Parts any = {terms + " == " + list(required_terms(spec.defaults)),
               terms + " == " + variable("givenNodeTerms")};
  if (may_join(spec, options)) any.push_back(terms + " == " + list(given_to_plain(spec, options)));
  return cel::any_of(any);
}

std::string keeps_old_terms(const sp::SchedulingPolicySpec& spec, const KindVariables& kind) {
  if (kind.field == node_kind.field)
    return variable(has_required_node_terms(spec.defaults) ? "keepsNodeTerms" : "hasOld");
  return cel::all_of(
      {variable("hasOld"), cel::negated(are_given_pod_terms(spec.defaults, kind, Of::old))});
}

}  // namespace cli
