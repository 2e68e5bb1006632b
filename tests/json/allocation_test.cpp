// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/review.hpp>

#include "../support/count_allocations.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace schedpol;

std::string input(const std::string& name) {
  std::ifstream file(SCHEDPOL_TEST_CONFORMANCE_DIR "/../benchmark/inputs/" + name,
                     std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

// A review is nearly all strings, so its allocations tell what it costs on any machine. The bounds
// are what it takes today and a few to spare for another standard library.

TEST_CASE("a review that injects three policies allocates no more than this") {
  const std::string list = input("w2-policies.json");
  json::Configuration configuration;
  configuration.systems = {{json::System::pod_scheduling_policy}};
  json::Document document;
  REQUIRE(document.parse(list));
  for (const auto policy : document.root()["policies"].get_array()) {
    REQUIRE(add_objects(configuration, simdjson::minify(policy)).empty());
  }
  REQUIRE(add_objects(configuration, simdjson::minify(document.root()["namespace"])).empty());
  const auto engine = compile(configuration);
  REQUIRE(engine);
  const std::string bytes = input("w2-admission-review.json");
  const testing::CountAllocations counter;
  const auto reviewed = json::try_review(bytes, *engine);
  const std::size_t allocations = counter.count();
  CHECK(reviewed.outcome == json::Outcome::allowed);
  CHECK(reviewed.response.find("JSONPatch") != std::string::npos);
  CHECK(allocations <= 160);
}

TEST_CASE("a pod spec is decoded with no more allocations than it has long texts and lists") {
  const std::string bytes = input("w1-pod-spec-allow.json");
  const testing::CountAllocations counter;
  const auto spec = json::decode<PodSpec>(bytes);
  const std::size_t allocations = counter.count();
  REQUIRE(spec);
  CHECK(spec->tolerations.size() == 3);
  CHECK(allocations <= 28);
}
