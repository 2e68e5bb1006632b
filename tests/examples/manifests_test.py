# SPDX-License-Identifier: Apache-2.0
"""The manifests of the webhook example: CRDs that take good policies and refuse bad ones as the library
does, and objects that agree with each other about names, ports and paths.

    manifests_test.py SOURCE_ROOT [PATH_TO_EVALUATE_BINARY]

Needs yaml and jsonschema; with the binary, the library validates the same SchedulingPolicies. Stands in
for the API server where that differs from plain JSON schema: nulls, x-kubernetes-list-type, and fields
that a schema does not have.
"""

import base64
import binascii
import copy
import importlib.util
import json
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

SKIPPED = 77
missing = [name for name in ("yaml", "jsonschema") if importlib.util.find_spec(name) is None]
if missing:
    print(f"SKIPPED: the python module {missing[0]} is not here")
    sys.exit(SKIPPED)

import jsonschema  # pylint: disable=wrong-import-position
import yaml  # pylint: disable=wrong-import-position

TIMEOUT_SECONDS = 120

# ---- what the API server asks of a CRD ---------------------------------------------------------

ALWAYS = {"minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "minProperties", "maxProperties",
          "pattern", "format", "enum", "required", "allOf", "anyOf", "not", "properties", "items"}
OUTSIDE = ALWAYS | {"type", "description", "nullable", "additionalProperties", "x-kubernetes-list-type",
                    "x-kubernetes-map-type", "x-kubernetes-validations", "x-kubernetes-preserve-unknown-fields"}
JUNCTIONS = ("allOf", "anyOf", "not")


def alternatives(schema, junction):
    found = schema.get(junction, [])
    return [found] if isinstance(found, dict) else found


def structural_problems(schema, path="root", known=None):
    """Why a schema is not structural. `known` is the schema around a junction, whose types count there."""
    for keyword in schema:
        if keyword not in (OUTSIDE if known is None else ALWAYS):
            yield f"{path}: {keyword} is not allowed here"
    if known is None:
        kind = schema.get("type")
        if kind not in ("object", "array", "string", "integer", "boolean"):
            yield f"{path}: has the type {kind}"
        if ("items" in schema) != (kind == "array"):
            yield f"{path}: items are for lists, and lists need them"
        if kind != "object" and {"properties", "additionalProperties"} & set(schema):
            yield f"{path}: only objects have properties"
        if {"properties", "additionalProperties"} <= set(schema):
            yield f"{path}: has properties and additionalProperties"
        if schema.get("x-kubernetes-list-type") == "set" and schema["items"].get("type") != "string":
            yield f"{path}: a set of what is no string"
    for name, value in schema.get("properties", {}).items():
        if known is not None and name not in known.get("properties", {}):
            yield f"{path}.{name}: is only known inside a junction"
        else:
            yield from structural_problems(value, f"{path}.{name}", known and known["properties"][name])
    for name in schema.get("required", []):
        if name not in (schema if known is None else known).get("properties", {}):
            yield f"{path}: requires {name}, which it does not have"
    for part in ("items", "additionalProperties"):
        if part in schema:
            if not isinstance(schema[part], dict):
                yield f"{path}: {part} is no schema"
            else:
                yield from structural_problems(schema[part], f"{path}.{part}", known and known[part])
    for junction in JUNCTIONS:
        for alternative in alternatives(schema, junction):
            yield from structural_problems(alternative, f"{path}.{junction}", schema if known is None else known)
    if "pattern" in schema and not (schema["pattern"].startswith("^") and schema["pattern"].endswith("$")):
        yield f"{path}: the pattern matches a part of the text"


def subschemas(schema):
    yield schema
    parts = [*schema.get("properties", {}).values()]
    parts += [schema[part] for part in ("items", "additionalProperties") if part in schema]
    for junction in JUNCTIONS:
        parts += alternatives(schema, junction)
    for part in parts:
        yield from subschemas(part)


# ---- what the API server does with an object ---------------------------------------------------

def store(value, schema, path=""):
    """Drops, as the API server does, what has no schema and nulls whose schema is not nullable; lists the
    former, which strict field validation refuses."""
    unknown = []
    if isinstance(value, dict):
        for name in list(value):
            field = f"{path}.{name}" if path else name
            part = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if part is None:
                if path != "metadata" and not schema.get("x-kubernetes-preserve-unknown-fields"):
                    unknown.append(field)
                    del value[name]
            elif value[name] is None and not part.get("nullable"):
                del value[name]
            else:
                unknown += store(value[name], part, field)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            unknown += store(item, schema.get("items", {}), f"{path}[{index}]")
    return unknown


def to_json_schema(schema):
    """The same in the words of JSON schema: nullable, and the end of a pattern, which Python's `$` is not."""
    schema = dict(schema)
    if "pattern" in schema:
        schema["pattern"] = schema["pattern"].removesuffix("$") + r"\Z"
    if schema.get("nullable"):
        schema["type"] = [schema["type"], "null"]
    if "properties" in schema:
        schema["properties"] = {name: to_json_schema(part) for name, part in schema["properties"].items()}
    for part in ("items", "additionalProperties"):
        if part in schema:
            schema[part] = to_json_schema(schema[part])
    for junction in JUNCTIONS:
        if junction in schema:
            found = schema[junction]
            schema[junction] = to_json_schema(found) if isinstance(found, dict) else [*map(to_json_schema, found)]
    return schema


def list_type(_, kind, instance, __):
    if kind != "set" or not isinstance(instance, list):
        return
    for index, item in enumerate(instance):
        if item in instance[:index]:
            error = jsonschema.ValidationError(f"{item!r} is listed twice")
            error.path.append(index)
            yield error


Validator = jsonschema.validators.extend(jsonschema.Draft4Validator, {"x-kubernetes-list-type": list_type})


def field_path(parts):
    text = ""
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


class Crd:
    def __init__(self, manifest):
        self.manifest = manifest
        spec = manifest["spec"]
        self.kind = spec["names"]["kind"]
        self.schema = spec["versions"][0]["schema"]["openAPIV3Schema"]
        self.validator = Validator(to_json_schema(self.schema))

    def object(self, spec, name="my-policy"):
        group, version = self.manifest["spec"]["group"], self.manifest["spec"]["versions"][0]["name"]
        return {"apiVersion": f"{group}/{version}", "kind": self.kind, "metadata": {"name": name}, "spec": spec}

    def errors(self, policy):
        """Fields that are wrong, and the object as it would be stored."""
        stored = copy.deepcopy(policy)
        fields = store(stored, self.schema)
        for error in self.validator.iter_errors(stored):
            path = list(error.absolute_path)
            if error.validator == "required":
                path.append(next(name for name in error.validator_value if name not in error.instance))
            fields.append(field_path(path))
        return fields, stored


