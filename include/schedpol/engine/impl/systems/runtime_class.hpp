// SPDX-License-Identifier: Apache-2.0
#pragma once

/// RuntimeClass as an Engine runs it.

#include <schedpol/base/impl/persistent_map.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/unusable_policies.hpp>
#include <schedpol/runtime_class/admit.hpp>
#include <schedpol/runtime_class/validate.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class RuntimeClassSystem final : public CompiledSystem {
 public:
  explicit RuntimeClassSystem(const Settings&) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.runtime_classes.empty();
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    RuntimeClassSystem made(*this);
    for (const runtime_class::RuntimeClass& replaced : changes.replaced.runtime_classes)
      made.by_name_.erase({0, replaced.metadata.name, {}});
    for (const runtime_class::RuntimeClass& object : changes.usable.runtime_classes) {
      StoredClass& stored = made.by_name_[{0, object.metadata.name, {}}];
      stored.usable.emplace(object);
      if (object.scheduling)
        stored.criteria = SchedulingCriteria{.node_selector = object.scheduling->node_selector,
                                             .tolerations = object.scheduling->tolerations};
    }
    changes.for_each_unusable<runtime_class::RuntimeClass>(
        [&](const auto&, ObjectName&& name, const FieldError& reason) {
          made.by_name_[{0, name.name, {}}].reason = reason;
        });
    for (const Unread& unread : changes.unread)
      if (unread.name.kind == "RuntimeClass")
        made.by_name_[{0, unread.name.name, {}}].reason = unread.reason;
    std::vector<runtime_class::RuntimeClass> classes;
    made.by_name_.for_each([&](const StoredClass& stored) {
      if (stored.usable) classes.push_back(*stored.usable);
    });
    made.classes_ = runtime_class::compile(classes);
    return SharedSystem(std::move(made));
  }

  Admission admit(Pod&& pod, AdmissionContext) const override {
    if (std::vector<Violation> denials = denials_of(pod); !denials.empty())
      return denied(std::move(pod), std::move(denials));
    return runtime_class::admit(std::move(pod), classes_);
  }
  /// An overhead written into a template would deny its pods once the class has another one.
  bool changes(PodKind kind) const noexcept override { return kind == PodKind::pod; }

  std::vector<Violation> verify(const Pod& final, AdmissionContext context) const override {
    std::vector<Violation> denials = denials_of(final);
    if (!denials.empty()) return denials;
    return changes(final.kind) ? runtime_class::verify(final, classes_)
                               : violations(final, context);
  }

  /// To the pods of a template the API server's own RuntimeClass plugin adds the same where this system
  /// does not enforce.
  void add_criteria(const Pod& pod, Mode mode, ClusterCriteria& criteria) const override {
    const StoredClass* const stored = by_name_.find({0, pod.spec.runtime_class_name, {}});
    if (stored == nullptr || !stored->criteria) return;
    const std::string& name = pod.spec.runtime_class_name;
    if (pod.kind == PodKind::pod) {
      if (mode == Mode::enforce) criteria.put_into_pod(name, *stored->criteria);
    } else {
      criteria.add_to_pods(name, **stored->criteria);
    }
  }

  void add_unknown(const Pod& pod, const AdmissionContext&,
                   std::vector<UnknownObject>& unknown) const override {
    const std::string& name = pod.spec.runtime_class_name;
    if (!name.empty() && by_name_.find({0, name, {}}) == nullptr)
      unknown.push_back({.kind = "RuntimeClass", .name = name});
  }

 private:
  [[nodiscard]] std::vector<Violation> denials_of(const Pod& pod) const {
    const std::string& name = pod.spec.runtime_class_name;
    const StoredClass* const stored = by_name_.find({0, name, {}});
    if (stored == nullptr || name.empty() || !stored->reason) return {};
    return {invalid_policy(field_path(pod.kind, {"spec"}), name, *stored->reason)};
  }

  /// A class, or why it cannot be used.
  struct StoredClass {
    std::optional<runtime_class::RuntimeClass> usable{};
    std::optional<FieldError> reason{};
    std::optional<SharedCriteria> criteria{};  ///< what its `scheduling` adds to pods
  };

  schedpol::detail::PersistentMap<StoredClass> by_name_;
  runtime_class::CompiledClasses classes_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
