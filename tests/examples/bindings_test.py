# SPDX-License-Identifier: Apache-2.0
"""The C ABI: it is what was released, exports nothing else, and answers a C program; hostile bytes, engines that
are none, threads and exhausted memory get an answer and never an allowed pod.

    bindings_test.py LIBRARY SOURCE_ROOT
"""

import base64
import ctypes
import faulthandler
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

LIBRARY = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
BINDINGS = ROOT / "examples" / "bindings"
EXPECTED = (ROOT / "tests" / "examples" / "bindings.txt").read_text(encoding="utf-8")
ABI = ROOT / "tests" / "examples" / "bindings_abi.c"
HEADER = (BINDINGS / "schedpol.h").read_text(encoding="utf-8")
SCRATCH = pathlib.Path(tempfile.mkdtemp())
TIMEOUT_SECONDS = 300
CC = os.environ.get("CC", "cc")
CXX = os.environ.get("CXX", "c++")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
ENVIRONMENT = dict(os.environ, LD_LIBRARY_PATH=f"{SCRATCH}:{os.environ.get('LD_LIBRARY_PATH', '')}".rstrip(":"))


class Skipped(Exception):
    """Why a check cannot run here."""


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, env=ENVIRONMENT,
                          cwd=SCRATCH, timeout=TIMEOUT_SECONDS, check=False, **options)


