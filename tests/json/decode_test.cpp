// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/decode.hpp>

#include "decoded.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decode_test {

using namespace decoded_objects;

namespace rbac = schedpol::rbac;

TEST_CASE("an object is of the groups that its kind is in, in any version") {
  struct Case {
    const char* kind;
    const char* version;
    bool good;
  };
  constexpr Case cases[] = {
      {"SchedulingPolicy", "schedpol.io/v1alpha1", true},
      {"SchedulingPolicy", "extensions/v1alpha1", true},
      {"SchedulingPolicy", "extensions/valpha1", true},
      {"SchedulingPolicy", "schedpol.io/v1", true},
      {"SchedulingPolicy", "policy/v1alpha1", false},
      {"SchedulingPolicy", "v1", false},
      {"SchedulingPolicy", "extensions", false},
      {"SchedulingPolicy", "rbac.authorization.k8s.io/v1", false},
      {"SchedulingPolicy", "policy.kubernetes.io/v1", false},
      {"MetadataPolicy", "extensions/v1alpha1", true},
      {"MetadataPolicy", "example.com/v1", true},
      {"MetadataPolicy", "apps/v1", false},
      {"PodSchedulingPolicy", "kupid.gardener.cloud/v1alpha1", true},
      {"PodSchedulingPolicy", "example.com/v1", false},
      {"ClusterPodSchedulingPolicy", "kupid.gardener.cloud/v1", true},
      {"ResourcePolicy", "scheduling.sigs.x-k8s.io/v1alpha1", true},
      {"ResourcePolicy", "extensions/v1alpha1", false},
      {"RuntimeClass", "node.k8s.io/v1beta1", true},
      {"RuntimeClass", "v1", false},
      {"Role", "rbac.authorization.k8s.io/v1", true},
      {"Role", "rbac/v1", false},
      {"Node", "v1", true},
      {"Node", "node.k8s.io/v1", false},
      {"Pod", "v1", true},
      {"Pod", "apps/v1", false},
      {"Deployment", "apps/v1", true},
      {"Deployment", "extensions/v1beta1", true},
      {"Deployment", "example.com/v1", false},
      {"CronJob", "batch/v1", true},
      {"CronJob", "v1", false},
  };
  for (const auto& [kind, version, good] : cases) {
    CAPTURE(kind);
    CAPTURE(version);
    const std::string bytes = std::string(R"({"kind": ")") + kind + R"(", "apiVersion": ")" +
                              version + R"(", "metadata": {"name": "x"}})";
    std::string found;
    if (kind == "SchedulingPolicy"sv) found = errors<SchedulingPolicy>(bytes);
    if (kind == "MetadataPolicy"sv)
      found = errors<schedpol::metadata_policy::MetadataPolicy>(bytes);
    if (std::string_view(kind).ends_with("PodSchedulingPolicy"))
      found = errors<psp::PodSchedulingPolicy>(bytes);
    if (kind == "ResourcePolicy"sv)
      found = errors<schedpol::resource_policy::ResourcePolicy>(bytes);
    if (kind == "RuntimeClass"sv) found = errors<schedpol::runtime_class::RuntimeClass>(bytes);
    if (kind == "Role"sv) found = errors<schedpol::rbac::Role>(bytes);
    if (kind == "Node"sv) found = errors<schedpol::Node>(bytes);
    if (schedpol::pod_kind(kind)) found = errors<schedpol::Pod>(bytes);
    CHECK(found == (good ? "good" : "NotSupported apiVersion"));
  }
  CHECK(
      schedpol::message(
          decode<SchedulingPolicy>(R"({"apiVersion": "policy/v1", "metadata": {}})").errors()[0]) ==
      "`apiVersion`: unsupported value `policy/v1`: must be schedpol.io/v1alpha1, or of a group of "
      "its own CRD, which is a domain");
}

TEST_CASE("a key of a policy's map is no longer than a label key") {
  const auto with_key = [](std::size_t bytes) {
    return errors<SchedulingPolicy>(
        policy(R"({"allowed": {"nodeSelectors": {")" + std::string(bytes, 'k') + R"(": []}}})"));
  };
  CHECK(with_key(schedpol::max_label_key_bytes) == "good");
  CHECK(with_key(schedpol::max_label_key_bytes + 1) == "TooLong spec.allowed.nodeSelectors");
  // What a pod has is for who validates it.
  CHECK(errors<Pod>(R"({"metadata": {"labels": {")" + std::string(1'000, 'k') + R"(": ""}}})") ==
        "good");
}

