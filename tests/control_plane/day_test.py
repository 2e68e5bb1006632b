# SPDX-License-Identifier: Apache-2.0
"""A day in a cluster: a real control plane, on which examples/manifests is installed as its README says, and the two
programs, run beside it as its pods would be.

    day_test.py SOURCE_ROOT WEBHOOK SCHEDULER CLI EVALUATE [ROW...]

The environment's SCHEDPOL_CONTROL_PLANE is a directory with etcd, kube-apiserver, kube-controller-manager,
kube-scheduler and kubectl. Each row of the table is a function that yields what is wrong; rows build on those before.
"""

import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import control_plane  # noqa: E402  pylint: disable=wrong-import-position
import exported  # noqa: E402  pylint: disable=wrong-import-position
import rehearsal  # noqa: E402  pylint: disable=wrong-import-position
from control_plane import ControlPlane, Process, free_port, metric, wait_until  # noqa: E402  pylint: disable=wrong-import-position

SKIPPED = 77
SYSTEM = "schedpol-system"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
COST = "controller.kubernetes.io/pod-deletion-cost"
QOS = "scheduler.alpha.kubernetes.io/qos"
GROUPS = {"schedulingpolicies": "schedpol.io", "metadatapolicies": "schedpol.io",
          "podschedulingpolicies": "kupid.gardener.cloud", "resourcepolicies": "scheduling.sigs.x-k8s.io"}


# Objects.

def node(name, cpu="8", pods="110", **labels):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
            "status": {"capacity": {"cpu": cpu, "memory": "32Gi", "pods": pods}, "allocatable": {"cpu": cpu, "memory": "32Gi", "pods": pods},
                       "conditions": [{"type": "Ready", "status": "True", "reason": "Fake", "message": "nobody runs pods here"}]}}


def pod(name, namespace="shop", cpu="100m", labels=None, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": labels or {}},
            "spec": {"terminationGracePeriodSeconds": 0, **spec,
                     "containers": [{"name": "main", "image": "example.com/none", "resources": {"requests": {"cpu": cpu}}}]}}


def deployment(name, namespace, replicas, labels, **spec):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": namespace},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": pod("x", **spec)["spec"]}}}


def policy(kind, name, spec, namespace=None, metadata=None):
    resource = {"SchedulingPolicy": "schedulingpolicies", "MetadataPolicy": "metadatapolicies", "ResourcePolicy": "resourcepolicies",
                "PodSchedulingPolicy": "podschedulingpolicies"}[kind]
    return {"apiVersion": f"{GROUPS[resource]}/v1alpha1", "kind": kind,
            "metadata": {"name": name, **({"namespace": namespace} if namespace else {}), **(metadata or {})}, "spec": spec}


def unit(name, priority, most=None, **more):
    return {"name": name, "priority": priority, **({} if most is None else {"maxCount": most}),
            "nodeSelector": {"matchLabels": {"pool": name}}, **more}


def units(name, namespace, *of, strategy="required", **spec):
    return policy("ResourcePolicy", name, {"strategy": strategy, "podSelector": {"matchLabels": {"app": name}}, "units": list(of), **spec},
                  namespace)


