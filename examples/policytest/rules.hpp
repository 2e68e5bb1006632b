// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Every rule of a configuration. In a SchedulingPolicy an empty list or map permits anything, so
/// one from which the only entry goes is left out with it, and so is what is then empty around it:
/// what is asked for is the policy in which the rule was never written.

#include "rule_list.hpp"

#include <schedpol/json/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace policytest {

namespace sp = schedpol::scheduling_policy;

class SchedulingPolicyRules {
 public:
  explicit SchedulingPolicyRules(RuleList& rules) : rules_(rules) {}

  void add(const std::string& path, const Place<sp::SchedulingPolicySpec>& spec) {
    section(path + ".required", member(spec, &sp::SchedulingPolicySpec::required));
    section(path + ".allowed", member(spec, &sp::SchedulingPolicySpec::allowed));
    defaults(path + ".default", member(spec, &sp::SchedulingPolicySpec::defaults));
  }

 private:
  void section(const std::string& path, const Place<sp::Rules>& section) {
    rules_.entries_or_any(path + ".schedulerNames", member(section, &sp::Rules::scheduler_names));
    rules_.entries_or_any(path + ".priorityClassNames",
                          member(section, &sp::Rules::priority_class_names));
    node_selectors(path + ".nodeSelectors", member(section, &sp::Rules::node_selectors));
    rules_.entries_or_any(path + ".tolerations", member(section, &sp::Rules::tolerations));
    affinities(path + ".affinities", member(section, &sp::Rules::affinities));
  }

  /// A key with each of its values; a key without listed values, which has any or none, as a whole.
  void node_selectors(const std::string& path, const Place<std::optional<sp::NodeSelectors>>& map) {
    const auto& selectors = rules_[map];
    if (!selectors) return;
    if (selectors->empty()) return rules_.add(path, without(map));
    for (const auto& [name, names] : *selectors) {
      const std::string at_key = path + "[" + name + "]";
      const LeaveOut without_key = [map, key = name](Configuration& in) {
        if (map(in)->size() == 1) return map(in).reset();
        map(in)->erase(key);
      };
      const Place<sp::Names> values = [map, key = name](Configuration& in) -> sp::Names& {
        return map(in)->at(key);
      };
      if (names) {
        rules_.entries_or_any(at_key, values, without_key);
      } else {
        rules_.add(at_key, without_key);
      }
    }
  }

  void affinities(const std::string& path, const Place<std::optional<sp::AffinityRules>>& all) {
    if (!rules_[all]) return;
    if (rules_[all] == sp::AffinityRules{}) return rules_.add(path, without(all));
    const auto add_kind = [&](const std::string& name, auto kind_member) {
      const auto kind_place = member(value(all), kind_member);
      kind(path + name, kind_place, without(kind_place, value(all), without(all)));
    };
    add_kind(".nodeAffinities", &sp::AffinityRules::node_affinities);
    add_kind(".podAffinities", &sp::AffinityRules::pod_affinities);
    add_kind(".podAntiAffinities", &sp::AffinityRules::pod_anti_affinities);
  }

  template <class Rule>
  void kind(const std::string& path, const Place<std::optional<sp::AffinityModes<Rule>>>& modes,
            const LeaveOut& without_kind) {
    using Modes = sp::AffinityModes<Rule>;
    if (!rules_[modes]) return;
    if (rules_[modes] == Modes{}) return rules_.add(path, without_kind);
    const auto add_mode = [&](const std::string& name, auto mode_member) {
      const auto mode_place = member(value(modes), mode_member);
      if (rules_[mode_place])
        mode(path + name, value(mode_place), without(mode_place, value(modes), without_kind));
    };
    add_mode(RuleList::required_mode, &Modes::required_during_scheduling_ignored_during_execution);
    add_mode(RuleList::preferred_mode,
             &Modes::preferred_during_scheduling_ignored_during_execution);
  }

  void mode(const std::string& path, const Place<sp::NodeAffinityRule>& mode,
            const LeaveOut& without_mode) {
    const auto terms = member(mode, &sp::NodeAffinityRule::node_selector_terms);
    if (rules_[terms].empty()) return rules_.add(path, without_mode);
    for (std::size_t i = 0; i < rules_[terms].size(); ++i) {
      const auto term = item(terms, i);
      const LeaveOut without_term = without_item(terms, i, without_mode);
      const auto add_patterns = [&](const std::string& name, auto list_member) {
        const auto patterns = member(term, list_member);
        rules_.entries_or_any(at(path + ".nodeSelectorTerms", i) + name, patterns,
                              without(patterns, term, without_term));
      };
      add_patterns(".matchExpressions", &sp::TermPattern::match_expressions);
      add_patterns(".matchFields", &sp::TermPattern::match_fields);
    }
  }
  void mode(const std::string& path, const Place<sp::PodAffinityRule>& mode,
            const LeaveOut& without_mode) {
    const auto keys = member(mode, &sp::PodAffinityRule::topology_keys);
    if (rules_[keys].empty()) return rules_.add(path, without_mode);
    rules_.entries(path + ".topologyKeys", keys, without_mode);
  }

