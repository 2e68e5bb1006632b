// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/options.hpp>

#include "exempt_items.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace options_test {

using namespace exempt_items;

static_assert(std::is_aggregate_v<Options> && std::semiregular<Options>);
static_assert(std::is_enum_v<RequiredAffinity> && !std::is_convertible_v<RequiredAffinity, int>);
static_assert(std::is_enum_v<NodeNameCheck> && !std::is_convertible_v<NodeNameCheck, int>);
static_assert(std::is_enum_v<DefaultScheduler> && !std::is_convertible_v<DefaultScheduler, int>);

TEST_CASE("without options the strict readings hold and nothing is exempt") {
  const Options options;
  CHECK(options.required_affinity == RequiredAffinity::every_term);
  CHECK(options.node_name == NodeNameCheck::require_any_scheduler);
  CHECK(options.default_scheduler == DefaultScheduler::specified);
  CHECK(options.exempt.tolerations.empty());
  CHECK(options.exempt.node_selector.empty());
  CHECK(options.global_default_priority_class.empty());
}

TEST_CASE("options are called what requests call them") {
  CHECK(to_string(RequiredAffinity::every_term) == "EveryTerm");
  CHECK(to_string(RequiredAffinity::present) == "Present");
  CHECK(to_string(NodeNameCheck::require_any_scheduler) == "RequireAnyScheduler");
  CHECK(to_string(NodeNameCheck::ignore) == "Ignore");
}

TEST_CASE("the preset of DefaultTolerationSeconds is its two tolerations, 300 seconds by default") {
  const auto wanted = [](std::int64_t seconds) {
    return std::vector<Toleration>{{.key = "node.kubernetes.io/not-ready",
                                    .operator_ = TolerationOperator::exists,
                                    .effect = TaintEffect::no_execute,
                                    .toleration_seconds = seconds},
                                   {.key = "node.kubernetes.io/unreachable",
                                    .operator_ = TolerationOperator::exists,
                                    .effect = TaintEffect::no_execute,
                                    .toleration_seconds = seconds}};
  };
  CHECK(default_toleration_seconds() == wanted(300));
  CHECK(default_toleration_seconds(60) == wanted(60));
  CHECK(default_toleration_seconds(60) != wanted(300));
}

TEST_CASE("the preset of DaemonSet pods has every toleration that their controller adds") {
  std::vector<std::string> texts;
  for (const Toleration& toleration : daemon_set_tolerations())
    texts.push_back(to_string(toleration));
  CHECK(texts ==
        std::vector<std::string>{"node.kubernetes.io/not-ready Exists:NoExecute",
                                 "node.kubernetes.io/unreachable Exists:NoExecute",
                                 "node.kubernetes.io/disk-pressure Exists:NoSchedule",
                                 "node.kubernetes.io/memory-pressure Exists:NoSchedule",
                                 "node.kubernetes.io/pid-pressure Exists:NoSchedule",
                                 "node.kubernetes.io/unschedulable Exists:NoSchedule",
                                 "node.kubernetes.io/network-unavailable Exists:NoSchedule"});
}

TEST_CASE("presets and what each of several objects adds are exempt together") {
  const SchedulingCriteria of_class{
      .node_selector = {{"sandbox", "kata"}},
      .tolerations = {{.key = "sandboxed", .operator_ = TolerationOperator::exists}}};
  const SchedulingCriteria of_policy{.node_selector = {{"sandbox", "gvisor"}}};
  const Options options = exempt(exempt(exempt({.exempt = {.node_selector = {{"sandbox", "none"}}}},
                                               default_toleration_seconds()),
                                        of_class),
                                 of_policy);
  CHECK(options.exempt.tolerations == default_toleration_seconds());
  CHECK(options.exempt.node_selector == Labels{{"sandbox", "none"}});
  CHECK(options.exempt_criteria == std::vector<SharedCriteria>{of_class, of_policy});
}

