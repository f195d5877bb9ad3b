// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension StreamReader {
    /// Reads the type encoding of a group and returns the index of its first type.
    @inline(__always)
    mutating func readType() throws(TypedStreamError) -> Int {
        if isOldVersion, try isBareObject() { return StreamTables.impliedType.lowerBound }
        let start = place
        guard let number = try takeSharedString(.typeEncoding) else {
            throw fail(.unexpectedNil, "expected a type encoding, found nil", at: start)
        }
        let first = Int(tables.strings[number].type)
        return first > 0 ? first &- 1 : try parseType(number, at: start)
    }

    /// Parses a string that is used as a type encoding for the first time.
    @inline(never)
    private mutating func parseType(
        _ number: Int, at start: Int
    ) throws(TypedStreamError) -> Int {
        let place = tables.strings[number].range
        let first = tables.types.count
        if place.count == 1, case let code = source.bytes[place.lowerBound],
            TypeCode.isScalar(code)
        {
            tables.types.append(TypeRecord(code: code))
        } else {
            do {
                try TypeParser.parse(source.bytes[place], into: &tables.types)
            } catch {
                throw fail(.invalidType, error.what, at: place.lowerBound + error.index)
            }
        }
        tables.strings[number].type = UInt32(truncatingIfNeeded: first &+ 1)
        return first
    }

    /// Reads the size of an object's indexed variables, which follows the class in streamer version
    /// 3. Refuses sizes other than 0, because the form of indexed variables is unknown.
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

    /// Returns whether an object without a type encoding begins here, which streamer version 3
    /// allows.
    ///
    /// The format does not distinguish such objects from type encodings. An item that can be read
    /// both ways is an error.
    private mutating func isBareObject() throws(TypedStreamError) -> Bool {
        guard tables.mayBeObject(at: place, in: source) else { return false }
        guard mayBeType() else { return true }
        throw fail(
            .ambiguousItem,
            "expected an object or a type encoding, found an item of streamer version 3 that can be either"
        )
    }

    /// Returns whether a type encoding may begin here.
    private mutating func mayBeType() -> Bool {
        switch source.byte(at: place) {
        case Tag.null: return false
        case Tag.new:
            guard let (length, start) = source.integer(at: place &+ 1), length > 0,
                length <= source.bytes.count &- start
            else { return false }
            return Self.isType(source.bytes[start..<start &+ Int(truncatingIfNeeded: length)])
        default:
            guard let (index, _) = source.reference(at: place),
                let string = tables.strings[safe: index]
            else { return false }
            if string.type > 0 { return true }
            // A long string that is not a type encoding can be referred to many times, so it is
            // parsed only once.
            guard !string.isNotType else { return false }
            let isType = Self.isType(source.bytes[string.range])
            tables.strings[index].isNotType = !isType
            return isType
        }
    }

    private static func isType(_ text: ArraySlice<UInt8>) -> Bool {
        var records: [TypeRecord] = []
        return (try? TypeParser.parse(text, into: &records)) != nil
    }
}

extension StreamTables {
    /// Returns whether an object without a type encoding may begin at `place` in streamer version
    /// 3. Only references to earlier entries are valid.
    func mayBeObject(at place: Int, in source: StreamBytes) -> Bool {
        switch source.byte(at: place) {
        case Tag.null: return true
        case Tag.new:
            // A literal class follows.
            if source.byte(at: place &+ 1) == Tag.new { return true }
            return precedes(source.reference(at: place &+ 1)?.index, place, .class)
        default: return precedes(source.reference(at: place)?.index, place, .object)
        }
    }

    private func precedes(_ index: Int?, _ place: Int, _ kind: TableEntry.Kind) -> Bool {
        guard let index, let entry = entries[safe: index] else { return false }
        return entry.kind == kind && entry.offset < place
    }
}

extension Array {
    /// Returns the element at `index`, or nil if there is none.
    @inline(__always)
    subscript(safe index: Int) -> Element? {
        index >= 0 && index < count ? self[index] : nil
    }
}