TEST_CASE("an unknown field that is nearly one, and a kind, are said to be it") {
  const auto error = [](std::string_view bytes) {
    return schedpol::message(decode<SchedulingPolicy>(bytes).errors().front());
  };
  CHECK(error(R"({"metadata": {"name": "p"}, "spec": {"allow": {}}})") ==
        "`spec.allow`: forbidden: unknown field, did you mean `allowed`");
  CHECK(error(R"({"metadata": {"name": "p"}, "spec": {"allowed": {"nodeSelector": {}}}})") ==
        "`spec.allowed.nodeSelector`: forbidden: unknown field, did you mean `nodeSelectors`");
  CHECK(error(R"({"metadata": {"name": "p"}, "spec": {"allowed": {"nodes": {}}}})") ==
        "`spec.allowed.nodes`: forbidden: unknown field");
  CHECK(schedpol::message(decode<schedpol::Pod>(R"({"kind": "deployment"})").errors().front()) ==
        "`kind`: unsupported value `deployment`: must be Pod, or a workload that has a pod "
        "template, did you mean `Deployment`");
  CHECK(schedpol::message(decode<schedpol::Pod>(R"({"kind": "Pods"})").errors().front())
            .ends_with("did you mean `Pod`"));
}

TEST_CASE("a wrong type is told with what should stand there and what does") {
  const auto detail = [](std::string_view bytes) {
    const auto decoded = decode<schedpol::PodSpec>(bytes);
    return decoded ? "good" : decoded.errors().front().detail;
  };
  CHECK(detail(R"({"schedulerName": 5})") == "must be a string, not a number");
  CHECK(detail(R"({"schedulerName": 5.5})") == "must be a string, not a number");
  CHECK(detail(R"({"schedulerName": []})") == "must be a string, not a list");
  CHECK(detail(R"({"schedulerName": {}})") == "must be a string, not an object");
  CHECK(detail(R"({"tolerations": true})") == "must be a list, not true or false");
  CHECK(detail(R"({"affinity": "x"})") == "must be an object, not a string");
  CHECK(detail("null") == "must be an object, not null");
}

TEST_CASE("all errors are told, up to a number of them, in the order of the document") {
  CHECK(errors<schedpol::PodSpec>(R"({"nodeName": 1, "schedulerName": 2, "tolerations": 3})") ==
        "TypeInvalid nodeName; TypeInvalid schedulerName; TypeInvalid tolerations");
  std::string many = R"({"tolerations": [0)";
  for (int i = 1; i < 200; ++i) many += ",0";
  const auto decoded = decode<schedpol::PodSpec>(many + "]}");
  REQUIRE(!decoded);
  CHECK(decoded.errors().size() == schedpol::max_reported_errors);
}

TEST_CASE("a list of tolerations, and one of taints, has a bounded length") {
  const auto list = [](std::size_t length) {
    std::string text = "[{}";
    for (std::size_t i = 1; i < length; ++i) text += ",{}";
    return text + "]";
  };
  CHECK(read<std::vector<Toleration>>(list(schedpol::max_tolerations)).size() ==
        schedpol::max_tolerations);
  CHECK(read<std::vector<schedpol::Taint>>(list(schedpol::max_taints)).size() ==
        schedpol::max_taints);
  CHECK(errors<schedpol::NodeSpec>(R"({"taints":)" + list(schedpol::max_taints + 1) + "}") ==
        "TooMany taints");
  CHECK(errors<schedpol::PodSpec>(R"({"tolerations":)" + list(schedpol::max_tolerations + 1) +
                                  "}") == "TooMany tolerations");
}

TEST_CASE("bytes that are no document are one error without a field") {
  CHECK(errors<Pod>("") == "Invalid ");
  CHECK(errors<Pod>("{") == "Invalid ");
  CHECK(errors<Pod>(std::string(300, '[') + std::string(300, ']')) == "TooMany ");
  CHECK(errors<Pod>(R"({"spec": {"nodeName": "a", "nodeName": "a"}})") ==
        "Duplicate spec.nodeName");
}

TEST_CASE("RBAC objects are read whole") {
  const auto role = read<rbac::ClusterRole>(R"({
    "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
    "metadata": {"name": "r", "uid": "5"}, "aggregationRule": {"clusterRoleSelectors": [{}]},
    "rules": [{"verbs": ["use"], "apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"],
               "resourceNames": ["a", "b"]}, {"verbs": ["get"], "nonResourceURLs": ["/x"]}]
  })");
  CHECK(role.metadata.name == "r");
  REQUIRE(role.rules.size() == 2);
  CHECK(role.rules[0] == rbac::PolicyRule{.verbs = {"use"},
                                          .api_groups = {"schedpol.io"},
                                          .resources = {"schedulingpolicies"},
                                          .resource_names = {"a", "b"}});
  const auto binding = read<rbac::RoleBinding>(R"({
    "kind": "RoleBinding", "metadata": {"name": "b", "namespace": "team-a"},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
    "subjects": [{"kind": "ServiceAccount", "name": "s", "namespace": "team-b"},
                 {"kind": "User", "apiVersion": "x", "name": "u"}]
  })");
  CHECK(binding.metadata.namespace_ == "team-a");
  CHECK(binding.role_ref == rbac::RoleRef{"rbac.authorization.k8s.io", "Role", "r"});
  REQUIRE(binding.subjects.size() == 2);
  CHECK(binding.subjects[0] == rbac::Subject{"ServiceAccount", "", "s", "team-b"});
  CHECK(read<rbac::ClusterRoleBinding>(R"({"subjects": null})").subjects.empty());
}

