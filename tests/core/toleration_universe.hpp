// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every toleration of a few words, and what it tolerates.

#include <schedpol/core/toleration.hpp>

#include "../support/print.hpp"
#include "../support/random.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace toleration_universe {

using schedpol::covers;
using schedpol::OpenEnum;
using schedpol::Taint;
using schedpol::TaintEffect;
using schedpol::tolerates;
using schedpol::Toleration;
using Op = schedpol::TolerationOperator;
using OpenOp = OpenEnum<Op>;
using OpenEffect = OpenEnum<TaintEffect>;
using Seconds = std::optional<std::int64_t>;
using Tolerations = std::vector<Toleration>;

inline constexpr auto no_schedule = TaintEffect::no_schedule;
inline constexpr auto prefer_no_schedule = TaintEffect::prefer_no_schedule;
inline constexpr auto no_execute = TaintEffect::no_execute;

inline Taint taint(std::string key, std::string value, OpenEffect effect = no_schedule) {
  return {std::move(key), std::move(value), std::move(effect)};
}

/// Every toleration of a few keys, operators, values, effects and seconds.
inline Tolerations product(const std::vector<std::string>& keys,
                           const std::vector<OpenOp>& operators,
                           const std::vector<std::string>& values,
                           const std::vector<OpenEffect>& effects,
                           const std::vector<Seconds>& seconds) {
  Tolerations tolerations;
  for (const auto& key : keys) {
    for (const auto& operator_ : operators) {
      for (const auto& value : values) {
        for (const auto& effect : effects) {
          for (const auto& s : seconds) tolerations.push_back({key, operator_, value, effect, s});
        }
      }
    }
  }
  return tolerations;
}

inline const std::vector<OpenOp> all_operators = {{},     Op::equal, Op::exists,
                                                  Op::lt, Op::gt,    OpenOp("Is")};

inline Tolerations universe() {
  return product({"", "a", "b"}, all_operators, {"", "1", "2"},
                 {{}, no_schedule, no_execute, OpenEffect("Never")}, {std::nullopt, 0, 5});
}

inline const std::vector<Taint>& taints() {
  static const std::vector<Taint> all = [] {
    std::vector<Taint> list;
    for (const std::string key : {"a", "b", "c", ""}) {
      for (const std::string value : {"", "0", "1", "2", "3", "x"}) {
        for (const OpenEffect& effect : {OpenEffect(no_schedule), OpenEffect(prefer_no_schedule),
                                         OpenEffect(no_execute), OpenEffect("Never")}) {
          list.push_back(taint(key, value, effect));
        }
      }
    }
    return list;
  }();
  return all;
}

using TaintSet = std::bitset<96>;

inline TaintSet tolerated(const Toleration& toleration) {
  TaintSet set;
  for (std::size_t i = 0; i < taints().size(); ++i) set[i] = tolerates(toleration, taints()[i]);
  return set;
}

inline TaintSet tolerated(const Tolerations& tolerations) {
  TaintSet set;
  for (const Toleration& toleration : tolerations) set |= tolerated(toleration);
  return set;
}

}  // namespace toleration_universe
