# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0

import pathlib
from typing import Any

__all__ = ["unserializeNSKeyedArchiver"]

def unserializeNSKeyedArchiver(
    plist: pathlib.PurePath | str | bytes | bytearray | dict[str, Any],
    removeClassName: bool = True,
    simplify: bool = True,
) -> Any: ...
