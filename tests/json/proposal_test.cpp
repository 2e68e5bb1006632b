// SPDX-License-Identifier: Apache-2.0
// Every example of the SchedulingPolicy proposal, in its own order and spellings, YAML written as
// JSON, with what its text says about pods.

#include <schedpol/json/evaluate.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/rbac/builtin.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace json_proposal_test {

using schedpol::scheduling_policy::SchedulingPolicy;
using schedpol::testing::canonical;
using schedpol::testing::Json;
using schedpol::testing::result_or_error;
using schedpol::testing::verdict;

// What a pod may be without any rule on it, so that an example on one field can be told alone.
const std::string default_scheduler = R"(
  {"metadata": {"name": "zz"}, "spec": {"allowed": {"schedulerNames": ["default-scheduler"]}}})";

// The examples mostly have no metadata; a policy is told by its name.
std::string named(std::string_view policy, std::string_view name = "example") {
  std::string text(policy);
  const std::string metadata = R"("metadata":{"name":")" + std::string(name) + R"("},)";
  return text.insert(text.find('{') + 1, metadata);
}

std::string alone(std::string_view policy) {
  return "[" + named(policy) + "]";
}

std::string with_default_scheduler(std::string_view policy) {
  return "[" + named(policy) + "," + default_scheduler + "]";
}

struct Case {
  const char* name;
  const char* spec;
  const char* verdict;
};

template <std::size_t N>
void check_cases(const std::string& policies, const Case (&cases)[N]) {
  for (const Case& c : cases) {
    CAPTURE(policies);
    CAPTURE(c.name);
    CAPTURE(c.spec);
    CHECK(verdict(c.spec, policies) == c.verdict);
  }
}

// The object that an admission gives back, or its error.
std::string admitted(std::string_view spec, const std::string& policies) {
  const Json reply(schedpol::testing::ask(
      "schedulingPolicy.admit",
      R"({"pod":{"spec":)" + std::string(spec) + R"(},"policies":)" + policies + "}"));
  if (reply.at("/result/allowed") != "true") return reply.text();
  return reply.at("/result/object/spec");
}

// Type and field of what `schedulingPolicy.validate` finds, separated by `; `.
std::string errors_of(const std::string& policy) {
  const Json reply(
      schedpol::testing::ask("schedulingPolicy.validate", R"({"policy":)" + policy + "}"));
  if (reply.at("/result/errors") == "absent") return reply.text();
  std::string text;
  for (std::size_t i = 0;; ++i) {
    const std::string error = "/result/errors/" + std::to_string(i);
    if (reply.at(error) == "absent") return text;
    text += (i > 0 ? "; " : "") + reply.string_at(error + "/type") + " " +
            reply.string_at(error + "/field");
  }
}

template <class T>
std::string text_of(const schedpol::Result<T>& result) {
  if (!result) return schedpol::testing::text(result.errors());
  return schedpol::json::encode(*result);
}

TEST_CASE("content: the skeleton, whose fields all stand empty in YAML, permits nothing") {
  constexpr std::string_view skeleton = R"({
    "apiVersion": "extensions/valpha1",
    "kind": "SchedulingPolicy",
    "metadata": {"name": "my-schedpol"},
    "spec": {
      "required": {
        "schedulerNames": null,
        "priorityClasseNames": null,
        "nodeSelectors": null,
        "affinities": null
      },
      "allowed": {
        "schedulerNames": null,
        "priorityClasseNames": null,
        "nodeSelectors": null,
        "tolerations": null,
        "affinities": null
      },
      "default": {
        "schedulerName": null,
        "priorityClasseName": null,
        "nodeSelector": null,
        "tolerations": null,
        "affinity": null
      }
    }
  })";
  SchedulingPolicy nothing;
  nothing.metadata.name = "my-schedpol";
  const auto decoded = schedpol::json::decode<SchedulingPolicy>(skeleton);
  REQUIRE(decoded);
  CHECK(*decoded == nothing);
  CHECK(errors_of(std::string(skeleton)) == "");

  constexpr Case cases[] = {
      {"the default scheduler", "{}", "SchedulerNameNotAllowed spec.schedulerName"},
      {"everything else",
       R"({"nodeName": "n1", "priorityClassName": "gold", "nodeSelector": {"disk": "ssd"},
           "tolerations": [{"operator": "Exists"}],
           "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                                        [{"topologyKey": "zone"}]}}})",
       "SchedulerNameNotAllowed spec.schedulerName; NodeNameNotAllowed spec.nodeName; "
       "PriorityClassNameNotAllowed spec.priorityClassName; "
       "NodeSelectorNotAllowed spec.nodeSelector[disk]; "
       "TolerationNotAllowed spec.tolerations[0]; "
       "AffinityNotAllowed spec.affinity.podAffinity"},
  };
  check_cases("[" + std::string(skeleton) + "]", cases);
}

TEST_CASE("scheduler name: required names are asked for, and thereby allowed") {
  constexpr Case cases[] = {
      {"one of them", R"({"schedulerName": "green-scheduler"})", "allowed"},
      {"the other", R"({"schedulerName": "my-scheduler"})", "allowed"},
      {"none", "{}", "SchedulerNameRequired spec.schedulerName"},
      {"another", R"({"schedulerName": "red"})", "SchedulerNameRequired spec.schedulerName"},
  };
  check_cases(alone(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"required": {"SchedulerNames": ["green-scheduler", "my-scheduler"]}}
  })"),
              cases);
}

