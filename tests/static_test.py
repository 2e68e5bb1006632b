# SPDX-License-Identifier: Apache-2.0
"""The compiler as a witness: each NAME.cpp of tests/static compiles, its twin NAME.fail.cpp must not.

    static_test.py SOURCE_ROOT COMPILER...
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
COMPILER = sys.argv[2:]


def compiles(path):
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{ROOT / 'include'}"]
    run = subprocess.run([*COMPILER, *flags, str(path)], text=True, capture_output=True)
    return run.returncode == 0, run.stderr


def main():
    misuses = sorted((ROOT / "tests" / "static").glob("*.fail.cpp"))
    if not misuses:
        sys.exit("no pairs found")
    failed = 0
    for misuse in misuses:
        proper = misuse.with_name(misuse.name.replace(".fail.cpp", ".cpp"))
        good, errors = compiles(proper)
        if not good:
            failed += 1
            print(f"{proper.name} has to compile:\n{errors}")
        if compiles(misuse)[0]:
            failed += 1
            print(f"{misuse.name} must not compile")
    print(f"{len(misuses)} pairs, {failed} failures")
    sys.exit(1 if failed else 0)


main()
