// SPDX-License-Identifier: Apache-2.0
#include "affinity_validations.hpp"

#include "cel.hpp"
#include "given_affinity.hpp"
#include "patterns.hpp"
#include "variables.hpp"

#include <schedpol/json/encode.hpp>

namespace cli {

namespace {

namespace sp = schedpol::scheduling_policy;
using cel::Parts;
using schedpol::AnyOr;
using schedpol::Texts;

std::string is_empty(const std::string& list) {
  return "size(" + list + ") == 0";
}

/// One mode of one kind, as the rules on it are written in CEL.
template <class Rule>
struct ModeRules {
  const AnyOr<Rule>& required;
  const AnyOr<Rule>& allowed;
  bool any_of_kind;

  [[nodiscard]] bool any() const { return any_of_kind || required.is_any() || allowed.is_any(); }
  [[nodiscard]] bool mentioned() const {
    return any() || required.is_listed() || allowed.is_listed();
  }
};
using NodeMode = ModeRules<sp::NodeAffinityRule>;
using PodMode = ModeRules<sp::PodAffinityRule>;

/// Whether an expression is permitted by itself in one list of terms.
std::string permits(const NodeMode& mode,
                    AnyOr<std::vector<sp::RequirementPattern>> sp::TermPattern::*list) {
  const sp::RequirementPattern everything{
      .keys = schedpol::any, .operators = schedpol::any, .values = schedpol::any};
  if (mode.any()) return matches(everything, "e");
  std::vector<sp::RequirementPattern> patterns;
  for (const auto* rule : {&mode.required, &mode.allowed})
    for (const sp::TermPattern& term : rule->listed().node_selector_terms) {
      if ((term.*list).is_any()) patterns.push_back(everything);
      for (const sp::RequirementPattern& pattern : (term.*list).listed())
        patterns.push_back(pattern);
    }
  Parts any;
  for (const sp::RequirementPattern& pattern : joined(std::move(patterns)))
    any.push_back(matches(pattern, "e"));
  return cel::any_of(any);
}

/// Whether all parts of the terms are permitted by themselves, or kept: those that stood there before an
/// update, where `keeps_old` is true.
std::string parts_permitted(const NodeMode& mode, const std::string& terms,
                            const std::string& old_terms, const std::string& keeps_old,
                            std::string_view part) {
  Parts lists;
  for (const auto& [field, list] :
       {std::pair("matchExpressions", &sp::TermPattern::match_expressions),
        std::pair("matchFields", &sp::TermPattern::match_fields)}) {
    const auto list_of = [&](std::string_view term) {
      return cel::field_or(std::string(term) + std::string(part), field, "[]");
    };
    const std::string was_there = cel::some(old_terms, "o", cel::some(list_of("o"), "x", "x == e"));
    lists.push_back(
        cel::each(list_of("t"), "e",
                  cel::any_of({permits(mode, list), cel::all_of({keeps_old, was_there})})));
  }
  return cel::each(terms, "t", cel::all_of(lists));
}
std::string parts_permitted(const PodMode& mode, const std::string& terms,
                            const std::string& old_terms, const std::string& keeps_old,
                            std::string_view part) {
  if (mode.any()) return std::string(cel::always);
  Texts keys;
  for (const auto* rule : {&mode.required, &mode.allowed})
    for (const std::string& key : rule->listed().topology_keys)
      if (!keys.contains(key)) keys.push_back(key);
  const auto key_of = [&](std::string_view term) {
    return std::string(term) + std::string(part) + ".topologyKey";
  };
  const std::string was_there = cel::some(old_terms, "o", key_of("o") + " == " + key_of("t"));
  return cel::each(
      terms, "t",
      cel::any_of({cel::is_one_of(key_of("t"), keys), cel::all_of({keeps_old, was_there})}));
}

class AffinityValidations {
 public:
  AffinityValidations(ValidationList& list, const schedpol::engine::EffectivePolicy& effective,
                      const sp::Options& options, bool governed)
      : list_(list),
        spec_(effective.spec()),
        options_(options),
        every_term_(options.required_affinity != sp::RequiredAffinity::present),
        governed_(governed) {}

  void run() {
    const sp::AffinityRules& required = spec_.required.affinities.listed();
    const sp::AffinityRules& allowed = spec_.allowed.affinities.listed();
    const auto default_of = [&](auto member) {
      return spec_.defaults.affinity ? (*spec_.defaults.affinity).*member : std::nullopt;
    };
    permit(node_kind, required.node_affinities, allowed.node_affinities,
           has_terms(default_of(&schedpol::Affinity::node_affinity)));
    permit(pod_kind, required.pod_affinities, allowed.pod_affinities,
           has_terms(default_of(&schedpol::Affinity::pod_affinity)));
    permit(pod_anti_kind, required.pod_anti_affinities, allowed.pod_anti_affinities,
           has_terms(default_of(&schedpol::Affinity::pod_anti_affinity)));
    require(node_kind, required.node_affinities);
    require(pod_kind, required.pod_affinities);
    require(pod_anti_kind, required.pod_anti_affinities);
  }

