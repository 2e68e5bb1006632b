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


def requiring(name, values):
    return scheduling_policy(name, allowed={"schedulerNames": []}, required={"tolerations": [
        {"keys": ["key"], "operators": [], "values": values, "effects": []}]})


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
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
TERMS = "requiredDuringSchedulingIgnoredDuringExecution"


def node_terms(patterns):
    return {"nodeAffinities": {TERMS: {"nodeSelectorTerms": [{"matchExpressions": patterns}]}}}


def grants(policies, keys):
    """A thousand users, each of another pair of the policies."""
    pairs = list(itertools.islice(itertools.combinations(range(policies), 2), 1000))
    return [settings("SchedulingPolicy", use="Rbac"),
            *(scheduling_policy(f"p-{i}", allowed={"nodeSelectors": {f"key-{i}-{j}": [] for j in range(keys)}})
              for i in range(policies)),
            *(role for i, pair in enumerate(pairs) for role in (
                {**built(cluster_role(), {}, "equal", i, i), "rules": [
                    {"verbs": ["use"], "apiGroups": ["*"], "resources": ["schedulingpolicies"],
                     "resourceNames": [f"p-{j}" for j in pair]}]},
                {**built(binding(), {}, "equal", i, i), "subjects": [
                    {"kind": "ServiceAccount", "namespace": "n", "name": f"account-{i}"}]}))]


def selecting_all(kind, name, **spec):
    """A policy of kupid that gives to every pod of the cluster, or of the namespace."""
    of_cluster = kind == "ClusterPodSchedulingPolicy"
    return {"apiVersion": "kupid.gardener.cloud/v1alpha1", "kind": kind,
            "metadata": {"name": name, **({} if of_cluster else {"namespace": "n"})},
            "spec": {"podSelector": {}, **({"namespaceSelector": {}} if of_cluster else {}), **spec}}


def split(kind, items, of_each, spec_of):
    """Policies that give some of the items each."""
    return [selecting_all(kind, f"p-{i}", **spec_of(items[i:i + of_each])) for i in range(0, len(items), of_each)]


def given(name, *stored, asked=None):
    """A review of a small pod beside policies that give it much, which a SchedulingPolicy looks at."""
    return Request(f"review of a pod: {name}", "review", reviewed("Pod", "", asked or {"kind": "Pod", "metadata": {
        "name": "p", "namespace": "n"}, "spec": {}}), listed(settings("PodSchedulingPolicy", "SchedulingPolicy"),
                                                           scheduling_policy("small", allowed={"schedulerNames": []}), *stored))


def gifts(count, of_each):
    """What many policies give to one pod, of each sort in turn; no policy by itself is beyond a limit."""
    cluster, here = "ClusterPodSchedulingPolicy", "PodSchedulingPolicy"
    keys = [f"key-{i}" for i in range(count)]
    one_key = [{"key": "key", "operator": "Equal", "value": f"v-{i}"} for i in range(count)]
    expressions = [{"key": key, "operator": "In", "values": ["v"]} for key in keys]
    for kind in ("podAffinity", "podAntiAffinity"):
        yield given(f"{count} {kind} terms of cluster policies", *split(cluster, keys, of_each, lambda some: {
            "affinity": {kind: {TERMS: [{"topologyKey": key} for key in some]}}}))
    yield given(f"{count} tolerations of one key of cluster policies", *split(
        cluster, one_key, of_each, lambda some: {"tolerations": some}))
    yield given(f"{count} tolerations of policies of a namespace", *split(
        here, one_key, of_each, lambda some: {"tolerations": some}))
    yield given(f"{count} pairs of a nodeSelector of cluster policies", *split(
        cluster, keys, of_each, lambda some: {"nodeSelector": {key: "v" for key in some}}))
    yield given(f"{count} expressions of one term of cluster policies", *split(cluster, expressions, of_each, lambda some: {
        "affinity": {"nodeAffinity": {TERMS: {"nodeSelectorTerms": [{"matchExpressions": some}]}}}}))
    yield given(f"{count} preferences of cluster policies", *split(cluster, expressions, of_each, lambda some: {
        "affinity": {"nodeAffinity": {PREFERRED: [
            {"weight": 1, "preference": {"matchExpressions": [one]}} for one in some]}}}))


def preempting(node_count, resource_count):
    """The extender asked what it takes to make room on many nodes for a pod that requests many resources."""
    resources = {f"example.com/r-{i}": "1" for i in range(resource_count)}
    limited = resource_policy(1)
    limited["spec"]["units"][0] = {"maxResources": {"example.com/r-0": "1"}, "nodeSelector": {}}
    asked = {"kind": "Pod", "metadata": {"name": "p", "namespace": "n"},
             "spec": {"containers": [{"name": "c", "resources": {"requests": resources}}]}}
    return Request(f"extend preempt: {node_count} nodes and {resource_count} resources", "extend", {
        "Pod": asked, "NodeNameToMetaVictims": {f"node-{i}": {"Pods": [{"UID": "u"}]} for i in range(node_count)}},
        {"policies": [limited], "nodes": nodes(node_count), "pods": []}, "preempt")


def small_writes():
    """A small SchedulingPolicy beside some with many entries, which are merged with it."""
    small = scheduling_policy("small", allowed={"schedulerNames": ["fast"]})
    yield written("a small write beside 7,200 values of nodeSelectors", small, *(
        scheduling_policy(f"p-{i}", allowed={"nodeSelectors": {f"key-{i}": [f"v-{i}-{j}" for j in range(900)]}})
        for i in range(8)))
    yield written("a small write beside 3,500 names of schedulers", small, *(
        scheduling_policy(f"p-{i}", allowed={"schedulerNames": [f"scheduler-{i}-{j}" for j in range(440)]})
        for i in range(8)))


def counted():
    """Some of them in small, which bounds_test.py counts the instructions of."""
    yield from gifts(2_400, 600)
    for resources in (500, 100):
        yield preempting(500, resources)


def requests():
    for count in (16_000, 1_000):
        yield from gifts(count, min(2_000, count // 4))
    for resources in (2_000, 100):
        yield preempting(2_000, resources)
    yield from small_writes()
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
    yield written("a large write that hides what 143 policies require", requiring("p-0", [f"v-{i}" for i in range(8_192)]),
                  *(requiring(f"p-{i}", ["v-0"]) for i in range(1, 144)))
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
