// SPDX-License-Identifier: Apache-2.0
#include "codes.hpp"

#include <schedpol/base/field_error.hpp>
#include <schedpol/core/admission.hpp>
#include <schedpol/insight/finding.hpp>

#include <functional>
#include <map>

namespace cli {

namespace {

// Each switch has every enumerator: the compiler says which one has no text.

CodeText text_of(schedpol::ViolationCode code) {
  constexpr std::string_view ask_or_leave_out =
      "Leave it out, use what is permitted, or have a SchedulingPolicy allow it.";
  constexpr std::string_view add_it = "Add what is required, or have the policy require less.";
  using Code = schedpol::ViolationCode;
  switch (code) {
    case Code::no_usable_policy:
      return {"No SchedulingPolicy may be used for the pod, so that nothing is permitted.",
              "Grant the pod's service account the verb `use` on a SchedulingPolicy."};
    case Code::moved_from: return {"There is no pod to judge.", "Decide on the pod itself."};
    case Code::ambiguous_policy:
      return {"Two different policies have one name, so that neither can be trusted.",
              "Rename or remove one of them."};
    case Code::scheduler_name_required:
      return {"The pod names another scheduler than the required ones.", add_it};
    case Code::scheduler_name_not_allowed:
      return {"Nothing permits the scheduler that the pod names.", ask_or_leave_out};
    case Code::node_name_not_allowed:
      return {"The pod names its node, and so goes past every scheduler.",
              "Leave `nodeName` out, and select nodes by their labels."};
    case Code::priority_class_name_required:
      return {"The pod has another priority class than the required ones.", add_it};
    case Code::priority_class_name_not_allowed:
      return {"Nothing permits the priority class of the pod.", ask_or_leave_out};
    case Code::node_selector_required:
      return {"A required key of the node selector is missing, or has another value.", add_it};
    case Code::node_selector_not_allowed:
      return {"Nothing permits a key or value of the node selector.", ask_or_leave_out};
    case Code::toleration_required: return {"None of the tolerations is the required one.", add_it};
    case Code::toleration_not_allowed:
      return {"Nothing permits a toleration of the pod.", ask_or_leave_out};
    case Code::affinity_required:
      return {"A required kind, mode or term of affinity is missing.", add_it};
    case Code::affinity_not_allowed:
      return {"Nothing permits an affinity of the pod.", ask_or_leave_out};
    case Code::runtime_class_name_required:
      return {"The pod has another runtime class than the required ones.", add_it};
    case Code::runtime_class_name_not_allowed:
      return {"Nothing permits the runtime class of the pod.", ask_or_leave_out};
    case Code::topology_spread_constraint_not_allowed:
      return {"Nothing permits a topology spread constraint of the pod.", ask_or_leave_out};
    case Code::scheduling_gate_not_allowed:
      return {"Nothing permits a scheduling gate of the pod.", ask_or_leave_out};
    case Code::resource_claim_not_allowed:
      return {"Nothing permits a claim, or a template of claims, that the pod refers to.",
              ask_or_leave_out};
    case Code::invalid_policy:
      return {"A policy that may be about the object cannot be used.",
              "Mend the policy: `schedpol lint` says what is wrong with it."};
    case Code::runtime_class_not_found:
      return {"The pod names a RuntimeClass that there is none of.",
              "Name one that there is, or add the RuntimeClass to the policies."};
    case Code::overhead_without_runtime_class:
      return {"The pod has an overhead that no RuntimeClass gives it.", "Leave `overhead` out."};
    case Code::overhead_mismatch:
      return {"The pod has another overhead than its RuntimeClass gives.", "Leave `overhead` out."};
    case Code::node_selector_conflict:
      return {"The node selector contradicts that of the pod's RuntimeClass.",
              "Leave the key out, or name another RuntimeClass."};
    case Code::rejected_by_rule:
      return {"A rule of a MetadataPolicy rejects objects with such labels or annotations.",
              "Change the labels or annotations that the rule selects."};
    case Code::namespace_not_found:
      return {"A policy looks at the labels of a namespace that is not known.",
              "Add the Namespace to the policies."};
    case Code::limit_exceeded:
      return {
          "The policies and the class that are about the pod give it more than a pod may be given.",
          "Have fewer policies select the pod, or have them give less."};
    case Code::multiple_resource_policies:
      return {"More than one ResourcePolicy selects the pod, so that no node can take it.",
              "Have each pod selected by one ResourcePolicy at most."};
  }
  return {};
}

CodeText text_of(schedpol::FindingCode code) {
  using Code = schedpol::FindingCode;
  switch (code) {
    case Code::default_denied:
      return {"A pod that takes the default is denied.", "Permit what the default gives."};
    case Code::default_not_given:
      return {"Pods are not given a default, because no node can meet its terms together.",
              "Have each of its terms hold what is required."};
    case Code::default_contradicted:
      return {
          "What a RuntimeClass or a policy of the cluster adds keeps a default from being given.",
          "Have the default agree with what is added."};
    case Code::requirement_unmet:
      return {"Nothing that a pod can have meets a requirement.", "Require what there can be."};
    case Code::requirement_lost:
      return {"An earlier policy hides a requirement, so that pods need not meet it.",
              "Require it in the earlier policy too, or give this policy an earlier name."};
    case Code::entry_lost:
      return {"An earlier policy hides what is allowed or given.",
              "Take the entry out, or give this policy an earlier name."};
    case Code::entry_covered:
      return {"Other entries permit all that one does.", "Take the entry out."};
    case Code::requirement_escaped:
      return {"A pod escapes a required affinity by one more term, because terms are ORed.",
              "Let every term have to hold it: `requiredAffinity: EveryTerm`."};
    case Code::strategies_disagree:
      return {"Another merge strategy allows other pods.",
              "Make sure that the strategy of the cluster is the one that you mean."};
    case Code::every_pod_denied: return {"No pod is allowed.", "Allow a scheduler at least."};
    case Code::every_pod_allowed: return {"Every pod is allowed.", "List what is allowed."};
    case Code::null_entry:
      return {"`kubectl apply` drops what is null, and what is left means any.",
              "Write a list, or leave the entry out."};
    case Code::entry_matches_nothing:
      return {"A list of a pattern is absent, so that the pattern matches nothing.",
              "Write `[]` where any will do."};
    case Code::ungoverned:
      return {
          "A policy lists what is allowed of a field that is not governed, so that all is allowed.",
          "List the field in `options.governs` of the EngineConfiguration, or take the entry out."};
    case Code::granted_by_wildcard:
      return {"A role grants the use of policies through `*`.",
              "Name the API group, the resource and the policies."};
    case Code::granted_in_other_group:
      return {"A rule names an API group that no policies are in, and so grants nothing.",
              "Name the API group of the policies."};
    case Code::role_not_found:
      return {"A binding names a role that is not there, and so grants nothing.",
              "Name a role that there is, or add it to the policies."};
    case Code::grant_adds_requirements:
      return {"Who may use the policy is denied what is allowed without it.",
              "Grant it to those alone whose pods meet what it requires."};
    case Code::granted_to_nobody: return {"Nobody may use the policy.", "Grant it, or remove it."};
    case Code::selects_nothing:
      return {"No object has what a selector asks for.", "Ask for what an object can have."};
    case Code::writes_differ:
      return {"Two that can select one object write different values to it.",
              "Have their selectors exclude one another, or write one value."};
    case Code::updates_ignored:
      return {"A rule that rejects lists updates, which have no effect.", "Take the updates out."};
    case Code::selected_label_overwritten:
      return {"A rule overwrites a label by which workloads that it selects may select their pods.",
              "Write another label, or a value that the rule selects."};
    case Code::never_fires:
      return {"Other rules reject all that a rule selects.", "Take the rule out."};
    case Code::injected_not_permitted:
      return {"A policy of the cluster gives what no SchedulingPolicy permits.",
              "Make sure that whoever may set the selected labels may have it."};
    case Code::selections_overlap:
      return {"Two policies select one pod, which is denied for it.",
              "Have their selectors exclude one another."};
    case Code::units_overlap:
      return {"A node can be in two units of a policy.",
              "Have the node selectors of the units exclude one another."};
    case Code::no_node_serves:
      return {"None of the nodes has the labels of a RuntimeClass.",
              "Label nodes, or mend the node selector of the class."};
    case Code::limit_exceeded:
      return {"Policies that select one pod give it more than a pod may be given, and so deny it.",
              "Have fewer of them select the pod, or have them give less."};
    case Code::decides_too_early:
      return {"A system decides on pods before another one adds to them.",
              "List it behind that one in the EngineConfiguration."};
    case Code::not_decided:
      return {"There was too much to compare, so that not all was found.",
              "Look at fewer policies at a time."};
  }
  return {};
}

std::string_view help_for(schedpol::ErrorType type) {
  using schedpol::ErrorType;
  switch (type) {
    case ErrorType::required: return "Write the field.";
    case ErrorType::invalid: return "Write a value of the form that the message describes.";
    case ErrorType::not_supported: return "Write one of the words that the message lists.";
    case ErrorType::forbidden: return "Take the field out.";
    case ErrorType::duplicate: return "Write it once.";
    case ErrorType::too_long: return "Write a shorter value.";
    case ErrorType::too_many: return "Write fewer entries.";
    case ErrorType::type_invalid: return "Write a value of the field's type.";
  }
  return "";
}

template <class Code>
void add_all(std::map<std::string_view, CodeText>& texts) {
  for (int i = 0;; ++i) {
    const auto code = static_cast<Code>(i);
    const CodeText text = text_of(code);
    if (text.meaning.empty()) return;
    texts.emplace(to_string(code), text);
  }
}

}  // namespace

CodeText text_of(std::string_view code) {
  static const std::map<std::string_view, CodeText> texts = [] {
    std::map<std::string_view, CodeText> all = {
        {"Warning",
         {"A part of a policy has no effect on the object, or no node can meet what it asks for.",
          "Mend the policy that the message names, or the object.", "Warning of a policy"}},
        {"Undecided",
         {"A pod may have named its node itself, for which it would be denied.",
          "Print its managed fields, which tell: kubectl get --show-managed-fields.",
          "Undecided pod"}},
        {"TemplateDiffers",
         {"Pods have something that their template does not, or the other way round.",
          "Find the webhook or plugin that adds it, and permit it where it is meant.",
          "Pods that differ from their template"}},
        {"MisspeltField",
         {"Kubernetes does not know a field that is nearly one of scheduling, and drops it.",
          "Spell the field, or place it, as the message says."}},
        {"YamlSurprise",
         {"YAML reads something otherwise than it looks.", "Put the value in quotes."}},
        {"Unexpected",
         {"Something was decided otherwise than a case expects.",
          "Mend the policies, or the expectation.", "Unexpected decision"}},
        {"Changed",
         {"Objects are made otherwise than before.", "Make sure that this is meant.",
          "Changed decision"}},
        {"Stricter",
         {"Fewer pods are allowed than before.", "Make sure that this is meant.",
          "Stricter policies"}},
        {"Looser",
         {"More pods are allowed than before.", "Make sure that this is meant.",
          "Looser policies"}},
        {"Incomparable",
         {"Some pods are allowed no more, and others now are.", "Make sure that this is meant.",
          "Incomparable policies"}},
    };
    add_all<schedpol::ViolationCode>(all);
    add_all<schedpol::FindingCode>(all);
    for (int i = 0;; ++i) {
      const auto type = static_cast<schedpol::ErrorType>(i);
      const std::string_view help = help_for(type);
      if (help.empty()) return all;
      all.emplace(to_string(type), CodeText{"A field of a policy is not what it has to be.", help});
    }
  }();
  const auto found = texts.find(code);
  return found == texts.end() ? CodeText{} : found->second;
}

std::string words_of(std::string_view code) {
  std::string words;
  for (const char c : code) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper && !words.empty()) words += ' ';
    words += is_upper && !words.empty() ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

}  // namespace cli
