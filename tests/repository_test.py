# SPDX-License-Identifier: Apache-2.0
"""What holds for the files of the repository themselves: where code stands and what it may include, that
every header has its test and every test is built, one version, and a README that shows what is there.

    repository_test.py SOURCE_ROOT [BUILD_ROOT]

With a build directory of Meson's, also that it builds every unit test.
"""

import functools
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from standard_names import EVERYWHERE, HOME, STANDARD

ROOT = pathlib.Path(sys.argv[1]).resolve()
BUILD = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
TOP = ROOT / "include" / "schedpol"

# What is compiled apart from what decides, which includes nothing of it.
PARTS = ("cluster", "insight", "json")
SYSTEMS = tuple(sorted({path.name for path in TOP.iterdir() if path.is_dir()} - {"base", "core", "engine", "impl", *PARTS}))
MOST_LINES = 450
MOST_FILES = 45
MOST_PUBLIC_LINES = 5_100
MOST_TEST_LINES = 600
# Sources of tests that are longer, and why.
LONG_TESTS = {
    "benchmark/benchmark.cpp": "the rows of one table of figures",
    "support/plain_check.hpp": "one class, that says all rules of check in plain words",
}

# The library reads and writes nothing, knows no time, no threads and no locale.
FORBIDDEN = {f"<{name}>" for name in (
    "iostream", "istream", "ostream", "fstream", "sstream", "iomanip", "cstdio", "filesystem", "regex", "locale",
    "clocale", "thread", "mutex", "future", "condition_variable", "chrono", "ctime", "random", "exception",
    "stdexcept", "typeinfo", "any", "atomic")}
# What is needed all the same, by file, and why.
NEEDED = {
    ("base/impl/shared.hpp", "<atomic>"): "owners on several threads are counted",
    ("base/impl/end_program.ipp", "<cstdio>"): "a broken precondition says why it ends the program",
}

# Public headers without a test of their name, and why.
UNTESTED = {
    "base/end_program.hpp": "the tests of Result, Optional and Texts end programs by it",
    "base/text_limits.hpp": "the tests of quoting and did_you_mean go as far as each and beyond",
    "schedpol.hpp": "includes the others; the headers test compiles it",
    "cluster.hpp": "includes the others; the headers test compiles it",
    "insight.hpp": "includes the others; the headers test compiles it",
    "json.hpp": "includes the others; the headers test compiles it",
    "version.hpp": "the version is compared with the build files here",
}

HEAVY = {f"<{name}>" for name in (
    "algorithm", "charconv", "functional", "iterator", "memory", "numeric", "system_error", "tuple", "unordered_map",
    "unordered_set", "variant")}

INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"][^>\"]+[>\"])", re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*")
ATTRIBUTE = re.compile(r"\[\[\s*(?:(?:gnu|clang|msvc)::|likely|unlikely|assume)|__attribute__|__declspec|__forceinline|"
                       r"\b__builtin_\w+|\b__asm__|#\s*pragma\s+(?:GCC\s+)?(?:optimize|inline|push_options)")
SYSTEM = re.compile(rf"\b(?:{'|'.join(SYSTEMS)})(?:::|/)")


class File:
    """A file below include/schedpol, known by its path from there."""

    def __init__(self, path):
        self.name = path.relative_to(TOP).as_posix()
        self.path = path
        self.folders = self.name.split("/")[:-1]
        self.folder = self.folders[0] if self.folders else ""
        self.is_internal = "impl" in self.folders
        self.bytes = path.read_bytes()
        self.text = self.bytes.decode("ascii", "replace")
        self.lines = len(self.text.splitlines())
        self.lines_to_read = sum(1 for line in self.text.splitlines() if line.strip())
        self.code = COMMENT.sub("", self.text)
        self.includes = INCLUDE.findall(self.text)

    def is_below(self, *folders):
        return any(self.name.startswith(f"{folder}/") for folder in folders)

    @property
    def bodies(self):
        """Where the bodies of a public header stand, if it has any."""
        return self.path.parent / "impl" / f"{self.path.stem}.ipp"


