# SPDX-License-Identifier: Apache-2.0
"""What the README of kupid says of PodSchedulingPolicy and ClusterPodSchedulingPolicy."""

import copy
import re

from proposals.documents import KUPID, SCHEDULING, block, section
from proposals.pods import HARD, PREFERRED, affinity, hard, selects, soft, together, tolerates


CRITERIA = {
    "affinity": affinity(nodeAffinity=hard([("pool", "In", "etcd")]), podAffinity=together("zone"),
                         podAntiAffinity=together("host"))["affinity"],
    "nodeName": "n1", "nodeSelector": {"pool": "etcd"}, "schedulerName": "my-scheduler",
    "tolerations": tolerates(("dedicated", "Equal", "etcd", "NoSchedule"))["tolerations"]}
OTHER_CRITERIA = {
    "affinity": affinity(nodeAffinity=hard([("pool", "In", "web")]))["affinity"], "nodeName": "n2",
    "nodeSelector": {"pool": "web"}, "schedulerName": "other-scheduler",
    "tolerations": tolerates(("spot", "Exists"))["tolerations"]}
CONTROLLERS = {"pods": "Pod", "replicationcontrollers": "ReplicationController", "replicasets": "ReplicaSet",
               "deployments": "Deployment", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet", "jobs": "Job",
               "cronjobs": "CronJob"}
SHOOT = {"metadata": {"name": "shoot", "labels": {"role": "shoot"}}}


def injecting(kind="ClusterPodSchedulingPolicy", name="dedicated", **spec):
    cluster = kind == "ClusterPodSchedulingPolicy"
    return {"kind": kind, "metadata": {"name": name, **({} if cluster else {"namespace": "shoot"})},
            "spec": {"podSelector": {}, **({"namespaceSelector": {}} if cluster else {}), **spec}}


def etcd(spec, **metadata):
    return {"kind": "Pod", "metadata": {"name": "etcd-0", "namespace": "shoot", "labels": {"app": "etcd"}, **metadata},
            "spec": spec}


def injected_criteria(t):
    context = section(t.texts[KUPID], "Context")
    named_criteria = re.findall(r"^### `(\w+)`$", context, re.MULTILINE)
    kinds = re.findall(r"^#### `(\w+)`$", context, re.MULTILINE)
    t.expect("five mechanisms", sorted(named_criteria), sorted(CRITERIA))
    t.expect("three kinds of affinity", sorted(kinds), sorted(CRITERIA["affinity"]))

    def inject(spec, *policies, pod=None, namespace=SHOOT):
        return t.ask("podSchedulingPolicy.inject", pod=pod or etcd(spec), namespace=namespace, policies=policies)

    for kind in ("PodSchedulingPolicy", "ClusterPodSchedulingPolicy"):
        for name in named_criteria:
            policy = injecting(kind, **{name: CRITERIA[name]})
            t.expect(f"{kind}: {name} is injected", inject({}, policy)["object"]["spec"], {name: CRITERIA[name]})
        policy = injecting(kind, **CRITERIA)
        reply = inject({}, policy)
        t.expect(f"{kind}: all at once", reply["object"]["spec"], CRITERIA)
        t.expect(f"{kind}: a second time nothing more", inject(CRITERIA, policy)["patch"], [])

    policy = injecting(**CRITERIA)
    for name in ("nodeName", "schedulerName", "nodeSelector"):
        t.expect(f"pods declare their own {name}, which overrides the policy's",
                 inject({name: OTHER_CRITERIA[name]}, injecting(**{name: CRITERIA[name]}))["object"]["spec"],
                 {name: OTHER_CRITERIA[name]})
    merged = inject(OTHER_CRITERIA, policy)
    t.expect("what does not conflict is merged, what does is skipped", merged["object"]["spec"], {
        **OTHER_CRITERIA, "tolerations": OTHER_CRITERIA["tolerations"] + CRITERIA["tolerations"],
        "affinity": {**CRITERIA["affinity"], **OTHER_CRITERIA["affinity"]}})
    skipped = {skip["field"].removesuffix(".nodeSelectorTerms") for skip in merged["skipped"]}
    t.expect("what is skipped is said", sorted(skipped),
             [HARD, "spec.nodeName", "spec.nodeSelector[pool]", "spec.schedulerName"])
    t.expect("and whose it is", {skip["policy"] for skip in merged["skipped"]} == {"dedicated"}, True)
    for words, spec, policies_spec, wanted in [
            ("node terms that agree are both asked for", affinity(nodeAffinity=hard([("pool", "In", "etcd", "web")])),
             affinity(nodeAffinity=hard([("zone", "In", "a")])),
             affinity(nodeAffinity=hard([("zone", "In", "a"), ("pool", "In", "etcd", "web")]))),
            ("of alternatives those that agree", affinity(nodeAffinity=hard([("pool", "In", "web")])),
             affinity(nodeAffinity=hard([("pool", "In", "etcd")], [("pool", "In", "web", "db"), ("zone", "In", "a")])),
             affinity(nodeAffinity=hard([("pool", "In", "web", "db"), ("zone", "In", "a"), ("pool", "In", "web")]))),
            ("a node selector that the pod's affinity excludes", affinity(nodeAffinity=hard([("pool", "In", "web")])),
             selects(pool="etcd", disk="ssd"),
             {**affinity(nodeAffinity=hard([("pool", "In", "web")])), **selects(disk="ssd")}),
            ("an affinity that the pod's node selector excludes", selects(pool="web"),
             {**affinity(nodeAffinity=hard([("pool", "In", "etcd")]), podAntiAffinity=together("host"))},
             {**selects(pool="web"), **affinity(podAntiAffinity=together("host"))}),
            ("preferences do not conflict", affinity(nodeAffinity=soft(("pool", "In", "web"))),
             affinity(nodeAffinity=soft(("pool", "In", "etcd"))), affinity(nodeAffinity={
                 PREFERRED: soft(("pool", "In", "web"))[PREFERRED] + soft(("pool", "In", "etcd"))[PREFERRED]}))]:
        t.expect(words, inject(spec, injecting(**policies_spec))["object"]["spec"], wanted)


