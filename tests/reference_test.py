# SPDX-License-Identifier: Apache-2.0
"""examples/reference/ says of each kind what the code reads: a JSON Schema, and a page in YAML with every field.

    reference_test.py SOURCE_ROOT SCHEMAS EVALUATE [SCHEDPOL]          says what is not so, exits 1 if anything is
    reference_test.py SOURCE_ROOT SCHEMAS EVALUATE [SCHEDPOL] --write  writes the schemas, and the comments of the pages

SCHEMAS is the program of reference/schemas.cpp, EVALUATE and SCHEDPOL are those of examples/. Fields and types come
from json/impl/schema/, what they are for from the CRDs, or from reference/descriptions.yaml. The values of a page are
written by hand: a field that is new to the code is refused until the page has it.
"""

import copy
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import textwrap

SKIPPED = 77
missing = [name for name in ("yaml", "jsonschema") if importlib.util.find_spec(name) is None]
if missing:
    print(f"SKIPPED: the python module {missing[0]} is not here")
    sys.exit(SKIPPED)

import jsonschema  # pylint: disable=wrong-import-position
import yaml  # pylint: disable=wrong-import-position

WRITE = "--write" in sys.argv
ROOT, SCHEMAS, EVALUATE, *REST = [pathlib.Path(argument) for argument in sys.argv[1:] if argument != "--write"]
FOLDER = ROOT / "examples/reference"
# What stands below these is described where it stands in a policy.
SAME_AS = {"EngineConfiguration.options.exemptTolerations": "PodSchedulingPolicy.spec.tolerations",
           "EngineConfiguration.options.exemptAffinity": "PodSchedulingPolicy.spec.affinity"}
METADATA = ("name", "labels", "annotations")  # what people write of it, and the namespace where there is one
WIDTH = 110


