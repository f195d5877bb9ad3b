# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Compares the package for Python with its peers, measures the extension for SQLite, and prints DATA.md.

    python3 Benchmarks/Tools/data.py FOLDER > Benchmarks/DATA.md

FOLDER is the folder that `Scripts/data` wrote. bpylist2, nska_deserialize, pyarrow and pyspark are measured if they are
installed. The records of a backup come from the folder that KEYED_CORPUS names. Without it, they are left out. Each
time is the best of several runs. It is processor time, including garbage collection. For Spark it is elapsed time.
"""

import contextlib
import datetime
import glob
import importlib.metadata
import importlib.util
import io
import os
import platform
import plistlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile

MANIFEST = os.path.join(os.environ.get("KEYED_CORPUS", ""), "databases", "mvt-project__mvt--Manifest.db")


def best(work, runs=5, clock=time.process_time):
    times = []
    for _ in range(runs):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def has(name):
    return importlib.util.find_spec(name) is not None


def library():
    """Returns a library of 20,000 tracks of 23 keys."""
    day = datetime.datetime(2020, 1, 1)
    tracks = {}
    for number in range(20000):
        track = {f"Text {key}": f"text {number * key % 977}" for key in range(10)}
        track.update({f"Number {key}": number * key for key in range(8)})
        track.update({f"Date {key}": day + datetime.timedelta(seconds=number) for key in range(3)})
        track.update({"Rating": number / 8, "Compilation": number % 2 == 0})
        tracks[str(number)] = track
    return {"Major Version": 1, "Tracks": tracks}


def archive():
    """Returns an archive of 100,000 objects of one class."""
    uid = plistlib.UID
    objects = ["$null", {"NS.objects": [uid(4 + 2 * number) for number in range(100000)], "$class": uid(2)},
               {"$classname": "NSArray", "$classes": ["NSArray", "NSObject"]},
               {"$classname": "Student", "$classes": ["Student", "NSObject"]}]
    for number in range(100000):
        objects.append({"name": uid(5 + 2 * number), "age": number % 100, "score": number / 4, "$class": uid(3)})
        objects.append(f"student {number}")
    return {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": uid(1)}, "$objects": objects}


class Late(BaseException):
    """The peer took too long."""


def finishes(work, data):
    """Returns whether a peer reads an input within a second."""
    def ring(*_):
        raise Late

    signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        with contextlib.redirect_stdout(io.StringIO()):
            work(data)
        signal.setitimer(signal.ITIMER_REAL, 0)
        return True
    except (Exception, Late):
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def loads(package):
    print("## Property lists: `loads` compared with plistlib\n")
    print("| file | size | **this package** | plistlib | ratio | goal |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, value in (("library", library()), ("archive", archive())):
        for kind, fmt in (("binary", plistlib.FMT_BINARY), ("XML", plistlib.FMT_XML)):
            if name == "archive" and kind == "XML":
                continue
            data = plistlib.dumps(value, fmt=fmt)
            ours = best(lambda: package.loads(data))
            theirs = best(lambda: plistlib.loads(data), 2)
            mark = "✓" if theirs >= 8 * ours else "✗"
            print(f"| {name}, {kind} | {len(data) / 1e6:.1f} MB | **{ours * 1e3:.0f} ms** | {theirs * 1e3:.0f} ms |"
                  f" {theirs / ours:.1f} | 8 {mark} |")
    print()


def unarchive(package, rows):
    print("## Archives: `unarchive` compared with bpylist2 and nska_deserialize\n")
    print("| archives | readable by the peer | **this package** | peer | ratio | goal |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: |")
    inputs = {"100,000 objects": [plistlib.dumps(archive(), fmt=plistlib.FMT_BINARY)], "records of a backup": rows[:1000]}
    peers = {}
    if has("bpylist2"):
        from bpylist2 import archiver

        class Fields:
            @staticmethod
            def decode_archive(archived):
                return {key: archived.decode(key) for key in archived.object if key != "$class"}

        archiver.update_class_map({"Student": Fields, "MBFile": Fields})
        peers["bpylist2"] = archiver.unarchive
    if has("nska_deserialize"):
        import nska_deserialize

        peers["nska_deserialize"] = nska_deserialize.deserialize_plist_from_string
    for peer, work in peers.items():
        for name, blobs in inputs.items():
            # The large archive may take as long as it needs.
            read = blobs if len(blobs) == 1 else [blob for blob in blobs if finishes(work, blob)]
            if not read:
                continue

            def all_of(function):
                with contextlib.redirect_stdout(io.StringIO()):
                    for blob in read:
                        function(blob)

            ours = best(lambda: all_of(package.unarchive))
            theirs = best(lambda: all_of(work), 2)
            mark = "✓" if theirs >= 30 * ours else "✗"
            print(f"| {name}, {peer} | {len(read)} of {len(blobs)} | **{ours * 1e3:.1f} ms** | {theirs * 1e3:.0f} ms |"
                  f" {theirs / ours:.1f} | 30 {mark} |")
    print()


def sql(folder, rows):
    connection = sqlite3.connect(":memory:")
    if not hasattr(connection, "enable_load_extension"):
        # Some builds of Python cannot load extensions. The system's own Python usually can.
        if "--sql" in sys.argv:
            print("## SQL\n\nNot measured: expected a Python that can load SQLite extensions, found none.\n")
            return
        sys.stdout.flush()
        subprocess.run(["/usr/bin/python3", os.path.abspath(__file__), folder, "--sql"], check=True)
        return
    connection.enable_load_extension(True)
    connection.load_extension(os.path.join(folder, "keyed_sqlite"))
    connection.execute("CREATE TABLE files (file)")
    connection.executemany("INSERT INTO files VALUES (?)", [(row,) for row in rows])
    print(f"## SQL: {len(rows):,} records of a backup\n")
    print("| function | rows a second on one core | goal |\n| --- | ---: | ---: |")
    for function, goal in (("keyed_json(file)", 200_000), ("keyed_get(file, 'Size')", 0), ("keyed_classes(file)", 0),
                           ("keyed_valid(file)", 0)):
        seconds = best(lambda: connection.execute(f"SELECT count({function}) FROM files").fetchall(), 15)
        rate = len(rows) / seconds
        print(f"| `{function}` | {rate:,.0f} | {f'{goal:,} ' + ('✓' if rate >= goal else '✗') if goal else ''} |")
    print()


LOOP = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "keyed.h"
int main(int count, char **arguments) {
    (void)count;
    FILE *file = fopen(arguments[1], "rb");
    static uint8_t bytes[1 << 26];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    double best = 1e9;
    for (int turn = 0; turn < 15; turn++) {
        clock_t start = clock();
        for (size_t place = 0; place + 4 <= size; ) {
            uint32_t length = *(uint32_t *)(bytes + place);
            keyed_document *document = keyed_open(bytes + place + 4, length, NULL, NULL);
            if (document) keyed_free(keyed_json(document, keyed_root(document), KEYED_JSON_OBJECTS, NULL));
            keyed_free(document);
            place += 4 + (length + 3) / 4 * 4;
        }
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (seconds < best) best = seconds;
    }
    printf("%.9f\n", best);
}
"""


