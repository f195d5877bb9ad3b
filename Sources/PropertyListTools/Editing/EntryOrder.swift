// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The order of the entries of a dictionary. Entries have positions, numbered from 0 in the order
/// in which they were added.
///
/// Allocates nothing as long as no entry is inserted before another and none is removed.
struct EntryOrder: Sendable {
    private static let none = UInt32.max

    // For each position: the position that follows. Empty while each position is followed by the
    // next higher one.
    private var next: [UInt32] = []
    private var first: UInt32 = 0
    private var last: UInt32 = 0
    // For each position: whether it was removed. Empty until one is removed.
    private var isRemoved: [Bool] = []
    // The number of positions, including removed ones.
    private var count: Int

    /// Creates the order `0..<count`.
    init(count: Int = 0) { self.count = count }

    /// The positions in order. Linear.
    var all: LivePositions {
        if next.isEmpty, isRemoved.isEmpty { return LivePositions(count: count) }
        let order = next.isEmpty ? (0..<count).map(Self.number) : linked
        return LivePositions(isRemoved.isEmpty ? order : order.filter { !isRemoved[Int($0)] })
    }

    private var linked: [UInt32] {
        var order: [UInt32] = []
        var position = first
        while position != Self.none {
            order.append(position)
            position = next[Int(position)]
        }
        return order
    }

    /// Adds a position, and inserts it after `previous` or at the end.
    mutating func insert(after previous: Int?) {
        let isAtEnd = previous.map { $0 == count &- 1 } ?? true
        if next.isEmpty, !isAtEnd { link() }
        if !next.isEmpty { insert(after: previous.map(Self.number) ?? last) }
        if !isRemoved.isEmpty { isRemoved.append(false) }
        count &+= 1
    }

    private mutating func insert(after previous: UInt32) {
        let new = Self.number(count)
        next.append(next[Int(previous)])
        next[Int(previous)] = new
        if previous == last { last = new }
    }

    /// Removes a position.
    mutating func remove(_ position: Int) {
        if isRemoved.isEmpty { isRemoved = Array(repeating: false, count: count) }
        isRemoved[position] = true
    }

    private mutating func link() {
        next = (1..<count).map(Self.number) + [Self.none]
        last = Self.number(count &- 1)
    }

    private static func number(_ position: Int) -> UInt32 { UInt32(truncatingIfNeeded: position) }
}
