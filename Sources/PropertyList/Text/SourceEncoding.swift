// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The encoding of a source of text, for writing it again after an edit.
package enum SourceEncoding: Sendable, Hashable {
    case utf8
    /// With the byte order mark that it begins with, if any.
    case utf16(isBigEndian: Bool, hasMark: Bool)
    case latin1
    case ascii
    /// One that is read and not written.
    case other(String)

    /// The name that has to be given for text which does not declare it; nil where its bytes tell.
    package var undeclaredName: String? {
        switch self {
        case .utf8, .utf16(_, hasMark: true): nil
        case .utf16(let isBigEndian, hasMark: false): isBigEndian ? "UTF-16BE" : "UTF-16LE"
        case .latin1: "ISO-8859-1"
        case .ascii: "US-ASCII"
        case .other(let name): name
        }
    }

    /// The number of bytes that UTF-8 text has in this encoding; in one that is not written, at least. Linear.
    package func size(of text: [UInt8]) -> Int {
        switch self {
        case .utf8, .ascii: text.count
        case .utf16(_, let hasMark): Self.utf16Size(text, hasMark: hasMark)
        case .latin1, .other: UTF8Text.scalarCount(text.span)
        }
    }

    /// UTF-8 text in this encoding. Linear.
    ///
    /// - Throws: `invalidEncoding` for an encoding that is not written, or has not all characters.
    package func encoded(_ text: [UInt8]) throws(PropertyListError) -> [UInt8] {
        switch self {
        case .utf8: return text
        case .utf16(let isBigEndian, let hasMark):
            return Self.utf16(text, isBigEndian: isBigEndian, hasMark: hasMark)
        case .latin1: return try Self.latin1(text)
        case .ascii:
            if !text.span.isASCII() { throw Self.missingCharacters("US-ASCII") }
            return text
        case .other(let name):
            throw PropertyListError(
                .invalidEncoding,
                what: "text in the encoding `\(TerminalText.escaped(name))` is read, not written",
                recovery: "convert it to UTF-8 first")
        }
    }

    private static func missingCharacters(_ encoding: String) -> PropertyListError {
        PropertyListError(
            .invalidEncoding,
            what: "the encoding \(encoding) has not all characters of the new text",
            recovery: "convert it to UTF-8 first")
    }

    private static func utf16Size(_ text: [UInt8], hasMark: Bool) -> Int {
        let units = UTF8Text.unitCounts(text.span).utf16 &+ (hasMark ? 1 : 0)
        return TreeExtent.sum(units, units)
    }

    private static func utf16(_ text: [UInt8], isBigEndian: Bool, hasMark: Bool) -> [UInt8] {
        var output: [UInt8] = hasMark ? [0xFE, 0xFF] : []
        UTF16Text.appendUTF16(text.span, to: &output)
        if isBigEndian { return output }
        for index in stride(from: 0, to: output.count - 1, by: 2) {
            output.swapAt(index, index + 1)
        }
        return output
    }

    private static func latin1(_ text: [UInt8]) throws(PropertyListError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(UTF8Text.scalarCount(text.span))
        var index = 0
        while index < text.count {
            let first = text[index]
            index &+= 1
            if first < 0x80 {
                output.append(first)
                continue
            }
            // The characters up to U+00FF have two bytes in UTF-8, the first of which is C2 or C3.
            guard first <= 0xC3, index < text.count else {
                throw missingCharacters("ISO-8859-1")
            }
            output.append(first << 6 | text[index] & 0x3F)
            index &+= 1
        }
        return output
    }
}
