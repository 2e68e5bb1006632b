# SPDX-License-Identifier: Apache-2.0
"""The example scheduler extender: what a kube-scheduler is told by it, and the deletion costs that it writes, in a
cluster that it watches.

    scheduler_test.py PATH_TO_SCHEDULER_BINARY
"""

import contextlib
import http.client
import json
import pathlib
import random
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import api_server  # noqa: E402
from api_server import TIMEOUT_SECONDS, ApiServer  # noqa: E402

COST = "controller.kubernetes.io/pod-deletion-cost"
MANAGER = "schedpol-scheduler"
KINDS = ["nodes", "pods", "resourcepolicies"]


# Objects.

def node(name, **labels):
    return {"metadata": {"name": name, "labels": labels}}


def policy(name="web", in_namespace="shop", **spec):
    return {"metadata": {"name": name, "namespace": in_namespace}, "spec": spec}


def proposal(strategy):
    """The policy of the proposal: 10, 10 and 20 pods on the nodes of value1, value2 and value3."""
    def unit(number, priority, most, selector):
        return {"name": f"unit{number}", "priority": priority, "maxCount": most, "nodeSelector": selector}

    def listed(value):
        return {"matchExpressions": [{"key": "key1", "operator": "In", "values": [value]}]}
    return policy("xxx", matchLabelKeys=["pod-template-hash"], matchPolicy={"ignoreTerminatingPod": True},
                  podSelector={"matchLabels": {"key1": "value1"}, **listed("value1")}, strategy=strategy,
                  units=[unit(1, 5, 10, listed("value1")), unit(2, 5, 10, listed("value2")),
                         unit(3, 4, 20, {"matchLabels": {"key1": "value3"}})])


MOST = {"value1": 10, "value2": 10, "value3": 20}
UNITS = [{"name": "a", "priority": 2, "maxCount": 1, "nodeSelector": {"matchLabels": {"pool": "a"}}},
         {"name": "b", "priority": 1, "nodeSelector": {"matchLabels": {"pool": "b"}}}]


def pod(name, on="", in_namespace="shop", uid="", **labels):
    return {"metadata": {"name": name, "namespace": in_namespace, "uid": uid or f"uid-{name}", "labels": labels},
            "spec": {"nodeName": on, "containers": []} if on else {"containers": []}, "status": {"phase": "Pending"}}


def annotated(item, cost, manager, operation="Update"):
    """The pod with a deletion cost that somebody wrote."""
    fields = {"f:metadata": {"f:annotations": {f"f:{COST}": {}}}}
    item["metadata"].update(annotations={COST: cost}, managedFields=[
        {"manager": "kubelet", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {}}},
        {"manager": manager, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields}])
    return item


# The API server: besides what it does anyway, it knows who wrote a deletion cost.

def owners(item):
    return [(one["manager"], one["operation"]) for one in item["metadata"].get("managedFields", [])
            if f"f:{COST}" in one["fieldsV1"].get("f:metadata", {}).get("f:annotations", {})]


class Handler(api_server.Handler):
    def do_PATCH(self):
        if "/status?" in self.path:
            return super().do_PATCH()
        begun = self.begin("patch")
        if begun is None:
            return None
        asked, namespace, resource, name, _ = begun
        owner = self.server.owner
        found = owner.get(resource, namespace, name)
        patch = json.loads(asked.body)
        manager = asked.query.get("fieldManager")
        if self.headers["Content-Type"] == "application/merge-patch+json":
            return self.merge_patch(asked, found, patch)
        if self.headers["Content-Type"] != "application/apply-patch+yaml" or not manager or resource != "pods" or \
                (patch.get("apiVersion"), patch.get("kind")) != ("v1", "Pod") or \
                not set(patch["metadata"]) <= {"name", "namespace", "uid", "annotations"} or \
                not set(patch["metadata"].get("annotations", {})) <= {COST}:
            return self.refuse(asked, 400, "this is no deletion cost")
        if found is None:
            return self.refuse(asked, 404, f"pods {name} not found")
        metadata = found["metadata"]
        if patch["metadata"]["uid"] != metadata["uid"]:
            return self.refuse(asked, 409, "Precondition failed: UID in precondition")
        cost = patch["metadata"].get("annotations", {}).get(COST)
        there = metadata.get("annotations", {}).get(COST)
        others = [one for one in owners(found) if one != (manager, "Apply")]
        if cost is not None and others and cost != there:
            return self.refuse(asked, 409, f'Apply failed with 1 conflict: conflict with "{others[0][0]}"')
        entries = [one for one in metadata.get("managedFields", [])
                   if (one["manager"], one["operation"]) != (manager, "Apply")]
        if cost is not None:
            metadata.setdefault("annotations", {})[COST] = cost
            entries += annotated(pod("x"), cost, manager, "Apply")["metadata"]["managedFields"][1:]
        elif not others:
            # What admission added has no owner, so that the map of annotations goes whole.
            metadata.pop("annotations", None)
        metadata["managedFields"] = entries
        owner.put(resource, found)
        return self.answer(asked, 200, owner.get(resource, namespace, name))

    def merge_patch(self, asked, found, patch):
        """Takes one annotation away from the object of one resource version, or annotates the program's own pod."""
        metadata = patch["metadata"]
        if not set(metadata) <= {"uid", "resourceVersion", "annotations"} or set(patch) != {"metadata"}:
            return self.refuse(asked, 400, "this patches more than annotations")
        for key in ("uid", "resourceVersion"):
            if found and metadata.pop(key, found["metadata"][key]) != found["metadata"][key]:
                return self.refuse(asked, 409, "the object has been modified")
        if found is None:
            return self.refuse(asked, 404, "not found")
        api_server.merge(found, patch)
        for one in found["metadata"].get("managedFields", []):
            if COST in metadata["annotations"]:
                one["fieldsV1"].get("f:metadata", {}).get("f:annotations", {}).pop(f"f:{COST}", None)
        self.server.owner.put("pods", found)
        return self.answer(asked, 200, found)


