// SPDX-License-Identifier: Apache-2.0
// Answers one JSON request a line with one JSON reply a line; what offline tests and scripts talk
// to.

#include "support/binary_streams.hpp"

#include <schedpol/json/evaluate.hpp>

#include <iostream>
#include <string>

int main() {
  std::ios::sync_with_stdio(false);
  support::use_binary_streams();
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << schedpol::json::evaluate(line) << '\n' << std::flush;
  }
  return std::cout ? 0 : 1;
}
