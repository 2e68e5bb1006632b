// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/written_steps.hpp>
#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/engine/configuration.hpp>
#include <schedpol/engine/impl/object_changes.hpp>
#include <schedpol/engine/impl/systems.ipp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// Roles and bindings.
template <class T>
inline constexpr bool is_of_rbac =
    requires(T object) { object.rules; } || requires(T object) { object.role_ref; };

/// What `validate` of its system finds wrong with an object. Of the objects of RBAC nothing is: what
/// cannot be understood in them grants nothing.
template <class T>
std::vector<FieldError> errors_of(const T& object) {
  if constexpr (is_of_rbac<T>) {
    return {};
  } else if constexpr (requires { validate(object).errors; }) {
    return validate(object).errors;
  } else {
    return validate(object);
  }
}

/// Finds what is wrong with objects, one after another.
class ObjectValidator {
 public:
  /// Calls `f(name, errors, unreadable)` for each of `objects`, namespaces included; `unreadable` is
  /// null for an object that could be read.
  template <class F>
  void for_each(const Objects& objects, F&& f) {
    const UnreadableObject* const readable = nullptr;
    for_each_list(objects, [&](const auto& list, ObjectKinds kinds) {
      for (const auto& object : list) {
        const ObjectKind kind = kind_of(object, kinds);
        f(name_of(kind, object.metadata), errors_in(kind, object), readable);
      }
    });
    for (const Namespace& in : objects.namespaces) {
      std::vector<FieldError> errors;
      validate_name(errors, namespace_kind, in.metadata);
      f(name_of(namespace_kind, in.metadata), std::move(errors), readable);
    }
    for (const UnreadableObject& object : objects.unreadable) {
      const ObjectKind kind = kind_of(object);
      f(name_of(kind, metadata_of(object)), errors_in(kind, object), &object);
    }
  }

 private:
  std::vector<FieldError> errors_in(const ObjectKind& kind, const UnreadableObject& object) {
    if (kind.name.empty()) {
      return {{ErrorType::not_supported, FieldPath{object.kind}.key(object.name).child("kind"),
               object.kind, "is no object of a scheduling policy"}};
    }
    std::vector<FieldError> of_name;
    const FieldPath path = validate_name(of_name, kind, object.namespace_, object.name);
    std::vector<FieldError> errors = object.errors;
    if (errors.empty()) errors.push_back({ErrorType::invalid, {}, "", "cannot be read"});
    for (FieldError& error : errors) error.field = path.join(error.field);
    schedpol::detail::append(errors, std::move(of_name));
    return errors;
  }

  template <class T>
  std::vector<FieldError> errors_in(const ObjectKind& kind, const T& object) {
    std::vector<FieldError> errors;
    const FieldPath path = validate_name(errors, kind, object.metadata);
    for (FieldError& error : errors_of(object)) {
      // That a name is missing was said.
      if (object.metadata.name.empty() && error.field == FieldPath{"metadata", "name"}) continue;
      error.field = path.join(error.field);
      errors.push_back(std::move(error));
    }
    return errors;
  }

  FieldPath validate_name(std::vector<FieldError>& errors, const ObjectKind& kind,
                          const ObjectMeta& metadata) {
    return validate_name(errors, kind, metadata.namespace_, metadata.name);
  }
  /// The path of an object; notes a name that is missing or there before.
  FieldPath validate_name(std::vector<FieldError>& errors, const ObjectKind& kind,
                          const std::string& namespace_, const std::string& name) {
    const auto add = [&](ErrorType type, FieldPath field, std::string_view value,
                         std::string_view detail) {
      errors.push_back({type, std::move(field), std::string(value), std::string(detail)});
    };
    const bool namespaced = kind.scope == Scope::namespace_;
    const FieldPath path = FieldPath{kind.name}.key(namespaced ? namespace_ + '/' + name : name);
    const FieldPath at_name = path.child("metadata").child("name");
    if (name.empty()) add(ErrorType::required, at_name, "", "an object is told by its name");
    if (namespaced && namespace_.empty()) {
      add(ErrorType::required, path.child("metadata").child("namespace"), "",
          "without one it applies nowhere");
    }
    const std::string_view in = namespaced ? std::string_view(namespace_) : "";
    schedpol::detail::TextKey identity;
    identity.add(kind.name).add(in).add(name);
    if (!seen_.insert(identity.text()).second)
      add(ErrorType::duplicate, at_name, name, "another object has this name");
    return path;
  }

  std::set<std::string> seen_;  ///< kind, namespace and name of each
};

/// What is wrong with the list of systems.
inline std::vector<FieldError> validate_steps(const std::vector<Step>& steps) {
  if (steps.empty()) {
    return {{ErrorType::required, FieldPath{"systems"}, "", "which systems run has to be said"}};
  }
  std::vector<FieldError> errors;
  bool seen[std::size(all_systems)] = {};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const System system = steps[i].system;
    const FieldPath step = FieldPath{"systems"}.index(i);
    const FieldPath field = step.child("system");
    if (to_string(steps[i].mode).empty())
      errors.push_back({ErrorType::required, step.child("mode"), "",
                        "what becomes of its decisions has to be said"});
    if (!schedpol::detail::contains(all_systems, system)) {
      errors.push_back({ErrorType::required, field, "", "which system runs has to be said"});
    } else if (std::exchange(seen[static_cast<std::size_t>(system)], true)) {
      errors.push_back(
          {ErrorType::duplicate, field, std::string(to_string(system)), "a system runs once"});
    }
  }
  return errors;
}

