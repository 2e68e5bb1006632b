# SPDX-License-Identifier: Apache-2.0
"""A Kubernetes control plane without nodes: etcd, API server, controllers and scheduler as processes of this machine,
on ports of the loopback interface that are free, with certificates of their own. Nodes are objects that nobody runs
pods for, so that pods are bound and never start."""

import base64
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import time

PROGRAMS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"]
START_SECONDS = 120


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_until(what, condition, seconds=START_SECONDS):
    """How long it took; an error where it never is."""
    begin = time.monotonic()
    while not condition():
        if time.monotonic() - begin > seconds:
            raise TimeoutError(f"waited {seconds} s until {what}")
        time.sleep(0.05)
    return time.monotonic() - begin


class Process:
    """A program that may be killed and started again, with the same arguments."""

    def __init__(self, work, name, *command, env=None):
        self.name, self.command, self.env = name, [str(part) for part in command], env
        self.log_path = pathlib.Path(work) / f"{name}.log"
        self.running = None
        self.start()

    def start(self):
        with open(self.log_path, "ab") as log:
            self.running = subprocess.Popen(self.command, stdout=log, stderr=log, env=self.env)  # pylint: disable=consider-using-with

    def log(self):
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def end(self, how=signal.SIGTERM):
        if self.running is None:
            return
        self.running.send_signal(how)
        try:
            self.running.wait(20)
        except subprocess.TimeoutExpired:
            self.running.kill()
            self.running.wait()
        self.running = None

    def kill(self):
        self.end(signal.SIGKILL)


class ControlPlane:
    def __init__(self, programs, work):
        self.programs, self.work = pathlib.Path(programs), pathlib.Path(work)
        self.processes, self.scheduler = [], None
        self.make_certificates()
        try:
            self.start()
        except BaseException:
            self.end()
            raise

    def start(self):
        etcd, peer, self.port = free_port(), free_port(), free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.kubeconfigs = {name: self.kubeconfig(name) for name in ("admin", "controller-manager", "scheduler")}
        self.context = ssl.create_default_context(cafile=self.work / "ca.crt")
        self.context.load_cert_chain(self.work / "admin.crt", self.work / "admin.key")
        self.etcd = self.run("etcd", f"--data-dir={self.work}/etcd", f"--listen-client-urls=http://127.0.0.1:{etcd}",
                             f"--advertise-client-urls=http://127.0.0.1:{etcd}", f"--listen-peer-urls=http://127.0.0.1:{peer}",
                             f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}", f"--initial-cluster=default=http://127.0.0.1:{peer}",
                             "--unsafe-no-fsync")
        key = self.work / "service-accounts.key"
        self.api_server = self.run(
            "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{etcd}", f"--secure-port={self.port}", "--bind-address=127.0.0.1",
            "--endpoint-reconciler-type=none", f"--client-ca-file={self.work}/ca.crt", f"--tls-cert-file={self.work}/server.crt",
            f"--tls-private-key-file={self.work}/server.key", f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}", "--service-account-issuer=https://kubernetes.default.svc",
            "--authorization-mode=RBAC", "--service-cluster-ip-range=10.96.0.0/16",
            # Nobody takes the taint of a new node away.
            "--disable-admission-plugins=TaintNodesByCondition")
        wait_until("the API server is ready", self.is_ready)
        self.controllers = self.run(
            "kube-controller-manager", f"--kubeconfig={self.kubeconfigs['controller-manager']}", "--leader-elect=false",
            f"--service-account-private-key-file={key}", f"--root-ca-file={self.work}/ca.crt", f"--secure-port={free_port()}",
            "--use-service-account-credentials=true", "--controllers=*,-node-lifecycle-controller,-taint-eviction-controller")

    def run(self, name, *options):
        self.processes.append(Process(self.work, name, self.programs / name, *options))
        return self.processes[-1]

    def start_scheduler(self, configuration):
        """By a KubeSchedulerConfiguration, which is a text."""
        file = self.work / "scheduler.yaml"
        file.write_text(configuration, encoding="utf-8")
        self.scheduler = self.run("kube-scheduler", f"--config={file}", f"--secure-port={free_port()}", "-v=2")

    def end(self):
        for process in reversed(self.processes):
            process.end()

    def openssl(self, *arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=self.work)

    def make_certificates(self):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", 30,
                     "-subj", "/CN=kubernetes", "-keyout", "ca.key", "-out", "ca.crt")
        self.openssl("genrsa", "-out", "service-accounts.key", 2048)
        for name, subject in (("server", "/CN=kube-apiserver"), ("admin", "/O=system:masters/CN=admin"),
                              ("controller-manager", "/CN=system:kube-controller-manager"),
                              ("scheduler", "/CN=system:kube-scheduler")):
            usage = "serverAuth" if name == "server" else "clientAuth"
            (self.work / f"{name}.ext").write_text(
                f"subjectAltName=DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1\nextendedKeyUsage={usage}\n", encoding="utf-8")
            self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", subject,
                         "-keyout", f"{name}.key", "-out", f"{name}.csr")
            self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", 30,
                         "-extfile", f"{name}.ext", "-out", f"{name}.crt")

    def kubeconfig(self, name):
        def data(file):
            return base64.b64encode((self.work / file).read_bytes()).decode()
        file = self.work / f"{name}.kubeconfig"
        file.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "clusters": [{"name": "here", "cluster": {"server": self.url, "certificate-authority-data": data("ca.crt")}}],
            "users": [{"name": "me", "user": {"client-certificate-data": data(f"{name}.crt"), "client-key-data": data(f"{name}.key")}}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}]}), encoding="utf-8")
        return file

    # Asked as an administrator.

    def ask(self, method, path, body=None, kind="application/json"):
        """The status and the object that comes back."""
        return self.ask_in_one_breath((method, path, body), kind=kind)

    def ask_in_one_breath(self, *requests, kind="application/json"):
        """Method, path and body of each, over one connection; what comes back of the last."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=60)
        try:
            for method, path, body in requests:
                connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": kind})
                response = connection.getresponse()
                text = response.read()
        finally:
            connection.close()
        return response.status, json.loads(text) if text.startswith(b"{") else text.decode()

    def is_ready(self):
        try:
            return self.ask("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def get(self, path):
        status, found = self.ask("GET", path)
        if status != 200:
            raise LookupError(f"GET {path}: {status}: {found}")
        return found

    def create(self, path, item):
        status, found = self.ask("POST", path, item)
        if status not in (200, 201):
            raise ValueError(f"POST {path}: {status}: {found}")
        return found

    def kubectl(self, *arguments, text=None):
        """The exit status, and what is printed, stderr included."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.work), "KUBECONFIG": str(self.kubeconfigs["admin"])}
        done = subprocess.run([self.programs / "kubectl", *map(str, arguments)], input=text, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=environment, timeout=300, check=False)
        return done.returncode, done.stdout

    def apply(self, *items):
        return self.kubectl("apply", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))


def metric(text, name):
    """The sum of a metric over all its labels that have those of `name`: `requests_total{verb="filter"}`."""
    wanted, _, labels = name.rstrip("}").partition("{")
    total = 0.0
    for line in text.splitlines():
        match = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if match and match[1] == wanted and all(one in (match[2] or "").split(",") for one in labels.split(",") if one):
            total += float(match[3])
    return total
