// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The operations of `evaluate`: what each reads of its input and writes as its result.

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/qos.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/validation.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/patch.hpp>
#include <schedpol/json/request.hpp>
#include <schedpol/json/schema.hpp>
#include <schedpol/json/writer.hpp>
#include <schedpol/metadata_policy/metadata_policy.hpp>
#include <schedpol/pod_scheduling_policy/pod_scheduling_policy.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/resource_policy/counter.hpp>
#include <schedpol/runtime_class/runtime_class.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check_update.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace schedpol::json::detail {

using scheduling_policy::EffectivePolicy;
using scheduling_policy::SchedulingPolicy;

/// Cluster-scoped objects are told apart by name, so each needs one of its own.
template <class T>
std::vector<T> read_named(Input& input, std::string_view list) {
  auto policies = input.read<std::vector<T>>(list);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string& name = policies[i].metadata.name;
    const std::string field = std::string(list) + "[" + std::to_string(i) + "].metadata.name";
    if (name.empty()) {
      input.fail(EvaluateError::invalid_object,
                 {ErrorType::required, field, "", "an object is told by its name"});
    } else if (!names.insert(name).second) {
      input.fail(EvaluateError::invalid_object,
                 {ErrorType::duplicate, field, name, "another object has this name"});
    }
  }
  return policies;
}

inline EffectivePolicy read_effective_policy(Input& input) {
  const auto policies = read_named<SchedulingPolicy>(input, "policies");
  return merge(policies, input.read<scheduling_policy::MergeStrategy>(
                             "strategy", EvaluateError::invalid_request));
}

inline scheduling_policy::Options read_options(Input& input) {
  return input.read<scheduling_policy::Options>("options", EvaluateError::invalid_request);
}

/// What an operation writes its result into; only called once the input is complete.
using Operation = void (*)(Input&, Writer&);

inline void label_selector_matches(Input& input, Writer& out) {
  const auto selector = input.read<std::optional<LabelSelector>>("selector");
  const auto labels = input.read<Labels>("labels");
  const auto matcher = compile(selector, "selector");
  if (!matcher) input.fail(EvaluateError::invalid_object, matcher.errors().front());
  if (input.complete()) ObjectWriter(out).member("matches", matcher->matches(labels));
}

inline void taints_find_untolerated(Input& input, Writer& out) {
  const auto tolerations = input.read<std::vector<Toleration>>("tolerations");
  const auto taints = input.read<std::vector<Taint>>("taints");
  if (input.complete())
    ObjectWriter(out).member("untolerated", find_untolerated(tolerations, taints));
}

inline void tolerations_merge(Input& input, Writer& out) {
  const auto first = input.read<std::vector<Toleration>>("first");
  const auto second = input.read<std::vector<Toleration>>("second");
  if (input.complete()) ObjectWriter(out).member("tolerations", merge(first, second));
}

inline void labels_validate(Input& input, Writer& out) {
  const auto labels = input.read<Labels>("labels");
  if (input.complete()) ObjectWriter(out).member("errors", validate(labels));
}

inline void tolerations_validate(Input& input, Writer& out) {
  const auto tolerations = input.read<std::vector<Toleration>>("tolerations");
  if (input.complete()) ObjectWriter(out).member("errors", validate(tolerations));
}

inline void affinity_validate(Input& input, Writer& out) {
  const auto affinity = input.read<Affinity>("affinity");
  if (input.complete()) ObjectWriter(out).member("errors", validate(affinity));
}

inline void node_affinity_matches(Input& input, Writer& out) {
  const auto pod = input.require<Pod>("pod");
  const auto node = input.require<Node>("node");
  if (!input.complete()) return;
  const NodeAffinityMatcher matcher(pod.spec);
  ObjectWriter(out).member("matches", matcher.matches(node)).member("score", matcher.score(node));
}

inline void pod_qos_class(Input& input, Writer& out) {
  const auto pod = input.require<Pod>("pod");
  if (input.complete()) ObjectWriter(out).member("qosClass", to_string(qos_class(pod.spec)));
}

inline void quantity_compare(Input& input, Writer& out) {
  const auto a = input.require<Quantity>("a");
  const auto b = input.require<Quantity>("b");
  if (!input.complete()) return;
  ObjectWriter(out).member("compare", a < b ? -1 : a > b ? 1 : 0);
}

inline void scheduling_policy_validate(Input& input, Writer& out) {
  const auto policy = input.require<SchedulingPolicy>("policy");
  if (input.complete()) ObjectWriter(out).member("errors", validate(policy));
}

inline void scheduling_policy_merge(Input& input, Writer& out) {
  const EffectivePolicy effective = read_effective_policy(input);
  if (!input.complete()) return;
  ObjectWriter(out)
      .member("spec", effective.spec())
      .member("sources", effective.sources().entries)
      .member("lost", effective.sources().lost);
}

