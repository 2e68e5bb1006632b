# SPDX-License-Identifier: Apache-2.0
"""Lays out a tree of forwarding headers: every public header's path, leading to a single header.

    forward_headers.py SOURCE_ROOT OUTPUT_DIRECTORY
"""

import pathlib
import sys

source = pathlib.Path(sys.argv[1])
output = pathlib.Path(sys.argv[2])
for header in sorted((source / "include").rglob("*.hpp")):
    name = header.relative_to(source / "include")
    single = "schedpol_json.hpp" if "json" in name.parts else "schedpol.hpp"
    forward = output / name
    forward.parent.mkdir(parents=True, exist_ok=True)
    forward.write_text(f'#include "{source / "single_include" / single}"\n', encoding="utf-8")
