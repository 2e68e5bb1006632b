// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The operations of `evaluate`, and parts of their answers that several share. Each file in `operations/`
/// has the operations of one system and does not repeat the includes of this file.

#include <schedpol/insight/analyze.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/impl/input.hpp>
#include <schedpol/json/impl/patch.ipp>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// `run` reads its input and, once that is complete, writes the members of its result. What it
/// wrote does not count where it has failed.
struct NamedOperation {
  std::string_view name;
  void (*run)(Input& input, ObjectWriter& result);
};

/// Answers with what `validate` finds wrong with the policy of the input.
template <class Policy>
void policy_validate(Input& input, ObjectWriter& result) {
  const auto policy = input.require_unnamed<Policy>("policy");
  if (input.complete()) result.member("errors", validate(policy));
}

/// `object`, the input of that name with the changes applied, and their `patch`. Where they make it
/// longer than a document may be, no decision is answered without its object.
inline void write_object(ObjectWriter& result, Input& input, std::string_view name,
                         const Patch& patch) {
  const Result<std::string> object = apply_patch(input.text(name), patch);
  if (!object) input.fail(EvaluateError::limit_exceeded, object.errors());
  result.member("object", Raw{object ? *object : std::string_view("null")}).member("patch", patch);
}
inline void write_object(ObjectWriter& result, Input& input, std::string_view name,
                         const Pod& before, const Pod& after) {
  Differ differ(input.element(name));
  differ.diff(before, after);
  write_object(result, input, name, differ.patch());
}

inline void write_violations(ObjectWriter& result, const std::vector<Violation>& violations) {
  write_first(result, "violations", "moreViolations", violations, max_reported_violations);
}

/// What operations that admit a pod answer with. A denied pod is the one that came.
inline void write_admission(ObjectWriter& result, Input& input, const Pod& before,
                            const Admission& admission) {
  result.member("allowed", bool{admission.allowed});
  write_violations(result, admission.violations);
  result.member("changes", admission.changes);
  write_object(result, input, "pod", before, admission.allowed ? admission.pod : before);
}

/// Code, severity, policy, field, message, the object where that is a role or binding, the policies
/// where they are two, and where there is one a witness, with its namespace.
inline void write_finding(ObjectWriter& object, const Finding& finding) {
  // What is said of all of them names none.
  std::optional<std::string> policy;
  if (!finding.policies.empty() && (finding.policies.size() == 1 || !finding.field.empty()))
    policy = finding.policies.vector()[0];
  object.member("code", to_string(finding.code))
      .member("severity", to_string(finding.severity))
      .member("policy", policy)
      .member("field", finding.field)
      .member("message", message(finding));
  if (!finding.object.empty()) object.member("object", finding.object);
  if (finding.policies.size() == 2) object.member("policies", finding.policies);
  if (finding.witness) object.member("witness", *finding.witness);
  if (finding.namespace_) object.member("namespace", finding.namespace_->metadata);
}

inline void write(Writer& out, const Finding& finding) {
  ObjectWriter object(out);
  write_finding(object, finding);
}
inline void write(Writer& out, const engine::SystemFinding& finding) {
  ObjectWriter object(out);
  object.member("system", to_string(finding.system));
  write_finding(object, finding.finding);
}

template <class T>
void write_findings(ObjectWriter& result, const std::vector<T>& findings) {
  write_first(result, "findings", "moreFindings", findings, max_reported_violations);
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
