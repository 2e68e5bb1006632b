// SPDX-License-Identifier: Apache-2.0
#include "validations.hpp"

#include "affinity_validations.hpp"
#include "cel.hpp"
#include "given_affinity.hpp"
#include "mutations.hpp"
#include "patterns.hpp"
#include "variables.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/pod.hpp>

#include <algorithm>

namespace cli {

namespace {

namespace sp = schedpol::scheduling_policy;
using cel::Parts;
using schedpol::AnyOr;
using schedpol::FieldPath;
using schedpol::Texts;

Texts with(const Texts& texts, const std::optional<std::string>& also) {
  Texts all = texts;
  if (also && !all.contains(*also)) all.push_back(*also);
  return all;
}

class Validations {
 public:
  Validations(Rules& rules, const schedpol::engine::EffectivePolicy& effective,
              const sp::Options& options, const Classes& classes)
      : rules_(rules),
        list_(rules, effective),
        effective_(effective),
        spec_(effective.spec()),
        options_(options),
        classes_(classes) {}

  // What is not asked for here would be permitted in silence.
  static_assert(sp::component_names.size() == 9, "each component has its validations");

  void run() {
    name(sp::Component::scheduler_names, "schedulerName", "SchedulerName",
         &sp::PolicySection::scheduler_names, spec_.defaults.scheduler_name);
    node_name();
    name(sp::Component::priority_class_names, "priorityClassName", "PriorityClassName",
         &sp::PolicySection::priority_class_names, spec_.defaults.priority_class_name);
    node_selector();
    tolerations();
    add_given_node_terms(rules_, effective_, options_, classes_);
    add_affinity_validations(list_, effective_, options_, governs(sp::Component::affinities));
    name(sp::Component::runtime_class_names, "runtimeClassName", "RuntimeClassName",
         &sp::PolicySection::runtime_class_names, spec_.defaults.runtime_class_name);
    spread_constraints();
    names_of_items();
  }

 private:
  [[nodiscard]] bool governs(sp::Component component) const {
    return options_.governs.contain(component);
  }

  /// One name. The global default priority class is none, unless it is the policy's own default.
  void name(sp::Component component, std::string_view field, const std::string& code,
            AnyOr<Texts> sp::PolicySection::*rules, const std::optional<std::string>& by_default) {
    const AnyOr<Texts>& required = spec_.required.*rules;
    const AnyOr<Texts>& allowed = spec_.allowed.*rules;
    const std::string name = variable(field);
    const std::string old = variable(field, Of::old);
    const std::string& filled_in = options_.global_default_priority_class;
    const bool has_filled_in = component == sp::Component::priority_class_names &&
                               !filled_in.empty() && by_default != filled_in;
    if (!required.is_absent()) {
      Texts names;
      for (const std::string& each : required.listed())
        if (!each.empty() && !(has_filled_in && each == filled_in)) names.push_back(each);
      const std::string is_met = cel::is_one_of(name, names);
      return list_.required(cel::any_of({is_met, old_is(name + " == " + old)}), {},
                            code + "Required", field,
                            FieldPath{"required", std::string(field) + "s"}, quoted_value(name));
    }
    if (!governs(component) || allowed.is_any()) return;
    Texts names = with(allowed.listed(), by_default);
    if (component != sp::Component::scheduler_names) names = with(names, "");
    if (has_filled_in) names = with(names, filled_in);
    list_.not_permitted(cel::any_of({cel::is_one_of(name, names), old_is(name + " == " + old)}),
                        code + "NotAllowed", field, quoted_value(name));
  }
  static std::string quoted_value(const std::string& expression) {
    return "'`' + " + expression + " + '`'";
  }
  /// Something that holds of the object before an update.
  static std::string old_is(const std::string& condition) {
    return cel::all_of({"variables.hasOld", condition});
  }

  void node_name() {
    if (!governs(sp::Component::scheduler_names) || spec_.allowed.scheduler_names.is_any() ||
        options_.node_name == sp::NodeNameCheck::ignore)
      return;
    const std::string name = variable("nodeName");
    list_.not_permitted(
        cel::any_of({name + " == ''", old_is(name + " == " + variable("nodeName", Of::old))}),
        "NodeNameNotAllowed", "nodeName", quoted_value(name));
  }

