// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The counts of a Cluster by rule 2 of `cluster.hpp`: the pods of one policy on each of its units, and
/// their requests of the resources that units limit, separately for each combination of values of
/// matchLabelKeys. Also the data about each of these pods, and the name of its node.

#include <schedpol/base/impl/text_key.hpp>
#include <schedpol/cluster/impl/pod_key.hpp>
#include <schedpol/cluster/node_set.hpp>
#include <schedpol/core/resources.hpp>

#include <algorithm>
#include <bitset>
#include <limits>

namespace SCHEDPOL_NAMESPACE::resource_policy::detail {

using schedpol::detail::ByPod;
using schedpol::detail::MapKey;
using schedpol::detail::MapKeyView;
using schedpol::detail::PersistentMap;
using schedpol::detail::pod_key;
using schedpol::detail::TextKey;

/// The values that a pod has of the match label keys. One text, since each policy may have as many as
/// there are pods.
class LabelValues {
 public:
  LabelValues() = default;
  LabelValues(const Labels& labels, const Texts& match_label_keys) {
    for (const std::string& key : match_label_keys) {
      const std::string* value = find_label(labels, key);
      lacks_key_ |= value == nullptr;
      if (value == nullptr) {
        values_.add_missing();
      } else {
        values_.add(*value);
      }
    }
  }

  /// Of a pod that lacks a key: pods of any value of it count for it.
  [[nodiscard]] bool lacks_key() const noexcept { return lacks_key_; }

  /// Whether pods of `other` count for one of these values: equal in what the latter has.
  [[nodiscard]] bool counts(const LabelValues& other) const noexcept {
    if (!lacks_key_) return values_.text() == other.values_.text();
    std::string_view mine = values_.text();
    std::string_view theirs = other.values_.text();
    while (!mine.empty()) {
      const std::optional<std::string_view> wanted = TextKey::next(mine);
      if (TextKey::next(theirs) != wanted && wanted) return false;
    }
    return true;
  }

  friend bool operator<(const LabelValues& a, const LabelValues& b) noexcept {
    return a.values_.text() < b.values_.text();
  }

 private:
  TextKey values_;
  bool lacks_key_ = false;
};

/// A sum of amounts, wide enough that it never saturates: what is added and taken away leaves the
/// sum of the rest.
class WideSum {
 public:
  WideSum& operator+=(std::int64_t amount) noexcept {
    return *this += WideSum(amount < 0 ? -1 : 0, static_cast<std::uint64_t>(amount));
  }
  WideSum& operator+=(const WideSum& other) noexcept {
    low_ += other.low_;
    high_ += other.high_ + (low_ < other.low_ ? 1 : 0);
    return *this;
  }

  /// Of a sum that is not below zero: the nearest int64.
  [[nodiscard]] std::int64_t saturated() const noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return high_ != 0 || low_ > std::uint64_t{most} ? most : static_cast<std::int64_t>(low_);
  }

  friend bool operator==(const WideSum&, const WideSum&) = default;

  WideSum() = default;

 private:
  WideSum(std::int64_t high, std::uint64_t low) noexcept : high_(high), low_(low) {}

  std::int64_t high_ = 0;
  std::uint64_t low_ = 0;
};

/// The sums of pods of the same values that are not zero, in the order of their counters. There may be
/// as many different values as pods, each on a few units.
class SparseSums {
 public:
  void add(std::size_t of, std::int64_t more) {
    auto at =
        std::lower_bound(sums_.begin(), sums_.end(), of,
                         [](const auto& sum, std::size_t number) { return sum.first < number; });
    if (at == sums_.end() || at->first != of) at = sums_.insert(at, {of, WideSum()});
    at->second += more;
    if (at->second == WideSum()) sums_.erase(at);
  }

  [[nodiscard]] bool empty() const noexcept { return sums_.empty(); }

  /// Adds them to those of other values.
  void add_to(std::vector<WideSum>& all) const {
    for (const auto& [of, sum] : sums_) all[of] += sum;
  }

 private:
  std::vector<std::pair<std::size_t, WideSum>> sums_;
};

/// The counters of one policy by label values: each unit has one for its pods, and each limit of a unit one
/// for what they request.
class SumsByValues {
 public:
  explicit SumsByValues(std::size_t size) : size_(size) {}

  /// Adds to the counters of these values what `for_each` calls back with: a counter, and how much more or
  /// less.
  template <class ForEach>
  void add(const LabelValues& values, ForEach for_each) {
    const auto at = by_values_.try_emplace(values).first;
    for_each([&](std::size_t of, std::int64_t more) { at->second.add(of, more); });
    if (at->second.empty()) by_values_.erase(at);
  }

  /// What a pod of those values sees. Where it lacks a key, it sees those of several.
  [[nodiscard]] std::vector<WideSum> seen_by(const LabelValues& asking) const {
    std::vector<WideSum> sum(size_);
    if (!asking.lacks_key()) {
      if (const auto found = by_values_.find(asking); found != by_values_.end())
        found->second.add_to(sum);
      return sum;
    }
    for (const auto& [values, sums] : by_values_) {
      if (asking.counts(values)) sums.add_to(sum);
    }
    return sum;
  }

 private:
  std::size_t size_;
  std::map<LabelValues, SparseSums> by_values_;  ///< none of which is empty
};

[[nodiscard]] inline std::vector<std::int64_t> saturated(const std::vector<WideSum>& sums) {
  std::vector<std::int64_t> amounts;
  amounts.reserve(sums.size());
  for (const WideSum& sum : sums) amounts.push_back(sum.saturated());
  return amounts;
}

/// A policy that counts a pod, and the values that the pod has of its keys.
struct CountedBy {
  std::size_t policy = 0;
  LabelValues values{};
};

/// Units of one policy.
using UnitSet = std::bitset<max_units>;

/// What policies make of a pod.
struct CountedPod {
  std::size_t selecting = 0;  ///< policies that select the pod
  std::size_t policy = 0;     ///< one of them
  std::vector<CountedBy> by{};
  Shared<Resources> requests{};  ///< where a policy that counts it limits some
};

/// One that is bound to the node of a slot.
struct BoundPod : CountedPod {
  std::size_t slot = 0;
  std::size_t at = 0;  ///< in the list of the slot
};

/// One that places are reserved for.
struct ReservedPod : CountedPod {
  NodeSet nodes{};
  std::set<std::string> absent_nodes{};  ///< others of them, which are not there now
  std::vector<UnitSet> units{};          ///< of each policy that counts it
};

/// What bears a name that pods are bound to: a node, or one that is not there, or not there yet.
struct PodSlot {
  std::optional<std::size_t> node{};  ///< its number in the table
  std::vector<std::size_t> pods{};
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy::detail
