// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/compare.hpp>

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/tries.hpp"
#include "../support/universe.hpp"

#include <schedpol/insight/impl/policy_comparison.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace compare_test {

using namespace schedpol;
using namespace schedpol::scheduling_policy;
using schedpol::testing::every_part;
using schedpol::testing::Generator;
using schedpol::testing::Part;
using schedpol::testing::Universe;

constexpr std::array<MergeStrategy, 3> strategies = {
    MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins, MergeStrategy::simple_merge};

TEST_CASE("what two policies differ on is found for every pair, and on no other") {
  std::array<int, 4> relations{};
  for (const Part part : every_part) {
    const std::vector<PodSpec> pods = Universe::pods(part);
    Universe generate(static_cast<std::uint32_t>(part) + 1, part);
    // Of many pods some where not everything is tried.
    const int pairs = schedpol::testing::times(22);
    const std::size_t step = pairs > 22 ? 1 : 1 + pods.size() / 500;
    for (int i = 0; i < pairs; ++i) {
      const EffectivePolicy before = merge(generate.policies(), strategies[i % 3]);
      const EffectivePolicy after = merge(generate.policies(), strategies[i % 3]);
      Options options_before = generate.options();
      // As often with each strategy and each reading.
      options_before.required_affinity =
          i / 3 % 2 == 0 ? RequiredAffinity::every_term : RequiredAffinity::present;
      const Options options_after = generate.chance(70) ? options_before : generate.options();
      CAPTURE(static_cast<int>(part));
      CAPTURE(i);
      const auto comparison = compare(before, after, options_before, options_after);
      REQUIRE(comparison);
      ++relations[static_cast<std::size_t>(comparison->relation)];
      const bool less = comparison->relation == Relation::stricter ||
                        comparison->relation == Relation::incomparable;
      const bool more = comparison->relation == Relation::looser ||
                        comparison->relation == Relation::incomparable;
      REQUIRE(comparison->allowed_before.has_value() == less);
      REQUIRE(comparison->allowed_after.has_value() == more);
      if (less) {
        CAPTURE(*comparison->allowed_before);
        REQUIRE(admit(*comparison->allowed_before, before, options_before).allowed);
        REQUIRE_FALSE(admit(*comparison->allowed_before, after, options_after).allowed);
      }
      if (more) {
        CAPTURE(*comparison->allowed_after);
        REQUIRE(admit(*comparison->allowed_after, after, options_after).allowed);
        REQUIRE_FALSE(admit(*comparison->allowed_after, before, options_before).allowed);
      }
      if (less && more) continue;
      std::optional<Pod> missed;
      for (std::size_t at = 0; at < pods.size() && !missed; at += step) {
        Pod pod{.spec = pods[at]};
        const bool is_before = admit(pod, before, options_before).allowed;
        const bool is_after = admit(pod, after, options_after).allowed;
        if ((is_before && !is_after && !less) || (is_after && !is_before && !more))
          missed = std::move(pod);
      }
      REQUIRE(missed == std::nullopt);
    }
  }
  for (const int times : relations) CHECK(times > 5);
}

/// Whether all that is allowed before is allowed after.
bool is_within(const Comparison& found) {
  return found.relation == Relation::equivalent || found.relation == Relation::looser;
}

TEST_CASE("law: a comparison is an order of policies, and no pod contradicts it") {
  Generator generate(7);
  int within = 0;
  int wider = 0;
  int differs = 0;
  for (int i = 0; i < schedpol::testing::times(60); ++i) {
    CAPTURE(i);
    // Each often allows what the one before it does, and more.
    std::vector<SchedulingPolicy> policies = generate.policies();
    std::vector<EffectivePolicy> sets;
    for (int step = 0; step < 3; ++step) {
      sets.push_back(merge(policies, strategies[i % 3]));
      if (!policies.empty() && generate.chance(85)) {
        PolicySection& allowed = policies[generate.below(policies.size())].spec.allowed;
        for (int more = 0; more < 4; ++more) generate.widen(allowed);
      } else {
        policies = generate.policies();
      }
    }
    const Options options = generate.options();
    std::array<std::array<Comparison, 3>, 3> found;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        const auto compared = compare(sets[a], sets[b], options, options);
        REQUIRE(compared);
        found[a][b] = *compared;
      }
    for (std::size_t a = 0; a < 3; ++a) {
      REQUIRE(found[a][a] == Comparison{.relation = Relation::equivalent});
      for (std::size_t b = 0; b < 3; ++b) {
        const std::optional<Pod>& lost = found[a][b].allowed_before;
        REQUIRE(lost.has_value() == !is_within(found[a][b]));
        REQUIRE(lost.has_value() == found[b][a].allowed_after.has_value());
        if (lost) {
          CAPTURE(*lost);
          REQUIRE(admit(*lost, sets[a], options).allowed);
          REQUIRE_FALSE(admit(*lost, sets[b], options).allowed);
        }
        for (std::size_t c = 0; c < 3; ++c) {
          if (!is_within(found[a][b]) || !is_within(found[b][c])) continue;
          REQUIRE(is_within(found[a][c]));
          // Where one of the two allows more, so do both together.
          const bool more =
              found[a][b].relation == Relation::looser || found[b][c].relation == Relation::looser;
          REQUIRE((found[a][c].relation == Relation::looser) == more);
          within += a != b && b != c && a != c;
          wider += more && a != b && b != c && a != c;
        }
      }
    }
    for (int tried = 0; tried < 10; ++tried) {
      const Pod pod = generate.pod();
      CAPTURE(pod);
      std::array<bool, 3> allowed;
      for (std::size_t a = 0; a < 3; ++a) allowed[a] = admit(pod, sets[a], options).allowed;
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
          if (!allowed[a] || allowed[b]) continue;
          ++differs;
          REQUIRE_FALSE(is_within(found[a][b]));
        }
    }
  }
  CHECK(within > 20);
  CHECK(wider > 10);
  CHECK(differs > 50);
}

TEST_CASE("too much to tell apart is an error, and policies that decide nothing allow nothing") {
  const auto requiring = [](int count, const std::string& key = "k") {
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    for (int i = 0; i < count; ++i)
      spec.required.tolerations.list().push_back({{key + std::to_string(i)}, any, any, any});
    return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "a"}, .spec = spec}});
  };
  CHECK((*compare(requiring(150), requiring(150))).relation == Relation::equivalent);
  CHECK((*compare(requiring(150), requiring(149))).relation == Relation::incomparable);
  // Of lists that meet all of the one each is held against all of the other.
  const auto compared = compare(requiring(600), requiring(600, "other-"));
  REQUIRE_FALSE(compared);
  CHECK(compared.errors().front().type == ErrorType::too_many);

  const EffectivePolicy some = merge(std::vector<SchedulingPolicy>{restricted()});
  CHECK((*compare({}, EffectivePolicy::ambiguous("a"))).relation == Relation::equivalent);
  CHECK((*compare(some, {})).relation == Relation::stricter);
  CHECK((*compare({}, some)).allowed_after == Pod{});
}

