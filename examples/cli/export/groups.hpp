// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Who may use the same policies: each service account that a binding names, each namespace that one stands in or
/// that a group names, and everybody else. Roles and bindings are looked up now, and not when a pod is created.

#include "model.hpp"

#include <string>
#include <vector>

namespace cli {

/// The groups, that of everybody else last.
[[nodiscard]] std::vector<ExportedGroup> groups_of(
    const schedpol::engine::Configuration& configuration, const schedpol::engine::Engine& engine);

/// Whether an account, an expression of `NAMESPACE/NAME`, is in one of the groups; of one group alone always.
[[nodiscard]] std::string is_member(const ExportedGroup& group,
                                    const std::vector<ExportedGroup>& all,
                                    const std::string& account);

/// The name of the admission policies of a group: the same for as long as the policies are called the same.
[[nodiscard]] std::string name_of(const ExportedGroup& group);

}  // namespace cli
