// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What stands at an entry of a policy, on one line as YAML writes it in flow style: `[]` is any,
/// `none` a list of nothing. Empty where nothing stands there.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/any_or.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

class EntryText {
 public:
  /// `entry` is one of those that a merge writes down, or one of the tolerations.
  static std::string of(const SchedulingPolicySpec& spec, const FieldPath& entry) {
    EntryText text(entry);
    const std::string_view section = text.next();
    if (section == "required") text.rules(spec.required);
    if (section == "allowed") text.rules(spec.allowed);
    if (section == "default") text.defaults(spec.defaults);
    return std::move(text.text_);
  }

 private:
  explicit EntryText(const FieldPath& entry) : steps_(entry.steps()) {}

  std::string_view next() { return at_ < steps_.size() ? steps_[at_++].name : std::string_view(); }

  void rules(const PolicyRules& rules) {
    const std::string_view field = next();
    if (field == "schedulerNames") add(rules.scheduler_names);
    if (field == "priorityClassNames") add(rules.priority_class_names);
    if (field == "tolerations" && at_ < steps_.size())
      return add(rules.tolerations.listed()[steps_[at_].index]);
    if (field == "tolerations") add(rules.tolerations);
    if (field == "nodeSelectors") add_at_key(rules.node_selectors);
    if (field != "affinities") return;
    const std::string_view wanted = next();
    if (wanted.empty()) return add(rules.affinities);
    for_each_kind([&](const auto& kind) {
      if (kind.rules_field == wanted) add_mode(rules.affinities.listed().*kind.rules);
    });
  }
  void defaults(const Defaults& defaults) {
    const std::string_view field = next();
    if (field == "schedulerName") add(defaults.scheduler_name);
    if (field == "priorityClassName") add(defaults.priority_class_name);
    if (field == "tolerations") add(defaults.tolerations);
    if (field == "nodeSelector") add_at_key(defaults.node_selector);
    if (field != "affinity" || !defaults.affinity) return;
    const std::string_view wanted = next();
    const std::string_view mode = next();
    for_each_kind([&](const auto& kind) {
      auto terms = terms_of(defaults.affinity, kind.member);
      if (!wanted.empty() && wanted != kind.field) return;
      if (mode == preferred_mode) terms.required = {};
      if (mode == required_mode) terms.preferred = {};
      text_ += detail::to_string(terms);
    });
  }

  template <class Map>
  void add_at_key(const Map& map) {
    const std::string_view key = next();
    if (key.empty()) return add(map);
    const auto& all = listed(map);
    if (const auto found = all.find(key); found != all.end()) add(found->second);
  }
  static const NodeSelectors& listed(const AnyOr<NodeSelectors>& map) { return map.listed(); }
  static const Labels& listed(const std::optional<Labels>& map) {
    static const Labels none;
    return map ? *map : none;
  }
  template <class Rule>
  void add_mode(const AnyOr<AffinityModes<Rule>>& kind) {
    const std::string_view wanted = next();
    if (wanted.empty()) return add(kind);
    for_each_mode<AffinityModes<Rule>>([&](std::string_view name, auto mode) {
      if (name == wanted) add(kind.listed().*mode);
    });
  }

  void add(std::string_view text) { append_escaped(text_, text, ",[]{}: \""); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const TolerationPattern& pattern) { text_ += to_string(pattern); }
  void add(const TermPattern& pattern) { text_ += to_string(pattern); }
  void add(const NodeAffinityRule& rule) { add_list(rule.node_selector_terms); }
  void add(const PodAffinityRule& rule) { add_list(rule.topology_keys); }
  void add(const DefaultToleration& given) {
    text_ += schedpol::to_string(given.toleration);
    if (given.values.is_absent()) return;
    text_ += " values ";
    add(given.values);
  }
  template <class T>
  void add(const std::optional<T>& field) {
    if (field) add(*field);
  }
  template <class T>
  void add(const AnyOr<T>& field) {
    if (field.is_listed()) return add(field.listed());
    text_ += field.is_any() ? "[]" : "none";
  }
  void add(const Texts& list) { add_list(list); }
  template <class T>
  void add(const std::vector<T>& list) {
    add_list(list);
  }
  void add(const NodeSelectors& map) { add_map(map); }
  void add(const Labels& map) { add_map(map); }
  template <class Rule>
  void add(const AffinityModes<Rule>& kind) {
    text_ += '{';
    for_each_mode<AffinityModes<Rule>>(
        [&](std::string_view name, auto mode) { add_field(name, kind.*mode); });
    text_ += '}';
  }
  void add(const AffinityRules& rules) {
    text_ += '{';
    for_each_kind([&](const auto& kind) {
      if (!(rules.*kind.rules).is_absent()) add_field(kind.rules_field, rules.*kind.rules);
    });
    text_ += '}';
  }

  template <class T>
  void add_field(std::string_view name, const T& value) {
    if (text_.back() != '{') text_ += ", ";
    add(name);
    text_ += ": ";
    add(value);
  }
  template <class Map>
  void add_map(const Map& map) {
    text_ += '{';
    for (const auto& [key, value] : map) add_field(key, value);
    text_ += '}';
  }
  template <class List>
  void add_list(const List& list) {
    if (list.begin() == list.end()) text_ += "none";
    std::string_view before = "[";
    for (const auto& item : list) {
      text_ += std::exchange(before, ", ");
      add(item);
    }
    if (list.begin() != list.end()) text_ += ']';
  }

  std::vector<FieldPath::Step> steps_;
  std::size_t at_ = 0;
  std::string text_;
};

}  // namespace schedpol::scheduling_policy::detail
