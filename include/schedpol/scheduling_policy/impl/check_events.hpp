// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The events of `check`: one for each item that it checks, in the order of the rules. A decision keeps
/// the denials; an explanation keeps all events.

#include <schedpol/base/impl/path_builder.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

enum class Verdict {
  permitted,
  exempt,
  requirement_met,
  ungoverned,           ///< nothing permits it, and nothing has to
  not_permitted,        ///< denying
  requirement_missing,  ///< denying
};

constexpr bool denies(Verdict verdict) noexcept {
  return verdict == Verdict::not_permitted || verdict == Verdict::requirement_missing;
}

class PatternIndex;

/// A key of the node selector; of one that the pod has not, the value is null.
struct NodeSelectorPair {
  const std::string* key = nullptr;
  const std::string* value = nullptr;
};

/// An expression of a node affinity term.
struct CheckedExpression {
  const NodeSelectorRequirement* requirement = nullptr;
  bool is_field = false;  ///< it stands in `matchFields`
};

/// What is looked at: one of these, and all others are null.
struct CheckedItem {
  CheckedItem(std::string_view of) noexcept : text(of), is_text(true) {}
  CheckedItem(const NodeSelectorPair& of) noexcept : pair(of) {}
  CheckedItem(const Toleration* of) noexcept : toleration(of) {}
  CheckedItem(const TopologySpreadConstraint* of) noexcept : spread_constraint(of) {}
  CheckedItem(const CheckedExpression& of) noexcept : expression(of) {}
  CheckedItem(const NodeSelectorTerm* of) noexcept : node_term(of) {}
  CheckedItem(const PodAffinityTerm* of) noexcept : pod_term(of) {}
  CheckedItem(const NodeTerms& of) noexcept : node_terms(&of) {}
  CheckedItem(const PodTerms& of) noexcept : pod_terms(&of) {}

  std::string_view text{};  ///< a name, a topology key, or what is required
  bool is_text = false;
  NodeSelectorPair pair{};
  const Toleration* toleration = nullptr;
  const TopologySpreadConstraint* spread_constraint = nullptr;
  CheckedExpression expression{};
  const NodeSelectorTerm* node_term = nullptr;  ///< exempt as a whole
  const PodAffinityTerm* pod_term = nullptr;    ///< the same
  const NodeTerms* node_terms = nullptr;        ///< of a mode or kind, permitted or not as a whole
  const PodTerms* pod_terms = nullptr;          ///< the same
};

/// Refers to the pod, the policy and the stack of the rule: it is over when the listener returns.
struct CheckEvent {
  DenialCodes codes;  ///< of the row whose rule it is
  Verdict verdict;
  CheckedItem item;
  const schedpol::detail::PathBuilder* field;  ///< in the pod
  const schedpol::detail::PathBuilder* entry =
      nullptr;                             ///< of what is required, in the merged spec
  std::string_view kind{};                 ///< of affinity, as in a pod
  std::string_view mode{};                 ///< empty: the kind as a whole
  const PatternIndex* patterns = nullptr;  ///< that it was held against, where there are any
};

class CheckListener {
 public:
  enum class Wants { denials, everything };

  CheckListener(const CheckListener&) = delete;
  CheckListener& operator=(const CheckListener&) = delete;

  /// Whether a rule has to go through what it permits as a whole.
  [[nodiscard]] bool wants_everything() const noexcept { return wants_ == Wants::everything; }

  /// Hears of everything, whatever it wants.
  virtual void on_event(const CheckEvent& event) = 0;

 protected:
  explicit CheckListener(Wants wants) noexcept : wants_(wants) {}
  ~CheckListener() = default;

 private:
  Wants wants_;
};

/// Tells another listener what becomes of a field that is not governed.
class UngovernedEvents final : public CheckListener {
 public:
  explicit UngovernedEvents(CheckListener& listener) noexcept
      : CheckListener(listener.wants_everything() ? Wants::everything : Wants::denials),
        listener_(listener) {}

  void on_event(const CheckEvent& event) override {
    CheckEvent told = event;
    if (told.verdict == Verdict::not_permitted) told.verdict = Verdict::ungoverned;
    listener_.on_event(told);
  }

 private:
  CheckListener& listener_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
