// SPDX-License-Identifier: Apache-2.0
// One decision of an Engine of many policies of which three apply.
#include "../flat/flat.hpp"

#include <schedpol/engine/engine.hpp>

#include "clusters.hpp"

namespace schedpol::testing {

Flat flat_decision(const std::string& name, std::size_t policies) {
  const auto engine = engine::compile(cluster_of(name, policies));
  const engine::Request request{.object = pod_of(policies)};
  // The allocator tidies up after the compilation when it is first asked again.
  const bool allowed = engine && engine->decide(request).allowed;
  return [=] { return allowed && engine->decide(request).allowed; };
}

}  // namespace schedpol::testing
