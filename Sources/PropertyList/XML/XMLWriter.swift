// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// XML property lists as text, byte for byte as Apple's writer makes it.
public enum XMLPropertyList {
    /// What XML has no form for. Each is refused unless it is allowed by its name, and counted
    /// where it is.
    public struct Losses: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Dates lose fractions of a second, rounded down, and the sign of zero.
        public static let fractionsOfSeconds = Losses(rawValue: 1 << 0)
        /// Reals of 32 bits are read back with 64, and all NaNs as one.
        public static let realWidths = Losses(rawValue: 1 << 1)
        /// Sets become arrays.
        public static let sets = Losses(rawValue: 1 << 2)
        /// UIDs outside a keyed archive are read back as dictionaries, and dictionaries
        /// `{CF$UID: n}` in one as UIDs.
        public static let uidDictionaries = Losses(rawValue: 1 << 3)
        /// Control characters that XML forbids are written raw, so that XML parsers refuse the text.
        public static let controlCharacters = Losses(rawValue: 1 << 4)

        /// What Apple's writer does without a word.
        public static let appleCompatible: Losses = [
            .fractionsOfSeconds, .realWidths, .uidDictionaries, .controlCharacters,
        ]
    }

    /// How reals are written.
    public enum RealText: Sendable, Hashable {
        /// `%.17g`, as CoreFoundation does: 0.1 is `0.10000000000000001`.
        case seventeenDigits
        /// The shortest text that reads back the same, as Foundation's `PropertyListEncoder` does.
        case shortest
        /// As the source of an XML document has them, seventeen digits otherwise.
        case asInSource
    }

    /// How a document is written.
    public struct Options: Sendable, Hashable {
        /// Whether keys are sorted by UTF-16 code units, as Apple's writer does, or keep their order.
        public var sortsKeys = false
        /// How reals are written.
        public var realText = RealText.asInSource
        /// What may be lost.
        public var allowedLosses: Losses = []

        /// The document's order, nothing lost.
        public init() {}
    }

    /// The text and what it lacks.
    public struct Serialization: Sendable {
        /// The text in UTF-8.
        public var bytes: [UInt8]
        /// How often each allowed loss happened; without those that did not.
        public var losses: [(loss: Losses, count: Int)]
    }

    /// Writes a document. Linear in what is written.
    ///
    /// The source's document type and version are kept. −0.0 is written
    /// `-0.0`; Apple's writer loses the sign, its readers take it.
    ///
    /// - Throws: `unrepresentableValue` for what is lost and not allowed to be, and for null,
    ///   unreadable values, U+0000, non-finite dates; `depthLimitExceeded`,
    ///   `expansionLimitExceeded`, `sizeLimitExceeded`.
    public static func serialize(
        _ document: PropertyListDocument, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> Serialization {
        var writer = XMLWriter(document, options, limits)
        return try writer.write()
    }
}

