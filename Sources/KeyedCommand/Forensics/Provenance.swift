// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// The entries about the origin of values, which are appended to each line of JSON.
enum Provenance {
    /// Returns the name of the file and the SHA-256 of its bytes.
    static func of(_ file: String, _ bytes: [UInt8]) -> PropertyListDictionary {
        of(file, hash: SHA256.hexadecimal(of: bytes))
    }

    /// Returns the name of the file and the SHA-256 of its bytes, in hexadecimal.
    static func of(_ file: String, hash: String) -> PropertyListDictionary {
        ["file": .string(file), "sha256": .string(hash)]
    }
}
