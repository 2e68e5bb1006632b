// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A list of texts in a policy, as it is asked: absent permits none, any all, a listed one what it
/// lists.

#include <schedpol/core/any_or.hpp>
#include <schedpol/core/impl/lookup/text_map.hpp>
#include <schedpol/core/texts.hpp>

#include <string>
#include <string_view>

namespace schedpol::scheduling_policy::detail {

class TextRule {
 public:
  TextRule() = default;
  explicit TextRule(const AnyOr<Texts>& texts) : any_(texts.is_any()), listed_(texts.listed()) {}
  /// With one more text that is permitted.
  TextRule(const AnyOr<Texts>& texts, const std::string& also) : any_(texts.is_any()) {
    Texts all = texts.listed();
    all.push_back(also);
    listed_ = schedpol::detail::TextSet(all);
  }

  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool permits(std::string_view text) const noexcept {
    return any_ || listed_.contains(text);
  }

 private:
  bool any_ = false;
  schedpol::detail::TextSet listed_;
};

}  // namespace schedpol::scheduling_policy::detail
