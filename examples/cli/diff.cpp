// SPDX-License-Identifier: Apache-2.0
// `schedpol diff`: what a change of the policies changes.
//
// 1. SchedulingPolicies are compared by what they allow, objects of the other systems as they are
//    written.
// 2. Objects are those of an `Inventory`, and are asked about in parts, so that a list may be of
// any
//    length; of a workload its name and its controller are kept, by which parts are put together.

#include "commands.hpp"
#include "compare.hpp"
#include "decide.hpp"
#include "entries.hpp"
#include "impact.hpp"
#include "policies.hpp"

#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

namespace cli {

namespace {

namespace engine = schedpol::engine;
namespace sp = schedpol::scheduling_policy;

class PolicyDiff {
 public:
  PolicyDiff(const PolicySet& before, const PolicySet& after, Problems& problems,
             Reporter& reporter)
      : before_(before), after_(after), problems_(problems), reporter_(reporter) {}

  void compare_scheduling_policies() {
    for (const ComparedPolicies& compared :
         cli::compare_scheduling_policies(before_, after_, problems_))
      add(compared.whose, compared.comparison);
  }

  void compare_others() {
    const auto& before = before_.configuration;
    const auto& after = after_.configuration;
    if (before.systems != after.systems || before.settings != after.settings)
      add_changed("changed", "EngineConfiguration", {});
    for_each_list(before.objects, [&](const auto& was, engine::ObjectKinds kinds) {
      const engine::ObjectKind& kind = *kinds.begin();
      if (kind.system == engine::System::none || kind.system == engine::System::scheduling_policy)
        return;
      using Object = typename std::remove_cvref_t<decltype(was)>::value_type;
      engine::visit_list<Object>(after.objects, [&](const auto& is, engine::ObjectKinds) {
        compare_lists(was, is, kind.name);
      });
    });
  }

  [[nodiscard]] bool differs() const noexcept { return differs_; }

 private:
  void add(const std::string& whose, const sp::Comparison& comparison) {
    const bool is_equal = comparison.relation == sp::Relation::equivalent;
    differs_ = differs_ || !is_equal;
    Entry entry{.good = is_equal,
                .verdict = std::string(to_string(comparison.relation)),
                .name = "SchedulingPolicies" + whose};
    const auto add_witness = [&](const char* member, Line::Kind kind, std::string_view what,
                                 const std::optional<schedpol::Pod>& pod) {
      if (!pod) return;
      const std::string json = schedpol::json::encode(*pod);
      entry.lines.push_back({kind, std::string(what) + ", such as " + json});
      entry.members.emplace_back(member, json);
    };
    add_witness("allowedBefore", Line::Kind::removed, "allowed before and denied now",
                comparison.allowed_before);
    add_witness("allowedAfter", Line::Kind::added, "denied before and allowed now",
                comparison.allowed_after);
    if (!is_equal)
      entry.findings.push_back({Level::error,
                                entry.verdict,
                                {},
                                comparison.relation == sp::Relation::stricter
                                    ? "fewer pods are allowed"
                                : comparison.relation == sp::Relation::looser
                                    ? "more pods are allowed"
                                    : "some pods are allowed no more, and others now are"});
    reporter_.add(entry);
  }

  void add_changed(std::string verdict, std::string name, Place place) {
    differs_ = true;
    Entry entry{.verdict = std::move(verdict), .name = std::move(name), .place = std::move(place)};
    entry.findings.push_back({Level::error, "Changed", entry.place, "it is " + entry.verdict});
    reporter_.add(entry);
  }

  template <class T>
  void compare_lists(const std::vector<T>& before, const std::vector<T>& after,
                     std::string_view kind) {
    const auto by_name = [&](const std::vector<T>& list) {
      std::map<std::string, const T*> names;
      for (const T& object : list) names.emplace(name_of(object, kind), &object);
      return names;
    };
    const auto was = by_name(before);
    const auto is = by_name(after);
    for (const auto& [name, object] : was) {
      const auto found = is.find(name);
      if (found == is.end())
        add_changed("removed", name, place_of(before_, *object, kind));
      else if (!(*found->second == *object))
        add_changed("changed", name, place_of(after_, *found->second, kind));
    }
    for (const auto& [name, object] : is)
      if (!was.contains(name)) add_changed("added", name, place_of(after_, *object, kind));
  }

