// SPDX-License-Identifier: Apache-2.0
#include "inventory.hpp"

#include "entries.hpp"
#include "misspelt_fields.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/insight/differences.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace cli {

namespace {

namespace engine = schedpol::engine;
using schedpol::Change;
using schedpol::Pod;
using schedpol::PodKind;

/// Whether a system that runs selects pods by their labels.
bool looks_at_labels(const engine::Engine& engine) {
  return engine.runs(engine::System::pod_scheduling_policy) ||
         engine.runs(engine::System::metadata_policy) ||
         engine.runs(engine::System::resource_policy);
}

/// Whether an engine looks at metadata of pods besides.
bool looks_at_annotations(const engine::Engine& engine) {
  return engine.looks_at_metadata();
}

/// What of a stored pod nobody looks at, but the place that its name is.
void forget_rest(engine::StoredObject& stored) {
  stored.object.status = {.phase = stored.object.status.phase};
  stored.object.metadata.uid.clear();
}

/// The pod that a template describes.
Pod pod_of(const Pod& from) {
  Pod pod = from;
  pod.kind = PodKind::pod;
  pod.selector.reset();
  pod.metadata.owner_references.clear();
  return pod;
}

/// The DaemonSet controller puts the node of a pod in the place of these.
void drop_required_node_terms(Pod& pod) {
  std::optional<schedpol::Affinity>& affinity = pod.spec.affinity;
  if (!affinity || !affinity->node_affinity) return;
  affinity->node_affinity->required_during_scheduling_ignored_during_execution.reset();
  if (affinity->node_affinity == schedpol::NodeAffinity{}) affinity->node_affinity.reset();
}

/// The API server fills this name in.
void fill_in(Pod& pod) {
  if (pod.spec.scheduler_name.empty()) pod.spec.scheduler_name = schedpol::default_scheduler_name;
}

std::string text_of(const Entry& entry) {
  std::string text = entry.name + '\n' + entry.verdict;
  for (const Finding& finding : entry.findings)
    text.append("\n").append(finding.code).append(" ").append(finding.text);
  for (const Line& line : entry.lines) text.append("\n").append(line.text);
  return text;
}

}  // namespace

Inventory::Inventory(std::vector<engine::Engine> engines, const Arguments& arguments,
                     Problems& problems)
    : engines_(std::move(engines)), arguments_(arguments), problems_(problems) {
  for (const engine::Engine& engine : engines_)
    for (const engine::TemplatePath& path : engine.templates())
      if (std::find(paths_.begin(), paths_.end(), path) == paths_.end()) paths_.push_back(path);
}

void Inventory::read(Input& input, const Take& take) {
  Progress progress;
  std::size_t objects = 0;
  input.read(arguments_.objects,
             [&](const Source& source, const schedpol::json::Document& document) {
               look_at(source, document, take);
               progress.show(++objects, input.bytes_read(), input.bytes_in_all());
             });
  finish(take);
}

void Inventory::look_at(const Source& source, const schedpol::json::Document& document,
                        const Take& take) {
  warn(warnings_of(source));
  if (!arguments_.as_stored && keep(source, document)) return;
  auto asked = read_request(source.object.json(), arguments_.namespace_, paths_, nullptr,
                            arguments_.as_stored ? Stored::as_stored : Stored::as_created);
  for (const schedpol::FieldError& error : asked.errors())
    problems_.add(source.place(error.field), error);
  if (!asked) return;
  Subject subject{.asked = *std::move(asked)};
  subject.warnings = misspelt_fields(subject.asked, source);
  take(subject, source);
}

bool Inventory::keep(const Source& source, const schedpol::json::Document& document) {
  auto read = schedpol::json::decode<engine::StoredObject>(document);
  if (!read) return false;  // another kind, or an error that is told then
  engine::StoredObject stored = *std::move(read);
  std::string& in = stored.object.metadata.namespace_;
  if (in.empty()) in = arguments_.namespace_;
  if (stored.object.kind != PodKind::pod) {
    workloads_.push_back(std::move(stored.object));
    return false;
  }
  if (!is_stored(stored)) return false;
  add(std::move(stored), source.place());
  return true;
}

