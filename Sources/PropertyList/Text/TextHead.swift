// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The beginning of text in any encoding, read as ASCII to detect the format.
///
/// The table at ``PropertyListFormat/detect(_:)`` lists the rules.
struct TextHead {
    private let bytes: [UInt8]
    private let mark: ByteOrderMark?
    private let width: Int
    // The index of the low byte within a code unit.
    private let low: Int
    private var index: Int
    private var hasComment = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        mark = ByteOrderMark(bytes)
        width = mark?.unitWidth ?? 1
        low = mark?.isBigEndian == true ? width - 1 : 0
        index = mark?.length ?? 0
    }

    /// The detected format; nil if the text is not a property list.
    var format: PropertyListFormat? {
        var head = self
        return head.find()
    }

    // MARK: Characters

    /// Returns the character `distance` units ahead: FF if it is not ASCII, nil at the end.
    private func peek(_ distance: Int = 0) -> UInt8? {
        let start = index + distance * width
        guard start + width <= bytes.count else { return nil }
        let byte = bytes[start + low]
        let isASCII =
            byte < 0x80
            && (start..<(start + width)).allSatisfy { $0 == start + low || bytes[$0] == 0 }
        return isASCII ? byte : 0xFF
    }

    private mutating func advance(_ distance: Int = 1) { index += distance * width }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte = peek(), condition(byte) { advance() }
    }

    /// Skips white space and OpenStep comments. Without a byte order mark, also skips zero bytes,
    /// because the text may be XML in UTF-16.
    private mutating func skipBlanks() {
        while let byte = peek() {
            if OpenStepCharacter.isBlank(byte) || (byte == 0 && mark == nil) {
                advance()
            } else if byte == UInt8(ascii: "/"), let next = peek(1) {
                guard skipComment(next) else { return }
                hasComment = true
            } else {
                return
            }
        }
    }

    private mutating func skipComment(_ second: UInt8) -> Bool {
        switch second {
        case UInt8(ascii: "/"): skip { $0 != 0x0A && $0 != 0x0D }
        case UInt8(ascii: "*"):
            advance(2)
            while let byte = peek(), byte != UInt8(ascii: "*") || peek(1) != UInt8(ascii: "/") {
                advance()
            }
            advance(2)
        default: return false
        }
        return true
    }

    private mutating func skipString(_ quote: UInt8) {
        advance()
        while let byte = peek(), byte != quote {
            advance(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        advance()
    }

    // MARK: The format

    private mutating func find() -> PropertyListFormat? {
        skipBlanks()
        guard let first = peek() else { return hasComment || mark != nil ? .openStep : nil }
        switch first {
        case UInt8(ascii: "<"): return isOpenStepData() ? .openStep : .xml
        case UInt8(ascii: "{"): return openedByBrace()
        case UInt8(ascii: "["): return .json
        case UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: "'"): return .openStep
        default: return isEntry() ? .openStep : nil
        }
    }

    private mutating func isOpenStepData() -> Bool {
        if hasComment { return true }
        advance()
        if let next = peek(), next == UInt8(ascii: "*") || next == UInt8(ascii: "[") { return true }
        skip { HexText.value($0) != nil || OpenStepCharacter.isBlank($0) }
        return peek() == UInt8(ascii: ">")
    }

    private mutating func openedByBrace() -> PropertyListFormat {
        advance()
        skipBlanks()
        if hasComment { return .openStep }
        if peek() == UInt8(ascii: "}") { return .json }
        guard let quote = peek(), quote == UInt8(ascii: "\"") else { return .openStep }
        skipString(quote)
        skipBlanks()
        return peek() == UInt8(ascii: ":") ? .json : .openStep
    }

    /// Returns whether a word followed by `=` or `;` is next, as at the beginning of a strings
    /// file.
    private mutating func isEntry() -> Bool {
        let start = index
        skip { OpenStepCharacter.isBare($0) }
        if index == start { return false }
        skipBlanks()
        return peek() == UInt8(ascii: "=") || peek() == UInt8(ascii: ";")
    }
}
