// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/impl/message_lines.hpp>
#include <schedpol/core/impl/resource_amounts.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/impact.hpp>
#include <schedpol/insight/impl/decision_steps.hpp>
#include <schedpol/scheduling_policy/impl/fields.hpp>

#include <unordered_map>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// What tells two outcomes of one pod apart, field by field: of lists that are sets the items, of
/// maps the keys, of affinities the kinds.
class Differences {
 public:
  [[nodiscard]] static std::vector<Change> between(const Pod& from, const Pod& to) {
    Differences found(from.kind);
    found.compare({"metadata", "labels"}, from.metadata.labels, to.metadata.labels);
    found.compare({"metadata", "annotations"}, from.metadata.annotations, to.metadata.annotations);
    const PodSpec& before = from.spec;
    const PodSpec& after = to.spec;
    // What `allowed` alone has no system changes.
    scheduling_policy::for_each_row([&]<class Row>(const Row& row) {
      if constexpr (!scheduling_policy::is_allowed_field<Row>)
        found.compare({"spec", row.field}, before.*row.in_pod, after.*row.in_pod);
      if constexpr (requires { row.traits.derived; })
        for (const scheduling_policy::DerivedField& derived : row.traits.derived)
          found.compare({"spec", derived.field}, derived.text(before), derived.text(after));
    });
    found.compare({"spec", "overhead"}, before.overhead, after.overhead);
    return std::move(found.changes_);
  }

 private:
  using Fields = std::initializer_list<std::string_view>;

  explicit Differences(PodKind kind) : kind_(kind) {}

  static std::optional<std::string> text(const std::string& value) {
    return value.empty() ? std::nullopt : std::optional(value);
  }
  static std::optional<std::string> text(const std::optional<std::string>& value) { return value; }
  template <class Kind>
  static std::optional<std::string> text(const std::optional<Kind>& affinity) {
    return affinity ? std::optional(to_string(*affinity)) : std::nullopt;
  }
  static std::optional<std::string> text(const ResourceList& resources) {
    return text(schedpol::detail::to_text(resources));
  }

  template <class T>
  void compare(Fields fields, const T& from, const T& to) {
    if (from != to) changes_.push_back({field_path(kind_, fields), text(from), text(to)});
  }
  void compare(Fields fields, const Labels& from, const Labels& to) {
    if (from == to) return;
    const FieldPath at = field_path(kind_, fields);
    for (const auto& [key, value] : from) {
      const std::string* then = find_label(to, key);
      if (then == nullptr) {
        changes_.push_back({at.key(key), value, std::nullopt});
      } else if (*then != value) {
        changes_.push_back({at.key(key), value, *then});
      }
    }
    for (const auto& [key, value] : to)
      if (find_label(from, key) == nullptr) changes_.push_back({at.key(key), std::nullopt, value});
  }
  void compare(Fields fields, const std::vector<Toleration>& from,
               const std::vector<Toleration>& to) {
    if (from == to) return;
    const FieldPath at = field_path(kind_, fields);
    std::map<std::string, std::int64_t> more_before;
    for (const Toleration& toleration : from) ++more_before[to_string(toleration)];
    for (const Toleration& toleration : to) --more_before[to_string(toleration)];
    const std::size_t known = changes_.size();
    for (const auto& [toleration, more] : more_before) {
      if (more > 0) changes_.push_back({at, toleration, std::nullopt});
      if (more < 0) changes_.push_back({at, std::nullopt, toleration});
    }
    if (changes_.size() == known) changes_.push_back({at, in_order(from), in_order(to)});
  }
  void compare(Fields fields, const std::optional<Affinity>& from,
               const std::optional<Affinity>& to) {
    const Affinity none;
    const Affinity& has = from ? *from : none;
    const Affinity& gets = to ? *to : none;
    const std::vector<std::string_view> at(fields);
    scheduling_policy::for_each_kind([&](const auto& kind) {
      compare({at[0], at[1], kind.field}, has.*kind.member, gets.*kind.member);
    });
  }
  static std::string in_order(const std::vector<Toleration>& tolerations) {
    std::string all;
    for (const Toleration& toleration : tolerations)
      all += (all.empty() ? "" : ", ") + to_string(toleration);
    return all;
  }

  PodKind kind_;
  std::vector<Change> changes_;
};

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

inline const OwnerReference* controller_of(const ObjectMeta& metadata) noexcept {
  for (const OwnerReference& owner : metadata.owner_references)
    if (owner.controller) return &owner;
  return nullptr;
}

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
        templates_(std::move(templates)) {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      Pod& object = objects_[i];
      if (!object.status.phase.empty()) object.spec.node_name.clear();
      const ObjectMeta& metadata = object.metadata;
      if (object.kind != PodKind::pod)
        workloads_.try_emplace({to_string(object.kind), metadata.namespace_, metadata.name}, i);
    }
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
      outcome.changes = Differences::between(before.pod, after.pod);
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
    Owner owner = custom == nullptr ? owner_of(objects_[index], to_string(objects_[index].kind))
                                    : owner_of(custom->request.object, custom->path.kind);
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

  /// The outermost controller; who controls itself, however many steps away, is not followed on.
  [[nodiscard]] Owner owner_of(const Pod& object, std::string_view kind) const {
    Owner owner{std::string(kind), object.metadata.namespace_, object.metadata.name};
    const OwnerReference* controller = controller_of(object.metadata);
    for (int step = 0; step < max_owner_levels && controller != nullptr; ++step) {
      owner.kind = controller->kind;
      owner.name = controller->name;
      const auto found = workloads_.find({owner.kind, owner.namespace_, owner.name});
      if (found == workloads_.end()) break;
      controller = controller_of(objects_[found->second].metadata);
    }
    return owner;
  }

  static constexpr std::size_t steps_of_object = 10;
  static constexpr std::size_t steps_of_change = 40;  ///< or violation

  Side before_;
  Side after_;
  bool looks_at_metadata_;
  std::vector<Pod> objects_;
  std::vector<TemplateRequest> templates_;
  /// By kind, namespace and name.
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::size_t>
      workloads_;
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
