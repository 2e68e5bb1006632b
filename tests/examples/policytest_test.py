# SPDX-License-Identifier: Apache-2.0
"""The example that tests policies: its report, its JUnit XML, its exit status, and which rules it
finds that no case exercises.

    policytest_test.py PROGRAM SOURCE_ROOT
"""

import difflib
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

TIMEOUT_SECONDS = 120
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def engine(*systems, mode="Enforce"):
    return {"kind": "EngineConfiguration", "policyUse": "Every",
            "systems": [{"system": system, "mode": mode} for system in systems]}


def policy(name, allowed=None, required=None, default=None):
    """A SchedulingPolicy; without more, it allows every scheduler and nothing else."""
    spec = {"allowed": {"schedulerNames": []} if allowed is None else allowed}
    spec |= {"required": required} if required else {}
    spec |= {"default": default} if default else {}
    return {"kind": "SchedulingPolicy", "metadata": {"name": name}, "spec": spec}


def inject(name, **spec):
    return {"kind": "PodSchedulingPolicy", "metadata": {"name": name, "namespace": "n"},
            "spec": {"podSelector": {}} | spec}


def metadata_policy(*rules):
    return {"kind": "MetadataPolicy", "metadata": {"name": "m", "namespace": "n"}, "spec": {"rules": list(rules)}}


def metadata_rule(app, **action):
    return {"policyPredicate": {"labelSelector": {"matchLabels": {"app": app}}}, "policyAction": action}


def resource_policy(name, app):
    return {"kind": "ResourcePolicy", "metadata": {"name": name, "namespace": "n"},
            "spec": {"podSelector": {"matchLabels": {"app": app}}}}


def pod(app="web", **spec):
    return {"metadata": {"name": "p", "namespace": "n", "labels": {"app": app}}, "spec": spec}


def zones(*expressions):
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}}}


def near(key):
    return {"podAffinity": {REQUIRED: [{"topologyKey": key}]}}


def in_zone(*values):
    return {"key": "zone", "operator": "In", "values": list(values)}


def zone_pattern(*values):
    return {"keys": ["zone"], "operators": ["In"], "values": list(values)}


def patterns(*expressions):
    return {"nodeAffinities": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}}}


def case(subject, name="c", allowed=True, old=None, **expect):
    return {"name": name, "pod": subject, "expect": {"allowed": allowed} | expect} | ({"old": old} if old else {})


GPU = {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}
SPOT = {"key": "spot", "operator": "Exists", "effect": "NoSchedule"}
GPU_PATTERN = {"keys": ["gpu"], "operators": ["Exists"], "effects": ["NoSchedule"]}
KATA = {"kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "kata",
        "overhead": {"podFixed": {"memory": "1Mi"}},
        "scheduling": {"nodeSelector": {"sandbox": "kata"}, "tolerations": [GPU]}}

