// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// An editable text format: it locates values in a source and writes new ones.
protocol TextEditSyntax {
    /// The layout of the source.
    var layout: TextLayout { get }

    /// Returns the range of a value or a key.
    func range(of record: UInt32) -> Range<Int>

    /// Returns the range between the delimiters of a container, or nil if the container is a single
    /// token such as `<dict/>`.
    func contentRange(of container: UInt32) -> Range<Int>?

    /// Returns the end of a child, given its value, including the separator that follows. In some
    /// formats the last child has no separator.
    func end(ofChild value: UInt32) -> (place: Int, hasSeparator: Bool)

    /// Returns the end of a comment that begins at a place, or nil if none begins there.
    func endOfComment(at place: Int) -> Int?

    /// Returns the formatting of new children of a container. Linear in the white space around
    /// `neighbor`.
    ///
    /// `lead` is the text before each child. `neighbor` is a child of the same container, with its
    /// key.
    func formatting(_ style: TextStyle, _ lead: [UInt8], like neighbor: TextNeighbor?)
        -> TextFormatting

    /// Returns the text of new children, each followed by the ``terminator(inDictionary:)``.
    ///
    /// `budget` is the remaining budget for all changes.
    func text(
        of children: NewTextChildren, _ formatting: TextFormatting,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8]

    /// Returns the separator after a new child, if siblings may follow.
    func terminator(inDictionary: Bool) -> [UInt8]

    /// Returns the text before a new child if its neighbor has no white space before it.
    func leadOnSameLine(_ neighbor: TextNeighbor) -> [UInt8]

    /// Returns the change that renames a key. The value `keeping` stays; nil means that another
    /// change replaces the value.
    func renamed(
        _ key: UInt32, to text: String, keeping value: UInt32?, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change

    /// Returns the change that sets a value.
    func replaced(
        _ value: UInt32, with new: PropertyListValue, key: UInt32?, _ style: TextStyle,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change

    /// Returns the range to remove for the child at `start..<end`, including white space beside it.
    func removed(from start: Int, to end: Int) -> Range<Int>

    /// Returns whether new children of a container may belong elsewhere than after their
    /// predecessor. The new objects of a project file, for example, belong in the sections of their
    /// classes.
    func mayInsertElsewhere(in container: UInt32) -> Bool

    /// Returns the indices of the children that belong elsewhere, and the changes that insert them
    /// there.
    func insertionsElsewhere(
        _ children: NewTextChildren, in container: UInt32, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> (places: [Int], changes: [EditedPropertyList.Change])

    /// Returns the text of a whole container that was empty.
    func container(
        _ value: PropertyListValue, _ record: UInt32, _ style: TextStyle,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8]
}

extension TextEditSyntax {
    func afterLine(_ place: Int) -> Int { layout.afterLine(place, comment: endOfComment) }

    func mayInsertElsewhere(in container: UInt32) -> Bool { false }

    func insertionsElsewhere(
        _ children: NewTextChildren, in container: UInt32, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> (places: [Int], changes: [EditedPropertyList.Change]) {
        ([], [])
    }
}

/// A child of a container in the source.
struct TextNeighbor {
    let key: UInt32?
    let value: UInt32
}

/// The formatting of new children of a container.
struct TextFormatting {
    var style: TextStyle
    /// The text before each child.
    var lead: [UInt8] = []
    /// The text between a key and its value.
    var separator: [UInt8] = []
    /// A Boolean value that says whether keys and strings are quoted even if they need no quotes.
    var isQuoted = false
    /// A Boolean value that says whether a terminator follows each child.
    var hasTerminators = true

    /// Returns the formatting of a value that replaces another, without surrounding text.
    static func replacement(_ style: TextStyle, isQuoted: Bool = false) -> Self {
        Self(style: style, isQuoted: isQuoted, hasTerminators: false)
    }
}

/// New children of a container.
struct NewTextChildren {
    /// The keys; empty for elements.
    var keys: [String] = []
    var values: [PropertyListValue]

    /// A container with only these children.
    var container: PropertyListValue {
        keys.isEmpty
            ? .array(PropertyListArray(values))
            : .dictionary(
                PropertyListDictionary(keys: DictionaryKeys(distinct: keys), values: values))
    }
}
