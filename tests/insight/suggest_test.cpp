// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/suggest.hpp>

#include "suggestions.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace suggest_test {

// What holds for every inventory is a law, in suggest_laws_test.cpp.

using namespace suggestions;
using engine::PolicyUse;
using engine::SuggestedNodeNames;

/// The entries, without the one that permits the default scheduler.
std::vector<std::string> entries_of(const Suggestion& suggestion) {
  std::vector<std::string> texts;
  for (const SuggestedEntry& entry : suggestion.entries) {
    std::string text = to_string(entry.entry) + ": " + entry.value;
    if (text != "allowed.schedulerNames[0]: default-scheduler") texts.push_back(std::move(text));
  }
  return texts;
}

TEST_CASE("each item needs the narrowest entry that permits it") {
  const std::string node_terms =
      "allowed.affinities.nodeAffinities.requiredDuringSchedulingIgnoredDuringExecution."
      "nodeSelectorTerms[0].";
  const auto node_affinity = [](NodeSelectorTerm term) {
    NodeAffinity affinity;
    affinity.required_during_scheduling_ignored_during_execution = {{std::move(term)}};
    return PodSpec{.affinity = Affinity{.node_affinity = std::move(affinity)}};
  };
  const auto toleration = [](Toleration of) { return PodSpec{.tolerations = {std::move(of)}}; };
  using Operator = TolerationOperator;
  PodAffinity spread;
  spread.preferred_during_scheduling_ignored_during_execution = {
      {.weight = 1, .pod_affinity_term = {.topology_key = "zone"}}};
  const struct {
    const char* name;
    PodSpec spec;
    Lines entries;
  } cases[] = {
      {"nothing but the scheduler", {}, {}},
      {"a scheduler", {.scheduler_name = "batch"}, {"allowed.schedulerNames[0]: batch"}},
      {"a node of its own", {.node_name = "node-1"}, {"allowed.schedulerNames: []"}},
      {"a priority class",
       {.priority_class_name = "gold"},
       {"allowed.priorityClassNames[0]: gold"}},
      {"a node selector",
       {.node_selector = {{"disk", "ssd"}, {"zone", "a"}}},
       {"allowed.nodeSelectors[disk][0]: ssd", "allowed.nodeSelectors[zone][0]: a"}},
      {"a toleration of a value",
       toleration({"team", {}, "shop", TaintEffect::no_execute, 60}),
       {"allowed.tolerations[0]: {keys: [team], operators: [Equal], values: [shop], effects: "
        "[NoExecute]}"}},
      {"a toleration of any effect",
       toleration({"gpu", Operator::exists, "", {}, {}}),
       {"allowed.tolerations[0]: {keys: [gpu], operators: [Exists], effects: []}"}},
      {"a toleration of everything",
       toleration({"", Operator::exists, "", {}, {}}),
       {"allowed.tolerations[0]: {keys: [], operators: [Exists], effects: []}"}},
      {"an expression of several values",
       node_affinity({{{"zone", NodeSelectorOperator::in, {"b", "a"}}}, {}}),
       {node_terms + "matchExpressions[0]: {keys: [zone], operators: [In], values: [a, b]}"}},
      {"an expression without values",
       node_affinity({{{"gpu", NodeSelectorOperator::exists, {}}}, {}}),
       {node_terms + "matchExpressions[0]: {keys: [gpu], operators: [Exists]}"}},
      {"a field",
       node_affinity({{}, {{"metadata.name", NodeSelectorOperator::in, {"node-1"}}}}),
       {node_terms + "matchFields[0]: {keys: [metadata.name], operators: [In], values: [node-1]}"}},
      {"an empty term",
       node_affinity({}),
       {"allowed.affinities.nodeAffinities.requiredDuringSchedulingIgnoredDuringExecution: []"}},
      {"a topology key",
       {.affinity = Affinity{.pod_anti_affinity = spread}},
       {"allowed.affinities.podAntiAffinities.preferredDuringSchedulingIgnoredDuringExecution."
        "topologyKeys[0]: zone"}},
      {"a runtime class", {.runtime_class_name = "kata"}, {"allowed.runtimeClassNames[0]: kata"}},
      {"a spread constraint",
       {.topology_spread_constraints =
            {{.topology_key = "zone", .when_unsatisfiable = WhenUnsatisfiable::do_not_schedule}}},
       {"allowed.topologySpreadConstraints[0]: {topologyKeys: [zone], whenUnsatisfiable: "
        "[DoNotSchedule]}"}},
      {"a gate", {.scheduling_gates = {{"quota"}}}, {"allowed.schedulingGates[0]: quota"}},
      {"a claim",
       {.resource_claims = {{.name = "c", .resource_claim_template_name = "gpu"}}},
       {"allowed.resourceClaims[0]: gpu"}},
  };
  for (const auto& [name, spec, entries] : cases) {
    CAPTURE(name);
    const Suggestion suggestion = suggested({object("web", spec)});
    CHECK(entries_of(suggestion) == entries);
    CHECK(suggestion.proof.allowed == 1);
    CHECK(suggestion.unsatisfiable.empty());
  }
}

