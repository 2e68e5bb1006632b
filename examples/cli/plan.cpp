// SPDX-License-Identifier: Apache-2.0
// `schedpol plan`: where the replicas of a workload go under its ResourcePolicy.

#include "plan.hpp"
#include "commands.hpp"
#include "policies.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/json/decode.hpp>

#include <algorithm>
#include <iostream>

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

void write_text(const rp::Plan& plan, const rp::ResourcePolicy* policy) {
  std::vector<std::vector<std::string>> rows = {{"POD", "NODE", "UNIT", "DELETION COST"}};
  std::size_t placed = 0;
  for (const rp::Placement& placement : plan.placements) {
    if (placement.code != rp::Code::success && placement.code != rp::Code::skip) {
      rows.push_back({escaped(placement.pod), "-", std::string(to_string(placement.reason)), "-"});
      continue;
    }
    ++placed;
    std::string unit = "-";
    if (placement.unit && policy != nullptr) {
      const std::string& name = policy->spec.units[*placement.unit].name;
      unit = name.empty() ? std::to_string(*placement.unit) : escaped(name);
    }
    rows.push_back({escaped(placement.pod), escaped(placement.node), unit,
                    policy == nullptr ? "-" : std::to_string(placement.deletion_cost)});
  }
  write_table(rows);
  std::cout << "\nscaled down:";
  for (const std::string& pod : plan.scale_down) std::cout << ' ' << escaped(pod);
  std::cout << '\n' << placed << " of " << plan.placements.size() << " replicas have a node, by ";
  if (policy == nullptr) {
    std::cout << "no ResourcePolicy, as none selects them\n";
  } else {
    std::cout << "ResourcePolicy "
              << schedpol::in_backticks(policy->metadata.namespace_ + "/" + policy->metadata.name)
              << '\n';
  }
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

Status run_plan(const Arguments& arguments) {
  Problems problems;
  Input input(arguments.stdin_name, problems);
  const auto policies = usable_policies(arguments.operands, arguments.namespace_, input, problems);
  if (!policies) return Status::not_looked;
  std::optional<PlannedWorkload> workload;
  input.read(arguments.objects, [&](const Source& source,
                                    const schedpol::json::Document& document) {
    auto decoded = schedpol::json::decode<schedpol::Pod>(document);
    for (const schedpol::FieldError& error : decoded.errors())
      problems.add(source.place(error.field), error);
    if (!decoded) return;
    if (workload)
      return problems.add(to_string(source.place()) + ": is a second workload, and one is planned");
    schedpol::Pod pod = *std::move(decoded);
    if (pod.metadata.namespace_.empty()) pod.metadata.namespace_ = arguments.namespace_;
    workload = {std::move(pod), replicas_of(source.object.json())};
  });
  const std::vector<schedpol::Node> nodes = read_nodes(arguments.nodes, input, problems);
  if (problems.any() || !workload) return Status::not_looked;
  const std::size_t replicas = arguments.replicas > 0 ? arguments.replicas : workload->replicas;
  const auto plan = plan_of(*policies, workload->pod, nodes, replicas);
  for (const schedpol::FieldError& error : plan.errors()) problems.add(message(error));
  if (!plan) return Status::not_looked;
  if (arguments.output == "text") {
    write_text(*plan, policy_of(*policies, workload->pod));
    return Status::good;
  }
  std::string placements;
  for (const rp::Placement& placement : plan->placements)
    placements += (placements.empty() ? "" : ",\n") + json_placement(placement);
  std::string scale_down;
  for (const std::string& pod : plan->scale_down)
    scale_down += (scale_down.empty() ? "" : ",") + json_text(pod);
  std::cout << json_object({{"placements", "[\n" + placements + "]"},
                            {"scaleDown", "[" + scale_down + "]"}})
            << '\n';
  return Status::good;
}

}  // namespace cli