FILES = [File(path) for pattern in ("*.hpp", "*.ipp") for path in sorted(TOP.rglob(pattern))]
PUBLIC = [file for file in FILES if not file.is_internal]
INTERNAL = [file for file in FILES if file.is_internal]
LINKAGE = "impl/linkage.hpp"
# What compiles the library, and what has the same headers in for who does not.
SOURCES = {"impl/src.hpp": "schedpol.hpp", **{f"{part}/impl/src.hpp": f"{part}.hpp" for part in PARTS}}
BODIES = re.compile(r"#if !defined\(SCHEDPOL_COMPILED\)\n(?:#include <[^>]+\.ipp>\n)+#endif\n")


class Nothing(Exception):
    """A check that found nothing to look at."""


def some(things, what):
    """The things, of which there have to be any."""
    things = list(things)
    if not things:
        raise Nothing(f"no {what} found")
    return things


def headers_are_tidy():
    for file in some(FILES, "files"):
        if not file.text.startswith("// SPDX-License-Identifier: Apache-2.0\n#pragma once\n\n"):
            yield f"{file.name}: has to start with its licence and #pragma once"
        if not file.is_internal and not file.text.startswith("///", file.text.find("\n\n") + 2):
            yield f"{file.name}: has to say what it is for, after #pragma once"
        if not file.bytes.isascii():
            yield f"{file.name}: has to be ASCII"
        for macro in re.findall(r"^\s*#\s*define\s+(\w+)", file.text, re.MULTILINE):
            if not macro.startswith("SCHEDPOL_"):
                yield f"{file.name}: leaks the macro {macro}"
        if "using namespace" in file.code or re.search(r"^\s*#\s*pragma\s+(?!once$)", file.text, re.MULTILINE):
            yield f"{file.name}: leaks a using-directive or a pragma"


def files_are_short():
    for file in some(FILES, "files"):
        if file.lines > MOST_LINES:
            yield f"{file.name}: has {file.lines} lines, {MOST_LINES} at most"
    tests = ROOT / "tests"
    lengths = {path.relative_to(tests).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
               for path in some([*tests.rglob("*.cpp"), *tests.rglob("*.hpp")], "sources of tests")}
    for name, length in sorted(lengths.items()):
        if length > MOST_TEST_LINES and name not in LONG_TESTS:
            yield f"tests/{name}: has {length} lines, {MOST_TEST_LINES} at most"
    for name in LONG_TESTS:
        if lengths.get(name, 0) <= MOST_TEST_LINES:
            yield f"tests/{name}: is listed as longer than {MOST_TEST_LINES} lines and is not"
    # The umbrellas say nothing of their own.
    lines = sum(file.lines_to_read for file in some(PUBLIC, "public headers") if file.folder not in ("", "insight"))
    if lines >= MOST_PUBLIC_LINES:
        yield f"the public headers outside insight/ have {lines} lines that are not blank, {MOST_PUBLIC_LINES - 1} at most"


def public_headers_are_public():
    for file in some(PUBLIC, "public headers"):
        if file.name.endswith(".ipp"):
            yield f"{file.name}: bodies stand in impl/"
        if "detail::" in file.text or re.search(r"\bnamespace\s+(?:\w+::)*detail\b", file.text):
            yield f"{file.name}: what is in detail stands in impl/"


def compiler_hints_have_one_room():
    looked_at = [file for file in FILES if not file.is_below("base/impl/lookup")]
    for file in some(looked_at, "files outside base/impl/lookup"):
        for hint in sorted(set(ATTRIBUTE.findall(file.code))):
            yield f"{file.name}: {hint} may only be used in base/impl/lookup/"


def hints_are_told_of():
    """Whoever asks the room of compiler hints for one, by whatever function, is named in CONTRIBUTING.md."""
    room = "\n".join(file.code for file in some([file for file in FILES if file.is_below("base/impl/lookup")], "files of lookup"))
    hinting = set(re.findall(r"\[\[gnu::[^\]]*\]\]\s*auto\s+(\w+)\(", room))
    if not hinting:
        yield "base/impl/lookup: no function that hints is found"
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    told = {name for sentence in re.split(r"\.\s", text) if "compiler hints" in sentence
            for name in re.findall(r"`([\w/]+\.[hi]pp)`", sentence)}
    asking = {file.name for file in FILES if not file.is_below("base/impl/lookup") and
              set(re.findall(r"\w+", file.code)) & hinting}
    for name in sorted(told ^ asking):
        yield f"{name}: CONTRIBUTING.md has to say of it that it uses compiler hints if it does, and else not"


