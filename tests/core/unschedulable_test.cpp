// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/resources.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <string>

namespace unschedulable_test {

using schedpol::Reasons;
using schedpol::unschedulable_message;

TEST_CASE("the reasons of all nodes are one sentence, in the order of its words") {
  struct Case {
    std::string name;
    std::size_t nodes;
    Reasons reasons;
    std::string wanted;
  };
  const Case cases[] = {
      {"no nodes", 0, {}, "0/0 nodes are available:"},
      {"no reason", 3, {}, "0/3 nodes are available:"},
      {"one", 3, {{"Too many pods", 3}}, "0/3 nodes are available: 3 Too many pods."},
      {"two",
       2000,
       {{"UnitFull", 900}, {"NodeNotInUnit", 1100}},
       "0/2000 nodes are available: 1100 NodeNotInUnit, 900 UnitFull."},
      {"numbers are texts", 11, {{"a", 9}, {"b", 10}}, "0/11 nodes are available: 10 b, 9 a."},
      {"of no node", 2, {{"a", 0}, {"b", 2}}, "0/2 nodes are available: 2 b."},
      {"that ends like a sentence begins",
       2,
       {{"had taint:", 1}, {"x", 1}},
       "0/2 nodes are available: 1 had taint:, 1 x."},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(unschedulable_message(c.nodes, c.reasons) == c.wanted);
  }
}

}  // namespace unschedulable_test
