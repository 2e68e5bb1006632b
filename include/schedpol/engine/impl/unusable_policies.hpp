// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Unusable policies, and the pods that each of them might have applied to: those that its selectors
/// select; a selector that cannot be read selects everything. Such a pod is denied, because nobody knows
/// what the policy would have done with it.

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/core/admission.hpp>
#include <schedpol/core/impl/widest_matcher.hpp>
#include <schedpol/engine/impl/object_changes.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The denial of an object because of one policy. `field` is what the policy is about in it.
[[nodiscard]] inline Violation invalid_policy(FieldPath field, const std::string& name,
                                              const FieldError& reason) {
  return {.code = ViolationCode::invalid_policy,
          .field = std::move(field),
          .value = message(reason),
          .policies = {name}};
}

/// The denial of a pod, which is as it came.
[[nodiscard]] inline Admission denied(Pod&& pod, std::vector<Violation>&& violations) {
  Admission admission;
  admission.pod = std::move(pod);
  admission.violations = std::move(violations);
  return admission;
}

/// The same, with the violations of an admission after these.
[[nodiscard]] inline Admission denied(Admission&& admission, const Pod& pod,
                                      std::vector<Violation>&& violations) {
  if (violations.empty()) return std::move(admission);
  schedpol::detail::append(violations, std::move(admission.violations));
  return denied(Pod(pod), std::move(violations));
}

/// Leaves out what there was before, word for word: a MetadataPolicy that rejects an object anew is not
/// one that rejected it before.
inline std::vector<Violation> without(std::vector<Violation> added,
                                      const std::vector<Violation>& had) {
  schedpol::detail::erase_if(added, [&](const Violation& violation) {
    return schedpol::detail::contains(had, violation);
  });
  return added;
}

/// The pods of a PodSelection.
class PodMatcher {
 public:
  explicit PodMatcher(const PodSelection& selection)
      : namespaces_(schedpol::detail::widest_matcher(selection.namespaces)),
        labels_(schedpol::detail::widest_matcher(selection.labels)),
        annotations_(
            schedpol::detail::widest_matcher(selection.annotations, SelectedValues::annotations)) {}

  /// `in` is the namespace; null where it is not known, and might be selected.
  [[nodiscard]] bool might_match(const ObjectMeta& object, const Namespace* in) const noexcept {
    return (in == nullptr || namespaces_.matches(in->metadata.labels)) &&
           labels_.matches(object.labels) && annotations_.matches(object.annotations);
  }

 private:
  LabelMatcher namespaces_;
  LabelMatcher labels_;
  LabelMatcher annotations_;
};

/// Those of one system, by kind and name.
class UnusablePolicies {
 public:
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

  /// Those of `changes`. `selections_of(policy)` are the pods that a policy may be about.
  template <class Policy, class SelectionsOf>
  void apply(const ObjectChanges& changes, SelectionsOf&& selections_of) {
    visit_list<Policy>(changes.replaced, [&](const auto& replaced, ObjectKinds kinds) {
      for (const Policy& policy : replaced)
        all_.erase(name_of(kind_of(policy, kinds), policy.metadata));
      changes.for_each_unusable<Policy>(
          [&](const Policy& policy, ObjectName&& name, const FieldError& reason) {
            add(std::move(name), reason, selections_of(policy));
          });
      for (const Unread& unread : changes.unread) {
        if (schedpol::detail::none_of(
                kinds, [&](const ObjectKind& kind) { return kind.name == unread.name.kind; }))
          continue;
        const std::vector<PodSelection>& selects = unread.object->selects;
        add(unread.name, unread.reason, selects.empty() ? std::vector<PodSelection>(1) : selects);
      }
    });
  }

  /// Why an object with this metadata is denied. `in` is its namespace; null where that is not
  /// known. `field` is what the policies are about in the object.
  [[nodiscard]] std::vector<Violation> violations(const FieldPath& field,
                                                  const ObjectMeta& metadata,
                                                  const Namespace* in) const {
    std::vector<Violation> violations;
    const ObjectName* reported = nullptr;
    for (const auto& [name, policy] : all_) {
      if (reported != nullptr && *reported == name) continue;
      // One that says no namespace, though its kind has one, might be meant for any.
      const bool here = name.namespace_.empty() || name.namespace_ == namespace_of(metadata);
      if (!here || schedpol::detail::none_of(policy.pods, [&](const PodMatcher& one) {
            return one.might_match(metadata, in);
          }))
        continue;
      violations.push_back(invalid_policy(field, name.name, policy.reason));
      reported = &name;
    }
    return violations;
  }

 private:
  struct UnusablePolicy {
    FieldError reason;
    std::vector<PodMatcher> pods;  ///< that it may be about, by one of these
  };

  /// Beside others of that name, each of which may be the one that counts.
  void add(ObjectName name, const FieldError& reason, const std::vector<PodSelection>& selections) {
    all_.emplace(std::move(name), UnusablePolicy{reason, {selections.begin(), selections.end()}});
  }

  std::multimap<ObjectName, UnusablePolicy> all_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
