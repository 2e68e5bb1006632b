// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/field_path.hpp>
#include <schedpol/impl/linkage.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// The names of fields that most paths are made of, which are kept as a number.
inline constexpr std::string_view interned_fields[] = {
    "spec",
    "metadata",
    "template",
    "jobTemplate",
    "labels",
    "annotations",
    "namespace",
    "schedulerName",
    "nodeName",
    "priorityClassName",
    "runtimeClassName",
    "overhead",
    "nodeSelector",
    "tolerations",
    "affinity",
    "nodeAffinity",
    "podAffinity",
    "podAntiAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
    "matchExpressions",
    "matchFields",
    "key",
    "operator",
    "value",
    "values",
    "effect"};

/// Another number below 64 for each of these names.
constexpr std::size_t interned_slot(std::string_view name) noexcept {
  const auto byte = [](char c) -> std::size_t { return static_cast<unsigned char>(c); };
  return (name.size() * 33 + byte(name.front()) * 3 + byte(name.back())) % 64;
}

constexpr std::array<unsigned char, 64> slots_of_usual_fields() {
  std::array<unsigned char, 64> slots{};
  for (std::size_t i = 0; i < std::size(interned_fields); ++i)
    slots.at(interned_slot(interned_fields[i])) = static_cast<unsigned char>(i);
  return slots;
}

inline constexpr auto interned_slots = slots_of_usual_fields();

constexpr bool every_usual_field_has_its_slot() {
  for (std::size_t i = 0; i < std::size(interned_fields); ++i)
    if (interned_slots[interned_slot(interned_fields[i])] != i) return false;
  return true;
}
static_assert(every_usual_field_has_its_slot());

/// Nothing where it is none of these names.
inline std::optional<std::size_t> usual_number(std::string_view name) noexcept {
  if (name.empty()) return std::nullopt;
  const std::size_t number = interned_slots[interned_slot(name)];
  return interned_fields[number] == name ? std::optional(number) : std::nullopt;
}

/// A step of a path in bytes: its kind, then its index or the size of its name, then the name. That
/// of a usual field or of a small index is one byte, so that most paths need no memory of their own.
struct StepBytes {
  using Kind = FieldPath::Step::Kind;

  static constexpr std::size_t head = 1 + sizeof(std::uint64_t);
  static constexpr auto first_interned = static_cast<std::size_t>(Kind::index) + 1;
  static constexpr auto first_index = first_interned + std::size(interned_fields);

  static void append(std::string& bytes, const FieldPath::Step& step) {
    if (const auto byte = short_form(step)) {
      bytes += static_cast<char>(*byte);
      return;
    }
    const std::uint64_t number = step.kind == Kind::index ? step.index : step.name.size();
    const std::size_t before = bytes.size();
    bytes.resize(before + head + step.name.size());
    char* const to = bytes.data() + before;
    *to = static_cast<char>(step.kind);
    std::memcpy(to + 1, &number, sizeof number);
    std::char_traits<char>::copy(to + head, step.name.data(), step.name.size());
  }

  /// Takes the first step off `bytes`, which has one.
  static FieldPath::Step take(std::string_view& bytes) noexcept {
    FieldPath::Step step;
    const std::size_t first = static_cast<unsigned char>(bytes.front());
    if (first >= first_interned) {
      bytes.remove_prefix(1);
      if (first < first_index) {
        step.name = interned_fields[first - first_interned];
      } else {
        step.kind = Kind::index;
        step.index = first - first_index;
      }
      return step;
    }
    step.kind = static_cast<Kind>(first);
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + 1, sizeof number);
    bytes.remove_prefix(head);
    if (step.kind == FieldPath::Step::Kind::index) {
      step.index = static_cast<std::size_t>(number);
    } else {
      step.name = bytes.substr(0, static_cast<std::size_t>(number));
      bytes.remove_prefix(step.name.size());
    }
    return step;
  }

 private:
  /// The one byte of a step that has one.
  static std::optional<std::size_t> short_form(const FieldPath::Step& step) noexcept {
    if (step.kind == Kind::index && step.index < 256 - first_index) return first_index + step.index;
    if (step.kind != Kind::field) return std::nullopt;
    const auto usual = usual_number(step.name);
    return usual ? std::optional(first_interned + *usual) : std::nullopt;
  }
};

}  // namespace detail

SCHEDPOL_INLINE void FieldPath::append(std::span<const std::string_view> fields) {
  for (const std::string_view field : fields) detail::StepBytes::append(bytes_, {.name = field});
}

