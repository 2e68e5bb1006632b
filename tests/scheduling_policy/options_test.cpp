// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/options.hpp>

#include "../support/print.hpp"

#include <concepts>
#include <type_traits>

namespace schedpol::scheduling_policy {
namespace options_test {

static_assert(std::is_aggregate_v<Options> && std::semiregular<Options>);
static_assert(std::is_enum_v<RequiredAffinity> && !std::is_convertible_v<RequiredAffinity, int>);
static_assert(std::is_enum_v<NodeName> && !std::is_convertible_v<NodeName, int>);
static_assert(std::is_enum_v<DefaultScheduler> && !std::is_convertible_v<DefaultScheduler, int>);

TEST_CASE("without options the strict readings hold and nothing is exempt") {
  const Options options;
  CHECK(options.required_affinity == RequiredAffinity::every_term);
  CHECK(options.node_name == NodeName::require_any_scheduler);
  CHECK(options.default_scheduler == DefaultScheduler::specified);
  CHECK(options.exempt_tolerations.empty());
  CHECK(options.exempt_node_selector.empty());
  CHECK(options.global_default_priority_class.empty());
}

TEST_CASE("options are called what requests call them") {
  CHECK(to_string(RequiredAffinity::every_term) == "EveryTerm");
  CHECK(to_string(RequiredAffinity::present) == "Present");
  CHECK(to_string(NodeName::require_any_scheduler) == "RequireAnyScheduler");
  CHECK(to_string(NodeName::ignore) == "Ignore");
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

TEST_CASE("presets and what a RuntimeClass adds are exempt together") {
  const std::vector<Toleration> of_class = {
      {.key = "sandboxed", .operator_ = TolerationOperator::exists}};
  const Options options =
      exempt(exempt({.exempt_node_selector = {{"sandbox", "none"}}}, default_toleration_seconds()),
             of_class, {{"sandbox", "kata"}});
  CHECK(options.exempt_tolerations.size() == 3);
  CHECK(options.exempt_tolerations.back() == of_class.front());
  CHECK(options.exempt_node_selector == Labels{{"sandbox", "kata"}});
}

TEST_CASE("every pair that a RuntimeClass adds is exempt, over one of the same key before") {
  const Options options = exempt({.exempt_node_selector = {{"kept", "x"}, {"runtime", "slow"}}}, {},
                                 {{"runtime", "fast"}, {"zone", "a"}});
  CHECK(options.exempt_node_selector == Labels{{"kept", "x"}, {"runtime", "fast"}, {"zone", "a"}});
}

}  // namespace options_test
}  // namespace schedpol::scheduling_policy