class Cluster(ApiServer):
    def start(self):
        self.server = api_server.Server(("127.0.0.1", self.port), Handler, self)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def cost(self, name):
        return self.get("pods", "shop", name)["metadata"].get("annotations", {}).get(COST)

    def bind(self, item, name):
        self.put("pods", item | {"spec": {**item["spec"], "nodeName": name}})


# The program.

def wait_until(what, condition, explain=lambda: ""):
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited in vain until {what}: {explain()[-2000:]}")
        time.sleep(0.02)


class Run:
    def __init__(self, program, work):
        self.program, self.work, self.number = program, pathlib.Path(work), 0
        self.servers, self.extenders = [], []

    def cluster(self):
        self.number += 1
        self.servers.append(Cluster(self.work, f"cluster-{self.number}"))
        return self.servers[-1]

    def clean_up(self):
        for one in self.extenders:
            one.end()
        for one in self.servers:
            one.heal()
            one.stop()
        self.servers, self.extenders = [], []


class Extender:
    def __init__(self, run, server, *options, ready=True):
        self.server = server
        run.number += 1
        self.errors_path = run.work / f"stderr-{run.number}"
        with open(self.errors_path, "wb") as errors:
            self.process = subprocess.Popen(
                [run.program, *server.options(), "--listen", "127.0.0.1:0", "--cert", server.folder / "tls.crt", "--key",
                 server.folder / "tls.key", "--drain", "0", *options], stdout=subprocess.PIPE, stderr=errors)
        run.extenders.append(self)
        self.connection = None
        line = self.process.stdout.readline().decode()
        match = re.fullmatch(r"listening on https://127\.0\.0\.1:(\d+)\n", line)
        if not match:
            raise ValueError(f"the extender says {line!r}: {self.errors()}")
        tls = ssl.create_default_context(cafile=server.folder / "ca.crt")
        self.connection = http.client.HTTPSConnection("127.0.0.1", int(match[1]), timeout=TIMEOUT_SECONDS, context=tls)
        if ready:
            wait_until("it is ready", lambda: self.ready()[0] == 200, lambda: self.ready()[1] + self.errors())

    def end(self):
        if self.connection:
            self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def errors(self):
        return self.errors_path.read_text(encoding="utf-8", errors="replace")

    def request(self, method, path, body=None):
        self.connection.request(method, path, body, {"Content-Type": "application/json"} if body is not None else {})
        response = self.connection.getresponse()
        return response.status, response.read().decode()

    def ask(self, verb, document):
        status, text = self.request("POST", f"/{verb}", json.dumps(document))
        return status, json.loads(text)

    def ready(self):
        return self.request("GET", "/readyz")

    def metric(self, name):
        _, text = self.request("GET", "/metrics")
        values = [line.rsplit(" ", 1)[1] for line in text.splitlines() if line.rsplit(" ", 1)[0] == name]
        return float(values[0]) if values else None

    def arguments(self, item, names, whole):
        if not whole:
            return {"Pod": item, "Nodes": None, "NodeNames": names}
        nodes = [self.server.get("nodes", "", name) or node(name) for name in names]
        for one in nodes:
            one.pop("kind", None)
            one.pop("apiVersion", None)
        return {"Pod": item, "Nodes": {"metadata": {}, "items": nodes}, "NodeNames": None}

    def filter(self, item, names, whole=False):
        """The names that are left, and why the others are not; the error where there is one. The pod is made before."""
        metadata = item["metadata"]
        if self.server.get("pods", metadata["namespace"], metadata["name"]) is None:
            self.server.put("pods", item)
        status, said = self.ask("filter", self.arguments(item, names, whole))
        if status != 200:
            raise ValueError(f"a filter is answered with {status}: {said}")
        if said.get("Error"):
            if said.get("NodeNames") is not None or said.get("Nodes") is not None:
                raise ValueError(f"nodes and an error: {said}")
            return said["Error"]
        left = [one["metadata"]["name"] for one in said["Nodes"]["items"]] if whole else said["NodeNames"]
        if said["FailedNodes"]:
            raise ValueError(f"kube-scheduler would look for victims, and find none: {said}")
        why = said["FailedAndUnresolvableNodes"]
        if sorted(left + list(why)) != sorted(names):
            raise ValueError(f"of {names} not each is answered: {said}")
        return left, why

    def fits(self, item, names, whole=False):
        said = self.filter(item, names, whole)
        return said[0] if isinstance(said, tuple) else said

    def wait_fits(self, item, names, wanted):
        """Asks with pods that nobody binds, so that what is assumed of one goes with the next."""
        wait_until(f"{wanted} are left of {names}", lambda: self.fits(item, names) == wanted,
                   lambda: str(self.filter(item, names)) + self.errors())

    def schedule(self, item, names, whole, chance):
        """As kube-scheduler does: filter, prioritize, bind; the node, or nothing."""
        left = self.fits(item, names, whole)
        if not isinstance(left, list):
            raise ValueError(f"a filter says {left}")
        if not left:
            return None
        status, scores = self.ask("prioritize", self.arguments(item, left, whole))
        if status != 200 or [one["Host"] for one in scores] != left:
            raise ValueError(f"a prioritize is answered with {status}: {scores}")
        best = max(one["Score"] for one in scores)
        chosen = chance.choice([one["Host"] for one in scores if one["Score"] == best])
        self.server.bind(item, chosen)
        return chosen


