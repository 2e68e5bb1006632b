# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, and twice, under all warnings, without exceptions and RTTI, whether it
brings its bodies or they are compiled elsewhere; so do the single headers. Two translation units link in
either way, and one of each; so does the quickstart, on the single headers. An older C++ is told once.

    headers_test.py SOURCE_ROOT COMPILED_LIBRARY json|no-json COMPILER...

What takes long is done by one of two compilers. With g++ each header finds the standard ones there already,
compiled (what a header includes of those is a test of the repository), and those of ours that it has in anyway;
only the umbrellas bring their bodies, and units are linked with COMPILED_LIBRARY, the bodies of the headers
below include/. With clang every header is alone, with its bodies too, and units are linked with the library that
the single headers are.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
LIBRARY = sys.argv[2]
WITH_JSON = sys.argv[3] == "json"
COMPILER = sys.argv[4:]
IS_CLANG = "clang" in COMPILER[0]
SCRATCH = tempfile.TemporaryDirectory()
# Where they are compiled once, the standard headers, and with them those of ours that many have in: of each the
# headers that come in with it, and the flags.
PRECOMPILED = []
BASES = ("schedpol/core/pod.hpp", "schedpol/core/admission.hpp")
FLAGS = ["-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
COMPILED = "-DSCHEDPOL_COMPILED"
UMBRELLAS = ["schedpol/schedpol.hpp"] + (["schedpol/json.hpp"] if WITH_JSON else [])
DIRECTORIES = ("include", "single_include")
# After the first error a compiler that is told so stops, and instantiates nothing.
END = "reached the end of the headers"


def compile_source(text, directory, *flags):
    return subprocess.run([*COMPILER, "-std=c++20", *FLAGS, f"-I{ROOT / directory}", *flags, "-x", "c++", "-"],
                          input=text, text=True, capture_output=True)


def twice(header):
    return f"#include <{header}>\n#include <{header}>\n"


def included_by(header):
    """The headers that come in first with a header of include/ and without bodies, in their order."""
    text = (ROOT / "include" / header).read_text(encoding="ascii")
    return [name for name in re.findall(r"^#include <([^>]+\.hpp)>", text, re.MULTILINE) if name.startswith("schedpol/")]


def closure(header):
    """A header and all that come in with it."""
    found, waiting = set(), [header]
    while waiting:
        header = waiting.pop()
        if header not in found:
            found.add(header)
            waiting += included_by(header)
    return found


def precompile():
    files = [path for path in (ROOT / "include").rglob("*.[hi]pp")]
    standard = sorted({name for path in files for name in
                       re.findall(r"^#include <([a-z_]+)>", path.read_text(encoding="ascii"), re.MULTILINE)})

    def made(base):
        header = pathlib.Path(SCRATCH.name) / (pathlib.Path(base).name or "standard.hpp")
        header.write_text("".join(f"#include <{name}>\n" for name in [*standard, *filter(None, [base])]), encoding="ascii")
        flags = [f"-I{ROOT / 'include'}", *([COMPILED] if base else [])]
        subprocess.run([*COMPILER, "-std=c++20", *FLAGS, *flags, "-x", "c++-header", str(header), "-o", f"{header}.gch"], check=True)
        return closure(base) if base else set(), ["-include", str(header)]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        PRECOMPILED.extend(sorted(pool.map(made, ("", *BASES)), key=lambda one: len(one[0])))


def precompiled(header=None):
    """The flags with which there is already most of what a header has in, if it is one of include/, and no other of ours."""
    inside = closure(header) - {header} if header else set()
    return next((flags for headers, flags in reversed(PRECOMPILED) if headers <= inside), [])


def compiles_without_bodies(directory, header):
    there = precompiled(header if directory == "include" else None)
    run = compile_source(twice(header), directory, COMPILED, "-fsyntax-only", *there)
    return run.stderr if run.returncode != 0 else ""


def parses_with_bodies(directory, header):
    """Only the text is looked at: what it instantiates, which takes several times as long, is what the
    umbrellas instantiate."""
    run = compile_source(f'{twice(header)}static_assert(false, "{END}");\n', directory, "-fsyntax-only", "-Wfatal-errors",
                         *precompiled())
    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    return "" if len(errors) == 1 and END in errors[0] else run.stderr


def compiles_with_bodies(directory, header):
    """Also that all that is defined may be defined in every translation unit."""
    with tempfile.TemporaryDirectory() as scratch:
        made = f"{scratch}/all.o"
        run = compile_source(twice(header), directory, "-c", "-o", made)
        return run.stderr if run.returncode != 0 else strong_symbols(made)


def strong_symbols(made):
    symbols = subprocess.run(["nm", "-C", made], check=True, text=True, capture_output=True).stdout.splitlines()
    return "\n".join(line for line in symbols if re.search(" [TDBR] (?!first|quickstart)", line))


def tells_an_older_language(directory, header):
    run = compile_source(twice(header), directory, "-std=c++17", "-fsyntax-only")
    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    told = len(errors) == 2 and "schedpol needs C++20" in errors[0] and "nothing more is read" in errors[1]
    return "" if told else f"compiled as C++17 says\n{run.stderr}"


def tells_an_older_language_first(directory, header):
    """The header that tells it comes before anything else."""
    while header != "schedpol/version.hpp":
        text = (ROOT / directory / header).read_text(encoding="ascii")
        first = re.search(r"^ *[^/ \n].*", text.replace("#pragma once", ""), re.MULTILINE)[0]
        if not (include := re.fullmatch(r"#include <(schedpol/.*)>", first)):
            return f"begins with {first}"
        header = include[1]
    return ""


def links(directory, header):
    """Two units of a program that use what the headers define, each in both ways, the quickstart among them. The
    second is the first with its functions renamed, and so has the same definitions."""
    quickstart = re.sub(r"#include <schedpol/.*>\n", "", (ROOT / "examples" / "quickstart.cpp").read_text(encoding="utf-8"))
    quickstart = quickstart.replace("\nvoid print(", "\nstatic void print(")
    quickstart = quickstart.replace("\nint main() {", "\nint quickstart();\nint quickstart() {").rstrip()[:-1] + "  return 0;\n}\n"
    use = "schedpol::scheduling_policy::check({}, schedpol::scheduling_policy::EffectivePolicy()).size()"
    unit = f"{twice(header)}{quickstart}unsigned long first();\nunsigned long first() {{ return {use}; }}\n"
    program = ("unsigned long first();\nunsigned long second();\nint quickstart();\n"
               "int main() { return first() == 1 && second() == 1 ? quickstart() : 1; }\n")
    prints = (ROOT / "tests" / "examples" / "quickstart.txt").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        def build(name, text, *flags):
            run = compile_source(text, directory, "-c", *flags, "-o", f"{scratch}/{name}.o")
            if run.returncode != 0:
                raise RuntimeError(run.stderr)

        try:
            build("main", program)
            build("bodies", unit)
            build("calls", unit, COMPILED)
            library = LIBRARY
            if IS_CLANG:
                build("library", f"#include <{header}>\n#define SCHEDPOL_IMPLEMENTATION\n#include <{header}>\n", COMPILED)
                library = f"{scratch}/library.o"
        except RuntimeError as error:
            return str(error)
        if strong := strong_symbols(f"{scratch}/bodies.o"):
            return f"may not be defined twice:\n{strong}"
        for name in ("bodies", "calls"):
            subprocess.run(["objcopy", "--redefine-sym", "_Z5firstv=_Z6secondv", "--redefine-sym",
                            "_Z10quickstartv=_Z5againv", f"{scratch}/{name}.o", f"{scratch}/{name}_again.o"], check=True)
        # All of the library, even where the other units have what is asked for.
        library = ["-Wl,--whole-archive", library, "-Wl,--no-whole-archive"]
        simdjson = ["-lsimdjson"] if WITH_JSON else []
        for units, libraries in ((["bodies", "bodies_again"], simdjson),
                                 *((units, library + simdjson) for units in (
                                     ["calls", "calls_again"], ["bodies", "calls_again"], ["calls", "bodies_again"]))):
            objects = [f"{scratch}/{name}.o" for name in ("main", *units)]
            run = subprocess.run([*COMPILER, *objects, *libraries, "-o", f"{scratch}/program"], text=True,
                                 capture_output=True)
            if run.returncode != 0:
                return f"{' and '.join(units)} do not link:\n{run.stderr}"
            run = subprocess.run([f"{scratch}/program"], text=True, capture_output=True)
            if run.returncode != 0 or run.stdout != prints:
                return f"{' and '.join(units)} do not agree"
    return ""


def checks():
    headers = sorted(path.relative_to(ROOT / "include").as_posix() for path in (ROOT / "include").rglob("*.hpp"))
    headers = [header for header in headers if "/impl/" not in header]
    if len(headers) < len(UMBRELLAS):
        sys.exit("no headers found")
    if not WITH_JSON:
        print("SKIPPED without simdjson: json.hpp with its bodies")
    # What takes longest comes first; the last umbrella has the other in.
    yield links, "single_include", UMBRELLAS[-1]
    # The bodies in a single header are those of the tree, which g++ compiles for the library.
    yield compiles_with_bodies if IS_CLANG else parses_with_bodies, "include", UMBRELLAS[-1]
    for directory in DIRECTORIES:
        for umbrella in UMBRELLAS:
            yield compiles_without_bodies, directory, umbrella
            yield tells_an_older_language, directory, umbrella
    for header in sorted(set(headers) - set(UMBRELLAS)):
        yield compiles_without_bodies, "include", header
        yield tells_an_older_language_first, "include", header
        if IS_CLANG and (WITH_JSON or not header.startswith("schedpol/json")):
            yield parses_with_bodies, "include", header


def main():
    looked_at = failed = 0
    if not IS_CLANG:
        precompile()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [(check, pool.submit(*check)) for check in checks()]
        for (check, directory, header), outcome in running:
            looked_at += 1
            if errors := outcome.result():
                failed += 1
                print(f"{check.__name__}: not {directory}/{header}:\n{errors}")
    print(f"{looked_at} looks at headers, {failed} failures")
    sys.exit(1 if failed else 0)


main()
