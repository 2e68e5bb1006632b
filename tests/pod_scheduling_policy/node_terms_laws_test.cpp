// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/node.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>

#include "generated_policies.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace node_terms_laws_test {

using namespace generated_policies;

/// A nodeSelector and required terms as one node selector: each pair is one In expression.
NodeSelector asked(const Labels& node_selector, const std::vector<NodeSelectorTerm>& terms) {
  NodeSelector all{terms};
  for (NodeSelectorTerm& term : all.node_selector_terms) {
    if (is_empty(term)) continue;
    for (const auto& [key, value] : node_selector)
      term.match_expressions.push_back({key, NodeSelectorOperator::in, {value}});
  }
  return all;
}

/// Every node meets it.
const NodeSelectorTerm any_node = {
    .match_expressions = {{"any", NodeSelectorOperator::not_in, {"none"}}}};

std::vector<NodeSelectorTerm> required_terms_of(const std::optional<Affinity>& affinity) {
  if (!affinity || !affinity->node_affinity) return {};
  const auto& required =
      affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  return required ? required->node_selector_terms : std::vector<NodeSelectorTerm>();
}

/// Rule 6 of `admit.hpp`: what is asked of nodes as merging sees it, with Exists for Gt and Lt.
NodeSelector merged_as(NodeSelector selector) {
  for (NodeSelectorTerm& term : selector.node_selector_terms)
    for (NodeSelectorRequirement& each : term.match_expressions)
      if (each.operator_ == NodeSelectorOperator::gt || each.operator_ == NodeSelectorOperator::lt)
        each = {each.key, NodeSelectorOperator::exists, {}};
  return selector;
}

/// All that a pod asks of nodes.
NodeSelector asked(const PodSpec& spec) {
  std::vector<NodeSelectorTerm> terms = required_terms_of(spec.affinity);
  if (terms.empty()) terms = {any_node};
  return asked(spec.node_selector, terms);
}

bool holds_some(const NodeSelectorTerm& pod, const std::vector<NodeSelectorTerm>& of_policy) {
  const auto has_all = [](const auto& list, const auto& of) {
    return std::all_of(of.begin(), of.end(), [&](const auto& one) {
      return std::find(list.begin(), list.end(), one) != list.end();
    });
  };
  return std::any_of(of_policy.begin(), of_policy.end(), [&](const NodeSelectorTerm& term) {
    return !is_empty(term) && has_all(pod.match_expressions, term.match_expressions) &&
           has_all(pod.match_fields, term.match_fields);
  });
}

std::vector<Node> some_nodes() {
  std::vector<Node> nodes;
  for (int i = 0; i < 3; ++i) {
    for (const char* a : {"", "1", "2", "3"}) {
      for (const char* b : {"", "1", "2"}) {
        for (const char* c : {"", "1"}) {
          Node node = {.metadata = {.name = "node-" + std::to_string(i)}};
          const std::pair<const char*, std::string> labels[] = {{"a", a}, {"b", b}, {"c", c}};
          for (const auto& [key, value] : labels) {
            if (!value.empty()) node.metadata.labels[key] = value;
          }
          nodes.push_back(std::move(node));
        }
      }
    }
  }
  return nodes;
}

bool meets_any(const std::vector<Node>& nodes, const NodeSelectorTerm& term) {
  const NodeTermsMatcher matcher(std::span(&term, 1));
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const Node& node) { return matcher.matches(node); });
}

/// Labels do not depend on each other: a node meets a term where each key by itself can be met.
bool is_met_by_some_node(const NodeSelectorTerm& term) {
  if (is_empty(term)) return false;
  for (const std::string key : {"a", "b", "c"}) {
    std::vector<Node> nodes(1);
    for (const char* value : {"1", "2", "3"})
      nodes.push_back({.metadata = {.labels = {{key, value}}}});
    NodeSelectorTerm of_key;
    for (const NodeSelectorRequirement& each : term.match_expressions)
      if (each.key == key) of_key.match_expressions.push_back(each);
    if (!is_empty(of_key) && !meets_any(nodes, of_key)) return false;
  }
  std::vector<Node> nodes;
  for (const char* name : {"node-0", "node-1", "node-2", "node-3"})
    nodes.push_back({.metadata = {.name = name}});
  return term.match_fields.empty() || meets_any(nodes, {.match_fields = term.match_fields});
}

