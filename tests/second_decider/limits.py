# SPDX-License-Identifier: Apache-2.0
"""What an API server has limits for: as much as is exported it runs, and one more is refused with the figure."""

import json
import re
import subprocess

from random_policies import largest_spec, object_of


def policy(name, allowed):
    return {"apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy", "metadata": {"name": name}, "spec": {"allowed": allowed}}


def tolerations(count):
    """None of which is like another one."""
    return [{"keys": [f"key-{i}"], "operators": [("Equal", "Exists")[i % 2]], "values": [f"value-{i}"], "effects": ["NoExecute"]}
            for i in range(count)]


def rbac(kind, name, **more):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}, **more}


def granted(policies, subjects):
    return [rbac("ClusterRole", "r", rules=[{"apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"], "verbs": ["use"],
                                            "resourceNames": policies}]),
            rbac("ClusterRoleBinding", "b", roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "r"},
                 subjects=subjects)]


EVERYBODY = [{"kind": "Group", "name": "system:serviceaccounts"}]


def of_an_expression(count):
    return [policy("p", {"tolerations": tolerations(count)})]


def of_a_policy(count):
    names = [f"p{i:02}" for i in range(28)]
    return [*(policy(name, {"tolerations": tolerations(count if name == "p00" else 1)}) for name in names), *granted(names, EVERYBODY)]


def of_questions(count):
    names = [f"p{i:02}" for i in range(count)]
    return [*(policy(name, {"schedulerNames": []}) for name in names), *granted(names, EVERYBODY)]


def of_characters(count):
    return [policy("p", {"schedulerNames": []}), policy("q", {"schedulerNames": []}), *granted(["p"], [
        {"kind": "ServiceAccount", "name": f"account-{i}", "namespace": "shop"} for i in range(count)])]


def of_bytes(count):
    names = [f"name-{i}".ljust(50, "x") for i in range(count)]
    fields = ("schedulerNames", "priorityClassNames", "runtimeClassNames", "schedulingGates", "resourceClaims")
    return [policy("p", {field: names for field in fields}),
            {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration", "systems": [{"system": "SchedulingPolicy"}],
             "policyUse": "Every", "options": {"governs": "All"}}]


LIMITS = ((of_an_expression, (), 1_000_000), (of_a_policy, ("--live-rbac",), 10_000_000), (of_questions, ("--live-rbac",), 10_000_000),
          (of_characters, (), 100_000), (of_bytes, (), 262_144))


def wrong_limits(schedpol, second, place):
    """What is not as it should be, and yields for each limit how many there may be."""
    path = place / "limits.json"
    for objects_of, options, limit in LIMITS:
        def export(count, objects_of=objects_of, options=options):
            objects = objects_of(count)
            path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
            return objects, subprocess.run([schedpol, "export", *options, path], capture_output=True, text=True)

        least, most = 1, 10000
        while most - least > 1:
            middle = (least + most) // 2
            if export(middle)[1].returncode == 0:
                least = middle
            else:
                most = middle
        objects, below = export(least)
        _, above = export(least + 1)
        figures = [int(figure.replace(",", "")) for figure in re.findall(rf"([\d,]+) of {limit:,}\b", above.stderr)]
        if above.returncode != 2 or above.stdout or not figures or max(figures) <= limit:
            yield f"{objects_of.__name__}: {least + 1} are not refused with a figure above {limit}: {above.stderr[:500]}"
        errors = second.ask({"policies": below.stdout})["errors"]
        if errors:
            yield f"{objects_of.__name__}: {least} do not compile: {errors[:3]}"
            continue
        second.ask({"rbac": [each for each in objects if "rbac" in each["apiVersion"]]})
        for kind in ("Pod", "CronJob"):
            asked = {"operation": "UPDATE", "namespace": "shop", "user": "alice", "groups": [],
                     "object": object_of(kind, "shop", largest_spec("new")), "old": object_of(kind, "shop", largest_spec("old"))}
            answer = second.ask(asked)
            stated = [int(cost.replace(",", "")) for cost in re.findall(r"at most ([\d,]+) of", below.stdout)]
            if any("error: " in message for message in answer["messages"]) or answer["cost"] > max(stated):
                yield f"{objects_of.__name__}: {least} cost {answer['cost']} of {max(stated)}: {answer['messages']}"
            if not answer["messages"]:
                yield f"{objects_of.__name__}: the largest {kind} is allowed"
        print(f"{objects_of.__name__}: {least} of {limit:,}, one more {max(figures, default=0):,}; "
              f"the largest CronJob costs {answer['cost']:,} of {max(stated):,}")
