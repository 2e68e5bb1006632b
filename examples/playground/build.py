#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the page as one file: its style, its scripts and the module of WebAssembly are in it.

    build.py MODULE PAGE
"""

import base64
import gzip
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = HERE.parent / "bindings" / "node" / "library.js"


def main(module, page):
    packed = base64.b64encode(gzip.compress(pathlib.Path(module).read_bytes(), mtime=0)).decode()
    # One script has no modules to import from.
    library = LIBRARY.read_text(encoding="utf-8").replace("\nexport ", "\n")
    scripts = [library, (HERE / "examples.js").read_text(encoding="utf-8"), f'const MODULE = "{packed}";\n',
               (HERE / "page.js").read_text(encoding="utf-8")]
    text = (HERE / "page.html").read_text(encoding="utf-8")
    for name, content in (("style", (HERE / "style.css").read_text(encoding="utf-8")), ("script", "".join(scripts))):
        text = text.replace(f"@{name}@", content)
    pathlib.Path(page).write_text(text, encoding="utf-8")


main(*sys.argv[1:])
