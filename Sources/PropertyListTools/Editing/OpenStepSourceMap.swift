// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// Where the values of a document's source in OpenStep text end.
struct OpenStepSourceMap {
    private let store: NodeStore
    // By record.
    private var ends: [UInt32]
    /// Whether the root's entries stand without braces.
    let isStringsFile: Bool

    /// Finds the ends of the values of a document that was read. Linear.
    init(_ store: NodeStore) {
        self.store = store
        ends = [UInt32](repeating: 0, count: store.records.count)
        isStringsFile = Self.isStringsFile(store)
        findEnds(store.bytes.span)
    }

    private static func isStringsFile(_ store: NodeStore) -> Bool {
        guard let root = store.records.first, root.kind == .dictionary else { return false }
        let start = Int(root.offset)
        return start >= store.bytes.count || store.bytes[start] != UInt8(ascii: "{")
    }

    /// Values of a text begin in the order of their records.
    private mutating func findEnds(_ text: Span<UInt8>) {
        var scanner = OpenStepScanner(text, options: .unendedComment)
        var open: [Int] = []
        var next = 0
        if isStringsFile {
            ends[0] = UInt32(truncatingIfNeeded: text.count)
            next = 1
        }
        while (try? scanner.skipBlanks(text)) != nil, let byte = scanner.peek(text) {
            let start = scanner.position
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "("):
                open.append(record(at: start, from: &next) ?? 0)
                scanner.position &+= 1
            case UInt8(ascii: "}"), UInt8(ascii: ")"):
                scanner.position &+= 1
                if let record = open.popLast() { end(record, scanner.position) }
            case UInt8(ascii: "<"):
                scanner.position = OpenStepAngle.end(at: start, in: text) ?? text.count
                if let record = record(at: start, from: &next) { end(record, scanner.position) }
            case _ where scanner.isAtString(text):
                guard (try? scanner.skipString(text)) != nil else { return }
                if let record = record(at: start, from: &next) { end(record, scanner.position) }
            default: scanner.position &+= 1
            }
        }
    }

    private mutating func end(_ record: Int, _ place: Int) {
        ends[record] = UInt32(truncatingIfNeeded: place)
    }

    private func record(at place: Int, from next: inout Int) -> Int? {
        while next < store.records.count, Int(store.records[next].offset) < place { next &+= 1 }
        guard next < store.records.count, Int(store.records[next].offset) == place else {
            return nil
        }
        next &+= 1
        return next &- 1
    }

    /// A value or a key, from its first character to its last.
    func range(of record: UInt32) -> Range<Int> {
        let start = Int(store.records[Int(record)].offset)
        return start..<max(start, Int(ends[Int(record)]))
    }

    /// What stands between the brackets of a container.
    func contentRange(of record: UInt32) -> Range<Int> {
        let range = range(of: record)
        if isStringsFile, record == 0 { return range }
        return (range.lowerBound + 1)..<max(range.lowerBound + 1, range.upperBound - 1)
    }
}
