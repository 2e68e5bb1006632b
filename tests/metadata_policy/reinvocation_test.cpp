// SPDX-License-Identifier: Apache-2.0
#include <schedpol/metadata_policy/reinvocation.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <string>
#include <vector>

namespace reinvocation_test {

using namespace schedpol;
using metadata_policy::compile;
using metadata_policy::CompiledPolicies;
using metadata_policy::MetadataAdmission;
using metadata_policy::MetadataPolicy;
using metadata_policy::MetadataPolicyRule;
using metadata_policy::readmit;
using metadata_policy::readmit_update;

LabelSelector present(std::string key) {
  return {
      .match_expressions = {{.key = std::move(key), .operator_ = LabelSelectorOperator::exists}}};
}
LabelSelector absent(std::string key) {
  return {.match_expressions = {
              {.key = std::move(key), .operator_ = LabelSelectorOperator::does_not_exist}}};
}

MetadataPolicyRule forbid(LabelSelector labels) {
  return {.policy_predicate = {.label_selector = std::move(labels)},
          .policy_action = {.reject = true}};
}
MetadataPolicyRule add(LabelSelector where, Labels labels) {
  return {.policy_predicate = {.label_selector = std::move(where)},
          .policy_action = {.updated_labels = std::move(labels)}};
}

CompiledPolicies policies(std::vector<MetadataPolicyRule> rules) {
  const std::vector<MetadataPolicy> all = {
      {.metadata = {.name = "m", .namespace_ = "n"}, .spec = {.rules = std::move(rules)}}};
  return *compile(all);
}

ObjectMeta object(Labels labels) {
  return {.name = "o", .namespace_ = "n", .labels = std::move(labels)};
}

TEST_CASE("what the rules wrote is not held against an object, what somebody else wrote is") {
  // Labels that only the policy itself may set, and one that it does not insist on.
  MetadataPolicyRule writes_nothing = forbid(present("debug"));
  writes_nothing.policy_action.updated_labels = {{"seen", "yes"}};
  const CompiledPolicies only_by_policy =
      policies({forbid(present("tier")), forbid(present("zone")),
                add(absent("tier"), {{"tier", "web"}, {"zone", "a"}}),
                add(absent("color"), {{"color", "red"}}), add(present("special"), {{"size", "xl"}}),
                forbid(present("size")), writes_nothing});
  struct Case {
    std::string_view name;
    Labels labels;
    bool allowed;
    Labels becomes;
  };
  const Case cases[] = {
      {"an object without the labels gets them",
       {},
       true,
       {{"tier", "web"}, {"zone", "a"}, {"color", "red"}}},
      {"with them, it is what the rules make",
       {{"tier", "web"}, {"zone", "a"}, {"color", "red"}},
       true,
       {{"tier", "web"}, {"zone", "a"}, {"color", "red"}}},
      {"another value is somebody else's", {{"tier", "db"}}, false, {{"tier", "db"}}},
      {"what another webhook adds besides is no matter, though a rule that rejects lists it",
       {{"tier", "web"}, {"zone", "a"}, {"color", "red"}, {"seen", "yes"}},
       true,
       {{"tier", "web"}, {"zone", "a"}, {"color", "red"}, {"seen", "yes"}}},
      {"nor is another value of what the rules only default",
       {{"tier", "web"}, {"zone", "a"}, {"color", "blue"}},
       true,
       {{"tier", "web"}, {"zone", "a"}, {"color", "blue"}}},
      {"what the rules write to other objects is somebody else's in this one",
       {{"size", "xl"}},
       false,
       {{"size", "xl"}}},
  };
  for (const Case& each : cases) {
    CAPTURE(each.name);
    const MetadataAdmission admission = readmit(object(each.labels), only_by_policy);
    CHECK(admission.allowed == each.allowed);
    CHECK(admission.metadata == object(each.becomes));
    CHECK(admission.changes.empty() == (each.labels == each.becomes));
    CHECK(admission.rejected_by.empty() == each.allowed);
  }
}

TEST_CASE("what another webhook added is judged by every rule") {
  const CompiledPolicies rules =
      policies({add(absent("tier"), {{"tier", "web"}}), forbid(present("debug"))});
  CHECK(readmit(object({{"tier", "web"}}), rules).allowed);
  const MetadataAdmission admission = readmit(object({{"tier", "web"}, {"debug", "1"}}), rules);
  CHECK(!admission.allowed);
  CHECK(admission.rejected_by == std::vector<metadata_policy::RuleName>{{"m", 1}});
  CHECK(admission.metadata == object({{"tier", "web"}, {"debug", "1"}}));
}

TEST_CASE("annotations that the rules wrote are not held against an object either") {
  const LabelSelector has_tier = present("tier"), has_zone = present("zone");
  const CompiledPolicies rules = policies(
      {{.policy_predicate = {.annotation_selector = has_tier}, .policy_action = {.reject = true}},
       {.policy_predicate = {.annotation_selector = has_zone}, .policy_action = {.reject = true}},
       {.policy_predicate = {.annotation_selector = absent("tier")},
        .policy_action = {.updated_annotations = {{"tier", "web"}, {"zone", "a"}}}}});
  ObjectMeta made = object({});
  made.annotations = {{"tier", "web"}, {"zone", "a"}};
  CHECK(readmit(object({}), rules).metadata == made);
  CHECK(readmit(made, rules).allowed);
  ObjectMeta written = object({});
  written.annotations = {{"tier", "db"}};
  CHECK(!readmit(written, rules).allowed);
}

TEST_CASE("a conflict is reported where the rules write, and not when they are asked again") {
  const CompiledPolicies rules =
      policies({add(absent("tier"), {{"tier", "db"}}), add(absent("tier"), {{"tier", "web"}})});
  const MetadataAdmission once = readmit(object({}), rules);
  CHECK(once.conflicts.size() == 1);
  CHECK(readmit(once.metadata, rules).conflicts.empty());
}

TEST_CASE("a rule is not set off by what another rule wrote") {
  const CompiledPolicies rules =
      policies({add(absent("a"), {{"a", "1"}}), add(present("a"), {{"b", "1"}})});
  const MetadataAdmission once = readmit(object({}), rules);
  CHECK(once.metadata == object({{"a", "1"}}));
  const MetadataAdmission again = readmit(once.metadata, rules);
  CHECK(again.allowed);
  CHECK(again.metadata == once.metadata);
  // Somebody who writes the label himself gets the other one.
  CHECK(readmit(object({{"a", "2"}}), rules).metadata == object({{"a", "2"}, {"b", "1"}}));
}

TEST_CASE("rules of other namespaces and of policies that are gone wrote nothing") {
  const MetadataPolicy policy{
      .metadata = {.name = "m", .namespace_ = "n"},
      .spec = {.rules = {add(absent("tier"), {{"tier", "web"}}), forbid(present("tier"))}}};
  const MetadataPolicy rejecting{.metadata = {.name = "r", .namespace_ = "n"},
                                 .spec = {.rules = {forbid(present("tier"))}}};
  MetadataPolicy elsewhere = policy;
  elsewhere.metadata.namespace_ = "other";
  const std::vector<MetadataPolicy> here = {policy, rejecting};
  const std::vector<MetadataPolicy> there = {elsewhere, rejecting};
  CHECK(readmit(object({{"tier", "web"}}), *compile(here)).allowed);
  CHECK(!readmit(object({{"tier", "web"}}), *compile(there)).allowed);
  const std::vector<MetadataPolicy> gone = {policy};
  CHECK(!readmit(object({{"tier", "web"}}), (*compile(here)).without(gone)).allowed);
  // Of two rules that write one pair the other one is still there.
  MetadataPolicy twin = policy;
  twin.metadata.name = "twin";
  const std::vector<MetadataPolicy> both = {policy, twin};
  CHECK(readmit(object({{"tier", "web"}}), (*compile(both)).without(gone)).allowed);
  // What only one that is gone wrote is somebody else's.
  const MetadataPolicy other{.metadata = {.name = "other", .namespace_ = "n"},
                             .spec = {.rules = {add(absent("zone"), {{"zone", "a"}})}}};
  const std::vector<MetadataPolicy> with_other = {policy, other};
  const std::vector<MetadataPolicy> other_gone = {other};
  CHECK(
      readmit(object({{"tier", "web"}, {"zone", "a"}}), (*compile(with_other)).without(other_gone))
          .allowed);
}

TEST_CASE("an update is changed again, and rejected by rules that did not match the old object") {
  const CompiledPolicies rules =
      policies({add(absent("tier"), {{"tier", "web"}}), forbid(present("debug"))});
  // `kubectl label TYPE NAME tier-`
  const MetadataAdmission restored =
      readmit_update(Old(object({{"tier", "web"}})), object({}), rules);
  CHECK(restored.allowed);
  CHECK(restored.metadata == object({{"tier", "web"}}));
  const Labels debug = {{"tier", "web"}, {"debug", "1"}};
  CHECK(!readmit_update(Old(object({{"tier", "web"}})), object(debug), rules).allowed);
  const MetadataAdmission had = readmit_update(Old(object(debug)), object({{"debug", "2"}}), rules);
  CHECK(had.allowed);
  CHECK(had.metadata == object({{"debug", "2"}}));
  CHECK(had.changes.empty());
}

TEST_CASE("an object that is being deleted is left alone") {
  const CompiledPolicies rules =
      policies({add(absent("tier"), {{"tier", "web"}}), forbid(present("debug"))});
  ObjectMeta going = object({{"debug", "1"}});
  going.deletion_timestamp = "2026-01-01T00:00:00Z";
  CHECK(readmit(going, rules).allowed);
  CHECK(readmit_update(Old(object({})), going, rules).metadata == going);
  const Pod pod{.metadata = going};
  CHECK(readmit(pod, rules).allowed);
  CHECK(readmit(pod, rules).pod == pod);
}

TEST_CASE("a pod keeps its scheduler on an update, a pod template is given one") {
  const CompiledPolicies rules = policies(
      {{.policy_action = {.updated_annotations = {{"scheduler.alpha.kubernetes.io/name", "x"}}}}});
  for (const PodKind kind : pod_kinds) {
    CAPTURE(to_string(kind));
    const Pod pod{.kind = kind, .metadata = object({})};
    const Admission created = readmit(pod, rules);
    REQUIRE(created.allowed);
    CHECK(created.pod.spec.scheduler_name == "x");
    CHECK(created.pod.metadata.annotations.size() == 2);
    CHECK(readmit(created.pod, rules).changes.empty());
    const Admission updated = readmit_update(Old(pod), pod, rules);
    REQUIRE(updated.allowed);
    CHECK(updated.pod.metadata == created.pod.metadata);
    CHECK(updated.pod.spec.scheduler_name == (kind == PodKind::pod ? "" : "x"));
  }
}

TEST_CASE("a pod says its quality of service only where a rule of its namespace uses it") {
  constexpr auto key = "scheduler.alpha.kubernetes.io/qos";
  const LabelSelector anything{.match_labels = {{key, "Guaranteed"}}};
  const LabelSelector expression{
      .match_expressions = {{.key = key, .operator_ = LabelSelectorOperator::exists}}};
  const Labels scheduler = {{"scheduler.alpha.kubernetes.io/name", "x"}};
  struct Case {
    std::string_view what;
    MetadataPolicyRule rule;
    std::string in;
    bool says;
  };
  const Case cases[] = {
      {"a label", add(absent("tier"), {{"tier", "web"}}), "n", false},
      {"selects by it",
       {.policy_predicate = {.annotation_selector = anything}, .policy_action = {.reject = true}},
       "n",
       true},
      {"selects by its presence",
       {.policy_predicate = {.annotation_selector = expression}},
       "n",
       true},
      {"selects by it in another namespace",
       {.policy_predicate = {.annotation_selector = anything}},
       "other",
       false},
      {"writes the scheduler", {.policy_action = {.updated_annotations = scheduler}}, "n", true},
      {"rejects, and lists a scheduler",
       {.policy_predicate = {.label_selector = present("debug")},
        .policy_action = {.reject = true, .updated_annotations = scheduler}},
       "n",
       false},
      {"selects labels of that name", forbid(present(key)), "n", false},
      {"selects by another annotation",
       {.policy_predicate = {.annotation_selector = present("note")}},
       "n",
       false},
  };
  for (const Case& each : cases) {
    CAPTURE(each.what);
    const std::vector<MetadataPolicy> all = {
        {.metadata = {.name = "m", .namespace_ = each.in}, .spec = {.rules = {each.rule}}}};
    const CompiledPolicies rules = *compile(all);
    for (const PodKind kind : pod_kinds) {
      const Pod pod{.kind = kind, .metadata = object({})};
      CHECK(readmit(pod, rules).pod.metadata.annotations.contains(key) == each.says);
      CHECK(readmit_update(Old(pod), pod, rules).pod.metadata.annotations.contains(key) ==
            each.says);
      using metadata_policy::QosAnnotation;
      CHECK(readmit(pod, rules, QosAnnotation::always).pod.metadata.annotations.contains(key));
      CHECK(readmit_update(Old(pod), pod, rules, QosAnnotation::always)
                .pod.metadata.annotations.contains(key));
    }
    // What a user wrote there is nobody's business where nothing selects by it.
    Pod claims{.metadata = object({})};
    claims.metadata.annotations = {{key, "Guaranteed"}};
    const Admission claimed = readmit(claims, rules);
    CHECK((claimed.pod.metadata.annotations.at(key) == "Guaranteed") != each.says);
    // Where the policy is gone nothing is left of it.
    CHECK(!readmit(Pod{.metadata = object({})}, rules.without(all))
               .pod.metadata.annotations.contains(key));
  }
}

TEST_CASE("of two rules that use the quality of service one is left when the other goes") {
  const MetadataPolicyRule rule{
      .policy_action = {.updated_annotations = {{"scheduler.alpha.kubernetes.io/name", "x"}}}};
  const auto policy = [&](std::string name) {
    return MetadataPolicy{.metadata = {.name = std::move(name), .namespace_ = "n"},
                          .spec = {.rules = {rule}}};
  };
  const std::vector<MetadataPolicy> both = {policy("a"), policy("b")};
  const std::vector<MetadataPolicy> first = {policy("a")};
  const CompiledPolicies two = *compile(both);
  const CompiledPolicies one = two.without(first);
  const Pod pod{.metadata = object({})};
  CHECK(readmit(pod, one).pod.metadata.annotations.size() == 2);
  CHECK(readmit(pod, one.without(both)).pod.metadata.annotations.empty());
}

TEST_CASE("rules that were never compiled reject") {
  const ObjectMeta metadata = object({{"tier", "web"}});
  CHECK(!readmit(metadata, CompiledPolicies()).allowed);
  CHECK(!readmit_update(Old(metadata), metadata, CompiledPolicies()).allowed);
}

}  // namespace reinvocation_test
