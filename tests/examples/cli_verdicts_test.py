# SPDX-License-Identifier: Apache-2.0
"""The command line and what becomes of an object: who decides on it, what nobody looks at, what is only warned of; each
told in every format, and counted apart.

    cli_verdicts_test.py PROGRAM SOURCE_ROOT
"""

import itertools
import json
import re
import sys
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from cli_support import deployment, engine, meta, pod, policy, run

POLICY = {"policies/a.yaml": policy("a", allowed={"schedulerNames": ["default-scheduler"]})}
EVERY = [{"operator": "Exists"}]
TEMPLATE = {"spec": {"tolerations": EVERY}}
WORKLOADS = {"Pod": TEMPLATE["spec"], "PodTemplate": None, "CronJob": {"jobTemplate": {"spec": {"template": TEMPLATE}}}} | {
    kind: {"template": TEMPLATE} for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job")}
CORE, APPS, BATCH = "v1", "apps/v1", "batch/v1"
OF = {kind: CORE for kind in ("Pod", "PodTemplate", "ReplicationController")} | {"Job": BATCH, "CronJob": BATCH} | {
    kind: APPS for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")}
# In none of these is a workload: of Kubernetes' own groups another one is meant, and no CRD can be in the others.
WRONG = ("app/v1", "App/v1", "Apps/v1", "apps.k8s.io/v1", "core/v1", "foo/v1", "policy/v1", "autoscaling/v1", "k8s.io/v1",
         "batch.kubernetes.io/v1", "networking.k8s.io/v1", "v1/apps")
# Anybody's: a kind of that name there is none of Kubernetes'.
CUSTOM = ("example.com/v1", "apps.example.com/v1", "apps.kruise.io/v1alpha1", "my-k8s.io/v1")
OUTPUTS = ("text", "json", "junit", "sarif", "github")


def workload(version, kind):
    made = {"apiVersion": version, "kind": kind, "metadata": meta("w", "shop")}
    return made | ({"template": TEMPLATE} if kind == "PodTemplate" else {"spec": WORKLOADS[kind]})


def workloads_are_of_their_groups(cli, _):
    """A group that is nearly right is no reason to leave a workload out."""
    cases = [(OF[kind], kind, "denied") for kind in WORKLOADS]
    for kind, right in OF.items():
        cases += [(version, kind, "wrong") for version in (*WRONG, *({CORE, APPS, BATCH} - {right}))]
        cases += [(version, kind, "not looked at") for version in CUSTOM]
        # Where the kinds of `apps` were once.
        cases.append(("extensions/v1beta1", kind, "denied" if right == APPS else "wrong"))
    place = cli.folder(POLICY)
    for version, kind, wanted in cases:
        for command in ("check", "explain"):
            done = cli(command, "policies", "--for", "-", "-o", "json", place=place, stdin=workload(version, kind))
            verdicts = [one["verdict"] for one in done.json()["results"]]
            right = f"must be {OF[kind]}"
            if wanted == "wrong" and not (done.status == 2 and not verdicts and right in done.err
                                          and done.err.startswith("<stdin>:1:")):
                yield f"{command} of a {kind} of {version}: {done}"
            if wanted != "wrong" and (verdicts, done.status) != ([wanted], 1 if wanted == "denied" else 2):
                yield f"{command} of a {kind} of {version}: not {wanted}: {done}"
        case = {"apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["policies"], "cases": [
            {"name": "c", "object": workload(version, kind), "expect": {"allowed": True}}]}
        done = cli("test", "-", place=place, stdin=case)
        if done.status != (2 if wanted == "wrong" else 1):
            yield f"a case of a {kind} of {version}: {done}"


def in_mode(mode, *more):
    return POLICY | {"policies/engine.yaml": engine("SchedulingPolicy", *more, mode=mode)}


METADATA = {"apiVersion": "schedpol.io/v1alpha1", "kind": "MetadataPolicy", "metadata": meta("m", "shop"), "spec": {"rules": [
    {"policyPredicate": {"labelSelector": {"matchLabels": {"a": "b"}}}, "policyAction": {"reject": True}}]}}
SETS = {
    "one system": POLICY,
    "a system that looks at all metadata, too": POLICY | {"policies/m.yaml": METADATA},
    "one that only warns": in_mode("Warn"),
    "one that only audits": in_mode("Audit"),
}


def every_allowed_was_decided_by_somebody(cli, root):
    """Of what a folder of charts, operators and lists has; and every closing line adds up."""
    charts = str((root / "tests/examples/charts").resolve())
    for sentence, files in SETS.items():
        place = cli.folder(files)
        done = {output: cli("check", "policies", "--for", charts, "-n", "shop", "-o", output, place=place) for output in OUTPUTS}
        report = done["json"].json()
        results, summary = report["results"], report["summary"]
        # The overlay's kustomization is no object.
        if len(results) < 40 or summary["objects"] != len(results) or done["json"].err or \
                summary["passedOver"] != {"files": 1, "documents": 0}:
            yield f"{sentence}: {len(results)} objects, {summary}: {done['json'].err}"
        counts = {}
        for one in results:
            counts[one["verdict"]] = counts.get(one["verdict"], 0) + 1
            if (one["verdict"] == "not looked at") == bool(one["decidedBy"]):
                yield f"{sentence}: {one['verdict']} by {one['decidedBy']}: {one['kind']} {one['name']}"
            if one["good"] != {"not looked at": None, "denied": False}.get(one["verdict"], True):
                yield f"{sentence}: {one['verdict']} is {one['good']}"
            # The ReplicaSet is controlled by a Deployment, nobody decides on a DELETE, and MetadataPolicies are of namespaces
            # and leave Leases alone.
            is_workload = OF.get(one["kind"]) == one["apiVersion"] and one["name"] not in ("storefront-6d4b", "old")
            systems = ["MetadataPolicy"] if "policies/m.yaml" in files and "namespace" in one and \
                one["name"] != "old" and one["kind"] != "Lease" else []
            if one["decidedBy"] != systems + (["SchedulingPolicy"] if is_workload else []):
                yield f"{sentence}: a {one['kind']} of {one['apiVersion']} is decided on by {one['decidedBy']}"
        counted = {name: summary[name] for name in ("allowed", "changed", "warned", "audited", "denied")}
        counted = {name: count for name, count in counted.items() if count} | {"not looked at": summary["notLookedAt"]}
        if counted != counts:
            yield f"{sentence}: {counted}, not {counts}"
        looked = len(results) - summary["notLookedAt"]
        words = ", ".join(f"{count} {name}" for name, count in counted.items() if name != "not looked at")
        lines = [f"{looked} objects looked at: {words}, by ",
                 f"{summary['notLookedAt']} objects not looked at: no system that runs decides on them"]
        for output in ("text", "github", "junit", "sarif"):
            if not all(line in done[output].out for line in lines):
                yield f"{sentence}: {output} does not say {lines}"
        suite = xml.etree.ElementTree.fromstring(done["junit"].out)[0]
        if [int(suite.get(name)) for name in ("tests", "failures", "skipped")] != [len(results), summary["denied"], summary["notLookedAt"]] \
                or len(list(suite.iter("skipped"))) != summary["notLookedAt"]:
            yield f"{sentence}: {suite.attrib}, not {summary}"
        if json.loads(done["sarif"].out)["runs"][0]["properties"] != summary:
            yield f"{sentence}: SARIF counts something else"
        if {one.status for one in done.values()} != {1 if summary["denied"] else 0}:
            yield f"{sentence}: exit status {[one.status for one in done.values()]} of {summary}"
        explained = cli("explain", "policies", "--for", charts, "-n", "shop", "-o", "json", place=place).json()
        if explained["summary"] != summary or [one["verdict"] for one in explained["results"]] != [one["verdict"] for one in results]:
            yield f"{sentence}: explain says {explained['summary']}"


NOBODYS = [{"apiVersion": "v1", "kind": "Service", "metadata": meta("s", "shop"), "spec": {}},
           {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "metadata": meta("c", "shop"), "spec": {"template": TEMPLATE}},
           {"apiVersion": "meta.k8s.io/v1", "kind": "Table", "metadata": {}, "rows": []},
           {"apiVersion": "v1", "kind": "Namespace", "metadata": meta("shop")}]


def nothing_looked_at_is_no_pass(cli, _):
    place = cli.folder(POLICY)
    for one in NOBODYS:
        for command, outputs in (("check", OUTPUTS), ("explain", ("text", "json"))):
            for output in outputs:
                done = cli(command, "policies", "--for", "-", "-o", output, place=place, stdin=one)
                if (one["kind"] == "Table" and output == "text") != done.out.startswith("not looked at  Table  <stdin>:1:1\n"):
                    yield f"an object without a name, {output}: {done}"
                if (done.status, done.err) != (2, "no system that runs decides on the object\n") or "allowed" in done.out.replace('"allowed":0', ""):
                    yield f"{command} of a {one['kind']}, {output}: {done}"
    done = cli("check", "policies", "--for", "-", place=place, stdin=[*NOBODYS, pod()])
    if done.status != 0 or "not looked at  Service shop/s  <stdin>:1:1\n" not in done.out or \
            "1 object looked at: 1 allowed, by" not in done.out or "\n4 objects not looked at: no" not in done.out:
        yield f"beside a pod: {done}"
    # A ReplicaSet that a Deployment controls passes unread.
    owned = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta("r", "shop", ownerReferences=[
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "controller": True}]), "spec": {"template": TEMPLATE}}
    done = cli("explain", "policies", "--for", "-", place=place, stdin=owned)
    if done.status != 2 or not done.out.startswith("not looked at  ReplicaSet shop/r  <stdin>:1:1\n\n"):
        yield f"a controlled ReplicaSet: {done}"


