// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What may be spent on one question of insight: steps, each of which takes no longer the larger the
/// input is, and bytes of what is kept. Both are spent where the work is done and before it is done.
/// Once either is used up nothing more is looked at.

#include <schedpol/base/field_error.hpp>
#include <schedpol/core/limits.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::detail {

class Budget {
 public:
  explicit Budget(std::size_t steps = max_insight_steps,
                  std::size_t bytes = max_insight_bytes) noexcept
      : steps_(steps), bytes_(bytes) {}
  /// Of whoever may spend as much as it takes.
  [[nodiscard]] static Budget unlimited() noexcept {
    constexpr auto most = static_cast<std::size_t>(-1);
    return Budget(most, most);
  }

  /// False once it is used up.
  bool spend(std::size_t steps = 1) noexcept {
    steps_ -= std::min(steps, steps_);
    return !used_up();
  }
  bool keep(std::size_t bytes) noexcept {
    bytes_ -= std::min(bytes, bytes_);
    return !used_up();
  }
  /// Of what would take more than anybody may spend.
  void use_up() noexcept { steps_ = 0; }
  [[nodiscard]] bool used_up() const noexcept { return steps_ == 0 || bytes_ == 0; }
  [[nodiscard]] std::size_t steps_left() const noexcept { return steps_; }

  /// What is said instead of an answer.
  [[nodiscard]] static std::vector<FieldError> exceeded(FieldPath field) {
    return {{ErrorType::too_many, std::move(field), "",
             "takes more than " + std::to_string(max_insight_steps) + " steps to compare"}};
  }

 private:
  std::size_t steps_;
  std::size_t bytes_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
