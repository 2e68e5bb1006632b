# SPDX-License-Identifier: Apache-2.0
"""The command line and what a cluster printed: each pod is decided on as it was when it was created, and alike ones
together, by their owner.

    cli_stored_test.py PROGRAM SOURCE_ROOT
"""

import itertools
import re
import sys

sys.dont_write_bytecode = True
from cli_support import REQUIRED, deployment, engine, meta, pod, policy, run

ANY_SCHEDULER = {"policies/p.yaml": policy("p")}
POLICY = {"policies/p.yaml": policy("p", allowed={"schedulerNames": ["default-scheduler"]})}
STORED = {"uid": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}
GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
SECONDS = [{"key": f"node.kubernetes.io/{taint}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
           for taint in ("not-ready", "unreachable")]


def stored(object_, **more):
    return object_ | {"metadata": object_["metadata"] | STORED | more}


def running(name, owner=None, tolerations=(), node="node-1", managed=None, phase="Running", **spec):
    """A pod as a cluster prints it."""
    owners = {"ownerReferences": [{"apiVersion": owner[0], "kind": owner[1], "name": owner[2], "controller": True}]} if owner else {}
    made = stored(pod(name, "shop", nodeName=node, schedulerName="default-scheduler", priority=0, preemptionPolicy="PreemptLowerPriority",
                      tolerations=[*tolerations, *SECONDS], **spec), **owners)
    if owner and owner[1] == "ReplicaSet":
        made["metadata"]["labels"]["pod-template-hash"] = owner[2].rsplit("-", 1)[1]
    if managed is not None:
        made["metadata"]["managedFields"] = managed
    return made | {"status": {"phase": phase}}


WEB = ("apps/v1", "ReplicaSet", "web-5d4f8")


def listed(*objects):
    return {"apiVersion": "v1", "kind": "List", "items": list(objects)}


def pods_are_decided_on_as_they_were_created(cli, _):
    """On many nodes, they are one subject, of the Deployment, whose ReplicaSet need not be there."""
    pods = [running(f"web-5d4f8-{index}", WEB, node=f"node-{index}") for index in range(12)]
    place = cli.folder(POLICY)
    for command in ("check", "explain"):
        done = cli(command, "policies", "--for", "-", place=place, stdin=listed(*pods))
        if done.status != 0 or "allowed   12 pods of Deployment shop/web  <stdin>:1:" not in done.out or \
                "\n12 objects looked at: 12 allowed, by" not in done.out:
            yield f"{command}: {done}"
        literally = cli(command, "policies", "--for", "-", "--as-stored", place=place, stdin=listed(*pods))
        if literally.status != 1 or "12 objects looked at: 12 denied, by" not in literally.out:
            yield f"{command} --as-stored: {literally}"
    one, = cli("check", "policies", "--for", "-", "-o", "json", place=place, stdin=listed(*pods)).json()["results"]
    if (one["kind"], one["namespace"], one["name"], one["pods"]) != ("Deployment", "shop", "web", 12):
        yield f"JSON: {one}"


def what_nobody_stored_stands_as_it_is(cli, _):
    """So does what a review is about, which is not stored yet."""
    bound = running("p", WEB)
    dry_run = bound | {"metadata": bound["metadata"] | {"creationTimestamp": None}}
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "operation": "CREATE", "namespace": "shop", "object": bound}}
    for name, asked in (("a dry run", dry_run), ("a review", review)):
        done = cli("check", "policies", "--for", "-", files=POLICY, stdin=asked)
        if done.status != 1 or "NodeNameNotAllowed" not in done.out:
            yield f"{name}: {done}"