EVERY_SHAPE = [
    engine("RuntimeClass"), KATA, metadata_policy(metadata_rule("x", reject=True), metadata_rule("y", reject=True)),
    inject("i", nodeName="node", schedulerName="s", nodeSelector={"b": "1", "a": "1"}, tolerations=[GPU, SPOT],
           affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [in_zone("a")]}]},
                                      PREFERRED: [{"weight": 1, "preference": {"matchExpressions": [in_zone("b")]}}]},
                     "podAffinity": {REQUIRED: [{"topologyKey": "zone", "labelSelector": {}}]},
                     "podAntiAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": {
                         "topologyKey": "zone", "labelSelector": {}}}]}}),
    {"kind": "ClusterPodSchedulingPolicy", "metadata": {"name": "c"}, "spec": {"nodeSelector": {"a": "1"}}},
    policy("every", required={"schedulerNames": ["a", "b"], "nodeSelectors": {"arch": ["amd64", "arm64"], "os": []}},
           allowed={"priorityClassNames": ["low"], "tolerations": [GPU_PATTERN, {"keys": []}], "affinities": {
               "nodeAffinities": {REQUIRED: {"nodeSelectorTerms": [
                   {"matchExpressions": [zone_pattern("a"), zone_pattern("b")], "matchFields": []}]}, PREFERRED: {}},
               "podAffinities": {},
               "podAntiAffinities": {PREFERRED: {"topologyKeys": ["zone", "node"]}}}},
           default={"schedulerName": "a", "priorityClassName": "low", "nodeSelector": {"arch": "amd64"},
                    "tolerations": [GPU], "affinity": zones(in_zone("a"))}),
    policy("any", allowed={"schedulerNames": [], "priorityClassNames": [], "nodeSelectors": {}, "tolerations": [],
                           "affinities": {}}),
    resource_policy("r", "web"),
]
EVERY_RULE = [
    "RuntimeClass[kata].overhead", "RuntimeClass[kata].scheduling.nodeSelector[sandbox]",
    "RuntimeClass[kata].scheduling.tolerations[0]",
    "MetadataPolicy[n/m].spec.rules[0]", "MetadataPolicy[n/m].spec.rules[1]",
    "PodSchedulingPolicy[n/i].spec.nodeName", "PodSchedulingPolicy[n/i].spec.schedulerName",
    "PodSchedulingPolicy[n/i].spec.nodeSelector[a]", "PodSchedulingPolicy[n/i].spec.nodeSelector[b]",
    "PodSchedulingPolicy[n/i].spec.tolerations[0]", "PodSchedulingPolicy[n/i].spec.tolerations[1]",
    f"PodSchedulingPolicy[n/i].spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0]",
    f"PodSchedulingPolicy[n/i].spec.affinity.nodeAffinity.{PREFERRED}[0]",
    f"PodSchedulingPolicy[n/i].spec.affinity.podAffinity.{REQUIRED}[0]",
    f"PodSchedulingPolicy[n/i].spec.affinity.podAntiAffinity.{PREFERRED}[0]",
    "ClusterPodSchedulingPolicy[c].spec.nodeSelector[a]",
    # Not required.schedulerNames[0], which is the default.
    "SchedulingPolicy[every].spec.required.schedulerNames[1]",
    "SchedulingPolicy[every].spec.required.nodeSelectors[arch][0]",
    "SchedulingPolicy[every].spec.required.nodeSelectors[arch][1]",
    "SchedulingPolicy[every].spec.required.nodeSelectors[os]",
    "SchedulingPolicy[every].spec.allowed.priorityClassNames[0]",
    "SchedulingPolicy[every].spec.allowed.tolerations[0]", "SchedulingPolicy[every].spec.allowed.tolerations[1]",
    f"SchedulingPolicy[every].spec.allowed.affinities.nodeAffinities.{REQUIRED}.nodeSelectorTerms[0]"
    ".matchExpressions[0]",
    f"SchedulingPolicy[every].spec.allowed.affinities.nodeAffinities.{REQUIRED}.nodeSelectorTerms[0]"
    ".matchExpressions[1]",
    f"SchedulingPolicy[every].spec.allowed.affinities.nodeAffinities.{REQUIRED}.nodeSelectorTerms[0].matchFields",
    f"SchedulingPolicy[every].spec.allowed.affinities.nodeAffinities.{PREFERRED}",
    "SchedulingPolicy[every].spec.allowed.affinities.podAffinities",
    f"SchedulingPolicy[every].spec.allowed.affinities.podAntiAffinities.{PREFERRED}.topologyKeys[0]",
    f"SchedulingPolicy[every].spec.allowed.affinities.podAntiAffinities.{PREFERRED}.topologyKeys[1]",
    "SchedulingPolicy[every].spec.default.schedulerName", "SchedulingPolicy[every].spec.default.priorityClassName",
    "SchedulingPolicy[every].spec.default.nodeSelector[arch]", "SchedulingPolicy[every].spec.default.tolerations[0]",
    f"SchedulingPolicy[every].spec.default.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0]",
    "SchedulingPolicy[any].spec.allowed.schedulerNames", "SchedulingPolicy[any].spec.allowed.priorityClassNames",
    "SchedulingPolicy[any].spec.allowed.nodeSelectors", "SchedulingPolicy[any].spec.allowed.tolerations",
    "SchedulingPolicy[any].spec.allowed.affinities",
    "ResourcePolicy[n/r]",
]

SCHEDULING = engine("SchedulingPolicy")
ANY_SCHEDULER = "SchedulingPolicy[a].spec.allowed.schedulerNames"


def allowed(**rules):
    return [SCHEDULING, policy("a", allowed={"schedulerNames": []} | rules)]


