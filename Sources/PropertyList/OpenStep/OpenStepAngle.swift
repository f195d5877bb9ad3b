// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A parser of the content between `<` and `>` in OpenStep text: data, and GNUstep's typed values.
///
///     data    = "<" { two hexadecimal digits | white space } ">"
///     base64  = "<[" characters "]>"
///     typed   = "<*" type value ">"
///
/// | type | value |
/// |---|---|
/// | `I` | an integer in decimal |
/// | `R` | a real in decimal |
/// | `B` | `Y` or `N` |
/// | `D` | a date, `YYYY-MM-DD hh:mm:ss +hhmm` |
///
/// A value may be in double quotes. Source: GNUstep's `NSPropertyList.m`. No other parser gives
/// these forms another meaning.
package struct OpenStepAngle {
    package let options: ParsingOptions
    var used: ParsingOptions = []
    /// The end of the value. Valid once the value has been read.
    package private(set) var end = 0
    private let start: Int

    /// The maximum length of a typed value in bytes. GNUstep has the same limit.
    private static let longestValue = 4096

    package init(at start: Int, options: ParsingOptions) {
        self.start = start
        self.options = options
    }

    /// Parses the value, and returns its record. Appends the bytes of data to the side buffer of
    /// `store`. Linear.
    ///
    /// - Throws: `truncated`, `invalidData`, `invalidNumber`, `invalidDate`,
    ///   `unexpectedCharacter`, `sizeLimitExceeded`.
    package mutating func read(
        _ text: Span<UInt8>, _ store: inout NodeStore
    ) throws(PropertyListError) -> NodeRecord {
        if text.has("<*", at: start) { return try typed(text) }
        let before = store.decoded.count
        if text.has("<[", at: start) {
            try readBase64(text, &store)
        } else {
            try readHex(text, to: &store.decoded)
        }
        return try store.decodedRecord(.data, from: before, at: start, .openStep)
    }

    /// Returns the end of the value at `start`, or nil if it has no end. Base64 ends after the
    /// first `]>`, because lenient parsing skips foreign ASCII characters in it, even `>`. Any
    /// other value ends after the first `>`.
    package static func end(at start: Int, in text: Span<UInt8>) -> Int? {
        if text.has("<[", at: start) {
            return text.firstIndex(of: "]>", from: start &+ 2).map { $0 &+ 2 }
        }
        return text.firstIndex(of: 0x3E, in: start..<text.count).map { $0 &+ 1 }
    }

    // MARK: Data

    private mutating func readHex(
        _ text: Span<UInt8>, to output: inout [UInt8]
    ) throws(PropertyListError) {
        var index = start &+ 1
        while index < text.count, text[index] != UInt8(ascii: ">") {
            if OpenStepCharacter.isBlank(text[index]) {
                index &+= 1
                continue
            }
            guard let high = HexText.value(text[index]) else {
                throw error(
                    .invalidData,
                    "expected a hexadecimal digit in data, found `\(character(text, index))`",
                    index)
            }
            guard index &+ 1 < text.count else { break }
            guard let low = HexText.value(text[index &+ 1]) else {
                throw error(
                    .invalidData, "expected two digits for a byte of data, found one", index)
            }
            output.append(high << 4 | low)
            index &+= 2
        }
        guard index < text.count, text[index] == UInt8(ascii: ">") else { throw unended("data") }
        end = index &+ 1
    }

    private mutating func readBase64(
        _ text: Span<UInt8>, _ store: inout NodeStore
    ) throws(PropertyListError) {
        guard let end = Self.end(at: start, in: text) else {
            throw unended("Base64 data", end: "]>")
        }
        self.end = end
        let loosely = try Base64.appendDecoded(
            text, (start &+ 2)..<(end &- 2), isLenient: options.contains(.looseBase64), .openStep,
            to: &store.decoded)
        if loosely { used.insert(.looseBase64) }
    }

    // MARK: Typed values

    private mutating func typed(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        let limit = min(text.count, start &+ Self.longestValue)
        guard let close = text.firstIndex(of: 0x3E, in: start..<limit) else {
            let isLong = limit < text.count
            throw unended("a typed value", isLong ? " within \(Self.longestValue) bytes" : "")
        }
        end = close &+ 1
        guard close > start &+ 3 else {
            throw error(.unexpectedCharacter, "a typed value has no type or no value", start)
        }
        let value = text.extracting(try unquoted(text, (start &+ 3)..<close))
        switch text[start &+ 2] {
        case UInt8(ascii: "I"): return try integer(value)
        case UInt8(ascii: "R"): return try real(value)
        case UInt8(ascii: "B"): return try boolean(value)
        case UInt8(ascii: "D"): return try date(value)
        default:
            throw error(
                .unexpectedCharacter,
                "expected I, R, B or D after `<*`, found `\(character(text, start &+ 2))`",
                start &+ 2)
        }
    }

    private func unquoted(
        _ text: Span<UInt8>, _ range: Range<Int>
    ) throws(PropertyListError) -> Range<Int> {
        let quote = UInt8(ascii: "\"")
        let isOpen = text[range.lowerBound] == quote
        let isClosed = range.count > 1 && text[range.upperBound &- 1] == quote
        if !isOpen && !isClosed { return range }
        guard isOpen, isClosed else {
            throw error(
                .truncated, "expected two quotes around a typed value, found one", range.lowerBound)
        }
        return (range.lowerBound &+ 1)..<(range.upperBound &- 1)
    }

    private func integer(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        let isDecimal = text.indices.allSatisfy { text[$0] | 0x20 != UInt8(ascii: "x") }
        guard isDecimal, case .value(let magnitude, let isNegative) = IntegerText.parse(text) else {
            throw error(
                .invalidNumber,
                "expected an integer in −2⁶³ … 2⁶⁴−1 after `<*I`, found other text", start)
        }
        var result = record(.integer, isNegative ? 0 &- magnitude : magnitude)
        result.isNegative = isNegative
        return result
    }

    private func real(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        guard let value = RealText.parse(text) ?? RealText.parseSpecial(text) else {
            throw error(.invalidNumber, "expected a number after `<*R`, found other text", start)
        }
        return record(.real, value.bitPattern, header: 8)
    }

    private func boolean(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        guard text.count == 1, text[0] == UInt8(ascii: "Y") || text[0] == UInt8(ascii: "N") else {
            throw error(
                .unexpectedCharacter, "expected Y or N after `<*B`, found other text", start)
        }
        return record(.boolean, text[0] == UInt8(ascii: "Y") ? 1 : 0)
    }

    private func date(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        guard let seconds = GNUstepDate.parse(text) else {
            throw error(
                .invalidDate,
                "expected a date of the form `YYYY-MM-DD hh:mm:ss +hhmm`, found other text", start)
        }
        return record(.date, seconds.bitPattern)
    }

    // MARK: Records and errors

    private func record(
        _ kind: PropertyListKind, _ payload: UInt64, header: UInt16 = 0
    ) -> NodeRecord {
        NodeRecord(
            kind: kind, offset: UInt32(truncatingIfNeeded: start), header: header, payload: payload)
    }

    private func unended(
        _ what: String, end: String = ">", _ place: String = ""
    ) -> PropertyListError {
        error(.truncated, "\(what) has no `\(end)`\(place)", start)
    }

    /// Returns the character at `index`, escaped for a message.
    private func character(_ text: Span<UInt8>, _ index: Int) -> String {
        let character = Unicode.Scalar(UTF8Text.scalar(text, at: index).value)
        return character.map { TerminalText.escaped(String($0)) } ?? ""
    }

    private func error(
        _ code: PropertyListError.Code, _ what: String, _ place: Int
    ) -> PropertyListError {
        OpenStepScanner.error(code, what, at: place)
    }
}
