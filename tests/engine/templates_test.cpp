// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/templates.hpp>

#include "engines.hpp"

#include <schedpol/insight/adviser.hpp>

namespace templates_test {

using namespace engines;
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
}

}  // namespace templates_test
