// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/unschedulable.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <vector>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE std::string unschedulable_message(std::size_t nodes, const Reasons& reasons) {
  std::vector<std::string> said;
  for (const auto& [reason, count] : reasons) {
    if (count > 0) said.push_back(std::to_string(count) + " " + reason);
  }
  std::sort(said.begin(), said.end());
  std::string message = "0/" + std::to_string(nodes) + " nodes are available:";
  for (std::size_t i = 0; i < said.size(); ++i) message += (i == 0 ? " " : ", ") + said[i];
  return said.empty() ? message : message + ".";
}

}  // namespace SCHEDPOL_NAMESPACE
