// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

extension StreamReader {
    /// The most classes in a chain. Genuine files have chains of nine.
    static var longestChain: Int { 64 }

    /// Reads a value that is no object, or an array of characters.
    @inline(__always)
    mutating func readScalar(_ type: TypeRecord) throws(TypedStreamError) {
        switch type.code {
        case TypeCode.char, TypeCode.unsignedChar: try takeByte()
        case TypeCode.bool: try takeBoolean()
        case TypeCode.float: try takeReal(width: 4)
        case TypeCode.double: try takeReal(width: 8)
        case TypeCode.unsharedString: try takeUnsharedString()
        case TypeCode.selector, TypeCode.atom: _ = try takeSharedString(.sharedString)
        case TypeCode.cString: try takeCString()
        case TypeCode.class: _ = try takeClass()
        case TypeCode.array: try takeBytes(Int(type.count), of: .characterArray)
        default:
            let start = place
            let value = try takeInteger(.integer)
            guard let range = IntegerRange(type.code), range.contains(value) else {
                throw fail(
                    .invalidNumber,
                    "expected a number of type \(Unicode.Scalar(type.code)), found \(value)",
                    at: start)
            }
        }
    }

    private mutating func takeByte() throws(TypedStreamError) {
        guard place < source.bytes.count else { throw truncated(.character) }
        take(1)
    }

    private mutating func takeBoolean() throws(TypedStreamError) {
        guard let byte = source.byte(at: place) else { throw truncated(.boolean) }
        guard byte <= 1 else {
            throw fail(.invalidNumber, "expected 0 or 1 for a Boolean, found \(byte)")
        }
        take(1)
    }

    private mutating func takeReal(width: Int) throws(TypedStreamError) {
        guard source.byte(at: place) == Tag.real else {
            _ = try takeInteger(.real)
            return
        }
        take(1)
        guard width <= source.bytes.count &- place else { throw truncated(.real) }
        sink.appendReal(place..<place &+ width, of: source)
        place &+= width
    }

    /// Takes bytes, and returns the place of the first.
    @discardableResult
    private mutating func takeBytes(
        _ count: Int, of what: StreamItem
    ) throws(TypedStreamError) -> Int {
        let left = source.bytes.count &- place
        guard count <= left else {
            throw fail(.invalidLength, "expected \(count) bytes of \(what.name), found \(left)")
        }
        let start = place
        take(count)
        return start
    }

    private mutating func takeLength(of what: StreamItem) throws(TypedStreamError) -> Int {
        let start = place
        let length = try takeInteger(.length)
        guard length >= 0 else {
            throw fail(
                .invalidLength, "expected a length of \(what.name), found \(length)", at: start)
        }
        return Int(truncatingIfNeeded: length)
    }

    private mutating func takeUnsharedString() throws(TypedStreamError) {
        if source.byte(at: place) == Tag.null { return take(1) }
        try takeBytes(takeLength(of: .unsharedString), of: .unsharedString)
    }

    /// Takes a shared string, and returns its number; nil for nil.
    @inline(__always)
    mutating func takeSharedString(_ what: StreamItem) throws(TypedStreamError) -> Int? {
        switch source.byte(at: place) {
        case Tag.new:
            let offset = place
            take(1)
            let length = try takeLength(of: what)
            let start = try takeBytes(length, of: what)
            tables.strings.append(
                SharedString(
                    offset: UInt32(truncatingIfNeeded: offset),
                    start: UInt32(truncatingIfNeeded: start),
                    length: UInt32(truncatingIfNeeded: length)))
            return tables.strings.count &- 1
        case Tag.null:
            take(1)
            return nil
        default:
            guard let (index, end) = source.reference(at: place) else { throw noReference(what) }
            guard index >= 0, index < tables.strings.count else {
                throw badReference(index, what, count: tables.strings.count)
            }
            takeReference(index, end)
            return index
        }
    }

    @inline(__always)
    private mutating func takeReference(_ index: Int, _ end: Int) {
        sink.appendInteger(Int64(index) &+ Tag.firstNumber, from: place..<end, of: source)
        place = end
    }

