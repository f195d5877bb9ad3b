// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A text format whose sources are edited: where values stand in it, and how new ones are written.
protocol TextEditSyntax {
    var layout: TextLayout { get }

    /// Where a value, or a key, stands.
    func range(of record: UInt32) -> Range<Int>

    /// What stands between the ends of a container; nil where it is written in one piece.
    func contentRange(of container: UInt32) -> Range<Int>?

    /// Where the child of a container that ends with a value ends itself, with what separates it from
    /// the next; the separator is missing after the last of some.
    func end(ofChild value: UInt32) -> (place: Int, hasSeparator: Bool)

    /// Where a comment that begins at a place ends; nil where none begins.
    func endOfComment(at place: Int) -> Int?

    /// What separates children where one has no separator yet.
    var separator: [UInt8] { get }

    /// How new children of a container are written. Linear in the white space around `neighbour`.
    ///
    /// `lead` is what stands before each. `neighbour` is a child of the same container, with its key.
    func manner(_ style: TextStyle, _ lead: [UInt8], like neighbour: TextNeighbour?) -> TextManner

    /// The text of new children, each with the ``terminator(inDictionary:)`` after it.
    ///
    /// `budget` is what all changes may still take.
    func text(
        of children: NewTextChildren, _ manner: TextManner, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8]

    /// What ends a new child that others may follow.
    func terminator(inDictionary: Bool) -> [UInt8]

    /// What stands before a new child where its neighbour has nothing before it.
    func leadOnLine(_ neighbour: TextNeighbour) -> [UInt8]

    /// What becomes of a key that is renamed, whose value stays or, where it is nil, is replaced.
    func renamed(
        _ key: UInt32, to text: String, keeping value: UInt32?, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change

    /// What becomes of a value that is set.
    func replaced(
        _ value: UInt32, with new: PropertyListValue, key: UInt32?, _ style: TextStyle,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change

    /// What is taken away with a child that is removed.
    func removed(from start: Int, to end: Int) -> Range<Int>

    /// Whether some new children of a container may belong elsewhere than after what is before them.
    func placesElsewhere(in container: UInt32) -> Bool

    /// The new children that belong elsewhere, by their places in `children`, and what puts them there.
    func placedElsewhere(
        _ children: NewTextChildren, in container: UInt32, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> (places: [Int], changes: [EditedPropertyList.Change])

    /// A whole container that was empty.
    func container(
        _ value: PropertyListValue, _ record: UInt32, _ style: TextStyle,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8]
}

extension TextEditSyntax {
    func afterLine(_ place: Int) -> Int { layout.afterLine(place, comment: endOfComment) }

    func placesElsewhere(in container: UInt32) -> Bool { false }

    func placedElsewhere(
        _ children: NewTextChildren, in container: UInt32, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> (places: [Int], changes: [EditedPropertyList.Change]) {
        ([], [])
    }
}

/// A child of a container in the source.
struct TextNeighbour {
    let key: UInt32?
    let value: UInt32
}

/// How children of a container are written.
struct TextManner {
    var style: TextStyle
    /// The text before each child.
    var lead: [UInt8] = []
    /// The text between a key and its value.
    var separator: [UInt8] = []
    /// Whether keys and strings are in quotes even where they need none.
    var isQuoted = false
    /// Whether each child is followed by what ends it.
    var hasTerminators = true
}

/// Children that a container gets.
struct NewTextChildren {
    /// The keys; empty for elements.
    var keys: [String] = []
    var values: [PropertyListValue]

    /// A container that holds the children and nothing else.
    var container: PropertyListValue {
        keys.isEmpty
            ? .array(PropertyListArray(values))
            : .dictionary(
                PropertyListDictionary(keys: DictionaryKeys(distinct: keys), values: values))
    }
}
