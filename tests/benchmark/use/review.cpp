// SPDX-License-Identifier: Apache-2.0
// What it costs to answer reviews, and nothing else of the JSON of the library.
#include <schedpol/json/review.hpp>

#include <string>
#include <string_view>

std::string answer(std::string_view review, const schedpol::engine::Engine& engine) {
  return schedpol::json::review(review, engine);
}
