// SPDX-License-Identifier: Apache-2.0
// `schedpol plan`: where the replicas of a workload go.

#include "plan.hpp"
#include "commands.hpp"
#include "entries.hpp"
#include "policies.hpp"
#include "verdicts.hpp"

#include "../support/json_members.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace cli {

namespace {

namespace rp = schedpol::resource_policy;

std::string json_placement(const rp::Placement& placement) {
  std::vector<std::pair<std::string, std::string>> members = {
      {"pod", json_text(placement.pod)}, {"code", json_text(to_string(placement.code))}};
  if (placement.reason != rp::Reason::none)
    members.emplace_back("reason", json_text(to_string(placement.reason)));
  if (!placement.node.empty()) {
    members.emplace_back("node", json_text(placement.node));
    members.emplace_back("deletionCost", std::to_string(placement.deletion_cost));
  }
  if (placement.unit) members.emplace_back("unit", std::to_string(*placement.unit));
  if (!placement.message.empty()) members.emplace_back("message", json_text(placement.message));
  return json_object(members);
}

/// Aligned columns.
void write_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] + 2 - row[i].size(), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << '\n';
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  schedpol::append_escaped(out, text, "");
  return out;
}

struct Planned {
  schedpol::Pod pod{};
  std::int64_t replicas = 1;
  std::optional<Entry> denial{};               ///< of the workload, or of its pods
  std::vector<schedpol::Violation> reasons{};  ///< for which these are denied
};

/// One that the policy alone is asked about, and that none selects, may go anywhere.
bool has_node(const rp::Placement& placement) {
  return placement.code == rp::Code::success || placement.code == rp::Code::skip;
}

void write_text(const rp::Plan& plan, const rp::ResourcePolicy* policy) {
  std::vector<std::vector<std::string>> rows = {{"POD", "NODE", "UNIT", "DELETION COST"}};
  std::vector<std::string> without_node;  // why, each once, in the order of the replicas
  std::size_t placed = 0;
  for (const rp::Placement& placement : plan.placements) {
    if (!has_node(placement)) {
      const bool is_ruled = placement.reason != rp::Reason::none;
      rows.push_back({escaped(placement.pod), "-",
                      is_ruled ? std::string(to_string(placement.reason)) : "-", "-"});
      const std::string& why = placement.message;
      if (!why.empty() && (without_node.empty() || without_node.back() != why))
        without_node.push_back(why);
      continue;
    }
    ++placed;
    std::string unit = "-";
    if (placement.unit && policy != nullptr) {
      const std::string& name = policy->spec.units[*placement.unit].name;
      unit = name.empty() ? std::to_string(*placement.unit) : escaped(name);
    }
    rows.push_back({escaped(placement.pod),
                    placement.node.empty() ? "any" : escaped(placement.node), unit,
                    policy == nullptr ? "-" : std::to_string(placement.deletion_cost)});
  }
  write_table(rows);
  std::cout << '\n';
  for (const std::string& why : without_node) std::cout << escaped(why) << '\n';
  if (!plan.scale_down.empty()) {
    std::cout << "scaled down:";
    for (const std::string& pod : plan.scale_down) std::cout << ' ' << escaped(pod);
    std::cout << '\n';
  }
  std::cout << placed << " of " << plan.placements.size() << " replicas have a node, by ";
  if (policy == nullptr) {
    std::cout << "no ResourcePolicy, as none selects them\n";
  } else {
    std::cout << "ResourcePolicy "
              << schedpol::in_backticks(policy->metadata.namespace_ + "/" + policy->metadata.name)
              << '\n';
  }
}

void write_json(const rp::Plan& plan) {
  std::string placements;
  for (const rp::Placement& placement : plan.placements)
    placements += (placements.empty() ? "" : ",\n") + json_placement(placement);
  std::string scale_down;
  for (const std::string& pod : plan.scale_down)
    scale_down += (scale_down.empty() ? "" : ",") + json_text(pod);
  std::cout << json_object({{"placements", "[\n" + placements + "]"},
                            {"scaleDown", "[" + scale_down + "]"}})
            << '\n';
}

/// How many pods of the workload are there at a time: of a Job as many as run in parallel, of one that
/// says nothing one. Nothing where it is no number.
std::optional<std::int64_t> replicas_of(schedpol::PodKind kind, std::string_view json) {
  schedpol::json::RawObject object = support::read_object(json);
  const auto descend = [&](std::string_view member) {
    const auto found = object.find(member);
    object = found == object.end() ? schedpol::json::RawObject()
                                   : support::read_object(found->second.json);
  };
  descend("spec");
  if (kind == schedpol::PodKind::cron_job) {
    descend("jobTemplate");
    descend("spec");
  }
  const bool is_job = kind == schedpol::PodKind::job || kind == schedpol::PodKind::cron_job;
  std::int64_t replicas = 1;
  std::int64_t completions = std::numeric_limits<std::int64_t>::max();
  if (!support::read_member(object, is_job ? "parallelism" : "replicas", replicas) ||
      (is_job && !support::read_member(object, "completions", completions)))
    return std::nullopt;
  return std::min(replicas, completions);
}

