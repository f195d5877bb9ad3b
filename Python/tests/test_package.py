# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Tests of the package. `Scripts/data --test` runs them on the installed wheel."""

import datetime
import doctest
import os
import pickle
import plistlib
import sqlite3
import threading
import unittest
import uuid
from dataclasses import dataclass

import keyedarchive
from keyedarchive import nska_deserialize
from keyedarchive.bpylist2 import archiver

FIXTURES = os.environ.get("KEYED_CORPUS", "")
MANIFEST = os.path.join(FIXTURES, "databases", "mvt-project__mvt--Manifest.db")

SAMPLE = {
    "text": "naïve 🎈", "ascii": "a", "natural": 2**64 - 1, "negative": -(2**63), "real": 0.5, "yes": True,
    "data": b"\0\xff", "date": datetime.datetime(2024, 2, 29, 23, 59, 59), "list": [1, [], {}], "empty": "",
}


@dataclass
class Save:
    name: str
    friends: list
    level: int = 1


class PropertyLists(unittest.TestCase):
    def test_loads_is_that_of_plistlib(self):
        for fmt in (plistlib.FMT_XML, plistlib.FMT_BINARY):
            data = plistlib.dumps(SAMPLE, fmt=fmt)
            self.assertEqual(keyedarchive.loads(data), plistlib.loads(data))
            self.assertEqual(keyedarchive.loads(data, fmt=fmt), SAMPLE)

    def test_plistlib_loads_what_dumps_writes(self):
        for fmt in (plistlib.FMT_XML, plistlib.FMT_BINARY):
            self.assertEqual(plistlib.loads(keyedarchive.dumps(SAMPLE, fmt=fmt)), SAMPLE)

    def test_uids_and_aware_dates(self):
        data = plistlib.dumps([plistlib.UID(7), SAMPLE["date"]], fmt=plistlib.FMT_BINARY)
        uid, date = keyedarchive.loads(data, aware_datetime=True)
        self.assertEqual(uid, plistlib.UID(7))
        self.assertEqual(date.tzinfo, datetime.timezone.utc)

    def test_dates_of_all_years(self):
        for year in (1, 1600, 1899, 1900, 1969, 2000, 2001, 2100, 9999):
            for day in ((1, 1), (2, 28), (3, 1), (12, 31)):
                date = datetime.datetime(year, *day, 23, 59, 58)
                data = plistlib.dumps(date, fmt=plistlib.FMT_BINARY)
                self.assertEqual(keyedarchive.loads(data), date)

    def test_keys_are_sorted_or_keep_their_order(self):
        value = {"b": 1, "a": 2}
        self.assertEqual(list(keyedarchive.loads(keyedarchive.dumps(value))), ["a", "b"])
        self.assertEqual(list(keyedarchive.loads(keyedarchive.dumps(value, sort_keys=False))), ["b", "a"])

    def test_dict_type_is_used(self):
        class Mine(dict):
            pass

        found = keyedarchive.loads(b"<plist><dict><key>a</key><dict/></dict></plist>", dict_type=Mine)
        self.assertIs(type(found), Mine)
        self.assertIs(type(found["a"]), Mine)

    def test_values_without_a_form_are_errors(self):
        with self.assertRaises(TypeError):
            keyedarchive.dumps({"a": object()})
        with self.assertRaises(TypeError):
            keyedarchive.dumps({1: 2})
        self.assertEqual(keyedarchive.loads(keyedarchive.dumps({1: 2, "a": 3}, skipkeys=True, sort_keys=False)), {"a": 3})
        with self.assertRaises(OverflowError):
            keyedarchive.dumps(2**64)
        loop = []
        loop.append(loop)
        with self.assertRaises(RecursionError):
            keyedarchive.dumps(loop)

    def test_errors_are_located_and_can_be_pickled(self):
        with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
            keyedarchive.loads(b"<plist><array>\n<integer>x</integer></array></plist>")
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((error.code, error.line), ("invalidNumber", 2))
        self.assertGreater(error.offset, 10)

    def test_threads_read_at_the_same_time(self):
        data = plistlib.dumps([SAMPLE] * 100)
        results = []
        threads = [threading.Thread(target=lambda: results.append(keyedarchive.loads(data))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [[SAMPLE] * 100] * 4)


class Archives(unittest.TestCase):
    def test_values_survive(self):
        value = {"a": [1, 2.5, "x", None, b"y"], "u": uuid.UUID(int=5), "s": {1, 2}, "d": SAMPLE["date"]}
        self.assertEqual(keyedarchive.unarchive(keyedarchive.archive(value)), value)

    def test_cycles_and_shared_objects_survive(self):
        shared = ["shared"]
        value = [shared, shared]
        value.append(value)
        found = keyedarchive.unarchive(keyedarchive.archive(value))
        self.assertIs(found[0], found[1])
        self.assertIs(found[2], found)

    def test_dataclasses_are_mapped_by_name(self):
        ada = Save("Ada", [])
        ada.friends.append(ada)
        data = keyedarchive.archive(ada)
        found = keyedarchive.unarchive(data, allow=[Save])
        self.assertIs(found.friends[0], found)
        inert = keyedarchive.unarchive(data)
        self.assertEqual((inert.class_name, inert["name"]), ("Save", "Ada"))
        with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
            keyedarchive.unarchive(data, allow=["Other"])
        self.assertEqual(caught.exception.code, "classNotAllowed")

    def test_dangling_references_are_errors(self):
        archive = plistlib.loads(keyedarchive.archive(["a"]))
        archive["$top"]["root"] = plistlib.UID(99)
        with self.assertRaises(keyedarchive.KeyedArchiveError):
            keyedarchive.unarchive(plistlib.dumps(archive, fmt=plistlib.FMT_BINARY))

    def test_entry_points_of_others(self):
        data = keyedarchive.archive({"a": None, "b": [Save("Ada", [])]})
        self.assertEqual(
            nska_deserialize.deserialize_plist_from_string(data),
            {"a": "", "b": [{"name": "Ada", "friends": [], "level": 1}]})
        with self.assertRaises(nska_deserialize.DeserializeError):
            nska_deserialize.deserialize_plist_from_string(plistlib.dumps({}))
        self.assertEqual(archiver.unarchive(archiver.archive({"a": [1]})), {"a": [1]})


class Columns(unittest.TestCase):
    def setUp(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not installed")
        self.pa = pyarrow

    def test_a_poisoned_row_is_an_error_row(self):
        from keyedarchive import arrow

        good = keyedarchive.archive({"a": [1], "b": "x"})
        rows = self.pa.array(arrow.json(self.pa.array([good, b"bplist00", None], self.pa.binary())))
        self.assertEqual(rows.field("value").to_pylist(), ['{"a":[1],"b":"x"}', None, None])
        errors = rows.field("error").to_pylist()
        self.assertIsNone(errors[0])
        self.assertTrue(errors[1])
        self.assertIsNone(errors[2])

    def test_paths_become_columns(self):
        from keyedarchive import arrow

        good = keyedarchive.archive({"a": [1], "b": "x"})
        blobs = self.pa.array([b"", good, good], self.pa.large_binary()).slice(1)
        rows = self.pa.array(arrow.get(blobs, {"first": "a[0]", "text": "b", "none": "c"}))
        self.assertEqual(
            rows.to_pylist(), [{"first": "1", "text": "x", "none": None, "error": None}] * 2)


class Fixtures(unittest.TestCase):
    def test_hostile_files_are_errors(self):
        folder = os.path.join(FIXTURES, "malformed")
        if not os.path.isdir(folder):
            self.skipTest("the shared fixtures are not here")
        count = 0
        for root, _, names in os.walk(folder):
            for name in names:
                with open(os.path.join(root, name), "rb") as file:
                    data = file.read()
                count += 1
                for function in (keyedarchive.loads, keyedarchive.unarchive, keyedarchive.to_json, keyedarchive.text,
                                 keyedarchive.classes, keyedarchive.kind):
                    try:
                        function(data)
                    except keyedarchive.KeyedArchiveError as error:
                        self.assertTrue(str(error))
                    except OverflowError:
                        pass  # a date that Python has no year for, as with plistlib
        self.assertGreater(count, 100)

    def test_records_of_a_backup(self):
        if not os.path.exists(MANIFEST):
            self.skipTest("the shared fixtures are not here")
        connection = sqlite3.connect(MANIFEST)
        rows = connection.execute("SELECT relativePath, file FROM Files WHERE file IS NOT NULL").fetchall()
        for path, blob in rows:
            self.assertEqual(keyedarchive.unarchive(blob)["RelativePath"], path)
            self.assertEqual(keyedarchive.loads(blob), plistlib.loads(blob))
        self.assertEqual(len(rows), 3721)


def load_tests(loader, tests, pattern):
    for module in (keyedarchive, keyedarchive._errors, keyedarchive._objects):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


if __name__ == "__main__":
    unittest.main()
