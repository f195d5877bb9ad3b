// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing
import TypedStream

@Suite("Examples of TypedStream")
struct TypedStreamExamples {
    @Test("build a stream and read its text")
    func text() throws {
        let bytes = try built()
        let document = try TypedStreamDocument(parsing: bytes)
        let text = try document.firstText()
        #expect(text == "Grüße")
    }

    private func built() throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try stream.beginObject(.init("NSString", version: 1, superclass: .object))
        try stream.append("+", .string("Grüße"))
        try stream.endObject()
        let bytes = try stream.finish()
        return bytes
    }

    @Test("traverse groups and values")
    func walk() throws {
        let bytes = try built()
        var names: [String] = []
        func print(_ name: String) { names.append(name) }

        let document = try TypedStreamDocument(parsing: bytes)
        for group in document.groups {
            for value in group.values {
                if case .object(let object) = value.content { print(object.class.name) }
            }
        }
        #expect(names == ["NSString"])
    }

    @Test("catch an error by its code")
    func errors() throws {
        #expect(try parsed(built()) != nil)
        #expect(try parsed(nested(513)) == nil)
        let error = #expect(throws: TypedStreamError.self) { try parsed(Array("text".utf8)) }
        #expect(error?.code == .unrecognizedFormat)
    }

    /// Returns a stream of nested objects.
    private func nested(_ depth: Int) throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        for _ in 0..<depth {
            try stream.beginGroup("@")
            try stream.beginObject(.init("NSArray", superclass: .object))
        }
        for _ in 0..<depth { try stream.endObject() }
        return try stream.finish()
    }

    private func parsed(_ bytes: [UInt8]) throws -> TypedStreamDocument? {
        do {
            return try TypedStreamDocument(parsing: bytes)
        } catch  where error.code == .depthLimitExceeded {
            return nil
        }
    }
}