class Day:
    def __init__(self, root, programs, plane, work):
        self.root, self.work = pathlib.Path(root), pathlib.Path(work)
        self.programs = programs
        self.plane = ControlPlane(plane, work)
        self.ports = {name: free_port() for name in ("webhook", "scheduler")}
        self.running = {}
        self.manifests = self.work / "manifests"
        shutil.copytree(self.root / "examples/manifests", self.manifests)
        self.certificates = self.manifests / "certificates"
        self.facts = []  # figures, for who reads the table

    def end(self):
        for process in self.running.values():
            process.end()
        self.plane.end()

    # The programs.

    def start(self, name, *options):
        token = self.work / f"{name}.token"
        status, text = self.plane.kubectl("-n", SYSTEM, "create", "token", f"schedpol-{name}", "--duration=24h")
        if status != 0:
            raise ValueError(text)
        token.write_text(text.strip(), encoding="utf-8")
        self.running[name] = Process(
            self.work, f"schedpol-{name}", self.programs[name], "--api-server", self.plane.url, "--token-file", token,
            "--ca-file", self.work / "ca.crt", f"--listen=127.0.0.1:{self.ports[name]}", f"--cert={self.certificates}/tls.crt",
            f"--key={self.certificates}/tls.key", "--drain=0", *options)

    def ask(self, name, path, body=None, certificate=None):
        """The status and the text of an answer of one of the programs; (0, why) where there is none."""
        context = ssl.create_default_context(cafile=self.certificates / "ca.crt")
        if certificate:
            context.load_cert_chain(self.certificates / f"{certificate}.crt", self.certificates / f"{certificate}.key")
        request = urllib.request.Request(f"https://localhost:{self.ports[name]}{path}", headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, context=context, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except (urllib.error.URLError, OSError) as error:
            return 0, str(error)

    def is_ready(self, name):
        return self.ask(name, "/readyz")[0] == 200

    def metric(self, program, name):
        return metric(self.ask(program, "/metrics")[1], name)

    # The cluster.

    def pods(self, namespace, selector=""):
        return self.plane.get(f"/api/v1/namespaces/{namespace}/pods?labelSelector={selector}")["items"]

    def placed(self, namespace, selector=""):
        """How many pods are on each pool, and how many on none."""
        pools = {item["metadata"]["name"]: item["metadata"]["labels"].get("pool", "none")
                 for item in self.plane.get("/api/v1/nodes")["items"]}
        return collections.Counter(pools[item["spec"]["nodeName"]] if item["spec"].get("nodeName") else "waiting"
                                   for item in self.pods(namespace, selector))

    def wait_placed(self, namespace, seconds=90, **wanted):
        """How long it took until the pods are there; of those that wait `waiting`."""
        try:
            return wait_until("", lambda: self.placed(namespace) == wanted, seconds)
        except TimeoutError:
            raise TimeoutError(f"after {seconds} s {dict(self.placed(namespace))} instead of {wanted}") from None

    def create_pods(self, namespace, names, **how):
        def each(some):
            for name in some:
                self.plane.create(f"/api/v1/namespaces/{namespace}/pods", pod(name, namespace, **how))
        names = list(names)
        threads = [threading.Thread(target=each, args=(names[i::4],)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def delete_pod(self, namespace, name):
        self.plane.ask("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}?gracePeriodSeconds=0")

    def write(self, item):
        """Applies a policy by force."""
        metadata = item["metadata"]
        resource = next(one for one, kind in (("schedulingpolicies", "SchedulingPolicy"), ("metadatapolicies", "MetadataPolicy"),
                                              ("resourcepolicies", "ResourcePolicy"), ("podschedulingpolicies", "PodSchedulingPolicy"))
                        if kind == item["kind"])
        place = f"namespaces/{metadata['namespace']}/" if "namespace" in metadata else ""
        path = f"/apis/{item['apiVersion']}/{place}{resource}/{metadata['name']}?fieldManager=day&force=true"
        status, said = self.plane.ask("PATCH", path, item, "application/apply-patch+yaml")
        if status not in (200, 201):
            raise ValueError(f"{path}: {status}: {said}")

    def namespace(self, name, **labels):
        """A namespace in which a pod can be created."""
        self.plane.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
        wait_until(f"{name} has its service account",
                   lambda: self.plane.ask("GET", f"/api/v1/namespaces/{name}/serviceaccounts/default")[0] == 200)

    def try_pod(self, name, namespace="shop", **spec):
        """Whether a pod may be created, and what the API server says; it is not stored."""
        status, said = self.plane.ask("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", pod(name, namespace, **spec))
        return status == 201, said if status == 201 else said.get("message", "")

    def questions(self):
        return self.metric("scheduler", 'schedpol_extender_requests_total{verb="filter"}')

    def granting(self, name, policy_name):
        """The requests after which a service account of `shop` may use a policy, beside those that all may."""
        rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop"
        return [("POST", "/api/v1/namespaces/shop/serviceaccounts", {"metadata": {"name": name}}),
                ("POST", f"{rbac}/roles", {"metadata": {"name": name}, "rules": [
                    {"apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"], "resourceNames": [policy_name], "verbs": ["use"]}]}),
                ("POST", f"{rbac}/rolebindings", {
                    "metadata": {"name": name}, "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "shop"}],
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}})]

    def restart_programs(self):
        for program in self.running.values():
            program.end()
            program.start()
        for name in self.running:
            wait_until(f"the {name} is ready", lambda name=name: self.is_ready(name))

    def restart_scheduler(self):
        self.plane.scheduler.end()
        self.plane.scheduler.start()


# The table: install, decide, schedule, fail, uninstall.

def it_is_installed_as_the_readme_says(day):
    subprocess.run(["sh", day.manifests / "make_certificate.sh", day.certificates], check=True)
    day.first_authority = (day.certificates / "ca.crt").read_text(encoding="utf-8").split("-----END")[0]
    # Nothing runs the pods here, so the API server is told where the program is instead of its Service.
    overlay = day.work / "overlay"
    overlay.mkdir()
    counts = {"MutatingWebhookConfiguration": {"schedpol": 1, "schedpol-metadata": 1},
              "ValidatingWebhookConfiguration": {"schedpol": 2, "schedpol-metadata": 1}}
    patches = []
    for kind, names in counts.items():
        for name, count in names.items():
            path = "admit" if kind.startswith("Mutating") else "validate"
            operations = [operation for i in range(count) for operation in (
                {"op": "remove", "path": f"/webhooks/{i}/clientConfig/service"},
                {"op": "add", "path": f"/webhooks/{i}/clientConfig/url", "value": f"https://localhost:{day.ports['webhook']}/{path}"})]
            patches.append({"target": {"kind": kind, "name": name}, "patch": json.dumps(operations)})
    (overlay / "kustomization.yaml").write_text(json.dumps({"resources": ["../manifests"], "patches": patches}), encoding="utf-8")
    status, text = day.plane.kubectl("apply", "-k", overlay)
    if status != 0 or "created" not in text:
        yield f"apply ends with {status}: {text[-2000:]}"
    engine = json.loads(day.plane.get(f"/api/v1/namespaces/{SYSTEM}/configmaps/schedpol-engine")["data"]["engine.json"])
    (day.work / "engine.json").write_text(json.dumps(engine), encoding="utf-8")
    wait_until("the CRDs are established", lambda: all(
        day.plane.ask("GET", f"/apis/{group}/v1alpha1/{resource}")[0] == 200 for resource, group in GROUPS.items()))
    day.start("webhook", f"--configuration={day.work}/engine.json", f"--client-ca-file={day.certificates}/ca.crt", "--open-reviews")
    day.facts.append(f"the webhook is ready after {wait_until('it is ready', lambda: day.is_ready('webhook')):.1f} s")


def applied_twice_nothing_changes(day):
    def there():
        kinds = "crd,clusterrole,clusterrolebinding,mutatingwebhookconfiguration,validatingwebhookconfiguration," \
                "validatingadmissionpolicy,validatingadmissionpolicybinding,namespace,serviceaccount,configmap,secret,deployment," \
                "service,poddisruptionbudget,networkpolicy"
        _, text = day.plane.kubectl("get", kinds, "-A", "-l", "app.kubernetes.io/part-of=schedpol", "-o", "json")
        items = {}
        for item in json.loads(text)["items"]:
            for field in ("managedFields", "resourceVersion"):
                item["metadata"].pop(field, None)
            item["metadata"].get("annotations", {}).pop("deployment.kubernetes.io/revision", None)
            item.pop("status", None)
            items[item["kind"], item["metadata"]["name"]] = item
        return items
    before = there()
    status, text = day.plane.kubectl("apply", "-k", day.work / "overlay")
    after = there()
    changed = [name for name, item in after.items() if before.get(name) != item]
    if status != 0 or changed or len(after) < 30:
        yield f"status {status}, of {len(after)} objects changed {changed}: {text[-500:]}"


def prune_removes_nothing_that_is_there(day):
    status, text = day.plane.kubectl("apply", "-k", day.work / "overlay", "--prune", "-l", "app.kubernetes.io/part-of=schedpol")
    if status != 0 or "pruned" in text:
        yield f"status {status}: {[line for line in text.splitlines() if 'pruned' in line or 'error' in line]}"


def prune_removes_what_is_no_longer_there(day):
    day.plane.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
        "name": "of-an-older-version", "namespace": SYSTEM, "labels": {"app.kubernetes.io/part-of": "schedpol"}}})
    _, text = day.plane.kubectl("apply", "-k", day.work / "overlay", "--prune", "-l", "app.kubernetes.io/part-of=schedpol")
    if [line for line in text.splitlines() if line.endswith(" pruned")] != ["configmap/of-an-older-version pruned"]:
        yield text[-1500:]


def an_installation_by_the_client_goes_on_by_the_server(day):
    """As README.md says, and back again."""
    for options in (["--server-side", "--force-conflicts"], ["--server-side"], []):
        status, text = day.plane.kubectl("apply", "-k", day.work / "overlay", *options)
        if status != 0:
            yield f"{options}: {text[-1500:]}"


def policies_to_start_with_are_accepted(day):
    status, text = day.plane.kubectl("apply", "-k", day.manifests / "policies")
    if status != 0:
        yield text
    def accepted():
        return {line.split()[0]: line.split()[1] for line in
                day.plane.kubectl("get", "schedulingpolicies", "--no-headers")[1].splitlines()}
    wait_until("they are accepted", lambda: accepted() == {"baseline": "True", "privileged": "True"}, 30)


def every_field_is_explained(day):
    for path in ("resourcepolicies.spec.units.maxCount", "schedulingpolicies.spec.allowed.tolerations", "metadatapolicies.spec.rules",
                 "podschedulingpolicies.spec.affinity.nodeAffinity", "clusterpodschedulingpolicies.spec.namespaceSelector"):
        status, text = day.plane.kubectl("explain", path)
        if status != 0 or "<empty>" in text.split("FIELDS")[0]:
            yield f"{path}: {text}"


def who_sees_a_namespace_sees_its_policies(day):
    day.namespace("shop")
    for role in ("view", "edit", "admin"):
        day.plane.kubectl("-n", "shop", "create", "rolebinding", f"{role}s", f"--clusterrole={role}", f"--user={role}er")
    wait_until("the roles are aggregated", lambda: day.plane.kubectl(
        "auth", "can-i", "list", "resourcepolicies", "-n", "shop", "--as=viewer")[1].startswith("yes"), 30)
    for role in ("view", "edit", "admin"):
        for verb, wanted in (("get", "yes"), ("watch", "yes"), ("create", "no"), ("delete", "no")):
            for resource in GROUPS:
                if resource == "schedulingpolicies":
                    continue  # they are of the cluster
                _, text = day.plane.kubectl("auth", "can-i", verb, resource, "-n", "shop", f"--as={role}er")
                if not text.startswith(wanted):
                    yield f"{role}: {verb} {resource}: {text}"


def ordinary_pods_are_allowed(day):
    allowed, said = day.try_pod("web")
    if not allowed:
        yield said
    allowed, said = day.try_pod("web", nodeSelector={"kubernetes.io/os": "linux"})
    if not allowed:
        yield said


DENIED = {"a toleration of everything": ({"tolerations": [{"operator": "Exists"}]}, "spec.tolerations[0]"),
          "a node": ({"nodeName": "a-1"}, "spec.nodeName"),
          "another scheduler": ({"schedulerName": "mine"}, "spec.schedulerName"),
          "control-plane nodes": ({"nodeSelector": {"node-role.kubernetes.io/control-plane": ""}}, "node-role.kubernetes.io/control-plane")}


