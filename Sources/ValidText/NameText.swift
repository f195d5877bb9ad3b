// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text of class names and keys in files.
package enum NameText {
    /// Returns whether `bytes` are valid UTF-8 without NUL. Linear.
    package static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        for byte in bytes where byte &- 1 >= 0x7f {
            return !bytes.contains(0) && String(validUTF8: bytes) != nil
        }
        return true
    }
}
