// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_pod_scheduling_policies.hpp>
#include <schedpol/insight/impl/analysis.hpp>
#include <schedpol/insight/impl/selection.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/impl/compiled_policy.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

namespace detail {

/// What a policy that has good selectors asks of nodes: its nodeSelector, and its required node terms.
/// Whether two policies contradict each other in it, injecting them tells, so that there is one rule
/// of what is skipped.
class NodeRequirements {
 public:
  explicit NodeRequirements(const PodSchedulingPolicySpec& from)
      : node_selector_(from.node_selector) {
    PodSchedulingPolicy policy{.kind = PolicyKind::cluster_pod_scheduling_policy,
                               .metadata = {.name = "requirements"}};
    policy.spec.pod_selector = LabelSelector();
    policy.spec.namespace_selector = LabelSelector();
    policy.spec.node_selector = from.node_selector;
    for (const auto& [key, value] : from.node_selector) append(key + '=' + value, " & ");
    const auto terms = required_terms(from.affinity);
    has_terms_ = !terms.empty();
    if (has_terms_) {
      policy.spec.affinity.emplace()
          .node_affinity.emplace()
          .required_during_scheduling_ignored_during_execution =
          NodeSelector{{terms.begin(), terms.end()}};
    }
    for (const NodeSelectorTerm& term : terms) {
      append(to_string(term), &term == terms.data() ? " & " : " | ");
      weight_ += term.match_expressions.size() + term.match_fields.size();
    }
    weight_ += from.node_selector.size();
    policies_ = *compile({&policy, 1});
    pod_ = injected_into(Pod()).pod;
  }

  /// On one line; different ones have different texts.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool has_terms() const noexcept { return has_terms_; }
  /// How much there is to look at.
  [[nodiscard]] std::size_t weight() const noexcept { return weight_; }

  /// Whether no node meets its terms together with its nodeSelector.
  [[nodiscard]] bool is_unmet() const noexcept {
    return has_terms_ && required_terms(pod_.spec.affinity).empty();
  }

  /// The field of it that is skipped in a pod with other requirements, apart from keys that both select
  /// with different values.
  [[nodiscard]] std::optional<FieldPath> skipped_after(const NodeRequirements& other) const {
    const Injection injection = injected_into(other.pod_);
    for (const auto& [key, value] : node_selector_)
      if (!injection.pod.spec.node_selector.contains(key))
        return FieldPath{"spec", "nodeSelector"}.key(key);
    const FieldPath terms = {"spec", "affinity", "nodeAffinity", required_mode};
    const bool skips = schedpol::detail::any_of(
        injection.skipped, [&](const Skipped& skipped) { return skipped.field == terms; });
    // Where some of its terms are merged nothing of what it means is lost.
    if (!skips || injection.pod.spec.affinity != other.pod_.spec.affinity) return std::nullopt;
    return terms;
  }

 private:
  [[nodiscard]] Injection injected_into(Pod pod) const {
    return inject(std::move(pod), {}, policies_, DefaultScheduler::specified,
                  ChangeValues::omitted);
  }
  void append(const std::string& part, const char* separator) {
    if (!text_.empty()) text_ += separator;
    text_ += part;
  }

  const Labels& node_selector_;
  std::string text_;
  bool has_terms_ = false;
  std::size_t weight_ = 1;
  CompiledPolicies policies_;  ///< one that selects every pod and injects nothing else
  Pod pod_;                    ///< one that asks for nothing else
};

using schedpol::detail::Budget;
using schedpol::detail::Overlapping;
using schedpol::detail::Selection;

inline bool is_of_cluster(const PodSchedulingPolicy& policy) noexcept {
  return policy.kind == PolicyKind::cluster_pod_scheduling_policy;
}

inline std::string shown_name(const PodSchedulingPolicy& policy) {
  return is_of_cluster(policy) ? policy.metadata.name
                               : schedpol::detail::qualified_name(policy.metadata);
}

/// Whether it asks anything of nodes.
inline bool asks_for_nodes(const PodSchedulingPolicySpec& spec) {
  return !spec.node_selector.empty() || !required_terms(spec.affinity).empty();
}

/// A policy, and whether it is asked about: of the others only matters what they write into pods of
/// one that is.
struct AnalyzedInjection {
  const PodSchedulingPolicy* policy;
  bool is_asked_about = true;
  Selection selection{};  ///< once it was looked at
};

inline std::size_t texts_of(const PodSchedulingPolicy& policy) {
  const PodSchedulingPolicySpec& spec = policy.spec;
  std::size_t texts = schedpol::detail::texts_of(spec.namespace_selector) +
                      schedpol::detail::texts_of(spec.pod_selector) + spec.node_selector.size();
  for (const NodeSelectorTerm& term : required_terms(spec.affinity))
    for (const auto* list : {&term.match_expressions, &term.match_fields})
      for (const NodeSelectorRequirement& each : *list) texts += 1 + each.values.size();
  return texts;
}

/// What is odd about PodSchedulingPolicies, as `analyze_pod_scheduling_policies.hpp` says it.
class PodSchedulingPolicyAnalysis final : public schedpol::detail::Analysis {
 public:
  /// Of policies that can be used.
  PodSchedulingPolicyAnalysis(std::vector<AnalyzedInjection> policies, Budget& budget)
      : Analysis(budget), policies_(std::move(policies)) {
    std::sort(policies_.begin(), policies_.end(), [](const auto& a, const auto& b) {
      return schedpol::detail::is_before(name_of(*a.policy), name_of(*b.policy));
    });
  }

