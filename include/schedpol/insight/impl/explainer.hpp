// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes down all that `check` tells of a pod, with the entries behind it.

#include <schedpol/insight/explain.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>
#include <schedpol/scheduling_policy/impl/violation_list.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The entries of the default that gave a pod terms of one kind of affinity, one for each mode. The
/// pod has them by now. `injected` ends the path of the change: it is the kind, where the pod had nothing
/// of it and got both modes, or else a mode.
inline std::vector<FieldPath> default_affinity_entries(const FieldPath& field, const Pod& pod,
                                                       std::string_view kind,
                                                       std::string_view injected) {
  std::vector<FieldPath> entries;
  for_each_kind([&](const auto& each) {
    if (each.field != kind) return;
    const auto terms = terms_of(pod.spec.affinity, each.member);
    const auto add = [&](bool is_there, std::string_view mode) {
      if (is_there && (injected == kind || injected == mode))
        entries.push_back(field.child(kind).child(mode));
    };
    add(!terms.required.empty(), required_mode);
    add(!terms.preferred.empty(), preferred_mode);
  });
  return entries;
}

/// The numbers of the defaults that give a toleration as it stands, or as one of these effects.
inline std::vector<std::size_t> defaults_giving(const std::vector<DefaultToleration>& defaults,
                                                const Toleration& toleration,
                                                std::span<const TaintEffect> effects) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < defaults.size(); ++i) {
    const DefaultTolerations one(std::vector<DefaultToleration>{defaults[i]});
    if (one.contain(toleration) || schedpol::detail::any_of(effects, [&](TaintEffect effect) {
          return one.contain(toleration, effect);
        }))
      numbers.push_back(i);
  }
  return numbers;
}

/// The entries of a default that gave something to a pod, which has it by now. `field` is the
/// default's, `steps` lead to the change from its place in the pod.
using ChangeSteps = std::span<const FieldPath::Step>;
inline std::vector<FieldPath> giving_entries(const NameField&, const FieldPath& field, ChangeSteps,
                                             const Pod&, const Defaults&) {
  return {field};
}
inline std::vector<FieldPath> giving_entries(const NodeSelectorField&, const FieldPath& field,
                                             ChangeSteps steps, const Pod&, const Defaults&) {
  return {field.key(steps.front().name)};
}
inline std::vector<FieldPath> giving_entries(const TolerationsField& row, const FieldPath& field,
                                             ChangeSteps steps, const Pod& pod,
                                             const Defaults& defaults) {
  const Toleration& toleration = (pod.spec.*row.in_pod)[steps.front().index];
  const auto giving = defaults_giving(*(defaults.*row.member), toleration, {});
  if (giving.empty()) return {};
  return {field.index(giving.front())};
}
inline std::vector<FieldPath> giving_entries(const AffinityField&, const FieldPath& field,
                                             ChangeSteps steps, const Pod& pod, const Defaults&) {
  return default_affinity_entries(field, pod, steps.front().name, steps.back().name);
}

/// Whether what stands in this field of a pod goes with a row: it is its field, or derived from it.
inline bool goes_with(const auto& row, std::string_view field) {
  if constexpr (requires { row.traits.derived; })
    for (const DerivedField& derived : row.traits.derived)
      if (derived.field == field) return true;
  return row.field == field;
}

class Explainer final : public CheckListener {
 public:
  Explainer(const Pod& pod, const EffectivePolicy& effective)
      : CheckListener(Wants::everything), pod_(pod), effective_(effective) {}

