// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a cluster with these objects would do with one:
/// - engine.decide: configuration, object, old (the object before an update), operation (`CREATE`,
///   `UPDATE`; without it an update is what has an `old`), namespace (a name), user (name, groups),
///   phase (`Mutating`, `Validating`); allowed, steps (system, mode, violations, changes), object,
///   patch, and of a denied object nearestFix: the fewest changes that it would be allowed with,
///   where there are any.
/// An object without a namespace, where the input names none either, is in `default`.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/json/impl/element_equal.hpp>
#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/operations/engine.hpp>
#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/json/impl/schema/rbac.hpp>
#include <schedpol/rbac/rbac.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::json::detail {

/// The word that a part of the input says, of those that it may; empty where it is left out.
inline std::string read_word(Input& input, std::string_view name,
                             std::initializer_list<std::string_view> supported) {
  constexpr auto invalid = EvaluateError::invalid_request;
  const auto word = input.read<std::optional<std::string>>(name, invalid);
  if (!word) return {};
  std::string wanted = "supported are";
  for (const std::string_view known : supported) {
    if (known == *word) return *word;
    wanted.append(wanted.ends_with("are") ? " " : " and ").append(known);
  }
  input.fail(invalid, {ErrorType::not_supported, FieldPath{name}, *word, wanted});
  return {};
}

/// The namespace of an object, which may name none or that of the input.
inline std::string read_namespace(Input& input, std::string_view object, const std::string& in) {
  std::string_view own;
  static_cast<void>(input.element(object)["metadata"]["namespace"].get(own));
  if (!in.empty() && !own.empty() && own != in) {
    input.fail(EvaluateError::invalid_request,
               {ErrorType::invalid, FieldPath{object, "metadata", "namespace"}, std::string(own),
                "is not the namespace of the input"});
  }
  return !in.empty() ? in : !own.empty() ? std::string(own) : "default";
}

/// What is asked of the engine.
inline engine::Request read_request(Input& input) {
  constexpr auto invalid = EvaluateError::invalid_request;
  engine::Request request;
  request.object = input.require<Pod>("object");
  auto old = input.read<std::optional<Pod>>("old");
  const std::string operation = read_word(input, "operation", {"CREATE", "UPDATE"});
  const auto in = input.read<std::string>("namespace", invalid);
  request.requester = input.read<rbac::User>("user");
  if (read_word(input, "phase", {"Mutating", "Validating"}) == "Validating")
    request.phase = engine::Phase::validating;
  request.object.metadata.namespace_ = read_namespace(input, "object", in);
  if (operation == "UPDATE" && !old)
    input.fail(invalid, {ErrorType::required, FieldPath{"old"}, "", "an update has one"});
  if (!old) return request;
  if (operation == "CREATE")
    input.fail(invalid, {ErrorType::forbidden, FieldPath{"old"}, "", "only an update has one"});
  if (old->kind != request.object.kind) {
    input.fail(invalid, {ErrorType::invalid, FieldPath{"old", "kind"},
                         std::string(to_string(old->kind)), "must be that of the object"});
  }
  old->metadata.namespace_ = read_namespace(input, "old", in);
  request.operation = engine::Operation::update;
  request.old = *std::move(old);
  Element now = input.element("object");
  Element before = input.element("old");
  const auto steps = template_steps(request.object.kind);
  for (const std::string_view step : steps) {
    now = now[step];
    before = before[step];
  }
  request.template_differs = !steps.empty() && !is_equal(now, before);
  return request;
}

inline void write(Writer& out, const engine::StepDecision& said) {
  ObjectWriter step(out);
  step.member("system", to_string(said.step.system)).member("mode", to_string(said.step.mode));
  write_violations(step, said.violations);
  step.member("changes", said.changes);
}

inline void engine_decide(Input& input, ObjectWriter& result) {
  const engine::Engine engine = read_engine(input, "configuration");
  const engine::Request request = read_request(input);
  if (!input.complete()) return;
  const engine::Decision decision = engine.decide(request);
  const std::vector<Change> fix = engine.nearest_fix(request, decision);
  result.member("allowed", bool{decision.allowed}).member("steps", decision.steps);
  write_object(result, input, "object", request.object, decision.pod);
  if (!fix.empty()) result.member("nearestFix", fix);
}

inline constexpr NamedOperation decide_operations[] = {
    {"engine.decide", engine_decide},
};

}  // namespace schedpol::json::detail
