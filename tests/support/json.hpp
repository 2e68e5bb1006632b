// SPDX-License-Identifier: Apache-2.0
#pragma once

// JSON in tests: what stands at a place of a document, when two documents say the same, and short
// forms of the requests and replies of `evaluate`.

#include "evaluate.hpp"

#include <schedpol/json/encode.hpp>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::testing {

/// A parsed document. Stays where it is, because its elements point into it.
class Json {
 public:
  explicit Json(std::string text) : text_(std::move(text)) {
    valid_ = parser_.parse(text_).get(root_) == simdjson::SUCCESS;
  }
  Json(const Json&) = delete;
  Json& operator=(const Json&) = delete;

  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] simdjson::dom::element root() const { return root_; }

  /// The compact text of what a JSON Pointer names; `absent` when nothing is there.
  [[nodiscard]] std::string at(std::string_view pointer) const {
    simdjson::dom::element element;
    if (!valid_ || root_.at_pointer(pointer).get(element) != simdjson::SUCCESS) return "absent";
    return simdjson::minify(element);
  }

  /// The text of a string there, without quotes and escapes; `absent` when there is none.
  [[nodiscard]] std::string string_at(std::string_view pointer) const {
    simdjson::dom::element element;
    std::string_view text;
    if (!valid_ || root_.at_pointer(pointer).get(element) != simdjson::SUCCESS ||
        element.get(text) != simdjson::SUCCESS)
      return "absent";
    return std::string(text);
  }

 private:
  std::string text_;
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
  bool valid_ = false;
};

/// How documents are compared.
enum class Compare {
  exactly,  ///< the order of fields does not matter, all else does
  loosely,  ///< absent, null, [], {} and "" are one, but not inside string maps, nor for a selector
};

/// A text that is equal for documents that say the same: keys in byte order. Loosely, what is empty
/// (or becomes empty) is left out, and is itself `null`.
inline std::string canonical(simdjson::dom::element element, Compare compare) {
  constexpr std::array<std::string_view, 4> string_maps = {"nodeSelector", "labels", "annotations",
                                                           "matchLabels"};
  constexpr std::array<std::string_view, 5> selectors = {"selector", "labelSelector", "podSelector",
                                                         "namespaceSelector", "annotationSelector"};
  const auto is_one_of = [](const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool loosely = compare == Compare::loosely;
  simdjson::dom::array array;
  if (element.get(array) == simdjson::SUCCESS) {
    std::string text;
    for (const auto item : array) text += (text.empty() ? "" : ",") + canonical(item, compare);
    return text.empty() && loosely ? "null" : "[" + text + "]";
  }
  simdjson::dom::object object;
  if (element.get(object) == simdjson::SUCCESS) {
    std::vector<std::pair<std::string, std::string>> members;
    for (const auto member : object) {
      std::string value;
      if (loosely && is_one_of(string_maps, member.key)) {
        value = canonical(member.value, Compare::exactly);
        if (value == "{}") value = "null";
      } else {
        value = canonical(member.value, compare);
        if (loosely && value == "null" && is_one_of(selectors, member.key) &&
            member.value.is_object())
          value = "{}";
      }
      if (value != "null" || !loosely) members.emplace_back(member.key, std::move(value));
    }
    std::sort(members.begin(), members.end());
    std::string text;
    for (const auto& [key, value] : members) {
      text += (text.empty() ? "" : ",") + json::encode(std::string(key)) + ":" + value;
    }
    return text.empty() && loosely ? "null" : "{" + text + "}";
  }
  std::string_view string;
  if (loosely && element.get(string) == simdjson::SUCCESS && string.empty()) return "null";
  return simdjson::minify(element);
}

inline std::string canonical(std::string_view text, Compare compare = Compare::exactly) {
  const Json document{std::string(text)};
  return document.valid() ? canonical(document.root(), compare) : "not JSON: " + document.text();
}

/// A request of an operation, with the id 1.
inline std::string request(std::string_view op, std::string_view input) {
  return std::string(R"({"id":1,"op":")").append(op).append(R"(","input":)").append(input) + "}";
}

/// The reply to a request of an operation.
inline std::string ask(std::string_view op, std::string_view input) {
  return evaluated(request(op, input));
}

/// The result of an operation; for an error reply `CODE at FIELD`.
inline std::string result_or_error(std::string_view op, std::string_view input) {
  const Json reply(ask(op, input));
  if (!reply.valid()) return "not JSON: " + reply.text();
  if (reply.at("/error") == "absent") return reply.at("/result");
  return reply.string_at("/error/code") + " at " + reply.string_at("/error/field");
}

/// `allowed`, or the violations as `CODE FIELD`, separated by `; `, or `CODE at FIELD` for an error
/// reply.
inline std::string verdict_of(const Json& reply) {
  if (!reply.valid()) return "not JSON: " + reply.text();
  if (reply.at("/error") != "absent")
    return reply.string_at("/error/code") + " at " + reply.string_at("/error/field");
  if (reply.at("/result/allowed") == "true") {
    return reply.at("/result/violations") == "[]" ? "allowed" : "allowed in spite of violations";
  }
  std::string text;
  for (std::size_t i = 0;; ++i) {
    const std::string violation = "/result/violations/" + std::to_string(i);
    if (reply.at(violation) == "absent") break;
    if (i > 0) text += "; ";
    text += reply.string_at(violation + "/code") + " " + reply.string_at(violation + "/field");
  }
  return text;
}

}  // namespace schedpol::testing
