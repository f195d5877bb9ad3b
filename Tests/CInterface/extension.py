# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Calls every SQL function with hostile blobs. In a release build, compares the memory in use before and after
100,000 calls.

    python3 extension.py FOLDER
"""

import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Python", "tests"))
from hostile import DEBUG, blobs, dangling, keys, memory_in_use, nested, nulls, urls  # noqa: E402

SCALARS = ["keyed_kind(?)", "keyed_json(?)", "keyed_get(?, 'root')", "keyed_text(?)", "keyed_classes(?)", "keyed_xml(?)",
           "keyed_valid(?)", "keyed_error(?)"]
ERRORS = ["keyed_json(?, '', 'error')", "keyed_get(?, '', 'error')", "keyed_text(?, 'error')",
          "keyed_classes(?, 'error')", "keyed_xml(?, 'error')"]
TABLES = ["keyed_each(?)", "keyed_tree(?)"]


def call(connection, blob):
    """Calls every function, also with the argument `error` where there is one. Returns the number of calls."""
    for function in SCALARS:
        connection.execute(f"SELECT {function}", (blob,)).fetchall()
    for function in ERRORS:
        try:
            connection.execute(f"SELECT {function}", (blob,)).fetchall()
        except sqlite3.OperationalError as error:
            assert str(error), function
    for table in TABLES:
        connection.execute(f"SELECT count(*) FROM {table}", (blob,)).fetchall()
    return len(SCALARS) + len(ERRORS) + len(TABLES)


# Mistakes in a statement, which fail whatever the blob is.
MISTAKES = [("keyed_get(?, 'x[')", "key path"), ("keyed_json(?, 'x[')", "key path"),
            ("keyed_get(?, '', 'eror')", "expected 'error'"), ("keyed_text(?, 1)", "expected 'error'")]


def check_mistakes(connection):
    """Checks that a mistake in a statement is an error, not NULL for every row."""
    blob = b"<plist><dict><key>x</key><integer>1</integer></dict></plist>"
    for function, part in MISTAKES:
        expect_error(connection, f"SELECT {function}", blob, part)
    for table in ("keyed_each", "keyed_tree"):
        expect_error(connection, f"SELECT * FROM {table}(?, 'x[')", blob, "key path")
    rows = connection.execute("SELECT keyed_get(?, 'x'), keyed_get(?1, 'y'), keyed_text(?1, NULL)", (blob,)).fetchall()
    assert rows == [(1, None, None)], rows


def check_conditions(connection):
    """Checks that `OR` finds the rows of each blob and path once, and that large integers keep their digits."""
    blobs = [f"<plist><dict><key>{key}</key><integer>{2**64 - 1}</integer></dict></plist>".encode() for key in "ab"]
    for table, count in ("keyed_each", 1), ("keyed_tree", 2):
        rows = connection.execute(
            f"SELECT key, value FROM {table} WHERE (blob = ?1 OR blob = ?2) AND key IS NOT NULL", blobs).fetchall()
        assert rows == [("a", str(2**64 - 1)), ("b", str(2**64 - 1))], rows
        rows = connection.execute(
            f"SELECT path FROM {table} WHERE (blob = ?1 AND level >= 0) OR (blob = ?1 AND key = 'a')", blobs[:1]
        ).fetchall()
        assert len(rows) == count, rows
    nested = b"<plist><array><array><true/></array><array><false/></array></array></plist>"
    rows = connection.execute(
        "SELECT value FROM keyed_each WHERE blob = ? AND (start = '[0]' OR start = '[1]')", (nested,)).fetchall()
    assert rows == [(1,), (0,)], rows


def expect_error(connection, statement, blob, part):
    try:
        connection.execute(statement, (blob,)).fetchall()
    except sqlite3.OperationalError as error:
        assert part in str(error), (statement, error)
        return
    sys.exit(f"expected an error, found a result: {statement}")


def check_urls(connection):
    """Checks that `keyed_each` gives a relative URL as an NSURL object, and that JSON keeps its base."""
    relative = '{"base":"http://a/b","relative":"c"}'
    for blob in (urls(), urls(is_mutable=True)):
        rows = connection.execute("SELECT kind, class, value FROM keyed_each(?)", (blob,)).fetchall()
        assert rows == [("url", None, "http://a/b"), ("object", "NSURL", relative)], rows
        (text,) = connection.execute("SELECT keyed_json(?)", (blob,)).fetchone()
        assert text == f'["http://a/b",{relative}]', text


def check_nulls(connection):
    """Checks that nil and NSNull are NULL, not the text that stands for nil in an archive."""
    rows = connection.execute("SELECT kind, value FROM keyed_each(?)", (nulls(),)).fetchall()
    assert rows == [("null", None), ("null", None)], rows
    row = connection.execute("SELECT keyed_get(?1, '[0]'), keyed_get(?1, '[1]'), keyed_json(?1)", (nulls(),)).fetchone()
    assert row == (None, None, "[null,null]"), row


def check_objects(connection):
    """Checks that a path to an entry of `$objects` gives the resolved object."""
    (root,) = connection.execute("SELECT keyed_json(?)", (urls(),)).fetchone()
    for path in ("@1", "$objects[1]"):
        row = connection.execute("SELECT keyed_json(?1, ?2), keyed_get(?1, ?2)", (urls(), path)).fetchone()
        assert row == (root, root), (path, row)


def check_nested(connection):
    """Checks that `!` enters the data of an object, whatever path leads to the object."""
    for path in ("!a", "@1!a", "$objects[1]!a"):
        (value,) = connection.execute("SELECT keyed_get(?, ?, 'error')", (nested(), path)).fetchone()
        assert value == 1, (path, value)


def check_keys(connection):
    """Checks that the path of each entry of a dictionary leads to its value, whatever the key is."""
    rows = connection.execute("SELECT key, path, value, keyed_get(?1, path) FROM keyed_each(?1)", (keys(),)).fetchall()
    assert rows == [
        ("@2", "[0]", "a", "a"), ("@3", "[1]", "b", "b"), ("(real)", "[2]", "c", "c"), ("(real)", "[3]", "d", "d"),
        ("name", "name", "e", "e"), ("7", '"7"', "f", "f"), ("7", "[6]", "g", "g"),
        ("\u00e9", "\u00e9", "h", "h"), ("e\u0301", "e\u0301", "i", "i"),
        ("$top", "[9]", "j", "j"), ("$to", "$to", "k", "k")], rows


def check_arguments(connection):
    """Checks that the hidden columns of a table contain its arguments, and that further constraints on them apply."""
    blob = b"<plist><dict><key>a</key><array><integer>1</integer></array></dict></plist>"
    conditions = [("1", 1), ("start = 'a'", 1), ("start = 'b'", 0), ("blob = ?1", 1), ("blob = x'00'", 0)]
    for condition, count in conditions:
        rows = connection.execute(
            f"SELECT value, blob = ?1, start FROM keyed_each(?1, 'a') WHERE {condition}", (blob,)).fetchall()
        assert rows == [(1, 1, "a")] * count, (condition, rows)
    rows = connection.execute("SELECT key, blob = ?1, start FROM keyed_each(?1)", (blob,)).fetchall()
    assert rows == [("a", 1, None)], rows


def main(folder):
    connection = sqlite3.connect(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(os.path.join(folder, "keyed_sqlite"))
    try:
        connection.execute("SELECT keyed_json(?, NULL, 'error')", (dangling(),)).fetchall()
        sys.exit("expected an error for a dangling reference, found a result")
    except sqlite3.OperationalError as error:
        assert "object 77" in str(error), error
    check_mistakes(connection)
    check_conditions(connection)
    check_urls(connection)
    check_nulls(connection)
    check_objects(connection)
    check_nested(connection)
    check_keys(connection)
    check_arguments(connection)
    hostile = blobs()[::4 if DEBUG else 1]
    for blob in hostile:
        call(connection, blob)
    if DEBUG:
        print(f"SQL: tested {len(hostile)} hostile blobs, one in four. A release build tests all of them, and checks "
            "memory growth.")
        return
    small = [blob for blob in hostile if len(blob) < 4096]
    calls = before = 0
    while calls < 110_000:
        if calls >= 10_000 and not before:
            before = memory_in_use()
        for blob in small:
            calls += call(connection, blob)
    after = memory_in_use()
    print(f"SQL: {len(hostile)} hostile blobs; memory in use before 100,000 calls: {before} bytes, after: {after}")
    if after > before + (64 << 10):
        sys.exit("memory in use has grown")


if __name__ == "__main__":
    main(sys.argv[1])
