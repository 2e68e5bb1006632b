# SPDX-License-Identifier: Apache-2.0
"""The command line: what each command answers, its exit status, where a finding stands, every way of input, and the
transcript of its README.

    cli_test.py PROGRAM SOURCE_ROOT
"""

import difflib
import json
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from cli_support import PREFERRED, REQUIRED, TIMEOUT_SECONDS, deployment, engine, meta, pod, policy, run

POLICIES = """# Two policies of one file.
apiVersion: schedpol.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: everyone}
spec:
  allowed:
    schedulerNames: [default-scheduler]
  default:
    priorityClassName: low
---
apiVersion: schedpol.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: gpu}
spec:
  allowed:
    tolerations:
    - {keys: [gpu], operators: [Exists], effects: [NoSchedule]}
"""
MINER = """apiVersion: v1
kind: Pod
metadata:
  name: miner
  namespace: shop
spec:
  tolerations:
  - key: gpu
    operator: Exists
    effect: NoSchedule
  - operator: Exists
"""
DENIED = ("denied    Pod shop/miner  {0}:1:1\n"
          "  {0}:11:5: error: `spec.tolerations[1]`: toleration `* Exists` is not allowed by `everyone` and `gpu` "
          "(permitted: `{{keys: [gpu], operators: [Exists], effects: [NoSchedule]}}`) [TolerationNotAllowed]\n"
          "  it would be allowed with\n"
          "  - spec.tolerations[1]: * Exists\n")
BY_TWO = "by 2 policies; there are no roles or bindings, so that every SchedulingPolicy is used\n"
FILES = {"policies/all.yaml": POLICIES, "miner.yaml": MINER, "web.yaml": deployment()}
WEB_CHANGED = "+ spec.template.spec.priorityClassName: low (by `everyone`)"


def review(new, operation="CREATE", old=None, **more):
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {"uid": "u", "operation": operation, "namespace": "shop", "object": new}
            | ({"oldObject": old} if old else {}) | more}


def transcript(cli, root):
    """Every command of the README prints what it shows."""
    text = (root / "tests/examples/cli.txt").read_text(encoding="utf-8")
    place = cli.folder({})
    path = str(pathlib.Path(cli.program).parent) + os.pathsep + os.environ["PATH"]
    shown = []
    for block in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command = block.split("\n")[0]
        done = subprocess.run(["sh", "-c", command], cwd=place, capture_output=True, text=True, check=False,
                              timeout=TIMEOUT_SECONDS, env=os.environ | {"PATH": path})
        shown.append(f"$ {command}\n{done.stdout}{done.stderr}")
    if text[text.index("$ schedpol check"):].split("\n  - ")[0] not in (root / "README.md").read_text(encoding="utf-8"):
        yield "README.md shows something else of check"
    yield from difflib.unified_diff(text.splitlines(), "".join(shown).splitlines(), "README", "printed", lineterm="")


def check_decides(cli, _):
    """Denied, with the place, the reason and the fix; changed, with a diff; allowed."""
    done = cli("check", "policies", "--for", "miner.yaml", "--for", "web.yaml", files=FILES)
    web = f"changed   Deployment shop/web  web.yaml:1:1\n  {WEB_CHANGED}\n"
    wanted = DENIED.format("miner.yaml") + web + "\n2 objects looked at: 1 changed, 1 denied, " + BY_TWO
    if (done.status, done.out, done.err) != (1, wanted, ""):
        yield f"{done}, not {wanted}"
    again = cli("check", "policies", "--for", "miner.yaml", "web.yaml", "--only-denied", place=done.place)
    if again.status != 1 or again.out != wanted.replace(web, ""):
        yield f"--only-denied: {again}"
    done = cli("check", "policies", "--for", "web.yaml", files=FILES | {
        "web.yaml": deployment(priorityClassName="low")})
    if done.status != 0 or not done.out.startswith("allowed   Deployment shop/web  web.yaml:1:1\n\n1 object looked at"):
        yield f"allowed: {done}"


def exit_status_is_that_of_every_format(cli, _):
    for output in ("text", "json", "junit", "sarif", "github"):
        for objects, status in (("miner.yaml", 1), ("web.yaml", 0), ("none.yaml", 2)):
            done = cli("check", "policies", "--for", objects, "-o", output, files=FILES)
            if done.status != status:
                yield f"{output} of {objects}: {done}"
            if status != 2 and done.err:
                yield f"{output} of {objects}: says on stderr {done.err}"
            if status == 2 and done.err != "none.yaml: cannot be read: No such file or directory\n":
                yield f"{output} of {objects}: {done}"


FAILURE = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "Forbidden", "code": 403,
           "message": 'pods is forbidden: User "x" cannot list'}
