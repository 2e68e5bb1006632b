# SPDX-License-Identifier: Apache-2.0
"""The ways to use schedpol from another project, each tried on a project made for it:
pkg-config and find_package on what Meson and what CMake installs, CMake FetchContent, a CMake library
that exports itself on top of schedpol, a Meson subproject, the C ABI, shared libraries on two versions in one
program; header-only and compiled.

    consumers_test.py SOURCE_ROOT BUILD_ROOT tools|no-tools

What is compiled once is compiled in BUILD_ROOT already, so CMake takes it from there.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(sys.argv[1])
BUILD = pathlib.Path(sys.argv[2])
WITH_TOOLS = sys.argv[3] == "tools"
CXX = os.environ.get("CXX", "c++")
PROJECT_FILES = ["include", "single_include", "examples", "tests", "meson.build", "meson_options.txt",
                 "CMakeLists.txt", "LICENSE", ".packaging"]

# The programs of every project, what each prints, and what it is built on: `place` and `document` on the
# headers and as little of them as there is, the others on what is compiled.
PLACE = """#include <schedpol/base/field_path.hpp>
#include <cstdio>
#if defined(SCHEDPOL_COMPILED)
#error "this program is header-only"
#endif
int main() { std::puts(to_string(schedpol::FieldPath{"spec", "units"}.index(3)).c_str()); }
"""
DOCUMENT = """#include <schedpol/json/document.hpp>
#include <cstdio>
int main() { std::puts(schedpol::json::Document().parse("{\\"a\\": [1]}") ? "parsed" : "refused"); }
"""
EVALUATE = """#include <schedpol/json/evaluate.hpp>
#include <cstdio>
#if !defined(SCHEDPOL_COMPILED)
#error "this program is compiled"
#endif
int main() {
  std::puts(schedpol::json::evaluate(R"({"op": "quantity.compare", "input": {"a": "1Gi", "b": "1G"}})").c_str());
}
"""
VERSION = re.search(r"^project\(schedpol VERSION (\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"),
                    re.MULTILINE)[1]
QUICKSTART = (ROOT / "examples" / "quickstart.cpp").read_text(encoding="utf-8")
FULL_VERSION = re.search(r"^project\(schedpol VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"),
                         re.MULTILINE)[1]
PRINTED = {
    "place": "spec.units[3]\n",
    "document": "parsed\n",
    "evaluate": '{"id":null,"result":{"compare":1}}\n',
    "quickstart": (ROOT / "tests" / "examples" / "quickstart.txt").read_text(encoding="utf-8"),
}
# Compiles for CMake; of the sources of the library it takes what Meson compiled, when they would be compiled so.
LAUNCHER = f"""#!/bin/sh
for source; do :; done
case "$source" in */.packaging/compiled/*) ;; *) exec "$@" ;; esac
case " $* " in *" -DSCHEDPOL_COMPILED "*) ;; *) echo "compiled as header-only: $*"; exit 1 ;; esac
"$@" -E || exit
while [ "$1" != -o ]; do shift; done
exec ar p '{BUILD}/libschedpol-compiled.a' ".packaging_compiled_${{source##*/}}.o" > "$2"
"""
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


def flags_of(prefix, package):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(next(prefix.rglob("schedpol.pc")).parent))
    return run("pkg-config", "--cflags", "--libs", package, env=environment).split()


PACKAGES = {"place": "schedpol", "document": "schedpol", "evaluate": "schedpol-compiled", "quickstart": "schedpol-compiled"}


def pkg_config(work, prefix):
    for name in ("place", "document", "evaluate"):
        run(CXX, "-std=c++20", work / f"{name}.cpp", *flags_of(prefix, PACKAGES[name]), "-o", work / name)
        check_programs(work, name)


def c_abi(work, prefix):
    """The programs are there, and one in C finds the library that is installed beside them."""
    bindings = ROOT / "examples" / "bindings"
    flags = flags_of(prefix, "schedpol-c")
    library = next(flag[2:] for flag in flags if flag.startswith("-L"))
    source = (bindings / "c" / "main.c").read_text(encoding="utf-8").replace('"../schedpol.h"', "<schedpol.h>")
    (work / "main.c").write_text(source, encoding="utf-8")
    run(os.environ.get("CC", "cc"), work / "main.c", *flags, f"-Wl,-rpath,{library}", "-o", work / "main")
    if run(work / "main", bindings) != (ROOT / "tests" / "examples" / "bindings.txt").read_text(encoding="utf-8"):
        raise RuntimeError("the program in C prints something else")
    there = {path.name for path in (prefix / "bin").iterdir()}
    programs = {target["name"] for target in json.loads(run("meson", "introspect", "--targets", BUILD))
                if target["type"] == "executable" and target["build_by_default"]
                and re.search(r"/examples/\w+/meson\.build$", target["defined_in"])}
    if not programs or programs | {"kubectl-schedpol"} != there:
        raise RuntimeError(f"of {sorted(programs)} are installed {sorted(there)}")


def cmake_project(work, found, targets, *arguments):
    (work / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.20)\nproject(consumer VERSION 1 LANGUAGES CXX)\n{found}\n" +
        "".join(f"add_executable({name} {name}.cpp)\ntarget_link_libraries({name} PRIVATE schedpol::{target})\n"
                for name, target in targets.items()), encoding="utf-8")
    run("cmake", "-S", work, "-B", work / "build", launcher(work), *arguments)
    run("cmake", "--build", work / "build")
    check_programs(work / "build", *targets)


def launcher(work):
    path = work / "launcher"
    path.write_text(LAUNCHER, encoding="utf-8")
    path.chmod(0o755)
    return f"-DCMAKE_CXX_COMPILER_LAUNCHER={path}"


def find_package(work, prefix):
    here = f"-DCMAKE_PREFIX_PATH={prefix}"
    targets = {"place": "schedpol", "document": "schedpol", "evaluate": "compiled"}
    cmake_project(work, f"find_package(schedpol {VERSION} REQUIRED COMPONENTS compiled)", targets, here)
    (work / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(consumer CXX)\nfind_package(schedpol REQUIRED COMPONENTS yaml)\n",
        encoding="utf-8")
    said = run("cmake", "-S", work, "-B", work / "asked", here, fails=True)
    if "there is no schedpol::yaml" not in " ".join(said.split()):
        raise RuntimeError(f"asked for a component that there is not CMake says\n{said}")


def files_in(place):
    return {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}


def install_by_cmake(work, prefix, *arguments):
    build = work / "build"
    run("cmake", "-S", ROOT, "-B", build, launcher(work), f"-DCMAKE_INSTALL_PREFIX={prefix}", *arguments)
    run("cmake", "--build", build)
    run("cmake", "--install", build)


def install_by_meson(work, prefix, *arguments):
    """What would be compiled is taken from what is, as with CMake."""
    launcher(work)
    environment = dict(os.environ, CXX=f"{work / 'launcher'} {CXX}")
    build = work / "meson"
    # CMake, which Meson asks, writes where it is.
    run("meson", "setup", build, ROOT, f"--prefix={prefix}", "-Dtests=disabled", "-Dexamples=disabled", *arguments,
        env=environment, cwd=work)
    run("meson", "install", "-C", build)


def check_installed(work, prefix, flags, component="compiled"):
    """Both programs, by pkg-config and by find_package, find what is installed, and run."""
    for name, target in (("place", "schedpol"), ("evaluate", component)):
        if component == "compiled" or name == "place":
            run(CXX, "-std=c++20", work / f"{name}.cpp", *flags(PACKAGES[name]), "-o", work / name)
            check_programs(work, name)
            project = pathlib.Path(tempfile.mkdtemp(dir=work))
            shutil.copy(work / f"{name}.cpp", project)
            cmake_project(project, "find_package(schedpol REQUIRED)", {name: target}, f"-DCMAKE_PREFIX_PATH={prefix}")


def cmake_install(work, prefix):
    """What CMake installs is what Meson installs, but for how the targets are written down."""
    other = work / "prefix"
    install_by_cmake(work, other)
    wanted = {re.sub("^lib/[^/]+-linux-gnu/", "lib/", path) for path in files_in(prefix)
              if not re.match(r"bin/|share/(man|bash-completion|zsh|fish)/|include/schedpol\.h|lib.*/(libschedpol\.(so|a)|pkgconfig/schedpol-c\.pc)", path)}
    there = {path for path in files_in(other) if not re.search(r"Targets-\w+\.cmake$", path)}
    if there != wanted:
        raise RuntimeError(f"CMake installs {sorted(there - wanted)} and does not install {sorted(wanted - there)}")
    for package in set(PACKAGES.values()):
        flags, others = ({re.sub(rf"{place}\S*/(include|lib)\b\S*", r"PREFIX/\1", flag) for flag in flags_of(place, package)}
                         for place in (prefix, other))
        if flags != others:
            raise RuntimeError(f"the flags of {package} are {others}, and {flags} with Meson")
    moved = other.rename(work / "moved")
    check_installed(work, moved, lambda package: flags_of(moved, package))
    (work / "built").mkdir()
    shutil.copy(work / "place.cpp", work / "built")
    cmake_project(work / "built", "find_package(schedpol REQUIRED COMPONENTS compiled)", {"place": "schedpol"},
                  f"-Dschedpol_DIR={work / 'build'}")


INSTALLERS = {"cmake": install_by_cmake, "meson": install_by_meson}


def header_only(work, _):
    """Who wants no compiled library is not made to wait for one."""
    for name, switch in (("cmake", "-DSCHEDPOL_COMPILED_LIBRARY=OFF"), ("meson", "-Dcompiled_library=false")):
        prefix = work / f"{name}-prefix"
        INSTALLERS[name](work, prefix, switch)
        check_not_compiled(work)
        if compiled := [path for path in files_in(prefix) if "schedpol-compiled" in path]:
            raise RuntimeError(f"{name} installs {compiled}")
        check_installed(work, prefix, lambda package, prefix=prefix: flags_of(prefix, package), component="schedpol")
        (work / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(consumer CXX)\n"
            "find_package(schedpol REQUIRED COMPONENTS compiled)\n", encoding="utf-8")
        said = run("cmake", "-S", work, "-B", work / f"{name}-asked", f"-DCMAKE_PREFIX_PATH={prefix}", fails=True)
        if "there is no schedpol::compiled" not in " ".join(said.split()):
            raise RuntimeError(f"asked for a library that is not installed CMake says\n{said}")


def shared(work, _):
    """A shared library has the minor version in its name, since another one may have another layout."""
    for name, switch in (("cmake", "-DBUILD_SHARED_LIBS=ON"), ("meson", "-Ddefault_library=shared")):
        prefix = work / f"{name}-prefix"
        INSTALLERS[name](work, prefix, switch)
        library = next(prefix.rglob("libschedpol-compiled.so"))
        there = {path.name for path in library.parent.glob("libschedpol-compiled.*")}
        wanted = {f"libschedpol-compiled.so{end}" for end in ("", f".{VERSION}", f".{FULL_VERSION}")}
        if there != wanted:
            raise RuntimeError(f"{name} installs {sorted(there)}")
        if f"[libschedpol-compiled.so.{VERSION}]" not in run("readelf", "-d", library):
            raise RuntimeError(f"the library by {name} is found by another name")
        check_installed(work, prefix, lambda package, prefix=prefix, library=library: [
            *flags_of(prefix, package), f"-Wl,-rpath,{library.parent}"])


def elsewhere(work, _):
    """Headers and libraries in directories of their own, which are absolute, as Nix has them."""
    for name, arguments in (("cmake", ("-DCMAKE_INSTALL_LIBDIR={}", "-DCMAKE_INSTALL_INCLUDEDIR={}")),
                            ("meson", ("--libdir={}", "--includedir={}", "-Dpkgconfig.relocatable=false"))):
        place = work / f"{name}-place"
        directories = (place / "libraries" / "lib", place / "headers" / "include")
        INSTALLERS[name](work, place / "out", *(argument.format(directory) for argument, directory in
                                                 zip(arguments, (*directories, None))))
        if not (directories[1] / "schedpol" / "schedpol.hpp").is_file() or files_in(place / "out") & {"include", "lib"}:
            raise RuntimeError(f"{name} installs {sorted(files_in(place))}")
        check_installed(work, directories[0].parent, lambda package, place=place: flags_of(place, package))


# As the README has it, but for the address.
FETCH = re.search(r"^include\(FetchContent\)\nFetchContent_Declare\(schedpol .*\)\nFetchContent_MakeAvailable\(schedpol\)\n",
                  (ROOT / ".packaging" / "README.md").read_text(encoding="utf-8"), re.MULTILINE)[0]
FETCHED = f"-DFETCHCONTENT_SOURCE_DIR_SCHEDPOL={ROOT}"


def fetch_content(work, _):
    targets = {"place": "schedpol", "document": "schedpol"}
    cmake_project(work, FETCH, targets, FETCHED, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    check_not_compiled(work)
    run("cmake", "--install", work / "build", "--prefix", work / "prefix")
    if (work / "prefix").exists():
        raise RuntimeError(f"who builds on it is made to install {sorted(files_in(work / 'prefix'))}")
    for command in json.loads((work / "build" / "compile_commands.json").read_text(encoding="utf-8")):
        if f"-isystem {ROOT}/include" not in command["command"] and command["file"].startswith(str(work)):
            raise RuntimeError(f"the headers are not the system's, so that their warnings are the user's:\n{command}")


def exported(work, _):
    """A library on the compiled one and one on the headers, installed, and a program on the first."""
    (work / "library.cpp").write_text('#include <schedpol/base/field_path.hpp>\nschedpol::FieldPath units();\n'
                                      'schedpol::FieldPath units() { return {"spec", "units"}; }\n', encoding="utf-8")
    cmake_project(work, f"""{FETCH}
