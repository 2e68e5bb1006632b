// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/explain.hpp>

#include <schedpol/insight/impl/entry_text.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace explain_test {

using namespace schedpol;
using namespace schedpol::scheduling_policy;
using schedpol::testing::Generator;

constexpr MergeStrategy strategies[] = {
    MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins, MergeStrategy::simple_merge};

const SchedulingPolicySpec& spec_of(const std::vector<SchedulingPolicy>& policies,
                                    std::string_view name) {
  return std::find_if(policies.begin(), policies.end(),
                      [&](const auto& policy) { return policy.metadata.name == name; })
      ->spec;
}

/// Whether a policy that says only what this one says at the place still says it there.
bool is_said(const SchedulingPolicySpec& spec, const FieldPath& entry) {
  const std::vector<FieldPath::Step> steps = entry.steps();
  const PolicySection& rules = steps[0].name == "required" ? spec.required : spec.allowed;
  const auto within = [&](std::size_t at, const auto& list) {
    return steps.size() <= at ? list.is_any() || list.is_listed()
                              : steps[at].index < list.listed().size();
  };
  if (steps[0].name == "default") {
    const Defaults& given = spec.defaults;
    if (steps[1].name == "schedulerName") return given.scheduler_name.has_value();
    if (steps[1].name == "priorityClassName") return given.priority_class_name.has_value();
    if (steps[1].name == "runtimeClassName") return given.runtime_class_name.has_value();
    if (steps[1].name == "nodeSelector")
      return given.node_selector &&
             (steps.size() == 2 || given.node_selector->contains(steps[2].name));
    if (steps[1].name == "tolerations")
      return given.tolerations && (steps.size() == 2 || steps[2].index < given.tolerations->size());
    if (!given.affinity) return false;
    const auto says = [&](const auto& kind) {
      if (!has_terms(kind)) return false;
      if (steps.size() == 3) return true;
      return steps[3].name == required_mode
                 ? kind->required_during_scheduling_ignored_during_execution !=
                       decltype(kind->required_during_scheduling_ignored_during_execution){}
                 : !kind->preferred_during_scheduling_ignored_during_execution.empty();
    };
    if (steps.size() == 2) return true;
    if (steps[2].name == "nodeAffinity") return says(given.affinity->node_affinity);
    return says(steps[2].name == "podAffinity" ? given.affinity->pod_affinity
                                               : given.affinity->pod_anti_affinity);
  }
  if (steps[1].name == "schedulerNames") return within(2, rules.scheduler_names);
  if (steps[1].name == "priorityClassNames") return within(2, rules.priority_class_names);
  if (steps[1].name == "tolerations") return within(2, rules.tolerations);
  if (steps[1].name == "runtimeClassNames") return within(2, rules.runtime_class_names);
  if (steps[1].name == "topologySpreadConstraints")
    return within(2, rules.topology_spread_constraints);
  if (steps[1].name == "schedulingGates") return within(2, rules.scheduling_gates);
  if (steps[1].name == "resourceClaims") return within(2, rules.resource_claims);
  if (steps[1].name == "nodeSelectors") {
    if (steps.size() == 2) return !rules.node_selectors.is_absent();
    const auto key = rules.node_selectors.listed().find(steps[2].name);
    return key != rules.node_selectors.listed().end() &&
           (steps.size() == 3 || within(3, key->second));
  }
  if (steps.size() == 2) return !rules.affinities.is_absent();
  const auto in_mode = [&](const auto& kind) {
    if (steps.size() == 3) return !kind.is_absent();
    const auto& modes = kind.listed();
    const auto& mode = steps[3].name.starts_with("required")
                           ? modes.required_during_scheduling_ignored_during_execution
                           : modes.preferred_during_scheduling_ignored_during_execution;
    if (steps.size() == 4) return !mode.is_absent();
    if constexpr (requires { mode.listed().topology_keys; }) {
      return steps[5].index < mode.listed().topology_keys.size();
    } else {
      if (steps[5].index >= mode.listed().node_selector_terms.size()) return false;
      if (steps.size() == 6) return true;
      const TermPattern& term = mode.listed().node_selector_terms[steps[5].index];
      return within(7, steps[6].name == "matchFields" ? term.match_fields : term.match_expressions);
    }
  };
  const AffinityRules& affinities = rules.affinities.listed();
  if (steps[2].name == "nodeAffinities") return in_mode(affinities.node_affinities);
  return in_mode(steps[2].name == "podAffinities" ? affinities.pod_affinities
                                                  : affinities.pod_anti_affinities);
}

