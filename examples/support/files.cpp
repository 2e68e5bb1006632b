// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

namespace support {

namespace {

constexpr std::size_t max_token_bytes = std::size_t{64} << 10U;

}  // namespace

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

std::optional<std::string> read_token(const std::filesystem::path& path) {
  std::optional<std::string> token = read_file(path);
  if (!token || token->size() > max_token_bytes) return std::nullopt;
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  const bool good =
      !token->empty() && std::all_of(token->begin(), token->end(), [](char c) { return c > ' '; });
  return good ? std::move(token) : std::nullopt;
}

}  // namespace support