/// `object` with the patch applied to the input of that name, and the patch. One that does not
/// apply is a failure of the request, so that no decision is answered without its object.
inline void write_object(ObjectWriter& result, Input& input, std::string_view name,
                         const Patch& patch) {
  const Result<std::string> object = apply_patch(input.text(name), patch);
  if (!object) input.fail(EvaluateError::invalid_object, object.errors().front());
  result.member("object", Raw{object ? *object : std::string_view("null")}).member("patch", patch);
}

/// The members that operations which admit a pod answer with.
inline void write_admission(Writer& out, Input& input, const Pod& before,
                            const Admission& admission) {
  ObjectWriter result(out);
  result.member("allowed", admission.allowed)
      .member("violations", admission.violations)
      .member("changes", admission.changes);
  write_object(
      result, input, "pod",
      admission.allowed ? make_patch(input.document("pod"), before, admission.pod) : Patch());
}

inline void scheduling_policy_admit(Input& input, Writer& out) {
  const Pod pod = input.require<Pod>("pod");
  const EffectivePolicy effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (!input.complete()) return;
  write_admission(out, input, pod, admit(pod, effective, options));
}

inline void scheduling_policy_check_update(Input& input, Writer& out) {
  const Pod old = input.require<Pod>("old");
  const Pod updated = input.require<Pod>("new");
  const EffectivePolicy effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (old.kind != updated.kind) {
    input.fail(EvaluateError::invalid_request,
               {ErrorType::invalid, "new.kind", std::string(to_string(updated.kind)),
                "must be that of old"});
  }
  if (!input.complete()) return;
  const auto violations = check_update(old, updated, effective, options);
  ObjectWriter(out).member("allowed", violations.empty()).member("violations", violations);
}

inline void rbac_usable_policies(Input& input, Writer& out) {
  const auto user = input.require<rbac::User>("user");
  const auto in = input.read<std::string>("namespace", EvaluateError::invalid_request);
  const auto policies =
      input.read<std::vector<std::string>>("policies", EvaluateError::invalid_request);
  rbac::Rbac rbac;
  rbac.roles = input.read<std::vector<rbac::Role>>("roles");
  rbac.cluster_roles = input.read<std::vector<rbac::ClusterRole>>("clusterRoles");
  rbac.role_bindings = input.read<std::vector<rbac::RoleBinding>>("roleBindings");
  rbac.cluster_role_bindings =
      input.read<std::vector<rbac::ClusterRoleBinding>>("clusterRoleBindings");
  rbac::Access access;
  const auto api_group =
      input.read<std::optional<std::string>>("apiGroup", EvaluateError::invalid_request);
  const auto resource =
      input.read<std::optional<std::string>>("resource", EvaluateError::invalid_request);
  access.api_group = api_group.value_or(access.api_group);
  access.resource = resource.value_or(access.resource);
  if (input.complete())
    ObjectWriter(out).member("usable", usable(policies, user, in, rbac, access));
}

inline void runtime_class_admit(Input& input, Writer& out) {
  const Pod pod = input.require<Pod>("pod");
  const auto classes = read_named<runtime_class::RuntimeClass>(input, "runtimeClasses");
  if (input.complete()) write_admission(out, input, pod, runtime_class::admit(pod, classes));
}

inline void pod_scheduling_policy_inject(Input& input, Writer& out) {
  const Pod pod = input.require<Pod>("pod");
  ObjectMeta in = input.read<AnyObject>("namespace").metadata;
  const auto policies =
      input.read<std::vector<pod_scheduling_policy::PodSchedulingPolicy>>("policies");
  if (in.name.empty()) in.name = pod.metadata.namespace_;
  auto injection = pod_scheduling_policy::inject(pod, in, policies);
  for (FieldError& error : injection.errors) {
    const bool limit = error.type == ErrorType::too_many;
    input.fail(limit ? EvaluateError::limit_exceeded : EvaluateError::invalid_object,
               std::move(error));
  }
  if (!input.complete()) return;
  ObjectWriter result(out);
  result.member("applied", injection.applied)
      .member("skipped", injection.skipped)
      .member("changes", injection.changes);
  write_object(result, input, "pod", make_patch(input.document("pod"), pod, injection.pod));
}

/// The members that both operations of MetadataPolicy answer with.
template <class Decision>
void write_decision(ObjectWriter& result, const Decision& decision) {
  result.member("allowed", decision.allowed)
      .member("rejectedBy", decision.rejected_by)
      .member("conflicts", decision.conflicts)
      .member("changes", decision.changes);
}

inline void metadata_policy_admit(Input& input, Writer& out) {
  const auto object = input.require<AnyObject>("object");
  const auto policies = input.read<std::vector<metadata_policy::MetadataPolicy>>("policies");
  auto decision = metadata_policy::admit(object.metadata, policies);
  for (FieldError& error : decision.errors)
    input.fail(EvaluateError::invalid_object, std::move(error));
  if (!input.complete()) return;
  ObjectWriter result(out);
  write_decision(result, decision);
  write_object(result, input, "object",
               make_patch(input.document("object"), object.metadata, decision.metadata));
}

