// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The formatting of a JSON text, kept when edits write the text from scratch: its layout, its line
/// endings, its final line ending and its byte order mark.
struct JSONFormatting {
    /// Compact if the text is on one line, otherwise indented.
    let layout: JSONPropertyList.Layout
    /// The byte order mark; empty if there is none.
    private let mark: ArraySlice<UInt8>
    /// The first line ending of the text; empty if there is none.
    private let newline: [UInt8]
    private let endsLastLine: Bool

    /// Detects the formatting of a text. Linear.
    init(of text: [UInt8]) {
        mark = text.prefix(ByteOrderMark(text)?.length ?? 0)
        let body = text.dropFirst(mark.count).drop { isXMLWhitespace($0) }
        let last = body.lastIndex { !isXMLWhitespace($0) }
        let isOnOneLine = last.map { TextLayout.newline(body[...$0]).isEmpty } ?? true
        layout = isOnOneLine ? .compact : .indented
        endsLastLine = text.last.map(TextLayout.isLineEnd) ?? false
        newline = TextLayout.newline(text[...])
    }

    /// Returns `text`, whose lines end with LF, in this formatting. Linear.
    func applied(to text: [UInt8]) -> [UInt8] {
        if mark.isEmpty, newline == [0x0A], endsLastLine { return text }
        var output: [UInt8] = []
        output.reserveCapacity(size(of: text))
        output += mark
        for byte in lines(text) {
            // Line ends inside strings are escaped, so each LF belongs to the layout.
            if byte == 0x0A { output += newline } else { output.append(byte) }
        }
        return output
    }

    /// Returns the number of bytes of `text` in this formatting. Linear.
    func size(of text: [UInt8]) -> Int {
        let text = lines(text)
        return text.count + mark.count + (newline.count - 1) * text.count { $0 == 0x0A }
    }

    /// Returns the text, without its final LF if the source has none.
    private func lines(_ text: [UInt8]) -> ArraySlice<UInt8> {
        endsLastLine || text.last != 0x0A ? text[...] : text.dropLast()
    }
}
