// SPDX-License-Identifier: Apache-2.0
// One decision of an Engine of many policies of which three apply, or one object replaced in it.
#include "../flat/flat.hpp"

#include <schedpol/engine/engine.hpp>

#include "clusters.hpp"

namespace schedpol::testing {

/// Of a cluster; "CLUSTER, a KIND replaced" is not a decision but that.
Flat flat_decision(const std::string& name, std::size_t policies) {
  const std::size_t comma = name.find(", a ");
  const auto configuration = cluster_of(name.substr(0, comma), policies);
  const auto engine = engine::compile(configuration);
  const engine::Request request{.object = pod_of(policies)};
  // The allocator tidies up after the compilation when it is first asked again.
  const bool allowed = engine && engine->decide(request).allowed;
  if (comma == std::string::npos) return [=] { return allowed && engine->decide(request).allowed; };
  const std::size_t kind = comma + 4;
  const engine::Objects changed =
      one_changed(configuration.objects, name.substr(kind, name.find(' ', kind) - kind));
  const bool replaced = allowed && engine->with(changed).decide(request).allowed;
  return [=] {
    const engine::Engine other = engine->with(changed);
    return replaced && other.runs(engine::System::scheduling_policy);
  };
}

}  // namespace schedpol::testing
