// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>
#include <schedpol/scheduling_policy/impl/policy_values.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// First seen wins: of what several policies say at one place, what the first says counts. The
/// others that say the same are behind it too, what others say is lost.
class FirstSeen {
 public:
  /// Writes down in `sources` where every entry came from.
  explicit FirstSeen(SourceTracker& sources) noexcept : sources_(sources) {}

  /// One entry as a whole.
  template <class T>
  T whole(const FieldPath& entry, const PolicyValues<T>& all) {
    if (all.policies.empty()) return T();
    PolicyNumbers behind;
    PolicyNumbers lost;
    for (std::size_t i = 0; i < all.policies.size(); ++i)
      (all[i] == all[0] ? behind : lost).push_back(all.policies[i]);
    sources_.add(entry, behind);
    sources_.add_lost(entry, lost);
    return all[0];
  }

  /// Field by field, or key by key.
  template <class T>
  T merge(const FieldPath& path, const PolicyValues<T>& all) {
    T merged;
    if constexpr (HasFields<T>) {
      for_each_field<T>([&](std::string_view name, auto member) {
        merged.*member = entry_or_below(path.child(name), values_of(all, member));
      });
    } else {
      for (const auto& [key, places] : keys_of(all))
        merged.try_emplace(std::string(key), whole(path.key(key), values_at(all, key, places)));
    }
    return merged;
  }

 private:
  /// A mode of affinity is one entry, whatever it is made of.
  template <class T>
  static constexpr bool has_sub_keys =
      !std::is_same_v<T, NodeAffinityRule> && !std::is_same_v<T, PodAffinityRule> &&
      (HasFields<T> || requires { typename T::mapped_type; });

  template <class T>
  T entry_or_below(const FieldPath& path, const PolicyValues<T>& all) {
    return whole(path, all);
  }
  /// A kind of affinity that is any is an entry for as long as no mode joins it.
  template <template <class> class Absent, class T>
    requires has_sub_keys<T>
  Absent<T> entry_or_below(const FieldPath& path, const PolicyValues<Absent<T>>& all) {
    const auto listed = inside(all);
    if (listed.policies.empty()) return whole(path, all);
    return merge(path, listed);
  }

  SourceTracker& sources_;
};

/// `allowed` of several policies together: at every level what one of them permits is permitted.
/// Any absorbs the rest at the level where it stands; lists are joined in order of first sight, of
/// equal entries the first. A list of entries never becomes any.
class Additive {
 public:
  /// Writes down in `sources` where every entry came from.
  explicit Additive(SourceTracker& sources) noexcept : sources_(sources) {}

  /// Whatever has the three states: absent where nobody says anything, any where one says so,
  /// otherwise what is listed inside.
  template <class T>
  AnyOr<T> merge(const FieldPath& path, const PolicyValues<AnyOr<T>>& all) {
    if (all.policies.empty()) return {};
    PolicyNumbers permitting_any;
    for (std::size_t i = 0; i < all.policies.size(); ++i)
      if (all[i].is_any()) permitting_any.push_back(all.policies[i]);
    if (permitting_any.empty()) return merge(path, inside(all));
    sources_.add(path, permitting_any);
    return any;
  }
  template <HasFields T>
  T merge(const FieldPath& path, const PolicyValues<T>& all) {
    T merged;
    for_each_field<T>([&](std::string_view name, auto member) {
      merged.*member = merge(path.child(name), values_of(all, member));
    });
    return merged;
  }
  /// A key that some policy names is there, with no values where nobody lists any.
  NodeSelectors merge(const FieldPath& path, const PolicyValues<NodeSelectors>& all) {
    NodeSelectors merged;
    for (const auto& [key, places] : keys_of(all)) {
      PolicyValues<AnyOr<Texts>> listing;
      for (const std::size_t i : places) {
        const AnyOr<Texts>& values = all[i].find(key)->second;
        if (!values.is_absent()) listing.add(all.policies[i], values);
      }
      merged.try_emplace(std::string(key), merge(path.key(key), listing));
    }
    return merged;
  }
  /// A list of entries, each of which is one for the sources too.
  template <class List>
  List merge(const FieldPath& path, const PolicyValues<List>& all) {
    List merged;
    std::size_t entries = 0;
    for (std::size_t i = 0; i < all.policies.size(); ++i) entries += all[i].size();
    std::vector<std::string> texts;
    texts.reserve(entries);  // `behind` refers to them
    NumbersByText behind;
    for (std::size_t i = 0; i < all.policies.size(); ++i) {
      const std::size_t policy = all.policies[i];
      for (const auto& entry : all[i]) {
        texts.push_back(text_of(entry));
        PolicyNumbers& policies = behind[texts.back()];
        if (policies.empty()) merged.push_back(entry);
        if (policies.empty() || policies.back() != policy) policies.push_back(policy);
      }
    }
    for (std::size_t i = 0; i < merged.size(); ++i)
      sources_.add(path.index(i), behind.find(text_of(merged[i]))->second);
    return merged;
  }

