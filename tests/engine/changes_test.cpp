// SPDX-License-Identifier: Apache-2.0
// An Engine with one object changed is the one that is compiled with it; and what a decision and a
// change cost does not depend on how many policies there are besides.
#include <schedpol/engine/engine.hpp>

#include "../support/count_allocations.hpp"
#include "../support/print.hpp"
#include "../support/print_systems.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include "clusters.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace changes_test {

using namespace schedpol;
using engine::compile;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Objects;
using engine::PolicyUse;
using engine::System;
using testing::at_least;
using testing::cluster_of;
using testing::pod_of;
using testing::tries;

// A few names, so that what is changed is mostly there.
class Generator : public testing::Random {
 public:
  using Random::Random;

  std::string name() { return std::string(1, "abc"[below(3)]); }
  std::string namespace_() { return chance(3) ? "" : std::string(1, "nm"[below(2)]); }
  LabelSelector selector() {
    if (chance(5)) return {.match_expressions = {{.key = "app"}}};
    if (chance(30)) return {};
    return {.match_labels = {{"app", std::string(1, "xy"[below(2)])}}};
  }

  /// Some objects of some kinds, of which one may be invalid.
  Objects objects(std::size_t most) {
    Objects objects;
    for (std::size_t i = below(most) + 1; i > 0; --i) add(objects);
    return objects;
  }

  Pod pod() {
    Pod pod{.kind = chance(80) ? PodKind::pod : PodKind::deployment,
            .metadata = {.name = "p",
                         .namespace_ = std::string(1, "nmo"[below(3)]),
                         .labels = {{"app", std::string(1, "xyz"[below(3)])}}}};
    pod.spec.service_account_name = std::string(1, "abc"[below(3)]);
    if (chance(40)) pod.spec.runtime_class_name = name();
    if (chance(30)) pod.spec.scheduler_name = name();
    return pod;
  }

  void add(Objects& objects) {
    switch (below(10)) {
      case 0:
        objects.runtime_classes.push_back({.metadata = {.name = name()},
                                           .handler = chance(90) ? "h" : "",
                                           .scheduling = {{.tolerations = {{.key = name()}}}}});
        break;
      case 1: {
        metadata_policy::MetadataPolicy policy{
            .metadata = {.name = name(), .namespace_ = namespace_()}};
        for (std::size_t i = below(3); i > 0; --i) {
          policy.spec.rules.push_back(
              {.policy_predicate = {.label_selector = selector()},
               .policy_action = {.updated_labels = {{chance(95) ? name() : "no key!", name()}}}});
        }
        objects.metadata_policies.push_back(std::move(policy));
        break;
      }
      case 2:
        objects.pod_scheduling_policies.push_back(
            {.kind = chance(50) ? pod_scheduling_policy::PolicyKind::pod_scheduling_policy
                                : pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
             .metadata = {.name = name(), .namespace_ = namespace_()},
             .spec = {.namespace_selector = LabelSelector{.match_labels = {{"in", name()}}},
                      .pod_selector = selector(),
                      .node_selector = {{name(), name()}}}});
        break;
      case 3:
        objects.scheduling_policies.push_back(
            {.metadata = {.name = name()},
             .spec = {
                 .required = {.scheduler_names = chance(95) ? AnyOr<Texts>() : AnyOr<Texts>(any)},
                 .allowed = {.scheduler_names = {name(), "default-scheduler"},
                             .node_selectors = any,
                             .tolerations = {{.keys = {name()}, .operators = any, .effects = any}}},
                 .defaults = {.node_selector = Labels{{name(), name()}}}}});
        break;
      case 4:
        objects.resource_policies.push_back(
            {.metadata = {.name = name(), .namespace_ = namespace_()},
             .spec = {.pod_selector = selector()}});
        break;
      case 5:
        objects.namespaces.push_back({{.name = namespace_(), .labels = {{"in", name()}}}});
        break;
      case 6:
        objects.rbac.cluster_roles.push_back({.metadata = {.name = name()}, .rules = {rule()}});
        break;
      case 7:
        objects.rbac.cluster_role_bindings.push_back(
            {.metadata = {.name = name()},
             .role_ref = {.kind = "ClusterRole", .name = name()},
             .subjects = {subject()}});
        break;
      case 8:
        objects.rbac.roles.push_back(
            {.metadata = {.name = name(), .namespace_ = namespace_()}, .rules = {rule()}});
        objects.rbac.role_bindings.push_back(
            {.metadata = {.name = name(), .namespace_ = namespace_()},
             .role_ref = {.kind = chance(70) ? "Role" : "ClusterRole", .name = name()},
             .subjects = {subject()}});
        break;
      default: objects.unreadable.push_back(unreadable()); break;
    }
  }
  engine::UnreadableObject unreadable() {
    std::vector<engine::ObjectKind> all = {{"Namespace"}};
    const Objects none;
    for_each_list(none, [&](const auto&, engine::ObjectKinds kinds) {
      all.insert(all.end(), kinds.begin(), kinds.end());
    });
    const engine::ObjectKind kind = all[below(all.size())];
    const bool namespaced = kind.scope == engine::Scope::namespace_;
    engine::UnreadableObject object{.kind = std::string(kind.name),
                                    .namespace_ = namespaced ? namespace_() : "",
                                    .name = kind.name == "Namespace" ? namespace_() : name()};
    if (chance(50)) object.selects = {{.labels = selector()}};
    return object;
  }
  rbac::PolicyRule rule() {
    rbac::PolicyRule rule{
        .verbs = {"use"}, .api_groups = {"schedpol.io"}, .resources = {"schedulingpolicies"}};
    for (std::size_t i = chance(20) ? 0 : 1 + below(2); i > 0; --i)
      rule.resource_names.push_back(name());
    return rule;
  }
  rbac::Subject subject() {
    switch (below(5)) {
      case 0: return {.kind = "ServiceAccount", .name = name(), .namespace_ = "n"};
      case 1:
        return {.kind = "Group",
                .name = "system:serviceaccounts:" +
                        (chance(20) ? "" : std::string(1, "nmo"[below(3)]))};
      case 2: return {.kind = "User", .name = "system:serviceaccount:m:" + name()};
      case 3: return {.kind = "User", .name = "system:serviceaccount:o:" + name()};
      default: return {.kind = "Group", .name = "system:authenticated"};
    }
  }
};

