// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Takes the place of `Reports` while the rules of `check` run over a pod, and writes down what they
/// find good, too, with the entries behind it.

#include <schedpol/core/limits.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/impl/default_entries.hpp>
#include <schedpol/insight/impl/lost_entries.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/impl/check_names.hpp>
#include <schedpol/scheduling_policy/impl/check_tolerations.hpp>
#include <schedpol/scheduling_policy/impl/insides.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>
#include <schedpol/scheduling_policy/impl/reports.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

class Explainer : public Reports {
 public:
  static constexpr bool explains = true;

  Explainer(const Pod& pod, const EffectivePolicy& effective)
      : Reports(pod.kind, effective, violations_), pod_(pod), effective_(effective) {}
  Explainer(const Explainer&) = delete;  // it writes into itself
  Explainer& operator=(const Explainer&) = delete;
  ~Explainer() = default;

  /// What is given to the pod, of which only what is not permitted is looked at again.
  void defaulted(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      given_.insert(change.field);
      items_.push_back(
          {change.field, change.to.value_or(""), Ruling::defaulted, entries_of(change), {}});
    }
  }

  void exempt(SortOfName sort, std::string_view name) {
    if (!name.empty()) add({"spec", field_of(sort)}, name, Ruling::exempt, {});
  }
  void exempt(const std::string& key, const std::string& value) {
    if (spec().required.node_selectors.listed().contains(key)) return;  // met before, or missed
    add(FieldPath{"spec", "nodeSelector"}.key(key), value, Ruling::exempt, {});
  }
  void exempt(const Toleration& toleration, std::size_t index) {
    add(FieldPath{"spec", "tolerations"}.index(index), schedpol::to_string(toleration),
        Ruling::exempt, {});
  }
  /// A term, or one expression of it.
  void exempt(const auto& part, const Place& place) {
    add(place.path(), schedpol::to_string(part), Ruling::exempt, {});
  }

  void require(ViolationCode code, const FieldPath& field, std::string_view value,
               const FieldPath& entry, const Names& permitted = {}) {
    take_violations(Ruling::not_permitted, {});
    Reports::require(code, field, value, entry, permitted);
    take_violations(Ruling::requirement_missing, entries_of(entry));
  }
  void require(ViolationCode code, const Place& field, std::string_view value, const Place& entry) {
    require(code, field.path(), value, entry.path());
  }

  template <class Field>
  void met(const Field& field, std::string_view value, const auto& entry) {
    add(path_of(field), value, Ruling::required, entries_of(path_of(entry)));
  }
  void met(const std::string& key, const std::string& value) {
    met(FieldPath{"spec", "nodeSelector"}.key(key), value,
        FieldPath{"required", "nodeSelectors"}.key(key));
  }

  void permitted(SortOfName sort, std::string_view name) {
    if (name.empty()) return;
    switch (sort) {
      case SortOfName::scheduler:
        return permitted_name({"spec", "schedulerName"}, name, "schedulerNames", "schedulerName",
                              &PolicyRules::scheduler_names);
      case SortOfName::priority_class:
        return permitted_name({"spec", "priorityClassName"}, name, "priorityClassNames",
                              "priorityClassName", &PolicyRules::priority_class_names);
      case SortOfName::node: break;
    }
    add({"spec", "nodeName"}, name, Ruling::permitted, entries_of({"allowed", "schedulerNames"}));
  }

  void permitted(const std::string& key, const std::string& value) {
    if (spec().required.node_selectors.listed().contains(key)) return;  // met before
    const FieldPath list = FieldPath{"allowed", "nodeSelectors"}.key(key);
    std::vector<PolicyEntry> by;
    if (spec().allowed.node_selectors.is_any()) {
      by = entries_of({"allowed", "nodeSelectors"});
    } else if (const auto of_key = spec().allowed.node_selectors.listed().find(key);
               of_key != spec().allowed.node_selectors.listed().end()) {
      by = listing(list, of_key->second, value,
                   [&](const SchedulingPolicySpec& own) -> const Texts* {
                     const auto& keys = own.allowed.node_selectors.listed();
                     const auto found = keys.find(key);
                     return found == keys.end() ? nullptr : &found->second.listed();
                   });
    }
    add_permitted(FieldPath{"spec", "nodeSelector"}.key(key), value, std::move(by),
                  FieldPath{"default", "nodeSelector"}.key(key));
  }

  void permitted(const Toleration& toleration, std::size_t index) {
    if (!tolerations_) {
      tolerations_.emplace();
      const FieldPath required{"required", "tolerations"};
      const auto& of_required = spec().required.tolerations.listed();
      for (std::size_t i = 0; i < of_required.size(); ++i)
        add_toleration_entry({required.index(i), Pattern(of_required[i]), i}, of_required[i].keys);
      const FieldPath allowed{"allowed", "tolerations"};
      const auto& of_allowed = spec().allowed.tolerations.listed();
      for (std::size_t i = 0; i < of_allowed.size(); ++i)
        add_toleration_entry({allowed.index(i), Pattern(of_allowed[i]), {}}, of_allowed[i].keys);
    }
    std::vector<PolicyEntry> by;
    if (spec().allowed.tolerations.is_any()) by = entries_of({"allowed", "tolerations"});
    const std::span<const TaintEffect> effects = effects_of(toleration);
    for (const std::size_t i : about(toleration.key)) {
      const auto& [entry, pattern, required] = (*tolerations_)[i];
      if (by.size() == max_shown_names) break;
      if (std::none_of(effects.begin(), effects.end(),
                       [&](TaintEffect effect) { return pattern.matches(toleration, effect); }))
        continue;
      append(by, required ? entries_of(entry)
                          : own_entries(entry, spec().allowed.tolerations.listed(),
                                        [](const SchedulingPolicySpec& own) {
                                          return &own.allowed.tolerations.listed();
                                        }));
    }
    const bool by_pattern = !by.empty();
    if (spec().defaults.tolerations) {
      const auto& given = *spec().defaults.tolerations;
      for (std::size_t i = 0; i < given.size(); ++i)
        if (gives(given[i], toleration))
          append(by, entries_of(FieldPath{"default", "tolerations"}.index(i)));
    }
    add(FieldPath{"spec", "tolerations"}.index(index), schedpol::to_string(toleration),
        by_pattern ? Ruling::permitted : Ruling::permitted_by_default, std::move(by));
  }

  /// What follows stands in this mode.
  template <class Kind, class Rule>
  void look_at_mode(const AffinityKind<Kind, Rule>& kind, std::string_view mode) {
    parts_.clear();
    any_.clear();
    given_entry_ = FieldPath{"default", "affinity", kind.field}.child(mode);
    look_at_section({"required", "affinities"}, spec().required.affinities, kind, mode);
    look_at_section({"allowed", "affinities"}, spec().allowed.affinities, kind, mode);
  }

  /// A whole mode: what it may hold is any, or it is what the default gives.
  template <class Terms>
  void permitted(const Terms& terms, const Place& place)
    requires requires { terms.required; }
  {
    std::vector<PolicyEntry> by = any_;
    const bool is_any = !by.empty();
    if (!is_any) by = entries_of(given_entry_);
    add(place.path(), to_string(terms), is_any ? Ruling::permitted : Ruling::permitted_by_default,
        std::move(by));
  }
  void permitted(const NodeSelectorRequirement& expression, const Place& place) {
    const bool is_field = is_in_match_fields(place);
    permitted_part(place, schedpol::to_string(expression), [&](const Part& part) {
      return part.is_field == is_field && (!part.pattern || part.pattern->matches(expression));
    });
  }
  void permitted(const std::string& topology_key, const Place& place) {
    permitted_part(place, topology_key, [&](const Part& part) {
      return part.topology_key != nullptr && *part.topology_key == topology_key;
    });
  }

  [[nodiscard]] Explanation take() && {
    take_violations(Ruling::not_permitted, {});
    std::stable_sort(items_.begin(), items_.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    add_lost(items_, pod_.kind, effective_);
    return {violations_.empty(), std::move(items_)};
  }

 private:
  using Entries = std::vector<PolicyEntry>;

  /// A pattern of tolerations; `required` is its index in that section.
  struct TolerationEntry {
    FieldPath entry;
    Pattern pattern;
    std::optional<std::size_t> required;
  };

  /// What an entry of a mode permits.
  struct Part {
    Entries entries;
    bool is_field = false;
    std::optional<Pattern> pattern{};  ///< none: any expression
    const std::string* topology_key = nullptr;
  };

  static FieldPath path_of(const Place& place) { return place.path(); }
  static const FieldPath& path_of(const FieldPath& path) noexcept { return path; }

  static bool is_in_match_fields(const Place& expression) {
    return expression.parent() != nullptr && expression.parent()->step().name == "matchFields";
  }

  static void append(Entries& entries, Entries more) {
    for (PolicyEntry& entry : more)
      if (entries.size() < max_shown_names) entries.push_back(std::move(entry));
  }

  /// The policies behind an entry that stands at the same place in each of them.
  [[nodiscard]] Entries entries_of(const FieldPath& entry) const {
    Entries entries;
    for (const std::string& policy : effective_.sources_of(entry))
      if (entries.size() < max_shown_names) entries.push_back({policy, entry, ""});
    return entries;
  }

  /// The policies behind an entry of a list that the merge has joined, each with the place where
  /// it has it. `list_of` gives the list of one policy, or null.
  template <class List, class ListOf>
  [[nodiscard]] Entries own_entries(const FieldPath& entry, const List& merged,
                                    ListOf&& list_of) const {
    Entries entries = entries_of(entry);
    const std::vector<FieldPath::Step> steps = entry.steps();
    const auto& item = merged[steps.back().index];
    for (PolicyEntry& each : entries) {
      const SchedulingPolicySpec* own = own_spec(effective_, each.policy);
      const auto* list = own == nullptr ? nullptr : list_of(*own);
      if (list == nullptr) continue;
      const auto found = std::find(list->begin(), list->end(), item);
      if (found == list->end()) continue;
      each.entry = entry.parent().index(static_cast<std::size_t>(found - list->begin()));
    }
    return entries;
  }

  /// The entries of a list of texts that say any, or list this text.
  template <class ListOf>
  [[nodiscard]] Entries listing(const FieldPath& path, const AnyOr<Texts>& texts,
                                std::string_view text, ListOf&& list_of) const {
    if (texts.is_any()) return entries_of(path);
    const auto found = std::find(texts.listed().begin(), texts.listed().end(), text);
    if (found == texts.listed().end()) return {};
    const auto index = static_cast<std::size_t>(found - texts.listed().begin());
    return own_entries(path.index(index), texts.listed(), list_of);
  }

  void permitted_name(const FieldPath& field, std::string_view name, std::string_view list,
                      std::string_view given, AnyOr<Texts> PolicyRules::*member) {
    if (!(spec().required.*member).is_absent())
      return add(field, name, Ruling::required, entries_of({"required", list}));
    add_permitted(
        field, name,
        listing({"allowed", list}, spec().allowed.*member, name,
                [&](const SchedulingPolicySpec& own) { return &(own.allowed.*member).listed(); }),
        {"default", given});
  }

  void add_permitted(const FieldPath& field, std::string_view value, Entries by,
                     const FieldPath& given) {
    const Ruling ruling = by.empty() ? Ruling::permitted_by_default : Ruling::permitted;
    if (by.empty()) by = entries_of(given);
    add(field, value, ruling, std::move(by));
  }

  template <class Predicate>
  void permitted_part(const Place& place, std::string_view value, Predicate&& permits) {
    Entries by = any_;
    for (const Part& part : parts_)
      if (by.size() < max_shown_names && permits(part)) append(by, part.entries);
    add(place.path(), value, Ruling::permitted, std::move(by));
  }

  void add_toleration_entry(TolerationEntry entry, const AnyOr<Texts>& keys) {
    const std::size_t index = tolerations_->size();
    tolerations_->push_back(std::move(entry));
    if (keys.is_any()) of_any_key_.push_back(index);
    for (const std::string& key : keys.listed()) of_key_[key].push_back(index);
  }
  /// The entries that are about a key, in their order.
  [[nodiscard]] std::vector<std::size_t> about(std::string_view key) const {
    std::vector<std::size_t> all = of_any_key_;
    if (const auto found = of_key_.find(key); found != of_key_.end())
      all.insert(all.end(), found->second.begin(), found->second.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  static bool gives(const DefaultToleration& given, const Toleration& toleration) {
    const DefaultTolerations one(std::vector<DefaultToleration>{given});
    const std::span<const TaintEffect> effects = effects_of(toleration);
    return one.contain(toleration, toleration.effect.word()) ||
           std::any_of(effects.begin(), effects.end(),
                       [&](TaintEffect effect) { return one.contain(toleration, effect); });
  }

  template <class Kind, class Rule>
  void look_at_section(const FieldPath& path, const AnyOr<AffinityRules>& section,
                       const AffinityKind<Kind, Rule>& kind, std::string_view mode) {
    const FieldPath of_kind = path.child(kind.rules_field);
    const FieldPath of_mode = of_kind.child(mode);
    if (section.is_any()) return append(any_, entries_of(path));
    const AnyOr<AffinityModes<Rule>>& modes = section.listed().*kind.rules;
    if (modes.is_any()) return append(any_, entries_of(of_kind));
    for_each_mode<AffinityModes<Rule>>([&](std::string_view name, auto member) {
      if (name != mode) return;
      const AnyOr<Rule>& rule = modes.listed().*member;
      if (rule.is_any()) return append(any_, entries_of(of_mode));
      add_parts(of_mode, rule.listed(), [&kind, member, &path](const SchedulingPolicySpec& own) {
        const bool required = path == FieldPath{"required", "affinities"};
        const AnyOr<AffinityRules>& rules =
            required ? own.required.affinities : own.allowed.affinities;
        return &((rules.listed().*kind.rules).listed().*member).listed();
      });
    });
  }
  template <class RuleOf>
  void add_parts(const FieldPath& mode, const NodeAffinityRule& rule, RuleOf&& rule_of) {
    const FieldPath terms = mode.child("nodeSelectorTerms");
    for (std::size_t i = 0; i < rule.node_selector_terms.size(); ++i) {
      const Entries entries = own_entries(
          terms.index(i), rule.node_selector_terms,
          [&](const SchedulingPolicySpec& own) { return &rule_of(own)->node_selector_terms; });
      const auto& [expressions, fields] = rule.node_selector_terms[i];
      add_parts(entries, "matchExpressions", expressions, false);
      add_parts(entries, "matchFields", fields, true);
    }
  }
  void add_parts(const Entries& of_term, std::string_view name,
                 const AnyOr<std::vector<RequirementPattern>>& list, bool is_field) {
    const auto below = [&](std::optional<std::size_t> index) {
      Entries entries = of_term;
      for (PolicyEntry& each : entries) {
        each.entry = each.entry.child(name);
        if (index) each.entry = each.entry.index(*index);
      }
      return entries;
    };
    if (list.is_any()) parts_.push_back({below({}), is_field});
    for (std::size_t i = 0; i < list.listed().size(); ++i)
      parts_.push_back({below(i), is_field, Pattern(list.listed()[i])});
  }
  template <class RuleOf>
  void add_parts(const FieldPath& mode, const PodAffinityRule& rule, RuleOf&& rule_of) {
    const FieldPath keys = mode.child("topologyKeys");
    for (std::size_t i = 0; i < rule.topology_keys.size(); ++i) {
      Entries entries = own_entries(
          keys.index(i), rule.topology_keys,
          [&](const SchedulingPolicySpec& own) { return &rule_of(own)->topology_keys; });
      parts_.push_back({std::move(entries), false, std::nullopt, &rule.topology_keys[i]});
    }
  }

  /// The defaults behind a change.
  [[nodiscard]] Entries entries_of(const Change& change) const {
    Entries entries;
    for (const FieldPath& entry : default_entries(change, pod_, spec().defaults))
      append(entries, entries_of(entry));
    return entries;
  }

  /// `field` is a place in the pod. What was given is not shown again.
  void add(const FieldPath& field, std::string_view value, Ruling ruling, Entries by) {
    take_violations(Ruling::not_permitted, {});
    const FieldPath path = template_path(pod_.kind).join(field);
    if (ruling != Ruling::required && is_given(path)) return;
    items_.push_back({path, std::string(value), ruling, std::move(by), {}});
  }
  [[nodiscard]] bool is_given(const FieldPath& field) const {
    return given_.contains(field) ||
           (!given_.empty() && !field.empty() && is_given(field.parent()));
  }

  /// The violations found since, as items.
  void take_violations(Ruling ruling, const Entries& by) {
    for (; taken_ < violations_.size(); ++taken_)
      items_.push_back({violations_[taken_].field, violations_[taken_].value, ruling, by, {}});
  }

  /// The order of `check`.
  [[nodiscard]] int rank(const ExplainedItem& item) const {
    const std::vector<FieldPath::Step> steps = item.field.steps();
    const std::size_t at = template_steps(pod_.kind).size() + 1;
    const std::string_view field = at < steps.size() ? steps[at].name : std::string_view();
    if (field == "nodeName") return 1;
    if (field == "priorityClassName" || field == "priority" || field == "preemptionPolicy")
      return 2;
    if (field == "nodeSelector") return 3;
    if (field == "tolerations") return 4;
    return field == "affinity" ? 5 : 0;
  }

  const Pod& pod_;
  const EffectivePolicy& effective_;
  std::vector<Violation> violations_;
  std::size_t taken_ = 0;
  std::vector<ExplainedItem> items_;
  std::set<FieldPath> given_;
  std::optional<std::vector<TolerationEntry>> tolerations_;
  std::vector<std::size_t> of_any_key_;
  std::map<std::string_view, std::vector<std::size_t>> of_key_;
  std::vector<Part> parts_;  ///< of the mode that is looked at
  Entries any_;              ///< those that permit all of it
  FieldPath given_entry_;
};

}  // namespace schedpol::scheduling_policy::detail
