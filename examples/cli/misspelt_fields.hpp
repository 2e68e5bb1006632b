// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Fields of scheduling that somebody has misspelt or misplaced. An API server drops what it does not
/// know, and policies are not asked about it: `toleration`, or `tolerations` one level too high, is
/// allowed and has no effect.
///
/// 1. Looked at are the members of a pod spec, and of what it stands in: of a Deployment the object,
///    `spec` and `spec.template`. Of a custom kind it is the pod template alone, because its other
///    fields are its own.
/// 2. A member is meant to be a field of scheduling where it has nearly its name (`did_you_mean`), or its
///    name without `Name`: `priorityClass`.

#include "decide.hpp"
#include "input.hpp"

#include <schedpol/base/field_path.hpp>

#include <vector>

namespace cli {

/// A warning for each, at its place and with the right path; at most `max_reported_errors`. `at` is where
/// what is asked about stands in the source.
[[nodiscard]] std::vector<Finding> misspelt_fields(const AdmissionRequest& asked,
                                                   const Source& source,
                                                   const schedpol::FieldPath& at = {});

}  // namespace cli
