# SPDX-License-Identifier: Apache-2.0
"""The patches that admission reviews answer, applied by another implementation of RFC 6902 and compared with what
the rules of the systems, written down here once more on plain JSON, make of the same objects.

    patches_test.py REVIEW_PROGRAM SOURCE_ROOT [EVALUATE_PROGRAM]

Needs jsonpatch; the third program adds policies with keys that no cluster takes, and the text of the objects that it
answers. Not looked at: merges of SchedulingPolicies and what they deny (the one there is allows all operators that
there are); products beyond their bound; and, where the shortest patch changes one item of a list into another, which
of them keeps its unknown fields (see term_problems and toleration_problems).
"""

import base64
import copy
import fractions
import importlib.util
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
if importlib.util.find_spec("jsonpatch") is None:
    print("SKIPPED: the python module jsonpatch is not here")
    sys.exit(SKIPPED)

import jsonpatch  # pylint: disable=wrong-import-position
import jsonpointer  # pylint: disable=wrong-import-position

TIMEOUT_SECONDS = 120
GENERATED = 3200
SHOWN = 5

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
AFFINITIES = ("nodeAffinity", "podAffinity", "podAntiAffinity")
GROUPS = {"Pod": "", "PodTemplate": "", "ReplicationController": "", "ReplicaSet": "apps", "Deployment": "apps",
          "StatefulSet": "apps", "DaemonSet": "apps", "Job": "batch", "CronJob": "batch"}
TEMPLATES = {"Pod": (), "PodTemplate": ("template",), "CronJob": ("spec", "jobTemplate", "spec", "template")}
SCHEDULER, QOS = (f"scheduler.alpha.kubernetes.io/{name}" for name in ("name", "qos"))


# ---- what is equal: known fields only, null as absent, no operator as Equal --------------------

def listed(parent, name):
    return (parent or {}).get(name) or []


def text(parent, name):
    return (parent or {}).get(name) or ""


def texts(parent, name):
    return tuple(item or "" for item in listed(parent, name))


def pairs(parent, name):
    return tuple(sorted((key, value or "") for key, value in (listed(parent, name) or {}).items()))


def toleration(item):
    return (text(item, "key"), text(item, "operator") or "Equal", text(item, "value"), text(item, "effect"),
            (item or {}).get("tolerationSeconds"))


def requirement(item):
    return text(item, "key"), text(item, "operator"), texts(item, "values")


def requirements(item, name):
    return tuple(requirement(one) for one in listed(item, name))


def node_term(item):
    return requirements(item, "matchExpressions"), requirements(item, "matchFields")


def label_selector(item):
    return None if item is None else (pairs(item, "matchLabels"), requirements(item, "matchExpressions"))


def pod_term(item):
    item = item or {}
    return (text(item, "topologyKey"), label_selector(item.get("labelSelector")), texts(item, "namespaces"),
            label_selector(item.get("namespaceSelector")), texts(item, "matchLabelKeys"),
            texts(item, "mismatchLabelKeys"))


def preferred_term(item):
    item = item or {}
    return item.get("weight") or 0, node_term(item.get("preference")), pod_term(item.get("podAffinityTerm"))


def quantity(value):
    number, suffix = re.fullmatch(r"([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)([a-zA-Z]*)", str(value)).groups()
    scale = {"": 1, "n": fractions.Fraction(1, 10**9), "u": fractions.Fraction(1, 10**6),
             "m": fractions.Fraction(1, 1000)}
    scale |= {letter: 1000**power for power, letter in enumerate("kMGTPE", 1)}
    scale |= {f"{letter}i": 1024**power for power, letter in enumerate("KMGTPE", 1)}
    return fractions.Fraction(number) * scale[suffix]


def quantities(parent, name):
    return {key: quantity(value or "0") for key, value in (listed(parent, name) or {}).items()}


def matches(selector, labels):
    """Of an absent selector: no."""
    if selector is None or any(labels.get(key) != value for key, value in pairs(selector, "matchLabels")):
        return False
    for key, operator, values in requirements(selector, "matchExpressions"):
        holds = {"In": labels.get(key) in values, "NotIn": labels.get(key) not in values,
                 "Exists": key in labels, "DoesNotExist": key not in labels}
        if not holds[operator]:
            return False
    return True


# ---- the rules ---------------------------------------------------------------------------------

class Pod:
    """A copy of an object, seen as its pod or template. What is missing is made when it is written to."""

    def __init__(self, document, namespace):
        self.document = copy.deepcopy(document)
        self.is_template = document["kind"] != "Pod"
        self.place = TEMPLATES.get(document["kind"], ("spec", "template"))
        self.namespace = namespace

    def read(self, *path):
        at = self.document
        for name in self.place + path:
            at = (at or {}).get(name)
        return at

    def make(self, *path):
        at = self.document
        for name in self.place + path:
            if at.get(name) is None:
                at[name] = {}
            at = at[name]
        return at

    def map(self, *path):
        return {key: value or "" for key, value in (self.read(*path) or {}).items()}

    def append(self, path, items, same):
        for item in items:
            if same(item) in [same(one) for one in self.read(*path) or []]:
                continue
            into = self.make(*path[:-1])
            into[path[-1]] = [*(into.get(path[-1]) or []), item]


def has_terms(kind):
    required = listed(kind, REQUIRED)
    if isinstance(required, dict):
        required = listed(required, "nodeSelectorTerms")
    return bool(required or listed(kind, PREFERRED))


def value_holds(operator, values, value):
    """Of a label's value, or None where the label is missing."""
    if operator in ("Gt", "Lt"):
        try:
            number, bound = int(value), int(values[0])
        except (TypeError, ValueError):
            return False
        return number > bound if operator == "Gt" else number < bound
    if bool(values) != (operator in ("In", "NotIn")):
        return False  # what the API server refuses matches no node
    return {"In": value in values, "NotIn": value not in values, "Exists": value is not None,
            "DoesNotExist": value is None}.get(operator, False)


LABEL_KEY = re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII)


def can_be_met(terms, selector):
    """Whether a node with the labels that `selector` asks for can meet all of the terms: keys do not depend on each
    other, and of one only values that are listed, one more, the neighbours of bounds and none matter."""
    asked = [("label", key, "In", (value,)) for key, value in selector.items()]
    for term in terms:
        if not any(node_term(term)):
            return False
        if not all(LABEL_KEY.fullmatch(key) for key, _, _ in node_term(term)[0]):
            return False
        for place, part in zip(("label", "field"), node_term(term)):
            asked += [(place, *one) for one in part]
    for place, key in {one[:2] for one in asked}:
        about = [(operator, values) for at, name, operator, values in asked if (at, name) == (place, key)]
        listed_values = {value for _, values in about for value in values}
        tried = listed_values | {"something-else"} | {
            str(int(value) + step) for value in listed_values if re.fullmatch(r"[-+]?\d+", value) for step in (-1, 1)}
        if not any(all(value_holds(*one, value) for one in about)
                   for value in ({None} if place == "label" else set()) | tried):
            return False
    return True


