// SPDX-License-Identifier: Apache-2.0
// Ordinary mistakes of whoever writes C++ against the library: each is a denial or an error, none
// an allowance. What does not compile stands in tests/static/.
#include <schedpol/cluster/assume_cache.hpp>
#include <schedpol/cluster/cluster.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/compile.hpp>
#include <schedpol/metadata_policy/reinvocation.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/resource_policy/admit.hpp>
#include <schedpol/runtime_class/admit.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/print.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::engine {
namespace mistakes_test {

using Code = ViolationCode;

const metadata_policy::MetadataPolicy rejects_all = {
    .metadata = {.name = "none", .namespace_ = "default"},
    .spec = {.rules = {{.policy_action = {.reject = true}}}}};

const resource_policy::ResourcePolicy takes_none = {
    .metadata = {.name = "full", .namespace_ = "default"},
    .spec = {.pod_selector = LabelSelector{},
             .units = {{.max_count = 0, .node_selector = LabelSelector{}}}}};

const pod_scheduling_policy::PodSchedulingPolicy to_batch = {
    .metadata = {.name = "batch", .namespace_ = "default"},
    .spec = {.pod_selector = LabelSelector{}, .scheduler_name = "batch"}};

const scheduling_policy::SchedulingPolicy everything = scheduling_policy::privileged();

Engine engine_of(std::vector<Step> systems) {
  return *compile({.systems = std::move(systems),
                   .objects = {.metadata_policies = {rejects_all},
                               .pod_scheduling_policies = {to_batch},
                               .scheduling_policies = {everything},
                               .resource_policies = {takes_none}},
                   .settings = {.policy_use = PolicyUse::every}});
}

TEST_CASE("an object without a namespace is in `default`, and its policies apply") {
  const Pod pod{.metadata = {.name = "x"}};
  CHECK_FALSE(engine_of({{System::metadata_policy}}).decide({.object = pod}).allowed);
  CHECK_FALSE(engine_of({{System::metadata_policy}})
                  .decide_metadata({.kind = "ConfigMap", .object = pod.metadata})
                  .allowed);
  CHECK_FALSE(metadata_policy::admit(pod, {{rejects_all}}).allowed);
  CHECK(engine_of({{System::pod_scheduling_policy}})
            .decide({.object = pod})
            .pod.spec.scheduler_name == "batch");
  CHECK(pod_scheduling_policy::admit(pod, {}, {{to_batch}}).pod.spec.scheduler_name == "batch");

  const auto compiled = resource_policy::compile({{takes_none}});
  REQUIRE(compiled);
  const std::vector<Node> nodes = {{.metadata = {.name = "n"}}};
  const resource_policy::Cluster cluster(*compiled, nodes, {});
  CHECK(cluster.prefilter(pod).feasible().empty());
  CHECK(cluster.prefilter(pod).filter("n").reason == resource_policy::Reason::unit_full);

  CHECK(rbac::user_of(pod) == rbac::service_account_user("default", "default"));
}

TEST_CASE("a namespace that is left out is the same namespace as `default`") {
  resource_policy::ResourcePolicy one = takes_none;
  one.spec.units[0].max_count = 1;
  const std::vector<Node> nodes = {{.metadata = {.name = "n"}}};
  resource_policy::Cluster cluster(*resource_policy::compile({{one}}), nodes, {});
  const Pod unnamed{.metadata = {.name = "x"}};
  const Pod named{.metadata = {.name = "x", .namespace_ = "default"}};
  const Pod other{.metadata = {.name = "y"}};
  cluster.bind(unnamed, "n");
  cluster.bind(named, "n");  // the same pod once more
  CHECK(cluster.prefilter(other).counts() == std::vector<std::int64_t>{1});
  CHECK(cluster.prefilter(named).counts() == std::vector<std::int64_t>{0});
  cluster.unbind("", "x");
  CHECK(cluster.prefilter(other).counts() == std::vector<std::int64_t>{0});
}

TEST_CASE("a pod without a name gets no node of a ResourcePolicy, and is not counted") {
  resource_policy::ResourcePolicy two = takes_none;
  two.spec.units[0].max_count = 2;
  const std::vector<Node> nodes = {{.metadata = {.name = "n"}}};
  resource_policy::Cluster cluster(*resource_policy::compile({{two}}), nodes, {});
  const Pod generated{};
  const resource_policy::Prefilter prefilter = cluster.prefilter(generated);
  CHECK(prefilter.code() == resource_policy::Code::unschedulable_and_unresolvable);
  CHECK(prefilter.reason() == resource_policy::Reason::no_name);
  CHECK(to_string(prefilter.reason()) == "NoName");
  CHECK(prefilter.feasible().empty());
  CHECK(prefilter.infeasible(resource_policy::Reason::no_name) == cluster.nodes().nodes());
  CHECK(prefilter.message("n") == "the pod has no name, so it cannot be bound");
  cluster.bind(generated, "n");
  CHECK(cluster.prefilter({.metadata = {.name = "x"}}).counts() == std::vector<std::int64_t>{0});
}

TEST_CASE("a step that does not say which system runs is an error") {
  for (const std::vector<Step>& systems :
       std::vector<std::vector<Step>>{{Step{}},
                                      {{System::scheduling_policy}, {.mode = Mode::audit}},
                                      {{static_cast<System>(99)}}}) {
    const auto engine = compile({.systems = systems});
    REQUIRE_FALSE(engine);
    REQUIRE(engine.errors().size() == 1);
    CHECK(engine.errors()[0].type == ErrorType::required);
    CHECK(to_string(engine.errors()[0].field) ==
          "systems[" + std::to_string(systems.size() - 1) + "].system");
  }
  CHECK(to_string(System::none).empty());
  CHECK(audit_key(System::none).empty());
  CHECK_FALSE(Engine().runs(System::none));
}

TEST_CASE("a step whose mode is a number from elsewhere is an error") {
  const auto engine = compile({.systems = {{System::scheduling_policy, static_cast<Mode>(9)}}});
  REQUIRE_FALSE(engine);
  CHECK(to_string(engine.errors()[0].field) == "systems[0].mode");
}

/// A number that is no enumerator, as a cast makes one.
template <class Enum>
Enum no_enumerator() {
  return static_cast<Enum>(42);
}

TEST_CASE("a number that is no enumerator ends in a denial, never in an allowance") {
  using scheduling_policy::EffectivePolicy;
  using scheduling_policy::MergeStrategy;
  using scheduling_policy::Options;
  const EffectivePolicy all = scheduling_policy::merge({{everything}});
  const auto wanting_ssd = [](OpenEnum<NodeSelectorOperator> operator_) {
    Affinity affinity;
    affinity.node_affinity.emplace().required_during_scheduling_ignored_during_execution =
        NodeSelector{{{.match_expressions = {{"disk", std::move(operator_), {"ssd"}}}}}};
    return affinity;
  };
  // Requires ssd of every node that a pod may be on; the pod may be on others, too.
  scheduling_policy::SchedulingPolicy needs_ssd = everything;
  needs_ssd.spec.required.affinities = scheduling_policy::AffinityRules{
      .node_affinities = scheduling_policy::NodeAffinityRules{
          .required_during_scheduling_ignored_during_execution =
              scheduling_policy::NodeAffinityRule{
                  {{.match_expressions = {{{.keys = {"disk"},
                                            .operators = {NodeSelectorOperator::in},
                                            .values = {"ssd"}}}}}}}}};
  Pod escaping;
  escaping.spec.affinity = wanting_ssd(NodeSelectorOperator::in);
  escaping.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution
      ->node_selector_terms.push_back(
          {.match_expressions = {{"gpu", NodeSelectorOperator::exists, {}}}});
  scheduling_policy::SchedulingPolicy of_scheduler = everything;
  of_scheduler.spec.allowed.scheduler_names = {"default-scheduler"};
  const Pod on_node{.spec = {.node_name = "n"}};
  const auto engine_with = [](Settings settings, std::vector<Step> systems) {
    return compile(
        {.systems = std::move(systems),
         .objects = {.metadata_policies = {rejects_all}, .scheduling_policies = {everything}},
         .settings = std::move(settings)});
  };
  const auto decides = [&](Settings settings) {
    const auto engine = engine_with(std::move(settings), {{System::scheduling_policy}});
    return engine && engine->decide({}).allowed;
  };
  struct Case {
    const char* name;
    std::function<bool()> is_allowed;
  };
  const Case cases[] = {
      {"MergeStrategy, to merge",
       [&] {
         return scheduling_policy::admit(
                    {}, scheduling_policy::merge({{everything}}, no_enumerator<MergeStrategy>()))
             .allowed;
       }},
      {"MergeStrategy, of an engine",
       [&] {
         return decides(
             {.policy_use = PolicyUse::every, .strategy = no_enumerator<MergeStrategy>()});
       }},
      {"RequiredAffinity",
       [&] {
         return scheduling_policy::admit(
                    escaping, scheduling_policy::merge({{needs_ssd}}),
                    {.required_affinity = no_enumerator<scheduling_policy::RequiredAffinity>()})
             .allowed;
       }},
      {"NodeNameCheck",
       [&] {
         return scheduling_policy::admit(
                    on_node, scheduling_policy::merge({{of_scheduler}}),
                    {.node_name = no_enumerator<scheduling_policy::NodeNameCheck>()})
             .allowed;
       }},
      {"PolicyUse", [&] { return decides({.policy_use = no_enumerator<PolicyUse>()}); }},
      {"Mode",
       [&] {
         return static_cast<bool>(
             engine_with({}, {{System::metadata_policy, no_enumerator<Mode>()}}));
       }},
      {"System", [&] { return static_cast<bool>(engine_with({}, {{no_enumerator<System>()}})); }},
      {"Operation, of a pod",
       [&] {
         return engine_of({{System::metadata_policy}})
             .decide({.operation = no_enumerator<Operation>()})
             .allowed;
       }},
      {"Operation, of metadata",
       [&] {
         return engine_of({{System::metadata_policy}})
             .decide_metadata({.operation = no_enumerator<Operation>(), .kind = "ConfigMap"})
             .allowed;
       }},
      {"Phase, of a pod",
       [&] {
         return engine_of({{System::metadata_policy}})
             .decide({.phase = no_enumerator<Phase>()})
             .allowed;
       }},
      {"Phase, of metadata",
       [&] {
         return engine_of({{System::metadata_policy}})
             .decide_metadata({.kind = "ConfigMap", .phase = no_enumerator<Phase>()})
             .allowed;
       }},
      {"Scope",
       [&] {
         return engine_of({{System::metadata_policy}})
             .decide_metadata({.kind = "ConfigMap", .scope = no_enumerator<Scope>()})
             .allowed;
       }},
      {"PodKind",
       [&] {
         return engine_of({{System::metadata_policy}})
             .decide({.object = {.kind = no_enumerator<PodKind>()}})
             .allowed;
       }},
      {"a toleration's operator",
       [&] {
         const Toleration any_taint{.operator_ = no_enumerator<TolerationOperator>()};
         return tolerates(any_taint, {.effect = TaintEffect::no_schedule});
       }},
      {"a node selector's operator",
       [&] {
         PodSpec spec;
         spec.affinity = wanting_ssd(no_enumerator<NodeSelectorOperator>());
         return NodeAffinityMatcher(spec).matches({.metadata = {.labels = {{"disk", "ssd"}}}});
       }},
      {"a label selector's operator",
       [&] {
         LabelSelector selector;
         selector.match_expressions = {{"a", no_enumerator<LabelSelectorOperator>(), {}}};
         return static_cast<bool>(compile(std::optional(selector)));
       }},
      {"a ResourcePolicy's strategy",
       [&] {
         resource_policy::ResourcePolicy policy = takes_none;
         policy.spec.strategy = no_enumerator<resource_policy::Strategy>();
         return static_cast<bool>(resource_policy::compile({{policy}}));
       }},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK_FALSE(c.is_allowed());
  }
  CHECK(
      scheduling_policy::admit(escaping, scheduling_policy::merge({{needs_ssd}}),
                               {.required_affinity = scheduling_policy::RequiredAffinity::present})
          .allowed);
  CHECK(decides({.policy_use = PolicyUse::every}));
}

TEST_CASE("a pod that was moved from is denied by everybody who is asked about it") {
  const auto effective = scheduling_policy::merge({{everything}});
  const auto rules = metadata_policy::compile({});
  const auto injected = pod_scheduling_policy::compile({});
  const auto classes = runtime_class::compile({});
  const auto policies = resource_policy::compile({});
  struct Case {
    const char* name;
    std::function<Admission(const Pod&)> admit;
  };
  const Case cases[] = {
      {"SchedulingPolicy",
       [&](const Pod& pod) { return scheduling_policy::admit(pod, effective); }},
      {"MetadataPolicy", [&](const Pod& pod) { return metadata_policy::admit(pod, *rules); }},
      {"PodSchedulingPolicy",
       [&](const Pod& pod) { return pod_scheduling_policy::admit(pod, {}, *injected); }},
      {"RuntimeClass", [&](const Pod& pod) { return runtime_class::admit(pod, classes); }},
      {"ResourcePolicy", [&](const Pod& pod) { return resource_policy::admit(pod, *policies); }},
  };
  Pod pod{.metadata = {.name = "x"}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(c.admit(pod).allowed);
  }
  const Pod taken = std::move(pod);
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(c.admit(taken).allowed);
    const Admission admission = c.admit(pod);  // NOLINT(bugprone-use-after-move)
    CHECK_FALSE(admission.allowed);
    REQUIRE(admission.violations.size() == 1);
    CHECK(message(admission.violations[0]) ==
          "`spec`: the pod was moved from, so there is none to judge");
    CHECK(admission.pod.spec.moved_from);
  }
  CHECK_FALSE(check(pod, effective).empty());
  for (const Pod& old : {taken, pod}) {
    const auto violations = check_update(Old(old), pod, effective);
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].code == Code::moved_from);
  }
  for (const System system : all_systems) {
    CAPTURE(to_string(system));
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      const Decision decision = engine_of({{system}}).decide({.object = pod, .phase = phase});
      CHECK_FALSE(decision.allowed);
      REQUIRE(decision.steps.size() == 1);
      REQUIRE(decision.steps[0].violations.size() == 1);
      CHECK(decision.steps[0].violations[0].code == Code::moved_from);
    }
  }
  CHECK(runtime_class::verify(taken, classes).empty());
  REQUIRE(runtime_class::verify(pod, classes).size() == 1);
  CHECK(runtime_class::verify(pod, classes)[0].code == Code::moved_from);
  CHECK(metadata_policy::readmit(taken, *rules).allowed);
  CHECK_FALSE(metadata_policy::readmit(pod, *rules).allowed);
  CHECK_FALSE(metadata_policy::readmit_update(Old(taken), pod, *rules).allowed);
  CHECK(pod_scheduling_policy::inject(taken, {}, *injected).errors.empty());
  const auto injection = pod_scheduling_policy::inject(pod, {}, *injected);
  REQUIRE(injection.errors.size() == 1);
  CHECK(message(injection.errors[0]) == "`spec`: required value: the pod was moved from");
  CHECK(metadata_policy::choose_scheduler(taken, *rules).errors.empty());
  CHECK(metadata_policy::choose_scheduler(pod, *rules).errors == injection.errors);
  pod_scheduling_policy::Injection in_place{.pod = pod};
  inject_into(in_place, {}, *injected, DefaultScheduler::specified, ChangeValues::shown);
  CHECK(in_place.errors == injection.errors);
  const resource_policy::Cluster cluster(*policies, {}, {});
  CHECK(cluster.prefilter(taken).code() == resource_policy::Code::skip);
  CHECK(cluster.prefilter(pod).code() == resource_policy::Code::unschedulable_and_unresolvable);
  pod = taken;
  CHECK(check(pod, effective).empty());
}

