# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""The API of ``bpylist2.archiver``: archives with a map from class names to types.

A type in the map has the static methods ``decode_archive(archive)`` and ``encode_archive(obj, archive)``, or is a
dataclass. As in bpylist2, a class that is not in the map is an error, and dates are :class:`timestamp` instances.
Cycles and shared objects are preserved between dataclasses. Types with ``decode_archive`` cannot be part of a cycle.
An unhashable key or set element is wrapped in :class:`keyedarchive.Unhashable`.
"""

from __future__ import annotations

import dataclasses as _dataclasses
import datetime as _datetime

from .. import _DATE, ArchivedObject, KeyedArchiveError, Unhashable
from .. import _unarchive as _read
from .. import archive as _archive
from .._errors import too_deep as _too_deep
from .._objects import fill_object as _fill, hashable as _hashable, new_object as _new
from .archive_types import timestamp

__all__ = [
    "ArchiverError", "CircularReference", "MissingClassMapping", "archive", "unarchive", "unarchive_file",
    "update_class_map",
]

ArchiverError = KeyedArchiveError


class CircularReference(KeyedArchiveError):
    """An object whose type has ``decode_archive`` refers to itself."""


class MissingClassMapping(KeyedArchiveError):
    """A class is not in the map."""


UNARCHIVE_CLASS_MAP: dict = {}
ARCHIVE_CLASS_MAP: dict = {}


def update_class_map(new_map):
    """Adds types to the map, by class name."""
    UNARCHIVE_CLASS_MAP.update(new_map)
    ARCHIVE_CLASS_MAP.update({kind: name for name, kind in new_map.items()})


class _Fields:
    """The argument of ``decode_archive``."""

    def __init__(self, archived, decoder):
        self.object = archived.fields
        self._decoder = decoder

    def decode(self, key):
        """Returns the field for a key, or None."""
        return self._decoder.value(self.object.get(key))


def _check_count(archived, decoded, noun):
    if len(decoded) != len(archived):
        raise KeyedArchiveError(
            f"expected {len(archived)} different {noun}, found only {len(decoded)}, because some are equal in Python",
            code="malformedObject")


class _Decoder:
    """Replaces inert objects with instances of the types in the map."""

    def __init__(self):
        self.known = {}
        self.open = set()

    def value(self, value):
        if isinstance(value, Unhashable):
            value = value.value
        if not isinstance(value, (ArchivedObject, dict, list, set)):
            return value
        key = id(value)
        if key in self.known:
            return self.known[key]
        if isinstance(value, ArchivedObject):
            return self.instance(value)
        if isinstance(value, dict):
            self.known[key] = result = {}
            result.update((_hashable(self.value(name)), self.value(item)) for name, item in value.items())
            _check_count(value, result, "keys of a dictionary")
        elif isinstance(value, list):
            self.known[key] = result = []
            result.extend(map(self.value, value))
        else:
            self.known[key] = result = set()
            result.update(_hashable(self.value(item)) for item in value)
            _check_count(value, result, "elements of a set")
        return result

    def instance(self, archived):
        if archived.class_name == "NSDate":
            seconds = archived.get("NS.time")
            if not isinstance(seconds, (int, float)):
                raise KeyedArchiveError(
                    f"expected a number for 'NS.time' in NSDate, found {type(seconds).__name__}", code="wrongType")
            return timestamp(timestamp.unix2apple_epoch_delta + seconds)
        kind = UNARCHIVE_CLASS_MAP.get(archived.class_name)
        if kind is None:
            raise MissingClassMapping(
                f"expected a mapped class, found {archived.class_name}", code="classNotAllowed")
        key = id(archived)
        if not hasattr(kind, "decode_archive"):
            result = self.known[key] = _new(kind, archived.class_name, archived.class_chain)
            _fill(result, {name: self.value(item) for name, item in archived.fields.items()})
            return result
        if key in self.open:
            raise CircularReference(f"found a reference cycle through {archived.class_name}", code="circularReference")
        self.open.add(key)
        result = self.known[key] = kind.decode_archive(_Fields(archived, self))
        self.open.discard(key)
        return result


def unarchive(plist):
    """Unarchives the root object of an archive.

    Raises:
        MissingClassMapping: The archive contains a class that is not in the map.
        KeyedArchiveError: The input is invalid, its objects are nested too deeply, or two keys of a dictionary or
            elements of a set are equal in Python.
        DateRangeError: A date that is not an NSDate object is outside the years 1 to 9999.
    """
    root = _read(plist, None, (_DATE,), _datetime.timezone.utc, "default", False)
    try:
        return _Decoder().value(root)
    except RecursionError as error:
        raise _too_deep("objects") from error


def unarchive_file(path):
    """Unarchives the root object of a file."""
    with open(path, "rb") as file:
        return unarchive(file.read())


class _Encoded:
    """The argument of ``encode_archive``, which collects the fields of an object."""

    def __init__(self, fields, encoder):
        self._fields = fields
        self._encoder = encoder

    def encode(self, key, value):
        """Sets the field for a key."""
        self._fields[key] = self._encoder.value(value)


class _Encoder:
    """Replaces instances of the types in the map with inert objects."""

    def __init__(self):
        self.known = {}
        self.kept = []

    def value(self, value):
        if isinstance(value, Unhashable):
            value = value.value
        if isinstance(value, timestamp):
            fields = {"NS.time": value - timestamp.unix2apple_epoch_delta}
            return ArchivedObject("NSDate", ("NSDate", "NSObject"), fields)
        key = id(value)
        if key in self.known:
            return self.known[key]
        self.kept.append(value)
        # A type in the map may be a subclass of `list`.
        if type(value) in ARCHIVE_CLASS_MAP:
            result = self.instance(value)
        elif isinstance(value, (list, tuple)):
            self.known[key] = result = []
            result.extend(map(self.value, value))
        elif isinstance(value, dict):
            self.known[key] = result = {}
            result.update((_hashable(self.value(name)), self.value(item)) for name, item in value.items())
        elif isinstance(value, (set, frozenset)):
            self.known[key] = result = set()
            result.update(_hashable(self.value(item)) for item in value)
        elif _dataclasses.is_dataclass(value) and not isinstance(value, type):
            name = type(value).__name__
            raise MissingClassMapping(
                f"expected a type in the map, found {name}; add it with update_class_map", code="classNotAllowed")
        else:
            return value
        return result

    def instance(self, value):
        result = self.known[id(value)] = ArchivedObject(ARCHIVE_CLASS_MAP[type(value)])
        encode = getattr(type(value), "encode_archive", None)
        if encode:
            encode(value, _Encoded(result.fields, self))
        else:
            for field in _dataclasses.fields(value):
                name = field.metadata.get("key", field.name)
                result.fields[name] = self.value(getattr(value, field.name))
        return result


def archive(obj):
    """Archives an object as the root of an archive.

    Raises:
        MissingClassMapping: The type of a dataclass is not in the map.
        TypeError: An archive cannot represent the type of a value.
        KeyedArchiveError: The objects are nested too deeply.
    """
    try:
        return _archive(_Encoder().value(obj))
    except RecursionError as error:
        raise _too_deep("objects") from error
