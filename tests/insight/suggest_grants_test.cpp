// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/suggest.hpp>

#include "suggestions.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace suggest_grants_test {

using namespace suggestions;

/// Each policy's entries and subjects: `gpu: shop/api shop/web`.
Lines grants_of(const Suggestion& suggestion) {
  Lines lines;
  for (const SchedulingPolicy& policy : suggestion.objects.scheduling_policies) {
    std::string line;
    for (const SuggestedEntry& entry : suggestion.entries)
      if (entry.policy == policy.metadata.name)
        line += (line.empty() ? "" : " ") + entry.value.substr(0, entry.value.find(", op"));
    line += ':';
    const auto add = [&](const auto& bindings) {
      for (const auto& binding : bindings) {
        if (binding.role_ref.name != "sp:" + policy.metadata.name) continue;
        for (const rbac::Subject& subject : binding.subjects) line += " " + subject.name;
      }
    };
    add(suggestion.objects.rbac.role_bindings);
    add(suggestion.objects.rbac.cluster_role_bindings);
    lines.push_back(std::move(line));
  }
  return lines;
}

const std::vector<RunningObject> shop = {
    object("api",
           {.node_selector = {{"disk", "ssd"}}, .tolerations = with_toleration("gpu").tolerations}),
    object("web", with_toleration("gpu")), object("cron")};

TEST_CASE("entries that the same subjects need are one policy, or a subject has exactly one") {
  const auto with = [](MergeStrategy strategy, SuggestedSubject subject = {}) {
    Configuration configuration;
    configuration.settings.strategy = strategy;
    return grants_of(suggested(shop, {.subject = subject}, configuration));
  };
  const Lines by_capability = {"default-scheduler: api cron web", "ssd: api",
                               "{keys: [gpu]: api web"};
  const Lines by_subject = {"default-scheduler: cron", "default-scheduler {keys: [gpu]: web",
                            "default-scheduler ssd {keys: [gpu]: api"};
  CHECK(with(MergeStrategy::smart_deep_merge) == by_capability);
  CHECK(with(MergeStrategy::first_seen_wins) == by_subject);
  CHECK(with(MergeStrategy::simple_merge) == by_subject);
  CHECK(with(MergeStrategy::smart_deep_merge, SuggestedSubject::namespace_) ==
        Lines{"default-scheduler ssd {keys: [gpu]: system:serviceaccounts:shop"});
}

TEST_CASE(
    "what many need is granted to everybody, and policies are joined, at a price that is told") {
  const Suggestion common = suggested(shop, {.common_percent = 60});
  CHECK(grants_of(common) ==
        Lines{"default-scheduler {keys: [gpu]: system:serviceaccounts", "ssd: api"});
  CHECK(common.excess == 1);  // what `cron` need not tolerate
  const Suggestion joined = suggested(shop, {.max_policies = 2});
  CHECK(grants_of(joined) == Lines{"default-scheduler {keys: [gpu]: api cron web", "ssd: api"});
  CHECK(joined.excess == 1);
  CHECK(suggested(shop).excess == 0);
  CHECK(grants_of(suggested(shop, {.max_policies = 1})).size() == 1);
}

TEST_CASE(
    "a policy that is there is granted to whom needs all that it says, and nothing there changes") {
  Configuration configuration;
  const Suggestion first = suggested({object("web", with_toleration("gpu"))}, {}, configuration);
  REQUIRE(first.objects.scheduling_policies.size() == 1);
  configuration.objects = first.objects;
  CHECK(suggested({object("web", with_toleration("gpu"))}, {}, configuration).objects ==
        engine::Objects());
  const Suggestion second =
      suggested({object("web", with_toleration("gpu")),
                 object("api", {.node_selector = {{"disk", "ssd"}},
                                .tolerations = with_toleration("gpu").tolerations})},
                {}, configuration);
  CHECK(grants_of(second) == Lines{"ssd: api"});
  CHECK(second.objects.rbac.cluster_roles.size() == 1);
  REQUIRE(second.objects.rbac.role_bindings.size() == 2);
  for (const rbac::RoleBinding& binding : second.objects.rbac.role_bindings)
    CHECK(binding.metadata.name != first.objects.rbac.role_bindings[0].metadata.name);
  // Whoever needs less of it gets one of his own.
  CHECK(grants_of(suggested({object("cron")}, {}, configuration)) ==
        Lines{"default-scheduler: cron"});
}

