// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The elements of an array or a set in the value tree; a value type that copies on writing.
public struct PropertyListArray: Sendable {
    private(set) var storage: ContainerStorage

    /// The same object for copies that nothing has changed since.
    package var identity: AnyObject { storage }

    /// An array of `elements`.
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
    public init() { self.init([]) }

    public init(arrayLiteral elements: PropertyListValue...) { self.init(elements) }

    public var startIndex: Int { 0 }
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

    public mutating func replaceSubrange(
        _ range: Range<Int>, with elements: some Collection<PropertyListValue>
    ) {
        // An array: a collection of the program's own is not to run while the storage is changed.
        let elements = Array(elements)
        makeUnique()
        storage.values.replaceSubrange(range, with: elements)
    }
}

extension PropertyListArray: Hashable {
    /// Returns whether both hold equal elements in the same order. Not recursive.
    public static func == (left: PropertyListArray, right: PropertyListArray) -> Bool {
        PropertyListValue.array(left) == .array(right)
    }

    public func hash(into hasher: inout Hasher) {
        PropertyListValue.array(self).hash(into: &hasher)
    }
}
