// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/engine/impl/engine_impl.hpp>
#include <schedpol/engine/impl/systems/scheduling_policy.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/adviser.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/impl/explainer.hpp>
#include <schedpol/insight/impl/pod_fixer.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

inline const SchedulingPolicySystem& scheduling_policy_system(const EngineAccess::Impl& engine) {
  return static_cast<const SchedulingPolicySystem&>(engine.compiled(System::scheduling_policy));
}

/// What a user has to write for SchedulingPolicy to allow a pod, where that is soon found.
inline std::optional<scheduling_policy::Fix> scheduling_policy_fix(const EngineAccess::Impl& engine,
                                                                   Pod pod) {
  const SchedulingPolicySystem& system = scheduling_policy_system(engine);
  auto options =
      system.options_for(pod, engine.context_of(namespace_of(pod.metadata), PodWriter::user));
  const CoveredTolerations covered(pod, options.merged);
  schedpol::detail::Budget budget(max_denial_fix_steps);
  auto fix = scheduling_policy::detail::PodFixer(pod, system.effective_policy(pod),
                                                 options.without(covered), budget)
                 .run();
  if (fix) covered.restore_edited(fix->pod, fix->changes);
  return fix;
}

/// Explains what SchedulingPolicy said of an object in a decision.
class DecisionExplainer {
 public:
  using Explanation = scheduling_policy::Explanation;
  using Item = scheduling_policy::ExplainedItem;
  using Question = DecisionTrace::Question;

  DecisionExplainer(const Engine& engine, const Request& request, const Decision& decision)
      : request_(request),
        system_(scheduling_policy_system(*EngineAccess::of(engine))),
        context_(EngineAccess::of(engine)->context_of(
            namespace_of(request.object.metadata), EngineAccess::of(engine)->writer_of(request))) {
    for (const StepDecision& decided : decision.steps)
      if (decided.step.system == System::scheduling_policy) decided_ = &decided;
    allowed_ = decision.allowed;
  }

  [[nodiscard]] Explanation run(std::vector<Question> questions) const {
    // Of a system that does not enforce an allowed decision has the first round alone.
    if (allowed_ && decided_ != nullptr && decided_->step.mode != Mode::enforce)
      questions.resize(1);
    Explanation last = explain(questions.back());
    questions.pop_back();
    std::vector<Item> defaulted;
    for (const Question& question : questions) {
      Explanation explained = explain(question);
      for (Item& item : explained.items)
        if (item.ruling == Ruling::defaulted) defaulted.push_back(std::move(item));
    }
    // What was given in a round before is there in the last one.
    leave_out_defaulted(last.items, defaulted);
    last.items.insert(last.items.begin(), std::make_move_iterator(defaulted.begin()),
                      std::make_move_iterator(defaulted.end()));
    keep_changes(last.items);
    keep_violations(last);
    return last;
  }

 private:
  using Ruling = scheduling_policy::Ruling;

  [[nodiscard]] Explanation explain(const Question& question) const {
    const Pod& object = question.object;
    auto options = system_.options_for(object, context_);
    const EffectivePolicy effective = system_.effective_policy(object);
    const bool gets_defaults = question.is_changed && (request_.operation == Operation::create ||
                                                       object.kind != PodKind::pod);
    const Pod judged = unpinned(object, context_.by);
    if (object.kind != PodKind::pod)
      return explain_template(judged, gets_defaults, effective, options);
    return gets_defaults ? scheduling_policy::explain(judged, effective, *options)
                         : scheduling_policy::explain_check(judged, effective, *options);
  }

  /// What it is given, and what is said of it with that.
  [[nodiscard]] static Explanation explain_template(Pod judged, bool gets_defaults,
                                                    const EffectivePolicy& effective,
                                                    OptionsOfPod& options) {
    std::vector<Item> defaulted;
    if (gets_defaults) {
      CoveredTolerations covered(judged, options.merged);
      const scheduling_policy::Options& with = options.without(covered);
      defaulted = scheduling_policy::explain(judged, effective, with).items;
      schedpol::detail::erase_if(defaulted,
                                 [](const Item& item) { return item.ruling != Ruling::defaulted; });
      scheduling_policy::Defaulted made = apply_defaults(std::move(judged), effective, with);
      covered.restore(made.pod);
      covered.restore_injected(defaulted);
      judged = std::move(made.pod);
    }
    const CoveredTolerations covered(judged, options.merged, options.added_to(judged));
    Explanation explanation =
        scheduling_policy::explain_check(judged, effective, options.without(covered));
    covered.restore_places(explanation.items);
    leave_out_defaulted(explanation.items, defaulted);
    explanation.items.insert(explanation.items.begin(), std::make_move_iterator(defaulted.begin()),
                             std::make_move_iterator(defaulted.end()));
    return explanation;
  }

