// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How several usable policies become one set of rules. Policies count in byte order of their
/// names, so the order in which they are given does not matter, nor does giving one twice.
///
/// 1. `smart_deep_merge`: `required` and `default` are first-seen-wins per sub-key (a name list
///    or a toleration list is one; node selectors per key; affinities per kind, then per mode).
///    `allowed` is additive at every level; "any" absorbs the rest at the level where it stands;
///    order of first sight, no duplicates.
/// 2. `first_seen_wins`: the first policy, alone.
/// 3. `simple_merge`: first-seen-wins per second-level entry (`required.nodeSelectors`, ...).
///
/// Fields that `validate` refuses for being empty (any of `required`, any of `default`) are taken
/// as absent, so they never hide another policy's. Source: the SchedulingPolicy proposal, "Multiple
/// SchedulingPolicies considerations".

#include <schedpol/core/name_order.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy {

enum class MergeStrategy { smart_deep_merge, first_seen_wins, simple_merge };

/// `SmartDeepMerge`, `FirstSeenWins`, `SimpleMerge`.
[[nodiscard]] constexpr std::string_view to_string(MergeStrategy strategy) noexcept {
  switch (strategy) {
    case MergeStrategy::smart_deep_merge: return "SmartDeepMerge";
    case MergeStrategy::first_seen_wins: return "FirstSeenWins";
    case MergeStrategy::simple_merge: return "SimpleMerge";
  }
  return "";
}

namespace detail {

/// Calls `f(path, field)` for both modes of a kind of affinity below `path`, for one or more
/// objects at once: the fields of all of them, side by side.
template <class F, class... Modes>
void for_each_mode(const std::string& path, F&& f, Modes&&... modes) {
  f(path + "." + std::string(required_mode),
    modes.required_during_scheduling_ignored_during_execution...);
  f(path + "." + std::string(preferred_mode),
    modes.preferred_during_scheduling_ignored_during_execution...);
}

/// The same for the kinds in the rules of a section.
template <class F, class... Rules_>
void for_each_kind(const std::string& path, F&& f, Rules_&&... rules) {
  f(path + ".nodeAffinities", rules.node_affinities...);
  f(path + ".podAffinities", rules.pod_affinities...);
  f(path + ".podAntiAffinities", rules.pod_anti_affinities...);
}

/// The same for the kinds in the affinity of a default.
template <class F, class... Affinities>
void for_each_default_kind(const std::string& path, F&& f, Affinities&&... affinities) {
  f(path + ".nodeAffinity", affinities.node_affinity...);
  f(path + ".podAffinity", affinities.pod_affinity...);
  f(path + ".podAntiAffinity", affinities.pod_anti_affinity...);
}

/// The same for the entries of a whole spec, one by one: the second level of the document.
template <class F, class... Specs>
void for_each_entry(F&& f, Specs&&... specs) {
  f("required.schedulerNames", specs.required.scheduler_names...);
  f("required.priorityClassNames", specs.required.priority_class_names...);
  f("required.nodeSelectors", specs.required.node_selectors...);
  f("required.tolerations", specs.required.tolerations...);
  f("required.affinities", specs.required.affinities...);
  f("allowed.schedulerNames", specs.allowed.scheduler_names...);
  f("allowed.priorityClassNames", specs.allowed.priority_class_names...);
  f("allowed.nodeSelectors", specs.allowed.node_selectors...);
  f("allowed.tolerations", specs.allowed.tolerations...);
  f("allowed.affinities", specs.allowed.affinities...);
  f("default.schedulerName", specs.defaults.scheduler_name...);
  f("default.priorityClassName", specs.defaults.priority_class_name...);
  f("default.nodeSelector", specs.defaults.node_selector...);
  f("default.tolerations", specs.defaults.tolerations...);
  f("default.affinity", specs.defaults.affinity...);
}

template <class T>
void drop_if_empty(std::optional<T>& field) {
  if (field && field->empty()) field.reset();
}

/// The spec as evaluation sees it: empty fields of `required` and `default` are absent.
inline SchedulingPolicySpec without_empty_fields(SchedulingPolicySpec spec) {
  Rules& required = spec.required;
  drop_if_empty(required.scheduler_names);
  drop_if_empty(required.priority_class_names);
  drop_if_empty(required.node_selectors);
  drop_if_empty(required.tolerations);
  if (required.affinities == AffinityRules{}) required.affinities.reset();

  Defaults& defaults = spec.defaults;
  drop_if_empty(defaults.scheduler_name);
  drop_if_empty(defaults.priority_class_name);
  drop_if_empty(defaults.node_selector);
  drop_if_empty(defaults.tolerations);
  if (defaults.tolerations) {
    for (DefaultToleration& entry : *defaults.tolerations) drop_if_empty(entry.values);
  }
  if (defaults.affinity) {
    const auto drop_without_terms = [](const std::string&, auto& kind) {
      if (!has_terms(kind)) kind.reset();
    };
    for_each_default_kind("", drop_without_terms, *defaults.affinity);
    if (defaults.affinity->node_affinity) {
      auto& node =
          defaults.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
      if (node && node->node_selector_terms.empty()) node.reset();
    }
    if (*defaults.affinity == Affinity{}) defaults.affinity.reset();
  }
  return spec;
}

/// Merges one policy after another into `spec`, writing down where every entry came from.
class Merger {
 public:
  void add(const SchedulingPolicy& policy, MergeStrategy strategy) {
    const SchedulingPolicySpec from = without_empty_fields(policy.spec);
    const bool first = policies_.empty();
    policy_ = policy.metadata.name;
    policies_.push_back(policy_);
    if (strategy == MergeStrategy::smart_deep_merge) {
      add_required(from.required);
      add_allowed(from.allowed);
      add_defaults(from.defaults);
    } else if (strategy == MergeStrategy::simple_merge || first) {
      for_each_entry([&](const std::string& path, auto& into,
                         const auto& entry) { first_seen(path, into, entry); },
                     spec_, from);
    } else {
      for_each_entry(
          [&](const std::string& path, const auto& entry) {
            if (entry) sources_.lost[path].push_back(policy_);
          },
          from);
    }
  }

