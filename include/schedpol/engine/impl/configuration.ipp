// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/engine/configuration.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/impl/linkage.hpp>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace schedpol::engine {

namespace detail {

/// Finds what is wrong with a configuration, part by part.
class ConfigurationValidator {
 public:
  explicit ConfigurationValidator(const Configuration& configuration) {
    validate_steps(configuration.systems);
    for_each_list(configuration.objects, [&](const auto& list, ObjectKinds kinds) {
      for (const auto& object : list) validate_object(kind_of(object, kinds), object);
    });
    for (const ObjectMeta& in : configuration.objects.namespaces)
      validate_name({"Namespace", Scope::cluster}, in);
  }

  std::vector<FieldError> take() && { return std::move(errors_); }

 private:
  void add(ErrorType type, FieldPath field, std::string_view value, std::string_view detail) {
    errors_.push_back({type, std::move(field), std::string(value), std::string(detail)});
  }

  void validate_steps(const std::vector<Step>& steps) {
    if (steps.empty())
      add(ErrorType::required, FieldPath{"systems"}, "", "which systems run has to be said");
    std::set<System> seen;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (seen.insert(steps[i].system).second) continue;
      add(ErrorType::duplicate, FieldPath{"systems"}.index(i).child("system"),
          to_string(steps[i].system), "a system runs once");
    }
  }

  template <class T>
  static ObjectKind kind_of(const T& object, ObjectKinds kinds) {
    if constexpr (requires { to_string(object.kind); }) {
      for (const ObjectKind& kind : kinds)
        if (kind.name == to_string(object.kind)) return kind;
    }
    return *kinds.begin();
  }

  template <class T>
  void validate_object(const ObjectKind& kind, const T& object) {
    const FieldPath path = validate_name(kind, object.metadata);
    for (FieldError& error : errors_of(object)) {
      // That a name is missing was said.
      if (object.metadata.name.empty() && error.field == FieldPath{"metadata", "name"}) continue;
      error.field = path.join(error.field);
      errors_.push_back(std::move(error));
    }
  }

  /// The path of an object; notes a name that is missing or there twice.
  FieldPath validate_name(const ObjectKind& kind, const ObjectMeta& metadata) {
    const bool namespaced = kind.scope == Scope::namespace_;
    const FieldPath path = FieldPath{kind.name}.key(
        namespaced ? metadata.namespace_ + '/' + metadata.name : metadata.name);
    const FieldPath at_name = path.child("metadata").child("name");
    if (metadata.name.empty())
      add(ErrorType::required, at_name, "", "an object is told by its name");
    if (namespaced && metadata.namespace_.empty()) {
      add(ErrorType::required, path.child("metadata").child("namespace"), "",
          "without one it applies nowhere");
    }
    const std::string_view in = namespaced ? std::string_view(metadata.namespace_) : "";
    if (!names_[kind.name].add(metadata.name, in))
      add(ErrorType::duplicate, at_name, metadata.name, "another object has this name");
    return path;
  }

  std::map<std::string_view, schedpol::detail::UniqueNames> names_;  ///< by kind
  std::vector<FieldError> errors_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate(const Configuration& configuration) {
  return detail::ConfigurationValidator(configuration).take();
}

}  // namespace schedpol::engine
