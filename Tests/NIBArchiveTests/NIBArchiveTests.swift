// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import NIBArchive
import TestSupport
import Testing

/// NIBArchives assembled byte by byte, and by the builder.
enum NIBSamples {
    /// Returns an archive of these sections, each with the number of its entries.
    static func archive(
        _ objects: (Int, [UInt8]), _ keys: (Int, [UInt8]), _ values: (Int, [UInt8]),
        _ classes: (Int, [UInt8])
    ) -> [UInt8] {
        func word(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 255) } }
        var header = Array("NIBArchive".utf8) + word(1) + word(9)
        var body: [UInt8] = []
        for (count, bytes) in [objects, keys, values, classes] {
            header += word(count) + word(50 + body.count)
            body += bytes
        }
        return header + body
    }

    static let object: [UInt8] = [0x80, 0x80, 0x81]
    static let key: [UInt8] = [0x81] + Array("k".utf8)
    static let value: [UInt8] = [0x80, 0x00, 0x2a]
    static let name: [UInt8] = [0x82, 0x80] + Array("C\0".utf8)
    static let small = archive((1, object), (1, key), (1, value), (1, name))

    static func types() throws -> [UInt8] {
        var archive = NIBArchiveBuilder(coderVersion: 10)
        let root = archive.addObject("NSObject")
        let color = archive.addObject("UIColor", fallbacks: ["NSColor"])
        for number in [0, 127, 128, 32767, 32768, 2_147_483_647, 2_147_483_648, -1, .min] as [Int64]
        {
            archive.append(.integer(number), forKey: "NS.intval", to: root)
        }
        archive.append(.object(color), forKey: "UIBackgroundColor", to: root)
        archive.append(.null, forKey: "UIFont", to: root)
        archive.append(.object(root), forKey: "UIOwner", to: color)
        archive.append(.boolean(true), forKey: "UIHidden", to: color)
        archive.append(.boolean(false), forKey: "UISelectable", to: color)
        archive.append(.float(0.25), forKey: "UIRed", to: color)
        archive.append(.double(.infinity), forKey: "NS.dblval", to: color)
        archive.append(.data([]), forKey: "NS.bytes", to: color)
        archive.append(.data(Array(repeating: 7, count: 300)), forKey: "NS.bytes", to: color)
        return try archive.finish()
    }
}

@Suite("NIBArchives")
struct NIBArchiveTests {
    @Test("the smallest archive is read with its parts and locations")
    func small() throws {
        let document = try NIBArchiveDocument(parsing: NIBSamples.small)
        #expect(document.coderVersion == 9)
        #expect(document.keys == ["k"])
        #expect(document.classes.map(\.name) == ["C"])
        let value = try #require(document.root?["k"])
        #expect(value.byteRange == 55..<58)
        #expect(value.integerWidth == 1)
        guard case .integer(42) = value.content else {
            Issue.record("expected the integer 42, found another value")
            return
        }
        #expect(document.root?["x"] == nil)
        #expect(document.trailingBytes.isEmpty)
        #expect(try document.serialized() == NIBSamples.small)
    }

    @Test("the fixtures equal the samples, byte for byte")
    func fixtures() throws {
        let files = Corpus.fixtures("nibarchive")
        #expect(files.map(\.name) == ["small", "types"])
        #expect(files.map(\.bytes) == [NIBSamples.small, try NIBSamples.types()])
    }

    @Test("an archive is recognized by its first bytes, and read from any sequence of bytes")
    func sequences() throws {
        #expect(NIBArchiveDocument.isNIBArchive(NIBSamples.small))
        #expect(!NIBArchiveDocument.isNIBArchive(Array("NIBArchiv".utf8)))
        let document = try NIBArchiveDocument(parsing: NIBSamples.small[...])
        #expect(document.byteCount == NIBSamples.small.count)
        #expect(document.classes.map(\.byteRange) == [60..<61])
    }

