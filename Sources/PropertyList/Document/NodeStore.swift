// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The tables of a document: its bytes, a record for each value, and the record index of each child
/// of a container.
///
/// A parser or builder fills the tables. They never change afterwards.
package struct NodeStore: Sendable {
    /// A range of bytes in ``decoded``.
    struct DecodedRange: BitwiseCopyable, Sendable {
        var start: UInt32
        var length: UInt32
    }

    /// The source: the file, with text in another encoding converted to UTF-8, or the contents that
    /// a builder collected.
    package var bytes: [UInt8]
    /// The side buffer: text and data that differ from their form in the source.
    var decoded: [UInt8] = []
    /// The range of each string or data value in ``decoded``.
    var decodedRanges: [DecodedRange] = []
    package var records: [NodeRecord] = []
    /// The children of all containers. The children of one container are adjacent.
    package var children: [UInt32] = []

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The index of the next record to be added.
    package var nextIndex: UInt32 { UInt32(truncatingIfNeeded: records.count) }

    /// Calls `body` with the bytes of a string or of data.
    @inline(__always)
    func withContent<R, E: Error>(
        of record: NodeRecord, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let range = contentRange(of: record)
        if record.isDecoded { return try body(decoded.span.extracting(range)) }
        return try body(bytes.span.extracting(range))
    }

    /// Returns the bytes of a string or of data, without copying them.
    package func content(of record: NodeRecord) -> ArraySlice<UInt8> {
        let range = contentRange(of: record)
        return record.isDecoded ? decoded[range] : bytes[range]
    }

    /// Returns the range of the content, in ``decoded`` or in ``bytes``.
    @inline(__always)
    package func contentRange(of record: NodeRecord) -> Range<Int> {
        if record.isDecoded {
            let run = decodedRanges[Int(record.decodedNumber)]
            return Int(run.start)..<(Int(run.start) &+ Int(run.length))
        }
        let start = Int(record.offset) &+ Int(record.header)
        return start..<(start &+ Int(record.length))
    }

    /// Records the range of one value's content, which is everything from `start` on in the side
    /// buffer.
    ///
    /// - Returns: the index of the range, or nil if its start or length does not fit in 32 bits.
    mutating func closeDecodedRange(from start: Int) -> UInt32? {
        guard let length = UInt32(exactly: decoded.count - start),
            let first = UInt32(exactly: start)
        else { return nil }
        decodedRanges.append(DecodedRange(start: first, length: length))
        return UInt32(truncatingIfNeeded: decodedRanges.count - 1)
    }

    /// Returns the record of a string or data that begins at `offset` in the source. Its content is
    /// everything from `start` on in the side buffer.
    ///
    /// - Throws: `sizeLimitExceeded`.
    mutating func decodedRecord(
        _ kind: PropertyListKind, from start: Int, at offset: Int, _ format: PropertyListFormat
    ) throws(PropertyListError) -> NodeRecord {
        guard let run = closeDecodedRange(from: start) else {
            throw PropertyListError(
                .sizeLimitExceeded, format: format,
                what: "expected at most 4 GiB of decoded text, found more", location: .byte(offset))
        }
        var record = NodeRecord(
            kind: kind, offset: UInt32(truncatingIfNeeded: offset),
            payload: NodeRecord.payload(low: run))
        record.isDecoded = true
        let isASCII = kind == .data || decoded.span.extracting(start...).isASCII()
        record.encoding = isASCII ? .ascii : .utf8
        return record
    }

    /// Returns the text of a string, or an empty string for other kinds. Linear.
    package func string(of record: NodeRecord) -> String {
        guard record.kind == .string else { return "" }
        if record.encoding != .utf16 {
            return withContent(of: record) { content in
                // SAFETY: the pointer is used only within the call, which copies the bytes.
                unsafe content.withUnsafeBufferPointer {
                    unsafe String(decoding: $0, as: UTF8.self)
                }
            }
        }
        var text: [UInt8] = []
        withContent(of: record) { UTF16Text.appendUTF8($0, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the text of a string as UTF-8. Linear.
    package func appendText(of record: NodeRecord, to output: inout [UInt8]) {
        if record.encoding == .utf16 {
            withContent(of: record) { UTF16Text.appendUTF8($0, to: &output) }
        } else {
            output.append(contentsOf: content(of: record))
        }
    }

    /// Returns whether a value is a string whose text is `text`, scalar by scalar. Linear.
    package func isString(_ record: NodeRecord, _ text: String) -> Bool {
        guard record.kind == .string else { return false }
        if record.encoding == .utf16 {
            return contentRange(of: record).count == 2 &* text.utf16.count
                && string(of: record).isLiterally(text)
        }
        // Most strings that are compared differ in length.
        guard contentRange(of: record).count == text.utf8.count else { return false }
        return withContent(of: record) { content in
            text.withUTF8Span { content.isSame(as: $0) }
        }
    }

    /// Returns whether two strings, or two data values, have the same content. Linear.
    func hasSameContent(_ left: NodeRecord, _ right: NodeRecord) -> Bool {
        guard left.encoding == right.encoding else { return false }
        return withContent(of: left) { first in
            withContent(of: right) { first.isSame(as: $0) }
        }
    }
}
