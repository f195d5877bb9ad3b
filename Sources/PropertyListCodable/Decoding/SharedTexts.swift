// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The texts of strings that a document holds once and refers to often, so that not each reference costs
/// a check of the text and a copy of it.
///
/// A text has one slot where it may be, and is kept there when it is asked for the second time.
struct SharedTexts {
    private static let count = 512
    private static let free = UInt32.max

    private struct Slot {
        var node = SharedTexts.free
        var text = ""
    }

    private var slots = [Slot](repeating: Slot(), count: SharedTexts.count)

    /// The text of a node, made by `make` unless it is here.
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