def what_no_policy_allows_is_denied_and_says_why(day):
    for name, (spec, field) in DENIED.items():
        allowed, said = day.try_pod("web", **spec)
        if allowed or field not in said or "pods.schedpol.io" not in said:
            yield f"{name}: {said}"
        status, text = day.plane.apply(pod("web", **spec))
        if status == 0 or field not in text:
            yield f"{name}, by kubectl: {text}"


def a_workload_is_denied_by_its_template(day):
    status, text = day.plane.apply(deployment("bad", "shop", 1, {"app": "bad"}, tolerations=[{"operator": "Exists"}]))
    if status == 0 or "spec.template.spec.tolerations[0]" not in text:
        yield text


def controllers_make_the_pods_of_what_is_allowed(day):
    daemons = deployment("daemons", "shop", 1, {"app": "daemons"})
    daemons["kind"] = "DaemonSet"
    del daemons["spec"]["replicas"]
    day.plane.create("/api/v1/nodes", node("a-1", pool="a"))
    status, text = day.plane.apply(deployment("good", "shop", 3, {"app": "good"}), daemons)
    if status != 0:
        yield text
    wait_until("the pods are there", lambda: len(day.pods("shop", "app=good")) == 3 and len(day.pods("shop", "app=daemons")) == 1, 60)
    day.plane.kubectl("-n", "shop", "delete", "deployment/good", "daemonset/daemons", "--cascade=foreground")


def who_may_use_privileged_is_allowed_all(day):
    day.plane.kubectl("-n", "shop", "create", "serviceaccount", "agent")
    day.plane.kubectl("-n", "shop", "create", "rolebinding", "agent", "--clusterrole=schedpol:use-privileged", "--serviceaccount=shop:agent")
    spec = {"serviceAccountName": "agent", "tolerations": [{"operator": "Exists"}], "nodeName": "a-1"}
    wait_until("it is allowed", lambda: day.try_pod("agent", **spec)[0], 10)


def a_binding_is_in_force_within_a_second(day):
    time.sleep(3)  # in a quiet cluster
    day.plane.kubectl("-n", "shop", "create", "serviceaccount", "late")
    spec = {"serviceAccountName": "late", "schedulerName": "mine"}
    if day.try_pod("late", **spec)[0]:
        yield "it is allowed before"
    day.plane.create("/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings", {
        "metadata": {"name": "late"}, "subjects": [{"kind": "ServiceAccount", "name": "late", "namespace": "shop"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "schedpol:use-privileged"}})
    took = wait_until("it is in force", lambda: day.try_pod("late", **spec)[0], 30)
    day.facts.append(f"a binding is in force after {took:.2f} s")
    if took > 1:
        yield f"it took {took:.1f} s"


def bad_policies_are_refused_in_a_sentence(day):
    cases = [(units("bad", "shop", unit("a", 1, -1)), "should be greater than or equal to 0"),
             (policy("SchedulingPolicy", "bad", {"default": {"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}}),
              "Exists tolerates every value and takes none"),
             (policy("SchedulingPolicy", "bad", {"allowed": {"affinities": {"nodeAffinities": None}}}), "null"),
             # The API server would drop what no schema has; each is said with what is right.
             (policy("SchedulingPolicy", "bad", {"allowed": {"priorityClasseNames": []}}), "is spelt priorityClassNames"),
             (policy("SchedulingPolicy", "bad", {"allowedAffinities": {"nodeAffinities": {}}}), "is spelt allowed.affinities"),
             (policy("SchedulingPolicy", "bad", {"default": {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [
                 {"matchExpressions": [{"keys": ["a"], "operators": ["Exists"]}]}]}}}}}), "is spelt key"),
             (policy("SchedulingPolicy", "bad", {"required": {"affinities": {"nodeAffinities": {REQUIRED: {
                 "nodeSelectorTerms": [], "podAntiAffinities": {}}}}}}), "belongs beside nodeAffinities"),
             (policy("MetadataPolicy", "bad", {"rules": [{"policyAction": {"updatedLabels": {"a": "b c"}}}]}, "shop"), "no label value"),
             (policy("PodSchedulingPolicy", "bad", {"podSelector": {}, "namespaceSelector": {}}, "shop"), "ClusterPodSchedulingPolicy")]
    for item, sentence in cases:
        status, text = day.plane.kubectl("create", "--validate=ignore", "-f", "-", text=json.dumps(item))
        if status == 0 or sentence not in text:
            yield f"{item['kind']} {item['spec']}: {text}"


def criteria_are_injected(day):
    day.write(policy("PodSchedulingPolicy", "gpu", {"podSelector": {"matchLabels": {"gpu": "yes"}},
                                                    "tolerations": [{"key": "gpu", "operator": "Exists"}]}, "shop"))
    day.write(policy("SchedulingPolicy", "gpu", {"allowed": {"tolerations": [{"keys": ["gpu", "own"], "operators": ["Exists", "Equal"], "effects": [],
                                                                               "values": []},
                                                                              {"keys": ["gpu", "own"], "operators": ["Exists"], "effects": []}]}}))
    day.plane.kubectl("create", "clusterrole", "use-gpu", "--verb=get", "--resource=pods")
    day.plane.ask("PATCH", "/apis/rbac.authorization.k8s.io/v1/clusterroles/use-gpu?fieldManager=day&force=true", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "use-gpu"}, "rules": [
            {"apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"], "resourceNames": ["gpu"], "verbs": ["use"]}]},
                  "application/apply-patch+yaml")
    day.plane.kubectl("-n", "shop", "create", "rolebinding", "use-gpu", "--clusterrole=use-gpu", "--serviceaccount=shop:default")

    def injected():
        allowed, said = day.try_pod("trainer", labels={"gpu": "yes"})
        return allowed and any(one.get("key") == "gpu" for one in said["spec"].get("tolerations", []))
    wait_until("the toleration is there", injected, 20)


def a_bare_pod_is_applied_twice(day):
    mine = pod("bare", labels={"gpu": "yes"}, tolerations=[{"key": "own", "operator": "Exists"}])
    for time_ in ("first", "second"):
        status, text = day.plane.apply(mine)
        if status != 0:
            yield f"the {time_} time: {text}"
    day.delete_pod("shop", "bare")


def metadata_is_updated_and_rejected(day):
    day.namespace("labelled", **{"schedpol.io/metadata-policies": "enabled"})
    day.write(policy("MetadataPolicy", "team", {"rules": [
        {"policyPredicate": {"labelSelector": {"matchLabels": {"forbidden": "yes"}}}, "policyAction": {"reject": True}},
        {"policyPredicate": {"labelSelector": {"matchLabels": {"team": "a"}}}, "policyAction": {"updatedAnnotations": {"cost": "a"}}}]}, "labelled"))

    def made(labels):
        return day.plane.ask("POST", "/api/v1/namespaces/labelled/configmaps?dryRun=All", {"metadata": {"name": "c", "labels": labels}})
    wait_until("it is updated", lambda: made({"team": "a"})[1].get("metadata", {}).get("annotations") == {"cost": "a"}, 20)
    status, said = made({"forbidden": "yes"})
    if status < 400 or "team" not in said["message"]:
        yield f"{status}: {said}"
    if made({"team": "b"})[0] != 201:
        yield "another is not let be"


