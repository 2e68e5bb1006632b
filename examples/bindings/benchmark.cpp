// SPDX-License-Identifier: Apache-2.0
// Decisions a second in C++, bytes in and bytes out, which the packages are measured against.
//
//   benchmark DIRECTORY THREADS SECONDS

#include <schedpol/json.hpp>
#include <schedpol/schedpol.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

using namespace schedpol;

namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string directory = argv[1];
  const int threads = std::atoi(argv[2]);
  const std::chrono::duration<double> time(std::atof(argv[3]));
  engine::Configuration configuration;
  if (!json::add_objects(configuration, read(directory + "/policies.json")).empty()) return 1;
  const engine::Engine engine = *compile(configuration);
  const std::string pod = read(directory + "/pod.json");
  std::vector<long> counts(static_cast<std::size_t>(threads));
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> all;
    for (long& count : counts) {
      all.emplace_back([&engine, &pod, &count, end = start + time] {
        for (; std::chrono::steady_clock::now() < end; ++count) {
          const std::string request = R"({"op":"engine.decide","input":{"object":)" + pod + "}}";
          if (json::evaluate(request, engine).find(R"("allowed":true)") == std::string::npos)
            std::abort();
        }
      });
    }
  }
  long decisions = 0;
  for (const long count : counts) decisions += count;
  std::cout << static_cast<long>(static_cast<double>(decisions) / time.count()) << "\n";
}