NOTHING = [
    ("an empty folder of policies", ["check", "empty", "--for", "miner.yaml"], "",
     "empty: there is no object in its *.yaml, *.yml and *.json\n"),
    ("an empty folder of objects", ["check", "policies", "--for", "empty"], "",
     "empty: there is no object in its *.yaml, *.yml and *.json\n"),
    ("an empty pipe", ["check", "policies", "--for", "-"], "", "<stdin>: there is no object in it\n"),
    ("a pipe of comments", ["check", "policies", "--for", "-"], "# nothing\n---\n", "<stdin>: there is no object in it\n"),
    ("an empty list", ["check", "policies", "--for", "-"], {"apiVersion": "v1", "kind": "List", "items": []},
     "<stdin>: there is no object in it\n"),
    ("an empty file of policies", ["lint", "empty.yaml"], "", "empty.yaml: there is no object in it\n"),
    ("nothing but roles", ["lint", "role.yaml"], "", "there is no policy to look at\n"),
    ("no pods for an impact", ["diff", "policies", "policies", "--for", "role.yaml"], "",
     "there is no pod or workload to look at\n"),
    ("no file of cases", ["test", "empty.yaml"], "", "empty.yaml: there is no object in it\n"),
    ("no nodes", ["plan", "policies", "--for", "web.yaml", "--nodes", "empty.yaml"], "",
     "empty.yaml: there is no object in it\n"),
    ("no such file", ["check", "none", "--for", "miner.yaml"], "", "none: cannot be read: No such file or directory\n"),
    ("stdin twice", ["check", "-", "--for", "-"], POLICIES, "<stdin>: cannot be read twice\n"),
    ("a misspelt policy", ["check", "typo.yaml", "--for", "miner.yaml"], "",
     "typo.yaml:4:18: `SchedulingPolicy[x].spec.allowed.scheduler`: forbidden: unknown field\n"),
    ("a misspelt kind of policy", ["check", "kind.yaml", "--for", "miner.yaml"], "",
     "kind.yaml:2:1: `kind`: unsupported value `SchedulngPolicy`: is no object of a scheduling policy, did you mean "
     "`SchedulingPolicy`\n"),
    ("a misspelt kind of object", ["check", "policies", "--for", "-"], "apiVersion: apps/v1\nkind: Deplyment\n",
     "<stdin>:2:1: `kind`: unsupported value `Deplyment`: is no kind of `apps/v1`, did you mean `Deployment`\n"),
    ("the same without a version", ["check", "policies", "--for", "-"], "kind: Deplyment\n",
     "<stdin>:1:1: `kind`: unsupported value `Deplyment`: is no kind of Kubernetes, did you mean `Deployment`\n"),
    ("a kind of nobody knows whom", ["check", "policies", "--for", "-"], "kind: Addons\n",
     "<stdin>:1:1: `apiVersion`: required value: tells which `Addons` is meant\n"),
    ("no kind of the core group", ["check", "policies", "--for", "-"], "apiVersion: v1\nkind: Addons\n",
     "<stdin>:2:1: `kind`: unsupported value `Addons`: is no kind of `v1`\n"),
    ("a workload of another group", ["check", "policies", "--for", "-"], "apiVersion: v1\nkind: Deployment\n",
     "<stdin>:1:1: `apiVersion`: unsupported value `v1`: must be apps/v1\n"),
    ("an empty list of Go's", ["check", "policies", "--for", "-"], '{"kind":"PodList","apiVersion":"v1","items":null}',
     "<stdin>: there is no object in it\n"),
    ("a list without items", ["check", "policies", "--for", "-"], '{"kind":"PodList","apiVersion":"v1"}',
     "<stdin>:1:1: `items`: required value: the objects of a `PodList`\n"),
    ("items that are no list", ["check", "policies", "--for", "-"], '{"kind":"PodList","apiVersion":"v1","items":{}}',
     "<stdin>:1:37: `items`: wrong type: the objects of a `PodList` have to be a list\n"),
    ("a list in a list", ["check", "policies", "--for", "-"],
     {"apiVersion": "v1", "kind": "List", "items": [{"kind": "PodList", "apiVersion": "v1", "items": [pod()]}]},
     "<stdin>:1:88: a list is read only as a document of its own, with its items in it: put these items into the outer "
     "list\n"),
    ("what an API server answers where it fails", ["check", "policies", "--for", "-"], FAILURE,
     "<stdin>:1:1: this is no object, but a Status, with which an API server answers: `pods is forbidden: User \"x\" "
     "cannot list`\n"),
    ("what an API server answers where nothing fails", ["check", "policies", "--for", "-"],
     {"kind": "Status", "apiVersion": "v1", "status": "Success"},
     "<stdin>:1:1: this is no object, but a Status, with which an API server answers\n"),
    ("the same for policies", ["lint", "-"], FAILURE,
     "<stdin>:1:1: this is no object, but a Status, with which an API server answers: `pods is forbidden: User \"x\" "
     "cannot list`\n"),
    ("a chart that is not rendered", ["check", "policies", "--for", "-"],
     "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\n",
     "<stdin>:4:10: this looks like a template that is not rendered: render it first, as by `helm template`\n"),
    ("one whose templates stand in quotes", ["check", "policies", "--for", "-"],
     'apiVersion: v1\nkind: Pod\nmetadata:\n  name: "{{ .Release.Name }}-web"\n',
     "<stdin>:4:3: this looks like a template that is not rendered: render it first, as by `helm template`\n"),
    ("the namespace of one", ["check", "policies", "--for", "-"],
     "apiVersion: v1\nkind: Pod\nmetadata: {generateName: p-, namespace: '{{ .Values.team }}'}\n",
     "<stdin>:3:30: this looks like a template that is not rendered: render it first, as by `helm template`\n"),
    ("a policy that is one", ["lint", "-"],
     "apiVersion: schedpol.io/v1alpha1\nkind: SchedulingPolicy\nmetadata: {name: '{{ .Release.Name }}'}\nspec: {}\n",
     "<stdin>:3:12: this looks like a template that is not rendered: render it first, as by `helm template`\n"),
    ("a workload in a group that is nearly right", ["check", "policies", "--for", "-"], "apiVersion: app/v1\nkind: Deployment\n",
     "<stdin>:1:1: `apiVersion`: unsupported value `app/v1`: must be apps/v1\n"),
    ("a pod in a group of Kubernetes' where it is not", ["check", "policies", "--for", "-"], "apiVersion: policy/v1\nkind: Pod\n",
     "<stdin>:1:1: `apiVersion`: unsupported value `policy/v1`: must be v1\n"),
    ("an object without a kind", ["check", "policies", "--for", "-"], "metadata: {name: x}\n",
     "<stdin>:1:1: `kind`: required value: tells what the object is\n"),
]