def pods_are_annotated_only_where_it_is_asked_for(day):
    """By their quality of service: where a rule of the namespace selects by it, or where the configuration says Always."""
    day.namespace("quality")
    day.write(policy("MetadataPolicy", "quality", {"rules": [
        {"policyPredicate": {"annotationSelector": {"matchLabels": {QOS: "Burstable"}}},
         "policyAction": {"updatedAnnotations": {"example.com/tier": "2"}}}]}, "quality"))

    def annotations(namespace):
        status, said = day.plane.ask("POST", f"/apis/apps/v1/namespaces/{namespace}/deployments?dryRun=All",
                                     deployment("web", namespace, 1, {"app": "web"}))
        template = said["spec"]["template"]["metadata"].get("annotations", {}) if status == 201 else said
        allowed, said = day.try_pod("web", namespace)
        return template, said["metadata"].get("annotations", {}) if allowed else said
    both = {QOS: "Burstable", "example.com/tier": "2"}
    wait_until("the rule is in force", lambda: annotations("quality") == (both, both), 20)
    if annotations("shop") != ({}, {}):
        yield f"in a namespace without MetadataPolicies: {annotations('shop')}"
    file = day.work / "engine.json"
    shipped = file.read_text(encoding="utf-8")
    file.write_text(json.dumps({**json.loads(shipped), "metadataPolicy": {"qosAnnotation": "Always"}}), encoding="utf-8")
    wait_until("all pods have it", lambda: annotations("shop") == ({QOS: "Burstable"},) * 2, 20)
    file.write_text(shipped, encoding="utf-8")
    wait_until("they have not", lambda: annotations("shop") == ({}, {}), 20)


def a_gated_pod_is_placed_by_a_placer_alone(day):
    """As Kueue does it: an update adds a node selector and a toleration, and takes the gate away."""
    day.namespace("queued")
    kueue, jane = "system:serviceaccount:kueue-system:kueue-controller-manager", "jane"
    for name, user in (("kueue", kueue), (jane, jane)):
        day.plane.kubectl("-n", "queued", "create", "rolebinding", name, "--clusterrole=edit", f"--user={user}")
    own, flavor = {"kubernetes.io/os": "linux"}, {"pool": "a"}
    toleration = {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}

    def stored(name):
        return day.plane.get(f"/api/v1/namespaces/queued/pods/{name}")

    def update(user, item, *options, **spec):
        """Whether the user may update a stored pod so, and what kubectl says."""
        status, text = day.plane.kubectl("--as", user, "replace", *options, "-f", "-", text=json.dumps(
            {**item, "spec": {**item["spec"], **spec}}))
        return status == 0, text

    def place(user, name, *options):
        item = stored(name)
        return update(user, item, *options, nodeSelector={**own, **flavor}, schedulingGates=[],
                      tolerations=item["spec"].get("tolerations", []) + [toleration])

    def denied(did):
        allowed, text = did
        return not allowed and "pods.schedpol.io" in text
    gates = [{"name": "kueue.x-k8s.io/admission"}]
    day.plane.create("/api/v1/namespaces/queued/pods", pod("train", "queued", nodeSelector=own, schedulingGates=gates))
    day.plane.create("/api/v1/namespaces/queued/pods", pod("free", "queued", nodeSelector=own))
    if not denied(did := place(kueue, "train", "--dry-run=server")):
        yield f"while it is no placer: {did[1]}"
    file = day.work / "engine.json"
    shipped = file.read_text(encoding="utf-8")
    file.write_text(json.dumps({**json.loads(shipped), "placers": [kueue]}), encoding="utf-8")
    took = wait_until("it is a placer", lambda: place(kueue, "train", "--dry-run=server")[0], 20)
    day.facts.append(f"a new configuration is in force after {took:.1f} s")
    if not denied(did := place(jane, "train")):
        yield f"a user: {did[1]}"
    status, text = day.plane.kubectl("--as", jane, "create", "-f", "-", text=json.dumps(
        pod("theirs", "queued", schedulingGates=gates, nodeSelector={**own, **flavor})))
    if status == 0 or "nodeSelector" not in text:
        yield f"a gate opens nothing when a pod is created: {text}"
    if not denied(did := update(kueue, stored("free"), tolerations=stored("free")["spec"].get("tolerations", []) + [toleration])):
        yield f"a pod that had no gate: {did[1]}"
    allowed, text = place(kueue, "train")
    spec = stored("train")["spec"]
    if not allowed or spec["nodeSelector"] != {**own, **flavor} or toleration not in spec["tolerations"] or spec.get("schedulingGates"):
        yield f"{text}: {spec}"
    again = {"key": "spot", "operator": "Exists"}
    if not denied(did := update(kueue, stored("train"), tolerations=stored("train")["spec"]["tolerations"] + [again])):
        yield f"once the gate is gone: {did[1]}"
    status, text = day.plane.kubectl("-n", "queued", "annotate", "pod/train", "note=mine", "--as", jane)
    if status != 0:
        yield f"a note on it: {text}"
    file.write_text(shipped, encoding="utf-8")
    day.plane.kubectl("delete", "namespace", "queued", "--wait=false")


def what_the_cluster_writes_is_not_rejected(day):
    """Where a MetadataPolicy wants a label on everything."""
    day.namespace("tidy", **{"schedpol.io/metadata-policies": "enabled"})
    day.write(policy("MetadataPolicy", "owner", {"rules": [
        {"policyPredicate": {"labelSelector": {"matchExpressions": [{"key": "owner", "operator": "DoesNotExist"}]}},
         "policyAction": {"reject": True}}]}, "tidy"))

    def made(path, item):
        return day.plane.ask("POST", path.replace("NAMESPACE", "namespaces/tidy") + "?dryRun=All", {**item, "metadata": {"name": "x"}})
    wait_until("it is in force", lambda: made("/api/v1/NAMESPACE/configmaps", {})[0] >= 400, 20)
    if day.try_pod("web", "tidy")[0] or not day.try_pod("web", "tidy", labels={"owner": "me"})[0]:
        yield "pods are not asked for the label"
    some = {"kind": "Pod", "namespace": "tidy", "name": "p"}
    for path, item in (
            ("/api/v1/NAMESPACE/events", {"involvedObject": some, "reason": "A", "message": "b", "type": "Normal"}),
            ("/apis/events.k8s.io/v1/NAMESPACE/events", {"regarding": some, "reason": "A", "action": "B", "type": "Normal",
                                                         "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "c",
                                                         "reportingInstance": "d"}),
            ("/apis/coordination.k8s.io/v1/NAMESPACE/leases", {"spec": {"holderIdentity": "me"}}),
            ("/apis/discovery.k8s.io/v1/NAMESPACE/endpointslices", {"addressType": "IPv4", "endpoints": []})):
        status, said = made(path, item)
        if status != 201:
            yield f"{path}: {status}: {said}"
    # What controllers of kube-system write comes again when it goes.
    for path in ("configmaps/kube-root-ca.crt", "serviceaccounts/default"):
        before = day.plane.get(f"/api/v1/namespaces/tidy/{path}")["metadata"]["uid"]
        day.plane.ask("DELETE", f"/api/v1/namespaces/tidy/{path}")

        def is_back(path=path, before=before):
            status, said = day.plane.ask("GET", f"/api/v1/namespaces/tidy/{path}")
            return status == 200 and said["metadata"]["uid"] != before
        wait_until(f"{path} is back", is_back, 30)
    status, said = day.plane.ask("DELETE", "/api/v1/namespaces/tidy")
    if status != 200:
        yield f"{said}"


def a_policy_that_denies_its_own_default_is_warned_of(day):
    """Whoever may use it; nobody may use this one."""
    required = {"keys": ["gpu"], "operators": [], "values": [], "effects": []}
    for key, is_warned_of in (("spot", True), ("gpu", False)):
        item = policy("SchedulingPolicy", "contradicts-itself", {
            "required": {"tolerations": [required]}, "default": {"tolerations": [{"key": key, "operator": "Exists"}]}})
        status, text = day.plane.kubectl("create", "--dry-run=server", "-f", "-", text=json.dumps(item))
        if status != 0 or is_warned_of != ("Warning:" in text and "default.tolerations" in text):
            yield f"with the default {key}: {text}"


