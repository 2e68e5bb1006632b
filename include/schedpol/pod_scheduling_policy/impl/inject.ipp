// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/pod_scheduling_policy/impl/among.hpp>
#include <schedpol/pod_scheduling_policy/impl/compiled_policy.hpp>
#include <schedpol/pod_scheduling_policy/impl/criteria.hpp>
#include <schedpol/pod_scheduling_policy/impl/node_terms.hpp>
#include <schedpol/pod_scheduling_policy/inject.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace schedpol::pod_scheduling_policy {

namespace detail {

/// `unspecified` is the text that counts as none.
inline void merge_name(Notes& notes, std::string_view field, std::string& name,
                       const std::string& from, std::string_view unspecified) {
  if (from.empty() || name == from) return;
  FieldPath path = notes.path({"spec", field});
  if (!name.empty() && name != unspecified) return notes.skip(std::move(path), name, from);
  notes.change(std::move(path), name.empty() ? std::nullopt : std::optional(name),
               [&] { return from; });
  name = from;
}

inline void merge_node_selector(Notes& notes, Labels& node_selector, const Labels& from) {
  for (const auto& [key, value] : from) {
    const auto [at, added] = node_selector.try_emplace(key, value);
    if (!added && at->second == value) continue;
    FieldPath path = notes.path({"spec", "nodeSelector"}).key(key);
    if (added) {
      notes.change(std::move(path), std::nullopt, [&] { return value; });
    } else {
      notes.skip(std::move(path), at->second, value);
    }
  }
}

/// Appends the items that the list does not have yet.
template <class T>
void append_missing(Notes& notes, Notes::Fields field, std::vector<T>& list,
                    const std::vector<T>& from) {
  Among present(list, list.size() + from.size(), from.size());
  for (const T& item : from) {
    if (!present.lacks(item)) continue;
    notes.change(notes.path(field).index(list.size()), std::nullopt, [&] { return text(item); });
    list.push_back(item);
  }
}

/// Of pod affinity and of pod anti-affinity, which `kind` names.
inline void merge_pod_affinity(Notes& notes, std::string_view kind,
                               std::optional<PodAffinity>& affinity,
                               const std::optional<PodAffinity>& from) {
  if (!has_terms(from)) return;
  if (!affinity) {
    notes.change(notes.path({"spec", "affinity", kind}), std::nullopt,
                 [&] { return to_string(*from); });
    affinity = from;
    return;
  }
  append_missing(notes, {"spec", "affinity", kind, required_mode},
                 affinity->required_during_scheduling_ignored_during_execution,
                 from->required_during_scheduling_ignored_during_execution);
  append_missing(notes, {"spec", "affinity", kind, preferred_mode},
                 affinity->preferred_during_scheduling_ignored_during_execution,
                 from->preferred_during_scheduling_ignored_during_execution);
}

/// The text of required terms.
inline std::string text(const Terms& terms) {
  return to_string(NodeAffinity{NodeSelector{terms}, {}});
}

[[nodiscard]] inline Merged merge_required_terms(Notes& notes, TermMerger& merger,
                                                 std::optional<NodeSelector>& selector,
                                                 const std::optional<NodeSelector>& from) {
  if (!from || from->node_selector_terms.empty()) return Merged::whole;
  if (!selector) selector.emplace();
  Terms& terms = selector->node_selector_terms;
  const PolicyTerms policy(from->node_selector_terms);
  std::optional<std::string> had;
  Merged merged = Merged::whole;
  if (terms.empty()) {
    terms = from->node_selector_terms;
    merged = drop_empty(terms);
  } else {
    const std::size_t first = policy.first_changed(terms);
    if (first == terms.size()) return Merged::whole;
    if (notes.show_values()) had = text(terms);
    merged = merger.multiply(terms, policy, first);
  }
  if (merged != Merged::whole) return merged;
  notes.change(notes.path({"spec", "affinity", "nodeAffinity", required_mode}), std::move(had),
               [&] { return text(terms); });
  return merged;
}

[[nodiscard]] inline Merged merge_node_affinity(Notes& notes, TermMerger& merger,
                                                std::optional<NodeAffinity>& affinity,
                                                const std::optional<NodeAffinity>& from) {
  if (!has_terms(from)) return Merged::whole;
  if (!affinity) {
    affinity = from;
    auto& required = affinity->required_during_scheduling_ignored_during_execution;
    if (required && required->node_selector_terms.empty()) required.reset();
    if (required) {
      if (const Merged merged = drop_empty(required->node_selector_terms); merged != Merged::whole)
        return merged;
    }
    notes.change(notes.path({"spec", "affinity", "nodeAffinity"}), std::nullopt,
                 [&] { return to_string(*affinity); });
    return Merged::whole;
  }
  append_missing(notes, {"spec", "affinity", "nodeAffinity", preferred_mode},
                 affinity->preferred_during_scheduling_ignored_during_execution,
                 from->preferred_during_scheduling_ignored_during_execution);
  return merge_required_terms(notes, merger,
                              affinity->required_during_scheduling_ignored_during_execution,
                              from->required_during_scheduling_ignored_during_execution);
}

/// Where it fails the pod is left half done.
[[nodiscard]] inline Merged merge(Notes& notes, TermMerger& merger, PodSpec& pod,
                                  const PodSchedulingPolicySpec& from,
                                  DefaultScheduler default_scheduler) {
  merge_name(notes, "nodeName", pod.node_name, from.node_name, "");
  merge_name(notes, "schedulerName", pod.scheduler_name, from.scheduler_name,
             default_scheduler == DefaultScheduler::unspecified ? default_scheduler_name : "");
  merge_node_selector(notes, pod.node_selector, from.node_selector);
  append_missing(notes, {"spec", "tolerations"}, pod.tolerations, from.tolerations);
  const auto& affinity = from.affinity;
  if (!affinity || !(has_terms(affinity->node_affinity) || has_terms(affinity->pod_affinity) ||
                     has_terms(affinity->pod_anti_affinity))) {
    return Merged::whole;
  }
  Affinity& into = pod.affinity ? *pod.affinity : pod.affinity.emplace();
  merge_pod_affinity(notes, "podAffinity", into.pod_affinity, affinity->pod_affinity);
  merge_pod_affinity(notes, "podAntiAffinity", into.pod_anti_affinity, affinity->pod_anti_affinity);
  return merge_node_affinity(notes, merger, into.node_affinity, affinity->node_affinity);
}

/// Why a policy cannot be merged.
inline FieldError error_of(Merged merged, FieldPath field, const std::string& policy) {
  const std::string makes = "the policy " + in_backticks(policy) + " makes ";
  if (merged == Merged::too_long) {
    return {ErrorType::too_long, std::move(field), "",
            makes + "the node selector terms of policies longer than " +
                std::to_string(max_merged_term_bytes) + " bytes"};
  }
  return {ErrorType::too_many, std::move(field), "",
          makes + "more than " + std::to_string(max_node_selector_terms) + " node selector terms"};
}

/// What was noted of an injection that fails is gone.
inline void fail(Injection& injection, std::vector<std::string> policies, FieldError error) {
  injection.applied = std::move(policies);
  injection.skipped.clear();
  injection.changes.clear();
  injection.errors = {std::move(error)};
}

}  // namespace detail