TEST_CASE("what was heard is needed like what runs, and is counted apart") {
  RunningObject heard = object("web", with_toleration("gpu"));
  heard.pods = 0;
  heard.heard = 40;
  RunningObject manifest = object("web", with_toleration("gpu"));
  manifest.pods = 0;
  const auto counts_of = [](const std::vector<RunningObject>& objects) {
    for (const SuggestedEntry& entry : suggested(objects).entries)
      if (entry.value.starts_with("{keys: [gpu]"))
        return std::array{entry.pods, entry.others, entry.heard, entry.accounts};
    return std::array<std::size_t, 4>{};
  };
  using Counts = std::array<std::size_t, 4>;
  CHECK(counts_of({heard}) == Counts{0, 0, 40, 1});
  CHECK(counts_of({heard, heard}) == Counts{0, 0, 80, 1});
  CHECK(counts_of({heard, manifest, object("api", with_toleration("gpu"))}) == Counts{1, 1, 40, 2});
  CHECK(suggested({heard}).objects == suggested({manifest}).objects);
  CHECK(suggested({heard}).proof.allowed == 1);
}

TEST_CASE("names come from content") {
  const auto name_of = [](PodSpec spec) {
    Configuration configuration;
    configuration.settings.strategy = MergeStrategy::smart_deep_merge;
    const Suggestion suggestion = suggested({object("web"), object("api", std::move(spec))});
    for (const SchedulingPolicy& policy : suggestion.objects.scheduling_policies)
      if (policy.spec.allowed.scheduler_names != AnyOr<Texts>{"default-scheduler"})
        return policy.metadata.name;
    return std::string();
  };
  const auto label_of = [&](PodSpec spec) {
    const std::string name = name_of(std::move(spec));
    return name.substr(0, name.rfind('-'));
  };
  CHECK(label_of(with_toleration("nvidia.com/gpu")) == "gpu-tolerations");
  CHECK(label_of(with_selector("disk", "ssd")) == "disk-node-selectors");
  CHECK(label_of({.scheduler_name = "batch"}) == "batch-scheduler");
  CHECK(label_of({.priority_class_name = "gold"}) == "gold-priority-class");
  CHECK(label_of({.tolerations = {{"a", TolerationOperator::exists, "", {}, {}},
                                  {"b", TolerationOperator::exists, "", {}, {}}}}) ==
        "a-and-1-more-tolerations");
  CHECK(label_of({.priority_class_name = "gold", .node_selector = {{"disk", "ssd"}}}) ==
        "gold-priority-class-and-1-more");
  CHECK(name_of(with_selector("disk", "ssd")) != name_of(with_selector("disk", "hdd")));
}

TEST_CASE("an entry makes others needless, alone or together with more") {
  using Effect = TaintEffect;
  const auto tolerating = [](std::vector<Toleration> tolerations) {
    return entries_of(suggested({object("web", {.tolerations = std::move(tolerations)})})).size();
  };
  const auto gpu = [](OpenEnum<Effect> effect) {
    return Toleration{"gpu", TolerationOperator::exists, "", effect, {}};
  };
  CHECK(tolerating({gpu(Effect::no_schedule), gpu({})}) == 1);
  CHECK(tolerating({gpu(Effect::no_schedule), gpu(Effect::no_execute)}) == 2);
  // The one without an effect is permitted by what is permitted for each.
  CHECK(tolerating({gpu(Effect::no_schedule), gpu(Effect::prefer_no_schedule),
                    gpu(Effect::no_execute), gpu({})}) == 1);
  CHECK(entries_of(suggested({object("web", {.scheduler_name = "batch"}),
                              object("web", {.node_name = "node-1"})})) ==
        Lines{"allowed.schedulerNames: []"});
}

