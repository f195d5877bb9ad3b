# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from . import _Limits

__all__ = ["Columns", "classes", "get", "json", "text"]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class Columns:
    names: list[str]
    def __init__(self, schema: object, array: object, names: list[str]) -> None: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

def json(array: _ArrowArray, *, limits: _Limits = "untrusted") -> Columns: ...
def text(array: _ArrowArray, *, limits: _Limits = "untrusted") -> Columns: ...
def classes(array: _ArrowArray, *, limits: _Limits = "untrusted") -> Columns: ...
def get(
    array: _ArrowArray, paths: Iterable[str] | Mapping[str, str], *, limits: _Limits = "untrusted"
) -> Columns: ...
