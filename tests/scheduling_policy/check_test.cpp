// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/reasons.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_test {

using schedpol::testing::operator""_path;

static_assert(std::is_same_v<decltype(check(Pod{}, EffectivePolicy{})), std::vector<Violation>>);

using schedpol::testing::List;
using schedpol::testing::reasons;
using TolerationPatterns = std::vector<TolerationPattern>;
using TolerationOperators = std::vector<OpenEnum<TolerationOperator>>;
using Effects = std::vector<OpenEnum<TaintEffect>>;
using RequirementPatterns = std::vector<RequirementPattern>;
using NodeOperators = std::vector<OpenEnum<NodeSelectorOperator>>;

constexpr auto equal = TolerationOperator::equal;
constexpr auto exists = TolerationOperator::exists;
constexpr auto no_schedule = TaintEffect::no_schedule;
constexpr auto prefer_no_schedule = TaintEffect::prefer_no_schedule;
constexpr auto no_execute = TaintEffect::no_execute;
constexpr auto in = NodeSelectorOperator::in;
constexpr auto not_in = NodeSelectorOperator::not_in;

const AnyOr<Texts> absent;

EffectivePolicy merged(SchedulingPolicySpec spec) {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "p"}, .spec = std::move(spec)}};
  return merge(policies);
}

/// The same with the default scheduler allowed, so that nothing but the rest is in question.
EffectivePolicy merged_with_scheduler(SchedulingPolicySpec spec) {
  spec.allowed.scheduler_names = {"default-scheduler"};
  return merged(std::move(spec));
}

TEST_CASE("a scheduler is one of the required, or else permitted") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    std::string scheduler;
    List wanted;
    std::string value;
  };
  const List required = {"SchedulerNameRequired spec.schedulerName"};
  const List not_allowed = {"SchedulerNameNotAllowed spec.schedulerName"};
  const Case cases[] = {
      {"absent everywhere, none is allowed", {}, "blue", not_allowed, "blue"},
      {"not even the default one, which a pod without a name means",
       {},
       "",
       not_allowed,
       "default-scheduler"},
      {"allowed [] is any", {.allowed = {.scheduler_names = any}}, "blue", {}, ""},
      {"allowed [] is also the default one", {.allowed = {.scheduler_names = any}}, "", {}, ""},
      {"a listed one is allowed", {.allowed = {.scheduler_names = {"blue"}}}, "blue", {}, ""},
      {"another is not", {.allowed = {.scheduler_names = {"blue"}}}, "green", not_allowed, "green"},
      {"a listed one says nothing for pods without a name",
       {.allowed = {.scheduler_names = {"blue"}}},
       "",
       not_allowed,
       "default-scheduler"},
      {"a pod without a name has the default one",
       {.allowed = {.scheduler_names = {"default-scheduler"}}},
       "",
       {},
       ""},
      {"names are compared by case",
       {.allowed = {.scheduler_names = {"blue"}}},
       "Blue",
       not_allowed,
       "Blue"},
      {"the empty name in the list stands for nothing",
       {.allowed = {.scheduler_names = {""}}},
       "",
       not_allowed,
       "default-scheduler"},
      {"what is required is allowed",
       {.required = {.scheduler_names = {"blue", "green"}}},
       "green",
       {},
       ""},
      {"another than the required is refused",
       {.required = {.scheduler_names = {"blue"}}},
       "green",
       required,
       "green"},
      {"also when it is allowed",
       {.required = {.scheduler_names = {"blue"}}, .allowed = {.scheduler_names = {"green"}}},
       "green",
       required,
       "green"},
      {"also when any is allowed",
       {.required = {.scheduler_names = {"blue"}}, .allowed = {.scheduler_names = any}},
       "green",
       required,
       "green"},
      {"also when it is the default",
       {.required = {.scheduler_names = {"blue"}}, .defaults = {.scheduler_name = "green"}},
       "green",
       required,
       "green"},
      {"a pod without a name does not meet another requirement",
       {.required = {.scheduler_names = {"blue"}}},
       "",
       required,
       "default-scheduler"},
      {"a pod without a name meets a requirement of the default one",
       {.required = {.scheduler_names = {"default-scheduler"}}},
       "",
       {},
       ""},
      {"required [] asks for nothing and permits nothing",
       {.required = {.scheduler_names = any}},
       "blue",
       not_allowed,
       "blue"},
      {"a default is allowed", {.defaults = {.scheduler_name = "blue"}}, "blue", {}, ""},
      {"a default allows no other",
       {.defaults = {.scheduler_name = "blue"}},
       "green",
       not_allowed,
       "green"},
  };
  for (const auto& [name, policy, scheduler, wanted, value] : cases) {
    CAPTURE(name);
    const auto found = check(Pod{.spec = {.scheduler_name = scheduler}}, merged(policy));
    CHECK(reasons(found) == wanted);
    if (found.size() != 1) continue;
    CHECK(found[0].value == value);
    CHECK(found[0].policies == List{"p"});
  }
}

TEST_CASE("a pod that names its node needs a policy that allows every scheduler") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    Options options;
    List wanted;
  };
  const List denied = {"NodeNameNotAllowed spec.nodeName"};
  const Case cases[] = {
      {"allowed [] is any scheduler", {.allowed = {.scheduler_names = any}}, {}, {}},
      {"a list is not", {.allowed = {.scheduler_names = {"default-scheduler"}}}, {}, denied},
      {"nor is a requirement",
       {.required = {.scheduler_names = {"default-scheduler"}}},
       {},
       denied},
      {"nor is a default", {.defaults = {.scheduler_name = "default-scheduler"}}, {}, denied},
      {"a requirement on the scheduler does not take away that any is allowed",
       {.required = {.scheduler_names = {"default-scheduler"}},
        .allowed = {.scheduler_names = any}},
       {},
       {}},
      {"the option ignores the node name",
       {.allowed = {.scheduler_names = {"default-scheduler"}}},
       {.node_name = NodeNameCheck::ignore},
       {}},
  };
  for (const auto& [name, policy, options, wanted] : cases) {
    CAPTURE(name);
    const Pod pod{.spec = {.node_name = "node-1"}};
    const auto found = check(pod, merged(policy), options);
    CHECK(reasons(found) == wanted);
    if (found.size() == 1) CHECK(found[0].value == "node-1");
  }
}

TEST_CASE("a priority class is one of the required, or else permitted, or there is none") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    std::string priority_class;
    std::string global_default;
    List wanted;
  };
  const List required = {"PriorityClassNameRequired spec.priorityClassName"};
  const List not_allowed = {"PriorityClassNameNotAllowed spec.priorityClassName"};
  const SchedulingPolicySpec gold_required{.required = {.priority_class_names = {"gold"}}};
  const SchedulingPolicySpec gold_allowed{.allowed = {.priority_class_names = {"gold"}}};
  const SchedulingPolicySpec gold_given{.defaults = {.priority_class_name = "gold"}};
  const Case cases[] = {
      {"absent everywhere, none is allowed", {}, "gold", "", not_allowed},
      {"a pod without one asks for nothing", {}, "", "", {}},
      {"allowed [] is any", {.allowed = {.priority_class_names = any}}, "gold", "", {}},
      {"a listed one is allowed", gold_allowed, "gold", "", {}},
      {"another is not", gold_allowed, "silver", "", not_allowed},
      {"none is needed where some are allowed", gold_allowed, "", "", {}},
      {"what is required is allowed", gold_required, "gold", "", {}},
      {"another is refused", gold_required, "silver", "", required},
      {"none is refused", gold_required, "", "", required},
      {"a requirement is not met by what is allowed",
       {.required = {.priority_class_names = {"gold"}}, .allowed = {.priority_class_names = any}},
       "silver",
       "",
       required},
      {"a requirement is not met by another default",
       {.required = {.priority_class_names = {"gold"}},
        .defaults = {.priority_class_name = "silver"}},
       "silver",
       "",
       required},
      {"required [] asks for nothing", {.required = {.priority_class_names = any}}, "", "", {}},
      {"the empty name in a requirement is met by no pod",
       {.required = {.priority_class_names = {""}}},
       "",
       "",
       required},
      {"a default is allowed", gold_given, "gold", "", {}},
      {"a default allows no other", gold_given, "silver", "", not_allowed},
      {"the global default is taken as none", {}, "gold", "gold", {}},
      {"another than the global default is not", {}, "silver", "gold", not_allowed},
      {"the global default does not meet a requirement", gold_required, "gold", "gold", required},
      {"unless the policy itself gives it",
       {.required = {.priority_class_names = {"gold"}},
        .defaults = {.priority_class_name = "gold"}},
       "gold",
       "gold",
       {}},
  };
  for (const auto& [name, policy, priority_class, global_default, wanted] : cases) {
    CAPTURE(name);
    const auto found =
        check(Pod{.spec = {.priority_class_name = priority_class}}, merged_with_scheduler(policy),
              {.global_default_priority_class = global_default});
    CHECK(reasons(found) == wanted);
    if (found.size() == 1) CHECK(found[0].value == priority_class);
  }
}

TEST_CASE("node selectors: required keys have a listed value, the others are permitted") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    Labels node_selector;
    List wanted;
  };
  const auto required = [](AnyOr<NodeSelectors> selectors) {
    return SchedulingPolicySpec{.required = {.node_selectors = std::move(selectors)}};
  };
  const auto allowed = [](AnyOr<NodeSelectors> selectors) {
    return SchedulingPolicySpec{.allowed = {.node_selectors = std::move(selectors)}};
  };
  const List disk_required = {"NodeSelectorRequired spec.nodeSelector[disk]"};
  const List disk_not_allowed = {"NodeSelectorNotAllowed spec.nodeSelector[disk]"};
  const Case cases[] = {
      {"absent everywhere, none is allowed", {}, {{"disk", "ssd"}}, disk_not_allowed},
      {"a pod without one asks for nothing", {}, {}, {}},
      {"allowed {} is any key", allowed(any), {{"disk", "ssd"}, {"zone", ""}}, {}},
      {"allowed KEY: [] is any value", allowed({{"disk", any}}), {{"disk", "ssd"}}, {}},
      {"and no other key", allowed({{"zone", any}}), {{"disk", "ssd"}}, disk_not_allowed},
      {"a listed value is allowed", allowed({{"disk", {"hdd", "ssd"}}}), {{"disk", "ssd"}}, {}},
      {"another value is not", allowed({{"disk", {"hdd"}}}), {{"disk", "ssd"}}, disk_not_allowed},
      {"an allowed key is not needed", allowed({{"disk", {"ssd"}}}), {}, {}},
      {"of several allowed keys one may be used",
       allowed({{"disk", {"ssd"}}, {"os", {"linux"}}}),
       {{"os", "linux"}},
       {}},
      {"or all",
       allowed({{"disk", {"ssd"}}, {"os", {"linux"}}}),
       {{"disk", "ssd"}, {"os", "linux"}},
       {}},
      {"a null entry permits nothing",
       allowed({{"disk", absent}}),
       {{"disk", "ssd"}},
       disk_not_allowed},
      {"also not the empty value", allowed({{"disk", absent}}), {{"disk", ""}}, disk_not_allowed},
      {"and does not turn its map into {}",
       allowed({{"zone", absent}}),
       {{"disk", "ssd"}},
       disk_not_allowed},
      {"the empty value is a value", allowed({{"disk", {""}}}), {{"disk", ""}}, {}},
      {"a required key with a listed value",
       required({{"disk", {"hdd", "ssd"}}}),
       {{"disk", "ssd"}},
       {}},
      {"a required key with another value",
       required({{"disk", {"hdd"}}}),
       {{"disk", "ssd"}},
       disk_required},
      {"a required key that is missing", required({{"disk", {"ssd"}}}), {}, disk_required},
      {"required KEY: [] is met by any value", required({{"disk", any}}), {{"disk", "x"}}, {}},
      {"but not by a missing key", required({{"disk", any}}), {}, disk_required},
      {"a null requirement is never met",
       required({{"disk", absent}}),
       {{"disk", "ssd"}},
       disk_required},
      {"required {} asks for nothing and permits nothing",
       required(any),
       {{"disk", "ssd"}},
       disk_not_allowed},
      {"what is allowed does not widen what is required",
       {.required = {.node_selectors = NodeSelectors{{"disk", {"ssd"}}}},
        .allowed = {.node_selectors = any}},
       {{"disk", "hdd"}},
       disk_required},
      {"nor does what is given by default",
       {.required = {.node_selectors = NodeSelectors{{"disk", {"ssd"}}}},
        .defaults = {.node_selector = Labels{{"disk", "hdd"}}}},
       {{"disk", "hdd"}},
       disk_required},
      {"a default pair is allowed",
       {.defaults = {.node_selector = Labels{{"disk", "ssd"}}}},
       {{"disk", "ssd"}},
       {}},
      {"a default pair allows no other value",
       {.defaults = {.node_selector = Labels{{"disk", "ssd"}}}},
       {{"disk", "hdd"}},
       disk_not_allowed},
      {"required keys come first, then the pod's, each in byte order",
       required({{"zone", {"a"}}, {"disk", {"ssd"}}}),
       {{"arch", "arm64"}, {"zone", "b"}, {"os", "linux"}},
       {"NodeSelectorRequired spec.nodeSelector[disk]",
        "NodeSelectorRequired spec.nodeSelector[zone]",
        "NodeSelectorNotAllowed spec.nodeSelector[arch]",
        "NodeSelectorNotAllowed spec.nodeSelector[os]"}},
  };
  for (const auto& [name, policy, node_selector, wanted] : cases) {
    CAPTURE(name);
    const auto found =
        check(Pod{.spec = {.node_selector = node_selector}}, merged_with_scheduler(policy));
    CHECK(reasons(found) == wanted);
  }
}

