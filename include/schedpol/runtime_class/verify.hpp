// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether all that a pod took over from its RuntimeClass is still in place, after other mutators
/// ran: a validating webhook asks this of the final pod. It compares pod and class as `admit` does.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/runtime_class/compile.hpp>
#include <schedpol/runtime_class/policy.hpp>

#include <span>
#include <vector>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// What of its class the pod lacks; none means that all is in place. A pod without a class, or
/// whose class does not exist or is ambiguous, has the violations of `admit`. Otherwise another
/// overhead is `OverheadMismatch` (`OverheadWithoutRuntimeClass` where the class has none), a pair
/// of the selector that is gone or has another value `NodeSelectorRequired`, and a toleration that
/// none of the pod's covers `TolerationRequired`.
[[nodiscard]] std::vector<Violation> verify(const Pod& pod, const CompiledClasses& classes);

/// The same, of classes that are not compiled; only those of the pod's name are looked at.
[[nodiscard]] std::vector<Violation> verify(const Pod& pod, std::span<const RuntimeClass> classes);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/runtime_class/impl/verify.ipp>
#endif
