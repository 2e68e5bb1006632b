// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What MetadataPolicies do to the metadata of an object, whatever its kind:
///
/// 1. The policies of the object's namespace apply, all of them.
/// 2. A rule matches when its labelSelector and its annotationSelector do; an absent one is no
///    criterion. Predicates see the object as it came.
/// 3. When any matching rule rejects, the object is rejected without being mutated, and every
///    rejecting rule is named.
/// 4. Otherwise all matching rules apply, in the order of policy name and rule index; of two
///    writes to one key the later counts, and writes that disagree are reported.
///
/// Source: the MetadataPolicy proposal.

#include <schedpol/core/admission.hpp>
#include <schedpol/metadata_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// A rule, by its policy and its index in it.
struct RuleName {
  std::string policy{};
  std::size_t rule = 0;

  friend bool operator==(const RuleName&, const RuleName&) = default;
};

/// What a rule wrote.
struct Write {
  RuleName by{};
  std::string value{};

  friend bool operator==(const Write&, const Write&) = default;
};

/// One key that rules wrote different values to; the last write is what counts.
struct Conflict {
  FieldPath field{};
  std::vector<Write> writes{};

  friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// What became of an object's metadata. Default-constructed and moved from it is a rejection. Rejected, or with
/// `errors`: the metadata as it came, and no changes.
struct MetadataAdmission {
  Allowed allowed{};
  ObjectMeta metadata{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};  ///< why the policies cannot be evaluated

  friend bool operator==(const MetadataAdmission&, const MetadataAdmission&) = default;
};

/// Why it is rejected: one `RejectedByRule` a rule, one `InvalidPolicy` an error. `field` is where
/// the metadata stands in its document.
[[nodiscard]] std::vector<Violation> violations(const MetadataAdmission& admission,
                                                const FieldPath& field = {"metadata"});

/// The decision on an object with this metadata. `field` is where it stands in its document.
[[nodiscard]] MetadataAdmission admit(ObjectMeta metadata, const CompiledPolicies& policies,
                                      const FieldPath& field = {"metadata"});

/// The same, of policies that are compiled first; rejected with `errors` when they cannot be.
[[nodiscard]] MetadataAdmission admit(ObjectMeta metadata,
                                      std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/metadata_admission.ipp>
#endif
