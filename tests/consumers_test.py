# SPDX-License-Identifier: Apache-2.0
"""The ways to use schedpol from another project, each tried on a project made for it: pkg-config and
find_package on an installed copy, CMake FetchContent, a Meson subproject, the copied single header.
Every one builds examples/quickstart.cpp, which has to print what the project's own build prints, and where
there is simdjson a program that needs it.

    consumers_test.py SOURCE_ROOT BUILD_ROOT json|no-json
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
WITH_JSON = sys.argv[3] == "json"
EXPECTED = (ROOT / "tests" / "examples" / "quickstart.txt").read_text(encoding="utf-8")
CXX = os.environ.get("CXX", "c++")
JSON_PROGRAM = """#include <schedpol/json/document.hpp>
int main() { return schedpol::json::Document().parse("{\\"a\\": [1]}") ? 0 : 1; }
"""
PROJECT_FILES = ["include", "single_include", "examples", "tests", "meson.build", "meson_options.txt",
                 "CMakeLists.txt", ".packaging"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_programs(directory):
    if run(directory / "quickstart") != EXPECTED:
        raise RuntimeError("the quickstart prints something else")
    if (directory / "parse").exists():
        run(directory / "parse")


def pkg_config(work, prefix):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(next(prefix.rglob("schedpol.pc")).parent))
    flags = run("pkg-config", "--cflags", "schedpol", env=environment).split()
    run(CXX, "-std=c++20", ROOT / "examples/quickstart.cpp", *flags, "-o", work / "quickstart")
    if WITH_JSON:
        flags = run("pkg-config", "--cflags", "--libs", "schedpol-json", env=environment).split()
        run(CXX, "-std=c++20", work / "parse.cpp", *flags, "-o", work / "parse")


CMAKE_TARGETS = """
add_executable(quickstart "${EXAMPLES}/quickstart.cpp")
target_link_libraries(quickstart PRIVATE schedpol::schedpol)
if(TARGET schedpol::json)
  add_executable(parse parse.cpp)
  target_link_libraries(parse PRIVATE schedpol::json)
endif()
"""


def cmake(work, find, *arguments):
    (work / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.20)\nproject(consumer CXX)\n{find}\n{CMAKE_TARGETS}", encoding="utf-8")
    run("cmake", "-S", work, "-B", work, f"-DEXAMPLES={ROOT / 'examples'}", *arguments)
    run("cmake", "--build", work)


def find_package(work, prefix):
    cmake(work, "find_package(schedpol 0.1 REQUIRED)", f"-DCMAKE_PREFIX_PATH={prefix}")


def fetch_content(work, _):
    cmake(work, "include(FetchContent)\nFetchContent_Declare(schedpol SOURCE_DIR nowhere)\n"
                "FetchContent_MakeAvailable(schedpol)", f"-DFETCHCONTENT_SOURCE_DIR_SCHEDPOL={ROOT}")


def meson_subproject(work, _):
    copy = work / "subprojects" / "schedpol"
    copy.mkdir(parents=True)
    for name in PROJECT_FILES:
        (copy / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "examples/quickstart.cpp", work)
    (work / "meson.build").write_text(
        "project('consumer', 'cpp', default_options: ['cpp_std=c++20', 'buildtype=plain'])\n"
        "executable('quickstart', 'quickstart.cpp', dependencies: dependency('schedpol', fallback: 'schedpol'))\n"
        "json = dependency('schedpol-json', required: false)\n"
        "if json.found()\n  executable('parse', 'parse.cpp', dependencies: json)\nendif\n", encoding="utf-8")
    run("meson", "setup", work / "build", work)
    run("meson", "compile", "-C", work / "build")
    if run("meson", "introspect", "--tests", work / "build").strip() != "[]":
        raise RuntimeError("the subproject adds tests to its parent")
    for name in ("quickstart", "parse"):
        if (work / "build" / name).exists():
            shutil.copy(work / "build" / name, work)


def copied_header(work, _):
    shutil.copy(ROOT / "single_include/schedpol.hpp", work)
    source = (ROOT / "examples/quickstart.cpp").read_text(encoding="utf-8")
    (work / "quickstart.cpp").write_text(
        source.replace("#include <schedpol/schedpol.hpp>", '#include "schedpol.hpp"'), encoding="utf-8")
    run(CXX, "-std=c++20", work / "quickstart.cpp", "-o", work / "quickstart")


WAYS = [("copied header", copied_header, None), ("pkg-config", pkg_config, "pkg-config"),
        ("CMake find_package", find_package, "cmake"), ("CMake FetchContent", fetch_content, "cmake"),
        ("Meson subproject", meson_subproject, "meson")]


def try_way(scratch, prefix, name, way, tool):
    if tool and not shutil.which(tool):
        return f"SKIPPED {name}: {tool} is not here"
    work = scratch / name.replace(" ", "-")
    work.mkdir()
    if WITH_JSON:
        (work / "parse.cpp").write_text(JSON_PROGRAM, encoding="utf-8")
    try:
        way(work, prefix)
        check_programs(work)
    except RuntimeError as error:
        return f"{name}: {error}"
    if WITH_JSON and way is not copied_header and not (work / "parse").exists():
        return f"{name}: there is no JSON"
    return f"{name}: works"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        prefix = scratch / "prefix"
        run("meson", "setup", scratch / "install", ROOT, f"--prefix={prefix}", "-Dtests=disabled",
            "-Dexamples=disabled", "-Djson=" + ("enabled" if WITH_JSON else "disabled"))
        run("meson", "install", "-C", scratch / "install")
        installed = sorted(p.relative_to(prefix / "include") for p in (prefix / "include").rglob("*.hpp"))
        if installed != sorted(p.relative_to(ROOT / "include") for p in (ROOT / "include").rglob("*.hpp")):
            sys.exit(f"installed headers: {installed}")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for outcome in pool.map(lambda way: try_way(scratch, prefix, *way), WAYS):
                print(outcome)
                failed += not outcome.endswith(": works") and not outcome.startswith("SKIPPED")
    sys.exit(1 if failed else 0)


main()