/// Puts each of `changed` in the place of the one of its name, or takes it out.
void change(Objects& objects, const Objects& changed, bool add) {
  using Name = std::tuple<std::string, std::string, std::string>;
  const auto name_of = [](const auto& object, engine::ObjectKinds kinds) -> Name {
    engine::ObjectKind kind = *kinds.begin();
    if constexpr (requires { to_string(object.kind); })
      kind = *std::find_if(kinds.begin(), kinds.end(), [&](const engine::ObjectKind& one) {
        return one.name == to_string(object.kind);
      });
    const bool namespaced = kind.scope == engine::Scope::namespace_;
    return {std::string(kind.name), namespaced ? object.metadata.namespace_ : "",
            object.metadata.name};
  };
  const auto name_of_unreadable = [](const engine::UnreadableObject& object) -> Name {
    return {object.kind, object.namespace_, object.name};
  };
  std::set<Name> names;
  for (const auto& object : changed.unreadable) names.insert(name_of_unreadable(object));
  for (const Namespace& in : changed.namespaces) names.insert({"Namespace", "", in.metadata.name});
  for_each_list(changed, [&](const auto& list, engine::ObjectKinds kinds) {
    for (const auto& object : list) names.insert(name_of(object, kinds));
  });
  std::erase_if(objects.unreadable,
                [&](const auto& object) { return names.contains(name_of_unreadable(object)); });
  std::erase_if(objects.namespaces, [&](const Namespace& in) {
    return names.contains({"Namespace", "", in.metadata.name});
  });
  for_each_list(objects, [&](auto& list, engine::ObjectKinds kinds) {
    std::erase_if(list, [&](const auto& object) { return names.contains(name_of(object, kinds)); });
  });
  if (!add) return;
  const auto append = [](auto& all, const auto& list) {
    all.insert(all.end(), list.begin(), list.end());
  };
  append(objects.runtime_classes, changed.runtime_classes);
  append(objects.metadata_policies, changed.metadata_policies);
  append(objects.pod_scheduling_policies, changed.pod_scheduling_policies);
  append(objects.scheduling_policies, changed.scheduling_policies);
  append(objects.resource_policies, changed.resource_policies);
  append(objects.rbac.roles, changed.rbac.roles);
  append(objects.rbac.cluster_roles, changed.rbac.cluster_roles);
  append(objects.rbac.role_bindings, changed.rbac.role_bindings);
  append(objects.rbac.cluster_role_bindings, changed.rbac.cluster_role_bindings);
  append(objects.namespaces, changed.namespaces);
  append(objects.unreadable, changed.unreadable);
}

