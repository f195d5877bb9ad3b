// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// Builds a tree from the events of a value, to compare it with the value.
public struct EventTree: ~Copyable {
    private struct Container {
        let event: PropertyListEvent
        let key: String
        var keys: [String] = []
        var values: [PropertyListValue] = []
    }

    /// The error for events that contradict each other.
    public struct Contradiction: Error {
        let what: String
    }

    private var reader: PropertyListEventReader
    private var open: [Container] = []
    private var root: PropertyListValue?

    /// Returns the tree of the events that `reader` has not yet read.
    public static func value(
        of reader: consuming PropertyListEventReader
    ) throws -> PropertyListValue {
        var tree = EventTree(reader: reader)
        while let event = try tree.reader.next() { try tree.take(event) }
        guard let root = tree.root, tree.open.isEmpty, try tree.reader.next() == nil else {
            throw Contradiction(what: "the events end in the middle")
        }
        return root
    }

    private init(reader: consuming PropertyListEventReader) { self.reader = reader }

    private mutating func take(_ event: PropertyListEvent) throws {
        let key = text { $0.withKey($1) }
        switch event {
        case .array, .set, .dictionary: open.append(Container(event: event, key: key))
        case .end: try close()
        case .null: try add(.null, key)
        case .boolean(let value): try add(.boolean(value), key)
        case .integer(let value): try add(.integer(value), key)
        case .real(let value): try add(.real(value), key)
        case .date(let value): try add(.date(value), key)
        case .uid(let value): try add(.uid(value), key)
        case .string: try add(.string(text { $0.withContent($1) }), key)
        case .data: try add(.data(bytes { $0.withContent($1) }), key)
        case .unreadable: throw Contradiction(what: "a tree has no unreadable values")
        }
        guard reader.depth == open.count else {
            throw Contradiction(what: "depth \(reader.depth), but \(open.count) are open")
        }
    }

    private mutating func close() throws {
        guard let container = open.popLast() else {
            throw Contradiction(what: "an end without a beginning")
        }
        switch container.event {
        case .array(container.values.count):
            try add(.array(PropertyListArray(container.values)), container.key)
        case .set(container.values.count):
            try add(.set(PropertyListArray(container.values)), container.key)
        case .dictionary(container.values.count):
            var entries = PropertyListDictionary()
            for (key, value) in zip(container.keys, container.values) { entries[key] = value }
            try add(.dictionary(entries), container.key)
        default:
            throw Contradiction(what: "\(container.values.count) values in \(container.event)")
        }
    }

    private mutating func add(_ value: PropertyListValue, _ key: String) throws {
        guard let container = open.last else {
            if root != nil { throw Contradiction(what: "two roots") }
            return root = value
        }
        if case .dictionary = container.event {
        } else if !key.isEmpty {
            throw Contradiction(what: "a key in \(container.event)")
        }
        open[open.count - 1].keys.append(key)
        open[open.count - 1].values.append(value)
    }

    private mutating func text(
        _ read: (inout PropertyListEventReader, (Span<UInt8>) -> [UInt8]) -> [UInt8]
    ) -> String {
        String(decoding: bytes(read), as: UTF8.self)
    }

    private mutating func bytes(
        _ read: (inout PropertyListEventReader, (Span<UInt8>) -> [UInt8]) -> [UInt8]
    ) -> [UInt8] {
        read(&reader) { span in span.indices.map { span[$0] } }
    }
}
