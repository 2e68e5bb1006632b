// SPDX-License-Identifier: Apache-2.0
#include <schedpol/metadata_policy/compile.hpp>

#include <schedpol/metadata_policy/metadata_admission.hpp>

#include "../support/print_systems.hpp"
#include "policies.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::metadata_policy {
namespace compile_test {

static_assert(std::is_nothrow_default_constructible_v<CompiledPolicies>);
static_assert(std::is_nothrow_move_constructible_v<CompiledPolicies>);
static_assert(std::is_copy_assignable_v<CompiledPolicies>);

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
       {"FieldValueInvalid " + at + ".labelSelector.matchExpressions[0].operator"}},
      {"a malformed key of a label",
       {.label_selector = where("a b", exists)},
       {"FieldValueInvalid " + at + ".labelSelector.matchExpressions[0].key"}},
      {"a malformed key of an annotation",
       {.annotation_selector = where("a b", exists)},
       {"FieldValueInvalid " + at + ".annotationSelector.matchExpressions[0].key"}},
      {"label values are no free text",
       {.label_selector = equal("app", "two words")},
       {"FieldValueInvalid " + at + ".labelSelector.matchLabels"}},
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
  const Policies policies = {policy("b", {rejects(broken), rejects()}), policy("good", {rejects()}),
                             policy("a", {{}, rejects(broken)})};
  const auto compiled = compile(policies);
  const std::string values = ".policyPredicate.labelSelector.matchExpressions[0].values";
  CHECK(reasons(compiled.errors()) ==
        List{"FieldValueRequired policies[0].spec.rules[0]" + values,
             "FieldValueRequired policies[2].spec.rules[1]" + values});
  CHECK(violations(admit(object(), policies), "metadata"_path).size() == 2);
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

