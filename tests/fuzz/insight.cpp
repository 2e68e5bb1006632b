// SPDX-License-Identifier: Apache-2.0
// What is said about policies: an input is {"before", "after", "pod"}, each of the first two with
// `policies`, `strategy` and `options`, or a `configuration`, the objects of a cluster. None of
// explain, compare, nearest_fix and analyze says anything that `admit` contradicts.

#include "fuzz.hpp"
#include "value.hpp"

#include <schedpol/core/pod.hpp>
#include <schedpol/engine/configuration.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/compare.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/nearest_fix.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>
#include <schedpol/resource_policy/admit.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

using namespace schedpol;
using namespace schedpol::scheduling_policy;
using fuzz::law;

namespace {

struct Side {
  std::vector<SchedulingPolicy> policies{};
  MergeStrategy strategy = MergeStrategy::smart_deep_merge;
  Options options{};
  EffectivePolicy effective{};

  explicit Side(const fuzz::Value& from) {
    if (const fuzz::Value* list = from.find("policies"))
      for (const fuzz::Value& policy : list->members)
        if (auto read = json::decode<SchedulingPolicy>(print(policy))) policies.push_back(*read);
    for (const MergeStrategy known : {MergeStrategy::first_seen_wins, MergeStrategy::simple_merge})
      if (from.at("strategy") == '"' + std::string(to_string(known)) + '"') strategy = known;
    if (auto read = json::decode<Options>(from.at("options"))) options = *read;
    effective = merge(policies, strategy);
  }