TEST_CASE("an engine with other objects is the one that is compiled of them") {
  int allowed = 0;
  int denied = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(tries(400)); ++seed) {
    CAPTURE(seed);
    Generator generate(seed);
    Configuration configuration;
    configuration.settings.policy_use = generate.chance(50) ? PolicyUse::rbac : PolicyUse::every;
    for (const System system : engine::all_systems)
      if (generate.chance(70)) configuration.systems.push_back({system});
    if (configuration.systems.empty()) configuration.systems = {{System::scheduling_policy}};
    configuration.objects = generate.objects(40);
    auto compiled = compile(configuration);
    REQUIRE(compiled);
    Engine engine = *compiled;
    for (int step = 0; step < 5; ++step) {
      const Objects changed = generate.objects(3);
      const bool add = generate.chance(70);
      const Engine before = engine;
      const Pod asked = generate.pod();
      const Decision said = before.decide({.object = asked});
      engine = add ? engine.with(changed) : engine.without(changed);
      CHECK(before.decide({.object = asked}) == said);
      change(configuration.objects, changed, add);
      compiled = compile(configuration);
      REQUIRE(compiled);
      CHECK(engine.problems() == compiled->problems());
      for (int i = 0; i < 3; ++i) {
        const Pod pod = generate.pod();
        const Decision decision = engine.decide({.object = pod});
        CHECK(decision == compiled->decide({.object = pod}));
        ++(decision.allowed ? allowed : denied);
      }
    }
  }
  CHECK(allowed >= at_least(1000));
  CHECK(denied >= at_least(1000));
}

TEST_CASE("what is found out beforehand is what RBAC grants to the user of each pod") {
  int used = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(tries(400)); ++seed) {
    CAPTURE(seed);
    Generator generate(seed);
    Configuration configuration;
    configuration.systems = {{System::scheduling_policy}};
    auto& objects = configuration.objects;
    std::vector<std::string> names;
    for (const char* name : {"a", "b", "c"}) {
      names.emplace_back(name);
      objects.scheduling_policies.push_back({.metadata = {.name = name}});
      objects.rbac.cluster_roles.push_back(
          {.metadata = {.name = name}, .rules = {generate.rule()}});
      for (const char* namespace_ : {"n", "m"}) {
        objects.rbac.roles.push_back(
            {.metadata = {.name = name, .namespace_ = namespace_}, .rules = {generate.rule()}});
        if (!generate.chance(50)) continue;
        objects.rbac.role_bindings.push_back(
            {.metadata = {.name = name, .namespace_ = namespace_},
             .role_ref = {.kind = generate.chance(50) ? "Role" : "ClusterRole",
                          .name = generate.name()},
             .subjects = {generate.subject()}});
      }
      if (!generate.chance(50)) continue;
      objects.rbac.cluster_role_bindings.push_back(
          {.metadata = {.name = name},
           .role_ref = {.kind = "ClusterRole", .name = generate.name()},
           .subjects = {generate.subject(), generate.subject()}});
    }
    const auto engine = compile(configuration);
    REQUIRE(engine);
    REQUIRE(engine->problems().empty());
    for (const char* namespace_ : {"n", "m", "o"}) {
      for (const char* account : {"a", "b", "c", "d", ""}) {
        Pod pod{.metadata = {.name = "p", .namespace_ = namespace_}};
        pod.spec.service_account_name = account;
        const auto granted =
            rbac::usable(Texts(names), rbac::user_of(pod), namespace_, objects.rbac);
        CHECK(engine->effective_policy(pod).policies() == granted.vector());
        used += int(granted.size());
      }
    }
  }
  CHECK(used >= at_least(1000));
}

// Roles and bindings of many accounts, of which a change is about few, or about all.
class RbacGenerator : public testing::Random {
 public:
  using Random::Random;

  std::string number() { return std::to_string(below(12)); }
  std::string in() { return "n" + number(); }
  rbac::Subject subject() {
    switch (below(12)) {
      case 0: return {.kind = "Group", .name = "system:serviceaccounts:" + in()};
      case 1: return {.kind = "User", .name = "system:serviceaccount:" + in() + ":a" + number()};
      case 2: return {.kind = "User", .name = "system:serviceaccount:n1:a1:a" + number()};
      case 3: return {.kind = "User", .name = "somebody"};
      case 4:
        if (chance(20)) return {.kind = "Group", .name = "system:authenticated"};
        return {.kind = "Group", .name = "some"};
      case 5:
        if (chance(20)) return {.kind = "Group", .name = "system:serviceaccounts"};
        return {.kind = "ServiceAccount"};
      default:
        return {
            .kind = "ServiceAccount", .name = "a" + number(), .namespace_ = chance(50) ? in() : ""};
    }
  }
  void add(rbac::Rbac& rbac) {
    const std::vector<rbac::PolicyRule> rules = {
        {.verbs = {"use"},
         .api_groups = {"schedpol.io"},
         .resources = {chance(90) ? "schedulingpolicies" : "pods"},
         .resource_names = chance(3) ? Texts{} : Texts{"p" + number()}}};
    const rbac::RoleRef role{.kind = chance(50) ? "Role" : "ClusterRole", .name = "r" + number()};
    switch (below(5)) {
      case 0:
        rbac.roles.push_back(
            {.metadata = {.name = "r" + number(), .namespace_ = in()}, .rules = rules});
        break;
      case 1:
        rbac.cluster_roles.push_back({.metadata = {.name = "r" + number()}, .rules = rules});
        break;
      case 2:
        rbac.cluster_role_bindings.push_back(
            {.metadata = {.name = "b" + number()}, .role_ref = role, .subjects = {subject()}});
        break;
      default:
        rbac.role_bindings.push_back({.metadata = {.name = "b" + number(), .namespace_ = in()},
                                      .role_ref = role,
                                      .subjects = {subject(), subject()}});
    }
  }
};

