# SPDX-License-Identifier: Apache-2.0
"""What requests are made of, as data: a JSON value in which some lists, maps and texts are as long as measure.py wants
them.

What stands in them is varied in six manners, so that items are equal or not, and what is asked meets what is stored or
does not: see `MANNERS`.
"""

import dataclasses
import typing

MANNERS = {
    "equal": "all items say the same",
    "one key": "items of one key have a value each",
    "distinct": "every item has a key and a value of its own",
    "alike": "the lists of all items are the same, of distinct items",
    "lacks one": "each list of values lacks one of ten",
    "apart": "as distinct, but no item of the request is one of a policy",
}


@dataclasses.dataclass(frozen=True)
class Text:
    """A text that several items say, or each its own: `key`, `value` or `name`, which is always its own."""

    of: str
    what: str = "value"
    asked: bool = False  # it is of what is asked, not of a policy

    def built(self, counts, manner, index, number):
        if self.what == "name":
            return f"{self.of}-{number}"
        if manner == "equal" or (self.what == "key" and manner in ("one key", "lacks one")):
            return self.of
        if manner == "lacks one":
            return f"{self.of}-{number % 10}"
        if manner == "alike":
            return f"{self.of}-{index}"
        return f"{'x-' if manner == 'apart' and self.asked else ''}{self.of}-{number}"


@dataclasses.dataclass(frozen=True)
class Many:
    """A list of `name`, at most `most` items, or of an item that may have so many `bytes`."""

    name: str
    item: typing.Any
    most: int = 1 << 20
    bytes: int = 0
    usual: int = 1  # how many there are where something else is long

    def built(self, counts, manner, index, number):
        count = counts.get(self.name, self.usual)
        first = number * count
        return [built(self.item, counts, manner, i, first + i) for i in range(count)]


@dataclasses.dataclass(frozen=True)
class Values:
    """A list of texts."""

    name: str
    text: Text
    most: int = 8192
    bytes: int = 0

    def built(self, counts, manner, index, number):
        count = counts.get(self.name, 1)
        if manner == "lacks one":
            return [f"{self.text.of}-{i}" for i in range(max(count, 10)) if i != number % 10]
        first = 0 if manner in ("equal", "alike", "one key") else number * count
        prefix = "x-" if manner == "apart" and self.text.asked else ""
        return [f"{prefix}{self.text.of}-{first + i}" for i in range(count)]


@dataclasses.dataclass(frozen=True)
class Pairs:
    """A map from keys to an item each."""

    name: str
    key: Text
    item: typing.Any
    most: int = 1 << 20
    bytes: int = 0

    def built(self, counts, manner, index, number):
        count = counts.get(self.name, 1)
        first = number * count
        keys_of = manner if manner in ("distinct", "apart") else "alike"
        return {self.key.built(counts, keys_of, i, first + i): built(self.item, counts, manner, i, first + i)
                for i in range(count)}


@dataclasses.dataclass(frozen=True)
class Long:
    """A text of so many bytes more."""

    name: str
    text: typing.Any
    most: int = 1 << 20

    def built(self, counts, manner, index, number):
        return built(self.text, counts, manner, index, number) + "l" * (counts.get(self.name, 1) - 1)


@dataclasses.dataclass(frozen=True)
class Flat:
    """One list of objects and of lists of them."""

    items: typing.Any

    def built(self, counts, manner, index, number):
        all_ = [built(item, counts, manner, index, number) for item in self.items]
        return [object_ for item in all_ for object_ in (item if isinstance(item, list) else [item])]


PLAIN = frozenset((str, int, bool, type(None)))


def built(node, counts, manner, index=0, number=0):
    """The JSON of a shape, the `index`th of its neighbours and `number`th of all of its kind."""
    kind = type(node)
    if kind in PLAIN:
        return node
    if kind is dict:
        return {name: built(member, counts, manner, index, number) for name, member in node.items()}
    if kind is list:
        return [built(item, counts, manner, index, number) for item in node]
    return node.built(counts, manner, index, number)


def lists(node, around=()):
    """What of a shape may be long, each with the lists around it."""
    if isinstance(node, (Many, Values, Pairs, Long)):
        yield node, around
        inside = getattr(node, "item", None)
        yield from lists(inside, (*around, node))
    elif isinstance(node, dict):
        for member in node.values():
            yield from lists(member, around)
    elif isinstance(node, (list, Flat)):
        for item in getattr(node, "items", node):
            yield from lists(item, around)


