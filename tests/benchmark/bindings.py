# SPDX-License-Identifier: Apache-2.0
"""Decisions a second of the packages for other languages beside those of C++, each on one thread and on two.

    bindings.py BUILD_ROOT SOURCE_ROOT [SECONDS [ROUNDS]]

BUILD_ROOT is one of an optimized library in which `tests/examples/packages_test.py` ran. In each round every language
has its turn; its figure is the median, and the factor that of the rounds' times.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
SECONDS = sys.argv[3] if len(sys.argv) > 3 else "2"
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
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


def main():
    commands = dict(programs())
    figures = {(name, threads): [] for name in commands for threads in (1, 2)}
    for _ in range(ROUNDS):
        for (name, threads), figure in figures.items():
            done = subprocess.run([*map(str, commands[name]), str(BINDINGS), str(threads), SECONDS], text=True,
                                  capture_output=True, check=True)
            figure.append(int(done.stdout))
    print("| | decisions a second, one thread | times as long as C++ | two threads | times as long as C++ |")
    print("|---|---|---|---|---|")
    for name in commands:
        row = [name]
        for threads in (1, 2):
            factors = [base / own for base, own in zip(figures["C++", threads], figures[name, threads])]
            row += [f"{statistics.median(figures[name, threads]):,.0f}", f"{statistics.median(factors):.2f}"]
        print(f"| {' | '.join(row)} |")


main()
