// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is exported: admission policies as values, before they are YAML; and what of SchedulingPolicies
/// CEL cannot say.

#include <schedpol/engine/engine.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct Variable {
  std::string name{};
  std::string expression{};
  std::string comment{};
};

struct Validation {
  std::string expression{};
  std::string message{};   ///< an expression of CEL
  std::string fallback{};  ///< a text that is shown where the message would be too long
  std::string comment{};
};

struct Mutation {
  std::string expression{};  ///< a list of JSONPatch
  std::string comment{};
};

struct MatchCondition {
  std::string name{};
  std::string expression{};
};

/// Part of an admission policy: what it looks at, and what it says of it.
struct Rules {
  std::vector<Variable> variables{};
  std::vector<Validation> validations{};
  std::vector<Mutation> mutations{};
};

/// Something that is not exported, and why.
struct Refusal {
  std::string place{};  ///< `default.affinity.nodeAffinity`, with the policies that say so
  std::string reason{};
};
using Refusals = std::vector<Refusal>;

/// What becomes of an object that is not permitted, as bindings call it.
enum class Action { deny, warn, audit };

/// What is exported for those who may use the same policies.
struct ExportedGroup {
  std::vector<std::string> policies{};  ///< their names, in byte order
  std::vector<std::string> accounts{};  ///< `NAMESPACE/NAME`
  std::vector<std::string> namespaces{};
  bool everybody = false;  ///< and whoever is in no other group
  schedpol::engine::EffectivePolicy effective{};
  /// Of an object that is judged by it, where the authorizer is asked. Empty: accounts and namespaces say it.
  std::string condition{};
  bool is_not_exported =
      false;  ///< for those who may use policies together that are not exported so
};

}  // namespace cli
