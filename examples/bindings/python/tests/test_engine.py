# SPDX-License-Identifier: Apache-2.0
"""An engine and its decisions, and what is refused."""

import base64
import copy
import importlib.metadata
import json
import pathlib
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import schedpol
from inputs import BINDINGS, CHANGED, DECISIONS, DENIED, GPU_TEAM, POLICIES, REVIEW


@pytest.fixture
def engine() -> schedpol.Engine:
    return schedpol.Engine(POLICIES)


def test_the_package_is_of_the_version_of_the_library() -> None:
    assert importlib.metadata.version("schedpol") == schedpol.__version__


def test_the_example_prints_the_decisions() -> None:
    example = pathlib.Path(__file__).parents[1] / "example.py"
    done = subprocess.run([sys.executable, example, BINDINGS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, DECISIONS, "")


@pytest.mark.parametrize("form", [bytes, bytes.decode, json.loads], ids=["bytes", "text", "objects"])
def test_documents_come_as_bytes_as_text_and_as_objects(form: Callable[[bytes], Any]) -> None:
    decision = schedpol.Engine(form(POLICIES)).decide(form(CHANGED))
    assert decision.allowed
    assert decision.object["spec"]["priorityClassName"] == "batch"
    assert decision.patch[0] == {"op": "add", "path": "/spec/priorityClassName", "value": "batch"}
    assert decision.reasons == []


def test_a_denied_object_says_why_and_what_would_help(engine: schedpol.Engine) -> None:
    decision = engine.decide(DENIED)
    assert not decision.allowed
    assert decision.object == json.loads(DENIED)
    assert decision.patch == []
    assert "scheduler `my-scheduler` is not allowed" in decision.reasons[0]
    assert decision.nearest_fix[0]["field"] == "spec.schedulerName"


def test_what_nothing_governs_is_told(engine: schedpol.Engine) -> None:
    decision = engine.decide({"kind": "Pod", "spec": {"runtimeClassName": "gvisor"}})
    assert decision.allowed
    assert decision.ungoverned == [{"field": "spec.runtimeClassName", "value": "gvisor"}]
    assert engine.decide(CHANGED).ungoverned == []


def test_the_truth_of_a_decision_is_not_asked(engine: schedpol.Engine) -> None:
    with pytest.raises(TypeError):
        bool(engine.decide(DENIED))


@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.copy, copy.deepcopy], ids=["pickled", "copied", "copied deeply"])
def test_an_engine_is_not_taken_for_that_of_another_process(engine: schedpol.Engine, duplicate: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="documents"):
        duplicate(engine)
    assert not engine.decide(DENIED).allowed


@pytest.mark.parametrize("duplicate", [lambda value: pickle.loads(pickle.dumps(value)), copy.copy], ids=["pickled", "copied"])
def test_decisions_and_errors_go_to_another_process(engine: schedpol.Engine, duplicate: Callable[[Any], Any]) -> None:
    decision = engine.decide(DENIED)
    assert duplicate(decision) == decision
    with pytest.raises(schedpol.SchedpolError) as raised:
        engine.decide({"kind": "Pod", "spec": {"nodeName": 1}})
    again = duplicate(raised.value)
    assert (type(again), str(again), again.problems) == (schedpol.SchedpolError, str(raised.value), raised.value.problems)
    assert (again.code, again.field) == (raised.value.code, raised.value.field)


@pytest.mark.parametrize("text", ["system:masters", b"system:masters", {"system:masters": True}], ids=["text", "bytes", "object"])
def test_a_text_is_no_list_of_groups(engine: schedpol.Engine, text: Any) -> None:
    with pytest.raises(TypeError, match="`groups` must be a list"):
        engine.decide(DENIED, groups=text)
    with pytest.raises(TypeError, match="`groups` must be a list"):
        engine.decide_many([DENIED], groups=text)


@pytest.mark.parametrize("document", [DENIED, DENIED.decode(), json.loads(DENIED)], ids=["bytes", "text", "object"])
def test_a_document_is_no_list_of_objects(engine: schedpol.Engine, document: Any) -> None:
    with pytest.raises(TypeError, match="`objects` must be a list"):
        engine.decide_many(document)


