// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The search for the fewest edits after which a pod is allowed.

#include <schedpol/insight/impl/fix_affinity.hpp>
#include <schedpol/insight/impl/fix_tolerations.hpp>
#include <schedpol/insight/nearest_fix.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Fixes one component after the other, each in the policy reduced to it.
class PodFixer {
 public:
  PodFixer(const Pod& pod, const EffectivePolicy& effective, const Options& options, Budget& budget)
      : side_{effective, &options}, pod_(pod), fix_{pod, {}}, budget_(budget) {}

  /// Nothing where there is no fix, or once the budget is used up.
  std::optional<Fix> run() {
    if (!EffectivePolicyAccess::of(side_.policy).decides || pod_.spec.moved_from ||
        !budget_.spend(8 *
                       (entries_of(side_.spec().required) + entries_of(side_.spec().allowed))) ||
        !budget_.spend(CheckSteps(side_).of(pod_.spec)))
      return std::nullopt;
    DenyingRows rows;
    side_.run_on(pod_.spec, rows);
    for_each_row([&](const auto& row) {
      if (rows.contain(row)) fix(row);
    });
    if (!fixed_ || budget_.used_up() || !side_.allows(fix_.pod.spec)) return std::nullopt;
    return std::move(fix_);
  }

 private:
  PodSpec& spec() { return fix_.pod.spec; }

  /// The policy reduced to one component, which is compiled for it.
  template <class Pick>
  [[nodiscard]] Side reduced(Pick&& pick) {
    Side side = side_.reduced(pick);
    budget_.spend(100 + 16 * entries_of(side.spec()));
    return side;
  }

