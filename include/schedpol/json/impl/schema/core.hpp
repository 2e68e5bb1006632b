// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of the Kubernetes vocabulary, and of what every system answers. The schemas of the
/// systems do not include again what this file does.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/json/impl/decoder.hpp>
#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/json/patch_operation.hpp>
#include <schedpol/json/raw_message.hpp>

#include <set>

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<OwnerReference> =
    object(field("apiVersion", &OwnerReference::api_version), field("kind", &OwnerReference::kind),
           field("name", &OwnerReference::name), field("controller", &OwnerReference::controller));

template <>
inline constexpr auto schema<ObjectMeta> = object(
    Traits{.unknown = Unknown::ignore}, field("name", &ObjectMeta::name),
    field("namespace", &ObjectMeta::namespace_),
    field("uid", &ObjectMeta::uid, {.extent = Extent::whole}), field("labels", &ObjectMeta::labels),
    field("annotations", &ObjectMeta::annotations, {.extent = Extent::whole}),
    field("deletionTimestamp", &ObjectMeta::deletion_timestamp),
    field("ownerReferences", &ObjectMeta::owner_references, {.extent = Extent::whole}));

template <>
inline constexpr auto words<DefaultScheduler> =
    vocabulary(Presence::optional, DefaultScheduler::specified, DefaultScheduler::unspecified);

/// An object of any kind, of which only the metadata matters.
struct AnyObject {
  ObjectMeta metadata{};
};

template <>
inline constexpr auto schema<AnyObject> =
    object(Traits{.unknown = Unknown::ignore}, field("metadata", &AnyObject::metadata));

template <>
inline constexpr auto schema<Namespace> =
    object(Traits{.kind = "Namespace", .api_version = "v1", .unknown = Unknown::ignore},
           field("metadata", &Namespace::metadata));

template <>
inline constexpr auto schema<Taint> =
    object(Traits{.list_limit = {max_taints, "taints"}}, field("key", &Taint::key),
           field("value", &Taint::value), field("effect", &Taint::effect));

template <>
inline constexpr auto schema<Toleration> =
    object(Traits{.list_limit = {max_tolerations, "tolerations"}}, field("key", &Toleration::key),
           field("operator", &Toleration::operator_), field("value", &Toleration::value),
           field("effect", &Toleration::effect),
           field("tolerationSeconds", &Toleration::toleration_seconds));

template <>
inline constexpr auto schema<LabelSelectorRequirement> =
    object(field("key", &LabelSelectorRequirement::key),
           field("operator", &LabelSelectorRequirement::operator_),
           field("values", &LabelSelectorRequirement::values));

template <>
inline constexpr auto schema<LabelSelector> =
    object(field("matchLabels", &LabelSelector::match_labels),
           field("matchExpressions", &LabelSelector::match_expressions));

template <>
inline constexpr auto schema<NodeSelectorRequirement> =
    object(field("key", &NodeSelectorRequirement::key),
           field("operator", &NodeSelectorRequirement::operator_),
           field("values", &NodeSelectorRequirement::values),
           listed("keys", &NodeSelectorRequirement::key, "key"),
           listed("operators", &NodeSelectorRequirement::operator_, "operator"));

template <>
inline constexpr auto schema<NodeSelectorTerm> =
    object(field("matchExpressions", &NodeSelectorTerm::match_expressions),
           field("matchFields", &NodeSelectorTerm::match_fields));

template <>
inline constexpr auto schema<NodeSelector> =
    object(field("nodeSelectorTerms", &NodeSelector::node_selector_terms));

template <>
inline constexpr auto schema<PreferredSchedulingTerm> =
    object(field("weight", &PreferredSchedulingTerm::weight),
           field("preference", &PreferredSchedulingTerm::preference));