# The checks yield what is wrong.

def fills_the_units(run):
    """The policy of the proposal, one pod at a time: as many as the units may hold, and never more."""
    chance = random.Random(7)
    for strategy, whole, watch in [("required", False, "shown"), ("prefer", True, "shown"),
                                   ("required", True, "withheld"), ("prefer", False, "withheld"),
                                   ("required", False, "cut")]:
        case = f"{strategy}, {'nodes' if whole else 'names'}, {watch}"
        server = run.cluster()
        server.put("resourcepolicies", proposal(strategy))
        names = [f"{value}-{i}" for value in [*MOST, "other"] for i in range(3)]
        for name in names:
            server.put("nodes", node(name, key1=name.split("-")[0]))
        extender = Extender(run, server)
        wait_until("all is watched", lambda: all(server.watching(kind) == 1 for kind in KINDS))
        counts = dict.fromkeys([*MOST, "other"], 0)
        waiting = [pod(f"web-{i}", key1="value1", **{"pod-template-hash": "1"}) for i in range(45)]
        for item in waiting:
            server.put("pods", item)

        def round_of(pods):
            for item in pods:
                chosen = extender.schedule(item, names, whole, chance)
                if chosen is not None:
                    counts[chosen.split("-")[0]] += 1
                    waiting.remove(item)
                over = [f"{case}: {counts[value]} pods on {value}" for value, most in MOST.items() if counts[value] > most]
                if over:
                    return over
                if watch == "shown":
                    wait_until("the watch has shown it", lambda: extender.metric("schedpol_extender_assumed_pods") == 0)
                elif watch == "cut" and chance.random() < 0.3:
                    server.cut("pods")
            return []

        if watch == "withheld":
            wait_until("the pods are known",
                       lambda: extender.metric('schedpol_cluster_objects{resource="pods"}') == 45)
            server.silence("pods")
        yield from round_of(list(waiting))
        in_units = sum(counts[value] for value in MOST)
        if watch == "withheld" and not 20 <= in_units < 40:
            yield f"{case}: {in_units} pods before the watch has shown any of them"
        for _ in range(45):
            if not waiting or counts["other"]:
                break
            server.end_watches("pods")
            wait_until("the watch has shown all",
                       lambda: extender.metric("schedpol_extender_assumed_pods") == 0, extender.errors)
            before = len(waiting)
            yield from round_of(list(waiting))
            if len(waiting) == before:
                break
        wanted = dict(MOST, other=0)
        if strategy == "prefer" and watch == "shown":
            wanted["other"] = 5
        if watch != "withheld" and counts != wanted or strategy == "required" and counts != wanted:
            yield f"{case}: {counts} instead of {wanted}"
        run.clean_up()


