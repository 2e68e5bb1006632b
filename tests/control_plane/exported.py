# SPDX-License-Identifier: Apache-2.0
"""Rows of the day in a cluster: before the webhook is installed, the API server decides by what `schedpol export` writes,
and on the same objects as the library."""

import contextlib
import copy
import http.client
import json
import pathlib
import random
import re
import subprocess
import sys
import time

from control_plane import wait_until

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import inventory  # noqa: E402  pylint: disable=wrong-import-position

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
MANAGED = "app.kubernetes.io/managed-by=schedpol-export"
KINDS = "validatingadmissionpolicies,validatingadmissionpolicybindings,mutatingadmissionpolicies,mutatingadmissionpolicybindings"
ZONE, HOST, ARCH = "topology.kubernetes.io/zone", "kubernetes.io/hostname", "kubernetes.io/arch"
CLASSES = {"low": 5, "training": 500, "production": 1000, "batch": 10}
WORKLOADS = {"PodTemplate": ("v1", "podtemplates"), "ReplicationController": ("v1", "replicationcontrollers"),
             "ReplicaSet": ("apps/v1", "replicasets"), "Deployment": ("apps/v1", "deployments"),
             "StatefulSet": ("apps/v1", "statefulsets"), "DaemonSet": ("apps/v1", "daemonsets"), "Job": ("batch/v1", "jobs"),
             "CronJob": ("batch/v1", "cronjobs")}
USER = {"name": "admin", "groups": ["system:masters", "system:authenticated"]}
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


# Objects.

def spec_of(item):
    if item["kind"] == "Pod":
        return item["spec"]
    if item["kind"] == "PodTemplate":
        return item["template"]["spec"]
    if item["kind"] == "CronJob":
        return item["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    return item["spec"]["template"]["spec"]


def object_of(kind, name, namespace, spec):
    """One whose controller makes no pods of it."""
    spec = {"automountServiceAccountToken": False, "containers": [{"name": "main", "image": "example.com/none"}], **copy.deepcopy(spec)}
    metadata, labels = {"name": name, "namespace": namespace}, {"app": name}
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"terminationGracePeriodSeconds": 0, **spec}}
    version = WORKLOADS[kind][0]
    made = {"apiVersion": version, "kind": kind, "metadata": metadata}
    if version == "batch/v1":
        spec["restartPolicy"] = "Never"
    template = {"metadata": {"labels": labels}, "spec": spec}
    if kind == "PodTemplate":
        return made | {"template": template}
    if kind == "CronJob":
        return made | {"spec": {"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": {"template": template}}}}
    if kind == "Job":
        return made | {"spec": {"suspend": True, "template": template}}
    selector = labels if kind == "ReplicationController" else {"matchLabels": labels}
    replicas = {} if kind == "DaemonSet" else {"replicas": 0}
    return made | {"spec": {**replicas, "selector": selector, "template": template}}