TEST_CASE("a node selector violation shows the pod's value") {
  const auto effective = merged_with_scheduler(
      {.required = {.node_selectors = NodeSelectors{{"arch", {"arm64"}}, {"os", any}}}});
  const auto found =
      check(Pod{.spec = {.node_selector = {{"arch", "amd64"}, {"disk", "ssd"}}}}, effective);
  CHECK(found ==
        std::vector<Violation>{
            {ViolationCode::node_selector_required,
             "spec.nodeSelector[arch]"_path,
             "amd64",
             {"p"},
             {"arm64"}},
            {ViolationCode::node_selector_required, "spec.nodeSelector[os]"_path, "", {"p"}},
            {ViolationCode::node_selector_not_allowed,
             "spec.nodeSelector[disk]"_path,
             "ssd",
             {"p"}}});
}

TEST_CASE("an exempt pair of the node selector needs no permission, and requirements see it") {
  const Options options{.exempt = {.node_selector = {{"disk", "ssd"}}}};
  const auto found = [&](const SchedulingPolicySpec& policy, Labels node_selector) {
    return reasons(check(Pod{.spec = {.node_selector = std::move(node_selector)}},
                         merged_with_scheduler(policy), options));
  };
  CHECK(found({}, {{"disk", "ssd"}}) == List{});
  CHECK(found({}, {{"disk", "hdd"}}) == List{"NodeSelectorNotAllowed spec.nodeSelector[disk]"});
  CHECK(found({}, {{"disk2", "ssd"}}) == List{"NodeSelectorNotAllowed spec.nodeSelector[disk2]"});
  const SchedulingPolicySpec required{.required = {.node_selectors = NodeSelectors{{"disk", any}}}};
  CHECK(found(required, {{"disk", "ssd"}}) == List{});
  CHECK(found(required, {{"disk", "hdd"}}) == List{});
  const SchedulingPolicySpec others{
      .required = {.node_selectors = NodeSelectors{{"disk", {"hdd"}}}}};
  CHECK(found(others, {{"disk", "ssd"}}) == List{"NodeSelectorRequired spec.nodeSelector[disk]"});
}

TEST_CASE("a toleration matches a pattern in key, operator, value and effect") {
  struct Case {
    const char* name;
    TolerationPattern pattern;
    Toleration toleration;
    bool allowed;
  };
  const TolerationPattern gpu{.keys = {"gpu"},
                              .operators = TolerationOperators{equal},
                              .values = {"a", "b"},
                              .effects = Effects{no_schedule}};
  const TolerationPattern everything{.keys = any, .operators = any, .values = any, .effects = any};
  const auto with = []<class L>(TolerationPattern pattern, AnyOr<L> TolerationPattern::*member,
                                std::type_identity_t<AnyOr<L>> list) {
    pattern.*member = std::move(list);
    return pattern;
  };
  const auto keys = &TolerationPattern::keys;
  const auto operators = &TolerationPattern::operators;
  const auto values = &TolerationPattern::values;
  const auto effects = &TolerationPattern::effects;
  const OpenEnum<TolerationOperator> unknown_operator("exists");
  const OpenEnum<TaintEffect> unknown_effect("NoRun");
  const Case cases[] = {
      {"all four listed", gpu, {"gpu", equal, "a", no_schedule}, true},
      {"an operator left out is Equal", gpu, {"gpu", {}, "b", no_schedule}, true},
      {"an empty operator in the pattern is Equal too",
       with(gpu, operators, {TolerationOperator::unset}),
       {"gpu", equal, "a", no_schedule},
       true},
      {"another key", gpu, {"spot", equal, "a", no_schedule}, false},
      {"another operator", gpu, {"gpu", TolerationOperator::lt, "a", no_schedule}, false},
      {"another value", gpu, {"gpu", equal, "c", no_schedule}, false},
      {"no value", gpu, {"gpu", equal, "", no_schedule}, false},
      {"another effect", gpu, {"gpu", equal, "a", no_execute}, false},
      {"no effect asks for all three", gpu, {"gpu", equal, "a", {}}, false},
      {"Exists asks for every value", gpu, {"gpu", exists, "", no_schedule}, false},
      {"tolerationSeconds do not matter to a pattern",
       with(gpu, effects, {no_execute}),
       {"gpu", equal, "a", no_execute, 60},
       true},

      {"keys [] is any key", with(gpu, keys, any), {"spot", equal, "a", no_schedule}, true},
      {"absent keys match nothing", with(gpu, keys, {}), {"gpu", equal, "a", no_schedule}, false},
      {"also no empty key", with(gpu, keys, {}), {"", equal, "a", no_schedule}, false},
      {"an empty key needs keys []", with(gpu, keys, any), {"", equal, "a", no_schedule}, true},
      {"an empty key that is listed stands for nothing",
       with(gpu, keys, {"", "gpu"}),
       {"", equal, "a", no_schedule},
       false},

      {"operators [] is any known operator",
       with(gpu, operators, any),
       {"gpu", TolerationOperator::gt, "a", no_schedule},
       true},
      {"absent operators match nothing",
       with(gpu, operators, {}),
       {"gpu", equal, "a", no_schedule},
       false},

      {"values [] is any value", with(gpu, values, any), {"gpu", equal, "c", no_schedule}, true},
      {"also none", with(gpu, values, any), {"gpu", equal, "", no_schedule}, true},
      {"absent values match what has no value",
       with(gpu, values, {}),
       {"gpu", equal, "", no_schedule},
       true},
      {"and nothing that has one", with(gpu, values, {}), {"gpu", equal, "a", no_schedule}, false},
      {"the empty value can be listed",
       with(gpu, values, {""}),
       {"gpu", equal, "", no_schedule},
       true},
      {"Exists needs values [] or none",
       with(everything, values, {"a"}),
       {"gpu", exists, "", no_schedule},
       false},
      {"also where the empty value is listed",
       with(everything, values, {""}),
       {"gpu", exists, "", no_schedule},
       false},
      {"Exists with values []", everything, {"gpu", exists, "", no_schedule}, true},
      {"Exists with absent values",
       with(everything, values, absent),
       {"gpu", exists, "", no_schedule},
       true},

      {"effects [] is any effect",
       with(gpu, effects, any),
       {"gpu", equal, "a", prefer_no_schedule},
       true},
      {"also none", with(gpu, effects, any), {"gpu", equal, "a", {}}, true},
      {"all three effects are any effect",
       with(gpu, effects, {no_execute, prefer_no_schedule, no_schedule}),
       {"gpu", equal, "a", {}},
       true},
      {"two effects are not",
       with(gpu, effects, {no_execute, prefer_no_schedule}),
       {"gpu", equal, "a", {}},
       false},
      {"nor is an empty effect that is listed",
       with(gpu, effects, {TaintEffect::unset}),
       {"gpu", equal, "a", {}},
       false},
      {"absent effects match nothing",
       with(gpu, effects, {}),
       {"gpu", equal, "a", no_schedule},
       false},
      {"absent effects do not match none either",
       with(gpu, effects, {}),
       {"gpu", equal, "a", {}},
       false},

      {"every toleration there is", everything, {"", exists, "", {}}, true},
      {"an unknown operator is never permitted",
       everything,
       {"gpu", unknown_operator, "", no_schedule},
       false},
      {"not even where it is listed",
       with(everything, operators, TolerationOperators{unknown_operator}),
       {"gpu", unknown_operator, "", no_schedule},
       false},
      {"an unknown effect is never permitted",
       everything,
       {"gpu", exists, "", unknown_effect},
       false},
      {"not even where it is listed",
       with(everything, effects, Effects{unknown_effect}),
       {"gpu", exists, "", unknown_effect},
       false},
      {"the pattern {} matches nothing", {}, {"gpu", equal, "", no_schedule}, false},
  };
  for (const auto& [name, pattern, toleration, allowed] : cases) {
    CAPTURE(name);
    CAPTURE(to_string(pattern));
    const Pod pod{.spec = {.tolerations = {toleration}}};
    const List not_allowed = {"TolerationNotAllowed spec.tolerations[0]"};
    const auto by_allowed = check(
        pod, merged_with_scheduler({.allowed = {.tolerations = TolerationPatterns{pattern}}}));
    CHECK(reasons(by_allowed) == (allowed ? List{} : not_allowed));
    if (!allowed) CHECK(by_allowed[0].value == to_string(toleration));

    // A required pattern permits and is met by exactly the same tolerations.
    const auto by_required = check(
        pod, merged_with_scheduler({.required = {.tolerations = TolerationPatterns{pattern}}}));
    CHECK(reasons(by_required) ==
          (allowed ? List{} : List{not_allowed[0], "TolerationRequired spec.tolerations"}));
    if (!allowed) CHECK(by_required[1].value == to_string(pattern));
  }
}

TEST_CASE("tolerations are permitted by the allowed, the required and the default ones") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    std::vector<Toleration> tolerations;
    List wanted;
  };
  const TolerationPattern gpu{.keys = {"gpu"},
                              .operators = TolerationOperators{exists},
                              .effects = Effects{no_schedule, no_execute}};
  const TolerationPattern gpu_preferred{.keys = {"gpu"},
                                        .operators = TolerationOperators{exists},
                                        .effects = Effects{prefer_no_schedule}};
  const TolerationPattern spot{
      .keys = {"spot"}, .operators = TolerationOperators{exists}, .effects = any};
  const auto given = [](Toleration toleration, AnyOr<Texts> values = {}) {
    return Defaults{.tolerations = std::vector<DefaultToleration>{
                        {.toleration = std::move(toleration), .values = std::move(values)}}};
  };
  const SchedulingPolicySpec allow_any{.allowed = {.tolerations = any}};
  const List not_allowed = {"TolerationNotAllowed spec.tolerations[0]"};
  const OpenEnum<TolerationOperator> unknown_operator("Like");
  const OpenEnum<TaintEffect> unknown_effect("NoRun");
  const Case cases[] = {
      {"absent everywhere, none is allowed", {}, {{"gpu", exists, "", no_schedule}}, not_allowed},
      {"a pod without one asks for nothing", {}, {}, {}},
      {"allowed [] is any",
       allow_any,
       {{"gpu", exists, "", no_schedule}, {"", exists, "", {}}},
       {}},
      {"but no unknown operator",
       allow_any,
       {{"gpu", unknown_operator, "", no_schedule}},
       not_allowed},
      {"and no unknown effect", allow_any, {{"gpu", exists, "", unknown_effect}}, not_allowed},
      {"required [] asks for nothing and permits nothing",
       {.required = {.tolerations = any}},
       {{"gpu", exists, "", no_schedule}},
       not_allowed},

      {"each toleration is checked, at its own index",
       {.allowed = {.tolerations = TolerationPatterns{gpu}}},
       {{"spot", exists, "", no_schedule},
        {"gpu", exists, "", no_schedule},
        {"gpu", exists, "", prefer_no_schedule}},
       {"TolerationNotAllowed spec.tolerations[0]", "TolerationNotAllowed spec.tolerations[2]"}},
      {"any of several patterns will do",
       {.allowed = {.tolerations = TolerationPatterns{gpu, spot}}},
       {{"spot", exists, "", no_schedule}, {"gpu", exists, "", no_execute}},
       {}},
      {"without an effect, the effects may be covered one by one",
       {.allowed = {.tolerations = TolerationPatterns{gpu, gpu_preferred}}},
       {{"gpu", exists, "", {}}},
       {}},
      {"by allowed and required together",
       {.required = {.tolerations = TolerationPatterns{gpu_preferred}},
        .allowed = {.tolerations = TolerationPatterns{gpu}}},
       {{"gpu", exists, "", {}}, {"gpu", exists, "", prefer_no_schedule}},
       {}},
      {"by allowed and default together",
       {.allowed = {.tolerations = TolerationPatterns{gpu}},
        .defaults = given({"gpu", exists, "", prefer_no_schedule})},
       {{"gpu", exists, "", {}}},
       {}},
      {"a default with tolerationSeconds covers only what has the same",
       {.allowed = {.tolerations = TolerationPatterns{gpu_preferred}},
        .defaults = given({"gpu", exists, "", no_schedule, 60})},
       {{"gpu", exists, "", {}}},
       not_allowed},
      {"but all three have to be",
       {.allowed = {.tolerations = TolerationPatterns{gpu}}},
       {{"gpu", exists, "", {}}},
       not_allowed},

      {"a default is allowed",
       {.defaults = given({"gpu", equal, "a", no_schedule})},
       {{"gpu", equal, "a", no_schedule}},
       {}},
      {"in whichever spelling",
       {.defaults = given({"gpu", equal, "a", no_schedule})},
       {{"gpu", {}, "a", no_schedule}},
       {}},
      {"one for each of its values",
       {.defaults = given({"gpu", equal, "", no_schedule}, {"a", "b"})},
       {{"gpu", equal, "b", no_schedule}, {"gpu", equal, "a", no_schedule}},
       {}},
      {"and no other value",
       {.defaults = given({"gpu", equal, "", no_schedule}, {"a", "b"})},
       {{"gpu", equal, "", no_schedule}},
       not_allowed},
      {"with other seconds it is another",
       {.defaults = given({"gpu", exists, "", no_execute, 300})},
       {{"gpu", exists, "", no_execute, 301}},
       not_allowed},
      {"a default without an effect allows that, and not a single effect",
       {.defaults = given({"gpu", exists, "", {}})},
       {{"gpu", exists, "", {}}, {"gpu", exists, "", no_schedule}},
       {"TolerationNotAllowed spec.tolerations[1]"}},
      {"a default of an unknown operator allows nothing",
       {.defaults = given({"gpu", unknown_operator, "", no_schedule})},
       {{"gpu", unknown_operator, "", no_schedule}},
       not_allowed},
      {"nor does one of an unknown effect, even of that name",
       {.defaults = given({"gpu", exists, "", OpenEnum<TaintEffect>("unknown")})},
       {{"gpu", exists, "", unknown_effect}},
       not_allowed},

      {"each required pattern is met by some toleration",
       {.required = {.tolerations = TolerationPatterns{spot, gpu}}},
       {{"gpu", exists, "", no_schedule}, {"spot", exists, "", no_execute}},
       {}},
      {"one toleration may meet several",
       {.required = {.tolerations =
                         TolerationPatterns{
                             gpu, {.keys = any, .operators = any, .values = any, .effects = any}}}},
       {{"gpu", exists, "", no_schedule}},
       {}},
      {"each that is not met is a violation of its own, after those of the tolerations",
       {.required = {.tolerations = TolerationPatterns{spot, gpu}}},
       {{"other", exists, "", no_schedule}},
       {"TolerationNotAllowed spec.tolerations[0]", "TolerationRequired spec.tolerations",
        "TolerationRequired spec.tolerations"}},
      {"a toleration that is allowed only effect by effect meets no pattern of one effect",
       {.required = {.tolerations = TolerationPatterns{gpu_preferred}},
        .allowed = {.tolerations = TolerationPatterns{gpu}}},
       {{"gpu", exists, "", {}}},
       {"TolerationRequired spec.tolerations"}},
  };
  for (const auto& [name, policy, tolerations, wanted] : cases) {
    CAPTURE(name);
    const auto found =
        check(Pod{.spec = {.tolerations = tolerations}}, merged_with_scheduler(policy));
    CHECK(reasons(found) == wanted);
  }
}

