// SPDX-License-Identifier: Apache-2.0
#pragma once

/// MetadataPolicy as an Engine runs it.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/impl/persistent_map.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/impl/kept_objects.hpp>
#include <schedpol/engine/impl/suspects.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/systems/compiled_policies.hpp>
#include <schedpol/metadata_policy/compile.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/reinvocation.hpp>
#include <schedpol/metadata_policy/scheduler.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace schedpol::engine::detail {

class MetadataPolicySystem final : public RunningSystem {
 public:
  explicit MetadataPolicySystem(const Settings&) : policies_(*metadata_policy::compile({})) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.metadata_policies.empty();
  }
  Running with(const ObjectChanges& changes) const override {
    auto made = std::make_shared<MetadataPolicySystem>(*this);
    take_over(made->policies_, changes.replaced.metadata_policies,
              changes.usable.metadata_policies);
    for (const Policy& replaced : changes.replaced.metadata_policies)
      made->suspects_.erase(name_of(kind, replaced.metadata));
    for (const auto& [object, reason] : changes.unusable_of<Policy>())
      made->suspects_.add(name_of(kind, object.metadata), suspect(object, reason));
    made->objects_.take_over(
        changes.replaced.metadata_policies, changes.usable.metadata_policies,
        [](const Policy& policy) {
          return schedpol::detail::MapKeyView{0, policy.metadata.namespace_, policy.metadata.name};
        });
    made->suspects_.add_unread(changes, kind.name);
    return made;
  }
  void collect(Objects& into) const override { objects_.collect(into.metadata_policies); }

  Admission admit(Pod&& pod, Question) const override {
    return denied(metadata_policy::readmit(pod, policies_), pod, suspects_of(pod));
  }

  std::size_t candidates(const Pod& pod) const override {
    return suspects_.size() + policies_.candidates(pod.metadata);
  }

  /// What cannot be changed for a policy that cannot be used would be lost.
  Admission revise(const Pod& old, Pod&& updated, Question) const override {
    std::vector<Violation> suspects = suspects_of(updated);
    if (!suspects.empty()) return denied(std::move(updated), std::move(suspects));
    return metadata_policy::readmit_update(old, updated, policies_);
  }

  /// Metadata is changed again; a pod that runs is not denied for a policy that cannot be used.
  Admission update(const Pod& old, Pod&& updated, Question) const override {
    return denied(metadata_policy::readmit_update(old, updated, policies_), updated,
                  without(suspects_of(updated), suspects_of(old)));
  }

  std::vector<Violation> judge_update(const Pod& old, const Pod& updated,
                                      Question question) const override {
    return update(old, Pod(updated), question).violations;
  }

  std::optional<MetadataOutcome> admit_metadata(const ObjectMeta& metadata,
                                                const ObjectMeta* old) const override {
    const FieldPath field{"metadata"};
    auto made = old == nullptr ? metadata_policy::readmit(metadata, policies_)
                               : metadata_policy::readmit_update(*old, metadata, policies_);
    MetadataOutcome admission{.violations = suspects_.violations(field, metadata, nullptr)};
    if (old != nullptr)
      admission.violations =
          without(std::move(admission.violations), suspects_.violations(field, *old, nullptr));
    for (Violation& violation : metadata_policy::violations(made))
      admission.violations.push_back(std::move(violation));
    admission.allowed = admission.violations.empty();
    admission.metadata = admission.allowed ? std::move(made.metadata) : metadata;
    if (admission.allowed) admission.changes = std::move(made.changes);
    return admission;
  }

 private:
  using Policy = metadata_policy::MetadataPolicy;
  static constexpr ObjectKind kind{"MetadataPolicy", Scope::namespace_};

  static Suspect suspect(const Policy& policy, const FieldError& reason) {
    Suspect suspect{.reason = reason, .objects = {}};
    for (const metadata_policy::MetadataPolicyRule& rule : policy.spec.rules) {
      const auto& [labels, annotations] = rule.policy_predicate;
      suspect.objects.emplace_back(PodSelection{.labels = labels, .annotations = annotations});
    }
    return suspect;
  }

  [[nodiscard]] std::vector<Violation> suspects_of(const Pod& pod) const {
    if (suspects_.empty()) return {};
    return suspects_.violations(field_path(pod.kind, {"spec"}),
                                metadata_policy::annotate_qos(pod).metadata, nullptr);
  }

  metadata_policy::CompiledPolicies policies_;
  KeptObjects<Policy> objects_;
  Suspects suspects_;
};

}  // namespace schedpol::engine::detail
