# SPDX-License-Identifier: Apache-2.0
"""`schedpol test`: cases as expected and not, which rules no case depends on, and files of cases that are wrong.

    cli_cases_test.py PROGRAM SOURCE_ROOT
"""

import json
import sys

sys.dont_write_bytecode = True
from cli_support import PREFERRED, REQUIRED, engine, meta, pod, policy, run


def inject(name, **spec):
    return {"apiVersion": "kupid.gardener.cloud/v1alpha1", "kind": "PodSchedulingPolicy",
            "metadata": meta(name, "n"), "spec": {"podSelector": {}} | spec}


def metadata_policy(*rules):
    return {"apiVersion": "schedpol.io/v1alpha1", "kind": "MetadataPolicy", "metadata": meta("m", "n"),
            "spec": {"rules": list(rules)}}


def metadata_rule(app, **action):
    return {"policyPredicate": {"labelSelector": {"matchLabels": {"app": app}}}, "policyAction": action}


def resource_policy(name, app, **spec):
    return {"apiVersion": "scheduling.sigs.x-k8s.io/v1alpha1", "kind": "ResourcePolicy", "metadata": meta(name, "n"),
            "spec": {"podSelector": {"matchLabels": {"app": app}}} | spec}


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
    return {"name": name, "object": subject, "expect": {"allowed": allowed} | expect} | ({"old": old} if old else {})


GPU = {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}
SPOT = {"key": "spot", "operator": "Exists", "effect": "NoSchedule"}
GPU_PATTERN = {"keys": ["gpu"], "operators": ["Exists"], "effects": ["NoSchedule"]}
KATA = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "kata",
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
    {"apiVersion": "kupid.gardener.cloud/v1alpha1", "kind": "ClusterPodSchedulingPolicy", "metadata": {"name": "c"}, "spec": {"nodeSelector": {"a": "1"}}},
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
DENIED = ["decided: denied by SchedulingPolicy", "  reason: " + SCHEDULER_TEXT, "  reason: " + TOLERATION_TEXT]
ZONE_TEXT = "`spec.nodeSelector[zone]` set to `a` by `i`"
ALLOWED = ["decided: allowed", "  change: " + ZONE_TEXT]
WARNED = ["decided: allowed", "  warning: " + SCHEDULER_TEXT, "  warning: " + TOLERATION_TEXT]