TEST_CASE("of roles that permit the same policy the first by name is bound to") {
  Configuration configuration;
  configuration.objects = suggested({object("web")}).objects;
  std::vector<rbac::ClusterRole>& roles = configuration.objects.rbac.cluster_roles;
  REQUIRE(roles.size() == 1);
  for (const char* name : {"b", "a", "c"}) {
    roles.push_back(roles.front());
    roles.back().metadata.name = name;
  }
  for (int order = 0; order < 2; ++order) {
    const Suggestion second = suggested({object("api")}, {}, configuration);
    CHECK(second.objects.rbac.cluster_roles.empty());
    REQUIRE(second.objects.rbac.role_bindings.size() == 1);
    CHECK(second.objects.rbac.role_bindings[0].role_ref.name == "a");
    std::reverse(roles.begin(), roles.end());
  }
}

TEST_CASE("a role that cannot be used is not bound to") {
  Configuration configuration;
  configuration.objects = suggested({object("web")}).objects;
  std::vector<rbac::ClusterRole>& roles = configuration.objects.rbac.cluster_roles;
  REQUIRE(roles.size() == 1);
  roles.push_back(roles.front());  // of two that are called the same neither counts
  const Suggestion second = suggested({object("api")}, {}, configuration);
  CHECK(second.proof.allowed == 1);
  CHECK(second.objects.rbac.cluster_roles.size() == 1);
}

TEST_CASE("a policy that is there is not granted to everybody for what the others of each permit") {
  const auto gpu = [](std::string key, TaintEffect effect, std::string scheduler) {
    PodSpec spec = with_toleration(std::move(key), effect);
    spec.scheduler_name = std::move(scheduler);
    return spec;
  };
  Configuration configuration;
  configuration.objects.scheduling_policies = {
      {{.name = "gpu"},
       {.allowed = {.tolerations = {{.keys = {"gpu"},
                                     .operators = {TolerationOperator::exists},
                                     .effects = {TaintEffect::no_schedule}}}}}}};
  const std::vector<RunningObject> objects = {
      object("api", gpu("gpu", TaintEffect::no_schedule, "a")),
      object("api", gpu("gpu", TaintEffect::unset, "a")),
      object("web", gpu("gpu", TaintEffect::no_schedule, "b")),
      object("web", gpu("", TaintEffect::no_schedule, "b")),
      object("cron", {.scheduler_name = "c"})};
  const Suggestion suggestion = suggested(objects, {.common_percent = 60}, configuration);
  CHECK(suggestion.objects.scheduling_policies.size() == 3);
  CHECK(suggestion.objects.rbac.cluster_role_bindings.empty());
}

TEST_CASE("a policy is not called like one that somebody may use already") {
  // The policy that the role names is gone, and one of that name would be everybody's.
  const std::vector<RunningObject> objects = {object("web", with_toleration("gpu"))};
  const engine::Objects first = suggested(objects).objects;
  REQUIRE(first.scheduling_policies.size() == 1);
  Configuration configuration;
  configuration.objects.rbac = first.rbac;
  configuration.objects.rbac.role_bindings[0].subjects = {
      {"Group", "rbac.authorization.k8s.io", "system:serviceaccounts", ""}};
  const engine::Objects second = suggested(objects, {}, configuration).objects;
  REQUIRE(second.scheduling_policies.size() == 1);
  CHECK(second.scheduling_policies[0].spec == first.scheduling_policies[0].spec);
  CHECK(second.scheduling_policies[0].metadata.name != first.scheduling_policies[0].metadata.name);
  CHECK(second.rbac.cluster_roles.size() == 1);
  CHECK(second.rbac.role_bindings.size() == 1);
}