/// Where in the order of the check an item of a pod stands.
std::size_t place(const ExplainedItem& item) {
  constexpr std::string_view order[] = {
      "schedulerName",   "nodeName",      "priorityClassName", "nodeSelector",
      "tolerations",     "affinity",      "runtimeClassName",  "topologySpreadConstraints",
      "schedulingGates", "resourceClaims"};
  std::string_view field = item.field.steps()[1].name;
  if (field == "priority" || field == "preemptionPolicy") field = "priorityClassName";
  return static_cast<std::size_t>(std::find(std::begin(order), std::end(order), field) - order);
}

TEST_CASE("an explanation agrees with admit item by item, and names entries that are there") {
  Generator generate(1);
  std::size_t permitted = 0;
  std::size_t lost = 0;
  for (int i = 0; i < schedpol::testing::times(1200); ++i) {
    const std::vector<SchedulingPolicy> policies = generate.policies();
    const MergeStrategy strategy = strategies[i % 3];
    const EffectivePolicy effective = merge(policies, strategy);
    const Pod pod = generate.pod();
    const Options options = generate.options();
    const Admission admission = admit(pod, effective, options);
    const Explanation explanation = explain(pod, effective, options);
    CAPTURE(pod);
    CAPTURE(message(explanation));
    CHECK(explanation.allowed == admission.allowed);

    std::vector<std::pair<FieldPath, std::string>> denying;
    std::vector<std::pair<FieldPath, std::string>> given;
    for (const ExplainedItem& item : explanation.items) {
      if (denies(item.ruling)) denying.emplace_back(item.field, item.value);
      if (item.ruling == Ruling::defaulted) given.emplace_back(item.field, item.value);
    }
    std::vector<std::pair<FieldPath, std::string>> violations;
    for (const Violation& violation : admission.violations)
      violations.emplace_back(violation.field, violation.value);
    std::vector<std::pair<FieldPath, std::string>> changes;
    for (const Change& change : apply_defaults(pod, effective, options).changes)
      changes.emplace_back(change.field, change.to.value_or(""));
    REQUIRE(denying == violations);
    REQUIRE(given == changes);

    // Whatever the pod asks for is told, in the order of the check.
    const auto tells = [&](const FieldPath& field) {
      return std::any_of(explanation.items.begin(), explanation.items.end(), [&](const auto& item) {
        return to_string(item.field).starts_with(to_string(field));
      });
    };
    if (!policies.empty()) {
      if (options.node_name != NodeNameCheck::ignore && !pod.spec.node_name.empty())
        REQUIRE(tells({"spec", "nodeName"}));
      for (const auto& [key, value] : pod.spec.node_selector)
        REQUIRE(tells(FieldPath{"spec", "nodeSelector"}.key(key)));
      for (std::size_t at = 0; at < pod.spec.tolerations.size(); ++at)
        REQUIRE(tells(FieldPath{"spec", "tolerations"}.index(at)));
      for (std::size_t at = 0; at < pod.spec.topology_spread_constraints.size(); ++at)
        REQUIRE(tells(FieldPath{"spec", "topologySpreadConstraints"}.index(at)));
      for (std::size_t at = 0; at < pod.spec.scheduling_gates.size(); ++at)
        REQUIRE(tells(FieldPath{"spec", "schedulingGates"}.index(at)));
      for (std::size_t at = 0; at < pod.spec.resource_claims.size(); ++at)
        REQUIRE(tells(FieldPath{"spec", "resourceClaims"}.index(at)));
      if (!pod.spec.runtime_class_name.empty()) REQUIRE(tells({"spec", "runtimeClassName"}));
      if (pod.spec.affinity && has_terms(pod.spec.affinity->pod_affinity))
        REQUIRE(tells({"spec", "affinity", "podAffinity"}));
      REQUIRE(std::is_sorted(
          explanation.items.begin(), explanation.items.end(),
          [](const ExplainedItem& a, const ExplainedItem& b) { return place(a) < place(b); }));
    }

    for (const ExplainedItem& item : explanation.items) {
      const bool names = item.ruling != Ruling::exempt && item.ruling != Ruling::ungoverned &&
                         item.ruling != Ruling::not_permitted;
      REQUIRE(item.by.empty() != names);
      for (const PolicyEntry& entry : item.by) {
        CAPTURE(to_string(entry.entry));
        REQUIRE(is_said(spec_of(policies, entry.policy), entry.entry));
        CHECK(entry.value == "");
        const bool by_default = entry.entry.steps()[0].name == "default";
        if (item.ruling == Ruling::permitted_by_default) REQUIRE(by_default);
        if (item.ruling == Ruling::permitted && item.by.size() == 1) REQUIRE_FALSE(by_default);
        // Alone it permits the same.
        if (item.ruling != Ruling::permitted || entry.entry.steps()[0].name != "allowed") continue;
        const std::vector<FieldPath::Step> steps = item.field.steps();
        // Of what lacks a word several permit it together.
        if (steps[1].name == "tolerations" &&
            pod.spec.tolerations[steps[2].index].effect == TaintEffect::unset)
          continue;
        if (steps[1].name == "topologySpreadConstraints" &&
            pod.spec.topology_spread_constraints[steps[2].index].when_unsatisfiable ==
                WhenUnsatisfiable::unset)
          continue;
        ++permitted;
        SchedulingPolicySpec alone;
        alone.allowed = spec_of(policies, entry.policy).allowed;
        for (const Violation& violation :
             check(pod,
                   merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "a"}, .spec = alone}}),
                   options))
          REQUIRE(violation.field != item.field);
      }
      for (const PolicyEntry& entry : item.lost) {
        ++lost;
        REQUIRE(is_said(spec_of(policies, entry.policy), entry.entry));
        CHECK(entry.value != "");
      }
    }
  }
  CHECK(permitted > 500);
  CHECK(lost > 100);
}

