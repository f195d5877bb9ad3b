# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package."""

from __future__ import annotations

import plistlib
import sys


class KeyedArchiveError(plistlib.InvalidFileException):
    """Invalid input, or a value that cannot be written.

    It is a subclass of ``plistlib.InvalidFileException`` and therefore of ``ValueError``, so that handlers written for
    plistlib catch it.

    Attributes:
        code: The code of the failure, such as ``"truncated"``.
        path: The key path of the value, or None.
        offset: The byte offset in the input or in the key path, or None.
        line, column: The position in text, counted from 1, or None. A position in the key path has only a column.
        is_limit: Whether a limit was exceeded. Most limits are higher with ``limits="trusted"``.

    >>> import keyedarchive
    >>> try:
    ...     keyedarchive.loads(b"bplist00")
    ... except keyedarchive.KeyedArchiveError as error:
    ...     print(error.code)
    truncated
    """

    def __init__(self, message="Invalid file", code="invalid", path=None, offset=-1, line=0, column=0, is_limit=0):
        super().__init__(message)
        self.code = code
        self.path = path
        self.offset = offset if offset >= 0 else None
        self.line = line or None
        self.column = column or None
        self.is_limit = bool(is_limit)

    def __reduce__(self):
        return (
            type(self),
            (str(self), self.code, self.path, -1 if self.offset is None else self.offset,
             self.line or 0, self.column or 0, self.is_limit),
        )


class DateRangeError(KeyedArchiveError, OverflowError):
    """A date outside the years 1 to 9999, which ``datetime`` does not support. Its code is ``"dateOutOfRange"``."""


def too_deep(what):
    """Returns the error for values or objects whose nesting causes a RecursionError."""
    return KeyedArchiveError(
        f"expected {what} whose nesting fits in Python's recursion limit of {sys.getrecursionlimit()}, found deeper "
        "nesting", code="depthLimitExceeded", is_limit=1)