def who_named_the_node_of_a_bare_pod(cli, _):
    """Where nobody can tell it is undecided, unless that makes no difference."""
    named = [{"manager": "kubectl", "fieldsV1": {"f:spec": {"f:nodeName": {}}}}]
    cases = [("nobody can tell", POLICY, {}, "undecided", 1),
             ("its author", POLICY, {"managed": named}, "denied", 1),
             ("a scheduler", POLICY, {"managed": [{"manager": "kubectl", "fieldsV1": {}}]}, "allowed", 0),
             ("denied either way", POLICY, {"tolerations": [GPU]}, "denied", 1),
             ("allowed either way", ANY_SCHEDULER, {}, "allowed", 0)]
    for name, files, more, verdict, status in cases:
        place = cli.folder(files)
        for command in ("check", "explain"):
            done = cli(command, "policies", "--for", "-", "-o", "json", place=place, stdin=running("p", **more))
            results = done.json()
            if [one["verdict"] for one in results["results"]] != [verdict] or done.status != status or \
                    results["summary"][verdict] != 1:
                yield f"{command}: {name}: {done}"
    done = cli("check", "policies", "--for", "-", "--only-denied", files=POLICY, stdin=running("p"))
    if "undecided  Pod shop/p  <stdin>:1:1\n  <stdin>:1:1: error: nobody can tell whether it named the node `node-1` itself" not in done.out:
        yield f"in words: {done}"
    case = {"apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["policies"]}
    for expected in (True, False):
        done = cli("test", "-", files=POLICY, stdin=case | {"cases": [
            {"name": "c", "object": running("p"), "expect": {"allowed": expected}}]})
        if done.status != 1 or "but it is undecided" not in done.out:
            yield f"a case that expects {expected}: {done}"
    done = cli("test", "-", files=POLICY, stdin=case | {"cases": [
        {"name": "c", "object": running("p", WEB), "expect": {"allowed": True}}]})
    if done.status != 0:
        yield f"a case of a controlled pod: {done}"


def what_runs_by_itself_or_has_run_is_passed(cli, _):
    """It is counted apart, and alone no pass."""
    mirror = running("etcd")
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    passed = [mirror, *(running(f"j-{index}", ("batch/v1", "Job", "j"), phase="Succeeded") for index in range(3))]
    done = cli("check", "policies", "--for", "-", files=POLICY, stdin=listed(*passed, running("web-5d4f8-1", WEB)))
    if done.status != 0 or "not looked at  Pod shop/etcd" not in done.out or "it is a mirror pod" not in done.out or \
            "not looked at  3 pods of Job shop/j" not in done.out or "it is a pod that has run" not in done.out or \
            "1 object looked at: 1 allowed" not in done.out or "\n4 objects not looked at" not in done.out:
        yield str(done)
    if cli("check", "policies", "--for", "-", files=POLICY, stdin=listed(*passed)).status != 2:
        yield "nothing but these"


def what_pods_and_their_template_differ_in_is_told(cli, _):
    """Apart from what the policies give; whichever of them comes first."""
    kata = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": meta("kata"), "handler": "kata",
            "scheduling": {"nodeSelector": {"sandbox": "kata"}, "tolerations": [{"key": "sandbox", "operator": "Exists"}]}}
    files = POLICY | {"policies/kata.yaml": kata, "policies/e.yaml": engine("RuntimeClass", "SchedulingPolicy")}
    web = stored(deployment("web", "shop", runtimeClassName="kata"))
    pods = [running(f"web-5d4f8-{index}", WEB, [GPU, {"key": "sandbox", "operator": "Exists"}], node=f"node-{index}",
                    runtimeClassName="kata", nodeSelector={"sandbox": "kata"}) for index in range(2)]
    for objects in ((web, *pods), (*pods, web)):
        done = cli("check", "policies", "--for", "-", files=files, stdin=listed(*objects))
        note = "note: the pods have `nvidia.com/gpu Exists:NoSchedule` in `spec.tolerations`, their template does not [TemplateDiffers]"
        if done.status != 1 or note not in done.out or done.out.count("TemplateDiffers") != 1 or \
                "denied    2 pods of Deployment shop/web" not in done.out or "allowed   Deployment shop/web" not in done.out and \
                "changed   Deployment shop/web" not in done.out:
            yield str(done)


def what_passes_unread_has_no_differences(cli, _):
    """It is as the cluster printed it, with what the API server added."""
    job = stored({"apiVersion": "batch/v1", "kind": "Job", "metadata": meta("j", "shop"), "spec": {"template": {"spec": {}}}})
    mirror = running("j-0", ("batch/v1", "Job", "j"))
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    done = cli("check", "policies", "--for", "-", files=ANY_SCHEDULER,
               stdin=listed(job, mirror, running("j-1", ("batch/v1", "Job", "j"), phase="Succeeded")))
    if done.status != 0 or "2 objects not looked at" not in done.out or "TemplateDiffers" in done.out:
        yield str(done)


