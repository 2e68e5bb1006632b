# SPDX-License-Identifier: Apache-2.0
"""Decisions a second of the packages for other languages beside those of C++, each on one thread and on two.

    bindings.py BUILD_ROOT SOURCE_ROOT [SECONDS [ROUNDS]]

BUILD_ROOT is one of an optimized library in which `tests/examples/packages_test.py` ran. In each round every language
has its turn; its figure is the median, and the factor that of the rounds' times. A second is one of processor time for
each thread, so that it does not matter what else the machine does; the first two seconds are left out of it, what
collects garbage and compiles in other threads is not. Threads that take turns would only wait, which is no processor
time: they are left out.
"""

import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 6.0
# In which every language is warm.
FEW_SECONDS = 2.0
TAKE_TURNS = {"Go (wazero)"}
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 3
BINDINGS = ROOT / "examples" / "bindings"
LIBRARY = BUILD / "examples" / "bindings"
MADE = BUILD / "packages"
ENVIRONMENT = dict(os.environ, SCHEDPOL_LIB_DIR=str(LIBRARY), CARGO_TARGET_DIR=str(MADE / "rust"),
                   CGO_LDFLAGS=f"-L{LIBRARY} -Wl,-rpath,{LIBRARY}")


def build(*command, directory, **environment):
    subprocess.run(command, cwd=directory, env={**ENVIRONMENT, **environment}, check=True)


def programs():
    """A command for each language that is here."""
    yield "C++", [LIBRARY / "benchmark_bindings"]
    if (MADE / "python" / "bin" / "python").exists():
        yield "Python", [MADE / "python" / "bin" / "python", BINDINGS / "python" / "benchmark.py"]
    if shutil.which("cargo"):
        build("cargo", "build", "--quiet", "--release", "--example", "benchmark", directory=BINDINGS / "rust")
        yield "Rust", [MADE / "rust" / "release" / "examples" / "benchmark"]
    if shutil.which("go"):
        build("go", "build", "-tags", "schedpol_installed", "-o", MADE / "go-benchmark", "./benchmark", directory=BINDINGS / "go")
        yield "Go (cgo)", [MADE / "go-benchmark"]
        if (BINDINGS / "go" / "schedpol.wasm").exists():
            build("go", "build", "-o", MADE / "go-benchmark-wazero", "./benchmark", directory=BINDINGS / "go", CGO_ENABLED="0")
            yield "Go (wazero)", [MADE / "go-benchmark-wazero"]
    if shutil.which("node") and (BINDINGS / "node" / "schedpol.wasm").exists():
        yield "Node (WebAssembly)", ["node", BINDINGS / "node" / "benchmark.js"]


def run(command, threads, seconds):
    """How many decisions it made, and in what processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*map(str, command), str(BINDINGS), str(threads), str(seconds)], text=True, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return int(done.stdout) * seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def decisions_a_second(command, threads):
    few, start = run(command, threads, FEW_SECONDS)
    many, whole = run(command, threads, SECONDS)
    return threads * (many - few) / (whole - start)


def main():
    commands = dict(programs())
    figures = {(name, threads): [] for name in commands for threads in (1, 2) if threads == 1 or name not in TAKE_TURNS}
    for _ in range(ROUNDS):
        for (name, threads), figure in figures.items():
            figure.append(decisions_a_second(commands[name], threads))
    print("| | decisions a second, one thread | times as long as C++ | two threads | times as long as C++ |")
    print("|---|---|---|---|---|")
    for name in commands:
        row = [name]
        for threads in (1, 2):
            if (name, threads) not in figures:
                row += ["", ""]
                continue
            factors = [base / own for base, own in zip(figures["C++", threads], figures[name, threads])]
            row += [f"{statistics.median(figures[name, threads]):,.0f}", f"{statistics.median(factors):.2f}"]
        print(f"| {' | '.join(row)} |")


main()