# What names and values are bounded by, those of labels and of objects.
LABEL, NAME = 60, 240


def text(of, what="value", asked=False):
    return Text(of, what, asked)


def meta(kind, name, **more):
    return {"kind": kind, "metadata": {"name": Long(f"{name} name", text(kind.lower(), "name"), NAME), **more}}


# --- The vocabulary

def label_selector(name, asked=False):
    return {"matchExpressions": Many(f"{name} requirements", {
        "key": text("label", "key", asked), "operator": "NotIn", "values": Values(f"{name} values", text("v", asked=asked))}, 250)}


def exact_selector(name):
    return {"matchLabels": Pairs(f"{name} pairs", text("label", "key"), text("v"), 250)}


def tolerations(name, asked=False):
    return Many(f"{name} tolerations", {"key": text("key", "key", asked), "operator": "Equal",
                                        "value": Long(f"{name} toleration value", text("v", asked=asked), LABEL)}, 2048)


def node_terms(name, asked=False):
    return Many(f"{name} terms", {"matchExpressions": Many(f"{name} expressions", {
        "key": text("key", "key", asked), "operator": "In", "values": Values(f"{name} values", text("v", asked=asked))})})


def affinity(name, asked=False):
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": node_terms(name, asked)},
            "preferredDuringSchedulingIgnoredDuringExecution": Many(f"{name} preferences", {
                "weight": 1, "preference": {"matchExpressions": [{"key": text("key", "key", asked), "operator": "Exists"}]}})},
        "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": Many(f"{name} pod terms", {
            "topologyKey": text("key", "key", asked)})}}


def pod_spec(name="pod"):
    return {"tolerations": tolerations(name, True), "nodeSelector": Pairs(f"{name} nodeSelector", text("key", "key", True),
                                                                        text("v", asked=True)),
            "affinity": {**affinity(name, True), "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": Many(f"{name} empty terms", {}, usual=0),
                "preferredDuringSchedulingIgnoredDuringExecution": Many(f"{name} null terms", None, usual=0)}},
            "topologySpreadConstraints": Many(f"{name} spread constraints", {
                "maxSkew": 1, "topologyKey": text("key", "key", True), "whenUnsatisfiable": "DoNotSchedule"}),
            "schedulingGates": Many(f"{name} gates", {"name": text("gate", asked=True)}),
            "resourceClaims": Many(f"{name} claims", {"name": text("device", "name"),
                                                      "resourceClaimName": text("claim", asked=True)}),
            "schedulerName": text("scheduler", "value", True), "volumes": Many(f"{name} unread items", 0, usual=0)}


def pod_meta(name="pod", **more):
    return {"name": "p", "namespace": "n", "labels": Pairs(f"{name} labels", text("label", "key", True), text("v", asked=True)),
            "annotations": Pairs(f"{name} annotations", text("note", "key", True),
                                 Long(f"{name} annotation", text("v", asked=True))), **more}


def pod(name="pod"):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": pod_meta(name), "spec": pod_spec(name)}


def deployment(name="workload"):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": pod_meta(name),
            "spec": {"template": {"metadata": {"labels": {"app": "a"}}, "spec": pod_spec(name)}}}


def job_set(name="workload"):
    """An object of a custom kind, with a list of pod templates."""
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": pod_meta(name),
            "spec": {"replicatedJobs": Many(f"{name} templates", {"name": text("job", "name"), "template": {"spec": {
                "template": {"metadata": {"labels": {"app": "a"}}, "spec": pod_spec(name)}}}})}}


# --- Policies

POLICY_BYTES = 75_000  # of JSON: none is over the limit of a policy then, whatever its items are counted as


def patterns(name):
    return {"keys": Values(f"{name} pattern keys", text("key", "key")), "operators": [],
            "values": Values(f"{name} pattern values", text("v")), }


