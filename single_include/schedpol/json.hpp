// SPDX-License-Identifier: Apache-2.0
// Copyright The schedpol authors
//
// schedpol's JSON in one header, on top of cluster.hpp and insight.hpp beside it.
// Header-only as it is. With SCHEDPOL_COMPILED defined it only declares; then one translation unit of
// the program defines SCHEDPOL_IMPLEMENTATION too.
//
// Generated from include/ by amalgamate.py: change the headers there, not this file.

#include "cluster.hpp"
#include "insight.hpp"

#ifndef SCHEDPOL_SINGLE_INCLUDE_JSON
#define SCHEDPOL_SINGLE_INCLUDE_JSON

#include <map>
#include <string>
#include <string_view>
#include <vector>

// schedpol/json/patch_operation.hpp

/// The operations of JSON Patch (RFC 6902): `patch.hpp` makes them, `apply_patch.hpp` applies them.

namespace SCHEDPOL_NAMESPACE::json {

/// The operations of RFC 6902.
enum class PatchOp { add, replace, remove, move, copy, test };

[[nodiscard]] std::string_view to_string(PatchOp op) noexcept;

/// One operation. `path` and `from` are JSON Pointers (RFC 6901), `value` is the JSON of the value.
struct PatchOperation {
  PatchOp op = PatchOp::add;
  std::string path{};
  std::string value{};  ///< for add, replace and test; ignored by the others
  std::string from{};   ///< for move and copy; ignored by the others

  friend bool operator==(const PatchOperation&, const PatchOperation&) = default;
};

using Patch = std::vector<PatchOperation>;  ///< applied in this order

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/apply_patch.hpp

/// Applies a JSON Patch (RFC 6902) to the text of a document. What the patch does not name keeps its bytes.
/// 1. A pointer (RFC 6901) is empty (the whole document) or begins with `/`. In its names `~0` means
///    `~`, `~1` means `/`, and any other `~` is an error. An index is decimal digits without leading
///    zeros. `-` is the place after the last item; only add, move and copy can use it.
/// 2. add sets a member, replacing one with that name, or inserts an item before the one at the index.
///    replace, remove, move, copy and test need an existing target. A value cannot be moved into itself,
///    and the whole document cannot be removed.
/// 3. test compares by section 4.6 of RFC 6902: numbers by value, members in any order.
/// 4. All operations are applied, in order, or none is.
/// The result must be within the limits of a document, and so must the depth of what the patch names, moves
/// or copies. All copies together may copy the size of the document, or `max_copied_bytes` if that is more;
/// all operations may go through `max_patched_bytes`. Beyond these: `too_many`, `too_long`.

namespace SCHEDPOL_NAMESPACE::json {

/// The text of the document with the patch applied. If an operation cannot be applied, there is one error
/// at `patch[i]` and its member (`patch[3].path`), with the value there. If the bytes are not a document
/// within the limits, there is one error, as in `Document`.
[[nodiscard]] Result<std::string> apply_patch(std::string_view document,
                                              std::span<const PatchOperation> patch);

/// The same with the patch as JSON. Members of an operation that RFC 6902 does not know are ignored.
/// A missing member, a member of the wrong type and an unknown operation are errors at `patch[i]`.
/// Bytes that are not a patch are errors at `patch`.
[[nodiscard]] Result<std::string> apply_patch(std::string_view document, std::string_view patch);

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/configuration.hpp

/// A Configuration as JSON: any number of Kubernetes objects, and one EngineConfiguration with the
/// systems and settings:
///
///     {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration",
///      "systems": [{"system": "RuntimeClass"}, {"system": "SchedulingPolicy", "mode": "Warn"}],
///      "policyUse": "Rbac", "access": {"verb": "use"}, "strategy": "SmartDeepMerge",
///      "options": {},
///      "daemonSetController": "system:serviceaccount:kube-system:daemon-set-controller",
///      "placers": ["system:serviceaccount:kueue-system:kueue-controller-manager"],
///      "templates": [{"group": "argoproj.io", "kind": "Rollout", "path": "spec.template"}],
///      "metadataPolicy": {"exemptKinds": ["Event", "Lease.coordination.k8s.io"], "exemptUsers": [],
///                         "exemptGroups": ["system:nodes"], "qosAnnotation": "WhereUsed"},
///      "namespaceModes": {"weakest": "Warn"}}
///
/// `systems` has no default. `access` has `verb`, `apiGroup` and `resource`. By default, the API group
/// that a role must grant is that of the SchedulingPolicies: the one in the `apiVersion` of the first
/// that is read, or `schedpol.io` without any. `options` are those of `schedulingPolicy.admit`. The
/// tolerations of DefaultTolerationSeconds are exempt in addition to those that `options` list, and
/// `defaultScheduler` is `Unspecified` by default. A list in `metadataPolicy` replaces the default one
/// in `metadata_policy/options.hpp`.
///
/// An object that cannot be read, because of a wrong type or an unknown field, does not affect the
/// others. `engine::Objects::unreadable` has its name, the errors, and its selectors of pods if they
/// could be read. An Engine denies the pods that the object may apply to, and `validate` reports it. A
/// document is refused as a whole if it does not tell which object it holds (not JSON, an unknown kind
/// or group, no name), or if its EngineConfiguration is wrong.

namespace SCHEDPOL_NAMESPACE::json {

/// Adds a document with one object, or with a list of objects, to a configuration. An object is an
/// EngineConfiguration, a policy of any system, a RuntimeClass, a Namespace, a Role, ClusterRole,
/// RoleBinding or ClusterRoleBinding. Its `kind` says which; the group in its `apiVersion` is one of
/// those in `decode.hpp`. A list is a `List`, or what an API server answers to a list request: the items
/// of a `MetadataPolicyList` are MetadataPolicies of the list's apiVersion and need not say so; an item of
/// another kind is an error. If the document is refused, returns why, and which of its objects cannot be
/// read, and leaves the configuration as it was. Otherwise returns nothing; `engine::validate` then
/// reports what is wrong with the objects. Linear in the document, whatever the configuration has.
[[nodiscard]] std::vector<FieldError> add_objects(engine::Configuration& configuration,
                                                  std::string_view bytes);

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/document.hpp

/// Bytes to a checked JSON document, from which `decode` reads values:
/// 1. The document is complete and valid JSON in UTF-8, has at most `max_document_bytes` and nests at most
///    `max_document_depth` levels. Numbers may have any size. A byte order mark is not JSON.
/// 2. No object has a key twice. Parsers disagree on which of two equal keys counts, so such a document
///    might mean one thing to the API server and another to a policy.
/// Source: RFC 8259, sections 2 to 8.

namespace SCHEDPOL_NAMESPACE::json {

/// Why bytes are not a document.
enum class DocumentProblem {
  invalid_json,    ///< not JSON, or not UTF-8
  duplicate_key,   ///< an object has a key twice
  limit_exceeded,  ///< too many bytes or levels
};

/// A document, good or not; only a good one can be read. It cannot be copied or moved. Its memory grows
/// with the longest document that it parses, and is reused for the next.
class Document {
 public:
  /// Nothing was parsed: not good.
  Document();
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  /// Parses `bytes`, which need no padding and need not outlive the call. True if the document is good;
  /// otherwise, `problem` and `error` say why not. The previous content is lost either way.
  [[nodiscard]] bool parse(std::string_view bytes);

  /// The problem; none if the document is good.
  [[nodiscard]] Optional<DocumentProblem> problem() const noexcept { return problem_; }

  /// The first problem for a person, with its place. Call it only if there is a problem.
  [[nodiscard]] const FieldError& error() const noexcept { return error_; }

 private:
  friend class DocumentAccess;
  struct Impl;

  bool fail(DocumentProblem problem, FieldError error);

  Impl* impl_ = nullptr;  ///< created by the first `parse`
  Optional<DocumentProblem> problem_;
  FieldError error_;
};

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/raw_message.hpp

/// JSON that no value type describes. `decode` reads it and `encode` writes it back.

namespace SCHEDPOL_NAMESPACE::json {

/// A part of a document as compact JSON. null is empty.
struct RawMessage {
  std::string json{};
};

/// The members of an object.
using RawObject = std::map<std::string, RawMessage, std::less<>>;

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/decode.hpp

/// Kubernetes JSON to value types:
/// 1. null is absent. A wrong type and a word or number out of range are errors with their field path.
/// 2. Unknown fields are ignored in pods, nodes and workloads. In policies and RBAC objects (outside their
///    metadata) they are errors, because a typo there is a security hole. Policies and RuntimeClasses
///    must have metadata. If `kind` is given, it must be right; if `apiVersion` is given, its group must be
///    right, in any version. The group of a policy is that of `api_version` in its `policy.hpp`;
///    RuntimeClass: `node.k8s.io`; Role, ClusterRole and their bindings: `rbac.authorization.k8s.io`; Node:
///    the core group; Pod and workloads: those of `is_in_group`; SchedulingPolicy, MetadataPolicy,
///    EngineConfiguration: `schedpol.io`, a custom group, or the proposals' `extensions`.
/// 3. Where absent, any and listed differ, `[]` and `{}` are any, but only if they are written empty:
///    `{nodeAffinities: null}` means the same as an absent map.
/// 4. A null in a list or map of a pod is an empty entry, as in the API server. In a policy it is a
///    pattern that matches nothing, or an error if an empty entry would give or permit something.
/// 5. A list of tolerations has at most `max_tolerations`, a list of taints `max_taints`; a pod names at
///    most `max_pod_resources` resources. At most `max_reported_errors` are reported, in document order.
/// 6. SchedulingPolicies may also use the spellings of their proposal: `priorityClasseNames`,
///    `priorityClasseName`, `Kind`, `SchedulerNames`, `SchedulerName`, `spec.allowedAffinities`, and in
///    expressions of defaults `keys: [k]`, `operators: [Op]`. Both spellings of one field are an error.
///
/// Types that can be read; any other does not compile, or does not link if the library is compiled:
/// - Pod, which also reads the pod template of a workload, and its parts: ObjectMeta, PodSpec,
///   Affinity, Toleration, LabelSelector, ...; Node, Taint, Quantity;
/// - engine::StoredObject, from the same documents as Pod;
/// - the types of each system's `policy.hpp` or `rbac.hpp`, scheduling_policy::Options, rbac::User;
/// - std::string, bool, std::int64_t, Texts, Labels, ResourceList, RawMessage, RawObject; a vector
///   of Container, RawMessage, Toleration, Taint, NodeSelectorTerm; std::optional of LabelSelector.

namespace SCHEDPOL_NAMESPACE::json {

/// The value in the bytes, or everything that is wrong. Bytes that are not a document within the limits
/// give one error.
template <class T>
[[nodiscard]] Result<T> decode(std::string_view bytes);

/// The same for a document; a document that is not good gives one error.
template <class T>
[[nodiscard]] Result<T> decode(const Document& document);

/// The kind of an object: its `kind`, or the `Kind` of a SchedulingPolicy (rule 6); empty if it has
/// neither.
[[nodiscard]] std::string kind_of(const RawObject& object);

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/encode.hpp

/// Value types to compact Kubernetes JSON. Absent values are left out, and so are lists without items
/// that are not any; any is written as `[]` or `{}`. Whole objects have their `apiVersion` and `kind`. A
/// pod template is in a workload of its kind with only a name and a namespace. `decode` reads back the
/// same value, with one exception: what lists nothing in a SchedulingPolicy means the same as absent, and
/// is read back as absent.

namespace SCHEDPOL_NAMESPACE::json {

/// The JSON of a value that `decode` reads, or of a part of an answer: FieldError, Violation, Change,
/// PatchOperation, other results of a system (Skipped, Conflict, ...), or a std::vector of any of
/// these. Text that is not UTF-8 is written as it is.
template <class T>
[[nodiscard]] std::string encode(const T& value);

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/evaluate.hpp

/// One entry point for language bindings and offline tests: a request in JSON, a reply in JSON.
///
///     {"id": 1, "op": "quantity.compare", "input": {"a": "1Gi", "b": "1G"}}
///     {"id": 1, "result": {"compare": 1}}
///     {"id": 1, "error": {"code": "InvalidObject", "message": "...", "field": "b"}}
///
/// 1. `id` may be any scalar and is echoed. It is null if it is absent or cannot be read.
/// 2. Members of a request other than `id`, `op` and `input` are ignored; unknown ones in `input` are errors.
/// 3. The `field` of an error is a path in `input`, or the member of the request that is wrong.
/// 4. A request with anything wrong gets an error, never a decision.
/// 5. A list of objects may be what an API server answers to a list request, and its items may be such
///    lists: a `List`, or the `KINDList` of one kind (`PodList`), whose items need not say their kind
///    and version. An item of another kind is an error.
/// 6. What `validate` finds, such as a missing name, is in `errors` of its result, not an error of the request.
///
/// `impl/operations` lists the operations of each system, and those that all share.

namespace SCHEDPOL_NAMESPACE::json {

/// The `code` of an error in a reply.
enum class EvaluateError {
  invalid_json,     ///< the request is not a valid JSON document
  invalid_request,  ///< it is not a request, or a part of it is missing or misspelled
  unknown_op,       ///< there is no such operation
  invalid_object,   ///< a Kubernetes object cannot be read, or a selector cannot be used
  limit_exceeded,   ///< the request exceeds a limit
};

[[nodiscard]] std::string_view to_string(EvaluateError code) noexcept;

/// Answers one request, on one line if the request is on one line. Keeps no state between calls.
[[nodiscard]] std::string evaluate(std::string_view request);

/// The same, but `engine.decide` asks `engine` and takes no `configuration`.
[[nodiscard]] std::string evaluate(std::string_view request, const engine::Engine& engine);

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/extend.hpp

/// What kube-scheduler asks an extender about ResourcePolicies, bytes to bytes:
///
/// 1. The last segment of the path is the verb: `filter`, `prioritize` or `preempt`. Anything else is
///    404, even `bind`: the scheduler binds (`assume_cache.hpp` says why).
/// 2. The names of the protocol's own fields are read in upper or lower case, as Go reads them, and
///    written as in its types (`NodeNames`). A field given in two spellings is an error. Pods and nodes
///    are read as in `decode.hpp`, but only the metadata and the requests of a pod. Unknown fields are
///    ignored.
/// 3. Nodes come either whole (`Nodes`) or by name (`NodeNames`, if the extender is `nodeCacheCapable`),
///    each once. The answer has the same form. Either way, only the state says which labels a node has:
///    those in the request may be older or newer than the ones behind the counts.
/// 4. `filter`: every node is in `Nodes` or `NodeNames`, or with a reason in `FailedAndUnresolvableNodes`:
///    its unit is full or has no room for what the pod requests; it is unknown or in no unit; several
///    policies select the pod, or an invalid one might. `FailedNodes` is empty: kube-scheduler would look
///    for victims on these nodes with its plugins alone. They find that the pod fits without victims, and
///    the scheduler reports an error. A pod that no policy selects fits all nodes.
/// 5. A pod that a policy selects, but whose uid the state does not know, gets no node, because no place
///    could be held for it. The watch may show it in a moment (`is_unknown_pod`).
/// 6. `prioritize`: 0 to 10 for each node, in the order of the request, from the scores normalised over
///    these nodes.
/// 7. `preempt`: the nodes on which the pod would fit without the victims that the scheduler chose, with
///    these victims. A ResourcePolicy deletes no pods, so no victims are added, and no pod is deleted
///    for one whose unit stays full. A victim makes room only if the state knows it as bound to
///    the node.
/// 8. What cannot be read never fits. `filter` answers 200 with no nodes and with `Error`, which the
///    scheduler shows as an event of the pod. The other two have no such field and answer 400 (413
///    beyond the limits). All of them answer this way while no policies are known.
///
/// Source: kube-scheduler, `extender/v1`, and kubernetes, `pkg/scheduler`: `extender.go`,
/// `schedule_one.go` and `framework/preemption/preemption.go`.

namespace SCHEDPOL_NAMESPACE::json {

/// An answer, and what the sender needs to know about it.
struct ExtenderResponse {
  int status = 400;                  ///< the HTTP status
  std::string response{};            ///< always JSON
  std::size_t nodes = 0;             ///< the number of nodes in the request
  std::size_t feasible = 0;          ///< the number of nodes that are left
  std::vector<FieldError> errors{};  ///< why there is no answer; empty if there is one
  bool is_unknown_pod = false;       ///< there is no answer because of rule 5

  /// For `filter`: pass this to `AssumeCache::assume` before any other change of the state, so that the
  /// next pod does not get the same place. Absent if there is no answer.
  std::optional<resource_policy::Assumption> assumption{};
};

/// Answers one request. The content of `document` is lost. Use one document for each thread and all its
/// requests, so that requests share its memory.
[[nodiscard]] ExtenderResponse answer_extender(std::string_view path, std::string_view bytes,
                                               const resource_policy::AssumeCache& state,
                                               Document& document);

/// The same with a document of its own.
[[nodiscard]] ExtenderResponse answer_extender(std::string_view path, std::string_view bytes,
                                               const resource_policy::AssumeCache& state);

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/patch.hpp

/// The JSON Patch (RFC 6902) from a document to the result of an admission. It compares the values
/// before and after, names only what differs, and keeps every field that the value types do not know:
/// 1. What became absent is removed. What was absent or null is added. Anything else is replaced at the
///    level where it differs. Parents that the document lacks are added first.
/// 2. List items are identified by their content. An item keeps its unknown fields if it is in both lists,
///    or if the other list has a related one: with the same key, or with a common requirement among the
///    first `max_compared_requirements`. No other item gets these fields. All other items are replaced,
///    removed or added by the shortest edit; with more than `max_list_edit_cells` pairs, index by index.

namespace SCHEDPOL_NAMESPACE::json {

/// The patch that gives a document the metadata and the scheduling fields of `after`. `document` is the
/// good document from which `before` was decoded. Empty if nothing differs.
[[nodiscard]] Patch make_patch(const Document& document, const Pod& before, const Pod& after);

/// The same for the metadata of any object.
[[nodiscard]] Patch make_patch(const Document& document, const ObjectMeta& before,
                               const ObjectMeta& after);

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/review.hpp

/// AdmissionReview (admission.k8s.io/v1) bytes in, AdmissionReview bytes out: everything of an
/// admission webhook except its socket.
///
/// 1. CREATE of a Pod or of a workload with a pod template is changed and decided on, and so is UPDATE of
///    a workload if its template differs. UPDATE of a Pod is decided on for what it adds, and gets back
///    what it lacks and the pod had been given. If MetadataPolicy runs, the metadata of every object in a
///    namespace is also changed and decided on, at CREATE and UPDATE. DELETE, CONNECT and subresources
///    pass. A dry run is answered like any other request. CREATE of a policy, or UPDATE of its spec, is
///    denied with code 422 and the policy's own field paths if the policy cannot be read or `validate`
///    finds errors. Otherwise the adviser's findings about it are warnings. Roles, bindings and
///    RuntimeClasses, which the API server validates, are not policies here; nor are objects of another
///    group with the name of a policy (`engine::is_policy`).
/// 2. A denial has a status with code 403. Its message says everything that is wrong and ends with the
///    nearest fix, if the adviser has one with few edits. Its details have one cause, a code and a field,
///    for each violation. Both have at most `max_reported_errors`, and count the rest. Without an adviser
///    (`insight/adviser.hpp`), a review only decides.
/// 3. The patch, an RFC 6902 JSON Patch in base64, is relative to the object of the request. It leaves
///    every field unchanged that the library does not know.
/// 4. `warnings` say what systems in mode `warn` would have denied, what a PodSchedulingPolicy left out as
///    conflicting with the pod, what no node can meet, and which labels of a MetadataPolicy a workload's
///    own selector does not match. `auditAnnotations` say which policy changed what, and what was or
///    would have been denied. No text is in two of them.
/// 5. An object of a custom kind with paths in the configuration (`engine::TemplatePath`) is changed and decided
///    on like a workload, each pod template like that of a PodTemplate with the object's name. All must be
///    allowed. An updated template is compared with the old one at the same path; a list item with the item of
///    the same `name`, or without a name, of the same index. If two items have the same name, the second is new.
///    A missing template is not decided on. What is not a PodTemplateSpec cannot be read, such as an object with
///    fields of a pod's spec beside the spec.
/// 6. What cannot be read is denied with code 400 (413 beyond the limits), and with the `uid` if that could be
///    read. So is an object or old object with another kind or API group than `request.kind`, the kind as
///    which the API server sends it. `request.requestKind`, the kind that the client sent, may differ.
///    Annotations, containers and objects other than pods are read only if a system that runs needs them.
///    The template of a workload is not read if another workload controls it, or if UPDATE does not change
///    the template.
///
/// Source: Kubernetes' dynamic admission control.

namespace SCHEDPOL_NAMESPACE::json {

/// The outcome of a review.
enum class Outcome {
  malformed,  ///< denied because it could not be read; `errors` say why
  denied,     ///< denied by a system, or an invalid policy; for a policy, `errors` say why
  allowed,    ///< allowed by all systems, with a patch if they changed something
  passed,     ///< allowed because no system decides on such an object
};

[[nodiscard]] std::string_view to_string(Outcome outcome) noexcept;

/// A response, and data for callers that keep metrics or answer errors in their own way.
struct ReviewResult {
  Outcome outcome = Outcome::malformed;
  std::string response{};  ///< always an AdmissionReview
  std::string uid{};       ///< the `uid` of the response; empty if it could not be read
  std::vector<FieldError> errors{};
  /// The decisions of the systems, for example to see which policies denied the object.
  std::vector<engine::StepDecision> steps{};
  /// For a denial, the objects that the engine did not know (`engine::Decision::unknown`). If there are any,
  /// a caller that watches a cluster can wait until an engine knows them, and ask again.
  std::vector<engine::UnknownObject> unknown{};
};

/// Answers an AdmissionReview. Any other bytes get a denial, too; by `outcome` and `errors`, the caller can
/// answer an error of its own instead. `phase` says which webhook asks.
[[nodiscard]] ReviewResult try_review(std::string_view bytes, const engine::Engine& engine,
                                      engine::Phase phase = engine::Phase::mutating,
                                      const engine::Adviser& adviser = engine::Adviser());

/// The same. The content of `document` is lost. Use one document for each thread and all its reviews, so
/// that reviews share its memory.
[[nodiscard]] ReviewResult try_review(std::string_view bytes, const engine::Engine& engine,
                                      engine::Phase phase, Document& document,
                                      const engine::Adviser& adviser = engine::Adviser());

/// The response alone: a denial if the bytes cannot be read.
[[nodiscard]] std::string review(std::string_view bytes, const engine::Engine& engine,
                                 engine::Phase phase = engine::Phase::mutating,
                                 const engine::Adviser& adviser = engine::Adviser());

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/suggestion.hpp

/// The results of `engine::suggest` and `engine::prove` as JSON:
///
///     {"policies": [...], "roles": [...], "bindings": [...],
///      "entries": [{"policy": "gpu-tolerations-fad5", "entry": "allowed.tolerations[0]",
///                   "value": "{keys: [gpu], operators: [Exists], effects: [NoSchedule]}",
///                   "pods": 412, "others": 3, "accounts": 2,
///                   "example": {"kind": "Deployment", "namespace": "ml", "name": "train"},
///                   "nodes": {"count": 14, "all": 403}, "preempted": {"count": 7, "all": 500}}],
///      "undecided": [NEED], "unsatisfiable": [NEED], "excess": 0,
///      "fragile": {"owners": 40, "denied": 3},
///      "proof": {"allowed": 415, "denied": [NEED], "undecided": [NEED], "entries": 9, "subjects": 4,
///                "needlessEntries": [{"policy": "p", "entry": "allowed.schedulerNames[0]"}],
///                "needlessSubjects": [{"namespace": "ml", "binding": "b", "subject": "ml/train"}]}}
///
/// An entry has `heard` (how often a webhook heard of it), `nodes` and `preempted` if they are known. A NEED is
/// `{"owner": {"kind", "namespace", "name"}, "pods": 1, "reason": "...", "violations": [...]}`, without an empty
/// `reason` or `violations`. ClusterRoleBindings come before RoleBindings. All needs together have at most
/// `max_reported_violations` violations; `moreViolations` of a need counts those that are left out.

namespace SCHEDPOL_NAMESPACE::json {

/// The whole document as compact JSON.
[[nodiscard]] std::string encode(const engine::Suggestion& suggestion);
/// Its member `proof` alone.
[[nodiscard]] std::string encode(const engine::Proof& proof);

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/templates.hpp

/// Reads the pod templates of an object of a custom kind, by the paths of a configuration, for
/// `engine::decide_templates`:
///
/// 1. A path that leads to nothing, or to null, has no template. A value on the path or at its end that is not
///    an object or list is an error. So is a field of a pod's spec beside the spec: only a whole
///    PodTemplateSpec is supported.
/// 2. For an update, only templates that differ are read. Each is compared with the old one at the same path;
///    a list item with the item of the same `name`, or without a name, of the same index. If two items have
///    the same name, the second is new.
///
/// Source: what `json::review` does with such an object.

namespace SCHEDPOL_NAMESPACE::json {

/// The JSON of an object, and its path for errors.
struct LocatedObject {
  std::string_view json{};
  FieldPath at{};
};

/// The requests about the templates of an object, by the `paths` for its kind and group, or everything that
/// is wrong. `old` is for an update; if its JSON is empty, there is no old object. The caller fills in the
/// requester, and the namespace if the object names none.
[[nodiscard]] Result<std::vector<engine::TemplateRequest>> read_templates(
    const LocatedObject& object, std::span<const engine::TemplatePath> paths,
    const LocatedObject& old = {});

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json.hpp

/// All of schedpol's JSON, on top of `schedpol.hpp`.

#endif  // SCHEDPOL_SINGLE_INCLUDE_JSON

#if (!defined(SCHEDPOL_COMPILED) || defined(SCHEDPOL_IMPLEMENTATION)) && !defined(SCHEDPOL_SINGLE_INCLUDE_JSON_BODIES)
#define SCHEDPOL_SINGLE_INCLUDE_JSON_BODIES

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// schedpol/json/impl/elements.hpp

/// The elements of a document: one entry for each value and key, in order. Strings and numbers refer to
/// parts of its text.

namespace SCHEDPOL_NAMESPACE::json::detail {

enum class ElementKind : std::uint32_t {
  absent,  ///< there is nothing
  null,
  no,
  yes,
  integer,  ///< without fraction and exponent, and of 64 bits
  real,     ///< any other number
  string,
  list,
  object,
};

/// A value or a key. It holds nothing until it is made.
class Entry {
  static constexpr std::uint32_t kind_shift = 28;  ///< texts have fewer bytes than 2 to this

 public:
  Entry() noexcept = default;

  /// A string or number of `size` bytes from `at` on in the text; a word has none.
  constexpr Entry(ElementKind kind, std::size_t at, std::size_t size) noexcept
      : head_(static_cast<std::uint32_t>(kind) << kind_shift | static_cast<std::uint32_t>(at)),
        tail_(static_cast<std::uint32_t>(size)) {}

  /// A list of so many items, or an object of so many members, with all the entries in it.
  static Entry container(ElementKind kind, std::size_t count, std::size_t inside) noexcept {
    return {kind, count, inside};
  }

  [[nodiscard]] ElementKind kind() const noexcept {
    return static_cast<ElementKind>(head_ >> kind_shift);
  }
  [[nodiscard]] std::string_view text(const char* text) const noexcept {
    return {text + low(), tail_};
  }
  [[nodiscard]] std::size_t size() const noexcept { return tail_; }
  [[nodiscard]] std::size_t count() const noexcept { return low(); }

  /// The entry behind all of this one.
  [[nodiscard]] const Entry* next() const noexcept {
    constexpr auto first_container = static_cast<std::uint32_t>(ElementKind::list) << kind_shift;
    return this + 1 + (head_ >= first_container ? tail_ : 0U);
  }

 private:
  [[nodiscard]] std::uint32_t low() const noexcept {
    return head_ & ((std::uint32_t{1} << kind_shift) - 1U);
  }

  std::uint32_t head_;  ///< the kind, and a place in the text or a count
  std::uint32_t tail_;  ///< a number of bytes or of entries
};

/// The entry of what is not there.
inline constexpr Entry no_entry(ElementKind::absent, 0, 0);

struct ElementMember;
template <class Inside>
class ElementRange;

/// A value in a document; valid as long as the document stays as it is. One that is not there is an
/// element too, of which nothing can be read.
class Element {
 public:
  Element() noexcept = default;
  Element(const char* text, const Entry* entry) noexcept : text_(text), entry_(entry) {}

  [[nodiscard]] ElementKind kind() const noexcept { return entry_->kind(); }
  [[nodiscard]] bool is_there() const noexcept { return kind() != ElementKind::absent; }
  [[nodiscard]] bool is_null() const noexcept { return kind() == ElementKind::null; }
  [[nodiscard]] bool is_string() const noexcept { return kind() == ElementKind::string; }
  [[nodiscard]] bool is_list() const noexcept { return kind() == ElementKind::list; }
  [[nodiscard]] bool is_object() const noexcept { return kind() == ElementKind::object; }
  [[nodiscard]] bool is_number() const noexcept {
    return kind() == ElementKind::integer || kind() == ElementKind::real;
  }

  /// The value of a member of this object; of the first one where several have the key.
  [[nodiscard]] Element operator[](std::string_view key) const noexcept;

  /// The same, where null says no more than absence.
  [[nodiscard]] Element non_null(std::string_view key) const noexcept {
    const Element value = (*this)[key];
    return value.is_null() ? Element() : value;
  }

  /// The value that these members lead to, one in the other.
  [[nodiscard]] Element below(std::span<const std::string_view> keys) const noexcept {
    Element found = *this;
    for (const std::string_view key : keys) found = found[key];
    return found;
  }

  /// What the string says, or the digits of the number. Only of those.
  [[nodiscard]] std::string_view text() const noexcept { return entry_->text(text_); }

  /// What it holds; false where that is something else.
  [[nodiscard]] bool get(std::string_view& into) const noexcept {
    if (!is_string()) return false;
    into = text();
    return true;
  }
  [[nodiscard]] bool get(bool& into) const noexcept {
    if (kind() != ElementKind::yes && kind() != ElementKind::no) return false;
    into = kind() == ElementKind::yes;
    return true;
  }
  [[nodiscard]] bool get(std::int64_t& into) const noexcept {
    if (kind() != ElementKind::integer) return false;
    std::from_chars(text().data(), text().data() + text().size(), into);
    return true;
  }

  /// What stands in the list, or in the object; nothing where it is something else.
  [[nodiscard]] ElementRange<Element> items() const noexcept;
  [[nodiscard]] ElementRange<ElementMember> members() const noexcept;

 private:
  const char* text_ = nullptr;
  const Entry* entry_ = &no_entry;
};

/// What stands there, for a person.
[[nodiscard]] inline std::string_view type_of(Element from) noexcept {
  switch (from.kind()) {
    case ElementKind::list: return "a list";
    case ElementKind::object: return "an object";
    case ElementKind::string: return "a string";
    case ElementKind::yes:
    case ElementKind::no: return "true or false";
    case ElementKind::null: return "null";
    case ElementKind::absent: return "nothing";
    case ElementKind::integer:
    case ElementKind::real: break;
  }
  return "a number";
}

struct ElementMember {
  std::string_view key;
  Element value;
};

/// What stands in a list or an object, in its order: values, or members, which have an entry for the
/// key before that of the value.
template <class Inside>
class ElementRange {
  static constexpr bool has_keys = std::is_same_v<Inside, ElementMember>;

 public:
  class Iterator {
   public:
    Iterator(const char* text, const Entry* at) noexcept : text_(text), at_(at) {}

    [[nodiscard]] Inside operator*() const noexcept {
      if constexpr (has_keys) {
        return {at_->text(text_), {text_, at_ + 1}};
      } else {
        return {text_, at_};
      }
    }
    Iterator& operator++() noexcept {
      at_ = (has_keys ? at_ + 1 : at_)->next();
      return *this;
    }
    [[nodiscard]] bool operator==(const Iterator& other) const noexcept { return at_ == other.at_; }

   private:
    const char* text_;
    const Entry* at_;
  };

  ElementRange() noexcept = default;
  ElementRange(const char* text, const Entry* around) noexcept : text_(text), around_(around) {}

  [[nodiscard]] std::size_t size() const noexcept { return around_->count(); }
  [[nodiscard]] Iterator begin() const noexcept { return {text_, around_ + 1}; }
  [[nodiscard]] Iterator end() const noexcept { return {text_, around_ + 1 + around_->size()}; }

