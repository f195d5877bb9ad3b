# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Property lists and keyed archives. A drop-in replacement for plistlib.

>>> import keyedarchive as plistlib
>>> data = plistlib.dumps({"name": "Ada", "age": 36}, fmt=plistlib.FMT_BINARY)
>>> plistlib.loads(data)
{'age': 36, 'name': 'Ada'}

NSKeyedArchiver archives become Python objects:

>>> data = archive({"name": "Ada", "tags": ["a", "b"]})
>>> unarchive(data)
{'name': 'Ada', 'tags': ['a', 'b']}
"""

from __future__ import annotations

import datetime as _datetime
import json as _json
import plistlib as _plistlib
import uuid as _uuid
from collections.abc import Mapping as _Mapping

from . import _core
from ._archive import archive
from ._errors import DateRangeError, KeyedArchiveError
from ._objects import ArchivedObject, Unhashable, fill_object as _fill, new_object as _new

__version__ = "1.0.0"

__all__ = [
    "FMT_BINARY", "FMT_XML", "ArchivedObject", "DateRangeError", "InvalidFileException", "KeyedArchiveError",
    "PlistFormat", "UID", "Unhashable", "archive", "classes", "dump", "dumps", "kind", "load", "loads", "text",
    "to_json", "unarchive",
]

PlistFormat = _plistlib.PlistFormat
FMT_XML = _plistlib.FMT_XML
FMT_BINARY = _plistlib.FMT_BINARY
UID = _plistlib.UID


# The name of this exception in plistlib.
InvalidFileException = KeyedArchiveError

_LIMITS = {"untrusted": 0, "default": 1, "trusted": 2}
_EPOCH = _datetime.datetime(2001, 1, 1)
_MODES = {"strict": 0, "coerce": 1, "typed": 2, "objects": 3}


def _preset(limits):
    try:
        return _LIMITS[limits]
    except KeyError:
        raise ValueError(f"expected limits of untrusted, default or trusted, found {limits!r}") from None


def _bytes(data):
    """Returns the input as bytes. As in plistlib, text is encoded as UTF-8."""
    if isinstance(data, str):
        return data.encode("utf-8")
    # Copies other buffers: the extension reads without the interpreter lock and does not hold them.
    return data if type(data) is bytes else memoryview(data).tobytes()


def _formats(fmt, any_format):
    """Returns the set of accepted formats as a bit mask: bit n is the format with the number n in keyed.h."""
    if fmt is None:
        return 0b11110 if any_format else 0b00110
    if not isinstance(fmt, PlistFormat):
        raise ValueError(f"Unsupported format: {fmt!r}")
    return 0b00010 if fmt == FMT_BINARY else 0b00100


def _values(data, dict_type, zone, formats, limits, lenient, far_date=None):
    """Returns the root value. ``far_date`` replaces dates outside the years 1 to 9999; by default they are errors."""
    return _core.loads(
        _bytes(data), dict_type, _datetime.datetime, zone, far_date, UID, formats, _preset(limits), 1 if lenient else 0)


def loads(
    data, *, fmt=None, dict_type=dict, aware_datetime=False, any_format=False, limits="default", lenient=False
):
    """Parses a property list.

    The time is linear in the size of the input. A shared value in a binary file becomes one Python object.

    Args:
        data: The bytes, or text for XML.
        fmt: FMT_XML or FMT_BINARY to reject the other format. By default both are accepted, as in plistlib.
        dict_type: The type of dictionaries. Each value is complete before it is set in its dictionary.
        aware_datetime: Whether dates are aware, in UTC. By default they are naive, also in UTC.
        any_format: Whether to accept OpenStep property lists and JSON as well.
        limits: The preset of limits on the input: ``"untrusted"``, ``"default"`` or ``"trusted"``.
        lenient: Whether to accept the deviations that Apple's parsers accept.

    Returns:
        A dict, list, str, bytes, int, float, bool, datetime, UID or None.

    Raises:
        KeyedArchiveError: The input is invalid. The error has its code, byte offset and key path.
        DateRangeError: A date is outside the years 1 to 9999. It is a KeyedArchiveError and an OverflowError.
        ValueError: ``fmt`` or ``limits`` is unknown.

    >>> loads(b'<plist><array><integer>1</integer><true/></array></plist>')
    [1, True]
    """
    zone = _datetime.timezone.utc if aware_datetime else None
    return _values(data, dict_type, zone, _formats(fmt, any_format), limits, lenient)


def load(fp, **options):
    """Parses a property list from a file that is open in binary mode. The options are those of :func:`loads`."""
    return loads(fp.read(), **options)


def _seconds(date, aware):
    if aware and date.tzinfo is not None:
        date = date.astimezone(_datetime.timezone.utc)
    return (date.replace(tzinfo=None) - _EPOCH).total_seconds()


def dumps(value, *, fmt=FMT_XML, sort_keys=True, skipkeys=False, aware_datetime=False):
    """Serializes a value as a property list.

    Args:
        value: A dict, list, tuple, str, bytes, bytearray, int, float, bool, datetime or UID. Containers hold such
            values.
        fmt: FMT_XML or FMT_BINARY.
        sort_keys: Whether to sort keys. Otherwise they keep their order.
        skipkeys: Whether to skip keys that are not strings. Otherwise they raise TypeError.
        aware_datetime: Whether to convert aware dates to UTC.

    As in plistlib, the binary format stores a container once, even if it occurs several times. XML repeats it.

    Returns:
        The bytes of the property list.

    Raises:
        TypeError: A property list cannot represent the type of a value.
        OverflowError: An integer is outside -2**63 to 2**64-1, or a UID is above 2**32-1.
        RecursionError: A container contains itself, or containers are nested too deeply.
        KeyedArchiveError: The format cannot represent a value, such as a string with a NUL in XML, or the XML would
            exceed the limits because it repeats containers.
        ValueError: ``fmt`` is unknown.
    """
    if not isinstance(fmt, PlistFormat):
        raise ValueError(f"Unsupported format: {fmt!r}")
    return _core.dumps(
        value, 1 if fmt == FMT_BINARY else 2, sort_keys, skipkeys, _datetime.datetime,
        lambda date: _seconds(date, aware_datetime), UID)


def dump(value, fp, **options):
    """Serializes a value to a file that is open in binary mode. The options are those of :func:`dumps`."""
    fp.write(dumps(value, **options))


class _Allowed(dict):
    """Maps the names of allowed classes to Python types, or to None for inert objects."""

    def __init__(self, allow):
        if isinstance(allow, _Mapping):
            super().__init__(allow)
        elif isinstance(allow, (str, type)):
            # A string is also a list: of its characters.
            name = repr(allow) if isinstance(allow, str) else allow.__name__
            raise TypeError(f"expected a list or a dictionary for `allow`, found {name} (use `allow=[{name}]`)")
        else:
            super().__init__((item, None) if isinstance(item, str) else (item.__name__, item) for item in allow)

    def __missing__(self, name):
        raise KeyedArchiveError(
            f"keyed archive: class {name} is not allowed (add it to `allow`)", code="classNotAllowed")


# The numbers of forms in keyed.h. The modules that replace other packages, such as nska_deserialize, pass them to the
# functions below as ``inert``.
_DATA, _DATE, _UUID, _URL, _SET, _ORDERED_SET = 4, 5, 6, 7, 9, 10


def _roots(data, allow, inert, zone, limits, lenient, far_date=None):
    """Returns the dictionary of the roots. Objects of the forms in ``inert`` become inert objects too.

    ``far_date`` is that of ``_values``. It replaces only dates without a class.
    """
    return _core.unarchive(
        _bytes(data), _datetime.datetime, zone, far_date, ArchivedObject, _uuid.UUID,
        None if allow is None else _Allowed(allow), _new, _fill, sum(1 << form for form in inert), _preset(limits),
        1 if lenient else 0)


def _unarchive(data, allow, inert, zone, limits, lenient):
    """Returns the root object, or the dictionary of the roots if there are roots other than ``root``."""
    roots = _roots(data, allow, inert, zone, limits, lenient)
    return roots["root"] if len(roots) == 1 and "root" in roots else roots


def unarchive(data, *, allow=None, aware_datetime=False, limits="default", lenient=False):
    """Unarchives a keyed archive.

    Foundation's collections, strings, numbers, data, dates, UUIDs and ``NSNull`` become Python objects. An object of
    another class becomes an inert :class:`ArchivedObject`, or an instance of the type that ``allow`` maps it to. The
    other classes include ``NSURL``. An ``NSDate`` outside the years 1 to 9999 is treated like an object of another
    class, but is always allowed.

    Identity and cycles are preserved. An element of a set or a key that cannot be hashed, such as a list, is wrapped in
    :class:`Unhashable`. An instance receives its fields before it becomes a key or an element of a set. With
    ``lenient=True``, a field may have a key that is not text. Instances do not receive such fields. The time is linear
    in the size of the input.

    Args:
        data: The bytes.
        allow: The allowed classes besides those that become Python objects: a list of names and types, or a dictionary
            from names to types (usually dataclasses) or None. An instance of a subclass of :class:`ArchivedObject`
            keeps its class and its fields. By default every class is allowed and inert.
        aware_datetime, limits, lenient: The options of :func:`loads`.

    Returns:
        The root object, or a dictionary of the roots if the archive has roots other than ``root``.

    Raises:
        KeyedArchiveError: The input is invalid, contains a class that is not allowed, or has a key or an element of a
            set whose hash depends on a missing field, or on the dictionary or set itself. Without ``lenient=True``,
            also if two keys of a dictionary, or elements of a set, are equal in Python.
        DateRangeError: A date that is not an NSDate object is outside the years 1 to 9999.
        TypeError: ``allow`` is a single name or type, or contains a type that cannot receive fields: one that is
            neither a dataclass nor a subclass of :class:`ArchivedObject`, and whose instances have no ``__dict__``.

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
    return _unarchive(data, allow, (), zone, limits, lenient)