  /// What is given to the pod, of which only what is not permitted is looked at again.
  void defaulted(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      defaulted_.insert(change.field);
      const std::vector<FieldPath::Step> steps = change.field.steps();
      const std::size_t at = template_steps(pod_.kind).size() + 1;
      for_each_pod_field([&](const auto& row) {
        if (!goes_with(row, steps[at].name)) return;
        const FieldPath field{default_section.name, row.field};
        Entries by;
        for (const FieldPath& entry :
             giving_entries(row, field, ChangeSteps(steps).subspan(at + 1), pod_, spec().defaults))
          append(by, entries_of(entry));
        keep(row.codes,
             {change.field, change.to.value_or(""), Ruling::defaulted, std::move(by), {}});
      });
    }
  }

  void on_event(const CheckEvent& event) override {
    switch (event.verdict) {
      case Verdict::permitted: return permitted(event);
      case Verdict::exempt:
        if (!is_required_key(event)) add(event, Ruling::exempt, {});
        return;
      case Verdict::ungoverned: return add(event, Ruling::ungoverned, {});
      case Verdict::requirement_met:
        return add(event, Ruling::required, entries_of(event.entry->path()));
      case Verdict::not_permitted: return add(event, Ruling::not_permitted, {});
      case Verdict::requirement_missing:
        return add(event, Ruling::requirement_missing, entries_of(event.entry->path()));
    }
  }

  [[nodiscard]] Explanation take() && {
    std::vector<ExplainedItem> items;
    for (auto& [row, item] : items_) items.push_back(std::move(item));
    return {allowed_, std::move(items)};
  }

 private:
  using Entries = std::vector<PolicyEntry>;

  /// Of a pair of the node selector, whether it was looked at before as what is required.
  [[nodiscard]] bool is_required_key(const CheckEvent& event) const {
    const std::string* key = event.item.pair.key;
    return key != nullptr && spec().required.node_selectors.listed().contains(*key);
  }

  void permitted(const CheckEvent& event) {
    with_row(event.codes, [&](const auto& row) { permitted(row, event); });
  }
  void permitted(const NodeNameField& row, const CheckEvent& event) {
    add(event, Ruling::permitted, entries_of({allowed_section.name, row.scheduler.rules_field}));
  }
  void permitted(const AffinityField& row, const CheckEvent& event) {
    look_at_mode(event);
    const CheckedExpression& expression = event.item.expression;
    const bool is_expression = expression.requirement != nullptr;
    // Of a whole mode what it may hold is any, or it is what the default gives.
    if (!is_expression && !event.item.is_text)
      return add_permitted(event, any_, {default_section.name, row.field, event.kind, event.mode});
    Entries by = any_;
    for (const ModeEntry& entry : mode_entries_)
      if (by.size() < max_shown_names &&
          (is_expression ? entry.permits(expression) : entry.topology_key == event.item.text))
        append(by, entry.entries);
    add(event, Ruling::permitted, std::move(by));
  }

  /// What an entry of a mode permits.
  struct ModeEntry {
    Entries entries;
    bool is_field = false;
    std::optional<Pattern> pattern{};  ///< none: any expression
    std::optional<std::string_view> topology_key{};

    [[nodiscard]] bool permits(const CheckedExpression& expression) const {
      return is_field == expression.is_field &&
             (!pattern || pattern->matches(*expression.requirement));
    }
  };

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

  /// Gives what a policy lists in a field of `allowed`.
  static auto list_in_allowed(const auto& row) {
    return [&row](const SchedulingPolicySpec& own) { return &(own.allowed.*row.rules).listed(); };
  }

  void permitted(const NameField& row, const CheckEvent& event) {
    add_permitted(event,
                  listing({allowed_section.name, row.rules_field}, spec().allowed.*row.rules,
                          event.item.text, list_in_allowed(row)),
                  {default_section.name, row.field});
  }

  void permitted(const NodeSelectorField& row, const CheckEvent& event) {
    if (is_required_key(event)) return;
    const auto& [key, value] = event.item.pair;
    const AnyOr<NodeSelectors>& allowed = spec().allowed.*row.rules;
    const auto values_of = [&, key = key](const SchedulingPolicySpec& own) -> const Texts* {
      const auto& keys = (own.allowed.*row.rules).listed();
      const auto found = keys.find(*key);
      return found == keys.end() ? nullptr : &found->second.listed();
    };
    const FieldPath field{allowed_section.name, row.rules_field};
    Entries by;
    if (allowed.is_any()) {
      by = entries_of(field);
    } else if (const auto found = allowed.listed().find(*key); found != allowed.listed().end()) {
      by = listing(field.key(*key), found->second, *value, values_of);
    }
    add_permitted(event, std::move(by), FieldPath{default_section.name, row.field}.key(*key));
  }

  void permitted(const SpreadConstraintsField& row, const CheckEvent& event) {
    const AnyOr<std::vector<SpreadConstraintPattern>>& allowed = spec().allowed.*row.rules;
    const FieldPath field{allowed_section.name, row.rules_field};
    Entries by;
    if (allowed.is_any()) by = entries_of(field);
    for (std::size_t i = 0; i < allowed.listed().size() && by.size() < max_shown_names; ++i)
      if (matches(allowed.listed()[i], *event.item.spread_constraint))
        append(by, own_entries(field.index(i), allowed.listed(), list_in_allowed(row)));
    add(event, Ruling::permitted, std::move(by));
  }
  template <class Item>
  void permitted(const AllowedNamesField<Item>& row, const CheckEvent& event) {
    add(event, Ruling::permitted,
        listing({allowed_section.name, row.rules_field}, spec().allowed.*row.rules, event.item.text,
                list_in_allowed(row)),
        row.permits_only);
  }
  void permitted(const TolerationsField& row, const CheckEvent& event) {
    const Toleration& toleration = *event.item.toleration;
    Entries by = patterns_of(row, toleration);
    const Ruling ruling = by.empty() ? Ruling::permitted_by_default : Ruling::permitted;
    if (const auto& by_default = spec().defaults.*row.member) {
      for (const std::size_t i :
           defaults_giving(*by_default, toleration, tolerated_effects(toleration)))
        append(by, entries_of(FieldPath{default_section.name, row.field}.index(i)));
    }
    add(event, ruling, std::move(by));
  }

  /// The entries of `required` and `allowed` that match a toleration.
  [[nodiscard]] Entries patterns_of(const TolerationsField& row,
                                    const Toleration& toleration) const {
    const auto& required = (spec().required.*row.rules).listed();
    const auto& allowed = (spec().allowed.*row.rules).listed();
    const auto& rule = EffectivePolicyAccess::of(effective_).checks.of(row);
    const FieldPath in_required{required_section.name, row.rules_field};
    const FieldPath in_allowed{allowed_section.name, row.rules_field};
    std::vector<std::size_t> matching;
    for (const TaintEffect effect : tolerated_effects(toleration))
      rule.patterns().for_each_match(toleration, words_of(toleration, {&effect, 1}),
                                     [&](std::size_t i) { matching.push_back(i); });
    std::sort(matching.begin(), matching.end());
    matching.erase(std::unique(matching.begin(), matching.end()), matching.end());
    Entries by;
    if ((spec().allowed.*row.rules).is_any()) by = entries_of(in_allowed);
    for (const std::size_t i : matching) {
      if (by.size() == max_shown_names) break;
      if (i < required.size()) {
        append(by, entries_of(in_required.index(i)));
      } else if (!allowed.empty()) {
        append(by,
               own_entries(in_allowed.index(i - required.size()), allowed, list_in_allowed(row)));
      }
    }
    return by;
  }

  void add_permitted(const CheckEvent& event, Entries by, const FieldPath& by_default) {
    const Ruling ruling = by.empty() ? Ruling::permitted_by_default : Ruling::permitted;
    if (by.empty()) by = entries_of(by_default);
    add(event, ruling, std::move(by));
  }

  /// Reads the entries of a mode. All of a mode is looked at before the next one.
  void look_at_mode(const CheckEvent& event) {
    if (kind_ == event.kind && mode_ == event.mode) return;
    kind_ = event.kind;
    mode_ = event.mode;
    mode_entries_.clear();
    any_.clear();
    for_each_kind([&](const auto& kind) {
      if (kind.field != kind_) return;
      look_at_section(required_section, kind);
      look_at_section(allowed_section, kind);
    });
  }
  template <class Kind, class Rule>
  void look_at_section(const SpecField<SchedulingPolicySpec, PolicySection>& in,
                       const AffinityKind<Kind, Rule>& kind) {
    const auto section = in.member;
    const FieldPath path{in.name, affinity_field.rules_field};
    const FieldPath of_kind = path.child(kind.rules_field);
    const FieldPath of_mode = of_kind.child(mode_);
    const AnyOr<AffinityRules>& rules = (spec().*section).affinities;
    if (rules.is_any()) return append(any_, entries_of(path));
    const AnyOr<AffinityModes<Rule>>& modes = rules.listed().*kind.rules;
    if (modes.is_any()) return append(any_, entries_of(of_kind));
    const auto& [required, preferred] = modes.listed();
    if ((mode_ == required_mode ? required : preferred).is_any())
      return append(any_, entries_of(of_mode));
    add_parts(
        of_mode, listed_in(spec().*section, kind, mode_),
        [&](const SchedulingPolicySpec& own) { return &listed_in(own.*section, kind, mode_); });
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
    if (list.is_any()) mode_entries_.push_back({below({}), is_field});
    for (std::size_t i = 0; i < list.listed().size(); ++i)
      mode_entries_.push_back({below(i), is_field, Pattern(list.listed()[i])});
  }
  template <class RuleOf>
  void add_parts(const FieldPath& mode, const PodAffinityRule& rule, RuleOf&& rule_of) {
    const FieldPath keys = mode.child("topologyKeys");
    for (std::size_t i = 0; i < rule.topology_keys.size(); ++i) {
      Entries entries = own_entries(
          keys.index(i), rule.topology_keys,
          [&](const SchedulingPolicySpec& own) { return &rule_of(own)->topology_keys; });
      mode_entries_.push_back({std::move(entries), false, std::nullopt, rule.topology_keys[i]});
    }
  }

  /// What `defaulted` has shown is shown again only where it is denied or required.
  void add(const CheckEvent& event, Ruling ruling, Entries by, std::string_view permits_only = {}) {
    FieldPath path = event.field->path(template_path(pod_.kind));
    if (denies(ruling)) allowed_ = false;
    if (!denies(ruling) && ruling != Ruling::required && is_defaulted(path)) return;
    keep(event.codes,
         {std::move(path), text_of(event.item), ruling, std::move(by), {}, permits_only});
  }
  void keep(const DenialCodes& of_row, ExplainedItem item) {
    items_.emplace(number_of(of_row), std::move(item));
  }
  [[nodiscard]] bool is_defaulted(const FieldPath& field) const {
    return defaulted_.contains(field) ||
           (!defaulted_.empty() && !field.empty() && is_defaulted(field.parent()));
  }

  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept { return effective_.spec(); }

  const Pod& pod_;
  const EffectivePolicy& effective_;
  bool allowed_ = true;
  /// In the order of the rows, those of one as they came.
  std::multimap<std::size_t, ExplainedItem> items_;
  std::set<FieldPath> defaulted_;
  std::string_view kind_;  ///< of affinity, whose mode is looked at
  std::string_view mode_;
  std::vector<ModeEntry> mode_entries_;
  Entries any_;  ///< those that permit all of the mode
};

inline bool has_nothing(const std::optional<Affinity>& affinity) noexcept {
  return !affinity;
}
inline bool has_nothing(const auto& of_pod) noexcept {
  return of_pod.empty();
}
/// Whether a pod has anything of what is not governed. Most have nothing.
inline bool has_ungoverned(const PodSpec& spec, const Options& options) noexcept {
  return with_rows([&](const auto&... row) {
    return ((!options.governs.contain(row.component) && !has_nothing(spec.*row.in_pod)) || ...);
  });
}
inline std::vector<ExplainedItem> ungoverned_of(std::vector<ExplainedItem> items) {
  schedpol::detail::erase_if(
      items, [](const ExplainedItem& item) { return item.ruling != Ruling::ungoverned; });
  return items;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
