// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What MetadataPolicies decide on an object that they may already have changed. A webhook is asked
/// again after another one changed the object (reinvocation), after all mutators, and on every update.
///
/// 1. Let B be the object without every label and annotation that updating rules of its namespace write
///    with that key and value. If the rules permit B and turn it into the object, the object already is
///    what they make of it: it is permitted and stays as it is.
/// 2. Otherwise `admit` decides on the object as it stands. So a second decision changes nothing, and
///    rules judge only what they have not written themselves.
/// 3. Only rules that did not match the old object reject an update. If all rejecting rules matched the
///    old object, the update is allowed and stays as it came.
/// 4. An object that is being deleted is allowed, too: anybody must be able to remove its finalizers.
/// 5. A pod gets a scheduler when it is created, a pod template whenever it is changed.
/// 6. A pod gets the annotation of its quality of service only if a rule of its namespace selects by it or
///    writes the scheduler, or if every pod must have it.
///
/// Source: the MetadataPolicy proposal; Kubernetes' rules for mutating webhooks.

#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The decision on a created object. `field` is the path of its metadata in its document.
[[nodiscard]] MetadataAdmission readmit(ObjectMeta metadata, const CompiledPolicies& policies,
                                        const FieldPath& field = {"metadata"});

/// The decision on an updated object.
[[nodiscard]] MetadataAdmission readmit_update(const Old<ObjectMeta>& old, ObjectMeta updated,
                                               const CompiledPolicies& policies,
                                               const FieldPath& field = {"metadata"});

/// The same for a pod or a pod template, with the violations of `admit`.
[[nodiscard]] Admission readmit(const Pod& pod, const CompiledPolicies& policies,
                                QosAnnotation qos = QosAnnotation::where_used);
[[nodiscard]] Admission readmit_update(const Old<Pod>& old, const Pod& updated,
                                       const CompiledPolicies& policies,
                                       QosAnnotation qos = QosAnnotation::where_used);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/reinvocation.ipp>
#endif