  template <class T>
  static std::string kind_of(const T& object, std::string_view kind) {
    if constexpr (requires { to_string(object.kind); }) return std::string(to_string(object.kind));
    return std::string(kind);
  }
  template <class T>
  static std::string name_of(const T& object, std::string_view kind) {
    const std::string& in = object.metadata.namespace_;
    return kind_of(object, kind) + " " + (in.empty() ? "" : in + "/") + object.metadata.name;
  }
  template <class T>
  static Place place_of(const PolicySet& set, const T& object, std::string_view kind) {
    const std::string& in = object.metadata.namespace_;
    return set.place(schedpol::FieldPath{kind_of(object, kind)}.key((in.empty() ? "" : in + "/") +
                                                                    object.metadata.name));
  }

  const PolicySet& before_;
  const PolicySet& after_;
  Problems& problems_;
  Reporter& reporter_;
  bool differs_ = false;
};

}  // namespace

Status run_diff(const Arguments& arguments) {
  Problems problems;
  Selection selection(arguments);
  Input input(arguments.stdin_name, selection, problems);
  const auto before =
      usable_policies({arguments.operands[0]}, arguments.namespace_, input, problems);
  const auto after =
      usable_policies({arguments.operands[1]}, arguments.namespace_, input, problems);
  const auto reporter = make_reporter(arguments.output, "diff");
  if (!before || !after) {
    reporter->finish({.problems = problems.texts()});
    return Status::not_looked;
  }
  PolicyDiff diff(*before, *after, problems, *reporter);
  diff.compare_scheduling_policies();
  diff.compare_others();
  bool differs = diff.differs();
  Summary summary{.lines = {"before: " + before->described(), "after: " + after->described()}};
  if (!arguments.objects.empty()) {
    const ImpactCounts counts =
        report_impact(before->engine, after->engine, arguments, input, problems, *reporter);
    differs = differs || counts.differ();
    std::string line = counted(counts.objects(), "object") + " looked at";
    append_count(line, counts.newly_denied, "denied now");
    append_count(line, counts.newly_allowed, "allowed now");
    append_count(line, counts.changed, "changed otherwise");
    append_count(line, counts.unchanged, "unchanged");
    append_count(line, counts.undecided, to_string(Verdict::undecided));
    if (counts.warnings > 0) line += ", " + counted(counts.warnings, "warning");
    if (counts.without_pod > 0)
      line += "; " + counted(counts.without_pod, "object") + " without pods not looked at";
    if (counts.terminal > 0)
      line += "; " + counted(counts.terminal, "pod") + " that " +
              (counts.terminal == 1 ? "has" : "have") + " run not looked at";
    if (counts.mirror_pods > 0)
      line += "; " + counted(counts.mirror_pods, "mirror pod") + " not looked at";
    summary.lines.insert(summary.lines.begin(), line);
    summary.members = {{"objects", std::to_string(counts.objects())},
                       {"newlyDenied", std::to_string(counts.newly_denied)},
                       {"newlyAllowed", std::to_string(counts.newly_allowed)},
                       {"changed", std::to_string(counts.changed)},
                       {"unchanged", std::to_string(counts.unchanged)},
                       {"undecided", std::to_string(counts.undecided)},
                       {"warnings", std::to_string(counts.warnings)}};
  }
  if (!differs && !problems.any()) summary.lines.emplace_back("nothing changes");
  summary.problems = problems.texts();
  selection.finish(summary);
  reporter->finish(summary);
  if (problems.any()) return Status::not_looked;
  return differs ? Status::bad : Status::good;
}

}  // namespace cli
