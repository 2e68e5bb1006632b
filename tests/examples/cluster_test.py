# SPDX-License-Identifier: Apache-2.0
"""The example webhook in a cluster: what it makes of an API server that it watches, whatever that one does.

    cluster_test.py PATH_TO_WEBHOOK_BINARY
"""

import concurrent.futures
import contextlib
import http.client
import json
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from api_server import TIMEOUT_SECONDS, TYPES, ApiServer  # noqa: E402

GROUP = "schedpol.io"
SYSTEMS = ["RuntimeClass", "MetadataPolicy", "PodSchedulingPolicy", "SchedulingPolicy", "ResourcePolicy"]


def configuration(*systems, **more):
    return {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration",
            "systems": [{"system": system} for system in systems or SYSTEMS], **more}


# Objects.

def namespace(name, **labels):
    return {"metadata": {"name": name, "labels": labels}}


def scheduling_policy(name, *schedulers):
    return {"metadata": {"name": name}, "spec": {"allowed": {"schedulerNames": list(schedulers)}}}


def role(policy):
    return {"metadata": {"name": f"use-{policy}"},
            "rules": [{"apiGroups": [GROUP], "resources": ["schedulingpolicies"], "resourceNames": [policy],
                       "verbs": ["use"]}]}


def binding(policy, in_namespace):
    return {"metadata": {"name": policy, "namespace": in_namespace},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"use-{policy}"},
            "subjects": [{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io",
                          "name": f"system:serviceaccounts:{in_namespace}"}]}


def kupid(name, selector, **criteria):
    return {"metadata": {"name": name},
            "spec": {"namespaceSelector": selector, "podSelector": {}, **criteria}}


def metadata_policy(name, in_namespace, **labels):
    return {"metadata": {"name": name, "namespace": in_namespace},
            "spec": {"rules": [{"policyPredicate": {"labelSelector": {}},
                                "policyAction": {"updatedLabels": labels}}]}}


def review(in_namespace, scheduler, **spec):
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": in_namespace},
           "spec": {"schedulerName": scheduler, "containers": [{"name": "c", "image": "registry.example.com/c"}],
                    **spec}}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {"uid": "u", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "name": "p",
                        "namespace": in_namespace, "operation": "CREATE", "object": pod}}


# The programs.

def wait_until(what, condition, explain=lambda: ""):
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited in vain until {what}: {explain()[-2000:]}")
        time.sleep(0.02)


class Webhook:
    def __init__(self, run, server, *options, settings=None):
        self.server = server
        self.certificate = server.folder
        self.number = run.number = run.number + 1
        self.configuration = run.work / f"configuration-{self.number}.json"
        self.configure(settings or configuration())
        self.errors_path = run.work / f"stderr-{self.number}"
        with open(self.errors_path, "wb") as errors:
            self.process = subprocess.Popen(
                [run.program, *server.options(), "--configuration", self.configuration, "--listen", "127.0.0.1:0",
                 "--cert", self.certificate / "tls.crt", "--key", self.certificate / "tls.key", "--drain", "0",
                 *options], stdout=subprocess.PIPE, stderr=errors)
        run.webhooks.append(self)
        line = self.process.stdout.readline().decode()
        match = re.fullmatch(r"listening on https://127\.0\.0\.1:(\d+)\n", line)
        if not match:
            raise ValueError(f"the webhook says {line!r}: {self.errors()}")
        self.port = int(match[1])

    def configure(self, settings):
        new = self.configuration.with_suffix(".new")
        new.write_text(settings if isinstance(settings, str) else json.dumps(settings))
        new.rename(self.configuration)

    def errors(self):
        return self.errors_path.read_text(encoding="utf-8", errors="replace")

    def request(self, method, path, document=None):
        tls = ssl.create_default_context(cafile=self.certificate / "ca.crt")
        with contextlib.closing(http.client.HTTPSConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS,
                                                            context=tls)) as one:
            body = None if document is None else json.dumps(document)
            one.request(method, path, body, {"Content-Type": "application/json"} if body else {})
            response = one.getresponse()
            return response.status, response.read().decode()

    def decide(self, in_namespace, scheduler, **spec):
        """Empty: allowed; else why not."""
        status, body = self.request("POST", "/admit", review(in_namespace, scheduler, **spec))
        if status != 200:
            raise ValueError(f"a review is answered with {status}: {body}")
        response = json.loads(body)["response"]
        return "" if response["allowed"] else response["status"]["message"]

    def wait_allowed(self, in_namespace, scheduler, **spec):
        wait_until(f"{scheduler} is allowed in {in_namespace}",
                   lambda: self.decide(in_namespace, scheduler, **spec) == "",
                   lambda: self.decide(in_namespace, scheduler, **spec) + self.ready()[1] + self.errors())

    def wait_denied(self, in_namespace, scheduler, text="", **spec):
        def is_denied():
            why = self.decide(in_namespace, scheduler, **spec)
            return why != "" and text in why
        wait_until(f"{scheduler} is denied in {in_namespace}", is_denied,
                   lambda: self.decide(in_namespace, scheduler, **spec) + self.ready()[1] + self.errors())

    def ready(self):
        return self.request("GET", "/readyz")

    def wait_ready(self):
        wait_until("it is ready", lambda: self.ready()[0] == 200, lambda: self.ready()[1] + self.errors())

    def metric(self, name):
        _, text = self.request("GET", "/metrics")
        values = [line.rsplit(" ", 1)[1] for line in text.splitlines() if line.rsplit(" ", 1)[0] == name]
        return float(values[0]) if values else None

    def watch_metric(self, name, resource):
        api_version = TYPES[resource][0]
        label = resource + ("." + api_version.split("/")[0] if "/" in api_version else "")
        return self.metric(f'schedpol_{name}{{resource="{label}"}}')

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(TIMEOUT_SECONDS)


