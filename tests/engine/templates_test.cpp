// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/templates.hpp>

#include "cluster_criteria.hpp"
#include "engines.hpp"

#include <schedpol/insight/adviser.hpp>

namespace templates_test {

using namespace engines;
using cluster_criteria_cases::configuration;
using cluster_criteria_cases::etcd;
using cluster_criteria_cases::required_node;
using engine::decide_templates;
using engine::TemplateRequest;
using engine::TemplatesDecision;

TemplateRequest asked(std::size_t index, std::vector<Toleration> tolerations = {}) {
  const FieldPath jobs{"spec", "replicatedJobs"};
  TemplateRequest request{
      .path = {"jobset.x-k8s.io", "JobSet", "spec.replicatedJobs[*].template.spec.template"},
      .place = jobs.index(index).join({"template", "spec", "template"})};
  request.request.object = {.kind = PodKind::pod_template,
                            .metadata = {.name = "train", .namespace_ = "shop"}};
  request.request.object.spec.tolerations = std::move(tolerations);
  return request;
}

TemplateRequest with(std::size_t index, std::string key) {
  return asked(index, {{.key = std::move(key), .operator_ = TolerationOperator::exists}});
}

TemplateRequest two_of(std::size_t index, std::string key, std::string other) {
  TemplateRequest request = with(index, std::move(key));
  request.request.object.spec.tolerations.push_back(
      {.key = std::move(other), .operator_ = TolerationOperator::exists});
  return request;
}

std::vector<std::string> fields(const TemplatesDecision& decision) {
  std::vector<std::string> all;
  for (const engine::StepDecision& step : decision.steps) {
    for (const Violation& each : step.violations) all.push_back(to_string(each.field));
    for (const Change& each : step.changes) all.push_back(to_string(each.field));
  }
  return all;
}

TEST_CASE("a field of a PodTemplate stands in the object where its template does") {
  CHECK(asked(1).in_object({"template", "spec", "tolerations"}) ==
        "spec.replicatedJobs[1].template.spec.template.spec.tolerations");
  CHECK(asked(0).in_object({"template"}) == "spec.replicatedJobs[0].template.spec.template");
}

TEST_CASE("an object of a custom kind is allowed where all its pod templates are") {
  const Engine engine = engine_of(batch_only());
  const std::string below = "].template.spec.template.spec.";
  const struct {
    const char* what;
    std::vector<TemplateRequest> templates;
    bool allowed;
    std::vector<std::string> fields;
  } cases[] = {
      {"no template", {}, true, {}},
      {"each gets what a policy gives",
       {asked(0), with(1, "spot")},
       true,
       {"spec.replicatedJobs[0" + below + "schedulerName",
        "spec.replicatedJobs[1" + below + "schedulerName"}},
      {"one is denied, and what the others would get is not told",
       {asked(0), with(1, "gpu"), asked(2)},
       false,
       {"spec.replicatedJobs[1" + below + "tolerations[0]"}},
      {"of one all is told",
       {two_of(0, "gpu", "tpu")},
       false,
       {"spec.replicatedJobs[0" + below + "tolerations[0]",
        "spec.replicatedJobs[0" + below + "tolerations[1]"}},
      {"several are",
       {with(0, "gpu"), asked(1), with(2, "gpu")},
       false,
       {"spec.replicatedJobs[0" + below + "tolerations[0]",
        "spec.replicatedJobs[2" + below + "tolerations[0]"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const TemplatesDecision decision =
        decide_templates(engine, c.templates, engine::InsightAdviser());
    CHECK(bool(decision.allowed) == c.allowed);
    CHECK(fields(decision) == c.fields);
    CHECK(decision.steps.size() == (c.fields.empty() ? 0 : 1));
    REQUIRE(decision.templates.size() == c.templates.size());
    for (std::size_t i = 0; i < c.templates.size(); ++i) {
      const std::string& scheduler = decision.templates[i].spec.scheduler_name;
      CHECK(scheduler == (c.allowed ? "batch" : ""));
    }
    // Every one that is denied is mended.
    std::vector<std::string> mended;
    for (const Change& each : decision.nearest_fix) mended.push_back(to_string(each.field));
    CHECK(mended == (c.allowed ? std::vector<std::string>() : c.fields));
  }
}

TEST_CASE("what decides on templates is a denial unless it allowed them") {
  TemplatesDecision decision = decide_templates(engine_of(batch_only()), {});
  CHECK(decision.allowed);
  const TemplatesDecision taken = std::move(decision);
  CHECK(taken.allowed);
  CHECK(!decision.allowed);  // NOLINT(bugprone-use-after-move)
  CHECK(!TemplatesDecision().allowed);
  const std::vector<TemplateRequest> one = {asked(0)};
  CHECK(!decide_templates(Engine(), one).allowed);
}

/// Has a fix for the first of several tolerations alone.
struct FirstTolerationAdviser final : engine::Adviser {
  std::vector<Change> nearest_fix(const Engine&, const engine::Request& request,
                                  const Decision&) const override {
    if (request.object.spec.tolerations.size() > 1) return {};
    return {{.field = {"template", "spec", "tolerations"}}};
  }
};

TEST_CASE("there is no fix for templates of which one has none") {
  const Engine engine = engine_of(batch_only());
  TemplateRequest two = with(1, "gpu");
  two.request.object.spec.tolerations.push_back({.key = "x"});
  const std::vector<TemplateRequest> both = {with(0, "gpu"), two};
  const auto fix_of = [&](std::span<const TemplateRequest> templates) {
    return decide_templates(engine, templates, FirstTolerationAdviser()).nearest_fix;
  };
  REQUIRE(fix_of(std::span(both).first(1)).size() == 1);
  CHECK(fix_of(std::span(both).first(1)).front().field ==
        "spec.replicatedJobs[0].template.spec.template.spec.tolerations");
  CHECK(fix_of(std::span(both).last(1)).empty());
  CHECK(fix_of(both).empty());
  CHECK(fix_of(std::vector{two, with(0, "gpu")}).empty());
}

// A template that a policy leaves a pair out of, because the template has another one.
TemplateRequest warned(std::size_t index) {
  TemplateRequest request = asked(index);
  request.request.object = etcd();
  request.request.object.kind = PodKind::pod_template;
  request.request.object.spec.node_selector = {{"disk", "ssd"}};
  return request;
}

std::vector<std::string> fields(const std::vector<Warning>& warnings) {
  std::vector<std::string> all;
  for (const Warning& each : warnings) all.push_back(to_string(each.field));
  return all;
}

TEST_CASE("what a system warns of stands where the template does") {
  Configuration made = configuration();
  made.objects.scheduling_policies[0].spec.allowed.node_selectors = any;
  const TemplatesDecision decision =
      decide_templates(engine_of(made), std::vector{warned(0), warned(1)});
  REQUIRE(decision.allowed);
  REQUIRE(decision.steps.size() == made.systems.size());
  CHECK(fields(decision.steps[2].warnings) ==
        std::vector<std::string>{
            "spec.replicatedJobs[0].template.spec.template.spec.nodeSelector[disk]",
            "spec.replicatedJobs[1].template.spec.template.spec.nodeSelector[disk]"});
}

TEST_CASE("that no node meets a template is told unless the object is denied") {
  Configuration made = configuration();
  made.systems = {{System::pod_scheduling_policy}, {System::scheduling_policy}};
  made.objects.pod_scheduling_policies[0].spec.affinity =
      required_node({{"pool", NodeSelectorOperator::gt, {"24"}}});
  scheduling_policy::PolicySection& allowed = made.objects.scheduling_policies[0].spec.allowed;
  allowed.node_selectors = any;
  allowed.affinities = any;
  const Engine engine = engine_of(made);
  TemplateRequest impossible = warned(1);
  impossible.request.object.spec.node_selector = {{"pool", "web"}};
  const std::vector<TemplateRequest> both = {warned(0), impossible};
  const TemplatesDecision decision = decide_templates(engine, both);
  REQUIRE(decision.allowed);
  CHECK(fields(decision.warnings) ==
        std::vector<std::string>{
            "spec.replicatedJobs[1].template.spec.template.spec.nodeSelector[pool]"});
  TemplateRequest denied = warned(0);
  denied.request.object.spec.tolerations = {
      {.key = "gpu", .operator_ = TolerationOperator::exists}};
  const TemplatesDecision denial = decide_templates(engine, std::vector{impossible, denied});
  CHECK(!denial.allowed);
  CHECK(denial.warnings.empty());
}

TEST_CASE("what is not known of templates is told with the denial") {
  Configuration made = batch_only();
  made.settings.policy_use = PolicyUse::rbac;
  const TemplatesDecision denial = decide_templates(engine_of(made), std::vector{asked(0)});
  CHECK(!denial.allowed);
  REQUIRE(denial.unknown.size() == 1);
  CHECK(denial.unknown[0].user == "system:serviceaccount:shop:default");
}

}  // namespace templates_test