  EffectivePolicy finish(MergeStrategy strategy) && {
    // Only the first policy speaks under first_seen_wins; the others are named in what was lost.
    if (strategy == MergeStrategy::first_seen_wins && policies_.size() > 1) policies_.resize(1);
    return {std::move(spec_), std::move(policies_), std::move(sources_)};
  }

 private:
  void note(const std::string& path) {
    auto& names = sources_.entries[path];
    if (names.empty() || names.back() != policy_) names.push_back(policy_);
  }

  /// The whole of `entry`, unless an earlier policy has one.
  template <class T>
  void first_seen(const std::string& path, std::optional<T>& into, const std::optional<T>& entry) {
    if (!entry) return;
    if (!into) into.emplace(*entry);
    if (*into == *entry) {
      note(path);
    } else {
      sources_.lost[path].push_back(policy_);
    }
  }

  /// The same for each key of a map.
  template <class Map>
  void first_seen_keys(const std::string& path, std::optional<Map>& into,
                       const std::optional<Map>& from) {
    if (!from) return;
    if (!into) into.emplace();
    for (const auto& [key, value] : *from) {
      const std::string entry = path + "[" + key + "]";
      if (into->try_emplace(key, value).first->second == value) {
        note(entry);
      } else {
        sources_.lost[entry].push_back(policy_);
      }
    }
  }

