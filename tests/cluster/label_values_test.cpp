// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/impl/counted_pods.hpp>

#include "../support/count_allocations.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy::detail {
namespace label_values_test {

/// Of a pod with that value of the one match label key.
LabelValues values_of(const std::string& value) {
  return {{{"k", value}}, {"k"}};
}

auto each_of(const std::vector<std::size_t>& units, std::int64_t pods) {
  return [&units, pods](auto use) {
    for (const std::size_t unit : units) use(unit, pods);
  };
}

TEST_CASE("pods count where they are equal in what the other has") {
  const Texts keys = {"a", "b"};
  struct Case {
    Labels asking;
    Labels counted;
    bool wanted;
  };
  const Case cases[] = {
      {{}, {}, true},
      {{}, {{"a", "1"}, {"b", "2"}}, true},
      {{{"a", "1"}}, {{"a", "1"}, {"b", "2"}}, true},
      {{{"b", "2"}}, {{"a", "1"}, {"b", "2"}}, true},
      {{{"b", "2"}}, {{"a", "2"}}, false},
      {{{"b", "2"}}, {{"b", "22"}}, false},
      {{{"a", ""}}, {}, false},
      {{{"a", ""}}, {{"a", ""}}, true},
      {{{"a", "1"}, {"b", "2"}}, {{"a", "1"}, {"b", "2"}, {"c", "3"}}, true},
      {{{"a", "1"}, {"b", "2"}}, {{"a", "1"}}, false},
      // Values that look like the sizes and ends of others.
      {{{"a", "-"}}, {}, false},
      {{{"a", "1:1"}}, {{"a", "1"}, {"b", "1"}}, false},
      {{{"b", "-"}}, {{"a", "1-"}}, false},
      {{{"a", std::string(120, '1')}}, {{"a", std::string(120, '1')}, {"b", ":"}}, true},
      {{{"a", "x"}, {"b", "12"}}, {{"a", "x1"}, {"b", "2"}}, false},
  };
  for (const auto& [asking, counted, wanted] : cases) {
    CAPTURE(asking);
    CAPTURE(counted);
    CHECK(LabelValues(asking, keys).counts(LabelValues(counted, keys)) == wanted);
  }
}

TEST_CASE("sums of what pods request come back from beyond int64") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  WideSum sum;
  CHECK(sum.saturated() == 0);
  for (int i = 0; i < 5; ++i) sum += most;
  CHECK(sum.saturated() == most);
  sum += 7;
  for (int i = 0; i < 4; ++i) sum += -most;
  CHECK(sum.saturated() == most);
  sum += -most;
  CHECK(sum.saturated() == 7);
  sum += sum;
  CHECK(sum.saturated() == 14);
  sum += -14;
  CHECK(sum == WideSum());
  sum += most;
  CHECK(sum.saturated() == most);
  sum += -1;
  CHECK(sum.saturated() == most - 1);
}

TEST_CASE(
    "what pods of the same values see is what came and did not go, on few units and on many") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    testing::Random random(seed);
    const std::size_t units = 1 + random.below(40);
    SumsByValues counts(units);
    struct Counted {
      LabelValues values;
      std::vector<std::size_t> units;
    };
    std::vector<Counted> pods;
    for (int step = 0; step < 60; ++step) {
      if (!pods.empty() && random.chance(45)) {
        const std::size_t gone = random.below(pods.size());
        counts.add(pods[gone].values, each_of(pods[gone].units, -1));
        pods[gone] = pods.back();
        pods.pop_back();
      } else {
        Counted pod{values_of(std::string(1, "ab"[random.below(2)])), {}};
        for (std::size_t unit = 0; unit < units; ++unit)
          if (random.chance(seed % 2 == 0 ? 5 : 60)) pod.units.push_back(unit);
        counts.add(pod.values, each_of(pod.units, 1));
        pods.push_back(pod);
      }
      for (const LabelValues& asking : {values_of("a"), values_of("b"), LabelValues({}, {"k"})}) {
        std::vector<std::int64_t> seen(units);
        for (const Counted& pod : pods)
          if (asking.counts(pod.values))
            for (const std::size_t unit : pod.units) ++seen[unit];
        CHECK(saturated(counts.seen_by(asking)) == seen);
      }
    }
  }
}

TEST_CASE("a pod on every unit of many is counted without memory for each, and gives it back") {
  std::vector<std::size_t> units(1'000);
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = i;
  SumsByValues counts(units.size());
  counts.add(values_of("a"), each_of(units, 1));
  const testing::CountAllocations more;
  counts.add(values_of("a"), each_of(units, 1));
  CHECK(more.count() <= 4);
  counts.add(values_of("a"), each_of(units, -2));
  const testing::CountAllocations one;
  const std::vector<std::size_t> seventh = {7};
  counts.add(values_of("a"), each_of(seventh, 1));
  CHECK(one.count() > 0);
  CHECK(one.peak_bytes() < 1'000);
}

}  // namespace label_values_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy::detail
