// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/admission.hpp>

#include <schedpol/core/limits.hpp>

#include "../support/path.hpp"
#include "../support/print.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace admission_test {

using schedpol::Admission;
using schedpol::Change;
using schedpol::FieldPath;
using schedpol::message;
using schedpol::Pod;
using schedpol::to_string;
using schedpol::Violation;
using schedpol::testing::operator""_path;
using Code = schedpol::ViolationCode;
using namespace std::string_view_literals;

static_assert(std::is_aggregate_v<Violation>);
static_assert(std::is_aggregate_v<Change>);
static_assert(std::is_aggregate_v<Admission>);
static_assert(std::is_nothrow_move_constructible_v<Violation>);
static_assert(std::is_nothrow_move_constructible_v<Change>);
static_assert(std::is_nothrow_move_constructible_v<Admission>);
static_assert(std::equality_comparable<Admission>);
static_assert(!std::is_convertible_v<Admission, bool>);
static_assert(!std::is_constructible_v<bool, Admission>);
static_assert(noexcept(to_string(Code::no_usable_policy)));

struct Named {
  Code code;
  std::string_view name;
};

constexpr Named codes[] = {
    {Code::no_usable_policy, "NoUsablePolicy"},
    {Code::ambiguous_policy, "AmbiguousPolicy"},
    {Code::scheduler_name_required, "SchedulerNameRequired"},
    {Code::scheduler_name_not_allowed, "SchedulerNameNotAllowed"},
    {Code::node_name_not_allowed, "NodeNameNotAllowed"},
    {Code::priority_class_name_required, "PriorityClassNameRequired"},
    {Code::priority_class_name_not_allowed, "PriorityClassNameNotAllowed"},
    {Code::node_selector_required, "NodeSelectorRequired"},
    {Code::node_selector_not_allowed, "NodeSelectorNotAllowed"},
    {Code::toleration_required, "TolerationRequired"},
    {Code::toleration_not_allowed, "TolerationNotAllowed"},
    {Code::affinity_required, "AffinityRequired"},
    {Code::affinity_not_allowed, "AffinityNotAllowed"},
    {Code::invalid_policy, "InvalidPolicy"},
    {Code::runtime_class_not_found, "RuntimeClassNotFound"},
    {Code::overhead_without_runtime_class, "OverheadWithoutRuntimeClass"},
    {Code::overhead_mismatch, "OverheadMismatch"},
    {Code::node_selector_conflict, "NodeSelectorConflict"},
    {Code::rejected_by_rule, "RejectedByRule"},
    {Code::namespace_not_found, "NamespaceNotFound"},
    {Code::multiple_resource_policies, "MultipleResourcePolicies"},
    {Code::limit_exceeded, "LimitExceeded"},
};

Pod web() {
  Pod pod;
  pod.metadata.name = "web";
  return pod;
}

/// An allowing step that sets a key of the node selector.
Admission select(Pod pod, const std::string& key) {
  Admission admission;
  admission.allowed = true;
  admission.before = pod;
  admission.changes = {
      {FieldPath{"spec", "nodeSelector"}.key(key), std::nullopt, "true", "policy-" + key}};
  pod.spec.node_selector[key] = "true";
  admission.pod = std::move(pod);
  return admission;
}

auto selecting(std::string key) {
  return [key](Pod pod) { return select(std::move(pod), key); };
}

Admission unchanged(Pod pod) {
  Admission admission;
  admission.allowed = true;
  admission.pod = std::move(pod);
  return admission;
}

const std::vector<Violation> reasons = {
    {Code::scheduler_name_not_allowed, "spec.schedulerName"_path, "other", {"policy-z"}},
    {Code::node_name_not_allowed, "spec.nodeName"_path, "node-1", {"policy-z"}}};

Admission deny(Pod pod) {
  Admission admission;
  admission.pod = std::move(pod);
  admission.violations = reasons;
  return admission;
}

// What is allowed is compared with true and false, in either order.
static_assert(requires(const schedpol::Allowed allowed, const schedpol::Allowed other,
                       bool wanted) {
  allowed == wanted;
  wanted != allowed;
  allowed == other;
});

TEST_CASE("a default-constructed admission is a denial") {
  const Admission admission;
  CHECK(!admission.allowed);
  CHECK(admission.changes.empty());
  CHECK(admission.violations.empty());
  CHECK(admission.pod == Pod{});
  CHECK(!admission.before);
}

