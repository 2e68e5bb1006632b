// SPDX-License-Identifier: Apache-2.0
#include <schedpol/pod_scheduling_policy/compile.hpp>

#include <schedpol/base/impl/shared.hpp>
#include <schedpol/core/scheduling_criteria.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include "policies.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace compile_test {

static_assert(std::is_nothrow_default_constructible_v<CompiledPolicies>);
static_assert(std::is_nothrow_move_constructible_v<CompiledPolicies>);
static_assert(std::is_copy_constructible_v<CompiledPolicies>);
static_assert(!std::is_constructible_v<CompiledPolicies, Policies>);

TEST_CASE("a policy applies to the pods and namespaces that its selectors match") {
  struct Case {
    const char* name;
    PodSchedulingPolicy policy;
    bool applies;
  };
  const auto own = [](std::optional<LabelSelector> pods, std::string namespace_ = "team-a") {
    return PodSchedulingPolicy{.metadata = {.name = "p", .namespace_ = std::move(namespace_)},
                               .spec = {.pod_selector = std::move(pods)}};
  };
  const auto any = [](std::optional<LabelSelector> namespaces, std::optional<LabelSelector> pods) {
    return PodSchedulingPolicy{
        .kind = cluster,
        .metadata = {.name = "p"},
        .spec = {.namespace_selector = std::move(namespaces), .pod_selector = std::move(pods)}};
  };
  constexpr auto not_in = LabelSelectorOperator::not_in;
  constexpr auto key_exists = LabelSelectorOperator::exists;
  constexpr auto key_is_missing = LabelSelectorOperator::does_not_exist;
  const Case cases[] = {
      {"a nil selector matches no pods", own(none), false},
      {"an empty selector matches all pods", own(everything), true},
      {"the pod's label", own(labelled("app", "web")), true},
      {"another value", own(labelled("app", "db")), false},
      {"a label that the pod has not", own(labelled("tier", "web")), false},
      {"a namespace's label is none of the pod", own(labelled("env", "prod")), false},
      {"In, listed", own(where("app", LabelSelectorOperator::in, {"db", "web"})), true},
      {"NotIn, listed", own(where("app", not_in, {"db", "web"})), false},
      {"NotIn, a missing key", own(where("tier", not_in, {"db"})), true},
      {"Exists", own(where("app", key_exists)), true},
      {"DoesNotExist", own(where("app", key_is_missing)), false},
      {"another namespace", own(everything, "team-b"), false},
      {"no namespace", own(everything, ""), false},

      {"cluster: both selectors nil", any(none, none), false},
      {"cluster: a nil namespace selector matches no namespaces", any(none, everything), false},
      {"cluster: a nil pod selector matches no pods", any(everything, none), false},
      {"cluster: two empty selectors match everything", any(everything, everything), true},
      {"cluster: the namespace's label", any(labelled("env", "prod"), everything), true},
      {"cluster: another value", any(labelled("env", "test"), everything), false},
      {"cluster: a pod's label is none of the namespace", any(labelled("app", "web"), everything),
       false},
      {"cluster: both match", any(labelled("env", "prod"), labelled("app", "web")), true},
      {"cluster: only the namespace matches", any(labelled("env", "prod"), labelled("app", "db")),
       false},
      {"cluster: only the pod matches", any(labelled("env", "test"), labelled("app", "web")),
       false},
      {"cluster: DoesNotExist on the namespace", any(where("env", key_is_missing), everything),
       false},
  };
  const Pod pod = pod_of({});
  for (Case c : cases) {
    CAPTURE(c.name);
    c.policy.spec.scheduler_name = "batch";
    const Injection injection = injected(pod, {c.policy});
    CHECK(injection.applied == (c.applies ? List{"p"} : List{}));
    CHECK(injection.pod.spec.scheduler_name == (c.applies ? "batch" : ""));
    if (!c.applies) CHECK(injection == Injection{.pod = pod});
  }
}

