// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The elements of keys that have been written, so that a key of many dictionaries is searched for characters to
/// escape only twice.
///
/// They are by key and not by shape: a value comes between a key and the next, so each element is copied alone.
struct XMLWrittenKeys {
    private struct State {
        var wasWritten = false
        var start: UInt32 = 0
        // 0 where the element is not kept.
        var count: UInt32 = 0
    }

    /// The elements that are kept, one after the other, and then the last one that is not.
    private(set) var elements: [UInt8] = []
    private var keptCount = 0
    // By key number.
    private var states: [State]

    /// Prepares for keys with the numbers from 1 to `count`.
    init(count: Int) { states = [State](repeating: State(), count: count &+ 1) }

    /// Where in ``elements`` the element of a key is, from its tag to the end of its line, if it is
    /// kept.
    @inline(__always)
    func place(of key: NodeRecord) -> Range<Int>? {
        let state = states[Int(key.keyNumber)]
        return state.count == 0 ? nil : Int(state.start)..<Int(state.start &+ state.count)
    }

    /// Writes the element of a key whose text is `text`, and keeps it, from the second time on, where
    /// it may be kept; others are there until the next one.
    mutating func write(
        _ text: [UInt8], _ tags: XMLLines.Tags, of key: NodeRecord, isKept: Bool
    ) -> Range<Int> {
        elements.removeLast(elements.count &- keptCount)
        elements.append(tags.open)
        XMLEscaping.append(text.span, to: &elements)
        elements.append(tags.close)
        let place = keptCount..<elements.count
        let number = Int(key.keyNumber)
        if isKept, states[number].wasWritten, elements.count <= UInt32.max {
            states[number].start = UInt32(truncatingIfNeeded: place.lowerBound)
            states[number].count = UInt32(truncatingIfNeeded: place.count)
            keptCount = elements.count
        }
        states[number].wasWritten = true
        return place
    }
}
