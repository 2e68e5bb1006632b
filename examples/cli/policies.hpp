// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The policies that a command is given, as an engine, and where each of them stands.
///
/// 1. They are what a webhook's directory holds: policies, RuntimeClasses, Namespaces, RBAC objects
///    and at most one EngineConfiguration. Anything else is an error, because a misspelt kind is a
///    policy that applies to nothing.
/// 2. Without an EngineConfiguration those systems run that there are objects of, all of them
///    enforcing.
/// 3. Without roles and bindings every SchedulingPolicy is used.

#include "input.hpp"

#include <schedpol/base/field_path.hpp>
#include <schedpol/engine/engine.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct PolicySet {
  schedpol::engine::Configuration configuration{};
  schedpol::engine::Engine engine{};
  std::string namespace_{};         ///< of policies that say none
  std::size_t policies = 0;         ///< those of systems, without what they are granted by
  bool uses_every_policy = false;   ///< by rule 3
  std::vector<Finding> errors{};    ///< what is wrong with them; the engine is of nothing then
  std::vector<Finding> warnings{};  ///< what may have been meant otherwise
  std::vector<Finding> notes{};     ///< groups that no cluster can have
  std::map<std::string, Source, std::less<>> sources{};  ///< by `KIND[NAMESPACE/NAME]`

  /// Where a field stands whose path begins with its object, `SchedulingPolicy[gpu].spec.allowed`, or
  /// which is one of the EngineConfiguration.
  [[nodiscard]] Place place(const schedpol::FieldPath& field) const;

  /// `by 3 policies`, and whether roles matter: the end of a closing line.
  [[nodiscard]] std::string described() const;
};

/// The merge strategy of that name; nothing where there is none.
[[nodiscard]] std::optional<schedpol::scheduling_policy::MergeStrategy> strategy_of(
    std::string_view word);

/// How many objects are those of systems, and not what these are granted by.
[[nodiscard]] std::size_t count_of_systems(const schedpol::engine::Objects& objects);

/// Puts policies that say no namespace and need one into it.
void put_in_namespace(schedpol::engine::Objects& objects, const std::string& in);

/// Whether there have to be policies. Where there need not, SchedulingPolicy runs, and rule 3 does not hold:
/// a policy without a role is used by nobody.
enum class NeededPolicies { some, none };

/// Reads policies; those that say no namespace and need one are in `in`. Problems are those of
/// reading.
[[nodiscard]] PolicySet read_policies(const std::vector<std::string>& paths, const std::string& in,
                                      Input& input, Problems& problems,
                                      NeededPolicies needed = NeededPolicies::some);

/// The same for commands that decide: what is wrong with policies is a problem too. Nothing where
/// there is one.
[[nodiscard]] std::optional<PolicySet> usable_policies(const std::vector<std::string>& paths,
                                                       const std::string& in, Input& input,
                                                       Problems& problems);

}  // namespace cli
