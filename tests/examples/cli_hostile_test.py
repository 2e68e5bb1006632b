# SPDX-License-Identifier: Apache-2.0
"""The command line and files that mean it ill: one line and exit status 2, or the right answer; and streams of any
length, in memory that does not grow with them.

    cli_hostile_test.py PROGRAM SOURCE_ROOT
"""

import array
import fcntl
import json
import os
import re
import resource
import subprocess
import sys
import termios
import threading
import time
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from cli_support import TIMEOUT_SECONDS, pod, policy, run

POLICY = {"policies/a.yaml": policy("a", allowed={"schedulerNames": ["default-scheduler"]})}
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi"))
MEBIBYTE = 1 << 20
# A sentence, and the bytes of a file.
HOSTILE = [
    ("a billion laughs", ("apiVersion: v1\nkind: Pod\n" + LAUGHS).encode()),
    ("a name of 100 MB", b"apiVersion: v1\nkind: Pod\nmetadata: {name: " + b"x" * (100 * MEBIBYTE) + b"}\n"),
    ("100 MB of one list in a pod", b'{"apiVersion":"v1","kind":"Pod","spec":{"x":[' + b"0," * (50 * MEBIBYTE) + b"0]}}"),
    ("bytes that are no text", bytes(range(256)) * 64),
    ("an ELF program", b"\x7fELF\x02\x01\x01" + bytes(64)),
    ("brackets inside one another", b"[" * 100_000),
    ("braces inside one another", b'{"a":' * 100_000),
    ("maps inside one another", b"".join(b" " * depth + b"a:\n" for depth in range(1000))),
    ("a quote that does not end", b'apiVersion: "v1\nkind: Pod\n'),
    ("a scalar", b"42\n"),
    ("a list of nothing that has a kind", b"- 1\n- 2\n"),
    ("an anchor that holds itself", b"apiVersion: v1\nkind: Pod\nspec: &a {b: *a}\n"),
    ("a template of Helm's that was not rendered", b"apiVersion: v1\nkind: Pod\nmetadata: {{ .Values.metadata }}\n"),
    ("a list without an end", b'{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod",'),
    ("a list that is no list", b"apiVersion: v1\nkind: PodList\nitems: {a: b}\n"),
    ("an object after another that cannot be read", b"apiVersion: v1\nkind: Pod\n---\n\tx\n"),
]


def is_one_line(done, name):
    return done.status == 2 and len(done.err.splitlines()) == 1 and done.err.startswith(name) and len(done.err) < 1000


def hostile_files(cli, _):
    """As objects, as policies, as cases."""
    for sentence, text in HOSTILE:
        for arguments in (["check", "policies", "--for", "x.yaml"], ["lint", "x.yaml"], ["test", "x.yaml"]):
            if len(text) > MEBIBYTE and arguments[0] == "test":
                continue
            done = cli(*arguments, files=POLICY | {"x.yaml": text})
            lines_are_said = done.status in (1, 2) if arguments[0] == "lint" else done.status == 2
            if not lines_are_said or len(done.err) > 3000 or (done.status == 2 and not done.err.startswith("x.yaml")):
                yield f"{sentence}, {arguments[0]}: {str(done)[:2000]}"
            if arguments[0] == "check" and not is_one_line(done, "x.yaml"):
                yield f"{sentence}: {str(done)[:2000]}"


def odd_files(cli, _):
    place = cli.folder(POLICY | {"objects/a.yaml": pod()})
    os.mkfifo(place / "objects/pipe.yaml")
    done = cli("check", "policies", "--for", "objects", place=place)
    if not is_one_line(done, "objects/pipe.yaml: is no file that can be read\n"):
        yield f"a pipe in a folder: {done}"
    os.mkfifo(place / "pipe")
    writer = threading.Thread(target=(place / "pipe").write_text, args=(json.dumps(pod()),))
    writer.start()
    done = cli("check", "policies", "--for", "pipe", place=place)
    writer.join()
    if done.status != 0 or "Pod n/p  pipe:1:1" not in done.out:
        yield f"a pipe that is named: {done}"
    done = cli("check", "policies", "--for", "/proc/self/mem", place=place)
    if not is_one_line(done, "/proc/self/mem: cannot be read: "):
        yield f"a file that cannot be read: {done}"
    done = cli("check", "policies", "--for", "line\nbreak\x1b", place=place)
    if not is_one_line(done, "line\\x0abreak\\x1b: cannot be read: "):
        yield f"a name with a line break: {done}"
    (place / "loop").mkdir()
    (place / "loop/self").symlink_to("..")
    (place / "loop/gone.yaml").symlink_to("nothing")
    done = cli("check", "policies", "--for", "loop", place=place)
    if not is_one_line(done, "loop/gone.yaml: is no file that can be read\n"):
        yield f"links: {done}"


def ten_thousand_files(cli, _):
    place = cli.folder(POLICY)
    (place / "objects").mkdir()
    for index in range(10_000):
        (place / f"objects/{index:05}.yaml").write_text(
            f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p{index}}}\nspec: {{schedulerName: {'own' if index == 77 else ''}}}\n")
    done = cli("check", "policies", "--for", "objects", "--only-denied", place=place)
    if done.status != 1 or not done.out.startswith("denied    Pod default/p77  objects/00077.yaml:1:1\n") \
            or "10000 objects looked at: 9999 allowed, 1 denied" not in done.out:
        yield f"{str(done)[:2000]}"


