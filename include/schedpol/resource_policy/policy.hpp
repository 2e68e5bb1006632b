// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ResourcePolicy as its author writes it: which units of nodes the pods of a workload may use, how
/// many of them and of their requests each may hold, and which are preferred. What is wrong with one
/// is in `validate.hpp`, what they decide in `cluster/cluster.hpp`. Source: the Resource Policy
/// proposal, "CRD API".

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/quantity.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// The `apiVersion` of its objects.
inline constexpr std::string_view api_version = "scheduling.sigs.x-k8s.io/v1alpha1";

/// What becomes of nodes outside all units; `unset` is `required`.
enum class Strategy { unset, required, prefer, unknown };

constexpr std::array<std::string_view, 3> spellings(Strategy) noexcept {
  return {"", "required", "prefer"};
}

/// A set of nodes. An absent selector is `{}`, all nodes. `max_resources` is what the pods of the
/// unit may request together: of a resource that is not listed any amount.
struct Unit {
  std::string name{};
  std::optional<std::int32_t> priority{};   ///< absent: 0; higher is better
  std::optional<std::int32_t> max_count{};  ///< pods the unit may hold; absent: any number
  ResourceList max_resources{};
  std::optional<LabelSelector> node_selector{};

  friend bool operator==(const Unit&, const Unit&) = default;
};

/// Rules 4 and 5 of `cluster/cluster.hpp`: what a priority of a node's best unit scores, and a node in
/// no unit.
inline constexpr std::int64_t score_per_priority = 20;
inline constexpr std::int64_t score_outside_units = -20;

/// Which pods are counted.
struct MatchPolicy {
  bool ignore_terminating_pod = false;  ///< whether pods that are being deleted are not counted

  friend bool operator==(const MatchPolicy&, const MatchPolicy&) = default;
};

/// An absent pod selector is `{}`, all pods of the namespace. Pods are counted apart by their
/// values of `match_label_keys`, such as `pod-template-hash`.
struct ResourcePolicySpec {
  Texts match_label_keys{};
  MatchPolicy match_policy{};
  std::optional<LabelSelector> pod_selector{};
  OpenEnum<Strategy> strategy{};
  std::vector<Unit> units{};

  friend bool operator==(const ResourcePolicySpec&, const ResourcePolicySpec&) = default;
};

/// Units of nodes for pods of its namespace.
struct ResourcePolicy {
  ObjectMeta metadata{};
  ResourcePolicySpec spec{};

  friend bool operator==(const ResourcePolicy&, const ResourcePolicy&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
