// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include "../support/pod_templates.hpp"
#include "policies.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace inject_affinity_test {

TEST_CASE("preferred node terms that the pod does not have yet are appended") {
  const PreferredSchedulingTerm ssd = {5, term({has("ssd")})};
  const PreferredSchedulingTerm ssd_more = {6, term({has("ssd")})};
  const PreferredSchedulingTerm zone = {1, term({in("zone", {"a"})})};
  using Preferences = std::vector<PreferredSchedulingTerm>;
  struct Case {
    const char* name;
    Preferences pod;
    Preferences policy;
    Preferences wanted;
    Changes changes;
  };
  const FieldPath field = node_affinity_path.child(preferred_mode);
  const Case cases[] = {
      {"none of the policy", {ssd}, {}, {ssd}, {}},
      {"none of the pod",
       {},
       {ssd, zone},
       {ssd, zone},
       {{field.index(0), none, "5 (ssd Exists)", "p"},
        {field.index(1), none, "1 (zone In [a])", "p"}}},
      {"the pod's first",
       {zone},
       {ssd},
       {zone, ssd},
       {{field.index(1), none, "5 (ssd Exists)", "p"}}},
      {"the same", {zone, ssd}, {ssd, zone}, {zone, ssd}, {}},
      {"another weight is another preference",
       {ssd},
       {ssd_more},
       {ssd, ssd_more},
       {{field.index(1), none, "6 (ssd Exists)", "p"}}},
      {"a preference that the policy repeats is injected once",
       {zone},
       {ssd, ssd},
       {zone, ssd},
       {{field.index(1), none, "5 (ssd Exists)", "p"}}},
      {"those that the pod repeats stay", {ssd, ssd}, {ssd}, {ssd, ssd}, {}},
      {"an empty preference is one like any other",
       {ssd},
       {{1, {}}},
       {ssd, {1, {}}},
       {{field.index(1), none, "1 ()", "p"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const PodSchedulingPolicy policy = of_team_a("p", {.affinity = preferred(c.policy)});
    const Injection injection = injected(pod_of({.affinity = preferred(c.pod)}), {policy});
    CHECK(injection == Injection{.pod = pod_of({.affinity = preferred(c.wanted)}),
                                 .applied = {"p"},
                                 .changes = c.changes});
    CHECK(injected(injection.pod, {policy}).changes == Changes{});
  }
}

TEST_CASE("pod affinity and anti-affinity terms that the pod does not have yet are appended") {
  const PodAffinityTerm db = beside("db");
  const PodAffinityTerm cache = beside("cache");
  const PodAffinityTerm db_host = beside("db", "host");
  const WeightedPodAffinityTerm prefer_db = {5, db};
  const WeightedPodAffinityTerm prefer_db_more = {6, db};
  struct Case {
    const char* name;
    std::optional<PodAffinity> pod;
    PodAffinity policy;
    PodAffinity wanted;
    /// Paths below the kind, and the new text.
    std::vector<std::pair<FieldPath, std::string>> changes;
  };
  const Case cases[] = {
      {"absent: copied",
       none,
       {{db}, {prefer_db}},
       {{db}, {prefer_db}},
       {{{}, "required zone with pods {app=db}, preferred 5 zone with pods {app=db}"}}},
      {"empty: appended",
       PodAffinity{},
       {{db}, {prefer_db}},
       {{db}, {prefer_db}},
       {{FieldPath{required_mode}.index(0), "zone with pods {app=db}"},
        {FieldPath{preferred_mode}.index(0), "5 zone with pods {app=db}"}}},
      {"the pod's first",
       PodAffinity{{cache}, {}},
       {{db, db_host}, {}},
       {{cache, db, db_host}, {}},
       {{FieldPath{required_mode}.index(1), "zone with pods {app=db}"},
        {FieldPath{required_mode}.index(2), "host with pods {app=db}"}}},
      {"the same",
       PodAffinity{{cache, db}, {prefer_db}},
       {{db}, {prefer_db}},
       {{cache, db}, {prefer_db}},
       {}},
      {"required and preferred are two lists",
       PodAffinity{{db}, {}},
       {{}, {prefer_db}},
       {{db}, {prefer_db}},
       {{FieldPath{preferred_mode}.index(0), "5 zone with pods {app=db}"}}},
      {"another weight is another preference",
       PodAffinity{{}, {prefer_db}},
       {{}, {prefer_db_more}},
       {{}, {prefer_db, prefer_db_more}},
       {{FieldPath{preferred_mode}.index(1), "6 zone with pods {app=db}"}}},
      {"terms that the policy repeats are injected once",
       PodAffinity{{cache}, {}},
       {{db, db}, {prefer_db, prefer_db}},
       {{cache, db}, {prefer_db}},
       {{FieldPath{required_mode}.index(1), "zone with pods {app=db}"},
        {FieldPath{preferred_mode}.index(0), "5 zone with pods {app=db}"}}},
  };
  struct Kind {
    std::optional<PodAffinity> Affinity::*member;
    FieldPath field;
  };
  const Kind kinds[] = {{&Affinity::pod_affinity, "spec.affinity.podAffinity"_path},
                        {&Affinity::pod_anti_affinity, "spec.affinity.podAntiAffinity"_path}};
  for (const Kind& kind : kinds) {
    for (const Case& c : cases) {
      CAPTURE(c.name);
      CAPTURE(to_string(kind.field));
      const auto affinity = [&](const std::optional<PodAffinity>& of_kind) {
        Affinity all = required({term({has("a")})});
        all.*kind.member = of_kind;
        return all;
      };
      Affinity injects;
      injects.*kind.member = c.policy;
      const PodSchedulingPolicy policy = of_team_a("p", {.affinity = injects});
      Changes changes;
      for (const auto& [path, to] : c.changes)
        changes.push_back({kind.field.join(path), none, to, "p"});
      const Injection injection = injected(pod_of({.affinity = affinity(c.pod)}), {policy});
      CHECK(injection == Injection{.pod = pod_of({.affinity = affinity(c.wanted)}),
                                   .applied = {"p"},
                                   .changes = changes});
      CHECK(injected(injection.pod, {policy}).changes == Changes{});
    }
  }
}

TEST_CASE("an affinity without terms injects nothing") {
  const Policies policies = {of_cluster(
      "p", {.affinity = Affinity{.node_affinity = NodeAffinity{}, .pod_affinity = PodAffinity{}}})};
  const Pod pod = pod_of({});
  CHECK(inject(pod, team_a, policies).pod == pod);
  CHECK_FALSE(admit(pod, team_a, policies).before);
}

}  // namespace inject_affinity_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
