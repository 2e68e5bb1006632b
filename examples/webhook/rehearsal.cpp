// SPDX-License-Identifier: Apache-2.0
#include "rehearsal.hpp"

#include "../support/json_members.hpp"
#include "../support/log.hpp"

#include <schedpol/base/text_limits.hpp>
#include <schedpol/core/qos.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/as_created.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/review.hpp>
#include <schedpol/json/templates.hpp>
#include <schedpol/rbac/usable.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <utility>

namespace webhook {

namespace {

namespace engine = schedpol::engine;
using schedpol::Pod;
using schedpol::json::encode;
using schedpol::json::RawObject;

/// As of what can wait in `support::Workers`.
constexpr int niceness = 10;
/// What a review takes besides its bytes while it waits.
constexpr std::size_t bytes_besides = 2048;

/// Reasons of a denial that a need tells.
constexpr std::size_t most_told = 16;

/// Labels that controllers write, with a value of each pod.
constexpr std::array<std::string_view, 10> labels_of_one_pod = {
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-completion-index",
    "batch.kubernetes.io/job-name",
    "controller-revision-hash",
    "controller-uid",
    "job-name",
    "pod-template-generation",
    "pod-template-hash",
    "statefulset.kubernetes.io/pod-name"};

/// Those that MetadataPolicy reads and writes.
constexpr std::array<std::string_view, 2> kept_annotations = {"scheduler.alpha.kubernetes.io/name",
                                                              "scheduler.alpha.kubernetes.io/qos"};

bool contains(std::span<const std::string_view> all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool looks_at_labels(const engine::Engine& engine) {
  return engine.runs(engine::System::pod_scheduling_policy) ||
         engine.runs(engine::System::metadata_policy) ||
         engine.runs(engine::System::resource_policy);
}

/// A container with which a pod has this quality of service.
std::vector<schedpol::Container> container_of(schedpol::QosClass qos) {
  if (qos == schedpol::QosClass::best_effort) return {};
  schedpol::Container one;
  one.resources.requests = {{"cpu", *schedpol::Quantity::parse("1")}};
  if (qos == schedpol::QosClass::guaranteed) {
    one.resources.requests.emplace("memory", *schedpol::Quantity::parse("1"));
    one.resources.limits = one.resources.requests;
  }
  return {one};
}

/// What policies look at.
Pod smallest(const Pod& pod, const engine::Engine& engine) {
  Pod kept{.kind = pod.kind};
  kept.metadata.namespace_ = pod.metadata.namespace_;
  if (looks_at_labels(engine))
    for (const auto& [key, value] : pod.metadata.labels)
      if (!contains(labels_of_one_pod, key)) kept.metadata.labels.emplace(key, value);
  // What is not left out here is kept, whatever policies look at besides.
  schedpol::PodSpec& spec = kept.spec;
  spec = pod.spec;
  spec.priority.reset();
  spec.preemption_policy.clear();
  spec.service_account_name = schedpol::rbac::account_of(pod);
  spec.service_account.clear();
  for (schedpol::TopologySpreadConstraint& each : spec.topology_spread_constraints)
    each = {.topology_key = std::move(each.topology_key),
            .when_unsatisfiable = each.when_unsatisfiable};
  spec.init_containers.clear();
  spec.containers.clear();
  spec.resources.reset();
  if (engine.looks_at_metadata()) {
    for (const auto& [key, value] : pod.metadata.annotations)
      if (contains(kept_annotations, key)) kept.metadata.annotations.emplace(key, value);
    spec.containers = container_of(effective_qos_class(pod.spec));
  }
  return kept;
}

/// The pod as it would be created; nothing where it runs already, or has run.
std::optional<Pod> created(Pod&& pod, const Pod* old) {
  engine::StoredObject stored{.object = std::move(pod), .uid = "-", .creation_timestamp = "-"};
  // A node that it had before is the scheduler's.
  const bool was_scheduled = old != nullptr && !old->spec.node_name.empty();
  stored.node_named_by =
      was_scheduled ? engine::NodeNamedBy::scheduler : engine::NodeNamedBy::author;
  engine::CreatedObject made = as_created(std::move(stored), {});
  if (made.as == engine::AskedAs::mirror_pod || made.as == engine::AskedAs::terminal)
    return std::nullopt;
  return std::move(made.object);
}

std::string_view json_of(const RawObject& from, std::string_view name) {
  const auto found = from.find(name);
  return found == from.end() ? std::string_view() : std::string_view(found->second.json);
}

/// The pod, or the pod templates, of an object.
std::vector<Pod> pods_of(const RawObject& request, const engine::Engine& engine) {
  std::vector<Pod> pods;
  const std::string_view object = json_of(request, "object");
  const std::string_view old = json_of(request, "oldObject");
  const RawObject said = support::read_object(json_of(request, "kind"));
  const auto kind = schedpol::pod_kind(support::member<std::string>(said, "kind"));
  if (kind && is_in_group(*kind, support::member<std::string>(said, "group"))) {
    auto read = schedpol::json::decode<Pod>(object);
    if (!read) return {};
    std::optional<Pod> before;
    if (!old.empty())
      if (auto read_old = schedpol::json::decode<Pod>(old)) before = *std::move(read_old);
    if (auto pod = created(*std::move(read), before ? &*before : nullptr))
      pods.push_back(*std::move(pod));
  } else if (auto read =
                 schedpol::json::read_templates({object, {}}, engine.templates(), {old, {}})) {
    for (engine::TemplateRequest& each : *read) pods.push_back(std::move(each.request.object));
  }
  for (Pod& pod : pods) {
    std::string& in = pod.metadata.namespace_;
    if (auto of_request = support::member<std::string>(request, "namespace"); !of_request.empty())
      in = std::move(of_request);
  }
  return pods;
}

/// A value for a person, cut like those in messages.
std::string shown(std::string_view value) {
  if (value.size() <= schedpol::max_shown_bytes) return std::string(value);
  std::size_t end = schedpol::max_shown_bytes;
  // Not inside a character of several bytes.
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80) --end;
  return std::string(value.substr(0, end)) + "...";
}

/// What those would deny that do not enforce, as JSON.
std::string denied_of(const std::vector<engine::StepDecision>& steps) {
  std::string json;
  std::size_t told = 0;
  for (const engine::StepDecision& step : steps) {
    if (step.step.mode == engine::Mode::enforce) continue;
    for (const schedpol::Violation& each : step.violations) {
      if (told++ == most_told) return '[' + json + ']';
      json += (json.empty() ? R"({"code":)" : R"(,{"code":)") +
              encode(std::string(to_string(each.code))) + R"(,"field":)" +
              encode(to_string(each.field)) + R"(,"value":)" + encode(shown(each.value)) + '}';
    }
  }
  return '[' + json + ']';
}

/// The object that was asked about, and who asked.
std::string example_of(const RawObject& request) {
  const RawObject kind = support::read_object(json_of(request, "kind"));
  const RawObject object = support::read_object(json_of(request, "object"));
  const RawObject metadata = support::read_object(json_of(object, "metadata"));
  const RawObject user = support::read_object(json_of(request, "userInfo"));
  auto name = support::member<std::string>(metadata, "name");
  if (name.empty()) name = support::member<std::string>(metadata, "generateName");
  return R"({"kind":)" + encode(support::member<std::string>(kind, "kind")) + R"(,"namespace":)" +
         encode(support::member<std::string>(request, "namespace")) + R"(,"name":)" + encode(name) +
         R"(,"user":)" + encode(support::member<std::string>(user, "username")) + '}';
}

}  // namespace

Rehearsal::Rehearsal(support::Metrics& metrics, std::size_t most_bytes)
    : needs_(most_bytes),
      heard_(metrics
                 .counters("schedpol_needs_heard_total",
                           "Reviews that a system would have denied which only warns or audits.")
                 .only()),
      dropped_(metrics.counters("schedpol_needs_dropped_total",
                                "Needs that are not kept for a rehearsal, and why.", {"reason"})) {
  metrics.gauge("schedpol_needs", "Needs that are kept for a rehearsal.",
                [this] { return static_cast<double>(needs_.size()); });
  thread_ = std::thread([this] {
    static_cast<void>(nice(niceness));
    serve();
  });
}

Rehearsal::~Rehearsal() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Rehearsal::hear(engine::Phase phase, std::string_view review,
                     const schedpol::json::ReviewResult& reviewed,
                     const std::shared_ptr<const engine::Engine>& engine) {
  if (reviewed.outcome != schedpol::json::Outcome::allowed) return;
  const auto would_deny = [](const engine::StepDecision& step) {
    return step.step.mode != engine::Mode::enforce && !step.violations.empty();
  };
  if (std::none_of(reviewed.steps.begin(), reviewed.steps.end(), would_deny)) return;
  heard_.add();
  const std::size_t bytes = review.size() + bytes_besides;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_bytes_ + bytes > most_waiting_bytes) {
      dropped_.with({"Busy"}).add();
      return;
    }
    waiting_bytes_ += bytes;
  }
  try {
    // Made while nobody waits for the mutex.
    Heard heard{.by = phase == engine::Phase::mutating ? Asked::admit : Asked::validate,
                .review = std::string(review),
                .denied = denied_of(reviewed.steps),
                .engine = engine};
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(heard));
  } catch (const std::bad_alloc&) {
    // Whoever asks is answered all the same.
    const std::lock_guard lock(mutex_);
    waiting_bytes_ -= bytes;
  }
  changed_.notify_one();
}

