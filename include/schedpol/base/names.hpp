// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The names in an answer: of the policies behind it, or of what would have been permitted. All
/// copies share one list that nobody changes, because a thousand violations may name the same four
/// thousand policies. Of what would be too long to list it holds the first, and how many more there
/// are.

#include <schedpol/base/shared.hpp>
#include <schedpol/base/texts.hpp>

namespace SCHEDPOL_NAMESPACE {

class Names {
 public:
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;

  Names() noexcept = default;
  Names(std::initializer_list<Text> names);                            ///< these and no more
  Names(std::initializer_list<std::initializer_list<Text>>) = delete;  // a pair of braces too many
  Names(const Names&) noexcept = default;
  Names(Names&&) noexcept = default;
  Names& operator=(const Names&) noexcept = default;
  template <std::same_as<Names> Other>  // so that `= {}` is the other one
  Names& operator=(Other&& other) noexcept {
    list_ = std::move(other.list_);
    more_ = other.more_;
    return *this;
  }
  ~Names() = default;

  /// Of a vector as such, and how many more there are; braces never make one on the way here.
  template <std::same_as<std::vector<std::string>> Vector>
  Names(Vector names, std::size_t more = 0) : Names(Texts(std::move(names)), more) {}
  explicit Names(Texts names, std::size_t more = 0);  ///< these, and so many more

  [[nodiscard]] bool empty() const noexcept { return !list_; }
  [[nodiscard]] std::size_t size() const noexcept { return vector().size(); }
  [[nodiscard]] const_iterator begin() const noexcept { return vector().begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return vector().end(); }

  /// Only where `index` is less than the size. Valid as long as a copy of this list lives.
  [[nodiscard]] const std::string& operator[](std::size_t index) const& noexcept {
    return vector()[index];
  }

  /// How many there are besides those listed.
  [[nodiscard]] std::size_t more() const noexcept { return more_; }

  [[nodiscard]] const std::vector<std::string>& vector() const& noexcept;  ///< those listed
  [[nodiscard]] std::vector<std::string> vector() &&;

  [[nodiscard]] friend bool operator==(const Names& a, const Names& b) noexcept {
    return a.more_ == b.more_ && a.vector() == b.vector();
  }

 private:
  Shared<Texts> list_;  ///< none where nothing is listed
  std::size_t more_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/names.ipp>
#endif