TEST_CASE("an exempt toleration needs no permission, and requirements see it") {
  const Options options{.exempt = {.tolerations = default_toleration_seconds()}};
  const auto exempt = options.exempt.tolerations;
  const auto found = [&](const SchedulingPolicySpec& policy, std::vector<Toleration> tolerations) {
    return reasons(check(Pod{.spec = {.tolerations = std::move(tolerations)}},
                         merged_with_scheduler(policy), options));
  };
  CHECK(found({}, exempt) == List{});
  CHECK(found({}, {exempt[1], {"gpu", exists, "", no_schedule}}) ==
        List{"TolerationNotAllowed spec.tolerations[1]"});
  Toleration other_seconds = exempt[0];
  other_seconds.toleration_seconds = 301;
  CHECK(found({}, {other_seconds}) == List{"TolerationNotAllowed spec.tolerations[0]"});

  const SchedulingPolicySpec required{
      .required = {.tolerations = TolerationPatterns{{.keys = {"node.kubernetes.io/not-ready"},
                                                      .operators = TolerationOperators{exists},
                                                      .effects = Effects{no_execute}}}}};
  CHECK(found(required, exempt) == List{});
  CHECK(found(required, {exempt[1]}) == List{"TolerationRequired spec.tolerations"});
  CHECK(found(required, {exempt[0], other_seconds}) == List{});
}

// ---- affinity

using Terms = std::vector<NodeSelectorTerm>;

NodeSelectorTerm term(std::vector<NodeSelectorRequirement> expressions) {
  return {.match_expressions = std::move(expressions)};
}
TermPattern term_pattern(AnyOr<RequirementPatterns> patterns) {
  return {.match_expressions = std::move(patterns)};
}
NodeAffinity required_node(Terms terms) {
  return {.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)}};
}
NodeAffinity preferred_node(Terms terms) {
  NodeAffinity affinity;
  for (NodeSelectorTerm& preference : terms) {
    affinity.preferred_during_scheduling_ignored_during_execution.push_back(
        {.weight = 1, .preference = std::move(preference)});
  }
  return affinity;
}
PodAffinity required_pod(const List& topology_keys) {
  PodAffinity affinity;
  for (const std::string& key : topology_keys)
    affinity.required_during_scheduling_ignored_during_execution.push_back({.topology_key = key});
  return affinity;
}
PodAffinity preferred_pod(const List& topology_keys) {
  PodAffinity affinity;
  for (const std::string& key : topology_keys) {
    affinity.preferred_during_scheduling_ignored_during_execution.push_back(
        {.weight = 1, .pod_affinity_term = {.topology_key = key}});
  }
  return affinity;
}
AnyOr<NodeAffinityRule> rule(const AnyOr<std::vector<TermPattern>>& terms) {
  if (terms.is_any()) return any;
  return NodeAffinityRule{terms.listed()};
}
AnyOr<PodAffinityRule> rule(const AnyOr<Texts>& topology_keys) {
  if (topology_keys.is_any()) return any;
  return PodAffinityRule{topology_keys.listed()};
}
AffinityRules required_node_rule(const AnyOr<std::vector<TermPattern>>& terms) {
  return {.node_affinities = NodeAffinityRules{
              .required_during_scheduling_ignored_during_execution = rule(terms)}};
}
AffinityRules preferred_node_rule(const AnyOr<std::vector<TermPattern>>& terms) {
  return {.node_affinities = NodeAffinityRules{
              .preferred_during_scheduling_ignored_during_execution = rule(terms)}};
}
PodAffinityRules required_pod_rule(const AnyOr<Texts>& topology_keys) {
  return {.required_during_scheduling_ignored_during_execution = rule(topology_keys)};
}
PodAffinityRules preferred_pod_rule(const AnyOr<Texts>& topology_keys) {
  return {.preferred_during_scheduling_ignored_during_execution = rule(topology_keys)};
}

const std::string node_field = "spec.affinity.nodeAffinity";
const std::string pod_field = "spec.affinity.podAffinity";
const std::string anti_field = "spec.affinity.podAntiAffinity";
const std::string required_mode = ".requiredDuringSchedulingIgnoredDuringExecution";
const std::string preferred_mode = ".preferredDuringSchedulingIgnoredDuringExecution";

struct AffinityCase {
  const char* name;
  SchedulingPolicySpec policy;
  Affinity affinity;
  List wanted;
};

void check_all(const std::vector<AffinityCase>& cases, const Options& options = {}) {
  for (const auto& [name, policy, affinity, wanted] : cases) {
    CAPTURE(name);
    const Pod pod{.spec = {.affinity = affinity}};
    CHECK(reasons(check(pod, merged_with_scheduler(policy), options)) == wanted);
  }
}

const NodeSelectorRequirement disk_ssd = {.key = "disk", .operator_ = in, .values = {"ssd"}};
const NodeSelectorRequirement zone_a = {.key = "zone", .operator_ = in, .values = {"a"}};
const NodeSelectorRequirement gpu_exists = {.key = "gpu",
                                            .operator_ = NodeSelectorOperator::exists};
const NodeSelectorRequirement unknown_expression = {
    .key = "disk", .operator_ = OpenEnum<NodeSelectorOperator>("Like"), .values = {"ssd"}};
const RequirementPattern disk_pattern = {
    .keys = {"disk"}, .operators = NodeOperators{in}, .values = {"ssd", "hdd"}};
const RequirementPattern zone_pattern = {
    .keys = {"zone"}, .operators = NodeOperators{in, not_in}, .values = {"a"}};

const SchedulingPolicySpec any_affinity = {.allowed = {.affinities = any}};

TEST_CASE("affinity is permitted by kind and mode") {
  const Affinity every_kind_and_mode = {
      .node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                        NodeSelector{{term({disk_ssd})}},
                                    .preferred_during_scheduling_ignored_during_execution =
                                        {{.weight = 1, .preference = term({zone_a})}}},
      .pod_affinity =
          PodAffinity{
              .required_during_scheduling_ignored_during_execution = {{.topology_key = "zone"}},
              .preferred_during_scheduling_ignored_during_execution =
                  {{.weight = 1, .pod_affinity_term = {.topology_key = "zone"}}}},
      .pod_anti_affinity = PodAffinity{
          .required_during_scheduling_ignored_during_execution = {{.topology_key = "zone"}},
          .preferred_during_scheduling_ignored_during_execution = {
              {.weight = 1, .pod_affinity_term = {.topology_key = "zone"}}}}};
  const auto allowed = [](AffinityRules rules) {
    return SchedulingPolicySpec{.allowed = {.affinities = std::move(rules)}};
  };
  const auto not_allowed = [](const std::string& field) { return "AffinityNotAllowed " + field; };
  check_all({
      {"absent everywhere, no kind is allowed, and each is told once",
       {},
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(pod_field), not_allowed(anti_field)}},
      {"a pod without affinity asks for nothing", {}, {}, {}},
      {"kinds without terms ask for nothing",
       {},
       {.node_affinity = required_node({}),
        .pod_affinity = PodAffinity{},
        .pod_anti_affinity = PodAffinity{}},
       {}},
      {"allowed {} is any affinity", any_affinity, every_kind_and_mode, {}},
      {"all three kinds {} are the same",
       allowed({.node_affinities = any, .pod_affinities = any, .pod_anti_affinities = any}),
       every_kind_and_mode,
       {}},
      {"one kind {} is any of that kind",
       allowed({.node_affinities = any}),
       every_kind_and_mode,
       {not_allowed(pod_field), not_allowed(anti_field)}},
      {"pod affinity is not pod anti-affinity",
       allowed({.pod_affinities = any}),
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(anti_field)}},
      {"nor the other way round",
       allowed({.pod_anti_affinities = any}),
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(pod_field)}},
      {"MODE: {} is anything in that mode, and the other mode is told at its own path",
       allowed({.node_affinities =
                    NodeAffinityRules{.required_during_scheduling_ignored_during_execution = any},
                .pod_affinities = preferred_pod_rule(any),
                .pod_anti_affinities = required_pod_rule(any)}),
       every_kind_and_mode,
       {not_allowed(node_field + preferred_mode), not_allowed(pod_field + required_mode),
        not_allowed(anti_field + preferred_mode)}},
      {"required affinities {} ask for nothing and permit nothing",
       {.required = {.affinities = any}},
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(pod_field), not_allowed(anti_field)}},
      {"required KIND {} permits the kind whole",
       {.required = {.affinities = AffinityRules{.pod_affinities = any}}},
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(anti_field)}},
      {"required MODE {} permits the mode whole",
       {.required = {.affinities = AffinityRules{.pod_affinities = required_pod_rule(any)}}},
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(pod_field + preferred_mode), not_allowed(anti_field)}},
      {"unknown operators are not permitted by any",
       any_affinity,
       {.node_affinity = required_node({term({disk_ssd, unknown_expression})})},
       {not_allowed(node_field + required_mode + ".nodeSelectorTerms[0].matchExpressions[1]")}},
      {"nor by a list that is any",
       allowed(preferred_node_rule({term_pattern(any)})),
       {.node_affinity = preferred_node({term({unknown_expression})})},
       {not_allowed(node_field + preferred_mode + "[0].preference.matchExpressions[0]")}},
  });
}

