# SPDX-License-Identifier: Apache-2.0
"""`schedpol export`: what it writes, for whom, and what it refuses by name. What the expressions decide is a question of
tests/second_decider.

    cli_export_test.py PROGRAM SOURCE_ROOT
"""

import re
import sys

sys.dont_write_bytecode = True
from cli_support import engine, policy, run

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TERM = {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}


def role(name, *policies):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name},
            "rules": [{"apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"], "verbs": ["use"],
                       "resourceNames": list(policies)}]}


def binding(name, to, subject):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": to}, "subjects": [subject]}


def names(text, kind):
    return re.findall(rf'^kind: {kind}\nmetadata:\n  name: "(.+)"$', text, re.MULTILINE)


def everybody_has_every_policy_without_roles(cli, _):
    files = {"p.json": [policy("b"), policy("a", {"tolerations": []})]}
    done = cli("export", "p.json", files=files)
    listed = names(done.out, "ValidatingAdmissionPolicy")
    if done.status != 0 or done.err or len(listed) != 1 or not re.fullmatch(r"schedpol-a-b-[0-9a-f]{8}", listed[0]):
        yield f"{done}"
    if names(done.out, "ValidatingAdmissionPolicyBinding") != listed or "kind: MutatingAdmissionPolicy" in done.out:
        yield f"bindings: {done.out}"
    if "may-use-these-policies" in done.out or " on " in done.out.splitlines()[0]:
        yield f"{done.out[:400]}"
    if cli("export", "p.json", place=done.place).out != done.out:
        yield "the same input gives other bytes"
    nothing = cli("export", "p.json", files={"p.json": [
        policy("a"), engine("SchedulingPolicy", options={"governs": ["schedulerNames"]})]})
    if nothing.status != 0 or re.findall(r"^kind: (.+)$", nothing.out, re.MULTILINE) != ["ValidatingAdmissionPolicy"] \
            or "# These policies deny nothing and give nothing." not in nothing.out or '- expression: "true"' not in nothing.out:
        yield f"what denies nothing, and yet is an object to be applied: {nothing}"
    dated = cli("export", "p.json", "--date", "2026-05-01", place=done.place).out
    if dated.replace(" on 2026-05-01", "", 1) != done.out:
        yield f"a date changes more: {dated[:200]}"


def its_first_lines_say_how_it_is_applied(cli, root):
    """As README says, with all kinds that there are in it: kubectl prunes none of these by itself."""
    out = cli("export", "p.json", files={"p.json": [policy("p", default={"priorityClassName": "low"})]}).out
    command = "".join(line.removeprefix("# ").strip() + "\n" for line in out.splitlines() if line.startswith("#   "))
    readme = (root / "examples/cli/export/README.md").read_text(encoding="utf-8")
    if command not in re.sub(r"\n +", "\n", readme):
        yield f"README does not say {command}"
    kinds = re.findall(r"^kind: (\w+)$", out, re.MULTILINE)
    if len(kinds) != 4 or sorted(kinds) != sorted(re.findall(r"--prune-allowlist=admissionregistration\.k8s\.io/v1/(\w+)", command)):
        yield f"{kinds} are not those of {command}"


def a_group_for_those_who_may_use_the_same(cli, _):
    objects = [policy("base"), policy("gpu", {"tolerations": []}),
               role("base", "base"), role("gpu", "gpu", "base"),
               binding("ns", "base", {"kind": "Group", "name": "system:serviceaccounts:shop"}),
               binding("sa", "gpu", {"kind": "ServiceAccount", "name": "train", "namespace": "ml"}),
               binding("user", "gpu", {"kind": "User", "name": "system:serviceaccount:shop:train"})]
    done = cli("export", "p.json", files={"p.json": objects})
    listed = names(done.out, "ValidatingAdmissionPolicy")
    if done.status != 0 or len(listed) != 3 or listed[-1] != "schedpol-no-usable-policy" or "schedpol-base" not in listed:
        yield f"{done.status} {listed} {done.err}"
    for text in ("['ml/train', 'shop/train']", "request.namespace == 'shop'", "(NoUsablePolicy)"):
        if text not in re.sub(r"\s+", " ", done.out):
            yield f"{text} is not in {done.out}"


