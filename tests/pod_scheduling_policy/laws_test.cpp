// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/node.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>

#include "generated_policies.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

// What holds for every pod and every set of policies, tried on generated ones.

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace laws_test {

using namespace generated_policies;

/// The first of them, of each policy and field, in the second.
bool are_among(const std::vector<Skipped>& some, const std::vector<Skipped>& all) {
  return std::all_of(some.begin(), some.end(), [&](const Skipped& one) {
    return std::any_of(all.begin(), all.end(), [&](const Skipped& other) {
      return one.policy == other.policy && one.field == other.field;
    });
  });
}

/// What a law was tried on: none may hold because it met nothing.
struct Share {
  int applied = 0;
  int changed = 0;
  int skipped = 0;
  int untouched = 0;

  void count(const Injection& injection) {
    applied += injection.applied.empty() ? 0 : 1;
    changed += injection.changes.empty() ? 0 : 1;
    skipped += injection.skipped.empty() ? 0 : 1;
    untouched += injection.changes.empty() ? 1 : 0;
  }
  void check() const {
    CHECK(applied >= rounds / 2);
    CHECK(changed >= rounds / 2);
    CHECK(skipped >= rounds / 5);
    CHECK(untouched >= rounds / 20);
  }
};

template <class T>
bool is_prefix(const std::vector<T>& start, const std::vector<T>& list) {
  return start.size() <= list.size() && std::equal(start.begin(), start.end(), list.begin());
}

TEST_CASE("law: injecting twice changes nothing, nor does a pod of an injected template") {
  Generator generate(1);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Policies policies = generate.policies();
    const Namespace in = generate.in();
    Pod pod = generate.pod();
    pod.kind = pod_kinds[generate.below(std::size(pod_kinds))];
    const Injection injection = inject(pod, in, policies);
    REQUIRE(injection.errors.empty());
    share.count(injection);
    const Injection again = inject(injection.pod, in, policies);
    // What is skipped of terms may be there, because a term of the pod holds another one.
    REQUIRE(are_among(again.skipped, injection.skipped));
    REQUIRE(again == Injection{.pod = injection.pod,
                               .applied = injection.applied,
                               .skipped = again.skipped});
    Pod its_pod = injection.pod;
    its_pod.kind = PodKind::pod;
    const Injection of_pod = inject(its_pod, in, policies);
    REQUIRE(of_pod.pod == its_pod);
    REQUIRE(of_pod.changes.empty());
  }
  share.check();
}

TEST_CASE("law: the order in which policies are given does not matter") {
  Generator generate(2);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    Policies policies = generate.policies();
    const Namespace in = generate.in();
    const Pod pod = generate.pod();
    const Injection injection = inject(pod, in, policies);
    share.count(injection);
    generate.shuffle(policies);
    REQUIRE(inject(pod, in, policies) == injection);
    REQUIRE((injection.pod == pod) == injection.changes.empty());
    REQUIRE(std::is_sorted(injection.applied.begin(), injection.applied.end()));
  }
  share.check();
}

TEST_CASE("law: what the pod says itself stays") {
  Generator generate(3);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Policies policies = generate.policies();
    const Pod pod = generate.pod();
    const Injection injection = inject(pod, generate.in(), policies);
    share.count(injection);
    const PodSpec& before = pod.spec;
    const PodSpec& after = injection.pod.spec;
    if (!before.node_name.empty()) REQUIRE(after.node_name == before.node_name);
    if (!before.scheduler_name.empty()) REQUIRE(after.scheduler_name == before.scheduler_name);
    for (const auto& [key, value] : before.node_selector)
      REQUIRE(after.node_selector.at(key) == value);
    REQUIRE(is_prefix(before.tolerations, after.tolerations));
    if (before.affinity) {
      REQUIRE(after.affinity.has_value());
      const auto keeps = [](const auto& of_before, const auto& of_after) {
        return !of_before ||
               (of_after &&
                is_prefix(of_before->preferred_during_scheduling_ignored_during_execution,
                          of_after->preferred_during_scheduling_ignored_during_execution));
      };
      const auto keeps_required = [](const auto& of_before, const auto& of_after) {
        return !of_before ||
               is_prefix(of_before->required_during_scheduling_ignored_during_execution,
                         of_after->required_during_scheduling_ignored_during_execution);
      };
      REQUIRE(keeps(before.affinity->node_affinity, after.affinity->node_affinity));
      REQUIRE(keeps(before.affinity->pod_affinity, after.affinity->pod_affinity));
      REQUIRE(keeps(before.affinity->pod_anti_affinity, after.affinity->pod_anti_affinity));
      REQUIRE(keeps_required(before.affinity->pod_affinity, after.affinity->pod_affinity));
      REQUIRE(
          keeps_required(before.affinity->pod_anti_affinity, after.affinity->pod_anti_affinity));
    }
    Pod others = injection.pod;
    others.spec.node_name = before.node_name;
    others.spec.scheduler_name = before.scheduler_name;
    others.spec.node_selector = before.node_selector;
    others.spec.tolerations = before.tolerations;
    others.spec.affinity = before.affinity;
    REQUIRE(others == pod);
  }
  share.check();
}

TEST_CASE("law: what a policy asks for is there, or is reported as skipped") {
  Generator generate(4);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    // One policy of a name, so that the applied names tell which.
    Policies policies = generate.policies();
    std::sort(policies.begin(), policies.end(),
              [](const auto& a, const auto& b) { return a.metadata.name < b.metadata.name; });
    policies.erase(std::unique(policies.begin(), policies.end(),
                               [](const auto& a, const auto& b) {
                                 return a.metadata.name == b.metadata.name;
                               }),
                   policies.end());
    const Pod pod = generate.pod();
    const Injection injection = inject(pod, generate.in(), policies);
    share.count(injection);
    const PodSpec& spec = injection.pod.spec;
    std::size_t skipped = 0;
    for (const PodSchedulingPolicy& policy : policies) {
      const List& applied = injection.applied;
      const std::string& name = policy.metadata.name;
      if (std::find(applied.begin(), applied.end(), name) == applied.end()) continue;
      const auto skips = [&](const FieldPath& field) {
        return std::count_if(
            injection.skipped.begin(), injection.skipped.end(),
            [&](const Skipped& one) { return one.policy == name && one.field == field; });
      };
      const auto wants = [&](const FieldPath& field, const std::string& has,
                             const std::string& wanted) {
        if (wanted.empty() || has == wanted) return;
        ++skipped;
        REQUIRE(skips(field) == 1);
      };
      wants({"spec", "nodeName"}, spec.node_name, policy.spec.node_name);
      wants({"spec", "schedulerName"}, spec.scheduler_name, policy.spec.scheduler_name);
      for (const auto& [key, value] : policy.spec.node_selector) {
        const std::string* has = find_label(spec.node_selector, key);
        wants(FieldPath{"spec", "nodeSelector"}.key(key), has != nullptr ? *has : "", value);
      }
      REQUIRE(skips(required_path) <= 1);
      skipped += static_cast<std::size_t>(skips(required_path));
      for (const FieldPath& path : pod_term_paths) {
        REQUIRE(skips(path) <= 1);
        skipped += static_cast<std::size_t>(skips(path));
      }
      for (const Toleration& toleration : policy.spec.tolerations)
        REQUIRE((std::count(spec.tolerations.begin(), spec.tolerations.end(), toleration) >= 1));
    }
    REQUIRE(injection.skipped.size() == skipped);
  }
  CHECK(share.applied >= rounds / 3);
  CHECK(share.skipped >= rounds / 10);
}

}  // namespace laws_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