def what_is_made_in_one_breath_is_known(day):
    """What a pod or Deployment needs is made a moment before it, four at a time, in a webhook that knows labels of namespaces."""
    kupid = policy("PodSchedulingPolicy", "zones", {"podSelector": {}, "namespaceSelector": {"matchLabels": {"zone": "a"}},
                                                    "nodeSelector": {"topology.kubernetes.io/zone": "a"}})
    kupid["kind"] = "ClusterPodSchedulingPolicy"
    status, text = day.plane.apply(kupid)
    if status != 0:
        yield text
    zone = {"topology.kubernetes.io/zone": "a"}
    nowhere = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "namespace": "nowhere", "operation": "CREATE",
        "object": pod("web", "nowhere")}}
    wait_until("it asks for labels", lambda: "nothing is known" in day.ask("webhook", "/admit", nowhere)[1], 20)

    def made(*requests):
        status, said = day.plane.ask_in_one_breath(*requests)
        return said if status == 201 else said["message"]

    def deployment_in_a_new_namespace(i):
        name = f"breath-{i}"
        said = made(("POST", "/api/v1/namespaces", {"metadata": {"name": name, "labels": {"zone": "a"}}}),
                    ("POST", f"/apis/apps/v1/namespaces/{name}/deployments", deployment("web", name, 0, {"app": "web"})))
        return said if isinstance(said, str) else None if said["spec"]["template"]["spec"].get("nodeSelector") == zone else "no zone"

    def try_pod(**spec):
        return "POST", "/api/v1/namespaces/shop/pods?dryRun=All", pod("web", **spec)

    def pod_of_a_new_class(i):
        said = made(("POST", "/apis/node.k8s.io/v1/runtimeclasses", {"metadata": {"name": f"breath-{i}"}, "handler": "runc"}),
                    try_pod(serviceAccountName="classes", runtimeClassName=f"breath-{i}"))
        return said if isinstance(said, str) else None

    def pod_of_a_new_policy(i):
        name = f"breath-{i}"
        said = made(("POST", "/apis/schedpol.io/v1alpha1/schedulingpolicies", policy("SchedulingPolicy", name, {"allowed": {
            "schedulerNames": [name]}})), *day.granting(name, name), try_pod(serviceAccountName=name, schedulerName=name))
        return said if isinstance(said, str) else None

    made(("POST", "/apis/schedpol.io/v1alpha1/schedulingpolicies", policy("SchedulingPolicy", "classes", {"allowed": {
        "runtimeClassNames": []}})), *day.granting("classes", "classes"))
    for what, count, make in (("Deployments in new namespaces", 200, deployment_in_a_new_namespace),
                              ("pods of new classes", 60, pod_of_a_new_class),
                              ("pods of new policies and bindings", 60, pod_of_a_new_policy)):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            denied = [why for why in pool.map(make, range(count)) if why]
        day.facts.append(f"{len(denied)} of {count} {what} are denied")
        if denied:
            yield f"{len(denied)} of {count} {what}: {denied[0]}"
    day.facts.append(f"{day.metric('webhook', 'schedpol_http_asked_again_total'):.0f} were asked about again")
    day.plane.kubectl("delete", "clusterpodschedulingpolicies", "zones")


def updates_that_decide_nothing_are_not_asked_about(day):
    day.plane.create("/api/v1/namespaces/shop/pods", pod("updated"))
    day.running["webhook"].kill()
    status, said = day.plane.ask("PATCH", "/api/v1/namespaces/shop/pods/updated", {"metadata": {"finalizers": ["example.com/x"]}},
                                 "application/merge-patch+json")
    status_2, said_2 = day.plane.ask("PATCH", "/api/v1/namespaces/shop/pods/updated", {"metadata": {"finalizers": None}},
                                     "application/merge-patch+json")
    if (status, status_2) != (200, 200):
        yield f"finalizers wait for the webhook: {said} {said_2}"
    day.delete_pod("shop", "updated")


def nothing_is_allowed_while_no_webhook_answers(day):
    allowed, said = day.try_pod("web")
    if allowed or "failed calling webhook" not in said:
        yield said
    for namespace in ("kube-system", SYSTEM):
        if namespace == "kube-system" and not day.try_pod("web", namespace)[0]:
            yield f"nothing runs in {namespace} either"
    status, text = day.plane.kubectl("-n", "labelled", "delete", "metadatapolicies", "team")
    if status != 0:
        yield f"no policy can be deleted: {text}"
    day.running["webhook"].start()
    wait_until("it is ready", lambda: day.is_ready("webhook"))
    if not day.try_pod("web")[0]:
        yield "it does not come back"


def the_scheduler_asks_the_extender(day):
    own = day.plane.get(f"/api/v1/namespaces/{SYSTEM}/pods?labelSelector=app.kubernetes.io/name=schedpol-scheduler")["items"]
    if len(own) != 1:
        yield f"{len(own)} pods of the extender"
    day.own_pod = own[0]["metadata"]["name"]
    day.start("scheduler", f"--client-ca-file={day.certificates}/ca.crt", f"--own-pod={SYSTEM}/{day.own_pod}")
    wait_until("it is ready", lambda: day.is_ready("scheduler"))
    shipped = (day.root / "examples/scheduler/kube-scheduler-configuration.yaml").read_text(encoding="utf-8")
    for there, here in (("https://ADDRESS", f"https://127.0.0.1:{day.ports['scheduler']}"),
                        ("/etc/kubernetes/scheduler.conf", day.plane.kubeconfigs["scheduler"]),
                        ("/etc/kubernetes/schedpol-ca.crt", day.certificates / "ca.crt"),
                        ("/etc/kubernetes/schedpol-client.crt", day.certificates / "client.crt"),
                        ("/etc/kubernetes/schedpol-client.key", day.certificates / "client.key"),
                        ("serverName: schedpol-scheduler.schedpol-system.svc", "serverName: schedpol-scheduler.schedpol-system.svc")):
        if there not in shipped:
            yield f"the shipped configuration has no {there}"
        shipped = shipped.replace(there, str(here))
    day.plane.start_scheduler(shipped)
    wait_until("the programs' own pods are bound", lambda: all(
        item["spec"].get("nodeName") for item in day.pods(SYSTEM, "app.kubernetes.io/name=schedpol-scheduler")))
    if not day.questions():
        yield "the extender was not asked"


def all_pods_go_to_the_best_unit(day):
    """40 nodes of a better unit and 100 others: more nodes than kube-scheduler looks at by default."""
    for i in range(40):
        day.plane.create("/api/v1/nodes", node(f"burst-{i}", pool="burst"))
    for i in range(100):
        day.plane.create("/api/v1/nodes", node(f"static-{i}", pool="static"))
    day.namespace("burst")
    day.write(units("web", "burst", unit("burst", 10), unit("static", 1)))
    day.create_pods("burst", (f"web-{i}" for i in range(100)), labels={"app": "web"})
    took = day.wait_placed("burst", burst=100)
    day.facts.append(f"100 pods are on the better unit after {took:.1f} s")


def units_are_filled_to_their_maximum(day):
    day.namespace("full")
    day.write(units("web", "full", unit("burst", 10, 40), unit("static", 1, 50)))
    day.create_pods("full", (f"web-{i}" for i in range(100)), labels={"app": "web"})
    took = day.wait_placed("full", burst=40, static=50, waiting=10)
    day.facts.append(f"units of 40 and 50 are full after {took:.1f} s")


def reasons_are_short_and_stay(day):
    def messages():
        return {condition["message"] for item in day.pods("full") for condition in item["status"].get("conditions", [])
                if condition["type"] == "PodScheduled" and condition["status"] == "False"}
    wait_until("all say the same", lambda: len(messages()) == 1, 30)
    text, = messages()
    for part in ("40 unit `burst` is full", "100 unit `static` is full"):
        if part not in text:
            yield text


def a_waiting_pod_is_asked_for_at_most_once_in_ten_seconds(day):
    """Ten wait, nothing happens in the cluster."""
    wait_until("the questions end", lambda: settled(day), 120)
    before = day.questions()
    time.sleep(10)
    asked = day.questions() - before
    day.facts.append(f"10 pods that wait are asked for {asked:.0f} times in 10 s")
    if asked > 10:
        yield f"{asked:.0f} questions"


