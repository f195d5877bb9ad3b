// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

/// A place in UTF-8 text that moves by UTF-16 units, the units of the runs of attributed strings.
///
/// A `String` would make a table of such places, which costs more than reading a message.
struct TextUnits {
    private let bytes: [UInt8]
    /// The place of the next character.
    private var place: Int
    /// Whether each character is one unit and one byte.
    private let isASCII: Bool

    /// The number of UTF-16 units in the whole text.
    let count: Int
    /// The number of UTF-16 units after the place.
    private(set) var left: Int

    /// The beginning of text that is known to be UTF-8. Linear.
    init(_ source: StreamBytes, at range: Range<Int>) {
        bytes = source.bytes
        place = range.lowerBound
        let text = source.bytes[range]
        isASCII = ASCIIText.isASCII(text)
        count = isASCII ? text.count : text.reduce(0) { $0 &+ Self.units($1) }
        left = count
    }

    /// Moves within the text.
    ///
    /// - Returns: Whether the new place is between characters.
    mutating func advance(by distance: Int) -> Bool {
        left &-= distance
        // The end is a place between characters, and most texts have one run.
        if isASCII || left == 0 { return true }
        var rest = distance
        while rest > 0, place < bytes.count {
            rest &-= Self.units(bytes[place])
            place &+= 1
            while place < bytes.count, Self.units(bytes[place]) == 0 { place &+= 1 }
        }
        return rest == 0
    }

    /// The UTF-16 units of the character that a byte begins; 0 for a byte within a character.
    @inline(__always)
    private static func units(_ byte: UInt8) -> Int {
        (byte & 0xC0 == 0x80 ? 0 : 1) &+ (byte >= 0xF0 ? 1 : 0)
    }
}
