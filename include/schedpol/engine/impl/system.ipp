// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/systems.ipp>
#include <schedpol/engine/system.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

SCHEDPOL_INLINE std::string_view to_string(Mode mode) noexcept {
  switch (mode) {
    case Mode::enforce: return "Enforce";
    case Mode::warn: return "Warn";
    case Mode::audit: return "Audit";
  }
  return "";
}

SCHEDPOL_INLINE std::string_view to_string(System system) noexcept {
  return system == System::none ? std::string_view() : detail::row_of(system).name;
}

SCHEDPOL_INLINE std::string_view audit_key(System system) noexcept {
  return system == System::none ? std::string_view() : detail::row_of(system).audit_key;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
