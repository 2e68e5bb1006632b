// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rules 8 and 9 of `check`: items of which `allowed` says what there may be, topology spread
/// constraints by patterns, scheduling gates and resource claims by names.

#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/effective_pod.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

/// The words that a constraint has of `whenUnsatisfiable`: both where it has none.
inline constexpr WordBits every_when_unsatisfiable =
    bit(WhenUnsatisfiable::do_not_schedule) | bit(WhenUnsatisfiable::schedule_anyway);
inline WordBits words_of(const TopologySpreadConstraint& constraint) noexcept {
  const WhenUnsatisfiable word = constraint.when_unsatisfiable.word();
  return word == WhenUnsatisfiable::unset ? every_when_unsatisfiable : bit(word);
}
inline WordBits accepted_words(const SpreadConstraintPattern& pattern) noexcept {
  return bits(pattern.when_unsatisfiable, every_when_unsatisfiable);
}

/// Whether a pattern matches a constraint, or what it may be taken for where it lacks a word.
inline bool matches(const SpreadConstraintPattern& pattern,
                    const TopologySpreadConstraint& constraint) noexcept {
  const bool takes_key = pattern.topology_keys.is_any() ||
                         (!constraint.topology_key.empty() &&
                          pattern.topology_keys.listed().contains(constraint.topology_key));
  return takes_key && (words_of(constraint) & accepted_words(pattern)) != 0;
}

class SpreadConstraintsCheck {
 public:
  SpreadConstraintsCheck(const SpreadConstraintsField& row, const SchedulingPolicySpec& spec) {
    const AnyOr<std::vector<SpreadConstraintPattern>>& allowed = spec.allowed.*row.rules;
    if (allowed.is_any()) of_any_key_ = every_when_unsatisfiable;
    std::map<std::string_view, WordBits> by_key;
    for (const SpreadConstraintPattern& pattern : allowed.listed()) {
      const WordBits words = accepted_words(pattern);
      if (pattern.topology_keys.is_any()) of_any_key_ |= words;
      for (const std::string& key : pattern.topology_keys.listed()) by_key[key] |= words;
    }
    by_key.erase("");  // an empty key is matched by any alone
    of_key_.reserve(by_key.size() + 1);
    of_key_.push_back(of_any_key_);
    std::vector<TextTable::Entry> keys;
    for (const auto& [key, words] : by_key) {
      of_key_.push_back(words | of_any_key_);
      keys.push_back({key, &of_key_.back()});
    }
    by_key_ = TextTable(std::move(keys), of_key_.data());
  }

  [[nodiscard]] bool permits_all(const SpreadConstraintsField& row,
                                 const EffectivePod& pod) const noexcept {
    return schedpol::detail::all_of(
        pod.spec().*row.in_pod,
        [&](const TopologySpreadConstraint& constraint) { return permits(constraint); });
  }
  [[nodiscard]] static bool requires_any() noexcept { return false; }

  /// Whether a pattern matches it; of one that does not say what is to be done where no node satisfies
  /// it, for each of the words.
  [[nodiscard]] bool permits(const TopologySpreadConstraint& constraint) const noexcept {
    const auto* words = static_cast<const WordBits*>(by_key_.find(constraint.topology_key));
    return (words_of(constraint) & ~*words) == 0;
  }

  void run(const SpreadConstraintsField& row, const EffectivePod& pod,
           CheckListener& listener) const {
    const std::vector<TopologySpreadConstraint>& constraints = pod.spec().*row.in_pod;
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder field = spec.child(row.field);
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const PathBuilder item = field.index(i);
      const Verdict verdict = permits(constraints[i]) ? Verdict::permitted : Verdict::not_permitted;
      listener.on_event({row.codes, verdict, &constraints[i], &item});
    }
  }

 private:
  WordBits of_any_key_ = 0;  ///< the words that patterns of any key accept
  /// Those of a key that is not listed, then of each that is, with those of any.
  std::vector<WordBits> of_key_;
  TextTable by_key_;
};

/// The names by which items are permitted: calls `f(field, name)` for each. An item that names nothing
/// has one name, the empty one, and no field of it.
template <class F>
void for_each_allowed_name(const PodSchedulingGate& gate, F&& f) {
  f("name", gate.name);
}
template <class F>
void for_each_allowed_name(const PodResourceClaim& claim, F&& f) {
  const bool has_name = !claim.resource_claim_name.empty();
  const bool has_template = !claim.resource_claim_template_name.empty();
  if (has_name || !has_template) f(has_name ? "resourceClaimName" : "", claim.resource_claim_name);
  if (has_template) f("resourceClaimTemplateName", claim.resource_claim_template_name);
}

/// An item that is permitted where this name is.
template <class Item>
Item item_named(const std::string& name) {
  if constexpr (std::is_same_v<Item, PodSchedulingGate>) {
    return {.name = name};
  } else {
    return {.name = name, .resource_claim_name = name};
  }
}

template <class Item>
class AllowedNamesCheck {
 public:
  AllowedNamesCheck(const AllowedNamesField<Item>& row, const SchedulingPolicySpec& spec)
      : permitted_(spec.allowed.*row.rules) {}

  [[nodiscard]] bool permits_all(const AllowedNamesField<Item>& row,
                                 const EffectivePod& pod) const noexcept {
    return schedpol::detail::all_of(pod.spec().*row.in_pod,
                                    [&](const Item& item) { return permits(item); });
  }
  [[nodiscard]] static bool requires_any() noexcept { return false; }

  /// Whether each of its names is permitted.
  [[nodiscard]] bool permits(const Item& item) const noexcept {
    bool permits_each = true;
    for_each_allowed_name(item, [&](std::string_view, const std::string& name) {
      permits_each = permits_each && permits(name);
    });
    return permits_each;
  }

  void run(const AllowedNamesField<Item>& row, const EffectivePod& pod,
           CheckListener& listener) const {
    const std::vector<Item>& items = pod.spec().*row.in_pod;
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder field = spec.child(row.field);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const PathBuilder item = field.index(i);
      for_each_allowed_name(items[i], [&](std::string_view of_name, const std::string& name) {
        const PathBuilder at_name = item.child(of_name);
        const Verdict verdict = permits(name) ? Verdict::permitted : Verdict::not_permitted;
        listener.on_event(
            {row.codes, verdict, std::string_view(name), of_name.empty() ? &item : &at_name});
      });
    }
  }

 private:
  [[nodiscard]] bool permits(const std::string& name) const noexcept {
    return permitted_.any() || (!name.empty() && permitted_.permits(name));
  }

  TextRule permitted_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
