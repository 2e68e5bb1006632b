// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How programs read their files: policies, certificates and tokens come by volumes that change
/// under them.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace support {

/// A bound for memory; one byte more than a JSON document may have.
inline constexpr std::size_t max_file_bytes = (std::size_t{16} << 20U) + 1;

/// The first `max_file_bytes` of a regular file; nothing if there is none that can be read. Other
/// kinds of files are not opened, because opening a pipe waits.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path);

/// The bearer token in a file, without the end of its line; nothing where it is none, which must not
/// become more than a part of a header.
[[nodiscard]] std::optional<std::string> read_token(const std::filesystem::path& path);

}  // namespace support
