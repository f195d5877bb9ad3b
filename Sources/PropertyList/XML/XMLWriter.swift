// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Walks over a document and writes each value on lines of its own:
///
///     <?xml version="1.0" encoding="UTF-8"?>
///     <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
///     <plist version="1.0">
///     root, not indented; children one TAB deeper than their container
///     </plist>
///
/// Source: `CFPropertyList.c`, checked against files that Apple's software wrote.
struct XMLWriter {
    /// What stands around the text of an element.
    private struct Tags {
        let open: ShortText
        let close: ShortText

        init(_ open: StaticString, _ close: StaticString) {
            self.open = ShortText(open)
            self.close = ShortText(close)
        }
    }

    /// What stands on a line by itself.
    private struct Lines {
        let openDict = ShortText("<dict>\n")
        let closeDict = ShortText("</dict>\n")
        let emptyDict = ShortText("<dict/>\n")
        let openArray = ShortText("<array>\n")
        let closeArray = ShortText("</array>\n")
        let emptyArray = ShortText("<array/>\n")
        let openData = ShortText("<data>\n")
        let closeData = ShortText("</data>\n")
        let yes = ShortText("<true/>\n")
        let no = ShortText("<false/>\n")
    }

    private static let header = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    // Base-64 lines get shorter with the indentation, up to eight levels.
    private static let deepestDataIndent = 8

