// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The elements of an array or a set in the value tree; a copy-on-write value type.
public struct PropertyListArray: Sendable {
    private(set) var storage: ContainerStorage

    /// The object that unchanged copies share.
    package var identity: AnyObject { storage }

    /// Creates an array of `elements`.
    public init(_ elements: some Sequence<PropertyListValue>) {
        let values = Array(elements)
        storage = values.isEmpty ? .empty : ContainerStorage(values: values)
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
    }
}

extension PropertyListArray: RandomAccessCollection, MutableCollection,
    RangeReplaceableCollection, ExpressibleByArrayLiteral
{
    /// Creates an empty array.
    public init() { self.init([]) }

    /// Creates an array from a literal.
    public init(arrayLiteral elements: PropertyListValue...) { self.init(elements) }

    /// The position of the first element, 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { storage.values.count }

    /// The element at `position`.
    ///
    /// - Precondition: `position` is a valid index.
    public subscript(position: Int) -> PropertyListValue {
        get { storage.values[position] }
        set {
            makeUnique()
            storage.values[position] = newValue
        }
    }

    /// Replaces the elements in `range`. Linear.
    public mutating func replaceSubrange(
        _ range: Range<Int>, with elements: some Collection<PropertyListValue>
    ) {
        // Copied to an array first, so that no code of the caller's collection runs during the
        // change.
        let elements = Array(elements)
        makeUnique()
        storage.values.replaceSubrange(range, with: elements)
    }
}

extension PropertyListArray: Hashable {
    /// Returns whether both arrays have equal elements in the same order. Not recursive.
    public static func == (left: PropertyListArray, right: PropertyListArray) -> Bool {
        PropertyListValue.array(left) == .array(right)
    }

    /// Hashes the elements in order. Not recursive.
    public func hash(into hasher: inout Hasher) {
        PropertyListValue.array(self).hash(into: &hasher)
    }
}
