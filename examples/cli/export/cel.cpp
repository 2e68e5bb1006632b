// SPDX-License-Identifier: Apache-2.0
#include "cel.hpp"

#include "../../support/json_members.hpp"
#include "../../support/printable.hpp"

#include <schedpol/json/decode.hpp>
#include <schedpol/json/raw_message.hpp>

#include <algorithm>

namespace cli::cel {

namespace {

/// Needs no parentheses beside an operator.
bool is_atom(const std::string& text) {
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && c == '\\') {
      ++i;
    } else if (c == '\'') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && (c == '(' || c == '[' || c == '{')) {
      ++depth;
    } else if (!is_quoted && (c == ')' || c == ']' || c == '}')) {
      --depth;
    } else if (!is_quoted && depth == 0 && (c == '|' || c == '&' || c == '?')) {
      const char next = i + 1 < text.size() ? text[i + 1] : ' ';
      if (c != '?' || next == ' ') return false;  // `.?` selects
    }
  }
  return true;
}

std::string joined(const Parts& conditions, std::string_view neutral, std::string_view absorbing,
                   std::string_view operator_) {
  std::string text;
  Parts kept;
  for (const std::string& each : conditions) {
    if (each == absorbing) return std::string(absorbing);
    if (each != neutral) kept.push_back(each);
  }
  if (kept.empty()) return std::string(neutral);
  if (kept.size() == 1) return kept.front();
  for (const std::string& each : kept) {
    if (!text.empty()) text.append(" ").append(operator_).append(" ");
    text += is_atom(each) ? each : "(" + each + ")";
  }
  return text;
}

std::string macro(const std::string& list, std::string_view of, std::string_view name,
                  const std::string& condition) {
  return (is_atom(list) ? list : "(" + list + ")") + "." + std::string(of) + "(" +
         std::string(name) + ", " + condition + ")";
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "'";
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t bytes = std::max<std::size_t>(support::utf8_bytes(text), 1);
    if (c == '\'' || c == '\\') {
      out.append("\\").append(1, c);
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      const char32_t code =
          bytes > 1 ? support::code_point(text.substr(0, bytes)) : static_cast<unsigned char>(c);
      out += "\\U";
      for (int shift = 28; shift >= 0; shift -= 4) out += digits[code >> shift & 15U];
    }
    text.remove_prefix(bytes);
  }
  return out + "'";
}

std::string list(const schedpol::Texts& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + quoted(text);
  return "[" + out + "]";
}

std::string literal(std::string_view json) {
  std::string out;
  if (json.starts_with("{")) {
    for (const auto& [name, value] : support::read_object(json))
      out += (out.empty() ? "" : ", ") + quoted(name) + ": dyn(" + literal(value.json) + ")";
    return "{" + out + "}";
  }
  if (json.starts_with("[")) {
    const auto items = schedpol::json::decode<std::vector<schedpol::json::RawMessage>>(json);
    for (std::size_t i = 0; items && i < items->size(); ++i)
      out += (i == 0 ? "" : ", ") + literal((*items)[i].json);
    return "[" + out + "]";
  }
  if (json.starts_with("\"")) {
    const auto text = schedpol::json::decode<std::string>(json);
    return quoted(text ? *text : std::string());
  }
  return std::string(json);
}

std::string all_of(const Parts& conditions) {
  return joined(conditions, always, never, "&&");
}
std::string any_of(const Parts& conditions) {
  return joined(conditions, never, always, "||");
}
std::string negated(const std::string& condition) {
  if (condition == always) return std::string(never);
  if (condition == never) return std::string(always);
  return "!(" + condition + ")";
}

std::string is_one_of(const std::string& value, const schedpol::Texts& texts) {
  if (texts.empty()) return std::string(never);
  if (texts.size() == 1) return value + " == " + quoted(texts.front());
  return value + " in " + list(texts);
}

std::string each(const std::string& list, std::string_view name, const std::string& condition) {
  if (condition == always) return condition;
  return macro(list, "all", name, condition);
}
std::string some(const std::string& list, std::string_view name, const std::string& condition) {
  if (condition == never) return condition;
  return macro(list, "exists", name, condition);
}
std::string filtered(const std::string& list, std::string_view name, const std::string& condition) {
  return macro(list, "filter", name, condition);
}

std::string field_or(const std::string& object, std::string_view name, std::string_view otherwise) {
  return object + ".?" + std::string(name) + ".orValue(" + std::string(otherwise) + ")";
}

}  // namespace cli::cel