def which_pod_comes_first_does_not_matter(cli, _):
    """Of alike ones; those are not, of which only one has what the template says, or shows who named its node."""
    owner = ("batch/v1", "Job", "j")
    named = [{"manager": "x", "fieldsV1": {"f:spec": {"f:nodeName": {}}}}]
    for phase, template in itertools.product(("Succeeded", "Running"), ({}, {"tolerations": SECONDS, "priority": 0})):
        job = stored({"apiVersion": "batch/v1", "kind": "Job", "metadata": meta("j", "shop"), "spec": {"template": {"spec": template}}})
        bare = running("j-4", owner, phase=phase)
        bare["spec"] |= {"tolerations": [], "priority": 5}
        pods = [running("j-1", owner, phase=phase), running("j-2", owner, phase=phase, managed=named),
                running("j-3", owner, phase=phase, managed=[{"manager": "x"}]), bare]
        said = set()
        for order in itertools.permutations(pods):
            done = cli("check", "policies", "--for", "-", files=ANY_SCHEDULER, stdin=listed(job, *order))
            said.add(tuple(sorted(re.sub("  <stdin>:[0-9:]*", "", line) for line in done.out.splitlines())))
        if len(said) != 1:
            yield f"{phase}, {template}: {said}"


def gates_and_claims_that_a_webhook_added_are_told(cli, _):
    """A gate that somebody has taken away since is no difference."""
    web = stored(deployment("web", "shop", schedulingGates=[{"name": "opened"}]))
    waiting = running("web-5d4f8-1", WEB, node="", schedulingGates=[{"name": "kueue.x-k8s.io/admission"}],
                      resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}])
    done = cli("check", "policies", "--for", "-", files=POLICY, stdin=listed(web, waiting))
    for value, field in (("kueue.x-k8s.io/admission", "schedulingGates"), ("one-gpu", "resourceClaims")):
        if f"note: the pods have `{value}` in `spec.{field}`, their template does not [TemplateDiffers]" not in done.out:
            yield f"{field}: {done}"
    if done.status != 0 or done.out.count("TemplateDiffers") != 2:
        yield str(done)


def a_node_that_the_template_names_is_asked_for(cli, _):
    """On whichever node the first of the pods is seen."""
    naming = stored(deployment("web", "shop", nodeName="node-1"))
    done = cli("check", "policies", "--for", "-", files=POLICY, stdin=listed(running("web-5d4f8-1", WEB), naming))
    if done.status != 1 or "denied    1 pod of Deployment shop/web" not in done.out:
        yield str(done)


def differences_are_of_created_pods(cli, _):
    """A diff asks both sets of policies about them as they were created."""
    files = {"before/p.yaml": POLICY["policies/p.yaml"], "after/p.yaml": policy("p", allowed={"schedulerNames": ["batch"]})}
    pods = [running(f"web-5d4f8-{index}", WEB, node=f"node-{index}") for index in range(3)]
    done = cli("diff", "before", "after", "--for", "-", files=files, stdin=listed(*pods, running("j", phase="Failed")))
    if done.status != 1 or "denied    Deployment shop/web (3 objects)" not in done.out or \
            "3 objects looked at: 3 denied now; 1 pod that has run not looked at" not in done.out:
        yield str(done)


