// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/admit.hpp>

#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace admit_test {

using schedpol::testing::operator""_path;

static_assert(std::is_same_v<decltype(admit(Pod{}, EffectivePolicy{})), Admission>);

using schedpol::testing::List;

EffectivePolicy merged(SchedulingPolicySpec spec) {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "p"}, .spec = std::move(spec)}};
  return merge(policies);
}

TEST_CASE("an allowed pod comes back with its defaults, and with what they changed") {
  const EffectivePolicy effective =
      merged({.required = {.node_selectors = NodeSelectors{{"arch", {"amd64", "arm64"}}}},
              .defaults = {.scheduler_name = "blue", .node_selector = Labels{{"arch", "amd64"}}}});
  const Pod pod{.metadata = {.name = "n"}};
  const Admission admission = admit(pod, effective);
  const Pod wanted{.metadata = {.name = "n"},
                   .spec = {.scheduler_name = "blue", .node_selector = {{"arch", "amd64"}}}};
  CHECK(admission == Admission{.allowed = true,
                               .pod = wanted,
                               .changes = {{"spec.schedulerName"_path, {}, "blue", "p"},
                                           {"spec.nodeSelector[arch]"_path, {}, "amd64", "p"}},
                               .before = pod});
  CHECK(admit(wanted, effective) == Admission{.allowed = true, .pod = wanted});
}

TEST_CASE("a denied pod comes back as it came, with all violations and no changes") {
  const EffectivePolicy effective =
      merged({.defaults = {.scheduler_name = "blue", .priority_class_name = "gold"}});
  const Pod pod{.spec = {.node_name = "node-1", .node_selector = {{"disk", "ssd"}}}};
  CHECK(admit(pod, effective) ==
        Admission{.allowed = false,
                  .pod = pod,
                  .violations = {
                      {ViolationCode::node_name_not_allowed, "spec.nodeName"_path, "node-1", {"p"}},
                      {ViolationCode::node_selector_not_allowed,
                       "spec.nodeSelector[disk]"_path,
                       "ssd",
                       {"p"}}}});
}

TEST_CASE("defaults come before the check") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    bool allowed;
  };
  const PolicySection green_required{.scheduler_names = {"green"}};
  const Case cases[] = {
      {"a default meets a requirement",
       {.required = green_required, .defaults = {.scheduler_name = "green"}},
       true},
      {"without it the pod does not", {.required = green_required}, false},
      {"a default that the requirement refuses denies",
       {.required = green_required, .defaults = {.scheduler_name = "blue"}},
       false},
      {"a default is permitted by itself", {.defaults = {.scheduler_name = "blue"}}, true},
      {"a default toleration meets no pattern of another key",
       {.required = {.tolerations = {{{.keys = {"gpu"},
                                       .operators = {TolerationOperator::exists},
                                       .effects = {TaintEffect::no_schedule}}}}},
        .allowed = {.scheduler_names = any},
        .defaults = {.tolerations = {{{.toleration = {"spot", TolerationOperator::exists, "",
                                                      TaintEffect::no_schedule}}}}}},
       false},
  };
  for (const auto& [name, policy, allowed] : cases) {
    CAPTURE(name);
    const Admission admission = admit(Pod{}, merged(policy));
    CHECK(admission.allowed == allowed);
    CHECK(admission.violations.empty() == allowed);
  }
}

/// In the proposal's words: "if value is `amd64` or `arm64`. Defaults to `amd64` if unspecified",
/// with default terms of its own.
SchedulingPolicySpec multi_arch(std::vector<NodeSelectorTerm> given) {
  const NodeAffinityRule arch{
      {TermPattern{.match_expressions = {{{.keys = {"kubernetes.io/arch"},
                                           .operators = {NodeSelectorOperator::in},
                                           .values = {"amd64", "arm64"}}}}}}};
  return {
      .required = {.affinities =
                       AffinityRules{
                           .node_affinities =
                               NodeAffinityRules{
                                   .required_during_scheduling_ignored_during_execution = arch}}},
      .allowed = {.scheduler_names = any,
                  .affinities =
                      AffinityRules{
                          .node_affinities =
                              NodeAffinityRules{
                                  .preferred_during_scheduling_ignored_during_execution = any}}},
      .defaults = {.affinity = Affinity{.node_affinity = NodeAffinity{
                                            .required_during_scheduling_ignored_during_execution =
                                                NodeSelector{std::move(given)}}}}};
}