inline void metadata_policy_choose_scheduler(Input& input, Writer& out) {
  const auto pod = input.require<Pod>("pod");
  const auto policies = input.read<std::vector<metadata_policy::MetadataPolicy>>("policies");
  auto choice = metadata_policy::choose_scheduler(pod, policies);
  for (FieldError& error : choice.errors)
    input.fail(EvaluateError::invalid_object, std::move(error));
  if (!input.complete()) return;
  ObjectWriter result(out);
  write_decision(result, choice);
  write_object(result, input, "pod", make_patch(input.document("pod"), pod, choice.pod));
}

/// Compiled policies; no policies where they cannot be.
inline resource_policy::Policies read_resource_policies(Input& input) {
  const auto policies = input.read<std::vector<resource_policy::ResourcePolicy>>("policies");
  auto compiled = resource_policy::compile(policies);
  if (compiled) return *std::move(compiled);
  input.fail(EvaluateError::invalid_object, compiled.errors().front());
  return {};
}

inline void resource_policy_schedule(Input& input, Writer& out) {
  const auto pod = input.require<Pod>("pod");
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const resource_policy::Counter counter(read_resource_policies(input), nodes, pods);
  if (!input.complete()) return;
  const auto before = counter.prefilter(pod);
  ObjectWriter result(out);
  result.member("code", to_string(before.code));
  if (before.reason != resource_policy::Reason::none)
    result.member("reason", to_string(before.reason));
  if (before.code != resource_policy::Code::success) return;
  result.member("policy", before.policy).member("counts", before.counts);
  std::vector<resource_policy::Filter> filters;
  std::vector<std::int64_t> scores;
  for (const Node& node : nodes) {
    filters.push_back(counter.filter(before, node.metadata.name));
    if (filters.back().code == resource_policy::Code::success)
      scores.push_back(counter.score(before, filters.back()));
  }
  scores = resource_policy::normalise(scores);
  Writer& list = result.key("nodes");
  list += '[';
  auto score = scores.begin();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) list += ',';
    ObjectWriter node(list);
    node.member("name", nodes[i].metadata.name).member("code", to_string(filters[i].code));
    if (filters[i].code != resource_policy::Code::success) {
      node.member("reason", to_string(filters[i].reason));
      continue;
    }
    if (filters[i].unit) node.member("unit", *filters[i].unit);
    node.member("score", *score++);
  }
  list += ']';
}

inline void resource_policy_deletion_costs(Input& input, Writer& out) {
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const resource_policy::Counter counter(read_resource_policies(input), nodes, pods);
  if (!input.complete()) return;
  ObjectWriter result(out);
  Writer& list = result.key("costs");
  list += '[';
  for (const Pod& pod : pods) {
    const auto cost = counter.deletion_cost(pod.metadata.namespace_, pod.metadata.name);
    if (!cost) continue;
    if (!list.ends_with('[')) list += ',';
    ObjectWriter(list)
        .member("namespace", pod.metadata.namespace_)
        .member("name", pod.metadata.name)
        .member("cost", *cost);
  }
  list += ']';
}

inline constexpr std::array operations = {
    std::pair<std::string_view, Operation>("affinity.validate", affinity_validate),
    std::pair<std::string_view, Operation>("labelSelector.matches", label_selector_matches),
    std::pair<std::string_view, Operation>("labels.validate", labels_validate),
    std::pair<std::string_view, Operation>("metadataPolicy.admit", metadata_policy_admit),
    std::pair<std::string_view, Operation>("metadataPolicy.chooseScheduler",
                                           metadata_policy_choose_scheduler),
    std::pair<std::string_view, Operation>("nodeAffinity.matches", node_affinity_matches),
    std::pair<std::string_view, Operation>("pod.qosClass", pod_qos_class),
    std::pair<std::string_view, Operation>("podSchedulingPolicy.inject",
                                           pod_scheduling_policy_inject),
    std::pair<std::string_view, Operation>("quantity.compare", quantity_compare),
    std::pair<std::string_view, Operation>("rbac.usablePolicies", rbac_usable_policies),
    std::pair<std::string_view, Operation>("resourcePolicy.deletionCosts",
                                           resource_policy_deletion_costs),
    std::pair<std::string_view, Operation>("resourcePolicy.schedule", resource_policy_schedule),
    std::pair<std::string_view, Operation>("runtimeClass.admit", runtime_class_admit),
    std::pair<std::string_view, Operation>("schedulingPolicy.admit", scheduling_policy_admit),
    std::pair<std::string_view, Operation>("schedulingPolicy.checkUpdate",
                                           scheduling_policy_check_update),
    std::pair<std::string_view, Operation>("schedulingPolicy.merge", scheduling_policy_merge),
    std::pair<std::string_view, Operation>("schedulingPolicy.validate", scheduling_policy_validate),
    std::pair<std::string_view, Operation>("taints.findUntolerated", taints_find_untolerated),
    std::pair<std::string_view, Operation>("tolerations.merge", tolerations_merge),
    std::pair<std::string_view, Operation>("tolerations.validate", tolerations_validate),
};

}  // namespace schedpol::json::detail
