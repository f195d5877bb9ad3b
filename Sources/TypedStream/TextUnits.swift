// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

/// A position in UTF-8 text that advances by UTF-16 code units, the unit of attributed string runs.
///
/// A `String` would build a table of UTF-16 offsets, which takes longer than reading the stream of
/// a message.
struct TextUnits {
    /// The positions within surrogate pairs, in order. Only characters of four bytes in UTF-8 have
    /// surrogates, so most texts have none.
    private var splits: [Int] = []

    /// The number of UTF-16 code units in the whole text.
    let count: Int
    /// The number of UTF-16 code units after the position.
    private(set) var left: Int

    /// Creates a position at the beginning of a text. Linear in the length of the text. If the text
    /// is not valid UTF-8, the counts have no meaning.
    init(_ source: StreamBytes, at range: Range<Int>) {
        let text = source.bytes[range]
        var count = text.count
        if !ASCIIText.isASCII(text) {
            count = 0
            for byte in text {
                let isContinuation = byte & 0xC0 == 0x80
                if byte >= 0xF0 {
                    splits.append(count &+ 1)
                    count &+= 2
                } else if !isContinuation {
                    count &+= 1
                }
            }
        }
        self.count = count
        left = count
    }

    /// Advances by a number of UTF-16 code units, at most ``left``. Takes logarithmic time.
    ///
    /// - Returns: A Boolean value indicating whether the new position is between characters.
    mutating func advance(by distance: Int) -> Bool {
        left &-= distance
        return !isSplit(count &- left)
    }

    private func isSplit(_ place: Int) -> Bool {
        var (low, high) = (0, splits.count)
        while low < high {
            let middle = (low &+ high) / 2
            if splits[middle] < place { low = middle &+ 1 } else { high = middle }
        }
        return low < splits.count && splits[low] == place
    }
}

/// The measured texts of a document. A small file can have many attributed strings that share one
/// long text.
package struct TextTable {
    /// The positions at the beginnings of the texts, by their byte ranges.
    private var texts: [Range<Int>: TextUnits] = [:]

    package init() {}

    /// Returns the position at the beginning of a text. Linear in the length of the text for the
    /// first call, constant for further ones.
    mutating func units(of range: Range<Int>, in source: StreamBytes) -> TextUnits {
        if let known = texts[range] { return known }
        let units = TextUnits(source, at: range)
        texts[range] = units
        return units
    }
}