  void add_required(const Rules& from) {
    Rules& into = spec_.required;
    first_seen("required.schedulerNames", into.scheduler_names, from.scheduler_names);
    first_seen("required.priorityClassNames", into.priority_class_names, from.priority_class_names);
    first_seen_keys("required.nodeSelectors", into.node_selectors, from.node_selectors);
    first_seen("required.tolerations", into.tolerations, from.tolerations);
    if (!from.affinities) return;
    if (!into.affinities) into.affinities.emplace();
    for_each_kind(
        "required.affinities",
        [&](const std::string& path, auto& into_kind, const auto& from_kind) {
          if (!from_kind) return;
          if (!into_kind) into_kind.emplace();
          for_each_mode(
              path,
              [&](const std::string& mode, auto& a, const auto& b) { first_seen(mode, a, b); },
              *into_kind, *from_kind);
          // `{}` is an entry for as long as no mode has joined it.
          if (*into_kind == std::decay_t<decltype(*into_kind)>{}) {
            note(path);
          } else {
            sources_.entries.erase(path);
          }
        },
        *into.affinities, *from.affinities);
  }

  void add_defaults(const Defaults& from) {
    Defaults& into = spec_.defaults;
    first_seen("default.schedulerName", into.scheduler_name, from.scheduler_name);
    first_seen("default.priorityClassName", into.priority_class_name, from.priority_class_name);
    first_seen_keys("default.nodeSelector", into.node_selector, from.node_selector);
    first_seen("default.tolerations", into.tolerations, from.tolerations);
    if (!from.affinity) return;
    if (!into.affinity) into.affinity.emplace();
    for_each_default_kind(
        "default.affinity",
        [&](const std::string& path, auto& into_kind, const auto& from_kind) {
          if (!from_kind) return;
          if (!into_kind) into_kind.emplace();
          for_each_mode(
              path,
              [&](const std::string& mode, auto& a, const auto& b) {
                first_seen_terms(mode, a, b);
              },
              *into_kind, *from_kind);
        },
        *into.affinity, *from.affinity);
  }

  /// A mode of a default affinity: an optional selector, or a list that is absent when empty.
  template <class T>
  void first_seen_terms(const std::string& path, T& into, const T& from) {
    if (from == T{}) return;
    if (into == T{}) into = T(from);
    if (into == from) {
      note(path);
    } else {
      sources_.lost[path].push_back(policy_);
    }
  }

  /// Adds the entries of a list in which empty means any, each only once.
  template <class List>
  void add_entries(const std::string& path, std::optional<List>& into,
                   const std::optional<List>& from) {
    if (!from) return;
    const bool into_is_any = into && into->empty();
    if (from->empty()) return set_any(path, into, into_is_any);
    if (into_is_any) return;
    if (!into) into.emplace();
    for (const auto& entry : *from) {
      const auto [at, added] = listed_.try_emplace(path + '\n' + to_text(entry), into->size());
      if (added) into->push_back(entry);
      note(path + "[" + std::to_string(at->second) + "]");
    }
  }

  static const std::string& to_text(const std::string& name) { return name; }
  static std::string to_text(const TolerationPattern& pattern) { return to_string(pattern); }
  static std::string to_text(const TermPattern& pattern) { return to_string(pattern); }

  /// From here on everything at `path` is permitted, and what was listed below it is of no account.
  template <class T>
  void set_any(const std::string& path, std::optional<T>& into, bool is_any_already) {
    if (!is_any_already) {
      into.emplace();
      for (const char separator : {'.', '['}) {
        const std::string below = path + separator;
        auto entry = sources_.entries.lower_bound(below);
        while (entry != sources_.entries.end() && entry->first.starts_with(below)) {
          entry = sources_.entries.erase(entry);
        }
      }
    }
    note(path);
  }

  void add_allowed(const Rules& from) {
    Rules& into = spec_.allowed;
    add_entries("allowed.schedulerNames", into.scheduler_names, from.scheduler_names);
    add_entries("allowed.priorityClassNames", into.priority_class_names, from.priority_class_names);
    add_node_selectors(into.node_selectors, from.node_selectors);
    add_entries("allowed.tolerations", into.tolerations, from.tolerations);
    add_affinities(into.affinities, from.affinities);
  }

