// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What ResourcePolicies decide about a pod and the nodes of a cluster:
///
/// 1. Prefilter: the one policy of the pod's namespace that selects it. None: skip. Several: the
///    pod cannot be scheduled (`MultipleResourcePolicies`).
/// 2. Count, per unit: the other pods that the policy selects, bound to a node of the unit, not
///    Succeeded or Failed, not terminating where the policy ignores those, and with the pod's value
///    of each match label key that the pod has.
/// 3. Filter: a node in a full unit is `UnitFull`, so no count ever exceeds its maximum,
///    overlapping units included; a node in no unit is fine under `prefer`, `NodeNotInUnit`
///    otherwise.
/// 4. Score: 20 times the priority of the node's best unit (highest priority, then first), -20
///    outside all units; normalised over the feasible nodes to 0..100, rounded down; all equal:
///    100.
/// 5. Deletion cost of a bound pod that exactly one policy matches: 20 times the highest priority
///    of its node's units, within int32, -20 outside all.
/// A Counter takes in a cluster once, in one scan; then every question and every bind and unbind
/// depends on the number of units, not of pods. Source: the Resource Policy proposal,
/// "Implementation Details".

#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/resource_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::resource_policy {

/// As the scheduler framework's status codes.
enum class Code { success, skip, unschedulable, unschedulable_and_unresolvable };

[[nodiscard]] constexpr std::string_view to_string(Code code) noexcept {
  switch (code) {
    case Code::success: return "Success";
    case Code::skip: return "Skip";
    case Code::unschedulable: return "Unschedulable";
    case Code::unschedulable_and_unresolvable: return "UnschedulableAndUnresolvable";
  }
  return "";
}

enum class Reason { none, multiple_resource_policies, unit_full, node_not_in_unit };

[[nodiscard]] constexpr std::string_view to_string(Reason reason) noexcept {
  switch (reason) {
    case Reason::none: return "";
    case Reason::multiple_resource_policies: return "MultipleResourcePolicies";
    case Reason::unit_full: return "UnitFull";
    case Reason::node_not_in_unit: return "NodeNotInUnit";
  }
  return "";
}

/// What is known of a pod before nodes are looked at. Only with `success` there is a policy.
struct Prefilter {
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::string policy{};
  std::vector<std::int64_t> counts{};  ///< per unit of the policy
  std::size_t policy_index = 0;        ///< of the policy among those of the Counter

  friend bool operator==(const Prefilter&, const Prefilter&) = default;
};

/// What is decided of a pod and one node. `unit` is the node's best unit, absent outside all.
struct Filter {
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::optional<std::size_t> unit{};

  friend bool operator==(const Filter&, const Filter&) = default;
};

/// The score of a node before normalisation.
inline constexpr std::int64_t score_per_priority = 20;
inline constexpr std::int64_t score_outside_units = -20;

/// Raw scores to 0..100 between the lowest and the highest, rounded down; all equal: 100.
[[nodiscard]] inline std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores) {
  std::vector<std::int64_t> normalised(scores.size(), 100);
  if (scores.empty()) return normalised;
  std::int64_t low = scores.front();
  std::int64_t high = low;
  for (const std::int64_t score : scores) {
    low = std::min(low, score);
    high = std::max(high, score);
  }
  if (low == high) return normalised;
  // Differences of any two int64 fit in uint64; where a hundred times one would not, both lose 7
  // bits.
  const auto above_low = [low](std::int64_t score) {
    return static_cast<std::uint64_t>(score) - static_cast<std::uint64_t>(low);
  };
  const std::uint64_t range = above_low(high);
  const int shift = range > std::numeric_limits<std::uint64_t>::max() / 100 ? 7 : 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    normalised[i] =
        static_cast<std::int64_t>((above_low(scores[i]) >> shift) * 100 / (range >> shift));
  }
  return normalised;
}

/// The nodes and bound pods of a cluster, as ResourcePolicies see them.
class Counter {
 public:
  Counter(Policies policies, std::span<const Node> nodes, std::span<const Pod> pods)
      : policies_(std::move(policies)), groups_(policies_.all().size()) {
    for (const Node& node : nodes) add_node(node);
    for (const Pod& pod : pods) bind(pod, pod.spec.node_name);
  }

