// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The editing syntax of OpenStep text: entries end with `;` and elements are separated by `,`. In
/// a project file, a comment with the name of an object follows the object's identifier.
struct OpenStepEditSyntax: TextEditSyntax {
    let layout: TextLayout
    private let isProject: Bool
    private let sections: ProjectSections?
    private let store: NodeStore
    private let map: OpenStepSourceMap
    private let fragment: OpenStepFragment
    // The keys of the root's entries in a strings file; otherwise empty.
    private let rootKeys: Set<UInt32>

    /// Returns whether a source is a project file.
    static func isProject(_ source: [UInt8]) -> Bool { source.span.has("// !$*UTF8*$!", at: 0) }

    /// Creates the syntax for a document. The names of a project's objects are taken from `root`.
    init(_ document: PropertyListDocument, names root: PropertyListNode) {
        store = document.storage.store
        map = OpenStepSourceMap(store)
        layout = TextLayout(store)
        rootKeys = map.isStringsFile ? Set(store.records.first.map(store.keys(of:)) ?? []) : []
        let source = document.source
        isProject = Self.isProject(source)
        fragment = OpenStepFragment(
            names: isProject
                ? ProjectNames(root, projectName: ProjectNames.projectName(in: source))
                : nil)
        sections = isProject ? ProjectSections(document) : nil
    }

    // MARK: Places

    func range(of record: UInt32) -> Range<Int> { map.range(of: record) }

    func contentRange(of container: UInt32) -> Range<Int>? { map.contentRange(of: container) }

    func end(ofChild value: UInt32) -> (place: Int, hasSeparator: Bool) {
        let end = map.range(of: value).upperBound
        let next = afterBlanks(end)
        guard next < store.bytes.count, [0x2C, 0x3B].contains(store.bytes[next]) else {
            return (end, false)
        }
        return (next + 1, true)
    }

    private func afterBlanks(_ place: Int) -> Int {
        let text = store.bytes.span
        var scanner = OpenStepScanner(text, options: .unterminatedComment)
        scanner.position = place
        return (try? scanner.skipBlanks(text)) == nil ? place : scanner.position
    }

    func endOfComment(at place: Int) -> Int? {
        let text = store.bytes.span
        if text.has("//", at: place) {
            return text.firstIndex(of: 0x0A, or: 0x0D, in: place..<text.count) ?? text.count
        }
        guard text.has("/*", at: place) else { return nil }
        return text.firstIndex(of: "*/", from: place + 2).map { $0 + 2 }
    }

    func removed(from start: Int, to end: Int) -> Range<Int> {
        let line = layout.lineBreak(before: start)
        if line == start {
            return (start > 0 && store.bytes[start - 1] == 0x20 ? start - 1 : start)..<end
        }
        let rest = afterLine(end)
        if rest == store.bytes.count || [0x0A, 0x0D].contains(store.bytes[rest]) {
            return line..<end
        }
        // The line above may end with a comment. The rest of this line must not move up into that
        // comment.
        return start..<afterSpaces(end)
    }

    private func afterSpaces(_ place: Int) -> Int {
        store.bytes[place...].firstIndex { $0 != 0x20 && $0 != 0x09 } ?? store.bytes.count
    }

    // MARK: Text

    func terminator(inDictionary: Bool) -> [UInt8] { [UInt8(ascii: inDictionary ? ";" : ",")] }

    func leadOnSameLine(_ neighbor: TextNeighbor) -> [UInt8] {
        // The first entry of a strings file has no white space before it. A new entry still goes on
        // a line of its own.
        guard isInRoot(neighbor) else { return [0x20] }
        return layout.newline.isEmpty ? [0x0A] : layout.newline
    }

    private func isInRoot(_ neighbor: TextNeighbor) -> Bool {
        neighbor.key.map(rootKeys.contains) ?? false
    }

    func formatting(_ style: TextStyle, _ lead: [UInt8], like neighbor: TextNeighbor?)
        -> TextFormatting
    {
        TextFormatting(
            style: style, lead: lead, separator: equals(like: neighbor),
            isQuoted: neighbor.map(isInQuotedEntries) ?? false)
    }

