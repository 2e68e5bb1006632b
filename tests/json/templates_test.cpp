// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/templates.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace json_templates_test {

using namespace schedpol;

const std::vector<engine::TemplatePath> paths = {
    {"argoproj.io", "Rollout", "spec.template"},
    {"jobset.x-k8s.io", "JobSet", "spec.replicatedJobs[*].template.spec.template"},
    {"monitoring.coreos.com", "Prometheus", "spec"}};

std::string object_of(std::string_view version, std::string_view kind, std::string_view spec) {
  return R"({"apiVersion":")" + std::string(version) + R"(","kind":")" + std::string(kind) +
         R"(","metadata":{"name":"web","namespace":"shop","ownerReferences":[{"kind":"App",)"
         R"("name":"a","controller":true}]},"spec":)" +
         std::string(spec) + "}";
}
std::string rollout(std::string_view pod_template) {
  return object_of("argoproj.io/v1alpha1", "Rollout",
                   R"({"template":)" + std::string(pod_template) + "}");
}

std::string many_jobs(int count) {
  std::string jobs;
  for (int i = 0; i < count; ++i)
    jobs += R"({"name":"j)" + std::to_string(i) + R"(","template":{"spec":{"template":{}}}},)";
  jobs.pop_back();
  return object_of("jobset.x-k8s.io/v1alpha2", "JobSet", R"({"replicatedJobs":[)" + jobs + "]}");
}

TEST_CASE("pod templates of a custom kind are read where the paths lead, or what is wrong there") {
  const std::string batch = R"({"spec":{"schedulerName":"batch"}})";
  const std::string jobs = R"({"replicatedJobs":[{"template":{"spec":{"template":{}}}},)"
                           R"({"template":{"spec":{"template":)" +
                           batch + "}}}]}";
  const struct {
    const char* what;
    std::string object;
    std::vector<std::string> places;  ///< or the fields of what is wrong
    std::string old{};
  } cases[] = {
      {"one", rollout(batch), {"spec.template"}},
      {"each of a list",
       object_of("jobset.x-k8s.io/v1alpha2", "JobSet", jobs),
       {"spec.replicatedJobs[0].template.spec.template",
        "spec.replicatedJobs[1].template.spec.template"}},
      {"none that is null", rollout("null"), {}},
      {"none of another group", object_of("example.com/v1", "Rollout", R"({"template":{}})"), {}},
      {"none of another kind", object_of("argoproj.io/v1", "Workflow", R"({"template":{}})"), {}},
      {"one that an update brings", rollout(batch), {"spec.template"}, rollout("{}")},
      {"none that an update leaves alone", rollout(batch), {}, rollout(batch)},
      {"none that an update leaves alone, in a list without names",
       object_of("jobset.x-k8s.io/v1", "JobSet", jobs),
       {},
       object_of("jobset.x-k8s.io/v1", "JobSet", jobs)},
      {"none that an update takes away", rollout("null"), {}, rollout(batch)},
      {"none whose field an update takes away",
       object_of("argoproj.io/v1", "Rollout", "{}"),
       {},
       rollout(batch)},
      {"none whose list an update takes away",
       object_of("jobset.x-k8s.io/v1", "JobSet", "{}"),
       {},
       object_of("jobset.x-k8s.io/v1", "JobSet", jobs)},
      {"none of a list that is null",
       object_of("jobset.x-k8s.io/v1", "JobSet", R"({"replicatedJobs":null})"),
       {}},
      {"a text", rollout(R"("x")"), {"object.spec.template"}},
      {"a wrong type in one",
       rollout(R"({"spec":{"tolerations":3}})"),
       {"object.spec.template.spec.tolerations"}},
      {"a wrong type in the old one",
       rollout(batch),
       {"old.spec.template.spec.tolerations"},
       rollout(R"({"spec":{"tolerations":3}})")},
      {"fields of a pod's spec beside the spec",
       object_of("monitoring.coreos.com/v1", "Prometheus",
                 R"({"nodeSelector":{"a":"b"},"replicas":2,"tolerations":[]})"),
       {"object.spec.nodeSelector", "object.spec.tolerations"}},
      {"the same in the old one alone",
       object_of("monitoring.coreos.com/v1", "Prometheus", "{}"),
       {"spec"},
       object_of("monitoring.coreos.com/v1", "Prometheus", R"({"tolerations":[]})")},
      {"a list where a path goes on",
       object_of("argoproj.io/v1", "Rollout", "[1]"),
       {"object.spec"}},
      {"the same, which an update leaves alone",
       object_of("argoproj.io/v1", "Rollout", "[1]"),
       {},
       object_of("argoproj.io/v1alpha1", "Rollout", "[1]")},
      {"the same, which an update changes",
       object_of("argoproj.io/v1", "Rollout", "[1]"),
       {"object.spec"},
       object_of("argoproj.io/v1", "Rollout", "[2]")},
      {"no list where a path goes through one",
       object_of("jobset.x-k8s.io/v1", "JobSet", R"({"replicatedJobs":3})"),
       {"object.spec.replicatedJobs"}},
      {"the same, which an update leaves alone",
       object_of("jobset.x-k8s.io/v1", "JobSet", R"({"replicatedJobs":3})"),
       {},
       object_of("jobset.x-k8s.io/v1", "JobSet", R"({"replicatedJobs":3})")},
      {"more than are read", many_jobs(65), {"object.spec.replicatedJobs"}},
      {"more than are read, which an update leaves alone", many_jobs(65), {}, many_jobs(65)},
      {"more than are read, of which an update brings one",
       many_jobs(65),
       {"object.spec.replicatedJobs"},
       many_jobs(64)},
      {"an old object of another kind",
       rollout(batch),
       {"old.kind"},
       object_of("argoproj.io/v1", "Workflow", R"({"template":{}})")},
      {"an old object of another group",
       rollout(batch),
       {"old.apiVersion"},
       object_of("example.com/v1", "Rollout", R"({"template":{}})")},
      {"no document", "{", {""}},
      {"an old object that is none", rollout(batch), {""}, "{"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const auto read =
        json::read_templates({c.object, FieldPath{"object"}}, paths, {c.old, FieldPath{"old"}});
    std::vector<std::string> places;
    for (const FieldError& error : read.errors()) places.push_back(to_string(error.field));
    if (read)
      for (const engine::TemplateRequest& each : *read) places.push_back(to_string(each.place));
    CHECK(places == c.places);
  }
}

TEST_CASE("a template is asked about as in a PodTemplate of its object") {
  const auto read = json::read_templates(
      {rollout(R"({"metadata":{"name":"own","namespace":"other","labels":{"a":"b"}},)"
               R"("spec":{"schedulerName":"batch"}})")},
      paths);
  REQUIRE(read);
  REQUIRE(read->size() == 1);
  const auto& [path, place, request] = read->front();
  CHECK(path == paths[0]);
  CHECK(request.operation == engine::Operation::create);
  CHECK(request.object ==
        Pod{.kind = PodKind::pod_template,
            .metadata = {.name = "web",
                         .namespace_ = "shop",
                         .labels = {{"a", "b"}},
                         .owner_references = {{.kind = "App", .name = "a", .controller = true}}},
            .spec = {.scheduler_name = "batch"}});
  const auto updated = json::read_templates(
      {rollout(R"({"spec":{"containers":[{"name":"c","image":"b"}]}})")}, paths,
      {rollout(R"({"spec":{"containers":[{"name":"c","image":"a"}],"schedulerName":"batch"}})")});
  REQUIRE(updated);
  REQUIRE(updated->size() == 1);
  CHECK(updated->front().request.operation == engine::Operation::update);
  CHECK(updated->front().request.template_differs);
  CHECK(updated->front().request.old.object.spec.scheduler_name == "batch");
}

}  // namespace json_templates_test
