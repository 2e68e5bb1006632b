// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze.hpp>

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/rbac/builtin.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace engine_analyze_test {

using namespace schedpol;
using engine::Configuration;
using engine::Engine;
using engine::Objects;
using engine::PolicyUse;
using engine::System;
using engine::SystemFinding;
using Lines = std::vector<std::string>;

Lines texts(const std::vector<SystemFinding>& findings) {
  Lines all;
  for (const SystemFinding& finding : findings) all.push_back(message(finding));
  return all;
}

/// One finding of each system.
Configuration odd() {
  Configuration configuration;
  for (const System system : engine::all_systems) configuration.systems.push_back({system});
  configuration.settings.policy_use = PolicyUse::every;
  Objects& objects = configuration.objects;
  objects.runtime_classes = {{.metadata = {.name = "kata"},
                              .handler = "kata",
                              .scheduling = {{.node_selector = {{"runtime", "kata"}}}}}};
  objects.metadata_policies = {
      {.metadata = {.name = "m", .namespace_ = "shop"},
       .spec = {.rules = {{.policy_action = {.updated_labels = {{"a", "1"}}}},
                          {.policy_action = {.updated_labels = {{"a", "2"}}}}}}}};
  for (const char* name : {"p", "q"}) {
    objects.pod_scheduling_policies.push_back(
        {.metadata = {.name = name, .namespace_ = "shop"},
         .spec = {.pod_selector = LabelSelector{}, .scheduler_name = name}});
    objects.resource_policies.push_back({.metadata = {.name = name, .namespace_ = "shop"}});
  }
  objects.scheduling_policies = {{.metadata = {.name = "s"}}};
  return configuration;
}

const char* const found[] = {
    "RuntimeClass: `kata`: `scheduling.nodeSelector`: none of the nodes has the labels that the "
    "class asks for",
    "MetadataPolicy: `shop/m`: `metadata.labels[a]`: both can select one object, and write "
    "different values to it: `rules[0] 1, rules[1] 2`",
    "PodSchedulingPolicy: `shop/p` and `shop/q`: `spec.schedulerName`: both can select one object, "
    "and write different values to it: `p, q`",
    "SchedulingPolicy: `s`: no pod is allowed",
    "ResourcePolicy: `shop/p` and `shop/q`: `podSelector`: both can select one pod, which is then "
    "denied"};

TEST_CASE("the objects of every system are looked at, in the order of the systems") {
  const Node node{.metadata = {.name = "n", .labels = {{"runtime", "runc"}}}};
  Configuration configuration = odd();
  CHECK(texts(analyze(configuration, std::vector{node})) ==
        Lines{found[0], found[1], found[2], found[3], found[4]});
  CHECK(texts(analyze(configuration)) == Lines{found[1], found[2], found[3], found[4]});
  // Whether it runs or not.
  configuration.systems = {{System::resource_policy}};
  CHECK(analyze(configuration).size() == 4);
  // What cannot be used is left out.
  configuration.objects.resource_policies[1].spec.units = {{.priority = -1}};
  configuration.objects.pod_scheduling_policies[1].metadata.namespace_ = "";
  CHECK(texts(analyze(configuration)) == Lines{found[1], found[3]});
  CHECK(analyze(Configuration{}).empty());
}

TEST_CASE("a system that decides on pods before another one adds to them is found") {
  Configuration configuration;
  configuration.settings.policy_use = PolicyUse::every;
  configuration.objects.runtime_classes = {
      {.metadata = {.name = "windows"},
       .handler = "windows",
       .scheduling = {{.node_selector = {{"kubernetes.io/os", "windows"}}}}}};
  scheduling_policy::SchedulingPolicy policy{.metadata = {.name = "os"}};
  policy.spec.required.node_selectors = {{"kubernetes.io/os", any}};
  policy.spec.allowed.scheduler_names = any;
  configuration.objects.scheduling_policies = {policy};
  Pod pod{.metadata = {.name = "p", .namespace_ = "shop"}};
  pod.spec.runtime_class_name = "windows";
  Pod deployment = pod;
  deployment.kind = PodKind::deployment;
  const auto allows = [&](const Pod& object) {
    const Engine engine = *compile(configuration);
    return engine.decide({.object = object}).allowed;
  };
  const std::string before = "SchedulingPolicy: the system runs before `";
  const std::string what =
      "`, so that it judges pods without what that adds to them: put it behind";

  configuration.systems = {{System::scheduling_policy}, {System::runtime_class}};
  CHECK_FALSE(allows(pod));
  CHECK(allows(deployment));
  CHECK(texts(analyze(configuration)) == Lines{before + "RuntimeClass" + what});

  configuration.systems = {{System::runtime_class}, {System::scheduling_policy}};
  CHECK(allows(pod));
  CHECK(allows(deployment));
  CHECK(analyze(configuration).empty());

  configuration.systems = {{System::scheduling_policy},
                           {System::pod_scheduling_policy},
                           {System::metadata_policy},
                           {System::runtime_class}};
  CHECK(texts(analyze(configuration)) ==
        Lines{before + "PodSchedulingPolicy" + what, before + "RuntimeClass" + what});
  // One that denies nothing, or adds nothing, is not too early.
  for (const std::size_t i : {0, 1, 3}) {
    CAPTURE(i);
    Configuration warning = configuration;
    warning.systems[i].mode = engine::Mode::warn;
    CHECK(analyze(warning).size() == (i == 0 ? 0 : 1));
  }
}

rbac::Rbac granting(const char* policy, const char* account, const char* more_of_name = "") {
  const std::string name = std::string(policy) + more_of_name;
  rbac::Rbac objects;
  objects.roles = {{{.name = name, .namespace_ = "shop"},
                    {{{"use"}, {"schedpol.io"}, {"schedulingpolicies"}, {policy}}}}};
  objects.role_bindings = {{{.name = name, .namespace_ = "shop"},
                            {.kind = "Role", .name = name},
                            {{.kind = "ServiceAccount", .name = account}}}};
  return objects;
}

void add(rbac::Rbac& to, const rbac::Rbac& from) {
  to.roles.insert(to.roles.end(), from.roles.begin(), from.roles.end());
  to.role_bindings.insert(to.role_bindings.end(), from.role_bindings.begin(),
                          from.role_bindings.end());
}

TEST_CASE("policies are looked at in the sets that somebody may use, and its pods show it") {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  Objects& objects = configuration.objects;
  scheduling_policy::SchedulingPolicySpec plain;
  plain.allowed.scheduler_names = {"default-scheduler"};
  scheduling_policy::SchedulingPolicySpec gpu = plain;
  gpu.required.node_selectors = {{"gpu", {"yes"}}};
  objects.scheduling_policies = {{{.name = "gpu"}, gpu}, {{.name = "plain"}, plain}};
  objects.rbac = granting("plain", "web");
  CHECK(texts(analyze(configuration)) == Lines{"SchedulingPolicy: `gpu`: nobody may use it"});

  add(objects.rbac, granting("gpu", "web"));
  auto findings = analyze(configuration);
  REQUIRE(!findings.empty());
  const SystemFinding& last = findings.back();
  CHECK(message(last) ==
        "SchedulingPolicy: `gpu`: may be used by `service account shop/web`, whose pods are denied "
        "for what it requires");
  REQUIRE(last.finding.witness);
  const engine::Request request{.object = *last.finding.witness};
  CHECK_FALSE((*compile(configuration)).decide(request).allowed);
  CHECK((*compile(configuration))
            .without({.scheduling_policies = {{{.name = "gpu"}, {}}}})
            .decide(request)
            .allowed);

  // Who has a grant of what is not there, too, may use the same.
  for (const char* policy : {"gpu", "plain", "absent"})
    add(objects.rbac, granting(policy, "web-2", "-2"));
  CHECK(texts(analyze(configuration)) == texts(findings));

  // Where everybody is judged by all, no grant adds anything.
  configuration.settings.policy_use = PolicyUse::every;
  for (const SystemFinding& each : analyze(configuration))
    CHECK(each.finding.code != FindingCode::grant_adds_requirements);
  configuration.settings.policy_use = PolicyUse::rbac;

  // To others it is granted alone.
  objects.rbac = granting("plain", "web");
  add(objects.rbac, granting("gpu", "trainer"));
  CHECK(analyze(configuration).empty());

  objects.rbac.cluster_roles = {{{.name = "admin"}, {{{"*"}, {"*"}, {"*"}, {}}}}};
  objects.rbac.cluster_role_bindings = {{{.name = "admins"},
                                         {.kind = "ClusterRole", .name = "admin"},
                                         {{.kind = "Group", .name = "system:authenticated"}}}};
  findings = analyze(configuration);
  CHECK(message(findings.back()) ==
        "SchedulingPolicy: `rules[0].verbs`: the role `ClusterRole admin` grants the use of "
        "policies through `*`");
  bool everybody = false;
  for (const SystemFinding& each : findings) {
    if (each.finding.code == FindingCode::grant_adds_requirements) {
      everybody = each.finding.detail == "every service account";
      CHECK_FALSE((*compile(configuration)).decide({.object = *each.finding.witness}).allowed);
    }
  }
  CHECK(everybody);

  // Who writes a policy is told of the grants that an engine has, whatever grants them.
  const Engine engine = *compile(configuration);
  const auto told = texts(analyze(engine, {.scheduling_policies = {{{.name = "gpu"}, gpu}}}));
  CHECK(std::count_if(told.begin(), told.end(), [](const std::string& text) {
          return text.find("`every service account`") != std::string::npos;
        }) == 1);

  // And of the roles that name it, as they are by then.
  const auto told_of_roles = [&](const Engine& asked) {
    const auto all = texts(analyze(asked, {.scheduling_policies = {{{.name = "gpu"}, gpu}}}));
    return std::count_if(all.begin(), all.end(), [](const std::string& text) {
      return text.find("grants the use of policies through `*`") != std::string::npos;
    });
  };
  rbac::Rbac wide = granting("gpu", "web");
  wide.roles[0].rules[0].verbs = {"*"};
  CHECK(told_of_roles(engine) == 0);
  CHECK(told_of_roles(engine.with({.rbac = wide})) == 1);
  CHECK(told_of_roles(engine.with({.rbac = wide}).without({.rbac = wide})) == 0);
  // Whichever of their rules does.
  wide.roles[0].rules.insert(wide.roles[0].rules.begin(),
                             granting("plain", "web").roles[0].rules[0]);
  CHECK(told_of_roles(engine.with({.rbac = wide})) == 1);
}

TEST_CASE("what is wrong with a policy by itself is said, whoever may use it") {
  scheduling_policy::SchedulingPolicy wrong{.metadata = {.name = "wrong"}};
  wrong.spec.required.tolerations = {
      {.keys = {"gpu"}, .operators = any, .values = any, .effects = any}};
  wrong.spec.defaults.tolerations = {{.toleration = {.key = "spot"}}};
  wrong.spec.allowed.scheduler_names = any;
  scheduling_policy::SchedulingPolicy more{.metadata = {.name = "more"}};
  more.spec.allowed.tolerations = {
      {.keys = {"gpu"}, .operators = any, .values = any, .effects = any}};
  const auto denied_defaults = [](const std::vector<SystemFinding>& findings) {
    Lines policies;
    for (const SystemFinding& each : findings) {
      if (each.finding.code == FindingCode::default_denied)
        policies.push_back(each.finding.policies[0] + ": " + to_string(each.finding.field));
    }
    return policies;
  };
  const Lines said = {"wrong: default.tolerations"};
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  const auto written = [&] {
    return denied_defaults(
        analyze(*compile(configuration), {.scheduling_policies = {wrong, more}}));
  };
  const auto stored = [&] {
    Configuration all = configuration;
    all.objects.scheduling_policies = {wrong, more};
    return denied_defaults(analyze(all));
  };
  SUBCASE("nobody") {}
  SUBCASE("one account") {
    configuration.objects.rbac = granting("wrong", "builder");
  }
  SUBCASE("the same one with others") {
    configuration.objects.rbac = granting("wrong", "builder");
    add(configuration.objects.rbac, granting("more", "builder"));
  }
  CHECK(written() == said);
  CHECK(stored() == said);
}

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

TEST_CASE("what is built in is sane, and two policies wait for whoever wants them") {
  using namespace scheduling_policy;
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  configuration.objects.scheduling_policies = {restricted(), restricted_multiarch_by_affinity(),
                                               restricted_multiarch_by_node_selector(),
                                               privileged()};
  configuration.objects.rbac = rbac::builtin(own_api_group);
  Lines said;
  for (const SystemFinding& each : analyze(configuration))
    if (each.finding.severity != Severity::info) said.push_back(message(each));
  CHECK(said == Lines{});
  said.clear();
  for (const SystemFinding& each : analyze(configuration))
    if (each.finding.code == FindingCode::granted_to_nobody) said.push_back(message(each));
  CHECK(said == Lines{"SchedulingPolicy: `restricted-multiarch-by-affinity`: nobody may use it",
                      "SchedulingPolicy: `restricted-multiarch-by-node-selector`: nobody may use "
                      "it"});
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

TEST_CASE(
    "beside thousands of stored policies what a written one is about is found, and all of it") {
  constexpr int many = 5'000;
  Configuration configuration;
  configuration.systems = {
      {System::metadata_policy}, {System::pod_scheduling_policy}, {System::resource_policy}};
  Objects& objects = configuration.objects;
  const auto labelled = [](int i) {
    return LabelSelector{.match_labels = {{"app", std::to_string(i)}}};
  };
  const auto metadata_policy = [&](const char* name, int app, const char* value) {
    return metadata_policy::MetadataPolicy{
        .metadata = {.name = name + std::to_string(app), .namespace_ = "shop"},
        .spec = {.rules = {{.policy_predicate = {.label_selector = labelled(app)},
                            .policy_action = {.updated_labels = {{"a", value}}}}}}};
  };
  const auto pod_scheduling_policy = [&](const char* name, int app, const char* value) {
    return pod_scheduling_policy::PodSchedulingPolicy{
        .metadata = {.name = name + std::to_string(app), .namespace_ = "shop"},
        .spec = {.pod_selector = labelled(app), .scheduler_name = value}};
  };
  const auto resource_policy = [&](const char* name, int app) {
    return resource_policy::ResourcePolicy{
        .metadata = {.name = name + std::to_string(app), .namespace_ = "shop"},
        .spec = {.pod_selector = labelled(app)}};
  };
  for (int i = 0; i < many; ++i) {
    objects.metadata_policies.push_back(metadata_policy("m", i, "1"));
    objects.pod_scheduling_policies.push_back(pod_scheduling_policy("p", i, "blue"));
    objects.resource_policies.push_back(resource_policy("r", i));
  }
  const Engine engine = *compile(configuration);
  const auto told = [&](int app, const char* value, const char* scheduler) {
    return texts(
        analyze(engine, {.metadata_policies = {metadata_policy("x", app, value)},
                         .pod_scheduling_policies = {pod_scheduling_policy("x", app, scheduler)},
                         .resource_policies = {resource_policy("x", app)}}));
  };
  const Lines about_7 = told(7, "2", "green");
  REQUIRE(about_7.size() == 3);
  CHECK(about_7[0].starts_with("MetadataPolicy: `shop/m7` and `shop/x7`: "));
  CHECK(about_7[1].starts_with("PodSchedulingPolicy: `shop/p7` and `shop/x7`: "));
  CHECK(about_7[2].starts_with("ResourcePolicy: `shop/r7` and `shop/x7`: "));
  CHECK(told(7, "1", "blue").size() == 1);
  CHECK(told(many, "2", "green").empty());
}

/// Policies of two namespaces and of the cluster that often do different things to one object.
Objects overlapping(testing::Generator& generate) {
  const auto selector = [&] {
    LabelSelector made;
    for (const char* key : {"app", "tier"}) {
      const std::string value = generate.chance(50) ? "1" : "2";
      if (generate.chance(40)) made.match_labels.try_emplace(key, value);
      if (generate.chance(20))
        made.match_expressions.push_back({key, LabelSelectorOperator::not_in, {value}});
    }
    return made;
  };
  Objects objects;
  for (int i = 0; i < 5; ++i) {
    const std::string in = generate.chance(80) ? "shop" : "office";
    const auto called = [&](const char* name) {
      return ObjectMeta{.name = name + std::to_string(i), .namespace_ = in};
    };
    const std::string value = generate.chance(50) ? "1" : "2";
    metadata_policy::MetadataPolicy policy{.metadata = called("m")};
    policy.spec.rules.resize(1);
    policy.spec.rules[0].policy_predicate.label_selector = selector();
    policy.spec.rules[0].policy_action.reject = generate.chance(20);
    if (!policy.spec.rules[0].policy_action.reject)
      policy.spec.rules[0].policy_action.updated_labels = {{"x", value}};
    objects.metadata_policies.push_back(policy);
    pod_scheduling_policy::PodSchedulingPolicy injecting{
        .metadata = called("p"),
        .spec = {.pod_selector = selector(), .node_selector = {{"pool", value}}}};
    if (generate.chance(30)) {
      injecting.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy;
      injecting.metadata.namespace_ = "";
      injecting.spec.namespace_selector = LabelSelector{};
    }
    objects.pod_scheduling_policies.push_back(injecting);
    objects.resource_policies.push_back(
        {.metadata = called("r"), .spec = {.pod_selector = selector()}});
  }
  return objects;
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

/// Whether a finding names one of the objects.
bool names_one_of(const SystemFinding& finding, const Objects& objects) {
  return std::any_of(finding.finding.policies.begin(), finding.finding.policies.end(),
                     [&](const auto& name) {
                       const auto is_called = [&](const auto& policy) {
                         const std::string& in = policy.metadata.namespace_;
                         return name == (in.empty() ? "" : in + "/") + policy.metadata.name;
                       };
                       const auto is_in = [&](const auto& list) {
                         return std::any_of(list.begin(), list.end(), is_called);
                       };
                       switch (finding.system) {
                         case System::metadata_policy: return is_in(objects.metadata_policies);
                         case System::pod_scheduling_policy:
                           return is_in(objects.pod_scheduling_policies);
                         case System::resource_policy: return is_in(objects.resource_policies);
                         default: return is_in(objects.scheduling_policies);
                       }
                     });
}

TEST_CASE(
    "law: of policies that are written together is said what is said of all, where one is named") {
  testing::Generator generate(29);
  std::size_t said = 0;
  for (int round = 0; round < 150; ++round) {
    Configuration all;
    all.systems = {
        {System::metadata_policy}, {System::pod_scheduling_policy}, {System::resource_policy}};
    all.objects = overlapping(generate);
    Objects written;
    Configuration before = all;
    const auto write = [&](auto list) {
      auto& stored = before.objects.*list;
      for (std::size_t i = stored.size(); i-- > 0;) {
        if (!generate.chance(60)) continue;
        (written.*list).push_back(stored[i]);
        // What is created is not stored, and what is updated was another one.
        if (generate.chance(50)) {
          stored.erase(stored.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          stored[i].spec = {};
          if constexpr (requires { stored[i].spec.namespace_selector; })
            if (stored[i].metadata.namespace_.empty()) stored[i].spec.namespace_selector.emplace();
        }
      }
    };
    write(&Objects::metadata_policies);
    write(&Objects::pod_scheduling_policies);
    write(&Objects::resource_policies);
    const auto told = analyze(*compile(before), written);
    const Lines lines = texts(told);
    for (const SystemFinding& each : told) CHECK(names_one_of(each, written));
    for (const SystemFinding& each : analyze(all)) {
      if (!names_one_of(each, written)) continue;
      ++said;
      CHECK(std::find(lines.begin(), lines.end(), message(each)) != lines.end());
    }
  }
  CHECK(said > 200);
}

TEST_CASE(
    "law: what an engine says of a written policy is what is said of all, where it is named") {
  testing::Generator generate(17);
  std::size_t said = 0;
  for (int round = 0; said < 100; ++round) {
    REQUIRE(round < 2000);
    Configuration configuration;
    configuration.systems = {{System::scheduling_policy}};
    configuration.settings.policy_use = round % 2 == 0 ? PolicyUse::every : PolicyUse::rbac;
    configuration.objects.scheduling_policies = generate.policies();
    auto& policies = configuration.objects.scheduling_policies;
    std::erase_if(policies, [](const auto& policy) { return !validate(policy).empty(); });
    const auto usable = policies;
    // One that cannot be used is there for nobody.
    policies.push_back({.metadata = {.name = "u"}, .spec = generate.policy_spec()});
    policies.back().spec.required.node_selectors = {{"no key", {"v"}}};
    add(configuration.objects.rbac, granting("absent", "web"));
    // Of a cluster that is compiled once, and of one whose roles and bindings come later.
    Engine engine = *compile(configuration);
    for (const auto& policy : policies) {
      if (generate.chance(10)) continue;  // nobody may use it
      const rbac::Rbac granted =
          granting(policy.metadata.name.c_str(), generate.chance(60) ? "web" : "job");
      add(configuration.objects.rbac, granted);
      engine = engine.with({.rbac = granted});
    }
    if (round % 4 < 2) engine = *compile(configuration);
    const std::vector<SystemFinding> of_all = analyze(configuration);
    for (std::size_t i = 0; i < usable.size(); ++i) {
      Objects written{.scheduling_policies = {usable[i]}};
      if (generate.chance(40) && i > 0) written.scheduling_policies.push_back(usable[i - 1]);
      std::vector<SystemFinding> wanted = of_all;
      std::erase_if(wanted, [&](const auto& each) { return !names_one_of(each, written); });
      const auto told = analyze(engine, written);
      const bool all_is_told = std::none_of(
          told.begin(), told.end(),
          [](const SystemFinding& each) { return each.finding.code == FindingCode::not_decided; });
      if (!all_is_told) continue;  // what was not looked at is said
      CHECK(texts(told) == texts(wanted));
      said += told.size();
    }
  }
}

TEST_CASE("what a policy of the cluster gives is said where no SchedulingPolicy permits it") {
  Configuration configuration;
  configuration.systems = {{System::pod_scheduling_policy}, {System::scheduling_policy}};
  configuration.objects.pod_scheduling_policies = {
      {.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
       .metadata = {.name = "etcd-pool"},
       .spec = {.namespace_selector = LabelSelector{},
                .pod_selector = LabelSelector{},
                .node_selector = {{"disk", "nvme"}, {"pool", "etcd"}},
                .tolerations = {{.key = "etcd", .operator_ = TolerationOperator::exists}}}},
      {.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
       .metadata = {.name = "replay"},
       .spec = {.namespace_selector = LabelSelector{},
                .pod_selector = LabelSelector{.match_labels = {{"app", "replay"}}},
                .node_name = "node-1",
                .scheduler_name = "replay",
                .affinity = Affinity{.pod_anti_affinity = PodAffinity{
                                         .required_during_scheduling_ignored_during_execution = {
                                             {.topology_key = "zone"}}}}}}};
  // Of a set, and where the policy is written beside what is stored.
  const auto given = [&] {
    Lines texts;
    for (const SystemFinding& each : engine::analyze(configuration))
      if (each.finding.code == FindingCode::injected_not_permitted) texts.push_back(message(each));
    Configuration stored = configuration;
    Objects written;
    std::swap(written.pod_scheduling_policies, stored.objects.pod_scheduling_policies);
    stored.settings.policy_use = PolicyUse::every;
    CHECK(engine_analyze_test::texts(analyze(*compile(stored), written)) == texts);
    return texts;
  };
  CHECK(given().empty());
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "s"}, .spec = {.allowed = {.node_selectors = {{"disk", any}}}}}};
  const Lines all = {
      "PodSchedulingPolicy: `etcd-pool`: `nodeSelector[pool]`: no SchedulingPolicy permits "
      "`etcd`, and whoever sets the labels that are selected gets it",
      "PodSchedulingPolicy: `etcd-pool`: `tolerations[0]`: no SchedulingPolicy permits "
      "`etcd Exists`, and whoever sets the labels that are selected gets it",
      "PodSchedulingPolicy: `replay`: `schedulerName`: no SchedulingPolicy permits `replay`, "
      "and whoever sets the labels that are selected gets it",
      "PodSchedulingPolicy: `replay`: `nodeName`: no SchedulingPolicy permits `node-1`, and "
      "whoever sets the labels that are selected gets it",
      "PodSchedulingPolicy: `replay`: `affinity.podAntiAffinity`: no SchedulingPolicy permits "
      "`required zone with pods none`, and whoever sets the labels that are selected gets "
      "it"};
  CHECK(given() == all);
  // What they lack is not of those that they are given to.
  configuration.objects.scheduling_policies[0].spec.required.priority_class_names = {"gold"};
  CHECK(given() == all);
  // A policy of a namespace gives nothing that is not permitted.
  for (auto& policy : configuration.objects.pod_scheduling_policies) {
    policy.kind = pod_scheduling_policy::PolicyKind::pod_scheduling_policy;
    policy.metadata.namespace_ = "n";
  }
  CHECK(given().empty());
}

}  // namespace engine_analyze_test
