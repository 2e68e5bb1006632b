# SPDX-License-Identifier: Apache-2.0
"""A request that is four times as large costs about four times as much, and takes no more than 64 bytes of
memory for each of its own, whatever was made of it. What is counted are allocations, the most bytes in use and,
where valgrind is, instructions, so that it does not matter what else the machine does.

    bounds_test.py PROGRAM
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LARGER = 4
# What grows with n log n grows so many times at most, with some to spare; with the square of n 16 times.
MOST = 1.6 * LARGER
MOST_MEMORY = 64
# What is too small to tell how it grows.
FEW_ALLOCATIONS = 1_000


def run(program, name, times):
    with tempfile.TemporaryDirectory() as folder:
        counting = ["valgrind", "--tool=callgrind", "--toggle-collect=*measured*",
                    f"--callgrind-out-file={pathlib.Path(folder) / 'counts'}"] if shutil.which("valgrind") else []
        done = subprocess.run([*counting, program, name, str(times)], text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"{name}, {times} times: {done.stdout}{done.stderr}")
    collected = re.search(r"Collected : (\d+)", done.stderr)
    return [*map(int, done.stdout.split()), int(collected[1]) if collected else 0]


def problems(small, large):
    _, allocations, _, _, _, instructions = small
    size, more_allocations, memory, spare, _, more_instructions = large
    if more_allocations > max(MOST * allocations, FEW_ALLOCATIONS):
        yield f"{allocations} allocations, then {more_allocations}"
    if more_instructions > MOST * instructions:
        yield f"{instructions} instructions, then {more_instructions}"
    if memory > MOST_MEMORY * size + spare:
        yield f"{memory} bytes of memory for {size}"


def main():
    program = sys.argv[1]
    names = subprocess.run([program], text=True, capture_output=True, check=True).stdout.splitlines()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [(name, [pool.submit(run, program, name, times) for times in (1, LARGER)]) for name in names]
        for name, counts in running:
            small, large = (count.result() for count in counts)
            found = list(problems(small, large))
            failed += len(found) > 0
            print(f"{name}: {small[0]} and {large[0]} bytes, allocations {small[1]} and {large[1]}, "
                  f"memory {large[2] / large[0]:.1f} bytes a byte, instructions {small[5]} and {large[5]}"
                  + "".join(f"\n  FAILED: {problem}" for problem in found))
    if shutil.which("valgrind") is None:
        print("instructions are SKIPPED: valgrind is not here")
    print(f"{len(names)} cases, {failed} failures")
    sys.exit(1 if failed or len(names) < 10 else 0)


main()
