// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What an operation of `evaluate` is, and what several of them answer with. The operations of each
/// system stand together in a file of `operations/`.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/impl/differ.hpp>
#include <schedpol/json/impl/input.hpp>
#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/json/impl/values.hpp>
#include <schedpol/json/patch.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// `run` reads its input and, once that is complete, writes the members of its result. What it
/// wrote does not count where it has failed.
struct NamedOperation {
  std::string_view name;
  void (*run)(Input& input, ObjectWriter& result);
};

/// The patch of a part of the input from what was decoded of it to what became of that.
inline Patch patch_of(Element document, const Pod& before, const Pod& after) {
  PatchList list;
  DocumentDiffer differ(list, document);
  differ.diff(before.kind, "metadata", before.metadata, after.metadata);
  differ.diff(before.kind, "spec", before.spec, after.spec);
  return std::move(list.patch);
}
inline Patch patch_of(Element document, const ObjectMeta& before, const ObjectMeta& after) {
  PatchList list;
  DocumentDiffer(list, document).diff(before, after);
  return std::move(list.patch);
}

/// `object`, the input of that name with the changes applied, and their `patch`. Where they make it
/// longer than a document may be, no decision is answered without its object.
inline void write_object(ObjectWriter& result, Input& input, std::string_view name,
                         const Patch& patch) {
  const Result<std::string> object = apply_patch(input.text(name), patch);
  if (!object) input.fail(EvaluateError::limit_exceeded, object.errors());
  result.member("object", Raw{object ? *object : std::string_view("null")}).member("patch", patch);
}
template <class T>
void write_object(ObjectWriter& result, Input& input, std::string_view name, const T& before,
                  const T& after) {
  write_object(result, input, name, patch_of(input.element(name), before, after));
}

/// The first violations, and how many more there are, if any.
inline void write_violations(ObjectWriter& result, const std::vector<Violation>& violations) {
  const std::size_t written = std::min(violations.size(), max_reported_violations);
  write(result.key("violations"), std::span(violations).first(written));
  if (written < violations.size()) result.member("moreViolations", violations.size() - written);
}

/// What operations that admit a pod answer with. A denied pod is the one that came.
inline void write_admission(ObjectWriter& result, Input& input, const Pod& before,
                            const Admission& admission) {
  result.member("allowed", bool{admission.allowed});
  write_violations(result, admission.violations);
  result.member("changes", admission.changes);
  write_object(result, input, "pod", before, admission.allowed ? admission.pod : before);
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
