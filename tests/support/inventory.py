# SPDX-License-Identifier: Apache-2.0
"""What an API server prints of a made-up cluster: workloads with their pods, a control plane, DaemonSets on every
node, pods for GPUs, gated ones, finished ones and mirror pods. The same seed gives the same objects.

    inventory.py SEED [PODS [TEMPLATES [ACCOUNTS]]]

prints them as one List, pods and workloads as `kubectl get -A -o json` does. `Inventory(...).nodes()` are the nodes.
"""

import json
import random
import sys

NOT_READY = [{"key": f"node.kubernetes.io/{taint}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
             for taint in ("not-ready", "unreachable")]
OF_DAEMON_SETS = [{"key": f"node.kubernetes.io/{taint}", "operator": "Exists", "effect": effect} for taint, effect in (
    ("not-ready", "NoExecute"), ("unreachable", "NoExecute"), ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"), ("pid-pressure", "NoSchedule"), ("unschedulable", "NoSchedule"))]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
PRIORITIES = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000, "production": 1000, "batch": 10, "": 0}
NODES = 403


def no_schedule(key, value=None):
    return {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"} if value else \
        {"key": key, "operator": "Exists", "effect": "NoSchedule"}


class Inventory:
    """The objects of one seed."""

    def __init__(self, seed, pods=5000, templates=200, accounts=60):
        self.random = random.Random(seed)
        self.serial = 0
        self.objects = []
        self.accounts = [(f"team-{i % 18:02}", f"app-{i:03}" if i % 4 else "default") for i in range(accounts)]
        self.control_plane()
        made = [self.template(i) for i in range(templates)]
        left = max(pods - sum(1 for one in self.objects if one["kind"] == "Pod"), 0)
        weights = [self.random.paretovariate(1.1) for _ in made]
        for (workload, spec), weight in zip(made, weights):
            count = 0 if spec is None else max(1, int(left * weight / sum(weights)))
            self.workload(workload, spec, count)

    def meta(self, name, namespace, **more):
        self.serial += 1
        return {"name": name, "namespace": namespace, "uid": f"00000000-0000-4000-8000-{self.serial:012x}",
                "resourceVersion": str(1000 + self.serial), "creationTimestamp": "2026-03-01T08:00:00Z"} | more

    def node(self):
        return f"node-{self.random.randrange(NODES):03}"

    def nodes(self):
        """Labels and taints as clouds have them."""
        nodes = []
        for i in range(NODES):
            gpu, spot = i % 29 == 0, i % 7 == 3
            nodes.append({"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{i:03}", "labels": {
                HOST: f"node-{i:03}", ZONE: f"eu-west-1{'abc'[i % 3]}", "kubernetes.io/arch": "arm64" if i % 4 == 3 else "amd64",
                "kubernetes.io/os": "linux", "pool": "gpu" if gpu else "spot" if spot else "general"}}, "spec": {"taints": [
                    *([{"key": "nvidia.com/gpu", "effect": "NoSchedule"}] if gpu else []),
                    *([{"key": "spot", "value": "true", "effect": "NoSchedule"}] if spot else [])]}})
        return nodes

    def control_plane(self):
        for i in range(3):
            for name in ("kube-apiserver", "kube-scheduler", "etcd"):
                annotations = {"kubernetes.io/config.mirror": "0123", "kubernetes.io/config.source": "file"}
                self.pod(f"{name}-node-{i:03}", "kube-system", None, {
                    "priorityClassName": "system-node-critical", "tolerations": [{"operator": "Exists", "effect": "NoExecute"}]},
                    node=f"node-{i:03}", annotations=annotations)
        everywhere = {"priorityClassName": "system-node-critical", "tolerations": [{"operator": "Exists"}]}
        self.daemon_set("kube-proxy", "kube-system", everywhere | {"serviceAccountName": "kube-proxy"}, 40)
        self.daemon_set("node-exporter", "monitoring", {"serviceAccountName": "node-exporter",
                                                        "tolerations": [{"operator": "Exists", "effect": "NoSchedule"}]}, 40)
        self.daemon_set("gpu-plugin", "kube-system", everywhere | {"serviceAccountName": "gpu-plugin",
                                                                  "nodeSelector": {"pool": "gpu"}}, 8)
        self.workload(("Deployment", "coredns", "kube-system"), {
            "serviceAccountName": "coredns", "priorityClassName": "system-cluster-critical",
            "tolerations": [no_schedule("node-role.kubernetes.io/control-plane")],
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "affinity": {"podAntiAffinity": {PREFERRED: [{"weight": 100, "podAffinityTerm": {
                "topologyKey": HOST, "labelSelector": {"matchLabels": {"k8s-app": "kube-dns"}}}}]}}}, 2)

    def template(self, number):
        """A workload and the spec of its pods."""
        chance = lambda percent: self.random.random() < percent / 100
        namespace, account = self.random.choice(self.accounts)
        kind = self.random.choices(["Deployment", "StatefulSet", "CronJob", "Bare"], [75, 12, 8, 5])[0]
        spec = {} if account == "default" else {"serviceAccountName": account}
        if chance(25):
            spec["priorityClassName"] = self.random.choice(["production", "batch"])
        if chance(12):
            spec["tolerations"] = [no_schedule("nvidia.com/gpu")]
            spec["nodeSelector"] = {"pool": "gpu"}
        elif chance(20):
            spec["tolerations"] = [no_schedule("spot", "true")]
        if chance(20):
            spec.setdefault("nodeSelector", {})["kubernetes.io/arch"] = self.random.choice(["amd64", "arm64"])
        affinity = {}
        if chance(12):
            zones = sorted(self.random.sample(["eu-west-1a", "eu-west-1b", "eu-west-1c"], self.random.choice([1, 2])))
            affinity["nodeAffinity"] = {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": ZONE, "operator": "In", "values": zones}]}]}}
        if chance(20):
            affinity["podAntiAffinity"] = {self.random.choice([REQUIRED, PREFERRED]): []}
            for mode, terms in affinity["podAntiAffinity"].items():
                term = {"topologyKey": self.random.choice([HOST, ZONE]), "labelSelector": {"matchLabels": {"app": f"w{number}"}}}
                terms.append(term if mode == REQUIRED else {"weight": 1, "podAffinityTerm": term})
        if affinity:
            spec["affinity"] = affinity
        if chance(20):
            spec["topologySpreadConstraints"] = [{
                "maxSkew": 1, "topologyKey": self.random.choice([ZONE, HOST]), "labelSelector": {"matchLabels": {"app": f"w{number}"}},
                "whenUnsatisfiable": self.random.choice(["DoNotSchedule", "ScheduleAnyway"])}]
        if chance(4):
            spec["runtimeClassName"] = "gvisor"
        if chance(3):
            spec["schedulerName"] = "batch-scheduler"
        if chance(3):
            spec["schedulingGates"] = [{"name": "example.com/quota"}]
        if chance(2):
            spec["resourceClaims"] = [{"name": "device", "resourceClaimTemplateName": "single-gpu"}]
        return (kind, f"w{number}", namespace), spec

    def daemon_set(self, name, namespace, spec, count):
        self.add("apps/v1", "DaemonSet", name, namespace, spec)
        for i in range(count):
            node = f"node-{i * 10 % NODES:03}"
            pinned = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchFields": [
                {"key": "metadata.name", "operator": "In", "values": [node]}]}]}}}
            self.pod(f"{name}-{i:05}", namespace, ("apps/v1", "DaemonSet", name),
                     spec | {"affinity": pinned, "tolerations": spec.get("tolerations", []) + OF_DAEMON_SETS}, node=node)

    def workload(self, named, spec, count):
        kind, name, namespace = named
        if kind == "Bare":
            for i in range(min(count, 3)):
                self.pod(f"{name}-{i}", namespace, None, spec, managed=True)
            return
        self.add("batch/v1" if kind == "CronJob" else "apps/v1", kind, name, namespace, spec)
        owner = ("apps/v1", kind, name)
        hash_ = f"{self.random.randrange(16 ** 8):08x}"
        if kind == "Deployment":
            owner = ("apps/v1", "ReplicaSet", f"{name}-{hash_}")
            self.add("apps/v1", "ReplicaSet", owner[2], namespace, spec, owner=("apps/v1", "Deployment", name))
        if kind == "CronJob":
            owner = ("batch/v1", "Job", f"{name}-2900")
            self.add("batch/v1", "Job", owner[2], namespace, spec, owner=("batch/v1", "CronJob", name))
        for i in range(count):
            phase = "Succeeded" if kind == "CronJob" and i else "Running"
            labels = {"app": name} | ({"pod-template-hash": hash_} if kind == "Deployment" else {})
            self.pod(f"{owner[2]}-{i:05}", namespace, owner, spec, phase=phase, labels=labels)

    def add(self, version, kind, name, namespace, spec, owner=None):
        template = {"metadata": {"labels": {"app": name}}, "spec": self.spec(spec)}
        inner = {"template": template}
        if kind == "CronJob":
            inner = {"schedule": "0 * * * *", "jobTemplate": {"spec": {"template": template}}}
        self.objects.append({"apiVersion": version, "kind": kind, "metadata": self.meta(name, namespace, **self.owned(owner)),
                             "spec": inner, "status": {}})

    @staticmethod
    def owned(owner):
        return {"ownerReferences": [{"apiVersion": owner[0], "kind": owner[1], "name": owner[2], "uid": "1", "controller": True,
                                     "blockOwnerDeletion": True}]} if owner else {}

    @staticmethod
    def spec(spec):
        return {"schedulerName": "default-scheduler", "restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
                "containers": [{"name": "main", "image": "registry/main:1", "resources": {"requests": {"cpu": "100m"}}}]} | spec

    def pod(self, name, namespace, owner, spec, node=None, phase="Running", labels=None, annotations=None, managed=False):
        """As it is printed: with what the API server, the scheduler and controllers added."""
        gated = bool(spec.get("schedulingGates"))
        made = self.spec(spec) | {"enableServiceLinks": True}
        made["serviceAccountName"] = made["serviceAccount"] = spec.get("serviceAccountName", "default")
        made["priority"] = PRIORITIES[spec.get("priorityClassName", "")]
        made["preemptionPolicy"] = "PreemptLowerPriority"
        covered = any(not one.get("key") and not one.get("effect") for one in spec.get("tolerations", []))
        made["tolerations"] = spec.get("tolerations", []) + ([] if covered or annotations else NOT_READY)
        if not gated:
            made["nodeName"] = node or self.node()
        more = self.owned(owner) | {"labels": labels or {"app": name}} | ({"annotations": annotations} if annotations else {})
        if managed:
            more["managedFields"] = [{"manager": "kubectl", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
                                      "fieldsV1": {"f:spec": {"f:containers": {}}}}]
        self.objects.append({"apiVersion": "v1", "kind": "Pod", "metadata": self.meta(name, namespace, **more), "spec": made,
                             "status": {"phase": "Pending" if gated else phase, "hostIP": "10.0.0.1", "podIP": "10.1.0.1"}})


def listed(objects):
    return {"apiVersion": "v1", "kind": "List", "items": objects}


def write(objects, out):
    """One object a line, so that a large inventory is never in memory as one text."""
    out.write('{"apiVersion":"v1","kind":"List","items":[\n')
    for i, one in enumerate(objects):
        out.write((",\n" if i else "") + json.dumps(one))
    out.write("\n]}\n")


if __name__ == "__main__":
    write(Inventory(*map(int, sys.argv[1:])).objects, sys.stdout)