bool is_met_by_some_node(const NodeSelector& selector) {
  const auto& terms = selector.node_selector_terms;
  return std::any_of(terms.begin(), terms.end(),
                     [](const NodeSelectorTerm& term) { return is_met_by_some_node(term); });
}

/// What both ask for: each term of the one with each of the other, where a node can meet both.
NodeSelector both(const NodeSelector& a, const NodeSelector& b) {
  NodeSelector both;
  for (const NodeSelectorTerm& of_a : a.node_selector_terms) {
    for (const NodeSelectorTerm& of_b : b.node_selector_terms) {
      if (is_empty(of_a) || is_empty(of_b)) continue;
      NodeSelectorTerm term = of_a;
      term.match_expressions.insert(term.match_expressions.end(), of_b.match_expressions.begin(),
                                    of_b.match_expressions.end());
      term.match_fields.insert(term.match_fields.end(), of_b.match_fields.begin(),
                               of_b.match_fields.end());
      if (is_met_by_some_node(term)) both.node_selector_terms.push_back(std::move(term));
    }
  }
  return both;
}

/// Whether no node meets some term of the pod, which one could meet, and some term of the policy.
bool contradict_in_part(const PodSpec& spec, const Labels& node_selector,
                        const std::vector<NodeSelectorTerm>& of_policy) {
  std::vector<NodeSelectorTerm> terms = required_terms_of(spec.affinity);
  if (terms.empty()) terms = {any_node};
  for (const NodeSelectorTerm& pod : terms) {
    const NodeSelector own = merged_as(asked(node_selector, {pod}));
    if (is_empty(pod) || holds_some(pod, of_policy) || !is_met_by_some_node(own)) continue;
    for (const NodeSelectorTerm& term : of_policy)
      if (!is_empty(term) && !is_met_by_some_node(both(own, merged_as(NodeSelector{{term}}))))
        return true;
  }
  return false;
}

/// A pod that one policy applies to.
struct Step {
  Pod before;
  PodSchedulingPolicy policy;
  Injection injection;
};

/// Of each of several policies that apply to one pod after the other.
template <class F>
void for_each_step(std::uint32_t seed, int count, F&& f) {
  Generator generate(seed);
  for (int round = 0; round < count; ++round) {
    CAPTURE(round);
    Pod pod = generate.pod();
    for (PodSchedulingPolicy& policy : generate.policies()) {
      policy.kind = PolicyKind::pod_scheduling_policy;
      policy.metadata.namespace_ = "team-a";
      policy.spec.pod_selector = LabelSelector{};
      policy.spec.namespace_selector.reset();
      const Step step = {pod, policy, inject(pod, {{.name = "team-a"}}, Policies{policy})};
      REQUIRE(step.injection.errors.empty());
      f(step);
      pod = step.injection.pod;
    }
  }
}

TEST_CASE(
    "law: but for numbers no policy makes a pod that a node can meet into one that none can") {
  Generator generate(5);
  int could = 0;
  int could_not = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    Pod pod = generate.pod();
    if (generate.chance(10)) {
      NodeAffinity& affinity = pod.spec.affinity.emplace().node_affinity.emplace();
      affinity.required_during_scheduling_ignored_during_execution = NodeSelector{{{}}};
    }
    const Injection injection = inject(pod, generate.in(), generate.policies());
    const bool before = is_met_by_some_node(merged_as(asked(pod.spec)));
    REQUIRE(is_met_by_some_node(merged_as(asked(injection.pod.spec))) == before);
    if (injection.changes.empty()) continue;
    ++(before ? could : could_not);
  }
  CHECK(could >= rounds / 3);
  CHECK(could_not >= rounds / 50);
}