class Run:
    def __init__(self, program, work):
        self.program, self.work = program, pathlib.Path(work)
        self.number = 0
        self.webhooks, self.servers = [], []

    def server(self):
        """A cluster in which pods of `shop` may use the default scheduler and one called `one`."""
        server = ApiServer(self.work, f"api-server-{len(self.servers)}")
        self.servers.append(server)
        server.put("namespaces", namespace("shop", tier="web"))
        server.put("namespaces", namespace("other"))
        server.put("schedulingpolicies", scheduling_policy("one", "default-scheduler", "one"))
        server.put("clusterroles", role("one"))
        server.put("rolebindings", binding("one", "shop"))
        server.put("rolebindings", binding("one", "other"))
        return server

    def start(self, server, *options, **more):
        webhook = Webhook(self, server, *options, **more)
        webhook.wait_ready()
        return webhook

    def clean_up(self):
        for webhook in self.webhooks:
            if webhook.process.poll() is None:
                webhook.process.kill()
            webhook.process.wait()
            webhook.process.stdout.close()
        for server in self.servers:
            with contextlib.suppress(OSError):
                server.stop()


def last_watch(server, resource):
    return server.requests("watch", resource)[-1]


def wait_for_watch(server, resource, after):
    """Until the resource is watched by a request that came after so many others."""
    wait_until(f"{resource} are watched again",
               lambda: len(server.requests("watch", resource)) > after and server.watching(resource) == 1)


def allow(server, policy):
    """Lets pods of `shop` use one scheduler more, called as the policy."""
    server.put("schedulingpolicies", scheduling_policy(policy, policy))
    server.put("clusterroles", role(policy))
    server.put("rolebindings", binding(policy, "shop"))


def away(server, webhook):
    """The server cannot be reached, as the webhook has seen."""
    server.stop()
    wait_until("the server is missed", lambda: webhook.errors().count("resource=rolebindings") >= 2, webhook.errors)


# The checks. Each yields what is wrong.

def follows_what_changes(run):
    """Policies, roles, bindings and namespaces that come, change and go are in force without a list."""
    server = run.server()
    webhook = run.start(server)
    webhook.wait_allowed("shop", "one")
    webhook.wait_denied("shop", "two", "`two`")

    allow(server, "two")
    webhook.wait_allowed("shop", "two")
    server.put("schedulingpolicies", scheduling_policy("two", "deux"))
    webhook.wait_allowed("shop", "deux")
    webhook.wait_denied("shop", "two", "`two`")
    server.delete("rolebindings", "shop", "two")
    webhook.wait_denied("shop", "deux", "`deux`")
    server.delete("schedulingpolicies", "", "one")
    webhook.wait_denied("shop", "one", "`spec`")

    server.put("schedulingpolicies", scheduling_policy("one", "default-scheduler", "one"))
    webhook.wait_allowed("shop", "one")
    server.put("clusterpodschedulingpolicies", kupid("web", {"matchLabels": {"tier": "web"}}, schedulerName="web"))
    webhook.wait_denied("new", "one", "`new`")
    server.put("rolebindings", binding("one", "new"))
    server.put("namespaces", namespace("new"))
    webhook.wait_allowed("new", "one")
    server.delete("namespaces", "", "new")
    webhook.wait_denied("new", "one", "`new`")

    server.put("runtimeclasses", {"metadata": {"name": "kata"}, "handler": "kata"})
    webhook.wait_allowed("shop", "one", runtimeClassName="kata")
    server.delete("runtimeclasses", "", "kata")
    webhook.wait_denied("shop", "one", "`kata`", runtimeClassName="kata")

    for resource in TYPES:
        if resource not in ("pods", "nodes") and len(server.requests("list", resource)) != 1:
            yield f"{resource} were listed {len(server.requests('list', resource))} times"
    if webhook.watch_metric("watch_events_total", "runtimeclasses") != 2:
        yield f"events: {webhook.watch_metric('watch_events_total', 'runtimeclasses')}"
    if webhook.watch_metric("cluster_objects", "namespaces") != 2:
        yield f"objects: {webhook.watch_metric('cluster_objects', 'namespaces')}"
    if webhook.end() != 0:
        yield "exit status"


