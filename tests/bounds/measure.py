# SPDX-License-Identifier: Apache-2.0
"""Makes requests of the shapes in shapes.py, and has the program `bounds` answer them."""

import dataclasses
import itertools
import json
import os
import pathlib
import re
import resource
import select
import signal
import subprocess
import tempfile
import zlib

import shapes

# How the bytes of a request are split between two of its lists: of the first there are as many as ...
SPLITS = {"few": lambda most: most ** 0.25, "root": lambda most: most ** 0.5, "many": lambda most: most ** 0.75,
          "half": lambda most: most / 2}


@dataclasses.dataclass(frozen=True)
class Variant:
    """A request, two of whose lists are long; or one as it is."""

    request: shapes.Request
    first: str = ""
    second: str = ""
    split: str = ""
    manner: str = ""

    def __str__(self):
        how = f" [{self.first} x {self.second}, {self.split}, {self.manner}]" if self.first else ""
        return self.request.name + how


def lists(request):
    """The lists of a request by their names, each with those around it."""
    return {each.name: (each, around) for each, around in shapes.lists([request.stored, request.asked])}


def variants(request, ways=24, every=1):
    """One in `every` pairs of its lists, in so many of the ways to split the bytes and to vary the items, which are
    others for every pair."""
    all_ways = list(itertools.product(SPLITS, shapes.MANNERS))
    for first, second in itertools.combinations(lists(request), 2):
        number = zlib.crc32(f"{request.name} {first} {second}".encode())
        if number // len(all_ways) % every > 0:
            continue
        for i in range(ways):
            yield Variant(request, first, second, *all_ways[(number + 7 * i) % len(all_ways)])


def text_of(shape, counts, manner):
    if shape is None:
        return b""
    return json.dumps(shapes.built(shape, counts, manner), separators=(",", ":")).encode()


def made(variant, size):
    """What is stored and what is asked, of about `size` bytes together."""
    request = variant.request
    if not variant.first:
        return text_of(request.stored, {}, ""), text_of(request.asked, {}, ""), {}
    named = lists(request)
    pair = [variant.first, variant.second]
    around = [[each for each in named[name][1] if each.name not in pair] for name in pair]
    # An object that has a limit of its own comes several times.
    limited = [{each.name: each.bytes for each in of if each.bytes} for of in around]
    share = 2 if limited[0] and limited[1] and not limited[0].keys() & limited[1].keys() else 1
    times = {name: max(1, size // share // bytes_) for of in limited for name, bytes_ in of.items()}

    def texts(first, second):
        counts = {**times, variant.first: first, variant.second: second}
        return [text_of(shape, counts, variant.manner) for shape in (request.stored, request.asked)]

    def bytes_of(first, second):
        return sum(map(len, texts(first, second)))

    # What it takes is linear in either, and a part of it in both.
    few, more = 4, 12
    least = bytes_of(few, few)
    of_both = (bytes_of(more, more) - bytes_of(more, few) - bytes_of(few, more) + least) / (more - few) ** 2
    of_first = (bytes_of(more, few) - least) / (more - few) - of_both * few
    of_second = (bytes_of(few, more) - least) / (more - few) - of_both * few
    left = size - (least - few * (of_first + of_second + few * of_both))
    most = max(1.0, (left - of_second) / max(of_first + of_both, 1e-3))
    first = max(1, min(int(SPLITS[variant.split](most)), named[variant.first][0].most))
    second = max(1, min(int((left - of_first * first) / max(of_second + of_both * first, 1e-3)),
                        named[variant.second][0].most))
    # Where both are short, what they stand in comes several times.
    made_of = texts(first, second)
    short = size // max(sum(map(len, made_of)), 1)
    outer = next((each for of in around for each in of), None)
    if short > 1 and outer is not None:
        times[outer.name] = min(times.get(outer.name, 1) * short, outer.most)
        made_of = texts(first, second)
    counts = {**times, variant.first: first, variant.second: second}
    return *made_of, {name: count for name, count in counts.items() if count > 1}


@dataclasses.dataclass(frozen=True)
class Cost:
    variant: Variant
    asked: int
    bytes: int
    counts: dict
    seconds: float
    allocations: int
    memory: int
    answer: int
    refused: bool
    signal: str = ""  # that ended the program, where it has no answer and time and memory are left

    def __str__(self):
        sizes = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        took = self.signal or f"{self.seconds:8.3f} s {self.memory / 1e6:7.1f} MB"
        return (f"{took}, {self.bytes / 1e3:.0f} kB ({self.asked / 1e3:.1f} asked), "
                f"answer {self.answer / 1e3:.0f} kB{', refused' if self.refused else ''}: {self.variant}"
                f"{': ' if sizes else ''}{sizes}")


class Program:
    """The program `bounds`, started again where a request was too much for it."""

    MOST_SECONDS, MOST_MEMORY = 20, 3 << 30

    def __init__(self, path):
        self.path = path
        self.process = None

    def answered(self):
        """The line that tells what it cost; none where it takes too long, however much else the machine does."""
        began = self.cpu_seconds()
        while self.cpu_seconds() - began < self.MOST_SECONDS:
            if select.select([self.process.stdout], [], [], 1)[0]:
                return self.process.stdout.readline().split()
        return []

    def cpu_seconds(self):
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            return 0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, variant, size=0):
        stored, asked, counts = made(variant, size)
        if self.process is None:
            self.process = subprocess.Popen(
                [self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (self.MOST_MEMORY, self.MOST_MEMORY)))
        request = variant.request
        try:
            self.process.stdin.write(f"{request.door} {request.verb} {len(stored)} {len(asked)}\n".encode() + stored + asked)
            self.process.stdin.flush()
            line = self.answered()
        except BrokenPipeError:
            line = []
        if not line:
            self.process.kill()
            ended_by = -self.process.wait()
            self.process = None
            ended_by = signal.Signals(ended_by).name if ended_by != signal.SIGKILL else ""
            return Cost(variant, len(asked), len(stored) + len(asked), counts, self.MOST_SECONDS, 0, self.MOST_MEMORY, 0, False, ended_by)
        return Cost(variant, len(asked), len(stored) + len(asked), counts, float(line[0]), int(line[1]), int(line[2]),
                    int(line[3]), line[4] == b"refused")


def instructions(path, variants, size):
    """The bytes of each variant of that size, and the instructions that its answer takes, as callgrind counts them."""
    texts = [made(variant, size)[:2] for variant in variants]
    asked = b"".join(f"{variant.request.door} {variant.request.verb} {len(stored)} {len(asked)}\n".encode() + stored + asked
                     for variant, (stored, asked) in zip(variants, texts))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/counts",
                        path, "instructions"], input=asked, check=True, capture_output=True)
        found = {}
        for counts in map(pathlib.Path.read_text, pathlib.Path(folder).glob("counts.*")):
            number = re.search(r"^desc: Trigger: Client Request: (\d+)$", counts, re.MULTILINE)
            if number:
                found[int(number[1])] = int(re.search(r"^totals: (\d+)$", counts, re.MULTILINE)[1])
    return [(len(stored) + len(asked), found[i]) for i, (stored, asked) in enumerate(texts)]
