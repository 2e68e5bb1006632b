// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How one policy is merged into one pod, and what is reported of it: rules 3 and 4 of
/// `pod_scheduling_policy.hpp`.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/affinity.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::pod_scheduling_policy {

/// Required node selector terms that a pod may come out with; a policy that would give it more is
/// an error.
inline constexpr std::size_t max_node_selector_terms = 1024;

/// A criterion of a policy that conflicts with what the pod has.
struct Skipped {
  std::string policy{};
  std::string field{};
  std::string reason{};

  friend bool operator==(const Skipped&, const Skipped&) = default;
};

/// What became of a pod. With `errors` the pod came back as it was, and `applied` names the policy
/// that could not be.
struct Injection {
  Pod pod{};
  std::vector<std::string> applied{};  ///< the policies that selected the pod, in their order
  std::vector<Skipped> skipped{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};

  friend bool operator==(const Injection&, const Injection&) = default;
};

namespace detail {

/// Merges one policy into one pod.
class Merger {
 public:
  Merger(Injection& into, const PodSchedulingPolicy& policy, DefaultScheduler default_scheduler,
         ChangeValues values)
      : into_(into),
        spec_(into.pod.spec),
        policy_(policy),
        from_(policy.spec),
        default_scheduler_(default_scheduler),
        values_(values) {}

  /// False when the pod would get too many terms; it is then half-merged and of no use.
  [[nodiscard]] bool run() && {
    merge_name("spec.nodeName", spec_.node_name, from_.node_name, "");
    merge_name("spec.schedulerName", spec_.scheduler_name, from_.scheduler_name,
               default_scheduler_ == DefaultScheduler::unspecified ? default_scheduler_name : "");
    merge_node_selector();
    append_missing("spec.tolerations", spec_.tolerations, from_.tolerations);
    if (!from_.affinity) return true;
    merge_pod_affinity("spec.affinity.podAffinity", from_.affinity->pod_affinity,
                       &Affinity::pod_affinity);
    merge_pod_affinity("spec.affinity.podAntiAffinity", from_.affinity->pod_anti_affinity,
                       &Affinity::pod_anti_affinity);
    return merge_node_affinity();
  }

 private:
  static constexpr std::string_view required_mode =
      ".requiredDuringSchedulingIgnoredDuringExecution";
  static constexpr std::string_view preferred_mode =
      ".preferredDuringSchedulingIgnoredDuringExecution";

  /// `to` is called for the text of the new value where it is shown.
  template <class Text>
  void note(std::string field, std::optional<std::string> from, Text&& to) {
    Change& change = into_.changes.emplace_back();
    const bool is_pod = into_.pod.kind == PodKind::pod;
    change.field = is_pod ? std::move(field) : field_path(into_.pod.kind, field);
    change.policy = policy_.metadata.name;
    if (values_ == ChangeValues::omitted) return;
    change.from = std::move(from);
    change.to = to();
  }
  void skip(std::string_view field, const std::string& has, const std::string& wanted) {
    into_.skipped.push_back(
        {policy_.metadata.name, field_path(into_.pod.kind, field),
         "the pod has " + in_backticks(has) + ", the policy " + in_backticks(wanted)});
  }

  /// `unspecified` is the text that counts as none.
  void merge_name(std::string_view field, std::string& name, const std::string& from,
                  std::string_view unspecified) {
    if (from.empty() || name == from) return;
    if (!name.empty() && name != unspecified) return skip(field, name, from);
    note(std::string(field), name.empty() ? std::nullopt : std::optional(name),
         [&] { return from; });
    name = from;
  }

  void merge_node_selector() {
    for (const auto& [key, value] : from_.node_selector) {
      const auto [at, added] = spec_.node_selector.try_emplace(key, value);
      if (!added && at->second == value) continue;
      std::string field = "spec.nodeSelector[" + key + "]";
      if (added) {
        note(std::move(field), std::nullopt, [&] { return value; });
      } else {
        skip(field, at->second, value);
      }
    }
  }

  static std::string text(const Toleration& toleration) { return to_string(toleration); }
  static std::string text(const PodAffinityTerm& term) { return to_string(term); }
  static std::string text(const WeightedPodAffinityTerm& term) {
    return std::to_string(term.weight) + " " + to_string(term.pod_affinity_term);
  }
  static std::string text(const PreferredSchedulingTerm& term) {
    return std::to_string(term.weight) + " " + to_string(term.preference);
  }

  template <class T>
  void append_missing(const std::string& field, std::vector<T>& list, const std::vector<T>& from) {
    for (const T& item : from) {
      if (std::find(list.begin(), list.end(), item) != list.end()) continue;
      note(field + "[" + std::to_string(list.size()) + "]", std::nullopt,
           [&] { return text(item); });
      list.push_back(item);
    }
  }

  Affinity& affinity() {
    if (!spec_.affinity) spec_.affinity.emplace();
    return *spec_.affinity;
  }

