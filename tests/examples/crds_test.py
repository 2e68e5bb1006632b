# SPDX-License-Identifier: Apache-2.0
"""The CRDs take good policies, refuse bad ones in a sentence, and agree with the library.

    crds_test.py SOURCE_ROOT [PATH_TO_REVIEW_BINARY PATH_TO_SPEC_FIELDS_BINARY]

Needs yaml and jsonschema; with the binaries, the library judges the same policies, and says which fields a
SchedulingPolicy has. Stands in for the API
server where that differs from plain JSON schema: fields that a schema does not have, nulls,
x-kubernetes-list-type, and CEL rules, which are evaluated by cel.py.
"""

import copy
import importlib.util
import json
import pathlib
import re
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

import cel  # pylint: disable=wrong-import-position

TIMEOUT_SECONDS = 120

# ---- what the API server asks of a CRD ---------------------------------------------------------

# No junctions: what the API server says of `not` and `anyOf` tells nobody what is wrong; nor patterns, of
# which it shows the expression. CEL rules have a message. But for the grammar of quantities: a rule that matches an
# integer or a text costs as much as one that matches the longest text.
KEYWORDS = {"minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "maxProperties", "format", "enum",
            "required", "properties", "items", "type", "description", "nullable", "additionalProperties",
            "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-validations"}


def structural_problems(schema, path="root"):
    """Why a schema is not structural, or could not be refused in a sentence."""
    is_quantity = schema.get("x-kubernetes-int-or-string") is True
    # What is refused whole may hold anything, so that strict validation does not complain of that first.
    is_refused = any(rule.get("rule") == "false" for rule in schema.get("x-kubernetes-validations", []))
    for keyword in set(schema) - KEYWORDS - ({"x-kubernetes-int-or-string", "pattern"} if is_quantity else set()) - (
            {"x-kubernetes-preserve-unknown-fields"} if is_refused else set()):
        yield f"{path}: {keyword} is not allowed here"
    kind = schema.get("type")
    if is_quantity and (kind is not None or "maxLength" not in schema):
        yield f"{path}: an integer or a text has no type, and a text an end"
    if not is_quantity and kind not in ("object", "array", "string", "integer", "boolean"):
        yield f"{path}: has the type {kind}"
    if ("items" in schema) != (kind == "array"):
        yield f"{path}: items are for lists, and lists need them"
    if kind != "object" and {"properties", "additionalProperties"} & set(schema):
        yield f"{path}: only objects have properties"
    if {"properties", "additionalProperties"} <= set(schema):
        yield f"{path}: has properties and additionalProperties"
    if schema.get("x-kubernetes-list-type") == "set" and schema["items"].get("type") != "string":
        yield f"{path}: a set of what is no string"
    # A rule below it costs as often as it can be evaluated, which has to be bounded.
    if kind == "array" and "maxItems" not in schema:
        yield f"{path}: has no maxItems"
    if "additionalProperties" in schema and "maxProperties" not in schema:
        yield f"{path}: has no maxProperties"
    if kind == "string" and "x-kubernetes-validations" in schema and "maxLength" not in schema:
        yield f"{path}: has rules and no maxLength"
    for name in schema.get("required", []):
        if name not in schema.get("properties", {}):
            yield f"{path}: requires {name}, which it does not have"
    for rule in schema.get("x-kubernetes-validations", []):
        if not {"rule", "message"} <= set(rule) <= {"rule", "message", "fieldPath"}:
            yield f"{path}: the rule {rule} has no message, or more"
        elif not re.fullmatch(r"[a-zA-Z][^\n]{9,}[^\n.]", rule["message"]) or any(
                word in rule["message"] for word in ("self", "(", "&&", "||")):
            yield f"{path}: {rule['message']!r} is no sentence"
    for name, value in schema.get("properties", {}).items():
        yield from structural_problems(value, f"{path}.{name}")
    for part in ("items", "additionalProperties"):
        if part in schema:
            yield from structural_problems(schema[part], f"{path}.{part}")


# ---- what the API server does with an object ---------------------------------------------------

