// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/impl/object_store.hpp>

#include "../support/print.hpp"

#include <vector>

namespace SCHEDPOL_NAMESPACE::engine::detail {
namespace object_store_test {

Objects roles(const std::vector<const char*>& names) {
  Objects objects;
  for (const char* name : names)
    objects.rbac.roles.push_back({.metadata = {.name = name, .namespace_ = "n"}});
  return objects;
}

std::size_t count_in(const ObjectStore<rbac::Role>& store) {
  Objects found;
  store.collect(found);
  return found.rbac.roles.size();
}

TEST_CASE("each object that is taken away or in whose place another one comes is gone") {
  ObjectStore<rbac::Role> store;
  const Objects three = roles({"a", "b", "c"});
  store.take_over(changes_to(three));
  CHECK(count_in(store) == 3);
  store.take_over(changes_to(three));
  CHECK(count_in(store) == 3);
  store.take_over({.replaced = roles({"a"})});
  CHECK(count_in(store) == 2);
  store.take_over({.replaced = roles({"b", "other", "c"})});
  CHECK(count_in(store) == 0);
}

}  // namespace object_store_test
}  // namespace SCHEDPOL_NAMESPACE::engine::detail
