# SPDX-License-Identifier: Apache-2.0
"""What .packaging/release makes is the same bytes in two directories, and each program answers the conformance vectors as
the library that is built here does. A program for another processor or system runs under qemu or wine where that is here;
otherwise it is SKIPPED, as those for macOS always are.

    release_test.py BUILD_ROOT SOURCE_ROOT [TARGET...]
"""

import filecmp
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
TARGETS = sys.argv[3:] or ["linux-x86_64", "linux-arm64"]
# By target, what runs its programs.
RUNNERS = {"linux-x86_64": [], "linux-arm64": ["qemu-aarch64"], "windows-x86_64": ["wine"]}
problems = []


def expect(holds, text):
    if not holds:
        problems.append(text)


def make(directory):
    subprocess.run([ROOT / ".packaging" / "release", directory, "--target", ",".join(TARGETS)], check=True)


def unpack(archive, directory):
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(directory)
    else:
        with tarfile.open(archive) as packed:
            packed.extractall(directory)
    return directory / archive.name.removesuffix(".zip").removesuffix(".tar.gz")


def replies(command):
    """To all conformance vectors."""
    return [subprocess.run(command, stdin=vectors.open("rb"), capture_output=True, check=True).stdout
            for vectors in sorted((ROOT / "tests" / "conformance").glob("*.jsonl"))]


def check_programs(archive, target, expected, directory):
    runner = RUNNERS.get(target)
    if runner is None or any(shutil.which(word) is None for word in runner):
        print(f"SKIPPED {target}: nothing here runs its programs")
        return
    folder = unpack(archive, directory)
    expect((folder / "LICENSE").exists(), f"{archive.name}: has no LICENSE")
    is_windows = target.startswith("windows")
    programs, ending = (folder, ".exe") if is_windows else (folder / "bin", "")
    expect(replies([*runner, programs / f"evaluate{ending}"]) == expected, f"{target}: evaluate answers otherwise than the library here")
    said = subprocess.run([*runner, programs / f"schedpol{ending}", "check", "-"], capture_output=True, check=False,
                          input=(ROOT / "examples" / "reference" / "SchedulingPolicy.yaml").read_bytes())
    expect(said.returncode == 2, f"{target}: schedpol without objects ends with {said.returncode}")


def check_headers(archive, directory):
    """They are all that a program needs."""
    folder = unpack(archive, directory)
    program, vectors = directory / "program", ROOT / "tests" / "conformance" / "quantity.compare.jsonl"
    (directory / "program.cpp").write_text(
        "#include <schedpol/json.hpp>\n#include <iostream>\nint main() {\n"
        "  for (std::string line; std::getline(std::cin, line);) std::cout << schedpol::json::evaluate(line) << '\\n';\n}\n")
    subprocess.run(["g++", "-std=c++20", f"-I{folder}", directory / "program.cpp", "-o", program], check=True)
    expect(subprocess.run([program], stdin=vectors.open("rb"), capture_output=True, check=True).stdout
           == subprocess.run([BUILD / "examples" / "evaluate"], stdin=vectors.open("rb"), capture_output=True, check=True).stdout,
           "a program of the headers answers otherwise than the library here")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        first, second, unpacked = (pathlib.Path(scratch) / name for name in ("first", "second", "unpacked"))
        make(first)
        make(second)
        names = sorted(file.name for file in first.iterdir())
        expect(names == sorted(file.name for file in second.iterdir()), "two runs make different files")
        for name in names:
            expect(filecmp.cmp(first / name, second / name, shallow=False), f"{name}: two runs make different bytes")
        sums = {line.split("  ")[1]: line.split("  ")[0] for line in (first / "SHA256SUMS").read_text().splitlines()}
        expect(sorted([*sums, "SHA256SUMS"]) == names, "SHA256SUMS does not list the files")
        for name, digest in sums.items():
            expect(hashlib.sha256((first / name).read_bytes()).hexdigest() == digest, f"{name}: is not what SHA256SUMS says")
        expected = replies([BUILD / "examples" / "evaluate"])
        for target in TARGETS:
            archives = list(first.glob(f"schedpol-*-{target}.*"))
            expect(len(archives) == 1, f"{target}: has {len(archives)} archives")
            for archive in archives:
                check_programs(archive, target, expected, unpacked)
        for archive in first.glob("schedpol-*-headers.tar.gz"):
            check_headers(archive, unpacked)
        for name in names:
            print(f"{(first / name).stat().st_size:>12,}  {name}")
    for problem in problems:
        print(problem)
    print(f"{len(names)} files of a release looked at, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
