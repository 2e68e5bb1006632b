# SPDX-License-Identifier: Apache-2.0
"""The example webhook as a process: reviews over HTTPS, refusals, policies and certificates that change
under it, slow clients, and its end.

    webhook_test.py PATH_TO_WEBHOOK_BINARY SOURCE_ROOT
"""

import base64
import concurrent.futures
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import warnings

TIMEOUT_SECONDS = 120  # for whatever has to happen at some time; nothing depends on when
MEBIBYTE = 1 << 20
REVIEW_HEAD = b"POST /admit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
CUT_OFF = 0  # what curl has for a status when the connection ends before one


# Reviews.

def pod(namespace="shop", labels=None, service_account="default", **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "p", "namespace": namespace, "labels": labels or {}},
            "spec": {"serviceAccountName": service_account, "schedulerName": "default-scheduler",
                     "containers": [{"name": "c", "image": "registry.example.com/c"}], **spec}}


def deployment(template, namespace):
    template = {key: template[key] for key in ("metadata", "spec")}
    template["metadata"] = {"labels": template["metadata"]["labels"]}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": namespace},
            "spec": {"selector": {"matchLabels": template["metadata"]["labels"]}, "template": template}}


def review(new, old=None, uid="u-1", operation=None):
    group, version = new["apiVersion"].split("/") if "/" in new["apiVersion"] else ("", new["apiVersion"])
    kind = {"group": group, "version": version, "kind": new["kind"]}
    request = {"uid": uid, "kind": kind, "name": new["metadata"]["name"],
               "namespace": new["metadata"]["namespace"],
               "operation": operation or ("UPDATE" if old else "CREATE"), "object": new}
    if old:
        request["oldObject"] = old
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).encode()


def patched(document, patch):
    """The document with a JSON Patch of the operations that a webhook needs."""
    document = json.loads(json.dumps(document))
    for operation in patch:
        *path, last = [token.replace("~1", "/").replace("~0", "~") for token in operation["path"].split("/")[1:]]
        at = document
        for token in path:
            at = at[int(token) if isinstance(at, list) else token]
        if isinstance(at, list):
            index = len(at) if last == "-" else int(last)
            if operation["op"] == "add":
                at.insert(index, operation["value"])
            else:
                at[index] = operation["value"]
        elif operation["op"] == "remove":
            del at[last]
        else:
            at[last] = operation["value"]
    return document


# What an answer has to be: a function of the HTTP status and the bytes that tells what is wrong, or None.

def response_of(body, uid):
    answer = json.loads(body)
    if answer.get("apiVersion") != "admission.k8s.io/v1" or answer.get("kind") != "AdmissionReview":
        raise ValueError("no AdmissionReview")
    if answer["response"].get("uid") != uid:
        raise ValueError(f"the uid is {answer['response'].get('uid')!r}, not {uid!r}")
    return answer["response"]


def allowed(new=None, uid="u-1", **wanted):
    """Allowed; without `new` and no patch, else with a patch that leads to the wanted fields of the pod's spec."""
    def problem(status, body):
        response = response_of(body, uid)
        if status != 200 or response["allowed"] is not True:
            return "not allowed"
        if new is None:
            return "there is a patch" if "patch" in response or "patchType" in response else None
        if response.get("patchType") != "JSONPatch":
            return "there is no JSONPatch"
        result = patched(new, json.loads(base64.b64decode(response["patch"], validate=True)))
        spec = result["spec"] if new["kind"] == "Pod" else result["spec"]["template"]["spec"]
        got = {key: spec.get(key) for key in wanted}
        return None if got == wanted else f"patched to {got}"
    return problem


def denied(*words, status=200, code=403, uid="u-1"):
    """Denied, without a patch, in a message that has the words."""
    def problem(got, body):
        response = response_of(body, uid)
        if got != status or response["allowed"] is not False or "patch" in response:
            return "not denied as it should be"
        if response["status"]["code"] != code:
            return f"the code is {response['status']['code']}"
        missing = [word for word in words if word not in response["status"]["message"]]
        return f"the message lacks {missing}" if missing else None
    return problem


def refused(*statuses):
    """An HTTP error that cannot be taken for an answer."""
    def problem(status, body):
        if b"AdmissionReview" in body or b"allowed" in body:
            return "it looks like an answer"
        return None if status in statuses else f"not one of {statuses}"
    return problem


def says(status, text):
    def problem(got, body):
        return None if got == status and re.search(text, body.decode(), re.MULTILINE) else f"not {status} with {text}"
    return problem


AMD64 = {"kubernetes.io/arch": "amd64"}
BARE = pod()
COMPLETE = pod(nodeSelector={**AMD64, "pool": "general"})
BATCH = pod("reports", {"tier": "batch"}, "nightly")
SPOT = [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}]
KATA = pod("default", runtimeClassName="kata")
GPU = [{"key": "gpu", "operator": "Exists"}]
OWN = [{"key": "spot", "operator": "Equal", "value": "own", "effect": "NoExecute"}]


def given(tolerations):
    """A pod of `reports` as it is stored, but for its tolerations."""
    return pod("reports", {"tier": "batch"}, "nightly", schedulerName="batch-scheduler", priorityClassName="low",
               nodeSelector={**AMD64, "pool": "spot"}, tolerations=tolerations)


OTHER_SCHEDULER = pod("default", schedulerName="my-scheduler")
TWO_LENGTHS = ("Transfer-Encoding: chunked", "Content-Length: 5")

JSON = ("Content-Type: application/json",)
POST, NO_BODY = "POST", b""

