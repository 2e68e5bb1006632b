# SPDX-License-Identifier: Apache-2.0
"""Random pods, by `evaluate` and by Kubernetes' own compiler, patcher and cost budgets, which run what `schedpol export` makes of
the same policies: verdicts and objects are the same.

    second_decider_test.py SCHEDPOL EVALUATE SOURCE_ROOT [PODS [SEED]]

Skipped where Go or its modules are not to be had.
"""

import collections
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from limits import wrong_limits
from random_policies import (DAEMON_SET, DAEMON_SET_CONTROLLER, EXEMPT, Maker, REQUIRED, RUNTIMES, TEMPLATES, largest_spec, object_of, spec_of)

SKIPPED = 77
PODS_A_SET = 20
NODE_TERMS_DENIED = ("AffinityNotAllowed", f"affinity.nodeAffinity.{REQUIRED}")
PLACER = "system:serviceaccount:kueue-system:kueue-controller-manager"


class Program:
    """A program that answers a line with a line."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def build(source, into):
    """The oracle; what is in the way of building it where it cannot be."""
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not pathlib.Path(go).is_file():
        return None, "Go is not here"
    environment = os.environ | {"GOFLAGS": "-mod=mod", "CGO_ENABLED": "0", "HOME": os.environ.get("HOME", "/root")}
    at = pathlib.Path(into) / "module"
    shutil.copytree(source, at)  # go writes into it
    program = pathlib.Path(into) / "decider"

    def run(*arguments):
        return subprocess.run([go, *arguments], cwd=at, env=environment, capture_output=True, text=True, timeout=1500)

    try:
        had = run("list", "-deps", ".")
        if had.returncode != 0:
            return None, f"the modules of k8s.io/apiserver are not to be had: {had.stderr.strip().splitlines()[-1]}"
        done = run("build", "-o", program, ".")
    except subprocess.TimeoutExpired:
        return None, "k8s.io/apiserver takes too long to build"
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return program, None


def normal(value):
    """Without what is empty, which is the same as absent, and what the patcher writes besides."""
    if isinstance(value, dict):
        made = {name: normal(each) for name, each in value.items()}
        return {name: each for name, each in made.items() if each not in (None, {}, [], "")}
    if isinstance(value, list):
        return [normal(each) for each in value]
    return value


def scheduling_of(made):
    spec = normal(spec_of(made))
    return {name: each for name, each in spec.items() if name not in ("containers", "serviceAccount")}


FIELD = re.compile(r"(?:.*\.)?spec(?:\.((?:affinity\.\w+(?:\.\w+)?)|\w+).*)?$")
MESSAGE = re.compile(r"(\S+?): (?:.*\W)?\((\w+)\)$", re.DOTALL)


def place_of(field):
    """The field below the pod spec that a validation is about."""
    return FIELD.fullmatch(field)[1] or ""


def denials_of(messages):
    """The codes and fields of denials, or the text of one that is none."""
    found = [(MESSAGE.fullmatch(message), message) for message in messages]
    return {(made[2], place_of(made[1])) if made else ("", text) for made, text in found}


def changes_account(request):
    accounts = [spec_of(made).get("serviceAccountName") or "default" for made in (request["object"], request.get("old")) if made]
    return len(set(accounts)) > 1


def writes_a_part(request, policies):
    """Whether all that required node terms ask for is in those of a default."""
    def expressions(affinity):
        terms = ((affinity.get("nodeAffinity") or {}).get(REQUIRED) or {}).get("nodeSelectorTerms", [])
        return [each for term in terms for name in ("matchExpressions", "matchFields") for each in term.get(name, [])]
    given = [each for policy in policies for each in expressions(policy["spec"]["default"].get("affinity", {}))]
    own = expressions(spec_of(request["object"]).get("affinity", {}))
    return all(each in given or each["key"] == "metadata.name" for each in own)


def admitted_by_class(first, request, classes):
    """Has the class of a pod that is created add what it adds, as the API server's RuntimeClass plugin does; whether that is
    no conflict."""
    if not classes or request["object"]["kind"] != "Pod":
        return True
    created = request.get("old") or request["object"]
    made = first.ask({"op": "runtimeClass.admit", "input": {"pod": created, "runtimeClasses": classes}})["result"]
    if not made["allowed"]:
        return False
    before = created["spec"].get("nodeSelector")
    for name in ("nodeSelector", "tolerations"):
        if name in made["object"]["spec"]:
            created["spec"][name] = made["object"]["spec"][name]
    if "old" in request:  # what was added is in the update too
        updated = request["object"]["spec"]
        if updated.get("nodeSelector") == before and "nodeSelector" in created["spec"]:
            updated["nodeSelector"] = copy.deepcopy(created["spec"]["nodeSelector"])
        lost = [each for each in created["spec"].get("tolerations", []) if each not in updated.get("tolerations", [])]
        if lost:
            updated["tolerations"] = updated.get("tolerations", []) + copy.deepcopy(lost)
    return True


def is_asked_again(request, made, classes):
    """Whether the plugins of an API server are called again, because policies have changed a pod."""
    return bool(classes) and made["kind"] == "Pod" and request["operation"] == "CREATE" and scheduling_of(made) != scheduling_of(request["object"])


def is_met(expression, value):
    operator, values = expression["operator"], expression.get("values", [])
    if operator in ("Gt", "Lt"):
        return value.isdigit() and (int(value) > int(values[0]) if operator == "Gt" else int(value) < int(values[0]))
    return {"In": value in values, "NotIn": value not in values, "Exists": True, "DoesNotExist": False}[operator]


def contradicts_its_class(made, classes):
    """Whether no node takes the pods of a template, because each of its terms contradicts what its class adds."""
    spec = spec_of(made)
    scheduling = next((each.get("scheduling", {}) for each in classes if each["metadata"]["name"] == spec.get("runtimeClassName")), {})
    terms = spec.get("affinity", {}).get("nodeAffinity", {}).get(REQUIRED, {}).get("nodeSelectorTerms", [])
    added = scheduling.get("nodeSelector", {})
    return made["kind"] != "Pod" and bool(terms) and all(
        any(each["key"] in added and not is_met(each, added[each["key"]]) for each in term.get("matchExpressions", [])) for term in terms)


def repeats_a_toleration(made):
    tolerations = spec_of(made).get("tolerations", [])
    return any(each in tolerations[:i] for i, each in enumerate(tolerations))


def pod_of(first, made, cases):
    """What becomes of a pod that a template makes, whatever the order of its tolerations; none where it is denied."""
    request = {"operation": "CREATE", "namespace": made["metadata"]["namespace"],
               "object": object_of("Pod", made["metadata"]["namespace"], copy.deepcopy(spec_of(made)))}
    if not admitted_by_class(first, request, cases.classes):
        return None
    decided = first.ask({"op": "engine.decide", "input": request | {"user": {"name": "c", "groups": []}, "configuration": cases.objects}})["result"]
    if not decided["allowed"]:
        return None
    made = scheduling_of(decided["object"])
    return made | {"tolerations": sorted(json.dumps(each, sort_keys=True) for each in made.get("tolerations", []))}


def usable(first, cases, namespace, account):
    """The policies that a service account may use."""
    lists = {"roles": "Role", "clusterRoles": "ClusterRole", "roleBindings": "RoleBinding", "clusterRoleBindings": "ClusterRoleBinding"}
    asked = {name: [each for each in cases.rbac if each["kind"] == kind] for name, kind in lists.items()}
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"]
    return tuple(first.ask({"op": "rbac.usablePolicies", "input": {
        **asked, "apiGroup": "schedpol.io", "namespace": namespace, "policies": [policy["metadata"]["name"] for policy in cases.policies],
        "user": {"name": f"system:serviceaccount:{namespace}:{account}", "groups": groups}}})["result"]["usable"])


class Cases:
    """Policies of a seed, and requests about objects under them."""

    def __init__(self, seed):
        self.maker = Maker(seed)
        maker = self.maker
        self.policies = [maker.policy(f"p{i}") for i in range(6 if maker.often(0.1) else maker.random.randint(1, 3))]
        self.strategy = maker.one(("SmartDeepMerge", "SmartDeepMerge", "FirstSeenWins", "SimpleMerge"))
        options = {"governs": maker.one(("All", "Proposal", ["tolerations", "affinities", "schedulingGates"]))}
        if maker.often(0.3):
            options["requiredAffinity"] = "Present"
        if maker.often(0.2):
            options["nodeName"] = "Ignore"
        if maker.often(0.2):
            options["globalDefaultPriorityClass"] = "low"
        if maker.often(0.25):
            options["exemptTolerations"] = copy.deepcopy(maker.some(EXEMPT, 1))
        self.settings = {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration", "systems": [{"system": "SchedulingPolicy"}],
                         "strategy": self.strategy, "options": options}
        if maker.often(0.15):
            self.settings["systems"][0]["mode"] = maker.one(("Warn", "Audit"))
        self.classes = [maker.runtime_class(name) for name in RUNTIMES] if maker.often(0.3) else []
        if self.classes:
            self.settings["systems"].insert(0, {"system": "RuntimeClass"})
        if maker.often(0.5):
            self.settings["placers"] = [PLACER]
        self.rbac = self.roles() if maker.often(0.5) else []
        self.is_live = bool(self.rbac) and maker.often(0.4)
        self.settings["policyUse"] = "Rbac" if self.rbac else "Every"

    @property
    def objects(self):
        return [self.settings, *self.policies, *self.classes, *self.rbac]

    def roles(self):
        maker = self.maker
        names = [policy["metadata"]["name"] for policy in self.policies]
        made = []
        for number in range(maker.random.randint(1, 3)):
            role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": f"r{number}"},
                    "rules": [{"apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"], "verbs": ["use"],
                               "resourceNames": maker.some(names, 1, 3)}]}
            subject = maker.one(({"kind": "Group", "name": "system:serviceaccounts"},
                                 {"kind": "Group", "name": "system:serviceaccounts:shop"},
                                 {"kind": "ServiceAccount", "name": "web", "namespace": "shop"},
                                 {"kind": "User", "name": "system:serviceaccount:bank:default"}))
            binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": f"b{number}"},
                       "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"r{number}"},
                       "subjects": [subject]}
            if maker.often(0.3):
                binding["kind"] = "RoleBinding"
                binding["metadata"]["namespace"] = maker.one(("shop", "bank"))
            made += [role, binding]
        return made

    def request(self):
        maker = self.maker
        like = maker.one(self.policies)["spec"]["default"]
        namespace = maker.one(("shop", "bank"))
        account = maker.one(("", "web", "default"))
        spec = maker.spec(account, like)
        kind = "Pod" if maker.often(0.7) else maker.one(list(TEMPLATES))
        user, groups = "alice", ["system:authenticated"]
        if kind == "Pod" and maker.often(0.08):
            user = DAEMON_SET_CONTROLLER
            spec["tolerations"] = spec.get("tolerations", []) + copy.deepcopy(DAEMON_SET)
            pin = {"key": "metadata.name", "operator": "In", "values": ["n7"]}
            node = spec.setdefault("affinity", {}).setdefault("nodeAffinity", {})
            terms = node.setdefault("requiredDuringSchedulingIgnoredDuringExecution", {}).setdefault("nodeSelectorTerms", [])
            for term in terms or [terms.append({}) or terms[0]]:
                term["matchFields"] = [pin]
        made = {"operation": "CREATE", "object": object_of(kind, namespace, spec), "namespace": namespace, "user": user,
                "groups": groups}
        if maker.often(0.05):
            made["object"]["metadata"]["ownerReferences"] = [
                {"apiVersion": maker.one(("apps/v1", "example.com/v1")), "kind": maker.one(("ReplicaSet", "Deployment", "Rollout")),
                 "name": "owner", "uid": "1", "controller": maker.often(0.7)}]
        if maker.often(0.05):
            made["object"]["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
            made["groups"] = [maker.one(("system:nodes", "system:authenticated"))]
        if maker.often(0.3):
            made["operation"] = "UPDATE"
            made["old"] = copy.deepcopy(made["object"])
            updated = maker.changed(spec, account, like)
            if kind == "Pod":
                if self.classes:  # which nobody may change
                    updated.pop("runtimeClassName", None)
                    updated |= {name: spec[name] for name in ("runtimeClassName",) if name in spec}
                updated = maker.keeps_tolerations(updated, spec)
            elif maker.often(0.2):
                updated["serviceAccountName"] = maker.one(("web", "default"))
            made["object"] = object_of(kind, namespace, updated)
            made["object"]["metadata"] |= made["old"]["metadata"]
            if kind == "Pod" and "placers" in self.settings and maker.often(0.2):
                made["user"] = PLACER
                if maker.often(0.7):
                    made["old"]["spec"]["schedulingGates"] = [{"name": "quota"}]
        return made


def not_ready(seconds=None):
    return {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"} | ({"tolerationSeconds": seconds} if seconds else {})


GPU = {"key": "gpu", "operator": "Exists"}
def tolerating(*tolerations):
    return {"tolerations": list(tolerations)}


def on_nodes(*terms):
    """Required node terms, of lists of expressions."""
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": list(term)} for term in terms]}}}}


OF_POOL = {"key": "pool", "operator": "In", "values": ["a", "b"]}
ABOVE_1 = {"key": "pool", "operator": "Gt", "values": ["1"]}
OF_ZONE = {"key": "zone", "operator": "In", "values": ["z"]}
IN_C = {"nodeSelector": {"pool": "c"}}
IN_7 = {"nodeSelector": {"pool": "7"}}
NEEDS_ZONE = {"affinities": {"nodeAffinities": {REQUIRED: {"nodeSelectorTerms": [
    {"matchExpressions": [{"keys": ["zone"], "operators": [], "values": []}]}]}}}}
# What random pods found, and seldom find again: a policy, what the class adds that it gives, pods, and templates before and
# after an update.
FOUND = (
    ("two defaults in the place of one that stands there twice", {"default": tolerating(not_ready(), not_ready(60))}, None,
     [tolerating(*[not_ready(300)] * count) for count in range(4)]),
    ("one that stands there twice, of which the class leaves one", {"default": tolerating(not_ready(60), GPU)}, {"nodeSelector": {"runtime": "kata"}},
     [tolerating(*[not_ready(300)] * count) for count in range(4)]),
    ("what the class covers is not the pod's own",
     {"default": tolerating({"key": "node.kubernetes.io/not-ready", "operator": "Exists"})}, {"tolerations": [GPU]},
     [tolerating({"key": "gpu", "value": "a", "effect": "NoSchedule"}, not_ready(300)), tolerating(not_ready(300))]),
    ("a part of a default is permitted beside what contradicts the rest", {"default": on_nodes([OF_POOL, OF_ZONE])}, None,
     [on_nodes([OF_ZONE]) | IN_C, on_nodes([OF_ZONE]),
      (on_nodes([OF_ZONE]) | IN_C, on_nodes([OF_ZONE])), (on_nodes([OF_ZONE]) | IN_C, on_nodes([OF_ZONE]) | IN_C),
      (on_nodes([OF_ZONE]), on_nodes([OF_ZONE])), (on_nodes([OF_ZONE]), on_nodes([OF_ZONE]) | IN_C),
      (on_nodes([OF_POOL, OF_ZONE]) | IN_C, on_nodes([OF_ZONE])), (on_nodes([OF_POOL, OF_ZONE]), on_nodes([OF_ZONE]))]),
    ("terms that are given as one are, whatever node selector is given",
     {"default": on_nodes([OF_ZONE], [ABOVE_1]) | IN_C, "required": NEEDS_ZONE}, None, [{}, IN_7, IN_C]))


class Found(Cases):
    def __init__(self, spec, scheduling, pods):
        super().__init__(0)
        default = spec["default"] | ({"runtimeClassName": "kata"} if scheduling else {})
        self.policies = [{"apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy", "metadata": {"name": "p"},
                          "spec": spec | {"allowed": {"schedulerNames": [], "nodeSelectors": {}}, "default": default}}]
        systems = [{"system": "RuntimeClass"}] if scheduling else []
        self.settings = {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration", "policyUse": "Every",
                         "systems": [*systems, {"system": "SchedulingPolicy"}], "options": {"governs": "Proposal"}}
        self.classes = [{"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "kata",
                         "scheduling": scheduling}] if scheduling else []
        self.rbac, self.is_live, self.strategy = [], False, "SmartDeepMerge"
        self.left = pods[::-1]

    def request(self):
        left = self.left.pop()
        specs = left if isinstance(left, tuple) else (left,)
        kind = "Pod" if len(specs) == 1 else "Deployment"
        *old, made = (object_of(kind, "shop", {"containers": [{"name": "c", "image": "i"}]} | copy.deepcopy(spec)) for spec in specs)
        return {"operation": "UPDATE" if old else "CREATE", "object": made, "namespace": "shop", "user": "alice", "groups": []} | (
            {"old": old[0]} if old else {})


def main():
    schedpol, evaluate, root = sys.argv[1:4]
    pods = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    source = pathlib.Path(root) / "tests" / "second_decider"
    with tempfile.TemporaryDirectory() as place:
        ready = os.environ.get("SCHEDPOL_SECOND_DECIDER")
        program, reason = (ready, None) if ready else build(source, place)
        if reason:
            print(f"SKIPPED: {reason}")
            return SKIPPED
        decider = Program(program)
        wrong = list(wrong_limits(schedpol, decider, pathlib.Path(place)))
        for each in wrong:
            print(each)
        return compare(schedpol, Program(evaluate), decider, place, pods, first) or len(wrong)


def compare(schedpol, first, second, place, pods, seed):
    counts = {"allowed": 0, "denied": 0, "changed": 0, "refused": 0, "updates": 0, "stricter": 0, "parts": 0, "conflicts": 0, "unschedulable": 0, "repeated": 0, "not exported": 0, "differences": 0}
    costs = [0]
    sets = collections.Counter()
    refusals = set()
    asked = 0
    found = [Found(spec, scheduling, pods) for _, spec, scheduling, pods in FOUND]
    while asked < pods:
        cases = found.pop() if found else Cases(seed)
        path = pathlib.Path(place) / "policies.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cases.objects}))
        done = subprocess.run([schedpol, "export", path, *["--live-rbac"] * cases.is_live], capture_output=True, text=True)
        seed += 1
        if done.returncode == 2 and "cannot be exported: " in done.stderr:
            counts["refused"] += 1
            refusals |= {line.split(": ")[-1] for line in done.stderr.splitlines()}
            if counts["refused"] > pods:
                break
            continue
        if done.returncode != 0:
            print(f"seed {seed - 1}: {done.stderr}")
            counts["differences"] += 1
            break
        stated = [int(cost.replace(",", "")) for cost in re.findall(r"at most ([\d,]+) of", done.stdout)]
        most = max(stated, default=0)
        errors = second.ask({"policies": done.stdout})["errors"]
        if errors:
            print(f"seed {seed - 1}: {errors}")
            counts["differences"] += 1
            break
        merged = {usable(first, cases, namespace, account) for namespace in ("shop", "bank", "other") for account in ("web", "default", "other")}
        if cases.is_live:
            cases.rbac = cases.roles()  # the export does not know these
            second.ask({"rbac": cases.rbac})
        for kind, named in (("Pod", None), *((kind, each) for each in cases.classes for kind in ("Pod", "Deployment"))):
            specs = [largest_spec(salt) | ({"runtimeClassName": named["metadata"]["name"]} if named else {}) for salt in ("new", "old")]
            largest = second.ask({"operation": "UPDATE", "namespace": "shop", "user": "alice", "groups": [],
                                  **{name: object_of(kind, "shop", spec) for name, spec in zip(("object", "old"), specs)}})
            costs.append(largest["cost"])
            if largest["cost"] > most or any("error: " in message for message in largest["messages"]):
                print(f"seed {seed - 1}: an update of the largest {kind} costs {largest['cost']} of {most}: {largest['messages']}")
                counts["differences"] += 1
        sets.update(("policy sets", *["with live roles"] * cases.is_live, *["with classes"] * bool(cases.classes), cases.strategy, f"governs {cases.settings['options']['governs']}"))
        for _ in range(len(getattr(cases, "left", [None] * PODS_A_SET))):
            request = cases.request()
            if not admitted_by_class(first, request, cases.classes):
                counts["conflicts"] += 1
                continue
            asked += 1
            by_first = first.ask({"op": "engine.decide", "input": {
                **{name: request[name] for name in request if name not in ("groups", "user")},
                "user": {"name": request["user"], "groups": request["groups"]}, "configuration": cases.objects}})
            by_second = second.ask(request)
            if "object" in by_second and is_asked_again(request, by_second["object"], cases.classes):
                again = request | {"object": by_second["object"]}
                if admitted_by_class(first, again, cases.classes):
                    by_second = second.ask(again)
                else:
                    by_second["object"] = None
            if "error" in by_first or "errors" in by_second or "result" not in by_first:
                print(f"seed {seed - 1}: {json.dumps(by_first)[:700]} {json.dumps(by_second)[:700]}")
                counts["differences"] += 1
                break
            made = by_first["result"]
            counts["updates"] += request["operation"] == "UPDATE"
            enforces = "mode" not in cases.settings["systems"][-1]
            # Of a template the API server tells it when it makes its pods.
            conflicts = any(each["code"] == "NodeSelectorConflict" for step in made["steps"] for each in step["violations"])
            if by_second["object"] is None and not conflicts:
                print(f"seed {seed - 1}: no conflict with a class that is given: {json.dumps(request)}")
                counts["differences"] += 1
            if conflicts or by_second["object"] is None:
                counts["conflicts"] += 1
                continue
            violations = [each for step in made["steps"] for each in step["violations"]]
            counts["allowed" if not violations else "denied"] += 1
            costs.append(by_second["cost"])
            wrong = []
            said = by_second["messages" if enforces else "warned"]
            denials = {(each["code"], place_of(each["field"])) for each in violations}
            if cases.is_live and len(cases.policies) > 4 and cases.strategy != "FirstSeenWins":
                may_use = usable(first, cases, request["namespace"], spec_of(request["object"]).get("serviceAccountName", "default"))
                if may_use and may_use not in merged:  # not every set of more than four policies is exported
                    counts["not exported"] += 1
                    if (enforces and by_second["allowed"] and not made["allowed"]) or denials_of(said) - {("NotExported", "")}:
                        print(f"seed {seed - 1}: {may_use} are not exported: {said} {json.dumps(request)}")
                        counts["differences"] += 1
                    continue
            more = denials_of(said) - denials
            if more == {NODE_TERMS_DENIED} and denials <= denials_of(said) and writes_a_part(request, cases.policies):
                counts["parts"] += 1  # which need permission
                continue
            # The old object is judged by policies that this one may not use.
            if more and denials <= denials_of(said) and changes_account(request):
                counts["stricter"] += 1
                continue
            if made["allowed"] != by_second["allowed"] or denials != denials_of(said):
                reasons = [f"{each['code']} {each['field']} {each.get('value')}" for each in violations]
                wrong.append(f"allowed {made['allowed']} and {by_second['allowed']}: {reasons} {said}")
            elif made["allowed"]:
                one, other = scheduling_of(made["object"]), scheduling_of(by_second["object"])
                if cases.classes and one.get("runtimeClassName") != spec_of(request["object"]).get("runtimeClassName"):
                    for each in (one, other):  # the API server puts those of the class behind the default ones
                        each["tolerations"] = sorted(each.get("tolerations", []), key=lambda item: json.dumps(item, sort_keys=True))
                counts["changed"] += one != scheduling_of(request["object"])
                if one != other:
                    wrong += [f"{name}: {json.dumps(one.get(name))} and {json.dumps(other.get(name))}"
                              for name in sorted(set(one) | set(other)) if one.get(name) != other.get(name)]
            if any("error: " in message or "patch: " in message for message in said):
                wrong.append(f"fails: {said}")
            if by_second["cost"] > most:
                wrong.append(f"costs {by_second['cost']} of {most}")
            if wrong and contradicts_its_class(by_second["object"], cases.classes):
                counts["unschedulable"] += 1
                continue
            # A template that has one twice, with a class, of which its pods have one.
            if wrong and made["allowed"] == by_second["allowed"] and cases.classes and repeats_a_toleration(request["object"]) and (
                    made["object"]["kind"] != "Pod" and pod_of(first, made["object"], cases) == pod_of(first, by_second["object"], cases)):
                counts["repeated"] += 1
                continue
            if wrong:
                counts["differences"] += 1
                if counts["differences"] <= 5:
                    print(f"seed {seed - 1}: {request['operation']} {request['object']['kind']} by {request['user'][-8:]}: {'; '.join(wrong)}\n  request {json.dumps(request)}\n  policies {json.dumps(cases.objects)}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()) + f", cost at most {max(costs)}")
    print(", ".join(f"{count} {what}" for what, count in sets.items()))
    for reason in sorted(refusals):
        print(f"refused: {reason}")
    if counts["differences"]:
        return 1
    least = asked / 10
    if min(counts[what] for what in ("allowed", "denied", "changed")) < least:
        print("too few of one outcome")
        return 1
    return 0


sys.exit(main())
