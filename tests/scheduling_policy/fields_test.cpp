// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/impl/fields.hpp>

#include "../support/print.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace fields_test {

using Names = std::vector<std::string>;

template <class T>
struct Inside {
  using type = T;
};
template <class T>
struct Inside<AnyOr<T>> : Inside<T> {};
template <class T>
struct Inside<std::optional<T>> : Inside<T> {};
template <HasFields T>
struct Inside<std::vector<T>> : Inside<T> {};

template <class T>
void walk(const std::string& path, Names& names) {
  for_each_field<T>([&]<class Member>(std::string_view name, Member T::*) {
    const std::string here = path.empty() ? std::string(name) : path + "." + std::string(name);
    names.push_back(here);
    using Below = typename Inside<Member>::type;
    if constexpr (HasFields<Below>) walk<Below>(here, names);
  });
}
template <class T>
Names walked() {
  Names names;
  walk<T>("", names);
  return names;
}

constexpr const char* required = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* preferred = "preferredDuringSchedulingIgnoredDuringExecution";

Names with_patterns(const std::string& section) {
  Names names = {section};
  const auto add = [&](const std::string& path) { names.push_back(section + "." + path); };
  for (const char* field : {"schedulerNames", "priorityClassNames", "nodeSelectors", "tolerations"})
    add(field);
  for (const char* list : {"keys", "operators", "values", "effects"})
    add(std::string("tolerations.") + list);
  add("affinities");
  add("affinities.nodeAffinities");
  for (const std::string mode : {required, preferred}) {
    const std::string terms = "affinities.nodeAffinities." + mode + ".nodeSelectorTerms";
    add("affinities.nodeAffinities." + mode);
    add(terms);
    for (const std::string list : {"matchExpressions", "matchFields"}) {
      add(terms + "." + list);
      for (const std::string part : {"keys", "operators", "values"})
        add(terms + "." + list + "." + part);
    }
  }
  for (const std::string kind : {"podAffinities", "podAntiAffinities"}) {
    add("affinities." + kind);
    for (const std::string mode : {required, preferred}) {
      add("affinities." + kind + "." + mode);
      add("affinities." + kind + "." + mode + ".topologyKeys");
    }
  }
  return names;
}

TEST_CASE("every field of a spec is walked once, in the order of documents") {
  Names expected = with_patterns("required");
  for (const std::string& each : with_patterns("allowed")) expected.push_back(each);
  for (const std::string each :
       {"", ".schedulerName", ".priorityClassName", ".nodeSelector", ".tolerations", ".affinity"})
    expected.push_back("default" + each);
  for (const std::string kind : {"nodeAffinity", "podAffinity", "podAntiAffinity"}) {
    expected.push_back("default.affinity." + kind);
    for (const std::string mode : {required, preferred})
      expected.push_back("default.affinity." + kind + "." + mode);
  }
  CHECK(walked<SchedulingPolicySpec>() == expected);
}

TEST_CASE("what policies rule is found in rules and in defaults") {
  PolicySection rules;
  Defaults defaults;
  std::size_t count = 0;
  for_each_pod_field([&](const auto& field) {
    rules.*field.rules = any;
    (defaults.*field.member).emplace();
    ++count;
  });
  CHECK(count == 5);
  CHECK(rules == PolicySection{any, any, any, any, any});
  CHECK(defaults == Defaults{"", "", Labels{}, std::vector<DefaultToleration>{}, Affinity{}});

  Names kinds;
  AffinityRules affinities;
  for_each_kind([&](const auto& kind) {
    affinities.*kind.rules = any;
    kinds.push_back(std::string(kind.field) + " " + std::string(kind.rules_field));
  });
  CHECK(kinds == Names{"nodeAffinity nodeAffinities", "podAffinity podAffinities",
                       "podAntiAffinity podAntiAffinities"});
  CHECK(affinities == AffinityRules{any, any, any});
}

}  // namespace fields_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
