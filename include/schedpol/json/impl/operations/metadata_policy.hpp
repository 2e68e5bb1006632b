// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of MetadataPolicy, with their inputs and results:
/// - metadataPolicy.validate: policy; errors.
/// - metadataPolicy.admit: object (of any kind, by its metadata), policies; allowed, rejectedBy,
///   conflicts, changes, object, patch.
/// - metadataPolicy.chooseScheduler: pod, policies; the same.

#include <schedpol/json/impl/operation.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

template <class Decision>
void write_metadata_decision(ObjectWriter& result, const Decision& decision) {
  result.member("allowed", bool{decision.allowed})
      .member("rejectedBy", decision.rejected_by)
      .member("conflicts", decision.conflicts)
      .member("changes", decision.changes);
}

inline void metadata_policy_admit(Input& input, ObjectWriter& result) {
  const auto object = input.require<AnyObject>("object");
  const auto policies = input.read_policies<metadata_policy::MetadataPolicy>("policies");
  const auto decision = metadata_policy::admit(object.metadata, policies);
  input.fail(EvaluateError::invalid_object, decision.errors);
  if (!input.complete()) return;
  write_metadata_decision(result, decision);
  Differ differ(input.element("object"));
  differ.diff_object(object.metadata, decision.metadata);
  write_object(result, input, "object", differ.patch());
}

inline void metadata_policy_choose_scheduler(Input& input, ObjectWriter& result) {
  const auto pod = input.require<Pod>("pod");
  const auto policies = input.read_policies<metadata_policy::MetadataPolicy>("policies");
  const auto choice = metadata_policy::choose_scheduler(pod, policies);
  input.fail(EvaluateError::invalid_object, choice.errors);
  if (!input.complete()) return;
  write_metadata_decision(result, choice);
  write_object(result, input, "pod", pod, choice.pod);
}

inline constexpr NamedOperation metadata_policy_operations[] = {
    {"metadataPolicy.admit", metadata_policy_admit},
    {"metadataPolicy.chooseScheduler", metadata_policy_choose_scheduler},
    {"metadataPolicy.validate", policy_validate<metadata_policy::MetadataPolicy>},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
