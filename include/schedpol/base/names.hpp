// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The names in an answer: of the policies behind it, or of what would have been permitted. A
/// thousand violations may name the same four thousand policies, so all copies share one immutable
/// list. If there are too many names to list, this holds the first of them and the number of the
/// rest.

#include <schedpol/base/shared.hpp>
#include <schedpol/base/texts.hpp>

namespace SCHEDPOL_NAMESPACE {

class Names {
 public:
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;

  Names() noexcept = default;
  Names(std::initializer_list<Text> names);                            ///< all of the names
  Names(std::initializer_list<std::initializer_list<Text>>) = delete;  // too many braces
  Names(const Names&) noexcept = default;
  Names(Names&&) noexcept = default;
  Names& operator=(const Names&) noexcept = default;
  template <std::same_as<Names> Other>  // a template, so that `= {}` picks the copy
  Names& operator=(Other&& other) noexcept {
    list_ = std::move(other.list_);
    more_ = other.more_;
    return *this;
  }
  ~Names() = default;

  /// The names in a vector, and the number of further ones. Braces never convert to this vector.
  template <std::same_as<std::vector<std::string>> Vector>
  Names(Vector names, std::size_t more = 0) : Names(Texts(std::move(names)), more) {}
  explicit Names(Texts names, std::size_t more = 0);  ///< these, and `more` that are not listed

  [[nodiscard]] bool empty() const noexcept { return !list_; }
  [[nodiscard]] std::size_t size() const noexcept { return vector().size(); }
  [[nodiscard]] const_iterator begin() const noexcept { return vector().begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return vector().end(); }

  /// `index` must be less than the size. Valid as long as any copy of this list exists.
  [[nodiscard]] const std::string& operator[](std::size_t index) const& noexcept {
    return vector()[index];
  }

  /// The number of names beyond those listed.
  [[nodiscard]] std::size_t more() const noexcept { return more_; }

  [[nodiscard]] const std::vector<std::string>& vector() const& noexcept;  ///< the listed names
  [[nodiscard]] std::vector<std::string> vector() &&;

  [[nodiscard]] friend bool operator==(const Names& a, const Names& b) noexcept {
    return a.more_ == b.more_ && a.vector() == b.vector();
  }

 private:
  Shared<Texts> list_;  ///< no object if nothing is listed
  std::size_t more_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/names.ipp>
#endif
