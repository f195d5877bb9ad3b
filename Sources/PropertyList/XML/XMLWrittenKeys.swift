// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The elements of keys that have been written, so that a key which many dictionaries have is searched
/// for characters to escape only twice.
struct XMLWrittenKeys {
    private struct State {
        var wasWritten = false
        var start: UInt32 = 0
        // 0 where the element is not kept.
        var count: UInt32 = 0
    }

    /// The elements that are kept, one after the other.
    private(set) var elements: [UInt8] = []
    // By key number.
    private var states: [State]

    /// Prepares for keys with the numbers from 1 to `count`.
    init(count: Int) { states = [State](repeating: State(), count: count &+ 1) }

    /// Where in ``elements`` the element of a key is, from its tag to the end of its line, if it is kept.
    @inline(__always)
    func place(of key: NodeRecord) -> Range<Int>? {
        let state = states[Int(key.keyNumber)]
        return state.count == 0 ? nil : Int(state.start)..<Int(state.start &+ state.count)
    }

    /// Whether a key has been written before; once.
    mutating func isSecond(_ key: NodeRecord) -> Bool {
        defer { states[Int(key.keyNumber)].wasWritten = true }
        return states[Int(key.keyNumber)].wasWritten
    }

    /// Keeps the element of a key.
    mutating func keep(_ element: ArraySlice<UInt8>, of key: NodeRecord) {
        guard elements.count &+ element.count <= Int(UInt32.max) else { return }
        let number = Int(key.keyNumber)
        states[number].start = UInt32(truncatingIfNeeded: elements.count)
        states[number].count = UInt32(truncatingIfNeeded: element.count)
        elements.append(contentsOf: element)
    }
}
