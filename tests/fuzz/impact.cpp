// SPDX-License-Identifier: Apache-2.0
// An impact: an input is {"before", "after", "objects"}, two configurations, each the objects of a
// cluster, and an inventory. What it counts and groups is what deciding on each object by itself
// comes to.

#include "fuzz.hpp"
#include "value.hpp"

#include <schedpol/core/pod.hpp>
#include <schedpol/engine/configuration.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/insight/impact.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace schedpol;
using engine::Effect;
using engine::Engine;
using fuzz::law;

namespace {

std::optional<Engine> engine_of(const fuzz::Value* objects) {
  engine::Configuration configuration;
  if (objects == nullptr) return std::nullopt;
  const auto list = R"({"kind":"List","items":)" + print(*objects) + "}";
  if (!json::add_objects(configuration, list).empty()) return std::nullopt;
  auto made = compile(configuration);
  if (!made) return std::nullopt;
  return *std::move(made);
}

bool is_of_daemon_set(const Pod& pod) {
  const auto& owners = pod.metadata.owner_references;
  const auto controller = std::find_if(
      owners.begin(), owners.end(), [](const OwnerReference& owner) { return owner.controller; });
  return controller != owners.end() && controller->kind == "DaemonSet";
}

engine::Decision asked(const Engine& engine, Pod object) {
  engine::Request request{.object = std::move(object)};
  Pod& pod = request.object;
  if (!pod.status.phase.empty()) pod.spec.node_name.clear();
  if (pod.kind == PodKind::pod) {
    if (pod.metadata.annotations.contains("kubernetes.io/config.mirror")) {
      request.requester.groups = {"system:nodes"};
    } else if (is_of_daemon_set(pod)) {
      request.requester.name = engine.daemon_set_controller();
    }
  }
  return engine.decide(request);
}

Effect effect_of(const Engine& before, const Engine& after, const Pod& object) {
  const engine::Decision was = asked(before, object);
  const engine::Decision is = asked(after, object);
  if (bool(was.allowed) != bool(is.allowed))
    return was.allowed ? Effect::newly_denied : Effect::newly_allowed;
  return was.allowed && was.pod != is.pod ? Effect::changed : Effect::unchanged;
}

void check_group(const engine::ImpactGroup& group, std::vector<Effect>& left,
                 std::string_view shown) {
  law(!group.objects.empty(), "a group has objects", shown);
  law(group.effect == Effect::changed || group.changes.empty(), "only what is changed has changes",
      shown, message(group));
  law(group.effect != Effect::changed || group.violations.empty(),
      "what is changed violates nothing", shown, message(group));
  for (const std::size_t object : group.objects) {
    law(object < left.size() && left[object] == group.effect,
        "every object that is hit is in one group, of what becomes of it", shown, message(group));
    left[object] = Effect::unchanged;
  }
}

void check(const Engine& before, const Engine& after, const std::vector<Pod>& objects,
           std::string_view shown) {
  const engine::Impact found = engine::impact(before, after, objects);
  law(found == engine::impact(before, after, objects), "an impact has one answer", shown);
  law(found.not_looked_at < objects.size() || objects.empty(), "an impact looks at some objects",
      shown);
  if (found.not_looked_at > 0) return;
  std::vector<Effect> effects;
  for (const Pod& object : objects) effects.push_back(effect_of(before, after, object));
  const auto count = [&](Effect of) {
    return static_cast<std::size_t>(std::count(effects.begin(), effects.end(), of));
  };
  law(found.unchanged == count(Effect::unchanged) && found.changed == count(Effect::changed) &&
          found.newly_denied == count(Effect::newly_denied) &&
          found.newly_allowed == count(Effect::newly_allowed),
      "an impact is what deciding on each object by itself comes to", shown);
  std::vector<Effect> left = effects;
  for (const engine::ImpactGroup& group : found.groups) check_group(group, left, shown);
  law(std::count(left.begin(), left.end(), Effect::unchanged) ==
          static_cast<std::ptrdiff_t>(left.size()),
      "every object that is hit is in a group", shown);
  const engine::Impact back = engine::impact(after, before, objects);
  law(back.newly_allowed == found.newly_denied && back.newly_denied == found.newly_allowed &&
          back.changed == found.changed && back.unchanged == found.unchanged,
      "an impact can be turned", shown);
  const std::size_t some = objects.size() / 2;
  const engine::Impact stopped = engine::impact(
      before, after, objects,
      [&](const engine::ImpactProgress& progress) { return progress.objects <= some; });
  law(stopped.not_looked_at == objects.size() - std::min(objects.size(), some + 1),
      "an impact that is stopped says so", shown);
  law(stopped.unchanged + stopped.changed + stopped.newly_denied + stopped.newly_allowed ==
          std::min(objects.size(), some + 1),
      "an impact stops when it is asked to", shown);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view shown = fuzz::text(data, size);
  const auto input = fuzz::parse(shown);
  if (!input) return 0;
  const auto before = engine_of(input->find("before"));
  const auto after = engine_of(input->find("after"));
  if (!before || !after) return 0;
  std::vector<Pod> objects;
  if (const fuzz::Value* list = input->find("objects")) {
    for (const fuzz::Value& item : list->members)
      if (auto read = json::decode<Pod>(print(item))) objects.push_back(*std::move(read));
  }
  check(*before, *after, objects, shown);
  return 0;
}
