// SPDX-License-Identifier: Apache-2.0
#include "impact.hpp"

#include "decide.hpp"
#include "entries.hpp"
#include "terminal.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/insight/impact.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cli {

namespace {

namespace engine = schedpol::engine;
using schedpol::Pod;

/// Objects that are asked about together. Pods of one template are listed beside one another.
constexpr std::size_t most_objects = 4096;

/// By kind, namespace and name.
using OwnerName = std::tuple<std::string, std::string, std::string>;

OwnerName name_of(const engine::Owner& owner) {
  return {owner.kind, owner.namespace_, owner.name};
}

class ImpactReport {
 public:
  ImpactReport(const engine::Engine& before, const engine::Engine& after)
      : before_(before), after_(after) {}

  void add(Pod&& object, Place&& place, Problems& problems) {
    if (object.kind != schedpol::PodKind::pod) {
      for (const schedpol::OwnerReference& owner : object.metadata.owner_references) {
        if (!owner.controller) continue;
        controllers_.emplace(
            OwnerName(to_string(object.kind), object.metadata.namespace_, object.metadata.name),
            engine::Owner{owner.kind, object.metadata.namespace_, owner.name});
      }
    }
    objects_.push_back(std::move(object));
    places_.push_back(std::move(place));
    if (objects_.size() == most_objects) decide(problems);
  }

  /// A pod template of an object of a custom kind.
  void add(engine::TemplateRequest of, Place&& place, Problems& problems) {
    const schedpol::ObjectMeta& metadata = of.request.object.metadata;
    for (const schedpol::OwnerReference& owner : metadata.owner_references) {
      if (!owner.controller) continue;
      controllers_.emplace(OwnerName(of.path.kind, metadata.namespace_, metadata.name),
                           engine::Owner{owner.kind, metadata.namespace_, owner.name});
    }
    templates_.push_back(std::move(of));
    template_places_.push_back(std::move(place));
    if (templates_.size() == most_objects) decide(problems);
  }

  void count_without_pod() { ++counts_.without_pod; }
  void count_terminal() { ++counts_.terminal; }

  void decide(Problems& problems) {
    const std::vector<Pod> objects = std::exchange(objects_, {});
    decide(std::exchange(places_, {}), problems, [&](std::ptrdiff_t first) {
      return engine::impact(before_, after_, {objects.begin() + first, objects.end()});
    });
    const std::vector<engine::TemplateRequest> templates = std::exchange(templates_, {});
    decide(std::exchange(template_places_, {}), problems, [&](std::ptrdiff_t first) {
      return engine::impact(before_, after_, {}, {}, {templates.begin() + first, templates.end()});
    });
  }

  void write(Reporter& reporter) {
    // Which controllers have one themselves is known now.
    std::vector<Group> groups = std::exchange(groups_, {});
    numbers_.clear();
    for (Group& group : groups) {
      engine::Owner& owner = group.what.owner;
      for (int level = 0; level < schedpol::max_owner_levels; ++level) {
        const auto found = controllers_.find(name_of(owner));
        if (found == controllers_.end()) break;
        owner = found->second;
      }
      const std::size_t size = group.objects;
      same_as(std::move(group.what), group.first).objects += size;
    }
    for (const Group& group : groups_) reporter.add(entry_of(group));
  }

  [[nodiscard]] const ImpactCounts& counts() const noexcept { return counts_; }

 private:
  struct Group {
    engine::ImpactGroup what{};
    Place first{};
    std::size_t objects = 0;
  };

  /// What the budget of one question does not reach is asked about in another one; `ask` is about
  /// what stands at the places from the first on.
  template <class Ask>
  void decide(const std::vector<Place>& places, Problems& problems, Ask&& ask) {
    std::size_t first = 0;
    while (first < places.size()) {
      engine::Impact impact = ask(static_cast<std::ptrdiff_t>(first));
      const std::size_t looked_at = places.size() - first - impact.not_looked_at;
      if (looked_at == 0) {
        problems.add(places[first], {schedpol::ErrorType::too_many,
                                     {},
                                     "",
                                     "there are too many policies to tell what becomes of it"});
        break;
      }
      counts_.unchanged += impact.unchanged;
      counts_.changed += impact.changed;
      counts_.newly_denied += impact.newly_denied;
      counts_.newly_allowed += impact.newly_allowed;
      for (engine::ImpactGroup& group : impact.groups) {
        const Place& place = places[first + group.objects.front()];
        const std::size_t size = group.objects.size();
        group.objects.clear();
        group.objects.shrink_to_fit();
        Group& same = same_as(std::move(group), place);
        same.objects += size;
      }
      first += looked_at;
    }
  }

