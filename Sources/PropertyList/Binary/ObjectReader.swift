// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The parser of one object of a binary property list: marker, count and payload.
///
/// ``ObjectMarker`` describes the format of each kind. ``PlainObjectReader`` parses the common
/// forms faster, and leaves all others to this parser.
struct ObjectReader {
    let offset: Int
    let end: Int
    let options: ParsingOptions
    var used: ParsingOptions = []
    /// The number of bytes that the object covers. Final once the object has been read.
    var size = 1

    init(offset: Int, end: Int, options: ParsingOptions) {
        self.offset = offset
        self.end = end
        self.options = options
    }

    /// Parses the object. Appends its references and decoded text to `store`.
    mutating func read(
        _ file: Span<UInt8>, _ trailer: Trailer, _ store: inout NodeStore
    ) throws(PropertyListError) -> NodeRecord {
        let marker = file[offset]
        switch marker & 0xF0 {
        case ObjectMarker.asciiString: return try asciiString(file, &store)
        case ObjectMarker.dictionary: return try container(.dictionary, file, trailer, &store)
        case ObjectMarker.array: return try container(.array, file, trailer, &store)
        case ObjectMarker.integer: return try integer(file)
        case ObjectMarker.uid: return try uid(file)
        case ObjectMarker.data: return try data(file)
        case ObjectMarker.utf16String: return try utf16String(file, &store)
        case ObjectMarker.set: return try container(.set, file, trailer, &store)
        default: return try other(marker, file)
        }
    }

    private mutating func other(
        _ marker: UInt8, _ file: Span<UInt8>
    ) throws(PropertyListError) -> NodeRecord {
        switch marker {
        case ObjectMarker.null: return record(.null)
        case ObjectMarker.no: return record(.boolean, payload: 0)
        case ObjectMarker.yes: return record(.boolean, payload: 1)
        case ObjectMarker.single: return try single(file)
        case ObjectMarker.double: return try double(file)
        case ObjectMarker.date: return try date(file)
        default: throw invalidMarker(marker)
        }
    }

    private func record(
        _ kind: PropertyListKind, header: Int = 0, payload: UInt64 = 0
    ) -> NodeRecord {
        NodeRecord(
            kind: kind, offset: UInt32(truncatingIfNeeded: offset),
            header: UInt16(truncatingIfNeeded: header), payload: payload)
    }

    // MARK: Numbers

    private mutating func integer(_ file: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        let power = Int(file[offset] & 0x0F)
        guard power <= 4 else { throw invalidMarker(file[offset]) }
        let width = 1 << power
        try require(width, "an integer", after: 1)
        let isWide = width == 16
        let low = file.bigEndian(before: offset &+ 1 &+ width, width: min(width, 8)) ?? 0
        var result = record(.integer, header: width, payload: low)
        if width == 8 { result.isNegative = Int64(bitPattern: low) < 0 }
        if isWide { result.isNegative = try isNegative(file, low: low) }
        return result
    }

    /// Returns whether a 16-byte integer is negative. Without ``ParsingOptions/wideIntegers``, the
    /// integer must be within −2⁶³ … 2⁶⁴−1.
    private mutating func isNegative(
        _ file: Span<UInt8>, low: UInt64
    ) throws(PropertyListError) -> Bool {
        let high = file.bigEndian(at: offset &+ 1, width: 8) ?? 0
        if high == 0 { return false }
        if high == .max, Int64(bitPattern: low) < 0 { return true }
        try allow(
            .wideIntegers, .invalidNumber, "a 16-byte integer is outside −2⁶³ … 2⁶⁴−1")
        return false
    }

    private mutating func single(_ file: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        try require(4, "a real", after: 1)
        let bits = UInt32(truncatingIfNeeded: file.bigEndian(at: offset &+ 1, width: 4) ?? 0)
        return record(.real, header: 4, payload: PropertyListReal.widened(bits))
    }

    private mutating func double(_ file: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        try require(8, "a real", after: 1)
        return record(.real, header: 8, payload: file.bigEndian(at: offset &+ 1, width: 8) ?? 0)
    }

    private mutating func date(_ file: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        try require(8, "a date", after: 1)
        return record(.date, payload: file.bigEndian(at: offset &+ 1, width: 8) ?? 0)
    }

    private mutating func uid(_ file: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        let width = Int(file[offset] & 0x0F) &+ 1
        try require(width, "a UID", after: 1)
        let lowWidth = min(width, 8)
        let start = offset &+ 1 &+ width &- lowWidth
        let value = file.bigEndian(before: offset &+ 1 &+ width, width: lowWidth) ?? 0
        for index in (offset &+ 1)..<start where file[index] != 0 {
            try allow(.wideIntegers, .invalidNumber, "a UID is larger than 2³²−1")
        }
        if value > UInt64(UInt32.max) {
            throw error(.invalidNumber, "expected a UID of at most 2³²−1, found \(value)")
        }
        return record(.uid, header: width, payload: value)
    }

