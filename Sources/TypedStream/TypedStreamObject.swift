// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An object of a stream: its class and its groups of values.
///
/// The values of a class follow those of its superclass. The stream does not mark the boundary
/// between them.
public struct TypedStreamObject: Sendable {
    let storage: TypedStreamDocument.Storage

    /// The index of the object among the objects, classes and C strings of the stream. All
    /// references to an object have this index.
    public let number: Int

    init(_ storage: TypedStreamDocument.Storage, number: Int) {
        self.storage = storage
        self.number = number
    }

    private var entry: TableEntry { storage.tables.entries[number] }

    /// The class of the object.
    public var `class`: TypedStreamClass {
        TypedStreamClass(storage, number: Int(entry.target))
    }

    /// The groups of the object, in the order of the file.
    public var groups: TypedStreamGroups {
        TypedStreamGroups(storage, places: storage.groups(of: number))
    }

    /// The byte range of the object in the file, from its tag through its end.
    public var byteRange: Range<Int> { Int(entry.offset)..<Int(entry.other) }
}

extension TypedStreamObject: Hashable {
    /// Returns whether both are the same object of the same document.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage && left.number == right.number
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(storage))
        hasher.combine(number)
    }
}