def answers_as_the_protocol_says(run):
    server = run.cluster()
    server.put("resourcepolicies", policy(podSelector={"matchLabels": {"app": "web"}}, units=UNITS))
    for name in ("a-1", "b-1"):
        server.put("nodes", node(name, pool=name[0]))
    server.put("nodes", node("c-1"))
    server.put("pods", pod("web-0", "a-1", app="web"))
    extender = Extender(run, server)
    asked = pod("web-1", app="web")
    full = "unit `a` is full"
    for whole in (False, True):
        said = extender.filter(asked, ["a-1", "b-1", "c-1", "new"], whole)
        if said != (["b-1"], {"a-1": full, "c-1": "in no unit of its ResourcePolicy",
                              "new": "the node is not known yet"}):
            yield f"filter says {said}"
        if extender.fits(pod("free"), ["a-1", "c-1", "new"], whole) != ["a-1", "c-1", "new"]:
            yield "a pod that no policy is for does not fit everywhere"
    _, said = extender.ask("prioritize", extender.arguments(asked, ["c-1", "b-1", "a-1"], False))
    if said != [{"Host": "c-1", "Score": 0}, {"Host": "b-1", "Score": 6}, {"Host": "a-1", "Score": 10}]:
        yield f"prioritize says {said}"
    victims = {"a-1": {"Pods": [{"UID": "uid-web-0"}], "NumPDBViolations": 1}, "c-1": {"Pods": [{"UID": "x"}]}}
    _, said = extender.ask("preempt", {"Pod": asked, "NodeNameToMetaVictims": victims})
    if said != {"NodeNameToMetaVictims": {"a-1": victims["a-1"]}}:
        yield f"preempt says {said}"
    whole = {"a-1": {"Pods": [server.get("pods", "shop", "web-0")], "NumPDBViolations": 1}}
    _, said = extender.ask("preempt", {"Pod": asked, "NodeNameToVictims": whole})
    if said != {"NodeNameToMetaVictims": {"a-1": victims["a-1"]}}:
        yield f"preempt of whole pods says {said}"
    for verb, body, status in [("filter", "{", 200), ("filter", "[]", 200), ("filter", '{"Pod":{}}', 200),
                               ("filter", '{"Pod":{},"Pod":{}}', 200), ("filter", "\xff", 200),
                               ("prioritize", "{", 400), ("preempt", "{}", 400), ("bind", "{}", 404),
                               ("", "{}", 404), ("filter/x", "{}", 404)]:
        got, text = extender.request("POST", f"/{verb}", body.encode("latin-1"))
        if got != status or status == 200 and ("NodeNames" in text or not json.loads(text)["Error"]):
            yield f"{verb} of {body!r} is answered with {got}: {text}"
    status, text = extender.request("GET", "/readyz?verbose")
    told = [line.split(" ")[1] for line in text.splitlines() if line.startswith("watched: ") and "heard of" in line]
    if status != 200 or told != ["nodes:", "pods:", "resourcepolicies.scheduling.sigs.x-k8s.io:"]:
        yield f"how far it is behind: {text}"
    if extender.request("GET", "/filter")[0] != 405:
        yield "a filter can be got"
    if extender.fits(asked, ["b-1"]) != ["b-1"]:
        yield "after bad bytes it answers no good ones"
    for result in ("fits", "nowhere", "error"):
        extender.filter(asked, ["a-1"])
        if not extender.metric(f'schedpol_extender_requests_total{{verb="filter",result="{result}"}}'):
            yield f"requests with result {result} are not counted"


def two_in_a_row_never_share_the_last_place(run):
    server = run.cluster()
    server.put("resourcepolicies", policy(units=UNITS))
    for name in ("a-1", "a-2", "b-1"):
        server.put("nodes", node(name, pool=name[0]))
    for name in ("web-1", "web-2"):
        server.put("pods", pod(name))
    extender = Extender(run, server)
    wait_until("all is watched", lambda: all(server.watching(kind) == 1 for kind in KINDS))
    server.silence("pods")
    names = ["a-1", "a-2", "b-1"]
    if extender.fits(pod("web-1"), names) != names:
        yield "the first does not fit"
    if extender.fits(pod("web-2"), names) != ["b-1"]:
        yield "the second gets the same place"
    # The binding failed: it is asked for again, now for a node elsewhere.
    if extender.fits(pod("web-1"), ["b-1"]) != ["b-1"] or extender.fits(pod("web-2"), names) != names:
        yield "a place that was given up is not free"
    server.bind(pod("web-2"), "a-2")
    server.end_watches("pods")
    wait_until("the binding is shown", lambda: extender.metric("schedpol_extender_assumed_pods") == 1)
    if extender.fits(pod("web-1"), names) != ["b-1"]:
        yield "what the watch has shown does not count"
    server.delete("pods", "shop", "web-2")
    extender.wait_fits(pod("web-1"), names, names)


def follows_nodes_and_policies(run):
    server = run.cluster()
    server.put("nodes", node("n-1", pool="a"))
    server.put("pods", pod("web-0", "n-1"))
    extender = Extender(run, server)
    asked, names = pod("web-1"), ["n-1", "n-2"]
    if extender.fits(asked, names) != names:
        yield "without policies it does not fit everywhere"
    server.put("resourcepolicies", policy(units=UNITS))
    extender.wait_fits(asked, names, [])
    server.put("nodes", node("n-2", pool="a"))
    wait_until("the node is known", lambda: "full" in extender.filter(asked, names)[1]["n-2"])
    server.put("nodes", node("n-2", pool="b"))
    extender.wait_fits(asked, names, ["n-2"])
    server.put("nodes", node("n-1", pool="b"))
    extender.wait_fits(asked, names, names)
    server.put("nodes", node("n-1", pool="c"))
    extender.wait_fits(asked, names, ["n-2"])
    server.delete("nodes", "", "n-2")
    extender.wait_fits(asked, names, [])
    server.put("nodes", node("n-2", pool="b"))
    extender.wait_fits(asked, names, ["n-2"])
    # A second policy for the same pods, and one that is invalid, for some.
    server.put("resourcepolicies", policy("other", podSelector={"matchLabels": {"x": "y"}}, strategy="perfer", units=[]))
    labelled = pod("web-2", x="y")
    extender.wait_fits(labelled, names, [])
    if "ResourcePolicy `other` is invalid" not in extender.filter(labelled, names)[1]["n-2"]:
        yield f"a pod of an invalid policy is told {extender.filter(labelled, names)}"
    if extender.fits(asked, names) != ["n-2"]:
        yield "an invalid policy harms pods that it is not for"
    unreadable = policy("other", podSelector={"matchLabels": {"x": "y"}}, units=[{"maxCount": "1"}])
    server.put("resourcepolicies", unreadable)
    wait_until("it is read", lambda: "cannot be read" in extender.errors())
    if extender.fits(labelled, names) != [] or extender.fits(asked, names) != ["n-2"]:
        yield "a policy that cannot be read harms others than its own"
    server.put("resourcepolicies", policy("other", podSelector={"matchLabels": {"x": "y"}}, units=[]))
    wait_until("both select it",
               lambda: "more than one" in extender.filter(labelled, names)[1].get("n-2", ""))
    server.delete("resourcepolicies", "shop", "other")
    extender.wait_fits(labelled, names, ["n-2"])
    server.delete("resourcepolicies", "shop", "web")
    extender.wait_fits(labelled, names, names)


