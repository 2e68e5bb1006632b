// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Flags: the options of a program's command line, with usage and checks.

#include "server.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace support {

class Flags {
 public:
  /// What the program is for, in a few lines of `--help`.
  explicit Flags(const std::string& about);
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  /// `--name TEXT`; what `value` holds is the default. `needs` and `excludes` below are names of
  /// flags that were added before.
  void text(const std::string& name, std::string& value, const std::string& help);
  void path(const std::string& name, std::filesystem::path& value, const std::string& help);
  /// `--name N` from `min` to `max`.
  void number(const std::string& name, long long& value, long long min, long long max,
              const std::string& help);
  /// `--name`, without a value.
  void toggle(const std::string& name, bool& value, const std::string& help);

  void required(const std::string& name);
  void needs(const std::string& name, const std::string& other);
  void excludes(const std::string& name, const std::string& other);

  /// `--listen`, `--cert`, `--key`, `--client-ca-file`, `--client-token-file`, `--drain`, and those
  /// of the bounds of a server.
  void server(ServerOptions& options, std::chrono::seconds& drain);

  /// Reads a command line. The status that the program has to end with: 0 after `--help`, which was
  /// printed, 2 where it is wrong, which was said on stderr.
  [[nodiscard]] std::optional<int> parse(int argc, const char* const* argv);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace support