def affinities(path):
    return f"SchedulingPolicy[a].spec.allowed.affinities.{path}"


# A sentence, the policies, the cases, the number of rules, and those that no case exercises.
COVERAGE = [
    ("every rule has a path; a system that does not run exercises none",
     EVERY_SHAPE, [case(pod())], len(EVERY_RULE) + 1, EVERY_RULE),
    ("an entry is exercised by what it allows", allowed(tolerations=[GPU_PATTERN, {"keys": ["spot"]}]),
     [case(pod(tolerations=[GPU]))], 3, ["SchedulingPolicy[a].spec.allowed.tolerations[1]"]),
    ("what is denied all the same exercises nothing: not an only pattern, which leaves no empty list",
     allowed(tolerations=[GPU_PATTERN]), [case(pod(tolerations=[SPOT]), allowed=False)], 2,
     ["SchedulingPolicy[a].spec.allowed.tolerations[0]"]),
    ("nor an only scheduler", [SCHEDULING, policy("a", allowed={"schedulerNames": ["s"]})],
     [case(pod(schedulerName="t"), allowed=False)], 1, ["SchedulingPolicy[a].spec.allowed.schedulerNames[0]"]),
    ("nor an only value of a node selector, which leaves no empty key and no empty map",
     allowed(nodeSelectors={"disk": ["ssd"]}), [case(pod(nodeSelector={"disk": "hdd", "x": "y"}), allowed=False)], 2,
     ["SchedulingPolicy[a].spec.allowed.nodeSelectors[disk][0]"]),
    ("nor an only key", allowed(nodeSelectors={"disk": []}), [case(pod(nodeSelector={"x": "y"}), allowed=False)], 2,
     ["SchedulingPolicy[a].spec.allowed.nodeSelectors[disk]"]),
    ("nor an only expression, which leaves no empty term, mode or kind",
     allowed(affinities=patterns(zone_pattern("a"))) + [policy("b", allowed={"affinities": patterns(
         {"keys": ["disk"], "operators": ["Exists"]})})],
     [case(pod(affinity=zones(in_zone("b"))), allowed=False)], 3,
     [affinities(f"nodeAffinities.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0]"),
      affinities(f"nodeAffinities.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0]").replace("[a]", "[b]")]),
    ("nor an only topology key",
     allowed(affinities={"podAffinities": {REQUIRED: {"topologyKeys": ["zone"]}}}) + [
         policy("b", allowed={"affinities": {"podAffinities": {REQUIRED: {"topologyKeys": ["rack"]}}}})],
     [case(pod(affinity=near("node")), allowed=False)], 3,
     [affinities(f"podAffinities.{REQUIRED}.topologyKeys[0]"),
      affinities(f"podAffinities.{REQUIRED}.topologyKeys[0]").replace("[a]", "[b]")]),
    ("a kind that allows anything goes alone, and leaves the others",
     allowed(affinities={"podAffinities": {}, "podAntiAffinities": {}}),
     [case(pod(affinity=near("node")))], 3, [affinities("podAntiAffinities")]),
    ("a field that allows anything is exercised by whatever it allows",
     allowed(tolerations=[], nodeSelectors={}), [case(pod(tolerations=[GPU]))], 3,
     ["SchedulingPolicy[a].spec.allowed.nodeSelectors"]),
    ("a requirement is exercised by the pod that it denies",
     [SCHEDULING, policy("a", required={"nodeSelectors": {"arch": ["amd64"]}, "tolerations": [GPU_PATTERN]})],
     [case(pod(tolerations=[GPU]), allowed=False)], 3, []),
    ("not by the pods that meet it in another way",
     [SCHEDULING, policy("a", required={"nodeSelectors": {"arch": ["amd64", "arm64"]}})],
     [case(pod(nodeSelector={"arch": "amd64"}))], 3, ["SchedulingPolicy[a].spec.required.nodeSelectors[arch][1]"]),
    ("a rule that another policy repeats is not exercised",
     allowed() + [policy("b")], [case(pod())], 2, [ANY_SCHEDULER, ANY_SCHEDULER.replace("[a]", "[b]")]),
    ("a default is exercised where the pod has nothing of its own",
     [SCHEDULING, policy("a", default={"priorityClassName": "low", "nodeSelector": {"arch": "amd64", "os": "linux"},
                                       "tolerations": [GPU]})],
     [case(pod(nodeSelector={"os": "linux"}, tolerations=[GPU]))], 5, []),
    ("of two rules that permit what the pod has, neither is exercised",
     [SCHEDULING, policy("a", allowed={"schedulerNames": [], "nodeSelectors": {}},
                         default={"nodeSelector": {"arch": "amd64", "os": "linux"}})],
     [case(pod(nodeSelector={"os": "linux"}))], 4,
     ["SchedulingPolicy[a].spec.allowed.nodeSelectors", "SchedulingPolicy[a].spec.default.nodeSelector[os]"]),
    ("a criterion is exercised where it is injected, and where a warning says why it is not",
     [engine("PodSchedulingPolicy"), inject("i", schedulerName="s", nodeSelector={"a": "1", "b": "1"},
                                            tolerations=[GPU, SPOT], affinity=zones(in_zone("a")))],
     [case(pod(schedulerName="t", nodeSelector={"a": "2"}, tolerations=[GPU], affinity=zones(in_zone("a"))))], 6,
     ["PodSchedulingPolicy[n/i].spec.tolerations[0]",
      f"PodSchedulingPolicy[n/i].spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0]"]),
    ("a metadata rule is not exercised by a rejection that a later one makes",
     [engine("MetadataPolicy"),
      metadata_policy(metadata_rule("other", reject=True), metadata_rule("web", reject=True))],
     [case(pod(), allowed=False)], 2, ["MetadataPolicy[n/m].spec.rules[0]"]),
    ("what a pod brings of its class does not exercise it", [engine("RuntimeClass"), KATA],
     [case(pod(runtimeClassName="kata", tolerations=[{"operator": "Exists"}], overhead={"memory": "1Mi"}))], 3,
     ["RuntimeClass[kata].scheduling.tolerations[0]"]),
    ("resource policies are exercised by the pod that more than one selects",
     [engine("ResourcePolicy"), resource_policy("r", "web"), resource_policy("s", "web"), resource_policy("t", "x")],
     [case(pod(), allowed=False)], 3, ["ResourcePolicy[n/t]"]),
    ("a reason that only warns or is only written to the audit log counts",
     [engine("MetadataPolicy", mode="Audit"), metadata_policy(metadata_rule("web", reject=True))],
     [case(pod())], 1, []),
    ("an update exercises what it adds, and not what the old pod needed too", allowed(tolerations=[GPU_PATTERN]),
     [case(pod(tolerations=[GPU]), old=pod())], 2, [ANY_SCHEDULER]),
]

