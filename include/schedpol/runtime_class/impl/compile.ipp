// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/shared.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/runtime_class/compile.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::runtime_class {

struct CompiledClasses::Impl {
  struct KnownClass {
    RuntimeClass runtime_class;
    bool ambiguous = false;
  };
  std::vector<KnownClass> classes;  ///< one a name, in byte order

  [[nodiscard]] const KnownClass* find(std::string_view name) const noexcept {
    const auto at = std::partition_point(
        classes.begin(), classes.end(),
        [&](const KnownClass& known) { return known.runtime_class.metadata.name < name; });
    return at == classes.end() || at->runtime_class.metadata.name != name ? nullptr : &*at;
  }
};

SCHEDPOL_INLINE const RuntimeClass* CompiledClasses::find(std::string_view name) const& noexcept {
  const Impl::KnownClass* known = impl_ ? impl_->find(name) : nullptr;
  return known == nullptr || known->ambiguous ? nullptr : &known->runtime_class;
}

SCHEDPOL_INLINE bool CompiledClasses::is_ambiguous(std::string_view name) const noexcept {
  const Impl::KnownClass* known = impl_ ? impl_->find(name) : nullptr;
  return known != nullptr && known->ambiguous;
}

SCHEDPOL_INLINE CompiledClasses compile(std::span<const RuntimeClass> classes) {
  std::vector<const RuntimeClass*> by_name;
  by_name.reserve(classes.size());
  for (const RuntimeClass& runtime_class : classes) by_name.push_back(&runtime_class);
  std::sort(by_name.begin(), by_name.end(), [](const RuntimeClass* a, const RuntimeClass* b) {
    const int order = a->metadata.name.compare(b->metadata.name);
    return order != 0 ? order < 0 : a < b;
  });
  CompiledClasses::Impl impl;
  for (const RuntimeClass* runtime_class : by_name) {
    auto& known = impl.classes;
    if (known.empty() || known.back().runtime_class.metadata.name != runtime_class->metadata.name) {
      known.push_back({*runtime_class});
    } else if (known.back().runtime_class != *runtime_class) {
      known.back().ambiguous = true;
    }
  }
  CompiledClasses compiled;
  compiled.impl_ = Shared<CompiledClasses::Impl>(std::move(impl));
  return compiled;
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class