def is_ready_after_every_list(run):
    """Before the first list of each kind all pods are denied, and /readyz names what is missing."""
    server = run.server()
    missing = server.fail("list", "rolebindings", status=404, times=10 ** 6)
    hanging = server.fail("list", "roles", hang=True, times=10 ** 6)
    webhook = Webhook(run, server)

    def waits_for(*resources):
        status, text = webhook.ready()
        lines = [line for line in text.splitlines() if "not listed yet" in line]
        return status == 503 and len(lines) == len(resources) and \
            all(any(f" {resource}." in line for line in lines) for resource in resources)

    wait_until("two kinds are missing", lambda: waits_for("rolebindings", "roles"), lambda: webhook.ready()[1])
    why = webhook.decide("shop", "one")
    if not why:
        yield "a pod is allowed by part of the policies"
    for resource in ("roles", "rolebindings"):
        if f"{resource}.rbac.authorization.k8s.io: not listed yet" not in why:
            yield f"the denial does not say that {resource} are missing: {why}"
    server.failures.remove(missing)
    wait_until("one kind is missing", lambda: waits_for("roles"), lambda: webhook.ready()[1])
    if not webhook.decide("shop", "one") or webhook.metric("schedpol_ready") != 0:
        yield "it is ready without roles"
    server.heal()
    webhook.wait_ready()
    webhook.wait_allowed("shop", "one")
    if webhook.ready()[1] != "ok\n":
        yield f"ready says {webhook.ready()[1]!r}"


def reads_lists_in_pages(run):
    """No object of a long list is lost; a list whose next page is gone begins again."""
    server = run.server()
    server.page_limit = 7
    for i in range(40):
        server.put("namespaces", namespace(f"n-{i:02}"))
        server.put("rolebindings", binding("one", f"n-{i:02}"))
    server.put("clusterpodschedulingpolicies", kupid("x", {"matchLabels": {"tier": "x"}}, schedulerName="x"))
    expired = server.fail("list", "namespaces", status=410, when=lambda asked: "continue" in asked.query)
    webhook = run.start(server)
    if expired.times:
        yield "no second page was asked for"
    for i in range(40):
        if why := webhook.decide(f"n-{i:02}", "one"):
            yield f"n-{i:02}: {why}"
    starts = [asked for asked in server.requests("list", "namespaces") if "continue" not in asked.query]
    if len(starts) != 2:
        yield f"{len(starts)} lists were begun"
    if webhook.watch_metric("cluster_objects", "namespaces") != 42:
        yield f"objects: {webhook.watch_metric('cluster_objects', 'namespaces')}"


def reads_large_objects(run):
    """A page that is too long to be read comes in smaller ones: nobody keeps it from being ready with large objects."""
    server = run.server()
    for i in range(60):
        large = role(f"large-{i}")
        large["metadata"].update(namespace="other", annotations={"note": "x" * 300_000})
        server.put("roles", large)
    # After a refusal there is a connection to be used again.
    server.fail("list", "roles", status=503)
    webhook = run.start(server)
    if webhook.watch_metric("cluster_objects", "roles") != 60:
        yield f"roles: {webhook.watch_metric('cluster_objects', 'roles')}"
    limits = [int(asked.query["limit"]) for asked in server.requests("list", "roles")]
    # The refused one, two that are too long, and seven objects in each of nine: nothing is asked for twice.
    if limits != [500, 500, 62] + [7] * 9:
        yield f"the pages had {limits}"
    webhook.wait_allowed("shop", "one")


def goes_on_after_a_cut(run):
    """A watch that ends, in the middle of a line or as it should, goes on from the last version that was seen."""
    server = run.server()
    names = ("cut", "after-cut", "end", "after-end")
    for name in names:
        server.put("schedulingpolicies", scheduling_policy(name, name))
        server.put("clusterroles", role(name))
    webhook = run.start(server)
    # Of these nothing is written but by this test.
    resource = "rolebindings"
    wait_for_watch(server, resource, 0)
    for name, interrupt in (("cut", server.cut), ("end", server.end_watches)):
        server.put(resource, binding(name, "shop"))
        webhook.wait_allowed("shop", name)
        seen = server.get(resource, "shop", name)["metadata"]["resourceVersion"]
        before = len(server.requests("watch", resource))
        if interrupt(resource) != 1:
            yield "there is not one watch"
        server.put(resource, binding(f"after-{name}", "shop"))
        webhook.wait_allowed("shop", f"after-{name}")
        again = server.requests("watch", resource)[before]
        if again.query["resourceVersion"] != seen:
            yield f"{name}: it went on from {again.query['resourceVersion']}, not {seen}"
        wait_for_watch(server, resource, before)

    before = len(server.requests("watch", resource))
    marked = server.bookmark(resource)
    wait_until("the bookmark is sent", lambda: server.has_sent(resource, marked))
    server.end_watches(resource)
    wait_for_watch(server, resource, before)
    if int(last_watch(server, resource).query["resourceVersion"]) != marked:
        yield "a bookmark was not taken in"
    if last_watch(server, resource).query.get("allowWatchBookmarks") != "true":
        yield "no bookmarks are asked for"
    if len(server.requests("list", resource)) != 1:
        yield "it was listed again"


