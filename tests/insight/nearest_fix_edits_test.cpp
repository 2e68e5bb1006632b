// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/nearest_fix.hpp>

#include "fixes.hpp"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace nearest_fix_edits_test {

using namespace fixes;

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

}  // namespace nearest_fix_edits_test
