# SPDX-License-Identifier: Apache-2.0
"""The command line and fields of scheduling that are misspelt, misplaced, or a template that nobody rendered.

    cli_fields_test.py PROGRAM SOURCE_ROOT
"""

import json
import re
import sys

sys.dont_write_bytecode = True
from cli_support import deployment, engine, meta, pod, policy, run

FIELDS = ("affinity", "nodeName", "nodeSelector", "overhead", "preemptionPolicy", "priority", "priorityClassName", "resourceClaims",
          "runtimeClassName", "schedulerName", "schedulingGates", "tolerations", "topologySpreadConstraints")
# Of Deployment, ReplicaSet, StatefulSet, DaemonSet, Job and CronJob.
OF_WORKLOADS = """activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions concurrencyPolicy
    failedJobsHistoryLimit managedBy manualSelector maxFailedIndexes minReadySeconds ordinals parallelism paused
    persistentVolumeClaimRetentionPolicy podFailurePolicy podManagementPolicy podReplacementPolicy progressDeadlineSeconds replicas
    revisionHistoryLimit schedule selector serviceName startingDeadlineSeconds strategy successPolicy successfulJobsHistoryLimit
    suspend template timeZone ttlSecondsAfterFinished updateStrategy volumeClaimTemplates""".split()
POLICY = {"policies/p.yaml": policy("p")}
MISSPELT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
tolerations: []
spec:
  nodeSelector: {pool: gpu}
  template:
    toleration: []
    spec:
      nodeselector: {pool: gpu}
      hostname: web
"""
# The places of its warnings, and what each says.
WARNINGS = [
    ("4:1", "tolerations", "spec.template.spec.tolerations"), ("6:3", "spec.nodeSelector", "spec.template.spec.nodeSelector"),
    ("8:5", "spec.template.toleration", "spec.template.spec.tolerations"),
    ("10:7", "spec.template.spec.nodeselector", "spec.template.spec.nodeSelector")]
TEXTS = [f"Kubernetes does not know `{wrong}`, did you mean `{right}`" for _, wrong, right in WARNINGS]


def warned(done):
    """The fields that a report in JSON warns of, and the right ones."""
    found = [finding for one in done.json()["results"] for finding in one["findings"] if finding["code"] == "MisspeltField"]
    return [tuple(finding["message"].split("`")[1::2]) for finding in found]


def known_fields_are_not_misspelt(cli, root):
    """None of a pod spec, and beside it none of a workload's; of every release whose fields are recorded."""
    recorded = sorted((root / "tests/reference").glob("PodSpec.v*.txt"))
    names = sorted({name for path in recorded for name in path.read_text(encoding="ascii").split()})
    if len(names) < 43 or not set(FIELDS) <= set(names):
        yield f"recorded are {names}"
    bare = pod("p", "shop") | {"spec": dict.fromkeys(names)}
    workload = deployment()
    workload["spec"] = dict.fromkeys(OF_WORKLOADS) | {"template": {"metadata": {}, "spec": dict.fromkeys(names)}}
    workload |= {"metadata": meta("web", "shop"), "status": {}}
    done = cli("check", "policies", "--for", "-", "-o", "json", files=POLICY, stdin=[bare, workload])
    if done.status != 0 or warned(done) or done.json()["summary"]["objects"] != 2:
        yield str(done)


def every_field_that_policies_rule_has_its_misspellings_told(cli, root):
    """Those of the table of fields: one that is added there and not here is found."""
    table = (root / "include/schedpol/scheduling_policy/impl/fields.hpp").read_text(encoding="ascii")
    ruled = re.findall(r'^    \.field = "(\w+)"', table, re.MULTILINE)
    if len(ruled) < 10:
        yield f"the table has {ruled}"
    for field in ruled:
        wrong = field[:-1] if field.endswith("s") else field + "s"
        done = cli("check", "policies", "--for", "-", "-o", "json", files=POLICY, stdin=[pod("p", "shop") | {"spec": {wrong: None}}])
        if warned(done) != [(f"spec.{wrong}", f"spec.{field}")]:
            yield f"{wrong}: {done}"


