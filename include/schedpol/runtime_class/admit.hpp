// SPDX-License-Identifier: Apache-2.0
#pragma once

/// RuntimeClass scheduling: what a pod takes over from its RuntimeClass.
///
/// 1. A pod without `runtimeClassName` takes over nothing. A pod that names a class which does not exist
///    is denied for that alone.
/// 2. Overhead: set from the class. A pod that comes with a different overhead is denied; quantities are
///    compared by value. So is a pod with an overhead if no class defines one.
/// 3. Node selector: the class's pairs are added. The same key with another value is a conflict.
/// 4. Tolerations, if the class has `scheduling`, even an empty one: the union of the pod's and the class's,
///    the pod's first. If the union adds and drops nothing, the pod's list keeps its order.
///
/// Source: the RuntimeClass scheduling proposal, and Kubernetes' RuntimeClass admission plugin.

#include <schedpol/core/admission.hpp>
#include <schedpol/runtime_class/compile.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// The whole decision on a pod, with all violations. Admitting an allowed result again allows it and
/// changes nothing. A pod that names an ambiguous class is denied (`AmbiguousPolicy`). Quadratic in the
/// number of tolerations.
[[nodiscard]] Admission admit(Pod pod, const CompiledClasses& classes);

/// The same for classes that are not compiled. Only classes with the name in the pod count.
[[nodiscard]] Admission admit(Pod pod, std::span<const RuntimeClass> classes);

/// What the final pod lacks of its class after all mutators ran, for a validating webhook. Empty if
/// everything is in place. A pod without a class, or whose class does not exist or is ambiguous, has the
/// violations of `admit`. Otherwise, a different overhead is `OverheadMismatch`, or
/// `OverheadWithoutRuntimeClass` if the class has none. A node selector pair that is missing or has
/// another value is `NodeSelectorRequired`. A class toleration that no toleration of the pod covers is
/// `TolerationRequired`.
[[nodiscard]] std::vector<Violation> verify(const Pod& pod, const CompiledClasses& classes);
[[nodiscard]] std::vector<Violation> verify(const Pod& pod, std::span<const RuntimeClass> classes);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/runtime_class/impl/admit.ipp>
#endif
