# SPDX-License-Identifier: Apache-2.0
"""The compiler as a witness: each NAME.cpp of tests/static compiles, its twin NAME.fail.cpp must not, for
what it says in the line that is marked with `// error`.

    static_test.py SOURCE_ROOT COMPILER...
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
COMPILER = sys.argv[2:]


def errors_of(path):
    """What the compiler says: the lines of the file it finds errors in, and all of its text."""
    flags = ["-std=c++20", "-DSCHEDPOL_COMPILED", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{ROOT / 'include'}"]
    run = subprocess.run([*COMPILER, *flags, str(path)], text=True, capture_output=True,
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
    marked = {number for number, line in enumerate(misuse.read_text(encoding="ascii").splitlines(), 1)
              if line.rstrip().endswith("// error")}
    if len(marked) != 1:
        return f"{misuse.name} has to mark one line with `// error`"
    lines, text = errors_of(misuse)
    if lines != marked:
        return f"{misuse.name} must not compile for line {min(marked)}, and for nothing else:\n{text}"
    return ""


def main():
    misuses = sorted((ROOT / "tests" / "static").glob("*.fail.cpp"))
    if not misuses:
        sys.exit("no pairs found")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [problem for problem in pool.map(check_pair, misuses) if problem]
    print(*problems, sep="\n")
    print(f"{len(misuses)} pairs, {len(problems)} failures")
    sys.exit(1 if problems else 0)


main()
