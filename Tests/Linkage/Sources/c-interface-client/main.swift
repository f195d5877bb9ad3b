// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import CKeyed
import KeyedC

print("KeyedC", keyed_abi_version() == 1 ? "works" : "fails")
