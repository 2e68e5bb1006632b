// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The way from an object down to its pod template, for whoever reads or changes it.

#include <schedpol/core/impl/path_builder.hpp>
#include <schedpol/json/impl/document_access.hpp>

#include <span>
#include <string_view>

namespace SCHEDPOL_NAMESPACE::json::detail {

using schedpol::detail::PathBuilder;

enum class WalkOn { no, yes };

/// Goes from `part`, which stands at `at`, down `steps` (`template_steps` of its kind). Calls
/// `passes(place, part)` for every object on the way, the first and the last too, and
/// `arrives(place, part)` for the last. `part` is absent where the document has none there.
template <class Passes, class Arrives>
void walk_down(const PathBuilder& at, Element part, std::span<const std::string_view> steps,
               Passes&& passes, Arrives&& arrives) {
  if (passes(at, part) == WalkOn::no) return;
  if (steps.empty()) return arrives(at, part);
  walk_down(at.child(steps.front()), part[steps.front()], steps.subspan(1), passes, arrives);
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
