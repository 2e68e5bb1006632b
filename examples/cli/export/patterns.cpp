// SPDX-License-Identifier: Apache-2.0
#include "patterns.hpp"

#include "cel.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cli {

namespace {

namespace sp = schedpol::scheduling_policy;
using cel::Parts;
using schedpol::AnyOr;
using schedpol::Texts;

std::string key_of(const std::string& toleration) {
  return cel::field_or(toleration, "key", "''");
}
std::string operator_of(const std::string& toleration) {
  return cel::field_or(toleration, "operator", "'Equal'");
}
std::string value_of(const std::string& toleration) {
  return cel::field_or(toleration, "value", "''");
}

const Texts& toleration_operators() {
  static const Texts all = {"Equal", "Exists", "Lt", "Gt"};
  return all;
}
const Texts& effects() {
  static const Texts all = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
  return all;
}

/// The words of a list that Kubernetes knows.
template <class Word>
Texts known_words(const AnyOr<std::vector<schedpol::OpenEnum<Word>>>& words, const Texts& every) {
  if (words.is_any()) return every;
  Texts known;
  for (const schedpol::OpenEnum<Word>& word : words.listed()) {
    std::string text(word.text());
    if constexpr (std::is_same_v<Word, schedpol::TolerationOperator>)
      if (word == schedpol::TolerationOperator::unset) text = "Equal";
    if (every.contains(text) && !known.contains(text)) known.push_back(std::move(text));
  }
  return known;
}

/// Joins those that are equal but for what they list in one field.
template <class Pattern>
void join(std::vector<Pattern>& patterns, AnyOr<Texts> Pattern::*field) {
  std::vector<Pattern> all;
  std::map<std::string, std::size_t> places;
  for (Pattern& pattern : patterns) {
    if (!(pattern.*field).is_listed()) {
      all.push_back(std::move(pattern));
      continue;
    }
    const AnyOr<Texts> listed = pattern.*field;
    pattern.*field = Texts();
    const auto [place, is_new] = places.try_emplace(to_string(pattern), all.size());
    if (is_new) {
      pattern.*field = listed;
      all.push_back(std::move(pattern));
      continue;
    }
    Texts both = (all[place->second].*field).listed();
    std::set<std::string_view> seen(both.begin(), both.end());
    for (const std::string& text : listed.listed())
      if (!seen.contains(text)) both.push_back(text);
    all[place->second].*field = std::move(both);
  }
  patterns = std::move(all);
}

/// An empty key only any takes.
std::string takes_key(const AnyOr<Texts>& keys, const std::string& key) {
  if (keys.is_any()) return std::string(cel::always);
  Texts listed;
  for (const std::string& each : keys.listed())
    if (!each.empty()) listed.push_back(each);
  return cel::is_one_of(key, listed);
}

/// Whether a list of expressions holds what one of a required term asks for.
std::string holds(const AnyOr<std::vector<sp::RequirementPattern>>& list,
                  const std::string& expressions) {
  Parts all;
  if (list.is_any()) all.push_back("size(" + expressions + ") > 0");
  for (const sp::RequirementPattern& pattern : list.listed())
    all.push_back(cel::some(expressions, "e", matches(pattern, "e")));
  return cel::all_of(all);
}
}  // namespace

std::vector<sp::TolerationPattern> joined(std::vector<sp::TolerationPattern> patterns) {
  join(patterns, &sp::TolerationPattern::keys);
  join(patterns, &sp::TolerationPattern::values);
  return patterns;
}
std::vector<sp::RequirementPattern> joined(std::vector<sp::RequirementPattern> patterns) {
  join(patterns, &sp::RequirementPattern::keys);
  return patterns;
}

std::string matches(const sp::TolerationPattern& pattern, const std::string& toleration,
                    const std::string& effect) {
  Parts all = {takes_key(pattern.keys, key_of(toleration))};
  const Texts operators = known_words(pattern.operators, toleration_operators());
  if (operators.size() < toleration_operators().size() || effect.empty())
    all.push_back(cel::is_one_of(operator_of(toleration), operators));
  const Texts taken = known_words(pattern.effects, effects());
  if (!effect.empty()) {
    if (taken.size() < effects().size()) all.push_back(cel::is_one_of(effect, taken));
  } else if (taken.size() == effects().size()) {
    all.push_back(cel::any_of(
        {"!has(" + toleration + ".effect)", cel::is_one_of(toleration + ".effect", taken)}));
  } else {
    all.push_back(cel::is_one_of(cel::field_or(toleration, "effect", "''"), taken));
  }
  if (pattern.values.is_any()) return cel::all_of(all);
  // Exists has no value, whatever stands there.
  const std::string exists = operator_of(toleration) + " == 'Exists'";
  if (pattern.values.is_absent()) {
    all.push_back(cel::any_of({exists, value_of(toleration) + " == ''"}));
  } else {
    const bool takes_exists = operators.contains("Exists");
    all.push_back(cel::all_of(
        {takes_exists ? operator_of(toleration) + " != 'Exists'" : std::string(cel::always),
         cel::is_one_of(value_of(toleration), pattern.values.listed())}));
  }
  return cel::all_of(all);
}

bool matches_existing(const sp::TolerationPattern& pattern,
                      const schedpol::Toleration& toleration) {
  return (pattern.keys.is_any() || pattern.keys.listed().contains(toleration.key)) &&
         known_words(pattern.operators, toleration_operators()).contains("Exists") &&
         known_words(pattern.effects, effects()).contains(toleration.effect.text()) &&
         !pattern.values.is_listed();
}

