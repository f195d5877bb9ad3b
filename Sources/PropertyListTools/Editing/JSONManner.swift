// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The manner of a JSON text that is written anew after edits: its layout, its ends of lines, whether its
/// last line has one, and whether a byte order mark stands before it.
struct JSONManner {
    /// On one line, if the text is.
    let layout: JSONPropertyList.Layout
    /// The byte order mark; empty where there is none.
    private let mark: ArraySlice<UInt8>
    private let endsLinesWithCRLF: Bool
    private let endsLastLine: Bool

    /// Finds the manner of a text. Linear.
    init(of text: [UInt8]) {
        mark = text.prefix(ByteOrderMark(text)?.length ?? 0)
        let body = text.drop { isXMLWhitespace($0) }
        let last = body.lastIndex { !isXMLWhitespace($0) } ?? body.startIndex
        layout = body.prefix(through: last).contains(0x0A) ? .indented : .compact
        endsLastLine = text.last == 0x0A
        let end = text.firstIndex(of: 0x0A) ?? 0
        endsLinesWithCRLF = end > 0 && text[end - 1] == 0x0D
    }

    /// Puts `text`, which has LF alone, into this manner. Linear.
    func applied(to text: [UInt8]) -> [UInt8] {
        if mark.isEmpty, !endsLinesWithCRLF, endsLastLine { return text }
        var output: [UInt8] = []
        output.reserveCapacity(size(of: text))
        output += mark
        for byte in lines(text) {
            // A line end within a string is written as an escape, so that each of these is one of the layout.
            if endsLinesWithCRLF, byte == 0x0A { output.append(0x0D) }
            output.append(byte)
        }
        return output
    }

    /// The number of bytes that `text` has in this manner. Linear.
    func size(of text: [UInt8]) -> Int {
        let text = lines(text)
        return text.count + mark.count + (endsLinesWithCRLF ? text.count { $0 == 0x0A } : 0)
    }

    /// A text that ends with LF, without it where the source has none.
    private func lines(_ text: [UInt8]) -> ArraySlice<UInt8> {
        endsLastLine || text.last != 0x0A ? text[...] : text.dropLast()
    }
}