def requesting(cpu, item):
    """The pod with a sidecar, a container and overhead that request so much together."""
    part = f"{cpu // 2}m"
    item["spec"].update(
        initContainers=[{"name": "proxy", "restartPolicy": "Always", "resources": {"requests": {"cpu": part}}}],
        containers=[{"name": "main", "resources": {"requests": {"cpu": f"{cpu - cpu // 2 - 1}m"}}}],
        overhead={"cpu": "1m"})
    return item


def counts_what_pods_request(run):
    server = run.cluster()
    server.put("nodes", node("a-1", pool="a"))
    server.put("pods", requesting(1500, pod("web-0", "a-1")))
    server.put("resourcepolicies", policy(units=[
        {"name": "a", "maxResources": {"cpu": 2}, "nodeSelector": {"matchLabels": {"pool": "a"}}}]))
    extender = Extender(run, server)
    if extender.fits(requesting(501, pod("web-1")), ["a-1"]) != []:
        yield "a pod fits that requests too much"
    if extender.fits(requesting(500, pod("web-1")), ["a-1"]) != ["a-1"]:
        yield f"a pod does not fit where there is room: {extender.filter(requesting(500, pod('web-1')), ['a-1'])}"
    why = extender.filter(requesting(500, pod("web-2")), ["a-1"])[1].get("a-1", "")
    if why != "insufficient cpu in unit `a`":
        yield f"a pod is promised what another was, or told {why!r}"
    if extender.fits(pod("web-3"), ["a-1"]) != ["a-1"]:
        yield "a pod that requests nothing does not fit"
    server.put("pods", requesting(1000, pod("web-0", "a-1")))
    extender.wait_fits(requesting(500, pod("web-2")), ["a-1"], ["a-1"])


def nothing_fits_before_all_is_known(run):
    server = run.cluster()
    server.put("nodes", node("n-1"))
    failure = server.fail("list", "pods", status=500, times=10 ** 6)
    extender = Extender(run, server, ready=False)
    asked = pod("web-1")
    wait_until("it waits for the pods alone",
               lambda: extender.ready()[1].startswith("pods: not listed yet: GET /api/v1/pods: 500"),
               lambda: extender.ready()[1])
    if extender.ready()[0] != 503:
        yield "it is ready"
    if "pods: not listed yet" not in str(extender.filter(asked, ["n-1"])):
        yield f"a filter says {extender.filter(asked, ['n-1'])}"
    for verb in ("prioritize", "preempt"):
        if extender.ask(verb, extender.arguments(asked, ["n-1"], False))[0] != 503:
            yield f"{verb} is answered"
    if extender.request("GET", "/healthz") != (200, "ok\n"):
        yield "it is not healthy"
    failure.times = 0
    wait_until("it is ready", lambda: extender.ready() == (200, "ok\n"), lambda: extender.ready()[1])
    if extender.fits(asked, ["n-1"]) != ["n-1"]:
        yield "it does not fit when all is known"


def nothing_fits_when_it_is_stale(run):
    server = run.cluster()
    server.put("nodes", node("n-1"))
    extender = Extender(run, server, "--stale-after", "1")
    server.fail("watch", "pods", status=500, times=10 ** 6)
    server.fail("list", "pods", status=500, times=10 ** 6)
    server.end_watches("pods")
    wait_until("it is stale", lambda: "pods: no word of the API server for" in str(extender.filter(pod("p"), ["n-1"])))
    if extender.ready()[0] != 503:
        yield "it is ready"
    server.heal()
    wait_until("it is ready again", lambda: extender.ready()[0] == 200, lambda: extender.ready()[1])