TEST_CASE("what accounts may use stays what RBAC grants them while roles and bindings change") {
  int used = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(tries(40)); ++seed) {
    CAPTURE(seed);
    RbacGenerator generate(seed);
    Configuration configuration;
    configuration.systems = {{System::scheduling_policy}};
    auto& objects = configuration.objects;
    for (int i = 0; i < 12; ++i)
      objects.scheduling_policies.push_back({.metadata = {.name = "p" + std::to_string(i)}});
    // So that each is called by a name of its own.
    for (int i = 0; i < 200; ++i) {
      Objects one;
      generate.add(one.rbac);
      change(objects, one, true);
    }
    auto engine = *compile(configuration);
    for (int step = 0; step < 30; ++step) {
      Objects changed;
      generate.add(changed.rbac);
      const bool add = generate.chance(60);
      engine = add ? engine.with(changed) : engine.without(changed);
      change(objects, changed, add);
      const rbac::CompiledRbac granted = rbac::compile(objects.rbac);
      for (int i = 0; i < 40; ++i) {
        Pod pod{.metadata = {.name = "p", .namespace_ = generate.in()}};
        pod.spec.service_account_name =
            generate.chance(10) ? "a1:a" + generate.number() : "a" + generate.number();
        std::vector<std::string> usable;
        const auto grant = granted.granted(rbac::user_of(pod), pod.metadata.namespace_);
        for (const auto& policy : objects.scheduling_policies)
          if (grant.contains(policy.metadata.name)) usable.push_back(policy.metadata.name);
        std::sort(usable.begin(), usable.end());
        CHECK(engine.effective_policy(pod).policies() == usable);
        used += int(usable.size());
      }
    }
    CHECK(engine.problems().empty());
  }
  CHECK(used >= at_least(1000));
}

TEST_CASE("an engine of nothing stays one") {
  const Objects objects{.runtime_classes = {{.metadata = {.name = "a"}, .handler = "h"}}};
  for (const Engine& engine : {Engine().with(objects), Engine().without(objects)})
    CHECK(!engine.decide({.object = Pod()}).allowed);
}

TEST_CASE(
    "decisions are flat, compiling is linear, and one object is replaced for a hundredth of it") {
  struct Counts {
    std::size_t of_compiling = 0;
    std::size_t of_replacing = 0;
    std::size_t of_replacing_a_role = 0;
    std::size_t of_replacing_a_binding = 0;
    std::size_t of_deciding = 0;
  };
  const auto count = [](const char* what, std::size_t size) {
    Counts counts;
    const Configuration configuration = cluster_of(what, size);
    const testing::CountAllocations compiling;
    const auto engine = compile(configuration);
    counts.of_compiling = compiling.count();
    REQUIRE(engine);
    CHECK(engine->problems().empty());
    Engine other;
    const auto replace = [&](std::string_view kind) {
      const Objects changed = testing::one_changed(configuration.objects, kind);
      const testing::CountAllocations replacing;
      other = engine->with(changed);
      return replacing.count();
    };
    counts.of_replacing_a_role = replace("role");
    counts.of_replacing_a_binding = replace("binding");
    counts.of_replacing = replace("policy");
    const engine::Request request{.object = pod_of(size)};
    const testing::CountAllocations deciding;
    const Decision decision = other.decide(request);
    counts.of_deciding = deciding.count();
    CHECK(decision.allowed);
    const bool is_metadata = std::string_view(what).starts_with("MetadataPolicy");
    CHECK(decision.steps.at(0).changes.size() == (is_metadata ? 2U : 3U));
    return counts;
  };
  for (const char* what : testing::clusters) {
    CAPTURE(what);
    const Counts ten = count(what, 10);
    const Counts thousand = count(what, 1'000);
    const Counts all = count(what, 10'000);
    CHECK(ten.of_deciding > 0);
    CHECK(thousand.of_deciding == ten.of_deciding);
    CHECK(all.of_deciding == ten.of_deciding);
    CHECK(all.of_compiling <= 11 * thousand.of_compiling);
    // Where everybody may use every policy they are merged again, all of them.
    if (what != std::string("SchedulingPolicy by every"))
      CHECK(all.of_replacing * 100 <= all.of_compiling);
    CHECK(all.of_replacing_a_role * 100 <= all.of_compiling);
    CHECK(all.of_replacing_a_binding * 100 <= all.of_compiling);
  }
}

}  // namespace changes_test
