# SPDX-License-Identifier: Apache-2.0
"""The Go module that a release has, asked for two decisions by a program that has nothing but it: by `replace`, from its
vendor directory, and by version from a proxy; each with cgo and without. Only the vendored sources are compiled, at -O0;
the others link the libschedpol that is built.

    go_module_test.py SOURCE_ROOT SCHEDPOL.wasm LIBRARY_DIRECTORY SCRATCH
"""

import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

ROOT, WASM, LIBRARY, SCRATCH = (pathlib.Path(word).resolve() for word in sys.argv[1:])
VERSION = "v" + next(line.split("'")[1] for line in (ROOT / "meson.build").read_text().splitlines() if "version: '" in line)
MODULE = "schedpol.io/go"
PROGRAM = """package main

import (
	"fmt"
	"os"

	"schedpol.io/go"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	engine := must(schedpol.New(must(os.ReadFile(os.Args[1] + "/policies.json"))))
	for _, name := range []string{"pod.json", "denied.json"} {
		decision := must(engine.Decide(must(os.ReadFile(os.Args[1]+"/"+name)), schedpol.Asked{}))
		fmt.Println(decision.Allowed, len(decision.Patch), len(decision.Reasons()))
	}
}
"""
DECISIONS = "true 2 0\nfalse 0 2\n"
LINKED = {"CGO_ENABLED": "1", "GOFLAGS": "-tags=schedpol_installed", "CGO_LDFLAGS": f"-L{LIBRARY} -Wl,-rpath,{LIBRARY}"}
COMPILED = {"CGO_ENABLED": "1", "CGO_CXXFLAGS": "-O0"}
SANDBOXED = {"CGO_ENABLED": "0"}


def go(directory, *words, **environment):
    """What the tool prints. What the machine's cache of modules has it may have, and nothing from elsewhere."""
    environment = {**os.environ, "GOPROXY": f"file://{SCRATCH}/out,file://{CACHE}/cache/download", "GOFLAGS": "", "GOSUMDB": "off",
                   "GOMODCACHE": str(SCRATCH / "modules"), "GOWORK": "off", **environment}
    environment["GOFLAGS"] += " -modcacherw"
    done = subprocess.run(["go", *words], cwd=directory, env=environment, check=False, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"go {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


def program(name, *edits):
    """A module that requires this one, and nothing else that it names."""
    directory = SCRATCH / name
    directory.mkdir()
    (directory / "main.go").write_text(PROGRAM)
    go(directory, "mod", "init", f"example.com/{name}")
    go(directory, "mod", "edit", f"-require={MODULE}@{VERSION}", *edits)
    go(directory, "mod", "tidy")
    return directory


def check(directory, *flags, **environment):
    said = go(directory, "run", *flags, ".", str(ROOT / "examples" / "bindings"), **environment)
    if said != DECISIONS:
        sys.exit(f"{directory.name} {flags} {environment}: decides\n{said}")


def write(out):
    subprocess.run([sys.executable, ROOT / ".packaging" / "go_module.py", WASM, out], check=True, stdout=subprocess.DEVNULL)
    return out / MODULE / "@v" / f"{VERSION}.zip"


shutil.rmtree(SCRATCH, ignore_errors=True)
SCRATCH.mkdir(parents=True)
CACHE = subprocess.run(["go", "env", "GOMODCACHE"], check=True, text=True, capture_output=True).stdout.strip()
archive = write(SCRATCH / "out")
if not filecmp.cmp(archive, write(SCRATCH / "again"), shallow=False):
    sys.exit("two archives of one checkout differ")
with zipfile.ZipFile(archive) as opened:
    if f"{MODULE}@{VERSION}/LICENSE" not in opened.namelist():
        sys.exit("the archive has no LICENSE")

# The folder is gone before what was copied from it is compiled.
folder = SCRATCH / "again" / f"{MODULE}@{VERSION}"
replaced = program("replaced", f"-replace={MODULE}={folder}")
check(replaced, **SANDBOXED)
check(replaced, **LINKED)
go(replaced, "mod", "vendor")
shutil.rmtree(SCRATCH / "again")
check(replaced, "-mod=vendor", **SANDBOXED)
check(replaced, "-mod=vendor", **COMPILED)

served = program("served")
check(served, **SANDBOXED)
check(served, **LINKED)
print(f"{archive.name}: {archive.stat().st_size} bytes")