  void node_selector() {
    const std::string pairs = variable("nodeSelector");
    const std::string old = variable("nodeSelector", Of::old);
    const std::string of_pods = classes_.node_selector_of_pods();
    const std::string old_of_pods = classes_.node_selector_of_pods(Of::old);
    for (const auto& [key, values] : spec_.required.node_selectors.listed()) {
      const std::string text = cel::quoted(key);
      const auto value_in = [&](const std::string& of) { return of + "[" + text + "]"; };
      const std::string is_met =
          cel::all_of({text + " in " + of_pods,
                       values.is_any() ? std::string(cel::always)
                                       : cel::is_one_of(value_in(of_pods), values.listed())});
      const auto value_or_none = [&](const std::string& of) {
        return of + "[?" + text + "].orValue('')";
      };
      list_.required(cel::any_of({is_met, old_is(value_or_none(of_pods) +
                                                 " == " + value_or_none(old_of_pods))}),
                     {}, "NodeSelectorRequired", "nodeSelector",
                     FieldPath{"required", "nodeSelectors"}.key(key), text);
    }
    const AnyOr<sp::NodeSelectors>& allowed = spec_.allowed.node_selectors;
    if (!governs(sp::Component::node_selectors) || allowed.is_any()) return;
    Texts any_value;
    std::string by_key;
    const auto permit = [&](const std::string& key, const Texts& values) {
      if (values.empty()) return;
      by_key += (by_key.empty() ? "" : ", ") + cel::quoted(key) + ": " + cel::list(values);
    };
    for (const auto& [key, values] : spec_.required.node_selectors.listed())
      any_value.push_back(key);
    const schedpol::Labels none;
    const schedpol::Labels& by_default =
        spec_.defaults.node_selector ? *spec_.defaults.node_selector : none;
    for (const auto& [key, values] : allowed.listed()) {
      if (any_value.contains(key)) continue;
      const std::string* given = find_label(by_default, key);
      if (values.is_any()) {
        any_value.push_back(key);
      } else {
        permit(key, with(values.listed(), given == nullptr ? std::nullopt : std::optional(*given)));
      }
    }
    for (const auto& [key, value] : by_default)
      if (!any_value.contains(key) && !allowed.listed().contains(key)) permit(key, {value});
    Parts permitted = {cel::is_one_of("k", any_value)};
    if (!by_key.empty()) {
      add_variable("permittedValues", "{" + by_key + "}");
      permitted.push_back("k in variables.permittedValues && " + pairs +
                          "[k] in variables.permittedValues[k]");
    }
    permitted.push_back(classes_.adds_pair("k"));
    permitted.push_back(old_is("k in " + old + " && " + old + "[k] == " + pairs + "[k]"));
    add_variable("deniedKeys", cel::filtered(pairs, "k", cel::negated(cel::any_of(permitted))));
    list_.not_permitted("size(variables.deniedKeys) == 0", "NodeSelectorNotAllowed", "nodeSelector",
                        "variables.deniedKeys.map(k, k + '=' + " + pairs + "[k]).join(', ')");
  }

  /// Whether a toleration is listed or a default as it stands, or for each of the effects that it has for
  /// want of one.
  [[nodiscard]] std::string permits_toleration() const {
    Parts whole;
    Parts of_effect;
    if (spec_.allowed.tolerations.is_any()) return has_known_words("t");
    std::vector<sp::TolerationPattern> patterns = spec_.required.tolerations.listed();
    for (const sp::TolerationPattern& pattern : spec_.allowed.tolerations.listed())
      patterns.push_back(pattern);
    for (const sp::TolerationPattern& pattern : joined(std::move(patterns)))
      of_effect.push_back(matches(pattern, "t", "e"));
    const std::vector<schedpol::Toleration> given = given_tolerations(spec_);
    whole.push_back(equals_one_of(given, "t"));
    for (const schedpol::TaintEffect effect : schedpol::taint_effects) {
      std::vector<schedpol::Toleration> of_it;
      for (const schedpol::Toleration& each : given)
        if (each.effect == effect) of_it.push_back(each);
      const schedpol::OpenEnum<schedpol::TaintEffect> word = effect;
      of_effect.push_back(
          cel::all_of({"e == " + cel::quoted(word.text()), equals_one_of(of_it, "t", false)}));
    }
    const std::string for_each_effect = cel::any_of(of_effect);
    if (for_each_effect != cel::never)
      whole.push_back(
          "(has(t.effect) ? [t.effect] : ['NoSchedule', 'PreferNoSchedule', 'NoExecute']).all(e, " +
          for_each_effect + ")");
    return cel::all_of({has_known_words("t"), cel::any_of(whole)});
  }

