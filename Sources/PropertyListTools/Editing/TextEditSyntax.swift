// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A text format whose sources are edited: where values stand in it, and how new ones are written.
protocol TextEditSyntax {
    var layout: TextLayout { get }

    /// Where a value, or a key, stands.
    func range(of record: UInt32) -> Range<Int>

    /// Returns the range between the ends of a container; nil where it is written in one piece.
    func contentRange(of container: UInt32) -> Range<Int>?

    /// Where the child of a container that ends with a value ends itself, with what separates it from
    /// the next; the separator is missing after the last of some.
    func end(ofChild value: UInt32) -> (place: Int, hasSeparator: Bool)

    /// Where a comment that begins at a place ends; nil where none begins.
    func endOfComment(at place: Int) -> Int?

    /// The separator of children where one has none yet.
    var separator: [UInt8] { get }

    /// Returns the manner of new children of a container. Linear in the white space around
    /// `neighbour`.
    ///
    /// `lead` is what stands before each. `neighbour` is a child of the same container, with its key.
    func manner(_ style: TextStyle, _ lead: [UInt8], like neighbour: TextNeighbour?) -> TextManner

    /// The text of new children, each with the ``terminator(inDictionary:)`` after it.
    ///
    /// `budget` is what all changes may still take.
    func text(
        of children: NewTextChildren, _ manner: TextManner, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8]

    /// Returns the separator after a new child that others may follow.
    func terminator(inDictionary: Bool) -> [UInt8]

    /// Returns the text before a new child where its neighbour has nothing before it.
    func leadOnLine(_ neighbour: TextNeighbour) -> [UInt8]

    /// Returns the change that renames a key. Its value stays or, where `keeping` is nil, is
    /// replaced.
    func renamed(
        _ key: UInt32, to text: String, keeping value: UInt32?, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change

    /// Returns the change that sets a value.
    func replaced(
        _ value: UInt32, with new: PropertyListValue, key: UInt32?, _ style: TextStyle,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change

    /// Returns the range that is removed with a child.
    func removed(from start: Int, to end: Int) -> Range<Int>

    /// Returns whether some new children of a container may belong elsewhere than after what is
    /// before them.
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

/// The manner in which children of a container are written.
struct TextManner {
    var style: TextStyle
    /// The text before each child.
    var lead: [UInt8] = []
    /// The text between a key and its value.
    var separator: [UInt8] = []
    /// A Boolean value that says whether keys and strings are in quotes even where they need none.
    var isQuoted = false
    /// A Boolean value that says whether each child is followed by what ends it.
    var hasTerminators = true

    /// The manner of one value in the place of another, without anything around it.
    static func replacement(_ style: TextStyle, isQuoted: Bool = false) -> Self {
        Self(style: style, isQuoted: isQuoted, hasTerminators: false)
    }
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
