// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The implementation of `LabelMatcher`.

#include <schedpol/base/impl/shared.hpp>
#include <schedpol/core/impl/requirement.hpp>
#include <schedpol/core/label_selector.hpp>

namespace SCHEDPOL_NAMESPACE {

struct LabelMatcher::Impl {
  detail::Conjunction requirements;
};

}  // namespace SCHEDPOL_NAMESPACE
