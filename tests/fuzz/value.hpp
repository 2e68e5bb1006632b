// SPDX-License-Identifier: Apache-2.0
#pragma once

// JSON as a tree that owes nothing to the library: what targets take inputs apart with and look for
// in answers, and what the mutator changes. Scalars and keys are the bytes they were written in.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::fuzz {

struct Value {
  enum class Kind { scalar, list, object };

  Kind kind = Kind::scalar;
  std::string key{};  ///< of a member of an object
  std::string scalar = "null";
  std::vector<Value> members{};

  /// The member of a name that needs no escapes.
  [[nodiscard]] const Value* find(std::string_view name) const;
  /// Its text; empty where there is none.
  [[nodiscard]] std::string at(std::string_view name) const;
};

/// Nothing where the bytes are too far from JSON, or too deep. Takes what a parser may not: keys
/// twice, any scalar.
[[nodiscard]] std::optional<Value> parse(std::string_view bytes);
[[nodiscard]] std::string print(const Value& value);

/// Members in any order; scalars by their bytes.
[[nodiscard]] bool same(const Value& a, const Value& b);
[[nodiscard]] bool same(std::string_view a, std::string_view b);

}  // namespace schedpol::fuzz
