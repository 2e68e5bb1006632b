# SPDX-License-Identifier: Apache-2.0
"""The way from audit to enforce in the README of the command line: every command there prints what it shows, by an
inventory and a rehearsal that are made up.

    cli_enforcing_test.py PROGRAM SOURCE_ROOT
"""

import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from cli_suggest_test import GPU, baseline, lines_of, need
from cli_support import TIMEOUT_SECONDS, deployment, engine, pod, run
from inventory import listed

DISK = {"disk": "ssd"}


def running(name, namespace, account, pods, **spec):
    """A StatefulSet and its pods, as a cluster prints them."""
    stored = {"uid": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}
    spec = {"serviceAccountName": account, "schedulerName": "default-scheduler", **spec}
    workload = deployment(name, namespace, **spec) | {"kind": "StatefulSet"}
    workload["metadata"] |= stored
    yield workload
    for i in range(pods):
        one = pod(f"{name}-{i}", namespace, name, nodeName=f"node-{i}", **spec)
        owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": name, "uid": "1", "controller": True}
        one["metadata"] |= stored | {"ownerReferences": [owner]}
        yield one


FILES = {
    "there/engine.json": engine("SchedulingPolicy", policyUse="Rbac", namespaceModes={"weakest": "Warn"}, options={"governs": "All"}),
    "there/cluster.json": listed(baseline()),
    "inventory.json": listed([*running("web", "shop", "web", 4), *running("search", "shop", "search", 2, nodeSelector=DISK)]),
    # A CronJob that runs once a month, and what the webhook of a service mesh adds to every pod.
    "needs.jsonl": lines_of(
        need(96, "web-0", "web", namespace="shop", tolerations=[{"key": "mesh", "operator": "Exists", "effect": "NoSchedule"}]),
        need(1, "invoices-29384", "invoices", namespace="shop", priorityClassName="low", tolerations=[GPU]))}


def the_readme_shows_what_is_printed(cli, root):
    readme = (root / "examples/cli/README.md").read_text(encoding="utf-8")
    page = re.search(r"^## From audit to enforce\n(.*?)^## ", readme, re.MULTILINE | re.DOTALL)[1]
    shown = "".join(re.findall(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    place = cli.folder(FILES)
    path = str(pathlib.Path(cli.program).parent) + os.pathsep + os.environ["PATH"]
    printed = []
    for command in re.findall(r"^\$ (.*)", shown, re.MULTILINE):
        done = subprocess.run(["sh", "-c", command], cwd=place, capture_output=True, text=True, check=False,
                              timeout=TIMEOUT_SECONDS, env=os.environ | {"PATH": path})
        printed.append(f"$ {command}\n{done.stdout}{done.stderr}")
    if len(printed) < 9:
        yield f"there are {len(printed)} commands"
    yield from difflib.unified_diff(shown.splitlines(), "".join(printed).splitlines(), "README", "printed", lineterm="")


if __name__ == "__main__":
    sys.exit(run(__doc__, [the_readme_shows_what_is_printed]))
