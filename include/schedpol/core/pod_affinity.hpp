// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which pods a term of a pod's affinity or anti-affinity selects:
/// 1. those in the namespaces that it lists, and in those whose labels its namespace selector
///    matches; where it has neither, in the namespace of the pod that has the term;
/// 2. that its label selector matches; an absent one matches none;
/// 3. that have, for each of its matchLabelKeys that the pod with the term has, the same value, and
///    for each of its mismatchLabelKeys another one or none.
///
/// Whether they are near is told by the topology key: two nodes are in one domain when both have the
/// label, with the same value. Sources: kube-scheduler, `AffinityTerm.Matches`; the API server, which
/// writes rule 3 into the label selector when a pod is created.

#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// A term made for matching. Default-constructed it selects no pod.
class PodAffinityMatcher {
 public:
  PodAffinityMatcher() = default;

  /// Whether the term selects the pod; `namespace_labels` are those of that pod's namespace.
  [[nodiscard]] bool matches(const Pod& pod, const Labels& namespace_labels = {}) const noexcept;

 private:
  friend Result<PodAffinityMatcher> compile(const PodAffinityTerm&, const Pod&, const FieldPath&);

  struct Impl;
  Shared<Impl> impl_;  ///< none: no pod
};

/// Builds the matcher of a term of `pod`, or reports what is wrong with its selectors, with paths
/// below `field`.
[[nodiscard]] Result<PodAffinityMatcher> compile(const PodAffinityTerm& term, const Pod& pod,
                                                 const FieldPath& field = {});

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/pod_affinity.ipp>
#endif