def declarations_are_light():
    """Standard headers that take a compiler long are for bodies: a program that compiles the library once
    does not have them in every file."""
    for file in some(PUBLIC, "public headers"):
        for include in sorted(set(file.includes) & HEAVY):
            yield f"{file.name}: includes {include}, which only bodies may"


def headers_bring_their_bodies():
    with_bodies = [file for file in PUBLIC if file.bodies.exists()]
    for file in some(with_bodies, "headers with bodies"):
        include = file.bodies.relative_to(TOP.parent).as_posix()
        if not file.text.endswith(f"\n#if !defined(SCHEDPOL_COMPILED)\n#include <{include}>\n#endif\n"):
            yield f"{file.name}: has to end with #include <{include}> unless SCHEDPOL_COMPILED is defined"
    for file in PUBLIC:
        own = f"<{file.bodies.relative_to(TOP.parent).as_posix()}>"
        for include in file.includes:
            if "/impl/" in include and include != own:
                yield f"{file.name}: includes {include}; of impl/ it may only include its bodies"


def reached_from(name, with_bodies):
    """The files that come in with a file, by their names; of headers with or without their bodies."""
    files = {file.name: file for file in FILES}
    reached, waiting = set(), [name]
    while waiting:
        name = waiting.pop()
        if name in reached or name not in files:
            continue
        reached.add(name)
        text = files[name].text if with_bodies else BODIES.sub("", files[name].text)
        waiting += [include[1:-1].removeprefix("schedpol/") for include in INCLUDE.findall(text)]
    return reached


@functools.cache
def brought_by(include):
    """The includes of a header of ours, and of what it includes, but for its bodies."""
    name = include[1:-1].removeprefix("schedpol/")
    direct = [other for file in FILES if file.name == name for other in INCLUDE.findall(BODIES.sub("", file.text))]
    return frozenset(direct).union(*map(brought_by, direct))


def includes_are_needed():
    """Nobody includes what another header that is included brings; but for a body its own header, and for what has to
    come before the other one, because its bodies include that."""
    for file in FILES:
        own = f"<schedpol/{'/'.join(file.folders[:-1])}/{file.path.stem}.hpp>"
        includes = INCLUDE.findall(BODIES.sub("", file.text)) if file.folders else []
        for include in sorted(set(includes) - {own, f"<schedpol/{LINKAGE}>"}):
            bringing = {other[1:-1].removeprefix("schedpol/") for other in includes
                        if other != include and include in brought_by(other)}
            if bringing - reached_from(include[1:-1].removeprefix("schedpol/"), True):
                yield f"{file.name}: includes {include}, which comes with another one"


def bodies_are_compiled():
    """Every body is in a header-only program that includes an umbrella, and in what compiles the library."""
    bodies = some((file for file in FILES if file.name.endswith(".ipp")), "bodies")
    for source, umbrella in SOURCES.items():
        if not (TOP / source).exists():
            yield f"{source}: is missing"
            continue
        # It has the bodies in by name, or by what every header does without SCHEDPOL_COMPILED.
        with_bodies = "#undef SCHEDPOL_COMPILED" in (TOP / source).read_text(encoding="ascii")
        compiled = reached_from(source, with_bodies)
        inline = reached_from(umbrella, True)
        for file in bodies:
            of_folder = source.split("/")[0] if source != "impl/src.hpp" else ""
            if (file.folder if file.folder in PARTS else "") == of_folder:
                if file.name not in compiled:
                    yield f"{source}: does not include {file.name}"
                if file.name not in inline:
                    yield f"{umbrella}: does not include {file.name}"
    for file in bodies:
        header = f"{'/'.join(file.folders[:-1])}/{file.path.stem}.hpp".lstrip("/")
        includes = some(file.includes, f"include in {file.name}")
        if (TOP / header).exists() and f"<schedpol/{header}>" not in includes:
            yield f"{file.name}: does not include its own header"
        if f"<schedpol/{LINKAGE}>" not in includes and "SCHEDPOL_INLINE" in file.text:
            yield f"{file.name}: uses SCHEDPOL_INLINE without including {LINKAGE}"
        # Of an object, the one of a header-only translation unit and that of the library would clash.
        for defined, end in re.findall(r"^SCHEDPOL_INLINE ((?:operator\S+?(?=\()|[^({;=])*)([({;=])", file.code, re.MULTILINE):
            if end != "(":
                yield f"{file.name}: {' '.join(defined.split())} is no function, so it is inline either way"