def nothing_looked_at_is_never_a_pass(cli, _):
    files = FILES | {"empty/README.md": "nothing", "empty.yaml": "# nothing\n", "role.yaml": {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": meta("r", "shop"), "rules": []},
        "typo.yaml": "apiVersion: schedpol.io/v1alpha1\nkind: SchedulingPolicy\nmetadata: {name: x}\n"
                     "spec: {allowed: {scheduler: []}}\n",
        "kind.yaml": "apiVersion: schedpol.io/v1alpha1\nkind: SchedulngPolicy\nmetadata: {name: x}\n"}
    for sentence, arguments, stdin, error in NOTHING:
        done = cli(*arguments, files=files, stdin=stdin)
        if (done.status, done.err) != (2, error):
            yield f"{sentence}: {done}, not {error!r}"


WAYS = [
    ("a file", ["miner.yaml"], {"miner.yaml": MINER}, "", "miner.yaml"),
    ("a folder, and one below it", ["objects"], {"objects/a/miner.yml": MINER, "objects/README.md": ": :",
                                                 "objects/.hidden.yaml": ": :", "objects/.git/x.yaml": ": :"}, "",
     "objects/a/miner.yml"),
    ("stdin", ["-"], {}, MINER, "<stdin>"),
    ("stdin with a name", ["-", "--stdin-name", "chart.yaml"], {}, MINER, "chart.yaml"),
    ("Helm's source, whose lines are counted from it", ["-"], {},
     "---\n# Source: shop/templates/cm.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
     "---\n# Source: shop/templates/miner.yaml\n" + MINER, "shop/templates/miner.yaml"),
    ("policies that say `Kind`, as their proposal does", ["miner.yaml"],
     {"policies/all.yaml": POLICIES.replace("kind:", "Kind:")}, "", "miner.yaml"),
]


def every_way_of_input(cli, _):
    for sentence, arguments, files, stdin, name in WAYS:
        done = cli("check", "policies", "--only-denied", "--for", *arguments, files=FILES | files, stdin=stdin)
        if done.status != 1 or not done.out.startswith(DENIED.format(name)):
            yield f"{sentence}: {done}"


def every_document_is_read(cli, _):
    """Objects, lists of them, and AdmissionReviews, in one stream."""
    items = [pod("a", "shop"), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("c")},
             {"apiVersion": "v1", "kind": "List", "items": [pod("d", "shop", schedulerName="own"), pod("e", None)]},
             {"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": meta("f", "shop"), "spec": {}}]},
             review(pod("g", None, schedulerName="own")), review(pod("h", None), operation="DELETE", name="h", kind={"group": "apps", "version": "v1", "kind": "Deployment"}),
             review(pod("i", "shop", schedulerName="own"), "UPDATE", pod("i", "shop", schedulerName="own")),
             {"apiVersion": "v1", "kind": "Namespace", "metadata": meta("shop")},
             {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": meta("gpu")}]
    done = cli("check", "policies", "--for", "-", "-n", "team", "-o", "json", files=FILES, stdin=items)
    found = [(one["verdict"], f"{one['apiVersion']} {one['kind']} " + (f"{one['namespace']}/" if "namespace" in one else "") + one["name"])
             for one in done.json()["results"]]
    wanted = [("changed", "v1 Pod shop/a"), ("not looked at", "v1 ConfigMap team/c"), ("denied", "v1 Pod shop/d"),
              ("changed", "v1 Pod team/e"), ("changed", "v1 Pod shop/f"), ("denied", "v1 Pod shop/g"),
              ("not looked at", "apps/v1 Deployment shop/h"), ("allowed", "v1 Pod shop/i"), ("not looked at", "v1 Namespace shop"),
              ("not looked at", "resource.k8s.io/v1 DeviceClass gpu")]
    if done.status != 1 or found != wanted:
        yield f"{found}, not {wanted}; {done.err}"
    at = [one["place"] for one in done.json()["results"] if one["name"] == "g"]
    if at[0]["line"] != 9 or at[0]["column"] < 50:
        yield f"the object of a review is at {at}"


def findings_have_places(cli, _):
    """In YAML, and in JSON as kubectl prints it."""
    listed = json.dumps({"apiVersion": "v1", "items": [pod("p", "shop", tolerations=[
        {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}, {"operator": "Exists"}])], "kind": "List"}, indent=4)
    line = next(number for number, text in enumerate(listed.splitlines(), 1) if '"operator": "Exists"' in text
                and '"key"' not in listed.splitlines()[number - 2]) - 1
    done = cli("check", "policies", "--for", "-", "-o", "json", files=FILES, stdin=listed)
    place = done.json()["results"][0]["findings"][0]["place"]
    if place != {"file": "<stdin>", "line": line, "column": 21}:
        yield f"{place}, not line {line}"
    done = cli("check", "policies", "--for", "-", files=FILES, stdin=MINER.replace("operator: Exists", "operator: [", 1))
    if done.status != 2 or not done.err.startswith("<stdin>:1"):
        yield f"no YAML: {done}"
    done = cli("check", "policies", "--for", "-", files=FILES, stdin=MINER + "  tolerations: 3\n")
    if done.status != 2 or not done.err.startswith("<stdin>:12:3: "):
        yield f"a key twice: {done}"
    done = cli("check", "policies", "--for", "-", files=FILES, stdin=MINER.replace("key: gpu", "key: [3]"))
    if done.status != 2 or not done.err.startswith("<stdin>:8:5: `spec.tolerations[0].key`: wrong type"):
        yield f"a wrong type: {done}"


def roles_are_asked_where_there_are_some(cli, _):
    rbac = "rbac.authorization.k8s.io"
    role = {"apiVersion": f"{rbac}/v1", "kind": "ClusterRole", "metadata": meta("use"), "rules": [
        {"verbs": ["use"], "apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"], "resourceNames": ["everyone", "gpu"]}]}
    binding = {"apiVersion": f"{rbac}/v1", "kind": "ClusterRoleBinding", "metadata": meta("use"),
               "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": "use"},
               "subjects": [{"kind": "ServiceAccount", "namespace": "ml", "name": "trainer"}]}
    files = FILES | {"policies/rbac.yaml": [role, binding]}
    done = cli("check", "policies", "--for", "miner.yaml", files=files)
    if done.status != 1 or "[NoUsablePolicy]" not in done.out or "every SchedulingPolicy" in done.out:
        yield f"nobody may use a policy: {done}"
    done = cli("merge", "policies", "--service-account", "ml/trainer", files=files)
    if done.status != 0 or not done.out.startswith("# SmartDeepMerge of `everyone` and `gpu`\n"):
        yield f"the policies of a service account: {done}"
    done = cli("merge", "policies", "--service-account", "ml/other", files=files)
    if done.status != 2 or done.err != "the service account may use no policy\n":
        yield f"the policies of nobody: {done}"
    done = cli("diff", "policies", "after", files=files | {
        "after/all.yaml": POLICIES.replace("keys: [gpu]", "keys: []"), "after/rbac.yaml": [role, binding]})
    if done.status != 1 or "Looser    SchedulingPolicies of service account ml/trainer" not in done.out \
            or "Equivalent  SchedulingPolicies of service account default/default" not in done.out:
        yield f"of each service account: {done}"


