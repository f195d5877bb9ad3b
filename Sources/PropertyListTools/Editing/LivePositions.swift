// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The positions of a container's children, in order. While that is the order in which they came, nothing
/// is allocated.
struct LivePositions: RandomAccessCollection {
    // Empty where the positions are the numbers from 0.
    private let list: [UInt32]
    let startIndex = 0
    let endIndex: Int

    /// The numbers from 0 to below `count`.
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
