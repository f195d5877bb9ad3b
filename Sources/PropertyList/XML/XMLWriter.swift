// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The writer of XML. It traverses a document and writes each value on its own lines:
///
///     <?xml version="1.0" encoding="UTF-8"?>
///     <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
///     <plist version="1.0">
///     root, not indented; children one TAB deeper than their container
///     </plist>
///
/// Options change the indentation, and omit the declarations or `<plist>`.
///
/// Source: `CFPropertyList.c`, checked against files that Apple's software wrote.
struct XMLWriter: ~Copyable {
    private static let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    // The lines of Base64 data get shorter with deeper indentation, up to eight levels.
    private static let deepestDataIndent = 8

    private let document: PropertyListDocument
    let store: NodeStore
    private let options: XMLPropertyList.Options
    private let realStyle: RealText.Style
    private let isArchive: Bool
    private let isInArchive: Bool
    var budget: OperationBudget
    let lines = XMLLines()
    // The indentation of a line at the root.
    let margin: XMLIndent
    var walk: DocumentWalk
    // The text of the last decoded key or string, as UTF-8. Reused to avoid allocations.
    private var decoded: [UInt8] = []
    private(set) var keys: XMLWrittenKeys
    private var counts: [UInt64: Int] = [:]

    init(
        _ document: PropertyListDocument, _ options: XMLPropertyList.Options,
        _ limits: ParsingLimits, isInArchive: Bool = false
    ) {
        self.document = document
        self.options = options
        store = document.storage.store
        budget = document.budget(limits)
        walk = DocumentWalk(document.root, sortsKeys: options.sortsKeys)
        keys = XMLWrittenKeys(count: document.storage.keys.count)
        isArchive = isInArchive || document.looksLikeKeyedArchive
        self.isInArchive = isInArchive
        realStyle = document.realStyle(options.realText)
        margin = XMLIndent(options.indentation)
    }

    mutating func write() throws(PropertyListError) -> XMLPropertyList.Serialization {
        var output: [UInt8] = []
        output.reserveLargeCapacity(store.estimatedXMLSize)
        let header = document.xmlHeader ?? .apple
        if options.hasDeclarations {
            output.append(contentsOf: Self.declaration.utf8)
            if options.hasPlistElement { output.append(contentsOf: header.documentType.utf8) }
        }
        if options.hasPlistElement { output.append(contentsOf: header.startTag.utf8) }
        repeat {
            while let leaves = try walk.nextLeaves(&budget) { try append(leaves, to: &output) }
        } while try appendStep(to: &output)
        if options.hasPlistElement { output.append(contentsOf: "</plist>\n".utf8) }
        let losses = counts.sorted { $0.key < $1.key }
            .map { XMLPropertyList.LossCount(loss: .init(rawValue: $0.key), count: $0.value) }
        return XMLPropertyList.Serialization(bytes: output, losses: losses)
    }

    /// Returns the indentation inside `depth` containers.
    private func indent(_ depth: Int) -> XMLIndent { margin.at(depth) }

    // MARK: Steps

    /// Writes adjacent leaves of the open container.
    private mutating func append(
        _ leaves: DocumentWalk.Leaves, to output: inout [UInt8]
    ) throws(PropertyListError) {
        var place = leaves.places.lowerBound
        while true {
            place = try appendRun(of: leaves, from: place, to: &output)
            if place == leaves.places.upperBound { return }
            let key = leaves.haveKeys ? store.children[place &- leaves.distanceOfKeys] : nil
            let record = store.records[Int(store.children[place])]
            do { try append(record, key: key, indent(walk.depth), to: &output) } catch {
                throw error.at(path: walk.path(of: place, in: leaves))
            }
            try budget.checkOutput(size: output.count)
            place &+= 1
        }
    }

    /// Writes leaves from `start` on, as long as their keys are cached and they need no conversion
    /// or are UIDs of an archive. Returns the index of the first leaf that was not written.
    ///
    /// The function changes only the output, so no object has to be retained for each leaf.
    private func appendRun(
        of leaves: DocumentWalk.Leaves, from start: Int, to output: inout [UInt8]
    ) throws(PropertyListError) -> Int {
        let indent = indent(walk.depth)
        for place in start..<leaves.places.upperBound {
            var key = 0..<0
            if leaves.haveKeys {
                let node = store.children[place &- leaves.distanceOfKeys]
                guard let known = keys.place(of: store.records[Int(node)]) else { return place }
                key = known
            }
            let record = store.records[Int(store.children[place])]
            let line = keys.elements.span.extracting(key)
            if isArchive, record.kind == .uid {
                guard walk.depth < budget.limits.depth else { return place }
                lines.append(key: line, uid: record.payload, indent, to: &output)
            } else if !lines.append(key: line, leaf: record, in: store, indent, to: &output) {
                return place
            }
            try budget.checkOutput(size: output.count)
        }
        return leaves.places.upperBound
    }

