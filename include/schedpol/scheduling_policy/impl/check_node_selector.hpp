// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rule 4 of `check`: the node selector.

#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/effective_pod.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

class NodeSelectorCheck {
 public:
  NodeSelectorCheck(const NodeSelectorField& row, const SchedulingPolicySpec& spec)
      : any_key_((spec.allowed.*row.rules).is_any()) {
    const Labels none;
    const Labels& by_default = spec.defaults.*row.member ? *(spec.defaults.*row.member) : none;
    NumbersByText by_key;
    const auto permit = [&](const std::string& key, TextRule rule) {
      by_key[key].push_back(rules_.size());
      rules_.push_back(std::move(rule));
    };
    rules_.push_back(TextRule());
    for (const auto& [key, values] : (spec.required.*row.rules).listed()) {
      required_.push_back(key);
      required_values_.push_back(TextRule(values));
      permit(key, TextRule(any));
    }
    for (const auto& [key, values] : (spec.allowed.*row.rules).listed()) {
      const std::string* value = find_label(by_default, key);
      permit(key, value == nullptr ? TextRule(values) : TextRule(values, *value));
    }
    for (const auto& [key, value] : by_default) permit(key, TextRule({}, value));
    std::vector<TextTable::Entry> keys;
    for (const auto& [key, numbers] : by_key) keys.push_back({key, &rules_[numbers.front()]});
    permitted_ = TextTable(std::move(keys), &rules_.front());
  }

  /// Whether every pair is permitted, and no key required.
  [[nodiscard]] bool permits_all(const NodeSelectorField& row,
                                 const EffectivePod& pod) const noexcept {
    if (!required_.empty()) return false;
    if (any_key_) return true;
    for (const auto& [key, value] : pod.spec().*row.in_pod)
      if (!permits(key, value)) return false;
    return true;
  }

  [[nodiscard]] bool requires_any() const noexcept { return !required_.empty(); }

  /// Whether a key is as it has to be where this is its value, or there is none, where it is null.
  [[nodiscard]] bool allows(const std::string& key, const std::string* value,
                            bool is_exempt) const noexcept {
    const auto required = std::lower_bound(required_.begin(), required_.end(), key);
    if (required != required_.end() && *required == key &&
        (value == nullptr ||
         !required_values_[static_cast<std::size_t>(required - required_.begin())].permits(*value)))
      return false;
    return value == nullptr || is_exempt || any_key_ || permits(key, *value);
  }

  void run(const NodeSelectorField& row, const EffectivePod& pod, CheckListener& listener) const {
    if (!listener.wants_everything() && permits_all(row, pod)) return;
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder pairs = spec.child(row.field);
    const PathBuilder required = object.child(required_section.name);
    const PathBuilder entries = required.child(row.rules_field);
    for (std::size_t i = 0; i < required_.size(); ++i) {
      const std::string& key = required_[i];
      const std::string* value = pod.required_value(key);
      const bool is_met = value != nullptr && required_values_[i].permits(*value);
      const PathBuilder field = pairs.key(key);
      const PathBuilder entry = entries.key(key);
      listener.on_event({row.codes,
                         is_met ? Verdict::requirement_met : Verdict::requirement_missing,
                         NodeSelectorPair{&key, value}, &field, &entry});
    }
    if (any_key_ && !listener.wants_everything()) return;
    for (const auto& [key, value] : pod.spec().*row.in_pod) {
      const bool is_permitted = any_key_ || permits(key, value);
      const Verdict verdict = is_permitted ? Verdict::permitted : Verdict::not_permitted;
      const PathBuilder field = pairs.key(key);
      listener.on_event({row.codes, pod.exempt().contain(key, value) ? Verdict::exempt : verdict,
                         NodeSelectorPair{&key, &value}, &field});
    }
  }

 private:
  [[nodiscard]] bool permits(const std::string& key, const std::string& value) const noexcept {
    return static_cast<const TextRule*>(permitted_.find(key))->permits(value);
  }

  std::vector<std::string> required_;  ///< keys in byte order
  std::vector<TextRule> required_values_;
  /// First that of all keys that nothing mentions; of those of one key the first counts. A required
  /// key has any here: what it requires was looked at before.
  std::vector<TextRule> rules_;
  TextTable permitted_;  ///< the keys that are mentioned, and their rules
  bool any_key_ = false;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