std::string has_known_words(const std::string& toleration) {
  return cel::all_of({cel::is_one_of(operator_of(toleration), toleration_operators()),
                      cel::any_of({"!has(" + toleration + ".effect)",
                                   cel::is_one_of(toleration + ".effect", effects())})});
}

std::string equals_one_of(const std::vector<schedpol::Toleration>& wanted,
                          const std::string& toleration, bool with_effect) {
  std::vector<std::pair<schedpol::Toleration, Texts>> groups;
  std::map<std::string, std::size_t> places;
  for (const schedpol::Toleration& each : wanted) {
    schedpol::Toleration rest = each;
    rest.key.clear();
    if (rest.operator_ == schedpol::TolerationOperator::unset)
      rest.operator_ = schedpol::TolerationOperator::equal;
    const auto [place, is_new] = places.try_emplace(to_string(rest), groups.size());
    if (is_new) groups.emplace_back(rest, Texts());
    groups[place->second].second.push_back(each.key);
  }
  Parts any;
  for (const auto& [rest, keys] : groups)
    any.push_back(cel::all_of(
        {cel::is_one_of(key_of(toleration), keys), equals(rest, toleration, with_effect, false)}));
  return cel::any_of(any);
}

std::string equals(const schedpol::Toleration& wanted, const std::string& toleration,
                   bool with_effect, bool with_key) {
  const std::string_view operator_ =
      wanted.operator_ == schedpol::TolerationOperator::unset ? "Equal" : wanted.operator_.text();
  Parts all = {
      with_key ? key_of(toleration) + " == " + cel::quoted(wanted.key) : std::string(cel::always),
      operator_of(toleration) + " == " + cel::quoted(operator_),
      value_of(toleration) + " == " + cel::quoted(wanted.value)};
  if (with_effect)
    all.push_back(cel::field_or(toleration, "effect", "''") +
                  " == " + cel::quoted(wanted.effect.text()));
  all.push_back(wanted.toleration_seconds
                    ? "has(" + toleration + ".tolerationSeconds) && " + toleration +
                          ".tolerationSeconds == " + std::to_string(*wanted.toleration_seconds)
                    : "!has(" + toleration + ".tolerationSeconds)");
  return cel::all_of(all);
}

std::string equal_tolerations(const std::string& a, const std::string& b) {
  return cel::all_of({key_of(a) + " == " + key_of(b), operator_of(a) + " == " + operator_of(b),
                      value_of(a) + " == " + value_of(b), a + ".?effect == " + b + ".?effect",
                      a + ".?tolerationSeconds == " + b + ".?tolerationSeconds"});
}

std::string covers(const std::string& a, const std::string& b) {
  const std::string exists = operator_of(a) + " == 'Exists'";
  const auto effect_of = [](const std::string& of) { return cel::field_or(of, "effect", "''"); };
  return cel::all_of(
      {cel::is_one_of(operator_of(a), toleration_operators()),
       cel::any_of({key_of(a) + " == " + key_of(b), key_of(a) + " == '' && " + exists}),
       cel::any_of({effect_of(a) + " == ''", effect_of(a) + " == " + effect_of(b)}),
       cel::any_of({effect_of(a) + " != 'NoExecute'", "!has(" + a + ".tolerationSeconds)",
                    "has(" + b + ".tolerationSeconds) && " + b + ".tolerationSeconds <= " + a +
                        ".tolerationSeconds"}),
       cel::any_of({exists, operator_of(a) + " == " + operator_of(b) + " && " + value_of(a) +
                                " == " + value_of(b)})});
}

std::string toleration_text(const std::string& toleration) {
  return cel::field_or(toleration, "key", "'*'") + " + (" + operator_of(toleration) +
         " == 'Exists' ? ' Exists' : '=' + " + value_of(toleration) + ") + (has(" + toleration +
         ".effect) ? ':' + " + toleration + ".effect : '')";
}

std::string matches(const sp::RequirementPattern& pattern, const std::string& expression) {
  static const Texts operators = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  Parts all = {takes_key(pattern.keys, expression + ".key"),
               cel::is_one_of(expression + ".operator", known_words(pattern.operators, operators))};
  if (pattern.values.is_absent()) {
    all.push_back("!has(" + expression + ".values)");
  } else if (pattern.values.is_listed()) {
    all.push_back("has(" + expression + ".values)");
    all.push_back(
        cel::each(expression + ".values", "v", cel::is_one_of("v", pattern.values.listed())));
  }
  return cel::all_of(all);
}

std::string holds(const sp::TermPattern& required, const std::string& term) {
  const auto asks = [](const auto& list) { return list.is_any() || !list.listed().empty(); };
  if (!asks(required.match_expressions) && !asks(required.match_fields))
    return std::string(cel::never);
  return cel::all_of(
      {holds(required.match_expressions, cel::field_or(term, "matchExpressions", "[]")),
       holds(required.match_fields, cel::field_or(term, "matchFields", "[]"))});
}

std::string matches(const sp::SpreadConstraintPattern& pattern, const std::string& constraint,
                    const std::string& when_unsatisfiable) {
  static const Texts words = {"DoNotSchedule", "ScheduleAnyway"};
  return cel::all_of(
      {takes_key(pattern.topology_keys, constraint + ".topologyKey"),
       cel::is_one_of(when_unsatisfiable, known_words(pattern.when_unsatisfiable, words))});
}

}  // namespace cli