def keeps_deletion_costs(run):
    server = run.cluster()
    server.put("resourcepolicies", policy(podSelector={"matchLabels": {"app": "web"}}, strategy="prefer", units=UNITS))
    for name in ("a-1", "b-1", "c-1"):
        server.put("nodes", node(name, pool=name[0]))
    before = {"on-a": pod("on-a", "a-1", app="web"), "on-c": pod("on-c", "c-1", app="web"),
              "right": annotated(pod("right", "a-1", app="web"), "40", "kubectl"),
              "users": annotated(pod("users", "a-1", app="web"), "7", "kubectl"),
              "ours": annotated(pod("ours", "b-1", app="web"), "7", MANAGER, "Apply"),
              "not-ours": annotated(pod("not-ours", "b-1", app="web"), "7", MANAGER, "Update"),
              "no-more": annotated(pod("no-more", "b-1"), "7", MANAGER, "Apply"),
              "admitted": annotated(pod("admitted", "b-1", app="web"), "20", MANAGER, "Apply"),
              "free": pod("free", "a-1"), "waiting": pod("waiting", app="web"),
              "over": pod("over", "a-1", app="web") | {"status": {"phase": "Succeeded"}}}
    # The webhook has written this one, whom nobody owns.
    before["admitted"]["metadata"]["annotations"]["qos"] = "burstable"
    for item in before.values():
        server.put("pods", item)
    extender = Extender(run, server)

    def wait_costs(**wanted):
        wait_until(f"the costs are {wanted}", lambda: {name: server.cost(name) for name in wanted} == wanted,
                   lambda: str({name: server.cost(name) for name in wanted}) + extender.errors())

    wait_costs(**{"on-a": "40", "on-c": "-20", "ours": "20", "no-more": None})
    server.put("nodes", node("a-1", pool="b"))
    wait_costs(**{"on-a": "20"})
    server.put("nodes", node("a-1", pool="a"))
    wait_costs(**{"on-a": "40"})
    # What a user writes over it stays, whatever the policy says from then on.
    item = server.get("pods", "shop", "on-a")
    server.put("pods", annotated(item, "1000", "kubectl"))
    # One that is written at the same moment is a conflict, and stays too.
    late = pod("late", app="web")
    server.put("pods", late)
    wait_until("all is watched", lambda: all(server.watching(kind) == 1 for kind in KINDS))
    server.bind(late, "b-1")
    wait_costs(late="20")
    server.put("resourcepolicies", policy(podSelector={"matchLabels": {"app": "web"}}, strategy="prefer",
                                          units=[dict(UNITS[0], priority=50), dict(UNITS[1], priority=10)]))
    wait_costs(late="200", ours="200", **{"on-a": "1000"})
    # A server that fails is asked again, one that refuses is not.
    server.fail("patch", "pods", status=503, times=2)
    server.delete("resourcepolicies", "shop", "web")
    wait_costs(late=None, ours=None, admitted=None, **{"on-c": None, "on-a": "1000"})
    if server.get("pods", "shop", "admitted")["metadata"]["annotations"] != {"qos": "burstable"}:
        yield "the annotations of others go with the deletion cost"
    for name, item in before.items():
        if name in ("right", "users", "not-ours", "free", "waiting", "over"):
            if server.cost(name) != item["metadata"].get("annotations", {}).get(COST):
                yield f"{name} has another cost: {server.cost(name)}"
    touched = {one.path.rsplit("/", 1)[1] for one in server.requests("patch", "pods")}
    if touched != {"on-a", "on-c", "ours", "no-more", "late", "admitted"}:
        yield f"written were {touched}"
    if any("force" in one.query for one in server.requests("patch", "pods")):
        yield "a write was forced"
    if not extender.metric('schedpol_deletion_costs_total{result="written"}'):
        yield "what is written is not counted"


def a_conflict_is_left_to_the_user(run):
    server = run.cluster()
    server.put("resourcepolicies", policy(units=UNITS))
    server.put("nodes", node("a-1", pool="a"))
    server.put("pods", pod("web-1"))
    extender = Extender(run, server)
    wait_until("all is watched", lambda: all(server.watching(kind) == 1 for kind in KINDS))
    # It has seen the pod without the annotation, and writes too late; a successor is not written to either.
    conflict = server.fail("patch", "pods", status=409)
    server.bind(pod("web-1"), "a-1")
    wait_until("it has tried", lambda: extender.metric('schedpol_deletion_costs_total{result="conflict"}') == 1)
    if conflict.times != 0 or server.cost("web-1") is not None:
        yield "a conflict is won"
    if len(server.requests("patch", "pods")) != 1:
        yield "a conflict is tried again"


def what_a_user_writes_meanwhile_stays(run):
    server = run.cluster()
    server.put("resourcepolicies", policy(units=UNITS))
    server.put("nodes", node("a-1", pool="a"))
    server.put("pods", annotated(pod("web-1", "a-1"), "40", MANAGER, "Apply"))
    extender = Extender(run, server)
    wait_until("all is watched", lambda: all(server.watching(kind) == 1 for kind in KINDS))
    server.silence("pods")
    server.put("pods", annotated(server.get("pods", "shop", "web-1"), "7", "kubectl"))
    server.delete("resourcepolicies", "shop", "web")
    wait_until("it has tried", lambda: extender.metric('schedpol_deletion_costs_total{result="conflict"}') == 1)
    if server.cost("web-1") != "7":
        yield "what a user wrote is taken away"


def leaves_deletion_costs_alone_if_told_so(run):
    server = run.cluster()
    server.put("resourcepolicies", policy(units=UNITS))
    server.put("nodes", node("a-1", pool="a"))
    server.put("pods", pod("web-1", "a-1"))
    extender = Extender(run, server, "--no-deletion-costs")
    if extender.fits(pod("web-2"), ["a-1"]) != []:
        yield "it does not filter"
    if server.requests("patch", "pods"):
        yield "it writes deletion costs"


def a_pod_that_nobody_made_takes_no_place(run):
    server = run.cluster()
    server.put("resourcepolicies", policy(units=UNITS))
    server.put("nodes", node("a-1", pool="a"))
    known = pod("web-1")
    server.put("pods", known)
    extender = Extender(run, server)
    strangers = [pod("stranger"), pod("web-1", uid="another"), {**known, "metadata": {**known["metadata"], "uid": ""}}]
    for stranger in strangers:
        status, said = extender.ask("filter", extender.arguments(stranger, ["a-1"], False))
        if status != 200 or "not known yet" not in said["Error"] or extender.metric("schedpol_extender_assumed_pods") != 0:
            yield f"{stranger['metadata']} is told {said}"
    if extender.fits(known, ["a-1"]) != ["a-1"]:
        yield "the place is taken all the same"


