// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/engine/impl/contradiction.hpp>
#include <schedpol/engine/impl/engine_impl.hpp>
#include <schedpol/engine/impl/writers_by_place.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

inline bool is_same_template(const Pod& a, const Pod& b) {
  return a.metadata.labels == b.metadata.labels &&
         a.metadata.annotations == b.metadata.annotations && a.spec == b.spec;
}

/// Whether there is nothing to decide.
inline bool passes(const Request& request) {
  const ObjectMeta& metadata = request.object.metadata;
  if (request.object.kind == PodKind::pod) {
    return metadata.annotations.contains(mirror_annotation) &&
           request.requester.groups.contains(nodes_group);
  }
  if (schedpol::detail::any_of(metadata.owner_references, [&](const OwnerReference& owner) {
        return skipped_by_owner(request.object.kind, owner);
      }))
    return true;
  return request.operation == Operation::update && !request.template_differs &&
         is_same_template(request.object, request.old.object);
}

/// Whether both lists have the same tolerations, which are then put into the order of `before`.
inline bool restore_order(const std::vector<Toleration>& before, std::vector<Toleration>& after) {
  if (after.size() != before.size() ||
      !std::is_permutation(after.begin(), after.end(), before.begin()))
    return false;
  after = before;
  return true;
}

/// Leaves out that systems took tolerations away that others gave back.
inline void forget_tolerations(Decision& decision) {
  if (decision.steps.size() < 2) return;
  const FieldPath list = field_path(decision.pod.kind, {"spec", "tolerations"});
  for (StepDecision& decided : decision.steps) {
    if (decided.step.mode != Mode::enforce) continue;
    schedpol::detail::erase_if(decided.changes,
                               [&](const Change& change) { return change.field.parent() == list; });
  }
}

/// Whether a system might say something else about the object as it is now. Later systems already saw
/// the changes of the first that enforces, so no second round is needed for those. Only a system of
/// metadata changes what it has made itself.
inline bool needs_reinvocation(const std::vector<StepDecision>& steps) {
  bool is_first = true;
  for (const StepDecision& decided : steps) {
    if (decided.step.mode != Mode::enforce) continue;
    if (!decided.changes.empty() &&
        (!is_first || system_row(decided.step.system).looks_at_metadata))
      return true;
    is_first = false;
  }
  return false;
}

/// Whether no system that enforces has changed the pod, which all of them permit.
inline bool changes_nothing(const std::vector<StepDecision>& allowed) {
  return schedpol::detail::all_of(allowed, [](const StepDecision& decided) {
    return decided.step.mode != Mode::enforce || decided.changes.empty();
  });
}

/// Adds to what systems that enforce have changed what they changed in another round.
inline void add_changes(std::vector<StepDecision>& steps, std::vector<StepDecision>&& round) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].step.mode != Mode::enforce) continue;
    schedpol::detail::append(steps[i].changes, std::move(round[i].changes));
  }
}

/// Adds what is left out in another round. What was left out before stays so; a PodSchedulingPolicy
/// says it again, a default that was given in part is the pod's own by now.
inline void add_warnings(std::vector<Warning>& warnings, std::vector<Warning>&& round) {
  for (Warning& warning : round)
    if (!schedpol::detail::contains(warnings, warning)) warnings.push_back(std::move(warning));
}

}  // namespace detail

SCHEDPOL_INLINE Decision Engine::decide(const Request& request) const {
  return impl_ ? impl_->decide(request, nullptr) : Decision{.pod = request.object};
}

SCHEDPOL_INLINE Decision Engine::Impl::decide(const Request& request,
                                              detail::DecisionTrace* trace) const {
  if (request.object.spec.moved_from) {
    return Decision{
        .pod = request.object,
        .steps = {{.step = steps.front(),
                   .violations = {schedpol::detail::moved_from_violation(request.object.kind)}}}};
  }
  if (detail::passes(request)) return Decision{.allowed = true, .pod = request.object};
  const detail::AdmissionContext context =
      context_of(namespace_of(request.object.metadata), writer_of(request), request.values, trace);
  const Old<Pod>* const old = request.operation == Operation::update ? &request.old : nullptr;
  Decision decision = request.phase == Phase::validating ? judge(request.object, old, context)
                                                         : admit(request.object, old, context);
  if (!decision.allowed) decision.unknown = unknown_to(decision, context);
  // Which of several it was the values of the changes say.
  const auto is_of_several = [](const StepDecision& decided) {
    return schedpol::detail::any_of(decided.violations,
                                    [](const Violation& each) { return each.added_by.size() > 1; });
  };
  if (request.values == ChangeValues::omitted &&
      schedpol::detail::any_of(decision.steps, is_of_several)) {
    Request shown = request;
    shown.values = ChangeValues::shown;
    Decision again = decide(shown, nullptr);
    for (std::size_t i = 0; i < decision.steps.size(); ++i)
      decision.steps[i].violations = std::move(again.steps[i].violations);
  }
  return decision;
}

