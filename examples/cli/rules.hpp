// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rules of a policy, and the policy in which one of them was never written.

#include <schedpol/base/field_path.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct Rule {
  schedpol::FieldPath field{};  ///< `spec.allowed.tolerations[2]`
  /// The policy without it, as JSON; empty where nothing of it is left. With the only entry of a list
  /// the list goes, and so does what is then empty around it.
  std::string without{};
};

/// Of the JSON of a policy of any system or a RuntimeClass, in its order.
[[nodiscard]] std::vector<Rule> rules_of(std::string_view json);

}  // namespace cli
