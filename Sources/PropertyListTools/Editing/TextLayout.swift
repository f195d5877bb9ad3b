// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The indentation and the line endings of inserted text.
struct TextStyle: Sendable, Hashable {
    /// The indentation at the beginning of every line.
    var prefix: [UInt8]
    /// The indentation that a level of nesting adds.
    var unit: [UInt8]
    /// The line ending; empty if everything is written on one line.
    var newline: [UInt8]

    /// The style for text on one line.
    static let oneLine = TextStyle(prefix: [], unit: [], newline: [])

    /// The style one level deeper.
    var deeper: TextStyle { TextStyle(prefix: prefix + unit, unit: unit, newline: newline) }
}

/// The layout of a source text: line endings and indentation.
struct TextLayout {
    let text: [UInt8]
    /// The line ending of the first line; empty if there is only one line.
    let newline: [UInt8]
    /// The indentation that a level of nesting adds.
    private let unit: [UInt8]

    init(_ store: NodeStore) {
        text = store.bytes
        newline = Self.newline(text[...])
        unit = Self.unit(store)
    }

    /// Returns the first line ending of a text; empty if there is none.
    static func newline(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard let end = text.firstIndex(where: isLineEnd) else { return [] }
        return text[end] == 0x0D && end + 1 < text.endIndex && text[end + 1] == 0x0A
            ? [0x0D, 0x0A] : [text[end]]
    }

    /// Returns the indentation that one level of nesting adds, taken from the first container whose
    /// first child begins a line: the difference from the indentation of the container's own line.
    /// Returns a TAB if there is no such container.
    private static func unit(_ store: NodeStore) -> [UInt8] {
        for record in store.records where record.isContainer && !record.isEmpty {
            let child = store.records[Int(store.children[record.childRange.lowerBound])]
            guard let inner = indentation(blank(before: Int(child.offset), store.bytes)),
                let outer = indentationOfLine(at: Int(record.offset), store.bytes),
                inner.count > outer.count, inner.starts(with: outer)
            else { continue }
            return Array(inner.dropFirst(outer.count))
        }
        return [0x09]
    }

    // The maximum distance of a container from the beginning of its line. It bounds the search in
    // a file of one line.
    private static let longestLine = 4096

    /// Returns the white space at the beginning of the line with `place`; nil for a long line.
    private static func indentationOfLine(at place: Int, _ text: [UInt8]) -> ArraySlice<UInt8>? {
        var start = place
        while start > 0, !isLineEnd(text[start - 1]) {
            start -= 1
            if place - start > longestLine { return nil }
        }
        return text[start..<place].prefix(while: isBlank)
    }

    // MARK: Blanks

    static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private static func isBlank(_ byte: UInt8) -> Bool { isXMLWhitespace(byte) }

    private static func blank(
        before place: Int, notBefore limit: Int = 0, _ text: [UInt8]
    ) -> ArraySlice<UInt8> {
        var start = place
        while start > limit, Self.isBlank(text[start - 1]) { start -= 1 }
        return text[start..<place]
    }

    /// Returns the white space after the last line end, or nil if there is no line end.
    private static func indentation(_ blank: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        blank.lastIndex(where: isLineEnd).map { blank[($0 + 1)...] }
    }

    /// Returns the white space before a value, without blank lines.
    func blank(before place: Int, notBefore limit: Int = 0) -> [UInt8] {
        let blank = Self.blank(before: place, notBefore: limit, text)
        return Array(text[lineBreak(before: place, in: blank)..<place])
    }

    /// Returns the offset of the last line break before an element, or the offset of the element if
    /// other text precedes it on its line.
    func lineBreak(before place: Int) -> Int {
        let blank = Self.blank(before: place, text)
        return Self.indentation(blank) == nil ? place : lineBreak(before: place, in: blank)
    }

    private func lineBreak(before place: Int, in blank: ArraySlice<UInt8>) -> Int {
        guard let end = blank.lastIndex(where: Self.isLineEnd) else {
            return blank.startIndex
        }
        let isPair = text[end] == 0x0A && end > blank.startIndex && text[end - 1] == 0x0D
        return isPair ? end - 1 : end
    }

    /// Returns whether a range contains only white space.
    func isBlank(_ range: Range<Int>) -> Bool { text[range].allSatisfy(Self.isBlank) }

    /// Returns the offset of the line break after `place`, where a value ends. Returns `place` if
    /// anything but spaces, TABs and comments precedes the line break, if one of the comments spans
    /// lines, or if there is no line break.
    ///
    /// `comment` returns the end of a comment that begins at an offset, or nil if none begins
    /// there.
    func afterLine(_ place: Int, comment: (Int) -> Int?) -> Int {
        var index = place
        while index < text.count {
            let byte = text[index]
            if Self.isLineEnd(byte) { return index }
            if let end = comment(index) {
                guard !text[index..<end].contains(where: Self.isLineEnd) else { return place }
                index = end
            } else if byte == 0x20 || byte == 0x09 {
                index += 1
            } else {
                return place
            }
        }
        return place
    }

    // MARK: Styles

    /// Returns the style for text that replaces an element or is inserted beside it. This is the
    /// style of the line that the element begins, or else of the line that its key begins. If
    /// neither begins a line, everything goes on one line.
    func style(at place: Int, orAt key: Int? = nil) -> TextStyle {
        for place in [place, key ?? place] {
            if let indentation = Self.indentation(Self.blank(before: place, text)) {
                let pair = lineBreak(before: place)
                let end = place - indentation.count
                return .init(
                    prefix: Array(indentation), unit: unit, newline: Array(text[pair..<end]))
            }
        }
        return .oneLine
    }
}