def cases_expect_a_decision(cli, _):
    """What nobody looks at is neither allowed nor denied."""
    cases = [("it is allowed", NOBODYS[0], {"allowed": True}, "expected allowed, but it is not looked at"),
             ("it is denied", NOBODYS[0], {"allowed": False}, "expected denied, but it is not looked at"),
             ("nobody looks at it", NOBODYS[0], {"lookedAt": False}, None),
             ("nobody looks at a pod", pod(), {"lookedAt": False}, "expected not looked at, but it is allowed"),
             ("somebody looks at a pod", pod(), {"lookedAt": True}, None)]
    file = {"apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["policies"], "cases": [
        {"name": name, "object": one, "expect": expect} for name, one, expect, _ in cases]}
    done = cli("test", "t.yaml", "-o", "json", files=POLICY | {"t.yaml": file})
    for (name, _, _, wanted), one in zip(cases, done.json()["results"]):
        if [finding["message"] for finding in one["findings"]] != ([wanted] if wanted else []):
            yield f"{name}: {one}"
    file["cases"] = [{"name": "both", "object": pod(), "expect": {"lookedAt": False, "allowed": True}}]
    done = cli("test", "t.yaml", files=POLICY | {"t.yaml": file})
    if done.status != 2 or "nobody decides on what is not looked at" not in done.err:
        yield f"{done}"