def build(*command, **options):
    done = run(*command, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def need(*commands):
    """Each is a tool and an argument with which it only says that it works."""
    for tool, argument in commands:
        words = tool.split()
        if shutil.which(words[0]) is None or run(*words, argument).returncode != 0:
            raise Skipped(f"there is no working {tool}")


def directory_with(name, **files):
    """The example's inputs with some of them replaced, as a directory."""
    directory = SCRATCH / name
    directory.mkdir()
    for file in ("policies", "request", "review", "pod", "denied"):
        content = files.get(file, (BINDINGS / f"{file}.json").read_bytes())
        (directory / f"{file}.json").write_bytes(content)
    return directory


def c_program(*linked):
    need((CC, "--version"))
    program = SCRATCH / f"c-example-{len(linked)}"
    build(*CC.split(), "-std=c99", *WARNINGS, BINDINGS / "c" / "main.c", *linked or (f"-L{SCRATCH}", "-lschedpol"), "-o",
          program)
    return program


# A document that is no engine, and what the program says of it.
BAD_POLICIES = [
    (b"", [("FieldValueInvalid", "documents[0]", "`documents[0]`: invalid value: not valid JSON: there is nothing")]),
    (b'{"kind": "Gateway"}', [("FieldValueNotSupported", "documents[0].kind",
                               "`documents[0].kind`: unsupported value `Gateway`: is no object of a scheduling policy")]),
    (b'{"kind": "List", "items": [{"kind": "Gateway"}, {"metadata": {}}]}', [
        ("FieldValueNotSupported", "documents[0].items[0].kind",
         "`documents[0].items[0].kind`: unsupported value `Gateway`: is no object of a scheduling policy"),
        ("FieldValueRequired", "documents[0].items[1].kind",
         "`documents[0].items[1].kind`: required value: tells what the object is")]),
    (b'{"kind": "SchedulingPolicy", "metadata": {"name": "everyone"}, "spec": {}}', [
        ("FieldValueRequired", "systems", "`systems`: required value: which systems run has to be said")]),
]


def c_example():
    """The one expected text with good policies; the errors and exit status 1 with bad ones. The static library does
    the same."""
    programs = [c_program()]
    archive = LIBRARY.parent / "libschedpol.a"
    package = next(parent / "meson-private" / "schedpol-c.pc" for parent in LIBRARY.parents
                   if (parent / "build.ninja").exists())
    if archive.exists() and package.exists():
        need(("pkg-config", "--version"))
        libraries = build("pkg-config", "--static", "--libs-only-l", package).split()
        programs.append(c_program(archive, *(library for library in libraries if library != "-lschedpol"), "-lm"))
    for program in programs:
        done = run(program, BINDINGS)
        if done.returncode != 0 or done.stdout != EXPECTED or done.stderr:
            yield f"exit status {done.returncode}, printed\n{done.stdout}{done.stderr}\nnot\n{EXPECTED}"
    for number, (policies, errors) in enumerate(BAD_POLICIES):
        done = run(programs[0], directory_with(f"bad-{number}", policies=policies))
        said = done.stdout.splitlines()[-1].removeprefix("errors: ")
        wanted = [dict(zip(("code", "field", "message"), error)) for error in errors]
        if done.returncode != 1 or json.loads(said) != wanted:
            yield f"{policies}: exit status {done.returncode}, printed\n{done.stdout}{done.stderr}\nnot\n{wanted}"


def is_short():
    """The library and the program stay short, or the ABI is too hard to use."""
    for name, limit in (("schedpol.cpp", 300), ("engine_table.hpp", 110), ("c/main.c", 75)):
        count = len((BINDINGS / name).read_text(encoding="utf-8").splitlines())
        if count >= limit:
            yield f"{name} has {count} lines"


def header_compiles(compiler, language, standard):
    need((compiler, "--version"))
    source = '#include "schedpol.h"\n#include "schedpol.h"\nint main(void) { return schedpol_abi_version(); }\n'
    done = run(*compiler.split(), f"-I{BINDINGS}", "-x", language, f"-std={standard}", *WARNINGS, "-fsyntax-only",
               "-", input=source)
    if done.returncode != 0:
        yield done.stderr


def is_the_released_abi():
    """The header is that of the recorded ABI, whose functions, each with its version, the library exports and nothing
    else; the soversion is the version of the ABI."""
    version = re.search(r"#define SCHEDPOL_ABI_VERSION (\d+)", HEADER)[1]
    if LIBRARY.name != f"libschedpol.so.{version}":
        yield f"{LIBRARY.name} is not of ABI version {version}"
    need((CC, "--version"), ("nm", "--version"), ("readelf", "--version"))
    done = run(*CC.split(), "-std=c11", *WARNINGS, f"-I{BINDINGS}", "-fsyntax-only", ABI)
    if done.returncode != 0:
        yield done.stderr
    recorded = {f"{name}@@SCHEDPOL_{version}"
                for name in re.findall(r"^\w[\w* ]*\b(schedpol_\w+)\(", ABI.read_text(encoding="ascii"), re.MULTILINE)}
    declared = {f"{name}@@SCHEDPOL_{version}"
                for name in re.findall(r"^SCHEDPOL_API .*?\b(schedpol_\w+)\(", HEADER, re.MULTILINE)}
    lines = build("nm", "-D", "--defined-only", "--with-symbol-versions", LIBRARY).splitlines()
    exported = {line.split()[-1] for line in lines if " A " not in line}
    for what, names in (("declared", declared), ("exported", exported)):
        if not recorded or names != recorded:
            yield f"{what} but not recorded: {sorted(names - recorded)}, only recorded: {sorted(recorded - names)}"
    if f"[{LIBRARY.name}]" not in build("readelf", "-d", LIBRARY):
        yield "the library does not say its own name"


def lists_the_operations():
    """The README names every operation of evaluate, and no other."""
    wanted = set()
    for header in (ROOT / "include" / "schedpol" / "json" / "impl" / "operations").glob("*.hpp"):
        wanted.update(re.findall(r'\{"(\w+\.\w+)", [\w:<>]+\}', header.read_text(encoding="ascii")))
    table = re.search(r"\n\| operations of .*?\n\n", (BINDINGS / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|$", table[0] if table else "", re.MULTILINE)
    named = {f"{system}.{name}" for system, names in rows for name in re.findall(r"`(\w+)`", names)}
    if not wanted or named != wanted:
        yield f"not named: {sorted(wanted - named)}, not there: {sorted(named - wanted)}"


# The ABI through ctypes, without the checks of a wrapper.

OK, REFUSED, NO_ENGINE, NO_MEMORY, INVALID_ARGUMENT, UNSUPPORTED = range(6)
MUTATING, VALIDATING = range(2)


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class Api:
    """The functions, which return their status and what they wrote, as JSON that was read, or None."""

    def __init__(self):
        shared = ctypes.CDLL(str(LIBRARY))
        size, number, data, text = ctypes.c_size_t, ctypes.c_uint64, ctypes.c_char_p, ctypes.POINTER(Text)
        made = ctypes.POINTER(number)
        for name, arguments in (
                ("evaluate", [data, size, text]), ("engine_new", [text, size, made, text]),
                ("engine_with", [number, text, size, made, text]), ("engine_without", [number, text, size, made, text]),
                ("engine_problems", [number, text]), ("engine_free", [number]),
                ("decide", [number, data, size, data, size, text]), ("review", [number, data, size, ctypes.c_int, text]),
                ("yaml_to_json", [data, size, text])):
            function = getattr(shared, f"schedpol_{name}")
            function.argtypes = arguments
            setattr(self, f"call_{name}", function)
        self.call_text_free = shared.schedpol_text_free
        self.call_text_free.argtypes, self.call_text_free.restype = [text], None
        shared.schedpol_version.restype = data
        self.version = shared.schedpol_version().decode()

    def asked(self, call, *arguments):
        text = Text(1, 1)
        status = call(*arguments, ctypes.byref(text))
        return status, self.take(text)

    def take(self, text):
        if (text.data, text.length) == (1, 1):
            raise AssertionError("a text is not written")
        if not text.data:
            if text.length:
                raise AssertionError("nothing has a length")
            return None
        taken = ctypes.string_at(text.data, text.length + 1)
        if taken[-1:] != b"\0":
            raise AssertionError("a text does not end with NUL")
        for _ in range(2):
            self.call_text_free(ctypes.byref(text))
            if text.data or text.length:
                raise AssertionError("a text that is freed is not {NULL, 0}")
        return json.loads(taken[:-1])

    def evaluate(self, data, length=None):
        status, reply = self.asked(self.call_evaluate, data, len(data) if length is None else length)
        if status != OK:
            raise AssertionError(f"evaluate: {status}")
        return reply

    def decide(self, engine, data, length=None, asked=None):
        return self.asked(self.call_decide, engine, data, len(data) if length is None else length, asked, len(asked or b""))

    def review(self, engine, data, length=None, phase=MUTATING):
        return self.asked(self.call_review, engine, data, len(data) if length is None else length, phase)

    def problems(self, engine):
        return self.asked(self.call_engine_problems, engine)

    def free(self, engine):
        return self.call_engine_free(engine)

    def make(self, call, *arguments):
        """The status, the engine, or 0, and the errors."""
        made = ctypes.c_uint64(1)
        status, errors = self.asked(call, *arguments, ctypes.byref(made))
        if (status == OK) != (made.value != 0) or (status == REFUSED) != bool(errors):
            raise AssertionError(f"status {status}, engine {made.value}, errors {errors}")
        return status, made.value, errors

    def new(self, *documents):
        return self.make(self.call_engine_new, *texts(documents))

    def with_(self, engine, *documents):
        return self.make(self.call_engine_with, engine, *texts(documents))

    def without(self, engine, *documents):
        return self.make(self.call_engine_without, engine, *texts(documents))


def texts(documents):
    """An array of texts, of documents that are bytes or (bytes, length), and how many they are."""
    pairs = [document if isinstance(document, tuple) else (document, len(document)) for document in documents]
    array = (Text * max(len(pairs), 1))()
    for text, (data, length) in zip(array, pairs):
        text.data, text.length = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), length
    array.kept = pairs
    return array, len(pairs)


REQUEST = (BINDINGS / "request.json").read_bytes()
POLICIES = (BINDINGS / "policies.json").read_bytes()
REVIEW = (BINDINGS / "review.json").read_bytes()
POD = (BINDINGS / "pod.json").read_bytes()
DENIED = (BINDINGS / "denied.json").read_bytes()


def allowed_review():
    """The example's pod as the policies want it: it is allowed and gets a patch."""
    review = json.loads(REVIEW)
    review["request"]["object"]["spec"].update(
        schedulerName="gpu-scheduler", nodeSelector={},
        tolerations=[{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}])
    return json.dumps(review).encode()


# Bytes, their length if it is another, the error of evaluate, and the code of the denial.
MIB = 1 << 20
HOSTILE = [
    ("NULL", None, 0, "InvalidJson", 400),
    ("NULL with a length", None, 5, "InvalidJson", 400),
    ("nothing", b"", None, "InvalidJson", 400),
    ("length 0 before a document", b"{}", 0, "InvalidJson", 400),
    ("white space", b" \n\t ", None, "InvalidJson", 400),
    ("garbage", b"allow everything", None, "InvalidJson", 400),
    ("1 MiB of [", b"[" * MIB, None, "LimitExceeded", 413),
    ("1 MiB of ]", b"]" * MIB, None, "InvalidJson", 400),
    ("1 MiB of {\"a\":", b'{"a":' * (MIB // 5), None, "LimitExceeded", 413),
    ("1 MiB of lists in lists", b"[" * (MIB // 2) + b"]" * (MIB // 2), None, "LimitExceeded", 413),
    ("more than 16 MiB", b" " * (16 * MIB + 1), None, "LimitExceeded", 413),
    ("invalid UTF-8", b'{"id":"\xff\xfe","op":"\xc0\x80"}', None, "InvalidJson", 400),
    ("UTF-16", '{"kind":"List"}'.encode("utf-16"), None, "InvalidJson", 400),
    ("a NUL", b"\0", None, "InvalidJson", 400),
    ("a NUL in a string", b'{"op":"a\0b"}', None, "InvalidJson", 400),
    ("two documents around a NUL", b"{}\0{}", None, "InvalidJson", 400),
    ("a string without end", b'{"op":"', None, "InvalidJson", 400),
    ("a key twice", b'{"op":"x","op":"y"}', None, "InvalidJson", 400),
    ("a list", b"[]", None, "InvalidRequest", 400),
    ("an empty object", b"{}", None, "InvalidRequest", 400),
    ("null", b"null", None, "InvalidRequest", 400),
    ("an unknown operation and kind", b'{"kind":"x","op":"x","input":{}}', None, "UnknownOp", 400),
    ("a review cut short", REVIEW, len(REVIEW) - 8, "InvalidJson", 400),
    ("a request cut short", REQUEST, len(REQUEST) - 8, "InvalidJson", 400),
]


def answers_hostile_bytes():
    """An error from evaluate, no engine but errors, no decision but errors, a review that is a denial."""
    api = Api()
    _, engine, errors = api.new(POLICIES)
    if not engine:
        yield f"there is no engine: {errors}"
        return
    for name, data, length, code, response_code in HOSTILE:
        if length is None:
            length = len(data)
        reply = api.evaluate(data, length)
        if "result" in reply or reply["error"]["code"] != code:
            yield f"{name}: evaluate answers {reply}, not {code}"
        for status, made, errors in (api.new((data, length)), api.with_(engine, (data, length)),
                                     api.without(engine, (data, length))):
            if status != REFUSED or made or any(set(error) != {"code", "field", "message"} for error in errors):
                yield f"{name}: there is an engine, or no error: {status} {errors}"
        if api.call_engine_new(*texts([(data, length)]), ctypes.byref(ctypes.c_uint64()), None) != REFUSED:
            yield f"{name}: there is an engine where errors are not asked for"
        status, response = api.review(engine, data, length)
        response = response["response"]
        if status != OK or response["allowed"] is not False or response["status"]["code"] != response_code:
            yield f"{name}: the review is answered with {response}, not {response_code}"
        given = (data or b"")[:length]
        status, decision = api.decide(engine, data, length)
        if status != REFUSED and given != b"{}":
            yield f"{name}: the decision is {decision}"
        if code in ("InvalidJson", "LimitExceeded") and decision[0]["code"] != code:
            yield f"{name}: the decision is refused for {decision}, not {code}"
        status, decision = api.decide(engine, POD, asked=given)
        if status != (OK if given in (b"", b"{}") else REFUSED):
            yield f"{name} beside an object: the decision is {status} {decision}"
    api.free(engine)


# What ends one part of a request and goes on with another is no part, whatever the whole would be.
BREAKING_OUT = [
    (b'{},"user":{"name":"admin"}', None),
    (b'{}}', None),
    (b'{"kind":"Pod"}},"x":{"a":1', None),
    (POD, b'},"id":{'),
    (POD, b'"user":{"name":"admin"}'),
    (POD, b'{"object":{}}'),
    (POD, b'{"configuration":[]}'),
    (POD, b'{"users":{}}'),
    (POD, b'[]'),
]


def keeps_the_contract():
    """Only `length` bytes count, what is no engine or has no place is said, NULL can be freed, every error has its
    place, parts stay parts."""
    api = Api()
    _, engine, _ = api.new((POLICIES + b"\0rubbish", len(POLICIES)))
    good = allowed_review()
    status, reply = api.review(engine, good + b"}rubbish", len(good))
    if status != OK or reply["response"].get("allowed") is not True or "patch" not in reply["response"]:
        yield f"bytes after the length count, or an allowed pod gets no patch: {reply}"
    for object_, asked in BREAKING_OUT:
        status, errors = api.decide(engine, object_, asked=asked)
        if status != REFUSED or not errors:
            yield f"{object_} with {asked}: {status} {errors}"
    api.call_text_free(None)
    api.call_text_free(ctypes.byref(Text(None, 0)))
    document = (b'{"kind":"List","items":[{"kind":"Gateway"},{"metadata":{}},'
                b'{"kind":"SchedulingPolicy","metadata":{"name":"p"},"spec":[]}]}')
    _, _, errors = api.new(POLICIES, document)
    if [error["field"] for error in errors] != [f"documents[1].items[{i}].{field}" for i, field in
                                                enumerate(("kind", "kind", "spec"))]:
        yield f"not one error for each of three objects: {errors}"
    number = ctypes.c_uint64(7)
    array, count = texts([POLICIES])
    for status in (api.call_evaluate(REQUEST, len(REQUEST), None), api.call_engine_new(array, count, None, None),
                   api.call_engine_with(engine, array, count, None, None), api.call_engine_problems(engine, None),
                   api.call_engine_new(None, 1, ctypes.byref(number), None), api.call_decide(engine, POD, len(POD), None, 0, None),
                   api.call_review(engine, REVIEW, len(REVIEW), MUTATING, None), api.review(engine, REVIEW, phase=2)[0],
                   api.review(engine, REVIEW, phase=-1)[0]):
        if status != INVALID_ARGUMENT:
            yield f"a result without a place, or a phase that is none, is {status}"
    if number.value != 0:
        yield f"no engine is {number.value}"
    if api.new()[0] != REFUSED:
        yield "an engine is made of nothing"
    if api.free(engine) != OK:
        yield "an engine is not freed"
    version = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]
    if api.version != version:
        yield f"the library says it is {api.version}"


def engines_are_looked_up():
    """An engine that was never made, is freed, or is freed twice is none, for ever after, and allows nothing."""
    api = Api()
    _, freed, _ = api.new(POLICIES)
    _, kept, _ = api.new(POLICIES)
    if api.free(freed) != OK or api.free(freed) != NO_ENGINE:
        yield "an engine is freed twice"
    _, another, _ = api.new(POLICIES)  # takes its place in the library
    numbers = {freed, kept, another}
    for _ in range(100):
        _, made, _ = api.new(POLICIES)
        if made in numbers:
            yield f"the number {made} is given out twice"
        numbers.add(made)
        api.free(made)
    for engine in (0, 1, freed, freed + 1, kept ^ (1 << 63), made, (1 << 64) - 1, 1 << 32):
        answers = [api.decide(engine, POD), api.review(engine, allowed_review()), api.problems(engine),
                   api.with_(engine, POLICIES)[::2], api.without(engine, POLICIES)[::2], (api.free(engine), None)]
        if answers != [(NO_ENGINE, None)] * len(answers):
            yield f"to the engine {engine}, which is none: {answers}"
    for engine in (kept, another):
        if api.decide(engine, POD)[1]["allowed"] is not True or api.free(engine) != OK:
            yield f"the engine {engine} is gone"


WITH_ROLE = b"""{"kind": "List", "items": [
  {"kind": "SchedulingPolicy", "apiVersion": "schedpol.io/v1alpha1", "metadata": {"name": "gpu-team"},
   "spec": {"allowed": {"schedulerNames": ["another-scheduler"]}}}]}"""
NAMED = b'{"kind": "SchedulingPolicy", "apiVersion": "schedpol.io/v1alpha1", "metadata": {"name": "gpu-team"}}'
UNREADABLE = b'{"kind": "SchedulingPolicy", "metadata": {"name": "bad"}, "spec": {"allowed": []}}'
INVALID = (b'{"kind": "SchedulingPolicy", "metadata": {"name": "worse"}, '
           b'"spec": {"required": {"nodeSelectors": {"/": ["x"]}}, "allowed": {}}}')


def engines_change_by_another():
    """with and without make another engine, and the one that they were asked of stays; an object that cannot be used
    denies and is a problem; the configuration is kept."""
    api = Api()
    _, engine, _ = api.new(POLICIES)
    _, replaced, _ = api.with_(engine, WITH_ROLE)
    _, removed, _ = api.without(engine, NAMED)
    wanted = {engine: True, replaced: False, removed: False}
    for asked, allowed in wanted.items():
        status, decision = api.decide(asked, POD)
        if status != OK or decision["allowed"] is not allowed:
            yield f"of {wanted} the engine {asked} decides {decision}"
    for bad, name in ((UNREADABLE, "bad"), (INVALID, "worse")):
        status, broken, errors = api.with_(engine, bad)
        if status != OK:
            yield f"one object that is wrong stops the others: {errors}"
        problems = api.problems(broken)[1]
        decision = api.decide(broken, POD)[1]
        codes = [violation["code"] for step in decision["steps"] for violation in step["violations"]]
        if not problems or f"SchedulingPolicy[{name}]" not in problems[0]["field"] or codes != ["InvalidPolicy"] or \
                api.problems(engine) != (OK, []):
            yield f"of {bad} problems are {problems}, the decision is {decision}"
        api.free(broken)
    for call in (api.with_, api.without):
        status, _, errors = call(engine, POLICIES)
        if status != REFUSED or errors[0]["field"] != "systems":
            yield f"another configuration is {status} {errors}"
        if call(engine)[0] != OK:
            yield "nothing in addition is refused"
    # Each stands without the others.
    for asked, allowed in wanted.items():
        if api.free(asked) != OK:
            yield f"the engine {asked} is gone"


# A change of the pod of the example, what is wrong with it, and where.
DECISIONS = [
    ({}, None, None),
    ({"schedulerName": "my-scheduler"}, "SchedulerNameNotAllowed", "spec.schedulerName"),
    ({"nodeSelector": {"kubernetes.io/arch": "s390x"}}, "NodeSelectorRequired", "spec.nodeSelector[kubernetes.io/arch]"),
]


def decides():
    """The decision on an object alone is the one on the same object in a review, the patch with it, and that of
    engine.decide; what warns neither denies nor changes."""
    api = Api()
    _, engine, _ = api.new(POLICIES)
    warning = json.loads(POLICIES)
    warning["items"][0]["systems"] = [{"system": "SchedulingPolicy", "mode": "Warn"}]
    _, lenient, _ = api.new(json.dumps(warning).encode())
    review = json.loads(REVIEW)
    for change, code, field in DECISIONS:
        pod = json.loads(POD)
        pod["spec"].update(change)
        review["request"]["object"] = pod
        data = json.dumps(pod).encode()
        decision, response = api.decide(engine, data)[1], api.review(engine, json.dumps(review).encode())[1]["response"]
        patch = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
        said = [(violation["code"], violation["field"]) for step in decision["steps"] for violation in step["violations"]]
        if decision["allowed"] != response["allowed"] or decision["allowed"] != (code is None) or decision["patch"] != patch:
            yield f"{change}: decided {decision}, answered {response}"
        if said != ([(code, field)] if code else []) or decision["steps"][0]["mode"] != "Enforce":
            yield f"{change}: the systems said {decision['steps']}"
        if decision["object"]["spec"].get("priorityClassName") != (None if code else "batch") or \
                decision["object"]["spec"]["containers"] != pod["spec"]["containers"]:
            yield f"{change}: made of it {decision['object']}"
        told = api.decide(lenient, data)[1]
        if told["allowed"] is not True or told["object"] != pod or told["steps"][0]["mode"] != "Warn" or \
                [violation["code"] for violation in told["steps"][0]["violations"]] != ([code] if code else []):
            yield f"{change}: a warning is {told}"
        asked = {"namespace": "research", "user": {"name": "jo"}, "phase": "Validating", "old": pod}
        request = {"op": "engine.decide", "input": {"configuration": json.loads(POLICIES), "object": pod, **asked}}
        by_evaluate = api.evaluate(json.dumps(request).encode())["result"]
        by_engine = api.decide(engine, data, asked=json.dumps(asked).encode())[1]
        if by_evaluate != by_engine:
            yield f"{change}: engine.decide answers {by_evaluate}, the engine {by_engine}"
    job = b'{"kind":"Job","spec":{"template":{"spec":{"schedulerName":"my-scheduler"}}}}'
    decision = api.decide(engine, job)[1]
    if decision["allowed"] or "spec.template.spec.schedulerName" not in str(decision["steps"]):
        yield f"of a Job it decides {decision}"
    validating = api.review(engine, allowed_review(), phase=VALIDATING)[1]["response"]
    if validating["allowed"] or "patch" in validating:
        yield f"a validating webhook answers {validating}"
    for one in (engine, lenient):
        api.free(one)


# YAML, and the objects in it, or what is wrong with it.
YAML = [
    (b"kind: Pod\n---\nkind: List\nitems: [{kind: Job}, {kind: Pod, spec: {nodeSelector: {disk: ssd}}}]\n",
     [{"kind": "Pod"}, {"kind": "Job"}, {"kind": "Pod", "spec": {"nodeSelector": {"disk": "ssd"}}}]),
    (b'{"kind": "Pod"}', [{"kind": "Pod"}]),
    (b"", []),
    (None, []),
    (b"a: 1\na: 2\n", "2:1: "),
    (b"a:\n\tb: 1\n", "2:1: "),
    (b"\xff\xfe\xfd", "1:1: "),
]


def reads_yaml():
    """YAML becomes a List that an engine is made of; what is wrong has its line and column."""
    api = Api()
    if api.asked(api.call_yaml_to_json, b"", 0)[0] == UNSUPPORTED:
        raise Skipped("the library is built without libyaml")
    for yaml, wanted in YAML:
        status, read = api.asked(api.call_yaml_to_json, yaml, len(yaml or b""))
        if isinstance(wanted, list):
            if status != OK or read["kind"] != "List" or read["items"] != wanted:
                yield f"of {yaml} it makes {status} {read}"
        elif status != REFUSED or read[0]["code"] != "InvalidYaml" or not read[0]["message"].startswith(wanted):
            yield f"{yaml} is wrong: {status} {read}"
    _, policies = api.asked(api.call_yaml_to_json, POLICIES, len(POLICIES))
    status, engine, errors = api.new(json.dumps(policies).encode())
    if status != OK or api.decide(engine, POD)[1]["allowed"] is not True:
        yield f"no engine is made of it: {errors}"
    api.free(engine)


def is_shared_by_threads():
    """Threads that use one engine at once get the answers that one thread gets, while others make and free engines."""
    api = Api()
    _, engine, _ = api.new(POLICIES)
    reviews = [REVIEW, allowed_review(), b"garbage"]
    wanted = [api.review(engine, review) for review in reviews]
    if [reply["response"]["allowed"] for _, reply in wanted] != [False, True, False]:
        yield f"one thread gets {wanted}"
    wrong = []
    answered = []

    def ask(start):
        for i in range(start, start + 300):
            response = api.review(engine, reviews[i % 3])
            answered.append(start)
            if response != wanted[i % 3]:
                wrong.append(response)
            _, another, _ = api.with_(engine, WITH_ROLE)
            freed = (api.free(another), api.free(another))
            if freed != (OK, NO_ENGINE):
                wrong.append(freed)

    threads = [threading.Thread(target=ask, args=(start,)) for start in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    api.free(engine)
    if wrong or len(answered) != 600:
        yield f"{len(answered)} answers, {len(wrong)} of them wrong: {wrong[:1]}"


def frees_while_others_decide():
    """An engine that is freed while other threads ask it: each gets the decision or that there is none."""
    api = Api()
    wrong = []
    stop = threading.Event()
    shared = [api.new(POLICIES)[1]]

    def ask():
        while not stop.is_set():
            status, decision = api.decide(shared[0], POD)
            if (status, bool(decision)) not in ((OK, True), (NO_ENGINE, False)):
                wrong.append((status, decision))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(300):
        freed = shared[0]
        if api.free(freed) != OK:
            wrong.append("it is gone")
        shared[0] = api.new(POLICIES)[1]
    stop.set()
    for thread in threads:
        thread.join()
    api.free(shared[0])
    if wrong:
        yield f"{len(wrong)} answers are wrong: {wrong[:1]}"


# Lets each allocation of a call fail in turn, alone or with all that follow, and counts what is not freed.
FAILING_MALLOC = r"""
#include "schedpol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *memory);

static long until_failure = -1, failures, live;
static int all_that_follow;

void *malloc(size_t size) {
  void *memory;
  if (until_failure == 0) {
    ++failures;
    if (!all_that_follow) until_failure = -1;
    return NULL;
  }
  if (until_failure > 0) --until_failure;
  memory = __libc_malloc(size);
  live += memory != NULL;
  return memory;
}

void free(void *memory) {
  live -= memory != NULL;
  __libc_free(memory);
}

enum { MOST = 128 };
static char bytes[MOST][1 << 16];
static size_t lengths[MOST];

/* The policies, a review, an object, and then requests. */
static schedpol_status call(int which, schedpol_engine engine, schedpol_engine *made, schedpol_text *text) {
  schedpol_text policies;
  *made = 0;
  if (which == 1) return schedpol_review(engine, bytes[1], lengths[1], SCHEDPOL_MUTATING, text);
  if (which == 2) return schedpol_decide(engine, bytes[2], lengths[2], "{}", 2, text);
  if (which > 2) return schedpol_evaluate(bytes[which], lengths[which], text);
  policies.data = bytes[0];
  policies.length = lengths[0];
  return schedpol_engine_new(&policies, 1, made, text);
}

int main(int argc, char **argv) {
  static const char *const refusals[4] = {"memory", "\"allowed\":false", "\"allowed\":false", "\"error\":"};
  schedpol_engine engine, made;
  schedpol_text good, text;
  schedpol_status status;
  int which, wrong = 0;
  if (argc < 4 || argc > MOST) return 2;
  for (which = 0; which < argc - 1; ++which) {
    FILE *file = fopen(argv[which + 1], "rb");
    if (file == NULL) return 2;
    lengths[which] = fread(bytes[which], 1, sizeof bytes[which], file);
    fclose(file);
  }
  if (call(0, 0, &engine, &text) != SCHEDPOL_OK) return 2;
  for (all_that_follow = 0; all_that_follow < 2; ++all_that_follow) {
    for (which = 0; which < argc - 1; ++which) {
      const char *const refusal = refusals[which < 3 ? which : 3];
      long n = 0, refused = 0;
      if (call(which, engine, &made, &good) == SCHEDPOL_NO_MEMORY) return 2;
      schedpol_engine_free(made);
      for (;; ++n) {
        const long before = live;
        failures = 0;
        until_failure = n;
        status = call(which, engine, &made, &text);
        until_failure = -1;
        if (failures == 0) {
          schedpol_engine_free(made);
          schedpol_text_free(&text);
          break;
        }
        refused += status == SCHEDPOL_NO_MEMORY;
        if (status == SCHEDPOL_NO_MEMORY && (made != 0 || text.data != NULL)) wrong = 1;
        if (text.data != NULL && strstr(text.data, refusal) == NULL &&
            (good.data == NULL || strcmp(text.data, good.data) != 0)) {
          printf("call %d, allocation %ld: %s\n", which, n, text.data);
          wrong = 1;
        }
        if (text.data == NULL && text.length != 0) wrong = 1;
        schedpol_engine_free(made);
        schedpol_text_free(&text);
        if (live != before) {
          printf("call %d, allocation %ld: %ld blocks are left\n", which, n, live - before);
          wrong = 1;
        }
      }
      schedpol_text_free(&good);
      printf("call %d: %ld allocations failed, %ld of them told\n", which, n, refused);
      if (n < 5 || refused == 0) wrong = 1;
    }
  }
  schedpol_engine_free(engine);
  return wrong;
}
"""


# Requests of the operations that ask about policies. They are small: each of their allocations is one more try.
GPU_POLICY = {"metadata": {"name": "gpu"}, "spec": {
    "required": {"nodeSelectors": {"arch": ["amd64"]}},
    "allowed": {"schedulerNames": ["default-scheduler"],
                "tolerations": [{"keys": ["gpu"], "operators": ["Exists"], "values": [], "effects": ["NoSchedule"]}]},
    "default": {"priorityClassName": "batch"}}}
DISK_POLICY = {"metadata": {"name": "disk"}, "spec": {
    "allowed": {"schedulerNames": ["x"], "nodeSelectors": {"disk": ["ssd"]}}}}
DENIED_POD = {"kind": "Pod", "metadata": {"name": "p", "namespace": "n"}, "spec": {
    "schedulerName": "y", "nodeSelector": {"disk": "hdd"},
    "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoExecute"}]}}


def injecting(*names):
    """A configuration with policies that give all pods schedulers of those names."""
    return [{"kind": "EngineConfiguration", "systems": [{"system": "PodSchedulingPolicy"}]},
            {"kind": "Namespace", "metadata": {"name": "n"}},
            *({"kind": "ClusterPodSchedulingPolicy", "metadata": {"name": name},
               "spec": {"podSelector": {}, "namespaceSelector": {}, "schedulerName": name}} for name in names)]


INSIGHT = {
    "schedulingPolicy.explain": {"pod": DENIED_POD, "policies": [GPU_POLICY, DISK_POLICY]},
    "schedulingPolicy.nearestFix": {"pod": DENIED_POD, "policies": [GPU_POLICY, DISK_POLICY]},
    "schedulingPolicy.compare": {"before": {"policies": [GPU_POLICY, DISK_POLICY]}, "after": {"policies": [GPU_POLICY]}},
    "schedulingPolicy.analyze": {"policies": [{"metadata": {"name": "none"}, "spec": {}}]},
    "engine.analyze": {"configuration": injecting("one", "two")},
    "engine.impact": {"before": injecting("one"), "after": injecting("one", "two"), "objects": [
        {"kind": "Pod", "metadata": {"name": "p", "namespace": "n"}, "spec": {}}, DENIED_POD]},
}


def survives_exhausted_memory():
    """Whichever allocation of whichever operation fails: NULL, a refusal or the right answer, and nothing leaks."""
    need((CC, "--version"))
    if not hasattr(ctypes.CDLL(None), "__libc_malloc"):
        raise Skipped("this C library has no __libc_malloc")
    api = Api()
    directory = directory_with("memory", review=allowed_review())
    (SCRATCH / "failing-malloc.c").write_text(FAILING_MALLOC, encoding="ascii")
    build(*CC.split(), "-std=c99", *WARNINGS, f"-I{BINDINGS}", "-fno-builtin-malloc", SCRATCH / "failing-malloc.c",
          f"-L{SCRATCH}", "-lschedpol", "-o", SCRATCH / "failing-malloc")
    corpus = ROOT / "tests" / "fuzz" / "corpus"
    requests = sorted((corpus / "evaluate").glob("*.json"))
    for operation, asked in INSIGHT.items():
        requests.append(directory / f"{operation}.json")
        requests[-1].write_text(json.dumps({"id": 1, "op": operation, "input": asked}), encoding="ascii")
    answered = set()
    for request in (path.read_bytes() for path in requests):
        if "result" in api.evaluate(request):
            answered.update(re.findall(r'"op": ?"([\w.]+)"', request.decode()))
    for header in (ROOT / "include" / "schedpol" / "json" / "impl" / "operations").glob("*.hpp"):
        for operation in re.findall(r'\{"(\w+\.\w+)", [\w:<>]+\}', header.read_text(encoding="ascii")):
            if operation not in answered:
                yield f"no request of {operation} is answered with a result"
    calls = [[*(directory / f"{name}.json" for name in ("policies", "review", "pod", "request")), *requests]]
    for path in sorted((corpus / "review").glob("*.json")):
        both = json.loads(path.read_bytes())
        if "configuration" in both:
            reviewed = directory_with(f"memory-{path.stem}", policies=json.dumps(both["configuration"]).encode(),
                                      review=json.dumps(both["review"]).encode(),
                                      pod=json.dumps(both["review"]["request"]["object"]).encode())
            calls.append([reviewed / f"{name}.json" for name in ("policies", "review", "pod")])
    for files in calls:
        done = run(SCRATCH / "failing-malloc", *files)
        if done.returncode != 0:
            yield f"{files[1]}: exit status {done.returncode}\n{done.stdout[-4000:]}{done.stderr[:4000]}"
    if len(calls) < 10 or len(calls[0]) < 30:
        yield f"only {len(calls)} times, {len(calls[0])} inputs"


def is_clean_under_valgrind():
    need((CC, "--version"), ("valgrind", "--version"))
    program = c_program()
    for directory in (BINDINGS, directory_with("refused", policies=BAD_POLICIES[2][0])):
        done = run("valgrind", "-q", "--leak-check=full", "--error-exitcode=99", program, directory)
        if done.returncode == 99 or done.stderr:
            yield f"{directory.name}: {done.stderr[:4000]}"


CHECKS = [
    ("short", is_short),
    ("header as C99", lambda: header_compiles(CC, "c", "c99")),
    ("header as C++", lambda: header_compiles(CXX, "c++", "c++11")),
    ("ABI", is_the_released_abi),
    ("operations", lists_the_operations),
    ("C", c_example),
    ("contract", keeps_the_contract),
    ("engines", engines_are_looked_up),
    ("changes", engines_change_by_another),
    ("decisions", decides),
    ("YAML", reads_yaml),
    ("hostile bytes", answers_hostile_bytes),
    ("threads", is_shared_by_threads),
    ("freed while used", frees_while_others_decide),
    ("exhausted memory", survives_exhausted_memory),
    ("valgrind", is_clean_under_valgrind),
]


def main():
    faulthandler.enable()
    library = LIBRARY.read_bytes()
    if b"__asan_" in library or b"__ubsan_" in library:
        print("SKIPPED: the library is built with sanitizers, which programs of other languages do not start")
        return 77
    for name in {"libschedpol.so", LIBRARY.name}:
        (SCRATCH / name).symlink_to(LIBRARY)
    failed = 0
    for name, check in CHECKS:
        try:
            problems = list(check())
        except Skipped as why:
            print(f"SKIPPED {name}: {why}")
            continue
        except (AssertionError, OSError, RuntimeError, subprocess.TimeoutExpired) as problem:
            problems = [f"{type(problem).__name__}: {problem}"]
        print(f"{name}: {'; '.join(problems) or 'good'}", flush=True)
        failed += bool(problems)
    return 1 if failed else 0


try:
    STATUS = main()
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
sys.exit(STATUS)
