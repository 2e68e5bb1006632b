// SPDX-License-Identifier: Apache-2.0
#include "manifests.hpp"

#include "../../support/printable.hpp"

#include <schedpol/json/encode.hpp>

namespace cli {

namespace {

constexpr std::size_t width = 110;

/// An expression in lines that people can read; CEL takes a new line for a space.
std::string expression(const std::string& text, std::size_t indent) {
  const std::string margin = "\n" + std::string(indent, ' ');
  std::string out = "|-" + margin;
  std::size_t used = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && c == '\\') {
      out.append(text, i++, 2);
      used += 2;
      continue;
    }
    if (c == '\'') is_quoted = !is_quoted;
    if (!is_quoted && c == ' ' && used > 0) {
      // Up to the next place where the line could be broken.
      std::size_t next = i + 1;
      bool in_quotes = false;
      while (next < text.size() && (in_quotes || text[next] != ' ')) {
        if (in_quotes && text[next] == '\\')
          ++next;
        else if (text[next] == '\'')
          in_quotes = !in_quotes;
        ++next;
      }
      if (used + next - i > width) {
        out += margin;
        used = 0;
        continue;
      }
    }
    out += c;
    ++used;
  }
  return out;
}

std::string text(const std::string& value) {
  return schedpol::json::encode(value);
}

constexpr std::string_view api_version = "admissionregistration.k8s.io/v1";
constexpr std::string_view managed_by = "schedpol-export";

std::string head(std::string_view kind, const std::string& name, const std::string& about) {
  std::string out = "---\n" + comment(about, 0) + "apiVersion: ";
  out.append(api_version).append("\nkind: ").append(kind);
  out += "\nmetadata:\n  name: " + text(name) +
         "\n  labels: {app.kubernetes.io/part-of: schedpol, app.kubernetes.io/managed-by: ";
  return out.append(managed_by) + "}\n";
}

std::string match(const Manifest& manifest) {
  std::string out =
      "  failurePolicy: Fail\n"
      "  matchConstraints:\n"
      "    matchPolicy: Equivalent\n"
      "    namespaceSelector:\n"
      "      matchExpressions:\n"
      "      - key: kubernetes.io/metadata.name\n"
      "        operator: NotIn\n"
      "        values: [kube-system, kube-node-lease, kube-public]\n"
      "    resourceRules:\n";
  const std::pair<std::string_view, std::string_view> rules[] = {
      {"''", "pods, podtemplates, replicationcontrollers"},
      {"apps", "replicasets, deployments, statefulsets, daemonsets"},
      {"batch", "jobs, cronjobs"}};
  for (const auto& [group, resources] : rules) {
    out.append("    - operations: [CREATE, UPDATE]\n      apiGroups: [")
        .append(group)
        .append("]\n      apiVersions: [v1]\n      resources: [")
        .append(resources)
        .append("]\n      scope: Namespaced\n");
  }
  if (!manifest.conditions.empty()) out += "  matchConditions:\n";
  for (const MatchCondition& each : manifest.conditions)
    out += "  - name: " + each.name + "\n    expression: " + expression(each.expression, 6) + "\n";
  if (manifest.rules.variables.empty()) return out;
  out += "  variables:\n";
  for (const Variable& each : manifest.rules.variables)
    out += comment(each.comment, 2) + "  - name: " + each.name +
           "\n    expression: " + expression(each.expression, 6) + "\n";
  return out;
}

constexpr std::string_view validating = "ValidatingAdmissionPolicy";
constexpr std::string_view mutating = "MutatingAdmissionPolicy";

std::string binding_of(std::string_view kind) {
  return std::string(kind) + "Binding";
}

}  // namespace

std::string comment(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    out +=
        std::string(indent, ' ') + "# " + support::printable(text.substr(from, to - from)) + "\n";
    from = to + 1;
  }
  return out;
}

std::string apply_comment() {
  std::string command =
      "  kubectl apply -f admission.yaml --prune -l app.kubernetes.io/managed-by=";
  command += managed_by;
  for (const std::string_view kind : {validating, mutating})
    for (const std::string& each : {std::string(kind), binding_of(kind)})
      command.append(" \\\n    --prune-allowlist=").append(api_version).append("/" + each);
  return comment(command, 0);
}

std::string validating_manifest(const Manifest& manifest) {
  std::string out = head(validating, manifest.name, manifest.comment) + "spec:\n" +
                    match(manifest) + "  validations:\n";
  for (const Validation& each : manifest.rules.validations)
    out += comment(each.comment, 2) + "  - expression: " + expression(each.expression, 6) +
           "\n    message: " + text(each.fallback) +
           "\n    messageExpression: " + expression(each.message, 6) + "\n    reason: Forbidden\n";
  const std::string action = manifest.action == Action::deny   ? "Deny"
                             : manifest.action == Action::warn ? "Warn"
                                                               : "Audit";
  return out + head(binding_of(validating), manifest.name, "") +
         "spec:\n  policyName: " + text(manifest.name) + "\n  validationActions: [" + action +
         "]\n";
}

std::string manifest_of_nothing() {
  return head(validating, "schedpol-nothing",
              "These policies deny nothing and give nothing. This object is here to be applied, so "
              "that "
              "an earlier\nexport can be pruned; it has no binding, and does nothing.") +
         "spec:\n" + match({}) + "  validations:\n  - expression: \"true\"\n";
}

std::string mutating_manifest(const Manifest& manifest) {
  std::string out = head(mutating, manifest.name, manifest.comment) + "spec:\n" + match(manifest) +
                    "  reinvocationPolicy: IfNeeded\n  mutations:\n";
  for (const Mutation& each : manifest.rules.mutations)
    out += comment(each.comment, 2) +
           "  - patchType: JSONPatch\n    jsonPatch:\n      expression: " +
           expression(each.expression, 8) + "\n";
  return out + head(binding_of(mutating), manifest.name, "") +
         "spec:\n  policyName: " + text(manifest.name) + "\n";
}

}  // namespace cli
