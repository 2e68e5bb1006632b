// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/did_you_mean.hpp>
#include <schedpol/core/impl/spec_size.hpp>
#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/impl/fields.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <set>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

using schedpol::detail::FieldErrors;
using schedpol::detail::PathBuilder;

/// What the texts of a list are.
enum class TextSyntax {
  name,         ///< not empty
  label_key,    ///
  label_value,  ///
  free,         ///< values of Gt and Lt are numbers, those of matchFields object names
};

/// Each text has its syntax, and none stands twice.
inline void validate_texts(FieldErrors& errors, const PathBuilder& place, const Texts& texts,
                           TextSyntax syntax) {
  std::set<std::string_view> seen;
  schedpol::detail::validate_count(errors, place, texts.size(), max_expression_values);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const PathBuilder item = place.index(i);
    if (!seen.insert(texts[i]).second) errors.add(ErrorType::duplicate, item, texts[i], "");
    switch (syntax) {
      case TextSyntax::name:
        if (texts[i].empty())
          errors.add(ErrorType::required, item, texts[i], "a name must not be empty");
        schedpol::detail::validate_length(errors, item, texts[i], max_subdomain_bytes);
        break;
      case TextSyntax::label_key:
        errors.add_all(item, texts[i], schedpol::detail::label_key_problems(texts[i]));
        break;
      case TextSyntax::label_value:
        errors.add_all(item, texts[i], schedpol::detail::label_value_problems(texts[i]));
        break;
      case TextSyntax::free:
        schedpol::detail::validate_length(errors, item, texts[i], max_subdomain_bytes);
        break;
    }
  }
}

