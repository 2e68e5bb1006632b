# SPDX-License-Identifier: Apache-2.0
"""Rows of the day in a cluster: before the webhook is installed, the API server decides by what `schedpol export` writes,
and on the same objects as the library."""

import contextlib
import copy
import json
import pathlib
import subprocess
import sys
import time

from control_plane import wait_until
from deciders import Library, Server, denials_of, fixed_of_a_job, scheduling_of, wanted_denials
from wishes import ARCH, CLASSES, HOST, PREFERRED, REQUIRED, ZONE, Wishes, object_of, spec_of

for folder in ("support", "second_decider"):
    sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / folder))
import inventory  # noqa: E402  pylint: disable=wrong-import-position
import limits  # noqa: E402  pylint: disable=wrong-import-position

MANAGED = "app.kubernetes.io/managed-by=schedpol-export"
KINDS = "validatingadmissionpolicies,validatingadmissionpolicybindings,mutatingadmissionpolicies,mutatingadmissionpolicybindings"
ONLY_POLICIES = {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration", "systems": [{"system": "SchedulingPolicy"}]}
# One that gives something of every kind.
GIVING = {"apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy", "metadata": {"name": "giving"}, "spec": {
    "allowed": {"schedulerNames": ["default-scheduler", "batch-scheduler"], "priorityClassNames": ["training"], "nodeSelectors": {ARCH: []},
                "tolerations": [{"keys": ["nvidia.com/gpu"], "operators": ["Exists"], "effects": ["NoSchedule"]}],
                "affinities": {"nodeAffinities": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [{"keys": [ARCH, ZONE]}]}]}},
                               "podAntiAffinities": {PREFERRED: {"topologyKeys": [HOST, ZONE]}}}},
    "default": {"schedulerName": "batch-scheduler", "priorityClassName": "low", "runtimeClassName": "gvisor",
                "nodeSelector": {"pool": "general", "example.com/team": "a"},
                "tolerations": [{"key": "spot", "operator": "Exists"},
                                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}],
                "affinity": {"nodeAffinity": {
                    REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a", "b"]}]}]},
                    PREFERRED: [{"weight": 5, "preference": {"matchExpressions": [{"key": ARCH, "operator": "In", "values": ["arm64"]}]}}]},
                    "podAntiAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": {
                        "topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "x"}}}}]}}}}}


# The same by both.

class Exported:
    """An export, and requests that both are asked. Nothing of it is there in the end."""

    def __init__(self, day, seed):
        self.day, self.wishes = day, Wishes(seed)
        self.server, self.requests = Server(day.plane), []
        self.namespaces, self.accounts = [], []
        self.refused = 0

    def place(self, namespace, *accounts):
        self.namespaces.append(namespace)
        wait_until("that of a row before is gone", lambda: "deletionTimestamp" not in str(
            self.day.plane.ask("GET", f"/api/v1/namespaces/{namespace}")[1]), 120)
        self.day.namespace(namespace)
        self.accounts.append((namespace, ""))
        for account in accounts:
            self.day.plane.create(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": account}})
            self.accounts.append((namespace, account))

    def add(self, item, is_update=False):
        """Asks what the API server makes of it without policies; what it refuses then is not asked for again."""
        request = {"object": item}
        if is_update:
            if item["kind"] == "Pod":  # one that is on a node which is not there is deleted
                item["spec"].pop("nodeName", None)
            try:
                request["old"] = self.server.store(item)
            except ValueError:
                self.refused += 1
                return
            request["object"] = self.wishes.updated(request["old"])
        status, made, _ = self.server.try_request(request)
        if status not in (200, 201):
            self.refused += 1
            return
        request["admitted"] = made | {"kind": item["kind"], "apiVersion": item["apiVersion"]}
        self.requests.append(request)

    def add_some(self, count):
        for i in range(count):
            namespace, account = self.wishes.choice(self.accounts)
            self.add(self.wishes.created(f"x{i}", namespace, account), is_update=self.wishes.random() < 0.3)

    @staticmethod
    def gives_what_is_fixed(request, decision):
        """Whether the update is of a Job that is older than a default of what nobody may change of it. The API server refuses
        it, whoever gives the default, before anybody denies."""
        if request["object"]["kind"] != "Job" or "old" not in request:
            return False
        return not decision["allowed"] or fixed_of_a_job(decision["object"]) != fixed_of_a_job(request["old"])

    def differences(self, request, decision):
        """What is decided otherwise, and what the answer was."""
        status, made, _ = self.server.try_request(request)
        text = made.get("message", "") if status not in (200, 201) else ""
        if status == 422 and "old" in request and (
                not decision["allowed"] or fixed_of_a_job(decision["object"]) != fixed_of_a_job(request["old"])):
            return status, []  # what is given is what nobody may change, and that is told before a denial
        if decision["allowed"] != (not text):
            return status, [f"the library {'allows' if decision['allowed'] else 'denies'}: {wanted_denials(decision)} {status} {text}"]
        if text:
            found = denials_of(text)
            return status, [] if found and found <= wanted_denials(decision) else [f"{wanted_denials(decision)} is not {text}"]
        one, other = scheduling_of(decision["object"]), scheduling_of(made | {"kind": request["object"]["kind"]})
        if one.get("runtimeClassName") != spec_of(request["admitted"]).get("runtimeClassName"):
            for each in (one, other):  # those of a class that is given stand behind the default ones
                each["tolerations"] = sorted(each.get("tolerations", []), key=lambda item: json.dumps(item, sort_keys=True))
        wrong = [f"{name}: {json.dumps(one.get(name))} and {json.dumps(other.get(name))}"
                 for name in sorted(set(one) | set(other)) if one.get(name) != other.get(name)]
        if request["object"]["kind"] == "Pod" and made["spec"]["priority"] != CLASSES.get(other.get("priorityClassName"), 0):
            wrong.append(f"priority {made['spec']['priority']} of class {other.get('priorityClassName')}")
        return status, wrong

    def compare(self, library):
        """All requests once more; yields what differs."""
        counts = {"allowed": 0, "denied": 0, "changed": 0, "updates": 0}
        for request in self.requests:
            decision = request["decision"] = library.decide(request["admitted"], request.get("old"))
            _, wrong = self.differences(request, decision)
            counts["allowed" if decision["allowed"] else "denied"] += 1
            counts["changed"] += decision["allowed"] and scheduling_of(decision["object"]) != scheduling_of(request["admitted"])
            counts["updates"] += "old" in request
            for each in wrong:
                item = request["object"]
                yield f"{'update of ' if 'old' in request else ''}{item['kind']} {json.dumps(spec_of(item))}: {each}"
        self.day.facts.append(", ".join(f"{count} {what}" for what, count in counts.items()) +
                              f" of {len(self.requests)}, {self.refused} refused by the API server itself")
        if self.refused > len(self.requests) / 20:
            yield f"{self.refused} are refused without policies"
        if min(counts["allowed"], counts["denied"], counts["updates"]) < len(self.requests) / 20:
            yield f"too few of one outcome: {counts}"

    def probes(self):
        """Of each account a pod that asks for nothing, and one that asks for a scheduler that nobody has, with the answers."""
        for namespace, account in self.accounts:
            for spec in ({}, {"schedulerName": "nobodys"}):
                item = object_of("Pod", "probe", namespace, spec | ({"serviceAccountName": account} if account else {}))
                yield item, *self.server.send("POST", self.server.place(item) + "?dryRun=All", item)

    def is_as_wanted(self, library):
        for item, status, made, _ in self.probes():
            decision = library.decide(item)
            if decision["allowed"] != (status == 201):
                return False
            if status == 201 and spec_of(decision["object"]).get("priorityClassName") != made["spec"].get("priorityClassName"):
                return False
        return True

    def is_free(self):
        """Nobody denies, warns or gives anything."""
        return all(status == 201 and not warnings and "priorityClassName" not in made["spec"] for _, status, made, warnings in self.probes())

    def average(self):
        """Milliseconds of a dry run of a pod."""
        namespace, account = self.accounts[-1]
        item = object_of("Pod", "probe", namespace, {"serviceAccountName": account} if account else {})
        begin = time.monotonic()
        for _ in range(50):
            self.server.send("POST", self.server.place(item) + "?dryRun=All", item)
        return (time.monotonic() - begin) * 20

    def command_line_differs(self, policies, library):
        """`schedpol check`, of what is created as it is written; only names of accounts that are there."""
        created = [request["object"] for request in self.requests if "old" not in request]
        done = subprocess.run([self.day.programs["cli"], "check", *policies, "--for", "-", "-o", "json"], capture_output=True, text=True,
                              timeout=300, check=False, input=json.dumps({"apiVersion": "v1", "kind": "List", "items": created}))
        verdicts = {(one["kind"], one["namespace"], one["name"]): one["verdict"] for one in json.loads(done.stdout)["results"]}
        for request in self.requests:
            item = request["object"]
            # A class of the cluster adds to the pod, which the command line is not told of.
            if "old" in request or spec_of(item).get("runtimeClassName") == "kata":
                continue
            metadata = item["metadata"]
            allowed = request["decision"]["allowed"]
            if (verdicts[item["kind"], metadata["namespace"], metadata["name"]] in ("allowed", "changed")) != allowed:
                yield f"check says otherwise of {json.dumps(item)}"

    def end(self):
        plane = self.day.plane
        plane.kubectl("delete", KINDS, "-l", MANAGED)
        wait_until("the policies are in force no more", self.is_free, 60)
        for namespace in self.namespaces:
            plane.ask("DELETE", f"/api/v1/namespaces/{namespace}")
        self.server.connection.close()


def export(day, *arguments):
    done = subprocess.run([day.programs["cli"], "export", *arguments], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise ValueError(f"{done.returncode}: {done.stderr}")
    return done.stdout


def objects_of(*texts):
    import yaml  # pylint: disable=import-outside-toplevel
    return [item for text in texts for item in yaml.safe_load_all(text) if item and item["kind"] != "Kustomization"]


def written(day, name, objects):
    path = day.work / f"{name}.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}), encoding="utf-8")
    return path


RUNTIME_CLASSES = [
    {"metadata": {"name": "gvisor"}, "handler": "gvisor", "overhead": {"podFixed": {"memory": "64Mi"}}},
    {"metadata": {"name": "kata"}, "handler": "kata", "scheduling": {
        "nodeSelector": {"sandbox": "kata"}, "tolerations": [{"key": "sandboxed", "operator": "Exists", "effect": "NoSchedule"}]}}]


@contextlib.contextmanager
def classes(day):
    apis = {"/apis/scheduling.k8s.io/v1/priorityclasses": [{"metadata": {"name": name}, "value": value} for name, value in CLASSES.items()],
            "/apis/node.k8s.io/v1/runtimeclasses": RUNTIME_CLASSES}
    for path, items in apis.items():
        for item in items:
            day.plane.create(path, item)
    try:
        yield
    finally:
        for path, items in apis.items():
            for item in items:
                day.plane.ask("DELETE", f"{path}/{item['metadata']['name']}")


def untyped(day):
    """What the status of a policy warns of."""
    def policies():
        return day.plane.get("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies")["items"]
    wait_until("types are checked", lambda: all(
        item.get("status", {}).get("observedGeneration") == item["metadata"]["generation"] for item in policies()), 300)
    for item in policies():
        for warning in item["status"].get("typeChecking", {}).get("expressionWarnings", []):
            yield f"{item['metadata']['name']}: {warning}"


def compared(day, exported, objects, policies=None, options=(), with_types=True):
    """Applies what is exported of these objects, which the command line may read from elsewhere, and asks both. Of many policies
    the check of types takes a controller minutes."""
    before = exported.average()
    policies = policies or [written(day, "exported", objects)]
    text = export(day, *policies, *options)
    library = Library(day.programs["evaluate"], objects)
    try:
        status, said = day.plane.kubectl("apply", "-f", "-", text=text)
        if status != 0 or "Warning" in said:
            yield f"{status} {said}"
        took = wait_until("the policies are in force", lambda: exported.is_as_wanted(library), 60)
        count = text.count("kind: ValidatingAdmissionPolicy\n") + text.count("kind: MutatingAdmissionPolicy\n")
        day.facts.append(f"{count} policies, {len(text) // 1024} KiB, in force after {took:.1f} s; "
                         f"a pod takes {before:.1f} ms without, {exported.average():.1f} ms with")
        yield from exported.compare(library)
        yield from exported.command_line_differs(policies, library)
        if with_types:
            yield from untyped(day)
    finally:
        library.end()


@contextlib.contextmanager
def exporting(day, seed):
    with classes(day):
        exported = Exported(day, seed)
        try:
            yield exported
        finally:
            exported.end()


def an_export_of_the_house_rules_decides_as_the_library(day):
    folder = day.root / "examples/cli/house-rules/policies"
    objects = objects_of(*(path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())))
    others = {item["kind"] for item in objects} - {"SchedulingPolicy"}
    with exporting(day, 1) as exported:
        exported.place("house", "web")
        exported.add_some(220)
        yield from compared(day, exported, [ONLY_POLICIES | {"policyUse": "Every"}, *(item for item in objects if item["kind"] not in others)],
                            [folder, *(f"--exclude-kind={kind}" for kind in others)])


def an_export_of_the_baseline_decides_as_the_library(day):
    manifests = day.root / "examples/manifests"
    objects = objects_of(*((manifests / f"policies/{name}.yaml").read_text(encoding="utf-8") for name in ("baseline", "privileged")))
    engine, = [json.loads(item["data"]["engine.json"]) for item in objects_of((manifests / "webhook.yaml").read_text(encoding="utf-8"))
               if item["kind"] == "ConfigMap"]
    bound = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "agents", "namespace": "baseline"},
             "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "schedpol:use-privileged"},
             "subjects": [{"kind": "ServiceAccount", "name": "agent", "namespace": "baseline"}]}
    with exporting(day, 2) as exported:
        exported.place("baseline", "web", "agent")
        exported.add_some(220)
        yield from compared(day, exported, [engine | {"systems": ONLY_POLICIES["systems"]}, *objects, bound])


def suggested(day, count, *sizes):
    """What `suggest` writes for a made-up cluster, and as many objects like those in it."""
    there = inventory.Inventory(3, *sizes).objects
    path = written(day, "inventory", there)
    done = subprocess.run([day.programs["cli"], "suggest", path, "--components", "All"], capture_output=True, text=True, timeout=120, check=True)
    workloads = [item for item in there if item["kind"] != "Pod" and item["metadata"]["namespace"] != "kube-system"]
    accounts = {(item["metadata"]["namespace"], spec_of(item).get("serviceAccountName", "")) for item in workloads}
    with exporting(day, 3) as exported:
        for namespace in sorted({namespace for namespace, _ in accounts}):
            exported.place(namespace, *sorted(name for of, name in accounts if of == namespace and name))
        wishes = exported.wishes
        for i in range(count):
            item = wishes.choice(workloads)
            spec = copy.deepcopy(spec_of(item))
            spec.pop("containers")
            if wishes.random() < 0.4:
                spec |= wishes.wish()
            kind = wishes.choice([item["kind"], "Pod"])
            exported.add(object_of(kind, f"x{i}", item["metadata"]["namespace"], spec), is_update=wishes.random() < 0.3)
        yield from compared(day, exported, objects_of(done.stdout), with_types=len(accounts) < 20)


def an_export_of_what_is_suggested_decides_as_the_library(day):
    yield from suggested(day, 220, 200, 30, 12)


def an_export_of_what_is_suggested_for_a_large_cluster_decides_as_the_library(day):
    yield from suggested(day, 200, 5000, 200, 60)


def what_a_class_adds_needs_no_permission_by_an_export(day):
    """The API server's plugin adds it, of a class that is given too. It goes to pods alone."""
    of_classes = [{"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", **each} for each in RUNTIME_CLASSES]
    for given in ("kata", "gvisor"):
        spec = GIVING["spec"] | {"default": GIVING["spec"]["default"] | {"runtimeClassName": given}}
        engine = ONLY_POLICIES | {"policyUse": "Every", "options": {"governs": "All"},
                                  "systems": [{"system": "RuntimeClass"}, *ONLY_POLICIES["systems"]]}
        with exporting(day, 7) as exported:
            exported.place(f"sandboxed-{given}", "web")
            exported.add_some(110)
            for i in range(20):
                item = exported.wishes.created(f"k{i}", f"sandboxed-{given}", "web")
                spec_of(item)["runtimeClassName"] = "kata"
                exported.add(item)
            yield from compared(day, exported, [engine, GIVING | {"spec": spec}, *of_classes])


def a_binding_counts_at_once_where_the_authorizer_is_asked(day):
    plane = day.plane
    granted, api = [], "/apis/rbac.authorization.k8s.io/v1"
    kind = {"apiVersion": "rbac.authorization.k8s.io/v1"}

    def grant(name, policy, account):
        granted.extend([
            kind | {"kind": "ClusterRole", "metadata": {"name": name}, "rules": [
                {"apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"], "verbs": ["use"], "resourceNames": [policy]}]},
            kind | {"kind": "RoleBinding", "metadata": {"name": name, "namespace": "asked"},
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
                    "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": "asked"}]}])
        plane.create(f"{api}/clusterroles", granted[-2])
        plane.create(f"{api}/namespaces/asked/rolebindings", granted[-1])
    plain = {"apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy", "metadata": {"name": "plain"}, "spec": {
        "allowed": {"schedulerNames": [], "tolerations": []}}}
    with exporting(day, 8) as exported:
        exported.place("asked", "web", "train")
        grant("uses-giving", "giving", "web")
        grant("uses-plain", "plain", "train")
        grant("uses-both", "plain", "web")
        exported.add_some(220)
        try:
            yield from compared(day, exported, [ONLY_POLICIES | {"options": {"governs": "All"}}, GIVING, plain, *granted], options=["--live-rbac"])
            item = object_of("Pod", "probe", "asked", {"serviceAccountName": "default"})

            def status():
                return exported.server.send("POST", exported.server.place(item) + "?dryRun=All", item)[0]
            if status() != 403:
                yield f"an account that may use no policy: {status()}"
            grant("uses-plain-now", "plain", "default")
            day.facts.append(f"a binding counts after {wait_until('the binding counts', lambda: status() == 201, 20):.1f} s")
        finally:
            for role in granted[::2]:
                plane.ask("DELETE", f"{api}/clusterroles/{role['metadata']['name']}")