def warned_is_not_allowed(cli, _):
    miner = pod("miner", "shop", tolerations=EVERY)
    for mode, verdict, level in (("Warn", "warned", "warning"), ("Audit", "audited", "note")):
        place = cli.folder(in_mode(mode) | {"o.yaml": [miner, pod("web", "shop"), deployment(tolerations=EVERY)]})
        for command in ("check", "explain"):
            done = cli(command, "policies", "--for", "o.yaml", place=place)
            if done.status != 0 or f"3 objects looked at: 1 allowed, 2 {verdict}, by" not in done.out or \
                    not re.search(f"^{verdict} +Pod shop/miner", done.out, re.MULTILINE):
                yield f"{command}, {mode}: {done}"
        found = cli("check", "policies", "--for", "o.yaml", "-o", "json", place=place).json()
        if [(one["verdict"], one["good"], [finding["level"] for finding in one["findings"]]) for one in found["results"]] != [
                (verdict, True, [level]), ("allowed", True, []), (verdict, True, [level])]:
            yield f"{mode}: {found}"
        suite = xml.etree.ElementTree.fromstring(cli("check", "policies", "--for", "o.yaml", "-o", "junit", place=place).out)[0]
        said = [one.findtext("system-out") for one in suite.iter("testcase")]
        if suite.get("failures") != "0" or said[1] is not None or "`spec.tolerations[0]`" not in said[0]:
            yield f"{mode}: JUnit says {said}"


