// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The shapes of a document's dictionaries, numbered from 1. A shape is the keys of a dictionary, in order.
///
/// Dictionaries that describe objects of one type have the same shape. ``DictionaryPass`` numbers the shapes
/// and keeps the number of each dictionary in its record (``NodeRecord/shape``). Two dictionaries with the same
/// number have the same keys in the same places, so that a consumer looks up the place of a key once per shape.
///
/// These dictionaries have no shape, which is the number 0:
/// - a dictionary without keys;
/// - one with a key twice, or with a key that is no string, which leniencies let pass;
/// - one that nothing leads to, in binary files read with leniencies;
/// - one whose shape is found after 65,535 others.
///
/// Numbering takes linear time: the keys of a dictionary are hashed once, and compared with those of a few shapes.
/// The table takes at most 2 MiB.
package struct ShapeTable: Sendable {
    /// One shape.
    struct Shape: BitwiseCopyable, Sendable {
        /// The place of the first key, in the dictionary where the shape was found first.
        let first: UInt32
        /// The number of keys.
        let count: UInt32
        // Of the keys; 0 while there are few shapes.
        fileprivate var hash: UInt32
        /// The shape that came next the last time; 0 is none.
        fileprivate var successor: UInt16 = 0

        /// The places of the keys, in the dictionary where the shape was found first.
        var keyRange: Range<UInt32> { first..<(first &+ count) }
    }

    /// The greatest number of shapes that are searched one after the other.
    private static let indexThreshold = 8

    private let hasher = SeededHash()
    private var shapes: [Shape] = []
    // The places of shapes; without slots while there are few.
    private var table = ProbingTable()
    // The shape of the last dictionary that has one.
    private var last: UInt16 = 0

    /// The number of shapes; also the largest number given.
    package var count: Int { shapes.count }

    /// A shape by its number.
    subscript(number: UInt16) -> Shape { shapes[Int(number) &- 1] }

    /// The shapes, by their numbers less one.
    var all: [Shape] { shapes }

    /// The shape of the keys at `places`, if it is that of the last dictionary, or the one that followed that
    /// shape before; otherwise 0.
    @inline(__always)
    mutating func likely(_ places: Range<Int>, in store: NodeStore) -> UInt16 {
        guard last != 0 else { return 0 }
        if isShape(last, places, store) { return last }
        let successor = self[last].successor
        guard successor != 0, isShape(successor, places, store) else { return 0 }
        last = successor
        return successor
    }

    /// The shape of the keys at `places`, which are numbered and all different: a new one if the document has
    /// none like it, and 0 if there is no number left.
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
        return UInt32(truncatingIfNeeded: state >> 16)
    }

    /// The number of a shape, one of a few or a new one.
    private mutating func searched(_ places: Range<Int>, _ store: NodeStore) -> UInt16 {
        for index in shapes.indices where isSame(shapes[index], places, store) {
            return UInt16(truncatingIfNeeded: index &+ 1)
        }
        // Most small documents have no more shapes, and need not grow again and again.
        if shapes.isEmpty { shapes.reserveCapacity(Self.indexThreshold) }
        if shapes.count == Self.indexThreshold {
            // From now on there are hashes.
            for index in shapes.indices {
                let first = Int(shapes[index].first)
                shapes[index].hash = hash(first..<(first &+ Int(shapes[index].count)), store)
            }
            growTable()
            return hashed(places, store)
        }
        return append(places, hash: 0)
    }

    /// The number of a shape, one of many or a new one; 0 if there is no number left.
    private mutating func hashed(_ places: Range<Int>, _ store: NodeStore) -> UInt16 {
        let hash = hash(places, store)
        let slot = table.slot(hash) {
            shapes[$0].hash == hash && isSame(shapes[$0], places, store)
        }
        if let known = table[slot] { return UInt16(truncatingIfNeeded: known &+ 1) }
        guard shapes.count < Int(UInt16.max) else { return 0 }
        table.insert(shapes.count, at: slot)
        let number = append(places, hash: hash)
        if shapes.count >= table.capacity { growTable() }
        return number
    }

    private mutating func append(_ places: Range<Int>, hash: UInt32) -> UInt16 {
        shapes.append(
            Shape(
                first: UInt32(truncatingIfNeeded: places.lowerBound),
                count: UInt32(truncatingIfNeeded: places.count), hash: hash))
        return UInt16(truncatingIfNeeded: shapes.count)
    }

    @inline(never)
    private mutating func growTable() {
        let shapes = shapes
        table.grow(for: shapes.count &+ 1, present: shapes.count) { shapes[$0].hash }
    }

    @inline(__always)
    private func isShape(_ number: UInt16, _ places: Range<Int>, _ store: NodeStore) -> Bool {
        isSame(self[number], places, store)
    }

    /// Returns whether the keys at `places` are those of a shape. A key that has no number yet is
    /// none of them.
    @inline(__always)
    private func isSame(_ shape: Shape, _ places: Range<Int>, _ store: NodeStore) -> Bool {
        guard places.count == Int(shape.count) else { return false }
        let first = Int(shape.first)
        let keys = store.children.span.extracting(places)
        let others = store.children.span.extracting(first..<(first &+ places.count))
        for position in keys.indices {
            let (key, other) = (keys[position], others[position])
            if key == other { continue }
            // The same number is the same text.
            let number = store.records[Int(key)].keyNumber
            if number == 0 || number != store.records[Int(other)].keyNumber { return false }
        }
        return true
    }
}
