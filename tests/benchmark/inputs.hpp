// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inputs of the benchmarks, and how each operation is timed. A benchmark whose input is not
// what it is meant to be would measure something else, so everything that does not hold ends the
// program.

#include <schedpol/json/decode.hpp>

#include "allocations.hpp"

#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace schedpol::benchmarks {

inline void demand(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "does not hold: " << what << '\n';
  std::exit(1);
}

/// The bytes of a file in inputs/.
inline std::string read_input(const std::string& name) {
  std::ifstream stream(std::string(SCHEDPOL_BENCHMARK_INPUTS) + "/" + name);
  std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  demand(!bytes.empty(), name + " can be read");
  return bytes;
}

/// What stands at a JSON pointer in a file in inputs/, as JSON without spaces.
inline std::string input_part(const std::string& name, std::string_view pointer) {
  simdjson::dom::parser parser;
  simdjson::dom::element part;
  const simdjson::padded_string bytes(read_input(name));
  demand(parser.parse(bytes).at_pointer(pointer).get(part) == simdjson::SUCCESS, name);
  return simdjson::minify(part);
}

template <class T>
T value_of(Result<T> result) {
  if (!result) demand(false, message(result.errors().front()));
  return *std::move(result);
}

template <class T>
T decode_input(const std::string& name) {
  return value_of(json::decode<T>(std::string_view(read_input(name))));
}

/// Times `operation`, and counts the heap allocations of one more run of it. `items` is how many
/// things one run handles.
template <class F>
void time_operation(::benchmark::State& state, F&& operation, double items = 1) {
  for (auto _ : state) operation();
  const std::size_t before = allocations();
  operation();
  state.counters["allocations"] = static_cast<double>(allocations() - before);
  state.counters["items"] = items;
}

}  // namespace schedpol::benchmarks
