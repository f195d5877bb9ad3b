// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The ranges of the elements in a document's XML source.
struct XMLSourceMap {
    private var ranges: SourceRanges

    /// Finds the ends of the elements of a parsed document. Linear.
    init(_ store: NodeStore) {
        ranges = SourceRanges(store)
        findEnds(store.bytes.span)
    }

    private mutating func findEnds(_ text: Span<UInt8>) {
        // The records of the open elements. An element without a record, such as `<plist>`, is nil.
        var open: [Int?] = []
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
                record = ranges.record(at: place)
                if text[close &- 1] != UInt8(ascii: "/") {
                    open.append(record)
                    continue
                }
            }
            if let record { ranges.end(record, at: index) }
            if open.isEmpty { return }
        }
    }

    /// Returns the range of the element of a value or a key, from its first `<` to its last `>`.
    func range(of record: UInt32) -> Range<Int> { ranges[record] }

    /// Returns the range between the tags of a container, or nil if the container is one empty tag.
    func contentRange(of record: UInt32) -> Range<Int>? {
        let range = range(of: record)
        let text = ranges.store.bytes.span
        let mark = UInt8(ascii: ">")
        guard let open = text.firstIndex(of: mark, or: mark, in: range),
            text[open &- 1] != UInt8(ascii: "/"),
            let close = text.lastIndex(of: UInt8(ascii: "<"), in: range), close > open
        else { return nil }
        return open &+ 1..<close
    }
}
