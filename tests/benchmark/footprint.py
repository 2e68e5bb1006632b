# SPDX-License-Identifier: Apache-2.0
"""What including schedpol costs a compiler, and what using a part of it costs a program."""

import pathlib
import re
import statistics
import subprocess
import time

SYSTEM_INCLUDE = re.compile(r"^#include <([a-z_]+)>", re.MULTILINE)

USES_ONE_SYSTEM = """#include <schedpol/runtime_class/runtime_class.hpp>
int main(int arguments, char** values) {
  schedpol::runtime_class::RuntimeClass kata;
  kata.metadata.name = "kata";
  kata.scheduling.emplace().node_selector = {{"sandbox", "kata"}};
  schedpol::Pod pod;
  pod.spec.runtime_class_name = values[arguments - 1];
  return schedpol::runtime_class::admit(pod, {{kata}}).allowed ? 0 : 1;
}
"""


def needed_headers(root):
    """The standard headers that everything but json/ includes."""
    include = root / "include" / "schedpol"
    headers = {name for path in include.rglob("*.hpp") if "json" not in path.relative_to(include).parts
               for name in SYSTEM_INCLUDE.findall(path.read_text(encoding="ascii"))}
    if not headers:
        raise SystemExit("no standard header is included anywhere")
    return sorted(headers)


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def compile_times(compiler, root, build, repetitions=5):
    """For each way to compile: the median seconds with the umbrella header, and with only the standard
    headers it needs. The two take turns, so that a busy moment does not hit one of them alone."""
    sources = {"umbrella": "#include <schedpol/schedpol.hpp>\n",
               "standard": "".join(f"#include <{name}>\n" for name in needed_headers(root))}
    for name, text in sources.items():
        (build / f"{name}.cpp").write_text(text + "int main() { return 0; }\n", encoding="ascii")
    medians = {}
    for flag in ("-fsyntax-only", "-c"):
        taken = {name: [] for name in sources}
        for _ in range(repetitions):
            for name in sources:
                output = [] if flag == "-fsyntax-only" else ["-o", str(build / f"{name}.o")]
                taken[name].append(seconds([compiler, "-std=c++20", "-O2", f"-I{root / 'include'}", flag,
                                            str(build / f"{name}.cpp"), *output]))
        medians[flag] = {name: statistics.median(times) for name, times in taken.items()}
    return medians


def text_size(path):
    """The bytes of code and constants, as `size` counts them."""
    lines = subprocess.run(["size", str(path)], check=True, capture_output=True, text=True).stdout.splitlines()
    return int(lines[1].split()[0])


def program_sizes(compiler, root, build):
    """Object and program of a source that uses RuntimeClass alone."""
    source, made, program = (build / name for name in ("one_system.cpp", "one_system.o", "one_system"))
    source.write_text(USES_ONE_SYSTEM, encoding="ascii")
    flags = ["-std=c++20", "-O2", "-DNDEBUG", f"-I{root / 'include'}"]
    subprocess.run([compiler, *flags, "-c", str(source), "-o", str(made)], check=True)
    subprocess.run([compiler, str(made), "-o", str(program)], check=True)
    return {"object": text_size(made), "program": text_size(program)}
