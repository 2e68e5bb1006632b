// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a configuration before an Engine can be built of it.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/schema.hpp>
#include <schedpol/metadata_policy/metadata_policy.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/runtime_class/runtime_class.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::json::detail {

/// Finds what is wrong with the objects of a configuration. A path begins with the object:
/// `SchedulingPolicy[gpu].spec.required.schedulerNames`.
class ConfigurationValidator {
 public:
  std::vector<FieldError> run(const Configuration& configuration) && {
    validate_systems(configuration.systems);
    constexpr auto validated = [](const auto& object) { return validate(object); };
    constexpr auto not_validated = [](const auto&) { return std::vector<FieldError>(); };
    validate_objects(configuration.runtime_classes, validated);
    validate_objects(configuration.metadata_policies, validated);
    validate_objects(configuration.pod_scheduling_policies, validated);
    validate_objects(configuration.scheduling_policies, validated);
    validate_objects(configuration.resource_policies,
                     [](const auto& policy) { return validate(policy).errors; });
    validate_objects(configuration.rbac.roles, not_validated);
    validate_objects(configuration.rbac.cluster_roles, not_validated);
    validate_objects(configuration.rbac.role_bindings, not_validated);
    validate_objects(configuration.rbac.cluster_role_bindings, not_validated);
    for (const ObjectMeta& in : configuration.namespaces) note_name("Namespace", in);
    return std::move(errors_);
  }

 private:
  void validate_systems(const std::vector<Step>& systems) {
    if (systems.empty())
      errors_.push_back({ErrorType::required, "systems", "", "which systems run has to be said"});
    std::set<System> seen;
    for (std::size_t i = 0; i < systems.size(); ++i) {
      if (seen.insert(systems[i].system).second) continue;
      errors_.push_back({ErrorType::duplicate, "systems[" + std::to_string(i) + "].system",
                         std::string(to_string(systems[i].system)), "a system runs once"});
    }
  }

  template <class T>
  static std::string_view kind_of(const T&) {
    return Schema<T>::kind;
  }
  static std::string_view kind_of(const pod_scheduling_policy::PodSchedulingPolicy& policy) {
    return to_string(policy.kind);
  }

  /// Kinds that stand in a namespace. Without one they would silently apply nowhere.
  static bool is_namespaced(std::string_view kind) noexcept {
    constexpr std::array<std::string_view, 5> kinds = {"MetadataPolicy", "PodSchedulingPolicy",
                                                       "ResourcePolicy", "Role", "RoleBinding"};
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  }

  /// The path of an object; notes a name that is missing or there twice.
  std::string note_name(std::string_view kind, const ObjectMeta& metadata) {
    std::string path(kind);
    path += '[';
    if (is_namespaced(kind)) path += metadata.namespace_ + '/';
    path += metadata.name + ']';
    const auto missing = [&](std::string_view field, std::string_view why) {
      errors_.push_back({ErrorType::required, path + std::string(field), "", std::string(why)});
    };
    if (metadata.name.empty()) missing(".metadata.name", "an object is told by its name");
    if (is_namespaced(kind) && metadata.namespace_.empty())
      missing(".metadata.namespace", "without one it applies nowhere");
    if (!seen_.insert(path).second) {
      errors_.push_back({ErrorType::duplicate, path + ".metadata.name", metadata.name,
                         "another object has this name"});
    }
    return path;
  }

  template <class T, class Validate>
  void validate_objects(const std::vector<T>& objects, Validate&& validate) {
    for (const T& object : objects) {
      const std::string path = note_name(kind_of(object), object.metadata);
      for (FieldError error : validate(object)) {
        // That a name is missing was said.
        if (object.metadata.name.empty() && error.field == "metadata.name") continue;
        error.field = path + '.' + error.field;
        errors_.push_back(std::move(error));
      }
    }
  }

  std::set<std::string> seen_;
  std::vector<FieldError> errors_;
};

}  // namespace schedpol::json::detail
