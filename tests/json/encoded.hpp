// SPDX-License-Identifier: Apache-2.0
#pragma once

// Objects that are written and read back.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/policy.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>
#include <schedpol/rbac/builtin.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/runtime_class/policy.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace encoded {

using schedpol::any;
using schedpol::LabelSelector;
using schedpol::OpenEnum;
using schedpol::Pod;
using schedpol::PodKind;
using schedpol::TaintEffect;
using schedpol::Texts;
using schedpol::Toleration;
using schedpol::TolerationOperator;
using schedpol::json::decode;
using schedpol::json::encode;
namespace sp = schedpol::scheduling_policy;

template <class T>
void check_round_trip(const T& value) {
  const std::string text = encode(value);
  CAPTURE(text);
  const auto decoded = decode<T>(text);
  REQUIRE_MESSAGE(decoded, schedpol::testing::text(decoded.errors()));
  CHECK((*decoded == value));
  CHECK(encode(*decoded) == text);
}

inline sp::SchedulingPolicy policy_with(const sp::SchedulingPolicySpec& spec) {
  sp::SchedulingPolicy policy;
  policy.metadata.name = "p";
  policy.spec = spec;
  return policy;
}

inline schedpol::Quantity quantity(std::string_view text) {
  return schedpol::Quantity::parse(text).value();
}

}  // namespace encoded
