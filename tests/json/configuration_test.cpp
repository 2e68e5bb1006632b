// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/configuration.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace json_configuration_test {

using namespace schedpol;
using engine::Configuration;
using engine::Mode;
using engine::PolicyUse;
using engine::Settings;
using engine::Step;
using engine::System;
using json::add_objects;

Configuration read(const std::vector<std::string>& documents) {
  Configuration configuration;
  for (const std::string& document : documents) {
    CAPTURE(document);
    REQUIRE(add_objects(configuration, document) == std::vector<FieldError>{});
  }
  return configuration;
}

TEST_CASE("objects of every kind find their place") {
  const Configuration read_all = read({
      R"({"kind":"RuntimeClass","metadata":{"name":"kata"},"handler":"kata"})",
      R"({"kind":"MetadataPolicy","metadata":{"name":"m","namespace":"n"},"spec":{}})",
      R"({"kind":"PodSchedulingPolicy","metadata":{"name":"p","namespace":"n"},"spec":{}})",
      R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"c"},"spec":{}})",
      R"({"kind":"SchedulingPolicy","metadata":{"name":"s"},"spec":{}})",
      R"({"kind":"ResourcePolicy","metadata":{"name":"r","namespace":"n"},"spec":{}})",
      R"({"kind":"Namespace","metadata":{"name":"n","labels":{"team":"a"}},"spec":{"x":1},"status":{}})",
      R"({"kind":"Role","metadata":{"name":"role","namespace":"n"}})",
      R"({"kind":"ClusterRole","metadata":{"name":"cluster-role"}})",
      R"({"kind":"RoleBinding","metadata":{"name":"binding","namespace":"n"}})",
      R"({"kind":"ClusterRoleBinding","metadata":{"name":"cluster-binding"}})",
      R"({"apiVersion":"schedpol.io/v1alpha1","kind":"EngineConfiguration","metadata":{"name":"x"},)"
      R"("systems":[{"system":"SchedulingPolicy","mode":"Warn"},{"system":"RuntimeClass"}],)"
      R"("policyUse":"Every","strategy":"FirstSeenWins","access":{"apiGroup":"example.com"},)"
      R"("options":{"nodeName":"Ignore","exemptTolerations":[{"key":"mine"}]},)"
      R"("daemonSetController":"system:kube-controller-manager",)"
      R"("placers":["system:serviceaccount:kueue-system:kueue-controller-manager"],)"
      R"("namespaceModes":{"weakest":"Audit"},)"
      R"("templates":[{"group":"argoproj.io","kind":"Rollout","path":"spec.template"}],)"
      R"("metadataPolicy":{"exemptKinds":["Event"],"exemptGroups":[],"qosAnnotation":"Always"}})",
  });
  CHECK(read_all.objects.runtime_classes.at(0).metadata.name == "kata");
  CHECK(read_all.objects.metadata_policies.at(0).metadata.name == "m");
  REQUIRE(read_all.objects.pod_scheduling_policies.size() == 2);
  CHECK(read_all.objects.pod_scheduling_policies[1].kind ==
        pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy);
  CHECK(read_all.objects.scheduling_policies.at(0).metadata.name == "s");
  CHECK(read_all.objects.resource_policies.at(0).metadata.name == "r");
  CHECK(read_all.objects.namespaces.at(0).metadata.labels == Labels{{"team", "a"}});
  CHECK(read_all.objects.rbac.roles.at(0).metadata.name == "role");
  CHECK(read_all.objects.rbac.cluster_roles.at(0).metadata.name == "cluster-role");
  CHECK(read_all.objects.rbac.role_bindings.at(0).metadata.name == "binding");
  CHECK(read_all.objects.rbac.cluster_role_bindings.at(0).metadata.name == "cluster-binding");
  CHECK(read_all.systems == std::vector<Step>{{System::scheduling_policy, Mode::warn},
                                              {System::runtime_class, Mode::enforce}});
  CHECK(read_all.settings.policy_use == PolicyUse::every);
  CHECK(read_all.settings.access ==
        rbac::Access{.verb = "use", .api_group = "example.com", .resource = "schedulingpolicies"});
  CHECK(read_all.settings.strategy == scheduling_policy::MergeStrategy::first_seen_wins);
  CHECK(read_all.settings.daemon_set_controller == "system:kube-controller-manager");
  CHECK(read_all.settings.placers ==
        Texts{"system:serviceaccount:kueue-system:kueue-controller-manager"});
  CHECK(read_all.settings.namespace_modes == engine::NamespaceModes{Mode::audit});
  CHECK(read_all.settings.templates ==
        std::vector<engine::TemplatePath>{{"argoproj.io", "Rollout", "spec.template"}});
  CHECK(read_all.settings.metadata_policy ==
        metadata_policy::Options{.exempt_kinds = {"Event"},
                                 .exempt_groups = {},
                                 .qos_annotation = metadata_policy::QosAnnotation::always});
  CHECK(read_all.settings.options.node_name == scheduling_policy::NodeNameCheck::ignore);
  CHECK(read_all.settings.options.default_scheduler == DefaultScheduler::unspecified);
  REQUIRE(read_all.settings.options.exempt.tolerations.size() == 3);
  CHECK(read_all.settings.options.exempt.tolerations[0].key == "mine");
}