# A sentence, the policies, a case, what differs (the member below `expect`, the text, then what is expected, what is
# found and what is met), and what was decided; nothing differs: ok.
VERDICTS = [
    ("a verdict", WEB, case(pod()), [], []),
    ("another verdict", WEB, case(pod(), allowed=False),
     [("allowed", "expected denied, but it is allowed", "- allowed: false", "+ allowed: true")], ALLOWED),
    ("a denial for any reason", WEB, case(BAD_POD, allowed=False), [], []),
    ("an unexpected denial", WEB, case(BAD_POD),
     [("allowed", "expected allowed, but it is denied", "- allowed: true", "+ allowed: false")], DENIED),
    ("all reasons", WEB, case(BAD_POD, allowed=False, reasons=[SCHEDULER_REASON, {"code": "TolerationNotAllowed"}]),
     [], []),
    ("a reason that is not listed", WEB, case(BAD_POD, allowed=False, reasons=[SCHEDULER_REASON]),
     [("reasons", "unexpected reason: " + TOLERATION_TEXT)], DENIED),
    ("more reasons may occur", WEB, case(BAD_POD, allowed=False, reasons=[SCHEDULER_REASON], moreReasons=True), [], []),
    ("a reason of another field, beside what of it is met", WEB,
     case(BAD_POD, allowed=False, reasons=[SCHEDULER_REASON | {"field": "spec.nodeName"}], moreReasons=True),
     [("reasons[0]", "missing reason", "  code: SchedulerNameNotAllowed", "- field: spec.nodeName",
       "+ field: spec.schedulerName", "  policy: a")], DENIED),
    ("a reason that nothing is near to", WEB,
     case(BAD_POD, allowed=False, reasons=[{"code": "NodeNameNotAllowed", "field": "spec.nodeName"}], moreReasons=True),
     [("reasons[0]", "missing reason", "- code: NodeNameNotAllowed", "- field: spec.nodeName")], DENIED),
    ("a reason of another policy", WEB, case(BAD_POD, allowed=False, moreReasons=True,
                                             reasons=[{"code": "TolerationNotAllowed", "policy": "i"}]),
     [("reasons[0]", "missing reason", "  code: TolerationNotAllowed", "- policy: i", "+ policy: `a`")], DENIED),
    ("a change", WEB, case(pod(), changes=[{"field": "spec.nodeSelector[zone]", "to": "a", "policy": "i"}]), [], []),
    ("a change that does not occur", WEB, case(pod(), changes=[{"field": "spec.nodeSelector[zone]", "to": "b"}]),
     [("changes[0]", "missing change", "  field: spec.nodeSelector[zone]", "- to: b", "+ to: a")], ALLOWED),
    ("a change from what was not there", WEB, case(pod(), changes=[{"from": "b", "policy": "i"}]),
     [("changes[0]", "missing change", "- from: b", "+ from: nothing", "  policy: i")], ALLOWED),
    ("no changes", WEB, case(pod(), changes=[]), [("changes", "unexpected change: " + ZONE_TEXT)], ALLOWED),
    ("warnings", WARNING, case(BAD_POD, warnings=[SCHEDULER_REASON, {"field": "spec.tolerations[0]"}]), [], []),
    ("a warning that is not listed", WARNING, case(BAD_POD, warnings=[SCHEDULER_REASON]),
     [("warnings", "unexpected warning: " + TOLERATION_TEXT)], WARNED),
    ("a warning that does not occur", WARNING, case(pod(), warnings=[{"code": "NoUsablePolicy"}]),
     [("warnings[0]", "missing warning", "- code: NoUsablePolicy")], ["decided: allowed"]),
    ("an update that adds nothing", WEB, case(BAD_POD, old=BAD_POD, changes=[]), [], []),
    ("a workload", WEB, case({"kind": "Job", "spec": {"template": {"spec": {"nodeName": "x"}}}}, allowed=False,
                             reasons=[{"field": "spec.template.spec.nodeName"}]), [], []),
    ("the namespace of a case", WEB,
     case({"kind": "Pod", "spec": {}}, changes=[{"policy": "i"}]) | {"namespace": "n"}, [], []),
    ("with another toleration", WEB, case(pod(), allowed=False, reasons=[{"field": "spec.tolerations[0]"}])
     | {"with": {"spec.tolerations": [GPU]}}, [], []),
    ("with one label more", [engine("MetadataPolicy"), metadata_policy(metadata_rule("old", reject=True))],
     case(pod(), allowed=False, reasons=[{"code": "RejectedByRule"}]) | {"with": {"metadata.labels[app]": "old"}}, [], []),
    ("with an item more, in the template of a workload", WEB,
     case({"kind": "Job", "spec": {"template": {"spec": {"tolerations": []}}}}, allowed=False,
          reasons=[{"field": "spec.template.spec.tolerations[0]"}])
     | {"with": {"spec.template.spec.tolerations[0]": GPU}}, [], []),
]

CASE = case(pod())


def nodes(*pools):
    return [{"apiVersion": "v1", "kind": "Node", "metadata": meta(f"{pool}-{index}", labels={"pool": pool})}
            for index, pool in enumerate(pools)]


def unit(pool, **more):
    return {"name": pool, "nodeSelector": {"matchLabels": {"pool": pool}}} | more


UNITS = [engine("ResourcePolicy"), resource_policy("r", "web", units=[unit("static", priority=5, maxCount=3),
                                                                      unit("spot", priority=1)])]
REPLICAS = {"name": "c", "object": pod(), "replicas": 4, "nodes": "nodes.yaml"}
# A sentence, the policies, the members of a case, and the lines below its entry; none: ok.
OTHER_CASES = [
    ("replicas go to units", UNITS, REPLICAS | {"expect": {"units": [3, 1]}}, []),
    ("replicas go elsewhere", UNITS, REPLICAS | {"expect": {"units": [4, 0]}}, ["- units: [4, 0]", "+ units: [3, 1]"]),
    ("policies that became stricter", [policy("a", allowed={"schedulerNames": ["s"]})],
     {"name": "c", "before": ["before.yaml"], "expect": {"relation": ["Stricter", "Equivalent"]}}, []),
    ("policies that became what is not expected", [policy("a", allowed={"schedulerNames": ["s"]})],
     {"name": "c", "before": ["before.yaml"], "expect": {"relation": ["Looser", "Equivalent"]}},
     ["- relation: Looser or Equivalent", "+ relation: Stricter"]),
]

