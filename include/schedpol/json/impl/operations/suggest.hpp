// SPDX-License-Identifier: Apache-2.0
#pragma once

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

#include <schedpol/json/impl/operations/engine.hpp>

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
