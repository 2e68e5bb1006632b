// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_metadata_policies.hpp>
#include <schedpol/insight/impl/overlaps.hpp>
#include <schedpol/metadata_policy/compile.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// What rules reject.
class Rejections {
 public:
  explicit Rejections(std::span<const MetadataPolicy> policies) {
    std::vector<MetadataPolicy> rejecting(policies.begin(), policies.end());
    for (MetadataPolicy& policy : rejecting)
      for (MetadataPolicyRule& rule : policy.spec.rules)
        if (!rule.policy_action.reject) rule.policy_action = {};
    if (auto compiled = compile(rejecting)) compiled_ = *std::move(compiled);
  }

  /// `selection` is what the rule of that index rejects.
  void add(const MetadataPolicy& policy, std::size_t index,
           const schedpol::detail::Selection& selection) {
    rules_.insert_or_assign({policy.metadata.namespace_, policy.metadata.name, index}, selection);
  }

  /// Metadata with these requirements that is not rejected; none where there is none, or where it
  /// takes more than is left. Only rules that rejected something on the way are looked at.
  std::optional<Labels> spared(const std::string& namespace_,
                               const schedpol::detail::Conjunction& requirements,
                               schedpol::detail::PairBudget& budget) const {
    std::optional<Labels> labels = schedpol::detail::labels_of(requirements);
    std::vector<schedpol::detail::Conjunction> rejected;
    std::size_t weight = 0;
    while (labels) {
      const std::size_t known = rejected.size();
      for (const RuleName& by : rejected_by(*labels)) {
        const auto rule = rules_.find({namespace_, by.policy, by.rule});
        if (rule == rules_.end()) continue;
        rejected.push_back(rule->second.requirements());
        weight += rule->second.weight();
      }
      if (rejected.size() == known) return labels;
      if (!budget.spend(weight)) return std::nullopt;
      const schedpol::detail::CounterexampleSearch escape(requirements, rejected);
      if (escape.gave_up()) budget.spend(max_paired_requirements);
      labels = escape.exists() ? std::optional(escape.labels()) : std::nullopt;
    }
    return labels;
  }

 private:
  [[nodiscard]] std::vector<RuleName> rejected_by(const Labels& labels) const {
    schedpol::detail::Selected selected(labels);
    return admit({.namespace_ = selected.namespace_.name,
                  .labels = std::move(selected.labels),
                  .annotations = std::move(selected.annotations)},
                 compiled_)
        .rejected_by;
  }

  CompiledPolicies compiled_;
  /// By namespace, policy and index.
  std::map<std::tuple<std::string, std::string, std::size_t>, schedpol::detail::Selection> rules_;
};

class Analysis {
 public:
  explicit Analysis(std::vector<MetadataPolicy> policies)
      : policies_(std::move(policies)), rejections_(policies_) {}