def what_is_nearly_a_field_is_told(cli, _):
    """By a letter or two, by upper and lower case, or without its `Name`."""
    misspelt = {}
    for name in FIELDS:
        misspelt |= {name + "s": name, name[:-1]: name, name.lower(): name, name[0] + name[2] + name[1] + name[3:]: name}
        misspelt |= {name[:-4]: name, name[:-4].lower(): name} if name.endswith("Name") else {}
        misspelt |= {name.replace("C", "_c").replace("S", "_s").replace("G", "_g"): name} if sum(map(str.isupper, name)) == 1 else {}
    misspelt = {wrong: right for wrong, right in misspelt.items() if wrong not in FIELDS}
    done = cli("check", "policies", "--for", "-", "-o", "json", files=POLICY, stdin=pod("p", "shop") | {"spec": dict.fromkeys(misspelt)})
    wanted = [(f"spec.{wrong}", f"spec.{right}") for wrong, right in misspelt.items()]
    if sorted(warned(done)) != sorted(wanted) or len(wanted) < 50:
        yield f"{sorted(set(warned(done)) ^ set(wanted))}: {done.err}"
    others = ("name", "image", "labels", "affinityRules", "class", "node_affinity", "gates", "", "N", "zone", "tolerance")
    done = cli("check", "policies", "--for", "-", "-o", "json", files=POLICY, stdin=pod("p", "shop") | {"spec": dict.fromkeys(others)})
    if warned(done):
        yield f"nothing near: {warned(done)}"


