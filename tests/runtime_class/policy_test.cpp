// SPDX-License-Identifier: Apache-2.0
#include <schedpol/runtime_class/policy.hpp>

#include "../support/print_systems.hpp"
#include "classes.hpp"

#include <concepts>
#include <type_traits>

namespace SCHEDPOL_NAMESPACE::runtime_class {
namespace policy_test {

static_assert(std::is_aggregate_v<Overhead>);
static_assert(std::is_aggregate_v<Scheduling>);
static_assert(std::is_aggregate_v<RuntimeClass>);
static_assert(std::is_nothrow_move_constructible_v<RuntimeClass>);
static_assert(std::equality_comparable<Overhead>);
static_assert(std::equality_comparable<Scheduling>);
static_assert(std::equality_comparable<RuntimeClass>);

TEST_CASE("classes are equal by value: quantities in other words are the same") {
  RuntimeClass other = kata();
  other.overhead->pod_fixed = resources("0.25", "125829120");
  CHECK((other == kata()));
  other.overhead->pod_fixed = resources("0.25", "125829121");
  CHECK((other != kata()));
}

TEST_CASE("a class without scheduling is another one than a class whose scheduling says nothing") {
  RuntimeClass other = plain();
  other.scheduling = Scheduling{};
  CHECK((other != plain()));
  other.scheduling.reset();
  CHECK((other == plain()));
  other.overhead = Overhead{};
  CHECK((other != plain()));
}

}  // namespace policy_test
}  // namespace SCHEDPOL_NAMESPACE::runtime_class
