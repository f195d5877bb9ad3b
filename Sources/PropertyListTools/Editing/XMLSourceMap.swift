// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// Where the elements of a document's source begin and end.
struct XMLSourceMap {
    private let store: NodeStore
    // By record.
    private var ends: [UInt32]

    /// Finds the tags of a document that was read. Linear.
    init(_ store: NodeStore) {
        self.store = store
        ends = [UInt32](repeating: 0, count: store.records.count)
        findEnds(store.bytes.span)
    }

    private mutating func findEnds(_ text: Span<UInt8>) {
        // Records are in the order of their tags; `<plist>` has none.
        var open: [Int?] = []
        var next = 0
        var index = 0
        let bracket = UInt8(ascii: "<")
        while let place = text.firstIndex(of: bracket, or: bracket, in: index..<text.count) {
            index = XMLStructure.end(ofMarkupAt: place, text)
            guard index == place &+ 1 else { continue }
            let mark = UInt8(ascii: ">")
            guard let close = text.firstIndex(of: mark, or: mark, in: index..<text.count) else {
                return
            }
            index = close &+ 1
            var record: Int?
            if text.has("</", at: place) {
                record = open.popLast() ?? nil
            } else {
                record = recordNumber(at: place, from: &next)
                if text[close &- 1] != UInt8(ascii: "/") {
                    open.append(record)
                    continue
                }
            }
            if let record { ends[record] = UInt32(truncatingIfNeeded: index) }
            if open.isEmpty { return }
        }
    }

    private func recordNumber(at place: Int, from next: inout Int) -> Int? {
        while next < store.records.count, Int(store.records[next].offset) < place { next &+= 1 }
        guard next < store.records.count, Int(store.records[next].offset) == place else {
            return nil
        }
        next &+= 1
        return next &- 1
    }

    /// The element of a value or a key, from its first `<` to its last `>`.
    func range(of record: UInt32) -> Range<Int> {
        let start = Int(store.records[Int(record)].offset)
        return start..<max(start, Int(ends[Int(record)]))
    }

    /// What stands between the tags of a container; nil where it is one empty tag.
    func contentRange(of record: UInt32) -> Range<Int>? {
        let range = range(of: record)
        let text = store.bytes.span
        let mark = UInt8(ascii: ">")
        guard let open = text.firstIndex(of: mark, or: mark, in: range),
            text[open &- 1] != UInt8(ascii: "/"),
            let close = text.lastIndex(of: UInt8(ascii: "<"), in: range), close > open
        else { return nil }
        return open &+ 1..<close
    }
}
