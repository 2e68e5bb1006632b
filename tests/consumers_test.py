# SPDX-License-Identifier: Apache-2.0
"""The ways to use schedpol from another project, each tried on a project made for it: the copied single
header, pkg-config and find_package on an installed copy, CMake FetchContent, a CMake library that exports
itself on top of schedpol, a Meson subproject; header-only, with JSON where there is simdjson, and compiled.

    consumers_test.py SOURCE_ROOT BUILD_ROOT json|no-json
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
BUILD = pathlib.Path(sys.argv[2])
WITH_JSON = sys.argv[3] == "json"
CXX = os.environ.get("CXX", "c++")
PROJECT_FILES = ["include", "single_include", "examples", "tests", "meson.build", "meson_options.txt",
                 "CMakeLists.txt", ".packaging"]

# The programs of every project, what each prints, and what it is built on: `place` and `document` on the
# headers and as little of them as there is, the others on what is compiled.
PLACE = """#include <schedpol/core/field_path.hpp>
#include <iostream>
#if defined(SCHEDPOL_COMPILED)
#error "this program is header-only"
#endif
int main() { std::cout << to_string(schedpol::FieldPath{"spec", "units"}.index(3)) << '\\n'; }
"""
DOCUMENT = """#include <schedpol/json/document.hpp>
#include <iostream>
int main() { std::cout << (schedpol::json::Document().parse("{\\"a\\": [1]}") ? "parsed\\n" : "refused\\n"); }
"""
EVALUATE = """#include <schedpol/json/evaluate.hpp>
#include <iostream>
#if !defined(SCHEDPOL_COMPILED)
#error "this program is compiled"
#endif
int main() {
  std::cout << schedpol::json::evaluate(R"({"op": "quantity.compare", "input": {"a": "1Gi", "b": "1G"}})") << '\\n';
}
"""
VERSION = re.search(r"^project\(schedpol VERSION (\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"),
                    re.MULTILINE)[1]
QUICKSTART = (ROOT / "examples" / "quickstart.cpp").read_text(encoding="utf-8")
PRINTED = {
    "place": "spec.units[3]\n",
    "document": "parsed\n",
    "evaluate": '{"id":null,"result":{"compare":1}}\n',
    "quickstart": (ROOT / "tests" / "examples" / "quickstart.txt").read_text(encoding="utf-8"),
}
SOURCES = {"place": PLACE, "document": DOCUMENT, "evaluate": EVALUATE, "quickstart": QUICKSTART}


def run(*command, fails=False, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    if (done.returncode != 0) != fails:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr if fails else done.stdout


def check_programs(directory, *names):
    for name in names:
        if run(directory / name) != PRINTED[name]:
            raise RuntimeError(f"{name} prints something else")


def check_not_compiled(work):
    if any(path.is_file() for path in work.rglob("*schedpol-compiled.*")):
        raise RuntimeError("the compiled library is built, and nobody uses it")


def with_json(*names):
    return names if WITH_JSON else tuple(name for name in names if name not in ("document", "evaluate"))


def copied_header(work, _):
    shutil.copytree(ROOT / "single_include" / "schedpol", work / "schedpol")
    (work / "quickstart.cpp").write_text(re.sub(r"(#include <schedpol/.*>\n)+", "#include <schedpol/schedpol.hpp>\n", QUICKSTART),
                                         encoding="utf-8")
    run(CXX, "-std=c++20", f"-I{work}", work / "quickstart.cpp", "-o", work / "quickstart")
    check_programs(work, "quickstart")


def pkg_config(work, prefix):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(next(prefix.rglob("schedpol.pc")).parent))
    for name, package in (("place", "schedpol"), ("document", "schedpol-json"), ("evaluate", "schedpol-compiled"),
                          ("quickstart", "schedpol-compiled")):
        if name in with_json(name):
            flags = run("pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", package, env=environment)
            run(CXX, "-std=c++20", work / f"{name}.cpp", *flags.split(), "-o", work / name)
            check_programs(work, name)


def cmake_project(work, found, targets, *arguments):
    (work / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.20)\nproject(consumer VERSION 1 LANGUAGES CXX)\n{found}\n" +
        "".join(f"add_executable({name} {name}.cpp)\ntarget_link_libraries({name} PRIVATE schedpol::{target})\n"
                for name, target in targets.items()), encoding="utf-8")
    configured = run("cmake", "-S", work, "-B", work / "build", *arguments)
    run("cmake", "--build", work / "build")
    check_programs(work / "build", *targets)
    return configured


def find_package(work, prefix):
    here = f"-DCMAKE_PREFIX_PATH={prefix}"
    targets = {"place": "schedpol", "quickstart": "compiled"}
    components = "compiled"
    if WITH_JSON:
        targets |= {"document": "json", "evaluate": "compiled"}
        components += " json"
    cmake_project(work, f"find_package(schedpol {VERSION} REQUIRED COMPONENTS {components})", targets, here)
    for component, arguments, wanted in (
            ("yaml", [], "there is no schedpol::yaml"),
            ("json", ["-DCMAKE_DISABLE_FIND_PACKAGE_simdjson=ON"], "schedpol::json needs simdjson 3.0 or newer")):
        (work / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(consumer CXX)\n"
            f"find_package(schedpol REQUIRED COMPONENTS {component})\n", encoding="utf-8")
        said = run("cmake", "-S", work, "-B", work / component, here, *arguments, fails=True)
        if wanted not in said:
            raise RuntimeError(f"that {component} is not there is said as\n{said}")


FETCH = "include(FetchContent)\nFetchContent_Declare(schedpol SOURCE_DIR nowhere)\nFetchContent_MakeAvailable(schedpol)\n"
FETCHED = f"-DFETCHCONTENT_SOURCE_DIR_SCHEDPOL={ROOT}"


def fetch_content(work, _):
    targets = {"place": "schedpol"} | ({"document": "json"} if WITH_JSON else {})
    cmake_project(work, FETCH, targets, FETCHED)
    check_not_compiled(work)
    said = run("cmake", "-S", work, "-B", work / "without", FETCHED, "-DSCHEDPOL_JSON=ON",
               "-DCMAKE_DISABLE_FIND_PACKAGE_simdjson=ON", fails=True)
    if "schedpol::json needs simdjson 3.0 or newer, which was not found" not in said:
        raise RuntimeError(f"that simdjson is not there is said as\n{said}")


def exported(work, _):
    """A library on the compiled one, installed, and a program on that."""
    (work / "library.cpp").write_text('#include <schedpol/core/field_path.hpp>\nschedpol::FieldPath units();\n'
                                      'schedpol::FieldPath units() { return {"spec", "units"}; }\n', encoding="utf-8")
    cmake_project(work, f"""{FETCH}
