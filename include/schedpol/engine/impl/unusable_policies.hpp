// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Policies that cannot be used, and the pods that each of them might have applied to: those that
/// its selectors select, where one that cannot be read itself selects everything. Such a pod is
/// denied, because nobody knows what the policy would have made of it.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/impl/object_changes.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::engine::detail {

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

/// The same besides what an admission says.
[[nodiscard]] inline Admission denied(Admission&& admission, const Pod& pod,
                                      std::vector<Violation>&& violations) {
  if (violations.empty()) return std::move(admission);
  violations.insert(violations.end(), std::make_move_iterator(admission.violations.begin()),
                    std::make_move_iterator(admission.violations.end()));
  return denied(Pod(pod), std::move(violations));
}

/// Leaves out what there was before.
inline std::vector<Violation> without(std::vector<Violation> added,
                                      const std::vector<Violation>& had) {
  std::erase_if(added, [&](const Violation& violation) {
    return std::find(had.begin(), had.end(), violation) != had.end();
  });
  return added;
}

/// Selects everything where the selector cannot be read.
[[nodiscard]] inline LabelMatcher widest(const std::optional<LabelSelector>& selector,
                                         SelectedValues selected = SelectedValues::labels) {
  if (auto matcher = compile(selector, {}, selected)) return *std::move(matcher);
  return *compile(LabelSelector{});
}

/// One policy that cannot be used.
struct Suspect {
  struct Selected {
    explicit Selected(const PodSelection& selection)
        : namespaces(widest(selection.namespaces.value_or(LabelSelector{}))),
          labels(widest(selection.labels.value_or(LabelSelector{}))),
          annotations(widest(selection.annotations.value_or(LabelSelector{}),
                             SelectedValues::annotations)) {}

    LabelMatcher namespaces;  ///< unknown ones might be selected
    LabelMatcher labels;
    LabelMatcher annotations;
  };

  FieldError reason;
  std::vector<Selected> objects;  ///< one of these is enough

  [[nodiscard]] bool might_apply(const ObjectMeta& object, const ObjectMeta* in) const noexcept {
    return std::any_of(objects.begin(), objects.end(), [&](const Selected& one) {
      return (in == nullptr || one.namespaces.matches(in->labels)) &&
             one.labels.matches(object.labels) && one.annotations.matches(object.annotations);
    });
  }
};

/// Those of one system, by kind and name.
class Suspects {
 public:
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }

  void erase(const ObjectName& name) { all_.erase(name); }
  /// Beside others of that name, each of which may be the one that counts.
  void add(ObjectName name, Suspect suspect) { all_.emplace(std::move(name), std::move(suspect)); }
  /// Those of a kind that could not be read.
  void add_unread(const ObjectChanges& changes, std::string_view kind) {
    for (const Unread& unread : changes.unread) {
      if (unread.name.kind != kind) continue;
      Suspect suspect{.reason = unread.reason, .objects = {}};
      for (const PodSelection& selection : unread.object->selects)
        suspect.objects.emplace_back(selection);
      if (suspect.objects.empty()) suspect.objects.emplace_back(PodSelection{});
      add(unread.name, std::move(suspect));
    }
  }

  /// Why an object with this metadata is denied. `in` is its namespace; null where that is not
  /// known. `field` is what the policies are about in the object.
  [[nodiscard]] std::vector<Violation> violations(const FieldPath& field,
                                                  const ObjectMeta& metadata,
                                                  const ObjectMeta* in) const {
    std::vector<Violation> violations;
    const ObjectName* said = nullptr;
    for (const auto& [name, suspect] : all_) {
      if (said != nullptr && *said == name) continue;
      // One that says no namespace, though its kind has one, might be meant for any.
      const bool here = name.namespace_.empty() || name.namespace_ == metadata.namespace_;
      if (!here || !suspect.might_apply(metadata, in)) continue;
      violations.push_back(invalid_policy(field, name.name, suspect.reason));
      said = &name;
    }
    return violations;
  }

 private:
  std::multimap<ObjectName, Suspect> all_;
};

}  // namespace schedpol::engine::detail