  void merge_pod_affinity(const std::string& field, const std::optional<PodAffinity>& from,
                          std::optional<PodAffinity> Affinity::*member) {
    if (!has_terms(from)) return;
    auto& kind = affinity().*member;
    if (!kind) {
      note(field, std::nullopt, [&] { return to_string(*from); });
      kind = from;
      return;
    }
    append_missing(field + std::string(required_mode),
                   kind->required_during_scheduling_ignored_during_execution,
                   from->required_during_scheduling_ignored_during_execution);
    append_missing(field + std::string(preferred_mode),
                   kind->preferred_during_scheduling_ignored_during_execution,
                   from->preferred_during_scheduling_ignored_during_execution);
  }

  bool merge_node_affinity() {
    const std::string field = "spec.affinity.nodeAffinity";
    const auto& from = from_.affinity->node_affinity;
    if (!has_terms(from)) return true;
    auto& kind = affinity().node_affinity;
    if (!kind) {
      NodeAffinity copy = *from;
      auto& terms = copy.required_during_scheduling_ignored_during_execution;
      if (terms && !terms->node_selector_terms.empty()) {
        auto kept = product({}, terms->node_selector_terms);
        if (!kept) return false;
        terms->node_selector_terms = *std::move(kept);
      }
      note(field, std::nullopt, [&] { return to_string(copy); });
      kind = std::move(copy);
      return true;
    }
    append_missing(field + std::string(preferred_mode),
                   kind->preferred_during_scheduling_ignored_during_execution,
                   from->preferred_during_scheduling_ignored_during_execution);
    const auto& required = from->required_during_scheduling_ignored_during_execution;
    if (!required || required->node_selector_terms.empty()) return true;
    auto& selector = kind->required_during_scheduling_ignored_during_execution;
    if (!selector) selector.emplace();
    auto& terms = selector->node_selector_terms;
    auto merged = product(terms, required->node_selector_terms);
    if (!merged) return false;
    if (*merged == terms) return true;
    const auto text_of = [](const std::vector<NodeSelectorTerm>& list) {
      return to_string(NodeAffinity{NodeSelector{list}, {}});
    };
    std::optional<std::string> had;
    if (values_ == ChangeValues::shown && !terms.empty()) had = text_of(terms);
    note(field + std::string(required_mode), std::move(had), [&] { return text_of(*merged); });
    terms = *std::move(merged);
    return true;
  }

  /// Whether each item of `some` is in `all`.
  template <class T>
  static bool contains_all(const std::vector<T>& all, const std::vector<T>& some) {
    return std::all_of(some.begin(), some.end(), [&](const T& item) {
      return std::find(all.begin(), all.end(), item) != all.end();
    });
  }

  /// `first`, then what of `second` it does not hold.
  template <class T>
  static std::vector<T> joined(const std::vector<T>& first, const std::vector<T>& second) {
    std::vector<T> all = first;
    for (const T& item : second) {
      if (std::find(all.begin(), all.end(), item) == all.end()) all.push_back(item);
    }
    return all;
  }

  static std::vector<const NodeSelectorTerm*> not_empty(
      const std::vector<NodeSelectorTerm>& terms) {
    std::vector<const NodeSelectorTerm*> kept;
    for (const NodeSelectorTerm& term : terms) {
      if (!is_empty(term)) kept.push_back(&term);
    }
    return kept;
  }

  /// The terms of the pod with those of the policy, of which there are some; nothing when they
  /// would be too many. A pod that needs none of the policy's keeps as many as it brings.
  static std::optional<std::vector<NodeSelectorTerm>> product(
      const std::vector<NodeSelectorTerm>& pod_terms,
      const std::vector<NodeSelectorTerm>& policy_terms) {
    const auto policies = not_empty(policy_terms);
    std::vector<NodeSelectorTerm> terms;
    bool added = false;
    if (pod_terms.empty()) {
      for (const NodeSelectorTerm* policy : policies) terms.push_back(*policy);
      added = true;
    }
    for (const NodeSelectorTerm* pod : not_empty(pod_terms)) {
      const bool holds_one =
          std::any_of(policies.begin(), policies.end(), [&](const NodeSelectorTerm* policy) {
            return contains_all(pod->match_expressions, policy->match_expressions) &&
                   contains_all(pod->match_fields, policy->match_fields);
          });
      if (holds_one) {
        terms.push_back(*pod);
        continue;
      }
      added = true;
      if (terms.size() + policies.size() > max_node_selector_terms) return std::nullopt;
      for (const NodeSelectorTerm* policy : policies) {
        terms.push_back({joined(policy->match_expressions, pod->match_expressions),
                         joined(policy->match_fields, pod->match_fields)});
      }
    }
    if (added && terms.size() > max_node_selector_terms) return std::nullopt;
    if (terms.empty()) terms.emplace_back();
    return terms;
  }

  Injection& into_;
  PodSpec& spec_;
  const PodSchedulingPolicy& policy_;
  const PodSchedulingPolicySpec& from_;
  DefaultScheduler default_scheduler_;
  ChangeValues values_;
};

}  // namespace detail

}  // namespace schedpol::pod_scheduling_policy
