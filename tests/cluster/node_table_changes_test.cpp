// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/node_table.hpp>

#include "node_questions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace node_table_changes_test {

using namespace node_questions;

TEST_CASE("numbers stay those of their nodes, and a free one goes to the next node") {
  NodeTable table;
  CHECK(table.add(node({{"disk", "ssd"}}, "a")) == 0);
  CHECK(table.add(node({{"disk", "hdd"}}, "b")) == 1);
  CHECK(table.add(node({{"disk", "ssd"}}, "c")) == 2);
  table.remove(0);
  table.remove(7);  // no node
  CHECK(numbers(table.nodes()) == Numbers{1, 2});
  CHECK(table.size() == 3);
  CHECK(table.name(0).empty());
  CHECK(table.name(7).empty());
  CHECK(table.name(2) == "c");
  CHECK(!table.find("a"));
  CHECK(table.find("b") == 1U);
  const auto ssd = *compile(LabelSelector{.match_labels = {{"disk", "ssd"}}});
  CHECK(numbers(table.matching(ssd)) == Numbers{2});
  CHECK(numbers(table.tolerated_by({})) == Numbers{1, 2});
  table.replace(0, node({}, "x"));  // nothing to replace
  CHECK(!table.find("x"));
  table.replace(1, node({{"disk", "ssd"}}, "d", {{"spot", "", TaintEffect::no_execute}}));
  CHECK(!table.find("b"));
  CHECK(table.find("d") == 1U);
  CHECK(numbers(table.matching(ssd)) == Numbers{1, 2});
  CHECK(numbers(table.tolerated_by({})) == Numbers{2});
  CHECK(table.add(node({}, "c")) == 0);
  CHECK(table.find("c") == 0U);
  CHECK(table.add(node({}, "e")) == 3);
  table.remove(0);
  CHECK(table.find("c") == 2U);
}

TEST_CASE("what a node had in common with few of many stays with them when it goes") {
  std::vector<Node> nodes(200, node({}));
  for (const std::size_t number : {0U, 1U, 2U})
    nodes[number] = node({{"disk", "ssd"}}, "few", {{"spot", "", TaintEffect::no_execute}});
  NodeTable table(nodes);
  table.remove(1);
  table.remove(0);
  CHECK(table.find("few") == 2U);
  CHECK(numbers(table.matching(*compile(LabelSelector{.match_labels = {{"disk", "ssd"}}}))) ==
        Numbers{2});
  CHECK(!table.tolerated_by({}).contains(2));
  CHECK(table.tolerated_by({}).size() == 197);
}

TEST_CASE("copies of a table go their own ways") {
  const std::vector<Node> nodes = cloud_nodes(200);
  NodeTable table(nodes);
  NodeTable copy = table;
  for (std::size_t i = 0; i < nodes.size(); ++i) copy.remove(i);
  CHECK(copy.nodes().empty());
  CHECK(table.nodes().size() == nodes.size());
  CHECK(numbers(copy.matching(*compile(LabelSelector{}))).empty());
  copy = table;
  table.replace(3, node({}, "other"));
  CHECK(copy.name(3) == "node-00003");
  const NodeTable taken = std::move(table);
  CHECK(taken.name(3) == "other");
  CHECK(table.nodes().empty());
  CHECK(table.add(node({})) == 0);
}

TEST_CASE("a table that was changed node by node answers as one that is made of what is there") {
  for (std::uint32_t seed = 0; seed < schedpol::testing::tries(300); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Questions questions(seed);
    const std::vector<Node> some = questions.nodes();
    if (some.empty()) continue;
    NodeTable table(std::span<const Node>(some).first(some.size() / 2));
    std::vector<std::optional<Node>> there(
        some.begin(), some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2));
    for (std::size_t n = random.below(60); n > 0; --n) {
      const Node& node = random.pick(some);
      const std::size_t number = there.empty() ? 0 : random.below(there.size());
      if (random.chance(30)) {
        table.remove(number);
        if (number < there.size()) there[number].reset();
      } else if (random.chance(50)) {
        table.replace(number, node);
        if (number < there.size() && there[number]) there[number] = node;
      } else {
        const auto free = std::find(there.begin(), there.end(), std::nullopt);
        CHECK(table.add(node) == static_cast<std::size_t>(free - there.begin()));
        if (free == there.end()) {
          there.push_back(node);
        } else {
          *free = node;
        }
      }
      if (random.chance(10)) table = NodeTable(table);
    }
    CHECK(table.size() == there.size());
    const auto where = [&](auto holds) {
      Numbers numbers;
      for (std::size_t i = 0; i < there.size(); ++i) {
        if (there[i] && holds(*there[i])) numbers.push_back(i);
      }
      return numbers;
    };
    CHECK(numbers(table.nodes()) == where([](const Node&) { return true; }));
    for (std::size_t i = 0; i < there.size(); ++i) {
      CHECK(table.name(i) == (there[i] ? there[i]->metadata.name : ""));
      if (!there[i]) continue;
      const auto first =
          where([&](const Node& n) { return n.metadata.name == there[i]->metadata.name; });
      CHECK(table.find(there[i]->metadata.name) == first.front());
    }
    for (int question = 0; question < 5; ++question) {
      const LabelMatcher selector = *compile(questions.selector());
      CHECK(numbers(table.matching(selector)) ==
            where([&](const Node& n) { return selector.matches(n.metadata.labels); }));
      const PodSpec pod = questions.pod();
      const NodeAffinityMatcher affinity(pod);
      CHECK(numbers(table.matching(affinity)) ==
            where([&](const Node& n) { return affinity.matches(n); }));
      CHECK(numbers(table.tolerated_by(pod.tolerations)) ==
            where([&](const Node& n) { return tolerates_all(pod.tolerations, n); }));
      Scores scores;
      for (const auto& node : there) scores.push_back(node ? affinity.score(*node) : 0);
      CHECK(table.scores(affinity) == scores);
    }
  }
}

}  // namespace node_table_changes_test
