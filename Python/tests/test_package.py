# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Tests of the package. `Scripts/data --test` runs them on the installed wheel."""

import array
import datetime
import doctest
import gc
import io
import json
import os
import re
import pickle
import plistlib
import sqlite3
import struct
import tempfile
import threading
import types
import unittest
import uuid
from dataclasses import dataclass

import keyedarchive
from hostile import DEBUG, blobs, dangling, memory_in_use, sharing
from keyedarchive import NSKeyedUnArchiver, nska_deserialize
from keyedarchive.bpylist2 import archive_types, archiver

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Documentation", "Analysts.md")
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


@dataclass(frozen=True)
class Tag:
    name: str


@dataclass(frozen=True)
class Group:
    members: set


class Label:
    """A type whose hash depends on a field. Unlike a dataclass, it may lack the field."""

    def __hash__(self):
        return hash(self.name)


@dataclass(eq=False)
class Member:
    """A type whose hash depends on the set that contains it."""

    peers: set

    def __hash__(self):
        return len(self.peers)


class Setter:
    """A descriptor that records the values that a field of a dataclass receives."""

    seen: list = []

    def __get__(self, instance, owner):
        return ()

    def __set__(self, instance, value):
        self.seen.append(list(value))


@dataclass
class Described:
    values: list = Setter()


@dataclass
class Unmapped:
    """A type that no test adds to a map."""

    point: object


class Point:
    """A type with the static methods that bpylist2 calls."""

    def __init__(self, x):
        self.x = x

    @staticmethod
    def encode_archive(obj, archive):
        archive.encode("x", obj.x)

    @staticmethod
    def decode_archive(archive):
        return Point(archive.decode("x"))


@dataclass
class Note(archive_types.DataclassArchiver):
    NStitle: str = ""
    made: float = 0


def with_reference_as_key(archive, number):
    """Returns the archive with a reference to an object in place of the key `K`."""
    parts = archive.split(b"\x51K")
    assert len(parts) == 2
    return bytes([0x80, number]).join(parts)