add_library(library STATIC library.cpp)
target_link_libraries(library PUBLIC schedpol::compiled)
install(TARGETS library EXPORT libraryTargets)
install(EXPORT libraryTargets DESTINATION lib/cmake/library)
export(EXPORT libraryTargets)
file(WRITE "${{PROJECT_BINARY_DIR}}/libraryConfig.cmake" "find_package(schedpol REQUIRED COMPONENTS compiled)
include(\\${{CMAKE_CURRENT_LIST_DIR}}/libraryTargets.cmake)")
install(FILES "${{PROJECT_BINARY_DIR}}/libraryConfig.cmake" DESTINATION lib/cmake/library)
""", {}, FETCHED, f"-DCMAKE_INSTALL_PREFIX={work / 'prefix'}", "-DSCHEDPOL_JSON=OFF")
    run("cmake", "--install", work / "build")
    program = work / "program"
    program.mkdir()
    (program / "place.cpp").write_text(
        '#include <schedpol/core/field_path.hpp>\n#include <iostream>\nschedpol::FieldPath units();\n'
        "int main() { std::cout << to_string(units().index(3)) << '\\n'; }\n", encoding="utf-8")
    cmake_project(program, "find_package(library REQUIRED)\nlink_libraries(library)", {"place": "compiled"},
                  f"-DCMAKE_PREFIX_PATH={work / 'prefix'}")


def meson_subproject(work, _):
    targets = {"place": "schedpol", "quickstart": "schedpol-compiled"} | ({"document": "schedpol-json"} if WITH_JSON else {})
    copy = work / "subprojects" / "schedpol"
    copy.mkdir(parents=True)
    for name in PROJECT_FILES:
        (copy / name).symlink_to(ROOT / name)
    (work / "meson.build").write_text(
        "project('consumer', 'cpp', default_options: ['cpp_std=c++20', 'buildtype=plain'])\n"
        "subproject('schedpol')\n" +
        "".join(f"executable('{name}', '{name}.cpp', dependencies: dependency('{package}'))\n"
                for name, package in targets.items()), encoding="utf-8")
    build = work / "build"
    said = run("meson", "setup", build, work)
    if "WARNING" in said:
        raise RuntimeError(f"the subproject is not quiet:\n{said}")
    if run("meson", "introspect", "--tests", build).strip() != "[]":
        raise RuntimeError("the subproject adds tests to its parent")
    header_only = with_json("place", "document")
    run("ninja", "-C", build, *header_only)
    check_programs(build, *header_only)
    check_not_compiled(work)
    # The library is compiled often enough elsewhere, so here it is enough that it would be, and be used.
    planned = run("ninja", "-C", build, "-n", "-v", "quickstart")
    for wanted in ("-DSCHEDPOL_COMPILED .*schedpol.cpp\\n", "-DSCHEDPOL_COMPILED .*quickstart.cpp\\n",
                   "-o quickstart .*libschedpol-compiled.a"):
        if not re.search(wanted, planned):
            raise RuntimeError(f"nothing is planned like {wanted}:\n{planned}")


# What takes longest comes first.
WAYS = [("CMake export", exported, "cmake"), ("copied header", copied_header, None), ("CMake find_package", find_package, "cmake"),
        ("pkg-config", pkg_config, "pkg-config"), ("CMake FetchContent", fetch_content, "cmake"),
        ("Meson subproject", meson_subproject, "ninja")]


def try_way(scratch, prefix, name, way, tool):
    if tool and not shutil.which(tool):
        return f"SKIPPED {name}: {tool} is not here"
    work = scratch / name.replace(" ", "-")
    work.mkdir()
    for program, source in SOURCES.items():
        (work / f"{program}.cpp").write_text(source, encoding="utf-8")
    try:
        way(work, prefix)
    except RuntimeError as error:
        return f"{name}: {error}"
    return f"{name}: works"


def installed(scratch):
    """The prefix of an installed copy, or what is wrong with it."""
    run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", scratch)
    prefix = next(scratch.rglob("include")).parent
    for source, target in (("include", "include"), ("single_include", "share/schedpol/single_include")):
        wanted, there = (sorted(path.relative_to(place) for path in place.rglob("*.[hi]pp"))
                         for place in (ROOT / source, prefix / target))
        if not wanted or wanted != there:
            sys.exit(f"{target} has {there}")
    return prefix


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        prefix = installed(scratch / "installed")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for outcome in pool.map(lambda way: try_way(scratch, prefix, *way), WAYS):
                print(outcome)
                failed += not outcome.endswith(": works") and not outcome.startswith("SKIPPED")
    sys.exit(1 if failed else 0)


main()
