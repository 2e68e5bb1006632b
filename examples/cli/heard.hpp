// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a webhook heard that only warns or audits: the lines that it answers at /needs.
///
/// A line is an AdmissionReview that creates a pod or a pod template, as small as it can be, and has a
/// member `heard` besides: how often it was heard (`count`), whose it is (`subject`), an `example` by
/// which people know it, and what it would be `denied` for, which is not looked at. A line in which
/// something of that is missing or is about somebody else than the object is a problem, and so is one
/// that is no JSON. Equal requests of several webhooks are one. An empty file has none: its webhook
/// heard nothing.

#include "commands.hpp"
#include "input.hpp"

#include <schedpol/insight/suggest.hpp>

#include <cstdint>
#include <vector>

namespace cli {

/// The most often that a need can have been heard, so that sums are right.
inline constexpr std::int64_t most_heard = 1'000'000'000'000;

/// Reads what `--from` names; `-` is stdin.
[[nodiscard]] std::vector<schedpol::engine::RunningObject> read_heard(const Arguments& arguments,
                                                                      Input& input,
                                                                      Problems& problems);

}  // namespace cli