TEST_CASE("each expression of a node affinity matches a pattern of its list, kind and mode") {
  const auto allowed = [](std::vector<TermPattern> terms) {
    return SchedulingPolicySpec{.allowed = {.affinities = required_node_rule(std::move(terms))}};
  };
  const auto required_terms = [](Terms terms) {
    return Affinity{.node_affinity = required_node(std::move(terms))};
  };
  const auto not_allowed = [](const std::string& at) {
    return "AffinityNotAllowed " + node_field + required_mode + ".nodeSelectorTerms" + at;
  };
  const NodeSelectorRequirement name_1 = {
      .key = "metadata.name", .operator_ = in, .values = {"node-1"}};
  const auto one = [&](RequirementPattern pattern) {
    return allowed({term_pattern({std::move(pattern)})});
  };
  const List denied = {not_allowed("[0].matchExpressions[0]")};
  check_all({
      {"key, operator and every value listed",
       one(disk_pattern),
       required_terms({term({disk_ssd})}),
       {}},
      {"another key", one(zone_pattern), required_terms({term({disk_ssd})}), denied},
      {"another operator", one(disk_pattern), required_terms({term({{"disk", not_in, {"ssd"}}})}),
       denied},
      {"one value that is not listed", one(disk_pattern),
       required_terms({term({{"disk", in, {"ssd", "nvme"}}})}), denied},
      {"keys [] is any key",
       one({.keys = any, .operators = NodeOperators{in}, .values = {"ssd"}}),
       required_terms({term({disk_ssd})}),
       {}},
      {"absent keys match nothing", one({.operators = NodeOperators{in}, .values = {"ssd"}}),
       required_terms({term({disk_ssd})}), denied},
      {"an empty key needs keys []",
       one({.keys = {""}, .operators = NodeOperators{in}, .values = {"ssd"}}),
       required_terms({term({{"", in, {"ssd"}}})}), denied},
      {"operators [] is any operator",
       one({.keys = {"disk"}, .operators = any, .values = {"ssd"}}),
       required_terms({term({{"disk", NodeSelectorOperator::gt, {"ssd"}}})}),
       {}},
      {"absent operators match nothing", one({.keys = {"disk"}, .values = {"ssd"}}),
       required_terms({term({disk_ssd})}), denied},
      {"operators [] are no unknown ones", one({.keys = any, .operators = any, .values = any}),
       required_terms({term({unknown_expression})}), denied},
      {"an unknown operator is not permitted where it is listed",
       one({.keys = any, .operators = NodeOperators{unknown_expression.operator_}, .values = any}),
       required_terms({term({unknown_expression})}), denied},
      {"values [] is any value",
       one({.keys = {"disk"}, .operators = NodeOperators{in}, .values = any}),
       required_terms({term({disk_ssd})}),
       {}},
      {"absent values do not match an expression with values",
       one({.keys = {"disk"}, .operators = NodeOperators{in}}), required_terms({term({disk_ssd})}),
       denied},
      {"an expression without values needs absent",
       one({.keys = {"gpu"}, .operators = NodeOperators{NodeSelectorOperator::exists}}),
       required_terms({term({gpu_exists})}),
       {}},
      {"or empty values",
       one({.keys = any, .operators = any, .values = any}),
       required_terms({term({gpu_exists})}),
       {}},
      {"not listed ones", one({.keys = any, .operators = any, .values = {"ssd", ""}}),
       required_terms({term({gpu_exists})}), denied},

      {"patterns of one term are combined freely",
       allowed({term_pattern({disk_pattern, zone_pattern})}),
       required_terms({term({zone_a}), term({disk_ssd, zone_a})}),
       {}},
      {"so are patterns of several terms",
       allowed({term_pattern({disk_pattern}), term_pattern({zone_pattern})}),
       required_terms({term({disk_ssd, zone_a})}),
       {}},
      {"every expression is told at its own path",
       one(zone_pattern),
       required_terms({term({zone_a, disk_ssd}), term({zone_a}), term({gpu_exists})}),
       {not_allowed("[0].matchExpressions[1]"), not_allowed("[2].matchExpressions[0]")}},
      {"what is required is allowed, together with what is allowed",
       {.required = {.affinities = required_node_rule({term_pattern({disk_pattern})})},
        .allowed = {.affinities = required_node_rule({term_pattern({zone_pattern})})}},
       required_terms({term({disk_ssd, zone_a})}),
       {}},

      {"matchExpressions [] is any expression",
       allowed({term_pattern(any)}),
       required_terms({term({disk_ssd, gpu_exists})}),
       {}},
      {"and no field",
       allowed({term_pattern(any)}),
       required_terms({{.match_expressions = {disk_ssd}, .match_fields = {name_1}}}),
       {not_allowed("[0].matchFields[0]")}},
      {"matchFields [] is any field and no expression", allowed({{.match_fields = any}}),
       required_terms({{.match_expressions = {disk_ssd}, .match_fields = {name_1}}}), denied},
      {"a pattern for fields is none for expressions",
       allowed({{.match_fields = RequirementPatterns{disk_pattern}}}),
       required_terms({{.match_expressions = {disk_ssd}, .match_fields = {disk_ssd}}}), denied},
      {"a pattern for expressions is none for fields",
       one(disk_pattern),
       required_terms({{.match_expressions = {disk_ssd}, .match_fields = {disk_ssd}}}),
       {not_allowed("[0].matchFields[0]")}},
      {"each field has to match a pattern, the second too",
       allowed({{.match_fields = RequirementPatterns{disk_pattern}}}),
       required_terms({{.match_fields = {disk_ssd, name_1}}}),
       {not_allowed("[0].matchFields[1]")}},
      {"the term {} permits nothing", allowed({TermPattern{}}), required_terms({term({disk_ssd})}),
       denied},
      {"an empty term of the pod has nothing to permit",
       one(disk_pattern),
       required_terms({NodeSelectorTerm{}}),
       {}},

      {"a pattern for one mode is none for the other",
       one(disk_pattern),
       {.node_affinity = preferred_node({term({disk_ssd})})},
       {"AffinityNotAllowed " + node_field + preferred_mode}},
      {"preferences are told at their preference",
       {.allowed = {.affinities = preferred_node_rule({term_pattern({disk_pattern})})}},
       {.node_affinity = preferred_node({term({disk_ssd}), term({disk_ssd, zone_a})})},
       {"AffinityNotAllowed " + node_field + preferred_mode +
        "[1].preference.matchExpressions[1]"}},
  });
}

TEST_CASE("a topology key that is required twice is named once") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  auto& modes = spec.required.affinities.list().pod_affinities.list();
  modes.required_during_scheduling_ignored_during_execution =
      PodAffinityRule{{"zone", "host", "zone"}};
  Pod pod;
  pod.spec.affinity =
      Affinity{.pod_affinity = PodAffinity{.required_during_scheduling_ignored_during_execution = {
                                               {.topology_key = "rack"}}}};
  const auto violations =
      check(pod, merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}}));
  REQUIRE(!violations.empty());
  CHECK(violations.back().value == "topologyKey host or zone");
}

TEST_CASE("a violation lists what its own mode permits") {
  const auto permitting = [](const char* value) {
    NodeAffinityRule rule;
    rule.node_selector_terms = {
        {.match_expressions = {{{"zone"}, {NodeSelectorOperator::in}, {value}}}}};
    return rule;
  };
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  auto& modes = spec.allowed.affinities.list().node_affinities.list();
  modes.required_during_scheduling_ignored_during_execution = permitting("a");
  modes.preferred_during_scheduling_ignored_during_execution = permitting("b");
  const NodeSelectorTerm term{
      .match_expressions = {
          {.key = "zone", .operator_ = NodeSelectorOperator::in, .values = {"c"}}}};
  Pod pod;
  pod.spec.affinity =
      Affinity{.node_affinity = NodeAffinity{
                   .required_during_scheduling_ignored_during_execution = NodeSelector{{term}},
                   .preferred_during_scheduling_ignored_during_execution = {{1, term}}}};
  const auto violations =
      check(pod, merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}}));
  REQUIRE(violations.size() == 2);
  CHECK(violations[0].permitted == Names{"{keys: [zone], operators: [In], values: [a]}"});
  CHECK(violations[1].permitted == Names{"{keys: [zone], operators: [In], values: [b]}"});
}

TEST_CASE("pod affinities are permitted by topology key") {
  const auto allowed = [](AffinityRules rules) {
    return SchedulingPolicySpec{.allowed = {.affinities = std::move(rules)}};
  };
  check_all({
      {"a listed key",
       allowed({.pod_affinities = required_pod_rule({"zone", "host"})}),
       {.pod_affinity = required_pod({"host", "zone"})},
       {}},
      {"another key",
       allowed({.pod_affinities = required_pod_rule({"zone"})}),
       {.pod_affinity = required_pod({"zone", "host"})},
       {"AffinityNotAllowed " + pod_field + required_mode + "[1].topologyKey"}},
      {"the other mode",
       allowed({.pod_anti_affinities = preferred_pod_rule({"zone"})}),
       {.pod_anti_affinity = required_pod({"zone"})},
       {"AffinityNotAllowed " + anti_field + required_mode}},
      {"preferred terms are told at their podAffinityTerm",
       allowed({.pod_anti_affinities = preferred_pod_rule({"zone"})}),
       {.pod_anti_affinity = preferred_pod({"host", "zone"})},
       {"AffinityNotAllowed " + anti_field + preferred_mode + "[0].podAffinityTerm.topologyKey"}},
      {"required and allowed keys together",
       {.required = {.affinities = AffinityRules{.pod_affinities = required_pod_rule({"zone"})}},
        .allowed = {.affinities = AffinityRules{.pod_affinities = required_pod_rule({"host"})}}},
       {.pod_affinity = required_pod({"host", "zone"})},
       {}},
  });
}

TEST_CASE("a mode that equals the default's is permitted whole") {
  const auto given = [](Affinity affinity) {
    return SchedulingPolicySpec{.defaults = {.affinity = std::move(affinity)}};
  };
  const Affinity disk = {.node_affinity = required_node({term({disk_ssd})})};
  const Affinity zone = {.pod_affinity = preferred_pod({"zone"})};
  check_all({
      {"equal node affinity", given(disk), disk, {}},
      {"equal pod affinity", given(zone), zone, {}},
      {"equal pod anti-affinity",
       given({.pod_anti_affinity = required_pod({"zone"})}),
       {.pod_anti_affinity = required_pod({"zone"})},
       {}},
      {"another term is told at its mode, because the default mentions the kind",
       given(disk),
       {.node_affinity = required_node({term({zone_a})})},
       {"AffinityNotAllowed " + node_field + required_mode}},
      {"one term more as well",
       given(disk),
       {.node_affinity = required_node({term({disk_ssd}), term({disk_ssd})})},
       {"AffinityNotAllowed " + node_field + required_mode}},
      {"another weight as well",
       given(zone),
       {.pod_affinity =
            PodAffinity{.preferred_during_scheduling_ignored_during_execution =
                            {{.weight = 2, .pod_affinity_term = {.topology_key = "zone"}}}}},
       {"AffinityNotAllowed " + pod_field + preferred_mode}},
      {"the other mode is told at its mode",
       given(disk),
       {.node_affinity = preferred_node({term({disk_ssd})})},
       {"AffinityNotAllowed " + node_field + preferred_mode}},
      {"a default without terms mentions nothing",
       given({.node_affinity = required_node({}), .pod_affinity = PodAffinity{}}),
       disk,
       {"AffinityNotAllowed " + node_field}},
      {"one mode may equal the default's while the other is checked",
       {.allowed = {.affinities = preferred_node_rule({term_pattern({zone_pattern})})},
        .defaults = {.affinity = disk}},
       {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                          NodeSelector{{term({disk_ssd})}},
                                      .preferred_during_scheduling_ignored_during_execution =
                                          {{.weight = 1, .preference = term({disk_ssd})}}}},
       {"AffinityNotAllowed " + node_field + preferred_mode +
        "[0].preference.matchExpressions[0]"}},
      {"a default of an unknown operator permits nothing",
       given({.node_affinity = required_node({term({unknown_expression})})}),
       {.node_affinity = required_node({term({unknown_expression})})},
       {"AffinityNotAllowed " + node_field + required_mode}},
  });
}

TEST_CASE("a default of several required terms is permitted joined, where every term has to hold") {
  const SchedulingPolicySpec policy{
      .required = {.affinities = required_node_rule(
                       {term_pattern({disk_pattern}), term_pattern({zone_pattern})})},
      .defaults = {.affinity = Affinity{.node_affinity = required_node(
                                            {term({disk_ssd, gpu_exists}), NodeSelectorTerm{},
                                             term({zone_a, disk_ssd})})}}};
  const Affinity joined = {.node_affinity = required_node({term({disk_ssd, gpu_exists, zone_a})})};
  const std::string terms = node_field + required_mode + ".nodeSelectorTerms";
  check_all({{"the joined form is permitted and meets the requirements", policy, joined, {}},
             {"another order of its expressions is not the default",
              policy,
              {.node_affinity = required_node({term({gpu_exists, disk_ssd, zone_a})})},
              {"AffinityNotAllowed " + terms + "[0].matchExpressions[0]"}},
             {"the default as it stands is permitted, but does not meet the requirements",
              policy,
              *policy.defaults.affinity,
              {"AffinityRequired " + node_field + required_mode,
               "AffinityRequired " + node_field + required_mode}}});
  check_all({{"where one term is enough, the default as it stands meets them",
              policy,
              *policy.defaults.affinity,
              {}},
             {"and there is no joined form",
              policy,
              joined,
              {"AffinityNotAllowed " + terms + "[0].matchExpressions[1]"}}},
            {.required_affinity = RequiredAffinity::present});
  const SchedulingPolicySpec not_required{.defaults = policy.defaults};
  check_all({{"without required terms there is no joined form",
              not_required,
              joined,
              {"AffinityNotAllowed " + node_field + required_mode}}});
}