    @Test("every type of value is built and read")
    func types() throws {
        let bytes = try NIBSamples.types()
        let document = try NIBArchiveDocument(parsing: bytes)
        try checkNIBArchive(bytes)
        #expect(document.coderVersion == 10)
        #expect(
            document.objects[0].values.compactMap(\.integerWidth) == [1, 1, 2, 2, 4, 4, 8, 8, 8])
        let lines = NIBArchiveDump.lines(document)
        #expect(lines.filter { $0.hasSuffix("INTEGER -1") }.count == 1)
        #expect(lines.filter { $0.hasSuffix("REFERENCE 0") }.count == 1)
        #expect(document.classes.map(\.name) == ["NSObject", "UIColor", "NSColor"])
        #expect(document.objects[1].class.fallbacks.map(\.name) == ["NSColor"])
        guard case .object(let same)? = document.objects[1]["UIOwner"]?.content else {
            Issue.record("the owner is not an object")
            return
        }
        #expect(same == document.root)
        #expect(Set(document.objects).count == 2)
    }

    @Test("the builder can extend a copy of an archive")
    func copying() throws {
        var copy = try NIBArchiveBuilder(NIBArchiveDocument(parsing: NIBSamples.small))
        let added = copy.addObject("D")
        copy.append(.integer(7), forKey: "k", to: added)
        let document = try NIBArchiveDocument(parsing: copy.finish())
        #expect(document.objects.map(\.class.name) == ["C", "D"])
        #expect(document.keys == ["k"])
    }

    @Test("the builder refuses values that no archive can hold")
    func refused() {
        var archive = NIBArchiveBuilder()
        let root = archive.addObject("a\0b")
        #expect(throws: NIBArchiveError.self) { try archive.finish() }
        archive = NIBArchiveBuilder()
        var other = NIBArchiveBuilder()
        _ = other.addObject("A")
        let second = other.addObject("B")
        _ = archive.addObject("A")
        archive.append(.object(second), forKey: "k", to: root)
        let error = #expect(throws: NIBArchiveError.self) { try archive.finish() }
        #expect(error?.code == .invalidReference)
    }

    @Test("bytes after the archive are refused, or kept if they are allowed")
    func trailing() throws {
        let bytes = NIBSamples.small + [1, 2, 3]
        let error = #expect(throws: NIBArchiveError.self) { try NIBArchiveDocument(parsing: bytes) }
        #expect(error?.code == .trailingData)
        let document = try NIBArchiveDocument(parsing: bytes, allowingTrailingBytes: true)
        #expect(document.trailingBytes == [1, 2, 3])
        #expect(try document.serialized() == bytes)
    }

    static let rows: [(name: String, bytes: [UInt8], code: NIBArchiveError.Code)] = {
        let (object, key, value, name) = (
            NIBSamples.object, NIBSamples.key, NIBSamples.value, NIBSamples.name
        )
        func archive(
            objects: (Int, [UInt8])? = nil, keys: (Int, [UInt8])? = nil,
            values: (Int, [UInt8])? = nil, classes: (Int, [UInt8])? = nil
        ) -> [UInt8] {
            NIBSamples.archive(
                objects ?? (1, object), keys ?? (1, key), values ?? (1, value), classes ?? (1, name)
            )
        }
        func changed(_ place: Int, _ bytes: [UInt8]) -> [UInt8] {
            var archive = NIBSamples.small
            archive.replaceSubrange(place..<place + bytes.count, with: bytes)
            return archive
        }
        let most: [UInt8] = [0xff, 0xff, 0xff, 0xff]
        return [
            ("nothing", [], .unrecognizedFormat),
            ("a magic number alone", Array("NIBArchive".utf8), .truncated),
            ("format version 2", changed(10, [2]), .unsupportedVersion),
            ("four billion objects", changed(18, most), .invalidLength),
            ("four billion keys", changed(26, most), .invalidLength),
            ("four billion values", changed(34, most), .invalidLength),
            ("four billion classes", changed(42, most), .invalidLength),
            ("objects in the header", changed(22, [10]), .invalidOffset),
            ("keys before objects", changed(30, [49]), .invalidOffset),
            ("values beyond the end", changed(38, most), .truncated),
            ("a gap before the values", changed(38, [56]), .invalidOffset),
            ("a number without end", archive(keys: (1, [0, 0, 0, 0, 0, 0, 0])), .invalidNumber),
            ("a number of 35 bits", archive(keys: (1, [127, 127, 127, 127, 255])), .invalidNumber),
            (
                "a number longer than necessary", archive(keys: (1, [1, 0x80, 0x6b])),
                .invalidNumber
            ),
            ("a key beyond its section", archive(keys: (1, [0xff, 0x6b])), .invalidLength),
            ("a key that is not UTF-8", archive(keys: (1, [0x81, 0xff])), .invalidString),
            ("bytes after the keys", archive(keys: (1, key + [0x80])), .invalidOffset),
            ("a class without a name", archive(classes: (1, [0x80, 0x80, 0])), .invalidString),
            (
                "a class name without NUL", archive(classes: (1, [0x81, 0x80, 0x43])),
                .invalidString
            ),
            (
                "a class name with two NULs", archive(classes: (1, [0x83, 0x80, 0x43, 0, 0])),
                .invalidString
            ),
            (
                "two billion fallbacks",
                archive(classes: (1, [0x82, 127, 127, 127, 127, 0x87, 0x43, 0])), .invalidLength
            ),
            (
                "a fallback index out of range",
                archive(classes: (1, [0x82, 0x81, 1, 0, 0, 0, 0x43, 0])), .invalidReference
            ),
            (
                "an object whose class index is out of range",
                archive(objects: (1, [0x81, 0x80, 0x81])), .invalidReference
            ),
            ("values that overlap", archive(objects: (2, object + object)), .invalidValueRange),
            (
                "more values than there are", archive(objects: (1, [0x80, 0x80, 0x82])),
                .invalidValueRange
            ),
            (
                "a value that belongs to no object", archive(objects: (1, [0x80, 0x80, 0x80])),
                .invalidValueRange
            ),
            (
                "a value whose key index is out of range", archive(values: (1, [0x81, 4])),
                .invalidReference
            ),
            ("a value of type 11", archive(values: (1, [0x80, 11])), .invalidType),
            ("an integer beyond its section", archive(values: (1, [0x80, 3, 1])), .invalidLength),
            ("data beyond its section", archive(values: (1, [0x80, 8, 0xff, 1])), .invalidLength),
            (
                "a reference to an object index out of range",
                archive(values: (1, [0x80, 10, 1, 0, 0, 0])), .invalidReference
            ),
        ]
    }()

    @Test("hostile archives are refused with their error code", arguments: rows.indices)
    func isRefused(_ index: Int) throws {
        let row = Self.rows[index]
        let error = #expect(throws: NIBArchiveError.self, "\(row.name)") {
            try NIBArchiveDocument(parsing: row.bytes)
        }
        #expect(error?.code == row.code, "\(row.name): \(error?.description ?? "")")
        try checkNIBArchive(row.bytes)
    }

    @Test("the error for an invalid range of values names the expected and the found range")
    func valueRange() {
        let bytes = NIBSamples.archive(
            (1, [0x80, 0x81, 0x83]), (1, NIBSamples.key), (1, NIBSamples.value),
            (1, NIBSamples.name))
        let error = #expect(throws: NIBArchiveError.self) { try NIBArchiveDocument(parsing: bytes) }
        #expect(
            error?.what
                == "expected values that begin at index 0 and end before index 1, "
                + "found 3 values from index 1")
    }

    @Test("fallback classes may be cyclic")
    func loop() throws {
        let bytes = NIBSamples.archive(
            (1, NIBSamples.object), (1, NIBSamples.key), (1, NIBSamples.value),
            (1, [0x82, 0x81, 0, 0, 0, 0, 0x43, 0]))
        let document = try NIBArchiveDocument(parsing: bytes)
        #expect(document.classes[0].fallbacks.map(\.index) == [0])
    }

    @Test("every prefix is refused, and every changed byte is refused or gives another archive")
    func changes() throws {
        for sample in [NIBSamples.small, try NIBSamples.types()] {
            for place in Exhaustive.sample(sample.indices, oneIn: 4) {
                #expect(throws: NIBArchiveError.self) {
                    try NIBArchiveDocument(
                        parsing: Array(sample.prefix(place)), allowingTrailingBytes: true)
                }
                for change in [0xff, 1, 0x80, 0x0a] as [UInt8] {
                    var bytes = sample
                    bytes[place] ^= change
                    try checkNIBArchive(bytes)
                }
            }
        }
    }

    @Test("the size of an input is limited")
    func size() {
        let error = #expect(throws: NIBArchiveError.self) {
            try NIBArchiveDocument(parsing: NIBSamples.small, limits: .init(inputSize: 10))
        }
        #expect(error?.code == .sizeLimitExceeded)
        #expect(error?.isLimit == true)
    }
}
