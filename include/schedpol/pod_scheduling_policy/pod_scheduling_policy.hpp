// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy: scheduling criteria that are injected into
/// the pods and pod templates they select.
///
/// 1. A policy applies when its podSelector matches the pod's (the template's) labels; the cluster
/// kind
///    also needs its namespaceSelector to match the namespace's, the namespaced kind only applies
///    in its own namespace. An absent selector selects nothing, `{}` everything.
/// 2. Policies apply in byte order of their names (equal names: cluster first), each onto the
/// result of
///    the one before. The pod's own criteria win; what does not conflict with them is merged in.
/// 3. nodeName, schedulerName: where the pod has none. nodeSelector: keys that it has not.
/// Tolerations,
///    preferred terms, pod affinity and anti-affinity terms: those that it does not have yet.
/// 4. Required node selector terms: where one side has none, the other's. Otherwise every term of
/// the
///    pod with every term of the policy, the policy's expressions first, each only once. A term of
///    the pod that holds all expressions of some term of the policy stays as it is, so injecting
///    twice changes nothing. An empty term matches no node and is left out; where nothing remains,
///    one empty term stays.
/// Source: the kupid README and webhook.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/affinity.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/validation.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace schedpol::pod_scheduling_policy {

/// Required node selector terms that a pod may come out with; a policy that would give it more is
/// an error.
inline constexpr std::size_t max_node_selector_terms = 1024;

/// The two kinds of policy, which differ in where they apply.
enum class PolicyKind { pod_scheduling_policy, cluster_pod_scheduling_policy };

[[nodiscard]] constexpr std::string_view to_string(PolicyKind kind) noexcept {
  return kind == PolicyKind::pod_scheduling_policy ? "PodSchedulingPolicy"
                                                   : "ClusterPodSchedulingPolicy";
}

/// What is selected, and what is injected. An empty string, list or map injects nothing.
struct PodSchedulingPolicySpec {
  std::optional<LabelSelector> namespace_selector{};  ///< of the cluster kind only
  std::optional<LabelSelector> pod_selector{};
  std::string node_name{};
  std::string scheduler_name{};
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};

  friend bool operator==(const PodSchedulingPolicySpec&, const PodSchedulingPolicySpec&) = default;
};

struct PodSchedulingPolicy {
  PolicyKind kind = PolicyKind::pod_scheduling_policy;
  ObjectMeta metadata{};
  PodSchedulingPolicySpec spec{};

  friend bool operator==(const PodSchedulingPolicy&, const PodSchedulingPolicy&) = default;
};

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

/// Policies made for injecting: their selectors compiled, in the order in which they apply.
class Injector {
 public:
  /// No policies: injects nothing.
  Injector() = default;

  /// The pod, or pod template, with everything that the policies which select it inject. `in` is
  /// the metadata of its namespace. Where `default-scheduler` counts as unspecified, the first
  /// policy that names a scheduler replaces it. A product of terms beyond `max_node_selector_terms`
  /// is an error.
  [[nodiscard]] Injection inject(Pod pod, const ObjectMeta& in,
                                 DefaultScheduler default_scheduler = DefaultScheduler::specified,
                                 ChangeValues values = ChangeValues::shown) const {
    Injection injection;
    injection.pod = std::move(pod);
    // Only where the terms could become too many, the pod may have to come back as it was.
    std::optional<Pod> before;
    if (may_exceed(injection.pod.spec)) before = injection.pod;
    for (const Compiled& compiled : policies_) {
      if (!compiled.applies(injection.pod.metadata.labels, in)) continue;
      injection.applied.push_back(compiled.policy.metadata.name);
      if (detail::Merger(injection, compiled.policy, default_scheduler, values).run()) {
        if (!compiled.policy.spec.scheduler_name.empty())
          default_scheduler = DefaultScheduler::specified;
        continue;
      }
      Injection failed;
      failed.applied.push_back(compiled.policy.metadata.name);
      failed.errors.push_back({ErrorType::too_many,
                               field_path(before->kind, "spec.affinity.nodeAffinity"), "",
                               "the policy " + in_backticks(compiled.policy.metadata.name) +
                                   " makes more than 1024 node selector terms"});
      failed.pod = *std::move(before);
      return failed;
    }
    return injection;
  }

  /// The injection as an admission, to be chained.
  [[nodiscard]] Admission admit(
      Pod pod, const ObjectMeta& in,
      DefaultScheduler default_scheduler = DefaultScheduler::specified) const;

  /// Whether a pod with these labels cannot be injected without knowing the labels of its
  /// namespace: a policy of the cluster kind selects it, and not in every namespace.
  [[nodiscard]] bool needs_namespace(const Labels& labels) const noexcept {
    return std::any_of(policies_.begin(), policies_.end(), [&](const Compiled& compiled) {
      const auto& selector = compiled.policy.spec.namespace_selector;
      return compiled.policy.kind == PolicyKind::cluster_pod_scheduling_policy && selector &&
             *selector != LabelSelector{} && compiled.pods.matches(labels);
    });
  }

 private:
  friend Result<Injector> compile(std::span<const PodSchedulingPolicy>);

  struct Compiled {
    PodSchedulingPolicy policy;
    LabelMatcher pods;
    LabelMatcher namespaces;

    [[nodiscard]] bool applies(const Labels& labels, const ObjectMeta& in) const noexcept {
      const bool here = policy.kind == PolicyKind::pod_scheduling_policy
                            ? policy.metadata.namespace_ == in.name
                            : namespaces.matches(in.labels);
      return here && pods.matches(labels);
    }
  };