def differences_know_the_owners_of_pods(cli, _):
    """The outermost is shown, a node that the template names counts, and pods that nobody is asked about are counted apart."""
    files = {"before/p.yaml": policy("p", allowed={"schedulerNames": []}),
             "after/p.yaml": POLICY["policies/p.yaml"]}
    cron = stored({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta("nightly", "shop"),
                   "spec": {"jobTemplate": {"spec": {"template": {"spec": {"nodeName": "node-1"}}}}}})
    job = stored({"apiVersion": "batch/v1", "kind": "Job", "metadata": meta("nightly-1", "shop"),
                  "spec": {"template": {"spec": {"nodeName": "node-1"}}}},
                 ownerReferences=[{"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "controller": True}])
    mirror = running("etcd")
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    pods = [running(f"nightly-1-{index}", ("batch/v1", "Job", "nightly-1")) for index in range(2)]
    done = cli("diff", "before", "after", "--for", "-", files=files, stdin=listed(*pods, job, cron, mirror, running("web-5d4f8-1", WEB)))
    if done.status != 1 or "denied    CronJob shop/nightly (2 objects)" not in done.out or \
            "6 objects looked at" in done.out or "3 denied now, 2 unchanged; 1 mirror pod not looked at" not in done.out:
        yield str(done)


def a_difference_may_be_undecided(cli, _):
    """Where only one of the two minds the node that a bare pod may have named."""
    any_, listed_ = policy("p"), POLICY["policies/p.yaml"]
    for name, before, after, said in (("denied then, if it named it", any_, listed_, "undecided"), ("denied before", listed_, any_, "undecided"),
                                      ("in both alike", listed_, policy("p", allowed={"schedulerNames": ["default-scheduler", "x"]}), "unchanged")):
        done = cli("diff", "before.yaml", "after.yaml", "--for", "-", files={"before.yaml": before, "after.yaml": after}, stdin=running("p"))
        if done.status != 1 or f"1 object looked at: 1 {said}" not in done.out or ("Undecided" in done.out) != (said == "undecided"):
            yield f"{name}: {done}"
    named = running("p", managed=[{"manager": "kubectl", "fieldsV1": {"f:spec": {"f:nodeName": {}}}}])
    done = cli("diff", "before.yaml", "after.yaml", "--for", "-", files={"before.yaml": any_, "after.yaml": listed_}, stdin=named)
    if "1 object looked at: 1 denied now" not in done.out:
        yield f"its author named it: {done}"


def pods_without_their_template_are_counted(cli, _):
    """Nobody can tell what was added to them."""
    pods = [running(f"web-5d4f8-{index}", WEB, node=f"node-{index}") for index in range(2)]
    done_before = running("j", ("batch/v1", "Job", "j"), phase="Succeeded")
    for objects, line in (((*pods, done_before), "the template of 2 pods is not among the objects: nobody can tell what was added to them"),
                          ((pods[0], stored(deployment("db", "shop"))),
                           "the template of 1 pod is not among the objects: nobody can tell what was added to it"),
                          ((*pods, stored(deployment("web", "shop"))), ""), ((running("bare", managed=[{"manager": "x"}]),), "")):
        for command in ("check", "explain"):
            done = cli(command, "policies", "--for", "-", files=POLICY, stdin=listed(*objects))
            if done.status != 0 or [one for one in done.out.splitlines() if one.startswith("the template of")] != ([line] if line else []):
                yield f"{command}: {line}: {done}"


def a_daemon_sets_pod_need_not_have_its_templates_terms(cli, _):
    """Its controller puts the node in their place."""
    term = {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}
    pin = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}

    def required(one):
        return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [one]}}}

    agent = stored({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": meta("agent", "shop"),
                    "spec": {"template": {"spec": {"affinity": required(term)}}}})
    files = {"policies/p.yaml": policy("p", allowed={"schedulerNames": ["default-scheduler"], "affinities": {"nodeAffinities": {}}})}
    done = cli("check", "policies", "--for", "-", files=files,
               stdin=listed(agent, running("agent-1", ("apps/v1", "DaemonSet", "agent"), affinity=required(pin))))
    if done.status != 0 or "TemplateDiffers" in done.out:
        yield str(done)


def policy_reports_are_by_namespace(cli, _):
    """Each with its results, counted; what is in no namespace in one of the cluster."""
    kata = {"apiVersion": "v1", "kind": "Node", "metadata": meta("n")}
    objects = listed(running("web-5d4f8-1", WEB), running("web-5d4f8-2", WEB, node="node-2"), running("bare"),
                     running("bad", WEB, [GPU]), pod("other", "team"), kata)
    done = cli("check", "policies", "--for", "-", "-o", "policyreport", files=POLICY, stdin=objects)
    reports = {report["metadata"].get("namespace", ""): report for report in done.json()["items"]}
    found = {namespace: (report["kind"], {name: count for name, count in report["summary"].items() if count},
                         sorted((one["result"], one.get("rule"), one["resources"][0]["kind"]) for one in report["results"]))
             for namespace, report in reports.items()}
    wanted = {"": ("ClusterPolicyReport", {"skip": 1}, [("skip", None, "Node")]),
              "team": ("PolicyReport", {"pass": 1}, [("pass", None, "Pod")]),
              "shop": ("PolicyReport", {"pass": 1, "fail": 1, "error": 1},
                       [("error", "Undecided", "Pod"), ("fail", "TolerationNotAllowed", "Deployment"), ("pass", None, "Deployment")])}
    if found != wanted or done.status != 1:
        yield f"{found}: {done}"


CHECKS = (pods_are_decided_on_as_they_were_created, what_nobody_stored_stands_as_it_is, who_named_the_node_of_a_bare_pod,
          what_runs_by_itself_or_has_run_is_passed, what_pods_and_their_template_differ_in_is_told,
          what_passes_unread_has_no_differences, which_pod_comes_first_does_not_matter,
          gates_and_claims_that_a_webhook_added_are_told, a_node_that_the_template_names_is_asked_for,
          differences_are_of_created_pods,
          differences_know_the_owners_of_pods, a_difference_may_be_undecided, pods_without_their_template_are_counted,
          a_daemon_sets_pod_need_not_have_its_templates_terms, policy_reports_are_by_namespace)

if __name__ == "__main__":
    sys.exit(run(__doc__, CHECKS))
