// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether two values of a tree are equal as RFC 6902, section 4.6, has it: strings by what they
/// say, numbers by value, lists item by item, objects whatever the order of their members.

#include <schedpol/json/impl/text_scanner.hpp>
#include <schedpol/json/impl/text_tree.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace schedpol::json::detail {

/// A JSON number as the digits that matter and a power of ten.
struct Decimal {
  bool negative = false;
  std::string digits{};  ///< without zeros at either end; none is zero
  std::int64_t power = 0;

  explicit Decimal(std::string_view number) {
    negative = number.starts_with('-');
    const std::size_t exponent = number.find_first_of("eE");
    if (exponent != std::string_view::npos) power = read_power(number.substr(exponent + 1));
    bool is_fraction = false;
    for (const char c : number.substr(0, exponent)) {
      if (c == '.') is_fraction = true;
      if (c < '0') continue;  // a sign, the point
      digits += c;
      if (is_fraction) --power;
    }
    digits.erase(0, digits.find_first_not_of('0'));
    while (!digits.empty() && digits.back() == '0') {
      digits.pop_back();
      ++power;
    }
    if (digits.empty()) power = 0, negative = false;
  }

  friend bool operator==(const Decimal&, const Decimal&) = default;

 private:
  /// Beyond all that digits of a document can make up for, where it is out of range.
  static std::int64_t read_power(std::string_view text) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    const bool falls = text.starts_with('-');
    if (falls || text.starts_with('+')) text.remove_prefix(1);
    std::int64_t read = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (error != std::errc() || read > most) read = most;
    return falls ? -read : read;
  }
};

/// Costs what `wanted` is long, however long `found` is; each list or object that is looked into
/// costs its length once.
[[nodiscard]] inline bool is_equal(TextTree& tree, TextNode found, TextNode wanted) {
  const TextTree::Kind kind = tree.kind(found);
  if (kind != tree.kind(wanted)) return false;
  switch (kind) {
    case TextTree::Kind::word: return tree.text(found) == tree.text(wanted);
    case TextTree::Kind::number: return Decimal(tree.text(found)) == Decimal(tree.text(wanted));
    case TextTree::Kind::string: return unescaped(tree.text(found)) == unescaped(tree.text(wanted));
    case TextTree::Kind::list: {
      const TextItems& of_found = tree.items(found);
      const TextItems& of_wanted = tree.items(wanted);
      return of_found.size() == of_wanted.size() &&
             of_wanted.all_beside(of_found, [&](const TextItem& item, const TextItem& same) {
               return is_equal(tree, same.value, item.value);
             });
    }
    case TextTree::Kind::object: break;
  }
  if (tree.members(found).by_key.size() != tree.members(wanted).by_key.size()) return false;
  for (const auto& [key, item] : tree.members(wanted).by_key) {
    const TextNode* const same = tree.member(found, key);
    if (same == nullptr || !is_equal(tree, *same, item->value)) return false;
  }
  return true;
}

}  // namespace schedpol::json::detail
