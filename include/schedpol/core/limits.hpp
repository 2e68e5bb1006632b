// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Every limit that input can reach; `base/text_limits.hpp` has those of texts. Objects are untrusted,
/// so everything that could cost more than in proportion to its size has a limit. Input or a result beyond
/// a limit is an error where it is read or made, unless the limit says otherwise.

#include <schedpol/base/text_limits.hpp>

#include <cstdint>

namespace SCHEDPOL_NAMESPACE {

// Syntax of names and labels, with the API server's limits.

inline constexpr std::size_t max_label_name_bytes = 63;   ///< without the prefix
inline constexpr std::size_t max_label_value_bytes = 63;  ///< a value may be empty
inline constexpr std::size_t max_subdomain_bytes = 253;   ///< of most names, and of prefixes
inline constexpr std::size_t max_label_key_bytes =
    max_subdomain_bytes + 1 + max_label_name_bytes;  ///< with the prefix

// Policies. Real ones stay far below these limits.

/// Bytes of the spec of a policy: the bytes of its texts plus `policy_text_bytes` for each text, and
/// `policy_entry_bytes` for each pair and each other list item. About as much as 256 KiB of YAML.
inline constexpr std::size_t max_policy_bytes = std::size_t{256} << 10U;
inline constexpr std::size_t policy_text_bytes = 8;
inline constexpr std::size_t policy_entry_bytes = 32;

/// Pairs and expressions of one label selector. A check whether two selectors overlap needs all of them.
inline constexpr std::size_t max_selector_requirements = 256;

/// Values of one expression. Somebody may list the names of all nodes, up to 5,000 in a cluster.
inline constexpr std::size_t max_expression_values = 8192;

/// matchLabelKeys of a ResourcePolicy. Each pod is counted by its values of all of these keys.
inline constexpr std::size_t max_match_label_keys = 16;

/// Units of a ResourcePolicy. Each pod and each node is checked against all of them.
inline constexpr std::size_t max_units = 64;

/// Resources that a unit of a ResourcePolicy limits.
inline constexpr std::size_t max_unit_resources = 32;

// Quantities.

/// Bytes of the longest text that is read as a quantity. A longer text is malformed.
inline constexpr std::size_t max_quantity_bytes = 1024;

/// The largest power of ten after `e`, positive or negative. A larger one is malformed.
inline constexpr std::int32_t max_quantity_power = 1024;

// Documents.

/// Bytes of the largest document that is read.
inline constexpr std::size_t max_document_bytes = std::size_t{16} << 20U;

/// Levels of nesting of the deepest document that is read.
inline constexpr std::size_t max_document_depth = 256;

/// Tolerations in one list of a document. A merge of two lists compares all pairs.
inline constexpr std::size_t max_tolerations = 2048;

/// Taints in one list of a document; nodes have a few. Each is compared with each toleration.
inline constexpr std::size_t max_taints = 128;

/// Resources that one pod of a document names, in all its containers and at pod level. Real pods name
/// about five; a node with every kind of device has about twenty.
inline constexpr std::size_t max_pod_resources = 128;

/// Errors reported for one document. The search for errors stops there.
inline constexpr std::size_t max_reported_errors = 100;

/// Violations of one pod, or findings of one analysis, written as JSON. Beside them is the number of the rest.
inline constexpr std::size_t max_reported_violations = 1000;

/// Objects in all lists of one document: this many in any document, and in a larger one, one for each
/// `min_bytes_of_listed` bytes. If there are more, most of them are empty, and reading them costs more
/// than sending them.
inline constexpr std::size_t max_listed_objects = 4096;
inline constexpr std::size_t min_bytes_of_listed = 32;

/// Bytes that all copy operations of a JSON Patch may copy together. A longer document permits its own size.
inline constexpr std::size_t max_copied_bytes = std::size_t{1} << 20U;

/// Bytes that all operations of a JSON Patch go through. Each goes through the document and all that was
/// added to it. So 1.5 MB, etcd's limit, permits 178 operations; 26 KB permits the API server's 10,000.
inline constexpr std::size_t max_patched_bytes = std::size_t{1} << 28U;

/// Pairs of items compared to find the shortest patch of a list. With more, items change index by index.
inline constexpr std::size_t max_list_edit_cells = 4096;

/// Requirements by which a patch recognizes a changed node selector term: the first of its
/// matchExpressions and the first of its matchFields. Real terms have about five.
inline constexpr std::size_t max_compared_requirements = 32;

/// Findings that the writer of a policy gets as warnings; the rest are only counted.
inline constexpr std::size_t max_finding_warnings = 10;

// Injection.

/// Items that all policies together give to one pod. It is also the limit for what the pod's class and the
/// cluster policies give without permission. Items are nodeSelector pairs, tolerations, expressions of
/// node selector terms, pod affinity terms and names; a policy counts as at least one. Each item of the
/// pod is compared with all of them. Real pods get tens. A policy or class with more is invalid; a pod
/// that gets more from several is denied.
inline constexpr std::size_t max_given_items = 1024;

/// Required node selector terms that a pod may have after injection. A policy that adds more is an error.
inline constexpr std::size_t max_node_selector_terms = 1024;

/// Bytes of the required node selector terms that policies make for one pod, summed over all policies.
/// The terms of each policy contain those of the policies before it.
inline constexpr std::size_t max_merged_term_bytes = std::size_t{8} << 20U;

// Counting. The cost of a ResourcePolicy is one, plus one for each unit, two for each resource that
// its units limit, and four for each of its matchLabelKeys. A pod that the policy counts takes up
// to 40 bytes times this cost.

/// Nodes and pods of one request, times the cost of all ResourcePolicies, or times the required pod affinity
/// terms and spread constraints of all pods. At worst every policy counts each pod, by values of its own.
inline constexpr std::size_t max_counted_pairs = std::size_t{1} << 23U;

/// The cost of the ResourcePolicies of one namespace in an `AssumeCache`. However the policies overlap, a
/// pod takes up to 80 KB. This is enough for 250 policies with three units and one of matchLabelKeys
/// each.
inline constexpr std::size_t max_namespace_counting_cost = 2048;

/// The cost of all ResourcePolicies plus `planned_steps_beside`, times the replicas and the nodes of a
/// `resourcePolicy.plan`.
inline constexpr std::size_t max_planned_steps = std::size_t{1} << 26U;
inline constexpr std::size_t planned_steps_beside = 4;

/// Bytes that each replica of a plan counts as, besides its pod and the name of a node. All replicas
/// together count at most `max_document_bytes`.
inline constexpr std::size_t planned_replica_bytes = 512;

// Comparisons.

/// Comparisons for the node affinity of a pod. Each value counts once for each pattern of the key with the
/// most patterns, and again for each required pattern; terms, expressions and required patterns count as
/// one more each. Terms beyond the limit are not permitted and meet no requirement. Real pods have about a
/// thousand values, and a key a few patterns. The limit also bounds the product of the expressions of the
/// pod, a default and what is exempt: beyond it, no term is permitted as a default with exempt expressions.
inline constexpr std::size_t max_matched_values = std::size_t{1} << 24U;

// Insight.

/// Steps of one analysis, impact, comparison or fix. A step takes about 20 ns, whatever the input, so
/// all steps take a third of a second. A request asks for up to five such answers.
inline constexpr std::size_t max_insight_steps = 16'000'000;

/// Bytes that one of these keeps besides its input. A request of 1 MB may use 64 MB, and its own
/// objects take half of that.
inline constexpr std::size_t max_insight_bytes = std::size_t{24} << 20U;

/// Lists of terms in one mode of affinity: how many a comparison combines with all lists of the other
/// mode, and to how many it adds exempt terms. It takes the first ones, which include every sort of list.
/// It misses a difference that shows only with a later one; to combine all would be quadratic.
inline constexpr std::size_t compared_lists_beside = 13;
inline constexpr std::size_t compared_lists_with_exempt = 7;

/// Node selector pairs that a comparison combines, one at a time, with the defaults of node affinity,
/// which a pair may contradict. It misses a difference that shows only with a later pair or with
/// several pairs.
inline constexpr std::size_t compared_pairs = 64;

/// Objects or outcomes with the same hash that an impact compares a new one with: the latest ones. With
/// more hash collisions than that, the impact may fail to recognize equal ones.
inline constexpr std::size_t max_alike_compared = 8;

/// Steps of the analysis of a policy that is being written, and the further steps for each of its texts:
/// 3 ms for a small policy beside about 8,000 others, 150 ms for the largest. The API server waits for it.
inline constexpr std::size_t max_written_policy_steps = 160'000;
inline constexpr std::size_t written_policy_steps_a_text = 512;

/// Steps to find the fix at the end of a denial: half a millisecond, because a user waits for the denial.
inline constexpr std::size_t max_denial_fix_steps = 25'000;

/// Requirements on tolerations that one fix meets. One toleration may meet several, so a fix searches
/// all sets of requirements for the fewest tolerations.
inline constexpr std::size_t max_fixed_requirements = 16;

/// Lists of required node selector terms that a fix tries: those one edit away from the pod's list,
/// besides the lists that the rules suggest.
inline constexpr std::size_t max_single_edits = 256;

// Decisions.

/// Rounds in which the systems are asked about an object. Each round starts from the result of the one
/// before. A pod or template that still changes is then judged as it stands, and may be denied; other
/// metadata is accepted as it stands.
inline constexpr int max_decision_rounds = 8;

/// Levels of controllers that `Owners` follows from an object to its outermost controller. Kubernetes has
/// two levels; a cycle of controllers has no end.
inline constexpr int max_owner_levels = 8;

/// Policy names in all grants that are resolved in advance. With more, each grant is resolved for each
/// pod, with the same answer.
inline constexpr std::size_t max_granted_names = 1'000'000;

/// Bytes of the policies in all grants that are merged in advance, counted as for `max_policy_bytes`, once
/// for each grant. With more, policies are merged for each pod. A merged policy is about fifteen times as
/// large, so memory stays near 100 MB. Real clusters have about a hundred grants of a few KB.
inline constexpr std::size_t max_merged_policy_bytes = std::size_t{8} << 20U;

}  // namespace SCHEDPOL_NAMESPACE