  [[nodiscard]] bool allows(const Pod& pod) const {
    return bool(admit(pod, effective, options).allowed);
  }
};

void check_pod(const Side& side, const Pod& pod, std::string_view shown) {
  const auto admission = admit(pod, side.effective, side.options);
  const auto explanation = explain(pod, side.effective, side.options);
  law(bool(explanation.allowed) == bool(admission.allowed), "explain allows what admit allows",
      shown);
  std::size_t denied = 0;
  for (const ExplainedItem& item : explanation.items) {
    if (!denies(item.ruling)) continue;
    law(denied < admission.violations.size() && admission.violations[denied].field == item.field,
        "what is explained to be denied is a violation", shown, to_string(item.field));
    ++denied;
  }
  law(denied == admission.violations.size(), "every violation is explained", shown);
  const auto found = nearest_fix(pod, side.effective, side.options);
  if (!found) return;
  const auto& fix = *found;
  law(!fix || side.allows(fix->pod), "a fixed pod is allowed", shown,
      fix ? json::encode(fix->pod) : "");
  law(!admission.allowed || (fix && fix->changes.empty()), "what is allowed needs no fix", shown);
  law(bool(admission.allowed) || !fix || !fix->changes.empty(), "a denied pod needs a fix", shown);
}

void check_compared(const Side& before, const Side& after, const Pod& pod, std::string_view shown) {
  const auto found = compare(before.effective, after.effective, before.options, after.options);
  const auto turned = compare(after.effective, before.effective, after.options, before.options);
  law(bool(found) == bool(turned), "a comparison can be turned", shown);
  if (!found) return;
  const auto& [relation, lost, won] = *found;
  const bool loses = relation == Relation::stricter || relation == Relation::incomparable;
  const bool wins = relation == Relation::looser || relation == Relation::incomparable;
  law(loses == bool(lost) && wins == bool(won), "what differs is shown", shown);
  law(loses == (turned->relation == Relation::looser || turned->relation == Relation::incomparable),
      "what is stricter is looser the other way", shown);
  law(!lost || (before.allows(*lost) && !after.allows(*lost)), "a pod is allowed before alone",
      shown, lost ? json::encode(*lost) : "");
  law(!won || (after.allows(*won) && !before.allows(*won)), "a pod is allowed after alone", shown,
      won ? json::encode(*won) : "");
  law(before.allows(pod) == after.allows(pod) || (before.allows(pod) ? loses : wins),
      "a comparison does not contradict admit", shown, to_string(relation));
}

/// What each finding says of its witness.
void check_witness(const Finding& finding, const Side& side, std::string_view shown) {
  if (!finding.witness) return;
  const bool allowed = side.allows(*finding.witness);
  const std::string about = message(finding) + json::encode(*finding.witness);
  if (finding.code == FindingCode::default_denied || finding.code == FindingCode::default_not_given)
    return law(!allowed, "who takes a default that is denied, or lacks one, is denied", shown,
               about);
  if (finding.code != FindingCode::strategies_disagree)
    return law(allowed, "the pod of a finding is allowed", shown, about);
  bool differs = false;
  for (const MergeStrategy other : {MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins,
                                    MergeStrategy::simple_merge}) {
    if (to_string(other) != finding.detail) continue;
    const auto effective = merge(side.policies, other);
    differs = admit(*finding.witness, effective, side.options).allowed != allowed;
  }
  law(differs, "strategies disagree about the pod", shown, about);
}

void check_analyzed(const Side& side, std::string_view shown) {
  const auto findings = analyze(side.policies, side.strategy, side.options);
  law(findings == analyze(side.policies, side.strategy, side.options),
      "a set of policies is analyzed in one way", shown);
  for (const Finding& finding : findings) check_witness(finding, side, shown);
}

void check_selected(const engine::Objects& objects, const Finding& finding,
                    std::string_view shown) {
  const Pod& pod = *finding.witness;
  const std::string about = message(finding) + json::encode(pod);
  if (finding.code == FindingCode::selections_overlap) {
    law(!resource_policy::admit(pod, objects.resource_policies).allowed,
        "a pod of two ResourcePolicies is denied", shown, about);
  } else if (finding.code == FindingCode::writes_differ && finding.namespace_) {
    std::vector<pod_scheduling_policy::PodSchedulingPolicy> usable =
        objects.pod_scheduling_policies;
    std::erase_if(usable, [](const auto& policy) { return !validate(policy).empty(); });
    const auto injection = pod_scheduling_policy::inject(pod, *finding.namespace_, usable);
    law(injection.applied.size() >= 2 && !injection.skipped.empty(),
        "of writes that differ one is skipped", shown, about);
  } else if (finding.code == FindingCode::writes_differ) {
    law(!metadata_policy::admit(pod.metadata, objects.metadata_policies).conflicts.empty(),
        "writes that differ conflict", shown, about);
  }
}

void check_configuration(const fuzz::Value& from, std::string_view shown) {
  engine::Configuration configuration;
  const auto list = R"({"kind":"List","items":)" + print(from) + "}";
  if (!json::add_objects(configuration, list).empty()) return;
  const auto findings = engine::analyze(configuration);
  law(findings == engine::analyze(configuration), "a cluster is analyzed in one way", shown);
  if (configuration.systems.empty()) configuration.systems = {{engine::System::scheduling_policy}};
  if (!validate(configuration).empty()) return;
  for (const engine::SystemFinding& found : findings)
    if (found.finding.witness) check_selected(configuration.objects, found.finding, shown);
  const auto engine = compile(configuration);
  for (const engine::SystemFinding& told : engine::analyze(*engine, configuration.objects)) {
    law(std::find(findings.begin(), findings.end(), told) != findings.end(),
        "who writes a policy is told what is found", shown, message(told));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view shown = fuzz::text(data, size);
  const auto input = fuzz::parse(shown);
  if (input && input->find("configuration") != nullptr)
    check_configuration(*input->find("configuration"), shown);
  if (!input || input->find("before") == nullptr || input->find("after") == nullptr) return 0;
  const auto pod = json::decode<Pod>(input->at("pod"));
  if (!pod) return 0;
  const Side before(*input->find("before"));
  const Side after(*input->find("after"));
  check_pod(before, *pod, shown);
  check_pod(after, *pod, shown);
  check_compared(before, after, *pod, shown);
  check_analyzed(before, shown);
  return 0;
}