    // MARK: Text and data

    private mutating func data(_ file: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        let (count, start) = try count(file)
        try require(count, "data", after: start &- offset)
        return content(.data, start, count)
    }

    private mutating func asciiString(
        _ file: Span<UInt8>, _ store: inout NodeStore
    ) throws(PropertyListError) -> NodeRecord {
        let (count, start) = try count(file)
        try require(count, "a string", after: start &- offset)
        let text = file.extracting(start..<(start &+ count))
        if text.isASCII() { return content(.string, start, count) }
        try allow(.highASCII, .invalidString, "a string marked as ASCII has bytes above 7F")
        let begin = store.decoded.count
        for index in text.indices { store.decoded.append(contentsOf: [0, text[index]]) }
        return try decoded(&store, from: begin, .utf16)
    }

    private mutating func utf16String(
        _ file: Span<UInt8>, _ store: inout NodeStore
    ) throws(PropertyListError) -> NodeRecord {
        let (units, start) = try count(file)
        let (count, overflow) = units.multipliedReportingOverflow(by: 2)
        try require(overflow ? .max : count, "a string", after: start &- offset)
        let text = file.extracting(start..<(start &+ count))
        let survey = UTF16Text.survey(text)
        if let place = survey.unpairedSurrogate {
            try allow(
                .unpairedSurrogates, .invalidString,
                "a string has an unpaired surrogate \(place) bytes from its start")
            let begin = store.decoded.count
            UTF16Text.appendRepaired(text, to: &store.decoded)
            return try decoded(&store, from: begin, .utf16)
        }
        if survey.isASCII, count > 0 {
            let begin = store.decoded.count
            UTF16Text.appendUTF8(text, to: &store.decoded)
            return try decoded(&store, from: begin, .ascii)
        }
        var result = content(.string, start, count)
        if count > 0 { result.encoding = .utf16 }
        return result
    }

    private func content(_ kind: PropertyListKind, _ start: Int, _ count: Int) -> NodeRecord {
        record(
            kind, header: start &- offset,
            payload: NodeRecord.payload(low: UInt32(truncatingIfNeeded: count)))
    }

    private func decoded(
        _ store: inout NodeStore, from begin: Int, _ encoding: NodeRecord.TextEncoding
    ) throws(PropertyListError) -> NodeRecord {
        guard let run = store.closeDecodedRange(from: begin) else {
            throw error(.sizeLimitExceeded, "expected at most 4 GiB of decoded text, found more")
        }
        var result = record(.string, payload: NodeRecord.payload(low: run))
        result.isDecoded = true
        result.encoding = encoding
        return result
    }

    // MARK: Containers

    private mutating func container(
        _ kind: PropertyListKind, _ file: Span<UInt8>, _ trailer: Trailer, _ store: inout NodeStore
    ) throws(PropertyListError) -> NodeRecord {
        let (count, start) = try count(file)
        let width = trailer.referenceWidth
        let factor = kind == .dictionary ? width &* 2 : width
        let (size, overflow) = count.multipliedReportingOverflow(by: factor)
        try require(
            overflow ? .max : size,
            "the \(count) \(kind == .dictionary ? "entries" : "elements") of the \(kind)",
            after: start &- offset)
        let first = store.children.count
        try readReferences(file, from: start, to: start &+ size, trailer, &store)
        guard let place = UInt32(exactly: first), store.children.count <= UInt32.max else {
            throw error(.sizeLimitExceeded, "expected at most 2³²−1 references, found more")
        }
        return record(
            kind,
            payload: NodeRecord.payload(low: place, high: UInt32(truncatingIfNeeded: count)))
    }

    private func readReferences(
        _ file: Span<UInt8>, from start: Int, to stop: Int, _ trailer: Trailer,
        _ store: inout NodeStore
    ) throws(PropertyListError) {
        let list = file.extracting(start..<stop)
        let width = trailer.referenceWidth
        let first = store.children.count
        let count = list.count / width
        store.children.makeRoom(for: count)
        var largest: UInt32 = 0
        var isWide = false
        store.children.append(addingCapacity: count) { output in
            switch width {
            case 1: largest = output.append(bigEndian: list, as: UInt8.self)
            case 2: largest = output.append(bigEndian: list, as: UInt16.self)
            case 4: largest = output.append(bigEndian: list, as: UInt32.self)
            default: isWide = true
            }
        }
        if isWide {
            try readWideReferences(file, from: start, to: stop, trailer, &store)
        } else if count > 0, UInt64(largest) >= UInt64(trailer.objectCount) {
            // Remove the appended references, because no record refers to them.
            store.children.removeSubrange(first...)
            throw danglingReference(in: file, from: start, to: stop, trailer)
        }
    }