# ---- policies that every CRD takes -------------------------------------------------------------

# The examples of the SchedulingPolicy proposal, in canonical spelling.
PROPOSED = """
required: {schedulerNames: [green-scheduler, my-scheduler]}
---
allowed: {schedulerNames: [green-scheduler, my-scheduler]}
---
allowed: {schedulerNames: []}
---
default: {schedulerName: my-scheduler}
---
allowed:
  tolerations:
  - {keys: [mykey], operators: [Equal], values: [value], effects: [NoSchedule]}
  - {keys: [other_key], operators: [Exists], effects: [NoExecute]}
---
allowed:
  tolerations:
  - {keys: [], operators: [], values: [], effects: [PreferNoSchedule]}
  - {keys: [], operators: [Exists], effects: [NoSchedule]}
---
allowed: {tolerations: []}
---
allowed: {tolerations: [{keys: [], operators: [], values: [], effects: []}]}
---
default:
  tolerations:
  - {key: mykey, operator: Equal, values: [value, other_value], effect: NoSchedule}
  - {key: other_key, operator: Exists, effect: NoExecute}
---
required: {priorityClassNames: [high-priority]}
default: {priorityClassName: high-priority}
---
allowed: {priorityClassNames: []}
---
required: {nodeSelectors: {beta.kubernetes.io/arch: [amd64, arm64]}}
default: {nodeSelector: {beta.kubernetes.io/arch: amd64}}
allowed: {nodeSelectors: {disk: [ssd, hdd], failure-domain.beta.kubernetes.io/region: []}}
---
allowed: {nodeSelectors: {failure-domain.beta.kubernetes.io/zone: [eu-west-1a, eu-west-1b, eu-west-1c]}}
---
required:
  affinities:
    nodeAffinities:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{keys: [beta.kubernetes.io/arch], operators: [In], values: [amd64, arm64]}]
allowed:
  affinities:
    nodeAffinities:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - keys: [failure-domain.beta.kubernetes.io/region, kubernetes.io/authorized-region]
            operators: [In, NotIn]
            values: [eu-2, us-1]
    podAntiAffinities: {}
default:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: beta.kubernetes.io/arch, operator: In, values: [amd64]}]
---
allowed:
  affinities:
    nodeAffinities:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - keys: [failure-domain.beta.kubernetes.io/region, kubernetes.io/authorized-region]
            operators: [In, NotIn]
            values: [eu-2, us-1]
        - matchExpressions:
          - {keys: [failure-domain.beta.kubernetes.io/zone], operators: [NotIn], values: [dc1, dc2]}
    podAntiAffinities: {}
---
allowed: {affinities: {}}
---
allowed: {affinities: {nodeAffinities: {}, podAffinities: {}, podAntiAffinities: {}}}
---
allowed: {affinities: {nodeAffinities: {}}}
---
required: {nodeSelectors: {beta.kubernetes.io/arch: [amd64, arm64]}}
allowed: {nodeSelectors: {disk: [ssd]}}
default: {nodeSelector: {beta.kubernetes.io/arch: amd64}}
---
required:
  nodeSelectors:
    beta.kubernetes.io/arch: [amd64, arm64, i386]
    beta.kubernetes.io/os: [Linux, Windows]
  priorityClassNames: [bronze, gold, silver]
allowed: {nodeSelectors: {disk: [sata]}}
default:
  nodeSelector: {beta.kubernetes.io/arch: i386, beta.kubernetes.io/os: Linux}
  priorityClassName: bronze
---
allowed: {schedulerNames: [default-scheduler]}
---
required:
  schedulerNames: [default-scheduler]
  nodeSelectors: {beta.kubernetes.io/arch: [amd64, arm64], beta.kubernetes.io/os: [Linux, Windows]}
default:
  schedulerName: default-scheduler
  nodeSelector: {beta.kubernetes.io/arch: amd64, beta.kubernetes.io/os: Linux}
---
required:
  schedulerNames: [default-scheduler]
  affinities:
    nodeAffinities:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{keys: [beta.kubernetes.io/arch], operators: [In], values: [amd64, arm64]}]
        - matchExpressions: [{keys: [beta.kubernetes.io/os], operators: [In], values: [Linux, Windows]}]
default:
  schedulerName: default-scheduler
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: beta.kubernetes.io/arch, operator: In, values: [amd64]}]
        - matchExpressions: [{key: beta.kubernetes.io/os, operator: In, values: [Linux]}]
---
allowed: {schedulerNames: [], priorityClassNames: [], nodeSelectors: {}, tolerations: [], affinities: {}}
"""

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
LONG_PREFIX = ".".join(["p" * 62] * 4)  # 251 bytes, of which 253 are allowed
SELECTOR = {"matchLabels": {"app": "web", "tier": ""},
            "matchExpressions": [{"key": "example.com/a", "operator": "In", "values": ["b", ""]},
                                 {"key": "c", "operator": "NotIn", "values": ["d"]},
                                 {"key": "e", "operator": "Exists"},
                                 {"key": "f", "operator": "DoesNotExist", "values": []}]}
POD_TERM = {"topologyKey": "kubernetes.io/hostname", "labelSelector": SELECTOR, "namespaceSelector": {},
            "namespaces": ["team-a"], "matchLabelKeys": ["pod-template-hash"], "mismatchLabelKeys": ["tenant"]}
NODE_TERM = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]},
                                  {"key": "cores", "operator": "Gt", "values": ["4"]},
                                  {"key": "gpu", "operator": "Exists"}],
             "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["node-1.example.com"]}]}
AFFINITY = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [NODE_TERM, {}]},
                             PREFERRED: [{"weight": 1, "preference": NODE_TERM}, {"weight": 100}]},
            "podAffinity": {REQUIRED: [POD_TERM]},
            "podAntiAffinity": {PREFERRED: [{"weight": 50, "podAffinityTerm": POD_TERM}]}}
