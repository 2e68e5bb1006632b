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
        result_{std::move(pod), {}, {}} {}

  Defaulted run() && {
    for_each_pod_field([&](const auto& row) { give_default(row); });
    return std::move(result_);
  }
  /// Of one field alone.
  template <class Row>
  Defaulted run(const Row& row) && {
    give_default(row);
    return std::move(result_);
  }

 private:
  void give_default(const auto& row) {
    if (defaults_.*row.member) give(row);
  }

  PodSpec& spec() { return result_.pod.spec; }
  [[nodiscard]] EffectivePod effective_pod() const { return {result_.pod, options_, defaults_}; }

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

  void give(const NameField& row) {
    const std::string& by_default = *(defaults_.*row.member);
    std::string& name = spec().*row.in_pod;
    if (effective_pod().specifies(row) || name == by_default) return;
    const FieldPath entry{default_section.name, row.field};
    note({"spec", row.field}, if_not_empty(name), by_default, entry);
    name = by_default;
    for (const DerivedField& derived : row.traits.derived) {
      std::optional<std::string> there = derived.text(spec());
      if (!there) continue;
      note({"spec", derived.field}, std::move(there), std::nullopt, entry);
      derived.clear(spec());
    }
  }

  void warn(const FieldPath& field, std::string text, const FieldPath& entry) {
    const Names policies = effective_.sources_of(entry);
    result_.warnings.push_back({template_path(result_.pod.kind).join(field), std::move(text),
                                policies.empty() ? Names() : Names{policies[0]}});
  }

  /// A pair that the pod has stays, an exempt one too; so does one that it will have.
  void give(const NodeSelectorField& row) {
    const Labels& by_default = *(defaults_.*row.member);
    NodeContext context(spec().node_selector, schedpol::detail::required_terms(spec().affinity),
                        options_);
    schedpol::detail::PairFilter filter = context.filter(by_default);
    for (const auto& [key, value] : by_default) {
      const std::string* there = find_label(context.node_selector(), key);
      if (spec().node_selector.contains(key) ||
          options_.added_to_pods.node_selector.contains(key) ||
          (there != nullptr && *there != value))
        continue;
      const FieldPath field = FieldPath{"spec", row.field}.key(key);
      const FieldPath entry = FieldPath{default_section.name, row.field}.key(key);
      if (const NodeSelectorRequirement* own = filter.excluding(key)) {
        warn(field,
             schedpol::detail::contradiction_text(NodeSelectorTerm{{*own}, {}},
                                                  schedpol::detail::make_term(key, value)),
             entry);
        continue;
      }
      note(field, std::nullopt, value, entry);
      spec().node_selector.try_emplace(key, value);
      context.added(key, value);
    }
  }

  void give(const TolerationsField& row) {
    if (effective_pod().specifies_tolerations()) return;
    std::vector<Toleration>& tolerations = spec().*row.in_pod;
    const std::vector<Toleration> exempt = tolerations;
    std::set<TolerationIdentity> there;
    for (const auto* list : {&exempt, &options_.added_to_pods.tolerations})
      for (const Toleration& toleration : *list) there.insert(TolerationIdentity(toleration));
    const FieldPath field{"spec", row.field};
    const FieldPath entry{default_section.name, row.field};
    for (const Toleration& toleration :
         EffectivePolicyAccess::of(effective_).checks.of(row).defaults().in_order()) {
      if (there.contains(TolerationIdentity(toleration))) continue;
      if (const Toleration* first = effective_pod().first_of_cluster(toleration)) {
        warn(field,
             in_backticks(schedpol::to_string(toleration)) + " has no effect beside " +
                 in_backticks(schedpol::to_string(*first)) + ", which the pod has or is given",
             entry);
        continue;
      }
      const auto place =
          std::find_if(tolerations.begin(), tolerations.end(), [&](const Toleration& each) {
            return schedpol::detail::replaces(toleration, each) &&
                   !effective_pod().is_injected_by_cluster(each);
          });
      const bool takes_place = place != tolerations.end();
      const auto at = static_cast<std::size_t>(place - tolerations.begin());
      note(field.index(at), takes_place ? std::optional(schedpol::to_string(*place)) : std::nullopt,
           schedpol::to_string(toleration), entry);
      if (takes_place) {
        *place = toleration;
      } else {
        tolerations.push_back(toleration);
      }
    }
  }

  void give(const AffinityField&) {
    for_each_kind([&](const auto& kind) { give(kind); });
  }
  template <class Kind, class Rule>
  void give(const AffinityKind<Kind, Rule>& kind) {
    const EffectivePod pod = effective_pod();
    const auto exempt = pod.exempt().of(kind.member);
    const auto there = terms_of(spec().affinity, kind.member);
    const bool gives_required = exempt.contain(there.required);
    const bool gives_preferred = exempt.contain(there.preferred);
    if (!gives_required && !gives_preferred) return;
    const auto& check = EffectivePolicyAccess::of(effective_).checks.of(affinity_field).of(kind);
    const FieldPath field{"spec", affinity_field.field, kind.field};
    const FieldPath entry{default_section.name, affinity_field.field, kind.field};
    std::vector<std::string> left_out;
    const Kind injected = gives_required ? check.injected_into(pod, left_out)
                                         : check.injected(pod.holds_in_every_term());
    Kind with = spec().affinity && (*spec().affinity).*kind.member
                    ? *((*spec().affinity).*kind.member)
                    : Kind{};
    if (gives_required && !add_required(with, injected)) {
      left_out.push_back("the pod would get more than " + std::to_string(max_node_selector_terms) +
                         " node selector terms, or longer ones than " +
                         std::to_string(max_merged_term_bytes) + " bytes");
    }
    if (gives_preferred)
      append_missing(with.preferred_during_scheduling_ignored_during_execution,
                     injected.preferred_during_scheduling_ignored_during_execution);
    if (!left_out.empty()) {
      std::string text = std::move(left_out.front());
      if (left_out.size() > 1)
        text += ", the first of " + std::to_string(left_out.size()) + " such terms";
      warn(field.child(required_mode), std::move(text), entry.child(required_mode));
    }
    using Terms = decltype(terms_of(with));
    const Terms now = terms_of(with);
    const auto note_mode = [&](std::string_view mode, const Terms& before, const Terms& after) {
      note(there.empty() ? field : field.child(mode),
           before.empty() ? std::nullopt : std::optional(to_string(before)), to_string(after),
           entry.child(mode));
    };
    const bool changes_required = now.required != there.required;
    const bool changes_preferred = now.preferred != there.preferred;
    if (!changes_required && !changes_preferred) return;
    if (there.empty()) {
      note_mode(changes_required ? required_mode : preferred_mode, there, now);
    } else {
      if (changes_required)
        note_mode(required_mode, Terms{.required = there.required},
                  Terms{.required = now.required});
      if (changes_preferred)
        note_mode(preferred_mode, Terms{.preferred = there.preferred},
                  Terms{.preferred = now.preferred});
    }
    if (!spec().affinity) spec().affinity.emplace();
    (*spec().affinity).*kind.member = std::move(with);
  }

  /// Appends the terms that the pod lacks, each as often as the default has it: that is the form in which `check`
  /// permits them.
  template <class Term>
  static void append_missing(std::vector<Term>& terms, const std::vector<Term>& more) {
    std::vector<Term> missing = more;
    schedpol::detail::erase_if(
        missing, [&](const Term& term) { return schedpol::detail::contains(terms, term); });
    schedpol::detail::append(terms, std::move(missing));
  }
  /// Adds required terms to those that a pod has, which are exempt; whether that is within the limits.
  bool add_required(NodeAffinity& to, const NodeAffinity& injected) {
    const auto& more = schedpol::detail::required_terms(injected);
    if (more.empty()) return true;
    auto& required = to.required_during_scheduling_ignored_during_execution;
    if (!required || required->node_selector_terms.empty()) {
      required = injected.required_during_scheduling_ignored_during_execution;
      return true;
    }
    return NodeContext::multiply(required->node_selector_terms, spec().node_selector, more);
  }
  static bool add_required(PodAffinity& to, const PodAffinity& injected) {
    append_missing(to.required_during_scheduling_ignored_during_execution,
                   injected.required_during_scheduling_ignored_during_execution);
    return true;
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

SCHEDPOL_INLINE Defaulted apply_default_runtime_class(Pod pod, const EffectivePolicy& effective,
                                                      const Options& options) {
  return detail::Defaulter(std::move(pod), effective, options).run(runtime_class_name_field);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