    /// Parses references of a width other than 1, 2 or 4 bytes.
    @inline(never)
    private func readWideReferences(
        _ file: Span<UInt8>, from start: Int, to stop: Int, _ trailer: Trailer,
        _ store: inout NodeStore
    ) throws(PropertyListError) {
        let width = trailer.referenceWidth
        let first = store.children.count
        for place in stride(from: start, to: stop, by: width) {
            let reference = file.bigEndian(at: place, width: width) ?? .max
            guard reference < UInt64(trailer.objectCount) else {
                store.children.removeSubrange(first...)
                throw danglingReference(reference, UInt64(trailer.objectCount), at: place)
            }
            store.children.append(UInt32(truncatingIfNeeded: reference))
        }
    }

    /// Returns the error for the first reference in a list whose object does not exist.
    @inline(never)
    private func danglingReference(
        in file: Span<UInt8>, from start: Int, to stop: Int, _ trailer: Trailer
    ) -> PropertyListError {
        let (width, limit) = (trailer.referenceWidth, UInt64(trailer.objectCount))
        var place = start
        while place &+ width < stop, let reference = file.bigEndian(at: place, width: width),
            reference < limit
        { place &+= width }
        return danglingReference(
            file.bigEndian(at: place, width: width) ?? .max, limit, at: place)
    }

    // MARK: Counts and checks

    /// Returns the count and the offset of the payload. The count is in the low half of the marker
    /// or in the integer that follows it.
    @inline(__always)
    private func count(_ file: Span<UInt8>) throws(PropertyListError) -> (Int, Int) {
        let low = file[offset] & 0x0F
        if low != ObjectMarker.countFollows { return (Int(low), offset &+ 1) }
        return try longCount(file)
    }

    private func longCount(_ file: Span<UInt8>) throws(PropertyListError) -> (Int, Int) {
        guard offset &+ 1 < end else { throw truncated(1, "a count", 1) }
        let marker = file[offset &+ 1]
        guard marker & 0xF0 == ObjectMarker.integer, marker & 0x0F <= 3 else {
            throw error(
                .invalidMarker,
                "expected a count marker (0x10 to 0x13), found 0x\(Self.hex(marker))", 1)
        }
        let width = 1 << Int(marker & 0x0F)
        guard offset &+ 2 &+ width <= end else { throw truncated(width, "a count", 2) }
        let value = file.bigEndian(at: offset &+ 2, width: width) ?? .max
        guard let count = Int(exactly: value) else {
            throw error(.invalidLength, "expected a count below 2⁶³, found \(value)", 2)
        }
        return (count, offset &+ 2 &+ width)
    }

    /// Checks that `size` bytes follow the first `used` bytes of the object, and records the
    /// object's size.
    @inline(__always)
    private mutating func require(
        _ size: Int, _ what: @autoclosure () -> String, after used: Int
    ) throws(PropertyListError) {
        if size > end &- offset &- used { throw truncated(size, what(), used) }
        self.size = used &+ size
    }

    /// Records that a leniency is needed, or throws if it is not allowed.
    private mutating func allow(
        _ option: ParsingOptions, _ code: PropertyListError.Code, _ what: String
    ) throws(PropertyListError) {
        guard options.contains(option) else {
            throw error(code, what, recovery: option.advice)
        }
        used.insert(option)
    }

    @inline(never)
    private func truncated(_ size: Int, _ what: String, _ used: Int) -> PropertyListError {
        let needed =
            switch size {
            case 1: "1 byte"
            case Int.max: "at least 2⁶³−1 bytes"
            default: "\(size) bytes"
            }
        return error(
            .invalidLength,
            "expected \(needed) for \(what), found \(max(end - offset - used, 0))", used)
    }

    @inline(never)
    private func invalidMarker(_ marker: UInt8) -> PropertyListError {
        error(.invalidMarker, "expected the marker of an object, found 0x\(Self.hex(marker))")
    }

    @inline(never)
    private func danglingReference(
        _ reference: UInt64, _ limit: UInt64, at place: Int
    ) -> PropertyListError {
        error(
            .invalidReference,
            "expected a reference to one of \(limit) objects, found one to object \(reference)",
            place - offset)
    }

    private func error(
        _ code: PropertyListError.Code, _ what: String, _ shift: Int = 0,
        recovery: PropertyListError.Recovery? = nil
    ) -> PropertyListError {
        PropertyListError(
            code, format: .binary, what: what, location: .byte(offset + shift), recovery: recovery)
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
