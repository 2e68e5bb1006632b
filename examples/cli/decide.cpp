// SPDX-License-Identifier: Apache-2.0
#include "decide.hpp"

#include "kinds.hpp"

#include "../support/json_members.hpp"

#include <schedpol/base/did_you_mean.hpp>
#include <schedpol/base/quoting.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/templates.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace cli {

namespace {

namespace engine = schedpol::engine;
using schedpol::FieldError;
using schedpol::FieldPath;
using schedpol::Pod;
using schedpol::PodKind;
using schedpol::json::RawObject;

/// Reads one document.
class AskedReader {
 public:
  AskedReader(std::string_view in, std::span<const engine::TemplatePath> paths, Stored stored)
      : in_(in), paths_(paths), stored_(stored) {}

  schedpol::Result<AdmissionRequest> read(std::string_view json, const std::string* old) && {
    RawObject document;
    decode_at({}, json, document);
    if (!errors_.empty()) return std::move(errors_);
    AdmissionRequest asked;
    if (support::member<std::string>(document, "kind") == "AdmissionReview") {
      read_review(document, asked);
    } else {
      read_object(asked, json, document, old, {});
    }
    if (!errors_.empty()) return std::move(errors_);
    return asked;
  }

 private:
  template <class T>
  bool decode_at(const FieldPath& path, std::string_view json, T& into) {
    auto read = schedpol::json::decode<T>(json);
    for (FieldError error : read.errors()) {
      error.field = path.join(error.field);
      errors_.push_back(std::move(error));
    }
    if (read) into = *std::move(read);
    return static_cast<bool>(read);
  }
  void report(schedpol::ErrorType type, FieldPath field, std::string value, std::string detail) {
    errors_.push_back({type, std::move(field), std::move(value), std::move(detail)});
  }
  static std::string_view json_of(const RawObject& from, std::string_view name) {
    const auto found = from.find(name);
    return found == from.end() ? std::string_view() : std::string_view(found->second.json);
  }

  void read_review(const RawObject& document, AdmissionRequest& asked) {
    const FieldPath at{"request"};
    RawObject request;
    if (json_of(document, "request").empty())
      return report(schedpol::ErrorType::required, at, "", "there is nothing to review");
    if (!decode_at(at, json_of(document, "request"), request)) return;
    const auto operation = support::member<std::string>(request, "operation");
    const bool is_update = operation == "UPDATE";
    if (const auto in = support::member<std::string>(request, "namespace"); !in.empty()) in_ = in;
    const auto part = support::member<std::string>(request, "subResource");
    if (operation == "DELETE" || operation == "CONNECT" || !part.empty()) {
      asked.passes = part.empty() ? "a " + operation : "its " + part;
      const RawObject kind = support::read_object(json_of(request, "kind"));
      const auto group = support::member<std::string>(kind, "group");
      asked.name = {.api_version = (group.empty() ? "" : group + "/") +
                                   support::member<std::string>(kind, "version"),
                    .kind = support::member<std::string>(kind, "kind"),
                    .namespace_ = support::member<std::string>(request, "namespace"),
                    .name = support::member<std::string>(request, "name")};
      return;
    }
    if (!is_update && operation != "CREATE") {
      return report(schedpol::ErrorType::not_supported, at.child("operation"), operation,
                    "supported are CREATE, UPDATE, DELETE and CONNECT");
    }
    const RawObject user = support::read_object(json_of(request, "userInfo"));
    engine::Requester requester{.name = support::member<std::string>(user, "username"),
                                .groups = support::member<schedpol::Texts>(user, "groups")};
    const std::string object(json_of(request, "object"));
    const std::string old(json_of(request, "oldObject"));
    for (const std::string_view name : {"object", "oldObject"}) {
      if (json_of(request, name).empty() && (name == "object" || is_update))
        report(schedpol::ErrorType::required, at.child(name), "", "the operation needs it");
    }
    RawObject members;
    if (!errors_.empty() || !decode_at(at.child("object"), object, members)) return;
    RawObject before;
    if (is_update && !decode_at(at.child("oldObject"), old, before)) return;
    const RawObject kind = support::read_object(json_of(request, "kind"));
    if (!kind.empty()) {
      expect_kind(at.child("object"), members, kind);
      expect_kind(at.child("oldObject"), before, kind);
      if (!errors_.empty()) return;
    }
    read_object(asked, object, members, is_update ? &old : nullptr, at.child("object"));
    if (asked.metadata) asked.metadata->requester = requester;
    for (engine::TemplateRequest& each : asked.templates) each.request.requester = requester;
    if (asked.pod) asked.pod->requester = std::move(requester);
  }