def the_authorizer_is_asked_who_may_use_a_policy(cli, _):
    """Each set of policies that somebody may use is merged beforehand, and told apart when an object comes."""
    both = [policy("b", {"schedulerNames": ["x"]}), policy("a", default={"priorityClassName": "low"})]
    done = cli("export", "--live-rbac", "p.json", files={"p.json": both})
    listed = [re.sub("-[0-9a-f]{8}$", "", name) for name in names(done.out, "ValidatingAdmissionPolicy")]
    if done.status != 0 or listed != ["schedpol-a", "schedpol-a-b", "schedpol-b", "schedpol-no-usable-policy"]:
        yield f"{listed} {done.err}"
    text = re.sub(r"\s+", " ", done.out)
    for part in (".group('schedpol.io').resource('schedulingpolicies').namespace(request.namespace).name('b').check('use').allowed()",
                 "variables.mayUse1 && !(variables.mayUse2)"):
        if part not in text:
            yield f"{part} is not in {text[:8000]}"
    if "may-use-these-policies" in text or len(names(done.out, "MutatingAdmissionPolicy")) != 2:
        yield f"{text[:2000]}"
    first = cli("export", "--live-rbac", "--strategy", "FirstSeenWins", "p.json", place=done.place)
    if names(first.out, "ValidatingAdmissionPolicy") != ["schedpol-a", "schedpol-b", "schedpol-no-usable-policy"]:
        yield f"first seen: {names(first.out, 'ValidatingAdmissionPolicy')} {first.err}"
    other = cli("export", "--live-rbac", "p.json", files={"p.json": [*both, engine("SchedulingPolicy", access={
        "verb": "apply", "apiGroup": "example.com", "resource": "rules"})]})
    if ".group('example.com').resource('rules').namespace(request.namespace).name('a').check('apply')" not in re.sub(r"\s+", " ", other.out):
        yield f"another access: {other}"
    named = [f"p{i:02}" for i in range(29)]
    grants = [role("r", *named[:3]), binding("b", "r", {"kind": "Group", "name": "system:serviceaccounts:shop"})]
    for what, objects, says in (
            ("a configuration that asks nobody", [*both, *grants, engine("SchedulingPolicy", policyUse="Every")], "policyUse: `Every`"),
            ("more policies than those of which all sets are exported", [policy(name) for name in named[:5]], "nobody may use a policy"),
            ("too many policies", [*map(policy, named), *grants], "to ask for 29 policies costs an API server 10,150,000 of 10,000,000")):
        done = cli("export", "--live-rbac", "p.json", files={"p.json": objects})
        if done.status != 2 or done.out or says not in done.err:
            yield f"{what}: {done.status} {done.err[:500]} {done.out[:100]}"
    done = cli("export", "--live-rbac", "p.json", files={"p.json": [*map(policy, named[:28]), *grants]})
    listed = [re.sub("-[0-9a-f]{8}$", "", name) for name in names(done.out, "ValidatingAdmissionPolicy")]
    if done.status != 0 or listed != ["schedpol-p00-p01-p02", "schedpol-no-usable-policy", "schedpol-not-exported"]:
        yield f"28 policies: {done.status} {listed} {done.err[:500]}"


def defaults_are_given_in_mode_deny_alone(cli, _):
    files = {"p.json": [policy("p", default={"priorityClassName": "low", "nodeSelector": {"a.b/c": "d"}})]}
    done = cli("export", "p.json", files=files)
    if names(done.out, "MutatingAdmissionPolicy") != ["schedpol-p"] or "'/nodeSelector/a.b~1c', value: 'd'" not in " ".join(done.out.split()):
        yield f"{done}"
    for mode in ("Warn", "Audit"):
        other = cli("export", "p.json", "--mode", mode, place=done.place)
        if other.status != 0 or "kind: MutatingAdmissionPolicy" in other.out or f"validationActions: [{mode}]" not in other.out:
            yield f"{mode}: {other}"
        said = cli("export", "p.json", files={"p.json": [*files["p.json"], engine("SchedulingPolicy", mode=mode)]})
        if f"validationActions: [{mode}]" not in said.out:
            yield f"{mode} of a configuration: {said}"


def tolerations_that_the_cluster_adds_are_nobodys_own(cli, _):
    """Such as those that the configuration of the manifests lists."""
    done = cli("export", "p.json", files={"p.json": [policy("p"), engine("SchedulingPolicy", options={"exemptTolerations": [
        {"key": "node.kubernetes.io/memory-pressure", "operator": "Exists", "effect": "NoSchedule"}]})]})
    own = re.search(r"name: ownTolerations\n(.*?)(?=\n +- name: )", done.out, re.DOTALL)
    if done.status != 0 or not own or "'node.kubernetes.io/memory-pressure'" not in own[1]:
        yield f"{done}"


def runtime_class(name, **scheduling):
    made = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": name}
    return made | ({"scheduling": scheduling} if scheduling else {})


