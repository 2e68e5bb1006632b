// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes granted policies as objects: their names, the policies, the roles that permit to use them, and
/// the bindings.

#include <schedpol/insight/impl/suggest/grants.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// A hash of texts that is the same everywhere and in every run (FNV-1a), as hexadecimal digits.
inline std::string digits_of(const std::vector<std::string>& texts) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (const std::string& text : texts) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(0);
  }
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4)
    digits += "0123456789abcdef"[(hash >> static_cast<unsigned>(shift)) & 15U];
  return digits;
}

/// What a policy is called for a person: of what most of its entries are about.
class PolicyLabel {
 public:
  static std::string of(const NeededEntries& entries, const Numbers& numbers) {
    std::vector<std::pair<std::string, std::string>> words;  // what it is about, and its sort
    for (const std::size_t number : numbers) {
      auto word = words_of(entries[number]);
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
    const auto& [about, sort] = words.front();
    std::string label = about;
    if (!about.ends_with(sort)) label += (about.empty() ? "" : "-") + sort;
    if (words.size() == 1) return label;
    const bool is_of_one_sort = std::all_of(words.begin(), words.end(),
                                            [&](const auto& each) { return each.second == sort; });
    if (is_of_one_sort && !about.empty())
      return about + "-and-" + std::to_string(words.size() - 1) + "-more-" + sort;
    return label + "-and-" + std::to_string(words.size() - 1) + "-more";
  }

 private:
  static std::pair<std::string, std::string> words_of(const PolicySection& section) {
    std::pair<std::string, std::string> words;
    scheduling_policy::detail::for_each_allowed_entry(
        section, [&](const FieldPath& place, const std::string& value, const PolicySection& alone) {
          const std::vector<FieldPath::Step> steps = place.steps();
          std::string_view sort = steps[1].name;
          std::string about = value == "[]" ? "any" : value;
          for (const FieldPath::Step& step : steps)
            if (step.kind == FieldPath::Step::Kind::key) about = std::string(step.name);
          if (alone.affinities.is_listed() && steps.size() > 2) sort = steps[2].name;
          if (const std::string key = key_of(alone); !key.empty()) about = key;
          words = {short_of(about), dashed(sort)};
        });
    return words;
  }

  /// The key of its one pattern; empty where it has none.
  static std::string key_of(const PolicySection& section) {
    std::string key;
    const auto take = [&](const auto& patterns) {
      for (const auto& pattern : patterns.listed())
        key = pattern.keys.is_any() ? "any" : pattern.keys.listed().front();
    };
    take(section.tolerations);
    for (const auto& pattern : section.topology_spread_constraints.listed())
      key = pattern.topology_keys.is_any() ? "any" : pattern.topology_keys.listed().front();
    const auto& modes = section.affinities.listed().node_affinities.listed();
    for (const auto* mode : {&modes.required_during_scheduling_ignored_during_execution,
                             &modes.preferred_during_scheduling_ignored_during_execution}) {
      for (const scheduling_policy::TermPattern& term : mode->listed().node_selector_terms) {
        take(term.match_expressions);
        take(term.match_fields);
      }
    }
    return key;
  }

  /// What stands behind the prefix of a key, in the letters of names.
  static std::string short_of(std::string_view text) {
    const std::size_t slash = text.rfind('/');
    if (slash != std::string_view::npos) text.remove_prefix(slash + 1);
    std::string label;
    for (const char c : text.substr(0, most_letters)) {
      const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      const bool is_plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
      if (is_plain) {
        label += lower;
      } else if (!label.empty() && label.back() != '-') {
        label += '-';
      }
    }
    while (label.ends_with('-')) label.pop_back();
    return label;
  }
  /// `node-selectors` of `nodeSelectors`, `scheduler` of `schedulerNames`.
  static std::string dashed(std::string_view field) {
    constexpr std::string_view names = "Names";
    if (field.ends_with(names)) field.remove_suffix(names.size());
    std::string words;
    for (const char c : field) {
      if (c >= 'A' && c <= 'Z') {
        words += '-';
        words += static_cast<char>(c - 'A' + 'a');
      } else {
        words += c;
      }
    }
    return words;
  }

  static constexpr std::size_t most_letters = 40;
};

class SuggestionWriter {
 public:
  SuggestionWriter(const Configuration& surroundings, const SchedulingPolicySystem& usable,
                   const NeededPermissions& needed)
      : there_(surroundings.objects),
        settings_(surroundings.settings),
        access_(access_of(surroundings.settings)),
        needed_(needed) {
    const auto add = [](auto& names, const auto& list) {
      for (const auto& object : list) names.insert(name_of(object.metadata));
    };
    add(policy_names_, there_.scheduling_policies);
    add(role_names_, there_.rbac.cluster_roles);
    add(binding_names_, there_.rbac.role_bindings);
    add(binding_names_, there_.rbac.cluster_role_bindings);
    for (const UnreadableObject& object : there_.unreadable) {
      policy_names_.insert({"", object.name});
      role_names_.insert({"", object.name});
      binding_names_.insert({object.namespace_, object.name});
    }
    // Whoever has a role that names a policy may use it as soon as there is one of that name.
    const auto add_named = [&](const auto& roles) {
      for (const auto& role : roles)
        for (const rbac::PolicyRule& rule : role.rules)
          for (const std::string& policy : rule.resource_names) policy_names_.insert({"", policy});
    };
    add_named(there_.rbac.roles);
    add_named(there_.rbac.cluster_roles);
    // The same holds for who is bound to a role that is gone.
    for (const rbac::RoleBinding& binding : there_.rbac.role_bindings)
      role_names_.insert({"", binding.role_ref.name});
    for (const rbac::ClusterRoleBinding& binding : there_.rbac.cluster_role_bindings)
      role_names_.insert({"", binding.role_ref.name});
    usable.rbac().template for_each<rbac::ClusterRole>([&](const rbac::ClusterRole& role) {
      if (role.rules.size() != 1 || role.rules[0].resource_names.size() != 1) return true;
      const std::string& policy = role.rules[0].resource_names.front();
      if (role.rules != rules_for(policy)) return true;
      const auto [found, is_new] = roles_there_.try_emplace(policy, role.metadata.name);
      if (!is_new) found->second = std::min(found->second, role.metadata.name);
      return true;
    });
  }

