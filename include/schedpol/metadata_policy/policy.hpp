// SPDX-License-Identifier: Apache-2.0
#pragma once

/// MetadataPolicy: rules on the labels and annotations of the objects in a namespace. Each rule is a
/// predicate, and an action for the objects that it matches. `admit` decides how rules apply. Source:
/// the MetadataPolicy proposal, "API".

#include <schedpol/core/api_version.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/object_meta.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The usual `apiVersion` of its objects; `is_in_group` knows the other groups they can be in.
inline constexpr std::string_view api_version = own_api_version;

/// Both selectors must match; an absent selector always matches.
struct PolicyPredicate {
  std::optional<LabelSelector> label_selector{};
  std::optional<LabelSelector> annotation_selector{};  ///< its values are free text

  friend bool operator==(const PolicyPredicate&, const PolicyPredicate&) = default;
};

/// Rejects the object, or writes labels and annotations over those that are there. The updates of a
/// rule that rejects have no effect.
struct PolicyAction {
  bool reject = false;
  Labels updated_labels{};
  Labels updated_annotations{};

  friend bool operator==(const PolicyAction&, const PolicyAction&) = default;
};

/// What to do with objects whose metadata matches a predicate.
struct MetadataPolicyRule {
  PolicyPredicate policy_predicate{};
  PolicyAction policy_action{};

  friend bool operator==(const MetadataPolicyRule&, const MetadataPolicyRule&) = default;
};

/// The rules, in the order in which they apply.
struct MetadataPolicySpec {
  std::vector<MetadataPolicyRule> rules{};

  friend bool operator==(const MetadataPolicySpec&, const MetadataPolicySpec&) = default;
};

/// Rules for the objects of its namespace.
struct MetadataPolicy {
  ObjectMeta metadata{};
  MetadataPolicySpec spec{};

  friend bool operator==(const MetadataPolicy&, const MetadataPolicy&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