WEB = [engine("PodSchedulingPolicy", "SchedulingPolicy"), inject("i", nodeSelector={"zone": "a"}),
       policy("a", allowed={"schedulerNames": ["default-scheduler"], "nodeSelectors": {"zone": []}})]
WARNING = [engine("SchedulingPolicy", mode="Warn"), WEB[2]]
BAD_POD = pod(schedulerName="s", tolerations=[GPU])
SCHEDULER_REASON = {"code": "SchedulerNameNotAllowed", "field": "spec.schedulerName", "policy": "a"}
SCHEDULER_TEXT = "`spec.schedulerName`: scheduler `s` is not allowed by `a` (permitted: `default-scheduler`)"
TOLERATION_TEXT = "`spec.tolerations[0]`: toleration `gpu Exists:NoSchedule` is not allowed by `a`"
DENIED = ["decided denied, by SchedulingPolicy", "  reason: " + SCHEDULER_TEXT, "  reason: " + TOLERATION_TEXT]
ZONE_TEXT = "`spec.nodeSelector[zone]` set to `a` by `i`"
ALLOWED = ["decided allowed", "  change: " + ZONE_TEXT]
WARNED = ["decided allowed", "  warning: " + SCHEDULER_TEXT, "  warning: " + TOLERATION_TEXT]