def explain_tells_the_entries(cli, _):
    done = cli("explain", "policies", "--for", "miner.yaml", files=FILES)
    lines = done.out.splitlines()
    if done.status != 1 or lines[0] != "denied    Pod shop/miner  miner.yaml:1:1" or \
            "NotPermitted" not in lines[2] or "by `gpu` allowed.tolerations[0]" not in done.out:
        yield f"{done}"
    # What a RuntimeClass adds needs no permission, here as in a cluster.
    kata = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": meta("kata"), "handler": "kata",
            "scheduling": {"nodeSelector": {"sandbox": "kata"}}}
    files = FILES | {"policies/kata.yaml": kata, "pod.yaml": pod(
        "p", "shop", runtimeClassName="kata", nodeSelector={"sandbox": "kata"})}
    for command in ("check", "explain"):
        done = cli(command, "policies", "--for", "pod.yaml", files=files)
        if done.status != 0:
            yield f"{command} of a pod with what its class adds: {done}"
    if "Exempt" not in done.out:
        yield f"what is exempt: {done}"
    done = cli("explain", "policies", "--for", "pod.yaml", "-o", "json", files=files)
    items = done.json()["results"][0]["items"]
    if {"field": "spec.nodeSelector[sandbox]", "value": "kata", "ruling": "Exempt"}.items() > items[1].items() and \
            not any(item["ruling"] == "Exempt" for item in items):
        yield f"{items}"
    # What is explained is the pod that the systems before it have made.
    widen = {"apiVersion": "kupid.gardener.cloud/v1alpha1", "kind": "PodSchedulingPolicy",
             "metadata": meta("widen") | {"namespace": "shop"},
             "spec": {"podSelector": {}, "nodeSelector": {"pool": "gpu"}}}
    done = cli("explain", "policies", "--for", "pod.yaml",
               files=FILES | {"policies/widen.yaml": widen, "pod.yaml": pod("p", "shop")})
    denying = [line.split()[:2] for line in done.out.splitlines() if "NotPermitted" in line]
    if done.status != 1 or denying != [["NotPermitted", "`spec.nodeSelector[pool]`"]]:
        yield f"what another system adds: {done}"


