// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Every bound of the library that input can reach; those of texts come from `base/text_limits.hpp`.
/// Objects are untrusted, so whatever could cost more than its size has one. What exceeds a bound is an
/// error where it is read or made, unless the bound says what else happens.

#include <schedpol/base/text_limits.hpp>

#include <cstdint>

namespace SCHEDPOL_NAMESPACE {

// Syntax of names and labels, as the API server bounds it.

inline constexpr std::size_t max_label_name_bytes = 63;   ///< without the prefix
inline constexpr std::size_t max_label_value_bytes = 63;  ///< it may be empty
inline constexpr std::size_t max_subdomain_bytes = 253;   ///< most names, and prefixes
inline constexpr std::size_t max_label_key_bytes =
    max_subdomain_bytes + 1 + max_label_name_bytes;  ///< with the prefix

// Policies. Real ones stay far below these bounds.

/// Bytes of the spec of a policy: its texts, `policy_text_bytes` more for each, and
/// `policy_entry_bytes` for each other item of a list and each pair. As large as 256 KiB of YAML.
inline constexpr std::size_t max_policy_bytes = std::size_t{256} << 10U;
inline constexpr std::size_t policy_text_bytes = 8;
inline constexpr std::size_t policy_entry_bytes = 32;

/// Pairs and expressions of one label selector. Whether two can select one object takes them all.
inline constexpr std::size_t max_selector_requirements = 256;

/// Values of one expression: a cluster has up to 5,000 nodes, whose names somebody may list.
inline constexpr std::size_t max_expression_values = 8192;

/// Match label keys of a ResourcePolicy: each pod is counted by its values of all of them.
inline constexpr std::size_t max_match_label_keys = 16;

/// Units of a ResourcePolicy: kinds of nodes, each of which is looked at for each pod and node.
inline constexpr std::size_t max_units = 64;

/// Resources that a unit of a ResourcePolicy limits.
inline constexpr std::size_t max_unit_resources = 32;

// Quantities.

/// Bytes of the longest text that is read as a quantity; a longer one is malformed.
inline constexpr std::size_t max_quantity_bytes = 1024;

/// The largest power of ten after `e`, either way; what lies beyond is malformed.
inline constexpr std::int32_t max_quantity_power = 1024;

// Documents.

/// Bytes of the largest document that is read.
inline constexpr std::size_t max_document_bytes = std::size_t{16} << 20U;

/// Levels of nesting of the deepest document that is read.
inline constexpr std::size_t max_document_depth = 256;

/// Tolerations in one list of a document. Merging two lists compares each with each.
inline constexpr std::size_t max_tolerations = 2048;

/// Taints in one list of a document: nodes have a few. Each is held against each toleration.
inline constexpr std::size_t max_taints = 128;

/// Resources that one pod of a document names, in all its containers and as a whole. Real pods have some
/// five, and a node with every kind of device some twenty.
inline constexpr std::size_t max_pod_resources = 128;

/// Errors reported for one document; what comes after them is not looked for.
inline constexpr std::size_t max_reported_errors = 100;

/// Violations of one pod that are written as JSON; how many more there are is written beside them.
inline constexpr std::size_t max_reported_violations = 1000;

/// Objects in the lists that are read of one document: as many as this, whatever its size, and of a
/// larger document one for each `min_bytes_of_listed` bytes of it. Where they are more, most of them
/// say nothing, and cost who reads them more than who sends them.
inline constexpr std::size_t max_listed_objects = 4096;
inline constexpr std::size_t min_bytes_of_listed = 32;

/// Bytes that the copies of a JSON Patch copy together, or as many as a longer document has.
inline constexpr std::size_t max_copied_bytes = std::size_t{1} << 20U;

/// Bytes that the operations of a JSON Patch go through, each through the document and all that was
/// put into it: 178 operations of 1.5 MB, which etcd keeps, the API server's 10,000 of 26 KB.
inline constexpr std::size_t max_patched_bytes = std::size_t{1} << 28U;

/// Pairs of items compared for the shortest patch of a list; of more, items change place by place.
inline constexpr std::size_t max_list_edit_cells = 4096;

/// Requirements of a node term by which a patch tells whether another one is the same term, changed:
/// the first of its matchExpressions and of its matchFields. Real terms have some five.
inline constexpr std::size_t max_compared_requirements = 32;

/// Findings that whoever writes a policy is told as warnings, before how many more there are.
inline constexpr std::size_t max_finding_warnings = 10;

// Injection.

/// Items that policies give to one pod together, and that its class and the policies of the cluster give
/// without anybody's permission: pairs of a nodeSelector, tolerations, expressions of node terms, pod
/// affinity terms and names; a policy counts as one item at least. Each item of a pod is held against
/// each of them. Real pods have tens. A policy or class with more is invalid, and a pod that several
/// together give more is denied.
inline constexpr std::size_t max_given_items = 1024;

/// Required node selector terms that a pod may come out with; a policy that adds more is an error.
inline constexpr std::size_t max_node_selector_terms = 1024;

/// Bytes of the required node selector terms that policies make for one pod, those of every policy
/// counted. What each policy makes holds what the ones before it made.
inline constexpr std::size_t max_merged_term_bytes = std::size_t{8} << 20U;

// Counting. What it costs by a ResourcePolicy is one, one for each of its units, two for each
// resource that those limit and four for each of its match label keys. A pod that it counts takes
// up to 40 bytes times that.

/// The cost of counting by all policies, times the nodes and pods of one request. Where all policies
/// select all, each pod counts in each, with values of the match label keys of its own.
inline constexpr std::size_t max_counted_pairs = std::size_t{1} << 23U;

/// The cost of counting by the ResourcePolicies of one namespace, where a cluster is kept: however they
/// overlap, a pod takes up to 80 KB. It is enough for 250 policies of three units and one match label
/// key.
inline constexpr std::size_t max_namespace_counting_cost = 2048;

/// ResourcePolicies and their units, once for each replica of a `resourcePolicy.plan` on each node,
/// and `planned_steps_beside` for the two themselves.
inline constexpr std::size_t max_planned_steps = std::size_t{1} << 26U;
inline constexpr std::size_t planned_steps_beside = 4;

/// Bytes that a replica of a plan counts as, beside its pod and the name of a node: what is kept and
/// told of all of them is no longer than `max_document_bytes`.
inline constexpr std::size_t planned_replica_bytes = 512;

// Comparisons.

/// Comparisons of the node affinity of a pod. Each value is held against the patterns of the key that has
/// the most, and again against all that are required; terms, expressions and required patterns count as
/// one more each. What is beyond it is not permitted, and meets nothing that is required. Real pods have
/// some thousand values, and a key a few patterns. Nor are terms permitted as those of a default with
/// exempt expressions among them where the expressions of all three multiply to more.
inline constexpr std::size_t max_matched_values = std::size_t{1} << 24U;

// Insight.

/// Steps of one analysis, impact, comparison or fix. A step takes about 20 ns, however large what is
/// asked about: all of them take a third of a second, and a request asks for up to five.
inline constexpr std::size_t max_insight_steps = 16'000'000;

/// Bytes of what one of them keeps besides what it was given. A request of 1 MB has 64 MB, of which
/// its own objects take half.
inline constexpr std::size_t max_insight_bytes = std::size_t{24} << 20U;

/// Lists of terms of one mode of affinity that a comparison puts beside all of the other mode, and
/// those that it adds exempt terms to: the first ones, which make up every sort of list. A difference
/// that shows beside a later one alone is not found; all beside all would be quadratic.
inline constexpr std::size_t compared_lists_beside = 13;
inline constexpr std::size_t compared_lists_with_exempt = 7;

/// Pairs of the node selector that a comparison puts, one at a time, beside the defaults of node
/// affinity, which they may contradict. A difference that shows beside a later one, or beside several,
/// is not found.
inline constexpr std::size_t compared_pairs = 64;

/// Objects or outcomes of one hash that an impact holds another one against, the last ones. Whoever
/// makes more of them sees some as if they were like none.
inline constexpr std::size_t max_alike_compared = 8;

/// Steps of what whoever writes a policy is told of it, and as many more for each of its texts: 3 ms
/// of a small one, beside some 8,000 others, and 150 ms of the largest. The API server waits for it.
inline constexpr std::size_t max_written_policy_steps = 160'000;
inline constexpr std::size_t written_policy_steps_a_text = 512;

/// Steps of the fix at the end of a denial, half a millisecond: somebody waits for the denial.
inline constexpr std::size_t max_denial_fix_steps = 25'000;

/// Requirements on tolerations that one fix meets, of which one toleration may meet several: the
/// fewest are looked for among all sets of them.
inline constexpr std::size_t max_fixed_requirements = 16;

/// Lists of required node terms, one edit away from the pod's, that a fix tries besides those that
/// rules suggest.
inline constexpr std::size_t max_single_edits = 256;

// Decisions.

/// Rounds in which the systems are asked about an object, each about what the one before made of it. A
/// pod or template that still changes is judged as it stands then, and may be denied; other metadata
/// is taken as it stands.
inline constexpr int max_decision_rounds = 8;

/// Controllers of controllers that an impact follows, to group by the last one; Kubernetes has two, and
/// a circle has no end.
inline constexpr int max_owner_levels = 8;

/// Names of policies in all grants that are resolved beforehand; beyond it, for each pod, with the same
/// answer.
inline constexpr std::size_t max_granted_names = 1'000'000;

/// Bytes of the policies of all grants that are merged beforehand, counted as by `max_policy_bytes`, in
/// each grant anew; beyond it they are merged for each pod. A merged policy is some fifteen times as
/// large, so that what is kept stays near 100 MB: real clusters have some hundred grants of a few KB.
inline constexpr std::size_t max_merged_policy_bytes = std::size_t{8} << 20U;

}  // namespace SCHEDPOL_NAMESPACE
