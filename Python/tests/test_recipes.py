# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Tests of the recipes in Documentation/Pipelines.md: DuckDB, Polars, pandas, Spark on several processes.

A recipe whose package is not installed is skipped, and says so.
"""

import importlib.util
import unittest

import keyedarchive

GOOD = keyedarchive.archive({"RelativePath": "a/b", "Size": 3})
BLOBS = [GOOD, b"bplist00", None, GOOD]


def needs(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def decode(batches):
    """The function of the Spark recipe. Its imports are those of the executors."""
    import pyarrow as pa
    from keyedarchive import arrow

    for batch in batches:
        rows = pa.array(arrow.get(batch.column("file"), {"path": "RelativePath", "size": "Size"}))
        columns = [rows.field(name).cast(pa.string()) for name in ("path", "size", "error")]
        yield pa.RecordBatch.from_arrays(columns, names=["path", "size", "error"])


class Recipes(unittest.TestCase):
    @needs("pyarrow", "duckdb")
    def test_duckdb(self):
        import duckdb
        import pyarrow as pa
        from keyedarchive import arrow

        def run(column):
            if isinstance(column, pa.ChunkedArray):
                column = column.combine_chunks()
            return pa.array(arrow.json(column)).field("value").cast(pa.string())

        connection = duckdb.connect()
        connection.create_function(
            "keyed_json", run, ["BLOB"], "VARCHAR", type="arrow", null_handling="special")
        source = pa.table({"file": pa.array(BLOBS, pa.binary())})
        connection.register("files", source)
        found = connection.execute("SELECT keyed_json(file) FROM files").fetchall()
        text = '{"RelativePath":"a/b","Size":3}'
        self.assertEqual(found, [(text,), (None,), (None,), (text,)])

    @needs("pyarrow", "polars")
    def test_polars(self):
        import polars
        import pyarrow as pa
        from keyedarchive import arrow

        frame = polars.DataFrame({"file": BLOBS}, schema={"file": polars.Binary})
        rows = pa.array(arrow.get(frame["file"].to_arrow().cast(pa.large_binary()), ["RelativePath"]))
        found = polars.from_arrow(rows.field("RelativePath"))
        self.assertEqual(found.to_list(), ["a/b", None, None, "a/b"])

    @needs("pyarrow", "pandas")
    def test_pandas(self):
        import pandas
        import pyarrow as pa
        from keyedarchive import arrow

        frame = pandas.DataFrame({"file": BLOBS})
        rows = pa.array(arrow.get(pa.array(frame["file"], pa.binary()), ["Size"]))
        frame["size"] = rows.field("Size").to_pandas()
        self.assertEqual(frame["size"][0], "3")

    @needs("pyarrow", "pyspark")
    def test_spark_on_two_executors(self):
        from pyspark.sql import SparkSession

        spark = (
            SparkSession.builder.master("local-cluster[2,1,1024]").appName("keyedarchive")
            .config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1").config("spark.speculation", "true").getOrCreate())
        try:
            import cloudpickle  # noqa: F401  the function is sent by value
        except ImportError:
            pass
        try:
            rows = spark.createDataFrame(
                [(None if blob is None else bytearray(blob),) for blob in BLOBS * 100], "file binary")
            result = rows.repartition(4).mapInArrow(decode, "path string, size string, error string")
            found = result.collect()
            self.assertEqual(len(found), 400)
            self.assertEqual(sum(row.path == "a/b" and row.size == "3" for row in found), 200)
            self.assertEqual(sum(row.error is not None for row in found), 100)
        finally:
            spark.stop()


if __name__ == "__main__":
    unittest.main()
