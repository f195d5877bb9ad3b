// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Where new objects of a project file belong: in the section of their class, by their number; a class
/// that has no section yet gets one, between those before and after it in the alphabet.
///
/// The sections themselves are described at ``ProjectFile``.
struct ProjectSections {
    /// A new object.
    struct Entry {
        let number: String
        let value: PropertyListValue
        let className: String
    }

    /// What stands around new objects that go to the same place.
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
    private let classes: [String]
    private let numbers: [String]

    /// The sections of a document; nil where its objects have none.
    init?(_ document: PropertyListDocument) {
        guard let objects = document.root["objects"], let entries = objects.dictionary,
            !entries.isEmpty,
            document.source.span.firstIndex(of: "/* Begin ", from: 0) != nil
        else { return nil }
        container = objects.index
        numbers = entries.map(\.key)
        classes = entries.map { $0.value["isa"]?.string ?? "" }
    }

    /// The object that a new value is, if it is one whose class can stand in a comment.
    func entry(_ number: String?, _ value: PropertyListValue?) -> Entry? {
        guard let number, let value, let className = value["isa"]?.string, !className.isEmpty,
            className.utf8.allSatisfy(OpenStepCharacter.isAlphanumeric)
        else { return nil }
        return Entry(number: number, value: value, className: className)
    }

    /// The places of new objects, with those that go there in their order. Linear, but for sorting.
    func places(of entries: [Entry]) -> [(place: Place, entries: [Entry])] {
        var places: [(place: Place, entries: [Entry])] = []
        for (className, entries) in Dictionary(grouping: entries, by: \.className)
            .sorted(by: { $0.key < $1.key })
        {
            let section = Section(className, classes, numbers)
            for entry in entries.sorted(by: { $0.number < $1.number }) {
                let place = section.place(of: entry.number)
                if place == places.last?.place, className == places.last?.entries[0].className {
                    places[places.count - 1].entries.append(entry)
                } else {
                    places.append((place, [entry]))
                }
            }
        }
        return places
    }

    /// The objects of a class.
    private struct Section {
        private let positions: [Int]
        // By object: the least number from there on.
        private var leastNumbers: [String] = []
        private let sectionBefore: Int?

        init(_ className: String, _ classes: [String], _ numbers: [String]) {
            positions = classes.indices.filter { classes[$0] == className }
            sectionBefore = classes.lastIndex { $0 < className }
            for position in positions.reversed() {
                leastNumbers.append(min(numbers[position], leastNumbers.last ?? numbers[position]))
            }
            leastNumbers.reverse()
        }

        /// Behind the last object with a lesser number.
        func place(of number: String) -> Place {
            guard let first = positions.first else { return .newSection(after: sectionBefore) }
            var (low, high) = (0, positions.count)
            while low < high {
                let middle = (low + high) / 2
                if leastNumbers[middle] < number { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? .before(first) : .after(positions[low - 1])
        }
    }
}
