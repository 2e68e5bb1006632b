// SPDX-License-Identifier: Apache-2.0
// One decision of an Engine of many policies of which three apply, for flat_test.py, which counts
// the instructions of `measured` alone.
#include "clusters.hpp"

#include <schedpol/engine/engine.hpp>

#include <cstddef>
#include <iostream>
#include <string>

namespace {

using schedpol::engine::Engine;
using schedpol::engine::Request;

}  // namespace

extern "C" [[gnu::noinline]] bool measured(const Engine& engine, const Request& request) {
  return engine.decide(request).allowed;
}

// flat CLUSTER POLICIES; says whether the pod that three of them apply to is allowed.
int main(int, char** arguments) {
  const std::size_t policies = std::stoul(arguments[2]);
  const auto engine =
      schedpol::engine::compile(schedpol::testing::cluster_of(arguments[1], policies));
  const Request request{.object = schedpol::testing::pod_of(policies)};
  // The allocator tidies up after the compilation when it is first asked again.
  const bool allowed = engine && engine->decide(request).allowed;
  std::cout << (allowed && measured(*engine, request) ? "allowed\n" : "denied\n");
}
