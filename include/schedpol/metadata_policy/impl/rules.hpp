// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What compiled policies are made of.

#include <schedpol/core/impl/selector_index.hpp>
#include <schedpol/metadata_policy/compile.hpp>

#include <tuple>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// A compiled rule, with its policy and its index in it.
struct CompiledRule {
  std::string namespace_;
  std::string policy;
  std::size_t index = 0;
  LabelMatcher labels;
  LabelMatcher annotations;
  PolicyAction action;
  bool uses_qos = false;  ///< pods have to say their quality of service for it
  schedpol::detail::SelectionCriteria criteria;  ///< what its selectors name

  /// Whether it applies first of two rules of one namespace.
  [[nodiscard]] bool before(const CompiledRule& other) const noexcept {
    return std::tie(policy, index) < std::tie(other.policy, other.index);
  }

  [[nodiscard]] bool matches(const ObjectMeta& metadata) const noexcept {
    return namespace_ == namespace_of(metadata) && labels.matches(metadata.labels) &&
           annotations.matches(metadata.annotations);
  }
};

/// The labels and annotations that updating rules write, and how many rules do, so that a policy
/// can be taken out again.
class WrittenPairs {
 public:
  void add(const CompiledRule& rule) {
    for_each(rule, [&](const schedpol::detail::MapKeyView& key, const std::string& value) {
      ++writers_[key][value];
    });
  }
  /// A rule that was added.
  void remove(const CompiledRule& rule) {
    for_each(rule, [&](const schedpol::detail::MapKeyView& key, const std::string& value) {
      Writers& writers = writers_[key];
      const auto found = writers.find(value);
      if (--found->second == 0) writers.erase(found);
      if (writers.empty()) writers_.erase(key);
    });
  }

  /// The object without them; none where it has none of them.
  [[nodiscard]] std::optional<ObjectMeta> without(const ObjectMeta& metadata) const {
    std::optional<ObjectMeta> without;
    const auto drop = [&](char what, Labels ObjectMeta::*pairs) {
      for (const auto& [key, value] : metadata.*pairs) {
        const Writers* const writers = writers_.find({what, namespace_of(metadata), key});
        if (writers == nullptr || !writers->contains(value)) continue;
        if (!without) without = metadata;
        ((*without).*pairs).erase(key);
      }
    };
    drop(label, &ObjectMeta::labels);
    drop(annotation, &ObjectMeta::annotations);
    return without;
  }

 private:
  using Writers = std::map<std::string, std::size_t, std::less<>>;  ///< by value
  static constexpr char label = 'l';
  static constexpr char annotation = 'a';

  template <class F>
  static void for_each(const CompiledRule& rule, F&& f) {
    if (rule.action.reject) return;
    for (const auto& [key, value] : rule.action.updated_labels)
      f({label, rule.namespace_, key}, value);
    for (const auto& [key, value] : rule.action.updated_annotations)
      f({annotation, rule.namespace_, key}, value);
  }

  schedpol::detail::PersistentMap<Writers> writers_;  ///< by what it is, namespace and key
};

}  // namespace detail

struct CompiledPolicies::Impl {
  using Rule = detail::CompiledRule;

  schedpol::detail::SelectorIndex<Rule> rules{};
  schedpol::detail::PersistentMap<std::vector<Shared<Rule>>> by_policy{};
  detail::WrittenPairs written{};
  schedpol::detail::PersistentMap<std::size_t>
      rules_of_qos{};  ///< by namespace, where there are any

  void add(Rule rule) {
    if (rule.uses_qos) ++rules_of_qos[{0, rule.namespace_, {}}];
    const Shared<Rule> shared(std::move(rule));
    by_policy[{0, shared->namespace_, shared->policy}].push_back(shared);
    rules.add(shared, shared->criteria);
    written.add(*shared);
  }
  void remove(const MetadataPolicy& policy) {
    const std::vector<Shared<Rule>>* const all = by_policy.find(key_of(policy));
    if (all == nullptr) return;
    for (const Shared<Rule>& rule : *all) {
      rules.remove(*rule, rule->criteria);
      written.remove(*rule);
      if (rule->uses_qos) remove_rule_of_qos(rule->namespace_);
    }
    by_policy.erase(key_of(policy));
  }

  /// Whether pods of the namespace have to say their quality of service.
  [[nodiscard]] bool uses_qos(std::string_view namespace_) const noexcept {
    return rules_of_qos.find({0, namespace_, {}}) != nullptr;
  }

  /// Those that match an object, in the order in which they apply.
  [[nodiscard]] std::vector<const Rule*> matching(const ObjectMeta& metadata) const {
    return rules.find(selectable(metadata),
                      [&](const Rule& rule) { return rule.matches(metadata); });
  }

  static schedpol::detail::Selectable selectable(const ObjectMeta& metadata) {
    return {.namespace_ = namespace_of(metadata),
            .labels = &metadata.labels,
            .annotations = &metadata.annotations};
  }

 private:
  void remove_rule_of_qos(std::string_view namespace_) {
    const schedpol::detail::MapKeyView key{0, namespace_, {}};
    if (--rules_of_qos[key] == 0) rules_of_qos.erase(key);
  }

  static schedpol::detail::MapKeyView key_of(const MetadataPolicy& policy) noexcept {
    return {0, namespace_of(policy.metadata), policy.metadata.name};
  }
};

/// For the functions that ask compiled policies.
struct CompiledPoliciesAccess {
  /// Null where nothing was compiled.
  [[nodiscard]] static const CompiledPolicies::Impl* of(const CompiledPolicies& policies) noexcept {
    return policies.impl_ ? &*policies.impl_ : nullptr;
  }
};

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
