// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a SchedulingPolicy, with the API server's error types and field paths:
/// 1. the name is missing or no DNS subdomain;
/// 2. a list of `required` is empty, `default.tolerations` is, or the `values` of a default
///    toleration are (the proposal calls these invalid; evaluation takes them as absent);
/// 3. a term pattern is `{}`, which permits nothing and is never satisfied;
/// 4. an operator or effect is outside its vocabulary, a name is listed empty or twice, a key or
///    value of a label breaks its syntax;
/// 5. a default would be refused by the policy's own requirement on scheduler or priority class.
/// Evaluation does not depend on this: a policy with errors still never permits more than it says.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/syntax.hpp>
#include <schedpol/core/validation.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy {

namespace detail {

class Validator {
 public:
  std::vector<FieldError> run(const SchedulingPolicy& policy) && {
    if (policy.metadata.name.empty()) {
      report(ErrorType::required, "metadata.name", "", "a policy is told by its name");
    } else {
      report_all("metadata.name", policy.metadata.name, subdomain_problems(policy.metadata.name));
    }
    section("spec.required", policy.spec.required, Section::required);
    section("spec.allowed", policy.spec.allowed, Section::allowed);
    defaults("spec.default", policy.spec.defaults);
    own_requirement("spec.default.schedulerName", policy.spec.defaults.scheduler_name,
                    policy.spec.required.scheduler_names);
    own_requirement("spec.default.priorityClassName", policy.spec.defaults.priority_class_name,
                    policy.spec.required.priority_class_names);
    return std::move(errors_);
  }

 private:
  enum class Section { required, allowed };

  void report(ErrorType type, std::string field, std::string_view value, std::string detail) {
    errors_.push_back({type, std::move(field), std::string(value), std::move(detail)});
  }
  void report_all(const std::string& field, std::string_view value,
                  std::vector<std::string> problems) {
    for (std::string& problem : problems)
      report(ErrorType::invalid, field, value, std::move(problem));
  }
  static std::string item(const std::string& list, std::size_t i) {
    return list + "[" + std::to_string(i) + "]";
  }

  /// `required: []` says neither what to ask for nor that nothing is asked for.
  template <class List>
  void not_empty(const std::string& field, const List& list, Section section) {
    if (section == Section::required && list.empty()) {
      report(ErrorType::required, field, "",
             "must list at least one entry; leave the field out to require nothing");
    }
  }

  enum class Syntax { name, label_key, label_value };

  void names(const std::string& field, const Names& names, Syntax syntax) {
    if (!names) return;
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < names->size(); ++i) {
      const std::string& name = (*names)[i];
      const std::string path = item(field, i);
      if (!seen.insert(name).second) report(ErrorType::duplicate, path, name, "");
      switch (syntax) {
        case Syntax::name:
          if (name.empty()) report(ErrorType::required, path, "", "a name must not be empty");
          break;
        case Syntax::label_key: report_all(path, name, label_key_problems(name)); break;
        case Syntax::label_value: report_all(path, name, label_value_problems(name)); break;
      }
    }
  }

  template <class Word>
  void word(const std::string& field, const OpenEnum<Word>& value, bool unset_is_known) {
    if (value.known() && (unset_is_known || value != Word::unset)) return;
    std::string supported = "supported are";
    for (const std::string_view spelling : spellings(Word{})) {
      if (!spelling.empty())
        supported.append(supported.ends_with("are") ? " " : ", ").append(spelling);
    }
    report(ErrorType::not_supported, field, value.text(), std::move(supported));
  }
  template <class Word>
  void words(const std::string& field, const std::optional<std::vector<OpenEnum<Word>>>& list) {
    if (!list) return;
    for (std::size_t i = 0; i < list->size(); ++i) word(item(field, i), (*list)[i], false);
  }

  void section(const std::string& path, const Rules& rules, Section section) {
    if (rules.scheduler_names) {
      not_empty(path + ".schedulerNames", *rules.scheduler_names, section);
      names(path + ".schedulerNames", rules.scheduler_names, Syntax::name);
    }
    if (rules.priority_class_names) {
      not_empty(path + ".priorityClassNames", *rules.priority_class_names, section);
      names(path + ".priorityClassNames", rules.priority_class_names, Syntax::name);
    }
    if (rules.node_selectors) {
      not_empty(path + ".nodeSelectors", *rules.node_selectors, section);
      for (const auto& [key, values] : *rules.node_selectors) {
        const std::string field = path + ".nodeSelectors[" + key + "]";
        report_all(field, key, label_key_problems(key));
        names(field, values, Syntax::label_value);
      }
    }
    if (rules.tolerations) {
      const std::string field = path + ".tolerations";
      not_empty(field, *rules.tolerations, section);
      for (std::size_t i = 0; i < rules.tolerations->size(); ++i)
        toleration(item(field, i), (*rules.tolerations)[i]);
    }
    if (!rules.affinities) return;
    const std::string affinities = path + ".affinities";
    if (section == Section::required && *rules.affinities == AffinityRules{}) {
      report(ErrorType::required, affinities, "",
             "must name at least one kind of affinity; leave the field out to require nothing");
    }
    kind(affinities + ".nodeAffinities", rules.affinities->node_affinities);
    kind(affinities + ".podAffinities", rules.affinities->pod_affinities);
    kind(affinities + ".podAntiAffinities", rules.affinities->pod_anti_affinities);
  }

  void toleration(const std::string& path, const TolerationPattern& pattern) {
    names(path + ".keys", pattern.keys, Syntax::label_key);
    words(path + ".operators", pattern.operators);
    names(path + ".values", pattern.values, Syntax::label_value);
    words(path + ".effects", pattern.effects);
  }