TEST_CASE("a configuration may say that default-scheduler is what a pod asks for") {
  const auto options = [](const std::string& text) {
    return read({R"({"kind":"EngineConfiguration","systems":[{"system":"SchedulingPolicy"}],)"
                 R"("options":)" +
                 text + "}"})
        .settings.options;
  };
  CHECK(options("{}") == engine::admission_options());
  CHECK(options(R"({"defaultScheduler":"Unspecified"})") == engine::admission_options());
  scheduling_policy::Options specified = engine::admission_options();
  specified.default_scheduler = DefaultScheduler::specified;
  CHECK(options(R"({"defaultScheduler":"Specified"})") == specified);
}

TEST_CASE("a List adds its items") {
  CHECK(read({R"({"kind":"List","items":[{"kind":"Namespace","metadata":{"name":"a"}},)"
              R"({"kind":"Namespace","metadata":{"name":"b"}}]})"})
            .objects.namespaces.size() == 2);
  CHECK(read({R"({"kind":"List","items":[]})"}) == Configuration{});
}

TEST_CASE("MetadataPolicyList is a list of MetadataPolicy items, as the proposal has it") {
  // TypeMeta, ListMeta and Items; an API server leaves the items' own TypeMeta out.
  const Configuration configuration = read(
      {R"({"apiVersion":"schedpol.io/v1alpha1","kind":"MetadataPolicyList",)"
       R"("metadata":{"resourceVersion":"7","selfLink":""},"items":[)"
       R"({"metadata":{"name":"a","namespace":"n"},"spec":{"rules":[{"policyAction":{"reject":true}}]}},)"
       R"({"apiVersion":"schedpol.io/v1alpha1","kind":"MetadataPolicy","metadata":{"name":"b"}},)"
       R"({"apiVersion":null,"kind":null,"metadata":{"name":"c"}}]})"});
  const auto& policies = configuration.objects.metadata_policies;
  REQUIRE(policies.size() == 3);
  CHECK(policies[0].metadata == ObjectMeta{.name = "a", .namespace_ = "n"});
  CHECK(policies[0].spec.rules.at(0).policy_action.reject);
  CHECK(policies[1].metadata.name == "b");
  CHECK(policies[2].metadata.name == "c");
  Configuration others = configuration;
  others.objects.metadata_policies.clear();
  CHECK(others == Configuration{});
}

