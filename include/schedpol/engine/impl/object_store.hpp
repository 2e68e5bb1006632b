// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Objects as they came to an Engine, for those systems that compile them into something else.

#include <schedpol/core/impl/persistent_map.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/shared.hpp>

#include <vector>

namespace schedpol::engine::detail {

/// The objects of one kind that can be used. Copies share them.
template <class T>
class KeptObjects {
 public:
  /// `key_of(object)` tells the objects apart.
  template <class KeyOf>
  void take_over(const std::vector<T>& replaced, const std::vector<T>& usable, KeyOf&& key_of) {
    for (const T& object : replaced) objects_.erase(key_of(object));
    for (const T& object : usable) objects_[key_of(object)] = Shared<T>(object);
  }

  void collect(std::vector<T>& into) const {
    objects_.for_each([&](const Shared<T>& object) { into.push_back(*object); });
  }

 private:
  schedpol::detail::PersistentMap<Shared<T>> objects_;
};

}  // namespace schedpol::engine::detail
