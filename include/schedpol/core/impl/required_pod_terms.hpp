// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether required pod affinity contradicts required pod anti-affinity: a term requires a pod in a domain,
/// and an equal term excludes the same pods from it. Terms are equal if they have the same topology key,
/// label selector, namespaces, namespace selector and label keys; order and duplicates do not count, and
/// a pair of matchLabels is In with one value. A term without namespaces and namespace selector is about
/// the namespace of its pod. A term without a label selector selects no pods, so it equals no
/// term.

#include <schedpol/base/impl/text_key.hpp>
#include <schedpol/core/affinity.hpp>

#include <set>

namespace SCHEDPOL_NAMESPACE::detail {

/// What equal terms have in common; nothing of a term that selects no pods.
inline std::optional<std::string> identity_of(const PodAffinityTerm& term,
                                              std::string_view own_namespace) {
  if (!term.label_selector) return std::nullopt;
  using Sorted = std::set<std::string_view>;
  TextKey key;
  const auto add = [&key](const Sorted& texts) {
    key.add(std::to_string(texts.size()));
    for (const std::string_view text : texts) key.add(text);
  };
  const auto add_selector = [&](const LabelSelector& selector) {
    std::set<std::string> requirements;
    const auto insert = [&](std::string_view of_key, std::string_view operator_,
                            const Sorted& values) {
      TextKey requirement;
      requirement.add(of_key).add(operator_);
      for (const std::string_view value : values) requirement.add(value);
      requirements.insert(std::move(requirement).text());
    };
    for (const auto& [of_key, value] : selector.match_labels) insert(of_key, "In", {value});
    for (const LabelSelectorRequirement& each : selector.match_expressions)
      insert(each.key, each.operator_.text(), {each.values.begin(), each.values.end()});
    add({requirements.begin(), requirements.end()});
  };
  key.add(term.topology_key);
  add_selector(*term.label_selector);
  if (term.namespace_selector) {
    add_selector(*term.namespace_selector);
  } else {
    key.add_missing();
  }
  Sorted namespaces(term.namespaces.begin(), term.namespaces.end());
  if (namespaces.empty() && !term.namespace_selector) namespaces.insert(own_namespace);
  add(namespaces);
  add({term.match_label_keys.begin(), term.match_label_keys.end()});
  add({term.mismatch_label_keys.begin(), term.mismatch_label_keys.end()});
  return std::move(key).text();
}

/// The required terms of one pod, of its affinity or its anti-affinity, for those that are to be added
/// to the other kind.
class RequiredPodTerms {
 public:
  explicit RequiredPodTerms(std::string_view own_namespace) : own_namespace_(own_namespace) {}

  /// Whether one of them, which stand in `kind`, contradicts `term` of the other kind. From one question
  /// to the next terms are only appended to `kind`.
  [[nodiscard]] bool contradict(const std::optional<PodAffinity>& kind,
                                const PodAffinityTerm& term) {
    if (!kind) return false;
    const auto& terms = kind->required_during_scheduling_ignored_during_execution;
    for (; known_ < terms.size(); ++known_)
      if (auto identity = identity_of(terms[known_], own_namespace_))
        identities_.insert(*std::move(identity));
    if (identities_.empty()) return false;
    const auto identity = identity_of(term, own_namespace_);
    return identity && identities_.contains(*identity);
  }

 private:
  std::string own_namespace_;
  std::set<std::string> identities_;
  std::size_t known_ = 0;  ///< how many of them are among the identities
};

}  // namespace SCHEDPOL_NAMESPACE::detail
