// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <fstream>
#include <system_error>

namespace support {

std::optional<std::string> read_file(const std::filesystem::path& path) {
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

}  // namespace support
