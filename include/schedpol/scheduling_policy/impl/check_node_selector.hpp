// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rule 4 of `check`: the node selector.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/impl/lookup/text_map.hpp>
#include <schedpol/scheduling_policy/impl/asked.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

class NodeSelectorCheck {
 public:
  explicit NodeSelectorCheck(const SchedulingPolicySpec& spec)
      : any_key_(spec.allowed.node_selectors.is_any()) {
    const Labels none;
    const Labels& given = spec.defaults.node_selector ? *spec.defaults.node_selector : none;
    std::map<std::string_view, TextRule> rules;
    for (const auto& [key, values] : spec.required.node_selectors.listed()) {
      required_.emplace_back(key, TextRule(values));
      rules.try_emplace(key, TextRule(any));
    }
    for (const auto& [key, values] : spec.allowed.node_selectors.listed()) {
      const std::string* value = find_label(given, key);
      rules.try_emplace(key, value == nullptr ? TextRule(values) : TextRule(values, *value));
    }
    for (const auto& [key, value] : given) rules.try_emplace(key, TextRule({}, value));
    permitted_ = schedpol::detail::TextMap<TextRule>(std::move(rules));
  }

  /// Whether every pair is permitted, and no key required.
  [[nodiscard]] bool clears(const Labels& pairs) const noexcept {
    if (!required_.empty()) return false;
    if (any_key_) return true;
    for (const auto& [key, value] : pairs)
      if (!permits(key, value)) return false;
    return true;
  }

  /// Whether a key is as it has to be where this is its value, or there is none, where it is null.
  [[nodiscard]] bool allows(const std::string& key, const std::string* value,
                            bool is_exempt) const noexcept {
    const auto required = std::lower_bound(
        required_.begin(), required_.end(), key,
        [](const auto& each, const std::string& wanted) { return each.first < wanted; });
    if (required != required_.end() && required->first == key &&
        (value == nullptr || !required->second.permits(*value)))
      return false;
    return value == nullptr || is_exempt || any_key_ || permits(key, *value);
  }

  template <class Reports>
  void run(const Asked& asked, Reports& reports) const {
    for (const auto& [key, values] : required_) {
      const std::string* value = asked.required_value(key);
      if (value == nullptr || !values.permits(*value)) {
        report_required(key, value, reports);
      } else {
        reports.met(key, *value);
      }
    }
    if (any_key_ && !Reports::explains) return;
    for (const auto& [key, value] : asked.node_selector()) {
      if (asked.exempt().contain(key, value)) {
        reports.exempt(key, value);
      } else if (!any_key_ && !permits(key, value)) {
        report(key, value, reports);
      } else {
        reports.permitted(key, value);
      }
    }
  }

 private:
  [[nodiscard]] bool permits(const std::string& key, const std::string& value) const noexcept {
    return permitted_.find(key).permits(value);
  }

  static FieldPath field(std::string_view key) {
    return FieldPath{"spec", "nodeSelector"}.key(key);
  }

  template <class Reports>
  static void report_required(const std::string& key, const std::string* value, Reports& reports) {
    reports.require(ViolationCode::node_selector_required, field(key),
                    value == nullptr ? std::string_view() : *value,
                    FieldPath{"required", "nodeSelectors"}.key(key), reports.permitted_values(key));
  }
  template <class Reports>
  static void report(const std::string& key, const std::string& value, Reports& reports) {
    reports.deny(ViolationCode::node_selector_not_allowed, field(key), value,
                 reports.permitted_values(key));
  }

  std::vector<std::pair<std::string, TextRule>> required_;  ///< in byte order of the keys
  /// The values of every key that is mentioned. A required key has any here: what it requires was
  /// looked at before.
  schedpol::detail::TextMap<TextRule> permitted_;
  bool any_key_ = false;
};

}  // namespace schedpol::scheduling_policy::detail