NodeSelectorTerm term(const char* arch, const char* zone) {
  NodeSelectorTerm term;
  for (const auto& [key, value] : {std::pair{"kubernetes.io/arch", arch}, {"zone", zone}})
    if (*value != 0)
      term.match_expressions.push_back({key, NodeSelectorOperator::in, {std::string(value)}});
  return term;
}

TEST_CASE("a pod with only preferred node affinity gets the architecture that it has to have") {
  const EffectivePolicy effective = merged(multi_arch({term("amd64", "")}));
  Pod pod;
  pod.spec.affinity = Affinity{
      .node_affinity = NodeAffinity{.preferred_during_scheduling_ignored_during_execution = {
                                        {.weight = 1, .preference = term("", "a")}}}};
  const Admission admission = admit(pod, effective);
  REQUIRE(admission.allowed);
  Pod wanted = pod;
  wanted.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution =
      NodeSelector{{term("amd64", "")}};
  CHECK(admission.pod == wanted);
  CHECK(admit(wanted, effective) == Admission{.allowed = true, .pod = wanted});
}

TEST_CASE("what is given is permitted in that form, and as the default is written") {
  using Terms = std::vector<NodeSelectorTerm>;
  const Terms written = {term("amd64", "a"), term("arm64", "b")};
  const Terms in_one = {term("amd64", ""), term("", "a")};
  const Terms joined = {term("amd64", "a")};
  const Terms no_node = {term("amd64", "a"), term("", "b")};
  NodeSelectorTerm of_no_node = term("amd64", "a");
  of_no_node.match_expressions.push_back(term("", "b").match_expressions[0]);
  constexpr auto every = RequiredAffinity::every_term;
  constexpr auto present = RequiredAffinity::present;
  const struct {
    const char* name;
    Terms given;
    RequiredAffinity reading;
    Terms pod;
    bool allowed;
    Terms wanted;
  } cases[] = {
      {"as it is, to a pod without", written, every, {}, true, written},
      {"as it is, in a pod", written, every, written, true, written},
      {"one of its terms alone is not the default: its zone is not permitted",
       written,
       every,
       {written[0]},
       false,
       {}},
      {"as one term, to a pod without", in_one, every, {}, true, joined},
      {"as one term, in a pod", in_one, every, joined, true, joined},
      {"as it is written, where one term is enough", in_one, present, in_one, true, in_one},
      {"as it is written, where every term has to hold what is required",
       in_one,
       every,
       in_one,
       false,
       {}},
      {"as one term, where one term is enough", in_one, present, joined, false, {}},
      {"one that no node can meet is not given", no_node, every, {}, false, {}},
      {"nor permitted", no_node, every, {of_no_node}, false, {}},
      {"where one term is enough it is given as it is", no_node, present, {}, true, no_node},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const EffectivePolicy effective = merged(multi_arch(c.given));
    const Options options{.required_affinity = c.reading};
    const auto with = [](const Terms& terms) {
      Pod pod;
      if (!terms.empty())
        pod.spec.affinity = Affinity{
            .node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                              NodeSelector{terms}}};
      return pod;
    };
    const Admission admission = admit(with(c.pod), effective, options);
    CHECK(admission.allowed == c.allowed);
    CHECK(admission.pod == with(c.allowed ? c.wanted : c.pod));
    if (c.allowed)
      CHECK(admit(admission.pod, effective, options) ==
            Admission{.allowed = true, .pod = admission.pod});
  }
}