TEST_CASE("wherever a budget is used up there is no answer, and else always the same") {
  // Either side permits expressions that the other does not, and takes many steps to look at.
  const auto permitting = [](const std::string& value) {
    TermPattern term;
    term.match_expressions.list() = {{Texts{"k"}, any, Texts{"both"}}};
    for (int i = 0; i < 40; ++i)
      term.match_expressions.list()[0].values.list().push_back(value + std::to_string(i));
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    spec.allowed.affinities.list()
        .node_affinities.list()
        .required_during_scheduling_ignored_during_execution.list()
        .node_selector_terms = {term};
    return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "a"}, .spec = spec}});
  };
  const EffectivePolicy before = permitting("before");
  const EffectivePolicy after = permitting("after");
  const auto whole = compare(before, after);
  REQUIRE(whole);
  CHECK(whole->relation == Relation::incomparable);
  std::size_t steps = 0;
  for (bool is_over = false; !is_over; steps += 307) {
    CAPTURE(steps);
    schedpol::detail::Budget budget(steps);
    const auto found =
        scheduling_policy::detail::PolicyComparison(before, after, {}, {}, budget).run();
    is_over = !budget.used_up();
    REQUIRE(found.has_value() == is_over);
    if (found) CHECK(*found == *whole);
  }
  CHECK(steps > 1'000);
}

TEST_CASE(
    "a default of several required terms is permitted as it is, and as it is given where each has "
    "to hold") {
  const NodeSelectorRequirement arch{"arch", NodeSelectorOperator::in, {"x"}};
  const NodeSelectorRequirement zone{"zone", NodeSelectorOperator::in, {"a"}};
  const NodeSelectorTerm joined{{arch, zone}, {}};
  const NodeSelectorRequirement other_zone{"zone", NodeSelectorOperator::in, {"b"}};
  const std::vector<NodeSelectorTerm> no_node = {{{zone}, {}}, {{arch, other_zone}, {}}};
  const auto giving = [](std::vector<NodeSelectorTerm> terms) {
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    auto& required = spec.required.affinities.list().node_affinities.list();
    required.required_during_scheduling_ignored_during_execution.list().node_selector_terms = {
        {.match_expressions = {{{"arch"}, any, any}}}};
    spec.defaults.affinity.emplace()
        .node_affinity.emplace()
        .required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
    return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}});
  };
  const Options every;
  const Options present{.required_affinity = RequiredAffinity::present};
  const struct {
    const char* name;
    EffectivePolicy before;
    Options options_before;
    EffectivePolicy after;
    Options options_after;
    Relation relation;
    std::size_t terms;  ///< of the pod that shows it
  } cases[] = {
      {"each of which holds what is required: twice and once", giving({joined, joined}), every,
       giving({joined}), every, Relation::incomparable, 2},
      {"three times and twice", giving({joined, joined, joined}), every, giving({joined, joined}),
       every, Relation::incomparable, 3},
      {"parts in two terms, where each has to hold and where one is enough",
       giving({{{arch}, {}}, {{zone}, {}}}), every, giving({{{arch}, {}}, {{zone}, {}}}), present,
       Relation::incomparable, 1},
      {"the term that they are joined to, and the same alone", giving({{{arch}, {}}, {{zone}, {}}}),
       every, giving({joined}), every, Relation::equivalent, 0},
      {"the joined one and a part of it", giving({joined, {{arch}, {}}}), every, giving({joined}),
       every, Relation::incomparable, 2},
      {"parts of it", giving({{{arch}, {}}, {{arch, zone}, {}}}), every, giving({joined, joined}),
       every, Relation::incomparable, 2},
      {"what no node can meet together, and no default", giving(no_node), every, giving({}), every,
       Relation::equivalent, 0},
      {"what no node can meet together, where one term is enough", giving(no_node), present,
       giving({joined}), present, Relation::incomparable, 2},
      {"once, however it has to hold", giving({joined}), every, giving({joined}), present,
       Relation::looser, 0},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto found = compare(c.before, c.after, c.options_before, c.options_after);
    const auto turned = compare(c.after, c.before, c.options_after, c.options_before);
    REQUIRE(found);
    REQUIRE(turned);
    CHECK(found->relation == c.relation);
    CHECK(turned->allowed_after == found->allowed_before);
    CHECK(turned->allowed_before == found->allowed_after);
    REQUIRE(found->allowed_before.has_value() == (c.terms > 0));
    if (!found->allowed_before) continue;
    const Pod& pod = *found->allowed_before;
    CHECK(admit(pod, c.before, c.options_before).allowed);
    CHECK(!admit(pod, c.after, c.options_after).allowed);
    CHECK(pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution
              ->node_selector_terms.size() == c.terms);
  }
}

/// Says something about a policy that allows nothing but any scheduler.
using Says = void (*)(SchedulingPolicySpec&);

