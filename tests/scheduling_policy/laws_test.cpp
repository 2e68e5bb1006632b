// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/admit.hpp>

#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/impl/node_context.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/print.hpp"

#include "../support/generate.hpp"
#include "../support/plain_check.hpp"
#include "../support/tries.hpp"
#include "../support/universe.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

// What holds for every policy and pod, tried on generated ones.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace laws_test {

using schedpol::testing::at_least;
using schedpol::testing::Generator;
using Policies = std::vector<SchedulingPolicy>;

constexpr int rounds = schedpol::testing::tries(4000);

constexpr MergeStrategy strategies[] = {
    MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins, MergeStrategy::simple_merge};

/// How often a law was tried on each decision: no law may hold because it met only one of them.
struct Share {
  int allowed = 0;
  int denied = 0;

  void count(bool is_allowed) { ++(is_allowed ? allowed : denied); }
  ~Share() {
    CHECK(allowed * 10 >= allowed + denied);
    CHECK(denied * 10 >= allowed + denied);
    CHECK(allowed + denied >= rounds / 2);
  }
};

bool is_same(const EffectivePolicy& a, const EffectivePolicy& b) {
  return a.spec() == b.spec() && a.sources() == b.sources() && a.policies() == b.policies() &&
         a.is_ambiguous() == b.is_ambiguous();
}

TEST_CASE("law: a merge does not depend on the order in which policies are given") {
  Generator generate(1);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Policies policies = generate.policies();
    Policies shuffled = policies;
    generate.shuffle(shuffled);
    const MergeStrategy strategy = strategies[round % 3];
    const EffectivePolicy effective = merge(policies, strategy);
    const EffectivePolicy same = merge(shuffled, strategy);
    REQUIRE(is_same(effective, same));
    const Pod pod = generate.pod();
    const Options options = generate.options();
    const auto violations = check(pod, effective, options);
    REQUIRE(violations == check(pod, same, options));
    share.count(violations.empty());
  }
}

TEST_CASE("law: a merge does not change when an equal policy is given twice") {
  Generator generate(2);
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Policies policies = generate.policies();
    if (policies.empty()) continue;
    Policies more = policies;
    more.push_back(generate.pick(policies));
    generate.shuffle(more);
    for (const MergeStrategy strategy : strategies)
      REQUIRE(is_same(merge(policies, strategy), merge(more, strategy)));
  }
}

TEST_CASE("law: a merge with a different policy of a name that is there denies every pod") {
  Generator generate(3);
  for (int round = 0; round < rounds / 4; ++round) {
    CAPTURE(round);
    Policies policies = generate.policies();
    if (policies.empty()) continue;
    SchedulingPolicy other{.metadata = {.name = generate.pick(policies).metadata.name},
                           .spec = generate.policy_spec()};
    if (std::find(policies.begin(), policies.end(), other) != policies.end()) continue;
    policies.push_back(std::move(other));
    generate.shuffle(policies);
    const auto violations = check(generate.pod(), merge(policies, strategies[round % 3]));
    REQUIRE(violations.size() == 1);
    REQUIRE(violations[0].code == ViolationCode::ambiguous_policy);
  }
}

TEST_CASE("law: giving defaults again changes nothing") {
  Generator generate(4);
  int changed = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    const Options options = generate.options();
    const Pod pod = generate.pod();
    const Defaulted once = apply_defaults(pod, effective, options);
    REQUIRE(once.changes.empty() == (once.pod == pod));
    const Defaulted again = apply_defaults(once.pod, effective, options);
    REQUIRE(again.pod == once.pod);
    REQUIRE(again.changes.empty());  // what is left out is said again
    changed += once.changes.empty() ? 0 : 1;
  }
  CHECK(changed >= rounds / 5);
  CHECK(changed <= rounds * 4 / 5);
}

/// Without what lists nothing.
NodeAffinity terms_of(const std::optional<NodeAffinity>& kind) {
  NodeAffinity terms = kind.value_or(NodeAffinity{});
  auto& required = terms.required_during_scheduling_ignored_during_execution;
  if (required && required->node_selector_terms.empty()) required.reset();
  return terms;
}
PodAffinity terms_of(const std::optional<PodAffinity>& kind) {
  return kind.value_or(PodAffinity{});
}

TEST_CASE("law: affinity is given mode by mode of each kind, as the plain rules give it") {
  using schedpol::testing::Part;
  using schedpol::testing::Universe;
  // Of several required terms, where each term has to hold what is required.
  int as_they_are = 0;
  int as_one = 0;
  int not_given = 0;
  int beside_another_mode = 0;
  int left_out = 0;
  for (const Part part : {Part::node_affinity, Part::pod_affinity}) {
    Universe generate(20, part);
    const std::vector<PodSpec> pods = Universe::pods(part);
    for (int round = 0; round < rounds / 2; ++round) {
      CAPTURE(round);
      const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
      const Options options = generate.options();
      for (int i = 0; i < 5; ++i) {
        Pod pod{.spec = generate.pick(pods)};
        if (generate.chance(50))
          pod.spec.node_selector = {
              {generate.pick(schedpol::testing::words), generate.pick(schedpol::testing::words)}};
        CAPTURE(pod);
        const Affinity own = pod.spec.affinity.value_or(Affinity{});
        const Defaulted defaulted = apply_defaults(pod, effective, options);
        const Affinity has = defaulted.pod.spec.affinity.value_or(Affinity{});
        const Affinity wanted =
            schedpol::testing::plain_with_given_affinity(pod, effective, options);
        REQUIRE(terms_of(has.node_affinity) == terms_of(wanted.node_affinity));
        REQUIRE(terms_of(has.pod_affinity) == terms_of(wanted.pod_affinity));
        REQUIRE(terms_of(has.pod_anti_affinity) == terms_of(wanted.pod_anti_affinity));
        const bool has_own = has_terms(own.node_affinity) || has_terms(own.pod_anti_affinity);
        if (!defaulted.changes.empty() && has_own) ++beside_another_mode;
        if (!defaulted.warnings.empty()) ++left_out;
      }
      const Affinity given = schedpol::testing::plain_with_given_affinity(
          Pod{}, effective, {.required_affinity = options.required_affinity});
      const auto& rules = effective.spec().required.affinities.listed().node_affinities.listed();
      const bool lists_terms =
          rules.required_during_scheduling_ignored_during_execution.is_listed();
      if (!lists_terms || options.required_affinity == RequiredAffinity::present) continue;
      if (!effective.spec().defaults.affinity) continue;
      const auto count = [](const std::optional<NodeAffinity>& kind) {
        const auto required = terms_of(kind).required_during_scheduling_ignored_during_execution;
        return required ? required->node_selector_terms.size() : std::size_t{0};
      };
      if (count(effective.spec().defaults.affinity->node_affinity) != 2) continue;
      const std::array forms = {&not_given, &as_one, &as_they_are};
      ++*forms[count(given.node_affinity)];
    }
  }
  CHECK(as_they_are >= at_least(10));
  CHECK(as_one >= at_least(10));
  CHECK(not_given >= at_least(10));
  CHECK(beside_another_mode >= rounds / 20);
  CHECK(left_out >= rounds / 20);
}

TEST_CASE("law: an allowed pod admitted again is allowed and unchanged") {
  Generator generate(5);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    const Options options = generate.options();
    const Admission first = admit(generate.pod(), effective, options);
    share.count(first.allowed);
    if (!first.allowed) continue;
    Admission again = admit(first.pod, effective, options);
    again.warnings.clear();
    REQUIRE(again == Admission{.allowed = true, .pod = first.pod});
    REQUIRE(check(first.pod, effective, options).empty());
  }
}

TEST_CASE("law: a denied pod comes back as it came, with reasons and without changes") {
  Generator generate(6);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    const Pod pod = generate.pod();
    const Options options = generate.options();
    const Admission admission = admit(pod, effective, options);
    share.count(admission.allowed);
    REQUIRE(admission.allowed == admission.violations.empty());
    if (admission.allowed) continue;
    REQUIRE(admission.pod == pod);
    REQUIRE(admission.changes.empty());
    REQUIRE_FALSE(admission.before.has_value());
  }
}

TEST_CASE("law: every violation and every change names its policies, and they exist") {
  Generator generate(7);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    if (effective.policies().empty()) continue;
    const auto exists = [&](const std::string& name) {
      return std::find(effective.policies().begin(), effective.policies().end(), name) !=
             effective.policies().end();
    };
    const Pod pod = generate.pod();
    const Options options = generate.options();
    const Admission admission = admit(pod, effective, options);
    share.count(admission.allowed);
    for (const Violation& violation : admission.violations) {
      CAPTURE(violation);
      REQUIRE_FALSE(violation.policies.empty());
      for (const std::string& policy : violation.policies) REQUIRE(exists(policy));
    }
    for (const Change& change : admission.changes) REQUIRE(exists(change.policy));
  }
}

/// Puts a name or value in the place of what a violation is about; false where it is about another
/// sort of thing.
bool replace(Pod& pod, const Violation& violation, const std::string& by) {
  switch (violation.code) {
    case ViolationCode::scheduler_name_required:
    case ViolationCode::scheduler_name_not_allowed: pod.spec.scheduler_name = by; return true;
    case ViolationCode::priority_class_name_required:
    case ViolationCode::priority_class_name_not_allowed:
      pod.spec.priority_class_name = by;
      return true;
    case ViolationCode::node_selector_required:
    case ViolationCode::node_selector_not_allowed:
      pod.spec.node_selector[std::string(violation.field.steps().back().name)] = by;
      return true;
    default: return false;
  }
}

TEST_CASE("law: what a violation says would be permitted is permitted in its place") {
  Generator generate(12);
  int tried = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    const Pod pod = generate.pod();
    for (const Violation& violation : check(pod, effective)) {
      for (const std::string& permitted : violation.permitted) {
        Pod changed = pod;
        if (permitted.empty() || !replace(changed, violation, permitted)) continue;
        CAPTURE(violation);
        ++tried;
        const auto left = check(changed, effective);
        CAPTURE(left);
        REQUIRE(std::none_of(left.begin(), left.end(), [&](const Violation& other) {
          return other.code == violation.code && other.field == violation.field;
        }));
      }
    }
  }
  CHECK(tried > rounds / 4);
}

TEST_CASE("law: another entry in a list or map of allowed denies no pod that was allowed") {
  Generator generate(8);
  Share share;
  int newly_allowed = 0;
  for (int round = 0; round < 2 * rounds; ++round) {
    CAPTURE(round);
    Policies policies = generate.policies();
    if (policies.empty()) continue;
    const EffectivePolicy narrow = merge(policies);
    PolicySection& allowed = policies[generate.below(policies.size())].spec.allowed;
    const PolicySection before = allowed;
    if (!generate.widen(allowed)) {
      allowed = before;
      continue;
    }
    const EffectivePolicy wide = merge(policies);
    const Pod pod = generate.pod();
    const Options options = generate.options();
    const Admission admission = admit(pod, narrow, options);
    const Admission again = admit(pod, wide, options);
    share.count(admission.allowed);
    if (admission.allowed) {
      CAPTURE(again);
      REQUIRE(again.allowed);
      REQUIRE(again.pod == admission.pod);
    }
    newly_allowed += again.allowed && !admission.allowed ? 1 : 0;
  }
  CHECK(newly_allowed >= at_least(10));
}

TEST_CASE("law: the order of a pod's tolerations does not matter but for their indices") {
  Generator generate(9);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies());
    const Options options = generate.options();
    Pod pod = generate.pod();
    const auto codes_and_values = [&] {
      std::vector<std::pair<ViolationCode, std::string>> found;
      for (const Violation& violation : check(pod, effective, options))
        found.emplace_back(violation.code, violation.value);
      std::sort(found.begin(), found.end());
      return found;
    };
    const auto before = codes_and_values();
    generate.shuffle(pod.spec.tolerations);
    REQUIRE(before == codes_and_values());
    share.count(before.empty());
  }
}

TEST_CASE("law: a template has the violations and changes of a pod, at its own paths") {
  Generator generate(10);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    const Options options = generate.options();
    const Pod pod = generate.pod();
    Pod twin = pod;
    twin.kind = pod_kinds[1 + generate.below(pod_kinds.size() - 1)];
    const Admission of_pod = admit(pod, effective, options);
    const Admission of_twin = admit(twin, effective, options);
    share.count(of_pod.allowed);
    REQUIRE(of_twin.allowed == of_pod.allowed);
    REQUIRE(of_twin.pod.spec == of_pod.pod.spec);
    const FieldPath at = template_path(twin.kind);
    auto violations = of_pod.violations;
    for (Violation& violation : violations) violation.field = at.join(violation.field);
    REQUIRE(of_twin.violations == violations);
    auto changes = of_pod.changes;
    for (Change& change : changes) change.field = at.join(change.field);
    REQUIRE(of_twin.changes == changes);
  }
}

TEST_CASE("law: an update that changes nothing is always allowed") {
  Generator generate(11);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    const Options options = generate.options();
    const Pod pod = generate.pod();
    REQUIRE(check_update(Old(pod), pod, effective, options).empty());
    share.count(check(pod, effective, options).empty());
  }
}

TEST_CASE("law: an update is denied only for violations that a check of the new pod finds") {
  Generator generate(12);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    const Options options = generate.options();
    const Pod old = generate.pod();
    const Pod updated = generate.pod();
    const auto all = check(updated, effective, options);
    const auto added = check_update(Old(old), updated, effective, options);
    share.count(added.empty());
    for (const Violation& violation : added)
      REQUIRE(std::find(all.begin(), all.end(), violation) != all.end());
    if (check(old, effective, options).empty()) REQUIRE(added == all);
  }
}

TEST_CASE("law: what a policy gives, it permits, unless it requires something else") {
  Generator generate(13);
  int given = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    SchedulingPolicySpec spec = generate.policy_spec();
    spec.required = {};
    spec.allowed = {.scheduler_names = any};
    const EffectivePolicy effective =
        merge(Policies{{.metadata = {.name = "p"}, .spec = std::move(spec)}});
    const Admission admission = admit(Pod{}, effective);
    for (const Violation& violation : admission.violations) {
      CAPTURE(violation);
      // The generator gives words outside the vocabularies now and then, which nothing permits.
      const bool is_unknown = violation.value.find("Like") != std::string::npos ||
                              violation.value.find("NoRun") != std::string::npos;
      REQUIRE(is_unknown);
    }
    given += admission.changes.empty() ? 0 : 1;
  }
  CHECK(given >= rounds / 4);
}

bool is_requirement(ViolationCode code) {
  bool found = false;
  for_each_pod_field([&](const auto& row) { found = found || row.codes.missing == code; });
  return found;
}
/// Something of which nothing can be exempt.
bool is_never_exempt(ViolationCode code) {
  bool found = false;
  for_each_section_field([&](const auto& row) {
    if constexpr (is_allowed_field<std::remove_cvref_t<decltype(row)>>)
      found = found || row.codes.not_permitted == code;
    if constexpr (std::is_same_v<decltype(row), const NameField&>)
      found = found || (row.codes.not_permitted == code && row.traits.exempt == nullptr);
  });
  return found;
}

TEST_CASE("law: nobody is denied for what is exempt, but for what is required") {
  Generator generate(14);
  Share share;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    if (effective.policies().empty()) continue;
    const Options options = generate.options();
    const Pod pod = generate.pod();
    const PodSpec& spec = pod.spec;
    const std::string scheduler =
        spec.scheduler_name.empty() ? "default-scheduler" : spec.scheduler_name;
    const auto with_all =
        check(pod, effective,
              exempt(options, SchedulingCriteria{.node_name = spec.node_name,
                                                 .scheduler_name = scheduler,
                                                 .node_selector = spec.node_selector,
                                                 .tolerations = spec.tolerations,
                                                 .affinity = spec.affinity}));
    const auto own = check(pod, effective, options);
    share.count(with_all.empty());
    // An exempt pair meets what is required of node affinity, an exempt toleration what is required
    // of one that it covers.
    const auto may_be_met = [&](const Violation& violation) {
      return (violation.code == ViolationCode::affinity_required && !spec.node_selector.empty()) ||
             (violation.code == ViolationCode::toleration_required && !spec.tolerations.empty());
    };
    std::vector<Violation> required;
    for (const Violation& violation : own)
      if ((is_requirement(violation.code) && !may_be_met(violation)) ||
          is_never_exempt(violation.code))
        required.push_back(violation);
    CAPTURE(pod);
    std::vector<Violation> found;
    for (const Violation& violation : with_all) {
      if (!may_be_met(violation)) {
        found.push_back(violation);
      } else {
        REQUIRE(std::find(own.begin(), own.end(), violation) != own.end());
      }
    }
    REQUIRE(found == required);
  }
}

TEST_CASE("law: without what is exempt a pod is denied for no less") {
  Generator generate(15);
  Share share;
  int fewer = 0;
  for (int round = 0; round < 2 * rounds; ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    Options options = generate.options();
    for (std::size_t i = generate.below(3); i > 0; --i)
      options = exempt(std::move(options), generate.criteria());
    Options without = options;
    without.exempt = {};
    without.exempt_criteria.clear();
    const Pod pod = generate.pod();
    const auto found = check(pod, effective, options);
    const auto all = check(pod, effective, without);
    share.count(found.empty());
    fewer += found.size() < all.size() ? 1 : 0;
    for (const Violation& violation : found) {
      CAPTURE(pod);
      CAPTURE(violation);
      REQUIRE(std::find(all.begin(), all.end(), violation) != all.end());
    }
  }
  CHECK(fewer > rounds / 40);
}

/// Puts criteria into a pod as a PodSchedulingPolicy does, which skips what no node can meet beside the
/// pod's own; what a class will add stands in its way.
void inject(PodSpec& spec, const SchedulingCriteria& criteria, const Options& options) {
  const auto append = [](auto& list, const auto& more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  if (spec.node_name.empty()) spec.node_name = criteria.node_name;
  if (spec.scheduler_name.empty()) spec.scheduler_name = criteria.scheduler_name;
  const std::vector<NodeSelectorTerm> own = schedpol::detail::required_terms(spec.affinity);
  schedpol::detail::PairFilter pairs(spec.node_selector, own, criteria.node_selector);
  for (const auto& pair : criteria.node_selector)
    if (!options.added_to_pods.node_selector.contains(pair.first) &&
        !spec.node_selector.contains(pair.first) && pairs.excluding(pair.first) == nullptr)
      spec.node_selector.insert(pair);
  append(spec.tolerations, criteria.tolerations);
  if (!criteria.affinity) return;
  if (!spec.affinity) spec.affinity.emplace();
  const auto& [node, pods, anti] = *criteria.affinity;
  if (node) {
    NodeAffinity& into = spec.affinity->node_affinity ? *spec.affinity->node_affinity
                                                      : spec.affinity->node_affinity.emplace();
    append(into.preferred_during_scheduling_ignored_during_execution,
           node->preferred_during_scheduling_ignored_during_execution);
    auto& selector = into.required_during_scheduling_ignored_during_execution;
    NodeSelector all = selector.value_or(NodeSelector{});
    const auto& required = schedpol::detail::required_terms(criteria.affinity);
    if (!required.empty())
      REQUIRE(detail::NodeContext::multiply(all.node_selector_terms, spec.node_selector, required));
    if (!all.node_selector_terms.empty()) selector = std::move(all);
  }
  const auto add = [&](std::optional<PodAffinity>& into, const std::optional<PodAffinity>& more) {
    if (!more) return;
    if (!into) into.emplace();
    append(into->required_during_scheduling_ignored_during_execution,
           more->required_during_scheduling_ignored_during_execution);
    append(into->preferred_during_scheduling_ignored_during_execution,
           more->preferred_during_scheduling_ignored_during_execution);
  };
  add(spec.affinity->pod_affinity, pods);
  add(spec.affinity->pod_anti_affinity, anti);
}

TEST_CASE("law: what is exempt takes away no permission from what stands beside it") {
  Share share;
  for (int round = 0; round < schedpol::testing::times(rounds); ++round) {
    CAPTURE(round);
    Generator generate(static_cast<std::uint32_t>(round));
    const EffectivePolicy effective = merge(generate.policies(), strategies[round % 3]);
    const Options options = generate.options();
    const SchedulingCriteria criteria = generate.criteria();
    Pod pod = apply_defaults(generate.pod(), effective, options).pod;
    const auto is_permitted = [&](const Options& with) {
      const auto violations = check(pod, effective, with);
      return std::all_of(violations.begin(), violations.end(),
                         [](const Violation& each) { return is_requirement(each.code); });
    };
    // What the options say that the cluster adds it has added, before or after the pod was asked
    // about.
    const auto inject_cluster = [&] {
      for (const SharedCriteria& each : options.exempt_criteria) inject(pod.spec, *each, options);
    };
    if (round % 2 == 0) inject_cluster();
    const bool before = is_permitted(options);
    share.count(before);
    if (!before) continue;
    CAPTURE(pod);
    if (round % 2 != 0) inject_cluster();
    inject(pod.spec, criteria, options);
    CAPTURE(pod);
    REQUIRE(is_permitted(exempt(options, criteria)));
  }
}

}  // namespace laws_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
