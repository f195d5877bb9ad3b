// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A receiver of the items of a stream, in the order of the file. Together, the items cover all
/// bytes after the signature.
protocol StreamSink {
    /// Receives bytes that do not depend on the byte order.
    mutating func append(_ range: Range<Int>, of source: StreamBytes)
    /// Receives an integer and the byte range of its encoding.
    mutating func appendInteger(_ value: Int64, from range: Range<Int>, of source: StreamBytes)
    /// Receives the bytes of an IEEE 754 number without its tag.
    mutating func appendReal(_ range: Range<Int>, of source: StreamBytes)
}

/// A sink that discards all items, because parsing a document needs only the tables.
struct NoSink: StreamSink {
    @inline(__always)
    mutating func append(_ range: Range<Int>, of source: StreamBytes) {}
    @inline(__always)
    mutating func appendInteger(_ value: Int64, from range: Range<Int>, of source: StreamBytes) {}
    @inline(__always)
    mutating func appendReal(_ range: Range<Int>, of source: StreamBytes) {}
}