def waiting_bytes(pipe):
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def a_file_that_changes_while_it_is_read(cli, _):
    """The program waits for somebody to read what it prints, and meanwhile the file changes."""
    place = cli.folder(POLICY | {"objects.json": [pod(f"p{index}", "n", padding="x" * 500) for index in range(20_000)]})
    with subprocess.Popen([cli.program, "check", "policies", "--for", "objects.json"], cwd=place, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + TIMEOUT_SECONDS
        while waiting_bytes(process.stdout) < 60_000 and time.monotonic() < end:
            time.sleep(0.01)
        with open(place / "objects.json", "a", encoding="utf-8") as file:
            file.write("\n")
        _, error = process.communicate(timeout=TIMEOUT_SECONDS)
    if (process.returncode, error) != (2, "objects.json: changed while it was read\n"):
        yield f"exit status {process.returncode}: {error[:1000]}"


def peak_of(cli, place, arguments, chunks):
    """The peak of the memory of a run that is written so many chunks, and what it printed."""
    with subprocess.Popen([cli.program, *arguments], cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for chunk in chunks:
            process.stdin.write(chunk)
        process.stdin.close()
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss, out.decode()


def pods(count):
    """What kubectl prints of so many pods, 30 of each ReplicaSet."""
    yield b'{\n    "apiVersion": "v1",\n    "items": [\n'
    for index in range(count):
        one = pod(f"web-{index}", "shop", app=f"w{index // 30}", schedulerName="own" if index % 50_000 == 7 else "default-scheduler",
                  containers=[{"name": "c", "image": "registry.example.com/c", "env": [{"name": "E", "value": "x" * 400}]}])
        one["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"web-{index // 30}", "controller": True}]
        yield (",\n" if index else "").encode() + json.dumps(one).encode()
    yield b'],\n    "kind": "List"\n}\n'


def memory_does_not_grow_with_a_stream(cli, _):
    files = POLICY | {"after.yaml": policy("a", allowed={"schedulerNames": ["default-scheduler"], "nodeSelectors": {}})}
    for arguments in (["check", "policies", "--only-denied", "--for", "-"], ["diff", "policies", "after.yaml", "--for", "-"]):
        place = cli.folder(files)
        peaks = []
        for count in (10_000, 50_000):
            status, peak, out = peak_of(cli, place, arguments, pods(count))
            peaks.append(peak)
            if status != 1 or f"{count} objects looked at" not in out:
                yield f"{arguments[0]} of {count}: exit status {status}: {out[:1000]}"
        if peaks[1] - peaks[0] > 8 * 1024:
            yield f"{arguments[0]}: {peaks} KiB"


# What breaks a line, steers a terminal or turns a line round.
UNPRINTABLE = "\x1b\x07\x7f\x85\x9b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"
RAW = re.compile(f"[{UNPRINTABLE}\x00-\x09\x0b-\x1f\x80-\x9f]")


def no_name_lies(cli, _):
    """Names of objects, policies, cases and files, in every format and on stderr, raw nowhere."""
    odd = f"a{UNPRINTABLE}z"
    name = pod(f"m{odd}", "shop", app=odd, schedulerName=odd, tolerations=[{"key": odd, "operator": "Exists"}])
    wrong = pod(odd) | {"spec": {odd: 1, "tolerations": [{"key": odd, "operator": [odd]}]}}
    tests = {"apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["policies"], "cases": [
        {"name": odd, "object": name, "expect": {"allowed": True, "reasons": []}}]}
    rule = policy("a", allowed={"schedulerNames": ["default-scheduler"], "nodeSelectors": {odd: [odd]}, "priorityClassNames": [odd]})
    place = cli.folder({"policies/a.yaml": rule, "o.yaml": json.dumps(name), "wrong.yaml": json.dumps(wrong),
                        "other.yaml": policy(odd), f"{odd}.yaml": json.dumps(name), "t.yaml": json.dumps(tests),
                        "service.yaml": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": odd}}})
    for output in ("text", "json", "junit", "sarif", "github"):
        for arguments in (["check", "policies", "--for", "o.yaml", "service.yaml"], ["check", "policies", "--for", f"{odd}.yaml"],
                          ["check", "policies", "--for", "wrong.yaml"], ["check", "policies", "--for", f"none{odd}"],
                          ["check", "policies", "--for", "-", "--stdin-name", odd], ["lint", "policies", "other.yaml"],
                          ["explain", "policies", "--for", "o.yaml"], ["diff", "policies", "other.yaml", "--for", "o.yaml"],
                          ["test", "t.yaml"], ["test", "t.yaml", "--filter", odd], ["merge", "policies"]):
            if output not in ("text", "json") and arguments[0] in ("explain", "merge"):
                continue
            done = cli(*arguments, "-o", output, place=place)
            for sentence, text in (("stdout", done.out), ("stderr", done.err)):
                if found := RAW.search(text):
                    yield f"{output} of {arguments[0]}, {sentence}: {found[0]!r} in {text[max(found.start() - 99, 0):found.end()]!r}"
            if output == "json" and arguments[-3:-2] == ["o.yaml"] and done.json()["results"][0]["name"] != f"m{odd}":
                yield f"JSON says another name: {done}"
            if output == "junit" and arguments[0] == "test":
                xml.etree.ElementTree.fromstring(done.out)


CHECKS = (hostile_files, odd_files, no_name_lies, ten_thousand_files, a_file_that_changes_while_it_is_read,
          memory_does_not_grow_with_a_stream)

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(run(__doc__, CHECKS))