    /// Writes the next value or the end of a container. Returns false at the end of the document.
    private mutating func appendStep(
        to output: inout [UInt8]
    ) throws(PropertyListError) -> Bool {
        guard let step = try walk.next(&budget) else { return false }
        switch step {
        case .enter(let node, let key):
            let record = store.records[Int(node)]
            let indent = indent(walk.depth &- (record.isContainer ? 1 : 0))
            do { try append(record, key: key, indent, to: &output) } catch {
                throw error.at(path: walk.path())
            }
        case .leave(let node):
            let record = store.records[Int(node)]
            if !record.isEmpty {
                let line = record.kind == .dictionary ? lines.closeDict : lines.closeArray
                lines.append(line, indent(walk.depth), to: &output)
            }
        }
        try budget.checkOutput(size: output.count)
        return true
    }

    mutating func append(
        _ record: NodeRecord, key: UInt32?, _ indent: XMLIndent, to output: inout [UInt8]
    ) throws(PropertyListError) {
        let place = try key.map { key throws(PropertyListError) in try keyElement(key) }
        if append(keyAt: place ?? 0..<0, leaf: record, indent, to: &output) { return }
        try append(record, indent, to: &output)
    }

    /// Writes a key, and its leaf if that needs no conversion. Returns false if the leaf remains to
    /// be written.
    private func append(
        keyAt place: Range<Int>, leaf record: NodeRecord, _ indent: XMLIndent,
        to output: inout [UInt8]
    ) -> Bool {
        let key = keys.elements.span.extracting(place)
        if lines.append(key: key, leaf: record, in: store, indent, to: &output) { return true }
        lines.append(key: key, indent, to: &output)
        return false
    }

    private mutating func append(
        _ record: NodeRecord, _ indent: XMLIndent, to output: inout [UInt8]
    ) throws(PropertyListError) {
        switch record.kind {
        case .string: try appendText(record, indent, to: &output)
        case .dictionary: try appendDictionary(record, indent, to: &output)
        case .array: appendOpening(record, indent, to: &output)
        case .set: try appendSet(record, indent, to: &output)
        case .uid: try appendUID(record, indent, to: &output)
        case .real: try appendReal(record, indent, to: &output)
        case .data: appendData(record, indent, to: &output)
        case .date: try appendDate(record, indent, to: &output)
        // The caller has already written these, because they need no conversion.
        case .integer, .boolean: break
        case .null: throw Self.error("XML cannot represent null")
        case .unreadable: throw Self.error(PropertyListKind.unreadableValue)
        }
    }

    // MARK: Text

    /// Returns the range of a key's element in ``XMLWrittenKeys/elements`` of ``keys``.
    @inline(__always)
    mutating func keyElement(_ key: UInt32) throws(PropertyListError) -> Range<Int> {
        let record = store.records[Int(key)]
        if let known = keys.place(of: record) { return known }
        return try makeKeyElement(record)
    }

    private mutating func makeKeyElement(
        _ record: NodeRecord
    ) throws(PropertyListError) -> Range<Int> {
        guard record.kind == .string else {
            throw Self.error(record.kind.keyMismatch)
        }
        // A lossy key is not cached, so that each occurrence is counted.
        let isKept = try decode(record) != .lossy
        return keys.write(decoded, lines.key, of: record, isKept: isKept)
    }

    private mutating func appendText(
        _ record: NodeRecord, _ indent: XMLIndent, to output: inout [UInt8]
    ) throws(PropertyListError) {
        if try decode(record) == .plain {
            return lines.append(plain: decoded.span, indent, to: &output)
        }
        lines.append(lines.string.open, indent, to: &output)
        XMLEscaping.append(decoded.span, to: &output)
        lines.append(lines.string.close, .none, to: &output)
    }

    /// The form of a string: written unchanged, escaped, or with characters that XML forbids.
    private enum TextForm { case plain, escaped, lossy }

    /// Stores the text of a string in ``decoded``, as UTF-8. Returns its form.
    private mutating func decode(_ record: NodeRecord) throws(PropertyListError) -> TextForm {
        decoded.removeAll(keepingCapacity: true)
        store.appendText(of: record, to: &decoded)
        if XMLEscaping.isPlain(decoded.span) { return .plain }
        guard XMLEscaping.hasForbiddenCharacter(decoded.span) else { return .escaped }
        if decoded.contains(0) { throw Self.error("XML cannot represent U+0000") }
        try lose(.controlCharacters, "a string has control characters that XML forbids")
        return .lossy
    }