TEST_CASE("a default-constructed violation permits nothing to be used") {
  CHECK(Violation{}.code == Code::no_usable_policy);
}

TEST_CASE("a violation says what was asked for, where, and which policies refuse it") {
  struct Case {
    std::string name;
    Violation violation;
    std::string text;
  };
  const Case cases[] = {
      {"no policy",
       {Code::no_usable_policy, "spec"_path, "", {}},
       "`spec`: no scheduling policy may be used for this pod"},
      {"two policies of one name",
       {Code::ambiguous_policy, "spec"_path, "", {"gpu"}},
       "`spec`: more than one policy is named `gpu`"},
      {"a scheduler that is not required",
       {Code::scheduler_name_required, "spec.schedulerName"_path, "mine", {"a"}},
       "`spec.schedulerName`: scheduler `mine` is not among those required by `a`"},
      {"a scheduler that is not allowed",
       {Code::scheduler_name_not_allowed, "spec.schedulerName"_path, "mine", {"a", "b", "c"}},
       "`spec.schedulerName`: scheduler `mine` is not allowed by `a`, `b` and `c`"},
      {"a scheduler that is not allowed, and those that are",
       {Code::scheduler_name_not_allowed,
        "spec.schedulerName"_path,
        "mine",
        {"a"},
        {"fast", "slow"}},
       "`spec.schedulerName`: scheduler `mine` is not allowed by `a` (permitted: `fast` and "
       "`slow`)"},
      {"a scheduler that is not the required one",
       {Code::scheduler_name_required, "spec.schedulerName"_path, "mine", {"a"}, {"fast"}},
       "`spec.schedulerName`: scheduler `mine` is not among those required by `a` (permitted: "
       "`fast`)"},
      {"a policy without a name",
       {Code::scheduler_name_not_allowed, "spec.schedulerName"_path, "mine", {""}},
       "`spec.schedulerName`: scheduler `mine` is not allowed by a policy without a name"},
      {"a scheduler that no policy allows",
       {Code::scheduler_name_not_allowed, "spec.schedulerName"_path, "mine", {}},
       "`spec.schedulerName`: scheduler `mine` is not allowed by any policy"},
      {"a node name",
       {Code::node_name_not_allowed, "spec.nodeName"_path, "node-1", {"a", "b"}},
       "`spec.nodeName`: naming node `node-1` goes past every scheduler, which is not allowed by "
       "`a` and `b`"},
      {"a priority class that is not required",
       {Code::priority_class_name_required, "spec.priorityClassName"_path, "gold", {"a"}},
       "`spec.priorityClassName`: priority class `gold` is not among those required by `a`"},
      {"no priority class",
       {Code::priority_class_name_required, "spec.priorityClassName"_path, "", {"a"}},
       "`spec.priorityClassName`: a priority class is required by `a`"},
      {"a priority class that is not allowed",
       {Code::priority_class_name_not_allowed, "spec.priorityClassName"_path, "gold", {"a"}},
       "`spec.priorityClassName`: priority class `gold` is not allowed by `a`"},
      {"a node selector that is not required",
       {Code::node_selector_required, "spec.nodeSelector[disk]"_path, "hdd", {"a"}},
       "`spec.nodeSelector[disk]`: value `hdd` is not among those required by `a`"},
      {"no node selector",
       {Code::node_selector_required, "spec.nodeSelector[disk]"_path, "", {"a"}},
       "`spec.nodeSelector[disk]`: a value is required by `a`"},
      {"no node selector, and what it may be",
       {Code::node_selector_required, "spec.nodeSelector[disk]"_path, "", {"a"}, {"ssd"}},
       "`spec.nodeSelector[disk]`: a value is required by `a` (permitted: `ssd`)"},
      {"a node selector that is not allowed",
       {Code::node_selector_not_allowed, "spec.nodeSelector[disk]"_path, "hdd", {"a"}},
       "`spec.nodeSelector[disk]`: node selector `hdd` is not allowed by `a`"},
      {"a required toleration",
       {Code::toleration_required, "spec.tolerations"_path, "spot Exists", {"a"}},
       "`spec.tolerations`: a toleration of the form `spot Exists` is required by `a`"},
      {"a toleration that is not allowed",
       {Code::toleration_not_allowed, "spec.tolerations[0]"_path, "spot Exists", {"a"}},
       "`spec.tolerations[0]`: toleration `spot Exists` is not allowed by `a`"},
      {"a toleration that no policy could allow",
       {Code::toleration_not_allowed,
        "spec.tolerations[0]"_path,
        "spot Exist",
        {"a"},
        {},
        "unknown operator `Exist`, did you mean `Exists`"},
       "`spec.tolerations[0]`: toleration `spot Exist` is not allowed: unknown operator `Exist`, "
       "did you mean `Exists`"},
      {"a required affinity",
       {Code::affinity_required, "spec.affinity.nodeAffinity"_path, "(disk In [ssd])", {"a"}},
       "`spec.affinity.nodeAffinity`: affinity `(disk In [ssd])` is required by `a`"},
      {"a required affinity of any form",
       {Code::affinity_required, "spec.affinity.nodeAffinity"_path, "", {"a"}},
       "`spec.affinity.nodeAffinity`: affinity is required by `a`"},
      {"an affinity that is not allowed",
       {Code::affinity_not_allowed, "spec.affinity.nodeAffinity"_path, "", {"a"}},
       "`spec.affinity.nodeAffinity`: affinity is not allowed by `a`"},
      {"a policy that is none",
       {Code::invalid_policy, "spec"_path, "`spec.x`: forbidden", {"a", "b"}},
       "`spec`: `a` and `b` cannot be evaluated: `spec.x`: forbidden"},
      {"an unknown runtime class",
       {Code::runtime_class_not_found, "spec.runtimeClassName"_path, "kata", {}},
       "`spec.runtimeClassName`: there is no runtime class `kata`"},
      {"an overhead without a class",
       {Code::overhead_without_runtime_class, "spec.overhead"_path, "cpu=1", {}},
       "`spec.overhead`: overhead `cpu=1` is not defined by a runtime class"},
      {"another overhead",
       {Code::overhead_mismatch, "spec.overhead"_path, "cpu=1", {"kata"}},
       "`spec.overhead`: overhead `cpu=1` is not that of the runtime class `kata`"},
      {"another node selector than the class",
       {Code::node_selector_conflict, "spec.nodeSelector[disk]"_path, "hdd", {"kata"}},
       "`spec.nodeSelector[disk]`: value `hdd` conflicts with the runtime class `kata`"},
      {"a rule that rejects",
       {Code::rejected_by_rule, "metadata"_path, "0", {"a"}},
       "`metadata`: rejected by rule `0` of `a`"},
      {"an unknown namespace",
       {Code::namespace_not_found, "metadata.namespace"_path, "team-a", {"zones", "prod"}},
       "`metadata.namespace`: nothing is known of namespace `team-a`, whose labels are looked at "
       "by "
       "`zones` and `prod`"},
      {"two resource policies",
       {Code::multiple_resource_policies, "metadata.labels"_path, "", {"a", "b"}},
       "`metadata.labels`: selected by `a` and `b`, and only one resource policy may place a pod"},
      {"policies that give too much",
       {Code::limit_exceeded, "spec"_path, "9", {"a", "b"}, {}, "a pod is given at most 8 items"},
       "`spec`: a limit is exceeded by `a` and `b`: a pod is given at most 8 items"},
  };
  std::set<Code> seen;
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(message(c.violation) == c.text);
    seen.insert(c.violation.code);
  }
  CHECK(seen.size() == std::size(codes));
}