TEST_CASE("a namespace without labels and a pod without labels match the empty selector") {
  const Pod pod = {.metadata = {.name = "web", .namespace_ = "team-a"}};
  const PodSchedulingPolicy policy = of_cluster("p", {.scheduler_name = "batch"});
  CHECK(inject(pod, {{.name = "team-a"}}, Policies{policy}).applied == List{"p"});
  PodSchedulingPolicy labels = policy;
  labels.spec.namespace_selector = labelled("env", "prod");
  CHECK(inject(pod, {{.name = "team-a"}}, Policies{labels}).applied == List{});
}

TEST_CASE("policies apply in byte order of their names, the cluster's first of one name") {
  const auto local = [](const char* name, const char* scheduler) {
    return of_team_a(name, {.scheduler_name = scheduler});
  };
  const auto global = [](const char* name, const char* scheduler) {
    return of_cluster(name, {.scheduler_name = scheduler});
  };
  struct Case {
    const char* name;
    Policies policies;
    List applied;
    const char* scheduler;
  };
  const Case cases[] = {
      {"two of a namespace", {local("b", "late"), local("a", "early")}, {"a", "b"}, "early"},
      {"two of the cluster", {global("b", "late"), global("a", "early")}, {"a", "b"}, "early"},
      {"the name comes before the kind",
       {global("b", "late"), local("a", "early")},
       {"a", "b"},
       "early"},
      {"one name: the cluster's first",
       {local("a", "late"), global("a", "early")},
       {"a", "a"},
       "early"},
      {"digits first", {local("a", "late"), local("9", "early")}, {"9", "a"}, "early"},
      {"a prefix first", {local("a-1", "late"), local("a", "early")}, {"a", "a-1"}, "early"},
      {"no numbers", {local("p9", "late"), local("p10", "early")}, {"p10", "p9"}, "early"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Injection injection = injected(pod_of({}), c.policies);
    CHECK(injection.applied == c.applied);
    CHECK(injection.pod.spec.scheduler_name == c.scheduler);
    CHECK(injection.skipped == std::vector<Skipped>{{c.applied[1], "spec.schedulerName"_path,
                                                     "the pod has `early`, the policy `late`"}});
    CHECK(injected(pod_of({}), {c.policies[1], c.policies[0]}) == injection);
  }
}

TEST_CASE("a selector that cannot be used is an error that names its policy, nothing is injected") {
  constexpr auto key_in = LabelSelectorOperator::in;
  constexpr auto key_exists = LabelSelectorOperator::exists;
  const OpenEnum<LabelSelectorOperator> unknown("Like");
  struct Case {
    const char* name;
    PodSchedulingPolicySpec spec;
    List wanted;
  };
  const std::string pods = "policies[1].spec.podSelector.";
  const std::string namespaces = "policies[1].spec.namespaceSelector.";
  const Case cases[] = {
      {"In without values",
       {.pod_selector = where("app", key_in)},
       {"FieldValueRequired " + pods + "matchExpressions[0].values"}},
      {"Exists with values",
       {.pod_selector = where("app", key_exists, {"web"})},
       {"FieldValueForbidden " + pods + "matchExpressions[0].values"}},
      {"an unknown operator",
       {.pod_selector = where("app", unknown, {"web"})},
       {"FieldValueInvalid " + pods + "matchExpressions[0].operator"}},
      {"a malformed key",
       {.pod_selector = where("a b", key_exists)},
       {"FieldValueInvalid " + pods + "matchExpressions[0].key"}},
      {"a malformed value",
       {.pod_selector = labelled("app", "a b")},
       {"FieldValueInvalid " + pods + "matchLabels"}},
      {"a namespace selector",
       {.namespace_selector = where("env", key_in), .pod_selector = everything},
       {"FieldValueRequired " + namespaces + "matchExpressions[0].values"}},
      {"both",
       {.namespace_selector = where("env", key_in), .pod_selector = where("app", key_in)},
       {"FieldValueRequired " + pods + "matchExpressions[0].values",
        "FieldValueRequired " + namespaces + "matchExpressions[0].values"}},
  };
  const Pod pod = pod_of({});
  for (const Case& c : cases) {
    for (const char* namespace_ : {"team-a", "team-b", ""}) {
      CAPTURE(c.name);
      PodSchedulingPolicy broken = {.metadata = {.name = "broken", .namespace_ = namespace_},
                                    .spec = c.spec};
      List wanted = c.wanted;
      if (broken.metadata.namespace_.empty()) {
        broken.kind = cluster;
      } else if (c.spec.namespace_selector) {
        wanted.push_back("FieldValueForbidden policies[1].spec.namespaceSelector");
      }
      const Policies policies = {of_team_a("good", {.scheduler_name = "batch"}), broken};
      const Injection injection = injected(pod, policies);
      check_failed(injection, pod, wanted);
      for (const FieldError& error : injection.errors)
        CHECK(error.detail.find("(in `broken`)") != std::string::npos);
      const auto compiled = compile(policies);
      CHECK_FALSE(compiled);
      CHECK(compiled.errors() == injection.errors);
    }
  }
}

TEST_CASE("what validate refuses is an error that names its policy, nothing is injected") {
  PodSchedulingPolicy of_a_namespace = of_cluster("p", {});
  of_a_namespace.metadata.namespace_ = "team-a";
  PodSchedulingPolicy of_namespaces = of_team_a("p", {});
  of_namespaces.spec.namespace_selector = everything;
  PodSchedulingPolicy for_no_pod = of_team_a("p", {.node_name = "Not A Node"});
  for_no_pod.spec.pod_selector = none;
  PodSchedulingPolicy elsewhere = of_team_a("p", {.node_name = "Not A Node"});
  elsewhere.metadata.namespace_ = "team-b";
  const auto at = [](const FieldPath& path) { return "policies[1]." + to_string(path); };
  struct Case {
    const char* name;
    PodSchedulingPolicy policy;
    List wanted;
  };
  const Case cases[] = {
      {"a name in upper case", of_team_a("P", {}), {"FieldValueInvalid policies[1].metadata.name"}},
      {"a cluster policy with a namespace",
       of_a_namespace,
       {"FieldValueForbidden policies[1].metadata.namespace"}},
      {"a namespace selector of the namespaced kind",
       of_namespaces,
       {"FieldValueForbidden policies[1].spec.namespaceSelector"}},
      {"a label in the node selector",
       of_team_a("p", {.node_selector = {{"disk", "a b"}}}),
       {"FieldValueInvalid policies[1].spec.nodeSelector"}},
      {"an operator of a toleration",
       of_team_a("p",
                 {.tolerations = {{.key = "a", .operator_ = OpenEnum<TolerationOperator>("In")}}}),
       {"FieldValueNotSupported policies[1].spec.tolerations[0].operator"}},
      {"required node affinity without terms",
       of_team_a("p", {.affinity = required({})}),
       {"FieldValueRequired " + at(required_node_path.child("nodeSelectorTerms"))}},
      {"an expression of a required node term",
       of_team_a("p", {.affinity = required({term({in("zone", {})})})}),
       {"FieldValueRequired " + at(required_node_path.child("nodeSelectorTerms")
                                       .index(0)
                                       .child("matchExpressions")
                                       .index(0)
                                       .child("values"))}},
      {"a negative weight",
       of_cluster("p", {.affinity = preferred({{-1, term({has("a")})}})}),
       {"FieldValueInvalid " +
        at(node_affinity_path.child(preferred_mode).index(0).child("weight"))}},
      {"more items than a pod may be given",
       of_cluster("p", {.tolerations = tolerations(max_given_items + 1)}),
       {"FieldValueTooMany policies[1].spec"}},
      {"two mistakes",
       of_team_a("p", {.node_name = "Not A Node", .node_selector = {{"disk", "a b"}}}),
       {"FieldValueInvalid policies[1].spec.nodeSelector",
        "FieldValueInvalid policies[1].spec.nodeName"}},
      {"one that selects no pod", for_no_pod, {"FieldValueInvalid policies[1].spec.nodeName"}},
      {"one of another namespace", elsewhere, {"FieldValueInvalid policies[1].spec.nodeName"}},
  };
  const Pod pod = pod_of({});
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Policies policies = {of_team_a("good", {.scheduler_name = "batch"}), c.policy};
    const Injection injection = injected(pod, policies);
    check_failed(injection, pod, c.wanted);
    std::vector<FieldError> wanted = validate(c.policy);
    REQUIRE(injection.errors.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      CHECK(injection.errors[i].bad_value == wanted[i].bad_value);
      CHECK(injection.errors[i].detail ==
            wanted[i].detail + " (in `" + c.policy.metadata.name + "`)");
    }
    CHECK(compile(policies).errors() == injection.errors);
    CHECK((*compile({})).with(policies).errors() == injection.errors);
    const Admission admission = admit(pod, team_a, policies);
    CHECK_FALSE(admission.allowed);
    CHECK(admission.pod == pod);
    REQUIRE(admission.violations.size() == wanted.size());
    for (const Violation& violation : admission.violations)
      CHECK((violation.code == ViolationCode::invalid_policy));
  }
}

