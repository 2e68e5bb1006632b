// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/text.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/finding.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE std::string_view to_string(FindingCode code) noexcept {
  switch (code) {
    case FindingCode::default_denied: return "DefaultDenied";
    case FindingCode::default_not_given: return "DefaultNotGiven";
    case FindingCode::requirement_unmet: return "RequirementUnmet";
    case FindingCode::requirement_lost: return "RequirementLost";
    case FindingCode::entry_lost: return "EntryLost";
    case FindingCode::entry_covered: return "EntryCovered";
    case FindingCode::requirement_escaped: return "RequirementEscaped";
    case FindingCode::strategies_disagree: return "StrategiesDisagree";
    case FindingCode::every_pod_denied: return "EveryPodDenied";
    case FindingCode::every_pod_allowed: return "EveryPodAllowed";
    case FindingCode::null_entry: return "NullEntry";
    case FindingCode::entry_matches_nothing: return "EntryMatchesNothing";
    case FindingCode::granted_by_wildcard: return "GrantedByWildcard";
    case FindingCode::grant_adds_requirements: return "GrantAddsRequirements";
    case FindingCode::granted_to_nobody: return "GrantedToNobody";
    case FindingCode::selects_nothing: return "SelectsNothing";
    case FindingCode::writes_differ: return "WritesDiffer";
    case FindingCode::updates_ignored: return "UpdatesIgnored";
    case FindingCode::never_fires: return "NeverFires";
    case FindingCode::given_unpermitted: return "GivenUnpermitted";
    case FindingCode::selections_overlap: return "SelectionsOverlap";
    case FindingCode::units_overlap: return "UnitsOverlap";
    case FindingCode::no_node_serves: return "NoNodeServes";
    case FindingCode::not_decided: return "NotDecided";
  }
  return "";
}

SCHEDPOL_INLINE std::string_view to_string(Severity severity) noexcept {
  switch (severity) {
    case Severity::error: return "Error";
    case Severity::warning: return "Warning";
    case Severity::info: break;
  }
  return "Info";
}

SCHEDPOL_INLINE std::string message(const Finding& finding) {
  std::string text;
  if (!finding.policies.empty()) text = in_backticks(finding.policies) + ": ";
  if (!finding.field.empty()) text += in_backticks(to_string(finding.field)) + ": ";
  const std::string detail = finding.detail.empty() ? "" : " " + in_backticks(finding.detail);
  switch (finding.code) {
    case FindingCode::default_denied:
      return text + "a pod that takes the default is denied: " + finding.detail;
    case FindingCode::default_not_given:
      return text + "pods are not given the default" + detail +
             ", because not each of its terms holds what is required, and no node can meet them "
             "together";
    case FindingCode::requirement_unmet: return text + "nothing can meet the requirement" + detail;
    case FindingCode::requirement_lost:
      return text + "the requirement" + detail +
             " is hidden by an earlier policy, and pods that do not meet it are allowed";
    case FindingCode::entry_lost:
      return text + "the entry" + detail + " is hidden by an earlier policy";
    case FindingCode::entry_covered:
      return text + "other entries permit all that" + detail + " permits";
    case FindingCode::requirement_escaped:
      return text + "a pod escapes the requirement with one more term, because terms are ORed";
    case FindingCode::strategies_disagree:
      return text + "the merge strategy" + detail + " allows other pods";
    case FindingCode::every_pod_denied: return text + "no pod is allowed";
    case FindingCode::every_pod_allowed: return text + "every pod is allowed";
    case FindingCode::null_entry:
      return text + "`kubectl apply` drops what is null, and what is left means any";
    case FindingCode::entry_matches_nothing:
      return text + "matches nothing: " + finding.detail + "; `[]` is any";
    case FindingCode::granted_by_wildcard:
      return text + "the role" + detail + " grants the use of policies through `*`";
    case FindingCode::grant_adds_requirements:
      return text + "may be used by" + detail + ", whose pods are denied for what it requires";
    case FindingCode::granted_to_nobody: return text + "nobody may use it";
    case FindingCode::selects_nothing: return text + "no object has what the selector asks for";
    case FindingCode::writes_differ:
      return text + "both can select one object, and write different values to it:" + detail;
    case FindingCode::updates_ignored:
      return text + "the rule rejects, so its updates have no effect";
    case FindingCode::never_fires:
      return text + "the rule never fires, because all that it selects is rejected";
    case FindingCode::given_unpermitted:
      return text + "no SchedulingPolicy permits" + detail +
             ", and whoever sets the labels that are selected gets it";
    case FindingCode::selections_overlap:
      return text + "both can select one pod, which is then denied";
    case FindingCode::units_overlap: return text + "a node can be in this unit and in" + detail;
    case FindingCode::no_node_serves:
      return text + "none of the nodes has the labels that the class asks for";
    case FindingCode::not_decided: break;
  }
  // Names of findings need no escapes.
  return text + "too much to compare" +
         (finding.detail.empty() ? "" : ", so that not all was found of " + finding.detail);
}

}  // namespace SCHEDPOL_NAMESPACE
