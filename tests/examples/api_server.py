# SPDX-License-Identifier: Apache-2.0
"""A Kubernetes API server for tests, as far as the programs in a cluster speak to one: HTTPS with a CA of its own,
bearer tokens, lists in pages, watches with bookmarks, patches. Whatever can go wrong with one goes wrong when a test
says so. It knows every resource that an object is put into or that is listed.

    server = ApiServer(work)              # listens on 127.0.0.1
    server.put("namespaces", {...})       # creates or replaces an object and tells the watches
    server.delete("namespaces", "", "shop")
    server.fail("list", "roles", status=500, times=3)
    server.cut("roles")                   # the watches of roles end in the middle of a line
"""

import base64
import contextlib
import copy
import dataclasses
import http.server
import json
import select
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse

TIMEOUT_SECONDS = 120
TYPES = {
    "schedulingpolicies": ("schedpol.io/v1alpha1", "SchedulingPolicy"),
    "metadatapolicies": ("schedpol.io/v1alpha1", "MetadataPolicy"),
    "podschedulingpolicies": ("kupid.gardener.cloud/v1alpha1", "PodSchedulingPolicy"),
    "clusterpodschedulingpolicies": ("kupid.gardener.cloud/v1alpha1", "ClusterPodSchedulingPolicy"),
    "resourcepolicies": ("scheduling.sigs.x-k8s.io/v1alpha1", "ResourcePolicy"),
    "runtimeclasses": ("node.k8s.io/v1", "RuntimeClass"),
    "namespaces": ("v1", "Namespace"),
    "nodes": ("v1", "Node"),
    "pods": ("v1", "Pod"),
    "roles": ("rbac.authorization.k8s.io/v1", "Role"),
    "clusterroles": ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    "rolebindings": ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    "clusterrolebindings": ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
}
# Items of a list of these say what they are; the server's own kinds do not.
CUSTOM = [name for name, (version, _) in TYPES.items() if version.endswith("/v1alpha1")]


def make_certificates(folder):
    """ca.crt, tls.crt and tls.key for 127.0.0.1 and localhost."""
    folder.mkdir(parents=True, exist_ok=True)

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=TIMEOUT_SECONDS, cwd=folder)

    (folder / "x.cnf").write_text(
        "[req]\ndistinguished_name=name\nprompt=no\n[name]\nCN=test\n"
        "[ca]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash\n"
        "[server]\nsubjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-config", "x.cnf")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-extensions", "ca",
            "-subj", "/CN=test CA")
    openssl("req", "-new", *key, "-keyout", "tls.key", "-out", "tls.csr")
    openssl("x509", "-req", "-in", "tls.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial", "7", "-days", "2",
            "-extfile", "x.cnf", "-extensions", "server", "-out", "tls.crt")


@dataclasses.dataclass
class Asked:
    """One request that came in."""
    verb: str  # list, watch, get, patch
    resource: str
    path: str
    query: dict
    headers: dict
    body: bytes
    time: float
    status: int = 0


@dataclasses.dataclass
class Failure:
    verb: str
    resource: str
    status: int = 0
    headers: dict = dataclasses.field(default_factory=dict)
    times: int = 1
    hang: bool = False
    when: object = None  # a function of the Asked; None: always


class Watcher:
    """One watch that is open; `orders` are what a test wants of it."""

    def __init__(self, resource):
        self.resource = resource
        self.orders = []
        self.is_silent = False
        self.is_ended = False  # by an order that it may not have seen yet
        self.sent = 0  # the last version


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, address, handler, owner):
        self.owner = owner
        super().__init__(address, handler)

    def get_request(self):
        plain, address = super().get_request()
        # The handshake is the handler's, so that a slow client keeps nobody waiting.
        return self.owner.tls.wrap_socket(plain, server_side=True, do_handshake_on_connect=False), address

    def process_request(self, request, client_address):
        with self.owner.changed:
            self.owner.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        with self.owner.changed:
            self.owner.connections.discard(request)
        with contextlib.suppress(OSError):
            request.shutdown(socket.SHUT_RDWR)
        self.close_request(request)

    def handle_error(self, request, client_address):
        pass  # connections that are cut on purpose


