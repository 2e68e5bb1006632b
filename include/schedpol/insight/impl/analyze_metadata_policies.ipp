// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_metadata_policies.hpp>
#include <schedpol/insight/impl/analysis.hpp>
#include <schedpol/insight/impl/counterexample_search.hpp>
#include <schedpol/insight/impl/selection.hpp>
#include <schedpol/metadata_policy/validate.hpp>

#include <tuple>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

using schedpol::detail::Budget;
using schedpol::detail::Selection;

/// A rule, and whether it is asked about: of the others only matters what they do to one that is.
struct AnalyzedRule {
  const MetadataPolicy* policy;
  std::size_t index;
  bool is_asked_about = true;
  Selection selection{};  ///< once it was looked at

  [[nodiscard]] const PolicyPredicate& predicate() const noexcept {
    return policy->spec.rules[index].policy_predicate;
  }
  [[nodiscard]] const PolicyAction& action() const noexcept {
    return policy->spec.rules[index].policy_action;
  }
  [[nodiscard]] bool lists_updates() const noexcept {
    return !action().updated_labels.empty() || !action().updated_annotations.empty();
  }
  [[nodiscard]] FieldPath path() const { return FieldPath{"rules"}.index(index); }
};

inline std::size_t texts_of(const MetadataPolicy& policy) {
  std::size_t texts = 0;
  for (const auto& [predicate, action] : policy.spec.rules)
    texts += 1 + schedpol::detail::texts_of(predicate.label_selector) +
             schedpol::detail::texts_of(predicate.annotation_selector) +
             action.updated_labels.size() + action.updated_annotations.size();
  return texts;
}

/// What rules reject.
class Rejections {
 public:
  /// `rules`, which are in the order of their namespaces, outlive it.
  explicit Rejections(const std::vector<AnalyzedRule>& rules) {
    for (const AnalyzedRule& rule : rules)
      if (rule.action().reject) rules_[rule.policy->metadata.namespace_].push_back(&rule);
  }

  /// Metadata with these requirements that is not rejected; none where there is none, or where it
  /// takes more than is left. Only rules that rejected something on the way are looked at.
  std::optional<Labels> spared(const schedpol::detail::Conjunction& requirements,
                               Budget& budget) const {
    const schedpol::detail::Conjunction required = schedpol::detail::condensed(requirements);
    std::optional<Labels> labels = schedpol::detail::to_labels(required);
    std::vector<schedpol::detail::Conjunction> rejected;
    std::size_t steps = 0;
    while (labels) {
      const std::size_t known = rejected.size();
      for (const AnalyzedRule* rule : rejecting(*labels, budget)) {
        rejected.push_back(rule->selection.requirements());
        steps += rule->selection.steps();
      }
      if (rejected.size() == known) return labels;
      if (!budget.spend(steps)) return std::nullopt;
      const schedpol::detail::CounterexampleSearch escape(required, rejected, budget.steps_left());
      budget.spend(escape.steps());
      labels = escape.exists() ? std::optional(escape.labels()) : std::nullopt;
    }
    return labels;
  }

 private:
  [[nodiscard]] std::vector<const AnalyzedRule*> rejecting(const Labels& labels,
                                                           Budget& budget) const {
    std::vector<const AnalyzedRule*> rejecting;
    const auto here = rules_.find(schedpol::detail::SelectedObject(labels).namespace_.name);
    if (here == rules_.end()) return rejecting;
    for (const AnalyzedRule* rule : here->second) {
      const schedpol::detail::Conjunction& requirements = rule->selection.requirements();
      if (!budget.spend(4 * requirements.size())) break;
      if (hold(requirements, labels)) rejecting.push_back(rule);
    }
    return rejecting;
  }

  std::map<std::string_view, std::vector<const AnalyzedRule*>> rules_;  ///< of each namespace
};