# With the policies of the example: name, method, path, headers, body, what the answer has to be.
CASES = [
    ("a pod gets what policies inject and default", POST, "/admit", JSON, review(BARE),
     allowed(BARE, nodeSelector={**AMD64, "pool": "general"})),
    ("a pod that has it all gets no patch", POST, "/admit", JSON, review(COMPLETE), allowed()),
    ("a RuntimeClass adds what its policy exempts", POST, "/admit", JSON, review(KATA),
     allowed(KATA, nodeSelector={**AMD64, "sandbox": "kata"}, overhead={"cpu": "250m", "memory": "160Mi"},
             tolerations=[{"key": "sandboxed", "operator": "Exists", "effect": "NoSchedule"}])),
    ("a Deployment is patched in its template", POST, "/admit", JSON, review(deployment(BATCH, "reports")),
     allowed(deployment(BATCH, "reports"), schedulerName="batch-scheduler", priorityClassName="low",
             nodeSelector={**AMD64, "pool": "spot"}, tolerations=SPOT)),
    ("a denial names policy and field", POST, "/admit", JSON, review(OTHER_SCHEDULER),
     denied("`spec.schedulerName`", "`my-scheduler`", "`everyone`")),
    ("a denied Deployment names the field of its template", POST, "/admit", JSON,
     review(deployment(OTHER_SCHEDULER, "default")), denied("`spec.template.spec.schedulerName`", "`everyone`")),
    ("only a service account that may use a policy has it", POST, "/admit", JSON,
     review(pod("reports", {"tier": "batch"})), denied("`batch-scheduler`", "`everyone`")),
    ("a namespace that is not known is no way around", POST, "/admit", JSON, review(pod("nowhere")),
     denied("`metadata.namespace`", "`nowhere`")),
    ("an update that adds nothing", POST, "/admit", JSON, review(OTHER_SCHEDULER, OTHER_SCHEDULER), allowed()),
    ("an update that adds a toleration", POST, "/admit", JSON,
     review(pod("default", nodeSelector=AMD64, tolerations=GPU), pod("default", nodeSelector=AMD64)),
     denied("`spec.tolerations[0]`", "`everyone`")),
    ("an update that drops what the pod was given gets it back", POST, "/admit", JSON,
     review(given(OWN), given(OWN + SPOT)), allowed(given(OWN), tolerations=OWN + SPOT)),
    ("a deletion", POST, "/admit", JSON, review(OTHER_SCHEDULER, operation="DELETE"), allowed()),
    ("validating: no patch", POST, "/validate", JSON, review(COMPLETE), allowed()),
    ("validating: a default is not filled in", POST, "/validate", JSON, review(pod("default")),
     denied("`spec.nodeSelector[kubernetes.io/arch]`", "`everyone`")),
    ("a charset changes nothing", POST, "/admit", ("Content-Type: Application/JSON; charset=utf-8",),
     review(COMPLETE), allowed()),
    ("a chunked body", POST, "/admit", (*JSON, "Transfer-Encoding: chunked"), review(COMPLETE), allowed()),
    ("a body as large as may be", POST, "/admit", JSON, review(COMPLETE).ljust(8 * MEBIBYTE), allowed()),

    ("no JSON", POST, "/admit", JSON, b"allow everything", denied(status=400, code=400, uid="")),
    ("no bytes", POST, "/admit", JSON, b"", denied(status=400, code=400, uid="")),
    ("a truncated review", POST, "/admit", JSON, review(COMPLETE)[:-1], denied(status=400, code=400, uid="")),
    ("no AdmissionReview", POST, "/validate", JSON, json.dumps(BARE).encode(), denied(status=400, code=400, uid="")),
    ("too deep", POST, "/admit", JSON, b"[" * 100000 + b"]" * 100000, denied(status=400, code=413, uid="")),
    ("a broken pod with a uid", POST, "/admit", JSON, review(pod(schedulerName=7)),
     denied("`request.object.spec.schedulerName`", code=400)),
    ("a key twice", POST, "/admit", JSON,
     review(COMPLETE).replace(b'"kind": "Pod", "meta', b'"kind": "Pod", "kind": "Pod", "meta'), denied(code=400)),
    ("a body one byte too large", POST, "/admit", JSON, review(COMPLETE).ljust(8 * MEBIBYTE + 1), refused(413)),
    ("a chunked body one byte too large", POST, "/admit", (*JSON, "Transfer-Encoding: chunked"),
     review(COMPLETE).ljust(8 * MEBIBYTE + 1), refused(413)),
    ("a chunked body that is much too large", POST, "/admit", (*JSON, "Transfer-Encoding: chunked"),
     review(COMPLETE).ljust(40 * MEBIBYTE), refused(413, CUT_OFF)),
    ("another content type", POST, "/admit", ("Content-Type: text/plain",), review(COMPLETE), refused(415)),
    ("no content type", POST, "/admit", ("Content-Type:",), review(COMPLETE), refused(415)),
    ("a type that only begins like JSON", POST, "/admit", ("Content-Type: application/jsonp",), review(COMPLETE),
     refused(415)),
    ("a compressed body", POST, "/admit", (*JSON, "Content-Encoding: gzip"), review(COMPLETE), refused(415)),
    ("no length", POST, "/admit", (*JSON, "Content-Length:"), None, refused(411)),
    ("two lengths", POST, "/admit", (*JSON, *TWO_LENGTHS), b"{}", refused(400)),
    ("a length that is no number", POST, "/admit", (*JSON, "Content-Length: 2x"), b"{}", refused(400)),
    ("more is expected than can be", POST, "/admit", (*JSON, "Expect: 200-ok"), review(COMPLETE), refused(417)),
    ("GET of a review", "GET", "/admit", (), None, refused(405)),
    ("GET of a validation", "GET", "/validate", (), None, refused(405)),
    ("PUT of a review", "PUT", "/admit", JSON, review(COMPLETE), refused(405)),
    ("POST of a probe", POST, "/healthz", JSON, b"{}", refused(405)),
    ("a probe with a body", "GET", "/healthz", JSON, b"{}", refused(400)),
    ("an unknown path", "GET", "/", (), None, refused(404)),
    ("an unknown path with a body", POST, "/admit/", JSON, review(COMPLETE), refused(404)),
    ("alive", "GET", "/healthz", (), None, says(200, "^ok$")),
    ("ready", "GET", "/readyz", (), None, says(200, "^ok$")),
]


# The server and its clients.

def wait_until(what, condition):
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited in vain until {what}")
        time.sleep(0.02)


