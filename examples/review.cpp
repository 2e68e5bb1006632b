// SPDX-License-Identifier: Apache-2.0
// Answers one AdmissionReview a line, by the policies in the JSON files that are named.

#include <schedpol/engine/engine.hpp>
#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/review.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

using namespace schedpol;

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  engine::Configuration configuration;
  bool good = true;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    for (const FieldError& error : json::add_objects(configuration, bytes)) {
      std::cerr << argv[i] << ": " << message(error) << '\n';
      good = false;
    }
  }
  for (const FieldError& error : validate(configuration)) {
    std::cerr << message(error) << '\n';
    good = false;
  }
  if (!good) return 1;
  const auto engine = engine::compile(configuration);
  const engine::InsightAdviser adviser;  // fixes and findings beside the decisions
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << json::review(line, *engine, engine::Phase::mutating, adviser) << '\n'
              << std::flush;
  }
  return std::cout ? 0 : 1;
}
