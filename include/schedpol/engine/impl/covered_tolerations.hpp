// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The tolerations that the pods of a template will have when SchedulingPolicy is asked about them. The
/// API server adds the two of DefaultTolerationSeconds. Then, where the class of a pod has `scheduling`,
/// it merges the tolerations of both and drops those that another one covers. Systems may give some of
/// these to the pod again. A template is judged by what is left, so that it and its pods get one answer.
/// Sources: Kubernetes, `plugin/pkg/admission/defaulttolerationseconds` and
/// `plugin/pkg/admission/runtimeclass`.

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/core/impl/default_toleration_seconds.hpp>
#include <schedpol/engine/impl/systems.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Of those that the API server adds to every pod, the ones that it will add to a pod with these.
[[nodiscard]] inline std::vector<Toleration> added_to_every_pod(
    const std::vector<Toleration>& own, const std::vector<Toleration>& to_every_pod) {
  std::vector<Toleration> added;
  for (const Toleration& each : to_every_pod) {
    const bool is_tolerated = schedpol::detail::any_of(own, [&](const Toleration& other) {
      return (other.key.empty() || other.key == each.key) &&
             (other.effect == TaintEffect::unset || other.effect == each.effect);
    });
    if (schedpol::detail::is_default_toleration_seconds(each) && !is_tolerated)
      added.push_back(each);
  }
  return added;
}

/// What becomes of the tolerations of a template's pods before SchedulingPolicy looks at them.
struct MergedTolerations {
  std::vector<Toleration> of_class{};  ///< the API server merges them with the pod's
  AdmissionContext context;

  /// What a pod with these tolerations has when SchedulingPolicy is asked: systems before it may have given
  /// it others. The same ones where a system denies the pod.
  [[nodiscard]] std::vector<Toleration> when_asked(Pod pod,
                                                   const std::vector<Toleration>& merged) const {
    pod.spec.tolerations = merged;
    AdmissionContext asked = context;
    asked.values = ChangeValues::omitted;
    for (const Step& step : asked.steps) {
      if (step.system == System::scheduling_policy) break;
      if (step.mode != Mode::enforce) continue;
      const auto& system = *asked.systems[static_cast<std::size_t>(step.system)];
      Admission admission = system.admit(std::move(pod), asked);
      if (!admission.allowed) return merged;
      pod = std::move(admission.pod);
    }
    return std::move(pod.spec.tolerations);
  }
};

/// Takes what is covered out of a template while the rest is judged.
class CoveredTolerations {
 public:
  /// The template as its pods will be, but for what their class adds. It is as it came where there is no
  /// class to merge its tolerations with and nothing is added.
  CoveredTolerations(Pod& pod, const std::optional<MergedTolerations>& with,
                     const std::vector<Toleration>& added = {})
      : list_(field_path(pod.kind, {"spec", "tolerations"})),
        own_size_(pod.spec.tolerations.size()) {
    std::vector<Toleration>& own = pod.spec.tolerations;
    schedpol::detail::append(own, added);
    if (!with) return;
    std::vector<Toleration> then = merge(own, with->of_class);
    covered_ = schedpol::detail::missing_from(then, own);
    if (!covered_.empty()) {
      then = with->when_asked(pod, then);
      covered_ = schedpol::detail::missing_from(then, own);
    }
    for (const Toleration& each : with->of_class)
      if (schedpol::detail::contains(then, each)) of_class_.push_back(each);
    if (covered_.empty()) return;
    before_ = own;
    std::vector<Toleration> kept;
    for (std::size_t i = 0, next = 0; i < before_.size(); ++i) {
      if (next < covered_.size() && covered_[next] == i) {
        ++next;
        continue;
      }
      if (i < own_size_) places_.push_back(i);
      kept.push_back(before_[i]);
    }
    own = std::move(kept);
  }

  [[nodiscard]] bool empty() const noexcept { return covered_.empty(); }

  /// Those of the class that the pods will have.
  [[nodiscard]] const std::vector<Toleration>& of_class() const noexcept { return of_class_; }

  /// Gives them back, each at its place, to a template that has got others in the place of its own, or
  /// behind them.
  void restore(Pod& pod) {
    if (covered_.empty()) return;
    std::vector<Toleration> whole = before_;
    const std::vector<Toleration>& now = pod.spec.tolerations;
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (i < places_.size()) {
        whole[places_[i]] = now[i];
        continue;
      }
      const auto there = std::find_if(covered_.begin(), covered_.end(),
                                      [&](std::size_t at) { return before_[at] == now[i]; });
      places_.push_back(there == covered_.end() ? whole.size() : *there);
      if (there == covered_.end()) whole.push_back(now[i]);
    }
    pod.spec.tolerations = std::move(whole);
  }

  /// Says the places in the whole list of what the template has got; what is among them is no change.
  template <class Item>
  void restore_injected(std::vector<Item>& items) const {
    if (covered_.empty()) return;
    restore_places(items);
    schedpol::detail::erase_if(items, [&](const Item& item) {
      return schedpol::detail::any_of(
          covered_, [&](std::size_t at) { return item.field == list_.index(at); });
    });
  }

  /// The same after edits of a person, who also removes some: of `changes` those of tolerations. What
  /// is added stands last.
  void restore_edited(Pod& pod, std::vector<Change>& changes) const {
    if (covered_.empty()) return;
    std::set<std::size_t> removed;
    std::set<std::size_t> added;  // in the list as it is now
    for (const Change& change : changes) {
      if (change.field.parent() != list_) continue;
      const std::size_t at = change.field.steps().back().index;
      if (!change.from) added.insert(at);
      if (!change.to) removed.insert(at);
    }
    std::vector<std::optional<Toleration>> whole(before_.begin(), before_.end());
    const std::vector<Toleration>& now = pod.spec.tolerations;
    for (std::size_t i = 0, next = 0; i < places_.size(); ++i) {
      while (added.contains(next)) ++next;
      whole[places_[i]] = removed.contains(i) ? std::nullopt : std::optional(now[next++]);
    }
    std::erase(whole, std::nullopt);
    const std::size_t first_added = whole.size();
    for (const std::size_t at : added) whole.emplace_back(now[at]);
    for (Change& change : changes) {
      if (change.field.parent() != list_) continue;
      const std::size_t at = change.field.steps().back().index;
      const auto before = std::size_t(std::distance(added.begin(), added.find(at)));
      change.field = list_.index(change.from ? places_[at] : first_added + before);
    }
    pod.spec.tolerations.clear();
    for (std::optional<Toleration>& each : whole) pod.spec.tolerations.push_back(*std::move(each));
  }

  /// Says the places in the whole list, and nothing of what is added.
  template <class Item>
  void restore_places(std::vector<Item>& items) const {
    const std::size_t size = covered_.empty() ? own_size_ : places_.size();
    schedpol::detail::erase_if(items, [&](Item& item) {
      if (item.field.parent() != list_) return false;
      const std::size_t at = item.field.steps().back().index;
      if (at >= size) return true;
      if (!covered_.empty()) item.field = list_.index(places_[at]);
      return false;
    });
  }

 private:
  FieldPath list_;
  std::size_t own_size_;
  std::vector<Toleration> before_{};
  std::vector<std::size_t> covered_{};
  std::vector<std::size_t> places_{};  ///< of the others
  std::vector<Toleration> of_class_{};
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