TEST_CASE("required affinity holds: a kind, a mode, or its listed terms") {
  const auto required = [](AffinityRules rules) {
    return SchedulingPolicySpec{.required = {.affinities = std::move(rules)},
                                .allowed = {.affinities = any}};
  };
  const auto missing = [](const std::string& field) { return "AffinityRequired " + field; };
  const auto node_terms = [](Terms terms) {
    return Affinity{.node_affinity = required_node(std::move(terms))};
  };
  const NodeSelectorRequirement name_1 = {
      .key = "metadata.name", .operator_ = in, .values = {"node-1"}};
  const List mode_missing = {missing(node_field + required_mode)};
  const auto disk_or_zone = required_node_rule({term_pattern({disk_pattern})});
  check_all({
      {"KIND {} needs a term of the kind",
       required({.node_affinities = any}),
       {},
       {missing(node_field)}},
      {"of the same kind",
       required({.pod_affinities = any}),
       {.pod_anti_affinity = required_pod({"zone"})},
       {missing(pod_field)}},
      {"in whichever mode",
       required({.pod_anti_affinities = any}),
       {.pod_anti_affinity = preferred_pod({"zone"})},
       {}},
      {"a kind without terms does not do",
       required({.node_affinities = any}),
       node_terms({}),
       {missing(node_field)}},
      {"MODE {} needs a term in the mode",
       required(required_node_rule(any)),
       {.node_affinity = preferred_node({term({disk_ssd})})},
       mode_missing},
      {"any term in the mode",
       required(required_node_rule(any)),
       node_terms({term({disk_ssd})}),
       {}},
      {"the preferred mode of pods as well",
       required({.pod_affinities = preferred_pod_rule(any)}),
       {.pod_affinity = required_pod({"zone"})},
       {missing(pod_field + preferred_mode)}},

      {"a listed term holds", required(disk_or_zone), node_terms({term({zone_a, disk_ssd})}), {}},
      {"a listed term does not hold", required(disk_or_zone), node_terms({term({zone_a})}),
       mode_missing},
      {"a listed term needs a term", required(disk_or_zone), {}, mode_missing},
      {"an empty term of the pod holds nothing", required(disk_or_zone),
       node_terms({NodeSelectorTerm{}}), mode_missing},
      {"every term of the pod has to hold it", required(disk_or_zone),
       node_terms({term({disk_ssd}), term({zone_a})}), mode_missing},
      {"all patterns of a required term have to match",
       required(required_node_rule({term_pattern({disk_pattern, zone_pattern})})),
       node_terms({term({disk_ssd})}), mode_missing},
      {"each required term that does not hold is told",
       required(required_node_rule({term_pattern({disk_pattern}), term_pattern({zone_pattern}),
                                    term_pattern({{.keys = {"gpu"}, .operators = any}})})),
       node_terms({term({zone_a})}),
       {mode_missing[0], mode_missing[0]}},
      {"matchExpressions [] asks for an expression",
       required(required_node_rule({term_pattern(any)})), node_terms({{.match_fields = {name_1}}}),
       mode_missing},
      {"whichever",
       required(required_node_rule({term_pattern(any)})),
       node_terms({term({gpu_exists})}),
       {}},
      {"matchFields [] asks for a field", required(required_node_rule({{.match_fields = any}})),
       node_terms({term({disk_ssd})}), mode_missing},
      {"a field meets it",
       required(required_node_rule({{.match_fields = any}})),
       node_terms({{.match_fields = {name_1}}}),
       {}},
      {"patterns for fields are met by fields",
       required(required_node_rule({{.match_fields = RequirementPatterns{disk_pattern}}})),
       node_terms({term({disk_ssd})}), mode_missing},
      {"a required term asks for its expressions and its fields",
       required(required_node_rule(
           {{.match_expressions = RequirementPatterns{disk_pattern}, .match_fields = any}})),
       node_terms({term({disk_ssd})}), mode_missing},
      {"the term {} is never satisfied", required(required_node_rule({TermPattern{}})),
       node_terms({term({disk_ssd})}), mode_missing},
      {"an empty key is matched by keys [] alone",
       required(required_node_rule(
           {term_pattern({{.keys = {""}, .operators = NodeOperators{in}, .values = any}})})),
       node_terms({term({{"", in, {"ssd"}}})}), mode_missing},

      {"one preferred term is enough",
       required(preferred_node_rule({term_pattern({disk_pattern})})),
       {.node_affinity = preferred_node({term({zone_a}), term({disk_ssd})})},
       {}},
      {"but there has to be one",
       required(preferred_node_rule({term_pattern({disk_pattern})})),
       {.node_affinity = preferred_node({term({zone_a})})},
       {missing(node_field + preferred_mode)}},
      {"one of the topology keys is enough",
       required({.pod_affinities = required_pod_rule({"zone", "host"})}),
       {.pod_affinity = required_pod({"rack", "host"})},
       {}},
      {"another key is not, and it is told once",
       required({.pod_affinities = required_pod_rule({"zone", "host"})}),
       {.pod_affinity = required_pod({"rack"})},
       {missing(pod_field + required_mode)}},
      {"a requirement on preferred keys is not met by required terms",
       required({.pod_anti_affinities = preferred_pod_rule({"zone"})}),
       {.pod_anti_affinity = required_pod({"zone"})},
       {missing(anti_field + preferred_mode)}},

      {"first what is not allowed of every kind, then what is required of every kind",
       {.required = {.affinities = AffinityRules{.node_affinities = disk_or_zone.node_affinities,
                                                 .pod_anti_affinities = any}}},
       {.node_affinity = required_node({term({zone_a})}), .pod_affinity = required_pod({"zone"})},
       {"AffinityNotAllowed " + node_field + required_mode +
            ".nodeSelectorTerms[0].matchExpressions[0]",
        "AffinityNotAllowed " + pod_field, mode_missing[0], missing(anti_field)}},
  });

  check_all({{"with the literal reading one term is enough",
              required(disk_or_zone),
              node_terms({term({disk_ssd}), term({zone_a})}),
              {}},
             {"which has to match all its patterns",
              required(required_node_rule({term_pattern({disk_pattern, zone_pattern})})),
              node_terms({term({disk_ssd}), term({zone_a})}), mode_missing},
             {"and has to be there", required(disk_or_zone), node_terms({}), mode_missing}},
            {.required_affinity = RequiredAffinity::present});
}

TEST_CASE("an affinity violation shows what was asked for, or what is required") {
  const SchedulingPolicySpec policy{
      .required = {
          .affinities = AffinityRules{
              .node_affinities = required_node_rule({term_pattern({disk_pattern})}).node_affinities,
              .pod_affinities = required_pod_rule({"zone", "host"}),
              .pod_anti_affinities = any}}};
  const Affinity affinity = {
      .node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                        NodeSelector{{term({zone_a})}},
                                    .preferred_during_scheduling_ignored_during_execution =
                                        {{.weight = 7, .preference = term({gpu_exists})}}},
      .pod_affinity = required_pod({"rack"})};
  List values;
  for (const Violation& violation :
       check(Pod{.spec = {.affinity = affinity}}, merged_with_scheduler(policy))) {
    CHECK(violation.policies == List{"p"});
    values.push_back(violation.value);
  }
  CHECK(values == List{"zone In [a]", "preferred 7 (gpu Exists)", "rack",
                       "{matchExpressions: [{keys: [disk], operators: [In], values: [ssd, hdd]}]}",
                       "topologyKey host or zone", ""});
}

// ---- the whole

TEST_CASE("violations come in the order of the rules") {
  const SchedulingPolicySpec policy{
      .required = {.priority_class_names = {"gold"},
                   .node_selectors = NodeSelectors{{"arch", any}},
                   .tolerations = TolerationPatterns{{.keys = {"gpu"}}},
                   .affinities = AffinityRules{.pod_affinities = any}}};
  const Pod pod{.spec = {.node_name = "node-1",
                         .node_selector = {{"disk", "ssd"}},
                         .tolerations = {{"gpu", exists, "", no_schedule}},
                         .affinity = Affinity{.node_affinity = required_node({term({disk_ssd})})}}};
  CHECK(reasons(check(pod, merged(policy))) ==
        List{"SchedulerNameNotAllowed spec.schedulerName", "NodeNameNotAllowed spec.nodeName",
             "PriorityClassNameRequired spec.priorityClassName",
             "NodeSelectorRequired spec.nodeSelector[arch]",
             "NodeSelectorNotAllowed spec.nodeSelector[disk]",
             "TolerationNotAllowed spec.tolerations[0]", "TolerationRequired spec.tolerations",
             "AffinityNotAllowed " + node_field, "AffinityRequired " + pod_field});
}

TEST_CASE("without policies, and with two of one name, the one violation is at the spec") {
  const std::vector<SchedulingPolicy> twice = {
      {.metadata = {.name = "b"}},
      {.metadata = {.name = "a"}, .spec = {.allowed = {.scheduler_names = any}}},
      {.metadata = {.name = "a"}, .spec = {.allowed = {.scheduler_names = {"blue"}}}}};
  struct Case {
    const char* name;
    EffectivePolicy effective;
    PodKind kind;
    Violation wanted;
  };
  const Case cases[] = {
      {"no policies",
       merge(std::vector<SchedulingPolicy>{}),
       PodKind::pod,
       {ViolationCode::no_usable_policy, "spec"_path, "", {}}},
      {"no policies, a template",
       merge(std::vector<SchedulingPolicy>{}),
       PodKind::deployment,
       {ViolationCode::no_usable_policy, "spec.template.spec"_path, "", {}}},
      {"two policies of one name",
       merge(twice),
       PodKind::pod,
       {ViolationCode::ambiguous_policy, "spec"_path, "", {"a"}}},
      {"two policies of one name, a template",
       merge(twice),
       PodKind::cron_job,
       {ViolationCode::ambiguous_policy, "spec.jobTemplate.spec.template.spec"_path, "", {"a"}}},
  };
  for (const auto& [name, effective, kind, wanted] : cases) {
    CAPTURE(name);
    const Pod pod{.kind = kind, .spec = {.scheduler_name = "blue", .node_name = "node-1"}};
    CHECK(check(pod, effective) == std::vector<Violation>{wanted});
  }
}

TEST_CASE("a policy without rules is a policy, and permits a pod nothing") {
  CHECK(reasons(check(Pod{}, merged({}))) == List{"SchedulerNameNotAllowed spec.schedulerName"});
}

TEST_CASE("a template is told of at the paths of its workload") {
  struct Case {
    PodKind kind;
    std::string wanted;
  };
  const Case cases[] = {
      {PodKind::pod, "spec"},
      {PodKind::pod_template, "template.spec"},
      {PodKind::replication_controller, "spec.template.spec"},
      {PodKind::replica_set, "spec.template.spec"},
      {PodKind::deployment, "spec.template.spec"},
      {PodKind::stateful_set, "spec.template.spec"},
      {PodKind::daemon_set, "spec.template.spec"},
      {PodKind::job, "spec.template.spec"},
      {PodKind::cron_job, "spec.jobTemplate.spec.template.spec"},
  };
  for (const auto& [kind, wanted] : cases) {
    CAPTURE(wanted);
    const Pod pod{.kind = kind,
                  .spec = {.node_selector = {{"disk", "ssd"}},
                           .tolerations = {{"gpu", exists, "", no_schedule}},
                           .affinity = Affinity{.pod_affinity = required_pod({"zone"})}}};
    CHECK(reasons(check(pod, merged({}))) ==
          List{"SchedulerNameNotAllowed " + wanted + ".schedulerName",
               "NodeSelectorNotAllowed " + wanted + ".nodeSelector[disk]",
               "TolerationNotAllowed " + wanted + ".tolerations[0]",
               "AffinityNotAllowed " + wanted + ".affinity.podAffinity"});
  }
}

TEST_CASE("a missing requirement names those who require it, a refusal all who were asked") {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "a"},
       .spec = {.required = {.scheduler_names = {"blue"},
                             .node_selectors = NodeSelectors{{"arch", any}},
                             .affinities = AffinityRules{.node_affinities = any}}}},
      {.metadata = {.name = "b"},
       .spec = {.required = {.scheduler_names = {"blue"},
                             .priority_class_names = {"gold"},
                             .node_selectors = NodeSelectors{{"os", any}},
                             .tolerations = TolerationPatterns{{.keys = {"gpu"}}}}}},
      {.metadata = {.name = "c"},
       .spec = {.required = {
                    .scheduler_names = {"green"},
                    .node_selectors = NodeSelectors{{"arch", any}},
                    .affinities = AffinityRules{.pod_affinities = required_pod_rule({"zone"})}}}}};
  const Pod pod{.spec = {.scheduler_name = "green", .node_selector = {{"disk", "ssd"}}}};
  std::vector<std::pair<FieldPath, List>> found;
  for (const Violation& violation : check(pod, merge(policies)))
    found.emplace_back(violation.field, violation.policies.vector());
  const std::vector<std::pair<FieldPath, List>> wanted = {
      {"spec.schedulerName"_path, {"a", "b"}},
      {"spec.priorityClassName"_path, {"b"}},
      {"spec.nodeSelector[arch]"_path, {"a", "c"}},
      {"spec.nodeSelector[os]"_path, {"b"}},
      {"spec.nodeSelector[disk]"_path, {"a", "b", "c"}},
      {"spec.tolerations"_path, {"b"}},
      {"spec.affinity.nodeAffinity"_path, {"a"}},
      {FieldPath{"spec", "affinity", "podAffinity", schedpol::required_mode}, {"c"}}};
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(to_string(wanted[i].first));
    CHECK(found[i].first == wanted[i].first);
    CHECK(found[i].second == wanted[i].second);
  }
}

TEST_CASE("a missing requirement names who requires it under every strategy") {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "a"},
       .spec = {
           .required = {.node_selectors = NodeSelectors{{"kubernetes.io/arch", any}},
                        .affinities = AffinityRules{.node_affinities = any,
                                                    .pod_affinities = required_pod_rule({"zone"})}},
           .allowed = {.scheduler_names = any}}}};
  for (const MergeStrategy strategy :
       {MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins,
        MergeStrategy::simple_merge}) {
    CAPTURE(to_string(strategy));
    const auto found = check(Pod{}, merge(policies, strategy));
    CHECK(found.size() == 3);
    for (const Violation& violation : found) CHECK(violation.policies == List{"a"});
  }
}

TEST_CASE("a node expression without an operator is never permitted") {
  const auto any_list = SchedulingPolicySpec{
      .allowed = {
          .scheduler_names = any,
          .affinities = {
              {.node_affinities = NodeAffinityRules{
                   NodeAffinityRule{{{.match_expressions = any, .match_fields = any}}}, {}}}}}};
  auto any_of_all = any_list;
  any_of_all.allowed.affinities = any;
  const std::vector<NodeSelectorRequirement> without = {{.key = "metadata.name"}};
  const std::pair<NodeSelectorTerm, const char*> terms[] = {
      {{.match_expressions = without}, "matchExpressions"},
      {{.match_fields = without}, "matchFields"}};
  for (const SchedulingPolicySpec& spec : {any_list, any_of_all}) {
    for (const auto& [term, list] : terms) {
      CAPTURE(list);
      const Pod pod = {.spec = {.affinity = Affinity{.node_affinity = required_node({term})}}};
      const std::vector<SchedulingPolicy> policies = {{.metadata = {.name = "a"}, .spec = spec}};
      CHECK(reasons(check(pod, merge(policies))) ==
            List{"AffinityNotAllowed " + node_field + required_mode + ".nodeSelectorTerms[0]." +
                 list + "[0]"});
    }
  }
}