TEST_CASE("options are equal where the criteria that they exempt are") {
  const SharedCriteria blue(SchedulingCriteria{.scheduler_name = "blue"});
  const SharedCriteria same(SchedulingCriteria{.scheduler_name = "blue"});
  CHECK(Options{.exempt_criteria = {blue}} == Options{.exempt_criteria = {same}});
  CHECK(Options{.exempt_criteria = {blue}} != Options{});
}

TEST_CASE("exempt names need no permission, and requirements see them") {
  const SchedulingPolicySpec blue{.allowed = {.scheduler_names = {"blue"}}};
  const SchedulingPolicySpec required{.required = {.scheduler_names = {"blue"}}};
  const List not_allowed{"SchedulerNameNotAllowed spec.schedulerName"};
  check_each({
      {"a scheduler",
       blue,
       {.scheduler_name = "green"},
       {.scheduler_name = "green"},
       not_allowed,
       {}},
      {"another scheduler",
       blue,
       {.scheduler_name = "red"},
       {.scheduler_name = "green"},
       not_allowed,
       not_allowed},
      {"the default scheduler of a pod without one",
       blue,
       {},
       {.scheduler_name = "default-scheduler"},
       not_allowed,
       {}},
      {"criteria without a scheduler", blue, {}, {}, not_allowed, not_allowed},
      {"a scheduler where another is required",
       required,
       {.scheduler_name = "green"},
       {.scheduler_name = "green"},
       {"SchedulerNameRequired spec.schedulerName"},
       {"SchedulerNameRequired spec.schedulerName"}},
      {"a scheduler that is required",
       required,
       {.scheduler_name = "blue"},
       {.scheduler_name = "blue"},
       {},
       {}},
      {"a node",
       blue,
       {.scheduler_name = "blue", .node_name = "n"},
       {.node_name = "n"},
       {"NodeNameNotAllowed spec.nodeName"},
       {}},
      {"another node",
       blue,
       {.scheduler_name = "blue", .node_name = "m"},
       {.node_name = "n"},
       {"NodeNameNotAllowed spec.nodeName"},
       {"NodeNameNotAllowed spec.nodeName"}},
  });
}

TEST_CASE("an item is exempt that equals any of several") {
  Options options = exempt(exempt({.exempt = {.node_selector = {{"pool", "a"}}}},
                                  SchedulingCriteria{.node_selector = {{"pool", "b"}}}),
                           SchedulingCriteria{.scheduler_name = "green",
                                              .node_selector = {{"pool", "c"}},
                                              .tolerations = {{.key = "gpu"}}});
  const EffectivePolicy effective = merged({});
  for (const char* value : {"a", "b", "c", "d"}) {
    CAPTURE(value);
    const Pod pod{.spec = {.scheduler_name = "green",
                           .node_selector = {{"pool", value}},
                           .tolerations = {{.key = "gpu"}}}};
    CHECK(check(pod, effective, options).empty() == (*value != 'd'));
  }
}

TEST_CASE("a Windows RuntimeClass is compatible with a policy that requires an operating system") {
  const SchedulingCriteria windows{
      .node_selector = {{"os", "windows"}},
      .tolerations = {{"os", TolerationOperator::equal, "windows", TaintEffect::no_schedule, {}}}};
  const SchedulingPolicySpec either{.required = {.node_selectors = {{"os", {"linux", "windows"}}}},
                                    .allowed = {.scheduler_names = any}};
  const SchedulingPolicySpec linux{.required = {.node_selectors = {{"os", {"linux"}}}},
                                   .allowed = {.scheduler_names = any}};
  const SchedulingPolicySpec tolerating{
      .required = {.tolerations = {{{.keys = {"os"},
                                     .operators = {TolerationOperator::equal},
                                     .values = {"windows"},
                                     .effects = {TaintEffect::no_schedule}}}}},
      .allowed = {.scheduler_names = any, .node_selectors = any}};
  const PodSpec pod{.node_selector = windows.node_selector, .tolerations = windows.tolerations};
  check_each({
      {"the value is one of the required",
       either,
       pod,
       windows,
       {"TolerationNotAllowed spec.tolerations[0]"},
       {}},
      {"the value is none of them",
       linux,
       pod,
       windows,
       {"NodeSelectorRequired spec.nodeSelector[os]", "TolerationNotAllowed spec.tolerations[0]"},
       {"NodeSelectorRequired spec.nodeSelector[os]"}},
      {"its toleration is the required one", tolerating, pod, windows, {}, {}},
  });
}

