// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The values of several policies at one path, and the policies behind each entry of a merge. A merge
/// goes through the paths of a spec, and at each through the policies that have a value there.

#include <schedpol/base/impl/any_optional.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/impl/fields.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// A spec as evaluation sees it: what is empty and so says nothing is absent, and never hides what
/// another policy says.
/// 1. A field of `required` that is any or that `allowed` alone can have, and an empty field of
///    `default`: `validate` refuses them.
/// 2. What is listed with nothing in it: fields, kinds and modes of affinity in both sections, and
///    the values of a key. The key itself stays: it permits no value. So does a list of required names
///    with none in it, as a configuration without them leaves one, or a policy that was moved from: no
///    pod has one of those names.
class Normalizer {
 public:
  static SchedulingPolicySpec normalized(SchedulingPolicySpec spec) {
    drop_empty(spec.allowed);
    drop_empty(spec.defaults);
    for_each_pod_field([&](const auto& row) { drop_empty_of_required(spec.required.*row.rules); });
    for_each_allowed_field([&](const auto& row) { spec.required.*row.rules = {}; });
    return spec;
  }

 private:
  template <class T>
  static void drop_empty_of_required(AnyOr<T>& field) {
    if (field.is_any()) field = {};
    drop_empty(field);
  }
  static void drop_empty_of_required(AnyOr<Texts>& names) {
    if (names.is_any()) names = {};
  }
  template <class T>
  static void drop_empty(T& part) {
    if constexpr (HasFields<T>) {
      for_each_field<T>([&](std::string_view, auto member) { drop_empty(part.*member); });
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (auto& [key, value] : part) drop_empty(value);
    }
  }
  template <class T>
  static void drop_empty(AnyOr<T>& field) {
    if (!field.is_listed()) return;
    drop_empty(field.list());
    if (field.listed() == T{}) field = {};
  }
  template <schedpol::detail::AnyOptional Field>
  static void drop_empty(Field& field) {
    if (!field) return;
    drop_empty(*field);
    if (*field == typename Field::value_type{}) field.reset();
  }
  static void drop_empty(std::vector<DefaultToleration>& tolerations) {
    for (DefaultToleration& toleration : tolerations)
      if (toleration.values.is_any()) toleration.values = {};
  }
};

/// Policies by their place in the order in which they count.
using PolicyNumbers = std::vector<std::size_t>;

/// What policies say at one place. One list of numbers and one of addresses serve for every `T`.
template <class T>
struct PolicyValues {
  PolicyNumbers policies{};
  std::vector<const void*> values{};  ///< of each of them a `T`

  void add(std::size_t policy, const T& value) {
    policies.push_back(policy);
    values.push_back(&value);
  }
  /// What the `i`th of them says.
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    return *static_cast<const T*>(values[i]);
  }
};

template <class T>
bool is_set(const AnyOr<T>& field) noexcept {
  return !field.is_absent();
}
template <schedpol::detail::AnyOptional Field>
bool is_set(const Field& field) noexcept {
  return field.has_value();
}
template <class List>
bool is_set(const List& list) noexcept {
  return !list.empty();
}

/// What they say in one of the fields.
template <class T, class Member>
PolicyValues<Member> values_of(const PolicyValues<T>& all, Member T::*member) {
  PolicyValues<Member> found;
  for (std::size_t i = 0; i < all.policies.size(); ++i)
    if (is_set(all[i].*member)) found.add(all.policies[i], all[i].*member);
  return found;
}

/// What stands inside, of those who list something.
template <class T>
PolicyValues<T> inside(const PolicyValues<AnyOr<T>>& all) {
  PolicyValues<T> found;
  for (std::size_t i = 0; i < all.policies.size(); ++i)
    if (all[i].is_listed()) found.add(all.policies[i], all[i].listed());
  return found;
}
template <schedpol::detail::AnyOptional Field>
PolicyValues<typename Field::value_type> inside(const PolicyValues<Field>& all) {
  PolicyValues<typename Field::value_type> found;
  for (std::size_t i = 0; i < all.policies.size(); ++i) found.add(all.policies[i], *all[i]);
  return found;
}

/// The keys of a map, each with the places of those who have it.
template <class Map>
NumbersByText keys_of(const PolicyValues<Map>& all) {
  NumbersByText keys;
  for (std::size_t i = 0; i < all.policies.size(); ++i)
    for (const auto& [key, value] : all[i]) keys[key].push_back(i);
  return keys;
}

/// What those say at a key who have it; an absent value is one too.
template <class Map>
PolicyValues<typename Map::mapped_type> values_at(const PolicyValues<Map>& all,
                                                  std::string_view key,
                                                  const std::vector<std::size_t>& places) {
  PolicyValues<typename Map::mapped_type> found;
  for (const std::size_t i : places) found.add(all.policies[i], all[i].find(key)->second);
  return found;
}

/// Which policies are behind each entry of a merge, as it is written down while that goes on. All
/// entries that have the same policies behind them share one list of names.
class SourceTracker {
 public:
  /// Of the names of the policies, which outlive this object.
  explicit SourceTracker(const std::vector<std::string>& names) noexcept : names_(names) {}

  /// Those whose entry counts, and those whose entry an earlier policy's hides; once each.
  void add(const FieldPath& entry, const PolicyNumbers& behind) {
    add(sources_.entries, entry, behind);
  }
  void add_lost(const FieldPath& entry, const PolicyNumbers& behind) {
    add(sources_.lost, entry, behind);
  }

  [[nodiscard]] Sources take() && { return std::move(sources_); }

 private:
  void add(PolicyNames& to, const FieldPath& entry, const PolicyNumbers& behind) {
    if (behind.empty()) return;
    FieldPath numbers;
    for (const std::size_t policy : behind) numbers = std::move(numbers).index(policy);
    Names& shared = lists_[numbers];
    if (shared.empty()) {
      std::vector<std::string> names;
      for (const std::size_t policy : behind) names.push_back(names_[policy]);
      shared = Names(std::move(names));
    }
    // Mostly behind all others, as entries are merged in their order.
    if (Names& names = to.try_emplace(to.end(), entry)->second; names.empty()) names = shared;
  }

  const std::vector<std::string>& names_;
  Sources sources_;
  /// By the numbers of those in them, as the indices of a path: a map of its own type would take the
  /// compiler as long as all the rest of this class.
  PolicyNames lists_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
