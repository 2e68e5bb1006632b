// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What tells two pods apart, field by field.

#include <schedpol/core/admission.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// What leads from one to the other, in labels, annotations and what systems rule of a spec: of
/// lists, which are sets, the items by what policies look at of them, and of tolerations their order
/// where nothing else differs; of maps the keys; of an affinity the kinds. Paths are those of `from`.
[[nodiscard]] std::vector<Change> differences(const Pod& from, const Pod& to);

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/differences.ipp>
#endif
