// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/impl/fields.hpp>

#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/compare.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/nearest_fix.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/impl/check_allowed.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include "../support/print.hpp"

#include <algorithm>
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

/// What stands below a field of `required` and `allowed`, by its kind.
Names below(const NameField&) {
  return {};
}
Names below(const NodeSelectorField&) {
  return {};
}
Names below(const TolerationsField&) {
  return {"keys", "operators", "values", "effects"};
}
Names below(const SpreadConstraintsField&) {
  return {"topologyKeys", "whenUnsatisfiable"};
}
template <class Item>
Names below(const AllowedNamesField<Item>&) {
  return {};
}
Names below(const AffinityField&) {
  Names names = {"nodeAffinities"};
  for (const std::string mode : {required, preferred}) {
    const std::string terms = "nodeAffinities." + mode + ".nodeSelectorTerms";
    names.push_back("nodeAffinities." + mode);
    names.push_back(terms);
    for (const std::string list : {"matchExpressions", "matchFields"}) {
      names.push_back(terms + "." + list);
      for (const std::string part : {"keys", "operators", "values"})
        names.push_back(terms + "." + list + "." + part);
    }
  }
  for (const std::string kind : {"podAffinities", "podAntiAffinities"}) {
    names.push_back(kind);
    for (const std::string mode : {required, preferred}) {
      names.push_back(kind + "." + mode);
      names.push_back(kind + "." + mode + ".topologyKeys");
    }
  }
  return names;
}
/// The same of a field of `default`.
Names below_default(const auto&) {
  return {};
}
Names below_default(const AffinityField&) {
  Names names;
  for (const std::string kind : {"nodeAffinity", "podAffinity", "podAntiAffinity"}) {
    names.push_back(kind);
    for (const std::string mode : {required, preferred}) names.push_back(kind + "." + mode);
  }
  return names;
}

TEST_CASE("every field of a spec is walked once, in the order of documents") {
  Names expected;
  const auto add = [&](const std::string& field, const Names& names) {
    expected.push_back(field);
    for (const std::string& name : names) expected.push_back(field + "." + name);
  };
  for (const std::string section : {"required.", "allowed."}) {
    expected.push_back(section.substr(0, section.size() - 1));
    for_each_section_field(
        [&](const auto& row) { add(section + std::string(row.rules_field), below(row)); });
  }
  expected.push_back("default");
  for_each_pod_field(
      [&](const auto& row) { add("default." + std::string(row.field), below_default(row)); });
  CHECK(walked<SchedulingPolicySpec>() == expected);
}

TEST_CASE("the node name comes after the scheduler, and every row has its number") {
  Names fields;
  for_each_row([&](const auto& row) {
    CHECK(number_of(row.codes) == fields.size());
    with_row(row.codes, [&](const auto& found) { CHECK(found.field == row.field); });
    fields.emplace_back(row.field);
  });
  CHECK(row_count == fields.size());
  CHECK(Names(fields.begin(), fields.begin() + 3) ==
        Names{"schedulerName", "nodeName", "priorityClassName"});
}

/// A type with a member more than it has fields.
struct Bare {
  AnyOr<Texts> named{};
  AnyOr<Texts> forgotten{};
};
template <class F>
constexpr auto fields_of(std::type_identity<Bare>, F&& f) {
  return f(SpecField{"named", &Bare::named});
}
static_assert(!is_described<Bare>);

// ---- what is done with each field, whatever it is

constexpr const char* good = "good";
constexpr const char* bad = "bad";

/// What a pod has, a default gives and a policy lists of it, by its kind.
std::string in_pod(const NameField&, const char* which) {
  return which;
}
Labels in_pod(const NodeSelectorField&, const char* which) {
  return {{"key", which}};
}
std::vector<Toleration> in_pod(const TolerationsField&, const char* which) {
  return {{.key = which, .operator_ = TolerationOperator::exists}};
}
std::optional<Affinity> in_pod(const AffinityField&, const char* which) {
  Affinity affinity;
  affinity.node_affinity.emplace().required_during_scheduling_ignored_during_execution =
      NodeSelector{{{{{"key", NodeSelectorOperator::in, {which}}}, {}}}};
  return affinity;
}
std::vector<TopologySpreadConstraint> in_pod(const SpreadConstraintsField&, const char* which) {
  return {{.max_skew = 1,
           .topology_key = which,
           .when_unsatisfiable = WhenUnsatisfiable::do_not_schedule}};
}
template <class Item>
std::vector<Item> in_pod(const AllowedNamesField<Item>&, const char* which) {
  return {detail::item_named<Item>(which)};
}
auto given(const auto& row, const char* which) {
  return in_pod(row, which);
}
std::vector<DefaultToleration> given(const TolerationsField& row, const char* which) {
  return {{in_pod(row, which).front(), {}}};
}
AnyOr<Texts> listing(const NameField&, const char* which) {
  return {which};
}
AnyOr<NodeSelectors> listing(const NodeSelectorField&, const char* which) {
  return NodeSelectors{{"key", {which}}};
}
AnyOr<std::vector<TolerationPattern>> listing(const TolerationsField&, const char* which) {
  return {{.keys = {which}, .operators = any, .values = any, .effects = any}};
}
AnyOr<std::vector<SpreadConstraintPattern>> listing(const SpreadConstraintsField&,
                                                    const char* which) {
  return {{.topology_keys = {which}, .when_unsatisfiable = any}};
}
template <class Item>
AnyOr<Texts> listing(const AllowedNamesField<Item>&, const char* which) {
  return {which};
}
AnyOr<AffinityRules> listing(const AffinityField&, const char* which) {
  AffinityRules rules;
  rules.node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {{.match_expressions = {RequirementPattern{
                                   .keys = {"key"}, .operators = any, .values = {which}}}}};
  return rules;
}

