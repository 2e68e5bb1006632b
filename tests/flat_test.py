# SPDX-License-Identifier: Apache-2.0
"""A check takes as long for ten thousand entries as for ten, a turn of a scheduling loop as long for twenty
thousand pods as for two, a decision as long among three thousand policies as among thirty. What is counted
are instructions, so that it does not matter what else the machine does.

    flat_test.py SCHEDULING_POLICY_PROGRAM RESOURCE_POLICY_PROGRAM ENGINE_PROGRAM
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Of each program few and many entries, and of each of its cases how many times more instructions many may
# take than few.
PROGRAMS = (
    (10, 10_000, {
        "scheduler names": 2, "node selector keys": 2, "node selector values": 2, "toleration patterns": 2,
        "toleration values": 2, "requirement patterns": 2, "requirement values": 2, "topology keys": 2,
        # Made to collide by somebody who knows the hash: a binary search is left, and no more.
        "names of one hash": 3,
    }),
    (2_000, 20_000, {"filter": 1.5, "filter, bind and unbind": 1.5}),
    # Three of the policies apply to the pod that is decided on.
    (30, 3_000, {
        "SchedulingPolicy by RBAC": 2, "SchedulingPolicy by every": 2, "PodSchedulingPolicy": 2,
        "ClusterPodSchedulingPolicy": 2, "ClusterPodSchedulingPolicy by namespace": 2, "MetadataPolicy": 2,
    }),
)


def instructions(program, name, entries):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=measured",
                              f"--callgrind-out-file={pathlib.Path(folder) / 'counts'}", program, name, str(entries)],
                             text=True, capture_output=True)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or run.stdout != "allowed\n" or collected is None:
        raise RuntimeError(f"{name}, {entries} entries: {run.stdout}{run.stderr}")
    return int(collected[1])


def main():
    if shutil.which("valgrind") is None:
        print("SKIPPED: valgrind is not here")
        sys.exit(77)
    looked_at = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [(name, few, many, most, [pool.submit(instructions, program, name, entries) for entries in (few, many)])
                   for program, (few, many, cases) in zip(sys.argv[1:], PROGRAMS, strict=True)
                   for name, most in cases.items()]
        for name, few, many, most, counts in running:
            with_few, with_many = (count.result() for count in counts)
            looked_at += 1
            if with_few < 50 or with_many > most * with_few:
                failed += 1
            print(f"{name}: {with_few} instructions with {few}, {with_many} with {many}, at most {most} times as many")
    print(f"{looked_at} cases, {failed} failures")
    sys.exit(1 if failed else 0)


main()
