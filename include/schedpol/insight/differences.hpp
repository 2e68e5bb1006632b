// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The differences between two pods, field by field.

#include <schedpol/core/admission.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// The changes from one pod to the other, in labels, annotations and the spec fields that systems decide on.
/// Maps are compared by key, an affinity by kind. Lists are compared as sets, by the parts of their items
/// that policies need; if tolerations differ only in order, that is a change. Paths are those of `from`.
[[nodiscard]] std::vector<Change> differences(const Pod& from, const Pod& to);

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/differences.ipp>
#endif