TEST_CASE("what the cluster fills in beforehand counts neither for nor against the pod") {
  const Options options{.default_scheduler = DefaultScheduler::unspecified,
                        .exempt = {.node_selector = {{"runtime", "fast"}},
                                   .tolerations = default_toleration_seconds()},
                        .global_default_priority_class = "normal"};
  const SchedulingPolicySpec policy{
      .required = {.scheduler_names = {"blue"}, .priority_class_names = {"gold"}},
      .defaults = {.scheduler_name = "blue",
                   .priority_class_name = "gold",
                   .node_selector = Labels{{"runtime", "slow"}, {"disk", "ssd"}},
                   .tolerations = {{{.toleration = {"gpu", TolerationOperator::exists, "",
                                                    TaintEffect::no_schedule}}}}}};
  const Pod pod{.spec = {.scheduler_name = "default-scheduler",
                         .priority_class_name = "normal",
                         .priority = 0,
                         .node_selector = {{"runtime", "fast"}},
                         .tolerations = default_toleration_seconds()}};
  const Admission admission = admit(pod, merged(policy), options);
  CHECK(admission.allowed);
  auto tolerations = default_toleration_seconds();
  tolerations.push_back({"gpu", TolerationOperator::exists, "", TaintEffect::no_schedule});
  CHECK(admission.pod == Pod{.spec = {.scheduler_name = "blue",
                                      .priority_class_name = "gold",
                                      .node_selector = {{"disk", "ssd"}, {"runtime", "fast"}},
                                      .tolerations = tolerations}});
  CHECK_FALSE(admit(pod, merged(policy)).allowed);
}

TEST_CASE("without policies, and with two of one name, every pod is denied unchanged") {
  const Pod pod{.kind = PodKind::stateful_set, .metadata = {.name = "n"}};
  CHECK(admit(pod, EffectivePolicy()) ==
        Admission{
            .allowed = false,
            .pod = pod,
            .violations = {{ViolationCode::no_usable_policy, "spec.template.spec"_path, "", {}}}});
  CHECK(admit(pod, EffectivePolicy::ambiguous("p")) ==
        Admission{.allowed = false,
                  .pod = pod,
                  .violations = {
                      {ViolationCode::ambiguous_policy, "spec.template.spec"_path, "", {"p"}}}});
}

TEST_CASE("admissions chain: a later denial gives back the pod as it came to the chain") {
  const EffectivePolicy giving = merged({.defaults = {.scheduler_name = "blue"}});
  const EffectivePolicy blue_only = merged({.allowed = {.scheduler_names = {"blue"}}});
  const EffectivePolicy green_only = merged({.allowed = {.scheduler_names = {"green"}}});
  const auto then = [](const EffectivePolicy& effective) {
    return [&effective](Pod pod) { return admit(std::move(pod), effective); };
  };
  const Admission allowed = admit(Pod{}, giving).and_then(then(blue_only));
  CHECK(allowed.allowed);
  CHECK(allowed.pod.spec.scheduler_name == "blue");
  CHECK(allowed.changes.size() == 1);

  const Admission denied = admit(Pod{}, giving).and_then(then(green_only));
  CHECK_FALSE(denied.allowed);
  CHECK(denied.pod == Pod{});
  CHECK(denied.changes.empty());
  CHECK(denied.violations.size() == 1);
}

TEST_CASE("violations stand in the order of the rules, required ones after the kinds they are of") {
  const TolerationPattern gpu{.keys = {"gpu"},
                              .operators = {TolerationOperator::exists},
                              .effects = {TaintEffect::no_schedule}};
  const EffectivePolicy effective =
      merged({.required = {.priority_class_names = {"gold"},
                           .node_selectors = NodeSelectors{{"arch", any}},
                           .tolerations = {gpu},
                           .affinities = AffinityRules{.pod_affinities = any}}});
  const Pod pod{
      .spec = {.scheduler_name = "blue",
               .node_name = "node-1",
               .node_selector = {{"disk", "ssd"}},
               .tolerations = {{"spot", TolerationOperator::exists, "", TaintEffect::no_execute}},
               .affinity = Affinity{.pod_anti_affinity = PodAffinity{
                                        .required_during_scheduling_ignored_during_execution = {
                                            {.topology_key = "zone"}}}}}};
  std::vector<ViolationCode> codes;
  for (const Violation& violation : admit(pod, effective).violations)
    codes.push_back(violation.code);
  CHECK(codes ==
        std::vector<ViolationCode>{
            ViolationCode::scheduler_name_not_allowed, ViolationCode::node_name_not_allowed,
            ViolationCode::priority_class_name_required, ViolationCode::node_selector_required,
            ViolationCode::node_selector_not_allowed, ViolationCode::toleration_not_allowed,
            ViolationCode::toleration_required, ViolationCode::affinity_not_allowed,
            ViolationCode::affinity_required});
}

}  // namespace admit_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