def headers_work_alone():
    """What a file uses of the standard library it includes, or one of our headers that it includes; by luck,
    what a compiler's headers include themselves, it does not get it."""
    files = {file.name: file for file in FILES}
    looked_at = 0
    for file in FILES:
        reached = {include for name in reached_from(file.name, False) for include in files[name].includes}
        for name in sorted(set(STANDARD.findall(file.code)) - EVERYWHERE):
            looked_at += 1
            if name not in HOME:
                yield f"{file.name}: of std::{name} it is not known here which header has it"
            elif HOME[name] not in reached:
                yield f"{file.name}: uses std::{name} without {HOME[name]}"
    if looked_at < len(FILES):
        yield f"only {looked_at} names of the standard library in {len(FILES)} files were found"


# Whom a folder knows besides itself.
KNOWN = {"base": {}, "core": {"base"}, **{system: {"base", "core"} for system in SYSTEMS},
         "engine": {"base", "core", *SYSTEMS}, "cluster": {"base", "core", *SYSTEMS},
         "insight": {"base", "core", "engine", *SYSTEMS},
         "json": {"base", "core", "engine", "cluster", "insight", *SYSTEMS, ""}}


def may_include(file, target):
    """Whether a file may include another of ours, both as paths below include/schedpol."""
    parts = target.split("/")
    folder = parts[0] if len(parts) > 1 else ""
    if target == LINKAGE:
        return file.is_internal
    if "impl" in parts[:-1]:
        own = target.startswith(f"{file.folder}/impl/") if file.folder else False
        shared = file.is_internal and folder in ("base", "core")
        # Who explains a decision looks at what it was made of, who counts for a policy at what it is compiled to.
        if file.folder in ("cluster", "insight") and file.is_internal:
            shared = folder in KNOWN[file.folder]
        bodies = file.name in SOURCES and target.endswith(".ipp")
        # The JSON of a spec is described by the fields by which the spec is merged and explained.
        fields = (file.name, target) == ("json/impl/schema/scheduling_policy.hpp", "scheduling_policy/impl/fields.hpp")
        if not (own or shared or bodies or fields):
            return False
    if target == "version.hpp" or file.folder == "" or file.name in SOURCES:
        return True
    return folder == file.folder or folder in KNOWN[file.folder]


def includes_are_pure():
    """Only the standard library, and of it nothing that does I/O; base/ knows nobody, core/ base/, a system these two
    and itself, engine/ and cluster/ the systems, insight/ the engine too, json/ all of them."""
    scanned = 0
    for file in FILES:
        for include in file.includes:
            scanned += 1
            name = include[1:-1]
            if include in FORBIDDEN and (file.name, include) not in NEEDED:
                yield f"{file.name}: includes {include}"
            if include.startswith('"'):
                if file.name != "version.hpp":
                    yield f"{file.name}: {include} has to be spelled from the root, in angle brackets"
            elif name.startswith("schedpol/"):
                target = name.removeprefix("schedpol/")
                if not (TOP / target).exists():
                    yield f"{file.name}: there is no {name}"
                elif not may_include(file, target):
                    yield f"{file.name}: must not know {name}"
            elif ("/" in name or "." in name) and (file.name, include) not in NEEDED:
                yield f"{file.name}: {include} is not of the standard library"
    if scanned < len(FILES):
        yield f"only {scanned} includes in {len(FILES)} files were found"
    for name, include in NEEDED:
        if not any(file.name == name and include in file.includes for file in FILES):
            yield f"{name}: does not include {include}, which is no longer needed then"


