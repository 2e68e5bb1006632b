// SPDX-License-Identifier: Apache-2.0
#pragma once

// How values of the Kubernetes vocabulary look in a failed assertion.

#include <schedpol/base/field_error.hpp>
#include <schedpol/base/field_path.hpp>
#include <schedpol/base/names.hpp>
#include <schedpol/base/texts.hpp>
#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace schedpol::testing {

template <class T>
concept Worded = requires(const T& value) { std::string(value.text()); };
template <class T>
concept Messaged = requires(const T& value) { std::string(message(value)); };

std::string text(const Texts& texts);
std::string text(const Names& names);
std::string text(const Labels& labels);
std::string text(const FieldError& error);
std::string text(const Violation& violation);
std::string text(const Affinity& affinity);
std::string text(const Pod& pod);
template <class T>
std::string text(const std::optional<T>& value);
template <class T>
std::string text(const std::vector<T>& list);
template <class T>
std::string text(const T& value);

template <class T>
std::string text(const std::optional<T>& value) {
  return value ? text(*value) : "absent";
}
template <class T>
std::string text(const std::vector<T>& list) {
  std::string out = "[";
  for (const T& item : list) out += (out.size() > 1 ? ", " : "") + text(item);
  return out + "]";
}
inline std::string text(const Texts& texts) {
  return text(texts.vector());
}
inline std::string text(const Names& names) {
  return text(names.vector()) + " and " + std::to_string(names.more()) + " more";
}
inline std::string text(const Labels& labels) {
  std::string out = "{";
  for (const auto& [key, value] : labels) out += (out.size() > 1 ? ", " : "") + key + "=" + value;
  return out + "}";
}
inline std::string text(const FieldError& error) {
  return std::string(to_string(error.type)) + " " + message(error);
}
inline std::string text(const Warning& warning) {
  return message(warning);
}
inline std::string text(const Violation& violation) {
  return std::string(to_string(violation.code)) + " " + message(violation);
}
inline std::string text(const Affinity& affinity) {
  return "node: " + text(affinity.node_affinity) + ", pod: " + text(affinity.pod_affinity) +
         ", anti: " + text(affinity.pod_anti_affinity);
}
inline std::string text(const Pod& pod) {
  const PodSpec& spec = pod.spec;
  return std::string(to_string(pod.kind)) + " " + pod.metadata.namespace_ + "/" +
         pod.metadata.name + " {schedulerName: " + spec.scheduler_name +
         ", nodeName: " + spec.node_name + ", priorityClassName: " + spec.priority_class_name +
         ", nodeSelector: " + text(spec.node_selector) +
         ", tolerations: " + text(spec.tolerations) + ", affinity: " + text(spec.affinity) + "}";
}
inline std::string text(const Admission& admission) {
  return (admission.allowed ? "allowed " : "denied ") + text(admission.pod) +
         " violations: " + text(admission.violations) + " changes: " + text(admission.changes) +
         (admission.warnings.empty() ? "" : " warnings: " + text(admission.warnings));
}

template <class T>
std::string text(const T& value) {
  if constexpr (requires { std::string(value); }) {
    return "\"" + std::string(value) + "\"";
  } else if constexpr (Messaged<T>) {
    return message(value);
  } else if constexpr (Worded<T>) {
    return std::string(value.text());
  } else {
    return std::string(to_string(value));
  }
}

}  // namespace schedpol::testing

namespace doctest {

#define SCHEDPOL_PRINT(...)                           \
  template <>                                         \
  struct StringMaker<__VA_ARGS__> {                   \
    static String convert(const __VA_ARGS__& value) { \
      return schedpol::testing::text(value).c_str();  \
    }                                                 \
  };

SCHEDPOL_PRINT(schedpol::Toleration)
SCHEDPOL_PRINT(std::vector<schedpol::Toleration>)
SCHEDPOL_PRINT(std::vector<std::string>)
SCHEDPOL_PRINT(schedpol::Texts)
SCHEDPOL_PRINT(schedpol::Names)
SCHEDPOL_PRINT(schedpol::Labels)
SCHEDPOL_PRINT(schedpol::FieldPath)
SCHEDPOL_PRINT(schedpol::FieldError)
SCHEDPOL_PRINT(std::vector<schedpol::FieldError>)
SCHEDPOL_PRINT(schedpol::Violation)
SCHEDPOL_PRINT(std::vector<schedpol::Violation>)
SCHEDPOL_PRINT(schedpol::Change)
SCHEDPOL_PRINT(std::vector<schedpol::Change>)
SCHEDPOL_PRINT(schedpol::Pod)
SCHEDPOL_PRINT(schedpol::Admission)
SCHEDPOL_PRINT(schedpol::ViolationCode)
SCHEDPOL_PRINT(schedpol::ErrorType)

#undef SCHEDPOL_PRINT

/// The name of a case; doctest would print its address.
template <>
struct StringMaker<const char*> {
  static String convert(const char* text) { return text; }
};

}  // namespace doctest