extension XMLPropertyList.Losses: CustomStringConvertible {
    /// What is lost, for people.
    public var description: String {
        let names: [(XMLPropertyList.Losses, String)] = [
            (.fractionsOfSeconds, "fractions of seconds in dates"),
            (.realWidths, "32-bit widths of reals"), (.sets, "sets, written as arrays"),
            (.uidDictionaries, "differences between UIDs and `CF$UID` dictionaries"),
            (.controlCharacters, "strings with control characters that XML forbids, written raw"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

/// Walks over a document and writes each value on lines of its own:
///
///     <?xml version="1.0" encoding="UTF-8"?>
///     <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
///     <plist version="1.0">
///     root, not indented; children one TAB deeper than their container
///     </plist>
///
/// Source: `CFPropertyList.c`, checked against files that Apple's software wrote.
private struct XMLWriter {
    private static let header = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    // Base-64 lines get shorter with the indentation, up to eight levels.
    private static let deepestDataIndent = 8

    private let document: PropertyListDocument
    private let store: NodeStore
    private let options: XMLPropertyList.Options
    private let realStyle: RealText.Style
    private let isArchive: Bool
    private let budget: ParsingBudget
    private var walk: DocumentWalk
    private var output: [UInt8] = []
    private var counts: [UInt8: Int] = [:]

    init(
        _ document: PropertyListDocument, _ options: XMLPropertyList.Options,
        _ limits: ParsingLimits
    ) {
        self.document = document
        self.options = options
        store = document.storage.store
        budget = document.budget(limits)
        walk = DocumentWalk(document.root, budget: budget, sortsKeys: options.sortsKeys)
        isArchive = document.looksLikeKeyedArchive
        realStyle = document.realStyle(options.realText)
        output.reserveCapacity(store.bytes.count * 2)
    }

    mutating func write() throws(PropertyListError) -> XMLPropertyList.Serialization {
        append(Self.header)
        append((document.xmlHeader ?? .apple).text)
        while let step = try walk.next() {
            do { try append(step) } catch { throw error.at(path: walk.path()) }
            try budget.emit(size: output.count)
        }
        append("</plist>\n")
        let losses = counts.sorted { $0.key < $1.key }
            .map { (XMLPropertyList.Losses(rawValue: $0.key), $0.value) }
        return XMLPropertyList.Serialization(bytes: output, losses: losses)
    }

    // MARK: Steps

    private mutating func append(_ step: DocumentWalk.Step) throws(PropertyListError) {
        switch step {
        case .enter(let node, let key):
            let record = store.records[Int(node)]
            let depth = walk.depth - (record.isContainer ? 1 : 0)
            if let key { try appendKey(store.records[Int(key)], depth) }
            try append(record, depth)
        case .leave(let node):
            let record = store.records[Int(node)]
            if record.high > 0 {
                appendLine(record.kind == .dictionary ? "</dict>" : "</array>", walk.depth)
            }
        }
    }

    private mutating func appendKey(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        guard record.kind == .string else {
            throw Self.error("a dictionary key is of kind \(record.kind), not a string")
        }
        try appendText("key", record, depth)
    }

    private mutating func append(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        switch record.kind {
        case .string: try appendText("string", record, depth)
        case .integer: appendInteger(record, depth)
        case .dictionary: try appendDictionary(record, depth)
        case .array: appendLine(record.high == 0 ? "<array/>" : "<array>", depth)
        case .set: try appendSet(record, depth)
        case .uid: try appendUID(record, depth)
        case .real: try appendReal(record, depth)
        case .data: appendData(record, depth)
        case .boolean: appendLine(record.payload == 0 ? "<false/>" : "<true/>", depth)
        case .date: try appendDate(record, depth)
        case .null: throw Self.error("XML has no form for null")
        case .unreadable: throw Self.error("a value that could not be read cannot be written")
        }
    }

    // MARK: Containers

    private mutating func appendDictionary(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        if isArchive || options.allowedLosses.contains(.uidDictionaries), looksLikeUID(record) {
            if isArchive {
                try lose(.uidDictionaries, "a dictionary `{CF$UID: n}` would be read as a UID")
            }
        }
        appendLine(record.high == 0 ? "<dict/>" : "<dict>", depth)
    }

    /// Whether a reader of an archive would take the dictionary for a UID.
    private func looksLikeUID(_ record: NodeRecord) -> Bool {
        guard record.high == 1 else { return false }
        let key = store.records[Int(store.children[Int(record.low)])]
        let value = store.records[Int(store.children[Int(record.low) &+ 1])]
        guard key.kind == .string, value.kind == .integer else { return false }
        return !value.isNegative && value.payload <= UInt64(UInt32.max)
            && store.withContent(of: key) { $0.count == 6 && $0.has("CF$UID", at: 0) }
    }

    private mutating func appendSet(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        try lose(.sets, "XML has no form for a set")
        appendLine(record.high == 0 ? "<array/>" : "<array>", depth)
    }

    private mutating func appendUID(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        if !isArchive {
            try lose(
                .uidDictionaries, "a UID outside a keyed archive would be read as a dictionary")
        }
        appendLine("<dict>", depth)
        appendLine("<key>CF$UID</key>", depth + 1)
        appendInteger(record, depth + 1)
        appendLine("</dict>", depth)
    }

    // MARK: Scalars

    private mutating func appendText(
        _ element: StaticString, _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        open(element, depth)
        if record.encoding == .utf16 {
            var text: [UInt8] = []
            store.appendText(of: record, to: &text)
            try appendEscaped(text[...])
        } else {
            try appendEscaped(store.content(of: record))
        }
        close(element)
    }

    private mutating func appendEscaped(_ text: ArraySlice<UInt8>) throws(PropertyListError) {
        if XMLEscaping.hasForbiddenCharacter(text) {
            if text.contains(0) { throw Self.error("XML has no form for U+0000") }
            try lose(.controlCharacters, "a string has control characters that XML forbids")
        }
        XMLEscaping.append(text, to: &output)
    }

    private mutating func appendInteger(_ record: NodeRecord, _ depth: Int) {
        let value = PropertyListInteger(bits: record.payload, isNegative: record.isNegative)
        open("integer", depth)
        IntegerText.appendDecimal(value.magnitude, negative: value.isNegative, to: &output)
        close("integer")
    }

    private mutating func appendReal(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        let isUsualNaN = record.payload == Double.nan.bitPattern
        let isNaN = Double(bitPattern: record.payload).isNaN
        if record.header == 4 || isNaN && !isUsualNaN {
            try lose(.realWidths, "XML has no form for a real of 32 bits, nor for all NaNs")
        }
        open("real", depth)
        RealText.append(Double(bitPattern: record.payload), style: realStyle, to: &output)
        close("real")
    }

    private mutating func appendDate(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        let seconds = Double(bitPattern: record.payload)
        guard let date = CivilDate(secondsSince2001: seconds) else {
            throw Self.error("a date is too far away for a calendar, or not a number")
        }
        // Zero has a sign, which no text of a date can carry.
        let isLost = PropertyListDate.fraction(of: seconds) != 0 || seconds.bitPattern == 1 << 63
        if isLost {
            try lose(.fractionsOfSeconds, "XML has no form for fractions of a second")
        }
        open("date", depth)
        date.append(to: &output)
        close("date")
    }

    private mutating func appendData(_ record: NodeRecord, _ depth: Int) {
        let indent = min(depth, Self.deepestDataIndent)
        appendLine("<data>", depth)
        store.withContent(of: record) { bytes in
            Base64.appendLines(bytes, indent: indent, capacity: 76 - 8 * indent, to: &output)
        }
        appendLine("</data>", depth)
    }

    // MARK: Text

    private mutating func append(_ text: String) { output.append(contentsOf: text.utf8) }

    private mutating func append(_ text: StaticString) {
        output.append(contentsOf: text)
    }

    private mutating func indent(_ depth: Int) {
        for _ in 0..<depth { output.append(0x09) }
    }

    private mutating func appendLine(_ text: StaticString, _ depth: Int) {
        indent(depth)
        append(text)
        output.append(0x0A)
    }

    private mutating func open(_ element: StaticString, _ depth: Int) {
        indent(depth)
        output.append(UInt8(ascii: "<"))
        append(element)
        output.append(UInt8(ascii: ">"))
    }

    private mutating func close(_ element: StaticString) {
        append("</" as StaticString)
        append(element)
        append(">\n" as StaticString)
    }

    // MARK: Losses

    private mutating func lose(
        _ loss: XMLPropertyList.Losses, _ what: String
    ) throws(PropertyListError) {
        guard options.allowedLosses.contains(loss) else {
            throw Self.error(what, "allow it in `XMLPropertyList.Options.allowedLosses`")
        }
        counts[loss.rawValue, default: 0] += 1
    }

    private static func error(_ what: String, _ recovery: String? = nil) -> PropertyListError {
        PropertyListError(.unrepresentableValue, format: .xml, what: what, recovery: recovery)
    }
}
