// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The ranges of the values of a document in its OpenStep source.
struct OpenStepSourceMap {
    private var ranges: SourceRanges
    /// A Boolean value that says whether the root's entries have no braces around them, as in
    /// strings files.
    let isStringsFile: Bool

    /// Finds the ends of the values of a parsed document. Linear.
    init(_ store: NodeStore) {
        ranges = SourceRanges(store)
        isStringsFile = Self.isStringsFile(store)
        findEnds(store.bytes.span)
    }

    private static func isStringsFile(_ store: NodeStore) -> Bool {
        guard let root = store.records.first, root.kind == .dictionary else { return false }
        let start = Int(root.offset)
        return start >= store.bytes.count || store.bytes[start] != UInt8(ascii: "{")
    }

    private mutating func findEnds(_ text: Span<UInt8>) {
        var scanner = OpenStepScanner(text, options: .unterminatedComment)
        var open: [Int] = []
        if isStringsFile {
            ranges.end(0, at: text.count)
            ranges.skip(to: 1)
        }
        while (try? scanner.skipBlanks(text)) != nil, let byte = scanner.peek(text) {
            let start = scanner.position
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "("):
                open.append(ranges.record(at: start) ?? 0)
                scanner.position &+= 1
            case UInt8(ascii: "}"), UInt8(ascii: ")"):
                scanner.position &+= 1
                if let record = open.popLast() {
                    ranges.end(record, at: scanner.position)
                }
            case UInt8(ascii: "<"):
                scanner.position = OpenStepAngle.end(at: start, in: text) ?? text.count
                if let record = ranges.record(at: start) {
                    ranges.end(record, at: scanner.position)
                }
            case _ where scanner.isAtString(text):
                guard (try? scanner.skipString(text)) != nil else { return }
                if let record = ranges.record(at: start) {
                    ranges.end(record, at: scanner.position)
                }
            default: scanner.position &+= 1
            }
        }
    }

    /// Returns the range of a value or a key, from its first character to its last.
    func range(of record: UInt32) -> Range<Int> { ranges[record] }

    /// Returns the range between the brackets of a container.
    func contentRange(of record: UInt32) -> Range<Int> {
        let range = range(of: record)
        if isStringsFile, record == 0 { return range }
        return (range.lowerBound + 1)..<max(range.lowerBound + 1, range.upperBound - 1)
    }
}