# A sentence, the policies, a case, how its decision differs, and what was decided; nothing differs: ok.
VERDICTS = [
    ("a verdict", WEB, case(pod()), [], []),
    ("another verdict", WEB, case(pod(), allowed=False), ["expected denied, but it is allowed"], ALLOWED),
    ("a denial for any reason", WEB, case(BAD_POD, allowed=False), [], []),
    ("an unexpected denial", WEB, case(BAD_POD), ["expected allowed, but it is denied"], DENIED),
    ("all reasons", WEB, case(BAD_POD, allowed=False, reasons=[SCHEDULER_REASON, {"code": "TolerationNotAllowed"}]),
     [], []),
    ("a reason that is not listed", WEB, case(BAD_POD, allowed=False, reasons=[SCHEDULER_REASON]),
     ["unexpected reason: " + TOLERATION_TEXT], DENIED),
    ("more reasons may occur", WEB, case(BAD_POD, allowed=False, reasons=[SCHEDULER_REASON], moreReasons=True), [], []),
    ("a reason that does not occur", WEB,
     case(BAD_POD, allowed=False, reasons=[SCHEDULER_REASON | {"field": "spec.nodeName"}], moreReasons=True),
     ["missing reason: SchedulerNameNotAllowed at `spec.nodeName` by `a`"], DENIED),
    ("a reason of another policy", WEB, case(BAD_POD, allowed=False, reasons=[{"policy": "b"}], moreReasons=True),
     ["missing reason: a reason by `b`"], DENIED),
    ("a change", WEB, case(pod(), changes=[{"field": "spec.nodeSelector[zone]", "to": "a", "policy": "i"}]), [], []),
    ("a change that does not occur", WEB, case(pod(), changes=[{"field": "spec.nodeSelector[zone]", "to": "b"}]),
     ["missing change: `spec.nodeSelector[zone]` changed to `b`"], ALLOWED),
    ("a change from what was not there", WEB, case(pod(), changes=[{"from": "b", "policy": "i"}]),
     ["missing change: any field changed from `b` by `i`"], ALLOWED),
    ("no changes", WEB, case(pod(), changes=[]), ["unexpected change: " + ZONE_TEXT], ALLOWED),
    ("warnings", WARNING, case(BAD_POD, warnings=[SCHEDULER_REASON, {"field": "spec.tolerations[0]"}]), [], []),
    ("a warning that is not listed", WARNING, case(BAD_POD, warnings=[SCHEDULER_REASON]),
     ["unexpected warning: " + TOLERATION_TEXT], WARNED),
    ("a warning that does not occur", WARNING, case(pod(), warnings=[{"code": "NoUsablePolicy"}]),
     ["missing warning: NoUsablePolicy"], ["decided allowed"]),
    ("an update that adds nothing", WEB, case(BAD_POD, old=BAD_POD, changes=[]), [], []),
    ("a workload", WEB, case({"kind": "Job", "spec": {"template": {"spec": {"nodeName": "x"}}}}, allowed=False,
                             reasons=[{"field": "spec.template.spec.nodeName"}]), [], []),
    ("the namespace of a case", WEB, case({"spec": {}}, changes=[{"policy": "i"}]) | {"namespace": "n"}, [], []),
]

