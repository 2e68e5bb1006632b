// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pod templates of objects of custom kinds, by the paths that a configuration has for them.

#include <schedpol/base/impl/written_steps.hpp>
#include <schedpol/engine/templates.hpp>
#include <schedpol/json/impl/element_equal.hpp>
#include <schedpol/json/impl/object_lists.hpp>
#include <schedpol/json/impl/patch.ipp>
#include <schedpol/json/impl/values.hpp>

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
