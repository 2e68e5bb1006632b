// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The RuntimeClasses of a cluster, compiled for lookup by name. If two different classes have the same
/// name, neither is trusted: the name is ambiguous. A class given twice counts once.

#include <schedpol/base/shared.hpp>
#include <schedpol/runtime_class/policy.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// A default-constructed value has no classes, so it denies every pod that names one.
class CompiledClasses {
 public:
  CompiledClasses() = default;

  /// The class of that name, or null if there is none or the name is ambiguous. Valid as long as this
  /// value or a copy of it exists. Logarithmic in the number of classes.
  [[nodiscard]] const RuntimeClass* find(std::string_view name) const& noexcept;
  const RuntimeClass* find(std::string_view) && = delete;

  /// Whether two different classes have this name.
  [[nodiscard]] bool is_ambiguous(std::string_view name) const noexcept;

 private:
  friend CompiledClasses compile(std::span<const RuntimeClass>);
  struct Impl;

  Shared<Impl> impl_;
};

/// Uses all classes, even those with errors of `validate`.
[[nodiscard]] CompiledClasses compile(std::span<const RuntimeClass> classes);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/runtime_class/impl/compile.ipp>
#endif
