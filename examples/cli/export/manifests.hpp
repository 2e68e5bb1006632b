// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Admission policies and their bindings as YAML, with comments.

#include "model.hpp"

#include <string>
#include <vector>

namespace cli {

/// One ValidatingAdmissionPolicy or MutatingAdmissionPolicy with its binding.
struct Manifest {
  std::string name{};
  std::string comment{};  ///< lines
  std::vector<MatchCondition> conditions{};
  Rules rules{};  ///< of validations, or of mutations
  Action action = Action::deny;
};

/// YAML documents, each after `---`.
[[nodiscard]] std::string validating_manifest(const Manifest& manifest);
[[nodiscard]] std::string mutating_manifest(const Manifest& manifest);

/// A policy without a binding, which does nothing: `kubectl apply` takes no file without an object, and then prunes
/// nothing that an earlier export left.
[[nodiscard]] std::string manifest_of_nothing();

/// Lines as a comment.
[[nodiscard]] std::string comment(const std::string& text, std::size_t indent);

/// The command that applies `admission.yaml` and deletes what an earlier one had, as a comment: by
/// itself `--prune` deletes none of these kinds.
[[nodiscard]] std::string apply_comment();

}  // namespace cli