  Group& same_as(engine::ImpactGroup&& group, const Place& first) {
    std::vector<std::size_t>& of_owner = numbers_[name_of(group.owner)];
    for (const std::size_t number : of_owner)
      if (groups_[number].what == group) return groups_[number];
    of_owner.push_back(groups_.size());
    return groups_.emplace_back(Group{std::move(group), first, 0});
  }

  static Entry entry_of(const Group& group) {
    using schedpol::json::encode;
    const engine::ImpactGroup& what = group.what;
    const engine::Owner& owner = what.owner;
    Entry entry{.verdict = what.effect == engine::Effect::newly_denied    ? "denied"
                           : what.effect == engine::Effect::newly_allowed ? "allowed"
                                                                          : "changed",
                .name = owner.kind + " " +
                        (owner.namespace_.empty() ? "" : owner.namespace_ + "/") + owner.name +
                        " (" + counted(group.objects, "object") + ")",
                .place = group.first};
    const Level level = what.effect == engine::Effect::newly_denied ? Level::error : Level::warning;
    for (const schedpol::Violation& reason : what.violations)
      entry.findings.push_back({level, std::string(to_string(reason.code)), group.first,
                                (level == Level::error ? "" : "before: ") + message(reason)});
    if (entry.findings.empty())
      entry.findings.push_back({level, std::string(to_string(what.effect)), group.first,
                                "its objects are made otherwise"});
    entry.lines = diff_of(what.changes);
    entry.members = {{"owner", json_object({{"kind", json_text(owner.kind)},
                                            {"namespace", json_text(owner.namespace_)},
                                            {"name", json_text(owner.name)}})},
                     {"change", json_text(to_string(what.effect))},
                     {"objects", std::to_string(group.objects)},
                     {"violations", encode(what.violations)},
                     {"changes", encode(what.changes)}};
    return entry;
  }

  const engine::Engine& before_;
  const engine::Engine& after_;
  std::vector<Pod> objects_;
  std::vector<Place> places_;
  std::vector<engine::TemplateRequest> templates_;
  std::vector<Place> template_places_;
  std::map<OwnerName, engine::Owner> controllers_;
  std::vector<Group> groups_;
  std::map<OwnerName, std::vector<std::size_t>> numbers_;
  ImpactCounts counts_;
};

}  // namespace

ImpactCounts report_impact(const engine::Engine& before, const engine::Engine& after,
                           const Arguments& arguments, Input& input, Problems& problems,
                           Reporter& reporter) {
  ImpactReport report(before, after);
  const auto known = before.templates();
  std::vector<engine::TemplatePath> paths(known.begin(), known.end());
  for (const engine::TemplatePath& path : after.templates())
    if (std::find(known.begin(), known.end(), path) == known.end()) paths.push_back(path);
  Progress progress;
  std::size_t read = 0;
  input.read(arguments.objects,
             [&](const Source& source, const schedpol::json::Document& document) {
               warn(warnings_of(source));
               progress.show(++read, input.bytes_read(), input.bytes_in_all());
               Pod pod;
               if (auto decoded = schedpol::json::decode<engine::StoredObject>(document)) {
                 engine::StoredObject object = *std::move(decoded);
                 if (arguments.as_stored) object.uid.clear();
                 engine::CreatedObject created = as_created(std::move(object), {});
                 if (created.as == engine::AskedAs::terminal) return report.count_terminal();
                 pod = std::move(created.object);
               } else {
                 // No pod, nor a workload: something else, or an error.
                 auto asked = read_request(source.object.json(), arguments.namespace_, paths);
                 for (const schedpol::FieldError& error : asked.errors())
                   problems.add(source.place(error.field), error);
                 if (!asked) return;
                 if (!asked->pod && asked->templates.empty()) report.count_without_pod();
                 for (const engine::TemplateRequest& each : asked->templates) {
                   Place place = source.place(asked->object.join(each.place));
                   report.add(each, std::move(place), problems);
                 }
                 if (!asked->pod) return;
                 pod = std::move(asked->pod->object);
               }
               if (pod.metadata.namespace_.empty()) pod.metadata.namespace_ = arguments.namespace_;
               report.add(std::move(pod), source.place(), problems);
             });
  report.decide(problems);
  report.write(reporter);
  if (report.counts().objects() == 0 && !problems.any())
    problems.add("there is no pod or workload to look at");
  return report.counts();
}

}  // namespace cli