TEST_CASE("scheduler name: an empty list of required names is invalid, and requires nothing") {
  constexpr std::string_view policy = R"({
    "Kind": "SchedulingPolicy",
    "spec": {"required": {"SchedulerNames": []}}
  })";
  CHECK(errors_of(named(policy)) == "FieldValueRequired spec.required.schedulerNames");
  CHECK(verdict("{}", alone(policy)) == "SchedulerNameNotAllowed spec.schedulerName");
  CHECK(verdict("{}", with_default_scheduler(policy)) == "allowed");
}

TEST_CASE("scheduler name: allowed names") {
  constexpr Case cases[] = {
      {"one of them", R"({"schedulerName": "green-scheduler"})", "allowed"},
      {"the other", R"({"schedulerName": "my-scheduler"})", "allowed"},
      {"none is the default scheduler", "{}", "SchedulerNameNotAllowed spec.schedulerName"},
      {"another", R"({"schedulerName": "red"})", "SchedulerNameNotAllowed spec.schedulerName"},
      {"no scheduler at all", R"({"schedulerName": "my-scheduler", "nodeName": "n1"})",
       "NodeNameNotAllowed spec.nodeName"},
  };
  check_cases(alone(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"SchedulerNames": ["green-scheduler", "my-scheduler"]}}
  })"),
              cases);
}

TEST_CASE("scheduler name: an empty list of allowed names allows all schedulers") {
  constexpr Case cases[] = {
      {"none", "{}", "allowed"},
      {"any", R"({"schedulerName": "red"})", "allowed"},
      {"past every scheduler", R"({"nodeName": "n1"})", "allowed"},
  };
  check_cases(alone(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"SchedulerNames": []}}
  })"),
              cases);
}

TEST_CASE("scheduler name: a default is given, and thereby allowed") {
  const std::string policies = alone(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"default": {"SchedulerName": "my-scheduler"}}
  })");
  CHECK(admitted("{}", policies) == R"({"schedulerName":"my-scheduler"})");
  constexpr Case cases[] = {
      {"none", "{}", "allowed"},
      {"the default", R"({"schedulerName": "my-scheduler"})", "allowed"},
      {"another", R"({"schedulerName": "default-scheduler"})",
       "SchedulerNameNotAllowed spec.schedulerName"},
  };
  check_cases(policies, cases);
}

TEST_CASE("tolerations: fine-grain allowed tolerations") {
  constexpr Case cases[] = {
      {"none", "{}", "allowed"},
      {"the value and effect of mykey",
       R"({"tolerations": [{"key": "mykey", "operator": "Equal", "value": "value",
                            "effect": "NoSchedule"}]})",
       "allowed"},
      {"an operator left out is Equal",
       R"({"tolerations": [{"key": "mykey", "value": "value", "effect": "NoSchedule"}]})",
       "allowed"},
      {"the existence of other_key",
       R"({"tolerations": [{"key": "other_key", "operator": "Exists", "effect": "NoExecute"}]})",
       "allowed"},
      {"one of them permitted is not enough",
       R"({"tolerations": [{"key": "mykey", "value": "value", "effect": "NoSchedule"},
                           {"key": "mykey", "value": "x", "effect": "NoSchedule"}]})",
       "TolerationNotAllowed spec.tolerations[1]"},
      {"another effect of mykey",
       R"({"tolerations": [{"key": "mykey", "value": "value", "effect": "NoExecute"}]})",
       "TolerationNotAllowed spec.tolerations[0]"},
      {"the existence of mykey",
       R"({"tolerations": [{"key": "mykey", "operator": "Exists", "effect": "NoSchedule"}]})",
       "TolerationNotAllowed spec.tolerations[0]"},
      {"every effect of other_key",
       R"({"tolerations": [{"key": "other_key", "operator": "Exists"}]})",
       "TolerationNotAllowed spec.tolerations[0]"},
      {"every key", R"({"tolerations": [{"operator": "Exists", "effect": "NoExecute"}]})",
       "TolerationNotAllowed spec.tolerations[0]"},
      {"a value of other_key",
       R"({"tolerations": [{"key": "other_key", "value": "x", "effect": "NoExecute"}]})",
       "TolerationNotAllowed spec.tolerations[0]"},
  };
  check_cases(with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"tolerations": [
      {"keys": ["mykey"], "operators": ["Equal"], "values": ["value"], "effects": ["NoSchedule"]},
      {"keys": ["other_key"], "operators": ["Exists"], "effects": ["NoExecute"]}
    ]}}
  })"),
              cases);
}

TEST_CASE("tolerations: coarse-grain allowed tolerations") {
  constexpr Case cases[] = {
      {"any value, PreferNoSchedule",
       R"({"tolerations": [{"key": "a", "value": "b", "effect": "PreferNoSchedule"}]})", "allowed"},
      {"everything, PreferNoSchedule",
       R"({"tolerations": [{"operator": "Exists", "effect": "PreferNoSchedule"}]})", "allowed"},
      {"any key's existence, NoSchedule",
       R"({"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoSchedule"}]})",
       "allowed"},
      {"a value, NoSchedule",
       R"({"tolerations": [{"key": "a", "value": "b", "effect": "NoSchedule"}]})",
       "TolerationNotAllowed spec.tolerations[0]"},
      {"NoExecute",
       R"({"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute"}]})",
       "TolerationNotAllowed spec.tolerations[0]"},
      {"every effect, NoExecute among them",
       R"({"tolerations": [{"key": "a", "operator": "Exists"}]})",
       "TolerationNotAllowed spec.tolerations[0]"},
  };
  check_cases(with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"tolerations": [
      {"keys": [], "operators": [], "values": [], "effects": ["PreferNoSchedule"]},
      {"keys": [], "operators": ["Exists"], "effects": ["NoSchedule"]}
    ]}}
  })"),
              cases);
}