INJECTED = {"podSelector": SELECTOR, "nodeName": "node-1", "schedulerName": "my-scheduler",
            "nodeSelector": {"disk": "ssd", "empty": ""}, "affinity": AFFINITY,
            "tolerations": [{"operator": "Exists"}, {"key": "a"}, {"key": "a", "operator": "", "effect": ""},
                            {"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"},
                            {"key": "c", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": -1}]}

GOOD = {
    "SchedulingPolicy": [
        *yaml.safe_load_all(PROPOSED),
        {}, {"required": {}, "allowed": {}, "default": {}},
        # Absent, empty and listed, one level down.
        {"allowed": {"nodeSelectors": {"disk": []}}},
        {"required": {"nodeSelectors": {"disk": []}}},
        {"required": {"affinities": {"podAffinities": {}}}},
        {"allowed": {"affinities": {"nodeAffinities": {REQUIRED: {}, PREFERRED: {"nodeSelectorTerms": []}},
                                    "podAntiAffinities": {REQUIRED: {"topologyKeys": []}}}}},
        {"required": {"affinities": {"nodeAffinities": {REQUIRED: {"nodeSelectorTerms": [
            {"matchExpressions": []}, {"matchFields": []}]}}}}},
        {"allowed": {"tolerations": [{}]}},
        {"allowed": {"tolerations": [{"values": [""], "operators": ["Equal", "Exists", "Lt", "Gt", "Gt"]}]}},
        # Values of expressions are no label values.
        {"allowed": {"affinities": {"nodeAffinities": {PREFERRED: {"nodeSelectorTerms": [
            {"matchExpressions": [{"keys": ["cores"], "operators": ["Gt", "Lt"], "values": ["-1", "x/y"]}],
             "matchFields": [{"keys": ["metadata.name"], "operators": ["In"], "values": ["n.example.com"]}]}]}}}}},
        {"allowed": {"affinities": {"podAffinities": {PREFERRED: {"topologyKeys": ["topology.kubernetes.io/zone"]}}}}},
        # The longest key and value.
        {"allowed": {"tolerations": [{"keys": [f"{LONG_PREFIX}.p/{'k' * 63}"], "values": ["v" * 63]}]}},
        {"default": {"schedulerName": "", "priorityClassName": "", "nodeSelector": {}, "affinity": {}}},
        {"default": {"affinity": AFFINITY, "tolerations": [
            {"operator": "Exists"}, {"key": "a"}, {"key": "a", "operator": "Equal", "value": "b"},
            {"key": "a", "value": "", "values": ["b"]},
            {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}]}},
        {"required": {"schedulerNames": ["a", "b"]}, "default": {"schedulerName": "b"}},
        {"required": {"schedulerNames": ["a"]}, "default": {"schedulerName": ""}},
    ],
    "PodSchedulingPolicy": [{}, {"podSelector": {}}, {"podSelector": {}, "tolerations": [], "affinity": {}}, INJECTED],
    "ClusterPodSchedulingPolicy": [
        {}, {"namespaceSelector": {}, "podSelector": {}}, {"namespaceSelector": SELECTOR, **INJECTED}],
    "MetadataPolicy": [
        {}, {"rules": []},
        # The four rules that the proposal lists, and the one it was made for.
        {"rules": [
            {"policyPredicate": {"labelSelector": {"matchExpressions": [{"key": "X", "operator": "Exists"}]}},
             "policyAction": {"reject": True}},
            {"policyPredicate": {"labelSelector": {"matchExpressions": [{"key": "X", "operator": "DoesNotExist"}]}},
             "policyAction": {"reject": True}},
            {"policyPredicate": {"labelSelector": {"matchExpressions": [{"key": "X", "operator": "DoesNotExist"}]}},
             "policyAction": {"reject": False, "updatedLabels": {"X": "Y"}}},
            {"policyPredicate": {"annotationSelector": {"matchLabels": {"C": "D"}}},
             "policyAction": {"reject": False, "updatedAnnotations": {"A": "B"}}},
            {"policyPredicate": {"annotationSelector": {"matchLabels": {"E": "F"}}},
             "policyAction": {"reject": False, "updatedAnnotations": {"A": "B"}}},
            {"policyPredicate": {"annotationSelector": {
                "matchLabels": {"scheduler.alpha.kubernetes.io/qos": "BestEffort"}}},
             "policyAction": {"updatedAnnotations": {"scheduler.alpha.kubernetes.io/name": "batch"}}}]},
        {"rules": [{}, {"policyPredicate": {}, "policyAction": {}},
                   {"policyAction": {"reject": True, "updatedLabels": {}}}]},
        # Annotations are free text.
        {"rules": [{"policyPredicate": {"annotationSelector": {
            "matchLabels": {"a": "free text, of any length " * 9},
            "matchExpressions": [{"key": "b", "operator": "In", "values": ["not a label!"]}]}},
            "policyAction": {"updatedAnnotations": {"c": "{\"free\": true}"}}}]},
    ],
    "ResourcePolicy": [
        {},
        # The example of the proposal.
        {"matchLabelKeys": ["pod-template-hash"], "matchPolicy": {"ignoreTerminatingPod": True},
         "podSelector": {"matchExpressions": [{"key": "key1", "operator": "In", "values": ["value1"]}],
                         "matchLabels": {"key1": "value1"}},
         "strategy": "prefer",
         "units": [
             {"name": "unit1", "priority": 5, "maxCount": 10, "nodeSelector": {
                 "matchExpressions": [{"key": "key1", "operator": "In", "values": ["value1"]}]}},
             {"name": "unit2", "priority": 5, "maxCount": 10, "nodeSelector": {
                 "matchExpressions": [{"key": "key1", "operator": "In", "values": ["value2"]}]}},
             {"name": "unit3", "priority": 4, "maxCount": 20, "nodeSelector": {"matchLabels": {"key1": "value3"}}}]},
        {"strategy": "required", "units": []}, {"strategy": ""},
        {"units": [{}, {"priority": 0, "maxCount": 0}, {"priority": 2147483647, "nodeSelector": {}}]},
    ],
}

# ---- policies that they refuse, each for one field ---------------------------------------------


def at(path, value):
    """`a.b[0].c` and a value: the object that has nothing else."""
    for part in reversed(re.findall(r"[^.\[\]]+", path)):
        value = [value] if part == "0" else {part: value}
    return value


BAD_KEYS = ["", "-a", "a_", "a b", "a/b/c", "/a", "a/", "A.com/x", "a..b/x", "k" * 64, f"{LONG_PREFIX}.ppp/k", "a\n"]
BAD_VALUES = ["-a", "a_", "a b", "a/b", "v" * 64, "a\n"]


def bad_lists(path, items, kind=""):
    """Items that are wrong in a list; `kind` says what a text in it has to be."""
    for item in items:
        yield path + "[0]", at(path, [item])
    if kind != "words":
        yield path + "[1]", at(path, ["a", "a"])
    yield path, at(path, "a")


def bad_scheduling_policies():
    """(field, spec), with the field that is wrong without its leading `spec.`."""
    for section in ("required", "allowed"):
        for names in ("schedulerNames", "priorityClassNames"):
            yield from bad_lists(f"{section}.{names}", ["", 1, [], {}])
        yield from bad_lists(f"{section}.nodeSelectors.disk", [*BAD_VALUES, 1])
        patterns = f"{section}.tolerations[0]"
        yield from bad_lists(f"{patterns}.keys", [*BAD_KEYS, 1])
        yield from bad_lists(f"{patterns}.values", [*BAD_VALUES, True])
        yield from bad_lists(f"{patterns}.operators", ["", "In", "exists", 1], "words")
        yield from bad_lists(f"{patterns}.effects", ["", "NoSchedul", 1], "words")
        yield patterns, at(patterns, "a")
        yield patterns + ".effect", at(patterns, {"effect": "NoSchedule"})
        for kind in ("podAffinities", "podAntiAffinities"):
            for mode in (REQUIRED, PREFERRED):
                yield from bad_lists(f"{section}.affinities.{kind}.{mode}.topologyKeys", [*BAD_KEYS, 1])
            yield f"{section}.affinities.{kind}.{REQUIRED}", at(f"{section}.affinities.{kind}.{REQUIRED}", [])
        for mode in (REQUIRED, PREFERRED):
            terms = f"{section}.affinities.nodeAffinities.{mode}.nodeSelectorTerms"
            yield terms + "[0]", at(terms, [{}])
            yield terms, at(terms, {})
            for fields in ("matchExpressions", "matchFields"):
                yield from bad_lists(f"{terms}[0].{fields}[0].keys", [*BAD_KEYS, 1])
                yield from bad_lists(f"{terms}[0].{fields}[0].operators", ["", "Equal", "in", 1], "words")
                yield from bad_lists(f"{terms}[0].{fields}[0].values", [1, []])
                yield f"{terms}[0].{fields}[0].key", at(f"{terms}[0].{fields}", [{"key": "a"}])
        for field in ("schedulerName", "affinity", "priorityClasseName", "alowed"):
            yield f"{section}.{field}", at(f"{section}.{field}", "a")
        yield section, {section: []}
    # An empty list requires neither something nor nothing.
    for field, empty in (("schedulerNames", []), ("priorityClassNames", []), ("nodeSelectors", {}),
                         ("tolerations", []), ("affinities", {})):
        yield f"required.{field}", at(f"required.{field}", empty)
    yield "default.tolerations", at("default.tolerations", [])
    toleration = "default.tolerations[0]"
    for field, wrong in (
            ("values", {"key": "a", "values": []}),
            ("values[0]", {"key": "a", "values": ["a b"]}),
            ("values[1]", {"key": "a", "values": ["b", "b"]}),
            ("operator", {"key": "a", "operator": "In"}),
            ("operator", {"key": "a", "operator": "Gt", "value": "1"}),
            ("effect", {"key": "a", "effect": "Never"}),
            ("tolerationSeconds", {"key": "a", "effect": "NoExecute", "tolerationSeconds": 1.5}),
            ("tolerationSeconds", {"key": "a", "effect": "NoExecute", "tolerationSeconds": "1"}),
            ("keys", {"key": "a", "keys": ["a"]}),
            # Two fields that do not go together are reported where they stand.
            ("", {}), ("", {"operator": "Equal", "value": "a"}), ("", {"key": "", "effect": "NoSchedule"}),
            ("", {"key": "a", "tolerationSeconds": 1}),
            ("", {"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}),
            ("", {"key": "a", "value": "b", "values": ["c"]}),
            ("", {"operator": "Exists", "value": "b", "values": ["c"]})):
        yield f"{toleration}.{field}".rstrip("."), at(toleration, wrong)
    for key in BAD_KEYS[1:]:
        yield f"{toleration}.key", at(toleration, {"key": key})
    for value in [*BAD_VALUES, 1]:
        yield "default.nodeSelector.disk", at("default.nodeSelector.disk", value)
    yield "default.schedulerName", at("default.schedulerName", ["a"])
    yield "default.schedulerNames", at("default.schedulerNames", ["a"])
    yield "allowedAffinity", {"allowedAffinity": {}}


def bad_selectors(path):
    for field, wrong in (
            ("matchLabels.app", {"matchLabels": {"app": "a b"}}),
            ("matchLabels.app", {"matchLabels": {"app": 1}}),
            ("matchLabel", {"matchLabel": {}}),
            ("matchExpressions[0].key", {"matchExpressions": [{"operator": "Exists"}]}),
            ("matchExpressions[0].key", {"matchExpressions": [{"key": "a b", "operator": "Exists"}]}),
            ("matchExpressions[0].operator", {"matchExpressions": [{"key": "a"}]}),
            ("matchExpressions[0]", {"matchExpressions": [{"key": "a", "operator": "In"}]}),
            ("matchExpressions[0]", {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": []}]}),
            ("matchExpressions[0]", {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}),
            ("matchExpressions[0]", {"matchExpressions": [{"key": "a", "operator": "DoesNotExist", "values": ["b"]}]}),
            ("matchExpressions[0].values[0]",
             {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b/c"]}]})):
        yield f"{path}.{field}", at(path, wrong)


def bad_affinities(path):
    terms = f"{path}.nodeAffinity.{REQUIRED}.nodeSelectorTerms"
    yield terms, at(terms, [])
    yield terms, at(f"{path}.nodeAffinity.{REQUIRED}", {})
    expression = terms + "[0].matchExpressions[0]"
    for field, wrong in (
            ("key", {"operator": "Exists"}), ("key", {"key": "-a", "operator": "Exists"}), ("operator", {"key": "a"}),
            ("", {"key": "a", "operator": "In"}), ("", {"key": "a", "operator": "NotIn", "values": []}),
            ("", {"key": "a", "operator": "Exists", "values": ["b"]}),
            ("", {"key": "a", "operator": "Gt", "values": ["1", "2"]}), ("", {"key": "a", "operator": "Lt"}),
            ("keys", {"key": "a", "keys": ["a"], "operator": "Exists"})):
        yield f"{expression}.{field}".rstrip("."), at(expression, wrong)
    name = terms + "[0].matchFields[0]"
    for field, wrong in (
            ("key", {"key": "metadata.uid", "operator": "In", "values": ["a"]}),
            ("operator", {"key": "metadata.name", "operator": "Exists", "values": ["a"]}),
            ("values", {"key": "metadata.name", "operator": "In", "values": ["a", "b"]}),
            ("values", {"key": "metadata.name", "operator": "In"}),
            ("values[0]", {"key": "metadata.name", "operator": "In", "values": ["A"]})):
        yield f"{name}.{field}", at(name, wrong)
    for kind, rest in (("nodeAffinity", {}), ("podAffinity", {"podAffinityTerm": POD_TERM})):
        item = f"{path}.{kind}.{PREFERRED}[0]"
        for weight in (0, 101, -1, "1"):
            yield item + ".weight", at(item, {"weight": weight, **rest})
        yield item + ".weight", at(item, rest)
    for item in (f"{path}.podAffinity.{REQUIRED}[0]", f"{path}.podAntiAffinity.{PREFERRED}[0].podAffinityTerm"):
        for field, wrong in (
                ("topologyKey", {"labelSelector": {}}), ("topologyKey", {"topologyKey": ""}),
                ("topologyKey", {"topologyKey": "a b"}),
                ("namespaces[0]", {"topologyKey": "a", "namespaces": ["a.b"]}),
                ("namespaces[0]", {"topologyKey": "a", "namespaces": ["a."]}),
                ("namespaces[0]", {"topologyKey": "a", "namespaces": ["n" * 64]}),
                ("matchLabelKeys[0]", {"topologyKey": "a", "labelSelector": {}, "matchLabelKeys": ["a b"]}),
                ("", {"topologyKey": "a", "matchLabelKeys": ["a"]}),
                ("", {"topologyKey": "a", "mismatchLabelKeys": ["a"]}),
                ("labelSelector.matchLabels.a", {"topologyKey": "a", "labelSelector": {"matchLabels": {"a": "b c"}}})):
            spec = at(item, wrong)
            if PREFERRED in item:
                spec = at(item.removesuffix(".podAffinityTerm"), {"weight": 1, "podAffinityTerm": wrong})
            yield f"{item}.{field}".rstrip("."), spec


def bad_injecting_policies():
    yield from bad_selectors("podSelector")
    yield from bad_affinities("affinity")
    yield "nodeSelector.disk", at("nodeSelector.disk", "a b")
    yield "nodeName", {"nodeName": 1}
    yield "podSelektor", {"podSelektor": {}}
    item = "tolerations[0]"
    for field, wrong in (
            ("", {}), ("", {"effect": "NoSchedule"}), ("", {"key": "a", "operator": "Exists", "value": "b"}),
            ("", {"key": "a", "tolerationSeconds": 1}), ("key", {"key": "a b"}),
            ("value", {"key": "a", "value": "b c"}), ("effect", {"key": "a", "effect": "Never"}),
            ("values", {"key": "a", "values": ["b"]})):
        yield f"{item}.{field}".rstrip("."), at(item, wrong)
    yield "tolerations", {"tolerations": [{"operator": "Exists"}] * 2049}


def bad_metadata_policies():
    yield from bad_selectors("rules[0].policyPredicate.labelSelector")
    action = "rules[0].policyAction"
    yield action, at(action, {"reject": True, "updatedLabels": {"a": "b"}})
    yield action, at(action, {"reject": True, "updatedAnnotations": {"a": "b"}})
    yield action + ".reject", at(action, {"reject": "yes"})
    yield action + ".updatedLabels.a", at(action, {"updatedLabels": {"a": "b c"}})
    yield action + ".updatedAnnotations.a", at(action, {"updatedAnnotations": {"a": 1}})
    annotations = "rules[0].policyPredicate.annotationSelector"
    yield annotations + ".matchExpressions[0]", at(annotations + ".matchExpressions", [{"key": "a", "operator": "In"}])
    yield "rules[0].predicate", at("rules[0].predicate", {})
    yield "rules", {"rules": {}}


def bad_resource_policies():
    yield from bad_selectors("podSelector")
    yield from bad_selectors("units[0].nodeSelector")
    for field in ("priority", "maxCount"):
        for number in (-1, 1.5, "1", 2147483648):
            yield f"units[0].{field}", at(f"units[0].{field}", number)
    yield "strategy", {"strategy": "preferred"}
    yield "matchLabelKeys[0]", {"matchLabelKeys": ["a b"]}
    yield "matchPolicy.ignoreTerminatingPod", at("matchPolicy.ignoreTerminatingPod", "true")
    yield "matchPolicy.ignoreTerminatingPods", at("matchPolicy.ignoreTerminatingPods", True)
    yield "units[0].maxcount", at("units[0].maxcount", 1)


BAD = {
    "SchedulingPolicy": [*bad_scheduling_policies()],
    "PodSchedulingPolicy": [*bad_injecting_policies(), ("namespaceSelector", {"namespaceSelector": {}})],
    "ClusterPodSchedulingPolicy": [*bad_injecting_policies(), *bad_selectors("namespaceSelector")],
    "MetadataPolicy": [*bad_metadata_policies()],
    "ResourcePolicy": [*bad_resource_policies()],
}

# A default affinity goes into pods, so the schema refuses what the API server would refuse there.
BAD_DEFAULT_AFFINITIES = [*bad_affinities("default.affinity")]

# What only a CEL rule can say: the field, the spec, and words of the rule.
BAD_BY_RULE = [
    ("default.schedulerName", {"required": {"schedulerNames": ["a"]}, "default": {"schedulerName": "b"}},
     "self.default.schedulerName in self.required.schedulerNames"),
    ("default.priorityClassName", {"required": {"priorityClassNames": ["a"]}, "default": {"priorityClassName": "b"}},
     "self.default.priorityClassName in self.required.priorityClassNames"),
]

# Nulls that have to be kept: without them `{}` remains, which means any.
KEPT_NULLS = [at(f"{section}.{path}", None) for section in ("required", "allowed") for path in (
    "nodeSelectors.disk", "affinities.nodeAffinities", "affinities.podAffinities", "affinities.podAntiAffinities",
    *[f"affinities.{kind}.{mode}{rest}"
      for mode in (REQUIRED, PREFERRED)
      for kind, listed in (("nodeAffinities", "nodeSelectorTerms"), ("podAffinities", "topologyKeys"),
                           ("podAntiAffinities", "topologyKeys"))
      for rest in ("", "." + listed)])]

# Typos that have to be kept for the library to refuse, for the same reason.
KEPT_TYPOS = [(f"{section}.{path}", at(f"{section}.{path}", {})) for section in ("required", "allowed") for path in (
    "affinities.nodeAfinities", "affinities.nodeAffinities.required", "affinities.podAffinities.required",
    f"affinities.nodeAffinities.{PREFERRED}.nodeSelectorTerm", f"affinities.podAntiAffinities.{REQUIRED}.topologyKey")]

# ---- the checks --------------------------------------------------------------------------------


class UniqueKeyLoader(yaml.SafeLoader):
    """Refuses a key that stands twice in a map, of which one would be lost."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.YAMLError(f"{key} stands twice in line {node.start_mark.line + 1}")
        return super().construct_mapping(node, deep)


class Manifests:
    def __init__(self, root, evaluate):
        self.example = root / "examples" / "webhook"
        self.evaluate = evaluate
        self.files = {path: list(yaml.load_all(path.read_text(encoding="utf-8"), UniqueKeyLoader))
                      for path in sorted((self.example / "manifests").rglob("*.yaml"))}
        documents = [document for found in self.files.values() for document in found]
        self.crds = {crd.kind: crd for crd in map(Crd, (
            document for document in documents if document["kind"] == "CustomResourceDefinition"))}
        self.documents = [d for d in documents if d["kind"] != "CustomResourceDefinition"]

    def one(self, kind):
        found = [document for document in self.documents if document["kind"] == kind]
        if len(found) != 1:
            raise LookupError(f"{len(found)} objects of kind {kind}")
        return found[0]

    def validated(self, policies):
        """For each policy the fields that the library finds wrong."""
        lines = [json.dumps({"id": index, "op": "schedulingPolicy.validate", "input": {"policy": policy}})
                 for index, policy in enumerate(policies)]
        done = subprocess.run([self.evaluate], input="\n".join(lines).encode(), capture_output=True,
                              timeout=TIMEOUT_SECONDS, check=True)
        for line in done.stdout.splitlines():
            reply = json.loads(line)
            if "error" in reply:
                yield [reply["error"].get("field", "").removeprefix("policy.")]
            else:
                yield [error["field"] for error in reply["result"]["errors"]]


def manifests_are_files_with_a_purpose(manifests):
    if len(manifests.files) < 8:
        yield f"only {len(manifests.files)} manifests were found"
    names = []
    for path, documents in manifests.files.items():
        text = path.read_text(encoding="utf-8")
        if not text.startswith("# SPDX-License-Identifier: Apache-2.0\n# ") or not text.isascii():
            yield f"{path.name}: starts with its licence and what it is for, in ASCII"
        for document in documents:
            if not {"apiVersion", "kind", "metadata"} <= set(document):
                yield f"{path.name}: a document is no Kubernetes object"
            names.append((document["kind"], document["metadata"]["name"]))
    for name in names:
        if names.count(name) > 1:
            yield f"{name} is declared twice"


def crds_are_structural(manifests):
    if set(manifests.crds) != set(GOOD):
        yield f"there are CRDs of {sorted(manifests.crds)}, not of {sorted(GOOD)}"
    for kind, crd in manifests.crds.items():
        spec, name = crd.manifest["spec"], crd.manifest["metadata"]["name"]
        if name != f"{spec['names']['plural']}.{spec['group']}":
            yield f"{name}: has to be PLURAL.GROUP"
        if "." not in spec["group"]:
            yield f"{name}: a group without a dot cannot be installed"
        approved = "api-approved.kubernetes.io" in crd.manifest["metadata"].get("annotations", {})
        if spec["group"].endswith((".k8s.io", ".kubernetes.io")) and not approved:
            yield f"{name}: the group is protected and needs an approval"
        if spec["scope"] != ("Cluster" if kind in ("SchedulingPolicy", "ClusterPodSchedulingPolicy") else "Namespaced"):
            yield f"{name}: has the scope {spec['scope']}"
        versions = [(version["name"], version["served"], version["storage"]) for version in spec["versions"]]
        if versions != [("v1alpha1", True, True)] or spec.get("preserveUnknownFields"):
            yield f"{name}: has the versions {versions}, or keeps unknown fields"
        for problem in structural_problems(crd.schema):
            yield f"{name}: {problem}"
        if crd.schema["properties"]["metadata"] != {"type": "object"}:
            yield f"{name}: metadata is the API server's"
        if any("default" in schema for schema in subschemas(crd.schema)):
            yield f"{name}: a default turns absent into something else"


def sections_belong_to_one_applier(manifests):
    spec = manifests.crds["SchedulingPolicy"].schema["properties"]["spec"]
    for section in ("required", "allowed", "default"):
        if spec["properties"][section].get("x-kubernetes-map-type") != "atomic":
            yield f"spec.{section}: two appliers are merged into a list that neither wrote"


def good_policies_are_taken(manifests):
    for kind, specs in GOOD.items():
        crd = manifests.crds[kind]
        for spec in specs:
            fields, stored = crd.errors(crd.object(spec))
            if fields:
                yield f"{kind} {spec}: refused for {fields}"
            elif stored["spec"] != spec:
                yield f"{kind} {spec}: stored as {stored['spec']}"


def bad_policies_are_refused(manifests):
    cases = [(kind, *case) for kind, specs in BAD.items() for case in specs]
    cases += [("SchedulingPolicy", *case) for case in BAD_DEFAULT_AFFINITIES]
    for kind, field, spec in cases:
        crd = manifests.crds[kind]
        fields, _ = crd.errors(crd.object(spec))
        wanted = {"spec"} if field == "namespaceSelector" and kind == "PodSchedulingPolicy" else {f"spec.{field}"}
        if set(fields) != wanted:
            yield f"{kind} {str(spec)[:300]}: refused for {fields}, not for {wanted}"
    rules = manifests.crds["SchedulingPolicy"].schema["properties"]["spec"]["x-kubernetes-validations"]
    for field, _, words in BAD_BY_RULE:
        if not any(words in rule["rule"] and rule["message"].startswith(field) for rule in rules):
            yield f"no rule says what is wrong with {field}"


def nothing_dropped_becomes_any(manifests):
    crd = manifests.crds["SchedulingPolicy"]
    for spec in KEPT_NULLS + [spec for _, spec in KEPT_TYPOS]:
        fields, stored = crd.errors(crd.object(spec))
        if fields or stored["spec"] != spec:
            yield f"{spec}: refused for {fields}, stored as {stored['spec']}"
    for kind, path in (("PodSchedulingPolicy", "podSelector"), ("ClusterPodSchedulingPolicy", "namespaceSelector"),
                       ("MetadataPolicy", "rules[0].policyPredicate.labelSelector"),
                       ("MetadataPolicy", "rules[0].policyPredicate.annotationSelector"),
                       ("ResourcePolicy", "units[0].nodeSelector")):
        spec = at(path, {"matchLabels": {"app": None}})
        if manifests.crds[kind].errors(manifests.crds[kind].object(spec))[1]["spec"] != spec:
            yield f"{kind} {spec}: would select everything"


def library_agrees(manifests):
    """The library refuses what the schema refuses, for the same field, and takes what it takes."""
    if manifests.evaluate is None:
        print("library_agrees: SKIPPED: no evaluate binary was given")
        return
    crd = manifests.crds["SchedulingPolicy"]
    bad = BAD["SchedulingPolicy"] + KEPT_TYPOS + [(field, spec) for field, spec, _ in BAD_BY_RULE]
    for (field, spec), fields in zip(bad, manifests.validated(crd.object(spec) for _, spec in bad), strict=True):
        bracketed = re.sub(r"(nodeSelectors?)\.disk", r"\1[disk]", f"spec.{field}")
        if not fields or any(found != bracketed and not found.startswith((bracketed + ".", bracketed + "["))
                             for found in fields):
            yield f"{spec}: the schema refuses {bracketed}, the library {fields}"
    good = GOOD["SchedulingPolicy"] + KEPT_NULLS
    for spec, fields in zip(good, manifests.validated(map(crd.object, good)), strict=True):
        if fields:
            yield f"{spec}: the schema takes it, the library refuses {fields}"


def webhooks_lock_nobody_out(manifests):
    needed = {"kube-system", "kube-node-lease", "kube-public", manifests.one("Namespace")["metadata"]["name"]}
    for kind, path in (("MutatingWebhookConfiguration", "/admit"), ("ValidatingWebhookConfiguration", "/validate")):
        configuration = manifests.one(kind)
        webhook, = configuration["webhooks"]
        wanted = {"failurePolicy": "Fail", "matchPolicy": "Equivalent", "sideEffects": "None", "timeoutSeconds": 5,
                  "admissionReviewVersions": ["v1"], "name": "pods.schedpol.example.com",
                  "reinvocationPolicy": "IfNeeded" if path == "/admit" else None}
        for field, value in wanted.items():
            if webhook.get(field) != value:
                yield f"{kind}: {field} is {webhook.get(field)}, not {value}"
        if configuration["metadata"]["name"] != "schedpol" or "objectSelector" in webhook:
            yield f"{kind}: has another name, or lets labels of pods decide"
        selector, = webhook["namespaceSelector"]["matchExpressions"]
        if (selector["key"], selector["operator"]) != ("kubernetes.io/metadata.name", "NotIn"):
            yield f"{kind}: namespaces are told by {selector}"
        if set(selector["values"]) != needed or "matchLabels" in webhook["namespaceSelector"]:
            yield f"{kind}: leaves out {selector['values']}, not {sorted(needed)}"
        resources = {}
        for rule in webhook["rules"]:
            if (rule["operations"], rule["apiVersions"], rule["scope"]) != (["CREATE", "UPDATE"], ["v1"], "Namespaced"):
                yield f"{kind}: has the rule {rule}"
            group, = rule["apiGroups"]
            resources[group] = set(rule["resources"])
        if resources != {"": {"pods", "podtemplates", "replicationcontrollers"},
                         "apps": {"replicasets", "deployments", "statefulsets", "daemonsets"},
                         "batch": {"jobs", "cronjobs"}}:
            yield f"{kind}: is asked about {resources}"
        service = manifests.one("Service")
        client = webhook["clientConfig"]
        if client["service"] != {"name": service["metadata"]["name"], "namespace": service["metadata"]["namespace"],
                                 "path": path, "port": service["spec"]["ports"][0]["port"]}:
            yield f"{kind}: calls {client['service']}"
        try:
            base64.b64decode(client["caBundle"], validate=True)
            yield f"{kind}: the placeholder of the caBundle could be installed"
        except binascii.Error:
            pass


def objects_agree(manifests):
    deployment, service = manifests.one("Deployment"), manifests.one("Service")
    account, budget = manifests.one("ServiceAccount"), manifests.one("PodDisruptionBudget")
    namespace = manifests.one("Namespace")["metadata"]["name"]
    for document in manifests.documents:
        cluster = document["kind"] in ("Namespace", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
        if document["metadata"].get("namespace") != (None if cluster else namespace):
            yield f"{document['kind']}: is in the namespace {document['metadata'].get('namespace')}"
        if document["kind"] in ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"):
            yield f"{document['kind']}: the server needs no rights"
    template = deployment["spec"]["template"]
    pod, labels = template["spec"], template["metadata"]["labels"]
    container, = pod["containers"]
    for name, selector in (("Deployment", deployment["spec"]["selector"]["matchLabels"]),
                           ("Service", service["spec"]["selector"]),
                           ("PodDisruptionBudget", budget["spec"]["selector"]["matchLabels"])):
        if not selector or not selector.items() <= labels.items():
            yield f"{name}: selects {selector}, the pods have {labels}"
    if pod["serviceAccountName"] != account["metadata"]["name"]:
        yield f"the pods run as {pod['serviceAccountName']}"
    if account["automountServiceAccountToken"] or pod["automountServiceAccountToken"]:
        yield "a token is mounted that nobody needs"
    if deployment["spec"]["replicas"] < 2 or budget["spec"]["minAvailable"] >= deployment["spec"]["replicas"]:
        yield "no pod may be drained, or there is only one"

    options = dict(zip(container["args"][::2], container["args"][1::2]))
    if options != {"--policies": "/etc/schedpol/policies", "--cert": "/etc/schedpol/tls/tls.crt",
                   "--key": "/etc/schedpol/tls/tls.key", "--listen": "0.0.0.0:8443"}:
        yield f"the server is started with {container['args']}"
    port, = container["ports"]
    if str(port["containerPort"]) != options["--listen"].rpartition(":")[2]:
        yield f"the port {port} is not where the server listens"
    front, = service["spec"]["ports"]
    if front["port"] != 443 or front["targetPort"] not in (port["name"], port["containerPort"]):
        yield f"the Service leads to {front}"
    for probe, path in (("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
        http = container[probe]["httpGet"]
        if (http["path"], http["scheme"]) != (path, "HTTPS") or http["port"] not in (
                port["name"], port["containerPort"]):
            yield f"{probe}: asks {http}"
    mounts = {mount["name"]: mount for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    if set(mounts) != set(volumes) or any(not mount.get("readOnly") or "subPath" in mount for mount in mounts.values()):
        yield "volumes are mounted read-only and whole"
    if mounts["policies"]["mountPath"] != options["--policies"]:
        yield "the policies are mounted elsewhere"
    for option in ("--cert", "--key"):
        if str(pathlib.PurePosixPath(options[option]).parent) != mounts["tls"]["mountPath"]:
            yield f"{option}: is not in the mounted Secret"
    if volumes["policies"]["configMap"]["name"] != manifests.one("ConfigMap")["metadata"]["name"]:
        yield "the mounted ConfigMap is not declared"
    if volumes["tls"]["secret"]["defaultMode"] & 0o007:
        yield "everybody may read the key"

    webhooks = [manifests.one(kind)["webhooks"][0]
                for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")]
    needed = container["lifecycle"]["preStop"]["sleep"]["seconds"] + max(w["timeoutSeconds"] for w in webhooks)
    if pod["terminationGracePeriodSeconds"] <= needed:
        yield f"a drain may need {needed} seconds and gets {pod['terminationGracePeriodSeconds']}"
    security = pod["securityContext"]
    if not security["runAsNonRoot"] or security["seccompProfile"] != {"type": "RuntimeDefault"}:
        yield f"the pods run with {security}"
    if container["securityContext"] != {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                        "capabilities": {"drop": ["ALL"]}}:
        yield f"the container runs with {container['securityContext']}"
    resources = container["resources"]
    if not {"cpu", "memory"} <= set(resources["requests"]) or "memory" not in resources["limits"]:
        yield "the container asks for no resources"


def mounted_policies_are_good(manifests):
    data = manifests.one("ConfigMap")["data"]
    if not data:
        yield "the ConfigMap has no policy"
    settings = [name for name, text in data.items() if json.loads(text)["kind"] == "EngineConfiguration"]
    if len(settings) != 1:
        yield f"the server needs one EngineConfiguration and has {len(settings)}"
    for name, text in data.items():
        policy = json.loads(text)
        if name in settings:
            continue
        crd = manifests.crds[policy["kind"]]
        fields, _ = crd.errors(policy)
        if fields or policy["apiVersion"] != crd.object({})["apiVersion"]:
            yield f"{name}: is no policy that the CRD takes: {fields}"
        if manifests.evaluate is not None and policy["kind"] == "SchedulingPolicy":
            yield from (f"{name}: the library refuses {field}" for field in next(manifests.validated([policy])))


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
                          check=False)


def certificate_is_trusted(manifests):
    script = manifests.example / "make_certificate.sh"
    service = manifests.one("Service")["metadata"]
    in_cluster = f"{service['name']}.{service['namespace']}.svc"
    with tempfile.TemporaryDirectory() as scratch:
        for directory, names, wanted in (
                ("by default", [], {f"DNS:{in_cluster}", "DNS:localhost", "IP Address:127.0.0.1"}),
                ("named", ["hook.example.com", "10.0.0.1"], {"DNS:hook.example.com", "IP Address:10.0.0.1"}),
                ("named", ["again.example.com"], {"DNS:again.example.com"})):
            folder = pathlib.Path(scratch) / directory
            made = run("sh", script, folder, *names)
            if made.returncode != 0 or made.stderr:
                yield f"{directory}: exit status {made.returncode}: {made.stderr}"
                return
            ca, cert, key = folder / "ca.crt", folder / "tls.crt", folder / "tls.key"
            if {path.name for path in folder.iterdir()} != {"ca.crt", "tls.crt", "tls.key"}:
                yield f"{directory}: has {sorted(path.name for path in folder.iterdir())}"
            if stat.S_IMODE(key.stat().st_mode) != 0o600:
                yield f"{directory}: the key has the mode {stat.S_IMODE(key.stat().st_mode):o}"
            if base64.b64decode(made.stdout, validate=False) != ca.read_bytes() or made.stdout.count("\n") != 1:
                yield f"{directory}: prints no caBundle on one line: {made.stdout}"
            shown = run("openssl", "x509", "-in", cert, "-noout", "-ext", "subjectAltName").stdout
            found = {name.strip() for name in shown.splitlines()[-1].split(",")}
            if found != wanted:
                yield f"{directory}: the certificate is for {found}, not {wanted}"
            strict = ("openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", ca)
            for name in wanted:
                kind, _, value = name.partition(":")
                check = "-verify_ip" if kind.startswith("IP") else "-verify_hostname"
                if run(*strict, check, value, cert).returncode != 0:
                    yield f"{directory}: not accepted for {name}"
            if run(*strict, "-verify_hostname", "other.example.com", cert).returncode == 0:
                yield f"{directory}: accepted for a name that it is not for"
            if run("openssl", "verify", "-no-CAfile", "-no-CApath", "-no-CAstore", cert).returncode == 0:
                yield f"{directory}: accepted without its CA"
            for days, status in ((29, 0), (31, 1)):
                if run("openssl", "x509", "-in", cert, "-noout", "-checkend", days * 86400).returncode != status:
                    yield f"{directory}: is not valid for 30 days"
            public = run("openssl", "pkey", "-in", key, "-pubout").stdout
            if not public or public != run("openssl", "x509", "-in", cert, "-noout", "-pubkey").stdout:
                yield f"{directory}: the key is not the certificate's"
        for arguments in ([], [""], [f"{scratch}/bad", ""], [f"{scratch}/bad", "a,DNS:b"], [f"{scratch}/bad", "a b"]):
            if run("sh", script, *arguments).returncode != 2 or (pathlib.Path(scratch) / "bad").exists():
                yield f"{arguments}: taken for names"


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        return 1
    manifests = Manifests(pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else None)
    checks = [manifests_are_files_with_a_purpose, crds_are_structural, sections_belong_to_one_applier,
              good_policies_are_taken, bad_policies_are_refused, nothing_dropped_becomes_any, library_agrees,
              webhooks_lock_nobody_out, objects_agree, mounted_policies_are_good]
    has_openssl = shutil.which("openssl") is not None
    if has_openssl:
        checks.append(certificate_is_trusted)
    failed = 0
    for check in checks:
        problems = list(check(manifests))
        for problem in problems:
            print(f"{check.__name__}: {problem}")
        failed += len(problems)
    print(f"{len(manifests.files)} manifests, {sum(map(len, GOOD.values()))} good and "
          f"{sum(map(len, BAD.values())) + len(BAD_DEFAULT_AFFINITIES)} bad policies, {failed} problems")
    if failed == 0 and not has_openssl:
        print("SKIPPED: openssl is not here; the manifests alone are good")
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
