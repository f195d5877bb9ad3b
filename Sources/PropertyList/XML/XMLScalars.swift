// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The parser of the text of a leaf element.
///
///     string, key = any text, white space included
///     integer     = [+-] ( digits | "0x" hex digits ), −2⁶³ … 2⁶⁴−1
///     real        = a number as in RealText | [+-] "inf" ["inity"] | "nan" (either case)
///     date        = [-] year "-" month "-" day "T" hour ":" minute ":" second "Z"
///     data        = Base64 with white space anywhere
///     true, false = nothing
struct XMLScalars {
    let options: ParsingOptions
    let element: XMLElement
    let tagStart: Int
    var used: ParsingOptions = []

    init(options: ParsingOptions, element: XMLElement, tagStart: Int) {
        self.options = options
        self.element = element
        self.tagStart = tagStart
    }

    /// Parses the text in `range`. Content that differs from its source is appended to the
    /// `decoded` bytes of `store`. Linear.
    ///
    /// - Throws: `invalidString`, `invalidNumber`, `invalidDate`, `invalidData`,
    ///   `unexpectedElement`. The location is the byte offset.
    mutating func read(
        _ text: Span<UInt8>, _ range: Range<Int>, _ store: inout NodeStore
    ) throws(PropertyListError) -> NodeRecord {
        switch element {
        case .string, .key: return try string(text, range, &store)
        case .yes, .no: return try boolean(text, range)
        case .data: return try data(text, range, &store)
        default: break
        }
        if Self.isPlain(text, range) { return try number(text.extracting(trimmed(text, range))) }
        var resolved: [UInt8] = []
        try append(text, range, to: &resolved)
        return try number(resolved.span.extracting(trimmed(resolved.span, 0..<resolved.count)))
    }

    private mutating func number(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        switch element {
        case .integer: try integer(text)
        case .real: try real(text)
        default: try date(text)
        }
    }

    private func record(
        _ kind: PropertyListKind, header: UInt16 = 0, payload: UInt64 = 0
    ) -> NodeRecord {
        NodeRecord(
            kind: kind, offset: UInt32(truncatingIfNeeded: tagStart), header: header,
            payload: payload)
    }

    // MARK: Strings

    private func string(
        _ text: Span<UInt8>, _ range: Range<Int>, _ store: inout NodeStore
    ) throws(PropertyListError) -> NodeRecord {
        let header = UInt16(exactly: range.lowerBound &- tagStart)
        guard Self.isPlain(text, range), let header else {
            let start = store.decoded.count
            try append(text, range, to: &store.decoded)
            return try decoded(.string, from: start, &store)
        }
        let length = UInt32(truncatingIfNeeded: range.count)
        var result = record(.string, header: header, payload: NodeRecord.payload(low: length))
        result.encoding = text.extracting(range).isASCII() ? .ascii : .utf8
        return result
    }

    private func decoded(
        _ kind: PropertyListKind, from start: Int, _ store: inout NodeStore
    ) throws(PropertyListError) -> NodeRecord {
        try store.decodedRecord(kind, from: start, at: tagStart, .xml)
    }

