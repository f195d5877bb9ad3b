// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A literal shared string: a type encoding, a class name, a selector, an atom or the text of a C
/// string.
struct SharedString: BitwiseCopyable, Sendable {
    /// The offset of the literal's tag.
    let offset: UInt32
    /// The offset of the text.
    let start: UInt32
    /// The length of the text, in bytes.
    let length: UInt32
    /// The index of the string's first type in ``StreamTables/types``, plus one, or 0 before the
    /// string is used as a type encoding.
    var type: UInt32 = 0
    /// A Boolean value indicating whether the text is known to be UTF-8 without NUL.
    var isName: Bool
    /// A Boolean value indicating whether the text is known not to be a type encoding.
    var isNotType = false

    init(at offset: Int, _ text: Range<Int>, isName: Bool) {
        self.offset = UInt32(truncatingIfNeeded: offset)
        start = UInt32(truncatingIfNeeded: text.lowerBound)
        length = UInt32(truncatingIfNeeded: text.count)
        self.isName = isName
    }

    var range: Range<Int> { Int(start)..<Int(start) &+ Int(length) }
}

/// A literal object, class or C string.
struct TableEntry: BitwiseCopyable, Sendable {
    enum Kind: UInt8 { case object, `class`, cString }

    let kind: Kind
    /// The offset of the literal's tag.
    let offset: UInt32
    /// For an object, the table index of its class. For a class or a C string, the index of its
    /// name or text in the string table.
    var target: UInt32
    /// For an object, the offset after its end. For a class, the table index of its superclass, or
    /// ``none``.
    var other: UInt32

    static let none = UInt32.max

    init(_ kind: Kind, at offset: Int, target: UInt32 = none, other: UInt32 = none) {
        self.kind = kind
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.target = target
        self.other = other
    }
}

/// The tables of the literals in a stream, in the order of the file.
struct StreamTables: Sendable {
    /// The string table. References to shared strings are indexes in it.
    var strings: [SharedString] = []
    /// The object table: objects, classes and C strings. References to them are indexes in it.
    var entries: [TableEntry] = []
    /// The types of all strings used as type encodings. Each type precedes the types nested in it.
    /// In streamer version 3, the first type is the `@` that objects without an encoding imply.
    var types: [TypeRecord] = []

    /// The index range of the implied `@` in streamer version 3.
    static let impliedType = 0..<1

    /// Creates empty tables for a stream of `size` bytes.
    init(size: Int, isOldVersion: Bool) {
        // An attributed string with a link takes 1,000 bytes and has about 30 entries in each
        // table.
        let room = min(size / 16, 32)
        strings.reserveCapacity(room)
        entries.reserveCapacity(room)
        types.reserveCapacity(room / 2)
        if isOldVersion { types.append(TypeRecord(code: TypeCode.object)) }
    }

    /// Returns the index of the literal string at an offset, or nil if there is none. Logarithmic.
    func string(at place: Int) -> Int? {
        Self.index(in: strings, at: place, by: \.offset)
    }

    /// Returns the index of the literal object, class or C string at an offset, or nil if there is
    /// none. Logarithmic.
    func entry(at place: Int) -> Int? {
        Self.index(in: entries, at: place, by: \.offset)
    }

    /// Returns the index of the element with an offset, or nil if there is none. The elements must
    /// be in the order of their offsets. Logarithmic.
    @inline(__always)
    static func index<Element>(
        in table: [Element], at place: Int, by offset: (Element) -> UInt32
    ) -> Int? {
        var (low, high) = (0, table.count)
        while low < high {
            let middle = (low &+ high) / 2
            let found = Int(offset(table[middle]))
            if found == place { return middle }
            if found < place { low = middle &+ 1 } else { high = middle }
        }
        return nil
    }

    /// Returns the index range of a string's types, or nil if the string was not used as a type
    /// encoding.
    @inline(__always)
    func types(ofString number: Int) -> Range<Int>? {
        let first = Int(strings[number].type)
        guard first > 0 else { return nil }
        return first &- 1..<first &- 1 &+ Int(types[first &- 1].encodingSize)
    }

    /// Removes the strings and entries that begin at or after `end`.
    mutating func cut(at end: Int) {
        while let last = strings.last, last.offset >= end { strings.removeLast() }
        while let last = entries.last, last.offset >= end { entries.removeLast() }
    }
}
