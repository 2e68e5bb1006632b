// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/decode.hpp>

#include "decoded.hpp"

#include <string>
#include <string_view>

namespace decode_spellings_test {

using namespace decoded_objects;

TEST_CASE("the spellings of the proposal are read as the usual ones") {
  struct Case {
    const char* proposal;
    const char* usual;
  };
  constexpr Case cases[] = {
      {R"({"required": {"SchedulerNames": ["a"]}})", R"({"required": {"schedulerNames": ["a"]}})"},
      {R"({"allowed": {"SchedulerNames": []}})", R"({"allowed": {"schedulerNames": []}})"},
      {R"({"allowed": {"priorityClasseNames": ["a"]}})",
       R"({"allowed": {"priorityClassNames": ["a"]}})"},
      {R"({"default": {"SchedulerName": "a", "priorityClasseName": "b"}})",
       R"({"default": {"schedulerName": "a", "priorityClassName": "b"}})"},
      {R"({"allowedAffinities": {"nodeAffinities": {}}})",
       R"({"allowed": {"affinities": {"nodeAffinities": {}}}})"},
      {R"({"allowedAffinities": {}, "allowed": {"schedulerNames": []}})",
       R"({"allowed": {"affinities": {}, "schedulerNames": []}})"},
      {R"({"allowed": {"schedulerNames": []}, "allowedAffinities": {}})",
       R"({"allowed": {"affinities": {}, "schedulerNames": []}})"},
      {R"({"allowedAffinities": null})", "{}"},
      {R"({"allowedAffinities": {"podAffinities": null}})",
       R"({"allowed": {"affinities": {"podAffinities": null}}})"},
      {R"({"default": {"affinity": {"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
              {"matchExpressions": [{"keys": ["a"], "operators": ["In"], "values": ["b"]}],
               "matchFields": [{"keys": ["c"], "operator": "In", "values": ["d"]}]}]},
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference":
              {"matchExpressions": [{"key": "e", "operators": ["Exists"]}]}}]}}}})",
       R"({"default": {"affinity": {"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
              {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}],
               "matchFields": [{"key": "c", "operator": "In", "values": ["d"]}]}]},
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference":
              {"matchExpressions": [{"key": "e", "operator": "Exists"}]}}]}}}})"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.proposal);
    CHECK((read_spec(c.proposal) == read_spec(c.usual)));
  }
  CHECK(errors<SchedulingPolicy>(R"({"Kind": "SchedulingPolicy", "metadata": {}})") == "good");
}

TEST_CASE("both spellings at once are an error, whichever comes first and whatever they say") {
  constexpr ErrorCase cases[] = {
      {"scheduler names", R"({"required": {"SchedulerNames": ["a"], "schedulerNames": ["a"]}})",
       "Duplicate spec.required.schedulerNames"},
      {"the other way round", R"({"allowed": {"schedulerNames": ["a"], "SchedulerNames": ["a"]}})",
       "Duplicate spec.allowed.SchedulerNames"},
      {"one of them null", R"({"allowed": {"schedulerNames": null, "SchedulerNames": []}})",
       "Duplicate spec.allowed.SchedulerNames"},
      {"priority classes",
       R"({"allowed": {"priorityClasseNames": [], "priorityClassNames": ["a"]}})",
       "Duplicate spec.allowed.priorityClassNames"},
      {"defaults", R"({"default": {"schedulerName": "a", "SchedulerName": "b",
                                   "priorityClassName": "a", "priorityClasseName": "b"}})",
       "Duplicate spec.default.SchedulerName; Duplicate spec.default.priorityClasseName"},
      {"affinities", R"({"allowed": {"affinities": {}}, "allowedAffinities": {}})",
       "Duplicate spec.allowedAffinities"},
      {"affinities the other way round",
       R"({"allowedAffinities": {"nodeAffinities": {}}, "allowed": {"affinities": {}}})",
       "Duplicate spec.allowedAffinities"},
      {"key and operator", R"({"default": {"affinity": {"nodeAffinity":
         {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
           {"matchExpressions": [{"key": "a", "keys": ["a"], "operators": ["In"],
                                  "operator": "In"}]}]}}}}})",
       "Duplicate spec.default.affinity.nodeAffinity."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]."
       "keys; "
       "Duplicate spec.default.affinity.nodeAffinity."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]."
       "operators"},
  };
  check_spec_errors(cases);
  CHECK(errors<SchedulingPolicy>(
            R"({"metadata": {}, "kind": "SchedulingPolicy", "Kind": "SchedulingPolicy"})") ==
        "Duplicate Kind");
  CHECK(errors<SchedulingPolicy>(
            R"({"metadata": {}, "Kind": "SchedulingPolicy", "kind": "SchedulingPolicy"})") ==
        "Duplicate kind");
}

