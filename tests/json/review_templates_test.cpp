// SPDX-License-Identifier: Apache-2.0
// Reviews of custom resources that have pod templates, by the paths of the configuration.
#include <schedpol/json/review.hpp>

#include "reviews.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace review_templates_test {

using namespace reviews;

// Permits tolerations of `spot` and the scheduler `batch`, which it gives.
Engine custom_engine(std::string_view more = "") {
  engine::Configuration configuration;
  REQUIRE(
      json::add_objects(
          configuration,
          R"({"kind":"EngineConfiguration","policyUse":"Every","systems":[{"system":"SchedulingPolicy"})" +
              std::string(more) +
              R"(],"templates":[{"group":"argoproj.io","kind":"Rollout","path":"spec.template"},)"
              R"({"group":"jobset.x-k8s.io","kind":"JobSet","path":"spec.replicatedJobs[*].template.spec.template"},)"
              R"({"group":"example.com","kind":"Pair","path":"spec.leader"},)"
              R"({"group":"example.com","kind":"Pair","path":"spec.worker"}]})")
          .empty());
  REQUIRE(json::add_objects(configuration, batch_policy).empty());
  REQUIRE(json::add_objects(configuration, team_policy).empty());
  const auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

std::string template_with(std::string_view key, std::string_view image = "a") {
  std::string text = R"({"spec":{"schedulerName":"batch","nodeSelector":{"a/b.c":"d"},)";
  if (!key.empty())
    text.append(R"("tolerations":[{"key":")").append(key).append(R"(","operator":"Exists"}],)");
  return text.append(R"("containers":[{"name":"c","image":")").append(image).append(R"("}]}})");
}

std::string rollout(std::string_view of_template) {
  return R"({"metadata":{"name":"web"},"spec":{"replicas":1,"template":)" +
         std::string(of_template) + "}}";
}

struct NamedJob {
  std::string_view name;
  std::string of_template;
};

std::string job_set(const std::vector<NamedJob>& jobs) {
  std::string text = R"({"metadata":{"name":"train"},"spec":{"replicatedJobs":[)";
  for (const NamedJob& job : jobs) {
    if (text.back() == '}') text += ',';
    text += '{';
    if (!job.name.empty()) text.append(R"("name":")").append(job.name).append(R"(",)");
    text.append(R"("template":{"spec":{"template":)").append(job.of_template).append("}}}");
  }
  return text + "]}}";
}

constexpr std::string_view jobs_field = "spec.replicatedJobs";

// The fields of the violations; `changed`, `allowed` or `passed` where there are none.
std::vector<std::string> answer(std::string_view group, std::string_view kind,
                                std::string_view object, std::string_view old = "") {
  const std::string more = old.empty() ? "" : R"(,"oldObject":)" + std::string(old);
  const auto result = json::try_review(
      review_of(group, kind, object, old.empty() ? "CREATE" : "UPDATE", more), custom_engine());
  std::vector<std::string> fields;
  for (const FieldError& error : result.errors) fields.push_back(to_string(error.field));
  for (const engine::StepDecision& step : result.steps)
    for (const Violation& each : step.violations) fields.push_back(to_string(each.field));
  CHECK(fields.empty() ==
        (result.outcome == Outcome::allowed || result.outcome == Outcome::passed));
  if (!fields.empty()) return fields;
  if (result.outcome == Outcome::passed) return {"passed"};
  return {result.response.find("\"patch\"") == std::string::npos ? "allowed" : "changed"};
}

TEST_CASE(
    "the pod templates of a custom resource are decided on where the configuration has them") {
  struct Case {
    std::string_view what;
    std::string_view kind;  ///< with its group behind a slash
    std::string object;
    std::string old{};
    std::vector<std::string> answer;
  };
  const std::string spot = template_with("spot");
  const std::string gpu = template_with("gpu");
  const std::string other_gpu = template_with("gpu", "b");
  const std::vector<Case> cases = {
      {"what is permitted", "Rollout/argoproj.io", rollout(spot), "", {"allowed"}},
      {"what is given", "Rollout/argoproj.io", rollout(R"({"spec":{}})"), "", {"changed"}},
      {"what is not permitted",
       "Rollout/argoproj.io",
       rollout(gpu),
       "",
       {"spec.template.spec.tolerations[0]"}},
      {"a kind of another group", "Rollout/example.com", rollout(gpu), "", {"passed"}},
      {"a kind without paths", "CloneSet/apps.kruise.io", rollout(gpu), "", {"passed"}},
      {"without a template",
       "Rollout/argoproj.io",
       R"({"metadata":{"name":"web"},"spec":{}})",
       "",
       {"passed"}},
      {"a template that is null", "Rollout/argoproj.io", rollout("null"), "", {"passed"}},
      {"fields of a pod's spec beside the spec",
       "Rollout/argoproj.io",
       rollout(R"({"tolerations":[{"operator":"Exists"}],"replicas":1,"nodeSelector":{"a":"b"}})"),
       "",
       {"request.object.spec.template.nodeSelector", "request.object.spec.template.tolerations"}},
      {"a template that is none",
       "Rollout/argoproj.io",
       rollout("7"),
       "",
       {"request.object.spec.template"}},
      {"a field on the way that is none",
       "Rollout/argoproj.io",
       R"({"metadata":{"name":"web"},"spec":[]})",
       "",
       {"request.object.spec"}},
      {"a wrong type inside",
       "Rollout/argoproj.io",
       rollout(R"({"spec":{"tolerations":{}}})"),
       "",
       {"request.object.spec.template.spec.tolerations"}},
      {"an update that leaves it alone",
       "Rollout/argoproj.io",
       rollout(gpu),
       rollout(gpu),
       {"passed"}},
      {"another image", "Rollout/argoproj.io", rollout(other_gpu), rollout(gpu), {"allowed"}},
      {"a toleration more",
       "Rollout/argoproj.io",
       rollout(gpu),
       rollout(spot),
       {"spec.template.spec.tolerations[0]"}},
      {"a template that was not there",
       "Rollout/argoproj.io",
       rollout(gpu),
       rollout("null"),
       {"spec.template.spec.tolerations[0]"}},
      {"each item of a list",
       "JobSet/jobset.x-k8s.io",
       job_set({{"a", spot}, {"b", gpu}}),
       "",
       {"spec.replicatedJobs[1].template.spec.template.spec.tolerations[0]"}},
      {"all of them",
       "JobSet/jobset.x-k8s.io",
       job_set({{"a", gpu}, {"b", spot}, {"c", gpu}}),
       "",
       {"spec.replicatedJobs[0].template.spec.template.spec.tolerations[0]",
        "spec.replicatedJobs[2].template.spec.template.spec.tolerations[0]"}},
      {"a list that is none",
       "JobSet/jobset.x-k8s.io",
       R"({"metadata":{},"spec":{"replicatedJobs":{}}})",
       "",
       {"request.object.spec.replicatedJobs"}},
      {"items in another order",
       "JobSet/jobset.x-k8s.io",
       job_set({{"b", gpu}, {"a", spot}}),
       job_set({{"a", spot}, {"b", gpu}}),
       {"passed"}},
      {"a name more",
       "JobSet/jobset.x-k8s.io",
       job_set({{"a", gpu}, {"b", gpu}}),
       job_set({{"a", gpu}}),
       {"spec.replicatedJobs[1].template.spec.template.spec.tolerations[0]"}},
      {"a name twice",
       "JobSet/jobset.x-k8s.io",
       job_set({{"a", gpu}, {"a", gpu}}),
       job_set({{"a", gpu}}),
       {"spec.replicatedJobs[1].template.spec.template.spec.tolerations[0]"}},
      {"items without names",
       "JobSet/jobset.x-k8s.io",
       job_set({{"", gpu}, {"", gpu}}),
       job_set({{"", gpu}, {"", spot}}),
       {"spec.replicatedJobs[1].template.spec.template.spec.tolerations[0]"}},
      {"an item that loses its name",
       "JobSet/jobset.x-k8s.io",
       job_set({{"", other_gpu}}),
       job_set({{"a", gpu}}),
       {"allowed"}},
      {"several paths",
       "Pair/example.com",
       R"({"metadata":{"name":"p"},"spec":{"leader":)" + gpu + R"(,"worker":)" + gpu + "}}",
       "",
       {"spec.leader.spec.tolerations[0]", "spec.worker.spec.tolerations[0]"}},
  };
  for (const Case& each : cases) {
    CAPTURE(each.what);
    const auto slash = each.kind.find('/');
    CHECK(answer(each.kind.substr(slash + 1), each.kind.substr(0, slash), each.object, each.old) ==
          each.answer);
  }
}

TEST_CASE(
    "the templates of a custom resource are patched where they stand, beside its own metadata") {
  const auto patch = [](const Engine& engine, std::string_view group, std::string_view kind,
                        std::string_view object, Phase phase = Phase::mutating) {
    const Json reply(json::review(review_of(group, kind, object), engine, phase));
    CHECK(reply.at("/response/allowed") == "true");
    return reply.at("/response/patch") == "absent" ? ""
                                                   : decoded(reply.string_at("/response/patch"));
  };
  const std::string jobs =
      job_set({{"a", template_with("")}, {"b", R"({"spec":{"schedulerName":"batch"}})"}});
  CHECK(patch(custom_engine(), "jobset.x-k8s.io", "JobSet", jobs) ==
        R"([{"op":"add","path":"/spec/replicatedJobs/1/template/spec/template/spec/nodeSelector",)"
        R"("value":{"a/b.c":"d"}}])");
  CHECK(patch(custom_engine(), "jobset.x-k8s.io", "JobSet", jobs, Phase::validating).empty());
  CHECK(
      patch(custom_engine(R"(,{"system":"MetadataPolicy"})"), "argoproj.io", "Rollout",
            rollout(
                R"({"metadata":{"labels":{"team":"x"}},"spec":{"nodeSelector":{"a/b.c":"d"}}})")) ==
      R"([{"op":"add","path":"/metadata/labels","value":{"team":"shop"}},)"
      R"({"op":"add","path":"/spec/template/spec/schedulerName","value":"batch"}])");
  CHECK(patch(custom_engine(R"(,{"system":"MetadataPolicy"})"), "argoproj.io", "Rollout",
              rollout(template_with(""))) ==
        R"([{"op":"add","path":"/metadata/labels","value":{"team":"shop"}},)"
        R"({"op":"add","path":"/spec/template/metadata","value":{}},)"
        R"({"op":"add","path":"/spec/template/metadata/labels","value":{"team":"shop"}}])");
  // A reinvoked webhook finds nothing more to do.
  CHECK(patch(custom_engine(), "argoproj.io", "Rollout", rollout(template_with(""))).empty());
}

TEST_CASE(
    "a denied template of a custom resource says what it would be allowed with, where all would "
    "be") {
  const auto said = [](const std::vector<NamedJob>& jobs) {
    const Json reply(json::review(review_of("jobset.x-k8s.io", "JobSet", job_set(jobs)),
                                  custom_engine(), Phase::mutating, engine::InsightAdviser()));
    CHECK(reply.at("/response/allowed") == "false");
    return reply.string_at("/response/status/message");
  };
  CHECK(said({{"a", template_with("gpu")}}) ==
        "SchedulingPolicy: `spec.replicatedJobs[0].template.spec.template.spec.tolerations[0]`: "
        "toleration "
        "`gpu Exists` is not allowed by `batch` (permitted: `{keys: [spot], operators: [], "
        "effects: []}`); it would be "
        "allowed with `spec.replicatedJobs[0].template.spec.template.spec.tolerations[0]` cleared");
  CHECK(
      said({{"a", template_with("gpu")}, {"b", template_with("spot")}, {"c", template_with("gpu")}})
          .ends_with(
              "; it would be allowed with "
              "`spec.replicatedJobs[0].template.spec.template.spec.tolerations[0]` "
              "cleared and `spec.replicatedJobs[2].template.spec.template.spec.tolerations[0]` "
              "cleared"));
}

TEST_CASE("an engine is compiled of no malformed path to pod templates") {
  engine::Configuration configuration;
  configuration.systems = {{engine::System::scheduling_policy}};
  configuration.settings.templates = {{"argoproj.io", "Rollout", "spec..template"}};
  const auto engine = compile(configuration);
  REQUIRE(!engine);
  CHECK(engine.errors().front().field == "templates[0].path");
}

TEST_CASE("an object with more pod templates than are read is denied") {
  std::vector<NamedJob> jobs(engine::max_template_paths, {"", template_with("spot")});
  CHECK(answer("jobset.x-k8s.io", "JobSet", job_set(jobs)) == std::vector<std::string>{"allowed"});
  jobs.push_back(jobs.front());
  CHECK(answer("jobset.x-k8s.io", "JobSet", job_set(jobs)) ==
        std::vector<std::string>{"request.object." + std::string(jobs_field)});
}

}  // namespace review_templates_test