AT = "tests.yaml:1:"
# A sentence, the policies, the cases or the members of the file, and what the error output says after the place.
BAD_INPUT = [
    ("unknown member", WEB, {"case": []}, "`case`: forbidden: unknown field"),
    ("unknown member of a case", WEB, [CASE | {"expects": {}}], "`cases[0].expects`: forbidden: unknown field"),
    ("misspelt expectation", WEB, [case(pod(), warning=[])], "`cases[0].expect.warning`: forbidden: unknown field"),
    ("misspelt member of a reason", WEB, [case(pod(), warnings=[{"reason": "x"}])],
     "`cases[0].expect.warnings[0].reason`: forbidden: unknown field"),
    ("wrong type", WEB, [CASE, case(pod(), name="d", allowed="yes")],
     "`cases[1].expect.allowed`: wrong type: must be true or false, not a string"),
    ("wrong type in a pod", WEB, [case(pod(tolerations=[{"key": 1}]))],
     "`cases[0].object.spec.tolerations[0].key`: wrong type: must be a string, not a number"),
    ("object without a kind", WEB, [case({"spec": {}})], "`cases[0].object.kind`: required value: tells what the object is"),
    ("kind that is none", WEB, [case({"kind": "Deplyment"})], "`cases[0].object.kind`: unsupported value `Deplyment`"),
    ("two kinds in an update", WEB, [case(pod(), old={"kind": "Job"})],
     "`cases[0].object.kind`: invalid value `Pod`: is not the kind of the object before the update"),
    ("unknown code", WEB, [case(pod(), allowed=False, reasons=[{"code": "TolerationForbidden"}])],
     "`cases[0].expect.reasons[0].code`: unsupported value `TolerationForbidden`: supported are NoUsablePolicy"),
    ("unknown policy", WEB, [case(pod(), allowed=False, reasons=[{"policy": "b"}])],
     "`cases[0].expect.reasons[0].policy`: unsupported value `b`: there is no such policy"),
    ("unknown policy of a change", WEB, [case(pod(), changes=[{"policy": "b"}])],
     "`cases[0].expect.changes[0].policy`: unsupported value `b`: there is no such policy"),
    ("unknown field", WEB, [case(pod(), allowed=False, reasons=[{"field": "spec.toleration[0]"}])],
     "`cases[0].expect.reasons[0].field`: unsupported value `spec.toleration[0]`: is no field that a decision looks at"),
    ("field of a pod where the object is a workload", WEB,
     [case({"kind": "Job"}, allowed=False, reasons=[{"field": "spec.nodeName"}])],
     "`cases[0].expect.reasons[0].field`: unsupported value `spec.nodeName`: is no field that a decision looks at"),
    ("unknown field to replace", WEB, [CASE | {"with": {"spec.toleration": []}}],
     "`cases[0].with[spec.toleration]`: unsupported value `spec.toleration`: is no field that a decision looks at"),
    ("path that leads nowhere", WEB, [CASE | {"with": {"spec.tolerations[3]": {}}}],
     "`cases[0].with[spec.tolerations[3]]`: invalid value `spec.tolerations[3]`: is no path in the object"),
    ("unknown object", WEB, [case("web")], "`cases[0].object`: unsupported value `web`: is not among the objects"),
    ("unknown relation", WEB, [{"name": "c", "before": ["before.yaml"], "expect": {"relation": ["Tighter"]}}],
     "`cases[0].expect.relation[0]`: unsupported value `Tighter`: supported are Equivalent"),
    ("reason without members", WEB, [case(pod(), allowed=False, reasons=[{}])],
     "`cases[0].expect.reasons[0]`: required value: must say what is expected"),
    ("reasons of an allowed pod", WEB, [case(pod(), reasons=[SCHEDULER_REASON])],
     "`cases[0].expect.reasons`: forbidden: an allowed object has none"),
    ("changes of a denied pod", WEB, [case(pod(), allowed=False, changes=[{"to": "x"}])],
     "`cases[0].expect.changes`: forbidden: a denied object has none"),
    ("no name", WEB, [case(pod(), name="")], "`cases[0].name`: required value: a case is told by its name"),
    ("no object", WEB, [case(None)], "`cases[0].object`: required value: there is nothing to decide on"),
    ("no expectation", WEB, [{"name": "c", "object": pod()}],
     "`cases[0].expect.allowed`: required value: a case expects a decision"),
    ("replicas without nodes", WEB, [{"name": "c", "object": pod(), "replicas": 1, "expect": {"units": [1]}}],
     "`cases[0].nodes`: required value: replicas go to nodes"),
    ("replicas without expectation", WEB, [CASE | {"replicas": 1}],
     "`cases[0].expect.units`: required value: where replicas go is expected"),
    ("name used twice", WEB, [CASE, case(pod(), name="d"), CASE],
     "`cases[2].name`: duplicate value `c`: another case has it"),
    ("two namespaces", WEB, [CASE | {"namespace": "m"}],
     "`cases[0].namespace`: invalid value `m`: the metadata says `n`"),
    ("no cases", WEB, [], "`cases`: required value: there is nothing to test with"),
    ("no policies", WEB, {"policies": []}, "`policies`: required value: there is nothing to test"),
    ("another kind", WEB, {"kind": "PolicyTests"}, "`kind`: unsupported value `PolicyTests`: must be PolicyTest"),
]