TEST_CASE("two policies differ in one thing, which a pod shows that has no more than it takes") {
  static constexpr auto of_expressions = [](std::vector<RequirementPattern> patterns) {
    return TermPattern{.match_expressions = std::move(patterns)};
  };
  static constexpr auto node_terms = [](PolicySection& rules) -> std::vector<TermPattern>& {
    return rules.affinities.list()
        .node_affinities.list()
        .required_during_scheduling_ignored_during_execution.list()
        .node_selector_terms;
  };
  static constexpr auto zone_and = [](SchedulingPolicySpec& spec, Texts allowed) {
    auto& modes = spec.allowed.affinities.list().pod_affinities.list();
    modes.required_during_scheduling_ignored_during_execution = PodAffinityRule{allowed};
    auto& required = spec.required.affinities.list().pod_affinities.list();
    required.required_during_scheduling_ignored_during_execution = PodAffinityRule{{"zone"}};
  };
  const Toleration given{.key = "k", .value = "v", .effect = TaintEffect::no_execute};
  const struct {
    const char* name;
    Says before;
    Says after;
    Options options;
    Relation relation;
    const char* shows;  ///< the affinity or the first toleration of the pod
  } cases[] = {
      {"one requires a term that the other does not permit",
       [](auto& spec) {
         node_terms(spec.required) = {of_expressions({{{"arch"}, any, any}})};
       },
       [](auto&) {},
       {},
       Relation::incomparable,
       "node affinity required (arch In [other])"},
      {"one takes another operator",
       [](auto& spec) {
         spec.allowed.affinities = any;
         node_terms(spec.required) = {of_expressions({{{"arch"}, any, {"x", "y"}}})};
       },
       [](auto& spec) {
         spec.allowed.affinities = any;
         node_terms(spec.required) = {
             of_expressions({{{"arch"}, {NodeSelectorOperator::in}, {"x", "y"}}})};
       },
       {},
       Relation::stricter,
       "node affinity required (arch NotIn [x, y])"},
      {"one takes in two terms what the other wants in one",
       [](auto& spec) {
         node_terms(spec.required) = {of_expressions({{{"arch"}, any, any}}),
                                      of_expressions({{{"zone"}, any, any}})};
       },
       [](auto& spec) {
         node_terms(spec.required) = {of_expressions({{{"arch"}, any, any}, {{"zone"}, any, any}})};
       },
       {.required_affinity = RequiredAffinity::present},
       Relation::stricter,
       "node affinity required (arch In [other]) | (zone In [other])"},
      {"one permits the second of two keys, too",
       [](auto& spec) {
         node_terms(spec.allowed) = {of_expressions({{{"arch"}, any, any}, {{"zone"}, any, any}})};
       },
       [](auto& spec) {
         node_terms(spec.allowed) = {of_expressions({{{"arch"}, any, any}})};
       },
       {},
       Relation::stricter,
       "node affinity required (zone In [other])"},
      {"one permits a field of the node besides the label that both do",
       [](auto& spec) {
         node_terms(spec.allowed) = {{.match_expressions = {{{"arch"}, any, any}},
                                      .match_fields = {{{"metadata.name"}, any, any}}}};
       },
       [](auto& spec) {
         node_terms(spec.allowed) = {of_expressions({{{"arch"}, any, any}})};
       },
       {},
       Relation::stricter,
       "node affinity required (field metadata.name In [other])"},
      {"one wants a field of the node, the other a label",
       [](auto& spec) {
         spec.allowed.affinities = any;
         node_terms(spec.required) = {{.match_fields = {{{"metadata.name"}, any, any}}}};
       },
       [](auto& spec) {
         spec.allowed.affinities = any;
         node_terms(spec.required) = {of_expressions({{{"metadata.name"}, any, any}})};
       },
       {},
       Relation::incomparable,
       "node affinity required (field metadata.name In [other])"},
      {"one permits a topology key besides the one that both require",
       [](auto& spec) {
         zone_and(spec, {"zone", "host"});
       },
       [](auto& spec) { zone_and(spec, {"zone"}); },
       {},
       Relation::stricter,
       "pod affinity required zone with pods none | host with pods none"},
      {"one requires an expression, any that there is",
       [](auto& spec) { node_terms(spec.required) = {{.match_expressions = any}}; },
       [](auto&) {},
       {},
       Relation::incomparable,
       "node affinity required (other In [other])"},
      {"one permits any key",
       [](auto& spec) {
         node_terms(spec.allowed) = {of_expressions({{any, any, any}})};
       },
       [](auto& spec) {
         node_terms(spec.allowed) = {of_expressions({{{"arch"}, any, any}})};
       },
       {},
       Relation::stricter,
       "node affinity required (other In [other])"},
      {"one requires a toleration, any that there is",
       [](auto& spec) {
         spec.required.tolerations = {{any, any, any, any}};
       },
       [](auto&) {},
       {},
       Relation::incomparable,
       "other=other"},
      {"one permits any toleration",
       [](auto& spec) { spec.allowed.tolerations = any; },
       [](auto&) {},
       {},
       Relation::stricter,
       "other=other"},
      {"one permits tolerations of a key of which one is exempt",
       [](auto& spec) {
         spec.allowed.tolerations = {{{"k"}, any, any, any}};
       },
       [](auto&) {},
       {.exempt = {.tolerations = {given}}},
       Relation::stricter,
       "k=other"},
      {"one gives a toleration, which it permits so",
       [](auto& spec) {
         spec.defaults.tolerations = {
             {.toleration = {.key = "k", .value = "v", .effect = TaintEffect::no_execute}}};
       },
       [](auto&) {},
       {},
       Relation::stricter,
       "k=v:NoExecute"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto of = [](Says says) {
      SchedulingPolicySpec spec;
      spec.allowed.scheduler_names = any;
      says(spec);
      return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}});
    };
    const auto found = compare(of(c.before), of(c.after), c.options, c.options);
    REQUIRE(found);
    CHECK(found->relation == c.relation);
    REQUIRE(found->allowed_before);
    const PodSpec& pod = found->allowed_before->spec;
    CHECK(admit({.spec = pod}, of(c.before), c.options).allowed);
    CHECK_FALSE(admit({.spec = pod}, of(c.after), c.options).allowed);
    std::string shows;
    if (pod.affinity && pod.affinity->node_affinity)
      shows = "node affinity " + to_string(*pod.affinity->node_affinity);
    if (pod.affinity && pod.affinity->pod_affinity)
      shows = "pod affinity " + to_string(*pod.affinity->pod_affinity);
    if (!pod.tolerations.empty()) shows += to_string(pod.tolerations[0]);
    CHECK(shows == c.shows);
  }
}

TEST_CASE("what the options of one side alone exempt tells two policies apart") {
  const struct {
    const char* name;
    Options options;
    PodSpec exempt;
  } cases[] = {
      {"the global default priority class",
       {.global_default_priority_class = "gold"},
       {.priority_class_name = "gold"}},
      {"a pair of the node selector",
       {.exempt = {.node_selector = {{"sandbox", "kata"}}}},
       {.node_selector = {{"sandbox", "kata"}}}},
      {"a toleration",
       {.exempt = {.tolerations = {{.key = "k", .value = "v", .effect = TaintEffect::no_execute}}}},
       {.tolerations = {{.key = "k", .value = "v", .effect = TaintEffect::no_execute}}}},
  };
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  const EffectivePolicy policy =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}});
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto found = compare(policy, policy, c.options, {});
    REQUIRE(found);
    CHECK(found->relation == Relation::stricter);
    CHECK(found->allowed_before == Pod{.spec = c.exempt});
    const auto turned = compare(policy, policy, {}, c.options);
    REQUIRE(turned);
    CHECK(turned->relation == Relation::looser);
    CHECK(turned->allowed_after == Pod{.spec = c.exempt});
  }
}

TEST_CASE("each toleration that is exempt on one side tells two policies apart") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.required.tolerations = {{{"b"}, any, any, any}};
  const auto policy =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}});
  SchedulingPolicySpec denies_b = spec;
  denies_b.required = {};
  const auto without =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = denies_b}});
  // The second of two, of which the first is of no matter.
  const Options options{.exempt = {.tolerations = {{.key = "a"}, {.key = "b", .value = "v"}}}};
  const auto found = compare(without, without, {}, options);
  REQUIRE(found);
  CHECK(found->relation == Relation::looser);
  const auto meets = compare(policy, without, {}, options);
  REQUIRE(meets);
  REQUIRE(meets->allowed_after);
  CHECK(admit(*meets->allowed_after, without, options).allowed);
}

