// SPDX-License-Identifier: Apache-2.0
#pragma once

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

#include <schedpol/insight/adviser.hpp>
#include <schedpol/insight/impact.hpp>
#include <schedpol/json/impl/configuration.ipp>
#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/operations/inventory.hpp>
#include <schedpol/json/impl/operations/scheduling_policy.hpp>
#include <schedpol/json/impl/suggestion.ipp>

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
