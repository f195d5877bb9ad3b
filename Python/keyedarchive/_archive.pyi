# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0

from typing import Any

def archive(value: Any) -> bytes: ...
