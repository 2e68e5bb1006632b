// SPDX-License-Identifier: Apache-2.0
// `schedpol export`: the SchedulingPolicies as ValidatingAdmissionPolicies and
// MutatingAdmissionPolicies, for clusters that run no webhook.

#include "cel.hpp"
#include "classes.hpp"
#include "cost.hpp"
#include "groups.hpp"
#include "live.hpp"
#include "manifests.hpp"
#include "mutations.hpp"
#include "validations.hpp"
#include "variables.hpp"

#include "../commands.hpp"
#include "../policies.hpp"

#include "../../support/printable.hpp"

#include <schedpol/base/quoting.hpp>

#include <algorithm>
#include <iostream>

namespace cli {

namespace {

namespace engine = schedpol::engine;
namespace sp = schedpol::scheduling_policy;

Action action_of(const std::string& mode, const engine::Configuration& configuration) {
  if (mode == "Warn") return Action::warn;
  if (mode == "Audit") return Action::audit;
  if (mode == "Deny") return Action::deny;
  for (const engine::Step& step : configuration.systems) {
    if (step.system != engine::System::scheduling_policy) continue;
    if (step.mode == engine::Mode::warn) return Action::warn;
    if (step.mode == engine::Mode::audit) return Action::audit;
  }
  return Action::deny;
}

/// Whether an engine of this configuration does what the API server's RuntimeClass plugin does.
bool adds_of_classes(const engine::Configuration& configuration) {
  return std::any_of(
      configuration.systems.begin(), configuration.systems.end(), [](const engine::Step& step) {
        return step.system == engine::System::runtime_class && step.mode == engine::Mode::enforce;
      });
}

/// What of a configuration no expression can say.
void refuse_settings(const engine::Configuration& configuration, Refusals& refusals) {
  const engine::Settings& settings = configuration.settings;
  const auto refuse = [&](std::string_view field, std::string reason) {
    refusals.push_back({"EngineConfiguration." + std::string(field), std::move(reason)});
  };
  if (settings.namespace_modes)
    refuse("namespaceModes", "what a label of a namespace says changes no binding");
  if (!settings.templates.empty())
    refuse("templates", "the templates of custom kinds are not looked at");
  const sp::Options& options = settings.options;
  schedpol::SchedulingCriteria exempt = options.exempt;
  exempt.tolerations.clear();
  if (exempt != schedpol::SchedulingCriteria())
    refuse("options.exempt", "only tolerations are exempt in an expression");
  for (const schedpol::Toleration& each : options.exempt.tolerations)
    if (const schedpol::Toleration* usual = default_seconds_of(each);
        usual != nullptr && !(*usual == each))
      refuse("options.exempt.tolerations",
             schedpol::in_backticks(to_string(each)) +
                 " takes the place of what DefaultTolerationSeconds adds, which an expression does "
                 "not tell from a default");
  if (!options.exempt_criteria.empty())
    refuse("options.exemptCriteria", "what objects of the cluster add is not looked up");
  if (options.added_to_pods != schedpol::SchedulingCriteria())
    refuse("options.addedToPods", "what a class adds is not looked up");
  for_each_list(configuration.objects, [&](const auto& list, engine::ObjectKinds kinds) {
    const engine::System system = kinds.begin()->system;
    if (system == engine::System::scheduling_policy || system == engine::System::none ||
        list.empty())
      return;
    const bool is_class = system == engine::System::runtime_class;
    if (is_class && adds_of_classes(configuration)) return;
    refusals.push_back(
        {std::string(to_string(system)) + " " + schedpol::in_backticks(list.front().metadata.name),
         std::string(is_class
                         ? "the configuration does not enforce RuntimeClass, and an API server "
                           "does"
                     : system == engine::System::pod_scheduling_policy
                         ? "nobody adds to pods what it says where no webhook runs"
                         : "only SchedulingPolicies are exported") +
             "; to leave it out, see --exclude-kind"});
  });
}

/// What is decided on, the same for all groups.
std::vector<MatchCondition> common_conditions(const engine::Settings& settings) {
  std::vector<MatchCondition> conditions;
  conditions.push_back(
      {"a-pod-or-no-workloads-workload",
       "request.kind.kind == 'Pod' || !has(object.metadata.ownerReferences) || "
       "!object.metadata.ownerReferences.exists(owner, has(owner.controller) && owner.controller "
       "&& "
       "(request.kind.kind == 'ReplicaSet' || (owner.apiVersion == 'v1' && owner.kind in "
       "['ReplicationController', 'PodTemplate']) || (owner.apiVersion.startsWith('apps/') && "
       "owner.kind in ['ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet']) || "
       "(owner.apiVersion.startsWith('batch/') && owner.kind in ['Job', 'CronJob'])))"});
  conditions.push_back(
      {"no-mirror-pod",
       "request.kind.kind != 'Pod' || !('system:nodes' in "
       "request.userInfo.?groups.orValue([])) || !('kubernetes.io/config.mirror' in "
       "object.metadata.?annotations.orValue({}))"});
  conditions.push_back({"a-pod-or-another-template",
                        "request.operation == 'CREATE' || request.kind.kind == 'Pod' || " +
                            pod_template_of("object") + " != " + pod_template_of("oldObject")});
  if (!settings.placers.empty())
    conditions.push_back(
        {"no-placers-update",
         "request.kind.kind != 'Pod' || request.operation != 'UPDATE' || "
         "size(oldObject.spec.?schedulingGates.orValue([])) == 0 || !(" +
             cel::is_one_of("request.userInfo.?username.orValue('')", settings.placers) + ")"});
  return conditions;
}

std::string whose(const ExportedGroup& group, bool is_alone) {
  if (!group.condition.empty())
    return "of those who may use them by the roles and bindings of the moment";
  if (is_alone) return "of everybody";
  std::string text = "of those who may use the same";
  std::size_t named = group.accounts.size() + group.namespaces.size();
  if (group.everybody) return text + ": everybody whom no other one names";
  return text + ": " + std::to_string(named) +
         (named == 1 ? " account or namespace" : " accounts and namespaces");
}

class Exporter {
 public:
  Exporter(const PolicySet& policies, Action action, bool asks)
      : settings_(policies.configuration.settings),
        classes_(policies.configuration.objects.runtime_classes),
        action_(action),
        conditions_(common_conditions(settings_)) {
    refuse_settings(policies.configuration, refusals_);
    if (!asks) {
      groups_ = groups_of(policies.configuration, policies.engine);
      return;
    }
    groups_ = live_groups_of(policies.configuration, policies.engine, refusals_);
    questions_ = questions(policies.configuration);
  }