TEST_CASE("the plural spelling of an expression lists exactly one") {
  const auto with_keys = [](std::string_view expression) {
    return errors<SchedulingPolicy>(policy(std::string(R"({"default": {"affinity": {"nodeAffinity":
          {"preferredDuringSchedulingIgnoredDuringExecution": [{"preference":
            {"matchFields": [)")
                                               .append(expression) +
                                           "]}}]}}}}"));
  };
  const std::string at =
      " spec.default.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
      "preference.matchFields[0].";
  CHECK(with_keys(R"({"keys": ["a"], "operators": ["Exists"]})") == "good");
  CHECK(with_keys(R"({"keys": null, "operators": null})") == "good");
  CHECK(with_keys(R"({"keys": []})") == "Invalid" + at + "keys");
  CHECK(with_keys(R"({"keys": ["a", "b"]})") == "Invalid" + at + "keys");
  CHECK(with_keys(R"({"keys": "a"})") == "TypeInvalid" + at + "keys");
  CHECK(with_keys(R"({"keys": [5]})") == "TypeInvalid" + at + "keys[0]");
  CHECK(with_keys(R"({"operators": [null]})") == "TypeInvalid" + at + "operators[0]");
  CHECK(with_keys(R"({"operators": ["In", "In"]})") == "Invalid" + at + "operators");
}

TEST_CASE("the spellings of the proposal hold in policies only, and at their places only") {
  CHECK(read<schedpol::PodSpec>(R"({"SchedulerName": "a"})").scheduler_name == "");
  CHECK(read<schedpol::NodeSelectorRequirement>(R"({"keys": ["a"]})").key == "");
  constexpr ErrorCase cases[] = {
      {"the singular in required", R"({"required": {"priorityClasseName": "a"}})",
       "Forbidden spec.required.priorityClasseName"},
      {"allowed affinities inside allowed", R"({"allowed": {"allowedAffinities": {}}})",
       "Forbidden spec.allowed.allowedAffinities"},
      {"Spec", R"({"default": {"Affinity": {}}})", "Forbidden spec.default.Affinity"},
  };
  check_spec_errors(cases);
}

TEST_CASE("the plural spelling of an expression holds in no other policy") {
  const std::string affinity = R"({"nodeAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"keys": ["a"], "operators": ["Exists"]}]}]}}})";
  const std::string at =
      "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
      "matchExpressions[0].";
  CHECK(errors<psp::PodSchedulingPolicy>(
            R"({"kind": "PodSchedulingPolicy", "spec": {"affinity": )" + affinity + "}}") ==
        "Forbidden spec." + at + "keys; Forbidden spec." + at + "operators");
  // In a pod nobody looks at it, and after a policy's default it is unknown again.
  CHECK(read<schedpol::PodSpec>(R"({"affinity": )" + affinity + "}")
            .affinity->node_affinity->required_during_scheduling_ignored_during_execution
            ->node_selector_terms[0]
            .match_expressions[0]
            .key == "");
  CHECK(errors<SchedulingPolicy>(policy(R"({"default": {"affinity": )" + affinity +
                                        R"(, "tolerations": [{"keys": ["a"]}]}})")) ==
        "Forbidden spec.default.tolerations[0].keys");
}

}  // namespace decode_spellings_test
