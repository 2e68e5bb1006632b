// SPDX-License-Identifier: Apache-2.0
#include "pod_reader.hpp"

#include <schedpol/core/quantity.hpp>

#include <simdjson.h>

#include <vector>

namespace scheduler {

namespace {

using Element = simdjson::dom::element;
using Found = simdjson::simdjson_result<Element>;

/// Reads one object; anything that is there and is not what it has to be makes it unreadable.
class ObjectReader {
 public:
  explicit ObjectReader(std::string_view json) {
    good_ = parser_.parse(json.data(), json.size()).get(root_) == simdjson::SUCCESS;
  }

  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] Element root() const noexcept { return root_; }

  void read(Found from, std::string& into) {
    std::string_view text;
    if (!is_there(from)) return;
    if (from.get(text) != simdjson::SUCCESS) good_ = false;
    into = text;
  }

  void read(Found from, schedpol::Labels& into) {
    simdjson::dom::object members;
    if (!is_there(from)) return;
    if (from.get(members) != simdjson::SUCCESS) good_ = false;
    if (!good_) return;
    for (const auto member : members)
      read(Found(Element(member.value)), into[std::string(member.key)]);
  }

  void read(Found from, schedpol::ResourceList& into) {
    simdjson::dom::object members;
    if (!is_there(from)) return;
    if (from.get(members) != simdjson::SUCCESS) good_ = false;
    if (!good_) return;
    for (const auto member : members) {
      std::string text;
      read(Found(Element(member.value)), text);
      const auto quantity = schedpol::Quantity::parse(text);
      if (!quantity) good_ = false;
      if (quantity) into[std::string(member.key)] = *quantity;
    }
  }

  void read(Found from, schedpol::ResourceRequirements& into) {
    read(from["requests"], into.requests);
    read(from["limits"], into.limits);
  }

  void read(Found from, std::vector<schedpol::Container>& into) {
    simdjson::dom::array items;
    if (!is_there(from)) return;
    if (from.get(items) != simdjson::SUCCESS) good_ = false;
    if (!good_) return;
    for (const Element item : items) {
      schedpol::Container& container = into.emplace_back();
      read(item["restartPolicy"], container.restart_policy);
      read(item["resources"], container.resources);
    }
  }

  /// What the pod requests.
  void read_requests(schedpol::PodSpec& into) {
    const Found spec = root_["spec"];
    read(spec["initContainers"], into.init_containers);
    read(spec["containers"], into.containers);
    read(spec["overhead"], into.overhead);
    if (is_there(spec["resources"])) read(spec["resources"], into.resources.emplace());
  }

  void read_metadata(schedpol::ObjectMeta& into) {
    const Found metadata = root_["metadata"];
    read(metadata["name"], into.name);
    read(metadata["namespace"], into.namespace_);
    read(metadata["uid"], into.uid);
    read(metadata["deletionTimestamp"], into.deletion_timestamp);
    read(metadata["labels"], into.labels);
    if (into.name.empty()) good_ = false;
  }

 private:
  static bool is_there(Found from) { return from.error() == simdjson::SUCCESS && !from.is_null(); }

  simdjson::dom::parser parser_;
  Element root_;
  bool good_ = false;
};

/// Whether this program has written the annotation, and nobody else.
bool is_ours(Element pod) {
  simdjson::dom::array entries;
  if (pod["metadata"]["managedFields"].get(entries) != simdjson::SUCCESS) return false;
  const std::string field = "f:" + std::string(deletion_cost_annotation);
  bool ours = false;
  for (const Element entry : entries) {
    if (entry["fieldsV1"]["f:metadata"]["f:annotations"][field].error() != simdjson::SUCCESS)
      continue;
    std::string_view manager;
    std::string_view operation;
    if (entry["manager"].get(manager) != simdjson::SUCCESS ||
        entry["operation"].get(operation) != simdjson::SUCCESS || manager != field_manager ||
        operation != "Apply")
      return false;
    ours = true;
  }
  return ours;
}

}  // namespace

std::optional<PodRead> read_pod(std::string_view json) {
  ObjectReader reader(json);
  if (!reader.good()) return std::nullopt;
  PodRead read;
  const Element root = reader.root();
  reader.read_metadata(read.pod.metadata);
  reader.read(root["spec"]["nodeName"], read.pod.spec.node_name);
  reader.read_requests(read.pod.spec);
  reader.read(root["status"]["phase"], read.pod.status.phase);
  reader.read(root["status"]["nominatedNodeName"], read.pod.status.nominated_node_name);
  std::string_view cost;
  if (root["metadata"]["annotations"][deletion_cost_annotation].get(cost) == simdjson::SUCCESS) {
    read.cost = cost;
    read.cost_is_ours = is_ours(root);
  }
  if (!reader.good()) return std::nullopt;
  return read;
}

std::optional<schedpol::Node> read_node(std::string_view json) {
  ObjectReader reader(json);
  if (!reader.good()) return std::nullopt;
  schedpol::Node node;
  reader.read_metadata(node.metadata);
  if (!reader.good()) return std::nullopt;
  return node;
}

}  // namespace scheduler