  Objects write(const std::vector<GrantedPolicy>& policies) && {
    const std::vector<std::string> names = names_of(policies);
    for (std::size_t i = 0; i < policies.size(); ++i) {
      if (policies[i].there == nullptr)
        made_.scheduling_policies.push_back(
            {{.name = names[i]}, {.allowed = needed_.entries.section_of(policies[i].entries)}});
      if (settings_.policy_use == PolicyUse::rbac) grant(policies[i], names[i]);
    }
    sort(made_.scheduling_policies);
    sort(made_.rbac.cluster_roles);
    sort(made_.rbac.role_bindings);
    sort(made_.rbac.cluster_role_bindings);
    return std::move(made_);
  }

 private:
  /// By namespace and name.
  using Name = std::pair<std::string, std::string>;
  static Name name_of(const ObjectMeta& metadata) { return {metadata.namespace_, metadata.name}; }
  template <class T>
  static void sort(std::vector<T>& objects) {
    std::sort(objects.begin(), objects.end(),
              [](const T& a, const T& b) { return name_of(a.metadata) < name_of(b.metadata); });
  }

  /// A name with as few digits of the hash as no other object has.
  static std::string fresh(const std::string& label, char before_digits, const std::string& digits,
                           std::string_view in, std::set<Name>& names) {
    std::size_t shown = fewest_digits;
    std::string name;
    do {
      name = label + before_digits + digits.substr(0, shown);
      shown *= 2;
    } while (names.contains({std::string(in), name}) && shown <= digits.size());
    names.emplace(in, name);
    return name;
  }