  std::vector<Finding> run() {
    for (const MetadataPolicy& policy : policies_)
      for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) look_at_predicate(policy, i);
    look_at_ignored();
    look_at_rejected();
    for (const auto& [field, all] : writers()) look_at_writers(field.second, all);
    if (budget_.spent()) findings_.push_back({});
    return std::move(findings_);
  }

 private:
  using Selection = schedpol::detail::Selection;

  /// A rule that selects something.
  struct Rule {
    const MetadataPolicy* policy;
    std::size_t index;
    Selection selection;

    [[nodiscard]] const PolicyAction& action() const noexcept {
      return policy->spec.rules[index].policy_action;
    }
    [[nodiscard]] bool lists_updates() const noexcept {
      return !action().updated_labels.empty() || !action().updated_annotations.empty();
    }
  };

  void find(FindingCode code, const MetadataPolicy& policy, const FieldPath& field) {
    findings_.push_back({.code = code,
                         .severity = Severity::warning,
                         .policies = {schedpol::detail::qualified_name(policy.metadata)},
                         .field = field});
  }

  void look_at_predicate(const MetadataPolicy& policy, std::size_t index) {
    const PolicyPredicate& predicate = policy.spec.rules[index].policy_predicate;
    Selection selection;
    selection.in_namespace(policy.metadata.namespace_)
        .labels(predicate.label_selector.value_or(LabelSelector{}))
        .annotations(predicate.annotation_selector.value_or(LabelSelector{}));
    if (selection.selects_nothing()) {
      return find(FindingCode::selects_nothing, policy,
                  FieldPath{"rules"}.index(index).child("policyPredicate"));
    }
    rules_.push_back({&policy, index, std::move(selection)});
    if (rules_.back().action().reject) rejections_.add(policy, index, rules_.back().selection);
  }

  void look_at_ignored() {
    for (const Rule& rule : rules_) {
      if (!rule.action().reject || !rule.lists_updates()) continue;
      find(FindingCode::updates_ignored, *rule.policy,
           FieldPath{"rules"}.index(rule.index).child("policyAction"));
    }
  }

  void look_at_rejected() {
    for (const Rule& rule : rules_) {
      if (rule.action().reject || !rule.lists_updates()) continue;
      if (rejections_.spared(rule.policy->metadata.namespace_, rule.selection.requirements(),
                             budget_))
        continue;
      if (budget_.spent()) return;
      find(FindingCode::never_fires, *rule.policy, FieldPath{"rules"}.index(rule.index));
    }
  }

  /// The rules that write each field of an object of a namespace, by what they write. One that
  /// rejects writes nothing.
  using Writers = std::map<std::string_view, std::vector<std::size_t>>;

  [[nodiscard]] std::map<std::pair<std::string_view, FieldPath>, Writers> writers() const {
    std::map<std::pair<std::string_view, FieldPath>, Writers> all;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].action().reject) continue;
      const auto add = [&](std::string_view map, const Labels& updated) {
        for (const auto& [key, value] : updated) {
          all[{rules_[i].policy->metadata.namespace_, FieldPath{"metadata", map}.key(key)}][value]
              .push_back(i);
        }
      };
      add("labels", rules_[i].action().updated_labels);
      add("annotations", rules_[i].action().updated_annotations);
    }
    return all;
  }

  void look_at_writers(const FieldPath& field, const Writers& writers) {
    std::vector<schedpol::detail::Overlapping> all;
    std::vector<std::string_view> values;
    for (const auto& [value, numbers] : writers) {
      for (const std::size_t number : numbers)
        all.push_back({number, values.size(), &rules_[number].selection});
      values.push_back(value);
    }
    if (values.size() < 2) return;
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    const auto witness = [&](const auto& a, const auto& b) {
      return rejections_.spared(rules_[a.number].policy->metadata.namespace_,
                                both(*a.selection, *b.selection), budget_);
    };
    const auto found = [&](const auto& first, const auto& second, const Labels& labels) {
      schedpol::detail::Selected selected(labels);
      const Rule& a = rules_[first.number];
      const Rule& b = rules_[second.number];
      find(FindingCode::writes_differ, *b.policy, field);
      Finding& finding = findings_.back();
      if (a.policy != b.policy)
        finding.policies = {schedpol::detail::qualified_name(a.policy->metadata),
                            schedpol::detail::qualified_name(b.policy->metadata)};
      finding.detail = written(a, values[first.group]) + ", " + written(b, values[second.group]);
      finding.witness.emplace().metadata = {.namespace_ = b.policy->metadata.namespace_,
                                            .labels = std::move(selected.labels),
                                            .annotations = std::move(selected.annotations)};
    };
    schedpol::detail::OverlapSearch(budget_, witness, found).run(std::move(all));
  }
  static std::string written(const Rule& rule, std::string_view value) {
    return to_string(FieldPath{"rules"}.index(rule.index)) + " " + std::string(value);
  }

  std::vector<MetadataPolicy> policies_;  ///< in the order in which they apply
  Rejections rejections_;
  std::vector<Rule> rules_;
  schedpol::detail::PairBudget budget_;
  std::vector<Finding> findings_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const MetadataPolicy> policies) {
  std::vector<MetadataPolicy> good;
  for (const MetadataPolicy& policy : policies)
    if (validate(policy).empty()) good.push_back(policy);
  std::sort(good.begin(), good.end(), [](const MetadataPolicy& a, const MetadataPolicy& b) {
    return std::tie(a.metadata.namespace_, a.metadata.name) <
           std::tie(b.metadata.namespace_, b.metadata.name);
  });
  return detail::Analysis(std::move(good)).run();
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
