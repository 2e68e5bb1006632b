# SPDX-License-Identifier: Apache-2.0
"""Rows of the day in a cluster: a namespace that warns, what the webhook heard there, the policies that the command line
makes of it, and the namespace enforced."""

import json
import subprocess

from control_plane import wait_until

KINDS = "schedulingpolicies,metadatapolicies,podschedulingpolicies,clusterpodschedulingpolicies,resourcepolicies," \
        "runtimeclasses,clusterroles,clusterrolebindings,roles,rolebindings,namespaces"
WANTED = {"tolerations": [{"key": "rehearsed", "operator": "Exists", "effect": "NoSchedule"}]}
OTHER = {"tolerations": [{"key": "unheard", "operator": "Exists", "effect": "NoSchedule"}]}


def heard(day):
    """The needs of the namespace, as a client with a certificate reads them."""
    status, text = day.ask("webhook", "/needs", certificate="client")
    if status != 200:
        raise ValueError(f"/needs: {status}: {text}")
    lines = [line for line in text.splitlines() if json.loads(line)["request"]["namespace"] == "rehearsed"]
    return [json.loads(line)["heard"] for line in lines], "".join(line + "\n" for line in lines)


def configure(day, **more):
    """Changes the engine's configuration."""
    file = day.work / "engine.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **more}), encoding="utf-8")


def a_namespace_that_warns_is_heard(day):
    configure(day, namespaceModes={"weakest": "Warn"})
    day.namespace("rehearsed", **{"schedpol.io/mode": "Warn"})
    wait_until("the namespace warns", lambda: day.try_pod("train", "rehearsed", **WANTED)[0], 20)
    if heard(day)[0]:
        yield f"a dry run is heard: {heard(day)}"
    status, text = day.plane.kubectl("create", "-f", "-", text=json.dumps({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train", "namespace": "rehearsed"},
        "spec": {**WANTED, "terminationGracePeriodSeconds": 0, "containers": [{"name": "main", "image": "example.com/none"}]}}))
    if status != 0 or "Warning: " not in text or "spec.tolerations[0]" not in text:
        yield f"nobody is warned: {text}"
    wait_until("it is heard", lambda: len(heard(day)[0]) == 1, 10)
    need, = heard(day)[0]
    wanted = {"kind": "Pod", "namespace": "rehearsed", "name": "train", "user": "admin"}
    if need["count"] != 1 or need["subject"] != "system:serviceaccount:rehearsed:default" or need["example"] != wanted:
        yield f"{need}"
    if [one["field"] for one in need["denied"]] != ["spec.tolerations[0]"]:
        yield f"{need['denied']}"
    if (status := day.ask("webhook", "/needs")[0]) != 401:
        yield f"without a certificate: {status}"
    if day.try_pod("train", "shop", **WANTED)[0]:
        yield "a namespace without the label warns, too"


def what_was_heard_is_allowed_once_it_is_enforced(day):
    there = day.work / "there"
    there.mkdir()
    (there / "engine.json").write_text((day.work / "engine.json").read_text(encoding="utf-8"), encoding="utf-8")

    def look():
        status, text = day.plane.kubectl("get", KINDS, "-A", "-o", "json")
        if status != 0:
            raise ValueError(text)
        (there / "cluster.json").write_text(text, encoding="utf-8")

    def suggest():
        done = subprocess.run([day.programs["cli"], "suggest", "--from", needs, "--existing", there], capture_output=True, text=True,
                              timeout=60, check=False)
        if done.returncode != 0:
            raise ValueError(f"{done.returncode} {done.stdout} {done.stderr}")
        return done.stdout
    needs = day.work / "needs.jsonl"
    needs.write_text(heard(day)[1], encoding="utf-8")
    look()
    suggested = suggest()
    if "# heard 1 time, of 1 service account, such as Pod rehearsed/train\n" not in suggested:
        yield suggested
    status, text = day.plane.kubectl("apply", "-f", "-", text=suggested)
    if status != 0:
        yield text
    day.plane.kubectl("label", "namespace", "rehearsed", "schedpol.io/mode=Enforce", "--overwrite")
    wait_until("it is enforced", lambda: not day.try_pod("other", "rehearsed", **OTHER)[0], 20)
    wait_until("what was heard is allowed", lambda: day.try_pod("again", "rehearsed", **WANTED)[0], 20)
    day.plane.kubectl("-n", "rehearsed", "create", "serviceaccount", "another")
    allowed, said = day.try_pod("again", "rehearsed", serviceAccountName="another", **WANTED)
    if allowed or "spec.tolerations[0]" not in said:
        yield f"another account: {said}"
    look()
    if ": 0 policies with 0 entries, 0 bindings.\n" not in suggest():
        yield f"something is missing: {suggest()}"
    day.delete_pod("rehearsed", "train")
    configure(day, namespaceModes={"weakest": "Enforce"})


ROWS = [a_namespace_that_warns_is_heard, what_was_heard_is_allowed_once_it_is_enforced]
