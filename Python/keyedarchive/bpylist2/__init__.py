# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""The entry points of bpylist2: ``from keyedarchive.bpylist2 import archiver``."""

from . import archiver

__all__ = ["archiver"]