  std::vector<Finding> run() && {
    look_for(FindingCode::selects_nothing, [&] { look_at_selectors(); });
    look_for(FindingCode::requirement_unmet, [&] { look_at_requirements(); });
    look_for(FindingCode::writes_differ, [&] {
      for (auto& [field, all] : writers()) look_at_writers(field, all);
      look_at_contradictions();
    });
    return std::move(*this).take();
  }

 private:
  [[nodiscard]] const PodSchedulingPolicySpec& spec(std::size_t number) const noexcept {
    return policies_[number].policy->spec;
  }
  [[nodiscard]] Overlapping overlapping(std::size_t number) const noexcept {
    return {.number = number,
            .selection = &policies_[number].selection,
            .is_asked_about = policies_[number].is_asked_about};
  }

  /// What selects nothing is looked at no more, but for what it asks of nodes.
  void look_at_selectors() {
    for (AnalyzedInjection& analyzed : policies_) {
      const PodSchedulingPolicy& policy = *analyzed.policy;
      selects_.push_back(false);
      if (!Selection::can_afford(schedpol::detail::texts_of(policy.spec.pod_selector) +
                                     schedpol::detail::texts_of(policy.spec.namespace_selector),
                                 budget_))
        return;
      Selection pods;
      pods.labels(policy.spec.pod_selector);
      analyzed.selection = pods;
      if (is_of_cluster(policy)) {
        analyzed.selection.in_namespaces(policy.spec.namespace_selector);
      } else {
        analyzed.selection.in_namespace(policy.metadata.namespace_);
      }
      selects_.back() = !analyzed.selection.selects_nothing(budget_);
      if (selects_.back() || !analyzed.is_asked_about) continue;
      const bool no_pods = pods.selects_nothing(budget_);
      add({.code = FindingCode::selects_nothing,
           .severity = Severity::warning,
           .policies = {shown_name(policy)},
           .field = FieldPath{no_pods ? "podSelector" : "namespaceSelector"}});
    }
  }

  using Writers = schedpol::detail::Writers;

  /// Those that write each field of a pod.
  [[nodiscard]] std::map<FieldPath, Writers> writers() {
    std::map<FieldPath, Writers> all;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      if (!selects_[i]) continue;
      budget_.spend(20 + 20 * spec(i).node_selector.size());
      if (!spec(i).node_name.empty()) all[{"spec", "nodeName"}].add(spec(i).node_name, i);
      if (!spec(i).scheduler_name.empty())
        all[{"spec", "schedulerName"}].add(spec(i).scheduler_name, i);
      for (const auto& [key, value] : spec(i).node_selector)
        all[FieldPath{"spec", "nodeSelector"}.key(key)].add(value, i);
    }
    return all;
  }

  void look_at_writers(const FieldPath& field, Writers& writers) {
    if (!writers.differ()) return;
    for_each_overlap(writers.grouped([&](std::size_t i) { return overlapping(i); }), budget_,
                     [&](const auto& first, const auto& second, const Labels& labels) {
                       find_difference(first, second, labels, field, writers.value_of(first.group),
                                       writers.value_of(second.group));
                     });
  }

  /// Two policies that write a field of a pod that both select, which has these labels.
  void find_difference(const Overlapping& first, const Overlapping& second, const Labels& labels,
                       const FieldPath& field, std::string_view of_first,
                       std::string_view of_second) {
    using schedpol::detail::start_of;
    schedpol::detail::SelectedObject selected(labels);
    Finding finding{.code = FindingCode::writes_differ,
                    .severity = Severity::warning,
                    .policies = {shown_name(*policies_[first.number].policy),
                                 shown_name(*policies_[second.number].policy)},
                    .field = field};
    finding.detail.append(start_of(of_first)).append(", ").append(start_of(of_second));
    finding.witness.emplace().metadata = {.namespace_ = selected.namespace_.name,
                                          .labels = std::move(selected.labels)};
    finding.namespace_ = {std::move(selected.namespace_)};
    add(std::move(finding));
  }

