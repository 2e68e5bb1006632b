// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of SchedulingPolicy, with their inputs and results:
/// - schedulingPolicy.validate: policy; errors.
/// - schedulingPolicy.merge: policies, strategy; spec, sources, lost (names of policies by entry,
///   `max_document_bytes` of entries at most).
/// - schedulingPolicy.admit: pod, policies, strategy, options; allowed, violations, changes,
///   object, patch, and ungoverned (field, value): what nothing permits of the pod, and
///   `options.governs` does not have, where there is any.
/// - schedulingPolicy.checkUpdate: old, new, policies, strategy, options; allowed, violations.
/// - schedulingPolicy.explain: as admit; allowed, items, text.
/// - schedulingPolicy.nearestFix: as admit; exists, changes, object, patch.
/// - schedulingPolicy.analyze: policies, strategy, options, and to tell who may use which policy
///   what rbac.usablePolicies takes; findings.
/// - schedulingPolicy.compare: before, after, each of policies, strategy, options; relation, and
///   where there are such pods allowedBefore, allowedAfter.
/// - schedulingPolicy.builtin, the objects that the proposal wants in every cluster: names (of
///   policies; all where they are left out), nodeLabels (`Current`, or the proposal's letter
///   `Proposal`); policies, clusterRoles, roleBindings, clusterRoleBindings, of the latter those by
///   which these policies may be used. They are what `schedulingPolicy.analyze` and
///   `rbac.usablePolicies` take.

#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/compare.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/nearest_fix.hpp>
#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/operations/rbac.hpp>
#include <schedpol/rbac/builtin.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline scheduling_policy::EffectivePolicy read_effective_policy(Input& input) {
  const auto policies = input.read_named<scheduling_policy::SchedulingPolicy>("policies");
  return merge(policies, input.read<scheduling_policy::MergeStrategy>(
                             "strategy", EvaluateError::invalid_request));
}

inline scheduling_policy::Options read_options(Input& input) {
  return input.read<scheduling_policy::Options>("options", EvaluateError::invalid_request);
}

/// A pod, and what it is asked about.
struct PodQuestion {
  Pod pod;
  scheduling_policy::EffectivePolicy effective;
  scheduling_policy::Options options;
};

inline PodQuestion read_question(Input& input) {
  return {input.require<Pod>("pod"), read_effective_policy(input), read_options(input)};
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

/// What nothing governs of a pod, where there is any: field and value.
inline void write_ungoverned(ObjectWriter& result,
                             const std::vector<scheduling_policy::ExplainedItem>& items) {
  if (items.empty()) return;
  ListWriter list(result.key("ungoverned"));
  const std::size_t written = std::min(items.size(), max_reported_violations);
  for (const scheduling_policy::ExplainedItem& item : std::span(items).first(written)) {
    ObjectWriter object(list.item());
    object.member("field", item.field).member("value", item.value);
  }
}

inline void scheduling_policy_admit(Input& input, ObjectWriter& result) {
  const auto [pod, effective, options] = read_question(input);
  if (!input.complete()) return;
  const Admission admission = admit(pod, effective, options);
  write_admission(result, input, pod, admission);
  write_ungoverned(result, find_ungoverned(admission.pod, effective, options));
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
    ListWriter list(object.key(name));
    for (const scheduling_policy::PolicyEntry& each : entries) {
      ObjectWriter entry(list.item());
      entry.member("policy", each.policy).member("entry", each.entry);
      if (with_value) entry.member("value", each.value);
    }
  };
  write_entries("by", item.by, false);
  write_entries("lost", item.lost, true);
  if (!item.permits_only.empty()) object.member("permitsOnly", item.permits_only);
}

inline void scheduling_policy_explain(Input& input, ObjectWriter& result) {
  const auto [pod, effective, options] = read_question(input);
  if (!input.complete()) return;
  const scheduling_policy::Explanation explanation = explain(pod, effective, options);
  result.member("allowed", bool{explanation.allowed});
  write_first(result, "items", "moreItems", explanation.items, max_reported_violations);
  result.member("text", message(explanation));
}

