# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Property lists and keyed archives, in place of plistlib.

>>> import keyedarchive as plistlib
>>> data = plistlib.dumps({"name": "Ada", "age": 36}, fmt=plistlib.FMT_BINARY)
>>> plistlib.loads(data)
{'age': 36, 'name': 'Ada'}

Archives of NSKeyedArchiver become objects:

>>> data = archive({"name": "Ada", "tags": ["a", "b"]})
>>> unarchive(data)
{'name': 'Ada', 'tags': ['a', 'b']}
"""

from __future__ import annotations

import datetime as _datetime
import json as _json
import plistlib as _plistlib
import uuid as _uuid

from . import _core
from ._archive import archive
from ._errors import KeyedArchiveError
from ._objects import ArchivedObject, Unhashable, fill_object as _fill, new_object as _new

__version__ = "1.0.0"

__all__ = [
    "FMT_BINARY", "FMT_XML", "ArchivedObject", "InvalidFileException", "KeyedArchiveError", "PlistFormat", "UID",
    "Unhashable", "archive", "classes", "dump", "dumps", "kind", "load", "loads", "text", "to_json", "unarchive",
]

PlistFormat = _plistlib.PlistFormat
FMT_XML = _plistlib.FMT_XML
FMT_BINARY = _plistlib.FMT_BINARY
UID = _plistlib.UID


class InvalidFileException(KeyedArchiveError, _plistlib.InvalidFileException):
    """The exception of plistlib, so that ``except plistlib.InvalidFileException`` catches ours."""


_LIMITS = {"untrusted": 0, "default": 1, "trusted": 2}
_EPOCH = _datetime.datetime(2001, 1, 1)
_MODES = {"strict": 0, "coerce": 1, "typed": 2, "objects": 3}


def _preset(limits):
    try:
        return _LIMITS[limits]
    except KeyError:
        raise ValueError(f"expected limits of untrusted, default or trusted, found {limits!r}") from None


def _bytes(data):
    """Takes text as plistlib does: XML in UTF-8."""
    return data.encode("utf-8") if isinstance(data, str) else data


def loads(data, *, fmt=None, dict_type=dict, aware_datetime=False, limits="default", lenient=False):
    """Reads a property list of any format: binary, XML, OpenStep or JSON.

    Linear in the size of the input. A value that a binary file shares is one object.

    Args:
        data: The bytes; text for XML.
        fmt: FMT_XML or FMT_BINARY to refuse other formats.
        dict_type: The type of dictionaries.
        aware_datetime: Whether dates are aware, in UTC. Otherwise they are naive, also in UTC.
        limits: ``"untrusted"``, ``"default"`` or ``"trusted"``: how much the input may ask for.
        lenient: Whether to let pass what Apple's parsers let pass.

    Returns:
        dict, list, str, bytes, int, float, bool, datetime, UID or None.

    Raises:
        KeyedArchiveError: The input is invalid; with its code, byte and path.

    >>> loads(b'<plist><array><integer>1</integer><true/></array></plist>')
    [1, True]
    """
    data = _bytes(data)
    if fmt is not None:
        _check_format(data, fmt)
    zone = _datetime.timezone.utc if aware_datetime else None
    return _core.loads(
        data, dict_type, _datetime.datetime, zone, UID, _preset(limits), 1 if lenient else 0)


def _check_format(data, fmt):
    if fmt not in PlistFormat:
        raise ValueError(f"Unsupported format: {fmt!r}")
    name = "binary property list" if fmt == FMT_BINARY else "XML property list"
    found = _core.kind(data)
    if found != name:
        raise InvalidFileException(
            f"expected a {name}, found {found or 'other bytes'}", code="unrecognizedFormat", offset=0)


def load(fp, **options):
    """Reads a property list from a file that is open in binary. Options as of :func:`loads`."""
    return loads(fp.read(), **options)


def _seconds(date, aware):
    if aware and date.tzinfo is not None:
        date = date.astimezone(_datetime.timezone.utc)
    return (date.replace(tzinfo=None) - _EPOCH).total_seconds()


def dumps(value, *, fmt=FMT_XML, sort_keys=True, skipkeys=False, aware_datetime=False):
    """Writes a property list.

    Args:
        value: dict, list, tuple, str, bytes, bytearray, int, float, bool, datetime, UID, and what they hold.
        fmt: FMT_XML or FMT_BINARY.
        sort_keys: Whether keys are sorted, or keep their order.
        skipkeys: Whether keys that are no strings are left out, rather than an error.
        aware_datetime: Whether aware dates are converted to UTC.

    Returns:
        The bytes.

    Raises:
        TypeError: A value has no form in a property list.
        OverflowError: An integer is out of range.
    """
    if fmt not in PlistFormat:
        raise ValueError(f"Unsupported format: {fmt!r}")
    return _core.dumps(
        value, 1 if fmt == FMT_BINARY else 2, sort_keys, skipkeys, _datetime.datetime,
        lambda date: _seconds(date, aware_datetime), UID)


def dump(value, fp, **options):
    """Writes a property list to a file that is open in binary. Options as of :func:`dumps`."""
    fp.write(dumps(value, **options))


class _Allowed(dict):
    """The types of classes by name; None for an inert object."""

    def __init__(self, allow):
        if isinstance(allow, dict):
            super().__init__(allow)
        else:
            super().__init__((item, None) if isinstance(item, str) else (item.__name__, item) for item in allow)

    def __missing__(self, name):
        raise KeyedArchiveError(
            f"keyed archive: class {name} is not allowed (add it to `allow`)", code="classNotAllowed")


def unarchive(data, *, allow=None, aware_datetime=False, limits="default", lenient=False):
    """Reads a keyed archive.

    Collections, text, numbers, data, dates, UUIDs and ``NSNull`` become Python's. Other objects are inert
    (:class:`ArchivedObject`), or of the types that ``allow`` names. References to one object lead to one object,
    and cycles are kept. Linear in the size of the input.

    Args:
        data: The bytes.
        allow: The classes that may occur beside those of Foundation: names, or a dictionary from names to types
            (mostly dataclasses) or None. By default all may, and are inert.
        aware_datetime, limits, lenient: As of :func:`loads`.

    Returns:
        The root object; a dictionary of the roots where the archive has others than ``root``.

    Raises:
        KeyedArchiveError: The input is invalid, or has a class that is not allowed.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Save:
    ...     name: str
    ...     level: int = 1
    >>> data = archive(Save("Ada"))
    >>> unarchive(data, allow=[Save])
    Save(name='Ada', level=1)
    >>> unarchive(data)
    <Save with 2 fields>
    """
    zone = _datetime.timezone.utc if aware_datetime else None
    roots = _core.unarchive(
        _bytes(data), _datetime.datetime, zone, ArchivedObject, _uuid.UUID,
        None if allow is None else _Allowed(allow), _new, _fill, _preset(limits), 1 if lenient else 0)
    return roots["root"] if len(roots) == 1 and "root" in roots else roots


def to_json(data, path=None, *, mode="objects", limits="default", lenient=False):
    """Returns a property list, or the value at a key path, as JSON on one line.

    ``mode`` is ``"objects"``, which resolves the objects of an archive, or ``"strict"``, ``"coerce"``, ``"typed"``.

    >>> to_json(archive({"a": [1, 2]}), "a[1]")
    '2'
    """
    return _core.json(_bytes(data), path, _MODES[mode], _preset(limits), 1 if lenient else 0)


def classes(data, *, limits="default", lenient=False):
    """Returns the names of the classes of an archive, sorted."""
    return _json.loads(_core.classes(_bytes(data), _preset(limits), 1 if lenient else 0))


def text(data, *, limits="default", lenient=False):
    """Returns the text of a string or an attributed string: a typedstream, an archive, a property list; or None."""
    return _core.text(_bytes(data), _preset(limits), 1 if lenient else 0)


def kind(data):
    """Returns the name of what bytes hold, such as ``"binary property list"`` or ``"typedstream"``; or None.

    >>> kind(b"bplist00")
    'binary property list'
    """
    return _core.kind(_bytes(data))
