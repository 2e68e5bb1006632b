// SPDX-License-Identifier: Apache-2.0
// Whether a node can match a term of many expressions on one key.
#include "../flat/flat.hpp"

#include <schedpol/core/impl/conjunction.hpp>

namespace schedpol::testing {

Flat flat_term(const std::string& name, std::size_t expressions) {
  NodeSelectorTerm term;
  for (std::size_t i = 0; i < expressions; ++i) {
    NodeSelectorRequirement& each = term.match_expressions.emplace_back();
    each.key = "k";
    each.operator_ = name == "bounds" ? NodeSelectorOperator::gt : NodeSelectorOperator::not_in;
    each.values = {std::to_string(100'000 + i)};
  }
  return [term] { return detail::can_match_a_node(term); };
}

}  // namespace schedpol::testing
