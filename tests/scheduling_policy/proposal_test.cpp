// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/admit.hpp>

#include "../support/print.hpp"

// The examples of the SchedulingPolicy proposal, in its order and its words. An example speaks of
// one component only; unless it is about schedulers, a pod may also use the `restricted` policy,
// which the proposal gives to every service account.

namespace schedpol::scheduling_policy {
namespace {

using List = std::vector<std::string>;
using TolerationOperators = std::vector<OpenEnum<TolerationOperator>>;
using Effects = std::vector<OpenEnum<TaintEffect>>;
using NodeOperators = std::vector<OpenEnum<NodeSelectorOperator>>;
using Policies = std::vector<SchedulingPolicy>;

constexpr auto equal = TolerationOperator::equal;
constexpr auto exists = TolerationOperator::exists;
constexpr auto no_schedule = TaintEffect::no_schedule;
constexpr auto prefer_no_schedule = TaintEffect::prefer_no_schedule;
constexpr auto no_execute = TaintEffect::no_execute;
constexpr auto in = NodeSelectorOperator::in;
constexpr auto not_in = NodeSelectorOperator::not_in;

const std::string arch = "beta.kubernetes.io/arch";
const std::string os = "beta.kubernetes.io/os";
const std::string region = "failure-domain.beta.kubernetes.io/region";
const std::string zone = "failure-domain.beta.kubernetes.io/zone";
const std::string authorized_region = "kubernetes.io/authorized-region";

/// Codes and fields, as in `SchedulerNameRequired spec.schedulerName`; empty: allowed.
struct Case {
  const char* name;
  PodSpec pod;
  List wanted;
};

void admit_each(const EffectivePolicy& effective, const std::vector<Case>& cases) {
  for (const auto& [name, pod, wanted] : cases) {
    CAPTURE(name);
    const Admission admission = admit(Pod{.spec = pod}, effective);
    List reasons;
    for (const Violation& violation : admission.violations)
      reasons.push_back(std::string(to_string(violation.code)) + " " + violation.field);
    CHECK(reasons == wanted);
    CHECK(admission.allowed == wanted.empty());
  }
}

EffectivePolicy alone(const SchedulingPolicySpec& example) {
  return merge(Policies{{.metadata = {.name = "example"}, .spec = example}});
}
EffectivePolicy beside_restricted(const SchedulingPolicySpec& example) {
  return merge(Policies{{.metadata = {.name = "example"}, .spec = example}, restricted()});
}

bool is_invalid_at(const SchedulingPolicySpec& example, const std::string& field) {
  const auto errors = validate({.metadata = {.name = "example"}, .spec = example});
  return errors.size() == 1 && errors[0].type == ErrorType::required && errors[0].field == field;
}

// ---- SchedulingPolicy content

TEST_CASE("if a field is absent, the policy does not allow any item of the missing field") {
  admit_each(alone({}),
             {{"no scheduler is allowed", {}, {"SchedulerNameNotAllowed spec.schedulerName"}}});
  admit_each(
      beside_restricted({}),
      {{"a pod that specifies nothing", {}, {}},
       {"a priority class",
        {.priority_class_name = "gold"},
        {"PriorityClassNameNotAllowed spec.priorityClassName"}},
       {"a node selector",
        {.node_selector = {{"disk", "ssd"}}},
        {"NodeSelectorNotAllowed spec.nodeSelector[disk]"}},
       {"a toleration",
        {.tolerations = {{"mykey", exists, "", {}}}},
        {"TolerationNotAllowed spec.tolerations[0]"}},
       {"an affinity",
        {.affinity = Affinity{.pod_affinity =
                                  PodAffinity{.required_during_scheduling_ignored_during_execution =
                                                  {{.topology_key = "zone"}}}}},
        {"AffinityNotAllowed spec.affinity.podAffinity"}}});
}

TEST_CASE("from a pod's perspective, it can use one or several of the allowed items") {
  admit_each(alone({.allowed = {.scheduler_names = List{},
                                .node_selectors =
                                    NodeSelectors{{"disk", List{"ssd"}}, {"os", List{"linux"}}}}}),
             {{"none", {}, {}},
              {"one", {.node_selector = {{"os", "linux"}}}, {}},
              {"several", {.node_selector = {{"disk", "ssd"}, {"os", "linux"}}}, {}}});
}

// ---- Scheduler name

TEST_CASE("required scheduler names") {
  admit_each(alone({.required = {.scheduler_names = List{"green-scheduler", "my-scheduler"}}}),
             {{"the green-scheduler", {.scheduler_name = "green-scheduler"}, {}},
              {"the my-scheduler scheduler", {.scheduler_name = "my-scheduler"}, {}},
              {"another scheduler",
               {.scheduler_name = "default-scheduler"},
               {"SchedulerNameRequired spec.schedulerName"}},
              {"none specified", {}, {"SchedulerNameRequired spec.schedulerName"}}});
}

TEST_CASE("an empty list of required scheduler names is not valid, and as good as not specified") {
  const SchedulingPolicySpec example{.required = {.scheduler_names = List{}}};
  CHECK(is_invalid_at(example, "spec.required.schedulerNames"));
  CHECK(alone(example).spec() == SchedulingPolicySpec{});
  admit_each(alone(example), {{"it allows no scheduler",
                               {.scheduler_name = "my-scheduler"},
                               {"SchedulerNameNotAllowed spec.schedulerName"}}});
  admit_each(beside_restricted(example), {{"it requires no scheduler", {}, {}}});
}

TEST_CASE("allowed scheduler names") {
  admit_each(alone({.allowed = {.scheduler_names = List{"green-scheduler", "my-scheduler"}}}),
             {{"the green-scheduler", {.scheduler_name = "green-scheduler"}, {}},
              {"the my-scheduler scheduler", {.scheduler_name = "my-scheduler"}, {}},
              {"another scheduler",
               {.scheduler_name = "red-scheduler"},
               {"SchedulerNameNotAllowed spec.schedulerName"}},
              {"the default scheduler, which is not listed either",
               {},
               {"SchedulerNameNotAllowed spec.schedulerName"}}});
}

TEST_CASE("an empty list of allowed scheduler names will allow usage of all schedulers") {
  admit_each(alone({.allowed = {.scheduler_names = List{}}}),
             {{"none specified", {}, {}},
              {"the default one", {.scheduler_name = "default-scheduler"}, {}},
              {"any", {.scheduler_name = "red-scheduler"}, {}}});
}

TEST_CASE("default scheduler name") {
  const EffectivePolicy effective = alone({.defaults = {.scheduler_name = "my-scheduler"}});
  const Admission admission = admit(Pod{}, effective);
  CHECK(admission.allowed);
  CHECK(admission.pod.spec.scheduler_name == "my-scheduler");
  CHECK(admission.changes ==
        std::vector<Change>{{"spec.schedulerName", {}, "my-scheduler", "example"}});
  admit_each(effective, {{"the default specified", {.scheduler_name = "my-scheduler"}, {}},
                         {"another specified",
                          {.scheduler_name = "green-scheduler"},
                          {"SchedulerNameNotAllowed spec.schedulerName"}}});
}

// ---- Tolerations

TEST_CASE("fine-grain allowed tolerations") {
  const List denied = {"TolerationNotAllowed spec.tolerations[0]"};
  admit_each(
      beside_restricted({.allowed = {.tolerations = {{{.keys = List{"mykey"},
                                                       .operators = TolerationOperators{equal},
                                                       .values = List{"value"},
                                                       .effects = Effects{no_schedule}},
                                                      {.keys = List{"other_key"},
                                                       .operators = TolerationOperators{exists},
                                                       .effects = Effects{no_execute}}}}}}),
      {{"key mykey, value value, effect NoSchedule",
        {.tolerations = {{"mykey", equal, "value", no_schedule}}},
        {}},
       {"key other_key with a NoExecute effect",
        {.tolerations = {{"other_key", exists, "", no_execute}}},
        {}},
       {"both",
        {.tolerations = {{"other_key", exists, "", no_execute},
                         {"mykey", {}, "value", no_schedule}}},
        {}},
       {"mykey with another value",
        {.tolerations = {{"mykey", equal, "other_value", no_schedule}}},
        denied},
       {"mykey with every value", {.tolerations = {{"mykey", exists, "", no_schedule}}}, denied},
       {"mykey with another effect",
        {.tolerations = {{"mykey", equal, "value", no_execute}}},
        denied},
       {"mykey with every effect", {.tolerations = {{"mykey", equal, "value", {}}}}, denied},
       {"other_key with another effect",
        {.tolerations = {{"other_key", exists, "", no_schedule}}},
        denied},
       {"other_key with a value",
        {.tolerations = {{"other_key", equal, "value", no_execute}}},
        denied},
       {"a third key", {.tolerations = {{"third_key", exists, "", no_execute}}}, denied},
       {"every key", {.tolerations = {{"", exists, "", no_execute}}}, denied},
       {"one that is allowed and one that is not",
        {.tolerations = {{"mykey", equal, "value", no_schedule},
                         {"mykey", equal, "x", no_schedule}}},
        {"TolerationNotAllowed spec.tolerations[1]"}}});
}

TEST_CASE("coarse-grain allowed tolerations") {
  const List denied = {"TolerationNotAllowed spec.tolerations[0]"};
  admit_each(
      beside_restricted({.allowed = {.tolerations = {{{.keys = List{},
                                                       .operators = TolerationOperators{},
                                                       .values = List{},
                                                       .effects = Effects{prefer_no_schedule}},
                                                      {.keys = List{},
                                                       .operators = TolerationOperators{exists},
                                                       .effects = Effects{no_schedule}}}}}}),
      {{"PreferNoSchedule with any value",
        {.tolerations = {{"a", equal, "x", prefer_no_schedule},
                         {"b", equal, "", prefer_no_schedule},
                         {"c", exists, "", prefer_no_schedule}}},
        {}},
       {"PreferNoSchedule of every key",
        {.tolerations = {{"", exists, "", prefer_no_schedule}}},
        {}},
       {"NoSchedule based on any key existence",
        {.tolerations = {{"a", exists, "", no_schedule}}},
        {}},
       {"NoSchedule based on a value", {.tolerations = {{"a", equal, "x", no_schedule}}}, denied},
       {"it does not allow tolerating NoExecute taints",
        {.tolerations = {{"a", exists, "", no_execute}}},
        denied},
       {"nor every effect, which includes NoExecute",
        {.tolerations = {{"a", exists, "", {}}}},
        denied}});
}

TEST_CASE("an empty list of tolerations is equivalent to the pattern of empty lists") {
  const EffectivePolicy empty_list =
      beside_restricted({.allowed = {.tolerations = std::vector<TolerationPattern>{}}});
  const EffectivePolicy empty_lists =
      beside_restricted({.allowed = {.tolerations = {{{.keys = List{},
                                                       .operators = TolerationOperators{},
                                                       .values = List{},
                                                       .effects = Effects{}}}}}});
  const std::vector<std::string> keys = {"", "a", "b"};
  const std::vector<std::string> values = {"", "x"};
  const std::vector<OpenEnum<TolerationOperator>> operators = {
      {}, equal, exists, TolerationOperator::lt, OpenEnum<TolerationOperator>("Like")};
  const std::vector<OpenEnum<TaintEffect>> effects = {
      {}, no_schedule, prefer_no_schedule, no_execute, OpenEnum<TaintEffect>("NoRun")};
  int allowed = 0;
  for (const auto& key : keys) {
    for (const auto& value : values) {
      for (const auto& op : operators) {
        for (const auto& effect : effects) {
          const Toleration toleration = {key, op, value, effect, {}};
          CAPTURE(toleration);
          const Pod pod{.spec = {.tolerations = {toleration}}};
          const bool is_known = op.known() && effect.known();
          CHECK(admit(pod, empty_list).allowed == is_known);
          CHECK(admit(pod, empty_lists).allowed == is_known);
          allowed += is_known ? 1 : 0;
        }
      }
    }
  }
  CHECK(allowed == 3 * 2 * 4 * 4);
}

TEST_CASE("default tolerations") {
  const EffectivePolicy effective = beside_restricted(
      {.defaults = {.tolerations = {
                        {{.toleration = {.key = "mykey", .operator_ = equal, .effect = no_schedule},
                          .values = List{"value", "other_value"}},
                         {.toleration = {
                              .key = "other_key", .operator_ = exists, .effect = no_execute}}}}}});
  const std::vector<Toleration> given = {{"mykey", equal, "value", no_schedule},
                                         {"mykey", equal, "other_value", no_schedule},
                                         {"other_key", exists, "", no_execute}};
  const Admission admission = admit(Pod{}, effective);
  CHECK(admission.allowed);
  CHECK(admission.pod.spec.tolerations == given);
  CHECK(admission.changes.size() == 3);
  admit_each(effective, {{"one of them is allowed as well", {.tolerations = {given[1]}}, {}},
                         {"another is not",
                          {.tolerations = {{"mykey", equal, "third_value", no_schedule}}},
                          {"TolerationNotAllowed spec.tolerations[0]"}}});
}

TEST_CASE("an empty array is not a valid syntax for default tolerations") {
  const SchedulingPolicySpec example{.defaults = {.tolerations = std::vector<DefaultToleration>{}}};
  CHECK(is_invalid_at(example, "spec.default.tolerations"));
  CHECK(admit(Pod{}, beside_restricted(example)).changes.empty());
}

// ---- Priority classes

TEST_CASE("only allow a single priority class") {
  const EffectivePolicy effective =
      beside_restricted({.required = {.priority_class_names = List{"high-priority"}},
                         .defaults = {.priority_class_name = "high-priority"}});
  CHECK(admit(Pod{}, effective).pod.spec.priority_class_name == "high-priority");
  admit_each(effective, {{"none specified: enforced by default", {}, {}},
                         {"the one", {.priority_class_name = "high-priority"}, {}},
                         {"another",
                          {.priority_class_name = "low-priority"},
                          {"PriorityClassNameRequired spec.priorityClassName"}}});
}

TEST_CASE("allow all priorities") {
  admit_each(beside_restricted({.allowed = {.priority_class_names = List{}}}),
             {{"any priority class is allowed", {.priority_class_name = "high-priority"}, {}},
              {"but not mandatory", {}, {}}});
}

TEST_CASE("an empty list of required priority class names is invalid") {
  const SchedulingPolicySpec example{.required = {.priority_class_names = List{}}};
  CHECK(is_invalid_at(example, "spec.required.priorityClassNames"));
  admit_each(beside_restricted(example), {{"it requires nothing", {}, {}}});
}

// ---- Node selector

TEST_CASE("node selector: complete policy") {
  const EffectivePolicy effective = beside_restricted(
      {.required = {.node_selectors = NodeSelectors{{arch, List{"amd64", "arm64"}}}},
       .allowed = {.node_selectors = NodeSelectors{{"disk", List{"ssd", "hdd"}}, {region, List{}}}},
       .defaults = {.node_selector = Labels{{arch, "amd64"}}}});
  CHECK(admit(Pod{}, effective).pod.spec.node_selector == Labels{{arch, "amd64"}});
  CHECK(admit(Pod{.spec = {.node_selector = {{arch, "arm64"}}}}, effective).changes.empty());
  admit_each(effective, {{"no node selector at all", {}, {}},
                         {"amd64", {.node_selector = {{arch, "amd64"}}}, {}},
                         {"arm64", {.node_selector = {{arch, "arm64"}}}, {}},
                         {"a third architecture",
                          {.node_selector = {{arch, "i386"}}},
                          {"NodeSelectorRequired spec.nodeSelector[" + arch + "]"}},
                         {"disk: ssd", {.node_selector = {{"disk", "ssd"}}}, {}},
                         {"disk: hdd", {.node_selector = {{"disk", "hdd"}, {arch, "arm64"}}}, {}},
                         {"another disk",
                          {.node_selector = {{"disk", "sata"}}},
                          {"NodeSelectorNotAllowed spec.nodeSelector[disk]"}},
                         {"any region", {.node_selector = {{region, "eu-2"}}}, {}},
                         {"another key",
                          {.node_selector = {{"rack", "7"}}},
                          {"NodeSelectorNotAllowed spec.nodeSelector[rack]"}}});
}

TEST_CASE("node selector: allowed-only policy") {
  admit_each(
      beside_restricted(
          {.allowed = {.node_selectors =
                           NodeSelectors{{zone, List{"eu-west-1a", "eu-west-1b", "eu-west-1c"}}}}}),
      {{"no node selector at all", {}, {}},
       {"eu-west-1a", {.node_selector = {{zone, "eu-west-1a"}}}, {}},
       {"eu-west-1b", {.node_selector = {{zone, "eu-west-1b"}}}, {}},
       {"eu-west-1c", {.node_selector = {{zone, "eu-west-1c"}}}, {}},
       {"a fourth zone",
        {.node_selector = {{zone, "eu-west-1d"}}},
        {"NodeSelectorNotAllowed spec.nodeSelector[" + zone + "]"}}});
}

// ---- Affinity rules

Affinity required_node(std::vector<NodeSelectorTerm> terms) {
  return {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                            NodeSelector{std::move(terms)}}};
}
NodeSelectorTerm term(std::vector<NodeSelectorRequirement> expressions) {
  return {.match_expressions = std::move(expressions)};
}
PodAffinity required_pod(std::string topology_key) {
  return {.required_during_scheduling_ignored_during_execution = {
              {.topology_key = std::move(topology_key)}}};
}
PodAffinity preferred_pod(std::string topology_key) {
  return {.preferred_during_scheduling_ignored_during_execution = {
              {.weight = 1, .pod_affinity_term = {.topology_key = std::move(topology_key)}}}};
}
NodeAffinity preferred_node(NodeSelectorTerm preference) {
  return {.preferred_during_scheduling_ignored_during_execution = {
              {.weight = 1, .preference = std::move(preference)}}};
}

/// `- keys: [...], operators: [...], values: [...]` as the one expression of a term.
TermPattern term_pattern(List keys, NodeOperators operators, List values) {
  return {.match_expressions = {{{.keys = std::move(keys),
                                  .operators = std::move(operators),
                                  .values = std::move(values)}}}};
}
NodeAffinityRules required_terms(std::vector<TermPattern> terms) {
  return {.required_during_scheduling_ignored_during_execution =
              NodeAffinityRule{.node_selector_terms = std::move(terms)}};
}

const std::string node_field = "spec.affinity.nodeAffinity";
const std::string node_mode = node_field + ".requiredDuringSchedulingIgnoredDuringExecution";
const std::string pod_field = "spec.affinity.podAffinity";
const std::string anti_field = "spec.affinity.podAntiAffinity";

TEST_CASE("affinity: basic policy") {
  const AffinityRules required{
      .node_affinities = required_terms({term_pattern({arch}, {in}, {"amd64", "arm64"})})};
  const AffinityRules allowed{.node_affinities = required_terms({term_pattern(
                                  {region, authorized_region}, {in, not_in}, {"eu-2", "us-1"})}),
                              .pod_anti_affinities = PodAffinityRules{}};
  const EffectivePolicy effective =
      beside_restricted({.required = {.affinities = required},
                         .allowed = {.affinities = allowed},
                         .defaults = {.affinity = required_node({term({{arch, in, {"amd64"}}})})}});
  CHECK(admit(Pod{}, effective).pod.spec.affinity ==
        required_node({term({{arch, in, {"amd64"}}})}));

  const NodeSelectorRequirement arm = {arch, in, {"arm64"}};
  Affinity with_anti = required_node({term({arm})});
  with_anti.pod_anti_affinity = required_pod("host");
  Affinity with_preferred_anti = required_node({term({arm})});
  with_preferred_anti.pod_anti_affinity = preferred_pod("zone");
  Affinity with_pod = required_node({term({arm})});
  with_pod.pod_affinity = required_pod("host");
  Affinity with_soft = required_node({term({arm})});
  with_soft.node_affinity->preferred_during_scheduling_ignored_during_execution =
      preferred_node(term({arm})).preferred_during_scheduling_ignored_during_execution;
  const std::string second = node_mode + ".nodeSelectorTerms[0].matchExpressions[1]";
  admit_each(
      effective,
      {{"defaults to amd64 if unspecified", {}, {}},
       {"arch is amd64 or arm64", {.affinity = required_node({term({arm})})}, {}},
       {"both", {.affinity = required_node({term({{arch, in, {"arm64", "amd64"}}})})}, {}},
       {"a third architecture is neither allowed nor what is required",
        {.affinity = required_node({term({{arch, in, {"i386"}}})})},
        {"AffinityNotAllowed " + node_mode + ".nodeSelectorTerms[0].matchExpressions[0]",
         "AffinityRequired " + node_mode}},
       {"optionally any combination of keys, operators and values",
        {.affinity = required_node({term({arm, {region, in, {"eu-2"}}}),
                                    term({{authorized_region, not_in, {"us-1", "eu-2"}}, arm})})},
        {}},
       {"another operator",
        {.affinity = required_node({term({arm, {region, NodeSelectorOperator::exists, {}}})})},
        {"AffinityNotAllowed " + second}},
       {"another value",
        {.affinity = required_node({term({arm, {region, in, {"eu-2", "eu-3"}}})})},
        {"AffinityNotAllowed " + second}},
       {"another key",
        {.affinity = required_node({term({arm, {zone, in, {"eu-2"}}})})},
        {"AffinityNotAllowed " + second}},
       {"the optional alone is not what is required",
        {.affinity = required_node({term({{region, in, {"eu-2"}}})})},
        {"AffinityRequired " + node_mode}},
       {"nor where another term would do without the architecture",
        {.affinity = required_node({term({arm}), term({{region, in, {"eu-2"}}})})},
        {"AffinityRequired " + node_mode}},
       {"soft node affinity is not mentioned",
        {.affinity = with_soft},
        {"AffinityNotAllowed " + node_field + ".preferredDuringSchedulingIgnoredDuringExecution"}},
       {"all podAntiAffinities", {.affinity = with_anti}, {}},
       {"preferred as well", {.affinity = with_preferred_anti}, {}},
       {"no podAffinities", {.affinity = with_pod}, {"AffinityNotAllowed " + pod_field}}});
}

TEST_CASE("affinity: where you do not want a full combinatory") {
  const AffinityRules allowed{
      .node_affinities =
          required_terms({term_pattern({region, authorized_region}, {in, not_in}, {"eu-2", "us-1"}),
                          term_pattern({zone}, {not_in}, {"dc1", "dc2"})}),
      .pod_anti_affinities = PodAffinityRules{}};
  const EffectivePolicy effective = beside_restricted({.allowed = {.affinities = allowed}});
  const auto expression = [](NodeSelectorRequirement requirement) {
    return PodSpec{.affinity = required_node({term({std::move(requirement)})})};
  };
  const List denied = {"AffinityNotAllowed " + node_mode +
                       ".nodeSelectorTerms[0].matchExpressions[0]"};
  admit_each(
      effective,
      {{"the same affinities as in the previous example",
        expression({authorized_region, in, {"us-1"}}),
        {}},
       {"in addition, that some zone labels are not in the specified values",
        expression({zone, not_in, {"dc1", "dc2"}}),
        {}},
       {"not that they are", expression({zone, in, {"dc1"}}), denied},
       {"not with the values of the other expression", expression({zone, not_in, {"eu-2"}}),
        denied},
       {"nor the other way round", expression({region, not_in, {"dc1"}}), denied},
       {"both in one term",
        {.affinity = required_node({term({{region, in, {"eu-2"}}, {zone, not_in, {"dc1"}}})})},
        {}},
       {"none at all", {}, {}},
       {"pod anti-affinity", {.affinity = Affinity{.pod_anti_affinity = required_pod("h")}}, {}},
       {"pod affinity",
        {.affinity = Affinity{.pod_affinity = required_pod("h")}},
        {"AffinityNotAllowed " + pod_field}}});
}

std::vector<Case> affinities_of_each_kind_and_mode(bool nodes, bool pods, bool anti) {
  const auto unless = [](bool allowed, const std::string& field) {
    return allowed ? List{} : List{"AffinityNotAllowed " + field};
  };
  const NodeSelectorTerm disk = term({{"disk", in, {"ssd"}}});
  return {
      {"none", {}, {}},
      {"required node affinity", {.affinity = required_node({disk})}, unless(nodes, node_field)},
      {"preferred node affinity",
       {.affinity = Affinity{.node_affinity = preferred_node(disk)}},
       unless(nodes, node_field)},
      {"required pod affinity",
       {.affinity = Affinity{.pod_affinity = required_pod("host")}},
       unless(pods, pod_field)},
      {"preferred pod affinity",
       {.affinity = Affinity{.pod_affinity = preferred_pod("host")}},
       unless(pods, pod_field)},
      {"required pod anti-affinity",
       {.affinity = Affinity{.pod_anti_affinity = required_pod("host")}},
       unless(anti, anti_field)},
      {"preferred pod anti-affinity",
       {.affinity = Affinity{.pod_anti_affinity = preferred_pod("host")}},
       unless(anti, anti_field)}};
}

TEST_CASE("affinity: totally absent, no affinity is allowed whatever its kind") {
  admit_each(beside_restricted({}), affinities_of_each_kind_and_mode(false, false, false));
}

TEST_CASE("affinity: allow-all policy, and its equivalent") {
  const auto all = affinities_of_each_kind_and_mode(true, true, true);
  admit_each(beside_restricted({.allowed = {.affinities = AffinityRules{}}}), all);
  admit_each(
      beside_restricted(
          {.allowed = {.affinities = AffinityRules{.node_affinities = NodeAffinityRules{},
                                                   .pod_affinities = PodAffinityRules{},
                                                   .pod_anti_affinities = PodAffinityRules{}}}}),
      all);
}

TEST_CASE("affinity: only nodeAffinities, required and preferred, are allowed") {
  admit_each(beside_restricted({.allowed = {.affinities = AffinityRules{.node_affinities =
                                                                            NodeAffinityRules{}}}}),
             affinities_of_each_kind_and_mode(true, false, false));
}

// ---- Multiple SchedulingPolicies considerations

const SchedulingPolicySpec schedpol_a = {
    .required = {.node_selectors = NodeSelectors{{arch, List{"amd64", "arm64"}}}},
    .allowed = {.node_selectors = NodeSelectors{{"disk", List{"ssd"}}}},
    .defaults = {.node_selector = Labels{{arch, "amd64"}}}};
const SchedulingPolicySpec schedpol_b = {
    .required = {.priority_class_names = List{"bronze", "gold", "silver"},
                 .node_selectors = NodeSelectors{{arch, List{"amd64", "arm64", "i386"}},
                                                 {os, List{"Linux", "Windows"}}}},
    .allowed = {.node_selectors = NodeSelectors{{"disk", List{"sata"}}}},
    .defaults = {.priority_class_name = "bronze",
                 .node_selector = Labels{{arch, "i386"}, {os, "Linux"}}}};

TEST_CASE("the two schedpols merge as the proposal says under each of its options") {
  struct MergeCase {
    MergeStrategy strategy;
    SchedulingPolicySpec wanted;
  };
  const MergeCase cases[] = {
      {MergeStrategy::smart_deep_merge,
       {.required = {.priority_class_names = List{"bronze", "gold", "silver"},
                     .node_selectors = NodeSelectors{{arch, List{"amd64", "arm64"}},
                                                     {os, List{"Linux", "Windows"}}}},
        .allowed = {.node_selectors = NodeSelectors{{"disk", List{"ssd", "sata"}}}},
        .defaults = {.priority_class_name = "bronze",
                     .node_selector = Labels{{arch, "amd64"}, {os, "Linux"}}}}},
      {MergeStrategy::first_seen_wins, schedpol_a},
      {MergeStrategy::simple_merge,
       {.required = {.priority_class_names = List{"bronze", "gold", "silver"},
                     .node_selectors = NodeSelectors{{arch, List{"amd64", "arm64"}}}},
        .allowed = {.node_selectors = NodeSelectors{{"disk", List{"ssd"}}}},
        .defaults = {.priority_class_name = "bronze", .node_selector = Labels{{arch, "amd64"}}}}},
  };
  const SchedulingPolicy a{.metadata = {.name = "schedpol-a"}, .spec = schedpol_a};
  const SchedulingPolicy b{.metadata = {.name = "schedpol-b"}, .spec = schedpol_b};
  for (const auto& [strategy, wanted] : cases) {
    CAPTURE(to_string(strategy));
    CHECK(merge(Policies{a, b}, strategy).spec() == wanted);
    CHECK(merge(Policies{b, a}, strategy).spec() == wanted);
  }
  CHECK(merge(Policies{b, a}).spec() == cases[0].wanted);
}

// ---- Default SchedulingPolicies

TEST_CASE("the restricted policy only allows usage of the default scheduler") {
  CHECK(restricted() ==
        SchedulingPolicy{.metadata = {.name = "restricted"},
                         .spec = {.allowed = {.scheduler_names = List{"default-scheduler"}}}});
  const EffectivePolicy effective = merge(Policies{restricted()});
  admit_each(effective, {{"the default scheduler", {.scheduler_name = "default-scheduler"}, {}},
                         {"none specified", {}, {}},
                         {"another scheduler",
                          {.scheduler_name = "my-scheduler"},
                          {"SchedulerNameNotAllowed spec.schedulerName"}},
                         {"tolerations",
                          {.tolerations = {{"a", exists, "", no_schedule}}},
                          {"TolerationNotAllowed spec.tolerations[0]"}},
                         {"node selectors",
                          {.node_selector = {{"disk", "ssd"}}},
                          {"NodeSelectorNotAllowed spec.nodeSelector[disk]"}}});
  admit_each(effective, affinities_of_each_kind_and_mode(false, false, false));
}

TEST_CASE("the multi-architecture policy by node selector") {
  CHECK(restricted_multiarch_by_node_selector(NodeLabels::proposal) ==
        SchedulingPolicy{
            .metadata = {.name = "restricted-multiarch-by-node-selector"},
            .spec = {.required = {.scheduler_names = List{"default-scheduler"},
                                  .node_selectors = NodeSelectors{{arch, List{"amd64", "arm64"}},
                                                                  {os, List{"Linux", "Windows"}}}},
                     .defaults = {.scheduler_name = "default-scheduler",
                                  .node_selector = Labels{{arch, "amd64"}, {os, "Linux"}}}}});
  const EffectivePolicy effective =
      merge(Policies{restricted_multiarch_by_node_selector(NodeLabels::proposal)});
  const Admission admission = admit(Pod{}, effective);
  CHECK(admission.allowed);
  CHECK(admission.pod == Pod{.spec = {.scheduler_name = "default-scheduler",
                                      .node_selector = {{arch, "amd64"}, {os, "Linux"}}}});
  admit_each(effective,
             {{"pick one of each", {.node_selector = {{arch, "arm64"}, {os, "Windows"}}}, {}},
              {"a third system",
               {.node_selector = {{os, "Plan9"}}},
               {"NodeSelectorRequired spec.nodeSelector[" + os + "]"}}});
}

TEST_CASE("the multi-architecture policy by affinity") {
  const AffinityRules required{
      .node_affinities = required_terms({term_pattern({arch}, {in}, {"amd64", "arm64"}),
                                         term_pattern({os}, {in}, {"Linux", "Windows"})})};
  const Affinity given =
      required_node({term({{arch, in, {"amd64"}}}), term({{os, in, {"Linux"}}})});
  CHECK(restricted_multiarch_by_affinity(NodeLabels::proposal) ==
        SchedulingPolicy{
            .metadata = {.name = "restricted-multiarch-by-affinity"},
            .spec = {
                .required = {.scheduler_names = List{"default-scheduler"}, .affinities = required},
                .defaults = {.scheduler_name = "default-scheduler", .affinity = given}}});
  const EffectivePolicy effective =
      merge(Policies{restricted_multiarch_by_affinity(NodeLabels::proposal)});
  const Admission admission = admit(Pod{}, effective);
  CHECK(admission.allowed);
  CHECK(admission.pod.spec.affinity ==
        required_node({term({{arch, in, {"amd64"}}, {os, in, {"Linux"}}})}));
  admit_each(effective,
             {{"pick one of each",
               {.affinity = required_node({term({{os, in, {"Windows"}}, {arch, in, {"arm64"}}})})},
               {}},
              {"only the architecture",
               {.affinity = required_node({term({{arch, in, {"arm64"}}})})},
               {"AffinityRequired " + node_mode}}});
}

TEST_CASE("the privileged policy allows all there is") {
  CHECK(privileged() ==
        SchedulingPolicy{.metadata = {.name = "privileged"},
                         .spec = {.allowed = {.scheduler_names = List{},
                                              .priority_class_names = List{},
                                              .node_selectors = NodeSelectors{},
                                              .tolerations = std::vector<TolerationPattern>{},
                                              .affinities = AffinityRules{}}}});
  const EffectivePolicy effective = merge(Policies{privileged()});
  admit_each(effective, {{"schedulers", {.scheduler_name = "my-scheduler"}, {}},
                         {"a node", {.node_name = "node-1"}, {}},
                         {"priority classes", {.priority_class_name = "high-priority"}, {}},
                         {"node selectors", {.node_selector = {{"disk", "ssd"}, {"", ""}}}, {}},
                         {"tolerations", {.tolerations = {{"", exists, "", {}}}}, {}}});
  admit_each(effective, affinities_of_each_kind_and_mode(true, true, true));
}

}  // namespace
}  // namespace schedpol::scheduling_policy
