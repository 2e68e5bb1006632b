// SPDX-License-Identifier: Apache-2.0
#pragma once

// Objects that are read, and the errors of those that cannot be.

#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/metadata_policy/policy.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/runtime_class/policy.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

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

namespace decoded_objects {

using schedpol::ErrorType;
using schedpol::FieldError;
using schedpol::Labels;
using schedpol::Pod;
using schedpol::Toleration;
using schedpol::json::decode;
using namespace std::string_view_literals;
using schedpol::scheduling_policy::SchedulingPolicy;
using schedpol::scheduling_policy::SchedulingPolicySpec;
using schedpol::testing::operator""_path;
namespace mp = schedpol::metadata_policy;
namespace psp = schedpol::pod_scheduling_policy;

// What is wrong with a text, as `TYPE FIELD`, separated by `; `; `good` when nothing is.
template <class T>
std::string errors(std::string_view bytes) {
  const auto decoded = decode<T>(bytes);
  if (decoded) return "good";
  std::string text;
  for (const FieldError& error : decoded.errors()) {
    if (!text.empty()) text += "; ";
    text += std::string(to_string(error.type)).substr(std::string_view("FieldValue").size());
    text += " " + to_string(error.field);
  }
  return text;
}

template <class T>
T read(std::string_view bytes) {
  const auto decoded = decode<T>(bytes);
  REQUIRE(decoded);
  return *decoded;
}

// A policy with this spec; sections are given as `required`, `allowed` and `default` members.
inline std::string policy(std::string_view spec) {
  return std::string(R"({"metadata":{"name":"p"},"spec":)").append(spec) + "}";
}

inline SchedulingPolicySpec read_spec(std::string_view spec) {
  return read<SchedulingPolicy>(policy(spec)).spec;
}

struct ErrorCase {
  const char* name;
  const char* text;
  const char* errors;
};

template <class T, std::size_t N>
void check_errors(const ErrorCase (&cases)[N]) {
  for (const ErrorCase& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.text);
    CHECK(errors<T>(c.text) == c.errors);
  }
}

template <std::size_t N>
void check_spec_errors(const ErrorCase (&cases)[N]) {
  for (const ErrorCase& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.text);
    CHECK(errors<SchedulingPolicy>(policy(c.text)) == c.errors);
  }
}

}  // namespace decoded_objects
