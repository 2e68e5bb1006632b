// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/limits.hpp>

#include <schedpol/core/validation.hpp>
#include <schedpol/metadata_policy/validate.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/validate.hpp>
#include <schedpol/runtime_class/validate.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include "../support/print.hpp"
#include "../support/reasons.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE {
namespace limits_test {

// A bound is part of what is promised: to change one is to change what is accepted.
static_assert(max_label_name_bytes == 63);
static_assert(max_label_value_bytes == 63);
static_assert(max_subdomain_bytes == 253);
static_assert(max_label_key_bytes == 317);
static_assert(max_policy_bytes == 262'144);
static_assert(policy_text_bytes == 8);
static_assert(policy_entry_bytes == 32);
static_assert(max_selector_requirements == 256);
static_assert(max_expression_values == 8192);
static_assert(max_match_label_keys == 16);
static_assert(max_units == 64);
static_assert(max_unit_resources == 32);
static_assert(max_quantity_bytes == 1024);
static_assert(max_quantity_power == 1024);
static_assert(max_shown_bytes == 512);
static_assert(max_document_bytes == 16'777'216);
static_assert(max_document_depth == 256);
static_assert(max_tolerations == 2048);
static_assert(max_reported_errors == 100);
static_assert(max_node_selector_terms == 1024);
static_assert(max_namespace_counting_cost == 2048);
static_assert(max_planned_steps == 67'108'864);
static_assert(max_matched_values == 16'777'216);
static_assert(compared_lists_beside == 13);
static_assert(compared_lists_with_exempt == 7);
static_assert(compared_pairs == 64);

using metadata_policy::MetadataPolicySpec;
using pod_scheduling_policy::PodSchedulingPolicySpec;
using resource_policy::ResourcePolicySpec;
using scheduling_policy::SchedulingPolicySpec;
using testing::List;
using testing::reasons;

std::string text_of(std::size_t bytes) {
  return std::string(bytes, 'a');
}

/// So many texts of seven bytes.
Texts texts_of(std::size_t count) {
  Texts texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back("v" + std::to_string(100'000 + i));
  return texts;
}
Labels labels_of(std::size_t count) {
  Labels labels;
  for (const std::string& text : texts_of(count)) labels.emplace(text, "");
  return labels;
}

LabelSelector requiring(std::size_t count) {
  LabelSelector selector{.match_labels = labels_of(count - 1)};
  selector.match_expressions = {{.key = "a", .operator_ = LabelSelectorOperator::exists}};
  return selector;
}
LabelSelector listing(std::size_t count) {
  return {.match_expressions = {
              {.key = "a", .operator_ = LabelSelectorOperator::in, .values = texts_of(count)}}};
}
Affinity node_affinity_listing(std::size_t count) {
  const NodeSelectorTerm term{
      .match_expressions = {
          {.key = "a", .operator_ = NodeSelectorOperator::in, .values = texts_of(count)}}};
  return {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                            NodeSelector{{term}}}};
}

// What is wrong with policies of a spec, as `TYPE FIELD`.
List errors_of(SchedulingPolicySpec spec) {
  return reasons(validate(scheduling_policy::SchedulingPolicy{{.name = "p"}, std::move(spec)}));
}
List errors_of(MetadataPolicySpec spec) {
  return reasons(validate(metadata_policy::MetadataPolicy{
      .metadata = {.name = "p", .namespace_ = "n"}, .spec = std::move(spec)}));
}
List errors_of(PodSchedulingPolicySpec spec) {
  return reasons(validate(pod_scheduling_policy::PodSchedulingPolicy{
      .metadata = {.name = "p", .namespace_ = "n"}, .spec = std::move(spec)}));
}
List errors_of(ResourcePolicySpec spec) {
  const resource_policy::ResourcePolicy policy{{.name = "p", .namespace_ = "n"}, std::move(spec)};
  List errors = reasons(validate(policy).errors);
  CHECK(bool(resource_policy::compile({&policy, 1})) == errors.empty());
  return errors;
}
List errors_of(runtime_class::RuntimeClass runtime_class) {
  runtime_class.metadata.name = "p";
  runtime_class.handler = "h";
  return reasons(validate(runtime_class));
}
template <class Policy>
List errors_in(std::size_t bytes) {
  Policy policy{};
  policy.metadata = {.name = "p", .namespace_ = text_of(bytes)};
  if constexpr (requires { validate(policy).errors; }) {
    return reasons(validate(policy).errors);
  } else {
    return reasons(validate(policy));
  }
}

TEST_CASE("what is as large as a limit is good, and what is one larger is an error of its field") {
  struct Case {
    const char* name;
    List (*errors_with)(std::size_t size);
    std::size_t most;
    const char* error;
  };
  const std::string resource = "example.com/" + text_of(305);
  const std::string resource_error = "FieldValueTooLong overhead.podFixed[" + resource + "a]";
  const Case cases[] = {
      {"the requirements of a selector",
       [](std::size_t size) {
         return errors_of(PodSchedulingPolicySpec{.pod_selector = requiring(size)});
       },
       max_selector_requirements, "FieldValueTooMany spec.podSelector"},
      {"the values of a selector's expression",
       [](std::size_t size) {
         return errors_of(PodSchedulingPolicySpec{.pod_selector = listing(size)});
       },
       max_expression_values, "FieldValueTooMany spec.podSelector.matchExpressions[0].values"},
      {"the values of a node affinity's expression",
       [](std::size_t size) { return reasons(validate(node_affinity_listing(size))); },
       max_expression_values,
       "FieldValueTooMany spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
       ".nodeSelectorTerms[0].matchExpressions[0].values"},
      {"the values of a SchedulingPolicy's node selector",
       [](std::size_t size) {
         return errors_of(SchedulingPolicySpec{
             .allowed = {.node_selectors =
                             scheduling_policy::NodeSelectors{{"a", texts_of(size)}}}});
       },
       max_expression_values, "FieldValueTooMany spec.allowed.nodeSelectors[a]"},
      {"a listed scheduler's name",
       [](std::size_t size) {
         return errors_of(
             SchedulingPolicySpec{.allowed = {.scheduler_names = Texts{text_of(size)}}});
       },
       max_subdomain_bytes, "FieldValueTooLong spec.allowed.schedulerNames[0]"},
      {"a default scheduler's name",
       [](std::size_t size) {
         return errors_of(SchedulingPolicySpec{.defaults = {.scheduler_name = text_of(size)}});
       },
       max_subdomain_bytes, "FieldValueTooLong spec.default.schedulerName"},
      {"a default priority class",
       [](std::size_t size) {
         return errors_of(SchedulingPolicySpec{.defaults = {.priority_class_name = text_of(size)}});
       },
       max_subdomain_bytes, "FieldValueTooLong spec.default.priorityClassName"},
      {"a value of a field's pattern",
       [](std::size_t size) {
         const scheduling_policy::RequirementPattern pattern{.values = Texts{text_of(size)}};
         const scheduling_policy::TermPattern term{.match_fields = {pattern}};
         using Modes = scheduling_policy::NodeAffinityRules;
         return errors_of(SchedulingPolicySpec{
             .allowed = {
                 .affinities = scheduling_policy::AffinityRules{
                     .node_affinities = Modes{.required_during_scheduling_ignored_during_execution =
                                                  scheduling_policy::NodeAffinityRule{{term}}}}}});
       },
       max_subdomain_bytes,
       "FieldValueTooLong spec.allowed.affinities.nodeAffinities"
       ".requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values["
       "0]"},
      {"an injected scheduler's name",
       [](std::size_t size) {
         return errors_of(PodSchedulingPolicySpec{.scheduler_name = text_of(size)});
       },
       max_subdomain_bytes, "FieldValueTooLong spec.schedulerName"},
      {"an injected node's name",
       [](std::size_t size) {
         return errors_of(PodSchedulingPolicySpec{.node_name = text_of(size)});
       },
       max_subdomain_bytes, "FieldValueTooLong spec.nodeName"},
      {"match label keys",
       [](std::size_t size) {
         return errors_of(ResourcePolicySpec{.match_label_keys = texts_of(size)});
       },
       max_match_label_keys, "FieldValueTooMany spec.matchLabelKeys"},
      {"units",
       [](std::size_t size) {
         return errors_of(ResourcePolicySpec{.units = std::vector<resource_policy::Unit>(size)});
       },
       max_units, "FieldValueTooMany spec.units"},
      {"a unit's name",
       [](std::size_t size) {
         return errors_of(ResourcePolicySpec{.units = {{.name = text_of(size)}}});
       },
       max_subdomain_bytes, "FieldValueTooLong spec.units[0].name"},
      {"a resource's name",
       [](std::size_t size) {
         return errors_of(runtime_class::RuntimeClass{
             .overhead = runtime_class::Overhead{{{"example.com/" + text_of(size - 12), {}}}}});
       },
       max_label_key_bytes, resource_error.c_str()},
      {"the namespace of a ResourcePolicy", errors_in<resource_policy::ResourcePolicy>,
       max_label_name_bytes, "FieldValueTooLong metadata.namespace"},
      {"the namespace of a MetadataPolicy", errors_in<metadata_policy::MetadataPolicy>,
       max_label_name_bytes, "FieldValueTooLong metadata.namespace"},
      {"the namespace of a PodSchedulingPolicy",
       errors_in<pod_scheduling_policy::PodSchedulingPolicy>, max_label_name_bytes,
       "FieldValueTooLong metadata.namespace"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(c.errors_with(c.most) == List{});
    CHECK(c.errors_with(c.most + 1) == List{c.error});
  }
}

TEST_CASE("a name as long as a limit has to be a name besides") {
  const std::string no_name = text_of(max_subdomain_bytes - 1) + "_";
  CHECK(errors_of(PodSchedulingPolicySpec{.node_name = no_name}) ==
        List{"FieldValueInvalid spec.nodeName"});
}

/// Texts that count for so many bytes together.
Texts texts_of_bytes(std::size_t bytes) {
  Texts texts;
  bytes -= 8'000 * policy_text_bytes;
  for (std::string text : texts_of(8'000)) {
    text.resize(std::min(bytes - (7'999 - texts.size()) * 7, max_label_value_bytes), 'a');
    bytes -= text.size();
    texts.push_back(std::move(text));
  }
  CHECK(bytes == 0);
  return texts;
}
LabelSelector selector_of_bytes(std::size_t bytes) {
  LabelSelector selector = listing(1);
  // An expression, its key `a` and its operator `In` are counted, too.
  bytes -= policy_entry_bytes + 2 * policy_text_bytes + 3;
  selector.match_expressions[0].values = texts_of_bytes(bytes);
  return selector;
}

TEST_CASE("a policy is as large as its texts and entries, and one byte more is an error") {
  struct Case {
    const char* name;
    List (*errors_with)(std::size_t size);
    const char* error = "FieldValueTooLong spec";
  };
  const Case cases[] = {
      {"what a SchedulingPolicy allows",
       [](std::size_t size) {
         size -= policy_entry_bytes + policy_text_bytes + 1;
         return errors_of(SchedulingPolicySpec{
             .allowed = {.node_selectors =
                             scheduling_policy::NodeSelectors{{"a", texts_of_bytes(size)}}}});
       }},
      {"what it gives to pods",
       [](std::size_t size) {
         size -= policy_entry_bytes + 4 * policy_text_bytes + 7;  // a toleration of key and Exists
         size -= policy_entry_bytes;                              // a term
         size -= policy_entry_bytes + 2 * policy_text_bytes + 3;  // its expression
         SchedulingPolicySpec spec;
         spec.defaults.tolerations = {
             {.toleration = {.key = "a", .operator_ = TolerationOperator::exists}}};
         spec.defaults.affinity = node_affinity_listing(1);
         spec.defaults.affinity->node_affinity->required_during_scheduling_ignored_during_execution
             ->node_selector_terms[0]
             .match_expressions[0]
             .values = texts_of_bytes(size);
         return errors_of(std::move(spec));
       }},
      {"the preferences that it gives to pods",
       [](std::size_t size) {
         size -= policy_entry_bytes;                              // a term
         size -= policy_entry_bytes + 2 * policy_text_bytes + 3;  // its expression
         size -=
             2 * policy_entry_bytes + 2 * policy_text_bytes + 7;  // another term, `b` and Exists
         size -= policy_entry_bytes + policy_text_bytes + 4;      // a term of pods and its topology
         const NodeSelectorTerm term{
             .match_expressions = {{"a", NodeSelectorOperator::in, texts_of_bytes(size)}}};
         const NodeSelectorTerm other{
             .match_expressions = {{"b", NodeSelectorOperator::exists, {}}}};
         SchedulingPolicySpec spec;
         spec.defaults.affinity = Affinity{
             .node_affinity =
                 NodeAffinity{.preferred_during_scheduling_ignored_during_execution = {{1, term},
                                                                                       {1, other}}},
             .pod_affinity = PodAffinity{.preferred_during_scheduling_ignored_during_execution = {
                                             {1, {.topology_key = "zone"}}}}};
         return errors_of(std::move(spec));
       }},
      {"a MetadataPolicy",
       [](std::size_t size) {
         size -= policy_entry_bytes;                              // the rule
         size -= policy_entry_bytes + 2 * policy_text_bytes + 2;  // the annotation
         return errors_of(
             MetadataPolicySpec{{{.policy_predicate = {.label_selector = selector_of_bytes(size)},
                                  .policy_action = {.updated_annotations = {{"a", "b"}}}}}});
       }},
      {"a PodSchedulingPolicy",
       [](std::size_t size) {
         size -= 2 * policy_text_bytes + 4;  // the names of the node and the scheduler
         return errors_of(PodSchedulingPolicySpec{.pod_selector = selector_of_bytes(size),
                                                  .scheduler_name = "bash"});
       }},
      {"a ResourcePolicy",
       [](std::size_t size) {
         size -= policy_entry_bytes + policy_text_bytes + 1;  // a unit and its name
         size -= policy_text_bytes + 4;                       // a match label key
         return errors_of(ResourcePolicySpec{.match_label_keys = {"hash"},
                                             .pod_selector = selector_of_bytes(size),
                                             .units = {{.name = "u"}}});
       }},
      {"a RuntimeClass",
       [](std::size_t size) {
         // Long keys, so that the items are not too many.
         Labels labels;
         for (int i = 1'000; i < 2'000; ++i)
           labels[text_of(60) + "." + text_of(60) + "/" + text_of(50) + std::to_string(i)];
         for (const auto& [key, value] : labels)
           size -= policy_entry_bytes + 2 * policy_text_bytes + key.size();
         for (auto& [key, value] : labels) {
           value = text_of(std::min(size, max_label_value_bytes));
           size -= value.size();
         }
         return errors_of(runtime_class::RuntimeClass{
             .scheduling = runtime_class::Scheduling{.node_selector = labels}});
       },
       "FieldValueTooLong "},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(c.errors_with(max_policy_bytes) == List{});
    CHECK(c.errors_with(max_policy_bytes + 1) == List{c.error});
  }
}

}  // namespace limits_test
}  // namespace SCHEDPOL_NAMESPACE