CASE = case(pod())
# A sentence, the policies or their text, the cases or their text, and what the error output says.
BAD_INPUT = [
    ("unknown member", WEB, {"cases": [CASE], "case": []}, "CASES: `case`: forbidden: unknown field"),
    ("unknown member of a case", WEB, [CASE | {"expects": {}}], "CASES: `cases[0].expects`: forbidden: unknown field"),
    ("misspelt expectation", WEB, [case(pod(), warning=[])],
     "CASES: `cases[0].expect.warning`: forbidden: unknown field"),
    ("misspelt member of a reason", WEB, [case(pod(), warnings=[{"reason": "x"}])],
     "CASES: `cases[0].expect.warnings[0].reason`: forbidden: unknown field"),
    ("wrong type", WEB, [CASE, case(pod(), allowed="yes")],
     "CASES: `cases[1].expect.allowed`: wrong type: must be true or false, not a string"),
    ("wrong type in a pod", WEB, [case(pod(tolerations=[{"key": 1}]))],
     "CASES: `cases[0].pod.spec.tolerations[0].key`: wrong type: must be a string, not a number"),
    ("kind without pods", WEB, [case(pod(), old={"kind": "Node"})],
     "CASES: `cases[0].old.kind`: unsupported value `Node`: must be Pod, or a workload that has a pod template"),
    ("two kinds in an update", WEB, [case(pod(), old={"kind": "Job"})],
     "CASES: `cases[0].old.kind`: invalid value `Job`: is not the kind of the pod"),
    ("unknown code", WEB, [case(pod(), allowed=False, reasons=[{"code": "TolerationForbidden"}])],
     "CASES: `cases[0].expect.reasons[0].code`: unsupported value `TolerationForbidden`: supported are NoUsablePolicy"),
    ("reason without members", WEB, [case(pod(), allowed=False, reasons=[{}])],
     "CASES: `cases[0].expect.reasons[0]`: required value: must say what is expected"),
    ("reasons of an allowed pod", WEB, [case(pod(), reasons=[SCHEDULER_REASON])],
     "CASES: `cases[0].expect.reasons`: forbidden: an allowed pod has none"),
    ("changes of a denied pod", WEB, [case(pod(), allowed=False, changes=[{"to": "x"}])],
     "CASES: `cases[0].expect.changes`: forbidden: a denied pod has none"),
    ("changes of an update", WEB, [case(pod(), old=pod(), changes=[{"to": "x"}])],
     "CASES: `cases[0].expect.changes`: forbidden: an update is never changed"),
    ("no name", WEB, [case(pod(), name="")], "CASES: `cases[0].name`: required value: a case is told by its name"),
    ("no pod", WEB, [case(None)], "CASES: `cases[0].pod`: required value: there is nothing to decide on"),
    ("no expectation", WEB, [{"name": "c", "pod": pod()}],
     "CASES: `cases[0].expect.allowed`: required value: a case expects a decision"),
    ("name used twice", WEB, [CASE, case(pod(), name="d"), CASE],
     "CASES: `cases[2].name`: duplicate value `c`: another case has it"),
    ("two namespaces", WEB, [CASE | {"namespace": "m"}],
     "CASES: `cases[0].namespace`: invalid value `m`: the metadata says `n`"),
    ("no cases", WEB, [], "CASES: `cases`: required value: there is nothing to test"),
    ("empty object", WEB, {}, "CASES: `cases`: required value: there is nothing to test"),
    ("cases that are no JSON", WEB, "{", "CASES: not valid JSON at byte 1: it ends before it is complete"),
    ("no file of cases", WEB, None, "CASES: cannot be read"),
    ("policy that is no JSON", ["{"], [CASE], "POLICIES/0.json: not valid JSON at byte 1: it ends before it is complete"),
    ("misspelt policy", WEB + [policy("b", allowed={"scheduler": []})], [CASE],
     "POLICIES/3.json: `SchedulingPolicy[b].spec.allowed.scheduler`: forbidden: unknown field"),
    ("policy that contradicts itself", WEB + [policy("b", required={"schedulerNames": ["s"]},
                                                     default={"schedulerName": "t"})], [CASE],
     "POLICIES/3.json: `SchedulingPolicy[b].spec.default.schedulerName`: invalid value `t`"),
    ("policy that does not compile", WEB + [policy("a")], [CASE],
     "POLICIES: `SchedulingPolicy[a].metadata.name`: duplicate value `a`: another object has this name"),
    ("no EngineConfiguration", WEB[1:], [CASE],
     "POLICIES: `systems`: required value: which systems run has to be said"),
    ("empty directory", [], [CASE], "POLICIES: there is no *.json"),
    ("no directory", None, [CASE], "POLICIES: cannot be read: No such file or directory"),
]


class Tester:
    """Runs the program on policies and cases in a directory of their own."""

    def __init__(self, program, directory):
        self.program = str(pathlib.Path(program).resolve())
        self.directory = pathlib.Path(directory)
        self.runs = 0

    def run(self, policies, cases, *arguments):
        """The finished run, and the directory of it. Policies or cases that are None are not there; a list of
        cases becomes a file of them."""
        self.runs += 1
        place = self.directory / str(self.runs)
        place.mkdir()
        if policies is not None:
            (place / "POLICIES").mkdir()
        for index, one in enumerate(policies or []):
            text = one if isinstance(one, str) else json.dumps(one)
            (place / "POLICIES" / f"{index}.json").write_text(text, encoding="utf-8")
        if cases is not None:
            cases = {"cases": cases} if isinstance(cases, list) else cases
            text = cases if isinstance(cases, str) else json.dumps(cases)
            (place / "CASES").write_text(text, encoding="utf-8")
        return self.execute(place, "POLICIES", "CASES", *arguments), place

    def execute(self, place, *arguments):
        return subprocess.run([self.program, *arguments], cwd=place, capture_output=True, text=True,
                              encoding="utf-8", timeout=TIMEOUT_SECONDS, check=False)