TEST_CASE("a mode that only warns, and a namespace that asks for it, need what enforcing would") {
  Configuration configuration;
  configuration.systems = {{engine::System::scheduling_policy, engine::Mode::audit}};
  configuration.settings.namespace_modes = engine::NamespaceModes{.weakest = engine::Mode::audit};
  configuration.objects.namespaces = {
      {{.name = "shop", .labels = {{std::string(engine::mode_label), "Audit"}}}}};
  CHECK(entries_of(suggested({object("web", with_selector("disk", "ssd"))}, {}, configuration)) ==
        Lines{"allowed.nodeSelectors[disk][0]: ssd"});
}

TEST_CASE("keys whose values become any, and names of nodes") {
  const std::vector<RunningObject> objects = {
      object("web", with_selector("disk", "ssd")), object("web", with_selector("disk", "hdd")),
      object("web", with_selector("kubernetes.io/hostname", "n"))};
  CHECK(entries_of(suggested(objects, {.generalise = {"disk"}})) ==
        Lines{"allowed.nodeSelectors[disk]: []",
              "allowed.nodeSelectors[kubernetes.io/hostname][0]: n"});
  CHECK(entries_of(suggested(objects, {.node_names = SuggestedNodeNames::any})) ==
        Lines{"allowed.nodeSelectors[disk][0]: hdd", "allowed.nodeSelectors[disk][1]: ssd",
              "allowed.nodeSelectors[kubernetes.io/hostname]: []"});
}

TEST_CASE("what no permission helps is told, and nothing is granted for it") {
  Configuration there;
  there.objects.scheduling_policies = {
      {{.name = "blue"}, {.required = {.node_selectors = {{"disk", {"ssd"}}}}}}};
  there.settings.policy_use = PolicyUse::every;
  Configuration classes;
  classes.systems = {{engine::System::runtime_class}};
  const struct {
    const char* name;
    PodSpec spec;
    Configuration configuration;
    const char* reason;
  } cases[] = {
      {"a requirement", {}, there, "a requirement is not met"},
      {"another system", {.runtime_class_name = "kata"}, classes, "no permission is missing"},
      {"an unknown effect",
       {.tolerations = {{"gpu", TolerationOperator::exists, "", OpenEnum<TaintEffect>("No"), {}}}},
       {},
       "it asks for what no valid policy can permit"},
  };
  for (const auto& [name, spec, configuration, reason] : cases) {
    CAPTURE(name);
    const Suggestion suggestion = suggested({object("web", spec)}, {}, configuration);
    REQUIRE(suggestion.unsatisfiable.size() == 1);
    CHECK(suggestion.unsatisfiable[0].reason == reason);
    CHECK(suggestion.unsatisfiable[0].owner.name == "web");
    CHECK(suggestion.objects == engine::Objects());
    CHECK(suggestion.proof.denied.size() == 1);
  }
}

TEST_CASE("what a policy that is there would hide is undecided") {
  Configuration configuration;
  const Suggestion there = suggested({object("web")});
  configuration.objects = there.objects;
  const auto undecided = [&](MergeStrategy strategy, PodSpec spec) {
    configuration.settings.strategy = strategy;
    return suggested({object("web", std::move(spec))}, {}, configuration).undecided.size();
  };
  CHECK(undecided(MergeStrategy::smart_deep_merge, {.scheduler_name = "batch"}) == 0);
  CHECK(undecided(MergeStrategy::simple_merge, {.scheduler_name = "batch"}) == 1);
  CHECK(undecided(MergeStrategy::simple_merge, with_selector("disk", "ssd")) == 0);
  CHECK(undecided(MergeStrategy::first_seen_wins, with_selector("disk", "ssd")) == 1);
}

TEST_CASE("a pod that may have named its node is undecided, unless that makes no difference") {
  RunningObject bare = object("web");
  bare.doubtful_node = "node-1";
  const Suggestion suggestion = suggested({bare});
  REQUIRE(suggestion.undecided.size() == 1);
  CHECK(suggestion.undecided[0].reason == "nobody can tell whether it named its node");
  CHECK(entries_of(suggestion).empty());
  CHECK(suggested({bare, object("web", {.node_name = "node-2"})}).undecided.empty());
}

