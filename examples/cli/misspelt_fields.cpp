// SPDX-License-Identifier: Apache-2.0
#include "misspelt_fields.hpp"

#include "kinds.hpp"

#include "../support/yaml/json_text.hpp"

#include <schedpol/base/did_you_mean.hpp>
#include <schedpol/base/quoting.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/workload.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cli {

namespace {

using schedpol::FieldPath;

/// Whether it is the field without its `Name`, in upper or lower case: `runtimeClass`, `runtimeclass`.
bool lacks_name(std::string_view name, std::string_view field) {
  constexpr std::string_view end = "Name";
  if (!field.ends_with(end)) return false;
  field.remove_suffix(end.size());
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(name.begin(), name.end(), field.begin(), field.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

/// The field that is meant; empty where none is.
std::string_view meant_field(std::string_view name) {
  const auto is_meant = [&](std::string_view field) {
    return lacks_name(name, field) || !schedpol::did_you_mean(name, std::span(&field, 1)).empty();
  };
  const auto found = std::find_if(scheduling_fields.begin(), scheduling_fields.end(), is_meant);
  return found == scheduling_fields.end() ? std::string_view() : *found;
}

class MisspeltFields {
 public:
  /// `object` is where that stands whose fields are looked at.
  MisspeltFields(const Source& source, FieldPath object)
      : source_(source), json_(source.object.json()), object_(std::move(object)) {}

  /// In a pod spec.
  void look_in(const FieldPath& spec) {
    look_at(spec, spec,
            [](std::string_view name, std::string_view field) { return name != field; });
  }
  /// In what it stands in, where every field of its is misplaced.
  void look_beside(const FieldPath& spec, const FieldPath& around) {
    look_at(spec, around, [](std::string_view, std::string_view) { return true; });
  }

  [[nodiscard]] std::vector<Finding> take() && { return std::move(found_); }

 private:
  template <class IsWrong>
  void look_at(const FieldPath& spec, const FieldPath& in, IsWrong&& is_wrong) {
    const std::optional<std::size_t> at = offset_of(object_.join(in));
    if (!at) return;
    support::yaml::Members members(json_, *at);
    while (const auto member = members.next()) {
      const std::string_view name = name_of(member->key);
      const std::string_view field = meant_field(name);
      if (field.empty() || !is_wrong(name, field)) continue;
      if (found_.size() == schedpol::max_reported_errors) return;
      const FieldPath wrong = in.child(name);
      found_.push_back({Level::warning, "MisspeltField", source_.place(object_.join(wrong)),
                        "Kubernetes does not know " + schedpol::in_backticks(to_string(wrong)) +
                            ", did you mean " +
                            schedpol::in_backticks(to_string(spec.child(field)))});
    }
  }

  [[nodiscard]] std::optional<std::size_t> offset_of(const FieldPath& path) const {
    using Kind = FieldPath::Step::Kind;
    std::size_t at = 0;
    for (const FieldPath::Step& step : path.steps()) {
      const auto member = step.kind == Kind::index
                              ? support::yaml::find_item(json_, at, step.index)
                              : support::yaml::find_member(json_, at, step.name);
      if (!member) return std::nullopt;
      at = member->value;
    }
    return at;
  }
  /// Of a key in quotes. One that needs an escape is no field's.
  [[nodiscard]] std::string_view name_of(std::size_t key) const {
    const std::string_view name = json_.substr(key + 1);
    return name.substr(0, name.find('"'));
  }

  const Source& source_;
  std::string_view json_;
  FieldPath object_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> misspelt_fields(const AdmissionRequest& asked, const Source& source,
                                     const FieldPath& at) {
  MisspeltFields fields(source, at.join(asked.object));
  if (asked.pod) {
    const schedpol::PodKind kind = asked.pod->object.kind;
    const FieldPath spec = schedpol::field_path(kind, {"spec"});
    FieldPath around;
    fields.look_beside(spec, around);
    for (const std::string_view step : schedpol::template_steps(kind)) {
      around = around.child(step);
      fields.look_beside(spec, around);
    }
    fields.look_in(spec);
  }
  for (const schedpol::engine::TemplateRequest& each : asked.templates) {
    const FieldPath spec = each.place.child("spec");
    fields.look_beside(spec, each.place);
    fields.look_in(spec);
  }
  return std::move(fields).take();
}

}  // namespace cli
