// SPDX-License-Identifier: Apache-2.0
#pragma once

// Findings as texts, and selectors for generated cases: over keys and values so few that all labels
// that they tell apart can be looked at.

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/insight/finding.hpp>

#include "list.hpp"
#include "random.hpp"

#include <optional>
#include <string>
#include <vector>

namespace schedpol::testing {

/// The texts of the findings, all or those of one sort.
inline List texts(const std::vector<Finding>& findings,
                  std::optional<FindingCode> code = std::nullopt) {
  List all;
  for (const Finding& finding : findings)
    if (!code || finding.code == *code) all.push_back(message(finding));
  return all;
}

class SelectorGenerator : public Random {
 public:
  using Random::Random;

  LabelSelector selector() {
    LabelSelector made;
    for (const std::string& key : keys) {
      if (chance(60)) made.match_labels[key] = pick(values);
      if (chance(15))
        made.match_expressions.push_back({key, LabelSelectorOperator::in, {"x", pick(values)}});
      if (chance(15))
        made.match_expressions.push_back({key, LabelSelectorOperator::not_in, {pick(values)}});
      if (chance(10))
        made.match_expressions.push_back(
            {key,
             chance(50) ? LabelSelectorOperator::exists : LabelSelectorOperator::does_not_exist,
             {}});
    }
    return made;
  }

  /// All labels that such selectors tell apart.
  static std::vector<Labels> all_labels() {
    std::vector<Labels> all = {{}};
    for (const std::string& key : keys) {
      const std::vector<Labels> before = all;
      for (const char* value : {"x", "y", "z", "other"})
        for (Labels labels : before) {
          labels[key] = value;
          all.push_back(labels);
        }
    }
    return all;
  }

 private:
  inline static const std::vector<std::string> keys = {"app", "tier"};
  inline static const std::vector<std::string> values = {"x", "y", "z"};
};

}  // namespace schedpol::testing
