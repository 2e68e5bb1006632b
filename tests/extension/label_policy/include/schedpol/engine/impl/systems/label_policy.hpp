// SPDX-License-Identifier: Apache-2.0
#pragma once

/// LabelPolicy as an Engine runs it.

#include <schedpol/engine/impl/object_store.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/unusable_policies.hpp>
#include <schedpol/label_policy/admit.hpp>
#include <schedpol/label_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class LabelPolicySystem final : public CompiledSystem {
 public:
  explicit LabelPolicySystem(const Settings&) : compiled_(label_policy::compile({})) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.label_policies.empty();
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    LabelPolicySystem made(*this);
    made.objects_.apply(changes);
    made.unusable_.apply<Policy>(changes,
                                 [](const Policy&) { return std::vector<PodSelection>{{}}; });
    std::vector<Policy> policies;
    made.objects_.for_each<Policy>([&](const Policy& policy) {
      policies.push_back(policy);
      return true;
    });
    made.compiled_ = label_policy::compile(policies);
    return SharedSystem(std::move(made));
  }

  Admission admit(Pod&& pod, AdmissionContext) const override {
    std::vector<Violation> denials =
        unusable_.violations(field_path(pod.kind, {"spec"}), pod.metadata, nullptr);
    if (!denials.empty()) return denied(std::move(pod), std::move(denials));
    return label_policy::admit(std::move(pod), compiled_);
  }

 private:
  using Policy = label_policy::LabelPolicy;

  ObjectStore<Policy> objects_;
  label_policy::CompiledPolicies compiled_;
  UnusablePolicies unusable_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
