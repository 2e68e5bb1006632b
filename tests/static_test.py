# SPDX-License-Identifier: Apache-2.0
"""The compiler as a witness: each NAME.cpp of tests/static compiles, its twin NAME.fail.cpp must not, for
what it says in the line that is marked with `// error`, or `// error: TEXT` where the compiler has to say that. A program without a twin compiles with every compiler there is.

    static_test.py SOURCE_ROOT COMPILER...
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
COMPILER = sys.argv[2:]
OTHERS = sorted({os.path.realpath(found) for found in map(shutil.which, ("g++", "clang++-16", "clang++")) if found}
                - {os.path.realpath(shutil.which(COMPILER[-1]) or "")})


FLAGS = ["-std=c++20", "-DSCHEDPOL_COMPILED", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT / 'include'}"]
# With which all that the files include is there, compiled once.
INCLUDED = []


def compile_included(files, folder):
    """Once for all of them."""
    names = sorted({name for path in files for name in re.findall("^#include <.*>$", path.read_text(encoding="ascii"), re.MULTILINE)})
    header = pathlib.Path(folder) / "included.hpp"
    header.write_text("\n".join(names) + "\n", encoding="ascii")
    subprocess.run([*COMPILER, *FLAGS, "-x", "c++-header", str(header), "-o", f"{header}.gch"], check=True)
    INCLUDED.extend(["-include", str(header)])


def errors_of(path, compiler=COMPILER):
    """What the compiler says: the lines of the file it finds errors in, and all of its text."""
    included = INCLUDED if compiler is COMPILER else []
    run = subprocess.run([*compiler, *FLAGS, *included, "-fsyntax-only", str(path)], text=True, capture_output=True,
                         env={**os.environ, "LC_ALL": "C"})
    # Of an error in a template, the line that asks for it.
    places = rf"^{re.escape(str(path))}:(\d+):\d+:\s+(?:error:|required from here|note: in instantiation)"
    lines = {int(line) for line in re.findall(places, run.stderr, re.MULTILINE)}
    if run.returncode != 0 and not lines:
        lines = {0}  # somewhere else
    return lines, run.stderr


def check_pair(misuse):
    """What is wrong with a misuse and its proper twin."""
    proper = misuse.with_name(misuse.name.replace(".fail.cpp", ".cpp"))
    if not proper.exists():
        return f"{proper.name} is missing"
    lines, text = errors_of(proper)
    if lines:
        return f"{proper.name} has to compile:\n{text}"
    marked = {number: found[1] or "" for number, line in enumerate(misuse.read_text(encoding="ascii").splitlines(), 1)
              if (found := re.search("// error(?:: (.+))?$", line))}
    if len(marked) != 1:
        return f"{misuse.name} has to mark one line with `// error`"
    lines, text = errors_of(misuse)
    if lines != set(marked) or not all(wanted in text for wanted in marked.values()):
        return f"{misuse.name} must not compile for line {min(marked)}, and for nothing else:\n{text}"
    return ""


def check_program(path):
    """What is wrong with a program that has no twin, with whichever compiler."""
    texts = [text for lines, text in (errors_of(path, compiler) for compiler in [COMPILER, *zip(OTHERS)]) if lines]
    return f"{path.name} has to compile:\n{texts[0]}" if texts else ""


def main():
    files = sorted((ROOT / "tests" / "static").glob("*.cpp"))
    misuses = [path for path in files if path.name.endswith(".fail.cpp")]
    proper = {path.with_name(path.name.replace(".fail.cpp", ".cpp")) for path in misuses}
    programs = [path for path in files if path not in misuses and path not in proper]
    if not misuses or not programs:
        sys.exit("no pairs or no programs found")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as scratch:
        compile_included(files, scratch)
        problems = [*pool.map(check_pair, misuses), *pool.map(check_program, programs)]
    problems = [problem for problem in problems if problem]
    print(*problems, sep="\n")
    print(f"{len(misuses)} pairs, {len(programs)} programs, {len(problems)} failures")
    sys.exit(1 if problems else 0)


main()