def shipped_example(tester, root):
    expected = (root / "tests/examples/policytest.txt").read_text(encoding="utf-8")
    done = tester.execute(root / "examples/policytest", "policies", "cases.json")
    if done.returncode != 0 or done.stderr:
        yield f"exit status {done.returncode}: {done.stderr}"
    yield from difflib.unified_diff(expected.splitlines(), done.stdout.splitlines(), "expected", "printed", lineterm="")


def verdicts(tester, _):
    """Each case on its own, and its JUnit XML."""
    for sentence, policies, one, differences, decided in VERDICTS:
        done, place = tester.run(policies, [one], "--junit", "junit.xml")
        lines = done.stdout.split("\n\n")[0].splitlines()
        wanted = (["FAILED  c"] + ["  " + text for text in differences + decided]) if differences else ["ok      c"]
        if lines != wanted or done.returncode != (1 if differences else 0) or done.stderr:
            yield f"{sentence}: exit status {done.returncode}, {lines}, not {wanted}; {done.stderr}"
        if f"{0 if differences else 1} of 1 cases as expected, " not in done.stdout:
            yield f"{sentence}: wrong summary: {done.stdout}"
        suite = xml.etree.ElementTree.parse(place / "junit.xml").getroot()
        failures = [(failure.get("message"), failure.text) for failure in suite.iter("failure")]
        if failures != ([("; ".join(differences), "\n".join(decided))] if differences else []):
            yield f"{sentence}: JUnit says {failures}"


def junit_agrees(tester, _):
    names = ["<&>\"'", "a\tb\nc\rd", "bell \a, escape \x1b[31m, nothing \0", "\u00e9 \u20ac \U0001f600", "\uffff\ufffe"]
    texts = ["<&>\"'", "a\tb\nc\rd", "bell \\x07, escape \\x1b[31m, nothing \\x00", "\u00e9 \u20ac \U0001f600",
             "\\xef\\xbf\\xbf\\xef\\xbf\\xbe"]
    cases = [case(pod(schedulerName="<&>\"'\x01"), name=name, allowed=index % 2 == 0)
             for index, name in enumerate(names)]
    done, place = tester.run(WEB, cases, "--junit", "junit.xml")
    suite = xml.etree.ElementTree.parse(place / "junit.xml").getroot()
    if (suite.tag, suite.get("name"), suite.get("tests"), suite.get("failures")) != ("testsuite", "CASES", "5", "3"):
        yield f"the suite is {suite.tag} {suite.attrib}"
    found = [(one.tag, one.get("classname"), one.get("name"), one.find("failure") is not None) for one in suite]
    wanted = [("testcase", "CASES", text, index % 2 == 0) for index, text in enumerate(texts)]
    if found != wanted:
        yield f"the test cases are {found}, not {wanted}"
    if "`<&>\"'\\x01`" not in suite[0].find("failure").text:
        yield f"the failure says {suite[0].find('failure').text}"
    if done.returncode != 1 or len(done.stdout.split("\n\n")[0].splitlines()) != 5 + 3 * 3:
        yield f"exit status {done.returncode}; a name breaks the line: {done.stdout}"
    done, _ = tester.run(WEB, [CASE], "--junit", "missing/junit.xml")
    if done.returncode != 2 or done.stderr != "missing/junit.xml: cannot be written\n":
        yield f"a file that cannot be written: exit status {done.returncode}, {done.stderr}"


def bad_input(tester, _):
    for sentence, policies, cases, error in BAD_INPUT:
        done, _ = tester.run(policies, cases)
        first = done.stderr.split("\n")[0]
        if done.returncode != 2 or not first.startswith(error) or done.stdout:
            yield f"{sentence}: exit status {done.returncode}, {done.stderr!r}, not {error!r}"
    for arguments in ([], ["POLICIES"], ["POLICIES", "CASES", "more"], ["POLICIES", "CASES", "--junit"],
                      ["POLICIES", "CASES", "--unknown"], ["POLICIES", "CASES", "--junit", "a", "--junit", "b"]):
        done = tester.execute(tester.directory, *arguments)
        if done.returncode != 2 or not done.stderr.startswith("usage: "):
            yield f"{arguments}: exit status {done.returncode}, {done.stderr!r}"


