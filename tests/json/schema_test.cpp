// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/schema.hpp>

#include "../support/print.hpp"

#include <schedpol/schedpol.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

namespace detail = schedpol::json::detail;
namespace rbac = schedpol::rbac;
namespace sp = schedpol::scheduling_policy;

template <class T>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  std::apply([&](const auto&... fields) { (names.emplace_back(fields.name), ...); },
             detail::Schema<T>::fields);
  return names;
}

// Names with their other spellings: `schedulerNames or SchedulerNames`.
template <class T>
std::vector<std::string> spelled_twice() {
  std::vector<std::string> names;
  const auto add = [&](const auto& field) {
    if (!field.alias.empty())
      names.push_back(std::string(field.name) + " or " + std::string(field.alias));
  };
  std::apply([&](const auto&... fields) { (add(fields), ...); }, detail::Schema<T>::fields);
  return names;
}

template <class T>
void check_names_differ() {
  std::set<std::string_view> names;
  std::size_t count = 0;
  const auto add = [&](std::string_view name) {
    if (name.empty()) return;
    ++count;
    names.insert(name);
  };
  std::apply([&](const auto&... fields) { ((add(fields.name), add(fields.alias)), ...); },
             detail::Schema<T>::fields);
  if constexpr (requires { detail::Schema<T>::ignored; }) {
    for (const std::string_view name : detail::Schema<T>::ignored) add(name);
  }
  CHECK(names.size() == count);
  CHECK(count > 0);
  // The decoder notes which fields it saw in 31 bits, and the kind in one more.
  CHECK(std::tuple_size_v<decltype(detail::Schema<T>::fields)> < 31);
}

template <class... Ts>
void check_all_names_differ() {
  (check_names_differ<Ts>(), ...);
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("every field of a type has its own name") {
  check_all_names_differ<
      schedpol::ObjectMeta, schedpol::Taint, schedpol::Toleration,
      schedpol::LabelSelectorRequirement, schedpol::LabelSelector,
      schedpol::NodeSelectorRequirement, schedpol::NodeSelectorTerm, schedpol::NodeSelector,
      schedpol::PreferredSchedulingTerm, schedpol::PodAffinityTerm,
      schedpol::WeightedPodAffinityTerm, schedpol::NodeAffinity, schedpol::PodAffinity,
      schedpol::Affinity, schedpol::PodSpec, sp::TolerationPattern, sp::RequirementPattern,
      sp::TermPattern, sp::NodeAffinityRule, sp::PodAffinityRule, sp::NodeAffinityRules,
      sp::PodAffinityRules, sp::AffinityRules, sp::Rules, sp::DefaultToleration, sp::Defaults,
      sp::SchedulingPolicySpec, sp::SchedulingPolicy, rbac::PolicyRule, rbac::RoleRef,
      rbac::Subject, rbac::Role, rbac::ClusterRole, rbac::RoleBinding, rbac::ClusterRoleBinding,
      rbac::User>();
}

TEST_CASE("fields have their Kubernetes names") {
  CHECK(names_of<schedpol::PodSpec>() ==
        Texts{"schedulerName", "nodeName", "priorityClassName", "priority", "preemptionPolicy",
              "nodeSelector", "tolerations", "affinity", "serviceAccountName", "serviceAccount",
              "runtimeClassName", "overhead", "initContainers", "containers", "resources"});
  CHECK(names_of<schedpol::Toleration>() ==
        Texts{"key", "operator", "value", "effect", "tolerationSeconds"});
  CHECK(names_of<schedpol::PodAffinityTerm>() == Texts{"labelSelector", "namespaces", "topologyKey",
                                                       "namespaceSelector", "matchLabelKeys",
                                                       "mismatchLabelKeys"});
  CHECK(names_of<schedpol::NodeAffinity>() == names_of<schedpol::PodAffinity>());
  CHECK(names_of<schedpol::PodAffinity>() ==
        Texts{"requiredDuringSchedulingIgnoredDuringExecution",
              "preferredDuringSchedulingIgnoredDuringExecution"});
  CHECK(names_of<sp::NodeAffinityRules>() == names_of<schedpol::NodeAffinity>());
  CHECK(names_of<rbac::PolicyRule>() == Texts{"verbs", "apiGroups", "resources", "resourceNames"});
}

TEST_CASE("fields of a SchedulingPolicy have the names of the design, and the proposal's besides") {
  CHECK(names_of<sp::SchedulingPolicySpec>() == Texts{"required", "allowed", "default"});
  CHECK(names_of<sp::Rules>() == Texts{"schedulerNames", "priorityClassNames", "nodeSelectors",
                                       "tolerations", "affinities"});
  CHECK(names_of<sp::Defaults>() ==
        Texts{"schedulerName", "priorityClassName", "nodeSelector", "tolerations", "affinity"});
  CHECK(spelled_twice<sp::Rules>() ==
        Texts{"schedulerNames or SchedulerNames", "priorityClassNames or priorityClasseNames"});
  CHECK(spelled_twice<sp::Defaults>() ==
        Texts{"schedulerName or SchedulerName", "priorityClassName or priorityClasseName"});
  CHECK(spelled_twice<schedpol::PodSpec>().empty());
  CHECK(detail::Schema<sp::SchedulingPolicy>::kind_alias == "Kind");
}

TEST_CASE("whole objects know their kind and version") {
  static_assert(detail::Object<sp::SchedulingPolicy>);
  static_assert(detail::Object<rbac::Role>);
  static_assert(!detail::Object<sp::SchedulingPolicySpec>);
  static_assert(!detail::Object<schedpol::ObjectMeta>);
  CHECK(detail::Schema<sp::SchedulingPolicy>::kind == "SchedulingPolicy");
  CHECK(detail::Schema<sp::SchedulingPolicy>::api_version == "extensions/v1alpha1");
  CHECK(detail::Schema<rbac::Role>::kind == "Role");
  CHECK(detail::Schema<rbac::ClusterRole>::kind == "ClusterRole");
  CHECK(detail::Schema<rbac::RoleBinding>::kind == "RoleBinding");
  CHECK(detail::Schema<rbac::ClusterRoleBinding>::kind == "ClusterRoleBinding");
  CHECK(detail::Schema<rbac::Role>::api_version == "rbac.authorization.k8s.io/v1");
}

TEST_CASE("unknown fields are refused where a typo would be a hole, and ignored in metadata") {
  static_assert(detail::Schema<sp::SchedulingPolicy>::unknown == detail::Unknown::refuse);
  static_assert(detail::Schema<rbac::Role>::unknown == detail::Unknown::refuse);
  static_assert(detail::Schema<rbac::ClusterRoleBinding>::unknown == detail::Unknown::refuse);
  static_assert(detail::Schema<rbac::User>::unknown == detail::Unknown::refuse);
  static_assert(detail::Schema<schedpol::ObjectMeta>::unknown == detail::Unknown::ignore);
}

TEST_CASE("a field reaches its place in the value, the nested ones of a default toleration too") {
  sp::DefaultToleration given;
  given.toleration.key = "gpu";
  given.toleration.value = "a";
  given.toleration.toleration_seconds = 5;
  const auto& fields = detail::Schema<sp::DefaultToleration>::fields;
  CHECK(std::get<0>(fields).access(given) == "gpu");
  CHECK(std::get<2>(fields).access(given) == "a");
  CHECK(std::get<5>(fields).access(given) == 5);
  std::get<0>(fields).access(given) = "spot";
  CHECK(given.toleration.key == "spot");
}