TEST_CASE("of every kind the list is read that an API server answers, beside others") {
  struct Case {
    std::string kind;
    std::string version;
  };
  const Case cases[] = {
      {"RuntimeClass", "node.k8s.io/v1"},
      {"MetadataPolicy", "schedpol.io/v1alpha1"},
      {"PodSchedulingPolicy", "kupid.gardener.cloud/v1alpha1"},
      {"ClusterPodSchedulingPolicy", "kupid.gardener.cloud/v1alpha1"},
      {"SchedulingPolicy", "schedpol.io/v1alpha1"},
      {"ResourcePolicy", "scheduling.sigs.x-k8s.io/v1alpha1"},
      {"Role", "rbac.authorization.k8s.io/v1"},
      {"ClusterRole", "rbac.authorization.k8s.io/v1"},
      {"RoleBinding", "rbac.authorization.k8s.io/v1"},
      {"ClusterRoleBinding", "rbac.authorization.k8s.io/v1"},
      {"Namespace", "v1"},
  };
  std::size_t kinds = 1;  // Namespace
  const Configuration none;
  for_each_list(none.objects, [&](const auto&, engine::ObjectKinds of) { kinds += of.size(); });
  CHECK(kinds == std::size(cases));
  for (const Case& c : cases) {
    CAPTURE(c.kind);
    const std::string item = R"("metadata":{"name":"x"})";
    const std::string head = R"("apiVersion":")" + c.version + R"(","kind":")" + c.kind;
    Configuration listed = read({"{" + head + R"(List","items":[{)" + item + "}]}"});
    CHECK(listed == read({"{" + head + "\"," + item + "}"}));
    CHECK(listed == read({"{" + head + R"(List","items":[{)" + head + "\"," + item + "}]}"}));
    CHECK(listed != Configuration{});
    CHECK(read({"{" + head + R"(List","items":[]})"}) == Configuration{});
  }
}

TEST_CASE("the Kind of the proposal's SchedulingPolicy is read wherever a kind is") {
  const std::string policy = R"({"Kind":"SchedulingPolicy","metadata":{"name":"s"},"spec":{}})";
  const std::string of_list = R"({"kind":"SchedulingPolicyList","items":[)" + policy + "]}";
  for (const std::string& document :
       {policy, of_list, R"({"kind":"List","items":[)" + policy + "]}"}) {
    CAPTURE(document);
    CHECK(read({document}).objects.scheduling_policies.at(0).metadata.name == "s");
  }
  struct Case {
    const char* document;
    ErrorType type;
    const char* field;
  };
  const Case cases[] = {
      {R"({"Kind":"MetadataPolicy","metadata":{"name":"m","namespace":"n"},"spec":{}})",
       ErrorType::required, "kind"},
      {R"({"kind":"MetadataPolicyList","items":[{"Kind":"SchedulingPolicy"}]})",
       ErrorType::not_supported, "items[0].kind"},
      {R"({"kind":"MetadataPolicy","Kind":"SchedulingPolicy","metadata":{"name":"m"},"spec":{}})",
       ErrorType::duplicate, "kind"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    Configuration configuration;
    const std::vector<FieldError> errors = add_objects(configuration, c.document);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].type == c.type);
    CHECK(to_string(errors[0].field) == c.field);
  }
  // Nobody can tell which spelling its author meant, but it is told which policy it is.
  Configuration configuration;
  CHECK(
      add_objects(
          configuration,
          R"({"kind":"SchedulingPolicy","Kind":"SchedulingPolicy","metadata":{"name":"s"},"spec":{}})")
          .empty());
  REQUIRE(configuration.objects.unreadable.size() == 1);
  CHECK(configuration.objects.unreadable[0].errors.at(0).type == ErrorType::duplicate);
}

TEST_CASE("what a list says of its items holds for those that cannot be read") {
  const Configuration configuration = read(
      {R"({"apiVersion":"example.com/v1","kind":"SchedulingPolicyList","items":[)"
       R"({"metadata":{"name":"p"},"spec":{"alowed":{}}}]})",
       R"({"kind":"ClusterPodSchedulingPolicyList","items":[)"
       R"({"metadata":{"name":"c"},"spec":{"podSelector":{"matchLabels":{"a":"b"}},"x":1}}]})"});
  CHECK(configuration.settings.access.api_group == "example.com");
  REQUIRE(configuration.objects.unreadable.size() == 2);
  CHECK(configuration.objects.unreadable[0].kind == "SchedulingPolicy");
  CHECK(configuration.objects.unreadable[0].name == "p");
  CHECK(configuration.objects.unreadable[1].kind == "ClusterPodSchedulingPolicy");
  CHECK(configuration.objects.unreadable[1].selects.size() == 1);
}

