// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/impl/object_store.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <vector>

namespace SCHEDPOL_NAMESPACE::engine::detail {
namespace object_store_test {

Objects roles(const std::vector<const char*>& names) {
  Objects objects;
  for (const char* name : names)
    objects.rbac.roles.push_back({.metadata = {.name = name, .namespace_ = "n"}});
  return objects;
}

/// How many there are; stops at `most`.
template <class T>
std::size_t count_in(const ObjectStore<T>& store, std::size_t most = 100) {
  std::size_t count = 0;
  store.template for_each<T>([&](const T&) { return ++count < most; });
  return count;
}

TEST_CASE("each object that is taken away or in whose place another one comes is gone") {
  ObjectStore<rbac::Role> store;
  const Objects three = roles({"a", "b", "c"});
  store.apply(changes_to(three));
  CHECK(count_in(store) == 3);
  store.apply(changes_to(three));
  CHECK(count_in(store) == 3);
  store.apply({.replaced = roles({"a"})});
  CHECK(count_in(store) == 2);
  store.apply({.replaced = roles({"b", "other", "c"})});
  CHECK(count_in(store) == 0);
}

TEST_CASE("objects are gone through in a namespace, in none, or all, as far as is asked for") {
  using pod_scheduling_policy::PodSchedulingPolicy;
  Objects objects;
  objects.pod_scheduling_policies = {
      {.metadata = {.name = "a", .namespace_ = "n"}},
      {.metadata = {.name = "a", .namespace_ = "m"}},
      {.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
       .metadata = {.name = "a"}},
      {.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
       .metadata = {.name = "b"}}};
  ObjectStore<PodSchedulingPolicy> store;
  store.apply(changes_to(objects));
  CHECK(count_in(store) == 4);
  CHECK(count_in(store, 1) == 1);
  CHECK(count_in(store, 3) == 3);
  std::size_t count = 0;
  const auto any = [&](const PodSchedulingPolicy&) { return ++count < 100; };
  store.for_each_in<PodSchedulingPolicy>("n", any);
  CHECK(count == 1);
  store.for_each_of_cluster<PodSchedulingPolicy>(any);
  CHECK(count == 3);
}

}  // namespace object_store_test
}  // namespace SCHEDPOL_NAMESPACE::engine::detail
