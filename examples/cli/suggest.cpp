// SPDX-License-Identifier: Apache-2.0
// `schedpol suggest`: the least policies, roles and bindings under which what runs is allowed.

#include "commands.hpp"
#include "heard.hpp"
#include "inventory.hpp"
#include "plan.hpp"
#include "policies.hpp"
#include "yaml_writer.hpp"

#include "../support/json_members.hpp"
#include "../support/printable.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/insight/suggest.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/suggestion.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <utility>

namespace cli {

namespace {

namespace engine = schedpol::engine;
namespace sp = schedpol::scheduling_policy;
using schedpol::json::encode;

/// `2,048 of 5,000`: figures that people compare.
std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}
std::string many(std::size_t count, std::string_view what) {
  return grouped(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}
std::string policies(std::size_t count) {
  return grouped(count) + (count == 1 ? " policy" : " policies");
}
std::string entries(std::size_t count) {
  return grouped(count) + (count == 1 ? " entry" : " entries");
}
std::string name_of(const engine::Owner& owner) {
  return support::printable(to_string(ObjectName{"", owner.kind, owner.namespace_, owner.name}));
}

/// What there is to decide on.
struct Running {
  std::vector<engine::RunningObject> objects{};
  std::size_t passed = 0;  ///< nothing is decided on
};

void add(Running& running, const Subject& subject) {
  const AdmissionRequest& asked = subject.asked;
  const std::size_t before = running.objects.size();
  if (asked.passes.empty()) {
    for_each_pod(asked, [&](const engine::Request& request, const auto&) {
      // What is updated was created before, and there is nothing to say of how.
      if (request.operation != engine::Operation::create) return;
      running.objects.push_back({.request = request,
                                 .doubtful_node = asked.doubtful_node,
                                 .owner = {asked.name.kind, asked.name.namespace_, asked.name.name},
                                 .pods = subject.pods,
                                 .priority = subject.priority});
    });
  }
  if (running.objects.size() == before) running.passed += std::max(subject.pods, std::size_t{1});
}

/// The components of a command line; nothing where a word is none of them, which is told.
std::optional<sp::Components> components_of(const std::vector<std::string>& words,
                                            Problems& problems) {
  if (words == std::vector<std::string>{"All"}) return sp::Components::all();
  if (words == std::vector<std::string>{"Proposal"}) return sp::Components::proposal();
  std::vector<sp::Component> listed;
  for (const std::string& word : words) {
    const auto& names = sp::component_names;
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      problems.add("--components: " + schedpol::in_backticks(word) +
                   " is neither All nor Proposal nor a field of `allowed`");
      return std::nullopt;
    }
    listed.push_back(static_cast<sp::Component>(found - names.begin()));
  }
  return sp::Components(listed);
}

/// What a proof says.
std::vector<std::string> lines_of(const engine::Proof& proof) {
  std::vector<std::string> lines;
  std::string denied;
  if (!proof.denied.empty()) denied = ", " + grouped(proof.denied.size()) + " denied";
  lines.push_back("Proof, by deciding: " + many(proof.allowed, "object") + " allowed" + denied +
                  "; " + entries(proof.entries) + " and " + many(proof.subjects, "subject") +
                  " of bindings are needed: without any one of them, another object is denied.");
  for (const sp::PolicyEntry& entry : proof.needless_entries)
    lines.push_back("Nobody needs " + to_string(entry.entry) + " of " + entry.policy + ".");
  for (const engine::BoundSubject& subject : proof.needless_subjects)
    lines.push_back("Nobody needs the subject " + subject.subject + " of " + subject.binding +
                    (subject.namespace_.empty() ? "" : " in " + subject.namespace_) + ".");
  return lines;
}
std::vector<std::string> lines_of(const std::vector<engine::UnmetNeed>& needs,
                                  std::string_view what) {
  std::vector<std::string> lines;
  for (const engine::UnmetNeed& need : needs) {
    lines.push_back(std::string(what) + ": " + name_of(need.owner) +
                    (need.pods > 1 ? " (" + many(need.pods, "pod") + ")" : "") +
                    (need.reason.empty() ? "" : ": " + need.reason));
    for (const schedpol::Violation& violation : need.violations)
      lines.push_back("  " + support::printable(message(violation)));
  }
  return lines;
}

class SuggestionText {
 public:
  SuggestionText(const engine::Suggestion& suggestion, const Running& running,
                 const engine::Configuration& configuration, bool needs_configuration)
      : suggestion_(suggestion), running_(running) {
    comment_on_all();
    if (needs_configuration) write_configuration(configuration.settings);
    for (const auto& policy : suggestion.objects.scheduling_policies) write(policy);
    const schedpol::rbac::Rbac& rbac = suggestion.objects.rbac;
    for (const auto& role : rbac.cluster_roles) write_plain(encode(role));
    for (const auto& binding : rbac.cluster_role_bindings) write_plain(encode(binding));
    for (const auto& binding : rbac.role_bindings) write_plain(encode(binding));
  }

  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  void comment(const std::string& line) { text_ += "# " + line + "\n"; }

