// SPDX-License-Identifier: Apache-2.0
#include "json_edit.hpp"

#include "kinds.hpp"

#include "../support/json_members.hpp"

#include <schedpol/core/workload.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <vector>

namespace cli {

namespace {

using schedpol::json::RawMessage;
using schedpol::json::RawObject;

/// `spec`, `tolerations`, `[0]`, ...; nothing where it is malformed.
std::optional<std::vector<std::string>> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  while (!path.empty()) {
    if (path.front() == '[') {
      const std::size_t end = path.find(']');
      if (end == std::string_view::npos || end == 1) return std::nullopt;
      steps.emplace_back(path.substr(0, end + 1));
      path.remove_prefix(end + 1);
      if (!path.empty() && path.front() != '[' && path.front() != '.') return std::nullopt;
    } else {
      if (!steps.empty()) {
        if (path.front() != '.') return std::nullopt;
        path.remove_prefix(1);
      }
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      if (end == 0) return std::nullopt;
      steps.emplace_back(path.substr(0, end));
      path.remove_prefix(end);
    }
  }
  if (steps.empty()) return std::nullopt;
  return steps;
}

std::optional<std::string> edited(std::string_view json, std::span<const std::string> steps,
                                  std::string_view value) {
  if (steps.empty()) return std::string(value.empty() ? "null" : value);
  const std::string& step = steps.front();
  // What is not there is a list where an item of it is named.
  const bool is_item = step.size() > 2 && step.front() == '[' && step[1] >= '0' && step[1] <= '9';
  if (json.starts_with("[") || (json.empty() && is_item)) {
    auto read_items = schedpol::json::decode<std::vector<RawMessage>>(json.empty() ? "[]" : json);
    if (!read_items) return std::nullopt;
    std::vector<RawMessage> items = *std::move(read_items);
    std::size_t index = 0;
    const auto read = std::from_chars(step.data() + 1, step.data() + step.size() - 1, index);
    if (step.front() != '[' || read.ptr != step.data() + step.size() - 1 || index > items.size())
      return std::nullopt;
    if (index == items.size()) items.emplace_back();
    auto item = edited(items[index].json, steps.subspan(1), value);
    if (!item) return std::nullopt;
    items[index].json = *std::move(item);
    return schedpol::json::encode(items);
  }
  if (!json.empty() && !json.starts_with("{")) return std::nullopt;
  RawObject members = support::read_object(json);
  const std::string name = step.front() == '[' ? step.substr(1, step.size() - 2) : step;
  auto member = edited(members[name].json, steps.subspan(1), value);
  if (!member) return std::nullopt;
  members[name].json = *std::move(member);
  return schedpol::json::encode(members);
}

using Steps = std::span<const std::string>;

/// What of a path is below a pod template that stands at `place`, where `[*]` is any item; nothing
/// where the path does not go there.
std::optional<Steps> below(Steps path, Steps place) {
  if (path.size() < place.size()) return std::nullopt;
  for (std::size_t i = 0; i < place.size(); ++i)
    if (path[i] != place[i] && !(place[i] == "[*]" && path[i].front() == '[')) return std::nullopt;
  return path.subspan(place.size());
}

/// Whether this is a field of a pod, or of a pod template, that a decision looks at.
bool is_looked_at_in_pod(Steps path) {
  if (path.size() < 2) return !path.empty() && path[0] == "spec";
  if (path[0] == "metadata")
    return is_among(
        "name generateName namespace labels annotations ownerReferences deletionTimestamp",
        path[1]);
  return path[0] == "spec" &&
         is_among(
             "affinity containers initContainers nodeName nodeSelector overhead preemptionPolicy "
             "priority priorityClassName resourceClaims resources runtimeClassName schedulerName "
             "schedulingGates "
             "serviceAccount "
             "serviceAccountName tolerations topologySpreadConstraints",
             path[1]);
}

}  // namespace

std::optional<std::string> with_field(std::string_view json, std::string_view path,
                                      std::string_view value) {
  const auto steps = steps_of(path);
  if (!steps) return std::nullopt;
  return edited(json, *steps, value);
}

bool is_looked_at(std::string_view path, std::string_view object,
                  std::span<const schedpol::engine::TemplatePath> templates) {
  const auto steps = steps_of(path);
  if (!steps) return false;
  const RawObject members = support::read_object(object);
  const std::string name = schedpol::json::kind_of(members);
  const auto version = support::member<std::string>(members, "apiVersion");
  // The metadata of a workload are looked at, too.
  if (steps->front() == "metadata") return is_looked_at_in_pod(*steps);
  bool is_custom = false;
  for (const schedpol::engine::TemplatePath& each : templates) {
    if (each.kind != name || each.group != schedpol::api_group(version)) continue;
    is_custom = true;
    const auto rest = below(*steps, *steps_of(each.path));
    if (rest && is_looked_at_in_pod(*rest)) return true;
  }
  if (is_custom) return false;
  const auto kind = schedpol::pod_kind(name);
  if (!kind) return is_looked_at_in_pod(*steps);
  const auto place = schedpol::template_steps(*kind);
  const auto rest = below(*steps, std::vector<std::string>(place.begin(), place.end()));
  return rest && is_looked_at_in_pod(*rest);
}

}  // namespace cli