def an_export_of_every_default_gives_as_the_library(day):
    with exporting(day, 4) as exported:
        exported.place("given", "web")
        exported.add_some(220)
        yield from compared(day, exported, [ONLY_POLICIES | {"policyUse": "Every", "options": {"governs": "All"}}, GIVING])


@contextlib.contextmanager
def in_force(day, namespace, *mode):
    """A namespace where what is exported of the policy that gives everything is in force."""
    objects = [ONLY_POLICIES | {"policyUse": "Every", "options": {"governs": "All"}}, GIVING]
    with exporting(day, 5) as exported:
        exported.place(namespace)
        path = f"/api/v1/namespaces/{namespace}/pods?dryRun=All"
        status, said = day.plane.kubectl("apply", "-f", "-", text=export(day, written(day, "exported", objects), *mode))
        if status != 0:
            raise ValueError(said)

        def is_seen():
            denied = exported.server.send("POST", path, object_of("Pod", "probe", namespace, {"schedulerName": "nobodys"}))
            given = exported.server.send("POST", path, object_of("Pod", "probe", namespace, {}))
            return denied[2] if mode else denied[0] == 403 and given[1]["spec"].get("priorityClassName") == "low"
        wait_until("the policies are in force", is_seen, 60)
        yield exported


def controllers_make_the_pods_of_what_an_export_permits(day):
    """Templates are given what pods would be, so that nothing is given to a pod, or to a template twice."""
    plane = day.plane
    given = GIVING["spec"]["default"]
    with in_force(day, "controlled"):
        plane.create("/api/v1/nodes", {"metadata": {"name": "n1", "labels": {HOST: "n1", ZONE: "a", **given["nodeSelector"]}}})
        made = [object_of(kind, name, "controlled", {"terminationGracePeriodSeconds": 0}) for kind, name in (
            ("Deployment", "web"), ("StatefulSet", "db"), ("DaemonSet", "agent"), ("Job", "once"), ("ReplicationController", "old"))]
        for item in made:
            item["spec"].update({"DaemonSet": {}, "Job": {"suspend": False}}.get(item["kind"], {"replicas": 1}))
        for _ in range(2):
            status, said = plane.apply(*made)
            if status != 0 or "Warning" in said:
                yield f"apply: {status} {said}"

        def pods():
            return plane.get("/api/v1/namespaces/controlled/pods")["items"]
        wait_until("each has its pod", lambda: len(pods()) == len(made), 60)
        for item in made:
            stored = plane.get(Server.place(item, item["metadata"]["name"]))
            if stored["metadata"]["generation"] != 1:
                yield f"{item['kind']} has generation {stored['metadata']['generation']}"
            if scheduling_of(stored | {"kind": item["kind"]}).get("priorityClassName") != "low":
                yield f"nothing is given to {item['kind']}"
        if len(plane.get("/apis/apps/v1/namespaces/controlled/replicasets")["items"]) != 1:
            yield "there are several ReplicaSets of the Deployment"
        for item in pods():
            spec = item["spec"]
            is_agent = item["metadata"]["ownerReferences"][0]["kind"] == "DaemonSet"
            names = (spec["schedulerName"], spec["priority"], spec["runtimeClassName"], spec["nodeSelector"])
            if names != ("batch-scheduler", CLASSES["low"], "gvisor", given["nodeSelector"]):
                yield f"{item['metadata']['name']}: {spec}"
            term, = spec["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
            if (len(spec["tolerations"]) > 5, "matchFields" in term) != (is_agent, is_agent):
                yield f"{item['metadata']['name']}: {spec['tolerations']} {term}"
        # What a scheduler, a kubelet and an administrator do to a pod.
        name = next(item["metadata"]["name"] for item in pods() if item["metadata"]["name"].startswith("web"))
        status, said = plane.ask("POST", f"/api/v1/namespaces/controlled/pods/{name}/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}})
        if status != 201:
            yield f"binding: {said}"
        for arguments in (["annotate", "pod", name, "a=b"], ["debug", name, "--image=example.com/none", "--target=main"],
                          ["patch", "pod", name, "--subresource=status", "--type=merge", "-p", '{"status": {"phase": "Running"}}'],
                          ["delete", "pod", name, "--wait=false"]):
            status, said = plane.kubectl("-n", "controlled", *arguments)
            if status != 0:
                yield f"{arguments}: {said}"
        item = object_of("Deployment", "denied", "controlled", {"tolerations": [{"operator": "Exists"}], "schedulerName": "nobodys"})
        status, said = plane.kubectl("create", "-f", "-", text=json.dumps(item))
        if status == 0 or "spec.template.spec.schedulerName: `nobodys` is not permitted by `giving` (SchedulerNameNotAllowed)" not in said:
            yield said
    plane.ask("DELETE", "/api/v1/nodes/n1")


def an_export_that_warns_denies_and_gives_nothing(day):
    with in_force(day, "warned", "--mode", "Warn") as exported:
        path = "/api/v1/namespaces/warned/pods?dryRun=All"
        status, made, warnings = exported.server.send("POST", path, object_of("Pod", "x", "warned", {"tolerations": [{"operator": "Exists"}]}))
        if status != 201 or len(warnings) != 1 or "(TolerationNotAllowed)" not in warnings[0] or "priorityClassName" in made["spec"]:
            yield f"{status} {warnings} {made}"
        status, made, warnings = exported.server.send("POST", path, object_of("Pod", "x", "warned", {}))
        if status != 201 or warnings:
            yield f"{status} {warnings} {made}"


def what_is_exported_no_more_is_pruned(day):
    """By the command of the README."""
    readme = (day.root / "examples/cli/export/README.md").read_text(encoding="utf-8")
    commands = readme.split("```sh\n")[1].split("```")[0].replace("\\\n", " ").splitlines()
    command, = [line for line in commands if line.startswith("kubectl apply")]

    def apply(name, of=GIVING, **options):
        objects = [ONLY_POLICIES | {"policyUse": "Every", "options": options}, of | {"metadata": {"name": name}}]
        (day.work / "admission.yaml").write_text(export(day, written(day, "exported", objects)), encoding="utf-8")
        status, text = day.plane.kubectl(*(argument.replace("admission.yaml", str(day.work / "admission.yaml"))
                                           for argument in command.split()[1:]))
        return f"{status}: {text}" if status != 0 else ""
    with exporting(day, 6) as exported:
        exported.place("pruned")
        yield from filter(None, (apply("one"), apply("other")))
        _, there = day.plane.kubectl("get", KINDS, "-o", "name")
        if len(there.split()) != 4 or there.count("/schedpol-other") != 4:
            yield there
        every_scheduler = GIVING | {"spec": {"allowed": {"schedulerNames": []}}}
        yield from filter(None, (apply("other", every_scheduler, governs=["schedulerNames"]),))
        _, there = day.plane.kubectl("get", KINDS, "-o", "name")
        if not there.endswith("/schedpol-nothing\n") or len(there.split()) != 1:
            yield f"after an export that denies nothing: {there}"


def the_largest_object_that_is_exported_is_applied(day):
    """With the annotation in which kubectl keeps it."""
    fits, too_many = 1, 2000
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        try:
            made = export(day, written(day, "exported", limits.of_bytes(middle)))
            fits, text = middle, made
        except ValueError:
            too_many = middle
    with exporting(day, 9):
        status, said = day.plane.kubectl("apply", "-f", "-", text=text)
        annotations = [len(item["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]) for item in
                       day.plane.get("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies")["items"]]
        day.facts.append(f"an annotation of {max(annotations, default=0)} bytes")
        if status != 0 or max(annotations) < 200_000:
            yield f"{status} {said} {annotations}"


ROWS = [an_export_of_the_house_rules_decides_as_the_library, an_export_of_the_baseline_decides_as_the_library,
        an_export_of_what_is_suggested_decides_as_the_library, an_export_of_what_is_suggested_for_a_large_cluster_decides_as_the_library,
        what_a_class_adds_needs_no_permission_by_an_export, a_binding_counts_at_once_where_the_authorizer_is_asked, an_export_of_every_default_gives_as_the_library,
        controllers_make_the_pods_of_what_an_export_permits, an_export_that_warns_denies_and_gives_nothing,
        what_is_exported_no_more_is_pruned, the_largest_object_that_is_exported_is_applied]