/// Each word is one of its vocabulary.
template <class Word>
void validate_words(FieldErrors& errors, const PathBuilder& place,
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

  void run(const PathBuilder& place, const PolicySection& section) {
    for_each_section_field([&]<class Row>(const Row& row) {
      const PathBuilder at = place.child(row.rules_field);
      if (is_allowed_field<Row> && section_ == Section::required) {
        if ((section.*row.rules).is_absent()) return;
        errors_.add(ErrorType::forbidden, at, "", "nothing of it can be required, only allowed");
      } else {
        field(at, section.*row.rules);
      }
    });
  }

 private:
  [[nodiscard]] bool is_missing_in_required(bool says_nothing) const noexcept {
    return section_ == Section::required && says_nothing;
  }

  /// `required: []` says neither what to ask for nor that nothing is asked for.
  template <class List>
  void asks_for_something(const PathBuilder& place, const AnyOr<List>& list) {
    if (!is_missing_in_required(!list.is_absent() && list.listed().empty())) return;
    errors_.add(ErrorType::required, place, "",
                "must list at least one entry; leave the field out to require nothing");
  }

  void field(const PathBuilder& place, const AnyOr<Texts>& names) {
    asks_for_something(place, names);
    validate_texts(errors_, place, names.listed(), TextSyntax::name);
  }
  void field(const PathBuilder& place, const AnyOr<NodeSelectors>& selectors) {
    asks_for_something(place, selectors);
    for (const auto& [key, values] : selectors.listed()) {
      const PathBuilder at_key = place.key(key);
      errors_.add_all(at_key, key, schedpol::detail::label_key_problems(key));
      validate_texts(errors_, at_key, values.listed(), TextSyntax::label_value);
    }
  }
  void field(const PathBuilder& place, const AnyOr<std::vector<TolerationPattern>>& tolerations) {
    asks_for_something(place, tolerations);
    patterns(place, tolerations.listed(), TextSyntax::label_value);
  }
  void field(const PathBuilder& place,
             const AnyOr<std::vector<SpreadConstraintPattern>>& constraints) {
    patterns(place, constraints.listed(), TextSyntax::label_key);
  }
  void field(const PathBuilder& place, const AnyOr<AffinityRules>& rules) {
    if (is_missing_in_required(!rules.is_absent() && rules.listed() == AffinityRules{})) {
      errors_.add(ErrorType::required, place, "",
                  "must name at least one kind of affinity; leave the field out to require "
                  "nothing");
    }
    for_each_field<AffinityRules>(
        [&](std::string_view name, auto kind) { modes(place.child(name), rules.listed().*kind); });
  }

  /// `values` is the syntax of texts that are no keys.
  template <class Pattern>
  void patterns(const PathBuilder& place, const std::vector<Pattern>& all, TextSyntax values) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const PathBuilder at = place.index(i);
      for_each_field<Pattern>([&](std::string_view name, auto member) {
        const auto& list = (all[i].*member).listed();
        if constexpr (!std::is_same_v<decltype(list), const Texts&>) {
          validate_words(errors_, at.child(name), list);
        } else {
          TextSyntax syntax = values;
          if constexpr (requires { member == &Pattern::keys; })
            if (member == &Pattern::keys) syntax = TextSyntax::label_key;
          validate_texts(errors_, at.child(name), list, syntax);
        }
      });
    }
  }

  template <class Rule>
  void modes(const PathBuilder& place, const AnyOr<AffinityModes<Rule>>& kind) {
    asks_for_terms(place, kind);
    for_each_field<AffinityModes<Rule>>([&](std::string_view name, auto member) {
      const AnyOr<Rule>& of_mode = kind.listed().*member;
      const PathBuilder at = place.child(name);
      asks_for_terms(at, of_mode);
      for_each_field<Rule>([&](std::string_view list_name, auto list) {
        const PathBuilder of_list = at.child(list_name);
        mode(of_list, of_mode.listed().*list);
      });
    });
  }

  /// A kind or a mode that is written with nulls alone neither asks for something nor for any term.
  template <class Part>
  void asks_for_terms(const PathBuilder& place, const AnyOr<Part>& part) {
    if (!is_missing_in_required(part.is_listed() && part.listed() == Part{})) return;
    errors_.add(ErrorType::required, place, "",
                "must not be null below; leave the field out to require nothing, or write it empty "
                "for any term");
  }

  void mode(const PathBuilder& place, const std::vector<TermPattern>& terms) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const PathBuilder at = place.index(i);
      if (terms[i] == TermPattern{})
        errors_.add(ErrorType::required, at, "", "must have matchExpressions or matchFields");
      for_each_field<TermPattern>([&](std::string_view name, auto list) {
        const PathBuilder requirements = at.child(name);
        patterns(requirements, (terms[i].*list).listed(), TextSyntax::free);
      });
    }
  }
  void mode(const PathBuilder& place, const Texts& topology_keys) {
    validate_texts(errors_, place, topology_keys, TextSyntax::label_key);
  }

  FieldErrors& errors_;
  Section section_;
};

/// The toleration, as the API server would see it in a pod, and the values that it is given with.
inline void validate_default_toleration(FieldErrors& errors, const PathBuilder& place,
                                        const DefaultToleration& by_default) {
  schedpol::detail::validate_toleration(errors, place, by_default.toleration);
  if (by_default.values.is_absent()) return;
  if (by_default.toleration.operator_ == TolerationOperator::exists)
    errors.add(ErrorType::invalid, place.child("operator"), by_default.toleration.operator_.text(),
               "Exists takes no value");
  const PathBuilder values = place.child("values");
  if (by_default.values.listed().empty()) {
    errors.add(ErrorType::required, values, "",
               "must list at least one value; leave the field out for none");
  }
  if (!by_default.toleration.value.empty()) {
    errors.add(ErrorType::forbidden, place.child("value"), by_default.toleration.value,
               "must not be set beside values");
  }
  validate_texts(errors, values, by_default.values.listed(), TextSyntax::label_value);
}