def rules(name):
    return {"schedulerNames": Values(f"{name} schedulers", text("scheduler")),
            "priorityClassNames": [],
            "runtimeClassNames": Values(f"{name} classes", text("class")),
            "nodeSelectors": Pairs(f"{name} nodeSelectors", text("key", "key"), Values(f"{name} nodeSelector values", text("v"))),
            "tolerations": Many(f"{name} toleration patterns", {
                "keys": [text("key", "key")], "operators": [], "values": Values(f"{name} toleration values", text("v")),
                "effects": []}),
            "affinities": {"nodeAffinities": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": Many(f"{name} term patterns", {
                    "matchExpressions": Many(f"{name} expression patterns", {
                        "keys": [text("key", "key")], "operators": [],
                        "values": Values(f"{name} expression values", text("v"))})})}},
                "podAffinities": {}},
            "topologySpreadConstraints": Many(f"{name} spread patterns", {
                "topologyKeys": Values(f"{name} topology keys", text("key", "key")), "whenUnsatisfiable": []}),
            "schedulingGates": Values(f"{name} gates", text("gate")),
            "resourceClaims": Values(f"{name} claims", text("claim"))}


def required(name):
    return {"nodeSelectors": Pairs(f"{name} nodeSelectors", text("key", "key"), Values(f"{name} nodeSelector values", text("v"))),
            "tolerations": rules(name)["tolerations"], "affinities": rules(name)["affinities"]}


def scheduling_policy(name=""):
    return {"apiVersion": "schedpol.io/v1alpha1", **meta("SchedulingPolicy", name or "policy"),
            "spec": {"allowed": rules(name + "allowed"), "required": required(name + "required")}}


def allowing_policy(name=""):
    return {"apiVersion": "schedpol.io/v1alpha1", **meta("SchedulingPolicy", name or "policy"),
            "spec": {"allowed": rules(name + "allowed"),
                     "default": {"tolerations": tolerations(name + "default"),
                                 "nodeSelector": Pairs(f"{name}default nodeSelector", text("key", "key"), text("v"))}}}


def injecting_policy(name=""):
    return {"apiVersion": "kupid.gardener.cloud/v1alpha1", **meta("PodSchedulingPolicy", name + "policy", namespace="n"),
            "spec": {"podSelector": {}, "nodeSelector": Pairs(name + "injected nodeSelector", text("key", "key"), text("v")),
                     "tolerations": tolerations(name + "injected"), "affinity": affinity(name + "injected")}}


def giving_policy(name=""):
    """Which gives to every pod of the cluster what needs no permission then."""
    return {"apiVersion": "kupid.gardener.cloud/v1alpha1", **meta("ClusterPodSchedulingPolicy", name + "policy"),
            "spec": {"podSelector": {}, "namespaceSelector": {},
                     "nodeSelector": Pairs(name + "given nodeSelector", text("key", "key"), text("v")),
                     "tolerations": tolerations(name + "given"), "affinity": affinity(name + "given")}}


def selecting_policy(name=""):
    return {"apiVersion": "kupid.gardener.cloud/v1alpha1", **meta("ClusterPodSchedulingPolicy", name + "policy"),
            "spec": {"podSelector": label_selector(name + "pod selector"),
                     "namespaceSelector": exact_selector(name + "namespace selector"),
                     "schedulerName": text("scheduler", "name")}}


def metadata_rules(name, what, action):
    return Many(name + what, {
        "policyPredicate": {"labelSelector": label_selector(name + what + " selector"),
                            "annotationSelector": exact_selector(name + what + " annotation")},
        "policyAction": action})


def metadata_policy(name=""):
    return {"apiVersion": "schedpol.io/v1alpha1", **meta("MetadataPolicy", name + "policy", namespace="n"),
            "spec": {"rules": metadata_rules(name, "updating rules", {
                "updatedLabels": Pairs(name + "updated labels", text("label", "key"), text("w")),
                "updatedAnnotations": {"note": Long(name + "updated annotation", text("w"))}})}}


def rejecting_policy(name=""):
    return {"apiVersion": "schedpol.io/v1alpha1", **meta("MetadataPolicy", name + "policy", namespace="n"),
            "spec": {"rules": metadata_rules(name, "rejecting rules", {"reject": True})}}


def writing_policy(name=""):
    """Whose rules select everything, and write what they all write."""
    return {"apiVersion": "schedpol.io/v1alpha1", **meta("MetadataPolicy", name + "policy", namespace="n"),
            "spec": {"rules": Many(name + "writing rules", {
                "policyPredicate": {"labelSelector": {}},
                "policyAction": {"updatedAnnotations": {"note": Long(name + "written annotation", text("w"))}}})}}


