// SPDX-License-Identifier: Apache-2.0
// What requests cost that were made to cost much, for bounds_test.py.
//
//     bounds                     what is counted of each case, and its name
//     bounds TIMES               each case, so many times as large, on a line:
//                                bytes of the request, allocations, bytes in use at most, bytes
//                                that limits leave to it, bytes of the answer
//     bounds instructions TIMES  has callgrind count the instructions of the cases that say so
#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/evaluate.hpp>
#include <schedpol/json/extend.hpp>
#include <schedpol/json/review.hpp>

#include "../support/count_allocations.hpp"
#include "../support/count_instructions.hpp"

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace json = schedpol::json;

void demand(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "does not hold: " << what << '\n';
  std::exit(1);
}

// --- What requests are made of

/// `f(0),f(1),...`, `count` of them.
template <class F>
std::string each(std::size_t count, F&& f) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += f(i);
  }
  return text;
}
std::string times(std::size_t count, std::string_view item) {
  return each(count, [&](std::size_t) { return std::string(item); });
}
std::string list(std::string items) {
  return "[" + std::move(items) + "]";
}
std::string object(std::string_view name, std::string_view value) {
  return R"({")" + std::string(name) + R"(":)" + std::string(value) + "}";
}
std::string text(std::string_view says) {
  return '"' + std::string(says) + '"';
}
std::string numbered(std::string_view name, std::size_t i) {
  return std::string(name) + std::to_string(i);
}

/// `count` expressions with keys of their own.
std::string expressions(std::size_t count, std::string_view key) {
  return each(count, [&](std::size_t i) {
    return R"({"key":")" + numbered(key, i) + R"(","operator":"Exists"})";
  });
}
// One expression, of many values.
std::string excluding(std::size_t values, std::string_view key) {
  return R"({"key":")" + std::string(key) + R"(","operator":"NotIn","values":)" +
         list(each(values, [](std::size_t i) { return text(numbered("value-", i)); })) + "}";
}
std::string term(std::string_view items) {
  return object("matchExpressions", list(std::string(items)));
}
std::string preferred(std::string_view of_term) {
  return R"({"weight":1,"preference":)" + std::string(of_term) + "}";
}
std::string preferred_terms(std::size_t count, std::string_view key) {
  return each(count, [&](std::size_t i) {
    return preferred(term(expressions(1, numbered(key, i) + "-")));
  });
}
std::string pod_terms(std::size_t count, std::string_view key) {
  return each(count, [&](std::size_t i) { return object("topologyKey", text(numbered(key, i))); });
}

/// An object with `count` members of one value.
std::string object_of(std::string_view name, std::size_t count, std::string_view value) {
  return text(name) + ":{" +
         each(count,
              [&](std::size_t i) { return text(std::to_string(i)) + ":" + std::string(value); }) +
         "}";
}

/// Affinities with these lists of terms.
std::string required(std::string_view terms) {
  return R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
         R"({"nodeSelectorTerms":[)" +
         std::string(terms) + "]}}}";
}
std::string affinity(std::string_view kind, std::string_view mode, std::string_view terms) {
  return R"("affinity":{")" + std::string(kind) + R"(":{")" + std::string(mode) +
         R"(DuringSchedulingIgnoredDuringExecution":[)" + std::string(terms) + "]}}";
}

std::string pod(std::string_view spec) {
  return R"({"kind":"Pod","metadata":{"name":"p","namespace":"n"},"spec":{)" + std::string(spec) +
         "}}";
}
std::string policy(std::string_view name, std::string_view spec) {
  return R"({"apiVersion":"kupid.gardener.cloud/v1alpha1","kind":"ClusterPodSchedulingPolicy",)"
         R"("metadata":{"name":")" +
         std::string(name) + R"("},"spec":{"podSelector":{},"namespaceSelector":{})" +
         (spec.empty() ? "" : ",") + std::string(spec) + "}}";
}

template <class F>
std::string policies(std::size_t count, F&& spec_of) {
  return each(count, [&](std::size_t i) { return policy(numbered("p", i), spec_of(i)); });
}

// --- What is asked, and how

enum class Wanted { taken, refused };

struct Request {
  std::string bytes;
  std::function<std::string()> answer;
};

