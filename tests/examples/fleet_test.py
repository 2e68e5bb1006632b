# SPDX-License-Identifier: Apache-2.0
"""A change of policies against 20,000 pods of 40 clusters, by one of the programs of examples/fleet: it says of each
owner what the operation engine.impact says of the pods themselves, and decides on each template once.

    fleet_test.py SOURCE_ROOT fleet|fleet_duckdb|fleet_spark
"""

import collections
import contextlib
import importlib
import io
import json
import pathlib
import sys
import tempfile

import pyarrow
import pyarrow.parquet
import schedpol

FLEET = pathlib.Path(sys.argv[1]).resolve() / "examples" / "fleet"
sys.path.insert(0, str(FLEET))
sys.dont_write_bytecode = True
fleet = importlib.import_module("fleet")
generate_pods = importlib.import_module("generate_pods")
program = importlib.import_module(sys.argv[2])

BEFORE, AFTER = (fleet.read_policies(FLEET / name) for name in ("before", "after"))
PODS, TEMPLATES, CLUSTERS = 20_000, 250, 40


def pod(**spec):
    return json.dumps({"kind": "Pod", "spec": spec})


# Pods of a cluster of their own: cluster, namespace, owner, name and pod; and the rows that are said of them.
ODD_PODS = [
    # An owner in the middle of a roll-out: its pods are of four templates, of which three are denied.
    ("odd", "shop", "ReplicaSet/web", "web-2", pod(schedulerName="batch-scheduler")),
    ("odd", "shop", "ReplicaSet/web", "web-1", pod(schedulerName="batch-scheduler", priorityClassName="low")),
    ("odd", "shop", "ReplicaSet/web", "web-3", pod(schedulerName="batch-scheduler", priorityClassName="standard")),
    ("odd", "shop", "ReplicaSet/web", "web-0", pod(priorityClassName="low")),
    ("odd", "shop", "Pod/a", "a", "{"),
    ("odd", "shop", "Pod/b", "b", None),
    ("odd", "shop", "Pod/c", "c", "[]"),
    ("odd", "shop", "Pod/d", "d", json.dumps({"kind": "Deployment"})),
    ("odd", "shop", "Pod/e", "e", json.dumps({"kind": "Pod", "spec": {"tolerations": 1}})),
    ("odd", "shop", "Pod/f", "f", json.dumps({"kind": "Pod", "metadata": 1})),
    (None, None, None, None, None),
]
ODD_ROWS = [
    ("", "", "", "Unreadable", 1, ""),
    *(("odd", "shop", f"Pod/{name}", "Unreadable", 1, name) for name in "abcdef"),
    ("odd", "shop", "ReplicaSet/web", "NewlyDenied", 3, "web-1"),
]


def write_odd_pods(file):
    columns = [pyarrow.array(column, pyarrow.string()) for column in zip(*ODD_PODS)]
    pyarrow.parquet.write_table(pyarrow.table(columns, names=fleet.PODS), file)


def by_impact(pods):
    """What engine.impact says of pods: how many there are by namespace, owner and effect, and the first by name."""
    objects = []
    for row in pods:
        made = json.loads(row["pod"])
        made["metadata"]["name"] = row["name"]
        objects.append(made)
    said = schedpol.evaluate("engine.impact", {"before": BEFORE, "after": AFTER, "objects": objects})
    assert "notLookedAt" not in said["counts"]
    found = collections.defaultdict(list)
    for group in said["groups"]:
        owner = group["owner"]
        found[owner["namespace"], f"{owner['kind']}/{owner['name']}", group["change"]] += group["objects"]
    return {key: (len(names), min(names).removeprefix("Pod/")) for key, names in found.items()}


def check_pods(file):
    """As engine.impact says of the pods of some of the clusters; each template is asked about once."""
    asked = []

    class Counted(fleet.Change):
        def _ask(self, pods):
            asked.extend(pod["metadata"]["labels"]["app"] for pod in pods)
            return super()._ask(pods)

    counts = sys.argv[2] != "fleet_spark"  # it decides in processes of its own
    rows = program.decide((Counted if counts else fleet.Change)(BEFORE, AFTER), str(file), 2)
    assert all(row.why for row in rows), rows
    pods = pyarrow.parquet.read_table(file).to_pylist()
    for cluster in ("cluster-00", "cluster-17", "cluster-39"):
        said = {(row.namespace, row.owner, row.effect): (row.pods, row.witness)
                for row in rows if row.cluster == cluster}
        expected = by_impact([row for row in pods if row["cluster"] == cluster])
        assert {effect for _, _, effect in expected} == {"Changed", "NewlyDenied", "NewlyAllowed"}, expected
        assert said == expected, (said, expected)
    assert not counts or sorted(asked) == sorted(f"service-{number}" for number in range(TEMPLATES)), sorted(asked)