TEST_CASE("every field expression of a term is checked, not the first alone") {
  const auto name_is = [](const char* name) {
    return NodeSelectorRequirement{.key = "metadata.name", .operator_ = in, .values = {name}};
  };
  const RequirementPattern name_a{.keys = {"metadata.name"}, .operators = {in}, .values = {"a"}};
  const EffectivePolicy effective = merged_with_scheduler(
      {.allowed = {.affinities = required_node_rule({{.match_fields = {name_a}}})}});
  const auto with_fields = [&](std::vector<NodeSelectorRequirement> fields) {
    return Pod{.spec = {.affinity = Affinity{.node_affinity = required_node(
                                                 {{.match_fields = std::move(fields)}})}}};
  };
  CHECK(check(with_fields({name_is("a"), name_is("a")}), effective).empty());
  CHECK(reasons(check(with_fields({name_is("a"), name_is("b")}), effective)) ==
        List{"AffinityNotAllowed " + node_field + required_mode +
             ".nodeSelectorTerms[0].matchFields[1]"});
}

TEST_CASE("a class that the cluster fills in meets no requirement, though it is a required one") {
  const EffectivePolicy effective =
      merged_with_scheduler({.required = {.priority_class_names = {"gold", ""}}});
  Options options;
  options.global_default_priority_class = "gold";
  const Pod gold{.spec = {.priority_class_name = "gold"}};
  CHECK(check(gold, effective).empty());
  CHECK(reasons(check(gold, effective, options)) ==
        List{"PriorityClassNameRequired spec.priorityClassName"});
  CHECK(reasons(check(Pod{}, effective)) ==
        List{"PriorityClassNameRequired spec.priorityClassName"});
}

TEST_CASE("lists with nothing in them match nothing in a pattern") {
  const Toleration gpu{"gpu", exists, "", no_schedule};
  const TolerationPattern all{.keys = any, .operators = any, .values = any, .effects = any};
  TolerationPattern no_keys = all;
  no_keys.keys = Texts();
  TolerationPattern no_operators = all;
  no_operators.operators = TolerationOperators();
  TolerationPattern no_values = all;
  no_values.values = Texts();
  TolerationPattern no_effects = all;
  no_effects.effects = Effects();
  CHECK(check(Pod{.spec = {.tolerations = {gpu}}},
              merged_with_scheduler({.allowed = {.tolerations = {all}}}))
            .empty());
  for (const TolerationPattern& pattern : {no_keys, no_operators, no_values, no_effects}) {
    CAPTURE(to_string(pattern));
    CHECK(check(Pod{.spec = {.tolerations = {gpu}}},
                merged_with_scheduler({.allowed = {.tolerations = {pattern}}}))
              .size() == 1);
    CHECK(reasons(check(Pod{.spec = {.tolerations = {gpu}}},
                        merged_with_scheduler({.required = {.tolerations = {pattern}},
                                               .allowed = {.tolerations = {all}}}))) ==
          List{"TolerationRequired spec.tolerations"});
  }
}

TEST_CASE("of a default toleration that has both a value and values, the values count") {
  const EffectivePolicy effective = merged_with_scheduler(
      {.defaults = {.tolerations = std::vector<DefaultToleration>{
                        {.toleration = {"gpu", equal, "a", no_schedule}, .values = {"b"}}}}});
  CHECK(check(Pod{.spec = {.tolerations = {{"gpu", equal, "b", no_schedule}}}}, effective).empty());
  CHECK(check(Pod{.spec = {.tolerations = {{"gpu", equal, "a", no_schedule}}}}, effective).size() ==
        1);
}

TEST_CASE("default tolerations of one key are all found, whatever they differ in") {
  std::vector<DefaultToleration> given;
  for (const TolerationOperator operator_ : {equal, TolerationOperator::lt, TolerationOperator::gt})
    for (const TaintEffect effect : {no_schedule, no_execute})
      for (const char* value : {"1", "2", "3"})
        given.push_back({.toleration = {"cores", operator_, value, effect}});
  given.push_back({.toleration = {"cores", exists, "", no_execute, 60}});
  const EffectivePolicy effective = merged_with_scheduler({.defaults = {.tolerations = given}});
  for (const DefaultToleration& each : given) {
    CAPTURE(each.toleration);
    CHECK(check(Pod{.spec = {.tolerations = {each.toleration}}}, effective).empty());
    Toleration other = each.toleration;
    other.toleration_seconds = 61;
    CHECK(check(Pod{.spec = {.tolerations = {other}}}, effective).size() == 1);
  }
}

/// Sixty schedulers, or whatever else has names.
Texts sixty(const std::string& prefix) {
  Texts texts;
  for (int i = 10; i < 70; ++i) texts.push_back(prefix + std::to_string(i));
  return texts;
}

/// For `gpu`, each for another value: 0, 1, ...
TolerationPatterns gpu_patterns_of_values(std::size_t count) {
  TolerationPatterns patterns;
  for (std::size_t i = 0; i < count; ++i)
    patterns.push_back({.keys = {"gpu"},
                        .operators = {TolerationOperator::equal},
                        .values = {std::to_string(i)},
                        .effects = {no_execute}});
  return patterns;
}

TEST_CASE("a violation says what would have been permitted, or the first of it") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    PodSpec pod;
    std::string text;
  };
  const NodeSelectorRequirement disk{"disk", in, {"hdd"}};
  const RequirementPattern ssd{.keys = {"disk"}, .operators = {in}, .values = {"ssd"}};
  const RequirementPattern zone{.keys = {"zone"}, .operators = any, .values = any};
  const RequirementPattern anywhere{.keys = any, .operators = {not_in}, .values = any};
  const auto rule = [](std::vector<RequirementPattern> patterns) {
    return AffinityRules{.node_affinities = NodeAffinityRules{
                             .required_during_scheduling_ignored_during_execution =
                                 NodeAffinityRule{{{.match_expressions = std::move(patterns)}}}}};
  };
  const auto node_affinity = [](NodeSelectorRequirement requirement) {
    return Affinity{.node_affinity =
                        NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                         NodeSelector{{{.match_expressions = {requirement}}}}}};
  };
  const Case cases[] = {
      {"allowed schedulers and the default one",
       {.allowed = {.scheduler_names = {"blue"}}, .defaults = {.scheduler_name = "red"}},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not allowed by `p` (permitted: `blue` and "
       "`red`)"},
      {"required schedulers",
       {.required = {.scheduler_names = {"blue"}}, .allowed = {.scheduler_names = {"red"}}},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not among those required by `p` (permitted: "
       "`blue`)"},
      {"nothing",
       {},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not allowed by `p`"},
      {"sixty schedulers",
       {.allowed = {.scheduler_names = sixty("s")}},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not allowed by `p` (permitted: `s10`, "
       "`s11`, `s12`, `s13`, `s14` and 55 more)"},
      {"a priority class that is required",
       {.required = {.priority_class_names = {"gold"}}, .allowed = {.scheduler_names = any}},
       {},
       "`spec.priorityClassName`: a priority class is required by `p` (permitted: `gold`)"},
      {"a default that is allowed, too, once",
       {.allowed = {.scheduler_names = {"blue", "red"}}, .defaults = {.scheduler_name = "red"}},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not allowed by `p` (permitted: `blue` and "
       "`red`)"},
      {"a name that is too long to show is counted",
       {.allowed = {.scheduler_names = {std::string(513, 'x'), "blue"}}},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not allowed by `p` (permitted: `blue` and 1 "
       "more)"},
      {"values of a key",
       {.allowed = {.scheduler_names = any, .node_selectors = {{"arch", {"amd64", "arm64"}}}}},
       {.node_selector = {{"arch", "s390x"}}},
       "`spec.nodeSelector[arch]`: node selector `s390x` is not allowed by `p` (permitted: "
       "`amd64` and `arm64`)"},
      {"required values of a key",
       {.required = {.node_selectors = {{"arch", {"amd64"}}}}, .allowed = {.scheduler_names = any}},
       {},
       "`spec.nodeSelector[arch]`: a value is required by `p` (permitted: `amd64`)"},
      {"tolerations of the key, also of any key",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{.keys = {"spot"}, .operators = any, .effects = any},
                                    {.keys = any, .operators = {exists}, .effects = {no_execute}},
                                    {.keys = {"gpu"}, .operators = {exists}, .effects = any}}}},
       {.tolerations = {{.key = "gpu", .value = "a", .effect = no_schedule}}},
       "`spec.tolerations[0]`: toleration `gpu=a:NoSchedule` is not allowed by `p` (permitted: "
       "`{keys: [gpu], operators: [Exists], effects: []}` and "
       "`{keys: [], operators: [Exists], effects: [NoExecute]}`)"},
      {"the same where any key comes first",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{.keys = any, .operators = {exists}, .effects = {no_execute}},
                                    {.keys = {"gpu"}, .operators = {exists}, .effects = any}}}},
       {.tolerations = {{.key = "gpu", .value = "a", .effect = no_schedule}}},
       "`spec.tolerations[0]`: toleration `gpu=a:NoSchedule` is not allowed by `p` (permitted: "
       "`{keys: [gpu], operators: [Exists], effects: []}` and "
       "`{keys: [], operators: [Exists], effects: [NoExecute]}`)"},
      {"tolerations of other keys, and defaults",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{.keys = {"spot"}, .operators = any, .effects = any}}},
        .defaults = {.tolerations = {{{.toleration = {.key = "a", .effect = no_schedule},
                                       .values = {"x", "y"}}}}}},
       {.tolerations = {{.key = "gpu", .operator_ = exists}}},
       "`spec.tolerations[0]`: toleration `gpu Exists` is not allowed by `p` (permitted: "
       "`{keys: [spot], operators: [], effects: []}` and "
       "`{keys: [a], operators: [Equal], values: [x, y], effects: [NoSchedule]}`)"},
      {"required tolerations as well as allowed ones, by each of their keys",
       {.required = {.tolerations = {{.keys = {"gpu"}, .operators = {exists}, .effects = any}}},
        .allowed = {.scheduler_names = any,
                    .tolerations = {{.keys = {"spot", "gpu", "gpu"},
                                     .operators = {exists},
                                     .effects = {no_execute}}}}},
       {.tolerations = {{.key = "gpu", .operator_ = exists},
                        {.key = "gpu", .value = "a", .effect = no_schedule}}},
       "`spec.tolerations[1]`: toleration `gpu=a:NoSchedule` is not allowed by `p` (permitted: "
       "`{keys: [gpu], operators: [Exists], effects: []}` and "
       "`{keys: [spot, gpu, gpu], operators: [Exists], effects: [NoExecute]}`)"},
      {"of tolerations of other keys those of any key, and none without keys",
       {.allowed =
            {.scheduler_names = any,
             .tolerations = {{.keys = {"spot"}, .operators = any, .effects = any},
                             {.keys = absent, .operators = any, .effects = any},
                             {.keys = any, .operators = {exists}, .effects = {no_execute}}}}},
       {.tolerations = {{.key = "gpu", .value = "a", .effect = no_schedule}}},
       "`spec.tolerations[0]`: toleration `gpu=a:NoSchedule` is not allowed by `p` (permitted: "
       "`{keys: [], operators: [Exists], effects: [NoExecute]}`)"},
      {"each default of the key, with its values or its value",
       {.allowed = {.scheduler_names = any},
        .defaults =
            {.tolerations = {{{.toleration = {.key = "gpu", .effect = no_schedule}},
                              {.toleration = {.key = "gpu", .value = "x", .effect = no_schedule}},
                              {.toleration = {.key = "gpu", .effect = no_execute},
                               .values = {"y"}}}}}},
       {.tolerations = {{.key = "gpu", .operator_ = exists}}},
       "`spec.tolerations[0]`: toleration `gpu Exists` is not allowed by `p` (permitted: "
       "`{keys: [gpu], operators: [Equal], effects: [NoSchedule]}`, "
       "`{keys: [gpu], operators: [Equal], values: [x], effects: [NoSchedule]}` and "
       "`{keys: [gpu], operators: [Equal], values: [y], effects: [NoExecute]}`)"},
      {"seven tolerations of the key",
       {.allowed = {.scheduler_names = any, .tolerations = gpu_patterns_of_values(7)}},
       {.tolerations = {{.key = "gpu", .value = "a", .effect = no_schedule}}},
       "`spec.tolerations[0]`: toleration `gpu=a:NoSchedule` is not allowed by `p` (permitted: "
       "`{keys: [gpu], operators: [Equal], values: [0], effects: [NoExecute]}`, "
       "`{keys: [gpu], operators: [Equal], values: [1], effects: [NoExecute]}`, "
       "`{keys: [gpu], operators: [Equal], values: [2], effects: [NoExecute]}`, "
       "`{keys: [gpu], operators: [Equal], values: [3], effects: [NoExecute]}`, "
       "`{keys: [gpu], operators: [Equal], values: [4], effects: [NoExecute]}` and 2 more)"},
      {"expressions of the key",
       {.allowed = {.scheduler_names = any, .affinities = rule({zone, ssd, anywhere})}},
       {.affinity = node_affinity(disk)},
       "`spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
       "nodeSelectorTerms[0].matchExpressions[0]`: affinity `disk In [hdd]` is not allowed by `p` "
       "(permitted: `{keys: [disk], operators: [In], values: [ssd]}` and "
       "`{keys: [], operators: [NotIn], values: []}`)"},
      {"expressions of the key in every required and allowed term",
       {.required = {.affinities = rule({RequirementPattern{
                         .keys = {"zone", "disk"}, .operators = {NodeSelectorOperator::exists}}})},
        .allowed = {.scheduler_names = any,
                    .affinities =
                        AffinityRules{
                            .node_affinities =
                                NodeAffinityRules{
                                    .required_during_scheduling_ignored_during_execution =
                                        NodeAffinityRule{{{.match_expressions = {{zone}}},
                                                          {.match_expressions = {{ssd}}}}}}}}},
       {.affinity =
            Affinity{
                .node_affinity =
                    NodeAffinity{
                        .required_during_scheduling_ignored_during_execution =
                            NodeSelector{
                                {{.match_expressions =
                                      {{"zone", NodeSelectorOperator::exists, {}}, disk}}}}}}},
       "`spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
       "nodeSelectorTerms[0].matchExpressions[1]`: affinity `disk In [hdd]` is not allowed by `p` "
       "(permitted: `{keys: [zone, disk], operators: [Exists]}` and "
       "`{keys: [disk], operators: [In], values: [ssd]}`)"},
      {"required topology keys before allowed ones",
       {.required = {.affinities = AffinityRules{.pod_affinities = required_pod_rule({"host"})}},
        .allowed = {.scheduler_names = any,
                    .affinities = AffinityRules{.pod_affinities = required_pod_rule({"zone"})}}},
       {.affinity =
            Affinity{.pod_affinity =
                         PodAffinity{.required_during_scheduling_ignored_during_execution =
                                         {{.topology_key = "host"}, {.topology_key = "rack"}}}}},
       "`spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1]."
       "topologyKey`: affinity `rack` is not allowed by `p` (permitted: `host` and `zone`)"},
      {"topology keys",
       {.allowed = {.scheduler_names = any,
                    .affinities = AffinityRules{.pod_affinities = required_pod_rule({"zone"})}}},
       {.affinity = Affinity{.pod_affinity = required_pod({"rack"})}},
       "`spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]."
       "topologyKey`: affinity `rack` is not allowed by `p` (permitted: `zone`)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto found = check(Pod{.spec = c.pod}, merged(c.policy));
    REQUIRE(found.size() == 1);
    CHECK(message(found[0]) == c.text);
  }
}

