// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Every rule of a configuration. What is asked for is the policy in which the rule was never
/// written, so with the only entry of a list the list goes, and so does what is then empty around
/// it.

#include "rule_list.hpp"

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/engine/configuration.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace policytest {

namespace sp = schedpol::scheduling_policy;

class SchedulingPolicyRules {
 public:
  explicit SchedulingPolicyRules(RuleList& rules) : rules_(rules) {}

  void add(const FieldPath& path, const PathBuilder<sp::SchedulingPolicySpec>& spec) {
    section(path.child("required"), member(spec, &sp::SchedulingPolicySpec::required));
    section(path.child("allowed"), member(spec, &sp::SchedulingPolicySpec::allowed));
    defaults(path.child("default"), member(spec, &sp::SchedulingPolicySpec::defaults));
  }

 private:
  void section(const FieldPath& path, const PathBuilder<sp::PolicyRules>& section) {
    rules_.entries_or_any(path.child("schedulerNames"),
                          member(section, &sp::PolicyRules::scheduler_names));
    rules_.entries_or_any(path.child("priorityClassNames"),
                          member(section, &sp::PolicyRules::priority_class_names));
    node_selectors(path.child("nodeSelectors"), member(section, &sp::PolicyRules::node_selectors));
    rules_.entries_or_any(path.child("tolerations"),
                          member(section, &sp::PolicyRules::tolerations));
    affinities(path.child("affinities"), member(section, &sp::PolicyRules::affinities));
  }

  /// A key with each of its values; a key without listed values, which has any or none, as a whole.
  void node_selectors(const FieldPath& path, const PathBuilder<AnyOr<sp::NodeSelectors>>& map) {
    if (rules_[map].is_any()) return rules_.add(path, without(map));
    for (const auto& [name, values] : rules_[map].listed()) {
      const LeaveOut without_key = [map, key = name](Configuration& in) {
        if (map(in).listed().size() == 1) return void(map(in) = {});
        map(in).list().erase(key);
      };
      const PathBuilder<AnyOr<schedpol::Texts>> at_key =
          [map, key = name](Configuration& in) -> AnyOr<schedpol::Texts>& {
        return map(in).list().at(key);
      };
      if (values.is_absent()) {
        rules_.add(path.key(name), without_key);
      } else {
        rules_.entries_or_any(path.key(name), at_key, without_key);
      }
    }
  }

  void affinities(const FieldPath& path, const PathBuilder<AnyOr<sp::AffinityRules>>& all) {
    if (rules_[all].is_any()) return rules_.add(path, without(all));
    if (!rules_[all].is_listed()) return;
    const auto add_kind = [&](std::string_view name, auto kind_member) {
      const auto kind_place = member(value(all), kind_member);
      kind(path.child(name), kind_place, without(kind_place, value(all), without(all)));
    };
    add_kind("nodeAffinities", &sp::AffinityRules::node_affinities);
    add_kind("podAffinities", &sp::AffinityRules::pod_affinities);
    add_kind("podAntiAffinities", &sp::AffinityRules::pod_anti_affinities);
  }

  template <class Rule>
  void kind(const FieldPath& path, const PathBuilder<AnyOr<sp::AffinityModes<Rule>>>& modes,
            const LeaveOut& without_kind) {
    using Modes = sp::AffinityModes<Rule>;
    if (rules_[modes].is_any()) return rules_.add(path, without_kind);
    if (!rules_[modes].is_listed()) return;
    const auto add_mode = [&](std::string_view name, auto mode_member) {
      const auto mode_place = member(value(modes), mode_member);
      const LeaveOut without_mode = without(mode_place, value(modes), without_kind);
      if (rules_[mode_place].is_any()) rules_.add(path.child(name), without_mode);
      if (rules_[mode_place].is_listed()) mode(path.child(name), value(mode_place), without_mode);
    };
    add_mode(schedpol::required_mode, &Modes::required_during_scheduling_ignored_during_execution);
    add_mode(schedpol::preferred_mode,
             &Modes::preferred_during_scheduling_ignored_during_execution);
  }

  void mode(const FieldPath& path, const PathBuilder<sp::NodeAffinityRule>& mode,
            const LeaveOut& without_mode) {
    const auto terms = member(mode, &sp::NodeAffinityRule::node_selector_terms);
    for (std::size_t i = 0; i < rules_[terms].size(); ++i) {
      const FieldPath at = path.child("nodeSelectorTerms").index(i);
      const auto term = item(terms, i);
      const LeaveOut without_term = without_item(terms, i, without_mode);
      const auto add_patterns = [&](std::string_view name, auto list_member) {
        const auto patterns = member(term, list_member);
        rules_.entries_or_any(at.child(name), patterns, without(patterns, term, without_term));
      };
      add_patterns("matchExpressions", &sp::TermPattern::match_expressions);
      add_patterns("matchFields", &sp::TermPattern::match_fields);
    }
  }
  void mode(const FieldPath& path, const PathBuilder<sp::PodAffinityRule>& mode,
            const LeaveOut& without_mode) {
    rules_.entries(path.child("topologyKeys"), member(mode, &sp::PodAffinityRule::topology_keys),
                   without_mode);
  }

  void defaults(const FieldPath& path, const PathBuilder<sp::Defaults>& defaults) {
    const auto add_name = [&](std::string_view name, auto name_member) {
      const auto name_place = member(defaults, name_member);
      if (rules_[name_place]) rules_.add(path.child(name), without(name_place));
    };
    add_name("schedulerName", &sp::Defaults::scheduler_name);
    add_name("priorityClassName", &sp::Defaults::priority_class_name);
    const auto node_selector = member(defaults, &sp::Defaults::node_selector);
    if (rules_[node_selector]) rules_.pairs(path.child("nodeSelector"), value(node_selector));
    const auto tolerations = member(defaults, &sp::Defaults::tolerations);
    if (rules_[tolerations])
      rules_.entries(path.child("tolerations"), value(tolerations), without(tolerations));
    rules_.affinity(path.child("affinity"), member(defaults, &sp::Defaults::affinity));
  }

  RuleList& rules_;
};

inline void add_rules(RuleList& rules, const FieldPath& path,
                      const PathBuilder<schedpol::runtime_class::RuntimeClass>& place) {
  using schedpol::runtime_class::RuntimeClass;
  using schedpol::runtime_class::Scheduling;
  const auto overhead = member(place, &RuntimeClass::overhead);
  if (rules[overhead]) rules.add(path.child("overhead"), without(overhead));
  const auto scheduling = member(place, &RuntimeClass::scheduling);
  if (!rules[scheduling]) return;
  const FieldPath at = path.child("scheduling");
  rules.pairs(at.child("nodeSelector"), member(value(scheduling), &Scheduling::node_selector));
  rules.entries(at.child("tolerations"), member(value(scheduling), &Scheduling::tolerations));
}

/// A rule is told by its index, so one that does nothing takes its place.
inline void add_rules(RuleList& rules, const FieldPath& path,
                      const PathBuilder<schedpol::metadata_policy::MetadataPolicy>& place) {
  for (std::size_t i = 0; i < rules[place].spec.rules.size(); ++i) {
    rules.add(path.child("spec").child("rules").index(i),
              [=](Configuration& in) { place(in).spec.rules[i] = {}; });
  }
}

inline void add_rules(
    RuleList& rules, const FieldPath& path,
    const PathBuilder<schedpol::pod_scheduling_policy::PodSchedulingPolicy>& place) {
  using schedpol::pod_scheduling_policy::PodSchedulingPolicy;
  using Spec = schedpol::pod_scheduling_policy::PodSchedulingPolicySpec;
  const FieldPath at = path.child("spec");
  const auto spec = member(place, &PodSchedulingPolicy::spec);
  rules.text(at.child("nodeName"), member(spec, &Spec::node_name));
  rules.text(at.child("schedulerName"), member(spec, &Spec::scheduler_name));
  rules.pairs(at.child("nodeSelector"), member(spec, &Spec::node_selector));
  rules.entries(at.child("tolerations"), member(spec, &Spec::tolerations));
  rules.affinity(at.child("affinity"), member(spec, &Spec::affinity));
}

inline void add_rules(RuleList& rules, const FieldPath& path,
                      const PathBuilder<sp::SchedulingPolicy>& place) {
  SchedulingPolicyRules(rules).add(path.child("spec"), member(place, &sp::SchedulingPolicy::spec));
}

[[nodiscard]] inline std::vector<Rule> rules_of(const Configuration& configuration) {
  using schedpol::engine::Objects;
  RuleList rules(configuration);
  const auto in_cluster = [](std::string_view kind, const schedpol::ObjectMeta& metadata) {
    return FieldPath{kind}.key(metadata.name);
  };
  const auto in_namespace = [](std::string_view kind, const schedpol::ObjectMeta& metadata) {
    return FieldPath{kind}.key(metadata.namespace_ + "/" + metadata.name);
  };
  const auto add_each = [&](auto list, const auto& path_of) {
    using List = std::remove_cvref_t<decltype(configuration.objects.*list)>;
    using Object = typename List::value_type;
    for (std::size_t i = 0; i < (configuration.objects.*list).size(); ++i) {
      add_rules(
          rules, path_of((configuration.objects.*list)[i]),
          PathBuilder<Object>([=](Configuration& in) -> Object& { return (in.objects.*list)[i]; }));
    }
  };
  add_each(&Objects::runtime_classes,
           [&](const auto& object) { return in_cluster("RuntimeClass", object.metadata); });
  add_each(&Objects::metadata_policies,
           [&](const auto& object) { return in_namespace("MetadataPolicy", object.metadata); });
  add_each(&Objects::pod_scheduling_policies, [&](const auto& object) {
    using schedpol::pod_scheduling_policy::PolicyKind;
    const bool cluster = object.kind == PolicyKind::cluster_pod_scheduling_policy;
    return cluster ? in_cluster(to_string(object.kind), object.metadata)
                   : in_namespace(to_string(object.kind), object.metadata);
  });
  add_each(&Objects::scheduling_policies,
           [&](const auto& object) { return in_cluster("SchedulingPolicy", object.metadata); });
  const auto& resource_policies = configuration.objects.resource_policies;
  for (std::size_t i = 0; i < resource_policies.size(); ++i) {
    rules.add(in_namespace("ResourcePolicy", resource_policies[i].metadata),
              [i](Configuration& in) {
                auto& list = in.objects.resource_policies;
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
              });
  }
  return std::move(rules).take();
}

}  // namespace policytest
