// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"

#include <schedpol/json/decode.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace support::yaml {

namespace {

/// Bytes at which a run of others ends.
class ByteSet {
 public:
  constexpr explicit ByteSet(std::string_view bytes) {
    for (const char byte : bytes) has_[static_cast<unsigned char>(byte)] = true;
  }
  /// The first of them from `at` on; the size where there is none.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t at) const {
    while (at < text.size() && !has_[static_cast<unsigned char>(text[at])]) ++at;
    return at;
  }

 private:
  std::array<bool, 256> has_{};
};

constexpr ByteSet structure("{}[]\"");
constexpr ByteSet string_marks("\"\\");

}  // namespace

bool ValueEnd::find(std::string_view json, std::size_t& at) {
  while (at < json.size()) {
    if (is_in_string_) {
      at = string_marks.find(json, at);
      const bool is_escape = at < json.size() && json[at] == '\\';
      if (at + (is_escape ? 1 : 0) >= json.size()) return false;
      at += is_escape ? 2 : 1;
      if (is_escape) continue;
      is_in_string_ = false;
      if (depth_ == 0) return true;
      continue;
    }
    // Within an object or a list nothing else matters.
    if (depth_ > 0 && (at = structure.find(json, at)) == json.size()) return false;
    switch (json[at]) {
      case '{':
      case '[':
      case '"':
        if (depth_ == 0 && has_begun_) return true;
        if (json[at] == '"') {
          is_in_string_ = true;
        } else {
          ++depth_;
        }
        break;
      case '}':
      case ']':
        if (depth_ == 0) return true;
        if (--depth_ == 0) {
          ++at;
          return true;
        }
        break;
      case ',':
      case ':':
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        if (depth_ == 0) return true;
        break;
      default: break;
    }
    has_begun_ = true;
    ++at;
  }
  return false;
}

std::size_t skip_space(std::string_view json, std::size_t at) {
  return std::min(json.find_first_not_of(" \t\r\n", at), json.size());
}

Members::Members(std::string_view json, std::size_t at) : json_(json), at_(at + 1) {
  if (at < json.size() && json[at] == '{') end_ = '}';
  if (at < json.size() && json[at] == '[') end_ = ']';
}

std::optional<Member> Members::next() {
  const auto byte = [this] {
    at_ = skip_space(json_, at_);
    return at_ < json_.size() ? json_[at_] : '\0';
  };
  const auto skip_value = [this] {
    // A number may end with the text.
    return ValueEnd().find(json_, at_) || at_ == json_.size();
  };
  if (end_ == '\0') return std::nullopt;
  if (byte() == ',') ++at_;
  Member member;
  bool good = byte() != end_ && byte() != '\0';
  member.key = at_;
  if (end_ == '}') {
    good = good && skip_value() && byte() == ':';
    ++at_;
  }
  good = good && byte() != '\0';
  member.value = end_ == '}' ? at_ : member.key;
  good = good && skip_value() && at_ > member.value;
  member.end = at_;
  if (good) return member;
  end_ = '\0';
  return std::nullopt;
}

std::optional<Member> find_member(std::string_view json, std::size_t at, std::string_view name) {
  if (at >= json.size() || json[at] != '{') return std::nullopt;
  std::optional<Member> found;
  Members members(json, at);
  while (const auto member = members.next()) {
    std::size_t end = member->key;
    if (!ValueEnd().find(json, end) || json[member->key] != '"') continue;
    const std::string_view key = json.substr(member->key, end - member->key);
    if (key.find('\\') == std::string_view::npos) {
      if (key.substr(1, key.size() - 2) == name) found = member;
    } else if (const auto text = schedpol::json::decode<std::string>(key); text && *text == name) {
      found = member;
    }
  }
  return found;
}

std::optional<Member> find_item(std::string_view json, std::size_t at, std::size_t index) {
  if (at >= json.size() || json[at] != '[') return std::nullopt;
  Members items(json, at);
  auto item = items.next();
  for (; item && index > 0; --index) item = items.next();
  return item;
}

void append_string(std::string& json, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  json += '"';
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    json.append(text, plain, at - plain);
    plain = at + 1;
    if (byte >= 0x20) {
      json.append({'\\', text[at]});
    } else {
      json.append("\\u00").append({digits[byte >> 4U], digits[byte & 0xFU]});
    }
  }
  json.append(text, plain);
  json += '"';
}

}  // namespace support::yaml
