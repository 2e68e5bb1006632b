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
                                .help = "the objects: files, folders or `-` for stdin"};
constexpr Option required_objects = {.name = "for",
                                     .letter = 'f',
                                     .into = &Arguments::objects,
                                     .value = "PATH...",
                                     .help = "the objects: files, folders or `-` for stdin",
                                     .words = {},
                                     .required = true};
constexpr Option namespace_ = {.name = "namespace",
                               .letter = 'n',
                               .into = &Arguments::namespace_,
                               .value = "NAME",
                               .help = "the namespace of objects without one; default `default`"};
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
                               .help = "the file name to show for `-`"};
constexpr Option exclude = {.name = "exclude",
                            .letter = 0,
                            .into = &Arguments::excluded,
                            .value = "GLOB",
                            .help =
                                "leave out files and folders whose path ends with GLOB, such as "
                                "`*.test.yaml`, `charts/*/ci` or `base/**/crds`",
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
constexpr Option as_stored = {.name = "as-stored",
                              .letter = 0,
                              .into = &Arguments::as_stored,
                              .value = {},
                              .help = "judge stored objects as they are, not as they were created"};
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
                           .help = "run only the cases with TEXT in their name"};
constexpr Option coverage = {.name = "coverage",
                             .letter = 0,
                             .into = &Arguments::coverage,
                             .value = {},
                             .help = "list the rules of the policies that no case depends on"};
constexpr Option strategy = {.name = "strategy",
                             .letter = 0,
                             .into = &Arguments::strategy,
                             .value = "STRATEGY",
                             .help = "SmartDeepMerge, FirstSeenWins or SimpleMerge",
                             .words = strategies};
constexpr Option service_account = {
    .name = "service-account",
    .letter = 0,
    .into = &Arguments::service_account,
    .value = "NAMESPACE/NAME",
    .help = "merge only the policies that this service account may use"};
constexpr Option existing = {.name = "existing",
                             .letter = 0,
                             .into = &Arguments::existing,
                             .value = "PATH...",
                             .help = "policies, roles and bindings that exist already"};
constexpr Option from = {
    .name = "from",
    .letter = 0,
    .into = &Arguments::from,
    .value = "PATH...",
    .help = "what a webhook heard while it warned or audited: JSON lines from its /needs"};
constexpr Option prove = {.name = "prove",
                          .letter = 0,
                          .into = &Arguments::prove,
                          .value = "PATH...",
                          .help = "suggest nothing; make the same proof for what these files add"};
constexpr std::string_view subjects[] = {"serviceaccount", "namespace"};
constexpr Option subject = {.name = "subject",
                            .letter = 0,
                            .into = &Arguments::subject,
                            .value = "SUBJECT",
                            .help = "whom to grant policies to: serviceaccount or namespace",
                            .words = subjects};
constexpr Option common = {.name = "common",
                           .letter = 0,
                           .into = &Arguments::common,
                           .value = "PERCENT",
                           .help = "grant to everybody what PERCENT % of the subjects need"};
constexpr Option generalise = {.name = "generalise",
                               .letter = 0,
                               .into = &Arguments::generalise,
                               .value = "KEY...",
                               .help = "permit any value of these keys"};
constexpr Option any_node_names = {
    .name = "any-node-names",
    .letter = 0,
    .into = &Arguments::any_node_names,
    .value = {},
    .help = "permit any node where an object asks for a node by name"};
constexpr Option max_policies = {
    .name = "max-policies",
    .letter = 0,
    .into = &Arguments::max_policies,
    .value = "N",
    .help = "join policies, at the least cost, until at most N are left"};
constexpr Option components = {
    .name = "components",
    .letter = 0,
    .into = &Arguments::components,
    .value = "NAME...",
    .help = "the fields that policies govern: Proposal, All, or names of fields of `allowed`"};