TEST_CASE("an entry says who needs it, and what it opens") {
  RunningObject gold = object("api", {.priority_class_name = "gold"});
  gold.priority = {.value = 1000};
  gold.pods = 3;
  RunningObject low = object("web", with_toleration("gpu"));
  low.priority = {.value = 0};
  low.pods = 5;
  RunningObject template_of_low = object("web", with_toleration("gpu"));
  template_of_low.pods = 0;
  std::vector<Node> nodes(4);
  nodes[0].spec.taints = {{"gpu", "a100", TaintEffect::no_schedule}};
  nodes[1].spec.taints = {{"gpu", "a100", TaintEffect::no_execute}};
  const Suggestion suggestion = suggested({low, gold, template_of_low}, {.nodes = nodes});
  const auto entry_of = [&](std::string_view value) {
    for (const SuggestedEntry& entry : suggestion.entries)
      if (entry.value.find(value) != std::string::npos) return entry;
    return SuggestedEntry();
  };
  const SuggestedEntry toleration = entry_of("gpu");
  CHECK(toleration.pods == 5);
  CHECK(toleration.others == 1);
  CHECK(toleration.accounts == 1);
  CHECK(toleration.example == engine::Owner{"Deployment", "shop", "web"});
  CHECK(toleration.nodes == engine::OpenedCount{1, 4});
  CHECK(!toleration.preempted);
  CHECK(entry_of("gold").preempted == engine::OpenedCount{5, 8});
  CHECK(entry_of("default-scheduler").pods == 8);
}

