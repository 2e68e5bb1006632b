// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What stands at an entry of a policy, on one line as YAML writes it in flow style: `[]` is any,
/// `none` a list of nothing. Empty where nothing stands there.

#include <schedpol/base/impl/any_optional.hpp>
#include <schedpol/base/quoting.hpp>
#include <schedpol/scheduling_policy/impl/fields.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class EntryText {
 public:
  /// `entry` is one of those that a merge writes down, or one of the tolerations.
  static std::string of(const SchedulingPolicySpec& spec, const FieldPath& entry) {
    EntryText text;
    const std::vector<FieldPath::Step> steps = entry.steps();
    for_each_field<SchedulingPolicySpec>([&](std::string_view name, auto section) {
      if (name == steps.front().name) text.add_below(spec.*section, Steps(steps).subspan(1));
    });
    return std::move(text.text_);
  }

 private:
  using Steps = std::span<const FieldPath::Step>;

  /// What stands where the steps lead from here.
  template <class T>
  void add_below(const T& part, Steps steps) {
    if constexpr (HasFields<T>) {
      for_each_field<T>([&](std::string_view name, auto member) {
        if (name == steps.front().name) add_at(part.*member, steps.subspan(1));
      });
    } else if constexpr (requires { typename T::mapped_type; }) {
      const auto found = part.find(steps.front().name);
      if (found != part.end()) add_at(found->second, steps.subspan(1));
    } else if constexpr (std::is_same_v<T, std::vector<TolerationPattern>> ||
                         std::is_same_v<T, std::vector<SpreadConstraintPattern>>) {
      add(part[steps.front().index]);
    }
  }
  /// The terms of one mode.
  template <class Kind>
    requires std::is_same_v<Kind, NodeAffinity> || std::is_same_v<Kind, PodAffinity>
  void add_below(const Kind& kind, Steps steps) {
    Kind alone;
    for_each_field<Kind>([&](std::string_view name, auto mode) {
      if (name == steps.front().name) alone.*mode = kind.*mode;
    });
    add(alone);
  }
  template <class T>
  void add_at(const T& part, Steps steps) {
    steps.empty() ? add(part) : add_below(part, steps);
  }
  template <class T>
  void add_at(const AnyOr<T>& field, Steps steps) {
    steps.empty() ? add(field) : add_below(field.listed(), steps);
  }
  template <schedpol::detail::AnyOptional Field>
  void add_at(const Field& field, Steps steps) {
    if (field) add_at(*field, steps);
  }

  void add(std::string_view text) { append_escaped(text_, text, ",[]{}: \""); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const TolerationPattern& pattern) { text_ += to_string(pattern); }
  void add(const SpreadConstraintPattern& pattern) { text_ += to_string(pattern); }
  void add(const TermPattern& pattern) { text_ += to_string(pattern); }
  void add(const NodeAffinityRule& rule) { add_list(rule.node_selector_terms); }
  void add(const PodAffinityRule& rule) { add_list(rule.topology_keys); }
  void add(const NodeAffinity& kind) { text_ += schedpol::to_string(kind); }
  void add(const PodAffinity& kind) { text_ += schedpol::to_string(kind); }
  void add(const Affinity& affinity) {
    for_each_kind([&](const auto& kind) { add(affinity.*kind.member); });
  }
  void add(const DefaultToleration& by_default) {
    text_ += schedpol::to_string(by_default.toleration);
    if (by_default.values.is_absent()) return;
    text_ += " values ";
    add(by_default.values);
  }
  template <schedpol::detail::AnyOptional Field>
  void add(const Field& field) {
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
    for_each_field<AffinityModes<Rule>>(
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

  std::string text_;
};

/// Takes over what stands where the steps lead.
template <class T>
void copy_at(std::span<const FieldPath::Step> steps, const AnyOr<T>& from, AnyOr<T>& to);
template <class T>
void copy_at(std::span<const FieldPath::Step> steps, const T& from, T& to) {
  if (steps.empty()) {
    to = from;
  } else if constexpr (HasFields<T>) {
    for_each_field<T>([&](std::string_view name, auto member) {
      if (name == steps.front().name) copy_at(steps.subspan(1), from.*member, to.*member);
    });
  } else if constexpr (requires { typename T::mapped_type; }) {
    const auto found = from.find(steps.front().name);
    if (found != from.end()) to.insert(*found);
  }
}
template <class T>
void copy_at(std::span<const FieldPath::Step> steps, const AnyOr<T>& from, AnyOr<T>& to) {
  if (steps.empty()) {
    to = from;
  } else {
    copy_at(steps, from.listed(), to.list());
  }
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
