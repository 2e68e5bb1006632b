// SPDX-License-Identifier: Apache-2.0
// What has to hold for what is suggested for every small inventory, whatever is there already.
#include <schedpol/insight/suggest.hpp>

#include "../support/configurations.hpp"
#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/print_systems.hpp"
#include "../support/tries.hpp"

#include <schedpol/insight/impl/suggest/allowed_entries.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace suggest_laws_test {

using namespace schedpol;
using engine::Configuration;
using engine::Engine;
using engine::PolicyUse;
using engine::RunningObject;
using engine::SuggestedSubject;
using engine::Suggestion;
using engine::SuggestOptions;
using engine::System;
using scheduling_policy::MergeStrategy;
using scheduling_policy::PolicySection;
using scheduling_policy::SchedulingPolicy;
using testing::at_least;
using testing::times;
using testing::tries;

struct Inventory {
  Configuration configuration{};
  std::vector<RunningObject> objects{};
  SuggestOptions options{};
};

/// A cluster of a few accounts, of which some may use policies already, and of one strategy.
class InventoryGenerator : public testing::Generator {
 public:
  InventoryGenerator(std::uint32_t seed, MergeStrategy strategy)
      : Generator(seed), cluster_(seed), strategy_(strategy) {}

  Inventory inventory() {
    Inventory made;
    made.configuration = cluster_.configuration();
    auto& [systems, objects, settings] = made.configuration;
    objects.scheduling_policies.clear();
    // What the cluster adds to a pod may be another one each time that the order is another.
    if (chance(60)) systems.clear();
    for (engine::Step& step : systems)
      if (step.system == System::resource_policy) step.mode = engine::Mode::audit;
    settings.policy_use = chance(90) ? PolicyUse::rbac : PolicyUse::every;
    settings.strategy = strategy_;
    settings.options = options();
    if (chance(30)) settings.namespace_modes = {engine::Mode::audit};
    if (chance(40)) {
      objects.scheduling_policies = policies();
      for (SchedulingPolicy& policy : objects.scheduling_policies) {
        if (chance(60)) policy.spec.required = {};
        for (const char* role : {"", "sp:", "zz:"})
          if (role[0] == 0 || chance(30))
            objects.rbac.cluster_roles.push_back(
                {{.name = role + policy.metadata.name}, {rule(policy.metadata.name)}});
        objects.rbac.role_bindings.push_back(binding("n", policy.metadata.name));
      }
    }
    for (const char* role : {"wild", "every"}) {
      if (!chance(15)) continue;
      objects.rbac.cluster_roles.push_back({{.name = role}, {rule("")}});
      objects.rbac.role_bindings.push_back(binding(chance(70) ? "n" : "m", role));
      if (chance(30))
        objects.rbac.cluster_role_bindings.push_back({{.name = role}, to(role), {subject()}});
    }
    for (std::size_t i = 1 + below(8); i > 0; --i) made.objects.push_back(object(i));
    if (chance(30)) made.options.subject = SuggestedSubject::namespace_;
    if (chance(30)) made.options.common_percent = 1 + below(100);
    if (chance(30)) made.options.max_policies = 1 + below(3);
    if (chance(20)) made.options.generalise = {"disk"};
    return made;
  }

 private:
  /// Grants a policy, or each one by what it does not name and by wildcards.
  rbac::PolicyRule rule(const std::string& policy) {
    rbac::PolicyRule rule{{"use"}, {"schedpol.io"}, {"schedulingpolicies"}, {}};
    if (!policy.empty()) {
      rule.resource_names = {policy};
      return rule;
    }
    for (Texts* words : {&rule.verbs, &rule.api_groups, &rule.resources})
      if (chance(40)) *words = {"*"};
    return rule;
  }
  static rbac::RoleRef to(const std::string& role) {
    return {"rbac.authorization.k8s.io", "ClusterRole", role};
  }
  rbac::Subject subject() {
    if (chance(60)) return {"ServiceAccount", "", chance(50) ? "web" : "api", "n"};
    return {"Group", "rbac.authorization.k8s.io",
            chance(30)   ? "system:authenticated"
            : chance(50) ? "system:serviceaccounts"
                         : "system:serviceaccounts:n",
            ""};
  }
  rbac::RoleBinding binding(const std::string& in, const std::string& role) {
    return {{.name = role, .namespace_ = in}, to(role), {subject()}};
  }

