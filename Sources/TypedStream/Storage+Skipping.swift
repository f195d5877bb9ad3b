// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Functions that locate the items of a validated stream. Those with an optional result return nil
/// at the end of a salvaged document.
extension TypedStreamDocument.Storage {
    /// The beginning of a group.
    struct GroupHead {
        /// The index of the type encoding in the string table, or nil if the encoding is implied.
        let string: Int?
        let types: Range<Int>
        /// The offset of the first value.
        let end: Int
    }

    /// Returns the beginning of the group at an offset.
    func groupHead(at place: Int) -> GroupHead? {
        if streamerVersion == StreamHeader.oldVersion,
            tables.mayBeObject(at: place, in: source)
        {
            return GroupHead(string: nil, types: StreamTables.impliedType, end: place)
        }
        guard let number = string(at: place), let types = tables.types(ofString: number),
            let end = skipString(at: place)
        else { return nil }
        return GroupHead(string: number, types: types, end: end)
    }

    /// Returns the string table index of the shared string at an offset, which may be a literal or
    /// a reference. Returns nil for a nil value.
    func string(at place: Int) -> Int? {
        switch source.byte(at: place) {
        case Tag.null: nil
        case Tag.new: tables.string(at: place)
        default: source.reference(at: place)?.index
        }
    }

    /// Returns the table index of the object, class or C string at an offset, which may be a
    /// literal or a reference. Returns nil for a nil value.
    func entry(at place: Int) -> Int? {
        switch source.byte(at: place) {
        case Tag.null: nil
        case Tag.new: tables.entry(at: place)
        default: source.reference(at: place)?.index
        }
    }

    /// Returns the byte range of the groups of an object.
    func groups(of object: Int) -> Range<Int> {
        let entry = tables.entries[object]
        let end = Int(entry.other)
        guard var start = skipClass(at: Int(entry.offset) + 1) else { return end..<end }
        if streamerVersion == StreamHeader.oldVersion {
            start = source.integer(at: start)?.end ?? end
        }
        let last = isCutOff(object) ? end : end - 1
        return min(start, last)..<last
    }

    /// Returns the offset after the values of a run.
    func skip(_ run: TypeRun, at place: Int) -> Int? {
        var walk = TypeWalk(run)
        var place = place
        while let type = walk.next(tables.types) {
            guard let next = skip(scalar: tables.types[type], at: place) else { return nil }
            place = next
        }
        return place
    }

    /// Returns the offset after a value.
    func skip(type: Int, at place: Int) -> Int? {
        let record = tables.types[type]
        return record.size == 1
            ? skip(scalar: record, at: place)
            : skip(.content(of: type, tables.types), at: place)
    }

    private func skip(scalar record: TypeRecord, at place: Int) -> Int? {
        // A salvaged document may end within a group.
        guard place < end || record.minimum == 0 else { return nil }
        return switch record.code {
        case TypeCode.char, TypeCode.unsignedChar, TypeCode.bool: place + 1
        case TypeCode.float: skipReal(at: place, width: 4)
        case TypeCode.double: skipReal(at: place, width: 8)
        case TypeCode.unsharedString: skipUnsharedString(at: place)
        case TypeCode.selector, TypeCode.atom: skipString(at: place)
        case TypeCode.cString: skipCString(at: place)
        case TypeCode.class: skipClass(at: place)
        case TypeCode.object: skipObject(at: place)
        case TypeCode.array: place + Int(record.count)
        default: source.integer(at: place)?.end
        }
    }

    private func skipReal(at place: Int, width: Int) -> Int? {
        source.byte(at: place) == Tag.real ? place + 1 + width : source.integer(at: place)?.end
    }

    private func skipUnsharedString(at place: Int) -> Int? {
        if source.byte(at: place) == Tag.null { return place + 1 }
        guard let (length, end) = source.integer(at: place) else { return nil }
        return end + Int(truncatingIfNeeded: length)
    }

    /// Returns the offset after a shared string.
    func skipString(at place: Int) -> Int? {
        switch source.byte(at: place) {
        case Tag.null: place + 1
        case Tag.new: skipUnsharedString(at: place + 1)
        default: source.integer(at: place)?.end
        }
    }

    /// Returns the offset after a C string.
    func skipCString(at place: Int) -> Int? {
        source.byte(at: place) == Tag.new ? skipString(at: place + 1) : skipString(at: place)
    }

    /// Returns the offset after a chain of classes.
    func skipClass(at place: Int) -> Int? {
        var place = place
        while source.byte(at: place) == Tag.new {
            guard let name = skipString(at: place + 1), let (_, end) = source.integer(at: name)
            else { return nil }
            place = end
        }
        return source.byte(at: place) == Tag.null ? place + 1 : source.integer(at: place)?.end
    }

    private func skipObject(at place: Int) -> Int? { object(at: place)?.end }

    /// Returns the table index of the object at an offset, or nil for a nil object, and the offset
    /// after the value.
    func object(at place: Int) -> (number: Int?, end: Int)? {
        switch source.byte(at: place) {
        case Tag.null: return (nil, place + 1)
        case Tag.new:
            guard let number = tables.entry(at: place) else { return nil }
            return (number, Int(tables.entries[number].other))
        default:
            guard let (number, end) = source.reference(at: place) else { return nil }
            return (number, end)
        }
    }
}