def test_what_is_asked_besides_is_asked() -> None:
    rbac = json.loads(POLICIES)
    rbac["items"][0]["policyUse"] = "Rbac"
    engine = schedpol.Engine(rbac, {"kind": "ClusterRole", "metadata": {"name": "use"}, "rules": [
        {"apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"], "verbs": ["use"]}]},
        {"kind": "ClusterRoleBinding", "metadata": {"name": "use"}, "roleRef": {"kind": "ClusterRole", "name": "use"},
         "subjects": [{"kind": "ServiceAccount", "namespace": "research", "name": "default"}]})
    pod = json.loads(CHANGED)
    del pod["metadata"]["namespace"]
    assert not engine.decide(pod).allowed
    assert engine.decide(pod, namespace="research").allowed
    with pytest.raises(schedpol.SchedpolError) as refused:
        engine.decide(pod, operation="UPDATE")
    assert (refused.value.code, refused.value.field) == ("InvalidRequest", "old")
    updated = engine.decide(pod, old=pod, namespace="research", phase="Validating", user="jo", groups=["dev"])
    assert updated.allowed and updated.patch == []


@pytest.mark.parametrize(("documents", "code", "field"), [
    ([b""], "FieldValueInvalid", "documents[0]"),
    ([POLICIES, {"kind": "Gateway"}], "FieldValueNotSupported", "documents[1].kind"),
    ([GPU_TEAM], "FieldValueRequired", "systems"),
    ([], "FieldValueRequired", "systems"),
])
def test_what_is_no_engine_is_an_error_with_code_and_field(documents: list[schedpol.Document], code: str, field: str) -> None:
    with pytest.raises(schedpol.SchedpolError) as refused:
        schedpol.Engine(*documents)
    assert (refused.value.code, refused.value.field) == (code, field)
    assert str(refused.value) == "\n".join(problem.message for problem in refused.value.problems)


@pytest.mark.parametrize(("object", "code", "field"), [
    (b"", "InvalidJson", "object"),
    (b'{"spec": {}}, "user": {"name": "admin"}', "InvalidJson", "object"),
    (b'{"spec": 5}', "InvalidObject", "object.spec"),
    (b"[" * 1000, "LimitExceeded", "object"),
])
def test_what_cannot_be_read_is_an_error_and_no_decision(engine: schedpol.Engine, object: bytes, code: str, field: str) -> None:
    with pytest.raises(schedpol.SchedpolError) as refused:
        engine.decide(object)
    assert refused.value.code == code
    assert refused.value.field.startswith(field)


def test_an_engine_changes_by_another_one(engine: schedpol.Engine) -> None:
    stricter = engine.without_objects({"kind": GPU_TEAM["kind"], "metadata": GPU_TEAM["metadata"]})
    assert engine.decide(CHANGED).allowed and not stricter.decide(CHANGED).allowed
    assert stricter.with_objects(GPU_TEAM).decide(CHANGED).allowed
    with pytest.raises(schedpol.SchedpolError):
        engine.with_objects(POLICIES)


def test_an_object_that_is_wrong_is_a_problem_and_denies(engine: schedpol.Engine) -> None:
    assert engine.problems == []
    broken = engine.with_objects({**GPU_TEAM, "spec": {"allowed": []}})
    assert [problem.field for problem in broken.problems] == ["SchedulingPolicy[gpu-team].spec.allowed"]
    assert not broken.decide(CHANGED).allowed


def test_a_closed_engine_is_an_error_however_often_it_is_closed() -> None:
    with schedpol.Engine(POLICIES) as engine:
        kept = engine.with_objects(GPU_TEAM)
    engine.close()
    asked: list[Callable[[], object]] = [lambda: engine.decide(CHANGED), lambda: engine.decide_many([CHANGED]),
                                         lambda: engine.review(REVIEW), lambda: engine.problems,
                                         lambda: engine.with_objects(GPU_TEAM), lambda: engine.without_objects(GPU_TEAM)]
    for ask in asked:
        with pytest.raises(ValueError, match="closed"):
            ask()
    assert kept.decide(CHANGED).allowed


def test_a_review_is_answered_by_one(engine: schedpol.Engine) -> None:
    response = json.loads(engine.review(REVIEW))["response"]
    assert response["allowed"] is False and response["status"]["code"] == 403
    review = json.loads(REVIEW)
    review["request"]["object"] = json.loads(CHANGED)
    patch = json.loads(base64.b64decode(json.loads(engine.review(review))["response"]["patch"]))
    assert patch == engine.decide(CHANGED).patch
    assert json.loads(engine.review(b"garbage", "Validating"))["response"]["allowed"] is False


def test_many_are_decided_as_one_by_one(engine: schedpol.Engine) -> None:
    objects: list[schedpol.Document] = [CHANGED, DENIED, json.loads(CHANGED)] * 7
    for threads in (1, 2, 50):
        assert engine.decide_many(objects, threads=threads) == [engine.decide(object) for object in objects]
    bad = engine.decide_many([CHANGED, b"garbage"])[1]
    assert not bad.allowed and bad.problems[0].code == "InvalidJson" and bad.reasons == [bad.problems[0].message]
    assert engine.decide_many([]) == []


