// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Syntax of names, label keys and label values (apimachinery, `util/validation`): each function
/// lists what is wrong with a text, one entry a broken rule, none when it is well formed.

#include <string>
#include <string_view>
#include <vector>

namespace schedpol {

inline constexpr std::size_t max_label_name_bytes = 63;
inline constexpr std::size_t max_label_value_bytes = 63;
inline constexpr std::size_t max_subdomain_bytes = 253;

namespace detail {

constexpr bool is_lower_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
constexpr bool is_alphanumeric(char c) noexcept {
  return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

/// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
constexpr bool is_label_name(std::string_view text) noexcept {
  if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  for (const char c : text) {
    if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

/// Labels of [a-z0-9]([-a-z0-9]*[a-z0-9])?, separated by dots.
constexpr bool is_subdomain(std::string_view text) noexcept {
  char previous = '.';
  for (const char c : text) {
    const bool edge = previous == '.' || c == '.';
    if (edge && !is_lower_alphanumeric(c == '.' ? previous : c)) return false;
    if (!is_lower_alphanumeric(c) && c != '-' && c != '.') return false;
    previous = c;
  }
  return !text.empty() && is_lower_alphanumeric(previous);
}

}  // namespace detail

/// A DNS-1123 subdomain: the names of most objects, and the prefix of a label key. At most
/// `max_subdomain_bytes`; lower-case alphanumerics, `-` and `.`, alphanumeric around each dot and
/// at both ends.
[[nodiscard]] inline std::vector<std::string> subdomain_problems(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > max_subdomain_bytes) problems.push_back("must be no more than 253 bytes");
  if (!detail::is_subdomain(text)) {
    problems.push_back(
        "must consist of lower case alphanumerics, `-` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

/// A DNS-1123 label: the names of namespaces. At most 63 bytes; lower-case alphanumerics and `-`,
/// alphanumeric at both ends.
[[nodiscard]] inline std::vector<std::string> dns_label_problems(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > max_label_name_bytes) problems.push_back("must be no more than 63 bytes");
  if (!detail::is_subdomain(text) || text.find('.') != std::string_view::npos) {
    problems.push_back(
        "must consist of lower case alphanumerics or `-`, and start and end with an alphanumeric");
  }
  return problems;
}

/// A label key: a name of at most 63 bytes, after an optional subdomain and a slash.
[[nodiscard]] inline std::vector<std::string> label_key_problems(std::string_view key) {
  std::vector<std::string> problems;
  std::string_view name = key;
  if (const auto slash = key.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      problems.push_back("must be a name with at most one prefix and slash before it");
      return problems;
    }
    if (prefix.empty()) problems.push_back("prefix must not be empty");
    if (!prefix.empty()) {
      for (const std::string& problem : subdomain_problems(prefix)) {
        problems.push_back("prefix " + problem);
      }
    }
  }
  if (name.empty()) problems.push_back("name must not be empty");
  if (name.size() > max_label_name_bytes) problems.push_back("name must be no more than 63 bytes");
  if (!detail::is_label_name(name)) {
    problems.push_back(
        "name must consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

/// A label value: empty, or like the name of a key. At most 63 bytes.
[[nodiscard]] inline std::vector<std::string> label_value_problems(std::string_view value) {
  std::vector<std::string> problems;
  if (value.size() > max_label_value_bytes) problems.push_back("must be no more than 63 bytes");
  if (!value.empty() && !detail::is_label_name(value)) {
    problems.push_back(
        "must be empty, or consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

}  // namespace schedpol