def _mode(name):
    try:
        return _MODES[name]
    except KeyError:
        raise ValueError(f"expected a mode of {', '.join(_MODES)}, found {name!r}") from None


def to_json(data, path=None, *, mode="objects", limits="default", lenient=False):
    """Returns a property list, or the value at a key path, as JSON on one line.

    Args:
        data: The bytes.
        path: The key path of the value. By default the whole property list is returned.
        mode: ``"objects"`` resolves the objects of an archive. ``"strict"``, ``"coerce"`` and ``"typed"`` return the
            property list itself. In ``strict``, dates, data and UIDs are errors. In ``coerce``, dates and data are
            text, and UIDs are numbers. In ``typed``, all three are tagged objects such as ``{"$date": …}``.
        limits, lenient: The options of :func:`loads`.

    Raises:
        KeyedArchiveError: The input is invalid, has no value at the path, or contains a value that the mode cannot
            represent.
        ValueError: ``mode`` or ``limits`` is unknown.

    >>> to_json(archive({"a": [1, 2]}), "a[1]")
    '2'
    """
    if not isinstance(path, (str, type(None))):
        raise TypeError(f"expected a key path in a str, found {type(path).__name__}")
    return _core.json(_bytes(data), path, _mode(mode), _preset(limits), 1 if lenient else 0)


def classes(data, *, limits="default", lenient=False):
    """Returns the sorted names of the classes in an archive.

    Raises:
        KeyedArchiveError: The input is invalid or not an archive.
    """
    return _json.loads(_core.classes(_bytes(data), _preset(limits), 1 if lenient else 0))


def text(data, *, limits="default", lenient=False):
    """Returns the text of a string or an attributed string, or None if the root is another value.

    The string is the root of a typedstream, of a keyed archive or of a property list. The root of a keyed archive may
    also be a URL without a base.

    Raises:
        KeyedArchiveError: The input is invalid.
    """
    return _core.text(_bytes(data), _preset(limits), 1 if lenient else 0)


def kind(data):
    """Returns the name of a format, such as ``"binary property list"`` or ``"typedstream"``, or None if it is unknown.

    Only the first bytes are read.

    >>> kind(b"bplist00")
    'binary property list'
    """
    return _core.kind(_bytes(data))
