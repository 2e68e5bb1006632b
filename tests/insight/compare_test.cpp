// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/compare.hpp>

#include "comparisons.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace compare_test {

using namespace comparisons;

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