def selected_pods(t):
    def applied(policy, pod=etcd({}), namespace=SHOOT):
        return t.ask("podSchedulingPolicy.inject", pod=pod, namespace=namespace, policies=[policy])["applied"] != []

    wants = {"nodeName": "n1"}
    ours, others = ({"matchLabels": {"app": name}} for name in ("etcd", "web"))
    shoots, seeds = ({"matchLabels": {"role": name}} for name in ("shoot", "seed"))
    elsewhere = {"metadata": {"name": "other", "labels": {"role": "shoot"}}}
    there = etcd({}, namespace="other")
    for words, policy, wanted in [
            ("an empty selector matches all", injecting(**wants), True),
            ("pods are selected by label", injecting(podSelector=ours, **wants), True),
            ("or not selected", injecting(podSelector=others, **wants), False),
            ("namespaces are selected by label", injecting(namespaceSelector=shoots, **wants), True),
            ("both have to match: not the namespace",
             injecting(podSelector=ours, namespaceSelector=seeds, **wants), False),
            ("both have to match: not the pod",
             injecting(podSelector=others, namespaceSelector=shoots, **wants), False),
            ("no pod selector matches none", injecting(podSelector=None, **wants), False),
            ("no namespace selector matches none", injecting(namespaceSelector=None, **wants), False),
            ("the namespaced kind", injecting("PodSchedulingPolicy", **wants), True),
            ("the namespaced kind: not selected", injecting("PodSchedulingPolicy", podSelector=others, **wants), False),
            ("the namespaced kind: no selector", injecting("PodSchedulingPolicy", podSelector=None, **wants), False)]:
        t.expect(words, applied(policy), wanted)
    t.expect("the namespaced kind: in its namespace only",
             applied(injecting("PodSchedulingPolicy", **wants), there, elsewhere), False)
    t.expect("the cluster's kind: in every namespace", applied(injecting(**wants), there, elsewhere), True)


def higher_order_controllers(t):
    listed = set(re.findall(r"`([a-z]+s)`", section(t.texts[KUPID], "Mutating higher-order controllers")))
    t.expect("the controllers that are mutated", sorted(listed), sorted(CONTROLLERS))
    template = {"metadata": {"labels": {"app": "etcd"}}, "spec": {}}
    for kind in CONTROLLERS.values():
        paths = {"Pod": [], "CronJob": ["spec", "jobTemplate", "spec", "template"]}.get(kind, ["spec", "template"])

        def workload(pod, paths=paths):
            for name in reversed(paths):
                pod = {name: pod}
            return pod
        before, after = (workload({**copy.deepcopy(template), "spec": spec}) for spec in ({}, CRITERIA))
        about = {"kind": kind, "metadata": {"name": "etcd", "namespace": "shoot", "labels": {"app": "etcd"}}}
        reply = t.ask("podSchedulingPolicy.inject", pod={**before, **about}, namespace=SHOOT,
                      policies=[injecting(podSelector={"matchLabels": {"app": "etcd"}}, **CRITERIA)])
        t.expect(f"{kind}: criteria are injected", reply["object"], {**after, **about})


def orthogonal_concerns(t):
    """What the cluster's policy does to workloads that the restricted policy decides on: dedicated pools for etcd."""
    [restricted] = t.documents(block(SCHEDULING, "Default SchedulingPolicies > Restricted policy", 1))
    before = [{"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration", "policyUse": "Every", "systems": [
        {"system": "PodSchedulingPolicy"}, {"system": "SchedulingPolicy"}]}, {**SHOOT, "kind": "Namespace"}, restricted]
    pool = {name: CRITERIA[name] for name in ("nodeSelector", "tolerations")}
    selector = {"podSelector": {"matchLabels": {"app": "etcd"}}}
    stateful_set = {"kind": "StatefulSet", "apiVersion": "apps/v1",
                    "metadata": {"name": "etcd", "namespace": "shoot", "ownerReferences": [
                        {"apiVersion": "druid.gardener.cloud/v1alpha1", "kind": "Etcd", "name": "main", "uid": "1",
                         "controller": True}]},
                    "spec": {"template": {"metadata": {"labels": {"app": "etcd"}}, "spec": {}}}}
    for words, policy, thing, wanted in [
            ("a cluster's policy gives etcd its pool", injecting(**selector, **pool), etcd({}), "changed"),
            ("and other pods nothing", injecting(**selector, **pool),
             etcd({}, name="web", labels={"app": "web"}), "unchanged"),
            ("a namespace's own policy permits nothing", injecting("PodSchedulingPolicy", **selector, **pool), etcd({}),
             "newlyDenied"),
            ("a StatefulSet that an operator controls gets its pool", injecting(**selector, **pool), stateful_set,
             "changed")]:
        counts = t.ask("engine.impact", before=before, after=before + [policy], objects=[thing])["counts"]
        t.expect(words, [name for name, count in counts.items() if count], [wanted])


CHECKS = [injected_criteria, selected_pods, higher_order_controllers, orthogonal_concerns]