constexpr Option replicas = {
    .name = "replicas",
    .letter = 0,
    .into = &Arguments::replicas,
    .value = "N",
    .help = "how many replicas to plan; by default as many as the workload says"};
constexpr Option pods = {.name = "pods",
                         .letter = 0,
                         .into = &Arguments::pods,
                         .value = "PATH...",
                         .help = "the existing pods, as `kubectl get pods -A -o json` prints them"};
constexpr Option policy_only = {
    .name = "policy-only",
    .letter = 0,
    .into = &Arguments::policy_only,
    .value = {},
    .help = "plan by the ResourcePolicy alone, whatever the nodes have left"};

constexpr std::string_view modes[] = {"Deny", "Warn", "Audit"};
constexpr Option mode = {
    .name = "mode",
    .letter = 0,
    .into = &Arguments::mode,
    .value = "MODE",
    .help = "what happens to an object that is not permitted: Deny, Warn or Audit",
    .words = modes};
constexpr Option date = {
    .name = "date",
    .letter = 0,
    .into = &Arguments::date,
    .value = "DATE",
    .help = "the date to add to the comment that says how the output was made"};
constexpr Option live_rbac = {
    .name = "live-rbac",
    .letter = 0,
    .into = &Arguments::live_rbac,
    .value = {},
    .help = "have the API server check at each request who may use a policy, instead of now"};
