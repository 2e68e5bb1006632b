# SPDX-License-Identifier: Apache-2.0
"""How YAML is read: a table of documents with what sigs.k8s.io/yaml makes of them, places, warnings, errors, lists of any
length, and input that is meant to break it.

    yaml_test.py PATH_TO_YAML_BINARY SOURCE_ROOT

yaml.jsonl has a document a line: `yaml`, and what YAMLToJSONStrict of sigs.k8s.io/yaml 1.6.0 answered, `json` or `error`.
Where it is read in another way on purpose, `here` says how, and `why`.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROGRAM, ROOT = sys.argv[1:3]
MEGABYTE = 1 << 20
TIMEOUT_SECONDS = 120
MEMORY_KB = 16 * 1024  # for what is read item by item
OBJECT_MEMORY_KB = 160 * 1024  # for what has nearly as many bytes as an object may have


class Run:
    """What is read of some bytes, or of the parts that an iterator gives."""

    def __init__(self, stream, mode=""):
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen([PROGRAM] + [mode] * bool(mode), stdin=subprocess.PIPE, stdout=output)
            try:
                for part in [stream] if isinstance(stream, bytes) else stream:
                    process.stdin.write(part)
                process.stdin.close()
            except BrokenPipeError:
                pass  # it has seen enough
            process.wait(TIMEOUT_SECONDS)
            output.seek(0)
            self.text = output.read().decode()
        lines = [json.loads(line) for line in self.text.split("\n")[:-1]]
        self.lines = [line for line in lines if "error" not in line]
        self.error = next((line["error"] for line in lines if "error" in line), None)
        if process.returncode != (2 if self.error else 0):
            raise AssertionError(f"exit status {process.returncode} with error {self.error!r} for {stream[:80]!r}")

    @property
    def objects(self):
        return [line["object"] for line in self.lines]


def canonical(value):
    return json.dumps(value, sort_keys=True)


def table():
    rows = [json.loads(line) for line in (pathlib.Path(ROOT) / "tests/examples/yaml.jsonl").read_text().splitlines()]
    if len(rows) < 160:
        yield f"the table has {len(rows)} documents"
    for row in rows:
        run = Run(row["yaml"].encode())
        if ("here" in row) != ("why" in row):
            yield f"{row}: a difference has a reason"
        wanted = row.get("here", row)
        if wanted == "error" or "error" in wanted:
            if run.error is None or not run.error.startswith("-:") or run.error.count(":") < 3:
                yield f"{row['yaml']!r}: read as {run.text}, not an error with its place"
        elif run.error or canonical(run.objects or [None]) != canonical([wanted["json"]]):
            yield f"{row['yaml']!r}: read as {run.text}, not {wanted['json']}"


# A stream, and line and column of key and value of some of its fields; `not there` where the nearest one is meant.
PLACES = [
    ("a: 1\n", {"": [1, 1, 1, 1], "a": [1, 1, 1, 4]}),
    ("---\n\n  a:\n  - b: x\n    c: [1, {d: e}]\n  - y\n",
     {"": [3, 3, 3, 3], "a": [3, 3, 4, 3], "a[0]": [4, 5, 4, 5], "a[0].b": [4, 5, 4, 8], "a[0].c[1].d": [5, 13, 5, 16],
      "a[1]": [6, 5, 6, 5]}),
    ('{"a": 1,\n "b": [true, {"c": null}]}', {"": [1, 1, 1, 1], "a": [1, 2, 1, 7], "b": [2, 2, 2, 7], "b[1].c": [2, 15, 2, 20]}),
    ('{"a": "\u00e9\u4e16", "b\\u0041": 1}', {"a": [1, 2, 1, 7], "bA": [1, 13, 1, 24]}),
    ("a: \u00e9\u4e16 \nb: {\u00e9: 1, c: 2}\n", {"b.c": [2, 11, 2, 14]}),
    ("\ufeffa: 1\n", {"a": [1, 1, 1, 4]}),
    ("a: 1\r\nb: 2\r\n", {"b": [2, 1, 2, 4]}),
    ("yes: 1\n010: 2\n", {"true": [1, 1, 1, 6], "8": [2, 1, 2, 6]}),
    ("a: &x {p: [1, 2]}\nb: *x\n", {"b": [2, 1, 2, 4], "b.p": [1, 8, 1, 11], "b.p[1]": [1, 15, 1, 15]}),
    ("a: &x {p: {q: 1}}\nb:\n  <<: *x\n  r: 2\n", {"b.p.q": [1, 12, 1, 15], "b.r": [4, 3, 4, 6], "b": [2, 1, 3, 3]}),
    ("a: &x {p: 1}\nb: &y {q: 1}\nc: {r: 1, <<: [*x, *y]}\n", {"c.p": [1, 8, 1, 11], "c.q": [2, 8, 2, 11], "c.r": [3, 5, 3, 8]}),
    ("? a\n: |\n  text\n", {"a": [1, 3, 2, 3]}),
    ("a: !!str\nb: &x\n", {"a": [1, 1, 1, 4], "b": [2, 1, 2, 4]}),
    ("kind: List\nitems:\n- a: 1\n-\n  b: 2\n", {"": [3, 3, 3, 3], "a": [3, 3, 3, 6]}),
    ('{"kind": "PodList", "apiVersion": "v1", "items": [\n {"a": 1}]}', {"a": [2, 3, 2, 8], "kind": [2, 2, 2, 2, "not there"]}),
    ("kind: PodList\napiVersion: v1\nitems:\n- {a: 1}\n", {"a": [4, 4, 4, 7], "apiVersion": [4, 3, 4, 3, "not there"]}),
    ('{"a": 1}\n{"b": 2}\nc: 1', {"a": [1, 2, 1, 7]}),
    ("{}\n a: {b: 1}\n", {"": [1, 1, 1, 1]}),
]


def places():
    for stream, wanted in PLACES:
        run = Run(stream.encode(), "places")
        for field, at in wanted.items():
            if run.lines[0]["places"].get(field) != at:
                yield f"{stream!r}: `{field}` is at {run.lines[0]['places'].get(field)}, not {at}"


POD = {"apiVersion": "v1", "kind": "Pod"}
# A stream, its objects, and the places where they begin.
STREAMS = [
    ("", [], []),
    ("# nothing\n---\n---\n...\n---\nnull\n", [], []),
    ("a: 1\n---\nb: 2\n...\n---\n- c\n", [{"a": 1}, {"b": 2}, ["c"]], [[1, 1], [3, 1], [6, 1]]),
    ('{"a": 1}{"b": 2}\n\n{"c": {}}\n', [{"a": 1}, {"b": 2}, {"c": {}}], [[1, 1], [1, 9], [3, 1]]),
    ('{"a": 1}\n---\n{"b": 2}\n---\nc: 3\n', [{"a": 1}, {"b": 2}, {"c": 3}], [[1, 1], [3, 1], [5, 1]]),
    ('{"a": 1,}\n', [{"a": 1}], [[1, 1]]),
    ("{a: 1}\n---\n{b: 2}\n", [{"a": 1}, {"b": 2}], [[1, 1], [3, 1]]),
    (' {"a": 1}', [{"a": 1}], [[1, 2]]),
    ("[1, {}]", [[1, {}]], [[1, 1]]),
    ("kind: List\napiVersion: v1\nitems: []\n", [], []),
    ("kind: PodList\nitems: null\n---\nitems:\nkind: PodList\n---\na: 1\n", [{"a": 1}], [[7, 1]]),
    ('{"kind":"PodList","items":null} {"items":null,"kind":"ConfigMap"} {"items": null, "kind": "List"}{"a": 1}',
     [{"items": None, "kind": "ConfigMap"}, {"a": 1}], [[1, 33], [1, 98]]),
    ("apiVersion: v1\nitems:\n- {a: 1}\n- b: 2\nkind: List\n---\nc: 1\n", [{"a": 1}, {"b": 2}, {"c": 1}], [[3, 3], [4, 3], [7, 1]]),
    ("kind: PodList\napiVersion: v1\nitems:\n- {a: 1}\n- {}\n- {kind: Node}\n- {apiVersion: v2}\n",
     [{"a": 1, **POD}, POD, {"kind": "Node"}, {"apiVersion": "v2", "kind": "Pod"}], [[4, 3], [5, 3], [6, 3], [7, 3]]),
    ('{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"a":1}, { } ,{"kind":"Node"}],"x":[]}',
     [{"a": 1, **POD}, POD, {"kind": "Node"}], [[1, 60], [1, 69], [1, 74]]),
    ('{"items": [{"a": 1}], "kind": "List"} {"b": 1}', [{"a": 1}, {"b": 1}], [[1, 12], [1, 39]]),
    ('{"it\\u0065ms": [{"a": 1}], "kind": "ConfigMap"}', [{"items": [{"a": 1}], "kind": "ConfigMap"}], [[1, 1]]),
    ('{"kind": "ConfigMap", "items": [{"a": 1}]}', [{"kind": "ConfigMap", "items": [{"a": 1}]}], [[1, 1]]),
    ("kind: ConfigMap\nitems:\n- a: 1\n", [{"kind": "ConfigMap", "items": [{"a": 1}]}], [[1, 1]]),
    ("kind: List\nitems:\n  a: 1\n", [{"kind": "List", "items": {"a": 1}}], [[1, 1]]),
    ("x: &x {p: 1}\nitems:\n- {<<: *x, q: 2}\n- *x\nkind: List\n", [{"p": 1, "q": 2}, {"p": 1}], [[3, 3], [4, 3]]),
    ("kind: List\nitems:\n- &x {p: 1}\n- {q: *x}\n", [{"p": 1}, {"q": {"p": 1}}], [[3, 3], [4, 3]]),
]


def streams():
    for stream, objects, begins in STREAMS:
        run = Run(stream.encode())
        if run.error or canonical(run.objects) != canonical(objects) or [line["place"] for line in run.lines] != begins:
            yield f"{stream!r}: {run.text}"
    for encoding in ("utf-16-le", "utf-16-be"):
        if canonical(Run("\ufeffa: \u00e9\n".encode(encoding)).objects) != canonical([{"a": "\u00e9"}]):
            yield f"{encoding} with a byte order mark is not read"


def sources():
    stream = ("# Source: not/at/a/line.yaml before\n---\n# Source: chart/templates/a.yaml\n# more\na: 1\n---\nb: |\n"
              "# Source: inside.yaml\n---\n# Source: chart/templates/c.yaml\r\n---\n# Source: chart/templates/d e.yaml\n"
              "kind: List\nitems:\n- d: 1\n# Source: in/the/list.yaml\n- e: 1\n---\nf: 1 # Source: beside.yaml\n")
    run = Run(stream.encode())
    got = [line.get("source") for line in run.lines]
    wanted = ["chart/templates/a.yaml", None, "chart/templates/d e.yaml", "chart/templates/d e.yaml", None]
    if got != wanted:
        yield f"Helm's sources are {got}, not {wanted}"
    many = "".join(f"---\n# Source: t/{i}.yaml\ni: {i}\n" for i in range(3000))
    wrong = [line for line in Run(many.encode()).lines if line.get("source") != f"t/{line['object']['i']}.yaml"]
    if wrong:
        yield f"of 3000 sources these are wrong: {wrong[:3]}"


# A document, and the places of its warnings with a part of their texts.
WARNINGS = [
    ("a: b\nc: 1\nd: 1.10\ne: true\nf: null\ng: 'yes'\nh: !!str on\ni: -7\nj: 0\nk: 0.5\nl: .5\nm: '1:20'\n", []),
    ("y: 1\n", ["-:1:1: `y` is read as true"]),
    ("a: [on, off, Yes, n]\n", ["-:1:5: `on` is read as true", "-:1:9: `off` is read as false",
                                "-:1:14: `Yes` is read as true", "-:1:19: `n` is read as false"]),
    ("a: 010\n", ["-:1:4: `010` is read as the number 8,"]),
    ("a: 08\n", ["-:1:4: `08` is read as the number 8,"]),
    ("a: -0x1F\n", ["-:1:4: `-0x1F` is read as the number -31,"]),
    ("a: 0b11\nb: 0o7\n", ["-:1:4: `0b11` is read as the number 3,", "-:2:4: `0o7` is read as the number 7,"]),
    ("a: 1_000\n", ["-:1:4: `1_000` is read as the number 1000,"]),
    ("a: 12e03\n", ["-:1:4: `12e03` is read as the number 12000,"]),
    ("a: 123456789012345678901\n", ["-:1:4: `123456789012345678901` is read as the number 123456789012345680000,"]),
    ("a: 1:20\nb: -190:20:30.15\nc: 8080:80\nd: 0:10\ne: 1:20x\nf: 1:60\n",
     ["-:1:4: `1:20` is read as text", "-:2:4: `-190:20:30.15` is read as text"]),
    ("a: &x yes\nb: [*x, *x]\n", ["-:1:4: `yes` is read as true"]),
    ("defaultMode: 0644\nitems: [{mode: 0400}]\n", []),
    ("'defaultMode': 0o600\nmode: &x 0755\nother: *x\n", []),
    ("Mode: 0644\nmode: 1_0\ndefaultMode: [0644]\nxmode: 0644\n", [
        "-:1:7: `0644` is read as the number 420,", "-:2:7: `1_0` is read as the number 10,",
        "-:3:15: `0644` is read as the number 420,", "-:4:8: `0644` is read as the number 420,"]),
]


def warnings():
    for document, wanted in WARNINGS:
        got = Run(document.encode()).lines[0]["warnings"]
        if len(got) != len(wanted) or not all(a.startswith(b) for a, b in zip(got, wanted)):
            yield f"{document!r}: warnings {got}, not {wanted}"
    if len(Run(b"a: [" + b"yes, " * 1000 + b"no]\n").lines[0]["warnings"]) != 100:
        yield "an object does not have 100 warnings at most"


# What is wrong, and the objects before it.
TEMPLATE = "this looks like a template that is not rendered"
ERRORS = [
    (b"a: 1\nb: [\n", "-:3:1: did not find expected", 0),
    (b"a:\n\tb: 1\n", "-:2:1: a tab cannot indent, only spaces can", 0),
    (b"a: 'b\n", "-:2:1: found unexpected end of stream", 0),
    (b"a: 1\n---\nb: \"\n", "-:4:1: found unexpected end of stream", 1),
    (b"a: {b: 1,\n    c: 2, b: 3}\n", "-:2:11: the key `b` is already in line 1", 0),
    (b"c: 1\na: 1\nb: 1\na: 1\nb: 1\n", "-:4:1: the key `a` is already in line 2", 0),
    (b"yes: 1\n'true': 2\n", "-:2:1: the key `true` is already in line 1", 0),
    (b"kind: List\nitems:\n- {a: 1}\nkind: List\n", "-:4:1: the key `kind` is already in line 1", 1),
    (b"kind: List\nitems:\n- {a: 1}\nitems:\n- {a: 1}\n", "-:4:1: the key `items` is already in line 2", 1),
    (b"kind: List\nitems:\n- {a: 1}\n- text\n", "-:4:3: an item of a list has to be an object", 1),
    (b"kind: List\nitems:\n- {a: 1}\n-\n", "-:4:2: an item of a list has to be an object", 1),
    (b"items:\n- {a: 1}\nkind: ConfigMap\n", "-:1:1: what has `items` first has to be of a kind that ends in `List`", 1),
    (b"items:\n- {a: 1}\n", "-:1:1: what has `items` first has to be of a kind that ends in `List`", 1),
    (b"kind: List\nitems: &x\n- {a: *x}\n", "-:3:7: the anchor `x` contains itself", 0),
    (b"&x\na: *x\n", "-:2:4: the anchor `x` contains itself", 0),
    (b"a: &x 1\n---\nb: *x\n", "-:3:4: there is no anchor `x` before it", 1),
    (b"a: !!int x\n", "-:1:4: `x` cannot be of the type `!!int`", 0),
    (b"a: [1, .inf]\n", "-:1:8: `.inf` is no number of JSON", 0),
    (b"a: 1\n? [b]\n: 1\n", "-:2:3: a list or a mapping cannot be a key", 0),
    (b"a: 1\nb: {{ .Values.b }}\n", "-:2:5: " + TEMPLATE, 0),
    (b"a: 1\n{{- if .Values.b }}\nb: 1\n{{- end }}\n", "-:3:1: " + TEMPLATE, 0),
    (b"{{- if .Values.b }}\nb: 1\n{{- end }}\n", "-:1:2: " + TEMPLATE, 0),
    (b"a: 1\nb:\n  {{- toYaml .Values.b | nindent 2 }}\n", "-:3:4: " + TEMPLATE, 0),
    (b"b: {{ include \"b\" . | nindent 4 }}\n", "-:1:5: " + TEMPLATE, 0),
    (b"b: {{ .Values.b }}-c\n", "-:1:5: " + TEMPLATE, 0),
    (b"a: 1\n---\nb: x{{ .Values.b }}: {{ .c }}\n", "-:3:", 1),
    (b'{"a": {{ .Values.a }}}', "-:1:8: " + TEMPLATE, 0),
    (b"a: '{{ b }}'\nb: {{b: c}: d}\n", "-:2:5: " + TEMPLATE, 0),
    (b"a: '{{ b }}'\n? [b]\n: 1\n", "-:2:3: a list or a mapping cannot be a key", 0),
    (b"a: &x {b: 1}\nc: {<<: *x, b: 2}\n", "-:2:13: the key `b` overrides the one that `<<` merges from line 1: ", 0),
    (b"a: &x {b: 1}\nc:\n  b: 2\n  <<: *x\n", "-:3:3: the key `b` overrides the one that `<<` merges from line 1: ", 0),
    (b"a: &x {b: 1}\nc: &y {b: 2}\nd: {<<: [*x, *y]}\n", "-:2:8: `<<` merges the key `b` twice, from here and from line 1", 0),
    (b"kind: List\nitems:\n- {a: 1}\n- kind: PodList\n  items: [{a: 1}]\n", "-:5:3: a list is read only", 1),
    (b'{"kind": "List", "items": [{"a": 1}, {"kind": "List", "items": []}]}', "-:1:55: a list is read only", 1),
    (b"a: &x [{b: 1}]\nkind: List\nitems: *x\n", "-:3:1: a list is read only", 0),
    (b"a: 1\n~: 1\n", "-:2:1: a key cannot be null", 0),
    (b"%YAML 1.2\n---\na: 1\n", "-:1:1: Kubernetes reads YAML 1.1", 0),
    (b"a: 1\nb: \xff\n", "-:2:4: invalid leading UTF-8 octet", 0),
    (b"a: 1\nb: \x00\n", "-:2:4: control characters are not allowed", 0),
    (b"\x00", "-:1:1: control characters are not allowed", 0),
    (b"\x7fELF\x02\x01\x01" + bytes(range(256)), "-:1:1: control characters are not allowed", 0),
    ("a: 1\n".encode("utf-16-le"), "-:1:2: control characters are not allowed", 0),
    (b'{"a": 1, "b": {"c": 1, "c": 2}}', "-:1:24: `b.c`: duplicate value", 0),
    (b'{"a": 1} {"b"', "-:2:1: did not find expected ',' or '}'", 1),
    (b'{"a": 1\n "b": 2}', "-:2:5: did not find expected ',' or '}'", 0),
    (b'{"kind": "List", "items": [{"a": 1} {"b": 1}]}', "-:1:37: an item of a list", 1),
    (b'{"kind": "List", "items": [{"a": 1},]}', "-:1:37: an item of a list", 1),
    (b'{"kind": "List", "items": [,{"a": 1}]}', "-:1:28: an item of a list", 0),
    (b'{"kind": "List", "items": [{"a": 1}, 5]}', "-:1:38: an item of a list", 1),
    (b'{"kind": "List", "items": [{"a": 1}', "-:1:36: an item of a list", 1),
    (b'{"kind": "List", "items": [\n {"a": 1}, {"b": tru}]}', "-:2:12: not valid JSON at byte 6", 1),
    (b'{"kind": "PodList", "items": [{"a": 1]]}', "-:1:31: not valid JSON", 0),
    (b'{"kind": "List", "items": [{"a": 1}], "items": []}', "-:1:1: `items`: duplicate value", 1),
    (b'{"kind": "List", "items": [{"a": 1}], "b": tru}', "-:1:1: not valid JSON", 1),
    (b'{"kind": "List", "items": [{"a": 1}], "b"}', "-:1:42: this list is not valid JSON", 1),
    (b'{"kind": "List", "items": [{"a": 1}]', "-:1:37: this list is not valid JSON", 1),
    (b'{"items": [{"a": 1}], "kind": "ConfigMap"}', "-:1:1: what has `items` first has to be of a kind", 1),
    (b'{"kind": "List", "items": [{"a": {"b": 1, "b": 2}}]}', "-:1:43: `a.b`: duplicate value", 0),
]


def errors():
    for stream, wanted, before in ERRORS:
        run = Run(stream)
        if run.error is None or not run.error.startswith(wanted) or len(run.lines) != before:
            yield f"{stream[:80]!r}: {run.text}, not {before} objects and {wanted}"
    folder = os.open(ROOT, os.O_RDONLY)
    run = subprocess.run([PROGRAM], stdin=folder, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    os.close(folder)
    if run.returncode != 2 or b"it cannot be read to its end" not in run.stdout:
        yield f"what cannot be read: {run.stdout!r}"


def times(part, bytes_wanted):
    for _ in range(bytes_wanted // len(part) + 1):
        yield part


def chain(*parts):
    for part in parts:
        yield from ([part] if isinstance(part, bytes) else part)


def laughs(levels):
    yield b"a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
    for i in range(1, levels):
        yield f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n".encode()


def merging(levels):
    yield b"a0: &a0 {k0: v}\n"
    for i in range(1, levels):
        yield f"a{i}: &a{i} {{<<: *a{i - 1}, k{i}: {{<<: *a{i - 1}}}}}\n".encode()


BIG = b"x" * (MEGABYTE - 1) + b"\n"
# What is meant to take all memory or time: what is said of it, and the memory that it may take.
HOSTILE = [
    ("billion laughs", lambda: laughs(10), "aliases and merges add at most", MEMORY_KB),
    ("an anchor on each of many lists inside one another", lambda: chain(*(b"&a%d [" % i for i in range(200)), b"x" * 8000, b"]" * 200),
     "the values with an anchor have at most", MEMORY_KB),
    ("merges of merges", lambda: merging(30), "aliases and merges add at most", MEMORY_KB),
    ("a text of 100 MB", lambda: chain(b"a: ", times(BIG[:-1], 100 * MEGABYTE)), "an object has at most", OBJECT_MEMORY_KB),
    ("100 MB of a block", lambda: chain(b"a: |\n", times(b" " + BIG, 100 * MEGABYTE)), "an object has at most", OBJECT_MEMORY_KB),
    ("100 MB in quotes", lambda: chain(b'a: "', times(BIG, 100 * MEGABYTE)), "an object has at most", OBJECT_MEMORY_KB),
    ("a JSON string of 100 MB", lambda: chain(b'{"a": "', times(BIG[:-1], 100 * MEGABYTE)), "an object has at most", OBJECT_MEMORY_KB),
    ("100 MB of spaces in JSON", lambda: chain(b'{"a":', times(b" " * MEGABYTE, 100 * MEGABYTE)), "an object has at most", OBJECT_MEMORY_KB),
    ("an item of 100 MB", lambda: chain(b"kind: List\nitems:\n- {}\n- a: |\n", times(b"    " + BIG, 100 * MEGABYTE)),
     "an object has at most", OBJECT_MEMORY_KB),
    ("an item of JSON of 100 MB", lambda: chain(b'{"kind": "List", "items": [{}, {"a": "', times(BIG[:-1], 100 * MEGABYTE)),
     "an object has at most", OBJECT_MEMORY_KB),
    ("100 MB of members behind the items", lambda: chain(b'{"kind": "List", "items": [{}], "a": "', times(BIG[:-1], 100 * MEGABYTE)),
     "an object has at most", OBJECT_MEMORY_KB),
    ("100 MB of comments", lambda: times(b"#" + BIG, 100 * MEGABYTE), "an object has at most", MEMORY_KB),
    ("100 MB of brackets", lambda: times(b"[" * 1000, 100 * MEGABYTE), "an object nests at most 256 levels", MEMORY_KB),
    ("100 MB of braces", lambda: chain(b"- ", times(b"{a: " * 250, 100 * MEGABYTE)), "an object nests at most 256 levels", MEMORY_KB),
    ("100 MB of nested JSON", lambda: times(b'{"a":' * 200, 100 * MEGABYTE), "", OBJECT_MEMORY_KB),
    ("a list in a list", lambda: times(b"- " * 1000, 100 * MEGABYTE), "an object nests at most 256 levels", MEMORY_KB),
    ("a mapping in a mapping", lambda: (b" " * i + b"a:\n" for i in range(2000)), "an object nests at most 256 levels", MEMORY_KB),
    ("many directives", lambda: (b"%%TAG !%d! x\n" % i for i in range(500000)), "a document has at most 100 tag directives", MEMORY_KB),
    ("a key of 2 MB", lambda: [b"a" * (2 * MEGABYTE) + b": 1\n"], "-:1:", OBJECT_MEMORY_KB),
    ("keys of many colons", lambda: [b"a: " + b"b:" * MEGABYTE], "", OBJECT_MEMORY_KB),
    ("one key many times", lambda: [b"a:\n" + b" b: 1\n" * 200000], "-:3:2: the key `b` is already in line 2", OBJECT_MEMORY_KB),
    ("many anchors", lambda: (b"k%d: &a%d xxxxxxx\n" % (i, i) for i in range(200000)), "the values with an anchor have at most",
     OBJECT_MEMORY_KB),
    ("many anchors of little", lambda: [b"[" + b"&a 1, " * 100000], "the values with an anchor have at most", MEMORY_KB),
    ("items many times", lambda: [b"kind: X\n" + b"items: 1\n" * 200000], "the key `items` is already in line 2", OBJECT_MEMORY_KB),
    ("items of JSON many times", lambda: [b'{"kind": "X", ' + b'"items": [], ' * 200000 + b'"a": 1}'], "`items`: duplicate value",
     OBJECT_MEMORY_KB),
    ("control characters that grow as JSON", lambda: chain(b'a: "', times(b"\\b" * 500, 6 * MEGABYTE), b'"\n'), "a document has at most",
     OBJECT_MEMORY_KB),
]


def hostile():
    for name, stream, wanted, memory in HOSTILE:
        begin = time.monotonic()
        run = Run(stream(), "count")
        if wanted and (run.error is None or wanted not in run.error):
            yield f"{name}: {run.text[:300]}"
        if run.lines[0]["memory"] > memory:
            yield f"{name}: {run.lines[0]['memory']} KB of memory"
        print(f"{name}: {time.monotonic() - begin:.2f} s, {run.lines[0]['memory']} KB")


# Lists that are far longer than an object may be: how they are written, and how many bytes an item has.
ITEM = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}}, "spec": {"nodeName": "a"}}'
LISTS = [
    ("a list of JSON", b'{"apiVersion": "v1", "items": [', ITEM.encode() + b",\n", ITEM.encode() + b'], "kind": "List"}'),
    ("a list of YAML", b"apiVersion: v1\nkind: List\nitems:\n", b"- " + ITEM.encode() + b"\n", b""),
    ("a stream of JSON", b"", ITEM.encode() + b"\n", ITEM.encode()),
    ("a stream of next to nothing", b"", b"---\n", b"--- 1\n"),
    ("a stream of YAML", b"", b"---\n# Source: a/b.yaml\na: 1\nb:\n- c\n- d: e\n", b""),
]


def lists():
    for name, begin, item, end in LISTS:
        count = 20 * MEGABYTE // len(item)
        run = Run(chain(begin, (item * 1000 for _ in range(count // 1000)), end), "count")
        wanted = (count // 1000 * 1000 if item.strip(b"-\n") else 0) + (1 if end else 0)
        if run.error or run.lines[0]["count"] != wanted or run.lines[0]["memory"] > MEMORY_KB:
            yield f"{name}: {run.text[:300]}, not {wanted} objects in {MEMORY_KB} KB"


def speed():
    """Told, and never a reason to fail."""
    pod = ("- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web-7c9d\n    labels:\n      app: web\n      tier: \"front\"\n  spec:\n"
           "    containers:\n    - name: main\n      image: nginx:1.25\n      resources:\n        requests:\n          cpu: 100m\n"
           "    tolerations:\n    - key: gpu\n      operator: Exists\n      effect: NoSchedule\n").encode()
    stream = b"apiVersion: v1\nkind: List\nitems:\n" + pod * (10 * MEGABYTE // len(pod))
    begin = time.monotonic()
    Run(stream, "count")
    print(f"10 MB of YAML in {time.monotonic() - begin:.2f} s")
    return ()


def main():
    failures = [failure for check in (table, places, streams, sources, warnings, errors, hostile, lists, speed) for failure in check()]
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