TEST_CASE("a misspelt field of an RBAC object is refused, since it would grant more") {
  constexpr ErrorCase roles[] = {
      {"resourceName", R"({"rules": [{"verbs": ["use"], "resourceName": ["a"]}]})",
       "Forbidden rules[0].resourceName"},
      {"rule", R"({"rule": []})", "Forbidden rule"},
      {"in other case", R"({"rules": [{"Verbs": ["use"]}]})", "Forbidden rules[0].Verbs"},
      {"aggregation in a Role", R"({"aggregationRule": {}})", "Forbidden aggregationRule"},
      {"null among verbs", R"({"rules": [{"verbs": [null]}]})", "Required rules[0].verbs[0]"},
      {"verbs no list", R"({"rules": [{"verbs": "use"}]})", "TypeInvalid rules[0].verbs"},
      {"another kind", R"({"kind": "ClusterRole"})", "NotSupported kind"},
      {"Kind", R"({"Kind": "Role"})", "Forbidden Kind"},
      {"metadata", R"({"metadata": {"x": 1}})", "good"},
  };
  check_errors<rbac::Role>(roles);
  constexpr ErrorCase bindings[] = {
      {"rolRef", R"({"rolRef": {}})", "Forbidden rolRef"},
      {"a role reference's namespace", R"({"roleRef": {"namespace": "a"}})",
       "Forbidden roleRef.namespace"},
      {"a subject's group", R"({"subjects": [{"group": "a"}]})", "Forbidden subjects[0].group"},
      {"subjects no list", R"({"subjects": {}})", "TypeInvalid subjects"},
      {"a subject no object", R"({"subjects": ["a"]})", "TypeInvalid subjects[0]"},
      {"another kind", R"({"kind": "RoleBinding"})", "NotSupported kind"},
  };
  check_errors<rbac::ClusterRoleBinding>(bindings);
  constexpr ErrorCase users[] = {
      {"group", R"({"name": "a", "group": ["b"]})", "Forbidden group"},
      {"null among groups", R"({"name": "a", "groups": [null]})", "Required groups[0]"},
      {"a user", R"({"name": "a", "groups": ["b"]})", "good"},
  };
  check_errors<rbac::User>(users);
}

TEST_CASE("a selector is read with absent and empty told apart") {
  using Selector = std::optional<schedpol::LabelSelector>;
  CHECK(!read<Selector>("null"));
  CHECK((read<Selector>("{}") == schedpol::LabelSelector{}));
  CHECK((read<Selector>(R"({"matchLabels": null, "matchExpressions": []})") ==
         schedpol::LabelSelector{}));
  const auto selector = read<schedpol::LabelSelector>(
      R"({"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]})");
  CHECK(selector.match_labels == Labels{{"a", "b"}});
  REQUIRE(selector.match_expressions.size() == 1);
  CHECK(selector.match_expressions[0].operator_ == schedpol::LabelSelectorOperator::exists);
}

TEST_CASE("a value is read from a document as from its bytes, and from none that is not good") {
  schedpol::json::Document document;
  REQUIRE(document.parse(R"({"schedulerName": "a", "priority": "b"})"));
  CHECK(decode<schedpol::PodSpec>(document).errors() ==
        decode<schedpol::PodSpec>(R"({"schedulerName": "a", "priority": "b"})").errors());
  REQUIRE(document.parse(R"({"schedulerName": "a"})"));
  CHECK((*decode<schedpol::PodSpec>(document)).scheduler_name == "a");
  REQUIRE(!document.parse("{"));
  CHECK(decode<schedpol::PodSpec>(document).errors() == std::vector<FieldError>{document.error()});
}

TEST_CASE("true and false are no texts") {
  constexpr ErrorCase cases[] = {
      {"a text", R"({"policyAction": {"reject": "true"}})", "TypeInvalid policyAction.reject"},
      {"a number", R"({"policyAction": {"reject": 1}})", "TypeInvalid policyAction.reject"},
      {"true", R"({"policyAction": {"reject": true}})", "good"},
  };
  check_errors<mp::MetadataPolicyRule>(cases);
  CHECK(read<mp::MetadataPolicyRule>(R"({"policyAction": {"reject": true}})").policy_action.reject);
  CHECK(
      !read<mp::MetadataPolicyRule>(R"({"policyAction": {"reject": false}})").policy_action.reject);
}

