// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Combines the required node selector terms of a pod and of a policy into one list, by rules 4 and 5
/// of `pod_scheduling_policy/admit.hpp`.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/impl/satisfiability.hpp>
#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// One item on one line. Different items have different texts.
inline std::string text(const Toleration& toleration) {
  return to_string(toleration);
}
inline std::string text(const NodeSelectorRequirement& requirement) {
  return to_string(requirement);
}
inline std::string text(const PodAffinityTerm& term) {
  return to_string(term);
}
inline std::string text(const WeightedPodAffinityTerm& term) {
  return std::to_string(term.weight) + " " + to_string(term.pod_affinity_term);
}
inline std::string text(const PreferredSchedulingTerm& term) {
  return std::to_string(term.weight) + " " + to_string(term.preference);
}

/// Tells the items that are among those of a list. For a few questions or items the list is looked
/// through; for many the texts of its items are kept, so that n questions about n items take
/// n log n.
template <class T>
class ItemSet {
 public:
  /// `size` is how long the list gets.
  ItemSet(const std::vector<T>& list, std::size_t size, std::size_t questions) : list_(list) {
    if (size * questions <= few * (size + questions)) return;
    texts_.emplace();
    for (const T& item : list) texts_->insert(text(item));
  }

  [[nodiscard]] bool has(const T& item) const {
    if (texts_) return texts_->contains(text(item));
    return contains(list_, item);
  }

  [[nodiscard]] bool has_all(const std::vector<T>& items) const {
    return all_of(items, [this](const T& item) { return has(item); });
  }

  /// Whether the list lacks the item, which the caller then appends to it.
  [[nodiscard]] bool add_if_missing(const T& item) {
    return texts_ ? texts_->insert(text(item)).second : !has(item);
  }

 private:
  /// A text costs as much as so many items that are looked at.
  static constexpr std::size_t few = 32;

  const std::vector<T>& list_;
  std::optional<std::set<std::string>> texts_;
};

using Requirements = std::vector<NodeSelectorRequirement>;
using Terms = std::vector<NodeSelectorTerm>;

/// What came of merging terms.
enum class Merged { within_limits, too_many, too_long };

/// Roughly the bytes of a term as JSON.
[[nodiscard]] inline std::size_t bytes_of(const NodeSelectorTerm& term) {
  std::size_t bytes = 0;
  const auto add = [&](const Requirements& requirements) {
    for (const NodeSelectorRequirement& one : requirements) {
      bytes += policy_entry_bytes + one.key.size() + one.operator_.text().size();
      for (const std::string& value : one.values) bytes += policy_text_bytes + value.size();
    }
  };
  add(term.match_expressions);
  add(term.match_fields);
  return bytes;
}

/// The required terms of a policy as they are written and as they are compiled, one for one.
class PolicyTerms {
 public:
  PolicyTerms(const std::vector<NodeSelectorTerm>& terms, const std::vector<PolicyTerm>& compiled)
      : terms_(terms), compiled_(compiled) {
    for (const NodeSelectorTerm& term : terms) {
      are_empty_ = are_empty_ && is_empty(term);
      expressions_ += term.match_expressions.size();
      fields_ += term.match_fields.size();
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return terms_.size(); }
  [[nodiscard]] const NodeSelectorTerm& operator[](std::size_t i) const noexcept {
    return terms_[i];
  }
  [[nodiscard]] const PolicyTerm& compiled(std::size_t i) const noexcept { return compiled_[i]; }

  /// Whether each of them is empty.
  [[nodiscard]] bool are_empty() const noexcept { return are_empty_; }

  /// Whether a term of the pod holds all expressions of some term of the policy, and so needs none
  /// of them.
  [[nodiscard]] bool is_held_by(const NodeSelectorTerm& pod) const {
    const ItemSet expressions(pod.match_expressions, pod.match_expressions.size(), expressions_);
    const ItemSet fields(pod.match_fields, pod.match_fields.size(), fields_);
    return any_of(terms_, [&](const NodeSelectorTerm& policy) {
      return !is_empty(policy) && expressions.has_all(policy.match_expressions) &&
             fields.has_all(policy.match_fields);
    });
  }

 private:
  const std::vector<NodeSelectorTerm>& terms_;
  const std::vector<PolicyTerm>& compiled_;
  bool are_empty_ = true;
  std::size_t expressions_ = 0;  ///< in all of them
  std::size_t fields_ = 0;
};

/// What of a policy's terms is left out, because no node meets it together with the pod.
class LeftOut {
 public:
  /// A term of the policy, with one of the pod; null where that has none.
  void add(const Contradiction& found, const NodeSelectorTerm* pod, const Labels& node_selector,
           const NodeSelectorTerm& policy) {
    if (count_++ == 0) reason_ = contradiction_text(found, pod, node_selector, policy);
  }

  [[nodiscard]] bool any() const noexcept { return count_ != 0; }

  /// Why, for a person, and whether that is `all` that the policy has.
  [[nodiscard]] std::string reason(bool all) const {
    std::string reason = reason_;
    if (count_ > 1) reason += ", the first of " + std::to_string(count_) + " such pairs of terms";
    return all ? reason : reason + "; the others are merged";
  }

