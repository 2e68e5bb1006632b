// SPDX-License-Identifier: Apache-2.0
#include <schedpol/metadata_policy/validate.hpp>

#include "../support/print_systems.hpp"
#include "policies.hpp"

#include <string>

namespace SCHEDPOL_NAMESPACE::metadata_policy {
namespace validate_test {

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
       {"FieldValueInvalid " + first + "policyPredicate.labelSelector.matchLabels"}},
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
      {"capitals in the prefix of an annotation key",
       policy("p", {sets_annotation("Example.COM/Owner", "c")}),
       {}},
      {"and in that of a label key",
       policy("p", {sets_label("Example.COM/Owner", "c")}),
       {"FieldValueInvalid " + first + "policyAction.updatedLabels"}},
      {"a malformed annotation key after a good one",
       policy("p", {{.policy_action = {.updated_annotations = {{"a", ""}, {"b c", ""}}}}}),
       {"FieldValueInvalid " + first + "policyAction.updatedAnnotations"}},
      {"a malformed annotation key before a good one",
       policy("p", {{.policy_action = {.updated_annotations = {{"a b", ""}, {"c", ""}}}}}),
       {"FieldValueInvalid " + first + "policyAction.updatedAnnotations"}},
      {"two malformed annotation keys",
       policy("p", {{.policy_action = {.updated_annotations = {{"a b", ""}, {"c d", ""}}}}}),
       {"FieldValueInvalid " + first + "policyAction.updatedAnnotations",
        "FieldValueInvalid " + first + "policyAction.updatedAnnotations"}},
      {"any annotation value", policy("p", {sets_annotation("a", "b c\n")}), {}},
      {"updates of a rule that rejects, which have no effect",
       policy("p", {rejects_and_labels, rejects_and_annotates}),
       {}},
      {"malformed updates of a rule that rejects",
       policy("p", {{.policy_action = {.reject = true,
                                       .updated_labels = {{"a", "b c"}},
                                       .updated_annotations = {{"a b", ""}}}}}),
       {"FieldValueInvalid " + first + "policyAction.updatedLabels",
        "FieldValueInvalid " + first + "policyAction.updatedAnnotations"}},
      {"everything, in document order",
       policy("-", {rejects({.label_selector = where("a", in)}), sets_label("", "")}),
       {"FieldValueInvalid metadata.name",
        "FieldValueRequired " + first + "policyPredicate.labelSelector.matchExpressions[0].values",
        "FieldValueInvalid spec.rules[1].policyAction.updatedLabels",
        "FieldValueInvalid spec.rules[1].policyAction.updatedLabels"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(reasons(validate(c.policy)) == c.wanted);
  }
}

TEST_CASE("an error says which key of an annotation is malformed") {
  const auto errors =
      validate(policy("p", {{.policy_action = {.updated_annotations = {{"a", ""}, {"b c", ""}}}}}));
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].bad_value == "b c");
}

}  // namespace validate_test
}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