    /// Takes a reference to an entry of the object table, and returns its number.
    @discardableResult
    mutating func takeReference(_ kind: TableEntry.Kind) throws(TypedStreamError) -> Int {
        guard let (index, end) = source.reference(at: place) else { throw noReference(kind.item) }
        guard let entry = tables.entries[safe: index] else {
            throw badReference(index, kind.item, count: tables.entries.count)
        }
        guard entry.kind == kind else {
            throw fail(
                .invalidReference,
                "expected a reference to \(kind.item.name), found one to \(entry.kind.item.name) (number \(index))"
            )
        }
        takeReference(index, end)
        return index
    }

    /// Takes a shared string that is a name, and returns its number.
    private mutating func takeName(_ what: StreamItem) throws(TypedStreamError) -> UInt32 {
        let start = place
        guard let number = try takeSharedString(what) else {
            throw fail(.unexpectedNil, "expected \(what.name), found nil", at: start)
        }
        if !tables.strings[number].isName {
            let text = source.bytes[tables.strings[number].range]
            guard NameText.isValid(text) else {
                throw fail(
                    .invalidString, "expected UTF-8 without NUL in \(what.name)",
                    at: text.startIndex)
            }
            tables.strings[number].isName = true
        }
        return UInt32(truncatingIfNeeded: number)
    }

    private mutating func takeCString() throws(TypedStreamError) {
        switch source.byte(at: place) {
        case Tag.null: take(1)
        case Tag.new:
            let entry = tables.entries.count
            tables.entries.append(TableEntry(.cString, at: place))
            take(1)
            tables.entries[entry].target = try takeName(.cStringText)
        default: try takeReference(.cString)
        }
    }

    /// Takes a chain of classes, and returns the number of the first; nil for Nil.
    ///
    /// Only a class whose chain is complete can be referred to: no chain is a loop.
    @inline(__always)
    mutating func takeClass() throws(TypedStreamError) -> Int? {
        switch source.byte(at: place) {
        case Tag.new: return try takeClassChain()
        case Tag.null:
            take(1)
            return nil
        default: return try takeReference(.class)
        }
    }

    private mutating func takeClassChain() throws(TypedStreamError) -> Int {
        let first = tables.entries.count
        while source.byte(at: place) == Tag.new {
            guard tables.entries.count &- first < Self.longestChain else { throw longChain() }
            let entry = tables.entries.count
            tables.entries.append(TableEntry(.class, at: place))
            take(1)
            tables.entries[entry].target = try takeName(.className)
            _ = try takeInteger(.classVersion)
        }
        let end = tables.entries.count
        if source.byte(at: place) == Tag.null {
            take(1)
        } else {
            let start = place
            let superclass = try takeReference(.class)
            guard superclass < first else {
                throw fail(
                    .invalidReference,
                    "expected a superclass before number \(first), found a reference to number \(superclass)",
                    at: start)
            }
            tables.entries[end &- 1].other = UInt32(truncatingIfNeeded: superclass)
        }
        try completeChain(first..<end)
        return first
    }

    /// Links the classes of a chain, of which the last one has its superclass.
    private mutating func completeChain(_ chain: Range<Int>) throws(TypedStreamError) {
        for entry in chain.reversed() {
            if entry &+ 1 < chain.upperBound {
                tables.entries[entry].other = UInt32(truncatingIfNeeded: entry &+ 1)
            }
            let superclass = tables.entries[entry].other
            let rest = superclass == TableEntry.none ? 0 : tables.entries[Int(superclass)].chain
            guard Int(rest) < Self.longestChain else { throw longChain() }
            tables.entries[entry].chain = rest &+ 1
        }
    }
}

/// The numbers that an integer type can hold. Unsigned types are stored as signed numbers of their width.
struct IntegerRange {
    private let least: Int64
    private let most: Int64

    /// The range of an integer type; nil for other types.
    @inline(__always)
    init?(_ code: UInt8) {
        switch code {
        case TypeCode.int, TypeCode.long: (least, most) = (Int64(Int32.min), Int64(Int32.max))
        case TypeCode.unsignedInt, TypeCode.unsignedLong:
            (least, most) = (Int64(Int32.min), Int64(UInt32.max))
        case TypeCode.longLong, TypeCode.unsignedLongLong: (least, most) = (.min, .max)
        case TypeCode.short: (least, most) = (Int64(Int16.min), Int64(Int16.max))
        case TypeCode.unsignedShort: (least, most) = (Int64(Int16.min), Int64(UInt16.max))
        default: return nil
        }
    }

    @inline(__always)
    func contains(_ value: Int64) -> Bool { least <= value && value <= most }
}