 private:
  /// Different entries of a list have different texts.
  static const std::string& text_of(const std::string& entry) noexcept { return entry; }
  template <class Pattern>
  static std::string text_of(const Pattern& entry) {
    return to_string(entry);
  }

  SourceTracker& sources_;
};

/// Policies in the order in which they count, and what becomes of them.
class PolicyMerge {
 public:
  void add(const SchedulingPolicy& policy) {
    names_.push_back(policy.metadata.name);
    specs_.push_back(Normalizer::normalized(policy.spec));
  }

  EffectivePolicy run(MergeStrategy strategy) && {
    SchedulingPolicySpec merged;
    if (strategy == MergeStrategy::smart_deep_merge) {
      merge(merged, required_section, FirstSeen(sources_));
      merge(merged, allowed_section, Additive(sources_));
      merge(merged, default_section, FirstSeen(sources_));
    } else {
      for_each_field<SchedulingPolicySpec>([&](std::string_view name, auto member) {
        merge_entries(merged, SpecField{name, member}, strategy);
      });
    }
    // Only the first policy speaks alone; the others are named in what was lost.
    std::vector<std::string> speaking = names_;
    if (strategy == MergeStrategy::first_seen_wins && !speaking.empty()) speaking.resize(1);
    EffectivePolicyAccess::Impl impl(std::move(merged), std::move(speaking),
                                     std::move(sources_).take());
    impl.merged_names = std::move(names_);
    impl.merged_specs = std::move(specs_);
    return EffectivePolicyAccess::make(std::move(impl));
  }

 private:
  /// What all policies say in a section.
  template <class Section>
  PolicyValues<Section> values_of(Section SchedulingPolicySpec::*section) const {
    PolicyValues<Section> all;
    for (std::size_t policy = 0; policy < specs_.size(); ++policy)
      all.add(policy, specs_[policy].*section);
    return all;
  }

  template <class Section, class How>
  void merge(SchedulingPolicySpec& merged, const SpecField<SchedulingPolicySpec, Section>& section,
             How&& how) const {
    merged.*section.member = how.merge(FieldPath{section.name}, values_of(section.member));
  }

  /// Each entry of a section as a whole.
  template <class Section>
  void merge_entries(SchedulingPolicySpec& merged,
                     const SpecField<SchedulingPolicySpec, Section>& section,
                     MergeStrategy strategy) {
    const FieldPath path{section.name};
    const auto all = values_of(section.member);
    for_each_field<Section>([&](std::string_view name, auto member) {
      const FieldPath entry = path.child(name);
      auto values = detail::values_of(all, member);
      if (strategy == MergeStrategy::first_seen_wins) leave_to_first(entry, values.policies);
      merged.*section.member.*member = FirstSeen(sources_).whole(entry, values);
    });
  }

  /// What others than the first policy say is lost.
  void leave_to_first(const FieldPath& entry, PolicyNumbers& policies) {
    PolicyNumbers first;
    PolicyNumbers lost;
    for (const std::size_t policy : policies) (policy == 0 ? first : lost).push_back(policy);
    sources_.add_lost(entry, lost);
    policies = std::move(first);
  }

  std::vector<std::string> names_;
  std::vector<SchedulingPolicySpec> specs_;
  SourceTracker sources_{names_};
};

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(MergeStrategy strategy) noexcept {
  switch (strategy) {
    case MergeStrategy::smart_deep_merge: return "SmartDeepMerge";
    case MergeStrategy::first_seen_wins: return "FirstSeenWins";
    case MergeStrategy::simple_merge: return "SimpleMerge";
  }
  return "";
}

SCHEDPOL_INLINE EffectivePolicy merge(std::span<const SchedulingPolicy> policies,
                                      MergeStrategy strategy) {
  if (to_string(strategy).empty()) return {};
  detail::NumbersByText by_name;
  for (std::size_t i = 0; i < policies.size(); ++i) by_name[policies[i].metadata.name].push_back(i);
  detail::PolicyMerge merge;
  for (const auto& [name, numbers] : by_name) {
    const SchedulingPolicy& policy = policies[numbers.front()];
    for (const std::size_t number : numbers)
      if (policies[number].spec != policy.spec) return EffectivePolicy::ambiguous(name);
    merge.add(policy);
  }
  return std::move(merge).run(strategy);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
