// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Texts of CEL, the Common Expression Language, as Kubernetes' admission policies have it: put together
/// so that what is always true or false is left out.

#include <schedpol/base/texts.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cli::cel {

using Parts = std::vector<std::string>;

inline constexpr std::string_view always = "true";
inline constexpr std::string_view never = "false";

/// A string literal, whatever is in the text.
[[nodiscard]] std::string quoted(std::string_view text);

/// `['a', 'b']`.
[[nodiscard]] std::string list(const schedpol::Texts& texts);

/// A JSON value. The values of a map may be of several types, which CEL takes only where each is `dyn`.
[[nodiscard]] std::string literal(std::string_view json);

/// All, one of several conditions; of none that is `always`, and `never`.
[[nodiscard]] std::string all_of(const Parts& conditions);
[[nodiscard]] std::string any_of(const Parts& conditions);
[[nodiscard]] std::string negated(const std::string& condition);

/// `value in ['a', 'b']`, or `value == 'a'`.
[[nodiscard]] std::string is_one_of(const std::string& value, const schedpol::Texts& texts);

/// `list.all(name, condition)`, `list.exists(...)`, `list.filter(...)`.
[[nodiscard]] std::string each(const std::string& list, std::string_view name,
                               const std::string& condition);
[[nodiscard]] std::string some(const std::string& list, std::string_view name,
                               const std::string& condition);
[[nodiscard]] std::string filtered(const std::string& list, std::string_view name,
                                   const std::string& condition);

/// A field of an object, or what it is taken for where it is absent.
[[nodiscard]] std::string field_or(const std::string& object, std::string_view name,
                                   std::string_view otherwise);

}  // namespace cli::cel
