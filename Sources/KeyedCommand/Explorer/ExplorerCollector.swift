// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
import KeyedArchive
import PropertyList
import PropertyListTools

/// Collects the contents of a page, value by value: the property list of a file and the property
/// lists nested in its data.
struct ExplorerCollector {
    /// The depth beyond which nested property lists are shown only as data.
    private static let nestingLimit = 16
    /// The fixed cost of parsing a nested property list, in bytes, in addition to its size.
    private static let nestedCost = 1024

    /// The maximum number of malformed objects listed among the problems of a document.
    private static let mostFlaws = 1000

    /// A property list that has not been collected yet.
    private struct Pending {
        let document: PropertyListDocument
        let space: Int
        let base: Int
        let holder: Int?
        let nesting: Int
    }

    private let bounds: ExplorerBounds
    private let limits: ParsingLimits
    private let isRedacted: Bool
    private(set) var table = ExplorerTable()
    /// The bytes of the file that the page may show.
    private(set) var shownBytes: ShownBytes
    /// Bytes that the file contains only in encoded form.
    private(set) var decoded: [UInt8] = []
    private var pending: [Pending] = []
    private var shortenedTexts = 0
    private var omittedContents = 0
    private var omittedValues = 0
    private var omittedNested = 0
    private var omittedClasses = 0

    init(bounds: ExplorerBounds, limits: ParsingLimits, isRedacted: Bool, bytes: [UInt8]) {
        self.bounds = bounds
        self.limits = limits
        self.isRedacted = isRedacted
        shownBytes = ShownBytes(bytes, isRedacted: isRedacted)
    }

    /// Descriptions of omitted contents.
    var omissions: [String] {
        let parts: [(Int, String, String)] = [
            (omittedValues, "value", "values"),
            (shortenedTexts, "truncated text", "truncated texts"),
            (omittedContents, "data value without contents", "data values without contents"),
            (omittedNested, "nested property list", "nested property lists"),
            (omittedClasses, "object without a class", "objects without a class"),
        ]
        return parts.filter { $0.0 > 0 }.map { TreeForm.count($0.0, $0.1, $0.2) }
    }

    /// Collects the property list of a file and all nested ones, within the budget.
    mutating func collect(
        _ document: PropertyListDocument, of bytes: [UInt8], _ console: Console
    ) throws(PropertyListError) {
        pending = [pend(document, in: bytes[...], space: 0, offset: 0, holder: nil, nesting: 0)]
        var next = 0
        while next < pending.count {
            try add(pending[next], console)
            next += 1
        }
    }

    /// Returns a pending entry with the location of a document's source: among the bytes from which
    /// it was read, or among the decoded bytes.
    ///
    /// `space` is the index of the block of bytes (called a space in `Page/data.js`) that contains
    /// `bytes`. Adding `offset` to an index of `bytes` gives the position in that block.
    private mutating func pend(
        _ document: PropertyListDocument, in bytes: ArraySlice<UInt8>, space: Int, offset: Int,
        holder: Int?, nesting: Int
    ) -> Pending {
        // Text may begin with a byte order mark, which is not a part of the source.
        let source = document.source
        let isThere = bytes.suffix(source.count).elementsEqual(source)
        let base = isThere ? offset + bytes.endIndex - source.count : decoded.count
        if !isThere { decoded += source }
        return Pending(
            document: document, space: isThere ? space : 1, base: base, holder: holder,
            nesting: nesting)
    }

    // MARK: Documents

    private mutating func add(_ item: Pending, _ console: Console) throws(PropertyListError) {
        let document = item.document
        let first = table.count
        let room = max(bounds.values - first, 0)
        let count = min(document.nodeCount, room)
        omittedValues += document.nodeCount - count
        var entry = ExplorerTable.Document(
            format: document.formatName ?? "", space: item.space, base: item.base,
            size: document.byteCount, first: first, count: count,
            root: document.root.number < count ? first + document.root.number : -1,
            holder: item.holder)
        entry.leniencies = document.leniencies.names
        entry.problems = document.problems.map(problem)
        entry.facts = ExplorerFacts.facts(of: document, limits)
        let ranges = ValueRanges(document)
        if document.format == .binary {
            entry.table = try? Trailer.salvaged(from: document.source.span).0
        }
        let contents = archive(document, &entry)
        let names = PlainNames(document, contents, isNeeded: isRedacted)
        for number in 0..<count {
            let node = document.node(UInt32(truncatingIfNeeded: number))
            try console.budget.visit()
            try add(node, ranges, item, names: names, count: count, &entry, console)
        }
        if let contents, count == document.nodeCount {
            try describe(contents, first, &entry, console)
        }
        if isRedacted {
            shownBytes.reveal(
                document, ranges, in: item.space, base: item.base,
                isOutermost: item.holder == nil, names)
        }
        table.documents.append(entry)
    }

