# SPDX-License-Identifier: Apache-2.0
"""What the ResourcePolicy proposal says."""

import copy

from proposals.documents import RESOURCE, block


class Cluster:
    """Two nodes of each unit of the proposal's policy, two outside, and the pods on them."""

    def __init__(self, t, policy):
        self.t, self.policies, self.pods = t, [policy], []
        self.nodes = [{"metadata": {"name": f"{value}-{number}", "labels": {"key1": value}}}
                      for value in ("value1", "value2", "value3", "other") for number in (1, 2)]

    def pod(self, generation="g1", namespace="xxx", labels=None, **spec):
        name = f"{generation}-{len(self.pods)}"
        all_labels = {"key1": "value1", "pod-template-hash": generation, **(labels or {})}
        return {"metadata": {"name": name, "namespace": namespace, "labels": all_labels}, "spec": spec}

    def schedule(self, pod):
        return self.t.ask("resourcePolicy.schedule", pod=pod, policies=self.policies, pods=self.pods, nodes=self.nodes)

    def places(self, pod):
        """Score, or else code and reason, by the nodes' value of key1."""
        reply = self.schedule(pod)
        return {node["name"].split("-")[0]: node.get("score", f"{node['code']} {node.get('reason')}")
                for node in reply["nodes"]}

    def place(self, count, **about):
        """Schedules pods one by one, each on the best node; of each that got one the node's value of key1."""
        chosen = []
        for _ in range(count):
            pod = self.pod(**about)
            best = max(self.schedule(pod)["nodes"], key=lambda node: node.get("score", -1))
            if "score" not in best:
                break
            chosen.append(best["name"].split("-")[0])
            pod["spec"]["nodeName"] = best["name"]
            self.pods.append(pod)
        return [[value, chosen.count(value)] for value in dict.fromkeys(chosen)]

    def costs(self):
        return {item["name"]: item["cost"] for item in self.t.ask(
            "resourcePolicy.deletionCosts", policies=self.policies, pods=self.pods, nodes=self.nodes)["costs"]}


FULL, OUTSIDE = "Unschedulable UnitFull", "UnschedulableAndUnresolvable NodeNotInUnit"


def resource_policies(t):
    where = block(RESOURCE, "Proposal > API")

    def cluster(**changes):
        [policy] = t.documents(where)
        policy["spec"].update(changes)
        return Cluster(t, policy)

    prefer, required = cluster(), cluster(strategy="required")
    t.expect("units by priority", prefer.places(prefer.pod()), {"value1": 100, "value2": 100, "value3": 83, "other": 0})
    t.expect("required: no other nodes", required.places(required.pod()),
             {"value1": 100, "value2": 100, "value3": 0, "other": OUTSIDE})
    filled = [["value1", 10], ["value2", 10], ["value3", 20]]
    t.expect("prefer: high priority first, up to the counts, then other nodes", prefer.place(45),
             filled + [["other", 5]])
    t.expect("required: up to the counts, then no more", required.place(45), filled)
    t.expect("required: why no more", required.places(required.pod()),
             {"value1": FULL, "value2": FULL, "value3": FULL, "other": OUTSIDE})
    t.expect("pods of another template count by themselves", required.place(45, generation="g2"), filled)
    costs = prefer.costs()
    t.expect("deletion costs: high priority last", [costs[pod["metadata"]["name"]] for pod in prefer.pods],
             [100] * 20 + [80] * 20 + [-20] * 5)

    prefer.pods[0]["metadata"]["deletionTimestamp"] = "2030-01-01T00:00:00Z"
    t.expect("pods that are being deleted are ignored", prefer.schedule(prefer.pod())["counts"], [9, 10, 20])
    prefer.policies[0]["spec"]["matchPolicy"]["ignoreTerminatingPod"] = False
    t.expect("and counted where that is false", prefer.schedule(prefer.pod())["counts"], [10, 10, 20])

    empty = cluster()
    t.expect("not in other namespaces", empty.schedule(empty.pod(namespace="yyy"))["code"], "Skip")
    t.expect("not what the selector does not match",
             empty.schedule(empty.pod(labels={"key1": "value2"}))["code"], "Skip")
    second = copy.deepcopy(empty.policies[0])
    second["metadata"]["name"] = "second"
    empty.policies.append(second)
    reply = empty.schedule(empty.pod())
    t.expect("one pod by one policy only", [reply["code"], reply["reason"]],
             ["UnschedulableAndUnresolvable", "MultipleResourcePolicies"])

    equal = cluster()
    for unit in equal.policies[0]["spec"]["units"]:
        del unit["priority"]
    t.expect("no priority is zero, which is more than outside", equal.places(equal.pod()),
             {"value1": 100, "value2": 100, "value3": 100, "other": 0})
    t.expect("the same priority only limits", sorted(equal.place(45)), [["other", 5]] + filled)
    endless = cluster(strategy="required")
    del endless.policies[0]["spec"]["units"][0]["maxCount"]
    t.expect("no count is no limit", endless.place(25), [["value1", 25]])

    for words, change in [
            ("the minimum priority is zero", lambda spec: spec["units"][0].update(priority=-1)),
            ("label keys as in topology spread: none twice",
             lambda spec: spec["matchLabelKeys"].append("pod-template-hash"))]:
        invalid = cluster()
        change(invalid.policies[0]["spec"])
        t.expect(words, t.is_refused("resourcePolicy.schedule", pod=invalid.pod(), policies=invalid.policies, pods=[],
                                     nodes=invalid.nodes), True)
    selected = cluster().policies[0]
    t.expect("the policy as it stands", t.ask("resourcePolicy.validate", policy=selected)["errors"], [])
    selected["spec"]["matchLabelKeys"].append("key1")
    t.expect("label keys as in topology spread: none of the selector",
             [error["field"] for error in t.ask("resourcePolicy.validate", policy=selected)["errors"]],
             ["spec.matchLabelKeys[1]"])
    consuming = cluster(strategy="required")
    consuming.policies[0]["spec"]["units"][0]["maxResources"] = {"cpu": "2"}
    containers = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]
    t.expect("a limit of resource consumption", consuming.place(4, containers=containers),
             [["value1", 2], ["value2", 2]])


CHECKS = [resource_policies]
