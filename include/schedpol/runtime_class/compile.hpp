// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The RuntimeClasses of a cluster, made for being asked by name. Of two different classes of one
/// name neither can be trusted: the name is ambiguous. One class given twice is one class.

#include <schedpol/base/shared.hpp>
#include <schedpol/runtime_class/policy.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// Default-constructed it knows no class, so that every pod that names one is denied.
class CompiledClasses {
 public:
  CompiledClasses() = default;

  /// The class of that name; null where there is none, or where the name is ambiguous. Valid as
  /// long as this or a copy of it lives. Logarithmic in the number of classes.
  [[nodiscard]] const RuntimeClass* find(std::string_view name) const& noexcept;
  const RuntimeClass* find(std::string_view) && = delete;

  /// Whether there are two different classes of that name.
  [[nodiscard]] bool is_ambiguous(std::string_view name) const noexcept;

 private:
  friend CompiledClasses compile(std::span<const RuntimeClass>);
  struct Impl;

  Shared<Impl> impl_;
};

/// Whatever `validate` finds wrong with a class, it is used.
[[nodiscard]] CompiledClasses compile(std::span<const RuntimeClass> classes);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/runtime_class/impl/compile.ipp>
#endif
