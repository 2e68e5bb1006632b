// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/engine/impl/kept_tolerations.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/systems/metadata_policy.hpp>
#include <schedpol/engine/impl/systems/pod_scheduling_policy.hpp>
#include <schedpol/engine/impl/systems/resource_policy.hpp>
#include <schedpol/engine/impl/systems/runtime_class.hpp>
#include <schedpol/engine/impl/systems/scheduling_policy.hpp>
#include <schedpol/engine/impl/unusable_policies.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

SCHEDPOL_INLINE scheduling_policy::Options admission_options(scheduling_policy::Options options) {
  options.default_scheduler = DefaultScheduler::unspecified;
  return exempt(std::move(options), scheduling_policy::default_toleration_seconds());
}

namespace detail {

SCHEDPOL_INLINE std::vector<Violation> CompiledSystem::violations_of(
    const Pod& object, const Old<Pod>* old, AdmissionContext context) const {
  context.values = ChangeValues::omitted;
  if (old == nullptr) return admit(Pod(object), context).violations;
  return object.kind == PodKind::pod ? update_pod(*old, Pod(object), context).violations
                                     : update_template(*old, Pod(object), context).violations;
}

SCHEDPOL_INLINE std::vector<Violation> CompiledSystem::violations(
    const Pod& pod, const AdmissionContext& context) const {
  return violations_of(pod, nullptr, context);
}

SCHEDPOL_INLINE std::vector<Violation> CompiledSystem::judge_update(
    const Old<Pod>& old, const Pod& updated, AdmissionContext context) const {
  std::vector<Violation> added = violations(updated, context);
  if (added.empty()) return added;
  return without(std::move(added), violations(old.object, context));
}

SCHEDPOL_INLINE Admission CompiledSystem::update_pod(const Old<Pod>& old, Pod&& updated,
                                                     AdmissionContext context) const {
  Admission admission;
  admission.pod = std::move(updated);
  auto lost = lost_tolerations(old.object, admission.pod);
  if (!lost.empty()) {
    const Admission created = admit(Pod(admission.pod), context);
    if (created.allowed) put_back(std::move(lost), old.object, created, admission);
  }
  // What is put back may be what a policy requires.
  admission.violations = judge_update(old, admission.pod, context);
  admission.allowed = admission.violations.empty();
  if (!admission.allowed) admission.changes.clear();
  return admission;
}

SCHEDPOL_INLINE Admission CompiledSystem::update_template(const Old<Pod>& old, Pod&& updated,
                                                          AdmissionContext context) const {
  Admission admission = admit(Pod(updated), context);
  if (admission.allowed) return admission;
  admission.violations = judge_update(old, updated, context);
  admission.pod = std::move(updated);
  admission.allowed = admission.violations.empty();
  return admission;
}

SCHEDPOL_INLINE std::vector<Violation> CompiledSystem::verify(const Pod& final,
                                                              AdmissionContext context) const {
  return violations(final, context);
}

SCHEDPOL_INLINE ClusterCriteria cluster_criteria(const Pod& pod, const AdmissionContext& context) {
  ClusterCriteria criteria;
  std::array<Mode, std::size(all_systems)> modes{};
  modes.fill(Mode::audit);
  for (const Step& step : context.steps) modes[static_cast<std::size_t>(step.system)] = step.mode;
  for (std::size_t i = 0; i < context.systems.size(); ++i)
    context.systems[i]->add_criteria(pod, modes[i], criteria);
  return criteria;
}

template <class System>
SharedSystem make(const Settings& settings) {
  return SharedSystem(System(settings));
}

SCHEDPOL_INLINE const SystemRows& system_rows() noexcept {
  static constexpr SystemRows table = {{
      {System::runtime_class, "RuntimeClass", "runtime-class", false, make<RuntimeClassSystem>},
      {System::metadata_policy, "MetadataPolicy", "metadata-policy", true,
       make<MetadataPolicySystem>},
      {System::pod_scheduling_policy, "PodSchedulingPolicy", "pod-scheduling-policy", false,
       make<PodSchedulingPolicySystem>},
      {System::scheduling_policy, "SchedulingPolicy", "scheduling-policy", false,
       make<SchedulingPolicySystem>},
      {System::resource_policy, "ResourcePolicy", "resource-policy", false,
       make<ResourcePolicySystem>},
  }};
  static_assert(
      [] {
        for (std::size_t i = 0; i < table.size(); ++i)
          if (table[i].system != all_systems[i]) return false;
        return true;
      }(),
      "a row each, in the order of the enumeration");
  return table;
}

SCHEDPOL_INLINE EffectivePolicy effective_policy(const std::vector<SharedSystem>& systems,
                                                 const Pod& pod) {
  const auto index = static_cast<std::size_t>(System::scheduling_policy);
  return static_cast<const SchedulingPolicySystem&>(*systems[index]).effective_policy(pod);
}

}  // namespace detail

SCHEDPOL_INLINE rbac::Access access_of(const Settings& settings) {
  rbac::Access access = settings.access;
  if (access.api_group.empty()) access.api_group = own_api_group;
  return access;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
