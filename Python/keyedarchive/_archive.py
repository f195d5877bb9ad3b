# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Archives Python objects."""

from __future__ import annotations

import dataclasses
import datetime
import uuid

from plistlib import UID

from ._objects import ArchivedObject, Unhashable

_EPOCH = datetime.datetime(2001, 1, 1)


def _leaf(value):
    """Returns a string, number or bytes as an instance of the built-in type, or None for other values.

    A subclass may redefine equality, so only instances of the built-in types are compared.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int.__index__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, (bytes, bytearray)):
        return memoryview(value).tobytes()
    return None


class _Archiver:
    """The object table of one archive. A worklist replaces recursion, so nesting is not limited by the stack."""

    def __init__(self):
        self.objects = ["$null"]
        self.known = {}  # object numbers, by identity, or by type and value for strings, numbers and bytes
        self.kept = []  # keeps the objects alive, because the identity of a freed object could be reused
        self.pending = []
        self.described = {}

    def reference(self, value):
        """Returns the UID of a value. Adds the value to the table if it is new."""
        if isinstance(value, Unhashable):
            value = value.value
        if value is None:
            return UID(0)
        leaf = _leaf(value)
        if leaf is not None:
            value = leaf
        key = id(value) if leaf is None else (type(leaf), leaf.hex() if type(leaf) is float else leaf)
        if key in self.known:
            return UID(self.known[key])
        number = len(self.objects)
        self.known[key] = number
        self.kept.append(value)
        # A plain `$null` would be nil. Only an object with the text as a field is read as text.
        if leaf is not None and value != "$null":
            self.objects.append(value)
        else:
            self.objects.append(None)
            self.pending.append((number, value))
        return UID(number)

    def description(self, *chain):
        """Returns the UID of a class description. Adds it to the table if it is new."""
        if chain not in self.described:
            self.described[chain] = len(self.objects)
            self.objects.append({"$classname": chain[0], "$classes": list(chain)})
        return UID(self.described[chain])

    def fill(self):
        """Encodes all values that were added."""
        while self.pending:
            number, value = self.pending.pop()
            self.objects[number] = self.form(value)

    def form(self, value):
        """Returns the dictionary that represents a value in the object table."""
        if isinstance(value, str):
            return {"NS.string": value, "$class": self.description("NSString", "NSObject")}
        if isinstance(value, dict):
            return {
                "NS.keys": [self.reference(key) for key in value],
                "NS.objects": [self.reference(item) for item in value.values()],
                "$class": self.description("NSDictionary", "NSObject"),
            }
        if isinstance(value, (list, tuple)):
            return self.collection(value, "NSArray")
        if isinstance(value, (set, frozenset)):
            return self.collection(value, "NSSet")
        if isinstance(value, datetime.datetime):
            if value.tzinfo is not None:
                value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            return {
                "NS.time": (value - _EPOCH).total_seconds(), "$class": self.description("NSDate", "NSObject")}
        if isinstance(value, uuid.UUID):
            return {"NS.uuidbytes": value.bytes, "$class": self.description("NSUUID", "NSObject")}
        if isinstance(value, ArchivedObject):
            return self.fields(value.fields, value.class_chain)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {
                field.metadata.get("key", field.name): getattr(value, field.name)
                for field in dataclasses.fields(value)}
            name = getattr(type(value), "__archived_class__", type(value).__name__)
            return self.fields(fields, (name, "NSObject"))
        raise TypeError(
            f"unsupported type: {type(value)!r}; expected a value of a property list, a set, a UUID, a dataclass or "
            "an ArchivedObject")

    def collection(self, values, name):
        return {
            "NS.objects": [self.reference(item) for item in values], "$class": self.description(name, "NSObject")}

    def fields(self, fields, chain):
        form = {}
        for key, value in fields.items():
            if key == "$class":
                raise ValueError(
                    f"{chain[0]} has a field '$class', the key of the class reference (rename it; NSKeyedArchiver "
                    "writes it as '$$class')")
            # NSKeyedArchiver writes numbers inline.
            form[key] = value if isinstance(value, (bool, int, float)) else self.reference(value)
        form["$class"] = self.description(*chain)
        return form


def archive(value):
    """Archives a value as the root object of a binary keyed archive.

    dict, list, tuple, set, str, bytes, int, float, bool, datetime, UUID and None become Foundation's objects. A
    dataclass instance is archived under the class name in its attribute ``__archived_class__``, or else under the name
    of its type. An :class:`ArchivedObject` keeps its class. An :class:`Unhashable` is archived as the value that it
    wraps. Identity and cycles are preserved.

    Returns:
        The bytes of the archive. Its root has the key ``root``.

    Raises:
        TypeError: An archive cannot represent the type of a value.
        ValueError: A field has the key ``$class``.
        OverflowError: An integer is outside -2**63 to 2**64-1.
    """
    from . import FMT_BINARY, dumps

    archiver = _Archiver()
    root = archiver.reference(value)
    archiver.fill()
    return dumps(
        {
            "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": root},
            "$objects": archiver.objects,
        },
        fmt=FMT_BINARY, sort_keys=False)
