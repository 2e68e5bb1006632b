// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze.hpp>

#include "analyzed.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace engine_analyze_test {

using namespace analyzed;

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
