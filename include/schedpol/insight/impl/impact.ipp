// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/impl/message_lines.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/differences.hpp>
#include <schedpol/insight/impact.hpp>
#include <schedpol/insight/impl/decision_steps.hpp>

#include <unordered_map>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// The hash of several texts.
class TextHash {
 public:
  explicit TextHash(std::size_t of_others = 0) noexcept : value_(of_others) {}

  TextHash& add(std::string_view text) noexcept {
    value_ = (value_ ^ std::hash<std::string_view>()(text)) * std::size_t{0x9E3779B1};
    return *this;
  }
  TextHash& add(const Labels& labels) noexcept {
    for (const auto& [key, value] : labels) add(key).add(value);
    return add(std::string_view());
  }
  [[nodiscard]] std::size_t value() const noexcept { return value_; }

 private:
  std::size_t value_;
};

/// Finds what is alike by a hash of some of it. Whoever makes many of one hash is not compared with
/// all of them: what is not found among the last `max_alike_compared` counts as one of a kind.
class AlikeByHash {
 public:
  /// One that is alike, or nothing.
  template <class IsAlike>
  [[nodiscard]] std::optional<std::size_t> find(std::size_t hash, IsAlike&& is_alike) const {
    const auto found = numbers_.find(hash);
    if (found == numbers_.end()) return std::nullopt;
    for (const std::size_t number : found->second)
      if (is_alike(number)) return number;
    return std::nullopt;
  }
  void add(std::size_t hash, std::size_t number) {
    std::vector<std::size_t>& last = numbers_[hash];
    if (last.size() == max_alike_compared) last.erase(last.begin());
    last.push_back(number);
  }

 private:
  std::unordered_map<std::size_t, std::vector<std::size_t>> numbers_;
};

/// A change in words, with the value before it and after it also where one of them is absent.
inline std::string sides_of(const Change& change) {
  const auto shown = [](const std::optional<std::string>& value) {
    return value ? in_backticks(*value) : std::string("nothing");
  };
  return in_backticks(to_string(change.field)) + ": " + shown(change.from) + " before, " +
         shown(change.to) + " after";
}

class ImpactSearch {
 public:
  ImpactSearch(const Engine& before, const Engine& after, std::vector<Pod>&& objects,
               std::vector<TemplateRequest>&& templates)
      : before_{before, DecisionSteps(before)},
        after_{after, DecisionSteps(after)},
        looks_at_metadata_(before.looks_at_metadata() || after.looks_at_metadata()),
        objects_(std::move(objects)),
        owners_(objects_),
        templates_(std::move(templates)) {
    for (Pod& object : objects_)
      if (!object.status.phase.empty()) object.spec.node_name.clear();
  }

  Impact run(ProgressCallback go_on) && {
    // At least one is looked at, so that whoever asks about the rest comes to an end.
    bool goes_on = true;
    while (goes_on && progress_.steps < max_insight_steps && bytes_ < max_insight_bytes &&
           progress_.objects < objects_.size() + templates_.size()) {
      const std::size_t number = outcome_of(progress_.objects);
      count(progress_.objects++, outcomes_[number]);
      goes_on = go_on(progress_);
    }
    impact_.not_looked_at = objects_.size() + templates_.size() - progress_.objects;
    return std::move(impact_);
  }

 private:
  /// What becomes of alike objects of one writer.
  struct AlikeImpact {
    const Pod* decided = nullptr;       ///< one of them
    std::optional<PodWriter> writer{};  ///< none: a node, of a mirror pod
    Effect effect = Effect::unchanged;
    std::vector<Violation> violations{};
    std::vector<Change> changes{};
    std::size_t hash = 0;
    std::size_t bytes = 0;  ///< of its violations and changes
  };

  static std::optional<PodWriter> writer_of(const Pod& object) noexcept {
    if (object.kind != PodKind::pod) return PodWriter::user;
    if (object.metadata.annotations.contains(mirror_annotation)) return std::nullopt;
    const OwnerReference* controller = controller_of(object.metadata);
    return controller != nullptr && controller->kind == to_string(PodKind::daemon_set)
               ? PodWriter::daemon_set_controller
               : PodWriter::user;
  }

