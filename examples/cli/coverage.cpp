// SPDX-License-Identifier: Apache-2.0
#include "coverage.hpp"

#include "plan.hpp"
#include "rules.hpp"

#include "../support/json_members.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <future>
#include <iterator>
#include <span>
#include <thread>
#include <utility>

namespace cli {

namespace {

namespace engine = schedpol::engine;

/// What was decided, without the hints at what would have been permitted: those list rules that had
/// no part in it.
AdmissionResponse without_hints(AdmissionResponse response) {
  for (engine::StepDecision& step : response.steps)
    for (schedpol::Violation& violation : step.violations) violation.permitted = {};
  return response;
}

bool is_same(const AdmissionResponse& a, const AdmissionResponse& b) {
  return a.allowed == b.allowed && a.steps == b.steps && a.warnings == b.warnings;
}

/// The policies by name.
using NamedSource = decltype(PolicySet::sources)::value_type;

/// Decides all cases anew without one rule of some policies after another.
class CoverageSearch {
 public:
  CoverageSearch(const PolicySet& policies, const std::vector<DecidedCase>& cases)
      : policies_(policies), cases_(cases) {
    for (const DecidedCase& one : cases) decided_.push_back(without_hints(one.response));
  }

  Coverage run(std::span<const NamedSource* const> sources) && {
    for (const NamedSource* named : sources) {
      const auto& [name, source] = *named;
      const engine::Objects alone = objects_in(source.object.json());
      if (count_of_systems(alone) == 0) continue;
      const bool allows_in_vain = !alone.scheduling_policies.empty() &&
                                  !depends_on(without_allowed(source.object.json()), alone);
      for (const Rule& rule : rules_of(source.object.json()))
        look_at(rule, name, source, alone, allows_in_vain);
    }
    return std::move(coverage_);
  }

 private:
  /// `allows_in_vain`: no case depends on all that the policy allows, so that none does on a part of
  /// it: less permission never allows more.
  void look_at(const Rule& rule, const std::string& policy, const Source& source,
               const engine::Objects& alone, bool allows_in_vain) {
    ++coverage_.rules;
    UncoveredRule uncovered{.name = policy, .place = source.place(rule.field)};
    if (!rule.field.empty()) uncovered.name += "." + to_string(rule.field);
    const auto steps = rule.field.steps();
    if (const auto errors = errors_in(rule.without); !errors.empty()) {
      uncovered.inseparable = message(errors.front());
    } else if (!(allows_in_vain && steps.size() > 1 && steps[1].name == "allowed") &&
               depends_on(rule.without, alone)) {
      return;
    }
    coverage_.uncovered.push_back(std::move(uncovered));
  }

  static std::string without_allowed(const std::string& json) {
    auto members = support::read_object(json);
    auto spec = support::read_object(members["spec"].json);
    if (spec.erase("allowed") == 0) return json;
    members["spec"].json = schedpol::json::encode(spec);
    return schedpol::json::encode(members);
  }

  engine::Objects objects_in(const std::string& json) const {
    engine::Configuration configuration;
    if (!json.empty()) static_cast<void>(schedpol::json::add_objects(configuration, json));
    put_in_namespace(configuration.objects, policies_.namespace_);
    return std::move(configuration.objects);
  }

  std::vector<schedpol::FieldError> errors_in(const std::string& json) const {
    return json.empty() ? std::vector<schedpol::FieldError>() : validate_each(objects_in(json));
  }

  /// Whether a case is decided otherwise where a policy is `json`, or is not there. Those who write a
  /// case for each rule write them in the order of the rules, so the last one that differed is asked
  /// first.
  bool depends_on(const std::string& json, const engine::Objects& alone) {
    const engine::Engine engine =
        json.empty() ? policies_.engine.without(alone) : policies_.engine.with(objects_in(json));
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const std::size_t at = (differed_ + i) % cases_.size();
      if (is_same(without_hints(decide(engine, cases_[at].asked, Fixes::omitted)), decided_[at]))
        continue;
      differed_ = at;
      return true;
    }
    return json.empty() && depends_on_plan(alone);
  }

  /// Whether replicas of some case go elsewhere without these ResourcePolicies: those of a pod that
  /// one of them selects, as one that none selects goes anywhere.
  bool depends_on_plan(const engine::Objects& gone) const {
    PolicySet of_these;
    of_these.configuration.objects.resource_policies = gone.resource_policies;
    return std::any_of(cases_.begin(), cases_.end(), [&](const DecidedCase& one) {
      const schedpol::Pod* const pod = planned_pod(one.asked);
      return one.replicas > 0 && pod != nullptr && policy_of(of_these, *pod) != nullptr;
    });
  }

  const PolicySet& policies_;
  const std::vector<DecidedCase>& cases_;
  std::vector<AdmissionResponse> decided_;
  std::size_t differed_ = 0;
  Coverage coverage_;
};

}  // namespace

Coverage cover(const PolicySet& policies, const std::vector<DecidedCase>& cases) {
  std::vector<const NamedSource*> sources;
  for (const NamedSource& named : policies.sources) sources.push_back(&named);
  // Each processor has policies of its own, in the order in which they are told of.
  const std::size_t parts = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t each = (sources.size() + parts - 1) / parts;
  std::vector<std::future<Coverage>> searches;
  for (std::size_t first = 0; first < sources.size(); first += each) {
    const std::span part(sources.data() + first, std::min(each, sources.size() - first));
    searches.push_back(std::async(std::launch::async, [&policies, &cases, part] {
      return CoverageSearch(policies, cases).run(part);
    }));
  }
  Coverage coverage;
  for (std::future<Coverage>& search : searches) {
    Coverage found = search.get();
    coverage.rules += found.rules;
    std::move(found.uncovered.begin(), found.uncovered.end(),
              std::back_inserter(coverage.uncovered));
  }
  return coverage;
}

}  // namespace cli