TEST_CASE("a violation's message is one line without a full stop, whatever it shows") {
  const std::string hostile = "A\r\n\x1b[31m`\\\x7f.";
  for (const auto& [code, name] : codes) {
    if (code == Code::invalid_policy) continue;  // its value is a message itself
    for (const std::string& input : {std::string(), std::string("a"), hostile}) {
      const Violation violation{code, FieldPath{"spec", input}, input, {input, input}};
      const std::string text = message(violation);
      CAPTURE(text);
      CHECK(text.starts_with("`spec."));
      CHECK(!text.ends_with('.'));
      for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7F));
    }
    for (const char c : message(Violation{code, {}, "", {}})) CHECK((c < 'A' || c > 'Z'));
  }
}

TEST_CASE("a code is spelled without underscores") {
  for (const auto& [code, name] : codes) CHECK(std::string(to_string(code)) == std::string(name));
}

TEST_CASE("a change says what became what, and by which policy") {
  struct Case {
    std::string name;
    Change change;
    std::string text;
  };
  const Case cases[] = {
      {"set",
       {"spec.schedulerName"_path, std::nullopt, "my-scheduler", "payments"},
       "`spec.schedulerName` set to `my-scheduler` by `payments`"},
      {"changed",
       {"spec.schedulerName"_path, "default-scheduler", "my-scheduler", "payments"},
       "`spec.schedulerName` changed from `default-scheduler` to `my-scheduler` by `payments`"},
      {"cleared",
       {"spec.priority"_path, "5", std::nullopt, "gold"},
       "`spec.priority` cleared by `gold`"},
      {"set to nothing",
       {"spec.nodeSelector[a]"_path, std::nullopt, "", "p"},
       "`spec.nodeSelector[a]` set to `` by `p`"},
      {"changed from nothing",
       {"spec.nodeSelector[a]"_path, "", "b", "p"},
       "`spec.nodeSelector[a]` changed from `` to `b` by `p`"},
      {"control characters",
       {FieldPath{"a\n"}, "b\r", "c\t", "d`"},
       "`a\\x0a` changed from `b\\x0d` to `c\\x09` by `d\\``"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(message(c.change) == c.text);
  }
}

TEST_CASE("an admission is explained by a line for each of its reasons, or of its changes") {
  CHECK(message(Admission()) == "denied");
  CHECK(message(unchanged(web())) == "allowed");
  CHECK(message(select(web(), "a")) ==
        "allowed\n  `spec.nodeSelector[a]` set to `true` by `policy-a`");
  CHECK(message(deny(web())) ==
        "denied\n"
        "  `spec.schedulerName`: scheduler `other` is not allowed by `policy-z`\n"
        "  `spec.nodeName`: naming node `node-1` goes past every scheduler, which is not allowed "
        "by `policy-z`");
}

TEST_CASE("an admission with many reasons says the first, and how many more there are") {
  Admission admission = deny(web());
  admission.violations.resize(schedpol::max_reported_errors + 7, reasons[0]);
  const std::string text = message(admission);
  CHECK(std::count(text.begin(), text.end(), '\n') == schedpol::max_reported_errors + 1);
  CHECK(text.ends_with("`policy-z`\n  and 7 more"));
}

TEST_CASE("an admission that was moved from is a denial") {
  Admission first = select(web(), "a");
  const Admission second = std::move(first);
  CHECK(second.allowed);
  CHECK(!first.allowed);  // NOLINT(bugprone-use-after-move)

  Admission third;
  third = second;
  CHECK(third.allowed);
  Admission fourth;
  fourth = std::move(third);
  CHECK(fourth.allowed);
  CHECK(!third.allowed);  // NOLINT(bugprone-use-after-move)

  Admission chained = select(web(), "a");
  CHECK(std::move(chained).and_then(unchanged).allowed);
  int calls = 0;
  const Admission again = chained.and_then([&](Pod pod) {  // NOLINT(bugprone-use-after-move)
    ++calls;
    return unchanged(std::move(pod));
  });
  CHECK(!again.allowed);
  CHECK(calls == 0);
}

TEST_CASE("a chain that allows keeps the changes of all steps in their order") {
  const Admission result = select(web(), "a").and_then(selecting("b")).and_then(selecting("c"));
  CHECK(result.allowed);
  CHECK(result.violations.empty());
  CHECK(result.pod.spec.node_selector ==
        schedpol::Labels{{"a", "true"}, {"b", "true"}, {"c", "true"}});
  REQUIRE(result.changes.size() == 3);
  CHECK(result.changes[0].policy == "policy-a");
  CHECK(result.changes[1].policy == "policy-b");
  CHECK(result.changes[2].policy == "policy-c");
  REQUIRE(result.before.has_value());
  CHECK(*result.before == web());
}

TEST_CASE("a chain keeps the warnings of all steps in their order, and none of a denial") {
  const auto warning = [](std::string key) {
    return [key](Pod pod) {
      Admission admission = unchanged(std::move(pod));
      admission.warnings = {{.field = FieldPath{}.key(key)}};
      return admission;
    };
  };
  const Admission allowed = warning("a")(web()).and_then(warning("b"));
  REQUIRE(allowed.warnings.size() == 2);
  CHECK(allowed.warnings[0].field == "[a]");
  CHECK(allowed.warnings[1].field == "[b]");
  const auto deny_with_warning = [](Pod pod) {
    Admission admission = deny(std::move(pod));
    admission.warnings.resize(1);
    return admission;
  };
  CHECK(warning("a")(web()).and_then(deny_with_warning).warnings.empty());
}

TEST_CASE("a step sees the pod as the steps before left it") {
  Pod seen;
  const Admission result = select(web(), "a").and_then([&](Pod pod) {
    seen = pod;
    return unchanged(std::move(pod));
  });
  CHECK(seen.spec.node_selector == schedpol::Labels{{"a", "true"}});
  CHECK(result.pod == seen);
}

TEST_CASE("steps that change nothing leave no mark") {
  const Admission quiet = unchanged(web()).and_then(unchanged);
  CHECK(quiet == unchanged(web()));

  const Admission early = select(web(), "a").and_then(unchanged);
  CHECK(early == select(web(), "a"));

  const Admission late = unchanged(web()).and_then(selecting("a"));
  CHECK(late == select(web(), "a"));
}

TEST_CASE("a chain stops at the first denial") {
  int calls = 0;
  const auto counted = [&](Pod pod) {
    ++calls;
    return select(std::move(pod), "b");
  };
  const Admission result = deny(web()).and_then(counted).and_then(counted);
  CHECK(calls == 0);
  CHECK(result == deny(web()));

  const Admission defaulted = Admission().and_then(counted);
  CHECK(calls == 0);
  CHECK(defaulted == Admission());
}

TEST_CASE("a denial in a later step gives back the pod as it came to the chain") {
  struct Case {
    std::string name;
    Admission result;
  };
  int calls = 0;
  const auto never = [&](Pod pod) {
    ++calls;
    return unchanged(std::move(pod));
  };
  const auto change_and_deny = [](Pod pod) {
    Admission admission = select(std::move(pod), "d");
    admission.allowed = false;
    admission.violations = reasons;
    return admission;
  };
  const Case cases[] = {
      {"after a change", select(web(), "a").and_then(deny)},
      {"after two changes", select(web(), "a").and_then(selecting("b")).and_then(deny)},
      {"after a step without changes", unchanged(web()).and_then(deny)},
      {"a change in the middle", unchanged(web()).and_then(selecting("a")).and_then(deny)},
      {"a change, then none", select(web(), "a").and_then(unchanged).and_then(deny)},
      {"more steps behind", select(web(), "a").and_then(deny).and_then(never)},
      {"steps nested", select(web(), "a").and_then([](Pod pod) {
         return select(std::move(pod), "b").and_then(deny);
       })},
      {"nested steps, then a denial",
       select(web(), "a")
           .and_then([](Pod pod) { return select(std::move(pod), "b").and_then(selecting("c")); })
           .and_then(deny)},
      {"a denial that came with changes of its own", select(web(), "a").and_then(change_and_deny)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(c.result == deny(web()));
  }
  CHECK(calls == 0);
}

TEST_CASE("a chain knows the pod as it came, though its steps do not") {
  const auto changing = [](Pod pod) {
    Admission admission = unchanged(std::move(pod));
    admission.pod.spec.scheduler_name = "other";
    admission.changes = {{"spec.schedulerName"_path, std::nullopt, "other", "p"}};
    return admission;
  };
  struct Case {
    std::string name;
    Admission chain;
  };
  const Case cases[] = {
      {"the last step changes", unchanged(web()).and_then(changing)},
      {"the step before it does", unchanged(web()).and_then(changing).and_then(unchanged)},
      {"both do", unchanged(web()).and_then(changing).and_then(changing)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(c.chain.allowed);
    CHECK(c.chain.pod.spec.scheduler_name == "other");
    CHECK(!c.chain.changes.empty());
    CHECK(c.chain.and_then(deny) == deny(web()));
  }
}

TEST_CASE("a chain of a named admission leaves that one as it was") {
  const Admission first = select(web(), "a");
  const Admission allowed = first.and_then(selecting("b"));
  const Admission denied = first.and_then(deny);
  CHECK(first == select(web(), "a"));
  CHECK(allowed.allowed);
  CHECK(allowed.changes.size() == 2);
  CHECK(denied == deny(web()));
}

TEST_CASE("a step may be any callable, one that can be called only once included") {
  struct Once {
    std::unique_ptr<std::string> key;
    Admission operator()(Pod pod) && { return select(std::move(pod), *key); }
  };
  const Admission result =
      select(web(), "a").and_then(Once{std::make_unique<std::string>("b")}).and_then(&unchanged);
  CHECK(result.allowed);
  CHECK(result.changes.size() == 2);
}

}  // namespace admission_test
