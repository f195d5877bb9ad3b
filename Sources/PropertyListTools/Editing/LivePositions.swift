// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The positions of a container's children, in order. Allocates nothing while the children are in
/// the order in which they were added and none is removed.
struct LivePositions: RandomAccessCollection {
    // Empty if the positions are `0..<endIndex`.
    private let list: [UInt32]
    let startIndex = 0
    let endIndex: Int

    /// Creates the positions `0..<count`.
    init(count: Int) {
        list = []
        endIndex = count
    }

    init(_ list: [UInt32]) {
        self.list = list
        endIndex = list.count
    }

    subscript(index: Int) -> Int { list.isEmpty ? index : Int(list[index]) }
}
