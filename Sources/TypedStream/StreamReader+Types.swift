// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension StreamReader {
    /// Reads the type encoding of a group, and returns the places of its types.
    @inline(__always)
    mutating func readType() throws(TypedStreamError) -> Range<Int> {
        if isOldVersion, try isBareObject() { return StreamTables.impliedType }
        let start = place
        guard let number = try takeSharedString(.typeEncoding) else {
            throw fail(.unexpectedNil, "expected a type encoding, found nil", at: start)
        }
        if let types = tables.types(ofString: number) { return types }
        return try parseType(number, at: start)
    }

    /// Parses a string that is used as a type encoding for the first time.
    @inline(never)
    private mutating func parseType(
        _ number: Int, at start: Int
    ) throws(TypedStreamError) -> Range<Int> {
        let text = source.bytes[tables.strings[number].range]
        let first = tables.types.count
        do {
            if let code = text.first, text.count == 1, TypeCode.isScalar(code) {
                tables.types.append(TypeRecord(code: code))
            } else {
                try TypeParser.parse(text, into: &tables.types)
            }
        } catch {
            throw fail(.invalidType, error.what, at: text.startIndex + error.index)
        }
        tables.strings[number].type = UInt32(truncatingIfNeeded: first &+ 1)
        return first..<tables.types.count
    }

    /// Takes the number of bytes that follow the class of an object in streamer version 3. Only 0 is known to
    /// have a meaning.
    mutating func takeIndexedSize() throws(TypedStreamError) {
        let start = place
        let size = try takeInteger(.indexedSize)
        guard size == 0 else {
            throw fail(
                .unsupportedVersion,
                "expected no indexed variables in an object of streamer version 3, found \(size) bytes",
                at: start)
        }
    }

    /// Whether an object without a type encoding begins here, as streamer version 3 has them.
    ///
    /// The format does not mark the difference. A byte that can be read both ways is refused.
    private func isBareObject() throws(TypedStreamError) -> Bool {
        let readings = OldGroupReadings(source, tables, at: place)
        guard readings.isObject, readings.isTyped else { return readings.isObject }
        throw fail(
            .ambiguousItem,
            "expected an object or a type encoding, found an item of streamer version 3 that can be either"
        )
    }
}

/// The ways to read the beginning of a group in streamer version 3.
struct OldGroupReadings {
    /// Whether an object without a type encoding may begin here.
    var isObject = false
    /// Whether a type encoding may begin here.
    var isTyped = false

    /// Looks at the item at `place`. Only entries of tables that precede it count.
    init(_ source: StreamBytes, _ tables: StreamTables, at place: Int) {
        guard let head = source.byte(at: place) else { return }
        switch head {
        case Tag.null: isObject = true
        case Tag.new: lookAtLiteral(source, tables, at: place)
        default:
            guard let (index, _) = source.reference(at: place) else { return }
            isObject = Self.precedes(index, tables, place, .object)
            if let string = tables.strings[safe: index], string.offset < place {
                isTyped = Self.isType(source.bytes[string.range])
            }
        }
    }

    /// A class or the length of an encoding follows.
    private mutating func lookAtLiteral(
        _ source: StreamBytes, _ tables: StreamTables, at place: Int
    ) {
        if source.byte(at: place + 1) == Tag.new {
            isObject = true
            return
        }
        guard let (value, end) = source.integer(at: place + 1) else { return }
        let index = Int(truncatingIfNeeded: value &- Tag.firstNumber)
        isObject = Self.precedes(index, tables, place, .class)
        let length = Int(truncatingIfNeeded: value)
        guard length > 0, length <= source.bytes.count - end else { return }
        isTyped = Self.isType(source.bytes[end..<end + length])
    }

    private static func precedes(
        _ index: Int, _ tables: StreamTables, _ place: Int, _ kind: TableEntry.Kind
    ) -> Bool {
        guard let entry = tables.entries[safe: index] else { return false }
        return entry.kind == kind && entry.offset < place
    }

    private static func isType(_ text: ArraySlice<UInt8>) -> Bool {
        var records: [TypeRecord] = []
        return (try? TypeParser.parse(text, into: &records)) != nil
    }
}

extension Array {
    /// The element at `index`; nil where there is none.
    @inline(__always)
    subscript(safe index: Int) -> Element? {
        index >= 0 && index < count ? self[index] : nil
    }
}
