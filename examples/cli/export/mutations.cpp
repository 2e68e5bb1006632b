// SPDX-License-Identifier: Apache-2.0
#include "mutations.hpp"

#include "cel.hpp"
#include "given_affinity.hpp"
#include "patterns.hpp"
#include "validations.hpp"
#include "variables.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>

namespace cli {

namespace {

namespace sp = schedpol::scheduling_policy;
using cel::Parts;
using schedpol::FieldPath;
using schedpol::Toleration;

/// A key as a step of a JSON Pointer.
std::string step(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string patch(std::string_view op, std::string_view below, const std::string& value = {}) {
  return "JSONPatch{op: '" + std::string(op) + "', path: variables.path + " + cel::quoted(below) +
         (value.empty() ? "" : ", value: " + value) + "}";
}

/// Adds an empty object where there is none.
std::string with_parent(const std::string& condition, std::string_view below) {
  return "(" + condition + " ? [] : [" + patch("add", below, "{}") + "])";
}

class Mutations {
 public:
  Mutations(Rules& rules, const schedpol::engine::EffectivePolicy& effective,
            const schedpol::engine::Settings& settings, const Classes& classes, Refusals& refusals)
      : rules_(rules),
        effective_(effective),
        defaults_(effective.spec().defaults),
        options_(settings.options),
        classes_(classes),
        refusals_(refusals) {}

  void run() {
    rules_.variables.push_back({"path", "'/' + variables.at.replace('.', '/')", ""});
    name("schedulerName", defaults_.scheduler_name);
    name("priorityClassName", defaults_.priority_class_name);
    node_selector();
    tolerations();
    node_affinity();
    pod_affinity(pod_kind);
    pod_affinity(pod_anti_kind);
    name("runtimeClassName", defaults_.runtime_class_name);
  }

 private:
  void add(std::string expression, const FieldPath& entry) {
    rules_.mutations.push_back(
        {std::move(expression),
         to_string(entry) + " of " + schedpol::in_backticks(effective_.sources_of(entry))});
  }
  void refuse(const FieldPath& entry, std::string reason) {
    refusals_.push_back(
        {to_string(entry) + " of " + schedpol::in_backticks(effective_.sources_of(entry)),
         std::move(reason)});
  }

  void name(std::string_view field, const std::optional<std::string>& by_default) {
    if (!by_default) return;
    const std::string spec = variable("spec");
    std::string given =
        "[" + patch("add", "/" + std::string(field), cel::quoted(*by_default)) + "]";
    if (field == "priorityClassName")
      for (const std::string_view derived : {"priority", "preemptionPolicy"})
        given += " + (has(" + spec + "." + std::string(derived) + ") ? [" +
                 patch("remove", "/" + std::string(derived)) + "] : [])";
    add(is_given_name(field, *by_default, options_) + " ? " + given + " : []",
        FieldPath{"default", field});
  }

  /// Key by key, so that each pair sees those before it.
  void node_selector() {
    if (!defaults_.node_selector) return;
    const std::string own = variable("nodeSelector");
    const std::string pairs = classes_.node_selector_of_pods();
    const std::string terms = variable("nodeTerms");
    for (const auto& [key, value] : *defaults_.node_selector) {
      const std::string k = cel::quoted(key);
      const std::string excluded =
          cel::some("t.?matchExpressions.orValue([])", "e",
                    "e.key == " + k + " && !" + is_met_by_text("e", value));
      const std::string met = "size(t) > 0 && " + cel::each("t.?matchExpressions.orValue([])", "e",
                                                            "!(e.key in " + pairs + ") || " +
                                                                is_met_by("e", pairs + "[e.key]"));
      const std::string fits = cel::any_of({cel::each(terms, "t", "!" + excluded),
                                            cel::some(terms, "t", met + " && !" + excluded),
                                            "!" + cel::some(terms, "t", met)});
      add(k + " in " + pairs + " || !(" + fits +
              ") ? [] : " + with_parent("size(" + own + ") > 0", "/nodeSelector") + " + [" +
              patch("add", "/nodeSelector/" + step(key), cel::quoted(value)) + "]",
          FieldPath{"default", "nodeSelector"}.key(key));
    }
  }

  /// The two of DefaultTolerationSeconds have no effect beside one of the default that is to take their
  /// place, and what the DaemonSet controller gives leaves it none.
  void tolerations() {
    std::vector<Toleration> given = given_tolerations(effective_.spec());
    if (given.empty()) return;
    const std::string there = variable("tolerations");
    // One of the two that a default gives itself is replaced like any other.
    for (const Toleration& each : default_seconds()) {
      const auto own = std::find(given.begin(), given.end(), each);
      const auto takes_place = [&](const Toleration& other) {
        return default_seconds_of(other) == &each && !(other == each);
      };
      const auto first = std::find_if(given.begin(), given.end(), takes_place);
      if (own == given.end() || first == given.end() || first < own) continue;
      *own = *first;
      given.erase(first);
    }
    std::string kept = "t";
    std::string appended;
    bool continues = false;  // the last list may get more
    std::vector<const Toleration*> taken;
    for (const Toleration& toleration : given) {
      const std::string literal = cel::literal(schedpol::json::encode(toleration));
      const Toleration* slot = default_seconds_of(toleration);
      Parts missing = {cel::negated(classes_.adds_to_pods(toleration))};
      if (missing.front() != cel::always)
        missing.push_back("!" + there + ".exists(t, " + equals(toleration, "t") + ")");
      for (const Toleration& each : options_.exempt.tolerations)
        if (each == toleration)
          missing.push_back("!" + there + ".exists(t, " + equals(each, "t") + ")");
      if (slot == nullptr) {
        for (const Toleration& each : sp::daemon_set_tolerations())
          if (each == toleration)
            missing.push_back("!" + there + ".exists(t, " + equals(each, "t") + ")");
      } else {
        Toleration hides = *slot;
        hides.toleration_seconds.reset();
        missing.push_back("!" + there + ".exists(t, " + equals(hides, "t") + ")");
        if (!(toleration == *slot)) {
          // Of equal ones the first, and the next default takes the place of the next.
          const std::string before = std::to_string(std::count(taken.begin(), taken.end(), slot));
          taken.push_back(slot);
          missing.push_back("size(" + cel::filtered(there, "t", equals(*slot, "t")) +
                            ") <= " + before);
          const std::string earlier =
              "size(" + there + ".transformList(j, o, j < i && " + equals(*slot, "o") + ", o))";
          // A class that the pod is given now leaves one of equal ones, after that.
          const auto of_slot = std::count_if(given.begin(), given.end(), [&](const auto& each) {
            return default_seconds_of(each) == slot && !(each == *slot);
          });
          const bool is_last = std::count(taken.begin(), taken.end(), slot) == of_slot;
          const std::string is_its_place =
              is_last && classes_.contain(defaults_.runtime_class_name.value_or(""))
                  ? "(request.kind.kind == 'Pod' && variables.runtimeClassName == '' ? " + earlier +
                        " >= " + before + " : " + earlier + " == " + before + ")"
                  : earlier + " == " + before;
          kept = "(" + equals(*slot, "t") + " && " + is_its_place + " && !" + there +
                 ".exists(t, " + equals(hides, "t") + ")) ? " + literal + " : " + kept;
        }
      }
      const std::string condition = cel::all_of(missing);
      if (condition != cel::always) {
        appended += " + (" + condition + " ? [" + literal + "] : [])";
        continues = false;
      } else if (continues) {
        appended.insert(appended.size() - 1, ", " + literal);
      } else {
        appended += " + [" + literal + "]";
        continues = true;
      }
    }
    // What a pod has that is given tolerations is exempt, so that this is all of it.
    const std::string copied =
        "{?'key': t.?key, ?'operator': t.?operator, ?'value': t.?value, ?'effect': t.?effect, "
        "?'tolerationSeconds': t.?tolerationSeconds}";
    if (kept == "t") {
      kept = copied;
    } else {
      kept = kept.substr(0, kept.size() - 1) + copied;
    }
    add_own_tolerations(rules_, options_, classes_);
    add("size(variables.ownTolerations) > 0 ? [] : [" +
            patch("add", "/tolerations", there + ".transformList(i, t, " + kept + ")" + appended) +
            "]",
        FieldPath{"default", "tolerations"});
  }

  void node_affinity() {
    const KindVariables& kind = node_kind;
    const FieldPath required =
        FieldPath{"default", "affinity", kind.field}.child(schedpol::required_mode);
    if (const std::string reason = reason_against(effective_, options_); !reason.empty())
      refuse(required, reason);
    if (has_required_node_terms(defaults_)) {
      add_given_node_terms(rules_, effective_, options_, classes_);
      // Tied to its node again by the DaemonSet controller's expression.
      const std::string pin = variable("pin");
      const std::string pinned =
          "variables.givenNodeTerms.map(t, {?'matchExpressions': t.?matchExpressions, "
          "'matchFields': "
          "dyn(t.?matchFields.orValue([]) + [{'key': dyn('metadata.name'), 'operator': dyn('In'), "
          "'values': dyn([" +
          pin + ".values[0]])}])})";
      const std::string value =
          variable("isPinned") + " ? " + pinned + " : variables.givenNodeTerms";
      add("size(" + variable(kind.required) +
              ") > 0 || size(variables.givenNodeTerms) == 0 ? [] : " + parents(kind) + " + [" +
              patch("add", path_of(kind, schedpol::required_mode),
                    "{'nodeSelectorTerms': " + value + "}") +
              "]",
          required);
    }
    preferred(kind);
  }

  void pod_affinity(const KindVariables& kind) {
    const std::string given = given_pod_terms(defaults_, kind, Of::object);
    if (!given.empty()) {
      const std::string name =
          "given" + std::string(kind.field == pod_kind.field ? "PodAffinity" : "PodAntiAffinity");
      rules_.variables.push_back({name, given, ""});
      add("size(" + variable(kind.required) + ") > 0 || size(variables." + name +
              ") == 0 ? [] : " + parents(kind) + " + [" +
              patch("add", path_of(kind, schedpol::required_mode), "variables." + name) + "]",
          FieldPath{"default", "affinity", kind.field}.child(schedpol::required_mode));
    }
    preferred(kind);
  }

  void preferred(const KindVariables& kind) {
    const std::string given = given_preferred_terms(effective_.spec(), kind);
    if (given.empty()) return;
    add("size(" + variable(kind.preferred) + ") > 0 ? [] : " + parents(kind) + " + [" +
            patch("add", path_of(kind, schedpol::preferred_mode), given) + "]",
        FieldPath{"default", "affinity", kind.field}.child(schedpol::preferred_mode));
  }

  static std::string path_of(const KindVariables& kind, std::string_view mode) {
    return "/affinity/" + std::string(kind.field) + "/" + std::string(mode);
  }
  static std::string parents(const KindVariables& kind) {
    const std::string affinity = variable("spec") + ".?affinity";
    const std::string of_kind = affinity + ".?" + std::string(kind.field);
    return with_parent(affinity + ".hasValue()", "/affinity") + " + " +
           with_parent(of_kind + ".hasValue()", "/affinity/" + std::string(kind.field));
  }

  Rules& rules_;
  const schedpol::engine::EffectivePolicy& effective_;
  const sp::Defaults& defaults_;
  const sp::Options& options_;
  const Classes& classes_;
  Refusals& refusals_;
};

}  // namespace

std::vector<Toleration> given_tolerations(const sp::SchedulingPolicySpec& spec) {
  std::vector<Toleration> all;
  const auto add = [&](const Toleration& toleration) {
    if (std::find(all.begin(), all.end(), toleration) == all.end()) all.push_back(toleration);
  };
  if (!spec.defaults.tolerations) return all;
  for (const sp::DefaultToleration& by_default : *spec.defaults.tolerations) {
    if (!by_default.values.is_listed()) add(by_default.toleration);
    for (const std::string& value : by_default.values.listed()) {
      Toleration toleration = by_default.toleration;
      toleration.value = value;
      add(toleration);
    }
  }
  return all;
}

const std::vector<Toleration>& default_seconds() {
  static const std::vector<Toleration> both = sp::default_toleration_seconds();
  return both;
}

const Toleration* default_seconds_of(const Toleration& toleration) {
  const bool takes = toleration.effect == schedpol::TaintEffect::no_execute &&
                     (toleration.operator_ == schedpol::TolerationOperator::exists ||
                      ((toleration.operator_ == schedpol::TolerationOperator::unset ||
                        toleration.operator_ == schedpol::TolerationOperator::equal) &&
                       toleration.value.empty()));
  for (const Toleration& each : default_seconds())
    if (takes && each.key == toleration.key) return &each;
  return nullptr;
}

std::string is_given_name(std::string_view field, const std::string& by_default,
                          const sp::Options& options) {
  const std::string there = cel::field_or(variable("spec"), field, "''");
  schedpol::Texts unspecified = {""};
  if (field == "schedulerName" &&
      options.default_scheduler == schedpol::DefaultScheduler::unspecified &&
      by_default != schedpol::default_scheduler_name)
    unspecified.push_back(std::string(schedpol::default_scheduler_name));
  const std::string& filled_in = options.global_default_priority_class;
  if (field == "priorityClassName" && !filled_in.empty() && filled_in != by_default)
    unspecified.push_back(filled_in);
  return cel::is_one_of(there, unspecified);
}

void judge_as_if_given(Rules& rules, const schedpol::engine::EffectivePolicy& effective,
                       const sp::Options& options, Refusals& refusals) {
  const sp::PolicySection& required = effective.spec().required;
  const sp::Defaults& defaults = effective.spec().defaults;
  const auto name = [&](std::string_view field, const std::optional<std::string>& by_default) {
    for (Variable& each : rules.variables) {
      if (!by_default || each.name != field) continue;
      each.expression = "(request.operation == 'CREATE' || request.kind.kind != 'Pod') && " +
                        is_given_name(field, *by_default, options) + " ? " +
                        cel::quoted(*by_default) + " : " + each.expression;
      each.comment = "as if it were given";
    }
  };
  name("schedulerName", defaults.scheduler_name);
  name("priorityClassName", defaults.priority_class_name);
  name("runtimeClassName", defaults.runtime_class_name);
  const auto refuse = [&](bool both, std::string_view rules_field, std::string_view field) {
    if (!both) return;
    const FieldPath entry{"default", field};
    refusals.push_back({to_string(entry) + " of " + schedpol::in_backticks(effective.policies()),
                        "in this mode nothing is given, and what required." +
                            std::string(rules_field) + " asks for would be missing"});
  };
  const auto& keys = required.node_selectors.listed();
  refuse(defaults.node_selector &&
             std::any_of(defaults.node_selector->begin(), defaults.node_selector->end(),
                         [&](const auto& pair) { return keys.contains(pair.first); }),
         "nodeSelectors", "nodeSelector");
  refuse(!required.tolerations.is_absent() && defaults.tolerations, "tolerations", "tolerations");
  refuse(!required.affinities.is_absent() && defaults.affinity, "affinities", "affinity");
}

void add_mutations(Rules& rules, const schedpol::engine::EffectivePolicy& effective,
                   const schedpol::engine::Settings& settings, const Classes& classes,
                   Refusals& refusals) {
  Mutations(rules, effective, settings, classes, refusals).run();
}

}  // namespace cli
