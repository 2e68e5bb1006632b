// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// Gives one pod the defaults of one policy.
class Defaulter {
 public:
  Defaulter(Pod pod, const EffectivePolicy& effective, const Options& options)
      : effective_(effective),
        defaults_(effective.spec().defaults),
        options_(options),
        result_{std::move(pod), {}} {}

  Defaulted run() && {
    give_scheduler_name();
    give_priority_class_name();
    give_node_selector();
    give_tolerations();
    if (defaults_.affinity) for_each_kind([&](const auto& kind) { give_affinity(kind); });
    return std::move(result_);
  }

 private:
  PodSpec& spec() { return result_.pod.spec; }
  [[nodiscard]] EffectivePod asked() const { return {result_.pod, options_, defaults_}; }

  /// `field` is a place in the pod, `entry` one in the merged spec.
  void note(const FieldPath& field, std::optional<std::string> from, std::optional<std::string> to,
            const FieldPath& entry) {
    const Names policies = effective_.sources_of(entry);
    result_.changes.push_back({template_path(result_.pod.kind).join(field), std::move(from),
                               std::move(to), policies.empty() ? std::string() : policies[0]});
  }

  static std::optional<std::string> if_not_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }

  void give_scheduler_name() {
    std::string& name = spec().scheduler_name;
    const bool unspecified =
        name.empty() || (options_.default_scheduler == DefaultScheduler::unspecified &&
                         name == default_scheduler_name);
    if (!defaults_.scheduler_name || !unspecified || name == *defaults_.scheduler_name) return;
    note({"spec", scheduler_name_field.field}, if_not_empty(name), defaults_.scheduler_name,
         {default_section.name, scheduler_name_field.field});
    name = *defaults_.scheduler_name;
  }

  void give_priority_class_name() {
    if (!defaults_.priority_class_name || !asked().priority_class_name().empty()) return;
    const FieldPath entry{default_section.name, priority_class_name_field.field};
    std::string& name = spec().priority_class_name;
    note({"spec", priority_class_name_field.field}, if_not_empty(name),
         defaults_.priority_class_name, entry);
    name = *defaults_.priority_class_name;
    if (spec().priority) {
      note({"spec", "priority"}, std::to_string(*spec().priority), std::nullopt, entry);
      spec().priority.reset();
    }
    if (!spec().preemption_policy.empty()) {
      note({"spec", "preemptionPolicy"}, spec().preemption_policy, std::nullopt, entry);
      spec().preemption_policy.clear();
    }
  }

  /// A pair that the pod has stays, an exempt one too; so does one that it will have.
  void give_node_selector() {
    if (!defaults_.node_selector) return;
    for (const auto& [key, value] : *defaults_.node_selector) {
      if (options_.added_to_pods.node_selector.contains(key) ||
          !spec().node_selector.try_emplace(key, value).second)
        continue;
      const std::string_view field = node_selector_field.field;
      note(FieldPath{"spec", field}.key(key), std::nullopt, value,
           FieldPath{default_section.name, field}.key(key));
    }
  }

  void give_tolerations() {
    if (asked().specifies_tolerations()) return;
    const std::vector<Toleration> exempt = spec().tolerations;
    std::set<TolerationIdentity> there;
    for (const auto* list : {&exempt, &options_.added_to_pods.tolerations})
      for (const Toleration& toleration : *list) there.insert(TolerationIdentity(toleration));
    for (const Toleration& toleration :
         EffectivePolicyAccess::of(effective_).tolerations.defaults().in_order()) {
      if (there.contains(TolerationIdentity(toleration))) continue;
      const std::string_view field = tolerations_field.field;
      note(FieldPath{"spec", field}.index(spec().tolerations.size()), std::nullopt,
           schedpol::to_string(toleration), {default_section.name, field});
      spec().tolerations.push_back(toleration);
    }
  }

  template <class Kind, class Rule>
  void give_affinity(const AffinityKind<Kind, Rule>& kind) {
    const auto there = terms_of(spec().affinity, kind.member);
    Kind given = EffectivePolicyAccess::of(effective_)
                     .affinity.of(kind)
                     .given(asked().holds_in_every_term());
    const auto all = terms_of(given);
    const decltype(terms_of(given)) none;
    const decltype(terms_of(given)) terms{there.required.empty() ? all.required : none.required,
                                          there.preferred.empty() ? all.preferred : none.preferred};
    if (terms.empty()) return;
    const std::string_view mode = terms.required.empty() ? preferred_mode : required_mode;
    const FieldPath field{"spec", affinity_field.field, kind.field};
    note(there.empty() ? field : field.child(mode), std::nullopt, to_string(terms),
         FieldPath{default_section.name, affinity_field.field, kind.field}.child(mode));
    if (!spec().affinity) spec().affinity.emplace();
    std::optional<Kind>& affinity = (*spec().affinity).*kind.member;
    if (!affinity) affinity.emplace();
    if (!terms.required.empty())
      affinity->required_during_scheduling_ignored_during_execution =
          std::move(given.required_during_scheduling_ignored_during_execution);
    if (!terms.preferred.empty())
      affinity->preferred_during_scheduling_ignored_during_execution =
          std::move(given.preferred_during_scheduling_ignored_during_execution);
  }

  const EffectivePolicy& effective_;
  const Defaults& defaults_;
  const Options& options_;
  Defaulted result_;
};

}  // namespace detail

SCHEDPOL_INLINE Defaulted apply_defaults(Pod pod, const EffectivePolicy& effective,
                                         const Options& options) {
  return detail::Defaulter(std::move(pod), effective, options).run();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
