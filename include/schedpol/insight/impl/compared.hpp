// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Two policies side by side, reduced to one component: what a pod has of it is permitted or not,
/// whatever else stands in the pod, because no rule of `check` and no default looks at two. But which
/// defaults of affinity are given, and what meets a requirement on node affinity, depends on what the
/// node selector and the other kinds of affinity have: so what is found is confirmed by `admit`.

#include <schedpol/insight/impl/budget.hpp>
#include <schedpol/insight/impl/sizes.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/impl/check_items.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Which rows deny anything.
class DenyingRows final : public CheckListener {
 public:
  DenyingRows() noexcept : CheckListener(Wants::denials) {}

  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool contain(const auto& row) const noexcept {
    return denies_[number_of(row.codes)];
  }

  void on_event(const CheckEvent& event) override {
    if (!denies(event.verdict)) return;
    any_ = true;
    denies_[number_of(event.codes)] = true;
  }

 private:
  bool any_ = false;
  std::array<bool, row_count> denies_{};
};

using schedpol::detail::Budget;

/// One of the two.
struct Side {
  EffectivePolicy policy{};
  const Options* options = nullptr;

  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept { return policy.spec(); }
  [[nodiscard]] ExemptItems exempt() const noexcept { return ExemptItems(*options); }

  /// Tells what `admit` finds in a pod; nothing where `check` clears it. There is a policy that decides.
  void run_on(const PodSpec& spec, CheckListener& listener) const {
    const auto& checks = EffectivePolicyAccess::of(policy).checks;
    const Pod pod = apply_defaults({.spec = spec}, policy, *options).pod;
    const EffectivePod effective_pod(pod, *options, this->spec().defaults);
    checks.run(effective_pod, listener, checks.clear_rows(effective_pod));
  }
  /// Whether `admit` allows it.
  [[nodiscard]] bool allows(const PodSpec& spec) const {
    if (!EffectivePolicyAccess::of(policy).decides) return false;
    DenyingRows rows;
    run_on(spec, rows);
    return !rows.any();
  }

  /// With nothing but what `pick(from, to)` takes over from the spec, and any scheduler, which every
  /// pod has.
  template <class Pick>
  [[nodiscard]] Side reduced(Pick&& pick) const {
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    pick(policy.spec(), spec);
    // What is not governed is denied for what is required alone.
    for_each_section_field([&](const auto& row) {
      if (!options->governs.contain(row.component)) spec.allowed.*row.rules = any;
    });
    return {EffectivePolicy(std::move(spec), policy.policies(), {}), options};
  }
};

/// The components, as what a spec says of each: of a field as a whole.
template <class Field>
constexpr auto pick(const Field& field) {
  return [&field](const SchedulingPolicySpec& from, SchedulingPolicySpec& to) {
    to.allowed.*field.rules = from.allowed.*field.rules;
    if constexpr (!is_allowed_field<Field>) {
      to.required.*field.rules = from.required.*field.rules;
      to.defaults.*field.member = from.defaults.*field.member;
    }
  };
}

/// Whether a side allows a pod that has this value of a key, or none, where it is null, and is given
/// these pairs; its other keys are another matter.
inline bool allows_value(const Side& side, const NodeSelectorField& row, const std::string& key,
                         const std::string* value, const std::optional<Labels>& given) {
  if (value == nullptr) value = find_label(side.options->added_to_pods.node_selector, key);
  if (value == nullptr && given) value = find_label(*given, key);
  const bool is_exempt = value != nullptr && (side.exempt().contain(key, *value) ||
                                              !side.options->governs.contain(row.component));
  return EffectivePolicyAccess::of(side.policy).checks.of(row).allows(key, value, is_exempt);
}

/// What is required and given of one key of the node selector. What else is permitted of it meets no
/// requirement.
inline auto pick_key(const NodeSelectorField& row, std::string_view key) {
  return [&row, key](const SchedulingPolicySpec& from, SchedulingPolicySpec& to) {
    const NodeSelectors& required = (from.required.*row.rules).listed();
    if (const auto found = required.find(key); found != required.end())
      (to.required.*row.rules).list().insert(*found);
    if (!(from.defaults.*row.member)) return;
    const std::string* value = find_label(*(from.defaults.*row.member), key);
    if (value != nullptr) (to.defaults.*row.member).emplace().emplace(key, *value);
  };
}

/// One kind of affinity.
template <class Kind, class Rule>
auto pick_kind(const AffinityKind<Kind, Rule>& kind) {
  return [&kind](const SchedulingPolicySpec& from, SchedulingPolicySpec& to) {
    for (const auto section : {&SchedulingPolicySpec::required, &SchedulingPolicySpec::allowed}) {
      const AnyOr<AffinityRules>& rules = (from.*section).affinities;
      if (rules.is_any()) (to.*section).affinities = any;
      if (rules.is_listed())
        (to.*section).affinities.list().*kind.rules = rules.listed().*kind.rules;
    }
    if (from.defaults.affinity)
      to.defaults.affinity.emplace().*kind.member = (*from.defaults.affinity).*kind.member;
  };
}

/// The same, where any node selector and the other kinds may stand in the pod.
template <class Kind, class Rule>
auto pick_kind_beside_others(const AffinityKind<Kind, Rule>& kind) {
  return [&kind](const SchedulingPolicySpec& from, SchedulingPolicySpec& to) {
    pick_kind(kind)(from, to);
    to.allowed.node_selectors = any;
    to.defaults.node_selector = from.defaults.node_selector;
    if (to.allowed.affinities.is_any()) return;
    AffinityRules& rules = to.allowed.affinities.list();
    const auto permit = [&](const auto& other) {
      if (other.field != kind.field) rules.*other.rules = any;
    };
    for_each_kind(permit);
  };
}