TEST_CASE("an entry that lists nothing is shown as none") {
  SchedulingPolicySpec spec;
  spec.allowed.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution = NodeAffinityRule{};
  const FieldPath kind{"allowed", "affinities", "nodeAffinities"};
  CHECK(scheduling_policy::detail::EntryText::of(
            spec, kind.child("requiredDuringSchedulingIgnoredDuringExecution")) == "none");
}

TEST_CASE("a toleration is permitted by each default that gives it, whole or for one effect") {
  SchedulingPolicySpec spec;
  spec.defaults.tolerations = {
      {.toleration = {.key = "whole"}},
      {.toleration = {.key = "each", .effect = TaintEffect::no_schedule}},
      {.toleration = {.key = "each", .effect = TaintEffect::prefer_no_schedule}},
      {.toleration = {.key = "each", .effect = TaintEffect::no_execute}}};
  const EffectivePolicy effective =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "a"}, .spec = spec}});
  const struct {
    const char* name;
    Toleration toleration;
    std::vector<std::size_t> defaults;
  } cases[] = {
      {"as it is given", {.key = "whole"}, {0}},
      {"by one of each effect", {.key = "each"}, {1, 2, 3}},
      {"of one effect", {.key = "each", .effect = TaintEffect::prefer_no_schedule}, {2}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    Pod pod;
    pod.spec.tolerations = {c.toleration};
    const Explanation explanation = explain(pod, effective);
    const auto item =
        std::find_if(explanation.items.begin(), explanation.items.end(), [](const auto& each) {
          return each.field == FieldPath{"spec", "tolerations"}.index(0);
        });
    REQUIRE(item != explanation.items.end());
    CHECK(item->ruling == Ruling::permitted_by_default);
    std::vector<PolicyEntry> wanted;
    for (const std::size_t number : c.defaults)
      wanted.push_back({"a", FieldPath{"default", "tolerations"}.index(number), ""});
    CHECK(item->by == wanted);
  }
}

