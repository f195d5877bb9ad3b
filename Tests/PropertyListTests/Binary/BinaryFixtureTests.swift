// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("Binary fixtures")
struct BinaryFixtureTests {
    /// A fixture with its expected result.
    struct Fixture: Sendable, CustomTestStringConvertible {
        let file: Corpus.File
        let expected: String

        var testDescription: String { file.name }
    }

    private static func fixtures(_ outcome: String) -> [Fixture] {
        let said = Corpus.fixtures("binary/\(outcome)", suffix: ".expected")
        return Corpus.fixtures("binary/\(outcome)", suffix: ".plist").map { file in
            let name = file.name.dropLast(".plist".count) + ".expected"
            let bytes = said.first { $0.name == name }?.bytes ?? []
            return Fixture(file: file, expected: String(decoding: bytes.dropLast(), as: UTF8.self))
        }
    }

    @Test("each accepted fixture has the expected value", arguments: fixtures("accept"))
    func accept(_ fixture: Fixture) throws {
        let document = try PropertyListDocument(parsing: fixture.file.bytes)
        let value = try document.root.value()
        #expect(value.description.isLiterally(fixture.expected))
        #expect(document.leniencies == .strict)
        let isNaN = fixture.expected.contains("nan")
        #expect(try SlowBinaryReader.value(of: fixture.file.bytes) == value || isNaN)
        let written = try BinaryPropertyList.serialize(document)
        #expect(try PropertyListValue(parsing: written) == value)
    }

    @Test(
        "each refused fixture gives the expected code and place", arguments: fixtures("reject"))
    func reject(_ fixture: Fixture) throws {
        let error = try #require(parseError(fixture.file.bytes))
        #expect("\(error.code) \(error.location?.byte ?? -1)" == fixture.expected)
        #expect(throws: (any Error).self) { try SlowBinaryReader.value(of: fixture.file.bytes) }
    }

    @Test("the fixtures are found")
    func folders() {
        #expect(Self.fixtures("accept").count >= 20)
        #expect(Self.fixtures("reject").count >= 40)
    }
}

@Suite("Truncated and changed binary property lists")
struct BinaryMutationTests {
    private static let sources =
        (Corpus.fixtures("binary", suffix: ".plist") + Corpus.fixtures("archives", suffix: ".plist"))
        .filter { $0.bytes.count <= 2048 && $0.bytes.starts(with: "bplist00".utf8) }

    private static let leniencies: [ParsingOptions] = [
        .appleCompatible, .unusedGarbage, .forensic,
    ]

    /// Expects that the library and ``SlowBinaryReader``, a simple reference parser, agree on
    /// whether `bytes` are a property list, and on its value. Also parses the bytes with the
    /// leniencies that `number` selects, which must accept every file that strict parsing accepts.
    private func agree(_ bytes: [UInt8], _ number: Int, _ what: @autoclosure () -> String) {
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 0, base: 20_000)
        let ours = try? PropertyListValue(parsing: bytes, format: .binary, limits: limits)
        let theirs = try? SlowBinaryReader.value(of: bytes, expansion: 20_000)
        let options = Self.leniencies[number % Self.leniencies.count]
        let lenient = try? PropertyListDocument(
            parsing: bytes, format: .binary, options: options, limits: limits)
        if ours != nil, lenient == nil { Issue.record("\(what()): refused with \(options)") }
        if ours != theirs {
            Issue.record("\(what()): \(ours?.description ?? "-"), \(theirs?.description ?? "-")")
        }
    }

    @Test("accepts and refuses the same prefixes as the reference parser", arguments: sources)
    func prefixes(_ file: Corpus.File) {
        for length in file.bytes.indices {
            agree(Array(file.bytes.prefix(length)), length, "\(length) bytes")
        }
    }

    @Test(
        "accepts and refuses the same files with one flipped bit as the reference parser",
        arguments: sources)
    func bits(_ file: Corpus.File) {
        var bytes = file.bytes
        for place in Exhaustive.sample(bytes.indices, oneIn: 48) {
            let original = bytes[place]
            for bit in 0..<8 {
                bytes[place] = original ^ (1 << UInt8(bit))
                agree(bytes, place + bit, "bit \(bit) of byte \(place)")
            }
            bytes[place] = original
        }
    }

    @Test(
        "accepts and refuses the same files with one changed byte as the reference parser",
        arguments: sources.filter { $0.bytes.count <= 64 })
    func bytes(_ file: Corpus.File) {
        var bytes = file.bytes
        for place in Exhaustive.sample(bytes.indices, oneIn: 32) {
            let original = bytes[place]
            for value in UInt8.min ... .max {
                bytes[place] = value
                agree(bytes, place + Int(value), "\(value) at byte \(place)")
            }
            bytes[place] = original
        }
    }

    @Test(
        "random trees round-trip, and the reference parser agrees",
        arguments: [1, 2, 0x5EED] as [UInt64])
    func random(_ seed: UInt64) throws {
        var source = RandomPropertyList(seed: seed)
        for round in 0..<200 {
            let value = source.value()
            let document = try PropertyListDocument(value)
            for layout in [BinaryLayout.compact] + BinaryLayout.coreFoundationLayouts {
                let bytes = try BinaryPropertyList.serialize(document, layout: layout)
                let back = try PropertyListDocument(parsing: bytes)
                #expect(try back.root.value() == value, "seed \(seed), round \(round)")
                let plain = try SlowBinaryReader.value(of: bytes)
                #expect(plain == value, "seed \(seed), round \(round)")
                let again = try BinaryPropertyList.serialize(back, layout: layout)
                #expect(again == bytes, "seed \(seed), round \(round)")
            }
        }
    }
}
