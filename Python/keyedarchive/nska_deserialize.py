# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""The entry points of nska_deserialize: ``from keyedarchive import nska_deserialize as nd``.

Objects become dictionaries of their fields, None becomes ``''``, an object within itself is left out.
"""

from __future__ import annotations


from . import KeyedArchiveError, loads, unarchive
from ._objects import ArchivedObject, Unhashable

__all__ = ["DeserializeError", "deserialize_plist", "deserialize_plist_from_string"]


class DeserializeError(KeyedArchiveError):
    """The input is a property list, and no keyed archive."""


_LEFT_OUT = object()
_COLLECTIONS = (dict, list, set, ArchivedObject)


class _Simplifier:
    """Makes trees of dictionaries and lists. A finished tree is used again for the same object."""

    def __init__(self):
        self.finished = {}
        self.open = set()

    def simple(self, value):
        if value is None:
            return ""
        if isinstance(value, Unhashable):
            value = value.value
        if not isinstance(value, _COLLECTIONS):
            return value
        key = id(value)
        if key in self.finished:
            return self.finished[key]
        if key in self.open:
            return _LEFT_OUT
        self.open.add(key)
        if isinstance(value, (dict, ArchivedObject)):
            entries = value.fields if isinstance(value, ArchivedObject) else value
            result = {}
            for name, item in entries.items():
                item = self.simple(item)
                if item is not _LEFT_OUT:
                    result[name if isinstance(name, str) else str(name)] = item
        else:
            result = [item for item in map(self.simple, value) if item is not _LEFT_OUT]
        self.open.discard(key)
        self.finished[key] = result
        return result


def _nested(value):
    """Replaces data that are property lists by what they hold."""
    if isinstance(value, dict):
        return {key: _nested(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_nested(item) for item in value]
    if isinstance(value, bytes) and (value.startswith(b"bplist") or b"<plist version" in value[:1024]):
        return deserialize_plist_from_string(value, True)
    return value


def deserialize_plist_from_string(bytes_to_deserialize, full_recurse_convert_nska=False, format=list):
    """Reads an archive, or an archive that is the data of a property list.

    Args:
        bytes_to_deserialize: The bytes.
        full_recurse_convert_nska: Whether data within are read too, and other property lists are no error.
        format: ``dict`` for a dictionary of several roots, ``list`` for a list of dictionaries.

    Returns:
        A dictionary or a list.

    Raises:
        DeserializeError: The input is no archive.
        KeyedArchiveError: The input is invalid.
    """
    data = bytes(bytes_to_deserialize)
    plist = loads(data, lenient=True)
    if isinstance(plist, bytes):
        data = plist
        plist = loads(data, lenient=True)
    if not isinstance(plist, dict) or "$archiver" not in plist:
        if full_recurse_convert_nska:
            return _nested(plist)
        raise DeserializeError("expected a keyed archive, found no `$archiver`", code="notAnArchive")
    found = unarchive(data, lenient=True)
    names = list(plist["$top"])
    roots = {names[0]: found} if names == ["root"] else found
    simplifier = _Simplifier()
    parts = []
    for name in names:
        part = simplifier.simple(roots[name])
        if format is not dict and (name.lower() != "root" or not isinstance(part, (dict, list))):
            part = {name: part}
        parts.append(part)
    if len(parts) == 1:
        result = parts[0]
    else:
        result = dict(zip(names, parts)) if format is dict else parts
    return _nested(result) if full_recurse_convert_nska else result


def deserialize_plist(path_or_file, full_recurse_convert_nska=False, format=list):
    """Reads an archive from a path or an open file. Otherwise as :func:`deserialize_plist_from_string`."""
    if isinstance(path_or_file, str):
        with open(path_or_file, "rb") as file:
            data = file.read()
    else:
        data = path_or_file.read()
    return deserialize_plist_from_string(data, full_recurse_convert_nska, format)
