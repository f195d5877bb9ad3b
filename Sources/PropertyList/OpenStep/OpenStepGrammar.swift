// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The parser that turns OpenStep text into the tables of a document.
///
///     file       = blanks [ value | entries ] blanks
///     value      = dictionary | array | string | data and typed values (``OpenStepAngle``)
///     dictionary = "{" entries "}"
///     entries    = { string [ "=" value ] ";" }
///     array      = "(" [ value { "," value } [ "," ] ] ")"
///
/// Blanks are allowed between any two tokens. Entries without braces form a strings file. A file
/// without any tokens is an empty strings file. `key;` is short for `key = key;`, and key and value
/// are then the same node. Source: CoreFoundation's `CFOldStylePList.c`.
struct OpenStepGrammar {
    let options: ParsingOptions
    private let limits: ParsingLimits
    var tree: TreeAssembler
    private(set) var used: ParsingOptions = []
    private var scanner: OpenStepScanner
    // True after a value, before its separator has been read.
    private var isAfterValue = false
    private var isStringsFile = false
    private var isASCII: Bool

    init(_ bytes: [UInt8], options: ParsingOptions, limits: ParsingLimits) {
        tree = TreeAssembler(bytes: bytes)
        scanner = OpenStepScanner(bytes.span, options: options)
        isASCII = bytes.span.isASCII()
        self.options = options
        self.limits = limits
    }

    /// Parses the whole text. Linear; not recursive.
    ///
    /// - Throws: an error whose location is a byte offset.
    mutating func run(_ text: Span<UInt8>) throws(PropertyListError) {
        try readBeginning(text)
        while tree.depth > 0 {
            try scanner.skipBlanks(text)
            if tree.openKind == .dictionary { try readEntry(text) } else { try readElement(text) }
        }
        try readEnd(text)
    }

    // MARK: Beginning and end

    private mutating func readBeginning(_ text: Span<UInt8>) throws(PropertyListError) {
        try scanner.skipBlanks(text)
        isStringsFile = try startsLikeStringsFile(text)
        guard isStringsFile else { return try readValue(text) }
        open(.dictionary)
        try checkDepth()
    }

    /// Returns whether text is not empty and has only white space.
    static func isBlank(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty && text.indices.allSatisfy { OpenStepCharacter.isBlank(text[$0]) }
    }

    /// Returns whether the text is empty or begins with an entry.
    private func startsLikeStringsFile(_ text: Span<UInt8>) throws(PropertyListError) -> Bool {
        guard scanner.peek(text) != nil else { return true }
        guard scanner.isAtString(text) else { return false }
        var ahead = scanner
        _ = try ahead.skipString(text)
        try ahead.skipBlanks(text)
        return ahead.peek(text) == UInt8(ascii: "=") || ahead.peek(text) == UInt8(ascii: ";")
    }

    private mutating func readEnd(_ text: Span<UInt8>) throws(PropertyListError) {
        used.formUnion(scanner.used)
        // The trailing content of a strings file may look like an unterminated comment.
        if used.contains(.trailingContent) { return }
        try scanner.skipBlanks(text)
        used.formUnion(scanner.used)
        guard scanner.peek(text) != nil else { return }
        throw error(
            .trailingData, "expected the end of the text after the root value, found more text"
        )
    }

    /// Ends a strings file before the end of the text if no key follows, like Apple's parsers,
    /// provided that the options accept trailing content.
    private mutating func endEntries() throws(PropertyListError) {
        guard options.contains(.trailingContent) else {
            throw error(
                .trailingData, "expected a key or the end of the text, found other text",
                .trailingContent)
        }
        used.insert(.trailingContent)
        tree.close()
    }

    // MARK: Containers

    private mutating func readEntry(_ text: Span<UInt8>) throws(PropertyListError) {
        guard let byte = scanner.peek(text) else { return try closeAtEnd() }
        if isAfterValue {
            try readSeparator(byte)
        } else if tree.openCount % 2 == 1 {
            try readEntryValue(text, byte)
        } else if scanner.isAtString(text) {
            tree.add(try readString(text))
        } else if byte == UInt8(ascii: "}"), !isInStringsFileRoot {
            close()
        } else if isInStringsFileRoot {
            try endEntries()
        } else {
            throw unexpected(byte, "a key or `}`")
        }
    }

