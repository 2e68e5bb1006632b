# SPDX-License-Identifier: Apache-2.0
"""Lays out a tree of forwarding headers: every header's path, leading to a single header.

    forward_headers.py SOURCE_ROOT OUTPUT_DIRECTORY
"""

import pathlib
import shutil
import sys

source = pathlib.Path(sys.argv[1])
output = pathlib.Path(sys.argv[2])
shutil.rmtree(output, ignore_errors=True)
for header in sorted(path for path in (source / "include").rglob("*.[hi]pp")):
    name = header.relative_to(source / "include")
    single = next((f"{part}.hpp" for part in ("json", "insight", "cluster") if part in (*name.parts, name.stem)), "schedpol.hpp")
    before = ""
    if name.name == "src.hpp":
        before = "#define SCHEDPOL_IMPLEMENTATION\n"
    elif "impl" in name.parts:  # who looks inside gets the bodies, as inline functions
        before = "#undef SCHEDPOL_COMPILED\n"
    forward = output / name
    forward.parent.mkdir(parents=True, exist_ok=True)
    forward.write_text(f'{before}#include "{source / "single_include" / "schedpol" / single}"\n', encoding="utf-8")