def read_yaml(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def crds_by_kind():
    """Of the kinds that share a schema that of the cluster comes first, which has all fields."""
    found = {}
    for path in sorted((ROOT / "examples/manifests/crds").glob("*.yaml")):
        spec = read_yaml(path)["spec"]
        found.setdefault(spec["names"]["kind"].removeprefix("Cluster"), []).append(spec)
    return found


CRDS = crds_by_kind()


# ---- the schemas -------------------------------------------------------------------------------

def crds(kind):
    return CRDS.get(kind, [])


def crd_schema(kind):
    return next((crd["versions"][0]["schema"]["openAPIV3Schema"] for crd in crds(kind)), {})


def below(crd, *steps):
    """What a CRD says of a field, or of the items of a list or map."""
    for step in steps:
        crd = (crd.get("properties") or {}).get(step) or crd.get(step) or crd.get("additionalProperties") or {}
    return crd


class Describer:
    def __init__(self):
        self.texts = read_yaml(ROOT / "tests/reference/descriptions.yaml")
        self.used = set()
        self.problems = []

    def own_text(self, path):
        """The text whose name is the longest end of the path."""
        steps = path.split(".")
        for begin in range(len(steps)):
            name = ".".join(steps[begin:])
            if name in self.texts:
                self.used.add(name)
                return self.texts[name]
        return None

    def describe(self, schema, crd, path):
        """A schema with what each of its fields is for; another spelling says what it stands for already."""
        if schema.get("deprecated"):
            return schema
        described = {}
        text = crd.get("description") or self.own_text(path)
        if path in SAME_AS:
            kind, *steps = SAME_AS[path].split(".")
            crd = below(crd_schema(kind), *steps)
        if text is None:
            self.problems.append(f"{path}: neither a CRD nor descriptions.yaml says what it is for")
        else:
            described["description"] = " ".join(text.split())
        return described | self.without_text(schema, crd, path)

    def without_text(self, schema, crd, path):
        schema = dict(schema)
        if path.endswith(".metadata") and "properties" in schema:
            is_namespaced = any(crd["scope"] == "Namespaced" for crd in crds(path.split(".")[0]))
            schema["properties"] = {name: field for name, field in schema["properties"].items()
                                    if name in METADATA or (name == "namespace" and is_namespaced)}
        if "properties" in schema:
            schema["properties"] = {name: self.describe(field, below(crd, name), f"{path}.{name}")
                                    for name, field in schema["properties"].items()}
        for items in ("items", "additionalProperties"):
            if isinstance(schema.get(items), dict):
                text = below(crd, items).get("description") if "properties" in schema[items] else None
                schema[items] = ({"description": " ".join(text.split())} if text else {}) | self.without_text(
                    schema[items], below(crd, items), path)
        return schema


def made_schemas():
    """The schemas as they have to be, by kind, and what is wrong with their descriptions."""
    run = subprocess.run([SCHEMAS], text=True, capture_output=True, check=True)
    kinds = json.loads(run.stdout)
    codes = kinds.pop("ViolationCode")
    describer = Describer()
    made = {kind: describer.describe(schema, crd_schema(kind), kind) for kind, schema in kinds.items()}
    made["PolicyTest"] = read_yaml(ROOT / "tests/reference/PolicyTest.yaml")
    expect = made["PolicyTest"]["properties"]["cases"]["items"]["properties"]["expect"]["properties"]
    expect["reasons"]["items"]["properties"]["code"]["enum"] = codes  # that of warnings is the same object
    unused = set(describer.texts) - describer.used
    problems = describer.problems + [f"descriptions.yaml: {name} is no field that wants a text" for name in sorted(unused)]
    return {kind: {"$schema": "http://json-schema.org/draft-07/schema#", "title": kind} | schema
            for kind, schema in made.items()}, problems


def kinds_of(schema):
    kind = schema["properties"]["kind"]
    return kind.get("enum") or [kind["const"]]


def any_kind(schemas):
    """A schema of files that hold objects of any kind."""
    return {"$schema": "http://json-schema.org/draft-07/schema#",
            "title": "Whatever schedpol reads; objects of other kinds pass.",
            "allOf": [{"if": {"required": ["kind"], "properties": {"kind": {"enum": kinds_of(schema)}}},
                       "then": {"$ref": f"{name}.schema.json"}} for name, schema in schemas.items()]}


# ---- the pages ---------------------------------------------------------------------------------

class Page:
    """The text of a page: its values, and in front of each field that was not there before what it is for."""

    def __init__(self, name, schema):
        self.lines = []
        self.said = set()
        self.schema = schema
        self.lines += [f"# yaml-language-server: $schema={name}.schema.json", "# SPDX-License-Identifier: Apache-2.0"]
        self.comment(0, schema["description"])
        self.lines.append("")

    def comment(self, indent, text):
        start = " " * indent + "# "
        self.lines += textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=start, break_on_hyphens=False)

    def document(self, value):
        if any(line[:1].isalpha() for line in self.lines):
            self.lines.append("---")
        self.fields(value, self.schema, 0)

    def fields(self, value, schema, indent):
        known = schema.get("properties", {})
        for name in [name for name in known if name in value] + [name for name in value if name not in known]:
            field = known.get(name) or schema.get("additionalProperties") or {}
            if isinstance(field, bool):
                field = {}
            said = (name, json.dumps(field))
            items = field.get("items", {}).get("description", "")
            if name in known and said not in self.said:
                self.said.add(said)
                self.comment(indent, " ".join(text for text in (field.get("description", ""), items) if text))
            self.field(name, value[name], field, indent)

    def field(self, name, value, schema, indent):
        start, item = " " * indent, schema.get("items", {})
        if isinstance(value, dict) and value and (has_fields(schema) or has_fields(schema.get("additionalProperties"))):
            self.lines.append(f"{start}{flow(name)}:")
            self.fields(value, schema, indent + 2)
        elif isinstance(value, list) and value and has_fields(item):
            self.lines.append(f"{start}{flow(name)}:")
            for each in value:
                at = len(self.lines)
                self.fields(each, item, indent + 2)
                # The dash stands before the first field, which may have a comment above it.
                while self.lines[at].lstrip().startswith("#"):
                    self.lines[at] = " " * indent + self.lines[at].lstrip()
                    at += 1
                self.lines[at] = " " * indent + "- " + self.lines[at].lstrip()
        else:
            self.lines.append(f"{start}{flow(name)}: {flow(value)}")

    def text(self):
        return "\n".join(self.lines) + "\n"


def has_fields(schema):
    return isinstance(schema, dict) and "properties" in schema


def flow(value):
    return yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=float("inf")).replace("\n...", "").strip()


def documents(path):
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def made_page(kind, schema, path):
    page = Page(kind, schema)
    for document in documents(path):
        page.document(document)
    return page