 private:
  const char* text_ = nullptr;
  const Entry* around_ = &no_entry;
};

using ElementItems = ElementRange<Element>;
using ElementMembers = ElementRange<ElementMember>;

inline ElementItems Element::items() const noexcept {
  return is_list() ? ElementItems(text_, entry_) : ElementItems();
}

inline ElementMembers Element::members() const noexcept {
  return is_object() ? ElementMembers(text_, entry_) : ElementMembers();
}

inline Element Element::operator[](std::string_view key) const noexcept {
  for (const ElementMember member : members())
    if (member.key == key) return member.value;
  return {};
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/strings.hpp

/// The parts of a JSON string: plain bytes, whose end is found many bytes at a time, and sequences of
/// several bytes: escapes and UTF-8. Sources: RFC 8259, section 7; RFC 3629, section 4.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Whether a byte of a string stands for itself and ends no run of those that do: all but control
/// characters, `"`, the backslash, and what is not of ASCII.
[[nodiscard]] inline bool is_plain_ascii(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

/// Bytes that are looked at together: 0 where all of them are plain, else the high bit of each that
/// is not, right as far as the first of these.
inline constexpr std::size_t block_bytes = 8;
[[nodiscard]] inline std::uint64_t ends_in_block(const char* at) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  std::uint64_t eight = 0;
  std::memcpy(&eight, at, block_bytes);
  // A byte less a bound has its high bit set where it was below the bound, or had it set before:
  // true of the first such byte at least, from which others borrow. `^ 0x02` makes 0x20 of `"` and
  // 0x22 of a space, and leaves control characters below 0x20: so `"` and they are below 0x21.
  const std::uint64_t below =
      ((eight ^ ones * 0x02) - ones * 0x21) | ((eight ^ ones * '\\') - ones);
  return (below | eight) & ones * 0x80;
}

/// The first byte from `at` on that is not. There has to be one, and `block_bytes` that may be read
/// behind it.
[[nodiscard]] inline const char* end_of_plain(const char* at) noexcept {
  std::uint64_t ends = 0;
  while ((ends = ends_in_block(at)) == 0) at += block_bytes;
  if constexpr (std::endian::native == std::endian::little)
    return at + static_cast<unsigned>(std::countr_zero(ends)) / 8U;
  while (is_plain_ascii(*at)) ++at;
  return at;
}

/// Behind the UTF-8 sequence of two to four bytes that begins at `at`; null where that is none: cut
/// short, longer than it has to be, a surrogate, beyond Unicode. Reads on only as far as it is one.
[[nodiscard]] inline const char* end_of_sequence(const char* at) noexcept {
  const auto byte = [at](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  const auto continues = [byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0xC2 || first > 0xF4 || !continues(1)) return nullptr;
  if (first < 0xE0) return at + 2;
  if (!continues(2)) return nullptr;
  if (first < 0xF0) {
    const bool is_overlong = first == 0xE0 && second < 0xA0;
    const bool is_surrogate = first == 0xED && second >= 0xA0;
    return is_overlong || is_surrogate ? nullptr : at + 3;
  }
  if (!continues(3)) return nullptr;
  const bool is_overlong = first == 0xF0 && second < 0x90;
  const bool is_beyond = first == 0xF4 && second >= 0x90;
  return is_overlong || is_beyond ? nullptr : at + 4;
}

/// Writes a code point, in fewer bytes than its escape has.
[[nodiscard]] inline char* write_utf8(char* to, std::uint32_t point) noexcept {
  const auto write = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (point < 0x80) {
    write(point);
  } else if (point < 0x800) {
    write(0xC0U | point >> 6U);
  } else if (point < 0x10000) {
    write(0xE0U | point >> 12U);
  } else {
    write(0xF0U | point >> 18U);
    write(0x80U | (point >> 12U & 0x3FU));
  }
  if (point >= 0x800) write(0x80U | (point >> 6U & 0x3FU));
  if (point >= 0x80) write(0x80U | (point & 0x3FU));
  return to;
}

/// The code unit that four hexadecimal digits are; none where one of them is no digit.
inline constexpr std::uint32_t no_unit = 0x10000;
[[nodiscard]] inline std::uint32_t code_unit(const char* at) noexcept {
  std::uint32_t unit = 0;
  return std::from_chars(at, at + 4, unit, 16).ptr == at + 4 ? unit : no_unit;
}

/// Writes what the escape at `at` says, and returns what is behind it; null where it is malformed.
/// Both may be in one text, as no escape is shorter than what it says.
[[nodiscard]] inline const char* read_escape(const char* at, char*& to) noexcept {
  constexpr std::string_view escapes = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  if (at[1] != 'u') {
    const std::size_t known = escapes.find(at[1]);
    if (known == std::string_view::npos) return nullptr;
    *to++ = meanings[known];
    return at + 2;
  }
  std::uint32_t point = code_unit(at + 2);
  at += 6;
  if (point == no_unit || (point >= 0xDC00 && point < 0xE000)) return nullptr;
  if (point >= 0xD800 && point < 0xDC00) {
    if (at[0] != '\\' || at[1] != 'u') return nullptr;
    const std::uint32_t low = code_unit(at + 2);
    if (low < 0xDC00 || low >= 0xE000) return nullptr;
    point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
    at += 6;
  }
  to = write_utf8(to, point);
  return at;
}

/// What stands between the quotes of a string of a good document.
[[nodiscard]] inline std::string unescaped(std::string_view written) {
  std::string text(written);
  char* to = text.data();
  const char* at = to;
  for (const char* const end = at + text.size(); at != end;) {
    if (*at == '\\') {
      at = read_escape(at, to);
    } else {
      *to++ = *at++;
    }
  }
  text.resize(static_cast<std::size_t>(to - text.data()));
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/reader.hpp

/// Reads JSON: all of RFC 8259, in UTF-8, in one pass. What it takes beyond other readers, and what
/// less:
/// 1. A number has any size and any digits; it is kept as the text it was written in.
/// 2. A byte order mark is no white space (section 8.1 lets a reader choose), nor is a zero.
/// 3. A surrogate without the other one of its pair is refused: there is no UTF-8 for it.

namespace SCHEDPOL_NAMESPACE::json::detail {

using schedpol::detail::PathBuilder;

/// Finds a key that an object has twice, in n log n of its keys.
class DuplicateKey {
 public:
  /// So many keys are compared where they share a place, more are sorted.
  static constexpr std::size_t few = 32;

  [[nodiscard]] bool is_in(ElementMembers object) { return find(object).data() != nullptr; }

  /// Where the first one is: those inside an object come before its own, and of its own the first
  /// in byte order. Nothing where every key is there once.
  [[nodiscard]] std::optional<FieldPath> place_in(const PathBuilder& at, Element element) {
    std::size_t index = 0;
    for (const Element item : element.items())
      if (auto place = place_in(at.index(index++), item)) return place;
    for (const ElementMember member : element.members())
      if (auto place = place_in(at.child(member.key), member.value)) return place;
    const std::string_view twice = find(element.members());
    if (twice.data() != nullptr) return at.child(twice).path();
    return std::nullopt;
  }

 private:
  /// The first in byte order; nowhere where all are there once.
  [[nodiscard]] std::string_view find(ElementMembers object) {
    keys_.clear();
    for (const ElementMember member : object) keys_.push_back(member.key);
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    return twice == keys_.end() ? std::string_view() : *twice;
  }

  std::vector<std::string_view> keys_;  ///< memory that is used again
};

/// Reads one text, which it changes: strings that have escapes are there without, and are shorter.
class Reader {
 public:
  /// Zeros that have to stand behind the text, where reading stops.
  static constexpr std::size_t padding = 64;

  /// The entries that a text of so many bytes has at most. An entry has a byte of its own, and
  /// another: the comma or colon before it, or, where it is the first in a list or object, the
  /// bracket that closes that; but for the root, and for what is not closed yet.
  static constexpr std::size_t most_entries(std::size_t bytes) noexcept {
    return (bytes + max_document_depth) / 2 + 2;
  }

  Reader(char* text, std::size_t bytes, DuplicateKey& duplicate_key)
      : text_(text), bytes_(bytes), duplicate_key_(duplicate_key) {}

  /// What is wrong with a text of nothing but white space.
  static constexpr std::string_view nothing = "there is nothing";

  /// False where the text is no JSON or nests too deep. A key that an object has twice stops nothing.
  [[nodiscard]] bool read(Entry* next) {
    Level levels[max_document_depth + 1];
    Level* level = levels;
    level->begin(next, '\0');
    const char* at = text_;
    while (true) {
      // An item, a member or the whole document begins here.
      if (level->end == '}') {
        if (!is_next(at, '"')) return fail(at, "a key in quotes has to stand here");
        const char* const key = at + 1;
        at = read_string(key, *next);
        if (at == nullptr) return false;
        const std::uint64_t bit = bit_of(key, next->size());
        if ((level->key_bits & bit) != 0 && repeats(*level, next)) has_duplicate_key_ = true;
        level->key_bits |= bit;
        ++next;
        if (!is_next(at, ':')) return fail(at, "a colon has to stand here");
        ++at;
      }
      if (*at != '"') at = skip_space(at);
      if (*at == '"') {
        at = read_string(at + 1, *next);
      } else if (*at == '{' || *at == '[') {
        if (level == levels + max_document_depth) return fail_too_deep();
        const char end = *at == '{' ? '}' : ']';
        ++at;
        if (!is_next(at, end)) {
          ++level;
          level->begin(next++, end);
          continue;
        }
        *next = Entry::container(kind_of(end), 0, 0);
        ++at;
      } else {
        at = read_scalar(at, *next);
      }
      if (at == nullptr) return false;
      ++next;
      // It ended here, and with it all that now ends.
      while (true) {
        if (*at == ',' && level != levels) {
          ++level->commas;
          ++at;
          break;
        }
        if (*at != level->end) {
          if (!is_space(*at)) return fail(at, level == levels ? something_behind : no_comma);
          at = skip_space(at);
          continue;
        }
        if (level == levels) return at == text_ + bytes_ || fail(at, something_behind);
        close(*level, next);
        --level;
        ++at;
      }
    }
  }

  /// Whether an object has a key twice. Only where the text was read.
  [[nodiscard]] bool has_duplicate_key() const noexcept { return has_duplicate_key_; }

  /// Whether it nests deeper than a document may. Only where the text was not read; else it is wrong.
  [[nodiscard]] bool is_too_deep() const noexcept { return is_too_deep_; }

  /// What is wrong, and at which byte. Only where the text is no JSON.
  [[nodiscard]] std::string_view wrong() const noexcept { return wrong_; }
  [[nodiscard]] std::size_t wrong_at() const noexcept { return wrong_at_; }

 private:
  /// A list or object that is being read, and what is around them all, which ends with a zero.
  struct Level {
    Entry* entry;
    std::size_t commas;
    std::uint64_t key_bits;  ///< of the keys of an object
    char end;

    void begin(Entry* at, char ends_with) noexcept {
      entry = at;
      commas = 0;
      key_bits = 0;
      end = ends_with;
    }
  };

  bool fail(const char* at, std::string_view wrong) noexcept {
    wrong_at_ = place(at);
    wrong_ = wrong_at_ < bytes_                   ? wrong
             : place(skip_space(text_)) == bytes_ ? nothing
                                                  : "it ends before it is complete";
    return false;
  }
  bool fail_too_deep() noexcept {
    is_too_deep_ = true;
    return false;
  }
  const char* no_end(const char* at, std::string_view wrong) noexcept {
    fail(at, wrong);
    return nullptr;
  }

  [[nodiscard]] static ElementKind kind_of(char end) noexcept {
    return end == '}' ? ElementKind::object : ElementKind::list;
  }

  [[nodiscard]] static bool is_space(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
  }
  [[nodiscard]] static const char* skip_space(const char* at) noexcept {
    while (static_cast<unsigned char>(*at) <= ' ' && is_space(*at)) ++at;
    return at;
  }
  /// Whether this is the next that is no space.
  [[nodiscard]] static bool is_next(const char*& at, char wanted) noexcept {
    if (*at == wanted) return true;
    at = skip_space(at);
    return *at == wanted;
  }

  [[nodiscard]] std::size_t place(const char* at) const noexcept {
    return static_cast<std::size_t>(at - text_);
  }

  /// One of 64, the same for equal keys. Those of one object tend to differ in their length, their
  /// beginning or their end; of an empty one both are its quotes. Of the objects of Kubernetes hardly
  /// two keys share one with these factors.
  [[nodiscard]] static std::uint64_t bit_of(const char* key, std::size_t size) noexcept {
    const auto byte = [](const char* at) -> std::size_t { return static_cast<unsigned char>(*at); };
    return std::uint64_t{1} << ((size * 2U + byte(key) * 8U + byte(key + size - 1)) & 63U);
  }

  /// Whether the last key of an object is there before; of one with many keys that is found in the
  /// end.
  [[nodiscard]] bool repeats(const Level& level, const Entry* key) const noexcept {
    if (level.commas >= DuplicateKey::few) return false;
    for (const Entry* other = level.entry + 1; other != key; other = (other + 1)->next())
      if (other->text(text_) == key->text(text_)) return true;
    return false;
  }

  void close(const Level& level, const Entry* next) {
    const auto inside = static_cast<std::size_t>(next - level.entry) - 1;
    *level.entry = Entry::container(kind_of(level.end), level.commas + 1, inside);
    if (level.commas >= DuplicateKey::few && level.end == '}' &&
        duplicate_key_.is_in({text_, level.entry}))
      has_duplicate_key_ = true;
  }

  /// What reads a part returns what is behind it; null where the part is wrong.
  [[nodiscard]] const char* read_string(const char* begin, Entry& into) {
    const char* const end = end_of_plain(begin);
    if (*end != '"') return read_unplain(begin, end, into);
    into = {ElementKind::string, place(begin), static_cast<std::size_t>(end - begin)};
    return end + 1;
  }

  /// A string whose first byte that is not plain is at `at`. What it says is written over it.
  [[nodiscard]] const char* read_unplain(const char* begin, const char* at, Entry& into) {
    char* to = text_ + place(at);
    while (*at != '"') {
      const char* const part = at;
      if (*at == '\\') {
        at = read_escape(at, to);
        if (at == nullptr) return no_end(part, "an escape is malformed");
      } else if (static_cast<unsigned char>(*at) < 0x80) {
        return no_end(at, "a control character stands in a string");
      } else {
        at = end_of_sequence(at);
        if (at == nullptr) return no_end(part, "it is not UTF-8");
        to = move_bytes(to, part, at);
      }
      const char* const plain = at;
      at = end_of_plain(plain);
      to = move_bytes(to, plain, at);
    }
    into = {ElementKind::string, place(begin), static_cast<std::size_t>(to - begin)};
    return at + 1;
  }

  /// Returns where the bytes end now.
  static char* move_bytes(char* to, const char* begin, const char* end) noexcept {
    const auto bytes = static_cast<std::size_t>(end - begin);
    std::memmove(to, begin, bytes);
    return to + bytes;
  }

  [[nodiscard]] const char* read_scalar(const char* at, Entry& into) {
    switch (*at) {
      case 't': return read_word(at, "true", ElementKind::yes, into);
      case 'f': return read_word(at, "false", ElementKind::no, into);
      case 'n': return read_word(at, "null", ElementKind::null, into);
      default: return read_number(at, into);
    }
  }

  [[nodiscard]] const char* read_word(const char* at, std::string_view word, ElementKind kind,
                                      Entry& into) {
    if (std::memcmp(at, word.data(), word.size()) != 0) return no_end(at, no_value);
    into = {kind, 0, 0};
    return at + word.size();
  }

  [[nodiscard]] const char* read_number(const char* begin, Entry& into) {
    constexpr std::ptrdiff_t short_digits = 18;  // which 64 bits hold
    const char* const digits = begin + (*begin == '-' ? 1 : 0);
    const char* at = skip_digits(digits);
    if (at == digits) return no_end(begin, digits == begin ? no_value : malformed_number);
    if (*digits == '0' && at - digits > 1) return no_end(begin, malformed_number);
    ElementKind kind = ElementKind::integer;
    if (*at == '.' || *at == 'e' || *at == 'E') {
      kind = ElementKind::real;
      at = end_of_real(at);
      if (at == nullptr) return no_end(begin, malformed_number);
    } else if (at - digits > short_digits) {
      const std::string_view whole(begin, static_cast<std::size_t>(at - begin));
      if (!schedpol::detail::plain_int64(whole)) kind = ElementKind::real;
    }
    into = {kind, place(begin), static_cast<std::size_t>(at - begin)};
    return at;
  }

  [[nodiscard]] static const char* skip_digits(const char* at) noexcept {
    while (*at >= '0' && *at <= '9') ++at;
    return at;
  }

  /// Behind the fraction and the exponent, of which there is one; null where that is malformed.
  [[nodiscard]] static const char* end_of_real(const char* at) noexcept {
    if (*at == '.') {
      const char* const fraction = at + 1;
      at = skip_digits(fraction);
      if (at == fraction) return nullptr;
    }
    if (*at != 'e' && *at != 'E') return at;
    const char* const exponent = at + (at[1] == '+' || at[1] == '-' ? 2 : 1);
    at = skip_digits(exponent);
    return at == exponent ? nullptr : at;
  }

  static constexpr std::string_view something_behind = "something stands behind the value";
  static constexpr std::string_view no_comma =
      "a comma or the end of the list or object has to stand here";
  static constexpr std::string_view no_value = "a value has to stand here";
  static constexpr std::string_view malformed_number = "a number is malformed";

  char* text_;
  std::size_t bytes_;
  DuplicateKey& duplicate_key_;
  bool has_duplicate_key_ = false;
  bool is_too_deep_ = false;
  std::string_view wrong_;
  std::size_t wrong_at_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/document.ipp

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

inline FieldError not_json(const std::string& place, std::string_view wrong) {
  return {ErrorType::invalid, {}, "", "not valid JSON" + place + ": " + std::string(wrong)};
}

/// That what stands at a place is longer, or nests deeper, than a document may.
inline FieldError too_long(FieldPath place) {
  return {ErrorType::too_long, std::move(place), "",
          "a document has at most " + std::to_string(max_document_bytes) + " bytes"};
}
inline FieldError too_deep(FieldPath place) {
  return {ErrorType::too_many, std::move(place), "",
          "a document nests at most " + std::to_string(max_document_depth) + " levels"};
}

}  // namespace detail

struct Document::Impl {
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { delete[] entries; }

  void make_room(std::size_t for_bytes) {
    const std::size_t most = detail::Reader::most_entries(for_bytes);
    if (most <= room) return;
    delete[] std::exchange(entries, nullptr);
    room = 0;
    entries = new detail::Entry[most];
    room = most;
  }

  [[nodiscard]] detail::Element root() const noexcept { return {text.data(), entries}; }

  std::size_t bytes = 0;             ///< of the document
  std::string text;                  ///< what the elements are parts of
  detail::Entry* entries = nullptr;  ///< owned, and not a vector's: that would write them all first
  std::size_t room = 0;              ///< entries
  detail::DuplicateKey duplicate_key;
};

/// What the bodies of `json/` see of a document: its elements, which no public header names.
class DocumentAccess {
 public:
  /// The whole document; nothing where it is not good.
  [[nodiscard]] static detail::Element root(const Document& document) {
    return document.problem_ ? detail::Element() : document.impl_->root();
  }

  /// How many bytes it was read from.
  [[nodiscard]] static std::size_t bytes(const Document& document) { return document.impl_->bytes; }

  /// The same as `root`, also where a duplicate key is all that is wrong: for what is echoed, not decided on.
  [[nodiscard]] static detail::Element ambiguous_root(const Document& document) {
    const bool is_there = document.problem_.value_or(DocumentProblem::duplicate_key) ==
                          DocumentProblem::duplicate_key;
    return is_there ? document.impl_->root() : detail::Element();
  }
};

SCHEDPOL_INLINE Document::Document() {
  fail(DocumentProblem::invalid_json, detail::not_json("", detail::Reader::nothing));
}

SCHEDPOL_INLINE Document::~Document() {
  delete impl_;
}

SCHEDPOL_INLINE bool Document::fail(DocumentProblem problem, FieldError error) {
  problem_ = problem;
  error_ = std::move(error);
  return false;
}

SCHEDPOL_INLINE bool Document::parse(std::string_view bytes) {
  if (bytes.size() > max_document_bytes)
    return fail(DocumentProblem::limit_exceeded, detail::too_long({}));
  if (impl_ == nullptr) impl_ = new Impl;
  problem_ = DocumentProblem::invalid_json;  // also where memory runs out on the way
  auto& [size, text, entries, room, duplicate_key] = *impl_;
  size = bytes.size();
  impl_->make_room(size);
  text.reserve(size + detail::Reader::padding);
  text.assign(bytes).append(detail::Reader::padding, '\0');
  detail::Reader reader(text.data(), size, duplicate_key);
  if (!reader.read(entries)) {
    if (reader.is_too_deep()) return fail(DocumentProblem::limit_exceeded, detail::too_deep({}));
    const bool is_empty = reader.wrong() == detail::Reader::nothing;
    return fail(DocumentProblem::invalid_json,
                detail::not_json(is_empty ? "" : " at byte " + std::to_string(reader.wrong_at()),
                                 reader.wrong()));
  }
  if (reader.has_duplicate_key()) {
    return fail(DocumentProblem::duplicate_key,
                {ErrorType::duplicate,
                 duplicate_key.place_in({}, {text.data(), entries}).value_or(FieldPath{}), "",
                 "the key is there more than once"});
  }
  problem_.reset();
  return true;
}

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/element_equal.hpp

/// Whether two values are equal by RFC 6902, section 4.6: strings by their characters, numbers by
/// value, lists item by item, objects with their members in any order.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// A JSON number as the digits that matter and a power of ten.
struct Decimal {
  bool negative = false;
  std::string digits{};  ///< without zeros at either end; none is zero
  std::int64_t power = 0;

  explicit Decimal(std::string_view number) {
    negative = number.starts_with('-');
    const std::size_t exponent = number.find_first_of("eE");
    if (exponent != std::string_view::npos) power = read_power(number.substr(exponent + 1));
    bool is_fraction = false;
    for (const char c : number.substr(0, exponent)) {
      if (c == '.') is_fraction = true;
      if (c < '0') continue;  // a sign, the point
      digits += c;
      if (is_fraction) --power;
    }
    digits.erase(0, digits.find_first_not_of('0'));
    while (!digits.empty() && digits.back() == '0') {
      digits.pop_back();
      ++power;
    }
    if (!digits.empty()) return;
    power = 0;
    negative = false;
  }

  friend bool operator==(const Decimal&, const Decimal&) = default;

 private:
  /// Beyond all that digits of a document can make up for, where it is out of range.
  static std::int64_t read_power(std::string_view text) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    const auto read = schedpol::detail::signed_int64(text);
    return std::clamp(read.value_or(text.starts_with('-') ? -most : most), -most, most);
  }
};

/// A parsed document has each key once.
[[nodiscard]] inline std::vector<ElementMember> members_by_key(Element object) {
  std::vector<ElementMember> members;
  for (const ElementMember member : object.members()) members.push_back(member);
  std::sort(members.begin(), members.end(),
            [](const ElementMember& a, const ElementMember& b) { return a.key < b.key; });
  return members;
}

/// Costs n log n in what both say.
[[nodiscard]] inline bool is_equal(Element a, Element b) {
  if (a.is_number() && b.is_number())
    return a.text() == b.text() || Decimal(a.text()) == Decimal(b.text());
  if (a.kind() != b.kind()) return false;
  if (a.is_string()) return a.text() == b.text();
  if (a.is_object()) {
    const auto of_a = members_by_key(a);
    const auto of_b = members_by_key(b);
    return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                      [](const ElementMember& one, const ElementMember& other) {
                        return one.key == other.key && is_equal(one.value, other.value);
                      });
  }
  const ElementItems of_a = a.items();  // a word that both are has none
  const ElementItems of_b = b.items();
  if (of_a.size() != of_b.size()) return false;
  auto at = of_a.begin();
  for (const Element item : of_b) {
    if (!is_equal(*at, item)) return false;
    ++at;
  }
  return true;
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/text_cursor.hpp

/// The text of a good document, piece by piece: what is between its pieces, which elements do not have.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Goes through the text of a good document.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) noexcept : rest_(text) { take_gap(); }

  /// White space, with the comma or colon in it.
  std::string_view take_gap() noexcept {
    std::size_t size = 0;
    while (size < rest_.size() && is_gap(rest_[size])) ++size;
    return take(size);
  }

  /// All of a value.
  std::string_view take_value() noexcept {
    const std::string_view begin = rest_;
    for (std::size_t levels = 0;;) {
      const char first = take_piece().front();
      if (first == '{' || first == '[') ++levels;
      if (first == '}' || first == ']') --levels;
      if (levels == 0) return begin.substr(0, begin.size() - rest_.size());
      take_gap();
    }
  }

  /// A bracket, or all of a string, a number or a word.
  std::string_view take_piece() noexcept {
    std::size_t size = 1;
    if (rest_.front() == '"') {
      while (rest_[size] != '"') size += rest_[size] == '\\' ? 2 : 1;
      ++size;
    } else if (!is_bracket(rest_.front())) {
      while (size < rest_.size() && !is_gap(rest_[size]) && !is_bracket(rest_[size])) ++size;
    }
    return take(size);
  }

  /// Whether a list or object ends here.
  [[nodiscard]] bool is_at_end() const noexcept {
    return rest_.front() == ']' || rest_.front() == '}';
  }

  /// What is left of it.
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

 private:
  [[nodiscard]] static bool is_gap(char c) noexcept {
    return c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
  }
  [[nodiscard]] static bool is_bracket(char c) noexcept {
    return c == '{' || c == '}' || c == '[' || c == ']';
  }

  std::string_view take(std::size_t size) noexcept {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

/// Whether a key, which is written like this, says that.
[[nodiscard]] inline bool is_key(std::string_view written, std::string_view wanted) {
  written = written.substr(1, written.size() - 2);
  return written.find('\\') == std::string_view::npos ? written == wanted
                                                      : unescaped(written) == wanted;
}

/// The text of a member of an object with this text; `null` where it has none of that name.
[[nodiscard]] inline std::string_view member_text(std::string_view object, std::string_view name) {
  TextCursor cursor(object);
  cursor.take_piece();
  for (cursor.take_gap(); !cursor.is_at_end(); cursor.take_gap()) {
    const std::string_view key = cursor.take_piece();
    cursor.take_gap();
    const std::string_view value = cursor.take_value();
    if (is_key(key, name)) return value;
  }
  return "null";
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/writer.hpp

/// Writes text piece by piece, including JSON strings. All encoding goes through it. Each piece costs
/// one check of the space that is left.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// A text that grows at its end. It begins in the writer itself, so that most texts take no memory
/// but what they are taken as.
class Writer {
 public:
  Writer() noexcept {}  // NOLINT(modernize-use-equals-default): nothing fills `first_`
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& operator+=(std::string_view piece) {
    if (room() < piece.size()) make_room(piece.size());
    std::char_traits<char>::copy(at_, piece.data(), piece.size());
    at_ += piece.size();
    return *this;
  }
  Writer& operator+=(char c) {
    if (room() == 0) make_room(1);
    *at_++ = c;
    return *this;
  }

  /// Writes what is closed later: there is room for that from now on.
  void open(char c) {
    if (room() < 2) make_room(2);
    *at_++ = c;
    --end_;
    ++open_;
  }
  void close(char c) noexcept {
    ++end_;
    --open_;
    *at_++ = c;
  }

  /// Makes the text longer by this many bytes, which are the caller's to fill.
  char* extend(std::size_t bytes) {
    if (room() < bytes) make_room(bytes);
    char* const begin = at_;
    at_ += bytes;
    return begin;
  }

  /// Takes off the end what is beyond this many bytes.
  void shorten(std::size_t size) noexcept { at_ = begin_ + size; }

  /// Valid until more is written.
  [[nodiscard]] std::string_view text() const noexcept { return {begin_, size()}; }

  [[nodiscard]] std::string take() && {
    if (begin_ == first_) return std::string(text());
    rest_.resize(size());
    return std::move(rest_);
  }

 private:
  /// Bytes beyond the text that are made at once. A string fills what it gets, so that they are
  /// few.
  static constexpr std::size_t step = 512;

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
  [[nodiscard]] std::size_t room() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  void make_room(std::size_t bytes) {
    const std::size_t written = size();
    if (begin_ == first_) {
      rest_.reserve(2 * sizeof first_);
      rest_.assign(first_, written);
    }
    rest_.resize(std::max(written + bytes + open_, std::min(written + step, rest_.capacity())));
    begin_ = rest_.data();
    at_ = begin_ + written;
    end_ = begin_ + (rest_.size() - open_);
  }

  char first_[4096];  ///< where the text is as long as it fits
  std::string rest_;  ///< where it is else, and room after it
  char* begin_ = first_;
  char* at_ = first_;                   ///< where the text ends
  char* end_ = first_ + sizeof first_;  ///< where the room ends, but for what closes
  std::size_t open_ = 0;                ///< what has to be closed, each with a byte
};

/// Whether a byte of a JSON string stands for itself: all but control characters, `"` and the
/// backslash.
inline bool is_plain(char c) noexcept {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

/// How many bytes of a text are plain, up to the first that is not.
inline std::size_t plain_bytes(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) -
                                  text.begin());
}

/// Copies a text that is plain, and of ASCII where it is longer than a few bytes; else false, and
/// what was copied is of no use. The last of its blocks may overlap with the one before.
inline bool copy_plain(char* to, std::string_view text) noexcept {
  if (text.size() < block_bytes) {
    for (const char c : text) {
      if (!is_plain(c)) return false;
      *to++ = c;
    }
    return true;
  }
  const auto copies = [&](std::size_t at) {
    if (ends_in_block(text.data() + at) != 0) return false;
    std::memcpy(to + at, text.data() + at, block_bytes);
    return true;
  };
  const std::size_t last = text.size() - block_bytes;
  for (std::size_t i = 0; i < last; i += block_bytes)
    if (!copies(i)) return false;
  return copies(last);
}

inline void write_escape(Writer& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: ((out += "\\u00") += hex[byte >> 4U]) += hex[byte & 0xFU];
  }
}

inline void write(Writer& out, std::string_view text) {
  const std::size_t before = out.text().size();
  char* const at = out.extend(text.size() + 2);
  at[0] = '"';
  at[text.size() + 1] = '"';
  if (copy_plain(at + 1, text)) return;
  out.shorten(before);
  out += '"';
  for (std::size_t plain = 0; (plain = plain_bytes(text)) < text.size();
       text.remove_prefix(plain + 1)) {
    out += text.substr(0, plain);
    write_escape(out, text[plain]);
  }
  out += text;
  out += '"';
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/apply_patch.ipp

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

/// The names of a JSON Pointer (RFC 6901); nothing where the text is none.
[[nodiscard]] inline std::optional<std::vector<std::string>> pointer_names(
    std::string_view pointer) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const char c = pointer[i];
    if (c == '/') {
      names.emplace_back();
    } else if (names.empty()) {
      return std::nullopt;
    } else if (c != '~') {
      names.back() += c;
    } else if (++i < pointer.size() && (pointer[i] == '0' || pointer[i] == '1')) {
      names.back() += pointer[i] == '0' ? '~' : '/';
    } else {
      return std::nullopt;
    }
  }
  return names;
}

/// Whether an operation brings a value.
[[nodiscard]] constexpr bool has_value(PatchOp op) noexcept {
  return op == PatchOp::add || op == PatchOp::replace || op == PatchOp::test;
}

/// The index that a name is, as far as it is one.
[[nodiscard]] inline std::optional<std::size_t> index_of(std::string_view name) noexcept {
  const auto index = schedpol::detail::decimal_int64(name);
  if (!index || *index < 0) return std::nullopt;
  return static_cast<std::size_t>(*index);
}

/// How deep a value nests.
[[nodiscard]] inline std::size_t levels_of(std::string_view value) noexcept {
  std::size_t levels = 0;
  std::size_t most = 0;
  for (TextCursor cursor(value); !cursor.rest().empty(); cursor.take_gap()) {
    const char first = cursor.take_piece().front();
    if (first == '{' || first == '[') most = std::max(most, ++levels);
    if (first == '}' || first == ']') --levels;
  }
  return most;
}

/// Why something cannot be done; nothing where it was.
using Problem = std::optional<FieldError>;

/// Applies one operation after the other to the text of a document.
class PatchedDocument {
 public:
  /// The text of a good document.
  explicit PatchedDocument(std::string_view text)
      : text_(text), left_to_copy_(std::max(text.size(), max_copied_bytes)), bytes_(text.size()) {}

  /// The `index`th operation. The value that it brings is a good document.
  [[nodiscard]] Problem apply(std::size_t index, const PatchOperation& step) {
    place_ = FieldPath{"patch"}.index(index);
    const std::string_view value =
        has_value(step.op) ? TextCursor(step.value).take_value() : std::string_view();
    bytes_ += value.size();
    if (bytes_ > left_to_go_through_) {
      return FieldError{ErrorType::too_many, place_, "",
                        "the operations of a patch go through at most " +
                            std::to_string(max_patched_bytes) +
                            " bytes, each through the document"};
    }
    left_to_go_through_ -= bytes_;
    const auto path = pointer_names(step.path);
    if (!path) return refuse("path", step.path, not_a_pointer);
    if (step.op == PatchOp::add) return add(step, *path, value);
    if (step.op == PatchOp::move || step.op == PatchOp::copy) return move_or_copy(step, *path);
    const std::optional<Target> target = find(*path);
    if (!target) return refuse("path", step.path, nothing_there);
    if (step.op == PatchOp::test) return test(step, value_in(*target), value);
    if (step.op == PatchOp::remove) {
      if (path->empty()) return refuse("path", step.path, "the whole document cannot be removed");
      remove(*target);
      return std::nullopt;
    }
    put(*target, value);
    return std::nullopt;
  }

  /// What is wrong with the text as a document, by its limits.
  [[nodiscard]] Problem problem() const { return problem_of(text_, {"patch"}); }

  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  static constexpr std::string_view not_a_pointer =
      "must be a JSON Pointer: names that each begin with a slash, ~0 for ~ and ~1 for /";
  static constexpr std::string_view nothing_there = "there is nothing at this place";

  /// Where an item of a list or a member of an object stands; where it has none of that name, where
  /// one behind the last would.
  struct Target {
    bool is_there = true;
    std::size_t index = 0;  ///< in the list or object
    std::size_t gap = 0;    ///< in the text: of what stands before it, with its comma if it has one
    std::size_t begin = 0;  ///< of it, with the key of a member
    std::size_t value = 0;
  };

  [[nodiscard]] FieldError refuse(std::string_view member, std::string_view value,
                                  std::string_view detail) const {
    return {ErrorType::invalid, place_.child(member), std::string(value), std::string(detail)};
  }

  /// Of what the patch asks for at a place.
  [[nodiscard]] static Problem problem_of(std::string_view text, FieldPath place) {
    if (levels_of(text) > max_document_depth) return too_deep(std::move(place));
    if (text.size() <= max_document_bytes) return std::nullopt;
    return too_long(std::move(place));
  }

  /// Of what is next for a cursor in the text.
  [[nodiscard]] std::size_t offset(const TextCursor& cursor) const noexcept {
    return text_.size() - cursor.rest().size();
  }
  [[nodiscard]] TextCursor cursor_at(const Target& target) const noexcept {
    return TextCursor(std::string_view(text_).substr(target.value));
  }
  [[nodiscard]] std::string_view value_in(const Target& target) const noexcept {
    return cursor_at(target).take_value();
  }
  [[nodiscard]] bool is_list(const Target& target) const noexcept {
    return text_[target.value] == '[';
  }
  [[nodiscard]] bool is_object(const Target& target) const noexcept {
    return text_[target.value] == '{';
  }

  /// Of that name in a list or object.
  [[nodiscard]] Target target_in(const Target& parent, const std::string& name) const {
    TextCursor cursor = cursor_at(parent);
    cursor.take_piece();
    const auto wanted = index_of(name);
    for (Target target;; ++target.index) {
      target.gap = offset(cursor);
      cursor.take_gap();
      target.begin = offset(cursor);
      target.is_there = !cursor.is_at_end();
      if (!target.is_there) return target;
      const bool is_it =
          is_list(parent) ? wanted == target.index : is_key(cursor.take_piece(), name);
      cursor.take_gap();
      target.value = offset(cursor);
      if (is_it) return target;
      cursor.take_value();
    }
  }

  /// Where names lead, one in the other.
  [[nodiscard]] std::optional<Target> find(std::span<const std::string> names) const {
    Target target{.value = offset(TextCursor(text_))};
    for (const std::string& name : names) {
      if (!is_list(target) && !is_object(target)) return std::nullopt;
      target = target_in(target, name);
      if (!target.is_there) return std::nullopt;
    }
    return target;
  }

  /// Puts a value in place of another one.
  void put(const Target& target, std::string_view value) {
    text_.replace(target.value, value_in(target).size(), value);
  }

  [[nodiscard]] Problem add(const PatchOperation& step, std::span<const std::string> path,
                            std::string_view value) {
    if (path.size() > max_document_depth) return too_deep(place_.child("path"));
    if (path.empty()) {
      put(*find(path), value);
      return std::nullopt;
    }
    const std::optional<Target> parent = find(path.first(path.size() - 1));
    if (!parent || !add_to(*parent, path.back(), value))
      return refuse("path", step.path, "nothing can be put at this place");
    return std::nullopt;
  }

  /// False where that is no list or object, or not so long.
  [[nodiscard]] bool add_to(const Target& parent, const std::string& name, std::string_view value) {
    if (!is_list(parent) && !is_object(parent)) return false;
    const Target target = target_in(parent, name);
    if (target.is_there) {
      if (is_object(parent)) {
        put(target, value);
      } else {
        text_.insert(target.begin, std::string(value) + ',');
      }
      return true;
    }
    Writer added;
    if (target.index > 0) added += ',';
    if (is_object(parent)) {
      write(added, name);
      added += ':';
    } else if (name != "-" && index_of(name) != target.index) {
      return false;
    }
    added += value;
    text_.insert(target.gap, added.text());
    return true;
  }

  /// Of a list or object, which the document itself is none of.
  void remove(const Target& target) {
    TextCursor cursor = cursor_at(target);
    cursor.take_value();
    const std::size_t end = offset(cursor);
    cursor.take_gap();
    if (!cursor.is_at_end()) {  // what comes next stands in its place
      text_.erase(target.begin, offset(cursor) - target.begin);
    } else {
      const std::size_t begin = target.index > 0 ? target.gap : target.begin;
      text_.erase(begin, end - begin);
    }
  }

  [[nodiscard]] Problem test(const PatchOperation& step, std::string_view found,
                             std::string_view value) const {
    if (auto problem = problem_of(found, place_.child("path"))) return problem;
    Document is;
    Document wanted;
    if (is.parse(found) && wanted.parse(value) &&
        is_equal(DocumentAccess::root(is), DocumentAccess::root(wanted)))
      return std::nullopt;
    return refuse("path", step.path, "there is another value at this place");
  }

  [[nodiscard]] Problem move_or_copy(const PatchOperation& step,
                                     std::span<const std::string> path) {
    const auto from = pointer_names(step.from);
    if (!from) return refuse("from", step.from, not_a_pointer);
    const std::optional<Target> source = find(*from);
    if (!source) return refuse("from", step.from, nothing_there);
    const std::string value(value_in(*source));
    const bool moves = step.op == PatchOp::move;
    const bool is_inside =
        from->size() <= path.size() && std::equal(from->begin(), from->end(), path.begin());
    if (moves && is_inside) {
      if (from->size() == path.size()) return std::nullopt;
      return refuse("path", step.path, "a value cannot be moved into itself");
    }
    if (levels_of(value) > max_document_depth) return too_deep(place_.child("from"));
    if (moves) {
      remove(*source);
      return add(step, path, value);
    }
    if (value.size() > left_to_copy_) {
      return FieldError{ErrorType::too_long, place_.child("from"), "",
                        "the copies of a patch copy at most as much as the document has, or " +
                            std::to_string(max_copied_bytes) + " bytes"};
    }
    left_to_copy_ -= value.size();
    bytes_ += value.size();
    return add(step, path, value);
  }

  std::string text_;
  std::size_t left_to_copy_;                            ///< bytes, by all copies
  std::size_t bytes_;                                   ///< of all that was ever put into it
  std::size_t left_to_go_through_ = max_patched_bytes;  ///< by all operations
  FieldPath place_{};                                   ///< of the operation that is applied
};

/// A member of an operation that is a text.
[[nodiscard]] inline Problem read_text(Element operation, const FieldPath& at,
                                       std::string_view name, std::string& into) {
  const Element member = operation[name];
  if (!member.is_there())
    return FieldError{ErrorType::required, at.child(name), "", "the operation needs it"};
  if (!member.is_string())
    return FieldError{ErrorType::type_invalid, at.child(name), "", "must be a string"};
  into = member.text();
  return std::nullopt;
}

/// An operation, which is written like this at a place of the patch.
[[nodiscard]] inline Problem read_operation(Element from, std::string_view text,
                                            const FieldPath& at, PatchOperation& into) {
  if (!from.is_object())
    return FieldError{ErrorType::type_invalid, at, "", "an operation is an object"};
  std::string op;
  if (auto problem = read_text(from, at, "op", op)) return problem;
  constexpr PatchOp all[] = {PatchOp::add,  PatchOp::remove, PatchOp::replace,
                             PatchOp::move, PatchOp::copy,   PatchOp::test};
  const auto* const known = std::find_if(std::begin(all), std::end(all),
                                         [&](PatchOp one) { return to_string(one) == op; });
  if (known == std::end(all)) {
    return FieldError{ErrorType::not_supported, at.child("op"), op,
                      "supported are add, remove, replace, move, copy, test"};
  }
  into.op = *known;
  if (auto problem = read_text(from, at, "path", into.path)) return problem;
  if (into.op == PatchOp::move || into.op == PatchOp::copy)
    return read_text(from, at, "from", into.from);
  if (!has_value(into.op)) return std::nullopt;
  if (!from["value"].is_there())
    return FieldError{ErrorType::required, at.child("value"), "", "the operation needs it"};
  into.value = member_text(text, "value");
  return std::nullopt;
}

/// The error of bytes that stand at a place of the patch and are no good document.
[[nodiscard]] inline std::vector<FieldError> no_document(FieldError error, const FieldPath& at) {
  error.field = at.join(error.field);
  return {std::move(error)};
}

}  // namespace detail

SCHEDPOL_INLINE Result<std::string> apply_patch(std::string_view document,
                                                std::span<const PatchOperation> patch) {
  Document parsed;
  if (!parsed.parse(document)) return std::vector<FieldError>{parsed.error()};
  for (std::size_t i = 0; i < patch.size(); ++i) {
    if (detail::has_value(patch[i].op) && !parsed.parse(patch[i].value))
      return detail::no_document(parsed.error(), FieldPath{"patch"}.index(i).child("value"));
  }
  detail::PatchedDocument patched(document);
  for (std::size_t i = 0; i < patch.size(); ++i) {
    if (auto problem = patched.apply(i, patch[i])) return std::vector<FieldError>{*problem};
  }
  if (auto problem = patched.problem()) return std::vector<FieldError>{*problem};
  return std::move(patched).take();
}

SCHEDPOL_INLINE Result<std::string> apply_patch(std::string_view document, std::string_view patch) {
  Document parsed;
  // What is wrong with the document is told before what is wrong with the patch.
  if (!parsed.parse(document)) return std::vector<FieldError>{parsed.error()};
  const FieldPath place{"patch"};
  if (!parsed.parse(patch)) return detail::no_document(parsed.error(), place);
  const detail::Element operations = DocumentAccess::root(parsed);
  if (!operations.is_list()) {
    return std::vector<FieldError>{
        {ErrorType::type_invalid, place, "", "a patch is a list of operations"}};
  }
  detail::TextCursor cursor(patch);
  cursor.take_piece();
  Patch read;
  for (const detail::Element operation : operations.items()) {
    cursor.take_gap();
    const FieldPath at = place.index(read.size());
    if (auto problem = read_operation(operation, cursor.take_value(), at, read.emplace_back()))
      return std::vector<FieldError>{*problem};
  }
  return apply_patch(document, read);
}

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/schema.hpp

/// How the JSON fields of a type are described, once for decoding, encoding and patching:
///
///     template <>
///     inline constexpr auto schema<rbac::Role> =
///         object(Traits{.kind = "Role", .api_version = rbac_version, .unknown = Unknown::refuse},
///                field("metadata", &rbac::Role::metadata), field("rules", &rbac::Role::rules));
///
/// A schema is one value, so that a misspelt trait or a forgotten one of these words does not
/// compile. The schemas themselves are in `schema/`, one file a system.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// How unknown fields of an object are taken.
enum class Unknown {
  inherit,  ///< as in the object around it; at the top, ignored
  ignore,   ///< Kubernetes objects carry much that does not matter here
  refuse,   ///< a typo in a policy is a hole
};

/// How much of a pod is read.
enum class Extent {
  scheduling,  ///< what schedulers look at
  whole,       ///< annotations and containers too, which are the largest
};

/// How long a list of objects may be, and what they are called.
struct ListLimit {
  std::size_t items = std::string_view::npos;
  std::string_view what{};
};

/// The proposal of SchedulingPolicy writes `Kind: SchedulingPolicy`, of no other kind.
inline constexpr std::string_view proposed_kind_field = "Kind";
inline constexpr std::string_view proposed_kind = "SchedulingPolicy";

/// What there is to know of an object besides its fields.
struct Traits {
  std::string_view kind{};         ///< of a whole object; empty for a part of one
  std::string_view api_version{};  ///< the same; `is_in_group` says which groups are read
  std::string_view kind_alias{};   ///< another spelling of `kind` as a field; empty: none
  Unknown unknown = Unknown::inherit;
  std::string_view ignored{};       ///< a field that is known but not read; empty: none
  std::string_view needed{};        ///< a field that has to be there; empty: none
  bool named = false;               ///< metadata has to be there, with the name
  bool null_item_is_empty = false;  ///< a null in a list of them is an empty one in a policy too
  ListLimit list_limit{};
};

/// What is wrong with an `apiVersion`, which is empty where it is not said; empty where a kind that is
/// usually of `wanted` can be of its group.
inline std::string group_problem(std::string_view api_version, std::string_view wanted) {
  if (api_version.empty() || is_in_group(wanted, api_group(api_version))) return {};
  const std::string problem = "must be " + std::string(wanted);
  return api_group(wanted) == own_api_group
             ? problem + ", or of a group of its own CRD, which is a domain"
             : problem;
}

/// What there is to know of a field besides its name.
struct FieldTraits {
  std::string_view alias{};  ///< accepted when decoding, never written; empty: none
  Extent extent = Extent::scheduling;
  bool lists_spelling = false;  ///< what is below may have the spellings of `listed`
};

/// A field. `access` is a pointer to a member, or a callable from the value to a reference.
template <class Access>
struct Field {
  std::string_view name;
  Access access;
  FieldTraits traits;
};
template <class Access>
constexpr Field<Access> field(std::string_view name, Access access, FieldTraits traits = {}) {
  return {name, access, traits};
}

/// A field that is only read: another spelling of the usual one, which stands beside it, or in `outer`.
template <class Access>
struct OtherSpelling {
  std::string_view name;
  Access access;
  std::string_view outer;
  std::string_view usual;
  bool is_listed;  ///< a list of one, and only below a field with `lists_spelling`
};
template <class Access>
constexpr OtherSpelling<Access> misplaced(std::string_view name, Access access,
                                          std::string_view outer, std::string_view usual) {
  return {name, access, outer, usual, false};
}
template <class Access>
constexpr OtherSpelling<Access> listed(std::string_view name, Access access,
                                       std::string_view usual) {
  return {name, access, {}, usual, true};
}

/// What a field is of a value.
template <class Access, class T>
constexpr decltype(auto) part_of(T& value, const Access& access) {
  if constexpr (std::is_member_object_pointer_v<Access>) {
    return (value.*access);
  } else {
    return access(value);
  }
}

/// The items of a schema, in their order: the little of std::tuple that is needed here, because all
/// of it takes a compiler long.
template <std::size_t i, class Item>
struct IndexedItem {
  Item item;
};
template <class Places, class... Items>
struct IndexedItems;
template <std::size_t... i, class... Items>
struct IndexedItems<std::index_sequence<i...>, Items...> : IndexedItem<i, Items>... {
  constexpr explicit IndexedItems(Items... items) : IndexedItem<i, Items>{items}... {}
};
template <class... Items>
using ItemList = IndexedItems<std::index_sequence_for<Items...>, Items...>;

/// The `i`th of some items.
template <std::size_t i, class Item>
constexpr const Item& item_at(const IndexedItem<i, Item>& indexed) {
  return indexed.item;
}

/// Calls `f` for each of some items, in their order.
template <std::size_t... i, class... Items, class F>
constexpr void for_each_item(const IndexedItems<std::index_sequence<i...>, Items...>& items,
                             F&& f) {
  (f(item_at<i>(items)), ...);
}

/// The schema of a type that is read and written.
template <class... Items>
struct ObjectSchema {
  Traits traits;
  ItemList<Items...> items;  ///< of the kinds above
};
template <class... Items>
constexpr ObjectSchema<Items...> object(Traits traits, Items... items) {
  return {traits, ItemList<Items...>(items...)};
}
template <class... Items>
constexpr ObjectSchema<Items...> object(Items... items) {
  return {Traits{}, ItemList<Items...>(items...)};
}

/// Types whose JSON is not made of fields, or that have none.
struct NoSchema {};

template <class T>
inline constexpr auto schema = NoSchema{};

/// The enumerators of a closed vocabulary, which `to_string` spells. A needed word has to be given;
/// else an empty text is what the value is anyway.
template <class Word, std::size_t size>
struct Vocabulary {
  std::array<Word, size> words;
  bool needed;
};
enum class Presence { optional, needed };
template <class Word, class... Words>
constexpr Vocabulary<Word, 1 + sizeof...(Words)> vocabulary(Presence presence, Word first,
                                                            Words... rest) {
  return {{first, rest...}, presence == Presence::needed};
}

template <class Word>
inline constexpr auto words = NoSchema{};

namespace traits {

/// Whether a type is made of a template.
template <class T, template <class...> class Of>
inline constexpr bool is_a = false;
template <template <class...> class Of, class... Arguments>
inline constexpr bool is_a<Of<Arguments...>, Of> = true;

template <class T>
inline constexpr bool exists = !std::is_same_v<T, NoSchema>;

}  // namespace traits

template <class T>
concept Described = traits::exists<std::remove_cvref_t<decltype(schema<T>)>>;
template <class T>
concept Worded = traits::exists<std::remove_cvref_t<decltype(words<T>)>>;

/// Whole objects, which have a kind.
template <class T>
concept Object = Described<T> && !schema<T>.traits.kind.empty();

/// Calls `f` for each field of a type, in their order.
template <Described T, class F>
constexpr void for_each_field(F&& f) {
  for_each_item(schema<T>.items, [&]<class Item>(const Item& item) {
    if constexpr (traits::is_a<Item, Field>) f(item);
  });
}

/// Types one after another: `XValues` of a file in `schema/` are those that `decode` reads and
/// `encode` writes, `XResults` those that are only written.
template <class... T>
struct Types {};
template <class... T, class... More>
constexpr Types<T..., More...> operator+(Types<T...>, Types<More...>) {
  return {};
}
template <class T, class... Of>
constexpr bool is_one_of(Types<Of...>) {
  return (std::is_same_v<T, Of> || ...);
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/decoder.hpp

/// Reads values from the elements of a document, by their schemas. The rules are those of
/// `decode.hpp`.

namespace SCHEDPOL_NAMESPACE::json::detail {

using schedpol::detail::PathBuilder;

/// Whether something is more than is read, rather than wrong.
[[nodiscard]] inline bool is_limit(const FieldError& error) noexcept {
  return error.type == ErrorType::too_many || error.type == ErrorType::too_long;
}

/// Whether an object is a SchedulingPolicy as its proposal writes it, `Kind: SchedulingPolicy`.
[[nodiscard]] inline bool says_proposed_kind(Element from) noexcept {
  std::string_view kind;
  return from[proposed_kind_field].get(kind) && kind == proposed_kind;
}

/// What an object says of its kind; nothing where that is missing or null.
[[nodiscard]] inline Element written_kind(Element from) noexcept {
  const Element kind = from.non_null("kind");
  return !kind.is_there() && says_proposed_kind(from) ? from[proposed_kind_field] : kind;
}

/// Reads one document, and collects what is wrong with all parts of it.
class Decoder {
 public:
  /// Leaves what is beyond `extent` unread. How much lists may hold depends on the bytes of the
  /// document.
  explicit Decoder(std::size_t document_bytes = max_document_bytes, Extent extent = Extent::whole)
      : extent_(extent),
        left_to_list_(std::max(max_listed_objects, document_bytes / min_bytes_of_listed)) {}

  [[nodiscard]] const std::vector<FieldError>& errors() const noexcept { return errors_; }
  [[nodiscard]] std::vector<FieldError> take_errors() { return std::exchange(errors_, {}); }

  void report(ErrorType type, const PathBuilder& at, std::string_view bad_value,
              std::string detail) {
    if (errors_.size() < max_reported_errors)
      errors_.push_back({type, at.path(), std::string(bad_value), std::move(detail)});
  }

  /// Reports what stands there in place of what is wanted: `a string`.
  void wrong_type(const PathBuilder& at, Element from, std::string_view wanted) {
    report(ErrorType::type_invalid, at, "",
           "must be " + std::string(wanted) + ", not " + std::string(type_of(from)));
  }

  void read(const PathBuilder& at, Element from, std::string& into) {
    std::string_view text;
    if (!from.get(text)) return wrong_type(at, from, "a string");
    into.clear();
    into.append(text);
  }
  void read(const PathBuilder& at, Element from, bool& into) {
    if (!from.get(into)) wrong_type(at, from, "true or false");
  }
  void read(const PathBuilder& at, Element from, std::int64_t& into) {
    if (!from.get(into)) wrong_type(at, from, "an integer");
  }
  void read(const PathBuilder& at, Element from, std::int32_t& into) {
    std::int64_t wide = 0;
    if (!from.get(wide)) return wrong_type(at, from, "an integer");
    if (!std::in_range<std::int32_t>(wide))
      return report(ErrorType::invalid, at, std::to_string(wide), "must fit in 32 bits");
    into = static_cast<std::int32_t>(wide);
  }

  /// A quantity, which Kubernetes also takes as a number.
  void read(const PathBuilder& at, Element from, Quantity& into) {
    if (!from.is_number() && !from.is_string()) return wrong_type(at, from, "a quantity");
    auto quantity = Quantity::parse(from.text());
    if (quantity) {
      into = *std::move(quantity);
    } else {
      report(ErrorType::invalid, at, from.text(), "must be a quantity such as 500m or 1.5Gi");
    }
  }

  template <Worded Word>
  void read(const PathBuilder& at, Element from, Word& into) {
    std::string_view text;
    if (!from.get(text)) return wrong_type(at, from, "a string");
    if (text.empty() && !words<Word>.needed) return;
    std::string supported = "supported are";
    schedpol::detail::NearestWord nearest(text);
    for (const Word word : words<Word>.words) {
      if (to_string(word) == text) {
        into = word;
        return;
      }
      supported.append(supported.ends_with("are") ? " " : ", ").append(to_string(word));
      nearest.consider(to_string(word));
    }
    report(ErrorType::not_supported, at, text, supported + nearest.text());
  }

  template <class Word>
  void read(const PathBuilder& at, Element from, OpenEnum<Word>& into) {
    std::string_view text;
    if (!from.get(text)) return wrong_type(at, from, "a string");
    into.read(text);
  }

  template <class T>
  void read(const PathBuilder& at, Element from, std::optional<T>& into) {
    if (!from.is_null()) read(at, from, into.emplace());
  }

  /// What holds nothing once it is read is any where it was written empty; of a map or structure
  /// nothing but nulls lists nothing, which says no more than an absent one.
  template <class T>
  void read(const PathBuilder& at, Element from, AnyOr<T>& into) {
    if (from.is_null()) return;
    T value{};
    read(at, from, value);
    if (value == T{} && is_written_empty(from)) {
      into = any;
    } else {
      into = AnyOr<T>(std::move(value));
    }
  }

  void read(const PathBuilder& at, Element from, Texts& into) { read(at, from, into.vector()); }

  template <class T>
  void read(const PathBuilder& at, Element from, std::vector<T>& into) {
    if (!from.is_list()) return wrong_type(at, from, "a list");
    const ElementItems array = from.items();
    if constexpr (Described<T>) {
      constexpr ListLimit limit = schema<T>.traits.list_limit;
      if (array.size() > limit.items) {
        return report(
            ErrorType::too_many, at, std::to_string(array.size()),
            "must list at most " + std::to_string(limit.items) + " " + std::string(limit.what));
      }
    }
    if (!std::is_same_v<T, std::string> && !may_list(at, array.size())) return;
    into.clear();
    into.reserve(array.size());
    PathBuilder place = at.index(0);
    for (const Element item : array) {
      place.beside(into.size());
      if constexpr (std::is_same_v<T, std::string>) {  // made of its text, not filled with it
        if (item.is_string()) {
          into.emplace_back(item.text());
          continue;
        }
      }
      T& value = into.emplace_back();
      if (!item.is_null()) {
        read(place, item, value);
      } else if (!takes_null_item<T>()) {
        null_item(place);
      }
    }
  }

  template <class Value, class Compare>
  void read(const PathBuilder& at, Element from, std::map<std::string, Value, Compare>& into) {
    if (!from.is_object()) return wrong_type(at, from, "an object");
    for (const auto [key, value] : from.members()) {
      if (is_strict_ && key.size() > max_label_key_bytes) {
        report(ErrorType::too_long, at, key,
               "a key has at most " + std::to_string(max_label_key_bytes) + " bytes");
        continue;
      }
      // What comes in the order of its keys, as an API server writes it, goes to the end.
      if constexpr (std::is_same_v<Value, std::string>) {
        if (value.is_string()) {
          into.emplace_hint(into.end(), key, value.text());
          continue;
        }
      }
      Value& entry = into.emplace_hint(into.end(), key, Value())->second;
      const PathBuilder place = at.key(key);
      if (!value.is_null()) {
        read(place, value, entry);
      } else if (std::is_same_v<Value, std::string> && is_strict_) {
        null_item(place);
      }
    }
  }

  template <Described T>
  void read(const PathBuilder& at, Element from, T& into) {
    constexpr const Traits& traits = schema<T>.traits;
    constexpr bool has_own_rule = traits.unknown != Unknown::inherit;
    [[maybe_unused]] const bool outer = is_strict_;
    if constexpr (has_own_rule) is_strict_ = traits.unknown == Unknown::refuse;
    if (!from.is_object()) wrong_type(at, from, "an object");
    PathBuilder below = at.child({});
    for (const auto [name, value] : from.members()) {
      below.beside(name);
      if (!read_field(below, from, name, value, into) &&
          !read_head(below, from, name, value, traits))
        refuse_unknown<T>(below, name);
    }
    if constexpr (traits.named) {
      const PathBuilder metadata = at.child("metadata");
      if (lacks(from, "metadata"))
        report(ErrorType::required, metadata.child("name"), "", "an object has a name");
    }
    if constexpr (!traits.needed.empty()) {
      if (lacks(from, traits.needed))
        report(ErrorType::required, at.child(traits.needed), "", "it has to be there");
    }
    if constexpr (requires { check_value(*this, at, into); }) check_value(*this, at, into);
    if constexpr (has_own_rule) is_strict_ = outer;
  }

  /// A part of an object whose unknown fields are errors.
  template <class T>
  void read_strictly(const PathBuilder& at, Element from, T& into) {
    const bool outer = std::exchange(is_strict_, true);
    read(at, from, into);
    is_strict_ = outer;
  }

  /// Whether a list may hold so many objects more; else that is an error.
  [[nodiscard]] bool may_list(const PathBuilder& at, std::size_t size) {
    if (size > left_to_list_) {
      report(ErrorType::too_many, at, std::to_string(size),
             "all lists of a document hold at most " + std::to_string(max_listed_objects) +
                 " objects, or one for each " + std::to_string(min_bytes_of_listed) +
                 " bytes of it");
      return false;
    }
    left_to_list_ -= size;
    return true;
  }

  /// The kind that an object says, for who has to know it before anything else is read (`written_kind`).
  /// Both spellings at once are an error.
  [[nodiscard]] Element read_kind(const PathBuilder& at, Element from) {
    const Element kind = written_kind(from);
    if (from.non_null("kind").is_there() && says_proposed_kind(from))
      spelled_twice(at.child("kind"), "kind", proposed_kind_field);
    return kind;
  }

  /// From now on no object needs this field, which is told or reported elsewhere.
  void let_lack(std::string_view field) noexcept { may_lack_ = field; }

  /// A type that is read in a way of its own has a function `read_value`; one whose fields have to be
  /// looked at together once they are read `check_value`.
  template <class T>
    requires requires(Decoder& decoder, const PathBuilder& at, Element from, T& into) {
      read_value(decoder, at, from, into);
    }
  void read(const PathBuilder& at, Element from, T& into) {
    read_value(*this, at, from, into);
  }

 private:
  void null_item(const PathBuilder& at) { report(ErrorType::required, at, "", "must not be null"); }

  void spelled_twice(const PathBuilder& at, std::string_view usual, std::string_view other) {
    report(
        ErrorType::duplicate, at, "",
        "`" + std::string(usual) + "` and `" + std::string(other) + "` are spellings of one field");
  }

  /// Whether the other of two spellings stands before the one at `at`, which is an error then.
  bool is_spelled_before(const PathBuilder& at, Element from, std::string_view usual,
                         std::string_view alias) {
    if (alias.empty()) return false;
    for (const ElementMember member : from.members()) {
      if (member.key == at.step().name) return false;
      if (member.key == usual || member.key == alias) break;
    }
    spelled_twice(at, usual, alias);
    return true;
  }

  template <class T>
  void refuse_unknown(const PathBuilder& at, std::string_view name) {
    constexpr const Traits& traits = schema<T>.traits;
    if (!is_strict_ || (!traits.ignored.empty() && name == traits.ignored)) return;
    schedpol::detail::NearestWord nearest(name);
    for_each_field<T>([&](const auto& field) { nearest.consider(field.name); });
    report(ErrorType::forbidden, at, "", "unknown field" + nearest.text());
  }

  /// In a pod a null item is an empty one, as for the API server; in a policy an empty one may
  /// permit or give something.
  template <class T>
  [[nodiscard]] bool takes_null_item() const noexcept {
    if constexpr (Described<T>) {
      if (schema<T>.traits.null_item_is_empty) return true;
    }
    return !is_strict_;
  }

  /// Whether a list or map that holds nothing was written so, or a structure with a list in it:
  /// `{nodeSelectorTerms: []}` does mean any.
  static bool is_written_empty(Element from) {
    const ElementMembers members = from.members();
    return from.is_list() || (from.is_object() && members.size() == 0) ||
           schedpol::detail::any_of(members,
                                    [](ElementMember member) { return member.value.is_list(); });
  }

  template <class T>
  bool read_field(const PathBuilder& at, Element from, std::string_view name, Element value,
                  T& into) {
    return [&]<std::size_t... i, class... Items>(
               const IndexedItems<std::index_sequence<i...>, Items...>&) {
      return (read_if_named<i>(at, from, name, value, into) || ...);
    }(schema<T>.items);
  }

  /// Reads the `i`th field of an object if it has the name. What that is compared with is constant
  /// for the compiler, which so compares without a call. `from` is the object, `at` the member.
  template <std::size_t i, class T>
  bool read_if_named(const PathBuilder& at, Element from, std::string_view name, Element value,
                     T& into) {
    constexpr const auto& item = item_at<i>(schema<T>.items);
    using Item = std::remove_cvref_t<decltype(item)>;
    if constexpr (traits::is_a<Item, Field>) {
      constexpr FieldTraits field_traits = item.traits;
      if (!is_text<item.name.size()>(name, item.name) &&
          (field_traits.alias.empty() ||
           !is_text<field_traits.alias.size()>(name, field_traits.alias)))
        return false;
      if constexpr (field_traits.extent == Extent::whole) {
        if (extent_ != Extent::whole) return true;
      }
      // No object has a key twice, so that a field without another spelling is there once.
      if (is_spelled_before(at, from, item.name, field_traits.alias) || value.is_null())
        return true;
      [[maybe_unused]] const bool outer = takes_listed_;
      if constexpr (field_traits.lists_spelling) takes_listed_ = true;
      read(at, value, part_of(into, item.access));
      if constexpr (field_traits.lists_spelling) takes_listed_ = outer;
      return true;
    } else {
      if (name != item.name || (item.is_listed && !takes_listed_)) return false;
      const Element around = item.outer.empty() ? from : from[item.outer];
      if (around[item.usual].is_there()) {
        std::string usual(item.outer);
        if (!usual.empty()) usual += '.';
        spelled_twice(at, usual.append(item.usual), name);
      } else if constexpr (item.is_listed) {
        read_only_one(at, value, part_of(into, item.access));
      } else {
        read(at, value, part_of(into, item.access));
      }
      return true;
    }
  }

  template <std::size_t size>
  static bool is_text(std::string_view text, std::string_view wanted) noexcept {
    return text.size() == size && std::memcmp(text.data(), wanted.data(), size) == 0;
  }

  template <class T>
  void read_only_one(const PathBuilder& at, Element value, T& into) {
    if (value.is_null()) return;
    if (!value.is_list()) return wrong_type(at, value, "a list");
    const ElementItems array = value.items();
    if (array.size() != 1) return report(ErrorType::invalid, at, "", "must list exactly one");
    const PathBuilder first = at.index(0);
    read(first, *array.begin(), into);
  }

  /// Whether an object has no such member that it needs, or a null.
  [[nodiscard]] bool lacks(Element from, std::string_view name) const {
    return from.is_object() && !from.non_null(name).is_there() && name != may_lack_;
  }

  /// `kind` of a whole object and, where the group matters, `apiVersion`, which have to be right where
  /// they are given.
  bool read_head(const PathBuilder& at, Element from, std::string_view name, Element value,
                 const Traits& traits) {
    if (!traits.api_version.empty() && name == "apiVersion") {
      std::string text;
      if (!value.is_null()) read(at, value, text);
      const std::string problem = group_problem(text, traits.api_version);
      if (!problem.empty()) report(ErrorType::not_supported, at, text, problem);
      return true;
    }
    if (traits.kind.empty() ||
        (name != "kind" && (traits.kind_alias.empty() || name != traits.kind_alias)))
      return false;
    if (is_spelled_before(at, from, "kind", traits.kind_alias) || value.is_null()) return true;
    std::string text;
    read(at, value, text);
    if (!text.empty() && text != traits.kind)
      report(ErrorType::not_supported, at, text, "must be " + std::string(traits.kind));
    return true;
  }

  std::vector<FieldError> errors_;
  Extent extent_;
  std::size_t left_to_list_;     ///< objects
  std::string_view may_lack_{};  ///< a field
  bool is_strict_ = false;       ///< as of a policy: unknown fields, long keys and nulls are errors
  bool takes_listed_ = false;    ///< see `OtherSpelling`
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/object_writer.hpp

/// Writes values as JSON, by their schemas. The rules are those of `encode.hpp`. A type that is
/// written in a way of its own has an overload of `write` in this namespace.

namespace SCHEDPOL_NAMESPACE::json::detail {

inline void write(Writer& out, const char* text) {
  write(out, std::string_view(text));
}
inline void write(Writer& out, std::same_as<bool> auto value) {
  out += value ? "true" : "false";
}

/// Integers of any width, by whatever name the platform has for it.
template <class T>
concept Number = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;
inline void write(Writer& out, Number auto number) {
  constexpr std::size_t most_digits = 20;
  char text[most_digits];
  out += std::string_view(text, std::to_chars(text, text + most_digits, number).ptr);
}

/// JSON that is text already.
struct Raw {
  std::string_view text;
};
inline void write(Writer& out, Raw raw) {
  out += raw.text;
}

template <Worded Word>
void write(Writer& out, Word word) {
  write(out, to_string(word));
}
template <class Word>
void write(Writer& out, const OpenEnum<Word>& word) {
  write(out, word.text());
}
inline void write(Writer& out, const Quantity& quantity) {
  write(out, quantity.text());
}
inline void write(Writer& out, const FieldPath& path) {
  write(out, to_string(path));
}

/// Writes the members of one object, with the commas between them, and closes it.
class ObjectWriter {
 public:
  explicit ObjectWriter(Writer& out) : out_(out) { out_.open('{'); }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;
  ~ObjectWriter() { out_.close('}'); }

  template <class T>
  ObjectWriter& member(std::string_view name, const T& value) {
    write(key(name), value);
    return *this;
  }

  /// Writes the name, in which nothing has to be escaped, and leaves the value to the caller.
  Writer& key(std::string_view name) {
    char* at = out_.extend(name.size() + (first_ ? 3U : 4U));
    if (!first_) *at++ = ',';
    first_ = false;
    *at++ = '"';
    std::memcpy(at, name.data(), name.size());
    at += name.size();
    at[0] = '"';
    at[1] = ':';
    return out_;
  }

  /// Writes a member whose name can be anything.
  template <class T>
  void entry(std::string_view name, const T& value) {
    if (!first_) out_ += ',';
    first_ = false;
    write(out_, name);
    out_ += ':';
    write(out_, value);
  }

 private:
  Writer& out_;
  bool first_ = true;
};

/// Writes the items of one list, with the commas between them, and closes it.
class ListWriter {
 public:
  explicit ListWriter(Writer& out) : out_(out) { out_.open('['); }
  ListWriter(const ListWriter&) = delete;
  ListWriter& operator=(const ListWriter&) = delete;
  ~ListWriter() { out_.close(']'); }

  /// Leaves the next item to the caller.
  Writer& item() {
    if (!std::exchange(first_, false)) out_ += ',';
    return out_;
  }

 private:
  Writer& out_;
  bool first_ = true;
};

/// Whether a field with this value is left out: absent, or empty where that is the same.
template <class T>
bool is_absent(const T& value) {
  if constexpr (requires { value.has_value(); }) {
    return !value.has_value();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else if constexpr (std::same_as<T, std::int32_t> || Worded<T>) {
    return false;
  } else {
    return value == T{};
  }
}

/// What is listed but holds nothing, however deep, is left out: `{}` would be any.
template <class T>
bool is_absent(const AnyOr<T>& value) {
  if (value.is_any()) return false;
  if constexpr (Described<T>) {
    bool holds_nothing = true;
    for_each_field<T>([&](const auto& field) {
      if (!is_absent(part_of(value.listed(), field.access))) holds_nothing = false;
    });
    return holds_nothing;
  } else {
    return value.listed().empty();
  }
}

template <class T>
void write(Writer& out, const std::optional<T>& value) {
  if (value) {
    write(out, *value);
  } else {
    out += "null";
  }
}

/// Any is what is written of nothing: `[]` or `{}`.
template <class T>
void write(Writer& out, const AnyOr<T>& value) {
  if (is_absent(value)) {
    out += "null";
  } else {
    write(out, value.listed());
  }
}

template <class T>
void write(Writer& out, std::span<T> list) {
  ListWriter items(out);
  for (const T& item : list) write(items.item(), item);
}
template <class T>
void write(Writer& out, const std::vector<T>& list) {
  write(out, std::span(list));
}
inline void write(Writer& out, const Texts& texts) {
  write(out, texts.vector());
}
inline void write(Writer& out, const Names& names) {
  write(out, names.vector());
}
template <class Value, class Compare>
void write(Writer& out, const std::map<std::string, Value, Compare>& map) {
  ObjectWriter object(out);
  for (const auto& [key, value] : map) object.entry(key, value);
}

template <Described T>
void write(Writer& out, const T& value) {
  ObjectWriter object(out);
  if constexpr (Object<T>) {
    object.member("apiVersion", schema<T>.traits.api_version).member("kind", schema<T>.traits.kind);
  }
  for_each_field<T>([&](const auto& field) {
    const auto& part = part_of(value, field.access);
    const bool is_needed = schema<T>.traits.named && field.name == "metadata";
    if (is_needed || !is_absent(part)) object.member(field.name, part);
  });
}

/// Writes the first items of a list, and how many more there are, if any, which may be some that it
/// does not have.
template <class T>
void write_first(ObjectWriter& object, std::string_view name, std::string_view more,
                 const std::vector<T>& list, std::size_t most, std::size_t unlisted = 0) {
  const std::size_t written = std::min(list.size(), most);
  write(object.key(name), std::span(list).first(written));
  const std::size_t left = list.size() - written + unlisted;
  if (left > 0) object.member(more, left);
}

/// Writes what stands in a document, without spaces.
inline void write(Writer& out, Element element) {
  if (element.is_list()) {
    ListWriter list(out);
    for (const Element item : element.items()) write(list.item(), item);
  } else if (element.is_object()) {
    ObjectWriter object(out);
    for (const ElementMember member : element.members()) object.entry(member.key, member.value);
  } else if (element.is_string()) {
    write(out, element.text());
  } else if (element.is_number()) {
    out += element.text();
  } else {
    bool word = false;
    out += !element.get(word) ? "null" : word ? "true" : "false";
  }
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/schema/core.hpp

/// The JSON of the Kubernetes vocabulary, and of what every system answers. The schemas of the
/// systems do not include again what this file does.

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

// schedpol/json/impl/schema/engine.hpp

/// The JSON of an EngineConfiguration: the steps and settings of a Configuration, apart from its
/// objects; and what an object says of being stored, which nothing that decides reads.

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto words<engine::System> =
    Vocabulary<engine::System, std::size(engine::all_systems)>{engine::all_systems, true};

template <>
inline constexpr auto words<engine::Mode> =
    vocabulary(Presence::optional, engine::Mode::enforce, engine::Mode::warn, engine::Mode::audit);

template <>
inline constexpr auto words<engine::PolicyUse> =
    vocabulary(Presence::optional, engine::PolicyUse::rbac, engine::PolicyUse::every);

template <>
inline constexpr auto schema<engine::Step> =
    object(Traits{.needed = "system"}, field("system", &engine::Step::system),
           field("mode", &engine::Step::mode));

template <>
inline constexpr auto schema<engine::TemplatePath> =
    object(Traits{.unknown = Unknown::refuse}, field("group", &engine::TemplatePath::group),
           field("kind", &engine::TemplatePath::kind), field("path", &engine::TemplatePath::path));

/// Without the tolerations that admission exempts besides those of the options.
struct EngineConfiguration {
  std::vector<engine::Step> systems{};
  engine::Settings settings{.options = {.default_scheduler = DefaultScheduler::unspecified}};
};

template <>
inline constexpr auto schema<decltype(engine::Settings::access)> =
    object(field("verb", &decltype(engine::Settings::access)::verb),
           field("apiGroup", &decltype(engine::Settings::access)::api_group),
           field("resource", &decltype(engine::Settings::access)::resource));

template <>
inline constexpr auto words<metadata_policy::QosAnnotation> =
    vocabulary(Presence::optional, metadata_policy::QosAnnotation::where_used,
               metadata_policy::QosAnnotation::always);

template <>
inline constexpr auto schema<metadata_policy::Options> =
    object(field("exemptKinds", &metadata_policy::Options::exempt_kinds),
           field("exemptUsers", &metadata_policy::Options::exempt_users),
           field("exemptGroups", &metadata_policy::Options::exempt_groups),
           field("qosAnnotation", &metadata_policy::Options::qos_annotation));

template <>
inline constexpr auto schema<engine::NamespaceModes> =
    object(Traits{.unknown = Unknown::refuse, .needed = "weakest"},
           field("weakest", &engine::NamespaceModes::weakest));

template <>
inline constexpr auto schema<EngineConfiguration> = object(
    Traits{.kind = "EngineConfiguration",
           .api_version = own_api_version,
           .unknown = Unknown::refuse,
           .ignored = "metadata"},
    field("systems", &EngineConfiguration::systems),
    field("policyUse", [](auto& read) -> auto& { return read.settings.policy_use; }),
    field("access", [](auto& read) -> auto& { return read.settings.access; }),
    field("strategy", [](auto& read) -> auto& { return read.settings.strategy; }),
    field("options", [](auto& read) -> auto& { return read.settings.options; }),
    field("daemonSetController",
          [](auto& read) -> auto& { return read.settings.daemon_set_controller; }),
    field("placers", [](auto& read) -> auto& { return read.settings.placers; }),
    field("templates", [](auto& read) -> auto& { return read.settings.templates; }),
    field("metadataPolicy", [](auto& read) -> auto& { return read.settings.metadata_policy; }),
    field("namespaceModes", [](auto& read) -> auto& { return read.settings.namespace_modes; }));

/// Who named the node. A subresource is written to by schedulers and nodes.
inline engine::NodeNamedBy node_named_by(Element managed_fields) {
  using engine::NodeNamedBy;
  if (!managed_fields.is_list() || managed_fields.items().size() == 0) return NodeNamedBy::unknown;
  for (const Element entry : managed_fields.items()) {
    const Element subresource = entry.non_null("subresource");
    const bool is_of_object =
        !subresource.is_there() || (subresource.is_string() && subresource.text().empty());
    if (is_of_object && entry["fieldsV1"]["f:spec"]["f:nodeName"].is_there())
      return NodeNamedBy::author;
  }
  return NodeNamedBy::scheduler;
}

/// What an object, which is read already, says of being stored.
inline void read_storage(Decoder& decoder, const PathBuilder& at, Element from,
                         engine::StoredObject& into) {
  const Element metadata = from["metadata"];
  const PathBuilder place = at.child("metadata");
  const auto read = [&](std::string_view name, std::string& text) {
    const Element value = metadata.non_null(name);
    if (value.is_there()) decoder.read(place.child(name), value, text);
  };
  // That of a pod is read, and what is wrong with it told.
  into.uid = into.object.metadata.uid;
  if (into.object.kind != PodKind::pod) read("uid", into.uid);
  read("creationTimestamp", into.creation_timestamp);
  into.node_named_by = node_named_by(metadata["managedFields"]);
}

inline void read_value(Decoder& decoder, const PathBuilder& at, Element from,
                       engine::StoredObject& into) {
  decoder.read(at, from, into.object);
  read_storage(decoder, at, from, into);
}

/// Read alone: what is written is an object as it was.
using EngineValues = Types<engine::StoredObject>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/schema/metadata_policy.hpp

/// The JSON of MetadataPolicy.

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<metadata_policy::PolicyPredicate> =
    object(field("labelSelector", &metadata_policy::PolicyPredicate::label_selector),
           field("annotationSelector", &metadata_policy::PolicyPredicate::annotation_selector));

template <>
inline constexpr auto schema<metadata_policy::PolicyAction> =
    object(field("reject", &metadata_policy::PolicyAction::reject),
           field("updatedLabels", &metadata_policy::PolicyAction::updated_labels),
           field("updatedAnnotations", &metadata_policy::PolicyAction::updated_annotations));

template <>
inline constexpr auto schema<metadata_policy::MetadataPolicyRule> =
    object(field("policyPredicate", &metadata_policy::MetadataPolicyRule::policy_predicate),
           field("policyAction", &metadata_policy::MetadataPolicyRule::policy_action));

template <>
inline constexpr auto schema<metadata_policy::MetadataPolicySpec> =
    object(field("rules", &metadata_policy::MetadataPolicySpec::rules));

template <>
inline constexpr auto schema<metadata_policy::MetadataPolicy> =
    object(Traits{.kind = "MetadataPolicy",
                  .api_version = metadata_policy::api_version,
                  .unknown = Unknown::refuse,
                  .ignored = "status",
                  .named = true},
           field("metadata", &metadata_policy::MetadataPolicy::metadata),
           field("spec", &metadata_policy::MetadataPolicy::spec));

inline void write(Writer& out, const metadata_policy::RuleName& name) {
  ObjectWriter(out).member("policy", name.policy).member("rule", name.rule);
}

inline void write(Writer& out, const metadata_policy::Write& write) {
  ObjectWriter(out)
      .member("policy", write.by.policy)
      .member("rule", write.by.rule)
      .member("value", write.value);
}

inline void write(Writer& out, const metadata_policy::Conflict& conflict) {
  ObjectWriter(out).member("field", conflict.field).member("writes", conflict.writes);
}

using MetadataPolicyValues =
    Types<metadata_policy::PolicyPredicate, metadata_policy::PolicyAction,
          metadata_policy::MetadataPolicyRule, metadata_policy::MetadataPolicySpec,
          metadata_policy::MetadataPolicy>;
using MetadataPolicyResults =
    Types<metadata_policy::RuleName, std::vector<metadata_policy::RuleName>,
          metadata_policy::Conflict, std::vector<metadata_policy::Conflict>>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/schema/pod_scheduling_policy.hpp

/// The JSON of PodSchedulingPolicy and ClusterPodSchedulingPolicy, which their `kind` tells apart.

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto words<pod_scheduling_policy::PolicyKind> =
    vocabulary(Presence::needed, pod_scheduling_policy::PolicyKind::pod_scheduling_policy,
               pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy);

template <>
inline constexpr auto schema<pod_scheduling_policy::PodSchedulingPolicySpec> = object(
    field("namespaceSelector", &pod_scheduling_policy::PodSchedulingPolicySpec::namespace_selector),
    field("podSelector", &pod_scheduling_policy::PodSchedulingPolicySpec::pod_selector),
    field("nodeName", &pod_scheduling_policy::PodSchedulingPolicySpec::node_name),
    field("schedulerName", &pod_scheduling_policy::PodSchedulingPolicySpec::scheduler_name),
    field("nodeSelector", &pod_scheduling_policy::PodSchedulingPolicySpec::node_selector),
    field("tolerations", &pod_scheduling_policy::PodSchedulingPolicySpec::tolerations),
    field("affinity", &pod_scheduling_policy::PodSchedulingPolicySpec::affinity));

template <>
inline constexpr auto schema<pod_scheduling_policy::PodSchedulingPolicy> =
    object(Traits{.api_version = pod_scheduling_policy::api_version,
                  .unknown = Unknown::refuse,
                  .ignored = "status",
                  .needed = "kind"},
           field("kind", &pod_scheduling_policy::PodSchedulingPolicy::kind),
           field("metadata", &pod_scheduling_policy::PodSchedulingPolicy::metadata),
           field("spec", &pod_scheduling_policy::PodSchedulingPolicy::spec));

inline void write(Writer& out, const pod_scheduling_policy::Skipped& skipped) {
  ObjectWriter(out)
      .member("policy", skipped.policy)
      .member("field", skipped.field)
      .member("reason", skipped.reason);
}

/// How a pod that is injected is taken.
struct InjectionOptions {
  DefaultScheduler default_scheduler = DefaultScheduler::specified;
};

template <>
inline constexpr auto schema<InjectionOptions> =
    object(Traits{.unknown = Unknown::refuse},
           field("defaultScheduler", &InjectionOptions::default_scheduler));

using PodSchedulingPolicyValues = Types<pod_scheduling_policy::PodSchedulingPolicySpec,
                                        pod_scheduling_policy::PodSchedulingPolicy>;
using PodSchedulingPolicyResults =
    Types<pod_scheduling_policy::Skipped, std::vector<pod_scheduling_policy::Skipped>>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/schema/rbac.hpp

/// The JSON of RBAC objects. A misspelt field is refused here too: `resourceName` for
/// `resourceNames` would grant all.

namespace SCHEDPOL_NAMESPACE::json::detail {

inline constexpr std::string_view rbac_version = "rbac.authorization.k8s.io/v1";

template <>
inline constexpr auto schema<rbac::PolicyRule> =
    object(Traits{.ignored = "nonResourceURLs"}, field("verbs", &rbac::PolicyRule::verbs),
           field("apiGroups", &rbac::PolicyRule::api_groups),
           field("resources", &rbac::PolicyRule::resources),
           field("resourceNames", &rbac::PolicyRule::resource_names));

template <>
inline constexpr auto schema<rbac::RoleRef> =
    object(field("apiGroup", &rbac::RoleRef::api_group), field("kind", &rbac::RoleRef::kind),
           field("name", &rbac::RoleRef::name));

/// `apiVersion` is what `apiGroup` was called before rbac.authorization.k8s.io/v1beta1.
template <>
inline constexpr auto schema<rbac::Subject> =
    object(Traits{.ignored = "apiVersion"}, field("kind", &rbac::Subject::kind),
           field("apiGroup", &rbac::Subject::api_group), field("name", &rbac::Subject::name),
           field("namespace", &rbac::Subject::namespace_));

template <>
inline constexpr auto schema<rbac::Role> =
    object(Traits{.kind = "Role", .api_version = rbac_version, .unknown = Unknown::refuse},
           field("metadata", &rbac::Role::metadata), field("rules", &rbac::Role::rules));

template <>
inline constexpr auto schema<rbac::ClusterRole> = object(
    Traits{.kind = "ClusterRole",
           .api_version = rbac_version,
           .unknown = Unknown::refuse,
           .ignored = "aggregationRule"},
    field("metadata", &rbac::ClusterRole::metadata), field("rules", &rbac::ClusterRole::rules));

template <>
inline constexpr auto schema<rbac::RoleBinding> = object(
    Traits{.kind = "RoleBinding", .api_version = rbac_version, .unknown = Unknown::refuse},
    field("metadata", &rbac::RoleBinding::metadata), field("roleRef", &rbac::RoleBinding::role_ref),
    field("subjects", &rbac::RoleBinding::subjects));

template <>
inline constexpr auto schema<rbac::ClusterRoleBinding> = object(
    Traits{.kind = "ClusterRoleBinding", .api_version = rbac_version, .unknown = Unknown::refuse},
    field("metadata", &rbac::ClusterRoleBinding::metadata),
    field("roleRef", &rbac::ClusterRoleBinding::role_ref),
    field("subjects", &rbac::ClusterRoleBinding::subjects));

template <>
inline constexpr auto schema<rbac::User> =
    object(Traits{.unknown = Unknown::refuse}, field("name", &rbac::User::name),
           field("groups", &rbac::User::groups));

using RbacValues =
    Types<rbac::PolicyRule, rbac::RoleRef, rbac::Subject, rbac::Role, rbac::ClusterRole,
          rbac::RoleBinding, rbac::ClusterRoleBinding, rbac::User>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/schema/resource_policy.hpp

/// The JSON of ResourcePolicy.

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<resource_policy::Unit> =
    object(field("name", &resource_policy::Unit::name),
           field("priority", &resource_policy::Unit::priority),
           field("maxCount", &resource_policy::Unit::max_count),
           field("maxResources", &resource_policy::Unit::max_resources),
           field("nodeSelector", &resource_policy::Unit::node_selector));

template <>
inline constexpr auto schema<resource_policy::MatchPolicy> =
    object(field("ignoreTerminatingPod", &resource_policy::MatchPolicy::ignore_terminating_pod));

template <>
inline constexpr auto schema<resource_policy::ResourcePolicySpec> =
    object(field("matchLabelKeys", &resource_policy::ResourcePolicySpec::match_label_keys),
           field("matchPolicy", &resource_policy::ResourcePolicySpec::match_policy),
           field("podSelector", &resource_policy::ResourcePolicySpec::pod_selector),
           field("strategy", &resource_policy::ResourcePolicySpec::strategy),
           field("units", &resource_policy::ResourcePolicySpec::units));

template <>
inline constexpr auto schema<resource_policy::ResourcePolicy> =
    object(Traits{.kind = "ResourcePolicy",
                  .api_version = resource_policy::api_version,
                  .unknown = Unknown::refuse,
                  .ignored = "status",
                  .named = true},
           field("metadata", &resource_policy::ResourcePolicy::metadata),
           field("spec", &resource_policy::ResourcePolicy::spec));

using ResourcePolicyValues =
    Types<resource_policy::Unit, resource_policy::MatchPolicy, resource_policy::ResourcePolicySpec,
          resource_policy::ResourcePolicy>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/schema/runtime_class.hpp

/// The JSON of RuntimeClass.

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<runtime_class::Overhead> =
    object(field("podFixed", &runtime_class::Overhead::pod_fixed));

template <>
inline constexpr auto schema<runtime_class::Scheduling> =
    object(field("nodeSelector", &runtime_class::Scheduling::node_selector),
           field("tolerations", &runtime_class::Scheduling::tolerations));

template <>
inline constexpr auto schema<runtime_class::RuntimeClass> =
    object(Traits{.kind = "RuntimeClass",
                  .api_version = "node.k8s.io/v1",
                  .unknown = Unknown::refuse,
                  .named = true},
           field("metadata", &runtime_class::RuntimeClass::metadata),
           field("handler", &runtime_class::RuntimeClass::handler),
           field("overhead", &runtime_class::RuntimeClass::overhead),
           field("scheduling", &runtime_class::RuntimeClass::scheduling));

using RuntimeClassValues =
    Types<runtime_class::Overhead, runtime_class::Scheduling, runtime_class::RuntimeClass>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/schema/scheduling_policy.hpp

/// The JSON of SchedulingPolicy, with the other spellings that its proposal uses.

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto words<scheduling_policy::MergeStrategy> =
    vocabulary(Presence::optional, scheduling_policy::MergeStrategy::smart_deep_merge,
               scheduling_policy::MergeStrategy::first_seen_wins,
               scheduling_policy::MergeStrategy::simple_merge);

template <>
inline constexpr auto words<scheduling_policy::RequiredAffinity> =
    vocabulary(Presence::optional, scheduling_policy::RequiredAffinity::every_term,
               scheduling_policy::RequiredAffinity::present);

template <>
inline constexpr auto words<scheduling_policy::NodeNameCheck> =
    vocabulary(Presence::optional, scheduling_policy::NodeNameCheck::require_any_scheduler,
               scheduling_policy::NodeNameCheck::ignore);

/// The fields of a part of a spec, as `fields.hpp` names them, and `more` items.
template <class T, class... More>
constexpr auto described(Traits traits = {}, More... more) {
  return scheduling_policy::fields_of(std::type_identity<T>{}, [&](const auto&... each) {
    return object(traits, field(each.name, each.member)..., more...);
  });
}

template <>
inline constexpr auto schema<scheduling_policy::TolerationPattern> =
    described<scheduling_policy::TolerationPattern>({.null_item_is_empty = true});

template <>
inline constexpr auto schema<scheduling_policy::SpreadConstraintPattern> =
    described<scheduling_policy::SpreadConstraintPattern>({.null_item_is_empty = true});

template <>
inline constexpr auto schema<scheduling_policy::RequirementPattern> =
    described<scheduling_policy::RequirementPattern>({.null_item_is_empty = true});

template <>
inline constexpr auto schema<scheduling_policy::TermPattern> =
    described<scheduling_policy::TermPattern>({.null_item_is_empty = true});

template <>
inline constexpr auto schema<scheduling_policy::NodeAffinityRule> =
    described<scheduling_policy::NodeAffinityRule>();

template <>
inline constexpr auto schema<scheduling_policy::PodAffinityRule> =
    described<scheduling_policy::PodAffinityRule>();

template <class Rule>
inline constexpr auto schema<scheduling_policy::AffinityModes<Rule>> =
    described<scheduling_policy::AffinityModes<Rule>>();

template <>
inline constexpr auto schema<scheduling_policy::AffinityRules> =
    described<scheduling_policy::AffinityRules>();

/// What the proposal writes in places for a field in `required` and `allowed`, or in `default`.
constexpr FieldTraits other_spelling(std::string_view field) {
  using scheduling_policy::priority_class_name_field;
  using scheduling_policy::scheduler_name_field;
  if (field == scheduler_name_field.rules_field) return {.alias = "SchedulerNames"};
  if (field == priority_class_name_field.rules_field) return {.alias = "priorityClasseNames"};
  if (field == scheduler_name_field.field) return {.alias = "SchedulerName"};
  if (field == priority_class_name_field.field) return {.alias = "priorityClasseName"};
  return {.lists_spelling = field == scheduling_policy::affinity_field.field};
}

template <>
inline constexpr auto schema<scheduling_policy::PolicySection> =
    scheduling_policy::with_section_fields([](const auto&... row) {
      return object(field(row.rules_field, row.rules, other_spelling(row.rules_field))...);
    });

inline void check_value(Decoder& decoder, const PathBuilder& at,
                        const scheduling_policy::DefaultToleration& read) {
  const std::string& value = read.toleration.value;
  if (read.values.is_absent() || value.empty()) return;
  decoder.report(ErrorType::forbidden, at.child("value"), value, "must not be set beside values");
}

template <>
inline constexpr auto schema<scheduling_policy::DefaultToleration> = object(
    field("key", [](auto& t) -> auto& { return t.toleration.key; }),
    field("operator", [](auto& t) -> auto& { return t.toleration.operator_; }),
    field("value", [](auto& t) -> auto& { return t.toleration.value; }),
    field("values", &scheduling_policy::DefaultToleration::values),
    field("effect", [](auto& t) -> auto& { return t.toleration.effect; }),
    field("tolerationSeconds", [](auto& t) -> auto& { return t.toleration.toleration_seconds; }));

template <>
inline constexpr auto schema<scheduling_policy::Defaults> =
    scheduling_policy::with_pod_fields([](const auto&... row) {
      return object(field(row.field, row.member, other_spelling(row.field))...);
    });

template <>
inline constexpr auto schema<scheduling_policy::SchedulingPolicySpec> =
    described<scheduling_policy::SchedulingPolicySpec>(
        {}, misplaced(
                "allowedAffinities", [](auto& spec) -> auto& { return spec.allowed.affinities; },
                scheduling_policy::allowed_section.name,
                scheduling_policy::affinity_field.rules_field));

template <>
inline constexpr auto schema<scheduling_policy::SchedulingPolicy> =
    object(Traits{.kind = proposed_kind,
                  .api_version = scheduling_policy::api_version,
                  .kind_alias = proposed_kind_field,
                  .unknown = Unknown::refuse,
                  .ignored = "status",
                  .named = true},
           field("metadata", &scheduling_policy::SchedulingPolicy::metadata),
           field("spec", &scheduling_policy::SchedulingPolicy::spec));

template <>
inline constexpr auto words<scheduling_policy::Component> = [] {
  constexpr std::size_t count = scheduling_policy::component_names.size();
  Vocabulary<scheduling_policy::Component, count> all{{}, true};
  for (std::size_t i = 0; i < count; ++i)
    all.words[i] = static_cast<scheduling_policy::Component>(i);
  return all;
}();

/// Components that have a name together.
enum class ComponentSet { proposal, all };
constexpr std::string_view to_string(ComponentSet set) noexcept {
  return set == ComponentSet::all ? "All" : "Proposal";
}
template <>
inline constexpr auto words<ComponentSet> =
    vocabulary(Presence::optional, ComponentSet::proposal, ComponentSet::all);

/// `Proposal`, `All`, or a list. What lists none would open all that a cluster is closed by.
inline void read_value(Decoder& decoder, const PathBuilder& at, Element from,
                       scheduling_policy::Components& into) {
  if (!from.is_list()) {
    ComponentSet set = ComponentSet::proposal;
    if (!from.is_string()) return decoder.wrong_type(at, from, "a string or a list");
    decoder.read(at, from, set);
    into = set == ComponentSet::all ? scheduling_policy::Components::all()
                                    : scheduling_policy::Components::proposal();
    return;
  }
  std::vector<scheduling_policy::Component> listed;
  decoder.read(at, from, listed);
  if (listed.empty())
    decoder.report(ErrorType::required, at, "",
                   "must list a component at least, or be `Proposal` or `All`");
  into = scheduling_policy::Components(listed);
}
inline void write(Writer& out, const scheduling_policy::Components& components) {
  if (components == scheduling_policy::Components::proposal())
    return write(out, ComponentSet::proposal);
  if (components == scheduling_policy::Components::all()) return write(out, ComponentSet::all);
  ListWriter list(out);
  for (const scheduling_policy::Component each : words<scheduling_policy::Component>.words)
    if (components.contain(each)) write(list.item(), each);
}

template <>
inline constexpr auto schema<scheduling_policy::Options> = object(
    Traits{.unknown = Unknown::refuse}, field("governs", &scheduling_policy::Options::governs),
    field("requiredAffinity", &scheduling_policy::Options::required_affinity),
    field("nodeName", &scheduling_policy::Options::node_name),
    field("defaultScheduler", &scheduling_policy::Options::default_scheduler),
    field("exemptNodeName", [](auto& options) -> auto& { return options.exempt.node_name; }),
    field("exemptSchedulerName",
          [](auto& options) -> auto& { return options.exempt.scheduler_name; }),
    field("exemptNodeSelector",
          [](auto& options) -> auto& { return options.exempt.node_selector; }),
    field("exemptTolerations", [](auto& options) -> auto& { return options.exempt.tolerations; }),
    field("exemptAffinity", [](auto& options) -> auto& { return options.exempt.affinity; }),
    field("globalDefaultPriorityClass",
          &scheduling_policy::Options::global_default_priority_class));

using SchedulingPolicyValues =
    Types<scheduling_policy::TolerationPattern, scheduling_policy::RequirementPattern,
          scheduling_policy::SpreadConstraintPattern, scheduling_policy::TermPattern,
          scheduling_policy::NodeAffinityRule, scheduling_policy::PodAffinityRule,
          scheduling_policy::NodeAffinityRules, scheduling_policy::PodAffinityRules,
          scheduling_policy::AffinityRules, scheduling_policy::PolicySection,
          scheduling_policy::DefaultToleration, scheduling_policy::Defaults,
          scheduling_policy::SchedulingPolicySpec, scheduling_policy::SchedulingPolicy,
          scheduling_policy::Options>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/values.hpp

/// All types that `decode` reads and `encode` writes: one file for each system. If the library is
/// compiled, so are their readers and writers.

namespace SCHEDPOL_NAMESPACE::json::detail {

using Values =
    decltype(CoreValues{} + MetadataPolicyValues{} + PodSchedulingPolicyValues{} + RbacValues{} +
             ResourcePolicyValues{} + RuntimeClassValues{} + SchedulingPolicyValues{});
using Read = decltype(Values{} + EngineValues{});
using Written =
    decltype(Values{} + CoreResults{} + MetadataPolicyResults{} + PodSchedulingPolicyResults{});

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/decode.ipp

namespace SCHEDPOL_NAMESPACE::json {

template <class T>
Result<T> decode(const Document& document) {
  static_assert(detail::is_one_of<T>(detail::Read{}), "decode.hpp lists what is read");
  Result<T> result(std::in_place);
  if (const detail::Element root = DocumentAccess::root(document); root.is_there()) {
    detail::Decoder decoder(DocumentAccess::bytes(document));
    decoder.read({}, root, *result);
    if (!decoder.errors().empty()) result = decoder.take_errors();
  } else {
    result = std::vector<FieldError>{document.error()};
  }
  return result;  // the one object, which is not moved
}

template <class T>
Result<T> decode(std::string_view bytes) {
  Document document;
  // A document that is not good says itself what is wrong.
  static_cast<void>(document.parse(bytes));
  return decode<T>(document);
}

SCHEDPOL_INLINE std::string kind_of(const RawObject& object) {
  const auto text_of = [&](std::string_view name) {
    const auto found = object.find(name);
    auto text = found == object.end() ? Result<std::string>(std::in_place)
                                      : decode<std::string>(found->second.json);
    return text ? *std::move(text) : std::string();
  };
  const std::string proposed = text_of(detail::proposed_kind_field);
  std::string kind = text_of("kind");
  return kind.empty() && proposed == detail::proposed_kind ? proposed : kind;
}

#if defined(SCHEDPOL_COMPILED)
namespace detail {

template <class T>
struct DecodersOf {
  Result<T> (*of_bytes)(std::string_view) = &decode<T>;
  Result<T> (*of_document)(const Document&) = &decode<T>;
};

}  // namespace detail

/// Whoever sees only the declarations links with these: all of it is compiled, as its addresses are
/// kept.
template <class... T>
const void* decoders(detail::Types<T...>) {
  static constexpr struct : detail::DecodersOf<T>... {
  } all;
  return &all;
}
template const void* decoders(detail::Read);
#endif

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/encode.ipp

namespace SCHEDPOL_NAMESPACE::json {

template <class T>
std::string encode(const T& value) {
  static_assert(detail::is_one_of<T>(detail::Written{}), "encode.hpp lists what is written");
  detail::Writer out;
  write(out, value);  // of `detail`, by the type of `out`
  return std::move(out).take();
}

#if defined(SCHEDPOL_COMPILED)
namespace detail {

template <class T>
struct EncoderOf {
  std::string (*of_value)(const T&) = &encode<T>;
};

}  // namespace detail

/// As in `decode.ipp`.
template <class... T>
const void* encoders(detail::Types<T...>) {
  static constexpr struct : detail::EncoderOf<T>... {
  } all;
  return &all;
}
template const void* encoders(detail::Written);
#endif

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/object_lists.hpp

/// Lists of objects as an API server answers them: a `List`, and the `KINDList` of one kind.
/// 1. Items of a `KINDList` that lack a kind or apiVersion have the kind of the list, without `List`, and
///    its apiVersion. The items of a `List` are like separate objects.
/// 2. An item of another kind or group than its `KINDList` is an error.
/// 3. An item cannot be a list itself. Other members of a list are ignored.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// What a string says; nothing of anything else.
inline std::string_view text_of(Element from) {
  std::string_view text;
  return from.get(text) ? text : std::string_view();
}

/// What a list says of its items; nothing where it is a `List`.
struct ItemHead {
  std::string_view kind{};
  Element api_version{};
};

/// None where it is, by its kind, no list of objects.
inline std::optional<ItemHead> item_head(Element list) {
  constexpr std::string_view list_kind = "List";
  std::string_view kind;
  if (!list["kind"].get(kind) || !kind.ends_with(list_kind)) return std::nullopt;
  kind.remove_suffix(list_kind.size());
  if (kind.empty()) return ItemHead{};
  return ItemHead{kind, list.non_null("apiVersion")};
}

/// Whether the kind is one of these, which the object is of then.
template <class T, class Kinds>
bool take_one(T& object, std::string_view kind, const Kinds& kinds) {
  for (const auto known : kinds) {
    if (to_string(known) != kind) continue;
    object.kind = known;
    return true;
  }
  return false;
}

/// Whether a `T` can be of the kind. One that knows its kind is of it then.
template <class T>
bool take_kind(T& object, std::string_view kind) {
  if constexpr (std::derived_from<T, Pod>) {
    return take_one(object, kind, pod_kinds);
  } else if constexpr (Object<T>) {
    return kind == schema<T>.traits.kind;
  } else {
    return take_one(object, kind, words<decltype(object.kind)>.words);
  }
}

/// What is wrong with an `apiVersion` for a `T` of that kind; empty where it is right, or not said.
template <class T>
std::string version_problem(std::string_view kind, Element version) {
  std::string_view text;
  if (!version.get(text)) return version.is_there() ? "must be a string" : "";
  if constexpr (std::derived_from<T, Pod>) {
    const std::optional<PodKind> known = pod_kind(kind);
    if (text.empty() || !known || is_in_group(*known, api_group(text))) return {};
    return "must be " + std::string(api_version(*known));
  } else {
    return group_problem(text, schema<T>.traits.api_version);
  }
}

/// Calls `read(place, item)` for each item of a list with such a head, and
/// `report(type, place, bad_value, detail)` for what is wrong with the list or an item of it.
template <class Report, class Read>
void for_each_listed(const PathBuilder& at, Element list, const ItemHead& head, Report&& report,
                     Read&& read) {
  const PathBuilder place = at.child("items");
  const Element items = list["items"];
  if (!items.is_list())
    return report(ErrorType::type_invalid, place, "", "must be a list of objects");
  std::string_view list_version;
  const bool has_version = head.api_version.get(list_version);
  std::size_t index = 0;
  for (const Element item : items.items()) {
    const PathBuilder at_item = place.index(index++);
    std::string_view kind;
    std::string_view version;
    if (!head.kind.empty() && written_kind(item).get(kind) && kind != head.kind) {
      report(ErrorType::not_supported, at_item.child("kind"), kind,
             "must be " + std::string(head.kind) + ", which its list is of");
    } else if (has_version && item["apiVersion"].get(version) && !version.empty() &&
               api_group(version) != api_group(list_version)) {
      report(ErrorType::not_supported, at_item.child("apiVersion"), version,
             "must be " + std::string(list_version) + ", which its list is of");
    } else {
      read(at_item, item);
    }
  }
}

/// Where objects stand that were read one after another, some of them out of lists in a list.
class ObjectPlaces {
 public:
  /// From this object on they stand below `list`, beginning with this item.
  void go_on(std::size_t object, FieldPath list, std::size_t item) {
    if (!runs_.empty() && runs_.back().first == object) runs_.pop_back();
    runs_.push_back({object, std::move(list), item});
  }

  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }

  /// Of one of the objects, where there are any.
  [[nodiscard]] FieldPath path(std::size_t object) const {
    auto run = runs_.rbegin();
    while (run->first > object) ++run;
    return run->list.index(run->item + object - run->first);
  }

 private:
  struct Run {
    std::size_t first;  ///< object
    FieldPath list;
    std::size_t item;
  };
  std::vector<Run> runs_;
};

/// Objects of Kubernetes: what has metadata.
template <class T>
concept Listable = requires(T object) { object.metadata; };

/// Reads what stands where a list of objects is wanted: a list of them, of which some may be lists
/// as an API server answers them, or one such list.
template <Listable T>
class ObjectListReader {
 public:
  ObjectListReader(Decoder& decoder, std::vector<T>& into) : decoder_(decoder), into_(into) {}

  void read(const PathBuilder& at, Element from) {
    if (!from.is_list()) {
      if (read_list(at, from)) return;
      if (!item_head(from)) return decoder_.wrong_type(at, from, "a list");
      return decoder_.report(ErrorType::not_supported, at.child("kind"), from["kind"].text(),
                             "lists no such objects");
    }
    const ElementItems items = from.items();
    if (!decoder_.may_list(at, items.size())) return;
    into_.reserve(items.size());
    std::size_t index = 0;
    for (const Element item : items) {
      const PathBuilder place = at.index(index++);
      if (places_.empty() && item_head(item)) places_.go_on(0, at.path(), 0);
      if (read_list(place, item)) {
        places_.go_on(into_.size(), at.path(), index);
      } else {
        read_one(place, item, {});
      }
    }
  }

  [[nodiscard]] ObjectPlaces places() && { return std::move(places_); }

 private:
  /// False where it lists no such objects.
  bool read_list(const PathBuilder& at, Element from) {
    const std::optional<ItemHead> head = item_head(from);
    T item{};
    if (!head || (!head->kind.empty() && !take_kind(item, head->kind))) return false;
    const auto report = [&](auto&&... error) { decoder_.report(error...); };
    const std::string problem = version_problem<T>(head->kind, head->api_version);
    const PathBuilder place = at.child("items");
    if (!problem.empty()) {
      report(ErrorType::not_supported, at.child("apiVersion"), text_of(head->api_version), problem);
    } else if (decoder_.may_list(place, from["items"].items().size())) {
      places_.go_on(into_.size(), place.path(), 0);
      if (!head->kind.empty()) decoder_.let_lack("kind");
      for_each_listed(at, from, *head, report,
                      [&](const PathBuilder& where, Element each) { read_one(where, each, item); });
      decoder_.let_lack({});
    }
    return true;
  }

  /// A null one is empty, as in any list of objects.
  void read_one(const PathBuilder& at, Element from, const T& empty) {
    into_.push_back(empty);
    if (!from.is_null()) decoder_.read(at, from, into_.back());
  }

  Decoder& decoder_;
  std::vector<T>& into_;
  ObjectPlaces places_;
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/input.hpp

/// The `input` of a request to `evaluate`: how its parts are read, and what is noted of the first
/// one that is wrong.

namespace SCHEDPOL_NAMESPACE::json::detail {

struct Failure {
  EvaluateError code = EvaluateError::invalid_request;
  FieldError error;
};

/// Reading a part of it that is wrong notes the first failure and goes on with an empty value;
/// nothing is evaluated unless `complete` says that all was well.
class Input {
 public:
  /// `request` is the text of the whole request, `object` its `input`, `engine` what is asked for a
  /// decision that names no configuration, if there is one.
  Input(std::string_view request, Element object, const engine::Engine* engine = nullptr)
      : request_(request), object_(object), engine_(engine), decoder_(request.size()) {}

  /// A part that may be left out.
  template <class T>
  T read(std::string_view name, EvaluateError code = EvaluateError::invalid_object) {
    T value{};
    const Element from = find(name);
    if (!from.is_there()) return value;
    const PathBuilder whole;
    read_part(whole.child(name), from, value);
    return note_failure(code) ? T{} : value;
  }

  /// A part that has to be there.
  template <class T>
  T require(std::string_view name) {
    static_cast<void>(require_element(name));
    return read<T>(name);
  }

  /// An object that has to be there and need not say its name: whoever validates it reports that.
  template <class T>
  T require_unnamed(std::string_view name) {
    decoder_.let_lack("metadata");
    T value = require<T>(name);
    decoder_.let_lack({});
    return value;
  }

  /// Fails where a part says its kind in two spellings.
  void check_kind(std::string_view name) {
    const PathBuilder whole;
    static_cast<void>(decoder_.read_kind(whole.child(name), find(name)));
    static_cast<void>(note_failure(EvaluateError::invalid_object));
  }

  /// Whether a part that may be left out is there.
  [[nodiscard]] bool has(std::string_view name) { return find(name).is_there(); }

  /// A part that has to be there, for who reads it in a way of its own.
  Element require_element(std::string_view name) {
    const Element from = find(name);
    if (!from.is_there())
      fail(EvaluateError::invalid_request,
           {ErrorType::required, FieldPath{name}, "", "the operation needs it"});
    return from;
  }

  /// Objects of which none is larger than `validate` permits: what else is wrong with one is no matter
  /// for what is asked.
  template <class T>
  std::vector<T> read_policies(std::string_view list) {
    auto objects = read<std::vector<T>>(list);
    const FieldPath field = FieldPath{list};
    for (std::size_t i = 0; i < objects.size() && !failure_; ++i) {
      schedpol::detail::FieldErrors errors;
      const FieldPath name = {"metadata", "name"};
      schedpol::detail::validate_length(errors, name, objects[i].metadata.name,
                                        max_subdomain_bytes);
      errors.append(validate(objects[i]));
      for (FieldError& error : std::move(errors).take()) {
        if (!is_limit(error)) continue;
        error.field = field.index(i).join(error.field);
        fail(EvaluateError::limit_exceeded, std::move(error));
      }
    }
    if (failure_) objects.clear();
    return objects;
  }

  /// Cluster-scoped objects, which are told apart by name, so that each needs one of its own.
  template <class T>
  std::vector<T> read_named(std::string_view list) {
    auto objects = read_policies<T>(list);
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const std::string& name = objects[i].metadata.name;
      if (!name.empty() && names.insert(name).second) continue;
      fail(EvaluateError::invalid_object,
           {name.empty() ? ErrorType::required : ErrorType::duplicate,
            FieldPath{list}.index(i).child("metadata").child("name"), name,
            name.empty() ? "an object is told by its name" : "another object has this name"});
    }
    return objects;
  }

  /// A part that has to be there and has parts of its own, which `f(part)` reads.
  template <class F>
  void within(std::string_view name, F&& f) {
    const Element from = find(name);
    if (!from.is_object())
      return fail(EvaluateError::invalid_request,
                  {from.is_there() ? ErrorType::type_invalid : ErrorType::required, FieldPath{name},
                   "", "the operation needs an object"});
    Input part(request_, from);
    f(part);
    if (part.complete()) return;
    Failure failure = *part.failure();
    failure.error.field = FieldPath{name}.join(failure.error.field);
    fail(failure.code, std::move(failure.error));
  }

  /// The part as it was parsed: what patches are computed against. Only where it was required and
  /// read.
  [[nodiscard]] Element element(std::string_view name) const { return object_.non_null(name); }

  [[nodiscard]] const engine::Engine* engine() const noexcept { return engine_; }

  [[nodiscard]] std::size_t request_bytes() const noexcept { return request_.size(); }

  /// The bytes of the part, as they stand in the request.
  [[nodiscard]] std::string_view text(std::string_view name) const {
    return member_text(member_text(request_, "input"), name);
  }

  /// The place of an error counts the objects of a part as they were read. An object that has more of
  /// something than one may have is beyond a limit.
  void fail(EvaluateError code, FieldError error) {
    if (failure_) return;
    if (is_limit(error)) code = EvaluateError::limit_exceeded;
    error.field = place_in_lists(std::move(error.field));
    failure_ = Failure{code, std::move(error)};
  }
  /// With all of some errors, of which the first is told.
  void fail(EvaluateError code, const std::vector<FieldError>& errors) {
    if (!errors.empty()) fail(code, errors.front());
  }

  /// Whether all parts could be read, and there are no others.
  [[nodiscard]] bool complete() {
    for (const ElementMember member : object_.members()) {
      if (known_.contains(member.key)) continue;
      fail(EvaluateError::invalid_request,
           {ErrorType::forbidden, FieldPath{member.key}, "", "the operation has no such input"});
    }
    return !failure_;
  }
  [[nodiscard]] const std::optional<Failure>& failure() const noexcept { return failure_; }

 private:
  /// Whether what was just read is wrong.
  [[nodiscard]] bool note_failure(EvaluateError code) {
    if (decoder_.errors().empty()) return false;
    const FieldError& error = decoder_.errors().front();  // of this part, where none failed before
    if (!failure_)
      failure_ = Failure{is_limit(error) ? EvaluateError::limit_exceeded : code, error};
    return true;
  }

  Element find(std::string_view name) {
    known_.insert(name);
    return element(name);
  }

  template <class T>
  void read_part(const PathBuilder& at, Element from, T& value) {
    decoder_.read(at, from, value);
  }
  template <Listable T>
  void read_part(const PathBuilder& at, Element from, std::vector<T>& objects) {
    ObjectListReader<T> reader(decoder_, objects);
    reader.read(at, from);
    places_.insert_or_assign(at.step().name, std::move(reader).places());
  }

  /// Where an object stands of a part in which lists are.
  [[nodiscard]] FieldPath place_in_lists(FieldPath path) const {
    const auto steps = path.steps();
    if (steps.size() < 2 || steps[1].kind != FieldPath::Step::Kind::index) return path;
    const auto part = places_.find(steps[0].name);
    if (part == places_.end() || part->second.empty()) return path;
    return part->second.path(steps[1].index).join(path.below(2));
  }

  std::string_view request_;
  Element object_;
  const engine::Engine* engine_;
  Decoder decoder_;
  std::set<std::string_view> known_;
  std::map<std::string_view, ObjectPlaces> places_;  ///< of each part that is a list of objects
  std::optional<Failure> failure_;
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/list_edits.hpp

/// The cheapest edits that turn one list into another: one step for each item of either list, which
/// keeps, changes, removes or adds it.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// What it costs to make one item of a list of another: less than to remove the one and add the
/// other. Items with the same key, or terms that have a criterion in common, are one and the same
/// item that was changed; strangers are replaced.
struct EditCost {
  static constexpr int equal = 0;
  static constexpr int common = 4;
  static constexpr int remove_or_add = 5;
  static constexpr int related = 6;
  static constexpr int stranger = 9;
};

/// The cheapest change of a requirement of the one list into one of the other, among the first
/// `max_compared_requirements` of each.
[[nodiscard]] inline int change_cost(const std::vector<NodeSelectorRequirement>& some,
                                     const std::vector<NodeSelectorRequirement>& others) {
  const auto compared = [](const auto& list) {
    return std::span(list).first(std::min(list.size(), max_compared_requirements));
  };
  int least = EditCost::stranger;
  for (const NodeSelectorRequirement& a : compared(some)) {
    for (const NodeSelectorRequirement& b : compared(others)) {
      if (a == b) return EditCost::common;
      if (a.key == b.key && !a.key.empty()) least = EditCost::related;
    }
  }
  return least;
}

/// Of two items of lists.
template <class T>
[[nodiscard]] int change_cost(const T& a, const T& b) {
  if (a == b) return EditCost::equal;
  if constexpr (requires { a.key; }) {
    return a.key == b.key && !a.key.empty() ? EditCost::related : EditCost::stranger;
  } else if constexpr (requires { a.match_fields; }) {
    return std::min(change_cost(a.match_expressions, b.match_expressions),
                    change_cost(a.match_fields, b.match_fields));
  } else if constexpr (requires { a.preference; }) {
    return std::max(EditCost::common, change_cost(a.preference, b.preference));
  } else if constexpr (requires { a.topology_key; }) {
    return a.topology_key == b.topology_key ? EditCost::related : EditCost::stranger;
  } else if constexpr (requires { a.pod_affinity_term; }) {
    return std::max(EditCost::common, change_cost(a.pod_affinity_term, b.pod_affinity_term));
  } else {
    return EditCost::related;
  }
}

enum class ListEdit : unsigned char { change, remove, add };

/// The way from one list to another, whatever they list.
class ListEdits {
 public:
  /// Of lists of that many items: `cost(i, j)` is what it costs to turn the `i`th of the one into the
  /// `j`th of the other.
  template <class Cost>
  ListEdits(std::size_t from, std::size_t to, const Cost& cost) : from_(from), to_(to) {
    if (from == 0 || to == 0 || to > max_list_edit_cells / from) return;
    // Levenshtein's distance from every suffix of one list to every suffix of the other.
    cells_.resize((from + 1) * (to + 1));
    for (std::size_t j = to; j-- > 0;)
      cell(from, j) = {cell(from, j + 1).distance + EditCost::remove_or_add, ListEdit::add};
    for (std::size_t i = from; i-- > 0;) {
      cell(i, to) = {cell(i + 1, to).distance + EditCost::remove_or_add, ListEdit::remove};
      for (std::size_t j = to; j-- > 0;) {
        cell(i, j) =
            std::min({Cell{cell(i + 1, j + 1).distance + cost(i, j), ListEdit::change},
                      Cell{cell(i + 1, j).distance + EditCost::remove_or_add, ListEdit::remove},
                      Cell{cell(i, j + 1).distance + EditCost::remove_or_add, ListEdit::add}},
                     [](const Cell& a, const Cell& b) { return a.distance < b.distance; });
      }
    }
  }

  /// The step to take where the first `i` items of the one are the first `j` of the other by now.
  /// Some item has to be left.
  [[nodiscard]] ListEdit at(std::size_t i, std::size_t j) const {
    if (i == from_) return ListEdit::add;
    if (j == to_) return ListEdit::remove;
    return cells_.empty() ? ListEdit::change : cell(i, j).edit;
  }

 private:
  /// What it costs to make the rest of the one list of the rest of the other, and its first step.
  struct Cell {
    int distance;
    ListEdit edit;  ///< of those that cost the same the first
  };

  [[nodiscard]] Cell& cell(std::size_t i, std::size_t j) noexcept {
    return cells_[i * (to_ + 1) + j];
  }
  [[nodiscard]] const Cell& cell(std::size_t i, std::size_t j) const noexcept {
    return cells_[i * (to_ + 1) + j];
  }

  std::size_t from_;
  std::size_t to_;
  std::vector<Cell> cells_;  ///< none where no way is looked for
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/patch.ipp

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

/// Takes down the operations that turn one value into another, by their schemas. Nothing is built for
/// what is equal.
class Differ {
 public:
  /// Of a document that the values before were decoded from.
  explicit Differ(Element document) : document_(document) { operations_.reserve(usual_operations); }

  /// Gives `metadata` or `spec` of the pod or pod template in an object of the kind the fields of
  /// `after`, parents that the document lacks first. `before` is what was decoded from there.
  template <Described T>
  void diff(PodKind kind, std::string_view field, const T& before, const T& after) {
    if (before == after) return;
    const PointerScope back(pointer_);
    Element part = document_;
    for (const std::string_view step : template_steps(kind)) enter(part, step);
    diff_part(part, field, before, after);
  }
  /// The same of a pod template that `part` of the document is, at `place`, whose fields need no escapes.
  template <Described T>
  void diff(const FieldPath& place, Element part, std::string_view field, const T& before,
            const T& after) {
    if (before == after) return;
    const PointerScope back(pointer_);
    for (const FieldPath::Step& step : place.steps()) {
      if (step.kind == FieldPath::Step::Kind::index) {
        enter_index(step.index);
      } else {
        enter_field(step.name);
      }
    }
    diff_part(part, field, before, after);
  }
  void diff(const Pod& before, const Pod& after) {
    diff(before.kind, "metadata", before.metadata, after.metadata);
    diff(before.kind, "spec", before.spec, after.spec);
  }
  /// The same of what an object says of itself, whatever kind it is of.
  void diff_object(const ObjectMeta& before, const ObjectMeta& after) {
    diff(PodKind::pod, "metadata", before, after);
  }

  [[nodiscard]] Patch patch() const {
    Patch patch;
    const auto text = [&](Range part) { return json_.text().substr(part.begin, part.size); };
    for (const auto& [op, path, value] : operations_)
      patch.push_back({op, unescaped(text(path)), std::string(text(value)), {}});
    return patch;
  }
  /// The same as JSON; nothing where there are no operations. The last thing that is asked of it, and
  /// valid as long as it is there.
  [[nodiscard]] std::string_view json() && {
    if (!operations_.empty()) json_ += ']';
    return json_.text();
  }

 private:
  /// A part of the JSON.
  struct Range {
    std::size_t begin;
    std::size_t size;
  };
  struct WrittenOperation {
    PatchOp op;
    Range path;     ///< what stands in the quotes
    Range value{};  ///< none where there is no value
  };

  /// Takes off the pointer what was entered since it was made, when it ends.
  class PointerScope {
   public:
    explicit PointerScope(Writer& pointer) : pointer_(pointer), size_(pointer.text().size()) {}
    PointerScope(const PointerScope&) = delete;
    PointerScope& operator=(const PointerScope&) = delete;
    ~PointerScope() { pointer_.shorten(size_); }

   private:
    Writer& pointer_;
    std::size_t size_;
  };

  /// Goes into a field of what the pointer leads to.
  void enter(Element& part, std::string_view field) {
    make(part);
    enter_field(field);
    part = part[field];
  }
  template <Described T>
  void diff_part(Element part, std::string_view field, const T& before, const T& after) {
    enter(part, field);
    make(part);
    diff(before, after);
  }

  /// Names of fields need no escapes.
  void enter_field(std::string_view name) {
    pointer_ += '/';
    pointer_ += name;
  }
  void enter_key(std::string_view name) {
    pointer_ += '/';
    for (const char c : name) {
      if (c == '~') {
        pointer_ += "~0";
      } else if (c == '/') {
        pointer_ += "~1";
      } else if (is_plain(c)) {
        pointer_ += c;
      } else {
        write_escape(pointer_, c);
      }
    }
  }
  void enter_index(std::size_t index) {
    pointer_ += '/';
    write(pointer_, index);
  }

  /// An operation at the place where the pointer leads; `value` is nothing or one value.
  template <class... Value>
  void note(PatchOp op, const Value&... value) {
    const auto part = [&](std::string_view before, const auto& text) -> Range {
      json_ += before;
      const std::size_t begin = json_.text().size();
      write(json_, text);
      return {begin, json_.text().size() - begin};
    };
    part(operations_.empty() ? R"([{"op":)" : R"(,{"op":)", to_string(op));
    operations_.push_back({op, part(R"(,"path":")", Raw{pointer_.text()})});
    json_ += '"';
    ((operations_.back().value = part(R"(,"value":)", value)), ...);
    json_ += '}';
  }
  template <class... Value>
  void note_key(PatchOp op, std::string_view key, const Value&... value) {
    const PointerScope back(pointer_);
    enter_key(key);
    note(op, value...);
  }

  /// Sees to it that there is something in a place of the document.
  void make(Element part) {
    if (part.is_there() && !part.is_null()) return;
    if (schedpol::detail::contains(made_, pointer_.text())) return;
    note(PatchOp::add, Raw{"{}"});
    made_.emplace_back(pointer_.text());
  }

  template <Described T>
  void diff(const T& before, const T& after) {
    for_each_field<T>([&](const auto& field) {
      diff_field(field.name, part_of(before, field.access), part_of(after, field.access));
    });
  }

  template <class T>
  void diff_field(std::string_view name, const T& before, const T& after) {
    const bool was = !is_absent(before);
    const bool is = !is_absent(after);
    if (!was && !is) return;
    const PointerScope back(pointer_);
    enter_field(name);
    if (!is) {
      note(PatchOp::remove);
    } else if (before == T{} && after != T{}) {  // absent, or 0: a number that may not be there
      note(PatchOp::add, after);
    } else {
      diff(before, after);
    }
  }

  template <class T>
  void diff(const T& before, const T& after) {
    if (before != after) note(PatchOp::replace, after);
  }
  template <class T>
  void diff(const std::optional<T>& before, const std::optional<T>& after) {
    diff(*before, *after);
  }
  void diff(const Labels& before, const Labels& after) {
    auto old = before.begin();
    for (const auto& [key, value] : after) {
      for (; old != before.end() && old->first < key; ++old) note_key(PatchOp::remove, old->first);
      if (old == before.end() || old->first != key) {
        note_key(PatchOp::add, key, value);
      } else if ((old++)->second != value) {
        note_key(PatchOp::replace, key, value);
      }
    }
    for (; old != before.end(); ++old) note_key(PatchOp::remove, old->first);
  }
  void diff(const Texts& before, const Texts& after) { diff(before.vector(), after.vector()); }

  template <class T>
  void diff(const std::vector<T>& before, const std::vector<T>& after) {
    const std::size_t shorter = std::min(before.size(), after.size());
    std::size_t same = 0;
    while (same < shorter && before[same] == after[same]) ++same;
    std::size_t tail = 0;
    while (tail < shorter - same &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
      ++tail;
    const std::span<const T> old = std::span(before).subspan(same, before.size() - same - tail);
    const std::span<const T> wanted = std::span(after).subspan(same, after.size() - same - tail);
    const auto cost = [&](std::size_t i, std::size_t j) { return change_cost(old[i], wanted[j]); };
    const ListEdits edits(old.size(), wanted.size(), cost);
    for (std::size_t i = 0, j = 0; i < old.size() || j < wanted.size();) {
      const PointerScope back(pointer_);
      if (i == old.size() && tail == 0) {
        enter_field("-");
      } else {
        enter_index(same + j);
      }
      const ListEdit edit = edits.at(i, j);
      switch (edit) {
        case ListEdit::change: change_item(old[i], wanted[j], cost(i, j)); break;
        case ListEdit::remove: note(PatchOp::remove); break;
        case ListEdit::add: note(PatchOp::add, wanted[j]); break;
      }
      i += edit == ListEdit::add ? 0 : 1;
      j += edit == ListEdit::remove ? 0 : 1;
    }
  }

  /// An item without any field may stand as null in the document, where nothing can be added to it.
  template <class T>
  void change_item(const T& before, const T& after, int cost) {
    if (cost == EditCost::equal) return;
    if (is_absent(before) || cost == EditCost::stranger) {
      note(PatchOp::replace, after);
    } else {
      diff(before, after);
    }
  }

  /// More than most patches have, so that the list rarely moves.
  static constexpr std::size_t usual_operations = 16;

  Element document_;
  Writer pointer_;  ///< the JSON Pointer to where it is, escaped as in a JSON string
  Writer json_;     ///< the operations, without the bracket that closes them
  std::vector<WrittenOperation> operations_;
  std::vector<std::string> made_;  ///< parents that were missing
};

}  // namespace detail

SCHEDPOL_INLINE Patch make_patch(const Document& document, const Pod& before, const Pod& after) {
  const detail::Element root = DocumentAccess::root(document);
  detail::Differ differ(root);
  if (root.is_there()) differ.diff(before, after);
  return differ.patch();
}

SCHEDPOL_INLINE Patch make_patch(const Document& document, const ObjectMeta& before,
                                 const ObjectMeta& after) {
  const detail::Element root = DocumentAccess::root(document);
  detail::Differ differ(root);
  if (root.is_there()) differ.diff_object(before, after);
  return differ.patch();
}

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/operation.hpp

/// The operations of `evaluate`, and parts of their answers that several share. Each file in `operations/`
/// has the operations of one system and does not repeat the includes of this file.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// `run` reads its input and, once that is complete, writes the members of its result. What it
/// wrote does not count where it has failed.
struct NamedOperation {
  std::string_view name;
  void (*run)(Input& input, ObjectWriter& result);
};

/// Answers with what `validate` finds wrong with the policy of the input.
template <class Policy>
void policy_validate(Input& input, ObjectWriter& result) {
  const auto policy = input.require_unnamed<Policy>("policy");
  if (input.complete()) result.member("errors", validate(policy));
}

/// `object`, the input of that name with the changes applied, and their `patch`. Where they make it
/// longer than a document may be, no decision is answered without its object.
inline void write_object(ObjectWriter& result, Input& input, std::string_view name,
                         const Patch& patch) {
  const Result<std::string> object = apply_patch(input.text(name), patch);
  if (!object) input.fail(EvaluateError::limit_exceeded, object.errors());
  result.member("object", Raw{object ? *object : std::string_view("null")}).member("patch", patch);
}
inline void write_object(ObjectWriter& result, Input& input, std::string_view name,
                         const Pod& before, const Pod& after) {
  Differ differ(input.element(name));
  differ.diff(before, after);
  write_object(result, input, name, differ.patch());
}

inline void write_violations(ObjectWriter& result, const std::vector<Violation>& violations) {
  write_first(result, "violations", "moreViolations", violations, max_reported_violations);
}

/// What operations that admit a pod answer with. A denied pod is the one that came.
inline void write_admission(ObjectWriter& result, Input& input, const Pod& before,
                            const Admission& admission) {
  result.member("allowed", bool{admission.allowed});
  write_violations(result, admission.violations);
  result.member("changes", admission.changes);
  write_object(result, input, "pod", before, admission.allowed ? admission.pod : before);
}

/// Code, severity, policy, field, message, the object where that is a role or binding, the policies
/// where they are two, and where there is one a witness, with its namespace.
inline void write_finding(ObjectWriter& object, const Finding& finding) {
  // What is said of all of them names none.
  std::optional<std::string> policy;
  if (!finding.policies.empty() && (finding.policies.size() == 1 || !finding.field.empty()))
    policy = finding.policies.vector()[0];
  object.member("code", to_string(finding.code))
      .member("severity", to_string(finding.severity))
      .member("policy", policy)
      .member("field", finding.field)
      .member("message", message(finding));
  if (!finding.object.empty()) object.member("object", finding.object);
  if (finding.policies.size() == 2) object.member("policies", finding.policies);
  if (finding.witness) object.member("witness", *finding.witness);
  if (finding.namespace_) object.member("namespace", finding.namespace_->metadata);
}

inline void write(Writer& out, const Finding& finding) {
  ObjectWriter object(out);
  write_finding(object, finding);
}
inline void write(Writer& out, const engine::SystemFinding& finding) {
  ObjectWriter object(out);
  object.member("system", to_string(finding.system));
  write_finding(object, finding.finding);
}

template <class T>
void write_findings(ObjectWriter& result, const std::vector<T>& findings) {
  write_first(result, "findings", "moreFindings", findings, max_reported_violations);
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/operations/cluster.hpp

/// Operations of a cluster's nodes and bound pods, with their inputs and results:
/// - pod.filterNodes: pod, nodes, pods (of which those with a `spec.nodeName` are bound), namespaces; feasible,
///   the names of the nodes that the default filters of kube-scheduler leave (rule 8 of
///   `cluster/bound_pods.hpp`), in the order in which they came, and where there is none message, what
///   kube-scheduler says of it.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// How many terms and constraints one pod is held against others by.
inline std::size_t terms_between_pods(const PodSpec& spec) {
  std::size_t terms = spec.topology_spread_constraints.size();
  if (!spec.affinity) return terms;
  for (const auto* kind : {&spec.affinity->pod_affinity, &spec.affinity->pod_anti_affinity})
    if (*kind) terms += (*kind)->required_during_scheduling_ignored_during_execution.size();
  return terms;
}

inline void pod_filter_nodes(Input& input, ObjectWriter& result) {
  const auto pod = input.require<Pod>("pod");
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const auto namespaces = input.read<std::vector<Namespace>>("namespaces");
  std::size_t terms = terms_between_pods(pod.spec);
  for (const Pod& bound : pods) terms += terms_between_pods(bound.spec);
  const std::size_t most = max_counted_pairs / std::max<std::size_t>(nodes.size() + pods.size(), 1);
  if (terms > most) {
    input.fail(EvaluateError::limit_exceeded,
               {ErrorType::too_many, FieldPath{"pods"}, std::to_string(terms),
                "terms of required pod affinity and spread constraints, of all pods together, must "
                "be at most " +
                    std::to_string(most) + " for so many nodes and pods"});
  }
  if (!input.complete()) return;
  BoundPods bound(nodes, namespaces);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    for (FieldError& error : bound.bind(pods[i], pods[i].spec.node_name)) {
      error.field = FieldPath{"pods"}.index(i).join(error.field);
      input.fail(EvaluateError::invalid_object, std::move(error));
    }
  }
  const Result<FilteredNodes> filtered = bound.filter(pod);
  for (FieldError error : filtered.errors()) {
    error.field = FieldPath{"pod"}.join(error.field);
    input.fail(EvaluateError::invalid_object, std::move(error));
  }
  if (!input.complete()) return;
  std::vector<std::string_view> feasible;
  for (const std::size_t node : filtered->feasible) feasible.push_back(bound.nodes().name(node));
  result.member("feasible", feasible);
  if (feasible.empty()) result.member("message", message(*filtered, bound.nodes().nodes().size()));
}

inline constexpr NamedOperation cluster_operations[] = {
    {"pod.filterNodes", pod_filter_nodes},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/operations/core.hpp

/// Operations on the vocabulary of Kubernetes, with their inputs and results:
/// - labelSelector.matches: selector, labels; matches.
/// - nodeAffinity.matches: pod, node; matches, score.
/// - taints.findUntolerated: tolerations, taints; untolerated.
/// - tolerations.merge: first, second; tolerations.
/// - tolerations.validate, affinity.validate, labels.validate: tolerations, affinity, labels;
///   errors, below `spec.tolerations`, `spec.affinity`, `metadata.labels`.
/// - quantity.compare: a, b; compare, which is -1, 0 or 1.
/// - pod.qosClass: pod; qosClass.
/// - pod.requests: pod; requests, what it takes of a node (rule 5 of `core/resources.hpp`).

namespace SCHEDPOL_NAMESPACE::json::detail {

inline void label_selector_matches(Input& input, ObjectWriter& result) {
  const auto selector = input.read<std::optional<LabelSelector>>("selector");
  const auto labels = input.read<Labels>("labels");
  const auto matcher = compile(selector, FieldPath{"selector"});
  input.fail(EvaluateError::invalid_object, matcher.errors());
  if (input.complete()) result.member("matches", matcher->matches(labels));
}

inline void taints_find_untolerated(Input& input, ObjectWriter& result) {
  const auto tolerations = input.read<std::vector<Toleration>>("tolerations");
  const auto taints = input.read<std::vector<Taint>>("taints");
  if (input.complete()) result.member("untolerated", find_untolerated(tolerations, taints));
}

inline void tolerations_merge(Input& input, ObjectWriter& result) {
  const auto first = input.read<std::vector<Toleration>>("first");
  const auto second = input.read<std::vector<Toleration>>("second");
  if (input.complete()) result.member("tolerations", merge(first, second));
}

inline void labels_validate(Input& input, ObjectWriter& result) {
  const auto labels = input.read<Labels>("labels");
  if (input.complete()) result.member("errors", validate(labels));
}

inline void tolerations_validate(Input& input, ObjectWriter& result) {
  const auto tolerations = input.read<std::vector<Toleration>>("tolerations");
  if (input.complete()) result.member("errors", validate(tolerations));
}

inline void affinity_validate(Input& input, ObjectWriter& result) {
  const auto affinity = input.read<Affinity>("affinity");
  if (input.complete()) result.member("errors", validate(affinity));
}

inline void node_affinity_matches(Input& input, ObjectWriter& result) {
  const auto pod = input.require<Pod>("pod");
  const auto node = input.require<Node>("node");
  if (!input.complete()) return;
  const NodeAffinityMatcher matcher(pod.spec);
  result.member("matches", matcher.matches(node)).member("score", matcher.score(node));
}

inline void pod_qos_class(Input& input, ObjectWriter& result) {
  const auto pod = input.require<Pod>("pod");
  if (input.complete()) result.member("qosClass", to_string(qos_class(pod.spec)));
}

inline void pod_requests(Input& input, ObjectWriter& result) {
  const auto pod = input.require<Pod>("pod");
  if (!input.complete()) return;
  const Resources all = requests(pod.spec, pod.status);
  ResourceList counted;
  for (const auto& [name, quantity] : schedpol::pod_requests(pod.spec, pod.status)) {
    const std::int64_t amount = schedpol::detail::amount_of(all, name);
    if (amount > 0 && schedpol::detail::is_counted(name))
      counted.emplace(name, schedpol::detail::to_quantity(name, amount));
  }
  result.member("requests", counted);
}

inline void quantity_compare(Input& input, ObjectWriter& result) {
  const auto a = input.require<Quantity>("a");
  const auto b = input.require<Quantity>("b");
  if (input.complete()) result.member("compare", a < b ? -1 : a > b ? 1 : 0);
}

inline constexpr NamedOperation core_operations[] = {
    {"affinity.validate", affinity_validate}, {"labelSelector.matches", label_selector_matches},
    {"labels.validate", labels_validate},     {"nodeAffinity.matches", node_affinity_matches},
    {"pod.qosClass", pod_qos_class},          {"pod.requests", pod_requests},
    {"quantity.compare", quantity_compare},   {"taints.findUntolerated", taints_find_untolerated},
    {"tolerations.merge", tolerations_merge}, {"tolerations.validate", tolerations_validate},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/configuration.ipp

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

/// Reads the objects of one document into a Configuration. What is there already is not copied, so
/// that many documents take as long as one of all their objects.
class ConfigurationReader {
 public:
  /// What becomes of an object that cannot be read.
  enum class Unreadable {
    noted,    ///< the others are read
    refused,  ///< and the document with it
  };

  /// How much lists may hold depends on the bytes of the document.
  ConfigurationReader(engine::Configuration& into, Unreadable unreadable,
                      std::size_t document_bytes = max_document_bytes)
      : into_(into), unreadable_(unreadable), decoder_(document_bytes) {
    for_each_objects([&](const auto& list) { sizes_.push_back(list.size()); });
    decoder_.let_lack("kind");  // it is known before an object is read
  }

  /// An object, or a list of them as an API server answers it.
  void read(const PathBuilder& at, Element from) {
    const std::optional<ItemHead> head = item_head(from);
    std::string problem;
    const auto find_problem = [&](const auto& list, const engine::ObjectKind& kind) {
      using T = typename std::remove_cvref_t<decltype(list)>::value_type;
      problem = version_problem<T>(kind.name, head->api_version);
    };
    if (!head || (!head->kind.empty() && !visit_list(head->kind, find_problem)))
      return read_one(at, from, {});
    if (!problem.empty())
      return refuse(ErrorType::not_supported, at.child("apiVersion"), text_of(head->api_version),
                    problem);
    for_each_listed(
        at, from, *head, [&](auto&&... error) { refuse(error...); },
        [&](const PathBuilder& place, Element item) { read_one(place, item, *head); });
  }

  /// All errors of a document that is refused, of which nothing is left in the Configuration.
  [[nodiscard]] std::vector<FieldError> finish() && {
    if (is_refused_) {
      auto size = sizes_.begin();
      for_each_objects([&](auto& list) { list.resize(*size++); });
      return std::move(errors_);
    }
    std::string group = into_.settings.access.api_group;
    if (settings_) {
      into_.systems = std::move(settings_->systems);
      into_.settings = std::move(settings_->settings);
      auto& options = into_.settings.options;
      const DefaultScheduler default_scheduler = options.default_scheduler;
      options = engine::admission_options(std::move(options));
      options.default_scheduler = default_scheduler;
      if (!into_.settings.access.api_group.empty()) group = into_.settings.access.api_group;
    }
    if (group.empty()) group = policy_group_;
    into_.settings.access.api_group = std::move(group);
    return {};
  }

 private:
  void read_one(const PathBuilder& at, Element from, const ItemHead& list) {
    if (!from.is_object())
      return refuse(ErrorType::type_invalid, at, "", "must be a Kubernetes object");
    std::string_view kind = list.kind;
    const Element own_kind = decoder_.read_kind({}, from);
    std::vector<FieldError> spelled_twice = decoder_.take_errors();
    if (own_kind.is_there() ? !own_kind.get(kind) : kind.empty())
      return refuse(ErrorType::required, at.child("kind"), "", "tells what the object is");
    // One that is right by both spellings is noted as any other that cannot be read.
    if (kind != proposed_kind && !spelled_twice.empty())
      return refuse(at, std::move(spelled_twice));
    if (kind == schema<EngineConfiguration>.traits.kind) return read_settings(at, from);
    Element version = from.non_null("apiVersion");
    if (!version.is_there()) version = list.api_version;
    const bool known = visit_list(kind, [&](auto& objects, const engine::ObjectKind& one) {
      take_kind(objects.emplace_back(), kind);
      if (!read_object(one, version, at, from, objects.back())) objects.pop_back();
    });
    if (!known)
      refuse(ErrorType::not_supported, at.child("kind"), kind,
             "is no object of a scheduling policy" + meant_kind(kind));
  }

  /// Calls `f(list, kinds)` for each list of objects that have a kind.
  template <class F>
  void for_each_kinds(F&& f) {
    f(into_.objects.namespaces, engine::ObjectKinds{{schema<Namespace>.traits.kind}});
    for_each_list(into_.objects, f);
  }
  /// Calls `f(list)` for each of these, and for what is unreadable.
  template <class F>
  void for_each_objects(F&& f) {
    for_each_kinds([&](auto& list, engine::ObjectKinds) { f(list); });
    f(into_.objects.unreadable);
  }

  /// Calls `f(list)` with the list that such objects go to; false where there is none.
  template <class F>
  bool visit_list(std::string_view kind, F&& f) {
    bool known = false;
    for_each_kinds([&](auto& list, engine::ObjectKinds kinds) {
      for (const engine::ObjectKind& one : kinds) {
        if (one.name != kind) continue;
        known = true;
        f(list, one);
      }
    });
    return known;
  }

  void refuse(ErrorType type, const PathBuilder& at, std::string_view bad_value,
              std::string detail) {
    refuse(at, {{type, {}, std::string(bad_value), std::move(detail)}});
  }
  void refuse(const PathBuilder& at, std::vector<FieldError>&& errors) {
    is_refused_ = is_refused_ || !errors.empty();
    note(at, std::move(errors));
  }
  /// Of a document that is refused, for whatever reason, this is told too.
  void note(const PathBuilder& at, std::vector<FieldError> errors) {
    const FieldPath path = at.path();
    for (FieldError& error : errors) {
      if (errors_.size() == max_reported_errors) return;
      error.field = path.join(error.field);
      errors_.push_back(std::move(error));
    }
  }

  void read_settings(const PathBuilder& at, Element from) {
    EngineConfiguration read;
    decoder_.read({}, from, read);
    refuse(at, decoder_.take_errors());
    if (!into_.systems.empty() || settings_)
      return refuse(ErrorType::duplicate, at.child("kind"), "EngineConfiguration",
                    "there is one already");
    if (read.systems.empty())
      return refuse(ErrorType::required, at.child("systems"), "",
                    "which systems run has to be said");
    settings_ = std::move(read);
  }

  std::string meant_kind(std::string_view kind) {
    schedpol::detail::NearestWord nearest(kind);
    nearest.consider(schema<EngineConfiguration>.traits.kind);
    for_each_kinds([&](const auto&, engine::ObjectKinds kinds) {
      for (const engine::ObjectKind& known : kinds) nearest.consider(known.name);
    });
    return nearest.text();
  }

  /// False where it cannot be read, which is noted. `version` is its apiVersion, or that of its list.
  template <class T>
  bool read_object(const engine::ObjectKind& kind, Element version, const PathBuilder& at,
                   Element from, T& into) {
    static_assert(std::is_same_v<T, Namespace> || is_one_of<T>(Values{}),
                  "is decoded elsewhere, too");
    decoder_.read({}, from, into);
    std::vector<FieldError> errors = decoder_.take_errors();
    engine::UnreadableObject object{.kind = std::string(kind.name)};
    const bool is_reported = unreadable_ == Unreadable::noted && is_of_group<T>(version) &&
                             read_name(kind, from, object);
    if (!errors.empty() && !is_reported) {
      refuse(at, std::move(errors));
      return false;
    }
    if (kind.name == "SchedulingPolicy" && policy_group_.empty())
      policy_group_ = api_group(text_of(version));
    if (errors.empty()) return true;
    // Of one error each there are not many more than bytes.
    if (noted_errors_ + errors.size() > max_reported_errors) errors.resize(1);
    noted_errors_ += errors.size();
    note(at, errors);
    object.errors = std::move(errors);
    object.selects = selections<T>(from["spec"]);
    into_.objects.unreadable.push_back(std::move(object));
    return false;
  }

  /// Whether it is what its kind says it is: of another group the same word is another kind.
  template <class T>
  static bool is_of_group(Element version) {
    if (!version.is_there()) return true;
    return version.is_string() &&
           group_problem(text_of(version), schema<T>.traits.api_version).empty();
  }

  /// False where nobody could tell which object it is.
  static bool read_name(const engine::ObjectKind& kind, Element from,
                        engine::UnreadableObject& into) {
    const Element metadata = from["metadata"];
    into.name = text_of(metadata["name"]);
    if (kind.scope != engine::Scope::namespace_) return !into.name.empty();
    const Element in = metadata.non_null("namespace");
    into.namespace_ = text_of(in);
    return !into.name.empty() && (!in.is_there() || in.is_string());
  }

  /// What the policy whose `spec` this is may select; none where that is any pod.
  template <class T>
  std::vector<engine::PodSelection> selections(Element spec) {
    std::vector<engine::PodSelection> all;
    if constexpr (requires(T policy) { policy.spec.rules[0].policy_predicate; }) {
      for (const Element rule : spec["rules"].items()) {
        const Element predicate = rule["policyPredicate"];
        all.push_back({.labels = selector(predicate["labelSelector"]),
                       .annotations = selector(predicate["annotationSelector"])});
        if (all.back() == engine::PodSelection{}) return {};
      }
    } else if constexpr (requires(T policy) { policy.spec.pod_selector; }) {
      all.push_back({.labels = selector(spec["podSelector"])});
      if constexpr (requires(T policy) { policy.spec.namespace_selector; })
        all.back().namespaces = selector(spec["namespaceSelector"]);
    }
    return all;
  }

  /// Nothing where it is not there or cannot be read.
  std::optional<LabelSelector> selector(Element from) {
    std::optional<LabelSelector> selector;
    decoder_.read_strictly({}, from, selector);
    if (!decoder_.take_errors().empty()) selector.reset();
    return selector;
  }

  engine::Configuration& into_;
  Unreadable unreadable_;
  std::vector<std::size_t> sizes_;  ///< of the lists before
  std::optional<EngineConfiguration> settings_;
  std::string policy_group_;  ///< the first that a SchedulingPolicy says
  std::size_t noted_errors_ = 0;
  std::vector<FieldError> errors_;
  bool is_refused_ = false;
  Decoder decoder_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> add_objects(engine::Configuration& configuration,
                                                    std::string_view bytes) {
  Document document;
  if (!document.parse(bytes)) return {document.error()};
  detail::ConfigurationReader reader(configuration, detail::ConfigurationReader::Unreadable::noted);
  reader.read({}, DocumentAccess::root(document));
  return std::move(reader).finish();
}

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/custom_templates.hpp

/// The pod templates of objects of custom kinds, by the paths that a configuration has for them.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// A pod template, and the one in the old object that it takes the place of, where there is one.
struct CustomTemplate {
  const engine::TemplatePath* path;  ///< by which it was found
  FieldPath place;                   ///< in the object
  Element now;
  Element old;
};

/// Finds them in one object and, of an update, the old one. Items of lists are told by `name`, and where they have
/// none by their place.
class TemplateFinder {
 public:
  TemplateFinder(Decoder& decoder, Element object, Element old)
      : decoder_(decoder), object_(object), old_(old) {}

  /// `at` is where the object stands. What is no object or list where a path goes on is an error, unless an
  /// update leaves it as it was: whoever takes a finalizer off is not kept from it.
  void find(const PathBuilder& at, const engine::TemplatePath& path) {
    path_ = &path;
    find(at, PathBuilder(), object_, old_, schedpol::detail::written_steps(path.path));
  }

  [[nodiscard]] std::vector<CustomTemplate> take() { return std::move(found_); }

 private:
  using Steps = std::span<const schedpol::detail::WrittenStep>;

  void find(const PathBuilder& at, const PathBuilder& place, Element from, Element old,
            Steps steps) {
    if (!from.is_there() || from.is_null()) return;
    if (steps.empty()) {
      found_.push_back({path_, place.path(), from, old});
      return;
    }
    if (!from.is_object()) return wrong_type(at, from, old, "an object");
    const auto [field, each_item] = steps.front();
    const PathBuilder at_field = at.child(field);
    const PathBuilder place_of_field = place.child(field);
    const Element value = from[field];
    if (!each_item) return find(at_field, place_of_field, value, old[field], steps.subspan(1));
    if (!value.is_there() || value.is_null()) return;
    if (!value.is_list()) return wrong_type(at_field, value, old[field], "a list");
    if (value.items().size() >
        engine::max_template_paths - std::min(found_.size(), engine::max_template_paths)) {
      if (is_equal(value, old[field])) return;
      return decoder_.report(
          ErrorType::too_many, at_field, std::to_string(value.items().size()),
          "an object has at most " + std::to_string(engine::max_template_paths) + " pod templates");
    }
    std::vector<std::string_view> names;
    std::size_t index = 0;
    for (const Element item : value.items()) {
      const std::string_view name = text_of(item["name"]);
      // Of two that have one name the second one is new.
      const bool is_new = !name.empty() && schedpol::detail::contains(names, name);
      names.push_back(name);
      find(at_field.index(index), place_of_field.index(index), item,
           is_new ? Element() : old_item(name, index, old[field]), steps.subspan(1));
      ++index;
    }
  }

  void wrong_type(const PathBuilder& at, Element from, Element old, std::string_view expected) {
    if (!is_equal(from, old)) decoder_.wrong_type(at, from, expected);
  }

  [[nodiscard]] static Element old_item(std::string_view name, std::size_t index, Element olds) {
    std::size_t i = 0;
    for (const Element old : olds.items())
      if (name.empty() ? i++ == index : text_of(old["name"]) == name) return old;
    return {};
  }

  Decoder& decoder_;
  Element object_;
  Element old_;
  const engine::TemplatePath* path_ = nullptr;
  std::vector<CustomTemplate> found_;
};

/// An object of a custom kind, and of an update the one before it.
struct CustomObject {
  Element now;
  Element old{};
  FieldPath at{};  ///< where errors say that it stands
  FieldPath at_old{};
};

/// The group and kind that an object is of.
struct GroupKind {
  std::string_view group;
  std::string_view kind;

  [[nodiscard]] bool has(const engine::TemplatePath& path) const noexcept {
    return path.kind == kind && path.group == group;
  }
};

inline GroupKind group_kind_of(Element object) {
  return {api_group(text_of(object["apiVersion"])), text_of(object["kind"])};
}

/// Reports an old object that says another kind or group: what it had the other one did not have.
inline void expect_kind_of_old(Decoder& decoder, const CustomObject& object,
                               const GroupKind& kind) {
  const PathBuilder at = PathBuilder(object.at_old);
  std::string_view text;
  if (object.old["kind"].get(text) && text != kind.kind)
    decoder.report(ErrorType::invalid, at.child("kind"), text, "must be that of the object");
  if (object.old["apiVersion"].get(text) && api_group(text) != kind.group)
    decoder.report(ErrorType::invalid, at.child("apiVersion"), text,
                   "must be of the object's group");
}

/// Those that are decided on, by the paths of the object's kind: an update leaves the others as they were.
inline std::vector<CustomTemplate> find_templates(Decoder& decoder, const CustomObject& object,
                                                  std::span<const engine::TemplatePath> paths,
                                                  const GroupKind& kind) {
  expect_kind_of_old(decoder, object, kind);
  TemplateFinder finder(decoder, object.now, object.old);
  for (const engine::TemplatePath& each : paths)
    if (kind.has(each)) finder.find(object.at, each);
  std::vector<CustomTemplate> found = finder.take();
  schedpol::detail::erase_if(found,
                             [](const CustomTemplate& one) { return is_equal(one.now, one.old); });
  return found;
}

/// Reports what a pod has in its spec and this has beside one: whoever read no more than the spec would take it for
/// a template that asks for nothing.
inline void refuse_flat_template(Decoder& decoder, const PathBuilder& at, Element from) {
  for_each_field<PodSpec>([&](const auto& field) {
    if (from.non_null(field.name).is_there()) {
      decoder.report(ErrorType::not_supported, at.child(field.name), "",
                     "a PodTemplateSpec has it in its `spec`; what is flatter is not read");
    }
  });
}

/// A template as in a PodTemplate of the object's name, in its namespace.
inline Pod pod_template_of(Decoder& decoder, const PathBuilder& at, Element from,
                           const ObjectMeta& workload) {
  Pod pod{.kind = PodKind::pod_template};
  read_template(decoder, at, from, {}, pod);
  pod.metadata.name = workload.name;
  pod.metadata.namespace_ = workload.namespace_;
  pod.metadata.owner_references = workload.owner_references;
  return pod;
}

/// What is asked about them; `asked` is who asks, and in which phase.
inline std::vector<engine::TemplateRequest> requests_about(
    Decoder& decoder, const CustomObject& object, const std::vector<CustomTemplate>& templates,
    const ObjectMeta& workload, const engine::Request& asked) {
  std::vector<engine::TemplateRequest> requests;
  for (const CustomTemplate& one : templates) {
    engine::Request request{
        .requester = asked.requester, .phase = asked.phase, .values = asked.values};
    const FieldPath at = object.at.join(one.place);
    request.object = pod_template_of(decoder, at, one.now, workload);
    refuse_flat_template(decoder, at, one.now);
    if (one.old.is_object()) {
      request.operation = engine::Operation::update;
      request.template_differs = true;
      const FieldPath at_old = object.at_old.join(one.place);
      request.old = Old(pod_template_of(decoder, at_old, one.old, workload));
    }
    requests.push_back({*one.path, one.place, std::move(request)});
  }
  return requests;
}

/// Gives the templates what was decided on them.
inline void diff_templates(Differ& differ, const std::vector<CustomTemplate>& templates,
                           const std::vector<engine::TemplateRequest>& requests,
                           const engine::TemplatesDecision& decision, bool looks_at_metadata) {
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const auto& [path, place, now, old] = templates[i];
    const Pod& before = requests[i].request.object;
    const Pod& after = decision.templates[i];
    if (looks_at_metadata) differ.diff(place, now, "metadata", before.metadata, after.metadata);
    differ.diff(place, now, "spec", before.spec, after.spec);
  }
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/operations/inventory.hpp

/// The objects of an inventory: pods, workloads, and objects of the custom kinds that a configuration
/// has paths for.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Whether the object is neither a pod nor a workload. Where its kind is nearly one of those, in a
/// group of theirs, it is a misspelt one and no other.
inline bool is_other_kind(Element object) {
  std::string_view kind;
  std::string_view version;
  if (!written_kind(object).get(kind) || !object["apiVersion"].get(version)) return false;
  const std::string_view group = api_group(version);
  if (pod_kind(kind)) return is_custom_group(group);
  return did_you_mean_kind(kind).empty() ||
         schedpol::detail::none_of(pod_kinds, [&](PodKind of) { return is_in_group(of, group); });
}

/// One of a custom kind is only kept as it is written.
struct InventoryObject : Pod {
  Element written{};
  bool is_custom = false;
};

inline void read_value(Decoder& decoder, const PathBuilder& at, Element from,
                       InventoryObject& into) {
  into.written = from;
  into.is_custom = is_other_kind(from);
  if (!into.is_custom) decoder.read(at, from, static_cast<Pod&>(into));
}

/// What is asked about the templates of an object of a custom kind, which is the `index`th. A kind
/// without a path is no pod or workload: an error.
inline std::vector<engine::TemplateRequest> read_custom_templates(
    Input& input, Decoder& decoder, Element custom, std::size_t index,
    std::span<const engine::TemplatePath> paths) {
  const CustomObject object{custom, {}, FieldPath{"objects"}.index(index), {}};
  const GroupKind kind = group_kind_of(custom);
  if (schedpol::detail::none_of(paths, [&](const auto& path) { return kind.has(path); })) {
    input.fail(EvaluateError::invalid_object,
               {ErrorType::not_supported, object.at.child("kind"), std::string(kind.kind),
                "must be Pod, or a kind that has pod templates"});
  }
  AnyObject workload;
  decoder.read(PathBuilder(object.at), custom, workload);
  const std::vector<CustomTemplate> found = find_templates(decoder, object, paths, kind);
  return requests_about(decoder, object, found, workload.metadata, {});
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/operations/rbac.hpp

/// The operation of RBAC, with its inputs and results:
/// - rbac.usablePolicies: user, namespace (a name), policies (names), roles, clusterRoles,
///   roleBindings, clusterRoleBindings, apiGroup (the proposal's, `extensions`, where absent),
///   resource; usable.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Who may use what, and what of it is asked for.
inline rbac::Rbac read_rbac(Input& input, rbac::Access& access) {
  constexpr auto invalid = EvaluateError::invalid_request;
  const auto api_group = input.read<std::optional<std::string>>("apiGroup", invalid);
  const auto resource = input.read<std::optional<std::string>>("resource", invalid);
  access.api_group = api_group.value_or(access.api_group);
  access.resource = resource.value_or(access.resource);
  return {.roles = input.read<std::vector<rbac::Role>>("roles"),
          .cluster_roles = input.read<std::vector<rbac::ClusterRole>>("clusterRoles"),
          .role_bindings = input.read<std::vector<rbac::RoleBinding>>("roleBindings"),
          .cluster_role_bindings =
              input.read<std::vector<rbac::ClusterRoleBinding>>("clusterRoleBindings")};
}

inline void rbac_usable_policies(Input& input, ObjectWriter& result) {
  constexpr auto invalid = EvaluateError::invalid_request;
  const auto user = input.require<rbac::User>("user");
  const auto in = input.read<std::string>("namespace", invalid);
  const auto policies = input.read<Texts>("policies", invalid);
  rbac::Access access{.api_group = std::string(proposal_api_group)};
  const rbac::Rbac rbac = read_rbac(input, access);
  if (input.complete()) result.member("usable", usable(policies, user, in, rbac, access));
}

inline constexpr NamedOperation rbac_operations[] = {
    {"rbac.usablePolicies", rbac_usable_policies},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/operations/scheduling_policy.hpp

/// Operations of SchedulingPolicy, with their inputs and results:
/// - schedulingPolicy.validate: policy; errors.
/// - schedulingPolicy.merge: policies, strategy; spec, sources, lost (names of policies by entry,
///   `max_document_bytes` of entries at most).
/// - schedulingPolicy.admit: pod, policies, strategy, options; allowed, violations, changes,
///   object, patch, and ungoverned (field, value): what nothing permits of the pod, and
///   `options.governs` does not have, where there is any.
/// - schedulingPolicy.checkUpdate: old, new, policies, strategy, options; allowed, violations.
/// - schedulingPolicy.explain: as admit; allowed, items, text.
/// - schedulingPolicy.nearestFix: as admit; exists, changes, object, patch.
/// - schedulingPolicy.analyze: policies, strategy, options, and to tell who may use which policy
///   what rbac.usablePolicies takes; findings.
/// - schedulingPolicy.compare: before, after, each of policies, strategy, options; relation, and
///   where there are such pods allowedBefore, allowedAfter.
/// - schedulingPolicy.builtin, the objects that the proposal wants in every cluster: names (of
///   policies; all where they are left out), nodeLabels (`Current`, or the proposal's letter
///   `Proposal`); policies, clusterRoles, roleBindings, clusterRoleBindings, of the latter those by
///   which these policies may be used. They are what `schedulingPolicy.analyze` and
///   `rbac.usablePolicies` take.

namespace SCHEDPOL_NAMESPACE::json::detail {

inline scheduling_policy::EffectivePolicy read_effective_policy(Input& input) {
  const auto policies = input.read_named<scheduling_policy::SchedulingPolicy>("policies");
  return merge(policies, input.read<scheduling_policy::MergeStrategy>(
                             "strategy", EvaluateError::invalid_request));
}

inline scheduling_policy::Options read_options(Input& input) {
  return input.read<scheduling_policy::Options>("options", EvaluateError::invalid_request);
}

/// A pod, and what it is asked about.
struct PodQuestion {
  Pod pod;
  scheduling_policy::EffectivePolicy effective;
  scheduling_policy::Options options;
};

inline PodQuestion read_question(Input& input) {
  return {input.require<Pod>("pod"), read_effective_policy(input), read_options(input)};
}

inline void scheduling_policy_merge(Input& input, ObjectWriter& result) {
  const auto effective = read_effective_policy(input);
  if (!input.complete()) return;
  // In byte order of the printed paths. A long key stands in the path of each of its values.
  std::size_t bytes = 0;
  const auto write = [&](std::string_view name, const scheduling_policy::PolicyNames& entries) {
    std::map<std::string, const Names*> by_text;
    for (const auto& [entry, policies] : entries) {
      std::string text = to_string(entry);
      bytes += text.size();
      if (bytes > max_document_bytes) {
        return input.fail(
            EvaluateError::limit_exceeded,
            {ErrorType::too_many, FieldPath{name}, "",
             "the entries take more than " + std::to_string(max_document_bytes) + " bytes"});
      }
      by_text.emplace(std::move(text), &policies);
    }
    ObjectWriter object(result.key(name));
    for (const auto& [entry, policies] : by_text) object.entry(entry, *policies);
  };
  result.member("spec", effective.spec());
  write("sources", effective.sources().entries);
  write("lost", effective.sources().lost);
}

/// What nothing governs of a pod, where there is any: field and value.
inline void write_ungoverned(ObjectWriter& result,
                             const std::vector<scheduling_policy::ExplainedItem>& items) {
  if (items.empty()) return;
  ListWriter list(result.key("ungoverned"));
  const std::size_t written = std::min(items.size(), max_reported_violations);
  for (const scheduling_policy::ExplainedItem& item : std::span(items).first(written)) {
    ObjectWriter object(list.item());
    object.member("field", item.field).member("value", item.value);
  }
}

inline void scheduling_policy_admit(Input& input, ObjectWriter& result) {
  const auto [pod, effective, options] = read_question(input);
  if (!input.complete()) return;
  const Admission admission = admit(pod, effective, options);
  write_admission(result, input, pod, admission);
  write_ungoverned(result, find_ungoverned(admission.pod, effective, options));
}

inline void scheduling_policy_check_update(Input& input, ObjectWriter& result) {
  const Old old(input.require<Pod>("old"));
  const Pod updated = input.require<Pod>("new");
  const auto effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (old.object.kind != updated.kind) {
    input.fail(EvaluateError::invalid_request,
               {ErrorType::invalid, FieldPath{"new", "kind"}, std::string(to_string(updated.kind)),
                "must be that of old"});
  }
  if (!input.complete()) return;
  const auto violations = check_update(old, updated, effective, options);
  result.member("allowed", violations.empty());
  write_violations(result, violations);
}

inline void write(Writer& out, const scheduling_policy::ExplainedItem& item) {
  ObjectWriter object(out);
  object.member("field", item.field)
      .member("value", item.value)
      .member("ruling", to_string(item.ruling));
  const auto write_entries = [&](std::string_view name, const auto& entries, bool with_value) {
    ListWriter list(object.key(name));
    for (const scheduling_policy::PolicyEntry& each : entries) {
      ObjectWriter entry(list.item());
      entry.member("policy", each.policy).member("entry", each.entry);
      if (with_value) entry.member("value", each.value);
    }
  };
  write_entries("by", item.by, false);
  write_entries("lost", item.lost, true);
  if (!item.permits_only.empty()) object.member("permitsOnly", item.permits_only);
}

inline void scheduling_policy_explain(Input& input, ObjectWriter& result) {
  const auto [pod, effective, options] = read_question(input);
  if (!input.complete()) return;
  const scheduling_policy::Explanation explanation = explain(pod, effective, options);
  result.member("allowed", bool{explanation.allowed});
  write_first(result, "items", "moreItems", explanation.items, max_reported_violations);
  result.member("text", message(explanation));
}

inline void scheduling_policy_nearest_fix(Input& input, ObjectWriter& result) {
  const auto [pod, effective, options] = read_question(input);
  if (!input.complete()) return;
  const auto found = nearest_fix(pod, effective, options);
  if (!found) return input.fail(EvaluateError::limit_exceeded, found.errors());
  const auto& fix = *found;
  result.member("exists", fix.has_value())
      .member("changes", fix ? fix->changes : std::vector<Change>{});
  write_object(result, input, "pod", pod, fix ? fix->pod : pod);
}

inline void scheduling_policy_analyze(Input& input, ObjectWriter& result) {
  const auto policies = input.read_named<scheduling_policy::SchedulingPolicy>("policies");
  const auto strategy =
      input.read<scheduling_policy::MergeStrategy>("strategy", EvaluateError::invalid_request);
  const auto options = read_options(input);
  rbac::Access access;
  rbac::Rbac rbac = read_rbac(input, access);
  if (!input.complete()) return;
  if (rbac == rbac::Rbac{}) return write_findings(result, analyze(policies, strategy, options));
  engine::Configuration configuration;
  configuration.objects.scheduling_policies = policies;
  configuration.objects.rbac = std::move(rbac);
  configuration.settings = {.access = access, .strategy = strategy, .options = options};
  write_findings(result, engine::analyze(configuration));
}

inline void scheduling_policy_compare(Input& input, ObjectWriter& result) {
  const auto read = [&](std::string_view name) {
    std::pair<scheduling_policy::EffectivePolicy, scheduling_policy::Options> side;
    input.within(name, [&](Input& part) {
      side = {read_effective_policy(part), read_options(part)};
    });
    return side;
  };
  const auto [before, options_before] = read("before");
  const auto [after, options_after] = read("after");
  if (!input.complete()) return;
  const auto comparison = compare(before, after, options_before, options_after);
  if (!comparison) return input.fail(EvaluateError::limit_exceeded, comparison.errors());
  result.member("relation", to_string(comparison->relation));
  if (comparison->allowed_before) result.member("allowedBefore", *comparison->allowed_before);
  if (comparison->allowed_after) result.member("allowedAfter", *comparison->allowed_after);
}

template <>
inline constexpr auto words<scheduling_policy::PlatformLabels> =
    vocabulary(Presence::optional, scheduling_policy::PlatformLabels::current,
               scheduling_policy::PlatformLabels::proposal);

/// The built-in policies of these names; all where there are none. `input` fails for another name.
inline std::vector<scheduling_policy::SchedulingPolicy> builtin_policies(
    Input& input, const Texts& names, scheduling_policy::PlatformLabels labels) {
  std::vector<scheduling_policy::SchedulingPolicy> all = {
      scheduling_policy::restricted(),
      scheduling_policy::restricted_multiarch_by_node_selector(labels),
      scheduling_policy::restricted_multiarch_by_affinity(labels),
      scheduling_policy::privileged(),
  };
  std::string supported = "supported are";
  std::vector<std::string_view> known;
  for (const auto& policy : all) {
    supported += (known.empty() ? " " : ", ") + policy.metadata.name;
    known.push_back(policy.metadata.name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names.vector()[i];
    if (schedpol::detail::contains(known, name)) continue;
    input.fail(EvaluateError::invalid_request,
               {ErrorType::not_supported, FieldPath{"names"}.index(i), name,
                supported + schedpol::detail::did_you_mean(name, known)});
  }
  schedpol::detail::erase_if(all, [&](const auto& policy) {
    return !names.empty() && !names.contains(policy.metadata.name);
  });
  return all;
}

inline void scheduling_policy_builtin(Input& input, ObjectWriter& result) {
  constexpr auto invalid = EvaluateError::invalid_request;
  const auto names = input.read<Texts>("names", invalid);
  const auto labels = input.read<scheduling_policy::PlatformLabels>("nodeLabels", invalid);
  const auto policies = builtin_policies(input, names, labels);
  if (!input.complete()) return;
  rbac::Rbac rbac = rbac::builtin();
  const auto is_of_policies = [&](const rbac::ClusterRole& role) {
    return schedpol::detail::any_of(policies, [&](const auto& policy) {
      return role.rules[0].resource_names.contains(policy.metadata.name);
    });
  };
  schedpol::detail::erase_if(rbac.cluster_roles,
                             [&](const auto& role) { return !is_of_policies(role); });
  const auto grants_nothing = [&](const auto& binding) {
    return schedpol::detail::none_of(rbac.cluster_roles, [&](const auto& role) {
      return role.metadata.name == binding.role_ref.name;
    });
  };
  schedpol::detail::erase_if(rbac.role_bindings, grants_nothing);
  schedpol::detail::erase_if(rbac.cluster_role_bindings, grants_nothing);
  result.member("policies", policies)
      .member("clusterRoles", rbac.cluster_roles)
      .member("roleBindings", rbac.role_bindings)
      .member("clusterRoleBindings", rbac.cluster_role_bindings);
}

inline constexpr NamedOperation scheduling_policy_operations[] = {
    {"schedulingPolicy.admit", scheduling_policy_admit},
    {"schedulingPolicy.analyze", scheduling_policy_analyze},
    {"schedulingPolicy.builtin", scheduling_policy_builtin},
    {"schedulingPolicy.checkUpdate", scheduling_policy_check_update},
    {"schedulingPolicy.compare", scheduling_policy_compare},
    {"schedulingPolicy.explain", scheduling_policy_explain},
    {"schedulingPolicy.merge", scheduling_policy_merge},
    {"schedulingPolicy.nearestFix", scheduling_policy_nearest_fix},
    {"schedulingPolicy.validate", policy_validate<scheduling_policy::SchedulingPolicy>},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/suggestion.ipp

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

inline void write(Writer& out, const engine::Owner& owner) {
  ObjectWriter(out)
      .member("kind", owner.kind)
      .member("namespace", owner.namespace_)
      .member("name", owner.name);
}

inline void write(Writer& out, const engine::OpenedCount& opened) {
  ObjectWriter(out).member("count", opened.count).member("all", opened.all);
}

inline void write(Writer& out, const engine::SuggestedEntry& entry) {
  ObjectWriter written(out);
  written.member("policy", entry.policy)
      .member("entry", entry.entry)
      .member("value", entry.value)
      .member("pods", entry.pods)
      .member("others", entry.others)
      .member("accounts", entry.accounts)
      .member("example", entry.example);
  if (entry.heard != 0) written.member("heard", entry.heard);
  if (entry.nodes) written.member("nodes", *entry.nodes);
  if (entry.preempted) written.member("preempted", *entry.preempted);
}

inline void write(Writer& out, const engine::BoundSubject& subject) {
  ObjectWriter(out)
      .member("namespace", subject.namespace_)
      .member("binding", subject.binding)
      .member("subject", subject.subject);
}

/// Writes suggestions and proofs. What it wrote of violations counts for all of one document.
class SuggestionWriter {
 public:
  void write_members(ObjectWriter& out, const engine::Suggestion& suggestion) {
    const engine::Objects& objects = suggestion.objects;
    out.member("policies", objects.scheduling_policies).member("roles", objects.rbac.cluster_roles);
    {
      ListWriter bindings(out.key("bindings"));
      for (const auto& each : objects.rbac.cluster_role_bindings) write(bindings.item(), each);
      for (const auto& each : objects.rbac.role_bindings) write(bindings.item(), each);
    }
    out.member("entries", suggestion.entries);
    write_needs(out, "undecided", suggestion.undecided);
    write_needs(out, "unsatisfiable", suggestion.unsatisfiable);
    out.member("excess", suggestion.excess);
    ObjectWriter(out.key("fragile"))
        .member("owners", suggestion.fragile.owners)
        .member("denied", suggestion.fragile.denied);
    ObjectWriter proof(out.key("proof"));
    write_members(proof, suggestion.proof);
  }
  void write_members(ObjectWriter& out, const engine::Proof& proof) {
    out.member("allowed", proof.allowed);
    write_needs(out, "denied", proof.denied);
    write_needs(out, "undecided", proof.undecided);
    out.member("entries", proof.entries).member("subjects", proof.subjects);
    {
      ListWriter needless(out.key("needlessEntries"));
      for (const auto& each : proof.needless_entries)
        ObjectWriter(needless.item()).member("policy", each.policy).member("entry", each.entry);
    }
    out.member("needlessSubjects", proof.needless_subjects);
  }

 private:
  void write_needs(ObjectWriter& out, std::string_view name,
                   const std::vector<engine::UnmetNeed>& needs) {
    ListWriter list(out.key(name));
    for (const engine::UnmetNeed& need : needs) {
      ObjectWriter written(list.item());
      written.member("owner", need.owner).member("pods", need.pods);
      if (!need.reason.empty()) written.member("reason", need.reason);
      if (need.violations.empty()) continue;
      write_first(written, "violations", "moreViolations", need.violations, violations_left_);
      violations_left_ -= std::min(need.violations.size(), violations_left_);
    }
  }

  std::size_t violations_left_ = max_reported_violations;
};

template <class T>
std::string encode_alone(const T& value) {
  Writer out;
  {
    ObjectWriter written(out);
    SuggestionWriter().write_members(written, value);
  }
  return std::move(out).take();
}

}  // namespace detail

SCHEDPOL_INLINE std::string encode(const engine::Suggestion& suggestion) {
  return detail::encode_alone(suggestion);
}

SCHEDPOL_INLINE std::string encode(const engine::Proof& proof) {
  return detail::encode_alone(proof);
}

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/operations/engine.hpp

/// Operations of the engine, with their inputs and results. A configuration is what a webhook is
/// given: a list of objects and lists of them (`List`, `MetadataPolicyList`), or one such list, of
/// which one object is an EngineConfiguration.
/// - engine.analyze: configuration, nodes; findings, each with its system.
/// - engine.impact: before, after (configurations), objects (pods, workloads, and objects of the custom
///   kinds that a configuration has paths for, of which each pod template counts); counts
///   (unchanged, changed, newlyDenied, newlyAllowed, and notLookedAt where it took too much: the last
///   objects), groups (owner, change, from, to, violations, changes, objects: `KIND/NAME`).
/// - engine.asCreated, a pod that a cluster printed as it was when it was created: object, owners (workloads,
///   those that pods were made by among them); askedAs (`Created`,
///   `ItStands` of what nobody stored and of a workload, `Undecided`: it may have named its node), object,
///   patch. Of what is not looked at askedAs alone: `MirrorPod` or `Terminal`.
/// - engine.decide, what a cluster with these objects would do with one: configuration, object, old
///   (the object before an update), operation (`CREATE`, `UPDATE`; without it an update is what has an
///   `old`), namespace (a name), user (name, groups), phase (`Mutating`, `Validating`); allowed, steps
///   (system, mode, violations, changes), warnings, object, patch, and of a denied pod or template
///   nearestFix: the fewest changes that it would be allowed with, and unknown: the objects that the
///   configuration lacks (kind, namespace, name, user), where there are any; and ungoverned (field,
///   value), as in schedulingPolicy.admit.
///   A policy is no pod: it is validated as when it is written, and what `analyze` finds of it beside
///   the others are its warnings. An invalid one is not allowed, and has errors (field, type, value,
///   message) below it.
///   An object without a namespace, where the input names none either, is in `default`. One without a
///   kind is a Pod. Of an object that is no pod, nor has a template, the metadata is decided on; of a
///   workload that first, and then its template; of a custom kind that the configuration has paths for
///   all its templates, as in a review.

namespace SCHEDPOL_NAMESPACE::json::detail {

inline engine::Configuration read_configuration(Input& input, std::string_view name) {
  engine::Configuration configuration;
  const Element from = input.require_element(name);
  if (!from.is_there()) return configuration;
  ConfigurationReader reader(configuration, ConfigurationReader::Unreadable::refused,
                             input.request_bytes());
  const PathBuilder whole;
  const PathBuilder at = whole.child(name);
  if (from.is_list()) {
    std::size_t index = 0;
    for (const Element item : from.items()) {
      const PathBuilder place = at.index(index++);
      reader.read(place, item);
    }
  } else {
    reader.read(at, from);
  }
  input.fail(EvaluateError::invalid_object, std::move(reader).finish());
  return configuration;
}

/// Of nothing where the part of that name cannot be compiled.
inline engine::Engine compile_part(Input& input, std::string_view name,
                                   const engine::Configuration& configuration) {
  if (input.failure()) return {};
  Result<engine::Engine> engine = compile(configuration);
  if (engine) return *std::move(engine);
  FieldError error = engine.errors().front();
  error.field = FieldPath{name}.join(error.field);
  input.fail(EvaluateError::invalid_object, std::move(error));
  return {};
}
inline engine::Engine read_engine(Input& input, std::string_view name) {
  return compile_part(input, name, read_configuration(input, name));
}

inline void engine_analyze(Input& input, ObjectWriter& result) {
  const engine::Configuration configuration = read_configuration(input, "configuration");
  const auto nodes = input.read<std::vector<Node>>("nodes");
  if (input.complete()) write_findings(result, engine::analyze(configuration, nodes));
}

/// What an impact is asked about.
struct Inventory {
  std::vector<Pod> objects{};
  std::vector<engine::TemplateRequest> templates{};
  std::vector<std::string> names{};  ///< of the objects, and then of those that have the templates
};

inline Inventory read_inventory(Input& input, const engine::Engine& before,
                                const engine::Engine& after) {
  auto listed = input.require<std::vector<InventoryObject>>("objects");
  std::vector<engine::TemplatePath> paths(before.templates().begin(), before.templates().end());
  for (const engine::TemplatePath& path : after.templates())
    if (!schedpol::detail::contains(paths, path)) paths.push_back(path);
  Inventory inventory;
  std::vector<std::string> names;
  Decoder decoder(input.request_bytes());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const auto named = [&](std::string_view kind, const std::string& name) {
      return std::string(kind) + "/" + name;
    };
    if (!listed[i].is_custom) {
      inventory.names.push_back(named(to_string(listed[i].kind), listed[i].metadata.name));
      inventory.objects.push_back(std::move(static_cast<Pod&>(listed[i])));
      continue;
    }
    for (engine::TemplateRequest& each :
         read_custom_templates(input, decoder, listed[i].written, i, paths)) {
      names.push_back(named(each.path.kind, each.request.object.metadata.name));
      inventory.templates.push_back(std::move(each));
    }
  }
  input.fail(EvaluateError::invalid_object, decoder.take_errors());
  schedpol::detail::append(inventory.names, std::move(names));
  return inventory;
}

inline void engine_impact(Input& input, ObjectWriter& result) {
  const engine::Engine before = read_engine(input, "before");
  const engine::Engine after = read_engine(input, "after");
  Inventory inventory = read_inventory(input, before, after);
  if (!input.complete()) return;
  const engine::Impact impact = engine::impact(before, after, std::move(inventory.objects), {},
                                               std::move(inventory.templates));
  {
    ObjectWriter counts(result.key("counts"));
    counts.member("unchanged", impact.unchanged)
        .member("changed", impact.changed)
        .member("newlyDenied", impact.newly_denied)
        .member("newlyAllowed", impact.newly_allowed);
    if (impact.not_looked_at > 0) counts.member("notLookedAt", impact.not_looked_at);
  }
  // All groups together have so many violations, and so many changes, as one pod may have.
  std::size_t violations_left = max_reported_violations;
  std::size_t changes_left = max_reported_violations;
  const auto write_some = [](ObjectWriter& group, std::string_view name, std::string_view more,
                             const auto& all, std::size_t& left) {
    if (!all.empty()) write_first(group, name, more, all, left);
    left -= std::min(all.size(), left);
  };
  const auto word = [](bool allowed) { return allowed ? "Allowed" : "Denied"; };
  ListWriter groups(result.key("groups"));
  for (const engine::ImpactGroup& group : impact.groups) {
    ObjectWriter written(groups.item());
    written.member("owner", group.owner)
        .member("change", to_string(group.effect))
        .member("from", word(group.effect != engine::Effect::newly_allowed))
        .member("to", word(group.effect != engine::Effect::newly_denied));
    write_some(written, "violations", "moreViolations", group.violations, violations_left);
    write_some(written, "changes", "moreChanges", group.changes, changes_left);
    ListWriter of_group(written.key("objects"));
    for (const std::size_t i : group.objects) write(of_group.item(), inventory.names[i]);
  }
}

inline void engine_as_created(Input& input, ObjectWriter& result) {
  const auto stored = input.require<engine::StoredObject>("object");
  const auto workloads = input.read<std::vector<Pod>>("owners");
  if (!input.complete()) return;
  const engine::CreatedObject created = as_created(stored, engine::Owners(workloads));
  result.member("askedAs", to_string(created.as));
  if (created.as != engine::AskedAs::mirror_pod && created.as != engine::AskedAs::terminal)
    write_object(result, input, "object", stored.object, created.object);
}

/// The word that a part of the input says, of those that it may; empty where it is left out.
inline std::string read_word(Input& input, std::string_view name,
                             std::initializer_list<std::string_view> supported) {
  constexpr auto invalid = EvaluateError::invalid_request;
  const auto word = input.read<std::optional<std::string>>(name, invalid);
  if (!word) return {};
  std::string wanted = "supported are";
  for (const std::string_view known : supported) {
    if (known == *word) return *word;
    wanted.append(wanted.ends_with("are") ? " " : " and ").append(known);
  }
  input.fail(invalid, {ErrorType::not_supported, FieldPath{name}, *word, wanted});
  return {};
}

/// The namespace of an object, which may name none or that of the input.
inline std::string read_namespace(Input& input, std::string_view object, const std::string& in) {
  const std::string_view own = text_of(input.element(object)["metadata"]["namespace"]);
  if (!in.empty() && !own.empty() && own != in) {
    input.fail(EvaluateError::invalid_request,
               {ErrorType::invalid, FieldPath{object, "metadata", "namespace"}, std::string(own),
                "is not the namespace of the input"});
  }
  return !in.empty() ? in : !own.empty() ? std::string(own) : "default";
}

/// What is said besides the objects.
struct AdmissionAttributes {
  std::string namespace_{};  ///< that the input names
  engine::Operation operation = engine::Operation::create;
  rbac::User user{};
  engine::Phase phase = engine::Phase::mutating;
};

inline AdmissionAttributes read_attributes(Input& input) {
  constexpr auto invalid = EvaluateError::invalid_request;
  AdmissionAttributes attributes;
  const std::string operation = read_word(input, "operation", {"CREATE", "UPDATE"});
  attributes.namespace_ = input.read<std::string>("namespace", invalid);
  attributes.user = input.read<rbac::User>("user");
  if (read_word(input, "phase", {"Mutating", "Validating"}) == "Validating")
    attributes.phase = engine::Phase::validating;
  const bool has_old = input.element("old").is_there();
  if (has_old) attributes.operation = engine::Operation::update;
  if (operation == "UPDATE" && !has_old)
    input.fail(invalid, {ErrorType::required, FieldPath{"old"}, "", "an update has one"});
  if (operation == "CREATE" && has_old)
    input.fail(invalid, {ErrorType::forbidden, FieldPath{"old"}, "", "only an update has one"});
  return attributes;
}

/// What is asked about the metadata of an object.
inline engine::MetadataRequest read_metadata_request(Input& input,
                                                     const AdmissionAttributes& attributes) {
  engine::MetadataRequest request{
      .operation = attributes.operation, .requester = attributes.user, .phase = attributes.phase};
  const Element object = input.element("object");
  request.api_group = api_group(text_of(object["apiVersion"]));
  request.kind = text_of(written_kind(object));
  input.check_kind("object");
  request.object = input.require<AnyObject>("object").metadata;
  request.object.namespace_ = read_namespace(input, "object", attributes.namespace_);
  if (attributes.operation == engine::Operation::create) return request;
  request.old = Old(input.require<AnyObject>("old").metadata);
  request.old.object.namespace_ = read_namespace(input, "old", attributes.namespace_);
  return request;
}

/// What is asked about a pod or a template.
inline engine::Request read_request(Input& input, const AdmissionAttributes& attributes) {
  constexpr auto invalid = EvaluateError::invalid_request;
  engine::Request request{.requester = attributes.user, .phase = attributes.phase};
  request.object = input.require<Pod>("object");
  auto old = input.read<std::optional<Pod>>("old");
  request.object.metadata.namespace_ = read_namespace(input, "object", attributes.namespace_);
  if (!old) return request;
  if (old->kind != request.object.kind) {
    input.fail(invalid, {ErrorType::invalid, FieldPath{"old", "kind"},
                         std::string(to_string(old->kind)), "must be that of the object"});
  }
  old->metadata.namespace_ = read_namespace(input, "old", attributes.namespace_);
  request.operation = engine::Operation::update;
  request.old = Old(*std::move(old));
  const auto steps = template_steps(request.object.kind);
  request.template_differs = !steps.empty() && !is_equal(input.element("object").below(steps),
                                                         input.element("old").below(steps));
  return request;
}

/// The policy that the object is, unless an update leaves its spec as it was; nothing where it is no
/// policy.
inline std::optional<engine::Objects> read_written_policy(Input& input) {
  const Element object = input.element("object");
  const std::string_view kind = text_of(object["kind"]);
  if (!engine::is_policy(api_group(text_of(object["apiVersion"])), kind)) return std::nullopt;
  engine::Objects written;
  static_cast<void>(input.require_element("object"));
  static_cast<void>(input.read<std::optional<AnyObject>>("old"));
  const Element old = input.element("old");
  if (old.is_there() && is_equal(object["spec"], old["spec"])) return written;
  for_each_list(written, [&](auto& list, engine::ObjectKinds kinds) {
    for (const engine::ObjectKind& each : kinds)
      if (each.name == kind)
        list.push_back(input.require<typename std::decay_t<decltype(list)>::value_type>("object"));
  });
  return written;
}

/// What a webhook answers to a policy that is written.
inline void decide_on_policy(Input& input, ObjectWriter& result, const engine::Engine& engine,
                             const engine::Objects& written) {
  const std::vector<FieldError> errors = engine::validate_each(written);
  result.member("allowed", errors.empty()).member("steps", std::vector<engine::StepDecision>());
  write_object(result, input, "object", {});
  if (!errors.empty()) return static_cast<void>(result.member("errors", errors));
  const std::vector<std::string> warnings = engine::InsightAdviser().warnings(engine, written);
  if (!warnings.empty()) result.member("warnings", warnings);
}

inline void write(Writer& out, const engine::StepDecision& decided) {
  ObjectWriter step(out);
  step.member("system", to_string(decided.step.system))
      .member("mode", to_string(decided.step.mode));
  write_violations(step, decided.violations);
  step.member("changes", decided.changes);
}

inline void write(Writer& out, const engine::UnknownObject& object) {
  ObjectWriter written(out);
  written.member("kind", object.kind);
  if (!object.namespace_.empty()) written.member("namespace", object.namespace_);
  if (!object.name.empty()) written.member("name", object.name);
  if (!object.user.empty()) written.member("user", object.user);
}

/// The templates of an object of a custom kind, and what is asked about them.
struct AskedTemplates {
  std::vector<CustomTemplate> found{};
  std::vector<engine::TemplateRequest> requests{};
};

inline AskedTemplates read_templates_of(Input& input, const engine::Engine& engine,
                                        const engine::MetadataRequest& of_object) {
  const CustomObject object{input.element("object"), input.element("old"), FieldPath{"object"},
                            FieldPath{"old"}};
  Decoder decoder(input.request_bytes());
  AskedTemplates asked{
      find_templates(decoder, object, engine.templates(), group_kind_of(object.now))};
  asked.requests = requests_about(decoder, object, asked.found, of_object.object,
                                  {.requester = of_object.requester, .phase = of_object.phase});
  input.fail(EvaluateError::invalid_object, decoder.take_errors());
  return asked;
}

/// What nothing governs of all templates.
inline std::vector<scheduling_policy::ExplainedItem> find_ungoverned_in(
    const engine::Engine& engine, const std::vector<engine::TemplateRequest>& templates) {
  std::vector<scheduling_policy::ExplainedItem> items;
  for (const engine::TemplateRequest& each : templates) {
    for (auto& item : engine::InsightAdviser().find_ungoverned(engine, each.request)) {
      item.field = each.in_object(item.field);
      items.push_back(std::move(item));
    }
  }
  return items;
}

inline void engine_decide(Input& input, ObjectWriter& result) {
  const engine::Engine engine =
      input.engine() != nullptr ? *input.engine() : read_engine(input, "configuration");
  const AdmissionAttributes attributes = read_attributes(input);
  if (const auto written = read_written_policy(input)) {
    if (input.complete()) decide_on_policy(input, result, engine, *written);
    return;
  }
  const bool is_other = is_other_kind(input.element("object"));
  engine::Request request;
  if (!is_other) request = read_request(input, attributes);
  engine::MetadataRequest of_metadata;
  const bool is_pod = !is_other && request.object.kind == PodKind::pod;
  if (!is_pod) of_metadata = read_metadata_request(input, attributes);
  AskedTemplates templates;
  if (is_other) templates = read_templates_of(input, engine, of_metadata);
  if (!input.complete()) return;
  const engine::InsightAdviser adviser;
  bool allowed = true;
  std::vector<engine::StepDecision> steps;
  std::vector<Warning> warnings;
  std::vector<Change> fix;
  std::vector<engine::UnknownObject> unknown;
  Differ differ(input.element("object"));
  if (!is_pod) {
    engine::MetadataDecision decision = engine.decide_metadata(of_metadata);
    allowed = decision.allowed;
    steps = std::move(decision.steps);
    if (allowed) differ.diff_object(of_metadata.object, decision.metadata);
  }
  if (allowed && is_other) {
    engine::TemplatesDecision decision =
        engine::decide_templates(engine, templates.requests, adviser);
    allowed = decision.allowed;
    fix = std::move(decision.nearest_fix);
    schedpol::detail::append(steps, std::move(decision.steps));
    warnings = std::move(decision.warnings);
    unknown = std::move(decision.unknown);
    if (allowed)
      diff_templates(differ, templates.found, templates.requests, decision,
                     engine.looks_at_metadata());
  } else if (allowed) {
    engine::Decision decision = engine.decide(request);
    fix = adviser.nearest_fix(engine, request, decision);
    allowed = decision.allowed;
    schedpol::detail::append(steps, std::move(decision.steps));
    warnings = std::move(decision.warnings);
    unknown = std::move(decision.unknown);
    if (allowed) differ.diff(request.object, decision.pod);
  }
  result.member("allowed", allowed).member("steps", steps);
  write_object(result, input, "object", allowed ? differ.patch() : Patch());
  std::vector<std::string> texts;
  for (const Warning& warning : warnings) texts.push_back(message(warning));
  for (const engine::StepDecision& decided : steps)
    for (const Warning& warning : decided.warnings) texts.push_back(message(warning));
  if (allowed && !texts.empty()) result.member("warnings", texts);
  if (!fix.empty()) result.member("nearestFix", fix);
  if (!unknown.empty()) result.member("unknown", unknown);
  write_ungoverned(result, is_other ? find_ungoverned_in(engine, templates.requests)
                                    : adviser.find_ungoverned(engine, request));
}

inline constexpr NamedOperation engine_operations[] = {
    {"engine.analyze", engine_analyze},
    {"engine.asCreated", engine_as_created},
    {"engine.decide", engine_decide},
    {"engine.impact", engine_impact},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/operations/metadata_policy.hpp

/// Operations of MetadataPolicy, with their inputs and results:
/// - metadataPolicy.validate: policy; errors.
/// - metadataPolicy.admit: object (of any kind, by its metadata), policies; allowed, rejectedBy,
///   conflicts, changes, object, patch.
/// - metadataPolicy.chooseScheduler: pod, policies; the same.

namespace SCHEDPOL_NAMESPACE::json::detail {

template <class Decision>
void write_metadata_decision(ObjectWriter& result, const Decision& decision) {
  result.member("allowed", bool{decision.allowed})
      .member("rejectedBy", decision.rejected_by)
      .member("conflicts", decision.conflicts)
      .member("changes", decision.changes);
}

inline void metadata_policy_admit(Input& input, ObjectWriter& result) {
  const auto object = input.require<AnyObject>("object");
  const auto policies = input.read_policies<metadata_policy::MetadataPolicy>("policies");
  const auto decision = metadata_policy::admit(object.metadata, policies);
  input.fail(EvaluateError::invalid_object, decision.errors);
  if (!input.complete()) return;
  write_metadata_decision(result, decision);
  Differ differ(input.element("object"));
  differ.diff_object(object.metadata, decision.metadata);
  write_object(result, input, "object", differ.patch());
}

inline void metadata_policy_choose_scheduler(Input& input, ObjectWriter& result) {
  const auto pod = input.require<Pod>("pod");
  const auto policies = input.read_policies<metadata_policy::MetadataPolicy>("policies");
  const auto choice = metadata_policy::choose_scheduler(pod, policies);
  input.fail(EvaluateError::invalid_object, choice.errors);
  if (!input.complete()) return;
  write_metadata_decision(result, choice);
  write_object(result, input, "pod", pod, choice.pod);
}

inline constexpr NamedOperation metadata_policy_operations[] = {
    {"metadataPolicy.admit", metadata_policy_admit},
    {"metadataPolicy.chooseScheduler", metadata_policy_choose_scheduler},
    {"metadataPolicy.validate", policy_validate<metadata_policy::MetadataPolicy>},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/operations/pod_scheduling_policy.hpp

/// Operations of PodSchedulingPolicy and ClusterPodSchedulingPolicy, with their inputs and results:
/// - podSchedulingPolicy.validate: policy (of either kind, told by `kind`); errors.
/// - podSchedulingPolicy.inject: pod, namespace (the object, for its labels), policies (of both
///   kinds, told by `kind`), options (`defaultScheduler`: `Specified`, which is the default, or
///   `Unspecified`, for a pod as an API server shows it); applied, skipped, changes, object, patch.

namespace SCHEDPOL_NAMESPACE::json::detail {

inline void pod_scheduling_policy_inject(Input& input, ObjectWriter& result) {
  const Pod pod = input.require<Pod>("pod");
  auto in = input.read<Namespace>("namespace");
  const auto policies = input.read_policies<pod_scheduling_policy::PodSchedulingPolicy>("policies");
  const auto options = input.read<InjectionOptions>("options", EvaluateError::invalid_request);
  // The pod is in the namespace that is given where it names none, and the other way round.
  Pod placed = pod;
  if (in.metadata.name.empty()) in.metadata.name = namespace_of(pod.metadata);
  if (placed.metadata.namespace_.empty()) placed.metadata.namespace_ = in.metadata.name;
  auto injection =
      pod_scheduling_policy::inject(std::move(placed), in, policies, options.default_scheduler);
  injection.pod.metadata.namespace_ = pod.metadata.namespace_;
  input.fail(EvaluateError::invalid_object, injection.errors);
  if (!input.complete()) return;
  result.member("applied", injection.applied)
      .member("skipped", injection.skipped)
      .member("changes", injection.changes);
  write_object(result, input, "pod", pod, injection.pod);
}

inline constexpr NamedOperation pod_scheduling_policy_operations[] = {
    {"podSchedulingPolicy.inject", pod_scheduling_policy_inject},
    {"podSchedulingPolicy.validate", policy_validate<pod_scheduling_policy::PodSchedulingPolicy>},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/operations/resource_policy.hpp

/// Operations of ResourcePolicy, with their inputs and results:
/// - resourcePolicy.schedule: pod, policies, pods, nodes; code, reason, policy, counts (per unit),
///   requested (per unit, of the resources that it limits; only where some unit limits any), nodes
///   (name, code, reason, unit, score): unit, an index, and score only on Success, unit absent
///   outside all, reason only otherwise.
/// - resourcePolicy.deletionCosts: policies, pods, nodes; costs (namespace, name, cost).
/// - resourcePolicy.validate: policy; errors, warnings.
/// - resourcePolicy.plan: pod, replicas, policies, pods, nodes; placements (pod, code, reason, node,
///   unit, deletionCost): of a replica that is placed node, deletionCost and unit, else reason;
///   scaleDown, the names of the placed ones in the order in which they go.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Whether a plan of so many replicas is no more work than a request may make: each of them is held
/// against each node, by policies and units that are so many together.
inline bool may_plan(Input& input, std::size_t replicas, std::size_t nodes, std::size_t cost) {
  const std::size_t most =
      max_planned_steps / (std::max<std::size_t>(nodes, 1) * (cost + planned_steps_beside));
  if (replicas <= most) return true;
  input.fail(EvaluateError::limit_exceeded,
             {ErrorType::too_many, FieldPath{"replicas"}, std::to_string(replicas),
              "must be at most " + std::to_string(most) + " for so many nodes and units"});
  return false;
}

/// With the policies of the input, to place so many replicas of a pod; where they cannot be used, one
/// that could place no pod.
inline resource_policy::Cluster read_cluster(Input& input, const std::vector<Node>& nodes,
                                             const std::vector<Pod>& pods,
                                             std::size_t replicas = 0) {
  const auto policies = input.read<std::vector<resource_policy::ResourcePolicy>>("policies");
  std::size_t cost = 0;
  for (const auto& policy : policies) cost += resource_policy::counting_cost(policy.spec);
  const std::size_t most = max_counted_pairs / std::max<std::size_t>(nodes.size() + pods.size(), 1);
  if (cost > most) {
    input.fail(
        EvaluateError::limit_exceeded,
        {ErrorType::too_many, FieldPath{"policies"}, std::to_string(cost),
         "with their units, twice what those limit and four times the match label keys, must "
         "be at most " +
             std::to_string(most) + " for so many nodes and pods"});
  } else if (may_plan(input, replicas, nodes.size(), cost)) {
    auto compiled = resource_policy::compile(policies);
    if (compiled) return {*std::move(compiled), nodes, pods};
    input.fail(EvaluateError::invalid_object, compiled.errors());
  }
  return {{}, {}, {}};
}

inline void resource_policy_schedule(Input& input, ObjectWriter& result) {
  using resource_policy::Code;
  const auto pod = input.require<Pod>("pod");
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const resource_policy::Cluster cluster = read_cluster(input, nodes, pods);
  if (!input.complete()) return;
  const auto before = cluster.prefilter(pod);
  result.member("code", to_string(before.code()));
  if (before.reason() != resource_policy::Reason::none)
    result.member("reason", to_string(before.reason()));
  if (before.code() != Code::success) return;
  result.member("policy", before.policy()).member("counts", before.counts());
  if (const auto requested = before.requested(); !requested.empty())
    result.member("requested", requested);
  std::vector<resource_policy::Filter> filters;
  std::vector<std::int64_t> scores;
  for (const Node& node : nodes) {
    filters.push_back(before.filter(node.metadata.name));
    if (filters.back().code == Code::success) scores.push_back(before.score(filters.back()));
  }
  scores = resource_policy::normalise(scores);
  ListWriter list(result.key("nodes"));
  auto score = scores.begin();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ObjectWriter node(list.item());
    node.member("name", nodes[i].metadata.name).member("code", to_string(filters[i].code));
    if (filters[i].code != Code::success) {
      node.member("reason", to_string(filters[i].reason));
      continue;
    }
    if (filters[i].unit) node.member("unit", *filters[i].unit);
    node.member("score", *score++);
  }
}

inline void resource_policy_deletion_costs(Input& input, ObjectWriter& result) {
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const resource_policy::Cluster cluster = read_cluster(input, nodes, pods);
  if (!input.complete()) return;
  ListWriter list(result.key("costs"));
  for (const Pod& pod : pods) {
    const auto cost = cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name);
    if (!cost) continue;
    ObjectWriter(list.item())
        .member("namespace", pod.metadata.namespace_)
        .member("name", pod.metadata.name)
        .member("cost", *cost);
  }
}

inline void resource_policy_validate(Input& input, ObjectWriter& result) {
  const auto policy = input.require_unnamed<resource_policy::ResourcePolicy>("policy");
  if (!input.complete()) return;
  const resource_policy::Validation found = validate(policy);
  result.member("errors", found.errors).member("warnings", found.warnings);
}

/// How many replicas; none where the input is wrong.
inline std::size_t read_replicas(Input& input, const std::vector<Node>& nodes) {
  static_cast<void>(input.require_element("replicas"));
  const auto replicas = input.read<std::int32_t>("replicas", EvaluateError::invalid_request);
  const auto fail = [&](EvaluateError code, ErrorType type, const std::string& why) {
    input.fail(code, {type, FieldPath{"replicas"}, std::to_string(replicas), why});
    return std::size_t{0};
  };
  if (replicas < 0)
    return fail(EvaluateError::invalid_request, ErrorType::invalid, "must not be negative");
  std::size_t longest = 0;
  for (const Node& node : nodes) longest = std::max(longest, node.metadata.name.size());
  const std::size_t most =
      max_document_bytes / (planned_replica_bytes + input.text("pod").size() + longest);
  if (static_cast<std::size_t>(replicas) <= most) return static_cast<std::size_t>(replicas);
  return fail(EvaluateError::limit_exceeded, ErrorType::too_many,
              "must be at most " + std::to_string(most) + " of such a pod");
}

inline void write(Writer& out, const resource_policy::Placement& placement) {
  ObjectWriter replica(out);
  replica.member("pod", placement.pod).member("code", to_string(placement.code));
  if (placement.code != resource_policy::Code::success) {
    replica.member("reason", to_string(placement.reason));
    return;
  }
  replica.member("node", placement.node);
  if (placement.unit) replica.member("unit", *placement.unit);
  replica.member("deletionCost", placement.deletion_cost);
}

inline void resource_policy_plan(Input& input, ObjectWriter& result) {
  auto pod = input.require<Pod>("pod");
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const std::size_t replicas = read_replicas(input, nodes);
  resource_policy::Cluster cluster = read_cluster(input, nodes, pods, replicas);
  if (!input.complete()) return;
  const resource_policy::Plan planned =
      plan(std::move(cluster), nodes, std::move(pod), static_cast<std::int32_t>(replicas));
  result.member("placements", planned.placements).member("scaleDown", planned.scale_down);
}

inline constexpr NamedOperation resource_policy_operations[] = {
    {"resourcePolicy.deletionCosts", resource_policy_deletion_costs},
    {"resourcePolicy.plan", resource_policy_plan},
    {"resourcePolicy.schedule", resource_policy_schedule},
    {"resourcePolicy.validate", resource_policy_validate},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/operations/runtime_class.hpp

/// Operations of RuntimeClass, with their inputs and results:
/// - runtimeClass.validate: runtimeClass; errors.
/// - runtimeClass.admit: pod, runtimeClasses; allowed, violations, changes, object, patch.
/// - runtimeClass.verify: pod (after all mutators ran), runtimeClasses; allowed, violations.
/// - runtimeClass.supports: runtimeClass, node; supported, missing (labels).

namespace SCHEDPOL_NAMESPACE::json::detail {

inline void runtime_class_admit(Input& input, ObjectWriter& result) {
  const Pod pod = input.require<Pod>("pod");
  const auto classes = input.read_named<runtime_class::RuntimeClass>("runtimeClasses");
  if (input.complete()) write_admission(result, input, pod, runtime_class::admit(pod, classes));
}

inline void runtime_class_validate(Input& input, ObjectWriter& result) {
  const auto of = input.require_unnamed<runtime_class::RuntimeClass>("runtimeClass");
  if (input.complete()) result.member("errors", validate(of));
}

inline void runtime_class_verify(Input& input, ObjectWriter& result) {
  const Pod pod = input.require<Pod>("pod");
  const auto classes = input.read_named<runtime_class::RuntimeClass>("runtimeClasses");
  if (!input.complete()) return;
  const auto violations = runtime_class::verify(pod, classes);
  result.member("allowed", violations.empty());
  write_violations(result, violations);
}

inline void runtime_class_supports(Input& input, ObjectWriter& result) {
  const auto of = input.require<runtime_class::RuntimeClass>("runtimeClass");
  const auto node = input.require<Node>("node");
  if (!input.complete()) return;
  const runtime_class::Support support = supports(of, node);
  result.member("supported", support.supported).member("missing", support.missing);
}

inline constexpr NamedOperation runtime_class_operations[] = {
    {"runtimeClass.admit", runtime_class_admit},
    {"runtimeClass.supports", runtime_class_supports},
    {"runtimeClass.validate", runtime_class_validate},
    {"runtimeClass.verify", runtime_class_verify},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/operations/suggest.hpp

/// The operation engine.suggest, by the rules of `insight/suggest.hpp`: the least SchedulingPolicies,
/// roles and bindings under which what a cluster runs is allowed.
/// - configuration: what is there already, as in engine.decide. Without it nothing is, and
///   SchedulingPolicy runs alone, with the defaults of an EngineConfiguration.
/// - objects: pods, workloads, and objects of the custom kinds that the configuration has paths for, as a
///   cluster prints them. A pod that is stored is asked about as it was created, by the workloads among
///   the objects; one that has run, or mirrors what a node runs, is not asked about. All others are
///   asked about as they stand. An object without a namespace is in `default`.
/// - nodes: for what an entry opens.
/// - options: subject (`ServiceAccount`, `Namespace`), commonPercent (0 to 100), generalise (keys),
///   nodeNames (`Listed`, `Any`), maxPolicies.
/// - the result is what `json/suggestion.hpp` writes.
/// It takes as many steps as `max_suggest_steps` has for the bytes of the request.

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto words<engine::SuggestedSubject> =
    vocabulary(Presence::optional, engine::SuggestedSubject::service_account,
               engine::SuggestedSubject::namespace_);

template <>
inline constexpr auto words<engine::SuggestedNodeNames> = vocabulary(
    Presence::optional, engine::SuggestedNodeNames::listed, engine::SuggestedNodeNames::any);

/// Each entry that a subject needs is tried without, so that few bytes could ask for much. What a cluster
/// prints takes less than one step a byte.
[[nodiscard]] constexpr std::size_t max_suggest_steps(std::size_t request_bytes) noexcept {
  return std::min(max_insight_steps, 20'000 + 12 * request_bytes);
}

/// The options with numbers as they are written.
struct WrittenSuggestOptions {
  engine::SuggestOptions read{};
  std::int32_t common_percent = 0;
  std::int32_t max_policies = 0;
};

template <>
inline constexpr auto schema<WrittenSuggestOptions> =
    object(Traits{.unknown = Unknown::refuse},
           field("subject", [](auto& options) -> auto& { return options.read.subject; }),
           field("commonPercent", &WrittenSuggestOptions::common_percent),
           field("generalise", [](auto& options) -> auto& { return options.read.generalise; }),
           field("nodeNames", [](auto& options) -> auto& { return options.read.node_names; }),
           field("maxPolicies", &WrittenSuggestOptions::max_policies));

inline void check_value(Decoder& decoder, const PathBuilder& at, WrittenSuggestOptions& options) {
  const auto check = [&](std::string_view name, std::int32_t number, std::int32_t most,
                         std::string_view wanted) {
    if (number < 0 || number > most)
      decoder.report(ErrorType::invalid, at.child(name), std::to_string(number),
                     std::string(wanted));
  };
  check("commonPercent", options.common_percent, 100, "must be 0 to 100");
  check("maxPolicies", options.max_policies, std::numeric_limits<std::int32_t>::max(),
        "must not be negative");
  options.read.common_percent = static_cast<std::size_t>(options.common_percent);
  options.read.max_policies = static_cast<std::size_t>(options.max_policies);
}

/// What runs: alike pods of one owner are one.
class RunningInventory {
 public:
  RunningInventory(const engine::Configuration& configuration, const std::vector<Pod>& workloads)
      : owners_(workloads),
        // Of others nobody looks at labels and annotations, by which pods of one template differ.
        keeps_labels_(schedpol::detail::any_of(configuration.systems, [](const engine::Step& step) {
          return step.system != engine::System::scheduling_policy &&
                 step.system != engine::System::runtime_class;
        })) {}

  void add_pod(engine::StoredObject&& stored) {
    if (!is_stored(stored)) return add(std::move(stored.object));
    const PodSpec& spec = stored.object.spec;
    engine::RunningObject running{.owner = owners_.outermost_of(stored.object), .pods = 1};
    if (spec.priority) running.priority = {*spec.priority, spec.preemption_policy != "Never"};
    std::string node = spec.node_name;
    engine::CreatedObject created = as_created(std::move(stored), owners_);
    if (created.as == engine::AskedAs::mirror_pod || created.as == engine::AskedAs::terminal)
      return;
    if (created.as == engine::AskedAs::undecided) running.doubtful_node = std::move(node);
    forget_rest(created.object);
    const auto [found, is_new] =
        places_.try_emplace(text_of(running, created.object), objects_.size());
    if (!is_new) return static_cast<void>(++objects_[found->second].pods);
    running.request = request_about(std::move(created.object));
    objects_.push_back(std::move(running));
  }

  /// One that stands as it is.
  void add(Pod&& object) {
    engine::Owner owner{std::string(to_string(object.kind)), object.metadata.namespace_,
                        object.metadata.name};
    objects_.push_back({.request = request_about(std::move(object)), .owner = std::move(owner)});
  }

  void add(engine::TemplateRequest&& each) {
    ObjectMeta& metadata = each.request.object.metadata;
    if (metadata.namespace_.empty()) metadata.namespace_ = std::string(default_namespace);
    engine::Owner owner{each.path.kind, metadata.namespace_, metadata.name};
    objects_.push_back({.request = std::move(each.request), .owner = std::move(owner)});
  }

  [[nodiscard]] const std::vector<engine::RunningObject>& objects() const noexcept {
    return objects_;
  }

 private:
  static engine::Request request_about(Pod&& object) {
    return {.object = std::move(object), .values = ChangeValues::omitted};
  }

  /// What of a stored pod nobody looks at.
  void forget_rest(Pod& pod) const {
    pod.status = {};
    pod.metadata.uid.clear();
    if (engine::controller_of(pod.metadata) != nullptr) pod.metadata.name.clear();
    if (keeps_labels_) return;
    pod.metadata.labels.clear();
    pod.metadata.annotations.clear();
  }

  /// By which alike pods are told.
  static std::string text_of(const engine::RunningObject& running, const Pod& pod) {
    Writer out;
    ObjectWriter(out)
        .member("owner", running.owner)
        .member("node", running.doubtful_node)
        .member("priority",
                running.priority ? std::optional(running.priority->value) : std::nullopt)
        .member("preempts", running.priority && running.priority->preempts)
        .member("pod", pod);
    return std::move(out).take();
  }

  engine::Owners owners_;
  bool keeps_labels_;
  std::map<std::string, std::size_t> places_;
  std::vector<engine::RunningObject> objects_;
};

inline std::vector<engine::RunningObject> read_running(Input& input,
                                                       const engine::Configuration& configuration) {
  auto listed = input.require<std::vector<InventoryObject>>("objects");
  std::vector<Pod> workloads;
  for (InventoryObject& each : listed) {
    if (each.metadata.namespace_.empty()) each.metadata.namespace_ = std::string(default_namespace);
    if (!each.is_custom && each.kind != PodKind::pod) workloads.push_back(each);
  }
  RunningInventory running(configuration, workloads);
  Decoder decoder(input.request_bytes());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    InventoryObject& each = listed[i];
    if (each.is_custom) {
      for (engine::TemplateRequest& request :
           read_custom_templates(input, decoder, each.written, i, configuration.settings.templates))
        running.add(std::move(request));
    } else if (each.kind != PodKind::pod) {
      running.add(std::move(static_cast<Pod&>(each)));
    } else {
      engine::StoredObject stored{.object = std::move(static_cast<Pod&>(each))};
      const FieldPath at = FieldPath{"objects"}.index(i);
      read_storage(decoder, PathBuilder(at), each.written, stored);
      running.add_pod(std::move(stored));
    }
  }
  input.fail(EvaluateError::invalid_object, decoder.take_errors());
  return running.objects();
}

/// What is there already; where that is not said, SchedulingPolicy runs alone.
inline engine::Configuration read_surroundings(Input& input) {
  if (!input.has("configuration"))
    return {.systems = {{.system = engine::System::scheduling_policy}}};
  engine::Configuration configuration = read_configuration(input, "configuration");
  static_cast<void>(compile_part(input, "configuration", configuration));
  return configuration;
}

inline void engine_suggest(Input& input, ObjectWriter& result) {
  const engine::Configuration configuration = read_surroundings(input);
  const std::vector<engine::RunningObject> objects = read_running(input, configuration);
  engine::SuggestOptions options = input.read<WrittenSuggestOptions>("options").read;
  options.nodes = input.read<std::vector<Node>>("nodes");
  options.max_steps = max_suggest_steps(input.request_bytes());
  if (!input.complete()) return;
  const Result<engine::Suggestion> suggestion = suggest(configuration, objects, options);
  if (suggestion) return SuggestionWriter().write_members(result, *suggestion);
  FieldError error = suggestion.errors().front();
  error.field = FieldPath{"objects"}.join(error.field);
  input.fail(EvaluateError::invalid_object, std::move(error));
}

inline constexpr NamedOperation suggest_operations[] = {
    {"engine.suggest", engine_suggest},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/evaluate.ipp

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

inline constexpr std::span<const NamedOperation> all_operations[] = {
    cluster_operations,
    core_operations,
    engine_operations,
    metadata_policy_operations,
    pod_scheduling_policy_operations,
    rbac_operations,
    resource_policy_operations,
    runtime_class_operations,
    scheduling_policy_operations,
    suggest_operations};

inline const NamedOperation* find_operation(std::string_view name) noexcept {
  for (const auto& operations : all_operations)
    for (const NamedOperation& operation : operations)
      if (operation.name == name) return &operation;
  return nullptr;
}

/// The place in the input of a request that a place in the request is; a place beside it stays.
inline FieldPath place_in_input(const FieldPath& in_request) {
  const auto steps = in_request.steps();
  if (steps.size() < 2 || steps[0].name != "input") return in_request;
  return in_request.below(1);
}

/// Answers one request.
class Evaluator {
 public:
  /// `engine` is what `engine.decide` asks where there is one.
  explicit Evaluator(const engine::Engine* engine = nullptr) : engine_(engine) {}

  std::string run(std::string_view request) && {
    Document document;
    const bool good = document.parse(request);
    if (document.problem() == DocumentProblem::limit_exceeded)
      return refuse(EvaluateError::limit_exceeded, document.error());
    // The id of a request that is only ambiguous elsewhere can still be echoed.
    const Element root = DocumentAccess::ambiguous_root(document);
    if (!root.is_there()) return refuse(EvaluateError::invalid_json, document.error());
    if (!root.is_object()) return refuse_type({}, "a request must be an object");
    if (!read_id(root)) return refuse_type(FieldPath{"id"}, "must be a scalar");
    if (!good) {
      FieldError error = document.error();
      error.field = place_in_input(error.field);
      return refuse(EvaluateError::invalid_json, std::move(error));
    }
    return evaluate(request, root);
  }

 private:
  [[nodiscard]] std::string evaluate(std::string_view request, Element root) const {
    std::string_view op;
    if (!root["op"].get(op))
      return refuse_type(FieldPath{"op"}, "must be the name of an operation");
    const NamedOperation* operation = find_operation(op);
    if (operation == nullptr) {
      return refuse(EvaluateError::unknown_op, {ErrorType::not_supported, FieldPath{"op"},
                                                std::string(op), "there is no such operation"});
    }
    const Element parts = root["input"];
    if (!parts.is_object()) return refuse_type(FieldPath{"input"}, "must be an object");
    Input input(request, parts, engine_);
    Writer body;
    {
      ObjectWriter result(body);
      operation->run(input, result);
    }
    if (input.failure()) return refuse(input.failure()->code, input.failure()->error);
    return reply("result", body.text());
  }

  /// False where the id is no scalar. One that is there twice is none.
  bool read_id(Element root) {
    Element id;
    for (const ElementMember member : root.members()) {
      if (member.key != "id") continue;
      if (id.is_there()) return true;
      id = member.value;
    }
    if (id.is_object() || id.is_list()) return false;
    Writer text;
    write(text, id);
    id_ = std::move(text).take();
    return true;
  }

  [[nodiscard]] std::string refuse_type(FieldPath field, std::string_view wanted) const {
    return refuse(EvaluateError::invalid_request,
                  {ErrorType::type_invalid, std::move(field), "", std::string(wanted)});
  }

  [[nodiscard]] std::string refuse(EvaluateError code, FieldError error) const {
    Writer body;
    ObjectWriter(body)
        .member("code", to_string(code))
        .member("message", message(error))
        .member("field", error.field);
    return reply("error", body.text());
  }

  [[nodiscard]] std::string reply(std::string_view member, std::string_view body) const {
    Writer out;
    ObjectWriter(out).member("id", Raw{id_}).member(member, Raw{body});
    return std::move(out).take();
  }

  const engine::Engine* engine_;
  std::string id_ = "null";
};

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(EvaluateError code) noexcept {
  switch (code) {
    case EvaluateError::invalid_json: return "InvalidJson";
    case EvaluateError::invalid_request: return "InvalidRequest";
    case EvaluateError::unknown_op: return "UnknownOp";
    case EvaluateError::invalid_object: return "InvalidObject";
    case EvaluateError::limit_exceeded: return "LimitExceeded";
  }
  return "";
}

SCHEDPOL_INLINE std::string evaluate(std::string_view request) {
  return detail::Evaluator().run(request);
}

SCHEDPOL_INLINE std::string evaluate(std::string_view request, const engine::Engine& engine) {
  return detail::Evaluator(&engine).run(request);
}

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/extend.ipp

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

/// Whether two names are one to Go, whose letters of either case are the same.
inline bool is_same_name(std::string_view a, std::string_view b) noexcept {
  using schedpol::detail::lower;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

/// Answers one question of a scheduler.
class Extender {
 public:
  Extender(std::string_view path, std::string_view bytes, const resource_policy::AssumeCache& state)
      : verb_(last_segment(path)),
        bytes_(bytes),
        state_(state),
        decoder_(bytes.size(), Extent::scheduling) {}

  ExtenderResponse run(Document& document) && {
    if (verb_ != "filter" && verb_ != "prioritize" && verb_ != "preempt") {
      decoder_.report(ErrorType::not_supported, {}, verb_,
                      "supported are filter, prioritize and preempt");
      return refuse(404);
    }
    if (!state_.knows_policies()) {
      decoder_.report(ErrorType::required, {}, "", "no ResourcePolicies are known yet");
      return refuse(503);
    }
    if (!document.parse(bytes_)) {
      result_.errors.push_back(document.error());
      return refuse(document.problem() == DocumentProblem::limit_exceeded ? 413 : 400);
    }
    root_ = DocumentAccess::root(document);
    Writer out;
    const std::vector<FieldError>& errors = decoder_.errors();
    root_.is_object() ? read_pod() : decoder_.wrong_type(whole_, root_, "an object");
    if (errors.empty() && verb_ != "preempt") read_nodes();
    if (errors.empty())
      verb_ == "filter" ? filter(out) : verb_ == "prioritize" ? prioritize(out) : preempt(out);
    if (!errors.empty()) return refuse(400);
    result_.status = 200;
    result_.response = std::move(out).take();
    return std::move(result_);
  }

 private:
  /// A node that is asked about.
  struct CandidateNode {
    std::string_view name{};
    Element whole{};  ///< only where nodes came whole
  };

  static std::string_view last_segment(std::string_view path) noexcept {
    path = path.substr(0, path.find('?'));
    return path.substr(path.rfind('/') + 1);  // all of it where there is none
  }

  ExtenderResponse refuse(int status) {
    std::vector<FieldError> errors = std::move(decoder_).take_errors();
    if (!errors.empty()) result_.errors = std::move(errors);
    std::string text;
    for (const FieldError& error : result_.errors)
      text.append(text.empty() ? "" : "; ").append(message(error));
    Writer out;
    ObjectWriter(out).member("Error", text);
    result_.status = verb_ == "filter" ? 200 : status;
    result_.response = std::move(out).take();
    return std::move(result_);
  }

  /// The member of a protocol's object; nothing where it is absent or null.
  Element member(const PathBuilder& at, Element from, std::string_view name) {
    Element found;
    bool seen = false;
    if (!from.is_object()) decoder_.wrong_type(at, from, "an object");
    for (const auto [key, value] : from.members()) {
      if (!is_same_name(key, name)) continue;
      if (seen)
        decoder_.report(ErrorType::duplicate, at.child(key), "", "it is there in two cases");
      seen = true;
      if (!value.is_null()) found = value;
    }
    return found;
  }

  /// A member of an object of Kubernetes, where it is there.
  template <class T>
  void read_part(const PathBuilder& at, Element from, std::string_view name, T& into) {
    const Element part = from.non_null(name);
    if (part.is_there()) decoder_.read(at.child(name), part, into);
  }

  void read_pod() {
    const PathBuilder at = whole_.child("Pod");
    const Element from = member(whole_, root_, "Pod");
    if (!from.is_there())
      return decoder_.report(ErrorType::required, at, "", "there is no pod to place");
    const PathBuilder metadata = at.child("metadata");
    if (!from.is_object()) return decoder_.wrong_type(at, from, "an object");
    std::string kind;
    read_part(at, from, "kind", kind);
    if (!kind.empty() && kind != "Pod")
      decoder_.report(ErrorType::not_supported, at.child("kind"), kind, "must be Pod");
    const Element part = from["metadata"];
    if (!part.is_there())
      return decoder_.report(ErrorType::required, metadata, "", "tells which pod it is");
    decoder_.read(metadata, part, pod_.metadata);
    if (!part.is_object()) return;
    read_part(metadata, part, "uid", pod_.metadata.uid);
    if (pod_.metadata.name.empty())
      decoder_.report(ErrorType::required, metadata.child("name"), "", "tells which pod it is");
    if (pod_.metadata.namespace_.empty())
      decoder_.report(ErrorType::required, metadata.child("namespace"), "",
                      "tells which policies are its");
    // What the pod's resources are made of; the API server has written limits into requests.
    const Element spec = from.non_null("spec");
    const PathBuilder at_spec = at.child("spec");
    if (!spec.is_there()) return;
    if (!spec.is_object()) return decoder_.wrong_type(at_spec, spec, "an object");
    read_part(at_spec, spec, "initContainers", pod_.spec.init_containers);
    read_part(at_spec, spec, "containers", pod_.spec.containers);
    read_part(at_spec, spec, "overhead", pod_.spec.overhead);
    read_part(at_spec, spec, "resources", pod_.spec.resources);
  }

  /// What comes whole or by name, each in a member of its own; nothing where it is not one of them.
  Element one_of(std::string_view what, std::string_view whole, std::string_view names) {
    const Element of_whole = member(whole_, root_, whole);
    const Element of_names = member(whole_, root_, names);
    are_whole_ = of_whole.is_there();
    if (are_whole_ != of_names.is_there()) return are_whole_ ? of_whole : of_names;
    std::string detail = "the ";
    detail.append(what).append(" come in one of ").append(whole).append(" and ").append(names);
    decoder_.report(are_whole_ ? ErrorType::forbidden : ErrorType::required, whole_.child(names),
                    "", std::move(detail));
    return {};
  }

  void read_nodes() {
    const Element nodes = one_of("nodes", "Nodes", "NodeNames");
    if (!nodes.is_there()) return;
    if (!are_whole_) return read_names(whole_.child("NodeNames"), nodes);
    const PathBuilder at = whole_.child("Nodes");
    const PathBuilder items = at.child("items");
    if (!nodes.is_object()) return decoder_.wrong_type(at, nodes, "an object");
    if (const Element list = nodes.non_null("items"); list.is_there()) read_names(items, list);
  }

  void read_names(const PathBuilder& at, Element from) {
    if (!from.is_list()) return decoder_.wrong_type(at, from, "a list");
    std::size_t index = 0;
    for (const Element item : from.items()) {
      const PathBuilder place = at.index(index++);
      CandidateNode& node = candidates_.emplace_back();
      Element name = item;
      if (are_whole_) {
        node.whole = item;
        if (!item.is_object()) return decoder_.wrong_type(place, item, "an object");
        name = item["metadata"]["name"];
        if (!name.is_there())
          return decoder_.report(ErrorType::required, place.child("metadata"), "",
                                 "a node has a name");
      }
      if (!name.get(node.name)) return decoder_.wrong_type(place, name, "a name");
      if (node.name.empty())
        return decoder_.report(ErrorType::required, place, "", "a node has a name");
    }
    std::vector<std::string_view> sorted;
    for (const CandidateNode& node : candidates_) sorted.push_back(node.name);
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      decoder_.report(ErrorType::duplicate, at, *twice, "each node is asked about once");
    result_.nodes = candidates_.size();
  }

  /// Why the pod cannot go to a node; empty: it can.
  [[nodiscard]] std::string reason(const resource_policy::Prefilter& before,
                                   std::string_view node) const {
    if (before.code() == resource_policy::Code::skip && !invalid_policy_) return {};
    if (!state_.cluster().nodes().find(node)) return "the node is not known yet";
    if (invalid_policy_) return "ResourcePolicy " + in_backticks(*invalid_policy_) + " is invalid";
    return before.message(node);
  }

  void filter(Writer& out) {
    using resource_policy::Code;
    const resource_policy::Cluster& cluster = state_.cluster();
    const ObjectMeta& pod = pod_.metadata;
    invalid_policy_ = state_.invalid_policy(pod_);
    const resource_policy::Prefilter before = cluster.prefilter(pod_);
    if (before.code() == Code::success && !state_.knows_pod(pod.namespace_, pod.name, pod.uid)) {
      const PathBuilder at = whole_.child("Pod");
      result_.is_unknown_pod = true;
      return decoder_.report(ErrorType::invalid, at.child("metadata"), pod.name,
                             "the pod is not known yet");
    }
    resource_policy::Assumption& assumption = result_.assumption.emplace();
    assumption.pod.metadata = {
        .name = pod.name, .namespace_ = pod.namespace_, .uid = pod.uid, .labels = pod.labels};
    assumption.pod.spec = pod_.spec;
    Writer failed;
    Writer fitting;
    bool waits_for_others = false;
    {
      ObjectWriter failed_nodes(failed);
      for (const CandidateNode& node : candidates_) {
        std::string why = reason(before, node.name);
        const auto number = cluster.nodes().find(node.name);
        if (!why.empty()) {
          failed_nodes.entry(node.name, why);
          if (!number) continue;
          // Of a unit that others fill rather than of a node that never is one for it.
          const bool may_get_free = before.filter(node.name).code == Code::unschedulable;
          if (assumption.refused.empty() || (may_get_free && !waits_for_others)) {
            assumption.reason = std::move(why);
            waits_for_others = may_get_free;
          }
          assumption.refused.insert(*number);
          continue;
        }
        if (result_.feasible++ > 0) fitting += ',';
        if (are_whole_) {
          write(fitting, node.whole);
        } else {
          write(fitting, node.name);
        }
        if (before.code() == Code::success) assumption.nodes.insert(*number);
      }
    }
    ObjectWriter answer(out);
    Writer& list = answer.key(are_whole_ ? "Nodes" : "NodeNames");
    list += are_whole_ ? "{\"items\":[" : "[";
    list += fitting.text();
    list += are_whole_ ? "]}" : "]";
    answer.member("FailedNodes", Raw{"{}"})
        .member("FailedAndUnresolvableNodes", Raw{failed.text()})
        .member("Error", "");
  }

  void prioritize(Writer& out) {
    const resource_policy::Prefilter before = state_.cluster().prefilter(pod_);
    std::vector<std::int64_t> scores;
    for (const CandidateNode& node : candidates_)
      scores.push_back(before.score(before.filter(node.name)));
    scores = resource_policy::normalise(scores);
    ListWriter hosts(out);
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      ObjectWriter(hosts.item())
          .member("Host", candidates_[i].name)
          .member("Score", scores[i] / 10);
    result_.feasible = candidates_.size();
  }

  void preempt(Writer& out) {
    const Element victims = one_of("victims", "NodeNameToVictims", "NodeNameToMetaVictims");
    if (!victims.is_there()) return;
    const PathBuilder at = whole_.child(are_whole_ ? "NodeNameToVictims" : "NodeNameToMetaVictims");
    invalid_policy_ = state_.invalid_policy(pod_);
    const resource_policy::Prefilter before = state_.cluster().prefilter(pod_);
    ObjectWriter answer(out);
    ObjectWriter kept(answer.key("NodeNameToMetaVictims"));
    if (!victims.is_object()) decoder_.wrong_type(at, victims, "an object");
    for (const auto [node, of_node] : victims.members()) {
      ++result_.nodes;
      preempt_on(at.key(node), node, of_node, before, kept);
    }
  }

  /// Writes the victims on a node, where the pod fits once they are gone.
  void preempt_on(const PathBuilder& at, std::string_view node, Element from,
                  const resource_policy::Prefilter& before, ObjectWriter& kept) {
    if (from.is_null()) return;
    if (!from.is_object()) return decoder_.wrong_type(at, from, "an object");
    const PathBuilder at_pods = at.child("Pods");
    const Element pods = member(at, from, "Pods");
    const Element violations = member(at, from, "NumPDBViolations");
    std::int64_t pdb_violations = 0;
    if (violations.is_there())
      decoder_.read(at.child("NumPDBViolations"), violations, pdb_violations);
    if (!pods.is_there()) return;
    if (!pods.is_list()) return decoder_.wrong_type(at_pods, pods, "a list");
    std::vector<std::string> uids;
    for (const Element pod : pods.items()) {
      const PathBuilder place = at_pods.index(uids.size());
      Element identity = are_whole_ ? member(place, pod, "metadata") : pod;
      if (identity.is_there()) identity = member(place, identity, "uid");
      std::string& uid = uids.emplace_back();
      if (identity.is_there()) decoder_.read(place.child("uid"), identity, uid);
      if (uid.empty())
        decoder_.report(ErrorType::required, place.child("uid"), "", "tells which pod it is");
    }
    // A preemption without victims is none.
    if (uids.empty() || !decoder_.errors().empty()) return;
    std::vector<resource_policy::PodName> gone;
    for (const std::string_view uid : std::set<std::string_view>(uids.begin(), uids.end())) {
      if (const auto pod = state_.bound_pod(uid, node)) gone.push_back(*pod);
    }
    if (!reason(before.without(gone, pod_), node).empty()) return;
    ++result_.feasible;
    Writer victims;
    {
      ObjectWriter of_node(victims);
      {
        ListWriter list(of_node.key("Pods"));
        for (const std::string& uid : uids) ObjectWriter(list.item()).member("UID", uid);
      }
      of_node.member("NumPDBViolations", pdb_violations);
    }
    kept.entry(node, Raw{victims.text()});
  }

  std::string_view verb_;
  std::string_view bytes_;
  const resource_policy::AssumeCache& state_;
  Decoder decoder_;
  const PathBuilder whole_{};  ///< the document
  Element root_{};
  Pod pod_;
  std::vector<CandidateNode> candidates_;
  bool are_whole_ = false;
  std::optional<std::string> invalid_policy_;
  ExtenderResponse result_;
};

}  // namespace detail

SCHEDPOL_INLINE ExtenderResponse answer_extender(std::string_view path, std::string_view bytes,
                                                 const resource_policy::AssumeCache& state,
                                                 Document& document) {
  return detail::Extender(path, bytes, state).run(document);
}

SCHEDPOL_INLINE ExtenderResponse answer_extender(std::string_view path, std::string_view bytes,
                                                 const resource_policy::AssumeCache& state) {
  Document document;
  return answer_extender(path, bytes, state, document);
}

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/patch_operation.ipp

namespace SCHEDPOL_NAMESPACE::json {

SCHEDPOL_INLINE std::string_view to_string(PatchOp op) noexcept {
  switch (op) {
    case PatchOp::add: return "add";
    case PatchOp::replace: return "replace";
    case PatchOp::remove: return "remove";
    case PatchOp::move: return "move";
    case PatchOp::copy: return "copy";
    case PatchOp::test: return "test";
  }
  return "";
}

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/base64.hpp

/// Base64 with padding, the encoding of `patch` in an AdmissionReview. Source: RFC 4648,
/// section 4.

namespace SCHEDPOL_NAMESPACE::json::detail {

inline constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The two digits of every 12 bits.
constexpr std::array<std::array<char, 2>, 4096> base64_pairs() {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = {base64_digits[i >> 6U], base64_digits[i & 63U]};
  return pairs;
}

inline void write_twelve_bits(char* to, std::uint64_t bits) {
#ifdef __wasm__
  // The 8 KB of the pairs are hardly smaller when they are packed, and a page waits for them.
  to[0] = base64_digits[bits >> 6U & 63U];
  to[1] = base64_digits[bits & 63U];
#else
  static constexpr auto pairs = base64_pairs();
  std::memcpy(to, pairs[bits & 4095U].data(), 2);
#endif
}

/// Writes the eight digits of six bytes, of which eight are there: they are one load.
inline void write_six_bytes(char* to, const unsigned char* from) {
  const auto byte = [&](std::size_t i) -> std::uint64_t { return from[i]; };
  const std::uint64_t eight = byte(0) << 56U | byte(1) << 48U | byte(2) << 40U | byte(3) << 32U |
                              byte(4) << 24U | byte(5) << 16U | byte(6) << 8U | byte(7);
  write_twelve_bits(to, eight >> 52U);
  write_twelve_bits(to + 2, eight >> 40U);
  write_twelve_bits(to + 4, eight >> 28U);
  write_twelve_bits(to + 6, eight >> 16U);
}

inline void write_base64(Writer& out, std::string_view bytes) {
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto byte = [&](std::size_t i) -> std::uint64_t { return from[i]; };
  char* to = out.extend((bytes.size() + 2) / 3 * 4);
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 6, from += 6, to += 8) write_six_bytes(to, from);
  for (; left >= 3; left -= 3, from += 3, to += 4) {
    const std::uint64_t three = byte(0) << 16U | byte(1) << 8U | byte(2);
    write_twelve_bits(to, three >> 12U);
    write_twelve_bits(to + 2, three);
  }
  if (left == 0) return;
  const std::uint64_t rest = byte(0) << 16U | (left == 2 ? byte(1) << 8U : 0U);
  write_twelve_bits(to, rest >> 12U);
  write_twelve_bits(to + 2, rest);
  std::memset(to + 1 + left, '=', 3 - left);
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/admission_review.hpp

/// An AdmissionReview (admission.k8s.io/v1): the request in it, and what is answered: the verdict, the
/// status of a denial, the patch in base64, warnings and audit annotations. What they say is in
/// `review.hpp`. Source: Kubernetes' dynamic admission control.

namespace SCHEDPOL_NAMESPACE::json::detail {

/// The parts of a request that tell what it is about, apart from the objects.
struct ReviewRequest {
  struct Kind {
    std::string group{};
    std::string kind{};
  };
  struct UserInfo {
    std::string username{};
    Texts groups{};
  };
  std::string uid{};
  Kind kind{};
  std::string sub_resource{};
  std::string namespace_{};
  std::string operation{};
  UserInfo user_info{};
};

template <>
inline constexpr auto schema<ReviewRequest::Kind> =
    object(field("group", &ReviewRequest::Kind::group), field("kind", &ReviewRequest::Kind::kind));

template <>
inline constexpr auto schema<ReviewRequest::UserInfo> =
    object(field("username", &ReviewRequest::UserInfo::username),
           field("groups", &ReviewRequest::UserInfo::groups));

template <>
inline constexpr auto schema<ReviewRequest> = object(
    field("uid", &ReviewRequest::uid), field("kind", &ReviewRequest::kind),
    field("subResource", &ReviewRequest::sub_resource),
    field("namespace", &ReviewRequest::namespace_), field("operation", &ReviewRequest::operation),
    field("userInfo", &ReviewRequest::user_info));

/// A metav1.Status, as far as a denial fills it in. Its text says what the causes only name.
struct Status {
  struct Cause {
    std::string_view reason;
    FieldPath field;
  };

  std::int32_t code = 0;
  std::string_view reason;
  std::string text{};
  std::vector<Cause> causes{};

  /// All of them, after a text that says who denies, if any.
  template <class List, class Reason>
  void add(const List& list, Reason&& reason_of) {
    for (const auto& each : list) {
      if (causes.size() == max_reported_errors) {
        text += "; and " + std::to_string(list.size() - causes.size()) + " more";
        return;
      }
      if (!text.empty()) text += causes.empty() ? ": " : "; ";
      text += message(each);
      causes.push_back({reason_of(each), each.field});
    }
  }
};

inline void write(Writer& out, const Status::Cause& cause) {
  ObjectWriter(out).member("reason", cause.reason).member("field", cause.field);
}

inline constexpr std::string_view review_api_version = "admission.k8s.io/v1";

/// Writes the AdmissionReview that answers one request.
class ResponseWriter {
 public:
  /// `status` says why the request is denied; null when it is allowed. `warnings` stand before
  /// those of the steps.
  ResponseWriter(const Status* status, const std::vector<engine::StepDecision>& steps,
                 std::vector<std::string> warnings = {})
      : status_(status), steps_(steps), warnings_(std::move(warnings)) {}

  [[nodiscard]] std::string write(std::string_view uid, std::string_view patch) const {
    Writer out;
    {
      ObjectWriter review(out);
      review.member("apiVersion", review_api_version).member("kind", "AdmissionReview");
      ObjectWriter response(review.key("response"));
      response.member("uid", uid).member("allowed", status_ == nullptr);
      if (status_ != nullptr) write_status(response.key("status"));
      if (!patch.empty()) write_patch(response, patch);
      write_warnings(response);
      write_audit_annotations(response);
    }
    return std::move(out).take();
  }

 private:
  using StepDecision = engine::StepDecision;

  static bool enforced(const StepDecision& decided) noexcept {
    return decided.step.mode == engine::Mode::enforce;
  }
  /// Where it is denied, nothing that was to be enforced has been changed.
  [[nodiscard]] bool changed(const StepDecision& decided) const noexcept {
    return !decided.changes.empty() && (status_ == nullptr || !enforced(decided));
  }

  void write_status(Writer& out) const {
    ObjectWriter object(out);
    object.member("status", "Failure")
        .member("message", status_->text)
        .member("reason", status_->reason)
        .member("code", status_->code);
    if (!status_->causes.empty())
      ObjectWriter(object.key("details")).member("causes", status_->causes);
  }

  static void write_patch(ObjectWriter& response, std::string_view patch) {
    response.member("patchType", "JSONPatch");
    Writer& text = response.key("patch");
    text += '"';
    write_base64(text, patch);
    text += '"';
  }

  void write_warnings(ObjectWriter& response) const {
    std::vector<std::string> warnings = warnings_;
    for (const StepDecision& decided : steps_) {
      for (const Warning& warning : decided.warnings) {
        if (status_ != nullptr || warnings.size() == max_reported_errors) break;
        warnings.push_back(message(warning));
      }
      if (decided.step.mode != engine::Mode::warn) continue;
      for (const Violation& violation : decided.violations) {
        if (warnings.size() == max_reported_errors) break;
        warnings.push_back(std::string(to_string(decided.step.system)) +
                           " would deny: " + message(violation));
      }
    }
    if (!warnings.empty()) response.member("warnings", warnings);
  }

  /// Keys in byte order, as an object has them.
  void write_audit_annotations(ObjectWriter& response) const {
    std::vector<const StepDecision*> reported;
    for (const StepDecision& decided : steps_)
      if (changed(decided) || !decided.violations.empty()) reported.push_back(&decided);
    if (reported.empty()) return;
    std::sort(reported.begin(), reported.end(), [](const StepDecision* a, const StepDecision* b) {
      return audit_key(a->step.system) < audit_key(b->step.system);
    });
    ObjectWriter annotations(response.key("auditAnnotations"));
    for (const StepDecision* decided : reported) {
      const auto note = [&](std::string_view suffix, const std::string& text) {
        annotations.member(std::string(audit_key(decided->step.system)).append(suffix), text);
      };
      if (changed(*decided))
        note(enforced(*decided) ? "" : "-would-change", text_of(decided->changes));
      if (decided->violations.empty()) continue;
      // What the status or the warnings say is not said again.
      const bool is_reported = decided->step.mode != engine::Mode::audit;
      note(enforced(*decided) ? "-denied" : "-would-deny",
           texts_of(decided->violations, is_reported ? brief : message_of));
    }
  }

  /// The fields that each policy changed:
  /// `gpu: spec.schedulerName, spec.tolerations[1]; zones: ...`.
  static std::string text_of(const std::vector<Change>& changes) {
    constexpr std::size_t usual = 1000;  // more than most take
    std::string text;
    text.reserve(usual);
    const std::string* policy = nullptr;
    for (const Change& change : changes) {
      if (policy != nullptr && *policy == change.policy) {
        text += ", ";
      } else {
        if (policy != nullptr) text += "; ";
        text += change.policy;
        if (!change.policy.empty()) text += ": ";
      }
      append_to(text, change.field);
      policy = &change.policy;
    }
    return text;
  }

  static std::string message_of(const Violation& violation) { return message(violation); }
  /// `spec.schedulerName`: SchedulerNameNotAllowed by `everyone`.
  static std::string brief(const Violation& violation) {
    std::string text = in_backticks(to_string(violation.field)) + ": ";
    text += to_string(violation.code);
    return violation.policies.empty() ? text : text + " by " + in_backticks(violation.policies);
  }
  static std::string texts_of(const std::vector<Violation>& violations,
                              std::string (*text_of)(const Violation&)) {
    std::string text;
    for (std::size_t i = 0; i < std::min(violations.size(), max_reported_errors); ++i)
      text.append(i > 0 ? "; " : "").append(text_of(violations[i]));
    if (violations.size() > max_reported_errors)
      text += "; and " + std::to_string(violations.size() - max_reported_errors) + " more";
    return text;
  }

  const Status* status_;
  const std::vector<StepDecision>& steps_;
  std::vector<std::string> warnings_;
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail

// schedpol/json/impl/review.ipp

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

/// Answers one AdmissionReview.
class Reviewer {
 public:
  Reviewer(const engine::Engine& engine, engine::Phase phase, const engine::Adviser& adviser,
           std::string_view bytes)
      : engine_(engine), phase_(phase), adviser_(adviser), bytes_(bytes), decoder_(bytes.size()) {}

  /// `document` is used for its memory.
  ReviewResult run(Document& document) && {
    engine::Request request;
    if (std::optional<ReviewResult> answer = read(document, request)) return *std::move(answer);
    engine::Decision decision = engine_.decide(request);
    if (!decision.allowed) {
      const std::vector<Change> fix = adviser_.nearest_fix(engine_, request, decision);
      result_.unknown = std::move(decision.unknown);
      return deny(std::move(decision.steps), fix);
    }
    add_metadata_steps(decision.steps);
    if (phase_ == engine::Phase::validating || decision.steps.empty())
      return respond(Outcome::allowed, nullptr, std::move(decision.steps));
    Differ differ(request_element_["object"]);
    diff_metadata(differ);
    const Pod& changed = decision.pod;
    if (engine_.looks_at_metadata())
      differ.diff(changed.kind, "metadata", request.object.metadata, changed.metadata);
    differ.diff(changed.kind, "spec", request.object.spec, changed.spec);
    std::vector<std::string> warnings;
    for (const Warning& warning : decision.warnings) warnings.push_back(message(warning));
    return respond(Outcome::allowed, nullptr, std::move(decision.steps), std::move(differ).json(),
                   std::move(warnings));
  }

 private:
  /// Reads what the engine is to decide on; where it is not to decide, the answer.
  std::optional<ReviewResult> read(Document& document, engine::Request& request) {
    if (!document.parse(bytes_)) {
      // The uid of a document that is only ambiguous elsewhere can still be echoed.
      std::string_view uid;
      if (DocumentAccess::ambiguous_root(document)["request"]["uid"].get(uid)) request_.uid = uid;
      return malformed({document.error()});
    }
    const Element root = DocumentAccess::root(document);
    read_request(root);
    if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
    const bool is_update = request_.operation == "UPDATE";
    if (!request_.sub_resource.empty() || (!is_update && request_.operation != "CREATE"))
      return passed();
    for (const std::string_view name : {"object", "oldObject"}) expect_kind_of_request(name);
    if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
    const std::optional<PodKind> kind = pod_kind(request_.kind.kind);
    // A custom resource may well be a `Deployment` of another group.
    const bool has_pod = kind && is_in_group(*kind, request_.kind.group);
    engine::Objects policies;
    if (!has_pod && read_policy(policies)) return review_policy(policies, is_update);
    if (!has_pod || *kind != PodKind::pod) {
      decide_metadata(is_update);
      if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
      if (!metadata_.allowed) return deny(std::move(metadata_.steps), {});
    }
    request.requester = {.name = std::move(request_.user_info.username),
                         .groups = std::move(request_.user_info.groups)};
    request.phase = phase_;
    request.values = ChangeValues::omitted;
    if (!has_pod) return decide_templates(is_update, request);
    if (is_update) request.operation = engine::Operation::update;
    if (*kind != PodKind::pod) {
      if (skipped_by_owner(*kind) || (is_update && has_old_part(template_steps(*kind))))
        return metadata_.steps.empty() ? passed() : metadata_allowed();
      request.template_differs = is_update;
    }
    read_as_far_as_needed(request);
    read_pod("object", *kind, request.object);
    if (is_update) read_pod("oldObject", *kind, request.old.object);
    if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
    return std::nullopt;
  }

  /// How much of pods is read.
  void read_as_far_as_needed(const engine::Request& request) {
    const bool reads_all =
        engine_.looks_at_metadata() || request.requester.groups.contains(engine::nodes_group);
    decoder_ = Decoder(bytes_.size(), reads_all ? Extent::whole : Extent::scheduling);
  }

  /// Decides on the pod templates that the configuration says an object of a custom kind has, each by itself. All
  /// of them have to be allowed.
  ReviewResult decide_templates(bool is_update, engine::Request& request) {
    const CustomObject object{
        request_element_["object"], is_update ? request_element_["oldObject"] : Element(),
        at_request_.child("object").path(), at_request_.child("oldObject").path()};
    const std::vector<CustomTemplate> templates = find_templates(
        decoder_, object, engine_.templates(), {request_.kind.group, request_.kind.kind});
    if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
    if (templates.empty()) return metadata_.steps.empty() ? passed() : metadata_allowed();
    read_as_far_as_needed(request);
    ObjectMeta workload;
    read_metadata("object", workload);
    const std::vector<engine::TemplateRequest> requests =
        requests_about(decoder_, object, templates, workload, request);
    if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
    engine::TemplatesDecision decision = engine::decide_templates(engine_, requests, adviser_);
    if (!decision.allowed) {
      result_.unknown = std::move(decision.unknown);
      return deny(std::move(decision.steps), decision.nearest_fix);
    }
    add_metadata_steps(decision.steps);
    if (phase_ == engine::Phase::validating)
      return respond(Outcome::allowed, nullptr, std::move(decision.steps));
    Differ differ(object.now);
    diff_metadata(differ);
    diff_templates(differ, templates, requests, decision, engine_.looks_at_metadata());
    std::vector<std::string> warnings;
    for (const Warning& warning : decision.warnings) warnings.push_back(message(warning));
    return respond(Outcome::allowed, nullptr, std::move(decision.steps), std::move(differ).json(),
                   std::move(warnings));
  }

  /// Whether an owner of the workload was decided on in its place.
  [[nodiscard]] bool skipped_by_owner(PodKind kind) const {
    const Element owners = request_element_["object"]["metadata"]["ownerReferences"];
    for (const Element from : owners.items()) {
      OwnerReference owner;
      Decoder().read({}, from, owner);  // what cannot be read is none that passes it
      if (engine::skipped_by_owner(kind, owner)) return true;
    }
    return false;
  }

  /// Decides on what the object says of itself, where a system that runs looks at that.
  void decide_metadata(bool is_update) {
    metadata_.allowed = true;
    if (!engine_.looks_at_metadata() || request_.namespace_.empty() ||
        !engine::is_subject_to_metadata_policy(request_.kind.group, request_.kind.kind))
      return;
    engine::MetadataRequest request{
        .operation = is_update ? engine::Operation::update : engine::Operation::create,
        .api_group = request_.kind.group,
        .kind = request_.kind.kind,
        .requester = {.name = request_.user_info.username, .groups = request_.user_info.groups},
        .phase = phase_};
    read_metadata("object", request.object);
    if (is_update) read_metadata("oldObject", request.old.object);
    if (!decoder_.errors().empty()) return;
    metadata_ = engine_.decide_metadata(request);
    metadata_before_ = std::move(request.object);
  }

  /// Whether the request has the object, which is read then.
  template <class T>
  bool read_object(const PathBuilder& at, std::string_view name, T& into) {
    const Element object = request_element_.non_null(name);
    if (object.is_there()) {
      decoder_.read(at, object, into);
    } else {
      decoder_.report(ErrorType::required, at, "", "the operation needs it");
    }
    return object.is_there();
  }

  void read_metadata(std::string_view name, ObjectMeta& metadata) {
    const PathBuilder at = at_request_.child(name);
    AnyObject read;
    if (!read_object(at, name, read)) return;
    metadata = std::move(read.metadata);
    stand_in_namespace(at, metadata, false);
  }

  ReviewResult metadata_allowed() {
    Differ differ(request_element_["object"]);
    diff_metadata(differ);
    return respond(Outcome::allowed, nullptr, std::move(metadata_.steps), std::move(differ).json());
  }

  void diff_metadata(Differ& differ) const {
    if (metadata_before_) differ.diff_object(*metadata_before_, metadata_.metadata);
  }

  /// The policy that is written; false where the request is about something else.
  bool read_policy(engine::Objects& into) {
    if (!engine::is_policy(request_.kind.group, request_.kind.kind)) return false;
    for_each_list(into, [&](auto& list, engine::ObjectKinds kinds) {
      if (schedpol::detail::none_of(
              kinds, [&](const engine::ObjectKind& one) { return one.name == request_.kind.kind; }))
        return;
      const Element object = request_element_.non_null("object");
      if (!object.is_there()) {
        decoder_.report(ErrorType::required, whole_.child("object"), "", "the operation needs it");
      } else {
        decoder_.read(whole_, object, list.emplace_back());
      }
    });
    return true;
  }

  /// Of a policy that is written what is wrong with it, where it could be read.
  ReviewResult review_policy(const engine::Objects& objects, bool is_update) {
    // Whoever takes a finalizer off a policy that is invalid already must not be kept from it.
    if (is_update && has_old_part(spec_step)) return passed();
    std::vector<FieldError> errors = decoder_.take_errors();
    if (errors.empty()) errors = engine::validate_each(objects);
    if (errors.empty())
      return respond(Outcome::allowed, nullptr, {}, {}, adviser_.warnings(engine_, objects));
    return refuse(Outcome::denied, {422, "Invalid", request_.kind.kind}, std::move(errors));
  }

  static constexpr std::string_view spec_step[] = {"spec"};

  /// Whether an update leaves the part below these fields as it was, in all that the document says
  /// of it.
  [[nodiscard]] bool has_old_part(std::span<const std::string_view> steps) const {
    const Element now = request_element_["object"].below(steps);
    return now.is_there() && is_equal(now, request_element_["oldObject"].below(steps));
  }

  void read_request(Element root) {
    const PathBuilder& at = at_request_;
    if (!root.is_object())
      return decoder_.report(ErrorType::type_invalid, whole_, "",
                             "an AdmissionReview is an object");
    expect(root, "apiVersion", review_api_version);
    expect(root, "kind", "AdmissionReview");
    request_element_ = root["request"];
    if (!request_element_.is_there())
      return decoder_.report(ErrorType::required, at, "", "there is nothing to review");
    decoder_.read(at, request_element_, request_);
    if (request_.uid.empty())
      decoder_.report(ErrorType::required, at.child("uid"), "", "the response echoes it");
    if (request_.kind.kind.empty()) {
      const PathBuilder kind = at.child("kind");
      decoder_.report(ErrorType::required, kind.child("kind"), "", "tells what the object is");
    }
    constexpr std::string_view known[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};
    if (!schedpol::detail::contains(known, request_.operation)) {
      decoder_.report(ErrorType::not_supported, at.child("operation"), request_.operation,
                      "supported are CREATE, UPDATE, DELETE and CONNECT");
    }
  }

  /// An object that says another kind or group than the request would pass as what it is not.
  void expect_kind_of_request(std::string_view name) {
    const Element object = request_element_.non_null(name);
    const PathBuilder at = at_request_.child(name);
    std::string_view text;
    if (object["kind"].get(text) && text != request_.kind.kind)
      decoder_.report(ErrorType::invalid, at.child("kind"), text, "is not the kind of the request");
    if (object["apiVersion"].get(text) && api_group(text) != request_.kind.group) {
      decoder_.report(ErrorType::invalid, at.child("apiVersion"), text,
                      "is not of the group of the request");
    }
  }

  void expect(Element root, std::string_view name, std::string_view wanted) {
    std::string_view text;
    if (root[name].get(text) && text == wanted) return;
    decoder_.report(ErrorType::not_supported, whole_.child(name), "",
                    "must be " + std::string(wanted));
  }

  void read_pod(std::string_view name, PodKind kind, Pod& pod) {
    const PathBuilder at = at_request_.child(name);
    if (!read_object(at, name, pod) || !decoder_.errors().empty()) return;
    if (pod.kind != kind) {
      decoder_.report(ErrorType::invalid, at.child("kind"), to_string(pod.kind),
                      "is not the kind of the request");
    }
    // The pods of a workload stand in its namespace, whatever its template says.
    stand_in_namespace(at, pod.metadata, kind != PodKind::pod);
  }

  /// Puts an object into the namespace of the request, which it may name itself.
  void stand_in_namespace(const PathBuilder& at, ObjectMeta& object, bool whatever_it_says) {
    std::string& in = object.namespace_;
    if (in.empty() || (whatever_it_says && !request_.namespace_.empty())) in = request_.namespace_;
    if (!request_.namespace_.empty() && in != request_.namespace_) {
      const PathBuilder metadata = at.child("metadata");
      decoder_.report(ErrorType::invalid, metadata.child("namespace"), in,
                      "is not the namespace of the request");
    }
  }

  ReviewResult passed() { return respond(Outcome::passed, nullptr); }

  ReviewResult malformed(std::vector<FieldError> errors) {
    const Status status = schedpol::detail::any_of(errors, is_limit)
                              ? Status{413, "RequestEntityTooLarge"}
                              : Status{400, "BadRequest"};
    return refuse(Outcome::malformed, status, std::move(errors));
  }

  /// Denies what is wrong in itself.
  ReviewResult refuse(Outcome outcome, Status status, std::vector<FieldError> errors) {
    status.add(errors, [](const FieldError& error) { return to_string(error.type); });
    result_.errors = std::move(errors);
    return respond(outcome, &status);
  }

  /// What a system said of a workload itself stands before what it says of the template.
  void add_metadata_steps(std::vector<engine::StepDecision>& steps) {
    const auto prepend = [](auto& to, auto& from) {
      schedpol::detail::append(from, std::move(to));
      to = std::move(from);
    };
    for (engine::StepDecision& decided : metadata_.steps) {
      for (engine::StepDecision& step : steps) {
        if (step.step.system != decided.step.system) continue;
        prepend(step.violations, decided.violations);
        prepend(step.changes, decided.changes);
      }
    }
  }

  /// What its author would have to write, as the end of a sentence; nothing where that is more than
  /// a person wants to read.
  static std::string shown_fix(const std::vector<Change>& fix) {
    if (fix.empty() || fix.size() > max_shown_names) return "";
    std::string text = "; it would be allowed with ";
    for (std::size_t i = 0; i < fix.size(); ++i) {
      if (i > 0) text += i + 1 == fix.size() ? " and " : ", ";
      text += message(fix[i]);
    }
    return text;
  }

  ReviewResult deny(std::vector<engine::StepDecision> steps, const std::vector<Change>& fix) {
    Status status{403, "Forbidden"};
    if (steps.empty()) {
      status.text = "no policies are configured, so nothing is allowed";
    } else {
      const engine::StepDecision& decided = steps.back();
      status.text = to_string(decided.step.system);
      status.add(decided.violations, [](const Violation& each) { return to_string(each.code); });
      status.text += shown_fix(fix);
    }
    return respond(Outcome::denied, &status, std::move(steps));
  }

  /// `status` says why it is denied; null when it is allowed.
  ReviewResult respond(Outcome outcome, const Status* status,
                       std::vector<engine::StepDecision> steps = {}, std::string_view patch = {},
                       std::vector<std::string> warnings = {}) {
    result_.outcome = outcome;
    result_.response =
        ResponseWriter(status, steps, std::move(warnings)).write(request_.uid, patch);
    result_.uid = std::move(request_.uid);
    result_.steps = std::move(steps);
    return std::move(result_);
  }

  const engine::Engine& engine_;
  engine::Phase phase_;
  const engine::Adviser& adviser_;
  std::string_view bytes_;
  Decoder decoder_;
  const PathBuilder whole_{};  ///< the document, or a policy by itself
  const PathBuilder at_request_ = whole_.child("request");
  ReviewRequest request_;
  Element request_element_;
  engine::MetadataDecision metadata_;
  std::optional<ObjectMeta> metadata_before_;
  ReviewResult result_;
};

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::malformed: return "Malformed";
    case Outcome::denied: return "Denied";
    case Outcome::allowed: return "Allowed";
    case Outcome::passed: return "Passed";
  }
  return "";
}

SCHEDPOL_INLINE ReviewResult try_review(std::string_view bytes, const engine::Engine& engine,
                                        engine::Phase phase, Document& document,
                                        const engine::Adviser& adviser) {
  return detail::Reviewer(engine, phase, adviser, bytes).run(document);
}

SCHEDPOL_INLINE ReviewResult try_review(std::string_view bytes, const engine::Engine& engine,
                                        engine::Phase phase, const engine::Adviser& adviser) {
  Document document;
  return detail::Reviewer(engine, phase, adviser, bytes).run(document);
}

SCHEDPOL_INLINE std::string review(std::string_view bytes, const engine::Engine& engine,
                                   engine::Phase phase, const engine::Adviser& adviser) {
  Document document;
  return detail::Reviewer(engine, phase, adviser, bytes).run(document).response;
}

}  // namespace SCHEDPOL_NAMESPACE::json

// schedpol/json/impl/templates.ipp

namespace SCHEDPOL_NAMESPACE::json {

SCHEDPOL_INLINE Result<std::vector<engine::TemplateRequest>> read_templates(
    const LocatedObject& object, std::span<const engine::TemplatePath> paths,
    const LocatedObject& old) {
  Document document;
  if (!document.parse(object.json)) return std::vector<FieldError>{document.error()};
  Document before;
  if (!old.json.empty() && !before.parse(old.json)) return std::vector<FieldError>{before.error()};
  const detail::CustomObject custom{
      DocumentAccess::root(document),
      old.json.empty() ? detail::Element() : DocumentAccess::root(before), object.at, old.at};
  detail::Decoder decoder(object.json.size() + old.json.size());
  const std::vector<detail::CustomTemplate> templates =
      find_templates(decoder, custom, paths, detail::group_kind_of(custom.now));
  std::vector<engine::TemplateRequest> requests;
  if (!templates.empty()) {
    detail::AnyObject workload;
    const detail::PathBuilder at(custom.at);
    decoder.read(at, custom.now, workload);
    requests = requests_about(decoder, custom, templates, workload.metadata, {});
  }
  if (!decoder.errors().empty()) return decoder.take_errors();
  return requests;
}

}  // namespace SCHEDPOL_NAMESPACE::json

#endif  // SCHEDPOL_SINGLE_INCLUDE_JSON_BODIES
