// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import Testing
import TypedStream

@Suite("Reading typedstreams")
struct TypedStreamReadingTests {
    @Test("an archived number is read with its classes, type and location")
    func number() throws {
        let bytes = Raw.stream(
            Raw.new("@"), [0x84], [0x84], Raw.new("NSNumber"), [0x00], [0x84], Raw.new("NSValue"),
            [0x00], Raw.root, Raw.new("*"), [0x84], Raw.new("i"), [Raw.reference(5), 42, 0x86])
        let document = try TypedStreamDocument(parsing: bytes)
        #expect(document.streamerVersion == 4)
        #expect(document.systemVersion == 1000)
        #expect(document.byteOrder == .littleEndian)
        let root = try #require(document.root)
        #expect(root.number == 0)
        #expect(root.class.chain.map(\.name) == ["NSNumber", "NSValue", "NSObject"])
        #expect(root.class.chain.map(\.number) == [1, 2, 3])
        #expect(root.byteRange == 19..<bytes.count)
        let groups = Array(root.groups)
        #expect(groups.map { $0.encoding?.text } == ["*", "i"])
        #expect(groups.map { $0.encoding?.number } == [4, 5])
        let values = groups.flatMap { Array($0.values) }
        #expect(values.map(\.typeCode) == ["*", "i"])
        guard case .cString(let type) = values[0].content, case .integer(42) = values[1].content
        else {
            Issue.record("other values")
            return
        }
        #expect(type.number == 5)
        #expect(bytes[values[1].byteRange] == [42])
        #expect(
            document.sharedStrings.map(\.text) == [
                "@", "NSNumber", "NSValue", "NSObject", "*", "i",
            ])
        #expect(document.classes.map(\.version) == [0, 0, 0])
    }

    @Test("strings and classes have their byte ranges and versions")
    func names() throws {
        let bytes = try Samples.shared()
        let document = try TypedStreamDocument(parsing: bytes[...])
        let long = try #require(document.classes.first)
        #expect(long.version == -5_000_000_000)
        #expect(long.sharedName.description == String(repeating: "Ä", count: 200))
        // A tag, the name with its tag and length, and a version of 9 bytes.
        #expect(long.byteRange.count == 1 + 4 + 400 + 9)
        #expect(long.superclass?.name == "NSObject")
        #expect(long.superclass?.superclass == nil)
        #expect(document.sharedStrings.map(\.byteRange.lowerBound) == [16, 22, 436, 448])
        for string in document.sharedStrings {
            #expect(bytes[string.byteRange].suffix(string.bytes.count) == string.bytes)
        }
    }

    @Test("a long path is shortened in the middle")
    func path() {
        let short = TypedStreamPath([.group(0), .value(2)])
        #expect(short.description == "groups[0].values[2]")
        let long = TypedStreamPath((0..<100).map { .group($0) })
        #expect(long.description.contains("groups[7]…groups[92]"))
    }

    @Test("integers are signed, however they are stored", arguments: [false, true])
    func integers(_ isBigEndian: Bool) throws {
        func wide(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            [tag] + (isBigEndian ? bytes.reversed() : bytes)
        }
        let rows: [([UInt8], Int64)] = [
            ([0x2a], 42), ([0xfb], -5), ([0x92], -110), ([0x7f], 127),
            (wide(0x81, [0x80, 0]), 128),
            (wide(0x81, [0x4d, 1]), 333), (wide(0x81, [0x91, 0xff]), -111),
            (wide(0x82, [3, 0xd9, 0, 0]), 55555), (wide(0x82, [0xc0, 0x63, 0xff, 0xff]), -40000),
            (wide(0x87, [0, 0x0e, 0xfa, 0xd5, 0xfe, 0xff, 0xff, 0xff]), -5_000_000_000),
            (wide(0x82, [7, 0, 0, 0]), 7),
        ]
        for (item, expected) in rows {
            let bytes = Raw.version(4, isBigEndian: isBigEndian) + Raw.new("q") + item
            let document = try TypedStreamDocument(parsing: bytes)
            guard case .integer(expected)? = values(document).first?.content else {
                Issue.record("not \(expected): \(item)")
                continue
            }
            #expect(try document.serialized() == bytes)
        }
    }

    @Test("an unsigned integer is read from the stored signed integer with the same bits")
    func unsigned() throws {
        let document = try TypedStreamDocument(
            parsing: Raw.stream(
                Raw.new("QILSC"), [0xff], [0xff], [0x82, 0xff, 0xff, 0xff, 0xff], [0xff], [0xff]))
        let numbers = values(document).map { value in
            if case .unsigned(let number) = value.content { number } else { 0 as UInt64 }
        }
        #expect(numbers == [.max, 0xffff_ffff, 0xffff_ffff, 0xffff, 0xff])
    }

    @Test("real numbers are read, whether they are stored as integers or as IEEE 754")
    func reals() throws {
        let document = try TypedStreamDocument(
            parsing: Raw.stream(
                Raw.new("fdfd"), [0x82, 0xff, 0xff, 0, 0], [0x05],
                [0x83, 0, 0, 0, 0x3f], [0x83, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f]))
        let lines = TypedStreamDump.lines(document)
        let expected = [65535, 5, 0.5, 0.5].map { "REAL " + String($0.bitPattern, radix: 16) }
        #expect(lines.dropFirst() == expected[...])
    }

    @Test("arrays and structures are read with their elements, fields and names")
    func nesting() throws {
        let document = try TypedStreamDocument(parsing: Samples.arrays())
        let groups = Array(document.groups)
        let size = try #require(Array(groups[4].values).first)
        #expect(size.structureName == "CGSize")
        #expect(size.typeCode == "{")
        guard case .structure(let fields) = size.content else {
            Issue.record("no structure")
            return
        }
        #expect(fields.map(\.byteRange.count) == [9, 1])
        let outer = Array(groups[3].values)
        #expect(outer.count == 2)
        guard case .array(let rows) = outer[0].content else {
            Issue.record("no array")
            return
        }
        #expect(rows.map(\.typeCode) == ["[", "["])
        #expect(Array(groups[5].values)[0].structureName == "?")
        #expect(Array(groups[5].values)[1].structureName == nil)
    }

    @Test("an empty array of characters is a value, even at the end of the stream")
    func emptyArray() throws {
        var stream = TypedStreamBuilder()
        try stream.append("i", .integer(1))
        try stream.append("[0c]", .bytes([]))
        let document = try TypedStreamDocument(parsing: stream.finish())
        let values = values(document)
        #expect(values.map(\.typeCode) == ["i", "["])
        guard case .bytes(let bytes)? = values.last?.content else {
            Issue.record("no bytes")
            return
        }
        #expect(bytes.isEmpty)
    }

    @Test("an object that refers to itself is read once")
    func cycle() throws {
        let document = try TypedStreamDocument(parsing: Samples.cycle())
        let root = try #require(document.root)
        let value = try #require(Array(Array(root.groups)[1].values).first)
        guard case .object(let same) = value.content else {
            Issue.record("no object")
            return
        }
        #expect(value.isReference)
        #expect(same == root)
        #expect(Set([same, root]).count == 1)
        #expect(document.objects.count == 2)
    }

    @Test("objects of streamer version 3 have no type encoding")
    func versionThree() throws {
        let document = try TypedStreamDocument(parsing: Samples.versionThree)
        #expect(document.streamerVersion == 3)
        let root = try #require(document.root)
        #expect(root.class.name == "List")
        #expect(root.groups.map { $0.encoding?.text } == ["i", nil])
        #expect(try document.serialized() == Samples.versionThree)
    }

    @Test("the text of a message is that of its string")
    func text() throws {
        #expect(
            try TypedStreamDocument(parsing: Samples.message()).firstText() == "Hi, see example.com"
        )
        #expect(try TypedStreamDocument(parsing: Samples.text()).firstText() == "Grüße, 世界")
        #expect(try TypedStreamDocument(parsing: Samples.deep(2)).firstText() == nil)
        #expect(try TypedStreamDocument(parsing: Raw.header).firstText() == nil)
    }

    @Test("text that is not UTF-8, and a string that holds something else, are refused")
    func badText() throws {
        func stream(_ group: [UInt8]) -> [UInt8] {
            Raw.stream(
                Raw.new("@"), [0x84, 0x84], Raw.new("NSString"), [1], Raw.root, group, [0x86])
        }
        let null = try TypedStreamDocument(parsing: stream(Raw.new("+") + [0x85]))
        #expect(try null.firstText() == nil)
        let rows: [([UInt8], TypedStreamError.Code)] = [
            (Raw.new("+") + [2, 0xc3, 0x28], .invalidString), (Raw.new("i") + [1], .wrongKind),
            ([], .wrongKind),
        ]
        for (group, code) in rows {
            let document = try TypedStreamDocument(parsing: stream(group))
            let error = #expect(throws: TypedStreamError.self) { try document.firstText() }
            #expect(error?.code == code)
        }
    }

    @Test("a stream of several groups, of nil, of a number, or of nothing has no root object")
    func root() throws {
        #expect(try TypedStreamDocument(parsing: Samples.roots()).root == nil)
        #expect(try TypedStreamDocument(parsing: Raw.header).root == nil)
        #expect(try TypedStreamDocument(parsing: Raw.stream(Raw.new("@"), [0x85])).root == nil)
        #expect(try TypedStreamDocument(parsing: Raw.stream(Raw.new("i"), [0x01])).root == nil)
    }

    @Test("typedstreams are recognized by their first bytes")
    func detection() {
        #expect(TypedStreamDocument.isTypedStream(Raw.header))
        #expect(TypedStreamDocument.isTypedStream(Raw.version(3, isBigEndian: true)))
        #expect(!TypedStreamDocument.isTypedStream([]))
        #expect(!TypedStreamDocument.isTypedStream(Array("GNUstep archive00002c24".utf8)))
        #expect(!TypedStreamDocument.isTypedStream([5] + Raw.header.dropFirst()))
    }

    private func values(_ document: TypedStreamDocument) -> [TypedStreamValue] {
        document.groups.flatMap { Array($0.values) }
    }
}