template <>
inline constexpr auto schema<PodAffinityTerm> =
    object(field("labelSelector", &PodAffinityTerm::label_selector),
           field("namespaces", &PodAffinityTerm::namespaces),
           field("topologyKey", &PodAffinityTerm::topology_key),
           field("namespaceSelector", &PodAffinityTerm::namespace_selector),
           field("matchLabelKeys", &PodAffinityTerm::match_label_keys),
           field("mismatchLabelKeys", &PodAffinityTerm::mismatch_label_keys));

template <>
inline constexpr auto schema<WeightedPodAffinityTerm> =
    object(field("weight", &WeightedPodAffinityTerm::weight),
           field("podAffinityTerm", &WeightedPodAffinityTerm::pod_affinity_term));

/// The two modes, which every kind of affinity has under the same names.
template <class T>
inline constexpr auto affinity_modes =
    object(field(required_mode, &T::required_during_scheduling_ignored_during_execution),
           field(preferred_mode, &T::preferred_during_scheduling_ignored_during_execution));

template <>
inline constexpr auto schema<NodeAffinity> = affinity_modes<NodeAffinity>;
template <>
inline constexpr auto schema<PodAffinity> = affinity_modes<PodAffinity>;

template <>
inline constexpr auto schema<Affinity> = object(
    field("nodeAffinity", &Affinity::node_affinity), field("podAffinity", &Affinity::pod_affinity),
    field("podAntiAffinity", &Affinity::pod_anti_affinity));

template <>
inline constexpr auto schema<ResourceRequirements> =
    object(field("requests", &ResourceRequirements::requests),
           field("limits", &ResourceRequirements::limits));

template <>
inline constexpr auto schema<Container> =
    object(field("name", &Container::name), field("resources", &Container::resources),
           field("restartPolicy", &Container::restart_policy));

template <>
inline constexpr auto schema<TopologySpreadConstraint> = object(
    field("maxSkew", &TopologySpreadConstraint::max_skew),
    field("topologyKey", &TopologySpreadConstraint::topology_key),
    field("whenUnsatisfiable", &TopologySpreadConstraint::when_unsatisfiable),
    field("labelSelector", &TopologySpreadConstraint::label_selector, {.extent = Extent::whole}),
    field("minDomains", &TopologySpreadConstraint::min_domains),
    field("nodeAffinityPolicy", &TopologySpreadConstraint::node_affinity_policy),
    field("nodeTaintsPolicy", &TopologySpreadConstraint::node_taints_policy),
    field("matchLabelKeys", &TopologySpreadConstraint::match_label_keys,
          {.extent = Extent::whole}));

template <>
inline constexpr auto schema<PodSchedulingGate> = object(field("name", &PodSchedulingGate::name));

template <>
inline constexpr auto schema<PodResourceClaim> =
    object(field("name", &PodResourceClaim::name),
           field("resourceClaimName", &PodResourceClaim::resource_claim_name),
           field("resourceClaimTemplateName", &PodResourceClaim::resource_claim_template_name));

template <>
inline constexpr auto schema<PodSpec> = object(
    field("schedulerName", &PodSpec::scheduler_name), field("nodeName", &PodSpec::node_name),
    field("priorityClassName", &PodSpec::priority_class_name),
    field("priority", &PodSpec::priority), field("preemptionPolicy", &PodSpec::preemption_policy),
    field("nodeSelector", &PodSpec::node_selector), field("tolerations", &PodSpec::tolerations),
    field("affinity", &PodSpec::affinity),
    field("topologySpreadConstraints", &PodSpec::topology_spread_constraints),
    field("schedulingGates", &PodSpec::scheduling_gates),
    field("resourceClaims", &PodSpec::resource_claims),
    field("serviceAccountName", &PodSpec::service_account_name),
    field("serviceAccount", &PodSpec::service_account),
    field("runtimeClassName", &PodSpec::runtime_class_name), field("overhead", &PodSpec::overhead),
    field("initContainers", &PodSpec::init_containers, {.extent = Extent::whole}),
    field("containers", &PodSpec::containers, {.extent = Extent::whole}),
    field("resources", &PodSpec::resources, {.extent = Extent::whole}));