def settled(day, seconds=3):
    before = day.questions()
    time.sleep(seconds)
    return day.questions() == before


def kubectl_shows_units_and_who_waits(day):
    def shown():
        return day.plane.kubectl("-n", "full", "get", "resourcepolicies", "-o", "wide")[1]
    try:
        wait_until("it shows them", lambda: "burst 40/40, static 50/50" in shown() and " 10 " in shown(), 30)
    except TimeoutError:
        yield shown()
    status = day.plane.get("/apis/scheduling.sigs.x-k8s.io/v1alpha1/namespaces/full/resourcepolicies/web")["status"]
    if len(status["waitingPods"]) != 10 or status["waitingPods"][0]["reason"] != "unit `burst` is full" or not status.get("conditions"):
        yield f"{status}"


def a_raised_maximum_is_used_within_five_seconds(day):
    wait_until("the questions end", lambda: settled(day), 120)
    day.write(units("web", "full", unit("burst", 10, 43), unit("static", 1, 50)))
    took = day.wait_placed("full", 30, burst=43, static=50, waiting=7)
    wakes = day.metric("scheduler", "schedpol_extender_wakes_total")
    day.facts.append(f"a raised maxCount is used after {took:.1f} s, by {wakes:.0f} wakes so far")
    if took > 5:
        yield f"it took {took:.1f} s"


def a_second_policy_that_goes_is_no_reason_to_wait(day):
    other = units("web", "full", unit("burst", 1))
    other["metadata"]["name"] = "other"
    known = 'schedpol_cluster_objects{resource="resourcepolicies.scheduling.sigs.x-k8s.io"}'
    before = day.metric("scheduler", known)
    day.write(other)
    wait_until("it is known", lambda: day.metric("scheduler", known) == before + 1, 10)
    time.sleep(1)
    day.write(units("web", "full", unit("burst", 10, 44), unit("static", 1, 50)))
    time.sleep(3)
    if day.placed("full") != {"burst": 43, "static": 50, "waiting": 7}:
        yield f"two policies select the pods that wait, and {day.placed('full')}"
    begin = time.monotonic()
    day.plane.kubectl("-n", "full", "delete", "resourcepolicies", "other")
    day.wait_placed("full", 30, burst=44, static=50, waiting=6)
    took = time.monotonic() - begin
    day.facts.append(f"a place is taken {took:.1f} s after an overlapping policy went")
    if took > 6:
        yield f"it took {took:.1f} s"


def a_freed_place_is_used(day):
    wait_until("the questions end", lambda: settled(day), 120)
    victim = next(item for item in day.pods("full") if item["spec"].get("nodeName", "").startswith("static-"))
    day.delete_pod("full", victim["metadata"]["name"])
    took = day.wait_placed("full", 30, burst=44, static=50, waiting=5)
    day.facts.append(f"a freed place is used after {took:.1f} s")
    if took > 5:
        yield f"it took {took:.1f} s"


def questions_of_others_fill_nothing(day):
    before = day.metric("scheduler", "schedpol_extender_assumed_pods")
    for i in range(5):
        stranger = pod(f"stranger-{i}", "burst", labels={"app": "web"})
        stranger["metadata"]["uid"] = f"uid-{i}"
        question = {"Pod": stranger, "NodeNames": ["burst-0"]}
        status, text = day.ask("scheduler", "/filter", question)
        if status != 401:
            yield f"somebody is answered with {status}: {text}"
        status, text = day.ask("scheduler", "/filter", question, "tls")
        if status not in (0, 401):
            yield f"a server's certificate is a client's: {status}: {text}"
        status, text = day.ask("scheduler", "/filter", question, "client")
        if status != 200 or "not known yet" not in text:
            yield f"a pod that does not exist is placed: {status}: {text}"
    if day.metric("scheduler", "schedpol_extender_assumed_pods") > before:
        yield "they hold places"


def deletion_costs_are_right_on_all(day):
    def wrong():
        return [item["metadata"]["name"] for item in day.pods("full") if item["spec"].get("nodeName") and
                item["metadata"].get("annotations", {}).get(COST) != ("200" if item["spec"]["nodeName"].startswith("burst-") else "20")]
    try:
        wait_until("they are", lambda: not wrong(), 60)
    except TimeoutError:
        yield f"{wrong()}"


def a_scale_down_goes_from_the_worst_unit(day):
    day.namespace("scaled")
    day.write(units("api", "scaled", unit("burst", 10, 30), unit("static", 1, 30)))
    status, text = day.plane.apply(deployment("api", "scaled", 50, {"app": "api"}))
    if status != 0:
        yield text
    day.wait_placed("scaled", burst=30, static=20)
    wait_until("all have their costs", lambda: all(
        COST in item["metadata"].get("annotations", {}) for item in day.pods("scaled")), 60)
    day.plane.kubectl("-n", "scaled", "scale", "deployment/api", "--replicas=33")
    day.wait_placed("scaled", burst=30, static=3)
    day.plane.kubectl("-n", "scaled", "scale", "deployment/api", "--replicas=0")
    day.wait_placed("scaled")


def a_policy_that_goes_takes_its_costs_along(day):
    """From pods that a webhook annotated, whose annotations have no owner; and no other annotation goes."""
    day.namespace("going")
    day.write(policy("MetadataPolicy", "quality", {"rules": [
        {"policyPredicate": {"annotationSelector": {"matchLabels": {QOS: "Burstable"}}},
         "policyAction": {"updatedAnnotations": {"example.com/tier": "2"}}}]}, "going"))
    wait_until("the rule is in force", lambda: QOS in day.try_pod("web", "going")[1]["metadata"].get("annotations", {}), 20)
    day.write(units("web", "going", unit("burst", 10, 5), unit("static", 1, 5)))
    failed = day.metric("scheduler", 'schedpol_deletion_costs_total{result="failed"}')
    day.create_pods("going", (f"web-{i}" for i in range(8)), labels={"app": "web"})
    day.wait_placed("going", burst=5, static=3)

    def annotations():
        return [item["metadata"].get("annotations", {}) for item in day.pods("going")]
    wait_until("all have their costs", lambda: all(COST in one for one in annotations()), 60)
    day.plane.kubectl("-n", "going", "delete", "resourcepolicies", "web")
    took = wait_until("no pod has one", lambda: not any(COST in one for one in annotations()), 30)
    day.facts.append(f"costs are gone {took:.1f} s after their policy")
    if any(one != {QOS: "Burstable", "example.com/tier": "2"} for one in annotations()):
        yield f"what admission wrote is not there as it was: {annotations()}"
    if day.metric("scheduler", 'schedpol_deletion_costs_total{result="failed"}') != failed:
        yield f"some failed: {day.running['scheduler'].log()[-1000:]}"


def the_ca_is_changed_as_the_readme_says(day):
    """After each of its lines everything is started again, and pods are decided on and placed."""
    section = (day.manifests / "README.md").read_text(encoding="utf-8").split("To change\nit")[1]
    lines = [line.split("#")[0].split() for line in section.split("```sh\n")[1].split("```")[0].splitlines()]
    if len(lines) != 3 or not all(line[:2] == ["sh", "examples/manifests/make_certificate.sh"] for line in lines):
        yield f"{lines}"
    authorities = []
    day.namespace("changed")
    day.write(units("web", "changed", unit("burst", 10, 2), unit("static", 1)))
    for i, line in enumerate(lines):
        subprocess.run([str(day.manifests / word.removeprefix("examples/manifests/")) if word.startswith("examples/") else word
                        for word in line], check=True, capture_output=True)
        authorities.append((day.certificates / "ca.crt").read_text(encoding="utf-8").split("-----END")[0])
        status, text = day.plane.kubectl("apply", "-k", day.work / "overlay")
        if status != 0:
            yield f"{line}: {text[-1000:]}"
        day.restart_programs()
        day.restart_scheduler()
        wait_until("pods are decided on", lambda: "spec.schedulerName" in day.try_pod("web", "changed", schedulerName="mine")[1], 30)
        day.create_pods("changed", [f"web-{i}"], labels={"app": "web"})
        day.wait_placed("changed", **({"burst": i + 1} if i < 2 else {"burst": 2, "static": i - 1}))
    if len(set(authorities)) != 1 or authorities[0] == day.first_authority:
        yield "the CA is not another one"


