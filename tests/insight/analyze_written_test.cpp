// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze.hpp>

#include "analyzed.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace engine_analyze_written_test {

using namespace analyzed;

TEST_CASE("each set that a written policy is used in is looked at, and each once") {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  scheduling_policy::SchedulingPolicySpec plain;
  plain.allowed.scheduler_names = {"default-scheduler"};
  scheduling_policy::SchedulingPolicySpec gpu = plain;
  gpu.required.node_selectors = {{"gpu", {"yes"}}};
  Objects& objects = configuration.objects;
  for (const char* name : {"a", "b", "c"})
    objects.scheduling_policies.push_back({{.name = name}, plain});
  // The sets of which one strategy allows other pods, and that not all was looked at.
  const auto told = [&](const char* written, const scheduling_policy::SchedulingPolicySpec& spec) {
    Lines sets;
    for (const SystemFinding& each :
         analyze(*compile(configuration), {.scheduling_policies = {{{.name = written}, spec}}})) {
      if (each.finding.code == FindingCode::strategies_disagree)
        sets.push_back(in_backticks(each.finding.policies));
      if (each.finding.code == FindingCode::not_decided) sets.push_back("not all");
    }
    return sets;
  };
  const auto grant = [&](const char* account, const char* policies) {
    for (const char name : std::string(policies))
      add(objects.rbac, granting(std::string(1, name).c_str(), account, account));
  };
  grant("job", "bc");
  grant("web", "ac");
  CHECK(told("c", gpu) == Lines{"`b` and `c`", "`a` and `c`", "not all"});
  objects.scheduling_policies[1].spec = objects.scheduling_policies[2].spec = gpu;
  objects.rbac = {};
  grant("job", "ac");
  grant("web", "ab");
  CHECK(told("a", plain) == Lines{"`a` and `c`", "`a` and `b`", "not all"});
  // All that are there are one set, whether they are named or not.
  objects.scheduling_policies.erase(objects.scheduling_policies.begin() + 1);
  objects.rbac = {};
  grant("web", "ac");
  CHECK(told("c", gpu) == Lines{"`a` and `c`"});
  objects.rbac.cluster_roles = {
      {{.name = "all"}, {{{"use"}, {"schedpol.io"}, {"schedulingpolicies"}, {}}}}};
  objects.rbac.cluster_role_bindings = {
      {{.name = "job"},
       {.kind = "ClusterRole", .name = "all"},
       {{.kind = "ServiceAccount", .name = "job", .namespace_ = "shop"}}}};
  CHECK(told("c", gpu) == Lines{"`a` and `c`"});
  // Of those that nobody may use each is told.
  objects.rbac = {};
  CHECK(texts(analyze(*compile(configuration),
                      {.scheduling_policies = {{{.name = "a"}, plain}, {{.name = "b"}, plain}}})) ==
        Lines{"SchedulingPolicy: `a`: nobody may use it",
              "SchedulingPolicy: `b`: nobody may use it"});
}

TEST_CASE("a policy that is written with who may use it is looked at as these use it") {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  const Objects written{.scheduling_policies = {{.metadata = {.name = "s"}}},
                        .rbac = granting("s", "web")};
  const Engine engine = *compile(configuration);
  CHECK(texts(analyze(engine, {.scheduling_policies = written.scheduling_policies})) ==
        Lines{"SchedulingPolicy: `s`: nobody may use it"});
  CHECK(texts(analyze(engine, written)) == Lines{"SchedulingPolicy: `s`: no pod is allowed"});
  // Whoever may use all may use it too.
  const rbac::Rbac of_all{
      .cluster_roles = {{{.name = "admin"}, {{{"*"}, {"*"}, {"*"}, {}}}}},
      .cluster_role_bindings = {{{.name = "admin"},
                                 {.kind = "ClusterRole", .name = "admin"},
                                 {{.kind = "Group", .name = "system:authenticated"}}}}};
  CHECK(texts(analyze(engine.with({.rbac = of_all}),
                      {.scheduling_policies = written.scheduling_policies})) ==
        Lines{"SchedulingPolicy: `s`: no pod is allowed"});
}

