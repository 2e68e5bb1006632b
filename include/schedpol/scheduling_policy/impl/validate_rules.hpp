// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with the `required` or the `allowed` section of a policy.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/any_or.hpp>
#include <schedpol/core/impl/did_you_mean.hpp>
#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/impl/selector_rules.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/open_enum.hpp>
#include <schedpol/core/syntax.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

using schedpol::detail::FieldErrors;
using schedpol::detail::Place;

/// What the texts of a list are.
enum class TextSyntax {
  name,         ///< not empty
  label_key,    ///
  label_value,  ///
  free,         ///< values of Gt and Lt are numbers, those of matchFields object names
};

/// Each text has its syntax, and none stands twice.
inline void validate_texts(FieldErrors& errors, const Place& place, const Texts& texts,
                           TextSyntax syntax) {
  schedpol::detail::UniqueNames seen;
  schedpol::detail::validate_count(errors, place, texts.size(), max_expression_values);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Place item = place.index(i);
    if (!seen.add(texts[i])) errors.add(ErrorType::duplicate, item, texts[i], "");
    switch (syntax) {
      case TextSyntax::name:
        if (texts[i].empty())
          errors.add(ErrorType::required, item, texts[i], "a name must not be empty");
        schedpol::detail::validate_length(errors, item, texts[i], max_subdomain_bytes);
        break;
      case TextSyntax::label_key:
        errors.add_all(item, texts[i], label_key_problems(texts[i]));
        break;
      case TextSyntax::label_value:
        errors.add_all(item, texts[i], label_value_problems(texts[i]));
        break;
      case TextSyntax::free:
        schedpol::detail::validate_length(errors, item, texts[i], max_subdomain_bytes);
        break;
    }
  }
}

/// Each word is one of its vocabulary.
template <class Word>
void validate_words(FieldErrors& errors, const Place& place,
                    const std::vector<OpenEnum<Word>>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].known() && words[i] != Word::unset) continue;
    std::string supported = "supported are";
    for (const std::string_view spelling : spellings(Word{})) {
      if (!spelling.empty())
        supported.append(supported.ends_with("are") ? " " : ", ").append(spelling);
    }
    errors.add(ErrorType::not_supported, place.index(i), words[i].text(),
               supported + schedpol::detail::did_you_mean(words[i]));
  }
}

enum class Section { required, allowed };

class RulesValidator {
 public:
  RulesValidator(FieldErrors& errors, Section section) noexcept
      : errors_(errors), section_(section) {}

  void run(const Place& place, const PolicyRules& rules) {
    const Place schedulers = place.child("schedulerNames");
    asks_for_something(schedulers, rules.scheduler_names);
    texts(schedulers, rules.scheduler_names, TextSyntax::name);

    const Place classes = place.child("priorityClassNames");
    asks_for_something(classes, rules.priority_class_names);
    texts(classes, rules.priority_class_names, TextSyntax::name);

    const Place selectors = place.child("nodeSelectors");
    asks_for_something(selectors, rules.node_selectors);
    for (const auto& [key, values] : rules.node_selectors.listed()) {
      const Place at_key = selectors.key(key);
      errors_.add_all(at_key, key, label_key_problems(key));
      texts(at_key, values, TextSyntax::label_value);
    }

    const Place tolerations = place.child("tolerations");
    asks_for_something(tolerations, rules.tolerations);
    const std::vector<TolerationPattern>& patterns = rules.tolerations.listed();
    for (std::size_t i = 0; i < patterns.size(); ++i) toleration(tolerations.index(i), patterns[i]);

    affinities(place.child("affinities"), rules.affinities);
  }

 private:
  [[nodiscard]] bool is_missing_in_required(bool says_nothing) const noexcept {
    return section_ == Section::required && says_nothing;
  }

  /// `required: []` says neither what to ask for nor that nothing is asked for.
  template <class List>
  void asks_for_something(const Place& place, const AnyOr<List>& list) {
    if (!is_missing_in_required(!list.is_absent() && list.listed().empty())) return;
    errors_.add(ErrorType::required, place, "",
                "must list at least one entry; leave the field out to require nothing");
  }

  void texts(const Place& place, const AnyOr<Texts>& list, TextSyntax syntax) {
    validate_texts(errors_, place, list.listed(), syntax);
  }

  void toleration(const Place& place, const TolerationPattern& pattern) {
    texts(place.child("keys"), pattern.keys, TextSyntax::label_key);
    validate_words(errors_, place.child("operators"), pattern.operators.listed());
    texts(place.child("values"), pattern.values, TextSyntax::label_value);
    validate_words(errors_, place.child("effects"), pattern.effects.listed());
  }

  void affinities(const Place& place, const AnyOr<AffinityRules>& rules) {
    if (is_missing_in_required(!rules.is_absent() && rules.listed() == AffinityRules{})) {
      errors_.add(ErrorType::required, place, "",
                  "must name at least one kind of affinity; leave the field out to require "
                  "nothing");
    }
    for_each_kind([&](const auto& kind) {
      modes(place.child(kind.rules_field), rules.listed().*kind.rules);
    });
  }

  template <class Rule>
  void modes(const Place& place, const AnyOr<AffinityModes<Rule>>& kind) {
    asks_for_terms(place, kind);
    for_each_mode<AffinityModes<Rule>>([&](std::string_view name, auto member) {
      const AnyOr<Rule>& of_mode = kind.listed().*member;
      const Place at = place.child(name);
      asks_for_terms(at, of_mode);
      mode(at, of_mode.listed());
    });
  }

  /// A kind or a mode that is written with nulls alone neither asks for something nor for any term.
  template <class Part>
  void asks_for_terms(const Place& place, const AnyOr<Part>& part) {
    if (!is_missing_in_required(part.is_listed() && part.listed() == Part{})) return;
    errors_.add(ErrorType::required, place, "",
                "must not be null below; leave the field out to require nothing, or write it empty "
                "for any term");
  }

  void mode(const Place& place, const NodeAffinityRule& rule) {
    const Place terms = place.child("nodeSelectorTerms");
    for (std::size_t i = 0; i < rule.node_selector_terms.size(); ++i) {
      const TermPattern& term = rule.node_selector_terms[i];
      const Place at = terms.index(i);
      if (term == TermPattern{})
        errors_.add(ErrorType::required, at, "", "must have matchExpressions or matchFields");
      requirements(at.child("matchExpressions"), term.match_expressions.listed());
      requirements(at.child("matchFields"), term.match_fields.listed());
    }
  }
  void mode(const Place& place, const PodAffinityRule& rule) {
    validate_texts(errors_, place.child("topologyKeys"), rule.topology_keys, TextSyntax::label_key);
  }

  void requirements(const Place& place, const std::vector<RequirementPattern>& patterns) {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const Place at = place.index(i);
      texts(at.child("keys"), patterns[i].keys, TextSyntax::label_key);
      validate_words(errors_, at.child("operators"), patterns[i].operators.listed());
      texts(at.child("values"), patterns[i].values, TextSyntax::free);
    }
  }

  FieldErrors& errors_;
  Section section_;
};

}  // namespace schedpol::scheduling_policy::detail
