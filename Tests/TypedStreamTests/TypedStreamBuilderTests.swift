// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import TestSupport
import Testing
import TypedStream

@Suite("Building typedstreams")
struct TypedStreamBuilderTests {
    @Test("a string is built as NSArchiver writes it")
    func string() throws {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try stream.append(object: Samples.string) { try $0.append("+", .string("q")) }
        #expect(
            try stream.finish()
                == Raw.stream(
                    Raw.new("@"), [0x84, 0x84], Raw.new("NSString"), [1], Raw.root, Raw.new("+"),
                    [1, 0x71, 0x86]))
    }

    @Test("built streams are read, and written again as the same bytes")
    func samples() throws {
        for (name, bytes) in try Samples.all() {
            let document = try TypedStreamDocument(parsing: bytes)
            #expect(try document.serialized() == bytes, "\(name)")
            guard document.streamerVersion == 4 else { continue }
            var builder = TypedStreamBuilder(
                byteOrder: document.byteOrder, systemVersion: document.systemVersion)
            try builder.append(contentsOf: document)
            #expect(try builder.finish() == bytes, "\(name)")
        }
    }

    @Test("a document is appended after other groups, and shares their names")
    func copying() throws {
        let document = try TypedStreamDocument(parsing: Samples.message())
        var builder = TypedStreamBuilder()
        try builder.append(contentsOf: document)
        let once = try builder.finish().count
        try builder.append(contentsOf: document)
        let both = try TypedStreamDocument(parsing: builder.finish())
        #expect(both.groups.map { $0.encoding?.text } == ["@", "@"])
        #expect(both.byteCount < 2 * once - 100)
        let lines = TypedStreamDump.lines(document, numbering: .objects)
        #expect(TypedStreamDump.lines(both, numbering: .objects) == lines + lines)
    }

    @Test("a copy of a stream of version 3 has version 4")
    func versionThree() throws {
        let old = try TypedStreamDocument(parsing: Samples.versionThree)
        var builder = TypedStreamBuilder()
        try builder.append(contentsOf: old)
        let new = try TypedStreamDocument(parsing: builder.finish())
        #expect(old.streamerVersion == 3 && new.streamerVersion == 4)
        #expect(new.root?.groups.map { $0.encoding?.text } == ["i", "@"])
        #expect(
            TypedStreamDump.lines(new, numbering: .objects)
                == TypedStreamDump.lines(old, numbering: .objects))
    }

    @Test("values that do not fit their type are refused")
    func mismatches() {
        typealias Row = (String, TypedStreamBuilder.Value, TypedStreamError.Code)
        let rows: [Row] = [
            ("c", .integer(128), .invalidNumber), ("C", .integer(-1), .invalidNumber),
            ("s", .integer(32768), .invalidNumber), ("S", .integer(-1), .invalidNumber),
            ("i", .integer(1 << 31), .invalidNumber), ("I", .integer(1 << 32), .invalidNumber),
            ("Q", .integer(-1), .invalidNumber), ("q", .unsigned(.max), .invalidNumber),
            ("f", .real(0.1), .invalidNumber), ("i", .real(1), .wrongKind),
            ("i", .boolean(true), .wrongKind), ("i", .null, .wrongKind),
            ("i", .string("1"), .wrongKind), ("i", .bytes([1]), .wrongKind),
            ("@", .class(.object), .wrongKind), ("#", .integer(1), .wrongKind),
            ("[2c]", .bytes([1]), .invalidLength), ("*", .string("a\0b"), .invalidString),
            ("#", .class(.init("A\0B")), .invalidString),
            ("#", .class(.init("A", superclass: .init("B\0", version: 1))), .invalidString),
        ]
        for (encoding, value, code) in rows {
            var stream = TypedStreamBuilder()
            let error = #expect(throws: TypedStreamError.self, "\(encoding)") {
                try stream.append(encoding, value)
            }
            #expect(error?.code == code, "\(encoding)")
        }
    }

    @Test("a refused call leaves the stream as it was")
    func refusedCalls() throws {
        func refusal(_ body: () throws -> Void) -> TypedStreamError.Code? {
            do {
                try body()
                return nil
            } catch { return (error as? TypedStreamError)?.code }
        }
        var stream = TypedStreamBuilder()
        let first = #expect(throws: TypedStreamError.self) { try stream.append(.integer(1)) }
        #expect(first?.code == .wrongKind)
        #expect(first?.what == "expected a group, found a value outside of a group")
        try stream.append("i", .integer(1))
        let before = try stream.finish()
        let groups = [
            refusal { try stream.append("i", .string("x")) },
            refusal { try stream.append("%i", .string("atom"), .null) },
            refusal { try stream.append("i", .integer(2), .integer(3)) },
            refusal { try stream.append("ii", .integer(2)) },
        ]
        #expect(groups == [.wrongKind, .wrongKind, .wrongKind, .incompleteStream])
        #expect(try stream.finish() == before)
        try stream.beginGroup("i@")
        let numbers = [
            refusal { try stream.append(.string("x")) },
            refusal { try stream.beginObject(.object) },
            refusal { _ = try stream.finish() },
        ]
        #expect(numbers == [.wrongKind, .wrongKind, .incompleteStream])
        try stream.append(.integer(2))
        let objects = [
            refusal { try stream.append(.integer(3)) },
            refusal { try stream.beginObject(.init("A\0B")) },
            refusal { _ = try stream.finish() },
        ]
        #expect(objects == [.wrongKind, .invalidString, .incompleteStream])
        try stream.append(object: .object) { try $0.append("%", .string("atom")) }
        var other = TypedStreamBuilder()
        try other.append("i", .integer(1))
        try other.beginGroup("i@")
        try other.append(.integer(2))
        try other.append(object: .object) { try $0.append("%", .string("atom")) }
        #expect(try stream.finish() == other.finish())
    }

    @Test("an incomplete group and an unfinished object are refused")
    func incomplete() throws {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("i@")
        #expect(throws: TypedStreamError.self) { try stream.finish() }
        #expect(throws: TypedStreamError.self) { try stream.beginGroup("i") }
        #expect(throws: TypedStreamError.self) { try stream.endObject() }
        try stream.append(.integer(1))
        try stream.beginObject(.object)
        #expect(throws: TypedStreamError.self) { try stream.finish() }
        try stream.endObject()
        #expect(throws: TypedStreamError.self) { try stream.append(.integer(1)) }
        #expect(throws: TypedStreamError.self) { try stream.endObject() }
        #expect(throws: TypedStreamError.self) { try stream.beginGroup("^v") }
        #expect(try TypedStreamDocument(parsing: stream.finish()).objects.count == 1)
    }
}