def a_killed_extender_gives_no_place_twice(day):
    day.namespace("killed")
    day.write(units("web", "killed", unit("burst", 10, 60), unit("static", 1, 30)))
    filling = threading.Thread(target=day.create_pods, args=("killed", [f"web-{i}" for i in range(120)]), kwargs={"labels": {"app": "web"}})
    filling.start()
    for _ in range(3):
        time.sleep(1.5)
        day.running["scheduler"].kill()
        day.running["scheduler"].start()
    filling.join()
    day.wait_placed("killed", 180, burst=60, static=30, waiting=30)


def a_killed_api_server_leads_to_nothing_wrong(day):
    day.namespace("restarted")
    day.write(units("web", "restarted", unit("burst", 10, 25), unit("static", 1, 15)))
    day.create_pods("restarted", (f"web-{i}" for i in range(20)), labels={"app": "web"})
    day.plane.api_server.kill()
    time.sleep(2)
    day.plane.api_server.start()
    wait_until("the API server is back", day.plane.is_ready)
    wait_until("it takes pods", lambda: day.try_pod("web")[0], 60)
    day.create_pods("restarted", (f"web-{i}" for i in range(20, 50)), labels={"app": "web"})
    day.wait_placed("restarted", 180, burst=25, static=15, waiting=10)


def a_policy_is_in_force_after_the_api_server_came_back(day):
    day.plane.api_server.kill()
    time.sleep(2)
    day.plane.api_server.start()
    wait_until("the API server is back", day.plane.is_ready)
    spec = {"serviceAccountName": "later", "schedulerName": "mine"}
    day.plane.kubectl("-n", "shop", "create", "serviceaccount", "later")
    wait_until("pods are decided on", lambda: day.try_pod("web")[0], 60)
    day.plane.create("/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings", {
        "metadata": {"name": "later"}, "subjects": [{"kind": "ServiceAccount", "name": "later", "namespace": "shop"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "schedpol:use-privileged"}})
    took = wait_until("it is in force", lambda: day.try_pod("later", **spec)[0], 90)
    day.facts.append(f"after the API server's restart a binding is in force after {took:.1f} s")
    if took > 5:
        yield f"it took {took:.1f} s"


def a_restored_backup_is_decided_by(day):
    """etcd is put back to a backup, and writes go on at once, until its history has passed the lost one. What else watches is
    started again, as it has to be; the two programs run on."""
    plane = day.plane
    granted = {"serviceAccountName": "lost", "schedulerName": "mine"}
    known = 'schedpol_cluster_objects{resource="resourcepolicies.scheduling.sigs.x-k8s.io"}'
    day.namespace("lost")
    stored = plane.work / "etcd"

    def while_etcd_is_away(change):
        plane.api_server.kill()
        plane.etcd.end()
        change()
        for process in (plane.etcd, plane.api_server):
            process.start()
        wait_until("the API server is back", plane.is_ready)
    while_etcd_is_away(lambda: shutil.copytree(stored, plane.work / "backup"))
    wait_until("pods are decided on", lambda: day.try_pod("web")[0], 60)
    before = day.metric("scheduler", known)
    day.write(units("web", "lost", unit("none", 1, 0)))
    plane.ask_in_one_breath(*day.granting("lost", "privileged"))
    wait_until("both are known", lambda: day.try_pod("lost", **granted)[0] and day.metric("scheduler", known) == before + 1, 30)
    last = int(plane.get("/api/v1/namespaces?limit=1")["metadata"]["resourceVersion"])

    def restore():
        shutil.rmtree(stored)
        (plane.work / "backup").rename(stored)
    while_etcd_is_away(restore)
    begin = time.monotonic()
    plane.kubectl("-n", "shop", "create", "serviceaccount", "lost")

    now = int(plane.get("/api/v1/namespaces?limit=1")["metadata"]["resourceVersion"])
    if now >= last:
        yield f"the history did not go back: {last}, then {now}"
    for i in range(last - now + 50):
        plane.create("/api/v1/namespaces/lost/configmaps", {"metadata": {"name": f"later-{i}"}})
    wait_until("the lost binding counts no more", lambda: "spec.schedulerName" in day.try_pod("lost", **granted)[1], 60)
    wait_until("the lost policy counts no more", lambda: day.metric("scheduler", known) == before, 60)
    day.facts.append(f"{last - now} versions later the backup is decided by {time.monotonic() - begin:.1f} s after the API server is back")
    for process in (plane.controllers, plane.scheduler):
        process.end()
        process.start()
    if not day.try_pod("web")[0]:
        yield "a pod that the backup permits is denied"


def a_relabelled_node_is_in_its_new_unit(day):
    day.namespace("moved")
    day.write(units("web", "moved", unit("new", 10, 2), unit("none", 1, 0)))
    day.create_pods("moved", (f"web-{i}" for i in range(3)), labels={"app": "web"})
    day.wait_placed("moved", waiting=3)
    day.plane.kubectl("label", "node", "static-99", "pool=new", "--overwrite")
    took = day.wait_placed("moved", 60, new=2, waiting=1)
    day.facts.append(f"a relabelled node is used after {took:.1f} s")
    day.plane.kubectl("label", "node", "static-99", "pool=static", "--overwrite")


def pods_of_no_policy_run_anywhere(day):
    day.namespace("free")
    day.create_pods("free", (f"web-{i}" for i in range(10)))
    wait_until("they run", lambda: not day.placed("free")["waiting"] and len(day.pods("free")) == 10, 60)


def classes(day):
    for name, value in (("low", 10), ("high", 1000)):
        day.plane.create("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": name}, "value": value})


def a_full_unit_with_room_on_its_nodes_is_not_preempted(day):
    """kube-scheduler looks for victims only where its own plugins find no room, as README.md says."""
    classes(day)
    day.namespace("classes")
    day.write(units("web", "classes", unit("burst", 10, 20)))
    day.create_pods("classes", (f"low-{i}" for i in range(20)), labels={"app": "web"}, priorityClassName="low")
    day.wait_placed("classes", burst=20)
    day.create_pods("classes", (f"high-{i}" for i in range(5)), labels={"app": "web"}, priorityClassName="high")
    wait_until("they were asked for", lambda: len([item for item in day.pods("classes") if "unit `burst` is full" in str(
        item["status"])]) == 5, 60)
    wait_until("the questions end", lambda: settled(day), 60)
    if day.placed("classes") != {"burst": 20, "waiting": 5} or any(
            not item["spec"].get("nodeName") for item in day.pods("classes") if item["metadata"]["name"].startswith("low-")):
        yield f"{day.placed('classes')}"
    before = day.questions()
    time.sleep(10)
    day.facts.append(f"5 pods behind a full unit of a lower class are asked for {day.questions() - before:.0f} times in 10 s")
    if day.questions() - before > 5:
        yield f"{day.questions() - before:.0f} questions in 10 s"
    # Who makes room by hand gets it used by the higher class.
    day.delete_pod("classes", "low-0")
    wait_until("the higher class gets the place", lambda: sum(
        bool(item["spec"].get("nodeName")) for item in day.pods("classes") if item["metadata"]["name"].startswith("high-")) == 1, 30)


