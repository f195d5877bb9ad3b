# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""The API of bpylist2: ``from keyedarchive.bpylist2 import archiver``."""

from . import archive_types, archiver

__all__ = ["archive_types", "archiver"]
