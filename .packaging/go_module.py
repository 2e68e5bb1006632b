#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the Go module as a module proxy serves it, and as a folder:

    go_module.py SCHEDPOL.wasm OUT

OUT/schedpol.io/go/@v/ is what a proxy has (GOPROXY=file://OUT), OUT/schedpol.io/go@VERSION/ what a `replace` names. The
module needs nothing outside: its sources of C++ are those of the checkout with all that they include, because only the
package's own folder is vendored. The output depends on nothing but the checkout and the module of WebAssembly.
"""

import json
import pathlib
import re
import shutil
import sys
import zipfile

TOP = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = TOP / "include"
BINDINGS = TOP / "examples" / "bindings"
PACKAGE = BINDINGS / "go"
INCLUDED = re.compile(r'#include (?:<(schedpol/[^>]+)>|"([^"]+)")')
# How a public header ends: with its bodies, unless they are compiled elsewhere.
BODIES = re.compile(r"#if !defined\(SCHEDPOL_COMPILED\)\n(?:#include <schedpol/[^>]+\.ipp>\n)+#endif\n")
# The module is built without libyaml.
YAML = re.compile(r"#if defined\(SCHEDPOL_YAML\)\n(?:#include .+\n)+#endif\n")
# Where a checkout has what the module has in its own folder.
OF_A_CHECKOUT = (" -I${SRCDIR}/../../../include", "#cgo CFLAGS: -I${SRCDIR}/..\n",
                 "//go:generate make -C ../wasm\n//go:generate cp ../../../build-wasm/schedpol.wasm .\n\n")
OLDEST = (1980, 1, 1, 0, 0, 0)  # that a zip file can tell


def with_what_it_includes(path, seen=None):
    """The text of a source with each of our headers in the place where it is included first."""
    seen = set() if seen is None else seen
    text = YAML.sub("", path.read_text(encoding="ascii"))
    # Whoever compiles all bodies of the headers says so; everybody else compiles none of them.
    if "#undef SCHEDPOL_COMPILED" in text:
        seen.add(BODIES)
    if BODIES not in seen:
        text = BODIES.sub("", text)
    lines = []
    for line in text.splitlines():
        included = INCLUDED.match(line)
        if not included:
            if line != "#pragma once" and (path.parent == PACKAGE or not line.startswith("// SPDX-License-Identifier")):
                lines.append(line)
            continue
        other = INCLUDE / included[1] if included[1] else path.parent / included[2]
        if other.name == "schedpol.h" or not other.exists():  # which ends a compilation
            lines.append(line)
        elif (other := other.resolve()) not in seen:
            seen.add(other)
            lines.append(with_what_it_includes(other, seen))
    return "\n".join(lines)


def files(wasm):
    """The name and the bytes of each file of the module."""
    yield "LICENSE", (TOP / "LICENSE").read_bytes()
    yield "schedpol.h", (BINDINGS / "schedpol.h").read_bytes()
    yield "schedpol.wasm", wasm.read_bytes()
    for name in ("go.mod", "go.sum", "README.md", "example/main.go"):
        yield name, (PACKAGE / name).read_bytes()
    left = set(OF_A_CHECKOUT)
    for path in sorted(PACKAGE.glob("*.go")):
        if path.name.endswith("_test.go"):  # they read the checkout
            continue
        text = path.read_text(encoding="utf-8")
        for words in OF_A_CHECKOUT:
            left -= {words} if words in text else set()
            text = text.replace(words, "")
        yield path.name, text.encode()
    if left:
        sys.exit(f"go_module.py: no source has {left}")
    for path in sorted(PACKAGE.glob("native_*.cpp")):
        yield path.name, (with_what_it_includes(path) + "\n").encode()


def main(wasm, out):
    path = re.search(r"^module (\S+)$", (PACKAGE / "go.mod").read_text(encoding="utf-8"), re.MULTILINE)[1]
    header = (INCLUDE / "schedpol" / "version.hpp").read_text(encoding="ascii")
    version = "v" + ".".join(re.findall(r"#define SCHEDPOL_VERSION_\w+ (\d+)", header))
    folder, served = out / f"{path}@{version}", out / path / "@v"
    shutil.rmtree(folder, ignore_errors=True)
    served.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(served / f"{version}.zip", "w") as archive:
        for name, content in files(wasm):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
            entry = zipfile.ZipInfo(f"{path}@{version}/{name}", OLDEST)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    shutil.copyfile(PACKAGE / "go.mod", served / f"{version}.mod")
    (served / f"{version}.info").write_text(json.dumps({"Version": version}) + "\n", encoding="ascii")
    (served / "list").write_text(f"{version}\n", encoding="ascii")
    print(folder)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