void Rehearsal::serve() {
  for (;;) {
    Heard heard;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      if (is_ending_) return;
      heard = std::move(waiting_.front());
      waiting_.pop_front();
    }
    const std::size_t bytes = heard.review.size() + bytes_besides;
    try {
      keep(heard);
    } catch (const std::exception& failure) {
      support::log_error("a need cannot be kept", {{"error", failure.what()}});
      dropped_.with({"Failed"}).add();
    }
    heard = {};
    const std::lock_guard lock(mutex_);
    waiting_bytes_ -= bytes;
  }
}

void Rehearsal::keep(const Heard& heard) {
  const RawObject review = support::read_object(heard.review);
  const RawObject request = support::read_object(json_of(review, "request"));
  if (support::member<bool>(request, "dryRun")) return;
  const std::string example = example_of(request);
  for (const Pod& pod : pods_of(request, *heard.engine)) {
    const Pod kept = smallest(pod, *heard.engine);
    const std::uint64_t before = needs_.dropped();
    const Needs::Added added =
        needs_.add({.object = encode(kept),
                    .subject = "system:serviceaccount:" + std::string(namespace_of(kept.metadata)) +
                               ':' + kept.spec.service_account_name,
                    .namespace_ = std::string(namespace_of(kept.metadata)),
                    .denied = heard.denied,
                    .example = example},
                   heard.by);
    if (added == Needs::Added::too_large) dropped_.with({"TooLarge"}).add();
    dropped_.with({"Rare"}).add(needs_.dropped() - before);
  }
}

}  // namespace webhook