def store(value, schema, path=""):
    """Drops, as the API server does, what has no schema and nulls whose schema is not nullable; lists the
    former, which strict field validation refuses."""
    unknown = []
    if isinstance(value, dict) and not schema.get("x-kubernetes-preserve-unknown-fields"):
        for name in list(value):
            field = f"{path}.{name}" if path else name
            part = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if part is None:
                if path != "metadata":
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
    """The same in the words of JSON schema, without the rules."""
    schema = {name: value for name, value in schema.items() if name != "x-kubernetes-validations"}
    if schema.get("x-kubernetes-int-or-string"):
        schema["type"] = ["integer", "string", "null"]
    elif schema.get("nullable"):
        schema["type"] = [schema["type"], "null"]
    if "properties" in schema:
        schema["properties"] = {name: to_json_schema(part) for name, part in schema["properties"].items()}
    for part in ("items", "additionalProperties"):
        if part in schema:
            schema[part] = to_json_schema(schema[part])
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

# The API server evaluates no rule where one of these is broken.
BLOCKING = ("type", "required", "enum", "maxLength", "maxItems", "maxProperties")


def field_path(parts):
    text = ""
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def broken_rules(value, schema, path=()):
    """(field, message) of every rule that does not hold; a null is not judged by its own rules."""
    if value is None:
        return
    for rule in schema.get("x-kubernetes-validations", []):
        if cel.evaluate(rule["rule"], self=value) is not True:
            yield field_path(path) + rule.get("fieldPath", ""), rule["message"]
    if isinstance(value, dict):
        for name, item in value.items():
            part = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if part is not None:
                yield from broken_rules(item, part, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from broken_rules(item, schema["items"], (*path, index))


class Crd:
    def __init__(self, manifest):
        self.manifest = manifest
        spec = manifest["spec"]
        self.kind = spec["names"]["kind"]
        self.schema = spec["versions"][0]["schema"]["openAPIV3Schema"]
        self.validator = Validator(to_json_schema(self.schema))

    def object(self, spec, name="my-policy"):
        group, version = self.manifest["spec"]["group"], self.manifest["spec"]["versions"][0]["name"]
        metadata = {"name": name}
        if self.manifest["spec"]["scope"] == "Namespaced":
            metadata["namespace"] = "team-a"
        return {"apiVersion": f"{group}/{version}", "kind": self.kind, "metadata": metadata, "spec": spec}

    def errors(self, policy):
        """Fields that are not known, fields that are wrong, and the object as it would be stored."""
        stored = copy.deepcopy(policy)
        unknown = store(stored, self.schema)
        fields, blocked = [], False
        for error in self.validator.iter_errors(stored):
            path = list(error.absolute_path)
            if error.validator == "required":
                path.append(next(name for name in error.validator_value if name not in error.instance))
            fields.append(field_path(path))
            blocked = blocked or error.validator in BLOCKING
        if not blocked:
            fields += [field for field, _ in broken_rules(stored, self.schema)]
        return unknown, fields, stored


def load(root):
    """The CRDs by kind, in the order of their files."""
    found = map(Crd, (yaml.safe_load(path.read_text(encoding="utf-8"))
                      for path in sorted((root / "examples/manifests/crds").glob("*.yaml"))))
    return {crd.kind: crd for crd in found}


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
        {"allowed": {"affinities": {"nodeAffinities": {PREFERRED: {"nodeSelectorTerms": []}},
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
             "policyAction": {"updatedAnnotations": {"scheduler.alpha.kubernetes.io/name": "batch", "A.com/x": "b"}}}]},
        {"rules": [{}, {"policyPredicate": {}, "policyAction": {}},
                   {"policyAction": {"reject": True, "updatedLabels": {}}}]},
        # Updates of a rule that rejects have no effect.
        {"rules": [{"policyAction": {"reject": True, "updatedLabels": {"a": "b"}, "updatedAnnotations": {"a": "b"}}}]},
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
        {"matchLabelKeys": ["pod-template-hash", "app"], "podSelector": {
            "matchLabels": {"tier": "web"}, "matchExpressions": [{"key": "track", "operator": "Exists"}]}},
        {"units": [{"maxResources": {}}, {"maxResources": {
            "cpu": 2, "memory": "8Gi", "ephemeral-storage": "1.5e3", "hugepages-2Mi": "4Mi", "example.com/gpu": "0",
            "attachable-volumes-x": "+1", "a.kubernetes.io/b": ".5"}}]},
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


CAPITAL_PREFIX = "A.com/x"  # which the key of an annotation may have
BAD_KEYS = ["", "-a", "a_", "a b", "a/b/c", "/a", "a/", CAPITAL_PREFIX, "a..b/x", "k" * 64, f"{LONG_PREFIX}.ppp/k", "a\n"]
BAD_NAMES = ["Not_A_Name", "-a", "a-", "a..b", "a b"]
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
        yield from ((f"{section}.nodeSelectors", at(f"{section}.nodeSelectors", {key: ["a"]})) for key in BAD_KEYS)
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
                for lists in ({"nodeSelectorTerms": []}, {"nodeSelectorTerms": [], "topologyKeys": []}):
                    yield f"{section}.affinities", at(f"{section}.affinities.{kind}.{mode}", lists)
            yield f"{section}.affinities.{kind}.{REQUIRED}", at(f"{section}.affinities.{kind}.{REQUIRED}", [])
        for mode in (REQUIRED, PREFERRED):
            terms = f"{section}.affinities.nodeAffinities.{mode}.nodeSelectorTerms"
            yield terms + "[0]", at(terms, [{}])
            for lists in ({"topologyKeys": []}, {"nodeSelectorTerms": [], "topologyKeys": []}):
                yield f"{section}.affinities", at(f"{section}.affinities.nodeAffinities.{mode}", lists)
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
            ("", {"operator": "Exists", "value": "b", "values": ["c"]}),
            ("", {"key": "a", "operator": "Exists", "value": "b"}),
            ("", {"key": "a", "operator": "Exists", "values": ["b"]})):
        yield f"{toleration}.{field}".rstrip("."), at(toleration, wrong)
    for key in BAD_KEYS[1:]:
        yield f"{toleration}.key", at(toleration, {"key": key})
    for value in [*BAD_VALUES, 1]:
        yield "default.nodeSelector.disk", at("default.nodeSelector.disk", value)
    yield from (("default.nodeSelector", {"default": {"nodeSelector": {key: "a"}}}) for key in BAD_KEYS)
    for name in ("schedulerName", "priorityClassName"):
        yield f"default.{name}", {"required": {f"{name}s": ["a"]}, "default": {name: "b"}}
    for name in BAD_NAMES:
        yield "default.priorityClassName", at("default.priorityClassName", name)
    yield "default.schedulerName", at("default.schedulerName", ["a"])
    yield "default.schedulerNames", at("default.schedulerNames", ["a"])
    yield "allowedAffinity", {"allowedAffinity": {}}