def product(mine, wanted, selector):
    """The terms of a pod with those of a policy: what no node can meet is left out, where the pod can be met."""
    wanted = [term for term in wanted if any(node_term(term))]
    if not mine:
        return [term for term in wanted if can_be_met([term], selector)]
    if not wanted:
        return mine
    result, left_out = [], False
    for own in mine:
        if not any(node_term(own)):
            continue
        held = [set(part) for part in node_term(own)]
        if any(all(set(part) <= had for part, had in zip(node_term(term), held)) for term in wanted):
            result.append(own)
            continue
        for term in wanted:
            if can_be_met([own], selector) and not can_be_met([term, own], selector):
                left_out = True
                continue
            both = {}
            for name in ("matchExpressions", "matchFields"):
                both[name] = list(listed(term, name))
                for one in listed(own, name):
                    if requirement(one) not in map(requirement, both[name]):
                        both[name].append(one)
            result.append(both)
    if left_out and not any(can_be_met([term], selector) for term in result):
        return mine
    return result or [{}]


def add_node_selector(pod, wanted):
    """In the order of keys, each unless it would leave no node that can meet the pod's required terms."""
    terms = listed(pod.read("spec", "affinity", "nodeAffinity", REQUIRED), "nodeSelectorTerms")
    for key, value in sorted(wanted.items()):
        has = pod.map("spec", "nodeSelector")
        if key in has:
            continue
        if terms and any(can_be_met([term], has) for term in terms) and not any(
                can_be_met([term], {**has, key: value}) for term in terms):
            continue
        pod.make("spec", "nodeSelector")[key] = value


def selects(policy, pod, configuration):
    if policy["kind"] == "PodSchedulingPolicy":
        here = policy["metadata"]["namespace"] == pod.namespace
    else:
        here = matches(policy["spec"].get("namespaceSelector"), configuration.namespaces[pod.namespace])
    return here and matches(policy["spec"].get("podSelector"), pod.map("metadata", "labels"))


def inject(pod, configuration, open_scheduler=True):
    def order(policy):
        return policy["metadata"]["name"].encode(), policy["kind"] == "PodSchedulingPolicy"

    # What a class adds to pods counts as there in a template.
    later = (class_of(pod, configuration) or {}).get("scheduling", {}).get("nodeSelector", {}) if pod.is_template else {}
    added = {key: value for key, value in later.items() if key not in pod.map("spec", "nodeSelector")}
    had = pod.read("spec", "nodeSelector")
    if added:
        pod.make("spec", "nodeSelector").update(added)
    for policy in sorted(configuration.of("ClusterPodSchedulingPolicy", "PodSchedulingPolicy"), key=order):
        spec = policy["spec"]
        if not selects(policy, pod, configuration):
            continue
        for name in ("nodeName", "schedulerName"):
            unspecified = ("", "default-scheduler") if name == "schedulerName" and open_scheduler else ("",)
            if spec.get(name) and text(pod.read("spec"), name) in unspecified:
                pod.make("spec")[name] = spec[name]
        open_scheduler &= not spec.get("schedulerName")
        add_node_selector(pod, spec.get("nodeSelector", {}))
        pod.append(("spec", "tolerations"), spec.get("tolerations", []), toleration)
        for kind in AFFINITIES:
            inject_affinity(pod, kind, spec.get("affinity", {}).get(kind))
    for key in added:
        del pod.make("spec", "nodeSelector")[key]
    if added and had is None and not pod.map("spec", "nodeSelector"):
        pod.make("spec").pop("nodeSelector")
    return True


OPPOSITE = {"podAffinity": "podAntiAffinity", "podAntiAffinity": "podAffinity"}


def selected_pods(item, namespace):
    """Which pods a term of pod affinity is about, and in which domains; none: no pods."""
    def selector(one):
        return None if one is None else frozenset(
            [(key, "In", frozenset([value])) for key, value in pairs(one, "matchLabels")] +
            [(key, operator, frozenset(values)) for key, operator, values in requirements(one, "matchExpressions")])
    if (item or {}).get("labelSelector") is None:
        return None
    namespaces = frozenset(texts(item, "namespaces"))
    if not namespaces and item.get("namespaceSelector") is None:
        namespaces = frozenset([namespace])
    return (text(item, "topologyKey"), selector(item["labelSelector"]), namespaces, selector(item.get("namespaceSelector")),
            frozenset(texts(item, "matchLabelKeys")), frozenset(texts(item, "mismatchLabelKeys")))


def without_contradictions(pod, kind, terms):
    """The required terms without those that the pod's required terms of the opposite kind contradict."""
    there = {selected_pods(item, pod.namespace)
             for item in listed(pod.read("spec", "affinity", OPPOSITE[kind]), REQUIRED)} - {None}
    return [item for item in terms if selected_pods(item, pod.namespace) not in there]


def inject_affinity(pod, kind, wanted):
    at = ("spec", "affinity", kind)
    if not has_terms(wanted):
        return
    if kind != "nodeAffinity" and listed(wanted, REQUIRED):
        kept = without_contradictions(pod, kind, listed(wanted, REQUIRED))
        wanted = {mode: terms for mode, terms in (wanted | {REQUIRED: kept}).items() if terms}
        if not has_terms(wanted):
            return
    is_new = pod.read(*at) is None
    if is_new and kind != "nodeAffinity":
        # A copy: defaults may be added to it.
        pod.make("spec", "affinity")[kind] = copy.deepcopy(wanted)
        return
    # A copied list stays as it is, with what it lists twice.
    if is_new:
        if PREFERRED in wanted:
            pod.make(*at)[PREFERRED] = wanted[PREFERRED]
    else:
        pod.append((*at, PREFERRED), listed(wanted, PREFERRED), preferred_term)
    if kind != "nodeAffinity":
        pod.append((*at, REQUIRED), listed(wanted, REQUIRED), pod_term)
        return
    terms = listed(listed(wanted, REQUIRED), "nodeSelectorTerms")
    if terms:
        mine = listed(pod.read(*at, REQUIRED), "nodeSelectorTerms")
        merged = product(mine, terms, pod.map("spec", "nodeSelector"))
        if list(map(node_term, mine)) != list(map(node_term, merged)):
            pod.make(*at, REQUIRED)["nodeSelectorTerms"] = merged


def covers(a, b):
    """Tolerations as `toleration` makes them: 4.0."""
    (key, operator, value, effect, seconds), (other_key, other_operator, other_value, other_effect, other) = a, b
    if effect == "NoExecute" and seconds is not None and (other is None or other > seconds):
        return False
    return a == b or ((key == other_key or (not key and operator == "Exists")) and effect in ("", other_effect)
                      and (operator == "Exists" or (operator, value) == (other_operator, other_value)))


def merged_tolerations(first, second):
    """4.0: without those that another one covers."""
    union, merged = first + second, []
    for index, item in enumerate(union):
        this, later = toleration(item), map(toleration, union[index + 1:])
        if not any(covers(toleration(kept), this) for kept in merged) and \
                not any(other != this and covers(other, this) for other in later):
            merged.append(item)
    return merged


def class_of(pod, configuration):
    name = text(pod.read("spec"), "runtimeClassName")
    return next((c for c in configuration.of("RuntimeClass") if c["metadata"]["name"] == name), None) if name else {}