TEST_CASE("an empty name is a field like any other that is not known") {
  constexpr ErrorCase cases[] = {
      {"at the top", R"({"metadata": {}, "": {}})", "Forbidden "},
      {"below", R"({"metadata": {}, "spec": {"": {}}})", "Forbidden spec."},
      {"where another spelling is known",
       R"({"metadata": {}, "spec": {"allowed": {"": []}, "default": {"": ""}}})",
       "Forbidden spec.allowed.; Forbidden spec.default."},
      {"in metadata", R"({"metadata": {"": 1}})", "good"},
  };
  check_errors<SchedulingPolicy>(cases);
  CHECK(errors<mp::MetadataPolicy>(R"({"metadata": {"name": "a"}, "": "x"})") == "Forbidden ");
  CHECK(errors<rbac::PolicyRule>(R"({"": 1})") == "good");
  CHECK(errors<rbac::Role>(R"({"rules": [{"": 1}]})") == "Forbidden rules[0].");
  CHECK(errors<Pod>(R"({"": 1, "spec": {"": 1}})") == "good");
}

TEST_CASE("a word of a vocabulary may be empty where there is a default, but not unknown") {
  using schedpol::scheduling_policy::Options;
  CHECK((read<Options>(R"({"requiredAffinity": "", "nodeName": ""})") == Options{}));
  CHECK(read<Options>(R"({"requiredAffinity": "Present"})").required_affinity ==
        schedpol::scheduling_policy::RequiredAffinity::present);
  const auto unknown = decode<Options>(R"({"nodeName": "ignore"})");
  REQUIRE(!unknown);
  CHECK(unknown.errors().front() ==
        FieldError{ErrorType::not_supported, "nodeName"_path, "ignore",
                   "supported are RequireAnyScheduler, Ignore, did you mean `Ignore`"});
  constexpr ErrorCase kinds[] = {
      {"empty", R"({"kind": ""})", "NotSupported kind"},
      {"absent", "{}", "Required kind"},
      {"null", R"({"kind": null})", "Required kind"},
      {"another", R"({"kind": "Pod"})", "NotSupported kind"},
      {"the cluster's", R"({"kind": "ClusterPodSchedulingPolicy", "metadata": {}})", "good"},
  };
  check_errors<psp::PodSchedulingPolicy>(kinds);
  CHECK(decode<psp::PodSchedulingPolicy>("{}").errors().front() ==
        FieldError{ErrorType::required, "kind"_path, "", "it has to be there"});
}

TEST_CASE("what is wrong with a policy is said in words") {
  const auto error = [](std::string_view spec) {
    const auto decoded = decode<SchedulingPolicy>(policy(spec));
    return decoded ? "good" : decoded.errors().front().detail;
  };
  CHECK(error(R"({"x": 1})") == "unknown field");
  CHECK(error(R"({"allowed": {"SchedulerNames": [], "schedulerNames": []}})") ==
        "`schedulerNames` and `SchedulerNames` are spellings of one field");
  CHECK(error(R"({"allowedAffinities": {}, "allowed": {"affinities": {}}})") ==
        "`allowed.affinities` and `allowedAffinities` are spellings of one field");
  const std::string in_expression = R"({"default": {"affinity": {"nodeAffinity":
      {"preferredDuringSchedulingIgnoredDuringExecution": [{"preference": {"matchFields": [)";
  CHECK(error(in_expression + R"({"key": "a", "keys": ["a"]}]}}]}}}})") ==
        "`key` and `keys` are spellings of one field");
  CHECK(error(in_expression + R"({"operators": []}]}}]}}}})") == "must list exactly one");
  CHECK(error(R"({"allowed": {"schedulerNames": [null]}})") == "must not be null");
  CHECK(error(R"({"default": {"nodeSelector": {"a": null}}})") == "must not be null");
  CHECK(error(R"({"default": {"tolerations": [{"value": "a", "values": []}]}})") ==
        "must not be set beside values");
  CHECK(decode<SchedulingPolicy>(R"({"kind": "Pod"})").errors().front() ==
        FieldError{ErrorType::not_supported, "kind"_path, "Pod", "must be SchedulingPolicy"});
  CHECK(decode<SchedulingPolicy>(R"({"kind": "SchedulingPolicy", "Kind": ""})").errors().front() ==
        FieldError{ErrorType::duplicate, "Kind"_path, "",
                   "`kind` and `Kind` are spellings of one field"});
  CHECK(decode<Pod>(R"({"kind": "Service"})").errors().front() ==
        FieldError{ErrorType::not_supported, "kind"_path, "Service",
                   "must be Pod, or a workload that has a pod template"});
}

}  // namespace decode_test