def resource_policy(name=""):
    return {"apiVersion": "scheduling.sigs.x-k8s.io/v1alpha1", **meta("ResourcePolicy", name + "policy", namespace="n"),
            "spec": {"podSelector": label_selector(name + "pod selector"),
                     "matchLabelKeys": Values(name + "matchLabelKeys", text("label", "key"), 16),
                     "units": Many(name + "units", {
                         "name": text("unit", "name"), "maxCount": 1, "priority": 1,
                         "nodeSelector": exact_selector(name + "unit"),
                         "maxResources": Pairs(name + "resources", text("example.com/r", "key"), "1", 32)}, 64)}}


def open_resource_policy(name=""):
    return {"apiVersion": "scheduling.sigs.x-k8s.io/v1alpha1", **meta("ResourcePolicy", name + "policy", namespace="n"),
            "spec": {"matchLabelKeys": Values(name + "matchLabelKeys", text("label", "key"), 16),
                     "units": Many(name + "units", {
                         "name": text("unit", "name"), "maxCount": 1, "nodeSelector": {"matchExpressions": [
                             {"key": text("no", "name"), "operator": "DoesNotExist"}]}}, 64)}}


def runtime_class(name=""):
    return {"apiVersion": "node.k8s.io/v1", **meta("RuntimeClass", name + "class"), "handler": "h",
            "overhead": {"podFixed": Pairs(name + "overhead", text("example.com/r", "key"), "1")},
            "scheduling": {"nodeSelector": Pairs(name + "class nodeSelector", text("key", "key"), text("v")),
                           "tolerations": tolerations(name + "class")}}


def cluster_role(name=""):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", **meta("ClusterRole", name + "role"),
            "rules": Many(name + "role rules", {"verbs": ["use"], "apiGroups": ["*"], "resources": ["schedulingpolicies"],
                                                "resourceNames": Values(name + "resourceNames", text("schedulingpolicy"))})}


def binding(name=""):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", **meta("ClusterRoleBinding", name + "binding"),
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": text("clusterrole", "name")},
            "subjects": Many(name + "subjects", {"kind": "ServiceAccount", "namespace": "n", "name": text("account")})}


def node(name="node"):
    return {"metadata": {"name": text("node", "name"), "labels": Pairs(name + " labels", text("label", "key"), text("v"))},
            "spec": {"taints": Many(name + " taints", {"key": text("key", "key"), "value": text("v"), "effect": "NoSchedule"}, 128)}}


def requesting(name):
    """A container that requests many resources."""
    return {"name": "c", "resources": {"requests": Pairs(name + " resources", text("example.com/r", "key"), "1")}}


def bound_pod():
    return {"kind": "Pod", "metadata": {"name": text("bound", "name"), "namespace": "n", "uid": text("uid", "name"),
                                        "labels": Pairs("bound pod labels", text("label", "key"), text("v"))},
            "spec": {"nodeName": text("node", "name"), "serviceAccountName": text("account"),
                     "containers": [requesting("bound pod")]}}


POLICIES = {"SchedulingPolicy": [scheduling_policy, allowing_policy], "PodSchedulingPolicy": [injecting_policy, giving_policy, selecting_policy],
            "MetadataPolicy": [metadata_policy, rejecting_policy, writing_policy],
            "ResourcePolicy": [resource_policy, open_resource_policy], "RuntimeClass": [runtime_class]}
# Where one looks for what a set of policies and a request share.
GROUPS = {"SchedulingPolicy": "schedpol.io", "PodSchedulingPolicy": "kupid.gardener.cloud", "MetadataPolicy": "schedpol.io",
          "ResourcePolicy": "scheduling.sigs.x-k8s.io", "RuntimeClass": "node.k8s.io",
          "ClusterPodSchedulingPolicy": "kupid.gardener.cloud"}


def policies(shape, name=""):
    return Many(name + "policies", shape(name), bytes=POLICY_BYTES)


GOVERNS = {"governs": "All"}


def settings(*systems, use="Every"):
    return {"kind": "EngineConfiguration", "policyUse": use, "systems": [{"system": system} for system in systems],
            "options": GOVERNS}