TEST_CASE("tolerations: an empty list allows all, and so does a pattern of empty lists") {
  constexpr Case cases[] = {
      {"every taint there is", R"({"tolerations": [{"operator": "Exists"}]})", "allowed"},
      {"a value", R"({"tolerations": [{"key": "a", "value": "b", "effect": "NoExecute"}]})",
       "allowed"},
      {"for some time",
       R"({"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute",
                            "tolerationSeconds": 5}]})",
       "allowed"},
  };
  check_cases(with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"tolerations": []}}
  })"),
              cases);
  check_cases(with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"tolerations": [
      {"keys": [], "operators": [], "values": [], "effects": []}
    ]}}
  })"),
              cases);
}

TEST_CASE("tolerations: the defaults are given, one a value, where the pod has none") {
  const std::string policies = with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"default": {"tolerations": [
      {"key": "mykey", "operator": "Equal", "values": ["value", "other_value"],
       "effect": "NoSchedule"},
      {"key": "other_key", "operator": "Exists", "effect": "NoExecute"}
    ]}}
  })");
  CHECK(canonical(admitted("{}", policies)) == canonical(R"({"tolerations": [
    {"key": "mykey", "operator": "Equal", "value": "value", "effect": "NoSchedule"},
    {"key": "mykey", "operator": "Equal", "value": "other_value", "effect": "NoSchedule"},
    {"key": "other_key", "operator": "Exists", "effect": "NoExecute"}]})"));
  constexpr std::string_view own =
      R"({"tolerations":[{"key":"other_key","operator":"Exists","effect":"NoExecute"}]})";
  CHECK(admitted(own, policies) == own);
  constexpr Case cases[] = {
      {"not a default", R"({"tolerations": [{"key": "mykey", "effect": "NoSchedule"}]})",
       "TolerationNotAllowed spec.tolerations[0]"},
  };
  check_cases(policies, cases);
}

TEST_CASE("tolerations: an empty list of defaults is invalid") {
  CHECK(errors_of(
            named(R"({"Kind": "SchedulingPolicy", "spec": {"default": {"tolerations": []}}})")) ==
        "FieldValueRequired spec.default.tolerations");
}

TEST_CASE("priority classes: a single one, required and given") {
  const std::string policies = with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {
      "required": {"priorityClasseNames": ["high-priority"]},
      "default": {"priorityClasseName": "high-priority"}
    }
  })");
  CHECK(admitted("{}", policies) == R"({"priorityClassName":"high-priority"})");
  constexpr Case cases[] = {
      {"none", "{}", "allowed"},
      {"that", R"({"priorityClassName": "high-priority"})", "allowed"},
      {"another", R"({"priorityClassName": "gold"})",
       "PriorityClassNameRequired spec.priorityClassName"},
  };
  check_cases(policies, cases);
}

TEST_CASE("priority classes: all are allowed, none is mandatory") {
  constexpr Case cases[] = {
      {"none", "{}", "allowed"},
      {"any", R"({"priorityClassName": "gold"})", "allowed"},
  };
  check_cases(with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"priorityClasseNames": []}}
  })"),
              cases);
}

TEST_CASE("priority classes: an empty list of required ones is invalid") {
  CHECK(errors_of(named(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"required": {"priorityClasseNames": []}}
  })")) == "FieldValueRequired spec.required.priorityClassNames");
}

TEST_CASE("node selector: the complete policy") {
  const std::string policies = with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {
      "required": {
        "nodeSelectors": {"beta.kubernetes.io/arch": ["amd64", "arm64"]}
      },
      "default": {
        "nodeSelector": {"beta.kubernetes.io/arch": "amd64"}
      },
      "allowed": {
        "nodeSelectors": {
          "disk": ["ssd", "hdd"],
          "failure-domain.beta.kubernetes.io/region": []
        }
      }
    }
  })");
  CHECK(admitted("{}", policies) == R"({"nodeSelector":{"beta.kubernetes.io/arch":"amd64"}})");
  constexpr std::string_view arm =
      R"({"nodeSelector":{"beta.kubernetes.io/arch":"arm64","disk":"ssd"}})";
  CHECK(admitted(arm, policies) == arm);
  constexpr Case cases[] = {
      {"no node selector at all", "{}", "allowed"},
      {"amd64", R"({"nodeSelector": {"beta.kubernetes.io/arch": "amd64"}})", "allowed"},
      {"arm64", R"({"nodeSelector": {"beta.kubernetes.io/arch": "arm64"}})", "allowed"},
      {"another architecture", R"({"nodeSelector": {"beta.kubernetes.io/arch": "i386"}})",
       "NodeSelectorRequired spec.nodeSelector[beta.kubernetes.io/arch]"},
      {"disk: ssd", R"({"nodeSelector": {"disk": "ssd"}})", "allowed"},
      {"disk: hdd", R"({"nodeSelector": {"disk": "hdd"}})", "allowed"},
      {"disk: sata", R"({"nodeSelector": {"disk": "sata"}})",
       "NodeSelectorNotAllowed spec.nodeSelector[disk]"},
      {"any region", R"({"nodeSelector": {"failure-domain.beta.kubernetes.io/region": "moon"}})",
       "allowed"},
      {"another key", R"({"nodeSelector": {"team": "red"}})",
       "NodeSelectorNotAllowed spec.nodeSelector[team]"},
  };
  check_cases(policies, cases);
}

