// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The encoding of the source, for writing the text again after an edit.
package enum SourceEncoding: Sendable, Hashable {
    case utf8
    /// UTF-16, with a byte order mark if the source has one.
    case utf16(isBigEndian: Bool, hasMark: Bool)
    case latin1
    case ascii
    /// An encoding that the library reads but does not write.
    case other(String)

    /// Creates the encoding with a name. Every name but those of UTF-8, ISO 8859-1 and ASCII gives
    /// `other`.
    init(named name: String) {
        switch name.uppercased() {
        case "UTF-8", "UTF8": self = .utf8
        case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN1", "L1": self = .latin1
        case "ASCII", "US-ASCII", "ISO-IR-6": self = .ascii
        default: self = .other(name)
        }
    }

    /// The name that the caller has to pass for text that does not declare its encoding; nil if the
    /// bytes reveal it.
    package var undeclaredName: String? {
        switch self {
        case .utf8, .utf16(_, hasMark: true): nil
        case .utf16(let isBigEndian, hasMark: false): isBigEndian ? "UTF-16BE" : "UTF-16LE"
        case .latin1: "ISO-8859-1"
        case .ascii: "US-ASCII"
        case .other(let name): name
        }
    }

    /// Returns the size in bytes of UTF-8 text after conversion to this encoding, or a lower bound
    /// for encodings that are not written. Linear.
    package func size(of text: [UInt8]) -> Int {
        switch self {
        case .utf8, .ascii: text.count
        case .utf16(_, let hasMark): Self.utf16Size(text, hasMark: hasMark)
        case .latin1, .other: UTF8Text.scalarCount(text.span)
        }
    }

    /// Converts UTF-8 text to this encoding. Linear.
    ///
    /// - Throws: `invalidEncoding` if the library does not write the encoding, or the encoding
    ///   lacks a character of the text.
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
                what: "the library reads the encoding `\(TerminalText.escaped(name))` but cannot "
                    + "write it",
                recovery: "convert the file to UTF-8 first")
        }
    }

    private static func missingCharacters(_ encoding: String) -> PropertyListError {
        PropertyListError(
            .invalidEncoding,
            what: "the encoding \(encoding) cannot represent all characters of the new text",
            recovery: "convert the file to UTF-8 first")
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
            // U+0080 to U+00FF have two bytes in UTF-8, of which the first is C2 or C3.
            guard first <= 0xC3, index < text.count else {
                throw missingCharacters("ISO-8859-1")
            }
            output.append(first << 6 | text[index] & 0x3F)
            index &+= 1
        }
        return output
    }
}
