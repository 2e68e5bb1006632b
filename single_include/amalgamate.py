#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes single_include/schedpol/ from include/; the output depends on nothing but those headers.

    amalgamate.py           writes schedpol/schedpol.hpp, cluster.hpp, insight.hpp and json.hpp beside this script
    amalgamate.py --check   writes nothing; exits 1 when the files there differ from what it would write
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent / "include"
# What compiles all bodies where the tree is used; here SCHEDPOL_IMPLEMENTATION stands for it.
LIBRARY_SOURCE = "schedpol/impl/src.hpp"
CLUSTER_SOURCE = "schedpol/cluster/impl/src.hpp"
INSIGHT_SOURCE = "schedpol/insight/impl/src.hpp"
JSON_SOURCE = "schedpol/json/impl/src.hpp"
OURS = re.compile(r"#include <(schedpol/[^>]+)>")
STANDARD = re.compile(r"#include <([^/>]+)>")
# How a public header ends: with its bodies, unless they are compiled elsewhere.
BODIES = re.compile(r"#if !defined\(SCHEDPOL_COMPILED\)\n((?:#include <schedpol/[^>]+\.ipp>\n)+)#endif\n")


class Section:
    """Some of our files, one after another, and the headers of others that they include."""

    def __init__(self):
        self.others = set()
        self.parts = []

    def add(self, name, lines):
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
        if text:
            self.parts.append(f"// {name}\n\n{text}\n")

    def text(self, guard):
        return "\n".join([f"#define {guard}", "", *[f"#include <{name}>" for name in sorted(self.others)], "",
                          *self.parts])


class Amalgamation:
    """One output file: the declarations, then the bodies, both in the order of their includes. `source` is
    what compiles the bodies in the tree: what it includes comes first."""

    def __init__(self, umbrella, source, provided=()):
        self.seen = set(provided)
        self.declarations = Section()
        self.bodies = Section()
        self.waiting = []
        self.add("schedpol/version.hpp", self.declarations)
        self.add(umbrella, self.declarations)
        text = (INCLUDE / source).read_text(encoding="ascii")
        self.waiting[:0] = OURS.findall(text)
        for name in self.waiting:  # which grows
            self.add(name, self.bodies)

    def add(self, name, section):
        if name in self.seen:
            return
        self.seen.add(name)
        text = (INCLUDE / name).read_text(encoding="ascii")
        for includes in BODIES.findall(text):
            self.waiting += OURS.findall(includes)
        body = []
        for line in BODIES.sub("", text).splitlines():
            if ours := OURS.fullmatch(line):
                if any(word.startswith("namespace ") for word in body):  # at the end of a file
                    section.add(name, body)
                    body = []
                self.add(ours[1], section)
            elif (other := STANDARD.fullmatch(line)) and not (body and body[-1].startswith("#if ")):
                section.others.add(other[1])
            elif line != "#pragma once" and not line.startswith("// SPDX-License-Identifier"):
                body.append(line)
        section.add(name, body)

    def text(self, guard, about, first_include=""):
        bodies = f"{guard}_BODIES"
        return f"""\
// SPDX-License-Identifier: Apache-2.0
// Copyright The schedpol authors
//
// {about}
// Header-only as it is. With SCHEDPOL_COMPILED defined it only declares; then one translation unit of
// the program defines SCHEDPOL_IMPLEMENTATION too.
//
// Generated from include/ by amalgamate.py: change the headers there, not this file.

{first_include}#ifndef {guard}
{self.declarations.text(guard)}
#endif  // {guard}

#if (!defined(SCHEDPOL_COMPILED) || defined(SCHEDPOL_IMPLEMENTATION)) && !defined({bodies})
{self.bodies.text(bodies)}
#endif  // {bodies}
"""


def outputs():
    library = Amalgamation("schedpol/schedpol.hpp", LIBRARY_SOURCE)
    cluster = Amalgamation("schedpol/cluster.hpp", CLUSTER_SOURCE, provided=library.seen)
    insight = Amalgamation("schedpol/insight.hpp", INSIGHT_SOURCE, provided=library.seen)
    json = Amalgamation("schedpol/json.hpp", JSON_SOURCE, provided=cluster.seen | insight.seen)
    there = {path.relative_to(INCLUDE).as_posix() for pattern in ("*.hpp", "*.ipp") for path in INCLUDE.rglob(pattern)}
    missing = there - json.seen - {LIBRARY_SOURCE, CLUSTER_SOURCE, INSIGHT_SOURCE, JSON_SOURCE}
    if missing:
        sys.exit(f"amalgamate.py: no umbrella includes {', '.join(sorted(missing))}")
    return {
        "schedpol.hpp": library.text("SCHEDPOL_SINGLE_INCLUDE", "schedpol in one header: all that decides."),
        "cluster.hpp": cluster.text("SCHEDPOL_SINGLE_INCLUDE_CLUSTER",
                                    "What a scheduler asks schedpol in one header, on top of schedpol.hpp beside it.",
                                    '#include "schedpol.hpp"\n\n'),
        "insight.hpp": insight.text("SCHEDPOL_SINGLE_INCLUDE_INSIGHT",
                                    "schedpol's insight in one header, on top of schedpol.hpp beside it.",
                                    '#include "schedpol.hpp"\n\n'),
        "json.hpp": json.text("SCHEDPOL_SINGLE_INCLUDE_JSON",
                              "schedpol's JSON in one header, on top of cluster.hpp and insight.hpp beside it.",
                              '#include "cluster.hpp"\n#include "insight.hpp"\n\n'),
    }


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    stale = []
    for name, text in outputs().items():
        path = HERE / "schedpol" / name
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="ascii", newline="\n")
        elif not path.exists() or path.read_bytes() != text.encode("ascii"):
            stale.append(name)
    if stale:
        sys.exit(f"stale: {', '.join(stale)}; run single_include/amalgamate.py")


if __name__ == "__main__":
    main()
