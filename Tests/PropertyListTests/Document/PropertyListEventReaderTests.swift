// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("Events of a property list")
struct PropertyListEventReaderTests {
    private static let sample: PropertyListValue = [
        "text": "hé", "list": [1, 2.5, true, []], "bytes": .data([1, 2]), "nothing": [:],
        "last": .uid(3),
    ]

    /// An event with its path and content.
    private struct EventRecord: Equatable {
        let event: PropertyListEvent
        let path: String
        var key: String?
        var content = ""
    }

    private func records(_ document: PropertyListDocument) throws -> [EventRecord] {
        var reader = PropertyListEventReader(document.root)
        var records: [EventRecord] = []
        while let event = try reader.next() {
            let key = reader.withKey { String(decoding: bytes($0), as: UTF8.self) }
            #expect(reader.keyNode?.string ?? "" == key)
            let content = reader.withContent { String(decoding: bytes($0), as: UTF8.self) }
            records.append(
                EventRecord(
                    event: event, path: "\(reader.path)", key: reader.keyNode?.string,
                    content: content))
        }
        return records
    }

    private func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }

    @Test("events come in source order, each with its key, content and path")
    func order() throws {
        let expected = [
            EventRecord(event: .dictionary(count: 5), path: ""),
            EventRecord(event: .string, path: "text", key: "text", content: "hé"),
            EventRecord(event: .array(count: 4), path: "list", key: "list"),
            EventRecord(event: .integer(1), path: "list[0]"),
            EventRecord(event: .real(2.5), path: "list[1]"),
            EventRecord(event: .boolean(true), path: "list[2]"),
            EventRecord(event: .array(count: 0), path: "list[3]"),
            EventRecord(event: .end, path: "list[3]"),
            EventRecord(event: .end, path: "list"),
            EventRecord(event: .data, path: "bytes", key: "bytes", content: "\u{1}\u{2}"),
            EventRecord(event: .dictionary(count: 0), path: "nothing", key: "nothing"),
            EventRecord(event: .end, path: "nothing"),
            EventRecord(event: .uid(3), path: "last", key: "last"),
            EventRecord(event: .end, path: ""),
        ]
        let built = try PropertyListDocument(Self.sample)
        #expect(try records(built) == expected)
        let read = try PropertyListDocument(parsing: BinaryPropertyList.serialize(built))
        #expect(try records(read) == expected)
    }

    @Test("a leaf is a single event")
    func leaf() throws {
        for (value, event): (PropertyListValue, PropertyListEvent) in [
            (.null, .null), ("a", .string), (.data([]), .data), (-1, .integer(-1)),
            (.date(PropertyListDate(secondsSince2001: 5)), .date(.init(secondsSince2001: 5))),
        ] {
            var reader = PropertyListEventReader(try PropertyListDocument(value).root)
            #expect(reader.depth == 0 && reader.node.kind == value.kind)
            #expect(try reader.next() == event)
            #expect(try reader.next() == nil && reader.depth == 0)
        }
    }

    @Test("events describe the same tree as the value", arguments: [1, 2, 3] as [UInt64])
    func trees(_ seed: UInt64) throws {
        var source = RandomPropertyList(seed: seed)
        for round in 0..<200 {
            let value = source.value()
            let document = try PropertyListDocument(value)
            #expect(
                try EventTree.value(of: PropertyListEventReader(document.root)) == value,
                "seed \(seed), round \(round)")
            let read = try PropertyListDocument(parsing: BinaryPropertyList.serialize(document))
            #expect(
                try EventTree.value(of: PropertyListEventReader(read.root)) == value,
                "seed \(seed), round \(round), read")
        }
    }

    @Test("each leaf in a long run gives one event")
    func manyLeaves() throws {
        let value = PropertyListValue.array(
            PropertyListArray((0..<1000).map { $0 % 100 == 99 ? [] : .integer(.init($0)) }))
        let document = try PropertyListDocument(value)
        #expect(try EventTree.value(of: PropertyListEventReader(document.root)) == value)
        let paths = try records(document).filter { $0.event != .end }.map(\.path)
        #expect(paths == [""] + (0..<1000).map { "[\($0)]" })
    }

    @Test("key text is empty if the key is not a string, and unreadable values have an event")
    func odd() throws {
        let file = BinaryAssembler([.dictionary([1], [2]), .integer(7), .raw([0x70])])
        var reader = PropertyListEventReader(
            try parsed(file, options: [.nonStringKeys, .salvage]).root)
        #expect(try reader.next() == .dictionary(count: 1))
        #expect(try reader.next() == .unreadable)
        #expect(reader.keyNode?.integer == 7)
        #expect(reader.path.description == "[0]")
        #expect(reader.withKey { $0.count } == 0 && reader.withContent { $0.count } == 0)
        #expect(try reader.next() == .end)
        #expect(reader.keyNode == nil)
    }

    @Test("reading events stops at the limits on depth and expansion, and does not recurse")
    func limits() throws {
        var value: PropertyListValue = []
        for _ in 0..<200 { value = [value] }
        let deep = try PropertyListDocument(value)
        var shallow = ParsingLimits.default
        shallow.depth = 100
        var reader = PropertyListEventReader(deep.root, limits: shallow)
        #expect { while try reader.next() != nil {} } throws: {
            ($0 as? PropertyListError)?.code == .depthLimitExceeded
        }
        // Twenty arrays, each of which contains the next one twice.
        let levels = (0..<20).map {
            BinaryAssembler.Object.array([UInt64($0) + 1, UInt64($0) + 1])
        }
        let bomb = try parsed(BinaryAssembler(levels + [.null]))
        var few = ParsingLimits.default
        few.expansion = .init(factor: 1, base: 1000)
        reader = PropertyListEventReader(bomb.root, limits: few)
        #expect { while try reader.next() != nil {} } throws: {
            ($0 as? PropertyListError)?.code == .expansionLimitExceeded
        }
        let text = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let deepest = try JSONPropertyList.parse(
            Array(text.utf8), mapping: .strict, limits: .trusted)
        reader = PropertyListEventReader(deepest.root, limits: .trusted)
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(count == 200_000)
    }

    @Test("long UTF-16 text with many references is decoded only once")
    func sharedText() throws {
        let units = Array(repeating: UInt16(0xE9), count: 50_000)
        let file = BinaryAssembler(
            [.array(Array(repeating: 1, count: 20_000)), .utf16(units)], offsetWidth: 4)
        var events = PropertyListEventReader(try PropertyListDocument(parsing: file.bytes).root)
        var size = 0
        while let event = try events.next() {
            if event == .string { size += events.withContent { $0.count } }
        }
        // Decoding the text at each reference would take minutes.
        #expect(size == 20_000 * 100_000)
    }
}
