# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Columns of archives, by the C data interface of Arrow: one call for a batch, without the interpreter's lock.

Each function takes an array of binary values or text, of pyarrow or of any library with ``__arrow_c_array__``, and
returns an array of structures of the same length: the results, and ``error``, which is null for a row that was read.
Results are text. A row that is null has nulls alone.

    import pyarrow as pa
    from keyedarchive import arrow

    rows = pa.array(arrow.get(blobs, ["RelativePath", "Size"]))
    rows.field("RelativePath"), rows.field("error")
"""

from __future__ import annotations

from . import _core, _preset

__all__ = ["Columns", "classes", "get", "json", "text"]


class Columns:
    """An array of structures, for ``pyarrow.array`` and others that take ``__arrow_c_array__``. It is taken once."""

    def __init__(self, schema, array, names):
        self._schema = schema
        self._array = array
        self.names = names

    def __arrow_c_array__(self, requested_schema=None):
        if self._array is None:
            raise ValueError("the columns were taken already")
        parts = self._schema, self._array
        self._schema = self._array = None
        return parts


def _run(array, operation, paths, names, limits):
    names = [*names, "error"]
    schema, source = array.__arrow_c_array__()
    return Columns(*_core.columns(schema, source, operation, paths, names, _preset(limits)), names)


def json(array, *, limits="untrusted"):
    """Returns ``value``, the JSON of each row with objects resolved, and ``error``."""
    return _run(array, 0, [], ["value"], limits)


def text(array, *, limits="untrusted"):
    """Returns ``value``, the text of each string or attributed string, and ``error``."""
    return _run(array, 1, [], ["value"], limits)


def classes(array, *, limits="untrusted"):
    """Returns ``value``, the names of the classes as a JSON array, and ``error``."""
    return _run(array, 2, [], ["value"], limits)


def get(array, paths, *, limits="untrusted"):
    """Returns a column for each key path, by its name, and ``error``.

    ``paths`` is a list of key paths, or a dictionary from names to key paths. A value that is not there is null.
    Text, dates and UUIDs are their text, other values their JSON.
    """
    items = dict(paths) if isinstance(paths, dict) else {path: path for path in paths}
    for path in items.values():
        if "\0" in path:
            raise ValueError(f"a key path has a NUL: {path!r}")
    return _run(array, 3, list(items.values()), list(items), limits)
