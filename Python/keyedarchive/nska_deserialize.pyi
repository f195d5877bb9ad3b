# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0

import plistlib as plistlib
from typing import IO, Any

from . import KeyedArchiveError

__all__ = [
    "DeserializeError", "biplist", "ccl_bplist", "deserialize_plist", "deserialize_plist_from_string", "plistlib",
    "write_plist_to_file", "write_plist_to_json_file",
]

class DeserializeError(KeyedArchiveError): ...

class biplist:
    NotBinaryPlistException = KeyedArchiveError
    InvalidPlistException = KeyedArchiveError

class ccl_bplist:
    BplistError = KeyedArchiveError

def deserialize_plist_from_string(
    bytes_to_deserialize: bytes | bytearray,
    full_recurse_convert_nska: bool = False,
    format: type[list[Any]] | type[dict[str, Any]] = ...,
) -> Any: ...
def deserialize_plist(
    path_or_file: str | IO[bytes],
    full_recurse_convert_nska: bool = False,
    format: type[list[Any]] | type[dict[str, Any]] = ...,
) -> Any: ...
def write_plist_to_json_file(deserialized_plist: Any, output_path: str) -> None: ...
def write_plist_to_file(deserialized_plist: Any, output_path: str) -> None: ...