add_library(library STATIC library.cpp)
target_link_libraries(library PUBLIC schedpol::compiled)
add_library(headers INTERFACE)
target_link_libraries(headers INTERFACE schedpol::schedpol)
install(TARGETS library headers EXPORT libraryTargets)
install(EXPORT libraryTargets DESTINATION lib/cmake/library)
export(EXPORT libraryTargets)
file(WRITE "${{PROJECT_BINARY_DIR}}/libraryConfig.cmake" "find_package(schedpol REQUIRED COMPONENTS compiled)
include(\\${{CMAKE_CURRENT_LIST_DIR}}/libraryTargets.cmake)")
install(FILES "${{PROJECT_BINARY_DIR}}/libraryConfig.cmake" DESTINATION lib/cmake/library)
""", {}, FETCHED, "-DSCHEDPOL_INSTALL=ON", f"-DCMAKE_INSTALL_PREFIX={work / 'prefix'}")
    run("cmake", "--install", work / "build")
    program = work / "program"
    program.mkdir()
    (program / "place.cpp").write_text(
        '#include <schedpol/base/field_path.hpp>\n#include <cstdio>\nschedpol::FieldPath units();\n'
        "int main() { std::puts(to_string(units().index(3)).c_str()); }\n", encoding="utf-8")
    cmake_project(program, "find_package(library REQUIRED)\nlink_libraries(library)", {"place": "compiled"},
                  f"-DCMAKE_PREFIX_PATH={work / 'prefix'}")


def meson_subproject(work, _):
    targets = {"place": "schedpol", "document": "schedpol", "quickstart": "schedpol-compiled"}
    copy = work / "subprojects" / "schedpol"
    copy.mkdir(parents=True)
    for name in PROJECT_FILES:
        (copy / name).symlink_to(ROOT / name)
    # The checkout stands where the wrap would bring it.
    wrap = re.search(r"```ini\n(.*?)```", (ROOT / ".packaging" / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    (copy.parent / "schedpol.wrap").write_text(textwrap.dedent(wrap), encoding="utf-8")
    (work / "meson.build").write_text(
        "project('consumer', 'cpp', default_options: ['cpp_std=c++20', 'buildtype=plain'])\n" +
        "".join(f"executable('{name}', '{name}.cpp', dependencies: dependency('{package}'))\n"
                for name, package in targets.items()), encoding="utf-8")
    build = work / "build"
    said = run("meson", "setup", build, work)
    if "WARNING" in said:
        raise RuntimeError(f"the subproject is not quiet:\n{said}")
    if run("meson", "introspect", "--tests", build).strip() != "[]":
        raise RuntimeError("the subproject adds tests to its parent")
    if run("meson", "introspect", "--installed", build).strip() != "{}":
        raise RuntimeError("the subproject is installed with its parent")
    header_only = ("place", "document")
    run("ninja", "-C", build, *header_only)
    check_programs(build, *header_only)
    check_not_compiled(work)
    # The library is compiled often enough elsewhere, so here it is enough that it would be, and be used.
    planned = run("ninja", "-C", build, "-n", "-v", "quickstart")
    for wanted in ("-DSCHEDPOL_COMPILED .*schedpol.cpp\\n", "-DSCHEDPOL_COMPILED .*quickstart.cpp\\n",
                   "-o quickstart .*libschedpol-compiled.a"):
        if not re.search(wanted, planned):
            raise RuntimeError(f"nothing is planned like {wanted}:\n{planned}")


def debian(work, _):
    """The package as a distribution builds it: from the tree and `.packaging/debian`."""
    tree = work / f"schedpol-{FULL_VERSION}"
    tree.mkdir()
    for name in (*PROJECT_FILES, "CHANGELOG.md"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tree / name)
    shutil.copytree(ROOT / ".packaging" / "debian", tree / "debian")
    launcher(work)
    run("dpkg-buildpackage", "-b", "-us", "-uc", cwd=tree, env=dict(os.environ, CXX=f"{work / 'launcher'} {CXX}"))
    package = next(work.glob("libschedpol-dev_*.deb"))
    run("dpkg-deb", "-x", package, work / "root")
    if f"Version: {FULL_VERSION}-" not in run("dpkg-deb", "-I", package):
        raise RuntimeError(f"debian/changelog has another version than {FULL_VERSION}")
    prefix = work / "root" / "usr"
    check_installed(work, prefix, lambda name: flags_of(prefix, name))


def conan(work, _):
    environment = dict(os.environ, CONAN_HOME=str(work / "conan"),
                       CMAKE_CXX_COMPILER_LAUNCHER=launcher(work).partition("=")[2])
    run("conan", "profile", "detect", env=environment)
    standard = ("-s", "compiler.cppstd=20")
    for compiled, names in ((False, ("place", "document")), (True, ("place", "evaluate"))):
        option = ("-o", f"schedpol/*:compiled={compiled}")
        run("conan", "create", ROOT / ".packaging" / "conan", *standard, *option, env=environment)
        project = pathlib.Path(tempfile.mkdtemp(dir=work))
        for name in names:
            shutil.copy(work / f"{name}.cpp", project)
        (project / "conanfile.txt").write_text(
            f"[requires]\nschedpol/{FULL_VERSION}\n[generators]\nCMakeDeps\nCMakeToolchain\n", encoding="utf-8")
        run("conan", "install", project, "-of", project / "conan", *standard, *option, env=environment)
        cmake_project(project, "find_package(schedpol REQUIRED)",
                      {name: "compiled" if name == "evaluate" else "schedpol" for name in names},
                      f"-DCMAKE_TOOLCHAIN_FILE={project}/conan/conan_toolchain.cmake", "-DCMAKE_BUILD_TYPE=Release")


def vcpkg(work, _):
    """With the ports and the scripts of VCPKG_ROOT, which is left as it is."""
    root = pathlib.Path(os.environ.get("VCPKG_ROOT", "."))
    environment = dict(os.environ, VCPKG_FORCE_SYSTEM_BINARIES="1", VCPKG_DISABLE_METRICS="1", VCPKG_BINARY_SOURCES="clear",
                       VCPKG_KEEP_ENV_VARS="CMAKE_CXX_COMPILER_LAUNCHER",
                       CMAKE_CXX_COMPILER_LAUNCHER=launcher(work).partition("=")[2])
    for package, names in (("schedpol", ("place", "document")), ("schedpol[compiled]", ("place", "evaluate"))):
        trees = pathlib.Path(tempfile.mkdtemp(dir=work))
        run("vcpkg", "install", package, f"--vcpkg-root={root}", f"--overlay-ports={ROOT / '.packaging' / 'vcpkg'}",
            *(f"--x-{tree}-root={trees / tree}" for tree in ("buildtrees", "packages", "install")),
            f"--downloads-root={trees / 'downloads'}", env=environment, cwd=work)
        project = pathlib.Path(tempfile.mkdtemp(dir=work))
        for name in names:
            shutil.copy(work / f"{name}.cpp", project)
        installed_there = next(path for path in (trees / "install").iterdir() if (path / "share" / "schedpol").is_dir())
        cmake_project(project, "find_package(schedpol REQUIRED)",
                      {name: "compiled" if name == "evaluate" else "schedpol" for name in names},
                      f"-DCMAKE_PREFIX_PATH={installed_there}")


# A shared library that keeps to itself which version of schedpol it is built on.
DECIDE = """#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
using namespace schedpol;
extern "C" const char* decide_MAJOR() {
  if (version.major != MAJOR) return "another version";
  const std::vector<scheduling_policy::SchedulingPolicy> policies = {
      {.metadata = {.name = "batch"}, .spec = {.allowed = {.scheduler_names = {"batch"}}}}};
  const auto effective = scheduling_policy::merge(policies);
  Pod pod{.metadata = {.name = "p"}};
  pod.spec.scheduler_name = "batch";
  if (!scheduling_policy::admit(pod, effective).allowed) return "denied";
  pod.spec.scheduler_name = "other";
  return scheduling_policy::admit(pod, effective).allowed ? "allowed" : "";
}
"""
DECIDE_BOTH = """#include <cstdio>
extern "C" { const char* decide_0(); const char* decide_9(); }
int main() { std::printf("%s%s", decide_0(), decide_9()); }
"""


def two_versions(work, _):
    """A version with another layout of pods in one program with this one, whichever is linked first."""
    newer = work / "newer"
    shutil.copytree(ROOT / "include", newer)
    for name, pattern, new in (("version.hpp", r"inline v\w+", "inline v9_0_0"),
                           ("version.hpp", r"_MAJOR 0$", "_MAJOR 9"),
                           ("core/pod.hpp", r"struct PodSpec {$", "struct PodSpec {\n  std::string added{};")):
        path = newer / "schedpol" / name
        text, replaced = re.subn(pattern, new, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        if replaced != 1:
            raise RuntimeError(f"{name} has {pattern} {replaced} times")
        path.write_text(text, encoding="utf-8")
    for major, include in ((0, ROOT / "include"), (9, newer)):
        source = work / f"decide_{major}.cpp"
        source.write_text(DECIDE.replace("MAJOR", str(major)), encoding="utf-8")
        run(CXX, "-std=c++20", "-shared", "-fPIC", f"-I{include}", source, "-o", work / f"libdecide_{major}.so")
    (work / "both.cpp").write_text(DECIDE_BOTH, encoding="utf-8")
    for order in ((0, 9), (9, 0)):
        run(CXX, work / "both.cpp", f"-L{work}", f"-Wl,-rpath,{work}", *(f"-ldecide_{major}" for major in order),
            "-o", work / "both")
        if said := run(work / "both"):
            raise RuntimeError(f"linked in the order {order}: {said}")


# What takes longest comes first.
WAYS = [("two versions", two_versions, None), ("CMake install", cmake_install, "cmake"), ("CMake export", exported, "cmake"),
        ("CMake find_package", find_package, "cmake"), ("pkg-config", pkg_config, "pkg-config"),
        ("header-only", header_only, "cmake"), ("shared", shared, "cmake"), ("elsewhere", elsewhere, "cmake"),
        ("Debian package", debian, "dh"), ("Conan", conan, "conan"), ("vcpkg", vcpkg, "vcpkg"),
        ("CMake FetchContent", fetch_content, "cmake"), ("Meson subproject", meson_subproject, "ninja")]
if WITH_TOOLS:
    WAYS.append(("C ABI", c_abi, "pkg-config"))


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
    if not (prefix / "share" / "licenses" / "schedpol" / "LICENSE").is_file():
        sys.exit("the licence is not installed")
    # Where the command line is installed, `kubectl schedpol` is it, and it brings what is made of its commands.
    program = prefix / "bin" / "schedpol"
    if program.exists():
        if (prefix / "bin" / "kubectl-schedpol").resolve() != program.resolve():
            sys.exit("kubectl-schedpol is not the command line")
        for path, word in (("man/man1/schedpol.1", ".SH COMMANDS"), ("bash-completion/completions/schedpol", "complete "),
                           ("zsh/site-functions/_schedpol", "#compdef schedpol"),
                           ("fish/vendor_completions.d/schedpol.fish", "complete -c schedpol")):
            if word not in (prefix / "share" / path).read_text(encoding="utf-8"):
                sys.exit(f"{path} is installed otherwise")
    return prefix


def main():
    failed = 0
    if not WITH_TOOLS:
        print("SKIPPED C ABI: the build is one without -Dtools=true")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        prefix = installed(scratch / "installed")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for outcome in pool.map(lambda way: try_way(scratch, prefix, *way), WAYS):
                print(outcome)
                failed += not outcome.endswith(": works") and not outcome.startswith("SKIPPED")
    sys.exit(1 if failed else 0)


main()
