// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A spec as evaluation sees it: what is empty and so says nothing is absent, and never hides what
/// another policy says.
/// 1. A field of `required` that is any, and an empty field of `default`: `validate` refuses both.
/// 2. What is listed with nothing in it: fields, kinds and modes of affinity in both sections, and
///    the values of a key. The key itself stays: it permits no value.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/any_or.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <optional>
#include <string_view>

namespace schedpol::scheduling_policy::detail {

class AsEvaluated {
 public:
  static SchedulingPolicySpec of(SchedulingPolicySpec spec) {
    drop_empty(spec.required);
    drop_any(spec.required);
    drop_empty(spec.allowed);
    drop_empty(spec.defaults);
    return spec;
  }

 private:
  template <class T>
  static void drop_if(bool drop, T& field) {
    if (drop) field = T();
  }
  template <class List>
  static void drop_if_empty(AnyOr<List>& field) {
    drop_if(field.is_listed() && field.listed().empty(), field);
  }
  template <class T>
  static void drop_if_empty(std::optional<T>& field) {
    drop_if(field && field->empty(), field);
  }

  static void drop_empty(PolicyRules& rules) {
    drop_if_empty(rules.scheduler_names);
    drop_if_empty(rules.priority_class_names);
    if (rules.node_selectors.is_listed())
      for (auto& [key, values] : rules.node_selectors.list()) drop_if_empty(values);
    drop_if_empty(rules.node_selectors);
    drop_if_empty(rules.tolerations);
    if (!rules.affinities.is_listed()) return;
    for_each_kind([&](const auto& kind) { drop_empty_modes(rules.affinities.list().*kind.rules); });
    drop_if(rules.affinities.listed() == AffinityRules{}, rules.affinities);
  }
  template <class Rule>
  static void drop_empty_modes(AnyOr<AffinityModes<Rule>>& kind) {
    if (!kind.is_listed()) return;
    for_each_mode<AffinityModes<Rule>>([&](std::string_view, auto member) {
      AnyOr<Rule>& mode = kind.list().*member;
      drop_if(mode.is_listed() && mode.listed() == Rule{}, mode);
    });
    drop_if(kind.listed() == AffinityModes<Rule>{}, kind);
  }

  static void drop_any(PolicyRules& required) {
    drop_if(required.scheduler_names.is_any(), required.scheduler_names);
    drop_if(required.priority_class_names.is_any(), required.priority_class_names);
    drop_if(required.node_selectors.is_any(), required.node_selectors);
    drop_if(required.tolerations.is_any(), required.tolerations);
    drop_if(required.affinities.is_any(), required.affinities);
  }

  static void drop_empty(Defaults& defaults) {
    drop_if_empty(defaults.scheduler_name);
    drop_if_empty(defaults.priority_class_name);
    drop_if_empty(defaults.node_selector);
    drop_if_empty(defaults.tolerations);
    if (defaults.tolerations)
      for (DefaultToleration& given : *defaults.tolerations)
        drop_if(given.values.is_any(), given.values);
    if (!defaults.affinity) return;
    for_each_kind([&](const auto& kind) {
      drop_if(!has_terms((*defaults.affinity).*kind.member), (*defaults.affinity).*kind.member);
    });
    if (auto& node = defaults.affinity->node_affinity) {
      auto& required = node->required_during_scheduling_ignored_during_execution;
      drop_if(required && required->node_selector_terms.empty(), required);
    }
    drop_if(*defaults.affinity == Affinity{}, defaults.affinity);
  }
};

}  // namespace schedpol::scheduling_policy::detail
