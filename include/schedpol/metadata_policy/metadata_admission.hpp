// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What MetadataPolicies do to the metadata of an object of any kind:
///
/// 1. All policies of the object's namespace apply.
/// 2. A rule matches if its labelSelector and its annotationSelector match; an absent selector always
///    matches. Predicates see the object as it came.
/// 3. If any matching rule rejects, the object is rejected and not changed, and every rejecting rule is
///    named.
/// 4. Otherwise all matching rules apply, in the order of policy name and rule index. If two rules write
///    the same key, the later one wins; different values are reported.
///
/// Source: the MetadataPolicy proposal.

#include <schedpol/core/admission.hpp>
#include <schedpol/metadata_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// A rule: the name of its policy, and its index there.
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

/// One key to which rules wrote different values; the last write wins.
struct Conflict {
  FieldPath field{};
  std::vector<Write> writes{};

  friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// The result for an object's metadata. A default-constructed or moved-from one is a rejection. If the
/// object is rejected or there are `errors`, the metadata is as it came, and there are no changes.
struct MetadataAdmission {
  Allowed allowed{};
  ObjectMeta metadata{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};  ///< why the policies cannot be evaluated

  friend bool operator==(const MetadataAdmission&, const MetadataAdmission&) = default;
};

/// Why the object is rejected: one `RejectedByRule` for each rule, one `InvalidPolicy` for each error.
/// `field` is the path of the metadata in its document.
[[nodiscard]] std::vector<Violation> violations(const MetadataAdmission& admission,
                                                const FieldPath& field = {"metadata"});

/// The decision on an object with this metadata. `field` is the path of the metadata in its document.
[[nodiscard]] MetadataAdmission admit(ObjectMeta metadata, const CompiledPolicies& policies,
                                      const FieldPath& field = {"metadata"});

/// The same, but compiles the policies first. If they do not compile, rejects with `errors`.
[[nodiscard]] MetadataAdmission admit(ObjectMeta metadata,
                                      std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/metadata_admission.ipp>
#endif
