// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A list of rules, each with a way to leave it out of any copy of the configuration, and the
/// shapes in which policies write them: lists, maps, texts, affinities.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/any_or.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/engine/configuration.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace policytest {

using schedpol::AnyOr;
using schedpol::FieldPath;
using schedpol::engine::Configuration;

using LeaveOut = std::function<void(Configuration&)>;

struct Rule {
  FieldPath name;  ///< `SchedulingPolicy[gpu].spec.allowed.tolerations[2]`
  LeaveOut leave_out;
};

/// Where a part stands in any copy of a configuration.
template <class Part>
using PathBuilder = std::function<Part&(Configuration&)>;

template <class Whole, class Part>
PathBuilder<Part> member(const PathBuilder<Whole>& whole, Part Whole::*part) {
  return [=](Configuration& in) -> Part& { return whole(in).*part; };
}
template <class Optional>
  requires std::derived_from<Optional, std::optional<typename Optional::value_type>>
PathBuilder<typename Optional::value_type> value(const PathBuilder<Optional>& optional) {
  return [=](Configuration& in) -> auto& { return *optional(in); };
}
/// What is listed. Only where something is.
template <class T>
PathBuilder<T> value(const PathBuilder<AnyOr<T>>& part) {
  return [=](Configuration& in) -> T& { return part(in).list(); };
}
template <class T>
PathBuilder<T> item(const PathBuilder<std::vector<T>>& list, std::size_t index) {
  return [=](Configuration& in) -> T& { return list(in)[index]; };
}

/// Makes a part absent: an optional, or what may be any.
template <class Part>
LeaveOut without(const PathBuilder<Part>& part) {
  return [=](Configuration& in) { part(in) = Part{}; };
}
/// Leaves out a part, and the whole around it where that has no other.
template <class Whole, class Part>
LeaveOut without(const PathBuilder<Part>& part, const PathBuilder<Whole>& whole,
                 const LeaveOut& without_whole) {
  return [=](Configuration& in) {
    part(in) = Part{};
    if (whole(in) == Whole{}) without_whole(in);
  };
}

template <class T>
std::vector<T>& items(std::vector<T>& list) {
  return list;
}
inline std::vector<std::string>& items(schedpol::Texts& texts) {
  return texts.vector();
}

/// Leaves out an entry, and its list where that has no other.
template <class List>
LeaveOut without_item(const PathBuilder<List>& list, std::size_t index,
                      const LeaveOut& without_list) {
  return [=](Configuration& in) {
    auto& entries = items(list(in));
    if (entries.size() == 1) return without_list(in);
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(index));
  };
}

/// Collects the rules of one configuration.
class RuleList {
 public:
  explicit RuleList(Configuration configuration) : in_(std::move(configuration)) {}

  /// What the configuration has in that place.
  template <class Part>
  const Part& operator[](const PathBuilder<Part>& place) {
    return place(in_);
  }
  [[nodiscard]] std::vector<Rule> take() && { return std::move(rules_); }

  void add(FieldPath name, LeaveOut leave_out) {
    rules_.push_back({std::move(name), std::move(leave_out)});
  }

  /// The entries of a list; none of an empty one.
  template <class List>
  void entries(const FieldPath& path, const PathBuilder<List>& list, const LeaveOut& without_list) {
    for (std::size_t i = 0; i < items(list(in_)).size(); ++i)
      add(path.index(i), without_item(list, i, without_list));
  }
  /// The same, where an empty list and an absent one are one.
  template <class T>
  void entries(const FieldPath& path, const PathBuilder<std::vector<T>>& list) {
    entries(path, list, [=](Configuration& in) { list(in).clear(); });
  }
  /// The entries of a list that may be any, which is a rule itself.
  template <class List>
  void entries_or_any(const FieldPath& path, const PathBuilder<AnyOr<List>>& list,
                      const LeaveOut& without_list) {
    if (list(in_).is_any()) return add(path, without_list);
    if (list(in_).is_listed()) entries(path, value(list), without_list);
  }
  template <class List>
  void entries_or_any(const FieldPath& path, const PathBuilder<AnyOr<List>>& list) {
    entries_or_any(path, list, without(list));
  }

  void pairs(const FieldPath& path, const PathBuilder<schedpol::Labels>& map) {
    for (const auto& pair : map(in_)) {
      add(path.key(pair.first), [map, key = pair.first](Configuration& in) { map(in).erase(key); });
    }
  }
  void text(const FieldPath& path, const PathBuilder<std::string>& text) {
    if (!text(in_).empty()) add(path, [=](Configuration& in) { text(in).clear(); });
  }

  /// The terms of affinities that pods get.
  void affinity(const FieldPath& path,
                const PathBuilder<std::optional<schedpol::Affinity>>& affinity) {
    if (!affinity(in_)) return;
    const auto node = member(value(affinity), &schedpol::Affinity::node_affinity);
    if (node(in_)) {
      using schedpol::NodeAffinity;
      const FieldPath at = path.child("nodeAffinity");
      const auto required =
          member(value(node), &NodeAffinity::required_during_scheduling_ignored_during_execution);
      if (required(in_)) {
        entries(at.child(schedpol::required_mode).child("nodeSelectorTerms"),
                member(value(required), &schedpol::NodeSelector::node_selector_terms),
                without(required));
      }
      entries(
          at.child(schedpol::preferred_mode),
          member(value(node), &NodeAffinity::preferred_during_scheduling_ignored_during_execution));
    }
    pod_affinity(path.child("podAffinity"),
                 member(value(affinity), &schedpol::Affinity::pod_affinity));
    pod_affinity(path.child("podAntiAffinity"),
                 member(value(affinity), &schedpol::Affinity::pod_anti_affinity));
  }

 private:
  void pod_affinity(const FieldPath& path,
                    const PathBuilder<std::optional<schedpol::PodAffinity>>& kind) {
    if (!kind(in_)) return;
    using schedpol::PodAffinity;
    entries(path.child(schedpol::required_mode),
            member(value(kind), &PodAffinity::required_during_scheduling_ignored_during_execution));
    entries(
        path.child(schedpol::preferred_mode),
        member(value(kind), &PodAffinity::preferred_during_scheduling_ignored_during_execution));
  }

  Configuration in_;
  std::vector<Rule> rules_;
};

}  // namespace policytest
