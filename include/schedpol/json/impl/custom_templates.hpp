// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pod templates of objects of custom kinds, by the paths that a configuration has for them.

#include <schedpol/base/impl/written_steps.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/json/impl/object_lists.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// A pod template, and the one in the old object that it takes the place of, where there is one.
struct CustomTemplate {
  FieldPath place;  ///< in the object
  Element now;
  Element old;
};

/// Finds them in one object and, of an update, the old one. Items of lists are told by `name`, and where they have
/// none by their place.
class TemplateFinder {
 public:
  TemplateFinder(Decoder& decoder, Element object, Element old)
      : decoder_(decoder), object_(object), old_(old) {}

  /// `at` is where the object stands. What is no object or list where a path goes on is an error.
  void find(const PathBuilder& at, std::string_view path) {
    find(at, PathBuilder(), object_, old_, schedpol::detail::written_steps(path));
  }

  [[nodiscard]] std::vector<CustomTemplate> take() { return std::move(found_); }

 private:
  using Steps = std::span<const schedpol::detail::WrittenStep>;

  void find(const PathBuilder& at, const PathBuilder& place, Element from, Element old,
            Steps steps) {
    if (!from.is_there() || from.is_null()) return;
    if (steps.empty()) {
      found_.push_back({place.path(), from, old});
      return;
    }
    if (!from.is_object()) return decoder_.wrong_type(at, from, "an object");
    const auto [field, each_item] = steps.front();
    const PathBuilder at_field = at.child(field);
    const PathBuilder place_of_field = place.child(field);
    const Element value = from[field];
    if (!each_item) return find(at_field, place_of_field, value, old[field], steps.subspan(1));
    if (!value.is_there() || value.is_null()) return;
    if (!value.is_list()) return decoder_.wrong_type(at_field, value, "a list");
    if (value.items().size() >
        engine::max_template_paths - std::min(found_.size(), engine::max_template_paths)) {
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

  [[nodiscard]] static Element old_item(std::string_view name, std::size_t index, Element olds) {
    std::size_t i = 0;
    for (const Element old : olds.items())
      if (name.empty() ? i++ == index : text_of(old["name"]) == name) return old;
    return {};
  }

  Decoder& decoder_;
  Element object_;
  Element old_;
  std::vector<CustomTemplate> found_;
};

/// Those of the object of a request, by the paths of its kind.
template <class Kind>
std::vector<CustomTemplate> find_templates(Decoder& decoder, const PathBuilder& at_request,
                                           Element request,
                                           std::span<const engine::TemplatePath> paths,
                                           const Kind& kind) {
  TemplateFinder finder(decoder, request["object"], request["oldObject"]);
  const PathBuilder at = at_request.child("object");
  for (const engine::TemplatePath& each : paths)
    if (each.kind == kind.kind && each.group == kind.group) finder.find(at, each.path);
  return finder.take();
}

/// Where a field of a pod template, as in a PodTemplate, stands in the object that has it there.
inline FieldPath in_object(const FieldPath& place, const FieldPath& field) {
  return place.join(field.below(template_steps(PodKind::pod_template).size()));
}

/// Adds what the systems said of a template to what they said of those before it.
inline void add_steps(std::vector<engine::StepDecision>& to,
                      std::vector<engine::StepDecision>&& from, const FieldPath& place) {
  for (engine::StepDecision& decided : from) {
    const auto relocate = [&](auto& items) {
      for (auto& item : items) item.field = in_object(place, item.field);
    };
    relocate(decided.violations);
    relocate(decided.changes);
    relocate(decided.warnings);
    const auto same = std::find_if(to.begin(), to.end(), [&](const engine::StepDecision& step) {
      return step.step.system == decided.step.system;
    });
    if (same == to.end()) {
      to.push_back(std::move(decided));
      continue;
    }
    schedpol::detail::append(same->violations, std::move(decided.violations));
    schedpol::detail::append(same->changes, std::move(decided.changes));
    schedpol::detail::append(same->warnings, std::move(decided.warnings));
  }
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
