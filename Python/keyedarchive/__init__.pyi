# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0

from collections.abc import Iterable, Mapping, MutableMapping
from plistlib import FMT_BINARY as FMT_BINARY, FMT_XML as FMT_XML, UID as UID, PlistFormat as PlistFormat
from typing import IO, Any, Literal, TypeAlias

from ._archive import archive as archive
from ._errors import KeyedArchiveError as KeyedArchiveError
from ._objects import ArchivedObject as ArchivedObject, Unhashable as Unhashable

__all__ = [
    "FMT_BINARY", "FMT_XML", "ArchivedObject", "InvalidFileException", "KeyedArchiveError", "PlistFormat", "UID",
    "Unhashable", "archive", "classes", "dump", "dumps", "kind", "load", "loads", "text", "to_json", "unarchive",
]

__version__: str

InvalidFileException = KeyedArchiveError

_Bytes: TypeAlias = bytes | bytearray | memoryview
_Limits: TypeAlias = Literal["untrusted", "default", "trusted"]

def loads(
    data: _Bytes | str,
    *,
    fmt: PlistFormat | None = None,
    dict_type: type[MutableMapping[str, Any]] = ...,
    aware_datetime: bool = False,
    any_format: bool = False,
    limits: _Limits = "default",
    lenient: bool = False,
) -> Any: ...
def load(
    fp: IO[bytes],
    *,
    fmt: PlistFormat | None = None,
    dict_type: type[MutableMapping[str, Any]] = ...,
    aware_datetime: bool = False,
    any_format: bool = False,
    limits: _Limits = "default",
    lenient: bool = False,
) -> Any: ...
def dumps(
    value: Any,
    *,
    fmt: PlistFormat = ...,
    sort_keys: bool = True,
    skipkeys: bool = False,
    aware_datetime: bool = False,
) -> bytes: ...
def dump(
    value: Any,
    fp: IO[bytes],
    *,
    fmt: PlistFormat = ...,
    sort_keys: bool = True,
    skipkeys: bool = False,
    aware_datetime: bool = False,
) -> None: ...
def unarchive(
    data: _Bytes | str,
    *,
    allow: Mapping[str, type | None] | Iterable[str | type] | None = None,
    aware_datetime: bool = False,
    limits: _Limits = "default",
    lenient: bool = False,
) -> Any: ...
def to_json(
    data: _Bytes | str,
    path: str | None = None,
    *,
    mode: Literal["objects", "strict", "coerce", "typed"] = "objects",
    limits: _Limits = "default",
    lenient: bool = False,
) -> str: ...
def classes(data: _Bytes | str, *, limits: _Limits = "default", lenient: bool = False) -> list[str]: ...
def text(data: _Bytes | str, *, limits: _Limits = "default", lenient: bool = False) -> str | None: ...
def kind(data: _Bytes | str) -> str | None: ...