  /// None of an object that is a pod, or a workload that Kubernetes has.
  [[nodiscard]] const TemplateRequest* template_at(std::size_t index) const noexcept {
    return index < objects_.size() ? nullptr : &templates_[index - objects_.size()];
  }

  /// The number of its outcome. Few workloads are alike, and each may have a controller.
  std::size_t outcome_of(std::size_t index) {
    if (const TemplateRequest* custom = template_at(index)) {
      outcomes_.push_back(decide(custom->request.object, PodWriter::user, custom));
      return outcomes_.size() - 1;
    }
    const Pod& object = objects_[index];
    const std::optional<PodWriter> writer = writer_of(object);
    const std::size_t hash = hash_of(object);
    const auto is_alike = [&](std::size_t number) {
      const AlikeImpact& outcome = outcomes_[number];
      return outcome.writer == writer && are_alike(*outcome.decided, object);
    };
    if (object.kind == PodKind::pod)
      if (const auto number = decided_.find(hash, is_alike)) return *number;
    decided_.add(hash, outcomes_.size());
    outcomes_.push_back(decide(object, writer, nullptr));
    return outcomes_.size() - 1;
  }

  static std::size_t hash_of(const Pod& object) noexcept {
    const PodSpec& spec = object.spec;
    TextHash hash;
    hash.add(object.metadata.namespace_).add(object.metadata.labels);
    hash.add(spec.scheduler_name).add(spec.priority_class_name).add(spec.service_account_name);
    hash.add(spec.runtime_class_name).add(spec.node_selector);
    for (const Toleration& toleration : spec.tolerations) hash.add(toleration.key);
    return hash.value();
  }
  [[nodiscard]] bool are_alike(const Pod& a, const Pod& b) const {
    return a.kind == b.kind && a.metadata.namespace_ == b.metadata.namespace_ &&
           a.metadata.deletion_timestamp.empty() == b.metadata.deletion_timestamp.empty() &&
           a.metadata.labels == b.metadata.labels &&
           (!looks_at_metadata_ || a.metadata.annotations == b.metadata.annotations) &&
           a.spec == b.spec;
  }

  AlikeImpact decide(const Pod& object, std::optional<PodWriter> writer,
                     const TemplateRequest* custom) {
    AlikeImpact outcome{.decided = &object, .writer = writer};
    Decision before = ask(before_, object, writer, custom);
    Decision after = ask(after_, object, writer, custom);
    if (before.allowed && after.allowed) {
      outcome.changes = differences(before.pod, after.pod);
      if (!outcome.changes.empty()) outcome.effect = Effect::changed;
    } else if (before.allowed != after.allowed) {
      outcome.effect = before.allowed ? Effect::newly_denied : Effect::newly_allowed;
      Decision& denial = before.allowed ? after : before;
      if (!denial.steps.empty()) outcome.violations = std::move(denial.steps.back().violations);
    }
    if (custom != nullptr) {
      for (Violation& each : outcome.violations) each.field = custom->in_object(each.field);
      for (Change& each : outcome.changes) each.field = custom->in_object(each.field);
    }
    TextHash hash;
    for (const Violation& violation : outcome.violations)
      hash.add(to_string(violation.field)).add(violation.value);
    for (const Change& change : outcome.changes)
      hash.add(to_string(change.field)).add(change.from.value_or("")).add(change.to.value_or(""));
    outcome.hash = hash.value();
    outcome.bytes = sizeof(AlikeImpact) + bytes_of(outcome);
    bytes_ += outcome.bytes;
    return outcome;
  }

  /// About what they take: texts are as long as those of policies and pods.
  static std::size_t bytes_of(const AlikeImpact& outcome) {
    std::size_t bytes = 0;
    for (const Violation& violation : outcome.violations)
      bytes += 2 * sizeof(Violation) + violation.value.size();
    for (const Change& change : outcome.changes)
      bytes += 2 * sizeof(Change) + change.from.value_or("").size() + change.to.value_or("").size();
    return bytes;
  }

  /// One of the two.
  struct Side {
    const Engine& engine;
    DecisionSteps steps;
  };