def fields_of(schema, path):
    """All fields, each with what tells it from others that are described alike."""
    for name, field in schema.get("properties", {}).items():
        if not field.get("deprecated") and name != "status":
            yield (name, json.dumps(field)), f"{path}.{name}"
            yield from fields_of(field, f"{path}.{name}")
    for items in ("items", "additionalProperties"):
        if isinstance(schema.get(items), dict):
            yield from fields_of(schema[items], path)


def generated_files(schemas):
    """What stands in the folder besides its README, as it has to be."""
    texts = {f"{kind}.schema.json": json.dumps(schema, indent=1) + "\n" for kind, schema in schemas.items()}
    texts["schedpol.schema.json"] = json.dumps(any_kind(schemas), indent=1) + "\n"
    problems = []
    for kind, schema in schemas.items():
        page = made_page(kind, schema, FOLDER / f"{kind}.yaml")
        texts[f"{kind}.yaml"] = page.text()
        lacking = {said: path for said, path in fields_of(schema, kind) if said not in page.said}
        problems += [f"{kind}.yaml: does not show {path}" for path in lacking.values()]
    return texts, problems


# ---- what the schemas say of policies ----------------------------------------------------------

def validators(schemas):
    found = {}
    for schema in schemas.values():
        jsonschema.Draft7Validator.check_schema(schema)
        found |= {kind: jsonschema.Draft7Validator(schema) for kind in kinds_of(schema)}
    return found


def refusals(validator, document):
    return [f"{'.'.join(map(str, error.path))}: {error.validator}: {error.message}"[:300] for error in validator.iter_errors(document)]


