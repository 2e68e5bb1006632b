# SPDX-License-Identifier: Apache-2.0
"""The same as fleet.py with Spark, for pods that one machine cannot go through:

    fleet_spark.py BEFORE AFTER PODS.parquet
    spark-submit fleet_spark.py BEFORE AFTER PODS.parquet    # on a cluster of Spark's

`--threads` are those of Spark on this machine; spark-submit's own settings take their place.
"""

import os
import sys
from collections.abc import Iterable, Iterator

import fleet
import pyarrow
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, functions


def decide(change: fleet.Change, parquet: str, threads: int) -> list[fleet.Row]:
    builder = SparkSession.builder.appName("fleet")
    builder = builder.config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit did not start this
        builder = builder.master(f"local[{threads}]")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = builder.getOrCreate()
    spark.sparkContext.addPyFile(fleet.__file__)

    def outcomes(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            namespaces, pods = (column.to_pylist() for column in batch.columns)
            decided = list(change.decide(map(fleet.Template, namespaces, pods)))
            effects, reasons = zip(*decided) if decided else ((), ())
            yield pyarrow.RecordBatch.from_arrays(
                [*batch.columns, pyarrow.array(effects, pyarrow.string()), pyarrow.array(reasons, pyarrow.string())],
                ["namespace", "pod", "effect", "why"])

    try:
        pods = spark.read.parquet(parquet).select(*fleet.PODS).na.fill("")
    except PySparkException as error:
        raise fleet.UnreadablePods(f"{parquet}: {error}") from error
    decided = (pods.select("namespace", "pod").distinct()
               .mapInArrow(outcomes, "namespace string, pod string, effect string, why string"))
    # Pods are many times as large in memory as in the Parquet, so that Spark would take them for small enough to send
    # to every worker.
    rows = (pods.join(decided.hint("merge"), ["namespace", "pod"]).where("effect <> 'Unchanged'")
            .groupBy("cluster", "namespace", "owner", "effect")
            .agg(functions.count("*"), functions.min(functions.struct("name", "why"))).collect())
    return [fleet.Row(*row[:5], row[5]["name"], row[5]["why"]) for row in rows]


if __name__ == "__main__":
    sys.exit(fleet.main("with Spark", decide))
