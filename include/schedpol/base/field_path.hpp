// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The path of a field in an object: `FieldPath{"spec", "units"}.index(3).child("nodeSelector")`
/// prints as `spec.units[3].nodeSelector`, as the API server spells it. A path is a list of steps: it
/// is compared and extended by steps, becomes text only when printed, and is never parsed from text.
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
  /// One step down. `name` is valid until the path that it came from is changed or destroyed.
  struct Step {
    /// What the step goes into.
    enum class Kind : unsigned char {
      field,  ///< a field of an object: `.name`
      key,    ///< a key of a map, any text: `[name]`
      index,  ///< an item of a list: `[index]`
    };
    Kind kind = Kind::field;
    std::string_view name{};
    std::size_t index = 0;
  };

  /// The object itself; prints as the empty text.
  FieldPath() = default;

  /// A path of nested fields.
  FieldPath(std::initializer_list<std::string_view> fields);
  explicit FieldPath(std::span<const std::string_view> fields);

  /// One step down: into a field, to a key of a map, to an item of a list.
  [[nodiscard]] FieldPath child(std::string_view field) const&;
  [[nodiscard]] FieldPath child(std::string_view field) &&;
  [[nodiscard]] FieldPath key(std::string_view key) const&;
  [[nodiscard]] FieldPath key(std::string_view key) &&;
  [[nodiscard]] FieldPath index(std::size_t index) const&;
  [[nodiscard]] FieldPath index(std::size_t index) &&;

  void push_back(const Step& step);  ///< extends this path itself

  /// This path followed by `below`, or by nested fields: where they are if their object is here.
  [[nodiscard]] FieldPath join(const FieldPath& below) const;
  [[nodiscard]] FieldPath join(std::initializer_list<std::string_view> fields) &&;

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::vector<Step> steps() const&;  ///< outermost first
  [[nodiscard]] std::vector<Step> steps() && = delete;

  /// The path without its last step; empty if the path is empty.
  [[nodiscard]] FieldPath parent() const;

  /// The path without its first `steps` steps; empty if it has no more than that.
  [[nodiscard]] FieldPath below(std::size_t steps) const;

  /// The path with every list index set to zero. Paths that differ only in indices become equal.
  [[nodiscard]] FieldPath without_indices() const;

  friend bool operator==(const FieldPath&, const FieldPath&) = default;

  /// Compares step by step: fields before keys before indices, names in byte order, indices by number.
  [[nodiscard]] std::strong_ordering operator<=>(const FieldPath& other) const noexcept;

  /// Whether the path prints as `text`.
  [[nodiscard]] bool operator==(std::string_view text) const;

 private:
  friend void append_to(std::string& text, const FieldPath& path);

  void append(std::span<const std::string_view> fields);

  std::string bytes_;  ///< the steps in order, each with its kind and size
};

/// `spec.nodeSelector[disk]`, `spec.tolerations[2].effect`; keys are not escaped.
[[nodiscard]] std::string to_string(const FieldPath& path);

/// Appends `to_string(path)` to `text`.
void append_to(std::string& text, const FieldPath& path);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/field_path.ipp>
#endif
