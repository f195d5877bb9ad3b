// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The first bytes of the types in a type encoding.
enum TypeCode {
    static let object = UInt8(ascii: "@")
    static let `class` = UInt8(ascii: "#")
    static let cString = UInt8(ascii: "*")
    static let unsharedString = UInt8(ascii: "+")
    static let selector = UInt8(ascii: ":")
    static let atom = UInt8(ascii: "%")
    static let char = UInt8(ascii: "c")
    static let unsignedChar = UInt8(ascii: "C")
    static let bool = UInt8(ascii: "B")
    static let short = UInt8(ascii: "s")
    static let unsignedShort = UInt8(ascii: "S")
    static let int = UInt8(ascii: "i")
    static let unsignedInt = UInt8(ascii: "I")
    static let long = UInt8(ascii: "l")
    static let unsignedLong = UInt8(ascii: "L")
    static let longLong = UInt8(ascii: "q")
    static let unsignedLongLong = UInt8(ascii: "Q")
    static let float = UInt8(ascii: "f")
    static let double = UInt8(ascii: "d")
    static let array = UInt8(ascii: "[")
    static let structure = UInt8(ascii: "{")

    /// Returns whether a byte is a type that contains no other types.
    static func isScalar(_ code: UInt8) -> Bool {
        switch code {
        case object, `class`, cString, unsharedString, selector, atom, char, unsignedChar, bool,
            short, unsignedShort, int, unsignedInt, long, unsignedLong, longLong,
            unsignedLongLong, float, double:
            true
        default: false
        }
    }
}

/// One type of a type encoding. The types nested in an array or a structure follow it.
struct TypeRecord: BitwiseCopyable, Sendable {
    /// The type's first byte.
    let code: UInt8
    /// The number of records of this type and the types nested in it.
    var size: UInt16 = 1
    /// The number of records of the whole encoding. Set only in its first record.
    var encodingSize: UInt16 = 1
    /// The length of a structure's name, in bytes.
    var nameLength: UInt16 = 0
    /// The offset of a structure's name.
    var nameStart: UInt32 = 0
    /// The number of elements of an array.
    var count: UInt32 = 0
    /// The minimum number of bytes of a value.
    var minimum: UInt32 = 1

    init(code: UInt8) { self.code = code }

    /// A Boolean value indicating whether this is an array of characters, whose elements are bytes
    /// of the file.
    var isBytes: Bool { code == TypeCode.array && size == 1 }
}

/// A defect in a type encoding.
struct TypeFault: Error {
    let what: String
    /// The byte offset of the defect in the encoding.
    let index: Int
}

/// A parser for type encodings.
///
/// A value of each type takes at least one byte of a file, so a small file cannot claim many
/// values. The only exception is an encoding that consists of an empty array of characters, because
/// empty data is written this way.
struct TypeParser {
    static let longestEncoding = 4096
    static let deepestType = 16
    static let deepestArray = 2
    /// The maximum length of an encoding that is parsed in one step if it contains only scalar
    /// types.
    private static let longestScalarEncoding = 16

    private let text: ArraySlice<UInt8>
    private var place: Int
    private var records: [TypeRecord]
    private let first: Int
    /// The open arrays and structures, outermost first.
    private var open: [Int] = []

    private init(_ text: ArraySlice<UInt8>, after records: consuming [TypeRecord]) {
        self.text = text
        place = text.startIndex
        first = records.count
        self.records = records
    }

    /// Appends the types of an encoding to `records`, which stay unchanged if the encoding is
    /// malformed. Linear in the length of the encoding.
    static func parse(
        _ text: ArraySlice<UInt8>, into records: inout [TypeRecord]
    ) throws(TypeFault) {
        if text.count <= longestScalarEncoding, text.allSatisfy(TypeCode.isScalar), !text.isEmpty {
            let first = records.count
            for code in text { records.append(TypeRecord(code: code)) }
            records[first].encodingSize = UInt16(truncatingIfNeeded: text.count)
            return
        }
        // The parser takes over the array as its only owner, so that appending does not copy it.
        let earlier = records
        records = []
        var parser = TypeParser(text, after: earlier)
        defer { records = parser.records }
        do {
            try parser.run()
        } catch {
            parser.records.removeSubrange(parser.first...)
            throw error
        }
    }

    private func fault(_ what: String) -> TypeFault {
        TypeFault(what: what, index: place - text.startIndex)
    }

    private mutating func run() throws(TypeFault) {
        guard !text.isEmpty else { throw fault("expected a type, found an empty type encoding") }
        guard text.count <= Self.longestEncoding else {
            throw fault(
                "expected a type encoding of at most \(Self.longestEncoding) bytes, found \(text.count)"
            )
        }
        while place < text.endIndex { try parseType() }
        guard open.isEmpty else {
            throw fault(
                "expected the end of an array or a structure, found the end of the encoding")
        }
        records[first].encodingSize = UInt16(truncatingIfNeeded: records.count - first)
    }

