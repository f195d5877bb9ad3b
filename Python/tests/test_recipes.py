# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Runs the recipes of Documentation/Pipelines.md: DuckDB, Polars, pandas, and Spark on two executor processes.

A recipe whose package is not installed is skipped, and the report says so.
"""

import importlib.util
import os
import re
import tempfile
import unittest

import keyedarchive
from local_spark import local_session

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Documentation", "Pipelines.md")
GOOD = keyedarchive.archive({"RelativePath": "a/b", "Size": 3})
BLOBS = [GOOD, b"bplist00", None, GOOD]


def needs(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def block(heading):
    """Returns the first Python block under a heading of the page."""
    with open(PAGE, encoding="utf-8") as file:
        part = re.split(rf"^#+ {heading}\n", file.read(), flags=re.MULTILINE)[1]
    return re.search(r"```python\n(.*?)```", part, re.DOTALL).group(1)


def run(heading, **names):
    """Runs a block of the page and returns the variables that it defines.

    The block runs as `__main__`, so that Spark sends its functions to the executors by value.
    """
    import pyarrow
    from keyedarchive import arrow

    space = {"__name__": "__main__", "pa": pyarrow, "arrow": arrow, **names}
    exec(compile(block(heading), heading, "exec"), space)
    return space


class Recipes(unittest.TestCase):
    @needs("pyarrow")
    def test_the_first_example(self):
        import pyarrow as pa

        rows = run("Archives in pipelines", blobs=pa.array(BLOBS, pa.binary()))["rows"].to_pylist()
        self.assertEqual(rows[0], {"path": "a/b", "size": "3", "error": None})
        self.assertIsNone(rows[1]["path"])
        self.assertTrue(rows[1]["error"])

    @needs("pyarrow", "duckdb")
    def test_duckdb(self):
        import duckdb
        import pyarrow as pa

        connection = duckdb.connect()
        connection.register("files", pa.table({"file": pa.array(BLOBS, pa.binary())}))
        text = '{"RelativePath":"a/b","Size":3}'
        self.assertEqual(run("DuckDB", connection=connection)["found"], [(text,), (None,), (None,), (text,)])

    @needs("pyarrow", "polars")
    def test_polars(self):
        import polars

        frame = polars.DataFrame({"file": BLOBS}, schema={"file": polars.Binary})
        found = run("Polars", frame=frame, polars=polars)["frame"]
        self.assertEqual(found["path"].to_list(), ["a/b", None, None, "a/b"])

    @needs("pyarrow", "pandas")
    def test_pandas(self):
        import pandas

        found = run("pandas", frame=pandas.DataFrame({"file": BLOBS}))["frame"]
        self.assertEqual(found["size"][0], "3")
        self.assertTrue(pandas.isna(found["size"][1]))

    @needs("pyarrow", "pyspark")
    def test_spark_on_two_executors(self):
        import pyarrow.parquet

        spark = local_session(2, speculation="true")
        try:
            rows = spark.createDataFrame(
                [(None if blob is None else bytearray(blob),) for blob in BLOBS * 100], "file binary")
            with tempfile.TemporaryDirectory() as folder:
                found = []
                for turn in ("first", "second"):
                    target = os.path.join(folder, turn)
                    run("Spark", records=rows.repartition(4), target=target)
                    table = pyarrow.parquet.read_table(target).to_pylist()
                    found.append(sorted(map(str, table)))
            # Repeated runs give the same result.
            self.assertEqual(found[0], found[1])
            self.assertEqual(len(table), 400)
            self.assertEqual(sum(row["path"] == "a/b" and row["size"] == "3" for row in table), 200)
            self.assertEqual(sum(row["error"] is not None for row in table), 100)
        finally:
            spark.stop()


if __name__ == "__main__":
    unittest.main()