def bad_selectors(path):
    for field, wrong in (
            ("matchLabels.app", {"matchLabels": {"app": "a b"}}),
            ("matchLabels.app", {"matchLabels": {"app": 1}}),
            # Without it the rest selects more, or everything.
            ("matchLabels", {"matchLabels": {"app": None}}),
            *[("matchLabels", {"matchLabels": {key: "a"}}) for key in BAD_KEYS],
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
                ("", {"topologyKey": "a", "labelSelector": {}, "matchLabelKeys": ["a"], "mismatchLabelKeys": ["b", "a"]}),
                ("labelSelector.matchLabels.a", {"topologyKey": "a", "labelSelector": {"matchLabels": {"a": "b c"}}})):
            spec = at(item, wrong)
            if PREFERRED in item:
                spec = at(item.removesuffix(".podAffinityTerm"), {"weight": 1, "podAffinityTerm": wrong})
            yield f"{item}.{field}".rstrip("."), spec


def bad_injecting_policies():
    yield from bad_selectors("podSelector")
    yield from bad_affinities("affinity")
    yield "nodeSelector.disk", at("nodeSelector.disk", "a b")
    yield from (("nodeSelector", {"nodeSelector": {key: "a"}}) for key in BAD_KEYS)
    yield from (("nodeName", {"nodeName": name}) for name in [*BAD_NAMES, 1])
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
    yield action + ".reject", at(action, {"reject": "yes"})
    yield action + ".updatedLabels.a", at(action, {"updatedLabels": {"a": "b c"}})
    yield action + ".updatedLabels.a", at(action, {"reject": True, "updatedLabels": {"a": "b c"}})
    for key in BAD_KEYS:
        yield action + ".updatedLabels", at(action, {"updatedLabels": {key: "b"}})
        if key != CAPITAL_PREFIX:
            yield action + ".updatedAnnotations", at(action, {"updatedAnnotations": {key: "b"}})
    yield action + ".updatedAnnotations.a", at(action, {"updatedAnnotations": {"a": 1}})
    annotations = "rules[0].policyPredicate.annotationSelector"
    yield annotations + ".matchLabels", at(annotations, {"matchLabels": {"a": None}})
    yield annotations + ".matchLabels", at(annotations, {"matchLabels": {"a b": "c"}})
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
    for name in (*BAD_KEYS, "cpus", "pods", "storage", "requests.example.com/gpu"):
        yield "units[0].maxResources", at("units[0].maxResources", {name: 1})
    for quantity in (-1, "-1", "-1m", "", "2 Gi", "1gi", "1e", "1" * 65 + "x", [], True):
        yield "units[0].maxResources.cpu", at("units[0].maxResources", {"cpu": quantity})
    yield "units[0].maxResources", at("units[0].maxResources", {f"a.com/r{i}": 1 for i in range(33)})
    yield "matchLabelKeys[0]", {"matchLabelKeys": ["a b"]}
    yield "matchLabelKeys[2]", {"matchLabelKeys": ["a", "b", "a"]}
    yield "matchLabelKeys", {"matchLabelKeys": ["a", "b"], "podSelector": {"matchLabels": {"b": "c"}}}
    yield "matchLabelKeys", {"matchLabelKeys": ["a", "b"], "podSelector": {
        "matchExpressions": [{"key": "c", "operator": "Exists"}, {"key": "a", "operator": "Exists"}]}}
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

