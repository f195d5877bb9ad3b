// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text of class names and keys in files.
package enum NameText {
    /// Returns whether the bytes at `place` are valid UTF-8 without NUL. Linear.
    package static func isValid(_ bytes: [UInt8], at place: Range<Int>) -> Bool {
        let name = bytes[place]
        let span = name.span
        var highest: UInt8 = 0
        // Subtracting 1 turns NUL into 255, so one comparison finds NUL and non-ASCII bytes. There
        // is no branch, so the compiler can process several bytes at a time.
        for index in span.indices { highest = max(highest, span[index] &- 1) }
        return highest < 0x7f || (!name.contains(0) && String(validUTF8: name) != nil)
    }
}