def test_a_column_of_arrow_is_decided_on(engine: schedpol.Engine) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    objects = [CHANGED.decode(), None, "garbage", DENIED.decode()]
    column = pyarrow.array(objects)
    for given in (column, pyarrow.chunked_array([column[:2], column[2:]]), column.cast(pyarrow.binary())):
        decided = engine.decide_many(given, threads=2)
        assert decided[1].as_py() is None
        decisions = [json.loads(text) for text in decided.to_pylist() if text is not None]
        assert [decision["allowed"] for decision in decisions] == [True, False, False]
        assert decisions[0]["patch"] == engine.decide(CHANGED).patch
        assert decisions[1]["problems"][0]["code"] == "InvalidJson"


def test_an_operation_is_evaluated() -> None:
    assert schedpol.evaluate("quantity.compare", {"a": "1Gi", "b": "1G"}) == {"compare": 1}
    with pytest.raises(schedpol.SchedpolError) as refused:
        schedpol.evaluate("quantity.compare", {"a": "1Gi", "b": "many"})
    assert (refused.value.code, refused.value.field) == ("InvalidObject", "b")


def test_yaml_is_read_where_libyaml_is() -> None:
    try:
        objects = schedpol.yaml_to_objects("kind: Pod\n---\nkind: Job\n")
    except NotImplementedError:
        pytest.skip("the package is built without libyaml")
    assert objects == [{"kind": "Pod"}, {"kind": "Job"}]
    with pytest.raises(schedpol.SchedpolError, match="2:1"):
        schedpol.yaml_to_objects(b"a: 1\na: 2\n")


@pytest.mark.parametrize("argument", [None, 5, ["{}"]])
def test_a_wrong_type_is_an_error(engine: schedpol.Engine, argument: Any) -> None:
    with pytest.raises((TypeError, AttributeError, schedpol.SchedpolError)):
        engine.decide(argument)


STORED = {"uid": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}
RUNNING = {"kind": "Pod", "metadata": {"name": "web-0", "namespace": "shop", "ownerReferences": [
    {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "controller": True}], **STORED}, "spec": {
    "nodeName": "n1", "tolerations": [{"key": "gpu", "operator": "Exists"}]}}


def test_a_pod_is_told_as_it_was_created() -> None:
    created = schedpol.as_created(json.dumps(RUNNING), [])
    assert created.asked_as == "Created"
    assert created.patch == [{"op": "remove", "path": "/spec/nodeName"}]
    assert created.object is not None and "nodeName" not in created.object["spec"]
    done = schedpol.as_created({**RUNNING, "status": {"phase": "Succeeded"}})
    assert (done.asked_as, done.object, done.patch) == ("Terminal", None, [])


def test_what_is_suggested_allows_what_runs() -> None:
    settings = {"kind": "EngineConfiguration", "systems": [{"system": "SchedulingPolicy"}]}
    suggestion = schedpol.suggest([RUNNING], configuration=[settings], generalise=["disk"])
    assert [entry["entry"] for entry in suggestion.entries] == ["allowed.schedulerNames[0]", "allowed.tolerations[0]"]
    assert suggestion.proof["allowed"] == 1 and suggestion.excess == 0
    created = schedpol.as_created(RUNNING).object
    assert created is not None
    assert not schedpol.Engine(settings).decide(created).allowed
    assert schedpol.Engine(settings, *suggestion.objects).decide(created).allowed
    # As kubectl prints it, and what is there is not suggested again.
    listed = json.dumps({"kind": "List", "apiVersion": "v1", "items": [RUNNING]})
    again = schedpol.suggest(listed, configuration=[settings, *suggestion.objects])
    assert again.objects == [] and again.proof["allowed"] == 1


def test_what_cannot_be_suggested_is_an_error() -> None:
    for wrong, field in (({"objects": [{"kind": "Pod", "spec": 1}]}, "objects[0].spec"),
                         ({"objects": [], "common_percent": 101}, "options.commonPercent"),
                         ({"objects": [], "configuration": []}, "configuration.systems")):
        with pytest.raises(schedpol.SchedpolError) as raised:
            schedpol.suggest(**wrong)
        assert raised.value.field == field
    with pytest.raises(TypeError, match="`generalise` must be a list"):
        schedpol.suggest([], generalise="disk")