# A misspelt name of a map that means any when it is empty.
BAD["SchedulingPolicy"] += [(f"{section}.{path}", at(f"{section}.{path}.{name}", value))
                            for section in ("required", "allowed") for path, name, value in (
                                ("affinities", "nodeAfinities", {}), ("affinities", "nodeAffinity", {}),
                                ("affinities.nodeAffinities", "required", {"nodeSelectorTerms": []}),
                                ("affinities.podAffinities", "preferred", {"topologyKeys": []}))]

KINDS = (("nodeAffinities", "nodeSelectorTerms"), ("podAffinities", "topologyKeys"), ("podAntiAffinities", "topologyKeys"))


def null_affinities(section):
    """Nulls below a kind of affinity: where its modes and their lists stand."""
    for kind, listed in KINDS:
        for mode in (REQUIRED, PREFERRED):
            yield f"{section}.affinities.{kind}", at(f"{section}.affinities.{kind}.{mode}", None)
            yield f"{section}.affinities", at(f"{section}.affinities.{kind}.{mode}.{listed}", None)


# Nulls alone say nothing, which nobody can require.
BAD["SchedulingPolicy"] += [("required.affinities", at(f"required.affinities.{kind}", None)) for kind, _ in KINDS]
BAD["SchedulingPolicy"] += [*null_affinities("required")]

# A default affinity goes into pods, so the schema refuses what the API server would refuse there.
BAD_DEFAULT_AFFINITIES = [*bad_affinities("default.affinity")]

# What the API server refuses and the library takes: nulls, and modes without their list, because kubectl and
# others drop nulls, and `{}`, which means any, is what remains.
STRICTER = [(f"{section}.{field}", at(f"{section}.{path}", value)) for section in ("required", "allowed")
            for field, path, value in (("nodeSelectors", "nodeSelectors.disk", None),
                                       *[("affinities", f"affinities.{kind}.{mode}", {})
                                         for mode in (REQUIRED, PREFERRED) for kind, _ in KINDS])]
