// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ResourcePolicy as its author writes it: the units of nodes that the pods of a workload may use, how
/// many pods and which requests each unit may hold, and which units are preferred. `validate.hpp` says
/// what can be wrong with a policy, `cluster/cluster.hpp` what it decides. Source: the Resource Policy
/// proposal, "CRD API".

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/quantity.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// The `apiVersion` of its objects.
inline constexpr std::string_view api_version = "scheduling.sigs.x-k8s.io/v1alpha1";

/// What happens to nodes outside all units; `unset` is `required`.
enum class Strategy { unset, required, prefer, unknown };

constexpr std::array<std::string_view, 3> spellings(Strategy) noexcept {
  return {"", "required", "prefer"};
}

/// A set of nodes. An absent selector is `{}`, all nodes. `max_resources` limits what the pods of the
/// unit may request together; a resource that is not listed has no limit.
struct Unit {
  std::string name{};
  std::optional<std::int32_t> priority{};   ///< absent: 0; higher is better
  std::optional<std::int32_t> max_count{};  ///< pods that the unit may hold; absent: no limit
  ResourceList max_resources{};
  std::optional<LabelSelector> node_selector{};

  friend bool operator==(const Unit&, const Unit&) = default;
};

/// Rules 4 and 5 of `cluster/cluster.hpp`: the score for each priority of a node's best unit, and the score
/// of a node in no unit.
inline constexpr std::int64_t score_per_priority = 20;
inline constexpr std::int64_t score_outside_units = -20;

/// Which pods are counted.
struct MatchPolicy {
  bool ignore_terminating_pod = false;  ///< true: pods that are being deleted do not count

  friend bool operator==(const MatchPolicy&, const MatchPolicy&) = default;
};

/// An absent pod selector is `{}`, all pods of the namespace. Pods with different values of
/// `match_label_keys`, such as `pod-template-hash`, are counted separately.
struct ResourcePolicySpec {
  Texts match_label_keys{};
  MatchPolicy match_policy{};
  std::optional<LabelSelector> pod_selector{};
  OpenEnum<Strategy> strategy{};
  std::vector<Unit> units{};

  friend bool operator==(const ResourcePolicySpec&, const ResourcePolicySpec&) = default;
};

/// Units of nodes for the pods of its namespace.
struct ResourcePolicy {
  ObjectMeta metadata{};
  ResourcePolicySpec spec{};

  friend bool operator==(const ResourcePolicy&, const ResourcePolicy&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
