# SPDX-License-Identifier: Apache-2.0
"""Where `schedpol plan` puts the replicas of a workload: as kube-scheduler's filters and a ResourcePolicy leave nodes to them,
or by the policy alone.

    cli_plan_test.py PROGRAM SOURCE_ROOT
"""

import sys

sys.dont_write_bytecode = True
from cli_support import REQUIRED, deployment, engine, meta, policy, run

BY_NONE = "by no ResourcePolicy, as none selects them\n"
ROLLOUT = {"group": "argoproj.io", "kind": "Rollout", "path": "spec.template"}
JOB_SET = {"group": "jobset.x-k8s.io", "kind": "JobSet", "path": "spec.replicatedJobs[*].template.spec.template"}


def node(name, cpu="2", pods="10", labels=None, **spec):
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta(name, labels={"pool": name} | (labels or {})), "spec": spec,
            "status": {"allocatable": {"cpu": cpu, "pods": pods}}}


def asking(cpu="1", **spec):
    return {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]} | spec


def workload(kind, spec, version="apps/v1", **more):
    return {"apiVersion": version, "kind": kind, "metadata": meta("w", "shop"),
            "spec": {"template": {"metadata": {"labels": {"app": "w"}}, "spec": spec}} | more}


def bound(name, on, cpu="1", app="other", **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, "shop", labels={"app": app}),
            "spec": asking(cpu, nodeName=on, **spec)}


def units(*names, most=1):
    return {"apiVersion": "scheduling.sigs.x-k8s.io/v1alpha1", "kind": "ResourcePolicy", "metadata": meta("r", "shop"),
            "spec": {"podSelector": {}, "units": [
                {"name": name, "priority": 5 - i, "maxCount": most, "nodeSelector": {"matchLabels": {"pool": name}}}
                for i, name in enumerate(names)]}}


def planned(cli, nodes, what, *arguments, policies=None, pods=None):
    """What a plan prints, and its status."""
    files = {"policies/engine.yaml": engine("ResourcePolicy", templates=[ROLLOUT, JOB_SET]), "w.yaml": what, "nodes.yaml": nodes}
    files["policies/r.yaml"] = policies or units("elsewhere") | {"metadata": meta("r", "other")}
    if pods is not None:
        files["pods.yaml"] = pods
        arguments = ("--pods", "pods.yaml", *arguments)
    return cli("plan", "policies", "--for", "w.yaml", "--nodes", "nodes.yaml", *arguments, files=files)


def placements(done):
    return [one.get("node", one.get("message", one.get("reason"))) for one in done.json()["placements"]]


def a_policy_decides_which_node_that_is_fit_is_taken(cli, _):
    nodes = [node("static"), node("spot")]
    web = deployment(**asking())
    done = planned(cli, nodes, web, "--replicas", "3", policies=units("static", "spot"))
    wanted = ("POD    NODE    UNIT      DELETION COST\nweb-0  static  static    100\nweb-1  spot    spot      80\n"
              "web-2  -       UnitFull  -\n\n0/2 nodes are available: 2 UnitFull.\nscaled down: web-1 web-0\n"
              "2 of 3 replicas have a node, by ResourcePolicy `shop/r`\n")
    if (done.status, done.out) != (1, wanted):
        yield f"{done}, not {wanted}"
    done = planned(cli, nodes, web, "-o", "json", policies=units("static", "spot"))
    if done.json()["placements"] != [{"pod": "web-0", "code": "Success", "node": "static", "deletionCost": 100, "unit": 0}]:
        yield f"{done}"
    full = [node("static", cpu="500m"), node("spot")]
    if placements(planned(cli, full, web, "-o", "json", policies=units("static", "spot"))) != ["spot"]:
        yield "a node without room took a replica because the policy prefers it"
    done = planned(cli, full, web, "-o", "json", "--policy-only", policies=units("static", "spot"))
    if (done.status, placements(done)) != (0, ["static"]):
        yield f"by the policy alone: {done}"


