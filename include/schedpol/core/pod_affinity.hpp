// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pods that a term of pod affinity or anti-affinity selects meet all three rules:
/// 1. The pod is in a namespace that the term lists, or whose labels its namespace selector matches.
///    If the term has neither, the pod is in the namespace of the pod with the term.
/// 2. The term's label selector matches the pod; an absent selector matches no pod.
/// 3. Keys that the pod with the term lacks do not count. For each other key of matchLabelKeys both pods
///    have the same value; for each of mismatchLabelKeys the selected pod has another value or none.
///
/// The topology key says which pods are near: two nodes are in one domain if both have this label with
/// the same value. Sources: kube-scheduler, `AffinityTerm.Matches`; the API server, which writes rule 3
/// into the label selector when a pod is created.

#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// A term compiled for matching. A default-constructed one selects no pod.
class PodAffinityMatcher {
 public:
  PodAffinityMatcher() = default;

  /// Whether the term selects the pod; `namespace_labels` are those of that pod's namespace.
  [[nodiscard]] bool matches(const Pod& pod, const Labels& namespace_labels = {}) const noexcept;

 private:
  friend Result<PodAffinityMatcher> compile(const PodAffinityTerm&, const Pod&, const FieldPath&);

  struct Impl;
  Shared<Impl> impl_;  ///< without an object, no pod
};

/// Builds the matcher of a term of `pod`, or reports what is wrong with the term's selectors, with
/// paths below `field`.
[[nodiscard]] Result<PodAffinityMatcher> compile(const PodAffinityTerm& term, const Pod& pod,
                                                 const FieldPath& field = {});

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/pod_affinity.ipp>
#endif
