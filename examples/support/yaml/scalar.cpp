// SPDX-License-Identifier: Apache-2.0
#include "scalar.hpp"

#include "json_text.hpp"

#include <schedpol/base/quoting.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace support::yaml {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// The words of YAML 1.1: null, booleans, infinities and what is no number.
std::optional<Scalar> word(std::string_view text) {
  if (text.size() > 5) return std::nullopt;
  if (is_any_of(text, {"", "~", "null", "Null", "NULL"})) return Scalar(nullptr);
  if (is_any_of(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    return Scalar(true);
  }
  if (is_any_of(text,
                {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    return Scalar(false);
  }
  if (is_any_of(text, {".nan", ".NaN", ".NAN"})) return Scalar(std::nan(""));
  const bool is_negative = text.front() == '-';
  if (is_negative || text.front() == '+') text.remove_prefix(1);
  if (is_any_of(text, {".inf", ".Inf", ".INF"})) return Scalar(is_negative ? -HUGE_VAL : HUGE_VAL);
  return std::nullopt;
}

/// Digits of that base and nothing else.
std::optional<std::uint64_t> digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// An integer with its sign: of base 16, 8 or 2 after 0x, 0o or 0b, of base 8 after a zero.
std::optional<Scalar> integer(std::string_view text) {
  const bool is_negative = text.front() == '-';
  const bool has_sign = is_negative || text.front() == '+';
  if (has_sign) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const char letter = text.size() > 2 ? static_cast<char>(text[1] | 0x20) : '0';
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    text.remove_prefix(letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
  }
  const std::optional<std::uint64_t> value = digits(text, base);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value || (has_sign && *value > most + (is_negative ? 1 : 0))) return std::nullopt;
  if (is_negative) return Scalar(static_cast<std::int64_t>(~*value + 1));
  if (*value <= most) return Scalar(static_cast<std::int64_t>(*value));
  return Scalar(*value);
}

/// `1`, `1.5`, `.5`, `1.`, each with a sign and an exponent if there is one.
bool is_decimal(std::string_view text) {
  const auto take = [&text](std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
  };
  const auto take_digits = [&text] {
    const std::size_t before = text.size();
    while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
    return before != text.size();
  };
  take("+-");
  const bool has_whole = take_digits();
  const bool has_fraction = take(".") && take_digits();
  if (!has_whole && !has_fraction) return false;
  if (take("eE")) {
    take("+-");
    if (!take_digits()) return false;
  }
  return text.empty();
}

/// Whether each underscore is between digits. Only what begins with a point is that strict.
bool are_underscores_good(std::string_view text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] != '_') continue;
    if (!is_digit(text[at - 1]) || at + 1 == text.size() || !is_digit(text[at + 1])) return false;
  }
  return true;
}

std::optional<Scalar> number(std::string_view text) {
  if (text.front() == '.' && !are_underscores_good(text)) return std::nullopt;
  std::string without;
  if (text.find('_') != std::string_view::npos) {
    without = text;
    without.erase(std::remove(without.begin(), without.end(), '_'), without.end());
    text = without;
  }
  if (text.front() != '.') {
    if (auto value = integer(text)) return value;
  }
  if (!is_decimal(text)) return std::nullopt;
  // Of the C locale, which programs leave as it is: not every standard library has from_chars.
  const double value = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return Scalar(value);
}

Scalar resolve_plain(std::string_view text) {
  if (text.empty()) return nullptr;
  const char first = text.front();
  const bool may_be_number = is_digit(first) || first == '+' || first == '-' || first == '.';
  constexpr std::string_view first_of_words = "yYnNtTfFoO~";
  if (!may_be_number && first_of_words.find(first) == std::string_view::npos) return Text{};
  if (const auto value = word(text)) return *value;
  if (may_be_number) {
    if (const auto value = number(text)) return *value;
  }
  return Text{};
}

/// A decimal number by its digits, `exponent` the power of ten of the first.
struct Decimal {
  bool is_negative = false;
  std::string digits;
  int exponent = 0;
};

/// The shortest that is read back as the same.
template <class Float>
Decimal shortest(Float value) {
  char text[64];
  const char* const end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  Decimal decimal{std::signbit(value), {}, 0};
  const char* at = text;
  for (; at != end && *at != 'e'; ++at)
    if (is_digit(*at)) decimal.digits += *at;
  if (at != end) at += at[1] == '+' ? 2 : 1;
  std::from_chars(at, end, decimal.exponent);
  return decimal;
}

