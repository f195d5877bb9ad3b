# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0

import plistlib

class KeyedArchiveError(plistlib.InvalidFileException):
    code: str
    path: str | None
    offset: int | None
    line: int | None
    column: int | None
    is_limit: bool
    def __init__(
        self,
        message: str = "Invalid file",
        code: str = "invalid",
        path: str | None = None,
        offset: int = -1,
        line: int = 0,
        column: int = 0,
        is_limit: int = 0,
    ) -> None: ...

class DateRangeError(KeyedArchiveError, OverflowError): ...

def too_deep(what: str) -> KeyedArchiveError: ...