  void defaults(const std::string& path, const Place<sp::Defaults>& defaults) {
    const auto add_name = [&](const std::string& name, auto name_member) {
      const auto name_place = member(defaults, name_member);
      if (rules_[name_place]) rules_.add(path + name, without(name_place));
    };
    add_name(".schedulerName", &sp::Defaults::scheduler_name);
    add_name(".priorityClassName", &sp::Defaults::priority_class_name);
    const auto node_selector = member(defaults, &sp::Defaults::node_selector);
    if (rules_[node_selector]) rules_.pairs(path + ".nodeSelector", value(node_selector));
    rules_.entries_or_any(path + ".tolerations", member(defaults, &sp::Defaults::tolerations));
    rules_.affinity(path + ".affinity", member(defaults, &sp::Defaults::affinity));
  }

  RuleList& rules_;
};

inline void add_rules(RuleList& rules, const std::string& path,
                      const Place<schedpol::runtime_class::RuntimeClass>& place) {
  using schedpol::runtime_class::RuntimeClass;
  using schedpol::runtime_class::Scheduling;
  const auto overhead = member(place, &RuntimeClass::overhead);
  if (rules[overhead]) rules.add(path + ".overhead", without(overhead));
  const auto scheduling = member(place, &RuntimeClass::scheduling);
  if (!rules[scheduling]) return;
  rules.pairs(path + ".scheduling.nodeSelector",
              member(value(scheduling), &Scheduling::node_selector));
  rules.entries(path + ".scheduling.tolerations",
                member(value(scheduling), &Scheduling::tolerations));
}

/// A rule is told by its index, so one that does nothing takes its place.
inline void add_rules(RuleList& rules, const std::string& path,
                      const Place<schedpol::metadata_policy::MetadataPolicy>& place) {
  for (std::size_t i = 0; i < rules[place].spec.rules.size(); ++i) {
    rules.add(at(path + ".spec.rules", i),
              [=](Configuration& in) { place(in).spec.rules[i] = {}; });
  }
}

inline void add_rules(RuleList& rules, const std::string& path,
                      const Place<schedpol::pod_scheduling_policy::PodSchedulingPolicy>& place) {
  using schedpol::pod_scheduling_policy::PodSchedulingPolicy;
  using Spec = schedpol::pod_scheduling_policy::PodSchedulingPolicySpec;
  const auto spec = member(place, &PodSchedulingPolicy::spec);
  rules.text(path + ".spec.nodeName", member(spec, &Spec::node_name));
  rules.text(path + ".spec.schedulerName", member(spec, &Spec::scheduler_name));
  rules.pairs(path + ".spec.nodeSelector", member(spec, &Spec::node_selector));
  rules.entries(path + ".spec.tolerations", member(spec, &Spec::tolerations));
  rules.affinity(path + ".spec.affinity", member(spec, &Spec::affinity));
}

inline void add_rules(RuleList& rules, const std::string& path,
                      const Place<sp::SchedulingPolicy>& place) {
  SchedulingPolicyRules(rules).add(path + ".spec", member(place, &sp::SchedulingPolicy::spec));
}

[[nodiscard]] inline std::vector<Rule> rules_of(const Configuration& configuration) {
  RuleList rules(configuration);
  const auto path = [](auto kind, const std::string& name) {
    return std::string(kind) + "[" + name + "]";
  };
  const auto in_namespace = [](const schedpol::ObjectMeta& metadata) {
    return metadata.namespace_ + "/" + metadata.name;
  };
  const auto add_each = [&](auto list, const auto& path_of) {
    for (std::size_t i = 0; i < (configuration.*list).size(); ++i) {
      using Object = typename std::remove_cvref_t<decltype(configuration.*list)>::value_type;
      add_rules(rules, path_of((configuration.*list)[i]),
                Place<Object>([=](Configuration& in) -> Object& { return (in.*list)[i]; }));
    }
  };
  add_each(&Configuration::runtime_classes,
           [&](const auto& object) { return path("RuntimeClass", object.metadata.name); });
  add_each(&Configuration::metadata_policies, [&](const auto& object) {
    return path("MetadataPolicy", in_namespace(object.metadata));
  });
  add_each(&Configuration::pod_scheduling_policies, [&](const auto& object) {
    using schedpol::pod_scheduling_policy::PolicyKind;
    const bool cluster = object.kind == PolicyKind::cluster_pod_scheduling_policy;
    return path(to_string(object.kind),
                cluster ? object.metadata.name : in_namespace(object.metadata));
  });
  add_each(&Configuration::scheduling_policies,
           [&](const auto& object) { return path("SchedulingPolicy", object.metadata.name); });
  for (std::size_t i = 0; i < configuration.resource_policies.size(); ++i) {
    rules.add(
        path("ResourcePolicy", in_namespace(configuration.resource_policies[i].metadata)),
        [i](Configuration& in) {
          in.resource_policies.erase(in.resource_policies.begin() + static_cast<std::ptrdiff_t>(i));
        });
  }
  return std::move(rules).take();
}

}  // namespace policytest
