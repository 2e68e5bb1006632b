// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ResourcePolicy as an Engine runs it: the policies of each namespace. They are compiled again when one
/// of them changes.

#include <schedpol/base/impl/persistent_map.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/unusable_policies.hpp>
#include <schedpol/resource_policy/admit.hpp>
#include <schedpol/resource_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class ResourcePolicySystem final : public CompiledSystem {
 public:
  explicit ResourcePolicySystem(const Settings&) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.resource_policies.empty();
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    ResourcePolicySystem made(*this);
    std::set<std::string_view> touched;
    for (const Policy& replaced : changes.replaced.resource_policies) {
      made.remove(replaced.metadata);
      touched.insert(replaced.metadata.namespace_);
    }
    for (const Policy& policy : changes.usable.resource_policies)
      made.policies_[{0, policy.metadata.namespace_, {}}].objects.push_back(policy);
    made.unusable_.apply<Policy>(changes, [](const Policy& policy) {
      return std::vector<PodSelection>{{.labels = policy.spec.pod_selector}};
    });
    for (const std::string_view namespace_ : touched) made.compile({0, namespace_, {}});
    return SharedSystem(std::move(made));
  }

  /// Those of a namespace; null where there are none.
  [[nodiscard]] const std::vector<resource_policy::ResourcePolicy>* policies_in(
      std::string_view namespace_) const noexcept {
    const OfNamespace* const here = policies_.find({0, namespace_, {}});
    return here == nullptr ? nullptr : &here->objects;
  }

  Admission admit(Pod&& pod, AdmissionContext) const override {
    std::vector<Violation> denials =
        unusable_.violations(field_path(pod.kind, {"spec"}), pod.metadata, nullptr);
    const OfNamespace* const here = policies_.find({0, namespace_of(pod.metadata), {}});
    Admission admission;
    if (here != nullptr) {
      admission = resource_policy::admit(std::move(pod), here->compiled);
    } else {
      admission.allowed = true;
      admission.pod = std::move(pod);
    }
    if (denials.empty()) return admission;
    // It changes nothing, so the pod is as it came.
    const Pod as_it_came = admission.pod;
    return denied(std::move(admission), as_it_came, std::move(denials));
  }

 private:
  using Policy = resource_policy::ResourcePolicy;

  struct OfNamespace {
    std::vector<Policy> objects;
    resource_policy::CompiledPolicies compiled;
  };

  void remove(const ObjectMeta& metadata) {
    schedpol::detail::erase_if(
        policies_[{0, metadata.namespace_, {}}].objects,
        [&](const Policy& policy) { return policy.metadata.name == metadata.name; });
  }
  void compile(const schedpol::detail::MapKeyView& key) {
    OfNamespace& here = policies_[key];
    if (here.objects.empty()) return policies_.erase(key);
    // What has been found good can be compiled; otherwise it denies.
    auto compiled = resource_policy::compile(here.objects);
    here.compiled = compiled ? *std::move(compiled) : resource_policy::CompiledPolicies();
  }

  schedpol::detail::PersistentMap<OfNamespace> policies_;  ///< by namespace
  UnusablePolicies unusable_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
