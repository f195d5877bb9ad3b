// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import InlinePropertyList
import TestSupport
import Testing

/// Sample property lists, all but `values` assembled byte by byte.
enum ListSamples {
    static func word(_ number: Int) -> [UInt8] { (0..<8).map { UInt8(number >> (8 * $0) & 255) } }

    static func message(_ root: [UInt8], version: String = "17") -> [UInt8] {
        Array("bplist\(version)".utf8) + root
    }

    /// Returns a container of version 16 or 17 that begins at `place`.
    static func container(_ marker: UInt8, at place: Int, _ children: [UInt8]) -> [UInt8] {
        [marker] + word(place + 8 + children.count) + children
    }

    static func text(_ text: String) -> [UInt8] {
        let length = text.utf8.count + 1
        let head: [UInt8] = length < 15 ? [0x70 | UInt8(length)] : [0x7f, 0x11, UInt8(length)]
        return head + Array(text.utf8) + [0]
    }

    /// The request `ping:withReply:` with one argument and a reply block.
    static let request: [UInt8] = {
        let head = text("ping:withReply:") + text("v32@0:8@16@?24")
        let arguments: [UInt8] = [0x64, 0x66, 0, 0x6f, 0, 0x6f, 0, 0x35, 0, 0xe0]
        return message(
            container(0xa0, at: 8, head + container(0xa0, at: 17 + head.count, arguments)))
    }()

    /// The archive of an empty dictionary.
    static let dictionary: [UInt8] = {
        let first = text("$class") + text("NSDictionary") + text("NS.keys")
        let keys = container(0xa0, at: 17 + first.count, [])
        let second = first + keys + text("NS.objects")
        return message(
            container(0xd0, at: 8, second + container(0xa0, at: 17 + second.count, [])))
    }()

    /// A string and a reference to it.
    static let reference = message(container(0xa0, at: 8, text("key") + [0x81, 17]))

    static func old(_ root: [UInt8]) -> [UInt8] {
        let length = word(22 + root.count)
        return Array("bplist15".utf8) + [0x13] + length.dropLast() + [length[7] ^ 0x80]
            + [0x12, 0, 0, 0, 0] + root
    }

    /// An array with values of each known kind of version 15.
    static let oldKinds = old(
        [0xaf, 0x10, 0x90] + [0x00, 0x08, 0x09, 0x10, 0xb9, 0x10, 0x7f, 0x11, 0x00, 0x81]
            + [0x23, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0] + [0x33, 0, 0, 0, 0, 0, 0, 0, 0]
            + [0x42, 1, 2] + [0x51, 0x61] + [0x7f, 0x10, 0x90] + Array("0123456789abcdef".utf8)
            + [0xb1, 0x00] + [0xc1, 0x09] + [0xd2, 0x71, 0x61, 0x71, 0x62, 0x09, 0x08]
            + [0x72, 0xc3, 0xa9] + [0x22, 0x3f, 0, 0, 0])

    static func values() throws -> [UInt8] {
        var list = InlinePropertyListBuilder(usesVersion16: true)
        try list.beginDictionary()
        try list.append(.ascii("numbers"))
        try list.beginArray()
        for number in [0, 127, 128, 255, 256, 65535, 65536, 4_294_967_295, 4_294_967_296, -1, .min]
            as [Int64]
        {
            try list.append(.integer(number))
        }
        try list.append(.unsigned(.max))
        try list.append(.float(0.5))
        try list.append(.double(-0.0))
        try list.end()
        try list.append(.utf16("Größe 😀"))
        try list.append(.data(Array(repeating: 1, count: 300)))
        try list.append(.null)
        try list.append(.boolean(true))
        try list.append(.null)
        try list.append(.boolean(false))
        try list.end()
        return try list.finish()
    }

    static func all() throws -> [(name: String, bytes: [UInt8])] {
        [
            ("dictionary", dictionary), ("old-kinds", oldKinds), ("reference", reference),
            ("request", request), ("values", try values()),
        ]
    }
}