class PropertyLists(unittest.TestCase):
    def test_other_formats_are_refused_as_plistlib_refuses_them(self):
        for data in (b'{"a": 1}', b"(a, b)", b"text"):
            with self.assertRaises(plistlib.InvalidFileException):
                plistlib.loads(data)
            with self.assertRaises(plistlib.InvalidFileException):
                keyedarchive.loads(data)
        self.assertEqual(keyedarchive.loads(b'{"a": 1}', any_format=True), {"a": 1})
        with self.assertRaises(keyedarchive.InvalidFileException):
            keyedarchive.loads(plistlib.dumps([]), fmt=plistlib.FMT_BINARY)

    def test_equal_uids_are_equal_objects(self):
        data = plistlib.dumps([plistlib.UID(7), plistlib.UID(7), plistlib.UID(2**31)], fmt=plistlib.FMT_BINARY)
        found = keyedarchive.loads(data)
        self.assertEqual(found, [plistlib.UID(7), plistlib.UID(7), plistlib.UID(2**31)])
        self.assertEqual(pickle.loads(pickle.dumps(found)), found)

    def test_dictionaries_with_the_same_keys_are_separate_and_in_order(self):
        keys = [f"key {number}" for number in range(9)]
        rows = [{key: [row, key] if row % 3 else row for key in keys} for row in range(5)]
        rows.insert(2, {key: row for row, key in enumerate(reversed(keys))})
        rows += [{**rows[0], "more": 1}, {key: 1 for key in keys[:7]}, {}]
        for fmt in (plistlib.FMT_BINARY, plistlib.FMT_XML):
            found = keyedarchive.loads(plistlib.dumps(rows, fmt=fmt, sort_keys=False))
            self.assertEqual(found, rows)
            self.assertEqual([list(row) for row in found], [list(row) for row in rows])
            found[0]["key 1"] = "changed"
            found[1]["added"] = 1
            self.assertEqual(found[2:], rows[2:])
        gc.collect()
        found[1]["key 0"] = found
        self.assertTrue(gc.is_tracked(found[1]))

    def test_a_key_that_occurs_twice_has_its_last_value_in_each_dictionary(self):
        row = "<dict>" + "".join(f"<key>{key}</key><integer>%d</integer>" for key in "abcdefa") + "</dict>"
        text = "".join(row % tuple(range(first, first + 7)) for first in (0, 10, 20))
        found = keyedarchive.loads(f"<plist><array>{text}</array></plist>".encode(), lenient=True)
        self.assertEqual([item["a"] for item in found], [6, 16, 26])
        self.assertEqual([len(item) for item in found], [6, 6, 6])
        self.assertEqual(found[2], dict(zip("abcdef", [26, 21, 22, 23, 24, 25])))

    def test_buffers_and_files_are_read(self):
        data = plistlib.dumps(SAMPLE, fmt=plistlib.FMT_BINARY)
        for source in (bytearray(data), memoryview(data)):
            self.assertEqual(keyedarchive.loads(source), SAMPLE)
        self.assertEqual(keyedarchive.load(io.BytesIO(data)), SAMPLE)

    def test_loads_returns_what_plistlib_returns(self):
        for fmt in (plistlib.FMT_XML, plistlib.FMT_BINARY):
            data = plistlib.dumps(SAMPLE, fmt=fmt)
            self.assertEqual(keyedarchive.loads(data), plistlib.loads(data))
            self.assertEqual(keyedarchive.loads(data, fmt=fmt), SAMPLE)

    def test_plistlib_loads_what_dumps_writes(self):
        for fmt in (plistlib.FMT_XML, plistlib.FMT_BINARY):
            self.assertEqual(plistlib.loads(keyedarchive.dumps(SAMPLE, fmt=fmt)), SAMPLE)

    def test_the_length_of_data_is_its_own_and_not_what_a_subclass_says(self):
        class Long(bytes):
            def __len__(self):
                return 100_000

        class LongArray(bytearray):
            def __len__(self):
                return 100_000

        for value in (Long(b"ab"), LongArray(b"ab")):
            for fmt in (plistlib.FMT_XML, plistlib.FMT_BINARY):
                data = keyedarchive.dumps([value], fmt=fmt)
                self.assertEqual(plistlib.loads(data), [b"ab"])

    def test_a_subclass_of_list_chooses_its_elements_and_its_errors_are_raised(self):
        class Chosen(list):
            def __iter__(self):
                return iter(["chosen"])

        class Failing(list):
            def __iter__(self):
                raise RuntimeError("no elements")

        self.assertEqual(plistlib.loads(keyedarchive.dumps([Chosen([1, 2]), "tail"])), [["chosen"], "tail"])
        for value in (Failing([1, 2]), [Failing([1, 2]), plistlib.UID(3), "tail"]):
            with self.assertRaisesRegex(RuntimeError, "no elements"):
                keyedarchive.dumps(value, fmt=plistlib.FMT_BINARY)

    def test_any_object_with_a_buffer_is_read_and_others_are_refused(self):
        data = plistlib.dumps(["x"], fmt=plistlib.FMT_BINARY)
        self.assertEqual(keyedarchive.loads(array.array("B", data)), ["x"])
        for value in (None, 5, ["x"]):
            with self.assertRaises(TypeError):
                keyedarchive.loads(value)
        with self.assertRaises(TypeError):
            keyedarchive.to_json(data, b"path")

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

    def test_the_last_second_of_year_9999_is_a_date(self):
        for microsecond in (500_000, 700_000, 999_970):
            date = datetime.datetime(9999, 12, 31, 23, 59, 59, microsecond)
            expected = plistlib.loads(plistlib.dumps(date, fmt=plistlib.FMT_BINARY))
            self.assertEqual(keyedarchive.loads(plistlib.dumps(date, fmt=plistlib.FMT_BINARY)), expected)
            self.assertEqual(keyedarchive.unarchive(keyedarchive.archive([date])), [expected])

    def test_dates_out_of_range_are_errors_that_name_the_days(self):
        data = plistlib.dumps(SAMPLE["date"], fmt=plistlib.FMT_BINARY)
        stored = struct.pack(">d", (SAMPLE["date"] - datetime.datetime(2001, 1, 1)).total_seconds())
        for seconds, text in (
                (252423993600.0, "2921574 days from 2001"), (-63113990400.0, "-730486 days from 2001"),
                (1e300, "not within the years 1 to 9999"), (float("nan"), "not within the years 1 to 9999")):
            for kind in OverflowError, plistlib.InvalidFileException, keyedarchive.DateRangeError:
                with self.assertRaisesRegex(kind, f"^date value out of range: {text}$") as caught:
                    keyedarchive.loads(data.replace(stored, struct.pack(">d", seconds)))
            self.assertEqual(caught.exception.code, "dateOutOfRange")

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

    def test_dict_type_receives_complete_values(self):
        class Copying(dict):
            def __setitem__(self, key, value):
                super().__setitem__(key, list(value) if isinstance(value, (dict, list)) else value)

        shared = {"b": [[1], {"c": 2}]}
        value = {"a": [1, [2]], "d": shared, "e": [shared, [shared]], "f": [], "g": {}}
        for fmt in (plistlib.FMT_BINARY, plistlib.FMT_XML):
            found = keyedarchive.loads(plistlib.dumps(value, fmt=fmt), dict_type=Copying)
            self.assertEqual(found, {"a": [1, [2]], "d": ["b"], "e": [shared, [shared]], "f": [], "g": []})
        self.assertEqual(keyedarchive.loads(plistlib.dumps("text"), dict_type=Copying), "text")

    def test_a_container_that_occurs_several_times_is_written_once(self):
        inner, empty = {"a": [1, 2]}, ()
        value = [inner, inner, [1, 2], [1, 2], {"x": inner, "y": inner["a"]}, empty, empty, [], []]
        self.assertEqual(
            keyedarchive.dumps(value, fmt=keyedarchive.FMT_BINARY), plistlib.dumps(value, fmt=plistlib.FMT_BINARY))
        self.assertEqual(keyedarchive.dumps(value), plistlib.dumps(value))

    def test_lists_that_expand_to_too_many_values_are_written_in_the_binary_format_only(self):
        wide = "end"
        for _ in range(40):
            wide = [wide] * 10
        found = keyedarchive.loads(keyedarchive.dumps(wide, fmt=keyedarchive.FMT_BINARY))
        self.assertIs(found[0], found[9])
        if DEBUG:
            self.skipTest("reaching the limit takes half a minute in a debug build")
        with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
            keyedarchive.dumps(wide)
        self.assertTrue(caught.exception.is_limit)

    def test_values_that_a_dictionary_creates_on_request_are_all_written(self):
        class Fresh(dict):
            def items(self):
                return [(str(number), [number]) for number in range(100)]

        found = keyedarchive.loads(keyedarchive.dumps(Fresh()))
        self.assertEqual(found, {str(number): [number] for number in range(100)})

    def test_dict_type_reads_shared_and_deeply_nested_values(self):
        class Mine(dict):
            pass

        deep = value = {}
        for _ in range(200):
            value["a"] = [{}]
            value = value["a"][0]
        found = keyedarchive.loads(keyedarchive.dumps(deep, fmt=keyedarchive.FMT_BINARY), dict_type=Mine)
        self.assertEqual(found, deep)
        shared = {"end": 1}
        for _ in range(40):
            shared = [shared, {"next": shared}]
        found = keyedarchive.loads(plistlib.dumps(shared, fmt=plistlib.FMT_BINARY), dict_type=Mine)
        for _ in range(40):
            self.assertIs(found[0], found[1]["next"])
            found = found[0]
        self.assertEqual(found, {"end": 1})

    def test_unknown_formats_are_errors(self):
        # In Python 3.12, `2 in PlistFormat` is true. In earlier versions, `"xml" in PlistFormat` raises TypeError.
        for fmt in (2, "xml"):
            with self.assertRaises(ValueError):
                keyedarchive.dumps({}, fmt=fmt)
            with self.assertRaises(ValueError):
                keyedarchive.loads(plistlib.dumps({}), fmt=fmt)

    def test_values_without_a_form_are_errors(self):
        with self.assertRaises(TypeError):
            keyedarchive.dumps({"a": object()})
        with self.assertRaises(TypeError):
            keyedarchive.dumps({1: 2})
        self.assertEqual(keyedarchive.loads(keyedarchive.dumps({1: 2, "a": 3}, skipkeys=True, sort_keys=False)), {"a": 3})
        with self.assertRaisesRegex(OverflowError, "found 18446744073709551616$"):
            keyedarchive.dumps(2**64)
        # Python refuses to print so many digits.
        with self.assertRaisesRegex(OverflowError, "found one of 16610 bits$"):
            keyedarchive.dumps(10**5000)
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
        mapped = keyedarchive.unarchive(data, allow=types.MappingProxyType({"Save": Save}))
        self.assertIsInstance(mapped, Save)
        inert = keyedarchive.unarchive(data)
        self.assertEqual((inert.class_name, inert["name"]), ("Save", "Ada"))
        with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
            keyedarchive.unarchive(data, allow=["Other"])
        self.assertEqual(caught.exception.code, "classNotAllowed")

    def test_keys_and_elements_that_are_equal_in_python_are_errors(self):
        def collection(name, **fields):
            fields = {"NS." + key: value for key, value in fields.items()}
            return keyedarchive.archive(keyedarchive.ArchivedObject(name, fields=fields))

        dictionary = collection("NSDictionary", **{"key.0": "a", "key.1": "a", "object.0": 1, "object.1": 2})
        self.assertEqual(keyedarchive.unarchive(dictionary, lenient=True), {"a": 2})
        # 1, 1.0 and True are equal in Python.
        numbers = collection("NSSet", **{f"object.{index}": value for index, value in enumerate((1, 1.0, True, 2))})
        self.assertEqual(keyedarchive.unarchive(numbers, lenient=True), {1, 2})
        for data, text in (
                (dictionary, "object 1: expected 2 different keys of a dictionary, found only 1"),
                (numbers, "expected 4 different elements of a set, found only 2")):
            with self.assertRaisesRegex(keyedarchive.KeyedArchiveError, text) as caught:
                keyedarchive.unarchive(data)
            self.assertEqual(caught.exception.code, "malformedObject")
        dates = [keyedarchive.ArchivedObject("NSDate", fields={"NS.time": 5.0}) for _ in range(2)]
        with self.assertRaisesRegex(keyedarchive.KeyedArchiveError, "expected 2 different elements of a set"):
            archiver.unarchive(collection("NSSet", **{"object.0": dates[0], "object.1": dates[1]}))

    def test_subclasses_that_define_equality_are_archived_by_their_values(self):
        class Text(str):
            def __eq__(self, other):
                return True

            def __hash__(self):
                return 0

            def __str__(self):
                return "other"

        class Number(int):
            __eq__, __hash__ = Text.__eq__, Text.__hash__

        value = [Text("a"), Text("b"), Number(1), Number(2), Text("$null")]
        found = keyedarchive.unarchive(keyedarchive.archive(value))
        self.assertEqual(repr(found), repr(["a", "b", 1, 2, "$null"]))

    def test_the_field_of_the_class_cannot_be_written(self):
        with self.assertRaisesRegex(ValueError, "^Save has a field '\\$class', the key of the class reference"):
            keyedarchive.archive(keyedarchive.ArchivedObject("Save", fields={"$class": "x"}))

    def test_a_single_name_or_type_is_not_a_list_of_allowed_classes(self):
        data = keyedarchive.archive(Save("Ada", []))
        for allow, name in (("Save", "'Save'"), (Save, "Save")):
            with self.assertRaises(TypeError) as caught:
                keyedarchive.unarchive(data, allow=allow)
            self.assertEqual(
                str(caught.exception),
                f"expected a list or a dictionary for `allow`, found {name} (use `allow=[{name}]`)")

    def test_an_ordered_set_becomes_a_list_in_the_order_of_its_numbers(self):
        shared = ["shared"]
        for count in (0, 1, 3, 12):
            fields = {f"NS.object.{number}": [number, shared] for number in reversed(range(count))}
            written = keyedarchive.archive(keyedarchive.ArchivedObject("NSOrderedSet", fields=fields))
            found = keyedarchive.unarchive(written, allow=[])
            self.assertEqual(found, [[number, shared] for number in range(count)])
            self.assertEqual(len({id(element[1]) for element in found}), min(count, 1))
            self.assertEqual(json.loads(keyedarchive.to_json(written)), found)

    def test_collections_with_a_field_for_each_element_are_collections(self):
        def read(name, **fields):
            fields = {key.replace("_", "."): value for key, value in fields.items()}
            written = keyedarchive.archive(keyedarchive.ArchivedObject(name, fields=fields))
            found = keyedarchive.unarchive(written, allow=[])
            if not isinstance(found, set):
                self.assertEqual(json.loads(keyedarchive.to_json(written)), found)
            return found

        self.assertEqual(read("NSArray", NS_object_1="b", NS_object_0="a"), ["a", "b"])
        self.assertEqual(read("NSArray"), [])
        self.assertEqual(read("NSSet", NS_object_1="b", NS_object_0="a"), {"a", "b"})
        pairs = read("NSDictionary", NS_object_1="b", NS_object_0="a", NS_key_0="x", NS_key_1="y")
        self.assertEqual(pairs, {"x": "a", "y": "b"})
        self.assertEqual(read("NSDictionary"), {})

    def test_an_ordered_set_without_one_of_its_numbers_keeps_its_fields(self):
        for keys in (["1"], ["0", "2"], ["0", "01"], ["00"], ["0", ""], ["0", "x"], ["4294967296"]):
            fields = {f"NS.object.{key}": "a" for key in keys}
            written = keyedarchive.archive(keyedarchive.ArchivedObject("NSOrderedSet", fields=fields))
            found = keyedarchive.unarchive(written)
            self.assertEqual((found.class_name, found.fields), ("NSOrderedSet", fields))
        fields = {"NS.object.0": "a", "name": "b"}
        written = keyedarchive.archive(keyedarchive.ArchivedObject("NSOrderedSet", fields=fields))
        self.assertEqual(keyedarchive.unarchive(written).fields, fields)

    def test_the_text_of_nil_survives(self):
        value = ["$null", None, {"$null": "$null"}, Save("$null", [])]
        found = keyedarchive.unarchive(keyedarchive.archive(value), allow=[Save])
        self.assertEqual(found, value)

    def test_unhashable_elements_and_keys_survive(self):
        shared = [1, 2]
        value = [{keyedarchive.Unhashable(shared)}, {keyedarchive.Unhashable(shared): "a"}, shared]
        for _ in range(2):
            value = keyedarchive.unarchive(keyedarchive.archive(value))
            (element,), (key,), shared = value
            self.assertEqual(shared, [1, 2])
            self.assertIs(element.value, shared)
            self.assertIs(key.value, shared)

    def test_instances_have_their_fields_before_they_are_keys(self):
        for value in ({Tag("a"), Tag("b")}, {Tag("a"): [1], Tag("b"): {Tag("a"): Tag("c")}}):
            found = keyedarchive.unarchive(keyedarchive.archive(value), allow=[Tag])
            self.assertEqual(found, value)
            self.assertIn(Tag("a"), found)

    def test_unhashable_keys_of_fields_survive(self):
        data = keyedarchive.archive(keyedarchive.ArchivedObject("Save", fields={"list": [1], "K": "a"}))
        data = with_reference_as_key(data, 2)
        found = keyedarchive.unarchive(data, lenient=True)
        (key,) = found.fields.keys() - {"list"}
        self.assertIs(key.value, found["list"])
        self.assertEqual((key.value, found[key]), ([1], "a"))
        converted = NSKeyedUnArchiver.unserializeNSKeyedArchiver(data)
        self.assertEqual((converted["list"], sorted(map(str, converted.values()))), ([1], ["[1]", "a"]))
        self.assertEqual(nska_deserialize.deserialize_plist_from_string(data), {"list": [1]})

    def test_instances_have_their_fields_before_they_are_keys_of_fields(self):
        data = keyedarchive.archive(keyedarchive.ArchivedObject("Save", fields={"tag": Tag("a"), "K": [1]}))
        found = keyedarchive.unarchive(with_reference_as_key(data, 2), allow=["Save", Tag], lenient=True)
        self.assertEqual(found.fields, {"tag": Tag("a"), Tag("a"): [1]})
        # A dictionary without a class.
        archive = plistlib.loads(keyedarchive.archive(keyedarchive.ArchivedObject("Save", fields={"tag": Tag("a")})))
        archive["$objects"][1]["inner"] = {"K": ["b"]}
        data = with_reference_as_key(plistlib.dumps(archive, fmt=plistlib.FMT_BINARY), 2)
        found = keyedarchive.unarchive(data, allow=["Save", Tag], lenient=True)
        self.assertEqual(found["inner"], {Tag("a"): ["b"]})

    def test_an_instance_that_is_a_key_among_its_own_fields_is_not_hashed(self):
        data = keyedarchive.archive(keyedarchive.ArchivedObject("Tag", fields={"name": "a", "K": 1}))
        found = keyedarchive.unarchive(with_reference_as_key(data, 1), allow=[Tag], lenient=True)
        self.assertEqual(found, Tag("a"))

    def test_a_hash_that_depends_on_the_set_around_it_is_an_error(self):
        member = Member(set())
        member.peers.add(member)
        with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
            keyedarchive.unarchive(keyedarchive.archive(member), allow=[Member])
        self.assertEqual(caught.exception.code, "referenceCycle")

    def test_a_hash_that_depends_on_a_missing_field_is_an_error(self):
        label = keyedarchive.ArchivedObject("Label")
        for value in ({label}, {label: 1}):
            with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
                keyedarchive.unarchive(keyedarchive.archive(value), allow=[Label])
            self.assertEqual(caught.exception.code, "missingValue")
            self.assertIn("found an incomplete Label: ", str(caught.exception))

    def test_descriptors_receive_complete_values(self):
        Setter.seen.clear()
        nested = [[1], [2, 3]]
        value = keyedarchive.ArchivedObject("Described", fields={"values": nested})
        keyedarchive.unarchive(keyedarchive.archive(value), allow=[Described])
        self.assertEqual(Setter.seen, [nested])

    def test_an_instance_of_a_subclass_of_archived_object_has_the_class_and_the_fields(self):
        class Save(keyedarchive.ArchivedObject):
            pass

        data = keyedarchive.archive(keyedarchive.ArchivedObject("Save", fields={"level": 3}))
        found = keyedarchive.unarchive(data, allow={"Save": Save})
        self.assertIsInstance(found, Save)
        self.assertEqual((found.level, found["level"], found.fields), (3, 3, {"level": 3}))
        self.assertEqual((found.class_name, found.class_chain), ("Save", ("Save", "NSObject")))
        self.assertEqual(repr(found), "<Save with 1 field>")
        self.assertEqual(keyedarchive.archive(found), data)

    def test_an_instance_that_was_not_initialized_has_no_attributes(self):
        empty = object.__new__(keyedarchive.ArchivedObject)
        for name in ("fields", "level"):
            with self.assertRaises(AttributeError):
                getattr(empty, name)

    def test_types_whose_instances_cannot_have_attributes_are_refused(self):
        class Slotted:
            __slots__ = ("level",)

        data = keyedarchive.archive(keyedarchive.ArchivedObject("Slotted", fields={"level": 3}))
        with self.assertRaisesRegex(TypeError, "found Slotted .make Slotted a dataclass"):
            keyedarchive.unarchive(data, allow=[Slotted])

    def test_dangling_references_are_errors(self):
        archive = plistlib.loads(keyedarchive.archive(["a"]))
        archive["$top"]["root"] = plistlib.UID(99)
        with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
            keyedarchive.unarchive(plistlib.dumps(archive, fmt=plistlib.FMT_BINARY))
        self.assertEqual(caught.exception.code, "danglingReference")

    def test_dates_outside_the_years_of_python_are_inert(self):
        archive = plistlib.loads(keyedarchive.archive([SAMPLE["date"]]))
        for entry in archive["$objects"]:
            if isinstance(entry, dict) and "NS.time" in entry:
                entry["NS.time"] = -63114076800.0
        data = plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)
        for allow in (None, [], [Save], ["NSDate"]):
            (found,) = keyedarchive.unarchive(data, allow=allow)
            self.assertEqual((found.class_name, found["NS.time"]), ("NSDate", -63114076800.0))

    def test_nska_deserialize(self):
        data = keyedarchive.archive(
            {"a": None, "b": [Save("Ada", [])], "u": uuid.UUID(int=5), "s": {1}, "d": SAMPLE["date"]})
        self.assertEqual(
            nska_deserialize.deserialize_plist_from_string(data),
            {"a": "", "b": [{"name": "Ada", "friends": [], "level": 1}], "u": str(uuid.UUID(int=5)).upper(), "s": [1],
             "d": SAMPLE["date"]})
        self.assertEqual(
            nska_deserialize.deserialize_plist(io.BytesIO(keyedarchive.archive("x"))), {"root": "x"})
        with self.assertRaises(nska_deserialize.DeserializeError):
            nska_deserialize.deserialize_plist_from_string(plistlib.dumps({}))
        # The exceptions that iLEAPP catches.
        nd = nska_deserialize
        with self.assertRaises((nd.biplist.NotBinaryPlistException, nd.biplist.InvalidPlistException,
                                nd.plistlib.InvalidFileException, nd.ccl_bplist.BplistError)):
            nd.deserialize_plist_from_string(b"bplist00")

    def test_nska_deserialize_omits_cycles_at_any_depth(self):
        deep = value = []
        for _ in range(400):
            value.append([])
            value = value[0]
        value.append(deep)
        found = nska_deserialize.deserialize_plist_from_string(keyedarchive.archive(deep))
        for _ in range(400):
            found = found[0]
        self.assertEqual(found, [])

    def test_nska_deserialize_writes_files(self):
        value = {"d": b"\x01\xff", "n": [1, None, 2.5], "t": SAMPLE["date"], "é": "x"}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            nska_deserialize.write_plist_to_json_file(value, path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(
                    json.load(file), {"d": "01ff", "n": ["1", "None", "2.5"], "t": str(SAMPLE["date"]), "é": "x"})
            os.chmod(path, 0o640)
            nska_deserialize.write_plist_to_file({"a": [1]}, path)
            with open(path, "rb") as file:
                self.assertEqual(plistlib.load(file), {"a": [1]})
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
            # The size of the JSON would be exponential, and the nesting exceeds Python's stack.
            wide, deep = "end", []
            for _ in range(40):
                wide = [wide] * 10
            for _ in range(100_000):
                deep = [deep]
            for value in (wide, deep, {"a": deep}):
                with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
                    nska_deserialize.write_plist_to_json_file(value, path)
                self.assertTrue(caught.exception.is_limit)
                with open(path, "rb") as file:
                    self.assertEqual(plistlib.load(file), {"a": [1]})
            self.assertEqual(os.listdir(folder), ["out.json"])

    def test_nska_deserialize_decodes_shared_values_once(self):
        found = nska_deserialize.deserialize_plist_from_string(sharing(), True)
        for _ in range(29):
            self.assertIs(found[0], found[9])
            found = found[5]
        self.assertEqual(found, "end")
        data = keyedarchive.archive(["end"])
        for _ in range(20):
            data = keyedarchive.archive([data] * 10)
        found = nska_deserialize.deserialize_plist_from_string(data, True)
        for _ in range(20):
            found = found[5]
        self.assertEqual(found, ["end"])

    def test_nska_deserialize_limits_the_nesting_within_data(self):
        data = keyedarchive.archive("end")
        for _ in range(32):
            data = keyedarchive.archive(data)
        found = nska_deserialize.deserialize_plist_from_string(data, True)
        for _ in range(33):
            found = found["root"]
        self.assertEqual(found, "end")
        with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
            nska_deserialize.deserialize_plist_from_string(keyedarchive.archive(data), True)
        self.assertEqual(caught.exception.code, "depthLimitExceeded")
        self.assertEqual(str(caught.exception), "expected at most 32 nested property lists, found 33")

    def test_nska_deserialize_replaces_dates_out_of_range(self):
        archive = plistlib.loads(keyedarchive.archive([]))
        archive["$objects"].append(SAMPLE["date"])
        archive["$top"]["date"] = plistlib.UID(len(archive["$objects"]) - 1)
        stored = struct.pack(">d", (SAMPLE["date"] - datetime.datetime(2001, 1, 1)).total_seconds())
        for value, expected in ((archive, {"date": "", "root": []}), ({"date": SAMPLE["date"]}, {"date": ""})):
            data = plistlib.dumps(value, fmt=plistlib.FMT_BINARY).replace(stored, struct.pack(">d", 1e12))
            found = nska_deserialize.deserialize_plist_from_string(data, True, format=dict)
            self.assertEqual(found, expected)

    def test_nska_deserialize_reads_roots_whose_names_are_not_text(self):
        archive = plistlib.loads(keyedarchive.archive(["a"]))
        archive["$top"] = {"K": plistlib.UID(1)}
        data = plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)
        number = data.replace(b"\x51K", b"\x10\x01")
        # A root whose name is an object is omitted, like any entry whose key is an object.
        for data, as_list, as_dict in (
                (number, {"1": ["a"]}, ["a"]), (with_reference_as_key(data, 2), {"a": ["a"]}, ["a"]),
                (with_reference_as_key(data, 1), [], {})):
            self.assertEqual(nska_deserialize.deserialize_plist_from_string(data), as_list)
            self.assertEqual(nska_deserialize.deserialize_plist_from_string(data, format=dict), as_dict)

    def test_nskeyedunarchiver(self):
        data = keyedarchive.archive({"a": [1, None], "s": Save("Ada", []), "d": SAMPLE["date"]})
        expected = {"a": [1, None], "s": {"name": "Ada", "friends": [], "level": 1},
                    "d": SAMPLE["date"].replace(tzinfo=datetime.timezone.utc)}
        self.assertEqual(NSKeyedUnArchiver.unserializeNSKeyedArchiver(data), expected)
        self.assertEqual(NSKeyedUnArchiver.unserializeNSKeyedArchiver(plistlib.loads(data)), expected)
        kept = NSKeyedUnArchiver.unserializeNSKeyedArchiver(data, removeClassName=False)
        self.assertEqual(kept["s"]["$class"]["$classname"], "Save")
        with self.assertRaises(TypeError):
            NSKeyedUnArchiver.unserializeNSKeyedArchiver(plistlib.dumps({}))

    def test_bpylist2(self):
        archiver.update_class_map({"Point": Point, "Note": Note})
        value = {"p": [Point(1), Point([2])], "n": Note("x", archive_types.timestamp(5.25))}
        found = archiver.unarchive(archiver.archive(value))
        self.assertEqual([found["p"][0].x, found["p"][1].x, found["n"]], [1, [2], value["n"]])
        for value in ({(1, 2)}, {(1, 2): 3}):
            (found,) = archiver.unarchive(archiver.archive(value))
            self.assertEqual(found.value, [1, 2])
            (found,) = archiver.unarchive(archiver.archive({found}))
            self.assertEqual(found.value, [1, 2])
        with self.assertRaises(archiver.MissingClassMapping):
            archiver.unarchive(keyedarchive.archive(keyedarchive.ArchivedObject("Other")))
        with self.assertRaises(archiver.MissingClassMapping):
            archiver.archive([Unmapped(Point(1))])
        deep = []
        for _ in range(100_000):
            deep = [deep]
        with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
            archiver.archive(deep)
        self.assertEqual(caught.exception.code, "depthLimitExceeded")

    def test_bpylist2_archives_an_instance_of_a_mapped_subclass_of_list_under_its_class(self):
        class Points(list):
            @staticmethod
            def encode_archive(obj, archive):
                archive.encode("all", list(obj))

            @staticmethod
            def decode_archive(archive):
                return Points(archive.decode("all"))

        archiver.update_class_map({"Points": Points})
        data = archiver.archive([Points([1, 2])])
        self.assertIn("Points", keyedarchive.classes(data))
        (found,) = archiver.unarchive(data)
        self.assertIsInstance(found, Points)
        self.assertEqual(found, [1, 2])

    def test_bpylist2_reads_a_mapped_subclass_of_archived_object(self):
        class Save(keyedarchive.ArchivedObject):
            pass

        archiver.update_class_map({"Save": Save})
        found = archiver.unarchive(keyedarchive.archive(keyedarchive.ArchivedObject("Save", fields={"level": 3})))
        self.assertIsInstance(found, Save)
        self.assertEqual((found.class_name, found.level), ("Save", 3))

    def test_bpylist2_refuses_dates_without_a_number(self):
        for fields, found in (({}, "NoneType"), ({"NS.time": "x"}, "str")):
            with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
                archiver.unarchive(keyedarchive.archive(keyedarchive.ArchivedObject("NSDate", fields=fields)))
            self.assertEqual(str(caught.exception), f"expected a number for 'NS.time' in NSDate, found {found}")

    def test_bpylist2_reads_a_set_that_contains_itself(self):
        value = set()
        value.add(keyedarchive.Unhashable(value))
        for _ in range(2):
            value = archiver.unarchive(archiver.archive(value))
            (element,) = value
            self.assertIs(element.value, value)

    def test_bpylist2_refuses_a_key_whose_hash_needs_the_container_around_it(self):
        archiver.update_class_map({"Group": Group})
        for make in (lambda group: {group}, lambda group: {group: 1}):
            group = keyedarchive.ArchivedObject("Group")
            group.fields["members"] = make(group)
            with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
                archiver.unarchive(keyedarchive.archive(group))
            self.assertEqual(caught.exception.code, "missingValue")

    def test_bpylist2_refuses_objects_nested_too_deeply(self):
        value = []
        for _ in range(100_000):
            value = [value]
        with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
            archiver.unarchive(keyedarchive.archive(value))
        self.assertEqual(caught.exception.code, "depthLimitExceeded")


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
        paths = {"first": "a[0]", "text": "b", "none": "c"}
        for mapping in (paths, types.MappingProxyType(paths)):
            rows = self.pa.array(arrow.get(blobs, mapping))
            self.assertEqual(
                rows.to_pylist(), [{"first": "1", "text": "x", "none": None, "error": None}] * 2)

    def test_a_field_cannot_have_the_name_of_the_errors(self):
        from keyedarchive import arrow

        for paths in (["a", "error"], {"error": "a"}):
            with self.assertRaisesRegex(ValueError, "expected field names other than 'error'"):
                arrow.get(self.pa.array([], self.pa.binary()), paths)
        rows = self.pa.array(arrow.get(self.pa.array([b"{}"], self.pa.binary()), {"failure": "error"}))
        self.assertEqual(rows.to_pylist(), [{"failure": None, "error": None}])

    def test_a_malformed_path_is_an_error_of_the_call(self):
        from keyedarchive import arrow

        for rows in ([], [None], [b"bplist00"], [keyedarchive.archive([])]):
            with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
                arrow.get(self.pa.array(rows, self.pa.binary()), ["b", "a[0"])
            self.assertEqual(caught.exception.code, "invalidKeyPath")

    def test_a_path_that_cannot_be_followed_is_an_error_row(self):
        from keyedarchive import arrow

        blobs = self.pa.array([dangling(), keyedarchive.archive([{"a": 1}])], self.pa.binary())
        rows = self.pa.array(arrow.get(blobs, {"first": "[0].a", "none": "b", "content": "[1]!"}))
        broken, good = rows.to_pylist()
        self.assertIn("77", broken.pop("error"))
        self.assertEqual(broken, {"first": None, "none": None, "content": None})
        self.assertEqual(good, {"first": "1", "none": None, "content": None, "error": None})

    def test_a_name_that_is_not_unicode_is_an_error_that_frees_the_columns(self):
        from keyedarchive import arrow

        blobs = self.pa.array([None] * 1000, self.pa.binary())
        before = 0
        for turn in range(200):
            if turn == 20:
                before = memory_in_use()
            with self.assertRaises(UnicodeEncodeError):
                arrow.get(blobs, {"text": "b", "\ud800": "x"})
        gc.collect()
        self.assertLess(memory_in_use(), before + (256 << 10))


