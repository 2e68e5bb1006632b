// SPDX-License-Identifier: Apache-2.0
// What it costs to use the JSON of the library: a request evaluated, an engine compiled from
// objects, a review answered.
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/evaluate.hpp>
#include <schedpol/json/review.hpp>

#include <string>
#include <string_view>

std::string answer(std::string_view request, std::string_view objects, std::string_view review) {
  schedpol::engine::Configuration configuration;
  const auto errors = schedpol::json::add_objects(configuration, objects);
  const auto engine = schedpol::engine::compile(configuration);
  if (!errors.empty() || !engine) return schedpol::json::evaluate(request);
  return schedpol::json::review(review, *engine);
}