def lint_finds(cli, _):
    """What is wrong, what is odd, and what YAML reads otherwise than it looks."""
    wrong = """apiVersion: schedpol.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: a}
spec:
  required:
    schedulerNames: [s]
  allowed:
    nodeSelectors: {y: []}
  default:
    schedulerName: t
"""
    done = cli("lint", "a.yaml", files={"a.yaml": wrong})
    if done.status != 1 or "a.yaml:10:5: error: `SchedulingPolicy[a].spec.default.schedulerName`: invalid value `t`" \
            not in done.out or "a.yaml:8:21: warning: `y` is read as" not in done.out or \
            not done.out.endswith("1 policy looked at: 1 error, 1 warning\n"):
        yield f"{done}"
    done = cli("lint", "a.yaml", "-n", "shop", files={"a.yaml": POLICIES})
    if done.status != 0 or "all.yaml" in done.out or "[StrategiesDisagree]" not in done.out:
        yield f"what is odd: {done}"
    kata = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: k}\nhandler: k\n" \
           "scheduling:\n  nodeSelector: {pool: k}\n"
    node = {"apiVersion": "v1", "kind": "Node", "metadata": meta("n", labels={"pool": "x"})}
    done = cli("lint", "a.yaml", "--nodes", "nodes.yaml", files={"a.yaml": kata, "nodes.yaml": node})
    if "[NoNodeServes]" not in done.out or "a.yaml:" not in done.out:
        yield f"nodes: {done}"
    done = cli("lint", "a.yaml", files={"a.yaml": POLICIES + "---\n" + POLICIES})
    if done.status != 1 or "a.yaml:22:12: error: `SchedulingPolicy[everyone].metadata.name`: duplicate value" not in done.out:
        yield f"two of one name: {done}"


def lint_finds_bindings_to_nothing(cli, _):
    """A warning at the roleRef, which --strict makes a failure, as it does other warnings and no notes."""
    rbac = "rbac.authorization.k8s.io"
    binding = f"""apiVersion: {rbac}/v1
kind: RoleBinding
metadata: {{name: b, namespace: shop}}
subjects: [{{kind: ServiceAccount, name: default}}]
roleRef:
  {{apiGroup: {rbac}, kind: Role, name: {{}}}}
"""
    role = {"apiVersion": f"{rbac}/v1", "kind": "Role", "metadata": meta("use", "shop"), "rules": [
        {"verbs": ["use"], "apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"]}]}
    said = "b.yaml:5:1: warning: `roleRef`: `RoleBinding shop/b` names `Role shop/usee`, which is not there, and grants nothing " \
           "[RoleNotFound]\n"
    for name, options, status in (("usee", [], 0), ("usee", ["--strict"], 1), ("use", ["--strict"], 0)):
        done = cli("lint", "policies", "b.yaml", *options, files=FILES | {
            "policies/role.yaml": role, "b.yaml": binding.replace("{}", name)})
        if done.status != status or (said in done.out) != (name == "usee"):
            yield f"{name} {options}: {done}"


def diff_compares(cli, _):
    looser = POLICIES.replace("[default-scheduler]", "[]")
    done = cli("diff", "policies", "policies", files=FILES)
    if done.status != 0 or not done.out.endswith("nothing changes\n"):
        yield f"nothing: {done}"
    done = cli("diff", "policies", "after.yaml", files=FILES | {"after.yaml": looser})
    if done.status != 1 or not done.out.startswith("Looser    SchedulingPolicies\n") or \
            '+ denied before and allowed now, such as {"apiVersion":"v1","kind":"Pod"' not in done.out:
        yield f"looser: {done}"
    rule = {"apiVersion": "schedpol.io/v1alpha1", "kind": "MetadataPolicy", "metadata": meta("m", "shop"), "spec": {
        "rules": [{"policyPredicate": {"labelSelector": {"matchLabels": {"a": "b"}}}, "policyAction": {"reject": True}}]}}
    done = cli("diff", "policies", "after", files=FILES | {"after/all.yaml": POLICIES, "after/m.yaml": rule})
    if done.status != 1 or "added     MetadataPolicy shop/m  after/m.yaml:1:1\n" not in done.out:
        yield f"another policy: {done}"


def owned(name, kind, owner, **spec):
    one = pod(name, "shop", **spec)
    one["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": kind, "name": owner, "controller": True}]
    return one


def impact_is_grouped_by_owner(cli, _):
    """Also where the stream is read in parts: pods first, their ReplicaSets long after them."""
    pods = [owned(f"web-{index}", "ReplicaSet", f"web-{index % 2}", schedulerName="own") for index in range(5000)]
    sets = [owned(f"web-{index}", "Deployment", "web") | {"apiVersion": "apps/v1", "kind": "ReplicaSet"} for index in (0, 1)]
    listed = {"apiVersion": "v1", "items": [*pods, pod("single", "shop"), *sets], "kind": "List"}
    after = POLICIES.replace("[default-scheduler]", "[]")
    done = cli("diff", "policies", "after.yaml", "--for", "-", "-o", "json",
               files=FILES | {"after.yaml": after}, stdin=listed)
    summary, groups = done.json()["summary"], done.json()["results"][1:]
    if done.status != 1 or summary != {"objects": 5003, "newlyDenied": 0, "newlyAllowed": 5000, "changed": 0,
                                       "unchanged": 3, "undecided": 0, "warnings": 0, "excluded": {"files": 0, "objects": 0},
                                       "passedOver": {"files": 0, "documents": 0}}:
        yield f"{summary} {done.err}"
    if [(one["verdict"], one["name"], one["objects"]) for one in groups] != [
            ("allowed", "Deployment shop/web (5000 objects)", 5000)]:
        yield f"{groups}"
    after = POLICIES.replace(": low", ": high")
    done = cli("diff", "policies", "after.yaml", "--for", "web.yaml", files=FILES | {
        "after.yaml": after, "web.yaml": [deployment(), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("c")}]})
    if done.status != 1 or "  - spec.template.spec.priorityClassName: low\n  + spec.template.spec.priorityClassName: high\n" \
            not in done.out or "1 object looked at: 1 changed otherwise; 1 object without pods not looked at\n" not in done.out:
        yield f"changed otherwise: {done}"


