// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How much there is in a policy and in a pod, for what is spent on looking at it.

#include <schedpol/base/impl/any_optional.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

inline std::size_t parts_of(const PodAffinityTerm& term) {
  return 1 + term.namespaces.size();
}
template <class Term>
std::size_t parts_of(const std::vector<Term>& terms) {
  std::size_t parts = 0;
  for (const Term& term : terms) parts += parts_of(schedpol::detail::part_of(term));
  return parts;
}
inline std::size_t parts_of(const std::optional<Affinity>& affinity) {
  std::size_t parts = 0;
  for_each_kind([&](const auto& kind) {
    const auto terms = terms_of(affinity, kind.member);
    parts += parts_of(terms.required) + parts_of(terms.preferred);
  });
  return parts;
}
/// A name is looked at once, whatever it is.
inline std::size_t parts_of(const std::string&) noexcept {
  return 0;
}
inline std::size_t parts_of(const Labels& pairs) noexcept {
  return pairs.size();
}
inline std::size_t parts_of(const std::vector<Toleration>& tolerations) noexcept {
  return tolerations.size();
}
inline std::size_t parts_of(const std::vector<TopologySpreadConstraint>& constraints) noexcept {
  return constraints.size();
}
inline std::size_t parts_of(const std::vector<PodSchedulingGate>& gates) noexcept {
  return gates.size();
}
inline std::size_t parts_of(const std::vector<PodResourceClaim>& claims) noexcept {
  return claims.size();
}
/// What policies rule of it.
inline std::size_t parts_of(const PodSpec& spec) {
  std::size_t parts = 0;
  for_each_row([&](const auto& row) { parts += parts_of(spec.*row.in_pod); });
  return parts;
}

/// Counts texts, and the items and pairs that they stand in.
class EntryCount {
 public:
  template <class T>
  void add(const T& part) {
    if constexpr (HasFields<T>) {
      for_each_field<T>([&](std::string_view, auto member) { add(part.*member); });
    } else if constexpr (schedpol::detail::AnyOptional<T>) {
      if (part) add(*part);
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (const auto& [key, value] : part) add(value);
      count_ += part.size();
    } else {
      ++count_;
    }
  }
  template <class T>
  void add(const AnyOr<T>& part) {
    add(part.listed());
  }
  template <class T>
  void add(const std::vector<T>& items) {
    count_ += items.size();
    if constexpr (HasFields<T> || std::is_same_v<T, DefaultToleration>)
      for (const T& item : items) add(item);
  }
  void add(const Texts& texts) { count_ += texts.size(); }
  void add(const DefaultToleration& by_default) { add(by_default.values); }
  void add(const NodeAffinity& kind) { add_terms(kind); }
  void add(const PodAffinity& kind) { add_terms(kind); }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  template <class Kind>
  void add_terms(const Kind& kind) {
    const auto terms = terms_of(kind);
    count_ += parts_of(terms.required) + parts_of(terms.preferred);
  }

  std::size_t count_ = 0;
};

template <class T>
std::size_t entries_of(const T& part) {
  EntryCount entries;
  entries.add(part);
  return entries.count();
}

/// Calls `f` for each pattern of expressions, of both modes.
template <class F>
void for_each_expression_pattern(const PolicySection& section, F&& f) {
  const NodeAffinityRules& modes = section.affinities.listed().node_affinities.listed();
  for_each_field<NodeAffinityRules>([&](std::string_view, auto mode) {
    for (const TermPattern& term : (modes.*mode).listed().node_selector_terms)
      for_each_field<TermPattern>([&](std::string_view, auto list) {
        for (const RequirementPattern& pattern : (term.*list).listed()) f(pattern);
      });
  });
}

/// The patterns of what is required, each of which a check holds against each part of a pod.
inline std::size_t required_patterns(const PolicySection& required) {
  std::size_t patterns = required.tolerations.listed().size();
  for_each_expression_pattern(required, [&](const RequirementPattern&) { ++patterns; });
  return patterns;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
