// SPDX-License-Identifier: Apache-2.0
#include "value.hpp"

#include <algorithm>

namespace schedpol::fuzz {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view bytes) : rest_(bytes) {}

  std::optional<Value> run() {
    Value value;
    if (!read(value, 0)) return std::nullopt;
    skip();
    if (!rest_.empty()) return std::nullopt;
    return value;
  }

 private:
  static constexpr int deepest = 300;

  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool take(char wanted) {
    skip();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool read_scalar(std::string& token) {
    skip();
    std::size_t size = 0;
    if (!rest_.empty() && rest_.front() == '"') {
      for (size = 1; size < rest_.size() && rest_[size] != '"'; ++size) size += rest_[size] == '\\';
      if (++size > rest_.size()) return false;
    } else {
      size = std::min(rest_.find_first_of("{}[],:\" \t\r\n"), rest_.size());
      if (size == 0) return false;
    }
    token = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool read(Value& value, int depth) {
    if (depth > deepest) return false;
    const bool object = take('{');
    if (!object && !take('[')) return read_scalar(value.scalar);
    value.kind = object ? Value::Kind::object : Value::Kind::list;
    const char end = object ? '}' : ']';
    if (take(end)) return true;
    do {
      Value& member = value.members.emplace_back();
      if (object && (!read_scalar(member.key) || !take(':'))) return false;
      if (!read(member, depth + 1)) return false;
    } while (take(','));
    return take(end);
  }

  std::string_view rest_;
};

void append(std::string& text, const Value& value) {
  if (value.kind == Value::Kind::scalar) {
    text += value.scalar;
    return;
  }
  const bool object = value.kind == Value::Kind::object;
  text += object ? '{' : '[';
  bool first = true;
  for (const Value& member : value.members) {
    if (!first) text += ',';
    first = false;
    if (object) text.append(member.key).append(":");
    append(text, member);
  }
  text += object ? '}' : ']';
}

/// With the members of objects in the order of their keys.
void sort(Value& value) {
  for (Value& member : value.members) sort(member);
  if (value.kind != Value::Kind::object) return;
  std::stable_sort(value.members.begin(), value.members.end(),
                   [](const Value& a, const Value& b) { return a.key < b.key; });
}

}  // namespace

const Value* Value::find(std::string_view name) const {
  if (kind != Kind::object) return nullptr;
  for (const Value& member : members)
    if (member.key.size() == name.size() + 2 && member.key.compare(1, name.size(), name) == 0)
      return &member;
  return nullptr;
}

std::string Value::at(std::string_view name) const {
  const Value* member = find(name);
  return member == nullptr ? std::string() : print(*member);
}

std::optional<Value> parse(std::string_view bytes) {
  return Parser(bytes).run();
}

std::string print(const Value& value) {
  std::string text;
  append(text, value);
  return text;
}

bool same(const Value& a, const Value& b) {
  Value left = a;
  Value right = b;
  sort(left);
  sort(right);
  return print(left) == print(right);
}

bool same(std::string_view a, std::string_view b) {
  const auto left = parse(a);
  const auto right = parse(b);
  return left && right && same(*left, *right);
}

}  // namespace schedpol::fuzz
