// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text of bytes that are valid UTF-8; nil where they are not. Linear.
    @inlinable
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        if #available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            // Bytes that are not valid become U+FFFD, whose own bytes differ from them.
            self.init(decoding: bytes, as: UTF8.self)
            guard utf8.elementsEqual(bytes) else { return nil }
        }
    }
}