/// What is odd about rules of MetadataPolicies, as `analyze_metadata_policies.hpp` says it.
class MetadataPolicyAnalysis final : public schedpol::detail::Analysis {
 public:
  /// Of policies that can be used.
  MetadataPolicyAnalysis(std::vector<AnalyzedRule> rules, Budget& budget)
      : Analysis(budget), rules_(std::move(rules)) {
    std::sort(rules_.begin(), rules_.end(), [](const AnalyzedRule& a, const AnalyzedRule& b) {
      const ObjectMeta& of_a = a.policy->metadata;
      const ObjectMeta& of_b = b.policy->metadata;
      return std::tie(of_a.namespace_, of_a.name, a.index) <
             std::tie(of_b.namespace_, of_b.name, b.index);
    });
  }

  std::vector<Finding> run() && {
    look_for(FindingCode::selects_nothing, [&] { look_at_predicates(); });
    look_for(FindingCode::updates_ignored, [&] { look_at_ignored(); });
    look_for(FindingCode::selected_label_overwritten, [&] { look_at_overwritten(); });
    const Rejections rejections(rules_);
    look_for(FindingCode::never_fires, [&] { look_at_rejected(rejections); });
    look_for(FindingCode::writes_differ, [&] {
      for (auto& [field, all] : writers()) look_at_writers(field.second, all, rejections);
    });
    return std::move(*this).take();
  }

 private:
  void find(FindingCode code, const AnalyzedRule& rule, FieldPath field, std::string detail = {}) {
    add({.code = code,
         .severity = Severity::warning,
         .policies = {schedpol::detail::qualified_name(rule.policy->metadata)},
         .field = std::move(field),
         .detail = std::move(detail)});
  }

  /// Leaves out the rules that select nothing.
  void look_at_predicates() {
    schedpol::detail::erase_if(rules_, [&](AnalyzedRule& rule) {
      const PolicyPredicate& predicate = rule.predicate();
      if (!Selection::can_afford(schedpol::detail::texts_of(predicate.label_selector) +
                                     schedpol::detail::texts_of(predicate.annotation_selector),
                                 budget_))
        return true;
      rule.selection.in_namespace(rule.policy->metadata.namespace_)
          .labels(predicate.label_selector.value_or(LabelSelector{}))
          .annotations(predicate.annotation_selector.value_or(LabelSelector{}));
      if (!rule.selection.selects_nothing(budget_)) return false;
      if (rule.is_asked_about)
        find(FindingCode::selects_nothing, rule, rule.path().child("policyPredicate"));
      return true;
    });
  }

  void look_at_ignored() {
    for (const AnalyzedRule& rule : rules_)
      if (rule.is_asked_about && rule.action().reject && rule.lists_updates())
        find(FindingCode::updates_ignored, rule, rule.path().child("policyAction"));
  }

  /// A label that may be missing is given a default, which is no harm.
  void look_at_overwritten() {
    for (const AnalyzedRule& rule : rules_) {
      const auto& selector = rule.predicate().label_selector;
      if (!rule.is_asked_about || rule.action().reject || !selector) continue;
      const schedpol::detail::Conjunction all = schedpol::detail::to_conjunction(*selector);
      for (const auto& [key, value] : rule.action().updated_labels) {
        if (!budget_.spend(all.size())) return;
        const auto some_fails = [&, &key = key](const std::string* text) {
          return schedpol::detail::any_of(all, [&](const schedpol::detail::Requirement& each) {
            return each.key == key && !each.holds(text);
          });
        };
        if (!some_fails(nullptr) || !some_fails(&value)) continue;
        find(FindingCode::selected_label_overwritten, rule,
             rule.path().child("policyAction").child("updatedLabels").key(key), value);
        break;
      }
    }
  }

  void look_at_rejected(const Rejections& rejections) {
    for (const AnalyzedRule& rule : rules_) {
      if (!rule.is_asked_about || rule.action().reject || !rule.lists_updates()) continue;
      if (rejections.spared(rule.selection.requirements(), budget_)) continue;
      if (budget_.used_up()) return;
      find(FindingCode::never_fires, rule, rule.path());
    }
  }

  using Writers = schedpol::detail::Writers;

