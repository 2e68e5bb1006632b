// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/nearest_fix.hpp>

#include "fixes.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nearest_fix_lists_test {

using namespace fixes;

using schedpol::testing::lists_of;
using schedpol::testing::Random;

/// A list as changes make it.
template <class T>
std::vector<T> changed(const std::vector<T>& from,
                       const std::vector<scheduling_policy::detail::ListChange<T>>& changes) {
  std::vector<T> to;
  std::size_t i = 0;
  for (const auto& [at, old, now] : changes) {
    while (old ? i < at : to.size() < at) to.push_back(from.at(i++));
    if (old) REQUIRE(from.at(i++) == *old);
    if (now) to.push_back(*now);
  }
  while (i < from.size()) to.push_back(from[i++]);
  return to;
}

TEST_CASE("the edits between two lists are the fewest, and make the one of the other") {
  const std::vector<std::vector<char>> lists = lists_of<char>({'a', 'b', 'c'}, 4);
  for (const auto& from : lists) {
    for (const auto& to : lists) {
      schedpol::detail::Budget budget;
      const auto changes = scheduling_policy::detail::edits_between(from, to, budget);
      REQUIRE(changes.size() == edits(from, to));
      REQUIRE(changed(from, changes) == to);
    }
  }
}

TEST_CASE("of what is given beside what is exempt, no list is nearer than the one that is taken") {
  Options options;
  PodAffinity& kind = options.exempt.affinity.emplace().pod_affinity.emplace();
  kind.required_during_scheduling_ignored_during_execution = terms_called({'e', 'f'});
  const auto exempt = scheduling_policy::detail::ExemptItems(options).of(&Affinity::pod_affinity);
  const auto is_exempt = [](char name) { return name == 'e' || name == 'f'; };
  const auto beside = [&](const std::vector<char>& list, const std::vector<char>& given) {
    std::size_t next = 0;
    for (const char each : list) {
      while (next < given.size() && given[next] != each && is_exempt(given[next])) ++next;
      if (next < given.size() && each == given[next]) {
        ++next;
      } else if (!is_exempt(each)) {
        return false;
      }
    }
    return std::all_of(given.begin() + static_cast<std::ptrdiff_t>(next), given.end(), is_exempt);
  };
  const std::vector<std::vector<char>> lists = lists_of<char>({'a', 'b', 'e', 'f'}, 4);
  for (const char required : {'b', 'f', 'x', '*'}) {
    const auto meets = [&](char name) { return name == required; };
    for (const auto& given : lists_of<char>({'a', 'b', 'e'}, 2)) {
      const auto is_one = [&](const std::vector<char>& list) {
        return beside(list, given) &&
               (required == '*' || std::any_of(list.begin(), list.end(), meets));
      };
      std::vector<std::vector<char>> all;
      std::copy_if(lists.begin(), lists.end(), std::back_inserter(all), is_one);
      const std::vector<PodAffinityTerm> given_terms = terms_called(given);
      for (const auto& old : lists_of<char>({'a', 'b', 'e', 'x'}, 4)) {
        schedpol::detail::Budget budget;
        const auto find_terms = [&](const auto&... requirement) {
          return scheduling_policy::detail::injected_beside_exempt(terms_called(old), given_terms,
                                                                   exempt, budget, requirement...);
        };
        const auto found = required == '*' ? find_terms() : find_terms([&](const auto& term) {
          return meets(term.topology_key.at(0));
        });
        std::vector<char> names;
        for (const PodAffinityTerm& term : found) names.push_back(term.topology_key.at(0));
        CAPTURE(old);
        CAPTURE(given);
        CAPTURE(required);
        if (all.empty()) {
          REQUIRE(names.empty());
          continue;
        }
        REQUIRE(is_one(names));
        std::size_t fewest = edits(old, names);
        for (const auto& other : all) fewest = std::min(fewest, edits(old, other));
        REQUIRE(edits(old, names) == fewest);
      }
    }
  }
}

