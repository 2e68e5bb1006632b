# SPDX-License-Identifier: Apache-2.0
"""The C ABI: programs in Python, C, Go and Rust print the same decision; nothing but the ABI is exported;
hostile bytes, threads and exhausted memory get an answer and never an allowed pod.

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
ROOT = pathlib.Path(sys.argv[2])
BINDINGS = ROOT / "examples" / "bindings"
EXPECTED = (ROOT / "tests" / "examples" / "bindings.txt").read_text(encoding="utf-8")
HEADER = (BINDINGS / "schedpol.h").read_text(encoding="utf-8")
SCRATCH = pathlib.Path(tempfile.mkdtemp())
TIMEOUT_SECONDS = 300
CC = os.environ.get("CC", "cc")
CXX = os.environ.get("CXX", "c++")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
ENVIRONMENT = dict(os.environ, LD_LIBRARY_PATH=f"{SCRATCH}:{os.environ.get('LD_LIBRARY_PATH', '')}".rstrip(":"),
                   GOCACHE=str(SCRATCH / "go-cache"), GOFLAGS="-mod=mod", GOTOOLCHAIN="local", GOPROXY="off",
                   GO111MODULE="auto", CGO_ENABLED="1", CGO_LDFLAGS=f"-L{SCRATCH}")


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
    for file in ("policies", "request", "review", "pod"):
        content = files.get(file) or (BINDINGS / f"{file}.json").read_bytes()
        (directory / f"{file}.json").write_bytes(content)
    return directory


# The languages: each returns the command that is its program.

def python_program():
    return [sys.executable, BINDINGS / "example.py"]


def python_module():
    """Who imports the example gets its functions and its errors, and nothing is printed."""
    (SCRATCH / "importer.py").write_text(
        "import json, sys\nsys.dont_write_bytecode = True\n"
        f"sys.path.insert(0, {str(BINDINGS)!r})\nimport example\n"
        f"engine = example.Engine(open({str(BINDINGS / 'policies.json')!r}, 'rb').read())\n"
        "print(json.loads(engine.decide(b'[]'))['allowed'])\n"
        "try:\n    example.Engine(b'')\nexcept ValueError as errors:\n    print(errors)\n", encoding="utf-8")
    done = run(sys.executable, SCRATCH / "importer.py")
    if done.stdout != "False\nnot valid JSON: there is nothing\n" or done.stderr:
        yield f"prints\n{done.stdout}{done.stderr}"


def c_program():
    need((CC, "--version"))
    build(*CC.split(), "-std=c99", *WARNINGS, BINDINGS / "c" / "main.c", f"-L{SCRATCH}", "-lschedpol", "-o",
          SCRATCH / "c-example")
    return [SCRATCH / "c-example"]


def go_program():
    need(("go", "version"), (CC, "--version"))
    # Go compiles its library first, which nobody optimises here or looks at in a debugger.
    build("go", "build", "-gcflags=all=-N -l -dwarf=false", "-ldflags=-s -w", "-o", SCRATCH / "go-example",
          BINDINGS / "go" / "main.go")
    return [SCRATCH / "go-example"]


def rust_program():
    need(("rustc", "--version"), (CC, "--version"))
    build("rustc", "--edition", "2021", "-D", "warnings", BINDINGS / "rust" / "main.rs", "-L", SCRATCH, "-o",
          SCRATCH / "rust-example")
    return [SCRATCH / "rust-example"]


def readme_commands():
    """The README's commands, as they stand; only what is compiled already is not compiled again."""
    need((CC, "--version"))
    block = re.search(r"```sh\n(.*?)```", (BINDINGS / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    library, *languages = re.split(r"^(?=python3|cc |go |rustc )", block, flags=re.MULTILINE)
    compiled = LIBRARY.parent / f"{LIBRARY.name}.p" / "schedpol.cpp.o"
    archive = next(parent / "libschedpol-compiled.a" for parent in LIBRARY.parents if (parent / "build.ninja").exists())
    library, replaced = re.subn(r"-Iinclude \S+\.cpp", f"{compiled} {archive}", library)
    tools = {command.split()[0]: command for command in languages}
    if replaced != 1 or set(tools) != {"python3", "cc", "go", "rustc"}:
        yield f"the README shows {block}"
        return
    directory = SCRATCH / "readme"
    directory.mkdir()
    (directory / "examples").symlink_to(ROOT / "examples")
    for tool in {"go", "rustc"} - {tool for tool in tools if shutil.which(tool)}:
        print(f"SKIPPED {tools.pop(tool).strip()}")
    done = subprocess.run(["sh", "-ec", library + "".join(tools.values())], cwd=directory, text=True, capture_output=True,
                          env={name: value for name, value in ENVIRONMENT.items()
                               if name not in ("LD_LIBRARY_PATH", "CGO_LDFLAGS")}, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode != 0 or done.stdout != EXPECTED * len(tools):
        yield f"exit status {done.returncode}, printed\n{done.stdout}{done.stderr}"
    if f"[{LIBRARY.name}]" not in build("readelf", "-d", directory / LIBRARY.name):
        yield "the library does not say its own name"
    yield from exports_only_the_abi(directory / LIBRARY.name)


# A document that is no engine, and what every program says of it.
BAD_POLICIES = [
    (b"", "not valid JSON: there is nothing"),
    (b'{"kind": "Gateway"}', "`kind`: unsupported value `Gateway`: is no object of a scheduling policy"),
    (b'{"kind": "List", "items": [{"kind": "Gateway"}, {"metadata": {}}]}',
     "`items[0].kind`: unsupported value `Gateway`: is no object of a scheduling policy\n"
     "`items[1].kind`: required value: tells what the object is"),
    (b'{"kind": "SchedulingPolicy", "metadata": {"name": "everyone"}}',
     "`systems`: required value: which systems run has to be said"),
]


def prints_the_decision(program):
    """The one expected text with good policies; the errors and exit status 1 with bad ones."""
    command = program()
    done = run(*command, BINDINGS)
    if done.returncode != 0 or done.stdout != EXPECTED or done.stderr:
        yield f"exit status {done.returncode}, printed\n{done.stdout}{done.stderr}\nnot\n{EXPECTED}"
    for number, (policies, wanted) in enumerate(BAD_POLICIES):
        directory = SCRATCH / f"bad-{number}"
        if not directory.exists():
            directory_with(directory.name)
        (directory / "policies.json").write_bytes(policies)
        done = run(*command, directory)
        wanted_text = EXPECTED.splitlines(keepends=True)[0] + f"errors: {wanted}\n"
        if done.returncode != 1 or done.stdout != wanted_text:
            yield f"{policies}: exit status {done.returncode}, printed\n{done.stdout}{done.stderr}\nnot\n{wanted_text}"


def is_short():
    """The library stays under 150 lines and each program under 75, or the ABI is too hard to use."""
    for name, limit in (("schedpol.cpp", 150), ("example.py", 75), ("c/main.c", 75), ("go/main.go", 75),
                        ("rust/main.rs", 75)):
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


def exports_only_the_abi(library=LIBRARY):
    """Exactly what the header declares; the soversion is the version of the ABI."""
    version = re.search(r"#define SCHEDPOL_ABI_VERSION (\d+)", HEADER)[1]
    if library.name != f"libschedpol.so.{version}":
        yield f"{library.name} is not of ABI version {version}"
    need(("nm", "--version"))
    declared = set(re.findall(r"^SCHEDPOL_API .*?\b(schedpol_\w+)\(", HEADER, re.MULTILINE))
    exported = {line.split()[-1] for line in build("nm", "-D", "--defined-only", library).splitlines()}
    if not declared or exported != declared:
        yield f"not declared: {sorted(exported - declared)}, not exported: {sorted(declared - exported)}"


# The ABI through ctypes, without the checks of a wrapper.

class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class Api:
    """The functions, with texts as bytes; `data` may be None, and `length` be other than that of `data`."""

    def __init__(self):
        self.shared = ctypes.CDLL(str(LIBRARY))
        size, pointer, data = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p
        for name, result, arguments in (
                ("evaluate", Text, [data, size]), ("engine_new", pointer, [data, size, pointer]),
                ("review", Text, [pointer, data, size]), ("decide", Text, [pointer, data, size]),
                ("engine_free", None, [pointer]), ("text_free", None, [Text])):
            function = getattr(self.shared, f"schedpol_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, f"call_{name}", function)

    def take(self, text):
        if not text.data:
            raise AssertionError("a text is NULL though there is memory")
        taken = ctypes.string_at(text.data, text.length + 1)
        if taken[-1:] != b"\0":
            raise AssertionError("a text does not end with NUL")
        self.call_text_free(text)
        return taken[:-1]

    def evaluate(self, data, length):
        return json.loads(self.take(self.call_evaluate(data, length)))

    def review(self, engine, data, length):
        return json.loads(self.take(self.call_review(engine, data, length)))["response"]

    def decide(self, engine, data, length):
        return json.loads(self.take(self.call_decide(engine, data, length)))

    def new_engine(self, data, length):
        """The engine and the errors, as bytes or None."""
        errors = Text(1, 1)
        engine = self.call_engine_new(data, length, ctypes.byref(errors))
        if engine and (errors.data or errors.length):
            raise AssertionError("there are errors beside an engine")
        return engine, None if engine else self.take(errors)


REQUEST = (BINDINGS / "request.json").read_bytes()
POLICIES = (BINDINGS / "policies.json").read_bytes()
REVIEW = (BINDINGS / "review.json").read_bytes()
POD = (BINDINGS / "pod.json").read_bytes()


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
    """An error from evaluate, no engine but errors, a denial with and without an engine."""
    api = Api()
    engine, errors = api.new_engine(POLICIES, len(POLICIES))
    if not engine:
        yield f"there is no engine: {errors}"
        return
    for name, data, length, code, status in HOSTILE:
        if length is None:
            length = len(data)
        reply = api.evaluate(data, length)
        if "result" in reply or reply["error"]["code"] != code:
            yield f"{name}: evaluate answers {reply}, not {code}"
        made, errors = api.new_engine(data, length)
        if made or not errors:
            yield f"{name}: there is an engine, or no error: {errors}"
        if api.call_engine_new(data, length, None):
            yield f"{name}: there is an engine where errors are not asked for"
        is_pod = (data or b"")[:length] == b"{}"  # one without fields
        for reviewer in (engine, None):
            response = api.review(reviewer, data, length)
            if response["allowed"] is not False or response["status"]["code"] != status:
                yield f"{name}: the review is answered with {response}, not {status}"
            decision = api.decide(reviewer, data, length)
            if decision["allowed"] is not (is_pod and reviewer is engine) or bool(decision.get("errors")) is is_pod:
                yield f"{name}: the decision is {decision}"
    api.call_engine_free(engine)


def keeps_the_contract():
    """Only `length` bytes count, a NULL engine denies, NULL can be freed, every error has its line."""
    api = Api()
    engine, _ = api.new_engine(POLICIES + b"\0rubbish", len(POLICIES))
    good = allowed_review()
    if api.review(engine, good + b"}rubbish", len(good)).get("allowed") is not True:
        yield "bytes after the length count"
    if "patch" not in api.review(engine, good, len(good)):
        yield "an allowed pod gets no patch"
    denial = api.review(None, good, len(good))
    if denial["allowed"] is not False or denial["status"]["code"] != 403:
        yield f"a NULL engine answers {denial}"
    api.call_engine_free(engine)
    api.call_engine_free(None)
    api.call_text_free(Text(None, 0))
    document = (b'{"kind":"List","items":[{"kind":"Gateway"},{"metadata":{}},'
                b'{"kind":"SchedulingPolicy","metadata":{"name":"p"},"spec":[]}]}')
    _, errors = api.new_engine(document, len(document))
    lines = errors.decode().split("\n")
    if len(lines) != 3 or not all(f"items[{i}]" in line for i, line in enumerate(lines)):
        yield f"not one line for each of three errors: {lines}"


# A change of the pod of the example, what is wrong with it, and where.
DECISIONS = [
    ({}, None, None),
    ({"schedulerName": "my-scheduler"}, "SchedulerNameNotAllowed", "spec.schedulerName"),
    ({"nodeSelector": {"kubernetes.io/arch": "s390x"}}, "NodeSelectorRequired", "spec.nodeSelector[kubernetes.io/arch]"),
]


def decides():
    """The decision on an object alone is the one on the same object in a review, the patch with it; what
    warns neither denies nor changes."""
    api = Api()
    engine, _ = api.new_engine(POLICIES, len(POLICIES))
    warning = json.loads(POLICIES)
    warning["items"][0]["systems"] = [{"system": "SchedulingPolicy", "mode": "Warn"}]
    warning = json.dumps(warning).encode()
    lenient, _ = api.new_engine(warning, len(warning))
    review = json.loads(REVIEW)
    for change, code, field in DECISIONS:
        pod = json.loads(POD)
        pod["spec"].update(change)
        review["request"]["object"] = pod
        data, asked = json.dumps(pod).encode(), json.dumps(review).encode()
        decision, response = api.decide(engine, data, len(data)), api.review(engine, asked, len(asked))
        patch = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
        said = [(violation["code"], violation["field"]) for step in decision["steps"] for violation in step["violations"]]
        if decision["allowed"] != response["allowed"] or decision["allowed"] != (code is None) or decision["patch"] != patch:
            yield f"{change}: decided {decision}, answered {response}"
        if said != ([(code, field)] if code else []) or decision["steps"][0]["mode"] != "Enforce":
            yield f"{change}: the systems said {decision['steps']}"
        if decision["object"]["spec"].get("priorityClassName") != (None if code else "batch") or \
                decision["object"]["spec"]["containers"] != pod["spec"]["containers"]:
            yield f"{change}: made of it {decision['object']}"
        told = api.decide(lenient, data, len(data))
        if told["allowed"] is not True or told["object"] != pod or told["steps"][0]["mode"] != "Warn" or \
                [violation["code"] for violation in told["steps"][0]["violations"]] != ([code] if code else []):
            yield f"{change}: a warning is {told}"
    denial = api.decide(None, POD, len(POD))
    if denial != {"allowed": False, "steps": [], "object": json.loads(POD), "patch": []}:
        yield f"a NULL engine decides {denial}"
    job = b'{"kind":"Job","spec":{"template":{"spec":{"schedulerName":"my-scheduler"}}}}'
    decision = api.decide(engine, job, len(job))
    if decision["allowed"] or "spec.template.spec.schedulerName" not in str(decision["steps"]):
        yield f"of a Job it decides {decision}"
    for api_engine in (engine, lenient):
        api.call_engine_free(api_engine)


def is_shared_by_threads():
    """Threads that use one engine at once get the answers that one thread gets."""
    api = Api()
    engine, _ = api.new_engine(POLICIES, len(POLICIES))
    reviews = [REVIEW, allowed_review(), b"garbage"]
    wanted = [api.review(engine, review, len(review)) for review in reviews]
    if [response["allowed"] for response in wanted] != [False, True, False]:
        yield f"one thread gets {wanted}"
    wrong = []
    answered = []

    def ask(start):
        for i in range(start, start + 300):
            review = reviews[i % 3]
            response = api.review(engine, review, len(review))
            answered.append(start)
            if response != wanted[i % 3]:
                wrong.append(response)

    threads = [threading.Thread(target=ask, args=(start,)) for start in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    api.call_engine_free(engine)
    if wrong or len(answered) != 600:
        yield f"{len(answered)} answers, {len(wrong)} of them wrong: {wrong[:1]}"


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
static schedpol_text call(int which, schedpol_engine *engine, schedpol_engine **made) {
  schedpol_text text = {NULL, 0};
  if (which == 1) return schedpol_review(engine, bytes[1], lengths[1]);
  if (which == 2) return schedpol_decide(engine, bytes[2], lengths[2]);
  if (which > 2) return schedpol_evaluate(bytes[which], lengths[which]);
  *made = schedpol_engine_new(bytes[0], lengths[0], &text);
  return text;
}

int main(int argc, char **argv) {
  static const char *const refusals[4] = {"memory", "\"allowed\":false", "\"allowed\":false", "\"error\":"};
  schedpol_engine *engine;
  int which, wrong = 0;
  if (argc < 4 || argc > MOST) return 2;
  for (which = 0; which < argc - 1; ++which) {
    FILE *file = fopen(argv[which + 1], "rb");
    if (file == NULL) return 2;
    lengths[which] = fread(bytes[which], 1, sizeof bytes[which], file);
    fclose(file);
  }
  engine = schedpol_engine_new(bytes[0], lengths[0], NULL);
  if (engine == NULL) return 2;
  for (all_that_follow = 0; all_that_follow < 2; ++all_that_follow) {
    for (which = 0; which < argc - 1; ++which) {
      const char *const refusal = refusals[which < 3 ? which : 3];
      schedpol_engine *made = NULL;
      schedpol_text good = call(which, engine, &made);
      long n = 0, refused = 0;
      schedpol_engine_free(made);
      for (;; ++n) {
        const long before = live;
        schedpol_text text;
        made = NULL;
        failures = 0;
        until_failure = n;
        text = call(which, engine, &made);
        until_failure = -1;
        if (failures == 0) {
          schedpol_engine_free(made);
          schedpol_text_free(text);
          break;
        }
        refused += made == NULL && text.data == NULL;
        if (text.data != NULL && strstr(text.data, refusal) == NULL &&
            (good.data == NULL || strcmp(text.data, good.data) != 0)) {
          printf("call %d, allocation %ld: %s\n", which, n, text.data);
          wrong = 1;
        }
        if (text.data == NULL && text.length != 0) wrong = 1;
        schedpol_engine_free(made);
        schedpol_text_free(text);
        if (live != before) {
          printf("call %d, allocation %ld: %ld blocks are left\n", which, n, live - before);
          wrong = 1;
        }
      }
      schedpol_text_free(good);
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
        if "result" in api.evaluate(request, len(request)):
            answered.update(re.findall(r'"op": ?"([\w.]+)"', request.decode()))
    for header in (ROOT / "include" / "schedpol" / "json" / "impl" / "operations").glob("*.hpp"):
        for operation in re.findall(r'\{"(\w+\.\w+)", \w+\}', header.read_text(encoding="ascii")):
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
        done = run("valgrind", "-q", "--leak-check=full", "--error-exitcode=99", *program, directory)
        if done.returncode == 99 or done.stderr:
            yield f"{directory.name}: {done.stderr[:4000]}"


CHECKS = [
    ("short", is_short),
    ("header as C99", lambda: header_compiles(CC, "c", "c99")),
    ("header as C++", lambda: header_compiles(CXX, "c++", "c++11")),
    ("exported symbols", exports_only_the_abi),
    ("Python", lambda: prints_the_decision(python_program)),
    ("Python module", python_module),
    ("C", lambda: prints_the_decision(c_program)),
    ("Go", lambda: prints_the_decision(go_program)),
    ("Rust", lambda: prints_the_decision(rust_program)),
    ("README", readme_commands),
    ("contract", keeps_the_contract),
    ("decisions", decides),
    ("hostile bytes", answers_hostile_bytes),
    ("threads", is_shared_by_threads),
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
    compared = set()
    for name, check in CHECKS:
        try:
            problems = list(check())
            compared.add(name)
        except Skipped as why:
            print(f"SKIPPED {name}: {why}")
            continue
        except (AssertionError, OSError, RuntimeError, subprocess.TimeoutExpired) as problem:
            problems = [f"{type(problem).__name__}: {problem}"]
        print(f"{name}: {'; '.join(problems) or 'good'}", flush=True)
        failed += bool(problems)
    if failed:
        return 1
    if not compared & {"C", "Go", "Rust"}:
        print("SKIPPED: there is no other language to compare Python with")
        return 77
    return 0


try:
    STATUS = main()
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
sys.exit(STATUS)
