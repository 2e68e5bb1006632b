// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a Cluster knows of each pod that it counts, and of the name that it is bound to.

#include <schedpol/core/limits.hpp>
#include <schedpol/core/node_set.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/core/shared.hpp>
#include <schedpol/resource_policy/impl/group_counts.hpp>

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy::detail {

/// Things that stay where they are, by number, until they are removed.
template <class T>
class Slots {
 public:
  [[nodiscard]] T& operator[](std::size_t number) noexcept { return items_[number]; }
  [[nodiscard]] const T& operator[](std::size_t number) const noexcept { return items_[number]; }

  std::size_t add(T item) {
    if (free_.empty()) {
      items_.push_back(std::move(item));
      return items_.size() - 1;
    }
    const std::size_t number = free_.back();
    free_.pop_back();
    items_[number] = std::move(item);
    return number;
  }

  void remove(std::size_t number) {
    items_[number] = T();
    free_.push_back(number);
  }

 private:
  std::vector<T> items_;
  std::vector<std::size_t> free_;
};

/// A policy that counts a pod, and the group that the pod has in it.
struct CountedBy {
  std::size_t policy = 0;
  Group group{};
};

struct BoundPod {
  std::size_t slot = 0;
  std::size_t at = 0;         ///< in the list of the slot
  std::size_t selecting = 0;  ///< policies that select the pod
  std::size_t policy = 0;     ///< the last of them
  std::vector<CountedBy> counted_by{};
  Shared<Resources> requests{};  ///< where a policy that counts it limits some
};

/// What bears a name that pods are bound to: a node, or one that is not there, or not there yet.
struct PodSlot {
  std::string name{};
  std::optional<std::size_t> node{};  ///< its number in the table
  std::vector<std::size_t> pods{};
};

/// Units of one policy.
using UnitSet = std::bitset<max_units>;

/// A pod that places are reserved for.
struct ReservedPod {
  NodeSet nodes{};
  Resources requests{};  ///< where a policy that counts it limits some
  std::vector<CountedBy> counted_by{};
  std::vector<UnitSet> units{};  ///< of each policy, those that count it
};

/// What calls its argument with each unit that is there.
[[nodiscard]] inline auto each_of(const UnitSet& units) noexcept {
  return [&units](auto use) {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      if (units[unit]) use(unit);
    }
  };
}

/// The namespace and name of a pod as a key, found without copying either. One without a namespace is
/// in `default`.
struct PodKey {
  std::string namespace_{};
  std::string name{};
};
struct PodOrder {
  using is_transparent = void;

  template <class A, class B>
  bool operator()(const A& a, const B& b) const noexcept {
    return texts_of(a) < texts_of(b);
  }

 private:
  template <class Name>
  static std::pair<std::string_view, std::string_view> texts_of(const Name& of) noexcept {
    return {namespace_or_default(of.namespace_), of.name};
  }
};

[[nodiscard]] inline bool is_same(const PodName& a, const PodName& b) noexcept {
  return a.name == b.name &&
         namespace_or_default(a.namespace_) == namespace_or_default(b.namespace_);
}
}  // namespace SCHEDPOL_NAMESPACE::resource_policy::detail
