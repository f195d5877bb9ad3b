// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A writer that serializes the items of a stream.
struct StreamWriter: Sendable {
    let order: TypedStreamByteOrder
    private(set) var bytes: [UInt8] = []

    init(order: TypedStreamByteOrder) { self.order = order }

    /// Appends the streamer version and the signature.
    mutating func appendSignature(version: UInt8) {
        bytes.append(version)
        bytes.append(UInt8(StreamHeader.signatureLength))
        let signature = order == .bigEndian ? StreamHeader.bigEndian : StreamHeader.littleEndian
        bytes += "\(signature)".utf8
    }

    mutating func append(_ tag: UInt8) { bytes.append(tag) }

    mutating func append(_ content: some Sequence<UInt8>) { bytes += content }

    /// Appends an integer in its shortest form.
    mutating func append(integer value: Int64) {
        switch value {
        case Tag.firstNumber...127: append(integer: value, width: 1)
        case Int64(Int16.min)...Int64(Int16.max): append(integer: value, width: 2)
        case Int64(Int32.min)...Int64(Int32.max): append(integer: value, width: 4)
        default: append(integer: value, width: 8)
        }
    }

    /// Appends an integer of 1, 2, 4 or 8 bytes, after its tag if it has one.
    mutating func append(integer value: Int64, width: Int) {
        switch width {
        case 2: bytes.append(Tag.int16)
        case 4: bytes.append(Tag.int32)
        case 8: bytes.append(Tag.int64)
        default: break
        }
        append(bits: UInt64(bitPattern: value), width: width)
    }

    /// Appends the `width` least significant bytes of a number, in the byte order of the stream.
    mutating func append(bits: UInt64, width: Int) {
        for step in 0..<width {
            let index = order == .bigEndian ? width &- 1 &- step : step
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 &* index)))
        }
    }

    /// Appends a reference to a table entry by its index.
    mutating func append(reference index: Int) {
        append(integer: Int64(index) &+ Tag.firstNumber)
    }

    /// Appends the length and the bytes of a string.
    mutating func append(string: some Collection<UInt8>) {
        append(integer: Int64(string.count))
        bytes += string
    }
}

extension StreamWriter: StreamSink {
    mutating func append(_ range: Range<Int>, of source: StreamBytes) {
        bytes += source.bytes[range]
    }

    mutating func appendInteger(_ value: Int64, from range: Range<Int>, of source: StreamBytes) {
        append(integer: value, width: max(1, range.count &- 1))
    }

    mutating func appendReal(_ range: Range<Int>, of source: StreamBytes) {
        append(bits: source.bits(at: range.lowerBound, width: range.count) ?? 0, width: range.count)
    }
}

extension TypedStreamDocument {
    /// Returns the stream as bytes. In the original byte order, these are the bytes that the
    /// document was parsed from.
    ///
    /// Each item keeps its stored form: integers keep their width, and literals and references stay
    /// as they are.
    ///
    /// - Parameter byteOrder: The byte order, or nil for that of the source. Only numbers and the
    ///   signature, which names the byte order, depend on it. All other bytes are the same in both
    ///   orders.
    /// - Returns: The bytes of the stream.
    /// - Throws: The ``problem`` of a salvaged document, because the part before a defect may end
    ///   within an object.
    /// - Complexity: Linear in the size of the stream.
    public func serialized(
        byteOrder: TypedStreamByteOrder? = nil
    ) throws(TypedStreamError) -> [UInt8] {
        if let problem { throw problem }
        var writer = StreamWriter(order: byteOrder ?? self.byteOrder)
        writer.appendSignature(version: storage.streamerVersion)
        var reader = try StreamReader(
            storage.source, version: storage.streamerVersion,
            limits: TypedStreamLimits(depth: .max, inputSize: .max), sink: writer)
        try reader.readGroups()
        return reader.sink.bytes
    }
}