  /// What those that select pods ask of nodes, told apart by their texts.
  void look_at_requirements() {
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      if (!asks_for_nodes(spec(i))) continue;
      if (!budget_.spend(steps_of_injection + 24 * texts_of(*policies_[i].policy))) return;
      NodeRequirements requirements(spec(i));
      if (requirements.is_unmet()) {
        if (!policies_[i].is_asked_about) continue;
        add({.code = FindingCode::requirement_unmet,
             .severity = Severity::warning,
             .policies = {shown_name(*policies_[i].policy)},
             .field = {"affinity", "nodeAffinity", required_mode},
             .detail = std::string(schedpol::detail::start_of(requirements.text()))});
      } else if (selects_[i]) {
        const auto [number, added] = numbers.try_emplace(requirements.text(), requirements_.size());
        if (added) requirements_.push_back(std::move(requirements));
        requiring_.push_back(overlapping(i));
        requiring_.back().group = number->second;
      }
    }
  }

  /// Requirements, and others that come before them.
  using Contradictions = std::map<std::pair<std::size_t, std::size_t>, FieldPath>;

  [[nodiscard]] Contradictions contradictions() {
    std::vector<bool> are_asked_about(requirements_.size());
    for (const Overlapping& one : requiring_)
      if (one.is_asked_about) are_asked_about[one.group] = true;
    Contradictions all;
    const auto add = [&](std::size_t later, std::size_t earlier) {
      auto field = requirements_[later].skipped_after(requirements_[earlier]);
      if (field && budget_.keep(bytes_of_contradiction))
        all.emplace(std::pair(later, earlier), *std::move(field));
    };
    for (std::size_t i = 0; i < requirements_.size(); ++i) {
      if (!requirements_[i].has_terms()) continue;
      for (std::size_t j = 0; j < requirements_.size(); ++j) {
        if (i == j || (j < i && requirements_[j].has_terms())) continue;
        budget_.spend();
        if (!are_asked_about[i] && !are_asked_about[j]) continue;
        // Each term of the one is merged with each of the other, there and back.
        if (!budget_.spend(2 * steps_of_injection + steps_of_merged_term *
                                                        requirements_[i].weight() *
                                                        requirements_[j].weight()))
          return all;
        add(i, j);
        add(j, i);
      }
    }
    return all;
  }

  void look_at_contradictions() {
    const Contradictions all = contradictions();
    std::set<std::size_t> contradicting;
    for (const auto& [pair, field] : all) {
      contradicting.insert(pair.first);
      contradicting.insert(pair.second);
    }
    schedpol::detail::erase_if(requiring_,
                               [&](const auto& one) { return !contradicting.contains(one.group); });
    const auto witness = [&](const auto& first, const auto& second) -> std::optional<Labels> {
      if (!all.contains({second.group, first.group})) return std::nullopt;
      return to_labels(both(*first.selection, *second.selection));
    };
    const auto found = [&](const auto& first, const auto& second, const Labels& labels) {
      find_difference(first, second, labels, all.at({second.group, first.group}),
                      requirements_[first.group].text(), requirements_[second.group].text());
    };
    schedpol::detail::OverlapSearch(budget_, witness, found).run(std::move(requiring_));
  }

  /// Of a pod, by a policy that was compiled for it.
  static constexpr std::size_t steps_of_injection = 1'000;
  static constexpr std::size_t steps_of_merged_term = 150;
  static constexpr std::size_t bytes_of_contradiction = 256;

  std::vector<AnalyzedInjection> policies_;  ///< in the order in which they apply
  std::vector<bool> selects_;
  std::vector<NodeRequirements> requirements_;
  std::vector<Overlapping> requiring_;  ///< the policies, grouped by requirements
};

