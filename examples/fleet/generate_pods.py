# SPDX-License-Identifier: Apache-2.0
"""Writes a Parquet of pods: generate_pods.py FILE [PODS [TEMPLATES [CLUSTERS]]]; 1,000,000 of 5,000 in 40 without."""

import json
import sys

import pyarrow
import pyarrow.parquet

KINDS = ("ReplicaSet", "StatefulSet", "DaemonSet", "Job")
ROWS_AT_ONCE = 50_000


def template(number: int) -> tuple[str, str, str]:
    """Namespace, owner and pod: one in 20 has a scheduler of its own, one in 50 asks for GPUs, one has no priority, and
    one asks for a scheduler that nobody allows."""
    namespace, kind, name = f"team-{number % 200}", KINDS[number % len(KINDS)], f"service-{number}"
    spec: dict[str, object] = {
        "containers": [{"name": container, "image": f"registry.example.com/{name}/{container}:1.{number}",
                        "env": [{"name": f"SETTING_{i}", "value": f"value {i} of {name}"} for i in range(10)],
                        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}
                       for container in ("main", "proxy")]}
    if number % 20 == 3:
        spec["schedulerName"] = "batch-scheduler"
    if number % 50 == 7:
        spec["nodeSelector"] = {"pool": "gpu"}
    elif number % 10 == 1:
        spec["nodeSelector"] = {"pool": "batch"}
        spec["tolerations"] = [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}]
    if number % 50 != 11:
        spec["priorityClassName"] = "low"
    if number % 50 == 9:
        spec["schedulerName"] = "unknown-scheduler"
    owner = {"apiVersion": "batch/v1" if kind == "Job" else "apps/v1", "kind": kind, "name": name, "controller": True}
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": spec,
           "metadata": {"namespace": namespace, "labels": {"app": name}, "ownerReferences": [owner]}}
    return namespace, f"{kind}/{name}", json.dumps(pod)


def main(file: str, pods: int = 1_000_000, templates: int = 5_000, clusters: int = 40) -> None:
    made = [template(number) for number in range(templates)]
    schema = pyarrow.schema([(name, pyarrow.string()) for name in ("cluster", "namespace", "owner", "name", "pod")])
    with pyarrow.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for start in range(0, pods, ROWS_AT_ONCE):
            rows = []
            for number in range(start, min(start + ROWS_AT_ONCE, pods)):
                namespace, owner, pod = made[number % templates]
                cluster = f"cluster-{number // templates % clusters:02}"
                rows.append((cluster, namespace, owner, f"{owner.partition('/')[2]}-{number}", pod))
            writer.write_table(pyarrow.table([pyarrow.array(column) for column in zip(*rows)], schema=schema))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