template <>
inline constexpr auto schema<ContainerStatus> =
    object(field("name", &ContainerStatus::name),
           field("allocatedResources", &ContainerStatus::allocated_resources),
           field("resources", &ContainerStatus::resources));

template <>
inline constexpr auto schema<PodCondition> =
    object(field("type", &PodCondition::type), field("reason", &PodCondition::reason));

template <>
inline constexpr auto schema<PodStatus> = object(
    field("phase", &PodStatus::phase), field("nominatedNodeName", &PodStatus::nominated_node_name),
    field("conditions", &PodStatus::conditions, {.extent = Extent::whole}),
    field("initContainerStatuses", &PodStatus::init_container_statuses, {.extent = Extent::whole}),
    field("containerStatuses", &PodStatus::container_statuses, {.extent = Extent::whole}),
    field("allocatedResources", &PodStatus::allocated_resources, {.extent = Extent::whole}),
    field("resources", &PodStatus::resources, {.extent = Extent::whole}));

template <class F>
void for_each_resource_list(const ResourceRequirements& resources, F&& f) {
  f(resources.requests);
  f(resources.limits);
}

/// Calls `f` with each list of resources that a pod asks for.
template <class F>
void for_each_resource_list(const PodSpec& spec, F&& f) {
  f(spec.overhead);
  if (spec.resources) for_each_resource_list(*spec.resources, f);
  for (const auto* list : {&spec.init_containers, &spec.containers})
    for (const Container& container : *list) for_each_resource_list(container.resources, f);
}

/// Calls `f` with each list of resources that a pod has.
template <class F>
void for_each_resource_list(const PodStatus& status, F&& f) {
  f(status.allocated_resources);
  if (status.resources) for_each_resource_list(*status.resources, f);
  for (const auto* list : {&status.init_container_statuses, &status.container_statuses}) {
    for (const ContainerStatus& container : *list) {
      f(container.allocated_resources);
      for_each_resource_list(container.resources, f);
    }
  }
}

/// A pod names `max_pod_resources` at most, in its spec and in its status. They are told apart only
/// where it may be more.
template <class Part>
  requires std::same_as<Part, PodSpec> || std::same_as<Part, PodStatus>
void check_value(Decoder& decoder, const PathBuilder& at, const Part& part) {
  std::size_t named = 0;
  for_each_resource_list(part, [&](const ResourceList& list) { named += list.size(); });
  if (named <= max_pod_resources) return;
  std::set<std::string_view> names;
  for_each_resource_list(part, [&](const ResourceList& list) {
    for (const auto& [name, quantity] : list) names.insert(name);
  });
  if (names.size() > max_pod_resources)
    decoder.report(ErrorType::too_many, at, std::to_string(names.size()),
                   "a pod names at most " + std::to_string(max_pod_resources) + " resources");
}

template <>
inline constexpr auto schema<NodeSpec> =
    object(field("taints", &NodeSpec::taints), field("unschedulable", &NodeSpec::unschedulable));

template <>
inline constexpr auto schema<NodeStatus> = object(field("allocatable", &NodeStatus::allocatable));

template <>
inline constexpr auto schema<Node> =
    object(Traits{.kind = "Node", .api_version = "v1"}, field("metadata", &Node::metadata),
           field("spec", &Node::spec), field("status", &Node::status));

inline std::string did_you_mean_kind(std::string_view kind) {
  schedpol::detail::NearestWord nearest(kind);
  for (const PodKind known : pod_kinds) nearest.consider(to_string(known));
  return nearest.text();
}

