// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ClusterSource: the engine of a cluster, made of what its API server has.
///
/// 1. The policies of all systems, Namespaces, RuntimeClasses, Roles, ClusterRoles and their
///    bindings are listed and watched. Nothing is decided by part of them: before the first list of
///    each kind the engine denies everything.
/// 2. What changes is put in force at once, as a whole engine that takes the place of the one
///    before, made beside it by a thread of its own; what comes meanwhile waits for the next one. A
///    change that means nothing to the engine (a status, an annotation) makes none.
/// 3. Which systems run, and how, says a file with an EngineConfiguration and nothing else, which
///    is read again when it changes; one that is wrong is told of and changes nothing. Where it
///    does not say `access.apiGroup` that is the group of the policies.
/// 4. An object that cannot be read harms the pods that it speaks of, and no others.
/// 5. Every policy is given a condition (`conditions.hpp`).

#include "api_client.hpp"
#include "api_object.hpp"
#include "engine_source.hpp"
#include "metrics.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// What a cluster's engine is made of, in the versions that are read.
[[nodiscard]] std::vector<Collection> engine_collections(std::string_view policy_group);

struct ClusterSourceOptions {
  std::filesystem::path configuration{};  ///< the file with the EngineConfiguration
  /// The group of SchedulingPolicies and MetadataPolicies; that of the other systems' policies is theirs.
  std::string policy_group{schedpol::own_api_group};
  /// Without a word of the server for so long, a collection is stale. A watch is given up after
  /// half of that.
  std::chrono::seconds stale_after{300};
};

class ClusterSource : public EngineSource {
 public:
  /// Both have to outlive it. It counts in `metrics` what every Reflector does.
  ClusterSource(ApiClient& client, ClusterSourceOptions options, Metrics& metrics);
  ~ClusterSource() override;

  /// Reads the configuration and begins to watch. What is wrong with the configuration; empty:
  /// nothing.
  [[nodiscard]] std::string start();

  [[nodiscard]] std::shared_ptr<const schedpol::engine::Engine> engine() const override;
  [[nodiscard]] bool is_watched() const override { return true; }
  [[nodiscard]] SourceStatus status() const override;
  /// Reads the configuration again if it is another one.
  void refresh() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace support