TEST_CASE("an entry opens the nodes that it matches") {
  const auto affinity = [](NodeSelectorTerm term, bool is_required) {
    NodeAffinity node;
    if (is_required) {
      node.required_during_scheduling_ignored_during_execution = NodeSelector{{term}};
    } else {
      node.preferred_during_scheduling_ignored_during_execution = {{1, term}};
    }
    return PodSpec{.affinity = Affinity{.node_affinity = node}};
  };
  const auto toleration = [](Toleration made) { return PodSpec{.tolerations = {std::move(made)}}; };
  constexpr auto exists = TolerationOperator::exists;
  constexpr auto no_schedule = TaintEffect::no_schedule;
  std::vector<Node> nodes(4);
  nodes[0].metadata = {.name = "n-0", .labels = {{"disk", "ssd"}}};
  nodes[0].spec.taints = {{"gpu", "a", no_schedule}};
  nodes[1].metadata = {.name = "n-1", .labels = {{"disk", "hdd"}}};
  nodes[1].spec.taints = {{"gpu", "a", TaintEffect::no_execute}};
  nodes[2].metadata = {.name = "n-2", .labels = {{"disk", "ssd"}, {"zone", "z"}}};
  nodes[2].spec.taints = {{"gpu", "b", no_schedule}};
  nodes[3].metadata = {.name = "n-3", .labels = {{"zone", "z"}}};
  const struct {
    const char* name;
    PodSpec spec;
    std::size_t opened;
    SuggestOptions options{};
  } cases[] = {
      {"a pair of the node selector", with_selector("disk", "ssd"), 2},
      {"a key of the node selector", with_selector("disk", "ssd"), 3, {.generalise = {"disk"}}},
      {"a toleration", toleration({.key = "gpu", .value = "a", .effect = no_schedule}), 1},
      {"a toleration of any value",
       toleration({.key = "gpu", .operator_ = exists, .effect = no_schedule}), 2},
      {"a toleration of any effect", toleration({.key = "gpu", .operator_ = exists}), 3},
      {"a toleration of any key", toleration({.operator_ = exists, .effect = no_schedule}), 2},
      {"required node affinity",
       affinity({.match_expressions = {{"disk", NodeSelectorOperator::in, {"hdd"}}}}, true), 1},
      {"preferred node affinity",
       affinity({.match_expressions = {{"zone", NodeSelectorOperator::exists, {}}}}, false), 2},
      {"node affinity of a name",
       affinity({.match_fields = {{"metadata.name", NodeSelectorOperator::in, {"n-2"}}}}, true), 1},
      {"node affinity of any name",
       affinity({.match_fields = {{"metadata.name", NodeSelectorOperator::in, {"n-2"}}}}, true),
       4,
       {.node_names = SuggestedNodeNames::any}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    SuggestOptions options = c.options;
    options.nodes = nodes;
    const Suggestion suggestion = suggested({object("web", c.spec)}, options);
    REQUIRE(entries_of(suggestion).size() == 1);
    for (const SuggestedEntry& entry : suggestion.entries)
      if (entry.value != "default-scheduler")
        CHECK(entry.nodes == engine::OpenedCount{c.opened, 4});
  }
}

TEST_CASE("a proof names what is denied and what nobody needs") {
  const std::vector<RunningObject> objects = {object("web"),
                                              object("api", with_selector("disk", "ssd"))};
  engine::Objects added = suggested({object("web")}).objects;
  added.scheduling_policies[0].spec.allowed.priority_class_names = {"gold"};
  added.rbac.role_bindings[0].subjects.push_back({"ServiceAccount", "", "cron", "shop"});
  const auto proof = prove({}, added, objects);
  REQUIRE(proof);
  CHECK(proof->allowed == 1);
  REQUIRE(proof->denied.size() == 1);
  CHECK(proof->denied[0].owner.name == "api");
  CHECK(proof->entries == 1);
  CHECK(proof->subjects == 1);
  REQUIRE(proof->needless_entries.size() == 1);
  CHECK(to_string(proof->needless_entries[0].entry) == "allowed.priorityClassNames[0]");
  CHECK(proof->needless_subjects ==
        std::vector<engine::BoundSubject>{
            {"shop", added.rbac.role_bindings[0].metadata.name, "shop/cron"}});
}

TEST_CASE("more entries than a subject may need are an error that says what helps") {
  std::vector<RunningObject> objects;
  for (std::size_t i = 0; i <= engine::max_suggested_entries; ++i)
    objects.push_back(object("web", {.node_selector = {{"disk", std::to_string(i)}}}));
  const auto suggestion = suggest({}, objects);
  REQUIRE(!suggestion);
  CHECK(message(suggestion.error()) ==
        "`shop/web` has or needs more than 1024 entries: any values of their keys can be permitted "
        "instead");
  CHECK(entries_of(suggested(objects, {.generalise = {"disk"}})) ==
        Lines{"allowed.nodeSelectors[disk]: []"});
}

TEST_CASE(
    "an object that asks for more than any needs is unsatisfiable, and keeps nobody waiting") {
  // Besides its scheduler.
  const auto asking_for = [](std::size_t count) {
    Labels selector;
    for (std::size_t i = 1; i < count; ++i) selector.try_emplace("k" + std::to_string(i), "v");
    return object("web", {.node_selector = std::move(selector)});
  };
  const RunningObject other = object("api", {.scheduler_name = "batch"});
  const auto most = suggested({asking_for(engine::max_needs_of_object), other});
  CHECK(most.unsatisfiable.empty());
  CHECK(most.entries.size() == engine::max_needs_of_object + 1);
  const auto more = suggested({asking_for(engine::max_needs_of_object + 1), other});
  REQUIRE(more.unsatisfiable.size() == 1);
  CHECK(more.unsatisfiable[0].owner == asking_for(1).owner);
  CHECK(more.unsatisfiable[0].reason == "it asks for too many things that nothing permits");
  CHECK(more.proof.denied.size() == 1);
  CHECK(entries_of(more) == entries_of(suggested({other})));
}

TEST_CASE("what takes more steps than it may has no answer, and else the same one") {
  std::vector<RunningObject> objects;
  for (std::size_t i = 0; i < 40; ++i)
    objects.push_back(object("web", {.node_selector = {{"disk", std::to_string(i)}}}));
  const SuggestOptions limited{.max_steps = 10'000'000};
  CHECK(suggested(objects, limited) == suggested(objects));
  // However far it comes.
  for (std::size_t steps = 1; steps < 100'000; steps *= 3) {
    CAPTURE(steps);
    const auto suggestion = suggest({}, objects, {.max_steps = steps});
    REQUIRE(!suggestion);
    CHECK(suggestion.error().type == ErrorType::too_many);
    CHECK(message(suggestion.error()) ==
          "takes more than " + std::to_string(steps) + " steps, or the memory of as many");
  }
  const engine::Objects added = suggested(objects).objects;
  REQUIRE(prove({}, added, objects, limited.max_steps));
  CHECK(*prove({}, added, objects, limited.max_steps) == *prove({}, added, objects));
  const auto cut_short = prove({}, added, objects, 1'000);
  REQUIRE(!cut_short);
  CHECK(message(cut_short.error()) == "takes more than 1000 steps, or the memory of as many");
  CHECK(to_string(SuggestedSubject::namespace_) == "Namespace");
  CHECK(to_string(SuggestedNodeNames::any) == "Any");
}

}  // namespace suggest_test