def lists_again_when_its_version_is_gone(run):
    """After 410, as an answer or as an event, and after what is no event: nothing is lost, nothing resurrected."""
    server = run.server()
    allow(server, "two")
    webhook = run.start(server)
    webhook.wait_allowed("shop", "two")
    for i, interrupt in enumerate((server.cut, server.expire, server.garble)):
        wait_for_watch(server, "rolebindings", 0)
        # The first watch after this gets 410; the others are told by an event.
        held = server.fail("watch", "rolebindings", hang=True) if interrupt == server.cut else None
        lists = len(server.requests("list", "rolebindings"))
        server.silence("rolebindings")
        allow(server, f"new-{i}")
        server.delete("rolebindings", "shop", "two" if i == 0 else f"new-{i - 1}")
        server.compact("rolebindings")
        interrupt("rolebindings")
        if held:
            server.heal()
        webhook.wait_allowed("shop", f"new-{i}")
        webhook.wait_denied("shop", "two" if i == 0 else f"new-{i - 1}")
        if len(server.requests("list", "rolebindings")) != lists + 1:
            yield f"{i}: listed {len(server.requests('list', 'rolebindings')) - lists} times"
        if webhook.decide("shop", "one"):
            yield f"{i}: what did not change was lost"
    if webhook.watch_metric("watch_lists_total", "rolebindings") != 4:
        yield f"lists: {webhook.watch_metric('watch_lists_total', 'rolebindings')}"


def lists_at_once_what_is_gone(run):
    """After 410 there is no pause, however long the server wants to be left alone; after another one there is."""
    server = run.server()
    webhook = run.start(server)
    wait_for_watch(server, "namespaces", 0)
    server.fail("watch", "namespaces", status=410, Retry_After="3600")
    server.cut("namespaces")
    wait_until("it is listed again", lambda: len(server.requests("list", "namespaces")) == 2)
    wait_for_watch(server, "namespaces", 2)
    server.put("namespaces", namespace("new"))
    server.put("rolebindings", binding("one", "new"))
    webhook.wait_allowed("new", "one")
    if webhook.watch_metric("watch_failures_total", "namespaces") != 2:  # the cut, and 410
        yield f"failures: {webhook.watch_metric('watch_failures_total', 'namespaces')}"
    # A server that lists well and watches badly is not asked for lists all the time.
    server.fail("watch", "namespaces", status=410, Retry_After="3600")
    server.cut("namespaces")
    wait_until("it is refused", lambda: webhook.watch_metric("watch_failures_total", "namespaces") == 4)
    if len(server.requests("list", "namespaces")) != 2:
        yield "it was listed at once again"


def is_content_with_a_quiet_server(run):
    """A watch of which nothing comes, because nothing happens, is no failure; one that missed something is."""
    server = run.server()
    webhook = run.start(server, "--stale-after", "2")
    resources = [resource for resource in TYPES if resource not in ("pods", "nodes")]
    wait_until("everything was listed several times",
               lambda: all(len(server.requests("list", resource)) > 4 for resource in resources))
    if failures := [resource for resource in resources if webhook.watch_metric("watch_failures_total", resource)]:
        yield f"{failures} failed; {webhook.errors()}"
    if webhook.ready() != (200, "ok\n"):
        yield f"ready says {webhook.ready()}"
    status, text = webhook.request("GET", "/readyz?verbose")
    if status != 200 or len(re.findall(r"^watched: \S+: heard of \d+ s ago$", text, re.MULTILINE)) != len(resources):
        yield f"ready says {text!r}"

    def misses(name):
        wait_for_watch(server, "namespaces", len(server.requests("watch", "namespaces")))
        server.silence("namespaces")
        server.put("namespaces", namespace(name))
        server.put("rolebindings", binding("one", name))
        webhook.wait_allowed(name, "one")
        return webhook.watch_metric("watch_failures_total", "namespaces") > 0
    # A watch may just have been given up when it is silenced.
    if not any(misses(f"missed-{i}") for i in range(5)):
        yield "what a watch misses is no failure"


