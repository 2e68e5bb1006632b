// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <schedpol/version.hpp>

#include <limits>

namespace cli {

namespace {

constexpr std::string_view report_formats[] = {"text", "json", "junit", "sarif", "github"};
constexpr std::string_view check_formats[] = {"text",  "json",   "junit",
                                              "sarif", "github", "policyreport"};
constexpr std::string_view value_formats[] = {"text", "json"};
constexpr std::string_view strategies[] = {"SmartDeepMerge", "FirstSeenWins", "SimpleMerge"};

constexpr Option for_objects = {.name = "for",
                                .letter = 'f',
                                .into = &Arguments::objects,
                                .value = "PATH...",
                                .help = "the objects, in files, folders or `-`"};
constexpr Option required_objects = {.name = "for",
                                     .letter = 'f',
                                     .into = &Arguments::objects,
                                     .value = "PATH...",
                                     .help = "the objects, in files, folders or `-`",
                                     .words = {},
                                     .required = true};
constexpr Option namespace_ = {.name = "namespace",
                               .letter = 'n',
                               .into = &Arguments::namespace_,
                               .value = "NAME",
                               .help = "the namespace of objects that say none (default)"};
constexpr Option report_format = {.name = "output",
                                  .letter = 'o',
                                  .into = &Arguments::output,
                                  .value = "FORMAT",
                                  .help = "text, json, junit, sarif or github",
                                  .words = report_formats};
constexpr Option check_format = {.name = "output",
                                 .letter = 'o',
                                 .into = &Arguments::output,
                                 .value = "FORMAT",
                                 .help = "text, json, junit, sarif, github or policyreport",
                                 .words = check_formats};
constexpr Option value_format = {.name = "output",
                                 .letter = 'o',
                                 .into = &Arguments::output,
                                 .value = "FORMAT",
                                 .help = "text or json",
                                 .words = value_formats};
constexpr Option stdin_name = {.name = "stdin-name",
                               .letter = 0,
                               .into = &Arguments::stdin_name,
                               .value = "NAME",
                               .help = "what to call the file that `-` is"};
constexpr Option exclude = {.name = "exclude",
                            .letter = 0,
                            .into = &Arguments::excluded,
                            .value = "GLOB",
                            .help =
                                "leave out files and folders whose path ends so: `*.test.yaml`, "
                                "`charts/*/ci`, `base/**/crds`",
                            .words = {},
                            .required = false,
                            .not_empty = true};
constexpr Option exclude_kind = {.name = "exclude-kind",
                                 .letter = 0,
                                 .into = &Arguments::excluded_kinds,
                                 .value = "KIND",
                                 .help = "leave out objects of this kind",
                                 .words = {},
                                 .required = false,
                                 .not_empty = true};
constexpr Option only_denied = {.name = "only-denied",
                                .letter = 0,
                                .into = &Arguments::only_denied,
                                .value = {},
                                .help = "leave out what is allowed"};
constexpr Option as_stored = {
    .name = "as-stored",
    .letter = 0,
    .into = &Arguments::as_stored,
    .value = {},
    .help = "take what a cluster printed literally, and not as it was created"};
constexpr Option nodes = {.name = "nodes",
                          .letter = 0,
                          .into = &Arguments::nodes,
                          .value = "PATH...",
                          .help = "the nodes of the cluster"};
constexpr Option required_nodes = {.name = "nodes",
                                   .letter = 0,
                                   .into = &Arguments::nodes,
                                   .value = "PATH...",
                                   .help = "the nodes of the cluster",
                                   .words = {},
                                   .required = true};
constexpr Option filter = {.name = "filter",
                           .letter = 0,
                           .into = &Arguments::filter,
                           .value = "TEXT",
                           .help = "only the cases with this in their name"};
constexpr Option coverage = {.name = "coverage",
                             .letter = 0,
                             .into = &Arguments::coverage,
                             .value = {},
                             .help = "tell which rules of the policies no case depends on"};
constexpr Option strategy = {.name = "strategy",
                             .letter = 0,
                             .into = &Arguments::strategy,
                             .value = "STRATEGY",
                             .help = "SmartDeepMerge, FirstSeenWins or SimpleMerge",
                             .words = strategies};
constexpr Option service_account = {.name = "service-account",
                                    .letter = 0,
                                    .into = &Arguments::service_account,
                                    .value = "NAMESPACE/NAME",
                                    .help = "only the policies that it may use"};
constexpr Option existing = {.name = "existing",
                             .letter = 0,
                             .into = &Arguments::existing,
                             .value = "PATH...",
                             .help = "policies, roles and bindings that are there already"};
constexpr Option from = {
    .name = "from",
    .letter = 0,
    .into = &Arguments::from,
    .value = "PATH...",
    .help = "what a webhook heard that warns or audits: its /needs, JSON lines"};
constexpr Option prove = {.name = "prove",
                          .letter = 0,
                          .into = &Arguments::prove,
                          .value = "PATH...",
                          .help = "suggest nothing, and prove what these files add"};
constexpr std::string_view subjects[] = {"serviceaccount", "namespace"};
constexpr Option subject = {.name = "subject",
                            .letter = 0,
                            .into = &Arguments::subject,
                            .value = "SUBJECT",
                            .help = "to whom policies are granted: serviceaccount or namespace",
                            .words = subjects};
constexpr Option common = {.name = "common",
                           .letter = 0,
                           .into = &Arguments::common,
                           .value = "PERCENT",
                           .help = "grant to everybody what so many of the subjects need"};
constexpr Option generalise = {.name = "generalise",
                               .letter = 0,
                               .into = &Arguments::generalise,
                               .value = "KEY...",
                               .help = "permit any values of these keys"};
constexpr Option any_node_names = {.name = "any-node-names",
                                   .letter = 0,
                                   .into = &Arguments::any_node_names,
                                   .value = {},
                                   .help = "permit any names where names of nodes are asked for"};
constexpr Option max_policies = {
    .name = "max-policies",
    .letter = 0,
    .into = &Arguments::max_policies,
    .value = "N",
    .help = "join policies, at the least cost, until there are so few"};
constexpr Option components = {.name = "components",
                               .letter = 0,
                               .into = &Arguments::components,
                               .value = "NAME...",
                               .help = "what is governed: Proposal, All, or fields of `allowed`"};
constexpr Option replicas = {.name = "replicas",
                             .letter = 0,
                             .into = &Arguments::replicas,
                             .value = "N",
                             .help = "how many are planned (as many as the workload says)"};
constexpr Option pods = {
    .name = "pods",
    .letter = 0,
    .into = &Arguments::pods,
    .value = "PATH...",
    .help = "the pods that are there, as `kubectl get pods -A -o json` prints them"};
constexpr Option policy_only = {
    .name = "policy-only",
    .letter = 0,
    .into = &Arguments::policy_only,
    .value = {},
    .help = "by the ResourcePolicy alone, whatever the nodes have left"};

constexpr std::string_view modes[] = {"Deny", "Warn", "Audit"};
constexpr Option mode = {
    .name = "mode",
    .letter = 0,
    .into = &Arguments::mode,
    .value = "MODE",
    .help = "what becomes of an object that is not permitted: Deny, Warn or Audit",
    .words = modes};
constexpr Option date = {.name = "date",
                         .letter = 0,
                         .into = &Arguments::date,
                         .value = "DATE",
                         .help = "a date for the comment that says what made it"};
constexpr Option live_rbac = {
    .name = "live-rbac",
    .letter = 0,
    .into = &Arguments::live_rbac,
    .value = {},
    .help = "have the API server ask who may use a policy when an object comes, not now"};
constexpr Option strict = {.name = "strict",
                           .letter = 0,
                           .into = &Arguments::strict,
                           .value = {},
                           .help = "exit with 1 for a warning, too"};

constexpr Option check_options[] = {required_objects, namespace_,   only_denied,  as_stored,
                                    exclude,          exclude_kind, check_format, stdin_name};
constexpr Option explain_options[] = {required_objects, namespace_,   only_denied,  as_stored,
                                      exclude,          exclude_kind, value_format, stdin_name};
constexpr Option lint_options[] = {nodes,        namespace_,    strict,    exclude,
                                   exclude_kind, report_format, stdin_name};
constexpr Option diff_options[] = {for_objects,  namespace_,    as_stored, exclude,
                                   exclude_kind, report_format, stdin_name};
constexpr Option merge_options[] = {strategy,     service_account, exclude,
                                    exclude_kind, value_format,    stdin_name};
constexpr Option test_options[] = {filter, coverage, exclude, exclude_kind, report_format};
constexpr Option plan_options[] = {required_objects, required_nodes, pods,    replicas,
                                   policy_only,      namespace_,     exclude, exclude_kind,
                                   value_format,     stdin_name};

constexpr Option suggest_options[] = {
    from,           existing,     prove,        subject,      common,    generalise,
    any_node_names, max_policies, components,   strategy,     nodes,     namespace_,
    as_stored,      exclude,      exclude_kind, value_format, stdin_name};

constexpr Option export_options[] = {mode, strategy, live_rbac,    namespace_,
                                     date, exclude,  exclude_kind, stdin_name};

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

constexpr Command table[] = {
    {"check", "decides on objects as a cluster with these policies would", "POLICIES...", 1,
     any_number,
     "Each object is allowed, changed, which shows as a diff, or denied, with every reason, its "
     "place in the file and the fewest edits that it would be allowed with. What systems only warn "
     "of or audit is counted apart, and so is what no system decides on. A pod that a cluster "
     "printed "
     "is decided on as it was when it was created; it is undecided where nobody can tell whether "
     "it "
     "named its node. Alike pods are shown by their owner. Exit status: 0, none is denied or "
     "undecided; 1, some are; 2, something could not be looked at, or no system decides on "
     "anything.",
     "helm template ./chart | schedpol check policies/ --for -", check_options, run_check},
    {"explain", "tells which entries of which policies decide on each part of an object",
     "POLICIES...", 1, any_number,
     "One line for everything that SchedulingPolicies look at in an object, what is denied first, "
     "with the entries behind it and those that lost in the merge. Pods that a cluster printed are "
     "taken as by `check`. Exit status: 0, none is denied or undecided; 1, some are; 2, something "
     "could not be looked at, or no system decides on anything.",
     "schedpol explain policies/ --for deployment.yaml", explain_options, run_explain},
    {"lint", "tells what is wrong with policies, and what is odd about them together",
     "POLICIES...", 1, any_number,
     "Errors make a policy unfit for use; warnings and notes are about what policies do to one "
     "another. Exit status: 0, there is no error, and with --strict no warning; 1, there is one; "
     "2, "
     "something could not be looked at.",
     "schedpol lint policies/ -o sarif > lint.sarif", lint_options, run_lint},
    {"diff", "tells what a change of the policies changes", "BEFORE AFTER", 2, 2,
     "Compares the pods that both allow, exactly, and shows one for each direction in which they "
     "differ; with objects, which of them are denied, allowed or changed otherwise, grouped by "
     "what owns them. Pods that a cluster printed are taken as by `check`. Exit status: 0, nothing "
     "changes; 1, something does, or nobody can tell; 2, something could not be looked at.",
     "kubectl get pods -A -o json | schedpol diff policies/ new-policies/ --for -", diff_options,
     run_diff},
    {"merge", "prints the policy that all SchedulingPolicies are together", "POLICIES...", 1,
     any_number,
     "YAML that can be read back, each entry with the policies that it comes from, and with those "
     "whose entry lost. Exit status: 0; 2, something could not be looked at, or no one policy can "
     "say what they say together.",
     "schedpol merge policies/ --service-account shop/default", merge_options, run_merge},
    {"test", "holds policies against a file of cases", "CASES...", 1, any_number,
     "Each case says an object and what is expected of the decision on it; what is decided "
     "otherwise is shown field by field. Exit status: 0, all is as expected; 1, something is not; "
     "2, something could not be looked at.",
     "schedpol test tests.yaml --coverage -o junit > junit.xml", test_options, run_test},
    {"plan", "tells where the replicas of a workload go, as kube-scheduler would place them",
     "POLICIES...", 1, any_number,
     "One replica after another on the given nodes, by the filters of kube-scheduler and the "
     "ResourcePolicy that selects them, and in which order they are scaled down again. Planned is "
     "the pod that the policies make of the template; what they deny is shown instead. Host ports, "
     "volumes and devices are not looked at. Of several good nodes kube-scheduler may choose "
     "another one. A DaemonSet has a replica on each node that its controller picks, a Job as many "
     "as run at a time. The pods of a StatefulSet or DaemonSet that run stay where they are; the "
     "replicas of other kinds are new ones, beside all that runs. Exit status: 0; 1, some have no "
     "node, or the policies deny them; 2, something could not be looked at.",
     "schedpol plan policies/ --for web.yaml --nodes nodes.json --pods pods.json --replicas 5",
     plan_options, run_plan},
    {"suggest", "writes the least policies under which what runs is allowed", "[OBJECTS...]", 0,
     any_number,
     "SchedulingPolicies, ClusterRoles and bindings as YAML, each entry with who needs it and what "
     "it "
     "opens, and the proof by deciding: all is allowed, and without any entry or subject somebody "
     "is "
     "denied. What is there already stays as it is. With --from a webhook's rehearsal counts like "
     "objects, and with them. Read it before you apply it. Exit status: 0; "
     "1, an "
     "object is undecided, or a permission does not help it, or a proof fails; 2, something could "
     "not be looked at, or there is nothing to decide on.",
     "kubectl get pods,deploy,sts,ds,job,cronjob -A -o json | schedpol suggest - > suggested.yaml",
     suggest_options, run_suggest},
    {"export",
     "writes the SchedulingPolicies as admission policies of CEL, for clusters without a webhook",
     "POLICIES...", 1, any_number,
     "ValidatingAdmissionPolicies, MutatingAdmissionPolicies for what is given by default, and "
     "their "
     "bindings, as YAML for Kubernetes 1.36 and later: one of each for those who may use the same "
     "policies, by the roles and bindings as they are now, or, with --live-rbac, as they are when "
     "an object comes, for up to 28 policies. What RuntimeClasses among the policies add is "
     "written down as it is now. What CEL cannot say is refused by name: "
     "policies of other systems, what RuntimeClasses add beside some requirements and defaults, "
     "namespaceModes, templates of custom kinds, "
     "exemptions other than of tolerations, a default of several required node "
     "terms that no node meets as one where node terms are required, what costs more than an API "
     "server's budgets, and without a mutation (--mode Warn, Audit) a default of what is required. "
     "Exit status: 0; 2, something could not be looked at, or not be said.",
     "schedpol export policies/ > admission.yaml && kubectl apply -f admission.yaml",
     export_options, run_export},
    {"init",
     "writes a folder of policies, workloads and cases to begin with",
     "FOLDER",
     1,
     1,
     "The folder must not be there yet. Exit status: 0; 2, it could not be written.",
     "schedpol init shop",
     {},
     run_init},
    {"version",
     "prints the version",
     "",
     0,
     0,
     "Exit status: 0.",
     "schedpol version",
     {},
     run_version},
    {"help",
     "tells what there is to know of a command, or which commands there are",
     "[COMMAND]",
     0,
     1,
     "Exit status: 0; 2, there is no such command.",
     "schedpol help check",
     {},
     run_help},
    {"man", "prints the man page", "", 0, 0, "", "", {}, run_man, true},
    {"completion",
     "prints the completions of bash, zsh or fish",
     "SHELL",
     1,
     1,
     "",
     "",
     {},
     run_completion,
     true},
};

}  // namespace

std::span<const Command> commands() noexcept {
  return table;
}

std::string version_text() {
  constexpr schedpol::Version version = schedpol::version;
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch);
}

}  // namespace cli
