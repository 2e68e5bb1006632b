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
#include <initializer_list>
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
    append_missing("spec.tolerations", "", spec_.tolerations, from_.tolerations);
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

  /// Notes a change of the field that these parts name. `to` is called for the text of the new
  /// value where it is shown.
  template <class Text>
  void note(std::initializer_list<std::string_view> field, std::optional<std::string> from,
            Text&& to) {
    if (into_.changes.empty()) into_.changes.reserve(usual_changes);
    Change& change = into_.changes.emplace_back();
    change.field = path(field);
    change.policy = policy_.metadata.name;
    if (values_ == ChangeValues::omitted) return;
    change.from = std::move(from);
    change.to = to();
  }

  /// The path of a field of the pod in the object that the pod stands in.
  [[nodiscard]] std::string path(std::initializer_list<std::string_view> field) const {
    const std::string_view in = template_path(into_.pod.kind);
    std::size_t size = in.size() + 1;
    for (const std::string_view part : field) size += part.size();
    std::string text;
    text.reserve(size);
    if (!in.empty()) text.append(in) += '.';
    for (const std::string_view part : field) text += part;
    return text;
  }

  void skip(std::initializer_list<std::string_view> field, const std::string& has,
            const std::string& wanted) {
    into_.skipped.push_back(
        {policy_.metadata.name, path(field),
         "the pod has " + in_backticks(has) + ", the policy " + in_backticks(wanted)});
  }

  /// `unspecified` is the text that counts as none.
  void merge_name(std::string_view field, std::string& name, const std::string& from,
                  std::string_view unspecified) {
    if (from.empty() || name == from) return;
    if (!name.empty() && name != unspecified) return skip({field}, name, from);
    note({field}, name.empty() ? std::nullopt : std::optional(name), [&] { return from; });
    name = from;
  }

  void merge_node_selector() {
    for (const auto& [key, value] : from_.node_selector) {
      const auto [at, added] = spec_.node_selector.try_emplace(key, value);
      if (!added && at->second == value) continue;
      constexpr std::string_view field = "spec.nodeSelector[";
      if (added) {
        note({field, key, "]"}, std::nullopt, [&] { return value; });
      } else {
        skip({field, key, "]"}, at->second, value);
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
  void append_missing(std::string_view field, std::string_view mode, std::vector<T>& list,
                      const std::vector<T>& from) {
    for (const T& item : from) {
      if (contains(list, item)) continue;
      note({field, mode, "[", std::to_string(list.size()), "]"}, std::nullopt,
           [&] { return text(item); });
      list.push_back(item);
    }
  }

  Affinity& affinity() {
    if (!spec_.affinity) spec_.affinity.emplace();
    return *spec_.affinity;
  }

  void merge_pod_affinity(std::string_view field, const std::optional<PodAffinity>& from,
                          std::optional<PodAffinity> Affinity::*member) {
    if (!has_terms(from)) return;
    auto& kind = affinity().*member;
    if (!kind) {
      note({field}, std::nullopt, [&] { return to_string(*from); });
      kind = from;
      return;
    }
    append_missing(field, required_mode, kind->required_during_scheduling_ignored_during_execution,
                   from->required_during_scheduling_ignored_during_execution);
    append_missing(field, preferred_mode,
                   kind->preferred_during_scheduling_ignored_during_execution,
                   from->preferred_during_scheduling_ignored_during_execution);
  }

  bool merge_node_affinity() {
    constexpr std::string_view field = "spec.affinity.nodeAffinity";
    const auto& from = from_.affinity->node_affinity;
    if (!has_terms(from)) return true;
    auto& kind = affinity().node_affinity;
    if (!kind) {
      NodeAffinity copy = *from;
      auto& required = copy.required_during_scheduling_ignored_during_execution;
      if (required && !required->node_selector_terms.empty() &&
          !drop_empty(required->node_selector_terms))
        return false;
      note({field}, std::nullopt, [&] { return to_string(copy); });
      kind = std::move(copy);
      return true;
    }
    append_missing(field, preferred_mode,
                   kind->preferred_during_scheduling_ignored_during_execution,
                   from->preferred_during_scheduling_ignored_during_execution);
    const auto& required = from->required_during_scheduling_ignored_during_execution;
    if (!required || required->node_selector_terms.empty()) return true;
    auto& selector = kind->required_during_scheduling_ignored_during_execution;
    if (!selector) selector.emplace();
    auto& terms = selector->node_selector_terms;
    if (!needs_any(terms, required->node_selector_terms)) return true;
    const auto text_of = [](const Terms& list) {
      return to_string(NodeAffinity{NodeSelector{list}, {}});
    };
    std::optional<std::string> had;
    if (values_ == ChangeValues::shown && !terms.empty()) had = text_of(terms);
    if (!multiply(terms, required->node_selector_terms)) return false;
    note({field, required_mode}, std::move(had), [&] { return text_of(terms); });
    return true;
  }

  using Requirements = std::vector<NodeSelectorRequirement>;
  using Terms = std::vector<NodeSelectorTerm>;

  template <class T>
  static bool contains(const std::vector<T>& all, const T& item) {
    return std::find(all.begin(), all.end(), item) != all.end();
  }

  static bool contains_all(const Requirements& all, const Requirements& some) {
    return std::all_of(some.begin(), some.end(),
                       [&](const auto& item) { return contains(all, item); });
  }

  /// Whether a term of the pod holds all expressions of some term of the policy, and so needs none
  /// of them.
  static bool holds_one(const NodeSelectorTerm& pod, const Terms& policy_terms) {
    return std::any_of(policy_terms.begin(), policy_terms.end(), [&](const auto& policy) {
      return !is_empty(policy) && contains_all(pod.match_expressions, policy.match_expressions) &&
             contains_all(pod.match_fields, policy.match_fields);
    });
  }

  /// Whether the terms of a pod change when they are multiplied.
  static bool needs_any(const Terms& terms, const Terms& policy_terms) {
    if (terms.size() == 1 && is_empty(terms.front())) return false;
    return terms.empty() || !std::all_of(terms.begin(), terms.end(), [&](const auto& pod) {
             return !is_empty(pod) && holds_one(pod, policy_terms);
           });
  }

  /// Drops the terms that match no node; one of them stays where there is no other. False when
  /// those that are left are too many.
  static bool drop_empty(Terms& terms) {
    std::erase_if(terms, [](const auto& term) { return is_empty(term); });
    if (terms.empty()) terms.emplace_back();
    return terms.size() <= max_node_selector_terms;
  }

  /// Multiplies the terms of the pod, where it has some, with those of the policy, of which there
  /// are some. False when they would be too many; a pod that needs none of the policy's keeps as
  /// many as it brings.
  static bool multiply(Terms& terms, const Terms& policy_terms) {
    if (terms.empty()) return drop_empty(terms = policy_terms);
    const auto factors = static_cast<std::size_t>(
        std::count_if(policy_terms.begin(), policy_terms.end(),
                      [](const auto& policy) { return !is_empty(policy); }));
    Terms product;
    product.reserve(std::min(terms.size() * factors, max_node_selector_terms));
    bool added = false;
    for (NodeSelectorTerm& pod : terms) {
      if (is_empty(pod)) continue;
      if (holds_one(pod, policy_terms)) {
        product.push_back(std::move(pod));
        continue;
      }
      added = true;
      if (product.size() + factors > max_node_selector_terms) return false;
      std::size_t left = factors;
      for (const NodeSelectorTerm& policy : policy_terms) {
        if (is_empty(policy)) continue;
        // The last one takes what the pod has, the others copy it.
        const bool last = --left == 0;
        const auto rest = [&](Requirements& of_pod) { return last ? std::move(of_pod) : of_pod; };
        product.push_back({joined(policy.match_expressions, rest(pod.match_expressions)),
                           joined(policy.match_fields, rest(pod.match_fields))});
      }
    }
    terms = std::move(product);
    if (terms.empty()) terms.emplace_back();
    return !added || terms.size() <= max_node_selector_terms;
  }

  /// `first`, then what of `second` it does not hold.
  static Requirements joined(const Requirements& first, Requirements second) {
    Requirements all;
    all.reserve(first.size() + second.size());
    all = first;
    for (NodeSelectorRequirement& item : second) {
      if (!contains(all, item)) all.push_back(std::move(item));
    }
    return all;
  }

  /// More than most policies make, so that the list of changes rarely moves.
  static constexpr std::size_t usual_changes = 16;
  Injection& into_;
  PodSpec& spec_;
  const PodSchedulingPolicy& policy_;
  const PodSchedulingPolicySpec& from_;
  DefaultScheduler default_scheduler_;
  ChangeValues values_;
};

}  // namespace detail

}  // namespace schedpol::pod_scheduling_policy