    private func append(
        _ text: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]
    ) throws(PropertyListError) {
        do {
            try XMLText.append(text, range, to: &output)
        } catch {
            throw self.error(.unexpectedElement, error.what, at: error.offset)
        }
    }

    /// Returns whether the text has no references, CDATA sections, comments or processing
    /// instructions.
    @inline(__always)
    private static func isPlain(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        text.firstIndex(of: UInt8(ascii: "&"), or: UInt8(ascii: "<"), in: range) == nil
    }

    // MARK: Numbers, dates, booleans

    /// Returns the range without the surrounding white space that the options accept.
    private mutating func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var low = range.lowerBound
        var high = range.upperBound
        if options.contains(leadingLeniency) {
            while low < high, isXMLWhitespace(text[low]) { low &+= 1 }
            if low > range.lowerBound { used.insert(leadingLeniency) }
        }
        if options.contains(.trailingBlanks) {
            while low < high, isXMLWhitespace(text[high &- 1]) { high &-= 1 }
            if high < range.upperBound { used.insert(.trailingBlanks) }
        }
        return low..<high
    }

    /// The leniency that allows white space before the text.
    private var leadingLeniency: ParsingOptions {
        element == .date ? .trailingBlanks : .paddedScalars
    }

    /// Returns the text of an integer without the white space between its sign and its digits.
    /// Returns nil if there is no such white space, or if the options do not accept it.
    private mutating func joined(_ text: Span<UInt8>) -> [UInt8]? {
        guard options.contains(.paddedScalars), text.count > 2,
            text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"), isXMLWhitespace(text[1])
        else { return nil }
        let digits = text.indices.dropFirst().drop { isXMLWhitespace(text[$0]) }
        // Other text, such as a second sign, is no integer with or without the white space.
        guard let first = digits.first, text[first] &- 0x30 < 10 else { return nil }
        used.insert(.paddedScalars)
        return [text[0]] + digits.map { text[$0] }
    }

    private mutating func integer(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        if let joined = joined(text) { return try plainInteger(joined.span) }
        return try plainInteger(text)
    }

    private func plainInteger(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        switch IntegerText.parse(text) {
        case .value(let magnitude, let isNegative):
            let bits = isNegative ? 0 &- magnitude : magnitude
            var result = record(.integer, payload: bits)
            result.isNegative = isNegative && magnitude != 0
            return result
        case .overflow:
            throw error(.invalidNumber, "an integer is outside −2⁶³ … 2⁶⁴−1", at: tagStart)
        case .malformed:
            throw error(
                .invalidNumber, "expected an integer, found other text", at: tagStart,
                leniencies(accepting: text))
        }
    }

    private func real(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        guard let value = RealText.parse(text) ?? RealText.parseSpecial(text) else {
            throw error(
                .invalidNumber, "expected a number, found other text", at: tagStart,
                leniencies(accepting: text))
        }
        return record(.real, header: 8, payload: value.bitPattern)
    }

    private mutating func date(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        if let seconds = CivilDate.parse(text, lenient: false) {
            return record(.date, payload: seconds.bitPattern)
        }
        guard let seconds = CivilDate.parse(text, lenient: true) else {
            throw error(
                .invalidDate,
                "expected a date of the form `YYYY-MM-DDThh:mm:ssZ`, found other text",
                at: tagStart, leniencies(accepting: text))
        }
        guard options.contains(.looseDates) else {
            throw error(
                .invalidDate, "a date does not exist in the calendar", at: tagStart, .looseDates)
        }
        used.insert(.looseDates)
        return record(.date, payload: seconds.bitPattern)
    }

    private func boolean(
        _ text: Span<UInt8>, _ range: Range<Int>
    ) throws(PropertyListError) -> NodeRecord {
        guard range.isEmpty else {
            throw error(
                .unexpectedElement, "expected an empty `<\(element.name)>`, found content",
                at: range.lowerBound)
        }
        return record(.boolean, payload: element == .yes ? 1 : 0)
    }

    /// Returns the leniencies that together would accept the text with its white space, or nil if
    /// none would. Parses the text again.
    private func leniencies(accepting text: Span<UInt8>) -> ParsingOptions? {
        let allowed = options.union([.paddedScalars, .trailingBlanks, .looseDates])
        if allowed == options { return nil }
        var lenient = XMLScalars(options: allowed, element: element, tagStart: tagStart)
        let range = lenient.trimmed(text, 0..<text.count)
        guard (try? lenient.number(text.extracting(range))) != nil else { return nil }
        return lenient.used.subtracting(options)
    }

    // MARK: Data

    private mutating func data(
        _ text: Span<UInt8>, _ range: Range<Int>, _ store: inout NodeStore
    ) throws(PropertyListError) -> NodeRecord {
        let start = store.decoded.count
        if Self.isPlain(text, range) {
            try decode(text.extracting(range), from: range.lowerBound, &store)
        } else {
            var resolved: [UInt8] = []
            try append(text, range, to: &resolved)
            try decode(resolved.span, from: range.lowerBound, &store)
        }
        return try decoded(.data, from: start, &store)
    }

    private mutating func decode(
        _ text: Span<UInt8>, from start: Int, _ store: inout NodeStore
    ) throws(PropertyListError) {
        let loosely = try Base64.appendDecoded(
            text, 0..<text.count, origin: start, isLenient: options.contains(.looseBase64), .xml,
            to: &store.decoded)
        if loosely { used.insert(.looseBase64) }
    }

    // MARK: Errors

    private func error(
        _ code: PropertyListError.Code, _ what: String, at place: Int,
        _ option: ParsingOptions? = nil
    ) -> PropertyListError {
        PropertyListError(
            code, format: .xml, what: what, location: .byte(place),
            recovery: option.map(\.advice))
    }
}