/// What `a` and `b` say together, of which the first permits any scheduler.
EffectivePolicy merged(SchedulingPolicySpec a, SchedulingPolicySpec b = {}) {
  a.allowed.scheduler_names = any;
  return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "a"}, .spec = a},
                                             {.metadata = {.name = "b"}, .spec = b}});
}

/// The items but the first, which is the scheduler: the ruling, the field, and what it is by.
std::vector<std::string> items_of(const Explanation& explanation) {
  std::vector<std::string> lines;
  for (const ExplainedItem& item : explanation.items) {
    std::string& line = lines.emplace_back(to_string(item.ruling));
    line += " " + to_string(item.field);
    for (const PolicyEntry& entry : item.by)
      line +=
          (&entry == item.by.data() ? " by " : ", ") + entry.policy + " " + to_string(entry.entry);
  }
  lines.erase(lines.begin());
  return lines;
}
using Lines = std::vector<std::string>;

TEST_CASE("what permits an item is named in the order in which it stands, and where it does") {
  SchedulingPolicySpec a;
  SchedulingPolicySpec b;
  a.allowed.node_selectors = {{"zone", {"1"}}};
  b.allowed.node_selectors = {{"zone", {"2"}}};
  CHECK(items_of(explain({.spec = {.node_selector = {{"zone", "2"}}}}, merged(a, b))) ==
        Lines{"Permitted spec.nodeSelector[zone] by b allowed.nodeSelectors[zone][0]"});

  // A pattern of any key comes before one of the key where it stands before it, and after it.
  const TolerationPattern of_any{any, any, any, any};
  const TolerationPattern of_key{{"k"}, any, any, any};
  const Pod tolerating{.spec = {.tolerations = {{.key = "k"}}}};
  SchedulingPolicySpec tolerations;
  for (const auto& patterns : {std::vector{of_key, of_any}, std::vector{of_any, of_key}}) {
    tolerations.allowed.tolerations = patterns;
    CHECK(items_of(explain(tolerating, merged(tolerations))) ==
          Lines{"Permitted spec.tolerations[0] by a allowed.tolerations[0], a "
                "allowed.tolerations[1]"});
  }
  // Of every effect it takes a pattern of each.
  const auto of_effect = [](TaintEffect effect) {
    return TolerationPattern{{"k"}, any, any, {effect}};
  };
  tolerations.allowed.tolerations = {of_effect(TaintEffect::no_schedule),
                                     of_effect(TaintEffect::prefer_no_schedule),
                                     of_effect(TaintEffect::no_execute)};
  CHECK(items_of(explain(tolerating, merged(tolerations))) ==
        Lines{"Permitted spec.tolerations[0] by a allowed.tolerations[0], a "
              "allowed.tolerations[1], a allowed.tolerations[2]"});
  // Five of them are enough; the default would be the sixth.
  tolerations.defaults.tolerations = {{.toleration = {.key = "k"}}};
  const auto permit = [&](int count) {
    tolerations.allowed.tolerations = {of_key};
    for (int i = 1; i < count; ++i)
      tolerations.allowed.tolerations.list().push_back({{"k"}, any, {"", std::to_string(i)}, any});
  };
  permit(4);
  CHECK(items_of(explain(tolerating, merged(tolerations)))[0].ends_with(
      "allowed.tolerations[3], a default.tolerations[0]"));
  permit(5);
  CHECK(items_of(explain(tolerating, merged(tolerations)))[0].ends_with("allowed.tolerations[4]"));
  // A default of no values gives nothing, and one that lost has none that could be shown.
  SchedulingPolicySpec without;
  without.defaults.tolerations = {{.toleration = {.key = "k"}, .values = Texts()},
                                  {.toleration = {.key = "m"}}};
  CHECK(items_of(explain({}, merged(without))) ==
        Lines{"Defaulted spec.tolerations[0] by a default.tolerations[1]"});
  // Nor does the default of another field give a toleration.
  without.defaults.priority_class_name = "gold";
  CHECK(items_of(explain({}, merged(without)))[1] ==
        "Defaulted spec.tolerations[0] by a default.tolerations[1]");
  without.defaults.priority_class_name.reset();
  SchedulingPolicySpec other;
  other.defaults.tolerations = {{.toleration = {.key = "pool"}}};
  const Explanation explanation = explain({}, merged(without, other));
  REQUIRE(explanation.items.size() == 2);
  REQUIRE(explanation.items[1].lost.size() == 1);
  CHECK(explanation.items[1].lost[0].value == "[pool=]");

  // What one mode of affinity permits says nothing of the other one.
  const NodeAffinityRule rule{
      {{.match_expressions = {{.keys = {"arch"}, .operators = any, .values = any}}}}};
  SchedulingPolicySpec modes;
  auto& kind = modes.allowed.affinities.list().node_affinities.list();
  kind.required_during_scheduling_ignored_during_execution = rule;
  kind.preferred_during_scheduling_ignored_during_execution = rule;
  const NodeSelectorTerm term{{{"arch", NodeSelectorOperator::in, {"arm64"}}}, {}};
  Pod pod;
  pod.spec.affinity.emplace().node_affinity = NodeAffinity{NodeSelector{{term}}, {{1, term}}};
  const std::string preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  CHECK(items_of(explain(pod, merged(modes)))[1] ==
        "Permitted spec.affinity.nodeAffinity." + preferred +
            "[0].preference.matchExpressions[0] by a allowed.affinities.nodeAffinities." +
            preferred + ".nodeSelectorTerms[0].matchExpressions[0]");
}

