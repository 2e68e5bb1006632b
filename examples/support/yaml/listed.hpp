// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a list says of its items: those of a `PodList` are Pods of its version.

#include <cstddef>
#include <string>
#include <string_view>

namespace support::yaml {

struct Listed {
  std::string kind{};  ///< of the list
  std::string api_version{};

  /// What the JSON of a list says, as far as it is an object.
  [[nodiscard]] static Listed of(const std::string& json);

  [[nodiscard]] bool is_list() const { return kind.ends_with("List"); }
  /// As far as it is read: the kind may come behind the items.
  [[nodiscard]] bool may_be_list() const { return kind.empty() || is_list(); }

  /// What is wrong with one that is an item, or whose items stand elsewhere.
  static constexpr std::string_view not_read =
      "a list is read only as a document of its own, with its items in it: put these items into "
      "the "
      "outer list";

  /// What is wrong where it is none.
  static constexpr std::string_view no_list =
      "what has `items` first has to be of a kind that ends in `List`";

  /// Gives an item without a kind that of the list, behind what it has; the size of what it had.
  std::size_t complete(std::string& item) const;
};

}  // namespace support::yaml
