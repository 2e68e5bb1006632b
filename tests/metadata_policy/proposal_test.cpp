// SPDX-License-Identifier: Apache-2.0
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/validate.hpp>

#include "../support/print_systems.hpp"

#include <string>
#include <utility>
#include <vector>

// The MetadataPolicy proposal: the example rules of its API, the sentences that decide how rules
// work together, and what it is for, choosing the scheduler in a multi-scheduler system.

namespace SCHEDPOL_NAMESPACE::metadata_policy {
namespace proposal_test {

using Policies = std::vector<MetadataPolicy>;
using Names = std::vector<RuleName>;

constexpr auto exists = LabelSelectorOperator::exists;
constexpr auto does_not_exist = LabelSelectorOperator::does_not_exist;

const std::string qos(qos_annotation);
const std::string scheduler(scheduler_name_annotation);

LabelSelector present(const char* key) {
  return {.match_expressions = {{key, exists, {}}}};
}
LabelSelector not_present(const char* key) {
  return {.match_expressions = {{key, does_not_exist, {}}}};
}

MetadataPolicy example(std::vector<MetadataPolicyRule> rules) {
  return {.metadata = {.name = "example", .namespace_ = "team-a"},
          .spec = {.rules = std::move(rules)}};
}

ObjectMeta object(Labels labels, Labels annotations = {}) {
  return {.name = "object",
          .namespace_ = "team-a",
          .labels = std::move(labels),
          .annotations = std::move(annotations)};
}

// ---- Example rules

TEST_CASE("require X: reject the object if label with key X is not present") {
  const Policies require = {example({{.policy_predicate = {.label_selector = not_present("X")},
                                      .policy_action = {.reject = true}}})};
  CHECK(validate(require[0]).empty());
  CHECK_FALSE(admit(object({}), require).allowed);
  CHECK_FALSE(admit(object({{"x", "Y"}}), require).allowed);
  CHECK_FALSE(admit(object({}, {{"X", "Y"}}), require).allowed);
  CHECK(admit(object({{"X", "Y"}}), require).allowed);
  CHECK(admit(object({{"X", ""}}), require).allowed);
}

TEST_CASE("forbid X: reject the object if label with key X is present") {
  const Policies forbid = {example(
      {{.policy_predicate = {.label_selector = present("X")}, .policy_action = {.reject = true}}})};
  CHECK(validate(forbid[0]).empty());
  CHECK(admit(object({}), forbid).allowed);
  CHECK(admit(object({{"x", "Y"}}), forbid).allowed);
  CHECK(admit(object({}, {{"X", "Y"}}), forbid).allowed);
  CHECK_FALSE(admit(object({{"X", "Y"}}), forbid).allowed);
  CHECK_FALSE(admit(object({{"X", ""}}), forbid).allowed);
}

TEST_CASE("default X: add label X=Y if label with key X is not present") {
  const Policies defaults = {example({{.policy_predicate = {.label_selector = not_present("X")},
                                       .policy_action = {.updated_labels = {{"X", "Y"}}}}})};
  CHECK(validate(defaults[0]).empty());
  struct Case {
    const char* name;
    Labels labels;
    Labels wanted;
  };
  const Case cases[] = {
      {"no labels", {}, {{"X", "Y"}}},
      {"another label", {{"A", "B"}}, {{"A", "B"}, {"X", "Y"}}},
      {"the label with another value", {{"X", "Z"}}, {{"X", "Z"}}},
      {"the label without a value", {{"X", ""}}, {{"X", ""}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const MetadataAdmission admission = admit(object(c.labels), defaults);
    CHECK(admission.allowed);
    CHECK(admission.metadata == object(c.wanted));
    CHECK(admit(admission.metadata, defaults).changes.empty());
  }
}

TEST_CASE("add annotation A=B if the object has annotation C=D or E=F") {
  const PolicyAction add = {.updated_annotations = {{"A", "B"}}};
  const auto has = [](const char* key, const char* value) {
    return PolicyPredicate{.annotation_selector = LabelSelector{.match_labels = {{key, value}}}};
  };
  const Policies either = {example({{.policy_predicate = has("C", "D"), .policy_action = add},
                                    {.policy_predicate = has("E", "F"), .policy_action = add}})};
  CHECK(validate(either[0]).empty());
  struct Case {
    const char* name;
    Labels annotations;
    bool added;
  };
  const Case cases[] = {
      {"neither", {}, false},
      {"C=D", {{"C", "D"}}, true},
      {"E=F", {{"E", "F"}}, true},
      {"both", {{"C", "D"}, {"E", "F"}}, true},
      {"C has another value", {{"C", "F"}}, false},
      {"E has another value, C=D", {{"C", "D"}, {"E", "D"}}, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const MetadataAdmission admission = admit(object({}, c.annotations), either);
    Labels wanted = c.annotations;
    if (c.added) wanted["A"] = "B";
    CHECK(admission.metadata == object({}, wanted));
    CHECK(admission.conflicts.empty());
    CHECK(admission.changes.size() == (c.added ? 1 : 0));
    CHECK(admit(object(c.annotations), either).changes.empty());
  }
}

// ---- Deciding sentences

TEST_CASE("all criteria must be met for the predicate to be considered met") {
  const Policies both = {example(
      {{.policy_predicate = {.label_selector = present("X"), .annotation_selector = present("X")},
        .policy_action = {.reject = true}}})};
  CHECK(admit(object({}), both).allowed);
  CHECK(admit(object({{"X", ""}}), both).allowed);
  CHECK(admit(object({}, {{"X", ""}}), both).allowed);
  CHECK_FALSE(admit(object({{"X", ""}}, {{"X", ""}}), both).allowed);
}

TEST_CASE("every rule is applied, but if any that matches rejects, nothing is mutated") {
  const Policies policies = {
      example({{.policy_action = {.updated_labels = {{"A", "B"}}}},
               {.policy_predicate = {.label_selector = present("X")},
                .policy_action = {.reject = true}},
               {.policy_action = {.updated_annotations = {{"C", "D"}}}}}),
      {.metadata = {.name = "another", .namespace_ = "team-a"},
       .spec = {.rules = {{.policy_action = {.updated_labels = {{"E", "F"}}}}}}}};
  CHECK(admit(object({}), policies).metadata == object({{"A", "B"}, {"E", "F"}}, {{"C", "D"}}));
  const MetadataAdmission rejected = admit(object({{"X", ""}}), policies);
  CHECK_FALSE(rejected.allowed);
  CHECK(rejected.metadata == object({{"X", ""}}));
  CHECK(rejected.rejected_by == Names{{"example", 1}});
}

TEST_CASE("policies are per namespace and are applied to all of its objects") {
  const Policies policies = {example({{.policy_action = {.updated_labels = {{"A", "B"}}}}})};
  ObjectMeta elsewhere = object({});
  elsewhere.namespace_ = "team-b";
  CHECK(admit(elsewhere, policies).metadata == elsewhere);
  for (const char* name : {"one", "another", ""}) {
    ObjectMeta metadata = object({});
    metadata.name = name;
    CHECK(admit(metadata, policies).metadata.labels == Labels{{"A", "B"}});
  }
}

// ---- Multiple schedulers

/// Guaranteed pods go to one scheduler, BestEffort pods to another, the rest to the default one.
const Policies& schedulers() {
  static const Policies policies = [] {
    const auto rule = [](const char* quality, const char* name) {
      return MetadataPolicyRule{
          .policy_predicate = {.annotation_selector =
                                   LabelSelector{.match_labels = {{qos, quality}}}},
          .policy_action = {.updated_annotations = {{scheduler, name}}}};
    };
    return Policies{
        example({rule("Guaranteed", "latency-scheduler"), rule("BestEffort", "batch-scheduler")})};
  }();
  return policies;
}

ResourceList resources(const char* cpu, const char* memory) {
  ResourceList list;
  const std::pair<const char*, std::string> asked[] = {{"cpu", cpu}, {"memory", memory}};
  for (const auto& [name, text] : asked) {
    if (text.empty()) continue;
    const auto quantity = Quantity::parse(text);
    REQUIRE(quantity);
    list[name] = *quantity;
  }
  return list;
}

TEST_CASE("pods go to the scheduler of their quality of service, from requests to schedulerName") {
  struct Case {
    const char* name;
    std::vector<Container> containers;
    const char* quality;
    const char* scheduler_name;
  };
  const Case cases[] = {
      {"nothing is requested", {{.name = "main"}}, "BestEffort", "batch-scheduler"},
      {"no containers", {}, "BestEffort", "batch-scheduler"},
      {"zero is nothing",
       {{.name = "main", .resources = {.requests = resources("0", "0")}}},
       "BestEffort",
       "batch-scheduler"},
      {"requests are the limits",
       {{.name = "main",
         .resources = {.requests = resources("500m", "1Gi"), .limits = resources("0.5", "1Gi")}}},
       "Guaranteed",
       "latency-scheduler"},
      {"requests are below the limits",
       {{.name = "main",
         .resources = {.requests = resources("500m", "1Gi"), .limits = resources("1", "1Gi")}}},
       "Burstable",
       ""},
      {"requests without limits",
       {{.name = "main", .resources = {.requests = resources("500m", "")}}},
       "Burstable",
       ""},
      {"one of two containers has no limits",
       {{.name = "main",
         .resources = {.requests = resources("1", "1Gi"), .limits = resources("1", "1Gi")}},
        {.name = "sidecar"}},
       "Burstable",
       ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = {.metadata = object({}), .spec = {.containers = c.containers}};
    const SchedulerChoice choice = choose_scheduler(pod, schedulers());
    CHECK(choice.allowed);
    CHECK(choice.pod.metadata.annotations.at(qos) == c.quality);
    CHECK(choice.pod.spec.scheduler_name == c.scheduler_name);
    const Labels& annotations = choice.pod.metadata.annotations;
    CHECK(annotations.contains(scheduler) == (*c.scheduler_name != '\0'));
    const Pod chosen = {.metadata = admit(annotate_qos(pod).metadata, schedulers()).metadata,
                        .spec = {.scheduler_name = c.scheduler_name, .containers = c.containers}};
    CHECK(choice.pod == chosen);
    CHECK(admit(pod, schedulers()).pod == choice.pod);
  }
}

TEST_CASE("a user cannot get a scheduler by claiming a quality of service") {
  const Pod pod = {.metadata = object({}, {{qos, "Guaranteed"}})};
  const SchedulerChoice choice = choose_scheduler(pod, schedulers());
  CHECK(choice.pod.metadata.annotations.at(qos) == "BestEffort");
  CHECK(choice.pod.spec.scheduler_name == "batch-scheduler");
}

TEST_CASE("a policy can also keep pods of a quality of service out of a namespace") {
  const Policies no_best_effort = {
      example({{.policy_predicate = {.annotation_selector =
                                         LabelSelector{.match_labels = {{qos, "BestEffort"}}}},
                .policy_action = {.reject = true}}})};
  const Pod pod = {.metadata = object({})};
  const Admission admission = admit(pod, no_best_effort);
  CHECK_FALSE(admission.allowed);
  CHECK(admission.pod == pod);
  REQUIRE(admission.violations.size() == 1);
  CHECK(message(admission.violations[0]) == "`metadata`: rejected by rule `0` of `example`");
}

}  // namespace proposal_test
}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
