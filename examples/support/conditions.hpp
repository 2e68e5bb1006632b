// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Conditions: what a program tells the author of a policy, in its status.
///
/// 1. The condition `Accepted` is True, or False with the reason why the policy cannot be used.
/// 2. It is written by server-side apply to the status, with a time of its own only when True
///    becomes False or the other way round, and only where the policy has another one: the watch
///    that shows the written one leads to nothing more.
/// 3. What was written for one generation of a policy is not written for it again. Two writers that
///    disagree do not take turns for ever.
/// 4. Several are written at the same time, but one of each policy, so that the last word stays.
/// 5. What could not be written is tried again, after a pause that grows.
///
/// Source: the Kubernetes API conventions (typical status properties), server-side apply.

#include "api_client.hpp"
#include "api_object.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace support {

inline constexpr std::string_view accepted_condition = "Accepted";

struct Condition {
  bool is_true = false;
  std::string reason{};
  std::string message{};
  std::int64_t observed_generation = 0;
  std::string last_transition_time{};
};

/// What conditions are about in an object.
struct ConditionState {
  std::int64_t generation = 0;
  std::optional<Condition> accepted{};
};

/// Of an object as an API server sent it.
[[nodiscard]] ConditionState read_conditions(std::string_view json);

/// The policy that a condition is for.
struct ConditionSubject {
  Collection collection{};
  ObjectKey key{};
};

class ConditionWriter {
 public:
  /// `manager` is the field manager. The client has to outlive it.
  ConditionWriter(ApiClient& client, std::string manager);
  ~ConditionWriter();
  ConditionWriter(const ConditionWriter&) = delete;
  ConditionWriter& operator=(const ConditionWriter&) = delete;

  /// The policy is in this state, and `verdict` is what its condition has to say; reason, message
  /// and truth of it count. Returns at once; threads of its own write.
  void say(const ConditionSubject& subject, const ConditionState& state, Condition verdict);

  /// The policy is gone.
  void forget(const ConditionSubject& subject);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace support
