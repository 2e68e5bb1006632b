// SPDX-License-Identifier: Apache-2.0
#include <schedpol/metadata_policy/metadata_admission.hpp>

#include "../support/print_systems.hpp"
#include "policies.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::metadata_policy {
namespace metadata_admission_test {

static_assert(std::is_aggregate_v<RuleName>);
static_assert(std::is_aggregate_v<Write>);
static_assert(std::is_aggregate_v<Conflict>);
static_assert(std::is_aggregate_v<MetadataAdmission>);
static_assert(std::equality_comparable<MetadataAdmission>);

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
  const auto none_at_all = compile({});
  REQUIRE(none_at_all);
  CHECK(admit(metadata, *none_at_all) == unchanged);
  CHECK_FALSE(MetadataAdmission{}.allowed);
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
          Changes{{"metadata.labels[x]"_path, none, c.last, c.order.back().policy}});
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
       {{"metadata.labels[tier]"_path, none, "front", "p"}}},
      {"a label is updated",
       {sets_label("app", "api")},
       {{"app", "api"}},
       {{"note", "x"}},
       {{"metadata.labels[app]"_path, "web", "api", "p"}}},
      {"a label gets an empty value",
       {sets_label("app", "")},
       {{"app", ""}},
       {{"note", "x"}},
       {{"metadata.labels[app]"_path, "web", "", "p"}}},
      {"the value that is there is no change",
       {sets_label("app", "web"), sets_annotation("note", "x")},
       {{"app", "web"}},
       {{"note", "x"}},
       {}},
      {"an annotation of a label's key",
       {sets_annotation("app", "two words")},
       {{"app", "web"}},
       {{"app", "two words"}, {"note", "x"}},
       {{"metadata.annotations[app]"_path, none, "two words", "p"}}},
      {"labels come before annotations, keys in byte order",
       {sets_annotation("b", "1"), sets_annotation("a", "2"), sets_label("d", "3"),
        sets_label("c", "4")},
       {{"app", "web"}, {"c", "4"}, {"d", "3"}},
       {{"a", "2"}, {"b", "1"}, {"note", "x"}},
       {{"metadata.labels[c]"_path, none, "4", "p"},
        {"metadata.labels[d]"_path, none, "3", "p"},
        {"metadata.annotations[a]"_path, none, "2", "p"},
        {"metadata.annotations[b]"_path, none, "1", "p"}}},
      {"a rule may write many",
       {{.policy_action = {.updated_labels = {{"a", "1"}, {"b", "2"}},
                           .updated_annotations = {{"a", "3"}}}}},
       {{"a", "1"}, {"app", "web"}, {"b", "2"}},
       {{"a", "3"}, {"note", "x"}},
       {{"metadata.labels[a]"_path, none, "1", "p"},
        {"metadata.labels[b]"_path, none, "2", "p"},
        {"metadata.annotations[a]"_path, none, "3", "p"}}},
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
       {{"metadata.labels[x]"_path, none, "1", "b"}}},
      {"two values",
       {policy("b", {sets_label("x", "1")}), policy("a", {sets_label("x", "2")})},
       {{"old", "0"}, {"x", "1"}},
       {{"metadata.labels[x]"_path, {{{"a", 0}, "2"}, {{"b", 0}, "1"}}}},
       {{"metadata.labels[x]"_path, none, "1", "b"}}},
      {"first and last agree",
       {policy("p", {sets_label("x", "1"), sets_label("x", "2"), sets_label("x", "1")})},
       {{"old", "0"}, {"x", "1"}},
       {{"metadata.labels[x]"_path, {{{"p", 0}, "1"}, {{"p", 1}, "2"}, {{"p", 2}, "1"}}}},
       {{"metadata.labels[x]"_path, none, "1", "p"}}},
      {"the last write is what was there",
       {policy("p", {sets_label("old", "1"), sets_label("old", "0")})},
       {{"old", "0"}},
       {{"metadata.labels[old]"_path, {{{"p", 0}, "1"}, {{"p", 1}, "0"}}}},
       {}},
      {"overwriting the object is no conflict",
       {policy("p", {sets_label("old", "1")})},
       {{"old", "1"}},
       {},
       {{"metadata.labels[old]"_path, "0", "1", "p"}}},
      {"only what matches writes",
       {policy("p", {sets_label("x", "1"),
                     sets_label("x", "2", {.label_selector = where("missing", exists)})})},
       {{"old", "0"}, {"x", "1"}},
       {},
       {{"metadata.labels[x]"_path, none, "1", "p"}}},
      {"two keys",
       {policy("p", {sets_label("y", "1"), sets_label("x", "1"), sets_label("y", "2"),
                     sets_label("x", "2")})},
       {{"old", "0"}, {"x", "2"}, {"y", "2"}},
       {{"metadata.labels[x]"_path, {{{"p", 1}, "1"}, {{"p", 3}, "2"}}},
        {"metadata.labels[y]"_path, {{{"p", 0}, "1"}, {{"p", 2}, "2"}}}},
       {{"metadata.labels[x]"_path, none, "2", "p"}, {"metadata.labels[y]"_path, none, "2", "p"}}},
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
  CHECK(apart.conflicts == std::vector<Conflict>{{"metadata.annotations[x]"_path,
                                                  {{{"p", 1}, "2"}, {{"p", 2}, "3"}}}});
}

TEST_CASE("compiled rules decide on any number of objects, with the path of their metadata") {
  const auto rules = compile(Policies{
      policy("p", {sets_label("a", "1"), sets_label("a", "2"),
                   rejects({.label_selector = where("bad", exists)}), sets_annotation("b", "3")})});
  REQUIRE(rules);
  const MetadataAdmission admission = admit(object(), *rules, {"spec", "template", "metadata"});
  CHECK(admission.changes ==
        Changes{{"spec.template.metadata.labels[a]"_path, none, "2", "p"},
                {"spec.template.metadata.annotations[b]"_path, none, "3", "p"}});
  REQUIRE(admission.conflicts.size() == 1);
  CHECK(admission.conflicts[0].field == "spec.template.metadata.labels[a]");
  CHECK(admit(object({{"bad", ""}}), *rules).rejected_by == Names{{"p", 2}});
  CHECK(admit(object(), *rules).changes.at(0).field == "metadata.labels[a]");
}

TEST_CASE("law: the order in which policies are given does not matter") {
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
      const bool is_label = conflict.field.parent() == "metadata.labels";
      const Labels& map = is_label ? admission.metadata.labels : admission.metadata.annotations;
      REQUIRE(map.at(std::string(conflict.field.steps().back().name)) ==
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

}  // namespace metadata_admission_test
}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
