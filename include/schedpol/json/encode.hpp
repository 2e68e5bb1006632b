// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Value types to Kubernetes JSON, compact, with the spellings of the design: what is absent is
/// left out, and so is a list of nothing that is not any; any is written as `[]` or `{}`. Whole
/// objects have their `apiVersion` and `kind`; a pod template stands in a workload of its kind that
/// has nothing else but its name and namespace. `decode` reads back the same value, but for what
/// lists nothing in a SchedulingPolicy, which says no more than what is absent and comes back as it.

#include <schedpol/version.hpp>

#include <string>

namespace SCHEDPOL_NAMESPACE::json {

/// The JSON of a value that `decode` reads, or of something that is answered: FieldError,
/// Violation, Change, PatchOperation, what a system reports besides (Skipped, Conflict, ...), and a
/// std::vector of any of these. Text that is not UTF-8 is written as it is.
template <class T>
[[nodiscard]] std::string encode(const T& value);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/encode.ipp>
#endif
