// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Value types to compact Kubernetes JSON. Absent values are left out, and so are lists without items
/// that are not any; any is written as `[]` or `{}`. Whole objects have their `apiVersion` and `kind`. A
/// pod template is in a workload of its kind with only a name and a namespace. `decode` reads back the
/// same value, with one exception: what lists nothing in a SchedulingPolicy means the same as absent, and
/// is read back as absent.

#include <schedpol/version.hpp>

#include <string>

namespace SCHEDPOL_NAMESPACE::json {

/// The JSON of a value that `decode` reads, or of a part of an answer: FieldError, Violation, Change,
/// PatchOperation, other results of a system (Skipped, Conflict, ...), or a std::vector of any of
/// these. Text that is not UTF-8 is written as it is.
template <class T>
[[nodiscard]] std::string encode(const T& value);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/encode.ipp>
#endif
