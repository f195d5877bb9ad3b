// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The elements of the property-list DTD:
///
///     plist  → array | data | date | dict | real | integer | string | true | false
///     array  → value*
///     dict   → (key, value)*
///     key, string, data, date, integer, real → text
///     true, false → nothing
enum XMLElement: UInt8 {
    case plist, array, dict, key, string, data, date, real, integer, yes, no

    /// Creates the element with the name in `range`, or returns nil for names that are not in the
    /// DTD.
    @inline(__always)
    init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        switch (range.count, text[range.lowerBound]) {
        case (3, UInt8(ascii: "k")): self = .key
        case (4, UInt8(ascii: "d")): self = Self.startingWithD(text, range)
        case (4, UInt8(ascii: "r")): self = .real
        case (4, UInt8(ascii: "t")): self = .yes
        case (5, UInt8(ascii: "a")): self = .array
        case (5, UInt8(ascii: "f")): self = .no
        case (5, UInt8(ascii: "p")): self = .plist
        case (6, UInt8(ascii: "s")): self = .string
        case (7, UInt8(ascii: "i")): self = .integer
        default: return nil
        }
        guard text.has(name, at: range.lowerBound) else { return nil }
    }

    @inline(__always)
    private static func startingWithD(_ text: Span<UInt8>, _ range: Range<Int>) -> XMLElement {
        if text[range.lowerBound &+ 1] == UInt8(ascii: "i") { return .dict }
        return text[range.lowerBound &+ 3] == UInt8(ascii: "e") ? .date : .data
    }

    /// The name of the element in its tag.
    var name: StaticString {
        switch self {
        case .plist: "plist"
        case .array: "array"
        case .dict: "dict"
        case .key: "key"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .real: "real"
        case .integer: "integer"
        case .yes: "true"
        case .no: "false"
        }
    }

    /// A Boolean value that is true if the element may contain other elements.
    var isContainer: Bool { self == .plist || self == .array || self == .dict }
}