TEST_CASE("law: the required terms and what of them is skipped is what some node can meet") {
  const std::vector<Node> nodes = some_nodes();
  int merged = 0;
  int skipped = 0;
  int partly = 0;
  for_each_step(6, rounds / 3, [&](const Step& step) {
    const PodSpec& before = step.before.spec;
    const PodSpec& after = step.injection.pod.spec;
    const std::vector<NodeSelectorTerm> of_policy = required_terms_of(step.policy.spec.affinity);
    NodeSelector now = merged_as(asked(before));
    NodeSelector nodes_of = asked(before);  // with the numbers
    Labels selector = before.node_selector;
    std::vector<FieldPath> wanted;
    for (const auto& [key, value] : step.policy.spec.node_selector) {
      const auto pair =
          NodeSelector{{{.match_expressions = {{key, NodeSelectorOperator::in, {value}}}}}};
      const FieldPath field = FieldPath{"spec", "nodeSelector"}.key(key);
      const auto found = selector.find(key);
      if (found != selector.end()) {
        if (found->second != value) wanted.push_back(field);
        continue;
      }
      const NodeSelector with = both(now, pair);
      if (is_met_by_some_node(now) && !is_met_by_some_node(with)) {
        wanted.push_back(field);
        continue;
      }
      selector.emplace(key, value);
      now = with;
      nodes_of = both(nodes_of, pair);
    }
    REQUIRE(after.node_selector == selector);
    bool all = false;
    if (!of_policy.empty()) {
      const NodeSelector with = both(now, merged_as(NodeSelector{of_policy}));
      // A policy of empty terms is skipped whatever the pod asks for.
      all = std::all_of(of_policy.begin(), of_policy.end(), is_empty) ||
            (is_met_by_some_node(now) && !is_met_by_some_node(with));
      if (all) wanted.push_back(required_path);
      if (!all) nodes_of = both(nodes_of, NodeSelector{of_policy});
    }
    // The same nodes, whatever the terms look like.
    const NodeTermsMatcher expected(nodes_of.node_selector_terms);
    const NodeAffinityMatcher matcher(after);
    std::size_t wrong = 0;
    for (const Node& node : nodes) wrong += expected.matches(node) == matcher.matches(node) ? 0 : 1;
    REQUIRE(wrong == 0);
    // Where only some products are skipped, two terms contradict each other.
    const bool some = !all && contradict_in_part(before, selector, of_policy);
    if (some) wanted.push_back(required_path);
    std::vector<FieldPath> fields;
    for (const Skipped& one : step.injection.skipped) {
      if (one.field == FieldPath{"spec", "nodeName"} ||
          one.field == FieldPath{"spec", "schedulerName"} || one.field == pod_term_paths[0] ||
          one.field == pod_term_paths[1])
        continue;
      fields.push_back(one.field);
      REQUIRE(one.reason.ends_with("; the others are merged") ==
              (some && one.field == required_path));
    }
    REQUIRE(fields == wanted);
    if (of_policy.empty()) return;
    ++(all ? skipped : some ? partly : merged);
  });
  CHECK(merged >= rounds / 10);
  CHECK(skipped >= rounds / 50);
  CHECK(partly >= rounds / 50);
}

/// Rule 4 of `admit.hpp` for terms that do not contradict, word by word; null beyond the limit.
std::optional<std::vector<NodeSelectorTerm>> multiplied(std::vector<NodeSelectorTerm> terms,
                                                        std::vector<NodeSelectorTerm> policy) {
  const auto join = [](auto first, const auto& second) {
    for (const auto& one : second)
      if (std::find(first.begin(), first.end(), one) == first.end()) first.push_back(one);
    return first;
  };
  std::erase_if(policy, [](const NodeSelectorTerm& term) { return is_empty(term); });
  if (policy.empty() || (terms.size() == 1 && is_empty(terms[0]))) return terms;
  std::vector<NodeSelectorTerm> product;
  bool grows = terms.empty();
  if (terms.empty()) product = policy;
  for (const NodeSelectorTerm& pod : terms) {
    if (is_empty(pod)) continue;
    if (holds_some(pod, policy)) {
      product.push_back(pod);
      continue;
    }
    grows = true;
    for (const NodeSelectorTerm& term : policy)
      product.push_back({join(term.match_expressions, pod.match_expressions),
                         join(term.match_fields, pod.match_fields)});
  }
  if (grows && product.size() > max_node_selector_terms) return std::nullopt;
  if (product.empty()) product.emplace_back();
  return product;
}

