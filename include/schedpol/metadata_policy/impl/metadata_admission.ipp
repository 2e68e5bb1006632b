// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/impl/rules.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

using MatchingRules = std::vector<const CompiledRule*>;

/// Writes to one of the two maps at `field` what the rules update there, with changes and
/// conflicts in the order of keys.
inline void write(MetadataAdmission& admission, const FieldPath& field, Labels& into,
                  const MatchingRules& rules, Labels PolicyAction::*updates) {
  std::map<std::string_view, std::vector<std::size_t>> writers;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (const auto& [key, value] : rules[i]->action.*updates) writers[key].push_back(i);
  }
  for (const auto& [key, by] : writers) {
    const auto written = [&, key = key](std::size_t rule) -> const std::string& {
      return *find_label(rules[rule]->action.*updates, key);
    };
    const std::string& last = written(by.back());
    const std::string* before = find_label(into, key);
    if (before == nullptr || *before != last) {
      admission.changes.push_back({field.key(key),
                                   before == nullptr ? std::nullopt : std::optional(*before), last,
                                   rules[by.back()]->policy});
      into[std::string(key)] = last;
    }
    bool disagree = false;
    for (const std::size_t rule : by) disagree |= written(rule) != last;
    if (!disagree) continue;
    Conflict conflict{field.key(key), {}};
    for (const std::size_t rule : by)
      conflict.writes.push_back({{rules[rule]->policy, rules[rule]->index}, written(rule)});
    admission.conflicts.push_back(std::move(conflict));
  }
}

inline std::vector<Violation> violations(const std::vector<FieldError>& errors,
                                         const std::vector<RuleName>& rejected_by,
                                         const FieldPath& field) {
  std::vector<Violation> violations;
  for (const FieldError& error : errors) {
    violations.push_back(
        {.code = ViolationCode::invalid_policy, .field = field, .value = message(error)});
  }
  for (const RuleName& rejecting : rejected_by) {
    violations.push_back({.code = ViolationCode::rejected_by_rule,
                          .field = field,
                          .value = std::to_string(rejecting.rule),
                          .policies = {rejecting.policy}});
  }
  return violations;
}

/// What the rules decide on the metadata. Where there is an old object, a rule that matched it
/// rejects nothing; none where every rule that would reject did, so that the object stays as it is.
inline std::optional<MetadataAdmission> decide(ObjectMeta metadata, const ObjectMeta* old,
                                               const CompiledPolicies& policies,
                                               const FieldPath& field) {
  MetadataAdmission admission;
  admission.metadata = std::move(metadata);
  const auto* const compiled = CompiledPoliciesAccess::of(policies);
  if (compiled == nullptr) {
    admission.errors.push_back(
        {ErrorType::required, {"policies"}, "", "nothing has been compiled"});
    return admission;
  }
  const MatchingRules matching = compiled->matching(admission.metadata);
  bool rejects = false;
  for (const CompiledRule* rule : matching) {
    if (!rule->action.reject) continue;
    rejects = true;
    if (old != nullptr && rule->matches(*old)) continue;
    admission.rejected_by.push_back({rule->policy, rule->index});
  }
  admission.allowed = !rejects;
  if (!admission.rejected_by.empty()) return admission;
  if (rejects) return std::nullopt;
  write(admission, field.child("labels"), admission.metadata.labels, matching,
        &PolicyAction::updated_labels);
  write(admission, field.child("annotations"), admission.metadata.annotations, matching,
        &PolicyAction::updated_annotations);
  return admission;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Violation> violations(const MetadataAdmission& admission,
                                                  const FieldPath& field) {
  return detail::violations(admission.errors, admission.rejected_by, field);
}

SCHEDPOL_INLINE MetadataAdmission admit(ObjectMeta metadata, const CompiledPolicies& policies,
                                        const FieldPath& field) {
  return *detail::decide(std::move(metadata), nullptr, policies, field);
}

SCHEDPOL_INLINE MetadataAdmission admit(ObjectMeta metadata,
                                        std::span<const MetadataPolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return admit(std::move(metadata), *compiled);
  MetadataAdmission admission;
  admission.metadata = std::move(metadata);
  admission.errors = compiled.errors();
  return admission;
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
