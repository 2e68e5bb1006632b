// SPDX-License-Identifier: Apache-2.0
#pragma once

/// MetadataPolicy: rules on an object's labels and annotations that update or reject it, and what
/// they were made for, choosing the scheduler of a pod by its quality of service.
///
/// 1. The policies of the object's namespace apply, all of them.
/// 2. A rule matches when its labelSelector and its annotationSelector do; an absent one is no
///    criterion. Predicates see the object as it came.
/// 3. When any matching rule rejects, the object is rejected without being mutated, and every
///    rejecting rule is named.
/// 4. Otherwise all matching rules apply, in the order of policy name and rule index; of two
///    writes to one key the later counts, and writes that disagree are reported.
/// Source: the MetadataPolicy proposal.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/name_order.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/qos.hpp>
#include <schedpol/core/validation.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::metadata_policy {

/// Where a pod's quality of service is written for rules to see.
inline constexpr std::string_view qos_annotation = "scheduler.alpha.kubernetes.io/qos";

/// Where rules write the scheduler of a pod.
inline constexpr std::string_view scheduler_name_annotation = "scheduler.alpha.kubernetes.io/name";

struct PolicyPredicate {
  std::optional<LabelSelector> label_selector{};
  std::optional<LabelSelector> annotation_selector{};  ///< its values are free text

  friend bool operator==(const PolicyPredicate&, const PolicyPredicate&) = default;
};

/// A rule that rejects updates nothing.
struct PolicyAction {
  bool reject = false;
  Labels updated_labels{};
  Labels updated_annotations{};

  friend bool operator==(const PolicyAction&, const PolicyAction&) = default;
};

struct MetadataPolicyRule {
  PolicyPredicate policy_predicate{};
  PolicyAction policy_action{};

  friend bool operator==(const MetadataPolicyRule&, const MetadataPolicyRule&) = default;
};

struct MetadataPolicySpec {
  std::vector<MetadataPolicyRule> rules{};

  friend bool operator==(const MetadataPolicySpec&, const MetadataPolicySpec&) = default;
};

struct MetadataPolicy {
  ObjectMeta metadata{};
  MetadataPolicySpec spec{};

  friend bool operator==(const MetadataPolicy&, const MetadataPolicy&) = default;
};

/// A rule, told by its policy and its index in it.
struct RuleName {
  std::string policy{};
  std::size_t rule = 0;

  friend bool operator==(const RuleName&, const RuleName&) = default;
};

/// What a rule wrote.
struct Write {
  RuleName by{};
  std::string value{};

  friend bool operator==(const Write&, const Write&) = default;
};

/// One key that rules wrote different values to; the last write is what counts.
struct Conflict {
  std::string field{};
  std::vector<Write> writes{};

  friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// What became of an object's metadata. Default-constructed it is a rejection. Rejected, or with
/// `errors`: the metadata as it came, and no changes.
struct MetadataAdmission {
  bool allowed = false;
  ObjectMeta metadata{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};  ///< policies that cannot be evaluated

  friend bool operator==(const MetadataAdmission&, const MetadataAdmission&) = default;
};

/// Policies made for matching: selectors compiled, rules in the order in which they apply.
class Rules {
 public:
  Rules() = default;

  /// The decision on an object with this metadata. `path` is where it stands in its document.
  [[nodiscard]] MetadataAdmission admit(ObjectMeta metadata,
                                        std::string_view path = "metadata") const {
    MetadataAdmission admission;
    std::vector<std::size_t> matching;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const Rule& rule = rules_[i];
      if (!rule.matches(metadata)) continue;
      matching.push_back(i);
      if (rule.action.reject) admission.rejected_by.push_back(rule.name);
    }
    admission.allowed = admission.rejected_by.empty();
    if (admission.allowed) {
      const std::string field(path);
      write(admission, field + ".labels", metadata.labels, matching, &PolicyAction::updated_labels);
      write(admission, field + ".annotations", metadata.annotations, matching,
            &PolicyAction::updated_annotations);
    }
    admission.metadata = std::move(metadata);
    return admission;
  }

 private:
  friend Result<Rules> compile(std::span<const MetadataPolicy>);

  struct Rule {
    RuleName name;
    std::string namespace_;
    LabelMatcher labels;
    LabelMatcher annotations;
    PolicyAction action;

    [[nodiscard]] bool matches(const ObjectMeta& metadata) const noexcept {
      return namespace_ == metadata.namespace_ && labels.matches(metadata.labels) &&
             annotations.matches(metadata.annotations);
    }
  };

