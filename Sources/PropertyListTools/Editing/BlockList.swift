// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A list of numbers that is stored in blocks. An insertion or removal moves only the rest of one
/// block, not the rest of the list.
///
/// The list starts as `0..<count` without blocks. Appending the next number, `count`, needs none
/// either. Any other change allocates them.
struct BlockList: Sendable {
    private static let blockSize = 1024

    // Empty until the list first changes other than by appending `count`.
    private var blocks: [[UInt32]] = []
    // The length of each block, stored contiguously for a fast search.
    private var lengths: [Int] = []
    /// The length of the list.
    private(set) var count: Int

    /// Creates the list `0..<count`.
    init(count: Int = 0) { self.count = count }

    private mutating func makeBlocks() {
        guard blocks.isEmpty else { return }
        for start in stride(from: 0, to: max(count, 1), by: Self.blockSize) {
            let end = min(start &+ Self.blockSize, count)
            blocks.append((start..<end).map { UInt32(truncatingIfNeeded: $0) })
            lengths.append(end &- start)
        }
    }

    /// The number at `index`. Linear in the number of blocks.
    ///
    /// - Precondition: `index` is below `count`.
    subscript(index: Int) -> Int {
        if blocks.isEmpty { return index }
        let place = place(of: index)
        return Int(blocks[place.block][place.offset])
    }

    /// The numbers in order. Linear.
    var all: LivePositions {
        blocks.isEmpty ? LivePositions(count: count) : LivePositions(blocks.flatMap(\.self))
    }

    /// Inserts a number before the one at `index`, or at the end.
    mutating func insert(_ number: Int, at index: Int) {
        if blocks.isEmpty, index == count, number == count {
            count &+= 1
            return
        }
        makeBlocks()
        let place = place(of: index)
        blocks[place.block].insert(UInt32(truncatingIfNeeded: number), at: place.offset)
        lengths[place.block] &+= 1
        count &+= 1
        if lengths[place.block] > 2 &* Self.blockSize { split(place.block) }
    }

    /// Removes the number at `index` and returns it.
    mutating func remove(at index: Int) -> Int {
        makeBlocks()
        let place = place(of: index)
        let number = blocks[place.block].remove(at: place.offset)
        lengths[place.block] &-= 1
        count &-= 1
        return Int(number)
    }

    private mutating func split(_ block: Int) {
        let half = lengths[block] / 2
        blocks.insert(Array(blocks[block][half...]), at: block &+ 1)
        blocks[block].removeSubrange(half...)
        lengths.insert(lengths[block] &- half, at: block &+ 1)
        lengths[block] = half
    }

    /// Returns the block that contains `index` and the offset in that block. For the end of the
    /// list, returns the end of the last block.
    private func place(of index: Int) -> (block: Int, offset: Int) {
        var offset = index
        var block = 0
        while offset >= lengths[block], block &+ 1 < lengths.count {
            offset &-= lengths[block]
            block &+= 1
        }
        return (block, offset)
    }
}