TEST_CASE("what is wrong is reported with its path, and nothing of the document is added") {
  struct Case {
    const char* document;
    ErrorType type;
    const char* field;
    const char* message = nullptr;  // null: as elsewhere
  };
  constexpr Case cases[] = {
      {"", ErrorType::invalid, ""},
      {"[]", ErrorType::type_invalid, "", "must be a Kubernetes object"},
      {"{}", ErrorType::required, "kind", "`kind`: required value: tells what the object is"},
      {R"({"kind":7})", ErrorType::required, "kind"},
      {R"({"kind":"Pod"})", ErrorType::not_supported, "kind",
       "`kind`: unsupported value `Pod`: is no object of a scheduling policy"},
      {R"({"kind":"NameSpace"})", ErrorType::not_supported, "kind",
       "`kind`: unsupported value `NameSpace`: is no object of a scheduling policy, did you mean "
       "`Namespace`"},
      {R"({"kind":"SchedulingPolicy","kind":"Namespace"})", ErrorType::duplicate, "kind"},
      {R"({"kind":"List"})", ErrorType::type_invalid, "items",
       "`items`: wrong type: must be a list of objects"},
      {R"({"kind":"List","items":[{"kind":"List","items":[]}]})", ErrorType::not_supported,
       "items[0].kind"},
      {R"({"kind":"List","items":[{"kind":"Namespace","metadata":{"name":"a"}},7]})",
       ErrorType::type_invalid, "items[1]"},
      {R"({"kind":"List","items":[{"kind":"Namespace","metadata":{"name":"a"}},)"
       R"({"kind":"SchedulingPolicy","spec":{"allow":{}}}]})",
       ErrorType::forbidden, "items[1].spec.allow"},
      {R"({"kind":"MetadataPolicyList"})", ErrorType::type_invalid, "items",
       "`items`: wrong type: must be a list of objects"},
      {R"({"kind":"RoleList","items":{}})", ErrorType::type_invalid, "items"},
      {R"({"kind":"RoleList","items":[{"metadata":{"name":"a"}},{"kind":"ClusterRole"}]})",
       ErrorType::not_supported, "items[1].kind",
       "`items[1].kind`: unsupported value `ClusterRole`: must be Role, which its list is of"},
      {R"({"kind":"RoleList","items":[{"kind":"RoleList","items":[]}]})", ErrorType::not_supported,
       "items[0].kind"},
      {R"({"kind":"RoleList","items":[{"kind":5,"metadata":{"name":"a"}}]})", ErrorType::required,
       "items[0].kind"},
      {R"({"kind":"RoleList","items":[null]})", ErrorType::type_invalid, "items[0]"},
      {R"({"apiVersion":"a.com/v1","kind":"SchedulingPolicyList","items":[)"
       R"({"apiVersion":"b.com/v1","kind":"SchedulingPolicy","metadata":{"name":"a"}}]})",
       ErrorType::not_supported, "items[0].apiVersion",
       "`items[0].apiVersion`: unsupported value `b.com/v1`: must be a.com/v1, which its list is "
       "of"},
      {R"({"apiVersion":"apps/v1","kind":"RoleList","items":[]})", ErrorType::not_supported,
       "apiVersion",
       "`apiVersion`: unsupported value `apps/v1`: must be rbac.authorization.k8s.io/v1"},
      {R"({"apiVersion":5,"kind":"NamespaceList","items":[]})", ErrorType::not_supported,
       "apiVersion"},
      {R"({"kind":"RoleList","items":[{"metadata":{},"x":1}]})", ErrorType::forbidden,
       "items[0].x"},
      {R"({"kind":"EngineConfigurationList","items":[]})", ErrorType::not_supported, "kind"},
      {R"({"kind":"PodList","items":[]})", ErrorType::not_supported, "kind",
       "`kind`: unsupported value `PodList`: is no object of a scheduling policy"},
      {R"({"kind":"Role","metadata":{"name":5}})", ErrorType::type_invalid, "metadata.name"},
      {R"({"kind":"Role","metadata":{"name":""},"rules":5})", ErrorType::type_invalid, "rules"},
      {R"({"kind":"Role","metadata":5})", ErrorType::type_invalid, "metadata"},
      {R"({"kind":"Role","metadata":{"name":"a","namespace":5}})", ErrorType::type_invalid,
       "metadata.namespace"},
      {R"({"apiVersion":"example.com/v1","kind":"Role","metadata":{"name":"a"}})",
       ErrorType::not_supported, "apiVersion"},
      {R"({"apiVersion":"example.com/v1","kind":"Namespace","metadata":{"name":"a"}})",
       ErrorType::not_supported, "apiVersion",
       "`apiVersion`: unsupported value `example.com/v1`: must be v1"},
      {R"({"apiVersion":5,"kind":"Role","metadata":{"name":"a"}})", ErrorType::type_invalid,
       "apiVersion"},
      {R"({"kind":"EngineConfiguration"})", ErrorType::required, "systems",
       "`systems`: required value: which systems run has to be said"},
      {R"({"kind":"EngineConfiguration","systems":[]})", ErrorType::required, "systems"},
      {R"({"kind":"EngineConfiguration","systems":[{}]})", ErrorType::required,
       "systems[0].system"},
      {R"({"kind":"EngineConfiguration","systems":[{"system":null}]})", ErrorType::required,
       "systems[0].system"},
      {R"({"kind":"EngineConfiguration","systems":[{"system":""}]})", ErrorType::not_supported,
       "systems[0].system"},
      {R"({"kind":"EngineConfiguration","systems":[{"system":"Kupid"}]})", ErrorType::not_supported,
       "systems[0].system",
       "`systems[0].system`: unsupported value `Kupid`: supported are RuntimeClass, "
       "MetadataPolicy, "
       "PodSchedulingPolicy, SchedulingPolicy, ResourcePolicy"},
      {R"({"kind":"EngineConfiguration","systems":[{"system":"RuntimeClass","mode":"Off"}]})",
       ErrorType::not_supported, "systems[0].mode"},
      {R"({"kind":"EngineConfiguration","systems":[{"system":"RuntimeClass"}],"policyuse":"Every"})",
       ErrorType::forbidden, "policyuse"},
      {R"({"kind":"EngineConfiguration","systems":[{"system":"RuntimeClass"}],"policyUse":"All"})",
       ErrorType::not_supported, "policyUse"},
      {R"({"kind":"EngineConfiguration","systems":[{"system":"RuntimeClass"}],"options":{"nodeNames":""}})",
       ErrorType::forbidden, "options.nodeNames"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    Configuration configuration;
    const auto errors = add_objects(configuration, c.document);
    REQUIRE(!errors.empty());
    CHECK(errors.front().type == c.type);
    CHECK(errors.front().field == c.field);
    if (c.message != nullptr) CHECK(message(errors.front()) == c.message);
    CHECK(configuration == Configuration{});
  }
}

TEST_CASE("a document that is refused leaves nothing behind of what was read before its error") {
  const Configuration before =
      read({R"({"kind":"EngineConfiguration","systems":[{"system":"RuntimeClass"}]})",
            R"({"kind":"Namespace","metadata":{"name":"a"}})",
            R"({"kind":"Role","metadata":{"name":"a","namespace":"a"}})"});
  for (const std::string last : {R"({"kind":"Role","metadata":{"name":5}})", R"({"kind":"Rol"})"}) {
    CAPTURE(last);
    Configuration configuration = before;
    CHECK(!add_objects(configuration,
                       R"({"kind":"List","items":[{"kind":"Namespace","metadata":{"name":"b"}},)"
                       R"({"kind":"Role","metadata":{"name":"b"}},)"
                       R"({"kind":"Role","metadata":{"name":"c"},"x":1},)"
                       R"({"kind":"SchedulingPolicy","metadata":{"name":"b"}},)" +
                           last + "]}")
               .empty());
    CHECK(configuration == before);
  }
  // Whatever comes after the error.
  Configuration late;
  CHECK(!add_objects(late,
                     R"({"kind":"List","items":[{"kind":"Role","metadata":{"name":5}},)"
                     R"({"kind":"EngineConfiguration","systems":[{"system":"RuntimeClass"}]}]})")
             .empty());
  CHECK(late == Configuration{});
  Configuration empty;
  CHECK(!add_objects(empty, R"({"kind":"List","items":[{"kind":"EngineConfiguration",)"
                            R"("systems":[{"system":"RuntimeClass"}]},{"kind":"RuntimeClas"}]})")
             .empty());
  CHECK(empty == Configuration{});
}

TEST_CASE("all that is wrong with a document that is refused is told, in its order") {
  Configuration configuration;
  const auto errors =
      add_objects(configuration,
                  R"({"kind":"List","items":[{"kind":"Role","metadata":{"name":"b"},"x":1,"y":2},)"
                  R"({"kind":"Rol"},{"kind":"Role","metadata":{}},5,)"
                  R"({"kind":"Role","metadata":{"name":"b"},"rules":7}]})");
  std::vector<std::string> fields;
  for (const FieldError& error : errors) fields.push_back(to_string(error.field));
  CHECK(fields == std::vector<std::string>{"items[0].x", "items[0].y", "items[1].kind", "items[3]",
                                           "items[4].rules"});
  // As far as there are no more than a hundred, of objects of any kind.
  for (const std::string object :
       {R"({"kind":"Rol"})", R"({"kind":"Role","metadata":{"name":"r"},"x":1})"}) {
    CAPTURE(object);
    std::string objects;
    for (int i = 0; i < 150; ++i) objects += object + ",";
    CHECK(add_objects(configuration, R"({"kind":"List","items":[)" + objects + "5]}").size() ==
          max_reported_errors);
  }
}

TEST_CASE("an object that cannot be read is noted by its name, with the pods that it may select") {
  struct Case {
    const char* object;
    engine::UnreadableObject noted;
    const char* error;
  };
  const auto labelled = [](const char* value) {
    return LabelSelector{.match_labels = {{"a", value}}};
  };
  const Case cases[] = {
      {R"({"kind":"SchedulingPolicy","metadata":{"name":"p","namespace":5},"spec":{}})",
       {.kind = "SchedulingPolicy", .name = "p"},
       "`metadata.namespace`: wrong type: must be a string, not a number"},
      {R"({"kind":"SchedulingPolicy","metadata":{"name":"p"},"spec":{"alowed":{}}})",
       {.kind = "SchedulingPolicy", .name = "p"},
       "`spec.alowed`: forbidden: unknown field, did you mean `allowed`"},
      {R"({"kind":"RuntimeClass","metadata":{"name":"p"},"handler":5})",
       {.kind = "RuntimeClass", .name = "p"},
       "`handler`: wrong type: must be a string, not a number"},
      {R"({"kind":"Namespace","metadata":{"name":"p","labels":[]}})",
       {.kind = "Namespace", .name = "p"},
       "`metadata.labels`: wrong type: must be an object, not a list"},
      {R"({"kind":"Role","metadata":{"name":"p","namespace":"n"},"rules":[{"resourceName":["x"]}]})",
       {.kind = "Role", .namespace_ = "n", .name = "p"},
       "`rules[0].resourceName`: forbidden: unknown field, did you mean `resourceNames`"},
      {R"({"apiVersion":null,"kind":"Role","metadata":{"name":"p","namespace":null},"rules":5})",
       {.kind = "Role", .name = "p"},
       "`rules`: wrong type: must be a list, not a number"},
      {R"({"kind":"PodSchedulingPolicy","metadata":{"name":"p","namespace":"n"},)"
       R"("spec":{"podSelector":{"matchLabels":{"a":"b"}},"nodeSelektor":{}}})",
       {.kind = "PodSchedulingPolicy",
        .namespace_ = "n",
        .name = "p",
        .selects = {{.labels = labelled("b")}}},
       "`spec.nodeSelektor`: forbidden: unknown field, did you mean `nodeSelector`"},
      {R"({"kind":"PodSchedulingPolicy","metadata":{"name":"p","namespace":"n"},)"
       R"("spec":{"podSelector":{"matchLabels":{"a":"b"},"match":1}}})",
       {.kind = "PodSchedulingPolicy", .namespace_ = "n", .name = "p", .selects = {{}}},
       "`spec.podSelector.match`: forbidden: unknown field"},
      {R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"p"},"spec":{"nodeName":1,)"
       R"("namespaceSelector":{"matchLabels":{"a":"b"}},"podSelector":{"matchLabels":{"a":"c"}}}})",
       {.kind = "ClusterPodSchedulingPolicy",
        .name = "p",
        .selects = {{.namespaces = labelled("b"), .labels = labelled("c")}}},
       "`spec.nodeName`: wrong type: must be a string, not a number"},
      {R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"p"},"spec":[]})",
       {.kind = "ClusterPodSchedulingPolicy", .name = "p", .selects = {{}}},
       "`spec`: wrong type: must be an object, not a list"},
      {R"({"kind":"ResourcePolicy","metadata":{"name":"p"},"spec":{"units":5,)"
       R"("podSelector":{"matchLabels":{"a":"b"}}}})",
       {.kind = "ResourcePolicy", .name = "p", .selects = {{.labels = labelled("b")}}},
       "`spec.units`: wrong type: must be a list, not a number"},
      {R"({"kind":"MetadataPolicy","metadata":{"name":"p","namespace":"n"},"spec":{"rules":[)"
       R"({"policyPredicate":{"labelSelector":{"matchLabels":{"a":"b"}}},)"
       R"("policyAction":{"reject":"true"}},)"
       R"({"policyPredicate":{"annotationSelector":{"matchLabels":{"a":"c"}}}}]}})",
       {.kind = "MetadataPolicy",
        .namespace_ = "n",
        .name = "p",
        .selects = {{.labels = labelled("b")}, {.annotations = labelled("c")}}},
       "`spec.rules[0].policyAction.reject`: wrong type: must be true or false, not a string"},
      {R"({"kind":"MetadataPolicy","metadata":{"name":"p","namespace":"n"},"spec":{"rules":[)"
       R"({"policyPredicate":{"labelSelector":{"matchLabels":{"a":"b"}}}},)"
       R"({"policyPredicat":{"labelSelector":{"matchLabels":{"a":"c"}}}}]}})",
       {.kind = "MetadataPolicy", .namespace_ = "n", .name = "p"},
       "`spec.rules[1].policyPredicat`: forbidden: unknown field, did you mean `policyPredicate`"},
      {R"({"kind":"MetadataPolicy","metadata":{"name":"p","namespace":"n"},"spec":{"rule":[]}})",
       {.kind = "MetadataPolicy", .namespace_ = "n", .name = "p"},
       "`spec.rule`: forbidden: unknown field, did you mean `rules`"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.object);
    // The others of its document are read all the same.
    const Configuration configuration =
        read({R"({"kind":"List","items":[{"kind":"Namespace","metadata":{"name":"a"}},)" +
              std::string(c.object) + R"(,{"kind":"Namespace","metadata":{"name":"b"}}]})"});
    CHECK(configuration.objects.namespaces.size() == 2);
    REQUIRE(configuration.objects.unreadable.size() == 1);
    engine::UnreadableObject noted = configuration.objects.unreadable[0];
    REQUIRE(noted.errors.size() == 1);
    CHECK(message(noted.errors[0]) == c.error);
    noted.errors.clear();
    CHECK(noted == c.noted);
    std::size_t others = 0;
    for_each_list(configuration.objects, [&](const auto& list, auto) { others += list.size(); });
    CHECK(others == 0);
  }
}

