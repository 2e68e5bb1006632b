# SPDX-License-Identifier: Apache-2.0
"""The formats of a report for machines: SARIF, JUnit and PolicyReports by their schemas, GitHub's annotations, JSON.

    cli_formats_test.py PROGRAM SOURCE_ROOT

The schema of SARIF comes from npm's registry, once for a build directory.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from cli_support import deployment, pod, policy, run

SCHEMA_PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
SCHEMA = "package/lib/schemas/sarif-2.1.0-rtm.5.json"

ODD = "<&>\"'%,: é\x1b\x07"
FILES = {"policies/a.yaml": policy("everyone", allowed={"schedulerNames": ["default-scheduler"]},
                                   default={"priorityClassName": "low"}),
         "web.yaml": deployment(), "bad, 100%: é.yaml": pod("miner", "shop", schedulerName=ODD, tolerations=[{"operator": "Exists"}]),
         "same.yaml": deployment(priorityClassName="low"),
         "tests.yaml": {"apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["policies"], "cases": [
             {"name": "good", "object": pod(), "expect": {"allowed": True}},
             {"name": ODD, "object": pod(), "expect": {"allowed": False}}]},
         "typo.yaml": "apiVersion: schedpol.io/v1alpha1\nkind: SchedulingPolicy\nmetadata: {name: x}\nspec:\n  typo: 1\n",
         "looser.yaml": policy("everyone")}
BAD = "bad, 100%: é.yaml"
# A sentence, the arguments, the exit status, and how many findings there are.
REPORTS = [
    ("denied", ["check", "policies", "--for", BAD, "--for", "web.yaml"], 1, 2),
    ("clean", ["check", "policies", "--for", "same.yaml"], 0, 0),
    ("not looked at", ["check", "policies", "--for", "web.yaml", "--for", "none.yaml"], 2, 0),
    ("no policies", ["check", "none.yaml", "--for", "web.yaml"], 2, 0),
    ("lint", ["lint", "typo.yaml"], 1, 1),
    ("lint of what is good", ["lint", "policies"], 0, 0),
    ("diff", ["diff", "policies", "looser.yaml", "--for", "web.yaml"], 1, 2),
    ("test", ["test", "tests.yaml"], 1, 1),
]


def sarif_schema():
    """The schema, or nothing where it cannot be had."""
    at = pathlib.Path(os.environ.get("MESON_BUILD_ROOT") or "/tmp/nowhere") / "sarif-schema.json"
    if at.exists():
        return json.loads(at.read_text(encoding="utf-8"))
    if not at.parent.exists() or shutil.which("npm") is None:
        return None
    done = subprocess.run(["npm", "pack", "--silent", SCHEMA_PACKAGE], cwd=at.parent, capture_output=True, text=True,
                          check=False, timeout=120)
    if done.returncode != 0:
        return None
    package = at.parent / done.stdout.strip().splitlines()[-1]
    with tarfile.open(package) as files:
        text = files.extractfile(SCHEMA).read()
    package.unlink()
    at.write_bytes(text)
    return json.loads(text)


def reports(cli, output):
    for sentence, arguments, status, findings in REPORTS:
        done = cli(*arguments, "-o", output, files=FILES)
        yield sentence, done, status, findings


def sarif_is_valid(cli, _):
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
        schema = sarif_schema()
    except ImportError:
        schema = None
    if schema is None:
        print("SKIPPED the schema of SARIF: npm's registry, or Python's jsonschema, cannot be had")
    for sentence, done, status, findings in reports(cli, "sarif"):
        log = json.loads(done.out)
        if schema is not None:
            for error in jsonschema.Draft7Validator(schema).iter_errors(log):
                yield f"{sentence}: {list(error.absolute_path)}: {error.message}"
        (one,) = log["runs"]
        rules = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
        if done.status != status or len(one["results"]) != findings:
            yield f"{sentence}: {done}"
        if one["invocations"][0]["executionSuccessful"] != (status != 2):
            yield f"{sentence}: whether all was looked at: {one['invocations']}"
        for result in one["results"]:
            if rules[result["ruleIndex"]] != result["ruleId"]:
                yield f"{sentence}: the rule of {result}"
        if sentence == "denied":
            where = one["results"][1]["locations"][0]["physicalLocation"]
            if where["artifactLocation"]["uri"] != "bad%2C%20100%25%3A%20%C3%A9.yaml" or where["region"]["startLine"] != 1:
                yield f"{sentence}: at {where}"


def sarif_describes_its_rules(cli, _):
    """Each has what code scanning shows of it, and there are no more results than that takes."""
    for sentence, done, _, _ in reports(cli, "sarif"):
        for rule in json.loads(done.out)["runs"][0]["tool"]["driver"]["rules"]:
            texts = [rule["name"]] + [rule[member]["text"] for member in ("shortDescription", "fullDescription", "help")]
            if not all(texts) or rule["name"] == rule["id"] or not rule["name"].lower().replace(" ", "").startswith(rule["id"].lower()):
                yield f"{sentence}: {rule}"
    for count, left_out in ((5000, None), (5001, "1 result beyond the first 5000 is left out"),
                            (6000, "1000 results beyond the first 5000 are left out")):
        done = cli("check", "policies", "--for", "-", "-o", "sarif", files=FILES,
                   stdin={"apiVersion": "v1", "kind": "List", "items": [pod(f"p{i}", schedulerName="own") for i in range(count)]})
        (one,) = json.loads(done.out)["runs"]
        said = [note["message"]["text"] for note in one["invocations"][0]["toolExecutionNotifications"] if note["level"] == "warning"]
        if done.status != 1 or len(one["results"]) != 5000 or one["properties"]["denied"] != count or said != ([left_out] if left_out else []):
            yield f"{count}: exit status {done.status}, {len(one['results'])} results, {said}, {one['properties']}"


# What the schema of Jenkins' JUnit plugin says of each element: its attributes, those it has to have, its children.
JUNIT = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "time", "skipped"}, {"name"}, {"testcase", "system-out"}),
    "testcase": ({"name", "classname", "time"}, {"name", "classname"}, {"failure", "error", "skipped", "system-out"}),
    "skipped": ({"message"}, set(), set()),
    "failure": ({"type", "message"}, set(), set()),
    "error": ({"type", "message"}, set(), set()),
    "system-out": (set(), set(), set()),
}


def junit_is_valid(cli, _):
    for sentence, done, status, _ in reports(cli, "junit"):
        root = xml.etree.ElementTree.fromstring(done.out)
        for parent in root.iter():
            known, needed, children = JUNIT[parent.tag]
            if not needed <= set(parent.attrib) <= known or not {child.tag for child in parent} <= children:
                yield f"{sentence}: {parent.tag} has {parent.attrib} and {[child.tag for child in parent]}"
        (suite,) = root
        counts = [len(list(suite.iter(tag))) for tag in ("testcase", "failure", "error")]
        if done.status != status or [int(suite.get(name)) for name in ("tests", "failures", "errors")] != counts:
            yield f"{sentence}: {suite.attrib}, not {counts}"
        if (counts[1] > 0, counts[2] > 0) != (status == 1, status == 2):
            yield f"{sentence}: exit status {done.status} and {counts}"
        if sentence == "test":
            names = [(one.get("name"), one.get("classname"), one.find("failure") is not None) for one in suite.iter("testcase")]
            if names != [("good", "tests.yaml", False), ("<&>\"'%,: é\\x1b\\x07", "tests.yaml", True)]:
                yield f"cases are {names}"
            failure = suite.find(".//failure")
            if failure.get("message") != "expected denied, but it is allowed" or "- allowed: false" not in failure.text:
                yield f"the failure says {failure.attrib} {failure.text}"


def github_annotates(cli, _):
    for sentence, done, status, findings in reports(cli, "github"):
        lines = done.out.splitlines()
        if done.status != status or not all(re.match(r"::(?:error|warning|notice) [^:]*(?:%3A[^:]*)*::.", line) for line in lines):
            yield f"{sentence}: {done}"
        if sum(not re.match(r"::\w+ title=schedpol::", line) for line in lines) != findings:
            yield f"{sentence}: not {findings} findings: {done}"
        if status == 2 and not any(line.startswith("::error title=schedpol::") for line in lines):
            yield f"{sentence}: nothing says what could not be looked at: {done}"
        if sentence == "denied" and not lines[0].startswith("::error file=bad%2C 100%25%3A é.yaml,line=1,col="):
            yield f"{sentence}: {lines[0]}"


# What the CRDs of wgpolicyk8s.io say of a report of v1alpha2, those of a namespace and of a cluster alike: the type of each
# field, or its words. An API server drops every other field. `policy` alone is required.
REFERENCE = dict.fromkeys(("apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"), str)
SELECTOR = {"matchLabels": dict, "matchExpressions": [{"key": str, "operator": str, "values": [str]}]}
OUTCOMES = ("pass", "fail", "warn", "error", "skip")
POLICY_REPORT = {
    "apiVersion": str, "kind": str, "metadata": dict, "scope": REFERENCE, "scopeSelector": SELECTOR,
    "summary": dict.fromkeys(OUTCOMES, int),
    "results": [{"category": str, "message": str, "policy": str, "properties": dict, "resourceSelector": SELECTOR,
                 "resources": [REFERENCE], "result": set(OUTCOMES), "rule": str, "scored": bool,
                 "severity": {"critical", "high", "low", "medium", "info"}, "source": str,
                 "timestamp": {"nanos": int, "seconds": int}}]}


def unfit(value, schema, at="report"):
    """Where a value is not what a schema says."""
    if isinstance(schema, dict) and isinstance(value, dict):
        for name, one in value.items():
            yield from unfit(one, schema[name], f"{at}.{name}") if name in schema else (f"{at}.{name} is no field",)
    elif isinstance(schema, list) and isinstance(value, list):
        for index, one in enumerate(value):
            yield from unfit(one, schema[0], f"{at}[{index}]")
    elif not (value in schema if isinstance(schema, set) and isinstance(value, str) else
              isinstance(schema, type) and type(value) is schema):  # pylint: disable=unidiomatic-typecheck
        yield f"{at} is {value!r}"


def policy_reports_are_valid(cli, _):
    """By the CRDs; the counts are those of the results, and each is about an object of the namespace."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    for arguments in [arguments for _, arguments, _, _ in REPORTS if arguments[0] == "check"] + [["check", "policies", "--for", "-"]]:
        done = cli(*arguments, "-o", "policyreport", files=FILES, stdin=[node, pod(ODD, "shop"), deployment("own", "team")])
        for report in json.loads(done.out)["items"]:
            yield from unfit(report, POLICY_REPORT)
            namespace = report["metadata"].get("namespace", "")
            kind = "PolicyReport" if namespace else "ClusterPolicyReport"
            counts = [sum(one["result"] == outcome for one in report["results"]) for outcome in OUTCOMES]
            if (report["apiVersion"], report["kind"]) != ("wgpolicyk8s.io/v1alpha2", kind) or report["metadata"]["name"] != "schedpol" or \
                    [report["summary"][outcome] for outcome in OUTCOMES] != counts or not all(one["policy"] for one in report["results"]):
                yield f"{arguments}: {report}"
            if any(one["resources"][0].get("namespace", "") != namespace for one in report["results"]):
                yield f"{arguments}: of another namespace: {report}"