TEST_CASE("node selector: the allowed-only policy") {
  constexpr Case cases[] = {
      {"no node selector at all", "{}", "allowed"},
      {"a listed zone",
       R"({"nodeSelector": {"failure-domain.beta.kubernetes.io/zone": "eu-west-1c"}})", "allowed"},
      {"another zone",
       R"({"nodeSelector": {"failure-domain.beta.kubernetes.io/zone": "eu-west-1d"}})",
       "NodeSelectorNotAllowed spec.nodeSelector[failure-domain.beta.kubernetes.io/zone]"},
  };
  check_cases(with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"nodeSelectors": {
      "failure-domain.beta.kubernetes.io/zone": ["eu-west-1a", "eu-west-1b", "eu-west-1c"]
    }}}
  })"),
              cases);
}

TEST_CASE("affinity: the basic policy") {
  const std::string policies = with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {
      "required": {
        "affinities": {
          "nodeAffinities": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
              "nodeSelectorTerms": [
                {"matchExpressions": [
                  {"keys": ["beta.kubernetes.io/arch"], "operators": ["In"],
                   "values": ["amd64", "arm64"]}
                ]}
              ]
            }
          }
        }
      },
      "allowed": {
        "affinities": {
          "nodeAffinities": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
              "nodeSelectorTerms": [
                {"matchExpressions": [
                  {"keys": ["failure-domain.beta.kubernetes.io/region",
                            "kubernetes.io/authorized-region"],
                   "operators": ["In", "NotIn"],
                   "values": ["eu-2", "us-1"]}
                ]}
              ]
            }
          },
          "podAntiAffinities": {}
        }
      },
      "default": {
        "affinity": {
          "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
              "nodeSelectorTerms": [
                {"matchExpressions": [
                  {"keys": ["beta.kubernetes.io/arch"], "operators": ["In"], "values": ["amd64"]}
                ]}
              ]
            }
          }
        }
      }
    }
  })");
  CHECK(canonical(admitted("{}", policies)) == canonical(R"({"affinity": {"nodeAffinity": {
    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
      {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}]}}}})"));
  constexpr Case cases[] = {
      {"none: the default", "{}", "allowed"},
      {"amd64 or arm64",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["amd64", "arm64"]}]}]}}}})",
       "allowed"},
      {"another architecture",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["s390x"]}]}]}}}})",
       "AffinityNotAllowed spec.affinity.nodeAffinity."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]; "
       "AffinityRequired "
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"},
      {"any combination of the allowed section",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["arm64"]},
             {"key": "kubernetes.io/authorized-region", "operator": "NotIn", "values": ["us-1"]},
             {"key": "failure-domain.beta.kubernetes.io/region", "operator": "In",
              "values": ["eu-2", "us-1"]}]}]}}}})",
       "allowed"},
      {"the allowed section alone does not meet the requirement",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "kubernetes.io/authorized-region", "operator": "In", "values": ["us-1"]}]}]}}}})",
       "AffinityRequired "
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"},
      {"a term beside it would be a way around the requirement",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [
             {"matchExpressions": [
               {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]},
             {"matchExpressions": [
               {"key": "kubernetes.io/authorized-region", "operator": "In", "values": ["us-1"]}]}
           ]}}}})",
       "AffinityRequired "
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"},
      {"only hard node affinity",
       R"({"affinity": {"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
              {"matchExpressions": [
                {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}]},
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference":
              {"matchExpressions": [
                {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}}]}}})",
       "AffinityNotAllowed spec.affinity.nodeAffinity."
       "preferredDuringSchedulingIgnoredDuringExecution"},
      {"soft node affinity alone leaves the hard one unspecified, which defaults to amd64",
       R"({"affinity": {"nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference":
              {"matchExpressions": [
                {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}}]}}})",
       "AffinityNotAllowed spec.affinity.nodeAffinity."
       "preferredDuringSchedulingIgnoredDuringExecution"},
      {"all pod anti-affinity",
       R"({"affinity": {"podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "host"}],
            "preferredDuringSchedulingIgnoredDuringExecution":
              [{"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}]}}})",
       "allowed"},
      {"no pod affinity",
       R"({"affinity": {"podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "host"}]}}})",
       "AffinityNotAllowed spec.affinity.podAffinity"},
  };
  check_cases(policies, cases);
}