TEST_CASE("a role is not called like one that somebody is bound to already") {
  const std::vector<RunningObject> objects = {object("web", with_toleration("gpu"))};
  const engine::Objects first = suggested(objects).objects;
  REQUIRE(first.rbac.role_bindings.size() == 1);
  Configuration configuration;
  configuration.objects.rbac.role_bindings = first.rbac.role_bindings;
  configuration.objects.rbac.role_bindings[0].subjects = {
      {"Group", "rbac.authorization.k8s.io", "system:serviceaccounts", ""}};
  const engine::Objects second = suggested(objects, {}, configuration).objects;
  REQUIRE(second.rbac.cluster_roles.size() == 1);
  CHECK(second.rbac.cluster_roles[0].metadata.name != first.rbac.cluster_roles[0].metadata.name);
  CHECK(second.scheduling_policies == first.scheduling_policies);
}

TEST_CASE("a role is not called like another one") {
  const std::vector<RunningObject> objects = {object("web", with_toleration("gpu"))};
  const engine::Objects first = suggested(objects).objects;
  REQUIRE(first.rbac.cluster_roles.size() == 1);
  const std::string taken = first.rbac.cluster_roles[0].metadata.name;
  Configuration configuration;
  configuration.objects.rbac.cluster_roles = {{{.name = "other"}, {{{"get"}, {""}, {"pods"}, {}}}},
                                              {{.name = taken}, {{{"get"}, {""}, {"pods"}, {}}}}};
  const engine::Objects second = suggested(objects, {}, configuration).objects;
  REQUIRE(second.rbac.cluster_roles.size() == 1);
  CHECK(second.rbac.cluster_roles[0].metadata.name != taken);
  CHECK(second.scheduling_policies == first.scheduling_policies);
}

TEST_CASE("who may use every policy is bound to none") {
  Configuration configuration;
  rbac::Rbac& rbac = configuration.objects.rbac;
  rbac.cluster_roles = {{{.name = "all"}, {{{"use"}, {"schedpol.io"}, {"*"}, {}}}}};
  rbac.role_bindings = {{{.name = "all", .namespace_ = "shop"},
                         {"rbac.authorization.k8s.io", "ClusterRole", "all"},
                         {{"ServiceAccount", "", "web", "shop"}}}};
  const auto grants = [&](const std::vector<RunningObject>& objects, SuggestOptions options = {}) {
    const Suggestion suggestion = suggested(objects, options, configuration);
    CHECK(suggestion.excess == 0);
    return grants_of(suggestion);
  };
  CHECK(grants({object("web")}) == Lines{"default-scheduler:"});
  CHECK(suggested({object("web")}, {}, configuration).objects.rbac == rbac::Rbac());
  CHECK(grants({object("web"), object("api")}) == Lines{"default-scheduler: api"});
  const std::vector<RunningObject> objects = {object("web", with_toleration("gpu")), object("api")};
  CHECK(grants(objects) == Lines{"default-scheduler: api", "{keys: [gpu]:"});
  CHECK(grants(objects, {.subject = SuggestedSubject::namespace_}) ==
        Lines{"default-scheduler: system:serviceaccounts:shop", "{keys: [gpu]:"});
  CHECK(grants(objects, {.common_percent = 100}) ==
        Lines{"default-scheduler: system:serviceaccounts", "{keys: [gpu]:"});
  CHECK(grants_of(suggested(objects, {.max_policies = 1}, configuration)) ==
        Lines{"default-scheduler {keys: [gpu]: api"});
  // What others are granted it may use, too.
  CHECK(grants({object("web", with_toleration("gpu")),
                object("api", with_toleration("gpu", TaintEffect::unset))}) ==
        Lines{"default-scheduler {keys: [gpu]: api"});
  CHECK(grants({object("web"), object("api", with_selector("disk", "ssd"))}) ==
        Lines{"default-scheduler ssd: api"});
  // Where only one policy counts, that may be another one's.
  configuration.settings.strategy = MergeStrategy::first_seen_wins;
  const Suggestion undecided = suggested(objects, {}, configuration);
  CHECK(grants_of(undecided) == Lines{"default-scheduler: api"});
  REQUIRE(undecided.undecided.size() == 1);
  CHECK(undecided.undecided[0].reason ==
        "it may use every policy, and those of others would hide one for it");
}

}  // namespace suggest_grants_test
