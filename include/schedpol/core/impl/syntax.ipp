// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

constexpr bool is_lower_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
constexpr bool is_alphanumeric(char c) noexcept {
  return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

/// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
constexpr bool is_label_name(std::string_view text) noexcept {
  if (text.empty()) return false;
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
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
  return is_lower_alphanumeric(previous);
}

inline void add_too_long(std::vector<std::string>& problems, std::string_view what,
                         std::string_view text, std::size_t most) {
  if (text.size() <= most) return;
  problems.push_back(std::string(what) + "must be no more than " + std::to_string(most) + " bytes");
}

SCHEDPOL_INLINE std::vector<std::string> subdomain_problems(std::string_view text) {
  std::vector<std::string> problems;
  add_too_long(problems, "", text, max_subdomain_bytes);
  if (!is_subdomain(text)) {
    problems.push_back(
        "must consist of lower case alphanumerics, `-` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

SCHEDPOL_INLINE std::vector<std::string> dns_label_problems(std::string_view text) {
  std::vector<std::string> problems;
  add_too_long(problems, "", text, max_label_name_bytes);
  if (!is_subdomain(text) || text.find('.') != std::string_view::npos) {
    problems.push_back(
        "must consist of lower case alphanumerics or `-`, and start and end with an alphanumeric");
  }
  return problems;
}

SCHEDPOL_INLINE std::vector<std::string> label_key_problems(std::string_view key) {
  std::vector<std::string> problems;
  std::string_view name = key;
  if (const auto slash = key.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      problems.push_back("must be a name with at most one prefix and slash before it");
      return problems;
    }
    if (prefix.empty()) {
      problems.push_back("prefix must not be empty");
    } else {
      for (const std::string& problem : subdomain_problems(prefix))
        problems.push_back("prefix " + problem);
    }
  }
  if (name.empty()) problems.push_back("name must not be empty");
  add_too_long(problems, "name ", name, max_label_name_bytes);
  if (!is_label_name(name)) {
    problems.push_back(
        "name must consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

SCHEDPOL_INLINE std::vector<std::string> label_value_problems(std::string_view value) {
  std::vector<std::string> problems;
  add_too_long(problems, "", value, max_label_value_bytes);
  if (!value.empty() && !is_label_name(value)) {
    problems.push_back(
        "must be empty, or consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
