// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The beginning of a stream: a version, and a signature with its length.
enum StreamHeader {
    static let signatureLength = 11
    static let littleEndian: StaticString = "streamtyped"
    static let bigEndian: StaticString = "typedstream"
    /// The streamer version of early NeXTSTEP.
    static let oldVersion: UInt8 = 3
    /// The streamer version of all later systems.
    static let version: UInt8 = 4
    /// The offset after the signature.
    static let signatureEnd = 2 + signatureLength

    /// Returns the byte order that the signature of a stream declares, or nil if there is no
    /// signature.
    static func order(of bytes: [UInt8]) -> TypedStreamByteOrder? {
        guard bytes.count >= signatureEnd, bytes[1] == UInt8(signatureLength) else { return nil }
        let place = 2..<signatureEnd
        if bytes.isText(littleEndian, at: place) { return .littleEndian }
        return bytes.isText(bigEndian, at: place) ? .bigEndian : nil
    }
}
