# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, and twice, under all warnings, without exceptions and RTTI;
so do the single headers, and two translation units of them link.

    headers_test.py SOURCE_ROOT json|no-json COMPILER...

g++ looks at each header alone; another compiler, which has other warnings, at the umbrellas that include
them all. Of a header alone only the text is looked at: what it instantiates, which takes several times as
long, is what the umbrellas instantiate.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
WITH_JSON = sys.argv[2] == "json"
COMPILER = sys.argv[3:]
FLAGS = ["-std=c++20", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Wpedantic",
         "-Wconversion", "-Wshadow", "-Werror"]


def compile_source(text, *flags):
    return subprocess.run([*COMPILER, *FLAGS, *flags, "-x", "c++", "-"], input=text, text=True,
                          capture_output=True)


UMBRELLAS = ("schedpol/schedpol.hpp", "schedpol/json/json.hpp", "schedpol.hpp", "schedpol_json.hpp")
# After the first error a compiler that is told so stops, and instantiates nothing.
END = "reached the end of the headers"


def check_header(include):
    """What is wrong with a header; empty when nothing is."""
    directory, header = include
    source = f"#include <{header}>\n#include <{header}>\n"
    flags = ["-fsyntax-only", f"-I{ROOT / directory}"]
    if header in UMBRELLAS:
        run = compile_source(source, *flags)
        return header, run.stderr if run.returncode != 0 else ""
    run = compile_source(f'{source}static_assert(false, "{END}");\n', *flags, "-Wfatal-errors")
    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    return header, "" if len(errors) == 1 and END in errors[0] else run.stderr


def check_linking(directory):
    """Two translation units that both use what the headers define."""
    header = "schedpol_json.hpp" if WITH_JSON else "schedpol.hpp"
    use = "schedpol::scheduling_policy::check({}, schedpol::scheduling_policy::EffectivePolicy()).size()"
    if WITH_JSON:
        use += ' + schedpol::json::evaluate("").size()'
    units = {"one.o": f"#include <{header}>\nunsigned long other();\n"
                      f"int main() {{ return {use} == other() ? 0 : 1; }}\n",
             "two.o": f"#include <{header}>\nunsigned long other();\n"
                      f"unsigned long other() {{ return {use}; }}\n"}
    for name, text in units.items():
        run = compile_source(text, "-c", f"-I{ROOT / 'single_include'}", "-o", f"{directory}/{name}")
        if run.returncode != 0:
            return run.stderr
    libraries = ["-lsimdjson"] if WITH_JSON else []
    program = f"{directory}/linked"
    run = subprocess.run([*COMPILER, f"{directory}/one.o", f"{directory}/two.o", "-o", program, *libraries],
                         text=True, capture_output=True)
    if run.returncode != 0:
        return run.stderr
    return "" if subprocess.run([program]).returncode == 0 else "the two units disagree"


def main():
    headers = sorted(p.relative_to(ROOT / "include").as_posix() for p in (ROOT / "include").rglob("*.hpp"))
    if not headers:
        sys.exit("no headers found")
    if "clang" in COMPILER[0]:
        headers = [header for header in headers if header in UMBRELLAS]
    includes = [("include", header) for header in headers]
    includes += [("single_include", "schedpol.hpp"), ("single_include", "schedpol_json.hpp")]
    if not WITH_JSON:
        left_out = [include for include in includes if "json" in include[1]]
        includes = [include for include in includes if include not in left_out]
        print(f"SKIPPED without simdjson: {len(left_out)} headers")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, errors in pool.map(check_header, includes):
            if errors:
                failed += 1
                print(f"{header} does not compile:\n{errors}")
    with tempfile.TemporaryDirectory() as directory:
        if errors := check_linking(directory):
            failed += 1
            print(f"two translation units of the single header do not link:\n{errors}")
    print(f"{len(includes)} headers compiled alone and twice, {failed} failures")
    sys.exit(1 if failed else 0)


main()
