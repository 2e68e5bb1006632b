// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The size of a policy's spec, as `max_policy_bytes` counts it.

#include <schedpol/base/any_or.hpp>
#include <schedpol/base/impl/any_optional.hpp>
#include <schedpol/base/impl/field_errors.hpp>
#include <schedpol/core/affinity.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// Counts the texts of what it is given, and the items and pairs that they stand in. The parts of a
/// type are what its function `add_parts` adds.
class SpecSize {
 public:
  template <class... Parts>
  void add_all(const Parts&... parts) {
    (add(parts), ...);
  }

  void add(std::string_view text) noexcept { bytes_ += policy_text_bytes + text.size(); }
  void add(const std::string& text) noexcept { add(std::string_view(text)); }
  void add(const Quantity&) noexcept {}
  void add(const Texts& texts) {
    for (const std::string& text : texts) add(text);
  }
  template <class Word>
  void add(const OpenEnum<Word>& word) {
    add(word.text());
  }
  template <AnyOptional Part>
  void add(const Part& part) {
    if (part) add(*part);
  }
  template <class T>
  void add(const AnyOr<T>& part) {
    add(part.listed());
  }
  template <class T>
  void add(const std::vector<T>& items) {
    bytes_ += policy_entry_bytes * items.size();
    for (const T& item : items) add(item);
  }
  template <class Value>
  void add(const TextMap<Value>& pairs) {
    bytes_ += policy_entry_bytes * pairs.size();
    for (const auto& [key, value] : pairs) add_all(key, value);
  }
  template <class T>
  void add(const T& part) {
    add_parts(*this, part);
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// An error where it is more than a policy may have.
  void validate(FieldErrors& errors, const PathBuilder& spec) const {
    if (bytes_ <= max_policy_bytes) return;
    errors.add(ErrorType::too_long, spec, std::to_string(bytes_),
               "the texts and entries of a policy have at most " +
                   std::to_string(max_policy_bytes) + " bytes");
  }

 private:
  std::size_t bytes_ = 0;
};

/// An expression of a label selector or a node selector.
template <class Expression>
  requires requires(const Expression& of) { of.key, of.operator_, of.values; }
void add_parts(SpecSize& size, const Expression& expression) {
  size.add_all(expression.key, expression.operator_, expression.values);
}
inline void add_parts(SpecSize& size, const LabelSelector& selector) {
  size.add_all(selector.match_labels, selector.match_expressions);
}
inline void add_parts(SpecSize& size, const NodeSelectorTerm& term) {
  size.add_all(term.match_expressions, term.match_fields);
}
inline void add_parts(SpecSize& size, const NodeSelector& selector) {
  size.add(selector.node_selector_terms);
}
inline void add_parts(SpecSize& size, const PreferredSchedulingTerm& term) {
  size.add(term.preference);
}
inline void add_parts(SpecSize& size, const PodAffinityTerm& term) {
  size.add_all(term.label_selector, term.namespaces, term.topology_key, term.namespace_selector,
               term.match_label_keys, term.mismatch_label_keys);
}
inline void add_parts(SpecSize& size, const WeightedPodAffinityTerm& term) {
  size.add(term.pod_affinity_term);
}
inline void add_parts(SpecSize& size, const NodeAffinity& affinity) {
  size.add_all(affinity.required_during_scheduling_ignored_during_execution,
               affinity.preferred_during_scheduling_ignored_during_execution);
}
inline void add_parts(SpecSize& size, const PodAffinity& affinity) {
  size.add_all(affinity.required_during_scheduling_ignored_during_execution,
               affinity.preferred_during_scheduling_ignored_during_execution);
}
inline void add_parts(SpecSize& size, const Affinity& affinity) {
  size.add_all(affinity.node_affinity, affinity.pod_affinity, affinity.pod_anti_affinity);
}
inline void add_parts(SpecSize& size, const Toleration& toleration) {
  size.add_all(toleration.key, toleration.operator_, toleration.value, toleration.effect);
}

}  // namespace SCHEDPOL_NAMESPACE::detail