/// A default, by the kind of its field.
inline void validate_default(FieldErrors& errors, const PathBuilder& place, const NameField& row,
                             const std::string& name) {
  if (row.traits.is_object_name) {
    schedpol::detail::validate_name(errors, place, name);
  } else {
    schedpol::detail::validate_length(errors, place, name, max_subdomain_bytes);
  }
}
inline void validate_default(FieldErrors& errors, const PathBuilder& place,
                             const NodeSelectorField&, const Labels& pairs) {
  for (const auto& [key, value] : pairs) {
    const PathBuilder pair = place.key(key);
    errors.add_all(pair, key, schedpol::detail::label_key_problems(key));
    errors.add_all(pair, value, schedpol::detail::label_value_problems(value));
  }
}
inline void validate_default(FieldErrors& errors, const PathBuilder& place, const TolerationsField&,
                             const std::vector<DefaultToleration>& tolerations) {
  if (tolerations.empty()) {
    errors.add(ErrorType::required, place, "",
               "must list at least one toleration; leave the field out to give none");
  }
  for (std::size_t i = 0; i < tolerations.size(); ++i)
    validate_default_toleration(errors, place.index(i), tolerations[i]);
}
inline void validate_default(FieldErrors& errors, const PathBuilder& place, const AffinityField&,
                             const Affinity& affinity) {
  schedpol::detail::validate_affinity(errors, place, affinity);
}

inline void validate_defaults(FieldErrors& errors, const PathBuilder& place,
                              const Defaults& defaults) {
  for_each_pod_field([&](const auto& row) {
    const PathBuilder field = place.child(row.field);
    if (const auto& by_default = defaults.*row.member)
      validate_default(errors, field, row, *by_default);
  });
}

/// A default that the policy's own requirement refuses would deny every pod that relies on it.
inline void validate_own_requirement(FieldErrors& errors, const PathBuilder& defaults,
                                     const SchedulingPolicySpec& spec, const NameField& row) {
  const std::optional<std::string>& by_default = spec.defaults.*row.member;
  const Texts& required = (spec.required.*row.rules).listed();
  if (!by_default || by_default->empty() || required.empty() || required.contains(*by_default))
    return;
  errors.add(ErrorType::invalid, defaults.child(row.field), *by_default,
             "is not among the names that the policy requires");
}
/// Whether something other than a name meets a requirement is for `analyze` to find out.
inline void validate_own_requirement(FieldErrors&, const PathBuilder&, const SchedulingPolicySpec&,
                                     const auto&) noexcept {}

inline schedpol::detail::SpecSize size_of(const SchedulingPolicySpec& spec) {
  schedpol::detail::SpecSize size;
  size.add(spec);
  return size;
}

}  // namespace detail

/// What `fields.hpp` describes has its fields for parts.
template <HasFields T>
void add_parts(schedpol::detail::SpecSize& size, const T& part) {
  for_each_field<T>([&](std::string_view, auto member) { size.add(part.*member); });
}
inline void add_parts(schedpol::detail::SpecSize& size, const DefaultToleration& by_default) {
  size.add_all(by_default.toleration, by_default.values);
}

SCHEDPOL_INLINE std::size_t policy_bytes(const SchedulingPolicySpec& spec) {
  return detail::size_of(spec).bytes();
}

SCHEDPOL_INLINE std::vector<FieldError> validate(const SchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::PathBuilder object;
  schedpol::detail::validate_cluster_metadata(errors, object.child("metadata"), "SchedulingPolicy",
                                              policy.metadata);

  const schedpol::detail::PathBuilder spec = object.child("spec");
  detail::RulesValidator(errors, detail::Section::required)
      .run(spec.child(required_section.name), policy.spec.required);
  detail::RulesValidator(errors, detail::Section::allowed)
      .run(spec.child(allowed_section.name), policy.spec.allowed);
  const schedpol::detail::PathBuilder defaults = spec.child(default_section.name);
  detail::validate_defaults(errors, defaults, policy.spec.defaults);
  for_each_pod_field([&](const auto& row) {
    detail::validate_own_requirement(errors, defaults, policy.spec, row);
  });
  detail::size_of(policy.spec).validate(errors, spec);
  return std::move(errors).take();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