inline void scheduling_policy_nearest_fix(Input& input, ObjectWriter& result) {
  const auto [pod, effective, options] = read_question(input);
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
  const auto read = [&](std::string_view name) {
    std::pair<scheduling_policy::EffectivePolicy, scheduling_policy::Options> side;
    input.within(name, [&](Input& part) {
      side = {read_effective_policy(part), read_options(part)};
    });
    return side;
  };
  const auto [before, options_before] = read("before");
  const auto [after, options_after] = read("after");
  if (!input.complete()) return;
  const auto comparison = compare(before, after, options_before, options_after);
  if (!comparison) return input.fail(EvaluateError::limit_exceeded, comparison.errors());
  result.member("relation", to_string(comparison->relation));
  if (comparison->allowed_before) result.member("allowedBefore", *comparison->allowed_before);
  if (comparison->allowed_after) result.member("allowedAfter", *comparison->allowed_after);
}

template <>
inline constexpr auto words<scheduling_policy::PlatformLabels> =
    vocabulary(Presence::optional, scheduling_policy::PlatformLabels::current,
               scheduling_policy::PlatformLabels::proposal);

/// The built-in policies of these names; all where there are none. `input` fails for another name.
inline std::vector<scheduling_policy::SchedulingPolicy> builtin_policies(
    Input& input, const Texts& names, scheduling_policy::PlatformLabels labels) {
  std::vector<scheduling_policy::SchedulingPolicy> all = {
      scheduling_policy::restricted(),
      scheduling_policy::restricted_multiarch_by_node_selector(labels),
      scheduling_policy::restricted_multiarch_by_affinity(labels),
      scheduling_policy::privileged(),
  };
  std::string supported = "supported are";
  std::vector<std::string_view> known;
  for (const auto& policy : all) {
    supported += (known.empty() ? " " : ", ") + policy.metadata.name;
    known.push_back(policy.metadata.name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names.vector()[i];
    if (schedpol::detail::contains(known, name)) continue;
    input.fail(EvaluateError::invalid_request,
               {ErrorType::not_supported, FieldPath{"names"}.index(i), name,
                supported + schedpol::detail::did_you_mean(name, known)});
  }
  schedpol::detail::erase_if(all, [&](const auto& policy) {
    return !names.empty() && !names.contains(policy.metadata.name);
  });
  return all;
}

inline void scheduling_policy_builtin(Input& input, ObjectWriter& result) {
  constexpr auto invalid = EvaluateError::invalid_request;
  const auto names = input.read<Texts>("names", invalid);
  const auto labels = input.read<scheduling_policy::PlatformLabels>("nodeLabels", invalid);
  const auto policies = builtin_policies(input, names, labels);
  if (!input.complete()) return;
  rbac::Rbac rbac = rbac::builtin();
  const auto is_of_policies = [&](const rbac::ClusterRole& role) {
    return schedpol::detail::any_of(policies, [&](const auto& policy) {
      return role.rules[0].resource_names.contains(policy.metadata.name);
    });
  };
  schedpol::detail::erase_if(rbac.cluster_roles,
                             [&](const auto& role) { return !is_of_policies(role); });
  const auto grants_nothing = [&](const auto& binding) {
    return schedpol::detail::none_of(rbac.cluster_roles, [&](const auto& role) {
      return role.metadata.name == binding.role_ref.name;
    });
  };
  schedpol::detail::erase_if(rbac.role_bindings, grants_nothing);
  schedpol::detail::erase_if(rbac.cluster_role_bindings, grants_nothing);
  result.member("policies", policies)
      .member("clusterRoles", rbac.cluster_roles)
      .member("roleBindings", rbac.role_bindings)
      .member("clusterRoleBindings", rbac.cluster_role_bindings);
}

inline constexpr NamedOperation scheduling_policy_operations[] = {
    {"schedulingPolicy.admit", scheduling_policy_admit},
    {"schedulingPolicy.analyze", scheduling_policy_analyze},
    {"schedulingPolicy.builtin", scheduling_policy_builtin},
    {"schedulingPolicy.checkUpdate", scheduling_policy_check_update},
    {"schedulingPolicy.compare", scheduling_policy_compare},
    {"schedulingPolicy.explain", scheduling_policy_explain},
    {"schedulingPolicy.merge", scheduling_policy_merge},
    {"schedulingPolicy.nearestFix", scheduling_policy_nearest_fix},
    {"schedulingPolicy.validate", policy_validate<scheduling_policy::SchedulingPolicy>},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