def what_a_class_adds_is_written_down(cli, _):
    """With the day when it was so, where one is given. A class that adds nothing is not written of."""
    kata = runtime_class("kata", nodeSelector={"runtime": "kata"}, tolerations=[{"key": "kata", "operator": "Exists"}])
    plain = policy("p", default={"nodeSelector": {"pool": "a"}})
    files = {"p.json": [plain, kata, runtime_class("gvisor")]}
    stale = "It goes stale when one of them changes; export again then."
    done = cli("export", "p.json", files=files)
    head = done.out.split("---")[0]
    if done.status != 0 or f"as it was when this was made: `kata`.\n# {stale}" not in head or "gvisor" in done.out:
        yield f"{done.status} {done.err} {head}"
    dated = cli("export", "--date", "2026-05-01", "p.json", place=done.place).out
    if "as it was on 2026-05-01: `kata`." not in dated:
        yield dated[:800]
    text = " ".join(done.out.split())
    for part in ("{'kata': {'runtime': 'kata'}}[?variables.runtimeClass].orValue({})", "variables.runtimeClass == 'kata' && (t.?key.orValue('') == 'kata' &&"):
        if part not in text:
            yield f"{part} is not in {text[:6000]}"
    without = cli("export", "p.json", files={"p.json": [plain, runtime_class("gvisor")]})
    if without.status != 0 or stale in without.out or without.out != cli("export", "p.json", files={"p.json": [plain]}).out:
        yield f"a class that adds nothing: {without}"