def waits_as_it_is_asked_to(run):
    """429 is tried again after Retry-After, 500 after a pause, and what changed meanwhile is not lost."""
    server = run.server()
    webhook = run.start(server)
    for status, headers, least in ((429, {"Retry_After": "2"}, 2), (500, {}, 0.25), (503, {"Retry_After": "2"}, 2)):
        wait_for_watch(server, "schedulingpolicies", 0)
        before = len(server.requests("watch", "schedulingpolicies"))
        server.fail("watch", "schedulingpolicies", status=status, **headers)
        server.cut("schedulingpolicies")
        server.put("schedulingpolicies", scheduling_policy("one", "default-scheduler", f"after-{status}"))
        webhook.wait_allowed("shop", f"after-{status}")
        refused, again = server.requests("watch", "schedulingpolicies")[before:before + 2]
        if again.time - refused.time < least:
            yield f"{status}: it came again after {again.time - refused.time} s"
    if len(server.requests("list", "schedulingpolicies")) != 1:
        yield "it was listed again"
    if webhook.watch_metric("watch_failures_total", "schedulingpolicies") < 6:
        yield f"failures: {webhook.watch_metric('watch_failures_total', 'schedulingpolicies')}"


def outlives_the_server(run):
    """While the API server is away it decides by what it knows; when it is back it has what changed."""
    server = run.server()
    webhook = run.start(server)
    away(server, webhook)
    if why := webhook.decide("shop", "one"):
        yield f"a pod is denied without the API server: {why}"
    allow(server, "two")
    server.delete("rolebindings", "other", "one")
    server.start()
    webhook.wait_allowed("shop", "two")
    webhook.wait_denied("other", "one")
    if len(server.requests("list", "rolebindings")) < 2:
        yield "a server that was away may have another history, and was not asked for it"


def follows_a_server_that_is_set_back(run):
    """What a backup does not have is gone, although no event says so: the server was away, or its versions go back."""
    server = run.server()
    webhook = run.start(server)
    allow(server, "two")
    webhook.wait_allowed("shop", "two")
    away(server, webhook)
    server.forget("rolebindings", "shop", "two")
    server.start()
    webhook.wait_denied("shop", "two")
    # A watch that goes on, by an event that is older than the last one.
    allow(server, "two")
    webhook.wait_allowed("shop", "two")
    wait_for_watch(server, "rolebindings", 0)
    server.forget("rolebindings", "shop", "two")
    server.set_back("rolebindings")
    webhook.wait_denied("shop", "two")
    if why := webhook.decide("shop", "one"):
        yield f"what the backup has is denied: {why}"


def tells_of_a_kind_that_is_gone(run):
    """A CRD that is deleted under it: the last policies stay in force, and /readyz says that the kind is gone."""
    server = run.server()
    webhook = run.start(server)
    gone = server.fail("list", "schedulingpolicies", status=404, times=10**6)
    never = server.fail("watch", "schedulingpolicies", status=404, times=10**6)
    server.order("schedulingpolicies", "end")
    wait_until("the kind is missed", lambda: "does not know this kind" in webhook.ready()[1], lambda: webhook.ready()[1])
    if webhook.ready()[0] != 200 or "schedulingpolicies" not in webhook.ready()[1]:
        yield f"it says {webhook.ready()}"
    if why := webhook.decide("shop", "one"):
        yield f"a pod is denied without the kind: {why}"
    gone.times = never.times = 0
    server.heal()
    wait_until("the kind is back", lambda: "does not know" not in webhook.ready()[1], lambda: webhook.ready()[1])


def waits_for_what_its_watches_have_not_told(run):
    """What is not known yet is asked of again when the watch has told more, for a second; then it is denied."""
    server = run.server()
    waiting = run.start(server, "--wait-for-watch", "60000")
    for what, spec, come in (
            ("a namespace", {}, lambda: (server.put("namespaces", namespace("late")), server.put("rolebindings", binding("one", "late")))),
            ("a RuntimeClass", {"runtimeClassName": "late"}, lambda: server.put("runtimeclasses", {
                "metadata": {"name": "late"}, "handler": "runc"}))):
        in_namespace = "shop" if spec else "late"
        with concurrent.futures.ThreadPoolExecutor() as pool:
            asked = pool.submit(waiting.decide, in_namespace, "one", **spec)
            wait_until(f"{what} is waited for", lambda: waiting.metric("schedpol_http_waiting_for_change") == 1, waiting.errors)
            if waiting.request("GET", "/healthz")[0] != 200:
                yield "it is not healthy while it waits"
            come()
            if why := asked.result():
                yield f"a pod is denied although {what} comes: {why}"
    if not waiting.metric('schedpol_http_asked_again_total{path="/admit"}'):
        yield "nothing was asked for again"
    denied = 'schedpol_reviews_total{phase="Mutating",outcome="Denied"}'
    if waiting.metric(denied):
        yield "a denial that was not sent is counted"
    patient = run.start(server, "--wait-for-watch", "100")
    if not patient.decide("nowhere", "one"):
        yield "a pod without a grant is allowed"
    if patient.metric(denied) != 1:
        yield "a denial that was waited with is not counted once"