    private let document: PropertyListDocument
    private let store: NodeStore
    private let options: XMLPropertyList.Options
    private let realStyle: RealText.Style
    private let isArchive: Bool
    private let budget: ParsingBudget
    private let lines = Lines()
    private let key = Tags("<key>", "</key>\n")
    private let uidKey = ShortText("CF$UID")
    private let string = Tags("<string>", "</string>\n")
    private let integer = Tags("<integer>", "</integer>\n")
    private let real = Tags("<real>", "</real>\n")
    private let date = Tags("<date>", "</date>\n")
    private var walk: DocumentWalk
    private var output: [UInt8] = []
    // Text that is not UTF-8 in the document; kept for its room.
    private var decoded: [UInt8] = []
    private var keys: XMLWrittenKeys
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
        keys = XMLWrittenKeys(count: document.storage.keys.count)
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
                appendLine(
                    record.kind == .dictionary ? lines.closeDict : lines.closeArray, walk.depth)
            }
        }
    }

    private mutating func appendKey(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        guard record.kind == .string else {
            throw Self.error("a dictionary key is of kind \(record.kind), not a string")
        }
        if let known = keys.place(of: record) {
            let elements = keys.elements
            output.append(addingCapacity: depth &+ known.count &+ 8) { output in
                output.append(tabs: depth)
                output.append(contentsOf: elements.span.extracting(known))
            }
        } else {
            let start = output.count &+ depth
            try appendText(key, record, depth)
            if keys.isSecond(record) {
                let element = output[start...]
                let text = element.dropFirst(key.open.count).dropLast(key.close.count)
                if XMLEscaping.isPlain(text.span) { keys.keep(element, of: record) }
            }
        }
    }

    private mutating func append(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        switch record.kind {
        case .string: try appendText(string, record, depth)
        case .integer: appendInteger(record, depth)
        case .dictionary: try appendDictionary(record, depth)
        case .array: appendLine(record.high == 0 ? lines.emptyArray : lines.openArray, depth)
        case .set: try appendSet(record, depth)
        case .uid: try appendUID(record, depth)
        case .real: try appendReal(record, depth)
        case .data: appendData(record, depth)
        case .boolean: appendLine(record.payload == 0 ? lines.no : lines.yes, depth)
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
        appendLine(record.high == 0 ? lines.emptyDict : lines.openDict, depth)
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
        appendLine(record.high == 0 ? lines.emptyArray : lines.openArray, depth)
    }

    private mutating func appendUID(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        if !isArchive {
            try lose(
                .uidDictionaries, "a UID outside a keyed archive would be read as a dictionary")
        }
        output.append(addingCapacity: 4 &* depth &+ 160) { output in
            output.append(tabs: depth)
            output.append(lines.openDict)
            output.append(tabs: depth &+ 1)
            output.append(key.open)
            output.append(uidKey)
            output.append(key.close)
            Self.append(record.payload, isNegative: false, integer, depth &+ 1, to: &output)
            output.append(tabs: depth)
            output.append(lines.closeDict)
        }
    }

    // MARK: Scalars

    private mutating func appendText(
        _ tags: Tags, _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        if record.encoding == .utf16 {
            decoded.removeAll(keepingCapacity: true)
            store.appendText(of: record, to: &decoded)
            let text = decoded
            try appendText(tags, text.span, depth)
        } else {
            try store.withContent(of: record) { text throws(PropertyListError) in
                try appendText(tags, text, depth)
            }
        }
    }

    @inline(__always)
    private mutating func appendText(
        _ tags: Tags, _ text: Span<UInt8>, _ depth: Int
    ) throws(PropertyListError) {
        guard XMLEscaping.isPlain(text) else {
            open(tags, depth)
            try appendEscaped(text)
            return close(tags)
        }
        output.append(addingCapacity: depth &+ text.count &+ 48) { output in
            output.append(tabs: depth)
            output.append(tags.open)
            output.append(contentsOf: text)
            output.append(tags.close)
        }
    }

    private mutating func appendEscaped(_ text: Span<UInt8>) throws(PropertyListError) {
        if XMLEscaping.hasForbiddenCharacter(text) {
            if text.firstIndex(of: 0, in: 0..<text.count) != nil {
                throw Self.error("XML has no form for U+0000")
            }
            try lose(.controlCharacters, "a string has control characters that XML forbids")
        }
        XMLEscaping.append(text, to: &output)
    }

    private mutating func appendInteger(_ record: NodeRecord, _ depth: Int) {
        let value = PropertyListInteger(bits: record.payload, isNegative: record.isNegative)
        output.append(addingCapacity: depth &+ 72) {
            Self.append(
                value.magnitude, isNegative: value.isNegative, integer, depth, to: &$0)
        }
    }

    @inline(__always)
    private static func append(
        _ magnitude: UInt64, isNegative: Bool, _ tags: Tags, _ depth: Int,
        to output: inout OutputSpan<UInt8>
    ) {
        output.append(tabs: depth)
        output.append(tags.open)
        if isNegative { output.append(UInt8(ascii: "-")) }
        IntegerText.appendDecimal(magnitude, to: &output)
        output.append(tags.close)
    }

    private mutating func appendReal(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        let isUsualNaN = record.payload == Double.nan.bitPattern
        let isNaN = Double(bitPattern: record.payload).isNaN
        if record.header == 4 || isNaN && !isUsualNaN {
            try lose(.realWidths, "XML has no form for a real of 32 bits, nor for all NaNs")
        }
        open(real, depth)
        RealText.append(Double(bitPattern: record.payload), style: realStyle, to: &output)
        close(real)
    }

    private mutating func appendDate(
        _ record: NodeRecord, _ depth: Int
    ) throws(PropertyListError) {
        let seconds = Double(bitPattern: record.payload)
        guard let moment = CivilDate(secondsSince2001: seconds) else {
            throw Self.error("a date is too far away for a calendar, or not a number")
        }
        // Zero has a sign, which no text of a date can carry.
        let isLost = PropertyListDate.fraction(of: seconds) != 0 || seconds.bitPattern == 1 << 63
        if isLost {
            try lose(.fractionsOfSeconds, "XML has no form for fractions of a second")
        }
        open(date, depth)
        moment.append(to: &output)
        close(date)
    }

    private mutating func appendData(_ record: NodeRecord, _ depth: Int) {
        let indent = min(depth, Self.deepestDataIndent)
        appendLine(lines.openData, depth)
        store.withContent(of: record) { bytes in
            Base64.appendLines(bytes, indent: indent, capacity: 76 - 8 * indent, to: &output)
        }
        appendLine(lines.closeData, depth)
    }

    // MARK: Text

    private mutating func append(_ text: String) { output.append(contentsOf: text.utf8) }

    private mutating func appendLine(_ line: ShortText, _ depth: Int) {
        output.append(addingCapacity: depth &+ 32) { output in
            output.append(tabs: depth)
            output.append(line)
        }
    }

    private mutating func open(_ tags: Tags, _ depth: Int) {
        output.append(addingCapacity: depth &+ 32) { output in
            output.append(tabs: depth)
            output.append(tags.open)
        }
    }

    private mutating func close(_ tags: Tags) {
        output.append(addingCapacity: 16) { $0.append(tags.close) }
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
