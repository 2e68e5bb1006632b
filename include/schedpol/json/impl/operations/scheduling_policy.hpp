// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of SchedulingPolicy, with their inputs and results:
/// - schedulingPolicy.validate: policy; errors.
/// - schedulingPolicy.merge: policies, strategy; spec, sources, lost (names of policies by entry,
///   `max_document_bytes` of entries at most).
/// - schedulingPolicy.admit: pod, policies, strategy, options; allowed, violations, changes,
///   object, patch.
/// - schedulingPolicy.checkUpdate: old, new, policies, strategy, options; allowed, violations.
/// - schedulingPolicy.explain: as admit; allowed, items, text.
/// - schedulingPolicy.nearestFix: as admit; exists, changes, object, patch.
/// - schedulingPolicy.analyze: policies, strategy, options, and to tell who may use which policy
///   what rbac.usablePolicies takes; findings.
/// - schedulingPolicy.compare: before, after, each of policies, strategy, options; relation, and
///   where there are such pods allowedBefore, allowedAfter.

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/configuration.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/compare.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/nearest_fix.hpp>
#include <schedpol/json/impl/findings.hpp>
#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/operations/rbac.hpp>
#include <schedpol/json/impl/schema/scheduling_policy.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/rbac/usable.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline scheduling_policy::EffectivePolicy read_effective_policy(Input& input) {
  const auto policies = input.read_named<scheduling_policy::SchedulingPolicy>("policies");
  return merge(policies, input.read<scheduling_policy::MergeStrategy>(
                             "strategy", EvaluateError::invalid_request));
}

inline scheduling_policy::Options read_options(Input& input) {
  return input.read<scheduling_policy::Options>("options", EvaluateError::invalid_request);
}

inline void scheduling_policy_validate(Input& input, ObjectWriter& result) {
  const auto policy = input.require_unnamed<scheduling_policy::SchedulingPolicy>("policy");
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
  const Old old(input.require<Pod>("old"));
  const Pod updated = input.require<Pod>("new");
  const auto effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (old.object.kind != updated.kind) {
    input.fail(EvaluateError::invalid_request,
               {ErrorType::invalid, FieldPath{"new", "kind"}, std::string(to_string(updated.kind)),
                "must be that of old"});
  }
  if (!input.complete()) return;
  const auto violations = check_update(old, updated, effective, options);
  result.member("allowed", violations.empty());
  write_violations(result, violations);
}

inline void write(Writer& out, const scheduling_policy::ExplainedItem& item) {
  ObjectWriter object(out);
  object.member("field", item.field)
      .member("value", item.value)
      .member("ruling", to_string(item.ruling));
  const auto write_entries = [&](std::string_view name, const auto& entries, bool with_value) {
    object.key(name) += '[';
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out += ',';
      ObjectWriter entry(out);
      entry.member("policy", entries[i].policy).member("entry", entries[i].entry);
      if (with_value) entry.member("value", entries[i].value);
    }
    out += ']';
  };
  write_entries("by", item.by, false);
  write_entries("lost", item.lost, true);
}

inline void scheduling_policy_explain(Input& input, ObjectWriter& result) {
  const Pod pod = input.require<Pod>("pod");
  const auto effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (!input.complete()) return;
  const scheduling_policy::Explanation explanation = explain(pod, effective, options);
  const std::size_t written = std::min(explanation.items.size(), max_reported_violations);
  result.member("allowed", bool{explanation.allowed});
  write(result.key("items"), std::span(explanation.items).first(written));
  if (written < explanation.items.size())
    result.member("moreItems", explanation.items.size() - written);
  result.member("text", message(explanation));
}

inline void scheduling_policy_nearest_fix(Input& input, ObjectWriter& result) {
  const Pod pod = input.require<Pod>("pod");
  const auto effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (!input.complete()) return;
  const auto found = nearest_fix(pod, effective, options);
  if (!found) return input.fail(EvaluateError::limit_exceeded, found.errors());
  const auto& fix = *found;
  result.member("exists", fix.has_value())
      .member("changes", fix ? fix->changes : std::vector<Change>{});
  write_object(result, input, "pod", pod, fix ? fix->pod : pod);
}

inline void scheduling_policy_analyze(Input& input, ObjectWriter& result) {
  const auto policies = input.read_named<scheduling_policy::SchedulingPolicy>("policies");
  const auto strategy =
      input.read<scheduling_policy::MergeStrategy>("strategy", EvaluateError::invalid_request);
  const auto options = read_options(input);
  rbac::Access access;
  rbac::Rbac rbac = read_rbac(input, access);
  if (!input.complete()) return;
  if (rbac == rbac::Rbac{}) return write_findings(result, analyze(policies, strategy, options));
  engine::Configuration configuration;
  configuration.objects.scheduling_policies = policies;
  configuration.objects.rbac = std::move(rbac);
  configuration.settings = {.access = access, .strategy = strategy, .options = options};
  write_findings(result, engine::analyze(configuration));
}

inline void scheduling_policy_compare(Input& input, ObjectWriter& result) {
  scheduling_policy::EffectivePolicy before;
  scheduling_policy::EffectivePolicy after;
  scheduling_policy::Options options_before;
  scheduling_policy::Options options_after;
  input.within("before", [&](Input& part) {
    before = read_effective_policy(part);
    options_before = read_options(part);
  });
  input.within("after", [&](Input& part) {
    after = read_effective_policy(part);
    options_after = read_options(part);
  });
  if (!input.complete()) return;
  const auto comparison = compare(before, after, options_before, options_after);
  if (!comparison) return input.fail(EvaluateError::limit_exceeded, comparison.errors());
  result.member("relation", to_string(comparison->relation));
  if (comparison->allowed_before) result.member("allowedBefore", *comparison->allowed_before);
  if (comparison->allowed_after) result.member("allowedAfter", *comparison->allowed_after);
}

inline constexpr NamedOperation scheduling_policy_operations[] = {
    {"schedulingPolicy.admit", scheduling_policy_admit},
    {"schedulingPolicy.analyze", scheduling_policy_analyze},
    {"schedulingPolicy.checkUpdate", scheduling_policy_check_update},
    {"schedulingPolicy.compare", scheduling_policy_compare},
    {"schedulingPolicy.explain", scheduling_policy_explain},
    {"schedulingPolicy.merge", scheduling_policy_merge},
    {"schedulingPolicy.nearestFix", scheduling_policy_nearest_fix},
    {"schedulingPolicy.validate", scheduling_policy_validate},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
