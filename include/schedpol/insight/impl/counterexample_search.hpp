// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The search for labels that one selector selects and others do not.

#include <schedpol/core/impl/conjunction.hpp>
#include <schedpol/insight/impl/numbers_around.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// Looks for labels and a name that satisfy one conjunction and none of several others. Of the
/// values of a key it looks at those that the requirements tell apart, and gives up after so many
/// steps, in each of which it holds a value against a requirement.
class CounterexampleSearch {
 public:
  CounterexampleSearch(const Conjunction& from, const std::vector<Conjunction>& others,
                       std::size_t most_steps)
      : others_(others), most_steps_(most_steps) {
    const auto add = [&](const Conjunction& conjunction) {
      for (const Requirement& requirement : conjunction)
        candidates_[requirement.key].distinguish(requirement);
    };
    add(from);
    for (const Conjunction& other : others) add(other);
    for (auto& [key, candidates] : candidates_) candidates.list_values(key);
    exists_ = all_of(from,
                     [&](const Requirement& requirement) {
                       return keep(candidates_.at(requirement.key), requirement, true, 0);
                     }) &&
              escapes(0);
  }

  [[nodiscard]] bool exists() const noexcept { return exists_; }
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

  /// The labels, the name as that of the empty key.
  [[nodiscard]] Labels labels() const {
    Labels labels;
    for (const auto& [key, candidates] : candidates_)
      if (const auto& value = candidates.first()) labels.emplace(key, *value);
    return labels;
  }

 private:
  [[nodiscard]] bool gave_up() const noexcept { return steps_ > most_steps_; }

  /// Values that a label may have; nothing: the label is missing.
  using Values = std::vector<std::optional<std::string>>;

  /// The values of a key. Each is left until it is dropped, at a depth of the search that takes it
  /// back when it returns.
  struct Candidates {
    static constexpr std::size_t never = static_cast<std::size_t>(-1);

    /// Notes what a requirement of the key is about.
    void distinguish(const Requirement& requirement) {
      listed.insert(requirement.values.begin(), requirement.values.end());
      const bool compares = requirement.operator_ == Requirement::Operator::gt ||
                            requirement.operator_ == Requirement::Operator::lt;
      if (compares) bounds.insert(std::max<std::int64_t>(requirement.bound, -1));
    }
    /// The values that all of these tell apart.
    void list_values(std::string_view key) {
      if (!key.empty()) values.emplace_back();
      values.emplace_back(fresh_name("other", listed));
      for (const std::string_view value : listed) values.emplace_back(value);
      const auto is_listed = [&](std::int64_t number) { return !spelled(number, listed); };
      for (const std::int64_t number : numbers_around(bounds, -1, is_listed))
        if (auto text = spelled(number, listed)) values.push_back(std::move(text));
      dropped_at.assign(values.size(), never);
      left = values.size();
    }

    [[nodiscard]] const std::optional<std::string>& first() const noexcept {
      const auto found = std::find(dropped_at.begin(), dropped_at.end(), never);
      return values[static_cast<std::size_t>(found - dropped_at.begin())];
    }
    void take_back(std::size_t depth) noexcept {
      for (std::size_t& at : dropped_at) {
        if (at != depth) continue;
        at = never;
        ++left;
      }
    }

    std::set<std::string_view> listed;
    std::set<std::int64_t> bounds;
    Values values;
    std::vector<std::size_t> dropped_at;
    std::size_t left = 0;
  };

  /// Drops the values for which a requirement does not hold, or holds; whether any is left.
  bool keep(Candidates& candidates, const Requirement& requirement, bool holds, std::size_t depth) {
    steps_ += 1 + candidates.values.size();
    if (gave_up()) return false;
    for (std::size_t i = 0; i < candidates.values.size(); ++i) {
      const std::optional<std::string>& value = candidates.values[i];
      if (candidates.dropped_at[i] != Candidates::never ||
          requirement.holds(value ? &*value : nullptr) == holds)
        continue;
      candidates.dropped_at[i] = depth;
      --candidates.left;
    }
    return candidates.left > 0;
  }

  /// Whether there are values that break a requirement of each of the others from `i` on.
  bool escapes(std::size_t i) {
    if (i == others_.size()) return true;
    for (const Requirement& requirement : others_[i]) {
      Candidates& candidates = candidates_.at(requirement.key);
      if (keep(candidates, requirement, false, i + 1) && escapes(i + 1)) return true;
      if (gave_up()) return false;
      candidates.take_back(i + 1);
    }
    return false;
  }

  const std::vector<Conjunction>& others_;
  std::size_t most_steps_;
  std::map<std::string_view, Candidates> candidates_;
  std::size_t steps_ = 0;
  bool exists_ = false;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