    private mutating func readSeparator(_ byte: UInt8) throws(PropertyListError) {
        isAfterValue = false
        if byte == UInt8(ascii: ";") { return scanner.position &+= 1 }
        guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") else {
            throw unexpected(byte, "`;` after a value")
        }
        guard options.contains(.looseSeparators) else {
            throw unexpected(byte, "`;` after a value", .looseSeparators)
        }
        used.insert(.looseSeparators)
        if byte == UInt8(ascii: ",") { scanner.position &+= 1 }
    }

    private mutating func readEntryValue(
        _ text: Span<UInt8>, _ byte: UInt8
    ) throws(PropertyListError) {
        if byte == UInt8(ascii: "=") {
            scanner.position &+= 1
            try scanner.skipBlanks(text)
            try readValue(text)
        } else if byte == UInt8(ascii: ";"), let key = tree.lastNode {
            tree.addShared(key)
            isAfterValue = true
        } else {
            throw unexpected(byte, "`=` or `;` after a key")
        }
    }

    private mutating func readElement(_ text: Span<UInt8>) throws(PropertyListError) {
        guard let byte = scanner.peek(text) else { return try closeAtEnd() }
        if byte == UInt8(ascii: ")") {
            close()
        } else if isAfterValue {
            guard byte == UInt8(ascii: ",") else { throw unexpected(byte, "`,` or `)`") }
            isAfterValue = false
            scanner.position &+= 1
        } else {
            try readValue(text)
        }
    }

    /// A Boolean value that is true if the open container is a strings file, which has no closing
    /// brace.
    private var isInStringsFileRoot: Bool { isStringsFile && tree.depth == 1 }

    private mutating func closeAtEnd() throws(PropertyListError) {
        if isInStringsFileRoot, !isAfterValue, tree.openCount % 2 == 0 { return tree.close() }
        let kind = tree.openKind.map { "\($0)" } ?? "value"
        if isInStringsFileRoot {
            throw error(.truncated, "expected `;` after an entry, found the end of the text")
        }
        let start = Int(tree.openOffset ?? 0)
        let line = SourceText.location(start, in: tree.store.bytes).line ?? 1
        throw error(
            .truncated,
            "expected the end of the \(kind) that begins on line \(line), found the end of the text"
        )
    }

    private mutating func open(_ kind: PropertyListKind) {
        let offset = UInt32(truncatingIfNeeded: scanner.position)
        tree.open(NodeRecord(kind: kind, offset: offset))
        isAfterValue = false
    }

    private mutating func close() {
        scanner.position &+= 1
        tree.close()
        isAfterValue = true
    }

    private func checkDepth() throws(PropertyListError) {
        guard tree.depth > limits.depth else { return }
        throw OperationBudget.depthExceeded(
            tree.depth, limit: limits.depth, format: .openStep,
            location: .byte(Int(tree.openOffset ?? 0)))
    }

    // MARK: Values

    private mutating func readValue(_ text: Span<UInt8>) throws(PropertyListError) {
        guard let byte = scanner.peek(text) else {
            throw error(.truncated, "expected a value, found the end of the text")
        }
        switch byte {
        case UInt8(ascii: "{"): try readOpening(.dictionary)
        case UInt8(ascii: "("): try readOpening(.array)
        case UInt8(ascii: "<"): try readAngle(text)
        default:
            guard scanner.isAtString(text) else { throw unexpected(byte, "a value") }
            tree.add(try readString(text))
            isAfterValue = true
        }
    }

    private mutating func readOpening(_ kind: PropertyListKind) throws(PropertyListError) {
        open(kind)
        scanner.position &+= 1
        try checkDepth()
    }

    private mutating func readAngle(_ text: Span<UInt8>) throws(PropertyListError) {
        var angle = OpenStepAngle(at: scanner.position, options: options)
        tree.add(try angle.read(text, &tree.store))
        used.formUnion(angle.used)
        scanner.position = angle.end
        isAfterValue = true
    }

    private mutating func readString(_ text: Span<UInt8>) throws(PropertyListError) -> NodeRecord {
        let start = scanner.position
        let (content, hasEscapes) = try scanner.skipString(text)
        if hasEscapes { return try decodedString(text, content, at: start) }
        var record = NodeRecord(
            kind: .string, offset: UInt32(truncatingIfNeeded: start),
            header: UInt16(truncatingIfNeeded: content.lowerBound &- start),
            payload: NodeRecord.payload(low: UInt32(truncatingIfNeeded: content.count)))
        record.encoding = isASCII || text.extracting(content).isASCII() ? .ascii : .utf8
        return record
    }

    private mutating func decodedString(
        _ text: Span<UInt8>, _ content: Range<Int>, at start: Int
    ) throws(PropertyListError) -> NodeRecord {
        var escapes = OpenStepText(options: options)
        let before = tree.store.decoded.count
        try escapes.append(text, content, to: &tree.store.decoded)
        used.formUnion(escapes.used)
        return try tree.store.decodedRecord(.string, from: before, at: start, .openStep)
    }

    // MARK: Errors

    private func unexpected(
        _ byte: UInt8, _ expected: String, _ option: ParsingOptions? = nil
    ) -> PropertyListError {
        let (scalar, _) = UTF8Text.scalar(tree.store.bytes.span, at: scanner.position)
        let character = Unicode.Scalar(scalar).map { TerminalText.escaped(String($0)) } ?? ""
        return error(
            .unexpectedCharacter, "expected \(expected), found `\(character)`", option)
    }

    private func error(
        _ code: PropertyListError.Code, _ what: String, _ option: ParsingOptions? = nil
    ) -> PropertyListError {
        OpenStepScanner.error(code, what, at: scanner.position, option)
    }
}
