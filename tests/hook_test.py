# SPDX-License-Identifier: Apache-2.0
"""A commit with the hook on is whole: formatted, and with the single headers of its own headers.

    hook_test.py SOURCE_ROOT

The repository of the test is made of the files of SOURCE_ROOT, which need not be a repository itself.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
NEEDED = (".githooks", ".clang-format", "include", "single_include", "tests/format_test.py")
HEADER = "include/schedpol/core/qos.hpp"
OTHER = "include/schedpol/core/node.hpp"
SWITCH = "git config core.hooksPath .githooks"


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


class Repository:
    def __init__(self, path):
        self.path = path
        for name in NEEDED:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, path / name)
        for folder in ("examples", ".packaging"):  # the formatter looks for code in them
            (path / folder).mkdir()
            (path / folder / "empty.cpp").touch()
        self.run("git init --quiet")
        self.run("git add .")
        self.run("git commit --quiet -m before")
        self.run(SWITCH)

    def run(self, command, succeeds=True):
        # Nothing of whoever runs the test decides: neither their configuration nor the repository that a hook is in.
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        clean |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        clean |= {f"GIT_{who}_{what}": "somebody@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        ran = subprocess.run(command, shell=True, cwd=self.path, env=clean, text=True, capture_output=True)
        assert (ran.returncode == 0) == succeeds, f"{command}: {ran.returncode}\n{ran.stdout}{ran.stderr}"
        return ran.stdout + ran.stderr

    def write(self, name, line):
        """Adds a line in front of the last, which closes the namespace."""
        lines = (self.path / name).read_text(encoding="ascii").splitlines()
        last = max(i for i, text in enumerate(lines) if text.startswith("}  // namespace"))
        lines.insert(last, line)
        (self.path / name).write_text("\n".join(lines) + "\n", encoding="ascii")

    def committed(self, name):
        return self.run(f"git show HEAD:{name}")

    def is_whole(self):
        """What is committed passes the two tests by itself, as far as it is new."""
        with tempfile.TemporaryDirectory() as scratch:
            self.run(f"git archive HEAD | tar -x -C {scratch}")
            self.run(f"cd {scratch} && clang-format-16 --dry-run -Werror {HEADER} {OTHER}")
            self.run(f"cd {scratch} && python3 single_include/amalgamate.py --check")


def a_change_is_formatted_and_amalgamated(repository):
    repository.write(HEADER, "inline   int  staged( ){return 1;}")
    repository.run(f"git add {HEADER}")
    repository.run("git commit --quiet -m change")
    repository.is_whole()
    assert "inline int staged() {\n  return 1;\n}\n" in repository.committed(HEADER)
    assert "int staged()" in repository.committed("single_include/schedpol/schedpol.hpp")
    assert repository.run("git status --porcelain") == "", "what the hook wrote is in the tree, too"


def all_that_is_changed_is(repository):
    repository.write(HEADER, "inline   int  all( ){return 1;}")
    repository.run("git commit --quiet -am change")
    repository.is_whole()
    assert "int all()" in repository.committed("single_include/schedpol/schedpol.hpp")
    assert repository.run("git status --porcelain") == ""


def what_is_not_staged_stays(repository):
    repository.write(HEADER, "inline   int  staged( ){return 1;}")
    repository.run(f"git add {HEADER}")
    repository.write(HEADER, "inline   int  later( ){return 1;}")
    repository.write(OTHER, "inline   int  elsewhere( ){return 1;}")
    repository.run("git commit --quiet -m change")
    repository.is_whole()
    assert "inline int staged() {\n" in repository.committed(HEADER)
    single = repository.committed("single_include/schedpol/schedpol.hpp")
    assert "int staged()" in single and "int later" not in single and "int elsewhere" not in single
    for name, words in ((HEADER, "inline   int  later( ){return 1;}"), (OTHER, "inline   int  elsewhere( ){return 1;}")):
        assert words in (repository.path / name).read_text(encoding="ascii")
    status = repository.run("git status --porcelain").split()
    assert status == ["M", OTHER, "M", HEADER], status


def files_that_are_named_are_refused_where_others_would_change(repository):
    repository.write(HEADER, "inline int named() { return 1; }")
    said = repository.run(f"git commit --quiet -m change {HEADER}", succeeds=False)
    assert "single_include/schedpol/schedpol.hpp" in said, said
    repository.run("git commit --quiet -am change")
    repository.is_whole()


def what_cannot_be_amalgamated_is_refused(repository):
    (repository.path / "include/schedpol/core/stray.hpp").write_text("#pragma once\n", encoding="ascii")
    repository.run("git add include")
    assert "stray.hpp" in repository.run("git commit --quiet -m stray", succeeds=False)


def a_commit_of_nothing_is_let_through(repository):
    repository.run("git commit --quiet --allow-empty -m nothing")
    repository.is_whole()


CASES = (a_change_is_formatted_and_amalgamated, all_that_is_changed_is, what_is_not_staged_stays,
         files_that_are_named_are_refused_where_others_would_change, what_cannot_be_amalgamated_is_refused,
         a_commit_of_nothing_is_let_through)


def main():
    for needed in ("git", "bash", "tar", "clang-format-16"):
        if shutil.which(needed) is None:
            skip(f"{needed} is not here")
    switches = re.findall(r"git config core\.hooksPath \S+[^\s`|]", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert switches == [SWITCH], f"CONTRIBUTING.md has to say `{SWITCH}` once, and says {switches}"
    failed = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                case(Repository(pathlib.Path(scratch)))
            except AssertionError as error:
                failed += 1
                print(f"{case.__name__}: {error}")
    print(f"{len(CASES)} cases, {failed} failed")
    sys.exit(1 if failed else 0)


main()
