# SPDX-License-Identifier: Apache-2.0
"""The command line and custom resources that have pod templates: what the configuration has paths for is decided on like a
workload, with places inside the template; what is flatter, or has no path, is not.

    cli_templates_test.py PROGRAM SOURCE_ROOT
"""

import sys

sys.dont_write_bytecode = True
from cli_support import engine, meta, policy, run

ROLLOUT = {"group": "argoproj.io", "kind": "Rollout", "path": "spec.template"}
JOB_SET = {"group": "jobset.x-k8s.io", "kind": "JobSet", "path": "spec.replicatedJobs[*].template.spec.template"}
SPOT = {"keys": ["spot"], "operators": [], "effects": []}


def policies(folder, *templates, **allowed):
    given = policy("base", {"schedulerNames": ["default-scheduler"], "tolerations": [SPOT]} | allowed,
                   default={"nodeSelector": {"disk": "ssd"}})
    return {f"{folder}/engine.yaml": engine("SchedulingPolicy", templates=list(templates)), f"{folder}/base.yaml": given}


POLICIES = policies("policies", ROLLOUT, JOB_SET)
WEB = """apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  template:
    spec:
      runtimeClassName: gvisor
"""
TRAIN = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: shop}
spec:
  replicatedJobs:
  - name: leader
    template: {spec: {template: {spec: {tolerations: [{key: spot, operator: Exists}]}}}}
  - name: worker
    template:
      spec:
        template:
          spec:
            tolerations:
            - {key: gpu, operator: Exists}
"""
WORKER = "spec.replicatedJobs[1].template.spec.template.spec."
DENIED = f"`{WORKER}tolerations[0]`: toleration `gpu Exists` is not allowed by `base` (permitted: `{{keys: [spot], " \
         "operators: [], effects: []}`) [TolerationNotAllowed]\n"
CHECKED = f"""changed   Rollout shop/web  web.yaml:1:1
  + spec.template.spec.nodeSelector[disk]: ssd (by `base`)
  nothing governs
    spec.template.spec.runtimeClassName: gvisor
denied    JobSet shop/train  train.yaml:1:1
  train.yaml:14:15: error: {DENIED}  it would be allowed with
  - {WORKER}tolerations[0]: gpu Exists