  /// The rules that write each field of an object of a namespace. One that rejects writes nothing.
  [[nodiscard]] std::map<std::pair<std::string_view, FieldPath>, Writers> writers() const {
    std::map<std::pair<std::string_view, FieldPath>, Writers> all;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].action().reject) continue;
      const auto add = [&](std::string_view map, const Labels& updated) {
        for (const auto& [key, value] : updated) {
          budget_.spend(10);
          all[{rules_[i].policy->metadata.namespace_, FieldPath{"metadata", map}.key(key)}].add(
              value, i);
        }
      };
      add("labels", rules_[i].action().updated_labels);
      add("annotations", rules_[i].action().updated_annotations);
    }
    return all;
  }

  void look_at_writers(const FieldPath& field, Writers& writers, const Rejections& rejections) {
    if (!writers.differ()) return;
    const auto witness = [&](const auto& a, const auto& b) {
      return rejections.spared(both(*a.selection, *b.selection), budget_);
    };
    const auto found = [&](const auto& first, const auto& second, const Labels& labels) {
      schedpol::detail::SelectedObject selected(labels);
      const AnalyzedRule& a = rules_[first.number];
      const AnalyzedRule& b = rules_[second.number];
      Finding finding{.code = FindingCode::writes_differ,
                      .severity = Severity::warning,
                      .policies = {schedpol::detail::qualified_name(b.policy->metadata)},
                      .field = field};
      if (a.policy != b.policy)
        finding.policies = {schedpol::detail::qualified_name(a.policy->metadata),
                            schedpol::detail::qualified_name(b.policy->metadata)};
      finding.detail = written(a, writers.value_of(first.group)) + ", " +
                       written(b, writers.value_of(second.group));
      finding.witness.emplace().metadata = {.namespace_ = b.policy->metadata.namespace_,
                                            .labels = std::move(selected.labels),
                                            .annotations = std::move(selected.annotations)};
      add(std::move(finding));
    };
    schedpol::detail::OverlapSearch(budget_, witness, found)
        .run(writers.grouped([&](std::size_t i) {
          return schedpol::detail::Overlapping{.selection = &rules_[i].selection,
                                               .is_asked_about = rules_[i].is_asked_about};
        }));
  }
  static std::string written(const AnalyzedRule& rule, std::string_view value) {
    return to_string(rule.path()).append(" ").append(schedpol::detail::start_of(value));
  }

  std::vector<AnalyzedRule> rules_;  ///< in the order in which they apply
};

/// Whether a stored rule can matter to one that is written: rejects an object that it updates, or
/// writes a key that it writes.
inline bool is_neighbour(const AnalyzedRule& stored, const std::vector<AnalyzedRule>& written,
                         Budget& budget) {
  const auto writes_key_of = [&](const AnalyzedRule& each) {
    const auto is_written = [&](const auto& pair) {
      return each.action().updated_labels.contains(pair.first) ||
             each.action().updated_annotations.contains(pair.first);
    };
    budget.spend(
        2 * (stored.action().updated_labels.size() + stored.action().updated_annotations.size()));
    return schedpol::detail::any_of(stored.action().updated_labels, is_written) ||
           schedpol::detail::any_of(stored.action().updated_annotations, is_written);
  };
  return schedpol::detail::any_of(written, [&](const AnalyzedRule& each) {
    budget.spend(2);
    return !each.action().reject && each.lists_updates() &&
           (stored.action().reject || writes_key_of(each)) &&
           !name_different_values(stored.predicate().label_selector,
                                  each.predicate().label_selector, budget) &&
           !name_different_values(stored.predicate().annotation_selector,
                                  each.predicate().annotation_selector, budget);
  });
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const MetadataPolicy> policies) {
  std::vector<detail::AnalyzedRule> rules;
  for (const MetadataPolicy& policy : policies) {
    if (!validate(policy).empty()) continue;
    for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) rules.push_back({&policy, i});
  }
  detail::Budget budget;
  return detail::MetadataPolicyAnalysis(std::move(rules), budget).run();
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
