// SPDX-License-Identifier: Apache-2.0
#pragma once

/// RuntimeClass scheduling: what a pod takes over from the class of its container runtime.
///
/// 1. A pod without `runtimeClassName` is left alone; one that names a class which does not exist
///    is denied for that alone.
/// 2. Overhead: set from the class. A pod that brings a different one is denied (quantities are
///    compared by value), and so is one that brings one where no class defines any.
/// 3. Node selector: the class's pairs are added; the same key with another value is a conflict.
/// 4. Tolerations, where the class has `scheduling`, be it empty: the union of the pod's, first, and the
///    class's. They are a set: where the union adds and drops nothing, the pod's keep their order.
///
/// Source: the RuntimeClass scheduling proposal, and Kubernetes' RuntimeClass admission plugin.

#include <schedpol/core/admission.hpp>
#include <schedpol/runtime_class/compile.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// The whole decision on a pod; all violations are reported. Admitting the result again allows it
/// and changes nothing. An ambiguous name denies the pods that ask for it (`AmbiguousPolicy`).
/// Quadratic in the number of tolerations.
[[nodiscard]] Admission admit(Pod pod, const CompiledClasses& classes);

/// The same, of classes that are not compiled; only those of the pod's name are looked at.
[[nodiscard]] Admission admit(Pod pod, std::span<const RuntimeClass> classes);

/// What of its class a pod lacks once other mutators ran, as a validating webhook asks of the final
/// pod; none: all is still in place. A pod without a class, or whose class does not exist or is
/// ambiguous, has the violations of `admit`. Otherwise another overhead is `OverheadMismatch`
/// (`OverheadWithoutRuntimeClass` where the class has none), a pair of the selector that is gone or
/// has another value `NodeSelectorRequired`, and a toleration that none of the pod's covers
/// `TolerationRequired`.
[[nodiscard]] std::vector<Violation> verify(const Pod& pod, const CompiledClasses& classes);
[[nodiscard]] std::vector<Violation> verify(const Pod& pod, std::span<const RuntimeClass> classes);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/runtime_class/impl/admit.ipp>
#endif
