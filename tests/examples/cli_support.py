# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: a folder of its own for each run, and objects in short."""

import json
import pathlib
import subprocess
import sys
import tempfile

TIMEOUT_SECONDS = 300
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def meta(name, namespace=None, **more):
    return {"name": name} | ({"namespace": namespace} if namespace else {}) | more


def engine(*systems, mode="Enforce", **more):
    return {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration", "policyUse": "Every",
            "systems": [{"system": system, "mode": mode} for system in systems]} | more


def policy(name, allowed=None, required=None, default=None):
    """A SchedulingPolicy; without more, it allows every scheduler and nothing else."""
    spec = {"allowed": {"schedulerNames": []} if allowed is None else allowed}
    spec |= {"required": required} if required else {}
    spec |= {"default": default} if default else {}
    return {"apiVersion": "schedpol.io/v1alpha1", "kind": "SchedulingPolicy", "metadata": meta(name), "spec": spec}


def pod(name="p", namespace="n", app="web", **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, namespace, labels={"app": app}), "spec": spec}


def deployment(name="web", namespace="shop", labels=None, **spec):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(name, namespace),
            "spec": {"template": {"metadata": {"labels": labels or {"app": name}}, "spec": spec}}}


def text_of(value):
    """YAML of objects: what is a text stays as it is, and several are a stream."""
    if isinstance(value, (str, bytes)):
        return value
    return "\n---\n".join(json.dumps(one) for one in (value if isinstance(value, list) else [value]))


class Run:
    """What a run of the program came to."""

    def __init__(self, done, place):
        self.status, self.out, self.err, self.place = done.returncode, done.stdout, done.stderr, place

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return f"exit status {self.status}\n{self.out}\n{self.err}"


class Cli:
    """Runs the program in a folder of its own with files in it."""

    def __init__(self, program, directory):
        self.program = str(pathlib.Path(program).resolve())
        self.directory = pathlib.Path(directory)
        self.runs = 0

    def folder(self, files):
        self.runs += 1
        place = self.directory / str(self.runs)
        place.mkdir()
        for name, value in files.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = text_of(value)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return place

    def __call__(self, *arguments, files=None, stdin="", place=None, env=None):
        place = place or self.folder(files or {})
        stdin = text_of(stdin)
        done = subprocess.run([self.program, *arguments], cwd=place, capture_output=True, env=env, check=False,
                              input=stdin if isinstance(stdin, bytes) else stdin.encode(), timeout=TIMEOUT_SECONDS)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        return Run(done, place)


def run(description, checks):
    """Runs each `check(cli, source root)`, which yields what is wrong. The status to end with."""
    if len(sys.argv) != 3:
        print(description)
        return 1
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        cli = Cli(sys.argv[1], directory)
        for check in checks:
            try:
                problems = list(check(cli, pathlib.Path(sys.argv[2])))
            except Exception as problem:  # pylint: disable=broad-exception-caught
                problems = [repr(problem)]
            for problem in problems:
                print(f"{check.__name__}: {problem}")
            failed += len(problems)
    return 1 if failed else 0
