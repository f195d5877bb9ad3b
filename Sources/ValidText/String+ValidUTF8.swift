// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Creates a string from bytes, or returns nil if they are not valid UTF-8. Linear.
    @inlinable
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        if #available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            // Decoding replaces invalid bytes with U+FFFD, so the bytes of the result then differ
            // from the input.
            self.init(decoding: bytes, as: UTF8.self)
            guard utf8.elementsEqual(bytes) else { return nil }
        }
    }

    /// Creates a string from a range of bytes, or returns nil if they are not valid UTF-8. Linear.
    ///
    /// Most text is short and ASCII. A separate path for it takes half the time, because
    /// `init(validating:as:)` looks up types at run time.
    package init?(validUTF8 bytes: [UInt8], at place: Range<Int>) {
        let text = bytes[place]
        if ASCIIText.isASCII(text) {
            self.init(decoding: text, as: UTF8.self)
        } else {
            self.init(validUTF8: text)
        }
    }
}

/// The test for ASCII text.
package enum ASCIIText {
    /// Returns whether all bytes are below 0x80. Linear.
    package static func isASCII(_ bytes: ArraySlice<UInt8>) -> Bool {
        let span = bytes.span
        // No branch, so that the compiler can process several bytes at a time.
        var bits: UInt8 = 0
        for index in span.indices { bits |= span[index] }
        return bits < 0x80
    }
}
