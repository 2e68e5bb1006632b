// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an Engine is made of, for what is asked of one besides decisions.

#include <schedpol/base/impl/persistent_map.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/engine/impl/mirror_annotation.hpp>
#include <schedpol/engine/impl/object_changes.hpp>
#include <schedpol/engine/impl/systems.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// What the labels of namespaces say of modes, of those that are known.
class NamespaceModeTable {
 public:
  /// Nothing, where no label says a mode.
  NamespaceModeTable() = default;
  NamespaceModeTable(const NamespaceModes& modes, const std::vector<Step>& steps) {
    for (const Mode mode : all_modes) {
      std::vector<Step>& stricter = steps_.emplace_back(steps);
      for (Step& step : stricter) step.mode = std::min(mode, modes.weakest);
    }
  }

  void apply(const ObjectChanges& changes) {
    if (steps_.empty()) return;
    for (const Namespace& replaced : changes.replaced.namespaces)
      modes_.erase({0, replaced.metadata.name, {}});
    for (const Namespace& in : changes.usable.namespaces) {
      std::optional<Mode>& said = modes_[{0, in.metadata.name, {}}];
      const auto label = in.metadata.labels.find(mode_label);
      said.reset();
      if (label == in.metadata.labels.end()) continue;
      said = Mode::enforce;
      for (const Mode mode : all_modes)
        if (label->second == to_string(mode)) said = mode;
    }
  }

  /// Whether it would matter to know the namespace.
  [[nodiscard]] bool lacks(std::string_view namespace_) const noexcept {
    return !steps_.empty() && modes_.find({0, namespace_, {}}) == nullptr;
  }

  /// The steps of objects in the namespace, which are `configured` where no label says otherwise.
  [[nodiscard]] const std::vector<Step>& steps_in(
      std::string_view namespace_, const std::vector<Step>& configured) const noexcept {
    if (steps_.empty()) return configured;
    const std::optional<Mode>* const said = modes_.find({0, namespace_, {}});
    if (said == nullptr) return steps_.front();
    return *said ? steps_[static_cast<std::size_t>(**said)] : configured;
  }

 private:
  std::vector<std::vector<Step>> steps_;  ///< by the mode of a label
  schedpol::detail::PersistentMap<std::optional<Mode>> modes_;
};

}  // namespace detail

struct Engine::Impl {
  std::vector<Step> steps;  ///< as they are configured
  detail::NamespaceModeTable namespace_modes;
  std::vector<detail::SharedSystem> systems;  ///< of all rows, in their order
  Settings settings;
  detail::Problems problems;
  bool looks_at_metadata = false;

  [[nodiscard]] const detail::CompiledSystem& compiled(System system) const noexcept {
    return *systems[static_cast<std::size_t>(system)];
  }

  /// With the systems and their modes, because one judges by what the others give.
  [[nodiscard]] detail::AdmissionContext context_of(
      std::string_view namespace_, detail::PodWriter by,
      ChangeValues values = ChangeValues::omitted,
      detail::DecisionTrace* trace = nullptr) const noexcept {
    return {by, values, trace, namespace_modes.steps_in(namespace_, steps), systems};
  }

  /// Who writes the pod of a request.
  [[nodiscard]] detail::PodWriter writer_of(const Request& request) const noexcept {
    const std::string& user = request.requester.name;
    if (request.object.kind != PodKind::pod || user.empty()) return detail::PodWriter::user;
    if (user == settings.daemon_set_controller) return detail::PodWriter::daemon_set_controller;
    const bool was_gated = request.old.object.kind == PodKind::pod &&
                           !request.old.object.spec.scheduling_gates.empty();
    return was_gated && settings.placers.contains(user) ? detail::PodWriter::placer
                                                        : detail::PodWriter::user;
  }

  /// What systems that enforce give to a created pod, or a new template, before any is asked.
  [[nodiscard]] std::array<std::vector<Change>, std::size(all_systems)> give_first(
      Pod& pod, const Old<Pod>* old, const detail::AdmissionContext& context) const {
    std::array<std::vector<Change>, std::size(all_systems)> given;
    if (old != nullptr && pod.kind == PodKind::pod) return given;
    for (const Step step : context.steps)
      if (step.mode == Mode::enforce)
        given[static_cast<std::size_t>(step.system)] = compiled(step.system).give_first(pod);
    return given;
  }

  [[nodiscard]] Decision decide(const Request& request, detail::DecisionTrace* trace) const;
  [[nodiscard]] Decision admit(const Pod& before, const Old<Pod>* old,
                               const detail::AdmissionContext& context) const;
  void change(Decision& decision, const Old<Pod>* old,
              const detail::AdmissionContext& context) const;
  void reinvoke(const Pod& before, Decision& decision, const Old<Pod>* old,
                const detail::AdmissionContext& context) const;
  [[nodiscard]] Decision judge(const Pod& pod, const Old<Pod>* old,
                               const detail::AdmissionContext& context) const;
  void report_who_added(const Pod& before, const Old<Pod>* old, const Decision& earlier,
                        Decision& decision, detail::AdmissionContext context) const;
  void report_who_added(const Pod& before, const Old<Pod>* old,
                        const std::vector<const StepDecision*>& changed, StepDecision& decided,
                        const detail::AdmissionContext& context) const;
  [[nodiscard]] std::vector<UnknownObject> unknown_to(
      const Decision& denial, const detail::AdmissionContext& context) const;

  /// Takes these objects in the place of those that are called like them.
  void apply(const detail::ObjectChanges& changes) {
    using detail::name_of;
    for (detail::SharedSystem& system : systems)
      if (system->concerns(changes.replaced)) system = system->with(changes);
    namespace_modes.apply(changes);
    if (!problems.empty()) {
      for_each_list(changes.replaced, [&](const auto& list, ObjectKinds kinds) {
        for (const auto& object : list)
          problems.erase(name_of(detail::kind_of(object, kinds), object.metadata));
      });
      for (const Namespace& in : changes.replaced.namespaces)
        problems.erase(name_of(detail::namespace_kind, in.metadata));
    }
    for (const auto& [name, errors] : changes.problems) problems.insert_or_assign(name, errors);
  }
};

/// Lets `explain` see what an engine is made of.
class EngineAccess {
 public:
  using Impl = Engine::Impl;

  /// Null where nothing is configured.
  [[nodiscard]] static const Impl* of(const Engine& engine) noexcept {
    return engine.impl_ ? &*engine.impl_ : nullptr;
  }

  /// Decides, and tells of it.
  [[nodiscard]] static Decision decide(const Engine& engine, const Request& request,
                                       detail::DecisionTrace& trace) {
    const Impl* const impl = of(engine);
    return impl == nullptr ? engine.decide(request) : impl->decide(request, &trace);
  }
};

}  // namespace SCHEDPOL_NAMESPACE::engine
