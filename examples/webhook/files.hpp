// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the server reads its files: policies and certificates come by volumes that change under it.

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace webhook {

/// A bound for memory; one byte more than a JSON document may have.
inline constexpr std::size_t max_file_bytes = (std::size_t{16} << 20U) + 1;

/// The first `max_file_bytes` of a regular file; nothing if there is none that can be read. Other
/// kinds of files are not opened, because opening a pipe waits.
[[nodiscard]] inline std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  char part[16384];
  while (file && bytes.size() < max_file_bytes) {
    file.read(part, sizeof part);
    bytes.append(part, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad() || !(file || file.eof())) return std::nullopt;
  return bytes;
}

}  // namespace webhook