  /// The required terms in an affinity, one at least: the factor that it is in a product.
  static std::size_t factor(const std::optional<Affinity>& affinity) noexcept {
    if (!affinity || !affinity->node_affinity) return 1;
    const auto& required =
        affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    return required ? std::max<std::size_t>(required->node_selector_terms.size(), 1) : 1;
  }

  /// Whether the product of the terms of a pod with those of all policies has more than it may.
  [[nodiscard]] bool may_exceed(const PodSpec& spec) const noexcept {
    std::size_t product = factor(spec.affinity);
    for (const Compiled& compiled : policies_) {
      if (product > max_node_selector_terms) break;
      product *= factor(compiled.policy.spec.affinity);
    }
    return product > max_node_selector_terms;
  }

  std::vector<Compiled> policies_;
};

/// Builds the injector, or reports every selector that cannot be used, naming its policy: nothing
/// is injected then. Paths begin with `policies[i]`. Two policies of one kind, name and namespace
/// are an error, because which came first would matter.
[[nodiscard]] inline Result<Injector> compile(std::span<const PodSchedulingPolicy> policies) {
  Injector injector;
  std::vector<FieldError> errors;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const PodSchedulingPolicy& policy = policies[i];
    const std::string field = "policies[" + std::to_string(i) + "].spec";
    const auto take = [&](const std::optional<LabelSelector>& selector, std::string_view name) {
      return schedpol::detail::compile_for(policy.metadata.name, selector,
                                           field + std::string(name), errors);
    };
    injector.policies_.push_back({policy, take(policy.spec.pod_selector, ".podSelector"),
                                  take(policy.spec.namespace_selector, ".namespaceSelector")});
  }
  const auto order = [](const Injector::Compiled& compiled) {
    const PodSchedulingPolicy& policy = compiled.policy;
    const bool is_cluster = policy.kind == PolicyKind::cluster_pod_scheduling_policy;
    return std::tuple(
        std::string_view(policy.metadata.name), !is_cluster,
        is_cluster ? std::string_view() : std::string_view(policy.metadata.namespace_));
  };
  auto& compiled = injector.policies_;
  std::sort(compiled.begin(), compiled.end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
  for (std::size_t i = 1; i < compiled.size(); ++i) {
    if (order(compiled[i - 1]) != order(compiled[i])) continue;
    errors.push_back({ErrorType::duplicate, "policies", compiled[i].policy.metadata.name,
                      "two policies have this name"});
  }
  if (!errors.empty()) return errors;
  return injector;
}

/// Compiles the policies and injects them into one pod; where they cannot be compiled, the pod
/// comes back as it was, with the errors.
[[nodiscard]] inline Injection inject(Pod pod, const ObjectMeta& in,
                                      std::span<const PodSchedulingPolicy> policies) {
  const auto injector = compile(policies);
  if (injector) return injector->inject(std::move(pod), in);
  Injection failed;
  failed.pod = std::move(pod);
  failed.errors = injector.errors();
  return failed;
}

/// An injection as an admission: allowed with its changes, or denied with `InvalidPolicy` when a
/// policy makes too many terms. To be chained it needs the pod as it came, in `before`.
[[nodiscard]] inline Admission to_admission(Injection injection) {
  Admission admission;
  admission.allowed = injection.errors.empty();
  for (const FieldError& error : injection.errors) {
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(injection.pod.kind, "spec"), message(error),
                                    injection.applied});
  }
  admission.pod = std::move(injection.pod);
  admission.changes = std::move(injection.changes);
  return admission;
}

inline Admission Injector::admit(Pod pod, const ObjectMeta& in,
                                 DefaultScheduler default_scheduler) const {
  Pod before = pod;
  Admission admission = to_admission(inject(std::move(pod), in, default_scheduler));
  if (!admission.changes.empty()) admission.before = std::move(before);
  return admission;
}

/// The injection of policies that are compiled first; denied with one `InvalidPolicy` an error when
/// they cannot be.
[[nodiscard]] inline Admission admit(Pod pod, const ObjectMeta& in,
                                     std::span<const PodSchedulingPolicy> policies) {
  const auto injector = compile(policies);
  if (injector) return injector->admit(std::move(pod), in);
  Admission admission;
  admission.pod = std::move(pod);
  for (const FieldError& error : injector.errors()) {
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(admission.pod.kind, "spec"), message(error),
                                    schedpol::detail::policies_behind(error.field, policies)});
  }
  return admission;
}

/// What is wrong with a policy: its name, its selectors, and criteria that the API server would
/// refuse in the pods they are injected into; a namespaceSelector in the namespaced kind.
[[nodiscard]] inline std::vector<FieldError> validate(const PodSchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const PodSchedulingPolicySpec& spec = policy.spec;
  schedpol::detail::validate_name(errors, policy.metadata.name);
  errors.add_compiled(schedpol::compile(spec.pod_selector, "spec.podSelector"));
  errors.add_compiled(schedpol::compile(spec.namespace_selector, "spec.namespaceSelector"));
  if (policy.kind == PolicyKind::pod_scheduling_policy && spec.namespace_selector) {
    errors.add(ErrorType::forbidden, "spec.namespaceSelector", "",
               "only the cluster kind selects namespaces");
  }
  schedpol::detail::validate_labels(errors, "spec.nodeSelector", spec.node_selector);
  schedpol::detail::validate_tolerations(errors, "spec.tolerations", spec.tolerations);
  if (spec.affinity) schedpol::detail::validate_affinity(errors, "spec.affinity", *spec.affinity);
  return std::move(errors).take();
}

}  // namespace schedpol::pod_scheduling_policy
