# SPDX-License-Identifier: Apache-2.0
"""The packages for other languages, each installed and tested by its own tools, on the library that a build directory
has; the packages they need come from their registries. What the machine has no tools for, or no registry, is SKIPPED.

    packages_test.py BUILD_ROOT SOURCE_ROOT [PACKAGE...]

With SCHEDPOL_FROM_SOURCE each compiles the library for itself, as its users do, in minutes. SCHEDPOL_STRESS_SECONDS is
how long threads share engines.
"""

import concurrent.futures
import ctypes
import gzip
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
BINDINGS = ROOT / "examples" / "bindings"
LIBRARY = BUILD / "examples" / "bindings"
MADE = BUILD / "packages"
REPLIES = MADE / "replies"
MODULE = MADE / "wasm" / "schedpol.wasm"
SMALL = MADE / "wasm" / "small.wasm"
# What a page may wait for.
MOST_BYTES = 1_600_000
MOST_BYTES_PACKED = 550_000
CHROMIUM = "/usr/bin/chromium"
SPARK = "fleet with spark"
ENVIRONMENT = dict(os.environ, SCHEDPOL_REPLIES=str(REPLIES), CARGO_TARGET_DIR=str(MADE / "rust"), PYTHONDONTWRITEBYTECODE="1")
GO_FLAGS = "-race"
if not os.environ.get("SCHEDPOL_FROM_SOURCE"):
    ENVIRONMENT |= {"SCHEDPOL_LIB_DIR": str(LIBRARY), "CGO_LDFLAGS": f"-L{LIBRARY} -Wl,-rpath,{LIBRARY}"}
    GO_FLAGS += " -tags=schedpol_installed"


# What a package has to say, a list a thread: packages that are tested at the same time speak one after the other.
SAID = threading.local()


class Skipped(Exception):
    """Why a package cannot be tested here."""


def need(tool, *arguments, version=()):
    """A tool that works, of that version at least, which it tells when it is given the arguments."""
    if shutil.which(tool) is None:
        raise Skipped(f"there is no {tool}")
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Skipped(f"{tool} does not work here")
    told = re.search(r"(\d+)\.(\d+)", done.stdout)
    if version and (told is None or tuple(map(int, told.groups())) < version):
        raise Skipped(f"it takes {tool} {version[0]}.{version[1]}")