def waits_a_moment_for_a_binding(run):
    """A binding that the watch has not shown looks like none, so every denial waits a moment, and no longer."""
    server = run.server()
    webhook = run.start(server, "--wait-for-watch", "60000")
    tries = iter(range(1000))

    def is_asked_again():
        name = f"late-{next(tries)}"
        with concurrent.futures.ThreadPoolExecutor() as pool:
            asked = pool.submit(webhook.decide, "shop", name)
            allow(server, name)
            return asked.result() == "" and bool(webhook.metric('schedpol_http_asked_again_total{path="/admit"}'))
    wait_until("a pod is allowed by a binding that comes", is_asked_again, webhook.errors)
    if "no time" in webhook.decide("shop", "never"):
        yield "a pod that nothing is going to permit is kept until its deadline"


def takes_a_new_token(run):
    """The token that is in the file at the time is sent; one that is refused is no end."""
    server = run.server()
    webhook = run.start(server)
    wait_for_watch(server, "schedulingpolicies", 0)  # which may have the first token still
    server.set_token("token-2")
    before = len(server.requests("watch", "schedulingpolicies"))
    server.cut("schedulingpolicies")
    server.put("schedulingpolicies", scheduling_policy("one", "default-scheduler", "renewed"))
    webhook.wait_allowed("shop", "renewed")
    if server.requests("watch", "schedulingpolicies")[before].headers["Authorization"] != "Bearer token-2":
        yield "the new token was not sent"

    wait_for_watch(server, "schedulingpolicies", before)
    before = len(server.requests("watch", "schedulingpolicies"))
    server.token_file.unlink()
    server.cut("schedulingpolicies")
    wait_until("the token is missed", lambda: "no token can be read" in webhook.errors(), webhook.errors)
    server.set_token("token-3")
    server.put("schedulingpolicies", scheduling_policy("one", "default-scheduler", "again"))
    webhook.wait_allowed("shop", "again")
    if any("Authorization" not in asked.headers for asked in server.requests()):
        yield "something was asked for without a token"


def trusts_no_other_server(run):
    """A server whose certificate another CA has signed gets no token."""
    server, other = run.server(), run.server()
    server.ca_file = other.ca_file
    webhook = Webhook(run, server)
    wait_until("the certificate is refused", lambda: "certificate verify failed" in webhook.errors(), webhook.errors)
    if webhook.ready()[0] != 503 or "certificate verify failed" not in webhook.ready()[1]:
        yield f"ready says {webhook.ready()}"
    if server.requests():
        yield "it was asked something"


def tells_what_is_stale(run):
    """A watch in which nothing comes is begun anew, and an API server that says nothing at all shows."""
    server = run.server()
    webhook = run.start(server, "--stale-after", "2")
    wait_for_watch(server, "namespaces", 0)
    lists = len(server.requests("list", "namespaces"))
    server.silence("namespaces")
    wait_until("the silent watch was given up", lambda: len(server.requests("list", "namespaces")) > lists)

    server.fail("watch", "*", hang=True, times=10 ** 6)
    server.fail("list", "*", hang=True, times=10 ** 6)
    for resource in TYPES:
        server.cut(resource)
    wait_until("it is stale", lambda: "namespaces: no word of the API server for" in webhook.ready()[1],
               lambda: webhook.ready()[1])
    if webhook.ready()[0] != 200 or webhook.metric("schedpol_ready") != 1:
        yield f"what it knows is not used: {webhook.ready()}"
    if webhook.metric("schedpol_stale") < 1 or webhook.watch_metric("watch_age_seconds", "namespaces") < 2:
        yield "the metrics do not tell"
    if webhook.decide("shop", "one"):
        yield "a pod is denied by what it knows"
    server.heal()
    # Nothing is sent of bookmarks here, so that each watch lasts a second.
    wait_until("it has caught up", lambda: webhook.watch_metric("watch_age_seconds", "namespaces") < 2)