TEST_CASE("each thing more that is exempt is a difference, which a pod with it shows") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = {"default-scheduler"};
  const auto policy =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}});
  const Toleration spot{.key = "spot", .operator_ = TolerationOperator::exists};
  const Toleration gpu{.key = "gpu", .operator_ = TolerationOperator::exists};
  const SchedulingCriteria blue{.scheduler_name = "blue"};
  const SchedulingCriteria green{.scheduler_name = "green"};
  const SchedulingCriteria here{.node_name = "here"};
  const SchedulingCriteria there{.node_name = "there"};
  const struct {
    const char* name;
    Options before;
    Options after;
    PodSpec shows;
  } cases[] = {
      {"a scheduler", {}, {.exempt = blue}, {.scheduler_name = "blue"}},
      {"another scheduler",
       {.exempt_criteria = {blue}},
       {.exempt_criteria = {blue, green}},
       {.scheduler_name = "green"}},
      {"a node", {}, {.exempt = here}, {.node_name = "here"}},
      {"another node",
       {.exempt_criteria = {here}},
       {.exempt_criteria = {here, there}},
       {.node_name = "there"}},
      {"another pair of the node selector",
       {.exempt = {.node_selector = {{"a", "1"}}}},
       {.exempt = {.node_selector = {{"a", "1"}, {"b", "2"}}}},
       {.node_selector = {{"b", "2"}}}},
      {"another pair of the same key",
       {.exempt_criteria = {{{.node_selector = {{"a", "1"}}}}}},
       {.exempt_criteria = {{{.node_selector = {{"a", "1"}}}}, {{.node_selector = {{"a", "2"}}}}}},
       {.node_selector = {{"a", "2"}}}},
      {"another toleration",
       {.exempt = {.tolerations = {spot}}},
       {.exempt = {.tolerations = {spot, gpu}}},
       {.tolerations = {gpu}}},
      {"a pair that is added",
       {.added_to_pods = {.node_selector = {{"a", "1"}}}},
       {.added_to_pods = {.node_selector = {{"a", "1"}, {"b", "2"}}}},
       {.node_selector = {{"b", "2"}}}},
      {"a toleration that is added",
       {.added_to_pods = {.tolerations = {spot}}},
       {.added_to_pods = {.tolerations = {spot, gpu}}},
       {.tolerations = {gpu}}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto found = compare(policy, policy, c.before, c.after);
    REQUIRE(found);
    CHECK(found->relation == Relation::looser);
    REQUIRE(found->allowed_after);
    CHECK(found->allowed_after->spec == c.shows);
    const auto turned = compare(policy, policy, c.after, c.before);
    REQUIRE(turned);
    CHECK(turned->relation == Relation::stricter);
    CHECK(turned->allowed_before == found->allowed_after);
  }
}

TEST_CASE("of tolerations that one side exempts, one that it does not keeps its default away") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.required.tolerations = {
      {{"k"}, {TolerationOperator::equal}, {"v"}, {TaintEffect::no_execute}}};
  SchedulingPolicySpec there;
  there.allowed = {.scheduler_names = any, .tolerations = any};
  there.required.tolerations = {{{"d"}, any, any, any}};
  there.defaults.tolerations = {{.toleration = {.key = "d"}}};
  const Toleration exempt{.key = "k", .value = "v", .effect = TaintEffect::no_execute};
  const Options options{.exempt = {.tolerations = {exempt}}};
  const auto of = [](const SchedulingPolicySpec& from) {
    return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = from}});
  };
  CHECK(admit({.spec = {.tolerations = {exempt}}}, of(spec)).allowed);
  CHECK(admit({.spec = {.tolerations = {exempt}}}, of(there), options).allowed);
  const auto found = compare(of(spec), of(there), {}, options);
  REQUIRE(found);
  REQUIRE(found->allowed_before);
  REQUIRE(found->allowed_before->spec.tolerations.size() == 1);
  Toleration other = exempt;
  other.toleration_seconds = 1;
  CHECK(found->allowed_before->spec.tolerations[0] == other);
}

TEST_CASE(
    "where the default tolerations are denied, pods with tolerations of their own are allowed") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.allowed.tolerations = {{.keys = any, .operators = any, .values = any, .effects = any}};
  spec.defaults.tolerations = {
      {.toleration = {.key = "k", .operator_ = OpenEnum<TolerationOperator>("Like")}}};
  const auto of = [](const SchedulingPolicySpec& from) {
    return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = from}});
  };
  const EffectivePolicy before = of(spec);
  spec.allowed.node_selectors = any;
  const EffectivePolicy after = of(spec);
  REQUIRE_FALSE(admit({}, after).allowed);
  const Options exempt{.exempt = {.tolerations = {{.key = "e"}}}};
  for (const Options& options : {Options{}, exempt}) {
    const auto found = compare(before, after, options, options);
    REQUIRE(found);
    CHECK(found->relation == Relation::looser);
    REQUIRE(found->allowed_after);
    CHECK(admit(*found->allowed_after, after, options).allowed);
    CHECK_FALSE(admit(*found->allowed_after, before, options).allowed);
  }
}

/// What a policy says of one sort of item in either mode, and what the options exempt of it.
template <class Patterns, class Term, class Preferred>
struct Sayings {
  AnyOr<Patterns> required{};
  AnyOr<Patterns> required_preferred{};
  AnyOr<Patterns> allowed{};
  AnyOr<Patterns> allowed_preferred{};
  std::vector<Term> given{};
  std::vector<Preferred> given_preferred{};
  std::vector<Term> exempt{};
  std::vector<Preferred> exempt_preferred{};
};
using OfNodes = Sayings<std::vector<TermPattern>, NodeSelectorTerm, PreferredSchedulingTerm>;
using OfPods = Sayings<Texts, PodAffinityTerm, WeightedPodAffinityTerm>;

struct OfTolerations {
  std::vector<TolerationPattern> required{};
  AnyOr<std::vector<TolerationPattern>> allowed{};
  std::vector<DefaultToleration> given{};
  std::vector<Toleration> exempt{};
  std::vector<Toleration> added{};
};

struct PolicyAndOptions {
  SchedulingPolicySpec spec{.allowed = {.scheduler_names = any}};
  Options options{};
};

NodeAffinity affinity_of(const std::vector<NodeSelectorTerm>& required,
                         const std::vector<PreferredSchedulingTerm>& preferred) {
  NodeAffinity made{.preferred_during_scheduling_ignored_during_execution = preferred};
  if (!required.empty())
    made.required_during_scheduling_ignored_during_execution = NodeSelector{required};
  return made;
}
PodAffinity affinity_of(const std::vector<PodAffinityTerm>& required,
                        const std::vector<WeightedPodAffinityTerm>& preferred) {
  return {required, preferred};
}