def merge_is_yaml(cli, _):
    import yaml  # pylint: disable=import-outside-toplevel
    lost = POLICIES.replace("metadata: {name: gpu}\nspec:\n", "metadata: {name: gpu}\nspec:\n  default: {priorityClassName: high}\n")
    done = cli("merge", "policies", files={"policies/all.yaml": lost})
    spec = {"allowed": {"schedulerNames": ["default-scheduler"], "tolerations": [
        {"keys": ["gpu"], "operators": ["Exists"], "effects": ["NoSchedule"]}]}, "default": {"priorityClassName": "low"}}
    if done.status != 0 or yaml.safe_load(done.out) != {"apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy",
                                                        "metadata": {"name": "merged"}, "spec": spec}:
        yield f"{done}"
    for line in ('    priorityClassName: "low"  # `everyone`', "  # lost: default.priorityClassName of `gpu`"):
        if line not in done.out.splitlines():
            yield f"lacks {line}: {done}"
    done = cli("merge", "policies", "--strategy", "FirstSeenWins", "-o", "json", files=FILES)
    if done.json()["policies"] != ["everyone"] or done.json()["policy"]["spec"]["allowed"] != {"schedulerNames": ["default-scheduler"]}:
        yield f"{done}"


def term(key, *values):
    return {"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}


MERGED = [
    policy("a", allowed={"schedulerNames": ["default-scheduler", "y"], "nodeSelectors": {"disk": ["ssd"], "on": []},
                         "tolerations": [{"keys": ["gpu"], "operators": ["Exists"], "effects": []}]},
           default={"priorityClassName": "low", "nodeSelector": {"disk": "ssd"}, "tolerations": [
               {"key": "team", "operator": "Equal", "values": ["a"], "effect": "NoSchedule"}]}),
    policy("b", allowed={"affinities": {"nodeAffinities": {}, "podAffinities": {PREFERRED: {"topologyKeys": ["zone"]}}},
                         "nodeSelectors": {"disk": ["hdd"], "zone/a": ["null", "1", ""]}, "priorityClassNames": []},
           required={"nodeSelectors": {"zone": ["one", "two"]}},
           default={"priorityClassName": "high", "affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term("arch", "amd64")]}}}}),
    policy("c", allowed={}, required={"affinities": {"podAntiAffinities": {REQUIRED: {"topologyKeys": ["host"]}}}}),
]
ANTI = {"podAntiAffinity": {REQUIRED: [{"topologyKey": "host", "labelSelector": {}}]}}
JUDGED = [pod(f"p{index}", "shop", **spec) for index, spec in enumerate([
    {}, {"nodeSelector": {"zone": "one"}}, {"nodeSelector": {"zone": "one"}, "affinity": ANTI},
    {"nodeSelector": {"zone": "one", "zone/a": "null", "on": "x"}, "affinity": ANTI},
    {"nodeSelector": {"zone": "two", "zone/a": "x"}, "affinity": ANTI}, {"schedulerName": "y"}, {"schedulerName": "z"},
    {"schedulerName": "y", "nodeSelector": {"zone": "two", "disk": "hdd"}, "affinity": ANTI, "priorityClassName": "x",
     "tolerations": [{"key": "gpu", "operator": "Exists"}]},
    {"tolerations": [{"key": "gpu", "operator": "Exists"}, {"operator": "Exists"}]},
    {"affinity": ANTI | {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term("x", "y")]}}}, "nodeSelector": {"zone": "one"}}])]


def merged_decides_as_its_policies_do(cli, _):
    """What is printed can be read back, is accepted, and gives each pod the same answer and the same fields."""
    def answers(report):
        return [(one["verdict"], [(reason["code"], reason["field"]) for reason in one.get("violations", [])],
                 [(change["field"], change["from"], change["to"]) for change in one.get("changes", [])]) for one in report["results"]]
    for strategy in ("SmartDeepMerge", "FirstSeenWins", "SimpleMerge"):
        setting = engine("SchedulingPolicy", strategy=strategy)
        for output in ("text", "json"):
            place = cli.folder({"p/all.yaml": MERGED, "p/engine.yaml": setting, "o.yaml": JUDGED})
            done = cli("merge", "p", "-o", output, place=place)
            if done.status != 0:
                yield f"{strategy}, {output}: {done}"
            merged = json.dumps(done.json()["policy"]) if output == "json" else done.out
            linted = cli("lint", "-", place=place, stdin=merged)
            if linted.status != 0 or "1 policy looked at" not in linted.out:
                yield f"{strategy}, {output}: lint: {linted} of {merged}"
            before = cli("check", "p", "--for", "o.yaml", "-o", "json", place=place).json()
            after = cli("check", "-", "--for", "o.yaml", "-o", "json", place=place, stdin=merged).json()
            if answers(before) != answers(after) or len({verdict for verdict, _, _ in answers(before)}) < 2:
                yield f"{strategy}, {output}: {answers(after)}, not {answers(before)}"
    bad = [policy("a", required={"schedulerNames": ["s"]}), policy("b", default={"schedulerName": "t"})]
    done = cli("merge", "p", files={"p/all.yaml": bad})
    if done.status != 2 or not done.err.startswith("no one policy says what they say together: `spec.default.schedulerName`: "):
        yield f"what no policy can say: {done}"