def c_loop(folder, rows):
    """Returns the seconds that a loop in C takes to open each row, convert it to JSON and free it."""
    with tempfile.TemporaryDirectory() as work:
        source, program, data = (os.path.join(work, name) for name in ("loop.c", "loop", "rows"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(LOOP)
        with open(data, "wb") as file:
            for row in rows:
                file.write(len(row).to_bytes(4, "little") + row + bytes(-len(row) % 4))
        subprocess.run(
            ["cc", "-O2", "-I", folder, "-o", program, source, os.path.join(folder, "libkeyed.a"), "-lstdc++", "-lm",
             "-lpthread", "-ldl"], check=True, stderr=subprocess.DEVNULL)
        return float(subprocess.run([program, data], check=True, capture_output=True, text=True).stdout)


def columns(folder, rows):
    import pyarrow as pa
    from keyedarchive import arrow

    blobs = pa.array(rows, pa.binary())
    ours = best(lambda: pa.array(arrow.json(blobs)), 15)
    loop = c_loop(folder, rows)
    mark = "✓" if ours <= 1.3 * loop else "✗"
    print("## Columns: `arrow.json` compared with a loop in C\n")
    print("| | rows a second on one core | time ÷ loop in C | goal |\n| --- | ---: | ---: | ---: |")
    print(f"| loop in C: open, JSON, free | {len(rows) / loop:,.0f} | | |")
    print(f"| `arrow.json` of one batch | {len(rows) / ours:,.0f} | {ours / loop:.2f} | 1.3 {mark} |\n")


def spark(work, rows):
    """Prints the throughput of a Spark job for each number of workers. A worker has one core."""
    import pyarrow as pa
    import pyarrow.parquet
    from local_spark import local_session

    parts = 8
    table = pa.table({"file": pa.array(rows * (8 * parts), pa.binary())})
    file = os.path.join(work, "records.parquet")
    pyarrow.parquet.write_table(table, file)

    def decode(batches):
        import pyarrow as pa
        from keyedarchive import arrow

        for batch in batches:
            rows = pa.array(arrow.get(batch.column("file"), {"path": "RelativePath", "size": "Size"}))
            columns = [rows.field(name).cast(pa.string()) for name in ("path", "size", "error")]
            yield pa.RecordBatch.from_arrays(columns, names=["path", "size", "error"])

    print(f"## Spark: {len(table):,} records in memory, decoded to the columns path, size and error\n")
    print("| workers of one core | rows a second | ÷ one worker |\n| --- | ---: | ---: |")
    first = None
    for workers in range(1, (os.cpu_count() or 1) + 1):
        session = local_session(workers, **{"log.level": "OFF", "ui.showConsoleProgress": "false"})
        try:
            records = session.read.parquet(file).repartition(parts)
            records.persist().count()
            result = records.mapInArrow(decode, "path string, size string, error string")
            rate = len(table) / best(lambda: result.write.format("noop").mode("overwrite").save(), 5, time.monotonic)
        finally:
            session.stop()
        first = first or rate
        print(f"| {workers} | {rate:,.0f} | {rate / first:.2f} |")
    print()


def backup():
    """Returns the records of a backup, or an empty list without the folder that KEYED_CORPUS names."""
    if not os.path.exists(MANIFEST):
        return []
    database = sqlite3.connect(f"file:{MANIFEST}?immutable=1", uri=True)
    return [row for (row,) in database.execute("SELECT file FROM Files WHERE file IS NOT NULL")]


def main(folder):
    with tempfile.TemporaryDirectory() as work:
        with zipfile.ZipFile(glob.glob(os.path.join(folder, "keyedarchive-*.whl"))[0]) as wheel:
            wheel.extractall(work)
        tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Python", "tests")
        sys.path[:0] = [work, tests]
        import keyedarchive

        versions = ", ".join(
            f"{name} {importlib.metadata.version(name)}"
            for name in ("bpylist2", "nska_deserialize", "pyarrow", "pyspark") if has(name))
        print("# Results of the C interface, SQLite and Python\n\n"
              "Generated by `Benchmarks/Tools/data.py`; do not edit it.\n\n|  |  |\n| --- | --- |")
        print(f"| load at the start | {os.getloadavg()[0]:.1f} |\n| Python and plistlib | {platform.python_version()} |\n"
              f"| SQLite | {sqlite3.sqlite_version} |\n| others | {versions or 'none'} |\n")
        rows = backup()
        loads(keyedarchive)
        unarchive(keyedarchive, rows)
        if rows:
            sql(folder, rows)
            if has("pyarrow"):
                columns(folder, rows)
            if has("pyarrow") and has("pyspark"):
                spark(work, rows)


if __name__ == "__main__":
    target = os.path.abspath(sys.argv[1])
    if "--sql" in sys.argv:
        sql(target, backup())
    else:
        main(target)