class Wishes(random.Random):
    """What pods ask for; some of it the policies of each row permit."""

    def pod_term(self):
        return {"topologyKey": self.choice([HOST, ZONE, "rack"]), "labelSelector": {"matchLabels": {"app": "x"}}}

    def node_term(self):
        key, values = self.choice([(ARCH, ["amd64", "arm64"]), (ZONE, ["a", "b"]), ("pool", ["gpu"])])
        return {"matchExpressions": [self.choice([{"key": key, "operator": "In", "values": values},
                                                  {"key": key, "operator": "NotIn", "values": values[:1]},
                                                  {"key": key, "operator": "Exists"}])]}

    def affinity(self):
        kind = self.choice(["nodeAffinity", "podAffinity", "podAntiAffinity"])
        required = self.random() < 0.5
        if kind == "nodeAffinity":
            return {kind: {REQUIRED: {"nodeSelectorTerms": [self.node_term()]}} if required
                    else {PREFERRED: [{"weight": 1, "preference": self.node_term()}]}}
        return {kind: {REQUIRED: [self.pod_term()]} if required else {PREFERRED: [{"weight": 1, "podAffinityTerm": self.pod_term()}]}}

    def toleration(self):
        return self.choice([{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}, {"operator": "Exists"},
                            {"key": "spot", "value": "true", "effect": "NoSchedule"}, {"key": "spot", "operator": "Exists"},
                            {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}])

    def wish(self):
        return self.choice([
            lambda: {"schedulerName": self.choice(["default-scheduler", "batch-scheduler", "mine"])},
            lambda: {"priorityClassName": self.choice(list(CLASSES))},
            lambda: {"nodeSelector": dict([self.choice([(ARCH, "arm64"), (ZONE, "a"), ("pool", "gpu"), ("pool", "general")])])},
            lambda: {"tolerations": [self.toleration() for _ in range(self.randint(1, 2))]},
            self.affinity_wish, self.affinity_wish,
            lambda: {"topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": self.choice([HOST, ZONE, "rack"]), "labelSelector": {"matchLabels": {"app": "x"}},
                "whenUnsatisfiable": self.choice(["DoNotSchedule", "ScheduleAnyway"])}]},
            lambda: {"schedulingGates": [{"name": self.choice(["kueue.x-k8s.io/admission", "example.com/quota"])}]},
            lambda: {"resourceClaims": [{"name": "device", "resourceClaimTemplateName": self.choice(["single-gpu", "nic"])}]},
            lambda: {"runtimeClassName": self.choice(["gvisor", "kata"])},
            lambda: {"nodeName": "n1"}])()

    def affinity_wish(self):
        return {"affinity": self.affinity()}

    def spec(self):
        made = {}
        for _ in range(self.choice([0, 1, 1, 2, 3])):
            made |= self.wish()
        if "schedulingGates" in made:
            made.pop("nodeName", None)
        return made

    def created(self, name, namespace, account):
        spec = self.spec() | ({"serviceAccountName": account} if account else {})
        return object_of("Pod" if self.random() < 0.6 else self.choice(list(WORKLOADS)), name, namespace, spec)

    def updated(self, stored):
        """What a client makes of an object that is stored."""
        made = copy.deepcopy(stored)
        made["metadata"].pop("resourceVersion")
        spec = spec_of(made)
        if self.random() < 0.3:
            made["metadata"].setdefault("labels", {})["changed"] = "yes"
        elif made["kind"] != "Pod" or spec.get("schedulingGates"):
            wish = self.wish()
            if made["kind"] == "Pod":
                wish = self.choice([{"nodeSelector": spec.get("nodeSelector", {}) | {"pool": "gpu"}}, {"schedulingGates": []},
                                    {"nodeSelector": spec.get("nodeSelector", {}) | {ARCH: "arm64"}}])
            elif made["kind"] == "Job":  # of which only that may change
                wish = self.choice([{"nodeSelector": {ARCH: "arm64"}}, {"nodeSelector": {"pool": "gpu"}}, {"tolerations": [self.toleration()]}])
            spec.update(wish)
        else:
            spec["tolerations"] = spec.get("tolerations", []) + [self.toleration()]
        return made


# Who decides.

class Server:
    """The API server, over one connection."""

    def __init__(self, plane):
        self.plane = plane
        self.connection = http.client.HTTPSConnection("127.0.0.1", plane.port, context=plane.context, timeout=60)

    @staticmethod
    def place(item, name=""):
        version, resource = ("v1", "pods") if item["kind"] == "Pod" else WORKLOADS[item["kind"]]
        root = "/api/v1" if version == "v1" else f"/apis/{version}"
        return f"{root}/namespaces/{item['metadata']['namespace']}/{resource}{'/' * bool(name)}{name}"

    def send(self, method, path, item):
        self.connection.request(method, path, json.dumps(item), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read()), answer.headers.get_all("Warning", [])

    def store(self, item):
        status, stored, _ = self.send("POST", self.place(item), item)
        if status != 201:
            raise ValueError(f"{status}: {stored.get('message')}")
        return stored | {"kind": item["kind"], "apiVersion": item["apiVersion"]}

    def try_request(self, request):
        """The status, what would be stored, or the denial, and the warnings."""
        item, old = request["object"], request.get("old")
        method, path = ("PUT", self.place(item, item["metadata"]["name"])) if old else ("POST", self.place(item))
        return self.send(method, path + "?dryRun=All", item)


class Library:
    def __init__(self, program, objects):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # pylint: disable=consider-using-with
        self.objects = objects

    def decide(self, item, old=None):
        asked = {"op": "engine.decide", "input": {
            "operation": "UPDATE" if old else "CREATE", "object": item, **({"old": old} if old else {}),
            "namespace": item["metadata"]["namespace"], "user": USER, "configuration": self.objects}}
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "result" not in answer:
            raise ValueError(str(answer)[:1000])
        return answer["result"]

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)


