// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a YAML scalar stands for, as sigs.k8s.io/yaml resolves it, and that in JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace support::yaml {

/// The scalar as it is written, without its quotes.
struct Text {};
/// A number that is read as an integer, a larger one, and any other.
using Scalar = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, Text>;

/// A scalar with the tag that it has, empty where it has none; nothing where the tag does not fit.
/// `is_plain`: it has no quotes, or a tag.
[[nodiscard]] std::optional<Scalar> resolve(std::string_view text, std::string_view tag,
                                            bool is_plain);

/// Appends the JSON; false where JSON has nothing for it: infinity, and what is no number.
[[nodiscard]] bool append_json(std::string& json, std::string_view text, const Scalar& scalar);

/// The text that a key is; nothing where it cannot be one: null, and what is beyond 64 bits.
[[nodiscard]] std::optional<std::string> key_text(std::string_view text, const Scalar& scalar);

/// What a person may not have meant by a plain scalar, where that is so.
[[nodiscard]] std::optional<std::string> surprise(std::string_view text, const Scalar& scalar);

}  // namespace support::yaml
