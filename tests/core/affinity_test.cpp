// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/affinity.hpp>

#include "../support/print.hpp"

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace affinity_test {

using schedpol::Affinity;
using schedpol::has_terms;
using schedpol::LabelSelector;
using schedpol::NodeAffinity;
using schedpol::NodeSelector;
using schedpol::NodeSelectorTerm;
using schedpol::PodAffinity;
using schedpol::PodAffinityTerm;
using schedpol::PodAntiAffinity;
using schedpol::PreferredSchedulingTerm;
using schedpol::Texts;
using schedpol::to_string;
using schedpol::WeightedPodAffinityTerm;
using Op = schedpol::NodeSelectorOperator;

static_assert(std::is_aggregate_v<NodeAffinity>);
static_assert(std::is_aggregate_v<PodAffinity>);
static_assert(std::is_aggregate_v<Affinity>);
static_assert(std::is_aggregate_v<PreferredSchedulingTerm>);
static_assert(std::is_aggregate_v<PodAffinityTerm>);
static_assert(std::is_aggregate_v<WeightedPodAffinityTerm>);
static_assert(std::is_nothrow_move_constructible_v<Affinity>);
static_assert(std::is_nothrow_move_constructible_v<PodAffinityTerm>);
static_assert(std::equality_comparable<Affinity>);
static_assert(std::is_same_v<PodAffinity, PodAntiAffinity>);
static_assert(noexcept(has_terms(std::optional<NodeAffinity>())));
static_assert(noexcept(has_terms(std::optional<PodAffinity>())));

static_assert(schedpol::required_mode == "requiredDuringSchedulingIgnoredDuringExecution");
static_assert(schedpol::preferred_mode == "preferredDuringSchedulingIgnoredDuringExecution");

NodeSelectorTerm disk(Texts values) {
  return {{{"disk", Op::in, std::move(values)}}, {}};
}

PodAffinityTerm spread(std::string topology_key) {
  PodAffinityTerm term;
  term.topology_key = std::move(topology_key);
  return term;
}

/// Terms that differ only where their texts could be confused.
std::vector<PodAffinityTerm> pod_affinity_terms() {
  using Selector = std::optional<LabelSelector>;
  LabelSelector web;
  web.match_labels = {{"app", "web"}};
  const std::vector<Selector> selectors = {std::nullopt, LabelSelector{}, web};
  const std::vector<Texts> lists = {{}, {""}, {"a"}, {"a", "b"}, {"a, b"}};
  const std::vector<std::string> topology_keys = {"",         "zone", "zone with pods none",
                                                  "required", "\\",   "a | b"};
  std::vector<PodAffinityTerm> terms;
  for (const auto& topology_key : topology_keys) {
    for (const auto& pods : selectors) {
      for (const auto& in : selectors) {
        for (const auto& list : lists) {
          PodAffinityTerm term;
          term.topology_key = topology_key;
          term.label_selector = pods;
          term.namespace_selector = in;
          terms.push_back(term);
          if (list.empty()) continue;
          term.namespaces = list;
          terms.push_back(term);
          term.match_label_keys = list;
          terms.push_back(term);
          term.mismatch_label_keys = list;
          terms.push_back(term);
          term.match_label_keys = {};
          terms.push_back(term);
        }
      }
    }
  }
  return terms;
}

/// Whether equal values, and only those, have equal texts.
template <class T>
void check_told_apart(const std::vector<T>& values) {
  std::map<std::string, const T*> value_of;
  for (const T& value : values) {
    const auto [it, inserted] = value_of.emplace(to_string(value), &value);
    CAPTURE(it->first);
    CHECK((*it->second == value));
  }
}

TEST_CASE("node affinity has terms when one of its modes lists any") {
  struct Case {
    std::string name;
    std::optional<NodeAffinity> affinity;
    bool terms;
  };
  const Case cases[] = {
      {"absent", std::nullopt, false},
      {"empty", NodeAffinity{}, false},
      {"a required selector without terms", NodeAffinity{NodeSelector{}, {}}, false},
      {"a required term", NodeAffinity{NodeSelector{{disk({"ssd"})}}, {}}, true},
      {"a required empty term", NodeAffinity{NodeSelector{{{}}}, {}}, true},
      {"a preferred term", NodeAffinity{std::nullopt, {{5, disk({"ssd"})}}}, true},
      {"a preferred empty term", NodeAffinity{std::nullopt, {{}}}, true},
      {"a required selector without terms and a preferred term",
       NodeAffinity{NodeSelector{}, {{5, disk({"ssd"})}}}, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(has_terms(c.affinity) == c.terms);
  }
}

TEST_CASE("a weight that is not given is no weight from 1 to 100") {
  CHECK(WeightedPodAffinityTerm{}.weight == 0);
  CHECK(PreferredSchedulingTerm{}.weight == 0);
}

TEST_CASE("pod affinity has terms when one of its modes lists any") {
  struct Case {
    std::string name;
    std::optional<PodAffinity> affinity;
    bool terms;
  };
  const Case cases[] = {
      {"absent", std::nullopt, false},
      {"empty", PodAffinity{}, false},
      {"a required term", PodAffinity{{spread("zone")}, {}}, true},
      {"a required empty term", PodAffinity{{{}}, {}}, true},
      {"a preferred term", PodAffinity{{}, {{5, spread("zone")}}}, true},
      {"both", PodAffinity{{spread("zone")}, {{5, spread("zone")}}}, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(has_terms(c.affinity) == c.terms);
  }
}

TEST_CASE("node affinity is shown on one line, its terms in their order") {
  struct Case {
    std::string name;
    NodeAffinity affinity;
    std::string text;
  };
  const Case cases[] = {
      {"nothing", {}, ""},
      {"required", {NodeSelector{{disk({"ssd"})}}, {}}, "required (disk In [ssd])"},
      {"two required terms",
       {NodeSelector{{disk({"ssd"}), {}}}, {}},
       "required (disk In [ssd]) | ()"},
      {"preferred",
       {{}, {{5, disk({"ssd"})}, {1, {}}}},
       "preferred 5 (disk In [ssd]), preferred 1 ()"},
      {"both",
       {NodeSelector{{disk({"ssd"})}}, {{5, {{{"zone", Op::exists, {}}}, {}}}}},
       "required (disk In [ssd]), preferred 5 (zone Exists)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(to_string(c.affinity) == c.text);
  }
}

TEST_CASE("pod affinity is shown on one line, its terms in their order") {
  PodAffinityTerm full = spread("kubernetes.io/hostname");
  full.label_selector = LabelSelector{{{"app", "web"}}, {}};
  full.namespaces = {"team-a", "team-b"};
  full.namespace_selector = LabelSelector{};
  full.match_label_keys = {"version"};
  full.mismatch_label_keys = {"tenant"};
  struct Case {
    std::string name;
    PodAffinity affinity;
    std::string text;
  };
  const Case cases[] = {
      {"nothing", {}, ""},
      {"a term with nothing", {{{}}, {}}, "required  with pods none"},
      {"required",
       {{spread("zone"), spread("host")}, {}},
       "required zone with pods none | host with pods none"},
      {"preferred", {{}, {{-1, spread("zone")}}}, "preferred -1 zone with pods none"},
      {"both",
       {{spread("zone")}, {{5, spread("host")}}},
       "required zone with pods none, preferred 5 host with pods none"},
      {"every field of a term",
       {{full}, {}},
       "required kubernetes.io/hostname with pods {app=web} in namespaces [team-a, team-b] in "
       "namespaces with {} of equal [version] of unequal [tenant]"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(to_string(c.affinity) == c.text);
  }
}

TEST_CASE("different pod affinity terms have different texts") {
  check_told_apart(pod_affinity_terms());
}

TEST_CASE("different pod affinities have different texts") {
  const auto terms = pod_affinity_terms();
  std::vector<PodAffinity> affinities = {{}};
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto& first = terms[i];
    const auto& second = terms[(i * 7) % terms.size()];
    affinities.push_back({{first}, {}});
    affinities.push_back({{first, second}, {}});
    affinities.push_back({{}, {{1, first}}});
    affinities.push_back({{}, {{11, first}}});
    affinities.push_back({{first}, {{1, second}}});
    affinities.push_back({{}, {{1, first}, {1, second}}});
  }
  check_told_apart(affinities);
}

TEST_CASE("different node affinities have different texts") {
  const std::vector<NodeSelectorTerm> terms = {
      {},
      disk({}),
      disk({"ssd"}),
      disk({"ssd", "nvme"}),
      disk({"ssd]) | (disk In [nvme"}),
      {{{"disk", Op::exists, {}}, {"zone", Op::exists, {}}}, {}},
      {{{"disk", Op::exists, {}}}, {{"zone", Op::exists, {}}}},
      {{{"), preferred 5 (", Op::exists, {}}}, {}},
  };
  std::vector<NodeAffinity> affinities = {{}};
  for (const auto& first : terms) {
    affinities.push_back({NodeSelector{{first}}, {}});
    affinities.push_back({{}, {{5, first}}});
    affinities.push_back({{}, {{-5, first}}});
    for (const auto& second : terms) {
      affinities.push_back({NodeSelector{{first, second}}, {}});
      affinities.push_back({NodeSelector{{first}}, {{5, second}}});
      affinities.push_back({{}, {{5, first}, {5, second}}});
    }
  }
  check_told_apart(affinities);
}

TEST_CASE("affinities are equal when every kind is") {
  Affinity affinity;
  affinity.node_affinity = NodeAffinity{NodeSelector{{disk({"ssd"})}}, {}};
  Affinity other = affinity;
  CHECK((affinity == other));
  other.node_affinity->required_during_scheduling_ignored_during_execution->node_selector_terms = {
      disk({"nvme"})};
  CHECK((affinity != other));
  Affinity near;
  near.pod_affinity = PodAffinity{{spread("zone")}, {}};
  Affinity far;
  far.pod_anti_affinity = near.pod_affinity;
  CHECK((near != far));
}

}  // namespace affinity_test
