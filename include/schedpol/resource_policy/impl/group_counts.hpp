// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How many pods of one policy run on each of its units, apart by their values of its match label
/// keys: rule 2 of `cluster.hpp`.

#include <schedpol/core/labels.hpp>
#include <schedpol/core/texts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace schedpol::resource_policy::detail {

/// The values that a pod has of the match label keys; none where it lacks a key.
using Group = std::vector<std::optional<std::string>>;

inline Group group_of(const Labels& labels, const Texts& match_label_keys) {
  Group group;
  group.reserve(match_label_keys.size());
  for (const std::string& key : match_label_keys) {
    const std::string* value = find_label(labels, key);
    group.push_back(value == nullptr ? std::nullopt : std::optional(*value));
  }
  return group;
}

/// Whether pods of `counted` count for a pod of `asking`: equal in what the latter has.
inline bool counts_for(const Group& asking, const Group& counted) noexcept {
  for (std::size_t i = 0; i < asking.size(); ++i) {
    if (asking[i] && asking[i] != counted[i]) return false;
  }
  return true;
}

class GroupCounts {
 public:
  explicit GroupCounts(std::size_t units) : units_(units) {}

  /// So many pods of the group more, or fewer, on each unit that `for_each` calls its argument with.
  template <class ForEach>
  void add(const Group& group, std::int64_t pods, ForEach for_each) {
    const auto at = groups_.try_emplace(group).first;
    std::map<std::size_t, std::int64_t>& counts = at->second;
    for_each([&](std::size_t unit) {
      const auto of_unit = counts.try_emplace(unit, 0).first;
      of_unit->second += pods;
      if (of_unit->second == 0) counts.erase(of_unit);
    });
    if (counts.empty()) groups_.erase(at);
  }

  /// What a pod of that group sees, per unit. Where it lacks a key, it sees several groups.
  [[nodiscard]] std::vector<std::int64_t> seen_by(const Group& asking) const {
    std::vector<std::int64_t> sum(units_);
    const auto take = [&](const std::map<std::size_t, std::int64_t>& counts) {
      for (const auto& [unit, pods] : counts) sum[unit] += pods;
    };
    const bool complete = std::all_of(asking.begin(), asking.end(),
                                      [](const auto& value) { return value.has_value(); });
    if (complete) {
      if (const auto found = groups_.find(asking); found != groups_.end()) take(found->second);
      return sum;
    }
    for (const auto& [group, counts] : groups_) {
      if (counts_for(asking, group)) take(counts);
    }
    return sum;
  }

 private:
  std::size_t units_;
  /// By unit, none of which is zero: groups may be as many as pods, and each on a few units.
  std::map<Group, std::map<std::size_t, std::int64_t>> groups_;
};

}  // namespace schedpol::resource_policy::detail
