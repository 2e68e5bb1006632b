# SPDX-License-Identifier: Apache-2.0
"""Specs of pods, written short."""

from proposals.documents import REQUIRED

PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NODE = "spec.affinity.nodeAffinity"
HARD = f"{NODE}.{REQUIRED}"


def toleration(key=None, operator=None, value=None, effect=None):
    given = {"key": key, "operator": operator, "value": value, "effect": effect}
    return {name: text for name, text in given.items() if text is not None}


def tolerates(*items):
    return {"tolerations": [toleration(*item) for item in items]}


def term(*expressions):
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}
                                 for key, operator, *values in expressions]}


def affinity(**kinds):
    return {"affinity": kinds}


def hard(*terms):
    """Required node affinity: of each term its expressions."""
    return {REQUIRED: {"nodeSelectorTerms": [term(*expressions) for expressions in terms]}}


def soft(*expressions):
    return {PREFERRED: [{"weight": 1, "preference": term(*expressions)}]}


def together(key):
    """Required affinity, or anti-affinity, to pods."""
    return {REQUIRED: [{"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": key}]}


def selects(**pairs):
    return {"nodeSelector": pairs}


EVERY_TOLERATION = tolerates((None, "Exists"))
NODE_AFFINITY = affinity(nodeAffinity={**hard([("disk", "Exists")]), **soft(("disk", "In", "ssd"))})
POD_AFFINITY = affinity(podAffinity=together("zone"))
POD_ANTI_AFFINITY = affinity(podAntiAffinity=together("host"))
EVERYTHING = {"schedulerName": "my-scheduler", "nodeName": "n1", "priorityClassName": "gold",
              "nodeSelector": {"disk": "ssd"}, **EVERY_TOLERATION,
              "affinity": {kind: value for spec in (NODE_AFFINITY, POD_AFFINITY, POD_ANTI_AFFINITY)
                           for kind, value in spec["affinity"].items()}}


def denied(code, *fields):
    return [f"{code} {field}" for field in fields]


NO_TOLERATION = denied("TolerationNotAllowed", "spec.tolerations[0]")