    private mutating func parseType() throws(TypeFault) {
        let code = text[place]
        switch code {
        case TypeCode.array: try openArray()
        case TypeCode.structure: try openStructure()
        case UInt8(ascii: "]"): try close(TypeCode.array)
        case UInt8(ascii: "}"): try close(TypeCode.structure)
        case _ where TypeCode.isScalar(code):
            records.append(TypeRecord(code: code))
            place += 1
            complete(records.count - 1)
        default: throw fault("expected a type, found byte \(code) in a type encoding")
        }
    }

    private mutating func push(_ record: TypeRecord) throws(TypeFault) {
        guard open.count < Self.deepestType else {
            throw fault("expected at most \(Self.deepestType) nested types, found more")
        }
        open.append(records.count)
        records.append(record)
    }

    private mutating func openArray() throws(TypeFault) {
        let arrays = open.count { records[$0].code == TypeCode.array }
        guard arrays < Self.deepestArray else {
            throw fault("expected at most \(Self.deepestArray) nested arrays, found more")
        }
        place += 1
        var record = TypeRecord(code: TypeCode.array)
        record.count = try parseCount()
        if try closeBytes(record) { return }
        guard record.count > 0 else {
            throw fault("expected at least 1 element in an array, found 0")
        }
        try push(record)
    }

    private mutating func parseCount() throws(TypeFault) -> UInt32 {
        var count: UInt64 = 0
        let start = place
        while place < text.endIndex, case let digit = text[place],
            UInt8(ascii: "0") <= digit, digit <= UInt8(ascii: "9")
        {
            // The check below ends the loop before the count can overflow.
            count = count * 10 + UInt64(digit - UInt8(ascii: "0"))
            place += 1
            guard place - start <= 10 else {
                throw fault("expected at most 10 digits in a number of elements, found more")
            }
            guard count <= UInt32.max else {
                throw fault("expected at most \(UInt32.max) elements in an array, found more")
            }
        }
        guard place > start else {
            throw fault("expected the number of elements after `[`, found none")
        }
        return UInt32(truncatingIfNeeded: count)
    }

    /// Parses the element type and the end of an array of characters, which has one record. Returns
    /// false for other arrays.
    private mutating func closeBytes(_ array: TypeRecord) throws(TypeFault) -> Bool {
        guard place + 1 < text.endIndex, text[place + 1] == UInt8(ascii: "]"),
            text[place] == TypeCode.char || text[place] == TypeCode.unsignedChar
        else { return false }
        let isWhole = records.count == first && place + 2 == text.endIndex
        guard array.count > 0 || isWhole else {
            throw fault(
                "expected at least 1 character in an array that is not the whole encoding, found 0")
        }
        var record = array
        record.minimum = array.count
        records.append(record)
        place += 2
        complete(records.count - 1)
        return true
    }

    private mutating func openStructure() throws(TypeFault) {
        place += 1
        var record = TypeRecord(code: TypeCode.structure)
        record.minimum = 0
        if let end = nameEnd() {
            record.nameStart = UInt32(truncatingIfNeeded: place)
            record.nameLength = UInt16(truncatingIfNeeded: end - place)
            place = end + 1
        }
        try push(record)
    }

    /// Returns the offset of the `=` after the name of a structure, or nil if it has no name.
    private func nameEnd() -> Int? {
        for index in place..<text.endIndex {
            switch text[index] {
            case UInt8(ascii: "="): return index
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "("), UInt8(ascii: ")"):
                return nil
            default: continue
            }
        }
        return nil
    }

    private mutating func close(_ code: UInt8) throws(TypeFault) {
        guard let top = open.last, records[top].code == code else {
            throw fault(
                "expected a type, found the end of an array or a structure that is not open")
        }
        guard records.count > top + 1 else {
            throw fault("expected a type in an array or a structure, found its end")
        }
        open.removeLast()
        records[top].size = UInt16(truncatingIfNeeded: records.count - top)
        place += 1
        if code == TypeCode.array { try closeArray(top) }
        complete(top)
    }

    private mutating func closeArray(_ top: Int) throws(TypeFault) {
        guard records[top].size == records[top + 1].size + 1 else {
            throw fault("expected one type in an array, found more")
        }
        let minimum = UInt64(records[top].count) * UInt64(records[top + 1].minimum)
        records[top].minimum = UInt32(clamping: minimum)
    }

    /// Adds the minimum size of a complete type to that of the enclosing structure, if the type is
    /// a field of one.
    private mutating func complete(_ index: Int) {
        guard let top = open.last, records[top].code == TypeCode.structure else { return }
        let sum = UInt64(records[top].minimum) + UInt64(records[index].minimum)
        records[top].minimum = UInt32(clamping: sum)
    }
}
