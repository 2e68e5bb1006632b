// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

// Allocations of the whole program go through the operators below; they count only while a test
// asks them to.

namespace {

bool counting = false;
std::size_t allocations = 0;

void* allocate(std::size_t size) noexcept {
  if (counting) ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace schedpol::scheduling_policy {
namespace {

using List = std::vector<std::string>;

/// The allocations of one check, and its verdict.
struct Counted {
  std::size_t allocations = 0;
  bool allowed = false;
};

Counted count(const Pod& pod, const EffectivePolicy& effective, const Options& options) {
  allocations = 0;
  counting = true;
  const bool allowed = check(pod, effective, options).empty();
  counting = false;
  return {allocations, allowed};
}

/// Longer than what a string holds without an allocation.
std::string longer(const std::string& text) {
  return text + "-of-more-than-a-few-characters";
}

NodeSelectorRequirement in(const std::string& key, const std::string& value) {
  return {.key = longer(key), .operator_ = NodeSelectorOperator::in, .values = {longer(value)}};
}

RequirementPattern in_any(const std::string& key) {
  return {.keys = List{longer(key)}, .operators = {{NodeSelectorOperator::in}}, .values = List{}};
}

TEST_CASE("the counter counts") {
  allocations = 0;
  counting = true;
  const std::string text = longer("text");
  counting = false;
  CHECK(allocations > 0);
  const std::size_t after = allocations;
  const std::string more = longer(text);
  CHECK(allocations == after);
}

TEST_CASE("checking an allowed pod allocates nothing") {
  const auto exists = TolerationOperator::exists;
  const Affinity affinity{
      .node_affinity =
          NodeAffinity{.required_during_scheduling_ignored_during_execution =
                           NodeSelector{{{.match_expressions = {in("disk", "ssd"), in("os", "x")},
                                          .match_fields = {in("name", "node")}}}},
                       .preferred_during_scheduling_ignored_during_execution =
                           {{.weight = 1, .preference = {.match_expressions = {in("os", "y")}}}}},
      .pod_affinity = PodAffinity{.required_during_scheduling_ignored_during_execution =
                                      {{.topology_key = longer("zone")}}},
      .pod_anti_affinity =
          PodAffinity{.preferred_during_scheduling_ignored_during_execution = {
                          {.weight = 1, .pod_affinity_term = {.topology_key = longer("host")}}}}};
  const Pod pod{.spec = {.scheduler_name = longer("scheduler"),
                         .priority_class_name = longer("gold"),
                         .node_selector = {{longer("disk"), longer("ssd")},
                                           {longer("given"), longer("value")},
                                           {longer("exempt"), longer("value")},
                                           {longer("zone"), longer("a")}},
                         .tolerations = {{longer("gpu"), exists, "", TaintEffect::no_schedule},
                                         {longer("spot"), {}, longer("value"), {}},
                                         {longer("given"), exists, "", TaintEffect::no_execute, 60},
                                         {longer("exempt"), exists, "", {}}},
                         .affinity = affinity}};
  const NodeAffinityRule node_rule{{{.match_expressions = {{in_any("disk"), in_any("os")}},
                                     .match_fields = {{in_any("name")}}}}};
  const TolerationPattern gpu{.keys = List{longer("gpu")},
                              .operators = {{exists}},
                              .effects = {{TaintEffect::no_schedule}}};
  const auto spot = [](TaintEffect effect) {
    return TolerationPattern{.keys = List{longer("spot")},
                             .operators = {{TolerationOperator::equal}},
                             .values = List{longer("value")},
                             .effects = {{effect}}};
  };
  const SchedulingPolicySpec listed{
      .required = {.scheduler_names = List{longer("scheduler")},
                   .priority_class_names = List{longer("gold")},
                   .node_selectors = NodeSelectors{{longer("disk"), List{longer("ssd")}}},
                   .tolerations = {{gpu}},
                   .affinities =
                       AffinityRules{.node_affinities =
                                         NodeAffinityRules{
                                             .required_during_scheduling_ignored_during_execution =
                                                 node_rule},
                                     .pod_affinities =
                                         PodAffinityRules{
                                             .required_during_scheduling_ignored_during_execution =
                                                 PodAffinityRule{{longer("zone")}}},
                                     .pod_anti_affinities = PodAffinityRules{}}},
      .allowed = {.scheduler_names = List{longer("other")},
                  .node_selectors = NodeSelectors{{longer("zone"), List{}}},
                  .tolerations = {{spot(TaintEffect::no_schedule),
                                   spot(TaintEffect::prefer_no_schedule),
                                   spot(TaintEffect::no_execute)}},
                  .affinities =
                      AffinityRules{.node_affinities =
                                        NodeAffinityRules{
                                            .preferred_during_scheduling_ignored_during_execution =
                                                node_rule}}},
      .defaults = {.scheduler_name = longer("scheduler"),
                   .node_selector = Labels{{longer("given"), longer("value")}},
                   .tolerations = {{{.toleration = {longer("given"), exists, "",
                                                    TaintEffect::no_execute, 60}}}}}};
  const SchedulingPolicySpec given{.allowed = {.scheduler_names = List{},
                                               .priority_class_names = List{longer("gold")},
                                               .node_selectors = NodeSelectors{},
                                               .tolerations = std::vector<TolerationPattern>{}},
                                   .defaults = {.affinity = affinity}};
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
  };
  const Case cases[] = {
      {"by the privileged policy", privileged().spec},
      {"by lists, requirements and defaults", listed},
      {"by an affinity that equals the default", given},
  };
  const Options options{.exempt_tolerations = {{longer("exempt"), exists, "", {}}},
                        .exempt_node_selector = {{longer("exempt"), longer("value")}}};
  for (const auto& [name, policy] : cases) {
    CAPTURE(name);
    const std::vector<SchedulingPolicy> policies = {
        {.metadata = {.name = longer("policy")}, .spec = policy}};
    const EffectivePolicy effective = merge(policies);
    CHECK(check(pod, effective, options) == std::vector<Violation>{});
    const Counted counted = count(pod, effective, options);
    CHECK(counted.allowed);
    CHECK(counted.allocations == 0);
  }
}

}  // namespace
}  // namespace schedpol::scheduling_policy
