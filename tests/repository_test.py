# SPDX-License-Identifier: Apache-2.0
"""What holds for the files of the repository themselves.

    repository_test.py SOURCE_ROOT
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
HEADERS = sorted((ROOT / "include" / "schedpol").rglob("*.hpp"))
INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"][^>\"]+[>\"])", re.MULTILINE)

# The library reads and writes nothing, knows no time, no threads and no locale.
FORBIDDEN = {f"<{name}>" for name in (
    "iostream", "istream", "ostream", "fstream", "sstream", "iomanip", "cstdio", "filesystem", "regex", "locale",
    "clocale", "thread", "mutex", "atomic", "future", "condition_variable", "chrono", "ctime", "random", "exception",
    "stdexcept", "typeinfo", "any")}


def includes_are_pure():
    """Only the standard library outside json/, and of it nothing that does I/O; core/ knows no system,
    a system knows core/ and itself."""
    scanned = 0
    for header in HEADERS:
        folder = header.relative_to(ROOT / "include" / "schedpol").parts[0]
        for include in INCLUDE.findall(header.read_text(encoding="ascii")):
            scanned += 1
            # Only to see that memory ran out while JSON is written.
            if include in FORBIDDEN and (header.name, include) != ("encode.hpp", "<exception>"):
                yield f"{header}: includes {include}"
            if include.startswith('"'):
                yield f"{header}: {include} has to be spelled from the root, in angle brackets"
            if include.startswith("<schedpol/"):
                target = include.removeprefix("<schedpol/").split("/")[0].rstrip(">")
                above = folder in ("json", "schedpol.hpp")
                if not above and target not in {folder, "core"}:
                    yield f"{header}: {folder} must not know {target}"
            elif folder != "json" and ("/" in include or include.endswith(".h>")):
                yield f"{header}: {include} is not of the standard library"
            elif include.endswith(".h>") and include != "<simdjson.h>":
                yield f"{header}: {include} is not simdjson"
    if scanned < len(HEADERS):
        yield f"only {scanned} includes in {len(HEADERS)} headers were found"


def headers_are_tidy():
    for header in HEADERS:
        text = header.read_bytes()
        if not text.startswith(b"// SPDX-License-Identifier: Apache-2.0\n#pragma once\n\n///"):
            yield f"{header}: starts with its licence, #pragma once and what it is for"
        if not text.isascii():
            yield f"{header}: has to be ASCII"
        text = text.decode("ascii", "replace")
        for macro in re.findall(r"^\s*#\s*define\s+(\w+)", text, re.MULTILINE):
            if not macro.startswith("SCHEDPOL_"):
                yield f"{header}: leaks the macro {macro}"
        if "using namespace" in text or re.search(r"^\s*#\s*pragma\s+(?!once$)", text, re.MULTILINE):
            yield f"{header}: leaks a using-directive or a pragma"


def versions_agree():
    found = re.findall(r"#define SCHEDPOL_VERSION_\w+ (\d+)", (ROOT / "include/schedpol/version.hpp").read_text())
    version = ".".join(found)
    for name, pattern in (("meson.build", r"version: '([^']+)'"), ("CMakeLists.txt", r"project\(schedpol VERSION (\S+)"),
                          ("CHANGELOG.md", r"^## (\S+)")):
        other = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        if len(found) != 3 or other is None or other[1] != version:
            yield f"{name}: says version {other and other[1]}, version.hpp says {version}"


def readme_is_true():
    """Code in the README is cut from an example, and outputs are those that the tests assert."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    examples = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").rglob("*.cpp"))]
    for language, block in blocks:
        if language == "cpp" and not any(block in example for example in examples):
            yield f"README.md: no example has this code:\n{block}"
    for name in ("quickstart", "chain", "simulate", "policytest"):
        output = (ROOT / f"tests/examples/{name}.txt").read_text(encoding="utf-8")
        if ("text", output) not in blocks:
            yield f"README.md: does not show what {name} prints"
    output = (ROOT / "tests/examples/quickstart.txt").read_text(encoding="utf-8")
    if readme.find(output) > len("\n".join(readme.split("\n")[:40])):
        yield "README.md: the quickstart's output is below line 40"


def main():
    if not HEADERS:
        sys.exit("no headers found")
    problems = [problem for check in (includes_are_pure, headers_are_tidy, versions_agree, readme_is_true)
                for problem in check()]
    print(*problems, sep="\n")
    print(f"{len(HEADERS)} headers looked at, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