def all_problems_are_told(tester, _):
    """Of every policy and of the cases, in one run."""
    misspelt, contradictory = policy("a", allowed={"x": 1}), policy("b", required={"schedulerNames": []})
    done, _ = tester.run(["{", misspelt, "[]", contradictory, {"kind": "List", "items": [{"kind": "x"}, misspelt]}], [])
    places = [line.split(": ")[:2] for line in done.stderr.splitlines()]
    if done.returncode != 2 or places != [
            ["POLICIES/0.json", "not valid JSON at byte 1"], ["POLICIES/1.json", "`SchedulingPolicy[a].spec.allowed.x`"],
            ["POLICIES/2.json", "must be a Kubernetes object"],
            ["POLICIES/3.json", "`SchedulingPolicy[b].spec.required.schedulerNames`"],
            ["POLICIES/4.json", "`items[0].kind`"], ["POLICIES/4.json", "`items[1].spec.allowed.x`"],
            ["CASES", "`cases`"]]:
        yield f"exit status {done.returncode}, the error output is {done.stderr!r}"


def only_json_files_are_policies(tester, _):
    done, place = tester.run(WEB, [CASE])
    for name in ("README.md", ".draft.json", "old.json.bak"):
        (place / "POLICIES" / name).write_text("{", encoding="utf-8")
    again = tester.execute(place, "POLICIES", "CASES")
    if again.returncode != 0 or again.stdout != done.stdout:
        yield f"exit status {again.returncode}: {again.stderr}"


def coverage(tester, _):
    for sentence, policies, cases, rules, unexercised in COVERAGE:
        done, _ = tester.run(policies, cases)
        report = done.stdout.split("exercised by no case, which fails nothing:\n")
        listed = report[1].split("not looked at,")[0].splitlines() if len(report) > 1 else []
        listed = [line.removeprefix("  ") for line in listed]
        inseparable = done.stdout.count("SchedulingPolicy[every].spec.required.schedulerNames[0]: ")
        if done.returncode != 0:
            yield f"{sentence}: exit status {done.returncode}: {done.stdout}{done.stderr}"
        elif listed != unexercised:
            yield f"{sentence}: {listed} are not exercised, not {unexercised}"
        elif f" {rules - len(unexercised) - inseparable} of {rules} rules exercised\n" not in done.stdout:
            yield f"{sentence}: not {rules} rules: {done.stdout}"


def rules_that_nothing_compiles_without(tester, _):
    """A required scheduler that is the policy's default is listed apart, with the error."""
    done, _ = tester.run([SCHEDULING, policy("a", allowed={}, required={"schedulerNames": ["s", "t"]},
                                             default={"schedulerName": "s"})], [CASE])
    wanted = [
        "ok      c", "", "1 of 1 cases as expected, 1 of 3 rules exercised",
        "exercised by no case, which fails nothing:", "  SchedulingPolicy[a].spec.required.schedulerNames[1]",
        "not looked at, because nothing compiles without them:",
        "  SchedulingPolicy[a].spec.required.schedulerNames[0]: `SchedulingPolicy[a].spec.default.schedulerName`: "
        "invalid value `s`: is not among the names that the policy requires"]
    if done.returncode != 0 or done.stdout.splitlines() != wanted:
        yield f"exit status {done.returncode}: {done.stdout}{done.stderr}"


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 1
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        tester = Tester(sys.argv[1], directory)
        for check in (shipped_example, verdicts, junit_agrees, bad_input, all_problems_are_told,
                      only_json_files_are_policies, coverage, rules_that_nothing_compiles_without):
            try:
                problems = list(check(tester, pathlib.Path(sys.argv[2])))
            except (OSError, subprocess.TimeoutExpired, xml.etree.ElementTree.ParseError) as problem:
                problems = [repr(problem)]
            for problem in problems:
                print(f"{check.__name__}: {problem}")
            failed += len(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
