// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a cluster with these objects would do with one:
/// - engine.decide: configuration, object, old (the object before an update), operation (`CREATE`,
///   `UPDATE`; without it an update is what has an `old`), namespace (a name), user (name, groups),
///   phase (`Mutating`, `Validating`); allowed, steps (system, mode, violations, changes), warnings,
///   object, patch, and of a denied pod or template nearestFix: the fewest changes that it would be
///   allowed with, where there are any.
/// An object without a namespace, where the input names none either, is in `default`. One without a
/// kind is a Pod. Of an object that is no pod, nor has a template, the metadata is decided on; of a
/// workload that first, and then its template.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/impl/element_equal.hpp>
#include <schedpol/json/impl/groups.hpp>
#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/operations/engine.hpp>
#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/json/impl/schema/rbac.hpp>
#include <schedpol/rbac/rbac.hpp>

#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

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

/// What is said besides the objects.
struct AskedOf {
  std::string in{};  ///< the namespace that the input names
  engine::Operation operation = engine::Operation::create;
  rbac::User user{};
  engine::Phase phase = engine::Phase::mutating;
};

inline AskedOf read_asked(Input& input) {
  constexpr auto invalid = EvaluateError::invalid_request;
  AskedOf asked;
  const std::string operation = read_word(input, "operation", {"CREATE", "UPDATE"});
  asked.in = input.read<std::string>("namespace", invalid);
  asked.user = input.read<rbac::User>("user");
  if (read_word(input, "phase", {"Mutating", "Validating"}) == "Validating")
    asked.phase = engine::Phase::validating;
  const Element old = input.element("old");
  const bool has_old = old.is_there() && !old.is_null();
  if (has_old) asked.operation = engine::Operation::update;
  if (operation == "UPDATE" && !has_old)
    input.fail(invalid, {ErrorType::required, FieldPath{"old"}, "", "an update has one"});
  if (operation == "CREATE" && has_old)
    input.fail(invalid, {ErrorType::forbidden, FieldPath{"old"}, "", "only an update has one"});
  return asked;
}

/// Whether the object is neither a pod nor a workload. Where its kind is nearly one of those, in a
/// group of theirs, it is a misspelt one and no other.
inline bool is_other_kind(Element object) {
  std::string_view kind;
  std::string_view version;
  if (!object["kind"].get(kind) || !object["apiVersion"].get(version)) return false;
  const std::string_view group = api_group(version);
  const auto is_in = [&](PodKind of) { return is_in_group(of, group); };
  const std::optional<PodKind> known = pod_kind(kind);
  if (known) return !is_in(*known) && is_own_group(group);
  return did_you_mean_kind(kind).empty() || schedpol::detail::none_of(pod_kinds, is_in);
}

/// What is asked about the metadata of an object.
inline engine::MetadataRequest read_metadata_request(Input& input, const AskedOf& asked) {
  engine::MetadataRequest request{.operation = asked.operation, .phase = asked.phase};
  std::string_view text;
  const Element object = input.element("object");
  if (object["apiVersion"].get(text)) request.api_group = api_group(text);
  if (object["kind"].get(text)) request.kind = text;
  request.object = input.require<AnyObject>("object").metadata;
  request.object.namespace_ = read_namespace(input, "object", asked.in);
  if (asked.operation == engine::Operation::create) return request;
  request.old = Old(input.require<AnyObject>("old").metadata);
  request.old.object.namespace_ = read_namespace(input, "old", asked.in);
  return request;
}

/// What is asked about a pod or a template.
inline engine::Request read_request(Input& input, const AskedOf& asked) {
  constexpr auto invalid = EvaluateError::invalid_request;
  engine::Request request{.requester = asked.user, .phase = asked.phase};
  request.object = input.require<Pod>("object");
  auto old = input.read<std::optional<Pod>>("old");
  request.object.metadata.namespace_ = read_namespace(input, "object", asked.in);
  if (!old) return request;
  if (old->kind != request.object.kind) {
    input.fail(invalid, {ErrorType::invalid, FieldPath{"old", "kind"},
                         std::string(to_string(old->kind)), "must be that of the object"});
  }
  old->metadata.namespace_ = read_namespace(input, "old", asked.in);
  request.operation = engine::Operation::update;
  request.old = Old(*std::move(old));
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
  const engine::Engine engine =
      input.engine() != nullptr ? *input.engine() : read_engine(input, "configuration");
  const AskedOf asked = read_asked(input);
  const bool is_other = is_other_kind(input.element("object"));
  engine::Request request;
  if (!is_other) request = read_request(input, asked);
  engine::MetadataRequest of_metadata;
  const bool is_pod = !is_other && request.object.kind == PodKind::pod;
  if (!is_pod) of_metadata = read_metadata_request(input, asked);
  if (!input.complete()) return;
  bool allowed = true;
  std::vector<engine::StepDecision> steps;
  std::vector<Warning> warnings;
  std::vector<Change> fix;
  Patch patch;
  const Element object = input.element("object");
  if (!is_pod) {
    engine::MetadataDecision decision = engine.decide_metadata(of_metadata);
    allowed = decision.allowed;
    steps = std::move(decision.steps);
    patch = patch_of(object, of_metadata.object, decision.metadata);
  }
  if (!is_other && allowed) {
    engine::Decision decision = engine.decide(request);
    fix = engine::InsightAdviser().nearest_fix(engine, request, decision);
    allowed = decision.allowed;
    std::move(decision.steps.begin(), decision.steps.end(), std::back_inserter(steps));
    warnings = std::move(decision.warnings);
    if (!allowed) patch.clear();
    for (PatchOperation& operation : patch_of(object, request.object, decision.pod))
      patch.push_back(std::move(operation));
  }
  result.member("allowed", allowed).member("steps", steps);
  write_object(result, input, "object", patch);
  std::vector<std::string> texts;
  for (const Warning& warning : warnings) texts.push_back(message(warning));
  for (const engine::StepDecision& said : steps)
    for (const Warning& warning : said.warnings) texts.push_back(message(warning));
  if (allowed && !texts.empty()) result.member("warnings", texts);
  if (!fix.empty()) result.member("nearestFix", fix);
}

inline constexpr NamedOperation decide_operations[] = {
    {"engine.decide", engine_decide},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
