// SPDX-License-Identifier: Apache-2.0
#include "classes.hpp"

#include "cel.hpp"
#include "cost.hpp"
#include "mutations.hpp"
#include "patterns.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>

namespace cli {

namespace {

using cel::Parts;
using schedpol::FieldPath;
using schedpol::Texts;
using schedpol::Toleration;
using schedpol::runtime_class::RuntimeClass;

constexpr std::string_view of_template = "request.kind.kind != 'Pod'";
constexpr std::string_view class_variable = "runtimeClass";

std::string is_class(const Texts& names) {
  return cel::is_one_of(variable(class_variable), names);
}

}  // namespace

Classes::Classes(const std::vector<RuntimeClass>& all) {
  for (const RuntimeClass& each : all)
    if (each.scheduling) classes_.push_back(each);
  std::sort(classes_.begin(), classes_.end(), [](const RuntimeClass& a, const RuntimeClass& b) {
    return a.metadata.name < b.metadata.name;
  });
}

std::string Classes::comment(const std::string& date) const {
  std::vector<std::string> names;
  for (const RuntimeClass& each : classes_) names.push_back(each.metadata.name);
  return "What RuntimeClasses add is written down here as it was" +
         (date.empty() ? " when this was made" : " on " + date) + ": " +
         schedpol::in_backticks(names) +
         ".\nIt goes stale when one of them changes; export again then.";
}

void Classes::add_pairs(std::vector<Variable>& variables, bool to_pods) const {
  std::string literal;
  for (const RuntimeClass& each : classes_) {
    std::string pairs;
    for (const auto& [key, value] : each.scheduling->node_selector)
      pairs += (pairs.empty() ? "" : ", ") + cel::quoted(key) + ": " + cel::quoted(value);
    if (!pairs.empty())
      literal +=
          (literal.empty() ? "" : ", ") + cel::quoted(each.metadata.name) + ": {" + pairs + "}";
  }
  if (literal.empty()) {
    variables.push_back({"addedPairs", "{}", ""});
  } else {
    variables.push_back({"addedPairs",
                         "{" + literal + "}[?" + variable(class_variable) + "].orValue({})",
                         "the node selector of the runtime class"});
  }
  std::string of_classes;
  for (const RuntimeClass& each : classes_) {
    std::string list;
    for (const Toleration& toleration : each.scheduling->tolerations)
      list += (list.empty() ? "" : ", ") + cel::literal(schedpol::json::encode(toleration));
    if (!list.empty()) of_classes += is_class({each.metadata.name}) + " ? [" + list + "] : ";
  }
  variables.push_back(
      {"mergedTolerations",
       variable("tolerations") + (of_classes.empty() ? "" : " + (" + of_classes + "[])"),
       "with those of the runtime class"});
  const std::string added = variable("addedPairs");
  for (const Of of : {Of::object, Of::old}) {
    const std::string own = variable("nodeSelector", of);
    const std::string keys = variable("keysOfPods", of);
    variables.push_back({keys.substr(std::string_view("variables.").size()),
                         own + ".map(k, k) + " + added + ".filter(k, !(k in " + own + "))", ""});
    const std::string merged = keys + ".transformMapEntry(i, k, {k: k in " + own + " ? " + own +
                               "[k] : " + added + "[k]})";
    variables.push_back({node_selector_of_pods(of).substr(std::string_view("variables.").size()),
                         "size(" + added + ") == 0" +
                             (to_pods ? std::string() : " || request.kind.kind == 'Pod'") + " ? " +
                             own + " : " + merged,
                         to_pods ? "with what the runtime class adds"
                                 : "with what the runtime class adds to the pods of a template"});
  }
}

void Classes::add_to(std::vector<Variable>& variables) const {
  if (empty()) return;
  variables.push_back({std::string(class_variable), variable("runtimeClassName"), ""});
  add_pairs(variables, false);
}

void Classes::add_to(std::vector<Variable>& variables,
                     const std::optional<std::string>& by_default) const {
  if (empty()) return;
  const std::string name = variable("runtimeClassName");
  variables.push_back(
      {std::string(class_variable),
       by_default ? name + " == '' ? " + cel::quoted(*by_default) + " : " + name : name, ""});
  add_pairs(variables, true);
}

std::string Classes::node_selector_of_pods(Of of) const {
  return variable(empty() ? "nodeSelector" : "nodeSelectorOfPods", of);
}

std::string Classes::adds_pair(const std::string& key) const {
  if (empty()) return std::string(cel::never);
  const std::string added = variable("addedPairs");
  return key + " in " + added + " && " + added + "[" + key + "] == " + variable("nodeSelector") +
         "[" + key + "]";
}

std::string Classes::adds_toleration() const {
  Parts any;
  Texts names;
  for (const RuntimeClass& each : classes_) {
    names.push_back(each.metadata.name);
    if (!each.scheduling->tolerations.empty())
      any.push_back(cel::all_of(
          {is_class({each.metadata.name}), equals_one_of(each.scheduling->tolerations, "t")}));
  }
  if (names.empty()) return std::string(cel::never);
  // Of two that cover each other the later one is kept, of equal ones the first.
  const std::string equal = equal_tolerations("s", "t");
  any.push_back(cel::all_of(
      {"(" + std::string(of_template) + " || " + variable("runtimeClassName") + " == '')",
       is_class(names),
       variable("mergedTolerations") + ".exists(j, s, " + equal + " ? j < i : " + covers("s", "t") +
           " && (j > i || !(" + covers("t", "s") + ")))"}));
  return cel::any_of(any);
}

std::string Classes::adds_to_pods(const Toleration& toleration) const {
  Texts names;
  for (const RuntimeClass& each : classes_)
    for (const Toleration& other : each.scheduling->tolerations)
      if (other == toleration && !names.contains(each.metadata.name))
        names.push_back(each.metadata.name);
  if (names.empty()) return std::string(cel::never);
  return cel::all_of({std::string(of_template), is_class(names)});
}

bool Classes::contain(const std::string& name) const {
  return std::any_of(classes_.begin(), classes_.end(),
                     [&](const RuntimeClass& each) { return each.metadata.name == name; });
}

void Classes::refuse(const schedpol::engine::EffectivePolicy& effective,
                     const schedpol::scheduling_policy::Options& options, bool gives,
                     Refusals& refusals) const {
  const auto& spec = effective.spec();
  const auto refuse_entry = [&](const FieldPath& entry, const RuntimeClass& by, std::string why) {
    refusals.push_back({to_string(entry) + " of " + schedpol::in_backticks(effective.policies()) +
                            " beside RuntimeClass `" + by.metadata.name + "`",
                        std::move(why)});
  };
  const auto& node = spec.required.affinities.listed().node_affinities;
  const std::vector<Toleration> given = given_tolerations(spec);
  const auto is_in = [](const std::vector<Toleration>& list, const Toleration& toleration) {
    return std::find(list.begin(), list.end(), toleration) != list.end();
  };
  // What is left is nobody's own then, and the template is given them again.
  const auto hides_another = [&](const Toleration& by_default) {
    return is_in(options.exempt.tolerations, by_default) &&
           std::any_of(given.begin(), given.end(), [&](const Toleration& other) {
             return !(other == by_default) && schedpol::covers(by_default, other);
           });
  };
  for (const RuntimeClass& each : classes_) {
    const auto& [pairs, tolerations] = *each.scheduling;
    if (std::max(pairs.size(), tolerations.size()) > most_added)
      refusals.push_back({"RuntimeClass `" + each.metadata.name + "`",
                          "it adds " + std::to_string(std::max(pairs.size(), tolerations.size())) +
                              " of " + std::to_string(most_added) +
                              " pairs or tolerations, of which costs are estimated"});
    if (!spec.required.tolerations.is_absent() && !tolerations.empty())
      refuse_entry({"required", "tolerations"}, each, "what a class adds may meet it");
    if ((spec.required.affinities.is_any() || !node.is_absent()) && !pairs.empty())
      refuse_entry({"required", "affinities", "nodeAffinities"}, each,
                   "what a class adds may meet it");
    const auto stands_before = [&](const Toleration& by_default) {
      const Toleration* usual = default_seconds_of(by_default);
      return usual != nullptr &&
             std::any_of(tolerations.begin(), tolerations.end(), [&](Toleration other) {
               other.toleration_seconds.reset();
               return covers(other, *usual);
             });
    };
    if (std::any_of(given.begin(), given.end(), stands_before))
      refuse_entry({"default", "tolerations"}, each, "it has no effect beside what a class adds");
    if (std::any_of(given.begin(), given.end(), hides_another))
      refuse_entry({"default", "tolerations"}, each,
                   "one that the cluster adds to every pod covers another one");
    if (!gives && spec.defaults.runtime_class_name == each.metadata.name)
      refuse_entry({"default", "runtimeClassName"}, each,
                   "in this mode nothing is given, and the class would not add what it adds");
  }
}

}  // namespace cli
