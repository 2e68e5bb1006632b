// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The domains of one topology key: nodes are in one domain when they have the same value. Domains have
/// small numbers, which are those of others once nobody has their value.

#include <schedpol/core/impl/slots.hpp>
#include <schedpol/version.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

class Topology {
 public:
  static constexpr std::size_t no_domain = static_cast<std::size_t>(-1);

  /// Of a node without the label.
  [[nodiscard]] std::size_t domain_of(std::size_t node) const noexcept {
    return node < domain_of_.size() ? domain_of_[node] : no_domain;
  }
  /// Of a value; none where no node has it.
  [[nodiscard]] std::size_t find(std::string_view value) const noexcept {
    return nodes_.find(value).value_or(no_domain);
  }

  /// All domains have a lower number.
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }

  /// Of a node that is in no domain yet.
  void add(std::size_t node, const std::string& value) {
    const std::size_t domain = nodes_.find_or_add(value);
    ++nodes_[domain];
    if (domain_of_.size() <= node) domain_of_.resize(node + 1, no_domain);
    domain_of_[node] = domain;
  }

  /// Of a node that was added.
  void remove(std::size_t node) {
    const std::size_t domain = std::exchange(domain_of_[node], no_domain);
    if (--nodes_[domain] == 0) nodes_.remove(domain);
  }

 private:
  NamedSlots<std::size_t> nodes_;       ///< by domain, whose name is the value, how many
  std::vector<std::size_t> domain_of_;  ///< by node
};

}  // namespace SCHEDPOL_NAMESPACE::detail