def what_stands_beside_the_pod_spec_is_told(cli, _):
    """At each level of each kind, exact or misspelt; a custom kind's own fields are its own."""
    levels = {("v1", "Pod"): ((), ("spec",)), ("v1", "PodTemplate"): ((), ("template",), ("template", "spec")),
              ("batch/v1", "CronJob"): ((), ("spec",), ("spec", "jobTemplate"), ("spec", "jobTemplate", "spec"),
                                        ("spec", "jobTemplate", "spec", "template"), ("spec", "jobTemplate", "spec", "template", "spec")),
              ("argoproj.io/v1alpha1", "Rollout"): ((), ("spec",), ("spec", "template"), ("spec", "template", "spec"))}
    levels |= {("apps/v1" if kind != "Job" else "batch/v1", kind): ((), ("spec",), ("spec", "template"), ("spec", "template", "spec"))
               for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")}
    settings = engine("SchedulingPolicy", templates=[{"group": "argoproj.io", "kind": "Rollout", "path": "spec.template"}])
    for (version, kind), steps in levels.items():
        root = {"apiVersion": version, "kind": kind, "metadata": meta("x", "shop")}
        for level in steps:
            at = root
            for step in level:
                at = at.setdefault(step, {})
            at |= {"nodeSelectr": {}}
            # A template of a custom kind that has it is refused.
            if kind != "Rollout" or level != ("spec", "template"):
                at["tolerations"] = []
        right = ".".join(steps[-1])
        wanted = [(".".join([*level, name]), f"{right}.{field}") for level in steps
                  for name, field in (("tolerations", "tolerations"), ("nodeSelectr", "nodeSelector"))
                  if name not in FIELDS or level != steps[-1]]
        if kind == "Rollout":
            wanted = [pair for pair in wanted if pair[0].startswith("spec.template") and pair[0] != "spec.template.tolerations"]
        done = cli("check", "policies", "--for", "-", "-o", "json", files=POLICY | {"policies/e.yaml": settings}, stdin=root)
        if sorted(warned(done)) != sorted(wanted):
            yield f"{kind}: {warned(done)}, not {wanted}: {done.err}"


def warnings_have_their_places(cli, _):
    """In every command that decides, and every format; they make nothing a failure, and are counted."""
    case = {"apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["policies"], "objects": {"web": {"file": "web.yaml"}},
            "cases": [{"name": "c", "object": "web", "expect": {"allowed": True}}]}
    place = cli.folder(POLICY | {"web.yaml": MISSPELT, "tests.yaml": case})
    commands = {"check": ["check", "policies", "--for", "web.yaml"], "explain": ["explain", "policies", "--for", "web.yaml"],
                "diff": ["diff", "policies", "policies", "--for", "web.yaml"], "test": ["test", "tests.yaml"]}
    for command, arguments in commands.items():
        done = cli(*arguments, place=place)
        lines = [line.strip() for line in done.out.splitlines() if "MisspeltField" in line]
        wanted = [f"web.yaml:{where}: warning: {text} [MisspeltField]" for (where, _, _), text in zip(WARNINGS, TEXTS)]
        if done.status != 0 or lines != wanted or ", 4 warnings" not in done.out:
            yield f"{command}: {done}"
        done = cli(*arguments, "-o", "json", place=place)
        found = [(finding["place"]["line"], finding["place"]["column"], finding["level"], finding["message"])
                 for one in done.json()["results"] for finding in one["findings"]]
        if found != [(*map(int, where.split(":")), "warning", text) for (where, _, _), text in zip(WARNINGS, TEXTS)] or \
                done.json()["summary"]["warnings"] != 4:
            yield f"{command}, JSON: {done}"
        if command == "explain":
            continue
        (log,) = json.loads(cli(*arguments, "-o", "sarif", place=place).out)["runs"]
        found = [(one["ruleId"], one["level"], *one["locations"][0]["physicalLocation"]["region"].values()) for one in log["results"]]
        if found != [("MisspeltField", "warning", *map(int, where.split(":"))) for where, _, _ in WARNINGS]:
            yield f"{command}, SARIF: {found}"
        done = cli(*arguments, "-o", "github", place=place)
        heads = [line.split(",title=")[0] for line in done.out.splitlines() if "title=MisspeltField::" in line]
        if done.status != 0 or heads != [f"::warning file=web.yaml,line={line},col={column}"
                                         for line, column in (where.split(":") for where, _, _ in WARNINGS)]:
            yield f"{command}, GitHub: {done}"


def objects_of_cases_and_reviews_have_places_too(cli, _):
    """Where they are written: in the file of cases, or within the review."""
    text = """apiVersion: schedpol.io/v1alpha1
kind: PolicyTest
policies: [policies]
objects:
  a: {kind: Pod, spec: {toleration: []}}
cases:
- {name: one, object: a, expect: {allowed: true}}
- {name: two, object: a, expect: {allowed: true}}
- name: three
  object:
    kind: Pod
    nodeName: n
  expect: {allowed: true}
"""
    done = cli("test", "t.yaml", files=POLICY | {"t.yaml": text})
    lines = [line.split(": warning")[0] for line in done.out.splitlines() if "MisspeltField" in line]
    if done.status != 0 or lines != ["t.yaml:5:25", "t.yaml:12:5"]:
        yield str(done)
    review = """apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  uid: "1"
  operation: CREATE
  namespace: shop
  object:
    apiVersion: v1
    kind: Pod
    metadata: {name: p}
    spec:
      toleration: []
"""
    done = cli("check", "policies", "--for", "-", files=POLICY, stdin=review)
    if done.status != 0 or f"<stdin>:12:7: warning: {TEXTS[2].replace('.template.toleration', '.toleration').replace('template.spec.', '')}" not in done.out:
        yield str(done)


def very_many_are_bounded(cli, _):
    """An object has only so many warnings."""
    spec = {f"toleration{chr(97 + i % 26)}{chr(97 + i // 26)}": None for i in range(600)}
    done = cli("check", "policies", "--for", "-", "-o", "json", files=POLICY, stdin=pod("p", "shop") | {"spec": spec})
    if done.status != 0 or not 0 < len(warned(done)) <= 100:
        yield f"{len(warned(done))}: {done.err}"


def a_template_is_called_so(cli, _):
    """Wherever that cannot be meant: in what YAML cannot read, in names, and in fields of scheduling. A container may have
    braces in its arguments."""
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: shop}\nspec:\n"
    texts = {"a condition": ("{{- if .Values.on }}\n" + head, "1:2"), "a name": (head.replace("x,", '"{{ .Release.Name }}",'), "3:12"),
             "labels": ("kind: Pod\nmetadata:\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\n", "4:6"),
             "a scheduler": (head + '  schedulerName: "{{ .Values.scheduler }}"\n', "5:3"),
             "a node selector": (head + '  nodeSelector: {pool: "{{ .Values.pool }}"}\n', "5:3"),
             "a toleration": (head + "  tolerations:\n  - key: 'x-{{ .Values.key }}'\n", "5:3"),
             "a workload": ('apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec:\n  template:\n    spec:\n'
                            '      priorityClassName: "{{ .Values.class }}"\n', "7:7")}
    for name, (text, where) in texts.items():
        done = cli("check", "policies", "--for", "x.yaml", files=POLICY | {"x.yaml": text})
        if done.status != 2 or f"x.yaml:{where}: this looks like a template that is not rendered: render it first" not in done.err:
            yield f"{name}: {done}"
    meant = head + "  containers: [{name: c, args: ['--format={{.ID}}']}]\n"
    done = cli("check", "policies", "--for", "x.yaml", files=POLICY | {"x.yaml": meant})
    if done.status != 0:
        yield f"arguments: {done}"


CHECKS = (known_fields_are_not_misspelt, every_field_that_policies_rule_has_its_misspellings_told, what_is_nearly_a_field_is_told,
          what_stands_beside_the_pod_spec_is_told, warnings_have_their_places, objects_of_cases_and_reviews_have_places_too,
          very_many_are_bounded, a_template_is_called_so)

if __name__ == "__main__":
    sys.exit(run(__doc__, CHECKS))
