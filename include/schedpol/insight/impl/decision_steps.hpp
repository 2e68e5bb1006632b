// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a decision costs before it is made, for what makes many.

#include <schedpol/engine/impl/engine_impl.hpp>
#include <schedpol/engine/impl/systems/metadata_policy.hpp>
#include <schedpol/engine/impl/systems/pod_scheduling_policy.hpp>
#include <schedpol/engine/impl/systems/resource_policy.hpp>
#include <schedpol/engine/impl/systems/scheduling_policy.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Steps of a decision of an engine, by the policies that stand where the object does. An index may
/// find few of them for it; it may also find all.
class DecisionSteps {
 public:
  explicit DecisionSteps(const Engine& engine) : impl_(EngineAccess::of(engine)) {
    if (impl_ == nullptr) return;
    of_every_pod_ += steps_of_policy * impl_->problems.size();
    for (const Step& step : impl_->steps)
      if (step.system == System::pod_scheduling_policy)
        compiled<PodSchedulingPolicySystem>(step).objects().for_each_of_cluster<InjectedPolicy>(
            [&](const auto&) { return of_every_pod_ += steps_of_policy; });
  }

  [[nodiscard]] std::size_t of(const Pod& object) {
    if (impl_ == nullptr) return of_every_pod_;
    const auto [found, is_new] =
        in_namespace_.try_emplace(std::string(namespace_of(object.metadata)), 0);
    if (is_new) found->second = steps_of_policy * policies_in(found->first);
    std::size_t steps = of_every_pod_ + found->second;
    for (const Step& step : impl_->steps)
      if (step.system == System::scheduling_policy)
        steps += compiled<SchedulingPolicySystem>(step).bytes_merged_for(object);
    return steps;
  }

 private:
  using InjectedPolicy = pod_scheduling_policy::PodSchedulingPolicy;

  template <class T>
  [[nodiscard]] const T& compiled(const Step& step) const {
    return static_cast<const T&>(impl_->compiled(step.system));
  }

  /// Or rules of policies.
  [[nodiscard]] std::size_t policies_in(const std::string& namespace_) const {
    std::size_t count = 0;
    for (const Step& step : impl_->steps) {
      if (step.system == System::metadata_policy) {
        compiled<MetadataPolicySystem>(step).objects().for_each_in<metadata_policy::MetadataPolicy>(
            namespace_, [&](const auto& policy) {
              count += policy.spec.rules.size();
              return true;
            });
      } else if (step.system == System::pod_scheduling_policy) {
        compiled<PodSchedulingPolicySystem>(step).objects().for_each_in<InjectedPolicy>(
            namespace_, [&](const auto&) { return ++count; });
      } else if (step.system == System::resource_policy) {
        const auto* here = compiled<ResourcePolicySystem>(step).policies_in(namespace_);
        if (here != nullptr) count += here->size();
      }
    }
    return count;
  }

  static constexpr std::size_t steps_of_decision = 50;
  static constexpr std::size_t steps_of_policy = 2;

  const EngineAccess::Impl* impl_;
  std::size_t of_every_pod_ = steps_of_decision;
  std::map<std::string, std::size_t> in_namespace_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