def with_templates(configuration):
    """The configuration, with paths to the pod templates of custom kinds."""
    engine, *rest = configuration
    return [{**engine, "templates": Flat((
        {"group": "jobset.x-k8s.io", "kind": "JobSet", "path": "spec.replicatedJobs[*].template.spec.template"},
        Many("template paths", {"group": text("group", "name"), "kind": "Set", "path": "spec.template"}, usual=0)))}, *rest]


def judged(system, shape, name=""):
    """Policies, and what judges by permission what they make of a pod, or stands beside them."""
    if system == "SchedulingPolicy":
        return [settings("SchedulingPolicy"), policies(shape, name)]
    return [settings(system, "SchedulingPolicy"), policies(shape, name), {
        "apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy", "metadata": {"name": "judging"}, "spec": {"allowed": {
            "schedulerNames": [], "tolerations": [{"keys": ["key"], "operators": [], "values": [], "effects": []}]}}}]


def objects(*items):
    """A configuration, of objects and lists of them."""
    return {"kind": "List", "apiVersion": "v1", "items": Flat(items)}


def granted(name="", policy=allowing_policy):
    return [settings("SchedulingPolicy", use="Rbac"), policies(policy, name), Many(name + "roles", cluster_role(name)),
            Many(name + "bindings", binding(name))]


# --- Requests

@dataclasses.dataclass(frozen=True)
class Request:
    """A door, and what is stored behind it and asked there."""

    name: str
    door: str
    asked: typing.Any
    stored: typing.Any = None
    verb: str = "-"
    writes: bool = False  # a policy, whose analysis has bounds of its own


def evaluate(op, about="", **input_):
    return Request(f"{op}{': ' + about if about else ''}", "evaluate", {"id": 1, "op": op, "input": input_})


def reviewed(kind, group, object_, old=None):
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u", "kind": {"group": group, "version": "v1", "kind": kind}, "namespace": "n",
        "operation": "CREATE" if old is None else "UPDATE", "object": object_, "userInfo": {"username": "somebody"},
        **({} if old is None else {"oldObject": old})}}


def shown(shape):
    return shape.__name__.replace("_", " ")


