# SPDX-License-Identifier: Apache-2.0
"""Evaluates Kubernetes pod scheduling policies: what a cluster with these policies makes of an object, and why.

    engine = schedpol.Engine(pathlib.Path("policies.json").read_bytes())
    decision = engine.decide({"kind": "Pod", "spec": {"schedulerName": "mine"}})
    decision.allowed, decision.reasons, decision.nearest_fix, decision.patch

Documents and objects are JSON, as bytes or text, or what `json.loads` makes of it. What cannot be read or used raises
`SchedpolError`; a denial is a `Decision`. Any number of threads may use an engine; the interpreter's lock is released
while the library works.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union, overload

from . import _native

__version__ = _native.version()
__all__ = ["CreatedObject", "Decision", "Engine", "Problem", "SchedpolError", "Suggestion", "as_created", "evaluate", "suggest",
           "yaml_to_objects"]

JsonObject = dict[str, Any]
Document = Union[bytes, str, Mapping[str, Any]]
Documents = Union[Document, Iterable[Document]]
Phase = Literal["Mutating", "Validating"]

_OK, _REFUSED, _NO_ENGINE, _NO_MEMORY, _INVALID_ARGUMENT, _UNSUPPORTED = range(6)

if _native.abi_version() != 1:
    raise ImportError("libschedpol is of another ABI version")


@dataclass(frozen=True)
class Problem:
    """Something that is wrong: a word for what, the place in what was given, and a line for a person."""

    code: str
    field: str
    message: str

    def __str__(self) -> str:
        return self.message


class SchedpolError(ValueError):
    """What was given cannot be read or used: `problems` are all that is wrong, `code` and `field` those of the
    first. That is no decision; whoever needs one has to deny."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)
        self.code = self.problems[0].code
        self.field = self.problems[0].field

    def __reduce__(self) -> tuple[type[SchedpolError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


@dataclass(frozen=True)
class Decision:
    """What becomes of an object. Truth is not asked of it, but of `allowed`."""

    allowed: bool
    #: What each system said: system, mode, violations, changes.
    steps: list[JsonObject]
    #: With the changes of all systems that enforce; as it came where it is denied.
    object: JsonObject
    #: The JSON Patch (RFC 6902) from the object that came to `object`.
    patch: list[JsonObject]
    #: What is odd but allowed.
    warnings: list[str]
    #: The fewest changes after which a denied object is allowed, where there are any: field, from, to.
    nearest_fix: list[JsonObject]
    #: What nothing governs, and so nothing denies: field, value (`options.governs` of the EngineConfiguration).
    ungoverned: list[JsonObject]
    #: Of an object of `decide_many` that cannot be read; it is denied.
    problems: tuple[Problem, ...] = ()

    @property
    def reasons(self) -> list[str]:
        """Why it is denied, a line each."""
        if self.allowed:
            return []
        said = [violation["message"] for step in self.steps if step["mode"] == "Enforce" for violation in step["violations"]]
        return said + [problem.message for problem in self.problems]

    def __bool__(self) -> bool:
        raise TypeError("ask the decision for `allowed`")


@dataclass(frozen=True)
class CreatedObject:
    """What a pod was when it was created."""

    #: `Created`, `ItStands` of what nobody stored and of a workload, `Undecided` of one that may have named its node;
    #: `MirrorPod` and `Terminal` of what is not looked at.
    asked_as: str
    #: None of what is not looked at.
    object: JsonObject | None
    #: The JSON Patch (RFC 6902) from the object that came to `object`.
    patch: list[JsonObject]


@dataclass(frozen=True)
class Suggestion:
    """The least policies, roles and bindings under which objects are allowed, why, and the proof by deciding."""

    #: Kubernetes objects.
    policies: list[JsonObject]
    roles: list[JsonObject]
    bindings: list[JsonObject]
    #: Why each entry of a policy is there: policy, entry, value, pods, others, accounts, example, and where they are
    #: known nodes and preempted (count, all).
    entries: list[JsonObject]
    #: Whose need nobody can tell: owner, pods, reason, violations.
    undecided: list[JsonObject]
    #: Whom no permission helps; the same.
    unsatisfiable: list[JsonObject]
    #: Grants of an entry to a service account that does not need it.
    excess: int
    #: Owners, and how many of them would be denied by what the others need if each is left out in turn.
    fragile: JsonObject
    #: What deciding shows: allowed, denied, undecided, entries, subjects, needlessEntries, needlessSubjects.
    proof: JsonObject

    @property
    def objects(self) -> list[JsonObject]:
        """All that is suggested, as documents for an Engine."""
        return [*self.policies, *self.roles, *self.bindings]


def _listed(name: str, given: Any) -> Any:
    """What was given, but a text or an object, which would be iterated letter by letter and key by key."""
    if isinstance(given, (str, bytes, bytearray, Mapping)):
        raise TypeError(f"`{name}` must be a list, not {type(given).__name__}")
    return given


def _bytes(document: Document) -> bytes:
    if isinstance(document, bytes):
        return document
    return (document if isinstance(document, str) else json.dumps(document)).encode()


def _problems(text: bytes) -> list[Problem]:
    return [Problem(**problem) for problem in json.loads(text)]


def _error(status: int, text: bytes) -> Exception:
    if status == _REFUSED:
        return SchedpolError(_problems(text))
    if status == _NO_MEMORY:
        return MemoryError()
    if status == _NO_ENGINE:
        return ValueError("the engine is closed")
    if status == _UNSUPPORTED:
        return NotImplementedError("this build of schedpol has no libyaml")
    return ValueError(f"schedpol answers {status}")


def _decision(text: bytes) -> Decision:
    said = json.loads(text)
    return Decision(said["allowed"], said["steps"], said["object"], said["patch"], said.get("warnings", []),
                    said.get("nearestFix", []), said.get("ungoverned", []))


def _asked(old: Document | None, operation: str | None, namespace: str | None, user: str | None,
           groups: Iterable[str], phase: Phase | None) -> bytes | None:
    asked: JsonObject = {}
    if old is not None:
        asked["old"] = json.loads(old) if isinstance(old, (bytes, str)) else old
    if user is not None or groups:
        asked["user"] = {"name": user or "", "groups": list(_listed("groups", groups))}
    for name, value in (("operation", operation), ("namespace", namespace), ("phase", phase)):
        if value is not None:
            asked[name] = value
    return json.dumps(asked).encode() if asked else None


def evaluate(op: str, input: Mapping[str, Any]) -> JsonObject:
    """The result of one operation, such as `quantity.compare`; the README lists them. SchedpolError where it has an
    error."""
    reply = json.loads(evaluate_json(json.dumps({"op": op, "input": input}).encode()))
    if "error" in reply:
        raise SchedpolError([Problem(**reply["error"])])
    result: JsonObject = reply["result"]
    return result


def evaluate_json(request: bytes) -> bytes:
    """The reply to a request `{"id", "op", "input"}`, which is a result or an error, as bytes."""
    status, reply = _native.evaluate(request)
    if status != _OK:
        raise _error(status, reply)
    return reply


def _value(document: Document) -> Any:
    return json.loads(document) if isinstance(document, (bytes, bytearray, str)) else document


def _values(documents: Documents) -> Any:
    if isinstance(documents, (bytes, bytearray, str, Mapping)):
        return _value(documents)
    return [_value(document) for document in documents]


def as_created(object: Document, owners: Documents = ()) -> CreatedObject:
    """A pod that a cluster printed as it was when it was created: without what schedulers, controllers and the API
    server put in. `owners` are workloads, those that pods were made by among them."""
    said = evaluate("engine.asCreated", {"object": _value(object), "owners": _values(owners)})
    return CreatedObject(said["askedAs"], said.get("object"), said.get("patch", []))


def suggest(objects: Documents, *, configuration: Documents | None = None, nodes: Documents = (),
            subject: Literal["ServiceAccount", "Namespace"] = "ServiceAccount", common_percent: int = 0,
            generalise: Iterable[str] = (), node_names: Literal["Listed", "Any"] = "Listed", max_policies: int = 0) -> Suggestion:
    """The least SchedulingPolicies, roles and bindings under which objects are allowed, beside what is there.

    `objects` are pods and workloads as a cluster prints them, the List of `kubectl get -o json` or a list of them; a
    stored pod is asked about as it was created. `configuration` is what is there already, an EngineConfiguration among
    it; without it nothing is. `nodes` are for what entries open. What `common_percent` of the subjects need is granted
    to all, the keys of `generalise` permit any value, and 0 `max_policies` are any number.
    """
    options = {"subject": subject, "commonPercent": common_percent, "generalise": list(_listed("generalise", generalise)),
               "nodeNames": node_names, "maxPolicies": max_policies}
    input: JsonObject = {"objects": _values(objects), "nodes": _values(nodes), "options": options}
    if configuration is not None:
        input["configuration"] = _values(configuration)
    return Suggestion(**evaluate("engine.suggest", input))


def yaml_to_objects(yaml: bytes | str) -> list[JsonObject]:
    """The objects in a stream of YAML, as Kubernetes reads them. NotImplementedError where the package was built
    without libyaml."""
    status, text = _native.yaml_to_json(yaml.encode() if isinstance(yaml, str) else yaml)
    if status != _OK:
        raise _error(status, text)
    items: list[JsonObject] = json.loads(text)["items"]
    return items


class Engine:
    """Policies and settings, compiled: an EngineConfiguration, and policies, RuntimeClasses, Namespaces, roles and
    bindings, in any number of documents. It never changes; `with_objects` and `without_objects` make another one.

    A document that cannot be read, or no EngineConfiguration, is SchedpolError. A single object that is wrong stops
    none of the others: it denies what it might have been about, and is one of `problems`.

    It is of one process, and cannot be copied or pickled: send its documents, and make it there.
    """

    def __init__(self, *documents: Document) -> None:
        self._take(*_native.engine_new([_bytes(document) for document in documents]))

    def _take(self, status: int, errors: bytes, number: int) -> None:
        if status != _OK:
            raise _error(status, errors)
        self._number = number
        self._finalizer = weakref.finalize(self, _native.engine_free, number)

    def _changed(self, status: int, errors: bytes, number: int) -> Engine:
        changed = Engine.__new__(Engine)
        changed._take(status, errors, number)
        return changed

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("an Engine cannot be copied or pickled: send its documents, and make it there")

    def with_objects(self, *documents: Document) -> Engine:
        """This engine with these objects in the place of those that are called like them, or beside the others."""
        return self._changed(*_native.engine_with(self._number, [_bytes(document) for document in documents]))

    def without_objects(self, *documents: Document) -> Engine:
        """This engine without the objects that are called like these, by kind, namespace and name."""
        return self._changed(*_native.engine_without(self._number, [_bytes(document) for document in documents]))

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with objects that cannot be used."""
        status, text = _native.engine_problems(self._number)
        if status != _OK:
            raise _error(status, text)
        return _problems(text)

    def decide(self, object: Document, *, old: Document | None = None, operation: str | None = None,
               namespace: str | None = None, user: str | None = None, groups: Iterable[str] = (),
               phase: Phase | None = None) -> Decision:
        """What becomes of an object. With `old` it is an update. One without a kind is a Pod; one without a
        namespace, where none is named here, is in `default`."""
        return _decision(self.decide_json(_bytes(object), _asked(old, operation, namespace, user, groups, phase)))

    def decide_json(self, object: bytes, asked: bytes | None = None) -> bytes:
        """The same as bytes; `asked` is an object of what `decide` takes besides."""
        status, text = _native.decide(self._number, object, asked)
        if status != _OK:
            raise _error(status, text)
        return text

    @overload
    def decide_many(self, objects: Iterable[Document], *, namespace: str | None = ..., user: str | None = ...,
                    groups: Iterable[str] = ..., phase: Phase | None = ..., threads: int = ...) -> list[Decision]: ...

    @overload
    def decide_many(self, objects: Any, *, namespace: str | None = ..., user: str | None = ...,
                    groups: Iterable[str] = ..., phase: Phase | None = ..., threads: int = ...) -> Any: ...

    def decide_many(self, objects: Any, *, namespace: str | None = None, user: str | None = None,
                    groups: Iterable[str] = (), phase: Phase | None = None, threads: int = 1) -> Any:
        """The same of many objects, on so many threads. One that cannot be read is denied, and says why. Of a column
        of Arrow, of strings or bytes, it makes a column of strings: decisions as JSON, where what cannot be read is
        `{"allowed": false, "problems": [...]}` and null stays null."""
        asked = _asked(None, None, namespace, user, groups, phase)
        if type(objects).__module__.partition(".")[0] == "pyarrow":
            return self._decide_column(objects, asked, threads)
        answers = _native.decide_many(self._number, [_bytes(document) for document in _listed("objects", objects)], asked, threads)
        return [_decision(text) if status == _OK else self._denied(status, text) for status, text in answers]

    def _denied(self, status: int, text: bytes) -> Decision:
        if status != _REFUSED:
            raise _error(status, text)
        return Decision(False, [], {}, [], [], [], [], tuple(_problems(text)))

    def _decide_column(self, column: Any, asked: bytes | None, threads: int) -> Any:
        import pyarrow

        values = [value.encode() if isinstance(value, str) else value for value in column.to_pylist()]
        there = [value for value in values if value is not None]
        decisions = []
        for status, text in _native.decide_many(self._number, there, asked, threads):
            if status not in (_OK, _REFUSED):
                raise _error(status, text)
            decisions.append(text if status == _OK else b'{"allowed":false,"problems":' + text + b"}")
        made = iter(decisions)
        return pyarrow.array([None if value is None else next(made).decode() for value in values], pyarrow.large_string())

    def review(self, review: Document, phase: Phase = "Mutating") -> bytes:
        """The AdmissionReview that answers one, for a webhook's response. A denial answers whatever cannot be read."""
        status, text = _native.review(self._number, _bytes(review), ("Mutating", "Validating").index(phase))
        if status != _OK:
            raise _error(status, text)
        return text

    def close(self) -> None:
        """Frees the engine; what is asked of it afterwards is ValueError. It is freed with the object, too."""
        self._finalizer()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