def help_man_and_completions_agree(cli, root):
    """Each names every command and each of its options, and every command has an example that begins with it."""
    listed = re.findall(r"^  (\w+) {2,}\w", cli("--help").out.split("Commands:")[1].split("Options:")[0], re.MULTILINE)
    if listed != ["check", "explain", "lint", "diff", "merge", "test", "plan", "suggest", "export", "init", "version", "help"]:
        yield f"commands are {listed}"
    man = cli("man").out.replace("\\-", "-")
    shells = {shell: cli("completion", shell).out for shell in ("bash", "zsh", "fish")}
    for command in listed:
        done = cli(command, "--help")
        if done.status != 0 or not re.search(rf"Example:\n  .*\bschedpol {command}\b", done.out):
            yield f"{command} --help: {done}"
        options = re.findall(r"--([a-z-]+)", done.out.split("Options:")[1].split("Example:")[0])
        section = man.split(f".SS schedpol {command}\n")[1].split(".SS ")[0]
        for option in options:
            if option != "help" and f"--{option}" not in section:
                yield f"the man page of {command} lacks --{option}"
            for shell, text in shells.items():
                if option != "help" and not re.search(rf"{command}\b.*(?:--|-l ){option}\b", text):
                    yield f"the completion of {shell} lacks {command} --{option}"
    if cli("--version").out != f"schedpol {re.search(r'version: .([0-9.]+)', (root / 'meson.build').read_text())[1]}\n":
        yield "--version is another one"
    for arguments in ([], ["chek"], ["check"], ["check", "p"], ["check", "p", "--for", "o", "-o", "yaml"],
                      ["diff", "a"], ["diff", "a", "b", "c"], ["completion", "tcsh"], ["check", "p", "--for"]):
        done = cli(*arguments)
        if done.status != 2 or done.out or not done.err:
            yield f"{arguments}: {done}"


ASK = "Run `schedpol {}--help` for what there is.\n"
UNKNOWN = [
    ([], "a command is required", ""),
    (["chek"], "unknown command `chek`, did you mean `check`", ""),
    (["verison"], "unknown command `verison`, did you mean `version`", ""),
    (["deploy", "--for", "x"], "unknown command `deploy`", ""),
    (["--versio"], "unknown option `--versio`, did you mean `--version`", ""),
    (["check", "p", "--fro", "x"], "unknown option `--fro`, did you mean `--for`", "check "),
    (["check", "p", "--fro=x"], "unknown option `--fro`, did you mean `--for`", "check "),
    (["check", "p", "-r", "x"], "unknown option `-r`", "check "),
    (["check", "p", "-for", "x"], "unknown option `-for`, did you mean `--for`", "check "),
    (["check", "p", "-f", "o", "--only-deny"], "unknown option `--only-deny`", "check "),
    (["lint", "p", "--coverage"], "unknown option `--coverage`", "lint "),
    (["version", "x"], "unexpected argument `x`", "version "),
    (["help", "check", "lint"], "unexpected argument `lint`", "help "),
    (["diff", "a", "b", "c"], "unexpected argument `c`", "diff "),
    (["diff", "a"], "BEFORE AFTER are required", "diff "),
    (["check", "p"], "--for is required", "check "),
    (["check", "--for", "o"], "POLICIES... is required", "check "),
    (["init"], "FOLDER is required", "init "),
    (["check", "p", "--for"], "--for needs a value", "check "),
    (["lint", "p", "-n"], "--namespace needs a value", "lint "),
    (["check", "p", "--for", "o", "-o", "yaml"], "--output: `yaml` is not among text, json, junit, sarif, github, policyreport", "check "),
    (["check", "p", "--for", "o", "-o", "json", "--namespac", "x"], "unknown option `--namespac`, did you mean `--namespace`",
     "check "),
]


def unknown_words_are_named(cli, root):
    """First, with the nearest; a value may begin with a dash."""
    for arguments, said, command in UNKNOWN:
        done = cli(*arguments)
        if (done.status, done.out, done.err) != (2, "", f"schedpol: {said}\n{ASK.format(command)}"):
            yield f"{arguments}: {done}"
    for arguments in (["check", "policies", "-f", "-", "--stdin-name", "--fro"], ["check", "policies", "-f-", "-nshop"],
                      ["check", "policies", "--for=-", "--namespace=-x"]):
        done = cli(*arguments, files=FILES, stdin=MINER)
        if done.status != 1:
            yield f"{arguments}: {done}"
    version = f"schedpol {re.search(r'version: .([0-9.]+)', (root / 'meson.build').read_text())[1]}\n"
    for arguments, out in ((["version"], version), (["help"], cli("--help").out), (["help", "lint"], cli("lint", "-h").out)):
        done = cli(*arguments)
        if (done.status, done.out, done.err) != (0, out, "") or not out:
            yield f"{arguments}: {done}"
    done = cli("help", "chek")
    if (done.status, done.out, done.err) != (2, "", "schedpol: unknown command `chek`, did you mean `check`\n"):
        yield f"help of nothing: {done}"