def who_only_decides_compiles_no_more():
    """What the umbrella brings is nothing of the other parts, nor has insight/ anything of cluster/."""
    for umbrella, without in (("schedpol.hpp", PARTS), ("cluster.hpp", ("insight", "json")), ("insight.hpp", ("cluster", "json"))):
        brought = some(sorted(reached_from(umbrella, True) - {umbrella}), f"header in {umbrella}")
        for name in brought:
            if name.split("/")[0] in without:
                yield f"{umbrella}: brings {name}"


def folders_are_small():
    folders = {file.path.parent for file in some(FILES, "files")}
    for folder in sorted(folders):
        if (files := sum(file.path.parent == folder for file in FILES)) > MOST_FILES:
            yield f"{folder.relative_to(TOP)}: has {files} files, {MOST_FILES} at most"


def systems_are_named_in_few_places():
    """A new system is a folder of its own and a line in each of these. What a scheduler asks is about one of them."""
    allowed = {"schedpol.hpp", "impl/src.hpp", "engine/system.hpp", "json/extend.hpp", "json/impl/extend.ipp"}
    named = 0
    for file in some(FILES, "files"):
        names = {name.rstrip(":/") for name in SYSTEM.findall(file.code)}
        named += bool(names)
        if file.name in allowed or file.folder in ("cluster", "insight", *SYSTEMS) or file.is_below("json/impl/schema", "json/impl/operations") or \
                re.match(r"engine/impl/systems[./]", file.name):
            continue
        for name in sorted(names):
            yield f"{file.name}: names the system {name}"
    if named < len(SYSTEMS):
        yield f"only {named} files name a system"


def headers_have_tests():
    for file in some(PUBLIC, "public headers"):
        test = ROOT / "tests" / file.name.replace(".hpp", "_test.cpp")
        if test.exists() == (file.name in UNTESTED):
            yield f"{file.name}: " + ("has a test and is listed as untested" if test.exists() else
                                      f"has no test {test.relative_to(ROOT)}")
    for name in UNTESTED:
        if name not in {file.name for file in PUBLIC}:
            yield f"{name}: is listed as untested and is not there"


def tests_are_built():
    if BUILD is None:
        return
    targets = json.loads((BUILD / "meson-info" / "intro-targets.json").read_text(encoding="utf-8"))
    groups = [group for target in targets for group in target["target_sources"]]
    built = {source for group in groups for source in group.get("sources", [])}
    for source in (pathlib.Path(name) for group in groups for name in group.get("generated_sources", [])):
        if "-unity" in source.name:  # several files compiled as one, which includes them
            included = re.findall(r'^#include\s*[<"](.+)[>"]$', source.read_text(encoding="utf-8"), re.MULTILINE)
            built |= {str(pathlib.Path(name).resolve()) for name in included}
    with_json = any(source.endswith("/tests/json/decode_test.cpp") for source in built)
    tests = some((ROOT / "tests").glob("*/**/*_test.cpp"), "unit tests")
    if not any(target["name"] == "unit_tests" for target in targets):
        print("SKIPPED: there is no program of unit tests in this build")
        return
    for test in tests:
        if str(test) not in built and (with_json or "json" not in test.parts):
            yield f"{test.relative_to(ROOT)}: is not built"


def tests_keep_their_names():
    """Several tests are compiled as one file, so what each declares is in a namespace of its own."""
    for test in some((ROOT / "tests").glob("*/**/*_test.cpp"), "unit tests"):
        text = test.read_text(encoding="utf-8")
        if not re.search(rf"^namespace (?:\w+_)?{test.stem} {{$", text, re.MULTILINE):
            yield f"{test.relative_to(ROOT)}: what it declares is to be in a namespace {test.stem}, or FOLDER_{test.stem}"