    func text(
        of children: NewTextChildren, _ formatting: TextFormatting,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        try fragment.text(of: children, formatting, budget)
    }

    /// Returns whether a neighbor is an entry of a strings file whose key is quoted. New entries
    /// are then quoted too, whether they need quotes or not.
    private func isInQuotedEntries(_ neighbor: TextNeighbor) -> Bool {
        isInRoot(neighbor) && neighbor.key.map(isQuoted) == true
    }

    /// Returns the text between a key and its value: `=` with the spaces of the neighbor.
    private func equals(like neighbor: TextNeighbor?) -> [UInt8] {
        let usual = Array(" = ".utf8)
        guard let neighbor, let key = neighbor.key, neighbor.value != key else { return usual }
        let between = store.bytes[
            range(of: key).upperBound..<range(of: neighbor.value).lowerBound]
        let isPlain = between.count <= 3 && between.allSatisfy { $0 == 0x20 || $0 == 0x3D }
        return isPlain ? Array(between) : usual
    }

    func renamed(
        _ key: UInt32, to text: String, keeping value: UInt32?, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change {
        let place = rangeWithName(key)
        var replacement = fragment.key(
            text, isQuoted: staysQuoted(key), isOfObject: place != range(of: key))
        // `key;` is short for `key = key;`.
        if value == key { replacement += " = ".utf8 + store.bytes[range(of: key)] }
        return .init(range: place, replacement: replacement)
    }

    private func isQuoted(_ record: UInt32) -> Bool {
        let start = range(of: record).lowerBound
        return map.isStringsFile && start < store.bytes.count
            && store.bytes[start] == UInt8(ascii: "\"")
    }

    /// Returns whether the replacement of a string needs quotes. It does if the string has quotes
    /// in a strings file. It also does if a comment follows directly, because an unquoted string
    /// may contain slashes.
    private func staysQuoted(_ record: UInt32) -> Bool {
        let end = range(of: record).upperBound
        return isQuoted(record)
            || end < store.bytes.count && store.bytes[end] == UInt8(ascii: "/")
    }

    func replaced(
        _ value: UInt32, with new: PropertyListValue, key: UInt32?, _ style: TextStyle,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change {
        let keyText = key.map { store.string(of: store.records[Int($0)]) }
        var text = try fragment.text(
            of: NewTextChildren(values: [new]), .replacement(style, isQuoted: staysQuoted(value)),
            for: keyText, budget)
        if key == nil, map.isStringsFile, value == 0 { text = breakAfterComment + text }
        guard value == key else { return .init(range: rangeWithName(value), replacement: text) }
        let end = range(of: value).upperBound
        return .init(range: end..<end, replacement: Array(" = ".utf8) + text)
    }

    /// Returns the range of a value. In a project file, the range of a string includes the comment
    /// after it, which names an object.
    private func rangeWithName(_ record: UInt32) -> Range<Int> {
        let range = range(of: record)
        guard isProject, store.records[Int(record)].kind == .string,
            store.bytes.span.has(" /*", at: range.upperBound),
            let end = endOfComment(at: range.upperBound + 1)
        else { return range }
        return range.lowerBound..<end
    }

    func container(
        _ value: PropertyListValue, _ record: UInt32, _ style: TextStyle,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        let text = try fragment.text(of: value, style, budget)
        guard map.isStringsFile, record == 0 else { return text }
        // The root of a strings file has no braces.
        let newline = layout.newline.isEmpty ? [0x0A] : layout.newline
        let entries = try fragment.text(of: value, .oneLine, budget).dropFirst().dropLast()
        return breakAfterComment + entries.drop { $0 == 0x20 } + newline
    }

    /// The line break to add before the first entry of a strings file whose text does not end with
    /// a line break. Without it, the entry could become part of a comment at the end of the file.
    /// Empty if the file already has entries, is empty or ends with a line break.
    private var breakAfterComment: [UInt8] {
        guard let root = store.records.first, Int(root.offset) == store.bytes.count,
            let last = store.bytes.last, last != 0x0A, last != 0x0D
        else { return [] }
        return layout.newline.isEmpty ? [0x0A] : layout.newline
    }
}

// MARK: - Sections of a project file

extension OpenStepEditSyntax {
    func mayInsertElsewhere(in container: UInt32) -> Bool { sections?.container == container }

    /// Places new objects of a project file in the sections of their classes.
    func insertionsElsewhere(
        _ children: NewTextChildren, in container: UInt32, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> (places: [Int], changes: [EditedPropertyList.Change]) {
        guard let sections, sections.container == container else { return ([], []) }
        let entries = zip(children.keys, children.values).map { sections.entry($0, $1) }
        var changes: [EditedPropertyList.Change] = []
        // The surroundings of objects by position, computed once because they may be long.
        var known: [Int: Surroundings] = [:]
        for (place, entries) in sections.places(of: entries.compactMap(\.self)) {
            let position = place.position ?? 0
            let surroundings = known[position] ?? surroundings(of: position, sections)
            known[position] = surroundings
            let change = try added(entries, at: place, surroundings, sections, budget)
            try budget.charge(bytes: change.replacement.count)
            changes.append(change)
        }
        return (entries.indices.filter { entries[$0] != nil }, changes)
    }

    /// The text around an object.
    private struct Surroundings {
        let style: TextStyle
        /// The offset of the line break before the object.
        let lineBreak: Int
        /// The end of the line on which the object ends.
        let endOfLine: Int
        /// The end of the comment that closes the section.
        let endOfSection: Int
    }

    private func surroundings(of position: Int, _ sections: ProjectSections) -> Surroundings {
        let neighbor = self.neighbor(position, sections.container)
        let start = neighbor.key.map { range(of: $0).lowerBound } ?? 0
        let end = end(ofChild: neighbor.value).place
        return Surroundings(
            style: layout.style(at: start), lineBreak: layout.lineBreak(before: start),
            endOfLine: afterLine(end), endOfSection: endOfSection(end))
    }

    private func added(
        _ entries: [ProjectSections.Entry], at place: ProjectSections.Place,
        _ around: Surroundings, _ sections: ProjectSections, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change {
        let (newline, className) = (layout.newline, entries[0].className.text)
        let isOnOneLine = ProjectFile.classesOnOneLine.contains(className)
        var text = try self.text(
            of: NewTextChildren(
                keys: entries.map(\.identifier.text), values: entries.map(\.value)),
            formatting(
                isOnOneLine ? .oneLine : around.style, newline + around.style.prefix, like: nil),
            budget)
        let offset: Int
        switch place {
        case .after: offset = around.endOfLine
        case .before: offset = around.lineBreak
        case .newSection(let position):
            offset =
                position == nil
                ? map.contentRange(of: sections.container).lowerBound : around.endOfSection
            text =
                newline + newline + Array("/* Begin \(className) section */".utf8) + text + newline
                + Array("/* End \(className) section */".utf8)
        }
        return .init(range: offset..<offset, replacement: text)
    }

    private func neighbor(_ position: Int, _ container: UInt32) -> TextNeighbor {
        let record = store.records[Int(container)]
        let place = record.keyRange.lowerBound + position
        return TextNeighbor(
            key: store.children[place], value: store.children[record.valuePlace(ofKeyAt: place)])
    }

    /// Returns the end of the comment that closes a section whose last object ends at `place`, or
    /// `place` if there is no such comment.
    private func endOfSection(_ place: Int) -> Int {
        let text = store.bytes.span
        var index = place
        while index < text.count, OpenStepCharacter.isBlank(text[index]) { index += 1 }
        guard text.has("/* End ", at: index) else { return place }
        return endOfComment(at: index) ?? place
    }
}

extension NodeStore {
    /// Returns the keys of a dictionary.
    fileprivate func keys(of record: NodeRecord) -> ArraySlice<UInt32> {
        children[record.keyRange]
    }
}
