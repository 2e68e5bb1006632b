// SPDX-License-Identifier: Apache-2.0
#include <schedpol/metadata_policy/metadata_policy.hpp>

#include "../support/print.hpp"

#include "../support/print_systems.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::metadata_policy {
namespace {

static_assert(std::is_aggregate_v<PolicyPredicate>);
static_assert(std::is_aggregate_v<PolicyAction>);
static_assert(std::is_aggregate_v<MetadataPolicyRule>);
static_assert(std::is_aggregate_v<MetadataPolicySpec>);
static_assert(std::is_aggregate_v<MetadataPolicy>);
static_assert(std::is_aggregate_v<RuleName>);
static_assert(std::is_aggregate_v<Write>);
static_assert(std::is_aggregate_v<Conflict>);
static_assert(std::is_aggregate_v<MetadataAdmission>);
static_assert(std::is_aggregate_v<SchedulerChoice>);
static_assert(std::is_nothrow_move_constructible_v<MetadataPolicy>);
static_assert(std::is_nothrow_move_constructible_v<Rules>);
static_assert(std::is_nothrow_default_constructible_v<Rules>);
static_assert(std::equality_comparable<MetadataPolicy>);
static_assert(std::equality_comparable<MetadataAdmission>);
static_assert(std::equality_comparable<SchedulerChoice>);
static_assert(qos_annotation == "scheduler.alpha.kubernetes.io/qos");
static_assert(scheduler_name_annotation == "scheduler.alpha.kubernetes.io/name");

using List = std::vector<std::string>;
using Policies = std::vector<MetadataPolicy>;
using RuleList = std::vector<MetadataPolicyRule>;
using Changes = std::vector<Change>;
using Names = std::vector<RuleName>;

constexpr auto none = std::nullopt;
constexpr auto in = LabelSelectorOperator::in;
constexpr auto not_in = LabelSelectorOperator::not_in;
constexpr auto exists = LabelSelectorOperator::exists;
constexpr auto does_not_exist = LabelSelectorOperator::does_not_exist;

const std::string qos(qos_annotation);
const std::string scheduler(scheduler_name_annotation);

LabelSelector equal(std::string key, std::string value) {
  return {.match_labels = {{std::move(key), std::move(value)}}};
}
LabelSelector where(std::string key, OpenEnum<LabelSelectorOperator> op, List values = {}) {
  return {.match_expressions = {{std::move(key), std::move(op), std::move(values)}}};
}

MetadataPolicy policy(std::string name, RuleList rules, std::string namespace_ = "team-a") {
  return {.metadata = {.name = std::move(name), .namespace_ = std::move(namespace_)},
          .spec = {.rules = std::move(rules)}};
}

MetadataPolicyRule sets_label(std::string key, std::string value, PolicyPredicate predicate = {}) {
  return {.policy_predicate = std::move(predicate),
          .policy_action = {.updated_labels = {{std::move(key), std::move(value)}}}};
}
MetadataPolicyRule sets_annotation(std::string key, std::string value,
                                   PolicyPredicate predicate = {}) {
  return {.policy_predicate = std::move(predicate),
          .policy_action = {.updated_annotations = {{std::move(key), std::move(value)}}}};
}
MetadataPolicyRule rejects(PolicyPredicate predicate = {}) {
  return {.policy_predicate = std::move(predicate), .policy_action = {.reject = true}};
}

ObjectMeta object(Labels labels = {}, Labels annotations = {}) {
  return {.name = "web",
          .namespace_ = "team-a",
          .labels = std::move(labels),
          .annotations = std::move(annotations)};
}

/// Types and fields.
List reasons(const std::vector<FieldError>& errors) {
  List list;
  for (const FieldError& error : errors)
    list.push_back(std::string(to_string(error.type)) + " " + error.field);
  return list;
}

ResourceRequirements resources(const char* requests, const char* limits) {
  const auto both = [](const char* text) {
    ResourceList list;
    if (*text == '\0') return list;
    const auto quantity = Quantity::parse(text);
    REQUIRE(quantity);
    list["cpu"] = *quantity;
    list["memory"] = *quantity;
    return list;
  };
  return {.requests = both(requests), .limits = both(limits)};
}

/// A pod of one container that requests and is limited to so much cpu and memory.
Pod pod_with(const char* requests, const char* limits, Labels annotations = {}) {
  return {.metadata = object({}, std::move(annotations)),
          .spec = {.containers = {{.name = "main", .resources = resources(requests, limits)}}}};
}

// ---- Predicates

TEST_CASE("a rule matches when both its selectors do, an absent one is no criterion") {
  const LabelSelector everything = {};
  const ObjectMeta metadata = object({{"app", "web"}}, {{"note", "two words, \"free\" text"}});
  struct Case {
    const char* name;
    PolicyPredicate predicate;
    bool matches;
  };
  const Case cases[] = {
      {"no selectors", {}, true},
      {"an empty label selector", {.label_selector = everything}, true},
      {"an empty annotation selector", {.annotation_selector = everything}, true},
      {"a label", {.label_selector = equal("app", "web")}, true},
      {"another value", {.label_selector = equal("app", "db")}, false},
      {"an annotation is no label", {.label_selector = where("note", exists)}, false},
      {"a label is no annotation", {.annotation_selector = where("app", exists)}, false},
      {"Exists", {.label_selector = where("app", exists)}, true},
      {"DoesNotExist", {.label_selector = where("app", does_not_exist)}, false},
      {"DoesNotExist, missing", {.label_selector = where("tier", does_not_exist)}, true},
      {"In", {.label_selector = where("app", in, {"db", "web"})}, true},
      {"NotIn", {.label_selector = where("app", not_in, {"db", "web"})}, false},
      {"NotIn, missing", {.label_selector = where("tier", not_in, {"db"})}, true},
      {"the values of annotations are free text",
       {.annotation_selector = equal("note", "two words, \"free\" text")},
       true},
      {"other free text", {.annotation_selector = equal("note", "two words")}, false},
      {"free text in In",
       {.annotation_selector = where("note", in, {"", "two words, \"free\" text"})},
       true},
      {"both match",
       {.label_selector = equal("app", "web"), .annotation_selector = where("note", exists)},
       true},
      {"only the labels match",
       {.label_selector = equal("app", "web"), .annotation_selector = equal("note", "")},
       false},
      {"only the annotations match",
       {.label_selector = equal("app", "db"), .annotation_selector = where("note", exists)},
       false},
      {"neither matches",
       {.label_selector = equal("app", "db"), .annotation_selector = equal("note", "")},
       false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const MetadataAdmission updated =
        admit(metadata, Policies{policy("p", {sets_label("seen", "true", c.predicate)})});
    CHECK(updated.allowed);
    CHECK(updated.metadata.labels ==
          (c.matches ? Labels{{"app", "web"}, {"seen", "true"}} : Labels{{"app", "web"}}));
    const MetadataAdmission rejected =
        admit(metadata, Policies{policy("p", {rejects(c.predicate)})});
    CHECK(rejected.allowed == !c.matches);
    CHECK(rejected.rejected_by == (c.matches ? Names{{"p", 0}} : Names{}));
  }
}

TEST_CASE("without policies, rules or actions an object stays as it came") {
  const ObjectMeta metadata = object({{"app", "web"}}, {{"note", "x"}});
  const MetadataAdmission unchanged = {.allowed = true, .metadata = metadata};
  CHECK(admit(metadata, Policies{}) == unchanged);
  CHECK(admit(metadata, Policies{policy("p", {})}) == unchanged);
  CHECK(admit(metadata, Policies{policy("p", {{}, {}})}) == unchanged);
  CHECK(Rules().admit(metadata) == unchanged);
  CHECK_FALSE(MetadataAdmission{}.allowed);
  CHECK_FALSE(SchedulerChoice{}.allowed);
}

TEST_CASE("the policies of other namespaces do not count") {
  struct Case {
    const char* name;
    const char* policy;
    const char* object;
    bool counts;
  };
  const Case cases[] = {
      {"the same", "team-a", "team-a", true},
      {"another", "team-b", "team-a", false},
      {"another case", "Team-a", "team-a", false},
      {"a policy without a namespace", "", "team-a", false},
      {"an object without a namespace", "team-a", "", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    ObjectMeta metadata = object();
    metadata.namespace_ = c.object;
    CHECK(admit(metadata, Policies{policy("p", {rejects()}, c.policy)}).allowed == !c.counts);
    const auto updated = admit(metadata, Policies{policy("p", {sets_label("a", "b")}, c.policy)});
    CHECK(updated.changes.size() == (c.counts ? 1 : 0));
  }
  const Policies both = {policy("p", {sets_label("a", "ours")}),
                         policy("p", {sets_label("a", "theirs")}, "team-b")};
  const MetadataAdmission admission = admit(object(), both);
  CHECK(admission.metadata.labels == Labels{{"a", "ours"}});
  CHECK(admission.conflicts == std::vector<Conflict>{});
}

TEST_CASE("predicates see the object as it came") {
  const PolicyPredicate unset = {.label_selector = where("stage", does_not_exist)};
  const PolicyPredicate is_one = {.label_selector = equal("stage", "one")};
  const PolicyPredicate noted = {.annotation_selector = where("note", exists)};
  struct Case {
    const char* name;
    Policies policies;
    Labels labels;
  };
  const Case cases[] = {
      {"a later rule does not see what an earlier wrote",
       {policy("p", {sets_label("stage", "one", unset), sets_label("stage", "two", is_one)})},
       {{"stage", "one"}}},
      {"nor a rule of a later policy",
       {policy("a", {sets_label("stage", "one")}), policy("b", {sets_label("seen", "1", is_one)})},
       {{"stage", "one"}}},
      {"nor across labels and annotations",
       {policy("p", {sets_annotation("note", "x"), sets_label("seen", "1", noted)})},
       {}},
      {"what was missing stays missing for all rules",
       {policy("p", {sets_label("stage", "one"), sets_label("was", "unset", unset)})},
       {{"stage", "one"}, {"was", "unset"}}},
      {"a rule that rejects does not either",
       {policy("p", {sets_label("stage", "one"), rejects(is_one)})},
       {{"stage", "one"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const MetadataAdmission admission = admit(object(), c.policies);
    CHECK(admission.allowed);
    CHECK(admission.metadata.labels == c.labels);
  }
}

// ---- Rejection

TEST_CASE("when any matching rule rejects, the object is rejected and every such rule is named") {
  const PolicyPredicate web = {.label_selector = equal("app", "web")};
  const PolicyPredicate db = {.label_selector = equal("app", "db")};
  MetadataPolicyRule rejects_and_updates = sets_label("a", "b");
  rejects_and_updates.policy_action.reject = true;
  struct Case {
    const char* name;
    Policies policies;
    Names rejected_by;
  };
  const Case cases[] = {
      {"one rule", {policy("p", {rejects()})}, {{"p", 0}}},
      {"one that does not match", {policy("p", {rejects(db)})}, {}},
      {"before an update", {policy("p", {rejects(web), sets_label("a", "b")})}, {{"p", 0}}},
      {"after an update", {policy("p", {sets_label("a", "b"), rejects(web)})}, {{"p", 1}}},
      {"among others",
       {policy("p", {rejects(db), rejects(web), sets_label("a", "b"), rejects()})},
       {{"p", 1}, {"p", 3}}},
      {"of another policy than the updates",
       {policy("a", {sets_label("a", "b")}), policy("b", {rejects()})},
       {{"b", 0}}},
      {"of several policies, in the order of their names",
       {policy("c", {rejects()}), policy("a", {rejects(db), rejects()}), policy("B", {rejects()})},
       {{"B", 0}, {"a", 1}, {"c", 0}}},
      {"a rule that rejects updates nothing", {policy("p", {rejects_and_updates})}, {{"p", 0}}},
      {"updates that disagree are no conflict then",
       {policy("p", {sets_label("a", "b"), sets_label("a", "c"), rejects()})},
       {{"p", 2}}},
  };
  const ObjectMeta metadata = object({{"app", "web"}}, {{"note", "x"}});
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const bool rejected = !c.rejected_by.empty();
    CHECK(admit(metadata, c.policies) == MetadataAdmission{.allowed = !rejected,
                                                           .metadata = metadata,
                                                           .rejected_by = c.rejected_by});
  }
}

// ---- Updates

TEST_CASE("all matching rules apply, in the order of policy name and rule index") {
  RuleList eleven;
  for (char c = 'a'; c <= 'k'; ++c) eleven.push_back(sets_label("x", std::string(1, c)));
  struct Case {
    const char* name;
    Policies policies;
    const char* last;
    Names order;
  };
  const Case cases[] = {
      {"of one policy, the later rule",
       {policy("p", {sets_label("x", "1"), sets_label("x", "2")})},
       "2",
       {{"p", 0}, {"p", 1}}},
      {"of two, that of the later name",
       {policy("b", {sets_label("x", "2")}), policy("a", {sets_label("x", "1")})},
       "2",
       {{"a", 0}, {"b", 0}}},
      {"the name comes before the index",
       {policy("b", {sets_label("x", "3")}),
        policy("a", {sets_label("x", "1"), sets_label("x", "2")})},
       "3",
       {{"a", 0}, {"a", 1}, {"b", 0}}},
      {"names in byte order",
       {policy("a", {sets_label("x", "2")}), policy("B", {sets_label("x", "1")}),
        policy("a-1", {sets_label("x", "3")})},
       "3",
       {{"B", 0}, {"a", 0}, {"a-1", 0}}},
      {"indexes are numbers",
       {policy("p", eleven)},
       "k",
       {{"p", 0},
        {"p", 1},
        {"p", 2},
        {"p", 3},
        {"p", 4},
        {"p", 5},
        {"p", 6},
        {"p", 7},
        {"p", 8},
        {"p", 9},
        {"p", 10}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const MetadataAdmission admission = admit(object(), c.policies);
    CHECK(admission.allowed);
    CHECK(admission.metadata.labels == Labels{{"x", c.last}});
    CHECK(admission.changes ==
          Changes{{"metadata.labels[x]", none, c.last, c.order.back().policy}});
    REQUIRE(admission.conflicts.size() == 1);
    Names order;
    for (const Write& write : admission.conflicts[0].writes) order.push_back(write.by);
    CHECK(order == c.order);
  }
}

TEST_CASE("labels and annotations are added or updated, and every change names its policy") {
  struct Case {
    const char* name;
    RuleList rules;
    Labels labels;
    Labels annotations;
    Changes changes;
  };
  const Case cases[] = {
      {"a label is added",
       {sets_label("tier", "front")},
       {{"app", "web"}, {"tier", "front"}},
       {{"note", "x"}},
       {{"metadata.labels[tier]", none, "front", "p"}}},
      {"a label is updated",
       {sets_label("app", "api")},
       {{"app", "api"}},
       {{"note", "x"}},
       {{"metadata.labels[app]", "web", "api", "p"}}},
      {"a label gets an empty value",
       {sets_label("app", "")},
       {{"app", ""}},
       {{"note", "x"}},
       {{"metadata.labels[app]", "web", "", "p"}}},
      {"the value that is there is no change",
       {sets_label("app", "web"), sets_annotation("note", "x")},
       {{"app", "web"}},
       {{"note", "x"}},
       {}},
      {"an annotation of a label's key",
       {sets_annotation("app", "two words")},
       {{"app", "web"}},
       {{"app", "two words"}, {"note", "x"}},
       {{"metadata.annotations[app]", none, "two words", "p"}}},
      {"labels come before annotations, keys in byte order",
       {sets_annotation("b", "1"), sets_annotation("a", "2"), sets_label("d", "3"),
        sets_label("c", "4")},
       {{"app", "web"}, {"c", "4"}, {"d", "3"}},
       {{"a", "2"}, {"b", "1"}, {"note", "x"}},
       {{"metadata.labels[c]", none, "4", "p"},
        {"metadata.labels[d]", none, "3", "p"},
        {"metadata.annotations[a]", none, "2", "p"},
        {"metadata.annotations[b]", none, "1", "p"}}},
      {"a rule may write many",
       {{.policy_action = {.updated_labels = {{"a", "1"}, {"b", "2"}},
                           .updated_annotations = {{"a", "3"}}}}},
       {{"a", "1"}, {"app", "web"}, {"b", "2"}},
       {{"a", "3"}, {"note", "x"}},
       {{"metadata.labels[a]", none, "1", "p"},
        {"metadata.labels[b]", none, "2", "p"},
        {"metadata.annotations[a]", none, "3", "p"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const MetadataAdmission admission =
        admit(object({{"app", "web"}}, {{"note", "x"}}), Policies{policy("p", c.rules)});
    CHECK(admission == MetadataAdmission{.allowed = true,
                                         .metadata = object(c.labels, c.annotations),
                                         .changes = c.changes});
  }
}

TEST_CASE("writes that disagree are reported as conflicts, the last one counts") {
  struct Case {
    const char* name;
    Policies policies;
    Labels labels;
    std::vector<Conflict> conflicts;
    Changes changes;
  };
  const Case cases[] = {
      {"the same value twice",
       {policy("a", {sets_label("x", "1")}), policy("b", {sets_label("x", "1")})},
       {{"old", "0"}, {"x", "1"}},
       {},
       {{"metadata.labels[x]", none, "1", "b"}}},
      {"two values",
       {policy("b", {sets_label("x", "1")}), policy("a", {sets_label("x", "2")})},
       {{"old", "0"}, {"x", "1"}},
       {{"metadata.labels[x]", {{{"a", 0}, "2"}, {{"b", 0}, "1"}}}},
       {{"metadata.labels[x]", none, "1", "b"}}},
      {"first and last agree",
       {policy("p", {sets_label("x", "1"), sets_label("x", "2"), sets_label("x", "1")})},
       {{"old", "0"}, {"x", "1"}},
       {{"metadata.labels[x]", {{{"p", 0}, "1"}, {{"p", 1}, "2"}, {{"p", 2}, "1"}}}},
       {{"metadata.labels[x]", none, "1", "p"}}},
      {"the last write is what was there",
       {policy("p", {sets_label("old", "1"), sets_label("old", "0")})},
       {{"old", "0"}},
       {{"metadata.labels[old]", {{{"p", 0}, "1"}, {{"p", 1}, "0"}}}},
       {}},
      {"overwriting the object is no conflict",
       {policy("p", {sets_label("old", "1")})},
       {{"old", "1"}},
       {},
       {{"metadata.labels[old]", "0", "1", "p"}}},
      {"only what matches writes",
       {policy("p", {sets_label("x", "1"),
                     sets_label("x", "2", {.label_selector = where("missing", exists)})})},
       {{"old", "0"}, {"x", "1"}},
       {},
       {{"metadata.labels[x]", none, "1", "p"}}},
      {"two keys",
       {policy("p", {sets_label("y", "1"), sets_label("x", "1"), sets_label("y", "2"),
                     sets_label("x", "2")})},
       {{"old", "0"}, {"x", "2"}, {"y", "2"}},
       {{"metadata.labels[x]", {{{"p", 1}, "1"}, {{"p", 3}, "2"}}},
        {"metadata.labels[y]", {{{"p", 0}, "1"}, {{"p", 2}, "2"}}}},
       {{"metadata.labels[x]", none, "2", "p"}, {"metadata.labels[y]", none, "2", "p"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(admit(object({{"old", "0"}}), c.policies) ==
          MetadataAdmission{.allowed = true,
                            .metadata = object(c.labels),
                            .conflicts = c.conflicts,
                            .changes = c.changes});
  }
  const MetadataAdmission apart =
      admit(object(), Policies{policy("p", {sets_label("x", "1"), sets_annotation("x", "2"),
                                            sets_annotation("x", "3")})});
  CHECK(apart.conflicts ==
        std::vector<Conflict>{{"metadata.annotations[x]", {{{"p", 1}, "2"}, {{"p", 2}, "3"}}}});
}

TEST_CASE("compiled rules decide on any number of objects, with the path of their metadata") {
  const auto rules = compile(Policies{
      policy("p", {sets_label("a", "1"), sets_label("a", "2"),
                   rejects({.label_selector = where("bad", exists)}), sets_annotation("b", "3")})});
  REQUIRE(rules);
  const MetadataAdmission admission = rules->admit(object(), "spec.template.metadata");
  CHECK(admission.changes == Changes{{"spec.template.metadata.labels[a]", none, "2", "p"},
                                     {"spec.template.metadata.annotations[b]", none, "3", "p"}});
  REQUIRE(admission.conflicts.size() == 1);
  CHECK(admission.conflicts[0].field == "spec.template.metadata.labels[a]");
  CHECK(rules->admit(object({{"bad", ""}})).rejected_by == Names{{"p", 2}});
  CHECK(rules->admit(object()).changes.at(0).field == "metadata.labels[a]");
}

// ---- Policies that cannot be used

TEST_CASE("a selector that cannot be used is an error that names its policy") {
  const OpenEnum<LabelSelectorOperator> unknown("Like");
  struct Case {
    const char* name;
    PolicyPredicate predicate;
    List wanted;
  };
  const std::string at = "policies[1].spec.rules[1].policyPredicate";
  const Case cases[] = {
      {"In without values",
       {.label_selector = where("app", in)},
       {"FieldValueRequired " + at + ".labelSelector.matchExpressions[0].values"}},
      {"NotIn without values",
       {.annotation_selector = where("app", not_in)},
       {"FieldValueRequired " + at + ".annotationSelector.matchExpressions[0].values"}},
      {"Exists with values",
       {.annotation_selector = where("app", exists, {"x"})},
       {"FieldValueForbidden " + at + ".annotationSelector.matchExpressions[0].values"}},
      {"an unknown operator",
       {.label_selector = where("app", unknown, {"x"})},
       {"FieldValueNotSupported " + at + ".labelSelector.matchExpressions[0].operator"}},
      {"a malformed key of a label",
       {.label_selector = where("a b", exists)},
       {"FieldValueInvalid " + at + ".labelSelector.matchExpressions[0].key"}},
      {"a malformed key of an annotation",
       {.annotation_selector = where("a b", exists)},
       {"FieldValueInvalid " + at + ".annotationSelector.matchExpressions[0].key"}},
      {"label values are no free text",
       {.label_selector = equal("app", "two words")},
       {"FieldValueInvalid " + at + ".labelSelector.matchLabels[app]"}},
      {"label values are no free text in expressions either",
       {.label_selector = where("app", in, {"web", "two words"})},
       {"FieldValueInvalid " + at + ".labelSelector.matchExpressions[0].values[1]"}},
      {"annotation values are", {.annotation_selector = equal("app", "two words")}, {}},
      {"long annotation values too",
       {.annotation_selector = equal("app", std::string(1000, '-'))},
       {}},
      {"both",
       {.label_selector = where("app", in), .annotation_selector = where("app", in)},
       {"FieldValueRequired " + at + ".labelSelector.matchExpressions[0].values",
        "FieldValueRequired " + at + ".annotationSelector.matchExpressions[0].values"}},
  };
  const ObjectMeta metadata = object({{"app", "web"}});
  for (const Case& c : cases) {
    for (const char* namespace_ : {"team-a", "team-b"}) {
      CAPTURE(c.name);
      const Policies policies = {
          policy("good", {sets_label("a", "b")}),
          policy("broken", {{}, sets_label("a", "c", c.predicate)}, namespace_)};
      const MetadataAdmission admission = admit(metadata, policies);
      CHECK(reasons(admission.errors) == c.wanted);
      CHECK(admission.allowed == c.wanted.empty());
      CHECK(static_cast<bool>(compile(policies)) == c.wanted.empty());
      if (c.wanted.empty()) continue;
      CHECK(admission.metadata == metadata);
      CHECK(admission.changes == Changes{});
      CHECK(admission.rejected_by == Names{});
      CHECK(compile(policies).errors() == admission.errors);
      for (const FieldError& error : admission.errors)
        CHECK(error.detail.find("(in `broken`)") != std::string::npos);
    }
  }
}

TEST_CASE("the broken selectors of all policies are reported") {
  const PolicyPredicate broken = {.label_selector = where("app", in)};
  const auto compiled =
      compile(Policies{policy("b", {rejects(broken), rejects()}), policy("good", {rejects()}),
                       policy("a", {{}, rejects(broken)})});
  const std::string values = ".policyPredicate.labelSelector.matchExpressions[0].values";
  CHECK(reasons(compiled.errors()) ==
        List{"FieldValueRequired policies[0].spec.rules[0]" + values,
             "FieldValueRequired policies[2].spec.rules[1]" + values});
}

TEST_CASE("two policies of one name and namespace are an error") {
  struct Case {
    const char* name;
    Policies policies;
    bool twice;
  };
  const Case cases[] = {
      {"the same one twice", {policy("p", {}), policy("p", {})}, true},
      {"different ones", {policy("p", {{}}), policy("q", {}), policy("p", {})}, true},
      {"of two namespaces", {policy("p", {}), policy("p", {}, "team-b")}, false},
      {"twice in another namespace",
       {policy("p", {}), policy("q", {}, "team-b"), policy("q", {}, "team-b")},
       true},
      {"two names", {policy("p", {}), policy("P", {})}, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const MetadataAdmission admission = admit(object(), c.policies);
    CHECK(reasons(admission.errors) == (c.twice ? List{"FieldValueDuplicate policies"} : List{}));
    CHECK(admission.allowed == !c.twice);
  }
}

// ---- Properties

TEST_CASE("law: the order in which policies are given has no say") {
  constexpr int rounds = 1500;
  std::mt19937 engine(1515);
  const auto below = [&](std::size_t bound) { return engine() % bound; };
  const auto word = [&](const char* letters, std::size_t count) {
    return std::string(1, letters[below(count)]);
  };
  const auto labels = [&] {
    Labels some;
    for (std::size_t i = below(4); i > 0; --i) some[word("abc", 3)] = word("12", 2);
    return some;
  };
  const auto selector = [&]() -> std::optional<LabelSelector> {
    const std::string key = word("abc", 3);
    const std::string value = word("12", 2);
    switch (below(4)) {
      case 0: return none;
      case 1: return where(key, value == "1" ? exists : does_not_exist);
      case 2: return equal(key, value);
      default: return where(key, not_in, {value});
    }
  };
  int rejected = 0;
  int changed = 0;
  int conflicting = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    Policies policies;
    for (const char* name : {"p", "q", "r", "s"}) {
      RuleList rules;
      for (std::size_t i = below(4); i > 0; --i) {
        rules.push_back({.policy_predicate = {selector(), selector()}});
        PolicyAction& action = rules.back().policy_action;
        action.reject = below(12) == 0;
        if (!action.reject) action = {false, labels(), labels()};
      }
      policies.push_back(policy(name, std::move(rules), below(6) == 0 ? "team-b" : "team-a"));
    }
    ObjectMeta metadata = object(labels());
    metadata.annotations = labels();
    const MetadataAdmission admission = admit(metadata, policies);
    REQUIRE(admission.errors.empty());
    REQUIRE(admission.allowed == admission.rejected_by.empty());
    REQUIRE((admission.metadata == metadata) == admission.changes.empty());
    if (!admission.allowed) {
      REQUIRE(admission.changes.empty());
      REQUIRE(admission.conflicts.empty());
    }
    for (const Conflict& conflict : admission.conflicts) {
      const bool is_label = conflict.field.starts_with("metadata.labels[");
      const Labels& map = is_label ? admission.metadata.labels : admission.metadata.annotations;
      REQUIRE(map.at(conflict.field.substr(conflict.field.size() - 2, 1)) ==
              conflict.writes.back().value);
    }
    rejected += admission.allowed ? 0 : 1;
    changed += admission.changes.empty() ? 0 : 1;
    conflicting += admission.conflicts.empty() ? 0 : 1;
    std::vector<std::size_t> order = {0, 1, 2, 3};
    for (std::size_t i = below(24); i > 0; --i) std::next_permutation(order.begin(), order.end());
    Policies reordered;
    for (const std::size_t i : order) reordered.push_back(policies[i]);
    REQUIRE(admit(metadata, reordered) == admission);
  }
  CHECK(rejected >= rounds / 10);
  CHECK(changed >= rounds / 2);
  CHECK(conflicting >= rounds / 5);
}

TEST_CASE("every order of policies gives the same verdict") {
  Policies policies = {policy("a", {sets_label("x", "1"), sets_annotation("n", "1")}),
                       policy("b", {sets_label("x", "2")}),
                       policy("c", {sets_label("x", "2"), sets_label("y", "3")}),
                       policy("d", {rejects({.label_selector = where("bad", exists)})}),
                       policy("e", {rejects({.label_selector = where("bad", exists)})})};
  const MetadataAdmission allowed = admit(object(), policies);
  const MetadataAdmission rejected = admit(object({{"bad", ""}}), policies);
  CHECK(allowed.metadata.labels == Labels{{"x", "2"}, {"y", "3"}});
  CHECK(rejected.rejected_by == Names{{"d", 0}, {"e", 0}});
  std::vector<std::size_t> order = {0, 1, 2, 3, 4};
  int orders = 0;
  do {
    Policies reordered;
    for (const std::size_t i : order) reordered.push_back(policies[i]);
    REQUIRE(admit(object(), reordered) == allowed);
    REQUIRE(admit(object({{"bad", ""}}), reordered) == rejected);
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(orders == 120);
}

// ---- Choosing the scheduler

TEST_CASE("a pod's quality of service is written over what a user wrote there") {
  struct Case {
    const char* name;
    const char* requests;
    const char* limits;
    Labels annotations;
    Labels wanted;
  };
  const Case cases[] = {
      {"nothing requested", "", "", {}, {{qos, "BestEffort"}}},
      {"as much as limited", "1", "1", {}, {{qos, "Guaranteed"}}},
      {"limits of the same value", "1000m", "1", {}, {{qos, "Guaranteed"}}},
      {"less than limited", "1", "2", {}, {{qos, "Burstable"}}},
      {"without limits", "1", "", {}, {{qos, "Burstable"}}},
      {"over what a user wrote", "", "", {{qos, "Guaranteed"}}, {{qos, "BestEffort"}}},
      {"over nonsense", "1", "1", {{qos, "guaranteed"}}, {{qos, "Guaranteed"}}},
      {"beside others", "", "", {{"note", "x"}}, {{"note", "x"}, {qos, "BestEffort"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = pod_with(c.requests, c.limits, c.annotations);
    CHECK(annotate_qos(pod) == pod_with(c.requests, c.limits, c.wanted));
    CHECK(annotate_qos(annotate_qos(pod)) == annotate_qos(pod));
  }
}

TEST_CASE("the scheduler annotation becomes the scheduler name") {
  struct Case {
    const char* name;
    Labels annotations;
    const char* scheduler_name;
    const char* wanted;
  };
  const Case cases[] = {
      {"no annotation", {}, "", ""},
      {"no annotation, a name", {}, "batch", "batch"},
      {"an annotation", {{scheduler, "gold"}}, "", "gold"},
      {"an annotation over a name", {{scheduler, "gold"}}, "batch", "gold"},
      {"an empty annotation names none", {{scheduler, ""}}, "batch", "batch"},
      {"another annotation", {{qos, "gold"}}, "batch", "batch"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Pod pod = {.metadata = object({}, c.annotations), .spec = {.scheduler_name = c.scheduler_name}};
    Pod wanted = pod;
    wanted.spec.scheduler_name = c.wanted;
    CHECK(resolve_scheduler(pod) == wanted);
  }
}

const Policies& by_qos() {
  static const Policies policies = {policy(
      "choose",
      {sets_annotation(scheduler, "gold", {.annotation_selector = equal(qos, "Guaranteed")}),
       sets_annotation(scheduler, "cheap", {.annotation_selector = equal(qos, "BestEffort")})})};
  return policies;
}

TEST_CASE("choosing the scheduler annotates, applies the rules and resolves, with all changes") {
  const std::string at = "metadata.annotations[";
  struct Case {
    const char* name;
    Pod pod;
    const char* scheduler_name;
    Changes changes;
  };
  Pod named = pod_with("1", "1");
  named.spec.scheduler_name = "batch";
  Pod named_gold = named;
  named_gold.spec.scheduler_name = "gold";
  const Case cases[] = {
      {"a rule matches",
       pod_with("1", "1"),
       "gold",
       {{at + qos + "]", none, "Guaranteed", ""},
        {at + scheduler + "]", none, "gold", "choose"},
        {"spec.schedulerName", none, "gold", "choose"}}},
      {"no rule matches", pod_with("1", "2"), "", {{at + qos + "]", none, "Burstable", ""}}},
      {"what the user wrote does not count",
       pod_with("", "", {{qos, "Guaranteed"}}),
       "cheap",
       {{at + qos + "]", "Guaranteed", "BestEffort", ""},
        {at + scheduler + "]", none, "cheap", "choose"},
        {"spec.schedulerName", none, "cheap", "choose"}}},
      {"the quality of service is there already", pod_with("1", "2", {{qos, "Burstable"}}), "", {}},
      {"the pod brings the annotation",
       pod_with("1", "2", {{scheduler, "mine"}}),
       "mine",
       {{at + qos + "]", none, "Burstable", ""}, {"spec.schedulerName", none, "mine", ""}}},
      {"a rule writes over the pod's annotation",
       pod_with("1", "1", {{scheduler, "mine"}}),
       "gold",
       {{at + qos + "]", none, "Guaranteed", ""},
        {at + scheduler + "]", "mine", "gold", "choose"},
        {"spec.schedulerName", none, "gold", "choose"}}},
      {"a rule writes over the pod's scheduler",
       named,
       "gold",
       {{at + qos + "]", none, "Guaranteed", ""},
        {at + scheduler + "]", none, "gold", "choose"},
        {"spec.schedulerName", "batch", "gold", "choose"}}},
      {"the pod names the scheduler that the rule writes",
       named_gold,
       "gold",
       {{at + qos + "]", none, "Guaranteed", ""}, {at + scheduler + "]", none, "gold", "choose"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const SchedulerChoice choice = choose_scheduler(c.pod, by_qos());
    const MetadataAdmission admission = admit(annotate_qos(c.pod).metadata, by_qos());
    Pod wanted = c.pod;
    wanted.metadata = admission.metadata;
    wanted.spec.scheduler_name = c.scheduler_name;
    CHECK(choice == SchedulerChoice{.allowed = true, .pod = wanted, .changes = c.changes});
    CHECK(admit(c.pod, by_qos()) ==
          Admission{.allowed = true,
                    .pod = wanted,
                    .changes = c.changes,
                    .before = c.changes.empty() ? none : std::optional(c.pod)});
    CHECK(choose_scheduler(choice.pod, by_qos()).changes == Changes{});
  }
}

TEST_CASE("of two rules that choose the scheduler the later counts, and the conflict is reported") {
  Policies policies = by_qos();
  policies.push_back(policy("z-last", {sets_annotation(scheduler, "silver")}));
  const SchedulerChoice choice = choose_scheduler(pod_with("1", "1"), policies);
  CHECK(choice.pod.spec.scheduler_name == "silver");
  CHECK(choice.changes.back() == Change{"spec.schedulerName", none, "silver", "z-last"});
  CHECK(choice.conflicts ==
        std::vector<Conflict>{{"metadata.annotations[" + scheduler + "]",
                               {{{"choose", 0}, "gold"}, {{"z-last", 0}, "silver"}}}});
}

TEST_CASE("a rejected pod and one whose policies cannot be used come back as they came") {
  const Pod pod = pod_with("", "", {{qos, "Guaranteed"}, {scheduler, "mine"}});
  Policies rejecting = by_qos();
  rejecting.push_back(
      policy("a", {rejects({.annotation_selector = equal(qos, "Guaranteed")}),
                   rejects({.annotation_selector = equal(qos, "BestEffort")}), rejects()}));
  CHECK(choose_scheduler(pod, rejecting) ==
        SchedulerChoice{.pod = pod, .rejected_by = {{"a", 1}, {"a", 2}}});
  CHECK(admit(pod, rejecting) ==
        Admission{.pod = pod,
                  .violations = {{ViolationCode::rejected_by_rule, "metadata", "1", {"a"}},
                                 {ViolationCode::rejected_by_rule, "metadata", "2", {"a"}}}});

  Policies broken = by_qos();
  broken.push_back(policy("broken", {rejects({.label_selector = where("a", in)})}));
  const SchedulerChoice choice = choose_scheduler(pod, broken);
  CHECK(choice == SchedulerChoice{.pod = pod, .errors = compile(broken).errors()});
  const Admission admission = admit(pod, broken);
  CHECK_FALSE(admission.allowed);
  CHECK(admission.pod == pod);
  CHECK(admission.changes == Changes{});
  REQUIRE(admission.violations.size() == 1);
  CHECK(admission.violations[0].code == ViolationCode::invalid_policy);
  CHECK(admission.violations[0].field == "metadata");
  CHECK(message(admission.violations[0]).find("`broken`") != std::string::npos);
}

TEST_CASE("the pod templates of all workload kinds have the paths of their documents") {
  struct Case {
    PodKind kind;
    const char* prefix;
  };
  const Case cases[] = {
      {PodKind::pod, ""},
      {PodKind::pod_template, "template."},
      {PodKind::replication_controller, "spec.template."},
      {PodKind::replica_set, "spec.template."},
      {PodKind::deployment, "spec.template."},
      {PodKind::stateful_set, "spec.template."},
      {PodKind::daemon_set, "spec.template."},
      {PodKind::job, "spec.template."},
      {PodKind::cron_job, "spec.jobTemplate.spec.template."},
  };
  Policies policies = by_qos();
  policies.push_back(policy("label", {sets_label("x", "1"), sets_label("x", "2")}));
  for (const auto& [kind, prefix] : cases) {
    CAPTURE(prefix);
    const std::string at = prefix;
    Pod pod = pod_with("1", "1");
    pod.kind = kind;
    const SchedulerChoice choice = choose_scheduler(pod, policies);
    List changed;
    for (const Change& change : choice.changes) changed.push_back(change.field);
    CHECK(changed == List{at + "metadata.annotations[" + qos + "]", at + "metadata.labels[x]",
                          at + "metadata.annotations[" + scheduler + "]",
                          at + "spec.schedulerName"});
    CHECK(choice.changes.back().policy == "choose");
    REQUIRE(choice.conflicts.size() == 1);
    CHECK(choice.conflicts[0].field == at + "metadata.labels[x]");
    CHECK(choice.pod.spec.scheduler_name == "gold");
    const Admission rejected = admit(pod, Policies{policy("no", {rejects()})});
    REQUIRE(rejected.violations.size() == 1);
    CHECK(rejected.violations[0].field == at + "metadata");
  }
}

TEST_CASE("choices chain with other systems") {
  const std::vector<runtime_class::RuntimeClass> classes = {
      {.metadata = {.name = "kata"},
       .handler = "kata",
       .scheduling = runtime_class::Scheduling{.node_selector = {{"runtime", "kata"}}}}};
  const auto chained = [&](const Pod& pod) {
    return admit(pod, by_qos()).and_then([&](Pod next) {
      return runtime_class::admit(std::move(next), classes);
    });
  };
  Pod pod = pod_with("1", "1");
  pod.spec.runtime_class_name = "kata";
  const Admission both = chained(pod);
  CHECK(both.allowed);
  CHECK(both.pod.spec.scheduler_name == "gold");
  CHECK(both.changes.size() == 4);
  CHECK(both.changes.back() == Change{"spec.nodeSelector[runtime]", none, "kata", "kata"});
  pod.spec.runtime_class_name = "missing";
  const Admission denied = chained(pod);
  CHECK_FALSE(denied.allowed);
  CHECK(denied.pod == pod);
  CHECK(denied.changes == Changes{});
}

// ---- Validation

TEST_CASE("a policy is validated with the paths of its document") {
  MetadataPolicyRule rejects_and_labels = sets_label("a", "b");
  rejects_and_labels.policy_action.reject = true;
  MetadataPolicyRule rejects_and_annotates = sets_annotation("a", "b");
  rejects_and_annotates.policy_action.reject = true;
  struct Case {
    const char* name;
    MetadataPolicy policy;
    List wanted;
  };
  const std::string first = "spec.rules[0].";
  const Case cases[] = {
      {"no rules", policy("p", {}), {}},
      {"a rule that says nothing", policy("p", {{}}), {}},
      {"good rules", by_qos()[0], {}},
      {"no name", policy("", {}), {"FieldValueRequired metadata.name"}},
      {"a malformed name", policy("A", {}), {"FieldValueInvalid metadata.name"}},
      {"a broken label selector",
       policy("p", {{}, rejects({.label_selector = where("a", in)})}),
       {"FieldValueRequired "
        "spec.rules[1].policyPredicate.labelSelector.matchExpressions[0].values"}},
      {"free text for a label",
       policy("p", {rejects({.label_selector = equal("a", "b c")})}),
       {"FieldValueInvalid " + first + "policyPredicate.labelSelector.matchLabels[a]"}},
      {"free text for an annotation",
       policy("p", {rejects({.annotation_selector = equal("a", "b c")})}),
       {}},
      {"a broken annotation selector",
       policy("p", {rejects({.annotation_selector = where("a b", exists)})}),
       {"FieldValueInvalid " + first +
        "policyPredicate.annotationSelector.matchExpressions[0].key"}},
      {"a malformed label key",
       policy("p", {sets_label("a b", "c")}),
       {"FieldValueInvalid " + first + "policyAction.updatedLabels"}},
      {"a malformed label value",
       policy("p", {sets_label("a", "b c")}),
       {"FieldValueInvalid " + first + "policyAction.updatedLabels"}},
      {"a malformed annotation key",
       policy("p", {sets_annotation("a b", "c")}),
       {"FieldValueInvalid " + first + "policyAction.updatedAnnotations"}},
      {"any annotation value", policy("p", {sets_annotation("a", "b c\n")}), {}},
      {"a rule that rejects and labels",
       policy("p", {rejects_and_labels}),
       {"FieldValueForbidden " + first + "policyAction"}},
      {"a rule that rejects and annotates",
       policy("p", {rejects_and_annotates}),
       {"FieldValueForbidden " + first + "policyAction"}},
      {"everything, in document order",
       policy("-", {rejects({.label_selector = where("a", in)}), sets_label("", ""),
                    rejects_and_annotates}),
       {"FieldValueInvalid metadata.name",
        "FieldValueRequired " + first + "policyPredicate.labelSelector.matchExpressions[0].values",
        "FieldValueInvalid spec.rules[1].policyAction.updatedLabels",
        "FieldValueInvalid spec.rules[1].policyAction.updatedLabels",
        "FieldValueForbidden spec.rules[2].policyAction"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(reasons(validate(c.policy)) == c.wanted);
  }
}

}  // namespace
}  // namespace schedpol::metadata_policy
