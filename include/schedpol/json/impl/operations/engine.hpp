// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of the engine, with their inputs and results. A configuration is what a webhook is
/// given: a list of objects and lists of them (`List`, `MetadataPolicyList`), or one such list, of
/// which one object is an EngineConfiguration.
/// - engine.analyze: configuration, nodes; findings, each with its system.
/// - engine.impact: before, after (configurations), objects (pods and workloads); counts
///   (unchanged, changed, newlyDenied, newlyAllowed, and notLookedAt where it took too much: the last
///   objects), groups (owner, change, from, to, violations, changes, objects: `KIND/NAME`).

#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/impact.hpp>
#include <schedpol/json/impl/configuration.ipp>
#include <schedpol/json/impl/findings.hpp>
#include <schedpol/json/impl/operation.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline engine::Configuration read_configuration(Input& input, std::string_view name) {
  engine::Configuration configuration;
  const Element from = input.require_element(name);
  if (!from.is_there()) return configuration;
  ConfigurationReader reader(configuration, ConfigurationReader::Unreadable::refused,
                             input.request_bytes());
  const PathBuilder whole;
  const PathBuilder at = whole.child(name);
  ElementItems list;
  if (from.get(list)) {
    std::size_t index = 0;
    for (const Element item : list) {
      const PathBuilder place = at.index(index++);
      reader.read(place, item);
    }
  } else {
    reader.read(at, from);
  }
  input.fail(EvaluateError::invalid_object, std::move(reader).finish());
  return configuration;
}

/// Of nothing where it cannot be compiled.
inline engine::Engine read_engine(Input& input, std::string_view name) {
  const engine::Configuration configuration = read_configuration(input, name);
  if (input.failure()) return {};
  Result<engine::Engine> engine = compile(configuration);
  if (engine) return *std::move(engine);
  FieldError error = engine.errors().front();
  error.field = FieldPath{name}.join(error.field);
  input.fail(EvaluateError::invalid_object, std::move(error));
  return {};
}

inline void engine_analyze(Input& input, ObjectWriter& result) {
  const engine::Configuration configuration = read_configuration(input, "configuration");
  const auto nodes = input.read<std::vector<Node>>("nodes");
  if (input.complete()) write_findings(result, engine::analyze(configuration, nodes));
}

/// Writes the groups of one impact. All of them together have so many violations, and so many
/// changes, as one pod may have.
class ImpactWriter {
 public:
  /// `names` are those of the objects.
  explicit ImpactWriter(const std::vector<std::string>& names) : names_(names) {}

  void write_group(Writer& out, const engine::ImpactGroup& group) {
    const bool allowed = group.effect != engine::Effect::newly_allowed;
    ObjectWriter object(out);
    {
      ObjectWriter(object.key("owner"))
          .member("kind", group.owner.kind)
          .member("namespace", group.owner.namespace_)
          .member("name", group.owner.name);
    }
    object.member("change", to_string(group.effect))
        .member("from", word(allowed))
        .member("to", word(group.effect != engine::Effect::newly_denied));
    write_some(object, "violations", group.violations, violations_left_);
    write_some(object, "changes", group.changes, changes_left_);
    Writer& objects = object.key("objects");
    objects += '[';
    for (std::size_t i = 0; i < group.objects.size(); ++i) {
      if (i > 0) objects += ',';
      write(objects, names_[group.objects[i]]);
    }
    objects += ']';
  }

 private:
  static std::string_view word(bool allowed) noexcept { return allowed ? "Allowed" : "Denied"; }

  template <class T>
  static void write_some(ObjectWriter& object, std::string_view name, const std::vector<T>& all,
                         std::size_t& left) {
    const std::size_t written = std::min(all.size(), left);
    left -= written;
    if (all.empty()) return;
    write(object.key(name), std::span(all).first(written));
    if (written < all.size())
      object.member(name == "violations" ? "moreViolations" : "moreChanges", all.size() - written);
  }

  const std::vector<std::string>& names_;
  std::size_t violations_left_ = max_reported_violations;
  std::size_t changes_left_ = max_reported_violations;
};

inline void engine_impact(Input& input, ObjectWriter& result) {
  const engine::Engine before = read_engine(input, "before");
  const engine::Engine after = read_engine(input, "after");
  auto objects = input.require<std::vector<Pod>>("objects");
  if (!input.complete()) return;
  std::vector<std::string> names;
  for (const Pod& object : objects)
    names.push_back(std::string(to_string(object.kind)) + "/" + object.metadata.name);
  const engine::Impact impact = engine::impact(before, after, std::move(objects));
  {
    ObjectWriter counts(result.key("counts"));
    counts.member("unchanged", impact.unchanged)
        .member("changed", impact.changed)
        .member("newlyDenied", impact.newly_denied)
        .member("newlyAllowed", impact.newly_allowed);
    if (impact.not_looked_at > 0) counts.member("notLookedAt", impact.not_looked_at);
  }
  Writer& groups = result.key("groups");
  groups += '[';
  ImpactWriter writer(names);
  for (std::size_t i = 0; i < impact.groups.size(); ++i) {
    if (i > 0) groups += ',';
    writer.write_group(groups, impact.groups[i]);
  }
  groups += ']';
}

inline constexpr NamedOperation engine_operations[] = {
    {"engine.analyze", engine_analyze},
    {"engine.impact", engine_impact},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
