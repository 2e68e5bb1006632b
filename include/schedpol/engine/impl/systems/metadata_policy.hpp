// SPDX-License-Identifier: Apache-2.0
#pragma once

/// MetadataPolicy as an Engine runs it.

#include <schedpol/engine/impl/object_store.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/unusable_policies.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/reinvocation.hpp>
#include <schedpol/metadata_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class MetadataPolicySystem final : public CompiledSystem {
 public:
  explicit MetadataPolicySystem(const Settings& settings)
      : options_(metadata_policy::Options(settings.metadata_policy)),
        policies_(*metadata_policy::compile({})) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.metadata_policies.empty();
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    MetadataPolicySystem made(*this);
    replace_policies(made.policies_, changes.replaced.metadata_policies,
                     changes.usable.metadata_policies);
    made.unusable_.apply<Policy>(changes, selections_of);
    made.objects_.apply(changes);
    return SharedSystem(std::move(made));
  }

  [[nodiscard]] const auto& objects() const noexcept { return objects_; }

  Admission admit(Pod&& pod, AdmissionContext) const override {
    return denied(metadata_policy::readmit(pod, policies_, options_->qos_annotation), pod,
                  denials_of(pod));
  }

  std::string full_name(const std::string& policy, const Pod& pod) const override {
    return policy.empty() ? policy : std::string(namespace_of(pod.metadata)) + '/' + policy;
  }

  /// What cannot be changed for a policy that cannot be used would be lost.
  Admission update_template(const Old<Pod>& old, Pod&& updated, AdmissionContext) const override {
    std::vector<Violation> denials = denials_of(updated);
    if (!denials.empty()) return denied(std::move(updated), std::move(denials));
    return metadata_policy::readmit_update(old, updated, policies_, options_->qos_annotation);
  }

  /// Metadata is changed again; a pod that runs is not denied for a policy that cannot be used.
  Admission update_pod(const Old<Pod>& old, Pod&& updated, AdmissionContext) const override {
    return denied(
        metadata_policy::readmit_update(old, updated, policies_, options_->qos_annotation), updated,
        without(denials_of(updated), denials_of(old.object)));
  }

  std::vector<Violation> judge_update(const Old<Pod>& old, const Pod& updated,
                                      AdmissionContext context) const override {
    return update_pod(old, Pod(updated), context).violations;
  }

  bool exempts(std::string_view api_group, std::string_view kind,
               const Requester& requester) const override {
    return exempts_kind(*options_, api_group, kind) ||
           options_->exempt_users.contains(requester.name) ||
           schedpol::detail::any_of(requester.groups, [&](const std::string& group) {
             return options_->exempt_groups.contains(group);
           });
  }

  std::optional<MetadataOutcome> admit_metadata(const ObjectMeta& metadata,
                                                const Old<ObjectMeta>* old) const override {
    const FieldPath field{"metadata"};
    auto made = old == nullptr ? metadata_policy::readmit(metadata, policies_)
                               : metadata_policy::readmit_update(*old, metadata, policies_);
    MetadataOutcome admission{.violations = unusable_.violations(field, metadata, nullptr)};
    if (old != nullptr)
      admission.violations = without(std::move(admission.violations),
                                     unusable_.violations(field, old->object, nullptr));
    for (Violation& violation : metadata_policy::violations(made))
      admission.violations.push_back(std::move(violation));
    admission.allowed = admission.violations.empty();
    admission.metadata = admission.allowed ? std::move(made.metadata) : ObjectMeta(metadata);
    if (admission.allowed) admission.changes = std::move(made.changes);
    return admission;
  }

 private:
  using Policy = metadata_policy::MetadataPolicy;

  static std::vector<PodSelection> selections_of(const Policy& policy) {
    std::vector<PodSelection> selections;
    for (const metadata_policy::MetadataPolicyRule& rule : policy.spec.rules) {
      const auto& [labels, annotations] = rule.policy_predicate;
      selections.push_back({.labels = labels, .annotations = annotations});
    }
    return selections;
  }

  [[nodiscard]] std::vector<Violation> denials_of(const Pod& pod) const {
    if (unusable_.empty()) return {};
    return unusable_.violations(field_path(pod.kind, {"spec"}),
                                metadata_policy::annotate_qos(pod).metadata, nullptr);
  }

  Shared<metadata_policy::Options> options_;
  metadata_policy::CompiledPolicies policies_;
  ObjectStore<Policy> objects_;
  UnusablePolicies unusable_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
