// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A cache for strings that a document stores once and refers to often. It saves validating and
/// copying the text for each reference.
///
/// The cache is direct-mapped: each node maps to one slot, which it shares with other nodes. The
/// first request claims the slot. The second stores the string, unless another node has claimed the
/// slot in between.
struct SharedTexts {
    private static let count = 512
    private static let free = UInt32.max

    private struct Slot {
        var node = SharedTexts.free
        var text = ""
    }

    private var slots = [Slot](repeating: Slot(), count: SharedTexts.count)

    /// Returns the text of a node. Calls `make` if the text is not cached.
    @inline(__always)
    mutating func text(of node: UInt32, _ make: () -> String) -> String {
        let place = Int(node) & (Self.count &- 1)
        guard slots[place].node == node else {
            slots[place] = Slot(node: node)
            return make()
        }
        if slots[place].text.isEmpty { slots[place].text = make() }
        return slots[place].text
    }
}
