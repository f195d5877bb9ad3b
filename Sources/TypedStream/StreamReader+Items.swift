// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

extension StreamReader {
    /// The maximum number of classes in a chain. Genuine files have chains of up to nine.
    static var longestChain: Int { 64 }

    /// Reads an array of characters, or a scalar value that is not an object.
    @inline(__always)
    mutating func readScalar(_ type: Int, _ code: UInt8) throws(TypedStreamError) {
        switch code {
        case TypeCode.char, TypeCode.unsignedChar: try takeByte()
        case TypeCode.bool: try takeBoolean()
        case TypeCode.float: try takeReal(width: 4)
        case TypeCode.double: try takeReal(width: 8)
        case TypeCode.unsharedString: try takeUnsharedString()
        case TypeCode.selector, TypeCode.atom: _ = try takeSharedString(.sharedString)
        case TypeCode.cString: try takeCString()
        case TypeCode.class: _ = try takeClass()
        case TypeCode.array:
            try takeBytes(Int(clamping: tables.types[type].count), of: .characterArray)
        default:
            let start = place
            let value = try takeInteger(.integer)
            guard let range = IntegerRange(code), range.contains(value) else {
                throw fail(
                    .invalidNumber,
                    "expected a number of type \(Unicode.Scalar(code)), found \(value)",
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

    /// Consumes bytes and returns the offset of the first.
    @discardableResult
    @inline(__always)
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

    @inline(__always)
    private mutating func takeLength(of what: StreamItem) throws(TypedStreamError) -> Int {
        let start = place
        let length = try takeInteger(.length)
        guard length >= 0 else {
            throw fail(
                .invalidLength, "expected a length of 0 or more for \(what.name), found \(length)",
                at: start)
        }
        return Int(clamping: length)
    }

    private mutating func takeUnsharedString() throws(TypedStreamError) {
        if source.byte(at: place) == Tag.null { return take(1) }
        try takeBytes(takeLength(of: .unsharedString), of: .unsharedString)
    }

    /// Reads a literal string and returns the range of its text.
    @inline(__always)
    private mutating func takeLiteral(_ what: StreamItem) throws(TypedStreamError) -> Range<Int> {
        take(1)
        let start = try takeBytes(takeLength(of: what), of: what)
        return start..<place
    }

    /// Reads a shared string and returns its table index, or nil for a nil value.
    @inline(__always)
    mutating func takeSharedString(_ what: StreamItem) throws(TypedStreamError) -> Int? {
        switch source.byte(at: place) {
        case Tag.new:
            let offset = place
            let text = try takeLiteral(what)
            tables.strings.append(SharedString(at: offset, text, isName: false))
            return tables.strings.count &- 1
        case Tag.null:
            take(1)
            return nil
        default:
            return try takeStringReference(what)
        }
    }

    @inline(__always)
    private mutating func takeStringReference(_ what: StreamItem) throws(TypedStreamError) -> Int {
        guard let (index, end) = source.reference(at: place) else { throw noReference(what) }
        guard index >= 0, index < tables.strings.count else {
            throw badReference(index, what, count: tables.strings.count)
        }
        takeReference(index, end)
        return index
    }

    @inline(__always)
    private mutating func takeReference(_ index: Int, _ end: Int) {
        sink.appendInteger(Int64(index) &+ Tag.firstNumber, from: place..<end, of: source)
        place = end
    }

    /// Reads a reference to an entry of the object table and returns the index of the entry.
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

    /// Reads a shared string that is a name and returns its table index.
    private mutating func takeName(_ what: StreamItem) throws(TypedStreamError) -> UInt32 {
        let start = place
        if source.byte(at: place) == Tag.new {
            let text = try takeLiteral(what)
            try checkName(at: text, what)
            tables.strings.append(SharedString(at: start, text, isName: true))
            return UInt32(truncatingIfNeeded: tables.strings.count &- 1)
        }
        guard let number = try takeSharedString(what) else {
            throw fail(.unexpectedNil, "expected \(what.name), found nil", at: start)
        }
        if !tables.strings[number].isName {
            try checkName(at: tables.strings[number].range, what)
            tables.strings[number].isName = true
        }
        return UInt32(truncatingIfNeeded: number)
    }

    @inline(__always)
    private func checkName(
        at text: Range<Int>, _ what: StreamItem
    ) throws(TypedStreamError) {
        guard NameText.isValid(source.bytes, at: text) else {
            throw fail(
                .invalidString, "expected UTF-8 without NUL in \(what.name)", at: text.lowerBound)
        }
    }

    private mutating func takeCString() throws(TypedStreamError) {
        switch source.byte(at: place) {
        case Tag.null: take(1)
        case Tag.new:
            let start = place
            take(1)
            let text = try takeName(.cStringText)
            tables.entries.append(TableEntry(.cString, at: start, target: text))
        default: try takeReference(.cString)
        }
    }

    /// Reads a reference to a class or a literal chain of classes. Returns the table index of the
    /// class, which is the first of a chain, or nil for a nil class.
    ///
    /// Only a class whose chain is complete can be referred to, so chains have no cycles.
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
        var last = first
        repeat {
            last = tables.entries.count
            guard last &- first < Self.longestChain else { throw longChain() }
            let start = place
            take(1)
            let name = try takeName(.className)
            _ = try takeInteger(.classVersion)
            // The superclass is the next entry, unless this is the last class of the chain.
            let next = UInt32(truncatingIfNeeded: last &+ 1)
            tables.entries.append(TableEntry(.class, at: start, target: name, other: next))
        } while source.byte(at: place) == Tag.new
        tables.entries[last].other = try takeSuperclass(of: first...last)
        return first
    }

    /// Reads the end of a chain of classes: nil, or a reference to a class before the chain.
    @inline(__always)
    private mutating func takeSuperclass(
        of chain: ClosedRange<Int>
    ) throws(TypedStreamError) -> UInt32 {
        if source.byte(at: place) == Tag.null {
            take(1)
            return TableEntry.none
        }
        let start = place
        let superclass = try takeReference(.class)
        guard superclass < chain.lowerBound else {
            throw fail(
                .invalidReference,
                "expected a superclass number below \(chain.lowerBound), found \(superclass)",
                at: start)
        }
        try checkChain(from: superclass, after: chain.count)
        return UInt32(truncatingIfNeeded: superclass)
    }

    /// Checks the length of a chain that consists of `count` classes, then `superclass` and its
    /// superclasses.
    private func checkChain(from superclass: Int, after count: Int) throws(TypedStreamError) {
        var next = UInt32(truncatingIfNeeded: superclass)
        var count = count
        while next != TableEntry.none {
            count &+= 1
            guard count <= Self.longestChain else { throw longChain() }
            next = tables.entries[Int(next)].other
        }
    }
}

/// The stored numbers that are valid for an integer type. A value of an unsigned type is stored as
/// the signed number with the same bits, but the unsigned number itself is valid too.
struct IntegerRange {
    private let least: Int64
    private let most: Int64

    /// Creates the range of an integer type, or nil for other types. Types of one byte have no
    /// range.
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