TEST_CASE("what is required is said of what a default gives, too") {
  SchedulingPolicySpec spec;
  spec.required.priority_class_names = {"gold"};
  spec.defaults.priority_class_name = "gold";
  CHECK(items_of(explain({}, merged(spec))) ==
        Lines{"Defaulted spec.priorityClassName by a default.priorityClassName",
              "Required spec.priorityClassName by a required.priorityClassNames"});
}

TEST_CASE("where no item has a value there is no column of values") {
  Explanation explanation{
      false, {{FieldPath{"spec", "tolerations"}, "", Ruling::requirement_missing, {}, {}}}};
  explanation.items[0].by = {{"p", FieldPath{"required", "tolerations"}.index(0), ""}};
  CHECK(message(explanation) ==
        "denied\n"
        "  RequirementMissing  `spec.tolerations`    by `p` required.tolerations[0]");
}

TEST_CASE("the cluster's own priority class is exempt, where a pod names it too") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  const auto policy =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}});
  const Pod pod{.spec = {.priority_class_name = "gold"}};
  const Explanation explanation = explain(pod, policy, {.global_default_priority_class = "gold"});
  CHECK(explanation.allowed);
  const auto found = std::find_if(
      explanation.items.begin(), explanation.items.end(),
      [](const auto& item) { return to_string(item.field) == "spec.priorityClassName"; });
  REQUIRE(found != explanation.items.end());
  CHECK(found->ruling == Ruling::exempt);
  CHECK_FALSE(explain(pod, policy, {}).allowed);
}

TEST_CASE("a priority class is explained where it is permitted, as where it is required") {
  struct Case {
    PolicySection required;
    PolicySection allowed;
    Ruling wanted;
  };
  const Case cases[] = {
      {{}, {.priority_class_names = {"gold"}}, Ruling::permitted},
      {{.priority_class_names = {"gold"}}, {}, Ruling::required},
      {{}, {}, Ruling::not_permitted},
  };
  for (const auto& [required, allowed, wanted] : cases) {
    const std::vector<SchedulingPolicy> policies = {
        {.metadata = {.name = "p"}, .spec = {.required = required, .allowed = allowed}}};
    const Explanation explanation =
        explain({.spec = {.priority_class_name = "gold"}}, merge(policies));
    REQUIRE(explanation.items.size() == 2);
    CHECK(to_string(explanation.items[1].field) == "spec.priorityClassName");
    CHECK(explanation.items[1].ruling == wanted);
    CHECK(explanation.items[1].value == "gold");
  }
}

