# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""The API of nska_deserialize: ``from keyedarchive import nska_deserialize as nd``.

As in the original, an object becomes a dictionary of its fields, even an NSData or an NSURL. A set becomes a list, and
a UUID becomes text. nil and a date out of range become ``''``. A reference to an enclosing object is omitted. The names
``nd.plistlib``, ``nd.biplist`` and ``nd.ccl_bplist`` provide the exceptions that callers catch.
"""

from __future__ import annotations

import contextlib as _contextlib
import datetime as _datetime
import os as _os
import plistlib
import secrets as _secrets
import shutil as _shutil
import uuid as _uuid

from . import (
    _DATA, _DATE, _ORDERED_SET, _SET, _URL, FMT_BINARY, KeyedArchiveError, _formats, _roots, _values, dumps,
    to_json,
)
from ._errors import too_deep as _too_deep
from ._objects import ArchivedObject, Unhashable

__all__ = [
    "DeserializeError", "biplist", "ccl_bplist", "deserialize_plist", "deserialize_plist_from_string", "plistlib",
    "write_plist_to_file", "write_plist_to_json_file",
]


class DeserializeError(KeyedArchiveError):
    """The input is a property list but not a keyed archive."""


class biplist:
    """The exceptions that callers of nska_deserialize catch."""

    NotBinaryPlistException = KeyedArchiveError
    InvalidPlistException = KeyedArchiveError


class ccl_bplist:
    """The exception that callers of nska_deserialize catch."""

    BplistError = KeyedArchiveError


_OMITTED = object()
_CONTAINERS = (dict, list, ArchivedObject)
_INERT = (_DATA, _DATE, _ORDERED_SET, _SET, _URL)
_EPOCH = _datetime.datetime(2001, 1, 1)
# The result for a date that Python cannot represent.
_FAR_DATE = ""
# The maximum number of property lists nested within data. The same limit applies to `!` in key paths.
_NESTING_LIMIT = 32


def _date(archived):
    """Returns the date of an archived NSDate."""
    try:
        return _EPOCH + _datetime.timedelta(seconds=archived["NS.time"])
    except (OverflowError, ValueError, TypeError):
        return _FAR_DATE


def _name(key):
    """Returns the text of a key, or None for an object, whose entry is omitted."""
    if isinstance(key, (ArchivedObject, Unhashable)):
        return None
    return key if isinstance(key, str) else str(key)


class _Simplifier:
    """Converts objects to dictionaries and lists.

    A shared object is converted once. A worklist replaces recursion, so nesting is not limited by the stack.
    """

    def __init__(self):
        self.finished = {}
        self.open = set()

    def simple(self, value):
        done = self.leaf(value)
        if done is not None:
            return done[0]
        stack = [self.begin(value)]
        while True:
            key, target, entries = stack[-1]
            for name, item in entries:
                done = self.leaf(item)
                if done is None:
                    child = self.begin(item)
                    self.add(target, name, child[1])
                    stack.append(child)
                    break
                if done[0] is not _OMITTED:
                    self.add(target, name, done[0])
            else:
                self.open.discard(key)
                self.finished[key] = target
                stack.pop()
                if not stack:
                    return target

    def leaf(self, value):
        """Returns the converted value in a tuple, or None for a container that is still to be converted."""
        if value is None:
            return ("",)
        if isinstance(value, Unhashable):
            value = value.value
        if not isinstance(value, _CONTAINERS):
            return (str(value).upper() if isinstance(value, _uuid.UUID) else value,)
        if isinstance(value, ArchivedObject) and value.class_name == "NSDate" and "NS.time" in value:
            return (_date(value),)
        key = id(value)
        if key in self.finished:
            return (self.finished[key],)
        return (_OMITTED,) if key in self.open else None

    def begin(self, value):
        """Begins a container. Returns its identity, the empty result, and an iterator over its entries."""
        if isinstance(value, Unhashable):
            value = value.value
        self.open.add(id(value))
        if isinstance(value, ArchivedObject) and value.class_name in ("NSSet", "NSMutableSet"):
            elements = value.get("NS.objects")
            if isinstance(elements, list):
                return id(value), [], iter((None, item) for item in elements)
        if isinstance(value, (dict, ArchivedObject)):
            fields = value.fields if isinstance(value, ArchivedObject) else value
            return id(value), {}, iter(fields.items())
        return id(value), [], iter((None, item) for item in value)

    @staticmethod
    def add(target, key, item):
        """Adds an entry. An entry whose key is an object is omitted, because the keys of the result are text."""
        if isinstance(target, list):
            target.append(item)
        elif (name := _name(key)) is not None:
            target[name] = item


def _mapped(root, scalar):
    """Returns a copy of a tree of dictionaries and lists, with each other value replaced by ``scalar(value)``.

    A shared value is replaced once. Containers are visited by a worklist and not by recursion, as in ``_Simplifier``.
    """
    known, pending = {}, []

    def replaced(value):
        """Returns the replacement of a value. A container is filled later."""
        key = id(value)
        if key not in known:
            if isinstance(value, (dict, list)):
                known[key] = type(value)()
                pending.append(value)
            else:
                replacement = scalar(value)
                if replacement is value:
                    return value
                known[key] = replacement
        return known[key]

    result = replaced(root)
    while pending:
        source = pending.pop()
        if isinstance(source, dict):
            known[id(source)].update((key, replaced(item)) for key, item in source.items())
        else:
            known[id(source)].extend(map(replaced, source))
    return result


def _nested(root, level):
    """Replaces data that contains a property list by the decoded property list.

    ``level`` is the number of property lists around this one: 0 for the outermost.
    """

    def decoded(value):
        if not isinstance(value, bytes) or not (value.startswith(b"bplist") or b"<plist version" in value[:1024]):
            return value
        if level == _NESTING_LIMIT:
            raise KeyedArchiveError(
                f"expected at most {_NESTING_LIMIT} nested property lists, found {level + 1}",
                code="depthLimitExceeded")
        return _decoded(value, True, list, level + 1)

    return _mapped(root, decoded)


def deserialize_plist_from_string(bytes_to_deserialize, full_recurse_convert_nska=False, format=list):
    """Decodes an archive. A property list whose root is data that contains an archive is accepted too.

    Args:
        bytes_to_deserialize: The bytes.
        full_recurse_convert_nska: Whether to decode property lists within data as well. In this case, a property
            list that is not an archive is not an error.
        format: The result for several roots: ``dict`` for a dictionary, ``list`` for a list of dictionaries.

    Returns:
        A dictionary or a list. With ``format=dict``, a single root is returned as it is, even if it is a scalar. So is
        the root of a property list that is not an archive.

    Raises:
        DeserializeError: The input is not an archive.
        KeyedArchiveError: The input is invalid, or more than 32 property lists are nested within data.
    """
    return _decoded(bytes(bytes_to_deserialize), full_recurse_convert_nska, format, 0)


def _plist(data):
    """Returns the root value of a property list."""
    return _values(data, dict, None, _formats(None, False), "default", True, _FAR_DATE)


def _decoded(data, full_recurse_convert_nska, format, level):
    """Decodes an archive, as :func:`deserialize_plist_from_string` does. ``level`` is that of ``_nested``."""
    data = data.lstrip(b" \t\r\n")
    plist = _plist(data)
    if isinstance(plist, bytes):
        data = plist
        plist = _plist(data)
    if not isinstance(plist, dict) or "$archiver" not in plist:
        if full_recurse_convert_nska:
            return _nested(plist, level)
        raise DeserializeError("expected a keyed archive, found no `$archiver`", code="notAnArchive")
    roots = _roots(data, None, _INERT, None, "default", True, _FAR_DATE)
    simplifier = _Simplifier()
    names, parts = [], []
    for key, root in roots.items():
        if (name := _name(key)) is None:
            continue
        part = simplifier.simple(root)
        if format is not dict and (name.lower() != "root" or not isinstance(part, (dict, list))):
            part = {name: part}
        names.append(name)
        parts.append(part)
    if len(parts) == 1:
        result = parts[0]
    else:
        result = dict(zip(names, parts)) if format is dict else parts
    return _nested(result, level) if full_recurse_convert_nska else result


def deserialize_plist(path_or_file, full_recurse_convert_nska=False, format=list):
    """Decodes an archive from a path or an open file, as :func:`deserialize_plist_from_string` does."""
    if isinstance(path_or_file, str):
        with open(path_or_file, "rb") as file:
            data = file.read()
    else:
        data = path_or_file.read()
    return deserialize_plist_from_string(data, full_recurse_convert_nska, format)


def _text(value):
    return value.hex() if isinstance(value, bytes) else str(value)


def _write(path, contents):
    """Writes a file. An existing regular file is replaced in one step, so that a failure never loses its contents."""
    target = _os.path.realpath(path)
    exists = _os.path.exists(target)
    if exists and not _os.path.isfile(target):
        with open(target, "wb") as file:
            file.write(contents)
        return
    temporary = f"{target}.{_secrets.token_hex(8)}"
    try:
        with open(temporary, "xb") as file:
            if exists:
                _shutil.copymode(target, temporary)
            file.write(contents)
            file.flush()
            _os.fsync(file.fileno())
        _os.replace(temporary, target)
    except BaseException:
        with _contextlib.suppress(OSError):
            _os.unlink(temporary)
        raise


def write_plist_to_json_file(deserialized_plist, output_path):
    """Writes a result of :func:`deserialize_plist` to a JSON file, as UTF-8.

    Data becomes hexadecimal digits, and other scalars become text.

    Raises:
        KeyedArchiveError: The values are nested too deeply, or shared values make the JSON too long. The file is then
            unchanged.
    """
    try:
        binary = dumps(_mapped(deserialized_plist, _text), fmt=FMT_BINARY, sort_keys=False)
    except RecursionError as error:
        raise _too_deep("values") from error
    _write(output_path, to_json(binary, mode="strict").encode())


def write_plist_to_file(deserialized_plist, output_path):
    """Writes a result of :func:`deserialize_plist` to a file, as a binary property list."""
    _write(output_path, dumps(deserialized_plist, fmt=FMT_BINARY))
