// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// Computes the changes that edits make to a text.
///
/// The changes are minimal. Setting a value replaces only the value, and renaming a key replaces
/// only the key. Removing an entry also removes the white space before it, back to the end of the
/// previous line. New text is formatted like its neighbors: the same indentation, line endings and
/// separator between key and value.
struct TextEditWriter<Syntax: TextEditSyntax>: ~Copyable {
    private let edits: FinishedEdits
    private let store: NodeStore
    private let syntax: Syntax
    private var budget: OperationBudget
    private var found: [EditedPropertyList.Change] = []
    // The formatting derived from the child at `place`. Cached, because the white space there may
    // be long.
    private var recent: (place: Int, formatting: TextFormatting)?

    init(
        _ document: PropertyListDocument, _ edits: FinishedEdits, _ syntax: Syntax,
        _ budget: consuming OperationBudget
    ) {
        self.edits = edits
        self.syntax = syntax
        self.budget = budget
        store = document.storage.store
    }

    /// Returns the changes, in the order of the source. Linear, except for sorting the changes.
    ///
    /// - Throws: `unrepresentableValue` for a value that the format cannot represent;
    ///   `sizeLimitExceeded`.
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

    /// Joins overlapping changes. White space that is removed with a child may contain the
    /// insertion point of a new child.
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

    /// Adds a change with new text and charges it to the output budget.
    private mutating func add(
        _ change: EditedPropertyList.Change
    ) throws(PropertyListError) {
        try budget.charge(bytes: change.replacement.count)
        found.append(change)
    }

    // MARK: Containers

    /// The position after which new children are inserted.
    private struct Anchor {
        /// The end of the preceding child, or the start of the content of the container.
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
            let original = neighbor(position, record)
            for removed in expected..<position { remove(removed, record) }
            expected = position + 1
            try change(container.children[position], original)
            let end = syntax.end(ofChild: original.value)
            anchor = Anchor(end: end.place, hasSeparator: end.hasSeparator)
        }
        try insert(added, of: container, after: anchor, record)
        for removed in expected..<count { remove(removed, record) }
    }

    /// Returns the positions of a container's children, except the new children that the syntax
    /// inserts elsewhere. Adds the changes that insert those children.
    private mutating func inTheirPlaces(
        _ container: EditTree.Container, _ origin: UInt32
    ) throws(PropertyListError) -> LivePositions {
        let live = container.live
        guard syntax.mayInsertElsewhere(in: origin) else { return live }
        let new = live.filter { $0 >= container.originalCount }
        let elsewhere = try syntax.insertionsElsewhere(
            children(new[...], of: container), in: origin, &budget)
        found += elsewhere.changes
        let places = Set(elsewhere.places.map { new[$0] })
        return LivePositions(
            live.filter { !places.contains($0) }.map { UInt32(truncatingIfNeeded: $0) })
    }

    /// Returns the new children at some positions.
    private func children(
        _ positions: ArraySlice<Int>, of container: EditTree.Container
    ) -> NewTextChildren {
        NewTextChildren(
            keys: positions.compactMap { edits.tree.text(of: container.children[$0].key) },
            values: positions.map { edits.newValue(of: container.children[$0].content) ?? .null })
    }

    private func neighbor(_ number: Int, _ record: NodeRecord) -> TextNeighbor {
        let place = record.childRange.lowerBound + number
        guard record.kind == .dictionary else {
            return TextNeighbor(key: nil, value: store.children[place])
        }
        return TextNeighbor(
            key: store.children[place], value: store.children[record.valuePlace(ofKeyAt: place)])
    }

    private mutating func change(
        _ child: EditTree.Container.Child, _ original: TextNeighbor
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
        let child = neighbor(number, record)
        let range = syntax.removed(
            from: start(of: child), to: syntax.end(ofChild: child.value).place)
        add(range, [])
    }

    private func start(of child: TextNeighbor) -> Int {
        syntax.range(of: child.key ?? child.value).lowerBound
    }

    // MARK: New children

    /// Adds children to a container that is not empty. They are formatted like its second child,
    /// because the first may directly follow the bracket. If the container has only one child, they
    /// are formatted like that child.
    private mutating func insert(
        _ positions: [Int], of container: EditTree.Container, after anchor: Anchor,
        _ record: NodeRecord
    ) throws(PropertyListError) {
        if positions.isEmpty { return }
        let formatting = self.formatting(like: neighbor(min(1, record.count - 1), record))
        try insert(positions, of: container, after: anchor, formatting)
    }

    private mutating func formatting(like neighbor: TextNeighbor) -> TextFormatting {
        let start = start(of: neighbor)
        if let recent, recent.place == start { return recent.formatting }
        let blank = syntax.layout.blank(before: start)
        let formatting = syntax.formatting(
            syntax.layout.style(at: start), blank.isEmpty ? syntax.leadOnSameLine(neighbor) : blank,
            like: neighbor)
        recent = (start, formatting)
        return formatting
    }

    // The number of children written in one step. The intermediate values of all children together
    // would take several times as much memory as their text.
    private static var childrenAtOnce: Int { 4096 }

    private mutating func insert(
        _ positions: [Int], of container: EditTree.Container, after anchor: Anchor,
        _ formatting: TextFormatting
    ) throws(PropertyListError) {
        var text: [UInt8] = []
        for start in stride(from: 0, to: positions.count, by: Self.childrenAtOnce) {
            let children = children(
                positions[start...].prefix(Self.childrenAtOnce), of: container)
            let new = try syntax.text(of: children, formatting, budget)
            try budget.charge(bytes: new.count)
            if start == 0 {
                // An estimate: each of the remaining steps needs as many bytes as this one.
                let steps = (positions.count &- 1) / Self.childrenAtOnce
                let rest = steps.multipliedReportingOverflow(by: new.count)
                text.reserveCapacity(
                    new.count + (rest.overflow ? 0 : min(rest.partialValue, budget.remainingBytes)))
            }
            text += new
        }
        let terminator = syntax.terminator(inDictionary: container.kind == .dictionary)
        // A comment may extend to the end of its line, so only a new line can follow it.
        let isOnNewLine = formatting.lead.first == 0x0A || formatting.lead.first == 0x0D
        let place = isOnNewLine ? syntax.afterLine(anchor.end) : anchor.end
        if anchor.hasSeparator { return add(place..<place, text) }
        // The last child has no separator and now needs one. The last new child needs none.
        text.removeLast(terminator.count)
        if place == anchor.end { return add(place..<place, terminator + text) }
        add(anchor.end..<anchor.end, terminator)
        add(place..<place, text)
    }

    /// Adds children to an empty container. The container is written from scratch, unless it
    /// contains comments.
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
        // A comment may extend to the end of its line, so the new text begins on a line of its own.
        // If the container does not begin a line, the indentation is that of the closing bracket.
        let inner = (style.newline.isEmpty ? layout.style(at: content.upperBound) : style).deeper
        let place = layout.lineBreak(before: content.upperBound)
        try insert(
            Array(live), of: container, after: Anchor(end: place, hasSeparator: true),
            syntax.formatting(inner, inner.newline + inner.prefix, like: nil))
    }
}
