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
}
