# SPDX-License-Identifier: Apache-2.0
"""Every public declaration says what it is for, and Doxygen can read it.

    docs_test.py SOURCE_ROOT               says what is undocumented or cannot be read, exits 1 if anything is
    docs_test.py SOURCE_ROOT DIRECTORY     the same, and writes the reference to DIRECTORY/html
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
OUTPUT = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
# What says enough by its name: the fields of aggregates, which are Kubernetes' own, copies, comparisons and other
# operators, the words of enumerations, and what every container has.
PLAIN = re.compile(r"Member (?:.* \(variable\) of struct |operator|(\w+)\((?:const )?\1 &|(?:to_string|spellings)\(\w+ ?\w*\) noexcept|"
                   r"(?:begin|end|size|empty|\w+_type|const_iterator|iterator_category|pointer|reference)\b)")
UNDOCUMENTED = re.compile(r"^(\S+):(\d+): warning: (?:Member|Compound) (.*) is not documented\.$")


def is_said(warning):
    """Whether what is undocumented for Doxygen is not for a reader: a type that its header is named after, which
    is what the header's opening comment is about, and what stands in one paragraph with the comment above it."""
    found = UNDOCUMENTED.match(warning)
    if not found:
        return False
    path, line, what = pathlib.Path(found[1]), int(found[2]), found[3]
    words = re.sub(r"(?<!^)([A-Z])", r"_\1", re.sub(r"<.*|.*::", "", what)).lower()
    if words == path.stem:
        return True
    lines = (ROOT / path).read_text(encoding="ascii").splitlines()
    for above in reversed(lines[:line - 1]):
        if above.lstrip().startswith("///"):
            return True
        if not above or re.match(r"(?:class|struct|namespace|enum)\b.*{$|(?:public|protected|private):|#|template", above.strip()):
            return False
    return False


def warnings(directory):
    made = "GENERATE_HTML = YES\n" if OUTPUT else "GENERATE_HTML = NO\nGENERATE_XML = YES\n"
    config = f"@INCLUDE = .packaging/Doxyfile\n{made}OUTPUT_DIRECTORY = {directory}\n"
    run = subprocess.run(["doxygen", "-"], input=config, cwd=ROOT, text=True, capture_output=True)
    if run.returncode != 0:
        sys.exit(run.stdout + run.stderr)
    return run.stderr.splitlines(), pathlib.Path(directory)


def main():
    if shutil.which("doxygen") is None:
        print("SKIPPED: doxygen is not here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        said, directory = warnings(OUTPUT or scratch)
        pages = len(list(directory.glob("html/*.html" if OUTPUT else "xml/*.xml")))
    headers = len([path for path in (ROOT / "include").rglob("*.hpp") if "impl" not in path.parts])
    if headers == 0 or pages < headers:
        sys.exit(f"{pages} pages of {headers} headers")
    problems = [line.replace(f"{ROOT.resolve()}/", "") for line in said if not PLAIN.search(line) and not is_said(line)]
    print(*problems, f"{headers} headers read, {len(problems)} problems", sep="\n")
    sys.exit(1 if problems else 0)


main()