  [[nodiscard]] Prefilter prefilter(const Pod& pod) const {
    Prefilter result;
    std::size_t matching = 0;
    for (std::size_t i = 0; i < policies_.all().size(); ++i) {
      if (!policies_.all()[i].matches(pod)) continue;
      ++matching;
      result.policy_index = i;
    }
    if (matching > 1) {
      result.policy_index = 0;
      result.reason = Reason::multiple_resource_policies;
      return result;
    }
    result.code = matching == 0 ? Code::skip : Code::success;
    if (matching == 0) return result;
    result.policy = policies_.all()[result.policy_index].policy.metadata.name;
    result.counts = counts(pod, result.policy_index);
    return result;
  }

  /// Where the prefilter did not succeed, what it said. A node that is not in the cluster is in no
  /// unit.
  [[nodiscard]] Filter filter(const Prefilter& before, std::string_view node) const {
    if (before.code == Code::skip) return {Code::success, Reason::none, std::nullopt};
    if (before.code != Code::success) return {before.code, before.reason, std::nullopt};
    if (!is_own(before)) return {Code::unschedulable_and_unresolvable, Reason::none, std::nullopt};
    const auto& compiled = policies_.all()[before.policy_index];
    const std::vector<std::size_t>& units = units_of(before.policy_index, node);
    if (units.empty()) {
      if (compiled.prefers()) return {Code::success, Reason::none, std::nullopt};
      return {Code::unschedulable_and_unresolvable, Reason::node_not_in_unit, std::nullopt};
    }
    const std::size_t best = best_unit(compiled.policy.spec.units, units);
    for (const std::size_t unit : units) {
      const auto& max_count = compiled.policy.spec.units[unit].max_count;
      if (max_count && before.counts[unit] >= *max_count)
        return {Code::unschedulable, Reason::unit_full, best};
    }
    return {Code::success, Reason::none, best};
  }

  /// The raw score of a node that the filter let through.
  [[nodiscard]] std::int64_t score(const Prefilter& before, const Filter& filter) const noexcept {
    if (before.code != Code::success || !filter.unit || !is_own(before)) return score_outside_units;
    if (*filter.unit >= before.counts.size()) return score_outside_units;
    return score_per_priority *
           priority(policies_.all()[before.policy_index].policy.spec.units[*filter.unit]);
  }

  /// Counts a pod as running on a node; a pod of the same namespace and name that was bound before
  /// is unbound first. Nothing is counted for a node that is not in the cluster, or a pod that is
  /// over.
  void bind(const Pod& pod, std::string_view node) {
    unbind(pod.metadata.namespace_, pod.metadata.name);
    const auto at = nodes_.find(node);
    if (at == nodes_.end() || is_over(pod)) return;
    Bound bound;
    bound.node = std::string(node);
    for (std::size_t i = 0; i < policies_.all().size(); ++i) {
      const auto& compiled = policies_.all()[i];
      if (!compiled.matches(pod)) continue;
      ++bound.matching;
      bound.policy = i;
      if (compiled.policy.spec.match_policy.ignore_terminating_pod &&
          !pod.metadata.deletion_timestamp.empty())
        continue;
      bound.counted.push_back({i, group_of(compiled.policy, pod)});
      count(bound.counted.back(), at->second[i], 1);
    }
    bound_[key_of(pod.metadata.namespace_, pod.metadata.name)] = std::move(bound);
  }

  /// No longer counts a pod; nothing happens when it is not bound.
  void unbind(std::string_view namespace_, std::string_view name) {
    const auto found = bound_.find(key_of(namespace_, name));
    if (found == bound_.end()) return;
    const Bound& bound = found->second;
    for (const auto& counted : bound.counted)
      count(counted, units_of(counted.policy, bound.node), -1);
    bound_.erase(found);
  }