def take_over_class(pod, configuration):
    from_class = class_of(pod, configuration)
    if from_class is None:
        return False
    overhead, given = quantities(pod.read("spec"), "overhead"), from_class.get("overhead", {})
    if overhead and overhead != quantities(given, "podFixed"):
        return False
    scheduling = from_class.get("scheduling", {})
    selector = pod.map("spec", "nodeSelector")
    if any(selector.get(key, value) != value for key, value in scheduling.get("nodeSelector", {}).items()):
        return False
    if pod.is_template:
        return True
    if not overhead and given.get("podFixed"):
        pod.make("spec")["overhead"] = given["podFixed"]
    for key, value in scheduling.get("nodeSelector", {}).items():
        if key not in selector:
            pod.make("spec", "nodeSelector")[key] = value
    if not scheduling:
        return True
    before = pod.read("spec", "tolerations") or []
    merged = merged_tolerations(before, scheduling.get("tolerations", []))
    if list(map(toleration, before)) != list(map(toleration, merged)):
        pod.make("spec")["tolerations"] = merged
    return True


def is_pod_level(resource):
    return resource in ("cpu", "memory") or resource.startswith("hugepages-")


def sum_of_containers(spec, asked):
    """Of all containers together, or of an init container and the sidecars before it, if that is more."""
    total, beside, most = {}, {}, {}
    for container in listed(spec, "containers"):
        for resource, amount in asked(container).items():
            total[resource] = total.get(resource, 0) + amount
    for container in listed(spec, "initContainers"):
        for resource, amount in asked(container).items():
            if (container or {}).get("restartPolicy") == "Always":
                total[resource] = total.get(resource, 0) + amount
                beside[resource] = beside.get(resource, 0) + amount
            else:
                most[resource] = max(most.get(resource, amount), amount + beside.get(resource, 0))
    return {resource: max(amounts) for resource in {*total, *most}
            if (amounts := [some[resource] for some in (total, most) if resource in some])}


def of_container(container, which):
    return quantities((container or {}).get("resources"), which)


def requests_of_container(container):
    return {**of_container(container, "limits"), **of_container(container, "requests")}


def defaulted_pod_level(spec):
    """Requests and limits of the pod as a whole, as the API server completes them; None where it says nothing."""
    requests, limits = (quantities(spec.get("resources"), which) for which in ("requests", "limits"))
    if not requests and not limits:
        return None
    every = sum_of_containers(spec, requests_of_container)
    for resource, amount in limits.items():
        if is_pod_level(resource) and (resource not in every or resource.startswith("hugepages-")):
            every[resource] = amount
    every |= {resource: amount for resource, amount in requests.items() if is_pod_level(resource)}
    containers = [one for name in ("containers", "initContainers") for one in listed(spec, name)]
    for resource, amount in sum_of_containers(spec, lambda one: of_container(one, "limits")).items():
        if is_pod_level(resource) and resource in every and resource not in limits and \
                all(resource in of_container(one, "limits") for one in containers):
            limits[resource] = max(amount, every[resource])
    return every, limits


def qos_of(requests, limits):
    """Of one container, or of the pod as a whole; a limit is the request where there is none."""
    classes = set()
    for resource in ("cpu", "memory"):
        limit = limits.get(resource, 0)
        same = requests.get(resource, limit) == limit
        classes.add("Burstable" if not same else "Guaranteed" if limit else "BestEffort")
    return classes.pop() if len(classes) == 1 else "Burstable"


def qos(pod):
    spec = pod.read("spec") or {}
    whole = defaulted_pod_level(spec)
    if whole and any(map(is_pod_level, [*whole[0], *whole[1]])):
        return qos_of(*whole)
    classes = {qos_of(of_container(one, "requests"), of_container(one, "limits"))
               for name in ("containers", "initContainers") for one in listed(spec, name)}
    return "BestEffort" if not classes else classes.pop() if len(classes) == 1 else "Burstable"


def written(labels, annotations, namespace, configuration):
    """What rules write into metadata; None where one of them rejects it."""
    seen = {"labelSelector": labels, "annotationSelector": annotations}
    writes = {"labels": {}, "annotations": {}}
    for policy in sorted(configuration.of("MetadataPolicy"), key=lambda p: p["metadata"]["name"].encode()):
        for rule in policy["spec"]["rules"] if policy["metadata"]["namespace"] == namespace else []:
            if not all(matches(selector, seen[name]) for name, selector in rule.get("policyPredicate", {}).items()):
                continue
            if rule["policyAction"].get("reject"):
                return None
            writes["labels"] |= rule["policyAction"].get("updatedLabels", {})
            writes["annotations"] |= rule["policyAction"].get("updatedAnnotations", {})
    return writes


def write_own_metadata(document, namespace, configuration):
    """The metadata of a workload, apart from its template."""
    def own(name):
        return {key: value or "" for key, value in ((document.get("metadata") or {}).get(name) or {}).items()}

    writes = written(own("labels"), own("annotations"), namespace, configuration)
    for name, values in (writes or {}).items():
        for key, value in values.items():
            if own(name).get(key) != value:
                if document.get("metadata") is None:
                    document["metadata"] = {}
                if document["metadata"].get(name) is None:
                    document["metadata"][name] = {}
                document["metadata"][name][key] = value
    return writes is not None


def uses_qos(rule):
    """Whether the pods of its namespace have to say their quality of service."""
    selector, action = rule.get("policyPredicate", {}).get("annotationSelector", {}), rule["policyAction"]
    return QOS in selector.get("matchLabels", {}) or QOS in [one["key"] for one in selector.get("matchExpressions", [])] or \
        (not action.get("reject") and SCHEDULER in action.get("updatedAnnotations", {}))


def choose_scheduler(pod, configuration):
    says = {QOS: qos(pod)} if any(uses_qos(rule) for policy in configuration.of("MetadataPolicy") for rule in policy["spec"]["rules"]
                                  if policy["metadata"]["namespace"] == pod.namespace) else {}
    writes = written(pod.map("metadata", "labels"), pod.map("metadata", "annotations") | says, pod.namespace, configuration)
    if writes is None:
        return False
    writes["annotations"] = says | writes["annotations"]
    for name, values in writes.items():
        for key, value in values.items():
            if pod.map("metadata", name).get(key) != value:
                pod.make("metadata", name)[key] = value
    chosen = pod.map("metadata", "annotations").get(SCHEDULER)
    if chosen and text(pod.read("spec"), "schedulerName") != chosen:
        pod.make("spec")["schedulerName"] = chosen
    return True


def has_unknown_operator(spec):
    """Which no policy permits, not even one that allows all."""
    node = listed(listed(spec, "affinity"), "nodeAffinity")
    terms = list(listed(listed(node, REQUIRED), "nodeSelectorTerms"))
    terms += [(one or {}).get("preference") for one in listed(node, PREFERRED)]
    operators = {operator for term in terms for part in node_term(term) for _, operator, _ in part}
    return not operators <= {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}


def without_what_no_node_meets(terms, own, selector):
    """What of a default's required node terms a node can meet together with one of the pod's and its node selector."""
    any_own = [one for one in own if can_be_met([one], selector)]

    def can_be(term):
        return any(can_be_met([one, term], selector) for one in any_own) if any_own else bool(own) or can_be_met([term], selector)
    kept = []
    for term in terms:
        if not can_be(term):
            term = {name: part for name in ("matchExpressions", "matchFields")
                    if (part := [one for one in listed(term, name) if can_be({name: [one]})])}
            if not term or not can_be(term):
                continue
        kept.append(term)
    return kept