SCHEDPOL_INLINE FieldPath::FieldPath(std::initializer_list<std::string_view> fields) {
  append({fields.begin(), fields.size()});
}
SCHEDPOL_INLINE FieldPath::FieldPath(std::span<const std::string_view> fields) {
  append(fields);
}

SCHEDPOL_INLINE FieldPath FieldPath::child(std::string_view field) && {
  detail::StepBytes::append(bytes_, {.name = field});
  return std::move(*this);
}
SCHEDPOL_INLINE FieldPath FieldPath::key(std::string_view key) && {
  detail::StepBytes::append(bytes_, {.kind = Step::Kind::key, .name = key});
  return std::move(*this);
}
SCHEDPOL_INLINE FieldPath FieldPath::index(std::size_t index) && {
  detail::StepBytes::append(bytes_, {.kind = Step::Kind::index, .index = index});
  return std::move(*this);
}
SCHEDPOL_INLINE FieldPath FieldPath::child(std::string_view field) const& {
  return FieldPath(*this).child(field);
}
SCHEDPOL_INLINE FieldPath FieldPath::key(std::string_view key) const& {
  return FieldPath(*this).key(key);
}
SCHEDPOL_INLINE FieldPath FieldPath::index(std::size_t index) const& {
  return FieldPath(*this).index(index);
}

SCHEDPOL_INLINE void FieldPath::push_back(const Step& step) {
  detail::StepBytes::append(bytes_, step);
}

SCHEDPOL_INLINE FieldPath FieldPath::join(const FieldPath& below) const {
  FieldPath path = *this;
  path.bytes_ += below.bytes_;
  return path;
}

SCHEDPOL_INLINE FieldPath FieldPath::join(std::initializer_list<std::string_view> fields) && {
  append({fields.begin(), fields.size()});
  return std::move(*this);
}

SCHEDPOL_INLINE std::vector<FieldPath::Step> FieldPath::steps() const& {
  std::vector<Step> steps;
  for (std::string_view rest = bytes_; !rest.empty();)
    steps.push_back(detail::StepBytes::take(rest));
  return steps;
}

SCHEDPOL_INLINE FieldPath FieldPath::parent() const {
  std::size_t last = 0;
  for (std::string_view rest = bytes_; !rest.empty(); detail::StepBytes::take(rest))
    last = bytes_.size() - rest.size();
  FieldPath path;
  path.bytes_ = bytes_.substr(0, last);
  return path;
}

SCHEDPOL_INLINE FieldPath FieldPath::below(std::size_t steps) const {
  std::string_view rest = bytes_;
  for (; steps > 0 && !rest.empty(); --steps) detail::StepBytes::take(rest);
  FieldPath below;
  below.bytes_ = rest;
  return below;
}

SCHEDPOL_INLINE FieldPath FieldPath::without_indices() const {
  FieldPath path;
  path.bytes_.reserve(bytes_.size());
  for (std::string_view rest = bytes_; !rest.empty();) {
    Step step = detail::StepBytes::take(rest);
    step.index = 0;
    detail::StepBytes::append(path.bytes_, step);
  }
  return path;
}

SCHEDPOL_INLINE std::strong_ordering FieldPath::operator<=>(const FieldPath& other) const noexcept {
  std::string_view left = bytes_;
  std::string_view right = other.bytes_;
  while (!left.empty() && !right.empty()) {
    const Step a = detail::StepBytes::take(left);
    const Step b = detail::StepBytes::take(right);
    if (a.kind != b.kind) return a.kind <=> b.kind;
    if (a.index != b.index) return a.index <=> b.index;
    if (const auto names = a.name <=> b.name; names != 0) return names;
  }
  return left.size() <=> right.size();
}

SCHEDPOL_INLINE bool FieldPath::operator==(std::string_view text) const {
  return to_string(*this) == text;
}

SCHEDPOL_INLINE void append_to(std::string& text, const FieldPath& path) {
  for (std::string_view rest = path.bytes_; !rest.empty();) {
    const bool is_first = rest.size() == path.bytes_.size();
    const FieldPath::Step step = detail::StepBytes::take(rest);
    switch (step.kind) {
      case FieldPath::Step::Kind::field:
        if (!is_first) text += '.';
        text += step.name;
        break;
      case FieldPath::Step::Kind::key: text.append(1, '[').append(step.name) += ']'; break;
      case FieldPath::Step::Kind::index:
        text.append(1, '[').append(std::to_string(step.index)) += ']';
        break;
    }
  }
}

SCHEDPOL_INLINE std::string to_string(const FieldPath& path) {
  std::string text;
  append_to(text, path);
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE
