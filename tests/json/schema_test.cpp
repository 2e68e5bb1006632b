// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/impl/schema.hpp>

#include "../support/print.hpp"

#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/json/impl/schema/engine.hpp>
#include <schedpol/json/impl/schema/metadata_policy.hpp>
#include <schedpol/json/impl/schema/pod_scheduling_policy.hpp>
#include <schedpol/json/impl/schema/rbac.hpp>
#include <schedpol/json/impl/schema/resource_policy.hpp>
#include <schedpol/json/impl/schema/runtime_class.hpp>
#include <schedpol/json/impl/schema/scheduling_policy.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace schema_test {

namespace detail = schedpol::json::detail;
namespace mp = schedpol::metadata_policy;
namespace psp = schedpol::pod_scheduling_policy;
namespace rbac = schedpol::rbac;
namespace rp = schedpol::resource_policy;
namespace sp = schedpol::scheduling_policy;

using Names = std::vector<std::string>;

template <class T>
Names names_of() {
  Names names;
  detail::for_each_field<T>([&](const auto& field) { names.emplace_back(field.name); });
  return names;
}

// Names with their other spellings: `schedulerNames or SchedulerNames`.
template <class T>
Names spelled_twice() {
  Names names;
  detail::for_each_field<T>([&](const auto& field) {
    if (!field.traits.alias.empty())
      names.push_back(std::string(field.name) + " or " + std::string(field.traits.alias));
  });
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
  const auto add_item = [&]<class Item>(const Item& item) {
    add(item.name);
    if constexpr (detail::traits::is_a<Item, detail::Field>) add(item.traits.alias);
  };
  const auto& schema = detail::schema<T>;
  detail::for_each_item(schema.items, add_item);
  add(schema.traits.ignored);
  if (!schema.traits.kind.empty()) {
    for (const std::string_view name :
         {std::string_view("apiVersion"), std::string_view("kind"), schema.traits.kind_alias})
      add(name);
    CHECK(!schema.traits.api_version.empty());
  }
  CHECK(names.size() == count);
  CHECK(count > 0);
  // The decoder notes which fields it saw in 31 bits, and the kind in one more.
  std::size_t items = 0;
  detail::for_each_item(schema.items, [&](const auto&) { ++items; });
  CHECK(items < 31);
}

template <class... Ts>
void check_all_names_differ() {
  (check_names_differ<Ts>(), ...);
}

TEST_CASE("every field of a type has its own name") {
  check_all_names_differ<
      schedpol::ObjectMeta, detail::AnyObject, schedpol::Taint, schedpol::Toleration,
      schedpol::LabelSelectorRequirement, schedpol::LabelSelector,
      schedpol::NodeSelectorRequirement, schedpol::NodeSelectorTerm, schedpol::NodeSelector,
      schedpol::PreferredSchedulingTerm, schedpol::PodAffinityTerm,
      schedpol::WeightedPodAffinityTerm, schedpol::NodeAffinity, schedpol::PodAffinity,
      schedpol::Affinity, schedpol::ResourceRequirements, schedpol::Container, schedpol::PodSpec,
      schedpol::ContainerStatus, schedpol::PodCondition, schedpol::PodStatus, schedpol::NodeSpec,
      schedpol::Node>();
  check_all_names_differ<sp::TolerationPattern, sp::SpreadConstraintPattern, sp::RequirementPattern,
                         sp::TermPattern, sp::NodeAffinityRule, sp::PodAffinityRule,
                         sp::NodeAffinityRules, sp::PodAffinityRules, sp::AffinityRules,
                         sp::PolicySection, sp::DefaultToleration, sp::Defaults,
                         sp::SchedulingPolicySpec, sp::SchedulingPolicy, sp::Options>();
  check_all_names_differ<rbac::PolicyRule, rbac::RoleRef, rbac::Subject, rbac::Role,
                         rbac::ClusterRole, rbac::RoleBinding, rbac::ClusterRoleBinding,
                         rbac::User>();
  check_all_names_differ<mp::PolicyPredicate, mp::PolicyAction, mp::MetadataPolicyRule,
                         mp::MetadataPolicySpec, mp::MetadataPolicy, psp::PodSchedulingPolicySpec,
                         psp::PodSchedulingPolicy, rp::Unit, rp::MatchPolicy,
                         rp::ResourcePolicySpec, rp::ResourcePolicy,
                         schedpol::runtime_class::Overhead, schedpol::runtime_class::Scheduling,
                         schedpol::runtime_class::RuntimeClass, detail::EngineConfiguration>();
}

