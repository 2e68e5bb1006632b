// SPDX-License-Identifier: Apache-2.0
#include "impact.hpp"

#include "decide.hpp"
#include "entries.hpp"
#include "inventory.hpp"
#include "verdicts.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/insight/impact.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
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

/// The first of alike objects, and how many they are.
struct Listed {
  Place place{};
  std::size_t objects = 1;
};

class ImpactReport {
 public:
  ImpactReport(const engine::Engine& before, const engine::Engine& after)
      : before_(before), after_(after) {}

  /// An object, or alike pods.
  void add(Pod&& object, Listed&& listed, Problems& problems) {
    if (object.kind != schedpol::PodKind::pod) {
      for (const schedpol::OwnerReference& owner : object.metadata.owner_references) {
        if (!owner.controller) continue;
        controllers_.emplace(
            OwnerName(to_string(object.kind), object.metadata.namespace_, object.metadata.name),
            engine::Owner{owner.kind, object.metadata.namespace_, owner.name});
      }
    }
    objects_.push_back(std::move(object));
    listed_.push_back(std::move(listed));
    if (objects_.size() == most_objects) decide(problems);
  }

  /// A pod template of an object of a custom kind.
  void add(engine::TemplateRequest of, Listed&& listed, Problems& problems) {
    const schedpol::ObjectMeta& metadata = of.request.object.metadata;
    for (const schedpol::OwnerReference& owner : metadata.owner_references) {
      if (!owner.controller) continue;
      controllers_.emplace(OwnerName(of.path.kind, metadata.namespace_, metadata.name),
                           engine::Owner{owner.kind, metadata.namespace_, owner.name});
    }
    templates_.push_back(std::move(of));
    listed_templates_.push_back(std::move(listed));
    if (templates_.size() == most_objects) decide(problems);
  }

  /// Objects of which nothing is asked.
  void count(std::size_t ImpactCounts::*of, std::size_t objects) { counts_.*of += objects; }

  void decide(Problems& problems) {
    const std::vector<Pod> objects = std::exchange(objects_, {});
    decide(std::exchange(listed_, {}), problems, [&](std::ptrdiff_t first) {
      return engine::impact(before_, after_, {objects.begin() + first, objects.end()});
    });
    const std::vector<engine::TemplateRequest> templates = std::exchange(templates_, {});
    decide(std::exchange(listed_templates_, {}), problems, [&](std::ptrdiff_t first) {
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
  void decide(const std::vector<Listed>& listed, Problems& problems, Ask&& ask) {
    std::size_t first = 0;
    while (first < listed.size()) {
      engine::Impact impact = ask(static_cast<std::ptrdiff_t>(first));
      const std::size_t looked_at = listed.size() - first - impact.not_looked_at;
      if (looked_at == 0) {
        problems.add(listed[first].place,
                     {schedpol::ErrorType::too_many,
                      {},
                      "",
                      "there are too many policies to tell what becomes of it"});
        break;
      }
      for (std::size_t i = first; i < first + looked_at; ++i)
        counts_.unchanged += listed[i].objects;
      for (engine::ImpactGroup& group : impact.groups) {
        const Place& place = listed[first + group.objects.front()].place;
        std::size_t size = 0;
        for (const std::size_t i : group.objects) size += listed[first + i].objects;
        counts_.unchanged -= size;
        count_of(group.effect) += size;
        group.objects.clear();
        group.objects.shrink_to_fit();
        Group& same = same_as(std::move(group), place);
        same.objects += size;
      }
      first += looked_at;
    }
  }

  std::size_t& count_of(engine::Effect effect) {
    switch (effect) {
      case engine::Effect::unchanged: break;
      case engine::Effect::changed: return counts_.changed;
      case engine::Effect::newly_denied: return counts_.newly_denied;
      case engine::Effect::newly_allowed: return counts_.newly_allowed;
    }
    return counts_.unchanged;
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
  std::vector<Listed> listed_;
  std::vector<engine::TemplateRequest> templates_;
  std::vector<Listed> listed_templates_;
  std::map<OwnerName, engine::Owner> controllers_;
  std::vector<Group> groups_;
  std::map<OwnerName, std::vector<std::size_t>> numbers_;
  ImpactCounts counts_;
};

/// Whether nobody can tell what becomes of it, since only one of the two minds the node that it may have
/// named.
bool is_undecided_by_one(const engine::Engine& before, const engine::Engine& after,
                         const AdmissionRequest& asked) {
  return decide(before, asked, Fixes::omitted).undecided !=
         decide(after, asked, Fixes::omitted).undecided;
}

Entry undecided_entry(const AdmissionRequest& asked, const Source& source) {
  Entry entry{.verdict = std::string(to_string(Verdict::undecided)),
              .name = to_string(asked.name),
              .object = asked.name,
              .place = source.place()};
  entry.findings.push_back(undecided_finding(asked, entry.place));
  return entry;
}

}  // namespace

ImpactCounts report_impact(const engine::Engine& before, const engine::Engine& after,
                           const Arguments& arguments, Input& input, Problems& problems,
                           Reporter& reporter) {
  ImpactReport report(before, after);
  const auto look_at = [&](const Subject& subject, const Source& source) {
    const AdmissionRequest& asked = subject.asked;
    const std::size_t objects = std::max(subject.pods, std::size_t{1});
    for (const Finding& warning : subject.warnings) reporter.add(entry_of(warning));
    report.count(&ImpactCounts::warnings, subject.warnings.size());
    for (const engine::TemplateRequest& each : asked.templates)
      report.add(each, {source.place(asked.object.join(each.place))}, problems);
    if (!asked.pod) {
      if (asked.templates.empty()) report.count(&ImpactCounts::without_pod, objects);
      return;
    }
    Pod pod = asked.pod->object;
    if (!asked.passes.empty())
      return report.count(is_terminal(pod) ? &ImpactCounts::terminal : &ImpactCounts::mirror_pods,
                          objects);
    if (!asked.doubtful_node.empty() && is_undecided_by_one(before, after, asked)) {
      report.count(&ImpactCounts::undecided, objects);
      return reporter.add(undecided_entry(asked, source));
    }
    pod.status = {};  // what it names as its node, it asked for
    report.add(std::move(pod), {source.place(asked.object), objects}, problems);
  };
  Inventory({before, after}, arguments, problems).read(input, look_at);
  report.decide(problems);
  report.write(reporter);
  if (report.counts().objects() == 0 && !problems.any())
    problems.add("there is no pod or workload to look at");
  return report.counts();
}

}  // namespace cli