    // MARK: Containers

    private mutating func appendDictionary(
        _ record: NodeRecord, _ indent: XMLIndent, to output: inout [UInt8]
    ) throws(PropertyListError) {
        if isArchive, UIDDictionary.number(record, in: store) != nil {
            try lose(.uidDictionaries, "a dictionary `{CF$UID: n}` would be read as a UID")
        }
        appendOpening(record, indent, to: &output)
    }

    private func appendOpening(
        _ record: NodeRecord, _ indent: XMLIndent, to output: inout [UInt8]
    ) {
        let isDictionary = record.kind == .dictionary
        if record.isEmpty {
            let line = isDictionary ? lines.emptyDict : lines.emptyArray
            lines.append(line, indent, to: &output)
        } else {
            let line = isDictionary ? lines.openDict : lines.openArray
            lines.append(line, indent, to: &output)
        }
    }

    private mutating func appendSet(
        _ record: NodeRecord, _ indent: XMLIndent, to output: inout [UInt8]
    ) throws(PropertyListError) {
        try lose(.sets, "XML cannot represent a set")
        appendOpening(record, indent, to: &output)
    }

    private mutating func appendUID(
        _ record: NodeRecord, _ indent: XMLIndent, to output: inout [UInt8]
    ) throws(PropertyListError) {
        if !isArchive {
            try lose(
                .uidDictionaries, "a UID outside a keyed archive would be read as a dictionary")
        }
        // A UID is written as a dictionary.
        try budget.enter(depth: walk.depth &+ 1)
        lines.append(uid: record.payload, indent, to: &output)
    }

    // MARK: Scalars

    private mutating func appendReal(
        _ record: NodeRecord, _ indent: XMLIndent, to output: inout [UInt8]
    ) throws(PropertyListError) {
        let value = Double(bitPattern: record.payload)
        if record.header == 4 {
            try lose(.realWidths, "XML cannot represent the width of a 32-bit real")
        } else if value.isUnusualNaN {
            try lose(.realWidths, "XML cannot represent the bits of this NaN")
        }
        lines.append(lines.real.open, indent, to: &output)
        RealText.append(value, style: realStyle, to: &output)
        lines.append(lines.real.close, .none, to: &output)
    }

    private mutating func appendDate(
        _ record: NodeRecord, _ indent: XMLIndent, to output: inout [UInt8]
    ) throws(PropertyListError) {
        let seconds = Double(bitPattern: record.payload)
        guard let moment = CivilDate(secondsSince2001: seconds) else {
            throw Self.error("a date is NaN or outside the range of the calendar")
        }
        if PropertyListDate.fraction(of: seconds) != 0 {
            try lose(.fractionsOfSeconds, "XML cannot represent fractions of a second")
        } else if seconds.bitPattern == 1 << 63 {
            try lose(.fractionsOfSeconds, "XML cannot represent the sign of a date of −0.0")
        }
        lines.append(lines.date.open, indent, to: &output)
        moment.append(to: &output)
        lines.append(lines.date.close, .none, to: &output)
    }

    private func appendData(
        _ record: NodeRecord, _ indent: XMLIndent, to output: inout [UInt8]
    ) {
        let dataIndent = indent.atMost(Self.deepestDataIndent)
        lines.append(lines.openData, indent, to: &output)
        let columns = dataIndent.character == 0x09 ? 8 * dataIndent.count : dataIndent.count
        store.withContent(of: record) { bytes in
            Base64.appendLines(
                bytes, indent: dataIndent.count, capacity: max(76 - columns, 12),
                character: dataIndent.character, to: &output)
        }
        lines.append(lines.closeData, indent, to: &output)
    }

    // MARK: Losses

    private mutating func lose(
        _ loss: XMLPropertyList.Losses, _ what: String
    ) throws(PropertyListError) {
        guard options.allowedLosses.contains(loss) else {
            // A value inserted into an archive is always read as part of the archive. Callers
            // therefore never allow `uidDictionaries`, and the error does not suggest it.
            throw Self.error(
                what,
                isInArchive && loss == .uidDictionaries
                    ? nil
                    : .init(.allowLoss, "allow it in `XMLPropertyList.Options.allowedLosses`"))
        }
        counts[loss.rawValue, default: 0] += 1
    }

    private static func error(_ what: String, _ recovery: PropertyListError.Recovery? = nil)
        -> PropertyListError
    {
        PropertyListError(.unrepresentableValue, format: .xml, what: what, recovery: recovery)
    }
}