// The example of "not a full combinatory", with what stands after the terms' list.
std::string not_full_combinatory(std::string_view in_the_mode, std::string_view beside_the_kind) {
  return std::string(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"affinities": {
      "nodeAffinities": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
          "nodeSelectorTerms": [
            {"matchExpressions": [
              {"keys": ["failure-domain.beta.kubernetes.io/region",
                        "kubernetes.io/authorized-region"],
               "operators": ["In", "NotIn"],
               "values": ["eu-2", "us-1"]}
            ]},
            {"matchExpressions": [
              {"keys": ["failure-domain.beta.kubernetes.io/zone"],
               "operators": ["NotIn"],
               "values": ["dc1", "dc2"]}
            ]}
          ])")
      .append(in_the_mode)
      .append("}}")
      .append(beside_the_kind)
      .append("}}}}");
}

TEST_CASE("affinity: not a full combinatory, refused as written, for its indentation") {
  const std::string policy = not_full_combinatory(R"(, "podAntiAffinities": {})", "");
  CHECK(verdict("{}", alone(policy)) ==
        "InvalidObject at policies[0].spec.allowed.affinities.nodeAffinities."
        "requiredDuringSchedulingIgnoredDuringExecution.podAntiAffinities");
}

TEST_CASE("affinity: not a full combinatory, with the indentation that is meant") {
  constexpr Case cases[] = {
      {"a region",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "failure-domain.beta.kubernetes.io/region", "operator": "In",
              "values": ["eu-2"]}]}]}}}})",
       "allowed"},
      {"and not in a zone",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "failure-domain.beta.kubernetes.io/region", "operator": "In",
              "values": ["eu-2"]},
             {"key": "failure-domain.beta.kubernetes.io/zone", "operator": "NotIn",
              "values": ["dc2"]}]}]}}}})",
       "allowed"},
      {"in a zone",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "failure-domain.beta.kubernetes.io/zone", "operator": "In",
              "values": ["dc2"]}]}]}}}})",
       "AffinityNotAllowed spec.affinity.nodeAffinity."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]"},
      {"the values of one pattern with the key of the other",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "failure-domain.beta.kubernetes.io/zone", "operator": "NotIn",
              "values": ["eu-2"]}]}]}}}})",
       "AffinityNotAllowed spec.affinity.nodeAffinity."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]"},
      {"pod anti-affinity",
       R"({"affinity": {"podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "host"}]}}})",
       "allowed"},
  };
  check_cases(with_default_scheduler(not_full_combinatory("", R"(, "podAntiAffinities": {})")),
              cases);
}

constexpr const char* node_affinity =
    R"({"affinity": {"nodeAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]},
          "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference":
            {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}]}}})";
constexpr const char* pod_affinity =
    R"({"affinity": {"podAffinity": {
          "preferredDuringSchedulingIgnoredDuringExecution":
            [{"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}]}}})";
constexpr const char* pod_anti_affinity =
    R"({"affinity": {"podAntiAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}}})";

TEST_CASE("affinity: allow-all, written short and kind by kind") {
  constexpr Case cases[] = {
      {"node affinity", node_affinity, "allowed"},
      {"pod affinity", pod_affinity, "allowed"},
      {"pod anti-affinity", pod_anti_affinity, "allowed"},
  };
  check_cases(with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"affinities": {}}}
  })"),
              cases);
  check_cases(with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowed": {"affinities": {
      "nodeAffinities": {}, "podAffinities": {}, "podAntiAffinities": {}
    }}}
  })"),
              cases);
}

TEST_CASE("affinity: a kind that is absent is not allowed, in the section's other name too") {
  constexpr Case cases[] = {
      {"node affinity", node_affinity, "allowed"},
      {"pod affinity", pod_affinity, "AffinityNotAllowed spec.affinity.podAffinity"},
      {"pod anti-affinity", pod_anti_affinity, "AffinityNotAllowed spec.affinity.podAntiAffinity"},
  };
  check_cases(with_default_scheduler(R"({
    "Kind": "SchedulingPolicy",
    "spec": {"allowedAffinities": {"nodeAffinities": {}}}
  })"),
              cases);
}

constexpr std::string_view merged_policies = R"([
  {
    "Kind": "SchedulingPolicy",
    "metadata": {"name": "schedpol-b"},
    "spec": {
      "required": {
        "nodeSelectors": {
          "beta.kubernetes.io/arch": ["amd64", "arm64", "i386"],
          "beta.kubernetes.io/os": ["Linux", "Windows"]
        },
        "priorityClasseNames": ["bronze", "gold", "silver"]
      },
      "allowed": {
        "nodeSelectors": {"disk": ["sata"]}
      },
      "default": {
        "nodeSelector": {
          "beta.kubernetes.io/arch": "i386",
          "beta.kubernetes.io/os": "Linux"
        },
        "priorityClasseName": "bronze"
      }
    }
  },
  {
    "Kind": "SchedulingPolicy",
    "metadata": {"name": "schedpol-a"},
    "spec": {
      "required": {
        "nodeSelectors": {"beta.kubernetes.io/arch": ["amd64", "arm64"]}
      },
      "allowed": {
        "nodeSelectors": {"disk": ["ssd"]}
      },
      "default": {
        "nodeSelector": {"beta.kubernetes.io/arch": "amd64"}
      }
    }
  }
])";