TEST_CASE("of rules that nobody merged the entries are named as they say where they are from") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = {"blue"};
  const FieldPath list{"allowed", "schedulerNames"};
  const FieldPath entry = list.index(0);
  const EffectivePolicy made(spec, {"p"}, {.entries = {{entry, {"p"}}}, .lost = {{list, {"q"}}}});
  const Explanation explanation = explain({.spec = {.scheduler_name = "blue"}}, made);
  CHECK(explanation.allowed);
  REQUIRE(explanation.items.size() == 1);
  CHECK(explanation.items[0].by == std::vector<PolicyEntry>{{"p", entry, ""}});
  CHECK(explanation.items[0].lost == std::vector<PolicyEntry>{{"q", list, ""}});
}

TEST_CASE("where no policy decides, that is all there is to explain") {
  const Explanation explanation = explain({.kind = PodKind::deployment}, {});
  CHECK_FALSE(explanation.allowed);
  REQUIRE(explanation.items.size() == 1);
  CHECK(explanation.items[0].field == "spec.template.spec");
  CHECK(explanation.items[0].ruling == Ruling::not_permitted);
  CHECK_FALSE(Explanation().allowed);
}

TEST_CASE("of a pod that was moved from it is explained that it is denied") {
  const EffectivePolicy everything = merge(std::vector<SchedulingPolicy>{
      {.metadata = {.name = "a"},
       .spec = {.allowed = schedpol::scheduling_policy::detail::everything()}}});
  for (const PodKind kind : {PodKind::pod, PodKind::deployment}) {
    Pod pod{.kind = kind};
    const Pod taken = std::move(pod);
    CHECK(explain(taken, everything).allowed);
    const Explanation explanation = explain(pod, everything);  // NOLINT(bugprone-use-after-move)
    CHECK_FALSE(explanation.allowed);
    REQUIRE(explanation.items.size() == 1);
    CHECK(explanation.items[0].field == check(pod, everything)[0].field);
    CHECK(explanation.items[0].ruling == Ruling::not_permitted);
  }
}

TEST_CASE("an explanation of much stays short") {
  SchedulingPolicySpec spec;
  std::vector<SchedulingPolicy> policies;
  for (int i = 0; i < 200; ++i) {
    spec.allowed.tolerations = any;
    policies.push_back({.metadata = {.name = "p" + std::to_string(i)}, .spec = spec});
  }
  Pod pod;
  for (int i = 0; i < 2000; ++i) pod.spec.tolerations.push_back({.key = "k" + std::to_string(i)});
  const Explanation explanation = explain(pod, merge(policies));
  REQUIRE(explanation.items.size() == 2001);
  CHECK(explanation.items[1].by.size() == 5);
  const std::string text = message(explanation);
  CHECK(std::count(text.begin(), text.end(), '\n') == 101);
  CHECK(text.ends_with("\n  and 1901 more"));

  // A pattern that names a key twice is one entry, and of many entries a few are named.
  SchedulingPolicySpec patterns;
  for (const std::size_t entries : {1, 5, 6, 20}) {
    CAPTURE(entries);
    patterns.allowed.tolerations.list().resize(
        entries, {.keys = {"k", "k"}, .operators = any, .values = any, .effects = any});
    for (std::size_t i = 0; i < entries; ++i)
      patterns.allowed.tolerations.list()[i].values = {"", std::to_string(i)};
    pod.spec.tolerations = {{.key = "k"}};
    const Explanation of_patterns = explain(
        pod, merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "a"}, .spec = patterns}}));
    CHECK(of_patterns.items.back().by.size() == std::min<std::size_t>(entries, 5));
  }
}

}  // namespace explain_test