def a_full_unit_without_room_on_its_nodes_is_preempted(day):
    day.namespace("tight")
    for i in range(2):
        day.plane.create("/api/v1/nodes", node(f"tight-{i}", cpu="2", pool="tight"))
    day.write(units("web", "tight", unit("tight", 10, 4)))
    day.create_pods("tight", (f"low-{i}" for i in range(4)), cpu="1", labels={"app": "web"}, priorityClassName="low")
    day.wait_placed("tight", tight=4)
    begin = time.monotonic()
    day.create_pods("tight", ["high"], cpu="1", labels={"app": "web"}, priorityClassName="high")
    wait_until("it runs", lambda: day.plane.get("/api/v1/namespaces/tight/pods/high")["spec"].get("nodeName"), 60)
    day.facts.append(f"a pod of a higher class has its place in a full unit after {time.monotonic() - begin:.1f} s")
    if day.placed("tight") != {"tight": 4}:
        yield f"{day.placed('tight')}"


def limits_of_resources_hold(day):
    day.namespace("limited")
    day.write(units("web", "limited", unit("burst", 10, maxResources={"cpu": "1"}), unit("static", 1, maxResources={"cpu": "500m"})))
    day.create_pods("limited", (f"web-{i}" for i in range(10)), cpu="200m", labels={"app": "web"})
    day.wait_placed("limited", burst=5, static=2, waiting=3)


def a_kind_that_is_gone_is_told_of(day):
    """A CRD is deleted under the programs; then it is there again."""
    gone = {"webhook": "podschedulingpolicies.kupid.gardener.cloud", "scheduler": "resourcepolicies.scheduling.sigs.x-k8s.io"}
    for program, resource in gone.items():
        status, text = day.plane.kubectl("delete", "crd", resource)
        if status != 0:
            yield text

        def tells(program=program, resource=resource):
            status, text = day.ask(program, "/readyz")
            return status == 200 and any(resource in line and "does not know this kind" in line for line in text.splitlines())
        took = wait_until(f"{program} tells of it", tells, 60)
        day.facts.append(f"/readyz of the {program} tells of it after {took:.1f} s")
        if not day.try_pod("web")[0]:
            yield f"without {resource} a pod is denied that was allowed"
    day.plane.kubectl("apply", "-k", day.work / "overlay")
    for program in gone:
        wait_until("they are back", lambda program=program: "does not know" not in day.ask(program, "/readyz")[1], 60)


def the_programs_say_that_they_are_well(day):
    for name in day.running:
        status, text = day.ask(name, "/readyz")
        if status != 200:
            yield f"{name}: {text}"
        if day.running[name].running.poll() is not None:
            yield f"{name} has ended: {day.running[name].log()[-1000:]}"
    if "panic" in day.plane.scheduler.log():
        yield "kube-scheduler panics"


def it_is_uninstalled_as_the_readme_says(day):
    readme = (day.manifests / "README.md").read_text(encoding="utf-8").split("## Uninstall")[1]
    commands = [line.split()[1:] for line in readme.split("```sh\n")[1].split("```")[0].splitlines() if line.startswith("kubectl")]
    if len(commands) != 3:
        yield f"{commands}"
    # Somebody who ends the pods, as the kubelets of a cluster do.
    done = threading.Event()

    def end_pods():
        while not done.wait(1):
            for item in day.pods(SYSTEM):
                if "deletionTimestamp" in item["metadata"]:
                    day.delete_pod(SYSTEM, item["metadata"]["name"])
    threading.Thread(target=end_pods, daemon=True).start()
    for command in commands:
        arguments = [str(day.manifests / argument.removeprefix("examples/manifests").lstrip("/")) if argument.startswith(
            "examples/manifests") else argument for argument in command]
        status, text = day.plane.kubectl(*arguments, "--timeout=120s")
        if status != 0:
            yield f"{command}: {text[-1000:]}"
    done.set()
    if not day.try_pod("web", "burst", schedulerName="mine")[0]:
        yield "pods are still decided on"


ROWS = [*exported.ROWS, it_is_installed_as_the_readme_says, applied_twice_nothing_changes, prune_removes_nothing_that_is_there,
        prune_removes_what_is_no_longer_there, an_installation_by_the_client_goes_on_by_the_server, policies_to_start_with_are_accepted, every_field_is_explained,
        who_sees_a_namespace_sees_its_policies, ordinary_pods_are_allowed, what_no_policy_allows_is_denied_and_says_why,
        a_workload_is_denied_by_its_template, controllers_make_the_pods_of_what_is_allowed, who_may_use_privileged_is_allowed_all,
        a_binding_is_in_force_within_a_second, bad_policies_are_refused_in_a_sentence, criteria_are_injected,
        a_bare_pod_is_applied_twice, metadata_is_updated_and_rejected, pods_are_annotated_only_where_it_is_asked_for,
        a_gated_pod_is_placed_by_a_placer_alone, *rehearsal.ROWS, what_the_cluster_writes_is_not_rejected, a_policy_that_denies_its_own_default_is_warned_of,
        what_is_made_in_one_breath_is_known, updates_that_decide_nothing_are_not_asked_about,
        nothing_is_allowed_while_no_webhook_answers, the_scheduler_asks_the_extender, all_pods_go_to_the_best_unit,
        units_are_filled_to_their_maximum, reasons_are_short_and_stay, a_waiting_pod_is_asked_for_at_most_once_in_ten_seconds,
        kubectl_shows_units_and_who_waits, a_raised_maximum_is_used_within_five_seconds, a_second_policy_that_goes_is_no_reason_to_wait,
        a_freed_place_is_used, questions_of_others_fill_nothing, deletion_costs_are_right_on_all, a_scale_down_goes_from_the_worst_unit,
        a_policy_that_goes_takes_its_costs_along, the_ca_is_changed_as_the_readme_says,
        limits_of_resources_hold, a_relabelled_node_is_in_its_new_unit, pods_of_no_policy_run_anywhere,
        a_full_unit_with_room_on_its_nodes_is_not_preempted, a_full_unit_without_room_on_its_nodes_is_preempted,
        a_killed_extender_gives_no_place_twice, a_killed_api_server_leads_to_nothing_wrong,
        a_policy_is_in_force_after_the_api_server_came_back, a_restored_backup_is_decided_by, a_kind_that_is_gone_is_told_of,
        the_programs_say_that_they_are_well,
        it_is_uninstalled_as_the_readme_says]


def main():
    root, webhook, scheduler, cli, evaluate, *chosen = sys.argv[1:]
    programs = os.environ.get("SCHEDPOL_CONTROL_PLANE", "")
    missing = [name for name in control_plane.PROGRAMS if not os.access(pathlib.Path(programs) / name, os.X_OK)]
    if not programs or missing:
        print(f"SKIPPED: the environment's SCHEDPOL_CONTROL_PLANE names no directory with {', '.join(missing or control_plane.PROGRAMS)}; "
              "tests/control_plane/README.md says how to get them")
        return SKIPPED
    failed = 0
    with contextlib.ExitStack() as ending:
        work = ending.enter_context(tempfile.TemporaryDirectory())
        day = Day(root, {"webhook": webhook, "scheduler": scheduler, "cli": cli, "evaluate": evaluate}, programs, work)
        ending.callback(day.end)
        for row in ROWS:
            if chosen and row.__name__ not in chosen:
                continue
            begin, problems, facts = time.monotonic(), [], len(day.facts)
            try:
                problems = list(row(day) or [])
            except Exception as error:  # pylint: disable=broad-exception-caught
                where = traceback.extract_tb(error.__traceback__)[-1]
                problems = [f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"]
            for problem in problems:
                print(f"{row.__name__}: {problem}")
            failed += bool(problems)
            told = "".join(f"; {fact}" for fact in day.facts[facts:])
            print(f"{'FAILED' if problems else 'ok'} {row.__name__} {time.monotonic() - begin:.1f} s{told}", flush=True)
        if failed and os.environ.get("SCHEDPOL_KEEP_LOGS"):
            shutil.copytree(work, os.environ["SCHEDPOL_KEEP_LOGS"], dirs_exist_ok=True, ignore=shutil.ignore_patterns("etcd"))
    print(f"{len(chosen or ROWS)} rows, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