TEST_CASE("merge: the two policies under each of the three options") {
  struct MergeCase {
    const char* strategy;
    const char* spec;
    const char* sources;
    const char* lost;
  };
  constexpr MergeCase cases[] = {
      {"SmartDeepMerge",
       R"({
         "required": {
           "nodeSelectors": {
             "beta.kubernetes.io/arch": ["amd64", "arm64"],
             "beta.kubernetes.io/os": ["Linux", "Windows"]
           },
           "priorityClassNames": ["bronze", "gold", "silver"]
         },
         "allowed": {
           "nodeSelectors": {"disk": ["ssd", "sata"]}
         },
         "default": {
           "nodeSelector": {
             "beta.kubernetes.io/arch": "amd64",
             "beta.kubernetes.io/os": "Linux"
           },
           "priorityClassName": "bronze"
         }
       })",
       R"({
         "allowed.nodeSelectors[disk][0]": ["schedpol-a"],
         "allowed.nodeSelectors[disk][1]": ["schedpol-b"],
         "default.nodeSelector[beta.kubernetes.io/arch]": ["schedpol-a"],
         "default.nodeSelector[beta.kubernetes.io/os]": ["schedpol-b"],
         "default.priorityClassName": ["schedpol-b"],
         "required.nodeSelectors[beta.kubernetes.io/arch]": ["schedpol-a"],
         "required.nodeSelectors[beta.kubernetes.io/os]": ["schedpol-b"],
         "required.priorityClassNames": ["schedpol-b"]
       })",
       R"({
         "default.nodeSelector[beta.kubernetes.io/arch]": ["schedpol-b"],
         "required.nodeSelectors[beta.kubernetes.io/arch]": ["schedpol-b"]
       })"},
      {"FirstSeenWins",
       R"({
         "required": {
           "nodeSelectors": {"beta.kubernetes.io/arch": ["amd64", "arm64"]}
         },
         "allowed": {
           "nodeSelectors": {"disk": ["ssd"]}
         },
         "default": {
           "nodeSelector": {"beta.kubernetes.io/arch": "amd64"}
         }
       })",
       R"({
         "allowed.nodeSelectors": ["schedpol-a"],
         "default.nodeSelector": ["schedpol-a"],
         "required.nodeSelectors": ["schedpol-a"]
       })",
       R"({
         "allowed.nodeSelectors": ["schedpol-b"],
         "default.nodeSelector": ["schedpol-b"],
         "default.priorityClassName": ["schedpol-b"],
         "required.nodeSelectors": ["schedpol-b"],
         "required.priorityClassNames": ["schedpol-b"]
       })"},
      {"SimpleMerge",
       R"({
         "required": {
           "nodeSelectors": {"beta.kubernetes.io/arch": ["amd64", "arm64"]},
           "priorityClassNames": ["bronze", "gold", "silver"]
         },
         "allowed": {
           "nodeSelectors": {"disk": ["ssd"]}
         },
         "default": {
           "nodeSelector": {"beta.kubernetes.io/arch": "amd64"},
           "priorityClassName": "bronze"
         }
       })",
       R"({
         "allowed.nodeSelectors": ["schedpol-a"],
         "default.nodeSelector": ["schedpol-a"],
         "default.priorityClassName": ["schedpol-b"],
         "required.nodeSelectors": ["schedpol-a"],
         "required.priorityClassNames": ["schedpol-b"]
       })",
       R"({
         "allowed.nodeSelectors": ["schedpol-b"],
         "default.nodeSelector": ["schedpol-b"],
         "required.nodeSelectors": ["schedpol-b"]
       })"},
  };
  for (const MergeCase& c : cases) {
    CAPTURE(c.strategy);
    const Json reply(schedpol::testing::ask("schedulingPolicy.merge",
                                            R"({"policies":)" + std::string(merged_policies) +
                                                R"(,"strategy":")" + c.strategy + R"("})"));
    CHECK(canonical(reply.at("/result/spec")) == canonical(c.spec));
    CHECK(canonical(reply.at("/result/sources")) == canonical(c.sources));
    CHECK(canonical(reply.at("/result/lost")) == canonical(c.lost));
  }
}

TEST_CASE("merge: smart deep merge is what happens without a strategy") {
  const std::string input = R"({"policies":)" + std::string(merged_policies);
  CHECK(result_or_error("schedulingPolicy.merge", input + "}") ==
        result_or_error("schedulingPolicy.merge", input + R"(,"strategy":"SmartDeepMerge"})"));
}

constexpr std::string_view restricted = R"({
  "apiVersion": "extensions/valpha1",
  "kind": "SchedulingPolicy",
  "metadata": {"name": "restricted"},
  "spec": {"allowed": {"schedulerNames": ["default-scheduler"]}}
})";

constexpr std::string_view by_node_selector = R"({
  "apiVersion": "extensions/valpha1",
  "kind": "SchedulingPolicy",
  "metadata": {"name": "restricted-multiarch-by-node-selector"},
  "spec": {
    "required": {
      "schedulerNames": ["default-scheduler"],
      "nodeSelectors": {
        "beta.kubernetes.io/arch": ["amd64", "arm64"],
        "beta.kubernetes.io/os": ["Linux", "Windows"]
      }
    },
    "default": {
      "schedulerName": "default-scheduler",
      "nodeSelector": {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "Linux"
      }
    }
  }
})";

constexpr std::string_view by_affinity = R"({
  "apiVersion": "extensions/valpha1",
  "kind": "SchedulingPolicy",
  "metadata": {"name": "restricted-multiarch-by-affinity"},
  "spec": {
    "required": {
      "schedulerNames": ["default-scheduler"],
      "affinities": {
        "nodeAffinities": {
          "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
              {"matchExpressions": [
                {"keys": ["beta.kubernetes.io/arch"], "operators": ["In"],
                 "values": ["amd64", "arm64"]}
              ]},
              {"matchExpressions": [
                {"keys": ["beta.kubernetes.io/os"], "operators": ["In"],
                 "values": ["Linux", "Windows"]}
              ]}
            ]
          }
        }
      }
    },
    "default": {
      "schedulerName": "default-scheduler",
      "affinity": {
        "nodeAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
              {"matchExpressions": [
                {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["amd64"]}
              ]},
              {"matchExpressions": [
                {"key": "beta.kubernetes.io/os", "operator": "In", "values": ["Linux"]}
              ]}
            ]
          }
        }
      }
    }
  }
})";