  /// An object that says another kind or group than the request would pass as what it is not.
  void expect_kind(const FieldPath& at, const RawObject& object, const RawObject& of_request) {
    const auto kind = support::member<std::string>(object, "kind");
    const auto version = support::member<std::string>(object, "apiVersion");
    if (!kind.empty() && kind != support::member<std::string>(of_request, "kind")) {
      report(schedpol::ErrorType::invalid, at.child("kind"), kind,
             "is not the kind of the request");
    }
    if (!version.empty() &&
        schedpol::api_group(version) != support::member<std::string>(of_request, "group")) {
      report(schedpol::ErrorType::invalid, at.child("apiVersion"), version,
             "is not of the group of the request");
    }
  }

  /// An update changes neither the kind nor the group. An object that says none of them is of that of the other.
  void expect_old_kind(const FieldPath& at, const RawObject& object, const RawObject& old) {
    const auto differ = [&](std::string_view member, auto&& part_of) {
      const auto is = support::member<std::string>(object, member);
      const auto was = support::member<std::string>(old, member);
      const bool are_said = !is.empty() && !was.empty();
      if (!are_said || part_of(is) == part_of(was)) return;
      report(schedpol::ErrorType::invalid, at.child(member), is,
             "is not the " + std::string(member == "kind" ? "kind" : "group") +
                 " of the object before the update");
    };
    differ("kind", [](std::string_view kind) { return kind; });
    differ("apiVersion", schedpol::api_group);
  }

  /// Why an object of the core group, `apps` or `batch` is nothing to decide on.
  void report_kind(const FieldPath& at, const RawObject& object, const std::string& kind,
                   const std::string& version) {
    using schedpol::ErrorType;
    if (const auto known = schedpol::pod_kind(kind)) {
      return report(ErrorType::not_supported, at.child("apiVersion"), version,
                    "must be " + std::string(schedpol::api_version(*known)));
    }
    if (kind.size() > 4 && kind.ends_with("List")) {
      const std::string objects = "the objects of a " + schedpol::in_backticks(kind);
      if (json_of(object, "items").empty())
        return report(ErrorType::required, at.child("items"), "", objects);
      return report(ErrorType::type_invalid, at.child("items"), "", objects + " have to be a list");
    }
    std::vector<std::string_view> known;
    for (const PodKind each : schedpol::pod_kinds) known.push_back(to_string(each));
    const std::string meant = schedpol::did_you_mean(kind, known);
    if (version.empty() && meant.empty()) {
      return report(ErrorType::required, at.child("apiVersion"), "",
                    "tells which " + schedpol::in_backticks(kind) + " is meant");
    }
    report(ErrorType::not_supported, at.child("kind"), kind,
           "is no kind of " + (version.empty() ? "Kubernetes" : schedpol::in_backticks(version)) +
               meant);
  }

