// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/nearest_fix.hpp>

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/tries.hpp"
#include "../support/universe.hpp"

#include <schedpol/insight/impl/pod_fixer.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nearest_fix_test {

using namespace schedpol;
using namespace schedpol::scheduling_policy;
using schedpol::testing::every_part;
using schedpol::testing::Generator;
using schedpol::testing::lists_of;
using schedpol::testing::Part;
using schedpol::testing::Random;
using schedpol::testing::Universe;

/// Of what is small enough to find out.
Optional<Fix> find_fix(const Pod& pod, const EffectivePolicy& policy, const Options& options = {}) {
  auto found = nearest_fix(pod, policy, options);
  REQUIRE(found);
  return *std::move(found);
}

/// How many items have to be added, removed or replaced.
template <class List>
std::size_t edits(const List& from, const List& to, std::size_t i = 0, std::size_t j = 0) {
  if (i == from.size()) return to.size() - j;
  if (j == to.size()) return from.size() - i;
  if (from[i] == to[j]) return edits(from, to, i + 1, j + 1);
  return 1 + std::min({edits(from, to, i + 1, j + 1), edits(from, to, i + 1, j),
                       edits(from, to, i, j + 1)});
}

std::vector<NodeSelectorTerm> required(const std::optional<NodeAffinity>& kind) {
  if (!kind || !kind->required_during_scheduling_ignored_during_execution) return {};
  return kind->required_during_scheduling_ignored_during_execution->node_selector_terms;
}

std::size_t edits(const PodSpec& from, const PodSpec& to) {
  std::size_t all = 0;
  schedpol::scheduling_policy::for_each_row([&](const auto& row) {
    if constexpr (std::is_same_v<decltype(row.in_pod), std::string PodSpec::*>)
      all += from.*row.in_pod != to.*row.in_pod;
  });
  for (const auto& [key, value] : from.node_selector) {
    const std::string* other = find_label(to.node_selector, key);
    all += other == nullptr || *other != value;
  }
  for (const auto& [key, value] : to.node_selector) all += !from.node_selector.contains(key);
  all += edits(from.tolerations, to.tolerations);
  const Affinity a = from.affinity.value_or(Affinity{});
  const Affinity b = to.affinity.value_or(Affinity{});
  all += edits(required(a.node_affinity), required(b.node_affinity));
  const auto node = [](const Affinity& affinity) {
    return affinity.node_affinity.value_or(NodeAffinity{})
        .preferred_during_scheduling_ignored_during_execution;
  };
  const auto pod = [](const Affinity& affinity) {
    return affinity.pod_anti_affinity.value_or(PodAffinity{});
  };
  all += edits(node(a), node(b));
  all += edits(pod(a).required_during_scheduling_ignored_during_execution,
               pod(b).required_during_scheduling_ignored_during_execution);
  return all + edits(pod(a).preferred_during_scheduling_ignored_during_execution,
                     pod(b).preferred_during_scheduling_ignored_during_execution);
}

EffectivePolicy effective(SchedulingPolicySpec spec) {
  return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = std::move(spec)}});
}

std::vector<std::string> texts(const std::optional<Fix>& fix) {
  std::vector<std::string> all;
  if (!fix) return {"none"};
  for (const Change& change : fix->changes) all.push_back(message(change));
  return all;
}

TEST_CASE("no allowed pod is nearer than the nearest fix") {
  for (const Part part : every_part) {
    const std::vector<PodSpec> pods = Universe::pods(part);
    Universe generate(static_cast<std::uint32_t>(part) + 10, part);
    int fixed = 0;
    // Of many pods some where not everything is tried.
    const int rounds = schedpol::testing::times(12);
    const std::size_t step = rounds > 12 ? 1 : 1 + pods.size() / 700;
    for (int i = 0; i < rounds; ++i) {
      const EffectivePolicy policy = merge(generate.policies());
      const Options options = generate.options();
      std::vector<const PodSpec*> allowed;
      for (std::size_t at = 0; at < pods.size(); at += step)
        if (admit({.spec = pods[at]}, policy, options).allowed) allowed.push_back(&pods[at]);
      for (int tried = 0; tried < 12; ++tried) {
        const Pod pod{.spec = generate.pick(pods)};
        if (admit(pod, policy, options).allowed) continue;
        CAPTURE(static_cast<int>(part));
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
        for (const PodSpec* other : allowed) fewest = std::min(fewest, edits(pod.spec, *other));
        REQUIRE(fix->changes.size() == fewest);
      }
    }
    CHECK(fixed > 10);
  }
}

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

/// Terms of pod affinity, called after their topology keys.
std::vector<PodAffinityTerm> terms_called(const std::vector<char>& names) {
  std::vector<PodAffinityTerm> terms;
  for (const char name : names) terms.push_back({.topology_key = std::string(1, name)});
  return terms;
}

