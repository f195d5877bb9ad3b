// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

/// UTF-8 text, measured in UTF-16 code units, the unit of attributed string runs.
///
/// A `String` would build a table of UTF-16 offsets, which takes longer than reading the stream of
/// a message.
struct TextUnits {
    /// The byte range of the text.
    let range: Range<Int>
    /// The number of UTF-16 code units in the text.
    let count: Int
    /// A Boolean value indicating whether the text is ASCII, so that it has no surrogate pairs.
    private let isASCII: Bool
    /// The offsets within the surrogate pairs, in order, or nil until they are needed.
    private var offsetsInPairs: [UInt32]?

    /// Measures a text. Linear in the length of the text. If the text is not valid UTF-8, the
    /// result has no meaning.
    init(_ source: StreamBytes, at range: Range<Int>) {
        self.range = range
        let text = source.bytes[range]
        isASCII = ASCIIText.isASCII(text)
        count = isASCII ? text.count : text.reduce(0) { $0 &+ Self.units($1) }
    }

    /// Returns whether an offset in code units, which must be within the text, is between
    /// characters. The first call can take time linear in the length of the text. Further calls
    /// take logarithmic time.
    mutating func isBetweenCharacters(_ offset: Int, in source: StreamBytes) -> Bool {
        // The end of the text is always between characters. Most messages have one run, which ends
        // there.
        if isASCII || offset == count { return true }
        let offsets = offsetsInPairs ?? Self.offsetsInPairs(of: source.bytes[range])
        offsetsInPairs = offsets
        return StreamTables.index(in: offsets, at: offset, by: \.self) == nil
    }

    private static func offsetsInPairs(of text: ArraySlice<UInt8>) -> [UInt32] {
        var offsets: [UInt32] = []
        var place = 0
        for byte in text {
            let units = units(byte)
            if units == 2 { offsets.append(UInt32(truncatingIfNeeded: place &+ 1)) }
            place &+= units
        }
        return offsets
    }

    /// Returns the number of UTF-16 code units of the character that begins with a byte, or 0 for a
    /// continuation byte.
    @inline(__always)
    private static func units(_ byte: UInt8) -> Int {
        (byte & 0xC0 == 0x80 ? 0 : 1) &+ (byte >= 0xF0 ? 1 : 0)
    }
}
