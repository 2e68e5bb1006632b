// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The original objects of an Engine, for systems that compile them into another form, and their
/// replacement.

#include <schedpol/base/impl/persistent_map.hpp>
#include <schedpol/engine/impl/object_changes.hpp>

#include <tuple>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The objects of some types that can be used. Copies share them.
template <class... Types>
class ObjectStore {
 public:
  void apply(const ObjectChanges& changes) { (apply_to_list<Types>(changes), ...); }

  /// The object of a type that has this name in a namespace; null where there is none.
  template <class T>
  [[nodiscard]] const T* find_in(std::string_view namespace_,
                                 std::string_view name) const noexcept {
    return map_of<T>().find({0, namespace_, name});
  }

  /// Calls `f(object)` for each of a type that is in a namespace, or in none, until it says no.
  template <class T, class F>
  void for_each_in(std::string_view namespace_, F&& f) const {
    map_of<T>().for_each_until(0, namespace_, f);
  }
  /// The same of all that are in no namespace, of a type of which others are in one.
  template <class T, class F>
  void for_each_of_cluster(F&& f) const {
    map_of<T>().for_each_until(1, {}, f);
  }
  /// The same of all of a type.
  template <class T, class F>
  void for_each(F&& f) const {
    bool goes_on = true;
    const auto one = [&](const T& object) { return goes_on = goes_on && f(object); };
    map_of<T>().for_each_until(0, {}, one);
    map_of<T>().for_each_until(1, {}, one);
  }

 private:
  template <class T>
  using Map = schedpol::detail::PersistentMap<T>;

  template <class T>
  [[nodiscard]] const Map<T>& map_of() const noexcept {
    return std::get<Map<T>>(objects_);
  }

  template <class T>
  void apply_to_list(const ObjectChanges& changes) {
    Map<T>& objects = std::get<Map<T>>(objects_);
    visit_list<T>(changes.replaced, [&](const auto& list, ObjectKinds kinds) {
      for (const T& object : list) objects.erase(key_of(object, kinds));
    });
    visit_list<T>(changes.usable, [&](const auto& list, ObjectKinds kinds) {
      for (const T& object : list) objects[key_of(object, kinds)] = T(object);
    });
  }

  template <class T>
  static schedpol::detail::MapKeyView key_of(const T& object, ObjectKinds kinds) {
    const ObjectKind kind = kind_of(object, kinds);
    if (kind.scope == Scope::namespace_)
      return {0, object.metadata.namespace_, object.metadata.name};
    return {static_cast<char>(kinds.size() - 1), object.metadata.name, {}};
  }

  std::tuple<Map<Types>...> objects_;
};

/// Puts policies into the place of others in what a system has compiled of them.
template <class Compiled, class Policy>
void replace_policies(Compiled& compiled, const std::vector<Policy>& replaced,
                      const std::vector<Policy>& usable) {
  if (replaced.empty()) return;
  // What has been found good can be compiled; otherwise it denies.
  auto made = compiled.without(replaced).with(usable);
  compiled = made ? *std::move(made) : Compiled();
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
