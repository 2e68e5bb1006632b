// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rules of a configuration, each with its path and how to leave it out of any copy of the
/// configuration, and the shapes in which policies write them: lists, maps, texts, affinities.

#include <schedpol/json/json.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace policytest {

using schedpol::json::Configuration;

using LeaveOut = std::function<void(Configuration&)>;

struct Rule {
  std::string name;  ///< `SchedulingPolicy[gpu].spec.allowed.tolerations[2]`
  LeaveOut leave_out;
};

/// Where a part stands in any copy of a configuration.
template <class Part>
using Place = std::function<Part&(Configuration&)>;

template <class Whole, class Part>
Place<Part> member(const Place<Whole>& whole, Part Whole::*part) {
  return [=](Configuration& in) -> Part& { return whole(in).*part; };
}
template <class T>
Place<T> value(const Place<std::optional<T>>& optional) {
  return [=](Configuration& in) -> T& { return *optional(in); };
}
template <class T>
Place<T> item(const Place<std::vector<T>>& list, std::size_t index) {
  return [=](Configuration& in) -> T& { return list(in)[index]; };
}

template <class T>
LeaveOut without(const Place<std::optional<T>>& part) {
  return [=](Configuration& in) { part(in).reset(); };
}
/// Leaves out a part, and the whole around it where that has no other.
template <class Whole, class T>
LeaveOut without(const Place<std::optional<T>>& part, const Place<Whole>& whole,
                 const LeaveOut& without_whole) {
  return [=](Configuration& in) {
    part(in).reset();
    if (whole(in) == Whole{}) without_whole(in);
  };
}
/// Leaves out an entry, and its list where that has no other.
template <class T>
LeaveOut without_item(const Place<std::vector<T>>& list, std::size_t index,
                      const LeaveOut& without_list) {
  return [=](Configuration& in) {
    std::vector<T>& items = list(in);
    if (items.size() == 1) return without_list(in);
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
  };
}

[[nodiscard]] inline std::string at(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

/// Collects the rules of one configuration.
class RuleList {
 public:
  explicit RuleList(Configuration configuration) : in_(std::move(configuration)) {}

  /// What the configuration has in that place.
  template <class Part>
  const Part& operator[](const Place<Part>& place) {
    return place(in_);
  }
  [[nodiscard]] std::vector<Rule> take() && { return std::move(rules_); }

  void add(std::string name, LeaveOut leave_out) {
    rules_.push_back({std::move(name), std::move(leave_out)});
  }

  /// The entries of a list; none of an empty one.
  template <class T>
  void entries(const std::string& path, const Place<std::vector<T>>& list,
               const LeaveOut& without_list) {
    for (std::size_t i = 0; i < list(in_).size(); ++i)
      add(at(path, i), without_item(list, i, without_list));
  }
  /// The same, where an empty list and an absent one are one.
  template <class T>
  void entries(const std::string& path, const Place<std::vector<T>>& list) {
    entries(path, list, [=](Configuration& in) { list(in).clear(); });
  }
  /// The entries of a list of which an empty one permits anything, and so is a rule itself.
  template <class T>
  void entries_or_any(const std::string& path, const Place<std::vector<T>>& list,
                      const LeaveOut& without_list) {
    if (list(in_).empty()) return add(path, without_list);
    entries(path, list, without_list);
  }
  template <class T>
  void entries_or_any(const std::string& path, const Place<std::optional<std::vector<T>>>& list,
                      const LeaveOut& without_list) {
    if (list(in_)) entries_or_any(path, value(list), without_list);
  }
  template <class T>
  void entries_or_any(const std::string& path, const Place<std::optional<std::vector<T>>>& list) {
    entries_or_any(path, list, without(list));
  }

  void pairs(const std::string& path, const Place<schedpol::Labels>& map) {
    for (const auto& pair : map(in_)) {
      add(path + "[" + pair.first + "]",
          [map, key = pair.first](Configuration& in) { map(in).erase(key); });
    }
  }
  void text(const std::string& path, const Place<std::string>& text) {
    if (!text(in_).empty()) add(path, [=](Configuration& in) { text(in).clear(); });
  }

  /// The terms of affinities that pods get.
  void affinity(const std::string& path, const Place<std::optional<schedpol::Affinity>>& affinity) {
    if (!affinity(in_)) return;
    const auto node = member(value(affinity), &schedpol::Affinity::node_affinity);
    if (node(in_)) {
      const auto required =
          member(value(node),
                 &schedpol::NodeAffinity::required_during_scheduling_ignored_during_execution);
      if (required(in_)) {
        entries(path + ".nodeAffinity" + required_mode + ".nodeSelectorTerms",
                member(value(required), &schedpol::NodeSelector::node_selector_terms),
                without(required));
      }
      entries(
          path + ".nodeAffinity" + preferred_mode,
          member(value(node),
                 &schedpol::NodeAffinity::preferred_during_scheduling_ignored_during_execution));
    }
    pod_affinity(path + ".podAffinity", member(value(affinity), &schedpol::Affinity::pod_affinity));
    pod_affinity(path + ".podAntiAffinity",
                 member(value(affinity), &schedpol::Affinity::pod_anti_affinity));
  }
  void pod_affinity(const std::string& path,
                    const Place<std::optional<schedpol::PodAffinity>>& kind) {
    if (!kind(in_)) return;
    entries(path + required_mode,
            member(value(kind),
                   &schedpol::PodAffinity::required_during_scheduling_ignored_during_execution));
    entries(path + preferred_mode,
            member(value(kind),
                   &schedpol::PodAffinity::preferred_during_scheduling_ignored_during_execution));
  }

  static constexpr const char* required_mode = ".requiredDuringSchedulingIgnoredDuringExecution";
  static constexpr const char* preferred_mode = ".preferredDuringSchedulingIgnoredDuringExecution";

 private:
  Configuration in_;
  std::vector<Rule> rules_;
};

}  // namespace policytest