TEST_CASE("who writes a policy is told what is about it, among those that are there") {
  Configuration configuration = odd();
  Objects written;
  std::swap(written.pod_scheduling_policies, configuration.objects.pod_scheduling_policies);
  configuration.objects.pod_scheduling_policies = {written.pod_scheduling_policies[0]};
  written.pod_scheduling_policies.erase(written.pod_scheduling_policies.begin());
  const Engine engine = *compile(configuration);
  CHECK(texts(analyze(engine, written)) == Lines{found[2]});
  written.pod_scheduling_policies[0].spec.scheduler_name = "p";
  CHECK(analyze(engine, written).empty());
  CHECK(analyze(engine, {}).empty());
  CHECK(analyze(Engine(), written).empty());
  // What it was before is not beside it.
  Objects changed{.pod_scheduling_policies = configuration.objects.pod_scheduling_policies};
  changed.pod_scheduling_policies[0].spec.scheduler_name = "other";
  CHECK(analyze(engine, changed).empty());
  // The same again in its place.
  CHECK(texts(analyze(engine, {.metadata_policies = configuration.objects.metadata_policies})) ==
        Lines{found[1]});
  CHECK(texts(analyze(engine, {.scheduling_policies = configuration.objects.scheduling_policies}))
            .back() == found[3]);
  CHECK(
      texts(analyze(engine, {.resource_policies = {configuration.objects.resource_policies[0]}})) ==
      Lines{found[4]});
  CHECK(analyze(engine, {.resource_policies = {{.metadata = {.name = "p", .namespace_ = "x"}}}})
            .empty());
  // Nodes are not known there.
  CHECK(analyze(engine, {.runtime_classes = configuration.objects.runtime_classes}).empty());
  // Those that came since are looked at, those that went are not, and those of the cluster are
  // beside those of every namespace.
  const auto policy = [](const char* name, const char* scheduler) {
    return pod_scheduling_policy::PodSchedulingPolicy{
        .metadata = {.name = name, .namespace_ = "shop"},
        .spec = {.pod_selector = LabelSelector{}, .scheduler_name = scheduler}};
  };
  const Objects two{.pod_scheduling_policies = {policy("x", "p"), policy("y", "q")}};
  const Objects third{.pod_scheduling_policies = {policy("z", "p")}};
  const Engine with_two = engine.with(two);
  REQUIRE(analyze(with_two, third).size() == 1);
  CHECK(analyze(with_two, third)[0].finding.policies == Names{"shop/y", "shop/z"});
  CHECK(analyze(with_two.without(two), third).empty());
  auto of_cluster = policy("y", "q");
  of_cluster.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy;
  of_cluster.metadata.namespace_.clear();
  of_cluster.spec.namespace_selector = LabelSelector{};
  CHECK(analyze(engine.with({.pod_scheduling_policies = {of_cluster}}), third).size() == 1);
  // What is given together with those that are stored.
  auto giving = policy("w", "p");
  for (std::size_t i = 2; i < max_given_items; ++i)
    giving.spec.tolerations.push_back({.key = "key" + std::to_string(i)});
  for (Toleration& toleration : giving.spec.tolerations)
    toleration.operator_ = TolerationOperator::exists;
  CHECK(analyze(engine, {.pod_scheduling_policies = {giving}}).empty());
  const auto too_much = analyze(engine.with({.pod_scheduling_policies = {giving}}), third);
  REQUIRE(too_much.size() == 1);
  CHECK(too_much[0].finding.code == FindingCode::limit_exceeded);
  CHECK(too_much[0].finding.policies == Names{"shop/p", "shop/w", "shop/z"});
  written.pod_scheduling_policies[0].metadata.name = "";
  CHECK(analyze(engine, written).empty());
}