  void tolerations() {
    const std::string all = variable("tolerations");
    const std::string old = variable("tolerations", Of::old);
    if (governs(sp::Component::tolerations)) {
      const std::string permitted = cel::any_of(
          {permits_toleration(), old_is(cel::some(old, "o", equal_tolerations("o", "t")))});
      add_own_tolerations(rules_, options_, classes_);
      add_variable("deniedTolerations",
                   cel::filtered("variables.ownTolerations", "t", cel::negated(permitted)));
      list_.not_permitted(
          "size(variables.deniedTolerations) == 0", "TolerationNotAllowed", "tolerations",
          "variables.deniedTolerations.map(t, " + toleration_text("t") + ").join(', ')");
    }
    const auto& required = spec_.required.tolerations.listed();
    for (std::size_t i = 0; i < required.size(); ++i) {
      const std::string match = matches(required[i], "t", "");
      const auto is_met = [&](const std::string& list) {
        Parts any = {cel::some(list, "t", match)};
        // The pods of a template will have those that the API server adds to every pod.
        for (const schedpol::Toleration& usual : default_seconds())
          if (matches_existing(required[i], usual))
            any.push_back("request.kind.kind != 'Pod' && " +
                          cel::negated(cel::some(list, "t", tolerates(usual, "t"))));
        return cel::any_of(any);
      };
      list_.required(is_met(all), is_met(old), "TolerationRequired", "tolerations",
                     FieldPath{"required", "tolerations"}.index(i),
                     cel::quoted(to_string(required[i])));
    }
  }

  /// Whether DefaultTolerationSeconds takes a toleration for one of the taint of this one.
  static std::string tolerates(const schedpol::Toleration& usual, const std::string& toleration) {
    return cel::all_of(
        {cel::is_one_of(cel::field_or(toleration, "key", "''"), {"", usual.key}),
         cel::is_one_of(cel::field_or(toleration, "effect", "''"), {"", usual.effect.text()})});
  }

  void spread_constraints() {
    const auto& allowed = spec_.allowed.topology_spread_constraints;
    if (!governs(sp::Component::topology_spread_constraints)) return;
    Parts patterns;
    if (allowed.is_any())
      patterns.push_back(
          matches(sp::SpreadConstraintPattern{schedpol::any, schedpol::any}, "c", "w"));
    for (const sp::SpreadConstraintPattern& pattern : allowed.listed())
      patterns.push_back(matches(pattern, "c", "w"));
    const std::string old = variable("topologySpreadConstraints", Of::old);
    const std::string permitted =
        cel::any_of({"(c.whenUnsatisfiable == '' ? ['DoNotSchedule', 'ScheduleAnyway'] : "
                     "[c.whenUnsatisfiable]).all(w, " +
                         cel::any_of(patterns) + ")",
                     old_is(cel::some(old, "o",
                                      "o.topologyKey == c.topologyKey && o.whenUnsatisfiable == "
                                      "c.whenUnsatisfiable"))});
    list_.not_permitted(cel::each(variable("topologySpreadConstraints"), "c", permitted),
                        "TopologySpreadConstraintNotAllowed", "topologySpreadConstraints");
  }

