# SPDX-License-Identifier: Apache-2.0
"""What the tests read of the repository."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[4]
BINDINGS = ROOT / "examples" / "bindings"
POLICIES = (BINDINGS / "policies.json").read_bytes()
REVIEW = (BINDINGS / "review.json").read_bytes()
CHANGED = (BINDINGS / "pod.json").read_bytes()
DENIED = (BINDINGS / "denied.json").read_bytes()
DECISIONS = (ROOT / "tests" / "examples" / "bindings_decisions.txt").read_text(encoding="utf-8")
CONFORMANCE = sorted((ROOT / "tests" / "conformance").glob("*.jsonl"))
GPU_TEAM = json.loads(POLICIES)["items"][2]
