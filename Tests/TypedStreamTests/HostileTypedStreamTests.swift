// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import TestSupport
import Testing

@testable import TypedStream

@Suite("Hostile typedstreams")
struct HostileTypedStreamTests {
    /// Bytes after the header, the expected error code, and the offset of the error in these bytes.
    static let rows: [(name: String, bytes: [UInt8], code: TypedStreamError.Code, offset: Int)] = [
        (
            "a length beyond the end", Raw.new("+") + [0x82, 0xff, 0xff, 0xff, 0x7f],
            .invalidLength, 8
        ),
        ("a negative length", Raw.new("+") + [0xff], .invalidLength, 3),
        (
            "a length of 8 bytes", Raw.new("+") + [0x87, 255, 255, 255, 255, 255, 255, 255, 127],
            .invalidLength, 12
        ),
        ("two billion characters", Raw.new("[2147483647c]") + [1, 2], .invalidLength, 15),
        ("four billion integers", Raw.new("[4294967295i]") + [1, 2], .invalidLength, 15),
        ("nested counts", Raw.new("[65535[65535i]]") + [1, 2], .invalidLength, 17),
        ("arrays in arrays in arrays", Raw.new("[9[9[9c]]]") + [1], .invalidType, 6),
        ("nothing, four billion times", Raw.new("[4000000000!]"), .invalidType, 13),
        ("empty structures", Raw.new("[9{}]"), .invalidType, 5),
        ("an array of empty arrays", Raw.new("[9[0c]]"), .invalidType, 6),
        ("an empty array beside a value", Raw.new("c[0c]") + [1], .invalidType, 5),
        ("an array of no integers", Raw.new("[0i]"), .invalidType, 4),
        ("an ignored integer", Raw.new("!"), .invalidType, 2),
        ("an unknown type", Raw.new("^v"), .invalidType, 2),
        ("a bit field", Raw.new("b4"), .invalidType, 2),
        ("a union", Raw.new("(U=ic)"), .invalidType, 2),
        ("an empty encoding", Raw.new(""), .invalidType, 2),
        (
            "an encoding of 4,097 types",
            [0x84, 0x81, 0x01, 0x10] + [UInt8](repeating: 0x69, count: 4097), .invalidType, 4
        ),
        ("an encoding with NUL", [0x84, 2, 0x69, 0, 1], .invalidType, 3),
        ("a class in an encoding", Raw.new("@\"A\"") + [0x85], .invalidType, 3),
        ("brackets of different kinds", Raw.new("[2i}"), .invalidType, 5),
        ("an open bracket", Raw.new("{P=i"), .invalidType, 6),
        ("a bracket that was not opened", Raw.new("i]"), .invalidType, 3),
        ("an array without a count", Raw.new("[i]"), .invalidType, 3),
        ("a count of eleven digits", Raw.new("[00000000001i]"), .invalidType, 14),
        ("an array of two types", Raw.new("[2if]"), .invalidType, 7),
        (
            "seventeen structures",
            Raw.new(String(repeating: "{", count: 17) + "i" + String(repeating: "}", count: 17)),
            .invalidType, 19
        ),
        ("a reference without a table", [0x92], .invalidReference, 0),
        ("a negative reference", [0x81, 0x00, 0x80], .invalidReference, 0),
        ("a reference of 8 bytes", [0x87, 0, 0, 0, 0, 0, 0, 0, 0], .invalidReference, 0),
        ("a nil encoding", [0x85], .unexpectedNil, 0),
        ("an end without an object", [0x86], .invalidTag, 0),
        ("a nil length of an encoding", [0x84, 0x85], .invalidTag, 1),
        ("a tag for an integer", Raw.new("i") + [0x83, 0, 0, 0, 0], .invalidTag, 3),
        ("an end for an integer", Raw.new("i") + [0x86], .invalidTag, 3),
        ("a reserved tag", Raw.new("i") + [0x80], .invalidTag, 3),
        ("another reserved tag", Raw.new("i") + [0x91], .invalidTag, 3),
        ("an integer cut short", Raw.new("i") + [0x82, 1, 2], .truncated, 3),
        ("a real number cut short", Raw.new("d") + [0x83, 1, 2, 3, 4], .truncated, 4),
        ("no value", Raw.new("c"), .truncated, 3),
        ("no Boolean", Raw.new("B"), .truncated, 3),
        ("a Boolean of 2", Raw.new("B") + [2], .invalidNumber, 3),
        (
            "an integer that is too wide", Raw.new("i") + [0x87, 0, 0, 0, 0, 1, 0, 0, 0],
            .invalidNumber, 3
        ),
        (
            "an unsigned short below its range", Raw.new("S") + [0x82, 0xc0, 0x63, 255, 255],
            .invalidNumber, 3
        ),
        ("an object without a class", Raw.new("@") + [0x84, 0x85, 0x86], .unexpectedNil, 4),
        ("an object that does not end", Raw.new("@") + [0x84] + Raw.root, .truncated, 17),
        (
            "an object in place of a class", Raw.new("@#") + [0x84] + Raw.root + [0x86, 0x92],
            .invalidReference, 19
        ),
        ("a class in place of an object", Raw.new("#@") + Raw.root + [0x92], .invalidReference, 17),
        (
            "a C string in place of an object", Raw.new("*@") + [0x84] + Raw.new("x") + [0x92],
            .invalidReference, 8
        ),
        (
            "an object that is its own class", Raw.new("@") + [0x84, 0x92, 0x86], .invalidReference,
            4
        ),
        (
            "a class that is its own superclass", Raw.new("#") + [0x84] + Raw.new("A") + [0, 0x92],
            .invalidReference, 8
        ),
        (
            "a class that inherits from its subclass",
            Raw.new("#") + [0x84] + Raw.new("A") + [0, 0x84] + Raw.new("B") + [0, 0x92],
            .invalidReference, 13
        ),
        ("a class without a name", Raw.new("#") + [0x84, 0x85, 0, 0x85], .unexpectedNil, 4),
        ("a class name with NUL", Raw.new("#") + [0x84, 0x84, 1, 0, 0, 0x85], .invalidString, 6),
        (
            "a class name that is not UTF-8", Raw.new("#") + [0x84, 0x84, 1, 0xff, 0, 0x85],
            .invalidString, 6
        ),
        ("a C string with NUL", Raw.new("*") + [0x84, 0x84, 1, 0], .invalidString, 6),
        ("a C string without text", Raw.new("*") + [0x84, 0x85], .unexpectedNil, 4),
        ("an atom beyond the table", Raw.new("%") + [0x93], .invalidReference, 3),
        ("a selector beyond the table", Raw.new(":") + [0x93], .invalidReference, 3),
        ("bytes after the last group", Raw.new("i") + [1, 0], .invalidReference, 4),
    ]