@Suite("Property lists of versions 15 to 17")
struct InlinePropertyListTests {
    @Test("a request is read with its selector, signature and arguments")
    func request() throws {
        let document = try InlinePropertyListDocument(parsing: ListSamples.request)
        #expect(document.version == .seventeen)
        #expect(document.bytes.count == 73)
        guard case .array(let parts) = document.root.content else {
            Issue.record("no array")
            return
        }
        let nodes = Array(parts)
        guard case .string("ping:withReply:") = nodes[0].content,
            case .string("v32@0:8@16@?24") = nodes[1].content,
            case .array(let arguments) = nodes[2].content,
            case .string("foo5")? = arguments.first?.content
        else {
            Issue.record("other parts")
            return
        }
        #expect(nodes[2].byteRange == 0x36..<0x49)
        #expect(arguments.map(\.byteRange) == [0x3f..<0x48, 0x48..<0x49])
    }

    @Test("rebuilding a message gives the same bytes")
    func building() throws {
        for (name, bytes) in try ListSamples.all() {
            let document = try InlinePropertyListDocument(parsing: bytes)
            try checkInlinePropertyList(bytes)
            guard document.version != .fifteen, name != "reference" else { continue }
            var builder = InlinePropertyListBuilder(usesVersion16: document.version == .sixteen)
            try builder.append(contentsOf: document.root)
            #expect(try builder.finish() == bytes, "\(name)")
        }
    }

    @Test("the fixtures equal the samples, byte for byte")
    func fixtures() throws {
        let samples = try ListSamples.all()
        let files = Corpus.fixtures("inline")
        #expect(files.map(\.name) == samples.map(\.name))
        #expect(files.map(\.bytes) == samples.map(\.bytes))
    }

    @Test("`entries` pairs the keys of a dictionary with their values, in versions 15 and 17")
    func entries() throws {
        let document = try InlinePropertyListDocument(parsing: ListSamples.dictionary)
        let keys = try #require(document.root.entries).map(\.key.content)
        let names = keys.map { if case .string(let text) = $0 { text } else { "" } }
        #expect(names == ["$class", "NS.keys", "NS.objects"])
        let old = try InlinePropertyListDocument(
            parsing: ListSamples.old([0xd2, 0x71, 0x61, 0x71, 0x62, 0x09, 0x08]))
        let values = try #require(old.root.entries).map(\.value.content)
        let flags = values.map { if case .boolean(let flag) = $0 { "\(flag)" } else { "" } }
        #expect(flags == ["true", "false"])
        #expect(try InlinePropertyListDocument(parsing: ListSamples.request).root.entries == nil)
    }

