// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of SchedulingPolicy, with their inputs and results:
/// - schedulingPolicy.validate: policy; errors.
/// - schedulingPolicy.merge: policies, strategy; spec, sources, lost (names of policies by entry,
///   `max_document_bytes` of entries at most).
/// - schedulingPolicy.admit: pod, policies, strategy, options; allowed, violations, changes,
///   object, patch.
/// - schedulingPolicy.checkUpdate: old, new, policies, strategy, options; allowed, violations.

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/schema/scheduling_policy.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check_update.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::json::detail {

inline scheduling_policy::EffectivePolicy read_effective_policy(Input& input) {
  const auto policies = input.read_named<scheduling_policy::SchedulingPolicy>("policies");
  return merge(policies, input.read<scheduling_policy::MergeStrategy>(
                             "strategy", EvaluateError::invalid_request));
}

inline scheduling_policy::Options read_options(Input& input) {
  return input.read<scheduling_policy::Options>("options", EvaluateError::invalid_request);
}

inline void scheduling_policy_validate(Input& input, ObjectWriter& result) {
  const auto policy = input.require<scheduling_policy::SchedulingPolicy>("policy");
  if (input.complete()) result.member("errors", validate(policy));
}

inline void scheduling_policy_merge(Input& input, ObjectWriter& result) {
  const auto effective = read_effective_policy(input);
  if (!input.complete()) return;
  // In byte order of the printed paths. A long key stands in the path of each of its values.
  std::size_t bytes = 0;
  const auto write = [&](std::string_view name, const scheduling_policy::PolicyNames& entries) {
    std::map<std::string, const Names*> by_text;
    for (const auto& [entry, policies] : entries) {
      std::string text = to_string(entry);
      bytes += text.size();
      if (bytes > max_document_bytes) {
        return input.fail(
            EvaluateError::limit_exceeded,
            {ErrorType::too_many, FieldPath{name}, "",
             "the entries take more than " + std::to_string(max_document_bytes) + " bytes"});
      }
      by_text.emplace(std::move(text), &policies);
    }
    ObjectWriter object(result.key(name));
    for (const auto& [entry, policies] : by_text) object.entry(entry, *policies);
  };
  result.member("spec", effective.spec());
  write("sources", effective.sources().entries);
  write("lost", effective.sources().lost);
}

inline void scheduling_policy_admit(Input& input, ObjectWriter& result) {
  const Pod pod = input.require<Pod>("pod");
  const auto effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (input.complete()) write_admission(result, input, pod, admit(pod, effective, options));
}

inline void scheduling_policy_check_update(Input& input, ObjectWriter& result) {
  const Pod old = input.require<Pod>("old");
  const Pod updated = input.require<Pod>("new");
  const auto effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (old.kind != updated.kind) {
    input.fail(EvaluateError::invalid_request,
               {ErrorType::invalid, FieldPath{"new", "kind"}, std::string(to_string(updated.kind)),
                "must be that of old"});
  }
  if (!input.complete()) return;
  const auto violations = check_update(old, updated, effective, options);
  result.member("allowed", violations.empty());
  write_violations(result, violations);
}

inline constexpr NamedOperation scheduling_policy_operations[] = {
    {"schedulingPolicy.admit", scheduling_policy_admit},
    {"schedulingPolicy.checkUpdate", scheduling_policy_check_update},
    {"schedulingPolicy.merge", scheduling_policy_merge},
    {"schedulingPolicy.validate", scheduling_policy_validate},
};

}  // namespace schedpol::json::detail