/// What the system that denied does not know. An object that cannot be used is known.
SCHEDPOL_INLINE std::vector<UnknownObject> Engine::Impl::unknown_to(
    const Decision& denial, const detail::AdmissionContext& context) const {
  std::vector<UnknownObject> unknown;
  compiled(denial.steps.back().step.system).add_unknown(denial.pod, context, unknown);
  const std::string_view in = namespace_of(denial.pod.metadata);
  if (namespace_modes.lacks(in) && schedpol::detail::none_of(unknown, [](const auto& object) {
        return object.kind == detail::namespace_kind.name;
      }))
    unknown.push_back({.kind = std::string(detail::namespace_kind.name), .name = std::string(in)});
  schedpol::detail::erase_if(unknown, [&](const UnknownObject& object) {
    return problems.contains({object.kind, object.namespace_, object.name});
  });
  return unknown;
}

/// Changes and judges an object.
SCHEDPOL_INLINE Decision Engine::Impl::admit(const Pod& before, const Old<Pod>* old,
                                             const detail::AdmissionContext& context) const {
  Decision decision{.pod = before};
  change(decision, old, context);
  report_who_added(before, old, {}, decision, context);
  if (decision.allowed && detail::needs_reinvocation(decision.steps))
    reinvoke(before, decision, old, context);
  if (!decision.allowed) {
    decision.pod = Pod(before);
    return decision;
  }
  if (detail::restore_order(before.spec.tolerations, decision.pod.spec.tolerations))
    detail::forget_tolerations(decision);
  if (auto warning = detail::contradiction_warning(before.spec, decision))
    decision.warnings.push_back(*std::move(warning));
  return decision;
}

/// Says of each violation that the object as it came does not have who added it; `earlier` are the rounds before.
SCHEDPOL_INLINE void Engine::Impl::report_who_added(const Pod& before, const Old<Pod>* old,
                                                    const Decision& earlier, Decision& decision,
                                                    detail::AdmissionContext context) const {
  const auto has_violations = [](const StepDecision& decided) {
    return !decided.violations.empty();
  };
  if (!schedpol::detail::any_of(decision.steps, has_violations)) return;
  context.trace = nullptr;
  std::vector<const StepDecision*> changed;
  const auto add_changed = [&](const StepDecision& decided) {
    if (decided.step.mode == Mode::enforce && !decided.changes.empty()) changed.push_back(&decided);
  };
  // A system that gives something first may not have been asked yet.
  std::vector<StepDecision> first;
  Pod given = before;
  const auto given_first = give_first(given, old, context);
  for (const Step step : context.steps)
    first.push_back({.step = step, .changes = given_first[static_cast<std::size_t>(step.system)]});
  for (const StepDecision& decided : first) add_changed(decided);
  for (const StepDecision& decided : earlier.steps) add_changed(decided);
  for (StepDecision& decided : decision.steps) {
    if (has_violations(decided)) report_who_added(before, old, changed, decided, context);
    add_changed(decided);
  }
}

/// The same of one system, by what systems had changed before it was asked.
SCHEDPOL_INLINE void Engine::Impl::report_who_added(const Pod& before, const Old<Pod>* old,
                                                    const std::vector<const StepDecision*>& changed,
                                                    StepDecision& decided,
                                                    const detail::AdmissionContext& context) const {
  detail::WritersByPlace writers;
  bool by_others = false;
  for (const StepDecision* const other : changed) {
    if (other->step.system == decided.step.system) continue;
    by_others = true;
    for (const Change& change : other->changes)
      writers.add(compiled(other->step.system).full_name(change.policy, before), change);
  }
  if (!by_others) return;
  std::set<std::string> of_author;
  for (const Violation& own : compiled(decided.step.system).violations_of(before, old, context))
    of_author.insert(detail::identity_of(own));
  const Violation on_class{.field = field_path(before.kind, {"spec", "runtimeClassName"})};
  for (Violation& violation : decided.violations) {
    if (of_author.contains(detail::identity_of(violation))) continue;
    violation.added_by = writers.of(violation);
    // What the author wrote contradicts a class that somebody gave.
    if (violation.added_by == Names() && decided.step.system == System::runtime_class)
      violation.added_by = writers.of(on_class);
  }
}