def what_cannot_be_said_is_refused_by_name(cli, _):
    plain = policy("p")
    terms = {"default": {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [TERM, {"matchExpressions": [
        {"key": "zone", "operator": "DoesNotExist"}]}]}}}},
             "required": {"affinities": {"nodeAffinities": {REQUIRED: {"nodeSelectorTerms": [
                 {"matchExpressions": [{"keys": ["arch"], "operators": [], "values": []}]}]}}}}}
    both = {"required": {"tolerations": [{"keys": ["a"], "operators": [], "effects": []}]},
            "default": {"tolerations": [{"key": "a", "operator": "Exists"}]}}
    long = [{"keys": [f"k{i}"], "operators": [("Equal", "Exists")[i % 2]], "values": [f"v{i}"], "effects": ["NoExecute"]}
            for i in range(700)]
    runtime = runtime_class("kata", nodeSelector={"arch": "a"}, tolerations=[{"operator": "Exists"}])
    of_cluster = {"apiVersion": "kupid.gardener.cloud/v1alpha1", "kind": "ClusterPodSchedulingPolicy", "metadata": {"name": "c"},
                  "spec": {"podSelector": {}, "schedulerName": "x"}}
    for what, objects, arguments, place, reason in (
            ("a class that is not enforced", [plain, runtime, engine("SchedulingPolicy")], (), "RuntimeClass `kata`", "does not enforce RuntimeClass"),
            ("a policy of the cluster", [plain, of_cluster], (), "PodSchedulingPolicy `c`", "where no webhook runs"),
            ("a class beside tolerations that are required", [policy("p", **both), runtime], (),
             "required.tolerations of `p` beside RuntimeClass `kata`", "may meet it"),
            ("a class beside terms that are required", [policy("p", required=terms["required"]), runtime], (),
             "required.affinities.nodeAffinities of `p` beside RuntimeClass `kata`", "may meet it"),
            ("a class beside a toleration in the place of a usual one", [policy("p", default={"tolerations": [
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]}), runtime], (),
             "default.tolerations of `p` beside RuntimeClass `kata`", "no effect"),
            ("a class beside a default that covers another one", [policy("p", default={"tolerations": [
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}
                for seconds in (60, 300)]}), runtime_class("kata", nodeSelector={"a": "b"})], (),
             "default.tolerations of `p` beside RuntimeClass `kata`", "covers another one"),
            ("a class without a mutation", [policy("p", default={"runtimeClassName": "kata"}), runtime], ("--mode", "Audit"),
             "default.runtimeClassName of `p` beside RuntimeClass `kata`", "nothing is given"),
            ("modes", [plain, engine("SchedulingPolicy", namespaceModes={"weakest": "Warn"})], (),
             "EngineConfiguration.namespaceModes", "a label"),
            ("templates", [plain, engine("SchedulingPolicy", templates=[{"group": "a.io", "kind": "B", "path": "spec.template"}])], (),
             "EngineConfiguration.templates", "custom kinds"),
            ("an exempt toleration in the place of a usual one", [plain, engine("SchedulingPolicy", options={"exemptTolerations": [
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]})], (),
             "EngineConfiguration.options.exempt.tolerations", "DefaultTolerationSeconds"),
            ("terms that contradict each other", [policy("p", **terms)], (), f"default.affinity.nodeAffinity.{REQUIRED} of `p`", "as one"),
            ("a term that contradicts itself", [policy("p", default={"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [
                {"matchExpressions": TERM["matchExpressions"] + [{"key": "zone", "operator": "DoesNotExist"}]}]}}}})], (),
             f"default.affinity.nodeAffinity.{REQUIRED} of `p`", "by itself"),
            ("an empty term", [policy("p", default={"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [TERM, {}]}}}})], (),
             f"default.affinity.nodeAffinity.{REQUIRED} of `p`", "by itself"),
            ("without a mutation", [policy("p", **both)], ("--mode", "Warn"), "default.tolerations of `p`", "nothing is given"),
            ("a class that adds a lot", [plain, runtime_class("kata", nodeSelector={f"k{i}": "v" for i in range(21)})], (),
             "RuntimeClass `kata`", "it adds 21 of 20"),
            ("bytes", [policy("p", {field: [f"name-{i}".ljust(50, "x") for i in range(800)] for field in (
                "schedulerNames", "priorityClassNames", "runtimeClassNames", "schedulingGates", "resourceClaims")}), engine("SchedulingPolicy", options={"governs": "All"})], (),
             "`p`", "of 262,144 bytes"),
            ("costs", [policy("p", {"tolerations": long})], (), "`p`", "of 1,000,000")):
        done = cli("export", "p.json", *arguments, files={"p.json": objects})
        if done.status != 2 or done.out or f"cannot be exported: {place}" not in done.err or reason not in done.err:
            yield f"{what}: {done.status} {done.err[:600]} {done.out[:100]}"
    left_out = cli("export", "p.json", "--exclude-kind", "RuntimeClass", files={"p.json": [policy("p", **both), runtime]})
    if left_out.status != 0 or not left_out.out:
        yield f"a class that is left out: {left_out}"
    none = cli("export", "p.json", files={"p.json": [runtime]})
    if none.status != 2 or none.out or "no SchedulingPolicy" not in none.err:
        yield f"without a policy: {none}"


def patterns_are_joined_where_they_match_the_same(cli, _):
    """One pattern has to list all values of an expression, so that those of two are not one list."""
    def expressions(*patterns):
        return {"affinities": {"nodeAffinities": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": list(patterns)}]}}}}

    for what, allowed, has, has_not in (
            ("keys", expressions({"keys": ["a"], "operators": ["In"], "values": ["v"]}, {"keys": ["b"], "operators": ["In"], "values": ["v"]}),
             "e.key in ['a', 'b']", "e.key == 'a'"),
            ("values", expressions({"keys": ["k"], "operators": ["In"], "values": ["a"]}, {"keys": ["k"], "operators": ["In"], "values": ["b"]}),
             "e.values.all(v, v == 'a')", "['a', 'b']"),
            ("tolerations", {"tolerations": [{"keys": ["k"], "operators": [], "values": [value], "effects": []} for value in "ab"]},
             "t.?value.orValue('') in ['a', 'b']", "== 'a'")):
        done = cli("export", "p.json", files={"p.json": [policy("p", allowed)]})
        text = " ".join(done.out.split())
        if has not in text or has_not in text:
            yield f"{what}: {text[-3000:]}"


def texts_of_policies_stay_texts(cli, _):
    """Whatever is in a name, it ends no literal, no line and no comment."""
    for name in ("' || true || '", "\\", "a\nb", "\u2028", "# x", "\u00e9", "${x}", "\u0085", "\U0001f600"):
        done = cli("export", "p.json", files={"p.json": [policy("p", {"schedulerNames": [name]})]})
        if done.status != 0:
            continue  # not a name that a policy may list
        literal = re.search(r"variables\.schedulerName == ('(?:[^'\\]|\\.)*')", done.out)
        if not literal or not done.out.isascii():
            yield f"{name!r}: {done.out[-1500:]}"
            continue
        read = re.sub(r"\\U([0-9a-f]{8})", lambda found: chr(int(found[1], 16)), literal[1][1:-1])
        if read.replace("\\'", "'").replace("\\\\", "\\") != name:
            yield f"{name!r} is {read!r}"


if __name__ == "__main__":
    sys.exit(run(__doc__, [
        everybody_has_every_policy_without_roles, its_first_lines_say_how_it_is_applied, a_group_for_those_who_may_use_the_same,
        the_authorizer_is_asked_who_may_use_a_policy, defaults_are_given_in_mode_deny_alone,
        tolerations_that_the_cluster_adds_are_nobodys_own, what_cannot_be_said_is_refused_by_name, what_a_class_adds_is_written_down,
        patterns_are_joined_where_they_match_the_same, texts_of_policies_stay_texts]))