def explain_says_why_it_is_not_allowed(cli, _):
    """Each reason of `check`, whichever system has it and however that is run: as a finding, or of SchedulingPolicy as an
    item with a denying ruling, at the same field; in each mode, and where a system before it has denied."""
    kata = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": meta("kata"), "handler": "kata",
            "scheduling": {"nodeSelector": {"sandbox": "kata"}}}
    spread = {"apiVersion": "kupid.gardener.cloud/v1alpha1", "kind": "PodSchedulingPolicy", "metadata": meta("widen", "shop"),
              "spec": {"podSelector": {"matchLabels": {"widen": "yes"}}, "nodeSelector": {"pool": "gpu"}, "tolerations": EVERY}}
    labels = {"a": "b"}, {}, {"widen": "yes"}, {"a": "b", "widen": "yes"}
    specs = {}, {"runtimeClassName": "none"}, {"runtimeClassName": "kata", "nodeSelector": {"sandbox": "other"}}, \
        {"schedulerName": "own", "tolerations": EVERY}, {"runtimeClassName": "none", "schedulerName": "own"}
    objects = []
    for index, (own, spec) in enumerate((own, spec) for own in labels for spec in specs):
        objects.append({"apiVersion": "v1", "kind": "Pod", "metadata": meta(f"p{index}", "shop", labels=own), "spec": spec})
        objects.append({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(f"d{index}", "shop", labels=own),
                        "spec": {"template": {"metadata": {"labels": own}, "spec": spec}}})
    seen = set()
    systems = ("MetadataPolicy", "RuntimeClass", "PodSchedulingPolicy", "SchedulingPolicy")
    for turn in range(len(systems)):
        for others, own in itertools.product(("Enforce", "Warn", "Audit"), repeat=2):
            modes = {"MetadataPolicy": others, "RuntimeClass": others, "PodSchedulingPolicy": "Enforce", "SchedulingPolicy": own}
            order = [{"system": system, "mode": modes[system]} for system in systems[turn:] + systems[:turn]]
            place = cli.folder(POLICY | {"policies/b.yaml": [METADATA, kata, spread], "o.yaml": objects,
                                         "policies/engine.yaml": engine() | {"systems": order}})
            checked, explained = (cli(command, "policies", "--for", "o.yaml", "-o", "json", place=place).json()["results"]
                                  for command in ("check", "explain"))
            for one, other in zip(checked, explained, strict=True):
                reasons = sorted(finding["code"] for finding in one["findings"])
                found = sorted(finding["code"] for finding in other["findings"])
                items = [item for item in other.get("items", []) if item["ruling"] in ("NotPermitted", "RequirementMissing", "Conflicting")]
                seen.add((one["verdict"], bool(found), bool(items)))
                if one["verdict"] != other["verdict"] or len(found) + len(items) != len(reasons) or not set(found) <= set(reasons):
                    yield f"{order}: {one['kind']} {one['name']}: {one['findings']}, explained by {found} and {items}"
    for verdict in ("denied", "warned", "audited"):
        if not {(verdict, True, False), (verdict, False, True), (verdict, True, True)} <= seen:
            yield f"{verdict}: not met, {seen}"


CHECKS = (explain_says_why_it_is_not_allowed, workloads_are_of_their_groups, every_allowed_was_decided_by_somebody, nothing_looked_at_is_no_pass,
          cases_expect_a_decision, warned_is_not_allowed)

if __name__ == "__main__":
    sys.exit(run(__doc__, CHECKS))
