// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a pod, as it stands, is permitted by an effective policy, and if not, everything that is
/// wrong with it. Permitted is what `required`, `allowed` or `default` says: what is required is
/// allowed, and so is what a policy itself injects. The rules, in the order of the violations:
///
/// 1. Scheduler name (`default-scheduler` when the pod has none): one of the required, where any
///    are required; otherwise permitted.
/// 2. Node name: allowed only where `allowed.schedulerNames` is `[]`.
/// 3. Priority class name: as the scheduler name; a pod without one breaks only a requirement.
/// 4. Node selector: each required key is there with a listed value; each other key of the pod is
///    permitted with its value.
/// 5. Tolerations: each equals a default, or matches an allowed or required pattern, or has no
///    effect and does so for each of the three effects. Then each required pattern is matched by
///    one.
/// 6. Affinity, per kind and mode: permitted whole (any, or equal to the default's), or every
///    expression (for pods: topology key) matches a pattern of the kind, mode and list. Then what
///    is required holds; required node affinity in every term of the pod, because Kubernetes ORs
///    them.
///
/// A toleration or expression with an operator or effect that Kubernetes does not know, and an
/// expression without an operator, is never permitted. Source: the SchedulingPolicy proposal,
/// "Detailed Design".

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy {

namespace detail {

inline const NodeSelectorTerm& expressions_of(const NodeSelectorTerm& term) noexcept {
  return term;
}
inline const NodeSelectorTerm& expressions_of(const PreferredSchedulingTerm& term) noexcept {
  return term.preference;
}
inline const std::string& topology_key_of(const PodAffinityTerm& term) noexcept {
  return term.topology_key;
}
inline const std::string& topology_key_of(const WeightedPodAffinityTerm& term) noexcept {
  return term.pod_affinity_term.topology_key;
}

/// Collects the violations of one pod. Texts are built only when there is a violation to report.
class Checker {
 public:
  /// With the default options, which are not made for it, because making them takes part of the
  /// time of a check.
  Checker(const Pod& pod, const EffectivePolicy& effective)
      : kind_(pod.kind),
        spec_(pod.spec),
        effective_(effective),
        lookup_(effective.lookup()),
        defaults_(effective.spec().defaults) {}
  Checker(const Pod& pod, const EffectivePolicy& effective, const Options& options)
      : Checker(pod, effective) {
    options_ = &options;
  }

  std::vector<Violation> run() && {
    if (effective_.policies().empty() || effective_.is_ambiguous()) {
      add(effective_.is_ambiguous() ? ViolationCode::ambiguous_policy
                                    : ViolationCode::no_usable_policy,
          "spec", "", effective_.policies());
      return std::move(violations_);
    }
    return std::move(*this).run_items();
  }

  /// The violations item by item, where there is no policy too: then nothing is permitted.
  std::vector<Violation> run_items() && {
    check_scheduler_name();
    check_node_name();
    check_priority_class_name();
    check_node_selector();
    check_tolerations();
    check_affinity();
    return std::move(violations_);
  }

 private:
  void add(ViolationCode code, std::string_view field, std::string value,
           std::vector<std::string> policies) {
    violations_.push_back({code, field_path(kind_, field), std::move(value), std::move(policies)});
  }
  /// Permitted by none of the policies.
  void deny(ViolationCode code, std::string_view field, std::string value) {
    add(code, field, std::move(value), effective_.policies());
  }
  /// Required by the policies behind an entry.
  void require(ViolationCode code, std::string_view field, std::string value,
               std::string_view entry) {
    add(code, field, std::move(value), effective_.sources_of(entry));
  }

  void check_scheduler_name() {
    constexpr std::string_view field = "spec.schedulerName";
    const std::string_view name = spec_.scheduler_name.empty()
                                      ? default_scheduler_name
                                      : std::string_view(spec_.scheduler_name);
    if (!lookup_.required_scheduler_names.absent()) {
      if (lookup_.required_scheduler_names.permits(name)) return;
      return require(ViolationCode::scheduler_name_required, field, std::string(name),
                     "required.schedulerNames");
    }
    if (lookup_.allowed_scheduler_names.permits(name) || name == defaults_.scheduler_name) return;
    deny(ViolationCode::scheduler_name_not_allowed, field, std::string(name));
  }

  void check_node_name() {
    if (spec_.node_name.empty() || lookup_.allowed_scheduler_names.any()) return;
    if (options_ != nullptr && options_->node_name == NodeName::ignore) return;
    deny(ViolationCode::node_name_not_allowed, "spec.nodeName", spec_.node_name);
  }

  void check_priority_class_name() {
    constexpr std::string_view field = "spec.priorityClassName";
    const std::string& name = spec_.priority_class_name;
    const bool is_default = name == defaults_.priority_class_name;
    const bool none = name.empty() || (options_ != nullptr && !is_default &&
                                       name == options_->global_default_priority_class);
    if (!lookup_.required_priority_class_names.absent()) {
      if (!none && lookup_.required_priority_class_names.permits(name)) return;
      return require(ViolationCode::priority_class_name_required, field, name,
                     "required.priorityClassNames");
    }
    if (none || is_default || lookup_.allowed_priority_class_names.permits(name)) return;
    deny(ViolationCode::priority_class_name_not_allowed, field, name);
  }

  void check_node_selector() {
    for (const auto& [key, values] : lookup_.required_node_selectors) {
      const std::string* value = find_label(spec_.node_selector, key);
      if (value != nullptr && is_exempt(key, *value)) value = nullptr;
      if (value != nullptr && values.permits(*value)) continue;
      require(ViolationCode::node_selector_required, "spec.nodeSelector[" + key + "]",
              value == nullptr ? std::string() : *value, "required.nodeSelectors[" + key + "]");
    }
    const auto& required = effective_.spec().required.node_selectors;
    for (const auto& [key, value] : spec_.node_selector) {
      if (required && required->contains(key)) continue;
      if (permits_pair(key, value) || is_exempt(key, value)) continue;
      deny(ViolationCode::node_selector_not_allowed, "spec.nodeSelector[" + key + "]", value);
    }
  }

  bool is_exempt(std::string_view key, std::string_view value) const noexcept {
    return options_ != nullptr && detail::is_exempt(key, value, *options_);
  }
  bool is_exempt(const Toleration& toleration) const noexcept {
    return options_ != nullptr && detail::is_exempt(toleration, *options_);
  }

  bool permits_pair(std::string_view key, std::string_view value) const noexcept {
    if (lookup_.any_node_selector) return true;
    const TextRule* allowed = lookup_.node_selectors.find(key);
    if (allowed != nullptr && allowed->permits(value)) return true;
    const std::string* given =
        defaults_.node_selector ? find_label(*defaults_.node_selector, key) : nullptr;
    return given != nullptr && *given == value;
  }

  void check_tolerations() {
    for (std::size_t i = 0; i < spec_.tolerations.size(); ++i) {
      const Toleration& toleration = spec_.tolerations[i];
      if (permits(toleration) || is_exempt(toleration)) continue;
      deny(ViolationCode::toleration_not_allowed, "spec.tolerations[" + std::to_string(i) + "]",
           to_string(toleration));
    }
    for (std::size_t i = 0; i < lookup_.required_tolerations.size(); ++i) {
      const Pattern& pattern = lookup_.required_tolerations[i];
      const bool met =
          std::any_of(spec_.tolerations.begin(), spec_.tolerations.end(),
                      [&](const Toleration& t) { return pattern.matches(t) && !is_exempt(t); });
      if (met) continue;
      require(ViolationCode::toleration_required, "spec.tolerations",
              to_string((*effective_.spec().required.tolerations)[i]), "required.tolerations");
    }
  }

  bool permits(const Toleration& toleration) const noexcept {
    const PatternIndex& patterns = lookup_.tolerations;
    if (patterns.matches(toleration, toleration.effect.word())) return true;
    if (!toleration.operator_.known() || !toleration.effect.known()) return false;
    if (lookup_.any_toleration) return true;
    const auto is_default = [&](TaintEffect effect) {
      return lookup_.default_toleration_set.contains(TolerationKey{toleration, effect});
    };
    if (is_default(toleration.effect.word())) return true;
    return toleration.effect == TaintEffect::unset &&
           std::all_of(taint_effects.begin(), taint_effects.end(), [&](TaintEffect effect) {
             return is_default(effect) || patterns.matches(toleration, effect);
           });
  }

  void check_affinity() {
    if (spec_.affinity) {
      const auto check_kind = [&](std::string_view kind, const auto& lookup, auto member) {
        if ((*spec_.affinity).*member) check_permitted(kind, lookup, member);
      };
      check_kind("nodeAffinity", lookup_.node_affinity, &Affinity::node_affinity);
      check_kind("podAffinity", lookup_.pod_affinity, &Affinity::pod_affinity);
      check_kind("podAntiAffinity", lookup_.pod_anti_affinity, &Affinity::pod_anti_affinity);
    }
    if (!lookup_.required_affinities) return;
    check_required("nodeAffinity", lookup_.node_affinity, &Affinity::node_affinity);
    check_required("podAffinity", lookup_.pod_affinity, &Affinity::pod_affinity);
    check_required("podAntiAffinity", lookup_.pod_anti_affinity, &Affinity::pod_anti_affinity);
  }

  static constexpr std::string_view required_mode =
      "requiredDuringSchedulingIgnoredDuringExecution";
  static constexpr std::string_view preferred_mode =
      "preferredDuringSchedulingIgnoredDuringExecution";

  static std::string path(std::string_view kind, std::string_view mode) {
    return "spec.affinity." + std::string(kind) + "." + std::string(mode);
  }

  using NodeTerms = std::vector<NodeSelectorTerm>;

  /// A kind of affinity; null where it is absent.
  template <class Kind>
  static const Kind* kind_of(const std::optional<Affinity>& affinity,
                             std::optional<Kind> Affinity::*kind) noexcept {
    return affinity && (*affinity).*kind ? &*((*affinity).*kind) : nullptr;
  }

  /// The terms of a mode; null where there are none.
  static const NodeTerms* terms_of(const std::optional<NodeSelector>& selector) noexcept {
    return selector ? terms_of(selector->node_selector_terms) : nullptr;
  }
  template <class T>
  static const std::vector<T>* terms_of(const std::vector<T>& terms) noexcept {
    return terms.empty() ? nullptr : &terms;
  }
  template <class Kind>
  static auto required_terms_of(const Kind* kind) noexcept {
    using Terms = decltype(terms_of(kind->required_during_scheduling_ignored_during_execution));
    return kind == nullptr ? Terms{}
                           : terms_of(kind->required_during_scheduling_ignored_during_execution);
  }
  template <class Kind>
  static auto preferred_terms_of(const Kind* kind) noexcept {
    using Terms = decltype(terms_of(kind->preferred_during_scheduling_ignored_during_execution));
    return kind == nullptr ? Terms{}
                           : terms_of(kind->preferred_during_scheduling_ignored_during_execution);
  }

  template <class Mode, class Kind>
  void check_permitted(std::string_view kind, const KindLookup<Mode>& lookup,
                       std::optional<Kind> Affinity::*member) {
    const Kind* pod = kind_of(spec_.affinity, member);
    const auto permits_mode = [](const Mode& rules, const auto* terms) {
      return terms == nullptr || (rules.mentioned && permits_each(rules, *terms));
    };
    if (permits_mode(lookup.required_during_scheduling_ignored_during_execution,
                     required_terms_of(pod)) &&
        permits_mode(lookup.preferred_during_scheduling_ignored_during_execution,
                     preferred_terms_of(pod))) {
      return;
    }
    const Kind* given = kind_of(defaults_.affinity, member);
    const bool mentioned =
        lookup.mentioned || required_terms_of(given) || preferred_terms_of(given);
    bool kind_denied = false;
    const auto check_mode = [&](std::string_view mode, const Mode& rules, const auto* terms,
                                const auto* default_terms) {
      if (kind_denied || permits_mode(rules, terms)) return;
      if (permits_whole(rules, *terms, default_terms)) return;
      if (!mentioned) {
        kind_denied = true;
        return deny(ViolationCode::affinity_not_allowed, "spec.affinity." + std::string(kind),
                    to_string(*pod));
      }
      if (!rules.mentioned) {
        return deny(ViolationCode::affinity_not_allowed, path(kind, mode), to_string(only(*terms)));
      }
      deny_terms(kind, mode, rules, *terms);
    };
    check_mode(required_mode, lookup.required_during_scheduling_ignored_during_execution,
               required_terms_of(pod), required_terms_of(given));
    check_mode(preferred_mode, lookup.preferred_during_scheduling_ignored_during_execution,
               preferred_terms_of(pod), preferred_terms_of(given));
  }

  /// An affinity of which these are the only terms.
  static NodeAffinity only(const NodeTerms& terms) { return {NodeSelector{terms}, {}}; }
  static NodeAffinity only(const std::vector<PreferredSchedulingTerm>& terms) {
    return {std::nullopt, terms};
  }
  static PodAffinity only(const std::vector<PodAffinityTerm>& terms) { return {terms, {}}; }
  static PodAffinity only(const std::vector<WeightedPodAffinityTerm>& terms) { return {{}, terms}; }

  /// Whether all the mode may hold is what the policy's default gives, or permitted as such.
  template <class Terms>
  bool permits_whole(const NodeModeLookup& rules, const Terms& terms,
                     const Terms* default_terms) const noexcept {
    if (!std::all_of(terms.begin(), terms.end(),
                     [](const auto& term) { return is_known(expressions_of(term)); })) {
      return false;
    }
    return rules.any || (default_terms != nullptr && terms == *default_terms) ||
           is_joined_default(terms);
  }
  template <class Terms>
  bool permits_whole(const PodModeLookup& rules, const Terms& terms,
                     const Terms* default_terms) const noexcept {
    return rules.any || (default_terms != nullptr && terms == *default_terms);
  }

  static bool is_known(const NodeSelectorTerm& term) noexcept {
    return std::all_of(term.match_expressions.begin(), term.match_expressions.end(),
                       has_operator) &&
           std::all_of(term.match_fields.begin(), term.match_fields.end(), has_operator);
  }

  bool holds_in_every_term() const noexcept {
    return options_ == nullptr || options_->required_affinity == RequiredAffinity::every_term;
  }

  bool is_joined_default(const NodeTerms& terms) const noexcept {
    return holds_in_every_term() && !terms.empty() &&
           terms == lookup_.joined_default_terms.node_selector_terms;
  }
  static bool is_joined_default(const std::vector<PreferredSchedulingTerm>&) noexcept {
    return false;
  }

  static bool permits(const PodModeLookup& rules, const std::string& topology_key) noexcept {
    return rules.any || rules.topology_keys.contains(topology_key);
  }

  /// Whether there is nothing for `deny_terms` to deny, which is asked first, because most pods are
  /// permitted by what is listed.
  template <class Terms>
  static bool permits_each(const NodeModeLookup& rules, const Terms& terms) noexcept {
    for (const auto& item : terms) {
      const NodeSelectorTerm& term = expressions_of(item);
      for (const NodeSelectorRequirement& requirement : term.match_expressions) {
        if (!rules.expressions.permits(requirement)) return false;
      }
      for (const NodeSelectorRequirement& requirement : term.match_fields) {
        if (!rules.fields.permits(requirement)) return false;
      }
    }
    return true;
  }
  template <class Terms>
  static bool permits_each(const PodModeLookup& rules, const Terms& terms) noexcept {
    return std::all_of(terms.begin(), terms.end(),
                       [&](const auto& term) { return permits(rules, topology_key_of(term)); });
  }

  template <class Terms>
  void deny_terms(std::string_view kind, std::string_view mode, const NodeModeLookup& rules,
                  const Terms& terms) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const NodeSelectorTerm& term = expressions_of(terms[i]);
      const auto deny_list = [&](std::string_view list, const RequirementLookup& permitted,
                                 const auto& requirements) {
        for (std::size_t j = 0; j < requirements.size(); ++j) {
          if (permitted.permits(requirements[j])) continue;
          deny(ViolationCode::affinity_not_allowed,
               path(kind, mode) + term_path(terms[i], i) + "." + std::string(list) + "[" +
                   std::to_string(j) + "]",
               to_string(requirements[j]));
        }
      };
      deny_list("matchExpressions", rules.expressions, term.match_expressions);
      deny_list("matchFields", rules.fields, term.match_fields);
    }
  }
  template <class Terms>
  void deny_terms(std::string_view kind, std::string_view mode, const PodModeLookup& rules,
                  const Terms& terms) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const std::string& key = topology_key_of(terms[i]);
      if (permits(rules, key)) continue;
      deny(ViolationCode::affinity_not_allowed,
           path(kind, mode) + term_path(terms[i], i) + ".topologyKey", key);
    }
  }

  static std::string term_path(const NodeSelectorTerm&, std::size_t i) {
    return ".nodeSelectorTerms[" + std::to_string(i) + "]";
  }
  static std::string term_path(const PreferredSchedulingTerm&, std::size_t i) {
    return "[" + std::to_string(i) + "].preference";
  }
  static std::string term_path(const PodAffinityTerm&, std::size_t i) {
    return "[" + std::to_string(i) + "]";
  }
  static std::string term_path(const WeightedPodAffinityTerm&, std::size_t i) {
    return "[" + std::to_string(i) + "].podAffinityTerm";
  }

  template <class Mode, class Kind>
  void check_required(std::string_view kind, const KindLookup<Mode>& lookup,
                      std::optional<Kind> Affinity::*member) {
    const Kind* pod = kind_of(spec_.affinity, member);
    const auto* required = required_terms_of(pod);
    const auto* preferred = preferred_terms_of(pod);
    if (lookup.asked && required == nullptr && preferred == nullptr) {
      require(ViolationCode::affinity_required, "spec.affinity." + std::string(kind), "",
              entry(kind));
    }
    check_required_mode(kind, required_mode,
                        lookup.required_during_scheduling_ignored_during_execution, required);
    check_required_mode(kind, preferred_mode,
                        lookup.preferred_during_scheduling_ignored_during_execution, preferred);
  }

  /// `nodeAffinity` is `required.affinities.nodeAffinities` in a policy.
  static std::string entry(std::string_view kind) {
    return "required.affinities." + std::string(kind.substr(0, kind.size() - 1)) + "ies";
  }

  void require_mode(std::string_view kind, std::string_view mode, std::string value) {
    require(ViolationCode::affinity_required, path(kind, mode), std::move(value),
            entry(kind) + "." + std::string(mode));
  }

  template <class Terms>
  void check_required_mode(std::string_view kind, std::string_view mode,
                           const NodeModeLookup& rules, const Terms* terms) {
    if (rules.asked && terms == nullptr) require_mode(kind, mode, "");
    for (std::size_t i = 0; i < rules.required.size(); ++i) {
      const auto term_holds = [&](const auto& term) {
        return rules.required[i].holds(expressions_of(term));
      };
      const bool every = std::is_same_v<Terms, NodeTerms> && holds_in_every_term();
      const bool holds =
          terms != nullptr && (every ? std::all_of(terms->begin(), terms->end(), term_holds)
                                     : std::any_of(terms->begin(), terms->end(), term_holds));
      if (!holds) require_mode(kind, mode, required_term_text<Terms>(i));
    }
  }
  template <class Terms>
  void check_required_mode(std::string_view kind, std::string_view mode, const PodModeLookup& rules,
                           const Terms* terms) {
    if (rules.asked && terms == nullptr) require_mode(kind, mode, "");
    if (rules.required.empty()) return;
    const bool holds =
        terms != nullptr && std::any_of(terms->begin(), terms->end(), [&](const auto& term) {
          return rules.required.contains(topology_key_of(term));
        });
    if (holds) return;
    std::string text;
    for (const std::string_view key : rules.required.texts())
      text.append(text.empty() ? "topologyKey " : " or ").append(key);
    require_mode(kind, mode, std::move(text));
  }

  template <class Terms>
  std::string required_term_text(std::size_t i) const {
    const NodeAffinityRules& rules = *effective_.spec().required.affinities->node_affinities;
    if constexpr (std::is_same_v<Terms, NodeTerms>) {
      return to_string(
          rules.required_during_scheduling_ignored_during_execution->node_selector_terms[i]);
    } else {
      return to_string(
          rules.preferred_during_scheduling_ignored_during_execution->node_selector_terms[i]);
    }
  }

  PodKind kind_;
  const PodSpec& spec_;
  const EffectivePolicy& effective_;
  const Lookup& lookup_;
  const Defaults& defaults_;
  const Options* options_ = nullptr;  ///< null: the default ones
  std::vector<Violation> violations_;
};

}  // namespace detail

/// Every violation of the pod, none when it is allowed. Allocates nothing when there is none.
[[nodiscard]] inline std::vector<Violation> check(const Pod& pod,
                                                  const EffectivePolicy& effective) {
  return detail::Checker(pod, effective).run();
}
[[nodiscard]] inline std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                                  const Options& options) {
  return detail::Checker(pod, effective, options).run();
}

}  // namespace schedpol::scheduling_policy