  RunningObject object(std::size_t number) {
    Pod running = chance(80) ? pod() : cluster_.pod();
    running.metadata.name = "p" + std::to_string(number);
    running.metadata.namespace_ = chance(70) ? "n" : "m";
    running.metadata.owner_references.clear();
    running.spec.service_account_name = chance(50) ? "web" : chance(50) ? "api" : "";
    RunningObject object{.request = {.object = running}, .pods = below(3)};
    if (chance(15)) object.request.requester = cluster_.requester(object.request.object);
    object.owner = {"Deployment", running.metadata.namespace_, "d" + std::to_string(below(5))};
    if (running.spec.node_name.empty() && chance(5)) object.doubtful_node = "node-1";
    return object;
  }

  testing::ClusterGenerator cluster_;
  MergeStrategy strategy_;
};

/// With what is suggested, as whoever applies it has it.
Configuration with(Configuration configuration, const engine::Objects& added) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(configuration.objects.scheduling_policies, added.scheduling_policies);
  append(configuration.objects.rbac.cluster_roles, added.rbac.cluster_roles);
  append(configuration.objects.rbac.role_bindings, added.rbac.role_bindings);
  append(configuration.objects.rbac.cluster_role_bindings, added.rbac.cluster_role_bindings);
  return configuration;
}
/// SchedulingPolicy enforces where it stands, or as the last, in every namespace.
Configuration enforcing(Configuration configuration) {
  configuration.settings.namespace_modes.reset();
  bool runs = false;
  for (engine::Step& step : configuration.systems) {
    if (step.system != System::scheduling_policy) continue;
    step.mode = engine::Mode::enforce;
    runs = true;
  }
  if (!runs) configuration.systems.push_back({.system = System::scheduling_policy});
  return configuration;
}

std::size_t denied(const Engine& engine, const std::vector<RunningObject>& objects) {
  std::size_t count = 0;
  for (const RunningObject& object : objects)
    count += engine.decide(object.request).allowed ? 0 : 1;
  return count;
}

constexpr MergeStrategy strategies[] = {
    MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins, MergeStrategy::simple_merge};

/// Calls `f` with inventories of each strategy and what is suggested for them.
template <class F>
void for_each_suggestion(int count, F&& f) {
  for (const MergeStrategy strategy : strategies) {
    for (std::uint32_t seed = 0; seed < std::uint32_t(times(tries(count))); ++seed) {
      CAPTURE(seed);
      CAPTURE(to_string(strategy));
      InventoryGenerator generator(seed, strategy);
      Inventory inventory = generator.inventory();
      const auto suggestion =
          suggest(inventory.configuration, inventory.objects, inventory.options);
      REQUIRE(suggestion);
      f(generator, inventory, *suggestion);
    }
  }
}

TEST_CASE("everything is allowed by what is suggested, but for what is told") {
  std::size_t allowed = 0;
  std::size_t unmet = 0;
  for_each_suggestion(120, [&](auto&, const Inventory& inventory, const Suggestion& suggestion) {
    const Configuration after = enforcing(with(inventory.configuration, suggestion.objects));
    const auto engine = compile(after);
    REQUIRE(engine);
    const std::size_t denials = denied(*engine, inventory.objects);
    const std::size_t told = suggestion.unsatisfiable.size() + suggestion.undecided.size() -
                             suggestion.proof.undecided.size();
    CHECK(denials <= told);
    CHECK(denials == suggestion.proof.denied.size());
    CHECK(suggestion.proof.needless_entries.empty());
    CHECK(suggestion.proof.needless_subjects.empty());
    const auto there = compile(enforcing(inventory.configuration));
    REQUIRE(there);
    CHECK(engine->problems() == there->problems());
    allowed += inventory.objects.size() - denials;
    unmet += told;
  });
  CHECK(allowed > std::size_t(at_least(600)));
  CHECK(unmet > std::size_t(at_least(60)));
}