  void note(const FieldPath& field, std::optional<std::string> from,
            std::optional<std::string> to) {
    if (!budget_.spend(20) || !budget_.keep(2 * sizeof(Change))) return;
    fix_.changes.push_back(
        {template_path(pod_.kind).join(field), std::move(from), std::move(to), ""});
  }
  static std::optional<std::string> if_not_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }

  /// The first of some texts with which the pod is allowed, where it is not as it stands.
  template <class Try>
  std::optional<std::string> first_allowed(const std::vector<std::string>& texts, Try&& allows) {
    for (const std::string& text : texts)
      if (budget_.spend(40) && allows(text)) return text;
    fixed_ = false;
    return std::nullopt;
  }
  /// None first, which becomes what is given, then what is required and allowed.
  [[nodiscard]] std::vector<std::string> candidates(const NameField& row) const {
    std::vector<std::string> all = {""};
    for (const PolicySection* section : {&side_.spec().required, &side_.spec().allowed})
      schedpol::detail::append(all, (section->*row.rules).listed());
    side_.exempt().for_each_name(row.traits.exempt,
                                 [&](const std::string& each) { all.push_back(each); });
    return all;
  }

  void fix(const NameField& row) {
    const std::vector<std::string> names = candidates(row);
    const Side side = reduced(pick(row));
    const auto other = first_allowed(names, [&](const std::string& name) {
      PodSpec with;
      with.*row.in_pod = name;
      return side.allows(with);
    });
    if (!other) return;
    std::string& name = spec().*row.in_pod;
    note({"spec", row.field}, if_not_empty(name), if_not_empty(*other));
    name = *other;
    for (const DerivedField& derived : row.traits.derived) {
      std::optional<std::string> there = derived.text(spec());
      if (!there) continue;
      note({"spec", derived.field}, std::move(there), std::nullopt);
      derived.clear(spec());
    }
  }

  void fix(const NodeNameField& row) {
    note({"spec", row.field}, std::exchange(spec().*row.in_pod, ""), std::nullopt);
  }

  void fix(const NodeSelectorField& row) {
    const Labels& has = pod_.spec.*row.in_pod;
    // A pair that contradicts the affinity of the pod, or what is exempt, is not given.
    Pod without = pod_;
    (without.spec.*row.in_pod).clear();
    const std::optional<Labels> given =
        apply_defaults(std::move(without), side_.policy, *side_.options).pod.spec.*row.in_pod;
    const NodeSelectors& required = (side_.spec().required.*row.rules).listed();
    std::set<std::string, std::less<>> keys;
    for (const auto& [key, value] : has) keys.insert(key);
    for (const auto& [key, values] : required) keys.insert(key);
    // Required keys first, as `check` looks at them.
    for (const bool first : {true, false})
      for (const std::string& key : keys)
        if (required.contains(key) == first) fix_key(row, key, given);
  }
  void fix_key(const NodeSelectorField& row, const std::string& key,
               const std::optional<Labels>& given) {
    if (!budget_.spend(30)) return;
    const std::string* has = find_label(pod_.spec.*row.in_pod, key);
    const auto with = [&](const std::string* value) {
      return allows_value(side_, row, key, value, given);
    };
    if (with(has)) return;
    const FieldPath field = FieldPath{"spec", row.field}.key(key);
    const auto from = has == nullptr ? std::nullopt : std::optional(*has);
    if (with(nullptr)) {
      (spec().*row.in_pod).erase(key);
      return note(field, from, std::nullopt);
    }
    std::vector<std::string> values;
    const NodeSelectors& required = (side_.spec().required.*row.rules).listed();
    if (const auto found = required.find(key); found != required.end())
      values.assign(found->second.listed().begin(), found->second.listed().end());
    values.emplace_back();  // where any will do
    const auto to = first_allowed(values, [&](const std::string& value) { return with(&value); });
    if (!to) return;
    (spec().*row.in_pod)[key] = *to;
    note(field, from, to);
  }

  void fix(const TolerationsField& row) {
    const Side side = reduced(pick(row));
    std::vector<Toleration>& tolerations = spec().*row.in_pod;
    auto fixed = TolerationsFix(side, tolerations, budget_).run();
    if (!fixed) {
      fixed_ = false;
      return;
    }
    const FieldPath field{"spec", row.field};
    for (const auto& [at, from, to] : edits_between(tolerations, *fixed, budget_))
      note(field.index(at), from ? std::optional(schedpol::to_string(*from)) : std::nullopt,
           to ? std::optional(schedpol::to_string(*to)) : std::nullopt);
    tolerations = *std::move(fixed);
  }

  /// Without what is not permitted, or with what `other(item)` makes of it.
  template <class Item, class Other, class TextOf>
  void fix_items(std::string_view field, std::vector<Item> PodSpec::*in_pod, Other&& other,
                 TextOf&& text_of) {
    std::vector<Item> kept;
    for (std::size_t i = 0; i < (pod_.spec.*in_pod).size() && budget_.spend(40); ++i) {
      const Item& item = (pod_.spec.*in_pod)[i];
      std::optional<Item> now = other(item);
      if (now != item)
        note(FieldPath{"spec", field}.index(i), text_of(item),
             now ? std::optional(text_of(*now)) : std::nullopt);
      if (now) kept.push_back(*std::move(now));
    }
    spec().*in_pod = std::move(kept);
  }
  /// A constraint that is permitted with the other word gets that.
  void fix(const SpreadConstraintsField& row) {
    using Constraint = TopologySpreadConstraint;
    const auto& check = EffectivePolicyAccess::of(side_.policy).checks.of(row);
    fix_items(
        row.field, row.in_pod,
        [&](const Constraint& constraint) -> std::optional<Constraint> {
          if (check.permits(constraint)) return constraint;
          for (const WhenUnsatisfiable word :
               {WhenUnsatisfiable::schedule_anyway, WhenUnsatisfiable::do_not_schedule}) {
            Constraint other = constraint;
            other.when_unsatisfiable = word;
            if (check.permits(other)) return other;
          }
          return std::nullopt;
        },
        [](const Constraint& constraint) { return schedpol::to_string(constraint); });
  }
  template <class Item>
  void fix(const AllowedNamesField<Item>& row) {
    const auto& check = EffectivePolicyAccess::of(side_.policy).checks.of(row);
    fix_items(
        row.field, row.in_pod,
        [&](const Item& item) { return check.permits(item) ? std::optional(item) : std::nullopt; },
        [](const Item& item) {
          std::string text;
          for_each_allowed_name(item, [&](std::string_view, const std::string& name) {
            text.append(text.empty() ? "" : ", ").append(name);
          });
          return text;
        });
  }

  void fix(const AffinityField&) {
    for_each_kind([&](const auto& kind) { fix(kind); });
  }
  template <class Kind, class Rule>
  void fix(const AffinityKind<Kind, Rule>& kind) {
    const Side side = reduced(pick_kind(kind));
    const CheckSteps steps(side);
    // What stands beside it decides which defaults contradict, and what they meet.
    const Side beside = reduced(pick_kind_beside_others(kind));
    const auto is_allowed = [&](const PodSpec& with) {
      PodSpec all;
      all.node_selector = spec().node_selector;
      all.affinity = spec().affinity;
      if (all.affinity) (*all.affinity).*kind.member = std::nullopt;
      if (with.affinity) {
        if (!all.affinity) all.affinity.emplace();
        (*all.affinity).*kind.member = (*with.affinity).*kind.member;
      }
      return budget_.spend(steps.of(all)) && beside.allows(all);
    };
    const bool has = spec().affinity && (*spec().affinity).*kind.member;
    const Kind old = has ? *((*spec().affinity).*kind.member) : Kind{};
    if (is_allowed(spec_with(kind.member, old, old))) return;
    const auto old_terms = terms_of(old);
    FixedAffinity lists(side, spec(), budget_);
    const std::vector<Kind> required =
        distinct(lists.of_mode(kind, old, true),
                 [](const Kind& each) -> const auto& { return terms_of(each).required; });
    const std::vector<Kind> preferred =
        distinct(lists.of_mode(kind, old, false),
                 [](const Kind& each) -> const auto& { return terms_of(each).preferred; });
    std::optional<PodSpec> best;
    std::size_t fewest = 0;
    const auto take_if_nearer = [&](const Kind& with_required) {
      for (const Kind& with_preferred : preferred) {
        PodSpec with = spec_with(kind.member, with_required, with_preferred);
        const auto terms = terms_of(with.affinity, kind.member);
        const std::size_t edits =
            edits_between(old_terms.required, terms.required, budget_).size() +
            edits_between(old_terms.preferred, terms.preferred, budget_).size();
        if ((best && edits >= fewest) || !is_allowed(with)) continue;
        best = std::move(with);
        fewest = edits;
      }
    };
    for (const Kind& with_required : required) take_if_nearer(with_required);
    if constexpr (std::is_same_v<Kind, NodeAffinity>)
      if (!best ||
          edits_between(old_terms.required, terms_of(best->affinity, kind.member).required, budget_)
                  .size() > 1)
        lists.for_each_single_edit(old, take_if_nearer);
    if (!best) {
      fixed_ = false;
      return;
    }
    const FieldPath field{"spec", affinity_field.field, kind.field};
    const auto terms = terms_of(best->affinity, kind.member);
    note_terms(field.child(required_mode), old_terms.required, terms.required);
    note_terms(field.child(preferred_mode), old_terms.preferred, terms.preferred);
    if (!spec().affinity) spec().affinity.emplace();
    (*spec().affinity).*kind.member =
        best->affinity ? (*best->affinity).*kind.member : std::nullopt;
    if (*spec().affinity == Affinity{}) spec().affinity.reset();
  }

  /// Of those that are alike in one mode the first: each is put beside all of the other mode.
  template <class Kind, class TermsOfMode>
  std::vector<Kind> distinct(std::vector<Kind> kinds, TermsOfMode&& terms) {
    std::vector<Kind> distinct;
    for (Kind& kind : kinds) {
      const bool is_there = !budget_.spend(4 * distinct.size() * (1 + terms(kind).size())) ||
                            schedpol::detail::any_of(distinct, [&](const Kind& other) {
                              return terms(other) == terms(kind);
                            });
      if (!is_there) distinct.push_back(std::move(kind));
    }
    return distinct;
  }

  template <class Term>
  void note_terms(const FieldPath& mode, const std::vector<Term>& from,
                  const std::vector<Term>& to) {
    const bool in_selector = std::is_same_v<Term, NodeSelectorTerm>;
    const FieldPath list = in_selector ? mode.child("nodeSelectorTerms") : mode;
    const auto text = [](const std::optional<Term>& term) {
      return term ? std::optional(schedpol::to_string(part_of(*term))) : std::nullopt;
    };
    for (const auto& [at, old, now] : edits_between(from, to, budget_))
      note(list.index(at), text(old), text(now));
  }

  Side side_;
  const Pod& pod_;
  Fix fix_;
  Budget& budget_;
  bool fixed_ = true;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
