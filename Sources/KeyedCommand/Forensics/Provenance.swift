// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Where values are from, at the end of each line of JSON.
enum Provenance {
    /// The file and the SHA-256 of its bytes.
    static func of(_ file: String, _ bytes: [UInt8]) -> PropertyListDictionary {
        ["file": .string(file), "sha256": .string(SHA256.hexadecimal(of: bytes))]
    }
}