  std::string run() {
    std::string out;
    for (const ExportedGroup& group : groups_) out += manifests_of(group);
    return out;
  }

  [[nodiscard]] const Refusals& refusals() const noexcept { return refusals_; }
  [[nodiscard]] const Classes& classes() const noexcept { return classes_; }

 private:
  std::string manifests_of(const ExportedGroup& group) {
    const bool is_alone = groups_.size() == 1;
    std::vector<MatchCondition> conditions = conditions_;
    const std::string account = account_of(pod_spec_of("object"));
    const std::string old_account = account_of(pod_spec_of("oldObject"));
    std::string old_member =
        variable("account") + " == " + account_name_of(pod_spec_of("oldObject"));
    if (group.condition.empty()) {
      const std::string member = is_member(group, groups_, account);
      if (member != cel::always) conditions.push_back({"may-use-these-policies", member});
      old_member = is_member(group, groups_, old_account);
    }
    const std::string names = schedpol::in_backticks(group.effective.policies());
    std::string about = "The rules of " + names + ", " + whose(group, is_alone) + ".\n" +
                        std::string(to_string(settings_.strategy)) +
                        ", as `schedpol merge` prints it.";
    if (group.policies.empty())
      about = "No SchedulingPolicy may be used: " + whose(group, is_alone) + ".";
    if (group.is_not_exported)
      about = "Of those who may use policies together that are not exported together.";
    Manifest manifest{name_of(group), about, conditions, {}, action_};
    Rules& rules = manifest.rules;
    rules.variables = variables_of(old_member);
    classes_.add_to(rules.variables);
    classes_.refuse(group.effective, settings_.options, action_ == Action::deny, refusals_);
    add_validations(rules, group.effective, settings_.options, classes_);
    if (group.policies.empty()) deny_all(rules, group.is_not_exported);
    const bool gives = group.effective.spec().defaults != sp::Defaults();
    if (gives && action_ != Action::deny)
      judge_as_if_given(rules, group.effective, settings_.options, refusals_);
    if (!group.condition.empty()) put_under(group.condition, rules);
    keep_used(rules);
    std::string out;
    if (gives && action_ == Action::deny) out += mutating(group, manifest, old_member);
    refuse_costs(rules, conditions, names, refusals_);
    manifest.comment += "\nCosts an API server at most " + cost_text(rules) + " for a pod of\n" +
                        std::string(size_of_pod) + ".";
    if (rules.validations.empty()) return out;
    const std::string text = validating_manifest(manifest);
    refuse_size(text, names, refusals_);
    return out + text;
  }