/// Of all lists of at most so many items, fixes those that are denied, of which none that is allowed
/// is nearer; says how many.
template <class Item, class Put>
int fix_lists(const std::vector<Item>& items, std::size_t most, Put&& put,
              const EffectivePolicy& policy, const Options& options) {
  using Numbers = std::vector<std::size_t>;
  const auto pod_with = [&](const Numbers& list) {
    Pod pod;
    std::vector<Item> all;
    for (const std::size_t i : list) all.push_back(items[i]);
    if (!all.empty()) put(pod.spec, std::move(all));
    return pod;
  };
  Numbers numbers(items.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::vector<Numbers> allowed;
  std::vector<Numbers> denied;
  for (auto& list : lists_of(numbers, most))
    (admit(pod_with(list), policy, options).allowed ? allowed : denied).push_back(std::move(list));
  int fixed = 0;
  for (const Numbers& list : denied) {
    const Pod pod = pod_with(list);
    CAPTURE(pod);
    const auto fix = find_fix(pod, policy, options);
    CAPTURE(texts(fix));
    if (!fix) {
      REQUIRE(allowed.empty());
      continue;
    }
    ++fixed;
    REQUIRE(admit(fix->pod, policy, options).allowed);
    REQUIRE(fix->changes.size() == edits(pod.spec, fix->pod.spec));
    std::size_t fewest = fix->changes.size();
    for (const Numbers& other : allowed) fewest = std::min(fewest, edits(list, other));
    REQUIRE(fix->changes.size() == fewest);
  }
  return fixed;
}

/// At most so many of some texts, in any order.
Texts some(Random& random, const Texts& texts, std::size_t most) {
  Texts list;
  for (std::size_t i = random.below(most + 1); i > 0; --i)
    list.push_back(texts[random.below(texts.size())]);
  return list;
}

TEST_CASE("of lists of tolerations, given, exempt, added and required, none is nearer") {
  Random random(1);
  const auto of_keys = [](const Texts& keys) {
    std::vector<Toleration> list;
    for (const std::string& key : keys)
      list.push_back({.key = key,
                      .operator_ = TolerationOperator::exists,
                      .effect = TaintEffect::no_schedule});
    return list;
  };
  int fixed = 0;
  for (int i = 0; i < schedpol::testing::times(12); ++i) {
    const Texts allowed = some(random, {"a", "b"}, 2);
    const Texts required = some(random, {"a", "b", "c", "e"}, 2);
    const Texts given = some(random, {"a", "b", "c", "e"}, 3);
    const Texts exempt = some(random, {"c", "e"}, 2);
    const Texts added = some(random, {"b", "e"}, random.below(2));
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    for (const std::string& key : allowed)
      spec.allowed.tolerations.list().push_back({Texts{key}, any, any, any});
    for (const std::string& key : required)
      spec.required.tolerations.list().push_back({Texts{key}, any, any, any});
    for (const Toleration& each : of_keys(given)) {
      if (!spec.defaults.tolerations) spec.defaults.tolerations.emplace();
      spec.defaults.tolerations->push_back({.toleration = each});
    }
    Options options;
    options.exempt.tolerations = of_keys(exempt);
    options.added_to_pods.tolerations = of_keys(added);
    CAPTURE(allowed);
    CAPTURE(required);
    CAPTURE(given);
    CAPTURE(exempt);
    CAPTURE(added);
    fixed += fix_lists(
        of_keys({"a", "b", "c", "e", "x"}), 3,
        [](PodSpec& pod, std::vector<Toleration> list) { pod.tolerations = std::move(list); },
        effective(spec), options);
  }
  CHECK(fixed > 300);
}

TEST_CASE("of lists of pod terms, given, exempt and required, none is nearer") {
  Random random(2);
  int fixed = 0;
  for (int i = 0; i < schedpol::testing::times(8); ++i) {
    const bool is_required = random.chance(50);
    const auto put = [&](std::optional<Affinity>& affinity,
                         const std::vector<WeightedPodAffinityTerm>& terms) {
      if (terms.empty()) return;
      PodAffinity& kind = affinity.emplace().pod_anti_affinity.emplace();
      if (!is_required) kind.preferred_during_scheduling_ignored_during_execution = terms;
      for (const WeightedPodAffinityTerm& term : terms)
        if (is_required)
          kind.required_during_scheduling_ignored_during_execution.push_back(
              term.pod_affinity_term);
    };
    const auto terms_of = [&](const Texts& keys) {
      std::vector<WeightedPodAffinityTerm> terms;
      for (const std::string& key : keys) terms.push_back({1, {.topology_key = key}});
      return terms;
    };
    const auto rule = [&](PolicySection& rules, const Texts& keys) {
      if (keys.empty()) return;
      PodAffinityRules& modes = rules.affinities.list().pod_anti_affinities.list();
      (is_required ? modes.required_during_scheduling_ignored_during_execution
                   : modes.preferred_during_scheduling_ignored_during_execution)
          .list()
          .topology_keys = keys;
    };
    const Texts allowed = some(random, {"a", "b"}, 2);
    const Texts required = some(random, {"c", "e"}, random.below(3));
    const Texts given = some(random, {"a", "b", "b", "e"}, random.below(4));
    const Texts exempt = some(random, {"a", "c", "e", "e"}, 2);
    Options options;
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    rule(spec.allowed, allowed);
    rule(spec.required, required);
    put(spec.defaults.affinity, terms_of(given));
    put(options.exempt.affinity, terms_of(exempt));
    std::vector<WeightedPodAffinityTerm> items = terms_of({"a", "b", "c", "e", "x"});
    items.back().weight = 7;
    CAPTURE(is_required);
    CAPTURE(allowed);
    CAPTURE(required);
    CAPTURE(given);
    CAPTURE(exempt);
    fixed += fix_lists(
        items, 3, [&](PodSpec& pod, const auto& list) { put(pod.affinity, list); }, effective(spec),
        options);
  }
  CHECK(fixed > 500);
}

TEST_CASE("of lists of node terms, given, exempt and required, none is nearer") {
  Random random(3);
  // Each name is that of an expression, but that of a field.
  const auto term = [](const std::string& names) {
    NodeSelectorTerm made;
    for (const char name : names)
      (name == 'f' ? made.match_fields : made.match_expressions)
          .push_back({std::string(1, name), NodeSelectorOperator::exists, {}});
    return made;
  };
  int fixed = 0;
  for (int i = 0; i < schedpol::testing::times(24); ++i) {
    const bool is_required = random.chance(60);
    const auto put = [&](std::optional<Affinity>& affinity,
                         const std::vector<PreferredSchedulingTerm>& terms) {
      if (terms.empty()) return;
      NodeAffinity& kind = affinity.emplace().node_affinity.emplace();
      if (!is_required) {
        kind.preferred_during_scheduling_ignored_during_execution = terms;
        return;
      }
      NodeSelector& selector = kind.required_during_scheduling_ignored_during_execution.emplace();
      for (const PreferredSchedulingTerm& each : terms)
        selector.node_selector_terms.push_back(each.preference);
    };
    const auto terms_of = [&](const Texts& names) {
      std::vector<PreferredSchedulingTerm> terms;
      for (const std::string& each : names) terms.push_back({1, term(each)});
      return terms;
    };
    const auto rule = [&](PolicySection& rules, const Texts& keys) {
      if (keys.empty()) return;
      NodeAffinityRules& modes = rules.affinities.list().node_affinities.list();
      auto& terms = (is_required ? modes.required_during_scheduling_ignored_during_execution
                                 : modes.preferred_during_scheduling_ignored_during_execution)
                        .list()
                        .node_selector_terms;
      for (const std::string& key : keys)
        terms.push_back({.match_expressions = {{Texts{key}, any, any}}});
    };
    const Texts allowed = some(random, {"a", "c"}, 2);
    const Texts required = some(random, {"a", "b"}, random.below(3));
    const Texts given = some(random, {"a", "b", "ab", "ac", "bf"}, 2);
    const Texts exempt = some(random, {"e", "e", "ef", ""}, 2);
    Options options;
    if (random.chance(30)) options.required_affinity = RequiredAffinity::present;
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    rule(spec.allowed, allowed);
    rule(spec.required, required);
    put(spec.defaults.affinity, terms_of(given));
    put(options.exempt.affinity, terms_of(exempt));
    // Several are given in any order only beside what is exempt.
    std::vector<PreferredSchedulingTerm> items =
        terms_of(given.size() > 1 && !exempt.empty()
                     ? Texts{"ae", "be", "abe", "e", "ace", "bef", "xe", "xaef"}
                     : Texts{"a", "b", "ab", "c", "e", "ae", "bf", "x", ""});
    items.back().weight = 7;
    CAPTURE(is_required);
    CAPTURE(to_string(options.required_affinity));
    CAPTURE(allowed);
    CAPTURE(required);
    CAPTURE(given);
    CAPTURE(exempt);
    fixed += fix_lists(
        items, 2, [&](PodSpec& pod, const auto& list) { put(pod.affinity, list); }, effective(spec),
        options);
  }
  CHECK(fixed > 500);
}

}  // namespace nearest_fix_lists_test