  void read_object(AdmissionRequest& asked, std::string_view json, const RawObject& object,
                   const std::string* old, const FieldPath& at) {
    asked.object = at;
    const auto name = schedpol::json::kind_of(object);
    if (name.empty()) {
      return report(schedpol::ErrorType::required, at.child("kind"), "",
                    "tells what the object is");
    }
    const auto version = support::member<std::string>(object, "apiVersion");
    const std::string group(schedpol::api_group(version));
    schedpol::ObjectMeta metadata;
    const std::string_view said = json_of(object, "metadata");
    if (!said.empty() && !decode_at(at.child("metadata"), said, metadata)) return;
    asked.name = {.api_version = version, .kind = name, .name = metadata.name};
    if (metadata.name.empty())
      asked.name.name = support::member<std::string>(support::read_object(said), "generateName");
    const std::optional<PodKind> kind = schedpol::pod_kind(name);
    // Without a version a pod is meant, and not the kind of that name of somebody's own group.
    const bool has_pod = kind && (version.empty() || schedpol::is_in_group(*kind, group));
    if (!has_pod && !is_without_pod(kind, name, group))
      return report_kind(at, object, name, version);
    if (metadata.namespace_.empty() && (has_pod || !is_cluster_kind(name)))
      metadata.namespace_ = in_;
    asked.name.namespace_ = metadata.namespace_;
    const engine::Operation operation =
        old != nullptr ? engine::Operation::update : engine::Operation::create;
    RawObject old_object;
    if (old != nullptr) {
      if (!decode_at(at.parent().child("oldObject"), *old, old_object)) return;
      expect_old_kind(at, object, old_object);
      if (!errors_.empty()) return;
    }
    if (!has_pod || *kind != PodKind::pod) {
      auto& request = asked.metadata.emplace();
      request = {.operation = operation, .api_group = group, .kind = name};
      if (metadata.namespace_.empty()) request.scope = engine::Scope::cluster;
      if (old != nullptr) {
        request.old.object = support::member<schedpol::ObjectMeta>(old_object, "metadata");
        request.old.object.namespace_ = metadata.namespace_;
      }
      request.object = std::move(metadata);
    }
    if (!has_pod) return read_templates(asked, json, old, at);
    auto& request = asked.pod.emplace();
    request.operation = operation;
    // What a review is about is not stored yet.
    if (old == nullptr && at.empty() && stored_ == Stored::as_created) {
      engine::StoredObject as_printed;
      decode_at(at, json, as_printed);
      as_printed.object.metadata.namespace_ = asked.name.namespace_;
      return ask_as_created(asked, std::move(as_printed), {});
    }
    decode_at(at, json, request.object);
    request.object.metadata.namespace_ = asked.name.namespace_;
    if (old == nullptr) return;
    decode_at(at.parent().child("oldObject"), *old, request.old.object);
    request.old.object.metadata.namespace_ = asked.name.namespace_;
    const auto steps = schedpol::template_steps(*kind);
    request.template_differs =
        !steps.empty() && !is_equal(part_of(json, steps), part_of(*old, steps));
  }

  void read_templates(AdmissionRequest& asked, std::string_view json, const std::string* old,
                      const FieldPath& at) {
    schedpol::json::LocatedObject before;
    if (old != nullptr) before = {*old, at.parent().child("oldObject")};
    auto read = schedpol::json::read_templates({json, at}, paths_, before);
    errors_.insert(errors_.end(), read.errors().begin(), read.errors().end());
    if (!read) return;
    asked.templates = *std::move(read);
    for (engine::TemplateRequest& each : asked.templates) {
      each.request.object.metadata.namespace_ = asked.name.namespace_;
      each.request.old.object.metadata.namespace_ = asked.name.namespace_;
    }
  }

  /// Whether an object of another kind than a pod's is something that has no pod in it. In the groups
  /// of pods and workloads another name is a misspelt one, and a workload in a group that can have no
  /// CRD is in the wrong one.
  static bool is_without_pod(std::optional<PodKind> kind, const std::string& name,
                             std::string_view group) {
    if (kind) return schedpol::is_custom_group(group);
    const bool has_pods = std::any_of(
        schedpol::pod_kinds.begin(), schedpol::pod_kinds.end(),
        [&](PodKind one) { return schedpol::api_group(schedpol::api_version(one)) == group; });
    return !has_pods || is_builtin_kind(name);
  }

  /// The JSON of a part, without spaces; of one that is not there none.
  static std::string part_of(std::string_view json, std::span<const std::string_view> steps) {
    std::string part(json);
    for (const std::string_view step : steps)
      part = std::string(json_of(support::read_object(part), step));
    return part;
  }

  /// Whether both say the same, as a patch tests it: members in any order, numbers by value.
  static bool is_equal(const std::string& part, const std::string& old) {
    const schedpol::json::PatchOperation test{.op = schedpol::json::PatchOp::test, .value = old};
    return part == old || schedpol::json::apply_patch(part, std::span(&test, 1));
  }

  std::string in_;
  std::span<const engine::TemplatePath> paths_;
  Stored stored_;
  std::vector<FieldError> errors_;
};

template <class T>
void append(std::vector<T>& into, const std::vector<T>& from) {
  into.insert(into.end(), from.begin(), from.end());
}

}  // namespace

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::not_looked_at: return "not looked at";
    case Verdict::denied: return "denied";
    case Verdict::undecided: return "undecided";
    case Verdict::warned: return "warned";
    case Verdict::audited: return "audited";
    case Verdict::changed: return "changed";
    case Verdict::allowed: return "allowed";
  }
  return "";
}

