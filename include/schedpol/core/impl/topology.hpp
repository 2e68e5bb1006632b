// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The domains of one topology key: nodes are in one domain when they have the same value. Domains have
/// small numbers, which are those of others once nobody has their value.

#include <schedpol/version.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

class Topology {
 public:
  static constexpr std::size_t no_domain = static_cast<std::size_t>(-1);

  /// Of a node without the label.
  [[nodiscard]] std::size_t domain_of(std::size_t node) const noexcept {
    return node < domain_of_.size() ? domain_of_[node] : no_domain;
  }
  /// Of a value; none where no node has it.
  [[nodiscard]] std::size_t find(const std::string& value) const noexcept {
    const auto found = by_value_.find(value);
    return found == by_value_.end() ? no_domain : found->second;
  }
  /// All domains have a lower number.
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] bool empty() const noexcept { return by_value_.empty(); }

  /// Of a node that is in no domain yet.
  void add(std::size_t node, const std::string& value) {
    const auto [at, is_new] = by_value_.try_emplace(value, 0);
    if (is_new) {
      if (free_.empty()) {
        free_.push_back(nodes_.size());
        nodes_.push_back(0);
      }
      at->second = free_.back();
      free_.pop_back();
    }
    ++nodes_[at->second];
    if (domain_of_.size() <= node) domain_of_.resize(node + 1, no_domain);
    domain_of_[node] = at->second;
  }

  /// Of a node that was added with that value.
  void remove(std::size_t node, const std::string& value) {
    const std::size_t domain = std::exchange(domain_of_[node], no_domain);
    if (--nodes_[domain] > 0) return;
    by_value_.erase(value);
    free_.push_back(domain);
  }

 private:
  std::map<std::string, std::size_t, std::less<>> by_value_;
  std::vector<std::size_t> nodes_;  ///< by domain, how many
  std::vector<std::size_t> free_;
  std::vector<std::size_t> domain_of_;  ///< by node
};

}  // namespace SCHEDPOL_NAMESPACE::detail
