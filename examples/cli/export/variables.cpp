// SPDX-License-Identifier: Apache-2.0
#include "variables.hpp"

#include "cel.hpp"

#include <schedpol/core/affinity.hpp>

#include <algorithm>
#include <set>

namespace cli {

namespace {

/// The kinds of a policy have different fields, which the API server would warn of where it knows the type.
std::string untyped(std::string_view object) {
  return "dyn(" + std::string(object) + ")";
}

std::string pod_template_path(std::string_view object, std::string_view kind) {
  std::string text = untyped(object);
  if (kind == "CronJob") text += ".?spec.?jobTemplate";
  if (kind == "PodTemplate") return text + ".?template";
  return text + ".?spec.?template";
}

std::string by_kind(const std::string& of_pod, const std::string& of_cron_job,
                    const std::string& of_template, const std::string& of_others) {
  std::string text;
  if (!of_pod.empty()) text += "request.kind.kind == 'Pod' ? " + of_pod + " : ";
  return text + "request.kind.kind == 'CronJob' ? " + of_cron_job +
         " : request.kind.kind == 'PodTemplate' ? " + of_template + " : " + of_others;
}

std::string capitalised(std::string_view name) {
  std::string text(name);
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// Where a mode of a kind of affinity stands in a pod spec.
std::string terms_at(Of of, std::string_view kind, std::string_view mode) {
  return variable("spec", of) + ".?affinity.?" + std::string(kind) + ".?" + std::string(mode);
}

/// The variables of one of the two objects.
void add_of_object(std::vector<Variable>& all, Of of) {
  const auto add = [&](std::string_view name, std::string expression, std::string comment = {}) {
    std::string called = variable(name, of).substr(std::string_view("variables.").size());
    all.push_back({std::move(called), std::move(expression), std::move(comment)});
  };
  const std::string spec = variable("spec", of);
  const auto list = [&](std::string_view field) { return cel::field_or(spec, field, "[]"); };
  add("schedulerName", cel::field_or(spec, "schedulerName", "'default-scheduler'"));
  for (const std::string_view name : {"nodeName", "priorityClassName", "runtimeClassName"})
    add(name, cel::field_or(spec, name, "''"));
  add("nodeSelector", cel::field_or(spec, "nodeSelector", "{}"));
  for (const std::string_view name :
       {"tolerations", "topologySpreadConstraints", "schedulingGates", "resourceClaims"})
    add(name, list(name));
  add("nodeTermsAsWritten",
      terms_at(of, "nodeAffinity", schedpol::required_mode) + ".?nodeSelectorTerms.orValue([])");
  const std::string written = variable("nodeTermsAsWritten", of);
  add("pins",
      "variables.byDaemonSetController && " + written + " != null ? " + written +
          ".map(t, t.?matchFields.orValue([]).filter(f, f.key == 'metadata.name' && f.operator == "
          "'In' && size(f.?values.orValue([])) == 1)) : []",
      "the node that the DaemonSet controller ties a pod to, term by term");
  const std::string pins = variable("pins", of);
  add("pin", "size(" + pins + ") > 0 && size(" + pins + "[0]) > 0 ? dyn(" + pins + "[0][size(" +
                 pins + "[0]) - 1]) : dyn({})");
  const std::string pin = variable("pin", of);
  add("isPinned", "size(" + pins + ") > 0 && " + pins +
                      ".all(p, size(p) > 0 && p[size(p) - 1] == " + pin +
                      " && size(p.filter(f, f == " + pin + ")) == 1)");
  add("unpinnedTerms",
      variable("isPinned", of) + " ? " + written +
          ".map(t, {?'matchExpressions': t.?matchExpressions, ?'matchFields': "
          "size(t.matchFields) > 1 ? optional.of(dyn(t.matchFields.filter(f, f != " +
          pin + "))) : optional.none()}) : []");
  add("nodeTerms",
      variable("isPinned", of) + " ? (" + variable("unpinnedTerms", of) +
          ".all(t, size(t) == 0) ? [] : " + variable("unpinnedTerms", of) + ") : (" + written +
          " == null ? [] : " + written + ")",
      "required node affinity");
  const auto mode = [&](std::string_view name, std::string_view kind, std::string_view mode_name) {
    add(name, terms_at(of, kind, mode_name) + ".orValue([])");
  };
  mode("preferredNodeTerms", "nodeAffinity", schedpol::preferred_mode);
  mode("podAffinity", "podAffinity", schedpol::required_mode);
  mode("preferredPodAffinity", "podAffinity", schedpol::preferred_mode);
  mode("podAntiAffinity", "podAntiAffinity", schedpol::required_mode);
  mode("preferredPodAntiAffinity", "podAntiAffinity", schedpol::preferred_mode);
}

/// The names of variables in a text.
void add_used(std::set<std::string, std::less<>>& used, std::string_view text) {
  constexpr std::string_view prefix = "variables.";
  for (std::size_t at = text.find(prefix); at != std::string_view::npos;
       at = text.find(prefix, at + 1)) {
    const std::size_t from = at + prefix.size();
    std::size_t to = from;
    while (to < text.size() && std::isalnum(static_cast<unsigned char>(text[to])) != 0) ++to;
    used.emplace(text.substr(from, to - from));
  }
}

}  // namespace

std::string variable(std::string_view name, Of of) {
  return "variables." + (of == Of::old ? "old" + capitalised(name) : std::string(name));
}

std::string pod_spec_of(std::string_view object) {
  constexpr std::string_view empty = ".?spec.orValue(dyn({}))";
  const auto at = [&](std::string_view kind) {
    return pod_template_path(object, kind) + std::string(empty);
  };
  return "(" +
         by_kind(untyped(object) + std::string(empty), at("CronJob"), at("PodTemplate"), at("")) +
         ")";
}

std::string pod_template_of(std::string_view object) {
  const auto at = [&](std::string_view kind) { return pod_template_path(object, kind); };
  return "(" + by_kind({}, at("CronJob"), at("PodTemplate"), at("")) + ")";
}

std::string account_name_of(const std::string& pod_spec) {
  return pod_spec + ".?serviceAccountName.orValue(" + pod_spec +
         ".?serviceAccount.orValue('default'))";
}

std::string account_of(const std::string& pod_spec) {
  return "request.namespace + '/' + " + account_name_of(pod_spec);
}

std::vector<Variable> all_variables(const schedpol::engine::Settings& settings,
                                    const std::string& old_counts) {
  std::vector<Variable> all;
  all.push_back({"at",
                 by_kind("'spec'", "'spec.jobTemplate.spec.template.spec'", "'template.spec'",
                         "'spec.template.spec'"),
                 "where the pod spec stands"});
  all.push_back({"spec", pod_spec_of("object"), "that of the pod, or of the pod template"});
  all.push_back({"account", account_name_of(variable("spec")), "the service account"});
  all.push_back({"hasOld", cel::all_of({"request.operation == 'UPDATE'", old_counts}),
                 "an update is denied for what it adds"});
  all.push_back({"oldSpec", "variables.hasOld ? " + pod_spec_of("oldObject") + " : dyn({})", ""});
  all.push_back({"byDaemonSetController",
                 "request.kind.kind == 'Pod' && request.userInfo.?username.orValue('') == " +
                     cel::quoted(settings.daemon_set_controller),
                 ""});
  add_of_object(all, Of::object);
  add_of_object(all, Of::old);
  return all;
}

std::set<std::string, std::less<>> used_by(const std::vector<Variable>& variables,
                                           const std::vector<std::string_view>& expressions) {
  std::set<std::string, std::less<>> used;
  for (const std::string_view each : expressions) add_used(used, each);
  // A variable uses those before it.
  for (auto each = variables.rbegin(); each != variables.rend(); ++each)
    if (used.contains(each->name)) add_used(used, each->expression);
  return used;
}

void keep_used(Rules& rules) {
  std::vector<std::string_view> expressions;
  for (const Validation& each : rules.validations) {
    expressions.push_back(each.expression);
    expressions.push_back(each.message);
  }
  for (const Mutation& each : rules.mutations) expressions.push_back(each.expression);
  const auto used = used_by(rules.variables, expressions);
  std::erase_if(rules.variables, [&](const Variable& each) { return !used.contains(each.name); });
}

}  // namespace cli