 private:
  template <class Rule>
  void permit(const KindVariables& kind, const AnyOr<sp::AffinityModes<Rule>>& required,
              const AnyOr<sp::AffinityModes<Rule>>& allowed, bool has_default) {
    if (!governed_) return;
    const bool any = spec_.allowed.affinities.is_any() || required.is_any() || allowed.is_any();
    if (!any && !required.is_listed() && !allowed.is_listed() && !has_default) {
      const std::string unchanged = cel::all_of(
          {"variables.hasOld", variable(kind.required, Of::old) + " == " + variable(kind.required),
           variable(kind.preferred, Of::old) + " == " + variable(kind.preferred)});
      return list_.not_permitted(cel::any_of({cel::all_of({is_empty(variable(kind.required)),
                                                           is_empty(variable(kind.preferred))}),
                                              unchanged}),
                                 "AffinityNotAllowed", kind.path());
    }
    const auto& of_required = required.listed();
    const auto& of_allowed = allowed.listed();
    permit(kind, schedpol::required_mode, kind.required, is_given(spec_, kind, options_),
           keeps_old_terms(spec_, kind),
           ModeRules<Rule>{of_required.required_during_scheduling_ignored_during_execution,
                           of_allowed.required_during_scheduling_ignored_during_execution, any},
           "");
    const std::string given = given_preferred_terms(spec_, kind);
    const auto is_preferred_given = [&](Of of) {
      return given.empty() ? std::string(cel::never)
                           : variable(kind.preferred, of) + " == " + given;
    };
    permit(kind, schedpol::preferred_mode, kind.preferred, is_preferred_given(Of::object),
           cel::all_of({"variables.hasOld", cel::negated(is_preferred_given(Of::old))}),
           ModeRules<Rule>{of_required.preferred_during_scheduling_ignored_during_execution,
                           of_allowed.preferred_during_scheduling_ignored_during_execution, any},
           kind.part);
  }

  /// `given`: whether the terms are what the default gives. `keeps_old`: whether an update keeps terms that
  /// nothing permits.
  template <class Rule>
  void permit(const KindVariables& kind, std::string_view mode, std::string_view name,
              const std::string& given, const std::string& keeps_old, const ModeRules<Rule>& rules,
              std::string_view part) {
    const std::string terms = variable(name);
    const std::string old_terms = variable(name, Of::old);
    const std::string permitted = rules.mentioned()
                                      ? parts_permitted(rules, terms, old_terms, keeps_old, part)
                                      : cel::all_of({keeps_old, old_terms + " == " + terms});
    list_.not_permitted(cel::any_of({is_empty(terms), given, permitted}), "AffinityNotAllowed",
                        kind.path(mode));
  }

  template <class Rule>
  void require(const KindVariables& kind, const AnyOr<sp::AffinityModes<Rule>>& required) {
    const schedpol::FieldPath entry =
        schedpol::FieldPath{"required", "affinities", kind.rules_field};
    if (required.is_any()) {
      const auto has_any = [&](Of of) {
        return "size(" + variable(kind.required, of) + ") + size(" + variable(kind.preferred, of) +
               ") > 0";
      };
      list_.required(has_any(Of::object), has_any(Of::old), "AffinityRequired", kind.path(), entry);
    }
    require(kind, schedpol::required_mode, kind.required,
            required.listed().required_during_scheduling_ignored_during_execution, "", entry);
    require(kind, schedpol::preferred_mode, kind.preferred,
            required.listed().preferred_during_scheduling_ignored_during_execution, kind.part,
            entry);
  }

  template <class Rule>
  void require(const KindVariables& kind, std::string_view mode, std::string_view name,
               const AnyOr<Rule>& required, std::string_view part,
               const schedpol::FieldPath& of_kind) {
    const schedpol::FieldPath entry = of_kind.child(mode);
    const std::string path = kind.path(mode);
    if (required.is_any()) {
      const auto has_any = [&](Of of) { return "size(" + variable(name, of) + ") > 0"; };
      list_.required(has_any(Of::object), has_any(Of::old), "AffinityRequired", path, entry);
    }
    require_listed(mode, name, required.listed(), part, path, entry);
  }
  void require_listed(std::string_view mode, std::string_view name,
                      const sp::NodeAffinityRule& required, std::string_view part,
                      const std::string& path, const schedpol::FieldPath& entry) {
    const bool in_every = mode == schedpol::required_mode && every_term_;
    for (const sp::TermPattern& term : required.node_selector_terms) {
      const std::string held = holds(term, "t" + std::string(part));
      const auto condition = [&](Of of) {
        const std::string terms = variable(name, of);
        return in_every ? cel::all_of({"size(" + terms + ") > 0", cel::each(terms, "t", held)})
                        : cel::some(terms, "t", held);
      };
      list_.required(condition(Of::object), condition(Of::old), "AffinityRequired", path, entry,
                     cel::quoted(to_string(term)));
    }
  }
  void require_listed(std::string_view, std::string_view name, const sp::PodAffinityRule& required,
                      std::string_view part, const std::string& path,
                      const schedpol::FieldPath& entry) {
    if (required.topology_keys.empty()) return;
    const auto condition = [&](Of of) {
      return cel::some(
          variable(name, of), "t",
          cel::is_one_of("t" + std::string(part) + ".topologyKey", required.topology_keys));
    };
    list_.required(condition(Of::object), condition(Of::old), "AffinityRequired", path, entry,
                   cel::quoted(cel::list(required.topology_keys)));
  }

  ValidationList& list_;
  const sp::SchedulingPolicySpec& spec_;
  const sp::Options& options_;
  bool every_term_;
  bool governed_;
};

}  // namespace

void add_affinity_validations(ValidationList& list,
                              const schedpol::engine::EffectivePolicy& effective,
                              const sp::Options& options, bool governed) {
  AffinityValidations(list, effective, options, governed).run();
}

}  // namespace cli
