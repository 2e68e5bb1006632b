# SPDX-License-Identifier: Apache-2.0
"""What the example webhook hears while it only warns or audits, who may read it, and what the command line makes of it.

    rehearsal_test.py WEBHOOK CLI SOURCE_ROOT
"""

import contextlib
import json
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from webhook_test import TIMEOUT_SECONDS, Run, Server, deployment, pod, problems_of, response_of, review, wait_until  # noqa: E402  pylint: disable=wrong-import-position

SKIPPED = 77
MOST_NEEDS = 10_000
GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
HIDDEN = "requiredDuringSchedulingIgnoredDuringExecution"


# Policies: everybody may use the default scheduler, and a namespace says how strictly it is held to that.

def namespace(name, mode=None):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"schedpol.io/mode": mode} if mode else {}}}


def engine(*systems, **more):
    return {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration", "policyUse": "Rbac", "namespaceModes": {"weakest": "Audit"},
            "systems": [{"system": system} for system in systems or ("SchedulingPolicy",)],
            "templates": [{"group": "argoproj.io", "kind": "Rollout", "path": "spec.template"}], **more}


def policies(run, name, *objects, configuration=None):
    """A folder of policies, with these besides."""
    group = "rbac.authorization.k8s.io"
    everybody = [
        {"apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy", "metadata": {"name": "everyone"},
         "spec": {"allowed": {"schedulerNames": ["default-scheduler"]}}},
        {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": "use-everyone"}, "rules": [
            {"apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"], "resourceNames": ["everyone"], "verbs": ["use"]}]},
        {"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "use-everyone"},
         "subjects": [{"kind": "Group", "name": "system:serviceaccounts", "apiGroup": group}],
         "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "use-everyone"}}]
    folder = run.work / name
    folder.mkdir()
    for i, one in enumerate([configuration or engine(), *everybody, *objects]):
        (folder / f"{i}.json").write_text(json.dumps(one))
    return folder


MODES = (namespace("shop", "Warn"), namespace("quiet", "Audit"), namespace("strict"))


class Listener:
    """A webhook that knows one client, who may read what it heard."""

    def __init__(self, run, folder, *options):
        self.client = run.work / f"{folder.name}-client"
        self.client = run.make_client(self.client.name, run.certificate)
        self.server = Server(run, folder, "--drain", "0", "--open-reviews", "--client-ca-file", run.certificate / "ca.crt", *options)

    def needs(self):
        with contextlib.closing(self.server.connection(self.client)) as connection:
            status, body = self.server.request("GET", "/needs", connection=connection)
        if status != 200:
            raise ValueError(f"/needs: {status} {body[:200]}")
        return body.decode()

    def ask(self, body, path="/admit"):
        status, answer = self.server.request("POST", path, body)
        if status != 200:
            raise ValueError(f"{path}: {status} {answer[:200]}")
        return response_of(answer, "u-1")

    def heard(self):
        """The lines, once all that was asked before is in them."""
        mark = f"mark-{self.server.port}"
        before = [one for one in parsed(self.needs()) if one["subject"].endswith(mark)]
        wanted = 1 + (before[0]["count"] if before else 0)
        self.ask(review(pod("shop", service_account=mark, tolerations=[GPU])))
        wait_until("the mark is heard", lambda: any(
            one["subject"].endswith(mark) and one["count"] == wanted for one in parsed(self.needs())))
        return [one for one in parsed(self.needs()) if not one["subject"].endswith(mark)]


def parsed(lines):
    return [{**one["heard"], "object": one["request"]["object"]} for one in map(json.loads, lines.splitlines())]


def changed(body, **members):
    """A review with other members of its request."""
    document = json.loads(body)
    document["request"].update(members)
    return json.dumps(document).encode()


def owned(one, kind, name):
    one["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": "1", "controller": True}]
    return one


