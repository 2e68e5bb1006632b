// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A place in an object as a value: `FieldPath{"spec", "units"}.index(3).child("nodeSelector")` is
/// printed as `spec.units[3].nodeSelector`, as the API server spells it, when somebody reads it.
/// Paths are compared and extended as the steps they are made of; no text is ever parsed into one.
/// Source: apimachinery, `util/validation/field`.

#include <schedpol/version.hpp>

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE {

class FieldPath {
 public:
  /// One step down. `name` is valid as long as the path it came from lives unchanged.
  struct Step {
    /// What it goes into.
    enum class Kind : unsigned char {
      field,  ///< a field of an object: `.name`
      key,    ///< a key of a map, which may be any text: `[name]`
      index,  ///< an item of a list: `[index]`
    };
    Kind kind = Kind::field;
    std::string_view name{};
    std::size_t index = 0;
  };

  /// The object itself, printed as the empty text.
  FieldPath() = default;

  /// Fields inside one another.
  FieldPath(std::initializer_list<std::string_view> fields);
  explicit FieldPath(std::span<const std::string_view> fields);

  /// One step down: into a field, to a key of a map, to an item of a list.
  [[nodiscard]] FieldPath child(std::string_view field) const&;
  [[nodiscard]] FieldPath child(std::string_view field) &&;
  [[nodiscard]] FieldPath key(std::string_view key) const&;
  [[nodiscard]] FieldPath key(std::string_view key) &&;
  [[nodiscard]] FieldPath index(std::size_t index) const&;
  [[nodiscard]] FieldPath index(std::size_t index) &&;

  void push_back(const Step& step);  ///< the same, of the path itself

  /// The place that `below`, or fields inside one another, has in an object which stands here.
  [[nodiscard]] FieldPath join(const FieldPath& below) const;
  [[nodiscard]] FieldPath join(std::initializer_list<std::string_view> fields) &&;

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::vector<Step> steps() const&;  ///< from the object down
  [[nodiscard]] std::vector<Step> steps() && = delete;

  /// The path one step up; of an empty path an empty one.
  [[nodiscard]] FieldPath parent() const;

  /// The path without its first so many steps; empty where it has no more than those.
  [[nodiscard]] FieldPath below(std::size_t steps) const;

  /// The path with every list index zero: equal for two places that differ in nothing else.
  [[nodiscard]] FieldPath without_indices() const;

  friend bool operator==(const FieldPath&, const FieldPath&) = default;

  /// Step by step: fields before keys before indices, names in byte order, indices by number.
  [[nodiscard]] std::strong_ordering operator<=>(const FieldPath& other) const noexcept;

  /// Whether it is printed like this.
  [[nodiscard]] bool operator==(std::string_view text) const;

 private:
  friend void append_to(std::string& text, const FieldPath& path);

  void append(std::span<const std::string_view> fields);

  std::string bytes_;  ///< the steps one after another, each with its kind and size
};

/// `spec.nodeSelector[disk]`, `spec.tolerations[2].effect`; a key stands as it is.
[[nodiscard]] std::string to_string(const FieldPath& path);

/// Appends the same to a text.
void append_to(std::string& text, const FieldPath& path);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/field_path.ipp>
#endif
