// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/impl/selector_index.hpp>

#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {
namespace selector_index_test {

struct Selecting {
  std::size_t number = 0;
  std::string namespace_{};
  LabelSelector labels{};
  LabelSelector annotations{};

  [[nodiscard]] bool before(const Selecting& other) const noexcept { return number < other.number; }
  [[nodiscard]] SelectionCriteria criteria() const {
    SelectionCriteria criteria;
    if (!namespace_.empty()) criteria.in_namespace(namespace_);
    return criteria.selected(IndexKeyKind::label, labels)
        .selected(IndexKeyKind::annotation, annotations);
  }
  [[nodiscard]] bool selects(const ObjectMeta& object) const {
    return (namespace_.empty() || namespace_ == object.namespace_) &&
           (*compile(labels)).matches(object.labels) &&
           (*compile(annotations)).matches(object.annotations);
  }
};
using Index = SelectorIndex<Selecting>;

class Generator : public schedpol::testing::Random {
 public:
  using Random::Random;

  Selecting selecting(std::size_t number) {
    Selecting made{.number = number};
    if (chance(50)) made.namespace_ = text();
    if (chance(60)) made.labels = selector();
    if (chance(20)) made.annotations = selector();
    return made;
  }
  ObjectMeta object() {
    ObjectMeta object{.namespace_ = text()};
    for (const char* key : {"a", "b"}) {
      if (chance(60)) object.labels[key] = text();
      if (chance(60)) object.annotations[key] = text();
    }
    return object;
  }

 private:
  std::string text() { return std::string(1, "vwxyz"[below(5)]); }
  LabelSelector selector() {
    LabelSelector selector;
    if (chance(50)) selector.match_labels[chance(50) ? "a" : "b"] = text();
    if (chance(50)) {
      const LabelSelectorOperator operators[] = {
          LabelSelectorOperator::in, LabelSelectorOperator::in, LabelSelectorOperator::not_in};
      selector.match_expressions = {{.key = chance(50) ? "a" : "b",
                                     .operator_ = operators[below(3)],
                                     .values = {text(), text()}}};
    }
    return selector;
  }
};

std::vector<std::size_t> found(const Index& index, const ObjectMeta& object) {
  std::vector<std::size_t> numbers;
  for (const Selecting* one :
       index.find({.namespace_ = object.namespace_,
       .labels = &object.labels,
       .annotations = &object.annotations},
                  [&](const Selecting& selecting) { return selecting.selects(object); }))
    numbers.push_back(one->number);
  return numbers;
}

/// How many are looked at for an object.
std::size_t looked_at(const Index& index, const ObjectMeta& object) {
  std::size_t count = 0;
  static_cast<void>(index.find({.namespace_ = object.namespace_,
                                .labels = &object.labels,
                                .annotations = &object.annotations},
                               [&](const Selecting&) { return ++count, false; }));
  return count;
}

TEST_CASE("an index finds all that select an object, once and in order, whatever came and went") {
  int selected = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(schedpol::testing::tries(400)); ++seed) {
    CAPTURE(seed);
    Generator generate(seed);
    Index index;
    std::vector<Shared<Selecting>> all;
    for (std::size_t i = 0; i < 60; ++i) {
      all.emplace_back(generate.selecting(i));
      index.add(all.back(), all.back()->criteria());
    }
    const Index before = index;
    const std::vector<Shared<Selecting>> had = all;
    for (int i = 0; i < 20; ++i) {
      const std::size_t at = generate.below(all.size());
      index.remove(*all[at], all[at]->criteria());
      all.erase(all.begin() + std::ptrdiff_t(at));
    }
    CHECK(index.size() == 40);
    for (int i = 0; i < 10; ++i) {
      const ObjectMeta object = generate.object();
      const auto selecting = [&](const std::vector<Shared<Selecting>>& list) {
        std::vector<std::size_t> numbers;
        for (const Shared<Selecting>& one : list)
          if (one->selects(object)) numbers.push_back(one->number);
        return numbers;
      };
      CHECK(found(index, object) == selecting(all));
      CHECK(found(before, object) == selecting(had));
      selected += int(found(before, object).size());
    }
    const auto numbers_of_all = [&] {
      std::set<std::size_t> numbers;
      index.for_each([&](const Selecting& one) { numbers.insert(one.number); });
      return numbers;
    };
    std::set<std::size_t> wanted;
    for (const Shared<Selecting>& one : all) wanted.insert(one->number);
    CHECK(numbers_of_all() == wanted);
    const Shared<Selecting> last(Selecting{.number = 1'000, .namespace_ = "v"});
    index.add(last, last->criteria());
    wanted.insert(1'000);
    CHECK(numbers_of_all() == wanted);
  }
  CHECK(selected > 1'000);
}

TEST_CASE(
    "of ten thousand that name different things a few are looked at, whatever else they share") {
  Index index;
  for (std::size_t i = 0; i < 10'000; ++i) {
    Selecting one{.number = i, .labels = {.match_labels = {{"tier", "web"}}}};
    const std::string own = std::to_string(i);
    switch (i % 4) {
      case 0: one.namespace_ = own; break;
      case 1: one.labels.match_labels["app"] = own; break;
      case 2: one.annotations.match_labels["app"] = own; break;
      default:
        one.labels.match_expressions = {{.key = "app",
                                         .operator_ = LabelSelectorOperator::in,
                                         .values = {own, own, "or-" + own}}};
    }
    index.add(Shared<Selecting>(one), one.criteria());
  }
  for (const std::size_t number : {5'000U, 5'001U, 5'002U, 5'003U}) {
    const std::string own = std::to_string(number);
    const ObjectMeta object{.namespace_ = own,
                            .labels = {{"tier", "web"}, {"app", own}},
                            .annotations = {{"app", own}}};
    CHECK(found(index, object) == std::vector{number});
    CHECK(looked_at(index, object) <= 16);
  }
}

}  // namespace selector_index_test
}  // namespace SCHEDPOL_NAMESPACE::detail