def a_bad_policy_harms_its_own_pods(run):
    """What cannot be used denies the pods that it speaks of, is told of, and gets Accepted=False."""
    server = run.server()
    webhook = run.start(server)

    def accepted(resource, in_namespace, name):
        found = server.get(resource, in_namespace, name)
        return next((one for one in found.get("status", {}).get("conditions", []) if one["type"] == "Accepted"), {})

    def wait_condition(resource, in_namespace, name, status, text=""):
        def is_there():
            condition = accepted(resource, in_namespace, name)
            found = server.get(resource, in_namespace, name)
            return condition.get("status") == status and text in condition.get("message", "") and \
                condition["observedGeneration"] == found["metadata"]["generation"]
        wait_until(f"{name} has Accepted={status}", is_there,
                   lambda: f"{server.get(resource, in_namespace, name)} {webhook.errors()}")

    wait_condition("schedulingpolicies", "", "one", "True")
    # A label key that the CRD lets through and the library refuses.
    server.put("metadatapolicies", metadata_policy("bad", "other", **{"no label!": "x"}))
    webhook.wait_denied("other", "one", "`bad`")
    wait_condition("metadatapolicies", "other", "bad", "False", "no label!")
    if accepted("metadatapolicies", "other", "bad").get("reason") != "Invalid":
        yield f"the condition is {accepted('metadatapolicies', 'other', 'bad')}"
    if why := webhook.decide("shop", "one"):
        yield f"a pod that it does not speak of is denied: {why}"
    allow(server, "two")
    webhook.wait_allowed("shop", "two")
    if "bad" not in webhook.ready()[1] or webhook.ready()[0] != 200 or webhook.metric("schedpol_engine_problems") < 1:
        yield f"ready says {webhook.ready()}"

    server.put("metadatapolicies", metadata_policy("bad", "other", good="x"))
    webhook.wait_allowed("other", "one")
    wait_condition("metadatapolicies", "other", "bad", "True")
    wait_until("nothing is wrong", lambda: webhook.ready()[1] == "ok\n", lambda: webhook.ready()[1])

    # What is not said to be what it is cannot even be read.
    server.put("resourcepolicies", {"metadata": {"name": "unread", "namespace": "other"}, "spec": {"units": 7}})
    wait_condition("resourcepolicies", "other", "unread", "False", "units")
    webhook.wait_denied("other", "one", "`unread`")
    if why := webhook.decide("shop", "one"):
        yield f"a pod that it does not speak of is denied: {why}"
    if "unread" not in webhook.ready()[1]:
        yield f"ready says {webhook.ready()}"
    server.delete("resourcepolicies", "other", "unread")
    webhook.wait_allowed("other", "one")

    written = server.requests("patch")
    for asked in written:
        if asked.query.get("fieldManager") != "schedpol-webhook" or not asked.path.endswith("/status"):
            yield f"a condition was written by {asked.path} {asked.query}"
    paths = [asked.path for asked in written]
    for path in set(paths):
        # `bad` was bad, then good.
        if paths.count(path) > (2 if path.endswith("/bad/status") else 1):
            yield f"{path} was written {paths.count(path)} times"


def writes_conditions_once(run):
    """A condition is tried again after an error, and its time changes only when it turns."""
    server = run.server()
    server.fail("patch", "schedulingpolicies", status=500)
    webhook = run.start(server)

    def condition():
        found = server.get("schedulingpolicies", "", "one")
        return next(iter(found.get("status", {}).get("conditions", [])), {})

    wait_until("it is accepted", lambda: condition().get("status") == "True", webhook.errors)
    if len(server.requests("patch", "schedulingpolicies")) != 2:
        yield f"{len(server.requests('patch', 'schedulingpolicies'))} patches"
    since = condition()["lastTransitionTime"]
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", since):
        yield f"the time is {since}"
    found = server.get("schedulingpolicies", "", "one")
    found["status"]["conditions"][0]["lastTransitionTime"] = "2020-01-01T00:00:00Z"
    found["spec"]["allowed"]["schedulerNames"].append("uno")
    server.put("schedulingpolicies", found)
    wait_until("the new one is accepted", lambda: condition()["observedGeneration"] == 2, webhook.errors)
    if condition()["lastTransitionTime"] != "2020-01-01T00:00:00Z":
        yield f"the time is {condition()['lastTransitionTime']}"
    webhook.wait_allowed("shop", "uno")

    # A status and an annotation are nothing new to the engine.
    generation = webhook.metric("schedpol_policy_generation")
    events = webhook.watch_metric("watch_events_total", "schedulingpolicies")
    found = server.get("schedulingpolicies", "", "one")
    found["status"]["other"] = 1
    server.put("schedulingpolicies", found)
    wait_until("it was seen", lambda: webhook.watch_metric("watch_events_total", "schedulingpolicies") > events)
    allow(server, "two")
    webhook.wait_allowed("shop", "two")
    if webhook.metric("schedpol_policy_generation") > generation + 3:
        yield "a status made an engine"
    if len(server.requests("patch", "schedulingpolicies")) > 4:
        yield f"{len(server.requests('patch', 'schedulingpolicies'))} patches"


def writes_conditions_side_by_side(run):
    """A condition that the server does not take in keeps no other one waiting."""
    server = run.server()
    server.put("schedulingpolicies", scheduling_policy("two", "two"))
    hanging = server.fail("patch", "schedulingpolicies", hang=True, times=10 ** 6,
                          when=lambda asked: asked.path.endswith("/one/status"))
    webhook = run.start(server)

    def is_accepted(name):
        conditions = server.get("schedulingpolicies", "", name).get("status", {}).get("conditions", [])
        return [one["status"] for one in conditions] == ["True"]
    wait_until("the other one is written", lambda: is_accepted("two"), webhook.errors)
    # What is to be said meanwhile waits for what is being written.
    server.put("schedulingpolicies", scheduling_policy("one", "default-scheduler", "uno"))
    webhook.wait_allowed("shop", "uno")
    if is_accepted("one") or len(server.requests("patch", "schedulingpolicies")) != 2:
        yield f"{len(server.requests('patch', 'schedulingpolicies'))} patches"
    server.failures.remove(hanging)
    server.heal()
    wait_until("it is written at last", lambda: server.get("schedulingpolicies", "", "one").get("status", {}).get(
        "conditions", [{}])[0].get("observedGeneration") == 2, webhook.errors)


