// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/quoting.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/finding.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// What is said of a sort of findings.
struct FindingText {
  /// How the detail stands between the two parts of the text.
  enum class Detail { none, quoted, plain };

  std::string_view name;
  std::string_view before;
  Detail detail = Detail::none;
  std::string_view after{};
};

/// In the order of the codes. Names of findings, which the last one lists, need no escapes.
inline constexpr FindingText finding_texts[] = {
    {"DefaultDenied", "a pod that takes the default is denied: ", FindingText::Detail::plain},
    {"DefaultNotGiven", "pods are not given the default", FindingText::Detail::quoted,
     ", because not each of its terms holds what is required, and no node can meet them together"},
    {"DefaultContradicted", "all or a part of the default is not given to pods of ",
     FindingText::Detail::plain},
    {"RequirementUnmet", "nothing can meet the requirement", FindingText::Detail::quoted},
    {"RequirementLost", "the requirement", FindingText::Detail::quoted,
     " is hidden by an earlier policy, and pods that do not meet it are allowed"},
    {"EntryLost", "the entry", FindingText::Detail::quoted, " is hidden by an earlier policy"},
    {"EntryCovered", "other entries permit all that", FindingText::Detail::quoted, " permits"},
    {"RequirementEscaped",
     "a pod escapes the requirement with one more term, because terms are ORed"},
    {"StrategiesDisagree", "the merge strategy", FindingText::Detail::quoted, " allows other pods"},
    {"EveryPodDenied", "no pod is allowed"},
    {"EveryPodAllowed", "every pod is allowed"},
    {"NullEntry", "`kubectl apply` drops what is null, and what is left means any"},
    {"EntryMatchesNothing", "matches nothing: ", FindingText::Detail::plain, "; `[]` is any"},
    {"Ungoverned", "has no effect until `options.governs` lists it"},
    {"GrantedByWildcard", "the role", FindingText::Detail::quoted,
     " grants the use of policies through `*`"},
    {"GrantedInOtherGroup", "the rule grants no use of policies: ", FindingText::Detail::plain},
    {"GrantAddsRequirements", "may be used by", FindingText::Detail::quoted,
     ", whose pods are denied for what it requires"},
    {"GrantedToNobody", "nobody may use it"},
    {"RoleNotFound", "", FindingText::Detail::plain, ", which is not there, and grants nothing"},
    {"SelectsNothing", "no object has what the selector asks for"},
    {"WritesDiffer",
     "both can select one object, and write different values to it:", FindingText::Detail::quoted},
    {"UpdatesIgnored", "the rule rejects, so its updates have no effect"},
    {"SelectedLabelOverwritten", "the rule writes", FindingText::Detail::quoted,
     ", which it does not select, over a label by which it selects: a workload that selects its "
     "pods by the label loses them"},
    {"NeverFires", "the rule never fires, because all that it selects is rejected"},
    {"InjectedNotPermitted", "no SchedulingPolicy permits", FindingText::Detail::quoted,
     ", and whoever sets the labels that are selected gets it"},
    {"SelectionsOverlap", "both can select one pod, which is then denied"},
    {"UnitsOverlap", "a node can be in this unit and in", FindingText::Detail::quoted},
    {"NoNodeServes", "none of the nodes has the labels that the class asks for"},
    {"LimitExceeded", "a pod that they select is denied, because together they give it ",
     FindingText::Detail::plain, " items, which is more than it may be given"},
    {"DecidesTooEarly", "the system runs before", FindingText::Detail::quoted,
     ", so that it judges pods without what that adds to them: put it behind"},
    {"NotDecided", "too much to compare", FindingText::Detail::plain},
};
static_assert(std::size(finding_texts) == static_cast<std::size_t>(FindingCode::not_decided) + 1);

inline const FindingText& text_of(FindingCode code) noexcept {
  return finding_texts[std::min(static_cast<std::size_t>(code), std::size(finding_texts) - 1)];
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(FindingCode code) noexcept {
  return detail::text_of(code).name;
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
  const auto& [name, before, shown, after] = detail::text_of(finding.code);
  text += before;
  if (shown == detail::FindingText::Detail::quoted && !finding.detail.empty())
    text += " " + in_backticks(finding.detail);
  if (finding.code == FindingCode::not_decided && !finding.detail.empty())
    text += ", so that not all was found of ";
  if (shown == detail::FindingText::Detail::plain) text += finding.detail;
  return text += after;
}

}  // namespace SCHEDPOL_NAMESPACE