/// Of an object, a Pod where nothing else is said.
Request review_of(const schedpol::engine::Configuration& configuration, std::string_view operation,
                  std::string_view objects,
                  std::string_view kind = R"({"group":"","version":"v1","kind":"Pod"})") {
  const auto engine = compile(configuration);
  demand(static_cast<bool>(engine), "the policies compile");
  std::string bytes =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
      R"("kind":)" +
      std::string(kind) + R"(,"namespace":"n","operation":")" + std::string(operation) + R"(",)" +
      std::string(objects) + "}}";
  return {bytes, [bytes, engine = *engine] {
            return json::review(bytes, engine, schedpol::engine::Phase::mutating,
                                schedpol::engine::InsightAdviser());
          }};
}
/// Of an engine with these policies.
Request review(std::string_view policies, std::string_view operation, std::string_view objects) {
  schedpol::engine::Configuration configuration;
  configuration.systems = {{schedpol::engine::System::pod_scheduling_policy}};
  const auto list = R"({"kind":"List","apiVersion":"v1","items":[)" + std::string(policies) + "]}";
  demand(json::add_objects(configuration, list).empty(), "the policies are good");
  return review_of(configuration, operation, objects);
}
Request create(std::string_view policies, std::string_view spec) {
  return review(policies, "CREATE", R"("object":)" + pod(spec));
}
Request update(std::string_view spec) {
  return review(policy("one", R"("nodeName":"node")"), "UPDATE",
                R"("object":)" + pod(spec) + R"(,"oldObject":)" + pod(spec));
}
/// The same many times, each in a thread of its own.
Request at_once(std::size_t count, const Request& request) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += request.bytes;
  return {bytes, [count, request] {
            std::vector<std::string> answers(count);
            {
              std::vector<std::jthread> threads;
              for (std::string& answer : answers)
                threads.emplace_back([&] { answer = request.answer(); });
            }
            for (const std::string& answer : answers)
              demand(answer == answers[0], "what is asked at once has one answer");
            return answers[0];
          }};
}
Request evaluate(std::string_view op, std::string_view input) {
  std::string bytes =
      R"({"id":1,"op":")" + std::string(op) + R"(","input":{)" + std::string(input) + "}}";
  return {bytes, [bytes] { return json::evaluate(bytes); }};
}
Request inject(std::string_view policies, std::string_view spec) {
  return evaluate("podSchedulingPolicy.inject",
                  R"("pod":)" + pod(spec) + R"(,"policies":[)" + std::string(policies) + "]");
}
/// Of objects that tell their kind.
Request analyze(std::string_view objects, std::string_view nodes = "") {
  return evaluate("engine.analyze", R"("configuration":[)" + std::string(objects) +
                                        R"(],"nodes":[)" + std::string(nodes) + "]");
}
/// Of SchedulingPolicies with these specs.
template <class F>
Request analyze_merged(std::size_t count, F&& spec_of) {
  return evaluate("schedulingPolicy.analyze",
                  R"("policies":)" + list(each(count, [&](std::size_t i) {
                    return R"({"metadata":{"name":")" + numbered("p", i) + R"("},"spec":{)" +
                           spec_of(i) + "}}";
                  })));
}
/// What stands in the namespace `n`.
std::string in_namespace(std::string_view kind, std::size_t i, std::string_view spec) {
  return R"({"kind":")" + std::string(kind) + R"(","metadata":{"namespace":"n","name":")" +
         numbered("p", i) + R"("},"spec":{)" + std::string(spec) + "}}";
}
std::string label(std::string_view key, std::string_view value) {
  return R"({"matchLabels":{")" + std::string(key) + R"(":")" + std::string(value) + R"("}})";
}
std::string key_pattern(std::string_view key) {
  return R"({"keys":[")" + std::string(key) + R"("],"operators":[],"values":[],"effects":[]})";
}

Request patched(std::string document, std::string patch) {
  return {document + patch, [document, patch] {
            auto applied = json::apply_patch(document, std::string_view(patch));
            return applied ? *std::move(applied) : R"({"error":")" + message(applied.errors()[0]);
          }};
}

/// Of a state with so many nodes, half of them in a unit that is full, and a bound pod on each.
Request extend(std::string_view verb, std::size_t nodes, std::string_view asks) {
  schedpol::resource_policy::AssumeCache state;
  for (std::size_t i = 0; i < nodes; ++i) {
    schedpol::Node node;
    node.metadata = {.name = numbered("node-", i), .labels = {{"half", i % 2 == 0 ? "a" : "b"}}};
    schedpol::Pod pod;
    pod.metadata = {.name = numbered("pod-", i), .namespace_ = "n", .uid = numbered("uid-", i)};
    pod.spec.node_name = node.metadata.name;
    state.show_node(node);
    state.show_pod(pod);
  }
  schedpol::resource_policy::ResourcePolicy policy;
  policy.metadata = {.name = "one", .namespace_ = "n"};
  policy.spec.units = {{.name = "full",
                        .max_count = 1,
                        .node_selector = schedpol::LabelSelector{.match_labels = {{"half", "a"}}}},
                       {.name = "free", .priority = 1}};
  demand(state.set_policies({&policy, 1}).empty(), "the policy is good");
  std::string bytes = R"({"Pod":)" + pod("") + "," + std::string(asks) + "}";
  return {bytes, [verb = std::string(verb), bytes, state] {
            const json::Extended said = json::extend(verb, bytes, state);
            demand(said.errors.empty() || said.response.find(R"("Error":)") == 1,
                   "an error is told");
            return said.errors.empty() ? said.response : object("error", said.response);
          }};
}
std::string names(std::size_t count, std::string_view name) {
  return R"("NodeNames":)" +
         list(each(count, [&](std::size_t i) { return text(numbered(name, i)); }));
}
/// On each node so many victims, the first of which is there.
std::string victims(std::size_t nodes, std::size_t of_node) {
  return R"("NodeNameToMetaVictims":{)" +
         each(nodes,
              [&](std::size_t i) {
                return text(numbered("node-", i)) + R"(:{"Pods":[)" +
                       each(of_node,
                            [&](std::size_t j) {
                              return object("UID", text(numbered("uid-", i + j)));
                            }) +
                       "]}";
              }) +
         "}";
}

