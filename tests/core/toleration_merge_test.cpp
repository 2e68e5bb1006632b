// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/toleration.hpp>

#include "toleration_universe.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

namespace toleration_merge_test {

using namespace toleration_universe;

using schedpol::merge;
using schedpol::testing::Random;

Tolerations small_universe() {
  return product({"", "a"}, all_operators, {"", "1"}, {{}, no_schedule, no_execute},
                 {std::nullopt, 5});
}

TEST_CASE("merged lists have no toleration that another one covers") {
  const Toleration gpu = {"gpu", Op::equal, "true", no_schedule};
  const Toleration gpu_unset = {"gpu", {}, "true", no_schedule};
  const Toleration any_gpu = {"gpu", Op::exists, "", {}};
  const Toleration spot = {"spot", Op::exists, "", no_schedule};
  const Toleration one = {"gpu", Op::exists, "1", {}};
  const Toleration two = {"gpu", Op::exists, "2", {}};
  const auto evict = [](Seconds seconds) {
    return Toleration{"gpu", Op::exists, "", no_execute, seconds};
  };
  struct Case {
    std::string name;
    Tolerations first;
    Tolerations second;
    Tolerations merged;
  };
  const Case cases[] = {
      {"nothing and nothing", {}, {}, {}},
      {"one list", {gpu, spot}, {}, {gpu, spot}},
      {"the other list", {}, {gpu, spot}, {gpu, spot}},
      {"first before second", {spot}, {gpu}, {spot, gpu}},
      {"equal ones once", {gpu, spot}, {gpu}, {gpu, spot}},
      {"the earlier covers the later", {any_gpu, spot}, {gpu}, {any_gpu, spot}},
      {"the later covers the earlier", {gpu, spot}, {any_gpu}, {spot, any_gpu}},
      {"within one list", {gpu, any_gpu}, {}, {any_gpu}},
      {"everything", {gpu, spot}, {{"", Op::exists, "", {}}}, {{"", Op::exists, "", {}}}},
      {"unequal ones that cover each other: the later", {one, spot}, {two}, {spot, two}},
      {"three of them", {one, two}, {one}, {one}},
      {"longer seconds", {evict(5)}, {evict(300)}, {evict(300)}},
      {"for ever", {evict({}), spot}, {evict(300)}, {evict({}), spot}},
      {"unknown operators once, and nothing is dropped for them",
       {{"gpu", OpenOp("Is"), "1", {}}, gpu},
       {{"gpu", OpenOp("Is"), "1", {}}},
       {{"gpu", OpenOp("Is"), "1", {}}, gpu}},
      {"the broader of an unknown effect",
       {{"gpu", Op::equal, "1", OpenEffect("Never")}, gpu},
       {{"", Op::exists, "", OpenEffect("Never")}},
       {gpu, {"", Op::exists, "", OpenEffect("Never")}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(merge(c.first, c.second) == c.merged);
  }
  const Tolerations unset_first = merge(Tolerations{gpu_unset}, Tolerations{gpu});
  REQUIRE(unset_first.size() == 1);
  CHECK((unset_first[0].operator_ == Op::unset));
  const Tolerations equal_first = merge(Tolerations{gpu}, Tolerations{gpu_unset});
  REQUIRE(equal_first.size() == 1);
  CHECK((equal_first[0].operator_ == Op::equal));
}

/// The laws of a merge, for one pair of lists.
void check_merge_laws(const Tolerations& first, const Tolerations& second) {
  const Tolerations merged = merge(first, second);
  Tolerations all = first;
  all.insert(all.end(), second.begin(), second.end());
  const bool same_set = tolerated(merged) == tolerated(all);
  const bool idempotent = merge(merged, {}) == merged && merge(merged, merged) == merged;
  bool covered = true;
  for (const Toleration& toleration : all) {
    covered = covered && std::any_of(merged.begin(), merged.end(),
                                     [&](const auto& kept) { return covers(kept, toleration); });
  }
  bool minimal = true;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    for (std::size_t j = 0; j < merged.size(); ++j) {
      minimal = minimal && (i == j || !covers(merged[i], merged[j]));
    }
  }
  auto from = all.begin();
  bool in_order = true;
  for (const Toleration& kept : merged) {
    from = std::find(from, all.end(), kept);
    in_order = in_order && from != all.end();
    if (from != all.end()) ++from;
  }
  if (same_set && idempotent && covered && minimal && in_order) return;
  CAPTURE(first);
  CAPTURE(second);
  CAPTURE(merged);
  CHECK(same_set);
  CHECK(idempotent);
  CHECK(covered);
  CHECK(minimal);
  CHECK(in_order);
}

TEST_CASE("a merge tolerates what either toleration does and nothing more") {
  const Tolerations all = small_universe();
  for (const Toleration& first : all) {
    for (const Toleration& second : all) check_merge_laws({first}, {second});
  }
}

TEST_CASE("a merge of longer lists tolerates what either list does and nothing more") {
  const Tolerations all = universe();
  Random random(20240);
  for (int round = 0; round < 500; ++round) {
    Tolerations lists[2];
    for (Tolerations& list : lists) {
      for (std::size_t size = random.below(7); size > 0; --size) list.push_back(random.pick(all));
    }
    CAPTURE(round);
    check_merge_laws(lists[0], lists[1]);
  }
}

TEST_CASE("of equal tolerations the first stays, of unequal mutual covers the later") {
  const Tolerations all = small_universe();
  for (const Toleration& first : all) {
    for (const Toleration& second : all) {
      if (!covers(first, second) || !covers(second, first)) continue;
      const Tolerations merged = merge(Tolerations{first}, Tolerations{second});
      CAPTURE(first);
      CAPTURE(second);
      REQUIRE(merged.size() == 1);
      const Toleration& kept = first == second ? first : second;
      CHECK(merged[0] == kept);
      CHECK((merged[0].operator_ == kept.operator_));
    }
  }
}

}  // namespace toleration_merge_test