def operations():
    pod_ = pod()
    yield evaluate("labelSelector.matches", selector=label_selector("selector"),
                   labels=Pairs("labels", text("label", "key", True), text("v", asked=True)))
    yield evaluate("nodeAffinity.matches", pod=pod_, node=node())
    yield evaluate("taints.findUntolerated", tolerations=tolerations("pod", True),
                   taints=node()["spec"]["taints"])
    yield evaluate("tolerations.merge", first=tolerations("first"), second=tolerations("second", True))
    yield evaluate("tolerations.validate", tolerations=tolerations("pod"))
    yield evaluate("affinity.validate", affinity=affinity("pod"))
    yield evaluate("labels.validate", labels=pod_meta()["labels"])
    yield evaluate("quantity.compare", a=Long("a", "1"), b=Long("b", "1"))
    yield evaluate("pod.qosClass", pod={"kind": "Pod", "spec": {"containers": Many("containers", {
        "name": text("c", "name"), "resources": {"requests": Pairs("requests", text("r", "key"), "1")}})}})
    resized = {"name": text("c", "name"), "resources": {"requests": Pairs("requests", text("r", "key"), "1")}}
    yield evaluate("pod.requests", pod={"kind": "Pod", "spec": {"containers": Many("containers", resized)},
                                        "status": {"containerStatuses": Many("statuses", resized)}})
    between = {"labelSelector": label_selector("terms", True), "topologyKey": text("label", "key", True)}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": Many("terms", between)}}
    yield evaluate("pod.filterNodes", nodes=Many("nodes", node()), pods=Many("pods", {
        **bound_pod(), "spec": {**bound_pod()["spec"], "affinity": apart}}), pod={
            "kind": "Pod", "metadata": pod_meta(), "spec": {"affinity": apart, "containers": [requesting("pod")],
            "tolerations": tolerations("pod", True), "topologySpreadConstraints": Many("constraints", {
                **between, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"})}})
    for shape in POLICIES["SchedulingPolicy"]:
        yield evaluate("schedulingPolicy.validate", shown(shape), policy=shape())
        for strategy in ("SmartDeepMerge", "SimpleMerge"):
            yield evaluate("schedulingPolicy.merge", f"{shown(shape)}, {strategy}", policies=policies(shape),
                           strategy=strategy)
        of = {"policies": policies(shape), "options": GOVERNS}
        for op in ("admit", "explain", "nearestFix"):
            yield evaluate(f"schedulingPolicy.{op}", shown(shape), pod=pod_, **of)
        yield evaluate("schedulingPolicy.checkUpdate", shown(shape), old=pod("old"), new=pod_, **of)
        yield evaluate("schedulingPolicy.analyze", shown(shape), **of)
        yield evaluate("schedulingPolicy.compare", shown(shape), before={**of, "policies": policies(shape, "old ")}, after=of)
    yield evaluate("schedulingPolicy.analyze", "roles and bindings", policies=policies(allowing_policy),
                   clusterRoles=Many("roles", cluster_role()), clusterRoleBindings=Many("bindings", binding()))
    yield evaluate("rbac.usablePolicies", user={"name": "u", "groups": Values("groups", text("account"))}, namespace="n",
                   policies=Values("names", text("schedulingpolicy")), clusterRoles=Many("roles", cluster_role()),
                   clusterRoleBindings=Many("bindings", binding()))
    for op in ("admit", "verify"):
        yield evaluate(f"runtimeClass.{op}", pod={**pod_, "spec": {**pod_["spec"], "runtimeClassName": "runtimeclass-0"}},
                       runtimeClasses=policies(runtime_class))
    yield evaluate("runtimeClass.validate", runtimeClass=runtime_class())
    yield evaluate("runtimeClass.supports", runtimeClass=runtime_class(), node=node())
    for shape in POLICIES["PodSchedulingPolicy"]:
        yield evaluate("podSchedulingPolicy.validate", shown(shape), policy=shape())
        yield evaluate("podSchedulingPolicy.inject", shown(shape), pod=pod_, policies=policies(shape))
    for shape in POLICIES["MetadataPolicy"]:
        yield evaluate("metadataPolicy.validate", shown(shape), policy=shape())
        yield evaluate("metadataPolicy.admit", shown(shape), object=pod_, policies=policies(shape))
        yield evaluate("metadataPolicy.chooseScheduler", shown(shape), pod=pod_, policies=policies(shape))
    for shape in POLICIES["ResourcePolicy"]:
        cluster = {"policies": policies(shape), "nodes": Many("nodes", node()), "pods": Many("pods", bound_pod())}
        asked = {"kind": "Pod", "metadata": pod_meta(), "spec": {"containers": [requesting("pod")]}}
        yield evaluate("resourcePolicy.validate", shown(shape), policy=shape())
        yield evaluate("resourcePolicy.schedule", shown(shape), pod=asked, **cluster)
        yield evaluate("resourcePolicy.deletionCosts", shown(shape), **cluster)
        yield evaluate("resourcePolicy.plan", shown(shape), pod=asked, replicas=50, **cluster)
        for verb in ("filter", "prioritize", "preempt"):
            names = {"NodeNames": Values("names", text("node"))} if verb != "preempt" else {
                "NodeNameToMetaVictims": Pairs("victims", text("node", "key"), {"Pods": Many("pods of a node", {
                    "UID": text("uid")})})}
            yield Request(f"extend {verb}: {shown(shape)}", "extend", {"Pod": asked, **names}, cluster, verb)
        yield Request(f"watch: {shown(shape)}", "watch", cluster)
    for system, shapes in POLICIES.items():
        for shape in shapes:
            set_ = judged(system, shape)
            named = {"runtimeClassName": "runtimeclass-0"} if system == "RuntimeClass" else {}
            asking = {**pod_, "spec": {**pod_["spec"], **named}}
            workload = deployment()
            workload["spec"]["template"]["spec"].update(named)
            yield Request(f"compile: {shown(shape)}", "compile", objects(*set_))
            yield evaluate("engine.analyze", shown(shape), configuration=objects(*set_), nodes=Many("nodes", node()))
            yield evaluate("engine.impact", shown(shape), before=objects(settings(system)), after=objects(*set_),
                           objects=Many("objects", pod("object")))
            yield evaluate("engine.suggest", shown(shape), configuration=objects(*set_), objects=Many("objects", {
                **asking, "spec": {**asking["spec"], "serviceAccountName": text("account", asked=True)}}))
            yield evaluate("engine.decide", shown(shape), configuration=objects(*set_), object=asking)
            yield Request(f"review of a pod: {shown(shape)}", "review", reviewed("Pod", "", asking), objects(*set_))
            yield Request(f"review of an updated pod: {shown(shape)}", "review", reviewed("Pod", "", asking, pod("old")),
                          objects(*set_))
            yield Request(f"review of a workload: {shown(shape)}", "review", reviewed("Deployment", "apps", workload),
                          objects(*set_))
            custom = objects(*with_templates(set_))
            yield evaluate("engine.decide", f"templates, {shown(shape)}", configuration=custom, object=job_set())
            yield evaluate("engine.impact", f"templates, {shown(shape)}", before=objects(*with_templates([settings(system)])),
                           after=custom, objects=Many("objects", job_set("object")))
            yield Request(f"review of templates: {shown(shape)}", "review", reviewed("JobSet", "jobset.x-k8s.io", job_set()), custom)
            yield Request(f"review of updated templates: {shown(shape)}", "review",
                          reviewed("JobSet", "jobset.x-k8s.io", job_set(), job_set("old")), custom)
            if system == "RuntimeClass":
                continue
            # What policies of a cluster give and what permits it are looked at together.
            beside = [*POLICIES["SchedulingPolicy"], *POLICIES["PodSchedulingPolicy"]]
            for written in beside if shape in beside else shapes:
                object_ = written("written ")
                kind = object_["kind"]
                yield Request(f"review of a written {shown(written)} beside {shown(shape)}", "review",
                              reviewed(kind, GROUPS[kind], object_), objects(*set_), writes=True)
    yield Request("compile: roles and bindings", "compile", objects(*granted()))
    stored = {"uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z", "ownerReferences": Many("references", {
        "apiVersion": "apps/v1", "kind": "Deployment", "name": text("owner", "name"), "controller": True})}
    yield evaluate("engine.asCreated", object={**pod_, "metadata": pod_meta(**stored)}, owners=Many("owners", {
        **deployment("owner"), "metadata": {"name": text("owner", "name"), "namespace": "n"}}))
    running = {**pod("object"), "metadata": pod_meta("object", **stored), "spec": {
        **pod_spec("object"), "serviceAccountName": text("account", asked=True)}}
    named = Many("objects", {**deployment("object"), "metadata": {"name": text("owner", "name"), "namespace": "n"}})
    for about, options in (("", {}), ("common", {"commonPercent": 20}), ("joined", {"maxPolicies": 3})):
        yield evaluate("engine.suggest", f"pods {about}".strip(), objects=Many("objects", running), options=options)
        yield evaluate("engine.suggest", f"roles and bindings {about}".strip(), configuration=objects(*granted()),
                       objects=Many("objects", running), options=options)
    yield evaluate("engine.suggest", "workloads and nodes", objects=named, nodes=Many("nodes", node()))
    for strategy in ("FirstSeenWins", "SimpleMerge"):
        yield evaluate("engine.suggest", strategy, configuration=[
            {**settings("SchedulingPolicy", use="Rbac"), "strategy": strategy}, policies(allowing_policy)],
            objects=Many("objects", running))
    yield evaluate("engine.impact", "roles and bindings", before=objects(settings("SchedulingPolicy")),
                   after=objects(*granted()), objects=Many("objects", {**bound_pod(), "spec": {
                       "serviceAccountName": text("account", asked=True), "schedulerName": text("scheduler", asked=True)}}))
    yield evaluate("engine.analyze", "roles and bindings", configuration=objects(*granted()))
    yield Request("review of a pod: roles and bindings", "review", reviewed("Pod", "", {**pod_, "spec": {
        **pod_["spec"], "serviceAccountName": "account"}}), objects(*granted()))
    yield Request("review of a config map: rejecting policy", "review", reviewed("ConfigMap", "", {
        "kind": "ConfigMap", "metadata": pod_meta()}), objects(settings("MetadataPolicy"), policies(rejecting_policy)))
    yield Request("patch", "patch", Many("operations", {
        "op": "add", "path": Long("path", "/list/0"), "value": Values("value", text("v"))}), {"list": Values("items", text("v"))})
    yield Request("patch: copies", "patch", Many("operations", {"op": "copy", "from": "/list", "path": "/list/-"}),
                  {"list": Values("items", text("v"))})
