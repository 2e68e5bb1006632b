// SPDX-License-Identifier: Apache-2.0
#pragma once

/// MetadataPolicy: rules on the labels and annotations of the objects in a namespace, each a
/// predicate and what is done where it holds. How they apply is decided by `admit`. Source: the
/// MetadataPolicy proposal, "API".

#include <schedpol/core/api_version.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/object_meta.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The `apiVersion` of its objects, usually: `is_in_group` says which other groups they can be of.
inline constexpr std::string_view api_version = own_api_version;

/// Both selectors have to match; an absent one is no criterion.
struct PolicyPredicate {
  std::optional<LabelSelector> label_selector{};
  std::optional<LabelSelector> annotation_selector{};  ///< its values are free text

  friend bool operator==(const PolicyPredicate&, const PolicyPredicate&) = default;
};

/// What is written, over what stands there. A rule that rejects may list updates, which have no
/// effect.
struct PolicyAction {
  bool reject = false;
  Labels updated_labels{};
  Labels updated_annotations{};

  friend bool operator==(const PolicyAction&, const PolicyAction&) = default;
};

/// What is done to the metadata that a predicate selects.
struct MetadataPolicyRule {
  PolicyPredicate policy_predicate{};
  PolicyAction policy_action{};

  friend bool operator==(const MetadataPolicyRule&, const MetadataPolicyRule&) = default;
};

/// The rules, in the order in which they are tried.
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
