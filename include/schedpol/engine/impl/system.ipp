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
  return system == System::none ? std::string_view() : detail::system_row(system).name;
}

SCHEDPOL_INLINE std::string_view audit_key(System system) noexcept {
  return system == System::none ? std::string_view() : detail::system_row(system).audit_key;
}

SCHEDPOL_INLINE bool is_policy(std::string_view api_group, std::string_view kind) noexcept {
  bool found = false;
  const Objects none;
  for_each_list(none, [&](const auto&, ObjectKinds kinds) {
    found |= schedpol::detail::any_of(kinds, [&](const ObjectKind& one) {
      return one.name == kind && !one.api_version.empty() &&
             is_in_group(one.api_version, api_group);
    });
  });
  return found;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