def a_pod_that_the_watch_shows_late_is_waited_for(run):
    server = run.cluster()
    server.put("resourcepolicies", policy(units=UNITS))
    server.put("nodes", node("a-1", pool="a"))
    extender = Extender(run, server)
    late = pod("web-1")
    # In the time of a question, or, on a slow machine, of the ones that follow it, as kube-scheduler repeats them.
    threading.Timer(0.2, server.put, ("pods", late)).start()
    wait_until("it fits", lambda: extender.ask("filter", extender.arguments(late, ["a-1"], False))[1].get("NodeNames") == ["a-1"])
    if extender.metric("schedpol_extender_assumed_pods") != 1:
        yield "it holds no place"


def a_place_that_nobody_takes_is_given_up(run):
    server = run.cluster()
    server.put("resourcepolicies", policy(units=UNITS))
    server.put("nodes", node("a-1", pool="a"))
    extender = Extender(run, server, "--assume-for", "2")
    if extender.fits(pod("web-1"), ["a-1"]) != ["a-1"] or extender.fits(pod("web-2"), ["a-1"]) != []:
        yield "one of two does not get the place"

    def goes_on():
        # It is given up only after the watch of pods has said something.
        server.put("pods", pod("elsewhere", in_namespace="other"))
        return extender.metric("schedpol_extender_expired_total") == 1
    wait_until("the place is given up", goes_on)
    if extender.fits(pod("web-2"), ["a-1"]) != ["a-1"]:
        yield "the place is not free"


def wakes(server):
    return [one for one in server.requests("patch", "pods") if one.path.endswith("/extender")]


def wakes_those_that_wait_once(run):
    server = run.cluster()
    web = policy(units=[dict(UNITS[0], maxCount=0)])
    server.put("resourcepolicies", web)
    server.put("nodes", node("a-1", pool="a"))
    server.put("pods", pod("extender", "a-1", in_namespace="schedpol-system"))
    extender = Extender(run, server, "--own-pod", "schedpol-system/extender")
    waiting = [pod(f"web-{i}") for i in range(20)]
    for item in waiting:
        if extender.fits(item, ["a-1"]) != []:
            yield f"{item['metadata']['name']} does not wait"
    if extender.metric("schedpol_extender_waiting_pods") != 20:
        yield f"{extender.metric('schedpol_extender_waiting_pods')} of 20 wait"
    # A server that fails is asked again.
    server.fail("patch", "pods", status=503, times=1)
    server.put("resourcepolicies", policy(units=[dict(UNITS[0], maxCount=5)]))
    wait_until("they are woken", lambda: extender.metric('schedpol_extender_wakes_total{result="done"}') == 1, extender.errors)
    annotations = server.get("pods", "schedpol-system", "extender")["metadata"]["annotations"]
    if set(annotations) != {"schedpol.io/woken"} or [one.status for one in wakes(server)] != [503, 200]:
        yield f"its own pod has {annotations}"
    # Whatever happens besides, they are not woken again before they are asked for.
    server.put("pods", pod("elsewhere", in_namespace="other"))
    time.sleep(2.5)
    if len(wakes(server)) != 2:
        yield f"they are woken {len(wakes(server)) - 1} times"
    for item in waiting[:5]:
        if extender.fits(item, ["a-1"]) != ["a-1"]:
            yield f"{item['metadata']['name']} is woken and does not fit"
        server.bind(item, "a-1")
    if extender.fits(waiting[5], ["a-1"]) != []:
        yield "one too many fits"
    server.delete("pods", "shop", "web-0")
    wait_until("they are woken for a place that got free",
               lambda: extender.metric('schedpol_extender_wakes_total{result="done"}') == 2, extender.errors)