    private func problem(_ error: PropertyListError) -> String {
        guard isRedacted else { return error.whatAndWhere }
        return "\(error.code)" + (error.location.map { " at \($0)" } ?? "")
    }

    private func archive(
        _ document: PropertyListDocument, _ entry: inout ExplorerTable.Document
    ) -> ArchiveContents? {
        guard document.looksLikeKeyedArchive else { return nil }
        do { return try ArchiveContents(document) } catch {
            entry.problems.append(isRedacted ? "\(error.code)" : error.what)
            return nil
        }
    }

    // MARK: Values

    private mutating func add(
        _ node: PropertyListNode, _ ranges: ValueRanges, _ item: Pending, names: PlainNames,
        count: Int, _ entry: inout ExplorerTable.Document, _ console: Console
    ) throws(PropertyListError) {
        let range = ranges.range(of: UInt32(truncatingIfNeeded: node.number))
        let place = table.count
        table.append(node.kind, (range.lowerBound + item.base)..<(range.upperBound + item.base))
        let isHidden = isRedacted && !names.contains(node)
        switch node.kind {
        case .null, .unreadable: break
        case .boolean: table.values[place] = isHidden ? 2 : node.boolean == true ? 1 : 0
        case .uid: table.values[place] = Int(node.uid?.value ?? 0)
        case .integer, .real, .date, .string:
            let text = isHidden ? "‹\(node.kind)›" : text(of: node)
            try console.budget.charge(bytes: text.utf8.count)
            table.values[place] = table.number(of: text)
            table.counts[place] = node.contentSize
        case .data: try addData(node, at: place, item, &entry, console)
        case .array, .set, .dictionary:
            table.values[place] = table.children.count
            table.counts[place] = node.childNodes.count
            try console.budget.charge(bytes: 8 * node.childNodes.count)
            let first = place - node.number
            func number(_ child: PropertyListNode) -> Int {
                child.number < count ? first + child.number : -1
            }
            if let entries = node.dictionary {
                table.children += entries.map { number($0.keyNode) }
            }
            table.children += node.childNodes.map(number)
        }
    }

    /// Returns the text of a string, number or date. A long string is truncated.
    private mutating func text(of node: PropertyListNode) -> String {
        switch node.kind {
        case .integer: return node.integer?.description ?? ""
        case .real: return node.real?.description ?? ""
        case .date: return node.date?.description ?? ""
        default:
            // A Unicode scalar has at least one byte.
            guard node.contentSize > bounds.text, let head = node.beginning(bounds.text) else {
                return node.string ?? ""
            }
            if !head.isWhole { shortenedTexts += 1 }
            return head.text
        }
    }

    private mutating func addData(
        _ node: PropertyListNode, at place: Int, _ item: Pending,
        _ entry: inout ExplorerTable.Document, _ console: Console
    ) throws(PropertyListError) {
        let content = node.data ?? []
        table.counts[place] = content.count
        let isInPlace = item.document.hasInPlace(content)
        let start = isInPlace ? item.base + content.startIndex : decoded.count
        // The page looks up a nonnegative offset in the document's space if the format is one of
        // `inPlaceFormats` in `Page/data.js`, and otherwise in space 1. All imported formats are
        // among `inPlaceFormats`. An imported file may still contain some data only in another
        // form. Such data is in space 1, and its offset is stored as a negative number.
        let isApart = !isInPlace && item.document.origin != nil
        table.values[place] = isRedacted ? -1 : isApart ? -start - 2 : start
        let begins = NestedPropertyList.begins(content) && item.nesting < Self.nestingLimit
        if !isInPlace {
            guard decoded.count + content.count <= bounds.bytes else {
                table.values[place] = -1
                omittedContents += content.isEmpty ? 0 : 1
                return
            }
            decoded += content
        }
        guard begins, let nested = nestedDocument(content, &entry, console) else { return }
        pending.append(
            pend(
                nested, in: content, space: isInPlace ? item.space : 1,
                offset: start - content.startIndex, holder: place, nesting: item.nesting + 1))
    }

