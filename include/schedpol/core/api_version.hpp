// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `apiVersion`: the group and version of an object's kind, and which groups a kind can be of.
///
/// 1. A kind is of the group that its `apiVersion` names: `apps` in `apps/v1`, the core group in `v1`.
/// 2. The kinds that are schedpol's own are of `schedpol.io/v1alpha1`. Whoever defines their CRDs in a
///    custom group may do so. The proposals' own group, `extensions`, is read as well, although no
///    cluster can have a CRD in it.

#include <schedpol/version.hpp>

#include <string_view>

namespace SCHEDPOL_NAMESPACE {

/// The `apiVersion` of SchedulingPolicy, MetadataPolicy, EngineConfiguration and PolicyTest.
inline constexpr std::string_view own_api_version = "schedpol.io/v1alpha1";

/// The group of SchedulingPolicy and MetadataPolicy in their proposals.
inline constexpr std::string_view proposal_api_group = "extensions";

/// The API group in an `apiVersion`: `apps` of `apps/v1`; the core group of `v1` is empty.
[[nodiscard]] constexpr std::string_view api_group(std::string_view api_version) noexcept {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

/// The group of `own_api_version`.
inline constexpr std::string_view own_api_group = api_group(own_api_version);

/// Whether CRDs of anybody can be in the group: a domain, and none of Kubernetes' (`k8s.io`,
/// `kubernetes.io` and what is below them). The core group and words without a dot are none; whether
/// a domain is well-formed is not looked at.
[[nodiscard]] bool is_custom_group(std::string_view api_group) noexcept;

/// Whether a kind that is usually of this `apiVersion` can be of the group: of the one that it names,
/// and by rule 2 of others where that is schedpol's own.
[[nodiscard]] bool is_in_group(std::string_view api_version, std::string_view group) noexcept;

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/api_version.ipp>
#endif