constexpr std::string_view privileged = R"({
  "apiVersion": "extensions/valpha1",
  "kind": "SchedulingPolicy",
  "metadata": {"name": "privileged"},
  "spec": {
    "allowed": {
      "schedulerNames": [],
      "priorityClasseNames": [],
      "nodeSelectors": {},
      "tolerations": [],
      "affinities": {}
    }
  }
})";

std::string list_of(std::string_view policy) {
  return "[" + std::string(policy) + "]";
}

TEST_CASE("default policies: they are valid, and the built-in ones to the letter") {
  namespace sp = schedpol::scheduling_policy;
  struct BuiltinCase {
    std::string_view policy;
    SchedulingPolicy builtin;
  };
  const BuiltinCase cases[] = {
      {restricted, sp::restricted()},
      {by_node_selector, sp::restricted_multiarch_by_node_selector(sp::PlatformLabels::proposal)},
      {by_affinity, sp::restricted_multiarch_by_affinity(sp::PlatformLabels::proposal)},
      {privileged, sp::privileged()},
  };
  for (const BuiltinCase& c : cases) {
    CAPTURE(c.builtin.metadata.name);
    CHECK(errors_of(std::string(c.policy)) == "");
    CHECK(text_of(schedpol::json::decode<SchedulingPolicy>(c.policy)) ==
          schedpol::json::encode(c.builtin));
  }
}

TEST_CASE("default policies: restricted allows the default scheduler and nothing else") {
  constexpr Case cases[] = {
      {"nothing", "{}", "allowed"},
      {"the default scheduler by name", R"({"schedulerName": "default-scheduler"})", "allowed"},
      {"another scheduler", R"({"schedulerName": "my-scheduler"})",
       "SchedulerNameNotAllowed spec.schedulerName"},
      {"past every scheduler", R"({"nodeName": "n1"})", "NodeNameNotAllowed spec.nodeName"},
      {"a toleration", R"({"tolerations": [{"key": "a", "operator": "Exists"}]})",
       "TolerationNotAllowed spec.tolerations[0]"},
      {"a node selector", R"({"nodeSelector": {"disk": "ssd"}})",
       "NodeSelectorNotAllowed spec.nodeSelector[disk]"},
      {"node affinity", node_affinity, "AffinityNotAllowed spec.affinity.nodeAffinity"},
      {"pod affinity", pod_affinity, "AffinityNotAllowed spec.affinity.podAffinity"},
      {"pod anti-affinity", pod_anti_affinity, "AffinityNotAllowed spec.affinity.podAntiAffinity"},
  };
  check_cases(list_of(restricted), cases);
}

TEST_CASE("default policies: restricted-multiarch-by-node-selector") {
  const std::string policies = list_of(by_node_selector);
  CHECK(canonical(admitted("{}", policies)) == canonical(R"({
    "schedulerName": "default-scheduler",
    "nodeSelector": {"beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "Linux"}})"));
  CHECK(canonical(admitted(R"({"nodeSelector": {"beta.kubernetes.io/arch": "arm64"}})",
                           policies)) == canonical(R"({
    "schedulerName": "default-scheduler",
    "nodeSelector": {"beta.kubernetes.io/arch": "arm64", "beta.kubernetes.io/os": "Linux"}})"));
  constexpr Case cases[] = {
      {"nothing", "{}", "allowed"},
      {"another of the required values",
       R"({"nodeSelector": {"beta.kubernetes.io/arch": "arm64", "beta.kubernetes.io/os":
           "Windows"}})",
       "allowed"},
      {"a value that is not required", R"({"nodeSelector": {"beta.kubernetes.io/os": "linux"}})",
       "NodeSelectorRequired spec.nodeSelector[beta.kubernetes.io/os]"},
      {"another scheduler", R"({"schedulerName": "my-scheduler"})",
       "SchedulerNameRequired spec.schedulerName"},
      {"another key", R"({"nodeSelector": {"disk": "ssd"}})",
       "NodeSelectorNotAllowed spec.nodeSelector[disk]"},
  };
  check_cases(policies, cases);
}

TEST_CASE("default policies: restricted-multiarch-by-affinity asks for both in every term") {
  const std::string policies = list_of(by_affinity);
  CHECK(canonical(admitted("{}", policies)) == canonical(R"({
    "schedulerName": "default-scheduler",
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
      "nodeSelectorTerms": [{"matchExpressions": [
        {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
        {"key": "beta.kubernetes.io/os", "operator": "In", "values": ["Linux"]}]}]}}}})"));
  constexpr Case cases[] = {
      {"nothing", "{}", "allowed"},
      {"other required values",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["arm64"]},
             {"key": "beta.kubernetes.io/os", "operator": "In", "values": ["Windows"]}]}]}}}})",
       "allowed"},
      {"one of the two",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["arm64"]}]}]}}}})",
       "AffinityRequired "
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"},
      {"either of the two",
       R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [
             {"matchExpressions": [
               {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["arm64"]}]},
             {"matchExpressions": [
               {"key": "beta.kubernetes.io/os", "operator": "In", "values": ["Windows"]}]}]}}}})",
       "AffinityRequired "
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution; "
       "AffinityRequired "
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"},
  };
  check_cases(policies, cases);
}

