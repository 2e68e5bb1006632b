// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is said of a pod that no node can take, as kube-scheduler says it: how many nodes there are
/// for each reason. Source: kube-scheduler, `FitError`.

#include <schedpol/version.hpp>

#include <cstddef>
#include <map>
#include <string>

namespace SCHEDPOL_NAMESPACE {

/// How many nodes a reason keeps a pod from; one node may have several.
using Reasons = std::map<std::string, std::size_t, std::less<>>;

/// `0/2000 nodes are available: 1100 NodeNotInUnit, 900 UnitFull`, and a full stop. Reasons come in
/// the byte order of what is printed, numbers included; one of no node is left out.
[[nodiscard]] std::string unschedulable_message(std::size_t nodes, const Reasons& reasons);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/unschedulable.ipp>
#endif