    /// Returns the property list in data, if the budget permits parsing it.
    private mutating func nestedDocument(
        _ content: ArraySlice<UInt8>, _ entry: inout ExplorerTable.Document, _ console: Console
    ) -> PropertyListDocument? {
        guard (try? console.budget.charge(bytes: content.count + Self.nestedCost)) != nil else {
            omittedNested += 1
            return nil
        }
        switch NestedPropertyList(content, limits: limits) {
        case .document(let document)?:
            console.budget.admitValues(of: document)
            return document
        case .damaged(let error, _)?:
            entry.problems.append("data that begins like a property list: " + problem(error))
            return nil
        case nil: return nil
        }
    }

    // MARK: Archives

    /// Describes the objects of an archive and their classes.
    private mutating func describe(
        _ contents: ArchiveContents, _ first: Int, _ entry: inout ExplorerTable.Document,
        _ console: Console
    ) throws(PropertyListError) {
        let root = contents.document.root
        var archive = ExplorerTable.Archive(
            // Imported formats do not name their writer.
            archiver: contents.document.origin == nil ? contents.archiver : "",
            top: root[ArchiveFormat.topKey].map { first + $0.number } ?? -1,
            objects: root[ArchiveFormat.objectsKey].map { first + $0.number } ?? -1)
        var descriptions = DescriptionBudget(contents, limits: limits)
        var known: [UInt32: Int] = [:]
        for number in contents.objects.indices {
            let reference = PropertyListUID(UInt32(truncatingIfNeeded: number))
            var letter = UInt8(ascii: "m")
            var found = -1
            do {
                switch try contents.entry(reference) {
                case .null: letter = UInt8(ascii: "0")
                case .leaf: letter = UInt8(ascii: "v")
                case .object(_, let classReference):
                    letter = UInt8(ascii: "o")
                    found = try self.number(
                        of: classReference, contents, &descriptions, &known, console)
                case .classDescription:
                    letter = UInt8(ascii: "c")
                    found = try self.number(
                        of: reference, contents, &descriptions, &known, console)
                case .malformed(_, let error): archive.flaws.append((number, error.what))
                }
            } catch let error as KeyedArchiveError {
                if error.isLimit { omittedClasses += 1 }
                letter = UInt8(ascii: "m")
                archive.flaws.append((number, error.what))
            } catch let error as PropertyListError {
                throw error
            } catch {}
            archive.entries.append(letter)
            archive.classes.append(found)
        }
        var census = ClassCensus(contents, limits)
        census.count()
        archive.allowedNames = census.names
        archive.allowList = census.allowList
        add(archive.flaws, to: &entry)
        entry.archive = archive
    }

    /// Adds malformed objects to the problems of a document, without duplicate texts, up to a
    /// maximum.
    private func add(
        _ flaws: [(object: Int, text: String)], to entry: inout ExplorerTable.Document
    ) {
        var known: Set<ExactText> = []
        let texts = flaws.map(\.text).filter { known.insert(ExactText($0)).inserted }
        entry.problems += texts.prefix(Self.mostFlaws)
        let more = texts.count - Self.mostFlaws
        if more > 0 {
            entry.problems.append(TreeForm.count(more, "more problem", "more problems"))
        }
    }

    /// Returns the index of a class in the table. Charges the console's budget when the class is
    /// added.
    private mutating func number(
        of reference: PropertyListUID, _ contents: ArchiveContents,
        _ descriptions: inout DescriptionBudget, _ known: inout [UInt32: Int], _ console: Console
    ) throws -> Int {
        if let known = known[reference.value] { return known }
        let before = descriptions.size
        let description = try contents.archivedClass(reference, within: &descriptions)
        try console.budget.charge(bytes: descriptions.size - before)
        known[reference.value] = table.classes.count
        table.classes.append(description)
        return table.classes.count - 1
    }
}
