// SPDX-License-Identifier: Apache-2.0
#pragma once

/// RuntimeClass as an Engine runs it.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/scheduling_criteria.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/unusable_policies.hpp>
#include <schedpol/runtime_class/admit.hpp>
#include <schedpol/runtime_class/compile.hpp>
#include <schedpol/runtime_class/verify.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class RuntimeClassSystem final : public RunningSystem {
 public:
  explicit RuntimeClassSystem(const Settings&) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.runtime_classes.empty();
  }
  Running with(const ObjectChanges& changes) const override {
    auto made = std::make_shared<RuntimeClassSystem>(*this);
    for (const runtime_class::RuntimeClass& replaced : changes.replaced.runtime_classes) {
      made->usable_.erase(replaced.metadata.name);
      made->unusable_.erase(replaced.metadata.name);
      made->criteria_.erase(replaced.metadata.name);
    }
    for (const runtime_class::RuntimeClass& object : changes.usable.runtime_classes) {
      made->usable_.insert_or_assign(object.metadata.name, object);
      if (!object.scheduling) continue;
      made->criteria_.insert_or_assign(
          object.metadata.name,
          SchedulingCriteria{.node_selector = object.scheduling->node_selector,
                             .tolerations = object.scheduling->tolerations});
    }
    for (const auto& [object, reason] : changes.unusable_of<runtime_class::RuntimeClass>())
      made->unusable_.insert_or_assign(object.metadata.name, reason);
    for (const Unread& unread : changes.unread)
      if (unread.name.kind == "RuntimeClass")
        made->unusable_.insert_or_assign(unread.name.name, unread.reason);
    std::vector<runtime_class::RuntimeClass> classes;
    for (const auto& [name, object] : made->usable_) classes.push_back(object);
    // What cannot be compiled knows no class, and so denies.
    auto compiled = runtime_class::compile(classes);
    made->classes_ = compiled ? *std::move(compiled) : runtime_class::CompiledClasses();
    return made;
  }

  Admission admit(Pod&& pod, Question) const override {
    if (std::vector<Violation> denials = denials_of(pod); !denials.empty())
      return denied(std::move(pod), std::move(denials));
    return runtime_class::admit(std::move(pod), classes_);
  }
  /// An overhead written into a template would deny its pods once the class has another one.
  bool changes(PodKind kind) const noexcept override { return kind == PodKind::pod; }

  std::vector<Violation> verify(const Pod& final, Question question) const override {
    std::vector<Violation> denials = denials_of(final);
    if (!denials.empty()) return denials;
    return changes(final.kind) ? runtime_class::verify(final, classes_)
                               : violations(final, question);
  }

  /// The API server's own RuntimeClass plugin adds the same where this system is not run.
  void add_criteria(const Pod& pod, Mode, ClusterCriteria& criteria) const override {
    const auto found = criteria_.find(pod.spec.runtime_class_name);
    if (found == criteria_.end()) return;
    if (pod.kind == PodKind::pod) {
      criteria.of_pod.push_back(found->second);
    } else {
      criteria.added_to_pods = *found->second;
    }
  }

 private:
  [[nodiscard]] std::vector<Violation> denials_of(const Pod& pod) const {
    const auto found = unusable_.find(pod.spec.runtime_class_name);
    if (found == unusable_.end() || found->first.empty()) return {};
    return {invalid_policy(field_path(pod.kind, {"spec"}), found->first, found->second)};
  }

  std::map<std::string, runtime_class::RuntimeClass, std::less<>> usable_;
  std::map<std::string, FieldError, std::less<>> unusable_;
  std::map<std::string, SharedCriteria, std::less<>> criteria_;
  runtime_class::CompiledClasses classes_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