FIELD = re.compile(r"(?:.*\.)?spec(?:\.((?:affinity\.\w+(?:\.\w+)?)|\w+).*)?$")
MESSAGE = re.compile(r"denied request: (\S+?): (?:.*\W)?\((\w+)\)$", re.DOTALL)


def denials_of(text):
    """Codes, and fields below the pod spec."""
    made = MESSAGE.search(text)
    return {(made[2], FIELD.fullmatch(made[1])[1] or "")} if made else set()


def wanted_denials(decision):
    return {(each["code"], FIELD.fullmatch(each["field"])[1] or "") for step in decision["steps"] for each in step["violations"]}


def normal(value):
    """Without what is empty, which is the same as absent."""
    if isinstance(value, dict):
        made = {name: normal(each) for name, each in value.items()}
        return {name: each for name, each in made.items() if each not in (None, {}, [], "")}
    return [normal(each) for each in value] if isinstance(value, list) else value


def scheduling_of(item):
    """What the classes give aside, which the API server fills in after the names."""
    return {name: each for name, each in normal(spec_of(item)).items() if name not in ("priority", "preemptionPolicy", "overhead")}


def fixed_of_a_job(item):
    """What of a suspended Job nobody may change."""
    spec = normal(copy.deepcopy(spec_of(item)))
    spec.get("affinity", {}).pop("nodeAffinity", None)
    return normal({name: each for name, each in spec.items() if name not in ("nodeSelector", "tolerations", "schedulingGates")})


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
        wrong = [f"{name}: {json.dumps(one.get(name))} and {json.dumps(other.get(name))}"
                 for name in sorted(set(one) | set(other)) if one.get(name) != other.get(name)]
        if request["object"]["kind"] == "Pod" and made["spec"]["priority"] != CLASSES.get(other.get("priorityClassName"), 0):
            wrong.append(f"priority {made['spec']['priority']} of class {other.get('priorityClassName')}")
        return status, wrong

    def compare(self, library):
        """All requests once more; yields what differs."""
        counts = {"allowed": 0, "denied": 0, "changed": 0, "updates": 0}
        for request in self.requests:
            decision = library.decide(request["admitted"], request.get("old"))
            _, wrong = self.differences(request, decision)
            counts["allowed" if decision["allowed"] else "denied"] += 1
            counts["changed"] += decision["allowed"] and scheduling_of(decision["object"]) != scheduling_of(request["admitted"])
            counts["updates"] += "old" in request
            for each in wrong:
                item = request["object"]
                yield f"{'update of ' if 'old' in request else ''}{item['kind']} {json.dumps(spec_of(item))}: {each}"
        self.day.facts.append(", ".join(f"{count} {what}" for what, count in counts.items()) +
                              f" of {len(self.requests)}, {self.refused} refused by the API server itself")
        if min(counts["allowed"], counts["denied"], counts["updates"]) < len(self.requests) / 20:
            yield f"too few of one outcome: {counts}"

    def is_as_wanted(self, library):
        """Of each account a pod that asks for nothing, and one that asks for a scheduler that nobody has."""
        for namespace, account in self.accounts:
            for spec in ({}, {"schedulerName": "nobodys"}):
                item = object_of("Pod", "probe", namespace, spec | ({"serviceAccountName": account} if account else {}))
                status, made, _ = self.server.send("POST", self.server.place(item) + "?dryRun=All", item)
                if library.decide(item)["allowed"] != (status == 201):
                    return False
                if status == 201 and scheduling_of(library.decide(item)["object"]).get("priorityClassName") != made["spec"].get("priorityClassName"):
                    return False
        return True

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
            allowed = library.decide(request["admitted"])["allowed"]
            if (verdicts[item["kind"], metadata["namespace"], metadata["name"]] in ("allowed", "changed")) != allowed:
                yield f"check says otherwise of {json.dumps(item)}"

    def end(self):
        plane = self.day.plane
        plane.kubectl("delete", KINDS, "-l", MANAGED)
        for namespace in self.namespaces:
            plane.kubectl("delete", "namespace", namespace, "--wait=false")
        wait_until("the namespaces are gone", lambda: not {item["metadata"]["name"] for item in plane.get("/api/v1/namespaces")["items"]} &
                   set(self.namespaces), 120)
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


