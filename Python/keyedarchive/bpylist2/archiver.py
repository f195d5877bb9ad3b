# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Archives with a map of classes, as bpylist2 has them.

A class in the map is a dataclass. A class of an archive that is not in the map is an error, as there.
"""

from __future__ import annotations

from .. import KeyedArchiveError as ArchiverError
from .. import archive as _archive
from .. import unarchive as _unarchive

__all__ = ["ArchiverError", "archive", "unarchive", "unarchive_file", "update_class_map"]

_classes: dict = {}


def update_class_map(new_map):
    """Adds types by the names of their classes."""
    _classes.update(new_map)
    for name, kind in new_map.items():
        kind.__archived_class__ = name


def unarchive(plist):
    """Reads an archive from bytes."""
    return _unarchive(plist, allow=_classes)


def unarchive_file(path):
    """Reads an archive from a file."""
    with open(path, "rb") as file:
        return unarchive(file.read())


def archive(obj):
    """Writes an object as an archive, in bytes."""
    return _archive(obj)