TEST_CASE("the spelling of a SchedulingPolicy's default is that of no policy after it") {
  const std::string spec = R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuring)"
                           R"(Execution":{"nodeSelectorTerms":[{"matchExpressions":)"
                           R"([{"keys":["a"],"operators":["Exists"]}]}]}}})";
  const Configuration configuration =
      read({R"({"kind":"List","items":[{"kind":"SchedulingPolicy","metadata":{"name":"s"},)"
            R"("spec":{"default":{)" +
            spec +
            R"(}}},{"kind":"PodSchedulingPolicy","metadata":{"name":"p","namespace":"n"},)"
            R"("spec":{"podSelector":{},)" +
            spec + "}}]}"});
  CHECK(configuration.objects.scheduling_policies.size() == 1);
  CHECK(configuration.objects.pod_scheduling_policies.empty());
  CHECK(configuration.objects.unreadable.size() == 1);
}

TEST_CASE("each object that cannot be read keeps its first error, a document a hundred more") {
  std::string objects;
  for (int i = 0; i < 300; ++i) {
    objects += (i == 0 ? "" : ",") + std::string(R"({"kind":"Role","metadata":{"name":"r)") +
               std::to_string(i) + R"("},"x":1,"y":2})";
  }
  const Configuration configuration = read({R"({"kind":"List","items":[)" + objects + "]}"});
  REQUIRE(configuration.objects.unreadable.size() == 300);
  CHECK(configuration.objects.unreadable[0].errors.size() == 2);
  CHECK(configuration.objects.unreadable[49].errors.size() == 2);
  CHECK(configuration.objects.unreadable[50].errors.size() == 1);
  CHECK(configuration.objects.unreadable[299].errors.size() == 1);
  CHECK(configuration.objects.unreadable[299].errors[0].field == "x");
}

