# SPDX-License-Identifier: Apache-2.0
"""Random pods and workloads for an API server: valid, and about half of them permitted by the policies that are tried. The
same seed gives the same."""

import copy
import random

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
ZONE, HOST, ARCH = "topology.kubernetes.io/zone", "kubernetes.io/hostname", "kubernetes.io/arch"
CLASSES = {"low": 5, "training": 500, "production": 1000, "batch": 10}
WORKLOADS = {"PodTemplate": ("v1", "podtemplates"), "ReplicationController": ("v1", "replicationcontrollers"),
             "ReplicaSet": ("apps/v1", "replicasets"), "Deployment": ("apps/v1", "deployments"),
             "StatefulSet": ("apps/v1", "statefulsets"), "DaemonSet": ("apps/v1", "daemonsets"), "Job": ("batch/v1", "jobs"),
             "CronJob": ("batch/v1", "cronjobs")}


def spec_of(item):
    if item["kind"] == "Pod":
        return item["spec"]
    if item["kind"] == "PodTemplate":
        return item["template"]["spec"]
    if item["kind"] == "CronJob":
        return item["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    return item["spec"]["template"]["spec"]


def object_of(kind, name, namespace, spec):
    """One whose controller makes no pods of it."""
    spec = {"automountServiceAccountToken": False, "containers": [{"name": "main", "image": "example.com/none"}], **copy.deepcopy(spec)}
    metadata, labels = {"name": name, "namespace": namespace}, {"app": name}
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"terminationGracePeriodSeconds": 0, **spec}}
    version = WORKLOADS[kind][0]
    made = {"apiVersion": version, "kind": kind, "metadata": metadata}
    if version == "batch/v1":
        spec["restartPolicy"] = "Never"
    template = {"metadata": {"labels": labels}, "spec": spec}
    if kind == "PodTemplate":
        return made | {"template": template}
    if kind == "CronJob":
        return made | {"spec": {"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": {"template": template}}}}
    if kind == "Job":
        return made | {"spec": {"suspend": True, "template": template}}
    selector = labels if kind == "ReplicationController" else {"matchLabels": labels}
    replicas = {} if kind == "DaemonSet" else {"replicas": 0}
    return made | {"spec": {**replicas, "selector": selector, "template": template}}


class Wishes(random.Random):
    """What pods ask for; some of it the policies of each row permit."""

    def pod_term(self):
        return {"topologyKey": self.choice([HOST, ZONE, "rack"]), "labelSelector": {"matchLabels": {"app": "x"}}}

    def node_term(self):
        key, values = self.choice([(ARCH, ["amd64", "arm64"]), (ZONE, ["a", "b"]), ("pool", ["gpu"])])
        return {"matchExpressions": [self.choice([{"key": key, "operator": "In", "values": values},
                                                  {"key": key, "operator": "NotIn", "values": values[:1]},
                                                  {"key": key, "operator": "Exists"}])]}

    def affinity(self):
        kind = self.choice(["nodeAffinity", "podAffinity", "podAntiAffinity"])
        required = self.random() < 0.5
        if kind == "nodeAffinity":
            return {kind: {REQUIRED: {"nodeSelectorTerms": [self.node_term()]}} if required
                    else {PREFERRED: [{"weight": 1, "preference": self.node_term()}]}}
        return {kind: {REQUIRED: [self.pod_term()]} if required else {PREFERRED: [{"weight": 1, "podAffinityTerm": self.pod_term()}]}}

    def toleration(self):
        return self.choice([{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}, {"operator": "Exists"},
                            {"key": "spot", "value": "true", "effect": "NoSchedule"}, {"key": "spot", "operator": "Exists"},
                            {"key": "node.kubernetes.io/memory-pressure", "operator": "Exists", "effect": "NoSchedule"},
                            {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}])

    def wish(self):
        return self.choice([
            lambda: {"schedulerName": self.choice(["default-scheduler", "batch-scheduler", "mine"])},
            lambda: {"priorityClassName": self.choice(list(CLASSES))},
            lambda: {"nodeSelector": dict([self.choice([(ARCH, "arm64"), (ZONE, "a"), ("pool", "gpu"), ("pool", "general")])])},
            lambda: {"tolerations": [self.toleration() for _ in range(self.randint(1, 2))]},
            self.affinity_wish, self.affinity_wish,
            lambda: {"topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": self.choice([HOST, ZONE, "rack"]), "labelSelector": {"matchLabels": {"app": "x"}},
                "whenUnsatisfiable": self.choice(["DoNotSchedule", "ScheduleAnyway"])}]},
            lambda: {"schedulingGates": [{"name": self.choice(["kueue.x-k8s.io/admission", "example.com/quota"])}]},
            lambda: {"resourceClaims": [{"name": "device", "resourceClaimTemplateName": self.choice(["single-gpu", "nic"])}]},
            lambda: {"runtimeClassName": self.choice(["gvisor", "kata"])},
            lambda: {"nodeName": "n1"}])()

    def affinity_wish(self):
        return {"affinity": self.affinity()}

    def spec(self):
        made = {}
        for _ in range(self.choice([0, 1, 1, 2, 3])):
            made |= self.wish()
        if "schedulingGates" in made:
            made.pop("nodeName", None)
        return made

    def created(self, name, namespace, account):
        spec = self.spec() | ({"serviceAccountName": account} if account else {})
        return object_of("Pod" if self.random() < 0.6 else self.choice(list(WORKLOADS)), name, namespace, spec)

    def updated(self, stored):
        """What a client makes of an object that is stored."""
        made = copy.deepcopy(stored)
        made["metadata"].pop("resourceVersion")
        spec = spec_of(made)
        if self.random() < 0.3:
            made["metadata"].setdefault("labels", {})["changed"] = "yes"
        elif made["kind"] != "Pod" or spec.get("schedulingGates"):
            wish = self.wish()
            if made["kind"] == "Pod":
                wish = self.choice([{"nodeSelector": spec.get("nodeSelector", {}) | {"pool": "gpu"}}, {"schedulingGates": []},
                                    {"nodeSelector": spec.get("nodeSelector", {}) | {ARCH: "arm64"}}])
            elif made["kind"] == "Job":  # of which only that may change
                wish = self.choice([{"nodeSelector": {ARCH: "arm64"}}, {"nodeSelector": {"pool": "gpu"}}, {"tolerations": [self.toleration()]}])
            spec.update(wish)
        else:
            spec["tolerations"] = spec.get("tolerations", []) + [self.toleration()]
        return made
