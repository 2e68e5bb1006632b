// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Finds its way through JSON text by brackets and quotes alone. What is no JSON is not noticed,
/// and leads nowhere.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace support::yaml {

/// The end of a value, sought in a text that may go on.
class ValueEnd {
 public:
  /// Goes on at `at`, first where the value begins. True when `at` is behind the value; false where
  /// more of the text is needed. A number ends at what comes behind it, or with the text.
  [[nodiscard]] bool find(std::string_view json, std::size_t& at);

 private:
  std::size_t depth_ = 0;
  bool is_in_string_ = false;
  bool has_begun_ = false;
};

/// A member of an object by its offsets; of an item of a list, the key's is the value's.
struct Member {
  std::size_t key = 0;
  std::size_t value = 0;
  std::size_t end = 0;  ///< behind the value
};

/// The first byte from `at` on that is no space; the size where there is none.
[[nodiscard]] std::size_t skip_space(std::string_view json, std::size_t at);

/// The members of an object, or the items of a list, one after another.
class Members {
 public:
  /// Of the value at `at`; there are none in any other value.
  Members(std::string_view json, std::size_t at);
  [[nodiscard]] std::optional<Member> next();

 private:
  std::string_view json_;
  std::size_t at_;
  char end_ = '\0';  ///< what closes the value; null when there are no more
};

/// The last member of that name in the object at `at`.
[[nodiscard]] std::optional<Member> find_member(std::string_view json, std::size_t at,
                                                std::string_view name);

/// The item of that index in the list at `at`.
[[nodiscard]] std::optional<Member> find_item(std::string_view json, std::size_t at,
                                              std::size_t index);

/// Appends a text as a JSON string. What is not UTF-8 stays.
void append_string(std::string& json, std::string_view text);

}  // namespace support::yaml
