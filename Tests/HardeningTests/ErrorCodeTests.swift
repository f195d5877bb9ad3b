// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import PropertyListCodable
import PropertyListTools
import TestSupport
import Testing

/// An error code and a call that throws it.
struct Provocation: Sendable, CustomStringConvertible {
    let code: String
    let run: @Sendable () throws -> Void
    var description: String { code }

    init(_ code: String, _ run: @escaping @Sendable () throws -> Void) {
        (self.code, self.run) = (code, run)
    }
}

/// Checks that every error code is thrown by a test.
@Suite("Error codes")
struct ErrorCodeTests {
    /// Returns the codes that an error type declares. Each constant must have the name of its code.
    /// The initializer of a code must be private, so that no other file can create one.
    private func declared(_ path: String) throws -> [String] {
        let file = Corpus.repository.appending(path: path)
        let source = try String(contentsOf: file, encoding: .utf8)
        let codes = source.matches(of: /static let (\w+) = Code\("(\w+)"\)/)
        #expect(source.contains(/private init\(_ name: (String|StaticString)\)/))
        for code in codes { #expect(code.output.1 == code.output.2) }
        #expect(codes.count == source.matches(of: /\bCode\(|: (Self|Code) =|\.init\("/).count)
        return codes.map { String($0.output.1) }
    }

    @Test("there is a provocation for every code of PropertyListError")
    func propertyListTable() throws {
        let codes = try declared("Sources/PropertyList/PropertyListError.swift")
        #expect(Set(codes) == Set(Provocation.propertyLists.map(\.code)) && codes.count > 20)
    }

    @Test("there is a provocation for every code of KeyedArchiveError")
    func archiveTable() throws {
        let codes = try declared("Sources/KeyedArchive/KeyedArchiveError.swift")
        #expect(Set(codes) == Set(Provocation.archives.map(\.code)) && codes.count > 12)
    }

    @Test("the tests of the stores expect each code of StoreError at least once")
    func storeCodes() throws {
        let folder = Corpus.repository.appending(path: "Tests/ArchiveStoreTests")
        let tests = Corpus.files(in: folder, suffix: ".swift").map {
            String(decoding: $0.bytes, as: UTF8.self)
        }.joined()
        let compared = Set(tests.matches(of: /== \.(\w+)/).map { String($0.output.1) })
        let codes = try declared("Sources/ArchiveStore/StoreError.swift")
        // Only Apple's platforms have a keychain.
        for code in codes where code != "keychain" { #expect(compared.contains(code), "\(code)") }
    }

    @Test("each code of PropertyListError is thrown", arguments: Provocation.propertyLists)
    func propertyList(_ provocation: Provocation) throws {
        do {
            try provocation.run()
            Issue.record("nothing was thrown")
        } catch let error as PropertyListError {
            #expect("\(error.code)" == provocation.code)
        } catch DecodingError.typeMismatch(_, let context) {
            let error = try #require(context.underlyingError as? PropertyListError)
            #expect("\(error.code)" == provocation.code)
        }
    }

    @Test("each code of KeyedArchiveError is thrown", arguments: Provocation.archives)
    func archive(_ provocation: Provocation) throws {
        let error = #expect(throws: KeyedArchiveError.self) { try provocation.run() }
        #expect(error?.code.description == provocation.code)
    }
}

// MARK: - Property lists

private func parse(_ bytes: [UInt8], limits: ParsingLimits = .default) throws {
    _ = try PropertyListDocument(parsing: bytes, limits: limits)
}

private func binary(_ code: String, _ assembler: BinaryAssembler) -> Provocation {
    Provocation(code) { try parse(assembler.bytes) }
}

private func xml(_ code: String, _ text: String) -> Provocation {
    Provocation(code) { try parse(Array(text.utf8)) }
}

extension Provocation {
    static let propertyLists = [
        xml("unrecognizedFormat", "PK\u{3}\u{4}"), xml("truncated", "bplist0"),
        xml("trailingData", "<plist><true/></plist><plist/>"),
        xml("unexpectedCharacter", "{a = ;}"),
        Provocation("invalidKeyPath") { _ = try PropertyListKeyPath(parsing: "a[") },
        Provocation("noSuchValue") {
            let document = try PropertyListDocument(parsing: Array("<plist><dict/></plist>".utf8))
            _ = try document.value(at: [.key("a")])
        },
        binary("invalidTrailer", BinaryAssembler([.null], offsetWidth: 1, tableOffset: 1 << 60)),
        binary("invalidOffset", BinaryAssembler([.null], entries: [.offset(0)])),
        binary("invalidReference", BinaryAssembler([.array([9])])),
        binary("invalidMarker", BinaryAssembler([.raw([0x77])])),
        binary("invalidLength", BinaryAssembler([.counted(0x40, 1 << 40, width: 8)])),
        binary("invalidString", BinaryAssembler([.raw([0x51, 0xFF])])),
        xml("invalidNumber", "<plist><integer>x</integer></plist>"),
        xml("invalidDate", "<plist><date>2001-02-30T00:00:00Z</date></plist>"),
        xml("invalidData", "<plist><data>A</data></plist>"),
        binary("invalidKey", BinaryAssembler([.dictionary([1], [1]), .null])),
        binary("duplicateKey", BinaryAssembler([.dictionary([1, 1], [1, 1]), .ascii("k")])),
        binary("referenceCycle", BinaryAssembler([.array([0])])),
        binary(
            "depthLimitExceeded",
            BinaryAssembler(
                (0..<513).map { .array([$0 + 1]) }
                    + [.null], offsetWidth: 2, referenceWidth: 2)),
        Provocation("expansionLimitExceeded") {
            let doubling = BinaryAssembler((0..<40).map { .array([$0 + 1, $0 + 1]) } + [.null])
            _ = try PropertyListValue(parsing: doubling.bytes)
        },
        Provocation("sizeLimitExceeded") {
            var limits = ParsingLimits.default
            limits.inputSize = 3
            try parse(Array("<plist/>".utf8), limits: limits)
        },
        xml("invalidEncoding", "<?xml version='1.0' encoding='UTF-7'?><plist><true/></plist>"),
        xml("malformedXML", "<plist>"), xml("unexpectedElement", "<plist><other/></plist>"),
        xml("unexpectedCharacter", "{a = b c}"),
        Provocation("invalidKeyPath") { _ = try PropertyListKeyPath(parsing: "a..b") },
        Provocation("noSuchValue") {
            let document = try PropertyListDocument(parsing: "<plist><dict/></plist>".utf8)
            _ = try document.applying([
                PropertyListEdit(PropertyListKeyPath(parsing: "other"), .remove)
            ])
        },
        Provocation("unrepresentableValue") {
            _ = try XMLPropertyList.serialize(PropertyListDocument(.null))
        },
        Provocation("wrongKind") {
            _ = try PlistDecoder().decode([Int].self, from: PropertyListValue.array(["text"]))
        },
    ]
}

// MARK: - Archives

private func archiveBytes(
    _ objects: [PropertyListValue], version: PropertyListValue = 100_000
) throws -> [UInt8] {
    let root: PropertyListValue = [
        "$version": version, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
        "$objects": .array(PropertyListArray(["$null"] + objects)),
    ]
    return try BinaryPropertyList.serialize(PropertyListDocument(root))
}

private func described(_ name: String) -> PropertyListValue {
    ["$classname": .string(name), "$classes": [.string(name), "NSObject"]]
}

/// Returns a provocation that decodes a root of `type` from the objects.
private func reading<T: KeyedDecodable & SendableMetatype>(
    _ code: String, _ type: T.Type, _ objects: [PropertyListValue],
    _ registry: ClassRegistry = .foundation, limits: ParsingLimits = .default
) -> Provocation {
    Provocation(code) {
        _ = try KeyedUnarchiver.unarchive(
            type, from: archiveBytes(objects), allowing: registry, limits: limits)
    }
}

private let selfContained: [PropertyListValue] = [
    ["NS.objects": [.uid(1)], "$class": .uid(2)], described("NSArray"),
]

/// Nine arrays, each an element of the previous one. The property list itself nests only four
/// containers.
private let chain: [PropertyListValue] =
    (2...9).map { ["NS.objects": [.uid(PropertyListUID($0))], "$class": .uid(10)] }
    + [["NS.objects": [], "$class": .uid(10)], described("NSArray")]

private let nested: [PropertyListValue] = [
    ["NS.objects": [.uid(2), .uid(2)], "$class": .uid(3)],
    ["NS.objects": [], "$class": .uid(3)], described("NSArray"),
]

extension Provocation {
    static let archives = [
        Provocation("invalidPropertyList") { _ = try ArchiveGraph(parsing: [1, 2, 3]) },
        Provocation("notAnArchive") {
            _ = try ArchiveGraph(parsing: Array("<plist><array/></plist>".utf8))
        },
        Provocation("unsupportedVersion") {
            _ = try ArchiveGraph(parsing: archiveBytes(["text"], version: 1))
        },
        Provocation("danglingReference") { _ = try ArchiveGraph(parsing: archiveBytes([])) },
        Provocation("malformedObject") { _ = try ArchiveGraph(parsing: archiveBytes([[]])) },
        Provocation("malformedClass") {
            _ = try ArchiveGraph(parsing: archiveBytes([["$class": .uid(2)], "no class"]))
        },
        reading("missingValue", UUID.self, [["$class": .uid(2)], described("NSUUID")]),
        reading("wrongType", [String].self, ["text"]),
        reading("valueOutOfRange", Int8.self, [300]),
        reading("classNotAllowed", [String].self, [["$class": .uid(2)], described("Evil")]),
        reading(
            "unknownClass", UUID.self, [["$class": .uid(2)], described("Named")],
            .foundation.allowing("Named")),
        reading("referenceCycle", [[String]].self, selfContained),
        reading(
            "depthLimitExceeded", PropertyListValue.self, chain,
            limits: ParsingLimits(
                depth: 4, inputSize: 1 << 20, expansion: ParsingLimits.default.expansion,
                output: ParsingLimits.default.output)),
        reading(
            "expansionLimitExceeded", [[String]].self, nested,
            limits: ParsingLimits(
                depth: 512, inputSize: 1 << 20, expansion: .init(factor: 0, base: 1),
                output: ParsingLimits.default.output)),
        Provocation("undeclaredSubclass") { _ = try KeyedArchiver.archive(Undeclared()) },
        Provocation("duplicateKey") {
            let archiver = KeyedArchiver()
            for value in 1...2 { archiver.roots.encode(value, forKey: "a") }
            _ = try archiver.finish()
        },
        Provocation("misuse") {
            let archiver = KeyedArchiver()
            _ = try archiver.finish()
            archiver.roots.encode(1, forKey: "late")
            _ = try archiver.finish()
        },
    ]
}

private class Declared: KeyedCodable {
    class var archivedClass: ArchivedClass { "Declared" }
    init() {}
    func encode(with coder: KeyedEncoder) {}
    required init(coder: KeyedDecoder) throws {}
}

/// A subclass without an archived class name.
private final class Undeclared: Declared {}