TEST_CASE("of stored objects is told what they do with a written one, and nothing else") {
  namespace metadata = metadata_policy;
  namespace injecting = pod_scheduling_policy;
  const auto rules = [](const char* name, std::vector<metadata::MetadataPolicyRule> all) {
    return Objects{.metadata_policies = {{.metadata = {.name = name, .namespace_ = "shop"},
                                          .spec = {.rules = std::move(all)}}}};
  };
  const auto labels = [](Labels written) {
    return metadata::MetadataPolicyRule{.policy_action = {.updated_labels = std::move(written)}};
  };
  const auto annotations = [](Labels written) {
    return metadata::MetadataPolicyRule{
        .policy_action = {.updated_annotations = std::move(written)}};
  };
  const LabelSelector web{.match_labels = {{"app", "web"}}};
  metadata::MetadataPolicyRule of_web = labels({{"x", "1"}});
  of_web.policy_predicate.label_selector = web;
  metadata::MetadataPolicyRule rejecting = of_web;
  rejecting.policy_action.reject = true;
  const metadata::MetadataPolicyRule rejecting_all{.policy_action = {.reject = true}};
  const auto asking = [](const char* name, Labels pairs, const char* pool) {
    injecting::PodSchedulingPolicySpec spec{.pod_selector = LabelSelector{},
                                            .node_selector = std::move(pairs)};
    spec.affinity.emplace()
        .node_affinity.emplace()
        .required_during_scheduling_ignored_during_execution =
        NodeSelector{{{{{"pool", NodeSelectorOperator::in, {pool}}}, {}}}};
    return Objects{.pod_scheduling_policies = {
                       {.metadata = {.name = name, .namespace_ = "shop"}, .spec = spec}}};
  };
  const auto scheduling = [](const char* name, const char* scheduler, bool of_cluster) {
    injecting::PodSchedulingPolicy policy{
        .metadata = {.name = name, .namespace_ = of_cluster ? "" : "shop"},
        .spec = {.pod_selector = LabelSelector{}, .scheduler_name = scheduler}};
    if (of_cluster) {
      policy.kind = injecting::PolicyKind::cluster_pod_scheduling_policy;
      policy.spec.namespace_selector = LabelSelector{};
    }
    return Objects{.pod_scheduling_policies = {policy}};
  };
  Objects units{.resource_policies = {{.metadata = {.name = "a", .namespace_ = "shop"}}}};
  units.resource_policies[0].spec.units = {{}, {}};
  const Objects pods{.resource_policies = {{.metadata = {.name = "b", .namespace_ = "shop"}}}};
  const std::string overlap = "`: both can select one object, and write different values to it: `";
  const auto keys = [&](const std::string& field) {
    return "MetadataPolicy: `shop/a` and `shop/b`: `metadata." + field + overlap +
           "rules[0] 1, rules[0] 2`";
  };
  const std::string terms = "spec.affinity.nodeAffinity." + std::string(required_mode);
  const std::string pools = "PodSchedulingPolicy: `shop/a` and `shop/b`: `" + terms + overlap +
                            "(pool In [web]), (pool In [db])`";
  const struct {
    const char* name;
    Objects stored;
    Objects written;
    Lines told;
  } cases[] = {
      {"a rule that rejects and updates",
       rules("a", {rejecting}),
       rules("b", {labels({{"y", "1"}})}),
       {}},
      {"a rule that rejects all, and one of some",
       rules("a", {rejecting_all}),
       rules("b", {of_web}),
       {"MetadataPolicy: `shop/b`: `rules[0]`: the rule never fires, because all that it selects "
        "is "
        "rejected"}},
      {"the second of the labels that are written",
       rules("a", {labels({{"y", "1"}})}),
       rules("b", {labels({{"x", "2"}, {"y", "2"}})}),
       {keys("labels[y]")}},
      {"the second of the labels that are stored",
       rules("a", {labels({{"x", "1"}, {"y", "1"}})}),
       rules("b", {labels({{"y", "2"}})}),
       {keys("labels[y]")}},
      {"an annotation",
       rules("a", {annotations({{"y", "1"}})}),
       rules("b", {annotations({{"y", "2"}})}),
       {keys("annotations[y]")}},
      {"a stored policy that contradicts itself",
       asking("a", {{"pool", "web"}}, "db"),
       asking("b", {}, "db"),
       {}},
      {"a stored policy that comes first", asking("a", {}, "web"), asking("b", {}, "db"), {pools}},
      {"a stored policy that comes last", asking("b", {}, "db"), asking("a", {}, "web"), {pools}},
      {"a stored policy of that name in a namespace",
       scheduling("p", "blue", false),
       scheduling("p", "green", true),
       {"PodSchedulingPolicy: `p` and `shop/p`: `spec.schedulerName" + overlap + "green, blue`"}},
      {"units of a stored policy, which overlap",
       units,
       pods,
       {"ResourcePolicy: `shop/a` and `shop/b`: `podSelector`: both can select one pod, which is "
        "then denied"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const Configuration configuration{.systems = {{System::metadata_policy},
                                                  {System::pod_scheduling_policy},
                                                  {System::resource_policy}},
                                      .objects = c.stored};
    CHECK(texts(analyze(*compile(configuration), c.written)) == c.told);
  }
}

TEST_CASE("stored policies that nothing written is about are not looked at, however many") {
  Configuration configuration = odd();
  configuration.objects = {};
  for (int i = 0; i < 300; ++i) {
    scheduling_policy::SchedulingPolicy policy{.metadata = {.name = std::to_string(i)}};
    for (int value = 0; value < 100; ++value)
      policy.spec.allowed.scheduler_names.list().push_back(std::to_string(value));
    configuration.objects.scheduling_policies.push_back(policy);
  }
  const Engine engine = *compile(configuration);
  Objects written = odd().objects;
  REQUIRE(texts(analyze(engine, {.scheduling_policies = written.scheduling_policies}))
              .back()
              .starts_with("SchedulingPolicy: too much to compare"));
  written.scheduling_policies = {};
  CHECK(texts(analyze(engine, written)) == Lines{found[1], found[2], found[4]});
}

TEST_CASE("law: a written policy is told of whatever it and one that is stored do to one object") {
  testing::Generator generate(23);
  std::size_t said = 0;
  for (int round = 0; round < 150; ++round) {
    Configuration configuration;
    configuration.systems = {
        {System::metadata_policy}, {System::pod_scheduling_policy}, {System::resource_policy}};
    configuration.objects = overlapping(generate);
    const Objects& objects = configuration.objects;
    Objects rejecting;
    for (const auto& policy : objects.metadata_policies)
      if (policy.spec.rules[0].policy_action.reject) rejecting.metadata_policies.push_back(policy);
    const Engine engine = *compile(configuration);
    const auto check = [&](const auto list, std::size_t i) {
      Objects written;
      (written.*list).push_back((objects.*list)[i]);
      const Lines told = texts(analyze(engine, written));
      // With each of the others alone, and all that rejects.
      Lines wanted;
      for (std::size_t j = 0; j < (objects.*list).size(); ++j) {
        Configuration two{.systems = configuration.systems, .objects = rejecting};
        for (const std::size_t number : {i, j}) {
          const auto& policy = (objects.*list)[number];
          auto& all = two.objects.*list;
          if (std::find(all.begin(), all.end(), policy) == all.end()) all.push_back(policy);
        }
        const std::string& name = (objects.*list)[i].metadata.name;
        for (const SystemFinding& each : analyze(two)) {
          const Lines policies(each.finding.policies.begin(), each.finding.policies.end());
          const bool is_named =
              std::any_of(policies.begin(), policies.end(),
                          [&](const std::string& policy) { return policy.ends_with(name); });
          if (is_named) wanted.push_back(message(each));
        }
      }
      said += told.size();
      for (const std::string& text : told)
        CHECK(std::find(wanted.begin(), wanted.end(), text) != wanted.end());
      // Of those that come before the written one the first is enough; after it each is told.
      for (const std::string& text : texts(analyze(configuration))) {
        const bool is_wanted = std::find(wanted.begin(), wanted.end(), text) != wanted.end();
        if (is_wanted) CHECK(std::find(told.begin(), told.end(), text) != told.end());
      }
    };
    for (std::size_t i = 0; i < 5; ++i) {
      check(&Objects::metadata_policies, i);
      check(&Objects::pod_scheduling_policies, i);
      check(&Objects::resource_policies, i);
    }
  }
  CHECK(said > 200);
}

}  // namespace engine_analyze_written_test