  void comment_on_all() {
    const engine::Proof& proof = suggestion_.proof;
    const std::size_t bindings = suggestion_.objects.rbac.role_bindings.size() +
                                 suggestion_.objects.rbac.cluster_role_bindings.size();
    std::size_t pods = 0;
    std::size_t others = 0;
    std::size_t heard = 0;
    for (const engine::RunningObject& object : running_.objects) {
      pods += object.pods;
      others += object.pods == 0 && object.heard == 0 ? 1 : 0;
      heard += object.heard > 0 ? 1 : 0;
    }
    std::string objects = many(pods, "pod") + " and " + many(others, "other object");
    if (heard > 0)
      objects = many(pods, "pod") + ", " + many(others, "other object") + " and " +
                many(heard, "heard request");
    comment("What " + objects + " need and nothing permits yet: " +
            policies(suggestion_.objects.scheduling_policies.size()) + " with " +
            entries(suggestion_.entries.size()) + ", " + many(bindings, "binding") + ".");
    for (const std::string& line : lines_of(proof)) comment(line);
    comment("Excess: " + many(suggestion_.excess, "grant") +
            " of an entry to a service account that does not need it.");
    const engine::Fragility& fragile = suggestion_.fragile;
    comment("If each owner is left out in turn, " + grouped(fragile.denied) + " of " +
            many(fragile.owners, "owner") + " would be denied by what the others need.");
    for (const std::string& line : lines_of(suggestion_.undecided, "Undecided")) comment(line);
    for (const std::string& line :
         lines_of(suggestion_.unsatisfiable, "Not helped by a permission"))
      comment(line);
  }
  void write_configuration(const engine::Settings& settings) {
    const bool is_all = settings.options.governs == sp::Components::all();
    std::string governs;
    for (std::size_t i = 0; i < sp::component_names.size(); ++i) {
      if (!settings.options.governs.contain(static_cast<sp::Component>(i))) continue;
      governs += (governs.empty() ? "" : ",") + json_text(sp::component_names[i]);
    }
    write_plain(json_object(
        {{"apiVersion", json_text(schedpol::own_api_version)},
         {"kind", json_text("EngineConfiguration")},
         {"systems", "[" + json_object({{"system", json_text("SchedulingPolicy")}}) + "]"},
         {"strategy", json_text(to_string(settings.strategy))},
         {"options",
          json_object({{"governs", is_all ? json_text("All") : "[" + governs + "]"}})}}));
  }

  void write(const sp::SchedulingPolicy& policy) {
    YamlWriter::Comments comments;
    for (const engine::SuggestedEntry& entry : suggestion_.entries)
      if (entry.policy == policy.metadata.name)
        comments.emplace("spec." + to_string(entry.entry), comment_of(entry));
    write_object(encode(policy), comments);
  }
  static std::string comment_of(const engine::SuggestedEntry& entry) {
    const std::string heard = "heard " + many(entry.heard, "time");
    const bool is_only_heard = entry.pods == 0 && entry.others == 0;
    std::string text = is_only_heard ? heard + "," : "needed by ";
    if (entry.pods > 0) text += many(entry.pods, "pod");
    if (entry.others > 0)
      text += (entry.pods > 0 ? " and " : "") +
              many(entry.others, entry.pods > 0 ? "other object" : "object");
    text +=
        " of " + many(entry.accounts, "service account") + ", such as " + name_of(entry.example);
    if (entry.heard > 0 && !is_only_heard) text += "; " + heard;
    if (entry.nodes)
      text += "; " + grouped(entry.nodes->count) + " of " + many(entry.nodes->all, "node");
    if (entry.preempted)
      text += "; may preempt " + grouped(entry.preempted->count) + " of " +
              many(entry.preempted->all, "pod");
    return text;
  }

  void write_plain(const std::string& json) { write_object(json, {}); }
  void write_object(const std::string& json, const YamlWriter::Comments& comments) {
    text_ += "---\n";
    const schedpol::json::RawObject members = support::read_object(json);
    for (const std::string_view name : {"apiVersion", "kind"})
      text_ += std::string(name) + ": " + members.at(std::string(name)).json + "\n";
    for (const auto& [name, value] : members) {
      if (name == "apiVersion" || name == "kind") continue;
      YamlWriter::Comments below;
      for (const auto& [place, comment] : comments)
        if (place.starts_with(name + ".")) below.emplace(place.substr(name.size() + 1), comment);
      text_ += name + ":" + YamlWriter(below).write(value.json);
    }
  }

