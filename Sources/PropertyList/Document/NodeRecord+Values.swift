// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The records of values without a source, which ``DocumentBuilder`` and ``GraphAssembler`` add.
extension NodeRecord {
    /// The null object of binary property lists.
    static var null: Self { .init(kind: .null, offset: 0) }

    @inline(__always)
    static func boolean(_ value: Bool) -> Self {
        .init(kind: .boolean, offset: 0, payload: value ? 1 : 0)
    }

    @inline(__always)
    static func integer(_ value: PropertyListInteger) -> Self {
        var record = NodeRecord(kind: .integer, offset: 0, payload: value.bits)
        record.isNegative = value.isNegative
        return record
    }

    @inline(__always)
    static func real(_ value: PropertyListReal) -> Self {
        let width: UInt16 = value.width == .single ? 4 : 8
        return .init(kind: .real, offset: 0, header: width, payload: value.value.bitPattern)
    }

    @inline(__always)
    static func date(_ value: PropertyListDate) -> Self {
        .init(kind: .date, offset: 0, payload: value.secondsSince2001.bitPattern)
    }

    @inline(__always)
    static func uid(_ value: UInt32) -> Self {
        .init(kind: .uid, offset: 0, payload: UInt64(value))
    }

    /// Returns the record of a container of `count` elements or pairs whose first child is at index
    /// `first`.
    static func container(
        _ kind: PropertyListKind, from first: UInt32, count: Int, offset: UInt32 = 0
    ) -> Self {
        .init(
            kind: kind, offset: offset,
            payload: payload(low: first, high: UInt32(truncatingIfNeeded: count)))
    }
}

extension NodeStore {
    /// Returns the record of a string or data without a source. Its content is everything from
    /// `start` on in ``bytes``.
    ///
    /// - Throws: `sizeLimitExceeded`.
    @inline(__always)
    func contentRecord(
        _ kind: PropertyListKind, from start: Int
    ) throws(PropertyListError) -> NodeRecord {
        guard bytes.count <= UInt32.max else { throw tooManyBytes() }
        let length = UInt32(truncatingIfNeeded: bytes.count &- start)
        var record = NodeRecord(
            kind: kind, offset: UInt32(truncatingIfNeeded: start),
            payload: NodeRecord.payload(low: length))
        let isASCII = kind == .data || bytes.span.extracting(start...).isASCII()
        record.encoding = isASCII ? .ascii : .utf8
        return record
    }

    @inline(never)
    private func tooManyBytes() -> PropertyListError {
        PropertyListError(
            .sizeLimitExceeded,
            what: "expected at most 4294967295 bytes of text and data, found \(bytes.count)")
    }
}