  void write(MetadataAdmission& admission, const std::string& field, Labels& into,
             const std::vector<std::size_t>& matching, Labels PolicyAction::*updates) const {
    std::map<std::string, std::vector<Write>> writes;
    for (const std::size_t i : matching) {
      for (const auto& [key, value] : rules_[i].action.*updates)
        writes[key].push_back({rules_[i].name, value});
    }
    for (auto& [key, by_rule] : writes) {
      const std::string at = field + "[" + key + "]";
      const Write& last = by_rule.back();
      const std::string* before = find_label(into, key);
      if (before == nullptr || *before != last.value) {
        admission.changes.push_back({at, before == nullptr ? std::nullopt : std::optional(*before),
                                     last.value, last.by.policy});
        into[key] = last.value;
      }
      bool disagree = false;
      for (const Write& written : by_rule) disagree |= written.value != last.value;
      if (disagree) admission.conflicts.push_back({at, std::move(by_rule)});
    }
  }

  std::vector<Rule> rules_;
};

/// Builds the rules, or reports every selector that cannot be used, naming its policy: nothing is
/// evaluated then. Paths begin with `policies[i]`. Two policies of one name and namespace are an
/// error.
[[nodiscard]] inline Result<Rules> compile(std::span<const MetadataPolicy> policies) {
  std::vector<FieldError> errors;
  const auto take = [&](const MetadataPolicy& policy, const std::optional<LabelSelector>& selector,
                        const std::string& field, SelectedValues values) {
    return schedpol::detail::compile_for(policy.metadata.name, selector.value_or(LabelSelector{}),
                                         field, errors, values);
  };
  std::vector<std::vector<Rules::Rule>> compiled(policies.size());
  std::vector<schedpol::detail::Named> names(policies.size());
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const MetadataPolicy& policy = policies[i];
    names[i] = {policy.metadata.name, true, policy.metadata.namespace_, i};
    for (std::size_t j = 0; j < policy.spec.rules.size(); ++j) {
      const MetadataPolicyRule& rule = policy.spec.rules[j];
      const std::string field = "policies[" + std::to_string(i) + "].spec.rules[" +
                                std::to_string(j) + "].policyPredicate";
      auto labels = take(policy, rule.policy_predicate.label_selector, field + ".labelSelector",
                         SelectedValues::labels);
      auto annotations = take(policy, rule.policy_predicate.annotation_selector,
                              field + ".annotationSelector", SelectedValues::annotations);
      compiled[i].push_back({{policy.metadata.name, j},
                             policy.metadata.namespace_,
                             std::move(labels),
                             std::move(annotations),
                             rule.policy_action});
    }
  }
  schedpol::detail::sort_by_name(names);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (!names[i].is_namesake(names[i - 1])) continue;
    errors.push_back({ErrorType::duplicate, "policies", std::string(names[i].name),
                      "two policies have this name"});
  }
  if (!errors.empty()) return errors;
  Rules rules;
  for (const auto& named : names) {
    for (Rules::Rule& rule : compiled[named.index]) rules.rules_.push_back(std::move(rule));
  }
  return rules;
}

/// Compiles the policies and decides on one object's metadata.
[[nodiscard]] inline MetadataAdmission admit(ObjectMeta metadata,
                                             std::span<const MetadataPolicy> policies) {
  const auto rules = compile(policies);
  if (rules) return rules->admit(std::move(metadata));
  return MetadataAdmission{.metadata = std::move(metadata), .errors = rules.errors()};
}

/// The pod with its quality of service in `qos_annotation`, over what stood there.
[[nodiscard]] inline Pod annotate_qos(Pod pod) {
  pod.metadata.annotations[std::string(qos_annotation)] = to_string(qos_class(pod.spec));
  return pod;
}

/// The pod with the scheduler that `scheduler_name_annotation` names; unchanged where it names
/// none.
[[nodiscard]] inline Pod resolve_scheduler(Pod pod) {
  const std::string* name = find_label(pod.metadata.annotations, scheduler_name_annotation);
  if (name != nullptr && !name->empty()) pod.spec.scheduler_name = *name;
  return pod;
}

/// What became of a pod. Default-constructed it is a rejection; rejected, the pod as it came.
struct SchedulerChoice {
  bool allowed = false;
  Pod pod{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};

  friend bool operator==(const SchedulerChoice&, const SchedulerChoice&) = default;
};

