// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The groups of a stream or of an object, in the order of the file.
///
/// Iteration takes time linear in the size of the groups, not counting the objects in them.
public struct TypedStreamGroups: Sequence, Sendable {
    private let storage: TypedStreamDocument.Storage
    private let places: Range<Int>

    init(_ storage: TypedStreamDocument.Storage, places: Range<Int>) {
        self.storage = storage
        self.places = places
    }

    /// An iterator over groups.
    public struct Iterator: IteratorProtocol, Sendable {
        fileprivate let storage: TypedStreamDocument.Storage
        fileprivate var place: Int
        fileprivate let end: Int

        /// Returns the next group, or nil at the end.
        public mutating func next() -> TypedStreamGroup? {
            guard place < end, let group = TypedStreamGroup(storage, at: place) else { return nil }
            place = group.byteRange.upperBound
            return group
        }
    }

    public func makeIterator() -> Iterator {
        Iterator(storage: storage, place: places.lowerBound, end: places.upperBound)
    }
}

/// A group of a stream: a type encoding, and a value for each type in it.
public struct TypedStreamGroup: Sendable {
    let storage: TypedStreamDocument.Storage
    private let string: Int?
    private let types: Range<Int>
    private let start: Int

    /// The byte range of the group in the file, including its type encoding and the contents of its
    /// objects.
    public let byteRange: Range<Int>

    /// Creates the group at an offset. The result is nil at the end of a salvaged document.
    init?(_ storage: TypedStreamDocument.Storage, at place: Int) {
        guard let head = storage.groupHead(at: place) else { return nil }
        self.storage = storage
        string = head.string
        types = head.types
        start = head.end
        let end = storage.skip(TypeRun(head.types), at: head.end) ?? storage.end
        byteRange = place..<Swift.min(end, storage.end)
    }

    /// The type encoding, or nil for a group that consists of an object alone. Only streamer
    /// version 3 allows such groups.
    public var encoding: TypedStreamString? {
        string.map { TypedStreamString(storage, number: $0) }
    }

    /// The values, with arrays and structures replaced by their elements and fields.
    var flatValues: FlatValues { FlatValues(storage, run: TypeRun(types), start: start) }

    /// The values, one for each type.
    public var values: TypedStreamValues {
        TypedStreamValues(storage, run: TypeRun(types), start: start)
    }
}
