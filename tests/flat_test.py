# SPDX-License-Identifier: Apache-2.0
"""A check takes as long for ten thousand entries as for ten, a turn of a scheduling loop as long for twenty
thousand pods as for two, a decision as long among three thousand policies as among thirty, and not much longer
to replace one of them, its role or its binding; a term of node affinity takes as long as it has expressions. What
is counted are instructions, so that it does not matter what else the machine does.

    flat_test.py PROGRAM
"""

import sys

sys.dont_write_bytecode = True
from count_instructions import are_countable, instructions

# What is done, few and many entries, and of each case of it how many times more instructions many may
# take than few.
CASES = (
    # Ten times as many, and what n log n adds.
    ("term", 200, 2_000, {"excluded values": 15, "bounds": 15}),
    ("check", 10, 10_000, {
        "scheduler names": 2, "node selector keys": 2, "node selector values": 2, "toleration patterns": 2,
        "toleration values": 2, "requirement patterns": 2, "requirement values": 2, "topology keys": 2,
        # Made to collide by somebody who knows the hash: a binary search is left, and no more.
        "names of one hash": 3,
    }),
    ("turn", 2_000, 20_000, {"filter": 1.5, "filter, bind and unbind": 1.5}),
    # Three of the policies apply to the pod that is decided on.
    ("decision", 30, 3_000, {
        "SchedulingPolicy by RBAC": 2, "SchedulingPolicy by every": 2, "PodSchedulingPolicy": 2,
        "ClusterPodSchedulingPolicy": 2, "ClusterPodSchedulingPolicy by namespace": 2, "MetadataPolicy": 2,
        # What a change copies is a part of all there are, and looks for its place in them.
        "SchedulingPolicy by RBAC, a policy replaced": 4, "SchedulingPolicy by RBAC, a role replaced": 4,
        "SchedulingPolicy by RBAC, a binding replaced": 5,
    }),
)


def main():
    if not are_countable():
        print("SKIPPED: valgrind is not here")
        sys.exit(77)
    arguments = [word for what, few, many, cases in CASES for name in cases for entries in (few, many)
                 for word in (what, name, str(entries))]
    said, counts = instructions(sys.argv[1], *arguments)
    looked_at = failed = 0
    for _, few, many, cases in CASES:
        for name, most in cases.items():
            with_few, with_many = (counts[f"{name}, {entries}"] for entries in (few, many))
            looked_at += 1
            if with_few < 50 or with_many > most * with_few:
                failed += 1
            print(f"{name}: {with_few} instructions with {few}, {with_many} with {many}, at most {most} times as many")
    if said != "allowed\n" * (2 * looked_at):
        failed += 1
        print(said)
    print(f"{looked_at} cases, {failed} failures")
    sys.exit(1 if failed else 0)


main()