TEST_CASE("an exempt toleration of every key meets what is required of some key") {
  const Toleration every_key{.operator_ = exists};
  const auto requiring = [](AnyOr<Texts> keys) {
    return SchedulingPolicySpec{
        .required = {.tolerations = {{std::move(keys), {TolerationOperator::equal}, any, any}}},
        .allowed = {.scheduler_names = any}};
  };
  const PodSpec pod{.tolerations = {every_key}};
  const SchedulingCriteria given{.tolerations = {every_key}};
  const List without{"TolerationNotAllowed spec.tolerations[0]",
                     "TolerationRequired spec.tolerations"};
  const List missing{"TolerationRequired spec.tolerations"};
  check_each({
      {"a key", requiring({"gpu"}), pod, given, without, {}},
      {"any key", requiring(any), pod, given, without, {}},
      {"no key", requiring({}), pod, given, without, missing},
      {"the empty key", requiring({""}), pod, given, without, missing},
  });
}

// ---- what is added to the pods of a template

TEST_CASE("what the RuntimeClass adds to the pods of a template counts as there") {
  const Toleration gpu{.key = "gpu", .operator_ = exists};
  const Toleration spot{.key = "spot", .operator_ = exists};
  const Options options{
      .added_to_pods = {.node_selector = {{"os", "windows"}}, .tolerations = {gpu}}};
  struct AddedCase {
    const char* name;
    SchedulingPolicySpec policy;
    PodSpec spec;
    List denied;
    PodSpec given;  ///< where it is allowed
  };
  const TolerationPattern gpu_pattern{.keys = {"gpu"}, .operators = {exists}, .effects = any};
  const auto os = [](Texts values) {
    return PolicySection{.node_selectors = {{"os", std::move(values)}}};
  };
  const AddedCase cases[] = {
      {"a required key is met", {.required = os({"windows"})}, {}, {}, {}},
      {"a required key is broken",
       {.required = os({"linux"})},
       {},
       {"NodeSelectorRequired spec.nodeSelector[os]"},
       {}},
      {"the template's own pair goes before it",
       {.required = os({"linux"})},
       {.node_selector = {{"os", "linux"}}},
       {},
       {.node_selector = {{"os", "linux"}}}},
      {"a required toleration is met", {.required = {.tolerations = {{gpu_pattern}}}}, {}, {}, {}},
      {"no default is given for its keys",
       {.defaults = {.node_selector = Labels{{"arch", "arm64"}, {"os", "linux"}}}},
       {},
       {},
       {.node_selector = {{"arch", "arm64"}}}},
      {"of default tolerations those that are not added",
       {.defaults = {.tolerations = {{{gpu}, {spot}}}}},
       {},
       {},
       {.tolerations = {spot}}},
      {"what the template repeats needs no permission",
       {.defaults = {.tolerations = {{{spot}}}}},
       {.node_selector = {{"os", "windows"}}, .tolerations = {gpu}},
       {},
       {.node_selector = {{"os", "windows"}}, .tolerations = {gpu, spot}}},
      {"another value does",
       {},
       {.node_selector = {{"os", "linux"}}},
       {"NodeSelectorNotAllowed spec.template.spec.nodeSelector[os]"},
       {}},
  };
  for (const AddedCase& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec policy = c.policy;
    policy.allowed.scheduler_names = any;
    Pod pod{.spec = c.spec};
    if (!c.denied.empty() && c.denied[0].find("template") != std::string::npos)
      pod.kind = PodKind::deployment;
    const Admission admission = admit(pod, merged(policy), options);
    CHECK(reasons(admission.violations) == c.denied);
    if (c.denied.empty()) CHECK(admission.pod.spec == c.given);
  }
}

}  // namespace options_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
