# SPDX-License-Identifier: Apache-2.0
"""What using schedpol costs a compiler, header-only and compiled, and what a part of it costs a program."""

import os
import pathlib
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
USE = HERE / "use"
QUICKSTART = ROOT / "examples" / "quickstart.cpp"
COMPILED = ["-DSCHEDPOL_COMPILED"]

# What is compiled, with which flags.
FILES = {
    "standard": (USE / "standard.cpp", ["-fsyntax-only"]),
    "umbrella, compiled": (USE / "umbrella.cpp", ["-fsyntax-only", *COMPILED]),
    "umbrella, header-only": (USE / "umbrella.cpp", ["-fsyntax-only"]),
}
for level in ("-O0", "-O2"):
    for mode, flags in (("compiled", COMPILED), ("header-only", [])):
        FILES[f"quickstart, {mode}, {level}"] = (QUICKSTART, [level, *flags])
        FILES[f"json, {mode}, {level}"] = (USE / "json.cpp", [level, *flags])
    FILES[f"review, {level}"] = (USE / "review.cpp", [level])
    FILES[f"nlohmann, {level}"] = (USE / "nlohmann.cpp", [level])


class Cost:
    """Of one compilation: its seconds of CPU, and how many MB the compiler took."""

    def __init__(self, seconds, megabytes):
        self.seconds = seconds
        self.megabytes = megabytes

    def __str__(self):
        return f"{self.seconds:.2f} s, {self.megabytes:.0f} MB"


def cost_of(command):
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    errors = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)}\n{errors}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def compile_costs(compiler, build, with_nlohmann, repetitions=3):
    """By the names above: the median cost. All take turns, so that a busy moment does not hit one alone."""
    taken = {name: [] for name in FILES if with_nlohmann or not name.startswith("nlohmann")}
    for _ in range(repetitions):
        for name, costs in taken.items():
            source, flags = FILES[name]
            output = [] if "-fsyntax-only" in flags else ["-c", "-o", str(build / "use.o")]
            costs.append(cost_of([compiler, "-std=c++20", f"-I{ROOT / 'include'}", *flags, str(source), *output]))
    return {name: Cost(statistics.median(cost.seconds for cost in costs), statistics.median(cost.megabytes for cost in costs))
            for name, costs in taken.items()}


def text_size(path):
    """The bytes of code and constants, as `size` counts them."""
    lines = subprocess.run(["size", str(path)], check=True, capture_output=True, text=True).stdout.splitlines()
    return int(lines[1].split()[0])


def program_sizes(compiler, build):
    """Object and program of a source that uses RuntimeClass alone, header-only."""
    made, program = build / "one_system.o", build / "one_system"
    flags = ["-std=c++20", "-O2", "-DNDEBUG", f"-I{ROOT / 'include'}"]
    subprocess.run([compiler, *flags, "-c", str(USE / "one_system.cpp"), "-o", str(made)], check=True)
    subprocess.run([compiler, str(made), "-o", str(program)], check=True)
    return {"object": text_size(made), "program": text_size(program)}