/// First `before`, then `after`.
using Sides = std::array<Side, 2>;

/// Steps of a check of pods by one side, at most: it holds each part of a pod against the patterns of one
/// key, of which several take one step, and against each that is required.
class CheckSteps {
 public:
  explicit CheckSteps(const Side& side)
      : required_(required_patterns(side.spec().required)),
        defaults_(entries_of(side.spec().defaults)),
        exempt_(side.exempt()) {
    const auto& checks = EffectivePolicyAccess::of(side.policy).checks;
    const auto& node = checks.of(affinity_field).of(node_affinity_kind);
    of_toleration_ += checks.of(tolerations_field).patterns().most_of_key() / 4;
    of_expression_ += std::max(node.required_mode_rule().most_of_key(),
                               node.preferred_mode_rule().most_of_key()) /
                      4;
  }

  /// Of one toleration, against the patterns of its key.
  [[nodiscard]] std::size_t of_toleration() const noexcept { return of_toleration_; }
  [[nodiscard]] std::size_t of(const PodSpec& spec) const {
    const std::size_t steps = 30 + required_ + parts_of(spec) * (8 + required_) +
                              spec.tolerations.size() * of_toleration_ +
                              parts_of(spec.affinity) * of_expression_;
    const bool is_default_kept_away = schedpol::detail::any_of(
        spec.tolerations, [&](const Toleration& each) { return !exempt_.contain(each); });
    // Of what is given each has a text made of it.
    return is_default_kept_away ? steps : steps + defaults_ * (50 + required_);
  }

 private:
  std::size_t required_;
  std::size_t defaults_;
  ExemptItems exempt_;
  std::size_t of_toleration_ = 1;
  std::size_t of_expression_ = 1;
};

/// What was found of one component: something that a side allows, and something that it alone does.
class FoundParts {
 public:
  /// What the two sides say of a part of a pod.
  void note(const PodSpec& spec, bool before, bool after) {
    if (before && !any_[0]) any_[0] = spec;
    if (after && !any_[1]) any_[1] = spec;
    if (before && !after && !alone_[0]) alone_[0] = spec;
    if (after && !before && !alone_[1]) alone_[1] = spec;
  }

  [[nodiscard]] const std::optional<PodSpec>& any(std::size_t side) const { return any_[side]; }
  [[nodiscard]] const std::optional<PodSpec>& alone(std::size_t side) const { return alone_[side]; }

 private:
  std::array<std::optional<PodSpec>, 2> any_{};
  std::array<std::optional<PodSpec>, 2> alone_{};
};

/// Two sides that are reduced to one component, and what was found of it.
class Component {
 public:
  Component(const Sides& sides, Budget& budget)
      : sides_(sides), steps_{CheckSteps(sides[0]), CheckSteps(sides[1])}, budget_(budget) {}

  void attempt(const PodSpec& spec) {
    if (budget_.spend(steps_[0].of(spec) + steps_[1].of(spec)))
      found_.note(spec, sides_[0].allows(spec), sides_[1].allows(spec));
  }

  [[nodiscard]] const FoundParts& found() const noexcept { return found_; }

 private:
  const Sides& sides_;
  std::array<CheckSteps, 2> steps_;
  Budget& budget_;
  FoundParts found_;
};

/// Texts that the two sides list, and one that neither does.
class ListedTexts {
 public:
  void add(std::string_view text) { texts_.insert(text); }
  void add(const Texts& texts) { texts_.insert(texts.begin(), texts.end()); }

  [[nodiscard]] const std::set<std::string_view>& all() const noexcept { return texts_; }
  [[nodiscard]] std::string other(const std::string& name = "other") const {
    return schedpol::detail::fresh_name(name, texts_);
  }

 private:
  std::set<std::string_view> texts_;
};

/// Of texts that stand in the same lists, the first for all of them; the empty one is like no other.
class EquivalenceClasses {
 public:
  /// The lists outlive this object.
  void add(const Texts& list) {
    for (const std::string& text : list) {
      std::vector<std::size_t>& lists = texts_[text].lists;
      if (lists.empty() || lists.back() != count_) lists.push_back(count_);
    }
    ++count_;
  }

  /// Of one of the lists, in byte order. Once this is asked, no list is added.
  [[nodiscard]] std::vector<std::string_view> of(const Texts& list) {
    group();
    std::set<std::string_view> distinct;
    for (const std::string& text : list) distinct.insert(texts_.at(text).first);
    return {distinct.begin(), distinct.end()};
  }
  /// The same; of any one that nobody lists.
  [[nodiscard]] std::vector<std::string_view> of(const AnyOr<Texts>& list,
                                                 const std::string& other) {
    if (list.is_any()) return {other};
    return of(list.listed());
  }
  [[nodiscard]] std::string other() const {
    std::set<std::string_view> listed;
    for (const auto& [text, of] : texts_) listed.insert(text);
    return schedpol::detail::fresh_name("other", listed);
  }

 private:
  struct Listed {
    std::vector<std::size_t> lists{};  ///< until they are grouped
    std::string_view first{};
  };

  void group() {
    if (std::exchange(is_grouped_, true)) return;
    std::map<std::vector<std::size_t>, std::string_view> firsts;
    for (auto& [text, of] : texts_)
      of.first = text.empty() ? text : firsts.try_emplace(std::move(of.lists), text).first->second;
  }

  std::map<std::string_view, Listed> texts_;
  std::size_t count_ = 0;
  bool is_grouped_ = false;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