TEST_CASE("law: up to the limit all terms are there, beyond it the pod is as it came") {
  Generator generate(7);
  const auto terms_of = [&](const std::string& prefix, std::size_t size, std::size_t bytes) {
    std::vector<NodeSelectorTerm> terms(size);
    for (std::size_t i = 0; i < size; ++i) {
      if (generate.chance(2)) continue;
      terms[i].match_expressions = {{prefix + std::to_string(i), NodeSelectorOperator::not_in,
                                     Texts(List(1 + bytes / 64, std::string(56, 'x')))}};
    }
    return terms;
  };
  const auto required = [](std::vector<NodeSelectorTerm> terms) {
    NodeAffinity node;
    node.required_during_scheduling_ignored_during_execution = {std::move(terms)};
    return Affinity{.node_affinity = std::move(node)};
  };
  int whole = 0;
  int failed = 0;
  int too_long = 0;
  constexpr int of_limits = 200;  // a tenth would go beyond the length of terms by luck
  for (int round = 0; round < of_limits; ++round) {
    CAPTURE(round);
    // Two to five factors that come to about the limit, of which each is a policy's but the first.
    std::vector<std::size_t> factors;
    std::size_t left = max_node_selector_terms;
    while (factors.size() < 4 && left > 1) {
      factors.push_back(1 + generate.below(std::min<std::size_t>(left, 40)));
      left /= factors.back();
    }
    factors.push_back(left + generate.below(3));
    const std::size_t bytes = generate.chance(10) ? 2'000 : 0;
    Pod pod = generate.pod();
    pod.spec.affinity.reset();
    auto terms = terms_of("p", generate.chance(10) ? 0 : factors[0], bytes);
    std::optional wanted = terms;
    Policies policies;
    std::string failing;
    for (std::size_t i = 1; i < factors.size(); ++i) {
      // Some hold what terms of the pod hold, too.
      const auto of_policy =
          terms_of(generate.chance(20) ? "p" : "q" + std::to_string(i), factors[i], bytes);
      const std::string name = "p" + std::to_string(i);
      policies.push_back({.metadata = {.name = name, .namespace_ = "team-a"},
                          .spec = {.pod_selector = LabelSelector{},
                                   .node_selector = generate.labels("abc"),
                                   .affinity = required(of_policy)}});
      if (wanted) wanted = multiplied(*wanted, of_policy);
      if (!wanted && failing.empty()) failing = name;
    }
    if (!terms.empty()) pod.spec.affinity = required(std::move(terms));
    const Injection injection = inject(pod, {{.name = "team-a"}}, policies);
    if (injection.errors.empty()) {
      ++whole;
      REQUIRE(wanted.has_value());
      const auto& affinity = injection.pod.spec.affinity;
      if (!affinity) {
        REQUIRE(wanted->empty());
        continue;
      }
      REQUIRE((affinity->node_affinity->required_during_scheduling_ignored_during_execution
                   ->node_selector_terms == *wanted));
      continue;
    }
    ++failed;
    REQUIRE(injection.errors.size() == 1);
    if (injection.errors[0].type == ErrorType::too_long) {
      ++too_long;
      REQUIRE(bytes > 0);
    } else {
      REQUIRE(injection.errors[0].type == ErrorType::too_many);
      REQUIRE(injection.applied == std::vector{failing});
    }
    REQUIRE(injection ==
            Injection{.pod = pod, .applied = injection.applied, .errors = injection.errors});
  }
  CHECK(whole >= of_limits / 5);
  CHECK(failed >= of_limits / 5);
  CHECK(too_long >= 1);
}

}  // namespace node_terms_laws_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