def file_of(cases):
    members = cases if isinstance(cases, dict) else {"cases": cases}
    return {"apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["policies"], "cases": [CASE]} | members


def run_cases(cli, policies, cases, *arguments):
    files = {f"policies/{index:02}.json": one for index, one in enumerate(policies)}
    return cli("test", "tests.yaml", *arguments, files=files | {
        "tests.yaml": file_of(cases), "nodes.yaml": nodes("static", "static", "spot"), "before.yaml": policy("a")})


def verdicts(cli, _):
    """Each case on its own."""
    for sentence, policies, one, differences, decided in VERDICTS:
        done = run_cases(cli, policies, [one], "-o", "json")
        entry = done.json()["results"][0]
        found = [finding["message"] for finding in entry["findings"]]
        if (done.status, entry["verdict"], found) != (
                1 if differences else 0, "FAILED" if differences else "ok", [text for _, text, *_ in differences]):
            yield f"{sentence}: {done}"
        lines = run_cases(cli, policies, [one]).out.splitlines()
        wanted = [f"  {line}" for _, _, *lines_of in differences for line in lines_of] + [f"  {line}" for line in decided]
        below = lines[1 + len(differences):lines.index("")]
        if below != wanted:
            yield f"{sentence}: {below}, not {wanted}"
        if lines[-1] != f"{0 if differences else 1} of 1 case as expected":
            yield f"{sentence}: wrong summary: {lines[-1]}"


def other_expectations(cli, _):
    for sentence, policies, one, wanted in OTHER_CASES:
        done = run_cases(cli, policies, [one])
        lines = [line[2:] for line in done.out.splitlines() if line.startswith(("  - ", "  + "))]
        if done.status != (1 if wanted else 0) or lines != wanted:
            yield f"{sentence}: {done}"


def bad_input(cli, _):
    for sentence, policies, cases, error in BAD_INPUT:
        done = run_cases(cli, policies, cases)
        if done.status != 2 or not any(line.startswith(AT) and error in line for line in done.err.splitlines()):
            yield f"{sentence}: {done}, not {error!r}"
        if "FAILED" in done.out or "ok " in done.out:
            yield f"{sentence}: cases ran: {done.out}"


def places(cli, _):
    """What differs has the line of the expectation, and what is wrong that of the value."""
    text = """apiVersion: schedpol.io/v1alpha1
kind: PolicyTest
policies: [policies]
objects:
  web: {file: web.yaml, kind: Pod}
cases:
- name: c
  object: web
  expect:
    allowed: true
    changes:
    - to: b
      field: spec.nodeSelector[zone]
"""
    files = {f"policies/{index}.json": one for index, one in enumerate(WEB)} | {
        "web.yaml": [pod(), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("c")}], "tests.yaml": text}
    done = cli("test", "tests.yaml", files=files)
    if done.status != 1 or "  tests.yaml:12:7: error: missing change [Unexpected]\n" not in done.out \
            or "FAILED    c  tests.yaml:7:3\n" not in done.out:
        yield f"{done}"
    done = cli("test", "tests.yaml", files=files | {"tests.yaml": text.replace("to: b", "policy: nobody")})
    if done.status != 2 or not done.err.startswith("tests.yaml:12:7: `cases[0].expect.changes[0].policy`: "):
        yield f"{done}"
    done = cli("test", "tests.yaml", files=files | {"tests.yaml": text.replace(", kind: Pod", "")})
    if done.status != 2 or "has 2 such objects" not in done.err:
        yield f"two objects in a file: {done}"