  /// Takes note of the steps: how many decisions there will be, and how much each has to say, is not
  /// known before.
  Decision ask(Side& side, const Pod& object, std::optional<PodWriter> writer,
               const TemplateRequest* custom) {
    if (custom != nullptr && !schedpol::detail::contains(side.engine.templates(), custom->path)) {
      ++progress_.steps;
      Decision passed{.pod = object};
      passed.allowed = true;
      return passed;
    }
    Request request{.object = object, .values = ChangeValues::omitted};
    if (writer == PodWriter::daemon_set_controller)
      request.requester.name = side.engine.daemon_set_controller();
    if (!writer) request.requester.groups = {std::string(nodes_group)};
    Decision decision = side.engine.decide(request);
    ++progress_.decisions;
    progress_.steps += side.steps.of(object);
    for (const StepDecision& step : decision.steps)
      progress_.steps += steps_of_change * (step.changes.size() + step.violations.size());
    return decision;
  }

  void count(std::size_t index, const AlikeImpact& outcome) {
    // It is compared with those of few groups.
    progress_.steps += steps_of_object + outcome.violations.size() + outcome.changes.size();
    switch (outcome.effect) {
      case Effect::unchanged: ++impact_.unchanged; return;
      case Effect::changed: ++impact_.changed; break;
      case Effect::newly_denied: ++impact_.newly_denied; break;
      case Effect::newly_allowed: ++impact_.newly_allowed; break;
    }
    const TemplateRequest* const custom = template_at(index);
    const Pod& object = custom == nullptr ? objects_[index] : custom->request.object;
    Owner owner = owners_.outermost_of(object);
    if (custom != nullptr && controller_of(object.metadata) == nullptr)
      owner.kind = custom->path.kind;
    const std::size_t hash =
        TextHash(outcome.hash).add(owner.kind).add(owner.namespace_).add(owner.name).value();
    const auto is_alike = [&](std::size_t number) {
      const ImpactGroup& group = impact_.groups[number];
      return group.owner == owner && group.effect == outcome.effect &&
             group.violations == outcome.violations && group.changes == outcome.changes;
    };
    auto number = grouped_.find(hash, is_alike);
    if (!number) {
      bytes_ += sizeof(ImpactGroup) + outcome.bytes;
      number = impact_.groups.size();
      grouped_.add(hash, *number);
      impact_.groups.push_back(
          {std::move(owner), outcome.effect, outcome.violations, outcome.changes, {}});
    }
    impact_.groups[*number].objects.push_back(index);
  }

  static constexpr std::size_t steps_of_object = 10;
  static constexpr std::size_t steps_of_change = 40;  ///< or violation

  Side before_;
  Side after_;
  bool looks_at_metadata_;
  std::vector<Pod> objects_;
  Owners owners_;
  std::vector<TemplateRequest> templates_;
  std::vector<AlikeImpact> outcomes_;
  AlikeByHash decided_;    ///< numbers of outcomes
  AlikeByHash grouped_;    ///< numbers of groups
  std::size_t bytes_ = 0;  ///< of what is kept
  ImpactProgress progress_;
  Impact impact_;
};

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(Effect effect) noexcept {
  switch (effect) {
    case Effect::unchanged: return "Unchanged";
    case Effect::changed: return "Changed";
    case Effect::newly_denied: return "NewlyDenied";
    case Effect::newly_allowed: return "NewlyAllowed";
  }
  return "";
}

SCHEDPOL_INLINE Impact impact(const Engine& before, const Engine& after, std::vector<Pod> objects,
                              ProgressCallback go_on, std::vector<TemplateRequest> templates) {
  return detail::ImpactSearch(before, after, std::move(objects), std::move(templates)).run(go_on);
}

SCHEDPOL_INLINE std::string message(const ImpactGroup& group) {
  const std::size_t count = group.objects.size();
  std::string name = group.owner.name;
  if (!group.owner.namespace_.empty()) name = group.owner.namespace_ + "/" + name;
  std::string text = group.owner.kind.empty() ? "" : in_backticks(group.owner.kind) + " ";
  text +=
      in_backticks(name) + ": " + std::to_string(count) + (count == 1 ? " object " : " objects ");
  switch (group.effect) {
    case Effect::unchanged: text += "unchanged"; break;
    case Effect::changed: text += "changed"; break;
    case Effect::newly_denied: text += "denied now"; break;
    case Effect::newly_allowed: text += "allowed now, and denied before"; break;
  }
  schedpol::detail::append_lines(text, group.violations);
  schedpol::detail::append_lines(text, group.changes, detail::sides_of);
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
