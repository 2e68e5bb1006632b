// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The `input` of a request to `evaluate`: how its parts are read, and what is noted of the first
/// one that is wrong.

#include <schedpol/core/field_error.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace schedpol::json {

/// What kind of error a reply reports.
enum class EvaluateError {
  invalid_json,     ///< the request is no valid JSON document
  invalid_request,  ///< it is no request, or lacks or misspells a part of one
  unknown_op,       ///< there is no such operation
  invalid_object,   ///< a Kubernetes object in it cannot be read, or a selector not be used
  limit_exceeded,   ///< it is longer or deeper than is read
};

[[nodiscard]] constexpr std::string_view to_string(EvaluateError code) noexcept {
  switch (code) {
    case EvaluateError::invalid_json: return "InvalidJson";
    case EvaluateError::invalid_request: return "InvalidRequest";
    case EvaluateError::unknown_op: return "UnknownOp";
    case EvaluateError::invalid_object: return "InvalidObject";
    case EvaluateError::limit_exceeded: return "LimitExceeded";
  }
  return "";
}

namespace detail {

struct Failure {
  EvaluateError code = EvaluateError::invalid_request;
  FieldError error;
};

/// The `input` of a request. Reading a part of it that is wrong notes the first failure and goes on
/// with an empty value; nothing is evaluated unless `complete` says that all was well.
class Input {
 public:
  Input(std::string_view request, simdjson::dom::object object)
      : request_(request), object_(object) {}

  /// A part that may be left out.
  template <class T>
  T read(std::string_view name, EvaluateError code = EvaluateError::invalid_object) {
    T value{};
    if (const auto from = find(name)) read(*from, name, code, value);
    return value;
  }

  /// A part that has to be there.
  template <class T>
  T require(std::string_view name) {
    if (!find(name))
      fail(EvaluateError::invalid_request,
           {ErrorType::required, std::string(name), "", "the operation needs it"});
    return read<T>(name);
  }

  /// The part as a document: what patches are computed against. Only where it was required and
  /// read.
  [[nodiscard]] simdjson::dom::element document(std::string_view name) const {
    return *find_element(name);
  }

  /// The bytes of the part, as they stand in the request.
  [[nodiscard]] std::string_view text(std::string_view name) const {
    std::string_view part = request_;
    for (const std::string_view token : {std::string_view("input"), name}) {
      Container container;
      if (!container.read(part)) return "null";
      const std::size_t at = container.find(token);
      if (at >= container.items().size()) return "null";
      const Span span = container.items()[at].value;
      part = part.substr(span.begin, span.end - span.begin);
    }
    return part;
  }

  void fail(EvaluateError code, FieldError error) {
    if (!failure_) failure_ = Failure{code, std::move(error)};
  }

  /// Whether all parts could be read, and there are no others.
  [[nodiscard]] bool complete() {
    for (const auto member : object_) {
      if (known_.contains(member.key)) continue;
      fail(EvaluateError::invalid_request,
           {ErrorType::forbidden, std::string(member.key), "", "the operation has no such input"});
    }
    return !failure_;
  }
  [[nodiscard]] const std::optional<Failure>& failure() const noexcept { return failure_; }

 private:
  [[nodiscard]] std::optional<simdjson::dom::element> find_element(std::string_view name) const {
    simdjson::dom::element value;
    if (object_.at_key(name).get(value) != simdjson::SUCCESS || value.is_null())
      return std::nullopt;
    return value;
  }
  std::optional<simdjson::dom::element> find(std::string_view name) {
    known_.insert(name);
    return find_element(name);
  }

  template <class T>
  void read(simdjson::dom::element from, std::string_view name, EvaluateError code, T& value) {
    const Path root;
    Decoder decoder;
    decoder.read(root.field(name), from, value);
    if (decoder.errors().empty()) return;
    const FieldError& error = decoder.errors().front();
    fail(error.type == ErrorType::too_many ? EvaluateError::limit_exceeded : code, error);
  }

  std::string_view request_;
  simdjson::dom::object object_;
  std::set<std::string_view> known_;
  std::optional<Failure> failure_;
};

}  // namespace detail

}  // namespace schedpol::json