TEST_CASE(
    "what a role has to grant is by default of the group that the SchedulingPolicies are of") {
  const std::string policy = R"({"apiVersion":"example.com/v1","kind":"SchedulingPolicy",)"
                             R"("metadata":{"name":"p"},"spec":{}})";
  const std::string unreadable = R"({"apiVersion":"example.com/v1","kind":"SchedulingPolicy",)"
                                 R"("metadata":{"name":"p"},"spec":{"x":1}})";
  const std::string usual = R"({"apiVersion":"schedpol.io/v1alpha1","kind":"SchedulingPolicy",)"
                            R"("metadata":{"name":"q"},"spec":{}})";
  const std::string role = R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",)"
                           R"("metadata":{"name":"r","namespace":"n"}})";
  const auto settings = [](const std::string& access) {
    return R"({"kind":"EngineConfiguration","systems":[{"system":"SchedulingPolicy"}]})" + access;
  };
  const auto with_group = [&](const std::string& group) {
    std::string text = settings("");
    text.insert(text.size() - 1, R"(,"access":{"apiGroup":")" + group + R"("})");
    return text;
  };
  struct Case {
    std::vector<std::string> documents;
    const char* group;
  };
  const Case cases[] = {
      {{}, ""},
      {{settings("")}, ""},
      {{policy}, "example.com"},
      {{unreadable}, "example.com"},
      {{policy, settings("")}, "example.com"},
      {{settings(""), policy}, "example.com"},
      {{settings(""), usual, policy}, "schedpol.io"},
      {{with_group("extensions"), policy}, "extensions"},
      {{with_group("schedpol.io"), policy}, "schedpol.io"},
      {{with_group("mine.com"), policy}, "mine.com"},
      {{policy, with_group("mine.com")}, "mine.com"},
      {{R"({"kind":"List","items":[)" + policy + "," + with_group("mine.com") + "]}"}, "mine.com"},
      {{R"({"kind":"List","items":[)" + policy + "," + settings("") + "]}"}, "example.com"},
      {{R"({"kind":"List","items":[)" + policy + "," + usual + "]}"}, "example.com"},
      {{R"({"apiVersion":"example.com/v1","kind":"SchedulingPolicyList","items":[)"
        R"({"metadata":{"name":"p"}}]})"},
       "example.com"},
      {{R"({"kind":"List","items":[)" + role + "," + policy + "]}"}, "example.com"},
  };
  for (const Case& c : cases) CHECK(read(c.documents).settings.access.api_group == c.group);
}

