# SPDX-License-Identifier: Apache-2.0
"""What a change of policies does to the pods of many clusters, in this process:

    fleet.py BEFORE AFTER PODS.parquet

and what the same with DuckDB and with Spark shares: how templates are decided, and how the answer is written.

A template is what pods have in common: the text of the column `pod`, in a namespace. The operation `engine.impact`
decides on each once.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import pathlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import schedpol

#: What the Parquet has, all of it text. What is null is taken as empty, and an empty pod is one that cannot be read.
PODS = ("cluster", "namespace", "owner", "name", "pod")
COLUMNS = ("cluster", "namespace", "owner", "effect", "pods", "witness", "why")
#: Of a template that is no pod, and of one that is too large to be decided on: nobody knows what becomes of its pods.
UNREADABLE, NOT_LOOKED_AT = "Unreadable", "NotLookedAt"
#: Templates and bytes of them in one request. A document has 16 MiB at most, and both sets of policies need room in it.
MOST_TEMPLATES, MOST_BYTES = 256, 4 << 20


class Template(NamedTuple):
    namespace: str
    pod: str


class Outcome(NamedTuple):
    """What becomes of the pods of a template: `Unchanged`, `Changed`, `NewlyDenied`, `NewlyAllowed`, or one of the
    two above; and why, in a line."""

    effect: str
    why: str


class Row(NamedTuple):
    """So many pods of one owner that the change has one effect on; the one whose name comes first is the witness."""

    cluster: str
    namespace: str
    owner: str
    effect: str
    pods: int
    witness: str
    why: str


class UnreadablePods(Exception):
    """There is no such Parquet, or it lacks a column. The first line says which."""


def read_policies(folder: pathlib.Path) -> list[schedpol.JsonObject]:
    """The objects of all files in a folder. ValueError where there are none."""
    objects: list[schedpol.JsonObject] = []
    for file in sorted(folder.iterdir()):
        if file.suffix == ".json":
            objects.append(json.loads(file.read_bytes()))
        elif file.suffix in (".yaml", ".yml"):
            objects += schedpol.yaml_to_objects(file.read_bytes())
    if not objects:
        raise ValueError(f"{folder} has no policies")
    return objects


class Change:
    """Policies before and after. It can be pickled, so that Spark can send it to its workers."""

    def __init__(self, before: Sequence[schedpol.JsonObject], after: Sequence[schedpol.JsonObject]) -> None:
        """SchedpolError where the policies cannot be used: what is wrong later is wrong with a pod."""
        self._before, self._after = before, after
        self._ask([])

    def decide(self, templates: Iterable[Template], threads: int = 1,
               progress: Callable[[int], None] = lambda decided: None) -> Iterator[Outcome]:
        """The outcomes of templates, in their order; `progress` is told how many more there are."""
        with ThreadPoolExecutor(threads) as pool:
            for outcomes in pool.map(self._decide_batch, _batches(templates)):
                progress(len(outcomes))
                yield from outcomes

    def _ask(self, pods: list[schedpol.JsonObject]) -> schedpol.JsonObject:
        return schedpol.evaluate("engine.impact", {"before": self._before, "after": self._after, "objects": pods})

    def _decide_batch(self, templates: Sequence[Template]) -> list[Outcome]:
        try:
            pods = [_pod(template, f"pod-{place}") for place, template in enumerate(templates)]
            reply = self._ask(pods)
        except (ValueError, RecursionError) as error:  # one of them is no pod
            if len(templates) == 1:
                return [Outcome(UNREADABLE, str(error))]
            half = len(templates) // 2
            return self._decide_batch(templates[:half]) + self._decide_batch(templates[half:])
        outcomes = [Outcome("Unchanged", "")] * len(templates)
        for group in reply["groups"]:
            outcome = Outcome(group["change"], _why(group))
            for name in group["objects"]:
                outcomes[int(name.rpartition("-")[2])] = outcome
        rest = reply["counts"].get("notLookedAt", 0)
        if rest == 0:
            return outcomes
        looked_at = len(templates) - rest
        if looked_at == 0:
            outcomes[0] = Outcome(NOT_LOOKED_AT, "it takes too many steps, or too much memory")
            looked_at = 1
        return outcomes[:looked_at] + (self._decide_batch(templates[looked_at:]) if templates[looked_at:] else [])


def _batches(templates: Iterable[Template]) -> Iterator[list[Template]]:
    batch: list[Template] = []
    size = 0
    for template in templates:
        if batch and (len(batch) == MOST_TEMPLATES or size + len(template.pod) > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(template)
        size += len(template.pod)
    if batch:
        yield batch


def _pod(template: Template, name: str) -> schedpol.JsonObject:
    """The pod to ask about, called `name`."""
    pod = json.loads(template.pod)
    if not isinstance(pod, dict) or not isinstance(pod.get("metadata", {}), dict):
        raise ValueError("it is no object of Kubernetes")
    if pod.get("kind", "Pod") != "Pod":
        raise ValueError("it is no Pod")
    pod["metadata"] = pod.get("metadata", {}) | {"name": name, "namespace": template.namespace}
    return pod


def _why(group: schedpol.JsonObject) -> str:
    """The first violation, or the first field that changes, and how many more there are."""
    if group.get("violations"):
        reasons = [violation["message"] for violation in group["violations"]]
    else:
        reasons = [f"`{change['field']}`: {json.dumps(change.get('from'))} becomes {json.dumps(change.get('to'))}"
                   for change in group.get("changes", [])]
    if not reasons:  # they are said of another template: there are too many in one reply
        return ""
    more = len(reasons) - 1 + group.get("moreViolations", 0) + group.get("moreChanges", 0)
    first = " ".join(str(reasons[0]).split())
    return f"{first} (and {more} more)" if more else first


class ProgressBar:
    """On standard error where that is a terminal, and nowhere else."""

    def __init__(self, total: int) -> None:
        self._total, self._decided = total, 0

    def __call__(self, decided: int) -> None:
        self._decided += decided
        if sys.stderr.isatty():
            filled = 40 * self._decided // self._total
            end = "\n" if self._decided == self._total else ""
            sys.stderr.write(f"\r[{'#' * filled:<40}] {self._decided:,} of {self._total:,} templates{end}")
            sys.stderr.flush()


def decide(change: Change, parquet: str, threads: int) -> list[Row]:
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(parquet)
    except (OSError, pyarrow.ArrowException) as error:
        raise UnreadablePods(f"{parquet}: {error}") from error
    if missing := [name for name in PODS if name not in file.schema_arrow.names]:
        raise UnreadablePods(f"{parquet}: it has no {', '.join(missing)}")

    def pods() -> Iterator[tuple[str, str, str, str, str]]:
        for batch in file.iter_batches(columns=list(PODS)):
            yield from zip(*(column.fill_null("").to_pylist() for column in batch.columns))

    templates: dict[Template, Template] = {}  # each to the one that is kept of it
    counts: dict[tuple[str, str, str, Template], tuple[int, str]] = {}
    for cluster, namespace, owner, name, pod in pods():
        template = Template(namespace, pod)
        key = (cluster, namespace, owner, templates.setdefault(template, template))
        count, first = counts.get(key, (0, name))
        counts[key] = (count + 1, min(first, name))
    outcomes = dict(zip(templates, change.decide(templates, threads, ProgressBar(len(templates)))))
    rows: dict[tuple[str, str, str, str], tuple[int, tuple[str, str]]] = {}
    for (cluster, namespace, owner, template), (count, name) in counts.items():
        effect, why = outcomes[template]
        if effect != "Unchanged":
            total, witness = rows.get((cluster, namespace, owner, effect), (0, (name, why)))
            rows[cluster, namespace, owner, effect] = (total + count, min(witness, (name, why)))
    return [Row(*key, total, *witness) for key, (total, witness) in rows.items()]


def main(description: str, decide: Callable[[Change, str, int], list[Row]]) -> int:
    """Prints the rows, tab-separated, and a line of sums on standard error. 1 where a pod could not be decided on, 2
    where the policies or the Parquet cannot be used."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("before", type=pathlib.Path, help="folder of policies, YAML or JSON")
    parser.add_argument("after", type=pathlib.Path, help="folder of the changed policies")
    parser.add_argument("pods", help="Parquet with cluster, namespace, owner, name, pod")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    try:
        change = Change(read_policies(arguments.before), read_policies(arguments.after))
    except (OSError, ValueError, NotImplementedError) as error:
        print(error, file=sys.stderr)
        return 2
    try:
        rows = sorted(decide(change, arguments.pods, arguments.threads))
    except UnreadablePods as error:
        print(str(error).partition("\n")[0], file=sys.stderr)
        return 2
    print(*COLUMNS, sep="\t")
    for row in rows:
        print(*row, sep="\t")
    sums = {effect: sum(row.pods for row in same)
            for effect, same in itertools.groupby(sorted(rows, key=lambda row: row.effect), lambda row: row.effect)}
    print(", ".join(f"{count:,} {effect}" for effect, count in sums.items()) or "no pod is affected", file=sys.stderr)
    return 1 if sums.keys() & {UNREADABLE, NOT_LOOKED_AT} else 0


if __name__ == "__main__":
    sys.exit(main("in this process", decide))