 private:
  std::size_t count_ = 0;
  std::string reason_;
};

/// The terms of a policy that a pod without terms gets; none where all are left out.
inline Terms copied(const Labels& node_selector, const PolicyTerms& policy, LeftOut& left_out) {
  Terms terms;
  if (policy.are_empty()) left_out.add({}, nullptr, node_selector, policy[0]);
  for (std::size_t i = 0; i < policy.size(); ++i) {
    if (is_empty(policy[i])) continue;
    if (const auto found = find_contradiction(nullptr, node_selector, policy.compiled(i))) {
      left_out.add(*found, nullptr, node_selector, policy[i]);
    } else {
      terms.push_back(policy[i]);
    }
  }
  return terms;
}

/// One of the terms that a pod comes out with: one of its own as it is, or with one of the policy's.
struct Factors {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t pod = 0;
  std::size_t policy = none;
};

/// All of them in their order, to be made. Where it changes nothing the pod's terms stay instead.
struct Product {
  Merged merged = Merged::within_limits;
  bool changes = false;
  std::vector<Factors> terms{};

  /// Made of the terms of the pod that it is a product of, which are moved from.
  [[nodiscard]] Terms make(Terms& of_pod, const PolicyTerms& policy) const {
    Terms made;
    made.reserve(std::max<std::size_t>(terms.size(), 1));
    for (std::size_t i = 0; i < terms.size(); ++i) {
      NodeSelectorTerm& own = of_pod[terms[i].pod];
      if (terms[i].policy == Factors::none) {
        made.push_back(std::move(own));
        continue;
      }
      const NodeSelectorTerm& term = policy[terms[i].policy];
      // The last one takes what the pod has, the others copy it.
      const bool is_last = i + 1 == terms.size() || terms[i + 1].pod != terms[i].pod;
      made.push_back({joined(term.match_expressions, own.match_expressions, is_last),
                      joined(term.match_fields, own.match_fields, is_last)});
    }
    if (made.empty()) made.emplace_back();
    return made;
  }

 private:
  /// `first`, then what of `second` it does not hold, of which nothing is left where it `takes`
  /// that.
  static Requirements joined(const Requirements& first, Requirements& second, bool takes) {
    Requirements all;
    all.reserve(first.size() + second.size());
    append(all, first);
    ItemSet present(all, first.size() + second.size(), second.size());
    for (NodeSelectorRequirement& item : second) {
      if (!present.add_if_missing(item)) continue;
      if (takes) {
        all.push_back(std::move(item));
      } else {
        all.push_back(item);
      }
    }
    return all;
  }
};

/// Multiplies the terms of one pod with those of one policy after the other.
class TermMerger {
 public:
  /// Of a pod and a policy that have some terms each. A pod that needs none of the policy's keeps as
  /// many as it brings.
  [[nodiscard]] Product multiply(const Terms& terms, const Labels& node_selector,
                                 const PolicyTerms& policy, LeftOut& left_out) {
    Product product;
    if (policy.are_empty()) {
      left_out.add({}, nullptr, node_selector, policy[0]);
      return product;
    }
    product.terms.reserve(std::min(terms.size() * policy.size(), max_node_selector_terms));
    bool multiplied = false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (is_empty(terms[i])) continue;
      if (policy.is_held_by(terms[i])) {
        product.terms.push_back({.pod = i});
        continue;
      }
      const std::size_t bytes = bytes_of(terms[i]);
      std::optional<bool> own;  // whether a node can meet the pod's term, once that matters
      for (std::size_t j = 0; j < policy.size(); ++j) {
        if (is_empty(policy[j])) continue;
        if (!take_bytes(bytes + bytes_of(policy[j]))) return {.merged = Merged::too_long};
        if (const auto found = find_contradiction(&terms[i], node_selector, policy.compiled(j))) {
          if (!own) own = is_satisfiable(terms[i], node_selector);
          if (*own) {
            left_out.add(*found, &terms[i], node_selector, policy[j]);
            continue;
          }
        }
        multiplied = true;
        product.terms.push_back({i, j});
        if (product.terms.size() > max_node_selector_terms) return {.merged = Merged::too_many};
      }
    }
    if (multiplied && product.terms.size() > max_node_selector_terms)
      return {.merged = Merged::too_many};
    if (left_out.any()) {
      product.changes = leaves_a_node(product, terms, node_selector);
    } else {
      // Without the empty terms, of which one stays where there is nothing else.
      product.changes =
          multiplied || std::max<std::size_t>(product.terms.size(), 1) != terms.size();
    }
    return product;
  }

 private:
  /// Takes the bytes of a product from those that are left; false where they are not there.
  [[nodiscard]] bool take_bytes(std::size_t bytes) noexcept {
    if (bytes > bytes_left_) return false;
    bytes_left_ -= bytes;
    return true;
  }

  /// Whether a node can meet one of the terms of the pod that the product keeps. What is kept of
  /// such a term a node can meet, too.
  static bool leaves_a_node(const Product& product, const Terms& terms,
                            const Labels& node_selector) {
    for (std::size_t i = 0; i < product.terms.size(); ++i) {
      const std::size_t pod = product.terms[i].pod;
      if (i > 0 && product.terms[i - 1].pod == pod) continue;
      if (is_satisfiable(terms[pod], node_selector)) return true;
    }
    return false;
  }

  std::size_t bytes_left_ = max_merged_term_bytes;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