Pod pod_with(const auto& row, const char* which) {
  Pod pod;
  pod.spec.*row.in_pod = in_pod(row, which);
  return pod;
}
EffectivePolicy effective(const SchedulingPolicySpec& spec) {
  const std::vector<SchedulingPolicy> policies = {{.metadata = {.name = "p"}, .spec = spec}};
  return merge(policies);
}
/// Everything is allowed, but of this field only what `spec` says elsewhere.
SchedulingPolicySpec all_but(const auto& row) {
  SchedulingPolicySpec spec;
  spec.allowed = detail::everything();
  spec.allowed.*row.rules = {};
  return spec;
}
/// One denial, at the field, of this code.
bool denies(const std::vector<Violation>& violations, const auto& row, ViolationCode code) {
  return violations.size() == 1 && violations[0].code == code &&
         violations[0].field.steps()[1].name == row.field;
}

const Options governing_all{.governs = Components::all()};

TEST_CASE("of every field only what is allowed is permitted, where it is governed") {
  for_each_section_field([](const auto& row) {
    CAPTURE(row.field);
    const auto checked = [&](const char* which, const SchedulingPolicySpec& spec,
                             const Options& options = governing_all) {
      return check(pod_with(row, which), effective(spec), options);
    };
    SchedulingPolicySpec spec = all_but(row);
    CHECK(denies(checked(bad, spec), row, row.codes.not_permitted));
    spec.allowed.*row.rules = listing(row, good);
    CHECK(denies(checked(bad, spec), row, row.codes.not_permitted));
    CHECK(checked(good, spec).empty());
    Options governing_others;
    governing_others.governs = {row.component};
    CHECK(denies(checked(bad, spec, governing_others), row, row.codes.not_permitted));
    governing_others.governs = row.component == Component::tolerations
                                   ? Components{Component::scheduler_names}
                                   : Components{Component::tolerations};
    CHECK(checked(bad, spec, governing_others).empty());
    CHECK(checked(bad, all_but(row), governing_others).empty());
    const auto items = explain(pod_with(row, bad), effective(spec), governing_others).items;
    CHECK(std::any_of(items.begin(), items.end(), [&](const ExplainedItem& item) {
      return item.ruling == Ruling::ungoverned && item.field.steps()[1].name == row.field;
    }));
    spec.allowed.*row.rules = any;
    CHECK(checked(bad, spec).empty());
    spec.allowed.*row.rules = listing(row, good);
    const auto fix = nearest_fix(pod_with(row, bad), effective(spec), governing_all);
    REQUIRE(fix.has_value());
    REQUIRE(fix->has_value());
    CHECK(admit((*fix)->pod, effective(spec), governing_all).allowed);
  });
}

TEST_CASE("of what `allowed` alone has nothing can be required") {
  for_each_allowed_field([](const auto& row) {
    CAPTURE(row.field);
    SchedulingPolicySpec spec{.allowed = detail::everything()};
    spec.required.*row.rules = listing(row, good);
    CHECK(check({}, effective(spec), governing_all).empty());
    const auto errors = validate({.metadata = {.name = "p"}, .spec = spec});
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].type == ErrorType::forbidden);
    CHECK(errors[0].field == FieldPath{"spec", "required", row.rules_field});
  });
}

