// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the results of the systems look in a failed assertion.

#include <schedpol/cluster/cluster.hpp>
#include <schedpol/cluster/plan.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/runtime_class/supports.hpp>

#include "print.hpp"

#include <optional>
#include <string>
#include <vector>

namespace schedpol::testing {

std::string shown(const pod_scheduling_policy::Skipped& skipped);
std::string shown(const metadata_policy::RuleName& name);
std::string shown(const metadata_policy::Write& write);
std::string shown(const metadata_policy::Conflict& conflict);
std::string shown(const resource_policy::Placement& placement);

template <class T>
std::string listed(const std::vector<T>& list) {
  std::string out = "[";
  for (const T& item : list) out += (out.size() > 1 ? ", " : "") + shown(item);
  return out + "]";
}

// ---- RBAC

inline std::string shown(const rbac::User& user) {
  return user.name + " of " + text(user.groups.vector());
}

// ---- RuntimeClass

inline std::string shown(const runtime_class::Support& support) {
  return (support.supported ? "supported" : "not supported") + std::string(", missing ") +
         text(support.missing);
}

// ---- PodSchedulingPolicy

inline std::string shown(const pod_scheduling_policy::Skipped& skipped) {
  return skipped.policy + " at " + to_string(skipped.field) + ": " + skipped.reason;
}
inline std::string shown(const pod_scheduling_policy::Injection& injection) {
  return text(injection.pod) + " applied: " + text(injection.applied) +
         " skipped: " + listed(injection.skipped) + " changes: " + text(injection.changes) +
         " errors: " + text(injection.errors);
}

// ---- MetadataPolicy

inline std::string shown(const metadata_policy::RuleName& name) {
  return name.policy + "#" + std::to_string(name.rule);
}
inline std::string shown(const metadata_policy::Write& write) {
  return shown(write.by) + " wrote " + write.value;
}
inline std::string shown(const metadata_policy::Conflict& conflict) {
  return to_string(conflict.field) + ": " + listed(conflict.writes);
}
inline std::string shown(const metadata_policy::MetadataAdmission& admission) {
  return (admission.allowed ? "allowed labels " : "rejected labels ") +
         text(admission.metadata.labels) + " annotations " + text(admission.metadata.annotations) +
         " rejected by: " + listed(admission.rejected_by) +
         " conflicts: " + listed(admission.conflicts) + " changes: " + text(admission.changes) +
         " errors: " + text(admission.errors);
}
inline std::string shown(const metadata_policy::SchedulerChoice& choice) {
  return (choice.allowed ? "allowed " : "rejected ") + text(choice.pod) + " annotations " +
         text(choice.pod.metadata.annotations) + " rejected by: " + listed(choice.rejected_by) +
         " conflicts: " + listed(choice.conflicts) + " changes: " + text(choice.changes) +
         " errors: " + text(choice.errors);
}

// ---- ResourcePolicy

inline std::string shown_unit(const std::optional<std::size_t>& unit) {
  return unit ? " in unit " + std::to_string(*unit) : std::string(" outside all units");
}
inline std::string shown(const resource_policy::Filter& filter) {
  return std::string(to_string(filter.code)) + " " + std::string(to_string(filter.reason)) +
         shown_unit(filter.unit);
}
inline std::string shown(const resource_policy::Placement& placement) {
  return placement.pod + " " + std::string(to_string(placement.code)) + " " +
         std::string(to_string(placement.reason)) + " on " + placement.node +
         shown_unit(placement.unit) + " costs " + std::to_string(placement.deletion_cost);
}
inline std::string shown(const resource_policy::Plan& plan) {
  return listed(plan.placements) + " scale down: " + text(plan.scale_down);
}

inline std::string shown(const std::vector<NodeSelectorTerm>& terms) {
  return text(terms);
}

template <class T>
std::string shown(const std::vector<T>& list) {
  return listed(list);
}

}  // namespace schedpol::testing

namespace doctest {

#define SCHEDPOL_PRINT(...)                           \
  template <>                                         \
  struct StringMaker<__VA_ARGS__> {                   \
    static String convert(const __VA_ARGS__& value) { \
      return schedpol::testing::shown(value).c_str(); \
    }                                                 \
  };

SCHEDPOL_PRINT(schedpol::rbac::User)
SCHEDPOL_PRINT(schedpol::runtime_class::Support)
SCHEDPOL_PRINT(std::vector<schedpol::NodeSelectorTerm>)
SCHEDPOL_PRINT(std::vector<schedpol::pod_scheduling_policy::Skipped>)
SCHEDPOL_PRINT(schedpol::pod_scheduling_policy::Injection)
SCHEDPOL_PRINT(std::vector<schedpol::metadata_policy::RuleName>)
SCHEDPOL_PRINT(std::vector<schedpol::metadata_policy::Conflict>)
SCHEDPOL_PRINT(schedpol::metadata_policy::MetadataAdmission)
SCHEDPOL_PRINT(schedpol::metadata_policy::SchedulerChoice)
SCHEDPOL_PRINT(schedpol::resource_policy::Filter)
SCHEDPOL_PRINT(schedpol::resource_policy::Placement)
SCHEDPOL_PRINT(schedpol::resource_policy::Plan)

#undef SCHEDPOL_PRINT

}  // namespace doctest