  void names_of_items() {
    if (const auto& allowed = spec_.allowed.scheduling_gates;
        governs(sp::Component::scheduling_gates) && !allowed.is_any()) {
      const std::string old = variable("schedulingGates", Of::old);
      list_.not_permitted(cel::each(variable("schedulingGates"), "g",
                                    cel::any_of({permits("g.name", allowed),
                                                 old_is(cel::some(old, "o", "o.name == g.name"))})),
                          "SchedulingGateNotAllowed", "schedulingGates");
    }
    const auto& allowed = spec_.allowed.resource_claims;
    if (!governs(sp::Component::resource_claims) || allowed.is_any()) return;
    const std::string old = variable("resourceClaims", Of::old);
    Parts all;
    for (const std::string field : {"resourceClaimName", "resourceClaimTemplateName"})
      all.push_back(cel::any_of(
          {name_of("c", field) + " == ''", permits("c." + field, allowed),
           old_is(cel::some(old, "o", name_of("o", field) + " == " + name_of("c", field)))}));
    const auto names = [](const std::string& claim) {
      return name_of(claim, "resourceClaimName") + " + " +
             name_of(claim, "resourceClaimTemplateName");
    };
    all.push_back(
        cel::any_of({names("c") + " != ''", old_is(cel::some(old, "o", names("o") + " == ''"))}));
    list_.not_permitted(cel::each(variable("resourceClaims"), "c", cel::all_of(all)),
                        "ResourceClaimNotAllowed", "resourceClaims");
  }
  static std::string name_of(const std::string& claim, std::string_view field) {
    return cel::field_or(claim, field, "''");
  }
  /// What names nothing only any permits.
  static std::string permits(const std::string& name, const AnyOr<Texts>& allowed) {
    Texts names;
    for (const std::string& each : allowed.listed())
      if (!each.empty()) names.push_back(each);
    return cel::is_one_of(name, names);
  }

  void add_variable(std::string name, std::string expression) {
    rules_.variables.push_back({std::move(name), std::move(expression), ""});
  }

  Rules& rules_;
  ValidationList list_;
  const schedpol::engine::EffectivePolicy& effective_;
  const sp::SchedulingPolicySpec& spec_;
  const sp::Options& options_;
  const Classes& classes_;
};

}  // namespace

void ValidationList::add(const std::string& condition, std::string_view field,
                         const std::string& what, const std::string& text, std::string comment) {
  if (condition == cel::always) return;
  const std::string at = "." + std::string(field) + ": ";
  std::string message = "variables.at + ";
  if (what.empty()) {
    message += cel::quoted(at + text);
  } else {
    message += cel::quoted(at) + " + " + what + " + " + cel::quoted(" " + text);
  }
  rules_.validations.push_back({condition, std::move(message), std::string(field) + " " + text,
                                std::string(field) + ": " + std::move(comment)});
}

void ValidationList::not_permitted(const std::string& condition, std::string_view code,
                                   std::string_view field, const std::string& what) {
  const std::string policies = schedpol::in_backticks(effective_.policies());
  add(condition, field, what, "is not permitted by " + policies + " (" + std::string(code) + ")",
      std::string(code));
}

void ValidationList::required(const std::string& condition, const std::string& of_old,
                              std::string_view code, std::string_view field,
                              const schedpol::FieldPath& entry, const std::string& what) {
  const std::string policies = schedpol::in_backticks(effective_.sources_of(entry));
  const std::string was_missing = of_old.empty()
                                      ? std::string(cel::never)
                                      : cel::all_of({"variables.hasOld", cel::negated(of_old)});
  add(cel::any_of({condition, was_missing}), field, what,
      "is not what " + policies + " requires (" + std::string(code) + ")",
      std::string(code) + " of " + policies);
}

void add_validations(Rules& rules, const schedpol::engine::EffectivePolicy& effective,
                     const sp::Options& options, const Classes& classes) {
  Validations(rules, effective, options, classes).run();
}

void add_own_tolerations(Rules& rules, const sp::Options& options, const Classes& classes) {
  const std::string exempt =
      cel::any_of({equals_one_of(options.exempt.tolerations, "t"),
                   cel::all_of({"variables.byDaemonSetController",
                                equals_one_of(sp::daemon_set_tolerations(), "t")}),
                   classes.adds_toleration()});
  const std::string all = variable("tolerations");
  rules.variables.push_back(
      {"ownTolerations",
       classes.empty() ? cel::filtered(all, "t", cel::negated(exempt))
                       : all + ".transformList(i, t, " + cel::negated(exempt) + ", t)",
       "without those that the cluster adds to every pod, and the DaemonSet controller to its own" +
           std::string(classes.empty() ? "" : ", and a runtime class to those that name it")});
}

}  // namespace cli
