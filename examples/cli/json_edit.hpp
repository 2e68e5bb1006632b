// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Fields of an object by the text of their path, as a person writes it in a file of cases.

#include <schedpol/engine/system.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cli {

/// The JSON with another value there: a field, the key of a map (`metadata.labels[app]`), or an item
/// that a list has, or the one after its last. Objects on the way that are not there are made.
/// Nothing where that is no path in it.
[[nodiscard]] std::optional<std::string> with_field(std::string_view json, std::string_view path,
                                                    std::string_view value);

/// Whether a decision on the object looks at such a field, as far as its first names tell; an object of
/// a custom kind has pod templates where `templates` say.
[[nodiscard]] bool is_looked_at(std::string_view path, std::string_view object,
                                std::span<const schedpol::engine::TemplatePath> templates);

}  // namespace cli
