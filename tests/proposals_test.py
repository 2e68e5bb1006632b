# SPDX-License-Identifier: Apache-2.0
"""The library decides as the five proposals say: every YAML block of theirs is taken from the documents themselves,
given to `evaluate`, and asked about pods written after the text around it.

    proposals_test.py PATH_TO_EVALUATE_BINARY SOURCE_ROOT

Needs yaml, and the documents, which are no part of the project: in the directory $SCHEDPOL_PROPOSALS, or else in the
folder `seeds` of a directory beside the checkout.
"""

import importlib.util
import os
import pathlib
import sys
import threading

sys.dont_write_bytecode = True

from proposals import kupid, metadata_policy, resource_policy, runtime_class, scheduling_policy
from proposals.asking import Gone, Proposals, Refused
from proposals.documents import NOT_LITERAL

SKIPPED = 77
TIMEOUT_SECONDS = 120

CHECKS = (scheduling_policy.CHECKS + runtime_class.CHECKS + kupid.CHECKS + metadata_policy.CHECKS +
          resource_policy.CHECKS)


def blocks_are_accounted_for(t):
    """Every block is decided on; one that is not read as it stands is in the table, and only such ones are."""
    for key in sorted(set(NOT_LITERAL) - set(t.blocks)):
        t.problems.append(f"{key}: is in the table, and no block of the documents")
    for key in t.blocks:
        reason, meant = NOT_LITERAL.get(key, (None, None))
        reads = t.reads(key)
        if reason and reads:
            t.problems.append(f"{key}: is read as it is written, though the table says: {reason}")
        if not reason and not reads:
            t.problems.append(f"{key}: is not read as it is written, and the table does not say why")
        if key not in t.decided and (meant or not reason):
            t.problems.append(f"{key}: no check decides on it")


def folder_of_documents(root):
    """Where they are, or None."""
    named_folder = os.environ.get("SCHEDPOL_PROPOSALS")
    if named_folder:
        return pathlib.Path(named_folder)
    return next((path.parent for path in sorted(root.parent.glob("*/seeds/scheduling-policy.md"))), None)


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 1
    folder = folder_of_documents(pathlib.Path(sys.argv[2]).resolve())
    if importlib.util.find_spec("yaml") is None:
        print("SKIPPED: the python module yaml is not here")
        return SKIPPED
    if folder is None:
        print("SKIPPED: the proposals are not here; SCHEDPOL_PROPOSALS names the directory they are in")
        return SKIPPED
    import yaml  # pylint: disable=import-outside-toplevel
    t = Proposals(sys.argv[1], folder, yaml)
    stop = threading.Timer(TIMEOUT_SECONDS, t.process.kill)
    stop.start()
    for check in CHECKS:
        found = len(t.problems)
        try:
            check(t)
        except (AttributeError, KeyError, TypeError, ValueError, Gone, Refused) as problem:
            t.problems.append(f"{type(problem).__name__}: {problem}")
        t.problems[found:] = [f"{check.__name__}: {problem}" for problem in t.problems[found:]]
    try:
        blocks_are_accounted_for(t)
    except Gone as problem:
        t.problems.append(f"no reply to {problem}")
    stop.cancel()
    t.process.kill()
    t.process.wait()
    print(*t.problems, sep="\n")
    print(f"{t.checks} checks on {len(t.decided)} of {len(t.blocks)} blocks, {len(t.problems)} problems")
    return 1 if t.problems or not t.checks else 0


if __name__ == "__main__":
    sys.exit(main())