def of_a_daemon_set(node):
    """A pod as the DaemonSet controller makes it."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    one = pod(tolerations=[GPU, {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
              affinity={"nodeAffinity": {HIDDEN: {"nodeSelectorTerms": [term]}}})
    return owned({**one, "metadata": {"generateName": "agent-", "namespace": "shop"}}, "DaemonSet", "agent")


def of_a_replica_set(name):
    one = pod(tolerations=[GPU])
    one["metadata"] = {"name": name, "namespace": "shop", "labels": {"app": "web", "pod-template-hash": name}}
    return owned(one, "ReplicaSet", "web-1")


def with_name(one):
    return {**one, "metadata": {"name": "agent-x", **one["metadata"]}}


ROLLOUT = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "metadata": {"name": "canary", "namespace": "shop"},
           "spec": {"template": {"metadata": {}, "spec": pod(tolerations=[GPU])["spec"]}}}
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}}
LARGE = pod(tolerations=[{"key": f"{i:060}", "operator": "Exists"} for i in range(200)])
LONG = pod(tolerations=[GPU])
LONG["metadata"]["annotations"] = {"note": "x" * 200_000}
LONG["spec"]["containers"] *= 100

# What is asked for: name, reviews, what is heard of them: how often, an example, and what of the object tells.
HEARD = [
    ("a pod where the namespace warns", [review(pod(tolerations=[GPU]))], [(1, "Pod shop/p", "tolerations")]),
    ("a pod where it audits", [review(pod("quiet", tolerations=[GPU]))], [(1, "Pod quiet/p", "tolerations")]),
    ("a pod where it is enforced", [review(pod("strict", tolerations=[GPU]))], []),
    ("a pod that is allowed", [review(pod())], []),
    ("a dry run", [changed(review(pod(tolerations=[GPU])), dryRun=True)], []),
    ("a deletion", [review(pod(tolerations=[GPU]), operation="DELETE")], []),
    ("what has no pod", [review(CONFIG_MAP)], []),
    ("what is no review", [review(pod(tolerations=7))], []),
    ("a Deployment", [review(deployment(pod(tolerations=[GPU]), "shop"))], [(1, "Deployment shop/d", "tolerations")]),
    ("a custom resource that has a template", [review(ROLLOUT)], [(1, "Rollout shop/canary", "tolerations")]),
    ("replicas", [review(of_a_replica_set(name)) for name in ("web-1-a", "web-1-b", "web-1-c")], [(3, "Pod shop/web-1-a", "tolerations")]),
    ("replicas of a DaemonSet", [changed(review(with_name(of_a_daemon_set(node))), object=of_a_daemon_set(node)) for node in ("n-1", "n-2")],
     [(2, "Pod shop/agent-", "tolerations")]),
    ("what two accounts ask for", [review(pod(service_account=name, tolerations=[GPU])) for name in ("a", "b")],
     [(1, "Pod shop/p", "tolerations")] * 2),
    ("another need", [review(pod(nodeSelector={"pool": pool})) for pool in ("a", "b", "b")],
     [(2, "Pod shop/p", "nodeSelector"), (1, "Pod shop/p", "nodeSelector")]),
    ("an update that adds something", [review(pod(tolerations=[GPU], nodeName="n-1"), pod(nodeName="n-1"))],
     [(1, "Pod shop/p", "tolerations")]),
    ("a pod that names its node", [review(pod(nodeName="n-1"))], [(1, "Pod shop/p", "nodeName")]),
    ("what has much besides", [review(LONG)], [(1, "Pod shop/p", "tolerations")]),
    ("what is too large", [review(LARGE)], []),
]


def hears_each_need_once(run):
    for i, (name, reviews, wanted) in enumerate(HEARD):
        listener = Listener(run, policies(run, f"heard-{i}", *MODES))
        for one in reviews:
            listener.server.request("POST", "/admit", one)
        heard = listener.heard()
        got = [(one["count"], "{kind} {namespace}/{name}".format(**one["example"])) for one in heard]
        if got != [one[:2] for one in wanted]:
            yield f"{name}: {heard}"
        for one, (_, _, field) in zip(heard, wanted):
            spec = one["object"].get("spec") or one["object"]["template"]["spec"]
            spec = spec.get("template", {}).get("spec", spec)
            known = {"serviceAccountName", "schedulerName", field}
            if set(spec) != known or not one["denied"] or "name" in one["object"]["metadata"]:
                yield f"{name}: {one}"
            if one["subject"] != f"system:serviceaccount:{one['example']['namespace']}:{spec['serviceAccountName']}":
                yield f"{name}: {one['subject']}"
            if name == "a pod where the namespace warns" and one["denied"] != [
                    {"code": "TolerationNotAllowed", "field": "spec.tolerations[0]", "value": "nvidia.com/gpu Exists:NoSchedule"}]:
                yield f"{name}: {one['denied']}"
        too_large = listener.server.metric('schedpol_needs_dropped_total{reason="TooLarge"}')
        if (too_large or 0) != (name == "what is too large"):
            yield f"{name}: {too_large} are too large"
        listener.server.end()


def counts_what_both_webhooks_ask_about_once(run):
    listener = Listener(run, policies(run, "phases", *MODES))
    for path, times in (("/admit", 2), ("/validate", 3)):
        for _ in range(times):
            listener.ask(review(pod(tolerations=[GPU])), path)
    counts = [one["count"] for one in listener.heard()]
    if counts != [3]:
        yield f"{counts}"
    total = listener.server.metric("schedpol_needs_heard_total")
    if total != 6:
        yield f"{total} reviews were heard, with that of the mark"
    if listener.server.metric("schedpol_needs") != 2:
        yield f"{listener.server.metric('schedpol_needs')} needs"
    if (status := listener.server.end()) != 0:
        yield f"exit status {status}: {listener.server.errors()}"


def keeps_labels_that_systems_select_by(run):
    systems = ("MetadataPolicy", "PodSchedulingPolicy", "SchedulingPolicy")
    listener = Listener(run, policies(run, "labels", *MODES, configuration=engine(*systems)))
    for name in ("web-1-a", "web-1-b"):
        listener.ask(review(of_a_replica_set(name)))
    heard = listener.heard()
    if len(heard) != 1 or heard[0]["count"] != 2 or heard[0]["object"]["metadata"].get("labels") != {"app": "web"}:
        yield f"{heard}"
    # Of two containers what makes the pod Burstable, or Guaranteed, however much that is.
    for cpu, limits, wanted in (("1", {}, {"requests": {"cpu": "1"}}), ("2", {}, {"requests": {"cpu": "1"}}),
                                ("3", {"cpu": "3", "memory": "1Gi"}, {"requests": {"cpu": "1", "memory": "1"},
                                                                      "limits": {"cpu": "1", "memory": "1"}})):
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}, "limits": limits}}
        listener.ask(review(pod("quiet", tolerations=[GPU], containers=[container] * 2)))
        if not any(one["object"]["spec"].get("containers") == [{"resources": wanted}] for one in listener.heard()):
            yield f"{cpu}, {limits}: {listener.heard()}"
    if (counts := [one["count"] for one in listener.heard()]) != [2, 2, 1]:
        yield f"{counts}"


def changes_no_answer(run):
    folder = policies(run, "answers", *MODES)
    listener, plain = Listener(run, folder), Server(run, folder, "--drain", "0")
    for name, reviews, _ in HEARD:
        for path in ("/admit", "/validate"):
            answers = {server.request("POST", path, reviews[0]) for server in (listener.server, plain)}
            if len(answers) != 1:
                yield f"{name} at {path}: {answers}"


def is_read_by_known_clients_alone(run):
    known, stranger = run.make_client("known", run.certificate), run.make_client("stranger", run.make_certificate("another-ca"))
    token = run.work / "token"
    token.write_text("s3cret\n")
    by_certificate = ("--client-ca-file", run.certificate / "ca.crt")
    by_token = ("--client-token-file", token)
    good, bad = {"Authorization": "Bearer s3cret"}, {"Authorization": "Bearer s3cre"}
    folder = policies(run, "readers", *MODES)
    # The options; of who shows a certificate or a token the status of /needs and of a review.
    cases = [((), [(None, {}, 403, 200), (None, good, 403, 200)]),
             (by_certificate, [(known, {}, 200, 200), (None, {}, 401, 401), (None, good, 401, 401)]),
             (by_token, [(None, good, 200, 200), (None, {}, 401, 401), (None, bad, 401, 401)]),
             ((*by_certificate, *by_token), [(known, {}, 200, 200), (None, good, 200, 200), (None, bad, 401, 401)]),
             ((*by_certificate, "--open-reviews"), [(known, {}, 200, 200), (None, {}, 401, 200)]),
             ((*by_token, "--open-reviews"), [(None, good, 200, 200), (None, {}, 401, 200)])]
    for options, clients in cases:
        server = Server(run, folder, "--drain", "0", *options)
        for client, headers, needs, reviews in clients:
            with contextlib.closing(server.connection(client)) as connection:
                got = [server.request("GET", "/needs", connection=connection, **headers)[0],
                       server.request("POST", "/admit", review(pod()), connection, **headers)[0],
                       server.request("GET", "/healthz", connection=connection)[0]]
            if got != [needs, reviews, 200]:
                yield f"{options}: {client}, {headers}: {got}"
        if "--client-ca-file" in options:
            with contextlib.suppress(ssl.SSLError, ConnectionError), contextlib.closing(server.connection(stranger)) as connection:
                yield f"{options}: a stranger is answered: {server.request('GET', '/needs', connection=connection)}"
        if server.request("POST", "/needs", b"{}")[0] != 405:
            yield f"{options}: a POST"
        server.end()
    done = subprocess.run([run.program, "--policies", folder, "--cert", "c", "--key", "k", "--open-reviews"], capture_output=True,
                          timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode != 2 or b"--open-reviews needs" not in done.stderr:
        yield f"nobody is known: {done}"


def keeps_no_more_than_it_may(run):
    """The 10,001st makes room: the rarest go, of these the one that was not heard for longest."""
    listener = Listener(run, policies(run, "many", *MODES))
    names = [f"n-{2 * MOST_NEEDS - i}" for i in range(MOST_NEEDS + 1)]
    with contextlib.closing(listener.server.connection()) as connection:
        listener.server.request("POST", "/admit", review(pod(nodeSelector={"pool": names[0]})), connection)
        for i, name in enumerate(names):
            listener.server.request("POST", "/admit", review(pod(nodeSelector={"pool": name})), connection)
            # So many wait at a time without one that is left out.
            if i % 500 == 499:
                listener.server.wait_for_metric("schedpol_needs", i + 1)
    wait_until("one is dropped", lambda: listener.server.metric('schedpol_needs_dropped_total{reason="Rare"}') == 1)
    heard = [one["object"]["spec"]["nodeSelector"]["pool"] for one in parsed(listener.needs())]
    if heard[0] != names[0] or len(heard) != MOST_NEEDS or set(names) - set(heard) != {names[1]}:
        yield f"{len(heard)} are kept, without {set(names) - set(heard)}, {heard[0]} first"


def keeps_no_more_bytes_than_it_may(run):
    """A quarter of what may be in flight; whoever reads it gets all of that."""
    listener = Listener(run, policies(run, "bytes", *MODES), "--max-in-flight", "1")
    for i in range(40):
        affinity = [{"matchExpressions": [{"key": "k", "operator": "In", "values": [f"{i:03}-{j}-{'x' * 50}" for j in range(160)]}]}]
        listener.ask(review(pod(affinity={"nodeAffinity": {HIDDEN: {"nodeSelectorTerms": affinity}}})))
    wait_until("some are dropped", lambda: (listener.server.metric('schedpol_needs_dropped_total{reason="Rare"}') or 0) > 5)
    if not 200_000 < len(listener.needs()) <= 1 << 18:
        yield f"{len(listener.needs())} bytes"
    with listener.server.half_a_request(b" " * 600_000), contextlib.closing(listener.server.connection(listener.client)) as connection:
        status, answer = listener.server.request("GET", "/needs", connection=connection)
        if status != 503:
            yield f"beside as much as may be in flight: {status} {answer[:200]}"
    listener.server.wait_for_metric("schedpol_http_bytes_in_flight", 0)
    listener.needs()


# The way from a rehearsal to policies that are enforced.

PODS = [pod(tolerations=[GPU], service_account="trainer"), pod(nodeSelector={"pool": "batch"}, schedulerName="volcano"),
        pod(affinity={"nodeAffinity": {HIDDEN: {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b", "a"]}]}]}}}, service_account="web"),
        pod(affinity={"podAntiAffinity": {HIDDEN: [{"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}]}}),
        deployment(pod(priorityClassName="high", service_account="web"), "shop"), ROLLOUT, of_a_replica_set("web-1-a")]


def what_was_heard_is_allowed_once_it_is_enforced(run):
    folder = policies(run, "rehearsal", *MODES)
    listener = Listener(run, folder)
    for one in PODS:
        if not listener.ask(review(one)).get("warnings"):
            yield f"nobody is warned: {one}"
    listener.heard()
    (run.work / "needs.jsonl").write_text(listener.needs())
    suggested = subprocess.run([run.cli, "suggest", "--from", run.work / "needs.jsonl", "--existing", folder], capture_output=True,
                               timeout=TIMEOUT_SECONDS, check=False)
    if suggested.returncode != 0 or b"# Proof, by deciding: 8 objects allowed;" not in suggested.stdout:
        yield f"suggest: {suggested.returncode} {suggested.stdout.decode()} {suggested.stderr.decode()}"
    if not re.search(rb"# heard 1 time, of 1 service account, such as Deployment shop/d\n", suggested.stdout):
        yield f"nothing is said of who was heard: {suggested.stdout.decode()}"
    enforcing = policies(run, "enforced", namespace("shop"))
    (enforcing / "suggested.yaml").write_bytes(suggested.stdout)
    server = Server(run, enforcing, "--drain", "0")
    def is_allowed(one):
        return response_of(server.request("POST", "/admit", review(one))[1], "u-1")["allowed"]
    for one in PODS:
        if not is_allowed(one):
            yield f"denied: {one}"
    for one in (pod(tolerations=[{**GPU, "key": "dedicated"}], service_account="trainer"), pod(tolerations=[GPU], service_account="other")):
        if is_allowed(one):
            yield f"allowed: {one}"
    again = subprocess.run([run.cli, "suggest", "--from", run.work / "needs.jsonl", "--existing", enforcing], capture_output=True,
                           timeout=TIMEOUT_SECONDS, check=False)
    if again.returncode != 0 or b": 0 policies with 0 entries, 0 bindings.\n" not in again.stdout:
        yield f"once they are there: {again.stdout.decode()}"


CHECKS = (hears_each_need_once, counts_what_both_webhooks_ask_about_once, keeps_labels_that_systems_select_by, changes_no_answer,
          is_read_by_known_clients_alone, keeps_no_more_than_it_may, keeps_no_more_bytes_than_it_may,
          what_was_heard_is_allowed_once_it_is_enforced)


def main():
    if len(sys.argv) != 4:
        print(__doc__)
        return 1
    if shutil.which("openssl") is None:
        print("SKIPPED: openssl not here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        run = Run(sys.argv[1], sys.argv[3], work)
        run.cli = sys.argv[2]
        try:
            failed = [check for check in CHECKS if problems_of(check, run)]
        finally:
            run.clean_up()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