void Inventory::add(engine::StoredObject&& object, Place&& place) {
  forget_rest(object);
  engine::CreatedObject created = as_created(object, {});
  schedpol::ObjectMeta& metadata = created.object.metadata;
  // Whoever has no controller is one of a kind.
  if (engine::controller_of(metadata) != nullptr) metadata.name.clear();
  if (std::none_of(engines_.begin(), engines_.end(), looks_at_labels)) metadata.labels.clear();
  if (std::none_of(engines_.begin(), engines_.end(), looks_at_annotations))
    metadata.annotations.clear();
  // Whether their template has it, too, is known at the end.
  const schedpol::PodSpec& had = object.object.spec;
  created.object.spec.tolerations = had.tolerations;
  created.object.spec.priority = had.priority;
  created.object.spec.preemption_policy = had.preemption_policy;
  std::string what = std::string(to_string(created.as)) + schedpol::json::encode(created.object);
  // Only an author's node is known so far.
  if (object.node_named_by == engine::NodeNamedBy::scheduler) what += " scheduled";
  const auto [found, is_new] = numbers_.try_emplace(std::move(what), alike_.size());
  if (is_new) alike_.push_back({std::move(object), std::move(place), 0});
  ++alike_[found->second].pods;
}

void Inventory::finish(const Take& take) {
  numbers_.clear();
  const engine::Owners owners(workloads_);
  for (AlikePods& alike : alike_) {
    const schedpol::ObjectMeta& metadata = alike.first.object.metadata;
    const engine::Owner owner = owners.outermost_of(alike.first.object);
    const bool is_controlled = engine::controller_of(metadata) != nullptr;
    const Pod* const from = owners.template_of(alike.first.object);
    // All pods of a template that names a node are there; which of several nodes this one was on
    // says nothing of the others.
    if (std::string& node = alike.first.object.spec.node_name;
        from != nullptr && !node.empty() &&
        alike.first.node_named_by != engine::NodeNamedBy::author)
      node = from->spec.node_name;
    Subject subject{.pods = alike.pods, .lacks_template = is_controlled && from == nullptr};
    subject.asked.name = {.api_version = owner.kind == "Pod" ? "v1" : "",
                          .kind = owner.kind,
                          .namespace_ = owner.namespace_,
                          .name = owner.name};
    const schedpol::PodSpec& spec = alike.first.object.spec;
    if (spec.priority) subject.priority = {*spec.priority, spec.preemption_policy != "Never"};
    ask_as_created(subject.asked, std::move(alike.first), owners);
    // What nobody is asked about stands as the cluster printed it.
    if (from != nullptr && subject.asked.passes.empty())
      subject.differences = differences(*from, subject.asked.pod->object);
    take(subject, Source{.file = alike.place.file, .whole = alike.place});
  }
}

std::vector<Change> Inventory::differences(const Pod& from, const Pod& pod) const {
  Pod wanted = pod_of(from);
  wanted.metadata.namespace_ = pod.metadata.namespace_;
  if (from.kind == PodKind::daemon_set) drop_required_node_terms(wanted);
  fill_in(wanted);
  Pod has = pod;
  fill_in(has);
  std::vector<Change> found = engine::differences(wanted, has);
  // Labels and annotations that controllers and others write are no matter of scheduling, and a
  // gate that a pod has no longer was only taken away.
  std::erase_if(found, [](const Change& change) {
    const auto steps = change.field.steps();
    return steps.size() < 2 || steps[0].name != "spec" ||
           (steps[1].name == "schedulingGates" && !change.to);
  });
  for (const engine::Engine& engine : engines_) {
    if (found.empty()) break;
    const engine::Decision decision = engine.decide({.object = wanted});
    if (!decision.allowed) continue;
    const std::vector<Change> made = engine::differences(wanted, decision.pod);
    std::erase_if(found, [&](const Change& change) {
      return std::find(made.begin(), made.end(), change) != made.end();
    });
  }
  return found;
}

void GroupedEntries::add(const Subject& subject, Entry&& entry) {
  if (subject.pods == 0) return reporter_.add(entry);
  for (const Change& change : subject.differences) {
    const auto shown = [](const std::optional<std::string>& value) {
      return value ? schedpol::in_backticks(*value) : std::string("nothing");
    };
    const std::string at = " in " + schedpol::in_backticks(to_string(change.field));
    std::string text = "the pods have " + shown(change.to) + at + ", their template ";
    if (!change.to)
      text = "the template has " + shown(change.from) + at + ", its pods do not";
    else if (change.from)
      text += "has " + shown(change.from);
    else
      text += "does not";
    entry.findings.push_back({Level::note, "TemplateDiffers", entry.place, text});
  }
  if (!subject.differences.empty())
    entry.members.emplace_back("differences", schedpol::json::encode(subject.differences));
  const auto [found, is_new] = numbers_.try_emplace(text_of(entry), groups_.size());
  if (is_new) groups_.push_back({std::move(entry), 0});
  groups_[found->second].pods += subject.pods;
}

void GroupedEntries::finish() {
  for (auto& [entry, pods] : groups_) {
    if (entry.object->kind != "Pod") entry.name = counted(pods, "pod") + " of " + entry.name;
    entry.members.emplace_back("pods", std::to_string(pods));
    reporter_.add(entry);
  }
}

}  // namespace cli