constexpr Option strict = {.name = "strict",
                           .letter = 0,
                           .into = &Arguments::strict,
                           .value = {},
                           .help = "exit with status 1 for warnings, too"};

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
     "Each object is allowed, changed or denied. A change is shown as a diff. A denial is shown "
     "with every reason, its place in the file and the fewest edits that get the object allowed. "
     "Objects that systems only warn of or audit are counted separately, and so are objects that "
     "no system decides on. A stored pod, which a cluster printed, is judged as it was when it was "
     "created. It is undecided if nobody can tell whether it named its node itself. Alike pods are "
     "shown together, under their owner. Exit status: 0 if no object is denied or undecided, 1 if "
     "one is, 2 if something could not be looked at, or if no system decides on anything.",
     "helm template ./chart | schedpol check policies/ --for -", check_options, run_check},
    {"explain", "shows which entries of which policies decide on each part of an object",
     "POLICIES...", 1, any_number,
     "Prints a line for everything that SchedulingPolicies look at in an object, denials first. "
     "Each line has the entries that decide, and those that lost in the merge. Stored pods are "
     "judged as by `check`. Exit status: 0 if no object is denied or undecided, 1 if one is, 2 if "
     "something could not be looked at, or if no system decides on anything.",
     "schedpol explain policies/ --for deployment.yaml", explain_options, run_explain},
    {"lint", "finds what is wrong with policies, and what is odd about them together",
     "POLICIES...", 1, any_number,
     "A policy with an error cannot be used. Warnings and notes are about what policies do to one "
     "another. Exit status: 0 if there is no error (with --strict, no warning either), 1 if there "
     "is one, 2 if something could not be looked at.",
     "schedpol lint policies/ -o sarif > lint.sarif", lint_options, run_lint},
    {"diff", "shows what changes when policies change", "BEFORE AFTER", 2, 2,
     "Compares exactly which pods BEFORE and AFTER allow, and shows an example for each direction "
     "in which they differ. With --for, it also shows which objects are newly denied, newly "
     "allowed or changed in another way, grouped by owner. Stored pods are judged as by `check`. "
     "Exit status: 0 if nothing changes, 1 if something does or nobody can tell, 2 if something "
     "could not be looked at.",
     "kubectl get pods -A -o json | schedpol diff policies/ new-policies/ --for -", diff_options,
     run_diff},
    {"merge", "merges all SchedulingPolicies into one policy", "POLICIES...", 1, any_number,
     "Prints YAML that can be read back. Comments name the policies that each entry comes from, "
     "and the entries that lost. Exit status: 0, or 2 if something could not be looked at, or if "
     "no single policy can say what all of them say together.",
     "schedpol merge policies/ --service-account shop/default", merge_options, run_merge},
    {"test", "checks whether policies decide as your cases expect", "CASES...", 1, any_number,
     "Each case has an object and the decision that you expect. If the decision is another one, "
     "the fields that differ are shown. Exit status: 0 if every case is as expected, 1 if one is "
     "not, 2 if something could not be looked at.",
     "schedpol test tests.yaml --coverage -o junit > junit.xml", test_options, run_test},
    {"plan", "shows where kube-scheduler would place the replicas of a workload", "POLICIES...", 1,
     any_number,
     "Places one replica after another on the given nodes, by the filters of kube-scheduler and "
     "the ResourcePolicy that selects the replicas. It then shows in which order they are scaled "
     "down. The planned pod is what the policies make of the template. If the policies deny it, "
     "the denial is shown instead. Host ports, volumes and devices are not looked at. If several "
     "nodes are good, kube-scheduler may choose another one. A DaemonSet has a replica on each "
     "node that its controller picks. A Job has as many replicas as run at a time. Running pods of "
     "a StatefulSet or DaemonSet stay where they are. The replicas of other kinds are new ones, "
     "beside everything that runs. Exit status: 0 if each replica has a node, 1 if a replica has "
     "none or is denied, 2 if something could not be looked at.",
     "schedpol plan policies/ --for web.yaml --nodes nodes.json --pods pods.json --replicas 5",
     plan_options, run_plan},
    {"suggest", "writes the least permissive policies that allow everything that runs",
     "[OBJECTS...]", 0, any_number,
     "Writes SchedulingPolicies, ClusterRoles and bindings as YAML. A comment on each entry says "
     "who needs it and what it opens. The proof, made by deciding on the objects, shows that "
     "everything is allowed, and that without any one entry or subject of a binding somebody is "
     "denied. Existing policies, roles and bindings stay as they are. With --from, the requests "
     "that a webhook heard in a rehearsal count like objects. You can combine both. Read the "
     "output before you apply it. Exit status: 0 if every object is helped and the proof holds, 1 "
     "if an object is undecided, no permission helps an object or the proof fails, 2 if something "
     "could not be looked at, or if there is nothing to decide on.",
     "kubectl get pods,deploy,sts,ds,job,cronjob -A -o json | schedpol suggest - > suggested.yaml",
     suggest_options, run_suggest},
    {"export",
     "writes SchedulingPolicies as CEL admission policies, for clusters without a webhook",
     "POLICIES...", 1, any_number,
     "Writes YAML for Kubernetes 1.36 and later: ValidatingAdmissionPolicies, "
     "MutatingAdmissionPolicies for what is given by default, and their bindings. Service accounts "
     "that may use the same policies share one of each. Who may use a policy is decided by the "
     "roles and bindings as they are now. With --live-rbac, the API server decides at each request "
     "instead, for up to 28 policies. What RuntimeClasses among the policies add is written down "
     "as it is now. What CEL cannot say is refused by name: policies of other systems; what "
     "RuntimeClasses add beside some requirements and defaults; namespaceModes; templates of "
     "custom kinds; exemptions other than of tolerations; a default of several required node terms "
     "that no node meets as one, if node terms are required; what costs more than the budgets of "
     "an API server; and, with --mode Warn or Audit, a default of what is required. Exit status: "
     "0, or 2 if something could not be looked at or cannot be said in CEL.",
     "schedpol export policies/ > admission.yaml && kubectl apply -f admission.yaml",
     export_options, run_export},
    {"init",
     "writes a folder of policies, workloads and cases to start with",
     "FOLDER",
     1,
     1,
     "The folder must not exist yet. Exit status: 0, or 2 if it could not be written.",
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
     "prints the help of a command, or the list of commands",
     "[COMMAND]",
     0,
     1,
     "Exit status: 0, or 2 if there is no such command.",
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