/// Without an exponent where that is at least `lowest` and below `highest`; an exponent has two
/// digits at least, and in JSON one.
std::string print(const Decimal& decimal, int lowest, int highest, bool is_json) {
  std::string text = decimal.is_negative ? "-" : "";
  const auto& [negative, digits, exponent] = decimal;
  if (exponent < lowest || exponent >= highest) {
    text += digits.front();
    if (digits.size() > 1) text.append(".").append(digits, 1);
    const std::string power = std::to_string(std::abs(exponent));
    text += exponent < 0 ? "e-" : "e+";
    if (power.size() == 1 && !is_json) text += '0';
    return text + power;
  }
  if (exponent < 0) {
    text.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0');
    return text + digits;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  text.append(digits, 0, whole);
  if (digits.size() <= whole) return text.append(whole - digits.size(), '0');
  return text.append(".").append(digits, whole);
}

std::string json_number(double value) {
  constexpr int lowest = -6;
  constexpr int highest = 21;
  return value == 0 ? std::signbit(value) ? "-0" : "0"
                    : print(shortest(value), lowest, highest, true);
}

/// As Go prints a number of 32 bits, which keys are taken for.
std::string key_number(double value) {
  constexpr int lowest = -4;
  constexpr int highest = 6;
  const auto narrow = static_cast<float>(value);
  if (std::isnan(narrow)) return ".nan";
  if (std::isinf(narrow)) return narrow < 0 ? "-.inf" : ".inf";
  if (narrow == 0) return std::signbit(narrow) ? "-0" : "0";
  return print(shortest(narrow), lowest, highest, false);
}

/// A number of base 60, which YAML 1.1 has and Kubernetes has not: `1:20`.
bool is_sexagesimal(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front()) || text.front() == '0') return false;
  const std::size_t whole = text.find_first_not_of("0123456789_");
  if (whole == std::string_view::npos) return false;
  text.remove_prefix(whole);
  while (!text.empty() && text.front() == ':') {
    text.remove_prefix(1);
    const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
    if (size == 0 || size > 2 || (size == 2 && text.front() > '5')) return false;
    text.remove_prefix(size);
  }
  if (!text.empty() && text.front() != '.') return false;
  return text.empty() || text.find_first_not_of("0123456789_", 1) == std::string_view::npos;
}

/// Whether it is written as everybody reads it, and not rounded where it has no point.
bool is_usual_number(std::string_view text, const Scalar& scalar) {
  if (text.find_first_not_of("+-.0123456789") != std::string_view::npos) return false;
  const bool has_point = text.find('.') != std::string_view::npos;
  if (std::holds_alternative<double>(scalar) && !has_point) return false;
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  return text.size() == 1 || text[0] != '0' || text[1] == '.';
}

}  // namespace

std::optional<Scalar> resolve(std::string_view text, std::string_view tag, bool is_plain) {
  constexpr std::string_view standard = "tag:yaml.org,2002:";
  if (tag.empty()) return is_plain ? resolve_plain(text) : Scalar(Text{});
  if (!tag.starts_with(standard)) return Text{};
  tag.remove_prefix(standard.size());
  if (tag == "binary") return std::nullopt;
  if (!is_any_of(tag, {"null", "bool", "int", "float"})) return Text{};
  const Scalar scalar = resolve_plain(text);
  if (tag == "null" && std::holds_alternative<std::nullptr_t>(scalar)) return scalar;
  if (tag == "bool" && std::holds_alternative<bool>(scalar)) return scalar;
  const auto* const whole = std::get_if<std::int64_t>(&scalar);
  const bool is_large = std::holds_alternative<std::uint64_t>(scalar);
  if (tag == "int" && (whole != nullptr || is_large)) return scalar;
  if (tag == "float" && whole != nullptr) return static_cast<double>(*whole);
  if (tag == "float" && std::holds_alternative<double>(scalar)) return scalar;
  return std::nullopt;
}

bool append_json(std::string& json, std::string_view text, const Scalar& scalar) {
  if (const auto* const number = std::get_if<double>(&scalar)) {
    if (!std::isfinite(*number)) return false;
    json += json_number(*number);
  } else if (std::holds_alternative<Text>(scalar)) {
    append_string(json, text);
  } else if (const auto* const large = std::get_if<std::uint64_t>(&scalar)) {
    json += std::to_string(*large);
  } else if (std::holds_alternative<std::nullptr_t>(scalar)) {
    json += "null";
  } else {
    json += *key_text(text, scalar);
  }
  return true;
}

std::optional<std::string> key_text(std::string_view text, const Scalar& scalar) {
  if (std::holds_alternative<Text>(scalar)) return std::string(text);
  if (const auto* const boolean = std::get_if<bool>(&scalar)) return *boolean ? "true" : "false";
  if (const auto* const whole = std::get_if<std::int64_t>(&scalar)) return std::to_string(*whole);
  if (const auto* const number = std::get_if<double>(&scalar)) return key_number(*number);
  return std::nullopt;
}

std::optional<std::string> surprise(std::string_view text, const Scalar& scalar) {
  std::string read;
  if (std::holds_alternative<std::nullptr_t>(scalar)) {
    return std::nullopt;
  } else if (std::holds_alternative<Text>(scalar)) {
    if (!is_sexagesimal(text)) return std::nullopt;
    read = "text, which other readers of YAML take for a number of base 60";
  } else if (std::holds_alternative<bool>(scalar)) {
    const bool is_usual = text.size() > 3;  // `true` and `false`
    if (is_usual) return std::nullopt;
    read = *key_text(text, scalar) + ", and as text only in quotes";
  } else {
    if (is_usual_number(text, scalar) || !append_json(read, text, scalar)) return std::nullopt;
    read = "the number " + read + ", and as text only in quotes";
  }
  return schedpol::in_backticks(text) + " is read as " + read;
}

}  // namespace support::yaml
