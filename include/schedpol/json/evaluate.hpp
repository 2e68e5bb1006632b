// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One door for bytes: `evaluate` takes a request `{"id":..., "op":"...", "input":{...}}` and
/// answers
/// `{"id":..., "result":{...}}` or `{"id":..., "error":{"code","message","field"}}`. It is what
/// language bindings and offline tests call. Whatever is wrong with a request is an error and never
/// a decision.

#include <schedpol/core/field_error.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/operations.hpp>
#include <schedpol/json/request.hpp>
#include <schedpol/json/writer.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace schedpol::json {

namespace detail {

inline std::string reply(std::string_view id, std::string_view member, std::string_view body) {
  Writer out;
  ObjectWriter(out).member("id", Raw{id}).member(member, Raw{body});
  return std::move(out).take();
}

inline std::string error_reply(std::string_view id, const Failure& failure) {
  Writer body;
  ObjectWriter(body)
      .member("code", json::to_string(failure.code))
      .member("message", message(failure.error))
      .member("field", failure.error.field);
  return reply(id, "error", body.text());
}

}  // namespace detail

/// Answers one request; the reply is one JSON document, on one line where the request is. `id` may
/// be any scalar and is echoed, null where it is absent or could not be read. Members of the
/// request other than `id`, `op` and `input` are ignored; those of `input` that the operation does
/// not know are errors. The `field` of an error is a path in `input`, or the member of the request
/// that is wrong. Keeps nothing between calls.
[[nodiscard]] inline std::string evaluate(std::string_view request) {
  std::string id = "null";
  const auto refuse = [&](EvaluateError code, FieldError error) {
    constexpr std::string_view input = "input.";
    if (error.field.starts_with(input)) error.field.erase(0, input.size());
    return detail::error_reply(id, {code, std::move(error)});
  };
  const auto wrong_type = [&](std::string field, std::string wanted) {
    return refuse(EvaluateError::invalid_request,
                  {ErrorType::type_invalid, std::move(field), "", std::move(wanted)});
  };

  Document document;
  const bool good = document.parse(request);
  if (!good && document.problem() == DocumentProblem::limit_exceeded) {
    return refuse(EvaluateError::limit_exceeded, document.error());
  }
  if (!good && document.problem() == DocumentProblem::invalid_json) {
    return refuse(EvaluateError::invalid_json, document.error());
  }
  simdjson::dom::object root;
  if (document.root().get(root) != simdjson::SUCCESS)
    return wrong_type("", "a request must be an object");
  simdjson::dom::element id_element;
  const auto ids = std::count_if(root.begin(), root.end(),
                                 [](const auto& member) { return member.key == "id"; });
  if (ids == 1 && root.at_key("id").get(id_element) == simdjson::SUCCESS) {
    if (id_element.is_object() || id_element.is_array())
      return wrong_type("id", "must be a scalar");
    id = simdjson::minify(id_element);
  }
  if (!good) return refuse(EvaluateError::invalid_json, document.error());

  std::string_view op;
  if (root.at_key("op").get(op) != simdjson::SUCCESS)
    return wrong_type("op", "must be the name of an operation");
  const auto operation = std::find_if(detail::operations.begin(), detail::operations.end(),
                                      [&](const auto& known) { return known.first == op; });
  if (operation == detail::operations.end()) {
    return refuse(EvaluateError::unknown_op,
                  {ErrorType::not_supported, "op", std::string(op), "there is no such operation"});
  }
  simdjson::dom::object input_object;
  if (root.at_key("input").get(input_object) != simdjson::SUCCESS)
    return wrong_type("input", "must be an object");

  detail::Input input(request, input_object);
  detail::Writer result;
  operation->second(input, result);
  return input.failure() ? detail::error_reply(id, *input.failure())
                         : detail::reply(id, "result", result.text());
}

}  // namespace schedpol::json
