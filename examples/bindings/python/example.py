# SPDX-License-Identifier: Apache-2.0
"""Decides on two pods by policies: one is changed, one is denied.

python3 example.py DIRECTORY, which has policies.json, pod.json and denied.json
"""

import json
import pathlib
import sys
from typing import Any

import schedpol


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def show(decision: schedpol.Decision) -> None:
    """What became of the object: the patch of one that is allowed; why another one is denied, and what would help."""
    name = decision.object["metadata"]["name"]
    print(f"{name}: {'allowed' if decision.allowed else 'denied'}")
    for operation in decision.patch:
        print(f"  {operation['op']} {operation['path']} {compact(operation['value'])}")
    for reason in decision.reasons:
        print(f"  {reason}")
    for change in decision.nearest_fix:
        print(f"  it would be allowed with {change['field']}: {compact(change['to'])}")


def main(directory: pathlib.Path) -> int:
    try:
        engine = schedpol.Engine((directory / "policies.json").read_bytes())
    except schedpol.SchedpolError as error:
        for problem in error.problems:
            print(f"{problem.code} at {problem.field}")
        return 1
    for problem in engine.problems:
        print(f"problem: {problem}")
    for file in ("pod.json", "denied.json"):
        show(engine.decide((directory / file).read_bytes()))
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
