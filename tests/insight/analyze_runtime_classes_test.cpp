// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze_runtime_classes.hpp>

#include "../runtime_class/classes.hpp"
#include "../support/findings.hpp"
#include "../support/print.hpp"

#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::runtime_class {
namespace analyze_runtime_classes_test {

Node node_of(Labels labels) {
  return {.metadata = {.name = "n", .labels = std::move(labels)}};
}

TEST_CASE("a class that no node serves, and one that some node does") {
  const List kata_is_lost = {
      "`kata`: `scheduling.nodeSelector`: none of the nodes has the labels that the class asks "
      "for"};
  const Node gvisor_node = node_of({{"runtime", "gvisor"}});
  struct Case {
    const char* name;
    std::vector<Node> nodes;
    List found;
  };
  const Case cases[] = {
      {"no nodes are known", {}, {}},
      {"a label is missing", {gvisor_node, node_of({{"runtime", "kata"}})}, kata_is_lost},
      {"the labels stand on two nodes",
       {gvisor_node, node_of({{"runtime", "kata"}}), node_of({{"kubernetes.io/os", "linux"}})},
       kata_is_lost},
      {"a label has another value",
       {gvisor_node, node_of({{"runtime", "kata"}, {"kubernetes.io/os", "windows"}})},
       kata_is_lost},
      {"one has both",
       {gvisor_node, node_of({{"runtime", "kata"}, {"kubernetes.io/os", "linux"}})},
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(testing::texts(analyze(classes(), c.nodes)) == c.found);
  }
  // In whatever order classes ask for labels and a node has them.
  Classes two = {gvisor(), gvisor()};
  two[0].metadata.name = "a";
  two[0].scheduling->node_selector = {{"z", "1"}};
  two[1].metadata.name = "b";
  two[1].scheduling->node_selector = {{"y", "1"}, {"z", "1"}};
  CHECK(analyze(two, std::vector{node_of({{"y", "1"}, {"z", "1"}})}).empty());
  RuntimeClass broken = kata();
  broken.handler = "";
  CHECK(analyze(Classes{broken}, std::vector{gvisor_node}).empty());
}

TEST_CASE("many classes and nodes") {
  // Each class asks for the binary digits of its number, of which every node lacks one.
  constexpr int digits = 12;
  const auto labels_of = [](int number, int without) {
    Labels labels;
    for (int digit = 0; digit < digits; ++digit) {
      if (digit != without)
        labels.emplace(std::string(1, static_cast<char>('a' + digit)),
                       std::to_string(number >> digit & 1));
    }
    return labels;
  };
  struct Case {
    const char* name;
    int classes;
    std::size_t found;
    const char* last;
  };
  const Case cases[] = {
      {"some are all looked at", 80, 80,
       "`c9`: `scheduling.nodeSelector`: none of the nodes has the labels that the class asks "
       "for"},
      {"thousands are too much to compare", 2'000, 0,
       "too much to compare, so that not all was found of NoNodeServes"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Classes many;
    for (int i = 0; i < c.classes; ++i) {
      many.push_back(gvisor());
      many.back().metadata.name = "c" + std::to_string(i);
      many.back().scheduling->node_selector = labels_of(i, -1);
    }
    // Which every node serves, whatever came before.
    many.push_back(gvisor());
    many.back().metadata.name = "last";
    many.back().scheduling->node_selector = {};
    std::vector<Node> nodes;
    for (int i = 0; i < 3'000; ++i) nodes.push_back(node_of(labels_of(i, i % digits)));
    const List found = testing::texts(analyze(many, nodes));
    REQUIRE_FALSE(found.empty());
    CHECK((c.found == 0 ? found.size() < 2'000 : found.size() == c.found));
    CHECK(found.back() == c.last);
  }
}

}  // namespace analyze_runtime_classes_test
}  // namespace SCHEDPOL_NAMESPACE::runtime_class