TEST_CASE("what would have been permitted is listed up to a bound, and only what could be") {
  const auto named = [](std::vector<std::string> names, std::size_t more = 0) {
    return Names(std::move(names), more);
  };
  const std::string longest(max_shown_bytes, 'x');
  const Toleration gpu{.key = "gpu", .value = "a", .effect = no_schedule};
  const auto permitting = [](AffinityRules rules) {
    return SchedulingPolicySpec{
        .allowed = {.scheduler_names = any, .affinities = std::move(rules)}};
  };
  AffinityRules disks_and_zones = required_node_rule({{.match_expressions = {disk_pattern}}});
  disks_and_zones.pod_affinities = required_pod_rule({"zone"});
  disks_and_zones.pod_anti_affinities = required_pod_rule({"host"});
  const RequirementPattern of_name{.keys = {"metadata.name"}, .operators = {in}, .values = {"n"}};
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    PodSpec pod;
    std::vector<Names> wanted;  ///< by violation
  };
  const Case cases[] = {
      {"the default's after as many as are listed",
       {.allowed = {.scheduler_names = {"a", "b", "c", "d", "e"}},
        .defaults = {.scheduler_name = "f"}},
       {.scheduler_name = "green"},
       {named({"a", "b", "c", "d", "e"}, 1)}},
      {"names of as many bytes as are shown, and of one more",
       {.allowed = {.scheduler_names = {longest, longest + "x"}}},
       {.scheduler_name = "green"},
       {named({longest}, 1)}},
      {"patterns of the key that are too long to show, and not those of another",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{{"gpu"}, any, {longest}, any}, {{"spot"}, any, any, any}}}},
       {.tolerations = {gpu}},
       {{}}},
      {"patterns of other keys, and none without keys",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{absent, any, any, any}, {{"spot"}, any, any, any}}}},
       {.tolerations = {gpu}},
       {named({"{keys: [spot], operators: [], values: [], effects: []}"})}},
      {"of a default that has both a value and values, the values",
       {.allowed = {.scheduler_names = any},
        .defaults = {.tolerations = {{{.toleration = {"gpu", equal, "b", no_execute},
                                       .values = {"c"}}}}}},
       {.tolerations = {gpu}},
       {named({"{keys: [gpu], operators: [Equal], values: [c], effects: [NoExecute]}"})}},
      {"a field among the fields",
       permitting(
           required_node_rule({{.match_expressions = {disk_pattern}, .match_fields = {of_name}}})),
       {.affinity = Affinity{.node_affinity = required_node(
                                 {{.match_fields = {{"metadata.name", in, {"m"}}}}})}},
       {named({"{keys: [metadata.name], operators: [In], values: [n]}"})}},
      {"in one mode of each kind",
       permitting(disks_and_zones),
       {.affinity = Affinity{required_node({{.match_expressions = {zone_a}}}),
                             required_pod({"rack"}), required_pod({"rack"})}},
       {named({"{keys: [disk], operators: [In], values: [ssd, hdd]}"}), named({"zone"}),
        named({"host"})}},
      {"nothing where a topology key is missing: the violation says which",
       {.required = {.affinities = AffinityRules{.pod_affinities = required_pod_rule({"zone"})}},
        .allowed = {.scheduler_names = any}},
       {},
       {{}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    std::vector<Names> permitted;
    for (Violation& violation : check(Pod{.spec = c.pod}, merged(c.policy)))
      permitted.push_back(std::move(violation.permitted));
    CHECK(permitted == c.wanted);
  }
}

TEST_CASE("a kind of affinity that no rule is about is shown whole") {
  const PodAffinityTerm zone{.topology_key = "zone"};
  const PodAffinityTerm rack{.topology_key = "rack"};
  const NodeSelectorTerm disk{.match_expressions = {{"disk", NodeSelectorOperator::exists, {}}}};
  const NodeAffinity node{
      .required_during_scheduling_ignored_during_execution = NodeSelector{{disk}},
      .preferred_during_scheduling_ignored_during_execution = {{.weight = 7, .preference = disk}}};
  const PodAffinity pod{.required_during_scheduling_ignored_during_execution = {zone},
                        .preferred_during_scheduling_ignored_during_execution = {
                            {.weight = 7, .pod_affinity_term = rack}}};
  const auto found = check(Pod{.spec = {.affinity = Affinity{node, pod, pod}}},
                           merged({.allowed = {.scheduler_names = any}}));
  REQUIRE(found.size() == 3);
  CHECK(found[0].value == to_string(node));
  CHECK(found[1].value == to_string(pod));
  CHECK(found[2].value == to_string(pod));
}

TEST_CASE("a pattern of several keys permits each of them") {
  const SchedulingPolicySpec policy{
      .allowed = {
          .scheduler_names = any,
          .tolerations = {{.keys = {"gpu", "spot"}, .operators = {exists}, .effects = any}},
          .affinities = AffinityRules{
              .node_affinities = NodeAffinityRules{
                  .required_during_scheduling_ignored_during_execution = NodeAffinityRule{
                      {{.match_expressions = {
                            {.keys = {"disk", "zone"}, .operators = any, .values = any}}}}}}}}};
  for (const char* key : {"gpu", "spot"})
    CHECK(check(Pod{.spec = {.tolerations = {{.key = key, .operator_ = exists}}}}, merged(policy))
              .empty());
  for (const char* key : {"disk", "zone"}) {
    const NodeSelectorTerm term{.match_expressions = {{key, NodeSelectorOperator::exists, {}}}};
    const Pod pod{
        .spec = {.affinity = Affinity{.node_affinity = NodeAffinity{
                                          .required_during_scheduling_ignored_during_execution =
                                              NodeSelector{{term}}}}}};
    CHECK(check(pod, merged(policy)).empty());
  }
}

TEST_CASE("every value of a default toleration is permitted, in whatever order they are given") {
  const EffectivePolicy policy =
      merged({.allowed = {.scheduler_names = any},
              .defaults = {.tolerations = {{{.toleration = {.key = "gpu", .effect = no_schedule},
                                             .values = {"z", "a", "m"}},
                                            {.toleration = {.key = "spot", .effect = no_schedule},
                                             .values = {"y", "z", "x", "a", "m"}}}}}});
  for (const auto& [key, values] :
       {std::pair{"gpu", List{"a", "m", "z"}}, std::pair{"spot", List{"a", "m", "x", "y", "z"}}}) {
    for (const std::string& value : values) {
      CAPTURE(value);
      const Toleration toleration{.key = key, .value = value, .effect = no_schedule};
      CHECK(check(Pod{.spec = {.tolerations = {toleration}}}, policy).empty());
    }
  }
}

TEST_CASE("of many patterns of one key each permits its own values and operators") {
  SchedulingPolicySpec spec;
  for (int i = 0; i < 40; ++i)
    spec.allowed.tolerations.list().push_back(
        {.keys = {"k"}, .operators = {equal}, .values = {std::to_string(i)}, .effects = any});
  spec.allowed.tolerations.list().push_back(
      {.keys = {"k"}, .operators = {TolerationOperator::lt}, .values = any, .effects = any});
  const auto permitted = [&](TolerationOperator op, std::string value) {
    Pod pod;
    pod.spec.tolerations = {{"k", op, std::move(value), no_execute, std::nullopt}};
    return check(pod, merged_with_scheduler(spec)).empty();
  };
  CHECK(permitted(equal, "0"));
  CHECK(permitted(equal, "39"));
  CHECK_FALSE(permitted(equal, "40"));
  CHECK_FALSE(permitted(equal, ""));
  CHECK_FALSE(permitted(exists, ""));
  CHECK(permitted(TolerationOperator::lt, "40"));
  CHECK_FALSE(permitted(TolerationOperator::gt, "39"));
  // Once one says that there need be no value.
  spec.allowed.tolerations.list().push_back(
      {.keys = {"k"}, .operators = {exists}, .values = absent, .effects = any});
  CHECK(permitted(exists, ""));
  CHECK_FALSE(permitted(equal, ""));
  CHECK(permitted(equal, "39"));
}

TEST_CASE("an operator or effect that there is none of is called so, and what was meant") {
  struct Case {
    const char* name;
    PodSpec pod;
    std::string detail;
  };
  const auto node_affinity = [](std::string_view operator_) {
    const NodeSelectorRequirement requirement{
        "disk", OpenEnum<NodeSelectorOperator>(operator_), {}};
    return Affinity{.node_affinity =
                        NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                         NodeSelector{{{.match_expressions = {requirement}}}}}};
  };
  const auto operator_ = [](std::string_view text) { return OpenEnum<TolerationOperator>(text); };
  const Case cases[] = {
      {"nearly one",
       {.tolerations = {{.key = "gpu", .operator_ = operator_("Exist")}}},
       "unknown operator `Exist`, did you mean `Exists`"},
      {"one in another case",
       {.tolerations = {{.key = "gpu", .operator_ = operator_("EQUAL")}}},
       "unknown operator `EQUAL`, did you mean `Equal`"},
      {"nothing like one",
       {.tolerations = {{.key = "gpu", .operator_ = operator_("Matches")}}},
       "unknown operator `Matches`"},
      {"an effect",
       {.tolerations = {{.key = "gpu", .effect = OpenEnum<TaintEffect>("NoSchedul")}}},
       "unknown effect `NoSchedul`, did you mean `NoSchedule`"},
      {"an expression",
       {.affinity = node_affinity("Notin")},
       "unknown operator `Notin`, did you mean `NotIn`"},
      {"an expression without one", {.affinity = node_affinity("")}, "it has no operator"},
  };
  for (const auto& everything :
       {SchedulingPolicySpec{.allowed = {.scheduler_names = any}},
        SchedulingPolicySpec{
            .allowed = {.scheduler_names = any, .tolerations = any, .affinities = any}}}) {
    for (const Case& c : cases) {
      if (c.pod.affinity && everything.allowed.affinities.is_absent()) continue;
      CAPTURE(c.name);
      const auto found = check(Pod{.spec = c.pod}, merged(everything));
      REQUIRE(found.size() == 1);
      CHECK(found[0].detail == c.detail);
      CHECK(message(found[0]).ends_with(" is not allowed: " + c.detail));
    }
  }
}

