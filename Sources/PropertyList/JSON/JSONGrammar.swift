// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The parser that turns JSON text (RFC 8259) into the tables of a document.
///
///     value  = object | array | string | number | "true" | "false" | "null"
///     object = "{" [ string ":" value { "," string ":" value } ] "}"
///     array  = "[" [ value { "," value } ] "]"
///     blank  = SP | TAB | LF | CR
struct JSONGrammar {
    private let limits: ParsingLimits
    var tree: TreeAssembler
    private var position: Int
    // True after a value, before its separator has been read.
    private var isAfterValue = false
    private let isASCII: Bool

    init(_ bytes: [UInt8], limits: ParsingLimits) {
        tree = TreeAssembler(bytes: bytes)
        position = bytes.span.lengthOfUTF8Mark
        isASCII = bytes.span.isASCII()
        self.limits = limits
    }

    /// Parses the whole text. Linear; not recursive.
    ///
    /// - Throws: an error whose location is a byte offset.
    mutating func run(_ text: Span<UInt8>) throws(PropertyListError) {
        skipBlanks(text)
        try readValue(text)
        while tree.depth > 0 {
            skipBlanks(text)
            guard position < text.count else { throw unended() }
            if tree.openKind == .dictionary { try readMember(text) } else { try readElement(text) }
        }
        skipBlanks(text)
        // No leniency accepts text after the root value, and Apple's parser refuses it too. In
        // JSON Lines, all values but the first would be lost.
        if position < text.count {
            throw error(
                .trailingData, "expected the end of the text after the root value, found more text",
                "put each JSON value into a file of its own")
        }
    }

    @inline(__always)
    private mutating func skipBlanks(_ text: Span<UInt8>) {
        while position < text.count, isXMLWhitespace(text[position]) { position &+= 1 }
    }

    // MARK: Containers

    private mutating func readMember(_ text: Span<UInt8>) throws(PropertyListError) {
        let byte = text[position]
        if tree.openCount % 2 == 1 {
            guard byte == UInt8(ascii: ":") else { throw unexpected(byte, "`:` after a key") }
            position &+= 1
            skipBlanks(text)
            try readValue(text)
        } else if isAfterValue {
            try readSeparator(byte, close: UInt8(ascii: "}"))
        } else if byte == UInt8(ascii: "\"") {
            tree.add(try readString(text))
        } else if byte == UInt8(ascii: "}"), tree.openCount == 0 {
            close()
        } else {
            throw unexpected(byte, "a key in quotes")
        }
    }

    private mutating func readElement(_ text: Span<UInt8>) throws(PropertyListError) {
        let byte = text[position]
        if isAfterValue {
            try readSeparator(byte, close: UInt8(ascii: "]"))
        } else if byte == UInt8(ascii: "]"), tree.openCount == 0 {
            close()
        } else {
            try readValue(text)
        }
    }

    private mutating func readSeparator(
        _ byte: UInt8, close end: UInt8
    ) throws(PropertyListError) {
        if byte == end { return close() }
        guard byte == UInt8(ascii: ",") else {
            throw unexpected(byte, "`,` or `\(Unicode.Scalar(end))`")
        }
        isAfterValue = false
        position &+= 1
    }

    private mutating func open(_ kind: PropertyListKind) throws(PropertyListError) {
        tree.open(NodeRecord(kind: kind, offset: UInt32(truncatingIfNeeded: position)))
        isAfterValue = false
        guard tree.depth <= limits.depth else {
            throw OperationBudget.depthExceeded(
                tree.depth, limit: limits.depth, format: .json, location: .byte(position))
        }
        position &+= 1
    }

    private mutating func close() {
        position &+= 1
        tree.close()
        isAfterValue = true
    }

    // MARK: Values

    private mutating func readValue(_ text: Span<UInt8>) throws(PropertyListError) {
        guard position < text.count else {
            throw error(.truncated, "expected a value, found the end of the text")
        }
        switch text[position] {
        case UInt8(ascii: "{"): return try open(.dictionary)
        case UInt8(ascii: "["): return try open(.array)
        case UInt8(ascii: "\""): tree.add(try readString(text))
        case UInt8(ascii: "t"): try readWord("true", .boolean, 1, text)
        case UInt8(ascii: "f"): try readWord("false", .boolean, 0, text)
        case UInt8(ascii: "n"): try readWord("null", .null, 0, text)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber(text)
        case let byte: throw unexpected(byte, "a value")
        }
        isAfterValue = true
    }

    private mutating func readWord(
        _ word: StaticString, _ kind: PropertyListKind, _ payload: UInt64, _ text: Span<UInt8>
    ) throws(PropertyListError) {
        guard text.has(word, at: position) else {
            throw unexpected(text[position], "a value")
        }
        tree.add(record(kind, payload: payload))
        position &+= word.utf8CodeUnitCount
    }

    private mutating func readNumber(_ text: Span<UInt8>) throws(PropertyListError) {
        guard let number = JSONNumber(text, at: position) else {
            throw error(.invalidNumber, "expected a JSON number, found other text")
        }
        let digits = text.extracting(position..<number.end)
        if number.isReal {
            guard let value = RealText.parseInRange(digits) else {
                throw error(.invalidNumber, "a number is out of range for a 64-bit real")
            }
            tree.add(record(.real, header: 8, payload: value.bitPattern))
        } else {
            guard case .value(let magnitude, let isNegative) = IntegerText.parse(digits) else {
                throw error(.invalidNumber, "an integer is outside −2⁶³ … 2⁶⁴−1")
            }
            var record = record(.integer, payload: isNegative ? 0 &- magnitude : magnitude)
            record.isNegative = isNegative
            tree.add(record)
        }
        position = number.end
    }

    private mutating func readString(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        let start = position
        var string = JSONString(at: start)
        let content = try string.skip(text)
        position = string.end
        guard string.hasEscapes else {
            var record = NodeRecord(
                kind: .string, offset: UInt32(truncatingIfNeeded: start), header: 1,
                payload: NodeRecord.payload(low: UInt32(truncatingIfNeeded: content.count)))
            record.encoding = isASCII || text.extracting(content).isASCII() ? .ascii : .utf8
            return record
        }
        let before = tree.store.decoded.count
        try string.append(text, content, to: &tree.store.decoded)
        return try tree.store.decodedRecord(.string, from: before, at: start, .json)
    }

    private func record(
        _ kind: PropertyListKind, header: UInt16 = 0, payload: UInt64
    ) -> NodeRecord {
        NodeRecord(
            kind: kind, offset: UInt32(truncatingIfNeeded: position), header: header,
            payload: payload)
    }

    // MARK: Errors

    private func unended() -> PropertyListError {
        let start = Int(tree.openOffset ?? 0)
        let line = SourceText.location(start, in: tree.store.bytes).line ?? 1
        let kind = tree.openKind.map { "\($0)" } ?? "value"
        return error(
            .truncated,
            "expected the end of the \(kind) that begins on line \(line), found the end of the text"
        )
    }

    private func unexpected(_ byte: UInt8, _ expected: String) -> PropertyListError {
        let (scalar, _) = UTF8Text.scalar(tree.store.bytes.span, at: position)
        let character = Unicode.Scalar(scalar).map { TerminalText.escaped(String($0)) } ?? ""
        return error(.unexpectedCharacter, "expected \(expected), found `\(character)`")
    }

    private func error(
        _ code: PropertyListError.Code, _ what: String,
        _ recovery: PropertyListError.Recovery? = nil
    ) -> PropertyListError {
        PropertyListError(
            code, format: .json, what: what, location: .byte(position), recovery: recovery)
    }
}
