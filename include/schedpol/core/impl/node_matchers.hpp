// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The implementation of `NodeTermsMatcher` and `NodeAffinityMatcher`.

#include <schedpol/base/impl/shared.hpp>
#include <schedpol/core/impl/requirement.hpp>
#include <schedpol/core/node.hpp>

namespace SCHEDPOL_NAMESPACE {

struct NodeTermsMatcher::Impl {
  std::vector<detail::Conjunction> terms;
};

struct NodeAffinityMatcher::Impl {
  struct Preference {
    std::int64_t weight;
    detail::Conjunction term;
  };

  Labels node_selector;
  std::optional<NodeTermsMatcher> required;
  std::vector<Preference> preferences;
};

}  // namespace SCHEDPOL_NAMESPACE