TEST_CASE("nothing that is suggested can be taken away") {
  std::size_t entries = 0;
  std::size_t subjects = 0;
  for_each_suggestion(50, [&](auto&, const Inventory& inventory, const Suggestion& suggestion) {
    const auto engine_with = [&](const engine::Objects& objects) {
      const auto engine = compile(enforcing(with(inventory.configuration, objects)));
      REQUIRE(engine);
      return *engine;
    };
    const Engine with_all = engine_with(suggestion.objects);
    // What is denied with all of them may be allowed with fewer, where one hides another.
    const auto denies_one_more = [&](const engine::Objects& fewer) {
      const Engine engine = engine_with(fewer);
      return std::any_of(inventory.objects.begin(), inventory.objects.end(),
                         [&](const auto& object) {
                           return with_all.decide(object.request).allowed &&
                                  !engine.decide(object.request).allowed;
                         });
    };
    for (std::size_t i = 0; i < suggestion.objects.scheduling_policies.size(); ++i) {
      std::vector<PolicySection> alone;
      scheduling_policy::detail::for_each_allowed_entry(
          suggestion.objects.scheduling_policies[i].spec.allowed,
          [&](const FieldPath&, const std::string&, const PolicySection& entry) {
            alone.push_back(entry);
          });
      for (std::size_t without = 0; without < alone.size(); ++without) {
        engine::Objects fewer = suggestion.objects;
        PolicySection& allowed = fewer.scheduling_policies[i].spec.allowed;
        allowed = PolicySection();
        for (std::size_t each = 0; each < alone.size(); ++each)
          if (each != without) scheduling_policy::detail::add_allowed_entries(allowed, alone[each]);
        CHECK(denies_one_more(fewer));
        ++entries;
      }
    }
    const auto take_each = [&](auto list) {
      for (std::size_t i = 0; i < (suggestion.objects.rbac.*list).size(); ++i) {
        for (std::size_t j = 0; j < (suggestion.objects.rbac.*list)[i].subjects.size(); ++j) {
          engine::Objects fewer = suggestion.objects;
          auto& of = (fewer.rbac.*list)[i].subjects;
          of.erase(of.begin() + static_cast<std::ptrdiff_t>(j));
          CHECK(denies_one_more(fewer));
          ++subjects;
        }
      }
    };
    take_each(&rbac::Rbac::role_bindings);
    take_each(&rbac::Rbac::cluster_role_bindings);
    CHECK(suggestion.proof.entries + suggestion.proof.subjects <= entries + subjects);
  });
  CHECK(entries > std::size_t(at_least(300)));
  CHECK(subjects > std::size_t(at_least(200)));
}

TEST_CASE(
    "the order of what is given does not matter, and nothing is suggested beside its own answer") {
  std::size_t suggested = 0;
  for_each_suggestion(60, [&](auto& generator, Inventory& inventory, const Suggestion& suggestion) {
    generator.shuffle(inventory.objects);
    auto& objects = inventory.configuration.objects;
    generator.shuffle(objects.scheduling_policies);
    generator.shuffle(objects.rbac.cluster_roles);
    generator.shuffle(objects.rbac.role_bindings);
    generator.shuffle(objects.rbac.cluster_role_bindings);
    CHECK(*suggest(inventory.configuration, inventory.objects, inventory.options) == suggestion);
    inventory.configuration = with(inventory.configuration, suggestion.objects);
    const auto again = suggest(inventory.configuration, inventory.objects, inventory.options);
    REQUIRE(again);
    CHECK(again->objects == engine::Objects());
    suggested += suggestion.objects.scheduling_policies.size();
  });
  CHECK(suggested > std::size_t(at_least(150)));
}