/// Nothing where it is no number of replicas.
std::optional<std::int64_t> parsed(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// The pods that are there. A cluster has none twice, and may have none at all.
std::vector<schedpol::Pod> read_pods(const Arguments& arguments, Input& input, Problems& problems) {
  std::vector<schedpol::Pod> pods;
  std::set<std::pair<std::string, std::string>> names;
  const auto take = [&](const Source& source, const schedpol::json::Document& document) {
    auto read = schedpol::json::decode<schedpol::Pod>(document);
    for (const schedpol::FieldError& error : read.errors())
      problems.add(source.place(error.field), error);
    if (!read) return;
    schedpol::Pod pod = *std::move(read);
    if (pod.kind != schedpol::PodKind::pod)
      return problems.add(to_string(source.place()) + ": is no Pod");
    const std::string& name = pod.metadata.name;
    std::string& in = pod.metadata.namespace_;
    if (in.empty()) in = arguments.namespace_;
    if (!name.empty() && !names.emplace(in, name).second) {
      return problems.add(to_string(source.place()) + ": pod " +
                          schedpol::in_backticks(in + "/" + name) + " is there twice");
    }
    pods.push_back(std::move(pod));
  };
  input.read(arguments.pods, take, Input::EmptyLists::are_fine);
  return pods;
}

/// Makes of the workload's pod what the policies make of it: first of its template, then of a pod that
/// is made by that. A denial stands in `planned`.
void admit(Planned& planned, const AdmissionRequest& asked, const PolicySet& policies,
           const Source& source) {
  using schedpol::PodKind;
  const auto deny = [&](const AdmissionResponse& response, std::string_view whose) {
    planned.denial = entry_of(asked, response, source);
    planned.denial->name.insert(0, whose);
    planned.denial->findings = findings_of(planned.reasons, source, asked.object, Level::error);
  };
  AdmissionResponse response = decide(policies.engine, asked, Fixes::omitted);
  if (!response.allowed && !response.undecided) {
    planned.reasons = response.reasons();
    return deny(response, "");
  }
  const PodKind kind = planned.pod.kind;
  planned.pod = std::move(response.pods.front());
  if (kind == PodKind::pod) return;
  AdmissionRequest of_pod{.pod = schedpol::engine::Request{.object = planned.pod}};
  schedpol::Pod& made = of_pod.pod->object;
  made.kind = PodKind::pod;
  made.selector.reset();
  made.metadata.owner_references.clear();
  response = decide(policies.engine, of_pod, Fixes::omitted);
  if (!response.allowed) {
    planned.reasons = response.reasons();
    for_each_pod(asked, [&](const auto&, const auto& in_object) {
      for (schedpol::Violation& reason : planned.reasons)
        reason.field = in_object(schedpol::field_path(kind, {}).join(reason.field));
    });
    return deny(response, "the pods of ");
  }
  planned.pod.spec = std::move(response.pods.front().spec);
  planned.pod.metadata = std::move(response.pods.front().metadata);
}

void write_denial(const Planned& planned, const std::string& output) {
  if (output == "text") return make_text_reporter()->add(*planned.denial);
  std::cout << json_object({{"placements", "[]"},
                            {"scaleDown", "[]"},
                            {"violations", schedpol::json::encode(planned.reasons)}})
            << '\n';
}

/// The one workload of the files, or what is wrong with them.
std::optional<Planned> read_workload(const Arguments& arguments, const PolicySet& policies,
                                     Input& input, Problems& problems) {
  std::optional<Planned> workload;
  input.read(arguments.objects, [&](const Source& source, const schedpol::json::Document&) {
    const auto asked = read_request(source.object.json(), arguments.namespace_,
                                    policies.configuration.settings.templates);
    for (const schedpol::FieldError& error : asked.errors())
      problems.add(source.place(error.field), error);
    if (!asked) return;
    const auto refuse = [&](const std::string& why) {
      problems.add(to_string(source.place()) + ": " + why);
    };
    if (workload) return refuse("is a second workload, and one is planned");
    if (!asked->passes.empty()) return refuse("is " + asked->passes);
    const schedpol::Pod* const pod = planned_pod(*asked);
    if (pod == nullptr) return refuse(not_planned(*asked));
    const auto said = replicas_of(pod->kind, source.object.json());
    if (!said) return refuse("the number of its replicas is no number");
    workload = {.pod = *pod, .replicas = *said};
    if (!arguments.policy_only) admit(*workload, *asked, policies, source);
  });
  if (!workload || problems.any()) return std::nullopt;
  const bool is_daemon_set = workload->pod.kind == schedpol::PodKind::daemon_set;
  if (arguments.replicas) {
    const auto replicas = parsed(*arguments.replicas);
    workload->replicas = replicas.value_or(0);
    if (is_daemon_set) {
      problems.add("--replicas: a DaemonSet has one replica on each node that it may run on");
      return std::nullopt;
    }
  }
  const auto most = static_cast<std::int64_t>(max_replicas);
  if (is_daemon_set || (workload->replicas >= 1 && workload->replicas <= most)) return workload;
  problems.add((arguments.replicas
                    ? "--replicas " + schedpol::in_backticks(*arguments.replicas)
                    : "the workload's replicas, " + std::to_string(workload->replicas)) +
               ": must be from 1 to " + std::to_string(most));
  return std::nullopt;
}

}  // namespace