    @Test("integers of fewer than 8 bytes are unsigned in messages, and biased in version 15")
    func integers() throws {
        let lines = InlinePropertyListDump.lines(
            try InlinePropertyListDocument(parsing: ListSamples.message([0x11, 0xb3])))
        #expect(lines == ["INTEGER 179"])
        let old = InlinePropertyListDump.lines(
            try InlinePropertyListDocument(parsing: ListSamples.oldKinds))
        #expect(
            old.filter { $0.hasPrefix("INTEGER") } == ["INTEGER 57", "INTEGER -1", "INTEGER 256"])
        #expect(old.contains("STRING 30313233343536373839616263646566"))
        #expect(old.contains("DOUBLE \((0.5).bitPattern)"))
        #expect(old.contains("FLOAT \((0.5 as Float).bitPattern)"))
    }

    @Test("a reference reads as the value that it refers to, and the builder refuses it")
    func references() throws {
        let document = try InlinePropertyListDocument(parsing: ListSamples.reference)
        guard case .array(let children) = document.root.content else {
            Issue.record("no array")
            return
        }
        let nodes = Array(children)
        #expect(nodes[1].isReference)
        #expect(nodes[1].target == nodes[0])
        #expect(Set(nodes).count == 2)
        guard case .string("key") = nodes[1].content else {
            Issue.record("expected the string `key`, found another value")
            return
        }
        var builder = InlinePropertyListBuilder()
        #expect(throws: InlinePropertyListError.self) {
            try builder.append(contentsOf: document.root)
        }
    }

    static let rows: [(name: String, bytes: [UInt8], code: InlinePropertyListError.Code)] = {
        let message = { (root: [UInt8]) in ListSamples.message(root) }
        func array(_ children: [UInt8]) -> [UInt8] {
            message(ListSamples.container(0xa0, at: 8, children))
        }
        func dictionary(_ children: [UInt8]) -> [UInt8] {
            message(ListSamples.container(0xd0, at: 8, children))
        }
        let old = ListSamples.old
        return [
            ("nothing", [], .unrecognizedFormat),
            ("version 14", Array("bplist14".utf8) + [0xe0], .unrecognizedFormat),
            ("no root", message([]), .truncated),
            ("two roots", message([0xe0, 0xe0]), .trailingData),
            ("an unknown marker", message([0x90]), .invalidMarker),
            ("an array with a count", message([0xa1]), .invalidMarker),
            (
                "an integer of 15 bytes", message([0x1f] + [UInt8](repeating: 0, count: 15)),
                .invalidMarker
            ),
            ("a date", message([0x33, 0, 0, 0, 0, 0, 0, 0, 0]), .invalidMarker),
            (
                "a reference in version 16", ListSamples.message([0x81, 8], version: "16"),
                .invalidMarker
            ),
            ("an integer cut short", message([0x18, 1]), .invalidLength),
            ("data beyond the end", message([0x44, 1]), .invalidLength),
            (
                "data of 2⁶⁴−1 bytes", message([0x4f, 0x18] + [UInt8](repeating: 255, count: 8)),
                .invalidLength
            ),
            (
                "text of 2⁶³−1 units", message([0x6f, 0x18] + ListSamples.word(.max)),
                .invalidLength
            ),
            ("a length that is not an integer", message([0x4f, 0xe0]), .invalidLength),
            ("a container cut short", message([0xa0, 16, 0]), .truncated),
            ("an end in the header", message([0xa0] + ListSamples.word(15)), .invalidEnd),
            ("an end beyond the file", message([0xa0] + ListSamples.word(17)), .invalidEnd),
            ("an end of 2⁶⁴−1", message([0xa0] + [UInt8](repeating: 255, count: 8)), .invalidEnd),
            ("a child beyond its container", array([0xa0] + ListSamples.word(30)), .invalidEnd),
            ("text beyond its container", array([0x64, 1]), .invalidLength),
            ("text without NUL", message([0x71, 0x61]), .invalidString),
            ("text with two NULs", message([0x73, 0x61, 0, 0]), .invalidString),
            ("text of no bytes", message([0x70]), .invalidString),
            ("text that is not ASCII", message([0x72, 0x80, 0]), .invalidString),
            ("an unpaired surrogate", message([0x61, 0x3d, 0xd8]), .invalidString),
            ("a key without a value", dictionary(ListSamples.text("k")), .invalidKey),
            ("a number as a key", dictionary([0x11, 1, 0xe0]), .invalidKey),
            (
                "an array as a key", dictionary(ListSamples.container(0xa0, at: 17, []) + [0xe0]),
                .invalidKey
            ),
            (
                "a key twice",
                dictionary(ListSamples.text("k") + [0xe0] + ListSamples.text("k") + [0xe0]),
                .duplicateKey
            ),
            (
                "a key twice, in two encodings",
                dictionary(ListSamples.text("k") + [0xe0, 0x61, 0x6b, 0, 0xe0]), .duplicateKey
            ),
            (
                "a key twice, by reference",
                dictionary(ListSamples.text("k") + [0xe0, 0x81, 17, 0xe0]),
                .duplicateKey
            ),
            ("a reference to the header", array([0x81, 0]), .invalidReference),
            ("a reference to itself", array([0x81, 17]), .invalidReference),
            ("a forward reference", array([0x81, 19, 0xe0]), .invalidReference),
            ("a reference to the container around it", array([0x81, 8]), .invalidReference),
            ("a reference into a value", array([0x12, 0, 0, 0x81, 18]), .invalidReference),
            ("a reference to a reference", array([0xe0, 0x81, 17, 0x81, 18]), .invalidReference),
            ("a reference cut short", array([0xe0, 0x84, 17]), .truncated),
            ("version 15 without a length", Array("bplist15".utf8) + [0], .invalidHeader),
            (
                "version 15 with a length beyond the end", old([0x00, 0x00]).dropLast(1) + [],
                .invalidHeader
            ),
            ("version 15 cut off after its header", old([0x00]).dropLast(1) + [], .truncated),
            (
                "version 15 with a negative length",
                Array("bplist15".utf8) + [0x13, 23, 0, 0, 0, 0, 0, 0, 0, 0x12, 0, 0, 0, 0, 0],
                .invalidHeader
            ),
            ("version 15 with a second root", old([0x00, 0x00]), .trailingData),
            ("version 15 with bytes after its length", old([0x00]) + [1], .trailingData),
            ("version 15 with text of unknown byte order", old([0x61, 0x61, 0]), .invalidMarker),
            ("version 15 with more elements than bytes", old([0xa9, 0x00]), .invalidLength),
            ("version 15 with half a dictionary", old([0xd1, 0x71, 0x61]), .truncated),
            ("version 15 with a negative count", old([0xaf, 0x10, 0x7f]), .invalidLength),
            (
                "version 15 with a key twice", old([0xd2, 0x71, 0x61, 0x71, 0x61, 0, 0]),
                .duplicateKey
            ),
        ]
    }()

    @Test("hostile property lists are refused with their error code", arguments: rows.indices)
    func isRefused(_ index: Int) throws {
        let row = Self.rows[index]
        let error = #expect(throws: InlinePropertyListError.self, "\(row.name)") {
            try InlinePropertyListDocument(parsing: row.bytes)
        }
        #expect(error?.code == row.code, "\(row.name): \(error?.description ?? "")")
        try checkInlinePropertyList(row.bytes)
    }

    @Test("nesting and size are limited")
    func limits() throws {
        func nested(_ depth: Int) throws -> [UInt8] {
            var list = InlinePropertyListBuilder()
            for _ in 0..<depth { try list.beginArray() }
            for _ in 0..<depth { try list.end() }
            return try list.finish()
        }
        #expect(try InlinePropertyListDocument(parsing: nested(512)).nodeCount == 512)
        let deep = try nested(513)
        let error = #expect(throws: InlinePropertyListError.self) {
            try InlinePropertyListDocument(parsing: deep)
        }
        #expect(error?.code == .depthLimitExceeded)
        #expect(error?.isLimit == true)
        #expect(error?.path.count == 512)
        let huge = try InlinePropertyListDocument(parsing: nested(100_000), limits: .trusted)
        #expect(InlinePropertyListDump.lines(huge).count == 200_000)
        let long = #expect(throws: InlinePropertyListError.self) {
            try InlinePropertyListDocument(
                parsing: ListSamples.request, limits: .init(depth: 1, inputSize: 72))
        }
        #expect(long?.code == .sizeLimitExceeded)
    }

    @Test("the builder refuses values that cannot be written")
    func refusals() throws {
        var list = InlinePropertyListBuilder()
        #expect(throws: InlinePropertyListError.self) { try list.finish() }
        #expect(throws: InlinePropertyListError.self) { try list.end() }
        try list.beginDictionary()
        #expect(throws: InlinePropertyListError.self) { try list.finish() }
        #expect(throws: InlinePropertyListError.self) { try list.append(.integer(1)) }
        #expect(throws: InlinePropertyListError.self) { try list.beginArray() }
        try list.append(.null)
        try list.append(.integer(1))
        try list.end()
        #expect(throws: InlinePropertyListError.self) { try list.append(.null) }
        #expect(try InlinePropertyListDocument(parsing: list.finish()).nodeCount == 3)
        var text = InlinePropertyListBuilder()
        #expect(throws: InlinePropertyListError.self) { try text.append(.ascii("é")) }
    }

    @Test("a refused call leaves the property list as it was")
    func refusedCalls() throws {
        let document = try InlinePropertyListDocument(parsing: ListSamples.reference)
        var list = InlinePropertyListBuilder()
        try list.beginDictionary()
        #expect(throws: InlinePropertyListError.self) { try list.append(.ascii("é")) }
        #expect(throws: InlinePropertyListError.self) { try list.append(.integer(1)) }
        try list.append(.ascii("key"))
        #expect(throws: InlinePropertyListError.self) { try list.end() }
        #expect(throws: InlinePropertyListError.self) {
            try list.append(contentsOf: document.root)
        }
        try list.append(.boolean(true))
        try list.end()
        let content = ListSamples.text("key") + [0xb0]
        #expect(
            try list.finish() == ListSamples.message(ListSamples.container(0xd0, at: 8, content)))
    }

    @Test("an error has the path to its location")
    func path() {
        let bytes = ListSamples.message(
            ListSamples.container(
                0xa0, at: 8, [0xe0] + ListSamples.container(0xa0, at: 18, [0xe0, 0xe0, 0x99])))
        let error = #expect(throws: InlinePropertyListError.self) {
            try InlinePropertyListDocument(parsing: bytes[...])
        }
        #expect(
            error?.description
                == "bplist15–17: expected the marker of a value in version 17, found 0x99 at byte 29, in [1][2]"
        )
    }

    @Test("the path of an error about a string or a key ends with its index")
    func childPaths() {
        let rows: [([UInt8], [Int])] = [
            (ListSamples.container(0xa0, at: 8, [0xe0, 0x71, 0x61]), [1]),
            ([0x71, 0x61], []),
            (
                ListSamples.container(
                    0xd0, at: 8, ListSamples.text("k") + [0xe0] + ListSamples.text("k") + [0xe0]),
                [2]
            ),
            (
                ListSamples.container(0xd0, at: 8, ListSamples.text("k") + [0xe0, 0x11, 1, 0xe0]),
                [2]
            ),
        ]
        for (root, path) in rows {
            let error = #expect(throws: InlinePropertyListError.self) {
                try InlinePropertyListDocument(parsing: ListSamples.message(root))
            }
            #expect(error?.path == path, "\(error?.description ?? "")")
        }
    }

    @Test("a version 15 property list may be padded with zeros, and the builder refuses its values")
    func padding() throws {
        #expect(
            try InlinePropertyListDocument(parsing: ListSamples.oldKinds + [0, 0]).nodeCount > 10)
        var builder = InlinePropertyListBuilder()
        let old = try InlinePropertyListDocument(parsing: ListSamples.oldKinds)
        #expect(throws: InlinePropertyListError.self) { try builder.append(contentsOf: old.root) }
    }

    @Test("every prefix is refused, and a changed byte never violates a property of the reader")
    func changes() throws {
        for (_, sample) in try ListSamples.all() {
            for place in Exhaustive.sample(sample.indices, oneIn: 4) {
                #expect(throws: InlinePropertyListError.self) {
                    try InlinePropertyListDocument(parsing: Array(sample.prefix(place)))
                }
                for change in [0xff, 1, 0x80, 0x0f, 0xf0] as [UInt8] {
                    var bytes = sample
                    bytes[place] ^= change
                    try checkInlinePropertyList(bytes)
                }
            }
        }
    }
}
