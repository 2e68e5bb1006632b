// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/evaluate.hpp>
#include <schedpol/json/impl/input.hpp>
#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/operations/cluster.hpp>
#include <schedpol/json/impl/operations/core.hpp>
#include <schedpol/json/impl/operations/engine.hpp>
#include <schedpol/json/impl/operations/metadata_policy.hpp>
#include <schedpol/json/impl/operations/pod_scheduling_policy.hpp>
#include <schedpol/json/impl/operations/rbac.hpp>
#include <schedpol/json/impl/operations/resource_policy.hpp>
#include <schedpol/json/impl/operations/runtime_class.hpp>
#include <schedpol/json/impl/operations/scheduling_policy.hpp>
#include <schedpol/json/impl/operations/suggest.hpp>

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

inline constexpr std::span<const NamedOperation> all_operations[] = {
    cluster_operations,
    core_operations,
    engine_operations,
    metadata_policy_operations,
    pod_scheduling_policy_operations,
    rbac_operations,
    resource_policy_operations,
    runtime_class_operations,
    scheduling_policy_operations,
    suggest_operations};

inline const NamedOperation* find_operation(std::string_view name) noexcept {
  for (const auto& operations : all_operations)
    for (const NamedOperation& operation : operations)
      if (operation.name == name) return &operation;
  return nullptr;
}

/// The place in the input of a request that a place in the request is; a place beside it stays.
inline FieldPath place_in_input(const FieldPath& in_request) {
  const auto steps = in_request.steps();
  if (steps.size() < 2 || steps[0].name != "input") return in_request;
  return in_request.below(1);
}

/// Answers one request.
class Evaluator {
 public:
  /// `engine` is what `engine.decide` asks where there is one.
  explicit Evaluator(const engine::Engine* engine = nullptr) : engine_(engine) {}

  std::string run(std::string_view request) && {
    Document document;
    const bool good = document.parse(request);
    if (document.problem() == DocumentProblem::limit_exceeded)
      return refuse(EvaluateError::limit_exceeded, document.error());
    // The id of a request that is only ambiguous elsewhere can still be echoed.
    const Element root = DocumentAccess::ambiguous_root(document);
    if (!root.is_there()) return refuse(EvaluateError::invalid_json, document.error());
    if (!root.is_object()) return refuse_type({}, "a request must be an object");
    if (!read_id(root)) return refuse_type(FieldPath{"id"}, "must be a scalar");
    if (!good) {
      FieldError error = document.error();
      error.field = place_in_input(error.field);
      return refuse(EvaluateError::invalid_json, std::move(error));
    }
    return evaluate(request, root);
  }

 private:
  [[nodiscard]] std::string evaluate(std::string_view request, Element root) const {
    std::string_view op;
    if (!root["op"].get(op))
      return refuse_type(FieldPath{"op"}, "must be the name of an operation");
    const NamedOperation* operation = find_operation(op);
    if (operation == nullptr) {
      return refuse(EvaluateError::unknown_op, {ErrorType::not_supported, FieldPath{"op"},
                                                std::string(op), "there is no such operation"});
    }
    const Element parts = root["input"];
    if (!parts.is_object()) return refuse_type(FieldPath{"input"}, "must be an object");
    Input input(request, parts, engine_);
    Writer body;
    {
      ObjectWriter result(body);
      operation->run(input, result);
    }
    if (input.failure()) return refuse(input.failure()->code, input.failure()->error);
    return reply("result", body.text());
  }

  /// False where the id is no scalar. One that is there twice is none.
  bool read_id(Element root) {
    Element id;
    for (const ElementMember member : root.members()) {
      if (member.key != "id") continue;
      if (id.is_there()) return true;
      id = member.value;
    }
    if (id.is_object() || id.is_list()) return false;
    Writer text;
    write(text, id);
    id_ = std::move(text).take();
    return true;
  }

  [[nodiscard]] std::string refuse_type(FieldPath field, std::string_view wanted) const {
    return refuse(EvaluateError::invalid_request,
                  {ErrorType::type_invalid, std::move(field), "", std::string(wanted)});
  }

  [[nodiscard]] std::string refuse(EvaluateError code, FieldError error) const {
    Writer body;
    ObjectWriter(body)
        .member("code", to_string(code))
        .member("message", message(error))
        .member("field", error.field);
    return reply("error", body.text());
  }

  [[nodiscard]] std::string reply(std::string_view member, std::string_view body) const {
    Writer out;
    ObjectWriter(out).member("id", Raw{id_}).member(member, Raw{body});
    return std::move(out).take();
  }

  const engine::Engine* engine_;
  std::string id_ = "null";
};

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(EvaluateError code) noexcept {
  switch (code) {
    case EvaluateError::invalid_json: return "InvalidJson";
    case EvaluateError::invalid_request: return "InvalidRequest";
    case EvaluateError::unknown_op: return "UnknownOp";
    case EvaluateError::invalid_object: return "InvalidObject";
    case EvaluateError::limit_exceeded: return "LimitExceeded";
  }
  return "";
}

SCHEDPOL_INLINE std::string evaluate(std::string_view request) {
  return detail::Evaluator().run(request);
}

SCHEDPOL_INLINE std::string evaluate(std::string_view request, const engine::Engine& engine) {
  return detail::Evaluator(&engine).run(request);
}

}  // namespace SCHEDPOL_NAMESPACE::json
