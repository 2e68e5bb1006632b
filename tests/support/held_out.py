# SPDX-License-Identifier: Apache-2.0
"""How far the share of fragile owners that `schedpol suggest` tells predicts what comes next: of made-up clusters 40
workloads are held out, the rest is suggested for, and `check` is asked about the 40.

    held_out.py PROGRAM [SEEDS]

prints both shares and their mean difference over so many seeds (20). No test needs it: it says what is, not what should be.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from inventory import Inventory, listed

HELD_OUT = 40
SETTINGS = {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration", "policyUse": "Rbac",
            "systems": [{"system": "SchedulingPolicy"}], "options": {"governs": "All"}}


def shares(program, seed, place):
    """What share of the owners is told to be fragile, and what share of those that were held out is denied."""
    objects = Inventory(seed).objects
    workloads = [one for one in objects if one["kind"] in ("Deployment", "StatefulSet", "CronJob")
                 and one["metadata"]["name"].startswith("w")]
    held_out = random.Random(seed).sample(workloads, HELD_OUT)
    names = {one["metadata"]["name"] for one in held_out}
    rest = [one for one in objects if one["metadata"]["name"].split("-")[0] not in names]
    (place / "rest.json").write_text(json.dumps(listed(rest)))
    suggestion = json.loads(subprocess.run([program, "suggest", "rest.json", "--components", "All", "-o", "json"],
                                           cwd=place, capture_output=True, check=True).stdout)
    suggested = [SETTINGS, *suggestion["policies"], *suggestion["roles"], *suggestion["bindings"]]
    (place / "suggested.json").write_text(json.dumps(listed(suggested)))
    denied = 0
    for one in held_out:
        (place / "one.json").write_text(json.dumps(one))
        denied += subprocess.run([program, "check", "suggested.json", "--for", "one.json"], cwd=place,
                                 capture_output=True, check=False).returncode == 1
    return suggestion["fragile"]["denied"] / suggestion["fragile"]["owners"], denied / HELD_OUT


def main(program, seeds="20"):
    program = str(pathlib.Path(program).resolve())
    with tempfile.TemporaryDirectory() as place:
        pairs = [shares(program, seed, pathlib.Path(place)) for seed in range(int(seeds))]
    mean = [sum(of) / len(pairs) for of in zip(*pairs)]
    difference = sum(abs(told - denied) for told, denied in pairs) / len(pairs)
    print(f"told: {mean[0]:.1%}, denied: {mean[1]:.1%}, mean difference: {difference:.1%} ({len(pairs)} seeds)")


if __name__ == "__main__":
    main(*sys.argv[1:])