TEST_CASE("of every field what is required has to be there") {
  for_each_pod_field([](const auto& row) {
    CAPTURE(row.field);
    SchedulingPolicySpec spec;
    spec.allowed = detail::everything();
    spec.required.*row.rules = listing(row, good);
    CHECK(denies(check(pod_with(row, bad), effective(spec)), row, row.codes.missing));
    CHECK(denies(check({}, effective(spec)), row, row.codes.missing));
    CHECK(check(pod_with(row, good), effective(spec)).empty());
    const auto fix = nearest_fix(pod_with(row, bad), effective(spec));
    REQUIRE(fix.has_value());
    REQUIRE(fix->has_value());
    CHECK(admit((*fix)->pod, effective(spec)).allowed);
    CHECK((*fix)->changes.front().field.steps()[1].name == row.field);
    spec.required.*row.rules = any;
    const auto errors = validate({.metadata = {.name = "p"}, .spec = spec});
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].field == FieldPath{"spec", "required", row.rules_field});
  });
}

TEST_CASE("of every field the default is given, and permitted") {
  for_each_pod_field([](const auto& row) {
    CAPTURE(row.field);
    SchedulingPolicySpec spec = all_but(row);
    spec.defaults.*row.member = given(row, good);
    const Admission admission = admit({}, effective(spec));
    CHECK(admission.allowed);
    CHECK(admission.pod == pod_with(row, good));
    REQUIRE(admission.changes.size() == 1);
    CHECK(admission.changes[0].field.steps()[1].name == row.field);
    CHECK(admission.changes[0].policy == "p");
    const Explanation explanation = explain({}, effective(spec));
    bool is_explained = false;
    for (const ExplainedItem& item : explanation.items)
      if (item.ruling == Ruling::defaulted && item.field.steps()[1].name == row.field)
        is_explained = !item.by.empty() && item.by[0].entry.steps()[1].name == row.field;
    CHECK(is_explained);
  });
}

TEST_CASE("in every field it is found what a change allows no more, where it is governed") {
  for_each_section_field([](const auto& row) {
    CAPTURE(row.field);
    SchedulingPolicySpec spec;
    spec.allowed = detail::everything();
    const EffectivePolicy before = effective(spec);
    const EffectivePolicy after = effective(all_but(row));
    const auto comparison = compare(before, after, governing_all, governing_all);
    REQUIRE(comparison.has_value());
    CHECK(comparison->relation == Relation::stricter);
    REQUIRE(comparison->allowed_before.has_value());
    CHECK(denies(admit(*comparison->allowed_before, after, governing_all).violations, row,
                 row.codes.not_permitted));
    const Options governing_one{.governs = {row.component == Component::tolerations
                                                ? Component::scheduler_names
                                                : Component::tolerations}};
    const auto ungoverned = compare(before, after, governing_one, governing_one);
    REQUIRE(ungoverned.has_value());
    CHECK(ungoverned->relation == Relation::equivalent);
    const auto turned_on = compare(after, after, governing_one, governing_all);
    REQUIRE(turned_on.has_value());
    CHECK(turned_on->relation == Relation::stricter);
  });
}

TEST_CASE("in every field it is found what denies a default") {
  for_each_pod_field([](const auto& row) {
    CAPTURE(row.field);
    SchedulingPolicySpec spec;
    spec.allowed = detail::everything();
    spec.required.*row.rules = listing(row, good);
    spec.defaults.*row.member = given(row, bad);
    const std::vector<SchedulingPolicy> policies = {{.metadata = {.name = "p"}, .spec = spec}};
    bool is_found = false;
    for (const Finding& finding : analyze(policies))
      if (finding.code == FindingCode::default_denied)
        is_found = finding.field.steps()[1].name == row.field;
    CHECK(is_found);
  });
}

TEST_CASE("of every field policies are merged") {
  for_each_section_field([]<class Row>(const Row& row) {
    CAPTURE(row.field);
    std::vector<SchedulingPolicy> policies = {{.metadata = {.name = "a"}},
                                              {.metadata = {.name = "b"}}};
    policies[0].spec.allowed.*row.rules = listing(row, good);
    policies[1].spec.allowed = detail::everything();
    policies[1].spec.allowed.*row.rules = listing(row, bad);
    const EffectivePolicy both = merge(policies);
    CHECK(check(pod_with(row, good), both, governing_all).empty());
    CHECK(check(pod_with(row, bad), both, governing_all).empty());
    const auto simply = merge(policies, MergeStrategy::simple_merge);
    CHECK(check(pod_with(row, good), simply, governing_all).empty());
    CHECK(denies(check(pod_with(row, bad), simply, governing_all), row, row.codes.not_permitted));
    if (is_allowed_field<Row>) return;
    policies[0].spec.required.*row.rules = listing(row, good);
    CHECK(denies(check(pod_with(row, bad), merge(policies)), row, row.codes.missing));
  });
}

TEST_CASE("every kind of affinity is found in rules and in pods") {
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