Verdict AdmissionResponse::verdict() const {
  if (undecided) return Verdict::undecided;
  if (!allowed) return Verdict::denied;
  // Whoever looks at an object is a step of the decision on it.
  if (steps.empty()) return Verdict::not_looked_at;
  if (!reasons(engine::Mode::warn).empty()) return Verdict::warned;
  if (!reasons(engine::Mode::audit).empty()) return Verdict::audited;
  return changes().empty() ? Verdict::allowed : Verdict::changed;
}

schedpol::Texts AdmissionResponse::systems() const {
  schedpol::Texts names;
  for (const engine::StepDecision& said : steps) {
    const std::string name(to_string(said.step.system));
    if (!names.contains(name)) names.push_back(name);
  }
  return names;
}

std::vector<schedpol::Change> AdmissionResponse::changes() const {
  std::vector<schedpol::Change> all;
  for (const engine::StepDecision& said : steps)
    if (allowed && said.step.mode == engine::Mode::enforce) append(all, said.changes);
  return all;
}

std::vector<schedpol::Violation> AdmissionResponse::reasons(engine::Mode mode) const {
  std::vector<schedpol::Violation> all;
  for (const engine::StepDecision& said : steps)
    if (said.step.mode == mode) append(all, said.violations);
  return all;
}

std::string AdmissionResponse::denied_by() const {
  if (allowed || steps.empty()) return "";
  return std::string(to_string(steps.back().step.system));
}

schedpol::Result<AdmissionRequest> read_request(std::string_view json, std::string_view in,
                                                std::span<const engine::TemplatePath> paths,
                                                const std::string* old, Stored stored) {
  return AskedReader(in, paths, stored).read(json, old);
}

void ask_as_created(AdmissionRequest& asked, engine::StoredObject&& object,
                    const engine::Owners& owners) {
  const std::string node = object.object.spec.node_name;
  engine::CreatedObject created = as_created(std::move(object), owners);
  if (created.as == engine::AskedAs::mirror_pod)
    asked.passes = "a mirror pod, which its node runs by itself";
  if (created.as == engine::AskedAs::terminal) asked.passes = "a pod that has run";
  if (created.as == engine::AskedAs::undecided) asked.doubtful_node = node;
  if (!asked.pod) asked.pod.emplace();
  asked.pod->object = std::move(created.object);
}

AdmissionResponse decide(const engine::Engine& engine, const AdmissionRequest& asked, Fixes fixes) {
  AdmissionResponse response{.allowed = true};
  if (!asked.passes.empty()) return response;
  if (asked.metadata) {
    engine::MetadataDecision decision = engine.decide_metadata(*asked.metadata);
    response.allowed = decision.allowed;
    response.steps = std::move(decision.steps);
  }
  if ((!asked.pod && asked.templates.empty()) || !response.allowed) return response;
  const engine::InsightAdviser insight;
  const engine::Adviser none;
  const engine::Adviser& adviser =
      fixes == Fixes::looked_for ? static_cast<const engine::Adviser&>(insight) : none;
  const auto take = [&](auto&& decision) {
    response.allowed = decision.allowed;
    std::move(decision.steps.begin(), decision.steps.end(), std::back_inserter(response.steps));
    response.warnings = std::move(decision.warnings);
  };
  if (asked.pod) {
    engine::Decision decision = engine.decide(*asked.pod);
    if (decision.allowed && !asked.doubtful_node.empty()) {
      engine::Request with_node = *asked.pod;
      with_node.object.spec.node_name = asked.doubtful_node;
      if (engine::Decision denial = engine.decide(with_node); !denial.allowed) {
        response.pods.push_back(std::move(decision.pod));
        response.allowed = false;
        response.undecided = true;
        response.steps = std::move(denial.steps);
        return response;
      }
    }
    response.fix = adviser.nearest_fix(engine, *asked.pod, decision);
    response.pods.push_back(std::move(decision.pod));
    take(std::move(decision));
  } else {
    engine::TemplatesDecision decision = decide_templates(engine, asked.templates, adviser);
    response.fix = std::move(decision.nearest_fix);
    response.pods = std::move(decision.templates);
    take(std::move(decision));
  }
  for (const engine::StepDecision& said : response.steps) append(response.warnings, said.warnings);
  return response;
}

}  // namespace cli