  std::string mutating(const ExportedGroup& group, Manifest manifest,
                       const std::string& old_member) {
    manifest.conditions.push_back(
        {"a-new-pod-or-template", "request.operation == 'CREATE' || request.kind.kind != 'Pod'"});
    manifest.rules = {};
    manifest.rules.variables = variables_of(old_member);
    classes_.add_to(manifest.rules.variables, group.effective.spec().defaults.runtime_class_name);
    add_mutations(manifest.rules, group.effective, settings_, classes_, refusals_);
    if (manifest.rules.mutations.empty()) return {};
    if (!group.condition.empty()) put_under(group.condition, manifest.rules);
    keep_used(manifest.rules);
    const std::string names = schedpol::in_backticks(group.effective.policies());
    refuse_costs(manifest.rules, manifest.conditions, names, refusals_);
    const std::string text = mutating_manifest(manifest);
    refuse_size(text, names, refusals_);
    return text;
  }

  [[nodiscard]] std::vector<Variable> variables_of(const std::string& old_member) const {
    std::vector<Variable> all = all_variables(settings_, old_member);
    all.insert(all.end(), questions_.begin(), questions_.end());
    return all;
  }

  /// An update that asks for nothing more goes through; of policies that are not exported, one that changes nothing
  /// they look at.
  static void deny_all(Rules& rules, bool is_not_exported) {
    cel::Parts nothing_new = {is_not_exported ? "variables.hasOld"
                                              : "request.operation == 'UPDATE'"};
    if (is_not_exported) {
      // What these policies require is not known either.
      for (const std::string_view name : looked_at)
        nothing_new.push_back(variable(name) + " == " + variable(name, Of::old));
    } else {
      for (const Validation& each : rules.validations) nothing_new.push_back(each.expression);
    }
    const std::string account = account_of(variable("spec"));
    const std::string code = is_not_exported ? "NotExported" : "NoUsablePolicy";
    const std::string text = is_not_exported
                                 ? "may use SchedulingPolicies together that are not exported "
                                   "together; export them again"
                                 : "may use no SchedulingPolicy";
    rules.validations = {{cel::all_of(nothing_new),
                          "variables.at + ': the service account ' + " + account + " + " +
                              cel::quoted(" " + text + " (" + code + ")"),
                          "the service account " + text + " (" + code + ")", code}};
  }

  const engine::Settings& settings_;
  std::vector<ExportedGroup> groups_{};
  std::vector<Variable> questions_{};
  Classes classes_;
  Action action_;
  std::vector<MatchCondition> conditions_;
  Refusals refusals_{};
};

}  // namespace

Status run_export(const Arguments& arguments) {
  Problems problems;
  Selection selection(arguments);
  Input input(arguments.stdin_name, selection, problems);
  auto policies = usable_policies(arguments.operands, arguments.namespace_, input, problems);
  if (!policies) return Status::not_looked;
  auto& configuration = policies->configuration;
  if (configuration.objects.scheduling_policies.empty()) {
    problems.add("there is no SchedulingPolicy to export");
    return Status::not_looked;
  }
  const auto strategy = strategy_of(arguments.strategy);
  if (strategy) configuration.settings.strategy = *strategy;
  if (arguments.live_rbac && policies->uses_every_policy)
    configuration.settings.policy_use = engine::PolicyUse::rbac;
  if (strategy || arguments.live_rbac) {
    auto compiled = compile(configuration);
    if (!compiled) return Status::not_looked;
    policies->engine = *std::move(compiled);
  }
  if (arguments.live_rbac && configuration.settings.policy_use == engine::PolicyUse::every) {
    problems.add(
        "cannot be exported: EngineConfiguration.policyUse: `Every` asks nobody, and --live-rbac "
        "does");
    return Status::not_looked;
  }
  Exporter exporter(*policies, action_of(arguments.mode, configuration), arguments.live_rbac);
  const std::string manifests = exporter.run();
  for (const Refusal& refusal : exporter.refusals())
    problems.add("cannot be exported: " + refusal.place + ": " + refusal.reason);
  selection.finish();
  if (problems.any()) return Status::not_looked;
  std::string out = "# Made by schedpol " + version_text() + " export";
  if (!arguments.date.empty()) out += " on " + support::printable(arguments.date);
  out += ". Applied so, nothing of an earlier export stays:\n" + apply_comment();
  if (!exporter.classes().empty())
    out += comment(exporter.classes().comment(support::printable(arguments.date)), 0);
  std::cout << out << (manifests.empty() ? manifest_of_nothing() : manifests);
  return Status::good;
}

}  // namespace cli
