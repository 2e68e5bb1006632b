// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the library answers as parts of an entry of a report.

#include "input.hpp"
#include "report.hpp"

#include <schedpol/core/admission.hpp>
#include <schedpol/engine/system.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace cli {

/// A diff: what was there, and what is, with the policy behind it.
[[nodiscard]] std::vector<Line> diff_of(std::span<const schedpol::Change> changes);

/// How much a reason weighs of a system that is run so.
[[nodiscard]] Level level_of(schedpol::engine::Mode mode) noexcept;

/// A finding for each reason, at its place; `object` is where the object stands in the document.
[[nodiscard]] std::vector<Finding> findings_of(std::span<const schedpol::Violation> reasons,
                                               const Source& source,
                                               const schedpol::FieldPath& object, Level level);

/// A text of several lines as these.
void append_lines(std::vector<Line>& lines, std::string_view text);

/// Adds to a line of counts, which is `3 objects looked at` before the first of them:
/// `3 objects looked at: 1 allowed, 2 denied`. What there is none of is left out.
void append_count(std::string& text, std::size_t count, std::string_view what);

}  // namespace cli