TEST_CASE("default policies: privileged allows everything and gives nothing") {
  const std::string policies = list_of(privileged);
  constexpr const char* everything = R"({"schedulerName":"my-scheduler","nodeName":"n1",)"
                                     R"("priorityClassName":"gold","nodeSelector":{"disk":"ssd"},)"
                                     R"("tolerations":[{"operator":"Exists"}]})";
  CHECK(admitted(everything, policies) == everything);
  CHECK(admitted("{}", policies) == "{}");
  constexpr Case cases[] = {
      {"node affinity", node_affinity, "allowed"},
      {"pod affinity", pod_affinity, "allowed"},
      {"pod anti-affinity", pod_anti_affinity, "allowed"},
  };
  check_cases(policies, cases);
}

constexpr std::string_view restricted_role = R"({
  "apiVersion": "rbac.authorization.k8s.io/v1",
  "kind": "ClusterRole",
  "metadata": {
    "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
    "name": "sp:restricted"
  },
  "rules": [{
    "apiGroups": ["extensions"],
    "resources": ["schedulingpolicies"],
    "verbs": ["use"],
    "resourceNames": ["restricted"]
  }]
})";

constexpr std::string_view restricted_binding = R"({
  "apiVersion": "rbac.authorization.k8s.io/v1",
  "kind": "ClusterRoleBinding",
  "metadata": {
    "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
    "name": "sp:restricted"
  },
  "roleRef": {
    "apiGroup": "rbac.authorization.k8s.io",
    "kind": "ClusterRole",
    "name": "sp:restricted"
  },
  "subjects": [{
    "kind": "Group",
    "name": "system:authenticated",
    "apiGroup": "rbac.authorization.k8s.io"
  }]
})";

constexpr std::string_view kube_system_binding = R"({
  "apiVersion": "rbac.authorization.k8s.io/v1",
  "kind": "RoleBinding",
  "metadata": {
    "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
    "name": "sp:kube-system-privileged",
    "namespace": "kube-system"
  },
  "roleRef": {
    "apiGroup": "rbac.authorization.k8s.io",
    "kind": "ClusterRole",
    "name": "sp:privileged"
  },
  "subjects": [{
    "kind": "Group",
    "name": "system:serviceaccounts:kube-system",
    "apiGroup": "rbac.authorization.k8s.io"
  }]
})";

TEST_CASE("RBAC: the objects are the built-in ones") {
  namespace rbac = schedpol::rbac;
  CHECK(text_of(schedpol::json::decode<rbac::ClusterRole>(restricted_role)) ==
        schedpol::json::encode(rbac::restricted_cluster_role()));
  CHECK(text_of(schedpol::json::decode<rbac::ClusterRoleBinding>(restricted_binding)) ==
        schedpol::json::encode(rbac::restricted_cluster_role_binding()));
  CHECK(text_of(schedpol::json::decode<rbac::RoleBinding>(kube_system_binding)) ==
        schedpol::json::encode(rbac::kube_system_privileged_role_binding()));
}

TEST_CASE("RBAC: anybody may use restricted, kube-system also privileged once its role is there") {
  const std::string privileged_role =
      schedpol::json::encode(schedpol::rbac::privileged_cluster_role());
  struct RbacCase {
    const char* name;
    const char* user;
    const char* in;
    bool with_privileged_role;
    const char* usable;
  };
  constexpr const char* team_account =
      R"({"name": "system:serviceaccount:team-a:default", "groups":
          ["system:serviceaccounts", "system:serviceaccounts:team-a", "system:authenticated"]})";
  constexpr const char* system_account =
      R"({"name": "system:serviceaccount:kube-system:default", "groups":
          ["system:serviceaccounts", "system:serviceaccounts:kube-system",
           "system:authenticated"]})";
  const RbacCase cases[] = {
      {"a service account", team_account, "team-a", true, R"(["restricted"])"},
      {"one of kube-system", system_account, "kube-system", true, R"(["privileged","restricted"])"},
      {"one of kube-system, elsewhere", system_account, "team-a", true, R"(["restricted"])"},
      {"another one, in kube-system", team_account, "kube-system", true, R"(["restricted"])"},
      {"the role that the document leaves out", system_account, "kube-system", false,
       R"(["restricted"])"},
      {"who is not authenticated", R"({"name": "system:anonymous",
                                       "groups": ["system:unauthenticated"]})",
       "team-a", true, "[]"},
  };
  for (const RbacCase& c : cases) {
    CAPTURE(c.name);
    std::string roles(restricted_role);
    if (c.with_privileged_role) roles += "," + privileged_role;
    const Json reply(schedpol::testing::ask(
        "rbac.usablePolicies",
        R"({"user":)" + std::string(c.user) + R"(,"namespace":")" + c.in +
            R"(","policies":["restricted","privileged","restricted-multiarch-by-affinity"],)" +
            R"("clusterRoles":[)" + roles + R"(],"clusterRoleBindings":[)" +
            std::string(restricted_binding) + R"(],"roleBindings":[)" +
            std::string(kube_system_binding) + "]}"));
    CHECK(reply.at("/result/usable") == c.usable);
  }
}

}  // namespace json_proposal_test
