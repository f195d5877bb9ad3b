# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""The API of NSKeyedUnArchiver: ``from keyedarchive import NSKeyedUnArchiver``.

As in the original, an object becomes a dictionary of its fields, even an NSSet, an NSUUID or an NSURL. nil becomes
None, and dates are aware. An object that refers to itself becomes a dictionary that contains itself; the original does
not return in this case.
"""

from __future__ import annotations

import datetime
import os
import pathlib

from . import _ORDERED_SET, _SET, _URL, _UUID, FMT_BINARY, _unarchive, dumps, loads
from ._objects import ArchivedObject, Unhashable

__all__ = ["unserializeNSKeyedArchiver"]


class _Converter:
    """Converts objects to dictionaries and lists. Identity and cycles are preserved."""

    def __init__(self, keeps_class):
        self.keeps_class = keeps_class
        self.known = {}
        self.kept = []
        self.pending = []

    def convert(self, value):
        result = self.shallow(value)
        while self.pending:
            source, target = self.pending.pop()
            if isinstance(target, dict):
                for key, item in source.items():
                    target[key] = self.shallow(item)
            else:
                target.extend(self.shallow(item) for item in source)
        return result

    def shallow(self, value):
        """Returns a converted scalar, or a container that is filled later."""
        if isinstance(value, Unhashable):
            value = value.value
        if not isinstance(value, (dict, list, ArchivedObject)):
            return value
        if id(value) in self.known:
            return self.known[id(value)]
        if isinstance(value, ArchivedObject):
            target = {}
            if self.keeps_class:
                target["$class"] = {"$classname": value.class_name, "$classes": list(value.class_chain)}
            self.pending.append((value.fields, target))
        elif isinstance(value, dict):
            target = {}
            self.pending.append((value, target))
        else:
            target = []
            self.pending.append((value, target))
        self.known[id(value)] = target
        self.kept.append(value)
        return target


def _read(plist):
    """Returns the bytes of an archive, given as a path, XML text, bytes or a dictionary."""
    if isinstance(plist, pathlib.PurePath) or isinstance(plist, str) and os.path.isfile(plist):
        with open(plist, "rb") as file:
            return file.read()
    if isinstance(plist, str):
        return plist.encode("utf-8")
    if isinstance(plist, dict):
        return dumps(plist, fmt=FMT_BINARY, sort_keys=False)
    if isinstance(plist, (bytes, bytearray)):
        return bytes(plist)
    raise TypeError(f"expected a path, XML, bytes or a dictionary, found {type(plist).__name__}")


def unserializeNSKeyedArchiver(plist, removeClassName=True, simplify=True):
    """Decodes an archive.

    Args:
        plist: A path, XML text, bytes, or a dictionary from plistlib.
        removeClassName: Whether to omit the key ``$class`` of objects.
        simplify: Must be true: arrays, dictionaries, strings, numbers, data and dates become Python objects.

    Returns:
        The root object, or a dictionary of the roots if the archive has roots other than ``root``.

    Raises:
        TypeError: The input is a property list but not an archive, or ``plist`` has another type.
        ValueError: ``simplify`` is false.
        KeyedArchiveError: The input is invalid.
        DateRangeError: A date that is not an NSDate object is outside the years 1 to 9999.
    """
    if not simplify:
        raise ValueError("expected simplify=True: keyedarchive.loads returns archives as they are stored")
    data = _read(plist)
    content = loads(data, lenient=True)
    if not isinstance(content, dict) or "$top" not in content:
        raise TypeError("expected a keyed archive, found a property list without `$top`")
    inert = (_ORDERED_SET, _SET, _URL, _UUID)
    root = _unarchive(data, None, inert, datetime.timezone.utc, "default", True)
    return _Converter(not removeClassName).convert(root)
