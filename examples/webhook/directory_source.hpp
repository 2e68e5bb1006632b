// SPDX-License-Identifier: Apache-2.0
#pragma once

/// DirectorySource: the engine of the *.json, *.yaml and *.yml files of a directory, which may change
/// at any time.
///
/// 1. A set is what the files hold together. It is read again when a file changes, and put in force
///    as a whole.
/// 2. An object that cannot be used harms the pods that it may be about, and no others; the engine
///    says so (`Engine::problems`).
/// 3. A file that cannot be read, or is no document of objects, keeps none of the others from being
///    read: it counts as it last was. Where it never was anything else, since the program began,
///    nobody can tell which pods it is about: then all are denied, and the source is not ready.
/// 4. The same where the directory cannot be read, or no EngineConfiguration says what runs: the
///    set before stays in force; without one all pods are denied, and told why.

#include "../support/engine_source.hpp"
#include "../support/metrics.hpp"

#include <schedpol/base/field_error.hpp>
#include <schedpol/engine/configuration.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace webhook {

class DirectorySource : public support::EngineSource {
 public:
  /// Counts in `metrics`, which has to outlive it: `schedpol_policy_reloads_total{result}`.
  DirectorySource(std::filesystem::path directory, support::Metrics& metrics);

  [[nodiscard]] std::shared_ptr<const schedpol::engine::Engine> engine() const override {
    return engine_.get();
  }
  [[nodiscard]] support::SourceStatus status() const override {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  /// Takes in the files if they are others than last time.
  void refresh() override;

 private:
  /// By name; without bytes if it cannot be read. A ConfigMap has 1 MiB at most, so that the bytes
  /// are compared, rather than times and sizes that may be the same.
  using Files = std::map<std::string, std::optional<std::string>>;

  /// Nothing if the directory cannot be read.
  [[nodiscard]] std::optional<Files> read() const;
  [[nodiscard]] std::string path_of(const std::string& name) const;
  void take_in(const Files& files, std::vector<std::string>& stale);

  const std::filesystem::path directory_;
  support::Counter& good_reloads_;
  support::Counter& bad_reloads_;
  std::optional<std::optional<Files>> seen_;
  std::map<std::string, std::string> good_;  ///< the files as they last were right, as JSON
  support::CurrentEngine engine_;
  mutable std::mutex mutex_;
  support::SourceStatus status_;
};

}  // namespace webhook
