// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The groups of a stream or of an object, in the order of the file.
///
/// Iterating is linear in the bytes of the groups, without those of the objects in them.
public struct TypedStreamGroups: Sequence, Sendable {
    private let storage: TypedStreamDocument.Storage
    private let places: Range<Int>

    init(_ storage: TypedStreamDocument.Storage, places: Range<Int>) {
        self.storage = storage
        self.places = places
    }

    /// Goes through groups.
    public struct Iterator: IteratorProtocol, Sendable {
        fileprivate let storage: TypedStreamDocument.Storage
        fileprivate var place: Int
        fileprivate let end: Int

        /// The next group; nil at the end.
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

/// A type encoding, and a value for each type in it.
public struct TypedStreamGroup: Sendable {
    let storage: TypedStreamDocument.Storage
    private let string: Int?
    private let types: Range<Int>
    private let start: Int

    /// The place of the group in the file, its type encoding and the contents of its objects included.
    public let byteRange: Range<Int>

    /// The group at a place; nil where a salvaged document ends.
    init?(_ storage: TypedStreamDocument.Storage, at place: Int) {
        guard let head = storage.groupHead(at: place) else { return nil }
        self.storage = storage
        string = head.string
        types = head.types
        start = head.end
        let end = storage.skip(TypeRun(head.types), at: head.end) ?? storage.end
        byteRange = place..<Swift.min(end, storage.end)
    }

    /// The type encoding; nil for an object without one, as streamer version 3 has them.
    public var encoding: TypedStreamString? {
        string.map { TypedStreamString(storage, number: $0) }
    }

    /// The values without arrays and structures around them.
    var flatValues: FlatValues { FlatValues(storage, run: TypeRun(types), start: start) }

    /// The values, one for each type.
    public var values: TypedStreamValues {
        TypedStreamValues(storage, run: TypeRun(types), start: start)
    }
}
