# SPDX-License-Identifier: Apache-2.0
"""Who decides on an object: the API server and the library, and what of their answers is compared."""

import copy
import http.client
import json
import re
import subprocess
import time

from wishes import WORKLOADS, spec_of

USER = {"name": "admin", "groups": ["system:masters", "system:authenticated"]}


class Server:
    """The API server, over one connection."""

    def __init__(self, plane):
        self.plane = plane
        self.connection = http.client.HTTPSConnection("127.0.0.1", plane.port, context=plane.context, timeout=60)
        self.used = time.monotonic()

    @staticmethod
    def place(item, name=""):
        version, resource = ("v1", "pods") if item["kind"] == "Pod" else WORKLOADS[item["kind"]]
        root = "/api/v1" if version == "v1" else f"/apis/{version}"
        return f"{root}/namespaces/{item['metadata']['namespace']}/{resource}{'/' * bool(name)}{name}"

    def send(self, method, path, item):
        if time.monotonic() - self.used > 30:  # before the API server ends it, after 90 seconds in which nobody asked
            self.connection.close()
        self.used = time.monotonic()
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
# Of several denials an API server says the first.
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