/// What is wrong with the paths to pod templates.
inline std::vector<FieldError> validate_templates(const std::vector<TemplatePath>& templates) {
  const FieldPath field{"templates"};
  std::vector<FieldError> errors;
  if (templates.size() > max_template_paths) {
    return {{ErrorType::too_many, field, std::to_string(templates.size()),
             "at most " + std::to_string(max_template_paths) + " paths are read"}};
  }
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const auto& [group, kind, path] = templates[i];
    const FieldPath at = field.index(i);
    const std::optional<PodKind> known = pod_kind(kind);
    if (kind.empty()) {
      errors.push_back(
          {ErrorType::required, at.child("kind"), "", "which kind has them has to be said"});
    } else if (is_policy(group, kind)) {
      errors.push_back({ErrorType::invalid, at.child("kind"), kind, "is a policy and has no pods"});
    } else if (known && is_in_group(*known, group)) {
      errors.push_back(
          {ErrorType::invalid, at.child("kind"), kind, "is a workload whose template is known"});
    }
    const bool is_told =
        !kind.empty() && (is_policy(group, kind) || (known && is_in_group(*known, group)));
    if (!is_told && (group.find('.') == std::string::npos ||
                     !schedpol::detail::subdomain_problems(group).empty())) {
      errors.push_back({group.empty() ? ErrorType::required : ErrorType::invalid, at.child("group"),
                        group,
                        "a custom kind has a group with a dot in it, such as `argoproj.io`"});
    }
    if (schedpol::detail::written_steps(path).empty()) {
      errors.push_back({ErrorType::invalid, at.child("path"), path,
                        "must be fields such as `spec.template` or `spec.jobs[*].template`"});
    }
    if (std::find(templates.begin(), templates.begin() + std::ptrdiff_t(i), templates[i]) !=
        templates.begin() + std::ptrdiff_t(i))
      errors.push_back({ErrorType::duplicate, at, path, "a path is listed once"});
  }
  return errors;
}

/// What is wrong with the configuration besides its objects.
inline std::vector<FieldError> validate_settings(const Configuration& configuration) {
  std::vector<FieldError> errors = validate_steps(configuration.systems);
  schedpol::detail::append(errors, validate_templates(configuration.settings.templates));
  return errors;
}

SCHEDPOL_INLINE Objects with_stand_ins(Objects objects) {
  for (const UnreadableObject& object : objects.unreadable) {
    if (object.kind == namespace_kind.name) objects.namespaces.push_back({metadata_of(object)});
    for_each_list(objects, [&](auto& list, ObjectKinds kinds) {
      for (const ObjectKind& kind : kinds) {
        if (kind.name != object.kind) continue;
        auto& stand_in = list.emplace_back();
        stand_in.metadata = metadata_of(object);
        // The kinds of a list have the order of their enumerators.
        if constexpr (requires { to_string(stand_in.kind); })
          stand_in.kind = static_cast<decltype(stand_in.kind)>(&kind - kinds.begin());
      }
    });
  }
  return objects;
}

/// What is wrong with several objects of one name is told in one order, whichever came first.
inline void sort_errors_of_namesakes(std::vector<FieldError>& errors) {
  if (schedpol::detail::none_of(
          errors, [](const FieldError& error) { return error.type == ErrorType::duplicate; }))
    return;
  std::sort(errors.begin(), errors.end(),
            [](const FieldError& a, const FieldError& b) { return message(a) < message(b); });
}

SCHEDPOL_INLINE ObjectChanges changes_to(const Objects& objects) {
  ObjectChanges changes{.replaced = with_stand_ins(objects)};
  ObjectValidator().for_each(objects, [&](ObjectName&& name, std::vector<FieldError>&& errors,
                                          const UnreadableObject* unreadable) {
    if (unreadable != nullptr) changes.unread.push_back({name, unreadable, {}});
    if (!errors.empty())
      schedpol::detail::append(changes.problems[std::move(name)], std::move(errors));
  });
  for (auto& [name, errors] : changes.problems) sort_errors_of_namesakes(errors);
  for (Unread& unread : changes.unread) unread.reason = *changes.reason_of(unread.name);
  // Of two that are called the same neither can be trusted, the first one neither.
  const auto kept = [&](bool usable) {
    const auto is_kept = [&](const ObjectKind& kind, const ObjectMeta& metadata) {
      return (changes.reason_of(name_of(kind, metadata)) == nullptr) == usable;
    };
    Objects all = objects;
    for_each_list(all, [&](auto& list, ObjectKinds kinds) {
      schedpol::detail::erase_if(list, [&](const auto& object) {
        return !is_kept(kind_of(object, kinds), object.metadata);
      });
    });
    schedpol::detail::erase_if(
        all.namespaces, [&](const Namespace& in) { return !is_kept(namespace_kind, in.metadata); });
    return all;
  };
  changes.usable = kept(true);
  if (!changes.problems.empty()) changes.unusable = kept(false);
  return changes;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate_each(const Objects& objects) {
  std::vector<FieldError> errors;
  for_each_list(objects, [&](const auto& list, ObjectKinds) {
    for (const auto& object : list) schedpol::detail::append(errors, detail::errors_of(object));
  });
  for (const UnreadableObject& object : objects.unreadable)
    schedpol::detail::append(errors, object.errors);
  return errors;
}

SCHEDPOL_INLINE std::vector<FieldError> validate(const Configuration& configuration) {
  std::vector<FieldError> errors = detail::validate_settings(configuration);
  detail::ObjectValidator().for_each(
      configuration.objects,
      [&](const detail::ObjectName&, std::vector<FieldError>&& found, const UnreadableObject*) {
        schedpol::detail::append(errors, std::move(found));
      });
  return errors;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
