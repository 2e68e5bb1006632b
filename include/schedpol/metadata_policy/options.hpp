// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A cluster's options for MetadataPolicies: the objects that are exempt, because nobody could add to
/// them what a policy asks for, and the pods that get an annotation with their quality of service.
///
/// 1. Pods and workloads are never exempt, whoever writes them.
/// 2. By default, the kinds that a cluster writes about itself are exempt, and so is what its own
///    controllers, kube-system and nodes write; they write `kube-root-ca.crt` into each namespace.

#include <schedpol/base/texts.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The annotation in which rules see the quality of service of a pod.
inline constexpr std::string_view qos_annotation = "scheduler.alpha.kubernetes.io/qos";

/// The annotation to which rules write the scheduler of a pod.
inline constexpr std::string_view scheduler_name_annotation = "scheduler.alpha.kubernetes.io/name";

/// Which pods get `qos_annotation`. A number that is not an enumerator means
/// `where_used`.
enum class QosAnnotation {
  where_used,  ///< pods in a namespace with a rule that selects by it or writes the scheduler
  always,
};

[[nodiscard]] constexpr std::string_view to_string(QosAnnotation qos) noexcept {
  return qos == QosAnnotation::always ? "Always" : "WhereUsed";
}

struct Options {
  Texts exempt_kinds{"Event", "Event.events.k8s.io", "Lease.coordination.k8s.io",
                     "EndpointSlice.discovery.k8s.io"};  ///< `KIND.GROUP`; `KIND` of the core group
  Texts exempt_users{"system:kube-controller-manager"};  ///< what these users write is exempt
  Texts exempt_groups{"system:nodes", "system:serviceaccounts:kube-system"};
  QosAnnotation qos_annotation = QosAnnotation::where_used;

  friend bool operator==(const Options&, const Options&) = default;
};

/// Whether all objects of the kind are exempt, whoever writes them.
[[nodiscard]] bool exempts_kind(const Options& options, std::string_view api_group,
                                std::string_view kind) noexcept;

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/options.ipp>
#endif