SCHEDPOL_INLINE void inject_into(Injection& injection, const ObjectMeta& in,
                                 const CompiledPolicies& policies,
                                 DefaultScheduler default_scheduler, ChangeValues values) {
  if (!policies.impl_) {
    return detail::fail(injection, {},
                        {ErrorType::required, {"policies"}, "", "no policies were compiled"});
  }
  detail::TermMerger merger;
  const auto applying = policies.impl_->applying(injection.pod.metadata.labels, in);
  injection.applied.reserve(applying.size());
  for (const detail::CompiledPolicy* compiled : applying) {
    const std::string& name = compiled->policy.metadata.name;
    const PodSchedulingPolicySpec& from = compiled->policy.spec;
    detail::Notes notes(injection, name, values);
    using detail::Merged;
    if (const Merged merged =
            detail::merge(notes, merger, injection.pod.spec, from, default_scheduler);
        merged != Merged::whole) {
      return detail::fail(
          injection, {name},
          detail::error_of(merged, notes.path({"spec", "affinity", "nodeAffinity"}), name));
    }
    injection.applied.push_back(name);
    if (!from.scheduler_name.empty()) default_scheduler = DefaultScheduler::specified;
  }
}

SCHEDPOL_INLINE Injection inject(Pod pod, const ObjectMeta& in, const CompiledPolicies& policies,
                                 DefaultScheduler default_scheduler, ChangeValues values) {
  SchedulingCriteria before = detail::criteria_of(pod.spec);
  Injection injection{.pod = std::move(pod)};
  inject_into(injection, in, policies, default_scheduler, values);
  if (!injection.errors.empty()) detail::give_back(injection.pod.spec, std::move(before));
  return injection;
}

SCHEDPOL_INLINE Injection inject(Pod pod, const ObjectMeta& in,
                                 std::span<const PodSchedulingPolicy> policies) {
  const auto compiled = compile(policies);
  if (!compiled) return {.pod = std::move(pod), .errors = compiled.errors()};
  return inject(std::move(pod), in, *compiled);
}

}  // namespace schedpol::pod_scheduling_policy
