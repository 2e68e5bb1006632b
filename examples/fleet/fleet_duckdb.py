# SPDX-License-Identifier: Apache-2.0
"""The same as fleet.py with DuckDB, which goes through the pods on all processors:

    fleet_duckdb.py BEFORE AFTER PODS.parquet
"""

import sys

import duckdb
import fleet
import pyarrow


def decide(change: fleet.Change, parquet: str, threads: int) -> list[fleet.Row]:
    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    columns = ", ".join(f"coalesce({name}, '') AS {name}" for name in fleet.PODS)
    try:
        connection.read_parquet(parquet).project(columns).create_view("pods")
    except duckdb.Error as error:
        raise fleet.UnreadablePods(f"{parquet}: {error}") from error
    connection.execute("CREATE TEMP TABLE templates AS SELECT DISTINCT namespace, pod FROM pods")
    [(count,)] = connection.execute("SELECT count(*) FROM templates").fetchall()
    progress = fleet.ProgressBar(count)

    def outcome(namespaces: pyarrow.ChunkedArray, pods: pyarrow.ChunkedArray) -> pyarrow.Array:
        templates = map(fleet.Template, namespaces.to_pylist(), pods.to_pylist())
        effects, reasons = zip(*change.decide(templates, threads, progress))
        return pyarrow.StructArray.from_arrays([pyarrow.array(effects), pyarrow.array(reasons)], ["effect", "why"])

    connection.create_function("outcome", outcome, ["VARCHAR", "VARCHAR"], "STRUCT(effect VARCHAR, why VARCHAR)",
                               type="arrow")
    connection.execute("""
        CREATE TEMP TABLE outcomes AS
        SELECT namespace, pod, outcome(namespace, pod) AS outcome FROM templates""")
    rows = connection.execute("""
        SELECT cluster, namespace, owner, outcome.effect, count(*), min({name: name, why: outcome.why}) AS witness
        FROM pods JOIN outcomes USING (namespace, pod)
        WHERE outcome.effect <> 'Unchanged'
        GROUP BY ALL""").fetchall()
    return [fleet.Row(*row[:5], witness["name"], witness["why"]) for *row, witness in rows]


if __name__ == "__main__":
    sys.exit(fleet.main("with DuckDB", decide))