  /// The value of the annotation `controller.kubernetes.io/pod-deletion-cost`: pods of lower cost
  /// are deleted first. None for a pod that is not bound, is over, or is matched by no or several
  /// policies.
  [[nodiscard]] std::optional<std::int32_t> deletion_cost(std::string_view namespace_,
                                                          std::string_view name) const {
    const auto found = bound_.find(key_of(namespace_, name));
    if (found == bound_.end() || found->second.matching != 1) return std::nullopt;
    const Bound& bound = found->second;
    const auto& units = policies_.all()[bound.policy].policy.spec.units;
    const std::vector<std::size_t>& of_node = units_of(bound.policy, bound.node);
    const std::int64_t cost = of_node.empty()
                                  ? score_outside_units
                                  : score_per_priority * priority(units[best_unit(units, of_node)]);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(
        cost, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
  }

 private:
  using Values = std::vector<std::optional<std::string>>;  ///< of the match label keys of a policy

  /// A policy, and the group of a pod in it.
  struct Counted {
    std::size_t policy = 0;
    Values values{};
  };

  struct Bound {
    std::string node;
    std::size_t matching = 0;  ///< policies that select the pod
    std::size_t policy = 0;    ///< the last of them
    std::vector<Counted> counted;
  };

  /// What tells a pod.
  struct Key {
    std::string namespace_{};
    std::string name{};

    friend bool operator<(const Key& a, const Key& b) noexcept {
      return a.namespace_ != b.namespace_ ? a.namespace_ < b.namespace_ : a.name < b.name;
    }
  };

  [[nodiscard]] bool is_own(const Prefilter& before) const noexcept {
    return before.policy_index < policies_.all().size() &&
           before.counts.size() == policies_.all()[before.policy_index].units.size();
  }

  static Key key_of(std::string_view namespace_, std::string_view name) {
    return {std::string(namespace_), std::string(name)};
  }

  static bool is_over(const Pod& pod) noexcept {
    return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  }

  static std::int64_t priority(const Unit& unit) noexcept { return unit.priority.value_or(0); }

  static std::size_t best_unit(const std::vector<Unit>& units,
                               const std::vector<std::size_t>& of_node) noexcept {
    std::size_t best = of_node.front();
    for (const std::size_t unit : of_node) {
      if (priority(units[unit]) > priority(units[best])) best = unit;
    }
    return best;
  }

  void add_node(const Node& node) {
    std::vector<std::vector<std::size_t>> units(policies_.all().size());
    for (std::size_t i = 0; i < units.size(); ++i) {
      const auto& matchers = policies_.all()[i].units;
      for (std::size_t j = 0; j < matchers.size(); ++j) {
        if (matchers[j].matches(node.metadata.labels)) units[i].push_back(j);
      }
    }
    nodes_[node.metadata.name] = std::move(units);
  }

  const std::vector<std::size_t>& units_of(std::size_t policy,
                                           std::string_view node) const noexcept {
    const auto found = nodes_.find(node);
    return found == nodes_.end() ? no_units_ : found->second[policy];
  }

  static Values group_of(const ResourcePolicy& policy, const Pod& pod) {
    Values values;
    for (const std::string& key : policy.spec.match_label_keys) {
      const std::string* value = find_label(pod.metadata.labels, key);
      values.push_back(value == nullptr ? std::nullopt : std::optional(*value));
    }
    return values;
  }

  void count(const Counted& counted, const std::vector<std::size_t>& units,
             std::int64_t direction) {
    auto& groups = groups_[counted.policy];
    const auto group =
        groups.try_emplace(counted.values, policies_.all()[counted.policy].units.size()).first;
    for (const std::size_t unit : units) group->second[unit] += direction;
    bool empty = true;
    for (const std::int64_t n : group->second) empty &= n == 0;
    if (empty) groups.erase(group);
  }

  /// The counts that a pod sees: of its group where it has all the match label keys, otherwise of
  /// all groups that agree on those it has; itself not counted.
  std::vector<std::int64_t> counts(const Pod& pod, std::size_t policy) const {
    const auto& compiled = policies_.all()[policy];
    const Values wanted = group_of(compiled.policy, pod);
    std::vector<std::int64_t> sum(compiled.units.size());
    const auto add = [&](const std::vector<std::int64_t>& counts) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
    };
    bool complete = true;
    for (const auto& value : wanted) complete &= value.has_value();
    const auto agrees = [&](const Values& values) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] && wanted[i] != values[i]) return false;
      }
      return true;
    };
    const auto& groups = groups_[policy];
    if (complete) {
      if (const auto found = groups.find(wanted); found != groups.end()) add(found->second);
    } else {
      for (const auto& [values, counts] : groups) {
        if (agrees(values)) add(counts);
      }
    }
    const auto itself = bound_.find(key_of(pod.metadata.namespace_, pod.metadata.name));
    if (itself == bound_.end()) return sum;
    for (const auto& [counted_policy, values] : itself->second.counted) {
      if (counted_policy != policy || !agrees(values)) continue;
      for (const std::size_t unit : units_of(policy, itself->second.node)) --sum[unit];
    }
    return sum;
  }

  Policies policies_;
  std::map<std::string, std::vector<std::vector<std::size_t>>, std::less<>>
      nodes_;                                                        ///< units by policy
  std::vector<std::map<Values, std::vector<std::int64_t>>> groups_;  ///< counts by policy
  std::map<Key, Bound> bound_;
  std::vector<std::size_t> no_units_;
};

}  // namespace schedpol::resource_policy
