// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/engine/configuration.hpp>
#include <schedpol/engine/impl/object_changes.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/systems/unusable_objects.hpp>
#include <schedpol/impl/linkage.hpp>

#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::engine {

namespace detail {

/// Finds what is wrong with objects, one after another.
class ObjectValidator {
 public:
  /// Calls `f(object, kind, errors)` for each object of `objects`, `g(metadata, errors)` for each
  /// namespace, and `h(object, kind, errors)` for each that could not be read; its kind has no name
  /// where it is none.
  template <class F, class G, class H>
  void for_each(const Objects& objects, F&& f, G&& g, H&& h) {
    for_each_list(objects, [&](const auto& list, ObjectKinds kinds) {
      for (const auto& object : list) {
        const ObjectKind kind = kind_of(object, kinds);
        f(object, kind, errors_in(kind, object));
      }
    });
    for (const ObjectMeta& in : objects.namespaces) {
      std::vector<FieldError> errors;
      validate_name(errors, namespace_kind, in);
      g(in, std::move(errors));
    }
    for (const UnreadableObject& object : objects.unreadable) {
      const ObjectKind kind = kind_of(object);
      h(object, kind, errors_in(kind, object));
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
    errors.insert(errors.end(), of_name.begin(), of_name.end());
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
  /// The path of an object; notes a name that is missing or there before. Both names outlive the
  /// validator.
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
    if (!names_[kind.name].add(name, in))
      add(ErrorType::duplicate, at_name, name, "another object has this name");
    return path;
  }

  std::map<std::string_view, schedpol::detail::UniqueNames> names_;  ///< by kind
};

/// What is wrong with the list of systems.
inline std::vector<FieldError> validate_steps(const std::vector<Step>& steps) {
  if (steps.empty()) {
    return {{ErrorType::required, FieldPath{"systems"}, "", "which systems run has to be said"}};
  }
  std::vector<FieldError> errors;
  std::set<System> seen;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (seen.insert(steps[i].system).second) continue;
    errors.push_back({ErrorType::duplicate, FieldPath{"systems"}.index(i).child("system"),
                      std::string(to_string(steps[i].system)), "a system runs once"});
  }
  return errors;
}

/// Moves what is wrong with an object to where the rest is.
inline void append(std::vector<FieldError>& to, std::vector<FieldError>&& errors) {
  to.insert(to.end(), std::make_move_iterator(errors.begin()),
            std::make_move_iterator(errors.end()));
}

SCHEDPOL_INLINE NamedObjects::NamedObjects(const Objects& objects) : objects_(&objects) {
  if (objects.unreadable.empty()) return;
  with_stand_ins_ = objects;
  objects_ = &with_stand_ins_;
  for (const UnreadableObject& object : objects.unreadable) {
    if (object.kind == namespace_kind.name)
      with_stand_ins_.namespaces.push_back(metadata_of(object));
    for_each_list(with_stand_ins_, [&](auto& list, ObjectKinds kinds) {
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
}

SCHEDPOL_INLINE ObjectChanges changes_to(const Objects& objects, const NamedObjects& named) {
  ObjectChanges changes{.replaced = named.get()};
  const auto note = [&](ObjectName name, std::vector<FieldError>&& errors) {
    if (!errors.empty()) append(changes.problems[std::move(name)], std::move(errors));
  };
  ObjectValidator().for_each(
      objects,
      [&](const auto& object, const ObjectKind& kind, std::vector<FieldError>&& errors) {
        note(name_of(kind, object.metadata), std::move(errors));
      },
      [&](const ObjectMeta& in, std::vector<FieldError>&& errors) {
        note(name_of(namespace_kind, in), std::move(errors));
      },
      [&](const UnreadableObject& object, const ObjectKind& kind,
          std::vector<FieldError>&& errors) {
        ObjectName name = name_of(kind, metadata_of(object));
        changes.unread.push_back({name, &object, errors.front()});
        note(std::move(name), std::move(errors));
      });
  // Of two that are called the same neither can be trusted, the first one neither.
  const auto why_not = [&](const ObjectName& name) -> const FieldError* {
    const auto found = changes.problems.find(name);
    return found == changes.problems.end() ? nullptr : &found->second.front();
  };
  changes.usable = objects;
  for_each_list(changes.usable, [&](auto& list, ObjectKinds kinds) {
    using T = typename std::remove_cvref_t<decltype(list)>::value_type;
    std::erase_if(list, [&](const T& object) {
      const FieldError* const reason = why_not(name_of(kind_of(object, kinds), object.metadata));
      if constexpr (denies_unusable<T>) {
        if (reason != nullptr) changes.unusable_of<T>().push_back({object, *reason});
      }
      return reason != nullptr;
    });
  });
  std::erase_if(changes.usable.namespaces, [&](const ObjectMeta& in) {
    return why_not(name_of(namespace_kind, in)) != nullptr;
  });
  return changes;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate_each(const Objects& objects) {
  std::vector<FieldError> errors;
  for_each_list(objects, [&](const auto& list, ObjectKinds) {
    for (const auto& object : list) detail::append(errors, detail::errors_of(object));
  });
  for (const UnreadableObject& object : objects.unreadable)
    errors.insert(errors.end(), object.errors.begin(), object.errors.end());
  return errors;
}

SCHEDPOL_INLINE std::vector<FieldError> validate(const Configuration& configuration) {
  std::vector<FieldError> errors = detail::validate_steps(configuration.systems);
  detail::ObjectValidator().for_each(
      configuration.objects,
      [&](const auto&, const ObjectKind&, std::vector<FieldError>&& found) {
        detail::append(errors, std::move(found));
      },
      [&](const ObjectMeta&, std::vector<FieldError>&& found) {
        detail::append(errors, std::move(found));
      },
      [&](const UnreadableObject&, const ObjectKind&, std::vector<FieldError>&& found) {
        detail::append(errors, std::move(found));
      });
  return errors;
}

}  // namespace schedpol::engine