def give_affinity(pod, defaults, added, selector):
    """Mode by mode of each kind, to what the policies of the cluster have `added` and nothing else."""
    def is_added(kind, mode, items, same):
        known = [same(item) for affinity in added for item in listed(affinity.get(kind), mode)]
        return all(same(item) in known for item in items)
    known = {part for affinity in added for term in listed(listed(affinity.get("nodeAffinity"), REQUIRED), "nodeSelectorTerms")
             for part in enumerate_parts(term)}
    for kind, wanted in defaults.items():
        for mode, terms in wanted.items():
            at = ("spec", "affinity", kind, mode)
            if kind != "nodeAffinity" or mode != REQUIRED:
                same = pod_term if mode == REQUIRED else preferred_term
                if not is_added(kind, mode, listed(pod.read(*at[:-1]), mode), same):
                    continue
                if kind != "nodeAffinity" and mode == REQUIRED:
                    terms = without_contradictions(pod, kind, terms)
                pod.append(at, terms, same)
                continue
            mine = listed(pod.read(*at), "nodeSelectorTerms")
            if not all(any(node_term(term)) and set(enumerate_parts(term)) <= known for term in mine):
                continue
            given = without_what_no_node_meets(terms["nodeSelectorTerms"], mine, selector)
            merged = product(mine, given, selector)
            if list(map(node_term, mine)) != list(map(node_term, merged)):
                pod.make(*at)["nodeSelectorTerms"] = merged


def enumerate_parts(term):
    return [(place, one) for place, part in enumerate(node_term(term)) for one in part]


def give_defaults(pod, configuration):
    defaults = configuration.of("SchedulingPolicy")[0]["spec"]["default"]
    spec = pod.read("spec") or {}
    if has_unknown_operator(spec):
        return False
    if text(spec, "schedulerName") in ("", "default-scheduler"):
        pod.make("spec")["schedulerName"] = defaults["schedulerName"]
    if not text(spec, "priorityClassName"):
        made = pod.make("spec")
        made["priorityClassName"] = defaults["priorityClassName"]
        # Empty and null are not there to be removed.
        if made.get("priority") is not None:
            del made["priority"]
        if made.get("preemptionPolicy"):
            del made["preemptionPolicy"]
    from_class = (class_of(pod, configuration) or {}).get("scheduling", {})
    # What a class adds to pods counts as there in a template.
    later = from_class if pod.is_template else {}
    later_selector = later.get("nodeSelector", {})
    add_node_selector(pod, {key: value for key, value in defaults["nodeSelector"].items() if key not in later_selector})
    exempt = [(f"node.kubernetes.io/{key}", "Exists", "", "NoExecute", 300) for key in ("not-ready", "unreachable")]
    exempt += map(toleration, from_class.get("tolerations", []))
    added = []
    for policy in configuration.of("ClusterPodSchedulingPolicy") if "PodSchedulingPolicy" in configuration.systems else ():
        if selects(policy, pod, configuration):
            exempt += map(toleration, policy["spec"].get("tolerations", []))
            added.append(policy["spec"].get("affinity", {}))
    own = listed(spec, "tolerations")
    if later:  # which drops from pods what it covers
        left = list(map(toleration, merged_tolerations(own, later.get("tolerations", []))))
        own = [item for item in own if toleration(item) in left]
    if all(toleration(item) in exempt for item in own):
        there = list(map(toleration, later.get("tolerations", [])))
        given = [item for item in defaults["tolerations"] if toleration(item) not in there]
        pod.append(("spec", "tolerations"), given, toleration)
    give_affinity(pod, defaults["affinity"], added, later_selector | pod.map("spec", "nodeSelector"))
    return True


SYSTEMS = {"RuntimeClass": take_over_class, "MetadataPolicy": choose_scheduler, "PodSchedulingPolicy": inject,
           "SchedulingPolicy": give_defaults}


class Configuration:
    def __init__(self, objects, systems):
        self.objects, self.systems = objects, systems
        self.namespaces = {one["metadata"]["name"]: one["metadata"]["labels"] for one in self.of("Namespace")}

    def of(self, *kinds):
        return [one for one in self.objects if one["kind"] in kinds]

    def json(self):
        settings = {"kind": "EngineConfiguration", "policyUse": "Every",
                    "systems": [{"system": system} for system in self.systems]}
        return json.dumps({"kind": "List", "items": [settings, *self.objects]})

    def expected(self, document, namespace):
        """The object with what all systems change; None where one of them denies it."""
        document = copy.deepcopy(document)
        if document["kind"] != "Pod" and "MetadataPolicy" in self.systems and not write_own_metadata(
                document, namespace, self):
            return None
        if is_controlled(document):
            return document
        pod = Pod(document, namespace)
        return copy.deepcopy(pod.document) if all(SYSTEMS[one](pod, self) for one in self.systems) else None


def is_controlled(document):
    """Whether another workload was decided on in place of this one: then its template passes unread."""
    owners = (document.get("metadata") or {}).get("ownerReferences") or ()
    return document["kind"] != "Pod" and any(
        owner.get("controller") and (document["kind"] == "ReplicaSet" or (
            owner["kind"] in GROUPS and owner["kind"] != "Pod" and
            owner["apiVersion"].rpartition("/")[0] == GROUPS[owner["kind"]])) for owner in owners)


# ---- the policies ------------------------------------------------------------------------------

def need(key, *values, operator="In"):
    return {"key": key, "operator": operator} | ({"values": list(values)} if values else {})


def required(*terms):
    return {REQUIRED: {"nodeSelectorTerms": list(terms)}}


def on_nodes(*expressions):
    return {"matchExpressions": list(expressions)}


def near(key, app):
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}


def weighted(weight, **term):
    return {"weight": weight} | term