def takes_a_new_configuration(run):
    """Which systems run changes with the file; a bad file changes nothing and is told of."""
    server = run.server()
    webhook = run.start(server)
    webhook.wait_denied("shop", "two", "`two`")
    webhook.configure(configuration("RuntimeClass"))
    webhook.wait_allowed("shop", "two")
    webhook.configure({"kind": "EngineConfiguration", "apiVersion": "schedpol.io/v1alpha1", "systems": []})
    wait_until("the bad one is told of", lambda: "`systems`" in webhook.ready()[1], lambda: webhook.ready()[1])
    webhook.configure([])
    wait_until("the worse one is told of", lambda: "must be a Kubernetes object" in webhook.ready()[1],
               lambda: webhook.ready()[1])
    if webhook.decide("shop", "two"):
        yield "a bad configuration is used"
    webhook.configure(configuration("SchedulingPolicy", access={"apiGroup": "other.example.com"}))
    webhook.wait_denied("shop", "one", "`spec`")
    webhook.configure(configuration("SchedulingPolicy", policyUse="Every"))
    webhook.wait_allowed("shop", "one")
    wait_until("nothing is wrong", lambda: webhook.ready()[1] == "ok\n", lambda: webhook.ready()[1])


def refuses_bad_options(run):
    """Status 2 where the flags are wrong, 1 where what they name is."""
    server = run.server()
    good = run.work / "good.json"
    good.write_text(json.dumps(configuration()))
    bad = run.work / "bad.json"
    bad.write_text(json.dumps({"kind": "List", "items": [configuration(), {"kind": "Namespace", **namespace("n")}]}))
    certificate = ["--cert", server.folder / "tls.crt", "--key", server.folder / "tls.key", "--listen", "127.0.0.1:0"]
    token, ca = ["--token-file", server.token_file], ["--ca-file", server.ca_file]
    settings = ["--configuration", good]
    for status, options in ((2, [*server.options()]), (2, [*settings]), (2, [*settings, "--in-cluster", *server.options()]),
                            (2, [*settings, *token, *ca]), (2, [*settings, "--policies", ".", *server.options()]),
                            (2, [*settings, "--in-cluster"]), (2, [*settings, "--api-server", "http://x", *token, *ca]),
                            (2, [*settings, "--api-server", "https://", *token, *ca]),
                            (2, [*settings, *server.options(), "--stale-after", "0"]),
                            (1, ["--configuration", bad, *server.options()]),
                            (1, ["--configuration", run.work / "none.json", *server.options()])):
        done = subprocess.run([run.program, *certificate, *options], capture_output=True, timeout=TIMEOUT_SECONDS,
                              check=False, env={})
        if done.returncode != status or not done.stderr or done.stdout:
            yield f"{options}: status {done.returncode}: {done.stdout + done.stderr}"
    if server.requests():
        yield "the API server was asked something"


CHECKS = [refuses_bad_options, follows_what_changes, is_ready_after_every_list, reads_lists_in_pages, reads_large_objects,
          goes_on_after_a_cut, lists_again_when_its_version_is_gone, lists_at_once_what_is_gone,
          is_content_with_a_quiet_server, waits_as_it_is_asked_to, outlives_the_server,
          follows_a_server_that_is_set_back, tells_of_a_kind_that_is_gone, waits_for_what_its_watches_have_not_told,
          waits_a_moment_for_a_binding, takes_a_new_token, trusts_no_other_server, tells_what_is_stale, a_bad_policy_harms_its_own_pods,
          writes_conditions_once, writes_conditions_side_by_side, takes_a_new_configuration]


def main():
    program, *chosen = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        run = Run(program, work)
        try:
            for check in CHECKS:
                if chosen and check.__name__ not in chosen:
                    continue
                begin = time.monotonic()
                problems = []
                try:
                    problems += check(run)
                except (TimeoutError, ValueError, OSError) as error:
                    problems.append(f"{type(error).__name__}: {error}")
                for problem in problems:
                    print(f"{check.__name__}: {problem}")
                failed += bool(problems)
                print(f"{'FAILED' if problems else 'ok'} {check.__name__} {time.monotonic() - begin:.1f} s", flush=True)
                run.clean_up()
        finally:
            run.clean_up()
    print(f"{len(chosen or CHECKS)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