/// One round: each system sees what those before it made of the pod. On a denial the pod of the
/// decision is unspecified; `admit` restores it.
SCHEDPOL_INLINE void Engine::Impl::change(Decision& decision, const Old<Pod>* old,
                                          const detail::AdmissionContext& context) const {
  decision.steps.reserve(context.steps.size());
  const auto given_first = give_first(decision.pod, old, context);
  for (const Step step : context.steps) {
    const detail::CompiledSystem& system = compiled(step.system);
    const bool enforces = step.mode == Mode::enforce;
    const bool changes = enforces && system.changes(decision.pod.kind);
    if (context.trace != nullptr && context.trace->watched == step.system)
      context.trace->questions.push_back({decision.pod, true});
    std::optional<Pod> copy;
    Pod& pod = changes ? decision.pod : copy.emplace(decision.pod);
    Admission admission = old == nullptr ? system.admit(std::move(pod), context)
                          : pod.kind == PodKind::pod
                              ? system.update_pod(*old, std::move(pod), context)
                              : system.update_template(*old, std::move(pod), context);
    if (changes) decision.pod = std::move(admission.pod);
    StepDecision& decided = decision.steps.emplace_back();
    decided.step = step;
    decided.violations = std::move(admission.violations);
    if (changes || !enforces) decided.changes = std::move(admission.changes);
    const std::vector<Change>& first = given_first[static_cast<std::size_t>(step.system)];
    if (admission.allowed)
      decided.changes.insert(decided.changes.begin(), first.begin(), first.end());
    if (changes) decided.warnings = std::move(admission.warnings);
    if (enforces && !admission.allowed) return;
  }
  decision.allowed = !context.steps.empty();
}

/// As many rounds more as it takes until nothing changes, and each system permits what has become of
/// the pod. On a denial the pod of the decision is unspecified; `admit` restores it.
SCHEDPOL_INLINE void Engine::Impl::reinvoke(const Pod& before, Decision& decision,
                                            const Old<Pod>* old,
                                            const detail::AdmissionContext& context) const {
  const auto deny = [&](Decision&& denial) {
    report_who_added(before, old, decision, denial, context);
    decision = std::move(denial);
  };
  for (int round = 1; round < max_decision_rounds; ++round) {
    Decision again{.pod = decision.pod};
    change(again, old, context);
    if (!again.allowed) return deny(std::move(again));
    detail::restore_order(decision.pod.spec.tolerations, again.pod.spec.tolerations);
    for (std::size_t i = 0; i < context.steps.size(); ++i)
      detail::add_warnings(decision.steps[i].warnings, std::move(again.steps[i].warnings));
    if (again.pod == decision.pod) {
      if (detail::changes_nothing(again.steps)) return;
      break;
    }
    decision.pod = std::move(again.pod);
    detail::add_changes(decision.steps, std::move(again.steps));
  }
  // A system may undo each time what another one needs.
  Decision judged = judge(decision.pod, old, context);
  if (!judged.allowed) deny(std::move(judged));
}

/// Judges an object as it stands.
SCHEDPOL_INLINE Decision Engine::Impl::judge(const Pod& pod, const Old<Pod>* old,
                                             const detail::AdmissionContext& context) const {
  Decision decision{.allowed = !context.steps.empty(), .pod = pod};
  for (const Step step : context.steps) {
    const detail::CompiledSystem& system = compiled(step.system);
    if (context.trace != nullptr && context.trace->watched == step.system)
      context.trace->questions.push_back({pod, false});
    StepDecision& decided = decision.steps.emplace_back();
    decided.step = step;
    decided.violations =
        old == nullptr ? system.verify(pod, context) : system.judge_update(*old, pod, context);
    if (step.mode != Mode::enforce || decided.violations.empty()) continue;
    decision.allowed = false;
    break;
  }
  return decision;
}

SCHEDPOL_INLINE bool is_subject_to_metadata_policy(std::string_view api_group,
                                                   std::string_view kind) noexcept {
  if (api_group == "authentication.k8s.io" || api_group == "authorization.k8s.io") return false;
  using GroupKind = std::pair<std::string_view, std::string_view>;
  constexpr GroupKind not_subject[] = {
      {"", "Namespace"}, {"", "Binding"}, {"policy", "Eviction"}, {"autoscaling", "Scale"}};
  return !schedpol::detail::contains(not_subject, GroupKind{api_group, kind}) &&
         !is_policy(api_group, kind);
}

SCHEDPOL_INLINE bool skipped_by_owner(PodKind kind, const OwnerReference& owner) noexcept {
  if (!owner.controller) return false;
  const std::optional<PodKind> of_owner = pod_kind(owner.kind);
  return kind == PodKind::replica_set || (of_owner && *of_owner != PodKind::pod &&
                                          is_in_group(*of_owner, api_group(owner.api_version)));
}