STRICTER += [("allowed.affinities", at(f"allowed.affinities.{kind}", None)) for kind, _ in KINDS]
STRICTER += [*null_affinities("allowed")]

# Spellings that only examples of the proposal have, and what is right.
EXPRESSION = f"default.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0]"
PREFERENCE = f"default.affinity.nodeAffinity.{PREFERRED}[0]"
OTHER_SPELLINGS = [(f"{section}.{wrong}", at(f"{section}.{wrong}", value), right) for section in ("required", "allowed")
                   for wrong, right in (("SchedulerNames", "schedulerNames"), ("priorityClasseNames", "priorityClassNames"))
                   for value in ([], ["a"]) if value or section == "allowed"]
OTHER_SPELLINGS += [
    ("default.SchedulerName", at("default.SchedulerName", "a"), "schedulerName"),
    ("default.priorityClasseName", at("default.priorityClasseName", "a"), "priorityClassName"),
    *[("allowedAffinities", {"allowedAffinities": value}, "allowed.affinities") for value in ({}, {"nodeAffinities": {}})],
    (f"{EXPRESSION}.keys", at(EXPRESSION, {"keys": ["a"], "operator": "Exists"}), "key"),
    (f"{EXPRESSION}.operators", at(EXPRESSION, {"key": "a", "operators": ["Exists"]}), "operator"),
    (f"{PREFERENCE}.preference.matchExpressions[0].keys", at(PREFERENCE, {
        "weight": 1, "preference": {"matchExpressions": [{"keys": ["a"], "operator": "Exists"}]}}), "key")]
STRICTER += [(field, spec) for field, spec, _ in OTHER_SPELLINGS]

# One that means nothing anywhere else.
TOO_DEEP = [(f"{section}.affinities.nodeAffinities.{REQUIRED}.podAntiAffinities",
             at(f"{section}.affinities.nodeAffinities.{REQUIRED}", {"nodeSelectorTerms": [], "podAntiAffinities": value}))
            for section in ("required", "allowed") for value in ({}, {REQUIRED: {"topologyKeys": []}})]
BAD["SchedulingPolicy"] += TOO_DEEP

# A null maximum is 0 to the library, and gone, so any amount, where kubectl has dropped it.
STRICTER_RESOURCES = [("units[0].maxResources", at("units[0].maxResources", {"cpu": None}))]

# A misspelt list of a mode: without strict validation the API server drops it, and refuses what is left.
DROPPED_LISTS = [(f"{section}.affinities.{kind}.{mode}.{wrong}", at(f"{section}.affinities.{kind}.{mode}.{wrong}", []))
                 for section in ("required", "allowed") for mode in (REQUIRED, PREFERRED)
                 for kind, wrong in (("nodeAffinities", "nodeSelectorTerm"), ("podAffinities", "topologyKey"))]

# ---- the checks --------------------------------------------------------------------------------


def crds_are_structural(crds):
    if set(crds) != set(GOOD):
        yield f"there are CRDs of {sorted(crds)}, not of {sorted(GOOD)}"
    for kind, crd in crds.items():
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
        version, = spec["versions"]
        if (version["name"], version["served"], version["storage"]) != ("v1alpha1", True, True) or (
                spec.get("preserveUnknownFields")):
            yield f"{name}: has the version {version['name']}, or keeps unknown fields"
        yield from (f"{name}: {problem}" for problem in structural_problems(crd.schema))
        if crd.schema["properties"]["metadata"] != {"type": "object"} or crd.schema["required"] != ["spec"]:
            yield f"{name}: metadata is the API server's, and spec is needed"


def sections_belong_to_one_applier(crds):
    spec = crds["SchedulingPolicy"].schema["properties"]["spec"]
    for section in ("required", "allowed", "default"):
        if spec["properties"][section].get("x-kubernetes-map-type") != "atomic":
            yield f"spec.{section}: two appliers are merged into a list that neither wrote"


