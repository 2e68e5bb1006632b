# SPDX-License-Identifier: Apache-2.0
"""Requests that once cost more than their bound, each as it was found; many of them are beyond a limit now."""

import itertools

from shapes import GROUPS, Request, binding, built, cluster_role, evaluate, reviewed, settings


def listed(*items):
    return {"kind": "List", "apiVersion": "v1", "items": list(items)}


def metadata_policy(name, rules):
    return {"apiVersion": "schedpol.io/v1alpha1", "kind": "MetadataPolicy", "metadata": {"name": name, "namespace": "n"},
            "spec": {"rules": rules}}


def rule(selector, action):
    return {"policyPredicate": {"labelSelector": selector}, "policyAction": action}


def scheduling_policy(name, **spec):
    return {"apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy", "metadata": {"name": name}, "spec": spec}


def injecting(name, selector, scheduler):
    return {"apiVersion": "kupid.gardener.cloud/v1alpha1", "kind": "PodSchedulingPolicy",
            "metadata": {"name": name, "namespace": "n"}, "spec": {"podSelector": selector, "schedulerName": scheduler}}


def resource_policy(keys, units=1):
    return {"apiVersion": "scheduling.sigs.x-k8s.io/v1alpha1", "kind": "ResourcePolicy",
            "metadata": {"name": "p", "namespace": "n"}, "spec": {
                "matchLabelKeys": [f"key-{i}" for i in range(keys)],
                "units": [{"maxCount": 1, "nodeSelector": {"matchLabels": {"pool": f"p-{i}"}}} for i in range(units)]}}


def pods(count, **spec):
    return [{"kind": "Pod", "metadata": {"name": f"pod-{i}", "namespace": "n", "labels": {"app": f"a-{i}"}},
             "spec": {"nodeName": f"node-{i}", **spec}} for i in range(count)]


def nodes(count):
    return [{"metadata": {"name": f"node-{i}", "labels": {"pool": f"p-{i}"}}} for i in range(count)]


def written(name, policy, *stored):
    system = "PodSchedulingPolicy" if policy["kind"].endswith("PodSchedulingPolicy") else policy["kind"]
    return Request(name, "review", reviewed(policy["kind"], GROUPS[policy["kind"]], policy),
                   listed(settings(system), *stored), writes=True)


def expression(key, operator, values):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": values}]}


REJECT = {"reject": True}
EVERY = {"allowed": {"schedulerNames": [], "nodeSelectors": {}, "tolerations": [], "affinities": {}}}
TEN = [f"v-{i}" for i in range(10)]
TERMS = "requiredDuringSchedulingIgnoredDuringExecution"


def node_terms(patterns):
    return {"nodeAffinities": {TERMS: {"nodeSelectorTerms": [{"matchExpressions": patterns}]}}}


def grants(policies, keys):
    """A thousand users, each of another pair of the policies."""
    pairs = list(itertools.islice(itertools.combinations(range(policies), 2), 1000))
    return [settings("SchedulingPolicy", "Rbac"),
            *(scheduling_policy(f"p-{i}", allowed={"nodeSelectors": {f"key-{i}-{j}": [] for j in range(keys)}})
              for i in range(policies)),
            *(role for i, pair in enumerate(pairs) for role in (
                {**built(cluster_role(), {}, "equal", i, i), "rules": [
                    {"verbs": ["use"], "apiGroups": ["*"], "resources": ["schedulingpolicies"],
                     "resourceNames": [f"p-{j}" for j in pair]}]},
                {**built(binding(), {}, "equal", i, i), "subjects": [
                    {"kind": "ServiceAccount", "namespace": "n", "name": f"account-{i}"}]}))]