def operations_are_tested():
    """The operations of `evaluate` have names of their own, a test asks each of them for nothing, and the README of
    the examples lists them, and says how many they are."""
    files = some(sorted((TOP / "json/impl/operations").glob("*.hpp")), "operations")
    names = [name for path in files
             for name in re.findall(r'\{"(\w+\.\w+)", [\w:<>]+\},', path.read_text(encoding="ascii"))]
    if len(set(names)) != len(names) or len(names) < len(files):
        yield f"operations are named {', '.join(names)}"
    for path in files:
        explained = re.findall(r"\w+\.\w+(?=[:,])", "".join(re.findall("^///.*\n", path.read_text(encoding="ascii"), re.MULTILINE)))
        for name in re.findall(r'\{"(\w+\.\w+)", [\w:<>]+\},', path.read_text(encoding="ascii")):
            if name not in explained:
                yield f"{path.relative_to(TOP)}: does not say what {name} takes and answers"
    readme = (ROOT / "examples/README.md").read_text(encoding="utf-8")
    table = readme[readme.index("| op | input | result |"):].split("\n\n")[0]
    listed = re.findall(r"`(\w+\.\w+)`", "".join(re.findall(r"^\| (`\w+\.\w+`[^|]*)\|", table, re.MULTILINE)))
    if sorted(listed) != sorted(names):
        yield f"examples/README.md: lists {', '.join(sorted(set(listed) ^ set(names)))} too much or not at all"
    if re.findall(r"(\d+) operations", readme) != [str(len(names))]:
        yield f"examples/README.md: has to say that there are {len(names)} operations"
    if f" {len(names)} [operations]" not in (ROOT / "README.md").read_text(encoding="utf-8"):
        yield f"README.md: has to say that there are {len(names)} operations"
    test = (ROOT / "tests/json/operations_test.cpp").read_text(encoding="utf-8")
    asked = re.search(r"operations\[\] = \{\n(.*?)^  \};", test, re.MULTILINE | re.DOTALL)
    if asked is None or sorted(re.findall(r'"([^"]+)"', asked[1])) != sorted(names):
        yield f"tests/json/operations_test.cpp: has to ask every operation for nothing: {', '.join(names)}"


def promises_are_held():
    """The tests that SECURITY.md and README.md name are there."""
    for document in ("SECURITY.md", "README.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        named = re.findall(r'`(tests/[\w./]+)`(?: \(("[^)]+")\))?', text)
        for name, cases in some(named, f"tests in {document}"):
            if not (ROOT / name).exists():
                yield f"{document}: names {name}, which is not there"
                continue
            for case in re.findall('"([^"]+)"', cases):
                if f'"{case}"' not in (ROOT / name).read_text(encoding="utf-8"):
                    yield f'{document}: {name} has no "{case}"'
    vectors = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "tests/conformance").glob("*.jsonl"))
    if f" {vectors} vectors" not in text:
        yield f"README.md: has to say that there are {vectors} vectors"


def table_rows(text, head):
    """The rows of the table with this head in a document, each a list of cells; none where there is no such table."""
    at = text.find(f"| {head} |\n")
    rows = text[at:].split("\n\n")[0].splitlines()[2:] if at >= 0 else []
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def speed_is_measured():
    """README.md shows figures of the benchmarks' own table, and those rows too in which Go is faster."""
    measured = {}
    for work, ours, peer, theirs, ratio, *_ in some(table_rows((ROOT / "tests/benchmark/README.md").read_text(encoding="utf-8"),
                                                            "work | ours | peer | peer's | ratio | wanted | met"), "benchmarks"):
        if peer.startswith("Go"):
            measured.setdefault(work, []).append([ours.split(",")[0], theirs.split(",")[0], ratio])
    shown = {work: figures for work, *figures in some(
        table_rows((ROOT / "README.md").read_text(encoding="utf-8"), "work | schedpol | Go | times as fast"), "rows on speed")}
    for work, figures in shown.items():
        if figures not in measured.get(work, []):
            yield f"README.md: {work}: {', '.join(figures)}, and tests/benchmark/README.md has {measured.get(work)}"
    for work, rows in measured.items():
        if work not in shown and any(float(ratio) < 1 for *_, ratio in rows):
            yield f"README.md: does not show that Go is faster to {work}"


def settings_are_listed():
    """examples/README.md has every setting of an EngineConfiguration, and every option of SchedulingPolicy."""
    readme = (ROOT / "examples/README.md").read_text(encoding="utf-8")
    for head, name, schema in (("setting | values", "engine", "EngineConfiguration"),
                               ("option | values", "scheduling_policy", "scheduling_policy::Options")):
        text = (TOP / f"json/impl/schema/{name}.hpp").read_text(encoding="ascii")
        described = text[text.index(f"schema<{schema}> ="):].split(");\n\n")[0]
        fields = some(re.findall(r'field\("(\w+)"', described), f"fields of {schema}")
        listed = re.findall(r"`(\w+)(?:\[\]\.\w+)?`", " ".join(row[0] for row in table_rows(readme, head)))
        for field in sorted(set(fields) ^ set(listed)):
            yield f"examples/README.md: {field} of {schema} is listed and not read, or the other way round"


