// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A place in an object as whoever walks through it holds it: a chain on the stack, which costs
/// nothing until somebody needs the path. A step of a temporary would outlive it and does not
/// compile: every level that is gone through has a name of its own.

#include <schedpol/base/field_path.hpp>

#include <utility>

namespace SCHEDPOL_NAMESPACE::detail {

class PathBuilder {
 public:
  /// The object itself.
  PathBuilder() = default;
  /// A path that outlives the place.
  PathBuilder(const FieldPath& path) noexcept
      : path_(&path) {}  // NOLINT(google-explicit-constructor)
  PathBuilder(FieldPath&&) = delete;

  /// The names outlive the place.
  [[nodiscard]] PathBuilder child(std::string_view field) const& noexcept {
    return {this, {.kind = FieldPath::Step::Kind::field, .name = field}};
  }
  [[nodiscard]] PathBuilder key(std::string_view key) const& noexcept {
    return {this, {.kind = FieldPath::Step::Kind::key, .name = key}};
  }
  [[nodiscard]] PathBuilder index(std::size_t index) const& noexcept {
    return {this, {.kind = FieldPath::Step::Kind::index, .index = index}};
  }
  PathBuilder child(std::string_view) && = delete;
  PathBuilder key(std::string_view) && = delete;
  PathBuilder index(std::size_t) && = delete;

  /// Goes on to another field, key or item of what is above.
  void beside(std::string_view name) noexcept { step_.name = name; }
  void beside(std::size_t index) noexcept { step_.index = index; }

  /// The place above, null where this is not a step down from one.
  [[nodiscard]] const PathBuilder* parent() const noexcept { return parent_; }
  [[nodiscard]] const FieldPath::Step& step() const noexcept { return step_; }

  /// As a value. `object` is where the object stands in another one.
  [[nodiscard]] FieldPath path(FieldPath object = {}) const {
    append_to(object);
    return object;
  }

 private:
  void append_to(FieldPath& path) const {
    if (parent_ != nullptr) {
      parent_->append_to(path);
      path.push_back(step_);
    } else if (path_ != nullptr) {
      path = path.join(*path_);
    }
  }

  PathBuilder(const PathBuilder* parent, FieldPath::Step step) noexcept
      : parent_(parent), step_(step) {}

  const FieldPath* path_ = nullptr;  ///< where the chain begins, if not at the object itself
  const PathBuilder* parent_ = nullptr;
  FieldPath::Step step_{};
};

}  // namespace SCHEDPOL_NAMESPACE::detail