TEST_CASE("fields have their Kubernetes names") {
  CHECK(names_of<schedpol::PodSpec>() ==
        Names{"schedulerName", "nodeName", "priorityClassName", "priority", "preemptionPolicy",
              "nodeSelector", "tolerations", "affinity", "topologySpreadConstraints",
              "schedulingGates", "resourceClaims", "serviceAccountName", "serviceAccount",
              "runtimeClassName", "overhead", "initContainers", "containers", "resources"});
  CHECK(names_of<schedpol::Toleration>() ==
        Names{"key", "operator", "value", "effect", "tolerationSeconds"});
  CHECK(names_of<schedpol::NodeSelectorRequirement>() == Names{"key", "operator", "values"});
  CHECK(names_of<schedpol::PodAffinityTerm>() == Names{"labelSelector", "namespaces", "topologyKey",
                                                       "namespaceSelector", "matchLabelKeys",
                                                       "mismatchLabelKeys"});
  CHECK(names_of<schedpol::NodeAffinity>() == names_of<schedpol::PodAffinity>());
  CHECK(names_of<schedpol::PodAffinity>() ==
        Names{"requiredDuringSchedulingIgnoredDuringExecution",
              "preferredDuringSchedulingIgnoredDuringExecution"});
  CHECK(names_of<sp::NodeAffinityRules>() == names_of<schedpol::NodeAffinity>());
  CHECK(names_of<rbac::PolicyRule>() == Names{"verbs", "apiGroups", "resources", "resourceNames"});
}

TEST_CASE("fields of a SchedulingPolicy have the names of the design, and the proposal's besides") {
  CHECK(names_of<sp::SchedulingPolicySpec>() == Names{"required", "allowed", "default"});
  CHECK(names_of<sp::PolicySection>() == Names{"schedulerNames", "priorityClassNames",
                                               "nodeSelectors", "tolerations", "affinities",
                                               "runtimeClassNames", "topologySpreadConstraints",
                                               "schedulingGates", "resourceClaims"});
  CHECK(names_of<sp::Defaults>() == Names{"schedulerName", "priorityClassName", "nodeSelector",
                                          "tolerations", "affinity", "runtimeClassName"});
  CHECK(spelled_twice<sp::PolicySection>() ==
        Names{"schedulerNames or SchedulerNames", "priorityClassNames or priorityClasseNames"});
  CHECK(spelled_twice<sp::Defaults>() ==
        Names{"schedulerName or SchedulerName", "priorityClassName or priorityClasseName"});
  CHECK(spelled_twice<schedpol::PodSpec>().empty());
  CHECK(detail::schema<sp::SchedulingPolicy>.traits.kind_alias == "Kind");
}

TEST_CASE("whole objects know their kind and version") {
  static_assert(detail::Object<sp::SchedulingPolicy>);
  static_assert(detail::Object<rbac::Role>);
  static_assert(!detail::Object<sp::SchedulingPolicySpec>);
  static_assert(!detail::Object<schedpol::ObjectMeta>);
  CHECK(detail::schema<sp::SchedulingPolicy>.traits.kind == "SchedulingPolicy");
  CHECK(detail::schema<sp::SchedulingPolicy>.traits.api_version == "schedpol.io/v1alpha1");
  CHECK(detail::schema<rbac::Role>.traits.kind == "Role");
  CHECK(detail::schema<rbac::ClusterRole>.traits.kind == "ClusterRole");
  CHECK(detail::schema<rbac::RoleBinding>.traits.kind == "RoleBinding");
  CHECK(detail::schema<rbac::ClusterRoleBinding>.traits.kind == "ClusterRoleBinding");
  CHECK(detail::schema<rbac::Role>.traits.api_version == "rbac.authorization.k8s.io/v1");
}

TEST_CASE("unknown fields are refused where a typo would be a hole, and ignored in metadata") {
  static_assert(detail::schema<sp::SchedulingPolicy>.traits.unknown == detail::Unknown::refuse);
  static_assert(detail::schema<rbac::Role>.traits.unknown == detail::Unknown::refuse);
  static_assert(detail::schema<rbac::ClusterRoleBinding>.traits.unknown == detail::Unknown::refuse);
  static_assert(detail::schema<rbac::User>.traits.unknown == detail::Unknown::refuse);
  static_assert(detail::schema<schedpol::ObjectMeta>.traits.unknown == detail::Unknown::ignore);
}

TEST_CASE("a field reaches its place in the value, the nested ones of a default toleration too") {
  sp::DefaultToleration given;
  given.toleration.key = "gpu";
  given.toleration.value = "a";
  given.toleration.toleration_seconds = 5;
  const auto& items = detail::schema<sp::DefaultToleration>.items;
  CHECK(detail::item_at<0>(items).access(given) == "gpu");
  CHECK(detail::item_at<2>(items).access(given) == "a");
  CHECK(detail::item_at<5>(items).access(given) == 5);
  detail::item_at<0>(items).access(given) = "spot";
  CHECK(given.toleration.key == "spot");
}

TEST_CASE("every enumerator of a vocabulary is a word of it, and they differ") {
  const auto check = []<class Word>(Word last) {
    const auto& vocabulary = detail::words<Word>;
    CHECK(vocabulary.words.size() == static_cast<std::size_t>(last) + 1);
    std::set<std::string_view> texts;
    for (const Word word : vocabulary.words) texts.insert(to_string(word));
    CHECK(texts.size() == vocabulary.words.size());
    CHECK(!texts.contains(""));
  };
  check(sp::MergeStrategy::simple_merge);
  check(sp::RequiredAffinity::present);
  check(sp::NodeNameCheck::ignore);
  check(psp::PolicyKind::cluster_pod_scheduling_policy);
}

}  // namespace schema_test