def every_field_is_explained(crds):
    """By `kubectl explain`, in a sentence; metadata by the API server."""
    def fields(schema, path):
        for name, part in schema.get("properties", {}).items():
            yield f"{path}.{name}", part
            yield from fields(part, f"{path}.{name}")
        for below in ("items", "additionalProperties"):
            if below in schema:
                yield from fields(schema[below], path)
    for kind, crd in crds.items():
        for path, part in fields(crd.schema, kind):
            text = part.get("description", "")
            if path != f"{kind}.metadata" and not re.fullmatch(r"[A-Z][^\n]{9,}[.]", text):
                yield f"{path}: is explained by {text!r}"


STATUS = {"ResourcePolicy": {
    "summary": "burst 40/40, static 3", "waiting": 1, "waitingPods": [{"name": "web-1", "reason": "unit `burst` is full"}],
    "units": [{"name": "burst", "pods": 40, "maxCount": 40, "requests": {"cpu": "1500m"}, "maxResources": {"cpu": "2"}},
              {"name": "", "pods": 3}]}}
CONDITION = {"type": "Accepted", "status": "False", "observedGeneration": 3, "reason": "Invalid",
             "lastTransitionTime": "2026-01-01T00:00:00Z", "message": "spec.units[0].priority: is negative"}


def a_status_is_kept_and_shown(crds):
    for kind, crd in crds.items():
        version, = crd.manifest["spec"]["versions"]
        if version.get("subresources") != {"status": {}}:
            yield f"{kind}: has no status of its own"
        policy = {**crd.object(GOOD[kind][0]), "status": {"conditions": [CONDITION], **STATUS.get(kind, {})}}
        unknown, fields, stored = crd.errors(policy)
        if unknown or fields or stored != policy:
            yield f"{kind}: refuses the status for {unknown + fields}"
        conditions = crd.schema["properties"]["status"]["properties"]["conditions"]
        if (conditions["x-kubernetes-list-type"], conditions["x-kubernetes-list-map-keys"]) != ("map", ["type"]):
            yield f"{kind}: appliers of one condition write over the others"
        shown = {column["name"]: column["jsonPath"] for column in version["additionalPrinterColumns"] if not column.get("priority")}
        path = '.status.conditions[?(@.type=="Accepted")].'
        if shown != {"Accepted": path + "status", "Reason": path + "reason", "Age": ".metadata.creationTimestamp"}:
            yield f"{kind}: shows {shown}"
        wide = {column["name"]: column["jsonPath"] for column in version["additionalPrinterColumns"] if column.get("priority")}
        if wide != ({"Units": ".status.summary", "Waiting": ".status.waiting"} if kind == "ResourcePolicy" else {}):
            yield f"{kind}: shows {wide} with -o wide"


def good_policies_are_taken(crds):
    for kind, specs in GOOD.items():
        for spec in specs:
            unknown, fields, stored = crds[kind].errors(crds[kind].object(spec))
            if unknown or fields:
                yield f"{kind} {spec}: refused for {unknown + fields}"
            elif stored["spec"] != spec:
                yield f"{kind} {spec}: stored as {stored['spec']}"


def bad_policies_are_refused(crds):
    cases = [(kind, *case) for kind, specs in BAD.items() for case in specs]
    cases += [("SchedulingPolicy", *case) for case in BAD_DEFAULT_AFFINITIES + STRICTER]
    cases += [("ResourcePolicy", *case) for case in STRICTER_RESOURCES]
    for kind, field, spec in cases:
        unknown, fields, _ = crds[kind].errors(crds[kind].object(spec))
        if set(unknown + fields) != {f"spec.{field}"}:
            yield f"{kind} {str(spec)[:300]}: refused for {unknown + fields}, not for spec.{field}"
    for kind, crd in crds.items():
        policy = crd.object({})
        del policy["spec"]
        if crd.errors(policy)[1] != ["spec"]:
            yield f"{kind}: taken without a spec"