class ApiServer:
    def __init__(self, work, name="api-server"):
        self.folder = work / name
        make_certificates(self.folder)
        self.ca_file = self.folder / "ca.crt"
        self.token_file = self.folder / "token"
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(self.folder / "tls.crt", self.folder / "tls.key")
        self.changed = threading.Condition()
        self.objects = {}    # resource -> {(namespace, name): object}
        self.history = {}    # resource -> [(version, type, object)]
        self.compacted = {}  # resource -> the last version that is forgotten
        self.version = 100
        self.tokens = set()
        self.failures = []
        self.watchers = []
        self.connections = set()
        self.asked = []
        self.page_limit = 500
        self.snapshots = {}
        self.next_snapshot = 0
        self.set_token("token-1")
        self.server = None
        self.port = 0
        self.start()

    # Where it is.

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def options(self):
        """The flags by which a program finds it."""
        return ["--api-server", self.url, "--token-file", str(self.token_file), "--ca-file", str(self.ca_file)]

    def start(self):
        self.server = Server(("127.0.0.1", self.port), Handler, self)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self):
        """Goes away: nothing is listened on, and all connections end."""
        self.server.shutdown()
        self.server.server_close()
        with self.changed:
            for connection in list(self.connections):
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            for watcher in self.watchers:
                watcher.orders.append("drop")
            self.changed.notify_all()

    def set_token(self, token, keep=False):
        """A new token in the file; the one before is refused from now on, unless it is kept."""
        with self.changed:
            self.tokens = (self.tokens if keep else set()) | {token}
        new = self.token_file.with_suffix(".new")
        new.write_text(token + "\n")
        new.rename(self.token_file)

    # What it has.

    def put(self, resource, item):
        item = copy.deepcopy(item)
        api_version, kind = TYPES[resource]
        item.setdefault("apiVersion", api_version)
        item.setdefault("kind", kind)
        metadata = item["metadata"]
        key = (metadata.get("namespace", ""), metadata["name"])
        with self.changed:
            old = self.objects.setdefault(resource, {}).get(key)
            self.version += 1
            metadata["resourceVersion"] = str(self.version)
            same = old and old.get("spec") == item.get("spec")
            before = old["metadata"].get("generation", 0) if old else 0
            metadata["generation"] = before if same else before + 1
            self.objects[resource][key] = item
            self.record(resource, "MODIFIED" if old else "ADDED", item)

    def delete(self, resource, namespace, name):
        with self.changed:
            item = copy.deepcopy(self.objects[resource].pop((namespace, name)))
            self.version += 1
            item["metadata"]["resourceVersion"] = str(self.version)
            self.record(resource, "DELETED", item)

    def forget(self, resource, namespace, name):
        """It is gone, as from a backup that never had it: no event says so."""
        with self.changed:
            del self.objects[resource][namespace, name]

    def get(self, resource, namespace, name):
        with self.changed:
            return copy.deepcopy(self.objects.get(resource, {}).get((namespace, name)))

    def record(self, resource, kind, item):
        self.history.setdefault(resource, []).append((self.version, kind, item))
        self.changed.notify_all()

    def bookmark(self, resource):
        """Tells the watches of the resource how far they are: the version that it returns."""
        with self.changed:
            self.version += 1
            api_version, kind = TYPES[resource]
            self.record(resource, "BOOKMARK", {"apiVersion": api_version, "kind": kind,
                                               "metadata": {"resourceVersion": str(self.version)}})
            return self.version

    def compact(self, resource):
        """Forgets what happened: no watch can begin before this moment."""
        with self.changed:
            self.version += 1
            self.history[resource] = []
            self.compacted[resource] = self.version

    # What goes wrong.

    def fail(self, verb, resource, status=0, times=1, hang=False, when=None, **headers):
        """The next requests of this kind get the status, or no answer at all."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        failure = Failure(verb, resource, status, headers, times, hang, when)
        with self.changed:
            self.failures.append(failure)
        return failure

    def heal(self):
        with self.changed:
            self.failures.clear()
            self.changed.notify_all()

    def order(self, resource, what):
        with self.changed:
            found = self.open_watches(resource)
            for watcher in found:
                watcher.orders.append(what)
                watcher.is_ended = True
            self.changed.notify_all()
        return len(found)

    def cut(self, resource):
        """The watches end in the middle of a line."""
        return self.order(resource, "cut")

    def end_watches(self, resource):
        """The watches end as they do after their time."""
        return self.order(resource, "end")

    def expire(self, resource):
        """The watches are told that their version is too old."""
        return self.order(resource, "gone")

    def garble(self, resource):
        """The watches are sent a line that is no event."""
        return self.order(resource, "garble")

    def set_back(self, resource):
        """The watches are told of a version that is older than those before."""
        return self.order(resource, "back")

    def silence(self, resource):
        """The watches stay, and nothing comes of them."""
        with self.changed:
            for watcher in self.watchers:
                watcher.is_silent = watcher.is_silent or watcher.resource == resource

    # What was asked.

    def requests(self, verb=None, resource=None):
        with self.changed:
            return [one for one in self.asked if verb in (None, one.verb) and resource in (None, one.resource)]

    def watching(self, resource):
        with self.changed:
            return len(self.open_watches(resource))

    def open_watches(self, resource):
        return [one for one in self.watchers if one.resource == resource and not one.is_ended]

    def has_sent(self, resource, version):
        """Whether all watches of the resource were sent what happened up to the version."""
        with self.changed:
            found = self.open_watches(resource)
            return bool(found) and all(one.sent >= version for one in found)

    def take_failure(self, asked):
        with self.changed:
            for failure in self.failures:
                if failure.verb == asked.verb and failure.resource in ("*", asked.resource) and failure.times > 0 and \
                        (failure.when is None or failure.when(asked)):
                    failure.times -= 1
                    return failure
        return None

    def still_hangs(self, failure):
        with self.changed:
            return any(one is failure for one in self.failures)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, asked, status, document, headers=()):
        asked.status = status
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in dict(headers).items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, asked, status, message, headers=()):
        self.answer(asked, status, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message,
                                    "code": status}, headers)

    def begin(self, verb=None):
        """The request as it is noted, or None where it was answered already."""
        path, _, query = self.path.partition("?")
        query = dict(urllib.parse.parse_qsl(query))
        parts = path.strip("/").split("/")
        rest = parts[2:] if parts[0] == "api" else parts[3:]
        if len(rest) > 2 and rest[0] == "namespaces" and rest[2] in TYPES:
            namespace, rest = rest[1], rest[2:]
        else:
            namespace = ""
        resource, name, sub = (rest + ["", "", ""])[:3]
        verb = verb or ("get" if name else "watch" if query.get("watch") == "true" else "list")
        length = int(self.headers.get("Content-Length", 0))
        asked = Asked(verb, resource, path, query, dict(self.headers), self.rfile.read(length), time.monotonic())
        owner = self.server.owner
        with owner.changed:
            owner.asked.append(asked)
            authorized = self.headers.get("Authorization") in {f"Bearer {token}" for token in owner.tokens}
            owner.changed.notify_all()
        if not authorized:
            return self.refuse(asked, 401, "Unauthorized")
        if resource not in TYPES or parts[:1] + parts[1:-len(rest) or None] == []:
            return self.refuse(asked, 404, "the server could not find the requested resource")
        failure = owner.take_failure(asked)
        if failure and failure.hang:
            while owner.still_hangs(failure):
                with owner.changed:
                    owner.changed.wait(1)
        elif failure:
            return self.refuse(asked, failure.status, "it fails", failure.headers)
        return asked, namespace, resource, name, sub

    def do_GET(self):
        begun = self.begin()
        if begun is None:
            return
        asked, namespace, resource, name, _ = begun
        if name:
            found = self.server.owner.get(resource, namespace, name)
            if found is None:
                return self.refuse(asked, 404, f"{resource} {name} not found")
            return self.answer(asked, 200, found)
        if asked.verb == "watch":
            return self.watch(asked, resource)
        return self.list(asked, resource)

    def list(self, asked, resource):
        owner = self.server.owner
        api_version, kind = TYPES[resource]
        with owner.changed:
            token = asked.query.get("continue")
            if token:
                number, start = map(int, base64.b64decode(token).decode().split(":"))
                version, items = owner.snapshots[number]
            else:
                number, start = owner.next_snapshot, 0
                owner.next_snapshot += 1
                version = owner.version
                items = copy.deepcopy(list(owner.objects.get(resource, {}).values()))
                owner.snapshots[number] = version, items
        end = start + min(int(asked.query.get("limit", owner.page_limit)), owner.page_limit)
        metadata = {"resourceVersion": str(version)}
        if end < len(items):
            metadata["continue"] = base64.b64encode(f"{number}:{end}".encode()).decode()
        page = [dict(item) for item in items[start:end]]
        if resource not in CUSTOM:
            for item in page:
                item.pop("kind")
                item.pop("apiVersion")
        self.answer(asked, 200, {"kind": f"{kind}List", "apiVersion": api_version, "metadata": metadata,
                                 "items": page or None})

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def watch(self, asked, resource):
        owner = self.server.owner
        at = int(asked.query["resourceVersion"])
        if at < owner.compacted.get(resource, 0):
            return self.refuse(asked, 410, "too old resource version")
        asked.status = 200
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        watcher = Watcher(resource)
        with owner.changed:
            owner.watchers.append(watcher)
        try:
            self.follow(watcher, at)
        finally:
            with owner.changed:
                owner.watchers.remove(watcher)

    def follow(self, watcher, at):
        owner = self.server.owner
        while True:
            with owner.changed:
                def news():
                    if watcher.is_silent:
                        return []
                    return [event for event in owner.history.get(watcher.resource, []) if event[0] > at]
                owner.changed.wait_for(lambda: watcher.orders or news(), 0.1)
                orders, watcher.orders = watcher.orders, []
                # What comes after an order is for the next watch.
                events = [] if orders else copy.deepcopy(news())
            for version, kind, item in events:
                self.chunk(json.dumps({"type": kind, "object": item}).encode() + b"\n")
                at = watcher.sent = version
            # Nothing is sent while one watches: what there is to be read is the end.
            if select.select([self.connection], [], [], 0)[0]:
                return
            for order in orders:
                if order == "cut":
                    self.chunk(b'{"type":"ADDED","object":{"kind":"Cut","metadata":{"name":"half')
                elif order == "gone":
                    status = {"kind": "Status", "status": "Failure", "reason": "Expired", "code": 410,
                              "message": f"too old resource version: {at}"}
                    self.chunk(json.dumps({"type": "ERROR", "object": status}).encode() + b"\n")
                elif order == "back":
                    self.chunk(b'{"type":"BOOKMARK","object":{"kind":"Back","metadata":{"resourceVersion":"1"}}}\n')
                elif order == "garble":
                    self.chunk(b'{"type":"ADDED","object":7}\n')
                if order in ("gone", "end"):
                    self.wfile.write(b"0\r\n\r\n")
                self.close_connection = True
                return

    def do_PATCH(self):
        begun = self.begin("patch")
        if begun is None:
            return
        asked, namespace, resource, name, sub = begun
        owner = self.server.owner
        found = owner.get(resource, namespace, name)
        if found is None:
            return self.refuse(asked, 404, f"{resource} {name} not found")
        patch = json.loads(asked.body)
        kind = self.headers["Content-Type"]
        if kind == "application/apply-patch+yaml":
            if not asked.query.get("fieldManager"):
                return self.refuse(asked, 400, "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value")
            if (patch.get("apiVersion"), patch.get("kind")) != (found["apiVersion"], found["kind"]):
                return self.refuse(asked, 400, "invalid object type")
        elif kind not in ("application/merge-patch+json", "application/strategic-merge-patch+json"):
            return self.refuse(asked, 415, "this patch is not known here")
        patch.pop("apiVersion", None)
        patch.pop("kind", None)
        if sub == "status":
            patch = {"status": patch.get("status")}
        merge(found, patch)
        owner.put(resource, found)
        return self.answer(asked, 200, owner.get(resource, namespace, name))


def merge(into, patch):
    """A JSON Merge Patch, with the lists of conditions by their type."""
    for key, value in patch.items():
        if value is None:
            into.pop(key, None)
        elif isinstance(value, dict):
            merge(into.setdefault(key, {}), value)
        elif key == "conditions":
            conditions = {one["type"]: one for one in into.get(key) or []}
            conditions.update({one["type"]: one for one in value})
            into[key] = list(conditions.values())
        else:
            into[key] = value
