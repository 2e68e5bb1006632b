// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/shared.hpp>
#include <schedpol/base/names.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE Names::Names(std::initializer_list<Text> names) : Names(Texts(names)) {}

SCHEDPOL_INLINE Names::Names(Texts names, std::size_t more) : more_(more) {
  if (!names.empty()) list_ = Shared<Texts>(std::move(names));
}

SCHEDPOL_INLINE const std::vector<std::string>& Names::vector() const& noexcept {
  static const std::vector<std::string> none;
  return list_ ? list_->vector() : none;
}
SCHEDPOL_INLINE std::vector<std::string> Names::vector() && {
  return std::as_const(*this).vector();
}

}  // namespace SCHEDPOL_NAMESPACE
