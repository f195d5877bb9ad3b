// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Lines and columns of text, worked out from a byte offset only when an error is made.
enum SourceText {
    /// The place of `offset`: line and column in XML, the byte alone otherwise.
    static func location(_ offset: Int, _ store: NodeStore, _ format: PropertyListFormat?)
        -> PropertyListError.Location?
    {
        switch format {
        case .xml: location(offset, in: store.bytes)
        case .binary: .byte(offset)
        default: nil
        }
    }

    /// The line and column of a byte offset in UTF-8 text. Linear. CR, LF and CRLF end a line.
    static func location(_ offset: Int, in text: [UInt8]) -> PropertyListError.Location {
        var line = 1
        var column = 1
        var index = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let end = min(offset, text.count)
        while index < end {
            let byte = text[index]
            let isFirstOfPair = byte == 0x0D && index + 1 < text.count && text[index + 1] == 0x0A
            if byte == 0x0A || (byte == 0x0D && !isFirstOfPair) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
            index += 1
        }
        return PropertyListError.Location(byte: offset, line: line, column: column)
    }
}