template <class Kind, class Rule, class Says>
PolicyAndOptions of_kind(const Says& says, std::optional<Kind> Affinity::*kind,
                         AnyOr<AffinityModes<Rule>> AffinityRules::*rules) {
  PolicyAndOptions made;
  const auto list = [&](PolicySection& section, const auto& required, const auto& preferred) {
    if (required.is_absent() && preferred.is_absent()) return;
    const auto fill = [](AnyOr<Rule>& mode, const auto& listed) {
      if (listed.is_any()) mode = any;
      if (listed.is_listed()) mode = Rule{listed.listed()};
    };
    AffinityModes<Rule>& modes = (section.affinities.list().*rules).list();
    fill(modes.required_during_scheduling_ignored_during_execution, required);
    fill(modes.preferred_during_scheduling_ignored_during_execution, preferred);
  };
  list(made.spec.required, says.required, says.required_preferred);
  list(made.spec.allowed, says.allowed, says.allowed_preferred);
  if (!says.given.empty() || !says.given_preferred.empty())
    made.spec.defaults.affinity.emplace().*kind = affinity_of(says.given, says.given_preferred);
  made.options.exempt.affinity.emplace().*kind = affinity_of(says.exempt, says.exempt_preferred);
  return made;
}
PolicyAndOptions of(const OfNodes& says) {
  return of_kind(says, &Affinity::node_affinity, &AffinityRules::node_affinities);
}
PolicyAndOptions of(const OfPods& says) {
  return of_kind(says, &Affinity::pod_affinity, &AffinityRules::pod_affinities);
}
PolicyAndOptions of(const OfTolerations& says) {
  PolicyAndOptions made;
  if (!says.required.empty()) made.spec.required.tolerations = says.required;
  made.spec.allowed.tolerations = says.allowed;
  if (!says.given.empty()) made.spec.defaults.tolerations = says.given;
  made.options.exempt.tolerations = says.exempt;
  made.options.added_to_pods.tolerations = says.added;
  return made;
}

/// Compares them in either order, and asks `admit` about the pods that are shown.
void check_relation(const PolicyAndOptions& before, const PolicyAndOptions& after,
                    Relation relation) {
  const auto merged = [](const PolicyAndOptions& from) {
    return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = from.spec}});
  };
  const EffectivePolicy first = merged(before);
  const EffectivePolicy second = merged(after);
  const auto found = compare(first, second, before.options, after.options);
  const auto turned = compare(second, first, after.options, before.options);
  REQUIRE(found);
  REQUIRE(turned);
  CHECK(found->relation == relation);
  CHECK(turned->allowed_after.has_value() == found->allowed_before.has_value());
  CHECK(turned->allowed_before.has_value() == found->allowed_after.has_value());
  if (found->allowed_before) {
    CHECK(admit(*found->allowed_before, first, before.options).allowed);
    CHECK_FALSE(admit(*found->allowed_before, second, after.options).allowed);
  }
  if (found->allowed_after) {
    CHECK(admit(*found->allowed_after, second, after.options).allowed);
    CHECK_FALSE(admit(*found->allowed_after, first, before.options).allowed);
  }
}

NodeSelectorRequirement is_x(const std::string& key) {
  return {key, NodeSelectorOperator::in, {"x"}};
}
TermPattern some_of(const std::string& key) {
  return {.match_expressions = {{Texts{key}, any, any}}};
}

