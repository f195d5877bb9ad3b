// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Finds the positions of new objects in a project file. Each section holds the objects of one
/// class, sorted by the identifier of the object. A class without a section gets one, in
/// alphabetical order among the others.
///
/// ``ProjectFile`` describes the sections.
struct ProjectSections {
    /// A new object.
    struct Entry {
        let identifier: ExactText
        let value: PropertyListValue
        let className: ExactText
    }

    /// A position for new objects, in relation to the objects of the source.
    enum Place: Hashable {
        /// After the object at this position of the source.
        case after(Int)
        /// Before the object at this position of the source.
        case before(Int)
        /// In a new section, after the section of the object at this position, or at the beginning
        /// if nil.
        case newSection(after: Int?)

        /// The position of the neighboring object of the source.
        var position: Int? {
            switch self {
            case .after(let position), .before(let position): position
            case .newSection(let position): position
            }
        }
    }

    /// The record of the dictionary that holds all objects.
    let container: UInt32
    private let identifiers: [ExactText]
    private let classes: AscendingSearch
    // For each class: the positions of its objects, in the order of the source.
    private var positions: [ExactText: [Int]] = [:]

    /// Finds the sections of a document. Returns nil if its objects are not in sections.
    init?(_ document: PropertyListDocument) {
        guard let objects = document.root["objects"], let entries = objects.dictionary,
            !entries.isEmpty,
            document.source.span.firstIndex(of: "/* Begin ", from: 0) != nil
        else { return nil }
        container = objects.index
        identifiers = entries.map { ExactText($0.key) }
        let names = entries.map { ExactText($0.value["isa"]?.string ?? "") }
        classes = AscendingSearch(names)
        for (position, name) in names.enumerated() { positions[name, default: []].append(position) }
    }

    /// Returns the entry for a new object. Returns nil if the value has no `isa`, or if its class
    /// name cannot be written in a comment.
    func entry(_ identifier: String, _ value: PropertyListValue) -> Entry? {
        guard let className = value["isa"]?.string, !className.isEmpty,
            ProjectFile.isSafeInComment(className)
        else { return nil }
        return Entry(
            identifier: ExactText(identifier), value: value, className: ExactText(className))
    }

    /// Returns the places of new objects, each with its objects in order. Linear, except for
    /// sorting.
    func places(of entries: [Entry]) -> [(place: Place, entries: [Entry])] {
        var places: [(place: Place, entries: [Entry])] = []
        for (className, entries) in Dictionary(grouping: entries, by: \.className)
            .sorted(by: { $0.key < $1.key })
        {
            let start = places.count
            let positions = positions[className] ?? []
            let section = AscendingSearch(positions.map { identifiers[$0] })
            for entry in entries.sorted(by: { $0.identifier < $1.identifier }) {
                let place = place(of: entry, positions, section)
                if places.count > start, place == places[places.count - 1].place {
                    places[places.count - 1].entries.append(entry)
                } else {
                    places.append((place, [entry]))
                }
            }
        }
        return places
    }

    private func place(of entry: Entry, _ positions: [Int], _ section: AscendingSearch) -> Place {
        if let last = section.lastPosition(below: entry.identifier) {
            return .after(positions[last])
        }
        if let first = positions.first { return .before(first) }
        return .newSection(after: classes.lastPosition(below: entry.className))
    }
}

/// Finds the last text of a list that is less than another text, whether or not the list is sorted.
private struct AscendingSearch {
    // For each position: the least text from that position on. This list is ascending.
    private var least: [ExactText] = []

    /// Prepares a search in `texts`. Linear.
    init(_ texts: [ExactText]) {
        for text in texts.reversed() { least.append(min(text, least.last ?? text)) }
        least.reverse()
    }

    /// Returns the position of the last text below `text`, or nil if there is none. Logarithmic.
    func lastPosition(below text: ExactText) -> Int? {
        var (low, high) = (0, least.count)
        while low < high {
            let middle = (low + high) / 2
            if least[middle] < text { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}
