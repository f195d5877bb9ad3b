// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// Works out what edits change in a text.
///
/// Only these are replaced: a value that is set, a key that is renamed, an entry that is removed with
/// the white space before it up to the end of the line above. What is new is written like its
/// neighbours: their indentation, their line ends, what they have between key and value.
struct TextEditWriter<Syntax: TextEditSyntax>: ~Copyable {
    private let edits: FinishedEdits
    private let store: NodeStore
    private let syntax: Syntax
    private var budget: OperationBudget
    private var found: [EditedPropertyList.Change] = []
    // How children like the one at a place are written: the white space there may be long.
    private var recent: (place: Int, manner: TextManner)?

    init(
        _ document: PropertyListDocument, _ edits: FinishedEdits, _ syntax: Syntax,
        _ budget: consuming OperationBudget
    ) {
        self.edits = edits
        self.syntax = syntax
        self.budget = budget
        store = document.storage.store
    }

    /// Returns the changes, in the order of the source. Linear.
    ///
    /// - Throws: `unrepresentableValue` for what the format has no form for; `sizeLimitExceeded`.
    mutating func changes() throws(PropertyListError) -> [EditedPropertyList.Change] {
        if let value = edits.newValue(of: edits.tree.root) {
            try replace(edits.tree.document.storage.root, with: value, key: nil)
        }
        for container in edits.openedSources {
            guard let origin = container.origin else { continue }
            try change(container, origin)
        }
        let sorted = found.sorted {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }
        return Self.disjoint(sorted)
    }

    /// Changes that do not overlap: white space that goes with a child that is removed may be where
    /// something new comes in, and then both are one.
    private static func disjoint(
        _ sorted: [EditedPropertyList.Change]
    ) -> [EditedPropertyList.Change] {
        var changes: [EditedPropertyList.Change] = []
        for change in sorted {
            guard let last = changes.last, change.range.lowerBound < last.range.upperBound else {
                changes.append(change)
                continue
            }
            let end = max(last.range.upperBound, change.range.upperBound)
            changes[changes.count - 1] = .init(
                range: last.range.lowerBound..<end,
                replacement: last.replacement + change.replacement)
        }
        return changes
    }

    private mutating func add(_ range: Range<Int>, _ text: [UInt8]) {
        found.append(.init(range: range, replacement: text))
    }

    /// Notes a change with new text, which counts against the limit of output.
    private mutating func add(
        _ change: EditedPropertyList.Change
    ) throws(PropertyListError) {
        try budget.charge(bytes: change.replacement.count)
        found.append(change)
    }

    // MARK: Containers

    /// The place after which new children are inserted.
    private struct Anchor {
        /// Where the child ends.
        let end: Int
        let hasSeparator: Bool
    }

    private mutating func change(
        _ container: EditTree.Container, _ origin: UInt32
    ) throws(PropertyListError) {
        let record = store.records[Int(origin)]
        let count = record.count
        if count == 0 { return try fill(container, origin) }
        var anchor = Anchor(
            end: syntax.contentRange(of: origin)?.lowerBound ?? 0, hasSeparator: true)
        var expected = 0
        var added: [Int] = []
        for position in try inTheirPlaces(container, origin) {
            if position >= count {
                added.append(position)
                continue
            }
            try insert(added, of: container, after: anchor, record)
            added = []
            let original = neighbour(position, record)
            for removed in expected..<position { remove(removed, record) }
            expected = position + 1
            try change(container.children[position], original)
            let end = syntax.end(ofChild: original.value)
            anchor = Anchor(end: end.place, hasSeparator: end.hasSeparator)
        }
        try insert(added, of: container, after: anchor, record)
        for removed in expected..<count { remove(removed, record) }
    }

    /// The positions of a container's children, but for new ones that belong elsewhere.
    private mutating func inTheirPlaces(
        _ container: EditTree.Container, _ origin: UInt32
    ) throws(PropertyListError) -> LivePositions {
        let live = container.live
        guard syntax.placesElsewhere(in: origin) else { return live }
        let new = live.filter { $0 >= container.originalCount }
        let elsewhere = try syntax.placedElsewhere(
            children(new[...], of: container), in: origin, &budget)
        found += elsewhere.changes
        let places = Set(elsewhere.places.map { new[$0] })
        return LivePositions(
            live.filter { !places.contains($0) }.map { UInt32(truncatingIfNeeded: $0) })
    }

    /// New children at some positions.
    private func children(
        _ positions: ArraySlice<Int>, of container: EditTree.Container
    ) -> NewTextChildren {
        NewTextChildren(
            keys: positions.compactMap { edits.tree.text(of: container.children[$0].key) },
            values: positions.map { edits.newValue(of: container.children[$0].content) ?? .null })
    }

    private func neighbour(_ number: Int, _ record: NodeRecord) -> TextNeighbour {
        let place = record.childRange.lowerBound + number
        guard record.kind == .dictionary else {
            return TextNeighbour(key: nil, value: store.children[place])
        }
        return TextNeighbour(
            key: store.children[place], value: store.children[record.valuePlace(ofKeyAt: place)])
    }