def evaluate(requests):
    lines = "".join(json.dumps({"id": i, "op": op, "input": given}) + "\n" for i, (op, given) in enumerate(requests))
    run = subprocess.run([EVALUATE], input=lines, text=True, capture_output=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


VALIDATE = {"SchedulingPolicy": "schedulingPolicy.validate", "PodSchedulingPolicy": "podSchedulingPolicy.validate",
            "ClusterPodSchedulingPolicy": "podSchedulingPolicy.validate", "MetadataPolicy": "metadataPolicy.validate",
            "ResourcePolicy": "resourcePolicy.validate"}


MISTAKES = [
    # kind, what is replaced at which path, and what of the refusal is shown
    ("SchedulingPolicy", "apiVersion", "apps/v1", "apiVersion"),
    ("SchedulingPolicy", "kind", "SchedulingPolcy", "kind"),
    ("SchedulingPolicy", "metadata.name", None, "'name' is a required property"),
    ("SchedulingPolicy", "spec.allow", {}, "'allow' was unexpected"),
    ("SchedulingPolicy", "spec.allowed.schedulerName", ["s"], "'schedulerName' was unexpected"),
    ("SchedulingPolicy", "spec.allowed.schedulerNames", "default-scheduler", "is not of type 'array'"),
    ("SchedulingPolicy", "spec.allowed.SchedulerNames", ["s"], "not: "),
    ("SchedulingPolicy", "spec.allowedAffinities", {}, "not: "),
    ("SchedulingPolicy", "spec.allowed.nodeSelectors", {"arch": "amd64"}, "is not of type 'array'"),
    ("SchedulingPolicy", "spec.allowed.nodeSelectors", None, None),
    ("SchedulingPolicy", "spec.allowed.tolerations.0.key", "gpu", "'key' was unexpected"),
    ("SchedulingPolicy", "spec.allowed.tolerations.0.operators", ["Exist"], "'Exist' is not one of"),
    ("SchedulingPolicy", "spec.allowed.tolerations.0.effects", ["NoScheduled"], "'NoScheduled' is not one of"),
    ("SchedulingPolicy", "spec.default.tolerations.0.tolerationSeconds", "300", "is not of type 'integer'"),
    ("SchedulingPolicy", "spec.default.nodeSelector", {"windows": True}, "is not of type 'string'"),
    ("SchedulingPolicy", "spec.default.affinity.podAffinities", {}, "'podAffinities' was unexpected"),
    ("PodSchedulingPolicy", "kind", None, "'kind' is a required property"),
    ("PodSchedulingPolicy", "spec.podSelector.app", "web", "'app' was unexpected"),
    ("PodSchedulingPolicy", "spec.podSelector.matchExpressions.0.operator", "in", "'in' is not one of"),
    ("MetadataPolicy", "spec.rules.0.policyAction.reject", "true", "is not of type 'boolean'"),
    ("MetadataPolicy", "spec.rules.0.policyAction.updateLabels", {}, "'updateLabels' was unexpected"),
    ("ResourcePolicy", "spec.units.0.maxCount", "10", "is not of type 'integer'"),
    ("ResourcePolicy", "spec.units.0.maxResources", {"memory": "40 GB"}, "does not match"),
    ("ResourcePolicy", "spec.strategy", "Prefer", "'Prefer' is not one of"),
    ("EngineConfiguration", "systems.0.mode", "Enforced", "'Enforced' is not one of"),
    ("EngineConfiguration", "systems.0.system", None, "'system' is a required property"),
    ("EngineConfiguration", "policyUse", "RBAC", "'RBAC' is not one of"),
    ("PolicyTest", "cases.0.expects", {}, "'expects' was unexpected"),
    ("PolicyTest", "cases.0.expect.reason", [], "'reason' was unexpected"),
    ("PolicyTest", "cases.0.expect.allowed", "yes", "is not of type 'boolean'"),
    ("PolicyTest", "cases.2.expect.reasons.0.code", "RejectedByRules", "'RejectedByRules' is not one of"),
]


def with_mistake(document, path, value):
    document = copy.deepcopy(document)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    at = document
    for step in steps:
        at = at[step]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return document


def mistakes_are_refused(schemas):
    by_kind = validators(schemas)
    for kind, path, value, wanted in MISTAKES:
        document = with_mistake(documents(FOLDER / f"{kind}.yaml")[0], path, value)
        found = "\n".join(refusals(by_kind[kind], document))
        if (wanted or "") not in found or bool(wanted) != bool(found):
            yield f"{kind} with {path}: {value}: {wanted or 'nothing'} is wanted, and said is {found or 'nothing'}"
        if kind in VALIDATE and wanted and "." in path and not library_problems({"kind": kind} | document):
            yield f"{kind} with {path}: {value}: the library takes it"


def any_kind_is_told(schemas):
    """In one schema of all kinds each is judged by its own, and what is no kind of ours by none."""
    store = {f"{kind}.schema.json": schema for kind, schema in schemas.items()}
    resolver = jsonschema.RefResolver("", any_kind(schemas), store=store)
    validator = jsonschema.Draft7Validator(any_kind(schemas), resolver=resolver)
    for kind in schemas:
        for document in documents(FOLDER / f"{kind}.yaml"):
            if refusals(validator, document):
                yield f"schedpol.schema.json: refuses {document['kind']}"
            if not refusals(validator, document | {"typo": 1}):
                yield f"schedpol.schema.json: does not look at {document['kind']}"
    if refusals(validator, {"apiVersion": "v1", "kind": "Pod"}):
        yield "schedpol.schema.json: refuses a Pod"


def cases_are_read(schemas):
    """PolicyTest has the fields that the command line reads."""
    text = (ROOT / "examples/cli/cases.cpp").read_text(encoding="utf-8")
    read = sorted(name for names in re.findall(r"reader\.members\(from, \{(.*?)\}\)", text, re.DOTALL)
                  for name in re.findall(r'"(\w+)"', names))
    said = []
    seen = set()

    def look(schema):
        if "properties" in schema and json.dumps(schema) not in seen:
            seen.add(json.dumps(schema))
            said.extend(schema["properties"])
        for below_it in [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]:
            if isinstance(below_it, dict):
                look(below_it)

    look(schemas["PolicyTest"])
    if sorted(said) != read:
        yield f"PolicyTest has {', '.join(sorted(said))}, and examples/cli/cases.cpp reads {', '.join(read)}"


def the_command_line_agrees(_):
    """The cases of the page hold, and `lint` finds nothing wrong with the policies."""
    for program in REST:
        policies = [FOLDER / f"{kind}.yaml" for kind in (*CRDS, "EngineConfiguration")]
        for command in (["test", FOLDER / "PolicyTest.yaml"], ["lint", *policies]):
            run = subprocess.run([program, *command], text=True, capture_output=True)
            if run.returncode != 0:
                yield f"schedpol {command[0]}: {run.returncode}\n{run.stdout}{run.stderr}"


def library_problems(document):
    """What the library finds wrong with a document."""
    kind = document["kind"]
    if kind in VALIDATE:
        reply, = evaluate([(VALIDATE[kind], {"policy": document})])
    elif kind == "EngineConfiguration":
        reply, = evaluate([("engine.decide", {"configuration": [document], "object": {"kind": "Pod", "metadata": {"name": "p"}}})])
        return [reply["error"]] if "error" in reply else []
    else:
        return []
    return [reply["error"]] if "error" in reply else reply["result"]["errors"]


def pages_are_good(schemas):
    """Every page is valid by its schema, and the library finds nothing wrong with it."""
    by_kind = validators(schemas)
    for kind in schemas:
        for document in documents(FOLDER / f"{kind}.yaml"):
            for problem in refusals(by_kind[document["kind"]], document) + library_problems(document):
                yield f"{kind}.yaml: {problem}"


def objects_in(value):
    """The objects in documents, one by one, those of lists too."""
    if isinstance(value, list):
        for item in value:
            yield from objects_in(item)
    elif isinstance(value, dict):
        yield value
        if str(value.get("kind")).endswith("List"):
            yield from objects_in(value.get("items", []))


def examples_are_valid(schemas):
    """So is what stands in files of examples/, in YAML and in JSON."""
    by_kind = validators(schemas)
    seen = set()
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.suffix not in (".yaml", ".json") or FOLDER in path.parents or path.name == "package.json":
            continue
        for document in objects_in(documents(path)):
            if document.get("kind") not in by_kind:
                continue
            seen.add(document["kind"])
            for problem in refusals(by_kind[document["kind"]], document):
                yield f"{path.relative_to(ROOT)}: {problem}"
    if seen != set(by_kind):
        yield f"examples/ has only {', '.join(sorted(seen))}"


def without_nulls(value):
    """A null is absent, which no page shows anybody."""
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def policies_of_vectors():
    kinds = {"schedulingPolicy": "SchedulingPolicy", "rbac": "SchedulingPolicy", "metadataPolicy": "MetadataPolicy",
             "resourcePolicy": "ResourcePolicy", "podSchedulingPolicy": "PodSchedulingPolicy"}
    found = {}
    for path in sorted((ROOT / "tests/conformance").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            vector = json.loads(line)
            kind = kinds.get(vector.get("op", path.name).split(".")[0])
            for policy in vector.get("input", {}).get("policies", []) if kind else []:
                if isinstance(policy, dict):
                    found[json.dumps(policy)] = policy.get("kind", kind)
    return [(json.loads(text), kind) for text, kind in found.items()]


def vectors_are_valid(schemas):
    """What the library takes of the policies in the vectors is valid, with the head that a file has."""
    by_kind = validators(schemas)
    given = [(policy, kind) for policy, kind in policies_of_vectors() if kind in VALIDATE]
    replies = evaluate([(VALIDATE[kind], {"policy": {"kind": kind} | policy}) for policy, kind in given])
    taken = 0
    for (policy, kind), reply in zip(given, replies):
        usual = schemas["PodSchedulingPolicy" if kind.endswith("PodSchedulingPolicy") else kind]["properties"]["apiVersion"]["default"]
        found = refusals(by_kind[kind], without_nulls({"apiVersion": usual, "kind": kind} | policy))
        if "result" in reply and not reply["result"]["errors"]:
            taken += 1
            if found:
                yield f"{json.dumps(policy)}: {found}"
    if taken < 100:
        yield f"only {taken} policies of {len(given)} in vectors are good"


CHECKS = (pages_are_good, mistakes_are_refused, any_kind_is_told, examples_are_valid, vectors_are_valid, cases_are_read,
          the_command_line_agrees)


def main():
    schemas, problems = made_schemas()
    texts, more = generated_files(schemas)
    problems += more
    for name, text in texts.items():
        path = FOLDER / name
        if WRITE and not problems:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            problems.append(f"{name}: is not what the code says; tests/reference_test.py --write writes it")
    there = {path.name for path in FOLDER.iterdir()} - {"README.md", "web.yaml", "nodes.yaml", "namespaces.yaml"}
    problems += [f"{name}: is of no kind" for name in sorted(there - set(texts))]
    for check in CHECKS:
        problems += check(schemas)
    if not REST:
        print("not asked: the command line, which is not here")
    print(*problems, f"{len(schemas)} schemas and pages, {len(problems)} problems", sep="\n")
    sys.exit(1 if problems else 0)


main()