def json_tells_what_was_looked_at(cli, _):
    for sentence, done, status, findings in reports(cli, "json"):
        report = json.loads(done.out)
        found = [finding for one in report["results"] for finding in one["findings"]]
        if done.status != status or len(found) != findings or bool(report["problems"]) != (status == 2):
            yield f"{sentence}: {done}"
        if status != 2 and any(one["good"] for one in report["results"]) and status == 1 and sentence == "lint":
            yield f"{sentence}: {done}"
        if sentence == "denied" and (report["summary"] != {
                "objects": 2, "allowed": 0, "changed": 1, "warned": 0, "audited": 0, "denied": 1, "undecided": 0,
                "notLookedAt": 0, "warnings": 0, "withoutTemplate": 0, "excluded": {"files": 0, "objects": 0},
                "passedOver": {"files": 0, "documents": 0}, "policies": 1, "everyPolicyUsed": True}
                or report["results"][1]["changes"] != [{"field": "spec.template.spec.priorityClassName", "from": None,
                                                        "to": "low", "policy": "everyone"}]):
            yield f"{sentence}: {done}"


CHECKS = (sarif_is_valid, sarif_describes_its_rules, junit_is_valid, github_annotates, policy_reports_are_valid,
          json_tells_what_was_looked_at)

if __name__ == "__main__":
    sys.exit(run(__doc__, CHECKS))