/// What stands below `steps` of an object (`template_steps` of its kind), where something does.
inline void read_template(Decoder& decoder, const PathBuilder& at, Element from,
                          std::span<const std::string_view> steps, Pod& into) {
  if (!from.is_there() || from.is_null()) return;
  if (!from.is_object()) return decoder.wrong_type(at, from, "an object");
  if (!steps.empty()) {
    const std::string_view step = steps.front();
    return read_template(decoder, at.child(step), from[step], steps.subspan(1), into);
  }
  for (const auto [name, value] : from.members()) {
    if (value.is_null()) continue;
    const PathBuilder below = at.child(name);
    if (name == "spec") {
      decoder.read(below, value, into.spec);
    } else if (name == "status" && into.kind == PodKind::pod) {
      decoder.read(below, value, into.status);
    } else if (name == "metadata" && into.kind != PodKind::pod) {
      decoder.read(below, value, into.metadata);
    }
  }
}

/// The selector of a workload, where it has one: of a ReplicationController a map of labels.
inline void read_selector(Decoder& decoder, const PathBuilder& at, Element from, Pod& into) {
  const Element selector = from["spec"].non_null("selector");
  if (!has_selector(into.kind) || !selector.is_there()) return;
  const PathBuilder spec = at.child("spec");
  const PathBuilder place = spec.child("selector");
  LabelSelector& read = into.selector.emplace();
  if (into.kind == PodKind::replication_controller) {
    decoder.read(place, selector, read.match_labels);
  } else {
    decoder.read(place, selector, read);
  }
}

/// A Pod, or the pod template of any workload, told by `kind`; without one it is of the kind that
/// `into` has, a Pod unless a list said otherwise. A template takes its name from its workload where
/// it has none, and its namespace where the workload names one, because its pods will stand there.
inline void read_value(Decoder& decoder, const PathBuilder& at, Element from, Pod& into) {
  if (!from.is_object()) return decoder.wrong_type(at, from, "an object");
  std::string kind;
  std::string version;
  if (const Element written = decoder.read_kind(at, from); written.is_there())
    decoder.read(at.child("kind"), written, kind);
  for (const auto [name, value] : from.members()) {
    if (value.is_null()) continue;
    const PathBuilder place = at.child(name);
    if (name == "apiVersion") decoder.read(place, value, version);
    if (name == "metadata") decoder.read(place, value, into.metadata);
  }
  const auto known_kind = kind.empty() ? into.kind : pod_kind(kind);
  if (!known_kind) {
    return decoder.report(
        ErrorType::not_supported, at.child("kind"), kind,
        "must be Pod, or a workload that has a pod template" + did_you_mean_kind(kind));
  }
  into.kind = *known_kind;
  if (!version.empty() && !is_in_group(into.kind, api_group(version))) {
    decoder.report(ErrorType::not_supported, at.child("apiVersion"), version,
                   "must be " + std::string(api_version(into.kind)));
  }
  // What was read is a pod's own; of a workload it is above that of the template.
  ObjectMeta above;
  if (into.kind != PodKind::pod) std::swap(above, into.metadata);
  read_template(decoder, at, from, template_steps(into.kind), into);
  if (into.kind == PodKind::pod) return;
  read_selector(decoder, at, from, into);
  if (into.metadata.name.empty()) into.metadata.name = std::move(above.name);
  if (!above.namespace_.empty()) into.metadata.namespace_ = std::move(above.namespace_);
  into.metadata.owner_references = std::move(above.owner_references);
}

/// Writes what stands below `steps`, in objects that have nothing else.
template <class F>
void write_below(ObjectWriter& object, std::span<const std::string_view> steps, F&& f) {
  if (steps.empty()) return f(object);
  ObjectWriter below(object.key(steps.front()));
  write_below(below, steps.subspan(1), f);
}

