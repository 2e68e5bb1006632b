// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether two values are equal by RFC 6902, section 4.6: strings by their characters, numbers by
/// value, lists item by item, objects with their members in any order.

#include <schedpol/base/impl/decimal_int64.hpp>
#include <schedpol/json/impl/elements.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

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
    if (!digits.empty()) return;
    power = 0;
    negative = false;
  }

  friend bool operator==(const Decimal&, const Decimal&) = default;

 private:
  /// Beyond all that digits of a document can make up for, where it is out of range.
  static std::int64_t read_power(std::string_view text) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    const auto read = schedpol::detail::signed_int64(text);
    return std::clamp(read.value_or(text.starts_with('-') ? -most : most), -most, most);
  }
};

/// A parsed document has each key once.
[[nodiscard]] inline std::vector<ElementMember> members_by_key(Element object) {
  std::vector<ElementMember> members;
  for (const ElementMember member : object.members()) members.push_back(member);
  std::sort(members.begin(), members.end(),
            [](const ElementMember& a, const ElementMember& b) { return a.key < b.key; });
  return members;
}

/// Costs n log n in what both say.
[[nodiscard]] inline bool is_equal(Element a, Element b) {
  if (a.is_number() && b.is_number())
    return a.text() == b.text() || Decimal(a.text()) == Decimal(b.text());
  if (a.kind() != b.kind()) return false;
  if (a.is_string()) return a.text() == b.text();
  if (a.is_object()) {
    const auto of_a = members_by_key(a);
    const auto of_b = members_by_key(b);
    return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                      [](const ElementMember& one, const ElementMember& other) {
                        return one.key == other.key && is_equal(one.value, other.value);
                      });
  }
  const ElementItems of_a = a.items();  // a word that both are has none
  const ElementItems of_b = b.items();
  if (of_a.size() != of_b.size()) return false;
  auto at = of_a.begin();
  for (const Element item : of_b) {
    if (!is_equal(*at, item)) return false;
    ++at;
  }
  return true;
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