TEST_CASE("a denial under 4,000 policies is short, and names what would be permitted") {
  std::vector<SchedulingPolicy> policies;
  for (int i = 0; i < 4'000; ++i) {
    const std::string number = std::to_string(10'000 + i);
    SchedulingPolicy& policy = policies.emplace_back();
    policy.metadata.name = "policy-of-a-team-" + number;
    policy.spec.allowed = {
        .scheduler_names = {"scheduler-" + number},
        .node_selectors = {{"arch", {"arch-" + number}}},
        .tolerations = {
            {.keys = {"key"}, .operators = any, .values = {"value-" + number}, .effects = any}}};
  }
  const Pod pod{.spec = {.node_selector = {{"arch", "s390x"}},
                         .tolerations = {{.key = "key", .value = "other"}}}};
  const Admission admission{.pod = pod, .violations = check(pod, merge(policies))};
  const std::string text = message(admission);
  CHECK(admission.violations.size() == 3);
  CHECK(text.size() < 2'000);
  CHECK(text.find("(permitted: `scheduler-10000`, `scheduler-10001`") != std::string::npos);
  CHECK(text.find("(permitted: `arch-10000`, `arch-10001`") != std::string::npos);
  CHECK(text.find("(permitted: `{keys: [key]") != std::string::npos);
  CHECK(text.find("`policy-of-a-team-10004` and 3995 more") != std::string::npos);
}

TEST_CASE("of many denials each says what is permitted at its key, as if it were the only one") {
  const AnyOr<Texts> none = Texts{"none"};
  TolerationPatterns patterns;
  for (int i = 0; i < 20; ++i)
    patterns.push_back(
        {{"k" + std::to_string(i % 5), "k" + std::to_string(i % 7)}, any, none, any});
  for (const bool of_any : {false, true}) {
    if (of_any) patterns.push_back({any, any, none, any});
    const EffectivePolicy effective = merged_with_scheduler({.allowed = {.tolerations = patterns}});
    Pod pod;
    for (int i = 0; i < 30; ++i)
      pod.spec.tolerations.push_back({.key = "k" + std::to_string(i % 9)});
    const auto found = check(pod, effective);
    REQUIRE(found.size() == 30);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto alone = check({.spec = {.tolerations = {pod.spec.tolerations[i]}}}, effective);
      CHECK(found[i].permitted == alone.front().permitted);
    }
    CHECK(found[0].permitted != found[1].permitted);
  }
}

TEST_CASE("of many denied expressions each says what is permitted at its key") {
  constexpr int many = 5'000;
  RequirementPatterns patterns;
  NodeSelectorTerm term;
  for (int i = 0; i < many; ++i) {
    const std::string key = "k" + std::to_string(i);
    patterns.push_back({.keys = {key}, .operators = {in}, .values = {"v"}});
    term.match_expressions.push_back({key, in, {"w"}});
  }
  const EffectivePolicy effective = merged_with_scheduler(
      {.allowed = {.affinities = required_node_rule({{.match_expressions = patterns}})}});
  const auto found =
      check(Pod{.spec = {.affinity = Affinity{.node_affinity = required_node({term})}}}, effective);
  REQUIRE(found.size() == many);
  for (int i = 0; i < many; ++i)
    CHECK(found[static_cast<std::size_t>(i)].permitted ==
          Names{"{keys: [k" + std::to_string(i) + "], operators: [In], values: [v]}"});
}

TEST_CASE("violations share the names of their policies") {
  std::vector<SchedulingPolicy> policies(100);
  for (std::size_t i = 0; i < policies.size(); ++i)
    policies[i].metadata.name = "policy-" + std::to_string(i);
  Pod pod;
  for (int i = 0; i < 100; ++i) pod.spec.tolerations.push_back({.key = "k" + std::to_string(i)});
  const auto found = check(pod, merge(policies));
  REQUIRE(found.size() == 101);
  for (const Violation& violation : found) {
    CHECK(violation.policies.size() == 100);
    CHECK(violation.policies.vector().data() == found[0].policies.vector().data());
  }
}

/// Tolerations, expressions and patterns of few words, so that about half of what is required is
/// met; the empty text is among them.
class Drawn : public schedpol::testing::Random {
 public:
  using Random::Random;

  Toleration toleration() {
    return {text(), word<TolerationOperator>(4), text(), word<TaintEffect>(4), {}};
  }
  NodeSelectorRequirement expression() {
    NodeSelectorRequirement made{text(), word<NodeSelectorOperator>(5), {}};
    for (std::size_t i = below(3); i > 0; --i) made.values.push_back(text());
    return made;
  }
  template <class Pattern>
  Pattern pattern() {
    Pattern made{texts(), any, texts()};
    draw(made.operators);
    if constexpr (std::is_same_v<Pattern, TolerationPattern>) draw(made.effects);
    return made;
  }
  /// One of many of one key, of which few say that any value will do.
  template <class Pattern>
  Pattern pattern_of_key() {
    Pattern made = pattern<Pattern>();
    made.keys = {"k"};
    if (chance(30)) made.keys = any;
    if (made.operators.is_any() && chance(80)) made.operators = {};
    if (made.values.is_any() && chance(90)) made.values = {text(), text(), text()};
    return made;
  }

 private:
  std::string text() { return chance(10) ? "" : "text-" + std::to_string(below(9)); }
  AnyOr<Texts> texts() {
    if (chance(10)) return absent;
    if (chance(20)) return any;
    AnyOr<Texts> some = {text()};
    if (chance(20)) some.list().push_back(text());
    return some;
  }
  template <class Word>
  Word word(std::size_t count) {
    return static_cast<Word>(1 + below(count));
  }
  template <class Word>
  void draw(AnyOr<std::vector<OpenEnum<Word>>>& words) {
    words = any;
    if (chance(60)) words = {word<Word>(3), word<Word>(3)};
  }
};

TEST_CASE("of many requirements and as many that could meet them each is as it is alone") {
  constexpr std::size_t many = 70;
  Drawn drawn(11);
  const auto count = [](const Pod& pod, const PolicySection& required) {
    std::size_t unmet = 0;
    for (const Violation& violation : check(pod, merged_with_scheduler({.required = required})))
      unmet += violation.code == ViolationCode::toleration_required ||
               violation.code == ViolationCode::affinity_required;
    return unmet;
  };
  std::size_t met = 0;
  std::size_t unmet = 0;
  for (int round = 0; round < 20; ++round) {
    Pod pod;
    std::vector<TolerationPattern> patterns;
    std::vector<TermPattern> required;
    auto& terms = pod.spec.affinity.emplace()
                      .node_affinity.emplace()
                      .required_during_scheduling_ignored_during_execution.emplace()
                      .node_selector_terms;
    terms.resize(1 + drawn.below(2));
    for (std::size_t i = 0; i < many; ++i) {
      pod.spec.tolerations.push_back(drawn.toleration());
      auto& term = terms[drawn.below(terms.size())];
      (drawn.chance(80) || round % 4 == 0 ? term.match_expressions : term.match_fields)
          .push_back(drawn.expression());
      patterns.push_back(drawn.pattern<TolerationPattern>());
      TermPattern& of_term = required.emplace_back();
      (drawn.chance(80) ? of_term.match_expressions : of_term.match_fields)
          .list()
          .push_back(drawn.pattern<RequirementPattern>());
    }
    required[0] = {};  // asks for nothing, which nothing meets
    required[1] = {.match_fields = any};
    const auto requiring = [](std::vector<TermPattern> all) {
      AffinityRules rules;
      rules.node_affinities.list()
          .required_during_scheduling_ignored_during_execution.list()
          .node_selector_terms = std::move(all);
      return rules;
    };
    std::size_t alone = 0;
    for (std::size_t i = 0; i < many; ++i) {
      alone += count(pod, {.tolerations = {patterns[i]}});
      alone += count(pod, {.affinities = requiring({required[i]})});
    }
    CHECK(count(pod, {.tolerations = patterns, .affinities = requiring(required)}) == alone);
    unmet += alone;
    met += 2 * many - alone;
  }
  CHECK(met > 500);
  CHECK(unmet > 500);
}

TEST_CASE("of many patterns of one key each permits what it does alone") {
  Drawn drawn(12);
  const auto allowing = [](std::vector<TolerationPattern> tolerations,
                           std::vector<RequirementPattern> expressions) {
    AffinityRules rules;
    rules.node_affinities.list()
        .required_during_scheduling_ignored_during_execution.list()
        .node_selector_terms = {{.match_expressions = std::move(expressions)}};
    return merged_with_scheduler(
        {.allowed = {.tolerations = std::move(tolerations), .affinities = std::move(rules)}});
  };
  std::array<std::size_t, 4> met{};
  for (int round = 0; round < 10; ++round) {
    std::vector<TolerationPattern> tolerations;
    std::vector<RequirementPattern> expressions;
    std::vector<EffectivePolicy> alone;
    for (int i = 0; i < 60; ++i) {
      tolerations.push_back(drawn.pattern_of_key<TolerationPattern>());
      expressions.push_back(drawn.pattern_of_key<RequirementPattern>());
      alone.push_back(allowing({tolerations.back()}, {expressions.back()}));
    }
    const EffectivePolicy all = allowing(tolerations, expressions);
    for (int i = 0; i < 80; ++i) {
      Pod pod;
      if (i % 2 == 0) {
        pod.spec.tolerations = {drawn.toleration()};
        if (drawn.chance(80)) pod.spec.tolerations[0].key = "k";
      } else {
        NodeSelectorRequirement expression = drawn.expression();
        if (drawn.chance(80)) expression.key = "k";
        pod.spec.affinity.emplace()
            .node_affinity.emplace()
            .required_during_scheduling_ignored_during_execution.emplace()
            .node_selector_terms = {{{std::move(expression)}, {}}};
      }
      CAPTURE(pod);
      const bool is_permitted = check(pod, all).empty();
      const auto permits = [&](const EffectivePolicy& one) { return check(pod, one).empty(); };
      CHECK(is_permitted == std::any_of(alone.begin(), alone.end(), permits));
      ++met[static_cast<std::size_t>(i % 2 * 2 + is_permitted)];
    }
  }
  for (const std::size_t times : met) CHECK(times > 50);
}

TEST_CASE("of many patterns of one key one has to list every value of an expression") {
  RequirementPatterns patterns;
  for (int i = 0; i < 59; ++i)
    patterns.push_back({.keys = {"k"},
                        .operators = NodeOperators{in},
                        .values = {std::to_string(i % 10), "x" + std::to_string(i / 10)}});
  AffinityRules rules;
  rules.node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {{.match_expressions = patterns}};
  const EffectivePolicy effective = merged_with_scheduler({.allowed = {.affinities = rules}});
  const auto permits = [&](Texts values) {
    const NodeSelectorRequirement expression{"k", in, std::move(values)};
    NodeAffinity node;
    node.required_during_scheduling_ignored_during_execution =
        NodeSelector{{{.match_expressions = {expression}}}};
    return check(Pod{.spec = {.affinity = Affinity{.node_affinity = node}}}, effective).empty();
  };
  for (int i = 0; i < 60; ++i)
    CHECK(permits({std::to_string(i % 10), "x" + std::to_string(i / 10)}) == (i < 59));
  CHECK(permits({"9"}));
  CHECK_FALSE(permits({"1", "2"}));
  CHECK_FALSE(permits({"1", "x9"}));
}

/// The lists of a term that expressions stand in, in a pod and in a policy.
struct ExpressionList {
  const char* name;
  std::vector<NodeSelectorRequirement> NodeSelectorTerm::*of_term;
  AnyOr<RequirementPatterns> TermPattern::*of_pattern;
};
constexpr ExpressionList expression_lists[] = {
    {"matchExpressions", &NodeSelectorTerm::match_expressions, &TermPattern::match_expressions},
    {"matchFields", &NodeSelectorTerm::match_fields, &TermPattern::match_fields}};

TEST_CASE("terms that are too many to be held against what is required do not meet it") {
  for (const auto& [name, of_term, of_pattern] : expression_lists) {
    CAPTURE(name);
    SchedulingPolicySpec spec;
    auto& required = spec.required.affinities.list()
                         .node_affinities.list()
                         .required_during_scheduling_ignored_during_execution.list()
                         .node_selector_terms;
    Pod pod;
    auto& terms = pod.spec.affinity.emplace()
                      .node_affinity.emplace()
                      .required_during_scheduling_ignored_during_execution.emplace()
                      .node_selector_terms;
    // A required term of one pattern counts as two, beside one for all of them; a term of one value
    // as three.
    for (int i = 0; i < 1'600; ++i)
      required.emplace_back().*of_pattern = {{{"a", "b" + std::to_string(i)}, any, any}};
    while (terms.size() < max_matched_values / (1 + 1'600 * 2) / 3)
      terms.emplace_back().*of_term = {{"a", in, {std::to_string(terms.size())}}};
    CHECK(check(pod, merged_with_scheduler(spec)).empty());
    terms.push_back(terms.back());
    CHECK(check(pod, merged_with_scheduler(spec)).size() == 1'600);
    required.pop_back();
    CHECK(check(pod, merged_with_scheduler(spec)).empty());
  }
}

TEST_CASE(
    "an expression is not permitted where its values are too many for the patterns of its key") {
  struct Case {
    AnyOr<Texts> keys;
    std::size_t patterns;  ///< beside one of every value, and one of another key
  };
  // Of the other key are fewer, and each key has those of any key beside its own.
  const Case cases[] = {{{"k"}, 1'023}, {any, 1'022}};
  for (const auto& [name, of_term, of_pattern] : expression_lists) {
    for (const auto& [keys, count] : cases) {
      CAPTURE(name);
      CAPTURE(count);
      RequirementPatterns patterns(count, {.keys = keys, .operators = any, .values = {"x"}});
      patterns.push_back({.keys = keys, .operators = any, .values = any});
      patterns.push_back({.keys = {"other"}, .operators = any, .values = any});
      AffinityRules rules;
      rules.node_affinities.list()
              .required_during_scheduling_ignored_during_execution.list()
              .node_selector_terms.emplace_back().*
          of_pattern = patterns;
      const EffectivePolicy effective = merged_with_scheduler({.allowed = {.affinities = rules}});
      Pod pod;
      auto& expressions = pod.spec.affinity.emplace()
                              .node_affinity.emplace()
                              .required_during_scheduling_ignored_during_execution.emplace()
                              .node_selector_terms.emplace_back().*
                          of_term;
      const Texts values(std::vector<std::string>(max_matched_values / 1'024 / 2 - 1, "v"));
      expressions = {{"k", in, values}, {"k", in, values}};
      CHECK(check(pod, effective).empty());
      expressions[0].values.push_back("v");
      REQUIRE(check(pod, effective).size() == 1);
      CHECK(to_string(check(pod, effective)[0].field).ends_with(std::string(name) + "[1]"));
    }
  }
}

}  // namespace check_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
