// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Where new objects of a project file belong: in the section of their class, by their number; a class
/// that has no section yet gets one, between those before and after it in the alphabet.
///
/// The sections themselves are described at ``ProjectFile``.
struct ProjectSections {
    /// A new object.
    struct Entry {
        let number: ExactText
        let value: PropertyListValue
        let className: ExactText
    }

    /// The surroundings of new objects that go to the same place.
    enum Place: Hashable {
        /// After the object with this position among those of the source.
        case after(Int)
        /// Before it.
        case before(Int)
        /// In a section of its own, after that object's; at the beginning where there is none.
        case newSection(after: Int?)

        /// The object beside it.
        var position: Int? {
            switch self {
            case .after(let position), .before(let position): position
            case .newSection(let position): position
            }
        }
    }

    /// The record of the dictionary that holds all objects.
    let container: UInt32
    private let numbers: [ExactText]
    private let classes: AscendingSearch
    // By class: its objects in the order of the source.
    private var positions: [ExactText: [Int]] = [:]

    /// The sections of a document; nil where its objects have none.
    init?(_ document: PropertyListDocument) {
        guard let objects = document.root["objects"], let entries = objects.dictionary,
            !entries.isEmpty,
            document.source.span.firstIndex(of: "/* Begin ", from: 0) != nil
        else { return nil }
        container = objects.index
        numbers = entries.map { ExactText($0.key) }
        let names = entries.map { ExactText($0.value["isa"]?.string ?? "") }
        classes = AscendingSearch(names)
        for (position, name) in names.enumerated() { positions[name, default: []].append(position) }
    }

    /// The object that a new value is, if it is one whose class can stand in a comment.
    func entry(_ number: String, _ value: PropertyListValue) -> Entry? {
        guard let className = value["isa"]?.string, !className.isEmpty,
            ProjectFile.canStandInComment(className)
        else { return nil }
        return Entry(
            number: ExactText(number), value: value, className: ExactText(className))
    }

    /// The places of new objects, with those that go there in their order. Linear, but for sorting.
    func places(of entries: [Entry]) -> [(place: Place, entries: [Entry])] {
        var places: [(place: Place, entries: [Entry])] = []
        for (className, entries) in Dictionary(grouping: entries, by: \.className)
            .sorted(by: { $0.key < $1.key })
        {
            let start = places.count
            let positions = positions[className] ?? []
            let section = AscendingSearch(positions.map { numbers[$0] })
            for entry in entries.sorted(by: { $0.number < $1.number }) {
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
        if let last = section.lastPosition(below: entry.number) {
            return .after(positions[last])
        }
        if let first = positions.first { return .before(first) }
        return .newSection(after: classes.lastPosition(below: entry.className))
    }
}

/// Finds the last of some texts that is less than another, whether they are sorted or not.
private struct AscendingSearch {
    // By position: the least text from there on, so that these do ascend.
    private var least: [ExactText] = []

    /// Linear.
    init(_ texts: [ExactText]) {
        for text in texts.reversed() { least.append(min(text, least.last ?? text)) }
        least.reverse()
    }

    /// The position of that text; nil where there is none. Logarithmic.
    func lastPosition(below text: ExactText) -> Int? {
        var (low, high) = (0, least.count)
        while low < high {
            let middle = (low + high) / 2
            if least[middle] < text { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}
