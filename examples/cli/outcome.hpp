// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What was decided against what a case expects, field by field.

#include "cases.hpp"
#include "decide.hpp"
#include "report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

/// What there is to say of one expectation that is not met: the member of `expect`, what is missing
/// or too much, and the fields that differ.
struct Difference {
  schedpol::FieldPath member{};  ///< below `expect`
  std::string text{};
  std::vector<Line> lines{};
};

[[nodiscard]] std::vector<Difference> differences(const Expectation& expect,
                                                  const AdmissionResponse& response);

/// The decision: a line for it and one for each thing it says.
[[nodiscard]] std::vector<Line> texts_of(const AdmissionResponse& response);

}  // namespace cli