def bash_completes(cli, _):
    script = cli("completion", "bash").out + """
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _schedpol; echo "${COMPREPLY[*]}"; }
ask schedpol ch; ask schedpol check --on; ask schedpol check -o js; ask schedpol lint pol
"""
    place = cli.folder({"policies/a.yaml": POLICIES})
    done = subprocess.run(["bash", "-c", script], cwd=place, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    if done.stdout != "check\n--only-denied\njson\npolicies\n":
        yield f"{done}"


def colour_is_for_terminals(cli, _):
    place = cli.folder(FILES)
    for no_colour, wanted in (("", True), ("1", False)):
        ours, theirs = pty.openpty()
        with subprocess.Popen([cli.program, "check", "policies", "--for", "miner.yaml"], cwd=place, stdout=theirs,
                              env=os.environ | {"NO_COLOR": no_colour}) as process:
            process.wait(TIMEOUT_SECONDS)
        text = os.read(ours, 1 << 16)
        os.close(ours)
        os.close(theirs)
        if (b"\x1b[31mdenied\x1b[0m" in text) != wanted:
            yield f"NO_COLOR={no_colour}: {text}"
    if "\x1b" in cli("check", "policies", "--for", "miner.yaml", place=place).out:
        yield "colour in a pipe"


def progress_is_for_terminals(cli, _):
    """A line on stderr, as long as objects come, which is gone in the end."""
    place = cli.folder(FILES)
    ours, theirs = pty.openpty()
    with subprocess.Popen([cli.program, "check", "policies", "--for", "-"], cwd=place, stdin=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        text = b""
        end = time.monotonic() + TIMEOUT_SECONDS
        while b" objects, 0 MiB" not in text and time.monotonic() < end:
            process.stdin.write(json.dumps(pod("p", "shop")).encode() + b"\n")
            process.stdin.flush()
            while select.select([ours], [], [], 0.01)[0]:
                text += os.read(ours, 1 << 16)
        process.stdin.close()
        process.wait(TIMEOUT_SECONDS)
    while select.select([ours], [], [], 0)[0]:
        try:
            text += os.read(ours, 1 << 16)
        except OSError:  # nobody has the other end any more
            break
    os.close(ours)
    if b" objects, 0 MiB" not in text or not text.endswith(b"\r\x1b[K"):
        yield f"{text}"


def yaml_that_surprises(cli, _):
    """Is warned of on stderr, in policies and objects, and changes no status."""
    done = cli("check", "policies", "--for", "-", files=FILES, stdin="kind: Pod\nspec: {}\nmetadata:\n  labels: {y: '1'}\n")
    if done.status != 0 or not done.err.startswith("<stdin>:4:12: warning: `y` is read as"):
        yield f"{done}"
    done = cli("check", "a.yaml", "--for", "web.yaml", files=FILES | {"a.yaml": "kind: RuntimeClass\napiVersion: node.k8s.io/v1\n"
               "metadata: {name: k}\nhandler: k\nscheduling: {nodeSelector: {gpu: y}}\n"})
    if done.status != 2 or done.err != ("a.yaml:5:34: warning: `y` is read as true, and as text only in quotes\n"
                                        "a.yaml:5:29: `RuntimeClass[k].scheduling.nodeSelector[gpu]`: wrong type: must be a string, not true or false\n"):
        yield f"where it makes an error: {done}"
    done = cli("check", "a.yaml", "--for", "web.yaml", files=FILES | {"a.yaml": POLICIES.replace("name: gpu", "name: gpu, y: ''")})
    if "a.yaml:13:23: warning: `y` is read as" not in done.err:
        yield f"{done}"


def engine_configuration_is_kept(cli, _):
    """Systems in mode Warn warn; those that are not listed are not asked."""
    files = FILES | {"policies/engine.yaml": engine("SchedulingPolicy", mode="Warn")}
    done = cli("check", "policies", "--for", "miner.yaml", files=files)
    if done.status != 0 or "warning: `spec.tolerations[1]`" not in done.out or "1 object looked at: 1 warned" not in done.out:
        yield f"{done}"


def a_reader_that_goes_away(cli, _):
    """Ends the program without a word, as it ends others, even where the signal is ignored."""
    place = cli.folder(FILES | {"many.yaml": [pod(f"p{index}", "shop", schedulerName="own") for index in range(5000)]})
    for ignored in ("", "trap '' PIPE; "):
        done = subprocess.run(["bash", "-c", f"{ignored}'{cli.program}' check policies --for many.yaml | head -1; echo ${{PIPESTATUS[0]}}"],
                              cwd=place, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
        if not done.stdout.startswith("denied    Pod shop/p0") or not done.stdout.endswith("\n141\n") or done.stderr:
            yield f"{ignored}: {done}"


def output_that_goes_nowhere(cli, _):
    place = cli.folder(FILES)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([cli.program, "check", "policies", "--for", "web.yaml"], cwd=place, stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=TIMEOUT_SECONDS)
    if (done.returncode, done.stderr) != (2, "schedpol: the output cannot be written\n"):
        yield f"{done}"


CHECKS = (transcript, check_decides, exit_status_is_that_of_every_format, nothing_looked_at_is_never_a_pass,
          every_way_of_input, every_document_is_read, findings_have_places, roles_are_asked_where_there_are_some,
          explain_tells_the_entries, lint_finds, lint_finds_bindings_to_nothing, diff_compares, impact_is_grouped_by_owner, merge_is_yaml,
          merged_decides_as_its_policies_do,
          help_man_and_completions_agree, unknown_words_are_named, bash_completes, colour_is_for_terminals, progress_is_for_terminals, yaml_that_surprises, engine_configuration_is_kept,
          a_reader_that_goes_away, output_that_goes_nowhere)

if __name__ == "__main__":
    sys.exit(run(__doc__, CHECKS))