def tells_what_units_hold_and_who_waits(run):
    server = run.cluster()
    limited = dict(UNITS[1], name="", maxResources={"cpu": "1"})
    server.put("resourcepolicies", policy(units=[UNITS[0], limited]))
    server.put("resourcepolicies", policy("apart", podSelector={"matchLabels": {"app": "db"}}, matchLabelKeys=["v"], units=UNITS[:1]))
    for name in ("a-1", "b-1"):
        server.put("nodes", node(name, pool=name[0]))
    server.put("pods", requesting(600, pod("web-0", "b-1")))
    extender = Extender(run, server)

    def status(name="web"):
        found = server.get("resourcepolicies", "shop", name).get("status", {})
        return {key: value for key, value in found.items() if key != "conditions"}

    def wait_status(wanted, name="web"):
        wait_until(f"the status is {wanted}", lambda: status(name) == wanted, lambda: str(status(name)) + extender.errors())

    def told(pods, requests, summary, *waiting):
        return {"summary": summary, "waiting": len(waiting), "waitingPods": [
            {"name": name, "reason": reason} for name, reason in waiting][:10],
            "units": [{"name": "a", "pods": pods, "maxCount": 1},
                      {"name": "", "pods": 1, "requests": {"cpu": requests}, "maxResources": {"cpu": "1"}}]}

    wait_status(told(0, "600m", "a 0/1, 1 1"))
    wait_status({"summary": "a 0", "waiting": 0, "waitingPods": [], "units": [{"name": "a", "pods": 0, "maxCount": 1}]}, "apart")
    server.put("pods", pod("web-1", "a-1"))
    wait_until("it is counted", lambda: extender.fits(pod("web-2"), ["a-1"]) == [])
    extender.fits(requesting(500, pod("web-3")), ["b-1"])
    wait_status(told(1, "600m", "a 1/1, 1 1", ("web-2", "unit `a` is full"), ("web-3", "insufficient cpu in unit 1")))
    written = extender.metric('schedpol_policy_statuses_total{result="written"}')
    for i in range(12):
        extender.fits(pod(f"more-{i}"), ["a-1"])
    full = [(name, "unit `a` is full") for name in sorted([f"more-{i}" for i in range(12)])]
    wait_status(told(1, "600m", "a 1/1, 1 1", *full, ("web-2", ""), ("web-3", "")))
    if extender.metric('schedpol_policy_statuses_total{result="written"}') > written + 2:
        yield "a burst is told pod by pod"
    if [one.query.get("fieldManager") for one in server.requests("patch", "resourcepolicies")].count(MANAGER) != len(
            server.requests("patch", "resourcepolicies")):
        yield "a status is written as somebody else"


def says_which_policies_are_invalid(run):
    server = run.cluster()
    server.put("nodes", node("a-1", pool="a"))
    extender = Extender(run, server)

    def summary(name):
        return server.get("resourcepolicies", "shop", name).get("status", {}).get("summary")

    def wait_summary(name, wanted):
        wait_until(f"{name} is {wanted}", lambda: wanted in (summary(name) or ""), lambda: str(summary(name)) + extender.errors())

    # 65 counters each; the 32nd of them goes beyond 2,048.
    for i in range(32):
        server.put("resourcepolicies", policy(f"many-{i:02}", podSelector={"matchLabels": {"app": f"many-{i:02}"}},
                                              units=[dict(UNITS[0], name=f"a-{unit}") for unit in range(64)]))
    server.put("resourcepolicies", policy("wrong", podSelector={"matchLabels": {"app": "wrong"}}, strategy="perfer", units=UNITS))
    wait_summary("many-30", "a-63 0/1")
    wait_summary("many-31", "invalid: with the policies before it in its namespace")
    wait_summary("wrong", "invalid: supported are required and prefer")
    for app, wanted in (("many-30", ["a-1"]), ("many-31", []), ("wrong", [])):
        if extender.fits(pod("asking", app=app), ["a-1"]) != wanted:
            yield f"a pod of {app} does not fit {wanted}"
    server.delete("resourcepolicies", "shop", "many-07")
    wait_summary("many-31", "a-63 0/1")
    extender.wait_fits(pod("asking", app="many-31"), ["a-1"], ["a-1"])


def refuses_bad_options(run):
    server = run.cluster()
    for options in ([], ["--in-cluster"], ["--api-server", "x"], [*server.options(), "--assume-for", "0"],
                    [*server.options(), "--own-pod", "x"], [*server.options(), "--own-pod", "/x"], [*server.options(), "--own-pod", "x/"], [*server.options(), "--in-cluster"],
                    [*server.options(), "--unknown"]):
        done = subprocess.run([run.program, *options], capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
                              check=False, env={})
        if done.returncode != 2 or not done.stderr or done.stdout:
            yield f"{options}: status {done.returncode}: {done.stdout + done.stderr}"
    done = subprocess.run([run.program, "--help"], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode != 0 or "--assume-for" not in done.stdout:
        yield f"--help: status {done.returncode}: {done.stdout + done.stderr}"


CHECKS = [refuses_bad_options, answers_as_the_protocol_says, two_in_a_row_never_share_the_last_place, fills_the_units,
          follows_nodes_and_policies, counts_what_pods_request, nothing_fits_before_all_is_known,
          nothing_fits_when_it_is_stale, keeps_deletion_costs, a_conflict_is_left_to_the_user, what_a_user_writes_meanwhile_stays, leaves_deletion_costs_alone_if_told_so,
          a_pod_that_nobody_made_takes_no_place, a_pod_that_the_watch_shows_late_is_waited_for,
          a_place_that_nobody_takes_is_given_up, wakes_those_that_wait_once, tells_what_units_hold_and_who_waits,
          says_which_policies_are_invalid]


def main():
    program, *chosen = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        run = Run(program, work)
        for check in CHECKS:
            if chosen and check.__name__ not in chosen:
                continue
            begin = time.monotonic()
            problems = []
            with contextlib.ExitStack() as stack:
                stack.callback(run.clean_up)
                try:
                    for problem in check(run):
                        problems.append(problem)
                except (TimeoutError, ValueError, OSError, KeyError, http.client.HTTPException) as error:
                    problems.append(f"{type(error).__name__}: {error}")
            for problem in problems:
                print(f"{check.__name__}: {problem}")
            failed += bool(problems)
            print(f"{'FAILED' if problems else 'ok'} {check.__name__} {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{len(chosen or CHECKS)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