class Server:
    """A running webhook. Its error output is checked by whoever expects some."""

    def __init__(self, run, policies, *options, certificate=None, **environment):
        self.run = run
        self.certificate = certificate or run.certificate
        self.errors_path = run.work / f"stderr-{next(run.numbers)}"
        with open(self.errors_path, "wb") as errors:
            self.process = subprocess.Popen(
                [run.program, "--policies", policies, "--cert", self.certificate / "tls.crt",
                 "--key", self.certificate / "tls.key", "--listen", "127.0.0.1:0", *options],
                stdout=subprocess.PIPE, stderr=errors, env={**os.environ, **environment})
        run.servers.append(self)
        line = self.process.stdout.readline().decode()
        match = re.fullmatch(r"listening on https://127\.0\.0\.1:(\d+)\n", line)
        if not match:
            raise ValueError(f"the server says {line!r}: {self.errors()}")
        self.port = int(match[1])

    def errors(self):
        return self.errors_path.read_text(encoding="utf-8", errors="replace")

    def tls(self):
        return ssl.create_default_context(cafile=self.certificate / "ca.crt")

    def connection(self, client=None):
        """One of a client with the certificate in a folder, if any."""
        tls = self.tls()
        if client:
            tls.load_cert_chain(client / "tls.crt", client / "tls.key")
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS, context=tls)

    def request(self, method, path, body=None, connection=None, **headers):
        one = connection or self.connection()
        one.request(method, path, body, {**headers, **({"Content-Type": "application/json"} if body else {})})
        response = one.getresponse()
        answer = response.status, response.read()
        if connection is None:
            one.close()
        return answer

    def metric(self, name):
        _, text = self.request("GET", "/metrics")
        values = [line.rsplit(" ", 1)[1] for line in text.decode().splitlines() if line.rsplit(" ", 1)[0] == name]
        return float(values[0]) if values else None

    def wait_for_metric(self, name, value):
        wait_until(f"{name} is {value}", lambda: self.metric(name) == value)

    def raw(self):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_SECONDS)
        return self.tls().wrap_socket(plain, server_hostname="127.0.0.1")

    def half_a_request(self, body):
        """A connection that has sent a request but for the second half of its body, which the server waits for."""
        before = self.metric("schedpol_http_bytes_in_flight")
        one = self.raw()
        one.sendall(REVIEW_HEAD % len(body) + b"\r\n" + body[:len(body) // 2])
        self.wait_for_metric("schedpol_http_bytes_in_flight", before + len(body))
        return one

    def is_listening(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_SECONDS).close()
            return True
        except OSError:
            return False

    def end(self):
        """Asks it to end; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(TIMEOUT_SECONDS)


def read_all(connection):
    """What comes until the other side closes; a connection that is reset has sent nothing more either."""
    data = b""
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        while part := connection.recv(65536):
            data += part
    return data


class Run:
    def __init__(self, program, root, work):
        self.program, self.root, self.work = program, pathlib.Path(root), pathlib.Path(work)
        self.servers = []
        self.numbers = itertools.count()
        self.certificate = self.make_certificate("certificate")
        self.example_policies = self.root / "examples/webhook/policies"

    def make_certificate(self, name):
        subprocess.run(["sh", self.root / "examples/manifests/make_certificate.sh", self.work / name, "127.0.0.1"],
                       check=True, capture_output=True, timeout=TIMEOUT_SECONDS)
        return self.work / name

    def make_client(self, name, authority, usage="clientAuth"):
        """A folder with a certificate that the CA of another folder has signed."""
        folder = self.work / name
        folder.mkdir()
        (folder / "x.cnf").write_text(f"[x]\nextendedKeyUsage={usage}\n")
        for command in (["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                         "/CN=client", "-keyout", "tls.key", "-out", "tls.csr"],
                        ["x509", "-req", "-in", "tls.csr", "-CA", authority / "ca.crt", "-CAkey", authority / "ca.key",
                         "-set_serial", "7", "-days", "2", "-extfile", "x.cnf", "-extensions", "x", "-out", "tls.crt"]):
            subprocess.run(["openssl", *command], check=True, capture_output=True, timeout=TIMEOUT_SECONDS, cwd=folder)
        return folder

    def clean_up(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
            server.process.wait()
            server.process.stdout.close()


class ConfigMap:
    """A directory of policies as a ConfigMap volume has it: names that lead through ..data, which is swapped."""

    def __init__(self, path):
        self.path = path
        self.version = 0
        path.mkdir()

    def put(self, files):
        self.version += 1
        data = self.path / f"..{self.version}"
        data.mkdir()
        for name, document in files.items():
            (data / name).write_text(document if isinstance(document, str) else json.dumps(document))
            if not (self.path / name).is_symlink():
                (self.path / name).symlink_to(pathlib.Path("..data") / name)
        (self.path / "..new").symlink_to(data.name)
        (self.path / "..new").rename(self.path / "..data")


def policy_set(name):
    """Two policies, in files of their own, that set the same letter; scheduler `only-NAME` is allowed."""
    return {
        "engine.json": {"kind": "EngineConfiguration", "apiVersion": "schedpol.io/v1alpha1", "policyUse": "Every",
                        "systems": [{"system": "MetadataPolicy"}, {"system": "SchedulingPolicy"}]},
        "metadata.json": {"kind": "MetadataPolicy", "metadata": {"name": "m", "namespace": "shop"},
                          "spec": {"rules": [{"policyPredicate": {"labelSelector": {}},
                                              "policyAction": {"updatedLabels": {"set": name}}}]}},
        "scheduling.json": {"kind": "SchedulingPolicy", "metadata": {"name": f"policy-{name}"},
                            "spec": {"allowed": {"schedulerNames": ["default-scheduler", f"only-{name}"]},
                                     "default": {"nodeSelector": {"set": name}}}},
    }


def bad_set(name):
    """Files of which none can be read."""
    return {file: json.dumps(document)[:-1] for file, document in policy_set(name).items()}


# The checks. Each yields what is wrong.

def refuses_bad_options(run):
    """Status 2 and what is wrong; nothing is listened on."""
    good = ["--policies", ".", "--cert", "c", "--key", "k", "--listen", "127.0.0.1:0"]
    for bad in ([], good[:-1], good[2:], [*good, "--drain", "-1"], [*good, "--drain", "1s"], [*good, "--io-threads", "0"],
                [*good, "--worker-threads", ""], [*good, "--answer-within", "0"], [*good, "--failure-policy", "ignore"],
                [*good, "--client-ca-file", ""], [*good, "--listen", "8443"], [*good, "--listen", "127.0.0.1:65536"],
                [*good, "--listen", ":1"], [*good, "--polices", "."], [*good, "more"]):
        done = subprocess.run([run.program, *bad], capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
        if done.returncode != 2 or not done.stderr or done.stdout:
            yield f"{bad}: status {done.returncode}, {done.stdout + done.stderr}"
    done = subprocess.run([run.program, *good], capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode != 1 or done.stdout or b"c, k: no certificate" not in done.stderr:
        yield f"no certificate: status {done.returncode}, {done.stdout + done.stderr}"


def answers_each_request(run):
    """The table above, by curl, and what /metrics says about it."""
    server = Server(run, run.example_policies, "--drain", "0")
    body_path = run.work / "body"
    for name, method, path, headers, body, problem in CASES:
        command = ["curl", "-sS", "--cacert", run.certificate / "ca.crt", "--max-time", str(TIMEOUT_SECONDS),
                   "-o", body_path, "-w", "%{http_code}", "-X", method, f"https://127.0.0.1:{server.port}{path}"]
        for header in (*headers, "Expect:"):
            command += ["-H", header]
        if body is not None:
            command += ["--data-binary", "@-"]
        body_path.write_bytes(b"")
        done = subprocess.run(command, input=body or b"", capture_output=True, timeout=2 * TIMEOUT_SECONDS, check=False)
        answer = body_path.read_bytes()
        try:
            wrong = problem(int(done.stdout), answer)
        except (ValueError, KeyError, IndexError, TypeError) as error:
            wrong = f"{type(error).__name__} {error}"
        if wrong:
            yield f"{name}: {wrong}: {done.stdout.decode()} {answer[:600]!r} {done.stderr.decode()}"
    for name, at_least in (('reviews_total{phase="Mutating",outcome="Allowed"}', 5),
                           ('reviews_total{phase="Mutating",outcome="Denied"}', 5),
                           ('reviews_total{phase="Mutating",outcome="Passed"}', 1),
                           ('reviews_total{phase="Mutating",outcome="Malformed"}', 6),
                           ('reviews_total{phase="Validating",outcome="Denied"}', 1),
                           ('review_duration_seconds_bucket{phase="Mutating",le="+Inf"}', 16),
                           ('review_duration_seconds_count{phase="Validating"}', 3),
                           ('review_duration_seconds_sum{phase="Mutating"}', 1e-6),
                           ('http_requests_total{path="/admit",code="413"}', 3),
                           ('http_requests_total{path="/admit",code="417"}', 1),
                           ('http_requests_total{path="other",code="404"}', 2),
                           ('decisions_total{system="SchedulingPolicy",mode="Enforce",outcome="Denied"}', 5),
                           ('decisions_total{system="PodSchedulingPolicy",mode="Enforce",outcome="Changed"}', 2),
                           ('denials_total{system="SchedulingPolicy",mode="Enforce",policy="everyone"}', 5),
                           ("policy_generation", 1), ("ready", 1), ("stale", 0), ("engine_problems", 0),
                           ('policy_reloads_total{result="good"}', 1), ('policy_reloads_total{result="bad"}', 0),
                           ("http_connections", 1), ("http_bytes_in_flight", 0),
                           ('certificate_reloads_total{result="good"}', 1),
                           ("certificate_not_after_seconds", time.time())):
        value = server.metric(f"schedpol_{name}")
        if value is None or value < at_least or (at_least < 2 and value > 1):
            yield f"the metric {name} is {value}"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def keeps_requests_apart(run):
    """Headers and body of a request that is refused unread are never taken for another one."""
    server = Server(run, run.example_policies, "--drain", "0")
    inner = REVIEW_HEAD % 2 + b"\r\n{}"
    for head in (b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n",
                 b"POST /admit HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n",
                 b"PUT /admit HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n",
                 b"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"):
        with server.raw() as connection:
            connection.sendall(head % len(inner))
            # In a TLS record of its own, which waits in the socket. The connection may be closed by then.
            with contextlib.suppress(OSError):
                connection.sendall(inner)
            answer = read_all(connection)
        if answer.count(b"HTTP/1.1 ") != 1 or b"AdmissionReview" in answer:
            yield f"{head!r}: {answer!r}"
    # Requests that come together are answered each, in their order.
    uids = [f"u-{i}" for i in range(5)]
    bodies = [review(COMPLETE, uid=uid) for uid in uids]
    with server.raw() as connection:
        connection.sendall(b"".join(REVIEW_HEAD % len(body) + b"\r\n" + body for body in bodies[:-1]) +
                           REVIEW_HEAD % len(bodies[-1]) + b"Connection: close\r\n\r\n" + bodies[-1])
        answer = read_all(connection)
    if (got := re.findall(rb'"uid":"([^"]*)"', answer)) != [uid.encode() for uid in uids]:
        yield f"of five requests at once {got} are answered"
    # A head that never ends.
    with server.raw() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        with contextlib.suppress(OSError):
            for _ in range(1024):
                connection.sendall(b"X: " + b"x" * 1019 + b"\r\n")
        if not (answer := read_all(connection)).startswith(b"HTTP/1.1 431 ") and answer:
            yield f"an endless head is answered {answer!r}"
    with server.raw() as connection:
        connection.sendall(REVIEW_HEAD % 99 + b"\r\n{")
    server.wait_for_metric("schedpol_http_bytes_in_flight", 0)
    if server.metric('schedpol_reviews_total{phase="Mutating",outcome="Malformed"}') is not None:
        yield "half a body was reviewed"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def refuses_other_protocols(run):
    """No HTTP without TLS, and no TLS older than 1.2."""
    # The machine's configuration of OpenSSL may refuse them too; here it is the server's own doing.
    lax = run.work / "openssl.cnf"
    lax.write_text("openssl_conf = o\n[o]\nssl_conf = s\n[s]\nsystem_default = d\n"
                   "[d]\nMinProtocol = TLSv1\nCipherString = ALL:@SECLEVEL=0\n")
    server = Server(run, run.example_policies, "--drain", "0", OPENSSL_CONF=str(lax))
    # Python warns of the very versions that are refused here.
    warnings.simplefilter("ignore", DeprecationWarning)
    with socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_SECONDS) as plain:
        plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        if (answer := read_all(plain)).startswith(b"HTTP"):
            yield f"HTTP without TLS is answered {answer!r}"
    for version, good in ((ssl.TLSVersion.TLSv1, False), (ssl.TLSVersion.TLSv1_1, False),
                          (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)):
        tls = server.tls()
        tls.set_ciphers("ALL:@SECLEVEL=0")
        tls.minimum_version = tls.maximum_version = version
        outcome = "connected"
        with socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_SECONDS) as plain:
            try:
                tls.wrap_socket(plain, server_hostname="127.0.0.1").close()
            except ssl.SSLError as error:
                outcome = error.reason
        if outcome != ("connected" if good else "TLSV1_ALERT_PROTOCOL_VERSION"):
            yield f"{version.name}: {outcome}"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def starts_without_policies(run):
    """Alive but not ready, denying everything, until there is a good set."""
    directory = run.work / "later"
    server = Server(run, directory, "--drain", "0")
    unreadable = re.escape(f"{directory}: cannot be read")
    for path, problem in (("/healthz", says(200, "ok")), ("/readyz", says(503, f"^not ready\nstale: {unreadable}$"))):
        if wrong := problem(*server.request("GET", path)):
            yield f"{path}: {wrong}"
    for path in ("/admit", "/validate"):
        if wrong := denied("no whole set of policies", f"{directory}: cannot be read")(
                *server.request("POST", path, review(COMPLETE))):
            yield f"{path} before there are policies: {wrong}"
    # Who asks cannot put words into the answer.
    quotes = '","allowed":true,"uid":"'
    if wrong := denied(f"{directory}: cannot be read", uid=quotes)(
            *server.request("POST", "/admit", review(COMPLETE, uid=quotes))):
        yield f"a uid with quotes: {wrong}"
    volume = ConfigMap(directory)
    volume.put({"a.json": "{"})
    wait_until("the reason changes", lambda: b"a.json: " in server.request("GET", "/readyz")[1])
    if wrong := denied("a.json: not valid JSON")(*server.request("POST", "/admit", review(COMPLETE))):
        yield f"with a file that is cut: {wrong}"
    volume.put({"a.json": policy_set("a")["engine.json"], "b.json": policy_set("a")["scheduling.json"]})
    wait_until("it is ready", lambda: server.request("GET", "/readyz") == (200, b"ok\n"))
    if wrong := allowed(BARE, nodeSelector={"set": "a"})(*server.request("POST", "/admit", review(BARE))):
        yield f"with policies: {wrong}"
    # A policy that is gone for a moment is no permission.
    shutil.rmtree(directory)
    server.wait_for_metric("schedpol_stale", 1)
    if wrong := allowed(BARE, nodeSelector={"set": "a"})(*server.request("POST", "/admit", review(BARE))):
        yield f"without the directory: {wrong}"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def changes_policies_under_load(run):
    """50 clients, 20 requests each, while sets A and B and bad ones follow each other: each answer is wholly A's or
    wholly B's and has its own uid, and a bad set changes nothing."""
    clients, each = 50, 5
    volume = ConfigMap(run.work / "volume")
    (volume.path / ".hidden.json").write_text("{")
    (volume.path / "notes.txt").write_text("{")
    volume.put(policy_set("a"))
    server = Server(run, volume.path, "--drain", "0")
    # What changes while the clients ask, the metric that tells that it was seen, the sets that may answer.
    phases = [(bad_set("b"), ("schedpol_stale", 3), "a"),
              (policy_set("b"), ("schedpol_policy_generation", 2), "ab"),
              (bad_set("a"), ("schedpol_stale", 3), "b"),
              (policy_set("a"), ("schedpol_policy_generation", 3), "ab")]
    barrier = threading.Barrier(clients + 1, timeout=2 * TIMEOUT_SECONDS)
    problems, answers, lock = [], [], threading.Lock()

    def is_from(name, new, uid, answer):
        if new["spec"]["schedulerName"] == "default-scheduler":
            if allowed(new, uid=uid, nodeSelector={"set": name})(*answer):
                return False
            patch = json.loads(base64.b64decode(response_of(answer[1], uid)["patch"]))
            return patched(new, patch)["metadata"]["labels"]["set"] == name
        if new["spec"]["schedulerName"] == f"only-{name}":
            return allowed(new, uid=uid, nodeSelector={"set": name})(*answer) is None
        return denied("`spec.schedulerName`", f"`policy-{name}`", uid=uid)(*answer) is None

    def client(number):
        connection = server.connection()
        try:
            for phase, (_, _, names) in enumerate(phases):
                barrier.wait()
                for i in range(each):
                    uid = f"{number}-{phase}-{i}"
                    new = pod(schedulerName=("default-scheduler", "only-a", "only-b")[(number + i) % 3])
                    answer = server.request("POST", "/admit", review(new, uid=uid), connection)
                    by = [name for name in names if is_from(name, new, uid, answer)]
                    with lock:
                        answers.append((uid, *by))
                        if len(by) != 1:
                            problems.append(f"phase {phase}, {new['spec']['schedulerName']}: {by} of {names}: {answer}")
                barrier.wait()
        except Exception as error:  # pylint: disable=broad-except
            # Whatever ends a client must not leave the others waiting for it.
            problems.append(f"client {number}: {type(error).__name__} {error}")
            barrier.abort()
        finally:
            connection.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    try:
        for files, metric, _ in phases:
            barrier.wait()
            volume.put(files)
            server.wait_for_metric(*metric)
            barrier.wait()
    except (threading.BrokenBarrierError, TimeoutError, OSError) as error:
        problems.append(f"{type(error).__name__} {error}")
        barrier.abort()
    for thread in threads:
        thread.join()
    yield from problems[:5]
    if len({uid for uid, *_ in answers}) != clients * each * len(phases):
        yield f"{len(answers)} answers"
    if {name for _, *by in answers for name in by} != {"a", "b"}:
        yield "not both sets were seen"
    for metric, value in (('policy_reloads_total{result="good"}', 3), ('policy_reloads_total{result="bad"}', 2),
                          ("policy_generation", 3), ("stale", 0)):
        if server.metric(f"schedpol_{metric}") != value:
            yield f"{metric} is {server.metric(f'schedpol_{metric}')}"
    lines = [line for line in server.errors().splitlines() if "scheduling.json: " in line]
    if len(lines) != 2 or not all("in force as it was before" in line for line in lines):
        yield f"of two bad files it says {lines}"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def reads_yaml(run):
    """YAML files beside each other, of several documents and of lists; what is wrong is said with its place."""
    volume = ConfigMap(run.work / "yaml")
    engine = "kind: EngineConfiguration\napiVersion: schedpol.io/v1alpha1\npolicyUse: Every\nsystems: [{system: SchedulingPolicy}]\n"
    names = "---\nkind: SchedulingPolicy\nmetadata: {name: names}\nspec:\n  allowed:\n    schedulerNames: [default-scheduler]\n"
    defaults = ("kind: SchedulingPolicyList\napiVersion: schedpol.io/v1alpha1\nitems:\n- metadata: {name: defaults}\n"
                "  spec:\n    default:\n      nodeSelector: {set: blue}\n")
    volume.put({"engine.yaml": engine + names, "defaults.yml": defaults})
    server = Server(run, volume.path, "--drain", "0")
    if wrong := allowed(BARE, nodeSelector={"set": "blue"})(*server.request("POST", "/admit", review(BARE))):
        yield f"with policies in YAML: {wrong}: {server.request('GET', '/readyz')}"
    for bad, told in ((defaults + "  kind: SchedulingPolicy\n\tb: 1\n", r"defaults\.yml:9:1: a tab cannot indent, only spaces can"),
                      (defaults + "- {}\n", r"defaults\.yml:8:3: .*"),
                      (defaults + "- metadata: {name: a}\n  kind: Nothing\n", r"defaults\.yml:9:9: `kind`.*")):
        volume.put({"engine.yaml": engine + names, "defaults.yml": bad})
        reason = rf"\Aok\nstale: .*/{told}; in force as it was before\n\Z"
        try:
            wait_until("the file is read", lambda reason=reason: re.search(reason, server.request("GET", "/readyz")[1].decode()))
        except TimeoutError as error:
            yield f"{error}: {server.request('GET', '/readyz')}"
        if wrong := allowed(BARE, nodeSelector={"set": "blue"})(*server.request("POST", "/admit", review(BARE))):
            yield f"with a bad file: {wrong}"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def harms_only_what_is_bad(run):
    """A file that cannot be read keeps none of the others from being read, and counts as it was; a policy that cannot
    be used harms the pods that it selects. What is wrong is said, and after a restart again."""
    volume = ConfigMap(run.work / "harmed")
    files = policy_set("a")
    volume.put(files)
    server = Server(run, volume.path, "--drain", "0")
    broken = {**policy_set("b"), "scheduling.json": json.dumps(files["scheduling.json"])[:-1]}
    volume.put(broken)
    server.wait_for_metric("schedpol_policy_generation", 2)
    # MetadataPolicy is that of set B, SchedulingPolicy still that of set A.
    answer = server.request("POST", "/admit", review(BARE))
    if wrong := allowed(BARE, nodeSelector={"set": "a"})(*answer):
        yield f"with a broken file: {wrong}"
    elif b"b" not in base64.b64decode(response_of(answer[1], "u-1")["patch"]).partition(b'"set":"')[2][:1]:
        yield f"the other files are not in force: {answer}"
    told = r"\Aok\nstale: .*/scheduling\.json: not valid JSON.*; in force as it was before\n\Z"
    if wrong := says(200, told)(*server.request("GET", "/readyz")):
        yield f"ready with a broken file: {wrong}: {server.request('GET', '/readyz')}"
    server.end()
    # Nobody knows which pods a file is about that was never read.
    server = Server(run, volume.path, "--drain", "0")
    if wrong := says(503, r"\Anot ready\nstale: .*/scheduling\.json: not valid JSON")(*server.request("GET", "/readyz")):
        yield f"a broken file after a restart: {wrong}"
    if wrong := denied()(*server.request("POST", "/admit", review(BARE))):
        yield f"a pod after a restart: {wrong}"
    # A label key that is none, which a CRD lets through; and a field that there is not.
    files["bad.json"] = {"kind": "MetadataPolicy", "metadata": {"name": "bad", "namespace": "shop"},
                         "spec": {"rules": [{"policyPredicate": {"labelSelector": {"matchLabels": {"app": "x"}}},
                                             "policyAction": {"updatedLabels": {"no/label/key": "x"}}}]}}
    files["unread.json"] = {"kind": "MetadataPolicy", "metadata": {"name": "unread", "namespace": "reports"},
                            "spec": {"rulez": []}}
    volume.put(files)
    for restarted in (False, True):
        if restarted:
            server.end()
            server = Server(run, volume.path, "--drain", "0")
        server.wait_for_metric("schedpol_engine_problems", 2)
        for name, new, wanted in (("of the pods it selects", pod(labels={"app": "x"}), denied("`bad`", "no/label/key")),
                                  ("of others", BARE, allowed(BARE, nodeSelector={"set": "a"})),
                                  ("of its namespace", pod("reports"), denied("`unread`", "rulez")),
                                  ("of other namespaces", pod("default"),
                                   allowed(pod("default"), nodeSelector={"set": "a"}))):
            if wrong := wanted(*(answer := server.request("POST", "/admit", review(new)))):
                yield f"a bad policy, {name}, restarted: {restarted}: {wrong}: {answer}"
        if wrong := says(200, r"\Aok\nproblem: `MetadataPolicy\[reports/unread\].*\n"
                              r"problem: `MetadataPolicy\[shop/bad\].*\n\Z")(*(answer := server.request("GET", "/readyz"))):
            yield f"ready with a bad policy: {wrong}: {answer}"
    for policy in ("bad", "unread"):
        if server.metric(f'schedpol_denials_total{{system="MetadataPolicy",mode="Enforce",policy="{policy}"}}') != 1:
            yield f"the denial by {policy} is not counted"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def answers_beside_idle_and_silent_connections(run):
    """1,000 connections that are kept, and 640 that say nothing: a new one is answered, and those that are kept too. The
    silent ones are cut off."""
    server = Server(run, run.example_policies, "--drain", "0", "--read-timeout", "4", "--idle-timeout", "3600")
    tls = server.tls()
    get = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

    def connect():
        return socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_SECONDS)

    def ask(connection):
        connection.sendall(get)
        answer = b""
        while not answer.endswith(b"ok\n"):
            if not (part := connection.recv(4096)):
                raise ValueError(f"a connection that is kept ends after {answer!r}")
            answer += part

    with contextlib.ExitStack() as open_ones:
        kept = [open_ones.enter_context(tls.wrap_socket(connect(), server_hostname="127.0.0.1")) for _ in range(1000)]
        for connection in kept:
            ask(connection)
        silent = [open_ones.enter_context(connect()) for _ in range(640)]
        # Some of them stop in the middle of their handshake.
        for connection in silent[::2]:
            connection.sendall(b"\x16\x03\x01\x02\x00\x01")
        if wrong := allowed()(*server.request("POST", "/admit", review(COMPLETE))):
            yield f"a new connection: {wrong}"
        if server.metric("schedpol_http_connections") < 1001:
            yield "the connections are not there"
        server.wait_for_metric('schedpol_http_connections_ended_total{reason="slow"}', 640)
        for connection in kept[::100]:
            ask(connection)
        for connection in silent:
            read_all(connection)
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def makes_room_for_new_connections(run):
    """Where there are as many connections as may be, the one that is idle for longest makes room."""
    server = Server(run, run.example_policies, "--drain", "0", "--max-connections", "16", "--io-threads", "1")
    with contextlib.ExitStack() as open_ones:
        for _ in range(200):
            open_ones.enter_context(contextlib.closing(server.raw()))
        if wrong := allowed()(*server.request("POST", "/admit", review(COMPLETE))):
            yield f"beside 200 idle connections: {wrong}"
        if server.metric("schedpol_http_connections") > 16:
            yield "there are more connections than may be"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def bounds_what_is_in_flight(run):
    """A request beyond the bound is refused for its head alone, or as soon as it has grown beyond it; a quarter of the
    bound is for small ones."""
    server = Server(run, run.example_policies, "--drain", "0", "--max-in-flight", "1", "--read-timeout", "60",
                    "--answer-within", "600000")
    body = review(COMPLETE).ljust(700_000)
    busy = re.compile(rb"HTTP/1.1 503 .*\r\nRetry-After: [1-9]\d*\r\n", re.DOTALL)
    with server.half_a_request(body) as first:
        with server.raw() as second:
            second.sendall(REVIEW_HEAD % len(body) + b"\r\n")
            if not busy.match(answer := read_all(second)):
                yield f"what is too much is answered {answer!r}"
        with server.raw() as third:
            third.sendall(b"POST /admit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                          b"Transfer-Encoding: chunked\r\n\r\n")
            chunk = b"%x\r\n" % 50_000 + b" " * 50_000 + b"\r\n"
            with contextlib.suppress(OSError):
                for _ in range(20):
                    third.sendall(chunk)
            if not busy.match(answer := read_all(third)):
                yield f"what grows too much is answered {answer!r}"
        if wrong := allowed()(*server.request("POST", "/admit", review(COMPLETE))):
            yield f"a small one: {wrong}"
        first.sendall(body[len(body) // 2:])
        answer = first.recv(65536)
        if not answer.startswith(b"HTTP/1.1 200 "):
            yield f"the first is answered {answer!r}"
    server.wait_for_metric("schedpol_http_bytes_in_flight", 0)
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def forgets_clients_that_leave(run):
    """A request whose client has gone while it was worked on holds nothing any more, and keeps nobody waiting."""
    server = Server(run, run.example_policies, "--drain", "0", "--worker-threads", "1")
    body = review(COMPLETE).ljust(MEBIBYTE)
    before = server.metric('schedpol_http_requests_total{path="/admit",code="200"}') or 0
    for i in range(32):
        client = server.raw()
        client.sendall(REVIEW_HEAD % len(body) + b"\r\n" + body)
        if i % 2:
            # A reset, which comes before what was sent is answered.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
    if wrong := allowed()(*server.request("POST", "/admit", body)):
        yield f"the next one: {wrong}"
    server.wait_for_metric("schedpol_http_bytes_in_flight", 0)
    server.wait_for_metric("schedpol_http_connections", 1)
    if server.metric('schedpol_http_requests_total{path="/admit",code="200"}') <= before:
        yield "nothing is counted"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def stays_within_its_memory(run):
    """64 reviews of 3 MB at once, some of them made to take as much memory as they can: each is answered, or refused
    with 503 and when to come again, and the process stays below the limit of its manifest."""
    manifest = (run.root / "examples/manifests/webhook.yaml").read_text(encoding="utf-8")
    limit = int(re.search(r"limits: \{memory: (\d+)Mi\}", manifest)[1]) * MEBIBYTE
    size = 3_000_000
    terms = pod(affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []}})
    # As small as objects of a long list may be.
    one = b'{"topologyKey":"aaaaaaaaaaaaaa"},'
    head, tail = (part for part in review(terms).split(b'Execution": [', 1))
    count = (size - len(head) - len(tail)) // len(one)
    most = head + b'Execution": [' + (one * count)[:-1] + tail
    large = review(pod(labels={"x": "y"})).ljust(size)
    server = Server(run, run.example_policies, "--drain", "0")
    barrier = threading.Barrier(64, timeout=TIMEOUT_SECONDS)

    def client(number):
        connection = server.connection()
        connection.connect()
        barrier.wait()
        connection.request("POST", "/admit", most if number % 4 == 0 else large, {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status, response.headers.get("Retry-After")

    with concurrent.futures.ThreadPoolExecutor(64) as clients:
        answers = list(clients.map(client, range(64)))
    if not any(status == 200 for status, _ in answers):
        yield "none is answered"
    if others := [answer for answer in answers if answer[0] != 200 and (answer[0] != 503 or not answer[1])]:
        yield f"answered {others}"
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    peak = int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024
    print(f"64 reviews of 3 MB: {sum(status == 200 for status, _ in answers)} answered, "
          f"peak {peak // MEBIBYTE} MiB of {limit // MEBIBYTE}")
    if peak > limit:
        yield f"it took {peak // MEBIBYTE} MiB, {limit // MEBIBYTE} at most"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def judges_policies_that_are_written(run):
    """A policy that is invalid is denied with its field, one that is not passes."""
    server = Server(run, run.example_policies, "--drain", "0")
    policy = {"apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy", "metadata": {"name": "p"},
              "spec": {"allowed": {"schedulerNames": ["a"]}}}

    def written(new):
        request = {"uid": "u-1", "kind": {"group": "schedpol.io", "version": "v1alpha1",
                                          "kind": "SchedulingPolicy"}, "name": "p", "operation": "CREATE", "object": new}
        return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).encode()

    if wrong := allowed()(*server.request("POST", "/validate", written(policy))):
        yield f"a good policy: {wrong}"
    bad = {**policy, "spec": {"required": {"schedulerNames": []}}}
    if wrong := denied("`spec.required.schedulerNames`", code=422)(*server.request("POST", "/validate", written(bad))):
        yield f"a bad policy: {wrong}"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def analyzes_written_policies_in_the_background(run):
    """What a written policy means beside others is looked for where there is time, and said not to be otherwise."""
    volume = ConfigMap(run.work / "written")
    volume.put(policy_set("a"))
    policy = {"apiVersion": "schedpol.io/v1alpha1", "kind": "MetadataPolicy",
              "metadata": {"name": "other", "namespace": "shop"},
              "spec": {"rules": [{"policyPredicate": {"labelSelector": {}},
                                  "policyAction": {"updatedLabels": {"set": "z"}}}]}}

    def written(new):
        request = {"uid": "u-1", "kind": {"group": "schedpol.io", "version": "v1alpha1", "kind": new["kind"]},
                   "name": "other", "namespace": "shop", "operation": "CREATE", "object": new}
        return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).encode()

    def warnings_in(answer):
        if wrong := allowed()(200, answer):
            raise ValueError(f"{wrong}: {answer}")
        return response_of(answer, "u-1").get("warnings", [])
    no_time = "there was no time to compare the policy with those that are stored"
    body = written(policy)
    server = Server(run, volume.path, "--drain", "0", "--answer-within", "600000")
    found = warnings_in(server.request("POST", "/validate", body)[1])
    if not found or no_time in found or "shop/other" not in found[0]:
        yield f"beside one that writes the same label: {found}"
    if wrong := denied("labelSelector", code=422)(
            *server.request("POST", "/validate", written({**policy, "spec": {"rules": [
                {"policyPredicate": {"labelSelector": {"matchLabels": 7}}}]}}))):
        yield f"one that cannot be read: {wrong}"
    if server.metric('schedpol_reviews_total{phase="Validating",outcome="Allowed"}') != 1:
        yield "a review is counted for each time it was looked at"
    server.end()
    # The first half is older than the deadline when the second one comes.
    server = Server(run, volume.path, "--drain", "0", "--answer-within", "1")
    with server.half_a_request(body) as client:
        client.sendall(body[len(body) // 2:])
        answer = client.recv(65536).partition(b"\r\n\r\n")[2]
    # It was sent to /admit, where a policy is judged like at /validate.
    if (found := warnings_in(answer)) != [no_time]:
        yield f"without time: {found}"
    if server.metric('schedpol_http_background_skipped_total{path="/admit"}') != 1:
        yield "it is not counted"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def answers_pods_before_policies(run):
    """While large policies are written the reviews of pods do not wait for them."""
    server = Server(run, run.example_policies, "--drain", "0", "--answer-within", "600000")
    rules = [{"policyPredicate": {"labelSelector": {"matchExpressions": [
        {"key": f"k-{rule}", "operator": "In", "values": [f"value-{i}" for i in range(400)]}]}},
        "policyAction": {"reject": True}} for rule in range(30)]
    policy = {"apiVersion": "schedpol.io/v1alpha1", "kind": "MetadataPolicy",
              "metadata": {"name": "large", "namespace": "shop"}, "spec": {"rules": rules}}
    request = {"uid": "u-1", "kind": {"group": "schedpol.io", "version": "v1alpha1", "kind": "MetadataPolicy"},
               "name": "large", "namespace": "shop", "operation": "CREATE", "object": policy}
    body = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).encode()
    writers = 8

    def come_first():
        written = itertools.count()
        barrier = threading.Barrier(writers + 1, timeout=TIMEOUT_SECONDS)

        def write():
            connection = server.connection()
            connection.connect()
            barrier.wait()
            answer = server.request("POST", "/validate", body, connection)
            next(written)
            connection.close()
            return answer
        with concurrent.futures.ThreadPoolExecutor(writers) as clients:
            answers = [clients.submit(write) for _ in range(writers)]
            connection = server.connection()
            connection.connect()
            barrier.wait()
            pods = [server.request("POST", "/admit", review(COMPLETE), connection) for _ in range(5)]
            probes = [server.request("GET", path, None, connection)[0] for path in ("/healthz", "/readyz", "/metrics")]
            before = next(written)
            connection.close()
        if wrong := next(filter(None, (allowed()(*answer) for answer in pods)), None):
            raise ValueError(wrong)
        if probes != [200] * 3:
            raise ValueError(f"probes are answered {probes}")
        if others := [answer.result() for answer in answers if answer.result()[0] != 200]:
            raise ValueError(f"a write is answered {others[0]}")
        return before < writers
    # On a machine that is busy enough this process may come too late itself.
    if not any(come_first() for _ in range(5)):
        yield "the pods were answered after all policies"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def answers_in_time(run):
    """What no worker could answer in time is answered by the failure policy; what is small is answered as ever."""
    large = review(BARE, uid="0f-1").ljust(MEBIBYTE)
    no_uid = b"{}".ljust(MEBIBYTE)
    for policy, wanted in (("Fail", denied("no time to decide", code=504, uid="0f-1")), ("Ignore", allowed(uid="0f-1"))):
        # Nobody sends that much in a millisecond.
        server = Server(run, run.example_policies, "--drain", "0", "--answer-within", "1", "--failure-policy", policy)
        for path in ("/admit", "/validate"):
            with server.raw() as client:
                client.sendall(REVIEW_HEAD.replace(b"/admit", path.encode()) % len(large) + b"\r\n" + large[:9])
                server.wait_for_metric("schedpol_http_bytes_in_flight", len(large))
                client.sendall(large[9:])
                head, _, answer = client.recv(65536).partition(b"\r\n\r\n")
            if wrong := wanted(int(head.split()[1]), answer):
                yield f"{policy} {path}: {wrong}: {answer}"
            elif policy == "Ignore" and "no time" not in response_of(answer, "0f-1")["warnings"][0]:
                yield f"{path}: nobody is warned: {answer}"
        if wrong := refused(504)(*server.request("POST", "/admit", no_uid)):
            yield f"{policy}, without a uid: {wrong}"
        if wrong := allowed()(*server.request("POST", "/admit", review(COMPLETE))):
            yield f"{policy}, a small one: {wrong}"
        if (server.metric('schedpol_reviews_total{phase="Mutating",outcome="Late"}'),
                server.metric('schedpol_http_late_total{path="/admit"}')) != (2, 2):
            yield f"{policy}: they are not counted"
        server.wait_for_metric("schedpol_http_bytes_in_flight", 0)
        if (status := server.end()) != 0:
            yield f"exit status {status}: {server.errors()}"


def outlives_a_lack_of_memory(run):
    """A request that there is no memory for gets 500 or 503, and the next one is answered."""
    # What is freed is given back to the system, so that none of it is there when there is no memory.
    server = Server(run, run.example_policies, "--drain", "0", "--answer-within", "600000",
                    MALLOC_MMAP_THRESHOLD_=str(MEBIBYTE // 8))
    if wrong := allowed()(*server.request("POST", "/admit", review(COMPLETE).ljust(8 * MEBIBYTE))):
        yield f"with memory: {wrong}"
    # A worker may hold the request for a moment after its answer.
    server.wait_for_metric("schedpol_http_bytes_in_flight", 0)
    _, unlimited = resource.prlimit(server.process.pid, resource.RLIMIT_DATA)
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    taken = int(re.search(r"VmData:\s*(\d+) kB", status)[1]) * 1024
    resource.prlimit(server.process.pid, resource.RLIMIT_DATA, (taken + MEBIBYTE, unlimited))
    large = review(COMPLETE).ljust(8 * MEBIBYTE)
    if wrong := refused(500, 503)(*(answer := server.request("POST", "/admit", large))):
        yield f"without memory: {wrong}: {answer}"
    # For its head alone, where the length is said.
    with server.raw() as client:
        client.sendall(REVIEW_HEAD % len(large) + b"\r\n")
        answer = client.recv(65536)
    if not answer.startswith(b"HTTP/1.1 503 ") or b"\r\nRetry-After: " not in answer:
        yield f"a head, without memory: {answer}"
    # One whose length is not said ends where there is no memory for what came, without a word.
    with contextlib.suppress(http.client.RemoteDisconnected, ConnectionError, ssl.SSLError):
        yield f"in chunks, without memory: {server.request('POST', '/admit', iter([large]))}"
    resource.prlimit(server.process.pid, resource.RLIMIT_DATA, (unlimited, unlimited))
    if wrong := allowed()(*server.request("POST", "/admit", large)):
        yield f"with memory again: {wrong}"
    server.wait_for_metric("schedpol_http_bytes_in_flight", 0)
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def answers_clients_that_it_knows(run):
    """With a CA or a token for clients, POST is for those that have one of them, and GET for all."""
    known, stranger = run.make_client("known", run.certificate), run.make_client("stranger", run.make_certificate("ca"))
    no_client = run.make_client("no-client", run.certificate, "serverAuth")
    token = run.work / "token"
    token.write_text("secret-1\n")
    by_certificate = ["--client-ca-file", run.certificate / "ca.crt"]
    by_token = ["--client-token-file", token]
    for options, good, bad in (
            (by_certificate, [(known, None)], [(None, None), (None, "Bearer secret-1")]),
            (by_token, [(None, "Bearer secret-1")],
             [(None, None), (None, "Bearer secret-"), (None, "Bearer secret-11"), (None, "Bearer "), (None, "secret-1"),
              (None, "Basic secret-1")]),
            (by_certificate + by_token, [(known, None), (None, "Bearer secret-1"), (known, "Bearer x")],
             [(None, None), (None, "Bearer secret-2")])):
        server = Server(run, run.example_policies, "--drain", "0", *options)
        for is_good, client, authorization in [(True, *one) for one in good] + [(False, *one) for one in bad]:
            headers = {"Authorization": authorization} if authorization else {}
            with contextlib.closing(server.connection(client)) as connection:
                answer = server.request("POST", "/admit", review(COMPLETE), connection, **headers)
            if wrong := (allowed() if is_good else refused(401))(*answer):
                yield f"{options}: {client}, {authorization}: {wrong}: {answer}"
        for path in ("/healthz", "/readyz", "/metrics"):
            if server.request("GET", path)[0] != 200:
                yield f"{options}: {path} is for clients that are known"
        if options[0] != "--client-token-file":
            for other in (stranger, no_client):
                with contextlib.suppress(ssl.SSLError, ConnectionError), contextlib.closing(server.connection(other)) as one:
                    yield f"{other.name} is answered {server.request('POST', '/admit', review(COMPLETE), one)}"
        if "--client-token-file" in options:
            token.write_text("secret-2\n")
            if wrong := allowed()(*server.request("POST", "/admit", review(COMPLETE), Authorization="Bearer secret-2")):
                yield f"a new token: {wrong}"
            token.unlink()
            if wrong := refused(401)(*server.request("POST", "/admit", review(COMPLETE), Authorization="Bearer secret-2")):
                yield f"without a token: {wrong}"
            token.write_text("secret-1\n")
        if (status := server.end()) != 0:
            yield f"exit status {status}: {server.errors()}"
    for option, file in (("--client-ca-file", run.work / "none"), ("--client-ca-file", token),
                         ("--client-token-file", run.work / "none")):
        done = subprocess.run([run.program, "--policies", ".", "--cert", run.certificate / "tls.crt", "--key",
                               run.certificate / "tls.key", "--listen", "127.0.0.1:0", option, file],
                              capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
        if done.returncode != 1 or str(file) not in done.stderr.decode():
            yield f"{option} {file}: status {done.returncode}, {done.stderr}"


def is_not_kept_by_slow_clients(run):
    """A client that stops in the middle of its body keeps nobody waiting, and is cut off."""
    server = Server(run, run.example_policies, "--drain", "0", "--io-threads", "1", "--read-timeout", "15")

    def others_come_first():
        with server.half_a_request(review(COMPLETE)) as slow:
            answers = [server.request("POST", "/admit", review(COMPLETE)) for _ in range(5)]
            first = server.metric("schedpol_http_bytes_in_flight") > 0
            if any(allowed()(*answer) for answer in answers):
                raise ValueError(f"answered {answers}")
            cut_off = read_all(slow)
            if b"AdmissionReview" in cut_off or (cut_off and not cut_off.startswith(b"HTTP/1.1 408 ")):
                raise ValueError(f"half a request is answered {cut_off!r}")
            return first
    # On a machine that is busy enough the slow one may be cut off before the others had their turn.
    if not any(others_come_first() for _ in range(5)):
        yield "the others were not answered before the slow client was cut off"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def finishes_what_it_began(run):
    """SIGTERM: what is in flight is answered, nothing more is accepted, exit status 0."""
    def attempt():
        server = Server(run, run.example_policies, "--drain", "0")
        body = review(BARE)
        with server.half_a_request(body) as slow:
            server.process.send_signal(signal.SIGTERM)
            wait_until("nothing is accepted", lambda: not server.is_listening())
            with contextlib.suppress(OSError):
                slow.sendall(body[len(body) // 2:])
            head, _, answer = read_all(slow).partition(b"\r\n\r\n")
        if (status := server.process.wait(TIMEOUT_SECONDS)) != 0:
            raise ValueError(f"exit status {status}: {server.errors()}")
        if not head.startswith(b"HTTP/1.1 200 "):
            return False
        if wrong := allowed(BARE, nodeSelector={**AMD64, "pool": "general"})(200, answer):
            raise ValueError(wrong)
        return b"connection: close" in head.lower()
    # On a machine that is busy enough the second half may come too late.
    if not any(attempt() for _ in range(3)):
        yield "what was in flight was not answered"


def drains_before_it_ends(run):
    """SIGTERM: not ready any more, but reviewing as ever, each answer the last of its connection; a second one ends
    the wait."""
    server = Server(run, run.example_policies, "--drain", "3600")

    def says_close(connection):
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        response.read()
        return response.headers.get("Connection") == "close"
    kept = server.connection()
    if says_close(kept):
        yield "a connection is not kept"
    server.process.send_signal(signal.SIGTERM)
    wait_until("it is not ready", lambda: server.request("GET", "/readyz") == (503, b"draining\n"))
    if wrong := allowed()(*server.request("POST", "/admit", review(COMPLETE))):
        yield f"while it drains: {wrong}"
    if not says_close(kept):
        yield "a client is not told that its connection ends"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def renews_its_certificate(run):
    """Connections get the pair that the files have; a pair that does not fit changes nothing. Files that are bad and
    stay so, here also the policies, are told of once."""
    volume = ConfigMap(run.work / "bad")
    volume.put({"a.json": "{"})
    certificate = run.make_certificate("old")
    other = run.make_certificate("new")
    server = Server(run, volume.path, "--drain", "0", certificate=certificate)
    shutil.copy(other / "tls.key", certificate / "tls.key")
    wait_until("the pair that does not fit is told of", lambda: "no certificate and its key" in server.errors())
    if server.request("GET", "/healthz") != (200, b"ok\n"):
        yield "a key that does not fit"
    shutil.copy(other / "tls.crt", certificate / "tls.crt")
    server.certificate = other

    def is_new():
        try:
            return server.request("GET", "/healthz") == (200, b"ok\n")
        except ssl.SSLCertVerificationError:
            return False
    wait_until("the new certificate is served", is_new)
    lines = [line for line in server.errors().splitlines() if "level=error" in line]
    if len(lines) != 3 or server.metric('schedpol_policy_reloads_total{result="bad"}') != 1:
        yield f"it repeats itself: {lines}"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def renews_its_certificate_under_load(run):
    """While clients ask, connections that are open go on with the certificate that they have, and new ones get the
    one that is new."""
    certificate = run.make_certificate("in-use")
    server = Server(run, run.example_policies, "--drain", "0", certificate=certificate)
    is_over = threading.Event()

    def ask_on():
        connection = server.connection()
        connection.connect()
        # A connection that is closed is not opened again: it would show another certificate.
        connection.auto_open = False
        answers = 0
        while not is_over.is_set():
            if wrong := allowed()(*server.request("POST", "/admit", review(COMPLETE), connection)):
                raise ValueError(wrong)
            answers += 1
        connection.close()
        return answers

    def served():
        with socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_SECONDS) as plain, \
                server.tls().wrap_socket(plain, server_hostname="127.0.0.1") as connection:
            return connection.getpeercert(binary_form=True)
    with concurrent.futures.ThreadPoolExecutor(8) as clients:
        asking = [clients.submit(ask_on) for _ in range(8)]
        try:
            for _ in range(3):
                before = served()
                # The CA is kept, so that both are trusted.
                run.make_certificate("in-use")
                wait_until("the new certificate is served", lambda: served() != before)
        finally:
            is_over.set()
        if not all(asked.result() for asked in asking):
            yield "a client was not answered"
    # Between the two files that are replaced a pair may not fit.
    if server.metric('schedpol_certificate_reloads_total{result="good"}') != 4:
        yield "it was not renewed three times"
    if (status := server.end()) != 0:
        yield f"exit status {status}: {server.errors()}"


def cuts_off_who_trickles(run):
    """A byte now and then keeps no connection, be it in the handshake, the head or the body, and no server alive."""
    head = REVIEW_HEAD % MEBIBYTE
    serving, ending = (Server(run, run.example_policies, "--drain", "0") for _ in range(2))
    shaking_hands = socket.create_connection(("127.0.0.1", serving.port), timeout=TIMEOUT_SECONDS)
    clients = {"handshake": (shaking_hands, b"\x16\x03\x01\x02\x00"), "head": (serving.raw(), head + b"X: "),
               "body": (serving.raw(), head + b"\r\n"), "head at the end": (ending.raw(), head + b"X: ")}
    for client, begin in clients.values():
        client.sendall(begin)
    ending.process.send_signal(signal.SIGTERM)
    left = {name: client for name, (client, _) in clients.items()}
    end = time.monotonic() + TIMEOUT_SECONDS
    while left and time.monotonic() < end:
        for name, client in list(left.items()):
            try:
                client.sendall(b"x")
            except OSError:
                del left[name]
        time.sleep(0.5)
    for name in left:
        yield f"{name}: never cut off"
    for server in (serving, ending):
        if (status := server.end()) != 0:
            yield f"exit status {status}: {server.errors()}"
    for client, _ in clients.values():
        client.close()


CHECKS = (refuses_bad_options, answers_each_request, keeps_requests_apart, refuses_other_protocols,
          starts_without_policies, changes_policies_under_load, reads_yaml, harms_only_what_is_bad,
          answers_beside_idle_and_silent_connections, makes_room_for_new_connections, bounds_what_is_in_flight,
          forgets_clients_that_leave, stays_within_its_memory, judges_policies_that_are_written, analyzes_written_policies_in_the_background,
          answers_pods_before_policies, answers_in_time, outlives_a_lack_of_memory, answers_clients_that_it_knows,
          finishes_what_it_began, drains_before_it_ends, renews_its_certificate, renews_its_certificate_under_load)
# Nearly all waiting, in which the others run.
CHECKS_BESIDE = (cuts_off_who_trickles, is_not_kept_by_slow_clients)


def problems_of(check, run):
    begin = time.monotonic()
    problems = []
    try:
        for problem in check(run):
            problems.append(problem)
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException, subprocess.SubprocessError) as error:
        problems.append(f"{type(error).__name__} {error}")
    outcome = "failed" if problems else "good"
    print(f"{check.__name__}: {outcome}, {time.monotonic() - begin:.1f} s", *problems, sep="\n  ", flush=True)
    return problems


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 1
    missing = [tool for tool in ("curl", "openssl") if shutil.which(tool) is None]
    if missing:
        print(f"SKIPPED: {' and '.join(missing)} not here")
        return 77
    # A connection is a file here too.
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    with tempfile.TemporaryDirectory() as work:
        run = Run(sys.argv[1], sys.argv[2], work)
        try:
            with concurrent.futures.ThreadPoolExecutor() as beside:
                waiting = [beside.submit(problems_of, check, run) for check in CHECKS_BESIDE]
                failed = [check for check in CHECKS if problems_of(check, run)]
                failed += [problem for check in waiting for problem in check.result()]
        finally:
            run.clean_up()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