  /// Those of one label and few digits get more digits, all of them, so that a name depends on nothing but
  /// what else there is.
  std::vector<std::string> names_of(const std::vector<GrantedPolicy>& policies) {
    std::vector<std::string> labels(policies.size());
    std::vector<std::string> digits(policies.size());
    std::map<std::string, std::size_t> alike;
    for (std::size_t i = 0; i < policies.size(); ++i) {
      if (policies[i].there != nullptr) continue;
      labels[i] = PolicyLabel::of(needed_.entries, policies[i].entries);
      digits[i] = digits_of(texts_of(policies[i].entries));
      ++alike[labels[i] + digits[i].substr(0, fewest_digits)];
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < policies.size(); ++i) {
      if (policies[i].there != nullptr) {
        names.push_back(policies[i].there->metadata.name);
        continue;
      }
      const bool is_alone = alike[labels[i] + digits[i].substr(0, fewest_digits)] == 1;
      names.push_back(is_alone ? fresh(labels[i], '-', digits[i], "", policy_names_)
                               : fresh(labels[i] + "-" + digits[i].substr(0, fewest_digits), '-',
                                       digits[i].substr(fewest_digits), "", policy_names_));
    }
    return names;
  }
  [[nodiscard]] std::vector<std::string> texts_of(const Numbers& entries) const {
    std::vector<std::string> texts;
    for (const std::size_t entry : entries) {
      const EntryIdentity identity = NeededEntries::identity_of(needed_.entries[entry]);
      texts.push_back(to_string(identity.place));
      texts.push_back(identity.value);
    }
    return texts;
  }

  [[nodiscard]] std::vector<rbac::PolicyRule> rules_for(const std::string& policy) const {
    return {{.verbs = {access_.verb},
             .api_groups = {access_.api_group},
             .resources = {access_.resource},
             .resource_names = {policy}}};
  }

  void grant(const GrantedPolicy& policy, const std::string& name) {
    if (policy.subjects.empty() && !policy.to_everybody) return;
    const rbac::RoleRef role{std::string(rbac_group), "ClusterRole", role_of(name)};
    if (policy.to_everybody) {
      made_.rbac.cluster_role_bindings.push_back(
          {{.name = binding_name(name, "", {std::string(all_accounts)})},
           role,
           {group(std::string(all_accounts))}});
      return;
    }
    std::map<std::string, std::vector<rbac::Subject>> by_namespace;
    Numbers ordered = policy.subjects;
    std::sort(ordered.begin(), ordered.end(), [&](std::size_t a, std::size_t b) {
      return needed_.subjects[a] < needed_.subjects[b];
    });
    for (const std::size_t number : ordered) {
      const auto& [in, account] = needed_.subjects[number];
      by_namespace[in].push_back(account.empty()
                                     ? group(std::string(all_accounts) + ":" + in)
                                     : rbac::Subject{"ServiceAccount", "", account, in});
    }
    for (auto& [in, subjects] : by_namespace) {
      std::vector<std::string> texts;
      for (const rbac::Subject& subject : subjects) texts.push_back(subject.name);
      made_.rbac.role_bindings.push_back(
          {{.name = binding_name(name, in, texts), .namespace_ = in}, role, std::move(subjects)});
    }
  }
  static rbac::Subject group(std::string name) {
    return {"Group", std::string(rbac_group), std::move(name), ""};
  }

  /// That of a ClusterRole that permits to use the policy and nothing else.
  std::string role_of(const std::string& policy) {
    const auto [found, is_new] = roles_there_.try_emplace(policy);
    if (!is_new) return found->second;
    std::string name = "sp:" + policy;
    if (role_names_.contains({"", name}))
      name = fresh(name, ':', digits_of({policy}), "", role_names_);
    role_names_.emplace("", name);
    made_.rbac.cluster_roles.push_back({{.name = name}, rules_for(policy)});
    return found->second = name;
  }
  std::string binding_name(const std::string& policy, const std::string& in,
                           const std::vector<std::string>& subjects) {
    return fresh("sp:" + policy, ':', digits_of(subjects), in, binding_names_);
  }

  static constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";
  static constexpr std::string_view all_accounts = "system:serviceaccounts";
  static constexpr std::size_t fewest_digits = 4;

  const Objects& there_;
  const Settings& settings_;
  rbac::Access access_;
  const NeededPermissions& needed_;
  std::set<Name> policy_names_;
  std::set<Name> role_names_;
  std::set<Name> binding_names_;
  std::map<std::string, std::string> roles_there_;  ///< by the policy that each permits to use
  Objects made_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
