# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""The objects of archives that have no type in Python."""

from __future__ import annotations

import dataclasses


class ArchivedObject:
    """An object of a class without a type in Python: its class and its fields. It does nothing.

    A field is an item, ``archived["name"]``, and, where its name allows, an attribute, ``archived.name``.

    >>> save = ArchivedObject("Save", fields={"level": 3})
    >>> save["level"], save.level, save.class_name
    (3, 3, 'Save')
    """

    __slots__ = ("class_name", "class_chain", "fields", "__weakref__")

    def __init__(self, class_name, class_chain=None, fields=None):
        self.class_name = class_name
        self.class_chain = (class_name, "NSObject") if class_chain is None else class_chain
        self.fields = {} if fields is None else fields

    def __getitem__(self, key):
        return self.fields[key]

    def __contains__(self, key):
        return key in self.fields

    def get(self, key, default=None):
        """Returns the field, or ``default`` where the object has none of that name."""
        return self.fields.get(key, default)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(f"{self.class_name} has no field {name!r}") from None

    def __repr__(self):
        return f"<{self.class_name} with {len(self.fields)} fields>"


class Unhashable:
    """An element of a set, or a key of a dictionary, that Python cannot hash. Equal by identity of the value."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return id(self.value)

    def __eq__(self, other):
        return isinstance(other, Unhashable) and self.value is other.value

    def __repr__(self):
        return f"Unhashable({type(self.value).__name__})"


def new_object(kind):
    """Makes an object of a class of the caller, without calling its initializer: cycles may lead to it."""
    return object.__new__(kind)


def fill_object(target, fields):
    """Sets the fields of an object: of a dataclass those that it declares, with its defaults; of others all."""
    if not dataclasses.is_dataclass(target):
        target.__dict__.update(fields)
        return
    for field in dataclasses.fields(target):
        name = field.metadata.get("key", field.name)
        if name in fields:
            value = fields[name]
        elif field.default is not dataclasses.MISSING:
            value = field.default
        elif field.default_factory is not dataclasses.MISSING:
            value = field.default_factory()
        else:
            from ._errors import KeyedArchiveError

            raise KeyedArchiveError(
                f"missing key {name!r} in {type(target).__name__}; present keys: "
                + ", ".join(map(repr, list(fields)[:20])), code="missingValue")
        object.__setattr__(target, field.name, value)
