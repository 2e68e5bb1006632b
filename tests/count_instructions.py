# SPDX-License-Identifier: Apache-2.0
"""What programs that count with support/count_instructions.hpp take."""

import pathlib
import re
import shutil
import subprocess
import tempfile


def are_countable():
    return shutil.which("valgrind") is not None and pathlib.Path("/usr/include/valgrind/callgrind.h").exists()


def instructions(*command):
    """What a program prints, and the instructions of what it counts, by name."""
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder) / "counts"
        run = subprocess.run(["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={counts}", *command],
                             text=True, capture_output=True)
        if run.returncode != 0:
            raise RuntimeError(f"{command}: {run.stdout}{run.stderr}")
        found = {}
        for path in pathlib.Path(folder).glob("counts.*"):
            text = path.read_text(encoding="utf-8")
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            total = re.search(r"^totals: (\d+)$", text, re.MULTILINE)
            if name and total:
                found[name[1]] = int(total[1])
    return run.stdout, found
