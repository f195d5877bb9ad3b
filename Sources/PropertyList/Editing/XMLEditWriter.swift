// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Works out what edits change in the text of an XML property list.
///
/// Only these are replaced: the element of a value that is set, that of a key that is renamed, an
/// entry that is removed with the white space before it up to the end of the line above. What is new is
/// written like its neighbours: their indentation, their line ends, what they have between key and
/// value.
struct XMLEditWriter {
    private typealias Change = EditedPropertyList.Change

    private let edits: FinishedEdits
    private let store: NodeStore
    private let map: XMLSourceMap
    private let layout: XMLLayout
    private let fragment: XMLFragment
    private var found: [EditedPropertyList.Change] = []

    init(
        _ document: PropertyListDocument, _ edits: FinishedEdits, _ options: ParsingOptions,
        _ limits: ParsingLimits
    ) {
        self.edits = edits
        store = document.storage.store
        map = XMLSourceMap(store)
        layout = XMLLayout(store, map)
        var writing = XMLPropertyList.Options()
        writing.realText =
            document.realStyle(.asInSource) == .shortest ? .shortest : .seventeenDigits
        if options.contains(.rawControlCharacters) {
            writing.allowedLosses.insert(.controlCharacters)
        }
        if options.contains(.uidDictionaries) { writing.allowedLosses.insert(.uidDictionaries) }
        fragment = XMLFragment(
            options: writing, isInArchive: document.looksLikeKeyedArchive, limits: limits)
    }

    /// What changes, in the order of the source. Linear.
    ///
    /// - Throws: `unrepresentableValue` for what XML has no form for.
    mutating func changes() throws(PropertyListError) -> [EditedPropertyList.Change] {
        if let value = edits.newValue(of: edits.tree.root) {
            try replace(edits.tree.document.storage.root, with: value, key: nil)
        }
        for container in edits.openedSources {
            guard let origin = container.origin else { continue }
            try change(container, origin)
        }
        return found.sorted {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }
    }

    private mutating func add(_ range: Range<Int>, _ text: [UInt8]) {
        found.append(Change(range: range, replacement: text))
    }

    // MARK: Containers

    private mutating func change(
        _ container: EditTree.Container, _ origin: UInt32
    ) throws(PropertyListError) {
        let record = store.records[Int(origin)]
        let count = Int(record.high)
        if count == 0 { return try fill(container, origin) }
        let isDictionary = record.kind == .dictionary
        let first = Int(record.low)
        var place = layout.afterLine(map.contentRange(of: origin)?.lowerBound ?? 0)
        var expected = 0
        var added: [EditTree.Child] = []
        for position in container.live {
            let child = container.children[position]
            guard let number = child.origin else {
                added.append(child)
                continue
            }
            try insert(added, at: place, container, record)
            added = []
            let value = store.children[first + number + (isDictionary ? count : 0)]
            let key = isDictionary ? store.children[first + number] : nil
            for removed in expected..<number { remove(removed, record) }
            expected = number + 1
            try change(child, value, key)
            place = layout.afterLine(map.range(of: value).upperBound)
        }
        try insert(added, at: place, container, record)
        for removed in expected..<count { remove(removed, record) }
    }

    private mutating func change(
        _ child: EditTree.Child, _ value: UInt32, _ key: UInt32?
    ) throws(PropertyListError) {
        if case .text(let text) = child.key, let key {
            add(map.range(of: key), try fragment.key(text))
        }
        if let new = edits.newValue(of: child.content) {
            try replace(value, with: new, key: key)
        }
    }

    private mutating func replace(
        _ record: UInt32, with value: PropertyListValue, key: UInt32?
    ) throws(PropertyListError) {
        let range = map.range(of: record)
        let style = layout.style(
            at: range.lowerBound, orAt: key.map { map.range(of: $0).lowerBound })
        add(range, try fragment.text(of: value, style))
    }

    private mutating func remove(_ number: Int, _ record: NodeRecord) {
        let (start, end) = extent(number, record)
        add(layout.lineBreak(before: start)..<end, [])
    }

    /// Where an element, or an entry with its key, begins and ends.
    private func extent(_ number: Int, _ record: NodeRecord) -> (start: Int, end: Int) {
        let place = Int(record.low) + number
        let isDictionary = record.kind == .dictionary
        let value = map.range(of: store.children[place + (isDictionary ? Int(record.high) : 0)])
        let start =
            isDictionary ? map.range(of: store.children[place]).lowerBound : value.lowerBound
        return (start, value.upperBound)
    }

    // MARK: New children

    /// Adds children to a container that has some, in the manner of its first.
    private mutating func insert(
        _ children: [EditTree.Child], at place: Int, _ container: EditTree.Container,
        _ record: NodeRecord
    ) throws(PropertyListError) {
        if children.isEmpty { return }
        let start = extent(0, record).start
        let style = layout.style(at: start)
        let lead = layout.blank(before: start)
        var separator: [UInt8] = []
        if record.kind == .dictionary {
            let key = map.range(of: store.children[Int(record.low)])
            let value = map.range(of: store.children[Int(record.low) + Int(record.high)])
            separator = layout.blank(before: value.lowerBound, notBefore: key.upperBound)
        }
        try insert(children, at: place, lead, separator, style)
    }

    private mutating func insert(
        _ children: [EditTree.Child], at place: Int, _ lead: [UInt8], _ separator: [UInt8],
        _ style: XMLFragment.Style
    ) throws(PropertyListError) {
        var text: [UInt8] = []
        for child in children {
            text += lead
            if let key = edits.tree.text(of: child.key) {
                text += try fragment.key(key)
                text += separator
            }
            text += try fragment.text(of: edits.newValue(of: child.content) ?? .null, style)
        }
        add(place..<place, text)
    }

    /// Adds children to a container that has none. It is written anew, unless comments stand in it.
    private mutating func fill(
        _ container: EditTree.Container, _ origin: UInt32
    ) throws(PropertyListError) {
        let live = container.live
        if live.isEmpty { return }
        let range = map.range(of: origin)
        let key = container.key.map { map.range(of: $0).lowerBound }
        let style = layout.style(at: range.lowerBound, orAt: key)
        guard let content = map.contentRange(of: origin), !layout.isBlank(content) else {
            return add(range, try fragment.text(of: edits.value(of: container), style))
        }
        var inner = style
        inner.prefix += style.unit
        let lead = style.newline.isEmpty ? [] : inner.newline + inner.prefix
        try insert(
            live.map { container.children[$0] }, at: layout.lineBreak(before: content.upperBound),
            lead, lead, inner)
    }
}