  template <class Rule>
  void kind(const std::string& path, const std::optional<AffinityModes<Rule>>& modes) {
    if (!modes) return;
    mode(path + ".requiredDuringSchedulingIgnoredDuringExecution",
         modes->required_during_scheduling_ignored_during_execution);
    mode(path + ".preferredDuringSchedulingIgnoredDuringExecution",
         modes->preferred_during_scheduling_ignored_during_execution);
  }
  void mode(const std::string& path, const std::optional<NodeAffinityRule>& rule) {
    if (!rule) return;
    for (std::size_t i = 0; i < rule->node_selector_terms.size(); ++i) {
      const TermPattern& term = rule->node_selector_terms[i];
      const std::string field = item(path + ".nodeSelectorTerms", i);
      if (term == TermPattern{}) {
        report(ErrorType::required, field, "", "must have matchExpressions or matchFields");
      }
      requirements(field + ".matchExpressions", term.match_expressions);
      requirements(field + ".matchFields", term.match_fields);
    }
  }
  void mode(const std::string& path, const std::optional<PodAffinityRule>& rule) {
    if (rule) names(path + ".topologyKeys", rule->topology_keys, Syntax::label_key);
  }

  void requirements(const std::string& field,
                    const std::optional<std::vector<RequirementPattern>>& patterns) {
    if (!patterns) return;
    for (std::size_t i = 0; i < patterns->size(); ++i) {
      const RequirementPattern& pattern = (*patterns)[i];
      names(item(field, i) + ".keys", pattern.keys, Syntax::label_key);
      words(item(field, i) + ".operators", pattern.operators);
      // Values of Gt and Lt are numbers, those of matchFields object names: both may break the
      // syntax of label values, so only repetitions are wrong here.
      duplicates(item(field, i) + ".values", pattern.values);
    }
  }
  void duplicates(const std::string& field, const Names& names) {
    if (!names) return;
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < names->size(); ++i) {
      if (!seen.insert((*names)[i]).second)
        report(ErrorType::duplicate, item(field, i), (*names)[i], "");
    }
  }

  void defaults(const std::string& path, const Defaults& defaults) {
    if (defaults.node_selector) {
      for (const auto& [key, value] : *defaults.node_selector) {
        const std::string field = path + ".nodeSelector[" + key + "]";
        report_all(field, key, label_key_problems(key));
        report_all(field, value, label_value_problems(value));
      }
    }
    if (defaults.affinity) {
      schedpol::detail::FieldErrors found;
      schedpol::detail::validate_affinity(found, path + ".affinity", *defaults.affinity);
      for (FieldError& error : std::move(found).take()) errors_.push_back(std::move(error));
    }
    if (!defaults.tolerations) return;
    if (defaults.tolerations->empty()) {
      report(ErrorType::required, path + ".tolerations", "",
             "must list at least one toleration; leave the field out to give none");
    }
    for (std::size_t i = 0; i < defaults.tolerations->size(); ++i) {
      default_toleration(item(path + ".tolerations", i), (*defaults.tolerations)[i]);
    }
  }

  void default_toleration(const std::string& field, const DefaultToleration& entry) {
    const Toleration& toleration = entry.toleration;
    if (!toleration.key.empty())
      report_all(field + ".key", toleration.key, label_key_problems(toleration.key));
    word(field + ".operator", toleration.operator_, true);
    word(field + ".effect", toleration.effect, true);
    if (toleration.key.empty() && toleration.operator_ != TolerationOperator::exists) {
      report(ErrorType::invalid, field + ".operator", toleration.operator_.text(),
             "must be Exists when the key is empty");
    }
    if (toleration.toleration_seconds && toleration.effect != TaintEffect::no_execute) {
      report(ErrorType::invalid, field + ".effect", toleration.effect.text(),
             "must be NoExecute when there are tolerationSeconds");
    }
    if (toleration.operator_ == TolerationOperator::exists &&
        (!toleration.value.empty() || entry.values)) {
      report(ErrorType::invalid, field + ".operator", toleration.operator_.text(),
             "Exists takes no value");
    }
    const bool is_equal = toleration.operator_ == TolerationOperator::unset ||
                          toleration.operator_ == TolerationOperator::equal;
    if (is_equal && !toleration.value.empty())
      report_all(field + ".value", toleration.value, label_value_problems(toleration.value));
    if (!entry.values) return;
    if (entry.values->empty()) {
      report(ErrorType::required, field + ".values", "",
             "must list at least one value; leave the field out for none");
    }
    if (!toleration.value.empty()) {
      report(ErrorType::forbidden, field + ".value", toleration.value,
             "must not be set beside values");
    }
    names(field + ".values", entry.values, Syntax::label_value);
  }

  /// A default that the policy's own requirement refuses would deny every pod that relies on it.
  void own_requirement(const std::string& field, const std::optional<std::string>& given,
                       const Names& required) {
    if (!given || given->empty() || !required || required->empty()) return;
    if (std::find(required->begin(), required->end(), *given) != required->end()) return;
    report(ErrorType::invalid, field, *given, "is not among the names that the policy requires");
  }

  std::vector<FieldError> errors_;
};

}  // namespace detail

/// Every error of a policy; none means that a cluster should accept it.
[[nodiscard]] inline std::vector<FieldError> validate(const SchedulingPolicy& policy) {
  return detail::Validator().run(policy);
}

}  // namespace schedpol::scheduling_policy
