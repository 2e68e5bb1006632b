// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Configuration: what an Engine is compiled from. Which systems run, in which order and how
/// strictly, and what a cluster has of the objects they are made of.
///
/// 1. At least one system runs, and each at most once. The objects of the others have to be right,
///    too.
/// 2. No two objects have the same kind, namespace (where the kind has one) and name.
/// 3. A namespaced object without a namespace is an error: whoever wrote it may have meant another one
///    than `default`. An Engine denies the pods of every namespace that its selectors select; a role or
///    binding grants nothing.
/// 4. A path to pod templates (`TemplatePath`) is well formed, listed once, and of a kind of a group with a dot
///    in it, which is neither a policy nor one of Kubernetes' own workloads.
/// 5. Every object could be read, and is what its system's `validate` finds nothing wrong with.

#include <schedpol/engine/system.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

struct Configuration {
  std::vector<Step> systems{};
  Objects objects{};
  Settings settings{};

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Everything that is wrong with a configuration, by the rules above; none when it is well formed.
/// A path begins with the object: `SchedulingPolicy[gpu].spec.required.schedulerNames`,
/// `Role[shop/reader].metadata.name`.
[[nodiscard]] std::vector<FieldError> validate(const Configuration& configuration);

/// What the systems' `validate` finds wrong with each object by itself, whatever others there are,
/// and why others could not be read. Paths are those of the object.
[[nodiscard]] std::vector<FieldError> validate_each(const Objects& objects);

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/engine/impl/configuration.ipp>
#endif