def pod_fields_are_listed():
    """examples/reference/README.md says of each field of a PodSpec who rules on it. The fields are those of k8s.io/api, of
    the release of Kubernetes whose rules the library has."""
    release = re.search(r'kubernetes_release = "(v[\d.]+)"', (TOP / "version.hpp").read_text(encoding="ascii"))[1]
    names = f"tests/reference/PodSpec.{release}.txt"
    if not (ROOT / names).exists():
        yield f"{names}: has to list the fields of a PodSpec of the release"
        return
    fields = some((ROOT / names).read_text(encoding="ascii").split(), "fields of a PodSpec")
    page = (ROOT / "examples/reference/README.md").read_text(encoding="utf-8")
    rows = some(table_rows(page, "fields | who rules on them"), "fields of a pod")
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row[0])]
    for name in sorted(set(fields) ^ set(listed)):
        yield f"examples/reference/README.md: {name} is a field of a PodSpec and not listed, or the other way round"
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        yield f"examples/reference/README.md: {name} is listed twice"
    for document in (page, (ROOT / "README.md").read_text(encoding="utf-8")):
        for said in re.findall(r"of (?:Kubernetes )?(v1\.\d+)", document):
            if said != release:
                yield f"a README says {said}, and the rules are those of {release}"


def versions_stand_apart():
    text = (TOP / "version.hpp").read_text(encoding="ascii")
    name = "v" + "_".join(re.findall(r"#define SCHEDPOL_VERSION_\w+ (\d+)", text))
    if f"#define SCHEDPOL_NAMESPACE schedpol::inline {name}\n" not in text:
        yield f"version.hpp: SCHEDPOL_NAMESPACE is to be schedpol::inline {name}"
    for file in some(FILES, "files"):
        if re.search(r"\bnamespace schedpol\b", file.code):
            yield f"{file.name}: what it declares is to be in SCHEDPOL_NAMESPACE, which has the version"


def own_kinds_are_of_one_group():
    """What ships says the API group that the library does, and no other that it once had."""
    header = (TOP / "core" / "api_version.hpp").read_text(encoding="utf-8")
    version = re.search(r'own_api_version = "(.*?)"', header)[1]
    group, name = version.split("/")
    kinds = "SchedulingPolicy|MetadataPolicy|EngineConfiguration|PolicyTest"
    # One beside the other, in either order; in JSON, in YAML, and in a program that writes them.
    said = re.compile(rf'apiVersion"?:\s*"?([\w./]+)"?,?\s+"?kind"?:\s*"?(?:{kinds})\b|'
                      rf'kind"?:\s*"?(?:{kinds})"?,?\s+"?apiVersion"?:\s*"?([\w./]+)')
    found = 0
    for path in some(sorted(path for path in (ROOT / "examples").rglob("*") if path.is_file()
                            and not {"node_modules", "target", "build"} & set(path.relative_to(ROOT).parts)), "examples"):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        where = path.relative_to(ROOT)
        for match in said.finditer(text):
            found += 1
            if (match[1] or match[2]) != version:
                yield f"{where}: says {match[0]!r}, and {version} is the version of that kind"
        for resource in re.findall(r"^ *- apiGroups: \[(.*?)\]\n *resources: \[(?:.*\W)?(?:scheduling|metadata)policies\b", text, re.MULTILINE):
            if group not in resource.split(", "):
                yield f"{where}: grants something of the group {resource}, not {group}"
        if path.parent.name == "crds" and re.search(rf"^    kind: (?:{kinds})$", text, re.MULTILINE):
            found += 1
            if f"\n  group: {group}\n" not in text or f"\n  - name: {name}\n" not in text:
                yield f"{where}: is not of {version}"
    if found < 20:
        yield f"only {found} objects of the project's own kinds were found"
    for path in sorted(ROOT.rglob("*")):
        where = path.relative_to(ROOT)
        if not path.is_file() or where.parts[0].startswith((".git", "build")) or where == pathlib.Path("tests/repository_test.py"):
            continue
        if found := re.search(rb"schedpol\.example\.com|\bschedpol/v1alpha1", path.read_bytes()):
            yield f"{where}: says {found[0].decode()}; the group is {group}"


