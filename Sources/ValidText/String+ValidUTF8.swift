// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Creates a string from bytes, or returns nil if they are not valid UTF-8. Linear.
    @inlinable
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        if #available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            // Decoding replaces invalid bytes with U+FFFD, so the result has other bytes than the
            // input.
            self.init(decoding: bytes, as: UTF8.self)
            guard utf8.elementsEqual(bytes) else { return nil }
        }
    }

    /// The text at a place of a file, if it is valid UTF-8; nil where it is not. Linear.
    ///
    /// Short ASCII text, which most is, takes half the time: `init(validating:as:)` looks up types at run time.
    package init?(validUTF8 bytes: [UInt8], at place: Range<Int>) {
        let text = bytes[place]
        if ASCIIText.isASCII(text) {
            self.init(decoding: text, as: UTF8.self)
        } else {
            self.init(validUTF8: text)
        }
    }
}

/// Text without characters beyond ASCII.
package enum ASCIIText {
    /// Whether all bytes are below 0x80. Linear.
    package static func isASCII(_ bytes: ArraySlice<UInt8>) -> Bool {
        let span = bytes.span
        // Without a branch, so that several bytes are looked at together.
        var bits: UInt8 = 0
        for index in span.indices { bits |= span[index] }
        return bits < 0x80
    }
}
