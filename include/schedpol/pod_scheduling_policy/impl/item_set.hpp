// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which of a policy's tolerations, terms and expressions a pod has already.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/toleration.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail {

/// One item on one line. Different items have different texts.
inline std::string text(const Toleration& toleration) {
  return to_string(toleration);
}
inline std::string text(const NodeSelectorRequirement& requirement) {
  return to_string(requirement);
}
inline std::string text(const PodAffinityTerm& term) {
  return to_string(term);
}
inline std::string text(const WeightedPodAffinityTerm& term) {
  return std::to_string(term.weight) + " " + to_string(term.pod_affinity_term);
}
inline std::string text(const PreferredSchedulingTerm& term) {
  return std::to_string(term.weight) + " " + to_string(term.preference);
}

/// Tells the items that are among those of a list. For a few questions or items the list is looked
/// through; for many the texts of its items are kept, so that n questions about n items take
/// n log n.
template <class T>
class ItemSet {
 public:
  /// `size` is how long the list gets.
  ItemSet(const std::vector<T>& list, std::size_t size, std::size_t questions) : list_(list) {
    if (size * questions <= few * (size + questions)) return;
    texts_.emplace();
    for (const T& item : list) texts_->insert(text(item));
  }

  [[nodiscard]] bool has(const T& item) const {
    if (texts_) return texts_->contains(text(item));
    return schedpol::detail::contains(list_, item);
  }

  [[nodiscard]] bool has_all(const std::vector<T>& items) const {
    return schedpol::detail::all_of(items, [this](const T& item) { return has(item); });
  }

  /// Whether the list lacks the item, which is then appended to it.
  [[nodiscard]] bool lacks(const T& item) {
    return texts_ ? texts_->insert(text(item)).second : !has(item);
  }

 private:
  /// A text costs as much as so many items that are looked at.
  static constexpr std::size_t few = 32;

  const std::vector<T>& list_;
  std::optional<std::set<std::string>> texts_;
};

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail
