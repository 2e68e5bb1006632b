// SPDX-License-Identifier: Apache-2.0
// `check` looks things up; here it has to say, violation by violation, what the plain evaluation of
// the rules says that looks nothing up.
#include <schedpol/scheduling_policy/check.hpp>

#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/plain_check.hpp"

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace plain_check_test {

using schedpol::testing::Generator;
using schedpol::testing::plain_check;

/// Policies and pods over texts of every length, some of which differ in one byte between long
/// common beginnings and ends, in lists long enough to be searched in every way.
class WideGenerator {
 public:
  explicit WideGenerator(std::uint32_t seed) : random_(seed), beside_(seed + 1000) {
    for (std::size_t size = 0; size <= 34; ++size) texts_.push_back(std::string(size, 'a'));
    for (char c = 'a'; c < 'm'; ++c) {
      texts_.push_back(std::string("node.kubernetes.io/") + c + "-of-many-that-look-alike");
      texts_.push_back(std::string(3, c));
      texts_.push_back(std::string(6, 'x') + c);
      texts_.push_back(c + std::string(15, 'y'));
    }
  }

  SchedulingPolicy policy(const std::string& name) {
    return {.metadata = {.name = name},
            .spec = {.required = rules(15), .allowed = rules(85), .defaults = defaults()}};
  }

  Pod pod() {
    PodSpec spec{.scheduler_name = text(), .priority_class_name = text()};
    beside([&] { add_beside_the_proposal(spec); });
    if (random_.chance(20)) spec.node_name = text();
    for (std::size_t i = random_.below(4); i > 0; --i) spec.node_selector[text()] = text();
    for (std::size_t i = random_.below(4); i > 0; --i) spec.tolerations.push_back(toleration());
    if (random_.chance(60)) spec.affinity = affinity();
    return {.kind = random_.pick(kinds_), .metadata = {.name = "pod"}, .spec = std::move(spec)};
  }

  Options options() {
    Options options;
    beside([&] {
      if (random_.chance(60)) options.governs = Components::all();
      if (random_.chance(10))
        options.governs = {Component::tolerations, Component::resource_claims};
    });
    if (random_.chance(30)) options.required_affinity = RequiredAffinity::present;
    if (random_.chance(30)) options.node_name = NodeNameCheck::ignore;
    if (random_.chance(30)) options.exempt.tolerations = {toleration(), toleration()};
    if (random_.chance(30)) options.exempt.node_selector = {{text(), text()}, {text(), text()}};
    if (random_.chance(20))
      options.added_to_pods = {.node_selector = {{text(), text()}}, .tolerations = {toleration()}};
    if (random_.chance(30)) options.global_default_priority_class = text();
    return options;
  }

  /// Makes some of a pod exempt, and gives it some of what is exempt.
  void exempt_some(Options& options, PodSpec& spec) {
    for (std::size_t i = random_.below(3); i > 0; --i) {
      SchedulingCriteria criteria;
      if (random_.chance(30)) criteria.scheduler_name = spec.scheduler_name;
      if (random_.chance(30)) criteria.node_name = spec.node_name;
      if (random_.chance(30)) criteria.node_selector = spec.node_selector;
      if (random_.chance(30) && !spec.tolerations.empty())
        criteria.tolerations = {random_.pick(spec.tolerations)};
      criteria.affinity = affinity();
      if (spec.affinity && random_.chance(60)) keep_some(*criteria.affinity, *spec.affinity);
      if (spec.affinity && random_.chance(40)) inject(*spec.affinity, *criteria.affinity);
      options.exempt_criteria.push_back(std::move(criteria));
    }
    if (random_.chance(30)) options.added_to_pods.tolerations = spec.tolerations;
  }
  static void inject(Affinity& into, const Affinity& from) {
    const auto append = [](auto& list, const auto& more) {
      list.insert(list.end(), more.begin(), more.end());
    };
    const auto terms = [](Affinity& affinity) -> auto& {
      return affinity.node_affinity->required_during_scheduling_ignored_during_execution;
    };
    Affinity more = from;
    if (into.node_affinity && more.node_affinity) {
      append(into.node_affinity->preferred_during_scheduling_ignored_during_execution,
             more.node_affinity->preferred_during_scheduling_ignored_during_execution);
      if (terms(into) && terms(more) && !terms(more)->node_selector_terms.empty())
        for (NodeSelectorTerm& term : terms(into)->node_selector_terms)
          append(term.match_expressions, terms(more)->node_selector_terms[0].match_expressions);
    }
    if (into.pod_affinity && more.pod_affinity)
      append(into.pod_affinity->required_during_scheduling_ignored_during_execution,
             more.pod_affinity->required_during_scheduling_ignored_during_execution);
  }
  void keep_some(Affinity& some, const Affinity& all) {
    if (random_.chance(70)) some.node_affinity = all.node_affinity;
    if (random_.chance(70)) some.pod_affinity = all.pod_affinity;
    if (random_.chance(70)) some.pod_anti_affinity = all.pod_anti_affinity;
    if (!some.node_affinity || random_.chance(30)) return;
    auto& required = some.node_affinity->required_during_scheduling_ignored_during_execution;
    if (required && !required->node_selector_terms.empty()) {
      NodeSelectorTerm& term = required->node_selector_terms.front();
      if (!term.match_expressions.empty()) term.match_expressions.pop_back();
    }
  }

  /// A pod of the policy's own words more often than chance would give.
  Pod near(Pod pod, const SchedulingPolicySpec& spec) {
    if (spec.defaults.affinity && random_.chance(30)) pod.spec.affinity = spec.defaults.affinity;
    if (spec.defaults.tolerations && random_.chance(30)) {
      Toleration given = random_.pick(*spec.defaults.tolerations).toleration;
      if (random_.chance(30)) given.effect = TaintEffect::unset;
      pod.spec.tolerations.push_back(given);
    }
    if (spec.defaults.node_selector && random_.chance(30))
      pod.spec.node_selector = *spec.defaults.node_selector;
    if (random_.chance(60)) {
      for (const auto& [key, values] : spec.required.node_selectors.listed()) {
        const std::vector<std::string>& listed = values.listed().vector();
        pod.spec.node_selector[key] = listed.empty() ? text() : random_.pick(listed);
      }
    }
    return pod;
  }

  bool chance(std::size_t percent) { return random_.chance(percent); }

 private:
  /// What the proposal does not have is drawn apart, so that it changes nothing of the rest.
  template <class Draw>
  void beside(Draw&& draw) {
    std::swap(random_, beside_);
    draw();
    std::swap(random_, beside_);
  }
  void add_beside_the_proposal(PodSpec& spec) {
    if (random_.chance(50)) spec.runtime_class_name = text();
    for (std::size_t i = random_.below(3); i > 0; --i)
      spec.topology_spread_constraints.push_back(
          {.topology_key = text(), .when_unsatisfiable = word<WhenUnsatisfiable>()});
    for (std::size_t i = random_.below(3); i > 0; --i) spec.scheduling_gates.push_back({text()});
    for (std::size_t i = random_.below(3); i > 0; --i)
      spec.resource_claims.push_back(
          {text(), random_.chance(50) ? text() : "", random_.chance(50) ? text() : ""});
  }
  void add_beside_the_proposal(PolicySection& rules, std::size_t percent) {
    if (random_.chance(percent)) rules.runtime_class_names = names();
    if (random_.chance(percent)) rules.scheduling_gates = names();
    if (random_.chance(percent)) rules.resource_claims = names();
    if (!random_.chance(percent)) return;
    rules.topology_spread_constraints = any;
    for (std::size_t i = random_.below(5); i > 0; --i)
      rules.topology_spread_constraints.list().push_back({names(), words<WhenUnsatisfiable>()});
  }

  // Half of the texts are from the few, so that what is asked for is often what is listed.
  std::string text() {
    return random_.chance(50) ? texts_[20 + random_.below(4)] : random_.pick(texts_);
  }
  Texts texts() {
    Texts list;
    for (std::size_t i = random_.chance(30) ? 8 + random_.below(30) : 1 + random_.below(4); i > 0;
         --i)
      list.push_back(text());
    return list;
  }
  template <class Make>
  auto maybe(Make make, std::size_t absent = 15, std::size_t anything = 25)
      -> AnyOr<decltype(make())> {
    const std::size_t draw = random_.below(100);
    if (draw < absent) return {};
    if (draw < absent + anything) return any;
    if (draw < absent + anything + 2) return decltype(make()){};  // lists nothing
    return make();
  }
  AnyOr<Texts> names() {
    return maybe([&] { return texts(); });
  }
  template <class Word>
  OpenEnum<Word> word() {
    const std::size_t draw = random_.below(static_cast<std::size_t>(Word::unknown) * 4 + 1);
    if (draw == 0) return OpenEnum<Word>("Unheard");
    return static_cast<Word>(draw % static_cast<std::size_t>(Word::unknown));
  }
  template <class Word>
  AnyOr<std::vector<OpenEnum<Word>>> words() {
    return maybe([&] {
      std::vector<OpenEnum<Word>> list;
      for (std::size_t i = 1 + random_.below(4); i > 0; --i) list.push_back(word<Word>());
      return list;
    });
  }

  TolerationPattern toleration_pattern() {
    return {names(), words<TolerationOperator>(), names(), words<TaintEffect>()};
  }
  RequirementPattern requirement_pattern() {
    return {names(), words<NodeSelectorOperator>(), names()};
  }
  AnyOr<std::vector<RequirementPattern>> requirement_patterns() {
    return maybe(
        [&] {
          std::vector<RequirementPattern> list;
          for (std::size_t i = 1 + random_.below(3); i > 0; --i)
            list.push_back(requirement_pattern());
          return list;
        },
        35, 10);
  }
  NodeAffinityRule rule(const NodeAffinityRule*) {
    NodeAffinityRule rule;
    for (std::size_t i = random_.below(4); i > 0; --i)
      rule.node_selector_terms.push_back({requirement_patterns(), requirement_patterns()});
    return rule;
  }
  PodAffinityRule rule(const PodAffinityRule*) { return {random_.chance(10) ? Texts{} : texts()}; }
  template <class Rule>
  AffinityModes<Rule> modes() {
    const Rule* which = nullptr;
    return {maybe([&] { return rule(which); }), maybe([&] { return rule(which); })};
  }
  PolicySection rules(std::size_t percent) {
    PolicySection rules;
    if (random_.chance(percent)) rules.scheduler_names = names();
    if (random_.chance(percent)) rules.priority_class_names = names();
    if (random_.chance(percent)) {
      for (const std::string& key : texts()) rules.node_selectors.list()[key] = names();
    }
    if (random_.chance(percent)) {
      rules.tolerations = any;
      for (std::size_t i = random_.below(5); i > 0; --i)
        rules.tolerations.list().push_back(toleration_pattern());
    }
    if (random_.chance(percent)) {
      rules.affinities = AffinityRules{maybe([&] { return modes<NodeAffinityRule>(); }, 20, 5),
                                       maybe([&] { return modes<PodAffinityRule>(); }, 20, 5),
                                       maybe([&] { return modes<PodAffinityRule>(); }, 20, 5)};
    }
    if (random_.chance(3)) rules.affinities = any;
    beside([&] { add_beside_the_proposal(rules, percent); });
    return rules;
  }
  Defaults defaults() {
    Defaults defaults;
    if (random_.chance(30)) defaults.scheduler_name = text();
    if (random_.chance(30)) defaults.priority_class_name = text();
    if (random_.chance(30)) defaults.node_selector = Labels{{text(), text()}, {text(), text()}};
    if (random_.chance(40)) {
      defaults.tolerations.emplace();
      for (std::size_t i = 1 + random_.below(12); i > 0; --i)
        defaults.tolerations->push_back({toleration(), maybe([&] { return texts(); }, 80, 5)});
    }
    if (random_.chance(40)) defaults.affinity = affinity();
    beside([&] {
      if (random_.chance(20)) defaults.runtime_class_name = text();
    });
    return defaults;
  }

  Toleration toleration() {
    Toleration toleration{
        .key = text(), .operator_ = word<TolerationOperator>(), .effect = word<TaintEffect>()};
    if (random_.chance(60)) toleration.value = text();
    if (random_.chance(10)) toleration.toleration_seconds = 60;
    return toleration;
  }
  std::vector<NodeSelectorRequirement> requirements(std::size_t bound) {
    std::vector<NodeSelectorRequirement> list;
    for (std::size_t i = random_.below(bound); i > 0; --i) {
      list.push_back({.key = text(), .operator_ = word<NodeSelectorOperator>()});
      for (std::size_t j = random_.below(3); j > 0; --j) list.back().values.push_back(text());
    }
    return list;
  }
  NodeSelectorTerm term() { return {requirements(3), requirements(2)}; }
  PodAffinity pods() {
    PodAffinity pods;
    for (std::size_t i = random_.below(3); i > 0; --i)
      pods.required_during_scheduling_ignored_during_execution.push_back({.topology_key = text()});
    for (std::size_t i = random_.below(3); i > 0; --i)
      pods.preferred_during_scheduling_ignored_during_execution.push_back(
          {.weight = 1, .pod_affinity_term = {.topology_key = text()}});
    return pods;
  }
  Affinity affinity() {
    Affinity affinity;
    if (random_.chance(70)) {
      auto& node = affinity.node_affinity.emplace();
      if (random_.chance(80)) node.required_during_scheduling_ignored_during_execution.emplace();
      for (std::size_t i = random_.below(4); i > 0; --i) {
        if (auto& selector = node.required_during_scheduling_ignored_during_execution)
          selector->node_selector_terms.push_back(term());
        if (random_.chance(30))
          node.preferred_during_scheduling_ignored_during_execution.push_back({1, term()});
      }
    }
    if (random_.chance(40)) affinity.pod_affinity = pods();
    if (random_.chance(40)) affinity.pod_anti_affinity = pods();
    return affinity;
  }

  schedpol::testing::Random random_;
  schedpol::testing::Random beside_;
  std::vector<std::string> texts_;
  const std::vector<PodKind> kinds_{PodKind::pod, PodKind::deployment, PodKind::cron_job};
};

/// How often each code was met: equality says little about rules that no case breaks.
struct Met {
  int allowed = 0;
  std::map<ViolationCode, int> codes;

  void count(const std::vector<Violation>& violations) {
    allowed += violations.empty();
    for (const Violation& violation : violations) ++codes[violation.code];
  }
  void require_all(int least) {
    CHECK(allowed >= least);
    for (const ViolationCode code :
         {ViolationCode::scheduler_name_required, ViolationCode::scheduler_name_not_allowed,
          ViolationCode::node_name_not_allowed, ViolationCode::priority_class_name_required,
          ViolationCode::priority_class_name_not_allowed, ViolationCode::node_selector_required,
          ViolationCode::node_selector_not_allowed, ViolationCode::toleration_required,
          ViolationCode::toleration_not_allowed, ViolationCode::affinity_required,
          ViolationCode::affinity_not_allowed, ViolationCode::runtime_class_name_required,
          ViolationCode::runtime_class_name_not_allowed,
          ViolationCode::topology_spread_constraint_not_allowed,
          ViolationCode::scheduling_gate_not_allowed, ViolationCode::resource_claim_not_allowed}) {
      CAPTURE(to_string(code));
      CHECK(codes[code] >= least);
    }
  }
};

constexpr std::array strategies = {MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins,
                                   MergeStrategy::simple_merge};

// Merged policies in each of the two tests below, and pods that each is asked about.
const int rounds = schedpol::testing::times(schedpol::testing::tries(400));
constexpr int pods_each = 50;

/// Without what only helps a person: what would have been permitted.
std::vector<Violation> verdicts(std::vector<Violation> violations) {
  for (Violation& violation : violations) {
    violation.permitted = {};
    violation.detail.clear();
  }
  return violations;
}

TEST_CASE("check says what the plain rules say, over small vocabularies") {
  Generator generate(101);
  Met met;
  for (int round = 0; round < rounds; ++round) {
    const EffectivePolicy effective =
        merge(generate.policies(), strategies[static_cast<std::size_t>(round) % 3]);
    for (int i = 0; i < pods_each; ++i) {
      CAPTURE(round);
      CAPTURE(i);
      const Pod pod = generate.pod();
      const Options options = generate.options();
      const auto violations = verdicts(check(pod, effective, options));
      const auto plain = plain_check(pod, effective, options);
      if (violations != plain) REQUIRE(violations == plain);
      met.count(plain);
    }
  }
  met.require_all(rounds / 2);
}

TEST_CASE("check without options says what it says with the default ones") {
  Generator generate(103);
  WideGenerator generate_wide(104);
  for (int round = 0; round < rounds; ++round) {
    const std::array policies = {generate_wide.policy("a")};
    const EffectivePolicy effective =
        merge(policies, strategies[static_cast<std::size_t>(round) % 3]);
    for (int i = 0; i < 5; ++i) {
      CAPTURE(round);
      CAPTURE(i);
      for (const Pod& pod :
           {generate.pod(), generate_wide.near(generate_wide.pod(), effective.spec())}) {
        const auto violations = verdicts(check(pod, effective));
        const auto plain = plain_check(pod, effective, {});
        if (violations != plain) REQUIRE(violations == plain);
      }
    }
  }
}

TEST_CASE("check says what the plain rules say, over texts of every length and long lists") {
  WideGenerator generate(102);
  Met met;
  for (int round = 0; round < rounds; ++round) {
    std::vector<SchedulingPolicy> policies = {generate.policy("a")};
    if (generate.chance(30)) policies.push_back(generate.policy("b"));
    const EffectivePolicy effective =
        merge(policies, strategies[static_cast<std::size_t>(round) % 3]);
    for (int i = 0; i < pods_each; ++i) {
      CAPTURE(round);
      CAPTURE(i);
      Pod pod = generate.near(generate.pod(), effective.spec());
      Options options = generate.options();
      if (generate.chance(50)) generate.exempt_some(options, pod.spec);
      const auto violations = verdicts(check(pod, effective, options));
      const auto plain = plain_check(pod, effective, options);
      if (violations != plain) REQUIRE(violations == plain);
      met.count(plain);
    }
  }
  met.require_all(rounds / 10);
}

TEST_CASE("a joined default of several required node terms is permitted as the plain rules say") {
  const auto in = [](const char* key, const char* value) {
    return NodeSelectorRequirement{key, NodeSelectorOperator::in, {value}};
  };
  const auto affinity = [](std::vector<NodeSelectorTerm> terms) {
    return Affinity{.node_affinity =
                        NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                         NodeSelector{std::move(terms)}}};
  };
  const NodeSelectorTerm os{.match_expressions = {in("os", "linux")}};
  const NodeSelectorTerm arch{.match_expressions = {in("arch", "amd64")}};
  const NodeSelectorTerm joined{.match_expressions = {in("os", "linux"), in("arch", "amd64")}};
  SchedulingPolicy policy{.metadata = {.name = "a"}};
  policy.spec.defaults.affinity = affinity({os, arch});
  auto& kind = policy.spec.required.affinities.list().node_affinities.list();
  const RequirementPattern zone{.keys = {"zone"}, .operators = any, .values = any};
  kind.required_during_scheduling_ignored_during_execution =
      NodeAffinityRule{{{.match_expressions = {zone}}}};
  const EffectivePolicy effective = merge(std::array{policy});
  for (const auto& terms : std::vector<std::vector<NodeSelectorTerm>>{
           {joined}, {os, arch}, {arch, os}, {joined, joined}, {os}}) {
    const Pod pod{.spec = {.scheduler_name = {}, .affinity = affinity(terms)}};
    for (const auto required : {RequiredAffinity::every_term, RequiredAffinity::present}) {
      Options options;
      options.required_affinity = required;
      CHECK(verdicts(check(pod, effective, options)) == plain_check(pod, effective, options));
    }
  }
}

}  // namespace plain_check_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
