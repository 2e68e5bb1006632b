// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which patterns of a list permit nothing that the others together do not. Of what a pattern permits
/// one toleration or expression of each sort is tried that the list tells apart.

#include <schedpol/insight/impl/node_affinity_probes.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

template <class Source>
class CoveredPatterns {
 public:
  /// Patterns that outlive it.
  CoveredPatterns(const std::vector<const Source*>& patterns, Budget& budget)
      : patterns_(patterns),
        index_([&](auto&& add) {
          for (const Source* pattern : patterns) add(*pattern);
        }),
        left_out_(patterns.size()),
        budget_(budget) {
    for (const Source* pattern : patterns) {
      keys_.add(pattern->keys.listed());
      values_.add(pattern->values.listed());
    }
    other_key_ = keys_.other();
    other_value_ = values_.other();
  }

  /// Whether all the others together permit what one permits; from then on it is none of them.
  [[nodiscard]] bool leave_out(std::size_t which) {
    left_out_[which] = true;
    left_out_[which] = are_permitted(*patterns_[which]) && !budget_.used_up();
    return left_out_[which];
  }

 private:
  [[nodiscard]] bool are_permitted(const TolerationPattern& pattern) {
    const Pattern own(pattern);
    std::vector<std::string_view> values = values_.of(pattern.values, other_value_);
    values.emplace_back();
    for (const std::string_view key : keys_.of(pattern.keys, other_key_)) {
      for (const std::string_view value : values) {
        if (!budget_.spend(16)) return false;
        for (const TolerationOperator op : {TolerationOperator::equal, TolerationOperator::exists,
                                            TolerationOperator::lt, TolerationOperator::gt}) {
          for (const TaintEffect effect : taint_effects) {
            const Toleration point{std::string(key), op, std::string(value), effect, {}};
            if (own.matches(point) && !is_permitted(point, 1)) return false;
          }
        }
      }
    }
    return true;
  }
  /// What has all values of a pattern is permitted by no more patterns than what has some.
  [[nodiscard]] bool are_permitted(const RequirementPattern& pattern) {
    const Pattern own(pattern);
    const std::vector<std::string_view> values = values_.of(pattern.values, other_value_);
    NodeSelectorRequirement point;
    for (const std::string_view value : values) point.values.push_back(std::string(value));
    for (const std::string_view key : keys_.of(pattern.keys, other_key_)) {
      if (!budget_.spend(16 + values.size())) return false;
      point.key = key;
      for (const NodeSelectorOperator op : Expressions::operators) {
        point.operator_ = op;
        if (own.matches(point) && !is_permitted(point, 1 + values.size())) return false;
      }
    }
    return true;
  }

  /// Whether one that is not left out matches it, which has so many values.
  template <class Item>
  [[nodiscard]] bool is_permitted(const Item& point, std::size_t values) {
    if (!budget_.spend((1 + index_.most_of_key() / 4) * values)) return false;
    bool is_permitted = false;
    index_.for_each_match(point, words_of(point), [&](std::size_t number) {
      is_permitted = is_permitted || !left_out_[number];
    });
    return is_permitted;
  }

  const std::vector<const Source*>& patterns_;
  PatternIndex index_;
  std::vector<bool> left_out_;
  Budget& budget_;
  EquivalenceClasses keys_;
  EquivalenceClasses values_;
  std::string other_key_;
  std::string other_value_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