  void add_node_selectors(std::optional<NodeSelectors>& into,
                          const std::optional<NodeSelectors>& from) {
    const std::string path = "allowed.nodeSelectors";
    if (!merge_unless_any(path, into, from)) return;
    for (const auto& [key, values] : *from) {
      add_entries(path + "[" + key + "]", (*into)[key], values);
    }
  }

  void add_affinities(std::optional<AffinityRules>& into,
                      const std::optional<AffinityRules>& from) {
    const std::string path = "allowed.affinities";
    if (!merge_unless_any(path, into, from)) return;
    for_each_kind(
        path,
        [&](const std::string& kind, auto& into_kind, const auto& from_kind) {
          if (!merge_unless_any(kind, into_kind, from_kind)) return;
          for_each_mode(
              kind,
              [&](const std::string& mode, auto& a, const auto& b) {
                if (merge_unless_any(mode, a, b)) add_rule(mode, *a, *b);
              },
              *into_kind, *from_kind);
        },
        *into, *from);
  }

  /// Whether the parts of `from` are to be merged into `into`; false when there are none, or when
  /// either of the two says any, which is settled here.
  template <class T>
  bool merge_unless_any(const std::string& path, std::optional<T>& into,
                        const std::optional<T>& from) {
    if (!from) return false;
    const bool into_is_any = into && *into == T{};
    if (*from == T{}) {
      set_any(path, into, into_is_any);
      return false;
    }
    if (!into) into.emplace();
    return !into_is_any;
  }

  void add_rule(const std::string& path, NodeAffinityRule& into, const NodeAffinityRule& from) {
    add_all(path + ".nodeSelectorTerms", into.node_selector_terms, from.node_selector_terms);
  }
  void add_rule(const std::string& path, PodAffinityRule& into, const PodAffinityRule& from) {
    add_all(path + ".topologyKeys", into.topology_keys, from.topology_keys);
  }
  template <class T>
  void add_all(const std::string& path, std::vector<T>& into, const std::vector<T>& from) {
    std::optional<std::vector<T>> list;
    if (!into.empty()) list = std::move(into);
    add_entries(path, list, std::optional(from));
    into = *std::move(list);
  }

  std::string policy_;
  SchedulingPolicySpec spec_;
  std::vector<std::string> policies_;
  Sources sources_;
  std::unordered_map<std::string, std::size_t> listed_;  ///< path and text of every allowed entry
};

}  // namespace detail

/// The rules of all `policies` together, in a form made for lookup. Of no policies at all, the
/// result denies everything (`NoUsablePolicy`). Two equal policies of one name count once; two
/// different ones make a result that denies everything (`AmbiguousPolicy`), whatever the strategy,
/// because whichever were picked, the other's requirements would be lost.
[[nodiscard]] inline EffectivePolicy merge(
    std::span<const SchedulingPolicy> policies,
    MergeStrategy strategy = MergeStrategy::smart_deep_merge) {
  std::vector<schedpol::detail::Named> names(policies.size());
  for (std::size_t i = 0; i < policies.size(); ++i) {
    names[i] = {policies[i].metadata.name, false, {}, i};
  }
  schedpol::detail::sort_by_name(names);
  detail::Merger merger;
  const SchedulingPolicy* previous = nullptr;
  for (const auto& named : names) {
    const SchedulingPolicy& policy = policies[named.index];
    if (previous != nullptr && previous->metadata.name == named.name) {
      if (previous->spec == policy.spec) continue;
      return EffectivePolicy::ambiguous(policy.metadata.name);
    }
    merger.add(policy, strategy);
    previous = &policy;
  }
  return std::move(merger).finish(strategy);
}

}  // namespace schedpol::scheduling_policy
