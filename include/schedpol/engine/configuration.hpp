// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Configuration: what an Engine is compiled from. It says which systems run, in which order and mode,
/// and has the objects of the cluster that they are compiled from.
///
/// 1. At least one system runs, and each at most once. The objects of systems that do not run must be
///    valid, too.
/// 2. No two objects have the same kind, namespace (if the kind has one) and name.
/// 3. A namespaced object without a namespace is an error, because its author may not have meant
///    `default`. An Engine denies the pods that the selectors of such an object select, in every
///    namespace; a role or binding without a namespace grants nothing.
/// 4. A path to pod templates (`TemplatePath`) is well formed and listed once. The name of its group has a
///    dot, and its kind is neither a policy nor one of Kubernetes' own workloads.
/// 5. Every object could be read, and its system's `validate` finds nothing wrong with it.

#include <schedpol/engine/system.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

struct Configuration {
  std::vector<Step> systems{};
  Objects objects{};
  Settings settings{};

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Everything that is wrong with a configuration by these rules; empty if it is well formed. A path
/// begins with the object: `SchedulingPolicy[gpu].spec.required.schedulerNames`,
/// `Role[shop/reader].metadata.name`.
[[nodiscard]] std::vector<FieldError> validate(const Configuration& configuration);

/// What the systems' `validate` finds wrong with each object by itself, whatever the other objects, and
/// why objects could not be read. Paths are those of the object.
[[nodiscard]] std::vector<FieldError> validate_each(const Objects& objects);

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/engine/impl/configuration.ipp>
#endif
