// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The shapes of a document's dictionaries, numbered from 1. A shape is the sequence of a
/// dictionary's keys.
///
/// Dictionaries that describe objects of one type have the same shape. ``DictionaryPass`` numbers
/// the shapes and stores the number in the record of each dictionary (``NodeRecord/shape``).
/// Dictionaries with the same number have the same keys at the same positions, so a consumer looks
/// up the position of a key once per shape.
///
/// The number 0 means no shape. It is the number of:
/// - a dictionary without keys;
/// - a dictionary with duplicate keys that were all kept, or with a non-string key;
/// - an unreachable dictionary in a binary file that needed ``ParsingOptions/unusedGarbage``;
/// - a dictionary whose shape would be number 65,536 or higher.
///
/// Numbering takes linear time. The keys of a dictionary are hashed once and compared with a few
/// shapes. The table takes at most 2 MiB.
package struct ShapeTable: Sendable {
    /// One shape.
    struct Shape: BitwiseCopyable, Sendable {
        /// The index of the first key, in the first dictionary with this shape.
        let first: UInt32
        /// The number of keys.
        let count: UInt32
        /// The shape that followed this one last time; 0 for none.
        fileprivate var successor: UInt16 = 0

        /// The indices of the keys, in the first dictionary with this shape.
        var keyRange: Range<UInt32> { first..<(first &+ count) }
    }

    /// The maximum number of shapes for linear search.
    private static let indexThreshold = 8

    private let hasher = SeededHash()
    private var shapes: [Shape] = []
    // Indices in `shapes`. Without slots while there are few shapes.
    private var table = ProbingTable()
    // The shape of the last dictionary that has a shape.
    private var last: UInt16 = 0

    /// The number of shapes, and thus the largest number assigned.
    package var count: Int { shapes.count }

    /// The shape with the given number.
    subscript(number: UInt16) -> Shape { shapes[Int(number) &- 1] }

    /// The shapes. The index of each is its number minus one.
    var all: [Shape] { shapes }

    /// Sets the shapes of dictionaries that have the expected shape: that of the last dictionary,
    /// or the previous successor of that shape. Linear in the number of keys.
    ///
    /// - Returns: The first record, from `node` on, that is a dictionary with keys and has another
    ///   shape; the number of records if there is none.
    mutating func assignLikely(from node: Int, _ store: inout NodeStore) -> Int {
        var node = Self.dictionary(from: node, store.records.span)
        while node < store.records.count {
            let shape = likely(store.records[node].keyRange, store)
            if shape == 0 { return node }
            store.records[node].shape = shape
            node = Self.dictionary(from: node &+ 1, store.records.span)
        }
        return node
    }

    /// Returns the first record from `node` on that is a dictionary with keys; the number of
    /// records if there is none.
    @inline(__always)
    private static func dictionary(from node: Int, _ records: Span<NodeRecord>) -> Int {
        var node = node
        while node < records.count, records[node].kind != .dictionary || records[node].isEmpty {
            node &+= 1
        }
        return node
    }

    @inline(__always)
    private mutating func likely(_ places: Range<Int>, _ store: NodeStore) -> UInt16 {
        guard last != 0 else { return 0 }
        if isSame(self[last], places, store) { return last }
        let successor = self[last].successor
        guard successor != 0, isSame(self[successor], places, store) else { return 0 }
        last = successor
        return successor
    }

    /// Returns the shape of the keys at `places`, which must have numbers and be distinct. Adds a
    /// new shape if needed, and returns 0 if no number is left.
    mutating func number(_ places: Range<Int>, in store: NodeStore) -> UInt16 {
        let number = table.isEmpty ? searched(places, store) : hashed(places, store)
        if number != 0 {
            if last != 0 { shapes[Int(last) &- 1].successor = number }
            last = number
        }
        return number
    }

    private func hash(_ places: Range<Int>, _ store: NodeStore) -> UInt32 {
        var state = hasher.hash(UInt64(truncatingIfNeeded: places.count), salt: 0)
        for place in places {
            let key = store.records[Int(store.children[place])].keyNumber
            state = hasher.combine(state, UInt64(key))
        }
        return ProbingTable.stored(state)
    }

    /// Returns the number of a shape by linear search, or adds a new one.
    private mutating func searched(_ places: Range<Int>, _ store: NodeStore) -> UInt16 {
        for index in shapes.indices where isSame(shapes[index], places, store) {
            return UInt16(truncatingIfNeeded: index &+ 1)
        }
        // Most small documents have no more shapes than this, so the array never grows.
        if shapes.isEmpty { shapes.reserveCapacity(Self.indexThreshold) }
        if shapes.count == Self.indexThreshold {
            // From now on, the shapes are in the table.
            table = ProbingTable(slots: 4 &* Self.indexThreshold)
            for (index, shape) in shapes.enumerated() {
                let first = Int(shape.first)
                let hash = hash(first..<(first &+ Int(shape.count)), store)
                table.insert(index, hash, at: table.slot(hash) { _ in false })
            }
            return hashed(places, store)
        }
        return append(places)
    }

    /// Returns the number of a shape by hash, or adds a new one. Returns 0 if no number is left.
    private mutating func hashed(_ places: Range<Int>, _ store: NodeStore) -> UInt16 {
        let hash = hash(places, store)
        let slot = table.slot(hash) { isSame(shapes[$0], places, store) }
        if let known = table[slot] { return UInt16(truncatingIfNeeded: known &+ 1) }
        guard shapes.count < Int(UInt16.max) else { return 0 }
        table.insert(shapes.count, hash, at: slot)
        return append(places)
    }

    private mutating func append(_ places: Range<Int>) -> UInt16 {
        shapes.append(
            Shape(
                first: UInt32(truncatingIfNeeded: places.lowerBound),
                count: UInt32(truncatingIfNeeded: places.count)))
        return UInt16(truncatingIfNeeded: shapes.count)
    }

    /// Returns whether the keys at `places` are those of a shape. A key without a number matches
    /// only the identical node.
    @inline(__always)
    private func isSame(_ shape: Shape, _ places: Range<Int>, _ store: NodeStore) -> Bool {
        guard places.count == Int(shape.count) else { return false }
        let first = Int(shape.first)
        let keys = store.children.span.extracting(places)
        let others = store.children.span.extracting(first..<(first &+ places.count))
        for position in keys.indices {
            let (key, other) = (keys[position], others[position])
            if key == other { continue }
            // Equal numbers mean equal text.
            let number = store.records[Int(key)].keyNumber
            if number == 0 || number != store.records[Int(other)].keyNumber { return false }
        }
        return true
    }
}