TEST_CASE("the broken selectors of all policies are reported") {
  const LabelSelector broken = where("app", LabelSelectorOperator::in);
  const Policies policies = {
      {.metadata = {.name = "b", .namespace_ = "team-a"}, .spec = {.pod_selector = broken}},
      of_cluster("good", {}),
      {.kind = cluster,
       .metadata = {.name = "a"},
       .spec = {.namespace_selector = broken, .pod_selector = everything}}};
  const Pod pod = pod_of({});
  check_failed(
      injected(pod, policies), pod,
      {"FieldValueRequired policies[0].spec.podSelector.matchExpressions[0].values",
       "FieldValueRequired policies[2].spec.namespaceSelector.matchExpressions[0].values"});
}

TEST_CASE("two policies of one kind, name and namespace are an error") {
  PodSchedulingPolicy of_team_b = of_team_a("p", {});
  of_team_b.metadata.namespace_ = "team-b";
  PodSchedulingPolicy elsewhere = of_cluster("p", {});
  elsewhere.metadata.namespace_ = "team-b";
  PodSchedulingPolicy of_nowhere = of_team_a("p", {});
  of_nowhere.metadata.namespace_.clear();
  struct Case {
    const char* name;
    Policies policies;
    List wanted;
  };
  const std::string twice = "FieldValueDuplicate policies";
  const Case cases[] = {
      {"the same one twice", {of_team_a("p", {}), of_team_a("p", {})}, {twice}},
      {"different ones",
       {of_team_a("p", {.node_name = "a"}), of_team_a("q", {}), of_team_a("p", {})},
       {twice}},
      {"of the cluster", {of_cluster("p", {}), of_cluster("p", {})}, {twice}},
      {"of the cluster, which has no namespaces",
       {of_cluster("p", {}), elsewhere},
       {"FieldValueForbidden policies[1].metadata.namespace", twice}},
      {"two names twice",
       {of_team_a("p", {}), of_cluster("q", {}), of_team_a("p", {}), of_cluster("q", {})},
       {twice, twice}},
      {"of two namespaces", {of_team_a("p", {}), of_team_b}, {}},
      {"of two kinds", {of_team_a("p", {}), of_cluster("p", {})}, {}},
      {"of two kinds, one of no namespace", {of_cluster("p", {}), of_nowhere}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto compiled = compile(c.policies);
    CHECK(reasons(compiled.errors()) == c.wanted);
    CHECK(static_cast<bool>(compiled) == c.wanted.empty());
    if (!c.wanted.empty()) CHECK(compiled.errors()[c.wanted[0] == twice ? 0 : 1].bad_value == "p");
  }
}

TEST_CASE("the namespace has to be known where the labels of one say whether a policy applies") {
  const PodSchedulingPolicy everywhere = of_cluster("everywhere", {});
  PodSchedulingPolicy somewhere = of_cluster("somewhere", {});
  somewhere.spec.namespace_selector = labelled("env", "prod");
  PodSchedulingPolicy elsewhere = of_cluster("elsewhere", {});
  elsewhere.spec.namespace_selector = where("env", LabelSelectorOperator::does_not_exist);
  PodSchedulingPolicy either = of_cluster("either", {});
  either.spec.namespace_selector = where("env", LabelSelectorOperator::in, {"prod", "test"});
  PodSchedulingPolicy nowhere = of_cluster("nowhere", {});
  nowhere.spec.namespace_selector = none;
  PodSchedulingPolicy of_others = somewhere;
  of_others.metadata.name = "of-others";
  of_others.spec.pod_selector = labelled("app", "db");
  const PodSchedulingPolicy local = of_team_a("local", {});
  struct Case {
    const char* name;
    Policies policies;
    std::vector<std::string> asking;
  };
  const Case cases[] = {
      {"no policies", {}, {}},
      {"one of a namespace", {local}, {}},
      {"one of all namespaces", {everywhere}, {}},
      {"one of no namespace", {nowhere}, {}},
      {"one of some namespaces", {somewhere}, {"somewhere"}},
      {"one of namespaces without a label", {elsewhere}, {"elsewhere"}},
      {"one of namespaces with one of two values", {either}, {"either"}},
      {"one of some namespaces, for other pods", {of_others}, {}},
      {"the second", {everywhere, somewhere}, {"somewhere"}},
      {"the last", {nowhere, local, of_others, everywhere, elsewhere}, {"elsewhere"}},
      {"two, in the order of their names",
       {somewhere, everywhere, elsewhere},
       {"elsewhere", "somewhere"}},
      {"none of several", {nowhere, local, of_others, everywhere}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK((*compile(c.policies)).asking_for_namespace({{"app", "web"}}) == c.asking);
  }
  CHECK(CompiledPolicies().asking_for_namespace({}).empty());
}

TEST_CASE("copies of compiled policies say the same, whatever became of the policies") {
  Policies policies = {of_team_a("p", {.scheduler_name = "batch"})};
  CompiledPolicies compiled = *compile(policies);
  policies.clear();
  const CompiledPolicies copy = compiled;
  compiled = *compile(policies);
  CHECK(inject(pod_of({}), team_a, copy).pod.spec.scheduler_name == "batch");
  CHECK(inject(pod_of({}), team_a, compiled).applied == List{});
}

TEST_CASE(
    "policies are replaced and taken out by kind, name and namespace, the compiled ones stay") {
  const auto injects = [](const char* name, const char* value,
                          PolicyKind kind = PolicyKind::pod_scheduling_policy) {
    return kind == cluster
               ? of_cluster(name, {.node_selector = {{std::string(name) + "-of-all", value}}})
               : of_team_a(name, {.node_selector = {{name, value}}});
  };
  const Policies first = {injects("a", "1"), injects("b", "1"), injects("a", "1", cluster)};
  const auto compiled = compile(first);
  REQUIRE(compiled);
  const auto injected = [](const CompiledPolicies& policies) {
    return inject(pod_of({}), {{.name = "team-a"}}, policies).pod.spec.node_selector;
  };
  const auto other = compiled->with(Policies{injects("a", "2"), injects("c", "2")});
  REQUIRE(other);
  CHECK(injected(*other) == Labels{{"a", "2"}, {"a-of-all", "1"}, {"b", "1"}, {"c", "2"}});
  CHECK(injected(other->without(Policies{injects("a", "", cluster), injects("b", "")})) ==
        Labels{{"a", "2"}, {"c", "2"}});
  CHECK(injected(*compiled) == Labels{{"a", "1"}, {"a-of-all", "1"}, {"b", "1"}});
  CHECK(!compiled->with(Policies{injects("x", ""), injects("x", "")}));
  PodSchedulingPolicy unreadable = injects("x", "");
  unreadable.spec.pod_selector = LabelSelector{.match_expressions = {{.key = "a"}}};
  CHECK(!compiled->with(Policies{unreadable}));
  // Nobody said which others there are.
  CHECK(!inject(Pod(), {}, CompiledPolicies().without(first)).errors.empty());
  const auto alone = CompiledPolicies().with(Policies{first[0]});
  REQUIRE(alone);
  CHECK(injected(*alone) == Labels{{"a", "1"}});
}

TEST_CASE("the criteria of the cluster's policies that select a pod are shared, in their order") {
  const SchedulingCriteria whole = {.node_name = "node-1",
                                    .scheduler_name = "batch",
                                    .node_selector = {{"pool", "etcd"}},
                                    .tolerations = {{.key = "etcd", .operator_ = exists}},
                                    .affinity = required({term({has("disk")})})};
  PodSchedulingPolicy etcd = of_cluster("b-etcd", {.node_name = whole.node_name,
                                                   .scheduler_name = whole.scheduler_name,
                                                   .node_selector = whole.node_selector,
                                                   .tolerations = whole.tolerations,
                                                   .affinity = whole.affinity});
  etcd.spec.pod_selector = labelled("app", "etcd");
  PodSchedulingPolicy of_prod = of_cluster("a-prod", {.scheduler_name = "prod"});
  of_prod.spec.namespace_selector = labelled("env", "prod");
  PodSchedulingPolicy of_others = of_cluster("a-others", {.scheduler_name = "others"});
  of_others.spec.namespace_selector = LabelSelector{
      .match_expressions = {{.key = "env", .operator_ = LabelSelectorOperator::does_not_exist}}};
  const auto compiled = compile(
      Policies{etcd, of_team_a("c-local", {.scheduler_name = "local"}), of_prod, of_others});
  REQUIRE(compiled);

  const SchedulingCriteria prod = {.scheduler_name = "prod"};
  const SchedulingCriteria others = {.scheduler_name = "others"};
  struct Case {
    const char* name;
    Labels labels;
    const Namespace* in;
    std::vector<SchedulingCriteria> wanted;
  };
  const Namespace team_b = {{.name = "team-b"}};
  const Case cases[] = {
      {"both", {{"app", "etcd"}}, &team_a, {prod, whole}},
      {"by its namespace", {{"app", "web"}}, &team_a, {prod}},
      {"by its label", {{"app", "etcd"}}, &team_b, {others, whole}},
      {"by what its namespace lacks", {{"app", "web"}}, &team_b, {others}},
      {"in a namespace that is not known", {{"app", "etcd"}}, nullptr, {whole}},
      {"neither", {{"app", "web"}}, nullptr, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    std::vector<SchedulingCriteria> found;
    for (const auto& one : compiled->criteria_of_cluster(c.labels, c.in))
      found.push_back(*one.criteria);
    CHECK(found == c.wanted);
  }

  const auto later = compiled->with(Policies{of_team_a("d", {})});
  REQUIRE(later);
  const Labels labels = {{"app", "etcd"}};
  const auto before = compiled->criteria_of_cluster(labels, &team_a)[1];
  const auto after = later->criteria_of_cluster(labels, &team_a)[1];
  CHECK(&*before.criteria == &*after.criteria);
  CHECK(before.policy == after.policy);
  CHECK(CompiledPolicies().criteria_of_cluster(labels, &team_a).empty());
}

}  // namespace compile_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
