// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/default_toleration_seconds.hpp>
#include <schedpol/core/impl/invalid_policies.hpp>
#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/core/impl/node_term_product.hpp>
#include <schedpol/core/impl/required_pod_terms.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/impl/compiled_policy.hpp>
#include <schedpol/pod_scheduling_policy/impl/notes.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

namespace detail {

using schedpol::detail::contradiction_text;
using schedpol::detail::ItemSet;
using schedpol::detail::LeftOut;
using schedpol::detail::make_term;
using schedpol::detail::Merged;
using schedpol::detail::PairFilter;
using schedpol::detail::PolicyTerms;
using schedpol::detail::Product;
using schedpol::detail::TermMerger;
using schedpol::detail::Terms;
using schedpol::detail::text;

/// Gives a pod back what policies may change of it.
inline void give_back(PodSpec& spec, SchedulingCriteria&& criteria) {
  spec.node_name = std::move(criteria.node_name);
  spec.scheduler_name = std::move(criteria.scheduler_name);
  spec.node_selector = std::move(criteria.node_selector);
  spec.tolerations = std::move(criteria.tolerations);
  spec.affinity = std::move(criteria.affinity);
}

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

inline void merge_node_selector(Notes& notes, PodSpec& pod, const Labels& from) {
  PairFilter filter(pod.node_selector, required_terms(pod.affinity), from);
  for (const auto& [key, value] : from) {
    const auto at = pod.node_selector.lower_bound(key);
    const bool has = at != pod.node_selector.end() && at->first == key;
    if (has && at->second == value) continue;
    FieldPath path = notes.path({"spec", "nodeSelector"}).key(key);
    if (has) {
      notes.skip(std::move(path), at->second, value);
    } else if (const NodeSelectorRequirement* own = filter.excluding(key)) {
      notes.skip(std::move(path),
                 contradiction_text(NodeSelectorTerm{{*own}, {}}, make_term(key, value)));
    } else {
      notes.change(std::move(path), std::nullopt, [&] { return value; });
      pod.node_selector.try_emplace(at, key, value);
    }
  }
}

/// Appends the items that the list does not have yet, but for those that `skips` says no to.
template <class T, class Skips>
void append_missing(Notes& notes, Notes::Fields field, std::vector<T>& list,
                    const std::vector<T>& from, Skips&& skips) {
  ItemSet present(list, list.size() + from.size(), from.size());
  for (const T& item : from) {
    if (!present.add_if_missing(item) || skips(item)) continue;
    notes.change(notes.path(field).index(list.size()), std::nullopt, [&] { return text(item); });
    list.push_back(item);
  }
}
template <class T>
void append_missing(Notes& notes, Notes::Fields field, std::vector<T>& list,
                    const std::vector<T>& from) {
  append_missing(notes, field, list, from, [](const T&) { return false; });
}

/// The tolerations that the pod does not have yet, after its own, or in the place of one that
/// DefaultTolerationSeconds added. Those `kept` stay.
inline void merge_tolerations(Notes& notes, std::vector<Toleration>& list,
                              const std::vector<Toleration>& from,
                              const std::vector<Toleration>& kept) {
  std::vector<Toleration> more;
  for (const Toleration& item : from) {
    const auto place = std::find_if(list.begin(), list.end(), [&](const Toleration& each) {
      return schedpol::detail::replaces(item, each) && !schedpol::detail::contains(kept, each);
    });
    if (place == list.end() || schedpol::detail::contains(list, item)) {
      more.push_back(item);
      continue;
    }
    notes.change(
        notes.path({"spec", "tolerations"}).index(static_cast<std::size_t>(place - list.begin())),
        text(*place), [&] { return text(item); });
    *place = item;
  }
  append_missing(notes, {"spec", "tolerations"}, list, more);
}

/// A kind of pod affinity, and the other one, which must not contradict it.
struct PodAffinityKind {
  std::string_view name;
  std::optional<PodAffinity> Affinity::*member;
  std::optional<PodAffinity> Affinity::*opposite;
  std::string_view contradicted;  ///< what is said of a term of the opposite kind
};

inline constexpr PodAffinityKind pod_affinity_kind = {
    "podAffinity", &Affinity::pod_affinity, &Affinity::pod_anti_affinity,
    "the pod's podAntiAffinity keeps these pods away: "};
inline constexpr PodAffinityKind pod_anti_affinity_kind = {
    "podAntiAffinity", &Affinity::pod_anti_affinity, &Affinity::pod_affinity,
    "the pod's podAffinity asks for these pods: "};

/// The required terms of a policy that a required one of the pod's opposite kind contradicts.
class SkippedTerms {
 public:
  /// `opposite` has the pod's required terms of the opposite kind.
  SkippedTerms(const PodAffinityKind& kind, schedpol::detail::RequiredPodTerms& opposite,
               const Affinity& pod)
      : kind_(kind), opposite_(opposite), pod_(pod) {}