/// A template stands in a workload of its kind that has nothing else but its name, its namespace,
/// its owners and its selector.
inline void write(Writer& out, const Pod& pod) {
  ObjectWriter object(out);
  object.member("apiVersion", api_version(pod.kind)).member("kind", to_string(pod.kind));
  ObjectMeta of_pod = pod.metadata;
  if (pod.kind != PodKind::pod) {
    object.member("metadata",
                  ObjectMeta{.name = of_pod.name,
                             .namespace_ = of_pod.namespace_,
                             .owner_references = std::exchange(of_pod.owner_references, {})});
  }
  const auto write_pod = [&](ObjectWriter& at) {
    at.member("metadata", of_pod).member("spec", pod.spec);
    if (pod.kind == PodKind::pod && !is_absent(pod.status)) at.member("status", pod.status);
  };
  const auto steps = template_steps(pod.kind);
  if (!pod.selector || !has_selector(pod.kind)) return write_below(object, steps, write_pod);
  ObjectWriter spec(object.key(steps.front()));
  if (pod.kind == PodKind::replication_controller) {
    spec.member("selector", pod.selector->match_labels);
  } else {
    spec.member("selector", *pod.selector);
  }
  write_below(spec, steps.subspan(1), write_pod);
}

inline void write(Writer& out, const FieldError& error) {
  ObjectWriter(out)
      .member("field", error.field)
      .member("type", to_string(error.type))
      .member("value", error.bad_value)
      .member("message", message(error));
}

inline void write_first(ObjectWriter& object, std::string_view name, std::string_view more,
                        const Names& names) {
  write_first(object, name, more, names.vector(), max_shown_names, names.more());
}

/// A reply with many violations by many policies stays as small as the two together.
inline void write(Writer& out, const Violation& violation) {
  ObjectWriter object(out);
  object.member("code", to_string(violation.code))
      .member("field", violation.field)
      .member("value", violation.value);
  write_first(object, "permitted", "morePermitted", violation.permitted);
  object.member("message", message(violation));
  write_first(object, "policies", "morePolicies", violation.policies);
  if (!violation.added_by.empty())
    write_first(object, "addedBy", "moreAddedBy", violation.added_by);
}

inline void write(Writer& out, const Change& change) {
  ObjectWriter(out)
      .member("field", change.field)
      .member("from", change.from)
      .member("to", change.to)
      .member("policy", change.policy);
}

/// An operation of JSON Patch (RFC 6902).
inline void write(Writer& out, const PatchOperation& operation) {
  const bool has_from = operation.op == PatchOp::move || operation.op == PatchOp::copy;
  ObjectWriter object(out);
  object.member("op", to_string(operation.op));
  if (has_from) object.member("from", operation.from);
  object.member("path", operation.path);
  if (!has_from && operation.op != PatchOp::remove) object.member("value", Raw{operation.value});
}

inline void read_value(Decoder&, const PathBuilder&, Element from, RawMessage& into) {
  Writer out;
  write(out, from);
  into.json = std::move(out).take();
}

inline void write(Writer& out, const RawMessage& raw) {
  out += raw.json.empty() ? "null" : raw.json;
}

using CoreValues =
    Types<RawMessage, RawObject, std::vector<RawMessage>, std::string, bool, std::int64_t, Texts,
          Labels, Quantity, ObjectMeta, Taint, std::vector<Taint>, Toleration,
          std::vector<Toleration>, LabelSelectorRequirement, LabelSelector,
          std::optional<LabelSelector>, NodeSelectorRequirement, NodeSelectorTerm,
          std::vector<NodeSelectorTerm>, NodeSelector, PreferredSchedulingTerm, PodAffinityTerm,
          WeightedPodAffinityTerm, NodeAffinity, PodAffinity, Affinity, ResourceList,
          ResourceRequirements, Container, std::vector<Container>, TopologySpreadConstraint,
          PodSpec, ContainerStatus, PodCondition, PodStatus, Pod, NodeSpec, NodeStatus, Node>;
using CoreResults = Types<FieldError, std::vector<FieldError>, Violation, std::vector<Violation>,
                          Change, std::vector<Change>, PatchOperation, std::vector<PatchOperation>>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail
