// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A cache of the elements of written keys. A key that occurs in many dictionaries is scanned at
/// most twice for characters to escape. A key that loses information is not cached, so that each
/// loss is counted.
///
/// The cache holds single keys rather than key lists, because a value separates each key from the
/// next.
struct XMLWrittenKeys {
    private struct State {
        var wasWritten = false
        var start: UInt32 = 0
        // 0 if the element is not cached.
        var count: UInt32 = 0
    }

    /// The cached elements, followed by the last written element if it is not cached.
    private(set) var elements: [UInt8] = []
    private var keptCount = 0
    // By key number.
    private var states: [State]

    /// Creates a cache for keys with the numbers from 1 to `count`.
    init(count: Int) { states = [State](repeating: State(), count: count &+ 1) }

    /// Returns the range of a key's element in ``elements``, including the line end, or nil if it
    /// is not cached.
    @inline(__always)
    func place(of key: NodeRecord) -> Range<Int>? {
        let state = states[Int(key.keyNumber)]
        return state.count == 0 ? nil : Int(state.start)..<Int(state.start &+ state.count)
    }

    /// Writes the element of a key with the text `text`, and returns its range. If `isKept` is
    /// true, the element is cached from its second occurrence on. The range of an element that is
    /// not cached is valid until the next call.
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