def filters(cli, _):
    cases = [case(pod(), name="one web"), case(BAD_POD, name="two"), case(BAD_POD, name="three web", allowed=False)]
    done = run_cases(cli, WEB, cases, "--filter", "web")
    if done.status != 0 or "2 of 2 cases as expected" not in done.out or "two" in done.out:
        yield f"a filter: {done}"
    done = run_cases(cli, WEB, cases, "--filter", "nothing")
    if done.status != 2 or done.err != "there is no case with `nothing` in its name\n":
        yield f"a filter that matches nothing is never a pass: {done}"
    done = run_cases(cli, WEB, cases, "--coverage")
    if done.status != 1 or "FAILED    two" not in done.out or "2 of 3 cases as expected, " not in done.out:
        yield f"coverage hides no failure: {done}"


def coverage(cli, _):
    for sentence, policies, cases, rules, uncovered in COVERAGE:
        done = run_cases(cli, policies, cases, "--coverage", "-o", "json")
        summary = done.json()["summary"]
        if done.status != 0:
            yield f"{sentence}: {done}"
            continue
        listed = sorted(name for name in summary["uncovered"] if name != NEEDED)
        if (listed, summary["rules"], summary["covered"]) != (
                sorted(uncovered), rules, rules - len(summary["uncovered"])):
            yield f"{sentence}: {summary}, not {rules} rules and {uncovered}"


NEEDED = "SchedulingPolicy[every].spec.required.schedulerNames[0]"


def coverage_has_places(cli, _):
    """Each rule has the line of its policy; one without which that is not valid is listed apart, with the error."""
    text = """apiVersion: schedpol.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: a}
spec:
  required:
    schedulerNames:
    - s
    - t
  default:
    schedulerName: s
"""
    done = run_cases(cli, [SCHEDULING, text], [CASE], "--coverage")
    wanted = ["policies/01.json:8:7: no case depends on SchedulingPolicy[a].spec.required.schedulerNames[1]",
              "policies/01.json:7:7: nothing is valid without SchedulingPolicy[a].spec.required.schedulerNames[0]: "
              "`spec.default.schedulerName`: invalid value `s`: is not among the names that the policy requires"]
    if done.status != 0 or sorted(done.out.splitlines()[-2:]) != sorted(wanted):
        yield f"{done}"


def coverage_of_units(cli, _):
    """A ResourcePolicy is depended on where replicas go by it."""
    done = run_cases(cli, UNITS + [resource_policy("s", "other", units=[unit("spot")])],
                     [REPLICAS | {"expect": {"units": [3, 1]}}], "--coverage", "-o", "json")
    if done.json()["summary"]["uncovered"] != ["ResourcePolicy[n/s]"]:
        yield f"{done}"


def shipped_cases(cli, root):
    done = cli("test", "tests.yaml", "--coverage", place=root / "examples/cli/house-rules")
    if done.status != 0 or done.out.splitlines()[-2:] != [
            "8 of 8 cases as expected, 13 of 14 rules depended on", "policies/scheduling.yaml:14:36: no case depends on "
            "SchedulingPolicy[gpu].spec.allowed.priorityClassNames[1]"]:
        yield f"{done}"


CHECKS = (shipped_cases, verdicts, other_expectations, bad_input, places, filters, coverage, coverage_has_places, coverage_of_units)

if __name__ == "__main__":
    sys.exit(run(__doc__, CHECKS))
