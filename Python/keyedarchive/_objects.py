# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Python objects for archived objects whose classes have no Python type."""

from __future__ import annotations

import dataclasses

from ._errors import KeyedArchiveError


class ArchivedObject:
    """An inert object: the class and the fields of an archived object, without behavior.

    A field is available as an item, ``archived["name"]``. If its name is an identifier, the field is also available as
    an attribute, ``archived.name``, unless the name begins with ``__`` or is that of an attribute of this class.

    Attributes:
        class_name: The name of the class.
        class_chain: The names of the class and its superclasses, the class first.
        fields: The fields by key.

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
        """Returns the field for a key, or ``default`` if the object has no such field."""
        return self.fields.get(key, default)

    def __getattr__(self, name):
        # `fields` is missing in an instance whose initializer did not run.
        if name.startswith("__") or name in ArchivedObject.__slots__:
            raise AttributeError(name)
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(f"{self.class_name} has no field {name!r}") from None

    def __repr__(self):
        count = len(self.fields)
        return f"<{self.class_name} with {count} {'field' if count == 1 else 'fields'}>"


class Unhashable:
    """A wrapper around an unhashable set element or dictionary key. Two wrappers of the same object are equal."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return id(self.value)

    def __eq__(self, other):
        return isinstance(other, Unhashable) and self.value is other.value

    def __repr__(self):
        return f"Unhashable({type(self.value).__name__})"


def hashable(value):
    """Returns a value, wrapped in ``Unhashable`` if it has no hash.

    Raises:
        KeyedArchiveError: The hash of the value depends on a missing field.
    """
    try:
        hash(value)
    except TypeError:
        return Unhashable(value)
    except AttributeError as error:
        raise KeyedArchiveError(
            f"expected a key with all fields that its hash depends on, found an incomplete {type(value).__name__}: "
            f"{error} (exclude a field that may be missing, or may contain the key, from `__hash__`)",
            code="missingValue") from error
    return value


def new_object(kind, class_name, class_chain):
    """Creates an instance without calling its initializer.

    The fields are set later, because a cycle may refer to the instance before they are known.
    """
    made = object.__new__(kind)
    if isinstance(made, ArchivedObject):
        ArchivedObject.__init__(made, class_name, class_chain)
    return made


def _attributes(target):
    try:
        return target.__dict__
    except AttributeError:
        name = type(target).__name__
        raise TypeError(
            f"expected a type in `allow` whose instances have a `__dict__`, found {name} (make {name} a dataclass)"
        ) from None


def fill_object(target, fields):
    """Sets the fields of an instance.

    A dataclass receives only the fields that it declares, with its defaults for missing ones. Other types receive all
    fields: a subclass of ``ArchivedObject`` as its ``fields``, other types as attributes.

    Raises:
        KeyedArchiveError: A dataclass has no value for a field.
        TypeError: The type is neither a dataclass nor a subclass of ``ArchivedObject``, and its instances have no
            ``__dict__``.
    """
    is_dataclass = dataclasses.is_dataclass(target)
    if isinstance(target, ArchivedObject):
        target.fields.update(fields)
    elif not is_dataclass:
        _attributes(target).update(fields)
    for field in dataclasses.fields(target) if is_dataclass else ():
        name = field.metadata.get("key", field.name)
        if name in fields:
            value = fields[name]
        elif field.default is not dataclasses.MISSING:
            value = field.default
        elif field.default_factory is not dataclasses.MISSING:
            value = field.default_factory()
        else:
            raise KeyedArchiveError(
                f"missing key {name!r} in {type(target).__name__}; present keys: "
                + ", ".join(map(repr, list(fields)[:20])), code="missingValue")
        object.__setattr__(target, field.name, value)
