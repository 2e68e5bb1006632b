// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the expressions of an admission policy cost an API server, which refuses whatever costs more than its
/// budgets: estimated from above for a pod of `cost_of_pod` sizes.
/// Source: k8s.io/apiserver, `pkg/apis/cel/config.go`.

#include "model.hpp"

#include <cstdint>
#include <string_view>

namespace cli {

/// Of one expression, and of all those of a policy. Match conditions have 2,500,000 together: they are about names, and
/// those that are as long as they may be cost a tenth of it.
inline constexpr std::uint64_t max_expression_cost = 1'000'000;
inline constexpr std::uint64_t max_policy_cost = 10'000'000;
/// Of a question to the authorizer. Source: `pkg/cel/library/cost.go`.
inline constexpr std::uint64_t check_cost = 350'000;
/// Code points of an expression that is still read. Source: cel-go, `parser/options.go`.
inline constexpr std::uint64_t max_expression_length = 100'000;
/// Bytes of an object that `kubectl apply` keeps in an annotation. Source: k8s.io/apimachinery,
/// `pkg/api/validation/objectmeta.go`.
inline constexpr std::uint64_t max_object_size = 262'144;

/// A RuntimeClass adds so many pairs and tolerations at most.
inline constexpr std::size_t most_added = 20;

/// The sizes of the pod that an estimate is of, for a person.
inline constexpr std::string_view size_of_pod =
    "20 tolerations, 20 pairs of a node selector, 5 terms with 5 expressions of 10 values in each "
    "mode of "
    "affinity, and 10 of everything else";

/// Of one expression, its variables apart.
[[nodiscard]] std::uint64_t cost_of(std::string_view expression);
/// Of all validations, and of their variables and messages.
[[nodiscard]] std::uint64_t cost_of(const Rules& rules);

/// `12,345`.
[[nodiscard]] std::string grouped(std::uint64_t number);
/// `12,345 of 10,000,000`, the cost of all of them.
[[nodiscard]] std::string cost_text(const Rules& rules);

/// Refuses an object, which is `manifest` as YAML, that has too many bytes as JSON.
void refuse_size(std::string_view manifest, const std::string& policies, Refusals& refusals);

/// Refuses what is beyond a budget, or too long.
void refuse_costs(const Rules& rules, const std::vector<MatchCondition>& conditions,
                  const std::string& policies, Refusals& refusals);

}  // namespace cli