/// SchedulingPolicies by their specs.
std::string scheduling_policy(std::string_view name, std::string_view spec) {
  return R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{)" + std::string(spec) +
         "}}";
}
template <class F>
std::string scheduling_policies(std::size_t count, F&& spec_of) {
  return each(count,
              [&](std::size_t i) { return scheduling_policy(numbered("p", i), spec_of(i)); });
}
std::string allowed(std::string_view rules) {
  return R"("allowed":{"schedulerNames":[])" + std::string(rules.empty() ? "" : ",") +
         std::string(rules) + "}";
}
std::string values(std::size_t count, std::string_view name) {
  return list(each(count, [&](std::size_t i) { return text(numbered(name, i)); }));
}
/// What patterns of tolerations and expressions are made of; they take any operator and effect.
std::string pattern(std::string_view keys, std::string_view values, std::string_view more = "") {
  return R"({"keys":)" + std::string(keys) + R"(,"operators":[],"values":)" + std::string(values) +
         std::string(more) + "}";
}
std::string toleration_patterns(std::string_view patterns) {
  return R"("tolerations":[)" + std::string(patterns) + "]";
}
std::string term_patterns(std::string_view terms) {
  return R"("affinities":{"nodeAffinities":{"requiredDuringSchedulingIgnoredDuringExecution":)"
         R"({"nodeSelectorTerms":[)" +
         std::string(terms) + "]}}}";
}
std::string tolerations(std::size_t count, std::string_view key, std::string_view value) {
  return R"("tolerations":[)" +
         each(count,
              [&](std::size_t i) {
                return R"({"key":")" + (key.ends_with('-') ? numbered(key, i) : std::string(key)) +
                       R"(","value":")" + numbered(value, i) + R"("})";
              }) +
         "]";
}
/// One of the operations that take a pod and policies.
Request asked(std::string_view op, std::string_view spec, std::string_view policies) {
  return evaluate("schedulingPolicy." + std::string(op),
                  R"("pod":)" + pod(spec) + R"(,"policies":[)" + std::string(policies) + "]");
}
Request compare(std::string_view before, std::string_view after) {
  return evaluate("schedulingPolicy.compare", R"("before":{"policies":[)" + std::string(before) +
                                                  R"(]},"after":{"policies":[)" +
                                                  std::string(after) + "]}");
}
/// A policy of everything that has entries.
std::string rich(std::size_t i) {
  return allowed(
      R"("priorityClassNames":[")" + numbered("class-", i) + R"("],"nodeSelectors":{")" +
      numbered("key-", i) + R"(":["a"]},)" +
      toleration_patterns(pattern(list(text(numbered("key-", i))), "[]", R"(,"effects":[])")) +
      "," + term_patterns(term(pattern(list(text(numbered("key-", i))), "[]"))));
}
/// Of an engine with these policies, all of which everybody may use.
Request create_under(std::string_view policies, std::string_view spec) {
  schedpol::engine::Configuration configuration;
  const std::string list =
      R"({"kind":"List","apiVersion":"v1","items":[{"kind":"EngineConfiguration",)"
      R"("policyUse":"Every","systems":[{"system":"SchedulingPolicy"}]},)" +
      std::string(policies) + "]}";
  demand(json::add_objects(configuration, list).empty(), "the policies are good");
  return review_of(configuration, "CREATE", R"("object":)" + pod(spec));
}
std::string resource_policy(std::string_view name, std::string_view spec) {
  return R"({"metadata":{"name":")" + std::string(name) + R"(","namespace":"n"},"spec":{)" +
         std::string(spec) + "}}";
}
std::string nodes(std::size_t count) {
  return R"("nodes":[)" +
         each(count,
              [](std::size_t i) {
                return R"({"metadata":{"name":")" + numbered("node-", i) +
                       R"(","labels":{"pool":")" + numbered("pool-", i) + R"("}}})";
              }) +
         "]";
}
std::string units(std::size_t count, std::size_t first = 0) {
  return R"("units":[)" +
         each(count,
              [first](std::size_t i) {
                return R"({"maxCount":1,"nodeSelector":{"matchLabels":{"pool":")" +
                       numbered("pool-", first + i) + R"("}}})";
              }) +
         "]";
}
/// Policies of as many units as one may have, almost.
std::string resource_policies(std::size_t count_of_units,
                              std::string (*units_from)(std::size_t, std::size_t),
                              std::string_view spec = "") {
  constexpr std::size_t each_has = 50;
  return each(count_of_units / each_has, [&](std::size_t i) {
    return resource_policy(numbered("p", i),
                           std::string(spec) + units_from(each_has, i * each_has));
  });
}
/// Of selectors of their own, all of which select every node.
std::string units_of_all(std::size_t count, std::size_t first = 0) {
  return R"("units":)" + list(each(count, [first](std::size_t i) {
           return R"({"nodeSelector":{"matchExpressions":[{"key":")" + numbered("no-", first + i) +
                  R"(","operator":"DoesNotExist"}]}})";
         }));
}
std::string pods(std::size_t count) {
  return each(count, [](std::size_t i) {
    return R"({"kind":"Pod","metadata":{"name":")" + numbered("p", i) +
           R"(","namespace":"n","labels":{"app":")" + numbered("app-", i) +
           R"("}},"spec":{"nodeName":")" + numbered("node-", i) + R"(","serviceAccountName":")" +
           numbered("account-", i) + R"("}})";
  });
}
std::string binding(std::size_t i, std::string_view role) {
  return R"({"kind":"ClusterRoleBinding","metadata":{"name":")" + numbered("b", i) +
         R"("},"roleRef":{"kind":"ClusterRole","name":")" + std::string(role) +
         R"("},"subjects":[{"kind":"ServiceAccount","namespace":"n","name":")" +
         numbered("account-", i) + R"("}]})";
}
/// To the role `r`.
std::string binding_of(std::size_t i, std::string_view subject_kind) {
  return R"({"kind":"ClusterRoleBinding","metadata":{"name":")" + numbered("b", i) +
         R"("},"roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":")" +
         std::string(subject_kind) + R"(","name":"somebody"}]})";
}
std::string role(std::string_view name, std::string_view names) {
  return R"({"kind":"ClusterRole","metadata":{"name":")" + std::string(name) +
         R"("},"rules":[{"verbs":["use"],"apiGroups":["extensions"],"resources":)"
         R"(["schedulingpolicies"],"resourceNames":)" +
         std::string(names) + "}]}";
}
std::string of_kind(std::string_view kind, std::string_view object) {
  return R"({"kind":")" + std::string(kind) + R"(",)" + std::string(object.substr(1));
}
/// Of one configuration that is none at all to one of these objects.
Request impact(std::string_view system, std::string_view policies, std::string_view objects) {
  const std::string settings =
      R"({"kind":"EngineConfiguration","systems":[{"system":")" + std::string(system) + R"("}]})";
  return evaluate("engine.impact", R"("before":[)" + settings + R"(],"after":[)" + settings + "," +
                                       std::string(policies) + R"(],"objects":[)" +
                                       std::string(objects) + "]");
}

