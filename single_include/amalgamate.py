#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes single_include/ from include/; the output depends on nothing but those headers.

    amalgamate.py           writes schedpol.hpp and schedpol_json.hpp beside this script
    amalgamate.py --check   writes nothing; exits 1 when the files there differ from what it would write
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent / "include"
OURS = re.compile(r"#include <(schedpol/[^>]+)>")
STANDARD = re.compile(r"#include <([^/>]+)>")


class Amalgamation:
    """One output file: our headers in the order of their includes, each once, the others' on top."""

    def __init__(self, provided):
        self.seen = set(provided)
        self.headers = []
        self.others = set()
        self.parts = []

    def add(self, header):
        if header in self.seen:
            return
        self.seen.add(header)
        self.headers.append(header)
        body = []
        for line in (INCLUDE / header).read_text(encoding="ascii").splitlines():
            if ours := OURS.fullmatch(line):
                self.add(ours[1])
            elif other := STANDARD.fullmatch(line):
                self.others.add(other[1])
            elif line != "#pragma once" and not line.startswith("// SPDX-License-Identifier"):
                body.append(line)
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(body)).strip("\n")
        if text:
            self.parts.append(f"// {header}\n\n{text}\n")

    def text(self, guard, about, first_includes):
        includes = first_includes + [f"<{name}>" for name in sorted(self.others)]
        return "\n".join(
            [
                "// SPDX-License-Identifier: Apache-2.0",
                "// Copyright The schedpol authors",
                "//",
                f"// {about}",
                "// Generated from include/ by amalgamate.py: change the headers there, not this file.",
                "",
                f"#ifndef {guard}",
                f"#define {guard}",
                "",
                *[f"#include {name}" for name in includes],
                "",
                *self.parts,
                f"#endif  // {guard}",
                "",
            ]
        )


def outputs():
    library = Amalgamation(provided=[])
    library.add("schedpol/schedpol.hpp")
    json = Amalgamation(provided=library.seen)
    json.add("schedpol/json/json.hpp")
    missing = {
        path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.hpp")
    } - json.seen
    if missing:
        sys.exit(f"amalgamate.py: no umbrella includes {', '.join(sorted(missing))}")
    return {
        "schedpol.hpp": library.text(
            "SCHEDPOL_SINGLE_INCLUDE_HPP", "schedpol in one header: all but JSON.", []
        ),
        "schedpol_json.hpp": json.text(
            "SCHEDPOL_JSON_SINGLE_INCLUDE_HPP",
            "schedpol's JSON in one header, on top of schedpol.hpp; needs simdjson.",
            ['"schedpol.hpp"'],
        ),
    }


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    stale = []
    for name, text in outputs().items():
        path = HERE / name
        if not check:
            path.write_text(text, encoding="ascii", newline="\n")
        elif not path.exists() or path.read_bytes() != text.encode("ascii"):
            stale.append(name)
    if stale:
        sys.exit(f"stale: {', '.join(stale)}; run single_include/amalgamate.py")


if __name__ == "__main__":
    main()
