// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What MetadataPolicies decide on an object that they may have changed already: a webhook is asked
/// again when another one changed it (reinvocation), when all of them have, and on every update.
///
/// 1. Let B be the object without the labels and annotations, key and value, that updating rules of
///    its namespace write. Where the rules permit B and make the object of it, the object is what
///    they want it to be: it is permitted and stays as it is.
/// 2. Otherwise the object is decided on as it stands, as `admit` does. So asking again changes
///    nothing, and of what is in the object only what the rules have not written is judged.
/// 3. An update is rejected only by rules that did not match the old object. Where all that reject
///    did match it, the update is allowed, and stays as it came.
/// 4. So is an object that is being deleted: nobody must be kept from taking off its finalizers.
/// 5. A pod is given a scheduler when it is created, a pod template whenever it is changed.
/// 6. A pod says its quality of service only where a rule of its namespace selects by it or writes the
///    scheduler, or where every pod has to.
///
/// Source: the MetadataPolicy proposal; Kubernetes' rules for mutating webhooks.

#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The decision on an object that is created. `field` is where its metadata stands in its document.
[[nodiscard]] MetadataAdmission readmit(ObjectMeta metadata, const CompiledPolicies& policies,
                                        const FieldPath& field = {"metadata"});

/// The decision on an object that takes the place of an old one.
[[nodiscard]] MetadataAdmission readmit_update(const Old<ObjectMeta>& old, ObjectMeta updated,
                                               const CompiledPolicies& policies,
                                               const FieldPath& field = {"metadata"});

/// The same of a pod or a pod template; denied as by `admit`.
[[nodiscard]] Admission readmit(const Pod& pod, const CompiledPolicies& policies,
                                QosAnnotation qos = QosAnnotation::where_used);
[[nodiscard]] Admission readmit_update(const Old<Pod>& old, const Pod& updated,
                                       const CompiledPolicies& policies,
                                       QosAnnotation qos = QosAnnotation::where_used);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/reinvocation.ipp>
#endif
