// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Lines and columns of text, computed on demand from byte offsets.
enum SourceText {
    /// Returns the location of `offset`: line and column in text, the byte alone in binary, and nil
    /// without a format.
    static func location(_ offset: Int, _ store: NodeStore, _ format: PropertyListFormat?)
        -> PropertyListError.Location?
    {
        format.map { $0.isText ? location(offset, in: store.bytes) : .byte(offset) }
    }

    /// Returns the line and column of a byte offset in UTF-8 text. CR, LF and CRLF end a line.
    /// Linear.
    static func location(_ offset: Int, in text: [UInt8]) -> PropertyListError.Location {
        var position = Position(startOf: text)
        position.advance(to: offset, in: text)
        return position.location(offset)
    }

    /// A position that moves forward through text and counts its lines and columns.
    struct Position {
        private var index: Int
        private var line = 1
        private var column = 1

        init(startOf text: [UInt8]) {
            index = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        }

        mutating func advance(to offset: Int, in text: [UInt8]) {
            let end = min(offset, text.count)
            while index < end {
                let byte = text[index]
                let isFirstOfPair =
                    byte == 0x0D && index + 1 < text.count && text[index + 1] == 0x0A
                if byte == 0x0A || (byte == 0x0D && !isFirstOfPair) {
                    line += 1
                    column = 1
                } else if byte & 0xC0 != 0x80 {
                    column += 1
                }
                index += 1
            }
        }

        func location(_ offset: Int) -> PropertyListError.Location {
            PropertyListError.Location(byte: offset, line: line, column: column)
        }
    }
}

/// An index of the lines in a document's source, for code that creates many errors about that
/// source. Building the index takes one pass over the text; each lookup then takes constant time.
///
/// A decodable type that tries one representation after another causes an error for each value.
/// Counting lines from the start each time would take quadratic time.
package struct SourceLines: Sendable {
    private static let interval = 512

    // The positions at multiples of the interval. Empty if the source is not text.
    private var positions: [SourceText.Position] = []
    private let document: PropertyListDocument.Storage

    /// Creates the index for the source of `node`. Linear.
    package init(_ node: PropertyListNode) {
        document = node.storage
        guard document.format?.isText == true else { return }
        let text = document.store.bytes
        var position = SourceText.Position(startOf: text)
        for offset in stride(from: 0, through: text.count, by: Self.interval) {
            position.advance(to: offset, in: text)
            positions.append(position)
        }
    }

    /// Returns ``PropertyListNode/location`` of a value of the same document, in constant time.
    package func location(of node: PropertyListNode) -> PropertyListError.Location? {
        let offset = Int(node.record.offset)
        let block = offset / Self.interval
        guard positions.indices.contains(block) else { return node.location }
        var position = positions[block]
        position.advance(to: offset, in: document.store.bytes)
        return position.location(offset)
    }
}