TEST_CASE("of all sets of the entries that are needed, few with fewer entries permit as much") {
  // What is suggested is irredundant. How much smaller the smallest set is, is told and no fault.
  std::size_t smallest = 0;
  std::size_t suggested = 0;
  for_each_suggestion(40, [&](auto&, Inventory& inventory, const Suggestion&) {
    inventory.configuration.settings.policy_use = PolicyUse::every;
    inventory.configuration.objects.scheduling_policies.clear();
    inventory.options = {};
    const auto one = suggest(inventory.configuration, inventory.objects, inventory.options);
    REQUIRE(one);
    if (one->objects.scheduling_policies.size() != 1 || one->entries.size() > 8) return;
    std::vector<PolicySection> alone;
    for (const RunningObject& object : inventory.objects) {
      const auto of_object = suggest(inventory.configuration, {&object, 1}, inventory.options);
      REQUIRE(of_object);
      for (const SchedulingPolicy& policy : of_object->objects.scheduling_policies)
        scheduling_policy::detail::for_each_allowed_entry(
            policy.spec.allowed,
            [&](const FieldPath&, const std::string&, const PolicySection& entry) {
              if (std::find(alone.begin(), alone.end(), entry) == alone.end())
                alone.push_back(entry);
            });
    }
    if (alone.size() > 8) return;
    std::size_t fewest = one->entries.size();
    for (std::size_t set = 0; set < std::size_t{1} << alone.size(); ++set) {
      engine::Objects objects = one->objects;
      PolicySection& allowed = objects.scheduling_policies.front().spec.allowed;
      allowed = PolicySection();
      std::size_t count = 0;
      for (std::size_t i = 0; i < alone.size(); ++i) {
        if ((set >> i & 1U) == 0) continue;
        scheduling_policy::detail::add_allowed_entries(allowed, alone[i]);
        ++count;
      }
      if (count >= fewest) continue;
      const auto engine = compile(enforcing(with(inventory.configuration, objects)));
      REQUIRE(engine);
      if (denied(*engine, inventory.objects) == one->proof.denied.size()) fewest = count;
    }
    smallest += fewest;
    suggested += one->entries.size();
  });
  MESSAGE("entries suggested: ", suggested, ", in the smallest sets: ", smallest);
  CHECK(smallest <= suggested);
  CHECK(suggested > std::size_t(at_least(40)));
}

/// Each owner of objects for which all is granted that they need, left out once.
engine::Fragility fragility_by_definition(const Inventory& inventory, const Engine& with_all) {
  std::vector<engine::Owner> owners;
  for (const RunningObject& object : inventory.objects) {
    const engine::Decision decision = with_all.decide(object.request);
    if (decision.allowed && !decision.steps.empty() &&
        std::find(owners.begin(), owners.end(), object.owner) == owners.end())
      owners.push_back(object.owner);
  }
  std::size_t fragile = 0;
  for (const engine::Owner& owner : owners) {
    std::vector<RunningObject> rest;
    std::vector<RunningObject> left_out;
    for (const RunningObject& object : inventory.objects) {
      if (object.owner != owner) {
        rest.push_back(object);
      } else if (with_all.decide(object.request).allowed) {
        left_out.push_back(object);
      }
    }
    const auto of_rest = suggest(inventory.configuration, rest, inventory.options);
    REQUIRE(of_rest);
    const auto engine = compile(enforcing(with(inventory.configuration, of_rest->objects)));
    REQUIRE(engine);
    fragile += denied(*engine, left_out) > 0 ? 1 : 0;
  }
  return {owners.size(), fragile};
}

TEST_CASE("fragile is what is denied where the objects of each owner are left out and decided on") {
  std::size_t fragile = 0;
  std::size_t sturdy = 0;
  for_each_suggestion(40, [&](auto&, Inventory& inventory, const Suggestion&) {
    inventory.options.max_policies = 0;
    const auto whole = suggest(inventory.configuration, inventory.objects, inventory.options);
    REQUIRE(whole);
    // Nothing is granted for some that is allowed with what others need.
    if (whole->proof.denied.size() <
        whole->unsatisfiable.size() + whole->undecided.size() - whole->proof.undecided.size())
      return;
    const auto engine = compile(enforcing(with(inventory.configuration, whole->objects)));
    REQUIRE(engine);
    const engine::Fragility expected = fragility_by_definition(inventory, *engine);
    CHECK(whole->fragile.owners == expected.owners);
    CHECK(whole->fragile.denied == expected.denied);
    fragile += expected.denied;
    sturdy += expected.owners - expected.denied;
  });
  CHECK(fragile > std::size_t(at_least(40)));
  CHECK(sturdy >= std::size_t(at_least(8)));
}

}  // namespace suggest_laws_test
