// SPDX-License-Identifier: Apache-2.0
#include "policies.hpp"

#include "kinds.hpp"

#include "../support/json_members.hpp"

#include <schedpol/json/configuration.hpp>

#include <algorithm>
#include <utility>

namespace cli {

namespace {

namespace engine = schedpol::engine;
using schedpol::FieldPath;

std::string key_of(std::string_view kind, std::string_view name) {
  return std::string(kind) + "[" + std::string(name) + "]";
}

/// What errors call the object.
std::string key_of(const Source& source, const std::string& in) {
  const auto head = support::read_object(source.object.json());
  const auto kind = schedpol::json::kind_of(head);
  const auto metadata = head.find("metadata");
  if (metadata == head.end()) return key_of(kind, "");
  const auto members = support::read_object(metadata->second.json);
  auto name = support::member<std::string>(members, "name");
  auto own = support::member<std::string>(members, "namespace");
  if (!is_cluster_kind(kind)) name = (own.empty() ? in : own) + "/" + name;
  return key_of(kind, name);
}

std::size_t count_of(const engine::Objects& objects, engine::System system) {
  std::size_t count = 0;
  for_each_list(objects, [&](const auto& list, engine::ObjectKinds kinds) {
    if (kinds.begin()->system == system) count += list.size();
  });
  return count;
}

void run_what_is_there(engine::Configuration& configuration) {
  const engine::Objects& objects = configuration.objects;
  const auto has_unreadable = [&](std::string_view kind) {
    return std::any_of(objects.unreadable.begin(), objects.unreadable.end(),
                       [&](const auto& object) { return object.kind.ends_with(kind); });
  };
  for (const engine::System system : engine::all_systems)
    if (count_of(objects, system) > 0 || has_unreadable(to_string(system)))
      configuration.systems.push_back({.system = system});
}

void run_scheduling_policy(engine::Configuration& configuration) {
  for (const engine::Step& step : configuration.systems)
    if (step.system == engine::System::scheduling_policy) return;
  configuration.systems.push_back({.system = engine::System::scheduling_policy});
}

/// Says of a policy in the proposals' API group which one its CRD has.
void note_group(const Source& source, std::vector<Finding>& notes) {
  const auto head = support::read_object(source.object.json());
  const auto version = support::member<std::string>(head, "apiVersion");
  if (schedpol::api_group(version) != schedpol::proposal_api_group) return;
  notes.push_back({Level::note, "UnservedGroup", source.place(FieldPath{"apiVersion"}),
                   "no cluster can have a kind of the group `" +
                       std::string(schedpol::proposal_api_group) + "`: `" +
                       std::string(schedpol::own_api_version) + "` is that of the CRD"});
}

Finding error_at(const Place& place, const schedpol::FieldError& error) {
  return {Level::error, std::string(to_string(error.type)), place, message(error)};
}

}  // namespace

std::optional<schedpol::scheduling_policy::MergeStrategy> strategy_of(std::string_view word) {
  using schedpol::scheduling_policy::MergeStrategy;
  for (const auto strategy : {MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins,
                              MergeStrategy::simple_merge})
    if (to_string(strategy) == word) return strategy;
  return std::nullopt;
}

std::size_t count_of_systems(const engine::Objects& objects) {
  std::size_t count = 0;
  for (const engine::System system : engine::all_systems) count += count_of(objects, system);
  return count;
}

void put_in_namespace(engine::Objects& objects, const std::string& in) {
  for_each_list(objects, [&](auto& list, engine::ObjectKinds kinds) {
    for (auto& object : list) {
      const engine::ObjectKind* kind = kinds.begin();
      // The kinds of a list have the order of their enumerators.
      if constexpr (requires { to_string(object.kind); }) kind += static_cast<int>(object.kind);
      if (kind->scope == engine::Scope::namespace_ && object.metadata.namespace_.empty())
        object.metadata.namespace_ = in;
    }
  });
  for (engine::UnreadableObject& object : objects.unreadable)
    if (object.namespace_.empty() && !is_cluster_kind(object.kind)) object.namespace_ = in;
}

Place PolicySet::place(const FieldPath& field) const {
  const auto steps = field.steps();
  if (steps.size() < 2 || steps[1].kind != FieldPath::Step::Kind::key) {
    constexpr std::string_view settings = "EngineConfiguration[";
    const auto found = sources.lower_bound(settings);
    return found != sources.end() && found->first.starts_with(settings) ? found->second.place(field)
                                                                        : Place();
  }
  const auto found = sources.find(key_of(steps[0].name, steps[1].name));
  if (found == sources.end()) return {};
  FieldPath below;
  for (std::size_t i = 2; i < steps.size(); ++i) {
    switch (steps[i].kind) {
      case FieldPath::Step::Kind::field: below = std::move(below).child(steps[i].name); break;
      case FieldPath::Step::Kind::key: below = std::move(below).key(steps[i].name); break;
      case FieldPath::Step::Kind::index: below = std::move(below).index(steps[i].index); break;
    }
  }
  return found->second.place(below);
}

std::string PolicySet::described() const {
  std::string text = std::to_string(policies) + (policies == 1 ? " policy" : " policies");
  if (uses_every_policy)
    text += "; there are no roles or bindings, so that every SchedulingPolicy is used";
  return text;
}

PolicySet read_policies(const std::vector<std::string>& paths, const std::string& in, Input& input,
                        Problems& problems, NeededPolicies needed) {
  PolicySet set{.namespace_ = in};
  input.read(paths, [&](const Source& source, const schedpol::json::Document&) {
    for (Finding& warning : warnings_of(source)) set.warnings.push_back(std::move(warning));
    for (const auto& error : schedpol::json::add_objects(set.configuration, source.object.json()))
      set.errors.push_back(error_at(source.place(error.field), error));
    note_group(source, set.notes);
    set.sources.insert_or_assign(key_of(source, in), source);
  });
  engine::Objects& objects = set.configuration.objects;
  put_in_namespace(objects, in);
  set.policies = count_of_systems(objects) + objects.unreadable.size();
  const schedpol::rbac::Rbac& rbac = objects.rbac;
  if (needed == NeededPolicies::some && rbac.roles.empty() && rbac.cluster_roles.empty() &&
      rbac.role_bindings.empty() && rbac.cluster_role_bindings.empty()) {
    set.configuration.settings.policy_use = engine::PolicyUse::every;
    set.uses_every_policy = !objects.scheduling_policies.empty();
  }
  if (set.policies == 0 && needed == NeededPolicies::some) {
    if (set.errors.empty() && !problems.any()) problems.add("there is no policy to look at");
    return set;
  }
  if (set.configuration.systems.empty()) run_what_is_there(set.configuration);
  if (needed == NeededPolicies::none) run_scheduling_policy(set.configuration);
  for (const schedpol::FieldError& error : validate(set.configuration))
    set.errors.push_back(error_at(set.place(error.field), error));
  if (!set.errors.empty() || problems.any()) return set;
  auto compiled = compile(set.configuration);
  if (compiled) set.engine = *std::move(compiled);
  for (const schedpol::FieldError& error : compiled.errors())
    set.errors.push_back(error_at(set.place(error.field), error));
  return set;
}

std::optional<PolicySet> usable_policies(const std::vector<std::string>& paths,
                                         const std::string& in, Input& input, Problems& problems) {
  PolicySet set = read_policies(paths, in, input, problems);
  // What YAML reads otherwise than it looks is often why it is an error.
  warn(set.warnings);
  for (const Finding& error : set.errors)
    problems.add((error.place.file.empty() ? "" : to_string(error.place) + ": ") + error.text);
  if (problems.any()) return std::nullopt;
  return set;
}

}  // namespace cli