  [[nodiscard]] bool add_if_contradicted(const PodAffinityTerm& term) {
    if (!opposite_.contradict(pod_.*kind_.opposite, term)) return false;
    if (count_++ == 0) first_ = to_string(term);
    return true;
  }

  void note(Notes& notes) const {
    if (count_ == 0) return;
    std::string reason = std::string(kind_.contradicted) + first_;
    if (count_ > 1) reason += ", the first of " + std::to_string(count_) + " such terms";
    notes.skip(notes.path({"spec", "affinity", kind_.name, required_mode}), std::move(reason));
  }

 private:
  const PodAffinityKind& kind_;
  schedpol::detail::RequiredPodTerms& opposite_;
  const Affinity& pod_;
  std::size_t count_ = 0;
  std::string first_;
};

inline void merge_pod_affinity(Notes& notes, const PodAffinityKind& kind,
                               schedpol::detail::RequiredPodTerms& opposite, Affinity& into,
                               const Affinity& policy) {
  const std::optional<PodAffinity>& from = policy.*kind.member;
  if (!has_terms(from)) return;
  SkippedTerms skipped(kind, opposite, into);
  const auto skips = [&](const PodAffinityTerm& term) { return skipped.add_if_contradicted(term); };
  std::optional<PodAffinity>& affinity = into.*kind.member;
  if (!affinity) {
    PodAffinity whole = *from;
    schedpol::detail::erase_if(whole.required_during_scheduling_ignored_during_execution, skips);
    if (whole != PodAffinity()) {
      affinity = std::move(whole);
      notes.change(notes.path({"spec", "affinity", kind.name}), std::nullopt,
                   [&] { return to_string(*affinity); });
    }
  } else {
    append_missing(notes, {"spec", "affinity", kind.name, required_mode},
                   affinity->required_during_scheduling_ignored_during_execution,
                   from->required_during_scheduling_ignored_during_execution, skips);
    append_missing(notes, {"spec", "affinity", kind.name, preferred_mode},
                   affinity->preferred_during_scheduling_ignored_during_execution,
                   from->preferred_during_scheduling_ignored_during_execution);
  }
  skipped.note(notes);
}

/// The text of required terms.
inline std::string text(const Terms& terms) {
  return to_string(NodeAffinity{NodeSelector{terms}, {}});
}

inline FieldPath required_terms_path(const Notes& notes) {
  return notes.path({"spec", "affinity", "nodeAffinity", required_mode});
}

static_assert(max_given_items <= max_node_selector_terms, "those of one policy are never too many");

/// A policy's required terms for a pod that has none, but that nodeSelector.
inline Terms copied_terms(Notes& notes, const Labels& node_selector, const PolicyTerms& policy) {
  if (policy.size() == 0) return {};
  LeftOut left_out;
  Terms terms = copied(node_selector, policy, left_out);
  if (left_out.any()) notes.skip(required_terms_path(notes), left_out.reason(terms.empty()));
  return terms;
}

/// A policy's required terms, and those of a pod with that nodeSelector.
[[nodiscard]] inline Merged merge_required_terms(Notes& notes, TermMerger& merger,
                                                 const Labels& node_selector,
                                                 std::optional<NodeSelector>& selector,
                                                 const PolicyTerms& policy) {
  if (policy.size() == 0) return Merged::within_limits;
  if (!selector || selector->node_selector_terms.empty()) {
    Terms terms = copied_terms(notes, node_selector, policy);
    if (terms.empty()) return Merged::within_limits;
    notes.change(required_terms_path(notes), std::nullopt, [&] { return text(terms); });
    selector = NodeSelector{std::move(terms)};
    return Merged::within_limits;
  }
  LeftOut left_out;
  Terms& terms = selector->node_selector_terms;
  const Product product = merger.multiply(terms, node_selector, policy, left_out);
  if (product.merged != Merged::within_limits) return product.merged;
  if (left_out.any()) notes.skip(required_terms_path(notes), left_out.reason(!product.changes));
  if (!product.changes) return Merged::within_limits;
  std::optional<std::string> had;
  if (notes.show_values()) had = text(terms);
  terms = product.make(terms, policy);
  notes.change(required_terms_path(notes), std::move(had), [&] { return text(terms); });
  return Merged::within_limits;
}

[[nodiscard]] inline Merged merge_node_affinity(Notes& notes, TermMerger& merger,
                                                const Labels& node_selector,
                                                std::optional<NodeAffinity>& affinity,
                                                const std::optional<NodeAffinity>& from,
                                                const PolicyTerms& policy) {
  if (!has_terms(from)) return Merged::within_limits;
  if (!affinity) {
    Terms terms = copied_terms(notes, node_selector, policy);
    NodeAffinity whole{.preferred_during_scheduling_ignored_during_execution =
                           from->preferred_during_scheduling_ignored_during_execution};
    if (!terms.empty())
      whole.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
    if (whole == NodeAffinity()) return Merged::within_limits;
    affinity = std::move(whole);
    notes.change(notes.path({"spec", "affinity", "nodeAffinity"}), std::nullopt,
                 [&] { return to_string(*affinity); });
    return Merged::within_limits;
  }
  append_missing(notes, {"spec", "affinity", "nodeAffinity", preferred_mode},
                 affinity->preferred_during_scheduling_ignored_during_execution,
                 from->preferred_during_scheduling_ignored_during_execution);
  return merge_required_terms(notes, merger, node_selector,
                              affinity->required_during_scheduling_ignored_during_execution,
                              policy);
}

/// What the policies that are merged into one pod, one after the other, have in common.
struct Merging {
  explicit Merging(std::string_view namespace_) : affinity(namespace_), anti_affinity(namespace_) {}

