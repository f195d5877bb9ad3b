// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The fast parser for the most common forms of objects. It reads complete objects that need no
/// leniency. Integers have at most 8 bytes, UIDs and counts at most 4 bytes, and references 1, 2 or
/// 4 bytes.
///
/// This parser throws no error. It returns nil for an object in any other form, and
/// ``ObjectReader`` then parses that object or throws the error. For the common forms, both parsers
/// return the same record.
struct PlainObjectReader {
    /// The offset of the first byte after the objects, at most the size of the file.
    let end: Int
    /// The width of a reference, in bytes.
    let referenceWidth: Int
    /// The number of objects, which bounds each reference.
    let objectCount: Int

    init(_ trailer: Trailer) {
        end = trailer.tableOffset
        referenceWidth = trailer.referenceWidth
        objectCount = trailer.objectCount
    }

    /// Parses the object at `offset`, which must be below ``end``. Appends its references to
    /// `children`. The child table already has `base` entries before those in `children`.
    ///
    /// - Returns: the record, and the number of bytes that the object covers. Returns nil and
    ///   leaves `children` unchanged for an object in another form, and for a container with more
    ///   references than `children` has room for.
    @inline(__always)
    func read(
        at offset: Int, _ file: Span<UInt8>, _ children: inout OutputSpan<UInt32>, base: Int
    ) -> (record: NodeRecord, size: Int)? {
        let marker = file[offset]
        switch marker & 0xF0 {
        case ObjectMarker.asciiString: return asciiString(marker, offset, file)
        case ObjectMarker.uid: return uid(marker, offset, file)
        case ObjectMarker.dictionary:
            return container(.dictionary, marker, offset, file, &children, base)
        case ObjectMarker.integer: return integer(marker, offset, file)
        case ObjectMarker.array:
            return container(.array, marker, offset, file, &children, base)
        case ObjectMarker.data: return data(marker, offset, file)
        case ObjectMarker.utf16String: return utf16String(marker, offset, file)
        default: return other(marker, offset, file)
        }
    }

    @inline(__always)
    private func record(
        _ kind: PropertyListKind, _ offset: Int, header: Int = 0, _ payload: UInt64
    ) -> NodeRecord {
        NodeRecord(
            kind: kind, offset: UInt32(truncatingIfNeeded: offset),
            header: UInt16(truncatingIfNeeded: header), payload: payload)
    }

    // MARK: Scalars

    @inline(__always)
    private func integer(
        _ marker: UInt8, _ offset: Int, _ file: Span<UInt8>
    ) -> (NodeRecord, Int)? {
        let power = Int(marker & 0x0F)
        guard power <= 3 else { return nil }
        let width = 1 &<< power
        let stop = offset &+ 1 &+ width
        guard stop <= end, let value = file.bigEndian(before: stop, width: width) else {
            return nil
        }
        var result = record(.integer, offset, header: width, value)
        if width == 8 { result.isNegative = Int64(bitPattern: value) < 0 }
        return (result, 1 &+ width)
    }

    @inline(__always)
    private func uid(_ marker: UInt8, _ offset: Int, _ file: Span<UInt8>) -> (NodeRecord, Int)? {
        let width = Int(marker & 0x0F) &+ 1
        let stop = offset &+ 1 &+ width
        guard width <= 4, stop <= end, let value = file.bigEndian(before: stop, width: width)
        else { return nil }
        return (record(.uid, offset, header: width, value), 1 &+ width)
    }

    @inline(never)
    private func other(_ marker: UInt8, _ offset: Int, _ file: Span<UInt8>) -> (NodeRecord, Int)? {
        switch marker {
        case ObjectMarker.no: return (record(.boolean, offset, 0), 1)
        case ObjectMarker.yes: return (record(.boolean, offset, 1), 1)
        case ObjectMarker.double, ObjectMarker.date:
            guard offset &+ 9 <= end, let bits = file.bigEndian(at: offset &+ 1, width: 8) else {
                return nil
            }
            let isReal = marker == ObjectMarker.double
            return (record(isReal ? .real : .date, offset, header: isReal ? 8 : 0, bits), 9)
        default: return nil
        }
    }

    // MARK: Text and data