// --- The cases

/// What is counted of a case besides its memory.
enum class Counted { instructions, allocations };

struct Case {
  std::string_view name;
  std::size_t count;  ///< of what there are many of, at first
  Wanted wanted;
  Request (*make)(std::size_t count);
  std::size_t memory = 1;  ///< MiB that limits leave to it, however small it is
  /// What goes up to a limit of its own in either size costs the same in both, and dearly under
  /// valgrind: its allocations tell.
  Counted counted = Counted::instructions;
  /// The part of `count` that its instructions are counted of: under valgrind it is dear, and what
  /// grows as it must not does so from few on.
  std::size_t instructions_of = 2;
};

const std::string names_node = policy("one", R"("nodeName":"node")");

// clang-format off
const Case cases[] = {
    // Reading what is mostly nothing.
    {"review: pod terms that are empty", 5'000, Wanted::refused, [](std::size_t n) { return create(names_node, affinity("podAffinity", "required", times(n, "{}"))); }},
    {"review: pod terms that are null", 5'000, Wanted::refused, [](std::size_t n) { return create(names_node, affinity("podAffinity", "required", times(n, "null"))); }},
    {"review: pod terms that are short", 1'000, Wanted::taken, [](std::size_t n) { return create(names_node, affinity("podAffinity", "required", pod_terms(n, "example.com/zone-"))); }},
    {"review: an update of pod terms that are short", 1'000, Wanted::taken, [](std::size_t n) { return update(affinity("podAffinity", "required", pod_terms(n, "example.com/zone-"))); }},
    {"review: an update of pod terms that are short, eight at once", 250, Wanted::taken, [](std::size_t n) { return at_once(8, update(affinity("podAffinity", "required", pod_terms(n, "example.com/zone-")))); }, 1, Counted::allocations},
    {"review: terms that are empty", 5'000, Wanted::refused, [](std::size_t n) { return create(names_node, required(times(n, "{}"))); }},
    {"review: expressions that are empty", 5'000, Wanted::refused, [](std::size_t n) { return create(names_node, required(term(times(n, "{}")))); }},
    {"review: values that are empty", 5'000, Wanted::taken, [](std::size_t n) { return create(names_node, required(term(R"({"key":"a","operator":"In","values":[)" + times(n, R"("")") + "]}"))); }},
    {"review: a long node selector", 1'000, Wanted::taken, [](std::size_t n) { return create(names_node, object_of("nodeSelector", n, R"("")")); }},
    {"review: an overhead of many resources", 1'000, Wanted::taken, [](std::size_t n) { return create(names_node, object_of("overhead", n, "0")); }},
    {"review: lists that nobody reads", 5'000, Wanted::taken, [](std::size_t n) { return create(names_node, R"("volumes":[)" + times(n, "0") + "]"); }},
    {"review: objects that nobody reads", 5'000, Wanted::taken, [](std::size_t n) { return create(names_node, R"("volumes":[)" + times(n, "{}") + "]"); }},
    {"review: keys that nobody reads", 5'000, Wanted::taken, [](std::size_t n) { return create(names_node, object_of("volumes", n, "0")); }, 1, Counted::instructions, 1},
    {"inject: lists that nobody reads", 5'000, Wanted::taken, [](std::size_t n) { return inject(names_node, R"("volumes":[)" + times(n, "0") + "]"); }},
    {"inject: containers that are empty", 5'000, Wanted::refused, [](std::size_t n) { return inject(names_node, R"("containers":[)" + times(n, "{}") + "]"); }},
    // Injecting much, and into much.
    {"review: one expression into a term of many", 500, Wanted::taken, [](std::size_t n) { return create(policy("one", required(term(expressions(1, "policy-")))), required(term(expressions(n, "key-")))); }},
    {"review: one expression into terms of many", 12, Wanted::taken, [](std::size_t n) { return create(policy("one", required(term(expressions(1, "policy-")))), required(each(64, [&](std::size_t) { return term(expressions(n, "key-")); }))); }},
    {"review: preferred terms into as many", 250, Wanted::taken, [](std::size_t n) { return create(policy("one", affinity("nodeAffinity", "preferred", preferred_terms(n, "policy-"))), affinity("nodeAffinity", "preferred", preferred_terms(n, "key-"))); }},
    {"review: preferred terms that are there already", 250, Wanted::taken, [](std::size_t n) { return create(policy("one", affinity("nodeAffinity", "preferred", preferred_terms(n, "key-"))), affinity("nodeAffinity", "preferred", preferred_terms(n, "key-"))); }},
    {"inject: many policy terms on a long term", 1'000, Wanted::refused, [](std::size_t n) { return inject(policy("one", required(each(1024, [](std::size_t i) { return term(expressions(1, numbered("policy-", i))); }))), required(term(expressions(n, "key-")))); }},
    {"inject: policy terms on a term of 50", 25, Wanted::taken, [](std::size_t n) { return inject(policy("one", required(each(n, [](std::size_t i) { return term(expressions(1, numbered("policy-", i))); }))), required(term(expressions(50, "key-")))); }, 64},
    {"inject: policies of one long expression", 50, Wanted::refused, [](std::size_t n) { return inject(policies(n, [](std::size_t i) { return required(term(excluding(1'000, numbered("p", i)))); }), required(term(expressions(1, "key-")))); }, 64, Counted::allocations},
    {"inject: policies of one toleration", 125, Wanted::taken, [](std::size_t n) { return inject(policies(n, [](std::size_t i) { return R"("tolerations":[{"key":")" + numbered("key-", i) + R"("}])"; }), ""); }},
    {"inject: preferred terms into as many", 250, Wanted::taken, [](std::size_t n) { return inject(policy("one", affinity("nodeAffinity", "preferred", preferred_terms(n, "policy-"))), affinity("nodeAffinity", "preferred", preferred_terms(n, "key-"))); }},
    {"inject: pod terms into as many", 250, Wanted::taken, [](std::size_t n) { return inject(policy("one", affinity("podAffinity", "required", pod_terms(n, "policy-"))), affinity("podAffinity", "required", pod_terms(n, "key-"))); }},
    // Patches.
    {"patch: a label each of a metadata policy", 100, Wanted::taken, [](std::size_t n) { return evaluate("metadataPolicy.admit", R"("object":{"metadata":{)" + object_of("labels", n, R"("a")") + R"(}},"policies":[{"metadata":{"name":"p"},"spec":{"rules":[{"policyPredicate":{},"policyAction":{)" + object_of("updatedLabels", n, R"("b")") + "}}]}}]"); }},
    {"patch: items added in front", 100, Wanted::taken, [](std::size_t n) { return patched(list(times(1'000, "0")), list(times(n, R"({"op":"add","path":"/0","value":0})"))); }},
    {"patch: items removed in front", 100, Wanted::taken, [](std::size_t n) { return patched(list(times(2'000, "0")), list(times(n, R"({"op":"remove","path":"/0"})"))); }},
    {"patch: members added", 100, Wanted::taken, [](std::size_t n) { return patched("{" + object_of("o", 1'000, "0") + "}", list(each(n, [](std::size_t i) { return R"({"op":"add","path":"/o/x)" + std::to_string(i) + R"(","value":0})"; }))); }},
    {"patch: a long list tested", 1'000, Wanted::taken, [](std::size_t n) { return patched(list(times(n, "0")), list(R"({"op":"test","path":"","value":)" + list(times(n, "0")) + "}")); }},
    {"patch: a long list tested by short ones", 1'000, Wanted::refused, [](std::size_t n) { return patched(list(times(n, "0")), list(times(n, R"({"op":"test","path":"","value":[]})"))); }},
    {"patch: copies of copies", 25, Wanted::refused, [](std::size_t n) { return patched(R"({"a":[0]})", list(times(n, R"({"op":"copy","from":"/a","path":"/a/-"})"))); }, 64, Counted::allocations},
    // What a scheduler asks.
    {"extend: filter of many names", 1'000, Wanted::taken, [](std::size_t n) { return extend("filter", n, names(n, "node-")); }},
    {"extend: filter of names that are not known", 1'000, Wanted::taken, [](std::size_t n) { return extend("filter", 1, names(n, "x")); }},
    {"extend: filter of whole nodes", 1'000, Wanted::taken, [](std::size_t n) { return extend("filter", n, R"("Nodes":{"items":)" + list(each(n, [](std::size_t i) { return object("metadata", object("name", text(numbered("node-", i)))); })) + "}"); }},
    {"extend: filter of one name many times", 1'000, Wanted::refused, [](std::size_t n) { return extend("filter", 1, R"("NodeNames":)" + list(times(n, R"("node-0")"))); }},
    {"extend: filter of what are no names", 1'000, Wanted::refused, [](std::size_t n) { return extend("filter", 1, R"("NodeNames":)" + list(times(n, "{}"))); }},
    {"extend: fields that nobody reads", 1'000, Wanted::refused, [](std::size_t n) { return extend("filter", 1, object_of("Pods", n, "{}")); }},
    {"extend: prioritize of many names", 1'000, Wanted::taken, [](std::size_t n) { return extend("prioritize", n, names(n, "node-")); }},
    {"extend: preempt on many nodes", 500, Wanted::taken, [](std::size_t n) { return extend("preempt", n, victims(n, 2)); }},
    {"extend: preempt of many pods on one node", 1'000, Wanted::taken, [](std::size_t n) { return extend("preempt", n, victims(1, n)); }},
    // What is odd about policies, as far as that is looked for.
    {"analyze: policies that all inject into all pods", 100, Wanted::taken, [](std::size_t n) { return analyze(policies(n, [](std::size_t i) { return R"("schedulerName":")" + numbered("s", i) + R"(")"; })); }},
    {"analyze: policies that inject by a label of their own", 100, Wanted::taken, [](std::size_t n) { return analyze(each(n, [](std::size_t i) { return in_namespace("PodSchedulingPolicy", i, R"("podSelector":)" + label("app", numbered("a", i)) + R"(,"schedulerName":")" + numbered("s", i) + R"(")"); })); }},
    {"analyze: policies that nearly inject into the same pods", 1'000, Wanted::taken, [](std::size_t n) { return analyze(each(n, [](std::size_t i) { return in_namespace("PodSchedulingPolicy", i, R"("podSelector":{"matchExpressions":[{"key":"k","operator":")" + std::string(i % 2 == 0 ? "Exists" : "DoesNotExist") + R"("}]},"schedulerName":")" + numbered("s", i % 2) + R"(")"); })); }, 4, Counted::allocations},
    {"analyze: a rule of metadata for each of many keys", 100, Wanted::taken, [](std::size_t n) { return analyze(in_namespace("MetadataPolicy", 0, R"("rules":)" + list(each(n, [](std::size_t i) { return R"({"policyPredicate":{"labelSelector":)" + label(numbered("k", i), "v") + R"(},"policyAction":{"updatedLabels":{"a":")" + numbered("v", i) + R"("}}})"; })))); }},
    {"analyze: rules of metadata beside as many that reject", 1'000, Wanted::taken, [](std::size_t n) { return analyze(in_namespace("MetadataPolicy", 0, R"("rules":)" + list(each(n, [](std::size_t i) { return R"({"policyPredicate":{"labelSelector":)" + label("k", numbered("v", i / 2)) + R"(},"policyAction":)" + (i % 2 == 0 ? R"({"reject":true}})" : R"({"updatedLabels":{"a":"b"}}})"); })))); }, 4, Counted::instructions, 8},
    {"analyze: ResourcePolicies for all pods", 100, Wanted::taken, [](std::size_t n) { return analyze(each(n, [](std::size_t i) { return in_namespace("ResourcePolicy", i, ""); })); }},
    {"analyze: units of labels of their own", 16, Wanted::taken, [](std::size_t n) { return analyze(in_namespace("ResourcePolicy", 0, R"("units":)" + list(each(n, [](std::size_t i) { return R"({"nodeSelector":)" + label(numbered("k", i), "v") + "}"; })))); }},
    {"analyze: RuntimeClasses and nodes", 100, Wanted::taken, [](std::size_t n) { return analyze(each(n, [](std::size_t i) { return R"({"kind":"RuntimeClass","metadata":{"name":")" + numbered("c", i) + R"("},"handler":"h","scheduling":{"nodeSelector":{"a":"1","b":"1"}}})"; }), each(n, [](std::size_t i) { return R"({"metadata":{"name":")" + numbered("n", i) + R"(","labels":{")" + (i % 2 == 0 ? "a" : "b") + R"(":"1"}}})"; })); }},
    {"analyze: policies of a requirement each", 100, Wanted::taken, [](std::size_t n) { return analyze_merged(n, [](std::size_t i) { return R"("allowed":{"schedulerNames":[]},"required":{"tolerations":)" + list(key_pattern(numbered("k", i))) + "}"; }); }},
    {"analyze: policies of a required key each", 250, Wanted::taken, [](std::size_t n) { return analyze_merged(n, [](std::size_t i) { return R"("allowed":{"schedulerNames":[]},"required":{"nodeSelectors":{")" + numbered("k", i) + R"(":[]}})"; }); }, 4},
    {"analyze: patterns of a policy", 1'000, Wanted::taken, [](std::size_t n) { return analyze_merged(1, [&](std::size_t) { return R"("allowed":{"schedulerNames":[],"tolerations":)" + list(each(n, [](std::size_t i) { return key_pattern(numbered("k", i)); })) + "}"; }); }, 1, Counted::instructions, 8},
    // Each is held against each until the budget of an analysis is spent.
    {"analyze: patterns of one key", 500, Wanted::taken, [](std::size_t n) { return analyze_merged(1, [&](std::size_t) { return R"("allowed":{"schedulerNames":[],"tolerations":)" + list(each(n, [](std::size_t i) { return pattern(R"(["key"])", list(text(numbered("v", i))), R"(,"effects":[])"); })) + "}"; }); }, 1, Counted::allocations},
    // SchedulingPolicies.
    {"admit: tolerations that many policies deny", 125, Wanted::refused, [](std::size_t n) { return asked("admit", tolerations(n, "denied-", "v"), scheduling_policies(n, rich)); }, 1},
    {"admit: expressions that many policies deny", 125, Wanted::refused, [](std::size_t n) { return asked("admit", required(term(expressions(n, "denied-"))), scheduling_policies(n, rich)); }},
    {"admit: tolerations denied by patterns of any key", 125, Wanted::refused, [](std::size_t n) { return asked("admit", tolerations(n, "denied-", "v"), scheduling_policies(n, [](std::size_t i) { return allowed(toleration_patterns(pattern("[]", list(text(numbered("w", i))), R"(,"effects":[])"))); })); }},
    {"admit: expressions under patterns of any key", 250, Wanted::taken, [](std::size_t n) { return asked("admit", required(term(each(n, [](std::size_t i) { return R"({"key":"a","operator":"In","values":[")" + numbered("w", i) + R"("]})"; }))), scheduling_policies(1, [&](std::size_t) { return allowed(term_patterns(term(each(n, [](std::size_t i) { return pattern("[]", list(text(numbered("w", i)))); })))); })); }},
    {"admit: expressions under patterns of one key", 250, Wanted::taken, [](std::size_t n) { return asked("admit", required(term(each(n, [](std::size_t i) { return R"({"key":"a","operator":"In","values":[")" + numbered("w", i) + R"("]})"; }))), scheduling_policies(1, [&](std::size_t) { return allowed(term_patterns(term(each(n, [](std::size_t i) { return pattern(R"(["a"])", list(text(numbered("w", i)))); })))); })); }},
    {"admit: many tolerations permitted, and as many required", 125, Wanted::taken, [](std::size_t n) { return asked("admit", tolerations(n, "key-", "v"), scheduling_policies(1, [&](std::size_t) { return allowed("") + R"(,"required":{)" + toleration_patterns(each(n, [](std::size_t i) { return pattern(list(text(numbered("key-", i))), "[]", R"(,"effects":[])"); })) + "}"; })); }},
    {"admit: expressions of a term, and as many patterns required of it", 250, Wanted::taken, [](std::size_t n) { return asked("admit", required(term(expressions(n, "key-"))), scheduling_policies(1, [&](std::size_t) { return allowed("") + R"(,"required":{)" + term_patterns(each(n, [](std::size_t i) { return term(pattern(list(text(numbered("key-", i))), "[]")); })) + "}"; })); }},
    // Each is held against each: 2,048 tolerations, as many as there may be, and 8,000 patterns take 0.2 s.
    {"admit: tolerations of one key, and as many values required", 500, Wanted::taken, [](std::size_t n) { return asked("admit", tolerations(n, "key", "v"), scheduling_policies(1, [&](std::size_t) { return allowed("") + R"(,"required":{)" + toleration_patterns(each(n, [](std::size_t i) { return pattern(R"(["key"])", list(text(numbered("v", i))), R"(,"effects":[])"); })) + "}"; })); }, 1, Counted::allocations},
    {"review: tolerations that many policies deny", 125, Wanted::refused, [](std::size_t n) { return create_under(each(n, [](std::size_t i) { return of_kind("SchedulingPolicy", scheduling_policy(numbered("p", i), rich(i))); }), tolerations(n, "denied-", "v")); }, 2},
    {"admit: a required term of many patterns", 250, Wanted::taken, [](std::size_t n) { return asked("admit", required(term(expressions(n, "key-"))), scheduling_policies(1, [&](std::size_t) { return allowed("") + R"(,"required":{)" + term_patterns(term(each(n, [](std::size_t i) { return pattern(list(text(numbered("key-", i))), "[]"); }))) + "}"; })); }},
    {"explain: tolerations that many policies deny", 125, Wanted::refused, [](std::size_t n) { return asked("explain", tolerations(n, "denied-", "v"), scheduling_policies(n, rich)); }},
    {"nearestFix: tolerations that many policies deny", 60, Wanted::taken, [](std::size_t n) { return asked("nearestFix", tolerations(n, "denied-", "v"), scheduling_policies(n, rich)); }},
    {"merge: many policies", 125, Wanted::taken, [](std::size_t n) { return evaluate("schedulingPolicy.merge", R"("policies":[)" + scheduling_policies(n, rich) + "]"); }, 2},
    {"merge: values of a long key", 300, Wanted::refused, [](std::size_t n) { return evaluate("schedulingPolicy.merge", R"("policies":[)" + scheduling_policy("p", allowed(R"("nodeSelectors":{")" + std::string(64'000, 'k') + R"(":)" + values(n, "v") + "}")) + "]"); }, 64},
    {"compare: many policies", 60, Wanted::taken, [](std::size_t n) { return compare(scheduling_policies(n, rich), scheduling_policies(n - 1, rich)); }},
    {"compare: required terms", 800, Wanted::refused, [](std::size_t n) { const std::string one = scheduling_policies(1, [&](std::size_t) { return allowed("") + R"(,"required":{)" + term_patterns(each(n, [](std::size_t i) { return term(pattern(list(text(numbered("key-", i))), "[]")); })) + "}"; }); return compare(one, one); }, 1, Counted::instructions, 8},
    {"nearestFix: required terms", 800, Wanted::taken, [](std::size_t n) { return asked("nearestFix", "", scheduling_policies(1, [&](std::size_t) { return allowed("") + R"(,"required":{)" + term_patterns(each(n, [](std::size_t i) { return term(pattern(list(text(numbered("key-", i))), "[]")); })) + "}"; })); }, 1, Counted::instructions, 8},
    // Roles, and the engine.
    {"rbac: bindings to a role of many names", 250, Wanted::taken, [](std::size_t n) { return evaluate("rbac.usablePolicies", R"("user":{"name":"u"},"namespace":"n","policies":)" + values(n, "p") + R"(,"clusterRoles":[)" + role("r", values(n, "p")) + R"(],"clusterRoleBindings":[)" + each(n, [](std::size_t i) { return binding(i, "r"); }) + "]"); }},
    {"rbac: bindings of one user to a role of many names", 250, Wanted::taken, [](std::size_t n) { return evaluate("rbac.usablePolicies", R"("user":{"name":"somebody"},"namespace":"n","policies":)" + values(n, "p") + R"(,"clusterRoles":[)" + role("r", values(n, "p")) + R"(],"clusterRoleBindings":[)" + each(n, [](std::size_t i) { return binding_of(i, "User"); }) + "]"); }},
    {"rbac: a group many times, with a role of many names", 250, Wanted::taken, [](std::size_t n) { return evaluate("rbac.usablePolicies", R"("user":{"name":"u","groups":)" + list(times(n, R"("somebody")")) + R"(},"namespace":"n","policies":)" + values(n, "p") + R"(,"clusterRoles":[)" + role("r", values(n, "p")) + R"(],"clusterRoleBindings":[)" + binding_of(0, "Group") + "]"); }},
    {"impact: bindings to as many roles", 125, Wanted::taken, [](std::size_t n) { return impact("SchedulingPolicy", each(n, [](std::size_t i) { return binding(i, numbered("r", i)) + "," + role(numbered("r", i), list(text(numbered("p", i)))) + "," + of_kind("SchedulingPolicy", scheduling_policy(numbered("p", i), allowed(""))); }), pods(1)); }, 2},
    {"impact: as many pods as policies", 125, Wanted::taken, [](std::size_t n) { return impact("SchedulingPolicy", each(n, [](std::size_t i) { return binding(i, numbered("r", i)) + "," + role(numbered("r", i), list(text(numbered("p", i)))) + "," + of_kind("SchedulingPolicy", scheduling_policy(numbered("p", i), allowed(""))); }), pods(n)); }, 4},
    {"impact: pods of no template", 500, Wanted::taken, [](std::size_t n) { return impact("PodSchedulingPolicy", names_node, pods(n)); }},
    {"impact: pods of one template", 500, Wanted::taken, [](std::size_t n) { return impact("PodSchedulingPolicy", names_node, times(n, pod(R"("schedulerName":"s")"))); }},
    {"impact: policies that all select all pods", 1'000, Wanted::refused, [](std::size_t n) { return impact("PodSchedulingPolicy", policies(n, [](std::size_t i) { return R"("nodeSelector":{")" + numbered("key-", i) + R"(":"a"})"; }), pods(300)); }, 128, Counted::allocations},
    // ResourcePolicies and the vocabulary.
    {"schedule: units and nodes", 250, Wanted::taken, [](std::size_t n) { return evaluate("resourcePolicy.schedule", R"("pod":)" + pod("") + R"(,"policies":[)" + resource_policies(n, units) + "]," + nodes(n) + R"(,"pods":[)" + pods(n) + "]"); }, 2},
    // Each pod counts in each of the policies, in a group of its own: what is many is the pods.
    {"schedule: pods of groups of their own", 250, Wanted::taken, [](std::size_t n) { return evaluate("resourcePolicy.schedule", R"("pod":)" + pod("") + R"(,"policies":[)" + resource_policies(250, units, R"("matchLabelKeys":["app"],)") + "]," + nodes(n) + R"(,"pods":[)" + pods(n) + "]"); }, 2},
    {"review: a written ResourcePolicy of many units", 250, Wanted::refused, [](std::size_t n) { schedpol::engine::Configuration none; none.systems = {{schedpol::engine::System::resource_policy}}; return review_of(none, "CREATE", R"("object":)" + of_kind("ResourcePolicy", resource_policy("p", units(n))), R"({"group":"scheduling.sigs.x-k8s.io","version":"v1alpha1","kind":"ResourcePolicy"})"); }},
    {"schedule: units that all select every node", 150, Wanted::taken, [](std::size_t n) { return evaluate("resourcePolicy.schedule", R"("pod":)" + pod("") + R"(,"policies":[)" + resource_policies(n, units_of_all) + "]," + nodes(n) + R"(,"pods":[)" + pods(n) + "]"); }, 2, Counted::allocations},
    {"deletionCosts: policies of all pods", 125, Wanted::taken, [](std::size_t n) { return evaluate("resourcePolicy.deletionCosts", R"("policies":[)" + each(n, [](std::size_t i) { return resource_policy(numbered("p", i), ""); }) + "]," + nodes(n) + R"(,"pods":[)" + pods(n) + "]"); }, 2, Counted::allocations},
    {"schedule: units that no node has", 250, Wanted::taken, [](std::size_t n) { return evaluate("resourcePolicy.schedule", R"("pod":)" + pod("") + R"(,"policies":[)" + resource_policies(n, units) + "]"); }, 2},
    {"deletionCosts: policies and pods", 125, Wanted::taken, [](std::size_t n) { return evaluate("resourcePolicy.deletionCosts", R"("policies":[)" + each(n, [](std::size_t i) { return resource_policy(numbered("p", i), R"("podSelector":{"matchLabels":{"app":")" + numbered("app-", i) + R"("}},)" + units(1)); }) + "]," + nodes(n) + R"(,"pods":[)" + pods(n) + "]"); }, 2},
    {"tolerations.merge: long keys", 125, Wanted::taken, [](std::size_t n) { const std::string key(1'000, 'k'); const auto lists = [&](std::string_view name) { return list(each(n, [&](std::size_t i) { return R"({"key":")" + key + numbered(name, i) + R"("})"; })); }; return evaluate("tolerations.merge", R"("first":)" + lists("a") + R"(,"second":)" + lists("b")); }},
    {"findUntolerated: taints and tolerations of one key", 250, Wanted::refused, [](std::size_t n) { return evaluate("taints.findUntolerated", tolerations(n, "a", "v") + R"(,"taints":[)" + each(n, [](std::size_t i) { return R"({"key":"a","value":")" + numbered("w", i) + R"(","effect":"NoSchedule"})"; }) + "]"); }},
    {"findUntolerated: numbers above taints", 250, Wanted::refused, [](std::size_t n) { return evaluate("taints.findUntolerated", R"("tolerations":[)" + each(n, [](std::size_t i) { return R"({"key":"a","operator":"Gt","value":")" + std::to_string(1'000 + i) + R"("})"; }) + R"(],"taints":[)" + each(n, [](std::size_t i) { return R"({"key":"a","value":")" + std::to_string(i + 1) + R"(","effect":"NoSchedule"})"; }) + "]"); }},
};
// clang-format on

bool is_refused(std::string_view answer) {
  return answer.find(R"("error":)") != std::string_view::npos ||
         answer.find(R"("code":413)") != std::string_view::npos ||
         answer.find(R"("allowed":false)") != std::string_view::npos;
}

void count(std::size_t how_often) {
  for (const Case& one : cases) {
    const Request request = one.make(one.count * how_often);
    const schedpol::testing::CountAllocations counted;
    const std::string answer = request.answer();
    const std::size_t allocations = counted.count();
    const std::size_t peak = counted.peak_bytes();
    std::cout << request.bytes.size() << ' ' << allocations << ' ' << peak << ' '
              << (one.memory << 20U) << ' ' << answer.size() << '\n';
    demand(is_refused(answer) == (one.wanted == Wanted::refused),
           std::string(one.name) + " is answered with " + answer.substr(0, 1000));
  }
}

void count_instructions(std::size_t how_often) {
  std::vector<std::pair<const Case*, Request>> made;
  for (const Case& one : cases)
    if (one.counted == Counted::instructions)
      made.emplace_back(&one, one.make(one.count / one.instructions_of * how_often));
  for (const auto& [one, request] : made)
    schedpol::testing::count_instructions(std::string(one->name), request.answer);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    count_instructions(std::strtoul(argv[2], nullptr, 10));
  } else if (argc > 1) {
    count(std::strtoul(argv[1], nullptr, 10));
  } else {
    for (const Case& one : cases)
      std::cout << (one.counted == Counted::instructions ? "instructions " : "allocations ")
                << one.name << '\n';
  }
}