    private mutating func change(
        _ child: EditTree.Container.Child, _ original: TextNeighbour
    ) throws(PropertyListError) {
        let new = edits.newValue(of: child.content)
        if case .text = child.key, let text = edits.tree.text(of: child.key),
            let key = original.key
        {
            let kept = new == nil ? original.value : nil
            try add(try syntax.renamed(key, to: text, keeping: kept, budget))
        }
        if let new {
            try replace(original.value, with: new, key: original.key)
        }
    }

    private mutating func replace(
        _ record: UInt32, with value: PropertyListValue, key: UInt32?
    ) throws(PropertyListError) {
        let style = syntax.layout.style(
            at: syntax.range(of: record).lowerBound,
            orAt: key.map { syntax.range(of: $0).lowerBound })
        try add(try syntax.replaced(record, with: value, key: key, style, budget))
    }

    private mutating func remove(_ number: Int, _ record: NodeRecord) {
        let child = neighbour(number, record)
        let range = syntax.removed(
            from: start(of: child), to: syntax.end(ofChild: child.value).place)
        add(range, [])
    }

    private func start(of child: TextNeighbour) -> Int {
        syntax.range(of: child.key ?? child.value).lowerBound
    }

    // MARK: New children

    /// Adds children to a container that has some, in the manner of its second, or else its first:
    /// the first may stand right behind a bracket.
    private mutating func insert(
        _ positions: [Int], of container: EditTree.Container, after anchor: Anchor,
        _ record: NodeRecord
    ) throws(PropertyListError) {
        if positions.isEmpty { return }
        let manner = manner(like: neighbour(min(1, record.count - 1), record))
        try insert(positions, of: container, after: anchor, manner)
    }

    private mutating func manner(like neighbour: TextNeighbour) -> TextManner {
        let start = start(of: neighbour)
        if let recent, recent.place == start { return recent.manner }
        let blank = syntax.layout.blank(before: start)
        let manner = syntax.manner(
            syntax.layout.style(at: start), blank.isEmpty ? syntax.leadOnLine(neighbour) : blank,
            like: neighbour)
        recent = (start, manner)
        return manner
    }

    // So many children are written at once; what is made on the way for all of them would take several
    // times as much memory as their text.
    private static var childrenAtOnce: Int { 4096 }

    private mutating func insert(
        _ positions: [Int], of container: EditTree.Container, after anchor: Anchor,
        _ manner: TextManner
    ) throws(PropertyListError) {
        var text: [UInt8] = []
        for start in stride(from: 0, to: positions.count, by: Self.childrenAtOnce) {
            let children = children(
                positions[start...].prefix(Self.childrenAtOnce), of: container)
            let new = try syntax.text(of: children, manner, budget)
            try budget.charge(bytes: new.count)
            if start == 0 {
                // As much as the others take if they are as long.
                let rest = (positions.count / Self.childrenAtOnce).multipliedReportingOverflow(
                    by: new.count)
                text.reserveCapacity(
                    new.count + (rest.overflow ? 0 : min(rest.partialValue, budget.remainingBytes)))
            }
            text += new
        }
        let terminator = syntax.terminator(inDictionary: container.kind == .dictionary)
        // A comment may end with its line, so that only a new line can follow it.
        let isOnNewLine = manner.lead.first == 0x0A || manner.lead.first == 0x0D
        let place = isOnNewLine ? syntax.afterLine(anchor.end) : anchor.end
        if anchor.hasSeparator { return add(place..<place, text) }
        // The last child has none and now needs one, which the last of the new ones does not.
        text.removeLast(terminator.count)
        if place == anchor.end { return add(place..<place, syntax.separator + text) }
        add(anchor.end..<anchor.end, syntax.separator)
        add(place..<place, text)
    }

    /// Adds children to a container that has none. It is written anew, unless comments stand in it.
    private mutating func fill(
        _ container: EditTree.Container, _ origin: UInt32
    ) throws(PropertyListError) {
        let live = container.live
        if live.isEmpty { return }
        let range = syntax.range(of: origin)
        let layout = syntax.layout
        let key = container.key.map { syntax.range(of: $0).lowerBound }
        let style = layout.style(at: range.lowerBound, orAt: key)
        guard let content = syntax.contentRange(of: origin), !layout.isBlank(content) else {
            let value = edits.value(of: container)
            return try add(
                .init(range: range, replacement: try syntax.container(value, origin, style, budget))
            )
        }
        // A comment ends with its line, so that what follows it needs one of its own: like the bracket,
        // where the container does not begin a line.
        let inner = (style.newline.isEmpty ? layout.style(at: content.upperBound) : style).deeper
        let place = layout.lineBreak(before: content.upperBound)
        try insert(
            Array(live), of: container, after: Anchor(end: place, hasSeparator: true),
            syntax.manner(inner, inner.newline + inner.prefix, like: nil))
    }
}
