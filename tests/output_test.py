# SPDX-License-Identifier: Apache-2.0
"""A program prints what a file says, and nothing else.

    output_test.py EXPECTED_FILE PROGRAM...
"""

import difflib
import pathlib
import subprocess
import sys

expected = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
run = subprocess.run(sys.argv[2:], text=True, capture_output=True)
if run.returncode != 0 or run.stdout != expected:
    print(*difflib.unified_diff(expected.splitlines(), run.stdout.splitlines(), "expected", "printed", lineterm=""), sep="\n")
    sys.exit(f"exit status {run.returncode}: {run.stderr}")
