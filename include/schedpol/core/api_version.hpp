// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `apiVersion`: the group and version of an object's kind, and the groups that a kind can be in.
///
/// 1. A kind is in the group that its `apiVersion` names: `apps` in `apps/v1`, the core group in `v1`.
/// 2. schedpol's own kinds are in `schedpol.io/v1alpha1`. You may define their CRDs in a custom group
///    instead. The proposals' group, `extensions`, is read as well, although no cluster can have a
///    CRD in it.

#include <schedpol/version.hpp>

#include <string_view>

namespace SCHEDPOL_NAMESPACE {

/// The `apiVersion` of SchedulingPolicy, MetadataPolicy, EngineConfiguration and PolicyTest.
inline constexpr std::string_view own_api_version = "schedpol.io/v1alpha1";

/// The group of SchedulingPolicy and MetadataPolicy in their proposals.
inline constexpr std::string_view proposal_api_group = "extensions";

/// The API group in an `apiVersion`: `apps` for `apps/v1`, empty (the core group) for `v1`.
[[nodiscard]] constexpr std::string_view api_group(std::string_view api_version) noexcept {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

/// The group of `own_api_version`.
inline constexpr std::string_view own_api_group = api_group(own_api_version);

/// Whether anybody may define CRDs in the group: it is a domain, but not one of Kubernetes' (`k8s.io`,
/// `kubernetes.io` and their subdomains). The core group and words without a dot are not domains. The
/// syntax of a domain is not checked.
[[nodiscard]] bool is_custom_group(std::string_view api_group) noexcept;

/// Whether a kind whose usual `apiVersion` is this one can be in `group`: in the group that the
/// `apiVersion` names, and for schedpol's own kinds also in the others of rule 2.
[[nodiscard]] bool is_in_group(std::string_view api_version, std::string_view group) noexcept;

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/api_version.ipp>
#endif
