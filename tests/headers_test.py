# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, and twice, under all warnings, without exceptions and RTTI, whether it
brings its bodies or they are compiled elsewhere; so do the single headers. Two translation units link in
either way, and one of each; so does the quickstart, on the single headers. An older C++ is told once.

    headers_test.py SOURCE_ROOT COMPILED_LIBRARY COMPILER...

Most of what a header has in anyway it finds there already, compiled once for all of them, the standard headers
too: which of those a header includes is a test of the repository. What else takes long is done by one of two
compilers. With g++ only the umbrellas bring their bodies, and units that do not are linked with COMPILED_LIBRARY, the
bodies of the headers below include/. With clang every header brings its bodies, and no unit is linked that has none.
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
COMPILER = sys.argv[3:]
IS_CLANG = "clang" in COMPILER[0]
SCRATCH = tempfile.TemporaryDirectory()
# What is compiled once, without bodies and with them: of each the headers that come in with it, and the flags.
PRECOMPILED = {False: [], True: []}
# What many headers have in; the standard headers have no name.
BASES = {False: ["schedpol/core/pod.hpp", "schedpol/core/admission.hpp"],
         True: ["schedpol/core/pod.hpp", "schedpol/scheduling_policy/effective_policy.hpp", "schedpol/engine/system.hpp"]
         if IS_CLANG else []}
FLAGS = ["-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
COMPILED = "-DSCHEDPOL_COMPILED"
UMBRELLAS = ["schedpol/schedpol.hpp", "schedpol/cluster.hpp", "schedpol/insight.hpp", "schedpol/json.hpp"]
DIRECTORIES = ("include", "single_include")
# After the first error a compiler that is told so stops, and instantiates nothing.
END = "reached the end of the headers"


def compile_source(text, directory, *flags):
    return subprocess.run([*COMPILER, "-std=c++20", *FLAGS, f"-I{ROOT / directory}", *flags, "-x", "c++", "-"],
                          input=text, text=True, capture_output=True)


def twice(header):
    return f"#include <{header}>\n#include <{header}>\n"


def closure(header, with_bodies):
    """A header of include/ and all that comes in with it."""
    found, waiting = set(), [header]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            text = (ROOT / "include" / name).read_text(encoding="ascii")
            names = re.findall("^#include <(schedpol/.*)>", text, re.MULTILINE)
            waiting += [name for name in names if with_bodies or not name.endswith(".ipp")]
    return found


def precompile():
    files = [path for path in (ROOT / "include").rglob("*.[hi]pp")]
    standard = sorted({name for path in files for name in re.findall(
        r"^#include <([a-z_]+)>", path.read_text(encoding="ascii"), re.MULTILINE)})

    def made(number, with_bodies, base):
        header = pathlib.Path(SCRATCH.name) / f"{number}.hpp"
        header.write_text("".join(f"#include <{name}>\n" for name in [*standard, *base]), encoding="ascii")
        flags = [f"-I{ROOT / 'include'}", *([] if with_bodies else [COMPILED])]
        subprocess.run([*COMPILER, "-std=c++20", *FLAGS, *flags, "-x", "c++-header", str(header), "-o", f"{header}.gch"], check=True)
        headers = set().union(*(closure(name, with_bodies) for name in base))
        for known in (PRECOMPILED[with_bodies],) if base else PRECOMPILED.values():
            known.append((headers, ["-include", str(header)]))

    wanted = [(with_bodies, [base]) for with_bodies in BASES for base in BASES[with_bodies]]
    wanted.append((True, []))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda at: made(*at), ((i, *one) for i, one in enumerate(wanted))))


def precompiled(directory, header, with_bodies):
    """The flags with which the most is there of what a header has in."""
    inside = closure(header, with_bodies) - {header} if directory == "include" else set()
    return max((one for one in PRECOMPILED[with_bodies] if one[0] <= inside), key=lambda one: len(one[0]), default=(0, []))[1]


def compiles_without_bodies(directory, header):
    run = compile_source(twice(header), directory, COMPILED, "-fsyntax-only", *precompiled(directory, header, False))
    return run.stderr if run.returncode != 0 else ""


def parses_with_bodies(directory, header):
    """Only the text is looked at: what it instantiates, which takes several times as long, is what the
    umbrellas instantiate."""
    run = compile_source(f'{twice(header)}static_assert(false, "{END}");\n', directory, "-fsyntax-only", "-Wfatal-errors",
                         *precompiled(directory, header, True))
    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    return "" if len(errors) == 1 and END in errors[0] else run.stderr


def compiles_with_bodies(directory, header):
    """Also that all that is defined may be defined in every translation unit, and that no function is compiled that is
    not used."""
    with tempfile.TemporaryDirectory() as scratch:
        made = f"{scratch}/all.o"
        run = compile_source(twice(header), directory, "-c", "-o", made)
        return run.stderr if run.returncode != 0 else symbols(made, "TDBRW")


def symbols(made, kinds):
    listed = subprocess.run(["nm", "-C", made], check=True, text=True, capture_output=True).stdout.splitlines()
    return "\n".join(line for line in listed if re.search(f" [{kinds}] (?!first|quickstart)", line))


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
            if not IS_CLANG:
                build("calls", unit, COMPILED)
        except RuntimeError as error:
            return str(error)
        if strong := symbols(f"{scratch}/bodies.o", "TDBR"):
            return f"may not be defined twice:\n{strong}"
        for name in ("bodies",) if IS_CLANG else ("bodies", "calls"):
            subprocess.run(["objcopy", "--redefine-sym", "_Z5firstv=_Z6secondv", "--redefine-sym",
                            "_Z10quickstartv=_Z5againv", f"{scratch}/{name}.o", f"{scratch}/{name}_again.o"], check=True)
        # All of the library, even where the other units have what is asked for.
        library = ["-Wl,--whole-archive", LIBRARY, "-Wl,--no-whole-archive"]
        programs = [(["bodies", "bodies_again"], [])]
        if not IS_CLANG:
            programs += [(["calls", "calls_again"], library), (["bodies", "calls_again"], library), (["calls", "bodies_again"], library)]
        for units, libraries in programs:
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
    # What takes longest comes first; the last umbrella has the others in.
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
        if IS_CLANG:
            yield parses_with_bodies, "include", header


def main():
    looked_at = failed = 0
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
