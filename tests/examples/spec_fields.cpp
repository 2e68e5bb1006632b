// SPDX-License-Identifier: Apache-2.0
//     spec_fields
//
// Prints the path of every field of a SchedulingPolicy's spec that the library describes, one a
// line; crds_test.py holds the CRD to them.
#include <schedpol/scheduling_policy/impl/fields.hpp>

#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace schedpol;

/// What may have fields inside a member.
template <class T>
struct Inside {
  using type = T;
};
template <class T>
struct Inside<AnyOr<T>> : Inside<T> {};
template <class T>
struct Inside<std::optional<T>> : Inside<T> {};
template <scheduling_policy::HasFields T>
struct Inside<std::vector<T>> : Inside<T> {};

template <class T>
void print(const std::string& parent) {
  scheduling_policy::for_each_field<T>([&]<class Member>(std::string_view name, Member T::*) {
    const std::string path = parent + std::string(name);
    std::cout << path << '\n';
    using Below = typename Inside<Member>::type;
    if constexpr (scheduling_policy::HasFields<Below>) print<Below>(path + ".");
  });
}

}  // namespace

int main() {
  print<scheduling_policy::SchedulingPolicySpec>("");
  return std::cout ? 0 : 1;
}