TEST_CASE("a verdict that was moved from is a denial") {
  const Engine engine = engine_of({{System::scheduling_policy}});
  Decision decision = engine.decide({.object = {.metadata = {.name = "x"}}});
  REQUIRE(decision.allowed);
  const Decision taken = std::move(decision);
  CHECK(taken.allowed);
  CHECK_FALSE(decision.allowed);  // NOLINT(bugprone-use-after-move)

  MetadataDecision of_metadata = engine.decide_metadata({.kind = "ConfigMap"});
  REQUIRE(of_metadata.allowed);
  const MetadataDecision taken_too = std::move(of_metadata);
  CHECK(taken_too.allowed);
  CHECK_FALSE(of_metadata.allowed);  // NOLINT(bugprone-use-after-move)

  auto admission = metadata_policy::admit(ObjectMeta{.name = "x"}, *metadata_policy::compile({}));
  REQUIRE(admission.allowed);
  const auto taken_last = std::move(admission);
  CHECK(taken_last.allowed);
  CHECK_FALSE(admission.allowed);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("names that are required and of which none is listed are had by no pod") {
  const Pod pod{.metadata = {.name = "x"}, .spec = {.priority_class_name = "high"}};
  struct Case {
    const char* name;
    AnyOr<Texts> scheduling_policy::PolicySection::*field;
    Code code;
  };
  const Case cases[] = {
      {"schedulers", &scheduling_policy::PolicySection::scheduler_names,
       Code::scheduler_name_required},
      {"priority classes", &scheduling_policy::PolicySection::priority_class_names,
       Code::priority_class_name_required},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::vector<std::string> configured;  // nobody filled it
    scheduling_policy::SchedulingPolicy policy = everything;
    policy.spec.required.*c.field = Texts(configured);
    const auto codes = [&] {
      std::vector<Code> all;
      for (const Violation& violation : check(pod, scheduling_policy::merge({{policy}})))
        all.push_back(violation.code);
      return all;
    };
    CHECK(codes() == std::vector{c.code});
    AnyOr<Texts> names = {"high", "default-scheduler"};
    policy.spec.required.*c.field = names;
    CHECK(codes().empty());
    policy.spec.required.*c.field = std::move(names);
    scheduling_policy::SchedulingPolicy other = everything;
    other.metadata.name = "other";
    other.spec.required.*c.field = std::move(policy.spec.required.*c.field);
    CHECK(codes() == std::vector{c.code});  // its names are those of the other one now
  }
}

TEST_CASE("a pod is not injected by the policies of another namespace than its own") {
  const Pod pod{.metadata = {.name = "x", .namespace_ = "shop"}};
  for (const Namespace& in :
       {Namespace{}, Namespace{pod.metadata}, Namespace{{.name = "garden"}}}) {
    const Admission admission = pod_scheduling_policy::admit(pod, in, {{to_batch}});
    CHECK_FALSE(admission.allowed);
    CHECK(admission.pod == pod);
    REQUIRE(admission.violations.size() == 1);
    CHECK(admission.violations[0].value ==
          "`metadata.namespace`: invalid value `shop`: is not `" + std::string(namespace_of(in)) +
              "`, the namespace that the policies are asked about");
  }
  CHECK(pod_scheduling_policy::admit(pod, {{.name = "shop"}}, {{to_batch}}).allowed);
}

}  // namespace mistakes_test
}  // namespace SCHEDPOL_NAMESPACE::engine