SCHEDPOL_INLINE MetadataDecision Engine::decide_metadata(const MetadataRequest& request) const {
  MetadataDecision decision{.metadata = request.object};
  if (!impl_) return decision;
  decision.allowed = true;
  if (request.scope == Scope::cluster ||
      !is_subject_to_metadata_policy(request.api_group, request.kind))
    return decision;
  const Old<ObjectMeta>* const old =
      request.operation == Operation::update ? &request.old : nullptr;
  const std::optional<PodKind> pod = pod_kind(request.kind);
  const bool is_workload = pod && is_in_group(*pod, request.api_group);
  const std::string_view in = namespace_of(request.object);
  for (const Step step : impl_->namespace_modes.steps_in(in, impl_->steps)) {
    const detail::CompiledSystem& system = impl_->compiled(step.system);
    if (!is_workload && system.exempts(request.api_group, request.kind, request.requester))
      continue;
    auto outcome = system.admit_metadata(decision.metadata, old);
    if (!outcome) continue;
    const bool enforces = step.mode == Mode::enforce;
    const bool changes = enforces && request.phase == Phase::mutating;
    StepDecision& decided = decision.steps.emplace_back();
    decided.step = step;
    for (int round = 1; changes && outcome->allowed && !outcome->changes.empty(); ++round) {
      schedpol::detail::append(decided.changes, std::move(outcome->changes));
      decision.metadata = std::move(outcome->metadata);
      if (round == max_decision_rounds) break;
      outcome = system.admit_metadata(decision.metadata, old);
    }
    decided.violations = std::move(outcome->violations);
    if (!enforces) decided.changes = std::move(outcome->changes);
    if (!enforces || outcome->allowed) continue;
    decided.changes.clear();
    decision.allowed = false;
    decision.metadata = ObjectMeta(request.object);
    break;
  }
  return decision;
}

SCHEDPOL_INLINE bool Engine::runs(System system) const noexcept {
  return impl_ && schedpol::detail::any_of(impl_->steps,
                                           [&](const Step& step) { return step.system == system; });
}

SCHEDPOL_INLINE bool Engine::looks_at_metadata() const noexcept {
  return impl_ && impl_->looks_at_metadata;
}

SCHEDPOL_INLINE std::string_view Engine::daemon_set_controller() const noexcept {
  return impl_ ? std::string_view(impl_->settings.daemon_set_controller) : std::string_view();
}

SCHEDPOL_INLINE std::span<const TemplatePath> Engine::templates() const noexcept {
  if (!impl_) return {};
  return impl_->settings.templates;
}

SCHEDPOL_INLINE EffectivePolicy Engine::effective_policy(const Pod& pod) const {
  return !impl_ ? EffectivePolicy() : detail::effective_policy(impl_->systems, pod);
}

SCHEDPOL_INLINE std::vector<FieldError> Engine::problems() const {
  std::vector<FieldError> all;
  if (!impl_) return all;
  for (const auto& [name, errors] : impl_->problems) schedpol::detail::append(all, errors);
  return all;
}

SCHEDPOL_INLINE Engine Engine::with(const Objects& objects) const {
  if (!impl_) return {};
  Impl impl = *impl_;
  impl.apply(detail::changes_to(objects));
  return Engine(std::move(impl));
}

SCHEDPOL_INLINE Engine Engine::without(const Objects& objects) const {
  if (!impl_) return {};
  Impl impl = *impl_;
  impl.apply({.replaced = detail::with_stand_ins(objects)});
  return Engine(std::move(impl));
}

SCHEDPOL_INLINE Engine::Engine(Impl impl) : impl_(std::move(impl)) {}

SCHEDPOL_INLINE Result<Engine> compile(const Configuration& configuration) {
  std::vector<FieldError> errors = detail::validate_settings(configuration);
  if (!errors.empty()) return errors;
  Engine::Impl impl;
  impl.steps = configuration.systems;
  impl.settings = Settings(configuration.settings);
  for (const detail::SystemRow& row : detail::system_rows())
    impl.systems.push_back(row.make(configuration.settings));
  for (const Step step : impl.steps)
    impl.looks_at_metadata |= detail::system_row(step.system).looks_at_metadata;
  if (impl.settings.namespace_modes)
    impl.namespace_modes = detail::NamespaceModeTable(*impl.settings.namespace_modes, impl.steps);
  return Engine(std::move(impl)).with(configuration.objects);
}

}  // namespace SCHEDPOL_NAMESPACE::engine
