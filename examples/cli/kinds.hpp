// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the program knows of kinds that no policy is about: which of them stand in no namespace, and
/// which there are at all in the groups of pods and workloads, where another one is a misspelt pod. An
/// API server knows the same by discovery. And which fields of a pod spec are of scheduling.

#include <schedpol/engine/system.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace cli {

/// None of the other fields of a pod spec is nearly called like one of these.
inline constexpr std::array<std::string_view, 13> scheduling_fields = {
    "schedulerName",   "nodeName",         "priorityClassName",
    "priority",        "preemptionPolicy", "nodeSelector",
    "tolerations",     "affinity",         "topologySpreadConstraints",
    "schedulingGates", "resourceClaims",   "runtimeClassName",
    "overhead"};

/// Whether a word is one of `words`, which have a space between them.
[[nodiscard]] constexpr bool is_among(std::string_view words, std::string_view word) noexcept {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

/// Kinds of the core group, `apps` and `batch` without a pod in them.
[[nodiscard]] constexpr bool is_builtin_kind(std::string_view kind) noexcept {
  return is_among(
      "Binding ComponentStatus ConfigMap ControllerRevision Endpoints Event LimitRange Namespace "
      "Node "
      "PersistentVolume PersistentVolumeClaim ResourceQuota Secret Service ServiceAccount",
      kind);
}

/// Whether objects of the kind stand in no namespace. The library knows that of those it reads.
[[nodiscard]] inline bool is_cluster_kind(std::string_view kind) noexcept {
  using schedpol::engine::ObjectKind;
  bool is_known = false;
  const schedpol::engine::Objects none;
  for_each_list(none, [&](const auto&, schedpol::engine::ObjectKinds kinds) {
    is_known |= std::any_of(kinds.begin(), kinds.end(), [&](const ObjectKind& one) {
      return one.name == kind && one.scope == schedpol::engine::Scope::cluster;
    });
  });
  return is_known ||
         is_among(
             "APIService CSIDriver CSINode CertificateSigningRequest ClusterTrustBundle "
             "ComponentStatus CustomResourceDefinition DeviceClass DeviceTaintRule "
             "EngineConfiguration FlowSchema IPAddress IngressClass MutatingAdmissionPolicy "
             "MutatingAdmissionPolicyBinding MutatingWebhookConfiguration Namespace Node "
             "PersistentVolume PriorityClass PriorityLevelConfiguration ResourceSlice "
             "ServiceCIDR StorageClass StorageVersion StorageVersionMigration "
             "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
             "ValidatingWebhookConfiguration VolumeAttachment VolumeAttributesClass",
             kind);
}

}  // namespace cli