  /// Leaves out what is told of items that are given, unless it denies or is required.
  static void leave_out_defaulted(std::vector<Item>& items, const std::vector<Item>& defaulted) {
    std::set<FieldPath> fields;
    for (const Item& item : defaulted) fields.insert(item.field);
    const auto was_defaulted = [&](FieldPath field) {
      while (!field.empty() && !fields.contains(field)) field = field.parent();
      return !field.empty();
    };
    schedpol::detail::erase_if(items, [&](const Item& item) {
      return !fields.empty() && !denies(item.ruling) && item.ruling != Ruling::required &&
             was_defaulted(item.field);
    });
  }

  /// Leaves out what was given and is not the system's doing in the end.
  void keep_changes(std::vector<Item>& items) const {
    if (!allowed_ || decided_ == nullptr) return;
    std::multiset<FieldPath> changed;
    for (const Change& change : decided_->changes) changed.insert(change.field);
    schedpol::detail::erase_if(items, [&](const Item& item) {
      if (item.ruling != Ruling::defaulted) return false;
      const auto found = changed.find(item.field);
      if (found == changed.end()) return true;
      changed.erase(found);
      return false;
    });
  }

  /// Leaves out what is not denied because the old pod has it, and shows each violation as it was told.
  void keep_violations(Explanation& explanation) const {
    std::vector<Violation> violations;
    if (decided_ != nullptr) violations = decided_->violations;
    auto next = violations.begin();
    schedpol::detail::erase_if(explanation.items, [&](Item& item) {
      if (!denies(item.ruling)) return false;
      if (next == violations.end() || next->field != item.field ||
          !(item.value.empty() || item.value == next->value))
        return true;
      item.value = next->value;
      ++next;
      return false;
    });
    // Of policies that cannot be used there are several for one item.
    for (; next != violations.end(); ++next)
      explanation.items.push_back({next->field, next->value, Ruling::not_permitted, {}, {}});
    explanation.allowed = violations.empty();
  }

  const Request& request_;
  const SchedulingPolicySystem& system_;
  AdmissionContext context_;
  const StepDecision* decided_ = nullptr;
  bool allowed_ = false;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Change> InsightAdviser::find_fix(const Engine& engine,
                                                             const Request& request,
                                                             const Decision& denial) {
  const auto* impl = EngineAccess::of(engine);
  if (impl == nullptr || denial.allowed || denial.steps.empty() ||
      denial.steps.back().step.system != System::scheduling_policy ||
      request.operation != Operation::create ||
      request.requester.name == engine.daemon_set_controller())
    return {};
  auto fix = detail::scheduling_policy_fix(*impl, request.object);
  if (!fix) return {};
  // What another system makes of it may be denied all the same.
  Request fixed = request;
  fixed.object = std::move(fix->pod);
  return engine.decide(fixed).allowed ? std::move(fix->changes) : std::vector<Change>();
}

SCHEDPOL_INLINE scheduling_policy::Explanation InsightAdviser::explain(
    const Engine& engine, const Request& request) const {
  if (!engine.runs(System::scheduling_policy)) return {};
  detail::DecisionTrace trace{.watched = System::scheduling_policy};
  Request shown = request;
  shown.values = ChangeValues::shown;
  const Decision decision = EngineAccess::decide(engine, shown, trace);
  if (trace.questions.empty()) return {.allowed = decision.allowed};
  return detail::DecisionExplainer(engine, request, decision).run(std::move(trace.questions));
}

SCHEDPOL_INLINE std::vector<scheduling_policy::ExplainedItem> InsightAdviser::find_ungoverned(
    const Engine& engine, const Request& request) const {
  const auto* impl = EngineAccess::of(engine);
  if (impl == nullptr ||
      !scheduling_policy::detail::has_ungoverned(request.object.spec, impl->settings.options))
    return {};
  return scheduling_policy::detail::ungoverned_of(explain(engine, request).items);
}

SCHEDPOL_INLINE std::vector<std::string> InsightAdviser::warnings_of(const Engine& engine,
                                                                     const Objects& written) {
  std::vector<std::string> warnings;
  std::vector<std::string> not_decided;
  std::size_t more = 0;
  for (const SystemFinding& found : analyze(engine, written)) {
    if (found.finding.code == FindingCode::not_decided) not_decided.push_back(message(found));
    if (found.finding.severity == Severity::info) continue;
    if (warnings.size() < max_finding_warnings) {
      warnings.push_back(message(found));
    } else {
      ++more;
    }
  }
  if (more > 0) warnings.push_back("and " + std::to_string(more) + " more");
  schedpol::detail::append(warnings, std::move(not_decided));
  return warnings;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
