// SPDX-License-Identifier: Apache-2.0
//     flat [WHAT CASE ENTRIES]...
//
// Makes all the cases, then has callgrind count the instructions of each, and says for each on a
// line whether it allows.
#include "flat.hpp"

#include "../support/count_instructions.hpp"

#include <iostream>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace schedpol::testing;

Flat make(std::string_view what, const std::string& name, std::size_t entries) {
  if (what == "term") return flat_term(name, entries);
  if (what == "check") return flat_check(name, entries);
  if (what == "turn") return flat_turn(name, entries);
  return flat_decision(name, entries);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::pair<std::string, Flat>> cases;
  for (int i = 1; i + 2 < argc; i += 3)
    cases.emplace_back(std::string(argv[i + 1]) + ", " + argv[i + 2],
                       make(argv[i], argv[i + 1], std::stoul(argv[i + 2])));
  for (const auto& [name, measured] : cases)
    std::cout << (count_instructions(name, measured) ? "allowed\n" : "denied\n");
}
