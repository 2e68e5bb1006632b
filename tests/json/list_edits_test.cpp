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
using schedpol::json::detail::change_cost;
using schedpol::json::detail::EditCost;
using schedpol::json::detail::ListEdit;
using schedpol::json::detail::ListEdits;

// Of terms that have this many requirements each, of which the last is the same in both.
int cost_with_last_in_common(std::size_t size) {
  NodeSelectorTerm a;
  NodeSelectorTerm b;
  for (std::size_t i = 1; i < size; ++i) {
    a.match_expressions.push_back({.key = "a" + std::to_string(i)});
    b.match_expressions.push_back({.key = "b" + std::to_string(i)});
  }
  a.match_expressions.push_back({.key = "last"});
  b.match_expressions.push_back({.key = "last"});
  return change_cost(a, b);
}

TEST_CASE("items that are one and the same cost less to change than to remove and add") {
  CHECK(change_cost(Toleration{.key = "a"}, Toleration{.key = "a"}) == EditCost::equal);
  CHECK(change_cost(Toleration{.key = "a"}, Toleration{.key = "a", .value = "x"}) ==
        EditCost::related);
  CHECK(change_cost(Toleration{.key = "a"}, Toleration{.key = "b"}) == EditCost::stranger);
  CHECK(change_cost(Toleration{.value = "a"}, Toleration{.value = "b"}) == EditCost::stranger);
  schedpol::PodAffinityTerm zone;
  zone.topology_key = "zone";
  schedpol::PodAffinityTerm other = zone;
  other.namespaces = {"n"};
  CHECK(change_cost(zone, other) == EditCost::related);
  CHECK(change_cost(schedpol::WeightedPodAffinityTerm{1, zone},
                    schedpol::WeightedPodAffinityTerm{2, zone}) == EditCost::common);
  CHECK(change_cost(schedpol::PreferredSchedulingTerm{1, {}},
                    schedpol::PreferredSchedulingTerm{2, {}}) == EditCost::common);
  CHECK(change_cost(schedpol::PreferredSchedulingTerm{1, {}},
                    schedpol::PreferredSchedulingTerm{1, {}}) == EditCost::equal);
  CHECK(EditCost::related < 2 * EditCost::remove_or_add);
  CHECK(EditCost::stranger < 2 * EditCost::remove_or_add);
}

TEST_CASE("terms that have a criterion in common are one, those that have a key are related") {
  const NodeSelectorRequirement zone = {"zone", NodeSelectorOperator::in, {"a"}};
  const NodeSelectorRequirement other_zone = {"zone", NodeSelectorOperator::in, {"b"}};
  const NodeSelectorRequirement disk = {"disk", NodeSelectorOperator::exists, {}};
  const NodeSelectorRequirement name = {"metadata.name", NodeSelectorOperator::in, {"n"}};
  const NodeSelectorRequirement without_key = {"", NodeSelectorOperator::in, {"a"}};
  const NodeSelectorRequirement other_without_key = {"", NodeSelectorOperator::in, {"b"}};
  const auto expressions = [](std::vector<NodeSelectorRequirement> list) {
    return NodeSelectorTerm{std::move(list), {}};
  };
  const struct {
    NodeSelectorTerm a;
    NodeSelectorTerm b;
    int cost;
  } cases[] = {
      {{}, {}, EditCost::equal},
      {expressions({zone, disk}), expressions({zone, disk}), EditCost::equal},
      {expressions({zone, disk}), expressions({disk, zone}), EditCost::common},
      {expressions({zone}), expressions({disk, zone}), EditCost::common},
      {expressions({zone}), expressions({other_zone, zone}), EditCost::common},
      {expressions({zone}), expressions({disk, other_zone}), EditCost::related},
      {expressions({other_zone, disk}), expressions({zone, name}), EditCost::related},
      {expressions({zone}), expressions({disk}), EditCost::stranger},
      {expressions({zone}), {}, EditCost::stranger},
      {expressions({without_key}), expressions({other_without_key}), EditCost::stranger},
      {expressions({zone}), {{}, {zone}}, EditCost::stranger},
      {{{zone}, {name}}, {{disk}, {name}}, EditCost::common},
      {{{zone}, {name}}, {{other_zone}, {}}, EditCost::related},
  };
  for (const auto& c : cases) {
    CAPTURE(c.a);
    CAPTURE(c.b);
    CHECK(change_cost(c.a, c.b) == c.cost);
    CHECK(change_cost(c.b, c.a) == c.cost);
  }
}

TEST_CASE("terms are compared by their first 32 requirements") {
  static_assert(schedpol::max_compared_requirements == 32);
  CHECK(cost_with_last_in_common(32) == EditCost::common);
  CHECK(cost_with_last_in_common(33) == EditCost::stranger);
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
    const auto costs = [&](std::size_t i, std::size_t j) { return change_cost(from[i], to[j]); };
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
    const auto costs = [&](std::size_t i, std::size_t j) { return change_cost(from[i], to[j]); };
    CHECK(ListEdits(from.size(), to.size(), costs).at(0, 0) == c.first);
  }
}

}  // namespace list_edits_test