TEST_CASE("what is exempt or given of node affinity tells two policies apart") {
  const NodeSelectorTerm a{{is_x("a")}, {}};
  const NodeSelectorTerm b{{is_x("b")}, {}};
  const NodeSelectorTerm c{{is_x("c")}, {}};
  const NodeSelectorTerm both{{is_x("a"), is_x("b")}, {}};
  const NodeSelectorTerm field_a{{}, {is_x("a")}};
  const NodeSelectorTerm field_b{{}, {is_x("b")}};
  const NodeSelectorTerm both_fields{{}, {is_x("a"), is_x("b")}};
  const TermPattern a_in_x{.match_expressions = {{{"a"}, {NodeSelectorOperator::in}, {"x"}}}};
  const NodeSelectorTerm a_in_nothing{{{"a", NodeSelectorOperator::in, {}}}, {}};
  const NodeSelectorTerm a_exists{{{"a", NodeSelectorOperator::exists, {}}}, {}};
  const TermPattern both_keys{.match_expressions = {{{"a"}, any, any}, {{"b"}, any, any}}};
  const struct {
    const char* name;
    OfNodes before;
    OfNodes after;
    Relation relation;
  } cases[] = {
      {"an expression", {.exempt = {a}}, {}, Relation::stricter},
      {"the second of a term", {.exempt = {both}}, {.exempt = {a}}, Relation::stricter},
      {"the first of a term", {.exempt = {both}}, {.exempt = {b}}, Relation::stricter},
      {"a second term", {.exempt = {a, b}}, {.exempt = {a}}, Relation::stricter},
      {"a first term", {.exempt = {a, b}}, {.exempt = {b}}, Relation::stricter},
      {"a field", {.exempt = {field_a}}, {}, Relation::stricter},
      {"the second field", {.exempt = {both_fields}}, {.exempt = {field_a}}, Relation::stricter},
      {"the first field", {.exempt = {both_fields}}, {.exempt = {field_b}}, Relation::stricter},
      {"an empty term", {.exempt = {{}}}, {}, Relation::stricter},
      {"a preferred term", {.exempt_preferred = {{1, a}}}, {}, Relation::stricter},
      {"a second preferred term",
       {.exempt_preferred = {{1, a}, {1, b}}},
       {.exempt_preferred = {{1, a}}},
       Relation::stricter},
      {"a first preferred term",
       {.exempt_preferred = {{1, a}, {1, b}}},
       {.exempt_preferred = {{1, b}}},
       Relation::stricter},
      {"a preferred term of that weight alone",
       {.exempt_preferred = {{1, a}, {2, a}}},
       {.allowed_preferred = {a_in_x}, .exempt_preferred = {{1, a}, {2, a}}},
       Relation::looser},
      {"two together, of which one is permitted and one given",
       {.exempt = {both}},
       {.allowed = {some_of("b")}, .given = {a}},
       Relation::incomparable},
      {"the first of two that are given together",
       {.allowed = {some_of("b")}, .exempt = {both}},
       {.allowed = {some_of("b")}, .given = {both}},
       Relation::stricter},
      {"the second of two that are given together",
       {.allowed = {some_of("a")}, .exempt = {both}},
       {.allowed = {some_of("a")}, .given = {both}},
       Relation::stricter},
      {"one of two preferred terms that are given together",
       {.allowed_preferred = {some_of("b")}, .exempt_preferred = {{1, a}, {1, b}}},
       {.allowed_preferred = {some_of("b")}, .given_preferred = {{1, a}, {1, b}}},
       Relation::stricter},
      {"what is given with what is exempt in its term",
       {.required = {some_of("b")}, .given = {a}, .exempt = {b}},
       {.required = {some_of("b")}, .given = {a}},
       Relation::stricter},
      {"what is given beside an empty term",
       {.allowed = {some_of("b")}, .given = {a}, .exempt = {{}}},
       {.allowed = {some_of("b")}, .given = {a}},
       Relation::stricter},
      {"a field that is exempt in what is given",
       {.required = {{.match_fields = {{{"b"}, any, any}}}}, .given = {a}, .exempt = {field_b}},
       {.required = {{.match_fields = {{{"b"}, any, any}}}}, .given = {a}},
       Relation::stricter},
      {"two preferred terms that are given, with what is exempt",
       {.allowed_preferred = {some_of("c")},
        .given_preferred = {{1, a}, {1, b}},
        .exempt_preferred = {{1, c}}},
       {.allowed_preferred = {some_of("c")}, .given_preferred = {{1, a}, {1, b}}},
       Relation::stricter},
      {"a preferred term beside each that is required",
       {.required_preferred = {some_of("a"), some_of("b")}, .exempt_preferred = {{1, c}}},
       {.allowed_preferred = {some_of("a"), some_of("b")}},
       Relation::incomparable},
      {"a preferred term beside what both require",
       {.required_preferred = {some_of("a"), some_of("b")}, .exempt_preferred = {{1, c}}},
       {.required_preferred = {some_of("a"), some_of("b")}},
       Relation::stricter},
      {"preferred terms that are given, besides",
       {.given_preferred = {{1, a}}},
       {},
       Relation::stricter},
      {"one term that is given, and the same twice",
       {.given = {a}},
       {.given = {a, a}},
       Relation::incomparable},
      {"an expression that is exempt, with its value twice",
       {.allowed = {a_in_x, some_of("c")}, .exempt = {a}},
       {.allowed = {some_of("c")}, .exempt = {a}},
       Relation::stricter},
      {"the second of two that are exempt, with its value twice",
       {.allowed = {a_in_x, some_of("c")}, .exempt = {a_in_nothing, a}},
       {.allowed = {some_of("c")}, .exempt = {a_in_nothing, a}},
       Relation::stricter},
      {"a term with a key that nobody lists but `other`",
       {.allowed = {{.match_expressions = {{any, any, any}}}}},
       {.allowed = {some_of("other")}},
       Relation::stricter},
      {"a term with a key that nobody lists, `other` not being the first",
       {.allowed = {{.match_expressions = {{any, any, any}}}}},
       {.allowed = {some_of("a"), some_of("other")}},
       Relation::stricter},
      {"two required terms, one of fields",
       {.required = {{.match_fields = any}}},
       {.required = {some_of("a")}},
       Relation::incomparable},
      {"an expression that is exempt beside what both require",
       {.required = {some_of("b")}, .exempt = {a}},
       {.required = {some_of("b")}},
       Relation::stricter},
      {"an expression that is exempt over there beside what both require",
       {.required = {some_of("a")}},
       {.required = {some_of("a")}, .exempt = {b}},
       Relation::looser},
      {"a field that is exempt over there beside what both require",
       {.required = {some_of("a")}},
       {.required = {some_of("a")}, .exempt = {field_a}},
       Relation::looser},
      {"what is given, with what is required in its term",
       {.required = {some_of("a")}},
       {.required = {some_of("a")}, .given = {b}, .exempt = {a}},
       Relation::looser},
      {"what is given, with both that are required in its term",
       {.required = {both_keys}},
       {.required = {both_keys}, .given = {c}, .exempt = {a, b}},
       Relation::looser},
      {"what is given beside an empty term, in fields",
       {.given = {field_a}, .exempt = {{}}},
       {.allowed = {{}}, .given = {field_a}},
       Relation::stricter},
      {"what meets what is required, where it is given with what is exempt",
       {.required = {some_of("c")}, .given = {b}, .exempt = {{{is_x("a"), is_x("c")}, {}}}},
       {.required = {some_of("c")}, .exempt = {a}},
       Relation::stricter},
      {"two terms that are given, with what is exempt in both",
       {.allowed = {{.match_expressions = any}}},
       {.required = {{.match_expressions = any}}, .given = {{}, field_a}, .exempt = {a}},
       Relation::incomparable},
      {"an expression that is exempt and is the one that meets what is required",
       {.required = {{.match_expressions = {{{"a"}, {NodeSelectorOperator::exists}, any}}}},
        .exempt = {{{is_x("a"), {"a", NodeSelectorOperator::not_in, {"y"}}}, {}}}},
       {.allowed = {{.match_expressions =
                         {{any, {NodeSelectorOperator::in, NodeSelectorOperator::exists}, any}}}}},
       Relation::incomparable},
      {"an expression that is exempt in the second term and is the one that meets what is required",
       {.required = {{.match_expressions = {{{"a"}, {NodeSelectorOperator::exists}, any}}}},
        .exempt = {{{is_x("d")}, {}}, a_exists}},
       {.allowed = {{.match_expressions = {{{"a"}, {NodeSelectorOperator::in}, any}}}}},
       Relation::incomparable},
      {"a field that is exempt in the second term",
       {.required = {some_of("a")}, .exempt = {{}, field_a}},
       {.allowed = {some_of("a")}},
       Relation::incomparable},
      {"expressions without values, one of which is exempt",
       {.allowed = {{.match_expressions = {{{"a"}, any, {}}}}},
        .exempt = {{{{"b", NodeSelectorOperator::exists, {}}}, {}}}},
       {.exempt = {{{{"b", NodeSelectorOperator::exists, {}}}, {}}}},
       Relation::stricter},
      {"a preferred expression beside a preferred field, which the other side requires so",
       {.required_preferred =
            {{.match_expressions = {{{"a"}, {NodeSelectorOperator::exists}, any}}},
             {.match_fields = {{{"a"}, any, any}}}}},
       {.required_preferred = {{.match_fields = {{{"a"},
                                                  {NodeSelectorOperator::in,
                                                   NodeSelectorOperator::exists},
                                                  any}}}},
        .allowed_preferred = any},
       Relation::incomparable},
      {"preferred terms, which the other side requires of another value and of another operator",
       {.allowed_preferred = {some_of("a"), {.match_fields = {{{"a"}, any, any}}}}},
       {.required_preferred = {{.match_expressions = {{{"a"}, any, {"x"}}}},
                               {.match_fields = {{{"a"}, {NodeSelectorOperator::exists}, any}}}},
        .allowed_preferred = {{.match_fields = {{{"b"}, any, any}}}}},
       Relation::incomparable},
      {"of two fields that are required one, of another value",
       {.required = {{.match_fields = {{{"a"}, any, any}, {{"b"}, any, {"x"}}}}}, .allowed = any},
       {.required = {{.match_fields = {{{"b"}, any, any}, {{"a"}, any, any}}}}},
       Relation::incomparable},
      {"a key without values beside one that is exempt",
       {.allowed = {{.match_expressions = {{{"a", "b"}, {NodeSelectorOperator::exists}, {}}}},
                    some_of("c")}},
       {.allowed = {some_of("c")}, .exempt = {a_exists}},
       Relation::stricter},
      {"a key without values beside one that is exempt and not the first",
       {.allowed = {{.match_expressions = {{{"a", "b"}, {NodeSelectorOperator::exists}, {}}}},
                    some_of("c")},
        .exempt = {{{is_x("d")}, {}}}},
       {.allowed = {some_of("c")}, .exempt = {{{is_x("d"), a_exists.match_expressions[0]}, {}}}},
       Relation::stricter},
      {"any value, and no value or that which is called `other`",
       {.allowed = {some_of("a")}},
       {.allowed = {{.match_expressions = {{{"a"}, any, {"other"}}, {{"a"}, any, {}}}}}},
       Relation::stricter},
      {"a preferred expression beside one that is exempt where it is required",
       {.allowed = {a_in_x},
        .allowed_preferred =
            {{.match_expressions = {{{"a"}, {NodeSelectorOperator::not_in}, {"x"}}}}, some_of("c")},
        .exempt = {a}},
       {.allowed = {a_in_x}, .allowed_preferred = {some_of("c")}},
       Relation::stricter},
      {"the second field that is exempt, which meets what is required",
       {.required = {{.match_expressions = {{{"a"}, any, {"x"}}},
                      .match_fields = {{{"a"}, any, {}}}}},
        .given = {{{{"a", NodeSelectorOperator::in, {"y"}}}, {}}},
        .exempt = {{{}, {is_x("a"), a_exists.match_expressions[0]}}, a}},
       {.required = {{.match_expressions = {{{"a"}, any, {"x"}}},
                      .match_fields = {{{"a"}, any, any}}}}},
       Relation::incomparable},
      {"a preferred term that is given once, twice",
       {.allowed_preferred = {some_of("b"), some_of("c")}},
       {.allowed_preferred = {some_of("c")},
        .given_preferred = {{1, {{{"b", NodeSelectorOperator::in, {"other"}}}, {}}}}},
       Relation::stricter},
      {"of two terms that are required one, of another key",
       {.required_preferred = {{.match_expressions = {{any, any, any}}}, some_of("a")}},
       {.required_preferred = {{.match_expressions = {{{"a", "b"}, any, any}}}}},
       Relation::incomparable},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    for (const RequiredAffinity required :
         {RequiredAffinity::every_term, RequiredAffinity::present}) {
      if (required == RequiredAffinity::present && !each.before.required.is_absent()) continue;
      PolicyAndOptions before = of(each.before);
      PolicyAndOptions after = of(each.after);
      before.options.required_affinity = after.options.required_affinity = required;
      check_relation(before, after, each.relation);
    }
  }
}