std::vector<schedpol::Node> read_nodes(const std::vector<std::string>& paths, Input& input,
                                       Problems& problems) {
  std::vector<schedpol::Node> nodes;
  input.read(paths, [&](const Source& source, const schedpol::json::Document& document) {
    auto node = schedpol::json::decode<schedpol::Node>(document);
    for (const schedpol::FieldError& error : node.errors())
      problems.add(source.place(error.field), error);
    if (node) nodes.push_back(*std::move(node));
  });
  return nodes;
}

schedpol::Result<rp::Plan> plan_of(const PolicySet& policies, const schedpol::Pod& pod,
                                   const std::vector<schedpol::Node>& nodes, std::size_t replicas) {
  using schedpol::ErrorType;
  if (replicas == 0 || replicas > max_replicas) {
    return std::vector<schedpol::FieldError>{{ErrorType::invalid, schedpol::FieldPath{"replicas"},
                                              std::to_string(replicas),
                                              "must be from 1 to " + std::to_string(max_replicas)}};
  }
  auto compiled = rp::compile(policies.configuration.objects.resource_policies);
  if (!compiled) return std::move(compiled).errors();
  return rp::plan(rp::Cluster(*std::move(compiled), nodes, {}), nodes, pod,
                  static_cast<std::int32_t>(replicas));
}

const rp::ResourcePolicy* policy_of(const PolicySet& policies, const schedpol::Pod& pod) {
  auto compiled = rp::compile(policies.configuration.objects.resource_policies);
  if (!compiled) return nullptr;
  const rp::Cluster cluster(*std::move(compiled), {}, {});
  const std::string name(cluster.prefilter(pod).policy());
  for (const rp::ResourcePolicy& policy : policies.configuration.objects.resource_policies)
    if (policy.metadata.name == name && policy.metadata.namespace_ == pod.metadata.namespace_)
      return &policy;
  return nullptr;
}

const schedpol::Pod* planned_pod(const AdmissionRequest& asked) {
  if (asked.pod) return &asked.pod->object;
  return asked.templates.size() == 1 ? &asked.templates.front().request.object : nullptr;
}

std::string not_planned(const AdmissionRequest& asked) {
  if (asked.templates.empty()) return "the object has no pods";
  return "it has " + std::to_string(asked.templates.size()) + " pod templates, and one is planned";
}

Status run_plan(const Arguments& arguments) {
  Problems problems;
  Selection selection(arguments);
  Input input(arguments.stdin_name, selection, problems);
  const auto policies = usable_policies(arguments.operands, arguments.namespace_, input, problems);
  if (!policies) return Status::not_looked;
  const auto workload = read_workload(arguments, *policies, input, problems);
  const std::vector<schedpol::Node> nodes = read_nodes(arguments.nodes, input, problems);
  std::vector<schedpol::Pod> there = read_pods(arguments, input, problems);
  selection.finish();
  if (!workload && !problems.any()) problems.add("there is no workload to plan");
  if (nodes.empty() && !problems.any()) problems.add("there is no node to plan on");
  if (problems.any()) return Status::not_looked;
  if (workload->denial) {
    write_denial(*workload, arguments.output);
    return Status::bad;
  }
  const auto plan = [&]() -> schedpol::Result<rp::Plan> {
    if (arguments.policy_only)
      return plan_of(*policies, workload->pod, nodes, static_cast<std::size_t>(workload->replicas));
    auto compiled = rp::compile(policies->configuration.objects.resource_policies);
    if (!compiled) return std::move(compiled).errors();
    schedpol::BoundPods pods(nodes, policies->configuration.objects.namespaces);
    for (const schedpol::Pod& pod : there)
      for (const schedpol::FieldError& error : pods.bind(pod, pod.spec.node_name))
        problems.add(pod.metadata.namespace_ + "/" + pod.metadata.name + ": " + message(error));
    return rp::plan(rp::Cluster(*std::move(compiled), nodes, there), std::move(pods), workload->pod,
                    static_cast<std::int32_t>(workload->replicas), there);
  }();
  for (const schedpol::FieldError& error : plan.errors()) problems.add(message(error));
  if (!plan || problems.any()) return Status::not_looked;
  if (arguments.output == "text") {
    write_text(*plan, policy_of(*policies, workload->pod));
  } else {
    write_json(*plan);
  }
  const auto& placements = plan->placements;
  return std::all_of(placements.begin(), placements.end(), has_node) ? Status::good : Status::bad;
}

}  // namespace cli
