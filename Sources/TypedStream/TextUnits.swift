// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

/// A position in UTF-8 text that advances by UTF-16 code units, the unit of attributed string runs.
///
/// A `String` would build a table of UTF-16 offsets, which takes longer than reading the stream of
/// a message.
struct TextUnits {
    private let bytes: [UInt8]
    /// The index of the next character in `bytes`.
    private var place: Int
    /// A Boolean value indicating whether the text is ASCII, so that each character is one code
    /// unit and one byte.
    private let isASCII: Bool

    /// The number of UTF-16 code units in the whole text.
    let count: Int
    /// The number of UTF-16 code units after the position.
    private(set) var left: Int

    /// Creates a position at the beginning of a text. Linear in the length of the text. If the text
    /// is not valid UTF-8, the counts have no meaning.
    init(_ source: StreamBytes, at range: Range<Int>) {
        bytes = source.bytes
        place = range.lowerBound
        let text = source.bytes[range]
        isASCII = ASCIIText.isASCII(text)
        count = isASCII ? text.count : text.reduce(0) { $0 &+ Self.units($1) }
        left = count
    }

    /// Advances by a number of UTF-16 code units, at most ``left``.
    ///
    /// - Returns: A Boolean value indicating whether the new position is between characters.
    mutating func advance(by distance: Int) -> Bool {
        left &-= distance
        // The end of the text is always between characters. Most messages have one run, which ends
        // there.
        if isASCII || left == 0 { return true }
        var rest = distance
        while rest > 0, place < bytes.count {
            rest &-= Self.units(bytes[place])
            place &+= 1
            while place < bytes.count, Self.units(bytes[place]) == 0 { place &+= 1 }
        }
        return rest == 0
    }

    /// Returns the number of UTF-16 code units of the character that begins with a byte, or 0 for a
    /// continuation byte.
    @inline(__always)
    private static func units(_ byte: UInt8) -> Int {
        (byte & 0xC0 == 0x80 ? 0 : 1) &+ (byte >= 0xF0 ? 1 : 0)
    }
}