2 objects looked at: 1 changed, 1 denied, by 1 policy; there are no roles or bindings, so that every SchedulingPolicy is used
"""
FILES = POLICIES | {"web.yaml": WEB, "train.yaml": TRAIN}


def check_finds_the_places_inside_templates(cli, _):
    done = cli("check", "policies", "--for", "web.yaml", "--for", "train.yaml", files=FILES)
    if (done.status, done.out, done.err) != (1, CHECKED, ""):
        yield f"{done}, not {CHECKED}"
    item = cli("check", "policies", "--for", "web.yaml", "-o", "json", files=FILES).json()["results"][0]
    if item["ungoverned"] != [{"field": "spec.template.spec.runtimeClassName", "value": "gvisor"}]:
        yield f"{item}"


NOT_READ = [
    ("a kind without a path", policies("policies", JOB_SET), WEB,
     "no system that runs decides on the object\n"),
    ("a kind of another group", POLICIES, WEB.replace("argoproj.io", "example.com"),
     "no system that runs decides on the object\n"),
    ("no template", POLICIES, WEB[:WEB.index("  template")], "no system that runs decides on the object\n"),
    ("what is flatter than a pod template", policies("policies", ROLLOUT | {"path": "spec"}),
     WEB.replace("  replicas: 2", "  tolerations: []"),
     "<stdin>:5:3: `spec.tolerations`: unsupported value: a PodTemplateSpec has it in its `spec`; what is flatter is not "
     "read\n"),
    ("a wrong type inside", POLICIES, WEB.replace("gvisor", "[]"),
     "<stdin>:8:7: `spec.template.spec.runtimeClassName`: wrong type: must be a string, not a list\n"),
    ("a wrong type in a review of it", POLICIES,
     "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest:\n  operation: CREATE\n  object:\n    "
     + WEB.replace("gvisor", "[]").replace("\n", "\n    "),
     "<stdin>:13:11: `request.object.spec.template.spec.runtimeClassName`: wrong type: must be a string, not a list\n"),
    ("a malformed path", policies("policies", ROLLOUT | {"path": "spec..template"}), WEB,
     "policies/engine.yaml:1:"),
]


def what_is_not_read_is_said(cli, _):
    for sentence, files, stdin, error in NOT_READ:
        for command in ("check", "explain"):
            done = cli(command, "policies", "--for", "-", files=files, stdin=stdin)
            if done.status != 2 or not done.err.startswith(error):
                yield f"{command} of {sentence}: {done}, not {error!r}"


def explain_tells_the_entries_of_all_templates(cli, _):
    done = cli("explain", "policies", "--for", "train.yaml", "-o", "json", files=FILES)
    items = [(one["field"], one["ruling"], one["line"]) for one in done.json()["results"][0]["items"]]
    leader = WORKER.replace("[1]", "[0]")
    wanted = {(f"{WORKER}tolerations[0]", "NotPermitted", 14), (f"{WORKER}nodeSelector[disk]", "Defaulted", 12),
              (f"{leader}tolerations[0]", "Permitted", 7), (f"{leader}nodeSelector[disk]", "Defaulted", 7)}
    if done.status != 1 or not wanted <= set(items):
        yield f"{items}"


def updates_leave_templates_alone(cli, _):
    def update(old):
        return {"apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["policies"],
                "objects": {"train": {"file": "train.yaml"}, "old": {"file": old}},
                "cases": [{"name": "c", "object": "train", "old": "old", "expect": {"lookedAt": False}}]}
    # The items of a list are told by their names.
    head, leader, worker = TRAIN.partition("  - name: leader")[0], TRAIN[TRAIN.index("  - name: leader"):TRAIN.index(
        "  - name: worker")], TRAIN[TRAIN.index("  - name: worker"):]
    for sentence, old, status in (("the same", TRAIN, 0), ("another order", head + worker + leader, 0),
                                  ("a toleration less", TRAIN.replace("key: gpu", "key: spot"), 1)):
        done = cli("test", "cases.yaml", files=FILES | {"old.yaml": old, "cases.yaml": update("old.yaml")})
        if done.status != status:
            yield f"{sentence}: {done}"


def diff_tells_whose_templates_a_change_hits(cli, _):
    files = FILES | policies("after", ROLLOUT, JOB_SET, tolerations=[]) | policies("paths", ROLLOUT)
    done = cli("diff", "policies", "after", "--for", "web.yaml", "train.yaml", files=files)
    wanted = f"allowed   JobSet shop/train (1 object)  train.yaml:11:9\n  train.yaml:11:9: warning: before: {DENIED}\n" \
             "3 objects looked at: 1 allowed now, 2 unchanged\n"
    if done.status != 1 or wanted not in done.out:
        yield f"{done}, not {wanted}"
    # What nobody looks at any more is allowed.
    done = cli("diff", "policies", "paths", "--for", "train.yaml", place=done.place)
    if done.status != 1 or "1 allowed now, 1 changed otherwise" not in done.out:
        yield f"a path less: {done}"


def cases_reach_into_templates(cli, _):
    spot = [{"key": "spot", "operator": "Exists"}]
    cases = {"apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["policies"],
             "objects": {"train": {"file": "train.yaml"}, "web": {"file": "web.yaml"}}, "cases": [
                 {"name": "no gpu", "object": "train", "expect": {"allowed": False, "reasons": [
                     {"code": "TolerationNotAllowed", "field": f"{WORKER}tolerations[0]", "policy": "base"}]}},
                 {"name": "spot", "object": "train", "with": {f"{WORKER}tolerations": spot}, "expect": {
                     "allowed": True, "changes": [{"field": f"{WORKER}nodeSelector[disk]", "to": "ssd"}]}},
                 {"name": "no other scheduler", "object": "web", "with": {"spec.template.spec.schedulerName": "own"},
                  "expect": {"allowed": False}}]}
    done = cli("test", "cases.yaml", "--coverage", files=FILES | {"cases.yaml": cases})
    if done.status != 0 or done.out.splitlines()[-1] != "3 of 3 cases as expected, 3 of 3 rules depended on":
        yield f"{done}"
    for field in ("spec.tolerations", "spec.replicatedJobs[0].tolerations", "spec.replicatedJobs"):
        wrong = cases | {"cases": [{"name": "c", "object": "train", "with": {field: []}, "expect": {"allowed": True}}]}
        done = cli("test", "cases.yaml", files=FILES | {"cases.yaml": wrong})
        if done.status != 2 or "is no field that a decision looks at" not in done.err:
            yield f"{field}: {done}"


if __name__ == "__main__":
    sys.exit(run(__doc__, [check_finds_the_places_inside_templates, what_is_not_read_is_said,
                           explain_tells_the_entries_of_all_templates, updates_leave_templates_alone,
                           diff_tells_whose_templates_a_change_hits, cases_reach_into_templates]))
