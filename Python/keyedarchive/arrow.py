# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Decodes columns of archives through the C data interface of Arrow.

Each function decodes one batch in one call and releases the interpreter lock. It takes a binary or string array of
pyarrow, or of any library with ``__arrow_c_array__``. It returns a struct array of the same length. The results are
strings. The field ``error`` is the message for a row that cannot be decoded, and null for other rows. A null row has
null results and no error.

    import pyarrow as pa
    from keyedarchive import arrow

    rows = pa.array(arrow.get(blobs, ["RelativePath", "Size"]))
    rows.field("RelativePath"), rows.field("error")
"""

from __future__ import annotations

from collections.abc import Mapping as _Mapping

from . import _core, _preset

__all__ = ["Columns", "classes", "get", "json", "text"]


class Columns:
    """A struct array for ``pyarrow.array`` and other importers of ``__arrow_c_array__``. It can be imported once."""

    def __init__(self, schema, array, names):
        self._schema = schema
        self._array = array
        self.names = names

    def __arrow_c_array__(self, requested_schema=None):
        if self._array is None:
            raise ValueError("the columns were already imported")
        parts = self._schema, self._array
        self._schema = self._array = None
        return parts


def _run(array, operation, paths, names, limits):
    names = [*names, "error"]
    schema, source = array.__arrow_c_array__()
    return Columns(*_core.columns(schema, source, operation, paths, names, _preset(limits)), names)


def json(array, *, limits="untrusted"):
    """Returns the fields ``value`` and ``error``: each row as JSON, with the objects of archives resolved."""
    return _run(array, 0, [], ["value"], limits)


def text(array, *, limits="untrusted"):
    """Returns the fields ``value`` and ``error``: the text of each string or attributed string."""
    return _run(array, 1, [], ["value"], limits)


def classes(array, *, limits="untrusted"):
    """Returns the fields ``value`` and ``error``: the class names of each archive, as a JSON array."""
    return _run(array, 2, [], ["value"], limits)


def get(array, paths, *, limits="untrusted"):
    """Returns one field for each key path, and ``error``.

    ``paths`` is a list of key paths, or a mapping from field names to key paths. A missing value is null and not an
    error. Strings, dates, UUIDs and URLs are returned as text, data as Base64 text, and other values as JSON.

    Raises:
        KeyedArchiveError: A key path is malformed.
        ValueError: A field is named ``error``, a key path contains NUL, or ``limits`` is unknown.
    """
    items = dict(paths) if isinstance(paths, _Mapping) else {path: path for path in paths}
    if "error" in items:
        raise ValueError(
            "expected field names other than 'error', found a field with that name (pass a dictionary to rename it)")
    for path in items.values():
        if "\0" in path:
            raise ValueError(f"expected a key path without NUL, found {path!r}")
    return _run(array, 3, list(items.values()), list(items), limits)
