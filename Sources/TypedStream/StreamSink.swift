// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A consumer of the items of a stream, in the order of the file. Together they are all of its bytes.
protocol StreamSink {
    /// Takes bytes that do not depend on the byte order.
    mutating func append(_ range: Range<Int>, of source: StreamBytes)
    /// Takes an integer with its head, in the form that the file has.
    mutating func appendInteger(_ value: Int64, from range: Range<Int>, of source: StreamBytes)
    /// Takes the bytes of an IEEE 754 number after its tag.
    mutating func appendReal(_ range: Range<Int>, of source: StreamBytes)
}

/// The consumer for reading a document, which needs nothing but the tables.
struct NoSink: StreamSink {
    @inline(__always)
    mutating func append(_ range: Range<Int>, of source: StreamBytes) {}
    @inline(__always)
    mutating func appendInteger(_ value: Int64, from range: Range<Int>, of source: StreamBytes) {}
    @inline(__always)
    mutating func appendReal(_ range: Range<Int>, of source: StreamBytes) {}
}