    @Test(
        "malformed streams are refused with the expected code and offset", arguments: rows.indices)
    func refused(_ index: Int) throws {
        let row = Self.rows[index]
        let bytes = Raw.stream(row.bytes)
        let error = #expect(throws: TypedStreamError.self, "\(row.name)") {
            try TypedStreamDocument(parsing: bytes)
        }
        let description = "\(row.name): \(error.map(String.init(describing:)) ?? "")"
        #expect(error?.code == row.code, "\(description)")
        #expect(error?.byteOffset == Raw.header.count + row.offset, "\(description)")
        try checkTypedStream(bytes)
    }

    @Test("the error for a negative length says which lengths are possible")
    func negativeLength() {
        let error = #expect(throws: TypedStreamError.self) {
            try TypedStreamDocument(parsing: Raw.stream(Raw.new("+") + [0xfd]))
        }
        #expect(error?.what == "expected a length of 0 or more for a string, found -3")
    }

    @Test("unknown and truncated headers are refused")
    func headers() {
        let rows: [([UInt8], TypedStreamError.Code)] = [
            ([], .unrecognizedFormat), (Array(Raw.header.prefix(12)), .unrecognizedFormat),
            ([4, 10] + Raw.header.dropFirst(2), .unrecognizedFormat),
            ([4, 11] + Array("streamtypeX".utf8) + [0], .unrecognizedFormat),
            ([4, 11] + Array("typedstreaX".utf8) + [0], .unrecognizedFormat),
            ([5] + Raw.header.dropFirst(), .unsupportedVersion),
            (Array(Raw.header.prefix(13)), .truncated), (Array(Raw.header.prefix(15)), .truncated),
        ]
        for (bytes, code) in rows {
            let error = #expect(throws: TypedStreamError.self) {
                try TypedStreamDocument(parsing: bytes)
            }
            #expect(error?.code == code)
            #expect(throws: TypedStreamError.self) { try TypedStreamDocument(salvaging: bytes) }
        }
    }

    @Test("a chain may have 64 classes but not 65, however they are written")
    func chains() throws {
        func chain(_ count: Int) -> [UInt8] {
            (0..<count).flatMap { [0x84] + Raw.new("C\($0)") + [0] }
        }
        func code(_ body: [UInt8]) -> TypedStreamError.Code? {
            do throws(TypedStreamError) {
                _ = try TypedStreamDocument(parsing: Raw.stream(body))
                return nil
            } catch { return error.code }
        }
        #expect(code(Raw.new("#") + chain(64) + [0x85]) == nil)
        #expect(code(Raw.new("#") + chain(65) + [0x85]) == .invalidClassChain)
        // A class whose superclass begins a chain of 63 or 64 classes.
        let more: [UInt8] = [0x84] + Raw.new("D") + [0, Raw.reference(0)]
        #expect(code(Raw.new("##") + chain(63) + [0x85] + more) == nil)
        #expect(code(Raw.new("##") + chain(64) + [0x85] + more) == .invalidClassChain)
    }

    @Test("nesting is limited")
    func depth() throws {
        let bytes = try Samples.deep(513)
        let error = #expect(throws: TypedStreamError.self) {
            try TypedStreamDocument(parsing: bytes)
        }
        #expect(error?.code == .depthLimitExceeded)
        #expect(error?.isLimit == true)
        #expect(error?.recovery != nil)
        #expect(error?.path?.components.count == 2 * 513)
        #expect(try TypedStreamDocument(parsing: Samples.deep(512)).objects.count == 512)
        #expect(throws: TypedStreamError.self) {
            try TypedStreamDocument(parsing: Samples.deep(129), limits: .untrusted)
        }
        let depth = Exhaustive.size(200_000, inDebug: 20_000)
        let deep = try TypedStreamDocument(parsing: Samples.deep(depth), limits: .trusted)
        #expect(try deep.serialized().count == deep.byteCount)
        var builder = TypedStreamBuilder()
        try builder.append(contentsOf: deep)
        #expect(try builder.finish().count == deep.byteCount)
    }

    @Test("the size of an input is limited")
    func size() {
        let limits = TypedStreamLimits(depth: 1, inputSize: 15)
        let error = #expect(throws: TypedStreamError.self) {
            try TypedStreamDocument(parsing: Raw.header, limits: limits)
        }
        #expect(error?.code == .sizeLimitExceeded)
    }

    @Test("an error has the path to its location")
    func path() throws {
        var bytes = try Samples.message()
        bytes[bytes.count - 4] = 0x80
        let error = #expect(throws: TypedStreamError.self) {
            try TypedStreamDocument(parsing: bytes)
        }
        #expect(error?.code == .invalidTag)
        #expect(
            error?.path?.description
                == "groups[0].values[0].groups[4].values[0].groups[2].values[0].groups[1].values[0]"
        )
        #expect(
            error?.description.hasPrefix(
                "typedstream: expected an integer, found tag 0x80 at byte \(bytes.count - 4), in groups"
            )
                == true)
    }

    @Test("values before an array with too few bytes for its elements are salvaged")
    func arrayWithoutRoom() throws {
        let rows: [(type: String, value: [UInt8], names: [String])] = [
            ("i", [7], []), ("*", [0x84] + Raw.new("x"), ["x"]), ("#", Raw.root, ["NSObject"]),
            (":", Raw.new("select:"), ["select:"]),
            ("@", [0x84] + Raw.root + [0x86], ["NSObject"]),
        ]
        for (type, value, names) in rows {
            let encoding = type + "[3i]"
            let start = Raw.stream(Raw.new(encoding))
            let document = try TypedStreamDocument(salvaging: start + value + [1])
            let end = start.count + value.count
            #expect(document.problem?.code == .invalidLength, "\(encoding)")
            #expect(document.problem?.byteOffset == end, "\(encoding)")
            #expect(document.problem?.path?.description == "groups[0].values[1]", "\(encoding)")
            let values = document.groups.flatMap { Array($0.values) }
            #expect(values.map(\.byteRange) == [start.count..<end], "\(encoding)")
            #expect(document.sharedStrings.map(\.text) == [encoding] + names, "\(encoding)")
            #expect(document.objects.count == (type == "@" ? 1 : 0), "\(encoding)")
        }
    }

    @Test("an item of streamer version 3 that can be read in two ways is refused")
    func ambiguity() {
        // The reference may mean string 0, which is a type, or object 0.
        let bytes =
            Raw.version(3) + Raw.new("i") + [1] + [0x84] + Raw.root + [0, 0x86] + [Raw.reference(0)]
        let error = #expect(throws: TypedStreamError.self) {
            try TypedStreamDocument(parsing: bytes)
        }
        #expect(error?.code == .ambiguousItem)
        let indexed = Raw.version(3) + [0x84] + Raw.root + [4, 0x86]
        let other = #expect(throws: TypedStreamError.self) {
            try TypedStreamDocument(parsing: indexed)
        }
        #expect(other?.code == .unsupportedVersion)
    }

    @Test(
        "in streamer version 3, a reference is unambiguous if its number names no type encoding")
    func names() throws {
        let first: [UInt8] = [0x84] + Raw.root + [0, 0x86]
        let second: [UInt8] =
            [0x84, 0x84] + Raw.new("Other") + [0, Raw.reference(1), 0, 0x86]
        // Number 2 is an object, and also the string "Other".
        let references = [Raw.reference(2), Raw.reference(2)]
        let bytes = Raw.version(3) + Raw.new("i") + [1] + first + second + references
        let document = try TypedStreamDocument(parsing: bytes)
        #expect(document.groups.map { $0.encoding?.text } == ["i", nil, nil, nil, nil])
        #expect(try document.serialized() == bytes)
    }

    @Test(
        "a length that can also be read as a reference to a class is refused in streamer version 3")
    func literals() {
        let classes = (0..<112).flatMap { [0x84] + Raw.new("C\($0)") + [0, 0x85] as [UInt8] }
        // The last three bytes are an encoding of one byte, or begin an object of class 111.
        let bytes = Raw.version(3) + Raw.new("[112#]") + classes + [0x84, 1, 0x69]
        let error = #expect(throws: TypedStreamError.self) {
            try TypedStreamDocument(parsing: bytes)
        }
        #expect(error?.code == .ambiguousItem)
    }

    @Test("an NSValue may state its type twice, as two separate strings with the same text")
    func equalTypes() throws {
        func content(_ type: String, _ encoding: String) throws -> TypedStreamContent? {
            let value = [0x84, 0x84] + Raw.new("NSValue") + [0, 0x85]
            let body = Raw.new("*") + [0x84] + Raw.new(type) + Raw.new(encoding) + [1, 0x86]
            return try TypedStreamDocument(parsing: Raw.stream(Raw.new("@"), value, body))
                .root?.content()
        }
        guard case .value(let encoding, _)? = try content("i", "i") else {
            Issue.record("the object is not a value")
            return
        }
        #expect(encoding.text == "i")
        let error = #expect(throws: TypedStreamError.self) { try content("i", "s") }
        #expect(error?.code == .wrongKind)
    }

    @Test("runs that split a surrogate pair are refused in each string that shares a long text")
    func sharedText() throws {
        var builder = TypedStreamBuilder()
        var text: TypedStreamBuilder.Object?
        for lengths in [[601, 1], [602], [600, 2], [601, 1]] {
            try builder.beginGroup("@")
            try builder.append(object: Samples.attributed) { builder in
                try builder.beginGroup("@")
                if let text {
                    try builder.append(.object(text))
                } else {
                    text = try builder.beginObject(Samples.string)
                    try builder.append("+", .string(String(repeating: "ä", count: 600) + "👋"))
                    try builder.endObject()
                }
                for (index, length) in lengths.enumerated() {
                    try builder.append("iI", .integer(1), .integer(Int64(length)))
                    if index > 0 { continue }
                    try builder.beginGroup("@")
                    try builder.append(object: Samples.dictionary) {
                        try $0.append("i", .integer(0))
                    }
                }
            }
        }
        let document = try TypedStreamDocument(parsing: builder.finish())
        var texts = SharedTexts()
        let runs = document.objects.compactMap { object -> Int? in
            guard object.class.name == "NSAttributedString" else { return nil }
            guard case .attributedString(_, let runs, _)? = try? object.content(sharing: &texts)
            else { return 0 }
            return runs.count
        }
        #expect(runs == [0, 1, 2, 0])
    }

    @Test("copying a stream does not look up a long class name again for each reference to it")
    func copiedNames() throws {
        let length = 300_000
        let name =
            [0x84, 0x82] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
            + [UInt8](repeating: 0x41, count: length)
        let first = Raw.new("#") + [0x84] + name + [0, 0x85]
        let second = [Raw.reference(0), 0x84] + name + [0, 0x85]
        let other = [Raw.reference(0), 0x84, Raw.reference(1), 0, Raw.reference(1)]
        let others = (0..<1000).flatMap { _ in other }
        let document = try TypedStreamDocument(parsing: Raw.stream(first, second, others))
        var builder = TypedStreamBuilder()
        let seconds = try ProcessorTime.seconds { try builder.append(contentsOf: document) }
        #expect(seconds < 0.5)
        #expect(try builder.finish().count < 2 * length)
    }

    @Test("every prefix of a sample is refused or is a shorter stream")
    func prefixes() throws {
        for (_, bytes) in try Samples.all() where bytes.count < 3000 {
            for length in Exhaustive.sample(bytes.indices, oneIn: 4) {
                try checkTypedStream(Array(bytes.prefix(length)))
            }
        }
    }

    @Test("a sample with a changed byte is refused or gives another stream")
    func changes() throws {
        var random = SplitMix64(seed: 26)
        for (_, sample) in try Samples.all() where sample.count < 300 {
            for place in Exhaustive.sample(sample.indices, oneIn: 8) {
                try check(sample, place, sample[place] ^ 0xff)
                try check(sample, place, sample[place] &+ 1)
                // A random tag, or a reference to one of the first entries.
                try check(sample, place, UInt8(0x80 + random.below(0x18)))
            }
        }
    }

    private func check(_ sample: [UInt8], _ place: Int, _ value: UInt8) throws {
        var bytes = sample
        bytes[place] = value
        try checkTypedStream(bytes)
    }

    @Test(
        "the tables of entries, strings and types take memory in proportion to the input")
    func memory() throws {
        // C strings with the same text have the most table entries per byte.
        let first = Raw.new("[30000*]") + [0x84] + Raw.new("x")
        let body = first + (0..<29_999).flatMap { _ in [0x84, Raw.reference(1)] as [UInt8] }
        let document = try TypedStreamDocument(parsing: Raw.stream(body))
        let tables = document.storage.tables
        let size =
            tables.entries.capacity * MemoryLayout<TableEntry>.stride
            + tables.strings.capacity * MemoryLayout<SharedString>.stride
            + tables.types.capacity * MemoryLayout<TypeRecord>.stride
        #expect(size < 48 * document.byteCount)
        #expect(MemoryLayout<TableEntry>.stride <= 20)
        #expect(MemoryLayout<SharedString>.stride <= 20)
        #expect(MemoryLayout<TypeRecord>.stride <= 24)
    }
}