TEST_CASE("what is there already is not copied for every document that is added") {
  Configuration configuration;
  configuration.objects.scheduling_policies.reserve(2'000);
  const auto* first = configuration.objects.scheduling_policies.data();
  REQUIRE(
      add_objects(configuration, R"({"kind":"SchedulingPolicy","metadata":{"name":"q"}})").empty());
  CHECK(configuration.objects.scheduling_policies.data() == first);
  CHECK(configuration.objects.scheduling_policies.size() == 1);
}

TEST_CASE("a kind that is nearly one is said to be it") {
  Configuration configuration;
  const auto errors = add_objects(configuration, R"({"kind":"SchedulingPolicies"})");
  REQUIRE(errors.size() == 1);
  CHECK(message(errors[0]).find("is no object of a scheduling policy") != std::string::npos);
  CHECK(
      message(add_objects(configuration, R"({"kind":"schedulingpolicy"})")[0]) ==
      "`kind`: unsupported value `schedulingpolicy`: is no object of a scheduling policy, did you "
      "mean `SchedulingPolicy`");
  CHECK(message(add_objects(configuration, R"({"kind":"ClusterPodSchedulingPolic"})")[0])
            .ends_with("did you mean `ClusterPodSchedulingPolicy`"));
  CHECK(message(add_objects(configuration, R"({"kind":"EngineConfig"})")[0])
            .find("EngineConfiguration") == std::string::npos);
  CHECK(message(add_objects(configuration, R"({"kind":"EngineConfigurations"})")[0])
            .ends_with("did you mean `EngineConfiguration`"));
}

TEST_CASE("there is one EngineConfiguration") {
  Configuration configuration;
  const char* settings = R"({"kind":"EngineConfiguration","systems":[{"system":"RuntimeClass"}]})";
  REQUIRE(add_objects(configuration, settings).empty());
  const auto errors = add_objects(configuration, settings);
  REQUIRE(errors.size() == 1);
  CHECK(message(errors.front()) ==
        "`kind`: duplicate value `EngineConfiguration`: there is one already");
  Configuration of_one_list;
  CHECK(message(add_objects(of_one_list, R"({"kind":"List","items":[)" + std::string(settings) +
                                             "," + settings + "]}")
                    .front()) ==
        "`items[1].kind`: duplicate value `EngineConfiguration`: there is one already");
}

TEST_CASE("what an EngineConfiguration does not say is as it is without one") {
  const Configuration configuration =
      read({R"({"kind":"EngineConfiguration","systems":[{"system":"RuntimeClass"}]})"});
  CHECK(configuration.settings == Settings{});
}

TEST_CASE("every kind that a configuration has is read") {
  const Configuration all;
  for_each_list(all.objects, [](const auto&, engine::ObjectKinds kinds) {
    for (const engine::ObjectKind& kind : kinds) {
      CAPTURE(kind.name);
      const Configuration configuration =
          read({R"({"kind":")" + std::string(kind.name) + R"(","metadata":{"name":"x"}})"});
      std::size_t objects = 0;
      for_each_list(configuration.objects, [&](const auto& list, auto) { objects += list.size(); });
      CHECK(objects == 1);
    }
  });
}

}  // namespace json_configuration_test
