// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a merged policy requires and allows, as validations: the rules of `scheduling_policy/check.hpp`
/// and, of an update, those of `check_update`. Each names a field, and the policies that it is of.

#include "classes.hpp"
#include "model.hpp"

namespace cli {

/// Adds to `rules` what is asked of the pods of the group.
void add_validations(Rules& rules, const schedpol::engine::EffectivePolicy& effective,
                     const schedpol::scheduling_policy::Options& options, const Classes& classes);

/// Adds the variable `ownTolerations`: the tolerations that are not exempt.
void add_own_tolerations(Rules& rules, const schedpol::scheduling_policy::Options& options,
                         const Classes& classes);

}  // namespace cli