def nothing_dropped_becomes_any(crds):
    crd = crds["SchedulingPolicy"]
    for field, spec in DROPPED_LISTS:
        unknown, fields, _ = crd.errors(crd.object(spec))
        if unknown != [f"spec.{field}"] or set(fields) != {f"spec.{field[:field.index('.')]}.affinities"}:
            yield f"{spec}: refused for {unknown} and {fields}"


def spellings_of_the_proposal_are_told_apart(crds):
    """Each by its name, with what is right, whether validation is strict or not."""
    crd = crds["SchedulingPolicy"]
    for field, spec, right in [*OTHER_SPELLINGS, *[(field, spec, "nodeAffinities") for field, spec in TOO_DEEP]]:
        policy = crd.object(spec)
        unknown, _, stored = crd.errors(policy)
        told = [message for place, message in broken_rules(stored, crd.schema) if place == f"spec.{field}"]
        if unknown or len(told) != 1 or not re.search(rf"\b{right}( |;|$)", told[0]):
            yield f"{field}: {unknown} is unknown, and {told} is told"


def unknown_rules_are_errors(_):
    """What the stand-in for CEL does not know must not pass for a rule that holds."""
    policy = {"a": {"b": 1}, "list": ["x"], "null": None}
    for text, wanted in (("has(self.a.b) && self.a.b == 1", True), ("has(self.null)", False), ("'null' in self", True),
                         ("self.list.all(item, item.matches('^[a-w]$'))", False), ("!('x' in self.list)", False),
                         ("has(self.b) ? self.b.c : self.list.exists(i, i == 'x')", True),
                         ("size(self.list) > 0 || self.missing", True), ("dyn(self['null']) == null", True),
                         ("'a\\n'.matches('^a$')", False), ("r'\\w'.matches(r'^\\\\w$')", True)):
        if cel.evaluate(text, self=policy) is not wanted:
            yield f"{text} is not {wanted}"
    for text in ("self.b", "self.list.map(i, i)", "size(self.a) = 1", "self.a.b.c", "selfie", "has(self.b.c)", "1 || true",
                 "self['c']", "duration('1s')", "true true", "(true", "!1"):
        try:
            yield f"{text} is {cel.evaluate(text, self=policy)}"
        except (cel.CelError, AttributeError, TypeError, IndexError):
            pass


def judged_by_library(review, policies):
    """For each policy the fields that the library finds wrong: a file each for the program that tells what is
    wrong with the configurations it reads."""
    found = [[] for _ in policies]
    with tempfile.TemporaryDirectory() as scratch:
        for index, policy in enumerate(policies):
            named = {**policy, "metadata": {**policy["metadata"], "name": f"p{index}"}}
            (pathlib.Path(scratch) / f"p{index}.json").write_text(json.dumps(named), encoding="utf-8")
        done = subprocess.run([review, *sorted(pathlib.Path(scratch).iterdir())], input=b"", capture_output=True,
                              timeout=TIMEOUT_SECONDS, check=False)
    for line in done.stderr.decode().splitlines():
        # `KIND[NAMESPACE/NAME].FIELD`: what is wrong, or, of what cannot be read, FILE: `FIELD`: what is wrong
        place = re.match(r"`\w+\[(?:[-\w]+/)?p(\d+)\]\.([^`]*)`|.*/p(\d+)\.json: `([^`]*)`", line)
        if place is not None:
            found[int(place[1] or place[3])].append(place[2] or place[4])
    return found


def container(field):
    """Where the library's path begins: a map for what is wrong with a key or a value in it, and what the API server
    calls a namespace or a value that is wrong in a pod."""
    maps = "nodeSelectors?|matchLabels|updatedLabels|updatedAnnotations|maxResources"
    for place, other in ((rf"({maps})\.(?!matchLabels)\w+(\[\d\])?$", r"\1"), (r"\.namespaces\[0\]$", ".namespace"), (r"^(tolerations\[0\])\.value$", r"\1.operator")):
        field = re.sub(place, other, field)
    return f"spec.{field}"