  const engine::Suggestion& suggestion_;
  const Running& running_;
  std::string text_;
};

/// Of files that may hold none; nothing where something is wrong.
std::optional<PolicySet> read_set(const std::vector<std::string>& paths, const Arguments& arguments,
                                  Input& input, Problems& problems) {
  PolicySet set = read_policies(paths, arguments.namespace_, input, problems, NeededPolicies::none);
  warn(set.warnings);
  for (const Finding& error : set.errors)
    problems.add((error.place.file.empty() ? "" : to_string(error.place) + ": ") + error.text);
  if (problems.any()) return std::nullopt;
  return set;
}

bool has_configuration(const PolicySet& set) {
  constexpr std::string_view kind = "EngineConfiguration[";
  const auto found = set.sources.lower_bound(kind);
  return found != set.sources.end() && found->first.starts_with(kind);
}

/// Takes what a command line says of what an EngineConfiguration says, where there is none.
void apply_settings(const Arguments& arguments, PolicySet& there, Problems& problems) {
  if (arguments.components.empty() && arguments.strategy.empty()) return;
  if (has_configuration(there)) {
    return problems.add(
        "--components, --strategy: what is there has an EngineConfiguration, which says that");
  }
  engine::Settings& settings = there.configuration.settings;
  if (!arguments.components.empty())
    if (const auto governs = components_of(arguments.components, problems))
      settings.options.governs = *governs;
  if (const auto strategy = strategy_of(arguments.strategy)) settings.strategy = *strategy;
}

engine::SuggestOptions options_of(const Arguments& arguments, Input& input, Problems& problems) {
  engine::SuggestOptions options{.max_steps = engine::max_cluster_suggest_steps};
  if (arguments.subject == "namespace") options.subject = engine::SuggestedSubject::namespace_;
  options.common_percent = arguments.common;
  options.generalise = schedpol::Texts(arguments.generalise);
  if (arguments.any_node_names) options.node_names = engine::SuggestedNodeNames::any;
  options.max_policies = arguments.max_policies;
  if (!arguments.nodes.empty()) options.nodes = read_nodes(arguments.nodes, input, problems);
  return options;
}

Status print_proof(const Arguments& arguments, const PolicySet& there, const Running& running,
                   Input& input, Problems& problems) {
  const auto added = read_set(arguments.prove, arguments, input, problems);
  if (added && added->policies == 0) problems.add("there is no policy to prove");
  if (problems.any()) return Status::not_looked;
  engine::Configuration surroundings = there.configuration;
  // One that was suggested with the policies counts where there was none.
  if (has_configuration(*added) && !has_configuration(there)) {
    surroundings.systems = added->configuration.systems;
    surroundings.settings = added->configuration.settings;
  }
  const auto proof = prove(surroundings, added->configuration.objects, running.objects,
                           engine::max_cluster_suggest_steps);
  for (const schedpol::FieldError& error : proof.errors()) problems.add(message(error));
  if (!proof) return Status::not_looked;
  if (arguments.output == "json") {
    std::cout << support::printable_json(encode(*proof)) << '\n';
  } else {
    for (const std::string& line : lines_of(*proof)) std::cout << line << '\n';
    for (const std::string& line : lines_of(proof->denied, "Denied")) std::cout << line << '\n';
    for (const std::string& line : lines_of(proof->undecided, "Undecided"))
      std::cout << line << '\n';
  }
  const bool holds = proof->denied.empty() && proof->undecided.empty() &&
                     proof->needless_entries.empty() && proof->needless_subjects.empty();
  return holds ? Status::good : Status::bad;
}

}  // namespace

Status run_suggest(const Arguments& arguments) {
  Problems problems;
  Selection selection(arguments);
  Input input(arguments.stdin_name, selection, problems);
  auto there = read_set(arguments.existing, arguments, input, problems);
  if (!there) return Status::not_looked;
  apply_settings(arguments, *there, problems);
  const engine::SuggestOptions options = options_of(arguments, input, problems);
  if (problems.any()) return Status::not_looked;
  Arguments of_objects = arguments;
  of_objects.objects = arguments.operands;
  Running running;
  Inventory(*there, of_objects, problems).read(input, [&](const Subject& subject, const Source&) {
    add(running, subject);
  });
  std::vector<engine::RunningObject> heard = read_heard(arguments, input, problems);
  std::move(heard.begin(), heard.end(), std::back_inserter(running.objects));
  if (running.objects.empty() && !problems.any())
    problems.add("there is no pod and no workload to decide on");
  if (problems.any()) return Status::not_looked;
  if (!arguments.prove.empty()) return print_proof(arguments, *there, running, input, problems);
  const auto suggestion = suggest(there->configuration, running.objects, options);
  for (const schedpol::FieldError& error : suggestion.errors()) problems.add(message(error));
  if (!suggestion) return Status::not_looked;
  const bool says_settings = !arguments.components.empty() || !arguments.strategy.empty();
  std::cout << support::printable_json(
      arguments.output == "json"
          ? encode(*suggestion) + "\n"
          : SuggestionText(*suggestion, running, there->configuration, says_settings).text());
  return suggestion->undecided.empty() && suggestion->unsatisfiable.empty() ? Status::good
                                                                            : Status::bad;
}

}  // namespace cli
