// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A change of an Engine's objects: the usable ones, and the unusable ones with the reasons.

#include <schedpol/engine/system.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What tells an object from all others.
struct ObjectName {
  std::string_view kind;
  std::string namespace_;  ///< empty for the kinds of the cluster
  std::string name;

  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

[[nodiscard]] inline ObjectName name_of(const ObjectKind& kind, const ObjectMeta& metadata) {
  const bool namespaced = kind.scope == Scope::namespace_;
  return {kind.name, namespaced ? metadata.namespace_ : std::string(), metadata.name};
}

/// The kind of an object, out of those that stand in its list.
template <class T>
[[nodiscard]] ObjectKind kind_of(const T& object, ObjectKinds kinds) {
  if constexpr (requires { to_string(object.kind); }) {
    for (const ObjectKind& kind : kinds)
      if (kind.name == to_string(object.kind)) return kind;
  }
  return *kinds.begin();
}

inline constexpr ObjectKind namespace_kind{"Namespace", Scope::cluster};

/// The kind of an object that could not be read; without a name where there is no such kind.
[[nodiscard]] inline ObjectKind kind_of(const UnreadableObject& object) {
  ObjectKind found{};
  if (object.kind == namespace_kind.name) found = namespace_kind;
  const Objects none;
  for_each_list(none, [&](const auto&, ObjectKinds kinds) {
    for (const ObjectKind& kind : kinds)
      if (kind.name == object.kind) found = kind;
  });
  return found;
}

[[nodiscard]] inline ObjectMeta metadata_of(const UnreadableObject& object) {
  return {.name = object.name, .namespace_ = object.namespace_};
}

/// What is wrong, by object.
using Problems = std::map<ObjectName, std::vector<FieldError>>;

/// An object that could not be read, and the first reason why.
struct Unread {
  ObjectName name;
  const UnreadableObject* object;
  FieldError reason;
};

/// What an Engine takes in. All that was called like one of `replaced` goes first. For what cannot be
/// used pods are denied, but for roles, bindings and namespaces: they grant nothing and select nothing.
struct ObjectChanges {
  Objects replaced{};  ///< with stand-ins for what could not be read
  Objects usable{};
  Objects unusable{};
  std::vector<Unread> unread{};
  Problems problems{};

  /// The first of what is wrong with an object; null where nothing is.
  [[nodiscard]] const FieldError* reason_of(const ObjectName& name) const noexcept {
    const auto found = problems.find(name);
    return found == problems.end() ? nullptr : &found->second.front();
  }

  /// Calls `f(object, name, reason)` for each of a type that cannot be used.
  template <class T, class F>
  void for_each_unusable(F&& f) const {
    visit_list<T>(unusable, [&](const auto& list, ObjectKinds kinds) {
      for (const T& object : list) {
        ObjectName name = name_of(kind_of(object, kinds), object.metadata);
        const FieldError& reason = *reason_of(name);
        f(object, std::move(name), reason);
      }
    });
  }
};

/// The objects, with one of its name beside them for each that could not be read.
[[nodiscard]] Objects with_stand_ins(Objects objects);

/// Each of `objects`, which outlive this, takes the place of the one of its name.
[[nodiscard]] ObjectChanges changes_to(const Objects& objects);

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