    @inline(__always)
    private func asciiString(
        _ marker: UInt8, _ offset: Int, _ file: Span<UInt8>
    ) -> (NodeRecord, Int)? {
        guard let (count, start) = count(marker, offset, file) else { return nil }
        let stop = start &+ count
        guard count <= end &- start, file.isASCII(from: start, to: stop) else { return nil }
        let payload = NodeRecord.payload(low: UInt32(truncatingIfNeeded: count))
        return (record(.string, offset, header: start &- offset, payload), stop &- offset)
    }

    @inline(__always)
    private func data(_ marker: UInt8, _ offset: Int, _ file: Span<UInt8>) -> (NodeRecord, Int)? {
        guard let (count, start) = count(marker, offset, file), count <= end &- start else {
            return nil
        }
        let payload = NodeRecord.payload(low: UInt32(truncatingIfNeeded: count))
        return (record(.data, offset, header: start &- offset, payload), start &+ count &- offset)
    }

    /// Also returns nil for text that ASCII can represent and for text with an unpaired surrogate.
    @inline(never)
    private func utf16String(
        _ marker: UInt8, _ offset: Int, _ file: Span<UInt8>
    ) -> (NodeRecord, Int)? {
        guard let (units, start) = count(marker, offset, file), units <= (end &- start) / 2 else {
            return nil
        }
        let stop = start &+ 2 &* units
        let survey = UTF16Text.survey(file.extracting(start..<stop))
        guard survey.unpairedSurrogate == nil, !survey.isASCII else { return nil }
        let payload = NodeRecord.payload(low: UInt32(truncatingIfNeeded: stop &- start))
        var result = record(.string, offset, header: start &- offset, payload)
        result.encoding = .utf16
        return (result, stop &- offset)
    }

    // MARK: Containers

    @inline(__always)
    private func container(
        _ kind: PropertyListKind, _ marker: UInt8, _ offset: Int, _ file: Span<UInt8>,
        _ children: inout OutputSpan<UInt32>, _ base: Int
    ) -> (NodeRecord, Int)? {
        guard let (count, start) = count(marker, offset, file) else { return nil }
        let factor = kind == .dictionary ? 2 : 1
        let (size, overflows) = count.multipliedReportingOverflow(by: referenceWidth &* factor)
        guard !overflows, size <= end &- start, count &* factor <= children.freeCapacity,
            let first = UInt32(exactly: base &+ children.count)
        else { return nil }
        let stop = start &+ size
        guard append(file.extracting(start..<stop), to: &children) else { return nil }
        let payload = NodeRecord.payload(low: first, high: UInt32(truncatingIfNeeded: count))
        return (record(kind, offset, payload), stop &- offset)
    }

    /// Appends the references in `list`. Returns false, and appends none, if a reference is out of
    /// range, or if the width of references is not 1, 2 or 4 bytes.
    @inline(__always)
    private func append(_ list: Span<UInt8>, to children: inout OutputSpan<UInt32>) -> Bool {
        let largest: UInt32
        switch referenceWidth {
        case 1: largest = children.append(bigEndian: list, as: UInt8.self)
        case 2: largest = children.append(bigEndian: list, as: UInt16.self)
        case 4: largest = children.append(bigEndian: list, as: UInt32.self)
        default: return false
        }
        if UInt64(largest) < UInt64(objectCount) { return true }
        children.removeLast(list.count / referenceWidth)
        return false
    }

    // MARK: Counts

    /// Returns the count of an object and the offset of its payload; nil for a count that is
    /// invalid or has 8 bytes.
    @inline(__always)
    private func count(
        _ marker: UInt8, _ offset: Int, _ file: Span<UInt8>
    ) -> (count: Int, start: Int)? {
        let low = marker & 0x0F
        return low != ObjectMarker.countFollows
            ? (Int(low), offset &+ 1) : longCount(offset, file)
    }

    /// Returns the count that follows a marker as an integer of 1, 2 or 4 bytes.
    @inline(never)
    private func longCount(_ offset: Int, _ file: Span<UInt8>) -> (count: Int, start: Int)? {
        guard offset &+ 1 < end else { return nil }
        let marker = file[offset &+ 1]
        guard marker >= ObjectMarker.integer, marker <= ObjectMarker.integer &+ 2 else {
            return nil
        }
        let width = 1 &<< Int(marker & 0x0F)
        let start = offset &+ 2 &+ width
        guard start <= end, let count = file.bigEndian(before: start, width: width) else {
            return nil
        }
        return Int(exactly: count).map { ($0, start) }
    }
}
