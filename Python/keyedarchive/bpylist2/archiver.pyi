# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0

from typing import Any

from .. import KeyedArchiveError

__all__ = [
    "ArchiverError", "CircularReference", "MissingClassMapping", "archive", "unarchive", "unarchive_file",
    "update_class_map",
]

ArchiverError = KeyedArchiveError

class CircularReference(KeyedArchiveError): ...
class MissingClassMapping(KeyedArchiveError): ...

UNARCHIVE_CLASS_MAP: dict[str, type]
ARCHIVE_CLASS_MAP: dict[type, str]

def update_class_map(new_map: dict[str, type]) -> None: ...
def unarchive(plist: bytes) -> Any: ...
def unarchive_file(path: str) -> Any: ...
def archive(obj: Any) -> bytes: ...