def why_no_node_takes_a_replica_is_said_as_kube_scheduler_says_it(cli, _):
    term = {"topologyKey": "pool", "labelSelector": {"matchLabels": {"app": "other"}}}
    for why, nodes, spec, pods in (
            ("1 node(s) were unschedulable", [node("a", unschedulable=True)], asking(), []),
            ("1 node(s) had untolerated taint(s)", [node("a", taints=[{"key": "gpu", "effect": "NoSchedule"}])], asking(), []),
            ("1 node(s) didn't match Pod's node affinity/selector", [node("a")], asking(nodeSelector={"pool": "b"}), []),
            ("1 Insufficient cpu", [node("a")], asking("3"), []),
            ("1 Insufficient cpu", [node("a")], asking(), [bound("x", "a"), bound("y", "a")]),
            ("1 Too many pods", [node("a", pods="1")], asking(), [bound("x", "a", "1m")]),
            ("1 node(s) didn't match pod anti-affinity rules", [node("a")],
             asking(affinity={"podAntiAffinity": {REQUIRED: [term]}}), [bound("x", "a")]),
            ("1 node(s) didn't match pod affinity rules", [node("a")], asking(affinity={"podAffinity": {REQUIRED: [term]}}), []),
            ("1 node(s) didn't match pod topology spread constraints (missing required label)", [node("a")],
             asking(topologySpreadConstraints=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]), []),
            ("1 Insufficient cpu, 1 node(s) were unschedulable", [node("a", cpu="1"), node("b", unschedulable=True)], asking("2"), []),
    ):
        done = planned(cli, nodes, workload("Deployment", spec), pods=pods or None)
        message = f"0/{len(nodes)} nodes are available: {why}."
        if done.status != 1 or f"\n\n{message}\n0 of 1 replicas have a node, {BY_NONE}" not in done.out:
            yield f"{done}, not {message}"
    gated = asking(schedulingGates=[{"name": "quota"}])
    done = planned(cli, [node("a")], workload("Deployment", gated))
    if done.status != 1 or "Scheduling is blocked due to non-empty scheduling gates\n" not in done.out:
        yield f"gates: {done}"


def each_kind_has_the_replicas_that_are_there_at_a_time(cli, _):
    nodes = [node("a", cpu="9"), node("b", cpu="9"), node("c", cpu="9", taints=[{"key": "gpu", "effect": "NoSchedule"}]),
             node("d", cpu="9", unschedulable=True), node("e", cpu="0")]
    job = workload("Job", asking(), "batch/v1", parallelism=3)
    for what, count in (
            (workload("Deployment", asking(), replicas=2), 2), (workload("StatefulSet", asking()), 1), (job, 3),
            (workload("Job", asking(), "batch/v1", parallelism=3, completions=2), 2),
            ({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta("w", "shop"),
              "spec": {"jobTemplate": {"spec": job["spec"]}}}, 3),
            (workload("Rollout", asking(), "argoproj.io/v1alpha1", replicas=4), 4)):
        done = planned(cli, nodes, what)
        if done.status != 0 or f"{count} of {count} replicas have a node" not in done.out:
            yield f"{what['kind']}: {done}"
        is_scaled_down = what["kind"] not in ("Job", "CronJob")
        if ("scaled down:" in done.out) != is_scaled_down:
            yield f"{what['kind']} is scaled down by its replicas: {done}"
    done = planned(cli, nodes, workload("StatefulSet", asking(), replicas=3))
    if "scaled down: w-2 w-1 w-0\n" not in done.out:
        yield f"{done}"
    # Its controller tolerates the cordon, not the taint, and does not ask what is left.
    done = planned(cli, nodes, workload("DaemonSet", asking()), "-o", "json")
    elsewhere = "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    if (done.status, placements(done)) != (1, ["a", "b", "d", elsewhere]):
        yield f"{done}"


def owned(pod, kind):
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "w", "controller": True}
    return pod | {"metadata": pod["metadata"] | {"ownerReferences": [owner]}}


