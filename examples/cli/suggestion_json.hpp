// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What `suggest` finds, as JSON.

#include <schedpol/insight/suggest.hpp>

#include <string>

namespace cli {

[[nodiscard]] std::string json_suggestion(const schedpol::engine::Suggestion& suggestion);
[[nodiscard]] std::string json_proof(const schedpol::engine::Proof& proof);

}  // namespace cli
