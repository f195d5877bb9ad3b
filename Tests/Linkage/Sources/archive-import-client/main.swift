// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import KeyedArchive

// A typedstream with the string "Hi".
let bytes: [UInt8] =
    [4, 11] + Array("streamtyped".utf8) + [0x81, 0xE8, 0x03, 0x84, 1, 0x40, 0x84, 0x84, 0x84, 8]
    + Array("NSString".utf8) + [1, 0x84, 0x84, 8] + Array("NSObject".utf8)
    + [0, 0x85, 0x84, 1, 0x2B, 2] + Array("Hi".utf8) + [0x86]
let text = try ImportedArchive(parsing: bytes).unarchive(String.self)
print("ArchiveImport", text == "Hi" ? "works" : "fails")