def check_namespaces():
    """A pod is in the namespace of its row, whatever it says itself."""
    configuration = {"kind": "EngineConfiguration", "systems": [{"system": "MetadataPolicy"}]}
    reject = {"kind": "MetadataPolicy", "metadata": {"name": "none", "namespace": "shop"}, "spec": {"rules": [
        {"policyPredicate": {"labelSelector": {"matchLabels": {"app": "web"}}}, "policyAction": {"reject": True}}]}}
    web = json.dumps({"metadata": {"namespace": "elsewhere", "labels": {"app": "web"}}, "spec": {}})
    change = fleet.Change([configuration], [configuration, reject])
    said = change.decide(fleet.Template(namespace, web) for namespace in ("shop", "elsewhere"))
    assert [outcome.effect for outcome in said] == ["NewlyDenied", "Unchanged"]


def check_parts():
    """An impact that does not look at all that it is asked about is asked about the rest; what it never looks at is
    said to be so."""

    class Tired(fleet.Change):
        def _ask(self, pods):
            names = [pod["spec"]["name"] for pod in pods]
            here = names[:0 if names[:1] == ["large"] else 2]
            here = here[:here.index("large")] if "large" in here else here
            groups = [{"change": "NewlyDenied", "objects": [f"Pod/pod-{place}"], "violations": [{"message": name}]}
                      for place, name in enumerate(here)]
            return {"counts": {"notLookedAt": len(names) - len(here)}, "groups": groups}

    cases = [[], ["a"], ["a", "b", "c", "d", "e"], ["large"], ["a", "b", "c", "large", "d"], ["a", "large"],
             ["large", "large"]]
    for names in cases:
        said = list(Tired([], []).decide(fleet.Template("shop", pod(name=name)) for name in names))
        expected = ["NotLookedAt" if name == "large" else "NewlyDenied" for name in names]
        assert [outcome.effect for outcome in said] == expected, (names, said)
        denied = [outcome.why for outcome in said if outcome.effect == "NewlyDenied"]
        assert denied == [name for name in names if name != "large"], said


def check_progress():
    """The bar is for a terminal alone."""
    bar = f"\r[{'#' * 20:<40}] 1,000 of 2,000 templates\r[{'#' * 40}] 2,000 of 2,000 templates\n"
    for terminal, expected in ((False, ""), (True, bar)):
        errors = io.StringIO()
        errors.isatty = lambda terminal=terminal: terminal
        with contextlib.redirect_stderr(errors):
            progress = fleet.ProgressBar(2_000)
            for _ in range(2):
                progress(1_000)
        assert errors.getvalue() == expected, errors.getvalue()


def check_program(file):
    """What is printed of odd pods, and the exit status."""
    unreadable = [row for row in ODD_ROWS if row[3] == "Unreadable"]
    head = fleet.COLUMNS[:6]
    cases = [("after", 1, [head, *ODD_ROWS]), ("before", 1, [head, *unreadable]), ("none", 2, [])]
    for after, status, expected in cases:
        sys.argv[1:] = [str(FLEET / "before"), str(FLEET / after), str(file), "--threads", "2"]
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            assert fleet.main("a test", program.decide) == status, errors.getvalue()
        lines = [line.split("\t") for line in out.getvalue().splitlines()]
        assert all(len(line) == len(fleet.COLUMNS) and line[6] for line in lines), lines
        assert [line[:6] for line in lines] == [[str(value) for value in row] for row in expected], lines


def check_unreadable(scratch):
    """A Parquet that cannot be used is one line, which names it."""
    no_parquet, no_pods = (pathlib.Path(scratch) / name for name in ("text.parquet", "columns.parquet"))
    no_parquet.write_text("cluster,namespace\n")
    pyarrow.parquet.write_table(pyarrow.table({"cluster": ["a"], "namespace": ["b"]}), no_pods)
    for file in (pathlib.Path(scratch) / "missing.parquet", no_parquet, no_pods):
        sys.argv[1:] = [str(FLEET / "before"), str(FLEET / "after"), str(file)]
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            assert fleet.main("a test", program.decide) == 2, file
        assert out.getvalue() == "" and errors.getvalue().count("\n") == 1 and str(file) in errors.getvalue(), errors.getvalue()


with tempfile.TemporaryDirectory() as scratch:
    pods_file, odd_file = (str(pathlib.Path(scratch) / name) for name in ("pods.parquet", "odd.parquet"))
    generate_pods.main(pods_file, PODS, TEMPLATES, CLUSTERS)
    write_odd_pods(odd_file)
    check_pods(pods_file)
    check_namespaces()
    check_parts()
    check_progress()
    check_program(odd_file)
    check_unreadable(scratch)
print(f"{program.__name__}: says of {PODS:,} pods what engine.impact does")