TEST_CASE("where one term is enough what is exempt or given tells two policies apart, too") {
  const NodeSelectorTerm a{{is_x("a")}, {}};
  const NodeSelectorTerm b{{is_x("b")}, {}};
  const NodeSelectorTerm a_in_y{{{"a", NodeSelectorOperator::in, {"y"}}}, {}};
  const struct {
    const char* name;
    OfNodes before;
    OfNodes after;
  } cases[] = {
      {"what is exempt alone",
       {.required = {{.match_expressions = any}}, .allowed = any, .given = {a}},
       {.exempt = {{{}, {is_x("a")}}}}},
      {"what is given beside what is exempt",
       {.required = {some_of("a")}},
       {.required = {{.match_expressions = {{{"a"}, any, {"y"}}}}},
        .given = {b, a},
        .exempt = {a_in_y}}},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    PolicyAndOptions before = of(each.before);
    PolicyAndOptions after = of(each.after);
    before.options.required_affinity = after.options.required_affinity = RequiredAffinity::present;
    check_relation(before, after, Relation::incomparable);
  }
}

TEST_CASE("what is exempt or given of pod affinity tells two policies apart") {
  const PodAffinityTerm a{.topology_key = "a"};
  const PodAffinityTerm b{.topology_key = "b"};
  const PodAffinityTerm b_of_other{.namespaces = {"other"}, .topology_key = "b"};
  const struct {
    const char* name;
    OfPods before;
    OfPods after;
    Relation relation;
  } cases[] = {
      {"a term", {.exempt = {a}}, {}, Relation::stricter},
      {"a second term", {.exempt = {a, b}}, {.exempt = {a}}, Relation::stricter},
      {"a first term", {.exempt = {a, b}}, {.exempt = {b}}, Relation::stricter},
      {"a preferred term", {.exempt_preferred = {{1, a}}}, {}, Relation::stricter},
      {"a term of that sort, and every one of its key",
       {.exempt = {b}},
       {.allowed = {"b"}, .exempt = {b}},
       Relation::looser},
      {"two terms of other namespaces, and every one of their key",
       {.exempt = {b, b_of_other}},
       {.allowed = {"b"}, .exempt = {b, b_of_other}},
       Relation::looser},
      {"a preferred term of that weight, and every one of its key",
       {.exempt_preferred = {{1, b}}},
       {.allowed_preferred = {"b"}, .exempt_preferred = {{1, b}}},
       Relation::looser},
      {"preferred terms of two weights, and every one of their key",
       {.exempt_preferred = {{1, b}, {2, b}}},
       {.allowed_preferred = {"b"}},
       Relation::looser},
      {"two together, of which one is permitted and one given",
       {.exempt = {a, b}},
       {.allowed = {"b"}, .given = {a}},
       Relation::incomparable},
      {"the first of two that are given together",
       {.allowed = {"b"}, .exempt = {a, b}},
       {.allowed = {"b"}, .given = {a, b}},
       Relation::stricter},
      {"the second of two that are given together",
       {.allowed = {"a"}, .exempt = {a, b}},
       {.allowed = {"a"}, .given = {a, b}},
       Relation::stricter},
      {"what is given beside what is exempt",
       {.allowed = {"b"}, .given = {a}, .exempt = {b}},
       {.allowed = {"b"}, .given = {a}},
       Relation::stricter},
      {"what is required beside what is exempt",
       {.required = {"a"}, .exempt = {b}},
       {.required = {"a"}},
       Relation::stricter},
      {"a preferred term beside what is required",
       {.required_preferred = {"a"}, .exempt_preferred = {{1, b}}},
       {.required_preferred = {"a"}},
       Relation::stricter},
      {"of two that are permitted twice that one which is given once",
       {.allowed = {"a"}},
       {.given = {a}},
       Relation::stricter},
      {"the one that is given, beside which the other may stand",
       {.required = {"a"}, .allowed = {"b"}},
       {.required = {"a"}, .given = {a, b}},
       Relation::incomparable},
      {"what one side requires of what it permits",
       {.required = {"b"}, .allowed = {"a", "c"}},
       {.allowed = {"a", "b", "c"}},
       Relation::looser},
      {"what either requires of what both permit",
       {.required = {"b", "c"}},
       {.required = {"a", "b"}, .allowed = {"c"}},
       Relation::incomparable},
      {"a key that nobody lists", {.allowed = any}, {.allowed = {"other"}}, Relation::stricter},
      {"a key that nobody lists, beside one of two that are required",
       {.required = {"a", "b"}},
       {.required = {"a"}, .allowed = any},
       Relation::incomparable},
      {"a preferred term that is given beside those that are exempt, as to pods without any",
       {.required_preferred = {"a"},
        .given_preferred = {{1, a}},
        .exempt_preferred = {{1, b}, {1, a}}},
       {.exempt_preferred = {{1, b}, {1, a}}},
       Relation::stricter},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    check_relation(of(each.before), of(each.after), each.relation);
  }
}

