// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A persistent map: its copies share what they have in common, so that one value of ten thousand is changed
/// without copying the others. It is spread over shards by the hash of its keys; a change copies
/// one shard.

#include <schedpol/base/impl/shared.hpp>

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// Two texts, and what they are texts of.
template <class Text>
struct BasicMapKey {
  char kind = 0;
  Text first{};
  Text second{};

  friend auto operator<=>(const BasicMapKey&, const BasicMapKey&) = default;
};
using MapKey = BasicMapKey<std::string>;
using MapKeyView = BasicMapKey<std::string_view>;

[[nodiscard]] inline MapKeyView view(const MapKey& key) noexcept {
  return {key.kind, key.first, key.second};
}
[[nodiscard]] inline MapKeyView view(const MapKeyView& key) noexcept {
  return key;
}
[[nodiscard]] inline MapKey copy_of(const MapKeyView& key) {
  return {key.kind, std::string(key.first), std::string(key.second)};
}

/// Of keys and views of them, so that a key is found without copying its texts.
struct MapKeyOrder {
  using is_transparent = void;

  template <class A, class B>
  bool operator()(const A& one, const B& other) const noexcept {
    return view(one) < view(other);
  }
};

/// Objects by key, whose types only `PersistentMap` knows, so that one map is compiled for all types.
class PersistentObjects {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Null where there is none.
  [[nodiscard]] const SharedObject* find(const MapKeyView& key) const noexcept {
    if (size_ == 0) return nullptr;
    const CopyOnWrite<Shard>& shard = shards_[number_of(key)];
    if (!shard) return nullptr;
    const auto found = (*shard).find(key);
    return found == (*shard).end() ? nullptr : found->second.object();
  }

  /// The same, to be changed: one that no other map has.
  [[nodiscard]] SharedObject* own(const MapKeyView& key) {
    if (find(key) == nullptr) return nullptr;
    ValueOwner& owner = own_shard(key).find(key)->second;
    if (owner.object()->owners.load(std::memory_order_acquire) > 1)
      owner = ValueOwner(owner.object()->copy());
    return owner.object();
  }

  /// Of a key that there is none of. Takes the object, which has one owner.
  void insert(const MapKeyView& key, SharedObject* object) {
    ValueOwner owner(object);
    if (shards_.empty()) shards_.resize(shard_count);
    own_shard(key).try_emplace(copy_of(key), std::move(owner));
    ++size_;
  }

  void erase(const MapKeyView& key) {
    if (find(key) == nullptr) return;
    Shard& shard = own_shard(key);
    shard.erase(shard.find(key));
    --size_;
  }

  /// All keys, in their order.
  [[nodiscard]] std::set<MapKey> keys() const {
    std::set<MapKey> keys;
    for_each([&](const MapKey& key, const SharedObject&) { keys.insert(key); });
    return keys;
  }

  /// Calls `f(key, object)` for each.
  template <class F>
  void for_each(F&& f) const {
    for (const CopyOnWrite<Shard>& shard : shards_) {
      if (!shard) continue;
      for (const auto& [key, owner] : *shard) f(key, *owner.object());
    }
  }

  /// Calls `f(key, object)` for each of this kind, and with this first text where one is given, until
  /// it says no.
  template <class F>
  void for_each_until(char kind, std::optional<std::string_view> first, F&& f) const {
    for (const CopyOnWrite<Shard>& shard : shards_) {
      if (!shard) continue;
      for (auto at = (*shard).lower_bound(MapKeyView{kind, first.value_or(""), {}});
           at != (*shard).end() && at->first.kind == kind && (!first || at->first.first == *first);
           ++at)
        if (!f(at->first, *at->second.object())) return;
    }
  }

 private:
  class ValueOwner : public SharedOwner {
   public:
    explicit ValueOwner(SharedObject* object) noexcept : SharedOwner(object) {}
    using SharedOwner::object;
  };

  using Shard = std::map<MapKey, ValueOwner, MapKeyOrder>;

  /// Of ten thousand values a shard has forty.
  static constexpr std::size_t shard_count = 256;

  static std::size_t number_of(const MapKeyView& key) noexcept {
    constexpr std::hash<std::string_view> hash;
    return (hash(key.first) * 31 + hash(key.second) + static_cast<unsigned char>(key.kind)) %
           shard_count;
  }

  Shard& own_shard(const MapKeyView& key) { return shards_[number_of(key)].own(); }

  std::vector<CopyOnWrite<Shard>> shards_;  ///< none before the first value
  std::size_t size_ = 0;
};

/// Copies may be read by any number of threads, each copy changed by one.
template <class Value>
class PersistentMap {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return objects_.size(); }

  /// Null where there is none. Valid until the map is changed.
  [[nodiscard]] const Value* find(const MapKeyView& key) const noexcept {
    const SharedObject* const found = objects_.find(key);
    return found == nullptr ? nullptr : &value_of(*found);
  }

  /// The value to be changed, made where there is none.
  [[nodiscard]] Value& operator[](const MapKeyView& key) {
    SharedObject* known = objects_.own(key);
    if (known == nullptr) objects_.insert(key, known = new Object(Value()));
    return static_cast<Object*>(known)->value;
  }

  void erase(const MapKeyView& key) { objects_.erase(key); }

  /// All keys, in their order: to change values one by one.
  [[nodiscard]] std::set<MapKey> keys() const { return objects_.keys(); }

  /// Calls `f(key, value)` for each, in no order.
  template <class F>
  void for_each_entry(F&& f) const {
    objects_.for_each(
        [&](const MapKey& key, const SharedObject& object) { f(key, value_of(object)); });
  }

  /// Calls `f(value)` for each, in no order.
  template <class F>
  void for_each(F&& f) const {
    objects_.for_each([&](const MapKey&, const SharedObject& object) { f(value_of(object)); });
  }

  /// Calls `f(value)` for each of this kind, and with this first text where one is given, in no order,
  /// until it says no. Takes a look into every shard.
  template <class F>
  void for_each_until(char kind, std::optional<std::string_view> first, F&& f) const {
    objects_.for_each_until(kind, first, [&](const MapKey&, const SharedObject& object) {
      return f(value_of(object));
    });
  }

  /// Calls `f(key, value)` for each of this kind with this first text, in no order. Takes a look
  /// into every shard.
  template <class F>
  void for_each_of(char kind, std::string_view first, F&& f) const {
    objects_.for_each_until(kind, first, [&](const MapKey& key, const SharedObject& object) {
      f(key, value_of(object));
      return true;
    });
  }

 private:
  using Object = OwnedObject<Value>;

  static const Value& value_of(const SharedObject& object) noexcept {
    return static_cast<const Object&>(object).value;
  }

  PersistentObjects objects_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
