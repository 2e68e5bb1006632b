// SPDX-License-Identifier: Apache-2.0
#pragma once

/// JSON that no value type describes. `decode` reads it and `encode` writes it back.

#include <schedpol/version.hpp>

#include <map>
#include <string>

namespace SCHEDPOL_NAMESPACE::json {

/// A part of a document as compact JSON. null is empty.
struct RawMessage {
  std::string json{};
};

/// The members of an object.
using RawObject = std::map<std::string, RawMessage, std::less<>>;

}  // namespace SCHEDPOL_NAMESPACE::json