TEST_CASE("what is given of one kind of affinity gives nothing of the others") {
  PolicyAndOptions before = of(OfPods{.allowed = {"b"}});
  PolicyAndOptions after = of(OfPods{});
  const NodeAffinity given = affinity_of({{{is_x("a")}, {}}}, {});
  before.spec.defaults.affinity = after.spec.defaults.affinity = Affinity{.node_affinity = given};
  check_relation(before, after, Relation::stricter);
}

Toleration equals(const std::string& key, const std::string& value) {
  return {.key = key, .operator_ = TolerationOperator::equal, .value = value};
}

TEST_CASE("what is exempt or given of tolerations tells two policies apart") {
  const TolerationPattern k{{"k"}, any, any, any};
  const TolerationPattern m{{"m"}, any, any, any};
  const TolerationPattern n{{"n"}, any, any, any};
  Toleration denied = equals("d", "");
  denied.operator_ = OpenEnum<TolerationOperator>("Like");
  Toleration for_ever = equals("k", "x");
  for_ever.effect = TaintEffect::no_execute;
  Toleration for_one_second = for_ever;
  for_one_second.toleration_seconds = 1;
  const struct {
    const char* name;
    OfTolerations before;
    OfTolerations after;
    Relation relation;
  } cases[] = {
      {"the default of one meets what both require",
       {.required = {k},
        .given = {{equals("k", "x")}},
        .exempt = {equals("k", "z"), equals("k", "u")}},
       {.required = {k}, .allowed = any, .exempt = {equals("k", "y"), equals("k", "u")}},
       Relation::incomparable},
      {"all that one side exempts of what the other requires, where its default is denied",
       {.required = {k, m}, .exempt = {equals("k", "w")}},
       {.allowed = any,
        .given = {{denied}},
        .exempt = {equals("k", "x"), equals("m", "x"), equals("p", "x")}},
       Relation::incomparable},
      {"what one side exempts without what the other requires, which its default gives",
       {.required = {k, m, n},
        .given = {{equals("k", "z")}},
        .exempt = {equals("m", "x"), equals("n", "x"), equals("k", "y")}},
       {.required = {k}, .allowed = any},
       Relation::incomparable},
      {"a second toleration that keeps the default away which the other side requires",
       {.allowed = {k, m}, .given = {{denied}}, .exempt = {equals("e", "x")}},
       {.required = {k}, .allowed = any, .given = {{equals("k", "x")}}},
       Relation::incomparable},
      {"what is added to pods meets what the default of the other side does",
       {.required = {k}, .allowed = {m}, .added = {equals("k", "x")}},
       {.required = {k}, .allowed = any, .given = {{equals("k", "x")}}},
       Relation::incomparable},
      {"one of other seconds than those that are exempt",
       {.required = {{{"k"}, {TolerationOperator::equal}, {"x"}, {TaintEffect::no_execute}}}},
       {.required = {m},
        .allowed = any,
        .given = {{equals("m", "x")}},
        .exempt = {for_ever, for_one_second}},
       Relation::incomparable},
      {"a second default",
       {.given = {{equals("a", "x")}, {equals("b", "x")}}},
       {.given = {{equals("a", "x")}}},
       Relation::stricter},
      {"any key, and that which is called `other`",
       {.allowed = {{any, any, any, any}}},
       {.allowed = {{{"other"}, any, any, any}}},
       Relation::stricter},
      {"any key, and others, the last of which is called `other`",
       {.allowed = {{any, any, any, any}}},
       {.allowed = {{{"a"}, any, any, any}, {{"other"}, any, any, any}}},
       Relation::stricter},
      {"no value, and either no or another value",
       {.allowed = {{{"k"}, any, {"", "x"}, any}}},
       {.allowed = {{{"k"}, any, {}, any}}},
       Relation::incomparable},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    check_relation(of(each.before), of(each.after), each.relation);
  }
}

TEST_CASE("what is exempt on either side, in pods to which one gives a default that it denies") {
  const TolerationPattern m{{"m"}, any, any, any};
  const TolerationPattern n{{"n"}, any, any, any};
  const TolerationPattern q{{"q"}, any, any, any};
  const TolerationPattern z{{"z"}, any, any, any};
  Toleration denied = equals("d", "");
  denied.operator_ = OpenEnum<TolerationOperator>("Like");
  const struct {
    const char* name;
    OfTolerations before;
    OfTolerations after;
  } cases[] = {
      {"one exempts another of them, the other a third that the one denies",
       {.required = {m, n}, .exempt = {equals("m", "w"), equals("m", "x"), equals("n", "x")}},
       {.allowed = any,
        .given = {{denied}},
        .exempt = {equals("m", "x"), equals("n", "x"), equals("p", "x")}}},
      {"one exempts the first of them alone",
       {.required = {m, n}, .exempt = {equals("m", "w"), equals("m", "x")}},
       {.allowed = any,
        .given = {{denied}},
        .exempt = {equals("m", "x"), equals("n", "x"), equals("p", "x")}}},
      {"a default of the one meets what it requires besides",
       {.required = {m, n, q},
        .allowed = {{z}},
        .given = {{equals("q", "x")}},
        .exempt = {equals("p", "w"), equals("m", "x"), equals("n", "x")}},
       {.allowed = any,
        .given = {{denied}},
        .exempt = {equals("m", "x"), equals("n", "x"), equals("z", "x")}}},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    check_relation(of(each.before), of(each.after), Relation::incomparable);
  }
}

TEST_CASE("the pairs that a default gives tell two policies apart") {
  const auto giving = [](std::optional<Labels> pairs) {
    PolicyAndOptions made;
    if (pairs) made.spec.defaults.node_selector.emplace() = *pairs;
    return made;
  };
  check_relation(giving(Labels{{"a", "x"}}), giving({}), Relation::stricter);
  const PolicyAndOptions both = giving(Labels{{"a", "x"}, {"b", "x"}});
  check_relation(both, giving(Labels{{"a", "x"}}), Relation::stricter);
  check_relation(both, giving(Labels{{"b", "x"}}), Relation::stricter);
}

}  // namespace compare_test
