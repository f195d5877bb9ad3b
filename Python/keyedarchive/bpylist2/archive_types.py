# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""The API of ``bpylist2.archive_types``."""

from __future__ import annotations

import dataclasses
import datetime

from .._errors import KeyedArchiveError

__all__ = ["DataclassArchiver", "Error", "timestamp"]

Error = KeyedArchiveError


def _key(name):
    """Returns the key of a field. In archives, the prefix ``NS`` is followed by a dot."""
    return f"NS.{name[2:]}" if name.startswith("NS") else name


class DataclassArchiver:
    """The base class of dataclasses that have the fields of an archived class.

    Keys without a matching field are errors, unless the dataclass is declared with ``ignore_unmapped=True``.
    """

    _ignores_unmapped = False

    def __init_subclass__(cls, ignore_unmapped=False):
        cls._ignores_unmapped = ignore_unmapped

    @staticmethod
    def encode_archive(obj, archive):
        """Encodes each field under its key."""
        for field in dataclasses.fields(obj):
            archive.encode(_key(field.name), getattr(obj, field.name))

    @classmethod
    def decode_archive(cls, archive):
        """Returns an instance with the fields of an archived object."""
        names = [field.name for field in dataclasses.fields(cls)]
        unmapped = set(archive.object) - {"$class"} - {_key(name) for name in names}
        if unmapped and not cls._ignores_unmapped:
            raise Error(
                f"expected the keys {sorted(map(_key, names))} in {cls.__name__}, also found {sorted(unmapped)}",
                code="unmappedKey")
        return cls(**{name: archive.decode(_key(name)) for name in names})


class timestamp(float):
    """A date as seconds since 1970-01-01T00:00:00Z.

    >>> timestamp(0).to_datetime().isoformat()
    '1970-01-01T00:00:00+00:00'
    """

    unix2apple_epoch_delta = 978307200.0

    def to_datetime(self):
        """Returns the date as an aware datetime."""
        return datetime.datetime.fromtimestamp(self, datetime.timezone.utc)
