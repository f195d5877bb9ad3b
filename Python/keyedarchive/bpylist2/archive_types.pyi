# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0

import datetime
from typing import Any, ClassVar

from .._errors import KeyedArchiveError

__all__ = ["DataclassArchiver", "Error", "timestamp"]

Error = KeyedArchiveError

class DataclassArchiver:
    def __init_subclass__(cls, ignore_unmapped: bool = False) -> None: ...
    @staticmethod
    def encode_archive(obj: Any, archive: Any) -> None: ...
    @classmethod
    def decode_archive(cls, archive: Any) -> Any: ...

class timestamp(float):
    unix2apple_epoch_delta: ClassVar[float]
    def to_datetime(self) -> datetime.datetime: ...
