# SPDX-License-Identifier: Apache-2.0
"""SchedulingPolicies, roles and pods over small alphabets, so that each of allowed, denied and changed is frequent. The same
seed gives the same."""

import copy
import random

KEYS = ("disk", "zone", "pool")
VALUES = ("a", "b", "1", "7")
TAINTS = ("gpu", "spot", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
SCHEDULERS = ("default-scheduler", "binpack", "volcano")
CLASSES = ("low", "high")
RUNTIMES = ("gvisor", "kata")
TOPOLOGY = ("zone", "kubernetes.io/hostname")
GATES = ("quota", "kueue.x-k8s.io/admission")
CLAIMS = ("gpu-claim", "nic")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
USUAL = [{"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
         for key in ("not-ready", "unreachable")]
DAEMON_SET_CONTROLLER = "system:serviceaccount:kube-system:daemon-set-controller"
DAEMON_SET = [{"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": effect} for key, effect in (
    ("not-ready", "NoExecute"), ("unreachable", "NoExecute"), ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"), ("pid-pressure", "NoSchedule"), ("unschedulable", "NoSchedule"),
    ("network-unavailable", "NoSchedule"))]
# What the cluster adds to pods, by an option; memory-pressure by PodTolerationRestriction.
EXEMPT = [{"key": "node.kubernetes.io/memory-pressure", "operator": "Exists", "effect": "NoSchedule"},
          {"key": "gpu", "operator": "Equal", "value": "7", "effect": "NoSchedule"}, {"key": "spot", "value": "a"}]
TEMPLATES = {"PodTemplate": "v1", "ReplicationController": "v1", "ReplicaSet": "apps/v1", "Deployment": "apps/v1",
             "StatefulSet": "apps/v1", "DaemonSet": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1"}


# What policies are about in turn: a pod that breaks all rules at once tells little of each.
SUBJECTS = {
    "names": ("schedulerNames", "priorityClassNames", "runtimeClassNames"),
    "nodeSelectors": ("nodeSelectors",), "tolerations": ("tolerations",), "affinities": ("affinities",),
    "ours": ("topologySpreadConstraints", "schedulingGates", "resourceClaims"),
}
OF_DEFAULT = {"schedulerName": "schedulerNames", "priorityClassName": "priorityClassNames", "runtimeClassName": "runtimeClassNames",
              "nodeSelector": "nodeSelectors", "tolerations": "tolerations", "affinity": "affinities"}


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.subject = self.random.choice((None, None, *SUBJECTS))

    def is_about(self, component):
        return self.subject is None or component in SUBJECTS[self.subject]

    def chance(self, component, sparse):
        """How often a pod has something of it."""
        return sparse if self.subject is None else 0.8 if self.is_about(component) else sparse / 2

    def often(self, chance):
        return self.random.random() < chance

    def some(self, of, least=0, most=2):
        most = min(most, len(of))
        return self.random.sample(of, self.random.randint(min(least, most), most))

    def one(self, of):
        return self.random.choice(of)

    # What policies list.

    def any_or(self, of, any_chance=0.25):
        return [] if self.often(any_chance) else self.some(of, 1)

    def maybe(self, into, name, make, chance=0.5):
        if self.often(chance):
            into[name] = make()

    def pattern(self, keys, values, words, of_words):
        made = {}
        self.maybe(made, "keys", lambda: self.any_or(keys, 0.4), 0.95)
        self.maybe(made, "operators", lambda: self.any_or(words, 0.5), 0.95)
        self.maybe(made, "values", lambda: self.any_or(values), 0.6)
        if of_words:
            made["effects"] = self.any_or(of_words, 0.35)
        return made

    def toleration_patterns(self):
        return [self.pattern(TAINTS, VALUES, ("Equal", "Exists", "Gt"), EFFECTS) for _ in range(self.random.randint(1, 3))]

    def requirement_patterns(self, keys=KEYS):
        return [self.pattern(keys, VALUES, OPERATORS, None) for _ in range(self.random.randint(1, 3))]

    def term_pattern(self):
        made = {}
        self.maybe(made, "matchExpressions", self.requirement_patterns, 0.9)
        if self.often(0.2):
            made["matchFields"] = self.one(([], [{"keys": ["metadata.name"], "operators": [], "values": []}]))
        return made or {"matchExpressions": []}

    def node_mode(self):
        return {} if self.often(0.2) else {"nodeSelectorTerms": [self.term_pattern() for _ in range(self.random.randint(1, 2))]}

    def pod_mode(self):
        return {} if self.often(0.2) else {"topologyKeys": self.some(TOPOLOGY, 1)}

    def modes(self, mode):
        made = {}
        self.maybe(made, REQUIRED, mode)
        self.maybe(made, PREFERRED, mode)
        return made

    def affinities(self, chance=0.5):
        made = {}
        self.maybe(made, "nodeAffinities", lambda: self.modes(self.node_mode), chance)
        self.maybe(made, "podAffinities", lambda: self.modes(self.pod_mode), chance)
        self.maybe(made, "podAntiAffinities", lambda: self.modes(self.pod_mode), chance)
        return made

    def node_selectors(self):
        return {key: self.any_or(VALUES) for key in self.some(KEYS, 1)}

    def required(self):
        made = {}
        self.maybe(made, "schedulerNames", lambda: self.some(SCHEDULERS, 1), 0.06)
        self.maybe(made, "priorityClassNames", lambda: self.some(CLASSES, 1), 0.1)
        self.maybe(made, "nodeSelectors", self.node_selectors, 0.12)
        self.maybe(made, "tolerations", self.toleration_patterns, 0.08)
        self.maybe(made, "affinities", lambda: self.affinities(0.4) or {"nodeAffinities": {}}, 0.5 if self.subject == "affinities" else 0.1)
        self.maybe(made, "runtimeClassNames", lambda: self.some(RUNTIMES, 1), 0.05)
        return made

    def allowed(self):
        made = {}
        self.maybe(made, "schedulerNames", lambda: self.any_or(SCHEDULERS, 0.5), 0.8)
        self.maybe(made, "priorityClassNames", lambda: self.any_or(CLASSES), 0.8)
        self.maybe(made, "nodeSelectors", lambda: {} if self.often(0.5) else self.node_selectors(), 0.8)
        self.maybe(made, "tolerations", lambda: [] if self.often(0.4) else self.toleration_patterns(), 0.8)
        self.maybe(made, "affinities", lambda: {} if self.often(0.4) else self.affinities(0.8), 0.8)
        self.maybe(made, "runtimeClassNames", lambda: self.any_or(RUNTIMES), 0.8)
        self.maybe(made, "topologySpreadConstraints", lambda: [] if self.often(0.3) else [
            {"topologyKeys": self.any_or(TOPOLOGY), "whenUnsatisfiable": self.any_or(("DoNotSchedule", "ScheduleAnyway"))}
            for _ in range(self.random.randint(1, 2))], 0.8)
        self.maybe(made, "schedulingGates", lambda: self.any_or(GATES), 0.8)
        self.maybe(made, "resourceClaims", lambda: self.any_or(CLAIMS), 0.8)
        return made

    def known_toleration(self):
        """One that a policy or a class may give."""
        made = self.toleration()
        while made.get("operator") not in (None, "Equal", "Exists") or (made.get("operator") == "Exists" and "value" in made):
            made = self.toleration()
        return made

    def default_toleration(self):
        if self.often(0.2):  # in the place of one of DefaultTolerationSeconds
            made = copy.deepcopy(self.one(USUAL))
            made["tolerationSeconds"] = self.one((60, 300))
            return made
        if self.often(0.1):
            return copy.deepcopy(self.one(EXEMPT))
        made = self.known_toleration()
        if made.get("operator") in (None, "Equal") and made.get("key") and self.often(0.3):
            made.pop("value", None)
            made["values"] = self.some(VALUES, 1)
        return made

    def defaults(self):
        made = {}
        self.maybe(made, "schedulerName", lambda: self.one(SCHEDULERS), 0.3)
        self.maybe(made, "priorityClassName", lambda: self.one(CLASSES), 0.3)
        self.maybe(made, "nodeSelector", lambda: {key: self.one(VALUES) for key in self.some(KEYS, 1)}, 0.4)
        self.maybe(made, "tolerations", lambda: [self.default_toleration() for _ in range(self.random.randint(1, 3))], 0.4)
        self.maybe(made, "runtimeClassName", lambda: self.one(RUNTIMES), 0.2)
        if self.often(0.5):
            affinity = {}
            self.maybe(affinity, "nodeAffinity", lambda: self.node_affinity(most=1 if self.often(0.5) else 3))
            self.maybe(affinity, "podAffinity", self.pod_affinity)
            self.maybe(affinity, "podAntiAffinity", self.pod_affinity)
            if affinity:
                made["affinity"] = affinity
        return made

    def policy(self, name):
        spec = {"required": self.required(), "allowed": self.allowed(), "default": self.defaults()}
        if self.subject:
            components = [name for names in SUBJECTS.values() for name in names]
            others = [name for name in components if not self.is_about(name)]
            spec["allowed"] |= {name: {} if name in ("nodeSelectors", "affinities") else [] for name in others}
            spec["required"] = {name: each for name, each in spec["required"].items() if self.is_about(name)}
            if self.often(0.3):
                spec["default"] = {name: each for name, each in spec["default"].items() if self.is_about(OF_DEFAULT[name])}
        for field in ("schedulerName", "priorityClassName", "runtimeClassName"):
            required = spec["required"].get(field + "s")
            if required and field in spec["default"]:  # another one is an invalid policy
                spec["default"][field] = self.one(required)
        return {"apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy", "metadata": {"name": name}, "spec": spec}

    def runtime_class(self, name):
        """Of one in five nothing is added."""
        made = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": name}
        if self.often(0.8):
            scheduling = made["scheduling"] = {}
            self.maybe(scheduling, "nodeSelector", lambda: {key: self.one(VALUES) for key in self.some(KEYS, 1, 2)}, 0.7)
            self.maybe(scheduling, "tolerations", lambda: [self.known_toleration() for _ in range(self.random.randint(1, 2))], 0.7)
        return made

    # What pods ask for.

    def toleration(self):
        made = {"key": self.one(TAINTS)}
        made.update(self.one(({"operator": "Exists"}, {"operator": "Equal", "value": self.one(VALUES)}, {"value": self.one(VALUES)},
                              {"operator": "Gt", "value": "1"})))
        if self.often(0.05) and made.get("operator") == "Exists":
            del made["key"]
        elif self.often(0.03):
            made["value"] = self.one(VALUES)  # which Exists has not, whatever stands there
        if self.often(0.65):
            made["effect"] = self.one(EFFECTS)
        if made.get("effect") == "NoExecute" and self.often(0.5):
            made["tolerationSeconds"] = self.one((60, 300, 300))
        if made == {"key": made.get("key"), "operator": "Gt", "value": "1"} and self.often(0.1):
            made["operator"] = "Near"
        return made

    def expression(self, key=None):
        operator = self.one(OPERATORS)
        made = {"key": key or self.one(KEYS), "operator": operator}
        if operator in ("In", "NotIn"):
            made["values"] = self.some(VALUES, 1, 3)
        elif operator in ("Gt", "Lt"):
            made["values"] = [self.one(("1", "5"))]
        return made

    def term(self):
        """One that a node can meet: no key stands in it twice."""
        made = {"matchExpressions": [self.expression(key) for key in self.some(KEYS, 1)]}
        if self.often(0.1):
            made["matchFields"] = [{"key": "metadata.name", "operator": "In", "values": [self.one(("n1", "n2"))]}]
        return made

    def node_affinity(self, most=2):
        made = {}
        self.maybe(made, REQUIRED, lambda: {"nodeSelectorTerms": [self.term() for _ in range(self.random.randint(1, most))]}, 0.7)
        self.maybe(made, PREFERRED, lambda: [{"weight": self.one((1, 50)), "preference": self.term()}], 0.3)
        return made

    def pod_term(self):
        made = {"topologyKey": self.one(TOPOLOGY)}
        self.maybe(made, "labelSelector", lambda: self.one(({"matchLabels": {"app": "web"}},
                                                            {"matchExpressions": [{"key": "app", "operator": "Exists"}]})), 0.7)
        self.maybe(made, "namespaces", lambda: ["shop"], 0.1)
        return made

    def pod_affinity(self):
        made = {}
        self.maybe(made, REQUIRED, lambda: [self.pod_term() for _ in range(self.random.randint(1, 2))], 0.6)
        self.maybe(made, PREFERRED, lambda: [{"weight": self.one((1, 50)), "podAffinityTerm": self.pod_term()}], 0.4)
        return made

    def spec(self, account, like=None):
        """`like`: the defaults of a policy, which some pods have in part."""
        made = {"containers": [{"name": "c", "image": "i"}], "serviceAccountName": account}
        if not account:
            del made["serviceAccountName"]
        like = like or {}
        sparse = self.one((0.05, 0.15, 0.4))
        self.maybe(made, "schedulerName", lambda: self.one(SCHEDULERS), self.chance("schedulerNames", sparse))
        self.maybe(made, "nodeName", lambda: "n1", self.chance("schedulerNames", sparse) / 8)
        self.maybe(made, "priorityClassName", lambda: self.one(CLASSES), self.chance("priorityClassNames", sparse))
        if self.often(0.3):
            made["priority"] = 0
            made["preemptionPolicy"] = "PreemptLowerPriority"
        self.maybe(made, "nodeSelector", lambda: {key: self.one(VALUES) for key in self.some(KEYS, 1)}, self.chance("nodeSelectors", sparse))
        tolerations = copy.deepcopy(USUAL) if self.often(0.7) else []
        while self.often(0.1):
            tolerations.append(copy.deepcopy(self.one(USUAL)))
        if self.often(self.chance("tolerations", sparse)):
            tolerations = [self.toleration() for _ in range(self.random.randint(1, 2))] + tolerations
        if self.often(0.15):
            tolerations.append(copy.deepcopy(self.one(EXEMPT)))
        if tolerations:
            made["tolerations"] = tolerations
        affinity = {}
        self.maybe(affinity, "nodeAffinity", self.node_affinity, self.chance("affinities", sparse))
        self.maybe(affinity, "podAffinity", self.pod_affinity, self.chance("affinities", sparse))
        self.maybe(affinity, "podAntiAffinity", self.pod_affinity, self.chance("affinities", sparse))
        for kind, given in (like.get("affinity") or {}).items():
            if self.often(0.2):
                affinity[kind] = self.part_of(copy.deepcopy(given))
        if affinity:
            made["affinity"] = affinity
        self.maybe(made, "runtimeClassName", lambda: self.one(RUNTIMES), self.chance("runtimeClassNames", sparse))
        self.maybe(made, "topologySpreadConstraints", lambda: [
            {"maxSkew": 1, "topologyKey": self.one(TOPOLOGY), "whenUnsatisfiable": self.one(("DoNotSchedule", "ScheduleAnyway"))}],
            self.chance("topologySpreadConstraints", sparse))
        self.maybe(made, "schedulingGates", lambda: [{"name": name} for name in self.some(GATES, 1)], self.chance("schedulingGates", sparse))
        self.maybe(made, "resourceClaims", lambda: [
            {"name": "r", self.one(("resourceClaimName", "resourceClaimTemplateName")): self.one(CLAIMS)}], self.chance("resourceClaims", sparse))
        return made

    def part_of(self, kind):
        """An affinity, now and then without some of its expressions."""
        required = kind.get(REQUIRED)
        for term in required["nodeSelectorTerms"] if isinstance(required, dict) else []:
            if len(term["matchExpressions"]) > 1 and self.often(0.3):
                term["matchExpressions"].pop()
        return kind

    def changed(self, spec, account, like):
        """The spec after an edit: some of it is that of another one."""
        other = self.spec(account, like)
        made = copy.deepcopy(spec)
        for name in sorted(set(spec) | set(other)):
            if name == "serviceAccountName" or not self.often(0.3):
                continue
            made.pop(name, None)
            if name in other:
                made[name] = other[name]
        if "tolerations" in made and "tolerations" in spec and self.often(0.5):
            made["tolerations"] = copy.deepcopy(spec["tolerations"]) + [self.toleration()]
        return made

    def keeps_tolerations(self, made, spec):
        """An API server lets nobody take a toleration away from a pod."""
        there = made.get("tolerations", [])
        lost = [each for each in spec.get("tolerations", []) if each not in there]
        if lost:
            made["tolerations"] = there + copy.deepcopy(lost)
        return made


def largest_spec(salt):
    """As large as what the export estimates its costs for, of texts that no policy lists."""
    def text(kind, number):
        return f"{salt}-{kind}-{number}".ljust(63, "x")

    term = {"matchExpressions": [{"key": text("k", i), "operator": "NotIn", "values": [text("v", j) for j in range(10)]}
                                 for i in range(5)]}
    pod_term = {"topologyKey": text("t", 0), "labelSelector": {"matchLabels": {"app": salt}}}
    pods = {REQUIRED: [pod_term] * 5, PREFERRED: [{"weight": 1, "podAffinityTerm": pod_term}] * 5}
    return {
        "containers": [{"name": "c", "image": "i"}], "schedulerName": text("s", 0), "priorityClassName": text("c", 0),
        "runtimeClassName": text("r", 0), "nodeSelector": {text("k", i): text("v", i) for i in range(20)},
        "tolerations": [{"key": text("k", i), "value": text("v", i)} for i in range(20)],
        "affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term] * 5}, PREFERRED: [{"weight": 1, "preference": term}] * 5},
                     "podAffinity": pods, "podAntiAffinity": pods},
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": text("t", i), "whenUnsatisfiable": "DoNotSchedule"} for i in range(10)],
        "schedulingGates": [{"name": text("g", i)} for i in range(10)],
        "resourceClaims": [{"name": text("r", i), "resourceClaimName": text("r", i)} for i in range(10)]}


def object_of(kind, namespace, spec):
    metadata = {"name": "o", "namespace": namespace}
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": spec}
    made = {"apiVersion": TEMPLATES[kind], "kind": kind, "metadata": metadata}
    if kind == "PodTemplate":
        return made | {"template": template}
    if kind == "CronJob":
        return made | {"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}}}
    return made | {"spec": {"template": template}}


def spec_of(made):
    if made["kind"] == "Pod":
        return made["spec"]
    if made["kind"] == "PodTemplate":
        return made["template"]["spec"]
    if made["kind"] == "CronJob":
        return made["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    return made["spec"]["template"]["spec"]
