// SPDX-License-Identifier: Apache-2.0
#include "pod_reader.hpp"

#include "../support/json_members.hpp"

#include <utility>

namespace scheduler {

namespace {

using schedpol::json::RawMessage;
using schedpol::json::RawObject;
using support::member;
using support::read_member;
using support::read_object;

/// Whether this program has written the annotation, and nobody else.
bool is_ours(const RawObject& metadata) {
  const std::string field = "f:" + std::string(deletion_cost_annotation);
  bool ours = false;
  for (const RawMessage& item : member<std::vector<RawMessage>>(metadata, "managedFields")) {
    const RawObject entry = read_object(item.json);
    const auto fields = member<RawObject>(member<RawObject>(entry, "fieldsV1"), "f:metadata");
    if (!member<RawObject>(fields, "f:annotations").contains(field)) continue;
    if (member<std::string>(entry, "manager") != field_manager ||
        member<std::string>(entry, "operation") != "Apply")
      return false;
    ours = true;
  }
  return ours;
}

/// Of its metadata what counts here. False where it cannot be read, or has no name.
bool read_metadata(const RawObject& object, schedpol::ObjectMeta& into) {
  if (!read_member(object, "metadata", into) || into.name.empty()) return false;
  into.owner_references.clear();
  return true;
}

/// What the pod requests, and where it runs.
bool read_spec(const RawObject& spec, schedpol::PodSpec& into) {
  return read_member(spec, "nodeName", into.node_name) &&
         read_member(spec, "initContainers", into.init_containers) &&
         read_member(spec, "containers", into.containers) &&
         read_member(spec, "overhead", into.overhead) &&
         (member<RawMessage>(spec, "resources").json.empty() ||
          read_member(spec, "resources", into.resources.emplace()));
}

}  // namespace

std::optional<PodRead> read_pod(std::string_view json) {
  const RawObject object = read_object(json);
  PodRead read;
  RawObject spec;
  schedpol::Pod& pod = read.pod;
  if (!read_metadata(object, pod.metadata) || !read_member(object, "spec", spec) ||
      !read_spec(spec, pod.spec) || !read_member(object, "status", pod.status))
    return std::nullopt;
  const schedpol::Labels annotations = std::exchange(pod.metadata.annotations, {});
  const auto cost = annotations.find(deletion_cost_annotation);
  if (cost != annotations.end()) {
    read.cost = cost->second;
    read.cost_is_ours = is_ours(member<RawObject>(object, "metadata"));
  }
  return read;
}

std::optional<schedpol::Node> read_node(std::string_view json) {
  schedpol::Node node;
  if (!read_metadata(read_object(json), node.metadata)) return std::nullopt;
  node.metadata.annotations.clear();
  return node;
}

}  // namespace scheduler