  TermMerger node_terms{};
  schedpol::detail::RequiredPodTerms affinity;
  schedpol::detail::RequiredPodTerms anti_affinity;
};

/// Where it fails the pod is left half done.
[[nodiscard]] inline Merged merge(Notes& notes, Merging& merging, PodSpec& pod,
                                  const CompiledPolicy& compiled,
                                  DefaultScheduler default_scheduler,
                                  const std::vector<Toleration>& kept) {
  const PodSchedulingPolicySpec& from = compiled.policy.spec;
  merge_name(notes, "nodeName", pod.node_name, from.node_name, "");
  merge_name(notes, "schedulerName", pod.scheduler_name, from.scheduler_name,
             default_scheduler == DefaultScheduler::unspecified ? default_scheduler_name : "");
  merge_node_selector(notes, pod, from.node_selector);
  merge_tolerations(notes, pod.tolerations, from.tolerations, kept);
  const auto& affinity = from.affinity;
  if (!affinity) return Merged::within_limits;
  const bool had = pod.affinity.has_value();
  Affinity& into = had ? *pod.affinity : pod.affinity.emplace();
  merge_pod_affinity(notes, pod_affinity_kind, merging.anti_affinity, into, *affinity);
  merge_pod_affinity(notes, pod_anti_affinity_kind, merging.affinity, into, *affinity);
  const Merged merged = merge_node_affinity(
      notes, merging.node_terms, pod.node_selector, into.node_affinity, affinity->node_affinity,
      PolicyTerms(required_terms(affinity), compiled.required));
  if (!had && into == Affinity()) pod.affinity.reset();
  return merged;
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

SCHEDPOL_INLINE void inject_into(Injection& injection, const Namespace& in,
                                 const CompiledPolicies& policies,
                                 DefaultScheduler default_scheduler, ChangeValues values,
                                 std::vector<Toleration> kept) {
  if (injection.pod.spec.moved_from)
    return detail::fail(injection, {}, schedpol::detail::moved_from_error(injection.pod.kind));
  if (!policies.impl_) {
    return detail::fail(injection, {},
                        {ErrorType::required, {"policies"}, "", "no policies were compiled"});
  }
  if (namespace_of(in) != namespace_of(injection.pod.metadata)) {
    return detail::fail(injection, {},
                        {ErrorType::invalid, FieldPath{"metadata", "namespace"},
                         std::string(namespace_of(injection.pod.metadata)),
                         "is not " + in_backticks(namespace_of(in)) +
                             ", the namespace that the policies are asked about"});
  }
  detail::Merging merging(namespace_of(in));
  const auto applying = policies.impl_->applying(injection.pod.metadata.labels, in);
  injection.applied.reserve(applying.size());
  const std::size_t items = CompiledPolicies::Impl::given_items(applying);
  if (items > max_given_items) {
    std::vector<std::string> names;
    for (const detail::CompiledPolicy* compiled : applying)
      names.push_back(compiled->policy.metadata.name);
    return detail::fail(
        injection, std::move(names),
        schedpol::detail::too_many_injected(field_path(injection.pod.kind, {"spec"}), items));
  }
  for (const detail::CompiledPolicy* compiled : applying) {
    const std::string& name = compiled->policy.metadata.name;
    detail::Notes notes(injection, name, values);
    using detail::Merged;
    if (const Merged merged =
            detail::merge(notes, merging, injection.pod.spec, *compiled, default_scheduler, kept);
        merged != Merged::within_limits) {
      return detail::fail(
          injection, {name},
          detail::error_of(merged, notes.path({"spec", "affinity", "nodeAffinity"}), name));
    }
    injection.applied.push_back(name);
    if (compiled->is_of_cluster())
      schedpol::detail::append(kept, compiled->policy.spec.tolerations);
    if (!compiled->policy.spec.scheduler_name.empty())
      default_scheduler = DefaultScheduler::specified;
  }
}

SCHEDPOL_INLINE Injection inject(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                                 DefaultScheduler default_scheduler, ChangeValues values) {
  SchedulingCriteria before = detail::criteria_of(pod.spec);
  Injection injection{.pod = std::move(pod)};
  inject_into(injection, in, policies, default_scheduler, values);
  if (!injection.errors.empty()) detail::give_back(injection.pod.spec, std::move(before));
  return injection;
}

SCHEDPOL_INLINE Injection inject(Pod pod, const Namespace& in,
                                 std::span<const PodSchedulingPolicy> policies,
                                 DefaultScheduler default_scheduler) {
  const auto compiled = compile(policies);
  if (!compiled) return {.pod = std::move(pod), .errors = compiled.errors()};
  return inject(std::move(pod), in, *compiled, default_scheduler);
}

SCHEDPOL_INLINE Admission to_admission(Injection&& injection) {
  Admission admission{.allowed = injection.errors.empty(),
                      .pod = std::move(injection.pod),
                      .changes = std::move(injection.changes)};
  for (Skipped& skipped : injection.skipped)
    admission.warnings.push_back(
        {std::move(skipped.field), std::move(skipped.reason), {skipped.policy}});
  for (const FieldError& error : injection.errors) {
    FieldPath field = field_path(admission.pod.kind, {"spec"});
    Names policies = injection.applied;
    if (error.type == ErrorType::too_many || error.type == ErrorType::too_long) {
      admission.violations.push_back(
          schedpol::detail::limit_exceeded(std::move(field), error, std::move(policies)));
    } else {
      admission.violations.push_back(
          {ViolationCode::invalid_policy, std::move(field), message(error), std::move(policies)});
    }
  }
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                                DefaultScheduler default_scheduler) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(std::move(pod));
  Pod before = pod;
  Admission admission = to_admission(inject(std::move(pod), in, policies, default_scheduler));
  if (!admission.changes.empty()) admission.before = std::move(before);
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, const Namespace& in,
                                std::span<const PodSchedulingPolicy> policies,
                                DefaultScheduler default_scheduler) {
  const auto compiled = compile(policies);
  if (compiled) return admit(std::move(pod), in, *compiled, default_scheduler);
  const FieldPath field = field_path(pod.kind, {"spec"});
  return schedpol::detail::invalid_policies_denial(std::move(pod), field, compiled.errors(),
                                                   policies);
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