TEST_CASE("every name that is there twice is reported, with the name") {
  struct Case {
    const char* name;
    Policies policies;
    List twice;
  };
  const Case cases[] = {
      {"none", {policy("a", {}), policy("b", {})}, {}},
      {"one", {policy("a", {}), policy("b", {}), policy("a", {})}, {"a"}},
      {"two names, of which the first is first",
       {policy("a", {}), policy("a", {}), policy("b", {}), policy("b", {})},
       {"a", "b"}},
      {"two names, mixed",
       {policy("b", {}), policy("a", {}), policy("b", {}), policy("a", {})},
       {"a", "b"}},
      {"three times", {policy("a", {}), policy("a", {}), policy("a", {})}, {"a", "a"}},
      {"between others",
       {policy("a", {}), policy("b", {}), policy("c", {}), policy("b", {})},
       {"b"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto compiled = compile(c.policies);
    CHECK(static_cast<bool>(compiled) == c.twice.empty());
    List twice;
    for (const FieldError& error : compiled.errors()) {
      CHECK((error.type == ErrorType::duplicate));
      CHECK(error.field == FieldPath{"policies"});
      twice.push_back(error.bad_value);
    }
    CHECK(twice == c.twice);
  }
}

TEST_CASE("broken selectors come before names that are there twice") {
  const PolicyPredicate broken = {.label_selector = where("app", in)};
  const auto compiled = compile(Policies{policy("a", {}), policy("a", {rejects(broken)})});
  CHECK(reasons(compiled.errors()) ==
        List{"FieldValueRequired policies[1].spec.rules[0].policyPredicate.labelSelector."
             "matchExpressions[0].values",
             "FieldValueDuplicate policies"});
}

TEST_CASE("where nothing was compiled everything is rejected, of no policies nothing") {
  const ObjectMeta metadata = object({{"app", "web"}});
  const MetadataAdmission rejected = admit(metadata, CompiledPolicies());
  CHECK_FALSE(rejected.allowed);
  CHECK(rejected.metadata == metadata);
  CHECK(reasons(rejected.errors) == List{"FieldValueRequired policies"});
  const auto none_at_all = compile({});
  REQUIRE(none_at_all);
  CHECK(admit(metadata, *none_at_all).allowed);
}

TEST_CASE("copies are the same policies, and outlive what they were copied from") {
  CompiledPolicies copy;
  {
    const auto compiled = compile(Policies{policy("p", {sets_label("a", "b")})});
    REQUIRE(compiled);
    copy = *compiled;
  }
  CHECK(admit(object(), copy).metadata.labels == Labels{{"a", "b"}});
  const CompiledPolicies moved = std::move(copy);
  CHECK(admit(object(), moved).metadata.labels == Labels{{"a", "b"}});
}

TEST_CASE("of the policies of many namespaces those of the object's count, in their order") {
  Policies policies;
  for (const char* namespace_ : {"team-c", "team-a", "", "team-b", "team-aa"}) {
    for (const char* name : {"z", "a", "m"}) {
      const std::string value = std::string(namespace_) + "." + name;
      policies.push_back(policy(name, {sets_label("x", value), sets_label(name, "")}, namespace_));
    }
  }
  const auto compiled = compile(policies);
  REQUIRE(compiled);
  for (const char* namespace_ : {"", "team-a", "team-aa", "team-b", "team-c"}) {
    CAPTURE(namespace_);
    ObjectMeta metadata = object();
    metadata.namespace_ = namespace_;
    const MetadataAdmission admission = admit(metadata, *compiled);
    const std::string in_it = namespace_;
    CHECK(admission.metadata.labels ==
          Labels{{"a", ""}, {"m", ""}, {"x", in_it + ".z"}, {"z", ""}});
    REQUIRE(admission.conflicts.size() == 1);
    CHECK(admission.conflicts[0].writes == std::vector<Write>{{{"a", 0}, in_it + ".a"},
                                                              {{"m", 0}, in_it + ".m"},
                                                              {{"z", 0}, in_it + ".z"}});
  }
  for (const char* other : {"team", "team-d", "a"}) {
    ObjectMeta metadata = object();
    metadata.namespace_ = other;
    CHECK(admit(metadata, *compiled).changes == Changes{});
  }
}

TEST_CASE("policies are replaced and taken out by name and namespace, the compiled ones stay") {
  const Policies first = {policy("a", {sets_label("a", "1")}), policy("b", {sets_label("b", "1")}),
                          policy("a", {sets_label("a", "other")}, "team-b")};
  const auto compiled = compile(first);
  REQUIRE(compiled);
  const auto labels = [](const CompiledPolicies& policies) {
    return admit(ObjectMeta{.namespace_ = "team-a"}, policies).metadata.labels;
  };
  const auto other = compiled->with(Policies{policy("a", {sets_label("c", "2")})});
  REQUIRE(other);
  CHECK(labels(*other) == Labels{{"b", "1"}, {"c", "2"}});
  CHECK(labels(other->without(Policies{policy("b", {}), policy("x", {})})) == Labels{{"c", "2"}});
  CHECK(labels(*compiled) == Labels{{"a", "1"}, {"b", "1"}});
  const auto both = compiled->with(Policies{policy("b", {sets_label("d", "2")}), policy("a", {})});
  REQUIRE(both);
  CHECK(labels(*both) == Labels{{"d", "2"}});
  CHECK(admit(ObjectMeta{.namespace_ = "team-b"}, *other).metadata.labels ==
        Labels{{"a", "other"}});
  CHECK(!compiled->with(Policies{policy("x", {}), policy("x", {})}));
  CHECK(!compiled->with(
      Policies{policy("x", {sets_label("a", "b", {.label_selector = where("app", in)})})}));
  // Nobody said which others there are.
  CHECK(!admit(ObjectMeta{}, CompiledPolicies().without(first)).allowed);
  const auto alone = CompiledPolicies().with(Policies{first[0]});
  REQUIRE(alone);
  CHECK(labels(*alone) == Labels{{"a", "1"}});
}

TEST_CASE("of all policies that are taken out no rule is left") {
  const Policies policies = {policy("a", {sets_label("a", "1"), sets_label("b", "1")}),
                             policy("b", {sets_label("c", "1"), sets_label("d", "1")}),
                             policy("c", {sets_label("e", "1")})};
  const auto compiled = compile(policies);
  REQUIRE(compiled);
  const CompiledPolicies left = compiled->without(Policies{policies[0], policies[1]});
  CHECK(admit(ObjectMeta{.namespace_ = "team-a"}, left).metadata.labels == Labels{{"e", "1"}});
}

}  // namespace compile_test
}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