def versions_agree():
    found = re.findall(r"#define SCHEDPOL_VERSION_\w+ (\d+)", (TOP / "version.hpp").read_text(encoding="ascii"))
    version = ".".join(found)
    for name, pattern in (("meson.build", r"version: '([^']+)'"), ("CMakeLists.txt", r"project\(schedpol VERSION (\S+)"),
                          ("CHANGELOG.md", r"^## (\S+)"), (".packaging/vcpkg/schedpol/vcpkg.json", r'"version": "([^"]+)"'),
                          (".packaging/README.md", r"GIT_TAG v(\S+)\)"), (".packaging/README.md", r"revision = v(\S+)"),
                          (".packaging/debian/changelog", r"^schedpol \((\S+)-\d+\)"),
                          ("examples/bindings/go/README.md", r"schedpol\.io/go@v([\d.]+)"),
                          ("examples/bindings/python/pyproject.toml", r'^version = "([^"]+)"'),
                          ("examples/bindings/node/package.json", r'^  "version": "([^"]+)"'),
                          ("examples/bindings/rust/Cargo.toml", r'^version = "([^"]+)"')):
        other = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        if len(found) != 3 or other is None or other[1] != version:
            yield f"{name}: says version {other and other[1]}, version.hpp says {version}"


def readmes_are_true():
    """Code in a README is cut from an example, outputs are those that the tests assert, links lead somewhere."""
    readmes = some(sorted(path for path in ROOT.rglob("README.md") if "build" not in path.relative_to(ROOT).parts[0]),
                   "READMEs")
    readmes += [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
    examples = [path.read_text(encoding="utf-8") for path in
                some(sorted((ROOT / "examples").rglob("*.cpp")), "examples")]
    shown = []
    for readme in readmes:
        text = readme.read_text(encoding="utf-8")
        blocks = re.findall(r"^ *```(\w+)\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
        shown += [block for language, block in blocks if language == "text"]
        for language, block in blocks:
            if language == "cpp" and not any(block in example for example in examples):
                yield f"{readme}: no example has this code:\n{block}"
        prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
            if not (readme.parent / link).exists():
                yield f"{readme}: leads to {link}, which is not there"
    for name in ("quickstart", "explain", "chain", "windows", "etcd", "configmap", "simulate", "unit_resources",
                 "cli"):
        if (ROOT / f"tests/examples/{name}.txt").read_text(encoding="utf-8") not in shown:
            yield f"no README shows what {name} prints"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    output = (ROOT / "tests/examples/quickstart.txt").read_text(encoding="utf-8")
    if readme.find(output) > len("\n".join(readme.split("\n")[:40])):
        yield "README.md: the quickstart's output is below line 40"
    if len(readme.splitlines()) > 250:
        yield "README.md: has more than 250 lines"

CHECKS = (headers_are_tidy, files_are_short, public_headers_are_public, compiler_hints_have_one_room,
          declarations_are_light, headers_bring_their_bodies, includes_are_needed, bodies_are_compiled, headers_work_alone, includes_are_pure,
          who_only_decides_compiles_no_more, folders_are_small, systems_are_named_in_few_places,
          headers_have_tests, tests_are_built, tests_keep_their_names, operations_are_tested, promises_are_held, speed_is_measured, settings_are_listed, pod_fields_are_listed, hints_are_told_of, own_kinds_are_of_one_group, versions_agree, versions_stand_apart, readmes_are_true)


def main():
    if not PUBLIC or not INTERNAL:
        sys.exit("no headers found")
    problems = []
    for check in CHECKS:
        try:
            problems += check()
        except Nothing as nothing:
            problems.append(f"{check.__name__}: {nothing}")
    print(*problems, sep="\n")
    print(f"{len(FILES)} files of the library looked at, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
