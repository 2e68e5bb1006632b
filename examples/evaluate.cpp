// SPDX-License-Identifier: Apache-2.0
// Answers one JSON request a line with one JSON reply a line; what offline tests and scripts talk
// to.

#include <schedpol/json/evaluate.hpp>

#include <iostream>
#include <string>

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << schedpol::json::evaluate(line) << '\n' << std::flush;
  }
  return std::cout ? 0 : 1;
}