def what_runs_stays(cli, _):
    """What a StatefulSet or a DaemonSet has already are replicas of it; nobody else's pod gives way to a replica."""
    nodes = [node("a", cpu="4"), node("b", cpu="4")]
    both = [owned(bound("w-0", "b", "3"), "StatefulSet"), owned(bound("w-1", "a", "3"), "StatefulSet")]
    done = planned(cli, nodes, workload("StatefulSet", asking("3"), replicas=2), "-o", "json", pods=both)
    if (done.status, placements(done)) != (0, ["b", "a"]):
        yield f"a StatefulSet that runs: {done}"
    taken = "pod `w-0` is there and is not the StatefulSet's"
    done = planned(cli, nodes, workload("StatefulSet", asking("3"), replicas=2), "-o", "json", pods=[bound("w-0", "b")])
    if (done.status, placements(done)) != (1, [taken, "a"]):
        yield f"a pod of somebody else: {done}"
    done = planned(cli, nodes, workload("Deployment", asking("3"), replicas=2), pods=[bound("w-0", "a", "2")])
    if done.status != 1 or "\nw-1  b " not in done.out or "\nw-2  - " not in done.out:
        yield f"a Deployment beside a pod called like a replica: {done}"
    done = planned(cli, nodes, workload("DaemonSet", asking("3")), "-o", "json", pods=[owned(bound("w-x", "b", "3"), "DaemonSet")])
    if (done.status, placements(done), done.json()["placements"][1]["pod"]) != (0, ["a", "b"], "w-x"):
        yield f"a DaemonSet that runs: {done}"


def the_pods_of_a_cluster_are_none_twice(cli, _):
    """There may be none at all; a file that says nothing is an error."""
    nodes, web = [node("a")], workload("Deployment", asking())
    for none in ({"apiVersion": "v1", "kind": "List", "items": []}, {"kind": "PodList", "apiVersion": "v1", "items": None},
                 "apiVersion: v1\nkind: PodList\nitems: []\n"):
        done = planned(cli, nodes, web, pods=none)
        if done.status != 0 or "1 of 1 replicas have a node" not in done.out:
            yield f"no pods: {done}"
    done = planned(cli, nodes, web, pods="")
    if (done.status, done.err) != (2, "pods.yaml: there is no object in it\n"):
        yield f"an empty file: {done}"
    without = bound("x", "a") | {"metadata": meta("x")}
    for pods, said in (([bound("x", "a"), bound("x", "b")], "shop/x"), ([without, without], "default/x"),
                       ([without, without | {"metadata": meta("x", "default")}], "default/x")):
        done = planned(cli, nodes, web, pods=pods)
        if (done.status, done.err) != (2, f"pods.yaml:3:1: pod `{said}` is there twice\n"):
            yield f"{said}: {done}"
    done = planned(cli, nodes, web, "-n", "shop", pods=[without, bound("x", "a")])
    if (done.status, done.err) != (2, "pods.yaml:3:1: pod `shop/x` is there twice\n"):
        yield f"in the namespace of -n: {done}"
    done = planned(cli, nodes, web, pods=[bound("x", "a", "1m"), without])
    if done.status != 1 or "Insufficient cpu" not in done.out:
        yield f"of two namespaces: {done}"


