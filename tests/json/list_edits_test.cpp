// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/impl/list_edits.hpp>

#include "../support/print.hpp"
#include "../support/tries.hpp"

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/limits.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace list_edits_test {

using schedpol::NodeSelectorOperator;
using schedpol::NodeSelectorRequirement;
using schedpol::NodeSelectorTerm;
using schedpol::Toleration;
using schedpol::json::detail::ChangeCosts;
using schedpol::json::detail::EditCost;
using schedpol::json::detail::ListEdit;
using schedpol::json::detail::ListEdits;

template <class T>
int cost(const T& a, const T& b) {
  return ChangeCosts<T>({&a, 1}, {&b, 1})(0, 0);
}

// By the rule, without any order.
int plain_cost(const NodeSelectorTerm& a, const NodeSelectorTerm& b) {
  if (a == b) return EditCost::equal;
  int least = EditCost::stranger;
  const auto compare = [&](const auto& some, const auto& others) {
    for (const auto& x : some) {
      for (const auto& y : others) {
        const bool related = x.key == y.key && !x.key.empty();
        least = std::min(least, x == y    ? EditCost::common
                                : related ? EditCost::related
                                          : EditCost::stranger);
      }
    }
  };
  compare(a.match_expressions, b.match_expressions);
  compare(a.match_fields, b.match_fields);
  return least;
}

NodeSelectorTerm term(std::mt19937& engine, std::size_t most) {
  const auto below = [&](std::size_t bound) { return engine() % bound; };
  NodeSelectorTerm made;
  const auto fill = [&](std::vector<NodeSelectorRequirement>& list) {
    for (std::size_t i = below(most + 1); i > 0; --i) {
      NodeSelectorRequirement& one = list.emplace_back();
      const std::size_t key = below(3 * most + 1);
      if (key != 0) one.key = "k" + std::to_string(key);
      one.operator_ = below(2) == 0 ? NodeSelectorOperator::in : NodeSelectorOperator::exists;
      for (std::size_t j = below(3); j > 0; --j) one.values.push_back(std::to_string(below(9)));
    }
  };
  fill(made.match_expressions);
  if (below(2) == 0) fill(made.match_fields);
  return made;
}

TEST_CASE("items that are one and the same cost less to change than to remove and add") {
  CHECK(cost(Toleration{.key = "a"}, Toleration{.key = "a"}) == EditCost::equal);
  CHECK(cost(Toleration{.key = "a"}, Toleration{.key = "a", .value = "x"}) == EditCost::related);
  CHECK(cost(Toleration{.key = "a"}, Toleration{.key = "b"}) == EditCost::stranger);
  CHECK(cost(Toleration{.value = "a"}, Toleration{.value = "b"}) == EditCost::stranger);
  schedpol::PodAffinityTerm zone;
  zone.topology_key = "zone";
  schedpol::PodAffinityTerm other = zone;
  other.namespaces = {"n"};
  CHECK(cost(zone, other) == EditCost::related);
  CHECK(cost(schedpol::WeightedPodAffinityTerm{1, zone},
             schedpol::WeightedPodAffinityTerm{2, zone}) == EditCost::common);
  CHECK(cost(schedpol::PreferredSchedulingTerm{1, {}}, schedpol::PreferredSchedulingTerm{2, {}}) ==
        EditCost::common);
  CHECK(cost(schedpol::PreferredSchedulingTerm{1, {}}, schedpol::PreferredSchedulingTerm{1, {}}) ==
        EditCost::equal);
  CHECK(EditCost::related < 2 * EditCost::remove_or_add);
  CHECK(EditCost::stranger < 2 * EditCost::remove_or_add);
}

TEST_CASE("law: terms cost what the rule says, whatever the order of their criteria") {
  std::mt19937 engine(3);
  std::vector<int> seen;
  for (int round = 0; round < schedpol::testing::tries(3000); ++round) {
    const std::size_t most = round % 3 == 0 ? 3 : 30;
    const NodeSelectorTerm a = term(engine, most);
    NodeSelectorTerm b = term(engine, most);
    if (round % 2 == 0 && !a.match_expressions.empty())
      b.match_expressions.push_back(a.match_expressions.back());
    CHECK(cost(a, b) == plain_cost(a, b));
    CHECK(cost(b, a) == plain_cost(a, b));
    seen.push_back(plain_cost(a, b));
  }
  for (const int met : {EditCost::common, EditCost::related, EditCost::stranger})
    CHECK(std::count(seen.begin(), seen.end(), met) > schedpol::testing::tries(3000) / 50);
}

TEST_CASE("law: the steps lead from one list to the other, by as few as there can be") {
  std::mt19937 engine(5);
  for (int round = 0; round < schedpol::testing::tries(2000); ++round) {
    std::vector<std::string> from;
    std::vector<std::string> to;
    for (auto* list : {&from, &to}) {
      for (std::size_t i = engine() % 7; i > 0; --i)
        list->push_back(std::string(1, static_cast<char>('a' + engine() % 4)));
    }
    ChangeCosts<std::string> costs(from, to);
    const ListEdits edits(from.size(), to.size(), costs);
    std::vector<std::string> made;
    std::size_t kept = 0;
    for (std::size_t i = 0, j = 0; i < from.size() || j < to.size();) {
      const ListEdit edit = edits.at(i, j);
      if (edit == ListEdit::change) {
        REQUIRE(i < from.size());
        REQUIRE(j < to.size());
        kept += costs(i, j) == EditCost::equal ? 1 : 0;
      }
      if (edit != ListEdit::remove) made.push_back(to[j]);
      i += edit == ListEdit::add ? 0 : 1;
      j += edit == ListEdit::remove ? 0 : 1;
    }
    CHECK(made == to);
    // An item at the same place in both never has to go.
    if (from == to) CHECK(kept == to.size());
  }
}

TEST_CASE("the shortest way is looked for among 4,096 pairs of items, beyond place by place") {
  static_assert(schedpol::max_list_edit_cells == 64 * 64);
  const struct {
    int from;
    int to;
    ListEdit first;
  } cases[] = {
      {64, 64, ListEdit::remove},
      {65, 63, ListEdit::remove},
      {65, 64, ListEdit::change},
      {64, 65, ListEdit::change},
  };
  for (const auto& c : cases) {
    CAPTURE(c.from);
    CAPTURE(c.to);
    std::vector<std::string> from;
    std::vector<std::string> to;  // the same without the first
    for (int i = 0; i < c.from; ++i) from.push_back(std::to_string(i));
    for (int i = 1; i <= c.to; ++i) to.push_back(std::to_string(i));
    ChangeCosts<std::string> costs(from, to);
    CHECK(ListEdits(from.size(), to.size(), costs).at(0, 0) == c.first);
  }
}

}  // namespace list_edits_test
