// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/configuration.hpp>

#include "../support/print.hpp"

#include <string>
#include <type_traits>
#include <vector>

namespace engine_configuration_test {

using namespace schedpol;
using engine::Configuration;
using engine::System;
using pod_scheduling_policy::PolicyKind;

static_assert(std::is_aggregate_v<Configuration>);

// One policy that is right, and one system.
Configuration valid() {
  return {.systems = {{System::scheduling_policy}},
          .objects = {.scheduling_policies = {{.metadata = {.name = "batch"}}}}};
}

template <class Change>
Configuration with(Change&& change) {
  Configuration configuration = valid();
  change(configuration);
  return configuration;
}

std::vector<std::string> texts(const std::vector<FieldError>& errors) {
  std::vector<std::string> texts;
  for (const FieldError& error : errors) texts.push_back(message(error));
  return texts;
}

TEST_CASE("everything that is wrong with a configuration is reported with its object") {
  struct Case {
    const char* what;
    Configuration configuration;
    ErrorType type;
    const char* field;
  };
  const Case cases[] = {
      {"no systems", with([](auto& c) { c.systems.clear(); }), ErrorType::required, "systems"},
      {"a system twice", with([](auto& c) { c.systems.push_back(c.systems[0]); }),
       ErrorType::duplicate, "systems[1].system"},
      {"an invalid policy",
       with([](auto& c) { c.objects.scheduling_policies[0].spec.required.scheduler_names = any; }),
       ErrorType::required, "SchedulingPolicy[batch].spec.required.schedulerNames"},
      {"two policies of a name", with([](auto& c) {
         c.objects.scheduling_policies.push_back(c.objects.scheduling_policies[0]);
       }),
       ErrorType::duplicate, "SchedulingPolicy[batch].metadata.name"},
      {"no name", with([](auto& c) { c.objects.scheduling_policies[0].metadata.name.clear(); }),
       ErrorType::required, "SchedulingPolicy[].metadata.name"},
      {"a malformed name",
       with([](auto& c) { c.objects.scheduling_policies[0].metadata.name = "A"; }),
       ErrorType::invalid, "SchedulingPolicy[A].metadata.name"},
      {"a namespaced policy without a namespace",
       with([](auto& c) { c.objects.metadata_policies = {{.metadata = {.name = "m"}}}; }),
       ErrorType::required, "MetadataPolicy[/m].metadata.namespace"},
      {"a selector that cannot be used", with([](auto& c) {
         c.objects.pod_scheduling_policies = {
             {.metadata = {.name = "p", .namespace_ = "n"},
              .spec = {.pod_selector = {{.match_expressions = {{.key = "a"}}}}}}};
       }),
       ErrorType::invalid,
       "PodSchedulingPolicy[n/p].spec.podSelector.matchExpressions[0].operator"},
      {"a class without a handler",
       with([](auto& c) { c.objects.runtime_classes = {{.metadata = {.name = "kata"}}}; }),
       ErrorType::required, "RuntimeClass[kata].handler"},
      {"a negative maximum", with([](auto& c) {
         c.objects.resource_policies = {{.metadata = {.name = "r", .namespace_ = "n"},
                                         .spec = {.units = {{.max_count = -1}}}}};
       }),
       ErrorType::invalid, "ResourcePolicy[n/r].spec.units[0].maxCount"},
      {"two roles of a name", with([](auto& c) {
         c.objects.rbac.roles = {{.metadata = {.name = "r", .namespace_ = "n"}},
                                 {.metadata = {.name = "r", .namespace_ = "n"}}};
       }),
       ErrorType::duplicate, "Role[n/r].metadata.name"},
      {"a cluster role twice", with([](auto& c) {
         c.objects.rbac.cluster_roles = {{.metadata = {.name = "r"}}, {.metadata = {.name = "r"}}};
       }),
       ErrorType::duplicate, "ClusterRole[r].metadata.name"},
      {"a binding twice", with([](auto& c) {
         c.objects.rbac.role_bindings = {{.metadata = {.name = "b", .namespace_ = "n"}},
                                         {.metadata = {.name = "b", .namespace_ = "n"}}};
       }),
       ErrorType::duplicate, "RoleBinding[n/b].metadata.name"},
      {"a cluster binding without a name",
       with([](auto& c) { c.objects.rbac.cluster_role_bindings = {{}}; }), ErrorType::required,
       "ClusterRoleBinding[].metadata.name"},
      {"a role without a namespace",
       with([](auto& c) { c.objects.rbac.roles = {{.metadata = {.name = "r"}}}; }),
       ErrorType::required, "Role[/r].metadata.namespace"},
      {"a binding without a namespace",
       with([](auto& c) { c.objects.rbac.role_bindings = {{.metadata = {.name = "b"}}}; }),
       ErrorType::required, "RoleBinding[/b].metadata.namespace"},
      {"a resource policy without a namespace",
       with([](auto& c) { c.objects.resource_policies = {{.metadata = {.name = "r"}}}; }),
       ErrorType::required, "ResourcePolicy[/r].metadata.namespace"},
      {"a policy of the cluster kind twice", with([](auto& c) {
         const pod_scheduling_policy::PodSchedulingPolicy policy = {
             .kind = PolicyKind::cluster_pod_scheduling_policy, .metadata = {.name = "p"}};
         c.objects.pod_scheduling_policies = {policy, policy};
       }),
       ErrorType::duplicate, "ClusterPodSchedulingPolicy[p].metadata.name"},
      {"a policy of the cluster kind in a namespace", with([](auto& c) {
         c.objects.pod_scheduling_policies = {{.kind = PolicyKind::cluster_pod_scheduling_policy,
                                               .metadata = {.name = "p", .namespace_ = "n"}}};
       }),
       ErrorType::forbidden, "ClusterPodSchedulingPolicy[p].metadata.namespace"},
      {"two namespaces of a name", with([](auto& c) {
         c.objects.namespaces = {{{.name = "n"}}, {{.name = "n"}}};
       }),
       ErrorType::duplicate, "Namespace[n].metadata.name"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const auto errors = validate(c.configuration);
    REQUIRE(errors.size() == 1);
    CHECK(errors.front().type == c.type);
    CHECK(errors.front().field == c.field);
  }
}

TEST_CASE("what is right is no error") {
  CHECK(validate(valid()).empty());
  // Names tell objects of one kind and namespace.
  CHECK(validate(with([](auto& c) {
          c.objects.rbac.roles = {{.metadata = {.name = "r", .namespace_ = "a"}},
                                  {.metadata = {.name = "r", .namespace_ = "b"}}};
          c.objects.rbac.cluster_roles = {{.metadata = {.name = "r"}}};
          c.objects.pod_scheduling_policies = {
              {.metadata = {.name = "p", .namespace_ = "a"}},
              {.metadata = {.name = "p", .namespace_ = "b"}},
              {.kind = PolicyKind::cluster_pod_scheduling_policy, .metadata = {.name = "p"}}};
          c.objects.namespaces = {{{.name = "a"}}, {{.name = "b"}}};
        })).empty());
}

TEST_CASE("two objects are not taken for one because their texts run together") {
  CHECK(validate(with([](auto& c) {
          c.objects.rbac.roles = {{.metadata = {.name = "b/c", .namespace_ = "a"}},
                                  {.metadata = {.name = "c", .namespace_ = "a/b"}}};
        })).empty());
}

TEST_CASE("a missing name is said once, and what else is wrong besides") {
  CHECK(texts(engine::validate(
            {.systems = {{System::runtime_class}}, .objects = {.runtime_classes = {{}}}})) ==
        std::vector<std::string>{
            "`RuntimeClass[].metadata.name`: required value: an object is told by its name",
            "`RuntimeClass[].handler`: required value: a class has the name of its runtime"});
}

TEST_CASE("of objects by themselves it is said what is wrong with each, by their own paths") {
  engine::Objects objects = valid().objects;
  CHECK(engine::validate_each(objects).empty());
  objects.scheduling_policies.push_back(objects.scheduling_policies[0]);
  objects.scheduling_policies[1].spec.required.scheduler_names = any;
  objects.resource_policies = {{.spec = {.units = {{.max_count = -1}}}}};
  objects.unreadable = {{.kind = "Role",
                         .name = "r",
                         .errors = {{ErrorType::type_invalid, FieldPath{"rules"}, "", "is a text"},
                                    {ErrorType::invalid, FieldPath{"kind"}, "", "is none"}}},
                        {.kind = "Role", .name = "r"},
                        {.kind = "RoleBinding",
                         .name = "b",
                         .errors = {{ErrorType::required, FieldPath{"roleRef"}, "", "is needed"}}}};
  std::vector<std::string> fields;
  for (const FieldError& error : engine::validate_each(objects))
    fields.push_back(to_string(error.field));
  CHECK(fields == std::vector<std::string>{"spec.required.schedulerNames", "metadata.name",
                                           "spec.units[0].maxCount", "rules", "kind", "roleRef"});
}

TEST_CASE("everything that is wrong with an object that cannot be read is told with its name") {
  const Configuration configuration = with([](auto& c) {
    c.objects.unreadable = {
        {.kind = "Role",
         .namespace_ = "n",
         .name = "r",
         .errors = {{ErrorType::type_invalid, FieldPath{"rules"}, "", "is a text"},
                    {ErrorType::invalid, FieldPath{"kind"}, "", "is none"}}},
        {.kind = "Robot", .name = "r"}};
  });
  std::vector<std::string> fields;
  for (const FieldError& error : validate(configuration)) fields.push_back(to_string(error.field));
  CHECK(fields == std::vector<std::string>{"Role[n/r].rules", "Role[n/r].kind", "Robot[r].kind"});
}

TEST_CASE("a path to pod templates is well formed, listed once and of a custom kind") {
  struct Case {
    std::vector<engine::TemplatePath> templates;
    std::vector<std::string> fields{};
  };
  const engine::TemplatePath rollout{"argoproj.io", "Rollout", "spec.template"};
  const std::vector<Case> cases = {
      {{rollout}},
      {{rollout, {"argoproj.io", "Rollout", "spec.canary"}}},
      {{{"jobset.x-k8s.io", "JobSet", "spec.replicatedJobs[*].template.spec.template"}}},
      {{{"example.com", "Deployment", "spec.pod-template_2"}}},
      {{{"example.com", "Deep", "a[*].b[*].c"}}},
      {{rollout, rollout}, {"templates[1]"}},
      {{{"", "Rollout", "spec.template"}}, {"templates[0].group"}},
      {{{"", "Deployment", "spec.template"}}, {"templates[0].group"}},
      {{{"apps", "Rollout", "spec.template"}}, {"templates[0].group"}},
      {{{"argoproj.io/v1alpha1", "Rollout", "spec.template"}}, {"templates[0].group"}},
      {{{"argoproj.io", "", "spec.template"}}, {"templates[0].kind"}},
      {{{"apps", "Deployment", "spec.template"}}, {"templates[0].kind"}},
      {{{"", "Pod", "spec"}}, {"templates[0].kind"}},
      {{{"schedpol.io", "MetadataPolicy", "spec"}}, {"templates[0].kind"}},
      {{{"a.b", "C", ""}}, {"templates[0].path"}},
      {{{"a.b", "C", "spec..template"}}, {"templates[0].path"}},
      {{{"a.b", "C", ".spec.template"}}, {"templates[0].path"}},
      {{{"a.b", "C", "spec.template."}}, {"templates[0].path"}},
      {{{"a.b", "C", "spec.jobs[0].template"}}, {"templates[0].path"}},
      {{{"a.b", "C", "[*].template"}}, {"templates[0].path"}},
      {{{"a.b", "C", "spec/template"}}, {"templates[0].path"}},
      {{{"", "", ""}}, {"templates[0].kind", "templates[0].group", "templates[0].path"}},
  };
  for (const Case& each : cases) {
    Configuration configuration = valid();
    configuration.settings.templates = each.templates;
    CAPTURE(each.templates.front().path);
    std::vector<std::string> fields;
    for (const FieldError& error : validate(configuration))
      fields.push_back(to_string(error.field));
    CHECK(fields == each.fields);
  }
  Configuration many = valid();
  for (std::size_t i = 0; i < engine::max_template_paths; ++i)
    many.settings.templates.push_back({"example.com", "Kind", "spec.field" + std::to_string(i)});
  CHECK(validate(many).empty());
  many.settings.templates.push_back(rollout);
  CHECK(texts(validate(many)) ==
        std::vector<std::string>{"`templates`: too many `65`: at most 64 paths are read"});
}

TEST_CASE("what is wrong is said in words") {
  Configuration configuration = valid();
  configuration.systems = {{System::scheduling_policy}, {System::scheduling_policy}};
  configuration.objects.scheduling_policies.push_back(
      configuration.objects.scheduling_policies.front());
  configuration.objects.rbac.roles = {{.metadata = {.name = "r"}}};
  CHECK(texts(validate(configuration)) ==
        std::vector<std::string>{
            "`systems[1].system`: duplicate value `SchedulingPolicy`: a system runs once",
            "`SchedulingPolicy[batch].metadata.name`: duplicate value `batch`: another object has "
            "this name",
            "`Role[/r].metadata.namespace`: required value: without one it applies nowhere"});
  CHECK(texts(engine::validate({})) ==
        std::vector<std::string>{"`systems`: required value: which systems run has to be said"});
}

}  // namespace engine_configuration_test