FUNCTIONS = (keyedarchive.loads, keyedarchive.unarchive, keyedarchive.to_json, keyedarchive.text, keyedarchive.classes,
             keyedarchive.kind)


def attempt(data):
    """Calls every function. Returns the number of calls, and the errors."""
    errors = []
    for function in FUNCTIONS:
        try:
            function(data)
        except keyedarchive.KeyedArchiveError as error:
            errors.append(error)
    return len(FUNCTIONS), errors


class HostileInput(unittest.TestCase):
    def test_hostile_input_is_an_error_with_a_message(self):
        for data in blobs():
            for error in attempt(data)[1]:
                self.assertTrue(str(error) and error.code)

    def test_an_object_that_cannot_be_written_is_an_error(self):
        archive = plistlib.loads(keyedarchive.archive([1]))
        archive["$objects"][1]["NS.objects"] = [plistlib.UID(99)]
        with self.assertRaises(keyedarchive.KeyedArchiveError) as caught:
            keyedarchive.to_json(plistlib.dumps(archive, fmt=plistlib.FMT_BINARY))
        self.assertEqual(caught.exception.code, "danglingReference")

    @unittest.skipIf(DEBUG, "100,000 calls take minutes in a debug build")
    def test_memory_returns_after_100_000_calls(self):
        small = [blob for blob in blobs() if len(blob) < 4096]
        calls = before = 0
        while calls < 110_000:
            if calls >= 10_000 and not before:
                gc.collect()
                before = memory_in_use()
            for blob in small:
                calls += attempt(blob)[0]
        gc.collect()
        self.assertLess(memory_in_use(), before + (256 << 10))

    @unittest.skipIf(DEBUG, "100,000 rows take minutes in a debug build")
    def test_memory_returns_after_100_000_rows(self):
        try:
            import pyarrow as pa
        except ImportError:
            self.skipTest("pyarrow is not installed")
        from keyedarchive import arrow

        small = [blob for blob in blobs() if len(blob) < 4096]
        batch = pa.array((small * (1000 // len(small) + 1))[:1000], pa.binary())
        before = 0
        for turn in range(110):
            if turn == 10:
                gc.collect()
                before = memory_in_use()
            for columns in (arrow.json(batch), arrow.text(batch), arrow.classes(batch), arrow.get(batch, ["root"])):
                rows = pa.array(columns)
                self.assertEqual(len(rows), 1000)
            # Columns that are never imported are freed as well.
            arrow.json(batch)
            del rows, columns
        gc.collect()
        self.assertLess(memory_in_use(), before + (256 << 10))


class Fixtures(unittest.TestCase):
    def test_the_session_in_the_documentation(self):
        if not os.path.exists(MANIFEST):
            self.skipTest("the shared fixtures are not here")
        with open(PAGE, encoding="utf-8") as file:
            session = re.search(r"```python\n(>>>.*?)```", file.read(), re.DOTALL).group(1)
        connection = sqlite3.connect(MANIFEST)
        (blob,) = connection.execute("SELECT file FROM Files WHERE rowid = 1").fetchone()
        test = doctest.DocTestParser().get_doctest(session, {"blob": blob}, "Analysts.md", PAGE, 0)
        report = io.StringIO()
        found = doctest.DocTestRunner(verbose=False).run(test, out=report.write)
        self.assertEqual(found.failed, 0, report.getvalue())
        self.assertGreater(found.attempted, 5)

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
    for module in (keyedarchive, keyedarchive._errors, keyedarchive._objects, archive_types):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


if __name__ == "__main__":
    unittest.main()
