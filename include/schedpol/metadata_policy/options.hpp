// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a cluster's configuration says of MetadataPolicies: which objects they are not about, because
/// nobody could give those what a policy asks for, and which pods say their quality of service.
///
/// 1. Neither list is about pods and workloads, whoever writes them: they are decided on.
/// 2. The kinds are what a cluster writes about itself; the users and groups are those of its own
///    controllers, those of kube-system, and nodes, which write `kube-root-ca.crt` into each namespace.

#include <schedpol/base/texts.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// Where a pod's quality of service is written for rules to see.
inline constexpr std::string_view qos_annotation = "scheduler.alpha.kubernetes.io/qos";

/// Where rules write the scheduler of a pod.
inline constexpr std::string_view scheduler_name_annotation = "scheduler.alpha.kubernetes.io/name";

/// Which pods say their quality of service in `qos_annotation`. A number that is no enumerator is
/// `where_used`.
enum class QosAnnotation {
  where_used,  ///< those of namespaces where a rule selects by it, or writes the scheduler
  always,
};

[[nodiscard]] constexpr std::string_view to_string(QosAnnotation qos) noexcept {
  return qos == QosAnnotation::always ? "Always" : "WhereUsed";
}

struct Options {
  Texts exempt_kinds{"Event", "Event.events.k8s.io", "Lease.coordination.k8s.io",
                     "EndpointSlice.discovery.k8s.io"};  ///< `KIND.GROUP`; `KIND` of the core group
  Texts exempt_users{"system:kube-controller-manager"};  ///< who writes what is exempt
  Texts exempt_groups{"system:nodes", "system:serviceaccounts:kube-system"};
  QosAnnotation qos_annotation = QosAnnotation::where_used;

  friend bool operator==(const Options&, const Options&) = default;
};

/// Whether objects of the kind are exempt, whoever writes them.
[[nodiscard]] bool exempts_kind(const Options& options, std::string_view api_group,
                                std::string_view kind) noexcept;

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/options.ipp>
#endif