def library_agrees(crds, review):
    """The library refuses what the schema refuses, for the same field or one in it, and takes what it takes."""
    bad = [(crds[kind].object(spec), container(field)) for kind, specs in BAD.items() for field, spec in specs]
    bad += [(crds["SchedulingPolicy"].object(spec), container(field))
            for field, spec in DROPPED_LISTS + BAD_DEFAULT_AFFINITIES]
    good = [crds[kind].object(spec) for kind, specs in GOOD.items() for spec in specs]
    good += [crds["SchedulingPolicy"].object(spec) for _, spec in STRICTER]
    good += [crds["ResourcePolicy"].object(spec) for _, spec in STRICTER_RESOURCES]
    good += [{**policy, "status": {"conditions": [CONDITION], **STATUS.get(policy["kind"], {})}} for policy in good]
    found = judged_by_library(review, [policy for policy, _ in bad] + good)
    for (policy, field), fields in zip(bad, found):
        if not fields or any(not (other + ".").startswith((field + ".", field + "[")) for other in fields):
            yield f"{policy['kind']} {str(policy['spec'])[:300]}: the schema refuses {field}, the library {fields}"
    for policy, fields in zip(good, found[len(bad):], strict=True):
        if fields:
            yield f"{policy['kind']} {str(policy['spec'])[:300]}: the library is to take it, and refuses {fields}"


def properties(schema):
    """The fields of what a schema describes, or of the items of its list, without those that it refuses by name; none
    where it describes no fields."""
    while "items" in schema:
        schema = schema["items"]
    return {name: part for name, part in schema.get("properties", {}).items()
            if all(rule["rule"] != "false" for rule in part.get("x-kubernetes-validations", []))}


# What the library has a place for in every section, and `validate` refuses in `required`.
ALLOWED_ALONE = {"topologySpreadConstraints", "schedulingGates", "resourceClaims"}


def fields_are_those_of_the_library(crds, spec_fields):
    """Where both describe the fields of a SchedulingPolicy, they have the same ones. In rules on affinity the CRD
    describes a map, whose keys its rules limit."""
    printed = subprocess.run([spec_fields], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True)
    described = {}
    for path in printed.stdout.split():
        parent, _, name = path.rpartition(".")
        described.setdefault(parent, set()).add(name)
    compared = []
    for parent, names in described.items():
        schema = crds["SchedulingPolicy"].schema["properties"]["spec"]
        for name in filter(None, parent.split(".")):
            schema = properties(schema).get(name, {})
        if not properties(schema):
            continue
        compared.append(parent)
        if parent == "required":
            names = names - ALLOWED_ALONE
        for name in sorted(names ^ set(properties(schema))):
            owner = "the library" if name in names else "the CRD"
            yield f"spec.{parent}: only {owner} has {name}"
    if not {"", "required", "allowed", "default", "required.tolerations", "default.affinity"} <= set(compared):
        yield f"only the fields of {compared} were compared"


def main():
    if len(sys.argv) not in (2, 4):
        print(__doc__)
        return 1
    crds = load(pathlib.Path(sys.argv[1]))
    checks = [crds_are_structural, every_field_is_explained, sections_belong_to_one_applier, a_status_is_kept_and_shown, good_policies_are_taken,
              bad_policies_are_refused, nothing_dropped_becomes_any, spellings_of_the_proposal_are_told_apart, unknown_rules_are_errors]
    if len(sys.argv) == 4:
        def library(crds):
            return library_agrees(crds, sys.argv[2])

        def fields(crds):
            return fields_are_those_of_the_library(crds, sys.argv[3])
        checks += [library, fields]
    else:
        print("library_agrees: SKIPPED: no binaries were given")
    failed = 0
    for check in checks:
        for problem in check(crds):
            print(f"{check.__name__}: {problem}")
            failed += 1
    print(f"{len(crds)} CRDs, {sum(map(len, GOOD.values()))} good and "
          f"{sum(map(len, BAD.values())) + len(BAD_DEFAULT_AFFINITIES + STRICTER + STRICTER_RESOURCES)} bad policies, {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
