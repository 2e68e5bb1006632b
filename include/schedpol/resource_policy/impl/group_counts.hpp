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

/// The pods of one group by unit. Groups may be as many as pods, and each on a few units, which are
/// listed then; of many a number each takes less, memory and time.
class UnitCounts {
 public:
  /// So many more, or fewer, on one of `units` units.
  void add(std::size_t unit, std::int64_t pods, std::size_t units) {
    if (!all_.empty()) {
      used_ -= std::size_t(all_[unit] != 0);
      all_[unit] += pods;
      used_ += std::size_t(all_[unit] != 0);
      return;
    }
    const auto of_unit = few_.try_emplace(unit, 0).first;
    of_unit->second += pods;
    if (of_unit->second == 0) few_.erase(of_unit);
    if (few_.size() * units_a_listed_one <= units) return;
    all_.resize(units);
    add_to(all_);
    used_ = few_.size();
    few_.clear();
  }

  [[nodiscard]] bool empty() const noexcept { return few_.empty() && used_ == 0; }

  /// Adds them to those of other groups.
  void add_to(std::vector<std::int64_t>& sum) const {
    for (const auto& [unit, pods] : few_) sum[unit] += pods;
    if (few_.empty())
      for (std::size_t unit = 0; unit < all_.size(); ++unit) sum[unit] += all_[unit];
  }

 private:
  static constexpr std::size_t units_a_listed_one = 8;

  std::map<std::size_t, std::int64_t> few_;  ///< none of which is zero
  std::vector<std::int64_t> all_;            ///< by unit, once they are many
  std::size_t used_ = 0;                     ///< of `all_`, those that are not zero
};

class GroupCounts {
 public:
  explicit GroupCounts(std::size_t units) : units_(units) {}

  /// So many pods of the group more, or fewer, on each unit that `for_each` calls its argument with.
  template <class ForEach>
  void add(const Group& group, std::int64_t pods, ForEach for_each) {
    const auto at = groups_.try_emplace(group).first;
    for_each([&](std::size_t unit) { at->second.add(unit, pods, units_); });
    if (at->second.empty()) groups_.erase(at);
  }

  /// What a pod of that group sees, per unit. Where it lacks a key, it sees several groups.
  [[nodiscard]] std::vector<std::int64_t> seen_by(const Group& asking) const {
    std::vector<std::int64_t> sum(units_);
    const bool complete = std::all_of(asking.begin(), asking.end(),
                                      [](const auto& value) { return value.has_value(); });
    if (complete) {
      if (const auto found = groups_.find(asking); found != groups_.end())
        found->second.add_to(sum);
      return sum;
    }
    for (const auto& [group, counts] : groups_) {
      if (counts_for(asking, group)) counts.add_to(sum);
    }
    return sum;
  }

 private:
  std::size_t units_;
  std::map<Group, UnitCounts> groups_;  ///< none of which is empty
};

}  // namespace schedpol::resource_policy::detail