/// `annotate_qos`, then the rules, then `resolve_scheduler`. The change of the scheduler names the
/// policy whose rule wrote the annotation, and none where the pod brought it.
[[nodiscard]] inline SchedulerChoice choose_scheduler(const Pod& pod, const Rules& rules) {
  SchedulerChoice choice{.pod = pod};
  const std::string path = field_path(pod.kind, "metadata");
  Pod chosen = annotate_qos(pod);
  const std::string& qos = chosen.metadata.annotations[std::string(qos_annotation)];
  const std::string* before = find_label(pod.metadata.annotations, qos_annotation);
  if (before == nullptr || *before != qos) {
    choice.changes.push_back({path + ".annotations[" + std::string(qos_annotation) + "]",
                              before == nullptr ? std::nullopt : std::optional(*before), qos, ""});
  }
  MetadataAdmission admission = rules.admit(std::move(chosen.metadata), path);
  choice.allowed = admission.allowed;
  choice.rejected_by = std::move(admission.rejected_by);
  choice.conflicts = std::move(admission.conflicts);
  if (!choice.allowed) {
    choice.changes.clear();
    return choice;
  }
  const std::string annotation =
      path + ".annotations[" + std::string(scheduler_name_annotation) + "]";
  std::string chosen_by;
  for (Change& change : admission.changes) {
    if (change.field == annotation) chosen_by = change.policy;
    choice.changes.push_back(std::move(change));
  }
  chosen.metadata = std::move(admission.metadata);
  chosen = resolve_scheduler(std::move(chosen));
  const std::string& name = pod.spec.scheduler_name;
  if (chosen.spec.scheduler_name != name) {
    choice.changes.push_back({field_path(pod.kind, "spec.schedulerName"),
                              name.empty() ? std::nullopt : std::optional(name),
                              chosen.spec.scheduler_name, chosen_by});
  }
  choice.pod = std::move(chosen);
  return choice;
}

/// The same, of policies that are compiled first; with `errors` when they cannot be.
[[nodiscard]] inline SchedulerChoice choose_scheduler(const Pod& pod,
                                                      std::span<const MetadataPolicy> policies) {
  const auto rules = compile(policies);
  if (rules) return choose_scheduler(pod, *rules);
  return SchedulerChoice{.pod = pod, .errors = rules.errors()};
}

/// `choose_scheduler` as an admission, to be chained: one `RejectedByRule` a rejecting rule.
[[nodiscard]] inline Admission admit(const Pod& pod, const Rules& rules) {
  SchedulerChoice choice = choose_scheduler(pod, rules);
  Admission admission;
  admission.allowed = choice.allowed;
  for (const RuleName& name : choice.rejected_by) {
    admission.violations.push_back({ViolationCode::rejected_by_rule,
                                    field_path(pod.kind, "metadata"),
                                    std::to_string(name.rule),
                                    {name.policy}});
  }
  if (!choice.changes.empty()) admission.before.emplace(pod);
  admission.pod = std::move(choice.pod);
  admission.changes = std::move(choice.changes);
  return admission;
}

/// The same, of policies that are compiled first; denied with one `InvalidPolicy` an error when
/// they cannot be.
[[nodiscard]] inline Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies) {
  const auto rules = compile(policies);
  if (rules) return admit(pod, *rules);
  Admission admission{.pod = pod};
  for (const FieldError& error : rules.errors()) {
    admission.violations.push_back({ViolationCode::invalid_policy, field_path(pod.kind, "metadata"),
                                    message(error),
                                    schedpol::detail::policies_behind(error.field, policies)});
  }
  return admission;
}

/// What is wrong with a policy: its name, its selectors, the labels and the keys of the annotations
/// it writes, and a rule that rejects and updates.
[[nodiscard]] inline std::vector<FieldError> validate(const MetadataPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  schedpol::detail::validate_name(errors, policy.metadata.name);
  for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) {
    const auto& [predicate, action] = policy.spec.rules[i];
    const std::string field = "spec.rules[" + std::to_string(i) + "]";
    errors.add_compiled(
        schedpol::compile(predicate.label_selector, field + ".policyPredicate.labelSelector"));
    errors.add_compiled(schedpol::compile(predicate.annotation_selector,
                                          field + ".policyPredicate.annotationSelector",
                                          SelectedValues::annotations));
    schedpol::detail::validate_labels(errors, field + ".policyAction.updatedLabels",
                                      action.updated_labels);
    for (const auto& [key, value] : action.updated_annotations) {
      errors.add_all(field + ".policyAction.updatedAnnotations", key, label_key_problems(key));
    }
    if (action.reject && (!action.updated_labels.empty() || !action.updated_annotations.empty())) {
      errors.add(ErrorType::forbidden, field + ".policyAction", "",
                 "a rule that rejects updates nothing");
    }
  }
  return std::move(errors).take();
}

}  // namespace schedpol::metadata_policy
