# SPDX-License-Identifier: Apache-2.0
"""A request that is four times as large costs about four times as much, and takes no more than 64 bytes of
memory for each of its own, whatever was made of it. What is counted are allocations, the most bytes in use and,
where valgrind is, instructions, so that it does not matter what else the machine does.

    bounds_test.py PROGRAM
"""

import concurrent.futures
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from count_instructions import are_countable, instructions

LARGER = 4
# What grows with n log n grows so many times at most, with some to spare; with the square of n 16 times.
MOST = 1.6 * LARGER
MOST_MEMORY = 64
# What is too small to tell how it grows.
FEW_ALLOCATIONS = 1_000


def called(*command):
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout.splitlines()


def counted(program, times):
    """Of each case, so many times as large: bytes, allocations, the most memory, what limits leave to it."""
    return [list(map(int, line.split()))[:4] for line in called(program, str(times))]


def problems(small, large):
    _, allocations, _, _, instructions = small
    size, more_allocations, memory, spare, more_instructions = large
    if more_allocations > max(MOST * allocations, FEW_ALLOCATIONS):
        yield f"{allocations} allocations, then {more_allocations}"
    if more_instructions > MOST * instructions:
        yield f"{instructions} instructions, then {more_instructions}"
    if memory > MOST_MEMORY * size + spare:
        yield f"{memory} bytes of memory for {size}"


def main():
    program = sys.argv[1]
    counted_of = [line.split(" ", 1) for line in called(program)]
    names = [name for _, name in counted_of]
    counts = {times: counted(program, times) for times in (1, LARGER)}
    if are_countable():
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            running = {times: pool.submit(instructions, program, "instructions", str(times)) for times in (1, LARGER)}
            spent = {times: count.result()[1] for times, count in running.items()}
    else:
        print("instructions are SKIPPED: valgrind is not here")
        spent = {times: dict.fromkeys(names, 0) for times in (1, LARGER)}
    failed = 0
    for i, name in enumerate(names):
        small, large = ([*counts[times][i], spent[times][name] if counted_of[i][0] == "instructions" else 0]
                        for times in (1, LARGER))
        found = list(problems(small, large))
        failed += len(found) > 0
        print(f"{name}: {small[0]} and {large[0]} bytes, allocations {small[1]} and {large[1]}, "
              f"memory {large[2] / large[0]:.1f} bytes a byte, instructions {small[4]} and {large[4]}"
              + "".join(f"\n  FAILED: {problem}" for problem in found))
    print(f"{len(names)} cases, {failed} failures")
    sys.exit(1 if failed or len(names) < 10 else 0)


main()
