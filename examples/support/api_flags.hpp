// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The flags that say which API server a program speaks to: `--in-cluster`, or `--api-server URL
/// --token-file FILE --ca-file FILE`.

#include "api_client.hpp"
#include "flags.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace support {

struct ApiServerFlags {
  bool in_cluster = false;
  std::string url{};
  std::filesystem::path token_file{};
  std::filesystem::path ca_file{};
  long long stale_after = 300;  ///< seconds without a word of the server

  /// Adds the flags, which are read into this.
  void add_to(Flags& flags);

  /// Whether a cluster was asked for.
  [[nodiscard]] bool given() const noexcept { return in_cluster || !url.empty(); }

  /// The server that they name, or what is wrong with them.
  [[nodiscard]] std::optional<ApiServer> server(std::string& problem) const;
};

}  // namespace support