def policies(namespaces):
    """Policies of every system, of which those that stand in a namespace stand in each."""
    gpu = {"key": "example.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    spot = {"key": "spot", "operator": "Equal", "value": "yes", "effect": "NoExecute", "tolerationSeconds": 0}
    ssd, zones = need("disk", "ssd"), need("topology.kubernetes.io/zone", "a", "b")
    node_1, node_2 = (need("metadata.name", f"node-{i}") for i in (1, 2))

    def cluster(name, in_namespaces, pods, **spec):
        return {"kind": "ClusterPodSchedulingPolicy", "metadata": {"name": name},
                "spec": {"namespaceSelector": in_namespaces, "podSelector": pods} | spec}

    yield from ({"kind": "Namespace", "metadata": {"name": name, "labels": labels}}
                for name, labels in namespaces.items())
    yield cluster("00-all", {}, {}, nodeSelector={"example.com/a.b": "1", "zone": "z", "empty": ""},
                  tolerations=[gpu, spot, gpu])
    yield cluster("10-team", {"matchLabels": {"team": "a"}}, {"matchLabels": {"tier": "backend"}},
                  schedulerName="team-scheduler", tolerations=[spot, {"key": "a/b", "value": "c"}],
                  affinity={"nodeAffinity": required(
                      on_nodes(ssd, zones), {}, {"matchFields": [node_1]}) | {
                          PREFERRED: [weighted(5, preference=on_nodes(ssd)), weighted(5, preference=on_nodes(ssd))]},
                            "podAffinity": {REQUIRED: [near("zone", "db")]}})
    yield cluster("20-elsewhere", {"matchLabels": {"team": "nobody"}}, {}, nodeName="elsewhere")
    yield cluster("30-nothing", None, None, nodeName="nowhere")
    for name in namespaces:
        metadata = {"namespace": name}
        yield {"kind": "PodSchedulingPolicy", "metadata": metadata | {"name": "10-team"}, "spec": {
            "podSelector": {"matchExpressions": [need("tier", "backend", "frontend")]},
            "schedulerName": "too-late", "nodeSelector": {"zone": "conflict", "example.com/c": "2"},
            "affinity": {"nodeAffinity": required(on_nodes(ssd), on_nodes(need("gpu", operator="Exists")) | {
                "matchFields": [node_2]}),
                         "podAntiAffinity": {REQUIRED: [near("host", "web")],
                                             PREFERRED: [weighted(9, podAffinityTerm=near("zone", "web"))]}}}}
        yield {"kind": "PodSchedulingPolicy", "metadata": metadata | {"name": "40-named"}, "spec": {
            "podSelector": {"matchExpressions": [need("named", operator="Exists")]}, "nodeName": "node-1",
            "affinity": {"nodeAffinity": {PREFERRED: [weighted(1, preference={"matchFields": [node_1]})]},
                         "podAffinity": {}}}}
        yield {"kind": "MetadataPolicy", "metadata": metadata | {"name": "a"}, "spec": {"rules": [
            {"policyPredicate": {"labelSelector": {"matchLabels": {"tier": "backend"}}},
             "policyAction": {"updatedLabels": {"example.com/written.by": "a", "empty": ""}}},
            {"policyPredicate": {"annotationSelector": {"matchExpressions": [need(QOS, "BestEffort")]}},
             "policyAction": {"updatedAnnotations": {SCHEDULER: "best-effort", "a.b/c": 'x "y" \\ \u00e9\n'}}},
            {"policyPredicate": {"labelSelector": {"matchLabels": {"forbidden": "yes"}}},
             "policyAction": {"reject": True}}]}}
        yield {"kind": "MetadataPolicy", "metadata": metadata | {"name": "b"}, "spec": {"rules": [
            {"policyPredicate": {"labelSelector": {"matchExpressions": [need("tier", operator="DoesNotExist")]}},
             "policyAction": {"updatedLabels": {"example.com/written.by": "b"}, "updatedAnnotations": {"0": "1"}}}]}}
    yield {"kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "kata",
           "overhead": {"podFixed": {"cpu": "250m", "memory": "64Mi", "example.com/x": "1"}},
           "scheduling": {"nodeSelector": {"example.com/runtime": "kata", "disk": "ssd"},
                          "tolerations": [{"key": "kata", "operator": "Exists"}, spot]}}
    yield {"kind": "RuntimeClass", "metadata": {"name": "plain"}, "handler": "plain"}
    yield {"kind": "SchedulingPolicy", "metadata": {"name": "default"}, "spec": {
        "allowed": {"schedulerNames": [], "priorityClassNames": [], "nodeSelectors": {}, "tolerations": [],
                    "affinities": {}},
        "default": {"schedulerName": "given", "priorityClassName": "low",
                    "nodeSelector": {"kubernetes.io/arch": "amd64", "zone": "default"},
                    "tolerations": [gpu, {"key": "kata", "operator": "Exists"}],
                    "affinity": {"nodeAffinity": required(on_nodes(ssd), on_nodes(zones)),
                                 "podAffinity": {PREFERRED: [weighted(3, podAffinityTerm=near("zone", "db"))]},
                                 "podAntiAffinity": {REQUIRED: [near("host", "web")]}}}}}


# ---- objects -----------------------------------------------------------------------------------

ODD_KEYS = ["a/b~c", "~0", "~1", "~", "/", "a.b/c.d", "", "0", "-", "01", '"', "\\", "\\u0041", "e\u0301/\u00fc",
            "\U0001f600", "\n\t", "\u0000", "example.com/a.b", "example.com~1a.b", "a b", "spec"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.unknown = 0

    def object(self, **fields):
        """Fields that are there, null, empty or absent; unknown ones among them; in any order."""
        made = {}
        for name, value in fields.items():
            chance = self.random.random()
            if chance < 0.66:
                made[name] = value
            elif chance < 0.73:
                made[name] = None
            elif chance < 0.82 and isinstance(value, (dict, list, str)):
                made[name] = type(value)()
        if self.random.random() < 0.3:
            self.unknown += 1
            made[self.random.choice(["x-unknown", "x/~1", "Key", "x-\u00e9"])] = {
                self.random.choice(ODD_KEYS): self.unknown}
        names = list(made)
        self.random.shuffle(names)
        return {name: made[name] for name in names}

    def list(self, make, most=3):
        items = [make() for _ in range(self.random.randint(0, most))]
        if items and self.random.random() < 0.2:
            items.insert(self.random.randint(0, len(items)), copy.deepcopy(self.random.choice(items)))
        if self.random.random() < 0.04:
            items.insert(self.random.randint(0, len(items)), None)
        return items

    def some(self, *words):
        return self.random.choice(words)

    def map(self, **usual):
        made = {key: self.some("", "1", "\\\"/~", None, "\u00fc") for key in self.random.sample(ODD_KEYS, 3)
                if self.random.random() < 0.4}
        for key, values in usual.items():
            if self.random.random() < 0.6:
                made[key.replace("__", "/").replace("_", ".")] = self.some(*values)
        items = list(made.items())
        self.random.shuffle(items)
        return dict(items)

    def toleration(self):
        if self.random.random() < 0.2:
            return self.object(key="node.kubernetes.io/not-ready", operator="Exists", effect="NoExecute",
                               tolerationSeconds=300)
        return self.object(key=self.some("example.com/gpu", "spot", "kata", "a/b", "~"),
                           operator=self.some("Exists", "Equal", ""), value=self.some("", "yes", "c"),
                           effect=self.some("NoSchedule", "NoExecute", ""), tolerationSeconds=self.some(0, 300))

    def requirement(self):
        key = self.some("disk", "topology.kubernetes.io/zone", "gpu", *ODD_KEYS[:4])
        operator = self.some("In", "Exists")
        values = [] if operator == "Exists" else self.some(["ssd"], ["a", "b"], ["hdd"])
        made = {"key": key, "operator": operator} | ({"values": values} if values else {})
        return made if self.random.random() < 0.5 else self.object(**made)

    def name_requirement(self):
        return self.object(key="metadata.name", operator="In", values=[self.some("node-1", "node-2", "node-3")])

    def term(self):
        return self.object(matchExpressions=self.list(self.requirement, 2),
                           matchFields=self.list(self.name_requirement, 1))

    def selector(self):
        return self.object(matchLabels=self.map(app=["db", "web"]), matchExpressions=self.list(self.requirement, 1))

    def pod_term(self):
        if self.random.random() < 0.4:
            return near(self.some("host", "zone"), self.some("db", "web")) | self.object()
        return self.object(topologyKey=self.some("host", "zone"), labelSelector=self.selector(),
                           namespaceSelector=self.selector(), namespaces=["a"], matchLabelKeys=["k"])

    def preference(self):
        return self.object(preference=self.term(), weight=self.some(1, 5)) if self.random.random() < 0.7 else \
            weighted(5, preference=on_nodes(need("disk", "ssd"))) | self.object()

    def weighted(self):
        return self.object(podAffinityTerm=self.pod_term(), weight=self.some(3, 9))

    def pods(self):
        return self.object(**{REQUIRED: self.list(self.pod_term, 2), PREFERRED: self.list(self.weighted, 2)})

    def affinity(self):
        node = self.object(**{REQUIRED: self.object(nodeSelectorTerms=self.list(self.term)),
                              PREFERRED: self.list(self.preference, 2)})
        return self.object(nodeAffinity=node, podAffinity=self.pods(), podAntiAffinity=self.pods())

    def container(self):
        cpu, memory = {"cpu": self.some("1", "1000m", "500m")}, {"memory": self.some("1Gi", "1024Mi")}
        return self.object(name="c", resources=self.object(
            requests=self.some(cpu, memory, cpu | memory), limits=self.some(cpu | memory, cpu | {"x~/y": "1"})))

    def pod(self, document, namespace):
        metadata = {"name": "pod", "namespace": namespace,
                    "labels": self.map(tier=["backend", "frontend"], app=["web"], named=["", "~"],
                                       example_com__written_by=["a", "b", ""], empty=["", "x"]),
                    "annotations": self.map(scheduler_alpha_kubernetes_io__name=["mine", ""], a_b__c=["", "z"],
                                            scheduler_alpha_kubernetes_io__qos=["Burstable", "~"])}
        if self.random.random() < 0.03:
            metadata["labels"]["forbidden"] = "yes"
        spec = {"schedulerName": self.some("default-scheduler", "mine"), "nodeName": "",
                "priorityClassName": self.some("low", "high", ""), "priority": self.some(0, 7),
                "preemptionPolicy": "Never", "tolerations": self.list(self.toleration), "affinity": self.affinity(),
                "nodeSelector": self.map(zone=["z", "other"], disk=["ssd", "ssd", "ssd", "hdd"],
                                         example_com__c=["2", "3"]),
                "runtimeClassName": self.some("", "kata", "kata", "kata", "kata", "plain", "missing"),
                "containers": self.list(self.container, 2), "initContainers": self.list(self.container, 1)}
        if self.random.random() < 0.1:
            spec["nodeName"] = "mine"
        if self.random.random() < 0.1:
            spec["resources"] = self.container().get("resources")
        if spec["runtimeClassName"] == "kata" and self.random.random() < 0.2:
            spec["overhead"] = self.some({"cpu": "0.25", "memory": "65536Ki", "example.com/x": 1}, {"cpu": "1"})
        document |= self.object(metadata=self.object(**metadata), spec=self.object(**spec))
        return document

    def document(self):
        """An object of any kind, and its namespace. Template and workload are parted by what may be missing."""
        kind, namespace = self.some(*GROUPS, "Pod", "Pod", "Pod"), self.some("a", "a", "b")
        place = TEMPLATES.get(kind, ("spec", "template"))
        made = self.pod({}, namespace)
        for name in reversed(place):
            made = self.object(**{name: made}) | {"x-beside": self.random.random()}
        if place:
            made |= self.object(metadata=self.object(name="workload", namespace=namespace, labels=self.map()))
        head = {"kind": kind, "apiVersion": f"{GROUPS[kind]}/v1".lstrip("/")}
        return (head | made if self.random.random() < 0.5 else made | head), namespace


# ---- what a patch has to be --------------------------------------------------------------------

ITEM = r"/(\d+|-)"
REQUIREMENT = f"/(key|operator|values({ITEM})?)"
SELECTOR_TERMS = f"/nodeSelectorTerms({ITEM}(/match(Expressions|Fields)({ITEM}({REQUIREMENT})?)?)?)?"
AFFINITY_PATH = (f"/nodeAffinity(/{REQUIRED}({SELECTOR_TERMS})?|/{PREFERRED}({ITEM})?)?|"
                 f"/pod(Anti)?Affinity(/({REQUIRED}|{PREFERRED})({ITEM})?)?")
PATH = re.compile(
    r"/metadata(/(labels|annotations)(/[^/]*)?)?|/spec(/(schedulerName|nodeName|priorityClassName|priority|"
    f"preemptionPolicy|overhead|nodeSelector(/[^/]*)?|tolerations({ITEM}(/(key|operator|value|effect|"
    f"tolerationSeconds))?)?|affinity({AFFINITY_PATH})?))?")


def same(left, right):
    """Equal as JSON: 1 is neither true nor 1.0."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


TOLERATION = ("key", "operator", "value", "effect", "tolerationSeconds")


def unknown_fields(item, *known):
    return {json.dumps([name, value]) for name, value in (item or {}).items() if name not in known}


def unknown_in_terms(terms):
    """What has unknown fields in a list of node selector terms: the field, and what of the term has to be with it."""
    for term in terms:
        names = ("matchExpressions", "matchFields")
        for field in unknown_fields(term, *names):
            yield field, tuple(map(frozenset, node_term(term)))
        for name in names:
            for one in listed(term, name):
                for field in unknown_fields(one, "key", "operator", "values"):
                    yield field, (name, requirement(one))


def term_problems(before, wanted, found):
    """A term that is multiplied keeps its unknown fields, and those of its expressions, in one of the resulting terms.
    Which term has them is only looked at where the pod has one: of several that share a key with each other or the
    policy, one may get another's."""
    if list(map(node_term, wanted)) != list(map(node_term, found)):
        yield f"terms {found}, not {wanted}"
        return
    if list(map(node_term, before)) == list(map(node_term, wanted)) and not same(before, found):
        yield f"terms that need nothing became {found}"
    had, kept = list(unknown_in_terms(before)), list(unknown_in_terms(found))
    for field, _ in kept:
        if field not in [one for one, _ in had]:
            yield f"the unknown field {field} came from nowhere"
    if len(before) != 1 or not any(node_term(before[0])):
        return
    for field, holder in had:
        holders = [other for one, other in kept if one == field]
        if not holders or len(holders) > sum(one == field for one, _ in had):
            yield f"the unknown field {field} is there {len(holders)} times: {found}"
        is_term = isinstance(holder[0], frozenset)
        for other in holders:
            if other != holder and not (is_term and all(a <= b for a, b in zip(holder, other))):
                yield f"the unknown field {field} went to something else: {found}"


def take_terms(pod):
    selector = pod.read("spec", "affinity", "nodeAffinity", REQUIRED)
    return (selector.pop("nodeSelectorTerms", None) or []) if selector else []


def toleration_problems(before, wanted, found):
    """One that stays is as it was, one of a policy as it is there. Where some of the pod's are dropped, which only a
    RuntimeClass does, those of one key may have been changed into one another, and then keep each other's unknown
    fields."""
    if list(map(toleration, wanted)) != list(map(toleration, found)):
        yield f"tolerations {found}, not {wanted}"
        return
    drops = sum(any(same(item, one) for one in before) for item in wanted) < len(before)
    for item, made in zip(wanted, found):
        if same(item, made):
            continue
        had = [set()] + [unknown_fields(one, *TOLERATION) for one in before if text(one, "key") == text(item, "key")]
        if not drops or unknown_fields(made, *TOLERATION) not in had:
            yield f"toleration {made}, not {item}"


def take_tolerations(pod):
    return (pod.read("spec") or {}).pop("tolerations", None) or []


def object_problems(before, wanted, found):
    """Whether an object became what it has to be, with every unknown field."""
    before, wanted, found = (Pod(one, "") for one in (before, wanted, found))
    yield from term_problems(*map(take_terms, (before, wanted, found)))
    yield from toleration_problems(*map(take_tolerations, (before, wanted, found)))
    if not same(wanted.document, found.document):
        yield f"became {json.dumps(found.document)}, not {json.dumps(wanted.document)}"


def operation_problems(document, patch):
    """Where an operation points, and what it finds there."""
    place = TEMPLATES.get(document["kind"], ("spec", "template"))
    parents = {"/" + "/".join(place[:i]) for i in range(1, len(place) + 1)}
    prefix = "".join(f"/{name}" for name in place)
    at = copy.deepcopy(document)
    for operation in patch:
        path, kind = operation["path"], operation["op"]
        known = path.startswith(prefix) and PATH.fullmatch(path[len(prefix):])
        # A workload's own metadata.
        known = known or re.fullmatch(r"/metadata(/(labels|annotations)(/[^/]+)?)?", path)
        if not known and not (path in parents and kind == "add" and operation["value"] == {}):
            yield f"{kind} {path} is about nothing that is scheduled by"
        target = None
        if not path.endswith("/-"):
            parent, last = jsonpointer.JsonPointer(path).to_last(at)
            target = parent.get(last) if isinstance(parent, dict) else None
        if kind == "add" and target not in (None, "", [], {}):
            yield f"add {path} over {target}"
        at = jsonpatch.apply_patch(at, copy.deepcopy([operation]), in_place=True)


def applied(document, patch):
    # The values become parts of the result, which later operations change.
    return jsonpatch.apply_patch(document, copy.deepcopy(patch))


def superfluous(document, patch, wanted):
    for index, operation in enumerate(patch):
        try:
            if same(applied(document, patch[:index] + patch[index + 1:]), wanted):
                yield f"{operation} can be left out"
        except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException):
            pass


class Failures:
    """Problems by what was looked at; the first few of each with their smallest input."""

    def __init__(self):
        self.found = {}

    def note(self, check, document, problems):
        for problem in problems:
            self.found.setdefault(check, []).append((len(json.dumps(document)), problem, json.dumps(document)))
            break

    def report(self):
        for check, problems in self.found.items():
            for _, problem, document in sorted(problems)[:SHOWN]:
                print(f"{check}: {problem}\n    of {document}")
            print(f"{check}: {len(problems)} failed")
        return bool(self.found)


def run(program, arguments, lines):
    done = subprocess.run([program, *arguments], input="".join(line + "\n" for line in lines).encode(),
                          capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{program}: exit status {done.returncode}: {done.stderr.decode()}")
    answers = done.stdout.decode().split("\n")
    if len(answers) != len(lines) + 1:
        sys.exit(f"{program}: {len(answers)} answers to {len(lines)} lines")
    return answers


def review_of(document, namespace, text_of=None):
    """The line that asks about an object, the text of which stays as it is."""
    head = {"uid": "u", "kind": {"group": GROUPS[document["kind"]], "version": "v1", "kind": document["kind"]},
            "operation": "CREATE", "namespace": namespace}
    return ('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":'
            + json.dumps(head)[:-1] + ',"object":' + (text_of or json.dumps(document)) + "}}")


def patch_of(answer):
    """The patch of a response, [] without one; None where it is denied."""
    response = json.loads(answer)["response"]
    if not response["allowed"]:
        assert response["status"]["code"] == 403, f"taken for malformed: {answer}"
        return None
    assert ("patch" in response) == (response.get("patchType") == "JSONPatch")
    patch = json.loads(base64.b64decode(response.get("patch", "W10="), validate=True))
    assert patch or "patch" not in response, "an empty patch was answered"
    return patch


def is_reordered(configuration):
    """A RuntimeClass drops what the pod's own tolerations cover, an injection appends it again: in another order."""
    return {"RuntimeClass", "PodSchedulingPolicy"} <= set(configuration.systems)


def sorted_tolerations(document):
    pod = Pod(document, "")
    if (pod.read("spec") or {}).get("tolerations"):
        pod.make("spec")["tolerations"].sort(key=lambda item: json.dumps(item, sort_keys=True))
    return pod.document


class Reviewer:
    def __init__(self, program, scratch, failures):
        self.program, self.scratch, self.failures = program, pathlib.Path(scratch), failures

    def check(self, name, configuration, reviews, sampled=1):
        """Reviews the objects (document, namespace, text or None), then what became of them. Returns how many were
        changed."""
        path = self.scratch / f"{name.replace(' ', '-')}.json"
        path.write_text(configuration.json(), encoding="utf-8")
        answers = run(self.program, [path], [review_of(*one) for one in reviews])
        again = []
        for number, ((document, namespace, _), answer) in enumerate(zip(reviews, answers)):
            wanted, patch = configuration.expected(document, namespace), patch_of(answer)
            if (wanted is None) != (patch is None):
                self.failures.note(f"{name}: allowed or denied", document, [answer])
            if wanted is None or patch is None:
                continue
            try:
                self.failures.note(f"{name}: operations", document, operation_problems(document, patch))
                found = applied(document, patch)
            except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException) as problem:
                self.failures.note(f"{name}: does not apply", document, [f"{problem!r} {patch}"])
                continue
            self.failures.note(f"{name}: object", document, object_problems(document, wanted, found))
            if number % sampled == 0:
                self.failures.note(f"{name}: minimal", document, superfluous(document, patch, found))
            if patch:
                again.append((found, namespace))
        answers = run(self.program, [path], [review_of(*one) for one in again])
        for (found, _), answer in zip(again, answers):
            patch = patch_of(answer)
            if patch and is_reordered(configuration):
                patch = [] if same(*(sorted_tolerations(one) for one in (found, applied(found, patch)))) else patch
            if patch != []:
                self.failures.note(f"{name}: twice", found, [f"patched again: {patch}"])
        return len(again)


# ---- the text of a document --------------------------------------------------------------------

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[][{}:,]|[^][{}:,"\s]+)')


def spans(document):
    """Where the members of objects stand, key to end of value, by pointer; lists are values."""
    found, at = {}, 0

    def token():
        nonlocal at
        match = TOKEN.match(document, at)
        at = match.end()
        return match.group(1), match.start(1)

    def value(pointer):
        nonlocal at
        first, begin = token()
        if first == "{":
            while TOKEN.match(document, at).group(1) != "}":
                key, start = token()
                token()
                below = f"{pointer}/{jsonpointer.escape(json.loads(key))}"
                value(below)
                found[below] = (start, at)
                if TOKEN.match(document, at).group(1) == ",":
                    token()
            token()
        elif first == "[":
            while TOKEN.match(document, at).group(1) != "]":
                value(f"{pointer}/[]")
                if TOKEN.match(document, at).group(1) == ",":
                    token()
            token()
        return begin

    value("")
    return found


def without(document, pointers):
    """The text without these members and the comma before them, or after the first of an object."""
    where = spans(document)
    for begin, end in sorted((where[one] for one in pointers if one in where), reverse=True):
        before = document[:begin].rstrip()
        if before.endswith(","):
            document = before[:-1] + document[end:]
        else:
            after = document[end:].lstrip()
            document = document[:begin] + (after[1:] if after.startswith(",") else document[end:])
    return document


def text_problems(before, after, patch):
    """Whether the texts are the same but for the members that the patch names; of what lies in a list, the list."""
    named = {re.match(r"(.*?)(/(\d+|-)(/.*)?)?$", operation["path"], re.DOTALL).group(1) for operation in patch}
    outermost = {one for one in named if not any(one != other and one.startswith(other + "/") for other in named)}
    left, right = without(before, outermost), without(after, outermost)
    if left != right:
        index = next((i for i, pair in enumerate(zip(left, right)) if pair[0] != pair[1]), min(len(left), len(right)))
        around = slice(max(index - 30, 0), index + 30)
        yield f"other bytes: {left[around]!r} became {right[around]!r}"


# ---- checks ------------------------------------------------------------------------------------

def generated(reviewer, documents):
    namespaces = {"a": {"team": "a"}, "b": {"team": "b"}}
    objects = list(policies(namespaces))
    everything = list(SYSTEMS)
    reviews = [(document, namespace, None) for document, namespace in documents]
    for index, systems in enumerate([["PodSchedulingPolicy"], ["MetadataPolicy"], ["SchedulingPolicy"],
                                     ["RuntimeClass"], everything]):
        # Injection sees every object; the others share them, and RuntimeClass the pods.
        part = reviews if index == 0 else reviews[index % 3::3]
        if systems == ["RuntimeClass"]:
            part = [one for one in reviews if one[0]["kind"] == "Pod"]
        name = "all systems" if systems == everything else systems[0]
        changed = reviewer.check(name, Configuration(objects, systems), part, sampled=4)
        if changed < len(part) // 5:
            reviewer.failures.note(name, {}, [f"only {changed} of {len(part)} objects are changed"])


def odd_policies(evaluate, failures, documents):
    """Keys that a cluster refuses in metadata, at the door that takes them: in patches they need escapes."""
    written = {key: f"{key}!" for key in ODD_KEYS}
    policy = {"kind": "MetadataPolicy", "metadata": {"name": "p", "namespace": "a"}, "spec": {"rules": [
        {"policyPredicate": {}, "policyAction": {"updatedLabels": written, "updatedAnnotations": written}}]}}
    documents = [document | {"metadata": (document.get("metadata") or {}) | {"namespace": "a"}}
                 for document, namespace in documents if namespace == "a"][:200]
    lines = [json.dumps({"op": "metadataPolicy.admit", "input": {"object": document, "policies": [policy]}})
             for document in documents]
    for document, answer in zip(documents, run(evaluate, [], lines)):
        result = json.loads(answer).get("result")
        if result is None:
            failures.note("odd keys", document, [answer])
            continue
        wanted = copy.deepcopy(document)
        for field in ("labels", "annotations"):
            wanted["metadata"][field] = (wanted["metadata"].get(field) or {}) | written
        try:
            found = applied(document, result["patch"])
        except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException) as problem:
            failures.note("odd keys: does not apply", document, [repr(problem)])
            continue
        failures.note("odd keys: patch", document, object_problems(document, wanted, found))
        failures.note("odd keys: object", document, [] if same(found, result["object"]) else [answer])


def manifests(reviewer, evaluate, root):
    reviews = []
    for path in sorted((root / "tests" / "manifests").glob("*.json")):
        raw = path.read_bytes().decode().replace("\r", " ").replace("\n", " ")
        document = json.loads(raw)
        reviews.append((document, document["metadata"].get("namespace", "default"), raw))
    if len(reviews) < 30:
        reviewer.failures.note("manifests", {}, [f"only {len(reviews)} found"])
    # They have other labels than the generated ones: everything selects them.
    objects = list(policies({namespace: {"team": "a"} for _, namespace, _ in reviews}))
    for one in objects:
        if "podSelector" in one.get("spec", {}) and one["spec"]["podSelector"] is not None:
            one["spec"]["podSelector"] = {}
    for systems in (["PodSchedulingPolicy"], ["MetadataPolicy", "PodSchedulingPolicy", "SchedulingPolicy"]):
        changed = reviewer.check("manifests " + "+".join(systems), Configuration(objects, systems), reviews)
        own = sum(not is_controlled(document) for document, _, _ in reviews)
        if own == len(reviews):
            reviewer.failures.note("manifests", {}, ["none has a controller that is decided on"])
        # A MetadataPolicy writes into the metadata of those that have one too.
        decided = len(reviews) if "MetadataPolicy" in systems else own
        if changed != decided:
            reviewer.failures.note("manifests", {}, [f"{changed} of {decided} are changed"])
    if evaluate is None:
        return
    configuration = Configuration(objects, [])
    lines = ['{"op":"podSchedulingPolicy.inject","input":{"pod":' + raw + ',"namespace":'
             + json.dumps({"metadata": {"name": namespace, "labels": {"team": "a"}}}) + ',"policies":'
             + json.dumps(configuration.of("PodSchedulingPolicy", "ClusterPodSchedulingPolicy")) + "}}"
             for _, namespace, raw in reviews]
    for (document, namespace, raw), answer in zip(reviews, run(evaluate, [], lines)):
        result = json.loads(answer)["result"]
        begin, end = spans(answer)["/result/object"]
        after = answer[begin:end].split(":", 1)[1].strip()
        pod = Pod(document, namespace)
        inject(pod, configuration, open_scheduler=False)
        failures = reviewer.failures
        failures.note("manifest text: object", document, object_problems(document, pod.document, json.loads(after)))
        failures.note("manifest text: bytes", document, text_problems(raw.strip(), after, result["patch"]))


def benchmark_review(reviewer, root):
    inputs = root / "tests" / "benchmark" / "inputs"
    review = json.loads((inputs / "w2-admission-review.json").read_text(encoding="utf-8"))
    given = json.loads((inputs / "w2-policies.json").read_text(encoding="utf-8"))
    request = review["request"]
    configuration = Configuration([given["namespace"], *given["policies"]], ["PodSchedulingPolicy"])
    if reviewer.check("benchmark", configuration, [(request["object"], request["namespace"], None)]) != 1:
        reviewer.failures.note("benchmark", {}, ["nothing is changed"])


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__)
        return 1
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    evaluate = sys.argv[3] if len(sys.argv) == 4 else None
    failures = Failures()
    generator = Generator(20)
    documents = [generator.document() for _ in range(GENERATED)]
    with tempfile.TemporaryDirectory() as scratch:
        reviewer = Reviewer(program, scratch, failures)
        generated(reviewer, documents)
        manifests(reviewer, evaluate, root)
        benchmark_review(reviewer, root)
    if evaluate is not None:
        odd_policies(evaluate, failures, documents)
    elif not failures.found:
        print("without the third program: no odd keys in policies, no texts of objects")
    return 1 if failures.report() else 0


if __name__ == "__main__":
    sys.exit(main())