/// Whether a stored policy can matter to one that is written: may select one pod, and write something
/// else to a field of it, or ask for other nodes.
inline bool is_neighbour(const PodSchedulingPolicy& stored,
                         std::span<const PodSchedulingPolicy> written, Budget& budget) {
  const auto differ = [](const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() && a != b;
  };
  budget.spend(5);
  return schedpol::detail::any_of(written, [&](const PodSchedulingPolicy& each) {
    budget.spend(2);
    if (!is_of_cluster(stored) && !is_of_cluster(each) &&
        stored.metadata.namespace_ != each.metadata.namespace_)
      return false;
    const bool write_differently = differ(stored.spec.node_name, each.spec.node_name) ||
                                   differ(stored.spec.scheduler_name, each.spec.scheduler_name) ||
                                   (asks_for_nodes(stored.spec) && asks_for_nodes(each.spec));
    return write_differently &&
           !name_different_values(stored.spec.pod_selector, each.spec.pod_selector, budget);
  });
}

/// A pod that has what one policy selects, and no more; of a policy of the cluster in that namespace, or
/// in one of which nothing is known where it is empty.
inline std::optional<schedpol::detail::SelectedObject> selected_by(
    const PodSchedulingPolicy& policy, const std::string& namespace_) {
  Selection selection;
  selection.labels(policy.spec.pod_selector);
  if (is_of_cluster(policy)) selection.in_namespaces(policy.spec.namespace_selector);
  const std::string& in = is_of_cluster(policy) ? namespace_ : policy.metadata.namespace_;
  if (!in.empty()) selection.in_namespace(in);
  return selection.selected();
}

/// Those of `all` that give too much together to a pod that one of `policies` selects; one of the cluster
/// in each of `namespaces` besides.
inline std::vector<Finding> giving_too_much(std::span<const PodSchedulingPolicy> policies,
                                            std::set<std::string> namespaces,
                                            const CompiledPolicies& all, Budget& budget) {
  namespaces.emplace();
  schedpol::detail::Analysis analysis(budget);
  std::set<std::string> reported;
  const auto look_at = [&](schedpol::detail::SelectedObject selected) {
    const Namespace in{selected.namespace_};
    constexpr std::size_t steps_of_candidate = 10;
    if (!budget.spend(steps_of_candidate * all.candidates(selected.labels, in))) return;
    const std::size_t items = all.given_items(selected.labels, in);
    if (items <= max_given_items) return;
    Pod pod;
    pod.metadata = {.namespace_ = in.metadata.name, .labels = std::move(selected.labels)};
    // Both are in one order, in which those of the cluster come before others of their names.
    const auto of_cluster = all.criteria_of_cluster(pod.metadata.labels, &in);
    auto next = of_cluster.begin();
    std::vector<std::string> names = inject(pod, in, all).applied;
    for (std::string& name : names) {
      if (next != of_cluster.end() && next->policy == name) {
        ++next;
      } else {
        name.insert(0, in.metadata.name + '/');
      }
    }
    reported.insert(names.begin(), names.end());
    analysis.add({.code = FindingCode::limit_exceeded,
                  .severity = Severity::warning,
                  .policies = std::move(names),
                  .detail = std::to_string(items),
                  .witness = std::move(pod),
                  .namespace_ = in});
  };
  analysis.look_for(FindingCode::limit_exceeded, [&] {
    for (const PodSchedulingPolicy& policy : policies) {
      for (const std::string& namespace_ : namespaces) {
        if (reported.contains(shown_name(policy))) break;
        if (!Selection::can_afford(texts_of(policy), budget)) return;
        if (auto selected = selected_by(policy, namespace_)) look_at(*std::move(selected));
        if (!is_of_cluster(policy)) break;
      }
    }
  });
  return std::move(analysis).take();
}

/// What those of a list give, to whomever.
inline std::size_t given_items(std::span<const PodSchedulingPolicy> policies) noexcept {
  std::size_t items = 0;
  for (const PodSchedulingPolicy& policy : policies)
    items += schedpol::detail::given_items(policy.spec);
  return items;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const PodSchedulingPolicy> policies) {
  std::vector<PodSchedulingPolicy> good;
  for (const PodSchedulingPolicy& policy : policies)
    if (validate(policy).empty()) good.push_back(policy);
  std::vector<detail::AnalyzedInjection> analyzed;
  for (const PodSchedulingPolicy& policy : good) analyzed.push_back({&policy});
  detail::Budget budget;
  std::vector<Finding> findings =
      detail::PodSchedulingPolicyAnalysis(std::move(analyzed), budget).run();
  if (detail::given_items(good) <= max_given_items) return findings;
  std::set<std::string> namespaces;
  for (const PodSchedulingPolicy& policy : good)
    if (!detail::is_of_cluster(policy)) namespaces.insert(policy.metadata.namespace_);
  detail::Budget of_items;
  if (const auto compiled = compile(good))
    schedpol::detail::append(
        findings, detail::giving_too_much(good, std::move(namespaces), *compiled, of_items));
  return findings;
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