def the_pod_is_planned_that_the_policies_make(cli, _):
    """Of the template and then of the pod; a denial is shown in place of a plan."""
    kata = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": meta("kata"), "handler": "kata",
            "overhead": {"podFixed": {"cpu": "1"}}, "scheduling": {"nodeSelector": {"pool": "b"}}}
    on_c = policy("p", allowed={"schedulerNames": [], "nodeSelectors": {}}, default={"nodeSelector": {"pool": "c"}})
    injected = {"apiVersion": "kupid.gardener.cloud/v1alpha1", "kind": "PodSchedulingPolicy", "metadata": meta("i", "shop"),
                "spec": {"podSelector": {}, "nodeSelector": {"pool": "c"}}}
    nodes = [node("a", cpu="4"), node("b", cpu="2"), node("c", cpu="4")]
    of_class = asking(runtimeClassName="kata")
    no_cpu = "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector."
    for name, systems, policies, spec, status, wanted in (
            ("what a class selects", "RuntimeClass", [kata], of_class, 0, ["b"]),
            ("what a class takes", "RuntimeClass", [kata], asking("1500m", runtimeClassName="kata"), 1, [no_cpu]),
            ("a default", "SchedulingPolicy", [on_c], asking(), 0, ["c"]),
            ("what is injected", "PodSchedulingPolicy", [injected], asking(), 0, ["c"])):
        for kind in ("Deployment", "Pod", "Rollout"):
            what = {"apiVersion": "v1", "kind": "Pod", "metadata": meta("w", "shop"), "spec": spec} if kind == "Pod" else \
                workload(kind, spec, "argoproj.io/v1alpha1" if kind == "Rollout" else "apps/v1")
            files = {"p/e.yaml": engine(systems, templates=[ROLLOUT]), "p/p.yaml": policies, "w.yaml": what, "nodes.yaml": nodes}
            ask = ("plan", "p", "--for", "w.yaml", "--nodes", "nodes.yaml", "-o", "json")
            done = cli(*ask, files=files)
            if (done.status, placements(done)) != (status, wanted):
                yield f"{name}, {kind}: {done}"
            done = cli(*ask, "--policy-only", files=files)
            if (done.status, placements(done)) != (0, ["a"]):
                yield f"{name}, {kind}, as it is written: {done}"
    # What another workload controls passes undecided, and its pods do not.
    replica_set = workload("ReplicaSet", asking(nodeSelector={"pool": "a"}))
    replica_set["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "controller": True}]
    denied = {"p/p.yaml": [policy("p")], "nodes.yaml": nodes, "w.yaml": replica_set}
    done = cli("plan", "p", "--for", "w.yaml", "--nodes", "nodes.yaml", files=denied)
    if done.status != 1 or not done.out.startswith("denied    the pods of ReplicaSet shop/w  w.yaml:1:1\n  w.yaml:1:") or \
            "`spec.template.spec.nodeSelector[pool]`" not in done.out or "replicas have a node" in done.out:
        yield f"pods that are denied: {done}"
    denied["w.yaml"] = workload("Deployment", asking(nodeSelector={"pool": "a"}))
    done = cli("plan", "p", "--for", "w.yaml", "--nodes", "nodes.yaml", files=denied)
    if done.status != 1 or not done.out.startswith("denied    Deployment shop/w  w.yaml:1:1\n  w.yaml:1:"):
        yield f"a workload that is denied: {done}"
    done = cli("plan", "p", "--for", "w.yaml", "--nodes", "nodes.yaml", "-o", "json", files=denied)
    if done.status != 1 or done.json()["placements"] or \
            [one["field"] for one in done.json()["violations"]] != ["spec.template.spec.nodeSelector[pool]"]:
        yield f"a workload that is denied, in JSON: {done}"


def what_cannot_be_planned_is_said(cli, _):
    nodes, web = [node("a")], workload("Deployment", asking())
    most = "must be from 1 to 10000\n"
    for replicas in ("0", "", "-1", "1.5", "1e20", "99999999999999999999", "10001"):
        done = planned(cli, nodes, web, "--replicas", replicas)
        if (done.status, done.err) != (2, f"--replicas `{replicas}`: {most}"):
            yield f"--replicas {replicas!r}: {done}"
    for what, wanted in (
            (workload("Deployment", asking(), replicas=0), f"the workload's replicas, 0: {most}"),
            (workload("Deployment", asking(), replicas="two"), "w.yaml:1:1: the number of its replicas is no number\n"),
            ([web, web], "w.yaml:3:1: is a second workload, and one is planned\n"),
            ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("c")}, "w.yaml:1:1: the object has no pods\n"),
            ({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": meta("j"), "spec": {"replicatedJobs": [
                {"name": name, "template": {"spec": {"template": {"spec": asking()}}}} for name in ("x", "y")]}},
             "w.yaml:1:1: it has 2 pod templates, and one is planned\n"),
            ({"apiVersion": "v1", "kind": "Pod", "metadata": meta("p", uid="1", creationTimestamp="2026-01-01T00:00:00Z"),
              "spec": asking(), "status": {"phase": "Succeeded"}}, "w.yaml:1:1: is a pod that has run\n")):
        done = planned(cli, nodes, what)
        if (done.status, done.err) != (2, wanted):
            yield f"{done}, not {wanted}"
    done = planned(cli, nodes, workload("DaemonSet", asking()), "--replicas", "2")
    if (done.status, done.err) != (2, "--replicas: a DaemonSet has one replica on each node that it may run on\n"):
        yield f"{done}"
    done = planned(cli, nodes, web, pods=[web])
    if done.status != 2 or "pods.yaml:1:1: is no Pod" not in done.err:
        yield f"{done}"


if __name__ == "__main__":
    sys.exit(run(__doc__, [a_policy_decides_which_node_that_is_fit_is_taken,
                           why_no_node_takes_a_replica_is_said_as_kube_scheduler_says_it,
                           each_kind_has_the_replicas_that_are_there_at_a_time, what_runs_stays, the_pods_of_a_cluster_are_none_twice,
                           the_pod_is_planned_that_the_policies_make, what_cannot_be_planned_is_said]))
