// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The policies in force: those of the *.json files of a directory, built into an Engine beside the
/// one that is asked. A set with any mistake in it is told of and not used; the one before stays.

#include "files.hpp"

#include <schedpol/engine/engine.hpp>
#include <schedpol/json/configuration.hpp>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace webhook {

class Policies {
 public:
  explicit Policies(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// The engine to ask. Who holds it goes on with it, whatever is loaded meanwhile. Before the
  /// first good set it is one that denies everything.
  [[nodiscard]] std::shared_ptr<const schedpol::engine::Engine> engine() const {
    const std::lock_guard lock(mutex_);
    return engine_;
  }

  struct State {
    std::uint64_t generation = 0;  ///< good sets so far; 0 is not ready
    std::uint64_t bad = 0;         ///< bad sets so far
    std::string problem{};         ///< the first one of the files as they are; empty: none
  };
  [[nodiscard]] State state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

  /// Takes in the files if they are others than last time. To be called by one thread.
  void reload() {
    Files files = read();
    if (seen_ && *seen_ == files) return;
    // A volume may change between two files. Such a mixture is not there a second time.
    if (read() != files) return;
    seen_ = std::move(files);

    std::vector<std::string> problems;
    std::shared_ptr<const schedpol::engine::Engine> engine = build(*seen_, problems);
    for (const std::string& problem : problems) std::cerr << problem << '\n';
    State state = this->state();
    if (engine != nullptr) {
      ++state.generation;
      state.problem.clear();
      std::cerr << directory_.string() << ": policy set " << state.generation << " is in force, "
                << seen_->size() << " files\n";
    } else {
      ++state.bad;
      state.problem = std::move(problems.front());
    }
    // Neither the output nor the end of the old engine may keep requests waiting for the lock.
    const std::lock_guard lock(mutex_);
    state_ = std::move(state);
    if (engine != nullptr) engine_.swap(engine);
  }

 private:
  /// By name; without bytes if it cannot be read. A ConfigMap has 1 MiB at most, so that the bytes
  /// are compared, rather than times and sizes that may be the same.
  using Files = std::map<std::string, std::optional<std::string>>;

  [[nodiscard]] Files read() const {
    Files files;
    std::error_code error;
    std::filesystem::directory_iterator entry(directory_, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      const std::filesystem::path& path = entry->path();
      std::string name = path.filename().string();
      if (name.front() != '.' && path.extension() == ".json")
        files.emplace(std::move(name), read_file(path));
    }
    // Part of a directory could lack the very policy that denies.
    if (error) files = {{"", std::nullopt}};
    return files;
  }

  /// Null with problems.
  [[nodiscard]] std::shared_ptr<const schedpol::engine::Engine> build(
      const Files& files, std::vector<std::string>& problems) const {
    schedpol::engine::Configuration configuration;
    for (const auto& [name, bytes] : files) {
      const std::string path = (directory_ / name).string();
      if (!bytes) {
        problems.push_back(path + ": cannot be read");
        continue;
      }
      for (const schedpol::FieldError& error : schedpol::json::add_objects(configuration, *bytes))
        problems.push_back(path + ": " + message(error));
    }
    if (!problems.empty()) return nullptr;
    for (const schedpol::FieldError& error : validate(configuration))
      problems.push_back(directory_.string() + ": " + message(error));
    if (!problems.empty()) return nullptr;
    return std::make_shared<const schedpol::engine::Engine>(*compile(configuration));
  }

  const std::filesystem::path directory_;
  std::optional<Files> seen_;
  mutable std::mutex mutex_;
  State state_;
  std::shared_ptr<const schedpol::engine::Engine> engine_ =
      std::make_shared<const schedpol::engine::Engine>();
};

}  // namespace webhook
