# SPDX-License-Identifier: Apache-2.0
"""The code is formatted as .clang-format says, by the one release of the formatter that decides.

    format_test.py SOURCE_ROOT                   says which files are not, exits 1 if there are any
    format_test.py SOURCE_ROOT --write           formats them
    format_test.py SOURCE_ROOT --write FILE...   formats those of these files that are code, named from the root
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

FORMATTER = "clang-format-16"
ROOT = pathlib.Path(sys.argv[1])
WRITE = sys.argv[2:3] == ["--write"]
NAMED = {ROOT / name for name in sys.argv[3:]}
FOLDERS = ("include", "examples", "tests", ".packaging")
ENDINGS = {".hpp", ".ipp", ".cpp", ".h", ".c"}


def problems(files):
    """What the formatter would change, in its words."""
    if not files:
        return ""
    run = subprocess.run([FORMATTER, *(["-i"] if WRITE else ["--dry-run", "-Werror"]), *files], text=True, capture_output=True)
    return run.stderr if run.returncode != 0 else ""


def main():
    if shutil.which(FORMATTER) is None:
        print(f"SKIPPED: {FORMATTER} is not here")
        sys.exit(77)
    files = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS)
    if len(files) < len(FOLDERS):
        sys.exit("no files found")
    if NAMED:
        files = [path for path in files if path in NAMED]
    parts = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(parts) as pool:
        found = "".join(pool.map(problems, (files[part::parts] for part in range(parts))))
    print(f"{found}{len(files)} files looked at")
    if found:
        print("tests/format_test.py . --write formats them")
    sys.exit(1 if found else 0)


main()