TEST_CASE("of what is given beside what is exempt, no list is nearer than the one that is taken") {
  Options options;
  PodAffinity& kind = options.exempt.affinity.emplace().pod_affinity.emplace();
  kind.required_during_scheduling_ignored_during_execution = terms_called({'e', 'f'});
  const auto exempt = scheduling_policy::detail::ExemptItems(options).of(&Affinity::pod_affinity);
  const auto beside = [](const std::vector<char>& list, const std::vector<char>& given) {
    std::size_t next = 0;
    for (const char each : list) {
      if (next < given.size() && each == given[next]) {
        ++next;
      } else if (each != 'e' && each != 'f') {
        return false;
      }
    }
    return next == given.size();
  };
  const std::vector<std::vector<char>> lists = lists_of<char>({'a', 'b', 'e', 'f'}, 4);
  for (const auto& given : lists_of<char>({'a', 'b'}, 2)) {
    if (given.empty()) continue;
    std::vector<std::vector<char>> all;
    for (const auto& list : lists)
      if (beside(list, given)) all.push_back(list);
    const std::vector<PodAffinityTerm> given_terms = terms_called(given);
    for (const auto& old : lists_of<char>({'a', 'b', 'e', 'x'}, 4)) {
      schedpol::detail::Budget budget;
      const std::vector<PodAffinityTerm> terms = terms_called(old);
      const auto found =
          scheduling_policy::detail::injected_beside_exempt<PodAffinity, PodAffinityTerm>(
              terms, given_terms, exempt, budget);
      std::vector<char> names;
      for (const PodAffinityTerm& term : found) names.push_back(term.topology_key.at(0));
      REQUIRE(beside(names, given));
      std::size_t fewest = edits(old, names);
      for (const auto& other : all) fewest = std::min(fewest, edits(old, other));
      REQUIRE(edits(old, names) == fewest);
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

TEST_CASE("every fix of any pod is allowed, and an allowed pod needs none") {
  Generator generate(5);
  int fixed = 0;
  for (int i = 0; i < schedpol::testing::times(schedpol::testing::tries(300)); ++i) {
    const EffectivePolicy policy = merge(generate.policies());
    const Options options = generate.options();
    const Pod pod = generate.pod();
    CAPTURE(pod);
    const auto fix = find_fix(pod, policy, options);
    if (admit(pod, policy, options).allowed) {
      REQUIRE(fix);
      CHECK(*fix == Fix{pod, {}});
      continue;
    }
    if (!fix) continue;
    ++fixed;
    CAPTURE(texts(fix));
    REQUIRE(admit(fix->pod, policy, options).allowed);
    REQUIRE_FALSE(fix->changes.empty());
    CHECK(*find_fix(fix->pod, policy, options) == Fix{fix->pod, {}});
  }
  CHECK(fixed > schedpol::testing::at_least(100));
}

TEST_CASE("of as few edits, those that keep more of what the pod says") {
  SchedulingPolicySpec spec;
  spec.allowed = {any, {}, {{"disk", {"ssd"}}}, {}, {}};
  spec.allowed.tolerations = {{.keys = {"gpu"}, .operators = any, .values = any, .effects = any}};
  PodSpec pod;
  pod.priority_class_name = "gold";
  pod.priority = 1000;
  pod.node_selector = {{"disk", "hdd"}};
  pod.tolerations = {{.key = "gpu", .operator_ = TolerationOperator::exists},
                     {.key = "spot", .operator_ = TolerationOperator::exists}};
  CHECK(texts(find_fix({.spec = pod}, effective(spec))) ==
        std::vector<std::string>{"`spec.priorityClassName` cleared", "`spec.priority` cleared",
                                 "`spec.nodeSelector[disk]` cleared",
                                 "`spec.tolerations[1]` cleared"});

  // What is required takes the place of what is not permitted.
  spec.required.node_selectors = {{"disk", {"ssd"}}};
  spec.required.tolerations = {
      {.keys = {"team"}, .operators = any, .values = {"a"}, .effects = any}};
  CHECK(texts(find_fix({.spec = pod}, effective(spec))) ==
        std::vector<std::string>{
            "`spec.priorityClassName` cleared", "`spec.priority` cleared",
            "`spec.nodeSelector[disk]` changed from `hdd` to `ssd`",
            "`spec.tolerations[1]` changed from `spot Exists` to `team=a:NoSchedule`"});

  // Of a term only the expressions go that are not permitted.
  Pod with_term{.kind = PodKind::deployment};
  NodeSelector& selector = with_term.spec.affinity.emplace()
                               .node_affinity.emplace()
                               .required_during_scheduling_ignored_during_execution.emplace();
  selector.node_selector_terms = {
      {.match_expressions = {{"kubernetes.io/arch", NodeSelectorOperator::in, {"arm64"}},
                             {"rack", NodeSelectorOperator::exists, {}}}}};
  CHECK(
      texts(find_fix(with_term, effective(restricted_multiarch_by_affinity().spec))) ==
      std::vector<std::string>{
          "`spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuring"
          "Execution.nodeSelectorTerms[0]` changed from `(kubernetes.io/arch In [arm64] & rack "
          "Exists)` to `(kubernetes.io/arch In [arm64] & kubernetes.io/os In [linux, windows])`"});
}

/// Says one thing about a policy, or about a pod.
using Says = void (*)(SchedulingPolicySpec&);
using Asks = void (*)(PodSpec&);

TEST_CASE("an edit is of the sort that is nearest") {
  static constexpr auto of_key = [](std::string key) {
    return TolerationPattern{{std::move(key)}, any, any, any};
  };
  static constexpr auto exists = [](std::string key) {
    return NodeSelectorRequirement{std::move(key), NodeSelectorOperator::exists, {}};
  };
  static constexpr auto of_expression = [](std::string key) {
    return TermPattern{.match_expressions = {{{std::move(key)}, any, any}}};
  };
  static constexpr auto node_terms = [](PolicySection& rules) -> std::vector<TermPattern>& {
    return rules.affinities.list()
        .node_affinities.list()
        .required_during_scheduling_ignored_during_execution.list()
        .node_selector_terms;
  };
  static constexpr auto term = [](std::initializer_list<const char*> keys) {
    NodeSelectorTerm made;
    for (const char* key : keys) made.match_expressions.push_back(exists(key));
    return made;
  };
  static constexpr auto ask = [](auto& of, std::vector<NodeSelectorTerm> terms) {
    of.affinity.emplace()
        .node_affinity.emplace()
        .required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
  };
  static constexpr auto prefer = [](auto& of, std::initializer_list<const char*> keys) {
    NodeAffinity& kind = of.affinity.emplace().node_affinity.emplace();
    for (const char* key : keys)
      kind.preferred_during_scheduling_ignored_during_execution.push_back({1, term({key})});
  };
  static constexpr auto exempting = [](NodeSelectorTerm own) {
    Options options;
    ask(options.exempt, {std::move(own)});
    return options;
  };
  static const DefaultToleration unreadable{
      .toleration = {.key = "k", .operator_ = OpenEnum<TolerationOperator>("Like")}};
  const struct {
    const char* name;
    Says says;
    Asks asks;
    std::vector<std::string> wanted;
    Options options{};
  } cases[] = {
      {"a scheduler that is allowed",
       [](auto& spec) { spec.allowed.scheduler_names = {"own"}; },
       [](auto&) {},
       {"`spec.schedulerName` set to `own`"}},
      {"where no scheduler is permitted, one that is exempt",
       [](auto& spec) { spec.allowed = {}; },
       [](auto&) {},
       {"`spec.schedulerName` set to `own`"},
       {.exempt = {.scheduler_name = "own"}}},
      {"keys that are required come first",
       [](auto& spec) {
         spec.required.node_selectors = {{"zone", {"a"}}};
       },
       [](auto& pod) {
         pod.node_selector = {{"disk", "hdd"}};
       },
       {"`spec.nodeSelector[zone]` set to `a`", "`spec.nodeSelector[disk]` cleared"}},
      {"a key that is required with any value gets one",
       [](auto& spec) {
         spec.required.node_selectors = {{"disk", any}};
       },
       [](auto&) {},
       {"`spec.nodeSelector[disk]` set to ``"}},
      {"where the default tolerations are denied, any other one is given",
       [](auto& spec) {
         spec.allowed.tolerations = any;
         spec.defaults.tolerations = {unreadable};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `other Exists:NoSchedule`"}},
      {"where the default is denied, the first toleration of those allowed that there is",
       [](auto& spec) {
         spec.allowed.tolerations = {{{}, any, any, any}, of_key("a"), of_key("b")};
         spec.defaults.tolerations = {unreadable};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `a Exists:NoSchedule`"}},
      {"the only one",
       [](auto& spec) {
         spec.allowed.tolerations = {of_key("a")};
         spec.defaults.tolerations = {unreadable};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `a Exists:NoSchedule`"}},
      {"or, where none is allowed, the first of its own that there is",
       [](auto& spec) {
         spec.defaults.tolerations = {
             {.toleration = {.key = "a"}}, unreadable, {.toleration = {.key = "b"}}};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `a=`"}},
      {"after what cannot be read",
       [](auto& spec) {
         spec.defaults.tolerations = {unreadable, {.toleration = {.key = "a"}}};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `a=`"}},
      {"one that is exempt would be given the default besides, which is denied",
       [](auto& spec) {
         spec.required.tolerations = {of_key("k")};
         spec.defaults.tolerations = {unreadable};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `k Exists:NoSchedule for 1s`"},
       {.exempt = {.tolerations = {{.key = "k",
                                    .operator_ = TolerationOperator::exists,
                                    .effect = TaintEffect::no_schedule}}}}},
      {"one that is exempt meets what the default, which is given beside it, does not",
       [](auto& spec) {
         spec.required.tolerations = {of_key("a"), of_key("e")};
         spec.defaults.tolerations = {{.toleration = {.key = "a"}}};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `e=`"},
       {.exempt = {.tolerations = {{.key = "e"}}}}},
      {"and what those of the pod do not, in place of what is not",
       [](auto& spec) {
         spec.required.tolerations = {of_key("a"), of_key("e"), of_key("f")};
         spec.defaults.tolerations = {{.toleration = {.key = "a"}}};
       },
       [](auto& pod) {
         pod.tolerations = {{.key = "e"}, {.key = "spot"}};
       },
       {"`spec.tolerations[1]` changed from `spot=` to `f=`"},
       {.exempt = {.tolerations = {{.key = "e"}, {.key = "f"}}}}},
      {"what is added to the pod meets what is required",
       [](auto& spec) {
         spec.required.tolerations = {of_key("a"), of_key("b")};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `b Exists:NoSchedule`"},
       {.added_to_pods = {.tolerations = {{.key = "a"}}}}},
      {"what is required is added, and not the default given in place of all",
       [](auto& spec) {
         spec.allowed.tolerations = {of_key("b")};
         spec.required.tolerations = {of_key("a")};
         spec.defaults.tolerations = {{.toleration = {.key = "a"}}};
       },
       [](auto& pod) { pod.tolerations = {{.key = "b"}}; },
       {"`spec.tolerations[1]` set to `a Exists:NoSchedule`"}},
      {"of a key with any value a value is tolerated that is listed",
       [](auto& spec) {
         spec.required.tolerations = {{{"a"}, any, {"v"}, any}, of_key("b")};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `b=v:NoSchedule`",
        "`spec.tolerations[1]` set to `a=v:NoSchedule`"}},
      {"each value of an operator is met with that",
       [](auto& spec) {
         spec.required.tolerations = {{{"k"}, {TolerationOperator::lt}, {"1"}, any},
                                      {{"k"}, {TolerationOperator::lt}, {"2"}, any}};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `k Lt 2:NoSchedule`",
        "`spec.tolerations[1]` set to `k Lt 1:NoSchedule`"}},
      {"a requirement of an operator is met with that",
       [](auto& spec) {
         spec.required.tolerations = {{{"k"}, {TolerationOperator::lt}, any, any}};
         spec.allowed.tolerations = {of_key("k")};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `k Lt:NoSchedule`"}},
      {"what is added has its own place, what is replaced that of the pod",
       [](auto& spec) {
         spec.allowed.tolerations = {of_key("a"), of_key("b"), of_key("c")};
         spec.required.tolerations = {of_key("a"), of_key("b"), of_key("c")};
       },
       [](auto& pod) { pod.tolerations = {{.key = "spot"}}; },
       {"`spec.tolerations[0]` changed from `spot=` to `c Exists:NoSchedule`",
        "`spec.tolerations[1]` set to `b Exists:NoSchedule`",
        "`spec.tolerations[2]` set to `a Exists:NoSchedule`"}},
      {"the default meets what would take three",
       [](auto& spec) {
         spec.allowed.tolerations = any;
         spec.required.tolerations = {of_key("a"), of_key("b"), of_key("c")};
         spec.defaults.tolerations = {{.toleration = {.key = "a"}},
                                      {.toleration = {.key = "b"}},
                                      {.toleration = {.key = "c"}}};
       },
       [](auto& pod) { pod.tolerations = {{.key = "spot"}}; },
       {"`spec.tolerations[0]` cleared"}},
      {"each term gets what has to hold in every one",
       [](auto& spec) {
         spec.allowed.affinities = any;
         spec.required.affinities.list()
             .node_affinities.list()
             .required_during_scheduling_ignored_during_execution.list()
             .node_selector_terms = {of_expression("arch")};
       },
       [](auto& pod) {
         pod.affinity.emplace()
             .node_affinity.emplace()
             .required_during_scheduling_ignored_during_execution =
             NodeSelector{{{{exists("a")}, {}}, {{exists("b")}, {}}}};
       },
       {"required[0] changed from `(a Exists)` to `(a Exists & arch In [other])`",
        "required[1] changed from `(b Exists)` to `(b Exists & arch In [other])`"}},
      {"what is not permitted becomes what has to hold in every term, though another holds it",
       [](auto& spec) { node_terms(spec.required) = {of_expression("arch")}; },
       [](auto& pod) {
         ask(pod, {term({"rack"}), term({"arch"})});
       },
       {"required[0] changed from `(rack Exists)` to `(arch In [other])`"}},
      {"where one term has to hold it, the first that is not permitted does",
       [](auto& spec) {
         node_terms(spec.required) = {of_expression("arch")};
         node_terms(spec.allowed) = {of_expression("zone")};
       },
       [](auto& pod) {
         ask(pod, {term({"zone"}), term({"rack"}), term({"zone"}), term({"disk"})});
       },
       {"required[1] changed from `(rack Exists)` to `(arch In [other])`", "required[3] cleared"},
       {.required_affinity = RequiredAffinity::present}},
      {"empty terms that are exempt stay, though nothing of the mode is permitted",
       [](auto&) {},
       [](auto& pod) {
         ask(pod, {{}, {}, term({"disk"})});
       },
       {"required[2] cleared"},
       exempting({})},
      {"what the terms of the default are given as where each has to hold stays",
       [](auto& spec) {
         node_terms(spec.required) = {of_expression("arch")};
         ask(spec.defaults, {term({"arch"}), term({"zone"})});
       },
       [](auto& pod) {
         ask(pod, {term({"arch", "zone"}), term({"disk"})});
       },
       {"required[1] cleared"}},
      {"where one term has to hold it, an exempt one stays beside what is given",
       [](auto& spec) {
         node_terms(spec.required) = {of_expression("arch")};
         ask(spec.defaults, {term({"arch", "zone"})});
       },
       [](auto& pod) {
         ask(pod, {term({"arch", "zone"}), term({"own"}), term({"disk"})});
       },
       {"required[2] cleared"},
       [] {
         Options options = exempting(term({"own"}));
         options.required_affinity = RequiredAffinity::present;
         return options;
       }()},
      {"but goes where each has to",
       [](auto& spec) {
         node_terms(spec.required) = {of_expression("arch")};
         ask(spec.defaults, {term({"arch", "zone"})});
       },
       [](auto& pod) {
         ask(pod, {term({"arch", "zone", "own"}), term({"own"}), term({"disk"})});
       },
       {"required[1] cleared", "required[2] cleared"},
       exempting(term({"own"}))},
      {"what is given with something exempt in it stays, twice as well",
       [](auto& spec) {
         node_terms(spec.required) = {of_expression("arch")};
         ask(spec.defaults, {term({"arch", "zone"})});
       },
       [](auto& pod) {
         ask(pod, {term({"arch", "zone", "own"}), term({"arch", "zone", "own"}), term({"disk"})});
       },
       {"required[2] cleared"},
       exempting(term({"own"}))},
      {"of a term that holds what is given, that and what is exempt stay in their order",
       [](auto& spec) {
         ask(spec.defaults, {term({"arch"}), term({"zone"})});
       },
       [](auto& pod) {
         ask(pod, {term({"own", "disk", "arch"}), term({"zone", "own"})});
       },
       {"required[0] changed from `(own Exists & disk Exists & arch Exists)` to `(own Exists & "
        "arch "
        "Exists)`"},
       exempting(term({"own"}))},
      {"and what is exempt, beside what is given and missing",
       [](auto& spec) {
         ask(spec.defaults, {term({"arch"}), term({"zone"})});
       },
       [](auto& pod) {
         ask(pod, {term({"own"}), term({"arch"}), term({"disk"})});
       },
       {"required[2] changed from `(disk Exists)` to `(zone Exists)`"},
       exempting(term({"own"}))},
      {"a preferred term that is exempt stays beside those that are given",
       [](auto& spec) { prefer(spec.defaults, {"arch"}); },
       [](auto& pod) {
         prefer(pod, {"arch", "own", "disk"});
       },
       {"preferred[2] cleared"},
       [] {
         Options options;
         prefer(options.exempt, {"own"});
         return options;
       }()},
      {"of several exempt pod terms the one is added that is required",
       [](auto& spec) {
         spec.required.affinities.list()
             .pod_affinities.list()
             .required_during_scheduling_ignored_during_execution.list()
             .topology_keys = {"f"};
         spec.defaults.affinity.emplace()
             .pod_affinity.emplace()
             .required_during_scheduling_ignored_during_execution = terms_called({'b'});
       },
       [](auto& pod) {
         pod.affinity.emplace()
             .pod_affinity.emplace()
             .required_during_scheduling_ignored_during_execution = terms_called({'b', 'x'});
       },
       {"podAffinity required[1] changed from `x with pods none` to `f with pods none`"},
       [] {
         Options options;
         options.exempt.affinity.emplace()
             .pod_affinity.emplace()
             .required_during_scheduling_ignored_during_execution = terms_called({'e', 'f'});
         return options;
       }()},
      {"any term of a kind",
       [](auto& spec) { spec.required.affinities.list().node_affinities = any; },
       [](auto&) {},
       {"preferred[0] set to `()`"}},
      {"of pod terms that are not permitted one gets a key that is required, others go",
       [](auto& spec) {
         spec.required.affinities.list()
             .pod_affinities.list()
             .required_during_scheduling_ignored_during_execution.list()
             .topology_keys = {"zone"};
       },
       [](auto& pod) {
         PodAffinity& asked = pod.affinity.emplace().pod_affinity.emplace();
         for (const char* key : {"a", "b"})
           asked.required_during_scheduling_ignored_during_execution.push_back(
               {.topology_key = key});
       },
       {"podAffinity required[0] cleared",
        "podAffinity required[1] changed from `b with pods none` to `zone with pods none`"}},
      {"of a preferred term, too, only what is not permitted goes",
       [](auto& spec) {
         spec.allowed.affinities.list()
             .node_affinities.list()
             .preferred_during_scheduling_ignored_during_execution.list()
             .node_selector_terms = {of_expression("arch")};
       },
       [](auto& pod) {
         pod.affinity.emplace()
             .node_affinity.emplace()
             .preferred_during_scheduling_ignored_during_execution = {
             {7, {{exists("arch"), exists("rack")}, {}}}};
       },
       {"preferred[0] changed from `(arch Exists & rack Exists)` to `(arch Exists)`"}},
      {"what the default gives stays, though nothing else permits it",
       [](auto& spec) {
         PodAffinity& given = spec.defaults.affinity.emplace().pod_affinity.emplace();
         for (const char* key : {"a", "b"})
           given.required_during_scheduling_ignored_during_execution.push_back(
               {.topology_key = key});
       },
       [](auto& pod) {
         PodAffinity& asked = pod.affinity.emplace().pod_affinity.emplace();
         for (const char* key : {"a", "b", "c"})
           asked.required_during_scheduling_ignored_during_execution.push_back(
               {.topology_key = key});
       },
       {"podAffinity required[2] cleared"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    c.says(spec);
    Pod pod;
    c.asks(pod.spec);
    const auto fix = find_fix(pod, effective(spec), c.options);
    std::vector<std::string> said;
    for (std::string& text : texts(fix)) {
      for (const auto& [whole, part] : {std::pair{"`spec.affinity.nodeAffinity.", ""},
                                        {"`spec.affinity.podAffinity.", "podAffinity "},
                                        {"DuringSchedulingIgnoredDuringExecution", ""},
                                        {".nodeSelectorTerms", ""}})
        if (const auto at = text.find(whole); at != std::string::npos)
          text.replace(at, std::string(whole).size(), part);
      if (!text.starts_with("`")) text.erase(text.find('`'), 1);
      said.push_back(std::move(text));
    }
    CHECK(said == c.wanted);
    if (fix) CHECK(admit(fix->pod, effective(spec), c.options).allowed);
  }
}

TEST_CASE("the fix of a default's terms keeps those that are exempt, or makes one of them") {
  bool preferred = false;
  const auto terms = [&](const std::vector<const char*>& keys) {
    std::optional<Affinity> affinity;
    for (const char* key : keys) {
      if (!affinity) affinity.emplace().pod_anti_affinity.emplace();
      PodAffinity& kind = *affinity->pod_anti_affinity;
      const PodAffinityTerm term{.topology_key = key};
      if (preferred) {
        kind.preferred_during_scheduling_ignored_during_execution.push_back({1, term});
      } else {
        kind.required_during_scheduling_ignored_during_execution.push_back(term);
      }
    }
    return affinity;
  };
  const struct {
    const char* name;
    std::vector<const char*> given, required, asked;
    const char* exempt;
    std::vector<const char*> fixed;
    std::size_t edits;
  } cases[] = {
      {"exempt between the given", {"a", "b"}, {}, {"a", "e", "x"}, "e", {"a", "e", "b"}, 1},
      {"one that was given twice", {"a"}, {}, {"a", "a", "e"}, "e", {"a", "e"}, 1},
      {"exempt terms alone are no default", {"a", "b"}, {}, {"b", "e", "a"}, "e", {"e"}, 2},
      {"an exempt term meets what is required", {"b"}, {"e"}, {"b", "b"}, "e", {"e", "b"}, 1},
      {"before the given", {"b"}, {"e"}, {"x", "b"}, "e", {"e", "b"}, 1},
      {"behind the given", {"b"}, {"e"}, {"b", "x"}, "e", {"b", "e"}, 1},
  };
  for (const bool mode : {false, true}) {
    preferred = mode;
    for (const auto& c : cases) {
      CAPTURE(c.name);
      CAPTURE(preferred);
      SchedulingPolicySpec spec;
      spec.allowed.scheduler_names = any;
      spec.defaults.affinity = terms(c.given);
      if (!c.required.empty()) {
        auto& modes = spec.required.affinities.list().pod_anti_affinities.list();
        (preferred ? modes.preferred_during_scheduling_ignored_during_execution
                   : modes.required_during_scheduling_ignored_during_execution)
            .list()
            .topology_keys = {c.required.front()};
      }
      Options options;
      options.exempt.affinity = terms({c.exempt});
      const Pod pod{.spec = {.affinity = terms(c.asked)}};
      REQUIRE_FALSE(admit(pod, effective(spec), options).allowed);
      const auto fix = find_fix(pod, effective(spec), options);
      REQUIRE(fix);
      CHECK(admit(fix->pod, effective(spec), options).allowed);
      CHECK(fix->changes.size() == c.edits);
      CHECK(edits(fix->pod.spec, {.affinity = terms(c.fixed)}) == 0);
    }
  }
}

TEST_CASE("the fix of a default's node terms keeps what is exempt in them and beside them") {
  const auto terms = [](const std::vector<const char*>& names) {
    std::vector<NodeSelectorTerm> made;
    for (const std::string name : names) {
      NodeSelectorTerm& term = made.emplace_back();
      for (const char key : name)
        term.match_expressions.push_back({std::string(1, key), NodeSelectorOperator::exists, {}});
    }
    return made;
  };
  const auto affinity = [&](const std::vector<const char*>& names) {
    Affinity made;
    made.node_affinity.emplace().required_during_scheduling_ignored_during_execution =
        NodeSelector{terms(names)};
    return made;
  };
  const struct {
    const char* name;
    std::vector<const char*> given, asked, fixed;
    std::size_t edits;
  } cases[] = {
      {"a part beside the given", {"a"}, {"a", "e", "ex"}, {"a", "e", "e"}, 1},
      {"one beside a given that is a part of another",
       {"ab", "a"},
       {"ab", "e", "x"},
       {"ab", "e", "a"},
       1},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    spec.defaults.affinity = affinity(c.given);
    Options options;
    options.exempt.affinity = affinity({"e"});
    const auto fix = find_fix({.spec = {.affinity = affinity(c.asked)}}, effective(spec), options);
    REQUIRE(fix);
    CHECK(fix->changes.size() == c.edits);
    CHECK(to_string(*fix->pod.spec.affinity->node_affinity) ==
          to_string(*affinity(c.fixed).node_affinity));
  }
}

TEST_CASE("what is required of each of two keys is met with a toleration of each") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.required.tolerations = {{{"a"}, any, any, any}, {{"b"}, any, any, any}};
  const auto fix =
      find_fix({}, merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}}));
  REQUIRE(fix);
  std::set<std::string> keys;
  for (const Toleration& toleration : fix->pod.spec.tolerations) keys.insert(toleration.key);
  CHECK(keys == std::set<std::string>{"a", "b"});
  CHECK(fix->changes.size() == 2);
}

TEST_CASE("one toleration meets two requirements by whichever key and value they share") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.required.tolerations = {{{"a", "k"}, {TolerationOperator::equal}, {"a", "v"}, any},
                               {{"b", "k"}, {TolerationOperator::equal}, {"b", "v"}, any}};
  CHECK(texts(find_fix({}, effective(spec))) ==
        std::vector<std::string>{"`spec.tolerations[0]` set to `k=v:NoSchedule`"});
}

TEST_CASE("a term of which nothing is permitted goes, where nothing is required of each") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.allowed.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {{.match_expressions = {{{"zone"}, any, any}}}};
  Pod pod;
  const auto exists = [](const char* key) {
    return NodeSelectorTerm{.match_expressions = {{key, NodeSelectorOperator::exists, {}}}};
  };
  pod.spec.affinity.emplace()
      .node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution =
      NodeSelector{{exists("disk"), exists("zone")}};
  const Options every_term{.required_affinity = RequiredAffinity::every_term};
  const auto fix = find_fix(pod, effective(spec), every_term);
  REQUIRE(fix);
  CHECK(texts(fix).size() == 1);
  CHECK(required(fix->pod.spec.affinity->node_affinity) ==
        std::vector<NodeSelectorTerm>{exists("zone")});
}

TEST_CASE("a preferred term that is added weighs 1, one that is changed what it weighed") {
  const auto weights = [](const SchedulingPolicySpec& spec, const Affinity& asked) {
    const auto fix = find_fix({.spec = {.affinity = asked}}, effective(spec));
    std::vector<std::int32_t> all;
    if (!fix || !fix->pod.spec.affinity) return all;
    const auto& [node, pod, anti] = *fix->pod.spec.affinity;
    if (node)
      for (const auto& term : node->preferred_during_scheduling_ignored_during_execution)
        all.push_back(term.weight);
    if (pod)
      for (const auto& term : pod->preferred_during_scheduling_ignored_during_execution)
        all.push_back(term.weight);
    return all;
  };
  const NodeSelectorRequirement rack{"rack", NodeSelectorOperator::exists, {}};
  const Affinity nodes{.node_affinity = NodeAffinity{{}, {{7, {{rack}, {}}}}}};
  const Affinity pods{.pod_affinity = PodAffinity{{}, {{7, {.topology_key = "rack"}}}}};
  for (const bool is_permitted : {true, false}) {
    CAPTURE(is_permitted);
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    if (is_permitted) spec.allowed.affinities = any;
    auto& required = spec.required.affinities.list();
    required.node_affinities.list()
        .preferred_during_scheduling_ignored_during_execution.list()
        .node_selector_terms = {{.match_expressions = {{Texts{"arch"}, any, any}}}};
    CHECK(weights(spec, {}) == std::vector<std::int32_t>{1});
    CHECK(weights(spec, nodes) == (is_permitted ? std::vector{7, 1} : std::vector{7}));
    required = {};
    required.pod_affinities.list()
        .preferred_during_scheduling_ignored_during_execution.list()
        .topology_keys = {"zone"};
    CHECK(weights(spec, {}) == std::vector<std::int32_t>{1});
    CHECK(weights(spec, pods) == (is_permitted ? std::vector{7, 1} : std::vector{7}));
  }
}

TEST_CASE("of an affinity nothing stays of which nothing is left, and all that is not edited") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  Pod pod;
  pod.spec.affinity.emplace()
      .pod_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = terms_called({'a'});
  auto fix = find_fix(pod, effective(spec));
  REQUIRE(fix);
  CHECK(fix->pod == Pod{});
  pod.spec.affinity->node_affinity.emplace();
  fix = find_fix(pod, effective(spec));
  REQUIRE(fix);
  pod.spec.affinity->pod_affinity.reset();
  CHECK(fix->pod == pod);
}

TEST_CASE("what the API server derives from a priority class goes with it") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  Pod pod;
  pod.spec.priority_class_name = "gold";
  pod.spec.priority = 1000;
  pod.spec.preemption_policy = "Never";
  const auto fix = find_fix(pod, effective(spec));
  REQUIRE(fix);
  CHECK(fix->pod == Pod{});
  CHECK(fix->changes.size() == 3);
}

TEST_CASE("of a long list no more is edited than of a short one") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.allowed.tolerations = {{{"k"}, any, any, any}};
  Pod pod;
  pod.spec.tolerations.resize(502, {.key = "k"});
  for (const std::size_t i : {0, 1, 501}) pod.spec.tolerations[i].key = "bad";
  CHECK(texts(find_fix(pod, effective(spec))) ==
        std::vector<std::string>{"`spec.tolerations[0]` cleared", "`spec.tolerations[1]` cleared",
                                 "`spec.tolerations[501]` cleared"});
}

TEST_CASE("what takes too much to find out is an error, and no fix that might not be the nearest") {
  const auto requiring = [](std::size_t count, const Texts& more_keys) {
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    for (std::size_t i = 0; i < count; ++i) {
      Texts keys = more_keys;
      keys.push_back("k" + std::to_string(i));
      spec.required.tolerations.list().push_back({std::move(keys), any, any, any});
    }
    return effective(spec);
  };
  // One toleration may meet them all.
  CHECK((*find_fix({}, requiring(max_fixed_requirements, {"all"}))).changes.size() == 1);
  // Nor is it too much for a pod that meets most.
  Pod most;
  for (int i = 1; i < 30; ++i) most.spec.tolerations.push_back({.key = "k" + std::to_string(i)});
  CHECK((*find_fix(most, requiring(30, {}))).changes.size() == 1);
  const auto many = nearest_fix({}, requiring(max_fixed_requirements + 1, {"all"}));
  REQUIRE_FALSE(many);
  CHECK(many.errors().front().type == ErrorType::too_many);
  // Lists of which each has to be compared with each.
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.allowed.tolerations = {{{"k"}, any, any, any}};
  const auto with = [&](std::size_t count) {
    Pod pod;
    for (std::size_t i = 0; i < count; ++i)
      pod.spec.tolerations.push_back({.key = i % 2 == 0 ? "k" : "bad", .value = std::to_string(i)});
    return nearest_fix(pod, effective(spec));
  };
  CHECK((**with(1'000)).changes.size() == 500);
  CHECK_FALSE(with(3'700));
}

TEST_CASE("what has to be looked at uses up a budget that is smaller") {
  const struct {
    const char* name;
    void (*says)(SchedulingPolicySpec&, Options&);
    Asks asks;
    std::size_t steps;
  } cases[] = {
      {"the entries of a policy",
       [](auto& spec, auto&) {
         for (int i = 0; i < 1'000; ++i)
           spec.allowed.priority_class_names.list().push_back(std::to_string(i));
       },
       [](auto&) {}, 6'000},
      {"and once more those of a component that is fixed",
       [](auto& spec, auto&) {
         for (int i = 0; i < 1'000; ++i)
           spec.allowed.priority_class_names.list().push_back(std::to_string(i));
       },
       [](auto& pod) { pod.priority_class_name = "other"; }, 18'000},
      {"the items of a pod", [](auto& spec, auto&) { spec.allowed.tolerations = any; },
       [](auto& pod) { pod.tolerations.resize(1'000); }, 6'000},
      {"each toleration against each that is left",
       [](auto& spec, auto&) {
         spec.allowed.tolerations = {{{"k"}, any, any, any}};
       },
       [](auto& pod) {
         for (int i = 0; i < 600; ++i)
           pod.tolerations.push_back({.key = i % 2 == 0 ? "k" : "bad", .value = std::to_string(i)});
       },
       600 * 300},
      {"lists of what is given with one exempt term more, at any place of it",
       [](auto& spec, auto& options) {
         const auto terms = [](std::size_t count, std::optional<Affinity>& affinity) {
           affinity.emplace()
               .pod_affinity.emplace()
               .required_during_scheduling_ignored_during_execution.resize(count);
         };
         terms(300, spec.defaults.affinity);
         terms(1'000, options.exempt.affinity);
       },
       [](auto& pod) {
         pod.affinity.emplace()
             .pod_affinity.emplace()
             .required_during_scheduling_ignored_during_execution = terms_called({'a'});
       },
       1'000'000},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    Options options;
    c.says(spec, options);
    Pod pod;
    c.asks(pod.spec);
    const EffectivePolicy policy = effective(spec);
    schedpol::detail::Budget budget(c.steps);
    CHECK_FALSE(scheduling_policy::detail::PodFixer(pod, policy, options, budget).run());
    CHECK(budget.used_up());
  }
}

TEST_CASE("wherever a budget is used up there is no fix, and else always the same") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = {"own"};
  spec.allowed.priority_class_names = {"gold"};
  spec.required.node_selectors = {{"disk", {"ssd"}}};
  spec.required.tolerations = {{{"a"}, any, any, any}, {{"b"}, any, any, any}};
  auto& kinds = spec.required.affinities.list();
  kinds.node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {{.match_expressions = {{Texts{"arch"}, any, any}}}};
  spec.defaults.affinity.emplace()
      .pod_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = terms_called({'a', 'b'});
  Pod pod;
  pod.spec.priority_class_name = "silver";
  pod.spec.tolerations = {{.key = "spot"}};
  Affinity& asked = pod.spec.affinity.emplace();
  asked.pod_affinity.emplace().required_during_scheduling_ignored_during_execution =
      terms_called({'b', 'x'});
  Options options;
  options.exempt.affinity.emplace()
      .pod_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = terms_called({'e'});
  const EffectivePolicy policy = effective(spec);
  const auto whole = find_fix(pod, policy, options);
  REQUIRE(whole);
  CHECK(whole->changes.size() == 8);
  std::size_t steps = 0;
  for (bool is_over = false; !is_over; steps += 19) {
    CAPTURE(steps);
    schedpol::detail::Budget budget(steps);
    const auto fix = scheduling_policy::detail::PodFixer(pod, policy, options, budget).run();
    is_over = !budget.used_up();
    REQUIRE(fix.has_value() == is_over);
    if (fix) CHECK(*fix == *whole);
  }
  CHECK(steps > 1'000);
}

TEST_CASE("there is no fix where nothing is permitted, or what is required is not") {
  CHECK_FALSE(find_fix({}, {}));
  CHECK_FALSE(find_fix({}, EffectivePolicy::ambiguous("a")));
  CHECK_FALSE(
      find_fix({.spec = {.scheduler_name = "own"}}, {}, {.exempt = {.scheduler_name = "own"}}));
  CHECK_FALSE(find_fix({}, effective({})));
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  CHECK(find_fix({}, effective(spec)));
  spec.required.tolerations = {{.keys = {}, .operators = any, .values = any, .effects = any}};
  CHECK_FALSE(find_fix({}, effective(spec)));
  // A pattern of terms that says nothing is met by none.
  SchedulingPolicySpec of_terms;
  of_terms.allowed = schedpol::scheduling_policy::detail::everything();
  Pod pod;
  const Pod taken = std::move(pod);
  CHECK(find_fix(taken, effective(of_terms)));
  CHECK_FALSE(find_fix(pod, effective(of_terms)));  // NOLINT(bugprone-use-after-move)
  of_terms.required.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {{}};
  CHECK_FALSE(find_fix({}, effective(of_terms)));
}

}  // namespace nearest_fix_test