def requests():
    rules = [rule({}, {"updatedAnnotations": {"note": "l" * 300_000 if i == 0 else f"{i}"}}) for i in range(9_000)]
    yield written("rules that write one annotation, one of them 300 kB", metadata_policy("p", rules))
    within = [rule({}, {"updatedAnnotations": {"note": "l" * 60_000 if i == 0 else f"{i}"}}) for i in range(900)]
    yield written("the same within the limit of a policy", metadata_policy("p", within))
    rejecting = [rule(expression("key", "NotIn", [f"v-{i}-{j}" for j in range(4_300)]), REJECT) for i in range(17)]
    few = [metadata_policy(f"q-{i}", [one]) for i, one in enumerate(rejecting)]
    updating = metadata_policy("small", [rule({"matchLabels": {"app": "a"}}, {"updatedLabels": {"a": "b"}})])
    yield written("17 rejecting rules of 4,300 values", metadata_policy("p", rejecting))
    yield written("a small write beside these", updating, *few)
    yield Request("1,000 sets of grants of policies of many keys: compile", "compile", listed(*grants(46, 160)))
    yield evaluate("engine.impact", "1,000 sets of grants of policies of many keys",
                   before=[settings("SchedulingPolicy")], after=grants(46, 160), objects=[
                       {"kind": "Pod", "metadata": {"name": f"pod-{i}", "namespace": "n"},
                        "spec": {"serviceAccountName": f"account-{i}"}} for i in range(1000)])
    for keys in (8_000, 16):
        yield evaluate("resourcePolicy.schedule", f"{keys} matchLabelKeys", pod={"kind": "Pod", "metadata": {
            "name": "p", "namespace": "n"}}, policies=[resource_policy(keys)], pods=pods(7_000), nodes=nodes(1))
        yield Request(f"watch: {keys} matchLabelKeys", "watch",
                      {"policies": [resource_policy(keys)], "pods": pods(7_000), "nodes": nodes(1)})
    long_name = metadata_policy("l" * 100_000, [rule({}, {"updatedLabels": {f"key-{i}": "v"}}) for i in range(1_500)])
    yield evaluate("metadataPolicy.admit", "a name of 100 kB", object={"metadata": {"name": "o", "namespace": "n"}},
                   policies=[long_name])
    named = [scheduling_policy("l" * 240 + f"{i}", allowed={"schedulerNames": ["none"]}) for i in range(1_000)]
    yield evaluate("schedulingPolicy.admit", "names as long as they may be", policies=named, pod={
        "kind": "Pod", "metadata": {"name": "p", "namespace": "n"},
        "spec": {"nodeSelector": {f"key-{i}": "v" for i in range(5_000)}}})
    long_node = {"kind": "ClusterPodSchedulingPolicy", "apiVersion": "kupid.gardener.cloud/v1alpha1", "metadata": {"name": "p"},
                 "spec": {"podSelector": {}, "namespaceSelector": {}, "nodeName": "l" * 100_000}}
    kupid = {"kind": "EngineConfiguration", "systems": [{"system": "PodSchedulingPolicy"}]}
    yield evaluate("engine.impact", "a nodeName of 100 kB", before=[kupid], after=[kupid, long_node], objects=[
        {"kind": "Pod", "metadata": {"name": f"pod-{i}", "namespace": "n"}, "spec": {}} for i in range(3_000)])
    yield evaluate("engine.analyze", "a nodeName of 100 kB", configuration=[kupid, *(
        {**long_node, "metadata": {"name": f"p-{i}"}, "spec": {**long_node["spec"], "nodeName": f"{i}" + "l" * 1000}}
        for i in range(900))])
    for keys, count in ((13_000, 2_200), (4_000, 2_200)):
        policy = scheduling_policy("p", **EVERY, required={"nodeSelectors": {f"key-{i}": [] for i in range(keys)}})
        yield evaluate("engine.impact", f"{keys} required keys on {count} pods", before=[settings("SchedulingPolicy")],
                       after=[settings("SchedulingPolicy"), policy], objects=[
                           {"kind": "Pod", "metadata": {"name": f"pod-{i}", "namespace": "n", "labels": {"app": f"{i}"}},
                            "spec": {}} for i in range(count)])
    lacking = [{"keys": ["key"], "operators": [], "values": [v for v in TEN if v != f"v-{i % 10}"]} for i in range(1_300)]
    asked = {"kind": "Pod", "metadata": {"name": "p", "namespace": "n"}, "spec": {"affinity": {"nodeAffinity": {TERMS: {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "key", "operator": "In", "values": TEN}] * 5_000}]}}}}}
    policies = [scheduling_policy(f"p-{i}", allowed={"schedulerNames": [], "affinities": node_terms(lacking)}) for i in range(3)]
    for op in ("nearestFix", "admit", "explain"):
        yield evaluate(f"schedulingPolicy.{op}", "patterns that each lack one of ten values", pod=asked, policies=policies)
    yield evaluate("schedulingPolicy.checkUpdate", "patterns that each lack one of ten values", new=asked,
                   old={**asked, "spec": {}}, policies=policies)
    yield Request("review of a pod: patterns that each lack one of ten values", "review", reviewed("Pod", "", asked),
                  listed(settings("SchedulingPolicy"), *policies))
    for count in (17_000, 250):
        selector = {"matchExpressions": [{"key": "key", "operator": "NotIn", "values": [f"v-{i}"]} for i in range(count)]}
        yield evaluate("engine.analyze", f"selectors of {count} requirements on one key", configuration=[
            {"kind": "EngineConfiguration", "systems": [{"system": "PodSchedulingPolicy"}]},
            *(injecting(f"p-{i}", selector, f"s-{i}") for i in range(17_000 // count))])
    both = [rule({"matchLabels": {"key": f"v-{i // 2}"}}, REJECT if i % 2 else {"updatedLabels": {"a": "b"}})
            for i in range(12_000)]
    split = [metadata_policy(f"p-{i}", both[i * 1_000:(i + 1) * 1_000]) for i in range(12)]
    yield evaluate("engine.analyze", "6,000 rejecting and 6,000 updating rules", configuration=[
        settings("MetadataPolicy"), *split])
    yield written("a small write beside 6,000 rejecting and 6,000 updating rules", updating, *split)
    yield written("a small write beside 10,000 policies", injecting("small", {"matchLabels": {"app": "a"}}, "s"), *(
        injecting(f"p-{i}", {"matchLabels": {"app": f"a-{i}"}}, f"s-{i}") for i in range(10_000)))
    for keys, units in ((3_000, 1_500), (16, 64)):
        yield evaluate("resourcePolicy.schedule", f"{keys} matchLabelKeys, {units} units", pod={"kind": "Pod", "metadata": {
            "name": "p", "namespace": "n"}}, policies=[resource_policy(keys, units)], pods=pods(3_000), nodes=nodes(1_500))
    defaults = [scheduling_policy(f"p-{i}", allowed={"tolerations": []}, default={"tolerations": [
        {"key": f"key-{i}-{j}", "values": [f"v-{k}" for k in range(20)]} for j in range(150)]}) for i in range(20)]
    yield evaluate("schedulingPolicy.analyze", "default tolerations", policies=defaults)
    yield evaluate("schedulingPolicy.compare", "default tolerations", before={"policies": defaults},
                   after={"policies": defaults[1:]})
    yield evaluate("engine.analyze", "1,000 sets of grants", configuration=grants(46, 160))
