# SPDX-License-Identifier: Apache-2.0
"""What a request costs is in proportion to its bytes. Of all that tests/bounds/run asks this is a sample, in which time
decides nothing: of one request of each operation the instructions, where valgrind is, at two sizes, and the memory at a third; and the
memory of what was once beyond its bound, and of some of it the instructions.

    bounds_test.py PROGRAM
"""

import concurrent.futures
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent / "bounds"))
import known
import measure
import shapes
from count_instructions import are_countable

SMALL, LARGE, LARGER = 3_000, 12_000, 100_000
# What grows with n log n grows little faster than the bytes; with their square four times as fast.
MOST_GROWTH = 2
# Instructions a byte, below which nothing is dear at 1 MB even if it grew on.
FEW = 1_000
MOST_MEMORY = 64  # a byte
# What limits leave to a request, however small it is.
SPARE_MEMORY = 16_000_000
SPARE_OF_KNOWN = 86_000_000
# Where each is held against each, up to a limit or a budget of its own: what those cost in instructions a byte at most.
UP_TO_A_BUDGET = {"runtimeClass.admit": 10_000, "schedulingPolicy.nearestFix": 10_000}


def sample():
    """A variant of each operation: of a door and a verb, or of an op; of reviews one in three."""
    taken = set()
    for i, request in enumerate(shapes.operations()):
        name = request.name.split(":")[0]
        if name in taken or (request.writes and i % 3 > 0):
            continue
        taken.add(name)
        variants = list(measure.variants(request, 1))
        if variants:
            yield variants[len(variants) // 2]


def growth_problem(variant, small, large):
    (bytes_, instructions), (more_bytes, more_instructions) = small, large
    most = UP_TO_A_BUDGET.get(variant.request.name.split(":")[0], FEW)
    if more_instructions <= most * more_bytes:
        return ""
    # A request of a few kilobytes is for the most part what stays as long as it is; the lists have the rest.
    around = sum(map(len, measure.made(variant, 1)[:2]))
    if more_instructions * (bytes_ - around) <= MOST_GROWTH * instructions * (more_bytes - around):
        return ""
    return f"{instructions} instructions for {bytes_} bytes, then {more_instructions} for {more_bytes}"


def growth_problems(program, variants):
    if not are_countable():
        print("instructions are SKIPPED: valgrind is not here")
        return
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        small, large = pool.map(lambda size: measure.instructions(program, variants, size), (SMALL, LARGE))
    for variant, *counts in zip(variants, small, large):
        problem = growth_problem(variant, *counts)
        print(f"{variant}: {counts[0][1] / counts[0][0]:.0f} and {counts[1][1] / counts[1][0]:.0f} instructions a byte")
        if problem:
            yield f"{variant}: {problem}"


def instruction_problems(program, requests):
    """Of what would be dear with the square of something, so that few instructions a byte tell."""
    if not are_countable():
        return
    counts = measure.instructions(program, [measure.Variant(request) for request in requests], 0)
    for request, (bytes_, instructions) in zip(requests, counts):
        print(f"{request.name}: {instructions / bytes_:.0f} instructions a byte")
        if instructions > FEW * bytes_:
            yield f"{request.name}: {instructions} instructions for {bytes_} bytes"


def memory_problem(cost, spare):
    most = MOST_MEMORY * cost.bytes + spare
    return f"{cost}: more than {most / 1e6:.1f} MB" if cost.memory > most else ""


def main():
    path = sys.argv[1]
    program = measure.Program(path)
    variants = list(sample())
    problems = list(growth_problems(path, variants))
    problems += instruction_problems(path, list(known.counted()))
    problems += [memory_problem(program.ask(variant, LARGER), SPARE_MEMORY) for variant in variants]
    old = [program.ask(measure.Variant(request)) for request in known.requests()]
    problems += [memory_problem(cost, SPARE_OF_KNOWN) for cost in old]
    problems = [problem for problem in problems if problem]
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"{len(variants)} variants, {len(old)} known requests, {len(problems)} failures")
    sys.exit(1 if problems or len(variants) < 40 or len(old) < 20 else 0)


main()