def run(*command, directory=ROOT, **environment):
    """Keeps what it prints; raises where it fails."""
    say("+", *command)
    done = subprocess.run([str(word) for word in command], cwd=directory, env={**ENVIRONMENT, **environment}, check=False,
                          text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.stdout:
        say(done.stdout.rstrip())
    done.check_returncode()


def say(*words):
    SAID.lines.append(" ".join(map(str, words)))


def fetch(what, *command, directory=ROOT):
    """Has a tool fetch what there may be no registry for."""
    try:
        run(*command, directory=directory)
    except subprocess.CalledProcessError as problem:
        raise Skipped(f"{what} cannot be had") from problem


def write_replies():
    """What the library itself replies to the conformance vectors."""
    REPLIES.mkdir(parents=True, exist_ok=True)
    for vectors in sorted((ROOT / "tests" / "conformance").glob("*.jsonl")):
        replies = subprocess.run([BUILD / "examples" / "evaluate"], stdin=vectors.open("rb"), capture_output=True, check=True)
        (REPLIES / vectors.name).write_bytes(replies.stdout)
    write_corpora()


class Text(ctypes.Structure):
    """schedpol_text."""

    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def write_corpora():
    """What the library itself answers to each input of the fuzz targets, as a request and as YAML."""
    library = ctypes.CDLL(str(LIBRARY / "libschedpol.so.1"))

    def ask(function, given):
        answer = Text()
        getattr(library, function)(given, ctypes.c_size_t(len(given)), ctypes.byref(answer))
        said = ctypes.string_at(answer.data, answer.length) if answer.data else b""
        library.schedpol_text_free(ctypes.byref(answer))
        return said

    for corpus in (ROOT / "tests" / "fuzz" / "corpus").iterdir():
        to = REPLIES / "corpus" / corpus.name
        to.mkdir(parents=True, exist_ok=True)
        for file in corpus.iterdir():
            given = file.read_bytes()
            (to / f"{file.name}.reply").write_bytes(ask("schedpol_evaluate", given))
            (to / f"{file.name}.yaml").write_bytes(ask("schedpol_yaml_to_json", given))


def newest(pattern):
    """What was made last of that name. ValueError where there is nothing."""
    return max(MADE.glob(pattern), key=lambda file: file.stat().st_mtime)


def whole(archive, sources):
    """A package of sources has the licence and, in `native/`, these files of the checkout with all that they include; and
    left nothing here."""
    with tarfile.open(archive) as opened:
        texts = {entry.name.partition("/")[2]: opened.extractfile(entry).read().decode() for entry in opened if entry.isfile()}
    wanted = {"LICENSE"}
    if not any("yaml" in source.parts for source in sources):
        texts = {name: re.sub(r"#if defined\(SCHEDPOL_YAML\)\n.*?#endif", "", text, flags=re.DOTALL) for name, text in texts.items()}
    for source in sources:
        name = f"native/{source.relative_to(ROOT)}"
        wanted.add(name)
        for rooted, beside in re.findall(r'^#include (?:<(schedpol/\S+)>|"(\S+)")', texts.get(name, ""), re.MULTILINE):
            wanted.add(f"native/include/{rooted}" if rooted else os.path.normpath(f"{name}/../{beside}"))
    if missing := wanted - texts.keys():
        raise RuntimeError(f"{archive.name} lacks {sorted(missing)}")
    for left in ("native", "LICENSE"):
        for language in ("python", "rust"):
            if (BINDINGS / language / left).exists():
                raise RuntimeError(f"{left} is left in the folder for {language}")


def sources_of(*besides):
    """What the C ABI is compiled from, and these."""
    return [*(ROOT / "include").rglob("*.?pp"), *(ROOT / ".packaging" / "compiled").glob("*.cpp"), BINDINGS / "schedpol.cpp", *besides]


def python():
    if sys.version_info < (3, 10):
        raise Skipped("it takes Python 3.10")
    need(sys.executable, "-c", "import ensurepip")
    package, environment = BINDINGS / "python", MADE / "python"
    if not (environment / "bin" / "pip").exists():
        run(sys.executable, "-m", "venv", environment)
    tool = environment / "bin"
    fetch("what it is built and tested with", tool / "pip", "install", "-q", "scikit-build-core>=0.11", "nanobind>=2.2", "cmake",
          "ninja", "mypy>=1.10", "pytest>=8", "pyarrow")
    run(tool / "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", f"--config-settings=build-dir={MADE}/python-build", "-w", MADE,
        package)
    wheel = python_wheel()
    with zipfile.ZipFile(wheel) as opened:
        if not any(name.endswith(".dist-info/licenses/LICENSE") for name in opened.namelist()):
            raise RuntimeError("the wheel has no LICENSE")
    run(tool / "pip", "install", "-q", "--force-reinstall", "--no-deps", wheel)
    run(tool / "pip", "install", "-q", f"{wheel}[test,arrow]")
    run(tool / "pytest", "-q", "-p", "no:cacheprovider", directory=package)
    run(tool / "mypy", "--cache-dir", MADE / "mypy", directory=package)
    run(tool / "python", "-c", f"import build_backend; build_backend.build_sdist({str(MADE)!r})", directory=package)
    whole(newest("schedpol-*.tar.gz"), sources_of(*(ROOT / "examples" / "support" / "yaml").glob("*.[ch]pp")))


def python_wheel():
    """That which was made. From 3.12 on it is one for all versions of Python."""
    version = sys.version_info[:2]
    tags = "cp312-abi3" if version >= (3, 12) else f"cp3{version[1]}-cp3{version[1]}"
    return newest(f"schedpol-*-{tags}-*.whl")


def need_fleet(*packages):
    """A Python that has what the README says, and these."""
    try:
        wheel = python_wheel()
    except ValueError:
        raise Skipped("the package for Python is not made") from None
    readme = (ROOT / "examples" / "fleet" / "README.md").read_text(encoding="utf-8")
    said = re.search(r"^pip install './examples/bindings/python\[arrow\]' (.+)$", readme, re.MULTILINE)[1]
    tool = MADE / "fleet" / "bin"
    if not (tool / "pip").exists():
        run(sys.executable, "-m", "venv", MADE / "fleet")
    fetch("what it needs", tool / "pip", "install", "-q", f"{wheel}[arrow]", *shlex.split(said), *packages)
    run(tool / "pip", "install", "-q", "--force-reinstall", "--no-deps", wheel)
    return tool / "python"


def fleet():
    interpreter = need_fleet()
    for program in ("fleet", "fleet_duckdb"):
        run(interpreter, ROOT / "tests" / "examples" / "fleet_test.py", ROOT, program)


def fleet_with_spark():
    need("java", "-version")
    if SPARK not in sys.argv[3:]:
        raise Skipped("Spark is large: it is tested when it is asked for by name")
    interpreter = need_fleet("pyspark>=4", "pandas>=2.2,<3")
    run(interpreter, ROOT / "tests" / "examples" / "fleet_test.py", ROOT, "fleet_spark")


def rust():
    need("cargo", "--version", version=(1, 74))
    fetch("what it is built with", "cargo", "fetch", "--quiet", directory=BINDINGS / "rust")
    run("cargo", "test", "--quiet", directory=BINDINGS / "rust")
    if shutil.which("rustfmt"):
        run("cargo", "fmt", "--check", directory=BINDINGS / "rust")
    run("./package", "--quiet", directory=BINDINGS / "rust")
    whole(newest("rust/package/schedpol-*.crate"), sources_of())


def go():
    need("go", "version", version=(1, 22))
    fetch("wazero", "go", "mod", "download", directory=BINDINGS / "go")
    run("go", "test", "-vet=all", "-count=1", "./...", directory=BINDINGS / "go", CGO_ENABLED="1", GOFLAGS=GO_FLAGS)


def wasm():
    for tool in ("make", "clang++-16", "wasm-ld-16", "wasm-opt"):
        need(tool, "--version")
    if not pathlib.Path("/usr/include/wasm32-wasi/c++").exists():
        raise Skipped("there is no libc++ for WebAssembly")
    make = ("make", "-s", "-j2", "-C", BINDINGS / "wasm", f"BUILD={MODULE.parent}")
    fetch("the source of libyaml", *make, "libyaml")
    run(*make)
    run(*make, SMALL)
    size, packed = MODULE.stat().st_size, len(gzip.compress(MODULE.read_bytes(), mtime=0))
    say(f"schedpol.wasm: {size} bytes, {packed} packed")
    if size > MOST_BYTES or packed > MOST_BYTES_PACKED:
        raise RuntimeError(f"the module is larger than {MOST_BYTES} bytes, or {MOST_BYTES_PACKED} packed")


def need_module(tool, argument, version):
    need(tool, argument, version=version)
    if not MODULE.exists():
        raise Skipped("there is no module of WebAssembly")


def node():
    need_module("node", "--version", (20, 19))
    shutil.copy(MODULE, BINDINGS / "node" / "schedpol.wasm")
    run("node", "--test", directory=BINDINGS / "node", SCHEDPOL_SMALL_MODULE=str(SMALL))


def bundles():
    """The package for Node as it is published, bundled for a browser."""
    need_module("node", "--version", (20, 19))
    need("npm", "--version")
    need(CHROMIUM, "--version")
    tools, package = MADE / "npm", BINDINGS / "node"
    fetch("what bundles and steers a browser", "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", tools,
          "playwright-core@1", "esbuild", "vite", "typescript")
    # What its own script copies where it has made the module.
    for file, name in ((MODULE, "schedpol.wasm"), (ROOT / "LICENSE", "LICENSE"), (package / "index.d.ts", "index.d.cts")):
        shutil.copy(file, package / name)
    run("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", MADE, directory=package)
    archive = newest("schedpol-*.tgz")
    with tarfile.open(archive) as opened:
        if "package/LICENSE" not in opened.getnames():
            raise RuntimeError("the archive has no LICENSE")
    run("node", ROOT / "tests" / "examples" / "bundlers_test.mjs", archive, BINDINGS, tools, MADE / "bundles")


def playground():
    need_module("node", "--version", (20, 19))
    need("npm", "--version")
    need(CHROMIUM, "--version")
    page, tools = MADE / "playground.html", MADE / "npm"
    run(sys.executable, ROOT / "examples" / "playground" / "build.py", MODULE, page)
    fetch("what steers a browser", "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", tools, "playwright-core@1")
    run("node", ROOT / "tests" / "examples" / "playground_test.mjs", page, BUILD / "examples" / "evaluate",
        tools / "node_modules" / "playwright-core")


def go_without_cgo():
    need_module("go", "version", (1, 22))
    shutil.copy(MODULE, BINDINGS / "go" / "schedpol.wasm")
    fetch("wazero", "go", "mod", "download", directory=BINDINGS / "go")
    run("go", "test", "-count=1", ".", directory=BINDINGS / "go", CGO_ENABLED="0", SCHEDPOL_SMALL_MODULE=str(SMALL))


def go_module():
    """What a release has, in programs that have nothing else."""
    need_module("go", "version", (1, 22))
    fetch("wazero", "go", "mod", "download", directory=BINDINGS / "go")
    run(sys.executable, ROOT / "tests" / "examples" / "go_module_test.py", ROOT, MODULE, LIBRARY, MADE / "go-module")


PACKAGES = {"python": python, "rust": rust, "go": go, "wasm": wasm, "go without cgo": go_without_cgo, "go module": go_module, "node": node,
            "node bundled": bundles, "playground": playground, "fleet": fleet, SPARK: fleet_with_spark}
# What needs what another has made stands behind it; one list needs nothing of the other.
AFTER_ANOTHER = [["wasm", "go without cgo", "go module", "node", "node bundled", "playground"], ["python", "fleet", SPARK, "rust", "go"]]


def tested(names):
    """How many of them failed, and how many were skipped."""
    failed = skipped = 0
    for name in names:
        SAID.lines = []
        try:
            PACKAGES[name]()
        except Skipped as why:
            say(f"SKIPPED {name}: {why}")
            skipped += 1
        except (OSError, RuntimeError, subprocess.CalledProcessError) as problem:
            say(f"{name}: {problem}")
            failed += 1
        print("\n".join(SAID.lines), flush=True)
    return failed, skipped


def main():
    write_replies()
    asked_for = sys.argv[3:] or list(PACKAGES)
    if unknown := set(asked_for) - set(PACKAGES):
        sys.exit(f"no package {', '.join(sorted(unknown))}")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        counts = list(pool.map(tested, ([name for name in names if name in asked_for] for names in AFTER_ANOTHER)))
    failed, skipped = map(sum, zip(*counts))
    print(f"packages: {len(asked_for) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main())