@contextlib.contextmanager
def classes(day):
    apis = {"/apis/scheduling.k8s.io/v1/priorityclasses": [{"metadata": {"name": name}, "value": value} for name, value in CLASSES.items()],
            "/apis/node.k8s.io/v1/runtimeclasses": [
                {"metadata": {"name": "gvisor"}, "handler": "gvisor", "overhead": {"podFixed": {"memory": "64Mi"}}},
                {"metadata": {"name": "kata"}, "handler": "kata", "scheduling": {
                    "nodeSelector": {"sandbox": "kata"}, "tolerations": [{"key": "sandboxed", "operator": "Exists", "effect": "NoSchedule"}]}}]}
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


def compared(day, exported, objects, policies=None):
    """Applies what is exported of these objects, which the command line may read from elsewhere, and asks both."""
    before = exported.average()
    policies = policies or [written(day, "exported", objects)]
    text = export(day, *policies)
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
        exported.place("exported", "web")
        exported.add_some(220)
        yield from compared(day, exported, [ONLY_POLICIES | {"policyUse": "Every"}, *(item for item in objects if item["kind"] not in others)],
                            [folder, *(f"--exclude-kind={kind}" for kind in others)])


def an_export_of_the_baseline_decides_as_the_library(day):
    texts = [(day.root / f"examples/manifests/policies/{name}.yaml").read_text(encoding="utf-8") for name in ("baseline", "privileged")]
    bound = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "agents", "namespace": "exported"},
             "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "schedpol:use-privileged"},
             "subjects": [{"kind": "ServiceAccount", "name": "agent", "namespace": "exported"}]}
    with exporting(day, 2) as exported:
        exported.place("exported", "web", "agent")
        exported.add_some(220)
        yield from compared(day, exported, [ONLY_POLICIES | {"policyUse": "Rbac", "options": {"governs": "All"}}, *objects_of(*texts), bound])


def an_export_of_what_is_suggested_decides_as_the_library(day):
    there = inventory.Inventory(3, 200, 30, 12).objects
    path = written(day, "inventory", there)
    done = subprocess.run([day.programs["cli"], "suggest", path, "--components", "All"], capture_output=True, text=True, timeout=120, check=True)
    workloads = [item for item in there if item["kind"] != "Pod" and item["metadata"]["namespace"] != "kube-system"]
    accounts = {(item["metadata"]["namespace"], spec_of(item).get("serviceAccountName", "")) for item in workloads}
    with exporting(day, 3) as exported:
        for namespace in sorted({namespace for namespace, _ in accounts}):
            exported.place(namespace, *sorted(name for of, name in accounts if of == namespace and name))
        wishes = exported.wishes
        for i in range(220):
            item = wishes.choice(workloads)
            spec = copy.deepcopy(spec_of(item))
            spec.pop("containers")
            if wishes.random() < 0.4:
                spec |= wishes.wish()
            kind = wishes.choice([item["kind"], "Pod"])
            exported.add(object_of(kind, f"x{i}", item["metadata"]["namespace"], spec), is_update=wishes.random() < 0.3)
        yield from compared(day, exported, objects_of(done.stdout))


def an_export_of_every_default_gives_as_the_library(day):
    with exporting(day, 4) as exported:
        exported.place("exported", "web")
        exported.add_some(220)
        yield from compared(day, exported, [ONLY_POLICIES | {"policyUse": "Every", "options": {"governs": "All"}}, GIVING])


def what_is_exported_no_more_is_pruned(day):
    """By the command of the README."""
    readme = (day.root / "examples/cli/export/README.md").read_text(encoding="utf-8")
    command, = [line for line in readme.splitlines() if line.startswith("kubectl apply")]

    def apply(*names):
        (day.work / "admission.yaml").write_text(export(day, written(day, "exported", [ONLY_POLICIES | {"policyUse": "Every"}, *(
            {**GIVING, "metadata": {"name": name}} for name in names)])), encoding="utf-8")
        status, text = day.plane.kubectl(*(argument.replace("admission.yaml", str(day.work / "admission.yaml"))
                                           for argument in command.split()[1:]))
        return f"{status}: {text}" if status != 0 else ""
    with exporting(day, 5):
        yield from filter(None, (apply("one"), apply("other")))
        _, there = day.plane.kubectl("get", KINDS, "-o", "name")
        if len(there.split()) != 4 or there.count("/schedpol-other") != 4:
            yield there


ROWS = [an_export_of_the_house_rules_decides_as_the_library, an_export_of_the_baseline_decides_as_the_library,
        an_export_of_what_is_suggested_decides_as_the_library, an_export_of_every_default_gives_as_the_library,
        what_is_exported_no_more_is_pruned]
